#include "linear/determinant.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/random.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/oracles.hpp"
#include "support/permutations.hpp"
#include "support/truth.hpp"

using namespace matchcount;

namespace {

constexpr std::uint64_t seed = 20261121;
constexpr std::size_t edge_sizes[] = {0, 1, 2, 3, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129};
// Windows of 8 and of 2 products (below and above 2^30), small, and the least and the largest.
const std::vector<std::uint32_t> primes{2, 3, 5, 7, 257, 65537, 1073741789, 1073741827, 2147483629, 2147483647};

using Entries = std::vector<std::int64_t>;

Entries random_entries(std::size_t n, std::int64_t most, std::uint64_t stream) {
  Random random(seed, stream);
  Entries entries(n * n);
  for (auto& entry : entries)
    entry = static_cast<std::int64_t>(random.below(2 * static_cast<std::uint64_t>(most) + 1)) - most;
  return entries;
}

std::vector<Integer> integers(const Entries& entries) { return {entries.begin(), entries.end()}; }

std::uint32_t residue(const Integer& value, std::uint32_t prime) {
  const Integer rest = value % prime;
  return static_cast<std::uint32_t>(rest < 0 ? rest + prime : rest);
}

DeterminantOptions with(DeterminantMethod method, int threads = 1, Isa isa = Isa::avx512) {
  return {.method = method, .run = {.num_threads = threads, .max_isa = isa}};
}

std::string label(std::size_t n) { return "n=" + std::to_string(n) + " seed=" + std::to_string(seed); }

// Finds the sign of a permutation by its cycles.
int sign_of(const std::vector<std::size_t>& permutation) {
  std::vector<bool> seen(permutation.size());
  int sign = 1;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    for (std::size_t j = i, length = 0; !seen[j]; j = permutation[j], ++length) {
      seen[j] = true;
      if (length > 0) sign = -sign;
    }
  }
  return sign;
}

// Returns 1 / det of the Hilbert matrix: the product over i < n of (2 i + 1) C(2 i, i)^2 (Choi 1983,
// doi:10.2307/2975779).
Integer inverse_of_hilbert(std::size_t n) {
  Integer product = 1, binomial = 1;  // C(2 i, i)
  for (std::size_t i = 0; i < n; ++i) {
    product *= (2 * i + 1) * binomial * binomial;
    binomial = binomial * (2 * (2 * i + 1)) / (i + 1);
  }
  return product;
}

std::vector<Rational> hilbert(std::size_t n) {
  std::vector<Rational> entries;
  for (std::size_t i = 0; i < n * n; ++i) entries.emplace_back(1, i / n + i % n + 1);
  return entries;
}

}  // namespace

TEST_CASE("exact determinants equal the expansion, n <= 7") {
  for (std::size_t n = 0; n <= 7; ++n) {
    for (std::uint64_t instance = 0; instance < 12; ++instance) {
      const Entries entries = random_entries(n, instance < 6 ? 2 : 1000, 100 * n + instance);
      INFO(label(n) << " instance " << instance);
      const Integer truth = reference::determinant_by_expansion(integers(entries), n);
      CHECK(determinant(entries, n) == truth);
      CHECK(determinant(entries, n, with(DeterminantMethod::condensation)) == truth);
    }
  }
}

TEST_CASE("exact determinants equal elimination without fractions at sizes about powers of two") {
  for (const std::size_t n : edge_sizes) {
    INFO(label(n));
    const Entries entries = random_entries(n, 9, n);
    const Integer truth = reference::determinant_by_bareiss(integers(entries), n);
    CHECK(determinant(entries, n) == truth);
    CHECK(determinant(entries, n, with(DeterminantMethod::condensation, 3)) == truth);
    CHECK(determinant(integers(entries), n) == truth);
    const std::vector<std::uint32_t> values = determinants_modulo(entries, n, primes);
    for (std::size_t i = 0; i < primes.size(); ++i) {
      INFO("prime " << primes[i]);
      CHECK(values[i] == residue(truth, primes[i]));
    }
  }
}

