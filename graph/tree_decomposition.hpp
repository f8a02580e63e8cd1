#pragma once
// TreeDecomposition holds bags of a graph's vertices in a tree: every edge has both ends in some bag, and the bags with
// a vertex hang together. Its width, one less than the largest bag, is at least the graph's treewidth.
//
// Robertson and Seymour 1986, doi:10.1016/0196-6774(86)90023-4. Decompositions come from orders of elimination: the
// vertex that is eliminated makes a clique of its neighbours, who are its bag with it. Which vertex is next is given,
// or greedy, by the fewest neighbours or the fewest edges to be filled in (Bodlaender and Koster 2010,
// doi:10.1016/j.ic.2009.03.008).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/step_check.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

struct TreeDecomposition {
  std::vector<std::vector<Vertex>> bags;               // ascending, none empty
  std::vector<std::vector<std::uint32_t>> neighbours;  // of bags in the tree

  // Vertices of the largest bag less one; 0 where there is none.
  std::size_t width() const;
};

// A graph's adjacency, borrowed: the neighbours of v stand at offsets[v] to offsets[v + 1].
struct AdjacencyView {
  std::span<const std::size_t> offsets;
  std::span<const Vertex> neighbours;
};
// The same, held.
struct Adjacency {
  explicit Adjacency(const UndirectedGraph& graph);
  AdjacencyView view() const { return {offsets, neighbours}; }

  std::vector<std::size_t> offsets{0};
  std::vector<Vertex> neighbours;
};

enum class EliminationRule { degree, fill };

// Greedily; ties by a coin that `seed` decides. Bags within others are left out, and components joined as one tree.
// Nothing where a bag of more than max_width + 1 would be met or so many steps of work be passed; `work` is what was
// done, in looks at an edge. Throws as run.check() does.
std::optional<TreeDecomposition> decompose_by_elimination(const AdjacencyView& graph, EliminationRule rule,
                                                          std::uint64_t seed, std::size_t max_width,
                                                          std::uint64_t most_work, std::uint64_t& work,
                                                          StepCheck& steps);

// The same along an order of all vertices. Nothing where a bag of more than max_width + 1 would be met.
std::optional<TreeDecomposition> decompose_along(const AdjacencyView& graph, std::span<const Vertex> order,
                                                 std::size_t max_width, StepCheck& steps);

// Returns a decomposition in which the way from the first bag to any other is short: some 4 log2 n bags of n. Bags of
// k vertices become bags of at most 3 k (Bodlaender and Hagerup 1998, doi:10.1137/S0097539795289859).
TreeDecomposition balanced(const TreeDecomposition& tree, StepCheck& steps);

// The bags from the leaves to the root, which is last: each behind those below it.
struct RootedBags {
  std::vector<std::uint32_t> sequence;
  std::vector<std::uint32_t> parent;  // of each bag; the root's is itself
};
RootedBags rooted(const TreeDecomposition& tree, std::uint32_t root);
// Returns the bag that is the farthest from another.
std::uint32_t farthest_bag(const TreeDecomposition& tree, std::uint32_t from);

// Orders all vertices, each where the bag that is the last to have it, towards the root, is done with. Below every bag
// one subtree comes after another, the one that asks for the widest frontier first, for while the others are processed
// its separator is held. Eliminated in that order, the vertices have bags within those of the tree; and the frontier is
// as wide as the tree times the logarithm of its size at the most (Ellis, Sudborough and Turner 1994,
// doi:10.1006/inco.1994.1064).
std::vector<Vertex> order_along_tree(const TreeDecomposition& tree, std::uint32_t root);

}  // namespace matchcount
