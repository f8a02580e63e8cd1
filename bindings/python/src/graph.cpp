#include <nanobind/ndarray.h>

#include <complex>

#include "records.hpp"

namespace matchcount::python {

template <>
inline constexpr auto members<Graph::Places> =
    hidden<&Graph::Places::lattice, &Graph::Places::is_lattice_by_name, &Graph::Places::points>;
template <>
inline constexpr auto members<Graph> = std::tuple_cat(
    attributes<&Graph::kind, &Graph::is_bipartite, &Graph::weights_are_multiplicities, &Graph::title>,
    hidden<&Graph::bipartite, &Graph::undirected, &Graph::row_vertex, &Graph::column_vertex, &Graph::fractions,
           &Graph::loops, &Graph::always_matched, &Graph::row_labels, &Graph::column_labels, &Graph::places>);

namespace {

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Entries = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<Edge> edges_from(const Numbers& rows, const Numbers& columns) {
  if (rows.size() != columns.size()) throw InputError("ends of edges that differ in number", "as many of each");
  std::vector<Edge> edges(rows.size());
  const auto vertex = [](std::int64_t number) {
    if (number < 0 || number >= 0x7fffffff) throw InputError("the vertex " + std::to_string(number), "0 to 2^31 - 2");
    return static_cast<Vertex>(number);
  };
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = {vertex(rows.data()[i]), vertex(columns.data()[i])};
  return edges;
}

// Reads None, an array of int64, float64 or complex128, two of the latter that are to be added up, or a list of exact
// numbers, which get places in `fractions`: 0 the first, so that a weight of 0 is one.
Weights weights_from(nb::handle given, std::vector<Rational>& fractions) {
  if (given.is_none()) return {};
  if (nb::isinstance<nb::list>(given)) {
    std::vector<std::int64_t> places;
    if (fractions.empty()) fractions.emplace_back(0);
    for (const nb::handle number : nb::borrow<nb::list>(given)) {
      Rational value = rational_from(number);
      places.push_back(value == Rational(0) ? 0 : static_cast<std::int64_t>(fractions.size()));
      if (places.back() != 0) fractions.push_back(std::move(value));
    }
    return places;
  }
  if (nb::isinstance<nb::tuple>(given)) {
    Weights high = weights_from(given[0], fractions);
    const Weights low = weights_from(given[1], fractions);
    std::visit(
        [&]<class Values>(Values& values) {
          if constexpr (!std::is_same_v<Values, std::monostate>) {
            const auto& more = std::get<Values>(low);
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] + more[i];
          }
        },
        high);
    return high;
  }
  if (Entries<std::int64_t> integers; nb::try_cast(given, integers, false))
    return std::vector<std::int64_t>(integers.data(), integers.data() + integers.size());
  if (Entries<double> reals; nb::try_cast(given, reals, false))
    return std::vector<DoubleDouble>(reals.data(), reals.data() + reals.size());
  if (Entries<std::complex<double>> complexes; nb::try_cast(given, complexes, false)) {
    std::vector<ComplexDoubleDouble> weights;
    for (std::size_t i = 0; i < complexes.size(); ++i)
      weights.emplace_back(DoubleDouble(complexes.data()[i].real()), DoubleDouble(complexes.data()[i].imag()));
    return weights;
  }
  throw InputError("weights of another type", "int64, float64, complex128 or a list of exact numbers");
}

// Makes an undirected graph's vertices rows and columns if it has no odd cycle, as the command line does.
void settle_undirected(Graph& graph, UndirectedGraph undirected) {
  const TwoColouring colouring = two_colour(undirected.num_vertices(), undirected.edges());
  graph.is_bipartite = colouring.odd_cycle.empty() && !graph.loops;
  if (!graph.is_bipartite) {
    graph.undirected = std::move(undirected);
    return;
  }
  std::vector<Vertex> place(undirected.num_vertices());
  for (Vertex v = 0; v < undirected.num_vertices(); ++v) {
    std::vector<Vertex>& side = colouring.is_column[v] ? graph.column_vertex : graph.row_vertex;
    place[v] = static_cast<Vertex>(side.size());
    side.push_back(v);
  }
  std::vector<Edge> edges;
  for (const Edge edge : undirected.edges()) {
    const bool swapped = colouring.is_column[edge.row];
    edges.push_back({place[swapped ? edge.column : edge.row], place[swapped ? edge.row : edge.column]});
  }
  graph.bipartite = BipartiteGraph::from_edges(static_cast<Vertex>(graph.row_vertex.size()),
                                               static_cast<Vertex>(graph.column_vertex.size()), std::move(edges),
                                               undirected.weights());
}

Graph assemble(InputKind kind, Vertex num_rows, Vertex num_columns, std::vector<Edge> edges, nb::handle weights,
               const std::string& duplicates, nb::handle loops, bool keep_zeros) {
  Graph graph;
  graph.kind = kind;
  Weights values = weights_from(weights, graph.fractions);
  if (!loops.is_none()) graph.loops = weights_from(loops, graph.fractions);
  const auto repeated = from_string<Duplicates>(duplicates);
  const bool weighted = !weights.is_none();
  const nb::gil_scoped_release release;
  const auto settled = [&](auto made) { return keep_zeros ? std::move(made) : made.drop_zeros(); };
  if (graph.kind == InputKind::undirected) {
    settle_undirected(graph,
                      settled(UndirectedGraph::from_edges(num_rows, std::move(edges), std::move(values), repeated)));
  } else {
    graph.bipartite =
        settled(BipartiteGraph::from_edges(num_rows, num_columns, std::move(edges), std::move(values), repeated));
  }
  graph.weights_are_multiplicities = !weighted && graph.weights().index() != 0;
  return graph;
}

Graph make(const std::string& kind, std::uint32_t num_rows, std::uint32_t num_columns, const Numbers& rows,
           const Numbers& columns, nb::handle weights, const std::string& duplicates, nb::handle loops, bool keep_zeros,
           const Labels& row_labels, const Labels& column_labels) {
  Graph graph = assemble(from_string<InputKind>(kind), num_rows, num_columns, edges_from(rows, columns), weights,
                         duplicates, loops, keep_zeros);
  if (row_labels) graph.row_labels = graph.column_labels = *row_labels;
  if (column_labels) graph.column_labels = *column_labels;
  return graph;
}

// Returns a dict itself, or one with the items of another mapping.
nb::dict as_dict(nb::handle mapping) {
  if (nb::isinstance<nb::dict>(mapping)) return nb::borrow<nb::dict>(mapping);
  nb::dict copy;
  copy.update(mapping);
  return copy;
}

// Reads a dict from the vertices to their neighbours and the data of edges, as networkx has them: an edge without
// direction is at both its ends. None where there is a loop, a name that does not equal itself, or `weight` among the
// data.
std::optional<Graph> from_neighbours(const std::string& kind_name,
                                     const nb::typed<nb::dict, nb::any, nb::any>& neighbours_of, nb::object weight) {
  const auto kind = from_string<InputKind>(kind_name);
  nb::dict numbers;
  nb::list labels;
  for (const auto& [name, neighbours] : neighbours_of) {
    if (!name.equal(name)) return std::nullopt;
    numbers[name] = labels.size();
    labels.append(name);
  }
  std::vector<Edge> edges;
  Vertex row = 0;
  for (const auto& [name, neighbours] : neighbours_of) {
    for (const auto& [neighbour, data] : as_dict(neighbours)) {
      const Edge edge{row, nb::cast<Vertex>(numbers[neighbour])};
      if (edge.row == edge.column) return std::nullopt;
      if (!weight.is_none() && PySequence_Contains(data.ptr(), weight.ptr()) != 0) {
        if (PyErr_Occurred()) throw nb::python_error();
        return std::nullopt;
      }
      if (kind == InputKind::directed || edge.row < edge.column) edges.push_back(edge);
    }
    ++row;
  }
  Graph graph = assemble(kind, row, row, std::move(edges), nb::none(), "refuse", nb::none(), false);
  graph.row_labels = graph.column_labels = labels;
  return graph;
}

// Gives the graph other weights, by edge, that are integers of 64 bits.
Graph with_integers(Graph graph, const Numbers& weights) {
  std::vector<std::int64_t> values(weights.data(), weights.data() + weights.size());
  graph.fractions.clear();
  graph.change([&](auto& within) { within = within.with_weights(std::move(values)); });
  return graph;
}

// Returns the graph whose edges and loops weigh 1, but for what counts how often an edge was given.
Graph without_weights(Graph graph) {
  if (graph.loops) {
    std::vector<std::int64_t> ones;
    std::visit(
        [&](const auto& held) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
            for (const auto& loop : held) ones.push_back(loop == std::decay_t<decltype(loop)>(0) ? 0 : 1);
        },
        *graph.loops);
    if (!ones.empty()) graph.loops = Weights(std::move(ones));
  }
  if (graph.weights_are_multiplicities) return graph;
  graph.fractions.clear();
  graph.bipartite = graph.bipartite.pattern();
  graph.undirected = graph.undirected.pattern();
  return graph;
}

