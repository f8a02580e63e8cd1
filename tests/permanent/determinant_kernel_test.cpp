// The kernels' text compiled for the host.

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/modular.hpp"
#include "core/random.hpp"
#include "permanent/cpu/dense_kernels.hpp"
#include "permanent/cuda/determinant_gpu.hpp"
#include "permanent/determinant.hpp"
#include "support/catch.hpp"
#include "support/host_gpu.hpp"
#include "support/skip.hpp"

namespace host_gpu {

using namespace matchcount::gpu;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "permanent/cuda/determinant_kernels.cuh"
#pragma GCC diagnostic pop

// Runs queue_elimination's launches at once.
template <class Number>
class Queue {
 public:
  using Value = typename Number::Value;

  Queue(std::vector<Value> matrices, int n, int batch, std::vector<DeterminantModulus> moduli, int multiprocessors)
      : n_(n),
        batch_(batch),
        matrices_(std::move(matrices)),
        moduli_(std::move(moduli)),
        states_(static_cast<std::size_t>(batch), DeterminantState{}),
        pivots_(static_cast<std::size_t>(batch * n)),
        inverses_(static_cast<std::size_t>(batch * determinant_panel_rows * determinant_panel_rows)),
        offers_(static_cast<std::size_t>(2 * std::max(multiprocessors, batch))) {
    matchcount::gpu::queue_elimination(*this, n, batch, multiprocessors, sizeof(Value));
  }

  const std::vector<DeterminantState>& states() const { return states_; }
  const std::vector<Value>& pivots() const { return pivots_; }

  void factor_panel(int first, int rows, int slice, int blocks, unsigned shared) {
    std::vector<unsigned> counts(static_cast<std::size_t>(batch_), 0);
    launch(blocks, determinant_panel_rows, shared, [&] {
      host_gpu::factor_panel<Number>(matrices_.data(), n_, first, rows, slice, blocks, moduli_.data(), states_.data(),
                                     pivots_.data(), offers_.data(), counts.data());
    });
  }
  void move_columns(int first, int blocks) {
    launch(std::min(blocks, 3), 2 * determinant_panel_rows, 0, [&, blocks = std::min(blocks, 3)] {
      host_gpu::move_columns<Number>(matrices_.data(), n_, first, blocks, states_.data());
    });
  }
  void invert_upper(int first, int rows, unsigned shared) {
    launch(1, determinant_panel_rows, shared, [&] {
      host_gpu::invert_upper<Number>(matrices_.data(), n_, first, rows, moduli_.data(), inverses_.data());
    });
  }
  void multiply_by_inverse(int row, int column, int m, int k, int blocks) {
    constexpr u64 stride = determinant_panel_rows;
    multiply(false, at(row, column), inverses_.data(), stride, stride * stride, at(row, column), m, k, k, blocks);
  }
  void subtract_product(int row, int column, int m, int k, int blocks) {
    multiply(true, at(row, column), at(column, row), order(), order() * order(), at(row, row), m, m, k, blocks);
  }
  void after_panel(int) {}

 private:
  u64 order() const { return static_cast<u64>(n_); }
  Value* at(int row, int column) {
    return matrices_.data() + static_cast<u64>(row) * order() + static_cast<u64>(column);
  }
  void multiply(bool subtract, const Value* a, const Value* b, u64 b_stride, u64 b_matrix, Value* c, int m, int n,
                int k, int blocks) {
    launch(blocks, determinant_threads, 0, [=, this] {
      host_gpu::multiply_tiles<Number>(subtract, a, order(), order() * order(), b, b_stride, b_matrix, c, order(),
                                       order() * order(), m, n, k, blocks, moduli_.data());
    });
  }
  void launch(int blocks, int threads, unsigned shared, std::function<void()> kernel) {
    Launch(static_cast<unsigned>(blocks * batch_), static_cast<unsigned>(threads), shared, std::move(kernel)).run();
  }

  int n_, batch_;
  std::vector<Value> matrices_;
  std::vector<DeterminantModulus> moduli_;
  std::vector<DeterminantState> states_;
  std::vector<Value> pivots_, inverses_;
  std::vector<DeterminantOffer<Number>> offers_;
};

inline matchcount::gpu::DeterminantModulus modulus_of(std::uint32_t prime) {
  const matchcount::DenseModulus modulus(prime);
  return {prime, modulus.negated_inverse, modulus.to_montgomery, static_cast<u32>((std::uint64_t{1} << 32) % prime)};
}

}  // namespace host_gpu

using namespace matchcount;

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

// As gpu::determinants_modulo goes about it.
template <int window>
std::vector<std::uint32_t> on_host(const std::vector<std::int64_t>& entries, std::size_t n,
                                   const std::vector<std::uint32_t>& primes, int multiprocessors) {
  const gpu::DeviceIntegers integers = device_integers(entries);
  std::vector<gpu::DeterminantModulus> moduli;
  for (const std::uint32_t prime : primes) moduli.push_back(host_gpu::modulus_of(prime));
  std::vector<std::uint32_t> matrices(primes.size() * n * n);
  host_gpu::Launch(static_cast<unsigned>(2 * primes.size()), 32, 0, [&] {
    host_gpu::reduce_entries(integers.magnitudes.data(), integers.negative.data(), integers.words, n * n, 2,
                             moduli.data(), matrices.data());
  }).run();
  const host_gpu::Queue<host_gpu::DeterminantResidue<window>> queue(
      matrices, static_cast<int>(n), static_cast<int>(primes.size()), moduli, multiprocessors);
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < primes.size(); ++i) {
    const std::uint64_t prime = primes[i], unit = inverse_mod(moduli[i].one, prime);
    std::uint64_t value = queue.states()[i].singular ? 0 : 1;
    for (std::size_t r = 0; r < n; ++r) value = value * queue.pivots()[i * n + r] % prime * unit % prime;
    if (queue.states()[i].exchanges % 2 != 0 && value != 0) value = prime - value;
    values.push_back(static_cast<std::uint32_t>(value));
  }
  return values;
}

