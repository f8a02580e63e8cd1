#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "records.hpp"

namespace matchcount::python {
namespace {

using Blocks = nb::typed<nb::list, nb::typed<nb::tuple, nb::typed<nb::list, nb::any>, nb::typed<nb::list, nb::any>>>;

struct Decomposition {
  Pairs matching;
  bool is_perfect = false;
  Certificate certificate;
  Pairs useless_edges;
  std::optional<Parts> row_parts, column_parts;
  std::optional<Blocks> blocks;
  std::optional<Parts> parts;
  nb::object graph;
};

}  // namespace

template <>
inline constexpr auto members<Decomposition> =
    attributes<&Decomposition::matching, &Decomposition::is_perfect, &Decomposition::certificate,
               &Decomposition::useless_edges, &Decomposition::row_parts, &Decomposition::column_parts,
               &Decomposition::blocks, &Decomposition::parts, &Decomposition::graph>;

namespace {

// Lists matchings one after another; the lock makes calls from several threads take turns.
class Listing {
 public:
  Listing(const Graph& graph, MatchingKind kind, bool weighted, RunOptions run)
      : edges_(graph.all_edges()), interruptible_(run) {
    names_.row_labels = graph.row_labels;
    names_.column_labels = graph.column_labels;
    const RunContext context(std::move(run));
    list_.emplace(interruptible_([&] {
      return graph.visit(weighted, [&](const auto& within) {
        return list_matchings(within, kind, graph.fractions, context,
                              kind == MatchingKind::all ? graph.always_matched : std::vector<Vertex>());
      });
    }));
  }

  Pairs next() {
    std::unique_lock lock(mutex_, std::defer_lock);
    bool found = false;
    {
      const nb::gil_scoped_release release;
      lock.lock();
      if (edges_.size() < edges_worth_watching) found = list_->next();
    }
    if (edges_.size() >= edges_worth_watching) found = interruptible_([&] { return list_->next(); });
    if (!found) throw nb::stop_iteration();
    std::vector<Edge> matching;
    for (const EdgeId id : list_->edges()) matching.push_back(edges_[id]);
    lock.unlock();
    return names_.named(matching);
  }

 private:
  // The next matching may take as many searches as there are edges, each of all of them: a tenth of a second here.
  static constexpr std::size_t edges_worth_watching = 10000;

