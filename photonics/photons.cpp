#include "photonics/photons.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "matchcount/batches.hpp"
#include "permanent/engine/limits.hpp"
#include "photonics/torontonian.hpp"

namespace matchcount {
namespace {

using Amplitude = std::complex<double>;
using Counts = std::span<const std::uint32_t>;

constexpr double tolerance = 1e-9;  // of what is unitary, symmetric, or at the vacuum's noise, but for roundings

bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
}

// ---- Interferometers. The rows of the photons drawn so far and the columns of one photon more, in a random order,
// have the minors that leave out one column each: the amplitude of the next photon's row is their sum, weighted by the
// row's entries. Minors are the coefficients of that row in Glynn's sum over signs.

class PhotonShot {
 public:
  PhotonShot(std::span<const Amplitude> matrix, std::size_t num_columns, const RunContext& run)
      : matrix_(matrix), num_columns_(num_columns), num_rows_(matrix.size() / num_columns), run_(run) {}

  // Draws the rows, and counts them.
  void draw(std::vector<std::uint32_t> columns, Random random, std::uint32_t* counts) {
    for (std::size_t i = columns.size(); i > 1; --i) std::swap(columns[i - 1], columns[random.below(i)]);
    sums_.clear();
    rows_.clear();
    std::vector<double> up_to(num_rows_);
    for (std::size_t photon = 0; photon < columns.size(); ++photon) {
      find_minors(std::span(columns).first(photon + 1));
      double total = 0;
      for (std::size_t row = 0; row < num_rows_; ++row) {
        Amplitude sum = 0;
        for (std::size_t l = 0; l <= photon; ++l) sum += entry(row, columns[l]) * minors_[l];
        up_to[row] = total += std::norm(sum);
      }
      const auto found = std::ranges::upper_bound(up_to, random.uniform() * total);
      if (found == up_to.end()) throw Unable("amplitudes of so many photons leave the range of doubles");
      rows_.push_back(static_cast<std::size_t>(found - up_to.begin()));
      ++counts[rows_.back()];
    }
  }

 private:
  const Amplitude& entry(std::size_t row, std::uint32_t column) const { return matrix_[row * num_columns_ + column]; }

  void find_minors(Counts columns) {
    constexpr std::uint64_t between_checks = 1 << 16;
    const std::size_t n = columns.size();
    minors_.assign(n, 0);
    marks_.assign(n, 0);
    signs_.assign(n, 1);
    steps_.clear();
    for (const std::uint32_t column : columns) {
      for (const std::size_t row : rows_) steps_.push_back(2.0 * entry(row, column));
    }
    sums_.assign(rows_.size(), 0);
    for (std::size_t i = 0; i < steps_.size(); ++i) sums_[i % rows_.size()] += 0.5 * steps_[i];
    // The sum up to here is taken into a column's minor when the column's sign turns: one in each step.
    Amplitude sum = 0;
    double sign = 1;
    for (std::uint64_t step = 0; step < std::uint64_t{1} << (n - 1); ++step, sign = -sign) {
      if (step % between_checks == between_checks - 1) run_.check();
      sum += sign * product();
      const auto turned = std::min<std::size_t>(static_cast<std::size_t>(std::countr_one(step)), n - 1);
      minors_[turned] += signs_[turned] * (sum - marks_[turned]);
      marks_[turned] = sum;
      signs_[turned] = -signs_[turned];
      const Amplitude* const add = steps_.data() + turned * rows_.size();
      for (std::size_t i = 0; i < rows_.size(); ++i) sums_[i] += signs_[turned] * add[i];
    }
    for (std::size_t l = 0; l < n; ++l) minors_[l] += signs_[l] * (sum - marks_[l]);
  }

  Amplitude product() const {
    double re[2] = {1, 1}, im[2] = {0, 0};  // two, so that one need not wait for the other
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const double x = sums_[i].real(), y = sums_[i].imag(), old = re[i % 2];
      re[i % 2] = old * x - im[i % 2] * y;
      im[i % 2] = old * y + im[i % 2] * x;
    }
    return {re[0] * re[1] - im[0] * im[1], re[0] * im[1] + im[0] * re[1]};
  }

  std::span<const Amplitude> matrix_;
  std::size_t num_columns_, num_rows_;
  const RunContext& run_;
  std::vector<std::size_t> rows_;
  std::vector<Amplitude> minors_, marks_, sums_, steps_;  // steps: by how much the sums change, column by column
  std::vector<double> signs_;
};

