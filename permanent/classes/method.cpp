#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "graph/vertices.hpp"
#include "permanent/as_held.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/classes/class_steps.hpp"
#include "permanent/classes/costs.hpp"
#include "permanent/residue_sum.hpp"
#include "permanent/rooms.hpp"

namespace matchcount {

namespace {

// Predicts the cost of that on so many threads.
struct ClassCost {
  double seconds = 0, memory_bytes = 0;
  std::size_t primes = 0;
};

constexpr std::size_t most_lanes = 64;

// A walk along all steps for some primes.
class Walk {
 public:
  Walk(const ClassSteps& steps, std::span<const std::uint64_t> primes, const RunContext& run)
      : steps_(steps.steps), run_(run) {
    for (const std::uint64_t prime : primes) moduli_.emplace_back(prime);
    std::uint32_t most = 1;
    for (const ClassStep& step : steps_)
      for (const ClassStep::Class& of : step.classes) most = std::max(most, of.most);
    for (std::uint32_t k = 0; k <= most; ++k)
      for (const MontgomeryModulus& modulus : moduli_) number_.push_back(modulus.form(k));
  }

  std::vector<std::uint64_t> value() {
    const std::size_t lanes = moduli_.size();
    std::vector<std::uint64_t> states{0}, next_states;
    std::vector<std::uint32_t> values, next_values, factor(lanes), of_state(lanes);
    for (const MontgomeryModulus& modulus : moduli_) values.push_back(modulus.form(1));
    std::unordered_map<std::uint64_t, std::size_t> place;
    for (std::size_t t = 0; t < steps_.size(); ++t) {
      if (t % 4 == 0) run_.check();
      const ClassStep& step = steps_[t];
      const Factors factors(step, moduli_, number_);
      Successors successors(step, t + 1 < steps_.size() ? &steps_[t + 1] : nullptr);
      place.clear();
      next_states.clear();
      next_values.clear();
      for (std::size_t i = 0; i < states.size(); ++i) {
        successors(states[i], [&](std::uint64_t next, std::size_t taken, const std::vector<std::uint32_t>& free) {
          const auto [at, is_new] = place.try_emplace(next, next_states.size());
          if (is_new) {
            next_states.push_back(next);
            next_values.resize(next_values.size() + lanes);
          }
          factors(taken, free, factor);
          const std::uint32_t* from = values.data() + i * lanes;
          std::uint32_t* to = next_values.data() + at->second * lanes;
          for (std::size_t q = 0; q < lanes; ++q) to[q] = moduli_[q].plus(to[q], moduli_[q].times(from[q], factor[q]));
        });
      }
      std::swap(states, next_states);
      std::swap(values, next_values);
      if (states.empty()) return std::vector<std::uint64_t>(lanes, 0);
    }
    std::vector<std::uint64_t> result;
    for (std::size_t q = 0; q < lanes; ++q) result.push_back(moduli_[q].reduced(values[q]));
    return result;
  }

 private:
  // Factors of a transition: how many there are to take from and the edge's weight, and the ratios of those
  // that stay free and become part of another class.
  class Factors {
   public:
    Factors(const ClassStep& step, const std::vector<MontgomeryModulus>& moduli,
            const std::vector<std::uint32_t>& number)
        : step_(step), moduli_(moduli), number_(number) {
      for (const ClassStep::Class& of : step.classes) {
        has_ratios_ = has_ratios_ || of.ratio != 1;
        weight_.push_back(forms(of.weight));
        ratio_.push_back(forms(of.ratio));
      }
      ratio_.push_back(forms(step.vertex.ratio));
      has_ratios_ = has_ratios_ || step.vertex.ratio != 1;
    }
    void operator()(std::size_t taken, const std::vector<std::uint32_t>& free,
                    std::vector<std::uint32_t>& result) const {
      const std::size_t lanes = moduli_.size();
      const bool is_taken = taken < step_.classes.size();
      for (std::size_t q = 0; q < lanes; ++q)
        result[q] =
            is_taken ? moduli_[q].times(weight_[taken][q], number_[free[taken] * lanes + q]) : number_[lanes + q];
      if (!has_ratios_) return;
      for (std::size_t q = 0; q < lanes; ++q) {
        if (!is_taken) result[q] = moduli_[q].times(result[q], ratio_.back()[q]);
        for (std::size_t j = 0; j < free.size(); ++j)
          for (std::uint32_t k = j == taken ? 1 : 0; k < free[j]; ++k)
            result[q] = moduli_[q].times(result[q], ratio_[j][q]);
      }
    }