TEST_CASE("every instruction set and number of threads gives the same residues") {
  const std::vector<std::uint32_t> odd{3, 1073741789, 1073741827, 2147483647};
  for (const std::size_t n : {std::size_t{7}, std::size_t{65}, std::size_t{200}, std::size_t{301}}) {
    INFO(label(n));
    const Entries entries = random_entries(n, std::numeric_limits<std::int64_t>::max() / 2, n);
    const auto reference =
        determinants_modulo(entries, n, odd, with(DeterminantMethod::condensation, 1, Isa::baseline));
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      for (const int threads : {1, 2, 5}) {
        CHECK(determinants_modulo(entries, n, odd, with(DeterminantMethod::elimination, threads, isa)) == reference);
      }
      CHECK(determinants_modulo(entries, n, odd, with(DeterminantMethod::condensation, 3, isa)) == reference);
    }
  }
}

TEST_CASE("entries to the ends of 64 bits, and beyond") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         most = std::numeric_limits<std::int64_t>::max();
  CHECK(determinant(Entries{least}, 1) == Integer(least));
  CHECK(determinant(Entries{least, most, most, least}, 2) == Integer(least) * least - Integer(most) * most);
  for (const std::size_t n : {std::size_t{5}, std::size_t{33}}) {
    INFO(label(n));
    const Entries entries = random_entries(n, most / 2, 7 + n);
    CHECK(determinant(entries, n) == reference::determinant_by_bareiss(integers(entries), n));
    std::vector<Integer> large = integers(entries);
    for (std::size_t i = 0; i < large.size(); ++i) large[i] *= pow(large[i], static_cast<unsigned>(i % 9));
    CHECK(determinant(large, n) == reference::determinant_by_bareiss(large, n));
  }
  // Lengths that differ by more than a double's range.
  const std::vector<Integer> uneven{Integer(1) << 3000, 3, 5, -(Integer(1) << 2000)};
  CHECK(determinant(uneven, 2) == -(Integer(1) << 5000) - 15);
}

TEST_CASE("singular matrices have determinant 0, by whichever column or row it shows") {
  for (const std::size_t n : edge_sizes) {
    if (n < 2) continue;
    INFO(label(n));
    Entries equal_rows = random_entries(n, 5, 31 * n);
    for (std::size_t c = 0; c < n; ++c) equal_rows[(n - 1) * n + c] = equal_rows[c];
    Entries rank_one(n * n), zero_column = random_entries(n, 5, 37 * n);
    for (std::size_t i = 0; i < n * n; ++i) rank_one[i] = static_cast<std::int64_t>((i / n + 1) * (i % n + 2));
    for (std::size_t r = 0; r < n; ++r) zero_column[r * n + n / 2] = 0;
    for (const Entries& entries : {equal_rows, rank_one, zero_column, Entries(n * n, 0)}) {
      CHECK(determinant(entries, n) == 0);
      CHECK(determinant(entries, n, with(DeterminantMethod::condensation)) == 0);
      CHECK(determinants_modulo(entries, n, primes) == std::vector<std::uint32_t>(primes.size(), 0));
    }
  }
}

TEST_CASE("a permutation matrix has the permutation's sign, and a triangle shuffled the product of its diagonal") {
  for (const std::size_t n : edge_sizes) {
    INFO(label(n));
    Random random(seed, 1000 + n);
    const auto permutation = test::random_permutation(n, random);
    Entries matrix(n * n, 0), triangle(n * n, 0);
    Integer product = 1;
    for (std::size_t r = 0; r < n; ++r) {
      matrix[r * n + permutation[r]] = 1;
      for (std::size_t c = 0; c <= r; ++c) {
        const auto entry = static_cast<std::int64_t>(random.below(7)) - 3;
        triangle[r * n + permutation[c]] = c == r ? 2 * entry + 1 : entry;
      }
      product *= triangle[r * n + permutation[r]];
    }
    CHECK(determinant(matrix, n) == sign_of(permutation));
    CHECK(determinant(triangle, n) == sign_of(permutation) * product);
    CHECK(determinant(triangle, n, with(DeterminantMethod::condensation)) == sign_of(permutation) * product);
  }
}

TEST_CASE("Hilbert matrices of fractions have the determinant of the closed form") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{20},
                              std::size_t{33}, std::size_t{60}}) {
    INFO("n=" << n);
    CHECK(determinant(hilbert(n), n) == Rational(1, inverse_of_hilbert(n)));
  }
}

