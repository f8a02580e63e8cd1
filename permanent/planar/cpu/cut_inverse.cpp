#include "permanent/planar/cpu/cut_inverse.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "permanent/inverse.hpp"

namespace matchcount {
namespace {

std::size_t rank_of(std::vector<double> matrix, std::size_t size, const BalancedResidues& modulus) {
  std::size_t rank = 0;
  const auto row = [&](std::size_t i) { return matrix.data() + i * size; };
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t from = rank;
    while (from < size && row(from)[k] == 0) ++from;
    if (from == size) continue;
    if (from != rank) std::swap_ranges(row(rank), row(rank) + size, row(from));
    const double* pivot = row(rank++);
    const double inverse = modulus.inverse(pivot[k]);
    for (std::size_t i = rank; i < size; ++i) {
      const double multiple = modulus.product(row(i)[k], inverse);
      for (std::size_t j = k; multiple != 0 && j < size; ++j)
        row(i)[j] = modulus.minus_product(row(i)[j], multiple, pivot[j]);
    }
  }
  return rank;
}

// The entry of an edge of the cut in a term's matrix, from its row to its column.
double entry_of(const CutTerm& term, const std::vector<std::uint32_t>& residues, EdgeId id,
                const BalancedResidues& modulus) {
  return term.orientation[id] * modulus.number(residues[term.table.places()[id]]);
}
// Powers of i, modulo 4.
std::array<double, 4> powers_of(std::uint64_t root, const BalancedResidues& modulus) {
  return {1, modulus.number(root), -1, -modulus.number(root)};
}

}  // namespace

CutInverse::CutInverse(const SurfaceCut& cut, const EliminationProgram& program)
    : cut_(cut),
      skew_(program.skew),
      rows_(program.rows_left),
      columns_(program.skew ? program.rows_left : program.columns_left),
      front_(cut, program.rows_left, program.columns_left),
      size_(front_.vertices.size()) {
  if (skew_) front_.of_column = front_.of_row;
}

std::vector<double> CutInverse::matrix_of(const CutTerm& term, std::uint64_t prime, std::uint64_t root,
                                          const std::vector<double>& left) const {
  const BalancedResidues modulus(prime);
  const std::array<double, 4> powers = powers_of(root, modulus);
  std::vector<double> matrix(size_ * size_, 0.0);
  const auto add_entry = [&](std::size_t i, std::size_t j, double entry) {
    double& to = matrix[i * size_ + j];
    to = modulus.reduce(to + entry);
  };
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const double power = powers[(term.powers[rows_[r]] + term.powers[columns_[c]]) & 3];
      const double entry = modulus.product(left[r * columns_.size() + c], power);
      add_entry(front_.of_row[r], front_.of_column[c], entry);
      if (!skew_) add_entry(front_.of_column[c], front_.of_row[r], -entry);
    }
  }
  const std::vector<std::uint32_t> residues = term.table.residues(prime, root);
  for (const auto& [id, u, v] : cut_.cut_edges) {
    add_entry(u, v, entry_of(term, residues, id, modulus));
    add_entry(v, u, -entry_of(term, residues, id, modulus));
  }
  return matrix;
}

bool CutInverse::vanishes(const CutTerm& term, std::uint64_t prime, std::uint64_t root,
                          const std::vector<double>& left) const {
  return rank_of(matrix_of(term, prime, root, left), size_, BalancedResidues(prime)) + 4 <= size_;
}

bool CutInverse::add(const CutTerm& term, std::uint64_t weight, std::uint64_t prime, std::uint64_t root,
                     const std::vector<double>& left, std::vector<double>& inverse,
                     std::vector<std::uint32_t>& sums) const {
  const BalancedResidues modulus(prime);
  const std::array<double, 4> powers = powers_of(root, modulus);
  std::vector<double> matrix = matrix_of(term, prime, root, left);
  if (!invert(matrix.data(), size_, size_, modulus)) return false;
  const double factor = modulus.number(weight);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const double power = powers[(term.powers[rows_[r]] + term.powers[columns_[c]]) & 3];
      const double entry = modulus.product(matrix[front_.of_column[c] * size_ + front_.of_row[r]], power);
      double& to = inverse[c * rows_.size() + r];
      to = modulus.reduce(to + modulus.product(entry, factor));
    }
  }
  const std::vector<std::uint32_t> residues = term.table.residues(prime, root);
  for (const auto& [id, u, v] : cut_.cut_edges) {
    const double share = modulus.product(entry_of(term, residues, id, modulus), matrix[v * size_ + u]);
    sums[id] = static_cast<std::uint32_t>((sums[id] + modulus.residue(modulus.product(share, factor))) % prime);
  }
  return true;
}

}  // namespace matchcount