   private:
    std::vector<std::uint32_t> forms(std::int64_t value) const {
      std::vector<std::uint32_t> result;
      for (const MontgomeryModulus& modulus : moduli_) result.push_back(modulus.form(value));
      return result;
    }

    const ClassStep& step_;
    const std::vector<MontgomeryModulus>& moduli_;
    const std::vector<std::uint32_t>& number_;
    std::vector<std::vector<std::uint32_t>> weight_, ratio_;
    bool has_ratios_ = false;
  };

  const std::vector<ClassStep>& steps_;
  const RunContext& run_;
  std::vector<MontgomeryModulus> moduli_;
  std::vector<std::uint32_t> number_;  // 0, 1, .., for each prime
};

// The sum, whose absolute value is at most 2^log2_bound. Groups of primes are pieces of run.work(), named after
// run.part(). Throws as run.check() does.
Integer sum_by_classes(const ClassSteps& steps, double log2_bound, const RunContext& run) {
  const std::vector<std::uint64_t> primes = primes_below(sum_prime_limit, num_sum_primes(log2_bound));
  return sum_of_residues(
      "classes", "sum by classes", primes, most_lanes,
      [&](std::size_t, std::span<const std::uint64_t> group) { return Walk(steps, group, run).value(); }, run);
}

ClassCost cost_by_classes(const ClassSteps& steps, double log2_bound, int num_threads) {
  namespace costs = classes_costs;
  ClassCost cost;
  cost.primes = num_sum_primes(log2_bound);
  const std::size_t lanes = primes_of_group(cost.primes, most_lanes, num_threads),
                    groups = (cost.primes + lanes - 1) / lanes;
  const double of_group = steps.transitions * (costs::transition_s + costs::lane_s * static_cast<double>(lanes)) +
                          costs::step_s * static_cast<double>(steps.steps.size());
  const double at_once = std::min<double>(num_threads, static_cast<double>(groups));
  cost.seconds = of_group * static_cast<double>(groups) / at_once;
  cost.memory_bytes = at_once * steps.most_states * (100 + 8.0 * static_cast<double>(lanes));
  return cost;
}

// ---- Single matchings.

template <class T>
T number(std::int64_t value) {
  if constexpr (std::is_same_v<T, ScaledReal>) {
    return nearest_real(Integer(value));
  } else {
    return value;
  }
}

// The states of all layers, and what passes over them need.
template <class T>
class ClassLayers {
 public:
  ClassLayers(const ClassSteps& steps, const RunContext& run) : steps_(steps.steps), run_(run) {
    layers_.push_back({{0}, {{0, 0}}});
    for (std::size_t t = 0; t < steps_.size(); ++t) {
      run.check();
      Layer after;
      Successors successors = from(t);
      for (const std::uint64_t state : layers_.back().states) {
        successors(state, [&](std::uint64_t next, std::size_t, const auto&) {
          if (after.place.try_emplace(next, after.states.size()).second) after.states.push_back(next);
        });
      }
      layers_.push_back(std::move(after));
    }
  }

