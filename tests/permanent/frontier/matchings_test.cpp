// Tests sums over matchings that need not be perfect, below the engine: orders good or absurd, either engine.

#include "permanent/frontier/matchings.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/cpu/cube.hpp"
#include "permanent/frontier/cuda/cube_gpu.hpp"
#include "permanent/frontier/instances.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/matchings.hpp"
#include "support/permutations.hpp"
#include "support/skip.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261123;
using Wanted = MatchingQuestion::Wanted;

MatchingQuestion question_of(const UndirectedGraph& graph, Wanted wanted, std::vector<bool> may_be,
                             std::uint32_t most) {
  return {graph.pattern(), {std::move(may_be), most}, wanted};
}

// Plans along this sequence, dense from that step on; or in integers that grow.
constexpr std::size_t in_integers = std::size_t{1} << 20;
MatchingPlan plan_along(const MatchingQuestion& question, std::vector<Vertex> sequence, std::size_t first_dense) {
  MatchingPlan plan;
  plan.in_integers = first_dense == in_integers;
  plan.sequence = std::move(sequence);
  plan.steps = matching_steps(question.pattern, plan.sequence, question.unmatched);
  plan.layout.first_dense = first_dense;
  std::size_t entering = 0;
  for (const FrontierStep& step : plan.steps.steps) entering = std::max(entering, step.entering.size());
  plan.layout.slots = plan.steps.max_width + static_cast<std::uint32_t>(entering);
  if (question.wanted == Wanted::by_pairs) plan.lanes = question.pattern.num_vertices() / 2 + std::size_t{1};
  if (question.wanted == Wanted::most_unmatched) plan.lanes = question.unmatched.most + std::size_t{1};
  return plan;
}

TEST_CASE("sums along random sequences, sparse, dense, one after the other or in integers, agree with the definition") {
  Random random(seed, 1);
  for (int instance = 0; instance < 300; ++instance) {
    const auto n = static_cast<Vertex>(1 + random.below(9));
    const double density = random.uniform();
    const UndirectedGraph graph = test::random_graph(n, density, random);
    std::vector<GaussianInteger> weights, left_out;
    std::vector<Integer> re, of_vertices;
    std::vector<bool> may_be;
    const bool ones = random.below(2) == 0;
    for (EdgeId id = 0; id < graph.num_edges(); ++id) {
      re.push_back(ones ? 1 : static_cast<int>(random.below(2000000)) - 1000000);
      weights.push_back({re.back(), 0});
    }
    for (Vertex v = 0; v < n; ++v) {
      may_be.push_back(random.below(4) != 0);
      of_vertices.push_back(may_be.back() ? ones ? 1 : static_cast<int>(random.below(7)) - 3 : 0);
      left_out.push_back({of_vertices.back(), 0});
    }
    const auto sequence = test::random_permutation<Vertex>(n, random);
    const auto expected = test::matchings_by_size<Integer>(graph, re, of_vertices);
    const Integer total = std::accumulate(expected.begin(), expected.end(), Integer(0));
    CAPTURE(seed, instance, test::to_string(graph), sequence);
    const RunContext run(test::with_threads(instance % 10 == 0 ? 3 : 1));
    const auto most = static_cast<std::uint32_t>(std::count(may_be.begin(), may_be.end(), true));
    for (const std::size_t first_dense : {std::size_t{0}, std::size_t{n / 2}, std::size_t{n}, in_integers}) {
      CAPTURE(first_dense);
      const MatchingQuestion sum = question_of(graph, Wanted::sum, may_be, most);
      MatchingPlan plan = plan_along(sum, sequence, first_dense);
      for (const int bytes : {4, 2}) {
        plan.bytes_of_residue = bytes;
        CHECK(sum_matchings(sum, plan, weights, left_out, run) == std::vector<GaussianInteger>{{total, 0}});
      }
      const MatchingQuestion by_pairs = question_of(graph, Wanted::by_pairs, may_be, most);
      const auto sums = sum_matchings(by_pairs, plan_along(by_pairs, sequence, first_dense), weights, left_out, run);
      REQUIRE(sums.size() == expected.size());
      for (std::size_t k = 0; k < sums.size(); ++k) CHECK(sums[k] == GaussianInteger{expected[k], 0});
      const auto out = static_cast<std::uint32_t>(n % 2 + 2 * random.below(n / 2 + 1));
      const MatchingQuestion fixed = question_of(graph, Wanted::most_unmatched, may_be, out);
      CHECK(sum_matchings(fixed, plan_along(fixed, sequence, first_dense), weights, left_out, run) ==
            std::vector<GaussianInteger>{{expected[(n - out) / 2], 0}});
    }
  }
}

