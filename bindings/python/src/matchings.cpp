#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "binding.hpp"

namespace matchcount::python {
namespace {

DistributionOptions take_distribution(nb::dict& given) {
  DistributionOptions options;
  options.exact = take(given, "exact", false);
  options.method = from_string<Method>(take<std::string>(given, "method", "auto"));
  options.effort_s = take(given, "effort", 0.0);
  options.run = take_run(given);
  refuse_rest(given);
  return options;
}

void refuse_fractions(const Graph& graph, bool weighted) {
  if (weighted && !graph.fractions.empty())
    throw InputError("fractions, or integers beyond 64 bits, as weights", "integers of 64 bits, or floats");
}

nb::dict marginals(const Graph& graph, bool weighted, nb::dict given, nb::object progress) {
  DistributionOptions options = take_distribution(given);
  refuse_fractions(graph, weighted);
  Interruptible interruptible(options.run, progress);
  std::optional<HallViolator> hall;
  std::optional<TutteSet> tutte;
  const Marginals found = interruptible([&] {
    return graph.visit(weighted || graph.weights_are_multiplicities, [&](const auto& within) {
      MatchingDistribution distribution(within, options);
      hall = distribution.hall_violator();
      tutte = distribution.tutte_set();
      return distribution.marginals();
    });
  });
  nb::dict result;
  nb::list sums, probabilities, errors;
  for (const EdgeMarginal& edge : found.edges) {
    sums.append(to_python(edge.sum));
    probabilities.append(edge.probability);
    errors.append(edge.error);
  }
  result["edges"] = pairs(graph.all_edges());
  result["sums"] = sums;
  result["probabilities"] = probabilities;
  result["errors"] = errors;
  result["are_probabilities"] = found.are_probabilities;
  result["total"] = to_python(found.total);
  result["method"] = std::string(to_string(found.method));
  result["certificate"] = certificate_of(graph, hall, tutte);
  return result;
}

nb::list samples(const Graph& graph, std::uint64_t first, std::size_t count, bool weighted, nb::dict given,
                 nb::object progress) {
  DistributionOptions options = take_distribution(given);
  refuse_fractions(graph, weighted);
  Interruptible interruptible(options.run, progress);
  std::size_t size = 0;
  const std::vector<EdgeId> ids = interruptible([&] {
    return graph.visit(weighted || graph.weights_are_multiplicities, [&](const auto& within) {
      MatchingDistribution distribution(within, options);
      size = distribution.matching_size();
      return distribution.samples(first, count);
    });
  });
  const std::vector<Edge> edges = graph.all_edges();
  nb::list result;
  for (std::size_t i = 0; i < count; ++i) {
    nb::list matching;
    for (std::size_t j = 0; j < size; ++j) {
      const Edge edge = edges[ids[i * size + j]];
      matching.append(nb::make_tuple(edge.row, edge.column));
    }
    result.append(matching);
  }
  return result;
}

// One after another; the lock makes calls from several threads take turns.
class Listing {
 public:
  Listing(const Graph& graph, bool saturating, RunOptions run) : edges_(graph.all_edges()) {
    const RunContext context(std::move(run));
    if (!graph.is_bipartite) {
      if (saturating) throw InputError("saturating of an undirected graph", "a bipartite one, which has two sides");
      list_.emplace(graph.undirected, context);
    } else {
      list_.emplace(graph.bipartite, saturating, context);
    }
  }
  nb::object next() {
    std::vector<Edge> matching;
    bool found = false;
    {
      const nb::gil_scoped_release release;
      const std::lock_guard lock(mutex_);
      found = list_->next();
      if (found) {
        for (const EdgeId id : list_->edges()) matching.push_back(edges_[id]);
      }
    }
    if (!found) throw nb::stop_iteration();
    return pairs(matching);
  }

