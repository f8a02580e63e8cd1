#include <nanobind/stl/string.h>

#include "binding.hpp"

namespace matchcount::python {
namespace {

DistributionOptions take_distribution(nb::dict& given) {
  refuse_options(given, {"device", "precision"});
  DistributionOptions options;
  options.exact = take(given, "exact", false);
  options.method = from_string<Method>(take<std::string>(given, "method", "auto"));
  options.frontier_strategy = from_string<FrontierStrategy>(take<std::string>(given, "order", "auto"));
  options.frontier_engine = from_string<FrontierEngine>(take<std::string>(given, "engine", "auto"));
  options.effort_s = take_effort(given);
  options.run = take_run(given);
  refuse_rest(given);
  return options;
}

DistributionEstimateOptions take_estimate(nb::dict& given) {
  refuse_options(given, {"device", "precision"});
  DistributionEstimateOptions options;
  options.samples = take(given, "samples", options.samples);
  options.absolute_error = take(given, "absolute_error", options.absolute_error);
  options.confidence = take(given, "confidence", options.confidence);
  options.population = take(given, "population", options.population);
  options.exact_rows = take(given, "exact_rows", options.exact_rows);
  options.run = take_run(given);
  return options;
}

template <class Body>
auto visit(const Graph& graph, bool weighted, Body&& body) {
  return graph.visit(weighted || graph.weights_are_multiplicities, body);
}

// None where no float holds it.
nb::object held(const Value& value) {
  try {
    return to_python(value);
  } catch (const Unable&) {
    return nb::none();
  }
}

nb::dict marginals(const Graph& graph, bool weighted, nb::dict given, nb::object progress) {
  DistributionOptions options = take_distribution(given);
  Interruptible interruptible(options.run, progress);
  std::optional<HallViolator> hall;
  std::optional<TutteSet> tutte;
  const Marginals found = interruptible([&] {
    return visit(graph, weighted, [&](const auto& within) {
      MatchingDistribution distribution(within, options);
      hall = distribution.hall_violator();
      tutte = distribution.tutte_set();
      return distribution.marginals();
    });
  });
  nb::dict result;
  nb::list sums, probabilities, errors;
  for (const EdgeMarginal& edge : found.edges) {
    sums.append(held(edge.sum));
    probabilities.append(edge.probability);
    errors.append(edge.error);
  }
  result["edges"] = pairs(graph.all_edges());
  result["sums"] = sums;
  result["probabilities"] = probabilities;
  result["errors"] = errors;
  result["are_probabilities"] = found.are_probabilities;
  result["total"] = held(found.total);
  result["method"] = std::string(to_string(found.method));
  result["certificate"] = certificate_of(graph, hall, tutte);
  return result;
}

nb::dict estimated_marginals(const Graph& graph, bool weighted, nb::dict given, nb::object progress) {
  refuse_options(given, {"population"});
  DistributionEstimateOptions options = take_estimate(given);
  Saving saving(given);
  refuse_rest(given);
  Interruptible interruptible(options.run, progress);
  const EstimatedMarginals found = interruptible([&] {
    return saving([&](Work* work) {
      return visit(graph, weighted,
                   [&](const auto& within) { return EstimatedDistribution(within, options, work).marginals(); });
    });
  });
  nb::dict result;
  nb::list probabilities;
  for (const EstimatedProbability& edge : found.edges)
    probabilities.append(nb::make_tuple(edge.probability, edge.low, edge.high));
  result["edges"] = pairs(graph.all_edges());
  result["probabilities"] = probabilities;
  result["confidence"] = found.confidence;
  result["samples"] = found.samples;
  result["effective_samples"] = found.effective_samples;
  result["warning"] = found.warning;
  result["out_of_time"] = found.out_of_time;
  result["method"] = std::string(to_string(found.method));
  result["seed"] = options.run.seed;
  return result;
}

nb::list matchings(const Graph& graph, const std::vector<EdgeId>& ids, std::size_t count, std::size_t size) {
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

nb::list samples(const Graph& graph, std::uint64_t first, std::size_t count, bool weighted, nb::dict given,
                 nb::object progress) {
  refuse_options(given, {"exact"});
  DistributionOptions options = take_distribution(given);
  Interruptible interruptible(options.run, progress);
  std::size_t size = 0;
  const std::vector<EdgeId> ids = interruptible([&] {
    return visit(graph, weighted, [&](const auto& within) {
      MatchingDistribution distribution(within, options);
      size = distribution.matching_size();
      return distribution.samples(first, count);
    });
  });
  return matchings(graph, ids, count, size);
}

nb::dict approximate_samples(const Graph& graph, std::uint64_t first, std::size_t count, bool weighted, nb::dict given,
                             nb::object progress) {
  refuse_options(given, {"samples", "absolute_error", "confidence"});
  DistributionEstimateOptions options = take_estimate(given);
  refuse_rest(given);
  Interruptible interruptible(options.run, progress);
  std::size_t size = 0;
  PopulationReport report;
  const std::vector<EdgeId> ids = interruptible([&] {
    return visit(graph, weighted, [&](const auto& within) {
      EstimatedDistribution distribution(within, options);
      size = distribution.matching_size();
      std::vector<EdgeId> drawn = distribution.samples(first, count);
      report = distribution.population();
      return drawn;
    });
  });
  nb::dict result;
  result["matchings"] = matchings(graph, ids, count, size);
  result["population"] = report.population;
  result["effective"] = report.effective;
  result["largest_share"] = report.largest_share;
  result["distinct"] = report.distinct;
  result["warning"] = report.warning;
  result["seed"] = options.run.seed;
  return result;
}

nb::dict plan_distribution(const Graph& graph, const std::string& of, bool weighted, nb::dict given) {
  DistributionOptions options = take_distribution(given);
  Interruptible interruptible(options.run, nb::none());
  const DistributionPlan found = interruptible([&] {
    return visit(graph, weighted, [&](const auto& within) {
      return of == "samples" ? plan_samples(within, options) : plan_marginals(within, options);
    });
  });
  nb::dict result = dictionary(found.plan, graph);
  result["refusal"] = found.refusal;
  return result;
}

}  // namespace

void add_distributions(nb::module_& module) {
  module.def("marginals", &marginals, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("estimated_marginals", &estimated_marginals, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("samples", &samples, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("approximate_samples", &approximate_samples, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg().none());
  module.def("plan_distribution", &plan_distribution);
}

}  // namespace matchcount::python
