#include "permanent/cpu/frontier_steps.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace matchcount {

FrontierSteps frontier_steps(const BipartiteGraph& pattern, const std::vector<Vertex>& sequence) {
  FrontierSteps result;
  result.num_rows = pattern.num_rows();
  result.num_vertices = pattern.num_rows() + pattern.num_columns();
  std::vector<std::uint32_t> remaining(result.num_vertices);
  std::vector<char> processed(result.num_vertices, 0), on_frontier(result.num_vertices, 0),
      seen(result.num_vertices, 0);
  if (sequence.size() != result.num_vertices) throw InputError("a sequence of another length", "every vertex once");
  for (Vertex v = 0; v < result.num_vertices; ++v) {
    remaining[v] = static_cast<std::uint32_t>(result.is_row(v) ? pattern.row(v).size()
                                                               : pattern.column(v - result.num_rows).size());
    if (remaining[v] == 0) result.impossible = true;
  }
  std::int64_t width = 0;
  std::int64_t ones = 0;
  for (const Vertex v : sequence) {
    if (v >= result.num_vertices || seen[v]) throw InputError("a sequence that repeats a vertex", "every vertex once");
    seen[v] = 1;
    if (processed[v]) continue;
    FrontierStep step;
    step.vertex = v;
    step.was_on_frontier = on_frontier[v] != 0;
    processed[v] = 1;
    on_frontier[v] = 0;
    if (step.was_on_frontier) --width;
    if (result.is_row(v)) {
      --ones;
    } else if (!step.was_on_frontier) {
      ++ones;
    }
    const auto visit = [&](Vertex u, EdgeId edge) {
      if (processed[u]) return;
      const bool enters = !on_frontier[u];
      step.choices.push_back({u, edge, enters});
      if (enters) {
        ++width;
        if (!result.is_row(u)) ++ones;
      }
      if (--remaining[u] == 0) {
        (enters ? step.closing_entered : step.closing).push_back(u);
        processed[u] = 1;
        on_frontier[u] = 0;
        --width;
        if (result.is_row(u)) --ones;
      } else if (enters) {
        step.entering.push_back(u);
        on_frontier[u] = 1;
      }
    };
    if (result.is_row(v)) {
      const auto columns = pattern.row(v);
      for (std::size_t i = 0; i < columns.size(); ++i) visit(result.num_rows + columns[i], pattern.row_begin(v) + i);
    } else {
      const auto rows = pattern.column(v - result.num_rows);
      const auto edges = pattern.column_edges(v - result.num_rows);
      for (std::size_t i = 0; i < rows.size(); ++i) visit(rows[i], edges[i]);
    }
    if (ones < 0 || ones > width || step.closing_entered.size() > 1) result.impossible = true;
    step.width = static_cast<std::uint32_t>(width);
    step.ones = static_cast<std::uint32_t>(std::max<std::int64_t>(ones, 0));
    result.max_width = std::max(result.max_width, step.width);
    result.steps.push_back(std::move(step));
  }
  if (ones != 0 || width != 0) result.impossible = true;
  return result;
}

}  // namespace matchcount
