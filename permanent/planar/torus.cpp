// On a torus with every face odd the sign of a matching's term depends on how often, modulo 2, it crosses the two
// seams, (h, v): s(h, v) is a quadratic form, s(1, 1) = -s(0, 0) s(1, 0) s(0, 1) (Tesler 2000,
// doi:10.1006/jctb.1999.1941). Negating the edges across one seam, the other, or both gives the four Pfaffians P(a, b)
// = sum over the classes of s(h, v) (-1)^(ah + bv) N(h, v), from which N = N(0, 0) + N(1, 0) + N(0, 1) + N(1, 1)
// follows.

#include "permanent/planar/torus.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "permanent/planar/orientation.hpp"

namespace matchcount {
namespace {

EdgeId edge_between(const UndirectedGraph& graph, Vertex u, Vertex v) {
  const auto around = graph.neighbours(u);
  const auto place = std::lower_bound(around.begin(), around.end(), v) - around.begin();
  return graph.incident_edges(u)[static_cast<std::size_t>(place)];
}

// All dominoes along lines, or along columns, the first line or column moved by one so that it crosses a seam.
std::vector<Vertex> torus_matching(const TorusGrid& torus, bool along_lines, bool move_first) {
  std::vector<Vertex> partner(torus.vertices.size());
  const Vertex length = along_lines ? torus.width : torus.height, count = along_lines ? torus.height : torus.width;
  for (Vertex line = 0; line < count; ++line) {
    for (Vertex k = 0; k < length; k += 2) {
      const Vertex start = k + (move_first && line == 0 ? 1 : 0);
      const Vertex a = along_lines ? torus.at(line, start) : torus.at(start, line);
      const Vertex b = along_lines ? torus.at(line, start + 1) : torus.at(start + 1, line);
      partner[a] = b;
      partner[b] = a;
    }
  }
  return partner;
}

}  // namespace

// Lines to the right, columns down and up in turn: of the four edges of any square an odd number run clockwise, across
// the seams too since the width is even.
std::vector<std::int8_t> torus_orientation(const UndirectedGraph& graph, const TorusGrid& torus) {
  std::vector<std::int8_t> orientation(graph.num_edges());
  const auto direct = [&](Vertex from, Vertex to) { orientation[edge_between(graph, from, to)] = from < to ? 1 : -1; };
  for (Vertex i = 0; i < torus.height; ++i) {
    for (Vertex j = 0; j < torus.width; ++j) {
      direct(torus.at(i, j), torus.at(i, j + 1));
      const Vertex here = torus.at(i, j), below = torus.at(i + 1, j);
      direct(j % 2 == 0 ? here : below, j % 2 == 0 ? below : here);
    }
  }
  return orientation;
}

GaussianInteger hafnian_on_torus(const PfaffianProblem& problem, const KasteleynPlan& plan, const RunContext& run) {
  const UndirectedGraph& graph = problem.graph;
  const TorusGrid& torus = *plan.torus;
  const auto sign = [&](bool along_lines, bool move_first) {
    return term_is_negative(graph, plan.orientation, torus_matching(torus, along_lines, move_first)) ? -1 : 1;
  };
  const int s00 = sign(true, false), s10 = sign(true, true), s01 = sign(false, true), s11 = -s00 * s10 * s01;
  GaussianInteger four_times;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      std::vector<std::int8_t> orientation = plan.orientation;
      const auto negate = [&](Vertex u, Vertex v) {
        std::int8_t& direction = orientation[edge_between(graph, u, v)];
        direction = static_cast<std::int8_t>(-direction);
      };
      for (Vertex i = 0; a && i < torus.height; ++i) negate(torus.at(i, torus.width - 1), torus.at(i, 0));
      for (Vertex j = 0; b && j < torus.width; ++j) negate(torus.at(torus.height - 1, j), torus.at(0, j));
      const int coefficient = s00 + (a ? -s10 : s10) + (b ? -s01 : s01) + (a != b ? -s11 : s11);
      add_multiple(coefficient, pfaffian(problem, orientation, plan, run), four_times);
    }
  }
  if (four_times.re % 4 != 0 || four_times.im % 4 != 0) {
    throw Error("four Pfaffians that do not add up; please report this graph");
  }
  return {four_times.re / 4, four_times.im / 4};
}

}  // namespace matchcount
