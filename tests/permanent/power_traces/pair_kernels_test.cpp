// The text of the kernels of sums over pairs, on the host: against the CPU's kernels and the frontier method; and the
// kernels on GPUs against the CPU, which is tested against the definition.

#include <array>
#include <map>

#include "core/bytes.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/numbers/lanes.hpp"
#include "core/numbers/residue.hpp"
#include "core/random.hpp"
#include "matchcount/count.hpp"
#include "matchcount/matchings.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/power_traces/cuda/held_plan.hpp"
#include "permanent/power_traces/cuda/pair_gpu.hpp"
#include "permanent/power_traces/pair_sum.hpp"
#include "permanent/ryser/short_work.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/graphs.hpp"
#include "support/skip.hpp"
#include "support/truth.hpp"
//
#include "support/host_gpu.hpp"

namespace host_gpu {

#define MC_TABLE constexpr

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "permanent/power_traces/cuda/pair_kernels.cuh"
#pragma GCC diagnostic pop

}  // namespace host_gpu

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261126;
using Doubles = lane::Pair<double>;

UndirectedGraph random_weighted(Vertex vertices, Random& random) {
  return with_integers(random_graph(vertices, 0.4 + 0.6 * random.uniform(), random), -1, 6, random);
}
const std::vector<std::int64_t>& integers_of(const UndirectedGraph& graph) {
  return std::get<std::vector<std::int64_t>>(graph.weights());
}
std::vector<std::int64_t> random_loops(Vertex vertices, Random& random) {
  std::vector<std::int64_t> loops;
  for (Vertex v = 0; v < vertices; ++v) loops.push_back(static_cast<std::int64_t>(random.below(8)) - 2);
  return loops;
}

// By the frontier method; without loops of perfect matchings.
Integer by_frontier(const UndirectedGraph& graph, const std::vector<std::int64_t>& loops) {
  MatchingOptions options{.count = {.method = Method::frontier}};
  if (loops.empty()) return std::get<Integer>(hafnian(graph, options.count).value);
  options.kind = MatchingKind::all;
  options.weighted = true;
  options.loops = Weights(loops);
  return std::get<Integer>(count_matchings(graph, options).run.value);
}

// Says what a problem's numbers are, and makes them of integers: an edge's with u^2, a vertex' with u, where u is 1,
// or 1 + i, times 1 + tiny in double-doubles.
struct Numbers {
  bool is_residue, is_complex, is_double;
  static constexpr double tiny = 0x1p-70;
  std::size_t parts() const { return is_double ? 1 : 2; }
  std::size_t components() const { return parts() * (is_complex ? 2 : 1); }
  void put(double integer, int power, std::vector<double>& to) const {
    const auto one = [&](double value) {
      to.push_back(value);
      if (!is_double) to.push_back(value * power * tiny);
    };
    one(is_complex && power == 2 ? 0 : integer);
    if (is_complex) one(power * integer);
  }
};

struct Given {
  std::vector<double> entries, loops;
  pairs_kernel::Problem problem(int num_pairs, double prime = 0) const {
    return {num_pairs, entries.data(), loops.empty() ? nullptr : loops.data(), prime, prime > 0 ? 1 / prime : 0};
  }
};

template <class Put>
Given given(const UndirectedGraph& graph, const std::vector<std::int64_t>& loops, int num_pairs, const Put& put) {
  Given result;
  std::map<std::pair<Vertex, Vertex>, std::int64_t> weights;
  for (EdgeId e = 0; e < graph.num_edges(); ++e)
    weights[{graph.edges()[e].column, graph.edges()[e].row}] = integers_of(graph)[e];
  for (Vertex i = 0; i < static_cast<Vertex>(2 * num_pairs); ++i) {
    for (Vertex j = 0; j < i; ++j) put(static_cast<double>(weights[{i, j}]), 2, result.entries);
    if (!loops.empty() && i < loops.size()) put(static_cast<double>(loops[i]), 1, result.loops);
  }
  return result;
}

using SumPairs = void (*)(const gpu::PairFrame&, const double*, const gpu::PairModulus*, host_gpu::u64, double*,
                          double*);
