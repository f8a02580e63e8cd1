// The frontier method over ranks that are threads of this process: the numbers of one process, whatever their number.

#include "permanent/frontier/cpu/partitioned.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "graph/generate.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/run.hpp"
#include "permanent/frontier/cpu/sums.hpp"
#include "permanent/frontier/instances.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/graphs.hpp"
#include "support/permutations.hpp"
#include "support/truth.hpp"

namespace matchcount {
namespace {

using test::with_threads;

constexpr std::uint64_t seed = 20240611;

// Ranks that are threads, each of which has one of these; they meet here.
struct Meeting {
  explicit Meeting(int ranks) : num_ranks(ranks), said(static_cast<std::size_t>(ranks)) {}
  int num_ranks;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Bytes> said, told;
  int num_said = 0;
  std::uint64_t round = 0;
  std::map<std::pair<int, int>, std::deque<Bytes>> on_the_way;
  bool keeps = false;
};

class ThreadWork : public Work {
 public:
  ThreadWork(Meeting& meeting, int rank, Checkpoint* checkpoint = nullptr)
      : Work(checkpoint), meeting_(meeting), rank_(rank) {}
  int num_ranks() const override { return meeting_.num_ranks; }
  int rank() const override { return rank_; }
  bool is_first() const override { return rank_ == 0; }
  bool keeps() const override { return meeting_.keeps; }

  std::vector<Bytes> tell_all(Bytes mine, const RunContext&) override {
    std::unique_lock lock(meeting_.mutex);
    const std::uint64_t round = meeting_.round;
    meeting_.said[static_cast<std::size_t>(rank_)] = std::move(mine);
    if (++meeting_.num_said == meeting_.num_ranks) {
      meeting_.num_said = 0;
      meeting_.told = meeting_.said;
      ++meeting_.round;
      meeting_.changed.notify_all();
    }
    meeting_.changed.wait(lock, [&] { return meeting_.round > round; });
    return meeting_.told;
  }

  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming, const RunContext&) override {
    copy_own(rank_, outgoing, incoming);
    std::unique_lock lock(meeting_.mutex);
    for (const Outgoing& out : outgoing) {
      if (out.to != rank_) meeting_.on_the_way[{rank_, out.to}].emplace_back(out.bytes.begin(), out.bytes.end());
    }
    meeting_.changed.notify_all();
    for (const Incoming& in : incoming) {
      if (in.from == rank_) continue;
      auto& queue = meeting_.on_the_way[{in.from, rank_}];
      meeting_.changed.wait(lock, [&] { return !queue.empty(); });
      if (queue.front().size() != in.bytes.size()) throw Error("a message of another size");
      std::copy(queue.front().begin(), queue.front().end(), in.bytes.begin());
      queue.pop_front();
    }
  }