  // Calls visit(place in the next layer, class or their number, free, product of weight and ratios).
  template <class Visit>
  void for_each_successor(std::size_t t, std::uint64_t state, Successors& successors, Visit&& visit) const {
    const ClassStep& step = steps_[t];
    successors(state, [&](std::uint64_t next, std::size_t taken, const std::vector<std::uint32_t>& free) {
      const bool is_taken = taken < step.classes.size();
      T factor = number<T>(is_taken ? step.classes[taken].weight : step.vertex.ratio);
      for (std::size_t j = 0; j < free.size(); ++j) {
        if (step.classes[j].ratio == 1) continue;
        for (std::uint32_t k = j == taken ? 1 : 0; k < free[j]; ++k) factor = factor * number<T>(step.classes[j].ratio);
      }
      visit(layers_[t + 1].place.at(next), taken, free, factor);
    });
  }

  // The sums, by layer and state, over the ways to the state; and over those from it to the end.
  std::vector<std::vector<T>> sums(bool from_the_end) const {
    std::vector<std::vector<T>> result;
    for (const Layer& layer : layers_) result.emplace_back(layer.states.size());
    std::vector<T>& first = from_the_end ? result.back() : result.front();
    if (!first.empty()) first.front() = number<T>(1);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      run_.check();
      const std::size_t t = from_the_end ? steps_.size() - 1 - i : i;
      Successors successors = from(t);
      for (std::size_t s = 0; s < result[t].size(); ++s) {
        for_each_successor(t, state(t, s), successors,
                           [&](std::size_t next, std::size_t taken, const auto& free, const T& factor) {
                             const T weight = factor * number<T>(taken < free.size() ? free[taken] : 1);
                             T& to = from_the_end ? result[t][s] : result[t + 1][next];
                             to = to + (from_the_end ? result[t + 1][next] : result[t][s]) * weight;
                           });
      }
    }
    return result;
  }

  Successors from(std::size_t t) const { return {steps_[t], t + 1 < steps_.size() ? &steps_[t + 1] : nullptr}; }
  std::size_t size(std::size_t t) const { return layers_[t].states.size(); }
  std::uint64_t state(std::size_t t, std::size_t place) const { return layers_[t].states[place]; }

 private:
  struct Layer {
    std::vector<std::uint64_t> states;
    std::unordered_map<std::uint64_t, std::size_t> place;
  };
  const std::vector<ClassStep>& steps_;
  const RunContext& run_;
  std::vector<Layer> layers_;  // before each step, and the end
};

EdgeId edge_between(const ClassGraph& graph, Vertex a, Vertex b) {
  return std::ranges::find(graph.edges[a], b, &ClassGraph::Edge::to)->id;
}

// Keeps all states. Requires weights above 0. A sample takes a step's successor, and one of the members of a class that
// are free, with probabilities that are right to a relative 2^-50.
class ClassSampler : public PartSampler {
 public:
  ClassSampler(const ClassGraph& graph, const ClassSteps& steps, const RunContext& run)
      : graph_(graph), steps_(steps), run_(run), layers_(steps_, run), behind_(layers_.sums(true)) {}

  std::size_t matching_size() const override { return graph_.edges.size() / 2; }

  std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::size_t count) override {
    std::vector<EdgeId> edges;
    for (std::uint64_t i = first; i < first + count; ++i) {
      run_.check();
      std::uint32_t choice = 0;
      std::size_t place = 0;
      std::vector<std::vector<Vertex>> members;  // that are free, by class
      for (std::size_t t = 0; t < steps_.steps.size(); ++t) {
        const ClassStep& step = steps_.steps[t];
        const auto [next, taken] = chosen(t, place, uniform_of_sample(seed, stream, i, choice++));
        place = next;
        std::vector<std::vector<Vertex>> after;
        const auto join = [&](const ClassStep::Class& of, const std::vector<Vertex>& more) {
          if (of.to == ClassStep::gone) return;
          after.resize(std::max<std::size_t>(after.size(), of.to + std::size_t{1}));
          after[of.to].insert(after[of.to].end(), more.begin(), more.end());
        };
        if (taken < step.classes.size()) {
          std::vector<Vertex>& free = members[taken];
          const double u = uniform_of_sample(seed, stream, i, choice++);
          std::swap(free[static_cast<std::size_t>(u * static_cast<double>(free.size()))], free.back());
          edges.push_back(edge_between(graph_, step.processed, free.back()));
          free.pop_back();
        } else {
          join(step.vertex, {step.processed});
        }
        for (std::size_t j = 0; j < step.classes.size(); ++j)
          if (j < members.size()) join(step.classes[j], members[j]);
        members = std::move(after);
      }
    }
    return edges;
  }

