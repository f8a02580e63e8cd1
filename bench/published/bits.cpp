// Products of bit matrices, and transposes of them.

#include "bench/workload.hpp"

#include <cstdio>

#include "apps/text.hpp"
#include "bench/published/session.hpp"
#include "linear/bits/cuda/product_gpu.hpp"
#include "linear/bits/cuda/winograd.hpp"
#include "linear/bits/product.hpp"

namespace matchcount::bench {
namespace {

constexpr int repeats = 3;

struct Product {
  std::optional<double> seconds;
  bool right = false;
  std::string method;
};

Product on_cpu(const Session& session, BitSum sum, const BitMatrix& a, const BitMatrix& b) {
  Product product{HUGE_VAL, false, "tables of sums"};
  BitMatrix c;
  for (int i = 0; i < repeats; ++i)
    product.seconds = std::min(*product.seconds, seconds_of([&] { c = product_on_cpu(sum, a, b, session.run); }));
  product.right = is_product(sum, a, b, c);
  return product;
}

// Multiplies with the matrices on the device and the second one transposed there, as in the tables.
Product on_gpu(const Session& session, BitSum sum, const BitMatrix& a, const BitMatrix& b) {
  const std::size_t n = a.num_rows();
  gpu::BitDevice device(session.devices[0]);
  if (4 * BitMatrix::bytes(n, n) > 0.9 * static_cast<double>(device.context().free_bytes())) return {};
  gpu::DeviceBits left(device.context(), n, n), right(device.context(), n, n), turned(device.context(), n, n),
      result(device.context(), n, n);
  left.upload(a);
  right.upload(b);
  device.transpose(right, turned);
  Product product{HUGE_VAL, false, "tensor cores"};
  std::optional<gpu::WinogradSpace> space;
  if (sum == BitSum::binary && gpu::quarter_sizes(n, n, n).least() >= gpu::winograd_least) {
    space.emplace(device.context(), n, n, n, gpu::winograd_least);
    product.method += ", Winograd " + std::to_string(space->levels().size());
  }
  for (int i = 0; i <= repeats; ++i) {
    DeviceEvent begin(device.context()), end(device.context());
    device.stream().record(begin);
    if (space) {
      gpu::multiply_winograd(device, space->levels(), left, turned, result);
    } else {
      device.multiply(sum, left, turned, result);
    }
    device.stream().record(end);
    device.stream().synchronize();
    if (i > 0) product.seconds = std::min(*product.seconds, end.seconds_since(begin));
  }
  BitMatrix c(n, n);
  result.download(c.view());
  product.right = is_product(sum, a, b, c);
  return product;
}

const Product& product_of(const Session& session, BitSum sum, std::size_t n) {
  static std::map<std::pair<bool, std::size_t>, Product> products;
  const auto key = std::pair(sum == BitSum::boolean, n);
  if (const auto found = products.find(key); found != products.end()) return found->second;
  const BitMatrix a = random_bits(n, 1, 0), b = random_bits(n, 1, 1);
  const Product product = session.on_gpu() ? on_gpu(session, sum, a, b) : on_cpu(session, sum, a, b);
  std::fprintf(stderr, "bit product, %zu: %s\n", n,
               product.seconds ? app::format_seconds(*product.seconds).c_str() : "-");
  return products.emplace(key, product).first->second;
}

constexpr const char* too_large = "larger than is run here";

void redo_bit_products(Session& session) {
  const BitSum sum = session.number() == "9" ? BitSum::boolean : BitSum::binary;
  // Beyond it a CPU takes long, and a GPU's matrices no longer come quickly from a generator of random bits.
  const double most = session.on_gpu() ? 131072 : 8192;
  for (const Row& row : session.rows) {
    if (row["num_gpus"] != "1") continue;
    const double n = row.number("n");
    Comparison cell{.row = "n = " + row["n"],
                    .printed_by = "one " + row["gpu_model"],
                    .printed = row["runtime_seconds"],
                    .quantity = session.on_gpu() ? "kernel" : "whole call"};
    if (n > most) {
      cell.give_up(too_large);
    } else {
      const Product& product = product_of(session, sum, static_cast<std::size_t>(n));
      cell.ours = product.seconds;
      cell.method = product.method;
      cell.right = product.right;
      if (!product.seconds) cell.standing = Standing::unavailable;
    }
    session.add(cell);
  }
}

void redo_bit_transposes(Session& session) {
  constexpr double most = 32768;
  for (const Row& row : session.rows) {
    Comparison cell{.row = "n = " + row["n"],
                    .printed_by = "DGX-1, host",
                    .printed = row[session.columns.at(1)],
                    .method = "transposed",
                    .remark = "theirs turns blocks of 64 x 64 where they lie; ours is the whole transpose"};
    if (row.number("n") > most) {
      cell.give_up(too_large);
    } else {
      const auto n = static_cast<std::size_t>(row.number("n"));
      const BitMatrix matrix = random_bits(n, 1, 0);
      double seconds = HUGE_VAL;
      bool right = true;
      for (int i = 0; i < repeats; ++i) {
        BitMatrix turned;
        seconds = std::min(seconds, seconds_of([&] { turned = transposed(matrix, RunContext(session.run)); }));
        for (std::size_t k = 0; k < n; ++k) right = right && turned.get(k, n / 3) == matrix.get(n / 3, k);
      }
      cell.ours = seconds;
      cell.right = right;
    }
    session.add(cell);
  }
}

}  // namespace

const std::vector<Redo> bit_redos = {{"bit_products", redo_bit_products}, {"bit_transposes", redo_bit_transposes}};

}  // namespace matchcount::bench
