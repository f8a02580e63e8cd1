#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>

#include "binding.hpp"

namespace matchcount::python {
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

// None, an array of int64, float64 or complex128, or a list of numbers that are exact, which get places in `fractions`:
// 0 the first, so that a weight of 0 is one.
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

// An undirected graph's vertices as rows and columns where it has no odd cycle, as the command line reads it.
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
           const Numbers& columns, nb::handle weights, const std::string& duplicates, nb::handle loops,
           bool keep_zeros) {
  return assemble(from_string<InputKind>(kind), num_rows, num_columns, edges_from(rows, columns), weights, duplicates,
                  loops, keep_zeros);
}

struct Named {
  Graph graph;
  nb::object row_labels = nb::none(), column_labels = nb::none();  // one_side: row_labels are of all vertices
};

nb::tuple as_tuple(Named named) {
  return nb::make_tuple(nb::cast(std::move(named.graph)), named.row_labels, named.column_labels);
}

// A dict of its own, or one with the items of another mapping.
nb::dict as_dict(nb::handle mapping) {
  if (nb::isinstance<nb::dict>(mapping)) return nb::borrow<nb::dict>(mapping);
  nb::dict copy;
  copy.update(mapping);
  return copy;
}

// Reads a dict from the vertices to their neighbours and the data of edges, as networkx has them: an edge without
// direction is at both its ends. None where there is a loop, a name that does not equal itself, or `weight` among the
// data.
nb::object from_neighbours(const std::string& kind_name, nb::dict neighbours_of, nb::object weight) {
  const auto kind = from_string<InputKind>(kind_name);
  nb::dict numbers;
  nb::list labels;
  for (const auto& [name, neighbours] : neighbours_of) {
    if (!name.equal(name)) return nb::none();
    numbers[name] = labels.size();
    labels.append(name);
  }
  std::vector<Edge> edges;
  Vertex row = 0;
  for (const auto& [name, neighbours] : neighbours_of) {
    for (const auto& [neighbour, data] : as_dict(neighbours)) {
      const Edge edge{row, nb::cast<Vertex>(numbers[neighbour])};
      if (edge.row == edge.column) return nb::none();
      if (!weight.is_none() && PySequence_Contains(data.ptr(), weight.ptr()) != 0) {
        if (PyErr_Occurred()) throw nb::python_error();
        return nb::none();
      }
      if (kind == InputKind::directed || edge.row < edge.column) edges.push_back(edge);
    }
    ++row;
  }
  Graph graph = assemble(kind, row, row, std::move(edges), nb::none(), "refuse", nb::none(), false);
  return as_tuple({std::move(graph), labels, labels});
}

// ---- Files and generators.

nb::list labels(Vertex count, const auto& label) {
  nb::list list;
  for (Vertex v = 0; v < count; ++v) list.append(label(v));
  return list;
}

Named from_input(Input input) {
  Named named;
  Graph& graph = named.graph;
  graph.kind = input.kind;
  graph.is_bipartite = input.is_bipartite();
  graph.fractions = std::move(input.fractions);
  graph.loops = std::move(input.loops);
  graph.weights_are_multiplicities = input.weights_are_multiplicities;
  const auto row_label = [&](Vertex v) { return input.row_label(v); };
  const auto column_label = [&](Vertex v) { return input.column_label(v); };
  if (!input.is_bipartite()) {
    named.row_labels = labels(input.undirected.num_vertices(), row_label);
    graph.undirected = std::move(input.undirected);
  } else if (input.kind == InputKind::undirected) {
    nb::list list;
    for (Vertex v = 0; v < input.is_column.size(); ++v) {
      std::vector<Vertex>& side = input.is_column[v] ? graph.column_vertex : graph.row_vertex;
      const auto place = static_cast<Vertex>(side.size());
      list.append(input.is_column[v] ? input.column_label(place) : input.row_label(place));
      side.push_back(v);
    }
    named.row_labels = list;
    graph.bipartite = std::move(input.graph);
  } else {
    named.row_labels = labels(input.graph.num_rows(), row_label);
    named.column_labels = labels(input.graph.num_columns(), column_label);
    graph.bipartite = std::move(input.graph);
  }
  return named;
}

struct Reading {
  InputOptions input;
  RunOptions run;
};

