#pragma once
// Multiplies tiles of bits: the text of the kernels, which the tests compile for the host as well.
//
// It takes from who includes it: u32 and u64; UNROLL; shared_base(), the first address of shared memory that is a
// multiple of 1024; copy_piece(), commit_copies() and await_copies<pending>(), 16 bytes from global to shared memory in
// groups; load_matrices() and multiply_add() of 16 x 8 x 256 bits by a warp; shuffle_xor(), ballot(), count_bits();
// load_piece(), 16 bytes of shared memory. For warp groups: begin_products(), multiply_add() of 64 x 256 x 256,
// commit_products() and await_products<pending>(); TileMap, copy_tile() and copy_tile_to_pair(), of 128 bytes of rows,
// swizzled, to this block and to both of a cluster; start_barrier(), expect_bytes(), await_phase() and
// arrive_at_both(); block_of_pair() and await_pair(); await_warp().
//
// A stage has 128 bytes (1024 bits of the inner dimension) of every row of a tile of a, then of every row of one of the
// transposed b. Piece p of 16 bytes of row r lies in place p ^ (r & 7) of its row: reading a column of pieces then
// meets no bank twice, and it is the tensor cores' own swizzle of 128 bytes.

#include "linear/bits/cuda/bit_product_frame.hpp"

constexpr u32 stage_row_bytes = 128, pieces_a_row = stage_row_bytes / 16;

// Columns of whole strips.
inline __device__ u32 whole_strips(u32 columns) { return (columns + 511) / 512 * 512; }

// Places tile number `tile` of the product: in bands of a few rows of tiles, so that blocks at work at the same
// time share rows of both factors in the second-level cache.
struct TilePlace {
  u32 row, column;
};
template <u32 rows, u32 columns>
inline __device__ TilePlace tile_place(const BitProduct& product, u32 tile) {
  constexpr u32 band = 2304 / rows;
  const u32 across = (whole_strips(product.n) + columns - 1) / columns, down = (product.m + rows - 1) / rows;
  const u32 first = tile / (band * across) * band;
  const u32 height = down - first < band ? down - first : band;
  const u32 within = tile % (band * across);
  return {(first + within % height) * rows, within / height * columns};
}

// Rows [first, first + count) of a factor, bytes [128 step, 128 step + 128) of each, to a stage.
template <int threads>
inline __device__ void copy_rows(u32 to, u64 factor, u64 stride, u32 first, u32 rows, u32 count, u32 step,
                                 u32 k_bytes) {
  for (u32 i = threadIdx.x; i < count * pieces_a_row; i += threads) {
    const u32 row = i / pieces_a_row, piece = i % pieces_a_row, byte = step * stage_row_bytes + piece * 16;
    const bool inside = first + row < rows && byte < k_bytes;
    const u64 from = factor + (inside ? (first + row) * stride + byte : 0);
    copy_piece(to + row * stage_row_bytes + ((piece ^ (row & 7)) << 4), from, inside);
  }
}

// Writes bytes [byte, byte + 4) of a row of the product, or adds them, if they are some of it.
inline __device__ void put_word(const BitProduct& product, u32 row, u64 byte, u32 bits) {
  if (row >= product.m || byte >= whole_strips(product.n) / 8) return;
  u32* const to = reinterpret_cast<u32*>(product.c + row * product.c_stride + byte);
  if (product.add) bits = product.binary ? bits ^ *to : bits | *to;
  *to = bits;
}

// Writes the sums of two rows, 8 apart, of a tile of 16 rows and 8 * blocks columns, as mma and wgmma leave them: of
// columns 8 j + 2 t and the next, by lane 4 g + t. Writes the bits of rows `row` + g and `row` + g + 8.
template <int blocks>
inline __device__ void write_bits(const BitProduct& product, const u32 (&sums)[blocks][4], u32 row, u32 column) {
  const u32 lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const auto bit = [&](u32 sum) { return product.binary ? sum & 1u : (sum != 0 ? 1u : 0u); };
  UNROLL
  for (int half = 0; half < 2; ++half) {
    const u32 at = row + g + 8 * half;
    UNROLL
    for (u32 word = 0; word < blocks / 4; ++word) {
      u32 bits = 0;
      UNROLL
      for (int j = 0; j < 4; ++j) {
        const u32* const pair = &sums[4 * word + j][2 * half];
        bits |= (bit(pair[0]) | bit(pair[1]) << 1) << (8 * j + 2 * t);
      }
      bits |= shuffle_xor(bits, 1);
      bits |= shuffle_xor(bits, 2);
      if (t == word % 4) put_word(product, at, column / 8 + 4 * word, bits);
    }
  }
}

