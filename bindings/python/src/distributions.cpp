#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <variant>

#include "records.hpp"

namespace matchcount::python {
namespace {

struct FoundMarginals : Marginals {
  std::optional<Entropy> entropy;
  std::vector<std::pair<EdgeId, EdgeId>> pairs;
  std::vector<PairMarginal> of_pairs;
};
struct MarginalsAnswer : FoundMarginals {
  Certificate certificate;
  nb::typed<nb::list, nb::any> names;  // of its vertices: of two sides (u, None) and (None, v)
};
struct EstimatedMarginalsAnswer : EstimatedMarginals {
  std::uint64_t seed;
};
// Samples holds random matchings, and of approximate ones how fair they are.
struct Samples {
  nb::typed<nb::list, Pairs> matchings;
  std::optional<PopulationReport> report;
  std::uint64_t seed = 0;
  nb::object graph;
};

}  // namespace

template <>
inline constexpr auto members<PopulationReport> =
    hidden<&PopulationReport::population, &PopulationReport::effective, &PopulationReport::largest_share,
           &PopulationReport::distinct, &PopulationReport::warning>;
template <>
inline constexpr auto members<Samples> =
    std::tuple_cat(attributes<&Samples::matchings, &Samples::seed, &Samples::graph>, hidden<&Samples::report>);

namespace {

// Returns the value, or nothing if no float holds it.
std::optional<Number> held(const Value& value) {
  try {
    return to_python(value);
  } catch (const Unable&) {
    return std::nullopt;
  }
}

template <class Options>
Options options_for(const Graph& graph, bool weighted, const Keywords& asked) {
  auto options = options_from<Options>(asked);
  if constexpr (requires { options.loops; }) {
    if (weighted) options.fractions = graph.fractions;
    options.loops = graph.loops;
    if (graph.loops) options.matchings = MatchingKind::all;
    if (options.matchings == MatchingKind::all) options.always_matched = graph.always_matched;
  }
  return options;
}

// Says whether marginals, or so many samples, are found before a watch would first look.
template <class Options>
bool is_over_at_once(const Graph& graph, const Options& options, std::size_t samples = 1) {
  constexpr double most_states = 0x1p10;
  constexpr std::size_t most_samples = 64;
  if constexpr (requires { options.effort_s; })
    return options.method == Method::automatic && options.effort_s == 0 && options.run.num_threads <= 1 &&
           samples <= most_samples && has_few_states(graph, most_states);
  return false;
}

// `pairs`: edges by number, or within how many edges of each other they are to be.
MarginalsAnswer marginals(const Graph& graph, bool weighted,
                          const std::variant<Vertex, std::vector<std::pair<EdgeId, EdgeId>>>& pairs,
                          const Keywords& asked) {
  auto options = options_for<DistributionOptions>(graph, weighted, asked);
  std::optional<HallViolator> hall;
  std::optional<TutteSet> tutte;
  FoundMarginals found;
  carry_out(
      graph, weighted, options.run, asked,
      [&](const auto& within, Work*) {
        const RunContext run(options.run);
        std::vector<EdgePair> edges;
        if (const auto* near = std::get_if<Vertex>(&pairs))
          edges = near_pairs(within, *near, run);
        else
          for (const auto& [first, second] : std::get<1>(pairs)) edges.push_back({first, second});
        for (const auto& [first, second] : edges) found.pairs.emplace_back(first, second);
        MatchingDistribution distribution(within, options);
        hall = distribution.hall_violator();
        tutte = distribution.tutte_set();
        static_cast<Marginals&>(found) = distribution.marginals();
        auto left = options;
        left.run.time_limit_s = std::max(0.0, left.run.time_limit_s - run.elapsed_s());
        found.entropy = entropy(within, left, found);
        found.of_pairs = pair_marginals(within, left, found, edges);
        return 0;
      },
      is_over_at_once(graph, options));
  MarginalsAnswer answer{std::move(found), {}, {}};
  answer.certificate = graph.certificate(hall, tutte);
  for (Vertex v = 0; v < answer.vertices.size(); ++v) {
    const bool is_row = !graph.is_bipartite || v < graph.bipartite.num_rows();
    const nb::object name = is_row ? graph.row_name(graph.row_number(v))
                                   : graph.column_name(graph.column_number(v - graph.bipartite.num_rows()));
    answer.names.append(graph.one_side() ? name
                        : is_row         ? nb::object(nb::make_tuple(name, nb::none()))
                                         : nb::object(nb::make_tuple(nb::none(), name)));
  }
  return answer;
}

EstimatedMarginalsAnswer estimated_marginals(const Graph& graph, bool weighted, const Keywords& asked) {
  auto options = options_from<DistributionEstimateOptions>(asked);
  return {carry_out(
              graph, weighted, options.run, asked,
              [&](const auto& within, Work* work) { return EstimatedDistribution(within, options, work).marginals(); }),
          options.run.seed};
}

// Draws `count` samples from number `first` on, from a MatchingDistribution or an EstimatedDistribution.
template <class Distribution, class Options>
Samples draw(const Graph& graph, std::uint64_t first, std::size_t count, bool weighted, const Keywords& asked) {
  auto options = options_for<Options>(graph, weighted, asked);
  Samples samples;
  samples.seed = options.run.seed;
  samples.graph = nb::find(graph);
  std::size_t size = 0;
  const std::vector<EdgeId> ids = carry_out(
      graph, weighted, options.run, asked,
      [&](const auto& within, Work*) {
        Distribution distribution(within, options);
        size = distribution.matching_size();
        std::vector<EdgeId> drawn = distribution.samples(first, count);
        if constexpr (requires { distribution.population(); }) samples.report = distribution.population();
        return drawn;
      },
      is_over_at_once(graph, options, count));
  const std::vector<Edge> edges = graph.all_edges();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Edge> matching;
    for (std::size_t j = i * size; j < (i + 1) * size && ids[j] != no_edge; ++j) matching.push_back(edges[ids[j]]);
    samples.matchings.append(graph.named(matching));
  }
  return samples;
}

PlanAnswer plan_distribution(const Graph& graph, bool of_samples, bool weighted, const Keywords& asked) {
  auto options = options_for<DistributionOptions>(graph, weighted, asked);
  const DistributionPlan found = carry_out(graph, weighted, options.run, asked, [&](const auto& within, Work*) {
    return of_samples ? plan_samples(within, options) : plan_marginals(within, options);
  });
  return {found.plan, graph.certificate(found.plan.hall_violator, found.plan.tutte_set), found.refusal};
}

std::string repr(const Samples& self) {
  const std::string count = "Samples(" + std::to_string(self.matchings.size()) + " matchings, ";
  if (!self.report) return count + "exact)";
  const std::string warning =
      self.report->warning.empty()
          ? ""
          : ", warning=" + nb::cast<std::string>(nb::repr(nb::str(self.report->warning.c_str())));
  return count + std::to_string(self.report->distinct) + " distinct of " + std::to_string(self.report->population) +
         warning + ")";
}

template <auto member>
auto of_report(const Samples& self) {
  return self.report ? std::optional((*self.report).*member) : std::nullopt;
}

}  // namespace

