#include <chrono>
#include <cmath>
#include <type_traits>

#include "binding.hpp"

namespace matchcount::python {
namespace {

// Bounds the states of all layers of the frontier method along a breadth-first order, whose frontier is the queue.
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

}  // namespace

bool has_few_states(const Graph& graph, double most_states) {
  constexpr Vertex most_vertices = 256;
  if (graph.num_vertices() > most_vertices) return false;
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

namespace {

// Says whether a count, by whatever method is planned, is over before a watch would first look: the frontier method
// takes less than that for so many states, and all else of so small a graph about a millisecond.
bool is_over_at_once(const Graph& graph, const MatchingOptions& question) {
  constexpr double most_states = 0x1p24, most_states_of_others = 0x1p12;
  const CountOptions& options = question.count;
  const bool is_plain = question.kind == MatchingKind::perfect && !question.weighted;
  return options.method == Method::automatic && !options.verify && options.effort_s == 0 &&
         options.run.num_threads <= 1 && options.run.device.kind != DeviceChoice::Kind::cuda &&
         has_few_states(graph, is_plain ? most_states : most_states_of_others);
}

MatchingOptions question_of(const Graph& graph, const std::string& kind, bool weighted, const Keywords& asked) {
  auto question = options_from<MatchingOptions>(asked);
  question.kind = graph.loops ? MatchingKind::all : kind_of_matchings(kind);
  question.by_weight = asked.contains("by_weight");
  if (asked.contains("labels")) question.labels = nb::cast<std::vector<std::uint32_t>>(asked["labels"]);
  question.weighted = !question.by_weight && (weighted || graph.weights_are_multiplicities);
  if (question.weighted) question.fractions = graph.fractions;
  question.loops = graph.loops;
  if (question.kind == MatchingKind::all || question.kind == MatchingKind::by_size)
    question.always_matched = graph.always_matched;
  return question;
}

// Counts matchings of a kind, or sums their weights up.
CountAnswer count(const Graph& graph, const std::string& kind, bool weighted, const Keywords& asked) {
  MatchingOptions question = question_of(graph, kind, weighted, asked);
  question.count = options_from<CountOptions>(asked);
  CountAnswer answer{carry_out(
                         graph, weighted, question.count.run, asked,
                         [&](const auto& within, Work* work) { return count_matchings(within, question, work); },
                         is_over_at_once(graph, question)),
                     {},
                     {}};
  answer.method = to_string(answer.run.method);
  answer.certificate = graph.certificate(answer.run.plan.hall_violator, answer.run.plan.tutte_set);
  return answer;
}

PlanAnswer plan(const Graph& graph, const std::string& kind, bool weighted, const Keywords& asked) {
  MatchingOptions question = question_of(graph, kind, weighted, asked);
  question.count = options_from<CountOptions>(asked);
  PlanAnswer answer{carry_out(graph, weighted, question.count.run, asked,
                              [&](const auto& within, Work*) { return plan_matchings(within, question); }),
                    {},
                    {}};
  answer.certificate = graph.certificate(answer.hall_violator, answer.tutte_set);
  return answer;
}

CountAnswer determinant_of(const Graph& matrix, const Keywords& asked) {
  const auto start = std::chrono::steady_clock::now();
  auto options = options_from<DeterminantOptions>(asked);
  Interruptible interruptible(options.run, asked);
  const DeterminantResult found = interruptible([&] {
    return matrix.fractions.empty() ? determinant(matrix.bipartite, options)
                                    : determinant(matrix.bipartite, matrix.fractions, options);
  });
  CountAnswer answer;
  std::visit(
      [&](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Rational>) {
          answer.fraction = value;
          answer.run.value = RealValue{nearest_real(value)};
        } else {
          answer.run.value = value;
        }
      },
      found.value);
  answer.method = to_string(found.method);
  answer.run.seed = options.run.seed;
  answer.run.gpus = found.gpus;
  answer.run.time_s.total = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return answer;
}

EstimateAnswer estimate(const Graph& graph, const std::string& kind, bool weighted, const Keywords& asked) {
  auto options = options_from<EstimateOptions>(asked);
  const MatchingOptions question = question_of(graph, kind, weighted, asked);
  if (question.weighted && !graph.fractions.empty() && question.kind == MatchingKind::perfect)
    throw InputError("an estimate of fractions", "floats: estimates are no exact numbers");
  EstimateAnswer answer{
      carry_out(graph, question.weighted, options.run, asked,
                [&](const auto& within, Work* work) { return estimate_matchings(within, question, options, work); }),
      {}};
  answer.certificate = graph.certificate(answer.hall_violator, answer.tutte_set);
  return answer;
}

std::vector<SizeEstimate> estimate_by_size(const Graph& graph, bool weighted, const Keywords& asked) {
  auto options = options_from<EstimateOptions>(asked);
  const MatchingOptions question = question_of(graph, "by-size", weighted, asked);
  return carry_out(graph, question.weighted, options.run, asked, [&](const auto& within, Work* work) {
    return estimate_matchings_by_size(within, question, options, work);
  });
}

// ---- Parities and digraphs, which have no answers of their own.

bool is_odd(const Graph& graph, bool weighted, const Keywords& asked) {
  return run_alone(asked, [&](const RunContext& run) {
    return graph.visit(weighted, [&](const auto& within) {
      if constexpr (std::is_same_v<std::decay_t<decltype(within)>, BipartiteGraph>)
        return permanent_is_odd(within, run);
      else
        return hafnian_is_odd(within, run);
    });
  });
}

Digraph digraph_of(const Graph& graph) {
  return Digraph::from_arcs(graph.bipartite.num_rows(), graph.bipartite.edges());
}

std::uint64_t reachable_pairs(const Graph& graph, const Keywords& asked) {
  return run_alone(
      asked, [&](const RunContext& run) { return count_reachable_pairs(condensation(digraph_of(graph), run), run); });
}

nb::list names_of(const Graph& graph, std::span<const Vertex> vertices) {
  nb::list names;
  for (const Vertex v : vertices) names.append(graph.row_name(v));
  return names;
}

nb::typed<nb::list, nb::typed<nb::list, nb::any>> strong_components(const Graph& graph, const Keywords& asked) {
  const Condensation components =
      run_alone(asked, [&](const RunContext& run) { return condensation(digraph_of(graph), run); });
  nb::list members;
  for (Vertex c = 0; c < components.num_components(); ++c) members.append(names_of(graph, components.members(c)));
  return members;
}

nb::typed<nb::list, nb::any> reachable(const Graph& graph, nb::handle source, const Keywords& asked) {
  Vertex place = 0;
  while (place < graph.num_rows() && !graph.row_name(place).equal(source)) ++place;
  if (place == graph.num_rows())
    throw InputError("source=" + nb::cast<std::string>(nb::repr(source)), "a vertex of the graph");
  return names_of(
      graph, run_alone(asked, [&](const RunContext& run) { return reachable_from(digraph_of(graph), place, run); }));
}

std::vector<DeviceInfo> devices() {
  const nb::gil_scoped_release release;
  return find_devices().devices;
}

}  // namespace

void add_counts(nb::module_& module) {
  module.def("count", &count);
  module.def("plan", &plan);
  module.def("determinant", &determinant_of);
  module.def("estimate", &estimate);
  module.def("estimate_by_size", &estimate_by_size);
  module.def("is_odd", &is_odd);
  module.def("reachable_pairs", &reachable_pairs);
  module.def("strong_components", &strong_components);
  module.def("reachable", &reachable, nb::arg(), nb::arg().none(), nb::arg());
  module.def("devices", &devices);
}

}  // namespace matchcount::python