// A graph with a reflection: a half, its mirror image, and vertices and edges that are their own; shuffled.
UndirectedGraph mirrored_graph(Random& random, std::vector<bool>& may_be) {
  const auto half = static_cast<Vertex>(1 + random.below(4)), fixed = static_cast<Vertex>(random.below(3));
  const Vertex n = 2 * half + fixed;
  const auto name = test::random_permutation<Vertex>(n, random);
  const auto mirror = [&](Vertex v) { return v < half ? v + half : v < 2 * half ? v - half : v; };
  may_be.assign(n, true);
  for (Vertex v = 0; v < n; ++v)
    if (mirror(v) >= v && random.below(4) == 0) may_be[name[v]] = may_be[name[mirror(v)]] = false;
  std::vector<Edge> edges;
  const double density = random.uniform();
  for (Vertex u = 0; u < n; ++u) {
    for (Vertex v = u + 1; v < n; ++v) {
      const auto ends = std::minmax({mirror(u), mirror(v)});
      if (std::pair(u, v) > ends || random.uniform() > density) continue;
      edges.push_back({std::min(name[u], name[v]), std::max(name[u], name[v])});
      if (ends == std::pair(u, v)) continue;
      edges.push_back({std::min(name[ends.first], name[ends.second]), std::max(name[ends.first], name[ends.second])});
    }
  }
  return UndirectedGraph::from_edges(n, std::move(edges));
}

// Sums of half of a graph, met in the middle, by each of these devices; none: by the CPU.
void check_halves(const std::vector<std::vector<DeviceInfo>>& devices) {
  Random random(seed, 3);
  int halves = 0, halved_edges = 0, always_matched = 0;
  for (int instance = 0; instance < 300; ++instance) {
    std::vector<bool> may_be;
    const UndirectedGraph graph = mirrored_graph(random, may_be);
    const Vertex n = graph.num_vertices();
    const Integer of_edge = instance % 3 == 0 ? static_cast<int>(random.below(2000000)) - 1000000 : 1;
    std::vector<Integer> of_vertices;
    std::vector<GaussianInteger> left_out;
    for (const bool may : may_be) {
      of_vertices.push_back(may);
      left_out.push_back({may, 0});
    }
    const auto expected =
        test::matchings_by_size<Integer>(graph, std::vector<Integer>(graph.num_edges(), of_edge), of_vertices);
    const Integer total = std::accumulate(expected.begin(), expected.end(), Integer(0));
    const RunContext run(test::with_threads(1));
    const MatchingQuestion question = question_of(graph, Wanted::sum, may_be, n);
    auto reflection = find_reflection(graph, may_be, run);
    if (!reflection) continue;
    CAPTURE(seed, instance, test::to_string(graph), may_be, reflection->mirror, reflection->sequence);
    auto sequence = test::ascending<Vertex>(n);
    MatchingPlan plan = plan_along(question, sequence, 0);
    plan.steps = matching_steps(graph, reflection->sequence, question.unmatched, true);
    plan.layout.slots += n;
    ++halves;
    for (const Vertex v : reflection->middle) always_matched += !may_be[v];
    for (const auto& edge : reflection->inner) halved_edges += edge.is_halved;
    plan.reflection = std::move(reflection);
    for (const std::size_t first_dense : {std::size_t{0}, plan.steps.steps.size() - 1}) {
      plan.layout.first_dense = first_dense;
      for (const int bytes : {4, 2}) {
        plan.bytes_of_residue = bytes;
        for (const auto& gpus : devices) {
          plan.gpus = gpus;
          CHECK(sum_matchings(question, plan, std::vector<GaussianInteger>(graph.num_edges(), {of_edge, 0}), left_out,
                              run) == std::vector<GaussianInteger>{{total, 0}});
        }
      }
    }
  }
  CHECK(halves > 100);
  CHECK(halved_edges > 20);
  CHECK(always_matched > 20);
}

TEST_CASE("sums over half of a graph that has a reflection agree with the definition") { check_halves({{}}); }

