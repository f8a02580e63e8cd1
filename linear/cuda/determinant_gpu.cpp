#include "linear/cuda/determinant_gpu.hpp"

#include <complex>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "linear/cpu/dense_kernels.hpp"

namespace matchcount::gpu {
namespace {

// Rows between waits for the device, when limits are looked at.
constexpr int rows_a_wait = 1024;
constexpr std::size_t offer_bytes(std::size_t value_bytes) { return 16 + determinant_panel_rows * value_bytes; }

enum class Task { eliminate, condense, bound };

// A task on matrices of one size, and what its kernels need.
class Solver {
 public:
  Solver(const DeviceInfo& device, const std::string& suffix, std::size_t n, Task task, int batch,
         std::size_t value_bytes, const RunContext& run)
      : suffix_(suffix),
        n_(static_cast<int>(n)),
        task_(task),
        batch_(batch),
        value_bytes_(value_bytes),
        multiprocessors_(device.multiprocessors),
        run_(run),
        context_(device),
        stream_(context_),
        module_(context_, determinant_image().code()),
        matrices_(context_, (task == Task::bound ? 2 : count()) * matrix_bytes()),
        pivots_(context_, count() * n * value_bytes),
        inverses_(context_, count() * determinant_panel_rows * determinant_panel_rows * value_bytes),
        states_(context_, count() * sizeof(DeterminantState)),
        moduli_(context_, std::max(count(), panels()) * sizeof(DeterminantModulus)),
        offers_(context_, 2 * static_cast<std::size_t>(multiprocessors_) * offer_bytes(value_bytes)),
        counts_(context_, count() * panels() * sizeof(unsigned)),
        rows_(context_, task == Task::bound ? n * sizeof(dense::BoundRow) : 0) {
    for (int i = 0; task == Task::bound && i < 4; ++i) bound_.emplace_back(context_, matrix_bytes());
  }

  const DeviceContext& context() const { return context_; }
  DeviceBuffer& moduli() { return moduli_; }

  void upload(std::span<const std::byte> matrix) {
    matrices_.upload(matrix);
    if (task_ == Task::bound) matrices_.upload(matrix, matrix_bytes());
  }
  void reduce(const DeviceBuffer& magnitudes, const DeviceBuffer& negative, int words) {
    const int blocks = 4 * multiprocessors_;
    module_.launch("reduce_integers", size(blocks, 256), stream_,
                   arguments(magnitudes, negative, words, order() * order(), blocks, moduli_, matrices_));
  }

  // Returns the kernels' seconds.
  double run() {
    states_.clear();
    counts_.clear();
    for (DeviceBuffer& matrix : bound_) matrix.clear();
    context_.synchronize();
    DeviceEvent begin(context_), end(context_);
    stream_.record(begin);
    if (task_ == Task::condense) {
      queue_condensation(*this, n_, multiprocessors_);
    } else {
      queue_elimination(*this, n_, batch_, multiprocessors_, value_bytes_, task_ == Task::bound);
    }
    if (task_ == Task::bound) queue_bound(*this, n_);
    stream_.record(end);
    stream_.synchronize();
    return end.seconds_since(begin);
  }
  std::vector<DeterminantState> states() const { return content<DeterminantState>(states_, count()); }
  std::vector<dense::BoundRow> rows() const { return content<dense::BoundRow>(rows_, static_cast<std::size_t>(n_)); }
  template <class Value>
  std::vector<Value> pivots() const {
    return content<Value>(pivots_, count() * static_cast<std::size_t>(n_));
  }