void check_residues(std::size_t n) {
  const std::vector<std::uint32_t> narrow{3, 1073741789}, wide{2147483647};
  INFO("n=" << n << " seed=" << seed);
  // Small entries modulo 3 bring many zeros.
  for (const std::int64_t most : {std::int64_t{1}, std::int64_t{1} << 62}) {
    const auto entries = random_entries(n, most, n);
    CHECK(on_host<8>(entries, n, narrow, 4) == determinants_modulo(entries, n, narrow));
    CHECK(on_host<2>(entries, n, wide, 5) == determinants_modulo(entries, n, wide));
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
  for (const std::size_t n : {std::size_t{2}, std::size_t{65}, std::size_t{130}}) {
    auto entries = random_entries(n, 100, 3 * n);
    for (std::size_t c = 0; c < n; ++c) entries[(n - 1) * n + c] = 2 * entries[c];
    CHECK(on_host<8>(entries, n, primes, 3) == std::vector<std::uint32_t>{0});
    // A cycle through all, of sign (-1)^(n - 1), and the reversal.
    std::vector<std::int64_t> cycle(n * n, 0), reversal(n * n, 0);
    for (std::size_t r = 0; r < n; ++r) cycle[r * n + (r + 1) % n] = reversal[r * n + n - 1 - r] = 1;
    CHECK(on_host<8>(cycle, n, primes, 3) == determinants_modulo(cycle, n, primes));
    CHECK(on_host<8>(reversal, n, primes, 3) == determinants_modulo(reversal, n, primes));
  }
}

TEST_CASE("the kernels' text gives the real and complex determinants of the CPU") {
  Random random(seed, 9);
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{64}, std::size_t{130}}) {
    INFO("n=" << n);
    std::vector<double> reals;
    std::vector<host_gpu::DeterminantPair> pairs;
    std::vector<ComplexDoubleDouble> complex;
    for (std::size_t i = 0; i < n * n; ++i) {
      reals.push_back(random.uniform() - 0.5);
      pairs.push_back({random.uniform() - 0.5, random.uniform() - 0.5});
      complex.push_back({pairs.back().re, pairs.back().im});
    }
    const host_gpu::Queue<host_gpu::DeterminantReal> real(reals, static_cast<int>(n), 1, {{}}, 3);
    const host_gpu::Queue<host_gpu::DeterminantComplex> both(pairs, static_cast<int>(n), 1, {{}}, 2);
    ScaledReal product(1);
    for (const double pivot : real.pivots()) product = product * ScaledReal(pivot);
    if (real.states()[0].exchanges % 2 != 0) product = -product;
    const ScaledReal truth = determinant(reals, n).value;
    CHECK((product + -truth).log2_abs() < truth.log2_abs() - 30);
    ScaledComplex value{ScaledReal(1), ScaledReal(0)};
    for (const auto& pivot : both.pivots()) value = value * ScaledComplex{ScaledReal(pivot.re), ScaledReal(pivot.im)};
    if (both.states()[0].exchanges % 2 != 0) value = {-value.re, -value.im};
    const ScaledComplex other = determinant(complex, n).value;
    CHECK(log2_abs(ScaledComplex{value.re + -other.re, value.im + -other.im}) < log2_abs(other) - 30);
  }
}

TEST_CASE("a GPU gives the residues and the floating determinants of the CPU", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  const DeviceInfo& device = found.devices[0];
  RunOptions options;
  Watch watch(options);
  const std::vector<std::uint64_t> narrow = primes_below(std::uint64_t{1} << 30, 21);
  const std::vector<std::uint64_t> wide = primes_below(std::uint64_t{1} << 31, 2);
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{64}, std::size_t{65},
                              std::size_t{200}, std::size_t{777}, std::size_t{1500}}) {
    INFO("n=" << n);
    const auto entries = random_entries(n, std::int64_t{1} << 62, n);
    for (const auto& primes : {narrow, wide}) {
      const std::vector<std::uint32_t> moduli(primes.begin(), primes.end());
      const auto truth = determinants_modulo(entries, n, moduli);
      CHECK(gpu::determinants_modulo(device_integers(entries), n, primes, device, watch) ==
            std::vector<std::uint64_t>(truth.begin(), truth.end()));
    }
    Random random(seed, 50 + n);
    dense::FloatMatrix real(n, 1), complex(n, 2);
    for (double& entry : real.entries) entry = random.uniform() - 0.5;
    for (double& entry : complex.entries) entry = random.uniform() - 0.5;
    const dense::Run how{dense_kernels(detected_isa()), 2, watch, {}};
    for (const auto& [number, matrix] : {std::pair{dense::Number::real, real}, {dense::Number::complex, complex}}) {
      const ScaledComplex value = gpu::float_determinant(number, matrix, device, watch);
      const ScaledComplex truth = dense::float_determinant(number, matrix, false, how);
      CHECK(log2_abs(ScaledComplex{value.re + -truth.re, value.im + -truth.im}) < log2_abs(truth) - 20);
    }
  }
}
