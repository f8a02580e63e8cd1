#pragma once
// Holds a graph as questions about its single perfect matchings need it: its numbers, the edges that are in some
// perfect matching, and the parts that these fall into.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/covered_parts.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "matching/reduce.hpp"
#include "matching/reduce_graph.hpp"

namespace matchcount {

using Entries = std::variant<std::vector<std::int64_t>, std::vector<RealEntry>, std::vector<ComplexEntry>>;

// Without weights all entries are 1. Edges of weight 0 are left out.
struct CoveredGraph {
  // Throws as run.check() does.
  CoveredGraph(const BipartiteGraph& graph, const RunContext& run);
  CoveredGraph(const UndirectedGraph& graph, const RunContext& run);

  EdgeId num_edges = 0;            // of the graph that was given
  std::vector<EdgeId> given_edge;  // of those that are not 0: the edge there
  Entries entries;                 // of these
  bool positive = false;           // none is negative or complex
  std::size_t matching_size = 0;   // of perfect ones
  Vertex maximum_matching_size = 0;
  std::optional<HallViolator> hall;  // why there is no perfect matching, of a bipartite graph
  std::optional<TutteSet> tutte;     // and of any other
  CoveredParts parts;

  bool has_perfect_matching() const { return !hall && !tutte; }
  std::size_t num_parts() const { return parts.parts.size(); }
  UndirectedGraph undirected(std::size_t part) const;
  // Of the part's edges; `all` is by EdgeId of the parts' names, as `entries` is.
  template <class Entry>
  std::vector<Entry> entries_of_part(std::size_t part, const std::vector<Entry>& all) const {
    std::vector<Entry> mine;
    for (const EdgeId edge : parts.parts[part].edges) mine.push_back(all[edge]);
    return mine;
  }
};

// As messages name a part.
std::string name_of_part(std::size_t part);

// The same numbers, to 2^-53 of the last bit of a double.
std::vector<RealEntry> as_reals(const std::vector<std::int64_t>& entries);

template <class Entry>
Block<Entry> block_with(const BipartiteGraph& pattern, std::vector<Entry> entries) {
  return {pattern, std::move(entries), {}, {}};
}
template <class Entry>
GraphBlock<Entry> block_with(const UndirectedGraph& pattern, std::vector<Entry> entries) {
  return {pattern, std::move(entries)};
}

}  // namespace matchcount
