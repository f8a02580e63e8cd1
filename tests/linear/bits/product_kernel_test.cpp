// The kernels' text compiled for the host.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "linear/bits/cpu/bit_kernels.hpp"
#include "linear/bits/cuda/product_gpu.hpp"
#include "linear/bits/cuda/winograd.hpp"
#include "linear/bits/product.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/host_bits.hpp"

namespace host_gpu {

using namespace matchcount::gpu;

// A thread's copies and products that it has not awaited, by groups.
struct Waiting {
  struct Copy {
    u32 to;
    u64 from;
    bool wanted;
  };
  std::deque<std::vector<Copy>> copies{1};
  std::deque<std::vector<std::pair<u64, u64>>> products{1};
  u32 (*sums)[4] = nullptr;
};
std::map<const Fiber*, Waiting> waiting;

Waiting& mine() { return waiting[&Launch::current_launch->fiber()]; }

u32 shared_base() { return 0; }
void copy_piece(u32 to, u64 from, bool wanted) { mine().copies.back().push_back({to, from, wanted}); }
void commit_copies() { mine().copies.emplace_back(); }
template <int pending>
void await_copies() {
  auto& copies = mine().copies;
  for (; copies.size() > pending + 1; copies.pop_front()) {
    for (const Waiting::Copy& copy : copies.front()) {
      std::memset(shared() + copy.to, 0, 16);
      if (copy.wanted) std::memcpy(shared() + copy.to, reinterpret_cast<const void*>(copy.from), 16);
    }
  }
}

// Rows of bytes in global memory, of which so many are copied at once, 128 bytes of each.
struct TileMap {
  u64 address, rows, row_bytes, stride;
  u32 tile_rows;
};
// Barriers of both blocks of a pair.
struct Barrier {
  u32 arrivals = 0, missing = 0, phase = 0;
  long bytes = 0;  // expected and not come
  std::vector<std::function<void()>> copies;
};
std::array<std::map<u32, Barrier>, 2> barriers;
std::array<unsigned char*, 2> shared_of_pair;
Meeting pair_meeting;
bool copies_at_once = false;

u32 block_of_pair() { return block() % 2; }
void await_pair() {
  shared_of_pair[block_of_pair()] = shared();
  pair_meeting.wait(2 * Launch::current_launch->threads());
}
void end_phase(Barrier& barrier) {
  if (barrier.missing != 0 || barrier.bytes != 0) return;
  barrier.missing = barrier.arrivals;
  ++barrier.phase;
}
void start_barrier(u32 at, u32 arrivals) { barriers[block_of_pair()][at] = {arrivals, arrivals, 0, 0, {}}; }
void expect_bytes(u32 at, u32 bytes) {
  Barrier& barrier = barriers[block_of_pair()][at];
  barrier.bytes += bytes;
  --barrier.missing;
  end_phase(barrier);
}
void arrive_at_both(u32 at) {
  for (auto& of_block : barriers) {
    Barrier& barrier = of_block[at];
    REQUIRE(barrier.missing != 0);
    --barrier.missing;
    end_phase(barrier);
  }
}
void await_phase(u32 at, u32 phase) {
  Barrier& barrier = barriers[block_of_pair()][at];
  while (barrier.phase % 2 == phase) {
    for (const auto& copy : std::exchange(barrier.copies, {})) copy();
    if (barrier.phase % 2 == phase) relax();
  }
}
void copy_to(u32 destination, u32 to, const TileMap& map, u32 byte, u32 row, u32 at) {
  const auto copy = [destination, to, map, byte, row, at] {
    for (u32 r = 0; r < map.tile_rows; ++r) {
      for (u32 piece = 0; piece < 8; ++piece) {
        unsigned char* const place = shared_of_pair[destination] + to + 128 * r + ((piece ^ (r & 7)) << 4);
        std::memset(place, 0, 16);
        if (row + r < map.rows && byte + 16 * piece < map.row_bytes)
          std::memcpy(place, reinterpret_cast<const void*>(map.address + (row + r) * map.stride + byte + 16 * piece),
                      16);
      }
    }
    Barrier& barrier = barriers[destination][at];
    barrier.bytes -= 128 * static_cast<long>(map.tile_rows);
    end_phase(barrier);
  };
  if (copies_at_once) {
    copy();
  } else {
    barriers[destination][at].copies.push_back(copy);
  }
}
void copy_tile(u32 to, const TileMap& map, u32 byte, u32 row, u32 at) {
  copy_to(block_of_pair(), to, map, byte, row, at);
}
void copy_tile_to_pair(u32 to, const TileMap& map, u32 byte, u32 row, u32 at) {
  for (const u32 destination : {0u, 1u}) copy_to(destination, to, map, byte, row, at);
}

void load_piece(u32 (&to)[4], u32 from) { std::memcpy(to, shared() + from, 16); }
// Loads by the tables of PTX: matrix m has its rows of 16 bytes where lanes 8 m to 8 m + 7 say, and lane i gets word i
// % 4 of row i / 4.
void load_matrices(u32 (&to)[4], u32 from) {
  const auto addresses = told_by_warp(from);
  for (unsigned m = 0; m < 4; ++m) std::memcpy(&to[m], shared() + addresses[8 * m + lane() / 4] + lane() % 4 * 4, 4);
}

// Multiplies by the tables of PTX for m16n8k256.
void multiply_add(u32 (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  struct Fragments {
    u32 a[4], b[2];
  };
  const auto all = told_by_warp(Fragments{{a[0], a[1], a[2], a[3]}, {b0, b1}});
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned half = i / 2, row = lane() / 4, column = lane() % 4 * 2 + i % 2;
    for (unsigned word = 0; word < 8; ++word) {
      const u32 left = all[row * 4 + word % 4].a[half + word / 4 * 2], right = all[column * 4 + word % 4].b[word / 4];
      sums[i] += static_cast<u32>(__builtin_popcount(left & right));
    }
  }
}

void begin_products() {}
void multiply_add(u32 (&sums)[32][4], u64 a, u64 b) {
  mine().sums = sums;
  mine().products.back().push_back({a, b});
}
void commit_products() { mine().products.emplace_back(); }

// Byte `byte` of row `row` of a matrix of swizzled rows of 128 bytes.
u32 word_of(u64 matrix, unsigned row, unsigned byte) {
  const u32 start = static_cast<u32>(matrix & 0x3fff) << 4, eight_rows = static_cast<u32>(matrix >> 32 & 0x3fff) << 4;
  u32 address = start + row / 8 * eight_rows + row % 8 * 128 + byte;
  address ^= (address >> 7 & 7) << 4;
  u32 word = 0;
  std::memcpy(&word, shared() + address, 4);
  return word;
}
template <int pending>
void await_products() {
  auto& products = mine().products;
  for (; products.size() > pending + 1; products.pop_front()) {
    for (const auto& [a, b] : products.front()) {
      for (unsigned j = 0; j < 32; ++j) {
        for (unsigned i = 0; i < 4; ++i) {
          const unsigned warp = Launch::current_launch->fiber().thread.x / 32 % 4;
          const unsigned row = 16 * warp + lane() / 4 + i / 2 * 8, column = 8 * j + lane() % 4 * 2 + i % 2;
          for (unsigned byte = 0; byte < 32; byte += 4)
            mine().sums[j][i] += static_cast<u32>(__builtin_popcount(word_of(a, row, byte) & word_of(b, column, byte)));
        }
      }
    }
  }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "linear/bits/cuda/bit_kernels.cuh"
#include "linear/bits/cuda/bit_moves.cuh"
#pragma GCC diagnostic pop

}  // namespace host_gpu

using namespace matchcount;
using test::random_bits;

namespace {

constexpr std::uint64_t seed = 20261130;

void fill(BitMatrix& matrix) {
  for (std::size_t r = 0; r < matrix.num_rows(); ++r) std::fill_n(matrix.row(r), matrix.stride(), ~std::uint64_t{0});
}

std::uint64_t address(const BitMatrix& matrix) { return reinterpret_cast<std::uint64_t>(matrix.row(0)); }
std::uint64_t stride(const BitMatrix& matrix) { return 8 * std::uint64_t{matrix.stride()}; }
gpu::DeviceBitView view_of(const BitMatrix& matrix) {
  return {address(matrix), matrix.num_rows(), matrix.num_columns(), stride(matrix)};
}

void transpose_by_kernel(const gpu::DeviceBitView& from, const gpu::DeviceBitView& to,
                         const std::uint32_t* list = nullptr) {
  host_gpu::launch(3, gpu::bit_threads, 0, [&] {
    host_gpu::transpose_tiles(from.address, from.stride_bytes, static_cast<std::uint32_t>(to.num_columns),
                              static_cast<std::uint32_t>(to.num_rows), to.address, to.stride_bytes,
                              reinterpret_cast<std::uint64_t>(list));
  });
}

void multiply_by_kernel(gpu::BitRoute route, BitSum sum, const BitMatrix& a, const BitMatrix& turned, BitMatrix& c,
                        bool add, unsigned pairs) {
  const gpu::BitProduct product{address(a),
                                address(turned),
                                address(c),
                                stride(a),
                                stride(turned),
                                stride(c),
                                static_cast<unsigned>(a.num_rows()),
                                static_cast<unsigned>(turned.num_rows()),
                                static_cast<unsigned>(stride(a)),
                                sum == BitSum::binary ? 1u : 0u,
                                add ? 1u : 0u};
  host_gpu::waiting.clear();
  if (route != gpu::BitRoute::wgmma) {
    const bool by_words = route == gpu::BitRoute::words;
    const gpu::BitTile tile = by_words ? gpu::bit_tile_words : gpu::bit_tile_mma;
    return host_gpu::launch(
        tile.blocks(product.m, product.n), static_cast<unsigned>(tile.threads), tile.shared_bytes(), [&] {
          if (!by_words) return host_gpu::multiply_by_warps(product);
          product.binary ? host_gpu::multiply_by_words<true>(product) : host_gpu::multiply_by_words<false>(product);
        });
  }
  constexpr gpu::BitTile tile = gpu::bit_tile_wgmma;
  const host_gpu::TileMap a_map{product.a, product.m, product.k_bytes, product.a_stride, tile.rows};
  const host_gpu::TileMap b_map{product.b_transposed, product.n, product.k_bytes, product.b_stride, tile.columns / 2};
  host_gpu::launch(
      2 * std::min(pairs, gpu::bit_pairs(product.m, product.n)), tile.threads, tile.shared_bytes(),
      [&] { host_gpu::multiply_by_groups(product, a_map, b_map); }, 2);
}

// A host that multiplies by tables and sums by the kernels.
struct HostSums {
  void multiply(BitSum sum, const gpu::DeviceBitView& a, const gpu::DeviceBitView& b_transposed,
                const gpu::DeviceBitView& c, bool add) {
    const auto host = [](const gpu::DeviceBitView& view) {
      return BitView{reinterpret_cast<std::uint64_t*>(view.address), view.num_rows, view.num_columns,
                     view.stride_bytes / 8};
    };
    CHECK(sum == BitSum::binary);
    const BitMatrix product = binary_product(host(a), transposed(host(b_transposed)));
    for (std::size_t r = 0; r < c.num_rows; ++r) {
      for (std::size_t w = 0; w < product.stride(); ++w) {
        std::uint64_t& to = host(c).row(r)[w];
        to = product.row(r)[w] ^ (add ? to : 0);
      }
    }
  }
  void sum_quarters(const gpu::BitQuarterSums& quarters) {
    host_gpu::launch(2, gpu::bit_threads, 0, [&] { host_gpu::sum_quarters(quarters); });
  }
  void join_quarters(const gpu::BitQuarters& quarters) {
    host_gpu::launch(2, gpu::bit_threads, 0, [&] { host_gpu::join_quarters(quarters); });
  }
};

}  // namespace

TEST_CASE("the kernels of all routes, on the host, give products that agree bit by bit") {
  Random random(seed);
  struct Case {
    std::size_t m, k, n;
    unsigned pairs;  // of blocks: 1 takes all tiles in turn
    bool add;
  };
  const Case cases[] = {{1, 1, 1, 9, false}, {193, 200, 40, 9, true}, {400, 1100, 65, 1, false}};
  for (const gpu::BitRoute route : {gpu::BitRoute::words, gpu::BitRoute::mma, gpu::BitRoute::wgmma}) {
    for (const auto& [m, k, n, pairs, add] : cases) {
      const BitMatrix a = random_bits(m, k, 0.5, random), b = random_bits(k, n, 1 / std::sqrt(double(k)), random);
      const BitMatrix turned = transposed(b), before = random_bits(m, n, 0.3, random);
      for (const BitSum sum : {BitSum::boolean, BitSum::binary}) {
        host_gpu::copies_at_once = sum == BitSum::binary;
        if (m == 193 && (sum == BitSum::boolean) != (route == gpu::BitRoute::words)) continue;
        INFO("route " << static_cast<int>(route) << ", " << m << " x " << k << " x " << n << ", seed " << seed);
        BitMatrix c(before);
        if (!add) fill(c);
        multiply_by_kernel(route, sum, a, turned, c, add, pairs);
        CHECK(test::is_padded_with_zeros(c));
        bool all = true;
        for (std::size_t row = 0; row < m; row += 1 + m / 40) {
          for (std::size_t column = 0; column < n; ++column) {
            const std::size_t terms =
                test::terms_of_entry(a, b, row, column) + (add && before.get(row, column) ? 1 : 0);
            all = all && c.get(row, column) == (sum == BitSum::boolean ? terms != 0 : terms % 2 == 1);
          }
        }
        CHECK(all);
      }
    }
  }
}

TEST_CASE("the kernel that transposes, on the host, turns rows and those of a list") {
  Random random(seed, 1);
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1}, {33, 31}, {513, 300}, {1025, 65}}) {
    INFO(rows << " x " << columns << ", seed " << seed);
    const BitMatrix matrix = random_bits(rows, columns, 0.5, random);
    BitMatrix turned(columns, rows);
    fill(turned);
    transpose_by_kernel(view_of(matrix), view_of(turned));
    CHECK(turned == transposed(matrix));
    CHECK(test::is_padded_with_zeros(turned));
    const std::uint32_t list[] = {static_cast<std::uint32_t>(rows - 1), gpu::no_row, 0};
    BitMatrix chosen(columns, 3);
    fill(chosen);
    transpose_by_kernel(view_of(matrix), view_of(chosen), list);
    bool all = test::is_padded_with_zeros(chosen);
    for (std::size_t c = 0; c < columns; ++c)
      all = all && chosen.get(c, 0) == matrix.get(rows - 1, c) && !chosen.get(c, 1) &&
            chosen.get(c, 2) == matrix.get(0, c);
    CHECK(all);
  }
}

