// The kernels' text compiled for the host.

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/random.hpp"
#include "linear/cpu/dense_kernels.hpp"
#include "linear/cuda/determinant_gpu.hpp"
#include "linear/determinant.hpp"
#include "support/catch.hpp"
#include "support/host_gpu.hpp"
#include "support/skip.hpp"

namespace host_gpu {

using namespace matchcount::gpu;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "linear/cuda/determinant_kernels.cuh"
#pragma GCC diagnostic pop

enum class Task { eliminate, condense, bound };

// Runs the queues' launches at once.
template <class Number>
class Queue {
 public:
  using Value = typename Number::Value;

  Queue(Task task, std::vector<Value> matrices, int n, int batch, std::vector<DeterminantModulus> moduli,
        int multiprocessors)
      : n_(n),
        batch_(batch),
        matrices_(std::move(matrices)),
        moduli_(std::move(moduli)),
        states_(static_cast<std::size_t>(batch), DeterminantState{}),
        pivots_(static_cast<std::size_t>(batch * n)),
        inverses_(static_cast<std::size_t>(batch * determinant_panel_rows * determinant_panel_rows)),
        offers_(static_cast<std::size_t>(2 * std::max(multiprocessors, batch))) {
    if (task == Task::condense) {
      matchcount::gpu::queue_condensation(*this, n, multiprocessors);
      return;
    }
    if (task == Task::bound) matrices_.insert(matrices_.end(), matrices_.begin(), matrices_.end());
    matchcount::gpu::queue_elimination(*this, n, batch, multiprocessors, sizeof(Value), task == Task::bound);
    if constexpr (sizeof(Value) >= sizeof(double)) {
      if (task != Task::bound || states_[0].singular) return;
      for (auto& matrix : bound_) matrix.assign(order() * order(), Number::zero());
      moduli_.resize(order());
      matchcount::gpu::queue_bound(*this, n);
    }
  }

  const std::vector<DeterminantState>& states() const { return states_; }
  const std::vector<Value>& pivots() const { return pivots_; }
  const std::vector<matchcount::dense::BoundRow>& rows() const { return rows_; }

  void factor_panel(int first, int rows, int slice, int blocks, unsigned shared) {
    std::vector<unsigned> counts(static_cast<std::size_t>(batch_), 0);
    launch(blocks * batch_, determinant_panel_rows, shared, [&] {
      host_gpu::factor_panel<Number>(matrices_.data(), n_, first, rows, slice, blocks, moduli_.data(), states_.data(),
                                     pivots_.data(), offers_.data(), counts.data());
    });
  }
  void move_columns(int rows, int begin, int blocks) {
    const int few = std::min(blocks, 3);
    launch(few * batch_, 2 * determinant_panel_rows, 0,
           [&] { host_gpu::move_columns<Number>(matrices_.data(), n_, rows, begin, few, states_.data()); });
  }
  void invert_upper(int first, int rows) {
    constexpr u64 stride = determinant_panel_rows;
    launch(batch_, determinant_panel_rows, triangles_bytes(rows), [&] {
      host_gpu::invert_triangles<Number, true>(at(first, first), order(), order() * order(), rows, moduli_.data(),
                                               inverses_.data(), stride, stride * stride);
    });
  }
  void multiply_by_inverse(int row, int column, int m, int k, int blocks) {
    constexpr u64 stride = determinant_panel_rows;
    multiply(false, at(row, column), inverses_.data(), stride, stride * stride, at(row, column), m, k, k, blocks);
  }
  void subtract_product(int row, int column, int m, int k, int blocks) {
    multiply(true, at(row, column), at(column, row), order(), order() * order(), at(row, row), m, m, k, blocks);
  }
  void take_pivot(int first) {
    launch(batch_, determinant_panel_rows, 0, [&] {
      host_gpu::take_pivot<Number>(matrices_.data(), n_, first, moduli_.data(), states_.data(), pivots_.data());
    });
  }
  void condense_rows(int first, int blocks) {
    const int few = std::min(blocks, 3);
    launch(few * batch_, determinant_panel_rows, 0, [&] {
      host_gpu::condense_rows<Number>(matrices_.data(), n_, first, few, moduli_.data(), states_.data(), pivots_.data());
    });
  }
  void invert_blocks(bool upper, int first, int blocks, int rows) {
    const int begin = first * determinant_panel_rows;
    const u64 step = determinant_panel_rows * (order() + 1);
    const BoundPlace to{upper ? BoundMatrix::y : BoundMatrix::x, begin, begin};
    launch(blocks, determinant_panel_rows, triangles_bytes(rows), [&] {
      (upper ? host_gpu::invert_triangles<Number, true>
             : host_gpu::invert_triangles<Number, false>)(at(begin, begin), order(), step, rows, moduli_.data(), at(to),
                                                          order(), step);
    });
  }
  void multiply(const BoundProduct& product) {
    const u64 step = static_cast<u64>(product.step) * (order() + 1);
    const auto tiles = [](int size) { return (size + determinant_tile - 1) / determinant_tile; };
    const int blocks = tiles(product.m) * tiles(product.n);
    launch(blocks * product.copies, determinant_threads, 0, [=, this] {
      host_gpu::multiply_tiles<Number>(product.subtract, at(product.a), order(), step, at(product.b), order(), step,
                                       at(product.c), order(), step, product.m, product.n, product.k, blocks,
                                       moduli_.data());
    });
  }
  void take_lower() {
    launch(3, determinant_panel_rows, 0, [&] {
      host_gpu::take_lower<Number>(at(0, 0), at({BoundMatrix::d, 0, 0}), n_, 3);
    });
  }
  void clear(BoundMatrix matrix) { buffer(matrix).assign(order() * order(), Number::zero()); }
  void measure() {
    rows_.resize(order());
    launch(n_, determinant_panel_rows, 0, [&] {
      const auto whole = [&](BoundMatrix matrix) { return at({matrix, 0, 0}); };
      host_gpu::measure<Number>(n_, whole(BoundMatrix::a), whole(BoundMatrix::factors), whole(BoundMatrix::x),
                                whole(BoundMatrix::y), whole(BoundMatrix::d), whole(BoundMatrix::e), rows_.data());
    });
  }
  void after_rows(int) {}

