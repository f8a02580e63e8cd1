// Sums hafnians over roots of unity that are signs, a block of threads for a matrix or a part of one.
// root_sum_kernels.cuh, which has permanents and says how numbers are held, stands in front.

// Components of a sum of pairs.
template <int COMPONENTS>
struct RootPairs {
  RootPair part[COMPONENTS];

  MC_DEVICE void add(double sign, const RootPair* more, int stride = 1) {
    MC_UNROLL
    for (int c = 0; c < COMPONENTS; ++c) {
      const RootPair pair = more[c * stride];
      part[c].high = fma(sign, pair.high, part[c].high);
      part[c].low = fma(sign, pair.low, part[c].low);
    }
  }
};

MC_DEVICE double sign_of(unsigned signs, int bit) { return (signs >> bit & 1) != 0 ? -1.0 : 1.0; }

// Vertices are scaled as rows and columns at once; LOOPS: 1 where the diagonal counts.
template <int COMPONENTS, int LOOPS>
MC_DEVICE void fill_hafnian(const RootFrame& frame, const double* matrix, RootScales& scales, RootPair* entries) {
  const int thread = static_cast<int>(threadIdx.x), n = frame.rows;
  if (thread == 0) scales.zero = 0;
  __syncthreads();
  if (thread < n) {
    double largest = 0, loop = 0;
    for (int i = 0; i < n * COMPONENTS; ++i) {
      const double entry = fabs(matrix[thread * n * COMPONENTS + i]);
      if (i / COMPONENTS != thread) largest = fmax(largest, entry);
      if (LOOPS && i / COMPONENTS == thread) loop = fmax(loop, entry);
    }
    // Half of the exponent, rounded up; of a loop all of it.
    scales.row[thread] = max((root_exponent(largest) + COMPONENTS) >> 1, root_exponent(loop) + COMPONENTS - 1);
    if (largest == 0 && loop == 0) scales.zero = 1;
  }
  __syncthreads();
  if (scales.zero != 0) return;
  const double grid = ldexp(1.0, frame.grid_bits), inverse = ldexp(1.0, -frame.grid_bits);
  for (int i = thread; i < n * n * COMPONENTS; i += static_cast<int>(blockDim.x)) {
    const int u = i / COMPONENTS / n, v = i / COMPONENTS % n;
    const int exponent = u == v ? scales.row[u] : scales.row[u] + scales.row[v];
    const double entry = u == v && !LOOPS ? 0 : ldexp(matrix[i], -exponent);
    entries[i] = root_pair(entry, 0, grid, inverse);
  }
  if (thread == 0) {
    scales.exponent = 0;
    for (int v = 0; v < n; ++v) scales.exponent += scales.row[v];
  }
  __syncthreads();
}

// Tables, by point of a chunk, the edges between low vertices, and their loops.
template <int COMPONENTS, int LOOPS>
MC_DEVICE void fill_low_tables(const RootFrame& frame, const RootPair* entries, RootPair* low_edges,
                               RootPair* low_loops) {
  for (int step = static_cast<int>(threadIdx.x); step < frame.steps; step += static_cast<int>(blockDim.x)) {
    const unsigned signs = static_cast<unsigned>(step ^ step >> 1);
    RootPairs<COMPONENTS> edges = {}, loops = {};
    for (int u = 0; u < frame.low_rows; ++u) {
      if (LOOPS) loops.add(sign_of(signs, u), entries + u * (frame.rows + 1) * COMPONENTS);
      for (int v = u + 1; v < frame.low_rows; ++v)
        edges.add(sign_of(signs, u) * sign_of(signs, v), entries + (u * frame.rows + v) * COMPONENTS);
    }
    for (int c = 0; c < COMPONENTS; ++c) {
      low_edges[step * COMPONENTS + c] = edges.part[c];
      if (LOOPS) low_loops[step * COMPONENTS + c] = loops.part[c];
    }
  }
  __syncthreads();
}

MC_DEVICE double bound_size(double a) { return fabs(a); }
MC_DEVICE double bound_size(RootComplex a) { return fabs(a.re) + fabs(a.im); }
MC_DEVICE double modulus(double a) { return fabs(a); }
MC_DEVICE double modulus(RootComplex a) { return sqrt(fma(a.re, a.re, a.im * a.im)); }

