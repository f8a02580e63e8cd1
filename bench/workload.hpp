#pragma once
// Makes the matrices that are measured, by name: FAMILY-SIZE, or FAMILY-SIZE-DENSITY where entries may be missing.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graph/bipartite_graph.hpp"

namespace matchcount::bench {

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
