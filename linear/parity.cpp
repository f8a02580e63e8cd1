#include "linear/parity.hpp"

#include <utility>

#include "core/error.hpp"

namespace matchcount {

bool permanent_is_odd(const BipartiteGraph& matrix) {
  if (matrix.num_rows() != matrix.num_columns()) throw InputError("a matrix that is not square", "a square matrix");
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&matrix.weights());
  if (!weights && matrix.weight_kind() != WeightKind::none) throw InputError("real or complex weights", "integers");
  const std::size_t n = matrix.num_rows();
  const std::size_t words = (n + 63) / 64;
  std::vector<std::uint64_t> bits(n * words, 0);
  for (Vertex r = 0; r < n; ++r) {
    EdgeId edge = matrix.row_begin(r);
    for (const Vertex c : matrix.row(r)) {
      if (!weights || ((*weights)[edge] & 1)) bits[r * words + c / 64] ^= std::uint64_t{1} << (c % 64);
      ++edge;
    }
  }
  std::vector<std::size_t> row(n);
  for (std::size_t r = 0; r < n; ++r) row[r] = r;
  for (std::size_t c = 0; c < n; ++c) {
    const std::size_t word = c / 64;
    const std::uint64_t bit = std::uint64_t{1} << (c % 64);
    std::size_t pivot = c;
    while (pivot < n && !(bits[row[pivot] * words + word] & bit)) ++pivot;
    if (pivot == n) return false;
    std::swap(row[c], row[pivot]);
    const std::uint64_t* from = &bits[row[c] * words];
    for (std::size_t r = c + 1; r < n; ++r) {
      std::uint64_t* to = &bits[row[r] * words];
      if (!(to[word] & bit)) continue;
      for (std::size_t w = word; w < words; ++w) to[w] ^= from[w];
    }
  }
  return true;
}

}  // namespace matchcount
