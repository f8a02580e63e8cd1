#pragma once
// Says what the host and the kernels of bit products tell each other. Plain, so that both compilers lay it out alike.

namespace matchcount::gpu {

// Rows of a tile of the product, its columns, threads and stages of shared memory: of the kernel on words, of that for
// sm_80 and later, and of that for sm_90a.
struct BitTile {
  int rows, columns, threads, stages;
  // Counts the blocks of a product of m x n bits, n in whole strips.
  constexpr unsigned blocks(unsigned m, unsigned n) const {
    const unsigned width = (n + 511) / 512 * 512, high = static_cast<unsigned>(rows),
                   wide = static_cast<unsigned>(columns);
    return (m + high - 1) / high * ((width + wide - 1) / wide);
  }
  constexpr unsigned shared_bytes() const {
    return static_cast<unsigned>((rows + columns) * 128 * stages + 1024 + 64);  // aligned to 1024 within, and barriers
  }
};
constexpr BitTile bit_tile_words{128, 128, 256, 3};
constexpr BitTile bit_tile_mma{128, 256, 256, 3};
constexpr BitTile bit_tile_wgmma{192, 256, 384, 4};
// Counts tiles of the second kind, two below each other.
constexpr unsigned bit_pairs(unsigned m, unsigned n) { return (m + 383) / 384 * ((n + 511) / 512 * 2); }

// c, of m x n bits, from a and the transposed b, each of rows of k_bytes, a multiple of 64. Strides in bytes, multiples
// of 64. c has whole strips of 512 columns; what lies behind column n is set to 0.
struct BitProduct {
  unsigned long long a, b_transposed, c;  // device addresses
  unsigned long long a_stride, b_stride, c_stride;
  unsigned m, n, k_bytes;
  unsigned binary;  // 1: XOR, 0: OR of ANDs
  unsigned add;     // 1: c = c + a b
};

// Quarters x, y, z and w of one factor, all with one stride, and the sums that Winograd's form takes of them.
struct BitQuarterSums {
  unsigned long long x, y, z, w, stride;
  unsigned long long sums[4], sums_stride;
  unsigned rows, row_bytes;  // of a quarter
};
// Four of the seven products, and the quarters of c that they go into.
struct BitQuarters {
  unsigned long long p1, p5, p6, p7, stride;
  unsigned long long c11, c12, c21, c22, c_stride;
  unsigned rows, row_bytes;
  unsigned add;  // 1: to what is there
};

// No row of a list.
constexpr unsigned no_row = 0xffffffffu;

// Threads of the kernels that move bits, and rows and columns that a block of them transposes at once.
constexpr unsigned bit_threads = 256, turned_rows = 1024, turned_columns = 256;
// Rows that a block of the closure has.
constexpr unsigned closed_rows = 512, closing_threads = 1024;

}  // namespace matchcount::gpu
