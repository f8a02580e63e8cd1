// The graph falls into parts as it does for exact answers (permanent/engine/distribution.cpp), the small ones are left
// to those, and the others are sampled. Parts are independent, so that an edge's probability is that in its part, and a
// sample is one of each part.

#include "approx/estimated_distribution.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "approx/sampled_part.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "core/work.hpp"
#include "graph/weights.hpp"
#include "permanent/engine/distribution.hpp"
#include "permanent/engine/limits.hpp"

namespace matchcount {
namespace {

// The first look at the intervals is taken after so many draws.
constexpr std::uint64_t first_draws = 64;
constexpr std::uint64_t choice_seed = 0x5851f42d4c957f2d;  // of a sample's choice, beside those of draws

const DistributionEstimateOptions& checked(const DistributionEstimateOptions& options) {
  const auto require = [](bool holds, const std::string& found, const std::string& expected) {
    if (!holds) throw InputError(found, expected);
  };
  require(options.confidence > 0 && 0.5 + options.confidence / 2 < 1,
          "confidence " + std::to_string(options.confidence), "a confidence between 0 and 1, such as 0.95");
  require(options.samples != 1, "1 sample", "2 or more");
  require(options.absolute_error > 0 && options.absolute_error < 1,
          "an absolute error of " + std::to_string(options.absolute_error), "one between 0 and 1, such as 0.01");
  require(options.population >= 2, "a population of " + std::to_string(options.population), "2 or more");
  return options;
}

// Returns by EdgeId the weights of the edges that are not 0.
std::vector<double> weights_of(const Entries& entries) {
  std::vector<double> result;
  std::visit(
      [&](const auto& all) {
        using Entry = typename std::decay_t<decltype(all)>::value_type;
        if constexpr (std::is_same_v<Entry, ComplexEntry>)
          throw InputError("complex weights", "real weights that are not negative");
        for (const Entry& entry : all) {
          if constexpr (requires { entry.value.hi; }) {
            result.push_back(entry.value.hi);
          } else if constexpr (std::is_same_v<Entry, std::int64_t>) {
            result.push_back(static_cast<double>(entry));
          }
          if (result.back() < 0)
            throw InputError("the negative weight " + std::to_string(result.back()), "weights that are not negative");
        }
      },
      entries);
  return result;
}

// Edges in this order, by EdgeId of the covered graph.
Weights weights_of(const Entries& entries, const std::vector<EdgeId>& edges) {
  return std::visit(
      [&](const auto& all) -> Weights {
        using Entry = typename std::decay_t<decltype(all)>::value_type;
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          std::vector<std::int64_t> mine;
          for (const EdgeId edge : edges) mine.push_back(all[edge]);
          return mine;
        } else {
          std::vector<decltype(Entry::value)> mine;
          for (const EdgeId edge : edges) mine.push_back(all[edge].value);
          return mine;
        }
      },
      entries);
}

// Matchings that saturate the smaller side are perfect ones of a graph with new vertices there, which are joined to all
// of the larger side: each is completed in as many ways as the others.
struct Squared {
  BipartiteGraph graph;
  std::vector<EdgeId> given;  // by EdgeId: of the graph that was given, or no_edge; empty: the same
  std::size_t left_alone = 0;
};

Squared squared(const BipartiteGraph& graph, const DistributionEstimateOptions& options) {
  const Vertex rows = graph.num_rows(), columns = graph.num_columns(), size = std::max(rows, columns);
  const bool is_perfect = options.matchings == MatchingKind::perfect;
  if (!is_perfect && options.matchings != MatchingKind::saturating)
    throw InputError("estimates of single matchings that are " + std::string(to_string(options.matchings)),
                     "perfect or saturating ones");
  if (is_perfect || rows == columns) return {graph, {}, 0};
  constexpr double bytes_of_edge = 100;
  require_memory("edges to all of the larger side",
                 bytes_of_edge * (static_cast<double>(size) * size - static_cast<double>(rows) * columns),
                 RunContext(options.run));
  std::vector<Edge> edges = graph.edges();
  for (Vertex row = 0; row < size; ++row) {
    for (Vertex column = row < rows ? columns : 0; column < size; ++column) edges.push_back({row, column});
  }
  Squared result{BipartiteGraph::from_edges(size, size, std::move(edges)), {}, size - std::min(rows, columns)};
  EdgeId next = 0;  // edges are numbered by rows and columns in either
  for (const Edge& edge : result.graph.edges())
    result.given.push_back(edge.row < rows && edge.column < columns ? next++ : no_edge);
  visit_values(graph.weights(), [&](const auto& values) {
    std::decay_t<decltype(values)> all;
    for (const EdgeId id : result.given)
      all.push_back(id == no_edge ? typename std::decay_t<decltype(values)>::value_type(1) : values[id]);
    result.graph = result.graph.with_weights(std::move(all));
  });
  return result;
}

const UndirectedGraph& squared(const UndirectedGraph& graph, const DistributionEstimateOptions& options) {
  if (options.matchings != MatchingKind::perfect)
    throw InputError("estimates of single matchings of a graph without sides that are not perfect", "perfect ones");
  return graph;
}

Vertex num_pairs(const BipartiteGraph& graph) { return graph.num_rows(); }
Vertex num_pairs(const UndirectedGraph& graph) { return graph.num_vertices() / 2; }

}  // namespace

