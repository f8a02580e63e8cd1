// Has the loop of a generated kernel's thread, behind struct Walk. In front of it, beside the types RowSum and Sum:
// ROWS, BITS (Gray bits in all), WALK_BITS (that a thread walks), INNER_BITS (of the block), TOP_LEVEL (bits from here
// up are flipped in loops), LOOP_SIGNS (of the columns for these), THREADS and BLOCKS (of a launch bound). Walk has
//   RowSum x[ROWS];
//   void flip(int bit, bool on, const RowSum* loops): row sums after a bit has turned; `loops` is from fill_loops
//   int refresh(int bit): products of the rows above the block after `bit` has turned; returns the lowest level at
//                         which they are zero in the whole warp, or -1
//   void block(Sum& sum, bool negative): adds the block's sum
//   double skipped(int level): what skipping the subtree of a level may have left out of the magnitudes

// The columns from TOP_LEVEL up. With two signs: what turning the bit off adds to the row sums, then what turning it on
// does. A product with the sign would read three numbers, which takes half as long again as reading two.
constexpr int NUM_LOOPS = WALK_BITS > TOP_LEVEL ? WALK_BITS - TOP_LEVEL : 0;
MC_DEVICE void fill_loops(const RowSum* columns, RowSum* loops, int first, int step) {
  for (int i = first; i < NUM_LOOPS * ROWS; i += step) {
    const RowSum c = columns[TOP_LEVEL * ROWS + i];
    RowSum* to = loops + i / ROWS * LOOP_SIGNS * ROWS + i % ROWS;
    if (LOOP_SIGNS == 2) to[0] = turned(RowSum{}, c, false);
    to[(LOOP_SIGNS - 1) * ROWS] = c;
  }
}

// Sums over the chunk's 2^WALK_BITS subsets. A Gray code steps through the bits above the block; where the product
// above a level is zero, its whole subtree is passed over, in which only the level's highest bit turns.
MC_DEVICE void sum_chunk(Walk& walk, u64 chunk, const RowSum* base, const RowSum* columns, const RowSum* loops,
                         Sum& sum) {
  MC_UNROLL
  for (int i = 0; i < ROWS; ++i) walk.x[i] = base[i];
#ifdef __CUDACC__
#pragma unroll 1
#endif
  for (int bit = WALK_BITS; bit < BITS; ++bit) {
    if (chunk >> (bit - WALK_BITS) & 1) {
      MC_UNROLL
      for (int i = 0; i < ROWS; ++i) walk.x[i] = moved(walk.x[i], columns[bit * ROWS + i]);
    }
  }
  walk.start();
  sum.clear();
  unsigned step = 0, gray = 0;
  int bit = WALK_BITS;
#ifdef __CUDACC__
#pragma unroll 1
#endif
  for (;;) {
    const int dead = walk.refresh(bit);
    if (dead < 0) {
      walk.block(sum, step & 1);
      ++step;
    } else {
      sum.size_skipped(walk.skipped(dead));
      const int level = dead - INNER_BITS;
      if (level > 0) {
        gray ^= 1u << (level - 1);
        walk.flip(dead - 1, gray >> (level - 1) & 1, loops);
      }
      step = ((step >> level) + 1) << level;
    }
    sum.settle((step & 15) == 0);
    if (step >> (WALK_BITS - INNER_BITS)) break;
    const int turning = lowest_bit(step);
    bit = turning + INNER_BITS;
    gray ^= 1u << turning;
    walk.flip(bit, gray >> turning & 1, loops);
  }
  sum.finish(odd_parity(chunk));
}

#ifdef __CUDACC__
struct ChunkWork {
  const RowSum* __restrict__ base;
  const RowSum* __restrict__ columns;
  const RowSum* loops;
  MC_DEVICE void operator()(u64 chunk, Sum& sum) {
    Walk walk;
    sum_chunk(walk, chunk, base, columns, loops, sum);
  }
};
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    sum_tasks(const RowSum* __restrict__ base, const RowSum* __restrict__ columns, u64 first_task, unsigned num_tasks,
              unsigned* next, Sum::Out* __restrict__ out) {
  __shared__ RowSum loops[NUM_LOOPS * LOOP_SIGNS * ROWS + 1];
  fill_loops(columns, loops, threadIdx.x, THREADS);
  ChunkWork work{base, columns, loops};
  run_all_tasks<Sum>(work, first_task, num_tasks, 1ull << (BITS - WALK_BITS), next, out);
}
#endif
