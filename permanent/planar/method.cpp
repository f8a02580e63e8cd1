#include "permanent/rooms.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "graph/surface.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/planar/costs.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "permanent/planar/marginals.hpp"
#include "permanent/planar/nearly_planar.hpp"
#include "permanent/planar/samples.hpp"
#include "permanent/planar/symmetric_pfaffian.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {
namespace {

struct PlanarPlan : MethodPlan {
  explicit PlanarPlan(std::shared_ptr<const PlanarTerms> found) : terms(std::move(found)) {}
  std::shared_ptr<const PlanarTerms> terms;
};

double vertices_and_edges(const BlockPattern& pattern) {
  return 1.0 * pattern.num_vertices() + static_cast<double>(pattern.num_edges());
}

UndirectedGraph graph_of(const BlockPattern& pattern) {
  return pattern.general ? *pattern.general : UndirectedGraph::from_bipartite(*pattern.bipartite);
}

ExtraEdges searched_by(const PlanRequest& request) {
  return request.options.method == Method::planar ? ExtraEdges::of_all : ExtraEdges::of_large_graphs;
}

// Says why there is no plan, and that a rotation system which was given is left aside.
std::string not_planar(const BlockPattern& pattern, const RotationSystem* rotation) {
  const std::string reason = "not planar";
  if (!rotation) return reason;
  const UndirectedGraph graph = graph_of(pattern);
  const std::size_t genus = euler_genus(graph, faces_of(graph, embedding_of(graph, *rotation)));
  if (genus <= most_euler_genus) return reason;
  return reason + ", and the rotation system given is of Euler genus " + std::to_string(genus) + ", more than " +
         std::to_string(most_euler_genus);
}

Planned plan(const PlanRequest& request, const RunContext& run) {
  const BlockPattern pattern = pattern_of(request.block);
  constexpr double too_little_to_refuse = 50e6;
  const double bytes = embedding_bytes(vertices_and_edges(pattern));
  if (bytes > too_little_to_refuse && !run.has_memory_for(bytes))
    return {nullptr, "to see whether it is planar would take " + memory_amount(bytes)};
  const std::uint64_t seed = request.options.run.seed;
  const ExtraEdges searched = request.useful_s > 0 ? searched_by(request) : ExtraEdges::of_none;
  std::string why_not;
  auto found = plan_planar_terms(graph_of(pattern), searched, seed, run, &why_not, request.options.rotation.get(),
                                 request.options.known_planar.get());
  // Sums of several terms are rounded.
  const NumberType& number = request.number;
  const bool is_exact = number.kind != WeightKind::integer && (number.exact || number.precision == Precision::exact);
  if (!found || (is_exact && found->num_extra() > 0))
    return {nullptr, why_not.empty() ? not_planar(pattern, request.options.rotation.get()) : std::move(why_not)};
  return {std::make_shared<PlanarPlan>(std::move(found)), {}};
}

// Returns the sizes of the first term, which has as many matchings as any.
KasteleynSizes sizes(const AnyBlock& block, const PlanarTerms& terms, const NumberType& number) {
  const Precision precision = number.exact ? Precision::exact : number.precision;
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) {
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          return KasteleynSizes{number.log2_bound};
        } else {
          if (terms.size() == 0) return KasteleynSizes{};
          const PlanarTerm term = terms.term(0);
          return kasteleyn_sizes(term.block(as_graph(*given).entries), term.plan, precision);
        }
      },
      block);
}

// The seconds that it takes to write down a term and to find the matching that gives its sign.
double term_s(const KasteleynPlan& plan) {
  return planar_costs::term_vertex_s * static_cast<double>(plan.dissection.vertices.size());
}

// Returns the parts by a symmetry of the entries, which decides how they are counted; nothing where there is none.
std::optional<EliminationStructure> structure_by_symmetry(const AnyBlock& block, const KasteleynPlan& plan,
                                                          double log2_bound) {
  if (!plan.surface) return std::nullopt;
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) -> std::optional<EliminationStructure> {
        if constexpr (std::is_same_v<Entry, ComplexEntry>) {
          return std::nullopt;
        } else {
          const auto& graph = as_graph(*given);
          std::vector<std::int64_t> numbers;
          std::map<std::pair<double, double>, std::int64_t> number_of;
          for (const Entry& entry : graph.entries) {
            if constexpr (std::is_same_v<Entry, std::int64_t>) {
              numbers.push_back(entry);
            } else {
              const auto next = static_cast<std::int64_t>(number_of.size()) + 1;
              numbers.push_back(number_of.try_emplace({entry.value.hi, entry.value.lo}, next).first->second);
            }
          }
          return symmetric_structure(graph.pattern, EntryTable(numbers), plan, log2_bound, RunContext());
        }
      },
      block);
}

