#include "photonics/means/permanent_mean.hpp"

#include <cmath>
#include <complex>
#include <map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "matchcount/batches.hpp"
#include "photonics/dense_shapes.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"

using namespace matchcount;
using dense::Mean;
using dense::PermanentMean;
using test::random_times;

namespace {

using Complex = std::complex<double>;
using Multiplicities = std::vector<std::uint32_t>;
using Gaussian = std::pair<__int128, __int128>;  // a + b i

// A column that is left so often can be taken so many ways: row after row, exactly.
Gaussian by_rows(const std::vector<Complex>& entries, const std::vector<std::size_t>& rows, std::size_t first,
                 const Multiplicities& left, std::map<Multiplicities, Gaussian>& known) {
  if (first == rows.size()) return {1, 0};
  if (const auto found = known.find(left); found != known.end()) return found->second;
  Gaussian sum{0, 0};
  for (std::size_t j = 0; j < left.size(); ++j) {
    if (left[j] == 0) continue;
    Multiplicities rest = left;
    --rest[j];
    const Gaussian below = by_rows(entries, rows, first + 1, rest, known);
    const Complex entry = entries[rows[first] * left.size() + j];
    const auto re = static_cast<__int128>(entry.real()) * left[j], im = static_cast<__int128>(entry.imag()) * left[j];
    sum.first += re * below.first - im * below.second;
    sum.second += re * below.second + im * below.first;
  }
  return known[left] = sum;
}

Gaussian permanent_of(const std::vector<Complex>& entries, const Multiplicities& row_times,
                      const Multiplicities& column_times) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < row_times.size(); ++i) rows.insert(rows.end(), row_times[i], i);
  std::map<Multiplicities, Gaussian> known;
  return by_rows(entries, rows, 0, column_times, known);
}

std::vector<Complex> random_entries(Random& random, std::size_t count, bool complex) {
  std::vector<Complex> entries;
  const auto part = [&] { return static_cast<double>(random.below(7)) - 3; };
  for (std::size_t i = 0; i < count; ++i) entries.emplace_back(part(), complex ? part() : 0.0);
  return entries;
}

double distance(const Mean& mean, const Gaussian& truth) {
  const double scale = std::exp2(mean.exponent);
  return std::abs(mean.value * scale - Complex(static_cast<double>(truth.first), static_cast<double>(truth.second)));
}

std::vector<double> real_parts(const std::vector<Complex>& entries) {
  std::vector<double> result;
  for (const Complex entry : entries) result.push_back(entry.real());
  return result;
}

// Returns the product of the sums of magnitudes that a line has, each as often as it is taken, of rows or of columns,
// times the factorials of the other side: no sum of terms is larger.
double size_of_all(const std::vector<Complex>& entries, const Multiplicities& row_times,
                   const Multiplicities& column_times) {
  double by_rows = 1, by_columns = 1;
  for (std::size_t i = 0; i < row_times.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < column_times.size(); ++j) sum += std::abs(entries[i * column_times.size() + j]);
    by_rows *= std::pow(sum, row_times[i]);
    by_columns *= std::tgamma(row_times[i] + 1.0);
  }
  for (std::size_t j = 0; j < column_times.size(); ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < row_times.size(); ++i) sum += std::abs(entries[i * column_times.size() + j]);
    by_columns *= std::pow(sum, column_times[j]);
    by_rows *= std::tgamma(column_times[j] + 1.0);
  }
  return std::max(by_rows, by_columns);
}

// Returns by how much, at most, a truth of this size is rounded.
double rounded_by(const Gaussian& truth) {
  return std::hypot(static_cast<double>(truth.first), static_cast<double>(truth.second)) * 0x1p-52;
}

}  // namespace