void require_orthonormal(std::span<const Amplitude> matrix, Counts counts) {
  const std::size_t width = counts.size();
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (counts[i] == 0 || counts[j] == 0) continue;
      Amplitude product = 0;
      for (std::size_t row = 0; row < matrix.size(); row += width)
        product += std::conj(matrix[row + i]) * matrix[row + j];
      if (!(std::abs(product - (i == j ? 1.0 : 0.0)) <= tolerance))
        throw InputError("columns " + std::to_string(j) + " and " + std::to_string(i) + " that are not orthonormal",
                         "a unitary matrix");
    }
  }
}

// ---- Gaussian states.

// Replaces a Hermitian matrix's lower half by Cholesky's; returns whether it is positive definite.
template <class T>
bool cholesky(std::vector<T>& a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      T sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) {
        if constexpr (std::is_same_v<T, double>)
          sum -= a[i * n + k] * a[j * n + k];
        else
          sum -= a[i * n + k] * std::conj(a[j * n + k]);
      }
      if (i == j && !(std::real(sum) > 0)) return false;
      a[i * n + j] = i == j ? T(std::sqrt(std::real(sum))) : sum / a[j * n + j];
    }
  }
  return true;
}

// The first modes of a state: with Q the covariance matrix of Husimi's function in a and its adjoint, I - Q^-1; the
// loops, displacements times Q^-1; and the vacuum's probability.
struct FirstModes {
  FirstModes(const std::vector<double>& covariance, const std::vector<double>& means, std::size_t num_modes,
             std::size_t first)
      : n(first), kept(4 * n * n), loop(2 * n) {
    const std::size_t size = 2 * n;
    const auto place = [&](std::size_t i) { return i < n ? i : i - n + num_modes; };
    std::vector<double> factor(size * size), inverse(size * size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j)
        factor[i * size + j] = covariance[place(i) * 2 * num_modes + place(j)] + (i == j ? 1 : 0);
    }
    if (!cholesky(factor, size)) throw InputError("a covariance matrix that is not positive", "that of a state");
    for (std::size_t column = 0; column < size; ++column) {  // L L^T x = e_column
      std::vector<double> x(size);
      x[column] = 1;
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t k = 0; k < i; ++k) x[i] -= factor[i * size + k] * x[k];
        x[i] /= factor[i * size + i];
      }
      for (std::size_t i = size; i-- > 0;) {
        for (std::size_t k = i + 1; k < size; ++k) x[i] -= factor[k * size + i] * x[k];
        x[i] /= factor[i * size + i];
      }
      for (std::size_t i = 0; i < size; ++i) inverse[i * size + column] = x[i];
    }
    const auto mean_of = [&](std::size_t i, std::size_t j) {
      return (inverse[i * size + j] + inverse[j * size + i]) / 2;
    };
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        const double xx = mean_of(a, b), pp = mean_of(a + n, b + n), xp = mean_of(a, b + n), px = mean_of(a + n, b);
        const Amplitude same = Amplitude(a == b ? 1 : 0) - Amplitude(xx + pp, px - xp), other(pp - xx, -(xp + px));
        kept[a * size + b] = same;
        kept[(a + n) * size + b + n] = std::conj(same);
        kept[a * size + b + n] = other;
        kept[(a + n) * size + b] = std::conj(other);
      }
    }
    double exponent = static_cast<double>(n) * std::log(2.0);
    std::vector<double> turned(size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) turned[i] += mean_of(i, j) * means[place(j)];
      exponent -= turned[i] * means[place(i)] + std::log(factor[i * size + i]);
      displaced = displaced || means[place(i)] != 0;
    }
    vacuum = std::exp(exponent);
    for (std::size_t a = 0; a < n; ++a) {
      loop[a] = std::sqrt(2.0) * Amplitude(turned[a], -turned[a + n]);
      loop[a + n] = std::conj(loop[a]);
    }
  }

  // Returns what two rows weigh in a hafnian.
  Amplitude pair(std::size_t i, std::size_t j) const { return kept[(i < n ? i + n : i - n) * 2 * n + j]; }

  // Returns the probability, and what its hafnian is off by at most.
  std::pair<double, double> of_counts(Counts counts, const RunOptions& run) const {
    std::vector<std::size_t> rows;
    double factor = vacuum;
    for (std::size_t i = 0; i < 2 * n; ++i) rows.insert(rows.end(), counts[i % n], i);
    for (const std::uint32_t count : counts) factor /= std::tgamma(count + 1.0);
    if (rows.empty()) return {factor, 0};
    double states = 1;
    for (const std::uint32_t count : counts) states *= (count + 1.0) * (count + 1.0);
    // Measured: a state takes as many steps as there are modes, the hafnian of n vertices 2^(3/4 n) after a start.
    const double steps = states * 4 * static_cast<double>(n), vertices = static_cast<double>(rows.size());
    constexpr double most_states = 1 << 22, least_steps = 1 << 12;
    if (states <= most_states && steps < least_steps + std::exp2(0.75 * vertices)) {
      const auto [sum, error] = by_states(counts);
      return {factor * sum, factor * error};
    }
    const auto scaled = [&](const ComplexValue& value) {
      return std::pair(factor * value.value.re.to_double(), factor * std::exp2(value.log2_error));
    };
    std::vector<Amplitude> entries;
    if (!displaced) {
      std::vector<std::uint32_t> times(counts.begin(), counts.end());
      times.insert(times.end(), counts.begin(), counts.end());
      for (std::size_t i = 0; i < 4 * n * n; ++i) entries.push_back(pair(i / (2 * n), i % (2 * n)));
      return scaled(repeated_hafnian(entries, times, false, run));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows.size(); ++j) entries.push_back(i == j ? loop[rows[i]] : pair(rows[i], rows[j]));
    }
    return scaled(hafnians(entries, rows.size(), true, run).front());
  }

  // Sums over the loop hafnians of all smaller counts: a vertex stays alone or is matched with one of those left.
  std::pair<double, double> by_states(Counts counts) const {
    std::vector<std::size_t> rows, strides, digits;
    std::size_t states = 1;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      if (counts[i % n] == 0) continue;
      rows.push_back(i);
      strides.push_back(states);
      states *= counts[i % n] + std::size_t{1};
    }
    const std::size_t m = rows.size();
    std::vector<Amplitude> weights(m * m), sums(states);
    const double photons = std::accumulate(counts.begin(), counts.end(), 0.0);
    for (std::size_t i = 0; i < m * m; ++i) weights[i] = pair(rows[i / m], rows[i % m]);
    std::vector<double> magnitudes(states);
    sums[0] = magnitudes[0] = 1;
    digits.assign(m, 0);
    for (std::size_t state = 1; state < states; ++state) {
      std::size_t first = 0;
      while (digits[first] + 1 > counts[rows[first] % n]) digits[first++] = 0;
      ++digits[first];
      first = 0;
      while (digits[first] == 0) ++first;
      const std::size_t without = state - strides[first];
      Amplitude sum = loop[rows[first]] * sums[without];
      double magnitude = std::abs(loop[rows[first]]) * magnitudes[without];
      --digits[first];
      for (std::size_t j = first; j < m; ++j) {
        if (digits[j] == 0) continue;
        const Amplitude weight = static_cast<double>(digits[j]) * weights[first * m + j];
        sum += weight * sums[without - strides[j]];
        magnitude += std::abs(weight) * magnitudes[without - strides[j]];
      }
      ++digits[first];
      sums[state] = sum;
      magnitudes[state] = magnitude;
    }
    const double roundings = static_cast<double>(m + 4) * 2 * photons * 0x1p-53;
    return {sums.back().real(), roundings * magnitudes.back()};
  }

  double of_clicks(Counts clicks, const RunOptions& options) const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      if (clicks[i % n] > 0) rows.push_back(i);
    }
    if (rows.empty()) return vacuum;
    std::vector<Amplitude> entries, loops;
    for (const std::size_t i : rows) {
      for (const std::size_t j : rows) entries.push_back(kept[i * 2 * n + j]);
      if (displaced) loops.push_back(loop[i]);
    }
    return vacuum * torontonian(entries, rows.size(), loops, {.run = options}).value.value.to_double();
  }

  std::size_t n;
  std::vector<Amplitude> kept, loop;
  double vacuum = 1;
  bool displaced = false;
};

