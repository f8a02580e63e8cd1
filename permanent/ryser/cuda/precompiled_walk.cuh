// Has the walk of precompiled kernels, which take the matrix as data; kernel_library.cuh and walk_frame.hpp stand in
// front.
//
// The low bits of the Gray code make a block of 2^LOW leaves that a thread computes side by side, each with products of
// its own over the rows that those bits touch; the other rows are multiplied once for the block. Row sums are in shared
// memory, a column for each thread: registers can't be indexed by a row that is known at run time only.

using matchcount::gpu::WalkFrame;

// One, of a number or of a product's start.
template <class T>
struct One {
  static MC_DEVICE T value() { return (T)1; }
};
template <>
struct One<DD> {
  static MC_DEVICE DD value() { return {1, 0}; }
};
template <class T>
struct One<Complex<T>> {
  static MC_DEVICE Complex<T> value() { return {One<T>::value(), T{}}; }
};

// Row sums of a thread, and what all threads of a block share.
template <class Row>
struct Rows {
  Row* x;
  int stride;          // threads
  const Row* low;      // [row][LOW]: what turning on a low bit adds
  const Row* special;  // by row

  MC_DEVICE Row& operator[](int row) const { return x[row * stride]; }
};

// Calls visit(k, row sum of leaf k) for all leaves of a block.
template <int LOW, class Block, class Row, class Visit>
MC_DEVICE void for_leaves(const Block& block, const Rows<Row>& rows, int row, const Visit& visit) {
  Row x = rows[row];
  visit(0, value_of(x));
  MC_UNROLL
  for (int k = 1; k < 1 << LOW; ++k) {
    const int bit = k & 1 ? 0 : k & 2 ? 1 : 2;
    x = block.turn(x, rows.low[row * LOW + bit], ((k ^ k >> 1) >> bit & 1) != 0);
    visit(k, value_of(x));
  }
}

// ---- Reals (pairs) and complex numbers (none).

template <class T, bool COMPENSATED>
struct FieldBlock {
  typedef T Row;
  typedef FieldSum<COMPENSATED> Sum;
  static constexpr bool doubled = sizeof(T) / (is_real<T>::value ? 1 : 2) != sizeof(double);
  static constexpr int low_bits = doubled ? 2 : 3, leaves = 1 << low_bits;
  static constexpr int primes = 0;
  static constexpr bool pairs = is_real<T>::value, rows_of_pass = false;

  MC_DEVICE void start(const double*) {}
  MC_DEVICE T turn(const T& x, const T& c, bool on) const { return turned(x, c, on); }
  MC_DEVICE T settled(const T& x) const { return x; }

  static MC_DEVICE void multiply(Pair<T>& p, const T& x, const T& c, bool unit) {
    p = unit ? pair_row<T>(p, x) : pair_row<T>(p, x, c);
  }