void add_distributions(nb::module_& module) {
  show<&EdgeMarginal::probability, &EdgeMarginal::error>(nb::class_<EdgeMarginal>(module, "EdgeMarginal"))
      .def_prop_ro("sum", [](const EdgeMarginal& self) { return held(self.sum); });
  show<&PairMarginal::both, &PairMarginal::connected, &PairMarginal::connected_error, &PairMarginal::correlation,
       &PairMarginal::correlation_error>(nb::class_<PairMarginal>(module, "PairMarginal"))
      .def_prop_ro("unit", [](const PairMarginal& self) { return to_python(self.unit); });
  show<&Marginals::edges, &Marginals::vertices, &MarginalsAnswer::names, &Marginals::are_probabilities,
       &Marginals::method, &MarginalsAnswer::certificate, &MarginalsAnswer::pairs, &MarginalsAnswer::of_pairs>(
      nb::class_<MarginalsAnswer>(module, "Marginals"))
      .def_prop_ro("unit", [](const MarginalsAnswer& self) { return to_python(self.unit); })
      .def_prop_ro("total", [](const MarginalsAnswer& self) { return held(self.total); })
      .def_prop_ro("entropy", [](const MarginalsAnswer& self) {
        return self.entropy ? std::optional(std::pair(self.entropy->value, self.entropy->error)) : std::nullopt;
      });
  show<&EstimatedProbability::probability, &EstimatedProbability::low, &EstimatedProbability::high>(
      nb::class_<EstimatedProbability>(module, "EstimatedProbability"));
  show<&EstimatedMarginals::edges, &EstimatedMarginals::confidence, &EstimatedMarginals::samples,
       &EstimatedMarginals::effective_samples, &EstimatedMarginals::warning, &EstimatedMarginals::out_of_time,
       &EstimatedMarginals::method, &EstimatedMarginalsAnswer::seed>(
      nb::class_<EstimatedMarginalsAnswer>(module, "EstimatedMarginals"));
  record<Samples>(module, "Samples", R"(Random matchings, and of approximate ones how fair they are.

Attributes
----------
matchings : list of list of tuple
    Edges as (u, v).
seed : int
graph : Graph
population : int or None
    Weighted matchings that approximate samples were taken from, 0: all parts are exact; None: the samples are exact.
effective : float or None
    How many fair matchings these are worth.
largest_share : float or None
    How often the heaviest one is drawn.
distinct : int or None
    How many different ones of the population were taken.
warning : str or None
    Why the samples are not to be believed, or "".)")
      .def_prop_ro("population", &of_report<&PopulationReport::population>)
      .def_prop_ro("effective", &of_report<&PopulationReport::effective>)
      .def_prop_ro("largest_share", &of_report<&PopulationReport::largest_share>)
      .def_prop_ro("distinct", &of_report<&PopulationReport::distinct>)
      .def_prop_ro("warning", &of_report<&PopulationReport::warning>)
      .def("__repr__", [](const Samples& self) { return repr(self); })
      .def("_repr_svg_", [](nb::handle_t<Samples> self) { return picture_of(self, self.attr("matchings")); });
  module.def("marginals", &marginals);
  module.def("estimated_marginals", &estimated_marginals);
  module.def("samples", &draw<MatchingDistribution, DistributionOptions>);
  module.def("approximate_samples", &draw<EstimatedDistribution, DistributionEstimateOptions>);
  module.def("plan_distribution", &plan_distribution);
}

}  // namespace matchcount::python
