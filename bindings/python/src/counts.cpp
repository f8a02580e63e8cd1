#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <type_traits>

#include "binding.hpp"

namespace matchcount::python {

nb::dict dictionary(const Result& run, const Graph& graph, const std::optional<Rational>& fraction) {
  nb::dict result;
  describe(result, run.value, fraction);
  result["method"] = std::string(to_string(run.method));
  nb::list checks;
  for (const Check& check : run.checks) {
    nb::dict entry;
    entry["name"] = std::string(to_string(check.kind));
    entry["passed"] = check.passed;
    entry["detail"] = check.detail;
    checks.append(entry);
  }
  result["checks"] = checks;
  nb::dict seconds;
  seconds["structure"] = run.time_s.structure;
  seconds["order"] = run.time_s.order;
  seconds["count"] = run.time_s.count;
  seconds["total"] = run.time_s.total;
  result["seconds"] = seconds;
  nb::list gpus;
  for (const DeviceInfo& gpu : run.gpus) gpus.append(gpu.name);
  result["gpus"] = gpus;
  result["seed"] = run.seed;
  result["certificate"] = certificate_of(graph, run.plan.hall_violator, run.plan.tutte_set);
  return result;
}

nb::dict dictionary(const Plan& plan, const Graph& graph) {
  nb::dict result;
  result["seconds"] = plan.seconds;
  result["memory_bytes"] = plan.memory_bytes;
  result["maximum_matching"] = plan.maximum_matching;
  result["has_perfect_matching"] = plan.has_perfect_matching();
  result["certificate"] = certificate_of(graph, plan.hall_violator, plan.tutte_set);
  nb::list blocks;
  for (const BlockPlan& block : plan.blocks) {
    nb::dict entry;
    entry["size"] = block.size;
    entry["bipartite"] = block.bipartite;
    entry["edges"] = block.edges;
    nb::list forecasts;
    for (const Forecast& forecast : block.forecasts) {
      nb::dict way;
      way["method"] = std::string(to_string(forecast.method));
      way["device"] = forecast.on_gpu ? "cuda" : "cpu";
      way["applies"] = forecast.applies;
      way["reason"] = forecast.reason;
      way["seconds"] = forecast.seconds;
      way["memory_bytes"] = forecast.memory_bytes;
      forecasts.append(way);
    }
    entry["forecasts"] = forecasts;
    blocks.append(entry);
  }
  result["blocks"] = blocks;
  return result;
}

namespace {

// A bound on the states of all layers of the frontier method along a breadth-first order: whose frontier is the queue.
template <class Visit>
double breadth_first_states(Vertex num_vertices, const Visit& for_each_neighbour) {
  double states = 0;
  std::vector<bool> seen(num_vertices, false);
  std::vector<Vertex> queue;
  const auto reach = [&](Vertex v) {
    if (!seen[v]) queue.push_back(v);
    seen[v] = true;
  };
  std::size_t next = 0;
  for (Vertex first = 0; first < num_vertices; ++first) {
    for (reach(first); next < queue.size(); states += std::exp2(static_cast<double>(queue.size() - next)))
      for_each_neighbour(queue[next++], reach);
  }
  return states;
}

// Whether a count of perfect matchings, by whatever method is planned, is over before a watch would first look: the
// frontier method takes less than that for so many states, and all else of so small a graph about a millisecond.
bool is_over_at_once(const Graph& graph, const CountOptions& options) {
  constexpr Vertex most_vertices = 256;
  constexpr double most_states = 0x1p24;
  const bool is_plain = options.method == Method::automatic && !options.verify && options.effort_s == 0 &&
                        options.run.num_threads <= 1 && options.run.device.kind != DeviceChoice::Kind::cuda;
  if (!is_plain || graph.num_vertices() > most_vertices) return false;
  if (!graph.is_bipartite) {
    return breadth_first_states(graph.num_vertices(), [&](Vertex v, const auto& reach) {
             for (const Vertex u : graph.undirected.neighbours(v)) reach(u);
           }) <= most_states;
  }
  const Vertex rows = graph.bipartite.num_rows();
  return breadth_first_states(graph.num_vertices(), [&](Vertex v, const auto& reach) {
           if (v < rows) {
             for (const Vertex column : graph.bipartite.row(v)) reach(rows + column);
           } else {
             for (const Vertex row : graph.bipartite.column(v - rows)) reach(row);
           }
         }) <= most_states;
}

// Perfect matchings, their weights, or of another kind.
nb::dict count(const Graph& graph, const std::string& what, bool weighted, nb::object activity, nb::dict given,
               nb::object progress) {
  CountOptions options = take_count(given);
  Saving saving(given);
  refuse_rest(given);
  weighted = weighted || graph.weights_are_multiplicities;
  Interruptible interruptible(options.run, progress);
  const auto kind = from_string<MatchingKind>(what);
  if (kind == MatchingKind::perfect && !graph.loops) {
    std::optional<Rational> fraction;
    const auto value = [&] {
      return saving([&](Work* work) {
        return graph.visit(weighted, [&](const auto& within) {
          constexpr bool sides = std::is_same_v<std::decay_t<decltype(within)>, BipartiteGraph>;
          if (weighted && !graph.fractions.empty()) {
            ExactResult exact = [&] {
              if constexpr (sides)
                return permanent(within, graph.fractions, options, work);
              else
                return hafnian(within, graph.fractions, options, work);
            }();
            if (auto* value = std::get_if<Rational>(&exact.value)) fraction = std::move(*value);
            return std::move(exact.run);
          }
          if (!weighted) return count_perfect_matchings(within, options, work);
          if constexpr (sides)
            return permanent(within, options, work);
          else
            return hafnian(within, options, work);
        });
      });
    };
    const bool at_once = !weighted && !saving.work() && is_over_at_once(graph, options);
    // A team of threads that this thread started would be missing in a process that is forked off.
    if (at_once) options.run.num_threads = 1;
    const Result result = at_once ? interruptible.at_once(value) : interruptible(value);
    return dictionary(result, graph, fraction);
  }
  MatchingOptions matchings;
  matchings.kind = graph.loops ? MatchingKind::all : kind;
  matchings.weighted = weighted;
  if (weighted) matchings.fractions = graph.fractions;
  matchings.loops = graph.loops;
  if (!activity.is_none()) matchings.activity = rational_from(activity);
  matchings.count = options;
  MatchingResult found = interruptible([&] {
    return saving([&](Work* work) {
      return graph.visit(weighted, [&](const auto& within) { return count_matchings(within, matchings, work); });
    });
  });
  nb::dict result = dictionary(found.run, graph, found.fraction);
  nb::list by_size;
  for (const MatchingSum& sum : found.by_size)
    by_size.append(sum.fraction ? to_python(*sum.fraction) : to_python(sum.value));
  result["by_size"] = by_size;
  if (found.edges_of_each) result["size"] = *found.edges_of_each;
  return result;
}

nb::dict plan(const Graph& graph, const std::string& what, bool weighted, nb::dict given) {
  CountOptions options = take_count(given);
  refuse_rest(given);
  weighted = weighted || graph.weights_are_multiplicities;
  Interruptible interruptible(options.run, nb::none());
  const auto kind = from_string<MatchingKind>(what);
  const Plan planned = interruptible([&] {
    return graph.visit(weighted, [&](const auto& within) {
      constexpr bool sides = std::is_same_v<std::decay_t<decltype(within)>, BipartiteGraph>;
      if (kind != MatchingKind::perfect || graph.loops) {
        MatchingOptions matchings;
        matchings.kind = graph.loops ? MatchingKind::all : kind;
        matchings.weighted = weighted;
        if (weighted) matchings.fractions = graph.fractions;
        matchings.loops = graph.loops;
        matchings.count = options;
        return plan_matchings(within, matchings);
      }
      if (weighted && !graph.fractions.empty()) {
        if constexpr (sides)
          return plan_permanent_of_fractions(within, graph.fractions, options);
        else
          return plan_hafnian_of_fractions(within, graph.fractions, options);
      }
      if constexpr (sides)
        return plan_permanent(within, options);
      else
        return plan_hafnian(within, options);
    });
  });
  return dictionary(planned, graph);
}

nb::dict determinant_of(const Graph& matrix, nb::dict given, nb::object progress) {
  DeterminantOptions options;
  options.method = from_string<DeterminantMethod>(take<std::string>(given, "method", "auto"));
  options.run = take_run(given);
  refuse_rest(given);
  Interruptible interruptible(options.run, progress);
  const DeterminantResult found = interruptible([&] {
    return matrix.fractions.empty() ? determinant(matrix.bipartite, options)
                                    : determinant(matrix.bipartite, matrix.fractions, options);
  });
  nb::dict result;
  std::visit(
      [&](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Rational>) {
          describe(result, RealValue{nearest_real(value)}, value);
        } else {
          describe(result, value, std::nullopt);
        }
      },
      found.value);
  result["method"] = std::string(to_string(found.method));
  result["checks"] = nb::list();
  result["seconds"] = nb::dict();
  result["certificate"] = nb::dict();
  result["seed"] = options.run.seed;
  nb::list gpus;
  for (const DeviceInfo& gpu : found.gpus) gpus.append(gpu.name);
  result["gpus"] = gpus;
  return result;
}

// The greatest double that is not above the value, or the least that is not below it.
double outward(const ScaledReal& value, bool up) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double near = value.to_double(), end = up ? infinity : -infinity;
  if (std::isinf(near)) return near == end ? near : std::nextafter(near, 0.0);
  const ScaledReal rest = value + -ScaledReal(DoubleDouble(near));
  return rest.is_zero() || (rest.mantissa.hi > 0) != up ? near : std::nextafter(near, end);
}