 private:
  Meeting& meeting_;
  int rank_;
};

// Calls body(work, rank) on a thread for each rank; what the first throws is thrown, or else what another does.
template <class Body>
void over_ranks(int ranks, Checkpoint* checkpoint, const Body& body) {
  Meeting meeting(ranks);
  meeting.keeps = checkpoint != nullptr;
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(ranks));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ThreadWork work(meeting, rank, rank == 0 ? checkpoint : nullptr);
        body(work, rank);
      } catch (...) {
        thrown[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  threads.clear();
  for (const auto& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
  REQUIRE(std::all_of(meeting.on_the_way.begin(), meeting.on_the_way.end(),
                      [](const auto& queue) { return queue.second.empty(); }));
}

std::vector<std::int64_t> entries_of(const BipartiteGraph& graph) {
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  return weights ? *weights : std::vector<std::int64_t>(graph.num_edges(), 1);
}

Integer integer_of(const std::vector<Word>& words) {
  if (words.empty()) return 0;
  Integer result = from_magnitude(words);
  if (words.back() >> 63) result -= Integer(1) << (64 * static_cast<unsigned>(words.size()));
  return result;
}

Integer partitioned(const FrontierSteps& steps, const std::vector<std::int64_t>& entries, int ranks,
                    RunOptions run = with_threads(1)) {
  Integer result;
  over_ranks(ranks, nullptr, [&](Work& work, int rank) {
    const RunContext context(run, &work);
    Words arithmetic(entries, 1000);
    PartitionedRun<Words> frontier(steps, arithmetic, context, {}, {}, 1);
    const std::vector<Word> words = frontier.run();
    if (rank == 0) result = integer_of(words);
    if (rank != 0 && !words.empty()) throw Error("an answer on another rank");
  });
  return result;
}

Integer by_one(const FrontierSteps& steps, const std::vector<std::int64_t>& entries) {
  const RunOptions run = with_threads(1);
  const RunContext context(run);
  Words arithmetic(entries, 1000);
  FrontierRun<Words> frontier(steps, arithmetic, FrontierEngine::automatic, context, {}, {});
  return integer_of(frontier.run());
}

template <class Graph>
std::vector<Vertex> shuffled(const Graph& sequence, Random& random) {
  std::vector<Vertex> result = sequence;
  for (std::size_t i = result.size(); i > 1; --i) std::swap(result[i - 1], result[random.below(i)]);
  return result;
}

TEST_CASE("over any number of ranks any sequence gives the permanent of a signed block") {
  Random random(seed);
  for (const auto family : test::all_families) {
    for (std::size_t n = 0; n <= 7; ++n) {
      const auto instance = test::integer_instance(family, test::IntegerWeights::small, n, seed + n);
      const BipartiteGraph graph = instance.graph();
      INFO(to_string(instance));
      const Integer truth =
          reference::permanent_by_subsets(std::vector<Integer>(instance.entries.begin(), instance.entries.end()), n);
      auto sequence = test::ascending<Vertex>(2 * n);
      const FrontierSteps steps = frontier_steps(graph.pattern(), shuffled(sequence, random));
      if (steps.impossible) {
        REQUIRE(truth == 0);
        continue;
      }
      for (const int ranks : {1, 2, 3, 8}) {
        CAPTURE(ranks);
        REQUIRE(partitioned(steps, entries_of(graph), ranks) == truth);
      }
    }
  }
}

TEST_CASE("over ranks larger counts, of several words, are those of one process") {
  const RunContext context(with_threads(1));
  const std::vector<BipartiteGraph> graphs = {grid_graph(8, 33), grid_graph(9, 40), random_graph(24, 24, 0.25, seed),
                                              random_regular_graph(33, 3, seed), random_regular_graph(26, 4, seed)};
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (const auto strategy : {FrontierStrategy::mixed, FrontierStrategy::rows}) {
      const FrontierOrder order = find_frontier_order(graphs[i].pattern(), strategy, seed, context);
      const FrontierSteps steps = frontier_steps(graphs[i].pattern(), order.sequence);
      if (steps.impossible || steps.max_width > 24) continue;
      const Integer one = by_one(steps, entries_of(graphs[i]));
      for (const int ranks : {2, 3, 7}) {
        CAPTURE(i, ranks, steps.max_width);
        REQUIRE(partitioned(steps, entries_of(graphs[i]), ranks, with_threads(ranks == 3 ? 2 : 1)) == one);
      }
    }
  }
}

TEST_CASE("a layer has no more than its share on any rank") {
  const RunContext context;
  const BipartiteGraph graph = random_graph(34, 34, 0.2, seed);
  const FrontierOrder order = find_frontier_order(graph.pattern(), FrontierStrategy::automatic, seed, context);
  const FrontierSteps steps = frontier_steps(graph.pattern(), order.sequence);
  const StateIndices ranks(false, max_dense_width + 1);
  const Touches touches(steps);
  double peak = 0;
  for (const FrontierStep& step : steps.steps) peak = std::max(peak, step.states);
  REQUIRE(peak > 8 * min_shared_states);
  for (const int num_ranks : {1, 2, 3, 5, 8}) {
    const Placement placement(steps, touches, ranks, num_ranks);
    CAPTURE(num_ranks);
    // The first rank alone has layers below the least size.
    CHECK(placement.largest_part() <= 1.4 * peak / num_ranks);
    CHECK(placement.largest_part() >= 0.999 * peak / num_ranks);
    for (std::size_t t = 0; t < steps.steps.size(); ++t) {
      const LeadingBits& leading = placement.at(t);
      const FrontierStep& step = steps.steps[t];
      Word end = 0;
      for (int member = 0; member < num_ranks; ++member) {
        const LayerPart part = placement.part(member, leading, step.width, step.ones);
        REQUIRE(part.states.first == end);
        end = part.states.end;
      }
      REQUIRE(end == ranks.count(step.width, step.ones));
      for (const Vertex v : leading.vertices) {
        REQUIRE(v != steps.steps[t].vertex);
        for (const auto& choice : steps.steps[t].choices) REQUIRE(choice.partner != v);
      }
    }
  }
}

TEST_CASE("sums of reals over ranks have the bits of one process") {
  const RunOptions run = with_threads(1);
  const RunContext context(run);
  Random random(seed + 2);
  const BipartiteGraph graph = random_regular_graph(40, 3, seed);
  const FrontierOrder order = find_frontier_order(graph.pattern(), FrontierStrategy::rows, seed, context);
  const FrontierSteps steps = frontier_steps(graph.pattern(), order.sequence);
  std::vector<double> weights(graph.num_edges());
  // Weights so small have layers rescaled, by the largest value on any rank.
  for (double& weight : weights) weight = (random.uniform() - 0.3) * 1e-8;
  Floats of_one(FloatKind::real, steps, weights);
  const std::vector<double> one = FrontierRun<Floats>(steps, of_one, FrontierEngine::automatic, context, {}, {}).run();
  REQUIRE(of_one.exponent() != 0);
  for (const int ranks : {2, 3, 5}) {
    over_ranks(ranks, nullptr, [&](Work& work, int rank) {
      const RunContext my_context(run, &work);
      Floats arithmetic(FloatKind::real, steps, weights);
      const std::vector<double> values = PartitionedRun<Floats>(steps, arithmetic, my_context, {}, {}, 1).run();
      if (rank == 0 && values != one) throw Error("another value");
      if (arithmetic.exponent() != of_one.exponent()) throw Error("another exponent");
    });
  }
}

TEST_CASE("graphs with odd cycles are spread by parity") {
  Random random(seed + 3);
  const RunContext context(with_threads(1));
  for (const Vertex n : {2, 4, 8, 10, 14, 18}) {
    const UndirectedGraph graph =
        test::graph_where(n, [&](Vertex u, Vertex v) { return v == u + 1 || random.below(3) == 0; });
    auto sequence = test::ascending<Vertex>(n);
    const FrontierSteps steps = frontier_steps(graph, shuffled(sequence, random));
    const std::vector<std::int64_t> ones(graph.num_edges(), 1);
    std::vector<Integer> dense(static_cast<std::size_t>(n) * n, 0);
    for (const Edge& edge : graph.edges()) dense[edge.row * n + edge.column] = 1;
    for (const Edge& edge : graph.edges()) dense[edge.column * n + edge.row] = 1;
    const Integer truth = reference::hafnian_by_expansion(dense, n);
    for (const int ranks : {1, 2, 3, 5}) {
      CAPTURE(n, ranks);
      REQUIRE(partitioned(steps, ones, ranks) == truth);
    }
  }
}

TEST_CASE("what one rank can't do ends the run on all, with its reason") {
  const BipartiteGraph graph = random_graph(24, 24, 0.3, seed);
  const RunOptions run = with_threads(1);
  const RunContext context(run);
  const FrontierOrder order = find_frontier_order(graph.pattern(), FrontierStrategy::automatic, seed, context);
  const FrontierSteps steps = frontier_steps(graph.pattern(), order.sequence);
  const std::vector<std::int64_t> entries = entries_of(graph);
  int ended = 0;
  std::mutex mutex;
  const auto body = [&](Work& work, int rank) {
    RunOptions mine = run;
    if (rank == 1) mine.memory_limit_bytes = 20000;
    const RunContext my_context(mine, &work);
    Words arithmetic(entries, 100);
    try {
      PartitionedRun<Words>(steps, arithmetic, my_context, {}, {}, 1).run();
    } catch (const Unable& error) {
      const std::lock_guard lock(mutex);
      if (std::string(error.what()).find("memory limit") != std::string::npos) ++ended;
    }
  };
  over_ranks(3, nullptr, body);
  CHECK(ended == 3);
}

// Raises a stop after some steps.
struct StoppingWords : Words {
  StoppingWords(const std::vector<std::int64_t>& entries, int steps_left, std::stop_source& stop_source)
      : Words(entries, 1000), left(steps_left), stop(stop_source) {}
  template <class Largest>
  void prepare(const FrontierStep& step, Layer<Slot>& layer, const Largest& largest) {
    if (left-- == 0) stop.request_stop();
    Words::prepare(step, layer, largest);
  }
  int left;
  std::stop_source& stop;
};

TEST_CASE("a run goes on from any of its layers, on one process or any number of ranks") {
  Random random(seed + 4);
  std::vector<BipartiteGraph> graphs = {grid_graph(6, 22), random_graph(16, 16, 0.3, seed), grid_graph(2, 110)};
  for (const BipartiteGraph& graph : graphs) {
    auto sequence = test::ascending<Vertex>(graph.num_rows() + graph.num_columns());
    const RunOptions run = with_threads(1);
    const RunContext context(run);
    const FrontierOrder order =
        find_frontier_order(graph.pattern(), FrontierStrategy::automatic, seed, context, {.most_seconds = 0});
    const FrontierSteps steps = frontier_steps(graph.pattern(), order.sequence);
    std::vector<std::int64_t> entries(graph.num_edges());
    for (auto& entry : entries) entry = static_cast<std::int64_t>(random.below(7)) - 2;
    const Integer truth = by_one(steps, entries);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const test::Folder folder;
      std::optional<Integer> result;
      int attempts = 0;
      for (; !result && attempts < 1000; ++attempts) {
        CheckpointOptions options;
        options.file = folder.path() / "c";
        options.resume = true;
        options.program = "test";
        options.interval_s = random.below(2) == 0 ? 0 : 1000;
        Checkpoint checkpoint(options);
        const auto mode = random.below(6);
        const int left = 1 + static_cast<int>(random.below(5));
        try {
          if (mode < 2) {
            Work work(&checkpoint);
            std::stop_source stop;
            RunOptions mine = run;
            mine.stop = stop.get_token();
            const RunContext my_context(mine, &work);
            StoppingWords arithmetic(entries, left, stop);
            const auto engine = mode == 0 ? FrontierEngine::sparse : FrontierEngine::automatic;
            result =
                integer_of(FrontierRun<StoppingWords>(steps, arithmetic, engine, my_context, "so far", "words").run());
          } else {
            constexpr std::array numbers{1, 2, 3, 5};
            over_ranks(numbers[mode - 2], &checkpoint, [&](Work& work, int rank) {
              std::stop_source stop;
              RunOptions mine = run;
              mine.stop = stop.get_token();
              const RunContext my_context(mine, &work);
              StoppingWords arithmetic(entries, rank == 0 ? left : -1, stop);
              const std::vector<Word> words =
                  PartitionedRun<StoppingWords>(steps, arithmetic, my_context, "so far", "words", 1).run();
              if (rank == 0) result = integer_of(words);
            });
          }
        } catch (const Cancelled&) {
        }
      }
      CAPTURE(repeat, attempts);
      REQUIRE(result == truth);
      REQUIRE(attempts > 3);
    }
  }
}

}  // namespace
}  // namespace matchcount
