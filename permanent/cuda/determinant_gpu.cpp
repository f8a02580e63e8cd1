#include "permanent/cuda/determinant_gpu.hpp"

#include <cmath>
#include <complex>
#include <string>

#include "core/error.hpp"
#include "core/modular.hpp"
#include "permanent/cpu/dense_kernels.hpp"

namespace matchcount::gpu {
namespace {

// Panels between waits for the device, when limits are looked at.
constexpr int panels_a_wait = 16;
constexpr std::size_t offer_bytes(std::size_t value_bytes) { return 16 + determinant_panel_rows * value_bytes; }

class Eliminator {
 public:
  Eliminator(const DeviceInfo& device, const std::string& suffix, std::size_t n, int batch, std::size_t value_bytes,
             Watch& watch)
      : suffix_(suffix),
        n_(static_cast<int>(n)),
        batch_(batch),
        value_bytes_(value_bytes),
        multiprocessors_(device.multiprocessors),
        watch_(watch),
        context_(device),
        stream_(context_),
        module_(context_, determinant_image().code()),
        matrices_(context_, count() * n * n * value_bytes),
        pivots_(context_, count() * n * value_bytes),
        inverses_(context_, count() * determinant_panel_rows * determinant_panel_rows * value_bytes),
        states_(context_, count() * sizeof(DeterminantState)),
        moduli_(context_, count() * sizeof(DeterminantModulus)),
        offers_(context_, 2 * static_cast<std::size_t>(multiprocessors_) * offer_bytes(value_bytes)),
        counts_(context_, count() * panels() * sizeof(unsigned)) {}

  const DeviceContext& context() const { return context_; }
  DeviceBuffer& matrices() { return matrices_; }
  DeviceBuffer& moduli() { return moduli_; }

  void reduce(const DeviceBuffer& magnitudes, const DeviceBuffer& negative, int words) {
    const int blocks = 4 * multiprocessors_;
    module_.launch("reduce_integers", size(blocks, 256), stream_,
                   {argument(magnitudes), argument(negative), argument(words),
                    argument(static_cast<std::uint64_t>(n_) * static_cast<std::uint64_t>(n_)), argument(blocks),
                    argument(moduli_), argument(matrices_)});
  }

  // The kernels' seconds.
  double run() {
    states_.clear();
    counts_.clear();
    context_.synchronize();
    DeviceEvent begin(context_), end(context_);
    stream_.record(begin);
    queue_elimination(*this, n_, batch_, multiprocessors_, value_bytes_);
    stream_.record(end);
    stream_.synchronize();
    return end.seconds_since(begin);
  }
  std::vector<DeterminantState> states() const {
    std::vector<DeterminantState> states(count());
    states_.download(std::as_writable_bytes(std::span(states)));
    return states;
  }
  template <class Value>
  std::vector<Value> pivots() const {
    std::vector<Value> pivots(count() * static_cast<std::size_t>(n_));
    pivots_.download(std::as_writable_bytes(std::span(pivots)));
    return pivots;
  }

  // What queue_elimination asks for.
  void factor_panel(int first, int rows, int slice, int blocks, unsigned shared) {
    const std::uint64_t panel = static_cast<std::uint64_t>(first / determinant_panel_rows);
    const std::uint64_t counts = counts_.address() + panel * count() * sizeof(unsigned);
    module_.launch(
        "factor_panel_" + suffix_, size(blocks, 256, shared), stream_,
        {argument(matrices_), argument(n_), argument(first), argument(rows), argument(slice), argument(blocks),
         argument(moduli_), argument(states_), argument(pivots_), argument(offers_), argument(counts)});
  }
  void move_columns(int first, int blocks) {
    module_.launch("move_columns_" + suffix_, size(blocks, 2 * determinant_panel_rows), stream_,
                   {argument(matrices_), argument(n_), argument(first), argument(blocks), argument(states_)});
  }
  void invert_upper(int first, int rows, unsigned shared) {
    module_.launch(
        "invert_upper_" + suffix_, size(1, determinant_panel_rows, shared), stream_,
        {argument(matrices_), argument(n_), argument(first), argument(rows), argument(moduli_), argument(inverses_)});
  }
  void multiply_by_inverse(int row, int column, int m, int k, int blocks) {
    constexpr std::uint64_t stride = determinant_panel_rows;
    multiply(0, place(row, column), inverses_.address(), stride, stride * stride, place(row, column), m, k, k, blocks);
  }
  void subtract_product(int row, int column, int m, int k, int blocks) {
    multiply(1, place(row, column), place(column, row), order(), order() * order(), place(row, row), m, m, k, blocks);
  }
  void after_panel(int rows) {
    watch_.check();
    if (rows / determinant_panel_rows % panels_a_wait == 0) stream_.synchronize();
  }

