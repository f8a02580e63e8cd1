// Replays elimination programs on a GPU. Includes nothing: its includer gives permanent/planar/cuda/elimination_frame.hpp, the
// types u32 and u64, and on a host that plays the GPU (tests) what CUDA gives.
//
// A block has one front modulo a group of primes, one prime a lane of each warp: no lane differs from the others in
// what it does, all indices are the same for a warp, and an entry of a front is one coalesced access. The warps of a
// block share the front's tiles of 4 x 4 entries, whose dot products they keep in registers. As on the CPU
// (permanent/planar/cpu/elimination_isa.cpp) fronts are eliminated left-looking in panels of four pivots, so that an entry is
// written once or twice. Fronts stay where they are made, and a parent reads what its children left there.
//
// Tiles at the edges read some rows and columns beyond the front, and write nothing there: an arena has room for
// that at its end.

// ---- Residues, in Montgomery's form.

struct EliminationField {
  u32 prime, minus_inverse, one;

  static __device__ u32 least(u32 a, u32 b) { return a < b ? a : b; }
  // Brings a number below twice the prime below the prime: one below the prime gets large by wrapping around.
  __device__ u32 below_prime(u32 x) const { return least(x, x - prime); }
  __device__ u32 add(u32 a, u32 b) const { return below_prime(a + b); }
  __device__ u32 subtract(u32 a, u32 b) const { return least(a - b, a - b + prime); }
  __device__ u32 negative(u32 a) const { return subtract(0, a); }
  // Returns x / 2^32; x < 2^32 p.
  __device__ u32 reduce(u64 x) const {
    const u32 quotient = (u32)x * minus_inverse;
    return below_prime((u32)((x + (u64)quotient * prime) >> 32));
  }
  __device__ u32 multiply(u32 a, u32 b) const { return reduce((u64)a * b); }
  // A sum of 8 products is below 8 p^2 < 2^33 p, and so is what is corrected: together below 2^64.
  __device__ u64 corrected(u64 sum, u32 high) const {
    return ((u64)least((u32)(sum >> 32), (u32)(sum >> 32) - high) << 32) | (u32)sum;
  }
  __device__ u64 corrected(u64 sum) const { return corrected(sum, 2 * prime); }
  __device__ u32 value_of_corrected(u64 sum) const { return reduce(corrected(sum, prime)); }
  // Returns x^(p-2); 0 of 0.
  __device__ u32 inverse(u32 x) const {
    const u32 exponent = prime - 2;
    u32 result = x;
    for (int bit = 28; bit >= 0; --bit) {
      result = multiply(result, result);
      const u32 times = multiply(result, x);
      result = (exponent >> bit & 1) != 0 ? times : result;
    }
    return result;
  }
};

static __device__ EliminationField field_of(const EliminationModulus& modulus) {
  EliminationField field;
  field.prime = modulus.prime;
  field.minus_inverse = modulus.minus_inverse;
  field.one = modulus.one;
  return field;
}

// ---- Tiles.

constexpr u64 elimination_step = elimination_lanes;

// Finds the corrected sums over t < terms of left[a][t] right[t][b]; rows are so many numbers apart. Whole windows are
// added without asking after each term whether it is there, so that the loads of many terms are on their way at once.
template <int num_rows, int num_columns>
static __device__ void multiply_tile(const EliminationField& field, const u32* left, const u32* right, u64 row_step,
                                     int terms, u64 (&sum)[num_rows][num_columns]) {
  const u32* row[num_rows];
  UNROLL
  for (int a = 0; a < num_rows; ++a) {
    row[a] = left + a * row_step;
    UNROLL
    for (int b = 0; b < num_columns; ++b) sum[a][b] = 0;
  }
  const auto add_term = [&](int t) {
    u32 l[num_rows], r[num_columns];
    UNROLL
    for (int a = 0; a < num_rows; ++a) l[a] = row[a][t * elimination_step];
    UNROLL
    for (int b = 0; b < num_columns; ++b) r[b] = right[b * elimination_step];
    right += row_step;
    UNROLL
    for (int a = 0; a < num_rows; ++a) {
      UNROLL
      for (int b = 0; b < num_columns; ++b) sum[a][b] += (u64)l[a] * r[b];
    }
  };
  const auto correct = [&] {
    UNROLL
    for (int a = 0; a < num_rows; ++a) {
      row[a] += elimination_window * elimination_step;
      UNROLL
      for (int b = 0; b < num_columns; ++b) sum[a][b] = field.corrected(sum[a][b]);
    }
  };
  for (; terms >= elimination_window; terms -= elimination_window) {
    UNROLL
    for (int t = 0; t < elimination_window; ++t) add_term(t);
    correct();
  }
  if (terms == 0) return;
  for (int t = 0; t < terms; ++t) add_term(t);
  correct();
}