 private:
  std::pair<std::size_t, std::size_t> chosen(std::size_t t, std::size_t place, double u) const {
    const ScaledReal& total = behind_[t][place];
    std::pair<std::size_t, std::size_t> result;
    double passed = 0;
    bool is_found = false;
    Successors successors = layers_.from(t);
    layers_.for_each_successor(
        t, layers_.state(t, place), successors,
        [&](std::size_t next, std::size_t taken, const auto& free, const ScaledReal& factor) {
          const ScaledReal& rest = behind_[t + 1][next];
          if (is_found || rest.is_zero()) return;
          result = {next, taken};
          const ScaledReal weight = rest * factor * number<ScaledReal>(taken < free.size() ? free[taken] : 1);
          passed += ScaledReal(weight.mantissa.hi / total.mantissa.hi, weight.exponent - total.exponent).to_double();
          is_found = passed > u;
        });
    return result;
  }

  ClassGraph graph_;
  ClassSteps steps_;
  const RunContext& run_;
  ClassLayers<ScaledReal> layers_;
  std::vector<std::vector<ScaledReal>> behind_;
};

// Numbers as a vertex the first processed one of those whose weights are in proportion to its own: edges between such
// vertices have equal sums.
std::vector<Vertex> first_alike(const ClassGraph& graph, const ClassSteps& steps) {
  std::map<std::vector<std::pair<Vertex, std::int64_t>>, Vertex> first;
  std::vector<Vertex> result(graph.edges.size());
  for (const ClassStep& step : steps.steps) {
    std::vector<std::pair<Vertex, std::int64_t>> weights;
    std::int64_t factor = 0;
    for (const ClassGraph::Edge& edge : graph.edges[step.processed]) {
      weights.push_back({edge.to, edge.weight});
      factor = std::gcd(factor, edge.weight);
    }
    std::ranges::sort(weights);
    if (!weights.empty() && weights.front().second < 0) factor = -factor;
    for (auto& [to, weight] : weights) weight /= factor;
    result[step.processed] = first.try_emplace(std::move(weights), step.processed).first->second;
  }
  return result;
}

// Takes two passes over all states, and one more over those behind it for each vertex that is the first of its kind.
// Sums are by edge id, below num_edges. Throws as run.check() does.
BlockMarginals<Integer> marginals_by_classes(const ClassGraph& graph, const ClassSteps& steps, std::size_t num_edges,
                                             const RunContext& run) {
  const ClassLayers<Integer> layers(steps, run);
  const auto ahead = layers.sums(false), behind = layers.sums(true);
  const std::vector<Vertex> alike = first_alike(graph, steps);
  std::vector<Integer> of_edge(num_edges);
  // Follows the vertex that step `start` processes.
  const auto follow = [&](std::size_t start) {
    const Vertex vertex = steps.steps[start].processed;
    std::uint32_t own = ClassStep::gone;
    std::vector<Integer> free_there = ahead[start];
    for (std::size_t t = start; t < steps.steps.size(); ++t) {
      run.check();
      const ClassStep& step = steps.steps[t];
      Integer sum;
      std::vector<Integer> after(layers.size(t + 1));
      Successors successors = layers.from(t);
      for (std::size_t s = 0; s < free_there.size(); ++s) {
        if (free_there[s].sign() == 0) continue;
        layers.for_each_successor(t, layers.state(t, s), successors,
                                  [&](std::size_t next, std::size_t taken, const auto& free, const Integer& factor) {
                                    const bool is_taken = taken < free.size(), is_own = taken == own;
                                    if (t == start && is_taken) return;
                                    const Integer weighted = free_there[s] * factor;
                                    if (is_own) sum += weighted * behind[t + 1][next];
                                    after[next] += weighted * (is_taken ? free[taken] - is_own : 1);
                                  });
      }
      if (sum.sign() != 0) of_edge[edge_between(graph, vertex, step.processed)] = std::move(sum);
      own = t == start ? step.vertex.to : step.classes[own].to;
      if (own == ClassStep::gone) return;
      free_there = std::move(after);
    }
  };
  std::vector<std::size_t> starts;
  for (std::size_t t = 0; t < steps.steps.size(); ++t)
    if (alike[steps.steps[t].processed] == steps.steps[t].processed) starts.push_back(t);
  parallel_for_chunks(run.num_threads(), starts.size(), [&](std::uint64_t i, int) { follow(starts[i]); });
  for (Vertex v = 0; v < graph.edges.size(); ++v)
    for (const ClassGraph::Edge& edge : graph.edges[v])
      of_edge[edge.id] = of_edge[edge_between(graph, alike[v], alike[edge.to])];
  return {behind.front().front(), std::move(of_edge)};
}

