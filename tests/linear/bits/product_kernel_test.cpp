// The kernels' text compiled for the host. Copies and products of warp groups are carried out as late as their waits
// allow, so that a stage which is read too early or overwritten too soon shows.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "linear/bits/cpu/bit_kernels.hpp"
#include "linear/bits/cuda/product_gpu.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/host_gpu.hpp"

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
unsigned num_blocks = 0;

Waiting& mine() { return waiting[&Launch::current_launch->fiber()]; }
unsigned char* shared() { return static_cast<unsigned char*>(dynamic_shared()); }
unsigned lane() { return Launch::current_launch->fiber().thread.x % 32; }

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

// What each thread of this one's warp says, by lane: every thread of the block says something at the same time.
template <class T>
std::array<T, 32> told_by_warp(T value) {
  Launch& launch = *Launch::current_launch;
  static std::vector<T> said;
  static const void* of = nullptr;
  const std::size_t places = 1 << 16;
  if (of != &launch || said.size() < places) said.resize(places), of = &launch;
  const std::size_t thread = launch.fiber().block.x % 8 * 1024 + launch.fiber().thread.x;
  said[thread] = value;
  launch.barrier();
  std::array<T, 32> all;
  std::copy_n(said.begin() + static_cast<std::ptrdiff_t>(thread / 32 * 32), 32, all.begin());
  launch.barrier();
  return all;
}
u32 shuffle_xor(u32 value, u32 lanes) { return told_by_warp(value)[lane() ^ lanes]; }
u32 ballot(u32 value) {
  const auto all = told_by_warp(value);
  u32 bits = 0;
  for (unsigned i = 0; i < 32; ++i) bits |= (all[i] != 0 ? 1u : 0u) << i;
  return bits;
}

// By the tables of PTX: matrix m has its rows of 16 bytes where lanes 8 m to 8 m + 7 say, and lane i gets word i % 4 of
// row i / 4.
void load_matrices(u32 (&to)[4], u32 from) {
  const auto addresses = told_by_warp(from);
  for (unsigned m = 0; m < 4; ++m) std::memcpy(&to[m], shared() + addresses[8 * m + lane() / 4] + lane() % 4 * 4, 4);
}

// By the tables of PTX for m16n8k256.
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

void make_copies_visible() {}
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

#define gridDim (host_gpu::Index{host_gpu::num_blocks})

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "linear/bits/cuda/bit_kernels.cuh"
#pragma GCC diagnostic pop

void launch(unsigned blocks, unsigned threads, unsigned shared_bytes, const std::function<void()>& kernel) {
  num_blocks = blocks;
  // One block after the other: they tell each other nothing.
  for (unsigned block = 0; block < blocks; ++block) {
    waiting.clear();
    Launch(1, threads, shared_bytes, kernel, block).run();
  }
}

}  // namespace host_gpu

using namespace matchcount;
using test::random_bits;

namespace {

constexpr std::uint64_t seed = 20261130;

void fill(BitMatrix& matrix) {
  for (std::size_t r = 0; r < matrix.num_rows(); ++r) std::fill_n(matrix.row(r), matrix.stride(), ~std::uint64_t{0});
}

BitMatrix product_by_kernels(gpu::BitRoute route, BitSum sum, const BitMatrix& a, const BitMatrix& b) {
  BitMatrix turned(b.num_columns(), b.num_rows()), c(a.num_rows(), b.num_columns());
  fill(turned);
  fill(c);
  const auto address = [](const BitMatrix& matrix) { return reinterpret_cast<std::uint64_t>(matrix.row(0)); };
  const auto bytes = [](const BitMatrix& matrix) { return 8 * static_cast<std::uint64_t>(matrix.stride()); };
  host_gpu::launch(3, 64, 0, [&] {
    host_gpu::transpose_words(address(b), bytes(b), static_cast<std::uint32_t>(b.num_rows()),
                              static_cast<std::uint32_t>(b.num_columns()), address(turned), bytes(turned));
  });
  CHECK(turned == transposed(b));
  CHECK(test::is_padded_with_zeros(turned));
  const gpu::BitProduct product{address(a),
                                address(turned),
                                address(c),
                                bytes(a),
                                bytes(turned),
                                bytes(c),
                                static_cast<unsigned>(a.num_rows()),
                                static_cast<unsigned>(b.num_columns()),
                                static_cast<unsigned>(bytes(a)),
                                sum == BitSum::binary ? 1u : 0u};
  const bool by_groups = route == gpu::BitRoute::wgmma;
  const gpu::BitTile tile = by_groups ? gpu::bit_tile_wgmma : gpu::bit_tile_mma;
  host_gpu::launch(tile.blocks(product.m, product.n), static_cast<unsigned>(tile.threads), tile.shared_bytes(),
                   [&] { by_groups ? host_gpu::multiply_by_groups(product) : host_gpu::multiply_by_warps(product); });
  return c;
}

}  // namespace

TEST_CASE("the kernels of both routes, on the host, give products that agree bit by bit") {
  Random random(seed);
  const std::tuple<std::size_t, std::size_t, std::size_t> sizes[] = {{1, 1, 1}, {193, 200, 40}, {40, 4200, 65}};
  for (const gpu::BitRoute route : {gpu::BitRoute::mma, gpu::BitRoute::wgmma}) {
    for (const auto& [m, k, n] : sizes) {
      const BitMatrix a = random_bits(m, k, 0.5, random), b = random_bits(k, n, 1 / std::sqrt(double(k)), random);
      for (const BitSum sum : {BitSum::boolean, BitSum::binary}) {
        if (sum == BitSum::boolean && m == 193) continue;
        INFO((route == gpu::BitRoute::mma ? "mma, " : "wgmma, ") << m << " x " << k << " x " << n << ", seed " << seed);
        const BitMatrix c = product_by_kernels(route, sum, a, b);
        CHECK(test::is_padded_with_zeros(c));
        bool all = true;
        for (std::size_t row = 0; row < m; row += 1 + m / 40) {
          for (std::size_t column = 0; column < n; ++column) {
            const std::size_t terms = test::terms_of_entry(a, b, row, column);
            all = all && c.get(row, column) == (sum == BitSum::boolean ? terms != 0 : terms % 2 == 1);
          }
        }
        CHECK(all);
      }
    }
  }
}

TEST_CASE("every tile of a product is some block's, whatever bands they stand in") {
  for (const unsigned m : {1u, 191u, 193u, 2305u, 5000u}) {
    for (const unsigned n : {1u, 512u, 513u, 2000u}) {
      gpu::BitProduct product{};
      product.m = m;
      product.n = n;
      std::vector<std::pair<unsigned, unsigned>> places;
      const unsigned blocks = gpu::bit_tile_wgmma.blocks(m, n);
      host_gpu::launch(blocks, 1, 0, [&] {
        const auto place = host_gpu::tile_place<192, 256>(product);
        places.emplace_back(place.row, place.column);
      });
      std::sort(places.begin(), places.end());
      std::vector<std::pair<unsigned, unsigned>> expected;
      for (unsigned row = 0; row < m; row += 192) {
        for (unsigned column = 0; column < (n + 511) / 512 * 512; column += 256) expected.emplace_back(row, column);
      }
      INFO(m << " x " << n);
      CHECK(places == expected);
    }
  }
}
