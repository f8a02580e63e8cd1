#include "photonics/torontonian.hpp"

#include <array>
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <complex>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/big_integer.hpp"
#include "support/catch.hpp"
#include "support/permutations.hpp"

using namespace matchcount;

namespace {

using Digits100 = boost::multiprecision::cpp_bin_float_100;
using Complex = std::complex<double>;

constexpr std::uint64_t seed = 20261126;

// Exact complex fractions, for determinants by fraction-free elimination.
struct Gaussian {
  Integer re = 0, im = 0;
  friend Gaussian operator*(const Gaussian& a, const Gaussian& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Gaussian operator-(const Gaussian& a, const Gaussian& b) { return {a.re - b.re, a.im - b.im}; }
  bool is_zero() const { return re == 0 && im == 0; }
};

// Divides, where that leaves no rest.
Gaussian quotient(const Gaussian& a, const Gaussian& b) {
  const Integer norm = b.re * b.re + b.im * b.im;
  const Gaussian product = a * Gaussian{b.re, -b.im};
  REQUIRE(product.re % norm == 0);
  REQUIRE(product.im % norm == 0);
  return {product.re / norm, product.im / norm};
}

// Finds a determinant as Bareiss does. Principal minors of what is asked here are above 0.
Gaussian determinant_of(std::vector<std::vector<Gaussian>> a) {
  Gaussian before{1, 0};
  for (std::size_t k = 0; k + 1 < a.size(); ++k) {
    REQUIRE(!a[k][k].is_zero());
    for (std::size_t i = k + 1; i < a.size(); ++i) {
      for (std::size_t j = k + 1; j < a.size(); ++j) a[i][j] = quotient(a[k][k] * a[i][j] - a[i][k] * a[k][j], before);
    }
    before = a[k][k];
  }
  return a.empty() ? Gaussian{1, 0} : a.back().back();
}

// Entries are integers over 2^40.
struct Instance {
  std::size_t n = 0;
  std::vector<Gaussian> o, loop;
  static constexpr int shift = 40;

  static double number(const Integer& value) { return std::ldexp(static_cast<double>(value), -shift); }
  std::vector<Complex> numbers(const std::vector<Gaussian>& values) const {
    std::vector<Complex> result;
    for (const Gaussian& z : values) result.emplace_back(number(z.re), number(z.im));
    return result;
  }
  // By the definition. v^H A^-1 v is 1 - det of A - v v^H divided by det A, of integers all.
  Digits100 truth() const {
    Digits100 sum = 0;
    const Integer one = Integer(1) << shift;
    for (std::size_t set = 0; set < std::size_t{1} << n; ++set) {
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < 2 * n; ++i) {
        if ((set >> i % n & 1) != 0) rows.push_back(i);
      }
      std::vector<std::vector<Gaussian>> a(rows.size(), std::vector<Gaussian>(rows.size())), b = a;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t c = 0; c < rows.size(); ++c) {
          a[r][c] = Gaussian{r == c ? one : Integer(0), 0} - o[rows[r] * 2 * n + rows[c]];
          if (loop.empty()) continue;
          // b is 2^80 (A - v v^H), v = conj(g).
          const Gaussian &x = loop[rows[r]], &y = loop[rows[c]];
          b[r][c] = Gaussian{a[r][c].re * one, a[r][c].im * one} - Gaussian{x.re, -x.im} * y;
        }
      }
      const Gaussian det = determinant_of(a);
      REQUIRE(det.im == 0);
      REQUIRE(det.re > 0);
      const int size = static_cast<int>(rows.size());
      Digits100 term = sqrt(ldexp(Digits100(1), size * shift) / Digits100(big(det.re)));
      if (!loop.empty()) {
        const Digits100 ratio =
            Digits100(big(bordered(b).re)) / Digits100(big(det.re)) / ldexp(Digits100(1), size * shift);
        term *= exp((1 - ratio) / 2);
      }
      sum += (n - rows.size() / 2) % 2 == 0 ? term : -term;
    }
    return sum;
  }
  // The determinant of b, whose minors may be 0: by expansion along rows, over subsets of columns.
  static Gaussian bordered(const std::vector<std::vector<Gaussian>>& b) {
    const std::size_t size = b.size();
    std::vector<Gaussian> of(std::size_t{1} << size);
    of[0] = {1, 0};
    for (std::size_t set = 1; set < of.size(); ++set) {
      const auto row = static_cast<std::size_t>(std::popcount(set)) - 1;
      for (std::size_t c = 0; c < size; ++c) {
        if ((set >> c & 1) == 0) continue;
        const Gaussian product = b[row][c] * of[set ^ std::size_t{1} << c];
        const bool odd = std::popcount(set >> (c + 1)) % 2 != 0;
        of[set] = odd ? of[set] - product : of[set] - Gaussian{-product.re, -product.im};
      }
    }
    return of.back();
  }
};

