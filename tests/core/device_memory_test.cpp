// Copies between buffers of several devices, and addresses of memory that others allocated.

#include <algorithm>
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

void upload(DeviceBuffer& buffer, const std::vector<double>& values) {
  buffer.upload(std::as_bytes(std::span(values)));
}
template <class T>
std::vector<T> downloaded(const DeviceBuffer& buffer, std::size_t count, std::size_t offset = 0) {
  std::vector<T> values(count);
  buffer.download(std::as_writable_bytes(std::span(values)), offset);
  return values;
}

TEST_CASE("streams copy between buffers of two devices, or of one, in order", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const std::vector<DeviceContext> contexts{DeviceContext(found.devices.front()), DeviceContext(found.devices.back())};
  if (!reach_each_other({found.devices.front(), found.devices.back()}))
    MATCHCOUNT_SKIP("the devices do not reach each other");
  connect(contexts);
  connect(contexts);
  constexpr std::size_t count = (1 << 20) + 13;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
  DeviceBuffer here(contexts[0], 8 * count), there(contexts[1], 8 * count), back(contexts[0], 8 * count);
  upload(here, values);
  for (DeviceBuffer* buffer : {&there, &back}) buffer->clear();
  DeviceStream sending(contexts[0]), returning(contexts[1]);
  DeviceEvent sent(contexts[0]);
  sending.copy(there, 40, here, 0, 8 * count - 40);
  sending.record(sent);
  returning.wait(sent);
  returning.copy(back, 0, there, 40, 8 * count - 40);
  returning.copy(back, 0, there, 0, 0);
  returning.synchronize();
  values.resize(count - 5);
  CHECK(downloaded<double>(back, count - 5) == values);
  CHECK(downloaded<double>(there, count - 5, 40) == values);
  CHECK(downloaded<double>(there, 5) == std::vector<double>(5, 0));
  CHECK_THROWS_AS(sending.copy(there, 8, here, 0, 8 * count), InputError);
  CHECK_THROWS_AS(sending.copy(there, 0, here, 8, 8 * count), InputError);
}

TEST_CASE("addresses tell their device and are copied from, and none of it goes beyond what was allocated", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
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
