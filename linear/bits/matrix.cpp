#include "linear/bits/matrix.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "graph/large_pages.hpp"
#include "graph/vertices.hpp"
#include "linear/bits/cuda/product_gpu.hpp"
#include "linear/bits/fit.hpp"

namespace matchcount {

namespace {

constexpr std::size_t line_bytes = 64;
static_assert(strip_columns == 64 * strip_words && strip_words * sizeof(std::uint64_t) == line_bytes);

// The 64 x 64 bits of rows `block` transposed in place: halves, quarters and so on change places (Warren, Hacker's
// Delight, 7-3).
void transpose_block(std::uint64_t* block) {
  std::uint64_t mask = 0x00000000FFFFFFFF;
  for (std::size_t width = 32; width != 0; width >>= 1, mask ^= mask << width) {
    for (std::size_t i = 0; i < 64; i = ((i | width) + 1) & ~width) {
      const std::uint64_t exchanged = ((block[i] >> width) ^ block[i | width]) & mask;
      block[i] ^= exchanged << width;
      block[i | width] ^= exchanged;
    }
  }
}

// Calls set(u, v) for the edges whose weight is odd, columns behind rows; edges without weights weigh 1.
template <class Graph, class Set>
void for_odd_edges(const Graph& graph, const RunContext& run, const Set& set) {
  const auto* const integers = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  if (integers == nullptr && graph.weight_kind() != WeightKind::none)
    throw InputError("real or complex weights", "integers");
  for_each_edge(graph, [&](Vertex u, Vertex v, EdgeId edge) {
    if (edge % 65536 == 0) run.check();
    if (integers == nullptr || ((*integers)[edge] & 1) != 0) set(u, v);
  });
}

}  // namespace

void refuse_size(const std::string& what, std::size_t n, const std::function<double(std::size_t)>& bytes,
                 const std::string& whose, double room) {
  std::size_t fits = 0, too_many = n;
  while (too_many - fits > 1) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    (bytes(middle) <= room ? fits : too_many) = middle;
  }
  throw OverLimit(what + " of " + std::to_string(n) + " rows takes " + memory_amount(bytes(n)) + ", and " + whose +
                      " is " + memory_amount(room) + ": " + std::to_string(fits) + " rows would fit",
                  std::numeric_limits<double>::quiet_NaN(), bytes(n));
}

void require_memory(const std::string& what, std::size_t n, const std::function<double(std::size_t)>& bytes,
                    const RunContext& run) {
  if (run.has_memory_for(bytes(n))) return;
  refuse_size(what, n, bytes, "the memory limit", static_cast<double>(run.memory_limit_bytes()));
}

std::optional<DeviceInfo> choose_bit_gpu(const std::string& what, std::size_t n, double cpu_seconds,
                                         const std::function<double(std::size_t)>& device_bytes,
                                         const RunContext& run) {
  // Finding a GPU and making its context takes half a second.
  constexpr double patience_s = 1, share = 0.95;
  const DeviceChoice& choice = run.options().device;
  const bool automatic = choice.kind == DeviceChoice::Kind::automatic;
  if (choice.kind == DeviceChoice::Kind::cpu || (automatic && cpu_seconds < patience_s)) return std::nullopt;
  const std::vector<DeviceInfo> devices = choose_devices(choice);
  if (devices.empty()) return std::nullopt;
  const DeviceInfo& device = devices.front();
  const double room = share * static_cast<double>(device.memory_bytes);
  const bool has_products = !gpu::bit_routes(device).empty(), fits = device_bytes(n) <= room;
  if (automatic) return has_products && fits ? std::optional(device) : std::nullopt;
  if (!has_products) throw Unable(device.name + " has no tensor cores for bits, or this build no kernels for it");
  if (!fits) refuse_size(what, n, device_bytes, "the memory of " + device.name, room);
  return device;
}