TEST_CASE("the Hilbert matrix of 200 rows, whose determinant is 1e-23900", "[slow]") {
  CHECK(determinant(hilbert(200), 200) == Rational(1, inverse_of_hilbert(200)));
}

TEST_CASE("fractions with signs: a Cauchy matrix has the determinant of Cauchy's formula") {
  constexpr std::size_t n = 12;
  std::vector<Rational> entries;
  Rational truth = 1;
  const auto x = [](std::size_t i) { return Rational(static_cast<int>(3 * i) - 17, 7); };
  const auto y = [](std::size_t j) { return Rational(static_cast<int>(5 * j) + 2, 11); };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      entries.push_back(1 / (x(i) - y(j)));
      truth /= x(i) - y(j);
      if (j < i) truth *= (x(i) - x(j)) * (y(j) - y(i));
    }
  }
  CHECK(determinant(entries, n) == truth);
}

TEST_CASE("what is not a square matrix or not a prime is bad input, and limits are kept") {
  CHECK_THROWS_AS(determinant(Entries{1, 2, 3}, 2), InputError);
  CHECK_THROWS_AS(determinants_modulo(Entries{1}, 1, std::vector<std::uint32_t>{9}), InputError);
  CHECK_THROWS_AS(determinants_modulo(Entries{1}, 1, std::vector<std::uint32_t>{2147483659}), InputError);
  const Entries entries = random_entries(300, 1000, 1);
  DeterminantOptions options{.run = {.memory_limit_bytes = 100'000}};
  CHECK_THROWS_AS(determinant(entries, 300, options), Unable);
  options = {};
  options.run.stop = test::raised_stop();
  CHECK_THROWS_AS(determinant(entries, 300, options), Cancelled);
  options = {};
  options.run.time_limit_s = 1e-6;
  CHECK_THROWS_AS(determinant(entries, 300, options), Unable);
}

// ---- Reals and complex numbers.

namespace {

using test::Dyadic;

// Takes the entries as integers over one power of 2, eliminated without fractions.
template <class T>
Dyadic exact_determinant(const std::vector<T>& entries, std::size_t n) {
  std::vector<Dyadic> values;
  std::int64_t least = 0;
  for (const T& entry : entries) {
    values.push_back(test::dyadic(entry));
    if (values.back().integer != 0) least = std::min(least, values.back().exponent);
  }
  std::vector<Integer> shifted;
  for (const Dyadic& value : values)
    shifted.push_back(value.integer == 0 ? Integer(0)
                                         : Integer(value.integer << static_cast<std::size_t>(value.exponent - least)));
  return {reference::determinant_by_bareiss(shifted, n), least * static_cast<std::int64_t>(n)};
}

double log2_distance(const RealValue& value, const Dyadic& truth) {
  const Dyadic difference = test::dyadic(value.value) - truth;
  return difference.integer == 0 ? -std::numeric_limits<double>::infinity() : test::log2_abs(difference);
}

// Returns numbers in [-1, 1]; quarters in large matrices, so that the truth takes a second.
std::vector<double> random_reals(std::size_t n, std::uint64_t stream) {
  Random random(seed, stream);
  std::vector<double> entries(n * n);
  for (double& entry : entries) {
    entry = 2 * random.uniform() - 1;
    if (n > 40) entry = std::round(entry * 4) / 4;
  }
  return entries;
}

DeterminantOptions with(Precision precision, DeterminantMethod method = DeterminantMethod::automatic, int threads = 1,
                        Isa isa = Isa::avx512) {
  DeterminantOptions options = with(method, threads, isa);
  options.run.precision = precision;
  return options;
}

constexpr Precision precisions[] = {Precision::float64, Precision::double_double};

}  // namespace

TEST_CASE("real determinants lie within their bounds, and the bounds leave digits") {
  for (const std::size_t n : edge_sizes) {
    if (n > 65) continue;  // the exact truth takes long: the next test has two panels
    INFO(label(n));
    const std::vector<double> entries = random_reals(n, n);
    const Dyadic truth = exact_determinant(entries, n);
    for (const Precision precision : precisions) {
      for (const auto method : {DeterminantMethod::elimination, DeterminantMethod::condensation}) {
        const RealValue value = determinant(entries, n, with(precision, method, 2));
        CHECK(log2_distance(value, truth) <= value.log2_error);
        CHECK(relative_error(value) < (precision == Precision::float64 ? 1e-8 : 1e-23));
      }
    }
  }
}

TEST_CASE("the bound holds on every instruction set, and digits do not depend on threads") {
  constexpr std::size_t n = 129;
  const std::vector<double> entries = random_reals(n, 5);
  const Dyadic truth = exact_determinant(entries, n);
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    for (const Precision precision : precisions) {
      for (const auto method : {DeterminantMethod::elimination, DeterminantMethod::condensation}) {
        const RealValue one = determinant(entries, n, with(precision, method, 1, isa));
        const RealValue five = determinant(entries, n, with(precision, method, 5, isa));
        CHECK(log2_distance(one, truth) <= one.log2_error);
        CHECK(relative_error(one) < (precision == Precision::float64 ? 1e-8 : 1e-23));
        CHECK((one.value.mantissa == five.value.mantissa && one.value.exponent == five.value.exponent));
        CHECK(one.log2_error == five.log2_error);
      }
    }
  }
}

TEST_CASE("scales of 1e-300 and 1e300 neither over- nor underflow") {
  for (const double scale : {1e-300, 1e300}) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{9}, std::size_t{40}}) {
      INFO("n=" << n << " scale=" << scale);
      std::vector<double> entries = random_reals(n, 77);
      for (double& entry : entries) entry *= scale;
      const Dyadic truth = exact_determinant(entries, n);
      for (const Precision precision : precisions) {
        const RealValue value = determinant(entries, n, with(precision));
        CHECK(log2_distance(value, truth) <= value.log2_error);
        CHECK(relative_error(value) < 1e-9);
      }
    }
  }
  // Rows and columns of different scales.
  std::vector<double> mixed = random_reals(9, 78);
  for (std::size_t i = 0; i < mixed.size(); ++i)
    mixed[i] *= (i / 9 % 2 == 0 ? 1e150 : 1e-150) * (i % 9 < 4 ? 1e-140 : 1e140);
  const Dyadic truth = exact_determinant(mixed, 9);
  const RealValue value = determinant(mixed, 9);
  CHECK(log2_distance(value, truth) <= value.log2_error);
  CHECK(relative_error(value) < 1e-20);
}