Reading take_reading(nb::dict& given) {
  Reading reading;
  InputOptions& options = reading.input;
  const std::string kind = take<std::string>(given, "kind", "");
  if (!kind.empty()) options.kind = from_string<InputKind>(kind);
  options.format = from_string<InputFormat>(take<std::string>(given, "format", "auto"));
  options.duplicates = from_string<Duplicates>(take<std::string>(given, "duplicates", "refuse"));
  options.keep_zeros = take(given, "keep_zeros", false);
  const std::string delimiter = take<std::string>(given, "delimiter", "");
  if (delimiter.size() > 1) throw InputError("delimiter='" + delimiter + "'", "one character");
  if (!delimiter.empty()) options.delimiter = delimiter[0];
  if (given.contains("header")) options.header = take(given, "header", false);
  if (given.contains("weight_key")) options.weight_key = take<std::string>(given, "weight_key", "");
  options.loops = take(given, "loops", false);
  if (options.loops) options.kind = InputKind::undirected;
  options.fractions = true;
  options.odd_cycles = true;
  reading.run.time_limit_s = take(given, "time_limit", reading.run.time_limit_s);
  refuse_rest(given);
  return reading;
}

nb::tuple read(const std::string& file, nb::dict given) {
  Reading reading = take_reading(given);
  Interruptible interruptible(reading.run, nb::none());
  return as_tuple(from_input(interruptible([&] { return read_input(file, reading.input, RunContext(reading.run)); })));
}

// The graphs of a file; the lock makes calls from several threads take turns.
class Files {
 public:
  Files(const std::string& file, nb::dict given) : Files(file, take_reading(given)) {}
  nb::tuple next() {
    std::unique_lock lock(mutex_, std::defer_lock);
    {
      const nb::gil_scoped_release release;
      lock.lock();
    }
    std::optional<Input> input = interruptible_([&] { return sequence_->next(); });
    lock.unlock();
    if (!input) throw nb::stop_iteration();
    return as_tuple(from_input(std::move(*input)));
  }

 private:
  Files(const std::string& file, Reading reading) : interruptible_(reading.run, nb::none()) {
    const RunContext run(reading.run);
    sequence_.emplace(interruptible_([&] { return InputSequence(file, reading.input, run); }));
  }

  Interruptible interruptible_;
  std::optional<InputSequence> sequence_;
  std::mutex mutex_;
};

// With other weights, by edge, that are integers of 64 bits.
Graph with_integers(Graph graph, const Numbers& weights) {
  std::vector<std::int64_t> values(weights.data(), weights.data() + weights.size());
  graph.fractions.clear();
  if (graph.is_bipartite) {
    graph.bipartite = graph.bipartite.with_weights(std::move(values));
  } else {
    graph.undirected = graph.undirected.with_weights(std::move(values));
  }
  return graph;
}

Graph with_weights(Graph graph, const std::string& law, std::int64_t low, std::int64_t high, std::uint64_t seed) {
  using Law = RandomWeights::Law;
  RandomWeights weights{Law::integers, low, high};
  constexpr std::pair<std::string_view, Law> laws[] = {{"uniform", Law::uniform},
                                                       {"normal", Law::normal},
                                                       {"complex", Law::complex},
                                                       {"signs", Law::signs},
                                                       {"integers", Law::integers}};
  const auto* found = std::ranges::find(laws, law, &std::pair<std::string_view, Law>::first);
  if (found == std::end(laws))
    throw InputError("weights '" + law + "'", "uniform, normal, complex, signs or a pair of integers");
  weights.law = found->second;
  const nb::gil_scoped_release release;
  if (graph.is_bipartite) {
    graph.bipartite = with_random_weights(graph.bipartite, weights, seed);
  } else {
    graph.undirected = with_random_weights(graph.undirected, weights, seed);
  }
  return graph;
}

Graph generate(const std::string& kind, const std::vector<std::uint32_t>& sizes, double density, std::uint64_t seed) {
  const nb::gil_scoped_release release;
  Graph graph;
  const auto size = [&](std::size_t i) { return sizes.at(i); };
  if (kind == "grid")
    graph.bipartite = grid_graph(size(0), size(1));
  else if (kind == "torus")
    graph.bipartite = torus_graph(size(0), size(1));
  else if (kind == "grid3d")
    graph.bipartite = grid3d_graph(size(0), size(1), size(2));
  else if (kind == "knight")
    graph.bipartite = knight_graph(size(0), size(1));
  else if (kind == "hexagon")
    graph.bipartite = hexagon_graph(size(0), size(1), size(2));
  else if (kind == "aztec")
    graph.bipartite = aztec_graph(size(0));
  else if (kind == "hypercube")
    graph.bipartite = hypercube_graph(size(0));
  else if (kind == "complete")
    graph.bipartite = complete_graph(size(0), size(1));
  else if (kind == "band")
    graph.bipartite = band_graph(size(0), size(1));
  else if (kind == "regular")
    graph.bipartite = random_regular_graph(size(0), size(1), seed);
  else if (kind == "random")
    graph.bipartite = random_graph(size(0), size(1), density, seed);
  else if (kind == "planar")
    graph.bipartite = random_planar_graph(size(0), density, seed);
  else if (kind == "king") {
    graph.kind = InputKind::undirected;
    graph.is_bipartite = false;
    graph.undirected = king_graph(size(0), size(1));
  }
  return graph;
}

