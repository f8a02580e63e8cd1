// Ranges of addresses whose parts lie on several devices.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

namespace matchcount {
namespace {

constexpr const char* add_kernel = R"(
extern "C" __global__ void add(const double* a, const double* b, double* sums, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sums[i] = a[i] + b[i];
}
)";

void upload(DeviceBuffer& buffer, const std::vector<double>& values) {
  buffer.upload(std::as_bytes(std::span(values)));
}
template <class T>
std::vector<T> downloaded(const DeviceBuffer& buffer, std::size_t count, std::size_t offset = 0) {
  std::vector<T> values(count);
  buffer.download(std::as_writable_bytes(std::span(values)), offset);
  return values;
}

TEST_CASE("a buffer on two devices, or twice on one, is one range for both", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  const std::vector<DeviceInfo> pair{found.devices.front(), found.devices.back()};
  if (!reach_each_other(pair)) MATCHCOUNT_SKIP("the devices do not reach each other");
  const std::vector<DeviceContext> contexts(pair.begin(), pair.end());
  // Fills more than two parts, which are multiples of 2 MiB; the last is not whole.
  constexpr unsigned count = (5 << 18) + 13;
  std::vector<double> a(count), b(count), expected(count);
  for (unsigned i = 0; i < count; ++i) {
    a[i] = i;
    b[i] = 0.5 * i * i;
    expected[i] = a[i] + b[i];
  }
  const std::size_t bytes = 8 * std::size_t{count};
  DeviceBuffer left(contexts, bytes), right(contexts, bytes), sums(contexts, bytes);
  CHECK(sums.size_bytes() == bytes);
  upload(left, a);
  upload(right, b);
  // One after the other, each adds all.
  for (const DeviceContext& context : contexts) {
    DeviceModule module(context, compile_kernel(add_kernel, context.device().major, context.device().minor, "").image);
    DeviceStream stream(context);
    module.launch("add", {count / 64 + 1, 64, 0}, stream,
                  {argument(left), argument(right), argument(sums), argument(count)});
    stream.synchronize();
    CHECK(downloaded<double>(sums, count) == expected);
    // These stand across the border of the first part.
    constexpr unsigned border = 1 << 18;
    CHECK(downloaded<double>(sums, 3, 8 * std::size_t{border - 1}) ==
          std::vector<double>(expected.begin() + border - 1, expected.begin() + border + 2));
    sums.clear();
    CHECK(downloaded<double>(sums, count) == std::vector<double>(count, 0));
  }
  std::array<std::byte, 16> few{};
  CHECK_THROWS_AS(sums.upload(few, bytes - 8), InputError);
  PinnedBuffer pinned(contexts[0], 16);
  DeviceStream stream(contexts[0]);
  CHECK_THROWS_AS(stream.upload(sums, 0, pinned.bytes()), InputError);
  CHECK_THROWS_AS(DeviceBuffer(std::vector<DeviceContext>(), 8), InputError);
  // Buffers of no bytes, and of one.
  CHECK(DeviceBuffer(contexts, 0).size_bytes() == 0);
  DeviceBuffer one(contexts, 1);
  one.clear();
  CHECK(downloaded<std::uint8_t>(one, 1) == std::vector<std::uint8_t>{0});
}

}  // namespace
}  // namespace matchcount
