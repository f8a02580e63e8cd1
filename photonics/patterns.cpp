#include "photonics/patterns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "core/error.hpp"
#include "matchcount/batches.hpp"
#include "permanent/engine/limits.hpp"

namespace matchcount {
namespace {

// Larger patterns are not expanded in batches.
constexpr std::size_t most_photons = 16;
// Entries that are written out at once: threads that start again and again wait for each other where cores are shared.
constexpr std::size_t entries_at_once = 1 << 20;
constexpr std::size_t most_photons_of_all = 64;  // of a stream

using Pair [[gnu::vector_size(16)]] = double;

bool is_finite(double value) { return std::isfinite(value); }
bool is_finite(const std::complex<double>& value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }

template <class T>
void require_matrix(std::span<const T> entries, std::size_t num_columns) {
  if (num_columns == 0 ? !entries.empty() : entries.size() % num_columns != 0)
    throw InputError(std::to_string(entries.size()) + " entries", "rows of " + std::to_string(num_columns));
  if (!std::ranges::all_of(entries, [](const T& entry) { return is_finite(entry); }))
    throw InputError("an entry that is not finite", "finite numbers");
}

template <class T>
class Patterns {
 public:
  using Indices = std::span<const std::uint32_t>;
  using Answer = std::conditional_t<std::is_same_v<T, double>, RealValue, ComplexValue>;

  Patterns(std::span<const T> entries, std::size_t num_columns, Indices rows, Indices columns,
           std::span<const std::size_t> ends, const RunOptions& options)
      : entries_(entries), num_columns_(num_columns), rows_(rows), columns_(columns), ends_(ends), run_(options) {
    require_matrix(entries, num_columns);
    num_rows_ = num_columns == 0 ? 0 : entries.size() / num_columns;
    if (rows.size() != columns.size() || !std::ranges::is_sorted(ends) ||
        (ends.empty() ? 0 : ends.back()) != rows.size())
      throw InputError("patterns that end elsewhere than their rows or columns", "as many rows as columns");
    found_.resize(ends.size());
  }

  std::vector<PatternValue<Answer>> values() {
    std::map<std::size_t, std::vector<std::size_t>> by_size;
    for (std::size_t p = 0; p < ends_.size(); ++p) {
      const std::size_t size = rows(p).size();
      if (out_of_range(p))
        found_[p].reason = "an index that the matrix does not have";
      else
        by_size[size == 0 || size > most_photons ? 0 : size].push_back(p);
    }
    for (const auto& [size, patterns] : by_size) {
      const std::size_t at_once = size == 0 ? 1 : std::max<std::size_t>(1, entries_at_once / (size * size));
      for (std::size_t first = 0; first < patterns.size(); first += at_once)
        find(size, std::span(patterns).subspan(first, std::min(at_once, patterns.size() - first)));
    }
    return std::move(found_);
  }

 private:
  Indices rows(std::size_t p) const { return within(rows_, p); }
  Indices columns(std::size_t p) const { return within(columns_, p); }
  Indices within(Indices all, std::size_t p) const {
    const std::size_t begin = p == 0 ? 0 : ends_[p - 1];
    return all.subspan(begin, ends_[p] - begin);
  }
  bool out_of_range(std::size_t p) const {
    return std::ranges::any_of(rows(p), [&](std::uint32_t row) { return row >= num_rows_; }) ||
           std::ranges::any_of(columns(p), [&](std::uint32_t column) { return column >= num_columns_; });
  }

  // Finds patterns of one size together; if these are refused, one by one.
  void find(std::size_t size, std::span<const std::size_t> patterns) {
    try {
      std::vector<Answer> answers;
      if (size == 0) {
        answers.push_back(repeated(patterns.front()));
      } else {
        written_.clear();
        written_.reserve(patterns.size() * size * size);
        for (const std::size_t p : patterns) {
          for (const std::uint32_t row : rows(p)) {
            for (const std::uint32_t column : columns(p)) written_.push_back(entries_[row * num_columns_ + column]);
          }
        }
        answers = permanents(std::span<const T>(written_), size, what_is_left(run_));
      }
      for (std::size_t i = 0; i < patterns.size(); ++i) found_[patterns[i]].value = std::move(answers[i]);
    } catch (const Cancelled&) {
      throw;
    } catch (const Unable& error) {
      if (patterns.size() == 1) found_[patterns.front()].reason = error.what();
      for (std::size_t i = 0; patterns.size() > 1 && i < patterns.size(); ++i) find(size, patterns.subspan(i, 1));
    }
  }

