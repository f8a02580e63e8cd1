#include "linear/determinant.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "core/modular.hpp"
#include "core/parallel.hpp"
#include "graph/bipartite_graph.hpp"
#include "linear/cpu/dense_floating.hpp"
#include "linear/cpu/dense_modular.hpp"
#include "linear/cuda/determinant_gpu.hpp"
#include "linear/parity.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t prime_limit = std::uint64_t{1} << 30;  // see cpu/dense_isa.cpp

void check_size(std::size_t entries, std::size_t n) {
  if (n > std::numeric_limits<Vertex>::max() || entries != n * n) {
    throw InputError(std::to_string(entries) + " entries",
                     std::to_string(n) + " x " + std::to_string(n) + " of a square matrix");
  }
}

// Integers to be reduced modulo one prime after the other.
class Small {
 public:
  explicit Small(std::span<const std::int64_t> entries) : entries_(entries) {}

  void residues(const DenseModulus& modulus, std::uint32_t* out) const {
    const std::int64_t prime = modulus.prime;
    for (const std::int64_t entry : entries_) {
      const std::int64_t rest = entry % prime;
      *out++ = static_cast<std::uint32_t>(rest < 0 ? rest + prime : rest);
    }
  }
  double square(std::size_t i) const { return static_cast<double>(entries_[i]) * static_cast<double>(entries_[i]); }
  gpu::DeviceIntegers device_integers() const {
    const std::size_t size = entries_.size();
    gpu::DeviceIntegers result{2, std::vector<std::uint32_t>(2 * size), {}};
    for (std::size_t i = 0; i < size; ++i) {
      const auto value = static_cast<std::uint64_t>(entries_[i]), magnitude = entries_[i] < 0 ? 0 - value : value;
      result.magnitudes[i] = static_cast<std::uint32_t>(magnitude);
      result.magnitudes[size + i] = static_cast<std::uint32_t>(magnitude >> 32);
      result.negative.push_back(entries_[i] < 0);
    }
    return result;
  }
  // Squares times 2^this.
  static constexpr double log2_scale() { return 0; }
  std::size_t bytes() const { return 0; }

 private:
  std::span<const std::int64_t> entries_;
};

// Of any size, as words of 32 bits.
class Large {
 public:
  explicit Large(std::span<const Integer> entries) {
    std::size_t longest = 0;
    for (const Integer& entry : entries) {
      const std::size_t before = words_.size();
      if (entry != 0) {
        const std::vector<std::uint32_t> words = magnitude_words(entry);
        words_.insert(words_.end(), words.begin(), words.end());
      }
      begin_.push_back(before);
      negative_.push_back(entry < 0);
      longest = std::max(longest, words_.size() - before);
    }
    begin_.push_back(words_.size());
    top_ = 32 * static_cast<double>(longest);
    longest_ = longest;
  }

  void residues(const DenseModulus& modulus, std::uint32_t* out) const {
    const std::uint64_t prime = modulus.prime;
    std::vector<std::uint32_t> power(longest_);  // of 2^32
    std::uint64_t next = 1;
    for (std::uint32_t& value : power) {
      value = static_cast<std::uint32_t>(next);
      next = (next << 32) % prime;
    }
    for (std::size_t i = 0; i < negative_.size(); ++i) {
      const std::uint32_t* words = words_.data() + begin_[i];
      const std::size_t count = begin_[i + 1] - begin_[i];
      std::uint64_t low = 0, high = 0;  // of products, each a sum of at most 2^32 halves
      for (std::size_t w = 0; w < count; ++w) {
        const std::uint64_t product = std::uint64_t{words[w]} * power[w];
        low += product & 0xFFFFFFFF;
        high += product >> 32;
      }
      const std::uint64_t rest = (((high % prime) << 32) + low % prime) % prime;
      *out++ = static_cast<std::uint32_t>(negative_[i] && rest != 0 ? prime - rest : rest);
    }
  }
  double square(std::size_t i) const {
    const std::size_t count = begin_[i + 1] - begin_[i];
    if (count == 0) return 0;
    // The top three words, rounded up.
    double value = 0;
    for (std::size_t w = 0; w < std::min<std::size_t>(count, 3); ++w)
      value += std::ldexp(static_cast<double>(words_[begin_[i + 1] - 1 - w]), -32 * static_cast<int>(w));
    if (count > 3) value += 0x1p-63;
    // Against the longest; what vanishes beside it is not allowed to become 0.
    const double shift = 32 * static_cast<double>(count) - top_;
    return std::max(value * value * std::exp2(std::max(2 * (shift - 32), -1000.0)), 0x1p-1000);
  }
  double log2_scale() const { return 2 * top_; }
  gpu::DeviceIntegers device_integers() const {
    const std::size_t size = negative_.size();
    gpu::DeviceIntegers result{static_cast<int>(longest_), std::vector<std::uint32_t>(longest_ * size), {}};
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t w = begin_[i]; w < begin_[i + 1]; ++w) result.magnitudes[(w - begin_[i]) * size + i] = words_[w];
      result.negative.push_back(negative_[i]);
    }
    return result;
  }
  std::size_t bytes() const { return 4 * words_.capacity() + 9 * begin_.capacity(); }

 private:
  std::vector<std::uint32_t> words_;
  std::vector<std::size_t> begin_;
  std::vector<bool> negative_;
  std::size_t longest_ = 0;
  double top_ = 0;
};

