// The order of pivots. Within a front a pivot pairs two vertices whose neighbours all are in the front (fully summed),
// so that eliminating them changes nothing outside. A vertex that has no nonzero entry left among the others of the
// kind can't get one there either: pivots change row i only where it has an entry in their columns. It goes to the
// parent. A pivot that is nonzero modulo a prime is nonzero over the rationals, and so modulo all primes but a few:
// the same order serves them all. How many vertices are put off is bounded by the boundary: were there more, the
// columns of a subtree's vertices would be dependent and the Pfaffian 0.

#include "permanent/planar/cpu/elimination_program.hpp"

#include <algorithm>
#include <utility>

#include "permanent/inverse.hpp"

namespace matchcount {
namespace {

double multiplications_of(double rows, double columns, double pivots, bool skew) {
  // Products of a trailing matrix by one pivot row and column, summed; skew: half of the matrix, by two of each.
  double sum = 0;
  if (skew)
    for (double k = 2; k <= pivots; k += 2) sum += (rows - k) * (rows - k);
  else
    for (double k = 1; k <= pivots; ++k) sum += (rows - k) * (columns - k);
  return sum;
}

struct Leftover {
  std::vector<Vertex> rows, columns;  // skew: columns is empty and rows has both
  std::vector<double> entries;
};

class Elimination {
 public:
  Elimination(const SkewMatrix& matrix, const Dissection& dissection, const EliminationStructure& structure,
              std::uint64_t prime, const RunContext& run, bool keeps_last)
      : matrix_(matrix),
        dissection_(dissection),
        structure_(structure),
        modulus_(prime),
        run_(run),
        kept_(keeps_last ? dissection.num_nodes() - 1 : none),
        node_of_(dissection.node_of_vertices()),
        place_(matrix.graph.num_vertices()),
        value_number_(2 * matrix.residues.size(), none) {
    program_.skew = matrix.is_column.empty();
  }

  EliminationProgram run() {
    const auto children = dissection_.children();
    double done = 0;
    for (std::uint32_t node = 0; node < dissection_.num_nodes(); ++node) {
      front(node, children[node].size());
      if (program_.multiplications - done > 1e6) {
        done = program_.multiplications;
        run_.check();
      }
    }
    program_.complete = order_.size() == matrix_.graph.num_vertices();
    program_.order = std::move(order_);
    if (!stack_.empty()) {
      program_.rows_left = std::move(stack_.back().rows);
      program_.columns_left = std::move(stack_.back().columns);
    }
    program_.residue = program_.complete ? modulus_.residue(product_) : 0;
    return std::move(program_);
  }

 private:
  bool is_column(Vertex v) const { return !program_.skew && matrix_.is_column[v]; }