struct EstimatedDistribution::State {
  // One or the other.
  struct Part {
    std::vector<EdgeId> edges;  // by edge of the part: of the graph that was given
    std::unique_ptr<Distribution> exact;
    std::optional<SampledPart> sampled;
    std::uint64_t seed = 0;
  };

  State(Squared graph, const DistributionEstimateOptions& how, Work* work) : State(graph.graph, how, work) {
    given = std::move(graph.given);
    left_alone = graph.left_alone;
    if (!given.empty() && !covered.has_perfect_matching()) throw Unable("no matching saturates the smaller side");
  }
  template <class Graph>
  State(const Graph& graph, const DistributionEstimateOptions& how, Work* work)
      : options(checked(how)), run(resolved(how.run), work), covered(&graph, run) {
    const std::vector<double> weights = weights_of(covered.entries);
    if (work != nullptr) identify(graph, weights);
    for (const CoveredPart& part : covered.parts.parts) add(part, weights);
  }

  template <class Graph>
  void identify(const Graph& graph, const std::vector<double>& weights) {
    Hash hash;
    hash.add_all(graph.edges());
    hash.add_all(covered.given_edge);
    hash.add_all(weights);
    run.work()->identify({{"input", hash.hex()},
                          {"seed", std::to_string(options.run.seed)},
                          {"samples", std::to_string(options.samples)},
                          {"absolute error", std::to_string(options.absolute_error)},
                          {"confidence", std::to_string(options.confidence)},
                          {"exact parts", "of at most " + std::to_string(options.exact_rows) + " rows"}});
  }

  void add(const CoveredPart& part, const std::vector<double>& weights) {
    Part mine;
    for (const EdgeId edge : part.edges) mine.edges.push_back(covered.given_edge[edge]);
    mine.seed = parts.empty() ? options.run.seed : Random(options.run.seed, ~std::uint64_t{parts.size()})();
    std::visit(
        [&](const auto& pattern) {
          if (num_pairs(pattern) <= options.exact_rows) {
            DistributionOptions how;
            how.run = what_is_left(run);
            how.run.seed = mine.seed;
            const auto graph = pattern.with_weights(weights_of(covered.entries, part.edges));
            mine.exact = std::make_unique<Distribution>(&graph, how);
          } else {
            std::vector<double> of_part;
            for (const EdgeId edge : part.edges) of_part.push_back(weights[edge]);
            mine.sampled.emplace(part.pattern, of_part, mine.seed, options.samples, run);
          }
        },
        part.pattern);
    parts.push_back(std::move(mine));
  }

  void require_matching() const {
    if (!covered.has_perfect_matching()) throw Unable("there is no perfect matching to be drawn");
  }
  // ---- Marginals.

  bool stopped() const { return options.run.stop.stop_requested(); }
  bool over() const { return stopped() || run.seconds_left() <= 0; }