TEST_CASE("a column that lies below all doubles beside what else is in its rows is no column of zeros") {
  const auto check = [](const auto& entries, std::size_t n) {
    const Dyadic truth = exact_determinant(entries, n);
    for (const Precision precision : precisions) {
      for (const auto method : {DeterminantMethod::elimination, DeterminantMethod::condensation}) {
        const RealValue value = determinant(entries, n, with(precision, method));
        CHECK(log2_distance(value, truth) <= value.log2_error);
        CHECK(relative_error(value) < 1e-9);
      }
    }
  };
  check(std::vector<double>{0, 1, 1e-300, 1e300}, 2);
  check(std::vector<double>{1e-300, 1e300, 0, 0, 3, 1e-200, 5e-324, 0, 1e300}, 3);
  check(std::vector<double>{0, 1e300, 1, 1e-300}, 2);
}

TEST_CASE("Hilbert matrices in floating point have digits, by residues where these alone have some") {
  bool in_residues = false, in_floats = false;
  for (const std::size_t n : {std::size_t{3}, std::size_t{5}, std::size_t{8}, std::size_t{12}, std::size_t{16},
                              std::size_t{25}, std::size_t{40}}) {
    INFO("n=" << n);
    std::vector<DoubleDouble> entries;
    for (std::size_t i = 0; i < n * n; ++i)
      entries.push_back(DoubleDouble(1) / DoubleDouble(static_cast<double>(i / n + i % n + 1)));
    const Dyadic truth = exact_determinant(entries, n);
    const auto size = static_cast<Vertex>(n);
    const Matrix full = Matrix::from_dense(size, size, Entries(n * n, 1));
    for (const Precision precision : precisions) {
      const RealValue value = determinant(entries, n, with(precision));
      CHECK(log2_distance(value, truth) <= value.log2_error);
      CHECK(relative_error(value) < 0.05);
      const auto told = determinant(full.with_weights(entries), with(precision));
      CHECK(log2_distance(std::get<RealValue>(told.value), truth) <= std::get<RealValue>(told.value).log2_error);
      (told.arithmetic == Arithmetic::residues ? in_residues : in_floats) = true;
    }
  }
  CHECK(in_residues);
  CHECK(in_floats);
}