  Answer repeated(std::size_t p) const {
    std::vector<std::uint32_t> row_times(num_rows_), column_times(num_columns_);
    for (const std::uint32_t row : rows(p)) ++row_times[row];
    for (const std::uint32_t column : columns(p)) ++column_times[column];
    return repeated_permanent(entries_, row_times, column_times, what_is_left(run_));
  }

  std::span<const T> entries_;
  std::size_t num_columns_, num_rows_ = 0;
  Indices rows_, columns_;
  std::span<const std::size_t> ends_;
  RunContext run_;
  std::vector<T> written_;
  std::vector<PatternValue<Answer>> found_;
};

}  // namespace

std::vector<PatternValue<RealValue>> pattern_permanents(std::span<const double> entries, std::size_t num_columns,
                                                        std::span<const std::uint32_t> rows,
                                                        std::span<const std::uint32_t> columns,
                                                        std::span<const std::size_t> ends, const RunOptions& run) {
  return Patterns<double>(entries, num_columns, rows, columns, ends, run).values();
}
std::vector<PatternValue<ComplexValue>> pattern_permanents(std::span<const std::complex<double>> entries,
                                                           std::size_t num_columns, std::span<const std::uint32_t> rows,
                                                           std::span<const std::uint32_t> columns,
                                                           std::span<const std::size_t> ends, const RunOptions& run) {
  return Patterns<std::complex<double>>(entries, num_columns, rows, columns, ends, run).values();
}

// States of level k are ways to take k of the photons from the rows, as digits of mixed radix. That of a row set a is
// f_k(a) = sum over i with a_i > 0 of entry(i, column k) f_(k-1)(a - e_i); all rows taken, the permanent is f_n times
// the factorials of the rows' times.
Amplitudes::Amplitudes(std::span<const std::complex<double>> entries, std::span<const std::uint32_t> row_times,
                       std::size_t num_columns)
    : num_columns_(num_columns) {
  require_matrix(entries, num_columns);
  if (entries.size() != row_times.size() * num_columns)
    throw InputError(std::to_string(entries.size()) + " entries",
                     std::to_string(row_times.size()) + " x " + std::to_string(num_columns));
  constexpr double most_states = 1 << 18;
  std::vector<std::size_t> taken;
  double states = 1;
  for (std::size_t row = 0; row < row_times.size(); ++row) {
    if (row_times[row] > 0) taken.push_back(row);
    states *= row_times[row] + 1.0;
  }
  const std::uint64_t photons = std::accumulate(row_times.begin(), row_times.end(), std::uint64_t{0});
  if (photons > most_photons_of_all || states > most_states)
    throw Unable("all amplitudes of " + std::to_string(photons) + " photons have more partial sums than fit");
  num_rows_ = taken.size();
  const auto n = static_cast<std::size_t>(photons);
  columns_.assign(n, 0);

  double largest = 1;
  for (std::size_t column = 0; column < num_columns; ++column) {
    double square = 0, magnitude = 0;
    for (const std::size_t row : taken) {
      entries_.push_back(entries[row * num_columns + column]);
      const double size = std::hypot(entries_.back().real(), entries_.back().imag());
      square = std::hypot(square, std::sqrt(row_times[row]) * size);
      magnitude += row_times[row] * size;
    }
    norms_.push_back(square);
    largest = std::max(largest, magnitude);
  }
  const double size = static_cast<double>(n);
  const double log2_largest = size * std::log2(largest) + std::lgamma(size + 1) / std::log(2.0);
  constexpr double within_doubles = 900;
  if (!(log2_largest < within_doubles)) throw Unable("amplitudes of entries so large may leave the range of doubles");
  // A product of complex numbers has a relative error of sqrt(5) 2^-53, a sum of as many terms as rows one for each;
  // the thousandth covers their products, and the rounding of the bound. What underflows is off by 2^-1073 and meets at
  // most the columns' sums of magnitudes on its way.
  relative_ = 1.001 * 0x1p-53 * (size * (std::min(size, static_cast<double>(num_rows_)) + 3) + 16) *
              std::exp(std::lgamma(size + 1) - size / 2 * std::log(std::max(size, 1.0)));
  underflow_ = std::exp2(log2_largest + std::log2(states * (size + 1)) - 1060);
  for (const std::size_t row : taken) factor_ *= std::tgamma(row_times[row] + 1.0);

  levels_.resize(n + 1);
  std::vector<std::uint32_t> digits(num_rows_), place(static_cast<std::size_t>(states));
  for (std::size_t state = 0; state < place.size(); ++state) {
    Level& level = levels_[std::accumulate(digits.begin(), digits.end(), std::size_t{0})];
    place[state] = static_cast<std::uint32_t>(level.sums.size());
    level.sums.emplace_back(1);
    std::size_t stride = 1;
    for (std::size_t i = 0; i < num_rows_; stride *= row_times[taken[i++]] + 1) {
      if (digits[i] > 0) level.terms.push_back({static_cast<std::uint32_t>(i), place[state - stride]});
    }
    level.ends.push_back(static_cast<std::uint32_t>(level.terms.size()));
    for (std::size_t i = 0; i < num_rows_ && ++digits[i] > row_times[taken[i]]; ++i) digits[i] = 0;
  }
}

bool Amplitudes::next() {
  const std::size_t n = columns_.size();
  std::size_t first = 0;
  if (!begun_) {
    begun_ = true;
    if (n > 0 && num_columns_ == 0) return false;
  } else {
    first = n;
    while (first > 0 && columns_[first - 1] + 1 == num_columns_) --first;
    if (first == 0) return false;
    --first;
    std::fill(columns_.begin() + static_cast<std::ptrdiff_t>(first), columns_.end(), columns_[first] + 1);
  }
  for (std::size_t level = first + 1; level <= n; ++level) sum(level);
  const double scale = std::sqrt(factor_ / levels_[n].repetitions);
  value_ = levels_[n].sums.front() * scale;
  error_ = (relative_ * levels_[n].norms + underflow_) / std::sqrt(factor_ * levels_[n].repetitions);
  if (n == 0) error_ = 0;
  return true;
}

void Amplitudes::sum(std::size_t level) {
  const Level& before = levels_[level - 1];
  Level& now = levels_[level];
  const std::uint32_t column = columns_[level - 1];
  // Real and imaginary part side by side, times the entry's real part and times its imaginary part.
  std::array<Pair, 2 * most_photons_of_all> entry;
  for (std::size_t row = 0; row < num_rows_; ++row) {
    const std::complex<double>& of_row = entries_[column * num_rows_ + row];
    entry[2 * row] = Pair{of_row.real(), of_row.real()};
    entry[2 * row + 1] = Pair{of_row.imag(), of_row.imag()};
  }
  const auto* const sums = reinterpret_cast<const double*>(before.sums.data());
  const Term* term = now.terms.data();
  for (std::size_t state = 0; state < now.sums.size(); ++state) {
    Pair by_real{}, by_imaginary{};
    for (const Term* const end = now.terms.data() + now.ends[state]; term != end; ++term) {
      Pair sum;
      std::memcpy(&sum, sums + 2 * std::size_t{term->before}, sizeof sum);
      by_real += entry[2 * std::size_t{term->row}] * sum;
      by_imaginary += entry[2 * std::size_t{term->row} + 1] * sum;
    }
    now.sums[state] = {by_real[0] - by_imaginary[1], by_real[1] + by_imaginary[0]};
  }
  std::size_t times = 1;
  while (times < level && columns_[level - 1 - times] == column) ++times;
  now.norms = before.norms * norms_[column];
  now.repetitions = before.repetitions * static_cast<double>(times);
}

}  // namespace matchcount
