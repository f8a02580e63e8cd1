// Particles take the same number of rows, are ranked by value so far times the Bethe approximation of what is left, and
// those that fall behind are replaced. Whatever the ranks, the mean is the permanent; good ranks make it vary little.
//
// Two things make ranks good. Of the vertices of fewest choices the first in breadth-first order is matched, so that on
// grids and their like what is left keeps a short boundary and is much the same in all particles, instead of having
// holes everywhere. And messages are brought up to date three rings around a change. Log variances of a population of
// 64 (40 to 60 of them, so 20 % noise; with an answered share of 1 and a floor of 0.001), at 32 x 32, in the cube of
// side 8, dwt__361 and bcspwr04: 0.10, 0.048, 0.014, 0.093; with the lowest number of fewest choices instead 0.46,
// 0.038, 0.025, 0.086; in breadth-first order without a look at choices 0.11, 0.064, 0.046, 0.42; rows before columns
// 0.34, 0.043, 0.017, 0.068. With one ring, 32 x 32 has 0.65; with 6 0.063 at four times the time, with 10 0.04 at 14
// times.
//
// What was tried and did not pay there: rounds in eight rings around all that changed, once a stage (0.078 instead of
// 0.117 at four times the time); the vertex of least entropy, or of the surest choice (0.16, 0.32).

#include "approx/cpu/population.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "approx/cpu/guided_thread.hpp"
#include "approx/cpu/sampler.hpp"
#include "core/numbers/infinity.hpp"