TEST_CASE("products by one and two levels of Winograd's form, also added to a matrix, are those by tables") {
  Random random(seed, 2);
  const std::tuple<std::size_t, std::size_t, std::size_t, std::size_t> cases[] = {
      {2, 1024, 1024, 1}, {9, 3000, 1100, 1}, {11, 2100, 2500, 2}};
  for (const auto& [m, k, n, num_levels] : cases) {
    INFO(m << " x " << k << " x " << n << ", " << num_levels << " levels, seed " << seed);
    const BitMatrix a = random_bits(m, k, 0.5, random), b = random_bits(k, n, 0.5, random), turned = transposed(b);
    std::deque<BitMatrix> space;
    std::vector<gpu::WinogradLevel> levels;
    gpu::QuarterSizes size{m, k, n};
    for (std::size_t i = 0; i < num_levels; ++i) {
      size = gpu::quarter_sizes(size.m, size.k, size.n);
      REQUIRE(size.least() > 0);
      gpu::WinogradLevel level{size, {}, {}, {}};
      for (std::size_t part = 0; part < 4; ++part) {
        level.left[part] = view_of(space.emplace_back(size.m, size.k));
        level.right[part] = view_of(space.emplace_back(size.n, size.k));
        level.products[part] = view_of(space.emplace_back(size.m, size.n));
      }
      levels.push_back(level);
    }
    for (BitMatrix& matrix : space) fill(matrix);
    HostSums host;
    BitMatrix c(m, n);
    gpu::multiply_winograd(host, levels, view_of(a), view_of(turned), view_of(c));
    CHECK(c == binary_product(a, b));
    gpu::multiply_winograd(host, levels, view_of(a), view_of(turned), view_of(c), true);
    CHECK(c == BitMatrix(m, n));
  }
}

TEST_CASE("every tile of a product is some block's, whatever bands they stand in") {
  for (const unsigned m : {1u, 191u, 193u, 2305u, 5000u}) {
    for (const unsigned n : {1u, 512u, 513u, 2000u}) {
      gpu::BitProduct product{};
      product.m = m;
      product.n = n;
      std::vector<std::pair<unsigned, unsigned>> places;
      const unsigned pairs = gpu::bit_pairs(m, n);
      for (unsigned pair = 0; pair < pairs; ++pair) {
        const auto place = host_gpu::tile_place<384, 256>(product, pair);
        places.emplace_back(place.row, place.column);
      }
      std::sort(places.begin(), places.end());
      std::vector<std::pair<unsigned, unsigned>> expected;
      for (unsigned row = 0; row < m; row += 384) {
        for (unsigned column = 0; column < (n + 511) / 512 * 512; column += 256) expected.emplace_back(row, column);
      }
      INFO(m << " x " << n);
      CHECK(places == expected);
    }
  }
}
