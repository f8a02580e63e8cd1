#pragma once
// Sums over all matchings of a connected graph, perfect or not, by a frontier method: a vertex that is processed may
// also stay unmatched, with a weight of its own.
//
// The sum is over the matchings of the product of the weights of the edges in them and of the vertices that they leave
// unmatched. All subsets of the frontier are states, 2^w of them, but for those that too many unmatched vertices would
// take (cpu/steps.hpp). Exact sums are modulo primes of 31 bits, a pass for each; what tells matchings of
// different sizes apart is a polynomial for every state, whose degree is the number of pairs or of unmatched vertices.
// Where matchings are maximal a frontier vertex is matched, to be matched or left alone, so that there are 3^w states,
// which are sorted throughout; a vertex says so where it enters, and no two neighbours are left alone.
//
// Monomer-dimer systems: Heilmann and Lieb 1972 (doi:10.1007/BF01877590). Loop hafnians: Bjorklund, Gupt and Quesada
// 2019 (doi:10.1145/3325111).
// An order for them takes what hangs on the graph as a tree, which reductions take away where matchings are perfect,
// just before the vertex that it hangs on.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/device_choice.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/frontier/order/reflection.hpp"
#include "permanent/gaussian_integer.hpp"

namespace matchcount {

// Orders the vertices of a connected graph. The vertices that are left without the trees have two neighbours or more
// each, and the order of find_frontier_order. A tree of n vertices takes a frontier of log2 n, and of more than one at
// most one wider than its widest two parts. Throws as run.check() does.
std::vector<Vertex> find_matching_order(const UndirectedGraph& graph, const OrderEffort& effort, const RunContext& run);

struct MatchingQuestion {
  UndirectedGraph pattern;
  UnmatchedVertices unmatched;
  enum class Wanted {
    sum,            // over all matchings
    by_pairs,       // one sum for every number of edges, from 0 to most_pairs
    most_unmatched  // over those that leave unmatched.most vertices out
  } wanted = Wanted::sum;
  Vertex most_pairs = 0;    // by_pairs: the edges of a maximum matching
  bool is_uniform = false;  // edges have one weight, and vertices that may stay unmatched 1
};

struct MatchingPlan {
  std::vector<Vertex> sequence;
  FrontierSteps steps;
  MatchingLayout layout;
  std::size_t lanes = 1;                      // coefficients of a state's polynomial
  bool in_integers = false;                   // an exact sum is one pass in integers that grow, sparse throughout
  std::size_t passes = 1;                     // of an exact sum: primes, each twice where weights are complex
  int bytes_of_residue = 4;                   // of a dense state: primes are below 2^31, or 2^15
  std::optional<Reflection> reflection = {};  // the steps are those of one half
  std::vector<DeviceInfo> gpus = {};          // that carry out dense steps; none: the CPU does
  std::uint32_t log2_team = 0;                // so many of them hold a layer together
  double seconds = 0;                         // on the machine of the cost models
  double memory_bytes = 0;                    // of all passes that are worked on side by side
  std::string description;                    // "width 16, at most 2^16 states, modulo 9 primes"
};

// Searches for an order. `log2_weight` bounds log2 of the magnitude of an edge's weight, or of the square of a
// vertex's, of an exact sum; effort_s as CountOptions have it, or else at most most_search_s; what takes more than
// useful_s is of no use. An order that is given is taken instead. Throws as run.check() does, and Unable where no order
// is narrow enough.
MatchingPlan plan_matchings(const MatchingQuestion& question, double log2_weight, bool is_complex, double effort_s,
                            const RunContext& run, double most_search_s = std::numeric_limits<double>::infinity(),
                            double useful_s = std::numeric_limits<double>::infinity(),
                            const std::vector<Vertex>* given = nullptr);
// The same for numbers of so many doubles, of a plan for the question's sum.
MatchingPlan plan_for_floats(MatchingPlan plan, int doubles, const RunContext& run);

// Plans to verify a sum: backwards; where that is much wider, along the same order in other numbers, by sorted states
// alone, in integers that grow if they may. Says which.
struct SecondPlan {
  MatchingPlan plan;
  bool is_backwards;
};
SecondPlan plan_again(const MatchingQuestion& question, const MatchingPlan& first, bool may_grow);

// Says whether the edges have one weight, and the vertices 1 or 0.
bool are_uniform(const std::vector<GaussianInteger>& edges, const std::vector<GaussianInteger>& vertices);

// Weights of edges by EdgeId and of vertices, 0 for those that must be matched. One sum, or by the number of pairs
// from 0 on. Passes are pieces of run.work(), named after run.part(). Throws OverLimit past the memory limit, and as
// run.check() does.
std::vector<GaussianInteger> sum_matchings(const MatchingQuestion& question, const MatchingPlan& plan,
                                           const std::vector<GaussianInteger>& edges,
                                           const std::vector<GaussianInteger>& vertices, const RunContext& run);

// Finds the sum in doubles or double-doubles, with a proven bound on its error; entries of the vertices follow those of
// the edges. Requires `Wanted::sum`, and entries whose magnitudes are 0 or, after the largest is scaled to 1, above
// 2^-900: floats_hold says whether that is so.
bool floats_hold(const std::vector<ComplexEntry>& edges, const std::vector<ComplexEntry>& vertices);
ComplexValue sum_matchings(const MatchingQuestion& question, const MatchingPlan& plan,
                           const std::vector<ComplexEntry>& edges, const std::vector<ComplexEntry>& vertices,
                           bool is_real, Precision precision, const RunContext& run);

// Plans to find the least weight of a perfect matching of a connected graph, and how many have it, in the semiring of
// pairs (weight, number): a sum keeps the lesser weight, and adds the numbers where they are equal. Throws as
// run.check() does, and Unable where no order is narrow enough.
MatchingPlan plan_lightest(const UndirectedGraph& pattern, double effort_s, const RunContext& run);
struct LightestMatchings {
  Integer weight = 0;  // the sum of the edges' weights
  Integer number = 0;  // 0: there is none, and no weight
};
// Does so. `weights` by EdgeId. Throws OverLimit past the memory limit, and as run.check() does.
LightestMatchings lightest_matchings(const MatchingPlan& plan, const std::vector<Integer>& weights,
                                     const RunContext& run);

}  // namespace matchcount