 private:
  std::size_t count() const { return static_cast<std::size_t>(batch_); }
  std::size_t panels() const {
    return static_cast<std::size_t>((n_ + determinant_panel_rows - 1) / determinant_panel_rows);
  }
  std::uint64_t order() const { return static_cast<std::uint64_t>(n_); }
  std::uint64_t place(int row, int column) const {
    return matrices_.address() +
           (static_cast<std::uint64_t>(row) * order() + static_cast<std::uint64_t>(column)) * value_bytes_;
  }
  LaunchSize size(int blocks_of_one, int threads, unsigned shared = 0) const {
    return {static_cast<unsigned>(blocks_of_one * batch_), static_cast<unsigned>(threads), shared};
  }
  void multiply(int subtract, std::uint64_t a, std::uint64_t b, std::uint64_t b_stride, std::uint64_t b_matrix,
                std::uint64_t c, int m, int n, int k, int blocks) {
    const std::uint64_t matrix = order() * order();
    module_.launch("multiply_" + suffix_, size(blocks, 256), stream_,
                   {argument(subtract), argument(a), argument(order()), argument(matrix), argument(b),
                    argument(b_stride), argument(b_matrix), argument(c), argument(order()), argument(matrix),
                    argument(m), argument(n), argument(k), argument(blocks), argument(moduli_)});
  }

