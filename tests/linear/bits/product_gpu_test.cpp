#include "linear/bits/cuda/product_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.hpp"
#include "linear/bits/cuda/streamed_gpu.hpp"
#include "linear/bits/cuda/winograd.hpp"
#include "linear/bits/product.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using gpu::BitDevice;
using gpu::BitRoute;
using gpu::DeviceBits;
using test::random_bits;

namespace {

constexpr std::uint64_t seed = 20261129;

RunContext on_cpu() { return RunContext({.device = {.kind = DeviceChoice::Kind::cpu}}); }

std::string name_of(BitRoute route) { return "route " + std::to_string(static_cast<int>(route)); }

void fill(BitMatrix& matrix) {
  for (std::size_t r = 0; r < matrix.num_rows(); ++r) std::fill_n(matrix.row(r), matrix.stride(), ~std::uint64_t{0});
}

// Returns the product that comes back from the device, whose memory was full of ones before.
BitMatrix product_on(BitDevice& device, BitSum sum, ConstBitView a, ConstBitView b) {
  DeviceBits left(device.context(), a.num_rows, a.num_columns), right(device.context(), b.num_rows, b.num_columns);
  DeviceBits transposed(device.context(), b.num_columns, b.num_rows), c(device.context(), a.num_rows, b.num_columns);
  left.upload(a);
  right.upload(b);
  const auto fill_device = [](DeviceBits& bits) {
    BitMatrix ones(bits.num_rows(), bits.num_columns());
    fill(ones);
    bits.upload(ones);
  };
  fill_device(transposed);
  fill_device(c);
  device.transpose(right, transposed);
  device.multiply(sum, left, transposed, c);
  BitMatrix result(a.num_rows, b.num_columns);
  c.download(result.view());
  return result;
}

std::vector<DeviceInfo> devices_with_routes() {
  std::vector<DeviceInfo> devices = find_devices().devices;
  std::erase_if(devices, [](const DeviceInfo& device) { return gpu::bit_routes(device).empty(); });
  return devices;
}

}  // namespace

TEST_CASE("a device has the routes that its generation and the build have") {
  const std::vector<BitRoute> none;
  if (!built_with_cuda()) {
    CHECK(gpu::bit_routes(known_device("h200")) == none);
    BitMatrix c(1, 1);
    CHECK_THROWS_AS(gpu::multiply_streamed(BitSum::boolean, BitMatrix(1, 1), BitMatrix(1, 1), c.view(),
                                           {known_device("h200")}, RunContext()),
                    Unable);
    return;
  }
  CHECK(gpu::bit_routes(known_device("h200")).back() == BitRoute::words);
  CHECK(gpu::bit_routes(known_device("a100")) == std::vector<BitRoute>{BitRoute::mma, BitRoute::words});
  DeviceInfo small = known_device("a100");
  small.minor = 6;  // has too little shared memory for the tiles of mma
  CHECK(gpu::bit_routes(small) == std::vector<BitRoute>{BitRoute::words});
  DeviceInfo old = known_device("a100");
  old.major = 7;
  CHECK(gpu::bit_routes(old) == none);
}

TEST_CASE("a GPU transposes as the CPU does", "[cuda]") {
  const auto devices = devices_with_routes();
  if (devices.empty()) MATCHCOUNT_SKIP("no GPU for products of bits");
  BitDevice device(devices[0], gpu::bit_routes(devices[0]).front());
  Random random(seed, 1);
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {31, 33}, {64, 65}, {513, 127}, {127, 1025}, {4097, 1000}}) {
    INFO(rows << " x " << columns << ", seed " << seed);
    const BitMatrix matrix = random_bits(rows, columns, 0.5, random);
    DeviceBits from(device.context(), rows, columns), to(device.context(), columns, rows);
    from.upload(matrix);
    device.transpose(from, to);
    BitMatrix result(columns, rows);
    to.download(result.view());
    CHECK(result == transposed(matrix));
    CHECK(test::is_padded_with_zeros(result));
  }
}

