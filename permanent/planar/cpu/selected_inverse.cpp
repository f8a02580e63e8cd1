// With a front's rows and columns in two parts, the k pivots P and the rest B that is left for its parent,
//   F = (F_PP F_PB; F_BP F_BB), X = F_PP^-1 F_PB, Y = F_BP F_PP^-1, left over: F_BB - F_BP X,
// and of the inverse Z of the whole matrix, rows and columns changing places, with Z_BB from the parent,
//   Z_PB = -X Z_BB, Z_BP = -Z_BB Y, Z_PP = F_PP^-1 - X Z_BP.
// So all is done by products of matrices. F_PP is inverted in halves: its leading blocks are those that the program
// took its pivots from, one by one or in pairs, of which none is halved, so that they can be inverted as well.

#include "permanent/planar/cpu/selected_inverse.hpp"

#include <algorithm>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "permanent/inverse.hpp"

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
  void put_block(const Dense& part, std::size_t row, std::size_t column) {
    for (std::size_t r = 0; r < part.rows; ++r)
      std::copy_n(part.values.data() + r * part.columns, part.columns, values.data() + (row + r) * columns + column);
  }
  void negate() {
    for (double& value : values) value = -value;
  }
};

struct ResidueAlgebra {
  using View = ResidueMatrix;
  using Buffer = Dense;
  const ProductKernel& kernel;
  BalancedResidues modulus;

  static View part(View a, std::size_t row, std::size_t column) { return {a.data + row * a.stride + column, a.stride}; }
  static void clear(View a, std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r) std::fill_n(a.data + r * a.stride, columns, 0.0);
  }
  void subtract(View c, View a, View b, std::size_t rows, std::size_t inner, std::size_t columns) const {
    kernel.subtract_product(c, {a.data, a.stride}, {b.data, b.stride}, rows, inner, columns, modulus.prime(),
                            modulus.reciprocal_of_prime());
  }
  void subtract(Dense& c, const Dense& a, const Dense& b) const {
    kernel.subtract_product(c.view(), a.view(), b.view(), a.rows, a.columns, b.columns, modulus.prime(),
                            modulus.reciprocal_of_prime());
  }
  bool invert_small(View a, std::size_t size) const { return invert(a.data, a.stride, size, modulus); }
};

}  // namespace

// One prime.
class SelectedInverse::Run {
 public:
  Run(const SelectedInverse& matrix, std::uint64_t prime, std::uint64_t root)
      : matrix_(matrix),
        program_(matrix.program_),
        algebra_{matrix.kernel_, BalancedResidues(prime)},
        parts_(matrix.fronts_.size()) {
    const std::vector<std::uint32_t> residues = matrix.table_.residues(prime, root);
    for (const EliminationValue& value : program_.values) {
      const double residue = modulus().number(residues[value.place]);
      values_.push_back(value.negated ? -residue : residue);
    }
  }

  // Returns whether all pivots could be inverted.
  bool eliminate() {
    for (std::uint32_t f = 0; f < matrix_.fronts_.size(); ++f)
      if (!eliminate(f)) return false;
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
      Parts parts = std::exchange(parts_[f], {});
      const Dense inverse =
          inverse_of_front(std::move(parts.inverse), parts.right, parts.below, std::exchange(rest[f], {}),
                           [&](Dense& c, const Dense& a, const Dense& b) { algebra_.subtract(c, a, b); });
      const Front& front = matrix_.fronts_[f];
      for (std::size_t e = front.first_entry; e < front.first_entry + front.num_entries; ++e) {
        const EliminationEntry& entry = program_.entries[e];
        const double share = modulus().product(values_[entry.value], inverse.at(entry.column, entry.row));
        result[matrix_.edges_[e]] = static_cast<std::uint32_t>(modulus().residue(share));
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

  const BalancedResidues& modulus() const { return algebra_.modulus; }
  // Computes -a b
  Dense minus_product(const Dense& a, const Dense& b) const {
    Dense result(a.rows, b.columns);
    algebra_.subtract(result, a, b);
    return result;
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
          value = modulus().reduce(value + left.at(r, c));
        }
      }
    }
    for (std::size_t e = front.first_entry; e < front.first_entry + front.num_entries; ++e) {
      const EliminationEntry& entry = program_.entries[e];
      double& value = whole.at(entry.row, entry.column);
      value = modulus().reduce(value + values_[entry.value]);
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
    if (!invert_in_halves(algebra_, parts.inverse.view(), k)) return false;
    const Dense right = whole.block(0, k, k, columns), below = whole.block(k, 0, rows, k);
    parts.right = minus_product(parts.inverse, right);
    parts.right.negate();
    parts.below = minus_product(below, parts.inverse);
    parts.below.negate();
    parts.left = whole.block(k, k, rows, columns);
    algebra_.subtract(parts.left, below, parts.right);
    return true;
  }

  // Gathers Z_BB of a child.
  Dense gathered(std::uint32_t child, const Dense& inverse) const {
    const Front& front = matrix_.fronts_[child];
    Dense rest(front.columns - front.pivots, front.rows - front.pivots);
    const std::uint32_t* rows = maps_of_rows(child);
    const std::uint32_t* columns = maps_of_columns(child);
    for (std::size_t c = 0; c < rest.rows; ++c)
      for (std::size_t r = 0; r < rest.columns; ++r) rest.at(c, r) = inverse.at(columns[c], rows[r]);
    return rest;
  }

  const SelectedInverse& matrix_;
  const EliminationProgram& program_;
  ResidueAlgebra algebra_;
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
  const std::vector<std::uint32_t> node_of = dissection.node_of_vertices();
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
