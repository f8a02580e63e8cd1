// Kernels that are compiled beforehand: cmake/MatchcountCuda.cmake.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;

namespace matchcount::gpu {
KernelImage add_vectors();
}

TEST_CASE("a kernel compiled beforehand is in the program, whole") {
  const std::span<const std::byte> code = gpu::add_vectors().code();
  REQUIRE(code.size() > 16);
  CHECK(reinterpret_cast<std::uintptr_t>(code.data()) % 16 == 0);
  std::uint32_t magic = 0;
  std::uint16_t header_bytes = 0;
  std::uint64_t bytes = 0;
  std::memcpy(&magic, code.data(), sizeof magic);
  std::memcpy(&header_bytes, code.data() + 6, sizeof header_bytes);
  std::memcpy(&bytes, code.data() + 8, sizeof bytes);
  CHECK(magic == 0xba55ed50);
  CHECK(header_bytes + bytes == code.size());
}

TEST_CASE("a kernel compiled beforehand runs on every device", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const std::vector<double> a{1, 2, 3, 4, 5}, b{10, 20, 30, 40, 50};
  for (const DeviceInfo& device : found.devices) {
    CAPTURE(device.index, device.name);
    const DeviceContext context(device);
    DeviceModule module(context, gpu::add_vectors().code());
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