// Calls check(program, weights, prime, sum) for programs in which 2^log2_members members have
// places: of random graphs, or halves of those that have a reflection.
template <class Check>
void with_shared_programs(std::uint32_t log2_members, CubeShape shape, Vertex least, Vertex most, const Check& check) {
  Random random(seed, 10 + log2_members);
  const std::uint32_t prime = 32749;
  shape.leading_bits = log2_members;
  for (int instance = 0; instance < 100; ++instance) {
    std::vector<bool> may_be;
    UndirectedGraph graph = mirrored_graph(random, may_be);
    const bool halves = instance % 2 == 0;
    if (!halves) {
      const auto n = static_cast<Vertex>(least + random.below(most - least + 1));
      graph = test::random_graph(n, 0.2 + 0.8 * random.uniform(), random);
      may_be.assign(n, true);
      for (Vertex v = 0; v < n; ++v) may_be[v] = random.below(4) != 0;
    }
    const Vertex n = graph.num_vertices();
    const RunOptions options = test::with_threads(1);
    const auto reflection = halves ? find_reflection(graph, may_be, RunContext(options)) : std::nullopt;
    if (halves != reflection.has_value()) continue;
    const auto weight = static_cast<std::uint32_t>(1 + random.below(prime - 1));
    std::vector<std::uint32_t> of_vertices;
    for (const bool may : may_be) of_vertices.push_back(may);
    auto sequence = test::ascending<Vertex>(n);
    const MatchingQuestion question = question_of(graph, Wanted::sum, may_be, n);
    MatchingPlan plan = plan_along(question, sequence, 0);
    if (reflection) plan.steps = matching_steps(graph, reflection->sequence, question.unmatched, true);
    plan.layout.slots = shape.run_bits + log2_members + 2;
    const auto expected =
        test::matchings_by_size<Integer>(graph, std::vector<Integer>(graph.num_edges(), weight),
                                         std::vector<Integer>(of_vertices.begin(), of_vertices.end()));
    const Integer sum = std::accumulate(expected.begin(), expected.end(), Integer(0)) % prime;
    CAPTURE(seed, log2_members, instance, test::to_string(graph), may_be);
    // Takes as few slots as will do, so that those that lead are in use.
    for (std::optional<CubeProgram> program; !program; ++plan.layout.slots) {
      try {
        program = cube_program(plan.steps, plan.layout, reflection ? &*reflection : nullptr, question.unmatched,
                               graph.num_edges(), shape);
      } catch (const Error&) {
        continue;
      }
      check(*program, cube_weights(std::vector<std::uint32_t>(graph.num_edges(), weight), of_vertices, prime), prime,
            sum);
    }
  }
}

TEST_CASE("in programs for members slots that lead are exchanged, and no more, and the sums are the same") {
  const RunOptions options = test::with_threads(1);
  for (std::uint32_t log2_members = 0; log2_members <= 3; ++log2_members) {
    int exchanges = 0;
    with_shared_programs(log2_members, {3, 1}, 5, 9,
                         [&](const CubeProgram& program, const auto& weights, std::uint32_t prime, const Integer& sum) {
                           for (const CubeProgram::Group& group : program.groups) {
                             if ((group.local & program.leading()) == 0) continue;
                             ++exchanges;
                             REQUIRE(group.end == group.first + 1);
                             const CubeOperation& operation = program.operations[group.first];
                             REQUIRE(operation.kind == TileOperation::swap);
                             REQUIRE(std::popcount(operation.flip & program.leading()) == 1);
                             REQUIRE(std::popcount(operation.flip) == 2);
                           }
                           for (const int bytes : {2, 4}) {
                             const auto machine = cube_on_cpu(program, bytes, 1, options.max_isa);
                             CHECK(Integer(machine->run({{0, 1}}, weights, prime, [](double) {})) == sum);
                           }
                         });
    CHECK((exchanges > 100) == (log2_members > 0));
  }
}