  MC_DEVICE void block(const WalkFrame& frame, const Rows<T>& rows, Sum& sum, bool negative) const {
    const int* const group = frame.first_group;
    const int* const row_of = frame.first_row;
    const T one = One<T>::value();

    // `still` is the product of the rows that no low bit touches. Without a special column the pair starts as t, so
    // that the rest need not know.
    T still = one;
    double still_size = 1;
    Pair<T> pair = frame.has_special ? Pair<T>{one, T{}} : Pair<T>{T{}, one};
    if (pairs) {
      for (int row = row_of[group[WalkFrame::special_still]]; row < row_of[group[WalkFrame::special_still + 1]]; ++row)
        multiply(pair, value_of(rows[row]), rows.special[row], frame.unit_special);
    }
    for (int g = group[WalkFrame::plain_still]; g < group[WalkFrame::plain_still + 1]; ++g) {
      T product = value_of(rows[row_of[g]]);
      for (int row = row_of[g] + 1; row < row_of[g + 1]; ++row) product = product * value_of(rows[row]);
      still = still * product;
      if (frame.floors) still_size *= fma(bulk(product), frame.scale[g], frame.floor[g]);
    }
    if (!frame.floors) still_size = bulk(still);
    if (pairs) still_size *= bulk(pair);
    if (frame.skip_zeros && whole_warp(is_zero(still) || (pairs && is_zero(pair)))) {
      sum.size_skipped(still_size * frame.skipped_size);
      return;
    }

    Pair<T> p[leaves];
    MC_UNROLL
    for (int k = 0; k < leaves; ++k) p[k] = {one, T{}};
    if (pairs) {
      const int end = row_of[group[WalkFrame::special_moving + 1]];
      for (int row = row_of[group[WalkFrame::special_moving]]; row < end; ++row) {
        const T c = rows.special[row];
        for_leaves<low_bits>(*this, rows, row, [&](int k, const T& x) { multiply(p[k], x, c, frame.unit_special); });
      }
    }
    T product[leaves];
    double size[leaves];
    MC_UNROLL
    for (int k = 0; k < leaves; ++k) {
      product[k] = one;
      size[k] = 1;
    }
    for (int g = group[WalkFrame::plain_moving]; g < group[WalkFrame::plain_moving + 1]; ++g) {
      T part[leaves];
      for_leaves<low_bits>(*this, rows, row_of[g], [&](int k, const T& x) { part[k] = x; });
      for (int row = row_of[g] + 1; row < row_of[g + 1]; ++row)
        for_leaves<low_bits>(*this, rows, row, [&](int k, const T& x) { part[k] = part[k] * x; });
      MC_UNROLL
      for (int k = 0; k < leaves; ++k) {
        product[k] = product[k] * part[k];
        if (frame.floors) size[k] *= fma(bulk(part[k]), frame.scale[g], frame.floor[g]);
      }
    }
    Pair<T> total{T{}, T{}};
    double total_size = 0;
    MC_UNROLL
    for (int k = 0; k < leaves; ++k) {
      const double plain_size = frame.floors ? size[k] : bulk(product[k]);
      if (pairs) {
        const Pair<T> leaf = pair_scale<T>(p[k], product[k]);
        total = {add_sub(total.f0, leaf.f0, k & 1), add_sub(total.f1, leaf.f1, k & 1)};
        total_size += bulk(p[k]) * plain_size;
      } else {
        total.f0 = add_sub(total.f0, product[k], k & 1);
        total_size += plain_size;
      }
    }
    sum.add((pairs ? second_of_product<T>(total, pair) : total.f0) * still, total_size * still_size, negative);
  }

 private:
  static MC_DEVICE T add_sub(const T& a, const T& b, bool subtract) { return subtract ? a - b : a + b; }
};

// ---- Integers, modulo several primes p with 2^47.9 < p < 2^48, each residue r a double with |r| <= 2^49.

struct Prime {
  double p, inverse;

  // Returns a b, for |a| <= 2^49 and |b| <= 2^50. The quotient is at most 2^51.1, its error 3 / 2^53 of it and a
  // rounding to integers: at most 1.3, so that the rest is at most 1.3 p, exactly; and the product's rounding is at
  // most 2^46. In all less than 2^48.6.
  MC_DEVICE double multiply(double a, double b) const {
    const double high = rounded_product(a, b);
    const double low = fma(a, b, -high);
    const double quotient = rint(high * inverse);
    return fma(-quotient, p, high) + low;
  }
  // |a| <= 2^52; at most p / 2 and a little.
  MC_DEVICE double reduce(double a) const { return fma(-rint(a * inverse), p, a); }
};

// A sum for each prime, of 96 bits: 2^25 leaves of a task come to less than 2^78.
template <int PRIMES>
struct ResidueSum {
  static constexpr int out_words = 3 * PRIMES;
  typedef unsigned Out;
  IntegerSum<3> of[PRIMES];

  MC_DEVICE void clear() {
    MC_UNROLL
    for (int i = 0; i < PRIMES; ++i) of[i].clear();
  }
  MC_DEVICE void settle(bool) {}
  MC_DEVICE void finish(bool negative) {
    MC_UNROLL
    for (int i = 0; i < PRIMES; ++i) of[i].finish(negative);
  }
  MC_DEVICE void join(const ResidueSum& other) {
    MC_UNROLL
    for (int i = 0; i < PRIMES; ++i) of[i].join(other.of[i]);
  }
  MC_DEVICE void write(Out* out) const {
    MC_UNROLL
    for (int i = 0; i < PRIMES; ++i) of[i].write(out + 3 * i);
  }
};

// Products of a group of rows are exact in a double, at most 2^49. RESIDUES: row sums are themselves residues modulo
// the one prime, for entries so large that they would not be exact.
template <int PRIMES, bool RESIDUES>
struct ExactBlock {
  typedef double Row;
  typedef ResidueSum<PRIMES> Sum;
  static constexpr int low_bits = 2, leaves = 1 << low_bits;
  static constexpr int primes = PRIMES;
  static constexpr bool rows_of_pass = RESIDUES;

  Prime prime[PRIMES];