// A block's front, seen by one thread: its own lane.
struct EliminationView {
  EliminationField field;
  u32* entries;
  int rows, columns, pivots;
  int warp, warps;

  __device__ u64 row() const { return (u64)columns * elimination_step; }
  __device__ u32* at(int i, int j) const { return entries + i * row() + j * elimination_step; }

  // Entries (i + a, j + b) less the products of the first `terms` pivots' rows and columns.
  template <int num_rows, int num_columns>
  __device__ void updated_tile(int i, int j, int terms, u32 (&tile)[num_rows][num_columns]) const {
    u64 sum[num_rows][num_columns];
    multiply_tile(field, at(i, 0), at(0, j), row(), terms, sum);
    const u32* const place = at(i, j);
    UNROLL
    for (int a = 0; a < num_rows; ++a) {
      UNROLL
      for (int b = 0; b < num_columns; ++b) {
        tile[a][b] = field.subtract(place[a * row() + b * elimination_step], field.value_of_corrected(sum[a][b]));
      }
    }
  }
  template <int num_rows, int num_columns>
  __device__ void put_tile(int i, int j, int row_end, int column_end, const u32 (&tile)[num_rows][num_columns]) const {
    u32* const place = at(i, j);
    UNROLL
    for (int a = 0; a < num_rows; ++a) {
      UNROLL
      for (int b = 0; b < num_columns; ++b) {
        if (i + a < row_end && j + b < column_end) place[a * row() + b * elimination_step] = tile[a][b];
      }
    }
  }
};

static __device__ int tiles_of(int size) { return (size + elimination_tile - 1) / elimination_tile; }

// ---- Panels. What all warps need to know of the four pivots is in shared memory, by lane; pivots beyond the last are
// ones on the diagonal.

// Inverts the corner. It stores at [4 m + j] the inverse of the upper triangle for m <= j, of the lower (which has ones
// on the diagonal) for m > j. Returns the product of the pivots.
static __device__ u32 factor_corner(const EliminationView& front, int k, int size, u32* panel, int lane) {
  constexpr int n = elimination_tile;
  const EliminationField& field = front.field;
  u32 u[n][n], reciprocal[n], product = field.one;
  front.updated_tile(k, k, k, u);
  UNROLL
  for (int m = 0; m < n; ++m) {
    reciprocal[m] = field.one;
    if (m < size) {
      product = field.multiply(product, u[m][m]);
      reciprocal[m] = field.inverse(u[m][m]);
    }
    UNROLL
    for (int i = m + 1; i < n; ++i) {
      u[i][m] = field.multiply(u[i][m], reciprocal[m]);
      UNROLL
      for (int j = m + 1; j < n; ++j) u[i][j] = field.subtract(u[i][j], field.multiply(u[i][m], u[m][j]));
    }
  }
  u32 x[n][n];
  UNROLL
  for (int i = 0; i < n; ++i) {
    x[i][i] = reciprocal[i];
    UNROLL
    for (int j = i + 1; j < n; ++j) {
      u32 sum = 0;
      UNROLL
      for (int m = i; m < j; ++m) sum = field.add(sum, field.multiply(x[i][m], u[m][j]));
      x[i][j] = field.negative(field.multiply(sum, reciprocal[j]));
    }
    UNROLL
    for (int j = i - 1; j >= 0; --j) {
      u32 sum = u[i][j];
      UNROLL
      for (int m = j + 1; m < i; ++m) sum = field.add(sum, field.multiply(x[i][m], u[m][j]));
      x[i][j] = field.negative(sum);
    }
  }
  UNROLL
  for (int i = 0; i < n; ++i) {
    UNROLL
    for (int j = 0; j < n; ++j) panel[(n * i + j) * elimination_lanes + lane] = x[i][j];
  }
  return product;
}

