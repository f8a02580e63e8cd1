#pragma once
// Eliminates Kasteleyn's matrix of reals along a dissection, in double-doubles or wide reals, and finds the entries of
// its inverse at edges, with proven bounds on all errors. Private to permanent/.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/planar/cpu/bounded_matrix.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

// RealFront belongs to a node of the dissection: its vertices, what its children left over, and the vertices of later
// nodes that its subtree touches. The first `pivots` rows and columns are eliminated, the rest is left for the parent.
template <class Number>
struct RealFront {
  std::vector<Vertex> rows, columns;  // skew: the same
  std::size_t pivots = 0;
  BoundedMatrix<Number> inverse, right, below;  // F_PP^-1, F_PP^-1 F_PB and F_BP F_PP^-1
  BoundedMatrix<Number> left;                   // F_BB - F_BP F_PP^-1 F_PB
};

// An edge that is assembled at a node: entry (row, column) of the signed matrix.
struct SignedEdge {
  Vertex row, column;
  EdgeId edge;
  double sign;
};

template <class Number>
struct RealElimination {
  bool skew = false;
  std::vector<RealFront<Number>> fronts;             // by node
  std::vector<std::vector<std::uint32_t>> children;  // by node
  std::vector<std::vector<std::uint32_t>> levels;    // nodes by height, those without children first
  std::vector<std::vector<SignedEdge>> edges;        // by node
  bool complete = false;  // no pivot was left over, and every error is bounded; else some bounds are infinite
};

// KeptOfFronts says what is kept of every front: all that a selected inverse asks for, or what is left for the parent.
// Then roots, which leave nothing, are not eliminated.
enum class KeptOfFronts { factors, left };

// Eliminates entries of a planar graph, none of which is 0 and all of magnitudes between 2^-200 and 2^200. Pivots are
// those least surpassed in their rows and columns; those that are surpassed far wait for the parent. Throws as
// run.check() does. The same on any number of threads. Number is DoubleDouble, WideReal<4> or WideReal<10>.
template <class Number>
RealElimination<Number> eliminate_reals(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan,
                                        KeptOfFronts kept, const RunContext& run);

struct RealShare {
  DoubleDouble value;
  double error = 0;
};

// Finds for each edge, by EdgeId, the share |K_uv (K^-1)_vu| that the perfect matchings with it have of the sum over
// all; nothing if the bounds are lost. Requires what eliminate_reals does. The same on any number of threads.
std::optional<std::vector<RealShare>> real_shares(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan,
                                                  const RunContext& run);

}  // namespace matchcount
