#include "matching/scaled_entries.hpp"

#include <algorithm>
#include <cmath>

#include "core/numbers/infinity.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount {
namespace {

// Scaled entries below 2^this are lifted to it, so that nothing of theirs underflows; the bound says so.
constexpr double log2_least_entry = -900;

template <class Entry>
std::vector<double> log2_magnitudes_of(const std::vector<Entry>& entries) {
  std::vector<double> result;
  result.reserve(entries.size());
  for (const Entry& entry : entries) result.push_back(std::log2(entry.magnitude));
  return result;
}

// Multiplies an entry of this magnitude by 2^shift, or lifts it: true.
template <class Entry>
bool scale_entry(Entry& entry, double log2_magnitude, int shift) {
  if (log2_magnitude + shift < log2_least_entry) {
    entry.value = std::exp2(log2_least_entry);
    entry.magnitude = std::exp2(log2_least_entry);
    return true;
  }
  if (shift == 0) return false;
  entry.value = ldexp(entry.value, shift);
  entry.magnitude = std::ldexp(entry.magnitude, shift);
  return false;
}

// log2_sums: of the product of the sums that bound whatever stands beside a lifted entry.
double log2_lost_by(double num_lifted, double log2_sums) {
  return num_lifted == 0 ? minus_infinity : std::log2(2 * num_lifted) + log2_least_entry + log2_sums;
}

template <class Entry>
EntryScaling scale_matrix(const BipartiteGraph& pattern, std::vector<Entry>& entries, const RunContext& run) {
  const std::vector<double> log2_magnitude = log2_magnitudes_of(entries);
  const Scaling scaling = maximum_product_scaling(pattern, log2_magnitude, run);
  EntryScaling result;
  double log2_rows = 0;
  double num_lifted = 0;
  for (Vertex r = 0; r < pattern.num_rows(); ++r) {
    result.exponent -= scaling.row_exponent[r];
    double row_sum = 0;
    EdgeId edge = pattern.row_begin(r);
    for (const Vertex c : pattern.row(r)) {
      num_lifted +=
          scale_entry(entries[edge], log2_magnitude[edge], scaling.row_exponent[r] + scaling.column_exponent[c]);
      row_sum += entries[edge].magnitude;
      ++edge;
    }
    log2_rows += std::max(0.0, std::log2(row_sum)) + 1e-9;
  }
  for (const int exponent : scaling.column_exponent) result.exponent -= exponent;
  result.log2_lost = log2_lost_by(num_lifted, log2_rows);
  return result;
}

template <class Entry>
EntryScaling scale_graph(const UndirectedGraph& pattern, std::vector<Entry>& entries, const RunContext& run) {
  const std::vector<double> log2_magnitude = log2_magnitudes_of(entries);
  std::vector<double> log2_of_matrix;
  for (Vertex v = 0; v < pattern.num_vertices(); ++v) {
    for (const EdgeId edge : pattern.incident_edges(v)) log2_of_matrix.push_back(log2_magnitude[edge]);
  }
  const Scaling scaling = maximum_product_scaling(pattern.pattern().symmetric_matrix(), log2_of_matrix, run);
  std::vector<std::int64_t> exponent(pattern.num_vertices());
  EntryScaling result;
  for (Vertex v = 0; v < pattern.num_vertices(); ++v) {
    exponent[v] = (std::int64_t{scaling.row_exponent[v]} + scaling.column_exponent[v]) >> 1;
    result.exponent -= exponent[v];
  }
  double num_lifted = 0;
  for (EdgeId edge = 0; edge < pattern.num_edges(); ++edge) {
    const auto [u, v] = pattern.edges()[edge];
    num_lifted += scale_entry(entries[edge], log2_magnitude[edge], static_cast<int>(exponent[u] + exponent[v]));
  }
  double log2_sums = 0;
  for (Vertex v = 0; v < pattern.num_vertices(); ++v) {
    double sum = 0;
    for (const EdgeId edge : pattern.incident_edges(v)) sum += entries[edge].magnitude;
    log2_sums += std::max(0.0, std::log2(sum)) + 1e-9;
  }
  result.log2_lost = log2_lost_by(num_lifted, log2_sums);
  return result;
}

}  // namespace

EntryScaling scale_entries(const BipartiteGraph&, std::vector<std::int64_t>&, const RunContext&) { return {}; }
EntryScaling scale_entries(const BipartiteGraph& pattern, std::vector<RealEntry>& entries, const RunContext& run) {
  return scale_matrix(pattern, entries, run);
}
EntryScaling scale_entries(const BipartiteGraph& pattern, std::vector<ComplexEntry>& entries, const RunContext& run) {
  return scale_matrix(pattern, entries, run);
}

EntryScaling scale_entries(const UndirectedGraph&, std::vector<std::int64_t>&, const RunContext&) { return {}; }
EntryScaling scale_entries(const UndirectedGraph& pattern, std::vector<RealEntry>& entries, const RunContext& run) {
  return scale_graph(pattern, entries, run);
}
EntryScaling scale_entries(const UndirectedGraph& pattern, std::vector<ComplexEntry>& entries, const RunContext& run) {
  return scale_graph(pattern, entries, run);
}

}  // namespace matchcount
