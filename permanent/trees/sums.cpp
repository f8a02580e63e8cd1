// On its way from a matching to the result a term meets, where a vertex is forgotten, a product and as many sums as
// there are ways, and where subtrees are joined a product and at most as many sums as there are subsets of the bag's
// vertices that both have touched. Each errs by the unit roundoff at the most, relative to the sum over the magnitudes,
// which is computed in the same way.

#include "permanent/trees/sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "core/numbers/polynomial.hpp"
#include "core/numbers/value.hpp"
#include "core/step_check.hpp"
#include "matching/reduce.hpp"

namespace matchcount {

namespace {

inline void add_to(Integer& sum, const Integer& value) { sum += value; }

inline void add_product(Integer& sum, const Integer& a, const Integer& b) {
  Integer product = a;
  sum += product *= b;
}

inline void add_to(GaussianInteger& sum, const GaussianInteger& value) { add_multiple(1, value, sum); }

inline void add_product(GaussianInteger& sum, const GaussianInteger& a, const GaussianInteger& b) {
  add_product(sum.re, a.re, b.re);
  add_product(sum.re, -a.im, b.im);
  add_product(sum.im, a.re, b.im);
  add_product(sum.im, a.im, b.re);
}

template <class T>
void add_to(T& sum, const T& value) {
  sum = sum + value;
}

template <class T>
void add_product(T& sum, const T& a, const T& b) {
  sum = sum + a * b;
}

// Weights of edges, and of vertices that stay unmatched: of all, or of none.
template <class T>
struct TreeWeights {
  T one;
  std::vector<T> edges = {}, vertices = {};
  std::vector<bool> is_one = {};  // by edge; empty: none is known to be
};

// The numbers that entries are, and their magnitudes.
struct TreeNumber {
  Integer operator()(std::int64_t entry) const { return entry; }
  const GaussianInteger& operator()(const GaussianInteger& entry) const { return entry; }
  ScaledReal operator()(const RealEntry& entry) const { return ScaledReal(entry.value); }
  ScaledComplex operator()(const ComplexEntry& entry) const {
    return {ScaledReal(entry.value.re), ScaledReal(entry.value.im)};
  }
};

struct TreeMagnitude {
  template <class Entry>
  ScaledReal operator()(const Entry& entry) const {
    return ScaledReal(entry.magnitude);
  }
};

template <class T>
T one_of_tree() {
  if constexpr (requires(T value) { value.re; }) {
    return {decltype(T::re)(1), {}};
  } else {
    return T(1);
  }
}

template <class Entry, class Number>
auto tree_weights(const std::vector<Entry>& edges, const std::vector<Entry>& vertices, const Number& number) {
  using T = std::decay_t<decltype(number(edges.front()))>;
  TreeWeights<T> weights{one_of_tree<T>()};
  for (const Entry& entry : edges) weights.edges.push_back(number(entry));
  for (const Entry& entry : vertices) weights.vertices.push_back(number(entry));
  return weights;
}

// States with their values; their order is that in which they were met.
template <class T>
struct TreeTable {
  std::vector<std::uint32_t> masks;
  std::vector<T> values;
};

template <class T>
concept JoinedAtOnce = requires(std::span<const T> factors, std::span<T> sums, const RunContext& run) {
  add_products(factors, factors, {}, sums, run);
};

// A move multiplies by one of these: nothing, the weight of an edge, or that of the vertex, which stays unmatched.
inline constexpr EdgeId by_nothing = ~EdgeId{0}, by_vertex = by_nothing - 1;

template <class T>
class TreeRun {
 public:
  using Table = TreeTable<T>;

  // All of them outlive this.
  TreeRun(const TreeProgram& program, const TreeWeights<T>& weights, const RunContext& run)
      : program_(program), weights_(weights), steps_(run) {
    const std::size_t size = std::size_t{1} << (program.width + 1);
    place_.assign(size, none);
    other_place_.assign(size, none);
  }

