// Limits of time and memory, stops and progress of counts, by a clock that advances where the count looks at it, and on
// the machine that the cost models know: what else this one does meanwhile changes nothing.

#include "matchcount/count.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "graph/generate.hpp"
#include "matchcount/results.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20260402;

// Predictions that promise the earth, so that what can't be done is begun.
CountOptions rash(Method method) { return {.method = method, .throughput = Throughput{1e-30, 1e-30}}; }

CountOptions on_known_machine() { return {.throughput = Throughput{}, .run = {.num_threads = 2}}; }

// A wide frontier, in seconds of counting on any machine, hundreds of primes, and 2^43 subsets.
BipartiteGraph hard_graph(Method method) {
  if (method == Method::planar) return grid_graph(256, 256);
  return method == Method::frontier ? grid_graph(26, 26) : complete_graph(45, 45);
}

// Reports of the phase that has the method's name, until `act` is called at the last of them.
class Watched {
 public:
  static constexpr std::size_t most = 5;

  // A clock that advances by 0.1 s at every look lets every poll report.
  Watched(CountOptions& options, std::function<void()> act) : act_(std::move(act)) {
    clock.drive(options.run);
    options.run.time_limit_s = 1e9;
    options.run.on_progress = [this, name = std::string(to_string(options.method))](const Progress& progress) {
      if (progress.phase != name || done.size() == most) return;
      done.push_back(progress.done);
      total = progress.total;
      if (done.size() < most) return;
      act_();
      looks_before_ = clock.looks();
    };
  }
  std::uint64_t looks_after() const { return clock.looks() - looks_before_; }
  // Returns the most work between two reports, as a share of all.
  double largest_step() const {
    double step = 0;
    for (std::size_t i = 1; i < done.size(); ++i) step = std::max(step, done[i] - done[i - 1]);
    return step / total;
  }

  StepClock clock{0.1};
  std::vector<double> done;
  double total = 1;

 private:
  std::function<void()> act_;
  std::uint64_t looks_before_ = 0;
};

}  // namespace

