#include "permanent/permanent.hpp"

#include "matching/reduce.hpp"
#include "permanent/engine/engine.hpp"

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

template <class Graph>
Result value_of(const Graph& graph, const CountOptions& options, Work* work) {
  return by_entry(graph, [&](const Graph& given, auto entry) {
    return compute<typename decltype(entry)::type>(given, options, work);
  });
}

template <class Graph>
Plan plan_of(const Graph& graph, const CountOptions& options, Work* work) {
  return by_entry(graph, [&](const Graph& given, auto entry) {
    return plan_only<typename decltype(entry)::type>(given, options, work);
  });
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

}  // namespace matchcount