TEST_CASE("GPUs that hold an array together, or one named several times, give the same sums", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceInfo first = found.devices.front(), last = found.devices.back();
  if (!reach_each_other({first, last})) MATCHCOUNT_SKIP("the devices do not reach each other");
  const std::vector<DeviceInfo> members{first, last, last, first};
  for (std::uint32_t log2_members = 0; log2_members <= 2; ++log2_members) {
    for (const int bytes : {2, 4}) {
      CubeShape shape = gpu::cube_shape_of_gpu(bytes);
      // Runs of 16 bytes at the least.
      shape.run_bits = bytes == 2 ? 3 : 2;
      with_shared_programs(
          log2_members, shape, 8, 11,
          [&](const CubeProgram& program, const auto& weights, std::uint32_t prime, const Integer& sum) {
            const auto machine =
                gpu::cube_on_gpus(program, bytes, std::span(members).first(std::size_t{1} << log2_members));
            for (int pass = 0; pass < 2; ++pass)
              CHECK(Integer(machine->run({{0, 1}}, weights, prime, [](double) {})) == sum);
          });
    }
  }
}

TEST_CASE("GPUs give the same sums, whole or of half of a graph, and of many tiles", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  check_halves({{found.devices.front()}, found.devices});
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(grid3d_graph(4, 5, 6));
  MatchingQuestion question = question_of(graph, Wanted::sum, std::vector<bool>(120, true), 120);
  const std::vector<GaussianInteger> edges(graph.num_edges(), {1, 0}), vertices(120, {1, 0});
  std::vector<std::vector<GaussianInteger>> sums;
  for (const bool uniform : {false, true}) {
    question.is_uniform = uniform;
    for (const auto kind : {DeviceChoice::Kind::cpu, DeviceChoice::Kind::cuda}) {
      RunOptions options = test::with_threads(2);
      options.device.kind = kind;
      const RunContext run(options);
      MatchingPlan plan = plan_matchings(question, 0, false, 0, run);
      CHECK(plan.gpus.empty() == (kind == DeviceChoice::Kind::cpu));
      for (const int bytes : {4, 2}) {
        plan.bytes_of_residue = bytes;
        sums.push_back(sum_matchings(question, plan, edges, vertices, run));
      }
    }
  }
  for (const auto& sum : sums) CHECK(sum == sums.front());
}

TEST_CASE("a plan takes half of a box, 2 bytes a state where 4 do not fit, and comes to the same number") {
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(grid3d_graph(4, 5, 6));
  MatchingQuestion question = question_of(graph, Wanted::sum, std::vector<bool>(120, true), 120);
  const std::vector<GaussianInteger> edges(graph.num_edges(), {1, 0}), vertices(120, {1, 0});
  std::vector<std::vector<GaussianInteger>> sums;
  for (const bool uniform : {false, true}) {
    question.is_uniform = uniform;
    RunOptions options = test::with_threads(2);
    options.device.kind = DeviceChoice::Kind::cpu;
    const MatchingPlan plan = plan_matchings(question, 0, false, 0, RunContext(options));
    CHECK(plan.reflection.has_value() == uniform);
    CHECK(plan.bytes_of_residue == 4);
    options.memory_limit_bytes = static_cast<std::uint64_t>(plan.memory_bytes / 4 * 3);
    const RunContext narrow(options);
    const MatchingPlan of_2_bytes = plan_matchings(question, 0, false, 0, narrow);
    CHECK(of_2_bytes.memory_bytes <= static_cast<double>(options.memory_limit_bytes));
    sums.push_back(sum_matchings(question, plan, edges, vertices, RunContext(options)));
    sums.push_back(sum_matchings(question, of_2_bytes, edges, vertices, narrow));
  }
  for (const auto& sum : sums) CHECK(sum == sums.front());
}

TEST_CASE("maximal matchings of a frontier of more than 32 vertices take masks of more than one word") {
  // A hub, around it legs of two vertices, the inner of which must be matched.
  constexpr Vertex legs = 40;
  std::vector<Edge> edges;
  std::vector<bool> may_be(2 * legs + 1, false);
  std::vector<GaussianInteger> left_out(2 * legs + 1), weights(2 * legs, GaussianInteger{1, 0});
  for (Vertex v = 1; v <= legs; ++v) {
    edges.push_back({0, v});
    edges.push_back({v, legs + v});
    may_be[legs + v] = true;
    left_out[legs + v] = {v, 0};
  }
  may_be[0] = true;
  left_out[0] = {1000, 0};
  MatchingQuestion question = question_of(UndirectedGraph::from_edges(2 * legs + 1, edges), Wanted::sum, may_be, legs);
  question.unmatched.maximal = true;
  auto sequence = test::ascending<Vertex>(2 * legs + 1);
  const RunContext run{RunOptions()};
  for (const std::size_t first_dense : {sequence.size(), in_integers}) {
    CHECK(sum_matchings(question, plan_along(question, sequence, first_dense), weights, left_out, run) ==
          std::vector<GaussianInteger>{{1000 + legs * (legs + 1) / 2, 0}});
  }
}

