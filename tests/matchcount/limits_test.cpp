// Limits of time and memory, stops and progress of counts.

#include "matchcount/count.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/results.hpp"
#include "support/catch.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using test::check_names;
using test::Clock;
using test::seconds_since;
using test::unable_message;

namespace {

constexpr std::uint64_t seed = 20260402;

// Predictions that promise the earth, so that what can't be done is begun.
CountOptions rash(Method method) {
  CountOptions options;
  options.method = method;
  options.throughput = Throughput{1e-30, 1e-30};
  return options;
}

// A wide frontier, in seconds of counting on any machine, hundreds of primes, and 2^43 subsets.
BipartiteGraph hard_graph(Method method) {
  if (method == Method::planar) return grid_graph(256, 256);
  return method == Method::frontier ? grid_graph(26, 26) : complete_graph(45, 45);
}

}  // namespace

TEST_CASE("what can't be done in the time is refused at once, with the seconds and the memory that it needs") {
  for (const BipartiteGraph& graph : {random_graph(40, 40, 0.3, seed), random_graph(50, 50, 0.7, seed)}) {
    CAPTURE(graph.num_rows(), graph.num_edges());
    CountOptions options;
    options.run.num_threads = 2;
    options.run.time_limit_s = 20;
    const auto start = Clock::now();
    const std::string message = unable_message([&] { count_perfect_matchings(graph, options); });
    CHECK(seconds_since(start) < 10);
    CAPTURE(message);
    CHECK_THAT(message,
               ContainsSubstring(std::to_string(graph.num_rows()) + " rows") && ContainsSubstring("needs about"));
    CHECK((message.find(" s and ") != std::string::npos || message.find(" min and ") != std::string::npos ||
           message.find(" days and ") != std::string::npos || message.find(" h and ") != std::string::npos ||
           message.find(" years and ") != std::string::npos));
    CHECK_THAT(message, ContainsSubstring("iB ("));
    CHECK_THAT(message, ContainsSubstring("; the time limit leaves "));
  }
}

TEST_CASE("a time limit of 0.2 s ends hard counts, permanents and cycle covers in a few seconds") {
  CountOptions options;
  options.run.time_limit_s = 0.2;
  const BipartiteGraph graph = random_graph(40, 40, 0.3, seed);
  std::vector<double> reals(45 * 45, 1.25);
  for (std::size_t i = 0; i < reals.size(); ++i) reals[i] += 0x1p-16 * static_cast<double>(i * i % 4099);
  const BipartiteGraph dense = BipartiteGraph::from_dense(45, 45, reals);
  const Digraph digraph = Digraph::from_arcs(40, graph.edges());
  const auto start = Clock::now();
  unable_message([&] { count_perfect_matchings(graph, options); });
  unable_message([&] { permanent(dense, options); });
  unable_message([&] { count_cycle_covers(digraph, options); });
  CHECK(seconds_since(start) < 10);
}

TEST_CASE("a count that was begun is stopped when its time is over") {
  for (const Method method : {Method::frontier, Method::staged, Method::skipper, Method::ryser}) {
    INFO(to_string(method));
    CountOptions options = rash(method);
    options.run.time_limit_s = 0.2;
    options.run.num_threads = 1;
    const BipartiteGraph graph = hard_graph(method);
    const auto start = Clock::now();
    const std::string message = unable_message([&] { count_perfect_matchings(graph, options); });
    CHECK(seconds_since(start) < 5);
    // Or before it was begun, on a machine that has much else to do.
    CHECK_THAT(message, ContainsSubstring("time limit is over") || ContainsSubstring("the time limit leaves 0.0 ms"));
  }
}

TEST_CASE("what does not fit into the memory is refused at once, with the memory that it needs") {
  CountOptions options;
  options.run.memory_limit_bytes = 1 << 20;
  const auto start = Clock::now();
  const std::string message = unable_message([&] { count_perfect_matchings(grid3d_graph(6, 6, 8), options); });
  CHECK(seconds_since(start) < 20);  // 1.3 s alone, where the count would take minutes
  CHECK_THAT(message, ContainsSubstring("needs about") && ContainsSubstring("the memory limit leaves 1 MiB"));
}

TEST_CASE("the memory limit is kept by every engine, and what a forecast says is enough") {
  const BipartiteGraph grid = grid_graph(14, 14);
  const Integer truth("112202208776036178000000");  // Kasteleyn's product
  CountOptions options;
  options.method = Method::frontier;
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
  CountOptions options;
  options.reduce = false;
  options.run.num_threads = 2;
  const Result whole = count_perfect_matchings(graph, options);
  CHECK(whole.method == Method::frontier);
  options.run.memory_limit_bytes = 1'100'000;
  const Result result = count_perfect_matchings(graph, options);
  CHECK(result.method == Method::staged);
  CHECK(std::get<Integer>(result.value) == std::get<Integer>(whole.value));
}

