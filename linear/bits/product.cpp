// Strassen's method in Winograd's form with two temporaries, in the order of Boyer, Dumas, Pernet and Zhou (2009,
// doi:10.1145/1576702.1576713, table 1); signs do not matter here. What does not divide by two, or into strips, is
// multiplied by tables.

#include "linear/bits/product.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/device_choice.hpp"
#include "core/error.hpp"
#include "linear/bits/cpu/lookups.hpp"
#include "linear/bits/cuda/streamed_gpu.hpp"
#include "linear/bits/fit.hpp"

namespace matchcount {
namespace {

using gpu::quarter_sizes;
using gpu::QuarterSizes;

// Quarters of fewer rows or columns do not pay.
constexpr std::size_t least_quarter = 8192;

void clear(BitView c) {
  for (std::size_t r = 0; r < c.num_rows; ++r) std::fill_n(c.row(r), strip_words_for(c.num_columns), 0);
}

void add_by_tables(BitSum sum, BitView c, ConstBitView a, ConstBitView b, const RunContext& run) {
  add_product(sum, c, a, rows_of(b), run);
}

void multiply(ConstBitView a, ConstBitView b, BitView c, const RunContext& run);

// c = a b, all of whose sizes are twice the quarters'.
void multiply_quarters(const QuarterSizes& size, ConstBitView a, ConstBitView b, BitView c, const RunContext& run) {
  const auto [m, k, n] = size;
  const auto a_part = [&](std::size_t i, std::size_t j) { return a.block(i * m, m, j * k, k); };
  const auto b_part = [&](std::size_t i, std::size_t j) { return b.block(i * k, k, j * n, n); };
  const BitView c11 = c.block(0, m, 0, n), c12 = c.block(0, m, n, n), c21 = c.block(m, m, 0, n),
                c22 = c.block(m, m, n, n);
  const ConstBitView a11 = a_part(0, 0), a12 = a_part(0, 1), a21 = a_part(1, 0), a22 = a_part(1, 1);
  const ConstBitView b11 = b_part(0, 0), b12 = b_part(0, 1), b21 = b_part(1, 0), b22 = b_part(1, 1);
  BitMatrix left(m, std::max(k, n)), right(k, n);
  const BitView x = left.view().block(0, m, 0, k), y = right.view(), p = left.view().block(0, m, 0, n);
  const auto plus = [&](ConstBitView one, ConstBitView other, BitView to) { add(BitSum::binary, one, other, to, run); };
  plus(a11, a21, x);             // S3
  plus(b22, b12, y);             // T3
  multiply(x, y, c21, run);      // P7
  plus(a21, a22, x);             // S1
  plus(b12, b11, y);             // T1
  multiply(x, y, c22, run);      // P5
  plus(x, a11, x);               // S2
  plus(y, b22, y);               // T2
  multiply(x, y, c12, run);      // P6
  plus(x, a12, x);               // S4
  multiply(x, b22, c11, run);    // P3
  multiply(a11, b11, p, run);    // P1
  plus(c12, p, c12);             // U2
  plus(c21, c12, c21);           // U3
  plus(c12, c22, c12);           // U4
  plus(c22, c21, c22);           // U7
  plus(c12, c11, c12);           // U5
  plus(y, b21, y);               // T4
  multiply(a22, y, c11, run);    // P4
  plus(c21, c11, c21);           // U6
  multiply(a12, b21, c11, run);  // P2
  plus(c11, p, c11);             // U1
}

// c = a b.
void multiply(ConstBitView a, ConstBitView b, BitView c, const RunContext& run) {
  const std::size_t m = a.num_rows, k = a.num_columns, n = b.num_columns;
  const QuarterSizes size = quarter_sizes(m, k, n);
  if (size.least() < least_quarter) {
    clear(c);
    add_by_tables(BitSum::binary, c, a, b, run);
    return;
  }
  const std::size_t rows = 2 * size.m, inner = 2 * size.k, columns = 2 * size.n;
  const auto left = a.block(0, rows, 0, inner);
  multiply_quarters(size, left, b.block(0, inner, 0, columns), c.block(0, rows, 0, columns), run);
  if (inner < k) {
    add_by_tables(BitSum::binary, c.block(0, rows, 0, columns), a.block(0, rows, inner, k - inner),
                  b.block(inner, k - inner, 0, columns), run);
  }
  const auto rest = [&](BitView to, ConstBitView from, ConstBitView factor) {
    clear(to);
    add_by_tables(BitSum::binary, to, from, factor, run);
  };
  if (columns < n) {
    rest(c.block(0, rows, columns, n - columns), a.block(0, rows, 0, k), b.block(0, k, columns, n - columns));
  }
  if (rows < m) rest(c.block(rows, m - rows, 0, n), a.block(rows, m - rows, 0, k), b);
}

// Returns the GPUs that a product takes; none: the CPU.
std::vector<DeviceInfo> devices_for(const RunContext& run) {
  const DeviceChoice& choice = run.options().device;
  return choice.kind == DeviceChoice::Kind::cuda ? choose_devices(choice) : std::vector<DeviceInfo>();
}

BitMatrix product(BitSum sum, ConstBitView a, ConstBitView b, const RunContext& run) {
  const std::vector<DeviceInfo> devices = devices_for(run);
  if (a.num_columns != b.num_rows) {
    throw InputError(
        "factors of " + std::to_string(a.num_columns) + " columns and " + std::to_string(b.num_rows) + " rows",
        "as many columns of the first as rows of the second");
  }
  require_memory(
      "a product of bit matrices with " + std::to_string(a.num_columns) + " and " + std::to_string(b.num_columns) +
          " columns",
      a.num_rows, [&](std::size_t rows) { return product_bytes(rows, a.num_columns, b.num_columns, !devices.empty()); },
      run);
  BitMatrix c(a.num_rows, b.num_columns);
  if (!devices.empty()) {
    gpu::multiply_streamed(sum, a, b, c.view(), devices, run);
  } else if (sum == BitSum::boolean) {
    add_by_tables(sum, c.view(), a, b, run);
  } else {
    multiply(a, b, c.view(), run);
  }
  return c;
}

}  // namespace

double product_bytes(std::size_t m, std::size_t k, std::size_t n, bool on_gpus) {
  if (on_gpus) return BitMatrix::bytes(m, n);
  double bytes = BitMatrix::bytes(m, n) + BitMatrix::bytes(m, k);
  for (QuarterSizes size = quarter_sizes(m, k, n); size.least() >= least_quarter;
       size = quarter_sizes(size.m, size.k, size.n))
    bytes += BitMatrix::bytes(size.m, std::max(size.k, size.n)) + BitMatrix::bytes(size.k, size.n);
  return bytes;
}

BitMatrix boolean_product(ConstBitView a, ConstBitView b, const RunContext& run) {
  return product(BitSum::boolean, a, b, run);
}
BitMatrix binary_product(ConstBitView a, ConstBitView b, const RunContext& run) {
  return product(BitSum::binary, a, b, run);
}

}  // namespace matchcount