// The stages of a block's tile, brought in their order.
template <int rows, int columns, int threads, int stages>
struct Stages {
  static constexpr u32 bytes = (rows + columns) * stage_row_bytes;

  inline __device__ explicit Stages(const BitProduct& given)
      : product(given),
        place(tile_place<rows, columns>(given, blockIdx.x)),
        base(shared_base()),
        steps((given.k_bytes + stage_row_bytes - 1) / stage_row_bytes) {}

  inline __device__ void bring(u32 step) const {
    if (step < steps) {
      copy_rows<threads>(a_rows(step), product.a, product.a_stride, place.row, product.m, rows, step, product.k_bytes);
      copy_rows<threads>(b_rows(step), product.b_transposed, product.b_stride, place.column, product.n, columns, step,
                         product.k_bytes);
    }
    commit_copies();
  }
  inline __device__ u32 a_rows(u32 step) const { return base + step % stages * bytes; }
  inline __device__ u32 b_rows(u32 step) const { return a_rows(step) + rows * stage_row_bytes; }

  const BitProduct& product;
  TilePlace place;
  u32 base, steps;
};

// Returns the place of piece `piece` of a stage's row.
inline __device__ u32 piece_at(u32 rows, u32 row, u32 piece) {
  return rows + row * stage_row_bytes + ((piece ^ (row & 7)) << 4);
}