  std::string suffix_;
  int n_, batch_;
  std::size_t value_bytes_;
  int multiprocessors_;
  Watch& watch_;
  DeviceContext context_;
  DeviceStream stream_;
  DeviceModule module_;
  DeviceBuffer matrices_, pivots_, inverses_, states_, moduli_, offers_, counts_;
};

void check_order(std::size_t n, std::size_t value_bytes, const DeviceInfo& device) {
  const auto most =
      static_cast<std::size_t>(device.multiprocessors) * static_cast<std::size_t>(widest_slice(value_bytes));
  if (n > most) {
    throw Unable("a determinant of " + std::to_string(n) + " rows on " + device.name + ", which takes " +
                 std::to_string(most));
  }
}

}  // namespace

std::vector<std::uint64_t> determinants_modulo(const DeviceIntegers& integers, std::size_t n,
                                               std::span<const std::uint64_t> primes, const DeviceInfo& device,
                                               Watch& watch, double* kernel_s) {
  std::vector<std::uint64_t> values;
  double seconds = 0;
  if (primes.empty()) return values;
  if (n == 0) return std::vector<std::uint64_t>(primes.size(), 1);
  check_order(n, sizeof(std::uint32_t), device);
  // Side by side while every panel's blocks of 32 columns find a multiprocessor each.
  const std::size_t fitting = static_cast<std::size_t>(device.multiprocessors) / ((n + 31) / 32);
  const std::size_t batch = std::clamp<std::size_t>(fitting, 1, primes.size());
  bool narrow = true;
  for (const std::uint64_t prime : primes) narrow = narrow && prime >> 30 == 0;
  Eliminator eliminator(device, narrow ? "residue" : "wide_residue", n, static_cast<int>(batch), sizeof(std::uint32_t),
                        watch);
  DeviceBuffer magnitudes(eliminator.context(), integers.magnitudes.size() * sizeof(std::uint32_t));
  DeviceBuffer negative(eliminator.context(), integers.negative.size());
  magnitudes.upload(std::as_bytes(std::span(integers.magnitudes)));
  negative.upload(std::as_bytes(std::span(integers.negative)));
  for (std::size_t first = 0; first < primes.size(); first += batch) {
    std::vector<DeterminantModulus> moduli;
    for (std::size_t i = 0; i < batch; ++i) {
      // Where the last batch is not full its last prime is taken again.
      const DenseModulus modulus(static_cast<std::uint32_t>(primes[std::min(first + i, primes.size() - 1)]));
      const auto one = static_cast<std::uint32_t>((std::uint64_t{1} << 32) % modulus.prime);
      moduli.push_back({modulus.prime, modulus.negated_inverse, modulus.to_montgomery, one});
    }
    eliminator.moduli().upload(std::as_bytes(std::span(moduli)));
    eliminator.reduce(magnitudes, negative, integers.words);
    seconds += eliminator.run();
    const std::vector<DeterminantState> states = eliminator.states();
    const std::vector<std::uint32_t> pivots = eliminator.pivots<std::uint32_t>();
    for (std::size_t i = 0; i < batch && first + i < primes.size(); ++i) {
      const std::uint64_t prime = moduli[i].prime;
      std::uint64_t value = states[i].singular ? 0 : 1;
      // Every pivot stands with a factor of 2^32.
      const std::uint64_t unit = inverse_mod(moduli[i].one, prime);
      for (std::size_t r = 0; r < n && value != 0; ++r) value = value * pivots[i * n + r] % prime * unit % prime;
      if (states[i].exchanges % 2 != 0 && value != 0) value = prime - value;
      values.push_back(value);
    }
    watch.report("determinant", static_cast<double>(values.size()), static_cast<double>(primes.size()));
  }
  if (kernel_s != nullptr) *kernel_s = seconds;
  return values;
}

ScaledComplex float_determinant(dense::Number number, const dense::FloatMatrix& matrix, const DeviceInfo& device,
                                Watch& watch, double* kernel_s) {
  const std::size_t n = matrix.n, planes = dense::planes_of(number);
  ScaledComplex value{ScaledReal(1), ScaledReal(0)};
  if (n == 0) return value;
  check_order(n, planes * sizeof(double), device);
  Eliminator eliminator(device, planes == 1 ? "real" : "complex", n, 1, planes * sizeof(double), watch);
  if (planes == 1) {
    eliminator.matrices().upload(std::as_bytes(std::span(matrix.entries)));
  } else {
    std::vector<std::complex<double>> pairs;
    for (std::size_t i = 0; i < n * n; ++i) pairs.emplace_back(matrix.entries[i], matrix.entries[n * n + i]);
    eliminator.matrices().upload(std::as_bytes(std::span(pairs)));
  }
  const double seconds = eliminator.run();
  if (kernel_s != nullptr) *kernel_s = seconds;
  const DeterminantState state = eliminator.states()[0];
  if (state.singular) return {};
  const std::vector<double> pivots = planes == 1 ? eliminator.pivots<double>() : [&] {
    std::vector<double> parts;
    for (const std::complex<double>& pivot : eliminator.pivots<std::complex<double>>()) {
      parts.push_back(pivot.real());
      parts.push_back(pivot.imag());
    }
    return parts;
  }();
  for (std::size_t r = 0; r < n; ++r)
    value = value * ScaledComplex{ScaledReal(pivots[r * planes]), ScaledReal(planes == 1 ? 0 : pivots[2 * r + 1])};
  if (state.exchanges % 2 != 0) value = {-value.re, -value.im};
  return value;
}

}  // namespace matchcount::gpu
