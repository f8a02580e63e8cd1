// Products of bit matrices, and transposes of them.

#include <cmath>

#include "bench/published/session.hpp"
#include "apps/text.hpp"
#include "core/random.hpp"
#include "core/stopwatch.hpp"
#include "linear/bits/cuda/product_gpu.hpp"
#include "linear/bits/cuda/winograd.hpp"
#include "linear/bits/product.hpp"

namespace matchcount::bench {
namespace {

constexpr int repeats = 3;

BitMatrix random_bits(std::size_t n, std::uint64_t seed) {
  BitMatrix result(n, n);
  for (std::size_t row = 0; row < n; ++row) {
    Random random(seed, row);
    for (std::size_t w = 0; w < n / 64; ++w) result.row(row)[w] = random();
  }
  return result;
}

// The first row of the product, from its definition.
bool first_row_is_right(BitSum sum, const BitMatrix& a, const BitMatrix& b, const BitMatrix& c) {
  const std::size_t n = a.num_rows(), words = n / 64;
  std::vector<std::uint64_t> expected(words, 0);
  for (std::size_t k = 0; k < n; ++k) {
    if (!a.get(0, k)) continue;
    for (std::size_t w = 0; w < words; ++w)
      expected[w] = sum == BitSum::boolean ? expected[w] | b.row(k)[w] : expected[w] ^ b.row(k)[w];
  }
  return std::equal(expected.begin(), expected.end(), c.row(0));
}

struct Product {
  std::optional<double> seconds;
  bool right = false;
  std::string method;
};

Product on_cpu(const Session& session, BitSum sum, const BitMatrix& a, const BitMatrix& b) {
  RunOptions options = session.settings().run;
  options.device.kind = DeviceChoice::Kind::cpu;
  Product product{HUGE_VAL, false, "tables of sums"};
  BitMatrix c;
  for (int i = 0; i < repeats; ++i) {
    Stopwatch watch;
    c = sum == BitSum::boolean ? boolean_product(a, b, RunContext(options)) : binary_product(a, b, RunContext(options));
    product.seconds = std::min(*product.seconds, watch.lap());
  }
  product.right = first_row_is_right(sum, a, b, c);
  return product;
}

// With the matrices on the device and the second one transposed there, as in the tables.
Product on_gpu(const Session& session, BitSum sum, const BitMatrix& a, const BitMatrix& b) {
  const std::size_t n = a.num_rows();
  gpu::BitDevice device(session.settings().devices[0]);
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
  product.right = first_row_is_right(sum, a, b, c);
  return product;
}

const Product& product_of(const Session& session, BitSum sum, std::size_t n) {
  static std::map<std::pair<bool, std::size_t>, Product> products;
  const auto key = std::pair(sum == BitSum::boolean, n);
  if (const auto found = products.find(key); found != products.end()) return found->second;
  const BitMatrix a = random_bits(n, 1), b = random_bits(n, 2);
  const Product product = session.on_gpu() ? on_gpu(session, sum, a, b) : on_cpu(session, sum, a, b);
  std::fprintf(stderr, "bit product, %zu: %s\n", n,
               product.seconds ? app::format_seconds(*product.seconds).c_str() : "-");
  return products.emplace(key, product).first->second;
}

}  // namespace

void redo_bit_products(Session& session, TableReport& report) {
  const PublishedTable table = session.table("bitmatrix", report.number);
  const BitSum sum = report.number == "9" ? BitSum::boolean : BitSum::binary;
  // Beyond it a CPU takes long, and a GPU's matrices no longer come quickly from a generator of random bits.
  const double most = session.on_gpu() ? 131072 : 8192;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    if (table.at(row, "num_gpus") != "1") continue;
    const double n = table.number(row, "n");
    Comparison comparison;
    comparison.row = "n = " + table.at(row, "n");
    comparison.printed_by = "one " + table.at(row, "gpu_model");
    comparison.printed = table.at(row, "runtime_seconds");
    comparison.unit = "s";
    if (n > most) {
      comparison.standing = Standing::unavailable;
      comparison.remark = "larger than is run here";
    } else {
      const Product& product = product_of(session, sum, static_cast<std::size_t>(n));
      comparison.ours = product.seconds;
      comparison.method = product.method;
      comparison.quantity = session.on_gpu() ? "kernel" : "whole call";
      comparison.right = product.right;
      if (!product.seconds) comparison.standing = Standing::unavailable;
    }
    session.explain(comparison);
    report.comparisons.push_back(comparison);
  }
}

void redo_bit_transposes(Session& session, TableReport& report) {
  const PublishedTable table = session.table("bitmatrix", report.number);
  constexpr double most = 32768;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const double n = table.number(row, "n");
    Comparison comparison;
    comparison.row = "n = " + table.at(row, "n");
    comparison.printed_by = "DGX-1, host";
    comparison.printed = table.at(row, table.columns().at(1));
    comparison.unit = "s";
    comparison.method = "transposed";
    comparison.quantity = "whole call";
    comparison.remark = "theirs turns blocks of 64 x 64 where they lie; ours is the whole transpose";
    if (n > most) {
      comparison.standing = Standing::unavailable;
      comparison.remark = "larger than is run here";
    } else {
      const auto rows = static_cast<std::size_t>(n);
      const BitMatrix matrix = random_bits(rows, 1);
      double seconds = HUGE_VAL;
      bool right = true;
      for (int i = 0; i < repeats; ++i) {
        Stopwatch watch;
        const BitMatrix turned = transposed(matrix, RunContext(session.settings().run));
        seconds = std::min(seconds, watch.lap());
        for (std::size_t k = 0; k < rows; ++k) right = right && turned.get(k, rows / 3) == matrix.get(rows / 3, k);
      }
      comparison.ours = seconds;
      comparison.right = right;
    }
    session.explain(comparison);
    report.comparisons.push_back(comparison);
  }
}

}  // namespace matchcount::bench