  double quantile(const SampledPart& part) const {
    return student_quantile(0.5 + options.confidence / 2, std::max(1.0, part.sums().draws.effective_samples() - 1));
  }
  double widest_arm(const SampledPart& part) const {
    const double z = quantile(part);
    double widest = 0;
    for (std::size_t e = 0; e < part.num_edges(); ++e) {
      const double p = part.sums().probability(e);
      const ProbabilityInterval interval = wilson_interval(p, part.effective_draws(e), z);
      widest = std::max({widest, p - interval.low, interval.high - p});
    }
    return widest;
  }

  // Draws in turns, so that no part takes the time of the others.
  void draw(EstimatedMarginals& result) {
    double bytes = 0;
    for (const Part& part : parts) bytes = std::max(bytes, part.sampled ? part.sampled->bytes(run.num_threads()) : 0);
    require_memory("the samplers of all threads", bytes, run);
    std::vector<bool> is_done(parts.size(), false);
    const auto finish = [&](SampledPart& part, std::uint64_t total, std::size_t i) {
      const std::uint64_t each = part.matchings_a_draw();
      const std::uint64_t wanted = std::max<std::uint64_t>(2, (options.samples + each - 1) / each);
      const std::uint64_t until = options.samples > 0 ? std::min(total, wanted) : total;
      part.draw(until, run.in_part("part " + std::to_string(i + 1)), [&] { return over(); });
      if (part.sums().draws.count < until) {
        if (part.sums().draws.count < 2 && stopped()) throw Cancelled("cancelled before there were two samples");
        if (part.sums().draws.count < 2) throw Unable("the time limit was over before there were two samples");
        (stopped() ? result.interrupted : result.out_of_time) = true;
        return true;
      }
      return options.samples > 0 ? until == wanted : widest_arm(part) <= options.absolute_error;
    };
    bool all_done = false;
    for (std::uint64_t total = first_draws; !all_done; total *= 2) {
      all_done = true;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].sampled && !is_done[i]) is_done[i] = finish(*parts[i].sampled, total, i);
        all_done = all_done && (is_done[i] || !parts[i].sampled);
      }
    }
  }

  EstimatedMarginals marginals() {
    require_matching();
    EstimatedMarginals result;
    result.confidence = options.confidence;
    result.edges.resize(covered.num_edges);
    for (const EdgeId edge : covered.parts.forced) result.edges[covered.given_edge[edge]] = {1, 1, 1};
    draw(result);
    for (Part& part : parts) {
      if (part.exact) {
        take_exact(part, result);
      } else {
        take_sampled(part, result);
      }
    }
    std::vector<EstimatedProbability> mine;
    for (EdgeId id = 0; id < given.size(); ++id)
      if (given[id] != no_edge) mine.push_back(result.edges[id]);
    if (!given.empty()) result.edges = std::move(mine);
    return result;
  }

  static void take_exact(Part& part, EstimatedMarginals& result) {
    const Marginals exact = part.exact->marginals();
    for (std::size_t e = 0; e < part.edges.size(); ++e) {
      const auto& [sum, probability, error] = exact.edges[e];
      result.edges[part.edges[e]] = {probability, std::max(0.0, probability - error),
                                     std::min(1.0, probability + error)};
    }
  }

  void take_sampled(const Part& part, EstimatedMarginals& result) const {
    const SampledPart& sampled = *part.sampled;
    const EdgeSums& sums = sampled.sums();
    const double z = quantile(sampled);
    for (std::size_t e = 0; e < part.edges.size(); ++e) {
      const double p = sums.probability(e);
      const ProbabilityInterval interval = wilson_interval(p, sampled.effective_draws(e), z);
      result.edges[part.edges[e]] = {p, interval.low, interval.high};
    }
    const double effective = sampled.effective_draws();
    const std::uint64_t samples = sums.draws.count * sampled.matchings_a_draw();
    if (result.samples == 0 || effective < result.effective_samples) result.effective_samples = effective;
    if (samples > result.samples) {
      result.samples = samples;
      result.method = sampled.method();
    }
    if (result.warning.empty()) result.warning = sampled.warning();
  }

  // ---- Samples.

  void make_populations() {
    require_matching();
    if (is_populated) return;
    double bytes = 0, samplers = 0;
    for (const Part& part : parts) {
      if (!part.sampled) continue;
      bytes += part.sampled->population_bytes(options.population);
      samplers = std::max(samplers, part.sampled->bytes(run.num_threads()));
    }
    require_memory("populations of " + std::to_string(options.population), bytes + samplers, run);
    for (Part& part : parts) {
      if (part.sampled) part.sampled->make_population(options.population, run);
    }
    is_populated = true;
  }

  PopulationReport population() {
    make_populations();
    PopulationReport report;
    for (const Part& part : parts) {
      if (!part.sampled) continue;
      const SampledPart& sampled = *part.sampled;
      const double effective = sampled.effective();
      if (report.population > 0 && effective >= report.effective) continue;
      report = {sampled.population(),    effective,
                sampled.largest_share(), sampled.num_taken(),
                sampled.num_distinct(),  sampled.population_warning()};
    }
    return report;
  }

  double bytes_of_sample() const { return 2.0 * sizeof(EdgeId) * static_cast<double>(covered.matching_size); }

  std::vector<EdgeId> samples(std::uint64_t first, std::size_t count) {
    if (count > 0 && first + (count - 1) < first)
      throw InputError("samples beyond number 2^64 - 1", "numbers below 2^64");
    make_populations();
    require_memory("so many samples at once", bytes_of_sample() * static_cast<double>(count), run);
    std::vector<std::vector<EdgeId>> exact(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].exact) exact[p] = parts[p].exact->samples(first, count);
    }
    std::vector<EdgeId> edges;
    edges.reserve(covered.matching_size * count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = edges.size();
      for (const EdgeId edge : covered.parts.forced) edges.push_back(covered.given_edge[edge]);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        Part& part = parts[p];
        if (part.sampled) {
          const double uniform = Random(part.seed ^ choice_seed, first + i).uniform();
          for (const std::uint32_t edge : part.sampled->take(uniform)) edges.push_back(part.edges[edge]);
        } else {
          const std::size_t size = part.exact->matching_size();
          for (std::size_t e = 0; e < size; ++e) edges.push_back(part.edges[exact[p][i * size + e]]);
        }
      }
      std::sort(edges.begin() + static_cast<std::ptrdiff_t>(begin), edges.end());
    }
    if (given.empty()) return edges;
    for (EdgeId& edge : edges) edge = given[edge];
    std::erase(edges, no_edge);
    return edges;
  }

  DistributionEstimateOptions options;
  RunContext run;
  CoveredGraph covered;
  std::vector<EdgeId> given;  // as Squared has it
  std::size_t left_alone = 0;
  std::vector<Part> parts;
  bool is_populated = false;
};