 private:
  u64 order() const { return static_cast<u64>(n_); }
  static unsigned triangles_bytes(int rows) { return static_cast<unsigned>(2 * rows * rows) * sizeof(Value); }
  Value* at(int row, int column) {
    return matrices_.data() + static_cast<u64>(row) * order() + static_cast<u64>(column);
  }
  std::vector<Value>& buffer(BoundMatrix matrix) {
    return bound_[static_cast<std::size_t>(matrix) - static_cast<std::size_t>(BoundMatrix::x)];
  }
  Value* at(const BoundPlace& place) {
    if (place.matrix == BoundMatrix::factors) return at(place.row, place.column);
    if (place.matrix == BoundMatrix::a) return at(n_ + place.row, place.column);
    return buffer(place.matrix).data() + static_cast<u64>(place.row) * order() + static_cast<u64>(place.column);
  }
  void multiply(bool subtract, const Value* a, const Value* b, u64 b_stride, u64 b_matrix, Value* c, int m, int n,
                int k, int blocks) {
    launch(blocks * batch_, determinant_threads, 0, [=, this] {
      host_gpu::multiply_tiles<Number>(subtract, a, order(), order() * order(), b, b_stride, b_matrix, c, order(),
                                       order() * order(), m, n, k, blocks, moduli_.data());
    });
  }
  static void launch(int blocks, int threads, unsigned shared, std::function<void()> kernel) {
    Launch(static_cast<unsigned>(blocks), static_cast<unsigned>(threads), shared, std::move(kernel)).run();
  }

  int n_, batch_;
  std::vector<Value> matrices_;
  std::vector<DeterminantModulus> moduli_;
  std::vector<DeterminantState> states_;
  std::vector<Value> pivots_, inverses_;
  std::vector<DeterminantOffer<Number>> offers_;
  std::array<std::vector<Value>, 4> bound_;  // x, y, d and e
  std::vector<matchcount::dense::BoundRow> rows_;
};

}  // namespace host_gpu

using namespace matchcount;
using host_gpu::Task;

namespace {

constexpr std::uint64_t seed = 20261122;

std::vector<std::int64_t> random_entries(std::size_t n, std::int64_t most, std::uint64_t stream) {
  Random random(seed, stream);
  std::vector<std::int64_t> entries(n * n);
  for (auto& entry : entries)
    entry = static_cast<std::int64_t>(random.below(2 * static_cast<std::uint64_t>(most) + 1)) - most;
  return entries;
}

gpu::DeviceIntegers device_integers(const std::vector<std::int64_t>& entries) {
  gpu::DeviceIntegers result{2, std::vector<std::uint32_t>(2 * entries.size()), {}};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto size = static_cast<std::uint64_t>(std::abs(entries[i]));
    result.magnitudes[i] = static_cast<std::uint32_t>(size);
    result.magnitudes[entries.size() + i] = static_cast<std::uint32_t>(size >> 32);
    result.negative.push_back(entries[i] < 0);
  }
  return result;
}

