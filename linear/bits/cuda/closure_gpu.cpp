#include "linear/bits/cuda/closure_gpu.hpp"

#include "linear/bits/cuda/product_gpu.hpp"

namespace matchcount::gpu {
namespace {

// Returns the larger of two halves.
std::size_t half_of(std::size_t num_vertices) {
  return ((num_vertices + closed_rows - 1) / closed_rows + 1) / 2 * closed_rows;
}

std::uint32_t narrow(std::size_t size) { return static_cast<std::uint32_t>(size); }

}  // namespace

struct ClosedRows::State {
  State(const DeviceInfo& device_info, std::size_t num_vertices, const RunContext& run_context)
      : run(run_context),
        device(device_info),
        matrix(device.context(), num_vertices, num_vertices),
        turned(device.context(), half_of(num_vertices), half_of(num_vertices)),
        product(device.context(), half_of(num_vertices), half_of(num_vertices)) {
    matrix.buffer().clear();
  }

  void join(std::size_t first, std::size_t middle, std::size_t last) {
    run.check();
    const std::size_t columns = middle - first, rows = last - middle;
    const DeviceBitView all = matrix.view(), arcs = all.block(middle, rows, first, columns);
    const DeviceBitView left = turned.view().block(0, columns, 0, columns),
                        half = product.view().block(0, rows, 0, columns);
    device.transpose(all.block(first, columns, first, columns), left);
    device.multiply(BitSum::boolean, arcs, left, half);
    const DeviceBitView right = turned.view().block(0, columns, 0, rows);
    device.transpose(half, right);
    device.multiply(BitSum::boolean, all.block(middle, rows, middle, rows), right, arcs);
  }

  RunContext run;
  BitDevice device;
  DeviceBits matrix, turned, product;
};

ClosedRows::ClosedRows(const DeviceInfo& device, std::span<const std::uint64_t> offsets,
                       std::span<const std::uint32_t> targets, const RunContext& run)
    : state_(std::make_shared<State>(device, offsets.size() - 1, run)) {
  const std::size_t count = offsets.size() - 1;
  if (count == 0) return;
  BitDevice& kernels = state_->device;
  DeviceBuffer starts(kernels.context(), offsets.size_bytes()), ends(kernels.context(), targets.size_bytes());
  starts.upload(std::as_bytes(offsets));
  ends.upload(std::as_bytes(targets));
  const DeviceBitView matrix = state_->matrix.view();
  kernels.start("set_arc_bits", {kernels.busy_blocks(), bit_threads, 0},
                arguments(starts, ends, narrow(count), matrix.address, std::uint64_t{matrix.stride_bytes}));
  const auto blocks = static_cast<unsigned>((count + closed_rows - 1) / closed_rows);
  kernels.start("close_diagonal_bits", {blocks, closing_threads, closed_rows * closed_rows / 8},
                arguments(matrix.address, std::uint64_t{matrix.stride_bytes}, narrow(count)));
  queue_closure(*state_, 0, count);
  kernels.stream().synchronize();
}

std::vector<std::uint64_t> ClosedRows::weighed(std::span<const std::uint32_t> sizes) const {
  std::vector<std::uint64_t> totals(sizes.size());
  if (sizes.empty()) return totals;
  BitDevice& kernels = state_->device;
  DeviceBuffer weights(kernels.context(), sizes.size_bytes()),
      sums(kernels.context(), totals.size() * sizeof(totals[0]));
  weights.upload(std::as_bytes(sizes));
  const DeviceBitView matrix = state_->matrix.view();
  kernels.start("weigh_bit_rows", {kernels.busy_blocks(), bit_threads, 0},
                arguments(matrix.address, std::uint64_t{matrix.stride_bytes}, narrow(sizes.size()), weights, sums));
  sums.download(std::as_writable_bytes(std::span(totals)));
  return totals;
}

void ClosedRows::download(BitView to, std::size_t first) const { state_->matrix.download(to, first); }

double closure_device_bytes(std::size_t num_vertices) {
  const std::size_t half = half_of(num_vertices);
  return BitMatrix::bytes(num_vertices, num_vertices) + 2 * BitMatrix::bytes(half, half);
}

}  // namespace matchcount::gpu
