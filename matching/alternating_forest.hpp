#pragma once
// Grows Edmonds's alternating forest from the vertices that a matching leaves out, as far as it goes.

#include <span>
#include <utility>
#include <vector>

#include "graph/undirected_graph.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount {

// A path is alternating where every other edge of it is matched, beginning at a vertex that the matching leaves out
// with an edge that is not.
enum class ForestState : unsigned char {
  unreached,
  even,  // the end of an alternating path of even length, maybe of an odd one as well
  odd    // of odd ones alone
};

// Grows in a graph and a matching of it that outlive it. Memory: 25 bytes a vertex.
class AlternatingForest {
 public:
  // `gone`: vertices that are not in the graph while it grows, with their partners; outlives it.
  AlternatingForest(const UndirectedGraph& graph, const std::vector<Vertex>& partner,
                    const std::vector<char>* gone = nullptr);

  // Grows in the graph without this vertex, if one is named, whose partner is then left out too; what was grown before
  // is forgotten. False where two trees meet: the matching is not maximum, and the states are of no use. Nearly O(edges
  // at the vertices reached).
  bool grow(Vertex without = unmatched);
  // Grows from these vertices alone, which are all that have no partners.
  bool grow_from(std::span<const Vertex> roots);
  // Matches the roots of two trees that met in the last grow, along the way between them. `partner` is the matching
  // that it grew in.
  void augment(std::vector<Vertex>& partner) const;
  // Returns the state of a vertex after a grow that returned true.
  ForestState state(Vertex v) const { return state_[v]; }

 private:
  void forget();
  void make_even(Vertex v);
  bool is_root(Vertex v) const { return partner_[v] == unmatched || partner_[v] == without_; }
  Vertex base_of(Vertex v);
  Vertex base_above(Vertex base);
  Vertex common_base(Vertex v, Vertex w);
  void contract_path(Vertex from, Vertex base, Vertex beyond);

  const UndirectedGraph& graph_;
  const std::vector<Vertex>& partner_;
  const std::vector<char>* gone_;
  std::vector<Vertex> left_out_;
  Vertex without_ = unmatched;
  std::vector<ForestState> state_;
  std::vector<Vertex> parent_;                     // of a vertex that was odd when it was reached
  std::vector<Vertex> blossom_;                    // towards the base of the contracted blossom that the vertex is in
  std::vector<Vertex> climb_;                      // the last climb that came by
  std::vector<std::pair<Vertex, Vertex>> bridge_;  // by which an odd vertex became even; else unmatched
  std::pair<Vertex, Vertex> meeting_;              // the edge between two trees
  Vertex climbs_ = 0;
  std::vector<Vertex> even_;  // in the order in which they became so
  std::vector<Vertex> reached_;
};

}  // namespace matchcount