  void front(std::uint32_t node, std::size_t num_children) {
    rows_.clear();
    columns_.clear();
    const auto add = [&](Vertex v) { (is_column(v) ? columns_ : rows_).push_back(v); };
    const std::size_t first_child = stack_.size() - num_children;
    for (std::size_t i = first_child; i < stack_.size(); ++i) {
      for (const auto* list : {&stack_[i].rows, &stack_[i].columns}) {
        for (const Vertex v : *list)
          if (node_of_[v] < node) add(v);
      }
    }
    for (std::size_t i = dissection_.begin[node]; i < dissection_.begin[node + 1]; ++i) add(dissection_.vertices[i]);
    const std::size_t full_rows = node == kept_ ? 0 : rows_.size(), full_columns = columns_.size();
    for (const Vertex v : structure_.boundary[node]) add(v);
    if (program_.skew) columns_ = rows_;
    for (std::size_t i = 0; i < columns_.size(); ++i) place_[columns_[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < rows_.size(); ++i) place_[rows_[i]] = static_cast<std::uint32_t>(i);
    width_ = columns_.size();
    front_.assign(rows_.size() * width_, 0.0);

    EliminationFront record{};
    record.rows = static_cast<std::uint32_t>(rows_.size());
    record.columns = static_cast<std::uint32_t>(width_);
    record.num_children = static_cast<std::uint32_t>(num_children);
    for (std::size_t i = first_child; i < stack_.size(); ++i) assemble(stack_[i]);
    const std::size_t first_entry = program_.entries.size();
    for (std::size_t i = dissection_.begin[node]; i < dissection_.begin[node + 1]; ++i)
      assemble_edges(dissection_.vertices[i], node);
    record.num_entries = static_cast<std::uint32_t>(program_.entries.size() - first_entry);

    // Pivoting permutes rows_ and columns_; entries and maps get their places afterwards.
    const std::size_t pivots = program_.skew ? pivot_pairs(full_rows) : pivot(full_rows, full_columns);
    record.pivots = static_cast<std::uint32_t>(pivots);
    rename(first_entry, first_child);
    program_.fronts.push_back(record);
    program_.multiplications += multiplications_of(record.rows, record.columns, record.pivots, program_.skew);

    // Replay puts the front on top of what the children left, which then makes room for what it leaves itself.
    program_.peak_entries = std::max(program_.peak_entries, held_ + front_.size());
    for (std::size_t i = first_child; i < stack_.size(); ++i) held_ -= stack_[i].entries.size();
    stack_.resize(first_child);
    Leftover left;
    for (std::size_t i = pivots; i < rows_.size(); ++i) {
      const double* row = front_.data() + i * width_;
      left.entries.insert(left.entries.end(), row + pivots, row + width_);
    }
    left.rows.assign(rows_.begin() + static_cast<std::ptrdiff_t>(pivots), rows_.end());
    if (!program_.skew) left.columns.assign(columns_.begin() + static_cast<std::ptrdiff_t>(pivots), columns_.end());
    held_ += left.entries.size();
    stack_.push_back(std::move(left));
  }

  // Maps are recorded as vertices here and become places in `rename`.
  void assemble(const Leftover& left) {
    const std::vector<Vertex>& columns = program_.skew ? left.rows : left.columns;
    program_.children.push_back(
        {static_cast<std::uint32_t>(left.rows.size()), static_cast<std::uint32_t>(columns.size())});
    program_.maps.insert(program_.maps.end(), left.rows.begin(), left.rows.end());
    program_.maps.insert(program_.maps.end(), left.columns.begin(), left.columns.end());
    const double* entry = left.entries.data();
    for (const Vertex r : left.rows) {
      double* row = front_.data() + place_[r] * width_;
      for (const Vertex c : columns) {
        row[place_[c]] = modulus_.reduce(row[place_[c]] + *entry);
        ++entry;
      }
    }
  }

  // Edges of v to its own node, once, and to later ones.
  void assemble_edges(Vertex v, std::uint32_t node) {
    const auto neighbours = matrix_.graph.neighbours(v);
    const auto edges = matrix_.graph.incident_edges(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const Vertex w = neighbours[i];
      if (node_of_[w] < node || (node_of_[w] == node && w < v)) continue;
      const std::uint32_t value = matrix_.places[edges[i]];
      if (value == 0) continue;
      const bool backwards = matrix_.orientation[edges[i]] < 0;
      if (program_.skew) {
        record_entry(v, w, {value, (v > w) != backwards});
      } else {
        const Vertex r = is_column(v) ? w : v, c = is_column(v) ? v : w;
        record_entry(r, c, {value, (r > c) != backwards});
      }
    }
  }

  std::uint32_t number_of(EliminationValue value) {
    std::uint32_t& number = value_number_[2 * std::size_t{value.place} + value.negated];
    if (number == none) {
      number = static_cast<std::uint32_t>(program_.values.size());
      program_.values.push_back(value);
    }
    return number;
  }

  void record_entry(Vertex r, Vertex c, EliminationValue value) {
    program_.entries.push_back({r, c, number_of(value)});
    const double residue = modulus_.reduce(static_cast<double>(matrix_.residues[value.place]));
    double& entry = front_[place_[r] * width_ + place_[c]];
    entry = modulus_.reduce(value.negated ? entry - residue : entry + residue);
    if (program_.skew) front_[place_[c] * width_ + place_[r]] = -entry;
  }

  // Vertices that entries and maps name become their places in the permuted front.
  void rename(std::size_t first_entry, std::size_t first_child) {
    for (std::size_t i = 0; i < columns_.size(); ++i) place_[columns_[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < rows_.size(); ++i) place_[rows_[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t i = first_entry; i < program_.entries.size(); ++i) {
      EliminationEntry& entry = program_.entries[i];
      entry.row = place_[entry.row];
      entry.column = place_[entry.column];
      if (program_.skew && entry.row < entry.column) {
        std::swap(entry.row, entry.column);
        const EliminationValue value = program_.values[entry.value];
        entry.value = number_of({value.place, !value.negated});
      }
    }
    std::size_t num_maps = 0;
    for (std::size_t i = first_child; i < stack_.size(); ++i)
      num_maps += stack_[i].rows.size() + stack_[i].columns.size();
    for (std::size_t i = program_.maps.size() - num_maps; i < program_.maps.size(); ++i)
      program_.maps[i] = place_[program_.maps[i]];
  }

  void swap_rows(std::size_t a, std::size_t b) {
    if (a == b) return;
    std::swap(rows_[a], rows_[b]);
    std::swap_ranges(front_.begin() + static_cast<std::ptrdiff_t>(a * width_),
                     front_.begin() + static_cast<std::ptrdiff_t>((a + 1) * width_),
                     front_.begin() + static_cast<std::ptrdiff_t>(b * width_));
  }
  void swap_columns(std::size_t a, std::size_t b) {
    if (a == b) return;
    std::swap(columns_[a], columns_[b]);
    for (std::size_t i = 0; i < rows_.size(); ++i) std::swap(front_[i * width_ + a], front_[i * width_ + b]);
  }

  std::size_t pivot(std::size_t full_rows, std::size_t full_columns) {
    std::size_t k = 0;
    while (k < full_rows && k < full_columns) {
      const double* row = front_.data() + k * width_;
      std::size_t j = k;
      while (j < full_columns && row[j] == 0) ++j;
      if (j == full_columns) {
        swap_rows(k, --full_rows);
        continue;
      }
      swap_columns(k, j);
      take(rows_[k], columns_[k], row[k]);
      const double inverse = modulus_.inverse(row[k]);
      for (std::size_t i = k + 1; i < rows_.size(); ++i) {
        double* target = front_.data() + i * width_;
        if (target[k] == 0) continue;
        const double factor = modulus_.product(target[k], inverse);
        for (std::size_t c = k + 1; c < width_; ++c) target[c] = modulus_.minus_product(target[c], factor, row[c]);
      }
      ++k;
    }
    return k;
  }

  // A[i][j] -= (A[i][p] A[j][q] - A[i][q] A[j][p]) / A[p][q].
  std::size_t pivot_pairs(std::size_t full) {
    std::size_t k = 0;
    while (k + 1 < full) {
      const double* p = front_.data() + k * width_;
      std::size_t j = k + 1;
      while (j < full && p[j] == 0) ++j;
      if (j == full) {
        --full;
        swap_rows(k, full);
        swap_columns(k, full);
        continue;
      }
      swap_rows(k + 1, j);
      swap_columns(k + 1, j);
      const double* q = p + width_;
      take(rows_[k], rows_[k + 1], p[k + 1]);
      const double inverse = modulus_.inverse(p[k + 1]);
      for (std::size_t i = k + 2; i < rows_.size(); ++i) {
        double* target = front_.data() + i * width_;
        if (target[k] == 0 && target[k + 1] == 0) continue;
        // A[j][q] = -q[j], A[j][p] = -p[j].
        const double by_q = -modulus_.product(target[k], inverse), by_p = modulus_.product(target[k + 1], inverse);
        for (std::size_t c = k + 2; c < width_; ++c)
          target[c] = modulus_.minus_product(modulus_.minus_product(target[c], by_q, q[c]), by_p, p[c]);
      }
      k += 2;
    }
    return k;
  }

  void take(Vertex first, Vertex second, double pivot) {
    order_.push_back(first);
    order_.push_back(second);
    product_ = modulus_.product(product_, pivot);
  }

  const SkewMatrix& matrix_;
  const Dissection& dissection_;
  const EliminationStructure& structure_;
  BalancedResidues modulus_;
  const RunContext& run_;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t kept_;  // a node
  std::vector<std::uint32_t> node_of_;
  std::vector<std::uint32_t> place_;         // of a vertex in the front at hand
  std::vector<std::uint32_t> value_number_;  // in the program, of each value of the table and of its negative
  std::vector<Leftover> stack_;
  std::uint64_t held_ = 0;
  std::vector<Vertex> rows_, columns_;  // of the front at hand
  std::size_t width_ = 0;
  std::vector<double> front_;
  std::vector<Vertex> order_;
  double product_ = 1;
  EliminationProgram program_;
};

}  // namespace

EliminationStructure analyse_elimination(const UndirectedGraph& graph, const std::vector<bool>& is_column,
                                         const Dissection& dissection) {
  EliminationStructure structure;
  const bool skew = is_column.empty();
  const std::vector<std::uint32_t> node_of = dissection.node_of_vertices();
  const auto children = dissection.children();
  structure.boundary.resize(dissection.num_nodes());
  constexpr std::uint32_t never = ~std::uint32_t{0};
  std::vector<std::uint32_t> seen_at(graph.num_vertices(), never);
  std::vector<std::uint32_t> waiting_rows(dissection.num_nodes()), waiting_columns(dissection.num_nodes());
  std::vector<double> left_entries(dissection.num_nodes());
  double held = 0;
  for (std::uint32_t node = 0; node < dissection.num_nodes(); ++node) {
    std::vector<Vertex>& boundary = structure.boundary[node];
    const auto touch = [&](Vertex v) {
      if (node_of[v] <= node || seen_at[v] == node) return;
      seen_at[v] = node;
      boundary.push_back(v);
    };
    double rows = 0, columns = 0;  // fully summed
    for (const std::uint32_t child : children[node]) {
      for (const Vertex v : structure.boundary[child]) touch(v);
      rows += waiting_rows[child];
      columns += waiting_columns[child];
    }
    const auto count = [&](Vertex v, double& r, double& c) { (!skew && is_column[v] ? c : r) += 1; };
    for (std::size_t i = dissection.begin[node]; i < dissection.begin[node + 1]; ++i) {
      const Vertex v = dissection.vertices[i];
      for (const Vertex w : graph.neighbours(v)) touch(w);
      count(v, rows, columns);
    }
    std::sort(boundary.begin(), boundary.end());
    double boundary_rows = 0, boundary_columns = 0;
    for (const Vertex v : boundary) count(v, boundary_rows, boundary_columns);
    const double pivots =
        skew ? rows - static_cast<double>(static_cast<std::uint64_t>(rows) % 2) : std::min(rows, columns);
    const double height = rows + boundary_rows, width = skew ? height : columns + boundary_columns;
    structure.multiplications += multiplications_of(height, width, pivots, skew);
    structure.entries += height * width;
    structure.pivots += skew ? pivots / 2 : pivots;
    structure.peak_entries = std::max(structure.peak_entries, held + height * width);
    for (const std::uint32_t child : children[node]) held -= left_entries[child];
    left_entries[node] = (height - pivots) * (width - pivots);
    held += left_entries[node];
    waiting_rows[node] = static_cast<std::uint32_t>(rows - pivots);
    waiting_columns[node] = skew ? 0 : static_cast<std::uint32_t>(columns - pivots);
  }
  return structure;
}

EliminationProgram eliminate(const SkewMatrix& matrix, const Dissection& dissection,
                             const EliminationStructure& structure, std::uint64_t prime, const RunContext& run,
                             bool keeps_last) {
  return Elimination(matrix, dissection, structure, prime, run, keeps_last).run();
}

}  // namespace matchcount
