#include "linear/bits/cuda/device_bits.hpp"

#include <algorithm>
#include <vector>

namespace matchcount::gpu {
namespace {

// Some MiB at a time, of rows that do not lie one behind the other.
std::size_t rows_at_once(std::size_t stride_bytes) {
  return std::max<std::size_t>(1, (std::size_t{1} << 26) / std::max<std::size_t>(1, stride_bytes));
}

}  // namespace

DeviceBits::DeviceBits(const DeviceContext& context, std::size_t num_rows, std::size_t num_columns)
    : num_rows_(num_rows),
      num_columns_(num_columns),
      stride_bytes_(strip_words_for(num_columns) * sizeof(std::uint64_t)),
      buffer_(context, num_rows * stride_bytes_) {}

void DeviceBits::upload(ConstBitView view) {
  const std::size_t words = stride_bytes_ / sizeof(std::uint64_t);
  if (view.stride == words) return buffer_.upload(std::as_bytes(std::span(view.words, num_rows_ * words)));
  std::vector<std::uint64_t> copy;
  for (std::size_t first = 0; first < num_rows_; first += rows_at_once(stride_bytes_)) {
    const std::size_t rows = std::min(rows_at_once(stride_bytes_), num_rows_ - first);
    copy.resize(rows * words);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(view.row(first + r), words, copy.data() + r * words);
    buffer_.upload(std::as_bytes(std::span(copy)), first * stride_bytes_);
  }
}

void DeviceBits::download(BitView view, std::size_t from) const {
  const std::size_t words = stride_bytes_ / sizeof(std::uint64_t);
  if (view.stride == words) {
    return buffer_.download(std::as_writable_bytes(std::span(view.words, view.num_rows * words)), from * stride_bytes_);
  }
  std::vector<std::uint64_t> copy;
  for (std::size_t first = 0; first < view.num_rows; first += rows_at_once(stride_bytes_)) {
    const std::size_t rows = std::min(rows_at_once(stride_bytes_), view.num_rows - first);
    copy.resize(rows * words);
    buffer_.download(std::as_writable_bytes(std::span(copy)), (from + first) * stride_bytes_);
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(copy.data() + r * words, words, view.row(first + r));
  }
}

}  // namespace matchcount::gpu