enum class Kind { real, physical, hermitian };

// Makes O = I - B B^H / t, so that I - O is positive definite, of small numbers with a common denominator 2^40.
Instance random_instance(std::size_t n, Kind kind, bool has_loop, std::uint64_t stream) {
  Random random(seed, stream);
  const auto small = [&] { return Integer(static_cast<std::int64_t>(random.below(2001)) - 1000); };
  const std::size_t size = 2 * n;
  std::vector<Gaussian> b(size * size);
  for (Gaussian& z : b) z = {small(), kind == Kind::real ? Integer(0) : small()};
  const auto partner = [&](std::size_t i) { return i < n ? i + n : i - n; };
  if (kind == Kind::physical) {
    for (std::size_t i = n; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const Gaussian& z = b[partner(i) * size + partner(j)];
        b[i * size + j] = {z.re, -z.im};
      }
    }
  }
  Instance instance{n, std::vector<Gaussian>(size * size), {}};
  const Integer unit = Integer(1) << (Instance::shift - 24);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      Gaussian sum;
      for (std::size_t k = 0; k < size; ++k) {
        const Gaussian& z = b[j * size + k];
        sum = sum - b[i * size + k] * Gaussian{-z.re, z.im};
      }
      const Integer diagonal = i == j ? (Integer(1) << Instance::shift) - (Integer(1) << (Instance::shift - 6)) : 0;
      instance.o[i * size + j] = Gaussian{diagonal, 0} - Gaussian{sum.re * unit / 16, sum.im * unit / 16};
    }
  }
  if (!has_loop) return instance;
  const Integer loop_unit = Integer(1) << (Instance::shift - 12);
  for (std::size_t i = 0; i < size; ++i) {
    Gaussian z{small() * loop_unit, kind == Kind::real ? Integer(0) : small() * loop_unit};
    if (kind == Kind::physical && i >= n) z = {instance.loop[i - n].re, -instance.loop[i - n].im};
    instance.loop.push_back(z);
  }
  return instance;
}

Digits100 digits(const ScaledReal& value) {
  return ldexp(Digits100(value.mantissa.hi) + Digits100(value.mantissa.lo), static_cast<int>(value.exponent));
}

TorontonianOptions with(Precision precision, int threads = 1, Isa isa = Isa::avx512) {
  return {.run = {.precision = precision, .num_threads = threads, .max_isa = isa}};
}

void check_near(const TorontonianResult& found, const Digits100& truth, double most_relative) {
  const Digits100 error = abs(digits(found.value.value) - truth);
  const Digits100 bound = exp2(Digits100(found.value.log2_error));
  CHECK(error <= bound);
  CHECK(bound <= most_relative * (1 + abs(truth)));
}

std::vector<double> reals(const std::vector<Complex>& values) {
  std::vector<double> result;
  for (const Complex& z : values) result.push_back(z.real());
  return result;
}