// Keeps the address of the memory itself before the words.
AlignedWords aligned_zeros(std::size_t words) {
  void* const memory = std::calloc(words + line_bytes / sizeof(std::uint64_t), sizeof(std::uint64_t));
  if (memory == nullptr) throw std::bad_alloc();
  // calloc gives multiples of 16.
  auto* const begin =
      reinterpret_cast<void**>((reinterpret_cast<std::uintptr_t>(memory) + line_bytes) / line_bytes * line_bytes);
  begin[-1] = memory;
  return AlignedWords(reinterpret_cast<std::uint64_t*>(begin));
}
void FreeAligned::operator()(std::uint64_t* words) const { std::free(reinterpret_cast<void**>(words)[-1]); }

BitMatrix::BitMatrix(std::size_t num_rows, std::size_t num_columns)
    : num_rows_(num_rows), num_columns_(num_columns), stride_(strip_words_for(num_columns)) {
  const std::size_t words = num_rows * stride_;
  if (words == 0) return;
  words_ = aligned_zeros(words);
  // A column of lines meets a page a row: on small pages their addresses took a tenth of an elimination's time.
  prefer_large_pages(words_.get(), words * sizeof(std::uint64_t));
}

BitMatrix::BitMatrix(ConstBitView view) : BitMatrix(view.num_rows, view.num_columns) {
  for (std::size_t r = 0; r < num_rows_; ++r) std::copy_n(view.row(r), stride_, row(r));
}

BitMatrix BitMatrix::identity(std::size_t n) {
  BitMatrix result(n, n);
  for (std::size_t i = 0; i < n; ++i) result.set(i, i, true);
  return result;
}

BitMatrix BitMatrix::modulo_two(const BipartiteGraph& matrix, const RunContext& run) {
  BitMatrix result(matrix.num_rows(), matrix.num_columns());
  for_odd_edges(matrix, run, [&](Vertex row, Vertex v) { result.set(row, v - matrix.num_rows(), true); });
  return result;
}

BitMatrix BitMatrix::modulo_two(const UndirectedGraph& graph, const RunContext& run) {
  BitMatrix result(graph.num_vertices(), graph.num_vertices());
  for_odd_edges(graph, run, [&](Vertex u, Vertex v) {
    result.set(u, v, true);
    result.set(v, u, true);
  });
  return result;
}

double BitMatrix::bytes(std::size_t num_rows, std::size_t num_columns) {
  return static_cast<double>(num_rows) * static_cast<double>(strip_words_for(num_columns)) * sizeof(std::uint64_t);
}

bool operator==(ConstBitView a, ConstBitView b) {
  if (a.num_rows != b.num_rows || a.num_columns != b.num_columns) return false;
  const std::size_t words = (a.num_columns + 63) / 64;
  for (std::size_t r = 0; r < a.num_rows; ++r) {
    if (!std::equal(a.row(r), a.row(r) + words, b.row(r))) return false;
  }
  return true;
}

BitMatrix transposed(ConstBitView matrix, const RunContext& run) {
  BitMatrix result(matrix.num_columns, matrix.num_rows);
  const std::size_t words = (matrix.num_columns + 63) / 64, blocks = (matrix.num_rows + 63) / 64;
  constexpr std::size_t worth_a_thread = 1 << 12;
  const int threads = words * blocks < worth_a_thread ? 1 : run.num_threads();
  // A strip of words and as many blocks below each other, so that whole lines are read and written.
  parallel_for_chunks(threads, (blocks + strip_words - 1) / strip_words, [&](std::uint64_t chunk, int) {
    run.check();
    const std::size_t first = chunk * strip_words, last = std::min(blocks, first + strip_words);
    for (std::size_t w = 0; w < words; ++w) {
      for (std::size_t b = first; b < last; ++b) {
        std::uint64_t block[64] = {};
        const std::size_t rows = std::min<std::size_t>(64, matrix.num_rows - 64 * b);
        for (std::size_t i = 0; i < rows; ++i) block[i] = matrix.row(64 * b + i)[w];
        transpose_block(block);
        const std::size_t columns = std::min<std::size_t>(64, matrix.num_columns - 64 * w);
        for (std::size_t i = 0; i < columns; ++i) result.row(64 * w + i)[b] = block[i];
      }
    }
  });
  return result;
}

}  // namespace matchcount