  // Returns the sum. Throws as run.check() does.
  T run() {
    std::vector<Table> carried(program_.bags.size());
    for (std::size_t i = 0; i < program_.bags.size(); ++i) {
      Table table = start();
      const std::vector<TreeProgram::Step>& steps = program_.bags[i].steps;
      for (std::size_t s = 0; s < steps.size(); ++s) {
        const TreeProgram::Step& step = steps[s];
        if (step.joins && s == 0) {
          table = std::move(carried[step.bag]);
        } else if (step.joins && JoinedAtOnce<T>) {
          const bool lets_go = s + 1 < steps.size() && is_plain(steps[s + 1]);
          table = joined(table, carried[step.bag], lets_go ? std::uint32_t{1} << steps[s + 1].bit : 0);
          s += lets_go ? 1 : 0;
        } else {
          table = after(step, table, carried);
        }
        if (step.joins) carried[step.bag] = {};
      }
      carried[i] = carried_on(std::move(table), program_.bags[i]);
    }
    return carried.empty() ? weights_.one : total(carried.back());
  }

  // The same, with the sum over the matchings with each edge: the way back multiplies what is below an edge by what is
  // outside.
  T run_back(std::vector<T>& of_edge) {
    std::vector<Table> carried(program_.bags.size());
    for (std::size_t i = 0; i < program_.bags.size(); ++i)
      carried[i] = carried_on(std::move(tables(i, carried).back()), program_.bags[i]);
    of_edge.assign(weights_.edges.size(), T());
    if (carried.empty()) return weights_.one;
    T sum = total(carried.back());
    std::vector<std::vector<T>> outside(program_.bags.size());
    outside.back().assign(carried.back().values.size(), weights_.one);
    for (std::size_t i = program_.bags.size(); i-- > 0;) {
      const std::vector<Table> here = tables(i, carried);
      std::vector<T> behind = std::move(outside[i]);
      for (std::size_t s = program_.bags[i].steps.size(); s-- > 0;)
        behind = before(program_.bags[i].steps[s], here[s], here[s + 1], behind, carried, outside, of_edge);
    }
    for (EdgeId e = 0; e < of_edge.size(); ++e) {
      T weighted{};
      add_product(weighted, of_edge[e], weights_.edges[e]);
      of_edge[e] = std::move(weighted);
    }
    return sum;
  }