// Powers of four forms, and their sizes.
template <class Number>
MC_DEVICE void hafnian_terms(const RootFrame& frame, const Root*, Number (&form)[4], const Number*, Number (&term)[4],
                             double (&size)[4], const char (&)[1]) {
  MC_UNROLL
  for (int k = 0; k < 4; ++k) term[k] = root_one(form[k]);
  for (int left = frame.rows / 2;;) {
    MC_UNROLL
    for (int k = 0; k < 4; ++k) {
      if (left & 1) term[k] = root_product(term[k], form[k]);
    }
    left >>= 1;
    if (left == 0) break;
    MC_UNROLL
    for (int k = 0; k < 4; ++k) form[k] = root_product(form[k], form[k]);
  }
  MC_UNROLL
  for (int k = 0; k < 4; ++k) size[k] = bound_size(term[k]);
}
// Adds up the sums over i of form^i loops^(n - 2i) times coefficient i, by Horner's rule; sizes of the same with
// margins.
template <class Number>
MC_DEVICE void hafnian_terms(const RootFrame& frame, const Root* coefficients, Number (&form)[4], const Number* loops,
                             Number (&term)[4], double (&size)[4], const char (&)[2]) {
  using matchcount::gpu::form_margin;
  const int half = frame.rows / 2;
  Number square[4], power[4];
  double form_size[4], loop_size[4], size_power[4];
  MC_UNROLL
  for (int k = 0; k < 4; ++k) {
    power[k] = root_one(form[k]);
    square[k] = root_product(loops[k], loops[k]);
    term[k] = times_real(power[k], coefficients[half].re);
    form_size[k] = modulus(form[k]) + form_margin;
    loop_size[k] = modulus(loops[k]) + form_margin;
    size_power[k] = 1;
    size[k] = coefficients[half].re;
  }
  MC_ROLLED
  for (int i = half - 1; i >= 0; --i) {
    const double coefficient = coefficients[i].re;
    MC_UNROLL
    for (int k = 0; k < 4; ++k) {
      power[k] = root_product(power[k], square[k]);
      Number sum = times_real(power[k], coefficient);
      root_add(sum, term[k], form[k]);
      term[k] = sum;
      size_power[k] *= loop_size[k] * loop_size[k];
      size[k] = fma(size[k], form_size[k], size_power[k] * coefficient);
    }
  }
  MC_UNROLL
  for (int k = 0; k < 4; ++k) {
    if (frame.rows % 2 == 0) break;
    term[k] = root_product(term[k], loops[k]);
    size[k] *= loop_size[k];
  }
}

// Places the quadratic form of high vertices and of the edges from low vertices, those at 1; `mine` gets, by low
// vertex, twice its edges to high ones, `stride` apart. Bits of `signs`: vertices at -1.
template <int COMPONENTS>
MC_DEVICE RootPairs<COMPONENTS> place_high_vertices(const RootFrame& frame, const RootPair* entries, unsigned signs,
                                                    RootPair* mine, int stride) {
  const int n = frame.rows, low = frame.low_rows;
  RootPairs<COMPONENTS> form = {};
  for (int u = low; u < n; ++u) {
    RootPairs<COMPONENTS> later = {};
    for (int v = u + 1; v < n; ++v) later.add(sign_of(signs, v), entries + (u * n + v) * COMPONENTS);
    form.add(sign_of(signs, u), later.part);
  }
  for (int u = 0; u < low; ++u) {
    RootPairs<COMPONENTS> edges = {};
    for (int v = low; v < n; ++v) edges.add(sign_of(signs, v), entries + (u * n + v) * COMPONENTS);
    form.add(1, edges.part);
    for (int c = 0; c < COMPONENTS; ++c)
      mine[(u * COMPONENTS + c) * stride] = {2 * edges.part[c].high, 2 * edges.part[c].low};
  }
  return form;
}

// Returns the components of the sum of two halves, by pairs.
template <int COMPONENTS>
MC_DEVICE typename RootNumber<COMPONENTS>::type sum_of_pairs(const RootPairs<COMPONENTS>& a, const RootPair* b) {
  double components[COMPONENTS];
  MC_UNROLL
  for (int c = 0; c < COMPONENTS; ++c) {
    const RootPair other = b[c];
    components[c] = (a.part[c].high + other.high) + (a.part[c].low + other.low);
  }
  return root_number(components, typename RootNumber<COMPONENTS>::type());
}

