// With a front's rows and columns in two parts, the k pivots P and the rest B that is left for its parent,
//   F = (F_PP F_PB; F_BP F_BB), X = F_PP^-1 F_PB, Y = F_BP F_PP^-1, left over: F_BB - F_BP X,
// and of the inverse Z of the whole matrix, rows and columns changing places, with Z_BB from the parent,
//   Z_PB = -X Z_BB, Z_BP = -Z_BB Y, Z_PP = F_PP^-1 - X Z_BP.
// So all is done by products of matrices. F_PP is inverted in halves: its leading blocks are those that the program
// took its pivots from, one by one or in pairs, so that they can be inverted as well.

#include "permanent/planar/cpu/selected_inverse.hpp"

#include <algorithm>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"

namespace matchcount {
namespace {

// A dense matrix of residues.
struct Dense {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;

  Dense() = default;
  Dense(std::size_t num_rows, std::size_t num_columns)
      : rows(num_rows), columns(num_columns), values(num_rows * num_columns, 0.0) {}
  double& at(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  double at(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
  ResidueMatrix view(std::size_t r = 0, std::size_t c = 0) { return {values.data() + r * columns + c, columns}; }
  ConstResidueMatrix view(std::size_t r = 0, std::size_t c = 0) const {
    return {values.data() + r * columns + c, columns};
  }
  Dense block(std::size_t first_row, std::size_t first_column, std::size_t num_rows, std::size_t num_columns) const {
    Dense result(num_rows, num_columns);
    for (std::size_t r = 0; r < num_rows; ++r) {
      const double* from = values.data() + (first_row + r) * columns + first_column;
      std::copy(from, from + num_columns, result.values.data() + r * num_columns);
    }
    return result;
  }
};

ConstResidueMatrix read(ResidueMatrix matrix) { return {matrix.data, matrix.stride}; }

}  // namespace

// One prime.
class SelectedInverse::Run {
 public:
  Run(const SelectedInverse& matrix, std::uint64_t prime, std::uint64_t root)
      : matrix_(matrix),
        program_(matrix.program_),
        prime_(static_cast<double>(prime)),
        inverse_(1 / prime_),
        parts_(matrix.fronts_.size()) {
    const std::vector<std::uint32_t> residues = matrix.table_.residues(prime, root);
    for (const EliminationValue& value : program_.values) {
      const double residue = reduce(static_cast<double>(residues[value.place]));
      values_.push_back(value.negated ? -residue : residue);
    }
  }

  // Returns whether all pivots could be inverted.
  bool eliminate() {
    for (std::uint32_t f = 0; f < matrix_.fronts_.size(); ++f) {
      if (!eliminate(f)) return false;
    }
    return true;
  }

  std::optional<std::vector<std::uint32_t>> shares(const InverseOfLeft& last) {
    std::vector<std::uint32_t> result(matrix_.num_edges_, 0);
    std::vector<Dense> rest(matrix_.fronts_.size());  // Z_BB of the fronts whose parents are done
    if (last) {
      rest.back() = Dense(matrix_.fronts_.back().columns, matrix_.fronts_.back().rows);
      if (!last(parts_.back().left.values, rest.back().values)) return std::nullopt;
    }
    for (std::uint32_t f = static_cast<std::uint32_t>(matrix_.fronts_.size()); f-- > 0;) {
      const Dense inverse = inverse_of(f, std::exchange(rest[f], {}));
      const Front& front = matrix_.fronts_[f];
      for (std::size_t e = front.first_entry; e < front.first_entry + front.num_entries; ++e) {
        const EliminationEntry& entry = program_.entries[e];
        const double share = product(values_[entry.value], inverse.at(entry.column, entry.row));
        result[matrix_.edges_[e]] = static_cast<std::uint32_t>(share < 0 ? share + prime_ : share);
      }
      for (std::size_t i = front.first_child; i < front.first_child + front.num_children; ++i) {
        const std::uint32_t child = matrix_.children_[i];
        rest[child] = gathered(child, inverse);
      }
    }
    return result;
  }

 private:
  struct Parts {
    Dense inverse, right, below;  // F_PP^-1, X, Y
    Dense left;                   // for the parent, until it has it
  };

  double reduce(double x) const {
    constexpr double round = 0x1.8p52;  // added and taken away: to the nearest integer
    return x - ((x * inverse_ + round) - round) * prime_;
  }
  double product(double x, double y) const { return reduce(x * y); }
  // c -= a b
  void subtract(ResidueMatrix c, ConstResidueMatrix a, ConstResidueMatrix b, std::size_t rows, std::size_t inner,
                std::size_t columns) const {
    matrix_.kernel_.subtract_product(c, a, b, rows, inner, columns, prime_, inverse_);
  }
  // Computes -a b
  Dense minus_product(const Dense& a, const Dense& b) const {
    Dense result(a.rows, b.columns);
    subtract(result.view(), a.view(), b.view(), a.rows, a.columns, b.columns);
    return result;
  }
  static void negate(Dense& matrix) {
    for (double& value : matrix.values) value = -value;
  }

