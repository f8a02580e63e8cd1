// Z on the columns and rows of a front, from the rest of it, which the parent has; names as in
// permanent/planar/cpu/selected_inverse.cpp.

#include "permanent/planar/cpu/real_shares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/parallel.hpp"
#include "permanent/planar/cpu/real_elimination.hpp"

namespace matchcount {
namespace {

using Matrix = BoundedMatrix<DoubleDouble>;

constexpr double share_rounded_up = 1 + 0x1p-30;

// c - a b with its bound.
void subtract(const ProductKernel& kernel, Matrix& c, const Matrix& a, const Matrix& b) {
  const double rounding = doubled_product_error(a.columns);
  const std::vector<double> size = c.magnitudes(), size_of_a = a.magnitudes(), size_of_b = b.magnitudes();
  std::vector<double> uncertain(a.error), most(size_of_a);
  for (std::size_t i = 0; i < uncertain.size(); ++i) {
    uncertain[i] += rounding * size_of_a[i];
    most[i] += a.error[i];
  }
  for (std::size_t i = 0; i < c.error.size(); ++i) c.error[i] += rounding * size[i];
  kernel.add({c.error.data(), c.columns}, {uncertain.data(), a.columns}, {size_of_b.data(), b.columns}, a.rows,
             a.columns, b.columns);
  kernel.add({c.error.data(), c.columns}, {most.data(), a.columns}, {b.error.data(), b.columns}, a.rows, a.columns,
             b.columns);
  for (double& error : c.error) error *= share_rounded_up;
  subtract_product(kernel, c, a, b);
}

class Shares {
 public:
  Shares(const GraphBlock<RealEntry>& block, RealElimination<DoubleDouble> elimination, const KasteleynPlan& plan,
         const RunContext& run)
      : block_(block),
        elimination_(std::move(elimination)),
        plan_(plan),
        run_(run),
        kernel_(kernels_for<ProductKernel>(run.options().max_isa)),
        rest_(elimination_.fronts.size()),
        shares_(block.pattern.num_edges()) {}

  std::vector<RealShare> run() {
    const auto num_nodes = static_cast<std::uint32_t>(elimination_.fronts.size());
    std::vector<std::vector<std::uint32_t>> levels;
    std::vector<std::uint32_t> depth(num_nodes, 0);
    for (std::uint32_t node = num_nodes; node-- > 0;) {
      const std::uint32_t parent = plan_.dissection.parent[node];
      if (parent != Dissection::no_parent) depth[node] = depth[parent] + 1;
      if (depth[node] >= levels.size()) levels.resize(depth[node] + 1);
      levels[depth[node]].push_back(node);
    }
    std::vector<std::vector<std::uint32_t>> places(static_cast<std::size_t>(run_.num_threads()));
    for (const std::vector<std::uint32_t>& level : levels) {
      parallel_for_chunks(run_.num_threads(), level.size(), [&](std::uint64_t i, int thread) {
        run_.check();
        std::vector<std::uint32_t>& place = places[static_cast<std::size_t>(thread)];
        place.resize(2 * std::size_t{block_.pattern.num_vertices()});
        visit(level[i], place);
      });
    }
    return std::move(shares_);
  }

 private:
  void visit(std::uint32_t node, std::vector<std::uint32_t>& place) {
    RealFront<DoubleDouble>& front = elimination_.fronts[node];
    const Matrix inverse = inverse_of(front, std::exchange(rest_[node], {}));
    const std::size_t n = block_.pattern.num_vertices();
    for (std::size_t i = 0; i < front.rows.size(); ++i) place[front.rows[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < front.columns.size(); ++i) place[n + front.columns[i]] = static_cast<std::uint32_t>(i);
    for (const SignedEdge& edge : elimination_.edges[node]) {
      const std::size_t at = inverse.at(place[n + edge.column], place[edge.row]);
      const DoubleDouble entry = block_.entries[edge.edge].value;
      const DoubleDouble share = (edge.sign > 0 ? entry : -entry) * inverse.value(at);
      shares_[edge.edge] = {
          share, (inverse.error[at] * std::fabs(entry.hi) + std::fabs(share.hi) * DoubleDouble::unit_roundoff) *
                     share_rounded_up};
    }
    for (const std::uint32_t child : elimination_.children[node]) rest_[child] = gathered(child, inverse, place);
    front = {};
  }

  Matrix inverse_of(const RealFront<DoubleDouble>& front, const Matrix& rest) const {
    const std::size_t k = front.pivots;
    Matrix whole(front.columns.size(), front.rows.size());
    const auto put = [&](const Matrix& part, std::size_t row, std::size_t column) {
      for (std::size_t r = 0; r < part.rows; ++r) {
        for (std::size_t c = 0; c < part.columns; ++c) {
          const std::size_t from = part.at(r, c);
          whole.put(whole.at(row + r, column + c), part.value(from), part.error[from]);
        }
      }
    };
    Matrix pivots = front.inverse;
    if (rest.rows > 0) {
      Matrix to_rest(k, rest.columns), from_rest(rest.rows, k);
      subtract(kernel_, to_rest, front.right, rest);
      subtract(kernel_, from_rest, rest, front.below);
      subtract(kernel_, pivots, front.right, from_rest);
      put(to_rest, 0, k);
      put(from_rest, k, 0);
      put(rest, k, k);
    }
    put(pivots, 0, 0);
    return whole;
  }
  // Gathers the entries of its parent's part of the inverse that the child needs.
  Matrix gathered(std::uint32_t child, const Matrix& inverse, const std::vector<std::uint32_t>& place) const {
    const RealFront<DoubleDouble>& front = elimination_.fronts[child];
    const std::size_t k = front.pivots, n = block_.pattern.num_vertices();
    Matrix rest(front.columns.size() - k, front.rows.size() - k);
    for (std::size_t c = 0; c < rest.rows; ++c) {
      for (std::size_t r = 0; r < rest.columns; ++r) {
        const std::size_t from = inverse.at(place[n + front.columns[k + c]], place[front.rows[k + r]]);
        rest.put(rest.at(c, r), inverse.value(from), inverse.error[from]);
      }
    }
    return rest;
  }

  const GraphBlock<RealEntry>& block_;
  RealElimination<DoubleDouble> elimination_;
  const KasteleynPlan& plan_;
  const RunContext& run_;
  const ProductKernel& kernel_;
  std::vector<Matrix> rest_;  // of the fronts whose parents are done
  std::vector<RealShare> shares_;
};

}  // namespace

std::optional<std::vector<RealShare>> real_shares(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan,
                                                  const RunContext& run) {
  RealElimination<DoubleDouble> elimination = eliminate_reals<DoubleDouble>(block, plan, KeptOfFronts::factors, run);
  if (!elimination.complete) return std::nullopt;
  return Shares(block, std::move(elimination), plan, run).run();
}

}  // namespace matchcount