// A plan holds the block in its own way, an edge in so many bytes.
constexpr double bytes_of_entry = 100;
// A plan goes through as many transitions as a group of primes does: in about 0.4 s, or where it is asked for 20 s.
constexpr double most_transitions = 5e5, most_when_asked = 2e7;

struct ClassPlan : MethodPlan {
  AnyBlock block;
  ClassGraph graph;
  ClassSteps steps;
  std::int64_t exponent = 0;
  double log2_bound = 0;
};

double num_edges(const AnyBlock& block) { return static_cast<double>(pattern_of(block).num_edges()); }

// Sparser graphs have few vertices that become alike but for their first steps, where any order finds them.
bool may_have_classes(const AnyBlock& block) {
  const double size = size_of(block), edges = num_edges(block);
  return pattern_of(block).bipartite ? 8 * edges >= size * size : 16 * edges >= size * (size - 1);
}

// Integers may be in proportion; reals that are, and are many, are no integers of 63 bits.
bool has_few_reals(const AnyBlock& block) {
  constexpr std::size_t most = 16;
  return std::visit(
      []<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) {
        if constexpr (std::is_same_v<Entry, RealEntry>) {
          std::set<double> values;
          for (const RealEntry& entry : given->entries)
            if (values.insert(entry.value.hi).second && values.size() > most) return false;
        }
        return !std::is_same_v<Entry, ComplexEntry>;
      },
      block);
}

ClassGraph graph_of(const AnyBlock& block, const std::vector<std::int64_t>& weights) {
  ClassGraph result;
  result.bipartite = pattern_of(block).bipartite != nullptr;
  result.edges.resize(pattern_of(block).num_vertices());
  std::visit(
      [&](const auto* given) {
        for_each_edge(given->pattern, [&](Vertex a, Vertex b, EdgeId id) {
          if (weights[id] == 0) return;
          result.edges[a].push_back({b, weights[id], id});
          result.edges[b].push_back({a, weights[id], id});
        });
      },
      block);
  return result;
}

std::shared_ptr<ClassPlan> class_plan(const AnyBlock& block, double most, double useful_s, const RunContext& run) {
  const auto words = words_as_held(block);
  if (!words) return nullptr;
  auto plan = std::make_shared<ClassPlan>();
  plan->graph = graph_of(block, words->entries);
  auto steps = class_steps(plan->graph, std::min(most, useful_s / classes_costs::transition_s), run);
  if (!steps) return nullptr;
  plan->block = block;
  plan->steps = std::move(*steps);
  plan->exponent = words->exponent;
  plan->log2_bound = words->log2_bound;
  return plan;
}

