#include "bench/workload.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "linear/bits/product.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount::bench {

namespace {

constexpr unsigned threads = 256, blocks_per_multiprocessor = 8;
constexpr double chains = 8, steps_per_round = 16;
constexpr double wanted_s = 0.2;

// The result is written where it can't be, so that the compiler keeps it and the memory is not touched.
constexpr const char* source = R"(
extern "C" __global__ void multiply_add(double* out, double a, double b, int rounds) {
  double x[8];
  for (int i = 0; i < 8; ++i) x[i] = threadIdx.x + 0.125 * i;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int step = 0; step < 16; ++step) {
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = fma(x[i], a, b);
    }
  }
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += x[i];
  if (sum < 0) *out = sum;
}
)";

constexpr Vertex largest_size = 62;
// A density at which so many seeds give no perfect matching is too small for the size.
constexpr std::uint64_t most_seeds = 10'000;

constexpr FamilySpec families[] = {
    {Family::dense, "dense", false, "double", "real, uniform in [0, 1)"},
    {Family::ones, "ones", false, "double", "all ones, in doubles; the answer is a factorial"},
    {Family::sparse, "sparse", true, "double", "random pattern, values uniform in [0, 1)"},
    {Family::zero_one, "zero-one", true, "exact double", "random pattern of ones, exactly and in doubles"},
    {Family::methods, "methods", true, "double exact",
     "every method, sparse values in doubles and the pattern's ones exactly"},
    {Family::precisions, "precisions", false, "double-double compensated double", "dense values in every arithmetic"},
    {Family::complex, "complex", false, "double-double double", "dense complex normal values"},
    {Family::scaling, "scaling", false, "double", "dense values on 1, 2, 4, 8 devices (threads of a CPU)"},
};

bool has_perfect_matching(const Matrix& matrix) { return maximum_matching(matrix).size == matrix.num_rows(); }

}  // namespace

double Sampled::log_low(double log_exact) const { return estimate.low.log2_abs() * std::numbers::ln2 - log_exact; }
double Sampled::log_high(double log_exact) const { return estimate.high.log2_abs() * std::numbers::ln2 - log_exact; }

bool Sampled::is_honest(double log_exact) const {
  if (!unable.empty() || !estimate.warning.empty() || estimate.unknown) return true;
  const double off = log_ratio(log_exact), reach = (off < 0 ? log_high(log_exact) : log_low(log_exact)) - off;
  return std::fabs(off) <= 3 * std::fabs(reach) + 1e-9;
}

Sampled draw(const BipartiteGraph& graph, const Sampler& sampler, std::uint64_t samples, EstimateOptions options) {
  options.method = sampler.estimator;
  options.scaling_interval = sampler.interval;
  options.exact_rows = 0;
  options.samples = samples;
  Sampled sampled;
  sampled.seconds = seconds_of([&] {
    try {
      sampled.estimate = estimate_perfect_matchings(graph, options);
    } catch (const Unable& error) {
      sampled.unable = error.what();
    }
  });
  return sampled;
}

double log_grid_matchings(int size) {
  const long double step = std::acos(-1.0L) / static_cast<long double>(size + 1);
  long double sum = 0;
  for (int j = 1; j <= size / 2; ++j) {
    for (int k = 1; k <= size / 2; ++k) {
      const long double a = std::cos(step * static_cast<long double>(j)),
                        b = std::cos(step * static_cast<long double>(k));
      sum += std::log(4 * a * a + 4 * b * b);
    }
  }
  return static_cast<double>(sum);
}

double measured_fma_per_s(const DeviceInfo& device) {
  const CompiledKernel kernel = compile_kernel(source, device.major, device.minor, default_kernel_cache());
  DeviceContext context(device);
  DeviceStream stream(context);
  DeviceModule module(context, kernel.image);
  DeviceBuffer out(context, sizeof(double));
  const LaunchSize size{blocks_per_multiprocessor * static_cast<unsigned>(device.multiprocessors), threads, 0};
  const auto seconds = [&](int rounds) {
    DeviceEvent begin(context), end(context);
    stream.record(begin);
    // x -> x/2 + 1 stays positive and normal.
    module.launch("multiply_add", size, stream, {argument(out), argument(0.5), argument(1.0), argument(rounds)});
    stream.record(end);
    stream.synchronize();
    return end.seconds_since(begin);
  };
  constexpr int first_rounds = 1000;
  seconds(first_rounds);
  const double guess = seconds(first_rounds);
  const int rounds = static_cast<int>(std::clamp(first_rounds * wanted_s / guess, 1e3, 1e9));
  return chains * steps_per_round * rounds * size.blocks * size.threads / seconds(rounds);
}