  // The tables before and after each step of a bag, where what it joins is carried on already.
  std::vector<Table> tables(std::size_t bag, const std::vector<Table>& carried) {
    std::vector<Table> result{start()};
    for (const TreeProgram::Step& step : program_.bags[bag].steps)
      result.push_back(after(step, result.back(), carried));
    return result;
  }
  static Table carried_on(Table table, const TreeProgram::Bag& bag) {
    for (std::uint32_t& mask : table.masks) {
      std::uint32_t result = 0;
      for (std::size_t i = 0; i < bag.becomes.size(); ++i) result |= (mask >> bag.kept[i] & 1) << bag.becomes[i];
      mask = result;
    }
    return table;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  Table start() const { return {{0}, {weights_.one}}; }
  static T total(const Table& root) { return root.values.empty() ? T() : root.values.front(); }
  // The value of a state, 0 where it is new.
  T& at(Table& table, std::uint32_t mask) {
    std::uint32_t& place = place_[mask];
    if (place == none) {
      place = static_cast<std::uint32_t>(table.masks.size());
      table.masks.push_back(mask);
      table.values.emplace_back();
    }
    return table.values[place];
  }
  static void enter(std::vector<std::uint32_t>& places, const Table& table) {
    for (std::size_t i = 0; i < table.masks.size(); ++i) places[table.masks[i]] = static_cast<std::uint32_t>(i);
  }
  static void leave(std::vector<std::uint32_t>& places, const Table& table) {
    for (const std::uint32_t mask : table.masks) places[mask] = none;
  }

  void add_weighted(T& sum, const T& value, EdgeId weight, Vertex vertex) const {
    if (weight == by_nothing || (weight != by_vertex && !weights_.is_one.empty() && weights_.is_one[weight])) {
      add_to(sum, value);
    } else {
      add_product(sum, value, weight == by_vertex ? weights_.vertices[vertex] : weights_.edges[weight]);
    }
  }

  // Calls move(place in `from`, mask after, weight).
  template <class Move>
  void for_each_move(const TreeProgram::Step& step, const Table& from, const Move& move) {
    const std::uint32_t own = std::uint32_t{1} << step.bit;
    for (std::size_t i = 0; i < from.masks.size(); ++i) {
      steps_.step();
      const std::uint32_t mask = from.masks[i];
      if (mask & own) {
        move(i, mask ^ own, by_nothing);
        continue;
      }
      if (step.may_stay_unmatched) move(i, mask, by_vertex);
      for (const TreeProgram::Partner& partner : step.partners) {
        const std::uint32_t other = std::uint32_t{1} << partner.bit;
        if (!(mask & other)) move(i, mask | other, partner.edge);
      }
    }
  }

  // Calls pair(place in a, place in b) for disjoint states: all pairs are looked at, or for every state of b the
  // subsets of what it leaves.
  template <class Pair>
  void for_each_pair(const Table& a, const Table& b, const Pair& pair) {
    std::uint32_t bits = 0;
    for (const std::uint32_t mask : a.masks) bits |= mask;
    double subsets = 0;
    for (const std::uint32_t mask : b.masks)
      subsets += static_cast<double>(std::uint64_t{1} << std::popcount(bits & ~mask));
    if (subsets >= static_cast<double>(a.masks.size()) * static_cast<double>(b.masks.size())) {
      for (std::size_t j = 0; j < b.masks.size(); ++j) {
        for (std::size_t i = 0; i < a.masks.size(); ++i) {
          steps_.step();
          if ((a.masks[i] & b.masks[j]) == 0) pair(i, j);
        }
      }
      return;
    }
    enter(other_place_, a);
    for (std::size_t j = 0; j < b.masks.size(); ++j) {
      const std::uint32_t left = bits & ~b.masks[j];
      for (std::uint32_t subset = left;; subset = (subset - 1) & left) {
        steps_.step();
        if (other_place_[subset] != none) pair(other_place_[subset], j);
        if (subset == 0) break;
      }
    }
    leave(other_place_, a);
  }

  // The step forgets a vertex, matched or not, with what has no other weight than one.
  bool is_plain(const TreeProgram::Step& step) const {
    if constexpr (JoinedAtOnce<T>) {
      return !step.joins && step.may_stay_unmatched && step.partners.empty() &&
             weights_.vertices[step.vertex] == weights_.one;
    }
    return false;
  }
  // Joins two tables and lets the vertex of `forgotten`, a bit or none, be matched or not.
  Table joined(const Table& from, const Table& other, std::uint32_t forgotten) {
    Table to;
    if constexpr (JoinedAtOnce<T>) {
      std::vector<PairOfFactors> pairs;
      for_each_pair(from, other, [&](std::size_t i, std::size_t j) {
        at(to, (from.masks[i] | other.masks[j]) & ~forgotten);
        pairs.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                         place_[(from.masks[i] | other.masks[j]) & ~forgotten]});
      });
      add_products(std::span<const T>(from.values), std::span<const T>(other.values), std::move(pairs),
                   std::span<T>(to.values), steps_.run());
    }
    leave(place_, to);
    return to;
  }

  Table after(const TreeProgram::Step& step, const Table& from, const std::vector<Table>& carried) {
    Table to;
    if (step.joins) {
      const Table& other = carried[step.bag];
      for_each_pair(from, other, [&](std::size_t i, std::size_t j) {
        add_product(at(to, from.masks[i] | other.masks[j]), from.values[i], other.values[j]);
      });
    } else {
      for_each_move(step, from, [&](std::size_t i, std::uint32_t mask, EdgeId weight) {
        add_weighted(at(to, mask), from.values[i], weight, step.vertex);
      });
    }
    leave(place_, to);
    return to;
  }

