#include "photonics/means/permanent_mean.hpp"

#include <cmath>
#include <complex>
#include <vector>

#include "core/random.hpp"
#include "matchcount/batches.hpp"
#include "photonics/dense_shapes.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using dense::HafnianMean;
using dense::Mean;
using test::random_times;

namespace {

using Complex = std::complex<double>;
using Multiplicities = std::vector<std::uint32_t>;

// The vertices that are left, by number of copies: matched one after the other. Of small integers doubles are exact.
Complex by_definition(const std::vector<Complex>& a, Multiplicities left, bool loops) {
  std::size_t v = 0;
  while (v < left.size() && left[v] == 0) ++v;
  if (v == left.size()) return 1;
  --left[v];
  Complex sum = loops ? a[v * left.size() + v] * by_definition(a, left, loops) : 0;
  for (std::size_t u = v; u < left.size(); ++u) {
    if (left[u] == 0) continue;
    const double ways = left[u];
    --left[u];
    sum += ways * a[v * left.size() + u] * by_definition(a, left, loops);
    ++left[u];
  }
  return sum;
}

std::vector<Complex> random_symmetric(Random& random, std::size_t n, bool complex) {
  std::vector<Complex> entries(n * n);
  const auto part = [&] { return static_cast<double>(random.below(5)) - 2; };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) entries[i * n + j] = entries[j * n + i] = {part(), complex ? part() : 0.0};
  }
  return entries;
}

}  // namespace

TEST_CASE("a mean over points is the hafnian within its bound, with and without loops, on every instruction set") {
  Random random(31);
  for (int trial = 0; trial < 300; ++trial) {
    const bool loops = trial % 3 != 0, complex = trial % 2 == 0;
    auto size = 1 + static_cast<std::uint32_t>(random.below(10));
    if (!loops) size += size % 2;
    const Multiplicities times = random_times(1 + random.below(std::min(size, 6u)), size, random);
    const auto entries = random_symmetric(random, times.size(), complex);
    CAPTURE(times, loops, entries);
    const Complex truth = by_definition(entries, times, loops);
    const HafnianMean points(times, loops);
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      const Mean mean = points.of(entries, RunContext({.max_isa = isa}), 1);
      const double scale = std::exp2(mean.exponent);
      CHECK(std::abs(mean.value * scale - truth) <= mean.error * scale);
      CHECK((times.size() == 1 || mean.error * scale < 1e-3 * (1 + std::abs(truth))));
    }
  }
}

TEST_CASE("repeated hafnians are those of the matrix written out") {
  Random random(32);
  for (const auto& times :
       std::vector<Multiplicities>{{1, 1}, {0, 2, 0}, {2, 2, 2}, {3, 0, 1, 4}, {1, 5}, {4, 3}, {1, 1, 1}}) {
    for (const bool loops : {false, true}) {
      const auto complex = random_symmetric(random, times.size(), true);
      std::vector<double> reals;
      std::vector<std::int64_t> integers;
      for (const Complex entry : complex) {
        reals.push_back(entry.real());
        integers.push_back(static_cast<std::int64_t>(entry.real()));
      }
      CAPTURE(times, loops, complex);
      const Complex truth = by_definition(complex, times, loops);
      const ComplexValue value = repeated_hafnian(complex, times, loops);
      CHECK(std::abs(Complex(value.value.re.to_double(), value.value.im.to_double()) - truth) <=
            std::exp2(value.log2_error) + 1e-15 * std::abs(truth));
      const double real_truth = by_definition({reals.begin(), reals.end()}, times, loops).real();
      const RealValue real = repeated_hafnian(reals, times, loops);
      CHECK(std::fabs(real.value.to_double() - real_truth) <=
            std::exp2(real.log2_error) + 1e-15 * std::fabs(real_truth));
      CHECK(repeated_hafnian(integers, times, loops) == static_cast<std::int64_t>(real_truth));
    }
  }
  CHECK(repeated_hafnian(std::vector<std::int64_t>{7}, Multiplicities{0}) == 1);
  CHECK(repeated_hafnian(std::vector<double>{7}, Multiplicities{3}).value.is_zero());
  CHECK_THROWS_AS(repeated_hafnian(std::vector<double>{1, 2, 3, 4}, Multiplicities{1, 1}), InputError);
  CHECK_THROWS_AS(repeated_hafnian(std::vector<double>{1, 2, 3}, Multiplicities{1, 1}), InputError);
}

TEST_CASE("hafnians of 40 copies of ones are double factorials, with loops numbers of involutions") {
  double matchings = 1, involutions = 1, before = 1;
  for (int i = 2; i <= 40; ++i) {
    if (i % 2 == 0) matchings *= i - 1;
    const double next = involutions + before * (i - 1);
    before = involutions;
    involutions = next;
  }
  for (const Multiplicities& times :
       {Multiplicities(8, 5), Multiplicities{1, 2, 3, 4, 5, 6, 7, 12}, Multiplicities{40}}) {
    const std::vector<double> ones(times.size() * times.size(), 1);
    const RealValue plain = repeated_hafnian(ones, times), with_loops = repeated_hafnian(ones, times, true);
    CHECK(plain.value.to_double() == Approx(matchings).epsilon(1e-5));
    CHECK(with_loops.value.to_double() == Approx(involutions).epsilon(1e-5));
    CHECK(std::fabs(plain.value.to_double() - matchings) <= std::exp2(plain.log2_error));
    CHECK(std::fabs(with_loops.value.to_double() - involutions) <= std::exp2(with_loops.log2_error));
  }
}

TEST_CASE("vertices of very different weight do no harm") {
  const std::vector<double> entries{1e-250, 3e10, 3e10, 2e250};
  // Vertices 0, 0, 1, 1 have a00 a11 + 2 a01^2.
  CHECK(repeated_hafnian(entries, Multiplicities{2, 2}).value.to_double() == Approx(2 + 18e20));
  CHECK(repeated_hafnian(std::vector<double>{0, 0, 0, 1}, Multiplicities{2, 2}).value.is_zero());
}