  // Returns the places of rows: the child's i-th row left over is the parent's row maps[i].
  const std::uint32_t* maps_of_rows(std::uint32_t child) const {
    return program_.maps.data() + matrix_.fronts_[child].first_map;
  }
  const std::uint32_t* maps_of_columns(std::uint32_t child) const {
    const Front& front = matrix_.fronts_[child];
    return program_.skew ? maps_of_rows(child) : maps_of_rows(child) + (front.rows - front.pivots);
  }

  Dense assembled(std::uint32_t f) {
    const Front& front = matrix_.fronts_[f];
    Dense whole(front.rows, front.columns);
    for (std::size_t i = front.first_child; i < front.first_child + front.num_children; ++i) {
      const std::uint32_t child = matrix_.children_[i];
      const Dense left = std::exchange(parts_[child].left, {});
      const std::uint32_t* rows = maps_of_rows(child);
      const std::uint32_t* columns = maps_of_columns(child);
      for (std::size_t r = 0; r < left.rows; ++r) {
        for (std::size_t c = 0; c < left.columns; ++c) {
          double& value = whole.at(rows[r], columns[c]);
          value = reduce(value + left.at(r, c));
        }
      }
    }
    for (std::size_t e = front.first_entry; e < front.first_entry + front.num_entries; ++e) {
      const EliminationEntry& entry = program_.entries[e];
      double& value = whole.at(entry.row, entry.column);
      value = reduce(value + values_[entry.value]);
      if (program_.skew) whole.at(entry.column, entry.row) = -value;
    }
    return whole;
  }

  bool eliminate(std::uint32_t f) {
    const Front& front = matrix_.fronts_[f];
    const std::size_t k = front.pivots, rows = front.rows - k, columns = front.columns - k;
    const Dense whole = assembled(f);
    Parts& parts = parts_[f];
    parts.inverse = whole.block(0, 0, k, k);
    if (!invert(parts.inverse.view(), k)) return false;
    const Dense right = whole.block(0, k, k, columns), below = whole.block(k, 0, rows, k);
    parts.right = minus_product(parts.inverse, right);
    negate(parts.right);
    parts.below = minus_product(below, parts.inverse);
    negate(parts.below);
    parts.left = whole.block(k, k, rows, columns);
    subtract(parts.left.view(), below.view(), std::as_const(parts.right).view(), rows, k, columns);
    return true;
  }

  // Inverts in place. A pair of pivots is never halved.
  bool invert(ResidueMatrix a, std::size_t size) {
    constexpr std::size_t small = 8;
    if (size <= small) return invert_small(a, size);
    const std::size_t half = size / 4 * 2, rest = size - half;
    const ResidueMatrix a12{a.data + half, a.stride}, a21{a.data + half * a.stride, a.stride},
        a22{a.data + half * a.stride + half, a.stride};
    if (!invert(a, half)) return false;
    Dense t(half, rest), u(rest, half);  // minus A11^-1 A12 and A21 A11^-1
    subtract(t.view(), read(a), read(a12), half, half, rest);
    subtract(u.view(), read(a21), read(a), rest, half, half);
    negate(u);
    subtract(a22, std::as_const(u).view(), read(a12), rest, half, rest);
    if (!invert(a22, rest)) return false;
    // B12 = t B22, B21 = -B22 u, B11 = A11^-1 - B12 u, each a product that is taken from 0 or from what is there.
    const auto clear = [](ResidueMatrix m, std::size_t rows, std::size_t columns) {
      for (std::size_t r = 0; r < rows; ++r) std::fill_n(m.data + r * m.stride, columns, 0.0);
    };
    clear(a21, rest, half);
    subtract(a21, read(a22), std::as_const(u).view(), rest, rest, half);
    clear(a12, half, rest);
    negate(t);
    subtract(a12, std::as_const(t).view(), read(a22), half, rest, rest);
    subtract(a, read(a12), std::as_const(u).view(), half, rest, half);
    return true;
  }
  // Inverts by Euclid's algorithm; 32 bits suffice.
  double inverse_residue(double value) const {
    auto a = static_cast<std::int32_t>(value < 0 ? value + prime_ : value), b = static_cast<std::int32_t>(prime_);
    std::int32_t x = 1, y = 0;  // a = x value, b = y value
    while (a > 1) {
      const std::int32_t quotient = b / a;
      b -= quotient * a;
      y -= quotient * x;
      std::swap(a, b);
      std::swap(x, y);
    }
    return reduce(x);
  }
  // Inverts by Gauss and Jordan, rows exchanged where need be.
  bool invert_small(ResidueMatrix a, std::size_t size) {
    double work[8][16] = {};
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c < size; ++c) work[r][c] = a.data[r * a.stride + c];
      work[r][size + r] = 1;
    }
    for (std::size_t k = 0; k < size; ++k) {
      std::size_t from = k;
      while (from < size && work[from][k] == 0) ++from;
      if (from == size) return false;
      if (from != k) std::swap(work[from], work[k]);
      const double factor = inverse_residue(work[k][k]);
      for (std::size_t c = k; c < 2 * size; ++c) work[k][c] = product(work[k][c], factor);
      for (std::size_t r = 0; r < size; ++r) {
        if (r == k || work[r][k] == 0) continue;
        const double multiple = work[r][k];
        for (std::size_t c = k; c < 2 * size; ++c) work[r][c] = reduce(work[r][c] - multiple * work[k][c]);
      }
    }
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c < size; ++c) a.data[r * a.stride + c] = work[r][size + c];
    }
    return true;
  }

  // Finds Z on the columns and rows of a front, from Z_BB.
  Dense inverse_of(std::uint32_t f, const Dense& rest) {
    const Front& front = matrix_.fronts_[f];
    const std::size_t k = front.pivots;
    const Parts parts = std::exchange(parts_[f], {});
    Dense whole(front.columns, front.rows);
    const auto put = [&](const Dense& part, std::size_t row, std::size_t column) {
      for (std::size_t r = 0; r < part.rows; ++r) {
        std::copy_n(part.values.data() + r * part.columns, part.columns, &whole.at(row + r, column));
      }
    };
    Dense pivots = parts.inverse;
    if (rest.rows > 0) {
      const Dense to_rest = minus_product(parts.right, rest);    // Z_PB
      const Dense from_rest = minus_product(rest, parts.below);  // Z_BP
      subtract(pivots.view(), parts.right.view(), from_rest.view(), k, front.columns - k, k);
      if (k > 0 && to_rest.columns > 0) put(to_rest, 0, k);
      if (k > 0) put(from_rest, k, 0);
      put(rest, k, k);
    }
    if (k > 0) put(pivots, 0, 0);
    return whole;
  }
  // Gathers Z_BB of a child.
  Dense gathered(std::uint32_t child, const Dense& inverse) const {
    const Front& front = matrix_.fronts_[child];
    Dense rest(front.columns - front.pivots, front.rows - front.pivots);
    const std::uint32_t* rows = maps_of_rows(child);
    const std::uint32_t* columns = maps_of_columns(child);
    for (std::size_t c = 0; c < rest.rows; ++c) {
      for (std::size_t r = 0; r < rest.columns; ++r) rest.at(c, r) = inverse.at(columns[c], rows[r]);
    }
    return rest;
  }

  const SelectedInverse& matrix_;
  const EliminationProgram& program_;
  double prime_, inverse_;
  std::vector<double> values_;  // of the program
  std::vector<Parts> parts_;
};