// Carries out the kernels in the order in which gpu::determinants_modulo does.
template <int window>
std::vector<std::uint32_t> on_host(Task task, const std::vector<std::int64_t>& entries, std::size_t n,
                                   const std::vector<std::uint32_t>& primes, int multiprocessors) {
  const gpu::DeviceIntegers integers = device_integers(entries);
  std::vector<gpu::DeterminantModulus> moduli;
  for (const std::uint32_t prime : primes) moduli.push_back(gpu::device_modulus(prime));
  std::vector<std::uint32_t> matrices(primes.size() * n * n);
  host_gpu::Launch(static_cast<unsigned>(2 * primes.size()), 32, 0, [&] {
    host_gpu::reduce_entries(integers.magnitudes.data(), integers.negative.data(), integers.words, n * n, 2,
                             moduli.data(), matrices.data());
  }).run();
  const host_gpu::Queue<host_gpu::DeterminantResidue<window>> queue(
      task, matrices, static_cast<int>(n), static_cast<int>(primes.size()), moduli, multiprocessors);
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < primes.size(); ++i) {
    values.push_back(static_cast<std::uint32_t>(gpu::residue_of_pivots(
        moduli[i], queue.states()[i], std::span(queue.pivots()).subspan(i * n, n), task == Task::condense)));
  }
  return values;
}

void check_residues(std::size_t n) {
  const std::vector<std::uint32_t> narrow{3, 1073741789}, wide{2147483647};
  INFO("n=" << n << " seed=" << seed);
  // Small entries modulo 3 bring many zeros.
  for (const std::int64_t most : {std::int64_t{1}, std::int64_t{1} << 62}) {
    const auto entries = random_entries(n, most, n);
    for (const Task task : {Task::eliminate, Task::condense}) {
      CHECK(on_host<8>(task, entries, n, narrow, 4) == determinants_modulo(entries, n, narrow));
      CHECK(on_host<2>(task, entries, n, wide, 5) == determinants_modulo(entries, n, wide));
    }
  }
}

}  // namespace

TEST_CASE("the kernels' text gives the residues of the CPU") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{33}, std::size_t{64}, std::size_t{65}})
    check_residues(n);
}

TEST_CASE("the kernels' text gives the residues of the CPU, three panels and more", "[slow]") {
  for (const std::size_t n : {std::size_t{31}, std::size_t{127}, std::size_t{128}, std::size_t{129}, std::size_t{200}})
    check_residues(n);
}

TEST_CASE("the kernels' text finds singular matrices and the signs of permutations") {
  const std::vector<std::uint32_t> primes{1073741789};
  for (const Task task : {Task::eliminate, Task::condense}) {
    for (const std::size_t n : {std::size_t{2}, std::size_t{65}, std::size_t{130}}) {
      auto entries = random_entries(n, 100, 3 * n);
      for (std::size_t c = 0; c < n; ++c) entries[(n - 1) * n + c] = 2 * entries[c];
      CHECK(on_host<8>(task, entries, n, primes, 3) == std::vector<std::uint32_t>{0});
      // A cycle through all, of sign (-1)^(n - 1), and the reversal.
      std::vector<std::int64_t> cycle(n * n, 0), reversal(n * n, 0);
      for (std::size_t r = 0; r < n; ++r) cycle[r * n + (r + 1) % n] = reversal[r * n + n - 1 - r] = 1;
      CHECK(on_host<8>(task, cycle, n, primes, 3) == determinants_modulo(cycle, n, primes));
      CHECK(on_host<8>(task, reversal, n, primes, 3) == determinants_modulo(reversal, n, primes));
    }
  }
}