// The sum of at most four products is below 2^32 p.
static __device__ void eliminate_panel(const EliminationView& front, int k, int size, const u32* panel, int lane) {
  constexpr int n = elimination_tile;
  const EliminationField& field = front.field;
  const int first = k + size, below = tiles_of(front.rows - first), right = tiles_of(front.columns - first);
  for (int t = front.warp; t < below + right; t += front.warps) {
    u32 tile[n][n];
    const bool is_below = t < below;
    const int i = is_below ? first + n * t : k, j = is_below ? k : first + n * (t - below);
    front.updated_tile(i, j, k, tile);
    // Rows by the upper inverse, columns by the lower one; from the last entry on, which the others do not need.
    if (is_below) {
      UNROLL
      for (int m = n - 1; m >= 0; --m) {
        UNROLL
        for (int a = 0; a < n; ++a) {
          u64 sum = 0;
          UNROLL
          for (int q = 0; q <= m; ++q) sum += (u64)tile[a][q] * panel[(n * q + m) * elimination_lanes + lane];
          tile[a][m] = field.reduce(sum);
        }
      }
    } else {
      UNROLL
      for (int m = n - 1; m > 0; --m) {
        UNROLL
        for (int a = 0; a < n; ++a) {
          u64 sum = 0;
          UNROLL
          for (int q = 0; q < m; ++q) sum += (u64)tile[q][a] * panel[(n * m + q) * elimination_lanes + lane];
          tile[m][a] = field.add(tile[m][a], field.reduce(sum));
        }
      }
    }
    front.put_tile(i, j, is_below ? front.rows : first, is_below ? first : front.columns, tile);
  }
}

// Skew: pivots in two pairs, (0, 1) with entry d and (2, 3) with entry e. Eliminating a pair (p, q) with A[p][q] = d
// does
//   A[i][j] -= A[i][p] (A[j][q] / d) + A[i][q] (-A[j][p] / d),
// of which what is in parentheses stands above the diagonal, in rows p and q. At [0]: 1/d, [1]: 1/e, [2] to [5]: rows 0
// and 1 above the diagonal in columns 2 and 3. Returns d e.
static __device__ u32 factor_skew_corner(const EliminationView& front, int k, int size, u32* panel, int lane) {
  constexpr int n = elimination_tile;
  const EliminationField& field = front.field;
  u32 a[n][n];
  front.updated_tile(k, k, k, a);
  const u32 d = field.negative(a[1][0]), by_d = field.inverse(d), by_minus_d = field.negative(by_d);
  panel[lane] = by_d;
  u32 product = d;
  if (size == n) {
    const u32 r02 = field.multiply(a[2][1], by_d), r03 = field.multiply(a[3][1], by_d);
    const u32 r12 = field.multiply(a[2][0], by_minus_d), r13 = field.multiply(a[3][0], by_minus_d);
    const u32 sum = field.reduce((u64)a[3][0] * r02 + (u64)a[3][1] * r12);
    const u32 e = field.subtract(sum, a[3][2]);
    product = field.multiply(d, e);
    panel[elimination_lanes + lane] = field.inverse(e);
    panel[2 * elimination_lanes + lane] = r02;
    panel[3 * elimination_lanes + lane] = r03;
    panel[4 * elimination_lanes + lane] = r12;
    panel[5 * elimination_lanes + lane] = r13;
  }
  return product;
}