TEST_CASE("what can't be done in the time is refused at once, with the seconds and the memory that it needs",
          "[timing]") {
  for (const BipartiteGraph& graph : {random_graph(40, 40, 0.3, seed), random_graph(50, 50, 0.7, seed)}) {
    CAPTURE(graph.num_rows(), graph.num_edges());
    CountOptions options = on_known_machine();
    StepClock clock;
    clock.drive(options.run);
    options.run.time_limit_s = 1;
    const std::string message = unable_message([&] { count_perfect_matchings(graph, options); });
    CHECK(clock.looks() < 20'000);  // of the search for an order, which is given a share of the time
    CAPTURE(message);
    CHECK_THAT(message,
               ContainsSubstring(std::to_string(graph.num_rows()) + " rows") && ContainsSubstring("needs about"));
    CHECK((message.find(" s and ") != std::string::npos || message.find(" min and ") != std::string::npos ||
           message.find(" days and ") != std::string::npos || message.find(" h and ") != std::string::npos ||
           message.find(" years and ") != std::string::npos));
    CHECK_THAT(message, ContainsSubstring("iB ("));
    CHECK_THAT(message, ContainsSubstring("; the time limit leaves 1.0 s"));
  }
}

TEST_CASE("a time limit ends hard counts, permanents and cycle covers", "[timing]") {
  CountOptions options = on_known_machine();
  StepClock clock(1e-3);
  clock.drive(options.run);
  options.run.time_limit_s = 0.2;
  const BipartiteGraph graph = random_graph(40, 40, 0.3, seed);
  std::vector<double> reals(45 * 45, 1.25);
  for (std::size_t i = 0; i < reals.size(); ++i) reals[i] += 0x1p-16 * static_cast<double>(i * i % 4099);
  const BipartiteGraph dense = BipartiteGraph::from_dense(45, 45, reals);
  const Digraph digraph = Digraph::from_arcs(40, graph.edges());
  unable_message([&] { count_perfect_matchings(graph, options); });
  unable_message([&] { permanent(dense, options); });
  unable_message([&] { count_cycle_covers(digraph, options); });
  // 200 looks each, one more of each thread, and what is looked at to say why.
  CHECK(clock.looks() <= 3 * (200 + 4));
}

TEST_CASE("a count that was begun is stopped at the first poll behind its time, and polls every 0.3 s", "[timing]") {
  for (const Method method : {Method::frontier, Method::staged, Method::skipper, Method::ryser}) {
    CountOptions options = rash(method);
    options.run.num_threads = 1;
    Watched watched(options, [&] { watched.clock.advance(2e9); });
    const BipartiteGraph graph = hard_graph(method);
    CHECK_THAT(unable_message([&] { count_perfect_matchings(graph, options); }),
               ContainsSubstring("time limit is over"));
    CHECK(watched.looks_after() <= 1);
    // These are seconds of the machine of the cost models.
    options.throughput = Throughput{};
    options.run.clock_s = {};
    const double seconds = plan_permanent(graph, options).seconds * watched.largest_step();
    CAPTURE(to_string(method), seconds, watched.done, watched.total);
    CHECK(seconds > 0);
    CHECK(seconds < 0.3);
  }
}

TEST_CASE("what does not fit into the memory is refused at once, with the memory that it needs", "[timing]") {
  CountOptions options = on_known_machine();
  StepClock clock;
  clock.drive(options.run);
  options.run.time_limit_s = 1e9;
  options.run.memory_limit_bytes = 1 << 20;
  const std::string message = unable_message([&] { count_perfect_matchings(grid3d_graph(6, 6, 8), options); });
  CHECK(clock.looks() < 20'000);  // the count would take minutes
  CHECK_THAT(message, ContainsSubstring("needs about") && ContainsSubstring("the memory limit leaves 1 MiB"));
}

TEST_CASE("the memory limit is kept by every engine, and what a forecast says is enough") {
  const BipartiteGraph grid = grid_graph(14, 14);
  const Integer truth("112202208776036178000000");  // Kasteleyn's product
  CountOptions options{.method = Method::frontier};
  for (const FrontierEngine engine : {FrontierEngine::automatic, FrontierEngine::sparse, FrontierEngine::dense}) {
    options.frontier_engine = engine;
    options.run.memory_limit_bytes = 0;
    const double needed = plan_permanent(grid, options).memory_bytes;
    REQUIRE(needed > 1000);
    for (const double part : {0.25, 0.9, 1.01, 1.5, 2.5, 16.0}) {
      CAPTURE(static_cast<int>(engine), needed, part);
      options.run.memory_limit_bytes = static_cast<std::uint64_t>(part * needed);
      bool answered = false;
      try {
        const Result result = count_perfect_matchings(grid, options);
        CHECK(std::get<Integer>(result.value) == truth);
        answered = true;
      } catch (const Unable& unable) {
        CHECK_THAT(unable.what(), ContainsSubstring("KiB") || ContainsSubstring("MiB"));
        CHECK_THAT(unable.what(), !ContainsSubstring(" 0 "));
      }
      if (part < 1) CHECK_FALSE(answered);
      // The sparse engine keeps the states' names too.
      if (part > 1 && (engine != FrontierEngine::sparse || part > 10)) CHECK(answered);
    }
  }
}

TEST_CASE("a method that needs no memory counts what would not fit into it otherwise") {
  // The frontier method takes some MB here, and inclusion-exclusion, which keeps within 1.1 MB, longer.
  const BipartiteGraph graph = random_graph(28, 28, 0.3, 5);
  CountOptions options = on_known_machine();
  options.reduce = false;
  const Result whole = count_perfect_matchings(graph, options);
  CHECK(whole.method == Method::frontier);
  options.run.memory_limit_bytes = 1'100'000;
  const Result result = count_perfect_matchings(graph, options);
  CHECK(result.method == Method::staged);
  CHECK(std::get<Integer>(result.value) == std::get<Integer>(whole.value));
}

TEST_CASE("the forecast is told before anything is counted, once") {
  CountOptions options = on_known_machine();
  int calls = 0;
  bool counting = false;
  options.on_forecast = [&](const Forecast& dearest, double seconds) {
    ++calls;
    CHECK_FALSE(counting);
    CHECK(dearest.method == Method::frontier);
    CHECK(dearest.seconds > 0);
    CHECK(seconds >= dearest.seconds);
  };
  options.run.on_progress = [&](const Progress&) { counting = true; };
  // Two blocks.
  std::vector<Edge> edges;
  for (const Edge& edge : grid_graph(8, 8).edges()) {
    edges.push_back(edge);
    edges.push_back({edge.row + 32, edge.column + 32});
  }
  count_perfect_matchings(BipartiteGraph::from_edges(64, 64, edges), options);
  CHECK(calls == 1);
  // Nothing is left to count.
  count_perfect_matchings(grid_graph(2, 2), options);
  CHECK(calls == 1);
}

TEST_CASE("plans search for an order as long as a count with the same limit would", "[timing]") {
  const auto transitions = [](double time_limit_s) {
    CountOptions options = on_known_machine();
    StepClock clock;  // the search takes none of the time
    clock.drive(options.run);
    options.frontier_strategy = FrontierStrategy::mixed;
    options.run.time_limit_s = time_limit_s;
    return plan_permanent(random_regular_graph(60, 4, seed), options).blocks.front().forecasts.front().log2_operations;
  };
  CHECK(transitions(0.1) > transitions(std::numeric_limits<double>::infinity()));
  CHECK(transitions(1e-9) >= transitions(0.1));
}

TEST_CASE("a small time limit leaves the search for an order what a quick count gives it anyway", "[timing]") {
  const auto transitions = [](double time_limit_s) {
    CountOptions options = on_known_machine();
    StepClock clock;
    clock.drive(options.run);
    options.run.time_limit_s = time_limit_s;
    return plan_hafnian(king_graph(16, 16), options).blocks.front().forecasts.front().log2_operations;
  };
  CHECK(transitions(0.3) <= transitions(std::numeric_limits<double>::infinity()) + 0.1);
}

// ---- Cancelling.

TEST_CASE("a stop that was raised before leaves nothing to be done") {
  const CountOptions options{.run = {.stop = test::raised_stop()}};
  CHECK_THROWS_AS(count_perfect_matchings(grid_graph(8, 8), options), Cancelled);
  CHECK_THROWS_AS(count_perfect_matchings(BipartiteGraph(), options), Cancelled);
  CHECK_THROWS_AS(permanent(complete_graph(50, 50), options), Cancelled);
  CHECK_THROWS_AS(count_cycle_covers(Digraph::from_arcs(2, {{0, 1}, {1, 0}}), options), Cancelled);
  CHECK_THROWS_AS(plan_permanent(grid_graph(8, 8), options), Cancelled);
}

TEST_CASE("another thread's stop ends a count with Cancelled, at the next poll of each of its threads", "[timing]") {
  for (const Method method : {Method::frontier, Method::staged, Method::ryser}) {
    for (const int num_threads : {1, 3}) {
      CAPTURE(to_string(method), num_threads);
      std::stop_source source;
      CountOptions options = rash(method);
      options.run.num_threads = num_threads;
      options.run.stop = source.get_token();
      const Watched watched(options, [&] { const std::jthread stopper([&] { source.request_stop(); }); });
      CHECK_THROWS_AS(count_perfect_matchings(hard_graph(method), options), Cancelled);
      CHECK(watched.looks_after() <= static_cast<std::uint64_t>(2 * num_threads));
    }
  }
}

TEST_CASE("another thread's stop ends structure, scaling, embedding and expansion too", "[timing]") {
  const auto check = [](const std::string& name, Method method, const auto& compute) {
    for (const std::uint64_t at : {3, 30}) {
      CountOptions options = rash(method);
      StepClock clock;
      clock.stop_at_look(at, options.run);
      CAPTURE(name, at);
      CHECK_THROWS_AS(compute(options), Cancelled);
      CHECK(clock.looks_after() <= 4);
    }
  };
  // Each of them would take from seconds to minutes.
  const BipartiteGraph complete = complete_graph(11, 11);
  check("expansion", Method::expansion,
        [&](const auto& options) { return count_perfect_matchings(complete, options); });
  const BipartiteGraph regular = random_regular_graph(300000, 3, 1);
  check("structure", Method::frontier, [&](const auto& options) { return count_perfect_matchings(regular, options); });
  const Matrix reals = with_random_weights(random_regular_graph(100000, 3, 1), {}, 1);
  check("scaling", Method::frontier, [&](const auto& options) { return permanent(reals, options); });
  const BipartiteGraph grid = grid_graph(500, 500);
  check("embedding", Method::planar, [&](const auto& options) { return count_perfect_matchings(grid, options); });
}

TEST_CASE("a stop is heeded within 0.3 s by a clock, as long as a known piece of work takes beside it",
          "[timing][slow]") {
  const auto unit_s = [] {  // 2^26 subsets on one thread
    Stopwatch watch;
    CountOptions options = rash(Method::staged);
    options.run.num_threads = 1;
    count_perfect_matchings(complete_graph(28, 28), options);
    return watch.lap();
  };
  for (const Method method : {Method::frontier, Method::staged, Method::skipper, Method::ryser, Method::planar}) {
    const double before_s = unit_s();
    std::stop_source source;
    CountOptions options = rash(method);
    options.run.stop = source.get_token();
    Stopwatch watch;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      watch.lap();
      source.request_stop();
    });
    CHECK_THROWS_AS(count_perfect_matchings(hard_graph(method), options), Cancelled);
    stopper.join();
    const double late_s = watch.lap(), unit = std::max(before_s, unit_s());
    CAPTURE(to_string(method), late_s, unit);
    CHECK(late_s < unit);  // which is 0.3 s on a virtual Intel Xeon of 2.0 GHz
  }
}

