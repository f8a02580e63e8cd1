#include "linear/determinant.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/device.hpp"
#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/numbers/pair.hpp"
#include "core/numbers/real.hpp"
#include "core/numbers/residue.hpp"
#include "graph/vertices.hpp"
#include "linear/cpu/dense_floating.hpp"
#include "linear/cuda/determinant_gpu.hpp"
#include "linear/determinant/modular.hpp"
#include "linear/parity.hpp"

namespace matchcount::dense {
namespace {

struct FloatingDeterminant {
  ScaledComplex value;
  double log2_error = -std::numeric_limits<double>::infinity();
  Arithmetic arithmetic = Arithmetic::float64;
  std::size_t primes = 0;  // of residues
  std::vector<DeviceInfo> gpus = {};
  std::string note = {};
  DeterminantReport report = {};
};

// Double-doubles take less than about 0.1 s for so few rows.
constexpr std::size_t small_rows = 300;

// Returns value * 2^exponent, exactly unless that underflows.
double times_power(double value, int exponent) {
  constexpr int bias = 1023;
  if (exponent <= -bias || exponent > bias) return std::ldexp(value, exponent);
  return value * std::bit_cast<double>(static_cast<std::uint64_t>(bias + exponent) << 52);
}
DoubleDouble times_power(DoubleDouble value, int exponent) {
  return {times_power(value.hi, exponent), times_power(value.lo, exponent)};
}
ComplexDoubleDouble times_power(const ComplexDoubleDouble& value, int exponent) {
  return {times_power(value.re, exponent), times_power(value.im, exponent)};
}

double component(double value) { return std::fabs(value); }
double component(DoubleDouble value) { return std::fabs(value.hi); }
double component(const ComplexDoubleDouble& value) { return std::max(component(value.re), component(value.im)); }

// Returns numbers whose sum is the real part of an entry, and those of the imaginary part.
std::array<std::array<double, 2>, 2> terms_of(double value) { return {{{value, 0}}}; }
std::array<std::array<double, 2>, 2> terms_of(DoubleDouble value) { return {{{value.hi, value.lo}}}; }
std::array<std::array<double, 2>, 2> terms_of(const ComplexDoubleDouble& value) {
  return {{{value.re.hi, value.re.lo}, {value.im.hi, value.im.lo}}};
}

void put(double value, double* at, std::size_t plane, bool pairs) {
  *at = value;
  if (pairs) at[plane] = 0;
}
void put(DoubleDouble value, double* at, std::size_t plane, bool pairs) {
  *at = value.hi;
  if (pairs) at[plane] = value.lo;
}
void put(const ComplexDoubleDouble& value, double* at, std::size_t plane, bool pairs) {
  put(value.re, at, plane, pairs);
  put(value.im, at + (pairs ? 2 : 1) * plane, plane, pairs);
}

// Eliminates row-major n x n entries that are right to entry_error of their magnitudes; T is double, DoubleDouble or
// ComplexDoubleDouble. Throws as determinant() does.
template <class T>
class Floating {
 public:
  Floating(std::span<const T> entries, std::size_t n, double entry_error, const DeterminantOptions& options)
      : entries_(entries),
        n_(n),
        entry_error_(entry_error),
        options_(options),
        run_(options.run),
        limit_(resolve_memory_limit(options.run)) {
    if (options.run.precision == Precision::compensated || options.run.precision == Precision::exact)
      throw InputError(
          options.run.precision == Precision::exact ? "the precision 'exact'" : "the precision 'compensated'",
          "double or double-double for a determinant");
  }

  FloatingDeterminant run() {
    scale();
    if (zero_) return {};
    const bool asked = options_.run.device.kind == DeviceChoice::Kind::cuda;
    const bool first = options_.run.precision == Precision::double_double ||
                       (options_.run.precision == Precision::automatic && n_ <= small_rows && !asked);
    if (first && asked) throw Unable("double-doubles on a GPU: there determinants are computed in doubles");
    const double n = static_cast<double>(n_), work = (options_.bound ? 4 : 1) * n * n * n / 3;
    constexpr std::size_t value_bytes = std::is_same_v<T, ComplexDoubleDouble> ? 16 : 8;
    const std::vector<DeviceInfo> gpus =
        first ? std::vector<DeviceInfo>() : choose_gpu(work, n_, value_bytes, options_);
    FloatingDeterminant answer = run(first, gpus);
    const auto no_digit = [&] { return !(answer.log2_error - log2_abs(answer.value) < std::log2(0.05)); };
    if (options_.run.precision == Precision::automatic && options_.bound && !first && no_digit()) {
      answer = run(true, {});
      if (!gpus.empty()) answer.note = "doubles on the GPU prove no digit: this is from double-doubles on the CPU";
    }
    if (options_.bound && answer.log2_error > -infinity && no_digit()) by_residues(answer);
    return answer;
  }

