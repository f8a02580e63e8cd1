#pragma once
// Has what several benchmarks take: matrices by name (FAMILY-SIZE, or FAMILY-SIZE-DENSITY where entries may be
// missing), random bit matrices and the check of their products, samples beside exact counts, what a device does at
// most.

#include <dlfcn.h>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "approx/estimate.hpp"
#include "bench/runner.hpp"
#include "core/device.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "linear/bits/cpu/bit_kernels.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount::bench {

// Library opens a shared library that need not be there: what a benchmark compares with, or asks for a counter.
class Library {
 public:
  // Opens the first of these files that there is, and never closes it.
  explicit Library(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      if (handle_ == nullptr && !file.empty()) handle_ = dlopen(file.c_str(), RTLD_NOW);
    }
  }
  // Returns null where the library or the symbol is missing.
  template <class Function>
  Function* symbol(const char* name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;
};

struct Sampler {
  Estimator estimator = Estimator::guided;
  int interval = 1;  // of the scaling ones: rows between two scalings

  bool scales() const { return estimator == Estimator::scaling || estimator == Estimator::scaling_plus; }
  std::string name() const {  // "guided", "scaling/5"
    return std::string(to_string(estimator)) + (scales() ? "/" + std::to_string(interval) : "");
  }
};

struct Sampled {
  Estimate estimate;
  double seconds = 0;
  std::string unable;  // why there is no estimate; else empty

  // Return the logarithm of the estimate, and of the ends of its interval, over an exact count.
  double log_ratio(double log_exact) const { return estimate.log_value - log_exact; }
  double log_low(double log_exact) const;
  double log_high(double log_exact) const;
  // Says whether somebody is told of a wrong estimate: it warns, or is at most three times as far off as the interval
  // allows, which honest intervals are but in one of 10^8.
  bool is_honest(double log_exact) const;
};
// Draws so many samples without counting any part exactly; takes rounds of scaling, the limits and the device of the
// options.
Sampled draw(const BipartiteGraph& graph, const Sampler& sampler, std::uint64_t samples, EstimateOptions options);

// Returns ln of the number of perfect matchings of the size x size grid, size even: the product over j, k <= size / 2
// of 4 cos^2(pi j / (size + 1)) + 4 cos^2(pi k / (size + 1)) (Kasteleyn 1961, doi:10.1016/0031-8914(61)90063-5).
double log_grid_matchings(int size);

// Measures the fused multiply-adds a second in double precision, each counted as one operation: a kernel of nothing
// else, eight independent chains a thread and 8 x 256 threads a multiprocessor, for about 0.2 s. Throws as
// compile_kernel and the device do.
double measured_fma_per_s(const DeviceInfo& device);

// Draws an n x n matrix; `matrix` is 0 or 1 and tells two of one seed apart.
BitMatrix random_bits(std::size_t n, std::uint64_t seed, std::uint64_t matrix);

// Multiplies on a CPU.
BitMatrix product_on_cpu(BitSum sum, const BitMatrix& a, const BitMatrix& b, RunOptions options);

// Returns whether each of some rows of c is the sum of the rows of b that its row of a selects.
bool is_product(BitSum sum, const BitMatrix& a, const BitMatrix& b, const BitMatrix& c);

enum class Family { dense, ones, sparse, zero_one, methods, precisions, complex, scaling };

struct FamilySpec {
  Family family;
  std::string_view name;
  bool has_density;
  std::string_view arithmetics;  // that inclusion-exclusion sums it in, parted by blanks; the first is the most precise
  std::string_view text;         // what it is
};
std::span<const FamilySpec> family_table();

struct Workload {
  std::string name;
  Family family = Family::dense;
  Vertex size = 0;
  double density = 1;
};
// Reads "dense-40", "sparse-40-0.1". Throws InputError, with the families that there are, for anything else; sizes are
// 1 to 62.
Workload workload_from_name(const std::string& name);

// The matrix of a workload. Where entries may be missing, the pattern is that of the first seed from the given one that
// has a perfect matching, so that the permanent is not 0; values come from that seed too. ones, zero-one: no weights.
struct SeededMatrix {
  Matrix matrix;
  std::uint64_t seed = 0;
};
SeededMatrix matrix_of(const Workload& workload, std::uint64_t seed);

}  // namespace matchcount::bench
