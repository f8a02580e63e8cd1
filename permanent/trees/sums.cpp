// On its way from a matching to the result a term meets, where a vertex is forgotten, a product and as many sums as
// there are ways, and where subtrees are joined a product and at most as many sums as there are subsets of the bag's
// vertices that both have touched. Each errs by the unit roundoff at the most, relative to the sum over the magnitudes,
// which is computed in the same way.

#include "permanent/trees/sums.hpp"

#include <algorithm>
#include <cmath>

#include "core/entry_error.hpp"
#include "permanent/trees/carry_out.hpp"

namespace matchcount {
namespace {

constexpr double unit = 0x1p-101;  // of a double-double's product or sum, with a bit to spare
constexpr double factor_of_complex = 4;

template <class T, class Entry, class Number>
T sum_of(const TreeProgram& program, const std::vector<Entry>& edges, const std::vector<Entry>& vertices, const T& one,
         const RunContext& run, const Number& number) {
  TreeWeights<T> weights{one, {}, {}};
  for (const Entry& entry : edges) weights.edges.push_back(number(entry));
  for (const Entry& entry : vertices) weights.vertices.push_back(number(entry));
  return TreeRun<T>(program, weights, run).run();
}

// log2 of the sum over the magnitudes, and of the error of a sum over what `entries` of a term hold.
struct Bounds {
  double log2_magnitudes, log2_error;
};
template <class Entry>
Bounds bounds_of(const TreeProgram& program, const std::vector<Entry>& edges, const std::vector<Entry>& vertices,
                 bool is_real, const RunContext& run) {
  const ScaledReal sum = sum_of(program, edges, vertices, ScaledReal(1.0), run,
                                [](const Entry& entry) { return ScaledReal(entry.magnitude); });
  const double log2_magnitudes = sum.log2_abs() + 1e-9;
  return {log2_magnitudes, log2_magnitudes + log2_relative_error(program, roundings(program), is_real)};
}

}  // namespace

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

Integer sum_along_tree(const TreeProgram& program, const std::vector<std::int64_t>& edges, const RunContext& run) {
  TreeWeights<Integer> weights{1, {edges.begin(), edges.end()}, {}};
  for (const std::int64_t edge : edges) weights.is_one.push_back(edge == 1);
  return TreeRun<Integer>(program, weights, run).run();
}

GaussianInteger sum_along_tree(const TreeProgram& program, const std::vector<GaussianInteger>& edges,
                               const std::vector<GaussianInteger>& vertices, const RunContext& run) {
  const auto is_real = [](const GaussianInteger& weight) { return weight.im.sign() == 0; };
  if (std::ranges::all_of(edges, is_real) && std::ranges::all_of(vertices, is_real)) {
    TreeWeights<Integer> weights{1, {}, {}};
    for (const GaussianInteger& edge : edges) {
      weights.edges.push_back(edge.re);
      weights.is_one.push_back(edge.re == 1);
    }
    for (const GaussianInteger& vertex : vertices) weights.vertices.push_back(vertex.re);
    return {TreeRun<Integer>(program, weights, run).run(), 0};
  }
  return sum_of(program, edges, vertices, GaussianInteger{1, 0}, run,
                [](const GaussianInteger& weight) { return weight; });
}

std::vector<Integer> sums_by_size_along_tree(const TreeProgram& program, const std::vector<GaussianInteger>& edges,
                                             const std::vector<GaussianInteger>& vertices, const RunContext& run) {
  TreeWeights<IntegerPolynomial> weights{{{1}}, {}, {}};
  for (const GaussianInteger& edge : edges) weights.edges.push_back({{0, edge.re}});
  for (const GaussianInteger& vertex : vertices) weights.vertices.push_back({{vertex.re}});
  return TreeRun<IntegerPolynomial>(program, weights, run).run().terms;
}

RealValue sum_along_tree(const TreeProgram& program, const std::vector<RealEntry>& edges, const RunContext& run) {
  const Bounds bounds = bounds_of(program, edges, {}, true, run);
  return {
      sum_of(program, edges, {}, ScaledReal(1.0), run, [](const RealEntry& entry) { return ScaledReal(entry.value); }),
      bounds.log2_error, bounds.log2_magnitudes};
}

ComplexValue sum_along_tree(const TreeProgram& program, const std::vector<ComplexEntry>& edges,
                            const std::vector<ComplexEntry>& vertices, bool is_real, const RunContext& run) {
  const Bounds bounds = bounds_of(program, edges, vertices, is_real, run);
  ComplexValue result{{}, bounds.log2_error, bounds.log2_magnitudes};
  if (is_real) {
    result.value.re = sum_of(program, edges, vertices, ScaledReal(1.0), run,
                             [](const ComplexEntry& entry) { return ScaledReal(entry.value.re); });
  } else {
    result.value = sum_of(program, edges, vertices, ScaledComplex{ScaledReal(1.0), {}}, run, [](const ComplexEntry& e) {
      return ScaledComplex{ScaledReal(e.value.re), ScaledReal(e.value.im)};
    });
  }
  return result;
}

}  // namespace matchcount