namespace {

template <class Number>
ScaledComplex product_of_pivots(const host_gpu::Queue<Number>& queue) {
  ScaledComplex product{ScaledReal(queue.states()[0].exchanges % 2 != 0 ? -1 : 1), ScaledReal(0)};
  for (const auto& pivot : queue.pivots()) {
    if constexpr (sizeof pivot == sizeof(double)) {
      product = product * ScaledComplex{ScaledReal(pivot), ScaledReal(0)};
    } else {
      product = product * ScaledComplex{ScaledReal(pivot.re), ScaledReal(pivot.im)};
    }
  }
  return product;
}

double log2_distance(const ScaledComplex& a, const ScaledComplex& b) {
  return log2_abs(ScaledComplex{a.re + -b.re, a.im + -b.im});
}

// The kernels of this arithmetic against double-doubles, whose errors are far below what is allowed.
template <class Number>
void check_floats(const std::vector<typename Number::Value>& entries, std::size_t n, const ScaledComplex& truth) {
  for (const Task task : {Task::eliminate, Task::condense, Task::bound}) {
    const host_gpu::Queue<Number> queue(task, entries, static_cast<int>(n), 1, {{}}, 3);
    const ScaledComplex value = product_of_pivots(queue);
    CHECK(log2_distance(value, truth) < log2_abs(truth) - 30);
    if (task != Task::bound) continue;
    const bool is_complex = sizeof(typename Number::Value) != sizeof(double);
    const dense::FloatDeterminant bounded = dense::with_bound(value, queue.rows(), 0x1p-53, is_complex, 0);
    CHECK(log2_distance(value, truth) <= bounded.log2_error);
    CHECK(bounded.log2_error < log2_abs(truth) - 26);  // 1.5e-8
  }
}

}  // namespace

namespace {

void check_floats(std::size_t n) {
  INFO("n=" << n << " seed=" << seed);
  Random random(seed, 700 + n);
  std::vector<double> reals;
  std::vector<host_gpu::DeterminantPair> pairs;
  std::vector<ComplexDoubleDouble> complex;
  for (std::size_t i = 0; i < n * n; ++i) {
    reals.push_back(random.uniform() - 0.5);
    pairs.push_back({random.uniform() - 0.5, random.uniform() - 0.5});
    complex.push_back({pairs.back().re, pairs.back().im});
  }
  const DeterminantOptions exactly{.run = {.precision = Precision::double_double}};
  check_floats<host_gpu::DeterminantReal>(reals, n, {determinant(reals, n, exactly).value, ScaledReal(0)});
  check_floats<host_gpu::DeterminantComplex>(pairs, n, determinant(complex, n, exactly).value);
}

}  // namespace

TEST_CASE("the kernels' text gives real and complex determinants, and bounds that hold and leave digits") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{31}, std::size_t{64}, std::size_t{130}}) check_floats(n);
}

TEST_CASE("the kernels' text gives bounds of four panels, the last one short", "[slow]") {
  for (const std::size_t n : {std::size_t{2}, std::size_t{65}, std::size_t{128}, std::size_t{200}, std::size_t{257}})
    check_floats(n);
}

TEST_CASE("the kernels' text measures what the bound of the CPU is made of") {
  // A Q = L U holds exactly, with exact inverses: nothing but norms is left.
  const std::size_t n = 70;
  std::vector<double> entries(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    entries[i * n + i] = 0.5;
    if (i > 0) entries[i * n + i - 1] = 0.25;
  }
  const host_gpu::Queue<host_gpu::DeterminantReal> queue(Task::bound, entries, static_cast<int>(n), 1, {{}}, 2);
  for (std::size_t i = 0; i < n; ++i) {
    INFO("row " << i);
    const dense::BoundRow& row = queue.rows()[i];
    CHECK(row.row_sum == (i == 0 ? 0.5 : 0.75));
    CHECK(row.column_sum == (i + 1 == n ? 0.5 : 0.75));
    CHECK(row.l == (i == 0 ? 0.25 : 0.3125));
    CHECK(row.y == 1);
    CHECK(row.d == 0);
    CHECK(row.e == 0);
    CHECK(row.trace_re == 0);
    CHECK(row.trace_im == 0);
    // The inverse's row i is 2 (-1/2)^k, k = i .. 0.
    CHECK(std::fabs(row.x - 4 * (1 - std::exp2(-2.0 * static_cast<double>(i + 1))) / 0.75) < 1e-14);
  }
}