 private:
  // Rows, then columns, by powers of 2 to a largest component in [1/4, 1/2). By exponents: what the scaled rows hold of
  // a column may lie below all doubles.
  void scale() {
    constexpr int none = std::numeric_limits<int>::min();
    std::vector<int> row_top(n_, none), column_top(n_, none);
    for (std::size_t r = 0; r < n_; ++r) {
      for (std::size_t c = 0; c < n_; ++c) {
        const double size = component(entries_[r * n_ + c]);
        if (!std::isfinite(size)) throw InputError("an entry that is not finite", "numbers");
        if (size != 0) row_top[r] = std::max(row_top[r], std::ilogb(size));
      }
      for (std::size_t c = 0; c < n_; ++c) {
        const double size = component(entries_[r * n_ + c]);
        if (size != 0) column_top[c] = std::max(column_top[c], std::ilogb(size) - row_top[r] - 2);
      }
    }
    const auto set = [&](std::vector<int>& exponents, const std::vector<int>& tops) {
      for (const int top : tops) {
        zero_ = zero_ || top == none;
        exponents.push_back(top == none ? 0 : top + 2);
        exponent_ += exponents.back();
      }
    };
    set(row_, row_top);
    set(column_, column_top);
  }

  // Makes the scaled matrix, and Hadamard's bound on its determinant.
  FloatMatrix matrix_of(Number number, double& log2_hadamard) const {
    FloatMatrix matrix(n_, planes_of(number));
    const std::size_t plane = n_ * n_;
    const bool pairs = number == Number::double_double || number == Number::complex_double_double;
    std::vector<double> columns(n_, 0);
    double by_row = 0, by_column = 0;
    for (std::size_t r = 0; r < n_; ++r) {
      double row = 0;
      for (std::size_t c = 0; c < n_; ++c) {
        const T entry = times_power(entries_[r * n_ + c], -(row_[r] + column_[c]));
        put(entry, matrix.entries.data() + r * n_ + c, plane, pairs);
        const double size = magnitude_of(entry), square = size * size + 0x1p-1000;
        row += square;
        columns[c] += square;
      }
      by_row += 0.5 * std::log2(row);
    }
    for (const double column : columns) by_column += 0.5 * std::log2(column);
    const double n = static_cast<double>(n_), bound = std::min(by_row, by_column);
    log2_hadamard = bound + n * ((n + 8) * 0x1p-50 + 2 * entry_error_) + std::fabs(bound) * n * 0x1p-50;
    return matrix;
  }
  static double magnitude_of(const T& entry) {
    if constexpr (std::is_same_v<T, double>) {
      return std::fabs(entry);
    } else {
      return magnitude(entry);
    }
  }

  FloatingDeterminant run(bool double_double, const std::vector<DeviceInfo>& gpus) {
    const Number number = std::is_same_v<T, ComplexDoubleDouble>
                              ? (double_double ? Number::complex_double_double : Number::complex)
                              : (double_double ? Number::double_double : Number::real);
    const std::uint64_t one = n_ * n_ * sizeof(double) * planes_of(number);
    const bool here = gpus.empty(), condensed = options_.method == DeterminantMethod::condensation;
    check_memory(n_, (options_.bound && here ? 5 : 2) * one, limit_);
    Execution how{kernels_of(options_.run), resolve_num_threads(options_.run), run_, {}};
    const double shares = options_.bound ? 4 : 1;
    how.on_rows = [&](std::size_t rows) {
      const double left = 1 - static_cast<double>(rows) / static_cast<double>(n_);
      run_.report("determinant", (1 - left * left * left) / shares, 1);
    };
    // Held, so that a second call does not start the device anew.
    std::optional<DeviceContext> context;
    if (!here) context.emplace(gpus[0]);
    double log2_hadamard = infinity;
    FloatingDeterminant answer{{}, infinity, double_double ? Arithmetic::double_double : Arithmetic::float64, 0, gpus};
    FloatDeterminant bounded{{}, infinity};
    if (options_.bound) {
      // Rounding an entry to a double adds half a unit in its last place.
      const double error = entry_error_ + (double_double ? 0 : 0x1p-53);
      FloatMatrix matrix = matrix_of(number, log2_hadamard);
      bounded = here ? bounded_determinant(number, std::move(matrix), error, how)
                     : gpu::bounded_determinant(number, matrix, error, gpus[0], run_, &answer.report.device_s);
      answer.value = bounded.value;
    }
    if (condensed || !options_.bound) {
      FloatMatrix matrix = matrix_of(number, log2_hadamard);
      answer.value = here ? float_determinant(number, std::move(matrix), condensed, how)
                          : gpu::float_determinant(number, matrix, condensed, gpus[0], run_, &answer.report.device_s);
    }
    double log2_error = bounded.log2_error;
    if (condensed && log2_error < infinity) {
      const ScaledComplex difference{answer.value.re + -bounded.value.re, answer.value.im + -bounded.value.im};
      // The subtraction errs by less than 2^-98 of the two.
      log2_error = log2_sum(log2_sum(log2_error, log2_abs(difference)), log2_abs(bounded.value) - 97);
    }
    if (options_.bound) log2_error = std::min(log2_error, log2_sum(log2_hadamard, log2_abs(answer.value)));
    answer.log2_error = log2_error + static_cast<double>(exponent_);
    add_exponent(answer);
    return answer;
  }