  MC_DEVICE void start(const double* moduli) {
    MC_UNROLL
    for (int i = 0; i < PRIMES; ++i) prime[i] = {moduli[2 * i], moduli[2 * i + 1]};
  }
  MC_DEVICE double turn(double x, double c, bool on) const { return turned(x, c, on); }
  // Reduces a number before it is written back. Within a block the two low bits take a residue to 3/2 p at most, which
  // will do.
  MC_DEVICE double settled(double x) const { return RESIDUES ? prime[0].reduce(x) : x; }

  struct Residues {
    double of[PRIMES];
  };
  MC_DEVICE void multiply(Residues& a, double b, bool first) const {
    MC_UNROLL
    for (int i = 0; i < PRIMES; ++i) a.of[i] = first ? b : prime[i].multiply(a.of[i], b);
  }
  MC_DEVICE void multiply(Residues& f0, Residues& f1, const Pair<double>& by, bool first) const {
    MC_UNROLL
    for (int i = 0; i < PRIMES; ++i) {
      const double second =
          first ? by.f1 : prime[i].reduce(prime[i].multiply(f0.of[i], by.f1) + prime[i].multiply(f1.of[i], by.f0));
      f0.of[i] = first ? by.f0 : prime[i].multiply(f0.of[i], by.f0);
      f1.of[i] = second;
    }
  }
  // Multiplies dual numbers, exactly.
  static MC_DEVICE Pair<double> pair_product(const Pair<double>& a, double x, double c) {
    return {a.f0 * x, a.f1 * x + a.f0 * c};
  }

  MC_DEVICE void block(const WalkFrame& frame, const Rows<double>& rows, Sum& sum, bool negative) const {
    const int* const group = frame.first_group;
    const int* const row_of = frame.first_row;

    bool zero = false;
    Residues still, pair0, pair1;
    MC_UNROLL
    for (int i = 0; i < PRIMES; ++i) {
      still.of[i] = 1;
      pair0.of[i] = frame.has_special ? 1 : 0;
      pair1.of[i] = frame.has_special ? 0 : 1;
    }
    for (int g = group[WalkFrame::special_still]; g < group[WalkFrame::special_still + 1]; ++g) {
      Pair<double> product{rows[row_of[g]], rows.special[row_of[g]]};
      for (int row = row_of[g] + 1; row < row_of[g + 1]; ++row)
        product = pair_product(product, rows[row], rows.special[row]);
      zero = zero || is_zero(product);
      multiply(pair0, pair1, product, g == group[WalkFrame::special_still]);
    }
    for (int g = group[WalkFrame::plain_still]; g < group[WalkFrame::plain_still + 1]; ++g) {
      double product = rows[row_of[g]];
      for (int row = row_of[g] + 1; row < row_of[g + 1]; ++row) product *= rows[row];
      zero = zero || product == 0;
      multiply(still, product, g == group[WalkFrame::plain_still]);
    }
    if (frame.skip_zeros && whole_warp(zero)) return;

    Residues p0[leaves], p1[leaves], plain[leaves];
    MC_UNROLL
    for (int k = 0; k < leaves; ++k) {
      MC_UNROLL
      for (int i = 0; i < PRIMES; ++i) {
        p0[k].of[i] = plain[k].of[i] = 1;
        p1[k].of[i] = 0;
      }
    }
    for (int g = group[WalkFrame::special_moving]; g < group[WalkFrame::special_moving + 1]; ++g) {
      Pair<double> product[leaves];
      const double c = rows.special[row_of[g]];
      for_leaves<low_bits>(*this, rows, row_of[g], [&](int k, double x) { product[k] = {x, c}; });
      for (int row = row_of[g] + 1; row < row_of[g + 1]; ++row) {
        const double by = rows.special[row];
        for_leaves<low_bits>(*this, rows, row, [&](int k, double x) { product[k] = pair_product(product[k], x, by); });
      }
      MC_UNROLL
      for (int k = 0; k < leaves; ++k) multiply(p0[k], p1[k], product[k], g == group[WalkFrame::special_moving]);
    }
    for (int g = group[WalkFrame::plain_moving]; g < group[WalkFrame::plain_moving + 1]; ++g) {
      double product[leaves];
      for_leaves<low_bits>(*this, rows, row_of[g], [&](int k, double x) { product[k] = x; });
      for (int row = row_of[g] + 1; row < row_of[g + 1]; ++row)
        for_leaves<low_bits>(*this, rows, row, [&](int k, double x) { product[k] *= x; });
      MC_UNROLL
      for (int k = 0; k < leaves; ++k) multiply(plain[k], product[k], g == group[WalkFrame::plain_moving]);
    }
    const bool any_special = group[WalkFrame::special_moving] < group[WalkFrame::special_moving + 1];
    const bool any_plain = group[WalkFrame::plain_moving] < group[WalkFrame::plain_moving + 1];
    MC_UNROLL
    for (int i = 0; i < PRIMES; ++i) {
      const Prime& m = prime[i];
      double total0 = 0, total1 = 0;
      MC_UNROLL
      for (int k = 0; k < leaves; ++k) {
        const double sign = k & 1 ? -1 : 1;
        if (!any_special) {
          total0 += sign * plain[k].of[i];
        } else {
          total0 += sign * (any_plain ? m.multiply(p0[k].of[i], plain[k].of[i]) : p0[k].of[i]);
          total1 += sign * (any_plain ? m.multiply(p1[k].of[i], plain[k].of[i]) : p1[k].of[i]);
        }
      }
      total0 = m.reduce(total0);
      total1 = m.reduce(total1);
      const double second = m.reduce(m.multiply(total0, pair1.of[i]) + m.multiply(total1, pair0.of[i]));
      sum.of[i].add((s64)m.multiply(second, still.of[i]), 0, negative);
    }
  }
};