namespace matchcount {
namespace {

// A population is looked at this often: between stages a particle stays in the cache. At 64 x 64 36 to 128 rows gave
// the same error in the same time, 18 twice the time.
constexpr std::uint32_t rows_a_stage = 32, fewest_stages = 8;
// and resampled where its effective size is below this share. At 32 x 32 0.5 gave 1.5 times the variance of 0.9.
constexpr double least_effective_share = 0.9;
// Searches for a vertex at the rim.
constexpr int searches = 4;

// Between particles a better guide pays, since the particles share what one of them finds out.
struct NearTuning {
  static constexpr int rings = 3;
  static constexpr double tolerance = 0.001;
  static constexpr bool sends_all = true;
  static constexpr bool looks_ahead = true;
  static constexpr double answered_share = 0.9;
  // The floor bounds how long a particle that is worth many others stays hidden where messages err. On a random
  // weighted matrix of 12 rows with 46 entries, populations of 16 had a relative variance of 0.83, 0.30 and 0.11 with
  // floors of 0.001, 0.01 and 0.03 beside an answered share of 1, and 87 % and 91 % of the intervals of 100 of them
  // held the permanent at the first and the last; with 0.03 and 0.95 it is 0.016, with 0.05 and 0.9 0.008. On the 32 x
  // 32 grid the log variance of 64 is 0.16, 0.18 and 0.11 with the last three (50 of them, 20 % noise).
  static constexpr double floor_share = 0.05;
  static constexpr bool lists_changes = true;
  static constexpr bool odd_cycles = false;
  static constexpr bool leaves_alone = false;
};
// Belief propagation is all but exact where a graph is locally a tree, but what a change does dies away by half from
// ring to ring while the rings double: three of them leave an eighth of it, and what is left out adds up at vertices
// far away. So a message is sent, however far, once it is off by a tenth, and until then stays as it is: nothing is
// forgotten. Nor is it looked ahead: paths around large graphs like these are long, and dead ends rare (one in 40
// samples of 50,000 rows), so that it takes half the time to have them. Variance times time of a population of 64, near
// and far (20 to 30 of them): random cubic graph of 2,000 rows 0.20, 0.04; 5-regular of 1,000 0.017, 0.007; power law,
// 755 rows 0.30, 0.011; cube of side 12 0.026, 0.020; but grid of 32 0.004, 0.007; 662_bus 0.024, 0.11. Tolerances of
// 0.2 and 0.05: 0.07 and 0.06 to 0.09 on the first. Answered shares of 1 and 0.99 gave the same variance there, 0.95
// eight times as much.
//
// What was tried on the cube of side 12 and gave the same variance times time within noise (20 %): ranks times the
// corrections 1 + prod p / (1 - p) of cycles of 4, and of 4 and 6, edges; smaller tolerances (0.03, 0.01: half the
// variance, three and nine times the time); all messages within 0.05 to 0.01 at the end of a stage; messages within
// 0.02 in one to three rings around a vertex before it is matched.
struct FarTuning : NearTuning {
  static constexpr int rings = 1000;
  static constexpr double tolerance = 0.1;
  static constexpr bool sends_all = false;
  static constexpr bool looks_ahead = false;
  static constexpr double answered_share = 1;
};

// Messages fade quickly where vertices may be left alone.
struct AllTuning : FarTuning {
  static constexpr double tolerance = 0.02;
  static constexpr bool odd_cycles = true;
  static constexpr bool leaves_alone = true;
};

template <class Tuning>
struct WithOddCycles : Tuning {
  static constexpr bool odd_cycles = true;
};

// Rows and columns numbered as they come in this order; with odd cycles vertices.
std::vector<std::uint32_t> names_of(const Problem& problem, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> name(order.size());
  std::uint32_t row = 0, column = problem.size;
  for (const std::uint32_t v : order) name[v] = v < problem.size || !problem.bipartite ? row++ : column++;
  return name;
}

// Returns the place in the order by name.
std::vector<std::uint32_t> positions_of(const std::vector<std::uint32_t>& order,
                                        const std::vector<std::uint32_t>& name) {
  std::vector<std::uint32_t> position(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[name[order[i]]] = i;
  return position;
}

}  // namespace

std::vector<std::uint32_t> breadth_first_order(const Problem& problem) {
  const std::uint32_t n = problem.num_vertices();
  std::vector<std::uint32_t> order;
  for (int search = 0; search < searches && n > 0; ++search) {
    const std::uint32_t from = order.empty() ? 0 : order.back();
    std::vector<bool> met(n, false);
    order.clear();
    for (std::uint32_t i = 0; i <= n; ++i) {
      const std::uint32_t root = i == 0 ? from : i - 1;  // of the first component, then of the others
      if (met[root]) continue;
      met[root] = true;
      order.push_back(root);
      for (std::size_t head = order.size() - 1; head < order.size(); ++head) {
        const std::uint32_t v = order[head];
        for (std::uint32_t s = problem.offset[v]; s < problem.offset[v + 1]; ++s) {
          if (met[problem.target[s]]) continue;
          met[problem.target[s]] = true;
          order.push_back(problem.target[s]);
        }
      }
    }
  }
  return order;
}

Problem renamed(const Problem& problem, const std::vector<std::uint32_t>& name) {
  const std::uint32_t n = problem.num_vertices();
  std::vector<std::uint32_t> vertex(n);  // by name
  for (std::uint32_t v = 0; v < n; ++v) vertex[name[v]] = v;
  Problem result;
  result.size = problem.size;
  result.bipartite = problem.bipartite;
  result.alone = problem.alone;
  result.offset.push_back(0);
  std::vector<std::uint32_t> slot(problem.target.size());  // new, by old
  for (std::uint32_t v = 0; v < n; ++v) {
    for (std::uint32_t s = problem.offset[vertex[v]]; s < problem.offset[vertex[v] + 1]; ++s) {
      slot[s] = static_cast<std::uint32_t>(result.target.size());
      result.target.push_back(name[problem.target[s]]);
      result.weight.push_back(problem.weight[s]);
      result.message.push_back(problem.message[s]);
    }
    result.offset.push_back(static_cast<std::uint32_t>(result.target.size()));
    result.mate.push_back(name[problem.mate[vertex[v]]]);
  }
  result.reverse.resize(slot.size());
  for (std::size_t s = 0; s < slot.size(); ++s) result.reverse[slot[s]] = slot[problem.reverse[s]];
  return result;
}

namespace {

template <class Tuning>
class TunedPopulation final : public Population {
 public:
  TunedPopulation(const Problem& problem, int size)
      : order_(breadth_first_order(problem)),
        name_(names_of(problem, order_)),
        position_(positions_of(order_, name_)),
        problem_(renamed(problem, name_)),
        view_(guided_view(problem_)),
        scratch_(TunedGuidedWalk<Tuning>::scratch_length(view_)),
        walk_(view_, scratch_.data()) {
    view_.position = position_.data();
    start_.state = guided_start(problem_, view_);
    for (std::uint32_t v = 0; v < problem_.num_vertices() && !Tuning::sends_all; ++v) {
      double sum = problem_.alone;
      for (std::uint32_t s = problem_.offset[v]; s < problem_.offset[v + 1]; ++s) sum += problem_.message[s];
      start_.state.push_back(std::bit_cast<std::uint64_t>(sum));
    }
    walk_.attach(start_.state.data());
    for (std::uint32_t v = 0; v < problem_.num_vertices(); ++v) {
      start_.term.push_back(term(v));
      start_.left.multiply(start_.term[v]);
    }
    start_.log_left = start_.left.sample().log();
    particles_.assign(static_cast<std::size_t>(size), start_);
  }

