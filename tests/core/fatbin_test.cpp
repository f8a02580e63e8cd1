// Kernels that are compiled beforehand: cmake/MatchcountCuda.cmake.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;

extern "C" {
extern const unsigned char add_vectors_begin[];
extern const std::size_t add_vectors_size;
}

namespace {

std::span<const std::byte> image() { return std::as_bytes(std::span(add_vectors_begin, add_vectors_size)); }

}  // namespace

TEST_CASE("a kernel compiled beforehand is in the program, whole") {
  REQUIRE(add_vectors_size > 16);
  CHECK(reinterpret_cast<std::uintptr_t>(add_vectors_begin) % 16 == 0);
  std::uint32_t magic = 0;
  std::uint16_t header_bytes = 0;
  std::uint64_t bytes = 0;
  std::memcpy(&magic, add_vectors_begin, sizeof magic);
  std::memcpy(&header_bytes, add_vectors_begin + 6, sizeof header_bytes);
  std::memcpy(&bytes, add_vectors_begin + 8, sizeof bytes);
  CHECK(magic == 0xba55ed50);
  CHECK(header_bytes + bytes == add_vectors_size);
}

TEST_CASE("a kernel compiled beforehand runs on every device", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  const std::vector<double> a{1, 2, 3, 4, 5}, b{10, 20, 30, 40, 50};
  for (const DeviceInfo& device : found.devices) {
    CAPTURE(device.index, device.name);
    const DeviceContext context(device);
    DeviceModule module(context, image());
    DeviceStream stream(context);
    DeviceBuffer left(context, 40), right(context, 40), sums(context, 40);
    left.upload(std::as_bytes(std::span(a)));
    right.upload(std::as_bytes(std::span(b)));
    module.launch("add_vectors", {2, 3, 0}, stream, {argument(left), argument(right), argument(sums), argument(5u)});
    std::vector<double> result(5);
    sums.download(std::as_writable_bytes(std::span(result)));
    CHECK(result == std::vector<double>{11, 22, 33, 44, 55});
  }
}