  // Finds a determinant that no floating point has a digit of, mostly 0, exactly: scaled entries are integers over a
  // power of 2. That of a complex matrix is the root of the determinant of a real matrix of twice the size, which
  // leaves its argument open, unless it is 0. Leaves the answer as it is where that would take long.
  void by_residues(FloatingDeterminant& answer) const {
    constexpr double most_work = 2e10;  // multiplications: a second or two
    constexpr double bits_of_prime = 30, word = 32;
    constexpr bool is_complex = std::is_same_v<T, ComplexDoubleDouble>;
    const std::size_t size = is_complex ? 2 * n_ : n_;
    int least = 0;
    const auto each_term = [&](const auto& body) {
      for (std::size_t i = 0; i < n_ * n_; ++i) {
        const auto terms = terms_of(entries_[i]);
        for (std::size_t part = 0; part < 2; ++part) {
          for (const double term : terms[part])
            if (term != 0) body(i, part, term, std::ilogb(term) - std::numeric_limits<double>::digits + 1);
        }
      }
    };
    const auto shift = [&](std::size_t i) { return row_[i / n_] + column_[i % n_]; };
    each_term([&](std::size_t i, std::size_t, double, int low) { least = std::min(least, low - shift(i)); });
    const double rows = static_cast<double>(size), bits = std::log2(rows) / 2 - least;
    if (rows * bits / bits_of_prime * rows * rows * (rows / 3 + bits / word) > most_work) return;

    std::vector<Integer> integers(size * size);
    each_term([&](std::size_t i, std::size_t part, double term, int low) {
      const Integer value = Integer(static_cast<std::int64_t>(std::ldexp(term, -low)))
                            << static_cast<std::size_t>(low - shift(i) - least);
      const std::size_t r = i / n_, c = i % n_;
      if constexpr (is_complex) {
        integers[r * size + c + part * n_] += part == 1 ? -value : value;
        integers[(r + n_) * size + c + (1 - part) * n_] += value;
      } else {
        integers[r * size + c] += value;
      }
    });
    DeterminantOptions options = options_;
    options.run.time_limit_s = std::max(run_.seconds_left(), 1e-9);
    ExactDeterminant exact;
    try {
      exact = exact_determinant(integers, size, options);
    } catch (const OverLimit&) {
      return;
    }
    constexpr double bits_held = 100, bits_exact = 52;  // of an integer as a real
    FloatingDeterminant found{{}, -infinity, Arithmetic::residues, exact.num_primes, exact.gpus};
    const double log2_size = log2_abs(exact.value);
    if (is_complex) {
      if (exact.value != 0) found.log2_error = log2_size / 2 + 1e-9;
    } else {
      found.value.re = nearest_real(exact.value);
      if (log2_size > bits_exact) found.log2_error = log2_size - bits_held;
    }
    // By rows, that of a matrix within entry_error of this one is off by at most n of Hadamard's bounds.
    double log2_hadamard = 0;
    matrix_of(is_complex ? Number::complex : Number::real, log2_hadamard);
    const std::int64_t scale = std::int64_t{least} * static_cast<std::int64_t>(n_);
    found.log2_error = log2_sum(found.log2_error + static_cast<double>(scale),
                                log2_hadamard + std::log2(static_cast<double>(n_) * entry_error_));
    found.log2_error += static_cast<double>(exponent_);
    if (!found.value.re.is_zero()) found.value.re.exponent += scale;
    add_exponent(found);
    if (!(found.log2_error < answer.log2_error)) return;
    answer = std::move(found);
  }
  void add_exponent(FloatingDeterminant& answer) const {
    for (ScaledReal* part : {&answer.value.re, &answer.value.im}) {
      if (!part->is_zero()) part->exponent += exponent_;
    }
  }