  // Carries the sums outside of states back over a step.
  std::vector<T> before(const TreeProgram::Step& step, const Table& from, const Table& to, const std::vector<T>& behind,
                        const std::vector<Table>& carried, std::vector<std::vector<T>>& outside,
                        std::vector<T>& of_edge) {
    std::vector<T> result(from.values.size());
    enter(place_, to);
    if (step.joins) {
      const Table& other = carried[step.bag];
      std::vector<T>& below = outside[step.bag];
      below.assign(other.values.size(), T());
      for_each_pair(from, other, [&](std::size_t i, std::size_t j) {
        const T& outer = behind[place_[from.masks[i] | other.masks[j]]];
        add_product(result[i], other.values[j], outer);
        add_product(below[j], from.values[i], outer);
      });
    } else {
      for_each_move(step, from, [&](std::size_t i, std::uint32_t mask, EdgeId weight) {
        const T& outer = behind[place_[mask]];
        add_weighted(result[i], outer, weight, step.vertex);
        if (weight < by_vertex) add_product(of_edge[weight], from.values[i], outer);
      });
    }
    leave(place_, to);
    return result;
  }

  const TreeProgram& program_;
  const TreeWeights<T>& weights_;
  StepCheck steps_;
  std::vector<std::uint32_t> place_, other_place_;  // by mask: the place in the table that is made, and in another
};

constexpr double unit = 0x1p-101;  // of a double-double's product or sum, with a bit to spare
constexpr double factor_of_complex = 4;

template <class Entry, class Number>
auto sum_of(const TreeProgram& program, const std::vector<Entry>& edges, const std::vector<Entry>& vertices,
            const RunContext& run, const Number& number) {
  const auto weights = tree_weights(edges, vertices, number);
  return TreeRun(program, weights, run).run();
}

// Returns how often a term is rounded on its way to the sum, and log2 of what that, and the entries' own errors, come
// to in relation to the sum over the magnitudes.
double roundings(const TreeProgram& program) {
  double result = 0;
  for (const TreeProgram::Bag& bag : program.bags) {
    for (const TreeProgram::Step& step : bag.steps)
      result += step.joins ? 1 + std::exp2(program.bags[step.bag].kept.size())
                           : 2 + static_cast<double>(step.partners.size());
  }
  return result;
}

double log2_relative_error(const TreeProgram& program, double roundings, bool is_real) {
  const double of_term = static_cast<double>(program.num_vertices) * entry_roundoff;
  return std::log2(1.01 * ((is_real ? 1 : factor_of_complex) * roundings * unit + (is_real ? 1 : 2) * of_term)) + 1e-9;
}

// log2 of the sum over the magnitudes, and of the error of a sum over what `entries` of a term hold.
struct Bounds {
  double log2_magnitudes, log2_error;
};
template <class Entry>
Bounds bounds_of(const TreeProgram& program, const std::vector<Entry>& edges, const std::vector<Entry>& vertices,
                 bool is_real, const RunContext& run) {
  const double log2_magnitudes = sum_of(program, edges, vertices, run, TreeMagnitude()).log2_abs() + 1e-9;
  return {log2_magnitudes, log2_magnitudes + log2_relative_error(program, roundings(program), is_real)};
}

template <class Entry, class Number>
auto both_ways(const TreeProgram& program, const std::vector<Entry>& entries, const RunContext& run,
               const Number& number) {
  const auto weights = tree_weights(entries, {}, number);
  BlockMarginals<std::decay_t<decltype(weights.one)>> result;
  result.total = TreeRun(program, weights, run).run_back(result.of_edge);
  return result;
}

// A sum with its bound, which is relative to that over the magnitudes. An edge's term meets the roundings of the way to
// it, of that back and of the product of both.
template <class Entry>
AnyMarginals marginals_of(const TreeProgram& program, const std::vector<Entry>& entries, const RunContext& run) {
  auto sums = both_ways(program, entries, run, TreeNumber());
  if constexpr (std::is_same_v<Entry, std::int64_t>) {
    return sums;
  } else {
    using V = BlockValue<Entry>;
    const auto magnitudes = both_ways(program, entries, run, TreeMagnitude());
    const double log2_relative = log2_relative_error(program, 2 * roundings(program) + 4, std::is_same_v<V, RealValue>);
    const auto bounded = [&](const auto& value, const ScaledReal& magnitude) {
      const double log2_magnitude = magnitude.log2_abs() + 1e-9;
      return V{value, log2_magnitude + log2_relative, log2_magnitude};
    };
    BlockMarginals<V> result{bounded(sums.total, magnitudes.total), {}};
    for (EdgeId e = 0; e < entries.size(); ++e)
      result.of_edge.push_back(bounded(sums.of_edge[e], magnitudes.of_edge[e]));
    return result;
  }
}

class TreeSampler : public PartSampler {
 public:
  TreeSampler(const TreeProgram& program, const std::vector<RealEntry>& entries, const RunContext& run)
      : program_(program), run_(run), weights_(tree_weights(entries, {}, TreeNumber())) {
    TreeRun<ScaledReal> forwards(program_, weights_, run);
    for (std::size_t i = 0; i < program_.bags.size(); ++i) {
      std::vector<Table> here = forwards.tables(i, carried_);
      carried_.push_back(forwards.carried_on(here.back(), program_.bags[i]));
      for (Table& table : here) sort(table);
      tables_.push_back(std::move(here));
    }
    for (Table& table : carried_) sort(table);
  }