static __device__ void eliminate_skew_panel(const EliminationView& front, int k, int size, const u32* panel, int lane) {
  constexpr int n = elimination_tile;
  const EliminationField& field = front.field;
  const int first = k + size, below = tiles_of(front.rows - first);
  for (int t = front.warp; t < below; t += front.warps) {
    u32 tile[n][n], above[n][n];
    const int i = first + n * t;
    front.updated_tile(i, k, k, tile);
    const u32 by_d = panel[lane];
    UNROLL
    for (int a = 0; a < n; ++a) {
      above[0][a] = field.multiply(tile[a][1], by_d);
      above[1][a] = field.negative(field.multiply(tile[a][0], by_d));
    }
    if (size == n) {
      const u32 by_e = panel[elimination_lanes + lane];
      UNROLL
      for (int a = 0; a < n; ++a) {
        UNROLL
        for (int j = 2; j < n; ++j) {
          const u64 sum = (u64)tile[a][0] * panel[j * elimination_lanes + lane] +
                          (u64)tile[a][1] * panel[(2 + j) * elimination_lanes + lane];
          tile[a][j] = field.subtract(tile[a][j], field.reduce(sum));
        }
        above[2][a] = field.multiply(tile[a][3], by_e);
        above[3][a] = field.negative(field.multiply(tile[a][2], by_e));
      }
    }
    front.put_tile(i, k, front.rows, first, tile);
    front.put_tile(k, i, first, front.columns, above);
  }
}

// ---- Fronts.

// Gathers the entries that children left, each written once: maps say for every row and column where in a child it is.
template <bool skew>
static __device__ void gather_children(const EliminationView& front, const GpuFront& record, const GpuChild* children,
                                       const u32* maps, const u32* arena) {
  constexpr int batch = 8;  // entries on their way at once
  const EliminationField& field = front.field;
  for (int i = front.warp; i < front.rows; i += front.warps) {
    const int end = skew ? i : front.columns;
    for (int j = 0; j < end; j += batch) {
      u32 sum[batch];
      UNROLL
      for (int b = 0; b < batch; ++b) sum[b] = 0;
      for (unsigned c = 0; c < record.num_children; ++c) {
        const GpuChild child = children[record.first_child + c];
        const u32* const row_map = maps + child.first_map;
        const u32* const column_map = skew ? row_map : row_map + front.rows;
        const u32 row = row_map[i];
        if (row == elimination_nowhere) continue;
        UNROLL
        for (int b = 0; b < batch; ++b) {
          const u32 column = j + b < end ? column_map[j + b] : elimination_nowhere;
          if (column == elimination_nowhere) continue;
          const bool mirrored = skew && row < column;
          const u64 place = mirrored ? (u64)column * child.columns + row : (u64)row * child.columns + column;
          const u32 entry = arena[(child.place + place) * elimination_step];
          sum[b] = mirrored ? field.subtract(sum[b], entry) : field.add(sum[b], entry);
        }
      }
      UNROLL
      for (int b = 0; b < batch; ++b) {
        if (j + b < end) *front.at(i, j + b) = sum[b];
      }
    }
  }
}

