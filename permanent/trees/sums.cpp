// On its way from a matching to the result a term meets, where a vertex is forgotten, a product and as many sums as
// there are ways, and where subtrees are joined a product and at most as many sums as there are subsets of the bag's
// vertices that both have touched. Each errs by the unit roundoff at the most, relative to the sum over the magnitudes,
// which is computed in the same way.

#include "permanent/trees/sums.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "permanent/trees/carry_out.hpp"

namespace matchcount {
namespace {

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
namespace {

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