  std::size_t matching_size() const override { return program_.num_vertices / 2; }

  std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::size_t count) override {
    std::vector<EdgeId> edges;
    std::vector<std::uint32_t> states(program_.bags.size());  // carried on
    for (std::uint64_t i = first; i < first + count; ++i) {
      run_.check();
      std::uint32_t choice = 0;
      states.back() = 0;
      for (std::size_t bag = program_.bags.size(); bag-- > 0;) {
        const TreeProgram::Bag& here = program_.bags[bag];
        std::uint32_t mask = 0;
        for (std::size_t k = 0; k < here.becomes.size(); ++k)
          mask |= (states[bag] >> here.becomes[k] & 1) << here.kept[k];
        for (std::size_t s = here.steps.size(); s-- > 0;) {
          const double u = uniform_of_sample(seed, stream, i, choice++);
          mask = here.steps[s].joins ? part(here.steps[s], tables_[bag][s], mask, u, states)
                                     : source(here.steps[s], tables_[bag][s], mask, u, edges);
        }
      }
    }
    return edges;
  }

 private:
  using Table = TreeTable<ScaledReal>;
  struct Way {
    ScaledReal weight;
    std::uint32_t mask = 0;
    EdgeId edge = by_nothing;
  };

  static void sort(Table& table) {
    std::vector<std::size_t> order(table.masks.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return table.masks[i]; });
    Table sorted;
    for (const std::size_t i : order) {
      sorted.masks.push_back(table.masks[i]);
      sorted.values.push_back(table.values[i]);
    }
    table = std::move(sorted);
  }
  // The value of a state, 0 where it is not there.
  static ScaledReal value_of(const Table& table, std::uint32_t mask) {
    const auto place = std::ranges::lower_bound(table.masks, mask);
    if (place == table.masks.end() || *place != mask) return {};
    return table.values[static_cast<std::size_t>(place - table.masks.begin())];
  }

  const Way& chosen(double u) const {
    ScaledReal total;
    for (const Way& way : ways_) total = total + way.weight;
    ScaledReal passed;
    for (const Way& way : ways_) {
      passed = passed + way.weight;
      if (ScaledReal(passed.mantissa.hi / total.mantissa.hi, passed.exponent - total.exponent).to_double() > u)
        return way;
    }
    return ways_.back();
  }

  std::uint32_t source(const TreeProgram::Step& step, const Table& from, std::uint32_t mask, double u,
                       std::vector<EdgeId>& edges) {
    ways_.clear();
    const auto add = [&](std::uint32_t before, EdgeId edge) {
      const ScaledReal value = value_of(from, before);
      if (!value.is_zero()) ways_.push_back({edge == by_nothing ? value : value * weights_.edges[edge], before, edge});
    };
    add(mask | (std::uint32_t{1} << step.bit), by_nothing);
    for (const TreeProgram::Partner& partner : step.partners)
      if (mask >> partner.bit & 1) add(mask ^ (std::uint32_t{1} << partner.bit), partner.edge);
    const Way& way = chosen(u);
    if (way.edge != by_nothing) edges.push_back(way.edge);
    return way.mask;
  }

  std::uint32_t part(const TreeProgram::Step& step, const Table& from, std::uint32_t mask, double u,
                     std::vector<std::uint32_t>& states) {
    ways_.clear();
    const Table& other = carried_[step.bag];
    for (std::size_t j = 0; j < other.masks.size(); ++j) {
      if (other.masks[j] & ~mask) continue;
      const ScaledReal value = value_of(from, mask ^ other.masks[j]);
      if (!value.is_zero()) ways_.push_back({value * other.values[j], mask ^ other.masks[j]});
    }
    const Way& way = chosen(u);
    states[step.bag] = mask ^ way.mask;
    return way.mask;
  }

  TreeProgram program_;
  const RunContext& run_;
  TreeWeights<ScaledReal> weights_;
  std::vector<std::vector<Table>> tables_;  // by bag, before and after its steps; in order of their masks
  std::vector<Table> carried_;
  std::vector<Way> ways_;  // that led to a state
};

}  // namespace