nb::dict estimate(const Graph& graph, bool weighted, nb::dict given, nb::object progress) {
  EstimateOptions options;
  options.method = from_string<Estimator>(take<std::string>(given, "method", "auto"));
  options.samples = take<std::uint64_t>(given, "samples", 0);
  options.relative_error = take(given, "relative_error", options.relative_error);
  options.confidence = take(given, "confidence", options.confidence);
  options.population = take(given, "population", 0);
  options.scaling_interval = take(given, "scaling_interval", options.scaling_interval);
  options.scaling_rounds = take(given, "scaling_rounds", options.scaling_rounds);
  options.exact_rows = take(given, "exact_rows", options.exact_rows);
  options.run = take_run(given);
  Saving saving(given);
  refuse_rest(given);
  weighted = weighted || graph.weights_are_multiplicities;
  if (weighted && !graph.fractions.empty())
    throw InputError("an estimate of fractions", "floats: estimates are no exact numbers");
  Interruptible interruptible(options.run, progress);
  const Estimate found = interruptible([&] {
    return saving([&](Work* work) {
      return graph.visit(weighted, [&](const auto& within) {
        if constexpr (std::is_same_v<std::decay_t<decltype(within)>, BipartiteGraph>) {
          return weighted ? estimate_permanent(within, options, work)
                          : estimate_perfect_matchings(within, options, work);
        } else {
          return weighted ? estimate_hafnian(within, options, work) : estimate_perfect_matchings(within, options, work);
        }
      });
    });
  });
  constexpr double log10_e = 0.43429448190325182765;
  nb::dict result;
  result["value"] = found.value.to_double();
  result["log10"] = found.log_value * log10_e;
  result["low"] = outward(found.low, false);
  result["high"] = outward(found.high, true);
  result["log10_low"] = found.low.log2_abs() * 0.30102999566398119521;
  result["log10_high"] = found.high.log2_abs() * 0.30102999566398119521;
  result["relative_error"] = found.relative_error;
  result["standard_error"] = found.standard_error;
  result["log10_bracket"] = nb::make_tuple(found.bracket.log_lower * log10_e, found.bracket.log_upper * log10_e);
  result["zero_fraction"] = found.zero_fraction;
  result["out_of_time"] = found.out_of_time;
  result["confidence"] = found.confidence;
  result["samples"] = found.samples;
  result["effective_samples"] = found.effective_samples;
  result["exact"] = found.exact;
  result["unknown"] = found.unknown;
  result["warning"] = found.warning;
  result["method"] = std::string(to_string(found.method));
  result["seed"] = found.seed;
  result["seconds"] = found.time_s.total;
  result["certificate"] = certificate_of(graph, found.hall_violator, found.tutte_set);
  return result;
}

}  // namespace

void add_counts(nb::module_& module) {
  module.def("count", &count, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none());
  module.def("plan", &plan);
  module.def("determinant", &determinant_of, nb::arg(), nb::arg(), nb::arg().none());
  module.def("estimate", &estimate, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace matchcount::python