// Sums up the definition for reals, and its terms' magnitudes, by elimination with 100 digits.
std::pair<Digits100, Digits100> truth_of(const std::vector<double>& o, const std::vector<double>& loop) {
  const auto size = static_cast<std::size_t>(std::sqrt(static_cast<double>(o.size()))), n = size / 2;
  Digits100 sum = 0, magnitudes = 0;
  for (std::size_t set = 0; set < std::size_t{1} << n; ++set) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < size; ++i) {
      if ((set >> i % n & 1) != 0) rows.push_back(i);
    }
    // The loop is one column more.
    std::vector<std::vector<Digits100>> a(rows.size(), std::vector<Digits100>(rows.size() + 1));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t c = 0; c < rows.size(); ++c) a[r][c] = (r == c ? 1 : 0) - Digits100(o[rows[r] * size + rows[c]]);
      if (!loop.empty()) a[r].back() = loop[rows[r]];
    }
    Digits100 determinant = 1, exponent = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      determinant *= a[k][k];
      exponent += a[k].back() * a[k].back() / a[k][k] / 2;
      for (std::size_t r = k + 1; r < a.size(); ++r) {
        const Digits100 multiple = a[r][k] / a[k][k];
        for (std::size_t c = k; c <= a.size(); ++c) a[r][c] -= multiple * a[k][c];
      }
    }
    const Digits100 term = exp(exponent) / sqrt(determinant);
    sum += (n - rows.size() / 2) % 2 == 0 ? term : -term;
    magnitudes += term;
  }
  return {sum, magnitudes};
}

// Returns the result of random reals that nobody checks, by a way of asking.
std::vector<double> random_reals(std::size_t n, std::uint64_t stream) {
  const Instance instance = random_instance(n, Kind::real, false, stream);
  return reals(instance.numbers(instance.o));
}

}  // namespace

TEST_CASE("torontonians agree with their definition over exact fractions, within the bound") {
  std::uint64_t stream = 0;
  for (const Kind kind : {Kind::real, Kind::physical, Kind::hermitian}) {
    for (const bool has_loop : {false, true}) {
      for (std::size_t n = 0; n <= (kind == Kind::real ? 6 : 5); ++n) {
        const Instance instance = random_instance(n, kind, has_loop, ++stream);
        INFO("kind " << static_cast<int>(kind) << " loop " << has_loop << " n=" << n << " seed=" << seed);
        const Digits100 truth = instance.truth();
        const std::vector<Complex> o = instance.numbers(instance.o), loop = instance.numbers(instance.loop);
        for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
          const auto doubles = with(Precision::float64, 1, isa), pairs = with(Precision::double_double, 1, isa);
          check_near(torontonian(o, 2 * n, loop, doubles), truth, 1e-6);
          check_near(torontonian(o, 2 * n, loop, pairs), truth, 1e-20);
          if (kind != Kind::real) continue;
          check_near(torontonian(reals(o), 2 * n, reals(loop), pairs), truth, 1e-20);
        }
      }
    }
  }
}

TEST_CASE("doubles that are scaled, nearly singular or have large loops keep the bound, for each kernel") {
  for (const std::size_t n : {1, 2, 3, 4, 5, 7, 8}) {
    for (int number = 0; number < 6; ++number) {
      Random random(seed, 600 + 10 * n + static_cast<std::uint64_t>(number));
      const std::size_t size = 2 * n;
      const auto uniform = [&] { return 2 * random.uniform() - 1; };
      // O = I - D (B B^T / size + e) D with D from 1/64 to 64.
      const double least = std::array{1.0, 1e-3, 1e-6}[static_cast<std::size_t>(number) / 2];
      std::vector<double> b(size * size), o(size * size), loop(number % 2 == 0 ? 0 : size);
      for (double& entry : b) entry = uniform();
      std::vector<int> scale(size);
      for (int& power : scale) power = static_cast<int>(random.below(13)) - 6;
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
          double sum = i == j ? least : 0;
          for (std::size_t k = 0; k < size; ++k) sum += b[i * size + k] * b[j * size + k] / static_cast<double>(size);
          o[i * size + j] = o[j * size + i] = (i == j ? 1 : 0) - std::ldexp(sum, scale[i] + scale[j]);
        }
      }
      for (std::size_t i = 0; i < loop.size(); ++i) loop[i] = std::ldexp(3 * uniform(), scale[i]) * std::sqrt(least);
      INFO("n=" << n << " number " << number << " seed=" << seed);
      const auto [truth, magnitudes] = truth_of(o, loop);
      for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
        for (const Precision precision : {Precision::float64, Precision::double_double, Precision::automatic}) {
          const TorontonianResult found = torontonian(o, size, loop, with(precision, 1, isa));
          const Digits100 bound = exp2(Digits100(found.value.log2_error));
          CHECK(abs(digits(found.value.value) - truth) <= bound);
          CHECK(bound <= magnitudes * (precision == Precision::double_double ? 1e-18 : 1e-4));
        }
      }
    }
  }
}