SelectedInverse::SelectedInverse(const EliminationProgram& program, const UndirectedGraph& graph,
                                 const EntryTable& table, const Dissection& dissection, Isa isa)
    : program_(program), table_(table), kernel_(kernels_for<ProductKernel>(isa)), num_edges_(graph.num_edges()) {
  list_edges(graph, dissection);
  std::vector<std::uint32_t> stack;
  std::size_t entry = 0, child = 0, map = 0;
  for (std::uint32_t f = 0; f < program.fronts.size(); ++f) {
    const EliminationFront& given = program.fronts[f];
    Front front;
    front.rows = given.rows;
    front.columns = given.columns;
    front.pivots = given.pivots;
    front.first_entry = entry;
    front.num_entries = given.num_entries;
    entry += given.num_entries;
    front.first_child = children_.size();
    front.num_children = given.num_children;
    for (std::size_t i = stack.size() - given.num_children; i < stack.size(); ++i, ++child) {
      fronts_[stack[i]].parent = f;
      fronts_[stack[i]].first_map = map;
      map += program.children[child].rows + (program.skew ? 0 : program.children[child].columns);
      children_.push_back(stack[i]);
    }
    stack.resize(stack.size() - given.num_children);
    stack.push_back(f);
    const double size = static_cast<double>(front.rows) * static_cast<double>(front.columns);
    stored_ += size;
    largest_ = std::max(largest_, size);
    fronts_.push_back(front);
  }
  if (entry != program.entries.size() || edges_.size() != entry)
    throw InputError("a program of another graph", "that of this graph");
}

// Lists edges as the program reads them: node by node, from each vertex to those of its own node, once, and of later
// ones.
void SelectedInverse::list_edges(const UndirectedGraph& graph, const Dissection& dissection) {
  std::vector<std::uint32_t> node_of(graph.num_vertices());
  for (std::uint32_t node = 0; node < dissection.num_nodes(); ++node) {
    for (std::size_t i = dissection.begin[node]; i < dissection.begin[node + 1]; ++i)
      node_of[dissection.vertices[i]] = node;
  }
  for (const Vertex v : dissection.vertices) {
    for (std::size_t i = 0; i < graph.neighbours(v).size(); ++i) {
      const Vertex w = graph.neighbours(v)[i];
      if (node_of[w] < node_of[v] || (node_of[w] == node_of[v] && w < v)) continue;
      if (table_.places()[graph.incident_edges(v)[i]] != 0) edges_.push_back(graph.incident_edges(v)[i]);
    }
  }
}

std::optional<std::vector<std::uint32_t>> SelectedInverse::shares(std::uint64_t prime, std::uint64_t root,
                                                                  const InverseOfLeft& last) const {
  Run run(*this, prime, root);
  if (!run.eliminate()) return std::nullopt;
  return run.shares(last);
}

}  // namespace matchcount