// Returns the graph whose matchings have some edges and lack others.
Graph given(Graph graph, const std::vector<EdgeId>& with, const std::vector<EdgeId>& without) {
  graph.change([&](auto& within) {
    auto reduced = conditioned(within, with, without);
    within = std::move(reduced.graph);
    graph.always_matched = std::move(reduced.always_matched);
  });
  return graph;
}

std::optional<nb::typed<nb::list, Number>> weight_list(const Graph& graph) {
  return std::visit(
      [&](const auto& held) -> std::optional<nb::typed<nb::list, Number>> {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return std::nullopt;
        } else {
          nb::list list;
          for (const auto& weight : held) {
            if constexpr (std::is_same_v<Held, std::vector<std::int64_t>>) {
              if (graph.fractions.empty())
                list.append(weight);
              else
                list.append(to_python(graph.fractions[static_cast<std::size_t>(weight)]));
            } else if constexpr (std::is_same_v<Held, std::vector<DoubleDouble>>) {
              list.append(static_cast<double>(weight));
            } else {
              list.append(
                  nb::steal(PyComplex_FromDoubles(static_cast<double>(weight.re), static_cast<double>(weight.im))));
            }
          }
          return nb::typed<nb::list, Number>(std::move(list));
        }
      },
      graph.weights());
}

