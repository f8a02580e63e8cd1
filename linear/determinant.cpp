#include "linear/determinant.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/numbers/residue.hpp"
#include "linear/determinant/floating.hpp"
#include "linear/determinant/modular.hpp"
#include "linear/determinant/resources.hpp"
#include "linear/parity.hpp"

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
  for (Vertex r = 0; r < n; ++r) {
    EdgeId edge = matrix.row_begin(r);
    for (const Vertex c : matrix.row(r)) entries[r * n + c] = value_of(edge++);
  }
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

template <class T>
dense::FloatingDeterminant floating(std::span<const T> entries, std::size_t n, const DeterminantOptions& options,
                                    DeterminantReport* report) {
  check_size(entries.size(), n);
  dense::FloatingDeterminant found = dense::floating_determinant(entries, n, 0, options);
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
  DeterminantResult result;
  result.method = options.method == DeterminantMethod::automatic ? DeterminantMethod::elimination : options.method;
  const auto of_weights = [&](const auto& weights, const auto& value_of_answer) {
    using T = typename std::decay_t<decltype(weights)>::value_type;
    check_square(matrix, sizeof(T), options);
    const std::vector<T> entries = dense_entries<T>(matrix, [&](EdgeId edge) { return weights[edge]; });
    double read_error = 0;
    for (const T& entry : entries) read_error = std::max(read_error, subnormal_error(magnitude(entry)));
    const auto answer =
        dense::floating_determinant(std::span<const T>(entries), n, entry_roundoff + read_error, options);
    result.arithmetic = answer.double_double ? Arithmetic::double_double : Arithmetic::float64;
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
    result.value = exact.value;
    result.arithmetic = Arithmetic::residues;
    result.primes = exact.num_primes;
    result.gpus = exact.gpus;
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
  const auto [value, num_primes, gpus] = dense::exact_determinant(integers.integers, matrix.num_rows(), options);
  DeterminantResult result;
  result.method = options.method == DeterminantMethod::automatic ? DeterminantMethod::elimination : options.method;
  result.arithmetic = Arithmetic::residues;
  result.primes = num_primes;
  result.gpus = gpus;
  const bool only_integers =
      std::all_of(fractions.begin(), fractions.end(), [](const Rational& entry) { return denominator(entry) == 1; });
  if (only_integers) {
    result.value = value;
  } else {
    result.value = Rational(value, integers.multiple);
  }
  return result;
}

}  // namespace matchcount