// ---- Progress.

TEST_CASE("progress names the method, keeps to its total, comes at most ten times a second, and may stop the count",
          "[timing]") {
  struct Report {
    std::string phase;
    double done, total, time_s;
  };
  for (const Method method : {Method::frontier, Method::staged, Method::skipper, Method::ryser, Method::planar}) {
    for (const int num_threads : {1, 3}) {
      CAPTURE(to_string(method), num_threads);
      std::stop_source source;
      std::vector<Report> reports;
      CountOptions options = rash(method);
      constexpr double step_s = 0.06;
      StepClock clock(step_s);
      clock.drive(options.run);
      options.run.num_threads = num_threads;
      options.run.stop = source.get_token();
      options.run.on_progress = [&](const Progress& progress) {
        reports.push_back({std::string(progress.phase), progress.done, progress.total, clock.now_s()});
        if (reports.size() == 2) source.request_stop();
      };
      CHECK_THROWS_AS(count_perfect_matchings(hard_graph(method), options), Cancelled);
      REQUIRE(reports.size() == 2);  // and none after the stop
      for (std::size_t i = 0; i < reports.size(); ++i) {
        CAPTURE(i, reports[i].phase, reports[i].done, reports[i].total);
        CHECK(reports[i].phase == to_string(method));
        CHECK(reports[i].total > 1e6);  // steps, not a share
        CHECK(reports[i].done >= 0);
        CHECK(reports[i].done <= reports[i].total * (1 + 1e-9));
        if (i == 0) continue;
        // Other threads look at the clock between the decision to report and the report.
        CHECK(reports[i].time_s - reports[i - 1].time_s >= 0.1 - step_s * (num_threads - 1));
        if (reports[i].phase == reports[i - 1].phase) {
          CHECK(reports[i].done >= reports[i - 1].done);
          CHECK(reports[i].total == reports[i - 1].total);
        }
      }
    }
  }
}

TEST_CASE("progress of a count that ends stays within its total to the end") {
  struct Case {
    Method method;
    BipartiteGraph graph;
  };
  for (const Case& c : {Case{Method::frontier, grid_graph(20, 22)}, Case{Method::staged, complete_graph(27, 27)}}) {
    INFO(to_string(c.method));
    CountOptions options{.method = c.method, .run = {.num_threads = 1}};
    double last = 0;
    options.run.on_progress = [&](const Progress& progress) {
      CHECK(progress.done >= last);
      CHECK(progress.done <= progress.total * (1 + 1e-9));
      last = progress.done;
    };
    CHECK(check_names(count_perfect_matchings(c.graph, options)).count("parity") == 1);
  }
}