// Draws shots mode by mode. Those that have drawn alike so far stand in one group.
class GaussianShots {
 public:
  GaussianShots(std::size_t shots, std::size_t num_modes, bool threshold, std::optional<std::uint32_t> cutoff,
                const RunContext& run)
      : num_modes_(num_modes), threshold_(threshold), cutoff_(cutoff), run_(run), patterns_(shots * num_modes) {
    for (std::size_t shot = 0; shot < shots; ++shot) {
      random_.emplace_back(run.options().seed, shot);
      undrawn_.push_back(shot);
    }
  }

  // Goes through the modes with the shots that are left; those above the cutoff are left again.
  void round(const std::vector<FirstModes>& states) {
    std::vector<Group> groups{{std::exchange(undrawn_, {}), 1, 0}};
    for (const FirstModes& state : states) {
      std::vector<std::vector<Group>> next(groups.size());
      std::vector<std::vector<std::size_t>> refused(groups.size());
      RunOptions options = what_is_left(run_);
      const int threads = groups.size() == 1 ? 1 : run_.num_threads();
      options.num_threads = threads == 1 ? run_.num_threads() : 1;
      parallel_for_chunks(threads, groups.size(), [&](std::uint64_t g, int) {
        run_.check();
        next[g] = split(groups[g], state, options, refused[g]);
      });
      groups.clear();
      for (auto& parts : next) std::ranges::move(parts, std::back_inserter(groups));
      for (const auto& shots : refused) undrawn_.insert(undrawn_.end(), shots.begin(), shots.end());
    }
  }
  bool done() const { return undrawn_.empty(); }
  std::vector<std::uint32_t> patterns() { return std::move(patterns_); }