template <class Number, int count>
void name_kernels(const std::string& name, std::map<std::string, SumPairs>& kernels) {
  kernels[name + "_" + std::to_string(count)] = host_gpu::sum_pairs<Number, false, count>;
  kernels[name + "_loops_" + std::to_string(count)] = host_gpu::sum_pairs<Number, true, count>;
}
SumPairs kernel_of(const std::string& name) {
  std::map<std::string, SumPairs> kernels;
  name_kernels<host_gpu::Residue, 7>("sum_residues", kernels);
  name_kernels<host_gpu::Residue, 8>("sum_residues", kernels);
  name_kernels<host_gpu::Rounded<double>, 7>("sum_real", kernels);
  name_kernels<host_gpu::Rounded<double>, 8>("sum_real", kernels);
  name_kernels<host_gpu::Rounded<Doubles>, 4>("sum_double_double", kernels);
  name_kernels<host_gpu::Rounded<lane::Complex<double>>, 4>("sum_complex", kernels);
  name_kernels<host_gpu::Rounded<lane::Complex<Doubles>>, 4>("sum_complex_double", kernels);
  return kernels.at(name);
}

// Sums up subsets by a kernel of the CPU, components one after the other.
std::vector<DoubleDouble> by_cpu(pairs_kernel::Kernel kernel, const pairs_kernel::Problem& problem,
                                 const pairs_kernel::Piece& piece, std::size_t components) {
  const std::size_t size = pairs_kernel::scratch_size(problem.num_pairs, static_cast<int>(components));
  std::vector<double> memory(size + 8);
  void* scratch = memory.data();
  std::size_t room = memory.size() * sizeof(double);
  std::align(64, size * sizeof(double), scratch, room);
  std::vector<double> lanes(components * pairs_kernel::num_lanes);
  kernel(problem, piece, static_cast<double*>(scratch), lanes.data());
  std::vector<DoubleDouble> sums(components);
  for (std::size_t i = 0; i < lanes.size(); ++i) sums[i / pairs_kernel::num_lanes] += lanes[i];
  return sums;
}

// The kernels' text as a block after the other.
class OnHost {
 public:
  OnHost(const UndirectedGraph& graph, const std::vector<std::int64_t>& loops, const Numbers& numbers, int path_bits)
      : numbers_(numbers), num_pairs_(static_cast<int>((graph.num_vertices() + 1) / 2)) {
    double sizes = 0;  // of what the best z goes by
    for (const std::int64_t weight : integers_of(graph)) sizes += std::fabs(static_cast<double>(weight));
    point_ = 0.3 * (2 * num_pairs_ - 1) / (sizes * (numbers.is_complex ? 2 : 1));
    all_ = given(graph, loops, num_pairs_,
                 [&](double integer, int power, std::vector<double>& to) { numbers.put(integer, power, to); });
    bounds_ = given(graph, loops, num_pairs_, [&](double integer, int power, std::vector<double>& to) {
      to.push_back(std::fabs(integer) * std::pow(point_ * (numbers.is_complex ? 2 : 1), power / 2.0));
    });
    if (graph.num_vertices() % 2 != 0) {  // one more is left out always
      all_.loops.resize(2 * static_cast<std::size_t>(num_pairs_) * numbers.components());
      all_.loops[graph.num_vertices() * numbers.components()] = 1;
      bounds_.loops.push_back(std::sqrt(point_));
    }
    primes_ = numbers.is_residue ? primes_for(90, 1 << 24) : std::vector<std::uint64_t>{0};
    for (const std::uint64_t prime : primes_) problems_.push_back(all_.problem(num_pairs_, static_cast<double>(prime)));
    bounding_ = bounds_.problem(num_pairs_);
    kernel_ = gpu::make_pair_kernel(problems_, numbers.is_residue ? nullptr : &bounding_, numbers.is_complex,
                                    numbers.is_double, path_bits);
    scratch_.resize(kernel_.kernel.scratch_bytes / sizeof(double));
    matrices_ = unpacked<double>(kernel_.kernel.data[0]);
    moduli_ = unpacked<gpu::PairModulus>(kernel_.kernel.data[1]);
  }

