#pragma once
// Takes a graph apart at small cuts: a piece behind at most three vertices goes, and a few edges in its place keep the
// sum over the perfect matchings.

#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "graph/small_cuts.hpp"

namespace matchcount {

// With f(S) the sum over the perfect matchings of the piece and those of its boundary in S, the graph's sum is that
// over all S of f(S) times the sum of the rest without S. New edges weigh 1, some f(S) or the product of two; where the
// sum of the rest has a factor f(S) too many, `divisor` names it. (Straub, Thierauf and Wagner 2014,
// doi:10.1109/CCC.2014.29; Curticapean 2014.)
struct Cut {
  static constexpr int nothing = -1;

  struct Subset {
    std::vector<Vertex> taken;  // of the boundary
    bool is_possible = false;   // the piece with these has a perfect matching, whatever its weights
  };
  // An edge that takes the piece's place: weighs values[first] * values[second], where 1 stands for nothing. It is in a
  // matching exactly where the subset that it tells is taken, if it tells one.
  struct NewEdge {
    EdgeId edge;
    int first = nothing, second = nothing, tells = nothing;
  };

  HangingPiece piece;
  std::vector<EdgeId> edges;  // with an end in it
  std::vector<Subset> subsets;
  std::vector<NewEdge> added;
  std::vector<EdgeId> scaled;  // other edges of the boundary that are multiplied by values[0]
  int factor = nothing;        // of the whole
  int divisor = nothing;
  int otherwise = nothing;  // the subset that is taken where no edge tells another
};

struct CutPlan {
  std::vector<Edge> edges;       // those of the graph by EdgeId, then new ones
  std::vector<Cut> cuts;         // in the order in which they are carried out: edges of one may be new ones of another
  std::vector<Vertex> vertices;  // that are left
  std::vector<EdgeId> rest;      // edges that are left
};

// Cuts of at most so many vertices, 2 or 3. `other_root`: looks from another vertex, which may find other ones. Throws
// as run.check() does.
CutPlan plan_cuts(const UndirectedGraph& graph, std::size_t most_boundary, bool other_root, const RunContext& run);

// A part of the graph with vertices of its own, where edges side by side are one.
struct CutPart {
  UndirectedGraph pattern;
  std::vector<std::vector<EdgeId>> members;  // by its EdgeId: edges of the plan
};
CutPart part_of(const CutPlan& plan, std::span<const Vertex> vertices, std::span<const EdgeId> edges);
// The piece of a cut with those of a subset.
CutPart piece_with(const CutPlan& plan, const Cut& cut, const Cut::Subset& subset);

}  // namespace matchcount
