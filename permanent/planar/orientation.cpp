// An orientation of this kind counts. In a connected plane graph whose inner faces each have an odd number of edges
// along their clockwise walk (an edge with the same face on both sides is once along it), summing over the faces within
// a cycle and Euler's formula give: a cycle with i vertices inside has an odd number of edges along it just when i is
// even. The union of two perfect matchings consists of cycles with an even number of vertices inside, so that the two
// have terms of the same sign in the Pfaffian. A spanning tree is directed anyhow; the edges beside it form a
// spanning tree of the faces, in which each face, leaves first, directs the one edge that it has left.
//
// The sign that all terms have is that of any perfect matching's term, so that signed entries keep theirs.

#include "permanent/planar/orientation.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace matchcount {

std::vector<std::int8_t> kasteleyn_orientation(const UndirectedGraph& graph, const PlanarEmbedding& embedding) {
  const std::vector<Edge>& edges = graph.edges();
  const Faces faces = faces_of(graph, embedding);
  std::vector<std::int8_t> orientation(edges.size(), 0);
  for_each_tree_edge(graph, 0, [&](Vertex, Vertex, EdgeId id) { orientation[id] = 1; });
  // Keeps for each face whether an odd number of its edges is along its walk so far, and its edges that are not
  // directed yet, as the sum of their ids, which names the last.
  std::vector<bool> is_odd(faces.count, false);
  std::vector<std::uint32_t> open(faces.count, 0);
  std::vector<EdgeId> open_sum(faces.count, 0);
  for (EdgeId id = 0; id < edges.size(); ++id) {
    if (orientation[id] != 0) {
      const std::uint32_t face = faces.of_side[2 * id];
      is_odd[face] = !is_odd[face];
      continue;
    }
    for (const EdgeId side : {2 * id, 2 * id + 1}) {
      ++open[faces.of_side[side]];
      open_sum[faces.of_side[side]] += id;
    }
  }
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t face = 0; face < faces.count; ++face) {
    if (open[face] == 1) leaves.push_back(face);
  }
  while (!leaves.empty()) {
    const std::uint32_t face = leaves.back();
    leaves.pop_back();
    if (open[face] != 1) continue;  // the other end of the last edge has settled it: the exempt face
    const EdgeId id = open_sum[face];
    const bool forward_is_ours = faces.of_side[2 * id] == face;
    orientation[id] = is_odd[face] != forward_is_ours ? 1 : -1;
    const EdgeId along = 2 * id + (orientation[id] > 0 ? 0 : 1);
    is_odd[faces.of_side[along]] = !is_odd[faces.of_side[along]];
    for (const EdgeId side : {2 * id, 2 * id + 1}) {
      const std::uint32_t f = faces.of_side[side];
      open_sum[f] -= id;
      if (--open[f] == 1) leaves.push_back(f);
    }
  }
  if (std::find(orientation.begin(), orientation.end(), 0) != orientation.end()) {
    throw InputError("an embedding whose faces are not a sphere's", "a planar embedding of the graph");
  }
  return orientation;
}

bool is_odd_permutation(const std::vector<Vertex>& sequence) {
  std::vector<bool> seen(sequence.size(), false);
  bool odd = false;
  for (std::size_t start = 0; start < sequence.size(); ++start) {
    if (seen[start]) continue;
    for (std::size_t at = start;;) {
      seen[at] = true;
      at = sequence[at];
      if (at == start) break;
      odd = !odd;
    }
  }
  return odd;
}

bool term_is_negative(const UndirectedGraph& graph, const std::vector<std::int8_t>& orientation,
                      const std::vector<Vertex>& partner) {
  std::vector<Vertex> sequence;
  bool negative = false;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    const Edge& edge = graph.edges()[id];
    if (partner[edge.row] != edge.column) continue;
    sequence.insert(sequence.end(), {edge.row, edge.column});
    if (orientation[id] < 0) negative = !negative;
  }
  return negative != is_odd_permutation(sequence);
}

}  // namespace matchcount
