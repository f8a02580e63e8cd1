#pragma once
// Counts perfect matchings and cycle covers, and computes permanents and hafnians, by whichever method is predicted to
// be cheapest, and says what was done, how long it took and what was checked.
//
//   auto graph = matchcount::grid_graph(8, 8);
//   auto result = matchcount::count_perfect_matchings(graph);
//   std::cout << to_string(result.value);      // 12988816
//
// `work` is shared with other ranks or saved in a checkpoint (core/work.hpp); null: it is neither.

#include "matchcount/version.hpp"  // first: it says what the compiler has to know

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/api.hpp"
#include "core/numbers/integer.hpp"
#include "graph/digraph.hpp"
#include "graph/graph_view.hpp"
#include "permanent/engine/question.hpp"

namespace MATCHCOUNT_API matchcount {

// Counts perfect matchings; weights are ignored. 0, with a Hall violator as the reason, where there is none, sides of
// different size included; in a graph without sides, whose components without odd cycles are counted as bipartite
// graphs, the reason is a Tutte set. The empty graph has one. Throws Unable when no method is predicted to keep within
// run.time_limit_s (by a factor of 2, the accuracy of a prediction) and run.memory_limit_bytes, or when one that was
// started does not; the message says what the cheapest would need. Cancelled when run.stop is raised.
Result count_perfect_matchings(GraphView graph, const CountOptions& options = {}, Work* work = nullptr);

// Says whether a type is no graph of ours, nor one that knows more beside.
template <class G>
concept ForeignGraph =
    !std::convertible_to<const G&, const BipartiteGraph&> && !std::convertible_to<const G&, const UndirectedGraph&> &&
    !std::convertible_to<const G&, const Digraph&>;
template <ForeignGraph G>
Result count_perfect_matchings(const G&, const CountOptions& = {}, Work* = nullptr) {
  static_assert(!ForeignGraph<G>,
                "a graph of Boost.Graph is taken after #include <matchcount/boost.hpp>, which adapts it by "
                "<matchcount/graph/boost_adapter.hpp>; others become a BipartiteGraph or an UndirectedGraph first");
  return {};
}

// Computes the hafnian of a symmetric matrix with a zero diagonal, the sum over perfect matchings of the product of
// their weights: exact for integer weights (no weights count 1), otherwise real or complex with an error bound.
Result hafnian(const UndirectedGraph& graph, const CountOptions& options = {}, Work* work = nullptr);

// Counts the cycle covers of a digraph; a self-loop is a cycle of length one. Weights are ignored.
Result count_cycle_covers(const Digraph& digraph, const CountOptions& options = {}, Work* work = nullptr);

// Computes the permanent: exact for integer weights (no weights count 1), otherwise real or complex with an error
// bound. A matrix that is not square has permanent 0 here, as it has no perfect matching. Precision::automatic takes
// double-doubles where they are predicted to cost little, or where doubles left no digits. Precision::exact takes the
// values as they are held: by the planar method where it applies and no other is asked for, else as integers, which
// takes several runs where they have more than 64 bits.
Result permanent(const Matrix& matrix, const CountOptions& options = {}, Work* work = nullptr);
// The same of n x n entries, row-major. Throws InputError for another number of entries.
Result permanent(std::span<const std::int64_t> entries, std::size_t n, const CountOptions& options = {});
Result permanent(std::span<const double> entries, std::size_t n, const CountOptions& options = {});
Result permanent(std::span<const std::complex<double>> entries, std::size_t n, const CountOptions& options = {});

// The same where the weights are places in a table of fractions (Input::fractions): exactly, as an integer where all of
// the table are integers, else as a fraction. Rows (of a graph, vertices) are multiplied by common denominators first.
// Products beyond 64 bits take several runs. run.value is the value rounded to a relative 2^-100, or the integer.
// Throws InputError for a weight that is no place in the table.
ExactResult permanent(const Matrix& matrix, std::span<const Rational> fractions, const CountOptions& options = {},
                      Work* work = nullptr);
ExactResult hafnian(const UndirectedGraph& graph, std::span<const Rational> fractions, const CountOptions& options = {},
                    Work* work = nullptr);

// Plans what permanent (or, on a pattern, a count) would do: runs nothing. run.time_limit_s shortens the search for
// orders as it does before a count; planning itself is not held to it.
Plan plan_permanent(const Matrix& matrix, const CountOptions& options = {}, Work* work = nullptr);
Plan plan_hafnian(const UndirectedGraph& graph, const CountOptions& options = {}, Work* work = nullptr);
Plan plan_permanent_of_fractions(const Matrix& matrix, std::span<const Rational> fractions,
                                 const CountOptions& options = {}, Work* work = nullptr);
Plan plan_hafnian_of_fractions(const UndirectedGraph& graph, std::span<const Rational> fractions,
                               const CountOptions& options = {}, Work* work = nullptr);

}  // namespace matchcount