  std::span<const T> entries_;
  std::size_t n_;
  double entry_error_;
  const DeterminantOptions& options_;
  RunContext run_;
  std::uint64_t limit_;
  std::vector<int> row_, column_;  // their exponents
  std::int64_t exponent_ = 0;      // of 2, which the scaling took out
  bool zero_ = false;              // a row or a column is
};

}  // namespace
}  // namespace matchcount::dense

namespace matchcount {

namespace {

void check_size(std::size_t entries, std::size_t n) {
  if (n > std::numeric_limits<Vertex>::max() || entries != n * n) {
    throw InputError(std::to_string(entries) + " entries",
                     std::to_string(n) + " x " + std::to_string(n) + " of a square matrix");
  }
}

struct Fractions {
  std::vector<Integer> integers;
  Integer multiple = 1;  // of the determinant
};
Fractions without_denominators(std::span<const Rational> entries, std::size_t n) {
  Fractions result;
  result.integers.resize(entries.size());
  for (std::size_t r = 0; r < n; ++r) {
    Integer multiple = 1;
    for (std::size_t c = 0; c < n; ++c) multiple = lcm(multiple, denominator(entries[r * n + c]));
    for (std::size_t c = 0; c < n; ++c) {
      const Rational& entry = entries[r * n + c];
      result.integers[r * n + c] = numerator(entry) * (multiple / denominator(entry));
    }
    result.multiple *= multiple;
  }
  return result;
}

RealValue real_value(const dense::FloatingDeterminant& answer) {
  return {answer.value.re, answer.log2_error, infinity};
}
ComplexValue complex_value(const dense::FloatingDeterminant& answer) {
  return {answer.value, answer.log2_error, infinity};
}

// Makes a dense copy, zeros where there is no edge.
template <class T, class ValueOf>
std::vector<T> dense_entries(const Matrix& matrix, const ValueOf& value_of) {
  const std::size_t n = matrix.num_rows();
  std::vector<T> entries(n * n, T(0));
  for_each_edge(matrix, [&](Vertex row, Vertex v, EdgeId edge) { entries[row * n + v - n] = value_of(edge); });
  return entries;
}

void check_square(const Matrix& matrix, std::size_t entry_bytes, const DeterminantOptions& options) {
  const std::uint64_t rows = matrix.num_rows(), columns = matrix.num_columns();
  if (rows != columns) {
    throw InputError("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns),
                     "a square matrix, which alone has a determinant");
  }
  if (rows >> 24 != 0) throw Unable("a dense determinant of " + std::to_string(rows) + " rows");
  dense::check_memory(rows, rows * rows * entry_bytes, resolve_memory_limit(options.run));
}

// Tells a determinant that was found by residues, but for its value.
DeterminantResult by_residues(const dense::ExactDeterminant& exact, const DeterminantOptions& options) {
  DeterminantResult result;
  result.method = options.method == DeterminantMethod::automatic ? DeterminantMethod::elimination : options.method;
  result.primes = exact.num_primes;
  result.gpus = exact.gpus;
  return result;
}

template <class T>
dense::FloatingDeterminant floating(std::span<const T> entries, std::size_t n, const DeterminantOptions& options,
                                    DeterminantReport* report) {
  check_size(entries.size(), n);
  dense::FloatingDeterminant found = dense::Floating<T>(entries, n, 0, options).run();
  if (report) *report = found.report;
  return found;
}

}  // namespace

std::vector<std::uint32_t> determinants_modulo(std::span<const std::int64_t> entries, std::size_t n,
                                               std::span<const std::uint32_t> primes, const DeterminantOptions& options,
                                               DeterminantReport* report) {
  check_size(entries.size(), n);
  std::vector<std::uint64_t> odd;
  for (const std::uint32_t prime : primes) {
    if (prime >> 31 != 0 || !is_prime(prime)) {
      throw InputError("the modulus " + std::to_string(prime), "a prime below 2^31");
    }
    if (prime != 2) odd.push_back(prime);
  }
  const std::vector<std::uint64_t> values = dense::residues_of_determinant(entries, n, odd, options, report);
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; const std::uint32_t prime : primes) {
    if (prime != 2) {
      result.push_back(static_cast<std::uint32_t>(values[i++]));
    } else {
      const auto size = static_cast<Vertex>(n);
      result.push_back(permanent_is_odd(BipartiteGraph::from_dense(size, size, entries)) ? 1 : 0);
    }
  }
  return result;
}

