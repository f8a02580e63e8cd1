#include "graph/generators/size.hpp"

#include <limits>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/run.hpp"

namespace matchcount::generators {

std::string times(std::initializer_list<Vertex> lengths) {
  std::string text;
  for (const Vertex length : lengths) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text;
}

void check_size(const std::string& what, double num_rows, double num_columns, double num_edges) {
  constexpr double limit = std::numeric_limits<Vertex>::max();
  if (num_rows > limit || num_columns > limit) throw InputError(what, "fewer than 2^32 vertices a side");
  // 20 bytes an edge and 8 a vertex in the graph, 8 an edge in the list that it is built from, 16 in the sorting by
  // column.
  const double needed = 44 * num_edges + 16 * (num_rows + num_columns);
  constexpr double small = 1 << 26;  // not worth asking
  if (needed > small && needed > static_cast<double>(available_memory_bytes())) {
    throw Unable(what + " needs about " + memory_amount(needed) + " of memory, more than is available");
  }
}

}  // namespace matchcount::generators
