// Ranges of addresses whose parts lie on several devices, and addresses of memory that others allocated.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/device_memory.hpp"
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

TEST_CASE("addresses tell their device and are copied from, and none of it goes beyond what was allocated", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  constexpr std::size_t count = 1 << 20;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
  for (const DeviceInfo& device : found.devices) {
    DeviceBuffer buffer(DeviceContext(device), 8 * count);
    upload(buffer, values);
    CHECK(device_holding(buffer.address(), 8 * count) == device.index);
    CHECK(device_holding(buffer.address() + 8, 8 * count - 8) == device.index);
    CHECK_THROWS_AS(device_holding(buffer.address() + 8, 8 * count), InputError);
    CHECK_THROWS_AS(device_holding(buffer.address(), std::size_t{1} << 60), InputError);
    std::vector<double> some(count - 5);
    copy_from_device(buffer.address() + 40, std::as_writable_bytes(std::span(some)));
    CHECK(std::equal(some.begin(), some.end(), values.begin() + 5));
  }
  double here = 0;
  CHECK_THROWS_AS(device_holding(reinterpret_cast<std::uintptr_t>(&here), 8), InputError);
  CHECK_THROWS_AS(device_holding(0, 8), InputError);
  CHECK_THROWS_AS(copy_from_device(8, std::as_writable_bytes(std::span(&here, 1))), InputError);
}

}  // namespace
}  // namespace matchcount