EstimatedDistribution::EstimatedDistribution(GraphView graph, const DistributionEstimateOptions& options, Work* work)
    : state_(std::visit([&](const auto* of) { return std::make_unique<State>(squared(*of, options), options, work); },
                        graph)) {}
EstimatedDistribution::EstimatedDistribution(EstimatedDistribution&&) noexcept = default;
EstimatedDistribution& EstimatedDistribution::operator=(EstimatedDistribution&&) noexcept = default;
EstimatedDistribution::~EstimatedDistribution() = default;

const std::optional<HallViolator>& EstimatedDistribution::hall_violator() const {
  return state_->covered.plan.hall_violator;
}
const std::optional<TutteSet>& EstimatedDistribution::tutte_set() const { return state_->covered.plan.tutte_set; }
EstimatedMarginals EstimatedDistribution::marginals() { return state_->marginals(); }
std::size_t EstimatedDistribution::matching_size() const { return state_->covered.matching_size - state_->left_alone; }
double EstimatedDistribution::bytes_of_sample() const { return state_->bytes_of_sample(); }
PopulationReport EstimatedDistribution::population() { return state_->population(); }
std::vector<EdgeId> EstimatedDistribution::samples(std::uint64_t first, std::size_t count) {
  return state_->samples(first, count);
}

}  // namespace matchcount
