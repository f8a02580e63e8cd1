// Defines the part that all kernels share, which begin with this text: numbers, and the loop over tasks. A host compiler
// takes it too, for tests, where one call is one thread. It includes no header, since NVRTC has none.

#ifdef __CUDACC__
#define MC_DEVICE __device__ __forceinline__
#define MC_UNROLL _Pragma("unroll")
#else
#define MC_DEVICE inline
#define MC_UNROLL
#endif

typedef unsigned long long u64;
typedef long long s64;

// ---- Integers of K words of 32 bits, two's complement, modulo 2^(32 K).

template <int K>
struct Wide {
  static constexpr int words = K;
  unsigned w[K];
};

template <class A>
struct words_of {
  static constexpr int value = A::words;
};
template <>
struct words_of<int> {
  static constexpr int value = 1;
};
template <>
struct words_of<s64> {
  static constexpr int value = 2;
};

MC_DEVICE unsigned word(int a, int i) { return i == 0 ? (unsigned)a : (unsigned)(a >> 31); }
MC_DEVICE unsigned word(s64 a, int i) {
  return i == 0 ? (unsigned)a : i == 1 ? (unsigned)(a >> 32) : (unsigned)(a >> 63);
}
template <int K>
MC_DEVICE unsigned word(const Wide<K>& a, int i) {
  return i < K ? a.w[i] : (unsigned)((int)a.w[K - 1] >> 31);
}

template <int K, class A>
MC_DEVICE Wide<K> widened(const A& a) {
  Wide<K> r;
  MC_UNROLL
  for (int i = 0; i < K; ++i) r.w[i] = word(a, i);
  return r;
}

// Returns a + b, or a - b with subtract = 1.
template <int K, class A, class B>
MC_DEVICE Wide<K> wide_sum(const A& a, const B& b, bool subtract) {
  Wide<K> r;
  const unsigned flip = subtract ? ~0u : 0u;
  unsigned carry = subtract ? 1 : 0;
  MC_UNROLL
  for (int i = 0; i < K; ++i) {
    const u64 sum = (u64)word(a, i) + (word(b, i) ^ flip) + carry;
    r.w[i] = (unsigned)sum;
    carry = (unsigned)(sum >> 32);
  }
  return r;
}

// Multiplies modulo 2^(32 K): the product of the words as they are, less what negative factors add to it.
template <int K, class A, class B>
MC_DEVICE Wide<K> wide_product(const A& a, const B& b) {
  constexpr int na = words_of<A>::value, nb = words_of<B>::value;
  Wide<K> r;
  MC_UNROLL
  for (int i = 0; i < K; ++i) r.w[i] = 0;
  MC_UNROLL
  for (int i = 0; i < na; ++i) {
    unsigned carry = 0;
    MC_UNROLL
    for (int j = 0; j < nb; ++j) {
      if (i + j < K) {
        const u64 t = (u64)word(a, i) * word(b, j) + r.w[i + j] + carry;
        r.w[i + j] = (unsigned)t;
        carry = (unsigned)(t >> 32);
      }
    }
    if (i + nb < K) r.w[i + nb] = carry;
  }
  const unsigned a_negative = word(a, na), b_negative = word(b, nb);
  unsigned borrow_a = 0, borrow_b = 0;
  MC_UNROLL
  for (int i = 0; i < K; ++i) {
    if (i >= na) {
      const u64 t = (u64)r.w[i] - (word(b, i - na) & a_negative) - borrow_a;
      r.w[i] = (unsigned)t;
      borrow_a = (unsigned)(t >> 63);
    }
    if (i >= nb) {
      const u64 t = (u64)r.w[i] - (word(a, i - nb) & b_negative) - borrow_b;
      r.w[i] = (unsigned)t;
      borrow_b = (unsigned)(t >> 63);
    }
  }
  return r;
}

// ---- Two doubles (core/numbers/pair.hpp) and complex numbers.