// Adds up the points of a chunk: one addition of each kind leads to the next form. Four at a time, between which Gray
// code changes the signs of vertices 0, 1 and 0, so that their powers are taken side by side.
template <int COMPONENTS, int LOOPS>
MC_DEVICE void walk_low_vertices(const RootFrame& frame, const Root* coefficients, const RootPair* low_edges,
                                 const RootPair* low_loops, const RootPair* mine, int stride,
                                 RootPairs<COMPONENTS> form, const RootPairs<COMPONENTS>& high_loops,
                                 typename RootNumber<COMPONENTS>::type& sum, double& size) {
  typedef typename RootNumber<COMPONENTS>::type Number;
  const char kind[LOOPS + 1] = {};
  MC_ROLLED
  for (int step = 0; step < frame.steps; step += 4) {
    Number forms[4], loops[4], term[4];
    double size_of_term[4];
    MC_UNROLL
    for (int k = 0; k < 4; ++k) {
      forms[k] = sum_of_pairs(form, low_edges + (step + k) * COMPONENTS);
      if (LOOPS) loops[k] = sum_of_pairs(high_loops, low_loops + (step + k) * COMPONENTS);
      const int vertex = k == 3 ? lowest_one(static_cast<unsigned>(step + 4)) : k % 2;
      if (vertex == frame.low_rows) break;  // the last
      const double turned = sign_of(static_cast<unsigned>((step + k + 1) ^ (step + k + 1) >> 1), vertex);
      form.add(turned, mine + vertex * COMPONENTS * stride, stride);
    }
    hafnian_terms(frame, coefficients, forms, loops, term, size_of_term, kind);
    MC_UNROLL
    for (int k = 0; k < 4; ++k) {
      const double weight[2] = {k % 2 == 0 ? 1.0 : -1.0, 0};
      root_add(sum, root_number(weight, Number()), term[k]);
      size += size_of_term[k];
    }
  }
}

// Sums a part of the hafnian, or the loop hafnian. Only that has coefficients.
template <int COMPONENTS, int LOOPS>
MC_DEVICE void sum_hafnian(const RootFrame& frame, const double* matrices, const Root* coefficients, const RootStep*,
                           u64 first_task, u64 first_matrix, RootSum* out) {
  typedef typename RootNumber<COMPONENTS>::type Number;
  char* const memory = static_cast<char*>(dynamic_shared());
  RootScales& scales = *reinterpret_cast<RootScales*>(memory);
  RootPair* const entries = reinterpret_cast<RootPair*>(memory + (sizeof(RootScales) + 15) / 16 * 16);
  RootPair* const low_edges = entries + frame.rows * frame.rows * COMPONENTS;
  RootPair* const low_loops = low_edges + frame.steps * COMPONENTS;
  RootPair* const mine = low_loops + LOOPS * frame.steps * COMPONENTS + threadIdx.x;
  const int threads = static_cast<int>(blockDim.x);
  const u64 task = first_task + blockIdx.x;
  const u64 which = task / frame.parts - first_matrix;
  fill_hafnian<COMPONENTS, LOOPS>(frame, matrices + which * static_cast<u64>(frame.rows * frame.rows * COMPONENTS),
                                  scales, entries);
  if (scales.zero != 0) {
    if (threadIdx.x == 0) out[blockIdx.x] = {0, 0, 0, matchcount::gpu::zero_exponent};
    return;
  }
  fill_low_tables<COMPONENTS, LOOPS>(frame, entries, low_edges, low_loops);
  const u64 first_chunk = (task % frame.parts) * frame.chunks_of_thread * blockDim.x + threadIdx.x;
  Number total = {};
  double size = 0;
  for (unsigned c = 0; c < frame.chunks_of_thread; ++c) {
    const u64 chunk = first_chunk + static_cast<u64>(c) * blockDim.x;
    if (chunk >= frame.chunks) break;
    const unsigned signs = static_cast<unsigned>(chunk) << frame.low_rows;
    const RootPairs<COMPONENTS> form = place_high_vertices<COMPONENTS>(frame, entries, signs, mine, threads);
    RootPairs<COMPONENTS> loops = {};
    for (int v = frame.low_rows; LOOPS && v < frame.rows; ++v)
      loops.add(sign_of(signs, v), entries + v * (frame.rows + 1) * COMPONENTS);
    Number sum = {};
    double size_of_chunk = 0;
    walk_low_vertices<COMPONENTS, LOOPS>(frame, coefficients, low_edges, low_loops, mine, threads, form, loops, sum,
                                         size_of_chunk);
    const double weight[2] = {count_ones(signs) % 2 == 0 ? 1.0 : -1.0, 0};
    root_add(total, root_number(weight, Number()), sum);
    size += size_of_chunk;
  }
  join_threads(root_re(total), root_im(total), size, scales.exponent, reinterpret_cast<double*>(entries),
               out + blockIdx.x);
}
