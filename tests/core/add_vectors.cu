// Compiled beforehand, for fatbin_test.cpp.

extern "C" __global__ void add_vectors(const double* a, const double* b, double* sums, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sums[i] = a[i] + b[i];
}