std::optional<Cost> cost(const AnyBlock& block, const MethodPlan& given, const NumberType& number,
                         const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  const PlanarTerms& terms = *static_cast<const PlanarPlan&>(given).terms;
  const KasteleynPlan& plan = terms.plan();
  const KasteleynSizes found = sizes(block, terms, number);
  const auto symmetric = structure_by_symmetry(block, plan, found.log2_value);
  const KasteleynCost kasteleyn = kasteleyn_cost(plan, found, machine.isa, machine.num_threads, machine.num_ranks,
                                                 symmetric ? &*symmetric : nullptr);
  const auto num_terms = static_cast<double>(terms.size());
  const double of_terms = num_terms * term_s(plan);
  const double multiplications = std::max(symmetric ? symmetric->multiplications : plan.structure.multiplications, 1.0);
  std::ostringstream text;
  if (terms.num_extra() > 0) text << terms.size() << " planar graphs by " << terms.num_extra() << " edges beside one, ";
  if (plan.surface) text << plan.surface->terms.size() << " Pfaffians on a surface, ";
  if (symmetric) text << "in parts by a symmetry, ";
  text << two_to(std::log2(multiplications)) << " multiplications modulo each of at most " << std::fixed
       << std::setprecision(0) << kasteleyn.num_primes << (kasteleyn.num_primes == 1 ? " prime" : " primes");
  return Cost{std::log2(std::max(num_terms, 1.0) * multiplications * kasteleyn.num_primes),
              num_terms * kasteleyn.seconds + of_terms + planar_costs::count_s, kasteleyn.memory_bytes, text.str()};
}

// Adds what is found of each term to `sum`.
template <class Sum, class Find>
Sum sum_over(const PlanarTerms& terms, const RunContext& run, Sum sum, Find&& find) {
  if (terms.num_extra() == 0) return find(terms.term(0), run);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    run.check();
    sum = plus(sum, find(terms.term(i), run.in_part(run.part() + ", term " + std::to_string(i + 1))));
  }
  return sum;
}

Value run_planar(const RunRequest& request, const RunContext& run) {
  const PlanarTerms& terms = *static_cast<const PlanarPlan&>(request.plan).terms;
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) -> Value {
        const auto& block = as_graph(*given);
        return sum_over(terms, run, zero<BlockValue<Entry>>(), [&](const PlanarTerm& term, const RunContext& inner) {
          if constexpr (std::is_same_v<Entry, std::int64_t>)
            return hafnian_kasteleyn(term.block(block.entries), term.plan, inner);
          else
            return hafnian_kasteleyn(term.block(block.entries), term.plan, request.precision, inner);
        });
      },
      request.block);
}

// ---- Single matchings.

// Null where the block is not planar, or in a surface. Throws OverLimit, with the bytes, where there is no memory to
// see that.
std::shared_ptr<const PlanarTerms> terms_of(const PlanRequest& request, const RunContext& run) {
  if (!may_be_planar(request.block)) return nullptr;
  const BlockPattern pattern = pattern_of(request.block);
  const double bytes = embedding_bytes(vertices_and_edges(pattern));
  if (!run.has_memory_for(bytes)) {
    throw OverLimit("to see whether " + run.part() + " is planar would take " + memory_amount(bytes) +
                        "; the memory limit is " + memory_amount(static_cast<double>(run.memory_limit_bytes())),
                    0, bytes);
  }
  auto found = plan_planar_terms(graph_of(pattern), searched_by(request), request.options.run.seed, run, nullptr,
                                 request.options.rotation.get(), request.options.known_planar.get());
  return found && found->size() > 0 ? found : nullptr;
}

// Returns nothing where the matchings of some term cancel.
template <class Entry>
std::optional<AnyMarginals> marginals_of_terms(const GraphBlock<Entry>& block, const PlanarTerms& terms,
                                               const RunContext& run) {
  using V = BlockValue<Entry>;
  BlockMarginals<V> sum{zero<V>(), std::vector<V>(block.entries.size(), zero<V>())};
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const PlanarTerm term = terms.term(i);
    const auto found = marginals_kasteleyn(term.block(block.entries), term.plan, run);
    if (!found) return std::nullopt;
    sum.total = plus(sum.total, found->total);
    for (EdgeId id = 0; id < term.edges.size(); ++id)
      sum.of_edge[term.edges[id]] = plus(sum.of_edge[term.edges[id]], found->of_edge[id]);
  }
  return sum;
}