TEST_CASE("the torontonian of thermal modes is the product of its modes'") {
  for (const std::size_t n : {1, 2, 3, 4, 17, 18, 20}) {
    std::vector<double> o(4 * n * n);
    Digits100 truth = 1;
    for (std::size_t i = 0; i < n; ++i) {
      const double share = 0.25 + 0.5 * static_cast<double>(i) / static_cast<double>(n);
      o[i * (2 * n + 1)] = o[(i + n) * (2 * n + 1)] = share;
      truth *= 1 / (1 - Digits100(share)) - 1;
    }
    INFO("n=" << n);
    check_near(torontonian(o, 2 * n, {}, with(Precision::double_double, 2)), truth, 1e-15);
  }
}

TEST_CASE("a torontonian keeps its value as modes, and the rows of a mode, change places") {
  for (const std::size_t n : {2, 3, 5, 9}) {
    const Instance instance = random_instance(n, Kind::hermitian, true, 100 + n);
    const std::vector<Complex> o = instance.numbers(instance.o), loop = instance.numbers(instance.loop);
    const double value = torontonian(o, 2 * n, loop).value.value.to_double();
    Random random(seed, n);
    auto places = test::ascending(2 * n);
    for (std::size_t i = n; i > 1; --i) {
      const std::size_t j = random.below(i);
      std::swap(places[i - 1], places[j]);
      std::swap(places[i - 1 + n], places[j + n]);
      if (random.below(2) != 0) std::swap(places[i - 1], places[i - 1 + n]);
    }
    std::vector<Complex> other(o.size()), conjugate(o.size()), other_loop, conjugate_loop;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      for (std::size_t j = 0; j < 2 * n; ++j) other[i * 2 * n + j] = o[places[i] * 2 * n + places[j]];
      other_loop.push_back(loop[places[i]]);
      conjugate_loop.push_back(std::conj(loop[i]));
    }
    for (std::size_t e = 0; e < o.size(); ++e) conjugate[e] = std::conj(o[e]);
    INFO("n=" << n);
    CHECK(std::fabs(torontonian(other, 2 * n, other_loop).value.value.to_double() / value - 1) < 1e-8);
    CHECK(std::fabs(torontonian(conjugate, 2 * n, conjugate_loop).value.value.to_double() / value - 1) < 1e-8);
  }
}

TEST_CASE("a torontonian does not depend on the number of threads") {
  const std::size_t n = 19;
  const std::vector<double> o = random_reals(n, 200);
  for (const Precision precision : {Precision::float64, Precision::automatic}) {
    const TorontonianResult one = torontonian(o, 2 * n, {}, with(precision, 1));
    const TorontonianResult two = torontonian(o, 2 * n, {}, with(precision, 2));
    CHECK(one.value.value.mantissa == two.value.value.mantissa);
    CHECK(one.value.log2_error == two.value.log2_error);
  }
}

TEST_CASE("a batch has the torontonians of its matrices, on any number of threads") {
  for (const std::size_t n : {1, 3, 9}) {
    std::vector<double> all;
    constexpr std::size_t count = 40;
    for (std::size_t i = 0; i < count; ++i) std::ranges::copy(random_reals(n, 500 + i), std::back_inserter(all));
    const std::vector<std::complex<double>> numbers(all.begin(), all.end());
    for (const int threads : {1, 4}) {
      const auto found = torontonians(all, 2 * n, {}, with(Precision::automatic, threads));
      const auto same = torontonians(numbers, 2 * n, {}, with(Precision::automatic, threads));
      REQUIRE(found.size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto one = torontonian(std::span(all).subspan(i * 4 * n * n, 4 * n * n), 2 * n);
        CHECK(found[i].value.value.mantissa == one.value.value.mantissa);
        CHECK(found[i].value.log2_error == one.value.log2_error);
        CHECK(same[i].value.value.mantissa == one.value.value.mantissa);
      }
      // Each with the loop of its number.
      const auto with_loops =
          torontonians(all, 2 * n, std::span(all).first(count * 2 * n), with(Precision::automatic, threads));
      for (std::size_t i = 0; i < count; ++i) {
        const auto one = torontonian(std::span(all).subspan(i * 4 * n * n, 4 * n * n), 2 * n,
                                     std::span(all).subspan(i * 2 * n, 2 * n));
        CHECK(with_loops[i].value.value.mantissa == one.value.value.mantissa);
      }
      CHECK_THROWS_AS(torontonians(all, 2 * n, std::span(all).first(count * 2 * n - 1)), InputError);
    }
  }
  CHECK(torontonians(std::vector<double>(), 2).empty());
  CHECK_THROWS_AS(torontonians(std::vector<double>(5), 2), InputError);
  CHECK_THROWS_AS(torontonians(std::vector<double>{0, 0, 0, 0, 1, 0, 0, 1}, 2), InputError);
  TorontonianOptions options = with(Precision::automatic, 2);
  options.run.time_limit_s = 1e-9;
  CHECK_THROWS_AS(torontonians(std::vector<double>(4 * 8), 2, {}, options), Unable);
}

