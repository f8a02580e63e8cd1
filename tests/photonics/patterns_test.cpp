#include "photonics/patterns.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/catch.hpp"

using namespace matchcount;

namespace {

using Complex = std::complex<double>;
using Indices = std::vector<std::uint32_t>;

// Dyadic fractions of few bits, of which sums of products of up to six are exact in doubles.
std::vector<Complex> random_entries(Random& random, std::size_t count) {
  std::vector<Complex> entries;
  const auto part = [&] { return (static_cast<double>(random.below(15)) - 7) / 8; };
  for (std::size_t i = 0; i < count; ++i) entries.emplace_back(part(), part());
  return entries;
}

// Sums over all permutations.
Complex permanent_of(const std::vector<Complex>& entries, std::size_t width, const Indices& rows, Indices columns) {
  std::vector<std::size_t> order(columns.size());
  std::iota(order.begin(), order.end(), 0);
  Complex sum = 0;
  do {
    Complex product = 1;
    for (std::size_t i = 0; i < rows.size(); ++i) product *= entries[rows[i] * width + columns[order[i]]];
    sum += product;
  } while (std::next_permutation(order.begin(), order.end()));
  return sum;
}

double root_of_factorials(const Indices& indices) {
  std::map<std::uint32_t, int> times;
  for (const std::uint32_t index : indices) ++times[index];
  double product = 1;
  for (const auto& [index, count] : times) product *= std::tgamma(count + 1);
  return std::sqrt(product);
}

}  // namespace

TEST_CASE("a pattern's permanent is that of the matrix written out", "[cpu]") {
  constexpr std::uint64_t seed = 11;
  Random random(seed);
  for (int round = 0; round < 20; ++round) {
    const std::size_t height = 1 + random.below(4), width = 1 + random.below(5);
    const auto entries = random_entries(random, height * width);
    std::vector<double> reals;
    for (const Complex& entry : entries) reals.push_back(entry.real());
    const std::vector<Complex> as_complex(reals.begin(), reals.end());
    Indices rows, columns;
    std::vector<std::size_t> ends;
    std::vector<std::pair<Indices, Indices>> patterns;
    for (int p = 0; p < 20; ++p) {
      patterns.emplace_back();
      for (std::uint64_t photons = random.below(7); photons > 0; --photons) {
        patterns.back().first.push_back(static_cast<std::uint32_t>(random.below(height)));
        patterns.back().second.push_back(static_cast<std::uint32_t>(random.below(width)));
      }
      rows.insert(rows.end(), patterns.back().first.begin(), patterns.back().first.end());
      columns.insert(columns.end(), patterns.back().second.begin(), patterns.back().second.end());
      ends.push_back(rows.size());
    }
    const auto values = pattern_permanents(std::span<const Complex>(entries), width, rows, columns, ends);
    const auto real_values = pattern_permanents(std::span<const double>(reals), width, rows, columns, ends);
    for (std::size_t p = 0; p < patterns.size(); ++p) {
      INFO("seed " << seed << ", round " << round << ", pattern " << p);
      const auto& [picked, from] = patterns[p];
      const Complex truth = permanent_of(entries, width, picked, from);
      REQUIRE(values[p].value);
      const Complex value(values[p].value->value.re.to_double(), values[p].value->value.im.to_double());
      CHECK(std::abs(value - truth) <= std::exp2(values[p].value->log2_error) + 1e-15 * std::abs(truth));
      CHECK(values[p].value->log2_error < -30);
      const double real_truth = permanent_of(as_complex, width, picked, from).real();
      REQUIRE(real_values[p].value);
      CHECK(std::fabs(real_values[p].value->value.to_double() - real_truth) <=
            std::exp2(real_values[p].value->log2_error) + 1e-15 * std::fabs(real_truth));
    }
  }
}

