#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "binding.hpp"

namespace matchcount::python {
namespace {

// Of list and decompose: nothing is drawn or rounded there, and no GPU helps.
RunOptions take_limits(nb::dict& given) {
  refuse_options(given, {"device", "precision", "seed", "threads"});
  RunOptions run = take_run(given);
  refuse_rest(given);
  return run;
}

// One after another; the lock makes calls from several threads take turns.
class Listing {
 public:
  Listing(const Graph& graph, bool saturating, RunOptions run)
      : edges_(graph.all_edges()), interruptible_(run, nb::none()) {
    const RunContext context(std::move(run));
    list_.emplace(interruptible_([&] {
      return graph.is_bipartite ? MatchingList(graph.bipartite, saturating, context)
                                : MatchingList(graph.undirected, context);
    }));
  }

  nb::object next() {
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
    return pairs(matching);
  }

 private:
  // The next matching may take as many searches as there are edges, each of all of them: a tenth of a second here.
  static constexpr std::size_t edges_worth_watching = 10000;

  std::vector<Edge> edges_;
  Interruptible interruptible_;
  std::optional<MatchingList> list_;
  std::mutex mutex_;
};

std::unique_ptr<Listing> listing(const Graph& graph, bool saturating, nb::dict given) {
  return std::make_unique<Listing>(graph, saturating, take_limits(given));
}

Optimum optimum_from(const std::string& name) {
  if (name != "lightest" && name != "heaviest") throw InputError("optimum='" + name + "'", "'lightest' or 'heaviest'");
  return name == "lightest" ? Optimum::lightest : Optimum::heaviest;
}

nb::dict count_optimal(const Graph& graph, const std::string& optimum, nb::dict given, nb::object progress) {
  CountOptions options = take_count(given);
  Saving saving(given);
  refuse_rest(given);
  const Optimum which = optimum_from(optimum);
  Interruptible interruptible(options.run, progress);
  const OptimalMatchings found = interruptible([&] {
    return saving([&](Work* work) {
      return graph.visit(true, [&](const auto& within) {
        return count_optimal_matchings(within, which, options, graph.fractions, work);
      });
    });
  });
  nb::dict result = dictionary(found.run, graph);
  result["weight"] = nb::none();
  if (found.weight) {
    const bool whole = denominator(*found.weight).compare(1) == 0;
    result["weight"] = whole ? to_python(numerator(*found.weight)) : to_python(*found.weight);
  }
  return result;
}

nb::dict plan_optimal(const Graph& graph, const std::string& optimum, nb::dict given) {
  CountOptions options = take_count(given);
  refuse_rest(given);
  const Optimum which = optimum_from(optimum);
  Interruptible interruptible(options.run, nb::none());
  const Plan plan = interruptible([&] {
    return graph.visit(
        true, [&](const auto& within) { return plan_optimal_matchings(within, which, options, graph.fractions); });
  });
  return dictionary(plan, graph);
}

nb::list kept(const std::vector<Edge>& edges, const std::vector<bool>& keep, bool wanted) {
  std::vector<Edge> chosen;
  for (std::size_t id = 0; id < edges.size(); ++id) {
    if (keep[id] == wanted) chosen.push_back(edges[id]);
  }
  return pairs(chosen);
}

void decompose_bipartite(const Graph& graph, const RunContext& run, Interruptible& interruptible, nb::dict& result) {
  const BipartiteGraph& within = graph.bipartite;
  struct Found {
    Matching matching;
    CoarseDecomposition coarse;
    FineDecomposition fine;
    std::optional<HallViolator> violator;
    std::vector<bool> useful;
  };
  const auto [matching, coarse, fine, violator, useful] = interruptible([&] {
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
  std::vector<Edge> matched;
  for (Vertex row = 0; row < within.num_rows(); ++row) {
    if (matching.column_of_row[row] == unmatched) continue;
    Edge edge{graph.row_number(row), graph.column_number(matching.column_of_row[row])};
    if (graph.one_side() && edge.row > edge.column) std::swap(edge.row, edge.column);
    matched.push_back(edge);
  }
  result["matching"] = pairs(matched);
  result["is_perfect"] = matching.is_perfect();
  result["certificate"] = certificate_of(graph, violator, std::nullopt);
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

void decompose_undirected(const Graph& graph, const RunContext& run, Interruptible& interruptible, nb::dict& result) {
  struct Found {
    GraphMatching matching;
    std::vector<GallaiEdmondsPart> parts;
    std::optional<TutteSet> tutte;
    std::vector<bool> useful;
  };
  const auto [matching, parts, tutte, useful] = interruptible([&] {
    const UndirectedGraph& within = graph.undirected;
    Found found;
    found.matching = maximum_matching(within, run);
    found.parts = gallai_edmonds(within, found.matching);
    if (!found.matching.is_perfect()) found.tutte = tutte_set(within, found.matching);
    found.useful = found.matching.is_perfect() ? edges_in_perfect_matchings(within, found.matching, run)
                                               : edges_in_maximum_matchings(within, found.matching, found.parts, run);
    return found;
  });
  std::vector<Edge> matched;
  for (Vertex v = 0; v < matching.partner.size(); ++v) {
    if (matching.partner[v] != unmatched && v < matching.partner[v]) matched.push_back({v, matching.partner[v]});
  }
  result["matching"] = pairs(matched);
  result["is_perfect"] = matching.is_perfect();
  result["certificate"] = certificate_of(graph, std::nullopt, tutte);
  result["useless_edges"] = kept(graph.all_edges(), useful, false);
  constexpr const char* names[] = {"D", "A", "C"};
  nb::list vertex_parts;
  for (const GallaiEdmondsPart part : parts) vertex_parts.append(names[static_cast<int>(part)]);
  result["parts"] = vertex_parts;
}

nb::dict decompose(const Graph& graph, nb::dict given) {
  RunOptions options = take_limits(given);
  Interruptible interruptible(options, nb::none());
  const RunContext run(options);
  nb::dict result;
  if (graph.is_bipartite) {
    decompose_bipartite(graph, run, interruptible, result);
  } else {
    decompose_undirected(graph, run, interruptible, result);
  }
  return result;
}

}  // namespace

void add_matchings(nb::module_& module) {
  nb::class_<Listing>(module, "Listing")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &Listing::next);
  module.def("listing", &listing);
  module.def("decompose", &decompose);
  module.def("count_optimal", &count_optimal, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("plan_optimal", &plan_optimal);
}

}  // namespace matchcount::python