TEST_CASE("singular real and complex matrices have determinant 0, exactly if their entries are") {
  for (const std::size_t n : {std::size_t{2}, std::size_t{9}, std::size_t{65}}) {
    INFO(label(n));
    std::vector<double> entries = random_reals(n, 11 * n);
    for (std::size_t c = 0; c < n; ++c) entries[(n - 1) * n + c] = 4 * entries[c];
    std::vector<ComplexDoubleDouble> turned;
    for (std::size_t i = 0; i < n * n; ++i) {  // every second row times i
      const DoubleDouble entry = entries[i];
      turned.push_back(i / n % 2 == 0 ? ComplexDoubleDouble{entry, 0} : ComplexDoubleDouble{0, entry});
    }
    for (const Precision precision : {Precision::automatic, Precision::float64, Precision::double_double}) {
      for (const auto method : {DeterminantMethod::elimination, DeterminantMethod::condensation}) {
        const RealValue value = determinant(entries, n, with(precision, method));
        CHECK(value.value.is_zero());
        CHECK(std::isinf(value.log2_error));
        const ComplexValue complex = determinant(turned, n, with(precision, method));
        CHECK(log2_abs(complex.value) == -std::numeric_limits<double>::infinity());
        CHECK(std::isinf(complex.log2_error));
      }
    }
    // Weights as they were read are right to 2^-100.
    const auto size = static_cast<Vertex>(n);
    const auto told = std::get<RealValue>(determinant(Matrix::from_dense(size, size, entries)).value);
    CHECK(told.value.is_zero());
    CHECK(told.log2_error < 3 * static_cast<double>(n) - 90);
    for (std::size_t c = 0; c < n; ++c) entries[c] = 0;
    CHECK(determinant(entries, n).value.is_zero());
    CHECK(relative_error(determinant(entries, n)) == 0);
  }
  // Scales of 2^-1000 and 2^1000 side by side, and a matrix within a bit of a singular one.
  const double tiny = 0x1p-1000, huge = 0x1p1000;
  CHECK(determinant(std::vector<double>{tiny, 2 * tiny, huge, 2 * huge}, 2).value.is_zero());
  const double above = std::nextafter(1.0, 2.0), below = std::nextafter(1.0, 0.0);
  const std::vector<double> close{1, above, below, 1, 1, above, 0.5, 0.25, above * above};
  CHECK(log2_distance(determinant(close, 3), exact_determinant(close, 3)) <= determinant(close, 3).log2_error);
}

TEST_CASE("a large singular matrix, whose residues would take long, has Hadamard's bound") {
  constexpr std::size_t n = 600;
  std::vector<double> entries = random_reals(n, 3);
  for (double& entry : entries) entry += 0x1p-50;
  for (std::size_t c = 0; c < n; ++c) entries[(n - 1) * n + c] = entries[c];
  const RealValue value = determinant(entries, n, with(Precision::float64));
  CHECK(std::isfinite(value.log2_error));
  CHECK(value.value.log2_abs() <= value.log2_error);
}