  // The queues ask for these.
  void factor_panel(int first, int rows, int slice, int blocks, unsigned shared) {
    const std::uint64_t panel = static_cast<std::uint64_t>(first / determinant_panel_rows);
    const std::uint64_t counts = counts_.address() + panel * count() * sizeof(unsigned);
    module_.launch("factor_panel_" + suffix_, size(blocks, 256, shared), stream_,
                   arguments(matrices_, n_, first, rows, slice, blocks, moduli_, states_, pivots_, offers_, counts));
  }
  void move_columns(int rows, int begin, int blocks) {
    module_.launch("move_columns_" + suffix_, size(blocks, 2 * determinant_panel_rows), stream_,
                   arguments(matrices_, n_, rows, begin, blocks, states_));
  }
  void invert_upper(int first, int rows) {
    constexpr std::uint64_t stride = determinant_panel_rows;
    invert("invert_upper_", batch_, place(first, first), order() * order(), rows, inverses_.address(), stride,
           stride * stride);
  }
  void multiply_by_inverse(int row, int column, int m, int k, int blocks) {
    constexpr std::uint64_t stride = determinant_panel_rows;
    multiply(0, place(row, column), order(), order() * order(), inverses_.address(), stride, stride * stride,
             place(row, column), order() * order(), m, k, k, blocks, batch_);
  }
  void subtract_product(int row, int column, int m, int k, int blocks) {
    const std::uint64_t matrix = order() * order();
    multiply(1, place(row, column), order(), matrix, place(column, row), order(), matrix, place(row, row), matrix, m, m,
             k, blocks, batch_);
  }
  void take_pivot(int first) {
    module_.launch("take_pivot_" + suffix_, size(1, determinant_threads), stream_,
                   arguments(matrices_, n_, first, moduli_, states_, pivots_));
  }
  void condense_rows(int first, int blocks) {
    module_.launch("condense_rows_" + suffix_, size(blocks, determinant_threads), stream_,
                   arguments(matrices_, n_, first, blocks, moduli_, states_, pivots_));
  }
  void invert_blocks(bool upper, int first, int blocks, int rows) {
    const std::uint64_t step = determinant_panel_rows * (order() + 1);
    const int at = first * determinant_panel_rows;
    invert(upper ? "invert_upper_" : "invert_lower_", blocks, place({BoundMatrix::factors, at, at}), step, rows,
           place({upper ? BoundMatrix::y : BoundMatrix::x, at, at}), order(), step);
  }
  void multiply(const BoundProduct& product) {
    const std::uint64_t step = static_cast<std::uint64_t>(product.step) * (order() + 1);
    const auto tiles = [](int size) { return (size + determinant_tile - 1) / determinant_tile; };
    multiply(product.subtract ? 1 : 0, place(product.a), order(), step, place(product.b), order(), step,
             place(product.c), step, product.m, product.n, product.k, tiles(product.m) * tiles(product.n),
             product.copies);
  }
  void take_lower() {
    const int blocks = std::min(n_, 8 * multiprocessors_);
    module_.launch("take_lower_" + suffix_, size(blocks, determinant_threads), stream_,
                   arguments(place({BoundMatrix::factors, 0, 0}), place({BoundMatrix::d, 0, 0}), n_, blocks));
  }
  void clear(BoundMatrix matrix) {
    stream_.synchronize();
    buffer(matrix).clear();
    context_.synchronize();
  }
  void measure() {
    const auto all = [&](BoundMatrix matrix) { return place({matrix, 0, 0}); };
    module_.launch("measure_" + suffix_, size(n_, determinant_threads), stream_,
                   arguments(n_, all(BoundMatrix::a), all(BoundMatrix::factors), all(BoundMatrix::x),
                             all(BoundMatrix::y), all(BoundMatrix::d), all(BoundMatrix::e), rows_));
  }
  void after_rows(int rows) {
    run_.check();
    if (rows % rows_a_wait == 0) stream_.synchronize();
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(batch_); }
  std::size_t panels() const {
    return static_cast<std::size_t>((n_ + determinant_panel_rows - 1) / determinant_panel_rows);
  }
  std::uint64_t order() const { return static_cast<std::uint64_t>(n_); }
  std::size_t matrix_bytes() const { return order() * order() * value_bytes_; }
  std::uint64_t offset(int row, int column) const {
    return (static_cast<std::uint64_t>(row) * order() + static_cast<std::uint64_t>(column)) * value_bytes_;
  }
  std::uint64_t place(int row, int column) const { return matrices_.address() + offset(row, column); }
  DeviceBuffer& buffer(BoundMatrix matrix) {
    return bound_[static_cast<std::size_t>(matrix) - static_cast<std::size_t>(BoundMatrix::x)];
  }
  std::uint64_t place(const BoundPlace& at) {
    if (at.matrix == BoundMatrix::factors) return place(at.row, at.column);
    if (at.matrix == BoundMatrix::a) return place(n_ + at.row, at.column);
    return buffer(at.matrix).address() + offset(at.row, at.column);
  }
  template <class T>
  static std::vector<T> content(const DeviceBuffer& buffer, std::size_t size) {
    std::vector<T> values(size);
    buffer.download(std::as_writable_bytes(std::span(values)));
    return values;
  }
  LaunchSize size(int blocks_of_one, int threads, unsigned shared = 0) const {
    return {static_cast<unsigned>(blocks_of_one * batch_), static_cast<unsigned>(threads), shared};
  }
  void invert(const std::string& kernel, int blocks, std::uint64_t from, std::uint64_t step, int rows, std::uint64_t to,
              std::uint64_t to_stride, std::uint64_t to_step) {
    const std::size_t shared = 2 * static_cast<std::size_t>(rows * rows) * value_bytes_;
    module_.launch(kernel + suffix_,
                   {static_cast<unsigned>(blocks), determinant_panel_rows, static_cast<unsigned>(shared)}, stream_,
                   arguments(from, order(), step, rows, moduli_, to, to_stride, to_step));
  }
  void multiply(int subtract, std::uint64_t a, std::uint64_t a_stride, std::uint64_t a_step, std::uint64_t b,
                std::uint64_t b_stride, std::uint64_t b_step, std::uint64_t c, std::uint64_t c_step, int m, int n,
                int k, int blocks, int copies) {
    module_.launch(
        "multiply_" + suffix_, {static_cast<unsigned>(blocks * copies), determinant_threads, 0}, stream_,
        arguments(subtract, a, a_stride, a_step, b, b_stride, b_step, c, order(), c_step, m, n, k, blocks, moduli_));
  }

