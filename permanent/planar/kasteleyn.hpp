#pragma once
// Counts the perfect matchings of planar graphs in polynomial time (Kasteleyn 1963, doi:10.1063/1.1703953; 1967):
// directed so that every face has an odd number of edges along its walk, a planar graph has all its perfect matchings
// in the Pfaffian of its signed adjacency matrix with the same sign. Exactly, by residues and the Chinese remainder
// theorem.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "graph/planar.hpp"
#include "graph/rotation.hpp"
#include "graph/undirected_graph.hpp"
#include "graph/vertices.hpp"
#include "matching/reduce.hpp"
#include "permanent/planar/cpu/elimination_program.hpp"
#include "permanent/planar/dissection.hpp"
#include "permanent/planar/surface.hpp"

namespace matchcount {

// Returns the end of an edge that is not v.
inline Vertex other_end(const Edge& edge, Vertex v) { return edge.row == v ? edge.column : edge.row; }

// Spans a graph by trees, breadth first: calls visit(u, v, edge) where v is reached from u. The first tree grows from
// `root`, others from vertices that are left.
template <class Visit>
void for_each_tree_edge(const UndirectedGraph& graph, Vertex root, Visit&& visit) {
  std::vector<bool> reached(graph.num_vertices(), false);
  std::vector<Vertex> queue;
  for (Vertex i = 0; i < graph.num_vertices(); ++i) {
    const Vertex start = i < graph.num_vertices() - root ? root + i : root + i - graph.num_vertices();
    if (reached[start]) continue;
    reached[start] = true;
    queue.assign(1, start);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for_each_neighbour(graph, queue[at], [&](Vertex v, EdgeId edge) {
        if (reached[v]) return;
        reached[v] = true;
        visit(queue[at], v, edge);
        queue.push_back(v);
      });
    }
  }
}

// Directs each edge: by EdgeId, +1 if it is directed from edges()[id].row to its column and -1 if it is directed back,
// so that every face but one of each component has an odd number of edges directed along its walk. Throws InputError if
// the embedding is not one of the graph. O(vertices + edges).
std::vector<std::int8_t> kasteleyn_orientation(const UndirectedGraph& graph, const PlanarEmbedding& embedding);

// Says whether v_0, v_1, ... is an odd permutation of 0, 1, ...
bool is_odd_permutation(const std::vector<Vertex>& sequence);

// Says whether the term of a perfect matching in the Pfaffian is negative, entries' own signs left out.
bool term_is_negative(const UndirectedGraph& graph, const std::vector<std::int8_t>& orientation,
                      const std::vector<Vertex>& partner);

// KasteleynPlan holds what is known of a planar graph, or of one in another surface, before it is counted.
struct KasteleynPlan {
  std::vector<std::int8_t> orientation;     // by EdgeId
  std::optional<SurfacePfaffians> surface;  // of a graph that is not planar; the orientation is that of its first term
  std::vector<bool> is_column;              // a colouring in two; empty where the graph is not bipartite
  Dissection dissection;
  EliminationStructure structure;
};

// Estimates the memory of Boost's test for planarity, which says nothing of it: 1.8 GB for a grid of 10^6 vertices, 3
// GB for a 3-regular graph of 2 x 10^6.
constexpr double embedding_bytes(double vertices_and_edges) { return 600 * vertices_and_edges; }

// most_euler_genus bounds the surfaces that plans are made for: 2^genus Pfaffians.
inline constexpr std::size_t most_euler_genus = 6;

// Plans a count; nothing if the graph is not planar, a rotation that is given has a larger genus than that, and no
// embedding of it in a surface is found (graph/surface.hpp). A function of its arguments alone. O(edges log vertices)
// as a rule; throws as run.check() does.
std::optional<KasteleynPlan> plan_kasteleyn(const UndirectedGraph& graph, std::uint64_t seed, const RunContext& run,
                                            const RotationSystem* rotation = nullptr);
