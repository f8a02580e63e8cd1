// Matchings by size are estimated from one population that is annealed until most of its matchings are as large as they
// can be: each size is told at the stage where it is likeliest.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "approx/cpu/annealing.hpp"
#include "approx/estimated_sizes.hpp"
#include "approx/estimation.hpp"
#include "approx/statistics.hpp"
#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/work.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/matching_parts.hpp"

namespace matchcount {
namespace {

constexpr int usual_particles = 64;
constexpr std::uint64_t first_populations = 16, most_populations = 1 << 16;
constexpr std::uint64_t stages_seed = 0x51ce;

struct SizeSums {
  std::vector<SampleSums> sizes;
  auto fields() { return std::tie(sizes); }
  void add(const SizeSums& other) {
    if (sizes.empty()) sizes.resize(other.sizes.size());
    for (std::size_t k = 0; k < other.sizes.size(); ++k) sizes[k].add(other.sizes[k]);
  }
};

// All parts as one graph, edges divided by what their ends count alone.
struct WholeGraph {
  Problem problem;
  std::uint32_t largest = 0;
  ScaledReal alone{DoubleDouble(1.0), 0};
  double edge_sum = 0;
};
WholeGraph whole_graph(const MatchingParts& parts) {
  WholeGraph result;
  std::vector<Edge> edges;
  std::vector<double> weights;
  Vertex n = 0;
  result.largest = parts.maximum_matching;
  result.alone = nearest_real(parts.isolated.re);
  for (const MatchingPart& part : parts.parts) {
    const UndirectedGraph& graph = part.question.pattern;
    for (EdgeId id = 0; id < graph.num_edges(); ++id) {
      const auto [u, v] = graph.edges()[id];
      const Rational weight = part.weights.edges[id].re / (part.weights.vertices[u].re * part.weights.vertices[v].re);
      edges.push_back({n + u, n + v});
      weights.push_back(nearest_real(weight).to_double());
      result.edge_sum += weights.back();
    }
    for (const GaussianRational& weight : part.weights.vertices) result.alone = result.alone * nearest_real(weight.re);
    n += graph.num_vertices();
  }
  result.problem = make_problem_of_all(UndirectedGraph::from_edges(n, std::move(edges)), weights);
  return result;
}

// Estimates `alone` times the mean of samples.
SizeEstimate estimated_size(const SampleSums& of, const ScaledReal& alone, double confidence) {
  SizeEstimate result;
  result.samples = of.count;
  result.unknown = of.sum1 == 0;
  if (result.unknown) return result;
  const auto n = static_cast<double>(of.count);
  const RelativeInterval interval =
      skewed_interval(of.relative_variance() / n, of.relative_third() / (n * n), n - 1, confidence);
  const double log_mean = of.log_mean();
  const auto exponent = static_cast<std::int64_t>(log_mean / std::numbers::ln2);
  const double mantissa = std::exp(log_mean - static_cast<double>(exponent) * std::numbers::ln2);
  const auto scaled = [&](double factor) { return alone * ScaledReal(DoubleDouble(factor * mantissa), exponent); };
  result.value = scaled(1);
  result.low = scaled(interval.low * (1 - 1e-12));
  result.high = scaled(interval.high * (1 + 1e-12));
  result.relative_error = std::max(interval.high - 1, 1 - interval.low);
  return result;
}

}  // namespace

std::vector<SizeEstimate> estimate_matchings_by_size(GraphView graph, const MatchingOptions& matchings,
                                                     const EstimateOptions& options, Work* work) {
  check(options);
  const bool is_annealing = options.method == Estimator::automatic || options.method == Estimator::annealing;
  if (options.verify || !is_annealing)
    throw InputError(options.verify
                         ? "verify with matchings by size"
                         : "the method " + std::string(to_string(options.method)) + " with matchings by size",
                     "neither: they are estimated by annealing alone");
  if (options.run.device.kind == DeviceChoice::Kind::cuda)
    throw Unable("matchings by size are estimated by annealing, on the CPU alone");
  const int particles = options.population > 0 ? options.population : usual_particles;
  const CountOptions count;
  const Question question = question_of(graph, matchings, MatchingKind::by_size, count);
  const RunContext run(resolved(options.run), work);
  refuse_what_does_not_fit(question);
  const MatchingParts parts = parts_of(question, run);
  if (!are_positive(parts)) throw Unable("matchings by size are estimated where all weights are positive");
  const WholeGraph whole = whole_graph(parts);
  if (run.work()) {
    run.work()->identify({{"input", identity(parts, question)},
                          {"seed", std::to_string(options.run.seed)},
                          {"samples", std::to_string(options.samples)},
                          {"population", std::to_string(particles)}});
  }
  const Problem& problem = whole.problem;
  std::vector<SizeEstimate> result(whole.largest + 1);
  const auto exactly = [&](std::size_t size, const ScaledReal& value) {
    result[size].value = result[size].low = result[size].high = value;
    result[size].exact = true;
  };
  exactly(0, whole.alone);
  if (whole.largest > 0) exactly(1, whole.alone * ScaledReal(DoubleDouble(whole.edge_sum)));
  if (whole.largest < 2) return result;
  require_memory("populations of " + std::to_string(run.num_threads()) + " threads",
                 run.num_threads() * Annealing::bytes(problem, particles), run);
  const auto stages =
      agreed(Annealing::find_stages(problem, whole.largest, 16, options.run.seed ^ stages_seed, [&] { run.check(); }),
             "stages", run);
  SizeSums sums;
  std::uint64_t done = 0;
  for (double worst = infinity; worst > options.relative_error && done < most_populations;) {
    const std::uint64_t wanted = options.samples > 0 ? std::max<std::uint64_t>(options.samples, 2)
                                                     : std::max(first_populations, done + done / 2);
    const double before_s = run.elapsed_s();
    const Job job{"populations " + std::to_string(done) + " to " + std::to_string(wanted - 1),
                  "annealing of " + std::to_string(particles), wanted - done, added_records<SizeSums>};
    SizeSums more =
        from_bytes<SizeSums>(sum_on_threads(run.num_threads(), job, run, [&](std::uint64_t i, double share) {
          run.report("samples", share, 1);
          Annealing population(problem, particles, stages);
          population.log_sample(options.run.seed, done + i, [&] { run.check(); });
          SizeSums of_one;
          for (std::size_t k = 0; k < result.size(); ++k) {
            of_one.sizes.emplace_back();
            of_one.sizes.back().add(population.log_sizes()[k]);
          }
          return to_bytes(of_one);
        }));
    sums.add(more);
    done = wanted;
    worst = 0;
    for (std::size_t k = 2; k < result.size(); ++k) {
      result[k] = estimated_size(sums.sizes[k], whole.alone, options.confidence);
      if (!result[k].unknown) worst = std::max(worst, result[k].relative_error);
    }
    if (options.samples > 0 || 2 * (run.elapsed_s() - before_s) > run.seconds_left()) break;
  }
  return result;
}

}  // namespace matchcount