  const gpu::TaskKernel& kernel() const { return kernel_.kernel; }
  std::uint64_t num_tasks() const { return kernel_.kernel.num_tasks; }
  const std::vector<std::uint64_t>& primes() const { return primes_; }
  std::uint64_t prime_of(std::uint64_t task) const { return (task >> kernel_.frame.lane_bits) % primes_.size(); }
  // Bounds errors, where magnitudes are at most this at z.
  double error(DoubleDouble magnitude) const {
    return 10 * (numbers_.is_double ? 0x1p-53 : 0x1p-101) * magnitude.hi / std::pow(point_, num_pairs_);
  }

  // Returns what a task gives, once the CPU's kernel has given the same: the residue, or the value's parts and the
  // bound on magnitudes.
  std::vector<DoubleDouble> sum(std::uint64_t task) {
    const gpu::PairFrame& frame = kernel_.frame;
    std::vector<double> given(kernel().out_bytes / sizeof(double));
    host_gpu::Launch(1, kernel().threads, kernel().shared_bytes, [&] {
      kernel_of(kernel().name)(frame, matrices_.data(), moduli_.data(), task, scratch_.data(), given.data());
    }).run();
    const auto& kernels = kernels_for<pairs_kernel::Kernels>(detected_isa());
    const std::uint64_t lane = task & ((1U << frame.lane_bits) - 1), k = prime_of(task);
    const std::uint64_t piece = (task >> frame.lane_bits) / primes_.size();
    const pairs_kernel::Piece path{piece | lane << frame.path_bits, frame.path_bits + frame.lane_bits,
                                   pairs_kernel::log2_lanes};
    if (numbers_.is_residue) {
      const auto residue = [&](double value) {
        return static_cast<double>(residue_of(static_cast<std::int64_t>(value), primes_[k]));
      };
      REQUIRE(residue(given[0]) == residue(by_cpu(kernels.residue, problems_[k], path, 1)[0].hi));
      return {residue(given[0])};
    }
    const auto of_kind = numbers_.is_complex ? (numbers_.is_double ? kernels.complex : kernels.complex_double)
                                             : (numbers_.is_double ? kernels.real : kernels.double_double);
    const std::size_t components = numbers_.components();
    const std::vector<DoubleDouble> cpu = by_cpu(of_kind, problems_[0], path, components);
    const double magnitude = by_cpu(kernels.magnitude, bounding_, path, 1)[0].hi;
    REQUIRE(std::fabs(given[components] / magnitude - 1) < 1e-12);
    std::vector<DoubleDouble> parts;
    for (std::size_t c = 0; c < components; c += numbers_.parts()) {
      const auto whole = [&](const auto& of) { return numbers_.is_double ? of[c] : DoubleDouble(of[c]) + of[c + 1]; };
      parts.push_back(whole(given));
      REQUIRE(std::fabs((parts.back() - whole(cpu)).hi) <= error(magnitude));
    }
    parts.emplace_back(magnitude);
    return parts;
  }

 private:
  Numbers numbers_;
  int num_pairs_;
  double point_ = 0;
  Given all_, bounds_;
  std::vector<std::uint64_t> primes_;
  std::vector<pairs_kernel::Problem> problems_;
  pairs_kernel::Problem bounding_;
  gpu::PairKernel kernel_;
  std::vector<double> matrices_, scratch_;
  std::vector<gpu::PairModulus> moduli_;
};

// Residues, reals, complex numbers, and these in double-doubles.
Numbers numbers_of(int kind) { return {kind == 0, kind == 2 || kind == 4, kind < 3}; }

double log2_error_of(const Value& value) {
  const auto* const real = std::get_if<RealValue>(&value);
  return real ? real->log2_error : std::get<ComplexValue>(value).log2_error;
}

}  // namespace