bool share_names(const Graph& graph) {
  const auto set = [](Vertex count, auto name) {
    nb::object names = nb::steal(PySet_New(nullptr));
    for (Vertex v = 0; v < count; ++v) PySet_Add(names.ptr(), name(v).ptr());
    return names;
  };
  const nb::object rows = set(graph.num_rows(), [&](Vertex v) { return graph.row_name(v); });
  return !nb::cast<bool>(
      rows.attr("isdisjoint")(set(graph.num_columns(), [&](Vertex v) { return graph.column_name(v); })));
}

nb::object edges(const Graph& graph, std::optional<bool> sides) {
  const bool two_sided = graph.kind == InputKind::bipartite || graph.kind == InputKind::matrix;
  if (sides.value_or(false) && !two_sided)
    throw InputError("sides=True of a graph that is " + std::string(to_string(graph.kind)), "a bipartite one");
  if (!sides && two_sided && share_names(graph)) {
    throw InputError("edges() of two sides that share names, which others would take for one vertex",
                     "sides=True: (('row', u), ('column', v)), or sides=False: (u, v)");
  }
  if (!sides.value_or(false)) return graph.named(graph.all_edges());
  nb::list list;
  for (const Edge edge : graph.all_edges())
    list.append(nb::make_tuple(nb::make_tuple("row", graph.row_name(edge.row)),
                               nb::make_tuple("column", graph.column_name(edge.column))));
  return list;
}

std::string repr_of_graph(const Graph& graph) {
  const std::string size = graph.one_side()
                               ? std::to_string(graph.num_vertices()) + " vertices"
                               : std::to_string(graph.num_rows()) + " x " + std::to_string(graph.num_columns());
  return "Graph(" + std::string(to_string(graph.kind)) + ", " + size + ", " + std::to_string(graph.num_edges()) +
         " edges" + (graph.weights().index() == 0 ? "" : ", weighted") + ")";
}

nb::object name_in(const nb::object& labels, Vertex number) {
  return labels.is_valid() ? nb::object(labels[number]) : nb::object(nb::int_(number));
}

Labels labels_of(const nb::object& labels) {
  return labels.is_valid() ? Labels(nb::borrow<nb::list>(labels)) : std::nullopt;
}

}  // namespace

nb::object Graph::row_name(Vertex number) const { return name_in(row_labels, number); }
nb::object Graph::column_name(Vertex number) const { return name_in(column_labels, number); }

std::vector<Edge> Graph::all_edges() const {
  if (!is_bipartite) return undirected.edges();
  std::vector<Edge> edges = bipartite.edges();
  for (Edge& ends : edges) {
    ends = {row_number(ends.row), column_number(ends.column)};
    if (one_side() && ends.row > ends.column) std::swap(ends.row, ends.column);
  }
  return edges;
}

