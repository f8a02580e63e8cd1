#include "permanent/frontier/cpu/steps.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "permanent/frontier/cpu/states.hpp"
#include "permanent/frontier/cpu/twin_states.hpp"

namespace matchcount {
namespace {

// The size of every vertex's class at the first of it, 0 at the others; empty where there are no twins.
std::vector<std::uint32_t> class_sizes(const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before) {
  if (twin_before.empty()) return {};
  const Vertex num_rows = pattern.num_rows();
  const auto neighbours = [&](Vertex v) { return v < num_rows ? pattern.row(v) : pattern.column(v - num_rows); };
  std::vector<std::uint32_t> size(twin_before.size(), 1);
  for (Vertex v = 0; v < size.size(); ++v) {
    const Vertex before = twin_before[v];
    if (before == unmatched) continue;
    const bool same_side = before < v && (before < num_rows) == (v < num_rows);
    const auto ours = neighbours(v);
    if (!same_side || !std::equal(ours.begin(), ours.end(), neighbours(before).begin(), neighbours(before).end())) {
      throw InputError("twins with different neighbours", "vertices of one side and of equal neighbours");
    }
  }
  for (std::size_t v = size.size(); v-- > 0;) {
    if (twin_before[v] == unmatched) continue;
    size[twin_before[v]] += size[v];
    size[v] = 0;
  }
  return size;
}

void check_length(std::size_t length, Vertex num_vertices) {
  if (length != num_vertices) throw InputError("a sequence of another length", "every vertex once");
}

// `result` knows its vertices, the sequence has their number; degree(v), and for_each_neighbour(v, visit) calls
// visit(neighbour, edge).
template <class Degree, class ForEachNeighbour>
void list_steps(FrontierSteps& result, const std::vector<Vertex>& sequence, const std::vector<Vertex>& twin_before,
                const std::vector<std::uint32_t>& class_size, Degree&& degree, ForEachNeighbour&& for_each_neighbour) {
  std::vector<std::uint32_t> remaining(result.num_vertices);
  std::vector<char> processed(result.num_vertices, 0), on_frontier(result.num_vertices, 0),
      seen(result.num_vertices, 0);
  result.with_twins = !twin_before.empty();
  const auto is_twin = [&](Vertex v) { return result.with_twins && class_size[v] != 1; };
  TwinStates twin_states;
  std::vector<std::uint32_t> classes_of_size;  // on the frontier
  for (Vertex v = 0; v < result.num_vertices; ++v) {
    remaining[v] = static_cast<std::uint32_t>(degree(v));
    if (remaining[v] == 0) result.impossible = true;
  }
  std::int64_t width = 0;
  std::int64_t ones = 0;
  std::int64_t matched = 0;  // on the frontier, at the most
  StatesOfParity states_of_parity;
  for (const Vertex v : sequence) {
    if (v >= result.num_vertices || seen[v]) throw InputError("a sequence that repeats a vertex", "every vertex once");
    seen[v] = 1;
    if (processed[v]) continue;
    if (is_twin(v) && remaining[v] > 0) {
      throw InputError("a sequence in which a twin has a step", "the other side of all twins first");
    }
    FrontierStep step;
    step.vertex = v;
    step.was_on_frontier = on_frontier[v] != 0;
    processed[v] = 1;
    ++matched;
    on_frontier[v] = 0;
    if (step.was_on_frontier) {
      --width;
      if (result.with_twins) --classes_of_size[1];
    }
    if (result.is_row(v)) {
      --ones;
    } else if (!step.was_on_frontier) {
      ++ones;
    }
    const auto visit = [&](Vertex u, EdgeId edge) {
      if (processed[u]) return;
      const bool enters = !on_frontier[u];
      const Vertex after = result.with_twins ? twin_before[u] : unmatched;
      // Twins enter at once, all of them unmatched, so that the first is the only one to choose.
      if (!enters || after == unmatched) step.choices.push_back({u, edge, enters, after});
      if (result.with_twins && class_size[u] > 0) {
        const bool leaves = remaining[u] == 1;
        classes_of_size.resize(std::max<std::size_t>(classes_of_size.size(), class_size[u] + 1), 0);
        if (enters && !leaves) ++classes_of_size[class_size[u]];
        if (!enters && leaves) --classes_of_size[class_size[u]];
      }
      if (enters) {
        ++width;
        if (!result.is_row(u)) ++ones;
      }
      if (--remaining[u] == 0) {
        (enters ? step.closing_entered : step.closing).push_back(u);
        processed[u] = 1;
        --matched;
        on_frontier[u] = 0;
        --width;
        if (result.is_row(u)) --ones;
      } else if (enters) {
        step.entering.push_back(u);
        on_frontier[u] = 1;
      }
    };
    for_each_neighbour(v, visit);
    if (step.closing_entered.size() > 1 || (!result.by_parity && (ones < 0 || ones > width))) result.impossible = true;
    step.width = static_cast<std::uint32_t>(width);
    if (result.by_parity) {
      // Rows that were processed are all matched, and matched vertices are even in number; ones is minus the rows.
      step.ones = static_cast<std::uint32_t>(-ones & 1);
      step.states = states_of_parity(step.width, matched);
    } else {
      step.ones = static_cast<std::uint32_t>(std::max<std::int64_t>(ones, 0));
      step.states =
          result.with_twins ? twin_states(classes_of_size, step.ones) : binomial_as_double(step.width, step.ones);
    }
    result.max_width = std::max(result.max_width, step.width);
    result.steps.push_back(std::move(step));
  }
  if (width != 0 || (result.by_parity ? ones % 2 != 0 : ones != 0)) result.impossible = true;
}

}  // namespace

FrontierSteps frontier_steps(const BipartiteGraph& pattern, const std::vector<Vertex>& sequence,
                             const std::vector<Vertex>& twin_before) {
  FrontierSteps result;
  result.num_rows = pattern.num_rows();
  result.num_vertices = pattern.num_rows() + pattern.num_columns();
  check_length(sequence.size(), result.num_vertices);
  if (!twin_before.empty()) check_length(twin_before.size(), result.num_vertices);
  list_steps(
      result, sequence, twin_before, class_sizes(pattern, twin_before),
      [&](Vertex v) { return result.is_row(v) ? pattern.row(v).size() : pattern.column(v - result.num_rows).size(); },
      [&](Vertex v, auto&& visit) {
        if (result.is_row(v)) {
          const auto columns = pattern.row(v);
          for (std::size_t i = 0; i < columns.size(); ++i) {
            visit(result.num_rows + columns[i], pattern.row_begin(v) + i);
          }
        } else {
          const auto rows = pattern.column(v - result.num_rows);
          const auto edges = pattern.column_edges(v - result.num_rows);
          for (std::size_t i = 0; i < rows.size(); ++i) visit(rows[i], edges[i]);
        }
      });
  return result;
}

FrontierSteps frontier_steps(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence) {
  FrontierSteps result;
  result.num_rows = result.num_vertices = pattern.num_vertices();
  result.by_parity = true;
  check_length(sequence.size(), result.num_vertices);
  list_steps(
      result, sequence, {}, {}, [&](Vertex v) { return pattern.neighbours(v).size(); },
      [&](Vertex v, auto&& visit) {
        const auto neighbours = pattern.neighbours(v);
        const auto edges = pattern.incident_edges(v);
        for (std::size_t i = 0; i < neighbours.size(); ++i) visit(neighbours[i], edges[i]);
      });
  return result;
}

}  // namespace matchcount