 private:
  std::vector<Edge> edges_;
  std::optional<MatchingList> list_;
  std::mutex mutex_;
};

std::unique_ptr<Listing> listing(const Graph& graph, bool saturating, nb::dict given) {
  RunOptions run = take_run(given);
  refuse_rest(given);
  const nb::gil_scoped_release release;
  return std::make_unique<Listing>(graph, saturating, std::move(run));
}

nb::list kept(const std::vector<Edge>& edges, const std::vector<bool>& keep, bool wanted) {
  std::vector<Edge> chosen;
  for (std::size_t id = 0; id < edges.size(); ++id) {
    if (keep[id] == wanted) chosen.push_back(edges[id]);
  }
  return pairs(chosen);
}

void decompose_bipartite(const Graph& graph, const RunContext& run, nb::dict& result) {
  const BipartiteGraph& within = graph.bipartite;
  const Matching matching = maximum_matching(within, run);
  const CoarseDecomposition coarse = coarse_decomposition(within, matching);
  const FineDecomposition fine = fine_decomposition(within, matching, coarse);
  const bool perfect = matching.is_perfect();
  std::vector<Edge> matched;
  std::optional<HallViolator> violator;
  for (Vertex row = 0; row < within.num_rows(); ++row) {
    if (matching.column_of_row[row] == unmatched) continue;
    Edge edge{graph.row_number(row), graph.column_number(matching.column_of_row[row])};
    if (graph.one_side() && edge.row > edge.column) std::swap(edge.row, edge.column);
    matched.push_back(edge);
  }
  if (!perfect) violator = hall_violator(within, matching, matching.size < within.num_rows());
  result["matching"] = pairs(matched);
  result["is_perfect"] = perfect;
  result["certificate"] = certificate_of(graph, violator, std::nullopt);
  const std::vector<bool> useful =
      perfect ? edges_in_perfect_matchings(within, fine) : edges_in_maximum_matchings(within, matching, coarse, fine);
  result["useless_edges"] = kept(graph.all_edges(), useful, false);
  constexpr const char* names[] = {"horizontal", "square", "vertical"};
  nb::list row_parts, column_parts, blocks;
  for (const CoarsePart part : coarse.part_of_row) row_parts.append(names[static_cast<int>(part)]);
  for (const CoarsePart part : coarse.part_of_column) column_parts.append(names[static_cast<int>(part)]);
  for (Vertex block = 0; block < fine.num_blocks; ++block) blocks.append(nb::make_tuple(nb::list(), nb::list()));
  const auto place = [&](const std::vector<Vertex>& block_of, int side, auto number) {
    for (Vertex v = 0; v < block_of.size(); ++v) {
      if (block_of[v] != FineDecomposition::no_block) nb::borrow<nb::list>(blocks[block_of[v]][side]).append(number(v));
    }
  };
  place(fine.block_of_row, 0, [&](Vertex row) { return graph.row_number(row); });
  place(fine.block_of_column, 1, [&](Vertex column) { return graph.column_number(column); });
  nb::list row_numbers, column_numbers;
  for (Vertex row = 0; row < within.num_rows(); ++row) row_numbers.append(graph.row_number(row));
  for (Vertex column = 0; column < within.num_columns(); ++column) column_numbers.append(graph.column_number(column));
  result["rows"] = row_numbers;
  result["columns"] = column_numbers;
  result["row_parts"] = row_parts;
  result["column_parts"] = column_parts;
  result["blocks"] = blocks;
}

void decompose_undirected(const Graph& graph, const RunContext& run, nb::dict& result) {
  const GraphMatching matching = maximum_matching(graph.undirected, run);
  const std::vector<GallaiEdmondsPart> parts = gallai_edmonds(graph.undirected, matching);
  std::vector<Edge> matched;
  for (Vertex v = 0; v < matching.partner.size(); ++v) {
    if (matching.partner[v] != unmatched && v < matching.partner[v]) matched.push_back({v, matching.partner[v]});
  }
  std::optional<TutteSet> tutte;
  if (!matching.is_perfect()) tutte = tutte_set(graph.undirected, matching);
  result["matching"] = pairs(matched);
  result["is_perfect"] = matching.is_perfect();
  result["certificate"] = certificate_of(graph, std::nullopt, tutte);
  const std::vector<bool> useful = matching.is_perfect()
                                       ? edges_in_perfect_matchings(graph.undirected, matching, run)
                                       : edges_in_maximum_matchings(graph.undirected, matching, parts, run);
  result["useless_edges"] = kept(graph.all_edges(), useful, false);
  constexpr const char* names[] = {"D", "A", "C"};
  nb::list vertex_parts;
  for (const GallaiEdmondsPart part : parts) vertex_parts.append(names[static_cast<int>(part)]);
  result["parts"] = vertex_parts;
}

nb::dict decompose(const Graph& graph, nb::dict given) {
  RunOptions options = take_run(given);
  refuse_rest(given);
  const RunContext run(options);
  nb::dict result;
  if (graph.is_bipartite) {
    decompose_bipartite(graph, run, result);
  } else {
    decompose_undirected(graph, run, result);
  }
  return result;
}

}  // namespace

void add_matchings(nb::module_& module) {
  nb::class_<Listing>(module, "Listing")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &Listing::next);
  module.def("listing", &listing);
  module.def("marginals", &marginals, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("samples", &samples, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("decompose", &decompose);
}

}  // namespace matchcount::python