// Hadamard: the product of the rows' lengths, or of the columns', as a logarithm that is not too small.
template <class Source>
double log2_hadamard(const Source& source, std::size_t n) {
  std::vector<double> row(n, 0), column(n, 0);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      const double square = source.square(r * n + c);
      row[r] += square;
      column[c] += square;
    }
  }
  const auto total = [&](const std::vector<double>& squares) {
    double sum = 0;
    for (const double square : squares) sum += 0.5 * (std::log2(square) + source.log2_scale());
    return sum;
  };
  const double bound = std::min(total(row), total(column));
  // n roundings of a sum of squares, and of the sum of n logarithms.
  const double size = static_cast<double>(n);
  return std::isinf(bound) ? bound : bound + size * (size + 8) * 0x1p-51 + std::fabs(bound) * size * 0x1p-51;
}

void check_memory(std::size_t n, std::uint64_t needed, std::uint64_t limit) {
  if (needed > limit) {
    throw Unable("a determinant of " + std::to_string(n) + " rows needs " + std::to_string((needed >> 20) + 1) +
                 " MB; the limit is " + std::to_string(limit >> 20));
  }
}

const DenseKernels& kernels_of(const RunOptions& run) { return dense_kernels(std::min(detected_isa(), run.max_isa)); }

// The GPU for so many multiplications, by elimination of such values; none for the CPU.
std::vector<DeviceInfo> choose_gpu(double work, std::size_t n, std::size_t value_bytes,
                                   const DeterminantOptions& options) {
  // A core's multiplications a second, and the seconds from which on a GPU is worth its start.
  constexpr double rate = 1e10, patience_s = 2;
  const bool automatic = options.device.kind == DeviceChoice::Kind::automatic;
  if (automatic && work < patience_s * rate * resolve_num_threads(options.run)) return {};
  std::vector<DeviceInfo> devices = choose_devices(options.device);
  if (devices.size() > 1) devices.resize(1);
  if (automatic && !devices.empty()) {
    // The bound takes six matrices; others use the device too.
    constexpr double matrices = 6, share = 0.8;
    const double rows = static_cast<double>(n), needed = matrices * rows * rows * static_cast<double>(value_bytes);
    const bool fits = gpu::elimination_fits(n, value_bytes, devices[0]) &&
                      needed <= share * static_cast<double>(devices[0].memory_bytes);
    if (!fits) return {};
  }
  return devices;
}

class Modular {
 public:
  Modular(std::size_t n, const DeterminantOptions& options)
      : n_(n),
        options_(options),
        run_(options.run),
        kernels_(kernels_of(options.run)),
        num_threads_(resolve_num_threads(options.run)) {}