TEST_CASE("the forecast is told before anything is counted, once") {
  CountOptions options;
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

TEST_CASE("plans search for an order as long as a count with the same limit would") {
  const auto transitions = [](double time_limit_s) {
    CountOptions options;
    options.frontier_strategy = FrontierStrategy::mixed;
    options.run.time_limit_s = time_limit_s;
    return plan_permanent(random_regular_graph(60, 4, seed), options).blocks.front().forecasts.front().log2_operations;
  };
  CHECK(transitions(0.1) > transitions(std::numeric_limits<double>::infinity()));
  CHECK(transitions(1e-9) >= transitions(0.1));
}

TEST_CASE("a small time limit leaves the search for an order what a quick count gives it anyway") {
  const auto transitions = [](double time_limit_s) {
    CountOptions options;
    options.run.time_limit_s = time_limit_s;
    return plan_hafnian(king_graph(16, 16), options).blocks.front().forecasts.front().log2_operations;
  };
  CHECK(transitions(0.3) <= transitions(std::numeric_limits<double>::infinity()) + 0.1);
}

TEST_CASE("limits that suffice change nothing") {
  CountOptions options;
  options.run.time_limit_s = 600;
  options.run.memory_limit_bytes = std::uint64_t{1} << 30;
  CHECK(to_string(count_perfect_matchings(grid_graph(8, 8), options).value) == "12988816");
}

// ---- Cancelling.

TEST_CASE("a stop that was raised before leaves nothing to be done") {
  std::stop_source source;
  source.request_stop();
  CountOptions options;
  options.run.stop = source.get_token();
  CHECK_THROWS_AS(count_perfect_matchings(grid_graph(8, 8), options), Cancelled);
  CHECK_THROWS_AS(count_perfect_matchings(BipartiteGraph(), options), Cancelled);
  CHECK_THROWS_AS(permanent(complete_graph(50, 50), options), Cancelled);
  CHECK_THROWS_AS(count_cycle_covers(Digraph::from_arcs(2, {{0, 1}, {1, 0}}), options), Cancelled);
  CHECK_THROWS_AS(plan_permanent(grid_graph(8, 8), options), Cancelled);
}

TEST_CASE("another thread's stop ends a count with Cancelled") {
  for (const Method method : {Method::frontier, Method::staged, Method::ryser}) {
    for (const int num_threads : {1, 3}) {
      CAPTURE(to_string(method), num_threads);
      const BipartiteGraph graph = hard_graph(method);
      std::stop_source source;
      CountOptions options = rash(method);
      options.run.num_threads = num_threads;
      options.run.stop = source.get_token();
      const auto start = Clock::now();
      const std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        source.request_stop();
      });
      CHECK_THROWS_AS(count_perfect_matchings(graph, options), Cancelled);
      CHECK(seconds_since(start) < 5);
    }
  }
}

TEST_CASE("another thread's stop ends structure, scaling, embedding and expansion too") {
  const auto check = [](const std::string& name, Method method, const auto& compute) {
    std::stop_source source;
    CountOptions options = rash(method);
    options.run.stop = source.get_token();
    std::atomic<Clock::rep> raised{0};
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      raised = Clock::now().time_since_epoch().count();
      source.request_stop();
    });
    CAPTURE(name);
    CHECK_THROWS_AS(compute(options), Cancelled);
    CHECK(seconds_since(Clock::time_point(Clock::duration(raised))) < 5);
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

// ---- Progress.

TEST_CASE("progress names the method, keeps to its total, comes at most ten times a second, and may stop the count") {
  struct Report {
    std::string phase;
    double done, total;
    Clock::time_point time;
  };
  for (const Method method : {Method::frontier, Method::staged, Method::skipper, Method::ryser, Method::planar}) {
    for (const int num_threads : {1, 3}) {
      CAPTURE(to_string(method), num_threads);
      std::stop_source source;
      std::vector<Report> reports;
      CountOptions options = rash(method);
      options.run.num_threads = num_threads;
      options.run.stop = source.get_token();
      options.run.on_progress = [&](const Progress& progress) {
        reports.push_back({std::string(progress.phase), progress.done, progress.total, Clock::now()});
        if (reports.size() == 4) source.request_stop();
      };
      CHECK_THROWS_AS(count_perfect_matchings(hard_graph(method), options), Cancelled);
      REQUIRE(reports.size() == 4);  // and none after the stop
      for (std::size_t i = 0; i < reports.size(); ++i) {
        CAPTURE(i, reports[i].phase, reports[i].done, reports[i].total);
        CHECK(reports[i].phase == to_string(method));
        CHECK(reports[i].total > 1e6);  // steps, not a share
        CHECK(reports[i].done >= 0);
        CHECK(reports[i].done <= reports[i].total * (1 + 1e-9));
        if (i == 0) continue;
        // Clock::now is read a little after the decision to report.
        CHECK(std::chrono::duration<double>(reports[i].time - reports[i - 1].time).count() > 0.05);
        if (reports[i].phase == reports[i - 1].phase) {
          CHECK(reports[i].done >= reports[i - 1].done);
          CHECK(reports[i].total == reports[i - 1].total);
        }
      }
      CHECK(std::chrono::duration<double>(reports.back().time - reports.front().time).count() > 0.25);
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
    CountOptions options;
    options.method = c.method;
    options.run.num_threads = 1;
    double last = 0;
    options.run.on_progress = [&](const Progress& progress) {
      CHECK(progress.done >= last);
      CHECK(progress.done <= progress.total * (1 + 1e-9));
      last = progress.done;
    };
    CHECK(check_names(count_perfect_matchings(c.graph, options)).count("parity") == 1);
  }
}
