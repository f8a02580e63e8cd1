// Pivots are chosen in doubles, on a copy of the front, and what they give is computed in double-doubles by products of
// matrices, as in permanent/planar/cpu/selected_inverse.cpp.
//
// Errors. Let Y be what was computed of F_PP^-1, and d the bounds of the front's entries. With R = I - F_PP Y, of which
// |R| <= G is known from what is computed of it, its rounding and d, the inverse is Y (I - R)^-1, within |Y| G / (1 -
// |G|) of Y. Then X = F_PP^-1 F_PB is off by F_PP^-1 times the residual F_PB - F_PP X, and what is left by
//   d_BB + d_BP |X| + |F_BP F_PP^-1| |F_PB - F_PP X| + rounding:
// no step takes a bound further than the truth may go, but for signs.

#include "permanent/planar/cpu/real_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/parallel.hpp"

namespace matchcount {
namespace {

// A pivot has at least this share of the largest entry of its row and column: with 0.05 in place of 0.7 the bounds of a
// grid of 256 a side are 10^6 times as large, with 0.3 a hundred times.
constexpr double pivot_share = 0.7;
// Bounds are rounded themselves.
constexpr double rounded_up = 1 + 0x1p-30;

// Calls visit(node, places of vertices on its thread) for the nodes of a level, side by side.
template <class Visit>
void visit_level(const std::vector<std::uint32_t>& level, std::vector<std::vector<std::uint32_t>>& places,
                 const RunContext& run, const Visit& visit) {
  parallel_for_chunks(run.num_threads(), level.size(), [&](std::uint64_t i, int thread) {
    run.check();
    visit(level[i], places[static_cast<std::size_t>(thread)]);
  });
}
// Returns room for such places on every thread.
std::vector<std::vector<std::uint32_t>> places_on_threads(std::size_t size, const RunContext& run) {
  return std::vector(static_cast<std::size_t>(run.num_threads()), std::vector<std::uint32_t>(size));
}

// ---- Matrices.

std::vector<double> product(const ProductKernel& kernel, const std::vector<double>& a, const std::vector<double>& b,
                            std::size_t rows, std::size_t inner, std::size_t columns) {
  std::vector<double> result(rows * columns, 0.0);
  kernel.add({result.data(), columns}, {a.data(), inner}, {b.data(), columns}, rows, inner, columns);
  return result;
}
std::vector<double> sum(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
std::vector<double> times(std::vector<double> a, double factor) {
  for (double& value : a) value *= factor;
  return a;
}

// Computes a - b c without a bound.
template <class Number>
BoundedMatrix<Number> minus_product(const ProductKernel& kernel, BoundedMatrix<Number> a,
                                    const BoundedMatrix<Number>& b, const BoundedMatrix<Number>& c) {
  subtract_product(kernel, a, b, c);
  return a;
}
template <class Number>
BoundedMatrix<Number> product(const ProductKernel& kernel, const BoundedMatrix<Number>& a,
                              const BoundedMatrix<Number>& b) {
  BoundedMatrix<Number> result = minus_product(kernel, BoundedMatrix<Number>(a.rows, b.columns), a, b);
  result.negate();
  return result;
}

// ---- Pivots.

// Permutes a front's rows and columns so that pivots come first, in the order in which they are good.
class PivotSearch {
 public:
  // `work`: the front. Skew: rows and columns change places together.
  PivotSearch(std::vector<double> work, std::size_t rows, std::size_t columns, bool skew)
      : work_(std::move(work)), rows_(rows), columns_(columns), skew_(skew), row_order(rows), column_order(columns) {
    for (std::size_t i = 0; i < rows; ++i) row_order[i] = i;
    for (std::size_t i = 0; i < columns; ++i) column_order[i] = i;
  }

  // Finds a pivot among the first full_rows rows and full_columns columns.
  std::size_t find(std::size_t full_rows, std::size_t full_columns, double least_share) {
    std::size_t k = 0;
    const std::size_t step = skew_ ? 2 : 1;
    while (k + step <= full_rows && k + step <= full_columns) {
      const auto [row, column, share] = best(k, full_rows, full_columns);
      if (!(share > 0) || share < least_share) break;
      if (skew_) {
        swap_both(k, std::min(row, column));
        swap_both(k + 1, std::max(row, column));
        eliminate_pair(k);
      } else {
        swap_rows(k, row);
        swap_columns(k, column);
        eliminate(k);
      }
      k += step;
    }
    return k;
  }

 private:
  struct Candidate {
    std::size_t row = 0, column = 0;
    double share = 0;
  };
  double* row(std::size_t i) { return work_.data() + i * columns_; }

  Candidate best(std::size_t k, std::size_t full_rows, std::size_t full_columns) {
    row_max_.assign(rows_, 0.0);
    column_max_.assign(columns_, 0.0);
    for (std::size_t i = k; i < rows_; ++i) {
      const double* entries = row(i);
      double most = 0;
      for (std::size_t j = k; j < columns_; ++j) {
        const double size = std::fabs(entries[j]);
        most = std::max(most, size);
        column_max_[j] = std::max(column_max_[j], size);
      }
      row_max_[i] = most;
    }
    Candidate found;
    double size = 0;
    for (std::size_t i = k; i < full_rows; ++i) {
      const double* entries = row(i);
      for (std::size_t j = skew_ ? i + 1 : k; j < full_columns; ++j) {
        const double mine = std::fabs(entries[j]);
        const double most = std::max(row_max_[i], skew_ ? row_max_[j] : column_max_[j]);
        if (mine < found.share * most || !(most > 0)) continue;
        const double share = mine / most;
        if (share < found.share || (share == found.share && mine <= size)) continue;
        found = {i, j, share};
        size = mine;
      }
    }
    return found;
  }

  void eliminate(std::size_t k) {
    const double* pivot = row(k);
    for (std::size_t i = k + 1; i < rows_; ++i) {
      double* target = row(i);
      if (target[k] == 0) continue;
      const double factor = target[k] / pivot[k];
      for (std::size_t j = k + 1; j < columns_; ++j) target[j] -= factor * pivot[j];
    }
  }
  void eliminate_pair(std::size_t k) {
    const double *p = row(k), *q = row(k + 1);
    for (std::size_t i = k + 2; i < rows_; ++i) {
      double* target = row(i);
      if (target[k] == 0 && target[k + 1] == 0) continue;
      const double by_q = -target[k] / p[k + 1], by_p = target[k + 1] / p[k + 1];
      for (std::size_t j = k + 2; j < columns_; ++j) target[j] -= by_q * q[j] + by_p * p[j];
    }
  }

  void swap_rows(std::size_t a, std::size_t b) {
    if (a == b) return;
    std::swap(row_order[a], row_order[b]);
    std::swap_ranges(row(a), row(a) + columns_, row(b));
  }
  void swap_columns(std::size_t a, std::size_t b) {
    if (a == b) return;
    std::swap(column_order[a], column_order[b]);
    for (std::size_t i = 0; i < rows_; ++i) std::swap(row(i)[a], row(i)[b]);
  }
  void swap_both(std::size_t a, std::size_t b) {
    swap_rows(a, b);
    swap_columns(a, b);
  }

  std::vector<double> work_;
  std::size_t rows_, columns_;
  bool skew_;
  std::vector<double> row_max_, column_max_;

 public:
  std::vector<std::size_t> row_order, column_order;  // of the place now, the place in the front
};

// ---- Fronts.

template <class Number>
class Eliminator {
 public:
  using Matrix = BoundedMatrix<Number>;
  using Front = RealFront<Number>;

  Eliminator(const GraphBlock<RealEntry>& given, const KasteleynPlan& plan, KeptOfFronts kept, const RunContext& run)
      : graph_(given.pattern),
        entries_(given.entries),
        plan_(plan),
        kept_(kept),
        run_(run),
        kernel_(kernels_for<ProductKernel>(run.options().max_isa)),
        node_of_(plan.dissection.node_of_vertices()) {
    const Dissection& dissection = plan.dissection;
    result_.skew = plan.is_column.empty();
    result_.fronts.resize(dissection.num_nodes());
    result_.children = dissection.children();
    result_.edges.resize(dissection.num_nodes());
    std::vector<std::uint32_t> height(dissection.num_nodes(), 0);
    for (std::uint32_t node = 0; node < dissection.num_nodes(); ++node) {
      for (const std::uint32_t child : result_.children[node]) height[node] = std::max(height[node], height[child] + 1);
      if (height[node] >= result_.levels.size()) result_.levels.resize(height[node] + 1);
      result_.levels[height[node]].push_back(node);
    }
    for (EdgeId id = 0; id < graph_.num_edges(); ++id) list_edge(id);
  }

  RealElimination<Number> run() {
    auto places = places_on_threads(graph_.num_vertices(), run_);
    std::vector<char> fine(result_.fronts.size(), 0);
    for (const auto& level : result_.levels)
      visit_level(level, places, run_, [&](std::uint32_t node, auto& place) { fine[node] = eliminate(node, place); });
    result_.complete = std::ranges::all_of(fine, [](char is_fine) { return is_fine != 0; });
    return std::move(result_);
  }

 private:
  void list_edge(EdgeId id) {
    const Edge& edge = graph_.edges()[id];
    Vertex row = edge.row, column = edge.column;
    double sign = plan_.orientation[id];
    if (!result_.skew && plan_.is_column[row]) {
      std::swap(row, column);
      sign = -sign;
    }
    result_.edges[std::min(node_of_[row], node_of_[column])].push_back({row, column, id, sign});
  }
  bool is_column(Vertex v) const { return !result_.skew && plan_.is_column[v]; }

  // Says whether all is bounded, and nothing left over at a root.
  bool eliminate(std::uint32_t node, std::vector<std::uint32_t>& place) {
    Front& front = result_.fronts[node];
    const Sizes full = list_vertices(node, front);
    const bool is_root = plan_.dissection.parent[node] == Dissection::no_parent;
    if (is_root && kept_ == KeptOfFronts::left) {
      front.pivots = front.rows.size();
      return true;
    }
    Matrix whole = assembled(node, front, place);
    PivotSearch search(in_doubles(whole), front.rows.size(), front.columns.size(), result_.skew);
    front.pivots = search.find(full.rows, full.columns, is_root ? 0 : pivot_share);
    whole = permuted(whole, search);
    rename(front.rows, search.row_order);
    rename(front.columns, search.column_order);
    const bool bounded = factor(front, whole);
    if (!bounded) lose(front);
    if (kept_ == KeptOfFronts::factors)
      for (const std::uint32_t child : result_.children[node]) result_.fronts[child].left = {};
    return bounded && (!is_root || front.pivots == front.rows.size());
  }

  static std::vector<double> in_doubles(const Matrix& matrix) {
    std::vector<double> result(matrix.error.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<double>(matrix.value(i));
    return result;
  }

  // Says how many are not of later nodes.
  struct Sizes {
    std::size_t rows, columns;
  };
  Sizes list_vertices(std::uint32_t node, Front& front) {
    const auto add = [&](Vertex v) { (is_column(v) ? front.columns : front.rows).push_back(v); };
    for (const std::uint32_t child : result_.children[node]) {
      const Front& from = result_.fronts[child];
      const auto add_delayed = [&](const std::vector<Vertex>& list) {
        for (std::size_t i = from.pivots; i < list.size(); ++i)
          if (node_of_[list[i]] < node) add(list[i]);
      };
      add_delayed(from.rows);
      if (!result_.skew) add_delayed(from.columns);
    }
    const Dissection& dissection = plan_.dissection;
    for (std::size_t i = dissection.begin[node]; i < dissection.begin[node + 1]; ++i) add(dissection.vertices[i]);
    const Sizes full{front.rows.size(), result_.skew ? front.rows.size() : front.columns.size()};
    for (const Vertex v : plan_.structure.boundary[node]) add(v);
    if (result_.skew) front.columns = front.rows;
    return full;
  }

  Matrix assembled(std::uint32_t node, const Front& front, std::vector<std::uint32_t>& place) {
    for (std::size_t i = 0; i < front.columns.size(); ++i) place[front.columns[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < front.rows.size(); ++i) place[front.rows[i]] = static_cast<std::uint32_t>(i);
    Matrix whole(front.rows.size(), front.columns.size());
    const auto add = [&](std::size_t to, const Number& value, double error) {
      const Number total = whole.value(to) + value;
      whole.put(to, total, (whole.error[to] + error + size_of(total) * unit_roundoff<Number>()) * rounded_up);
    };
    for (const std::uint32_t child : result_.children[node]) {
      const Front& from = result_.fronts[child];
      const Matrix& left = from.left;
      for (std::size_t r = 0; r < left.rows; ++r) {
        const std::size_t row = place[from.rows[from.pivots + r]];
        for (std::size_t c = 0; c < left.columns; ++c) {
          const std::size_t to = whole.at(row, place[from.columns[from.pivots + c]]);
          add(to, left.value(left.at(r, c)), left.error[left.at(r, c)]);
        }
      }
    }
    for (const SignedEdge& edge : result_.edges[node]) {
      const DoubleDouble entry = entries_[edge.edge].value;
      const Number value = edge.sign > 0 ? entry : -entry;
      add(whole.at(place[edge.row], place[edge.column]), value, 0);
      if (result_.skew) add(whole.at(place[edge.column], place[edge.row]), -value, 0);
    }
    return whole;
  }

  static Matrix permuted(const Matrix& from, const PivotSearch& search) {
    Matrix result(from.rows, from.columns);
    for (std::size_t r = 0; r < from.rows; ++r) {
      for (std::size_t c = 0; c < from.columns; ++c) {
        const std::size_t source = from.at(search.row_order[r], search.column_order[c]);
        result.put(result.at(r, c), from.value(source), from.error[source]);
      }
    }
    return result;
  }
  static void rename(std::vector<Vertex>& vertices, const std::vector<std::size_t>& order) {
    std::vector<Vertex> renamed;
    for (const std::size_t place : order) renamed.push_back(vertices[place]);
    vertices = std::move(renamed);
  }

  // Frees a front: without bounds its rest may be anything.
  static void lose(Front& front) {
    front.inverse = front.right = front.below = {};
    front.left = Matrix(front.rows.size() - front.pivots, front.columns.size() - front.pivots);
    std::ranges::fill(front.left.error, std::numeric_limits<double>::infinity());
  }

  // Says whether the errors are bounded.
  bool factor(Front& front, const Matrix& whole) {
    const std::size_t k = front.pivots, rows = whole.rows - k, columns = whole.columns - k;
    const Matrix pivots = whole.block(0, 0, k, k), right = whole.block(0, k, k, columns),
                 below = whole.block(k, 0, rows, k);
    const double rounding = product_error<Number>(k);
    // |F| with its rounding in a product, and what it is off.
    const auto uncertain = [&](const Matrix& part) { return sum(times(part.magnitudes(), rounding), part.error); };

    Matrix inverse = pivots;
    if (!invert(kernel_, inverse)) return false;
    const std::vector<double> size_of_inverse = inverse.magnitudes();
    Matrix identity(k, k);
    for (std::size_t i = 0; i < k; ++i) identity.set(identity.at(i, i), 1.0);
    const Matrix residual = minus_product(kernel_, std::move(identity), pivots, inverse);
    const std::vector<double> of_pivots = uncertain(pivots);
    std::vector<double> bound = sum(residual.magnitudes(), product(kernel_, of_pivots, size_of_inverse, k, k, k));
    double norm = 0;
    for (std::size_t i = 0; i < k; ++i) {
      bound[i * k + i] += rounding;
      double row = 0;
      for (std::size_t j = 0; j < k; ++j) row += bound[i * k + j];
      norm = std::max(norm, row);
    }
    if (!(norm < 0x1p-20)) return false;
    // (I - R)^-1 - I <= G + G^2 / (1 - norm), of which the last is at most norm times the sum of G's row.
    for (std::size_t i = 0; i < k; ++i) {
      double row = 0;
      for (std::size_t j = 0; j < k; ++j) row += bound[i * k + j];
      for (std::size_t j = 0; j < k; ++j) bound[i * k + j] += 1.01 * norm * row;
    }
    inverse.error = times(product(kernel_, size_of_inverse, bound, k, k, k), rounded_up);
    const std::vector<double> most_of_inverse = sum(size_of_inverse, inverse.error);

    front.right = product(kernel_, inverse, right);
    const std::vector<double> size_of_right = front.right.magnitudes();
    const std::vector<double> right_residual =
        sum(sum(minus_product(kernel_, right, pivots, front.right).magnitudes(), uncertain(right)),
            product(kernel_, of_pivots, size_of_right, k, k, columns));
    front.right.error = times(product(kernel_, most_of_inverse, right_residual, k, k, columns), rounded_up);

    front.below = product(kernel_, below, inverse);
    const std::vector<double> size_of_below = front.below.magnitudes();
    const std::vector<double> below_residual =
        sum(sum(minus_product(kernel_, below, front.below, pivots).magnitudes(), uncertain(below)),
            product(kernel_, size_of_below, of_pivots, rows, k, k));
    front.below.error = times(product(kernel_, below_residual, most_of_inverse, rows, k, k), rounded_up);

    Matrix left = whole.block(k, k, rows, columns);
    left.error = sum(sum(uncertain(left), product(kernel_, uncertain(below), size_of_right, rows, k, columns)),
                     product(kernel_, sum(size_of_below, front.below.error), right_residual, rows, k, columns));
    left.error = times(std::move(left.error), rounded_up);
    front.left = minus_product(kernel_, std::move(left), below, front.right);
    if (kept_ == KeptOfFronts::factors)
      front.inverse = std::move(inverse);
    else
      front.right = front.below = {};
    return true;
  }

  const UndirectedGraph& graph_;
  const std::vector<RealEntry>& entries_;
  const KasteleynPlan& plan_;
  KeptOfFronts kept_;
  const RunContext& run_;
  const ProductKernel& kernel_;
  std::vector<std::uint32_t> node_of_;
  RealElimination<Number> result_;
};

using SharesMatrix = BoundedMatrix<DoubleDouble>;

// c - a b with its bound.
void subtract(const ProductKernel& kernel, SharesMatrix& c, const SharesMatrix& a, const SharesMatrix& b) {
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
  for (double& error : c.error) error *= rounded_up;
  subtract_product(kernel, c, a, b);
}

// Finds Z on the columns and rows of a front from the rest of it, which the parent has; names as in
// permanent/planar/cpu/selected_inverse.cpp.
class Shares {
 public:
  Shares(const GraphBlock<RealEntry>& block, RealElimination<DoubleDouble> elimination, const RunContext& run)
      : block_(block),
        elimination_(std::move(elimination)),
        run_(run),
        kernel_(kernels_for<ProductKernel>(run.options().max_isa)),
        rest_(elimination_.fronts.size()),
        shares_(block.pattern.num_edges()) {}

  std::vector<RealShare> run() {
    auto places = places_on_threads(2 * std::size_t{block_.pattern.num_vertices()}, run_);
    for (const auto& level : std::views::reverse(elimination_.levels))
      visit_level(level, places, run_, [&](std::uint32_t node, auto& place) { visit(node, place); });
    return std::move(shares_);
  }

 private:
  void visit(std::uint32_t node, std::vector<std::uint32_t>& place) {
    RealFront<DoubleDouble>& front = elimination_.fronts[node];
    const SharesMatrix inverse = inverse_of_front(
        std::move(front.inverse), front.right, front.below, std::exchange(rest_[node], {}),
        [&](SharesMatrix& c, const SharesMatrix& a, const SharesMatrix& b) { subtract(kernel_, c, a, b); });
    const std::size_t n = block_.pattern.num_vertices();
    for (std::size_t i = 0; i < front.rows.size(); ++i) place[front.rows[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < front.columns.size(); ++i) place[n + front.columns[i]] = static_cast<std::uint32_t>(i);
    for (const SignedEdge& edge : elimination_.edges[node]) {
      const std::size_t at = inverse.at(place[n + edge.column], place[edge.row]);
      const DoubleDouble entry = block_.entries[edge.edge].value;
      const DoubleDouble share = (edge.sign > 0 ? entry : -entry) * inverse.value(at);
      shares_[edge.edge] = {
          share,
          (inverse.error[at] * std::fabs(entry.hi) + std::fabs(share.hi) * DoubleDouble::unit_roundoff) * rounded_up};
    }
    for (const std::uint32_t child : elimination_.children[node]) rest_[child] = gathered(child, inverse, place);
    front = {};
  }

  // Gathers the entries of its parent's part of the inverse that the child needs.
  SharesMatrix gathered(std::uint32_t child, const SharesMatrix& inverse,
                        const std::vector<std::uint32_t>& place) const {
    const RealFront<DoubleDouble>& front = elimination_.fronts[child];
    const std::size_t k = front.pivots, n = block_.pattern.num_vertices();
    SharesMatrix rest(front.columns.size() - k, front.rows.size() - k);
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
  const RunContext& run_;
  const ProductKernel& kernel_;
  std::vector<SharesMatrix> rest_;  // of the fronts whose parents are done
  std::vector<RealShare> shares_;
};

}  // namespace

template <class Number>
RealElimination<Number> eliminate_reals(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan,
                                        KeptOfFronts kept, const RunContext& run) {
  return Eliminator<Number>(block, plan, kept, run).run();
}

template RealElimination<DoubleDouble> eliminate_reals(const GraphBlock<RealEntry>&, const KasteleynPlan&, KeptOfFronts,
                                                       const RunContext&);
template RealElimination<WideReal<4>> eliminate_reals(const GraphBlock<RealEntry>&, const KasteleynPlan&, KeptOfFronts,
                                                      const RunContext&);
template RealElimination<WideReal<10>> eliminate_reals(const GraphBlock<RealEntry>&, const KasteleynPlan&, KeptOfFronts,
                                                       const RunContext&);

// ---- Shares.

std::optional<std::vector<RealShare>> real_shares(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan,
                                                  const RunContext& run) {
  RealElimination<DoubleDouble> elimination = eliminate_reals<DoubleDouble>(block, plan, KeptOfFronts::factors, run);
  if (!elimination.complete) return std::nullopt;
  return Shares(block, std::move(elimination), run).run();
}

}  // namespace matchcount