  template <class Source>
  std::vector<std::uint64_t> determinants(const Source& source, std::span<const std::uint64_t> primes) {
    if (gpus_ = choose_gpus(primes.size()); !gpus_.empty()) {
      return gpu::determinants_modulo(source.device_integers(), n_, primes,
                                      options_.method == DeterminantMethod::condensation, gpus_[0], run_,
                                      options_.device_s);
    }
    std::vector<std::uint64_t> values(primes.size());
    // A prime a thread, unless that leaves threads idle for long or memory is short.
    const std::size_t wanted = n_ * n_ * sizeof(std::uint32_t);
    const std::uint64_t limit = resolve_memory_limit(options_.run);
    const std::uint64_t used = source.bytes() + (std::uint64_t{1} << 20);
    check_memory(n_, used + 2 * wanted, limit);
    int teams = static_cast<int>(std::min<std::uint64_t>(
        static_cast<std::uint64_t>(num_threads_), std::max<std::uint64_t>(1, (limit - used) / (2 * wanted + 1))));
    if (primes.size() < static_cast<std::size_t>(4 * teams) && n_ > 500) teams = 1;
    const int threads = teams == 1 ? num_threads_ : 1;
    std::vector<std::unique_ptr<std::uint32_t[]>> matrices(static_cast<std::size_t>(teams));
    const double all = static_cast<double>(n_) * static_cast<double>(primes.size());
    std::atomic<std::size_t> done{0};
    parallel_for_chunks(teams, primes.size(), [&](std::uint64_t i, int team) {
      run_.check();
      auto& matrix = matrices[static_cast<std::size_t>(team)];
      if (!matrix) matrix = dense::uninitialised<std::uint32_t>(n_ * n_);
      const DenseModulus modulus(static_cast<std::uint32_t>(primes[i]));
      source.residues(modulus, matrix.get());
      dense::Execution execution{kernels_, threads, run_, {}};
      if (teams == 1) {
        execution.on_rows = [&](std::size_t rows) {
          const double left = 1 - static_cast<double>(rows) / static_cast<double>(n_);
          run_.report("determinant", static_cast<double>(i * n_) + static_cast<double>(n_) * (1 - left * left * left),
                      all);
        };
      }
      const Residues view{matrix.get(), n_};
      values[i] = options_.method == DeterminantMethod::condensation ? dense::condense(modulus, view, n_, execution)
                                                                     : dense::eliminate(modulus, view, n_, execution);
      run_.report("determinant", static_cast<double>(n_ * ++done), std::max(all, 1.0));
    });
    return values;
  }

  template <class Source>
  Integer exact(const Source& source) {
    const double bound = n_ == 0 ? 0 : log2_hadamard(source, n_);
    if (std::isinf(bound)) return 0;  // a row or a column of zeros
    std::vector<std::uint64_t> primes = primes_below(prime_limit, static_cast<std::size_t>((bound + 2) / 29.9) + 2);
    primes.resize(primes_needed(bound, primes));
    num_primes_ = primes.size();
    return chinese_remainder(determinants(source, primes), primes);
  }
  std::size_t num_primes() const { return num_primes_; }
  const std::vector<DeviceInfo>& gpus() const { return gpus_; }

 private:
  std::vector<DeviceInfo> choose_gpus(std::size_t primes) const {
    const double n = static_cast<double>(n_);
    return choose_gpu(n * n * n / 3 * static_cast<double>(primes), n_, sizeof(std::uint32_t), options_);
  }

  std::size_t n_;
  const DeterminantOptions& options_;
  RunContext run_;
  const DenseKernels& kernels_;
  int num_threads_;
  std::size_t num_primes_ = 0;
  std::vector<DeviceInfo> gpus_;
};

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

// ---- Reals and complex numbers.

constexpr double infinity = std::numeric_limits<double>::infinity();
// Up to here double-doubles take less than about 0.1 s.
constexpr std::size_t small_rows = 300;

// value * 2^exponent, exactly unless that underflows.
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