TEST_CASE("a pattern that can't be answered has a reason, and the others have values", "[cpu]") {
  const std::vector<double> entries{1, 2, 3, 4};
  const Indices rows{0, 1, 2, 0}, columns{0, 1, 0, 5};
  const std::vector<std::size_t> ends{0, 2, 3, 4};
  const auto values = pattern_permanents(std::span<const double>(entries), 2, rows, columns, ends);
  REQUIRE(values.size() == 4);
  CHECK(values[0].value->value.to_double() == 1);
  CHECK(values[1].value->value.to_double() == 10);
  for (const std::size_t p : {2, 3}) {
    CHECK_FALSE(values[p].value);
    CHECK(values[p].reason == "an index that the matrix does not have");
  }
  const RunOptions no_time{.time_limit_s = 1e-9};
  const Indices two{0, 1};
  Indices forty;
  for (int i = 0; i < 20; ++i) forty.insert(forty.end(), two.begin(), two.end());
  const std::vector<std::size_t> end{40};
  const auto late = pattern_permanents(std::span<const double>(entries), 2, forty, forty, end, no_time);
  CHECK(late.front().value.has_value() == late.front().reason.empty());
  CHECK_THROWS_AS(pattern_permanents(std::span<const double>(entries), 3, {}, {}, {}), InputError);
  CHECK_THROWS_AS(pattern_permanents(std::span<const double>(entries), 2, rows, two, ends), InputError);
  const std::vector<double> bad{1, std::numeric_limits<double>::infinity()};
  CHECK_THROWS_AS(pattern_permanents(std::span<const double>(bad), 2, {}, {}, {}), InputError);
}

TEST_CASE("a stream has the amplitude of every choice of columns, in order", "[cpu]") {
  constexpr std::uint64_t seed = 12;
  Random random(seed);
  for (int round = 0; round < 40; ++round) {
    const std::size_t height = 1 + random.below(4), width = 1 + random.below(4);
    const auto entries = random_entries(random, height * width);
    Indices times(height), rows;
    for (std::size_t row = 0; row < height; ++row) {
      times[row] = static_cast<std::uint32_t>(random.below(3));
      if (rows.size() + times[row] > 6) times[row] = 0;
      rows.insert(rows.end(), times[row], static_cast<std::uint32_t>(row));
    }
    Amplitudes amplitudes(entries, times, width);
    Indices last;
    double choices = 0;
    while (amplitudes.next()) {
      INFO("seed " << seed << ", round " << round << ", choice " << choices);
      const Indices columns(amplitudes.columns().begin(), amplitudes.columns().end());
      CHECK(std::ranges::is_sorted(columns));
      if (choices++ > 0) CHECK(last < columns);
      last = columns;
      const Complex truth =
          permanent_of(entries, width, rows, columns) / (root_of_factorials(rows) * root_of_factorials(columns));
      CHECK(std::abs(amplitudes.value() - truth) <= amplitudes.error() + 1e-15 * std::abs(truth));
      CHECK(amplitudes.error() <= 1e-12);
    }
    const double n = static_cast<double>(rows.size()), m = static_cast<double>(width);
    CHECK(choices == std::round(std::exp(std::lgamma(n + m) - std::lgamma(m) - std::lgamma(n + 1))));
  }
}

TEST_CASE("amplitudes of no columns, of no photons, and of too many", "[cpu]") {
  const std::vector<Complex> two{1, 2};
  Amplitudes none({}, Indices{1}, 0), vacuum(two, Indices{0}, 2);
  CHECK_FALSE(none.next());
  CHECK(vacuum.next());
  CHECK(vacuum.value() == Complex(1));
  CHECK(vacuum.error() == 0);
  CHECK_FALSE(vacuum.next());
  CHECK_THROWS_AS(Amplitudes(two, Indices{65}, 2), Unable);
  CHECK_THROWS_AS(Amplitudes(two, Indices{1}, 1), InputError);
  CHECK_THROWS_AS(Amplitudes(std::vector<Complex>{1e200, 1}, Indices{3}, 2), Unable);
  // 64 photons of one mode among two: sqrt(C(64, k)) a^k b^(64 - k).
  Amplitudes binomial(std::vector<Complex>{0.6, Complex(0, 0.8)}, Indices{64}, 2);
  double sum = 0;
  while (binomial.next()) sum += std::norm(binomial.value());
  CHECK(std::fabs(sum - 1) < 1e-12);
}
