#include "bench/ceiling.hpp"

#include <algorithm>

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

}  // namespace

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

}  // namespace matchcount::bench