  std::string suffix_;
  int n_;
  Task task_;
  int batch_;
  std::size_t value_bytes_;
  int multiprocessors_;
  const RunContext& run_;
  DeviceContext context_;
  DeviceStream stream_;
  DeviceModule module_;
  DeviceBuffer matrices_, pivots_, inverses_, states_, moduli_, offers_, counts_, rows_;
  std::vector<DeviceBuffer> bound_;  // x, y, d and e
};

void check_order(std::size_t n, std::size_t value_bytes, const DeviceInfo& device) {
  if (!elimination_fits(n, value_bytes, device)) {
    throw Unable("a determinant of " + std::to_string(n) + " rows by elimination is too large for " + device.name);
  }
}

// Carries out a task on real or complex numbers: the determinant, 0 where a pivot can't be had, and the bound's rows.
ScaledComplex solve(dense::Number number, const dense::FloatMatrix& matrix, Task task, const DeviceInfo& device,
                    const RunContext& run, double* kernel_s, std::vector<dense::BoundRow>* rows = nullptr) {
  using Complex = std::complex<double>;
  const std::size_t size = matrix.n * matrix.n, value_bytes = dense::planes_of(number) * sizeof(double);
  const bool is_complex = number == dense::Number::complex;
  if (task != Task::condense) check_order(matrix.n, value_bytes, device);
  Solver solver(device, is_complex ? "complex" : "real", matrix.n, task, 1, value_bytes, run);
  if (is_complex) {
    std::vector<Complex> pairs;
    pairs.reserve(size);
    for (std::size_t i = 0; i < size; ++i) pairs.emplace_back(matrix.entries[i], matrix.entries[size + i]);
    solver.upload(std::as_bytes(std::span(pairs)));
  } else {
    solver.upload(std::as_bytes(std::span(matrix.entries)));
  }
  const double seconds = solver.run();
  if (kernel_s != nullptr) *kernel_s += seconds;
  const DeterminantState state = solver.states()[0];
  if (state.singular) return {};
  if (rows != nullptr) *rows = solver.rows();
  ScaledComplex value{ScaledReal(state.exchanges % 2 != 0 ? -1 : 1), ScaledReal(0)};
  const auto multiply = [&](Complex pivot) {
    value = value * ScaledComplex{ScaledReal(pivot.real()), ScaledReal(pivot.imag())};
  };
  if (is_complex) {
    std::ranges::for_each(solver.pivots<Complex>(), multiply);
  } else {
    std::ranges::for_each(solver.pivots<double>(), multiply);
  }
  return value;
}

}  // namespace

std::vector<std::uint64_t> determinants_modulo(const DeviceIntegers& integers, std::size_t n,
                                               std::span<const std::uint64_t> primes, bool by_condensation,
                                               const DeviceInfo& device, const RunContext& run, double* kernel_s) {
  std::vector<std::uint64_t> values;
  double seconds = 0;
  if (primes.empty()) return values;
  if (n == 0) return std::vector<std::uint64_t>(primes.size(), 1);
  if (!by_condensation) check_order(n, sizeof(std::uint32_t), device);
  // Side by side while every panel's blocks of 32 columns find a multiprocessor each.
  const std::size_t fitting = static_cast<std::size_t>(device.multiprocessors) / ((n + 31) / 32);
  const std::size_t batch = std::clamp<std::size_t>(fitting, 1, primes.size());
  bool narrow = true;
  for (const std::uint64_t prime : primes) narrow = narrow && prime >> 30 == 0;
  Solver solver(device, narrow ? "residue" : "wide_residue", n, by_condensation ? Task::condense : Task::eliminate,
                static_cast<int>(batch), sizeof(std::uint32_t), run);
  DeviceBuffer magnitudes(solver.context(), integers.magnitudes.size() * sizeof(std::uint32_t));
  DeviceBuffer negative(solver.context(), integers.negative.size());
  magnitudes.upload(std::as_bytes(std::span(integers.magnitudes)));
  negative.upload(std::as_bytes(std::span(integers.negative)));
  for (std::size_t first = 0; first < primes.size(); first += batch) {
    std::vector<DeterminantModulus> moduli;
    for (std::size_t i = 0; i < batch; ++i) {
      // A last batch that is not full takes its last prime again.
      moduli.push_back(device_modulus(static_cast<std::uint32_t>(primes[std::min(first + i, primes.size() - 1)])));
    }
    solver.moduli().upload(std::as_bytes(std::span(moduli)));
    solver.reduce(magnitudes, negative, integers.words);
    seconds += solver.run();
    const std::vector<DeterminantState> states = solver.states();
    const std::vector<std::uint32_t> pivots = solver.pivots<std::uint32_t>();
    for (std::size_t i = 0; i < batch && first + i < primes.size(); ++i)
      values.push_back(residue_of_pivots(moduli[i], states[i], std::span(pivots).subspan(i * n, n), by_condensation));
    run.report("determinant", static_cast<double>(values.size()), static_cast<double>(primes.size()));
  }
  if (kernel_s != nullptr) *kernel_s = seconds;
  return values;
}

bool elimination_fits(std::size_t n, std::size_t value_bytes, const DeviceInfo& device) {
  return n <= static_cast<std::size_t>(device.multiprocessors) * static_cast<std::size_t>(widest_slice(value_bytes));
}

DeterminantModulus device_modulus(std::uint32_t prime) {
  const DenseModulus modulus(prime);
  return {prime, modulus.negated_inverse, modulus.to_montgomery,
          static_cast<std::uint32_t>((std::uint64_t{1} << 32) % prime)};
}

std::uint64_t residue_of_pivots(const DeterminantModulus& modulus, const DeterminantState& state,
                                std::span<const std::uint32_t> pivots, bool by_condensation) {
  if (state.singular) return 0;
  const std::uint64_t prime = modulus.prime, unit = inverse_mod(modulus.one, prime);
  std::uint64_t value = 1, powers = 1;
  for (std::size_t r = 0; r < pivots.size(); ++r) {
    const std::uint64_t pivot = pivots[r] * unit % prime;
    value = value * pivot % prime;
    if (by_condensation) powers = powers * power_mod(pivot, pivots.size() - r - 1, prime) % prime;
  }
  value = value * inverse_mod(powers, prime) % prime;
  return state.exchanges % 2 != 0 && value != 0 ? prime - value : value;
}

ScaledComplex float_determinant(dense::Number number, const dense::FloatMatrix& matrix, bool by_condensation,
                                const DeviceInfo& device, const RunContext& run, double* kernel_s) {
  if (matrix.n == 0) return {ScaledReal(1), ScaledReal(0)};
  return solve(number, matrix, by_condensation ? Task::condense : Task::eliminate, device, run, kernel_s);
}

dense::FloatDeterminant bounded_determinant(dense::Number number, const dense::FloatMatrix& matrix, double entry_error,
                                            const DeviceInfo& device, const RunContext& run, double* kernel_s) {
  if (matrix.n == 0) return dense::with_bound({ScaledReal(1), ScaledReal(0)}, {}, 0, false, 0);
  std::vector<dense::BoundRow> rows;
  const ScaledComplex value = solve(number, matrix, Task::bound, device, run, kernel_s, &rows);
  if (value.re.is_zero() && value.im.is_zero()) return {{}, std::numeric_limits<double>::infinity()};
  return dense::with_bound(value, rows, 0x1p-53, number == dense::Number::complex, entry_error);
}

}  // namespace matchcount::gpu