// A block has 8 warps in 2 rows of 4, each with 64 x 64 entries, and three stages, of which two are on their way.
inline __device__ void multiply_by_warps(const BitProduct& product) {
  constexpr BitTile tile = bit_tile_mma;
  constexpr int warp_rows = 64, warp_columns = 64;
  const Stages<tile.rows, tile.columns, tile.threads, tile.stages> stages(product);
  for (int step = 0; step < tile.stages - 1; ++step) stages.bring(step);
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u32 first_row = warp / 4 * warp_rows, first_column = warp % 4 * warp_columns;
  u32 sums[warp_rows / 16][warp_columns / 8][4] = {};
  for (u32 step = 0; step < stages.steps; ++step) {
    await_copies<tile.stages - 2>();
    __syncthreads();
    stages.bring(step + tile.stages - 1);
    const u32 a_rows = stages.a_rows(step), b_rows = stages.b_rows(step);
    UNROLL
    for (u32 part = 0; part < pieces_a_row; part += 2) {  // 256 bits
      u32 a[warp_rows / 16][4], b[warp_columns / 16][4];
      // Lanes 0 to 7 name rows of the first matrix of 8 x 16 bytes, 8 to 15 of the second, and so on.
      UNROLL
      for (int i = 0; i < warp_rows / 16; ++i)
        load_matrices(a[i], piece_at(a_rows, first_row + 16 * i + lane % 16, part + lane / 16));
      UNROLL
      for (int j = 0; j < warp_columns / 16; ++j)
        load_matrices(b[j], piece_at(b_rows, first_column + 16 * j + lane / 16 * 8 + lane % 8, part + lane / 8 % 2));
      UNROLL
      for (int i = 0; i < warp_rows / 16; ++i) {
        UNROLL
        for (int j = 0; j < warp_columns / 8; ++j)
          multiply_add(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
  UNROLL
  for (int i = 0; i < warp_rows / 16; ++i)
    write_bits(product, sums[i], stages.place.row + first_row + 16 * i, stages.place.column + first_column);
}

// Multiplies without tensor cores, as Karppa and Kaski (2019, arXiv:1909.01554) do: words of both factors are joined by
// AND and summed by XOR or OR, which is one instruction for 32 pairs of bits, and a sum's own bits at last. A thread
// has 8 x 8 entries, 16 rows and columns apart.
template <bool binary>
inline __device__ void multiply_by_words(const BitProduct& product) {
  constexpr BitTile tile = bit_tile_words;
  constexpr u32 apart = 16, each = 8;
  static_assert(tile.rows == apart * each && tile.columns == apart * each && tile.threads == apart * apart,
                "a thread for every 8 x 8 entries");
  const Stages<tile.rows, tile.columns, tile.threads, tile.stages> stages(product);
  for (int step = 0; step < tile.stages - 1; ++step) stages.bring(step);
  const u32 lane = threadIdx.x % 32, down = threadIdx.x / apart, across = threadIdx.x % apart;
  u32 sums[each][each] = {};
  for (u32 step = 0; step < stages.steps; ++step) {
    await_copies<tile.stages - 2>();
    __syncthreads();
    stages.bring(step + tile.stages - 1);
    for (u32 piece = 0; piece < pieces_a_row; ++piece) {
      u32 a[each][4], b[each][4];
      UNROLL
      for (u32 i = 0; i < each; ++i) {
        load_piece(a[i], piece_at(stages.a_rows(step), down + apart * i, piece));
        load_piece(b[i], piece_at(stages.b_rows(step), across + apart * i, piece));
      }
      UNROLL
      for (u32 i = 0; i < each; ++i) {
        UNROLL
        for (u32 j = 0; j < each; ++j) {
          UNROLL
          for (u32 w = 0; w < 4; ++w) {
            const u32 both = a[i][w] & b[j][w];
            sums[i][j] = binary ? sums[i][j] ^ both : sums[i][j] | both;
          }
        }
      }
    }
  }
  UNROLL
  for (u32 i = 0; i < each; ++i) {
    const u32 row = stages.place.row + down + apart * i;
    u32 bits[each / 2] = {};
    UNROLL
    for (u32 j = 0; j < each; ++j) {
      const u32 sum = sums[i][j];
      const u32 both_rows = ballot(binary ? count_bits(sum) & 1 : (sum != 0 ? 1u : 0u));
      bits[j / 2] |= (both_rows >> (lane & 16) & 0xffff) << j % 2 * 16;
    }
    UNROLL
    for (u32 word = 0; word < each / 2; ++word)
      if (across == word) put_word(product, row, stages.place.column / 8 + 4 * word, bits[word]);
  }
}

// Describes a tile as a warp group reads it: rows of 128 bytes, swizzled, groups of 8 of them 1024 bytes apart.
inline __device__ u64 descriptor(u32 address) {
  constexpr u64 swizzle_128 = u64{1} << 62, eight_rows = static_cast<u64>(1024 >> 4) << 32, unused = u64{1} << 16;
  return swizzle_128 | eight_rows | unused | (address & 0x3ffff) >> 4;
}

// Two blocks of a cluster share one tile of 384 x 256 entries after the other, of which each has 192 rows. Each
// brings its rows of a, and half of the columns' rows of b for both. A stage is full when its bytes are there, and
// empty when the warps of both blocks have read it.
struct PairOfTiles {
  static constexpr u32 rows = bit_tile_wgmma.rows, columns = bit_tile_wgmma.columns, stages = bit_tile_wgmma.stages;
  static constexpr u32 warps = rows / 16, stage_bytes = (rows + columns) * stage_row_bytes;

  inline __device__ explicit PairOfTiles(const BitProduct& given)
      : product(given),
        base(shared_base()),
        full(base + stages * stage_bytes),
        empty(full + 8 * stages),
        steps((given.k_bytes + stage_row_bytes - 1) / stage_row_bytes),
        count((given.m + 2 * rows - 1) / (2 * rows) * (whole_strips(given.n) / columns)) {}

  inline __device__ TilePlace place(u32 pair) const {
    TilePlace at = tile_place<2 * rows, columns>(product, pair);
    at.row += block_of_pair() * rows;
    return at;
  }
  inline __device__ u32 a_rows(u32 step) const { return base + step % stages * stage_bytes; }
  inline __device__ u32 b_rows(u32 step) const { return a_rows(step) + rows * stage_row_bytes; }
  inline __device__ u32 full_at(u32 step) const { return full + 8 * (step % stages); }
  inline __device__ u32 empty_at(u32 step) const { return empty + 8 * (step % stages); }
  // Returns 0 and 1 in turn, as often as a stage is used.
  inline __device__ u32 phase(u32 step) const { return step / stages & 1; }

  const BitProduct& product;
  u32 base, full, empty, steps, count;
};

// Brings one stage after the other, of all tiles of a block, by one of its threads.
class TileBringer {
 public:
  inline __device__ TileBringer(const PairOfTiles& tiles, const TileMap& a, const TileMap& b)
      : tiles_(tiles), a_(a), b_(b), pair_(blockIdx.x / 2) {
    if (pair_ < tiles_.count) place_ = tiles_.place(pair_);
  }
  inline __device__ void bring() {
    if (pair_ >= tiles_.count) return;
    const u32 half = PairOfTiles::columns / 2, mine = block_of_pair() * half, byte = k_ * stage_row_bytes;
    if (step_ >= PairOfTiles::stages) await_phase(tiles_.empty_at(step_), tiles_.phase(step_) ^ 1);
    expect_bytes(tiles_.full_at(step_), PairOfTiles::stage_bytes);
    copy_tile(tiles_.a_rows(step_), a_, byte, place_.row, tiles_.full_at(step_));
    copy_tile_to_pair(tiles_.b_rows(step_) + mine * stage_row_bytes, b_, byte, place_.column + mine,
                      tiles_.full_at(step_));
    ++step_;
    if (++k_ < tiles_.steps) return;
    k_ = 0;
    pair_ += gridDim.x / 2;
    if (pair_ < tiles_.count) place_ = tiles_.place(pair_);
  }

 private:
  const PairOfTiles& tiles_;
  const TileMap &a_, &b_;
  u32 pair_, k_ = 0, step_ = 0;
  TilePlace place_ = {};
};

// Three warp groups have 64 x 256 entries each. While the products of a stage are at work the one before is given back,
// and the next but one is brought, into what was given back by all before those products began.
inline __device__ void multiply_by_groups(const BitProduct& product, const TileMap& a_map, const TileMap& b_map) {
  constexpr u32 group_rows = 64, ahead = bit_tile_wgmma.stages - 2;
  static_assert(bit_tile_wgmma.rows == bit_tile_wgmma.threads / 128 * group_rows && bit_tile_wgmma.columns == 256,
                "a group has 64 rows");
  const PairOfTiles tiles(product);
  const bool brings = threadIdx.x == 0;
  if (brings) {
    for (u32 stage = 0; stage < PairOfTiles::stages; ++stage) {
      start_barrier(tiles.full_at(stage), 1);
      start_barrier(tiles.empty_at(stage), 2 * PairOfTiles::warps);
    }
  }
  await_pair();
  TileBringer bringer(tiles, a_map, b_map);
  for (u32 step = 0; brings && step < ahead; ++step) bringer.bring();
  const u32 group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4;
  const auto give_back = [&](u32 step) {
    if (threadIdx.x % 32 == 0) arrive_at_both(tiles.empty_at(step));
  };
  u32 step = 0;
  for (u32 pair = blockIdx.x / 2; pair < tiles.count; pair += gridDim.x / 2) {
    u32 sums[32][4] = {};
    for (u32 k = 0; k < tiles.steps; ++k, ++step) {
      await_phase(tiles.full_at(step), tiles.phase(step));
      const u64 a = descriptor(tiles.a_rows(step) + group * group_rows * stage_row_bytes);
      const u64 b = descriptor(tiles.b_rows(step));
      begin_products();
      UNROLL
      for (int part = 0; part < 4; ++part) multiply_add(sums, a + 2 * part, b + 2 * part);  // 256 bits are 32 bytes
      commit_products();
      if (brings) bringer.bring();
      await_warp();
      await_products<1>();
      if (k != 0) give_back(step - 1);
    }
    await_products<0>();
    give_back(step - 1);
    const TilePlace place = tiles.place(pair);
    write_bits(product, sums, place.row + group * group_rows + 16 * warp, place.column);
  }
  // Neither block ends while the other may copy to it.
  await_pair();
}