Integer sum_along_tree(const TreeProgram& program, const std::vector<std::int64_t>& edges, const RunContext& run) {
  TreeWeights<Integer> weights{1, {edges.begin(), edges.end()}};
  for (const std::int64_t edge : edges) weights.is_one.push_back(edge == 1);
  return TreeRun<Integer>(program, weights, run).run();
}

GaussianInteger sum_along_tree(const TreeProgram& program, const std::vector<GaussianInteger>& edges,
                               const std::vector<GaussianInteger>& vertices, const RunContext& run) {
  const auto is_real = [](const GaussianInteger& weight) { return weight.im.sign() == 0; };
  if (std::ranges::all_of(edges, is_real) && std::ranges::all_of(vertices, is_real)) {
    TreeWeights<Integer> weights{1};
    for (const GaussianInteger& edge : edges) {
      weights.edges.push_back(edge.re);
      weights.is_one.push_back(edge.re == 1);
    }
    for (const GaussianInteger& vertex : vertices) weights.vertices.push_back(vertex.re);
    return {TreeRun<Integer>(program, weights, run).run(), 0};
  }
  return sum_of(program, edges, vertices, run, TreeNumber());
}

std::vector<Integer> sums_by_size_along_tree(const TreeProgram& program, const std::vector<GaussianInteger>& edges,
                                             const std::vector<GaussianInteger>& vertices, const RunContext& run) {
  TreeWeights<IntegerPolynomial> weights{{{1}}};
  for (const GaussianInteger& edge : edges) weights.edges.push_back({{0, edge.re}});
  for (const GaussianInteger& vertex : vertices) weights.vertices.push_back({{vertex.re}});
  return TreeRun<IntegerPolynomial>(program, weights, run).run().terms;
}

RealValue sum_along_tree(const TreeProgram& program, const std::vector<RealEntry>& edges, const RunContext& run) {
  const Bounds bounds = bounds_of(program, edges, {}, true, run);
  return {sum_of(program, edges, {}, run, TreeNumber()), bounds.log2_error, bounds.log2_magnitudes};
}

ComplexValue sum_along_tree(const TreeProgram& program, const std::vector<ComplexEntry>& edges,
                            const std::vector<ComplexEntry>& vertices, bool is_real, const RunContext& run) {
  const Bounds bounds = bounds_of(program, edges, vertices, is_real, run);
  ComplexValue result{{}, bounds.log2_error, bounds.log2_magnitudes};
  if (is_real) {
    result.value.re =
        sum_of(program, edges, vertices, run, [](const ComplexEntry& entry) { return ScaledReal(entry.value.re); });
  } else {
    result.value = sum_of(program, edges, vertices, run, TreeNumber());
  }
  return result;
}

// ---- Single matchings.

AnyMarginals marginals_along_tree(const TreeProgram& program, const AnyBlock& block, const RunContext& run) {
  return std::visit([&](const auto* given) { return marginals_of(program, given->entries, run); }, block);
}

std::unique_ptr<PartSampler> sampler_along_tree(const TreeProgram& program, const AnyBlock& block,
                                                const RunContext& run) {
  return std::visit(
      [&](const auto* given) -> std::unique_ptr<PartSampler> {
        if constexpr (std::is_same_v<std::decay_t<decltype(given->entries.front())>, RealEntry>)
          return std::make_unique<TreeSampler>(program, given->entries, run);
        throw Error("samples of numbers that are not real");
      },
      block);
}

}  // namespace matchcount