Way marginals(const PlanRequest& request, const RunContext& run) {
  Way way;
  const NumberType& number = request.number;
  const bool has_numbers =
      number.kind == WeightKind::integer || (number.kind == WeightKind::real && number.nonnegative);
  const auto plan = has_numbers ? terms_of(request, run) : nullptr;
  if (!plan) {
    way.why_not = "is not planar, or has complex or negative reals";
    return way;
  }
  std::visit(
      [&](const auto* given) {
        constexpr double bits_of_real = 104;
        const PlanarTerm first = plan->term(0);
        const auto& block = first.block(as_graph(*given).entries);
        const bool is_integer = number.kind == WeightKind::integer;
        const std::vector<double> magnitudes =
            is_integer ? magnitudes_of(block.entries) : std::vector<double>(block.entries.size(), 1);
        const double bits_of_matching = is_integer ? 0 : bits_of_real * first.graph.num_vertices() / 2.0;
        const PlanarMarginalsCost cost =
            marginals_kasteleyn_cost(plan->plan(), static_cast<double>(given->entries.size()),
                                     log2_kasteleyn_bound(first.graph, magnitudes, first.plan) + bits_of_matching,
                                     number.exact, run.num_threads());
        const auto terms = static_cast<double>(plan->size());
        way.cost = {0, terms * cost.seconds, cost.memory_bytes, "inverse of Kasteleyn's matrix along a dissection"};
      },
      request.block);
  way.marginals = [plan](const AnyBlock& given, const RunContext& inner) {
    return std::visit(
        [&](const auto* block) -> std::optional<AnyMarginals> {
          if constexpr (std::is_same_v<std::decay_t<decltype(block->entries)>, std::vector<ComplexEntry>>) {
            throw Error("planar marginals of complex numbers");
          } else {
            return marginals_of_terms(as_graph(*block), *plan, inner);
          }
        },
        given);
  };
  return way;
}

Way sampler(const PlanRequest& request, const RunContext& run) {
  // A graph whose scaled entries are further apart than that is left to others.
  constexpr double least_entry = 0x1p-200;
  Way way;
  way.why_not = "is not planar, or its weights are too far apart";
  const auto plan = terms_of(request, run);
  if (!plan) return way;
  const auto scaled = std::make_shared<GraphBlock<RealEntry>>(std::visit(
      [](const auto* block) -> GraphBlock<RealEntry> {
        if constexpr (std::is_same_v<std::decay_t<decltype(block->entries)>, std::vector<RealEntry>>)
          return as_graph(*block);
        throw Error("samples of numbers that are not real");
      },
      request.block));
  scale_entries(scaled->pattern, scaled->entries, run);
  const auto too_small = [](const RealEntry& entry) { return entry.value.hi < least_entry; };
  if (std::ranges::any_of(scaled->entries, too_small)) return way;
  way.why_not.clear();
  PlanarSamplesCost cost = samples_kasteleyn_cost(scaled->pattern, plan->plan(), run.num_threads());
  cost.elimination_s /= run.num_threads();
  if (plan->num_extra() > 0) {
    // A count of every term comes first, and each sample may have another term.
    cost.sample_s += cost.elimination_s;
    cost.elimination_s =
        static_cast<double>(plan->size()) *
        (kasteleyn_cost(plan->plan(), sizes(request.block, *plan, request.number), detected_isa(), run.num_threads())
             .seconds +
         term_s(plan->plan()));
  }
  way.cost = {0, cost.elimination_s + cost.sample_s, cost.memory_bytes,
              "along a dissection, " + per_sample(cost.sample_s)};
  way.sampler = [plan, scaled](const AnyBlock&, const RunContext& inner) -> std::unique_ptr<PartSampler> {
    if (plan->num_extra() > 0) return std::make_unique<TermSampler>(std::move(*scaled), plan, inner);
    return planar_sampler(std::move(*scaled), plan->plan(), inner);
  };
  return way;
}

Way way_of(const PlanRequest& request, Asked asked, const RunContext& run) {
  return asked == Asked::marginals ? marginals(request, run) : sampler(request, run);
}

}  // namespace

bool may_be_planar(const AnyBlock& block) {
  const BlockPattern pattern = pattern_of(block);
  const double vertices = pattern.num_vertices();
  const auto edges = static_cast<double>(pattern.num_edges());
  return edges <= (pattern.general ? 3 * vertices - 6 : 2 * vertices - 4) + most_extra_edges;
}

std::shared_ptr<KnownPlanarGraphs> no_known_planar_graphs() { return std::make_shared<KnownPlanarGraphs>(); }

MethodVerbs planar_method() {
  return {.plan = plan,
          .cost = cost,
          .run = run_planar,
          .way = way_of,
          .scale = &Throughput::ryser_scale,
          .takes_entries_as_held = true,
          .scales = true,
          .told_in_refusals = true,
          .again_from = least_large_size,
          .verifies_odd_cycles = true};
}

}  // namespace matchcount
