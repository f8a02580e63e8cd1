#include <nanobind/stl/string.h>

#include <cstring>
#include <new>

#include "binding.hpp"

// A Graph's state is what from_edges takes, numbers as bytes of this machine's order, so that not a bit is lost: reals
// of files have two doubles each.

namespace matchcount::python {
namespace {

template <class T>
nb::bytes bytes_of(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return nb::bytes(values.data(), values.size() * sizeof(T));
}

template <class T>
std::vector<T> from_bytes(nb::handle given) {
  const auto bytes = nb::cast<nb::bytes>(given);
  if (bytes.size() % sizeof(T) != 0) throw InputError("a pickled graph whose sizes do not fit", "one of this version");
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

nb::tuple state_of(const Weights& weights) {
  return std::visit(
      [&](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          return nb::make_tuple(weights.index(), nb::bytes("", 0));
        else
          return nb::make_tuple(weights.index(), bytes_of(held));
      },
      weights);
}

Weights weights_from_state(nb::handle state) {
  switch (static_cast<WeightKind>(nb::cast<std::size_t>(state[0]))) {
    case WeightKind::none:
      return {};
    case WeightKind::integer:
      return from_bytes<std::int64_t>(state[1]);
    case WeightKind::real:
      return from_bytes<DoubleDouble>(state[1]);
    case WeightKind::complex:
      return from_bytes<ComplexDoubleDouble>(state[1]);
  }
  throw InputError("a pickled graph with weights of another kind", "one of this version");
}

nb::tuple state_of(const Graph& graph) {
  nb::list fractions;
  for (const Rational& fraction : graph.fractions) fractions.append(to_python(fraction));
  const Vertex rows = graph.is_bipartite ? graph.bipartite.num_rows() : graph.undirected.num_vertices();
  const Vertex columns = graph.is_bipartite ? graph.bipartite.num_columns() : 0;
  return nb::make_tuple(std::string(to_string(graph.kind)), graph.is_bipartite, rows, columns,
                        bytes_of(graph.is_bipartite ? graph.bipartite.edges() : graph.undirected.edges()),
                        state_of(graph.weights()), bytes_of(graph.row_vertex), bytes_of(graph.column_vertex), fractions,
                        graph.loops ? nb::object(state_of(*graph.loops)) : nb::none(),
                        graph.weights_are_multiplicities);
}

Graph graph_from(const nb::tuple& state) {
  Graph graph;
  graph.kind = from_string<InputKind>(nb::cast<std::string>(state[0]));
  graph.is_bipartite = nb::cast<bool>(state[1]);
  const auto rows = nb::cast<Vertex>(state[2]), columns = nb::cast<Vertex>(state[3]);
  std::vector<Edge> edges = from_bytes<Edge>(state[4]);
  Weights weights = weights_from_state(state[5]);
  if (graph.is_bipartite) {
    graph.bipartite = BipartiteGraph::from_edges(rows, columns, std::move(edges), std::move(weights));
  } else {
    graph.undirected = UndirectedGraph::from_edges(rows, std::move(edges), std::move(weights));
  }
  graph.row_vertex = from_bytes<Vertex>(state[6]);
  graph.column_vertex = from_bytes<Vertex>(state[7]);
  for (const nb::handle fraction : nb::cast<nb::list>(state[8])) graph.fractions.push_back(rational_from(fraction));
  if (!state[9].is_none()) graph.loops = weights_from_state(state[9]);
  graph.weights_are_multiplicities = nb::cast<bool>(state[10]);
  return graph;
}

}  // namespace

void add_pickling(nb::class_<Graph>& graph) {
  graph.def("__getstate__", [](const Graph& self) { return state_of(self); })
      .def("__setstate__", [](Graph& self, const nb::tuple& state) { new (&self) Graph(graph_from(state)); });
}

}  // namespace matchcount::python