 private:
  struct Group {
    std::vector<std::size_t> shots;
    double probability, error;
  };

  std::vector<Group> split(const Group& group, const FirstModes& state, const RunOptions& options,
                           std::vector<std::size_t>& refused) {
    std::vector<std::pair<double, std::size_t>> left;
    for (const std::size_t shot : group.shots) left.emplace_back(random_[shot].uniform() * group.probability, shot);
    std::vector<std::uint32_t> counts(state.n);
    std::copy_n(patterns_.begin() + static_cast<std::ptrdiff_t>(group.shots.front() * num_modes_), state.n - 1,
                counts.begin());
    std::vector<Group> groups;
    double up_to = 0, errors = group.error;
    for (std::uint32_t& count = counts.back();; ++count) {
      if (cutoff_ && count > *cutoff_) {
        for (const auto& [target, shot] : left) refused.push_back(shot);
        return groups;
      }
      bool last = threshold_ && count == 1;
      double probability = std::max(group.probability - up_to, 0.0), error = 0;
      if (!last) {
        double found = 0;
        std::tie(found, error) =
            threshold_ ? std::pair(state.of_clicks(counts, options), 0.0) : state.of_counts(counts, options);
        probability = std::max(found, 0.0);
        errors += error;
        // This count takes what roundings leave over.
        last = !threshold_ && group.probability - up_to - probability <= errors + 1e-14 * group.probability;
      }
      up_to += probability;
      Group drawn{{}, probability, error};
      std::erase_if(left, [&](const auto& shot) {
        const bool within = last || shot.first < up_to;
        if (within) drawn.shots.push_back(shot.second);
        return within;
      });
      for (const std::size_t shot : drawn.shots) patterns_[shot * num_modes_ + state.n - 1] = count;
      if (!drawn.shots.empty()) groups.push_back(std::move(drawn));
      if (left.empty()) return groups;
    }
  }

  std::size_t num_modes_;
  bool threshold_;
  std::optional<std::uint32_t> cutoff_;
  const RunContext& run_;
  std::vector<std::uint32_t> patterns_;
  std::vector<Random> random_;
  std::vector<std::size_t> undrawn_;
};

}  // namespace

std::vector<std::uint32_t> sample_photons(std::span<const Amplitude> matrix, Counts counts, std::size_t shots,
                                          const RunOptions& options) {
  if (counts.empty() || matrix.size() % counts.size() != 0)
    throw InputError(std::to_string(matrix.size()) + " entries for " + std::to_string(counts.size()) + " modes",
                     "a column for each mode");
  require_orthonormal(matrix, counts);
  const std::size_t num_rows = matrix.size() / counts.size();
  std::vector<std::uint32_t> columns;
  double photons = 0;
  for (const std::uint32_t count : counts) photons += count;
  constexpr double most_entering = 60, seconds_of_step = 2e-9;
  if (photons > most_entering) throw Unable("samples of more than 60 photons");
  for (std::uint32_t j = 0; j < counts.size(); ++j) columns.insert(columns.end(), counts[j], j);
  const RunContext run(options);
  const double drawn = static_cast<double>(shots);
  require_within_limits("the samples",
                        {seconds_of_step * photons * std::exp2(photons) * std::ceil(drawn / run.num_threads()),
                         drawn * static_cast<double>(num_rows) * sizeof(std::uint32_t)},
                        run);
  std::vector<std::uint32_t> result(shots * num_rows);
  const std::size_t at_once = photons < 10 ? 64 : 1;
  const int threads = photons < 10 && shots < 256 ? 1 : run.num_threads();
  parallel_for_chunks(threads, (shots + at_once - 1) / at_once, [&](std::uint64_t chunk, int) {
    run.check();
    PhotonShot shot(matrix, counts.size(), run);
    for (std::size_t i = chunk * at_once; i < std::min<std::size_t>(shots, (chunk + 1) * at_once); ++i)
      shot.draw(columns, Random(options.seed, i), result.data() + i * num_rows);
  });
  return result;
}