  Graph names_;  // its labels alone
  std::vector<Edge> edges_;
  Interruptible interruptible_;
  std::optional<MatchingList> list_;
  std::mutex mutex_;
};

// Returns the edges of a matching in the caller's numbers; of one side, the lesser first.
std::vector<Edge> edges_of(const Graph& graph, const Matching& matching) {
  std::vector<Edge> edges;
  for (Vertex row = 0; row < matching.column_of_row.size(); ++row) {
    if (matching.column_of_row[row] == unmatched) continue;
    Edge edge{graph.row_number(row), graph.column_number(matching.column_of_row[row])};
    if (graph.one_side() && edge.row > edge.column) std::swap(edge.row, edge.column);
    edges.push_back(edge);
  }
  return edges;
}
std::vector<Edge> edges_of(const Graph&, const GraphMatching& matching) {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < matching.partner.size(); ++v) {
    if (matching.partner[v] != unmatched && v < matching.partner[v]) edges.push_back({v, matching.partner[v]});
  }
  return edges;
}

// Returns the edges, by EdgeId, that are not kept.
Pairs dropped(const Graph& graph, const std::vector<bool>& keep) {
  const std::vector<Edge> edges = graph.all_edges();
  std::vector<Edge> chosen;
  for (std::size_t id = 0; id < edges.size(); ++id) {
    if (!keep[id]) chosen.push_back(edges[id]);
  }
  return graph.named(chosen);
}

// Names a part for each vertex of a side, whose names `name` gives.
template <class Part>
Parts parts_by_name(const std::vector<Part>& parts, const char* const* part_names, const auto& name) {
  nb::dict result;
  for (Vertex v = 0; v < parts.size(); ++v) result[name(v)] = part_names[static_cast<int>(parts[v])];
  return result;
}

Decomposition decompose_bipartite(const Graph& graph, const Keywords& asked) {
  const BipartiteGraph& within = graph.bipartite;
  struct Found {
    Matching matching;
    CoarseDecomposition coarse;
    FineDecomposition fine;
    std::optional<HallViolator> violator;
    std::vector<bool> useful;
  };
  const auto [matching, coarse, fine, violator, useful] = run_alone(asked, [&](const RunContext& run) {
    Found found;
    found.matching = maximum_matching(within, run);
    found.coarse = coarse_decomposition(within, found.matching);
    run.check();
    found.fine = fine_decomposition(within, found.matching, found.coarse);
    run.check();
    if (found.matching.is_perfect()) {
      found.useful = edges_in_perfect_matchings(within, found.fine);
    } else {
      found.violator = hall_violator(within, found.matching, found.matching.size < within.num_rows());
      found.useful = edges_in_maximum_matchings(within, found.matching, found.coarse, found.fine);
    }
    return found;
  });
  const auto row_name = [&](Vertex row) { return graph.row_name(graph.row_number(row)); };
  const auto column_name = [&](Vertex column) { return graph.column_name(graph.column_number(column)); };
  constexpr const char* names[] = {"horizontal", "square", "vertical"};
  nb::list blocks;
  for (Vertex block = 0; block < fine.num_blocks; ++block) blocks.append(nb::make_tuple(nb::list(), nb::list()));
  const auto place = [&](const std::vector<Vertex>& block_of, int side, const auto& name) {
    for (Vertex v = 0; v < block_of.size(); ++v) {
      if (block_of[v] != FineDecomposition::no_block) nb::borrow<nb::list>(blocks[block_of[v]][side]).append(name(v));
    }
  };
  place(fine.block_of_row, 0, row_name);
  place(fine.block_of_column, 1, column_name);
  return {graph.named(edges_of(graph, matching)),
          matching.is_perfect(),
          graph.certificate(violator, std::nullopt),
          dropped(graph, useful),
          parts_by_name(coarse.part_of_row, names, row_name),
          parts_by_name(coarse.part_of_column, names, column_name),
          Blocks(std::move(blocks)),
          std::nullopt,
          {}};
}

Decomposition decompose_undirected(const Graph& graph, const Keywords& asked) {
  struct Found {
    GraphMatching matching;
    std::vector<GallaiEdmondsPart> parts;
    std::optional<TutteSet> tutte;
    std::vector<bool> useful;
  };
  const auto [matching, parts, tutte, useful] = run_alone(asked, [&](const RunContext& run) {
    const UndirectedGraph& within = graph.undirected;
    Found found;
    found.matching = maximum_matching(within, run);
    found.parts = gallai_edmonds(within, found.matching);
    if (!found.matching.is_perfect()) found.tutte = tutte_set(within, found.matching);
    found.useful = found.matching.is_perfect() ? edges_in_perfect_matchings(within, found.matching, run)
                                               : edges_in_maximum_matchings(within, found.matching, found.parts, run);
    return found;
  });
  constexpr const char* names[] = {"D", "A", "C"};
  return {graph.named(edges_of(graph, matching)),
          matching.is_perfect(),
          graph.certificate(std::nullopt, tutte),
          dropped(graph, useful),
          std::nullopt,
          std::nullopt,
          std::nullopt,
          parts_by_name(parts, names, [&](Vertex v) { return graph.row_name(v); }),
          {}};
}

// Returns a maximum matching alone.
Pairs maximum_matching_of(const Graph& graph) {
  return graph.named(graph.visit(false, [&](const auto& within) {
    return run_alone({}, [&](const RunContext& run) { return edges_of(graph, maximum_matching(within, run)); });
  }));
}

Decomposition decompose(const Graph& graph, const Keywords& asked) {
  Decomposition found = graph.is_bipartite ? decompose_bipartite(graph, asked) : decompose_undirected(graph, asked);
  found.graph = nb::find(graph);
  return found;
}

std::string repr(const Decomposition& self) {
  return "Decomposition(maximum matching of " + std::to_string(self.matching.size()) + " edges, " +
         (self.is_perfect ? "perfect, " : "not perfect, ") + std::to_string(self.useless_edges.size()) +
         " useless edges" + (self.blocks ? ", " + std::to_string(self.blocks->size()) + " blocks" : "") + ")";
}

}  // namespace

void add_matchings(nb::module_& module) {
  nb::class_<Listing>(module, "Listing")
      .def(
          "__iter__", [](nb::handle_t<Listing> self) { return nb::borrow(self); },
          nb::sig("def __iter__(self) -> Listing"))
      .def("__next__", &Listing::next);
  module.def("listing", [](const Graph& graph, const std::string& kind, bool weighted, const Keywords& asked) {
    return std::make_unique<Listing>(graph, kind_of_matchings(kind), weighted, options_from<RunOptions>(asked));
  });
  record<Decomposition>(module, "Decomposition", R"(A maximum matching, and what every maximum matching has in common.

Attributes
----------
matching : list of tuple
    A maximum matching, as (u, v).
is_perfect : bool
certificate : dict or None
    Why no matching is perfect, as in a Result.
useless_edges : list of tuple
    Those in no maximum matching.
row_parts, column_parts : dict or None
    Of bipartite graphs: Dulmage and Mendelsohn's coarse part of each vertex, "horizontal", "square" or "vertical".
blocks : list or None
    Of bipartite graphs: the fine blocks, as pairs of lists of vertices.
parts : dict or None
    Of others: Gallai and Edmonds's part of each vertex, "D", "A" or "C".
graph : Graph)")
      .def("__repr__", [](const Decomposition& self) { return repr(self); })
      .def("_repr_svg_",
           [](nb::handle_t<Decomposition> self) { return picture_of(self, nb::make_tuple(self.attr("matching"))); });
  module.def("decompose", &decompose);
  module.def("maximum_matching", &maximum_matching_of);
}

}  // namespace matchcount::python