// Blocks [0, count * groups): front first + block / groups modulo the primes of group block % groups.
template <bool skew>
__device__ void eliminate_front(const GpuFront* fronts, unsigned first, unsigned groups, const GpuChild* children,
                                const u32* maps, const EliminationEntry* sparse_entries, const u32* values,
                                unsigned num_values, const EliminationModulus* moduli, u32* arenas, u64 arena_entries) {
  constexpr int n = elimination_tile;
  SHARED(u32, panel, elimination_tile * elimination_tile * elimination_lanes);
  const int lane = threadIdx.x % elimination_lanes;
  const unsigned group = blockIdx.x % groups;
  const GpuFront record = fronts[first + blockIdx.x / groups];
  const EliminationModulus modulus = moduli[group * elimination_lanes + lane];
  u32* const arena = arenas + group * arena_entries * elimination_step + lane;

  EliminationView front;
  front.field = field_of(modulus);
  front.entries = arena + record.place * elimination_step;
  front.rows = record.rows;
  front.columns = record.columns;
  front.pivots = record.pivots;
  front.warp = threadIdx.x / elimination_lanes;
  front.warps = blockDim.x / elimination_lanes;
  const EliminationField& field = front.field;

  gather_children<skew>(front, record, children, maps, arena);
  __syncthreads();
  constexpr unsigned batch = 4;  // on their way at once; no two are for the same place
  for (unsigned e = batch * front.warp; e < record.num_entries; e += batch * front.warps) {
    u32* place[batch];
    u32 sum[batch];
    UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      if (e + b < record.num_entries) {
        const EliminationEntry entry = sparse_entries[record.first_entry + e + b];
        place[b] = front.at(entry.row, entry.column);
        sum[b] = field.add(*place[b], values[((u64)group * num_values + entry.value) * elimination_step + lane]);
      }
    }
    UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      if (e + b < record.num_entries) *place[b] = sum[b];
    }
  }
  __syncthreads();

  u32 product = field.one;  // warp 0's counts
  for (int k = 0; k < front.pivots; k += n) {
    const int size = front.pivots - k < n ? front.pivots - k : n;
    if (front.warp == 0) {
      const u32 pivots =
          skew ? factor_skew_corner(front, k, size, panel, lane) : factor_corner(front, k, size, panel, lane);
      product = field.multiply(product, pivots);
    }
    __syncthreads();
    if (skew) {
      eliminate_skew_panel(front, k, size, panel, lane);
    } else {
      eliminate_panel(front, k, size, panel, lane);
    }
    __syncthreads();
  }

  // Updates the rest. Tiles in strips of four, so that those at work at a time share rows and columns.
  constexpr int strip = 4;
  const int down = tiles_of(front.rows - front.pivots), across = tiles_of(front.columns - front.pivots);
  for (int t = front.warp; front.pivots > 0 && t < down * across; t += front.warps) {
    const int which = t / (strip * down), rest = t - which * strip * down;
    const int width = across - which * strip < strip ? across - which * strip : strip;
    const int i = front.pivots + n * (rest / width), j = front.pivots + n * (which * strip + rest % width);
    if (skew && j > i) continue;
    u32 tile[n][n];
    front.updated_tile(i, j, front.pivots, tile);
    front.put_tile(i, j, front.rows, front.columns, tile);
  }

  if (front.warp == 0) {
    for (unsigned c = 0; c < record.num_children; ++c) {
      product = field.multiply(product, arena[children[record.first_child + c].product * elimination_step]);
    }
    *front.at(front.rows, 0) = product;
  }
}

// Returns the residue in Montgomery's form.
static __device__ u32 residue_of(const EliminationPart& part, const u32* words, const EliminationModulus& modulus) {
  const EliminationField field = field_of(modulus);
  u32 value = 0;
  for (u32 w = part.end; w > part.begin; --w)  // value 2^32 + word
    value = field.add(field.multiply(value, modulus.to_montgomery), words[w - 1] % field.prime);
  value = field.multiply(value, modulus.to_montgomery);
  return part.negative ? field.negative(value) : value;
}

// Reduces values, each of one part or of a real and an imaginary one: residues[(group * num_values + i) * lanes +
// lane].
static __device__ void reduce_elimination_values(const EliminationPart* parts, unsigned parts_of_value,
                                                 const u32* words, unsigned num_values,
                                                 const EliminationModulus* moduli, u32* residues) {
  const unsigned group = blockIdx.x, lane = threadIdx.x % elimination_lanes;
  const EliminationModulus modulus = moduli[group * elimination_lanes + lane];
  const EliminationField field = field_of(modulus);
  for (unsigned i = threadIdx.x / elimination_lanes; i < num_values; i += blockDim.x / elimination_lanes) {
    u32 value = residue_of(parts[parts_of_value * i], words, modulus);
    if (parts_of_value == 2) {
      const u32 imaginary = residue_of(parts[parts_of_value * i + 1], words, modulus);
      value = field.add(value, field.multiply(modulus.root, imaginary));
    }
    residues[((u64)group * num_values + i) * elimination_step + lane] = value;
  }
}

// Multiplies the roots [first, first + count): a block a group, a thread a lane.
static __device__ void multiply_roots(const GpuFront* fronts, unsigned first, unsigned count,
                                      const EliminationModulus* moduli, const u32* arenas, u64 arena_entries,
                                      u32* results) {
  const unsigned group = blockIdx.x, lane = threadIdx.x;
  const EliminationModulus modulus = moduli[group * elimination_lanes + lane];
  const EliminationField field = field_of(modulus);
  const u32* const arena = arenas + group * arena_entries * elimination_step + lane;
  u32 product = field.one;
  for (unsigned root = first; root < first + count; ++root) {
    const u64 place = fronts[root].place + (u64)fronts[root].rows * fronts[root].columns;
    product = field.multiply(product, arena[place * elimination_step]);
  }
  results[group * elimination_lanes + lane] = field.reduce(product);
}