GaussianState::GaussianState(std::span<const double> covariance, std::span<const double> means, double hbar)
    : num_modes_(static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(covariance.size())))) / 2) {
  const std::size_t size = 2 * num_modes_;
  if (covariance.size() != size * size || (!means.empty() && means.size() != size))
    throw InputError(std::to_string(covariance.size()) + " covariances and " + std::to_string(means.size()) + " means",
                     "2n x 2n and 2n for n modes");
  if (!(hbar > 0 && std::isfinite(hbar))) throw InputError("hbar = " + std::to_string(hbar), "a number above 0");
  if (!all_finite(covariance) || !all_finite(means))
    throw InputError("a mean or covariance that is not finite", "finite numbers");
  double scale = 0;
  for (const double entry : covariance) scale = std::max(scale, std::fabs(entry));
  covariance_.resize(covariance.size());
  for (std::size_t i = 0; i < covariance.size(); ++i) {
    const double other = covariance[i % size * size + i / size];
    if (std::fabs(covariance[i] - other) > tolerance * scale)
      throw InputError("covariances (" + std::to_string(i / size) + ", " + std::to_string(i % size) + ") and (" +
                           std::to_string(i % size) + ", " + std::to_string(i / size) + ") that differ by " +
                           rounded_up(std::fabs(covariance[i] - other), 3),
                       "a symmetric matrix: (A + A.T) / 2, where that is rounding");
    covariance_[i] = (covariance[i] + other) / hbar;
  }
  for (const double mean : means) means_.push_back(mean / std::sqrt(hbar));
  means_.resize(size);
  // Covariances plus i times the commutators are positive semidefinite.
  std::vector<Amplitude> noise(covariance_.begin(), covariance_.end());
  for (std::size_t i = 0; i < num_modes_; ++i) {
    noise[i * size + i + num_modes_] += Amplitude(0, 1);
    noise[(i + num_modes_) * size + i] -= Amplitude(0, 1);
  }
  for (std::size_t i = 0; i < size; ++i) noise[i * (size + 1)] += tolerance * std::max(1.0, 2 * scale / hbar);
  if (!cholesky(noise, size))
    throw InputError("a covariance matrix below the vacuum's noise", "that of a state, for this hbar and in xxpp");
}

double GaussianState::probability(Counts pattern, bool threshold, const RunOptions& run) const {
  if (pattern.size() != num_modes_)
    throw InputError("a pattern of " + std::to_string(pattern.size()) + " modes", std::to_string(num_modes_));
  if (threshold && std::ranges::any_of(pattern, [](std::uint32_t count) { return count > 1; }))
    throw InputError("a pattern of clicks above 1", "0 or 1 for each mode");
  const FirstModes state(covariance_, means_, num_modes_, num_modes_);
  return threshold ? state.of_clicks(pattern, run) : state.of_counts(pattern, run).first;
}

std::vector<std::uint32_t> GaussianState::sample(std::size_t shots, bool threshold, std::optional<std::uint32_t> cutoff,
                                                 const RunOptions& options) const {
  if (threshold && cutoff) throw InputError("a cutoff of clicks", "one of numbers of photons");
  const RunContext run(options);
  require_memory("the samples", static_cast<double>(shots) * (64 + 4.0 * static_cast<double>(num_modes_)), run);
  std::vector<FirstModes> states;
  for (std::size_t n = 1; n <= num_modes_; ++n) {
    run.check();
    states.emplace_back(covariance_, means_, num_modes_, n);
  }
  GaussianShots drawn(shots, num_modes_, threshold, cutoff, run);
  constexpr int most_rounds = 1000;
  for (int round = 0; !drawn.done(); ++round) {
    if (round == most_rounds) throw Unable("a cutoff that leaves out nearly all patterns");
    drawn.round(states);
  }
  return drawn.patterns();
}

}  // namespace matchcount