// Of entries that are right to entry_error of their magnitudes.
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
    if (options.precision == Precision::compensated || options.precision == Precision::exact)
      throw InputError(options.precision == Precision::exact ? "the precision 'exact'" : "the precision 'compensated'",
                       "double or double-double for a determinant");
  }

  struct Answer {
    ScaledComplex value;
    double log2_error = -infinity;
    bool double_double = false;
    std::vector<DeviceInfo> gpus = {};
    std::string note = {};
  };
  Answer run() {
    scale();
    if (zero_) return {};
    const bool asked = options_.device.kind == DeviceChoice::Kind::cuda;
    const bool first = options_.precision == Precision::double_double ||
                       (options_.precision == Precision::automatic && n_ <= small_rows && !asked);
    if (first && asked) throw Unable("double-doubles on a GPU: there determinants are computed in doubles");
    const double n = static_cast<double>(n_), work = (options_.bound ? 4 : 1) * n * n * n / 3;
    constexpr std::size_t value_bytes = std::is_same_v<T, ComplexDoubleDouble> ? 16 : 8;
    const std::vector<DeviceInfo> gpus =
        first ? std::vector<DeviceInfo>() : choose_gpu(work, n_, value_bytes, options_);
    Answer answer = run(first, gpus);
    const bool no_digit = !(answer.log2_error - log2_abs(answer.value) < std::log2(0.05));
    if (options_.precision == Precision::automatic && options_.bound && !first && no_digit) {
      answer = run(true, {});
      if (!gpus.empty()) answer.note = "doubles on the GPU prove no digit: this is from double-doubles on the CPU";
    }
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

  // The scaled matrix, and Hadamard's bound on its determinant.
  dense::FloatMatrix matrix_of(dense::Number number, double& log2_hadamard) const {
    dense::FloatMatrix matrix(n_, dense::planes_of(number));
    const std::size_t plane = n_ * n_;
    const bool pairs = number == dense::Number::double_double || number == dense::Number::complex_double_double;
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

  Answer run(bool double_double, const std::vector<DeviceInfo>& gpus) {
    const dense::Number number = std::is_same_v<T, ComplexDoubleDouble>
                                     ? (double_double ? dense::Number::complex_double_double : dense::Number::complex)
                                     : (double_double ? dense::Number::double_double : dense::Number::real);
    const std::uint64_t one = n_ * n_ * sizeof(double) * dense::planes_of(number);
    const bool here = gpus.empty(), condensed = options_.method == DeterminantMethod::condensation;
    check_memory(n_, (options_.bound && here ? 5 : 2) * one, limit_);
    dense::Execution how{kernels_of(options_.run), resolve_num_threads(options_.run), run_, {}};
    const double shares = options_.bound ? 4 : 1;
    how.on_rows = [&](std::size_t rows) {
      const double left = 1 - static_cast<double>(rows) / static_cast<double>(n_);
      run_.report("determinant", (1 - left * left * left) / shares, 1);
    };
    // Held, so that a second call does not start the device anew.
    std::optional<DeviceContext> context;
    if (!here) context.emplace(gpus[0]);
    double log2_hadamard = infinity, device_s = 0;
    Answer answer{{}, infinity, double_double, gpus};
    dense::FloatDeterminant bounded{{}, infinity};
    if (options_.bound) {
      // What doubles can't hold of an entry.
      const double error = entry_error_ + (double_double ? 0 : 0x1p-53);
      dense::FloatMatrix matrix = matrix_of(number, log2_hadamard);
      bounded = here ? dense::bounded_determinant(number, std::move(matrix), error, how)
                     : gpu::bounded_determinant(number, matrix, error, gpus[0], run_, &device_s);
      answer.value = bounded.value;
    }
    if (condensed || !options_.bound) {
      dense::FloatMatrix matrix = matrix_of(number, log2_hadamard);
      answer.value = here ? dense::float_determinant(number, std::move(matrix), condensed, how)
                          : gpu::float_determinant(number, matrix, condensed, gpus[0], run_, &device_s);
    }
    if (!here && options_.device_s != nullptr) *options_.device_s = device_s;
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
  void add_exponent(Answer& answer) const {
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

template <class Answer>
RealValue real_value(const Answer& answer) {
  return {answer.value.re, answer.log2_error, infinity};
}
template <class Answer>
ComplexValue complex_value(const Answer& answer) {
  return {answer.value, answer.log2_error, infinity};
}

// A dense copy, zeros where there is no edge.
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
  check_memory(rows, rows * rows * entry_bytes, resolve_memory_limit(options.run));
}

}  // namespace

std::string_view to_string(DeterminantMethod method) {
  return method == DeterminantMethod::condensation ? "condensation" : "elimination";
}

std::vector<std::uint32_t> determinants_modulo(std::span<const std::int64_t> entries, std::size_t n,
                                               std::span<const std::uint32_t> primes,
                                               const DeterminantOptions& options) {
  check_size(entries.size(), n);
  std::vector<std::uint64_t> odd;
  for (const std::uint32_t prime : primes) {
    if (prime >> 31 != 0 || !is_prime(prime)) {
      throw InputError("the modulus " + std::to_string(prime), "a prime below 2^31");
    }
    if (prime != 2) odd.push_back(prime);
  }
  const std::vector<std::uint64_t> values = Modular(n, options).determinants(Small(entries), odd);
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
  return Modular(n, options).exact(Small(entries));
}

Integer determinant(std::span<const Integer> entries, std::size_t n, const DeterminantOptions& options) {
  check_size(entries.size(), n);
  return Modular(n, options).exact(Large(entries));
}

Rational determinant(std::span<const Rational> entries, std::size_t n, const DeterminantOptions& options) {
  check_size(entries.size(), n);
  const Fractions fractions = without_denominators(entries, n);
  return Rational(determinant(fractions.integers, n, options), fractions.multiple);
}

RealValue determinant(std::span<const double> entries, std::size_t n, const DeterminantOptions& options) {
  check_size(entries.size(), n);
  return real_value(Floating(entries, n, 0, options).run());
}

RealValue determinant(std::span<const DoubleDouble> entries, std::size_t n, const DeterminantOptions& options) {
  check_size(entries.size(), n);
  return real_value(Floating(entries, n, 0, options).run());
}

ComplexValue determinant(std::span<const ComplexDoubleDouble> entries, std::size_t n,
                         const DeterminantOptions& options) {
  check_size(entries.size(), n);
  return complex_value(Floating(entries, n, 0, options).run());
}

DeterminantResult determinant(const Matrix& matrix, const DeterminantOptions& options) {
  const std::size_t n = matrix.num_rows();
  DeterminantResult result;
  result.method = to_string(options.method);
  const auto floating = [&](const auto& weights, const auto& value_of_answer) {
    using T = typename std::decay_t<decltype(weights)>::value_type;
    check_square(matrix, sizeof(T), options);
    const std::vector<T> entries = dense_entries<T>(matrix, [&](EdgeId edge) { return weights[edge]; });
    double read_error = 0;
    for (const T& entry : entries) read_error = std::max(read_error, subnormal_error(magnitude(entry)));
    const auto answer = Floating(std::span<const T>(entries), n, entry_roundoff + read_error, options).run();
    result.arithmetic = answer.double_double ? "double-double" : "double";
    result.gpus = answer.gpus;
    result.note = answer.note;
    result.value = value_of_answer(answer);
  };
  if (const auto* reals = std::get_if<std::vector<DoubleDouble>>(&matrix.weights())) {
    floating(*reals, [](const auto& answer) { return real_value(answer); });
  } else if (const auto* numbers = std::get_if<std::vector<ComplexDoubleDouble>>(&matrix.weights())) {
    floating(*numbers, [](const auto& answer) { return complex_value(answer); });
  } else {
    check_square(matrix, sizeof(std::int64_t), options);
    const auto* weights = std::get_if<std::vector<std::int64_t>>(&matrix.weights());
    const auto entries =
        dense_entries<std::int64_t>(matrix, [&](EdgeId edge) { return weights == nullptr ? 1 : (*weights)[edge]; });
    Modular modular(n, options);
    result.value = modular.exact(Small(entries));
    result.arithmetic = "residues";
    result.primes = modular.num_primes();
    result.gpus = modular.gpus();
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
  Modular modular(matrix.num_rows(), options);
  const Integer value = modular.exact(Large(integers.integers));
  DeterminantResult result;
  result.method = to_string(options.method);
  result.arithmetic = "residues";
  result.primes = modular.num_primes();
  result.gpus = modular.gpus();
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