TEST_CASE("a mean over points is the permanent within its bound, of every shape and on every instruction set") {
  Random random(21);
  for (int trial = 0; trial < 400; ++trial) {
    const auto size = 1 + static_cast<std::uint32_t>(random.below(12));
    const Multiplicities rows = random_times(1 + random.below(size), size, random),
                         columns = random_times(1 + random.below(size), size, random);
    const bool complex = trial % 2 == 0;
    const auto entries = random_entries(random, rows.size() * columns.size(), complex);
    CAPTURE(rows, columns, entries);
    const Gaussian truth = permanent_of(entries, rows, columns);
    const PermanentMean shape(rows, columns);
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      const RunContext run({.max_isa = isa});
      const Mean mean = complex ? shape.of(entries.data(), run, 1) : shape.of(real_parts(entries).data(), run, 1);
      CHECK(distance(mean, truth) <= mean.error * std::exp2(mean.exponent) + rounded_by(truth));
      CHECK(mean.error * std::exp2(mean.exponent) <= 1e-11 * size_of_all(entries, rows, columns));
    }
  }
}

TEST_CASE("points are as many as the lesser side makes, and none for what is taken least often") {
  CHECK(PermanentMean(Multiplicities{2, 1, 3}, Multiplicities{6}).num_points() == 1);
  CHECK(PermanentMean(Multiplicities{8, 8, 8}, Multiplicities(24, 1)).num_points() == 81);
  CHECK(PermanentMean(Multiplicities(24, 1), Multiplicities{9, 8, 7}).num_points() == 90);
  CHECK(PermanentMean(Multiplicities(20, 1), Multiplicities(20, 1)).num_points() == 0x1p19);
}

TEST_CASE("amplitudes of 40 photons keep nine digits, where sums over the magnitudes are 10^20 times as large") {
  // The discrete Fourier transform is unitary, and its permanents with multiplicities vanish where the sum over
  // outgoing modes, times m, is not a multiple of the number of modes (Tichy et al. 2010,
  // doi:10.1103/PhysRevLett.104.220405).
  constexpr std::size_t modes = 5;
  constexpr std::uint32_t photons = 8;
  std::vector<Complex> fourier;
  for (std::size_t j = 0; j < modes; ++j) {
    for (std::size_t k = 0; k < modes; ++k)
      fourier.push_back(std::polar(1.0, 2 * std::acos(-1.0) * static_cast<double>(j * k % modes) / modes) /
                        std::sqrt(static_cast<double>(modes)));
  }
  const Multiplicities in(modes, photons);
  const ComplexValue amplitude = repeated_permanent(fourier, in, in);
  CHECK(amplitude.log2_error <= log2_abs(amplitude.value) - 30);
  const Multiplicities forbidden{photons + 1, photons - 1, photons, photons, photons};
  const Mean none = PermanentMean(in, forbidden).of(fourier.data(), RunContext(), 1);
  CHECK(std::abs(none.value) <= none.error);
  CHECK(std::log2(none.error) + none.exponent <= log2_abs(amplitude.value) - 25);
}

TEST_CASE("lines of very different size and rows of zeros do no harm") {
  const std::vector<double> entries{1e-200, -2e-200, 3e200, 1e200};
  const Multiplicities times{2, 1};
  // Rows and columns 1, 1, 2: 2 a11 a11 a22 + 4 a11 a12 a21 = 2e-200 - 24e-200.
  CHECK(repeated_permanent(entries, times, times).value.to_double() == Approx(-2.2e-199));
  CHECK(repeated_permanent(std::vector<double>{0, 0, -1, 1}, times, times).value.is_zero());
  CHECK(repeated_permanent(std::vector<double>{0, 1, 0, -1}, times, times).value.is_zero());
}

TEST_CASE("a mean over very many points ends where the time is over or the stop token raised") {
  const std::vector<double> entries(144, -1.0);
  const Multiplicities times(12, 5);
  RunOptions run;
  test::StepClock clock;
  clock.end_at_look(3, run);
  CHECK_THROWS_AS(repeated_permanent(entries, times, times, run), Unable);
  CHECK_THROWS_AS(repeated_permanent(entries, times, times, {.stop = test::raised_stop()}), Cancelled);
}

TEST_CASE("a mean does not depend on the number of threads") {
  Random random(22);
  const Multiplicities times(8, 5);
  const auto entries = random_entries(random, 64, true);
  RunOptions options;
  const PermanentMean shape(times, times);
  const Mean one = shape.of(entries.data(), RunContext(), 1), three = shape.of(entries.data(), RunContext(), 3);
  CHECK(one.value == three.value);
  CHECK(one.error == three.error);
}