// The plan of a planar graph with this embedding.
KasteleynPlan plan_kasteleyn(const UndirectedGraph& graph, const PlanarEmbedding& embedding, std::uint64_t seed,
                             const RunContext& run);
// The plan of a graph embedded in another surface; nothing if it has no perfect matching or is not connected.
std::optional<KasteleynPlan> plan_kasteleyn(const UndirectedGraph& graph, const SurfaceEmbedding& embedding,
                                            std::uint64_t seed, const RunContext& run);

// KasteleynReport says what a count took, its Pfaffians together.
struct KasteleynReport {
  int num_replays = 0;  // of a program by a list of moduli
  std::size_t num_moduli = 0;
  double multiplications = 0;  // of all replays
  double eliminate_s = 0;      // to find the programs
  double replay_s = 0;
};

// The hafnian: the sum over perfect matchings of the product of their entries, for a bipartite graph the permanent.
// Exact; 0 where there is none. On planar graphs of bounded degree O(n^1.5) multiplications of 30-bit residues for each
// of O(n) primes. Throws InputError for entries or a plan that don't fit, Unable beyond
// run.options().memory_limit_bytes, and as run.check() does. The same on any number of threads. Moduli are what ranks
// share and a checkpoint keeps, under run.part().
Integer hafnian_kasteleyn(const GraphBlock<std::int64_t>& block, const KasteleynPlan& plan, const RunContext& run,
                          KasteleynReport* report = nullptr);

// The same of reals and complex numbers, which are rounded to some significant bits and become integers
// (permanent/fixed_point.hpp): the value is that of the rounded numbers, exactly, to a relative 2^-100.
// Double-double and automatic precision keep 104 bits, the others as many as a relative error of 2^-62 takes where
// nothing cancels. Exact precision keeps all, and the answer's own rounding is all that the bound then counts: a 0 is
// proven. Else the bound counts this rounding and 2^-100 for each entry's own error, as all methods do; where entries
// are negative, complex or hide cancellations, it takes a second Pfaffian, of magnitudes to a few bits. Any finite
// entries: their exponents cost bits as far as perfect matchings differ in them.
RealValue hafnian_kasteleyn(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan, Precision precision,
                            const RunContext& run, KasteleynReport* report = nullptr);
ComplexValue hafnian_kasteleyn(const GraphBlock<ComplexEntry>& block, const KasteleynPlan& plan, Precision precision,
                               const RunContext& run, KasteleynReport* report = nullptr);

// Upper bounds on the logarithms of the integers that hafnian_kasteleyn finds.
struct KasteleynSizes {
  double log2_value = 0;
  double log2_magnitudes = -std::numeric_limits<double>::infinity();  // of the second Pfaffian, where there is one
  bool complex = false;
};
KasteleynSizes kasteleyn_sizes(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan, Precision precision);
KasteleynSizes kasteleyn_sizes(const GraphBlock<ComplexEntry>& block, const KasteleynPlan& plan, Precision precision);

// KasteleynCost is what hafnian_kasteleyn would take on each of so many ranks: seconds on the machine that the
// planner's constants were measured on. `parts`: of a count in parts by a symmetry
// (permanent/planar/symmetric_pfaffian.hpp).
struct KasteleynCost {
  double seconds = 0;
  double memory_bytes = 0;
  double num_primes = 0;
};
KasteleynCost kasteleyn_cost(const KasteleynPlan& plan, const KasteleynSizes& sizes, Isa isa, int num_threads,
                             int num_ranks = 1, const EliminationStructure* parts = nullptr);
// An upper bound on log2 |hafnian| (on a surface, of any one of the Pfaffians) of entries of these magnitudes, which
// are finite: -infinity where a vertex has no entry but 0. O(edges).
double log2_kasteleyn_bound(const UndirectedGraph& graph, const std::vector<double>& magnitudes,
                            const KasteleynPlan& plan);
double log2_kasteleyn_bound(const GraphBlock<std::int64_t>& block, const KasteleynPlan& plan);

}  // namespace matchcount