BitMatrix random_bits(std::size_t n, std::uint64_t seed, std::uint64_t matrix) {
  BitMatrix result(n, n);
  parallel_for_chunks(resolve_num_threads({}), n, [&](std::uint64_t row, int) {
    Random random(seed, 2 * row + matrix);
    std::uint64_t* const words = result.row(row);
    for (std::size_t w = 0; w < (n + 63) / 64; ++w) words[w] = random();
    if (n % 64 != 0) words[n / 64] &= (std::uint64_t{1} << n % 64) - 1;
  });
  return result;
}

BitMatrix product_on_cpu(BitSum sum, const BitMatrix& a, const BitMatrix& b, RunOptions options) {
  options.device.kind = DeviceChoice::Kind::cpu;
  const RunContext run(options);
  return sum == BitSum::boolean ? boolean_product(a, b, run) : binary_product(a, b, run);
}

bool is_product(BitSum sum, const BitMatrix& a, const BitMatrix& b, const BitMatrix& c) {
  const std::size_t n = a.num_rows(), words = (n + 63) / 64;
  constexpr std::size_t samples = 8;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t row = (n - 1) * i / (samples - 1);
    std::vector<std::uint64_t> expected(words, 0);
    for (std::size_t k = 0; k < n; ++k) {
      if (!a.get(row, k)) continue;
      for (std::size_t w = 0; w < words; ++w)
        expected[w] = sum == BitSum::boolean ? expected[w] | b.row(k)[w] : expected[w] ^ b.row(k)[w];
    }
    if (!std::equal(expected.begin(), expected.end(), c.row(row))) return false;
  }
  return true;
}

std::span<const FamilySpec> family_table() { return families; }

Workload workload_from_name(const std::string& name) {
  std::string names;
  for (const FamilySpec& spec : families) {
    names += (names.empty() ? "" : ", ") + std::string(spec.name) + (spec.has_density ? "-N-DENSITY" : "-N");
    if (name.rfind(std::string(spec.name) + "-", 0) != 0) continue;
    std::string_view rest = std::string_view(name).substr(spec.name.size() + 1);
    const std::size_t dash = spec.has_density ? rest.find('-') : rest.npos;
    const auto size = app::parse_number<Vertex>(rest.substr(0, dash));
    std::optional<double> density = 1;
    if (spec.has_density) density = dash == rest.npos ? std::nullopt : app::parse_number<double>(rest.substr(dash + 1));
    if (!size || *size < 1 || *size > largest_size || !density || !(*density > 0 && *density <= 1)) continue;
    return {name, spec.family, *size, *density};
  }
  throw InputError("the workload '" + name + "'", "one of " + names + " with N from 1 to 62 and DENSITY above 0, to 1");
}

SeededMatrix matrix_of(const Workload& workload, std::uint64_t seed) {
  const Vertex n = workload.size;
  SeededMatrix seeded{complete_graph(n, n), seed};
  if (workload.density < 1) {
    const std::uint64_t first = seed;
    for (seeded.matrix = random_graph(n, n, workload.density, seed); !has_perfect_matching(seeded.matrix);
         seeded.matrix = random_graph(n, n, workload.density, seeded.seed)) {
      if (++seeded.seed - first == most_seeds) {
        throw InputError("the workload '" + workload.name + "', none of whose patterns has a perfect matching",
                         "more entries");
      }
    }
  }
  RandomWeights weights;
  if (workload.family == Family::ones || workload.family == Family::zero_one) return seeded;
  if (workload.family == Family::complex) weights.law = RandomWeights::Law::complex;
  seeded.matrix = with_random_weights(seeded.matrix, weights, seeded.seed);
  return seeded;
}

}  // namespace matchcount::bench
