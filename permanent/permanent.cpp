#include "permanent/permanent.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/work.hpp"
#include "matching/reduce.hpp"
#include "permanent/engine/big_entries.hpp"
#include "permanent/engine/engine.hpp"
#include "permanent/engine/planner.hpp"

namespace matchcount {
namespace {

template <class T>
struct EntryType {
  using type = T;
};

// Calls body with the graph, zeros dropped, and the type of its entries.
template <class Graph, class Body>
auto by_entry(const Graph& matrix, Body&& body) {
  switch (matrix.weight_kind()) {
    case WeightKind::real:
      return body(matrix.drop_zeros(), EntryType<RealEntry>{});
    case WeightKind::complex:
      return body(matrix.drop_zeros(), EntryType<ComplexEntry>{});
    case WeightKind::integer:
      return body(matrix.drop_zeros(), EntryType<std::int64_t>{});
    default:
      return body(matrix, EntryType<std::int64_t>{});
  }
}

// Whether these are reals or complex numbers that are to be counted as they are held.
template <class Entry>
bool as_held(const CountOptions& options) {
  return !std::is_same_v<Entry, std::int64_t> && options.run.precision == Precision::exact;
}

template <class Graph>
Result value_of(const Graph& graph, const CountOptions& options, Work* work) {
  return by_entry(graph, [&](const Graph& given, auto entry) {
    using Entry = typename decltype(entry)::type;
    if constexpr (!std::is_same_v<Entry, std::int64_t>) {
      const bool may_be_planar = options.method == Method::automatic || options.method == Method::planar;
      const std::string choice = "exactly, as";
      if (as_held<Entry>(options) && (!may_be_planar || (work && work->decided(choice))))
        return compute_as_held<Entry>(given, options, work);
      if (as_held<Entry>(options) && options.method == Method::automatic) {
        try {
          return compute<Entry>(given, options, work);
        } catch (const NoMethodApplies&) {
          if (work) work->decide(choice, "integers");
          return compute_as_held<Entry>(given, options, work);
        }
      }
    }
    return compute<Entry>(given, options, work);
  });
}

template <class Graph>
Plan plan_of(const Graph& graph, const CountOptions& options, Work* work) {
  return by_entry(graph, [&](const Graph& given, auto entry) {
    using Entry = typename decltype(entry)::type;
    if constexpr (!std::is_same_v<Entry, std::int64_t>) {
      if (as_held<Entry>(options) && options.method != Method::planar) {
        if (options.method != Method::automatic) return plan_as_held<Entry>(given, options, work);
        Plan plan = plan_only<Entry>(given, options, work);
        const bool all_planar =
            std::ranges::all_of(plan.blocks, [](const BlockPlan& block) { return block.forecasts.front().applies; });
        return all_planar ? plan : plan_as_held<Entry>(given, options, work);
      }
    }
    return plan_only<Entry>(given, options, work);
  });
}

// ---- Fractions.

// The fractions on the edges, and the pattern of those that are not 0.
template <class Graph>
struct FractionGraph {
  Graph pattern;
  std::vector<Rational> entries;

  FractionGraph(const Graph& graph, std::span<const Rational> fractions) {
    const auto* places = std::get_if<std::vector<std::int64_t>>(&graph.weights());
    if (!places && graph.num_edges() > 0)
      throw InputError("weights that are not integers", "places in the table of fractions");
    std::vector<bool> keep;
    for (EdgeId id = 0; id < graph.num_edges(); ++id) {
      const std::int64_t place = (*places)[id];
      if (place < 0 || static_cast<std::uint64_t>(place) >= fractions.size()) {
        throw InputError("the weight " + std::to_string(place),
                         "a place in a table of " + std::to_string(fractions.size()) + " fractions");
      }
      const Rational& fraction = fractions[static_cast<std::size_t>(place)];
      keep.push_back(fraction.sign() != 0);
      if (keep.back()) entries.push_back(fraction);
    }
    pattern = graph.pattern().filtered(keep);
  }
};

template <class Graph>
ExactResult value_of_fractions(const Graph& graph, std::span<const Rational> fractions, const CountOptions& options,
                               Work* work) {
  const FractionGraph<Graph> given(graph, fractions);
  const WithoutDenominators integers = without_denominators(given.pattern, given.entries);
  BigCount count = compute_big(given.pattern, integers.entries, options, work);
  ExactResult result{Integer(0), std::move(count.result)};
  const bool only_integers =
      std::ranges::all_of(fractions, [](const Rational& entry) { return denominator(entry) == 1; });
  if (only_integers) {
    result.value = count.value.re;
    result.run.value = count.value.re;
  } else {
    const Rational value(count.value.re, integers.multiple);
    const ScaledReal rounded = nearest_real(value);
    result.run.value = RealValue{rounded, rounded.log2_abs() - 100};
    result.value = value;
  }
  return result;
}

template <class Graph>
Plan plan_of_fractions(const Graph& graph, std::span<const Rational> fractions, const CountOptions& options,
                       Work* work) {
  const FractionGraph<Graph> given(graph, fractions);
  return plan_big(given.pattern, without_denominators(given.pattern, given.entries).entries, options, work);
}

}  // namespace

Result permanent(const Matrix& matrix, const CountOptions& options, Work* work) {
  return value_of(matrix, options, work);
}

Result hafnian(const UndirectedGraph& graph, const CountOptions& options, Work* work) {
  return value_of(graph, options, work);
}

Result count_perfect_matchings(const BipartiteGraph& graph, const CountOptions& options, Work* work) {
  return compute<std::int64_t>(graph.pattern(), options, work);
}

Result count_perfect_matchings(const UndirectedGraph& graph, const CountOptions& options, Work* work) {
  return compute<std::int64_t>(graph.pattern(), options, work);
}

Result count_cycle_covers(const Digraph& digraph, const CountOptions& options, Work* work) {
  return compute<std::int64_t>(digraph.bipartite().pattern(), options, work);
}

Plan plan_permanent(const Matrix& matrix, const CountOptions& options, Work* work) {
  return plan_of(matrix, options, work);
}

Plan plan_hafnian(const UndirectedGraph& graph, const CountOptions& options, Work* work) {
  return plan_of(graph, options, work);
}

ExactResult permanent(const Matrix& matrix, std::span<const Rational> fractions, const CountOptions& options,
                      Work* work) {
  return value_of_fractions(matrix, fractions, options, work);
}

ExactResult hafnian(const UndirectedGraph& graph, std::span<const Rational> fractions, const CountOptions& options,
                    Work* work) {
  return value_of_fractions(graph, fractions, options, work);
}

Plan plan_permanent_of_fractions(const Matrix& matrix, std::span<const Rational> fractions, const CountOptions& options,
                                 Work* work) {
  return plan_of_fractions(matrix, fractions, options, work);
}

Plan plan_hafnian_of_fractions(const UndirectedGraph& graph, std::span<const Rational> fractions,
                               const CountOptions& options, Work* work) {
  return plan_of_fractions(graph, fractions, options, work);
}

}  // namespace matchcount
