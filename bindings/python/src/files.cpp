#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "binding.hpp"

namespace matchcount::python {
namespace {

// Returns names as strings, or as ints where all of them are written as ints are.
nb::list labels(const std::vector<std::string>& names) {
  const bool are_ints = std::ranges::all_of(names, [](const std::string& name) {
    return !name.empty() && (name == "0" || name[0] != '0') &&
           std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  });
  nb::list list;
  for (const std::string& name : names)
    list.append(are_ints ? nb::steal(PyLong_FromString(name.c_str(), nullptr, 10))
                         : nb::object(nb::str(name.c_str(), name.size())));
  return list;
}

Graph from_input(Input input) {
  Graph graph;
  graph.kind = input.kind;
  graph.is_bipartite = input.is_bipartite();
  graph.fractions = std::move(input.fractions);
  graph.loops = std::move(input.loops);
  graph.weights_are_multiplicities = input.weights_are_multiplicities;
  std::vector<std::string> rows, columns;
  if (graph.one_side() && graph.is_bipartite) {
    for (Vertex v = 0; v < input.is_column.size(); ++v) {
      std::vector<Vertex>& side = input.is_column[v] ? graph.column_vertex : graph.row_vertex;
      const auto place = static_cast<Vertex>(side.size());
      rows.push_back(input.is_column[v] ? input.column_label(place) : input.row_label(place));
      side.push_back(v);
    }
  } else {
    const Vertex num_rows = graph.is_bipartite ? input.graph.num_rows() : input.undirected.num_vertices();
    for (Vertex v = 0; v < num_rows; ++v) rows.push_back(input.row_label(v));
    for (Vertex v = 0; graph.is_bipartite && v < input.graph.num_columns(); ++v)
      columns.push_back(input.column_label(v));
  }
  graph.row_labels = labels(rows);
  graph.column_labels = graph.one_side() ? graph.row_labels : labels(columns);
  graph.places = {std::move(input.layout), true, {}};
  if (graph.one_side()) graph.places.points = std::move(input.coordinates);
  graph.title = std::move(input.title);
  for (const std::string& note : input.notes) graph.notes.push_back(spelled(note));
  graph.bipartite = std::move(input.graph);
  graph.undirected = std::move(input.undirected);
  return graph;
}

InputOptions reading(const Keywords& asked) {
  auto options = options_from<InputOptions>(asked);
  // Loops that are kept are a loop hafnian's.
  if (options.loops == Loops::keep) options.usual_kind = InputKind::undirected;
  options.fractions = true;
  options.odd_cycles = true;
  return options;
}

Graph read(const std::string& file, const Keywords& asked) {
  const InputOptions options = reading(asked);
  return from_input(run_alone(asked, [&](const RunContext& run) { return read_input(file, options, run); }));
}

Graph read_text(const std::string& text, const std::string& name, const Keywords& asked) {
  const InputOptions options = reading(asked);
  return from_input(run_alone(asked, [&](const RunContext& run) { return read_input_text(text, name, options, run); }));
}

// Reads the graphs of a file one after another, and gives the error of one that is bad in its place, if there are
// others; the lock makes calls from several threads take turns.
class Files {
 public:
  Files(const std::string& file, const Keywords& asked) : run_(options_from<RunOptions>(asked)), interruptible_(run_) {
    const InputOptions options = reading(asked);
    const RunContext run(run_);
    sequence_.emplace(interruptible_([&] { return InputSequence(file, options, run); }));
  }

  nb::object next() {
    std::unique_lock lock(mutex_, std::defer_lock);
    {
      const nb::gil_scoped_release release;
      lock.lock();
    }
    const std::uint64_t before = sequence_->position();
    try {
      std::optional<Input> input = interruptible_([&] { return sequence_->next(); });
      if (!input) throw nb::stop_iteration();
      return nb::cast(from_input(std::move(*input)));
    } catch (const InputError& error) {
      if (!sequence_->has_several() || sequence_->position() == before) throw;
      nb::object bad = exception_of(error);
      bad.attr("position") = sequence_->position();
      bad.attr("title") = sequence_->title();
      return bad;
    }
  }

 private:
  RunOptions run_;
  Interruptible interruptible_;
  std::optional<InputSequence> sequence_;
  std::mutex mutex_;
};

// ---- Families.

Graph generate(const std::string& kind, const std::vector<double>& numbers, std::uint64_t seed) {
  const nb::gil_scoped_release release;
  auto made = family_graph(kind, numbers, seed);
  Graph graph;
  if (is_lattice(kind)) {
    graph.places.lattice = kind;
    for (const double number : numbers) graph.places.lattice += " " + std::to_string(static_cast<std::int64_t>(number));
  }
  graph.is_bipartite = std::holds_alternative<BipartiteGraph>(made);
  if (!graph.is_bipartite) graph.kind = InputKind::undirected;
  graph.change([&](auto& within) { within = std::get<std::decay_t<decltype(within)>>(std::move(made)); });
  return graph;
}

Graph with_weights(Graph graph, const std::string& law, std::pair<std::int64_t, std::int64_t> range,
                   std::uint64_t seed) {
  const auto* found = std::ranges::find(Names<RandomWeights::Law>::all, law, &Named<RandomWeights::Law>::name);
  if (found == std::end(Names<RandomWeights::Law>::all))
    throw InputError("weights '" + law + "'", "uniform, normal, complex, signs or a pair of integers");
  const RandomWeights weights{found->value, range.first, range.second};
  const nb::gil_scoped_release release;
  graph.change([&](auto& within) { within = with_random_weights(within, weights, seed); });
  return graph;
}

}  // namespace

void add_files(nb::module_& module) {
  module.def("read", &read);
  module.def("read_text", &read_text);
  nb::class_<Files>(module, "Files")
      .def(
          "__iter__", [](nb::handle_t<Files> self) { return nb::borrow(self); }, nb::sig("def __iter__(self) -> Files"))
      .def("__next__", &Files::next, nb::sig("def __next__(self) -> Graph | matchcount._errors.InputError"));
  module.def("read_all",
             [](const std::string& file, const Keywords& asked) { return std::make_unique<Files>(file, asked); });
  module.def("families", [] {
    nb::typed<nb::dict, nb::str, nb::str> arguments;
    for (const GraphFamily& family : graph_families()) arguments[family.name.data()] = family.arguments.data();
    return arguments;
  });
  module.def("generate", &generate);
  module.def("with_weights", &with_weights);
}

}  // namespace matchcount::python