TEST_CASE("the bound on a layer's states holds: of a saturating question a chain of classes alone is left") {
  // A path of 2 n + 1 vertices whose outer class is one larger: along it the frontier is one vertex wide.
  constexpr Vertex n = 41;
  const UndirectedGraph path = test::path(n);
  auto sequence = test::ascending<Vertex>(n);
  std::vector<bool> may_be;
  for (Vertex v = 0; v < n; ++v) may_be.push_back(v % 2 == 0);
  const FrontierSteps steps = matching_steps(path, sequence, {may_be, 1});
  CHECK(steps.max_width == 1);
  for (const FrontierStep& step : steps.steps) CHECK(step.states <= 2);
  // At most as many vertices of a complete graph are matched as were processed.
  const UndirectedGraph complete = test::complete(10);
  sequence.resize(10);
  const FrontierSteps dense = matching_steps(complete, sequence, {std::vector<bool>(10, true), 10});
  CHECK(dense.steps[1].states == 1 + 8 + 28);
  CHECK(matching_layout(dense).first_dense == 0);
  CHECK_THROWS_AS(matching_steps(complete, {0, 1, 2}, {std::vector<bool>(10, true), 10}), InputError);
}

TEST_CASE("orders keep hanging trees apart: a random tree has the width of its Strahler number, a hairy cycle 3") {
  Random random(seed, 2);
  std::vector<Edge> edges;
  constexpr Vertex n = 4000;
  for (Vertex v = 1; v < n; ++v)
    edges.push_back({v, v - 1 - static_cast<Vertex>(random.below(std::min<Vertex>(v, 40)))});
  const RunContext run(test::with_threads(1));
  const auto width = [&](const UndirectedGraph& graph) {
    const std::vector<Vertex> order = find_matching_order(graph, {}, run);
    CHECK(find_matching_order(graph, {.seconds = 1e-4}, run).size() == graph.num_vertices());
    return matching_steps(graph, order, {std::vector<bool>(graph.num_vertices(), true), graph.num_vertices()})
        .max_width;
  };
  CHECK(width(UndirectedGraph::from_edges(n, edges)) <= 12);  // 2^12 > n
  edges.clear();
  for (Vertex v = 0; v < 200; ++v) {
    edges.push_back({v, (v + 1) % 200});
    edges.push_back({v, 200 + v});
    edges.push_back({200 + v, 400 + v});
  }
  CHECK(width(UndirectedGraph::from_edges(600, edges)) <= 3);
}

TEST_CASE("an order wider than 64 is refused where its layers are sparse") {
  const BipartiteGraph graph = random_graph(100, 100, 0.5, 1);
  const UndirectedGraph same = UndirectedGraph::from_bipartite(graph);
  auto sequence = test::ascending<Vertex>(200);
  const FrontierSteps steps = matching_steps(same, sequence, {std::vector<bool>(200, true), 200});
  CHECK_THROWS_AS(matching_layout(steps), Unable);
}

TEST_CASE("layers of many runs give the same sums on any number of threads and by any instruction set") {
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(random_graph(20, 20, 0.35, seed));
  const MatchingQuestion question = question_of(graph, Wanted::sum, std::vector<bool>(40, true), 40);
  auto sequence = test::ascending<Vertex>(40);
  MatchingPlan plan = plan_along(question, sequence, 0);
  plan.layout = matching_layout(plan.steps);
  REQUIRE(plan.layout.slots >= 20);
  const std::vector<GaussianInteger> edges(graph.num_edges(), {3, 0}), vertices(40, {2, 0});
  std::vector<std::vector<GaussianInteger>> sums;
  for (const int threads : {1, 3}) {
    for (const Isa isa : {Isa::baseline, Isa::avx512}) {
      RunOptions options = test::with_threads(threads);
      options.max_isa = isa;
      const RunContext run(options);
      sums.push_back(sum_matchings(question, plan, edges, vertices, run));
    }
  }
  const RunContext run(test::with_threads(1));
  sums.push_back(sum_matchings(question, plan_matchings(question, 2, false, 0, run), edges, vertices, run));
  for (const auto& sum : sums) CHECK(sum == sums.front());
}

}  // namespace
}  // namespace matchcount
