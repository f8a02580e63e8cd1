#pragma once
// Sums over matchings of every size where a matrix, or what is left of it, is nearly constant: by complements.

#include <memory>
#include <vector>

#include "permanent/complement/cells.hpp"
#include "permanent/frontier/matchings.hpp"
#include "permanent/trees/program.hpp"

namespace matchcount {

// How the cells of a matrix are summed up over their matchings, by the number of pairs, with a factor for each line
// that no pair takes.
struct Piece {
  enum class Kind {
    product,     // of the children, which have no line in common, and of a factor for the other lines
    complement,  // the one child is the cells times `denominator` less `numerator` times the factors of their lines
    pair,        // one cell between two lines
    leaf         // by the frontier method, or along a tree decomposition
  } kind = Kind::product;
  bool symmetric = false;
  Vertex rows = 0, columns = 0;  // symmetric: all lines are rows, and columns are 0
  std::vector<Piece> children = {};
  Integer factor = 1;                      // product: of lines without a cell; pair: of its lines
  Integer numerator = 1, denominator = 1;  // pair: the cell is the numerator
  struct Leaf {
    MatchingQuestion question;
    MatchingPlan plan;
    TreeProgram trees;  // no bags: by the frontier method
    std::vector<GaussianInteger> edges, vertices;
  };
  std::shared_ptr<const Leaf> leaf = nullptr;
};

// PieceCost is the predicted cost of a piece.
struct PieceCost {
  double seconds = 0, memory_bytes = 0;
  std::size_t sums = 0;  // of leaves
  std::uint32_t most_width = 0;
};

// The lines of every component, rows before columns, which are numbered after them.
std::vector<std::vector<Vertex>> components_of(const Cells& cells);
// The ratio of a cell to the factors of its lines; and the cells times its denominator less its numerator times their
// lines' factors.
Rational ratio_of(const Cells& cells, std::size_t cell);
Cells rest_of(const Cells& cells, std::size_t cell, const RunContext& run);

// The root is a complement. Throws Unable, with the reason, where too much is left, and as run.check() does.
Piece take_apart(Cells cells, std::size_t cell, double useful_s, const RunContext& run);
PieceCost cost_of(const Piece& piece);

// The sums over the matchings of what rest_of() or part of it leaves, by the number of pairs. Throws as take_apart
// does.
std::vector<Integer> sums_by_pairs(Cells rest, const RunContext& run);

// The sum over the perfect matchings of the root, one sum for each number of pairs of others. run.part() names what is
// kept.
Integer sum_perfect(const Piece& root, const RunContext& run);

}  // namespace matchcount
