// Carries out inclusion-exclusion in the form of Nijenhuis and Wilf, in Gray-code order, once for every place where row
// sums and the matrix may live. Before it stand
//   NUMBER                          the type of all numbers
//   ROWS                            n
//   SUMS_IN, MATRIX_IN              IN_GLOBAL, IN_SHARED, IN_REGISTERS; IN_GLOBAL, IN_SHARED, IN_CONSTANT
//   COALESCED                       1: the sums of neighbouring threads stand side by side
//   SPARSE                          1: columns are lists of rows and entries (sums not in registers)
//   UPDATE(column)                  SPARSE and sums in registers: adds s times a column, in a switch over all columns
//   MATRIX_ARGUMENT, MATRIX         how the kernel is given the matrix, and what it is called then
//   KERNEL(name), SHARED_MEMORY     how a kernel begins, and where its dynamic shared memory is
//   UNROLL_ROWS, LOWEST_BIT(mask)   before loops over rows; of a mask of 64 bits that is not 0
// and the text is compiled for the device and, in tests, for the host.

#define IN_GLOBAL 0
#define IN_SHARED 1
#define IN_REGISTERS 2
#define IN_CONSTANT 3

struct Matrix {
  NUMBER entry[ROWS * ROWS];  // column after column
  NUMBER start[ROWS];         // the last column less half of the row sums
#if SPARSE
  unsigned begin[ROWS + 1];
  unsigned row[ROWS * ROWS];  // of the entries of a column, which then stand packed in `entry`
#endif
};

#if COALESCED
#define SUM(i) sums[(i) * stride + place]
#else
#define SUM(i) sums[place * ROWS + (i)]
#endif

// Adds s times a column.
#if SPARSE && SUMS_IN == IN_REGISTERS
#define TURN(column) UPDATE(column)
#elif SPARSE
#define TURN(column) \
  for (unsigned k = matrix.begin[column]; k < matrix.begin[column + 1]; ++k) X(matrix.row[k]) += s * matrix.entry[k];
#else
#define TURN(column) UNROLL_ROWS for (int i = 0; i < ROWS; ++i) X(i) += s * matrix.entry[column * ROWS + i];
#endif

// Terms first_term <= g < last_term of the Gray code, of which every thread takes `chunk`; its sum goes to out. Term 0 is
// that of the empty set.
KERNEL(sum_terms)(MATRIX_ARGUMENT, NUMBER* global_sums, double* out, unsigned long long first_term,
                  unsigned long long last_term, unsigned long long chunk) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  SHARED_MEMORY;
#if MATRIX_IN == IN_SHARED
  // The copy stands behind the row sums of the block if those are in shared memory too.
  Matrix* const copy = reinterpret_cast<Matrix*>(shared_memory + (SUMS_IN == IN_SHARED ? blockDim.x * ROWS : 0));
  {
    const unsigned words = sizeof(Matrix) / sizeof(unsigned);
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
      reinterpret_cast<unsigned*>(copy)[i] = reinterpret_cast<const unsigned*>(&MATRIX)[i];
  }
  __syncthreads();
  const Matrix& matrix = *copy;
#else
  const Matrix& matrix = MATRIX;
#endif

#if SUMS_IN == IN_REGISTERS
  NUMBER x[ROWS];
#define X(i) x[i]
#elif SUMS_IN == IN_SHARED
  NUMBER* const sums = shared_memory;
  const unsigned stride = blockDim.x, place = threadIdx.x;
  (void)stride;
#define X(i) SUM(i)
#else
  NUMBER* const sums = global_sums;
  const unsigned stride = gridDim.x * blockDim.x, place = thread;
  (void)stride;
#define X(i) SUM(i)
#endif
  (void)global_sums;

  const unsigned long long begin = first_term + thread * chunk;
  const unsigned long long end = begin + chunk < last_term ? begin + chunk : last_term;
  double total = 0;
  if (begin < end) {
    unsigned long long set = begin ^ (begin >> 1);
    UNROLL_ROWS for (int i = 0; i < ROWS; ++i) X(i) = matrix.start[i];
    for (unsigned long long left = set; left != 0; left &= left - 1) {
      const int column = LOWEST_BIT(left);
      const NUMBER s = 1;
      TURN(column)
    }
    for (unsigned long long g = begin;;) {
      NUMBER product = 1;
      UNROLL_ROWS for (int i = 0; i < ROWS; ++i) product *= X(i);
      total += g & 1 ? -static_cast<double>(product) : static_cast<double>(product);
      if (++g == end) break;
      const int column = LOWEST_BIT(g);
      set ^= 1ull << column;
      const NUMBER s = set >> column & 1 ? 1 : -1;
      TURN(column)
    }
  }
  out[thread] = total;
}
#undef TURN
#undef X
#undef SUM
#undef IN_GLOBAL
#undef IN_SHARED
#undef IN_REGISTERS
#undef IN_CONSTANT