Planned plan(const PlanRequest& request, const RunContext& run) {
  if (!may_have_classes(request.block)) return {nullptr, "fewer than an eighth of all edges are there"};
  if (!has_few_reals(request.block)) return {nullptr, "too many different reals, or complex numbers"};
  if (const double bytes = bytes_of_entry * num_edges(request.block); !run.has_memory_for(bytes))
    return {nullptr, "to see whether there are few classes would take " + memory_amount(bytes)};
  const bool is_asked = request.options.method == Method::classes;
  auto found = class_plan(request.block, is_asked ? most_when_asked : most_transitions, request.useful_s, run);
  if (!found) return {nullptr, "too many classes of vertices, or entries of more than 63 bits"};
  return {std::move(found), {}};
}

std::optional<Cost> cost(const AnyBlock&, const MethodPlan& given, const NumberType&, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  const auto& plan = static_cast<const ClassPlan&>(given);
  const ClassCost found = cost_by_classes(plan.steps, plan.log2_bound, machine.num_threads);
  Cost result;
  result.log2_operations = std::log2(plan.steps.transitions * static_cast<double>(found.primes));
  result.seconds = found.seconds / machine.num_ranks;
  result.memory_bytes = found.memory_bytes;
  result.description = std::to_string(plan.steps.most_classes) +
                       (plan.steps.most_classes == 1 ? " class, " : " classes, ") +
                       two_to(std::log2(plan.steps.most_states)) + " states, " + std::to_string(found.primes) +
                       (found.primes == 1 ? " prime" : " primes");
  return result;
}

Value run_classes(const RunRequest& request, const RunContext& run) {
  const auto* plan = static_cast<const ClassPlan*>(&request.plan);
  // A check may ask for the same block with other numbers.
  std::shared_ptr<ClassPlan> other;
  if (request.block != plan->block) {
    other = class_plan(request.block, most_when_asked, std::numeric_limits<double>::infinity(), run);
    if (!other) throw Unable("entries of more than 63 bits are not summed up by classes");
    plan = other.get();
  }
  return value_as_held(sum_by_classes(plan->steps, plan->log2_bound, run), plan->exponent, request.block);
}

Way way_of(const PlanRequest& request, Asked asked, const RunContext& run) {
  using classes_costs::number_s, classes_costs::word_s;
  constexpr double bytes_of_kept = 100;
  const Planned planned = plan(request, run);
  if (!planned.plan) return {.why_not = "has no few classes (" + planned.reason + ")"};
  Way way;
  const auto& found = static_cast<const ClassPlan&>(*planned.plan);
  const double states = static_cast<double>(found.steps.steps.size()) * found.steps.most_states;
  way.cost = *cost(request.block, found, request.number, {});
  if (asked == Asked::marginals) {
    const std::vector<Vertex> alike = first_alike(found.graph, found.steps);
    const auto kinds = static_cast<double>(std::set<Vertex>(alike.begin(), alike.end()).size());
    way.cost.seconds = found.steps.transitions * (2 + kinds / request.options.run.num_threads) *
                       (number_s + word_s * found.log2_bound / 64);
    way.cost.memory_bytes = states * (bytes_of_kept + 2 * sizeof(Integer) + found.log2_bound / 4);
  } else {
    way.cost.seconds = 2 * found.steps.transitions * number_s;
    way.cost.memory_bytes = states * (bytes_of_kept + sizeof(ScaledReal));
  }
  way.marginals = [held = planned.plan, &found](const AnyBlock& block, const RunContext& inner) {
    return marginals_as_held(marginals_by_classes(found.graph, found.steps, pattern_of(block).num_edges(), inner),
                             found.exponent, block);
  };
  way.sampler = [held = planned.plan, &found](const AnyBlock&, const RunContext& inner) {
    return std::make_unique<ClassSampler>(found.graph, found.steps, inner);
  };
  return way;
}

}  // namespace

MethodVerbs classes_method() {
  return {.plan = plan,
          .cost = cost,
          .run = run_classes,
          .way = way_of,
          .scale = &Throughput::frontier_scale,
          .scales = true,
          .before_search_from = 64,
          .searches = true};
}

}  // namespace matchcount