  double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) override;
  void take_matchings(std::vector<double>& weight, std::vector<std::uint32_t>& partners) override;
  const std::vector<double>& log_increments() const override { return log_increments_; }
  const std::vector<double>& log_pieces() const override { return log_pieces_; }
  std::uint64_t work() const override { return work_ + walk_.work(); }

 private:
  struct Particle {
    std::vector<std::uint64_t> state;  // of the walk
    std::vector<double> term;          // by vertex: its factor in the Bethe approximation of what is left
    Product left;                      // of these
    double log_left = 0;               // its logarithm
    double log_value = 0;              // of the steps so far, less what the population has been given for them
    double log_rank = 0;               // log_value + log_left
  };

  // Takes steps, the first of which has that number.
  void advance(Particle& particle, std::uint32_t first, std::uint32_t steps, Uniforms& uniforms,
               const std::function<void()>& poll);
  // Brings log_left up to date where the walk has changed something. The particle is the one that is attached.
  void rank(Particle& particle);
  double term(std::uint32_t vertex) const;
  // Replaces those that fall behind by copies of those ahead, in proportion to weight.
  void resample(const std::vector<double>& weight, double sum, double uniform);

  std::vector<std::uint32_t> order_, name_, position_;
  Problem problem_;
  GuidedView view_;
  std::vector<std::uint64_t> scratch_;
  TunedGuidedWalk<Tuning> walk_;
  Particle start_;
  std::vector<Particle> particles_;
  std::vector<double> weight_;  // by particle, in the last stage
  std::vector<double> log_increments_, log_pieces_;
  std::uint64_t work_ = 0;
  std::uint32_t until_poll_ = 0;
};

// Any number would do for a rank: one that a double does not hold is the nearest that it does.
template <class Tuning>
double TunedPopulation<Tuning>::term(std::uint32_t vertex) const {
  if (walk_.degree(vertex) == 0) return 1;
  double sum = problem_.alone, others = 1;
  for (std::uint32_t s = problem_.offset[vertex]; s < problem_.offset[vertex + 1]; ++s) {
    const double in = walk_.message(s);
    sum += in;
    if (vertex < problem_.target[s] && in != 0)
      others *= 1 + in / problem_.weight[s] * walk_.message(problem_.reverse[s]);
  }
  return std::clamp(sum / others, 1e-300, 1e300);
}

template <class Tuning>
void TunedPopulation<Tuning>::rank(Particle& particle) {
  for (std::uint32_t i = 0; i < walk_.num_changed(); ++i) {
    const std::uint32_t v = walk_.changed(i);
    const double now = term(v);
    work_ += problem_.degree(v);
    particle.left.multiply(now);
    particle.left.multiply(1 / particle.term[v]);
    particle.term[v] = now;
  }
  walk_.forget_changes();
  particle.log_left = particle.left.sample().log();
  particle.log_rank = particle.log_value + particle.log_left;
}

template <class Tuning>
void TunedPopulation<Tuning>::advance(Particle& particle, [[maybe_unused]] std::uint32_t first, std::uint32_t steps,
                                      Uniforms& uniforms, const std::function<void()>& poll) {
  if (particle.log_value == minus_infinity) return;  // a dead end
  constexpr std::uint32_t steps_a_poll = 256;
  Product value;
  walk_.attach(particle.state.data());
  for (; steps > 0; --steps) {
    if (++until_poll_ == steps_a_poll) {
      until_poll_ = 0;
      if (poll) poll();
    }
    if constexpr (Tuning::leaves_alone) {
      walk_.settle(first++, uniforms, value);
    } else if (!walk_.step(uniforms, value)) {
      particle.log_value = minus_infinity;
      return;
    }
  }
  particle.log_value += value.sample().log();
}

// Systematic resampling: one random number. A particle that stays is not copied.
template <class Tuning>
void TunedPopulation<Tuning>::resample(const std::vector<double>& weight, double sum, double uniform) {
  const std::size_t size = particles_.size();
  const double spacing = sum / static_cast<double>(size);
  std::vector<std::uint32_t> copies(size, 0);
  double at = uniform * spacing, below = 0;
  std::size_t k = 0;
  for (std::size_t drawn = 0; drawn < size; ++drawn) {
    while (k + 1 < size && below + weight[k] <= at) below += weight[k++];
    ++copies[k];
    at += spacing;
  }
  std::size_t from = 0;
  for (std::size_t to = 0; to < size; ++to) {
    if (copies[to] > 0) continue;
    while (copies[from] < 2) ++from;
    --copies[from];
    particles_[to] = particles_[from];
    work_ += problem_.target.size() / 4;
  }
  for (Particle& particle : particles_) particle.log_value = -particle.log_left;
}

template <class Tuning>
double TunedPopulation<Tuning>::log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) {
  walk_.forget_changes();  // of a sample that was broken off
  Uniforms uniforms(seed, i);
  const std::size_t size = particles_.size();
  for (Particle& particle : particles_) particle = start_;
  work_ += size * problem_.target.size() / 4;
  const std::uint32_t n = Tuning::leaves_alone ? problem_.num_vertices() : problem_.size;
  const std::uint32_t stages = std::max(1u, std::min(n, std::max(n / rows_a_stage, fewest_stages)));
  std::uint32_t left = n;
  double log_total = 0, log_start = start_.log_left;
  std::vector<double>& weight = weight_;
  weight.resize(size);
  log_increments_.clear();
  log_pieces_.clear();
  double log_before = 0;  // of the pieces so far
  for (std::uint32_t stage = 1; stage <= stages; ++stage) {
    const auto until = static_cast<std::uint32_t>(std::uint64_t{n} * (stages - stage) / stages);
    double top = minus_infinity;
    for (Particle& particle : particles_) {
      advance(particle, n - left, left - until, uniforms, poll);
      rank(particle);
      // Nothing is left at the end, but for rounding in the sum.
      if (until == 0) particle.log_rank = particle.log_value;
      top = std::max(top, particle.log_rank);
      log_increments_.push_back(particle.log_rank - log_start);
    }
    left = until;
    if (top == minus_infinity) {
      weight.assign(size, 0.0);
      log_pieces_.clear();
      return top;
    }
    for (std::size_t k = 0; k < size; ++k) weight[k] = std::exp(particles_[k].log_rank - top);
    const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
    const double log_mean = top + std::log(sum / static_cast<double>(size));
    // On the 64 x 64 grid increments of the logarithm have covariances up to eight stages apart, of 64.
    constexpr std::uint32_t most_pieces = 16;
    const std::uint32_t pieces = std::min(stages, most_pieces);
    if (std::uint64_t{stage} * pieces / stages > log_pieces_.size()) {
      log_pieces_.push_back(log_total + log_mean - log_before);
      log_before = log_total + log_mean;
    }
    if (until == 0) return log_total + log_mean;
    if (!replaces(weight)) continue;
    log_total += log_mean;
    log_start = 0;
    resample(weight, sum, uniforms.next());
  }
  return log_total;
}

template <class Tuning>
void TunedPopulation<Tuning>::take_matchings(std::vector<double>& weight, std::vector<std::uint32_t>& partners) {
  const std::size_t n = problem_.num_vertices();
  std::vector<std::uint32_t> vertex(n);  // by name
  for (std::uint32_t v = 0; v < n; ++v) vertex[name_[v]] = v;
  const double sum = std::max(std::reduce(weight_.begin(), weight_.end()), std::numeric_limits<double>::min());
  weight.clear();
  partners.clear();
  for (std::size_t k = 0; k < particles_.size(); ++k) {
    weight.push_back(weight_[k] / sum);
    walk_.attach(particles_[k].state.data());
    const std::uint32_t* const drawn = weight_[k] > 0 ? walk_.partners() : problem_.mate.data();
    for (std::uint32_t v = 0; v < n; ++v) partners.push_back(vertex[drawn[name_[v]]]);
  }
}

}  // namespace

std::unique_ptr<Population> Population::make(const Problem& problem, int size, bool far_messages) {
  if (problem.alone != 0) return std::make_unique<TunedPopulation<AllTuning>>(problem, size);
  if (!problem.bipartite && far_messages)
    return std::make_unique<TunedPopulation<WithOddCycles<FarTuning>>>(problem, size);
  if (!problem.bipartite) return std::make_unique<TunedPopulation<WithOddCycles<NearTuning>>>(problem, size);
  if (far_messages) return std::make_unique<TunedPopulation<FarTuning>>(problem, size);
  return std::make_unique<TunedPopulation<NearTuning>>(problem, size);
}

bool Population::replaces(std::span<const double> weights) {
  double sum = 0, squares = 0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  return sum * sum <= least_effective_share * static_cast<double>(weights.size()) * squares;
}

double Population::bytes(const Problem& problem, int size) {
  const double state = 8.0 * static_cast<double>(guided_view(problem).state_length() + 2 * problem.num_vertices());
  return state * (size + 1) + 80.0 * static_cast<double>(problem.target.size());
}

}  // namespace matchcount