TEST_CASE("a bound sees factors and inverses that are wrong") {
  const auto bound_of = [](auto&& change) {
    std::vector<dense::BoundRow> rows(3);
    for (dense::BoundRow& row : rows) row = {0.5, 0.5, 4, 0, 0, 0.25, 1, 0, 0};
    change(rows);
    const dense::FloatDeterminant bounded = dense::with_bound({ScaledReal(1), ScaledReal(0)}, rows, 0x1p-53, false, 0);
    return std::exp2(bounded.log2_error);
  };
  CHECK(bound_of([](auto&) {}) < 1e-13);
  // A trace counts in full, -D and E by norms; from 1/2 on nothing is known.
  CHECK(bound_of([](auto& rows) { rows[1].trace_re = -1e-3; }) > 1.0004e-3);
  CHECK(bound_of([](auto& rows) { rows[1].trace_im = 1e-3; }) > 1.0004e-3);
  CHECK(bound_of([](auto& rows) { rows[2].d = 1e-4; }) > 12e-4 / 2);
  CHECK(bound_of([](auto& rows) { rows[2].d = 0.1; }) == std::numeric_limits<double>::infinity());
  CHECK(bound_of([](auto& rows) { rows[0].e = 0.25; }) == std::numeric_limits<double>::infinity());
  CHECK(bound_of([](auto& rows) { rows[0].d = std::nan(""); }) == std::numeric_limits<double>::infinity());
  CHECK(bound_of([](auto& rows) { rows[0].x = std::numeric_limits<double>::infinity(); }) ==
        std::numeric_limits<double>::infinity());
  CHECK(bound_of([](auto& rows) { rows[0].trace_re = std::nan(""); }) == std::numeric_limits<double>::infinity());
}

TEST_CASE("a GPU gives the residues, the floating determinants and the bounds of the CPU", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceInfo& device = found.devices[0];
  const RunContext context;
  const std::vector<std::uint64_t> narrow = primes_below(std::uint64_t{1} << 30, 21);
  const std::vector<std::uint64_t> wide = primes_below(std::uint64_t{1} << 31, 2);
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{64}, std::size_t{65},
                              std::size_t{200}, std::size_t{777}, std::size_t{1500}}) {
    INFO("n=" << n);
    const auto entries = random_entries(n, std::int64_t{1} << 62, n);
    for (const auto& primes : {narrow, wide}) {
      const std::vector<std::uint32_t> moduli(primes.begin(), primes.end());
      const auto truth = determinants_modulo(entries, n, moduli);
      for (const bool by_condensation : {false, true}) {
        CHECK(gpu::determinants_modulo(device_integers(entries), n, primes, by_condensation, device, context) ==
              std::vector<std::uint64_t>(truth.begin(), truth.end()));
      }
    }
    Random random(seed, 50 + n);
    dense::FloatMatrix real(n, 1), complex(n, 2);
    for (double& entry : real.entries) entry = random.uniform() - 0.5;
    for (double& entry : complex.entries) entry = random.uniform() - 0.5;
    const dense::Execution how{kernels_for<DenseKernels>(detected_isa()), 2, context, {}};
    for (const auto& [number, matrix] : {std::pair{dense::Number::real, real}, {dense::Number::complex, complex}}) {
      const dense::FloatDeterminant truth = dense::bounded_determinant(number, matrix, 0, how);
      for (const bool by_condensation : {false, true}) {
        const ScaledComplex value = gpu::float_determinant(number, matrix, by_condensation, device, context);
        CHECK(log2_distance(value, truth.value) < log2_abs(truth.value) - 20);
      }
      const dense::FloatDeterminant bounded = gpu::bounded_determinant(number, matrix, 0, device, context);
      CHECK(log2_distance(bounded.value, truth.value) <= log2_sum(bounded.log2_error, truth.log2_error));
      CHECK(std::fabs(bounded.log2_error - truth.log2_error) < 2);
    }
  }
}

TEST_CASE("where doubles on a GPU prove no digit, double-doubles on the CPU follow and a note says so", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  DeterminantOptions options{.run = {.device = {.kind = DeviceChoice::Kind::cuda}}};
  for (const std::size_t n : {std::size_t{5}, std::size_t{14}}) {
    std::vector<double> hilbert;
    for (std::size_t i = 0; i < n * n; ++i) hilbert.push_back(1 / static_cast<double>(i / n + i % n + 1));
    const auto size = static_cast<Vertex>(n);
    const DeterminantResult result = determinant(Matrix::from_dense(size, size, hilbert), options);
    CHECK(result.arithmetic == (n == 5 ? Arithmetic::float64 : Arithmetic::double_double));
    CHECK(result.gpus.size() == (n == 5 ? 1 : 0));
    CHECK(result.note.empty() == (n == 5));
    CHECK(relative_error(std::get<RealValue>(result.value)) < 1e-3);
  }
  options.run.precision = Precision::double_double;
  CHECK_THROWS_AS(determinant(std::vector<double>{2}, 1, options), Unable);
}
