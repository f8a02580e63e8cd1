#include "linear/parity.hpp"

#include <functional>

#include "core/error.hpp"
#include "linear/bits/elimination.hpp"
#include "linear/bits/fit.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount {
namespace {

bool is_odd(std::size_t n, const RunContext& run, const std::function<BitMatrix()>& matrix) {
  require_memory("the parity of a matrix", n, binary_determinant_bytes, run);
  return binary_determinant(matrix(), run);
}

}  // namespace

bool permanent_is_odd(const BipartiteGraph& matrix, const RunContext& run) {
  if (matrix.num_rows() != matrix.num_columns()) throw InputError("a matrix that is not square", "a square matrix");
  return is_odd(matrix.num_rows(), run, [&] { return BitMatrix::modulo_two(matrix); });
}

bool hafnian_is_odd(const UndirectedGraph& graph, const RunContext& run) {
  if (graph.num_vertices() % 2 == 1) return false;
  return is_odd(graph.num_vertices(), run, [&] { return BitMatrix::modulo_two(graph); });
}

}  // namespace matchcount