Pairs Graph::named(const std::vector<Edge>& edges) const {
  nb::list list;
  for (const Edge edge : edges) list.append(nb::make_tuple(row_name(edge.row), column_name(edge.column)));
  return list;
}

Certificate Graph::certificate(const std::optional<HallViolator>& hall, const std::optional<TutteSet>& tutte) const {
  nb::dict result;
  const auto names = [&](const std::vector<Vertex>& vertices, bool of_rows) {
    nb::list list;
    for (const Vertex v : vertices) list.append(of_rows ? row_name(row_number(v)) : column_name(column_number(v)));
    return list;
  };
  if (hall) {
    result["kind"] = "hall_violator";
    result["side"] = hall->of_rows ? "rows" : "columns";
    result["members"] = names(hall->members, hall->of_rows);
    result["neighbours"] = names(hall->neighbours, !hall->of_rows);
  } else if (tutte) {
    result["kind"] = "tutte_set";
    result["removed"] = names(tutte->removed, true);
    result["odd_components"] = tutte->odd_components;
  } else {
    return std::nullopt;
  }
  return Keywords(std::move(result));
}

void add_graph(nb::module_& module) {
  record<Graph>(module, "Graph", R"(A graph or matrix, ready to be counted, with the names of its vertices.

Attributes
----------
kind : str
    "bipartite" (two sides), "undirected", "directed" or "matrix".
num_rows, num_columns, num_edges : int
    An undirected graph's vertices are rows and columns together.
row_labels, column_labels : list or None
    Names of the vertices, one list for both where there are no sides; None: they are numbers from 0 on.
title : str
    A molecule's, of a file that has one, or "".
notes : list of str
    Of a file: sentences on how it was read, such as what was left out.)")
      .def(
          "__init__",
          [](Graph* self, const Graph& graph, const Labels& rows, const Labels& columns) {
            new (self) Graph(graph);
            if (graph.places.is_lattice_by_name) self->places.lattice.clear();
            self->row_labels = rows ? nb::object(*rows) : nb::object();
            self->column_labels = graph.one_side() ? self->row_labels : columns ? nb::object(*columns) : nb::object();
          },
          nb::arg("graph"), nb::arg("row_labels") = nb::none(), nb::arg("column_labels") = nb::none(),
          "Copies a graph, with other names.")
      .def_ro("notes", &Graph::notes)
      .def_prop_ro("num_rows", &Graph::num_rows)
      .def_prop_ro("num_columns", &Graph::num_columns)
      .def_prop_ro("num_edges", &Graph::num_edges)
      .def_prop_ro("has_fractions", [](const Graph& graph) { return !graph.fractions.empty(); })
      .def_prop_ro("has_loops", [](const Graph& graph) { return graph.loops.has_value(); })
      .def_prop_ro("row_labels", [](const Graph& graph) { return labels_of(graph.row_labels); })
      .def_prop_ro("column_labels", [](const Graph& graph) { return labels_of(graph.column_labels); })
      .def("edges", &edges, nb::kw_only(), nb::arg("sides") = nb::none(),
           nb::sig("def edges(self, *, sides: bool | None = None) -> list[tuple[typing.Any, typing.Any]]"),
           R"(The edges as (u, v), with labels.

Parameters
----------
sides : bool, optional
    True: of two sides as (("row", u), ("column", v)); False: as (u, v), as marginals and lists have them, also where a
    row and a column share a name, and others would take the two for one vertex.)")
      .def("weights", &weight_list, "The weights by edge, or None where there are none.")
      .def("__repr__", &repr_of_graph)
      .def("_repr_svg_", [](nb::handle_t<Graph> self) {
        return nb::cast<std::optional<std::string>>(nb::module_::import_("matchcount._pictures").attr("shown")(self));
      });
  module.def("make", &make, nb::arg("kind"), nb::arg("num_rows"), nb::arg("num_columns"), nb::arg("rows"),
             nb::arg("columns"), nb::arg("weights").none(), nb::arg("duplicates"), nb::arg("loops").none(),
             nb::arg("keep_zeros"), nb::arg("row_labels").none(), nb::arg("column_labels").none());
  module.def("with_integers", &with_integers);
  module.def("without_weights", &without_weights);
  module.def("given", &given);
  module.def("from_neighbours", &from_neighbours, nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace matchcount::python
