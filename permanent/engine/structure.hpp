#pragma once
// Takes a graph apart before anything of it is counted: a maximum matching or the reason why there is no perfect one,
// scaling, reductions, blocks. Carries orders of vertices over from a graph to its parts, and back
// (CountOptions::order, wants_order).

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/entry_error.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/method.hpp"
#include "permanent/plan.hpp"

namespace matchcount {

// Throws InputError where the options give an order that has not each of so many vertices once, or give or want one of
// a method that has none.
void require_order_of(const CountOptions& options, std::size_t num_vertices);

// Returns the place of every vertex in an order.
std::vector<Vertex> places_in(const std::vector<Vertex>& order);
// Orders the vertices of a part, which have these names, by the places of the names.
std::shared_ptr<const std::vector<Vertex>> order_among(const std::vector<Vertex>& places,
                                                       const std::vector<Vertex>& names);

// Puts those of so many vertices that are not in the order before it, ascending.
void put_others_first(std::vector<Vertex>& order, std::size_t num_vertices);

// Returns the entries of a graph, by EdgeId; where there are no weights, ones. Throws InputError for a complex number
// whose absolute value no double holds. Instantiated for BipartiteGraph and UndirectedGraph and the weights that they
// have.
template <class Entry, class Graph>
std::vector<Entry> entries_of(const Graph& graph);

// Returns how much an entry of a file may differ from its text beyond what every method counts, relatively.
template <class Entry>
double input_error(const std::vector<Entry>& entries) {
  double worst = 0;
  if constexpr (!std::is_same_v<Entry, std::int64_t>)
    for (const Entry& entry : entries) worst = std::max(worst, subnormal_error(entry.magnitude));
  return worst;
}

// Fills in the size of a graph.
void describe(const BipartiteGraph& graph, Plan& plan);
void describe(const UndirectedGraph& graph, Plan& plan);
// Finds a maximum matching, and fills in its size and, where it is not perfect, the reason why.
Matching find_matching(const BipartiteGraph& graph, Plan& plan, const RunContext& run);
GraphMatching find_matching(const UndirectedGraph& graph, Plan& plan, const RunContext& run);

struct StructureOptions {
  ReduceOptions reduce;
  enum class Scaling {
    always,     // entries near 1, in every block
    if_uneven,  // once, where entries leave 2^+-100
    never       // entries count as they are held: nothing is lifted, nothing rounded
  } scaling = Scaling::always;
};

// Everything up to the blocks, of which there are none where the plan says that there is no perfect matching.
template <class Entry>
struct Structure {
  Plan plan;
  std::vector<Check> checks;
  bool exact = false;      // entries count as they are held
  double entry_error = 0;  // what their own relative errors add up to, beyond the methods' account
  // The bipartite part, without odd cycles.
  EntryScaling scaling;
  Reduced<Entry> reduced;
  std::vector<EntryScaling> block_scaling;
  // The rest of an UndirectedGraph, without its bipartite part, and what was scaled before it was split.
  EntryScaling graph_scaling;
  ReducedGraph<Entry> rest;
  std::vector<EntryScaling> graph_block_scaling;
  // Returns for each block, those without odd cycles first, the vertices of the graph, rows before columns, whose names
  // the block's own have.
  std::vector<std::vector<Vertex>> names() const;

  // `entries` gives those of the graph by EdgeId, none of them 0, and is called where there is a perfect matching.
  // Throws as it and as run.check() do.
  using Entries = std::function<std::vector<Entry>()>;
  Structure(GraphView graph, const Entries& entries, const StructureOptions& options, const RunContext& run);

  // Returns a hash, in 32 hexadecimal digits, of all that is left to count, factors included. O(edges).
  std::string identity() const;

 private:
  template <class Graph>
  void take_apart(const Graph& graph, const Entries& entries, const StructureOptions& options, const RunContext& run);
  void reduce_bipartite(const BipartiteGraph& graph, std::vector<Entry> entries, const Matching& matching,
                        const StructureOptions& options, const RunContext& run);
};

}  // namespace matchcount
