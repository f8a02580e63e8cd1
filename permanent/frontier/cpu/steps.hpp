#pragma once
// Spells an order of vertices out as steps, each a list of moves, which all engines of the frontier method carry out.
//
// A step takes one vertex off the frontier: it was matched before, or is matched now with a vertex that comes later or,
// in a sum over matchings that need not be perfect, stays unmatched. Where matchings are to be maximal, a vertex that
// enters the frontier says at once whether it is to stay unmatched, which no neighbour of such a vertex may: it has two
// bits, which tell apart those that are to be matched, are matched, and are left alone.

#include <cstdint>
#include <span>
#include <vector>

#include "permanent/frontier/frontier.hpp"

namespace matchcount {

// Vertices are numbered as in FrontierOrder: rows first, then columns. In a graph that is not bipartite, and in a sum
// over matchings that need not be perfect, every vertex counts as a row.
struct FrontierStep {
  struct Choice {
    Vertex partner;
    EdgeId edge;
    bool enters;               // the partner was not on the frontier before
    Vertex after = unmatched;  // a twin that must be matched already, or unmatched: none
  };
  // One way to go on. Its weight is that of number `weight`: 0: the vertex was matched before; 1 + i: it takes the
  // partner of choice i; 1 + all choices: it stays unmatched.
  struct Move {
    std::uint32_t weight = 0;
    Vertex partner = unmatched;
    bool enters = false;
    Vertex after = unmatched;
    std::vector<Vertex> left = {};      // entering vertices that are to be left alone
    std::vector<Vertex> not_left = {};  // frontier vertices that must not be
  };
  Vertex vertex = 0;
  bool was_on_frontier = false;  // else it is unmatched for certain
  std::vector<Choice> choices;   // its unprocessed neighbours; those that enter last, where it may stay unmatched
  std::vector<Move> moves;       // matched before, if it may be, staying unmatched, if it may, and choices
  std::vector<Vertex> entering;  // onto the frontier, to stay there
  std::vector<Vertex> closing;   // off the frontier, their last neighbour processed: only matched ones survive
  std::vector<Vertex>
      closing_entered;      // the same for vertices that were not on the frontier before: at most one survives
  std::uint32_t width = 0;  // of the frontier after the step
  std::uint32_t ones = 0;   // bits set in every state after the step; by parity: that number modulo 2
  double states = 0;        // C(width, ones), or fewer where twins are matched in turn; by parity: StatesOfParity
  // Bounds, in a bipartite graph where vertices may stay unmatched, how many more columns than rows of the frontier
  // are matched in a state that may still come to something.
  std::int64_t least_excess = 0, most_excess = 0;

  std::vector<FrontierStep> parts;  // steps that are made at once (joint_steps.hpp); none: this is a single one

  std::span<const FrontierStep> singles() const {
    return parts.empty() ? std::span<const FrontierStep>(this, 1) : std::span<const FrontierStep>(parts);
  }
  // Calls visit(v) for the vertices that are processed and those that they may take.
  template <class Visit>
  void for_each_involved(const Visit& visit) const {
    for (const FrontierStep& single : singles()) {
      visit(single.vertex);
      for (const Choice& choice : single.choices) visit(choice.partner);
    }
  }
  // Counts the transitions into so many states: each sums over half of the choices.
  double transitions_into(double so_many) const {
    double sum = 0;
    for (const FrontierStep& single : singles()) sum += 1.0 + 0.5 * static_cast<double>(single.choices.size());
    return so_many * sum;
  }
  std::uint32_t weight_unmatched() const { return static_cast<std::uint32_t>(choices.size() + 1); }
  bool may_stay_unmatched() const {
    return moves.size() > was_on_frontier && moves[was_on_frontier].weight == weight_unmatched();
  }
};

struct FrontierSteps {
  Vertex num_rows = 0;
  Vertex num_vertices = 0;
  std::vector<FrontierStep> steps;
  std::uint32_t max_width = 0;  // where vertices may stay unmatched, with that of a step that was not on the frontier
  bool by_parity = false;       // the graph need not be bipartite, matchings are perfect
  bool maximal = false;         // matchings to which no edge can be added
  bool impossible = false;      // some layer has no state: the permanent is 0
  bool with_twins = false;      // twins are matched in turn: the result is to be multiplied by twin_factor
  // Says, in a bipartite graph where vertices may stay unmatched, which are on the second side.
  std::vector<bool> is_column;

  bool is_row(Vertex v) const { return v < num_rows; }
  // Returns a state's bit for a vertex: rows say "matched", columns "unmatched".
  bool bit(Vertex v, bool matched) const { return matched == is_row(v); }
  // Returns what has the second bit of a vertex, where there is one: says that it is left alone. Then the first is set.
  Vertex left(Vertex v) const { return num_vertices + v; }
  Vertex num_bits() const { return maximal ? 2 * num_vertices : num_vertices; }
};

// twin_before as in FrontierOrder. Throws InputError for a sequence that is no permutation of the vertices, twins with
// different neighbours, and a sequence in which a twin has a step of its own.
FrontierSteps frontier_steps(const BipartiteGraph& pattern, const std::vector<Vertex>& sequence,
                             const std::vector<Vertex>& twin_before = {});
// Spells out steps of any graph, by parity. Throws InputError for a sequence that is no permutation of the vertices.
FrontierSteps frontier_steps(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence);

// Says which vertices may stay unmatched, and how many in all at the most.
struct UnmatchedVertices {
  std::vector<bool> may_be;
  std::uint32_t most = 0;
  bool maximal = false;  // no two neighbours: no edge can be added
};
// Spells out the steps of a sum over matchings that need not be perfect. A state is the set of frontier vertices that
// are matched. A vertex whose neighbours are all behind it has a step of its own at once, so that a layer is no wider
// than it has to be. Throws as frontier_steps does, and Unable where maximal matchings would take too many moves. A
// part of the steps may be asked for: the sequence is the beginning of one.
FrontierSteps matching_steps(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence,
                             const UnmatchedVertices& left_out, bool is_part = false);

// Says where sorted states give way to the array, and what both do.
struct MatchingLayout {
  std::size_t first_dense = 0;  // step; as many as there are: none
  std::uint32_t slots = 0;      // of the dense array, which has 2^slots states
  double sparse_states = 0;     // of the two sparse layers in a row that have most
  double sparse_transitions = 0, dense_transitions = 0;
};
// Throws Unable where sparse layers are too wide to be held.
MatchingLayout matching_layout(const FrontierSteps& steps);

constexpr std::uint32_t max_sparse_width = 64;

}  // namespace matchcount
