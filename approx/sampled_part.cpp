// A draw is a population of guided samples, since what falls behind is replaced while it is drawn. A share of an edge
// in a draw is a number in [0, 1]; the estimate of its probability is the ratio of the sums of w f and of w, whose
// variance is that of w (f - p) over the square of the mean of w (the delta method). Intervals are Wilson's for as many
// fair draws as have this variance: they stay within [0, 1] and hold the truth as often as they say for edges that are
// rare as well, where p plus or minus so many deviations does not.

#include "approx/sampled_part.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "approx/bethe.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/work.hpp"
#include "graph/vertices.hpp"

namespace matchcount {
namespace {

constexpr int rounds_of_beliefs = 1000;  // of belief propagation, as estimates have
constexpr double uneven_edges = 0x1p-60;
// Weights within 10^-1.5 to 10^1.5 were tested: 95 % of the intervals hold of random matrices of 20 rows and density
// 0.4. Beyond, no heavy tail shows, and 91 % hold (4000 matchings, 24 runs each).
constexpr double tested_share_of_weight = 0.999e-3;
constexpr double enough_effective = 50;
// Estimates have the same threshold (approx/estimate.cpp).
constexpr double believable_tail = 0.7;
// If a few particles of a stage outweigh the others, others like them may have been missed: a floor of 0.2 and the
// tail index leave 95 to 97 % of the intervals that hold in weighted grids of 10 x 10 (weights 10^-2 to 10^2: of 24
// runs 5 have no warning, and all at 10^-1 to 10^1), of which 87.5 % do without; the 24 x 24 grid and the cube of side
// 6 have 0.67 and 0.73 without weights.
constexpr double believable_share = 0.2;
constexpr std::uint64_t populations_to_compare = 32, least_population = 16;

struct PartTimeOver {};

Problem guided_problem(const PartPattern& pattern, const std::vector<double>& weights, const RunContext& run) {
  std::vector<RealEntry> entries;
  for (const double weight : weights) entries.push_back({weight, weight});
  Problem problem = std::visit(
      [&](const auto& graph) {
        return make_problem(graph, guiding_weights(graph, entries, false, run).first, maximum_matching(graph, run));
      },
      pattern);
  propagate(problem, rounds_of_beliefs, run, guiding_share);
  return problem;
}

std::vector<std::uint32_t> edges_of_slots(const PartPattern& pattern) {
  std::vector<std::uint32_t> edges;
  const auto add = [&](Vertex, EdgeId edge) { edges.push_back(static_cast<std::uint32_t>(edge)); };
  std::visit(
      [&](const auto& graph) {
        for (Vertex v = 0; v < num_vertices(graph); ++v) for_each_neighbour(graph, v, add);
      },
      pattern);
  return edges;
}

std::vector<SampleSums> stages_of(const Sampler& sampler, std::size_t particles) {
  const std::span<const double> increments = sampler.log_increments();
  std::vector<SampleSums> stages(increments.size() / particles);
  for (std::size_t i = 0; i < increments.size(); ++i) stages[i / particles].add(increments[i]);
  return stages;
}

constexpr const char* no_matching_drawn = "all walks ran into dead ends: no matching was drawn";

}  // namespace

// ---- Sums.

void EdgeSums::scale(double factor) {
  for (double& value : weight) value *= factor;
  for (double& value : first) value *= factor * factor;
  for (double& value : second) value *= factor * factor;
}

void EdgeSums::add(double log_weight, const std::vector<double>& shares, std::span<const SampleSums> of_stages) {
  if (log_weight == -infinity) return draws.add(log_weight);
  largest.add(std::span(&log_weight, 1));
  stages.resize(of_stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) stages[s].add(of_stages[s]);
  if (log_weight > draws.log_largest) scale(std::exp(draws.log_largest - log_weight));
  draws.add(log_weight);
  const double w = std::exp(log_weight - draws.log_largest);
  for (std::size_t e = 0; e < shares.size(); ++e) {
    weight[e] += w * shares[e];
    first[e] += w * w * shares[e];
    second[e] += w * w * shares[e] * shares[e];
  }
}

void EdgeSums::add(const EdgeSums& other) {
  if (weight.empty()) *this = EdgeSums(other.weight.size());
  if (other.draws.sum1 == 0) return draws.add(other.draws);
  if (other.draws.log_largest > draws.log_largest) scale(std::exp(draws.log_largest - other.draws.log_largest));
  draws.add(other.draws);
  const double factor = std::exp(other.draws.log_largest - draws.log_largest);
  for (std::size_t e = 0; e < weight.size(); ++e) {
    weight[e] += factor * other.weight[e];
    first[e] += factor * factor * other.first[e];
    second[e] += factor * factor * other.second[e];
  }
  largest.add(other.largest);
  stages.resize(std::max(stages.size(), other.stages.size()));
  for (std::size_t s = 0; s < other.stages.size(); ++s) stages[s].add(other.stages[s]);
}

double EdgeSums::probability(std::size_t edge) const { return std::clamp(weight[edge] / draws.sum1, 0.0, 1.0); }

double EdgeSums::effective_draws(std::size_t edge) const {
  const double p = probability(edge), n = static_cast<double>(draws.count);
  const double spread = second[edge] - 2 * p * first[edge] + p * p * draws.sum2;
  const double variance = spread / (draws.sum1 * draws.sum1) * n / (n - 1);
  // Shares that differ by rounding alone tell nothing about a variance.
  constexpr double rounding = 1e-12;
  if (!(spread > rounding * draws.sum2)) return draws.effective_samples();
  return p * (1 - p) / variance;
}

double EdgeSums::effective_draws() const {
  const double n = static_cast<double>(draws.count);
  double fair = 0, found = 0;
  for (std::size_t e = 0; e < weight.size(); ++e) {
    const double p = probability(e);
    fair += p * (1 - p);
    found += second[e] - 2 * p * first[e] + p * p * draws.sum2;
  }
  if (!(found > 0) || draws.count < 2) return infinity;
  return fair / found * (n - 1) / n * draws.sum1 * draws.sum1;
}

double EdgeSums::least_effective_share() const {
  double least = 1;
  for (const SampleSums& stage : stages)
    least = std::min(least, stage.effective_samples() / static_cast<double>(stage.count));
  return least;
}

ProbabilityInterval wilson_interval(double share, double draws, double quantile) {
  const double n = std::max(1.0, draws), z2 = quantile * quantile;
  const double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double reach = quantile / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return {std::clamp(middle - reach, 0.0, share), std::clamp(middle + reach, share, 1.0)};
}

// ---- Draws.

SampledPart::SampledPart(const PartPattern& pattern, const std::vector<double>& weights, std::uint64_t seed,
                         std::uint64_t matchings, const RunContext& run)
    : chosen_(std::make_unique<BlockSampler>(guided_problem(pattern, weights, run), seed)),
      seed_(seed),
      num_edges_(weights.size()),
      edge_of_slot_(edges_of_slots(pattern)),
      sums_(weights.size()) {
  const auto [least, greatest] = std::ranges::minmax(weights);
  least_share_of_weight_ = least / greatest;
  EstimateOptions asked;  // without limits, so that these do not show
  asked.method = Estimator::population;
  chosen_->choose(asked, infinity, run);
  options_ = options_for(matchings);
}

std::uint64_t SampledPart::matchings_of(const SampleOptions& options) {
  return options.estimator == Estimator::population ? static_cast<std::uint64_t>(options.population) : 1;
}

SampleOptions SampledPart::options_for(std::uint64_t matchings) const {
  SampleOptions options = chosen_->options();
  options.doubles = false;  // copies would have their first edges in common
  if (matchings == 0) return options;
  const std::uint64_t most = std::max<std::uint64_t>(least_population, matchings / populations_to_compare);
  options.population = static_cast<int>(std::min(static_cast<std::uint64_t>(options.population), most));
  return options;
}

double SampledPart::bytes(int threads) const {
  const double sums = 32.0 * static_cast<double>(num_edges_);
  const double partners = 4.0 * static_cast<double>(matchings_a_draw()) * chosen_->problem().num_vertices();
  return threads * (chosen_->bytes() + partners + 2 * sums) + 2 * sums;
}

double SampledPart::population_bytes(std::uint64_t matchings) const {
  return static_cast<double>(matchings) * (4.0 * static_cast<double>(matching_size()) + 9.0);
}

double SampledPart::effective_draws() const {
  return std::min(sums_.draws.effective_samples() * static_cast<double>(matchings_a_draw()), sums_.effective_draws());
}

double SampledPart::effective_draws(std::size_t edge) const {
  const double by_weights = sums_.draws.effective_samples() * static_cast<double>(matchings_a_draw());
  return std::min(by_weights, sums_.effective_draws(edge));
}

std::string SampledPart::warning(const EdgeSums& sums, double effective) const {
  char text[240];
  if (least_share_of_weight_ < uneven_edges)
    return "weights differ by more than 2^60: matchings that were not drawn may outweigh all that were";
  if (effective < enough_effective) {
    std::snprintf(
        text, sizeof text,
        "the weights of the matchings drawn are too uneven to be believed: they are worth %.3g of equal weight",
        effective);
    return text;
  }
  const double tail = sums.largest.tail_index(), share = sums.least_effective_share();
  if (tail <= believable_tail && share >= believable_share) {
    if (least_share_of_weight_ >= tested_share_of_weight) return {};
    return "weights differ by more than 1000 times: of the 95 % intervals of such graphs 91 % have held";
  }
  std::snprintf(text, sizeof text,
                "the weights of the matchings drawn are too heavy-tailed to be believed (tail index %.2f; at one stage "
                "%.2g %% of them were effective): matchings that were not drawn may outweigh all that were",
                tail, 100 * share);
  return text;
}

std::uint32_t SampledPart::edge_between(std::uint32_t vertex, std::uint32_t partner) const {
  const Problem& problem = chosen_->problem();
  const auto begin = problem.target.begin() + problem.offset[vertex],
             end = problem.target.begin() + problem.offset[vertex + 1];
  return edge_of_slot_[static_cast<std::size_t>(std::lower_bound(begin, end, partner) - problem.target.begin())];
}

void SampledPart::draw_chunk(Sampler& sampler, std::uint64_t begin, std::uint64_t end,
                             const std::function<void()>& poll, EdgeSums& sums) const {
  const std::uint32_t n = chosen_->problem().num_vertices();
  std::vector<double> weight, shares(num_edges_);
  std::vector<std::uint32_t> partners;
  for (std::uint64_t i = begin; i < end; ++i) {
    const double log_weight = sampler.log_sample(seed_, i, poll);
    sampler.take_matchings(weight, partners);
    std::ranges::fill(shares, 0.0);
    for (std::size_t k = 0; k < weight.size(); ++k) {
      for (std::uint32_t v = 0; v < n; ++v) {
        const std::uint32_t partner = partners[k * n + v];
        if (v < partner) shares[edge_between(v, partner)] += weight[k];
      }
    }
    sums.add(log_weight, shares, stages_of(sampler, weight.size()));
  }
}

void SampledPart::draw(std::uint64_t total, const RunContext& run, const std::function<bool()>& over) {
  const std::uint64_t first = sums_.draws.count, size = chosen_->samples_a_chunk();
  if (total <= first) return;
  Job job;
  job.name = run.part() + ", draws " + std::to_string(first) + " to " + std::to_string(total - 1);
  job.description = std::string(to_string(method())) + " of " + std::to_string(matchings_a_draw()) + ", " +
                    std::to_string(size) + " draws a chunk";
  job.num_pieces = (total - first + size - 1) / size;
  job.merge = added_records<EdgeSums>;
  const auto poll = [&] {
    if (over()) throw PartTimeOver{};
  };
  const int threads =
      static_cast<int>(std::min<std::uint64_t>(job.num_pieces, static_cast<std::uint64_t>(run.num_threads())));
  std::vector<std::unique_ptr<Sampler>> samplers(static_cast<std::size_t>(threads));
  const auto execute = [&](Pieces& pieces) {
    parallel_until(threads, [&](int thread) {
      if (over()) return false;
      const auto chunk = pieces.take();
      if (!chunk) return false;
      auto& sampler = samplers[static_cast<std::size_t>(thread)];
      if (!sampler) sampler = Sampler::make(chosen_->problem(), options_);
      EdgeSums sums(num_edges_);
      try {
        draw_chunk(*sampler, first + *chunk * size, std::min(total, first + (*chunk + 1) * size), poll, sums);
      } catch (const PartTimeOver&) {
        return false;
      }
      pieces.give(*chunk, to_bytes(sums));
      return true;
    });
  };
  const auto done = run_job(job, run, execute).prefix();
  if (done.num_pieces == 0) return;
  sums_.add(from_bytes<EdgeSums>(done.record));
  if (sums_.draws.sum1 == 0) throw Unable(no_matching_drawn);
}

// ---- Populations.

void SampledPart::make_population(std::uint64_t matchings, const RunContext& run) {
  const SampleOptions options = options_for(matchings);
  const std::uint64_t each = matchings_of(options), draws = (matchings + each - 1) / each;
  const std::uint32_t n = chosen_->problem().num_vertices();
  const std::size_t size = matching_size();
  std::vector<double> log_weight(draws), share(draws * each);
  std::vector<std::vector<SampleSums>> stages(draws);
  edges_.resize(draws * each * size);
  std::vector<std::unique_ptr<Sampler>> samplers(static_cast<std::size_t>(run.num_threads()));
  parallel_for_chunks(run.num_threads(), draws, [&](std::uint64_t i, int thread) {
    auto& sampler = samplers[static_cast<std::size_t>(thread)];
    if (!sampler) sampler = Sampler::make(chosen_->problem(), options);
    std::vector<double> weight;
    std::vector<std::uint32_t> partners;
    log_weight[i] = sampler->log_sample(seed_, i, [&] { run.check(); });
    sampler->take_matchings(weight, partners);
    stages[i] = stages_of(*sampler, each);
    for (std::uint64_t k = 0; k < each; ++k) {
      share[i * each + k] = weight[k];
      std::size_t at = (i * each + k) * size;
      for (std::uint32_t v = 0; v < n; ++v) {
        const std::uint32_t partner = partners[k * n + v];
        if (v < partner) edges_[at++] = edge_between(v, partner);
      }
    }
  });
  const double top = std::ranges::max(log_weight);
  if (top == -infinity) throw Unable(no_matching_drawn);
  double sum = 0;
  for (std::uint64_t i = 0; i < share.size(); ++i) {
    sum += std::exp(log_weight[i / each] - top) * share[i];
    cumulative_.push_back(sum);
  }
  population_sums_ = EdgeSums(num_edges_);
  std::vector<double> shares(num_edges_);
  for (std::uint64_t i = 0; i < draws; ++i) {
    std::ranges::fill(shares, 0.0);
    for (std::size_t at = i * each * size; at < (i + 1) * each * size; ++at) shares[edges_[at]] += share[at / size];
    population_sums_.add(log_weight[i], shares, stages[i]);
  }
  is_taken_.assign(cumulative_.size(), false);
}

double SampledPart::weight_of(std::size_t index) const {
  return cumulative_[index] - (index == 0 ? 0 : cumulative_[index - 1]);
}

double SampledPart::effective() const {
  double squares = 0;
  for (std::size_t i = 0; i < cumulative_.size(); ++i) squares += weight_of(i) * weight_of(i);
  return std::min(cumulative_.back() * cumulative_.back() / squares, population_sums_.effective_draws());
}

double SampledPart::largest_share() const {
  double largest = 0;
  for (std::size_t i = 0; i < cumulative_.size(); ++i) largest = std::max(largest, weight_of(i));
  return largest / cumulative_.back();
}

std::span<const std::uint32_t> SampledPart::take(double uniform) {
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), uniform * cumulative_.back());
  const auto index = std::min(static_cast<std::size_t>(found - cumulative_.begin()), cumulative_.size() - 1);
  ++num_taken_;
  num_distinct_ += is_taken_[index] ? 0 : 1;
  is_taken_[index] = true;
  return {edges_.data() + index * matching_size(), matching_size()};
}

}  // namespace matchcount