TEST_CASE("what is nearly Hermitian is refused, or taken within a tolerance that the bound has") {
  const std::size_t n = 3;
  std::vector<double> o = random_reals(n, 300);
  const TorontonianResult exact = torontonian(o, 2 * n);
  o[1] += 1e-9;
  CHECK_THROWS_WITH(torontonian(o, 2 * n), ContainsSubstring("(2, 1)") && ContainsSubstring("e-09") &&
                                               ContainsSubstring("(O + O.conj().T) / 2"));
  TorontonianOptions options{.atol = 1e-10};
  CHECK_THROWS_AS(torontonian(o, 2 * n, {}, options), InputError);
  options.atol = 1e-8;
  const TorontonianResult near = torontonian(o, 2 * n, {}, options);
  CHECK(near.value.log2_error > std::log2(1e-10));
  CHECK(std::fabs(near.value.value.to_double() - exact.value.value.to_double()) <=
        std::exp2(near.value.log2_error) + std::exp2(exact.value.log2_error));
}

TEST_CASE("what has no torontonian is refused") {
  const auto refused = [](std::vector<double> o, std::size_t rows, std::vector<double> loop, const char* words) {
    CHECK_THROWS_WITH(torontonian(o, rows, loop), ContainsSubstring(words));
  };
  refused({1}, 1, {}, "two rows a mode");
  refused({0, 0, 0, 0}, 2, {1}, "one for each row");
  refused({1, 0, 0, 0}, 2, {}, "positive definite");
  refused({0, 1, 1, 0}, 2, {}, "positive definite");
  refused({0, 2, 2, 0}, 2, {}, "positive definite");
  refused({0, std::nextafter(1.0, 0), std::nextafter(1.0, 0), 0}, 2, {100, 100}, "exp(");
  refused({NAN, 0, 0, 0}, 2, {}, "finite");
  refused(std::vector<double>(122 * 122), 122, {}, "60 at most");
  CHECK_THROWS_AS(torontonian(std::vector<double>(4), 2, {}, with(Precision::exact)), InputError);
  CHECK(torontonian(std::vector<double>(), 0).value.value.to_double() == 1);
  // Doubles come no nearer to a matrix that is not positive definite.
  const double near = std::nextafter(1.0, 0);
  CHECK(torontonian(std::vector<double>{0, near, near, 0}, 2).arithmetic == Arithmetic::double_double);
}

TEST_CASE("a torontonian keeps its limits") {
  const std::size_t n = 26;
  const std::vector<double> o = random_reals(n, 400);
  TorontonianOptions cpu = with(Precision::double_double);
  cpu.run.device.kind = DeviceChoice::Kind::cpu;
  TorontonianOptions options = cpu;
  options.run.time_limit_s = 0.05;
  CHECK_THROWS_AS(torontonian(o, 2 * n, {}, options), OverLimit);
  options = cpu;
  options.run.memory_limit_bytes = 1 << 20;
  CHECK_THROWS_AS(torontonian(o, 2 * n, {}, options), OverLimit);
  options = cpu;
  std::stop_source stop;
  options.run.stop = stop.get_token();
  options.run.on_progress = [&](const Progress&) { stop.request_stop(); };
  CHECK_THROWS_AS(torontonian(o, 2 * n, {}, options), Cancelled);
}