struct DD {
  double hi, lo;
};
MC_DEVICE DD two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
MC_DEVICE DD fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}
MC_DEVICE DD operator-(DD a) { return {-a.hi, -a.lo}; }
MC_DEVICE DD operator+(DD a, DD b) {
  const DD s = two_sum(a.hi, b.hi);
  const DD t = two_sum(a.lo, b.lo);
  const DD v = fast_two_sum(s.hi, s.lo + t.hi);
  return fast_two_sum(v.hi, t.lo + v.lo);
}
MC_DEVICE DD operator-(DD a, DD b) { return a + (-b); }
// Computes a product that no compiler fuses with the sum it goes into: where it is used twice, both must be the same.
MC_DEVICE double rounded_product(double a, double b) {
#ifdef __CUDACC__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
MC_DEVICE DD operator*(DD a, DD b) {
  const double p = rounded_product(a.hi, b.hi);
  const double e = fma(a.hi, b.hi, -p);
  return fast_two_sum(p, e + fma(a.hi, b.lo, a.lo * b.hi));
}

template <class T>
struct Complex {
  T re, im;
};
template <class T>
MC_DEVICE Complex<T> operator-(Complex<T> a) {
  return {-a.re, -a.im};
}
template <class T>
MC_DEVICE Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
MC_DEVICE Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
MC_DEVICE Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// ---- Row sums: sums of entries are exact, component by component, and become numbers when they are multiplied.

MC_DEVICE double value_of(double x) { return x; }
MC_DEVICE int value_of(int x) { return x; }
MC_DEVICE s64 value_of(s64 x) { return x; }
template <int K>
MC_DEVICE Wide<K> value_of(const Wide<K>& x) {
  return x;
}
MC_DEVICE DD value_of(DD x) { return two_sum(x.hi, x.lo); }
template <class T>
MC_DEVICE Complex<T> value_of(Complex<T> x) {
  return {value_of(x.re), value_of(x.im)};
}

MC_DEVICE double moved(double x, double c) { return x + c; }
MC_DEVICE int moved(int x, int c) { return x + c; }
MC_DEVICE s64 moved(s64 x, s64 c) { return x + c; }
template <int K>
MC_DEVICE Wide<K> moved(const Wide<K>& x, const Wide<K>& c) {
  return wide_sum<K>(x, c, false);
}
MC_DEVICE DD moved(DD x, DD c) { return {x.hi + c.hi, x.lo + c.lo}; }
template <class T>
MC_DEVICE Complex<T> moved(Complex<T> x, Complex<T> c) {
  return {moved(x.re, c.re), moved(x.im, c.im)};
}

// Returns x + c or x - c.
MC_DEVICE double turned(double x, double c, bool on) { return fma(on ? 1.0 : -1.0, c, x); }
MC_DEVICE int turned(int x, int c, bool on) { return x + (on ? 1 : -1) * c; }
MC_DEVICE s64 turned(s64 x, s64 c, bool on) { return on ? x + c : x - c; }
template <int K>
MC_DEVICE Wide<K> turned(const Wide<K>& x, const Wide<K>& c, bool on) {
  return wide_sum<K>(x, c, !on);
}
MC_DEVICE DD turned(DD x, DD c, bool on) { return {turned(x.hi, c.hi, on), turned(x.lo, c.lo, on)}; }
template <class T>
MC_DEVICE Complex<T> turned(Complex<T> x, Complex<T> c, bool on) {
  return {turned(x.re, c.re, on), turned(x.im, c.im, on)};
}

// ---- Products and differences, of result type R.

template <class R>
struct Result {
  template <class A, class B>
  static MC_DEVICE R product(const A& a, const B& b) {
    return (R)a * (R)b;
  }
  template <class A, class B>
  static MC_DEVICE R sum(const A& a, const B& b, bool subtract) {
    return subtract ? (R)a - (R)b : (R)a + (R)b;
  }
  template <class A>
  static MC_DEVICE R of(const A& a) {
    return (R)a;
  }
};
template <int K>
struct Result<Wide<K>> {
  template <class A, class B>
  static MC_DEVICE Wide<K> product(const A& a, const B& b) {
    return wide_product<K>(a, b);
  }
  template <class A, class B>
  static MC_DEVICE Wide<K> sum(const A& a, const B& b, bool subtract) {
    return wide_sum<K>(a, b, subtract);
  }
  template <class A>
  static MC_DEVICE Wide<K> of(const A& a) {
    return widened<K>(a);
  }
};
template <class R, class A, class B>
MC_DEVICE R mul(const A& a, const B& b) {
  return Result<R>::product(a, b);
}
template <class R, class A, class B>
MC_DEVICE R add(const A& a, const B& b) {
  return Result<R>::sum(a, b, false);
}
template <class R, class A, class B>
MC_DEVICE R sub(const A& a, const B& b) {
  return Result<R>::sum(a, b, true);
}

// ---- Pairs: f0 + f1 t with t^2 = -1 (reals) or 0 (integers). A row with an entry c in the special column is the pair
// (row sum, c), and what is summed is the f1 of the product: other powers of t cancel over all subsets.

template <class T>
struct Pair {
  T f0, f1;
};
template <class T>
struct is_real {
  static constexpr bool value = false;
};
template <>
struct is_real<double> {
  static constexpr bool value = true;
};
template <>
struct is_real<DD> {
  static constexpr bool value = true;
};
template <class R, class X, class C>
MC_DEVICE Pair<R> pair_start(const X& x, const C& c) {
  return {Result<R>::of(x), Result<R>::of(c)};
}
template <class R, class T, class X>
MC_DEVICE Pair<R> pair_row(const Pair<T>& p, const X& x) {
  const R f0 = mul<R>(p.f0, x);
  return {is_real<R>::value ? sub<R>(f0, p.f1) : f0, add<R>(mul<R>(p.f1, x), p.f0)};
}
template <class R, class T, class X, class C>
MC_DEVICE Pair<R> pair_row(const Pair<T>& p, const X& x, const C& c) {
  const R f0 = mul<R>(p.f0, x);
  return {is_real<R>::value ? sub<R>(f0, mul<R>(p.f1, c)) : f0, add<R>(mul<R>(p.f1, x), mul<R>(p.f0, c))};
}
template <class R, class T, class S>
MC_DEVICE Pair<R> pair_scale(const Pair<T>& p, const S& s) {
  return {mul<R>(p.f0, s), mul<R>(p.f1, s)};
}
template <class R, class T, class S>
MC_DEVICE R second_of_product(const Pair<T>& p, const Pair<S>& q) {
  return add<R>(mul<R>(p.f0, q.f1), mul<R>(p.f1, q.f0));
}
template <class R, class T, class S>
MC_DEVICE Pair<R> pair_multiply(const Pair<T>& p, const Pair<S>& q) {
  const R f0 = mul<R>(p.f0, q.f0);
  return {is_real<R>::value ? sub<R>(f0, mul<R>(p.f1, q.f1)) : f0, second_of_product<R>(p, q)};
}
template <class R, class T, class S>
MC_DEVICE Pair<R> pair_subtract(const Pair<T>& p, const Pair<S>& q) {
  return {sub<R>(p.f0, q.f0), sub<R>(p.f1, q.f1)};
}

// ---- Ends: what a pair of reals is at t = 1 and at t = -1. Half of their difference is its odd powers, of which only
// the first is left over all subsets. Products of ends are two products, and a row costs two operations that read two
// numbers each: those of pairs read three, for which a double-precision unit takes three cycles in place of two.

struct Ends {
  double plus, minus;
};
MC_DEVICE Ends ends_start(double x, double c) { return {x + c, x - c}; }
// Returns the ends of a row whose special entry is 1.
MC_DEVICE Ends ends_row(const Ends& e, double x) { return {fma(e.plus, x, e.plus), fma(e.minus, x, -e.minus)}; }
MC_DEVICE Ends ends_row(const Ends& e, double x, double c) { return {e.plus * (x + c), e.minus * (x - c)}; }
MC_DEVICE Ends ends_scale(const Ends& e, double s) { return {e.plus * s, e.minus * s}; }
MC_DEVICE Ends ends_multiply(const Ends& a, const Ends& b) { return {a.plus * b.plus, a.minus * b.minus}; }
MC_DEVICE Ends ends_subtract(const Ends& a, const Ends& b) { return {a.plus - b.plus, a.minus - b.minus}; }
MC_DEVICE double difference_of(const Ends& e) { return e.plus - e.minus; }
MC_DEVICE double difference_of_product(const Ends& a, const Ends& b) {
  return fma(a.plus, b.plus, -(a.minus * b.minus));
}

// ---- Magnitudes: at least |value|, times a power of two that keeps them near 1, plus the floor that covers the
// absolute error of the rows in it. Floats beside scalars: they need 20 bits of range to spare, not of precision.

MC_DEVICE double bulk(double x) { return fabs(x); }
MC_DEVICE double bulk(DD x) { return fabs(x.hi); }
template <class T>
MC_DEVICE double bulk(Complex<T> x) {
  return bulk(x.re) + bulk(x.im);
}
template <class T>
MC_DEVICE double bulk(const Pair<T>& p) {
  return bulk(p.f0) + bulk(p.f1);
}
MC_DEVICE double bulk(const Ends& e) { return fabs(e.plus) + fabs(e.minus); }
template <class T>
MC_DEVICE float size_of(const T& x, float scale, float floor) {
  return fmaf((float)bulk(x), scale, floor);
}
// The same where the value may be out of a float's range.
template <class T>
MC_DEVICE float size_of(const T& x, double scale, float floor) {
  return (float)(bulk(x) * scale) + floor;
}

MC_DEVICE bool is_zero(double x) { return x == 0; }
MC_DEVICE bool is_zero(int x) { return x == 0; }
MC_DEVICE bool is_zero(s64 x) { return x == 0; }
MC_DEVICE bool is_zero(DD x) { return x.hi == 0; }
template <int K>
MC_DEVICE bool is_zero(const Wide<K>& x) {
  unsigned any = 0;
  MC_UNROLL
  for (int i = 0; i < K; ++i) any |= x.w[i];
  return any == 0;
}
template <class T>
MC_DEVICE bool is_zero(const Complex<T>& x) {
  return is_zero(x.re) && is_zero(x.im);
}
template <class T>
MC_DEVICE bool is_zero(const Pair<T>& p) {
  return is_zero(p.f0) && is_zero(p.f1);
}
MC_DEVICE bool is_zero(const Ends& e) { return is_zero(e.plus) && is_zero(e.minus); }
// A host runs one thread.
MC_DEVICE bool whole_warp(bool here) {
#ifdef __CUDACC__
  return __all_sync(__activemask(), here);
#else
  return here;
#endif
}

// ---- Sums of blocks over a thread, and of threads over a task.

template <int K>
struct IntegerSum {
  static constexpr int out_words = K;
  typedef unsigned Out;
  Wide<K> total;

  MC_DEVICE void clear() {
    MC_UNROLL
    for (int i = 0; i < K; ++i) total.w[i] = 0;
  }
  template <class V>
  MC_DEVICE void add(const V& value, double, bool negative) {
    total = wide_sum<K>(total, value, negative);
  }
  MC_DEVICE void size_skipped(double) {}
  MC_DEVICE void settle(bool) {}
  MC_DEVICE void finish(bool negative) {
    if (negative) {
      Wide<K> zero;
      MC_UNROLL
      for (int i = 0; i < K; ++i) zero.w[i] = 0;
      total = wide_sum<K>(zero, total, true);
    }
  }
  MC_DEVICE void join(const IntegerSum& other) { total = wide_sum<K>(total, other.total, false); }
  MC_DEVICE void write(Out* out) const {
    MC_UNROLL
    for (int i = 0; i < K; ++i) out[i] = total.w[i];
  }
};

// recent: a few blocks in plain doubles, so that what is added in two doubles is seldom; COMPENSATED: none.
template <bool COMPENSATED>
struct FieldSum {
  static constexpr int out_words = 5;
  typedef double Out;
  DD re, im;
  double recent_re, recent_im, size;

  MC_DEVICE void clear() {
    re = im = {0, 0};
    recent_re = recent_im = size = 0;
  }
  MC_DEVICE void add(double value, double bulk, bool negative) {
    const double v = negative ? -value : value;
    if (COMPENSATED) {
      const DD s = two_sum(re.hi, v);
      re = {s.hi, re.lo + s.lo};
    } else {
      recent_re += v;
    }
    size += bulk;
  }
  MC_DEVICE void add(DD value, double bulk, bool negative) {
    re = re + (negative ? -value : value);
    size += bulk;
  }
  MC_DEVICE void add(const Complex<double>& value, double bulk, bool negative) {
    recent_re += negative ? -value.re : value.re;
    recent_im += negative ? -value.im : value.im;
    size += bulk;
  }
  MC_DEVICE void add(const Complex<DD>& value, double bulk, bool negative) {
    re = re + (negative ? -value.re : value.re);
    im = im + (negative ? -value.im : value.im);
    size += bulk;
  }
  MC_DEVICE void size_skipped(double bulk) { size += bulk; }
  MC_DEVICE void settle(bool now) {
    if (!now) return;
    DD s = two_sum(re.hi, recent_re);
    re = {s.hi, re.lo + s.lo};
    s = two_sum(im.hi, recent_im);
    im = {s.hi, im.lo + s.lo};
    recent_re = recent_im = 0;
  }
  MC_DEVICE void finish(bool negative) {
    settle(true);
    re = fast_two_sum(re.hi, re.lo);
    im = fast_two_sum(im.hi, im.lo);
    if (negative) {
      re = -re;
      im = -im;
    }
  }
  MC_DEVICE void join(const FieldSum& other) {
    re = re + other.re;
    im = im + other.im;
    size += other.size;
  }
  MC_DEVICE void write(Out* out) const {
    out[0] = re.hi;
    out[1] = re.lo;
    out[2] = im.hi;
    out[3] = im.lo;
    out[4] = size;
  }
};

MC_DEVICE bool odd_parity(u64 set) {
  unsigned parity = (unsigned)set ^ (unsigned)(set >> 32);
  parity ^= parity >> 16;
  parity ^= parity >> 8;
  parity ^= parity >> 4;
  return 0x6996 >> (parity & 15) & 1;
}
MC_DEVICE int lowest_bit(unsigned set) {
#ifdef __CUDACC__
  return __ffs(set) - 1;
#else
  return __builtin_ctz(set);
#endif
}

#ifdef __CUDACC__
// Blocks of threads take tasks from `next` until there are none. A task is a chunk for each thread; its sum goes to its
// own place, joined in a fixed order, so that nothing depends on who did it. The number of threads is a power of two up
// to 128. Work has
//   void operator()(u64 chunk, Sum& sum)
template <class Sum, class Work>
__device__ __forceinline__ void run_all_tasks(Work& work, u64 first_task, unsigned num_tasks, u64 num_chunks,
                                              unsigned* next, typename Sum::Out* __restrict__ out) {
  __shared__ Sum partial[64];
  __shared__ unsigned task;
  const unsigned threads = blockDim.x;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) task = atomicAdd(next, 1u);
    __syncthreads();
    if (task >= num_tasks) return;
    const u64 chunk = (first_task + task) * threads + threadIdx.x;
    Sum sum;
    if (chunk < num_chunks)
      work(chunk, sum);
    else
      sum.clear();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x >= half && threadIdx.x < 2 * half) partial[threadIdx.x - half] = sum;
      __syncthreads();
      if (threadIdx.x < half) sum.join(partial[threadIdx.x]);
    }
    if (threadIdx.x == 0) sum.write(out + (u64)task * Sum::out_words);
  }
}
#endif
