#pragma once
// Carries out a TreeProgram in numbers of type T, which have add_to(sum, value) and add_product(sum, a, b), and
// add_products for all products of a join at once, if they can.

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/numbers/polynomial.hpp"
#include "core/numbers/value.hpp"
#include "core/step_check.hpp"
#include "matching/reduce.hpp"
#include "permanent/gaussian_integer.hpp"
#include "permanent/trees/program.hpp"

namespace matchcount {

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

}  // namespace matchcount
