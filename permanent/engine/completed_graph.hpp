#pragma once
// Makes a graph whose perfect matchings are a graph's matchings of another kind, so that what is asked about single
// matchings of any kind (marginals, samples, lists) is asked about perfect ones.
//
// Each of v1, ..., vk, which may be left alone, gets a new vertex c1, ..., ck, which are a path, and vi is joined to
// c(i-1) and ci. What is left of these by a matching of the others has exactly one perfect matching wherever it has an
// even number of vertices: c(i-1), if c1, ..., v(i-1) have not taken it, has vi or ci to go to, by whether vi is left,
// and so on. Along an order of the graph that is one vertex more on the frontier, whose state the others tell, so that
// there are no more states. Parity does not tell maximum matchings of graphs with odd cycles from others: if they leave
// d vertices alone, d new ones are joined to all that may be, which completes each matching in d! ways.

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/run.hpp"
#include "matching/matching_list.hpp"
#include "permanent/engine/answer.hpp"
#include "permanent/engine/matching_parts.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {

struct CompletedGraph {
  std::variant<BipartiteGraph, UndirectedGraph> graph;  // the vertices that were given first, rows before columns
  std::vector<EdgeId> edges;                            // by its EdgeId: the edge that was given, or no_edge
  Vertex num_vertices = 0;                              // that were given
  bool has_new_vertices = false;                        // its vertices may be more, and have no sides
  bool leaves_some_alone = false;                       // matchings of the kind may
  std::vector<Vertex> order;  // of the vertices of some components, which is to be followed there
  Integer ways = 1;           // to complete each matching
  Rational unit = 1;          // in the units of the weights that were given, for a product of this graph's
  Plan plan;                  // sizes of what was given, and where vertices are new, why it has no matching

  GraphView view() const;
};

// Completes a graph for a kind of matchings that is not perfect. The path of new vertices goes along an order that is
// sought with this effort. Null: along the numbers of the vertices, so that those before tell which of its new
// neighbours a vertex takes. Throws InputError for what the kind has not, for matchings by size and for maximal ones;
// Unable for the lightest matchings of parts with odd cycles, which edges do not tell from others, and where new edges
// would be too many; and as run.check() does.
CompletedGraph completed_graph(const Question& question, const OrderEffort* effort, const RunContext& run);

// Brings answers about perfect matchings back to those that were asked about.
Marginals folded(const CompletedGraph& completed, const Marginals& found);
// The same of so many samples, of which each has `most` places, the last of them with no_edge.
std::vector<EdgeId> folded(const CompletedGraph& completed, const std::vector<EdgeId>& edges, std::size_t count,
                           std::size_t most);

// Lists the matchings of a kind, each vertex being left alone after its partners, if it may be.
MatchingList list_completed(GraphView graph, MatchingKind kind, std::span<const Rational> fractions,
                            std::span<const Vertex> always_matched, const RunContext& run);

// ---- Maximum matchings of a connected graph counted as perfect matchings of a larger one, by any method: with d new
// vertices, joined to all that may stay unmatched by edges of weight 1, every matching that leaves d of those out is
// completed to a perfect one in d! ways.

// Says whether a part can be counted so: by few new vertices, its weights being numbers that graphs have.
bool can_be_completed(const MatchingPart& part, const Question& question);

// Finds the sum over matchings that leave part.question.unmatched.most vertices out, or plans that.
Result count_completed(const MatchingPart& part, const Question& question, const RunContext& run, Until until);

// Returns the most expensive forecast of the completed graph's blocks, for all of them.
Forecast forecast_of_completed(const Plan& plan, const MatchingPart& part);

// Divides a sum, with its bound. Throws Error for an integer that is not a multiple.
void divide(Value& value, const Integer& divisor);

}  // namespace matchcount