Integer determinant(std::span<const std::int64_t> entries, std::size_t n, const DeterminantOptions& options) {
  check_size(entries.size(), n);
  return dense::exact_determinant(entries, n, options).value;
}

Integer determinant(std::span<const Integer> entries, std::size_t n, const DeterminantOptions& options) {
  check_size(entries.size(), n);
  return dense::exact_determinant(entries, n, options).value;
}

Rational determinant(std::span<const Rational> entries, std::size_t n, const DeterminantOptions& options) {
  check_size(entries.size(), n);
  const Fractions fractions = without_denominators(entries, n);
  return Rational(determinant(fractions.integers, n, options), fractions.multiple);
}

RealValue determinant(std::span<const double> entries, std::size_t n, const DeterminantOptions& options,
                      DeterminantReport* report) {
  return real_value(floating(entries, n, options, report));
}

RealValue determinant(std::span<const DoubleDouble> entries, std::size_t n, const DeterminantOptions& options,
                      DeterminantReport* report) {
  return real_value(floating(entries, n, options, report));
}

ComplexValue determinant(std::span<const ComplexDoubleDouble> entries, std::size_t n, const DeterminantOptions& options,
                         DeterminantReport* report) {
  return complex_value(floating(entries, n, options, report));
}

DeterminantResult determinant(const Matrix& matrix, const DeterminantOptions& options) {
  const std::size_t n = matrix.num_rows();
  DeterminantResult result = by_residues({}, options);
  const auto of_weights = [&](const auto& weights, const auto& value_of_answer) {
    using T = typename std::decay_t<decltype(weights)>::value_type;
    check_square(matrix, sizeof(T), options);
    const std::vector<T> entries = dense_entries<T>(matrix, [&](EdgeId edge) { return weights[edge]; });
    double read_error = 0;
    for (const T& entry : entries) read_error = std::max(read_error, subnormal_error(magnitude(entry)));
    const auto answer = dense::Floating<T>(entries, n, entry_roundoff + read_error, options).run();
    result.arithmetic = answer.arithmetic;
    result.primes = answer.primes;
    result.gpus = answer.gpus;
    result.note = answer.note;
    result.value = value_of_answer(answer);
  };
  if (const auto* reals = std::get_if<std::vector<DoubleDouble>>(&matrix.weights())) {
    of_weights(*reals, [](const auto& answer) { return real_value(answer); });
  } else if (const auto* numbers = std::get_if<std::vector<ComplexDoubleDouble>>(&matrix.weights())) {
    of_weights(*numbers, [](const auto& answer) { return complex_value(answer); });
  } else {
    check_square(matrix, sizeof(std::int64_t), options);
    const auto* weights = std::get_if<std::vector<std::int64_t>>(&matrix.weights());
    const auto entries =
        dense_entries<std::int64_t>(matrix, [&](EdgeId edge) { return weights == nullptr ? 1 : (*weights)[edge]; });
    const dense::ExactDeterminant exact = dense::exact_determinant(entries, n, options);
    result = by_residues(exact, options);
    result.value = exact.value;
  }
  return result;
}

DeterminantResult determinant(const Matrix& matrix, std::span<const Rational> fractions,
                              const DeterminantOptions& options) {
  const auto* places = std::get_if<std::vector<std::int64_t>>(&matrix.weights());
  if (places == nullptr) throw InputError("weights that are not integers", "places in the table of fractions");
  check_square(matrix, sizeof(Rational) + sizeof(Integer), options);
  const auto entries = dense_entries<Rational>(
      matrix, [&](EdgeId edge) { return fractions[static_cast<std::size_t>((*places)[edge])]; });
  const Fractions integers = without_denominators(entries, matrix.num_rows());
  const dense::ExactDeterminant exact = dense::exact_determinant(integers.integers, matrix.num_rows(), options);
  DeterminantResult result = by_residues(exact, options);
  const bool only_integers =
      std::all_of(fractions.begin(), fractions.end(), [](const Rational& entry) { return denominator(entry) == 1; });
  if (only_integers) {
    result.value = exact.value;
  } else {
    result.value = Rational(exact.value, integers.multiple);
  }
  return result;
}

}  // namespace matchcount