TEST_CASE("the kernels' text sums up to hafnians and loop hafnians of 13 to 24 vertices, in all numbers") {
  Random random(seed, 1);
  std::map<std::string, int> runs;
  int telling = 0;  // of 32 sums of rounded numbers, whose bounds are below what they are
  for (int instance = 0; instance < 40; ++instance) {
    const int num_pairs = std::array{7, 9, 11, 12}[static_cast<std::size_t>(instance / 10)];
    const bool has_loops = instance % 2 != 0;
    const Numbers numbers = numbers_of(instance / 2 % 5);
    const auto vertices = static_cast<Vertex>(2 * num_pairs) - (has_loops ? static_cast<Vertex>(random.below(2)) : 0);
    const UndirectedGraph graph = random_weighted(vertices, random);
    const auto loops = has_loops ? random_loops(vertices, random) : std::vector<std::int64_t>();
    OnHost text(graph, loops, numbers, static_cast<int>(random.below(static_cast<std::uint64_t>(num_pairs - 6))));
    CAPTURE(seed, instance, vertices, text.kernel().name, text.num_tasks());
    ++runs[text.kernel().name];
    std::vector<std::uint64_t> residues(text.primes().size());
    std::vector<DoubleDouble> total(numbers.is_complex ? 3 : 2);
    for (std::uint64_t task = 0; task < text.num_tasks(); ++task) {
      const std::vector<DoubleDouble> sum = text.sum(task);
      for (std::size_t i = 0; i < sum.size(); ++i) total[i] += sum[i];
      const std::size_t k = text.prime_of(task);
      if (numbers.is_residue) residues[k] = (residues[k] + static_cast<std::uint64_t>(sum[0].hi)) % text.primes()[k];
    }
    const Integer truth = by_frontier(graph, loops);
    if (numbers.is_residue) {
      REQUIRE(chinese_remainder(residues, text.primes()) == truth);
      continue;
    }
    // u to the number of vertices.
    DoubleDouble re = nearest_real(truth).mantissa, im = 0;
    const auto exponent = static_cast<int>(nearest_real(truth).exponent);
    if (!numbers.is_double) re += re * DoubleDouble(vertices * Numbers::tiny);
    for (Vertex v = 0; numbers.is_complex && v < vertices; ++v) std::tie(re, im) = std::pair(re - im, re + im);
    const double error = text.error(total.back());
    CHECK(std::fabs((total[0] - ldexp(re, exponent)).hi) <= error);
    if (numbers.is_complex) CHECK(std::fabs((total[1] - ldexp(im, exponent)).hi) <= error);
    telling += error < 1e-4 * std::ldexp(std::hypot(re.hi, im.hi), exponent);
  }
  CHECK(runs.size() == 14);
  CHECK(telling > 26);
}

TEST_CASE("tasks of the kernels' text are the CPU's, of 25 to 80 vertices, however many lines are copied") {
  Random random(seed, 3);
  constexpr Vertex most[] = {80, 80, 80, 64, 38};  // by kind, for the sake of time
  for (int kind = 0; kind < 5; ++kind) {
    for (const Vertex vertices : {Vertex{25}, Vertex{32}, most[kind]}) {
      const int path_bits = static_cast<int>((vertices + 1) / 2) - 7 - static_cast<int>(random.below(3));
      const UndirectedGraph graph = random_weighted(vertices, random);
      for (const bool has_loops : {false, true}) {
        if (vertices % 2 != 0 && !has_loops) continue;
        OnHost text(graph, has_loops ? random_loops(vertices, random) : std::vector<std::int64_t>(), numbers_of(kind),
                    path_bits);
        CAPTURE(seed, vertices, text.kernel().name, path_bits);
        text.sum(random.below(text.num_tasks()));
      }
    }
  }
}

