#pragma once
// Turns the command line into a question about matchings, or into the distribution of an input's matchings;
// names the edges of an input as its file does.

#include <string>
#include <unordered_map>
#include <vector>

#include "approx/estimated_distribution.hpp"
#include "apps/inputs.hpp"
#include "apps/json.hpp"
#include "apps/options.hpp"
#include "apps/text.hpp"
#include "core/numbers/integer.hpp"
#include "graph/input.hpp"
#include "matchcount/marginals.hpp"

namespace matchcount::app {

// Returns the edges of an undirected graph by EdgeId of the input's graph, each from the lesser vertex to the greater,
// vertices being numbered in the order of the file.
std::vector<Edge> edges_in_file_order(const Input& input);

// Returns the vertices as distributions number them, rows before columns, in the order of the file.
std::vector<Vertex> vertices_in_file_order(const Input& input);

class EdgeNames {
 public:
  // as_text: as a reader of edge lists takes each for one name, in quotes where need be; else as they are.
  EdgeNames(const Input& input, bool as_text);

  // Returns the ends of an edge, by EdgeId of the input's graph: row and column, or the vertex that is lesser in the
  // order of the file and the greater.
  const std::string& first(EdgeId edge) const { return rows_[edges_[edge].row]; }
  const std::string& second(EdgeId edge) const {
    return columns_.empty() ? rows_[edges_[edge].column] : columns_[edges_[edge].column];
  }
  EdgeId count() const { return edges_.size(); }

 private:
  std::vector<Edge> edges_;
  std::vector<std::string> rows_;     // or all vertices
  std::vector<std::string> columns_;  // none of an undirected graph
};

// Finds edges of an input by their ends, U-V, in either order where it has no sides.
class EdgesByName {
 public:
  explicit EdgesByName(const Input& input);
  // Throws InputError, which calls it `what`, for no edge and where several are spelt so.
  EdgeId find(const std::string& what, const std::string& ends) const;

 private:
  std::unordered_multimap<std::string, EdgeId> edges_;
};

// Says whether values of the input count: those of a matrix, parallel edges, and by --weighted all.
bool uses_weights(const Options& options, const Input& input);
// Says what is done with values that the file has; nothing where it has none.
std::string weights_note(const Options& options, const Input& input);

// Makes weights that are fractions, or integers of any size, integers without a common divisor, in proportion to them:
// each perfect matching has as many edges as the others, so that probabilities are the same. Returns what a unit of
// these stands for; 1 where there are none, or none counts. Where they do not fit into 64 bits they become reals. Those
// of other matchings stay as they are.
Rational bring_to_integers(const Options& options, Loaded& loaded);

// Makes weights that are fractions, or integers of any size, the nearest double-doubles. Throws InputError where they
// are out of range.
void bring_to_reals(Loaded& loaded);

// Calls body with the input's graph, without weights unless they count.
template <class Body>
auto with_graph(const Options& options, const Input& input, const Body& body) {
  const auto with = [&](const auto& graph) { return body(uses_weights(options, input) ? graph : graph.pattern()); };
  return input.is_bipartite() ? with(input.graph) : with(input.undirected);
}

// Makes the library's options from the command line.
DistributionOptions distribution_options(const Options& options, const Input& input, const CountOptions& count);

// Says why no matching is drawn from the distribution.
std::string why_none(const Options& options, const Input& input, const MatchingDistribution& distribution);

// Probabilities are asked for, and there are none.
[[noreturn]] void refuse_signs(const Loaded& loaded);

MatchingDistribution distribution_of(const Options& options, const Loaded& loaded, const CountOptions& count);

// The same by samples.
EstimatedDistribution estimated_distribution_of(const Options& options, const Loaded& loaded, const CountOptions& count,
                                                Work* work);

// Says whether the command line asks for matchings that need not be perfect, which the input then has loops for or not.
bool asks_for_others(const Options& options, const Input& input);

// Names the matchings that count, as the command line and JSON do; null: perfect ones.
Json json_matchings(const Options& options);

// Names the labels that --by tells matchings apart by; empty: there are none, or sums or loops.
std::vector<std::string> labels_of(const Options& options, const Input& input);

// Throws InputError for an undirected graph, whose sides are not the file's.
void refuse_saturating(const Input& input);

// Throws InputError where parallel edges were added up, for `what` tells single matchings apart.
void refuse_multiplicities(const Input& input, const std::string& what);

// Takes away the edges that matchings which meet --given can't have. Throws InputError where it names none, or several.
void meet_conditions(const Options& options, Input& input);

// Borrows the input. Throws InputError for what does not go together with it.
MatchingOptions matching_options(const Options& options, const Input& input, const CountOptions& count, bool weighted);

}  // namespace matchcount::app