TEST_CASE("complex determinants lie within their bounds") {
  // Gaussian integers: the determinant by expansion, and at any size from the real 2 n x 2 n matrix, |det|^2.
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{7}}) {
    INFO(label(n));
    Random random(seed, 5000 + n);
    std::vector<ComplexDoubleDouble> entries;
    std::vector<test::GaussianInteger> integers;
    for (std::size_t i = 0; i < n * n; ++i) {
      const auto re = static_cast<int>(random.below(21)) - 10, im = static_cast<int>(random.below(21)) - 10;
      entries.push_back({static_cast<double>(re), static_cast<double>(im)});
      integers.push_back({re, im});
    }
    // Leibniz, over permutations.
    test::GaussianInteger truth{0, 0};
    auto permutation = test::ascending(n);
    do {
      Integer re = sign_of(permutation), im = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const auto& factor = integers[i * n + permutation[i]];
        const Integer next = re * factor.re - im * factor.im;
        im = re * factor.im + im * factor.re;
        re = next;
      }
      truth.re += re;
      truth.im += im;
    } while (std::next_permutation(permutation.begin(), permutation.end()));
    for (const Precision precision : precisions) {
      for (const auto method : {DeterminantMethod::elimination, DeterminantMethod::condensation}) {
        const ComplexValue value = determinant(entries, n, with(precision, method));
        for (const auto& [part, exact] : {std::pair{value.value.re, truth.re}, std::pair{value.value.im, truth.im}})
          CHECK(log2_distance({part, 0, 0}, {exact, 0}) <= value.log2_error);
        CHECK(relative_error(value) < 1e-8);
      }
    }
  }
  for (const std::size_t n : {std::size_t{33}, std::size_t{64}, std::size_t{129}}) {
    INFO(label(n));
    const std::vector<double> re = random_reals(n, 300 + n), im = random_reals(n, 400 + n);
    std::vector<ComplexDoubleDouble> entries;
    std::vector<double> both(4 * n * n);
    for (std::size_t i = 0; i < n * n; ++i) {
      entries.push_back({re[i], im[i]});
      const std::size_t r = i / n, c = i % n;
      both[r * 2 * n + c] = both[(r + n) * 2 * n + c + n] = re[i];
      both[r * 2 * n + c + n] = -im[i];
      both[(r + n) * 2 * n + c] = im[i];
    }
    const RealValue square = determinant(both, 2 * n, with(Precision::double_double));
    for (const Precision precision : precisions) {
      const ComplexValue value = determinant(entries, n, with(precision));
      CHECK(relative_error(value) < (precision == Precision::float64 ? 1e-5 : 1e-20));
      const double ratio = std::exp2(2 * log2_abs(value.value) - square.value.log2_abs());
      CHECK(std::fabs(ratio - 1) <= 2.1 * relative_error(value) + relative_error(square) + 1e-10);
    }
  }
}

TEST_CASE("the front door takes integers, reals, complex numbers and fractions, and refuses what is not square") {
  const Matrix integers = Matrix::from_dense(2, 2, Entries{1, 2, 3, 4});
  const DeterminantResult exact = determinant(integers);
  CHECK(std::get<Integer>(exact.value) == -2);
  CHECK(exact.primes == 1);
  CHECK(std::get<Integer>(determinant(Matrix()).value) == 1);
  CHECK(std::get<Integer>(determinant(integers.pattern()).value) == 0);
  const Matrix reals = Matrix::from_dense(2, 2, std::vector<double>{0.5, 2, 3, 4});
  CHECK(std::get<RealValue>(determinant(reals).value).value.to_double() == -4);
  CHECK(determinant(reals, with(Precision::float64)).arithmetic == Arithmetic::float64);
  const std::vector<Rational> table{0, Rational(1, 2), Rational(1, 3), Rational(-1, 5)};
  const Matrix places = Matrix::from_dense(2, 2, Entries{1, 2, 2, 3});
  CHECK(std::get<Rational>(determinant(places, table).value) == Rational(-1, 10) - Rational(1, 9));
  CHECK_THROWS_AS(determinant(Matrix::from_edges(2, 3, {{0, 0}})), InputError);
  CHECK_THROWS_AS(determinant(reals, with(Precision::compensated)), InputError);
}

TEST_CASE("the front door's bound covers low halves that were subnormal when they were read") {
  // 2.3e-308 as it is read: 2^-1075 may be missing.
  for (const Precision precision : {Precision::automatic, Precision::float64, Precision::double_double}) {
    const Matrix matrix = Matrix::from_dense(1, 1, std::vector<double>{2.3e-308});
    const RealValue value = std::get<RealValue>(determinant(matrix, with(precision)).value);
    CHECK(value.log2_error >= -1075);
    CHECK(value.log2_error < -1070);
  }
}
