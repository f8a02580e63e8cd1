#include "linear/bits/cuda/elimination_gpu.hpp"

#include <algorithm>

#include "core/amounts.hpp"
#include "linear/bits/cuda/elimination_frame.hpp"
#include "linear/bits/cuda/elimination_queue.hpp"
#include "linear/bits/cuda/product_gpu.hpp"

namespace matchcount::gpu {
namespace {

// Rows and columns of U that are transposed at once, at most: those of one half of the columns, seen by the other.
struct Turned {
  explicit Turned(std::size_t num_columns)
      : inner((num_columns / bit_panel_columns + 2) / 2 * bit_panel_columns),
        columns(num_columns / 2 + bit_panel_columns) {}
  std::size_t inner, columns;
};

class Eliminator {
 public:
  Eliminator(const DeviceInfo& device, ConstBitView matrix, const RunContext& run)
      : run_(run),
        device_(device),
        matrix_(device_.context(), matrix.num_rows, matrix.num_columns),
        turned_(device_.context(), Turned(matrix.num_columns).columns * Turned(matrix.num_columns).inner / 8),
        moves_(device_.context(), sizeof(BitMoves)),
        pivot_rows_(device_.context(), padded(matrix.num_columns) * sizeof(std::uint32_t)),
        combinations_(device_.context(), padded(matrix.num_columns) * sizeof(std::uint64_t)),
        rank_after_(device_.context(), padded(matrix.num_columns) / 64 * sizeof(std::uint32_t)),
        frame_{matrix_.view().address,
               matrix_.stride_bytes(),
               moves_.address(),
               pivot_rows_.address(),
               combinations_.address(),
               rank_after_.address(),
               static_cast<unsigned>(matrix.num_rows),
               static_cast<unsigned>(matrix.num_columns)} {
    moves_.clear();
    matrix_.upload(matrix);
  }

  std::size_t factor_panel(std::size_t first, std::size_t last) {
    run_.check();
    const auto byte = static_cast<unsigned>(first / 8);
    const auto bytes =
        static_cast<unsigned>(std::min<std::size_t>(bit_panel_columns / 8, matrix_.stride_bytes() - byte));
    const unsigned slices = static_cast<unsigned>(matrix_.stride_bytes() / 64);
    const unsigned updaters = 4 * static_cast<unsigned>(device_.context().device().multiprocessors);
    for (std::size_t column = first; column < last; column += 64) {
      const auto at = static_cast<unsigned>(column);
      device_.start("find_bit_pivots", {1, pivot_threads, 0}, arguments(frame_, at));
      device_.start("move_bit_rows", {slices, move_threads, 0}, arguments(frame_));
      device_.start("update_bit_panel", {updaters, panel_threads, 0}, arguments(frame_, at, byte, bytes));
    }
    BitMoves moves;
    moves_.download(std::as_writable_bytes(std::span(&moves, 1)));
    run_.report("elimination", static_cast<double>(last), static_cast<double>(matrix_.num_columns()));
    return moves.rank;
  }

  void solve_panel(std::size_t top, std::size_t bottom, std::size_t first, std::size_t last, std::size_t begin,
                   std::size_t end) {
    const auto narrow = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
    const auto strips = static_cast<unsigned>((end - begin + strip_columns - 1) / strip_columns);
    device_.start(
        "solve_bit_panel", {strips, panel_threads, static_cast<unsigned>((bottom - top) * 64)},
        arguments(frame_, narrow(top), narrow(bottom), narrow(first), narrow(last), std::uint64_t{begin / 8}));
  }

  void subtract(std::size_t from, std::size_t to, std::size_t first, std::size_t last, std::size_t begin,
                std::size_t end) {
    const std::size_t stride = (last - first + strip_columns - 1) / strip_columns * strip_columns / 8;
    const DeviceBitView turned{turned_.address(), end - begin, last - first, stride};
    const DeviceBitView matrix = matrix_.view();
    device_.transpose(matrix.block(0, matrix.num_rows, begin, end - begin), turned,
                      pivot_rows_.address() + first * sizeof(std::uint32_t));
    device_.multiply(BitSum::binary, matrix.block(from, to - from, first, last - first), turned,
                     matrix.block(from, to - from, begin, end - begin), true);
  }

 private:
  static std::size_t padded(std::size_t columns) { return (columns + 63) / 64 * 64; }

  const RunContext& run_;
  BitDevice device_;
  DeviceBits matrix_;
  DeviceBuffer turned_, moves_, pivot_rows_, combinations_, rank_after_;
  BitElimination frame_;
};

}  // namespace

double elimination_device_bytes(std::size_t num_rows, std::size_t num_columns) {
  const Turned turned(num_columns);
  return BitMatrix::bytes(num_rows, num_columns) + BitMatrix::bytes(turned.columns, turned.inner) +
         13.0 * static_cast<double>(num_columns);
}

std::size_t binary_rank_on(const DeviceInfo& device, ConstBitView matrix, bool full, const RunContext& run) {
  if (matrix.num_rows == 0 || matrix.num_columns == 0) return 0;
  Eliminator eliminator(device, matrix, run);
  return EliminationQueue(eliminator, matrix.num_rows, matrix.num_columns, full).run();
}

}  // namespace matchcount::gpu