// ---- The loop of a thread.

template <class Block>
MC_DEVICE void walk_chunk(const Block& block, const WalkFrame& frame, u64 chunk, const typename Block::Row* base,
                          const typename Block::Row* columns, const unsigned char* touched,
                          const Rows<typename Block::Row>& rows, typename Block::Sum& sum) {
  const auto flip = [&](int bit, bool on) {
    const typename Block::Row* const column = columns + bit * frame.rows;
    for (int i = frame.first_touched[bit]; i < frame.first_touched[bit + 1]; ++i) {
      const int row = touched[i];
      rows[row] = block.settled(block.turn(rows[row], column[row], on));
    }
  };
  for (int row = 0; row < frame.rows; ++row) rows[row] = base[row];
  for (int bit = frame.walk_bits; bit < frame.bits; ++bit) {
    if (chunk >> (bit - frame.walk_bits) & 1) flip(bit, true);
  }
  sum.clear();
  const unsigned end = 1u << (frame.walk_bits - Block::low_bits);
  for (unsigned step = 0;;) {
    block.block(frame, rows, sum, step & 1);
    ++step;
    sum.settle((step & 15) == 0);
    if (step == end) break;
    const int turning = lowest_bit(step);
    flip(turning + Block::low_bits, (step ^ step >> 1) >> turning & 1);
  }
  sum.finish(odd_parity(chunk));
}

// PrecompiledWork is a kernel's argument. Passes have moduli of their own, and where row sums are residues, rows too.
template <class Block>
struct PrecompiledWork {
  typedef typename Block::Row Row;
  const WalkFrame& frame;
  const Row* base;       // row sums with all bits off
  const Row* columns;    // [bit][row]: what turning a bit on adds
  const Row* special;    // by row
  const double* moduli;  // [prime]: p, 1 / p
  const unsigned char* touched;
  Row* memory;  // of the block of threads: rows * (threads + low_bits + 1)
  Block block;
  int pass;

  MC_DEVICE Row* low() const { return memory + frame.rows * thread_count(); }
  MC_DEVICE Row* low_special() const { return low() + frame.rows * Block::low_bits; }

  MC_DEVICE void prepare(u64 first_chunk) {
    pass = (int)(first_chunk >> frame.log2_pass_chunks);
    block.start(moduli + 2 * Block::primes * pass);
    if (!Block::rows_of_pass) pass = 0;
    const Row* const column = columns + pass * frame.bits * frame.rows;
    for (int i = thread_index(); i < frame.rows * Block::low_bits; i += thread_count())
      low()[i] = column[i % Block::low_bits * frame.rows + i / Block::low_bits];
    for (int row = thread_index(); row < frame.rows; row += thread_count())
      low_special()[row] = special[pass * frame.rows + row];
    thread_barrier();
  }
  MC_DEVICE void operator()(u64 chunk, typename Block::Sum& sum) {
    chunk &= ((u64)1 << frame.log2_pass_chunks) - 1;
    if (chunk >> (frame.bits - frame.walk_bits)) {  // a pass is filled up to whole tasks
      sum.clear();
      return;
    }
    const Rows<Row> rows{memory + thread_index(), thread_count(), low(), low_special()};
    walk_chunk(block, frame, chunk, base + pass * frame.rows, columns + pass * frame.bits * frame.rows, touched, rows,
               sum);
  }
};