TEST_CASE("a GPU sums over pairs as a CPU does, and either goes on with what the other has done", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices.front());
  Random random(seed, 2);
  const RunOptions options{.num_threads = 8};
  for (Vertex vertices = 13; vertices <= 44; vertices += vertices < 24 ? 1 : 5) {
    const UndirectedGraph graph = random_weighted(vertices, random);
    const std::vector<std::int64_t> loops = random_loops(vertices, random);
    std::vector<matchcount::GaussianInteger> edges, left_out;
    for (const std::int64_t weight : integers_of(graph)) edges.push_back({weight, 0});
    for (const std::int64_t weight : loops) left_out.push_back({weight, 0});
    // Complex ones with u = 1 + i, as above.
    const auto entries = [](const std::vector<std::int64_t>& weights, int turns) {
      std::vector<ComplexEntry> result;
      for (const std::int64_t weight : weights) {
        const auto w = static_cast<double>(weight) / 3;
        result.push_back({{turns == 2 ? 0 : w, turns == 0 ? 0 : turns * w}, std::fabs(w) * 2});
      }
      return result;
    };
    const auto sum = [&](int kind, const RunContext& run, const std::vector<DeviceInfo>& gpus) -> Value {
      const Precision precision = kind % 2 != 0 ? Precision::float64 : Precision::double_double;
      const bool is_real = kind < 3;
      const std::vector<ComplexEntry> by_edge = entries(integers_of(graph), is_real ? 0 : 2);
      if (kind == 0) return matchings_by_pairs(graph, edges, left_out, run, gpus).re;
      if (kind < 5)
        return matchings_by_pairs(graph, by_edge, entries(loops, is_real ? 0 : 1), is_real, precision, run, gpus);
      if (kind == 5) return hafnian_by_pairs({graph.pattern(), integers_of(graph)}, run, gpus);
      if (kind > 7) return hafnian_by_pairs(GraphBlock<ComplexEntry>{graph.pattern(), by_edge}, precision, run, gpus);
      std::vector<RealEntry> reals;
      for (const std::int64_t weight : integers_of(graph))
        reals.push_back({static_cast<double>(weight) / 3, std::fabs(static_cast<double>(weight))});
      return hafnian_by_pairs(GraphBlock<RealEntry>{graph.pattern(), reals}, precision, run, gpus);
    };
    for (int kind = 0; kind < (vertices % 2 == 0 ? 10 : 5); ++kind) {
      CAPTURE(seed, vertices, kind);
      const bool is_slow = kind % 5 != 0 && vertices > 40;
      if (is_slow) continue;
      const Value truth = sum(kind, RunContext(options), {});
      const auto check = [&](const Value& value) {
        if (kind % 5 == 0) {
          REQUIRE(std::get<Integer>(value) == std::get<Integer>(truth));
          return;
        }
        REQUIRE(agree(value, truth));
        CHECK(std::fabs(log2_error_of(value) - log2_error_of(truth)) < 1e-6);
      };
      check(sum(kind, RunContext(options), {found.devices.front()}));
      if (vertices < 39) continue;
      const Folder folder;
      const CheckpointOptions file{.file = folder.path() / "c", .resume = true, .program = "tests"};
      std::optional<Value> resumed;
      int runs = 0;
      for (; !resumed && runs < 100; ++runs) {
        Checkpoint checkpoint(file);
        ShortWork work(&checkpoint, runs == 0 ? 2 : 1 << runs);
        const RunContext run = RunContext(options, &work).in_part("block 1");
        try {
          resumed = sum(kind, run, runs % 2 == 0 ? std::vector<DeviceInfo>() : found.devices);
        } catch (const Cancelled&) {
          checkpoint.write();
        }
      }
      REQUIRE(resumed);
      check(*resumed);
      CHECK(runs > 1);
    }
  }
}

TEST_CASE("sums and hafnians of all numbers take a GPU that is asked for, and few vertices the CPU", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  Random random(seed, 4);
  std::vector<Edge> edges = random_graph(30, 0.8, random).edges();
  for (const Edge& edge : {Edge{30, 31}, Edge{30, 32}, Edge{31, 32}}) edges.push_back(edge);
  const UndirectedGraph graph = with_integers(UndirectedGraph::from_edges(33, edges), 1, 4, random);
  const std::vector<std::int64_t> loops = random_loops(33, random);
  MatchingOptions options{
      .kind = MatchingKind::all,
      .weighted = true,
      .loops = Weights(loops),
      .count = {.method = Method::power_traces, .run = {.device = {.kind = DeviceChoice::Kind::cuda}}}};
  const MatchingResult sum = count_matchings(graph, options);
  CHECK(std::get<Integer>(sum.run.value) == by_frontier(graph, loops));
  CHECK(sum.run.gpus.size() == found.devices.size());

  std::vector<Vertex> dense(30);
  for (Vertex v = 0; v < 30; ++v) dense[v] = v;
  const UndirectedGraph block = graph.induced(dense);
  for (const bool is_real : {true, false}) {
    const std::size_t size = block.num_edges();
    const UndirectedGraph weighted = is_real ? block.with_weights(std::vector<DoubleDouble>(size, 0.3))
                                             : block.with_weights(std::vector<ComplexDoubleDouble>(size, {0.3, -0.1}));
    const Result on_gpu = hafnian(weighted, options.count);
    CHECK(!on_gpu.gpus.empty());
    CHECK(agree(on_gpu.value, hafnian(weighted, {.method = Method::frontier}).value));
  }
}