nb::object weight_list(const Graph& graph) {
  return std::visit(
      [&](const auto& held) -> nb::object {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return nb::none();
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
          return list;
        }
      },
      graph.weights());
}

}  // namespace

Edge Graph::edge(EdgeId id) const {
  if (!is_bipartite) return undirected.edges()[id];
  // Rows are few next to what is done with their edges.
  Vertex low = 0, high = bipartite.num_rows();
  while (high - low > 1) {
    const Vertex middle = low + (high - low) / 2;
    (bipartite.row_begin(middle) <= id ? low : high) = middle;
  }
  const Edge ends{row_number(low), column_number(bipartite.row(low)[id - bipartite.row_begin(low)])};
  return one_side() && ends.row > ends.column ? Edge{ends.column, ends.row} : ends;
}

std::vector<Edge> Graph::all_edges() const {
  if (!is_bipartite) return undirected.edges();
  std::vector<Edge> edges = bipartite.edges();
  for (Edge& ends : edges) {
    ends = {row_number(ends.row), column_number(ends.column)};
    if (one_side() && ends.row > ends.column) std::swap(ends.row, ends.column);
  }
  return edges;
}

nb::list pairs(const std::vector<Edge>& edges) {
  nb::list list;
  for (const Edge edge : edges) list.append(nb::make_tuple(edge.row, edge.column));
  return list;
}

nb::dict certificate_of(const Graph& graph, const std::optional<HallViolator>& hall,
                        const std::optional<TutteSet>& tutte) {
  nb::dict result;
  const auto numbers = [&](const std::vector<Vertex>& vertices, bool of_rows) {
    nb::list list;
    for (const Vertex v : vertices) list.append(of_rows ? graph.row_number(v) : graph.column_number(v));
    return list;
  };
  if (hall) {
    result["kind"] = "hall_violator";
    result["of_rows"] = hall->of_rows;
    result["members"] = numbers(hall->members, hall->of_rows);
    result["neighbours"] = numbers(hall->neighbours, !hall->of_rows);
  } else if (tutte) {
    result["kind"] = "tutte_set";
    result["removed"] = nb::cast(tutte->removed);
    result["odd_components"] = tutte->odd_components;
  }
  return result;
}

void add_graph(nb::module_& module) {
  nb::class_<Graph> type(module, "Graph");
  type.def_prop_ro("kind", [](const Graph& graph) { return std::string(to_string(graph.kind)); })
      .def_prop_ro("is_bipartite", [](const Graph& graph) { return graph.is_bipartite; })
      .def_prop_ro("num_rows",
                   [](const Graph& graph) {
                     return graph.is_bipartite ? graph.bipartite.num_rows() : graph.undirected.num_vertices();
                   })
      .def_prop_ro("num_columns",
                   [](const Graph& graph) { return graph.is_bipartite ? graph.bipartite.num_columns() : Vertex{0}; })
      .def_prop_ro("num_edges", [](const Graph& graph) { return graph.num_edges(); })
      .def_prop_ro("weights_are_multiplicities", [](const Graph& graph) { return graph.weights_are_multiplicities; })
      .def_prop_ro("has_fractions", [](const Graph& graph) { return !graph.fractions.empty(); })
      .def_prop_ro("has_loops", [](const Graph& graph) { return graph.loops.has_value(); })
      .def("edges", [](const Graph& graph) { return pairs(graph.all_edges()); })
      .def("weights", &weight_list);
  add_pickling(type);
  module.def("make", &make, nb::arg("kind"), nb::arg("num_rows"), nb::arg("num_columns"), nb::arg("rows"),
             nb::arg("columns"), nb::arg("weights").none(), nb::arg("duplicates"), nb::arg("loops").none(),
             nb::arg("keep_zeros"));
  module.def("with_integers", &with_integers);
  module.def("from_neighbours", &from_neighbours, nb::arg(), nb::arg(), nb::arg().none());
  module.def("read", &read);
  nb::class_<Files>(module, "Files")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &Files::next);
  module.def("read_all", [](const std::string& file, nb::dict given) { return std::make_unique<Files>(file, given); });
  module.def("generate", &generate);
  module.def("with_weights", &with_weights);
}

}  // namespace matchcount::python
