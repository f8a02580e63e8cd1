#pragma once
// TreeProgram spells out how a sum over matchings is carried from bag to bag of a tree decomposition, towards its root.
//
// A bag's state is the set of its vertices that are matched already. A vertex is forgotten, in the last bag that has
// it, when it was matched before, is matched now with another vertex of the bag or, where matchings need not be
// perfect, stays unmatched. Where the bags of two subtrees meet, states are joined whose sets are disjoint: 3^w pairs
// of w common vertices at the most (van Rooij, Bodlaender and Rossmanith 2009, doi:10.1007/978-3-642-04128-0_51).

#include <cstdint>
#include <string>
#include <vector>

#include "graph/tree_decomposition.hpp"
#include "permanent/gaussian_integer.hpp"

namespace matchcount {

struct TreeProgram {
  struct Partner {
    std::uint8_t bit = 0;
    EdgeId edge = 0;
  };
  // Either joins what another bag carries on, or forgets a vertex.
  struct Step {
    bool joins = false;
    std::uint32_t bag = 0;
    Vertex vertex = 0;
    std::uint8_t bit = 0;
    bool may_stay_unmatched = false;
    std::vector<Partner> partners;
  };
  // Bits kept[i] are carried on, and become bits becomes[i] of the bag that joins this one. A bag that joins any begins
  // with that.
  struct Bag {
    std::vector<Step> steps;
    std::vector<std::uint8_t> kept, becomes;
  };
  std::vector<Bag> bags;  // each behind those that it joins; the root is last, and carries nothing on
  Vertex num_vertices = 0;
  std::uint32_t width = 0;    // of the decomposition
  std::vector<Vertex> order;  // of the vertices: eliminated along it they have no larger bags
  // Predictions: moves from a state to another; pairs of states that are joined, and those that are looked at; words
  // of the values that take part; states of one bag, and of all that are held at one time.
  struct Work {
    double moves = 0, words_of_moves = 0, pairs = 0, words_of_pairs = 0, tries = 0, peak_states = 0, held_states = 0;
  } work;
  // Seconds and bytes of a sum for every number of pairs (TreeQuestion::by_size).
  double by_size_s = 0, by_size_bytes = 0;
};

// Asks for one sum, or for one for every number of pairs. log2_bound bounds log2 of the sum.
struct TreeQuestion {
  const UndirectedGraph& graph;
  std::vector<bool> may_be_unmatched;  // by vertex; empty: none
  bool is_bipartite = false;
  double log2_bound = 0;
  bool by_size = false;
};

// A bag holds at most so many vertices: its states are numbered in 32 bits.
inline constexpr std::size_t max_bag = 24;

// Returns about that bound for all matchings of a graph with such weights of edges and of unmatched vertices.
double log2_bound_of_matchings(const UndirectedGraph& graph, const std::vector<GaussianInteger>& edges,
                               const std::vector<GaussianInteger>& vertices);

// Spells out the sum along a decomposition of the graph, of bags of max_bag vertices at the most.
TreeProgram tree_program(const TreeQuestion& question, const TreeDecomposition& tree);

// Searches for a decomposition by which a sum takes little, for a small share of that or of useful_s. Sums by size are
// quicker along balanced ones, where they are not too wide. No bags where none is narrow enough: then `width` is the
// least that was found, or 0 where the search ended before. Throws as run.check() does.
TreeProgram find_tree_program(const TreeQuestion& question, double useful_s, std::uint64_t seed, const RunContext& run);

// The same along an order of all vertices in which they are eliminated.
TreeProgram tree_program_along(const TreeQuestion& question, const std::vector<Vertex>& order, const RunContext& run);

// Seconds of one sum in integers, or in double-doubles with exponents, on the machine of the cost models, and bytes.
double seconds_in_integers(const TreeProgram& program);
double seconds_by_size(const TreeProgram& program);
double seconds_in_reals(const TreeProgram& program, bool is_complex);
double bytes_of(const TreeProgram& program, double bytes_of_value);
double log2_operations_of(const TreeProgram& program);
// "; treewidth at most 31 found, 23 would do" of a search that found no narrower one; empty where it ended before.
std::string what_was_found(const TreeProgram& program);
// "tree decomposition of width 9, at most 2^7.0 states"
std::string description_of(const TreeProgram& program);

}  // namespace matchcount