TEST_CASE("both products on a GPU agree with those bit by bit around the borders of words and tiles", "[cuda]") {
  const auto devices = devices_with_routes();
  if (devices.empty()) MATCHCOUNT_SKIP("no GPU for products of bits");
  const std::tuple<std::size_t, std::size_t, std::size_t> sizes[] = {
      {65, 0, 70},      {1, 1, 1},       {63, 63, 63},    {64, 64, 64},    {65, 65, 65},  {127, 127, 127},
      {128, 256, 128},  {193, 255, 257}, {200, 1000, 90}, {1, 5000, 1},    {700, 1, 600}, {192, 1024, 256},
      {191, 1025, 513}, {385, 4097, 33}, {3, 2048, 1025}, {1000, 700, 700}};
  for (const BitRoute route : gpu::bit_routes(devices[0])) {
    BitDevice device(devices[0], route);
    Random random(seed, 2);
    for (const auto& [m, k, n] : sizes) {
      // A sum of half of the terms, and of about one.
      for (const double density : {0.5, 1 / std::sqrt(static_cast<double>(k))}) {
        INFO(name_of(route) << ", " << m << " x " << k << " x " << n << ", density " << density << ", seed " << seed);
        const BitMatrix a = random_bits(m, k, density, random), b = random_bits(k, n, density, random);
        const BitMatrix boolean = product_on(device, BitSum::boolean, a, b);
        const BitMatrix binary = product_on(device, BitSum::binary, a, b);
        CHECK(test::is_padded_with_zeros(boolean));
        CHECK(test::is_padded_with_zeros(binary));
        bool all = true;
        for (std::size_t row = 0; row < m; row += 1 + m / 64) {
          for (std::size_t column = 0; column < n; column += 1 + n / 128) {
            const std::size_t terms = test::terms_of_entry(a, b, row, column);
            all = all && boolean.get(row, column) == (terms != 0) && binary.get(row, column) == (terms % 2 == 1);
          }
        }
        CHECK(all);
        CHECK(boolean == boolean_product(a, b, on_cpu()));
        CHECK(binary == binary_product(a, b, on_cpu()));
      }
    }
  }
}

TEST_CASE("a large product on a GPU passes Freivalds' check by every route", "[cuda]") {
  const auto devices = devices_with_routes();
  if (devices.empty()) MATCHCOUNT_SKIP("no GPU for products of bits");
  Random random(seed, 3);
  constexpr std::size_t n = 8192 + 65;
  const BitMatrix a = random_bits(n, n, 0.5, random), b = random_bits(n, n, 0.5, random);
  for (const BitRoute route : gpu::bit_routes(devices[0])) {
    INFO(name_of(route) << ", seed " << seed);
    BitDevice device(devices[0], route);
    CHECK(test::is_binary_product(product_on(device, BitSum::binary, a, b), a, b, random));
  }
}

TEST_CASE("a GPU adds products to a matrix, and multiplies in Winograd's form", "[cuda]") {
  const auto devices = devices_with_routes();
  if (devices.empty()) MATCHCOUNT_SKIP("no GPU for products of bits");
  Random random(seed, 6);
  constexpr std::size_t m = 2500, k = 4500, n = 3300;
  const BitMatrix a = random_bits(m, k, 0.5, random), b = random_bits(k, n, 0.5, random);
  const BitMatrix turned = transposed(b), before = random_bits(m, n, 0.5, random);
  const BitMatrix binary = binary_product(a, b, on_cpu());
  for (const BitRoute route : gpu::bit_routes(devices[0])) {
    INFO(name_of(route) << ", seed " << seed);
    BitDevice device(devices[0], route);
    DeviceBits left(device.context(), m, k), right(device.context(), n, k), to(device.context(), m, n);
    left.upload(a);
    right.upload(turned);
    BitMatrix c(m, n);
    for (const BitSum sum : {BitSum::boolean, BitSum::binary}) {
      to.upload(before);
      device.multiply(sum, left, right, to, true);
      to.download(c.view());
      bool all = test::is_padded_with_zeros(c);
      for (std::size_t row = 0; row < m; row += 97) {
        for (std::size_t w = 0; w < c.stride(); ++w) {
          const std::uint64_t old = before.row(row)[w];
          // Half of 4500 terms are 1: every entry of the Boolean product is.
          const std::uint64_t ones = w < n / 64    ? ~std::uint64_t{0}
                                     : w == n / 64 ? (std::uint64_t{1} << n % 64) - 1
                                                   : 0;
          all = all && c.row(row)[w] == (sum == BitSum::binary ? binary.row(row)[w] ^ old : ones);
        }
      }
      CHECK(all);
    }
    for (const std::size_t least : {512, 1024}) {
      const gpu::WinogradSpace space(device.context(), m, k, n, least);
      CHECK(space.levels().size() == (least == 512 ? 2 : 1));
      gpu::multiply_winograd(device, space.levels(), left, right, to);
      to.download(c.view());
      CHECK(c == binary);
      gpu::multiply_winograd(device, space.levels(), left, right, to, true);
      to.download(c.view());
      CHECK(c == BitMatrix(m, n));
    }
  }
}

TEST_CASE("a product that a device takes tile by tile is that of the CPU", "[cuda]") {
  const auto devices = devices_with_routes();
  if (devices.empty()) MATCHCOUNT_SKIP("no GPU for products of bits");
  Random random(seed, 4);
  // The second factor has more rows than are brought at once.
  const BitMatrix a = random_bits(5000, 5000, 0.016, random), b = random_bits(5000, 4100, 0.016, random);
  for (const BitSum sum : {BitSum::boolean, BitSum::binary}) {
    const BitMatrix expected =
        sum == BitSum::boolean ? boolean_product(a, b, on_cpu()) : binary_product(a, b, on_cpu());
    for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{5} << 19, std::uint64_t{6} << 20}) {
      INFO("at most " << most << " bytes, seed " << seed);
      BitMatrix c(5000, 4100);
      gpu::multiply_streamed(sum, a, b, c.view(), {devices[0]}, RunContext(), most);
      CHECK(c == expected);
    }
  }
  BitMatrix nothing(70, 600);
  fill(nothing);
  gpu::multiply_streamed(BitSum::boolean, BitMatrix(70, 0), BitMatrix(0, 600), nothing.view(), {devices[0]},
                         RunContext());
  CHECK(nothing == BitMatrix(70, 600));
  // Tiles of 1024 rows in Winograd's form, and what is left as it is.
  BitMatrix fast(5000, 4100);
  gpu::multiply_streamed(BitSum::binary, a, b, fast.view(), {devices[0]}, RunContext(), 0, 512);
  CHECK(fast == binary_product(a, b, on_cpu()));
  BitMatrix c(5000, 4100);
  CHECK_THROWS_AS(gpu::multiply_streamed(BitSum::binary, a, b, c.view(), {devices[0]}, RunContext(), 1000), Unable);
  const RunOptions cuda{.device = {.kind = DeviceChoice::Kind::cuda}};
  CHECK(binary_product(a, b, RunContext(cuda)) == binary_product(a, b, on_cpu()));
  CHECK(boolean_product(a, b, RunContext(cuda)) == boolean_product(a, b, on_cpu()));
}

TEST_CASE("a product on a GPU takes no memory of the host but its own", "[cuda]") {
  const auto devices = devices_with_routes();
  if (devices.empty()) MATCHCOUNT_SKIP("no GPU for products of bits");
  Random random(seed, 7);
  const BitMatrix a = random_bits(2048, 20480, 0.5, random), b = random_bits(20480, 512, 0.5, random);
  RunOptions options;
  options.memory_limit_bytes = 1 << 20;  // the product takes an eighth of it, its first factor five times it
  options.device.kind = DeviceChoice::Kind::cpu;
  CHECK_THROWS_AS(binary_product(a, b, RunContext(options)), OverLimit);
  options.device.kind = DeviceChoice::Kind::cuda;
  CHECK(test::is_binary_product(binary_product(a, b, RunContext(options)), a, b, random));
}

TEST_CASE("two GPUs that take tiles in turn give the product of the CPU", "[cuda]") {
  const auto devices = devices_with_routes();
  if (devices.size() < 2) MATCHCOUNT_SKIP("fewer than two GPUs for products of bits");
  Random random(seed, 5);
  const BitMatrix a = random_bits(20000, 9000, 0.5, random), b = random_bits(9000, 7000, 0.5, random);
  BitMatrix c(20000, 7000);
  gpu::multiply_streamed(BitSum::binary, a, b, c.view(), devices, RunContext());
  CHECK(test::is_binary_product(c, a, b, random));
}
