// With A = c f g^T + S, f and g being the factors of lines, a matching of k pairs takes j of them from S and the others
// from c f g^T, whatever lines S left:
//   sum over k-matchings of A = sum over j of c^(k - j) N(j, k - j) sum over j-matchings of S,
// N(j, m) being the number of m-matchings of the complete graph on the lines that j pairs leave: C(r, m) C(s, m) m! for
// r rows and s columns, r! / ((r - 2 m)! m! 2^m) for r vertices. Of perfect matchings there are (n - j)! and
// (2 n - 2 j - 1)!! (rook theory, Riordan 1958; Godsil 1993). S falls apart into components, where the same is done
// again as long as it leaves less: cographs and complete multipartite graphs end in nothing.

#include "permanent/complement/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/numbers/polynomial.hpp"
#include "core/work.hpp"
#include "graph/two_colouring.hpp"
#include "matching/graph_matching.hpp"
#include "permanent/complement/costs.hpp"
#include "permanent/trees/sums.hpp"

namespace matchcount {
namespace {

using Sums = std::vector<Integer>;  // by the number of pairs

// More edges a line than that leave no frontier that is worth a search.
constexpr std::size_t most_edges_of_line = 10;
// The first order, and a search for a better one, take no more than these shares of what another method takes.
constexpr double first_order_share = 0.1, most_search_s = 0.02, search_share = 0.02;

// Parts within parts may have so many cells in all, and this share of all cells: in a Ferrers board every part has one
// that is hardly smaller.
constexpr double least_cells = 1e6, share_of_cells = 0.5;

// The sides of the rows of a symmetric matrix without odd cycles; empty where it has some. It is connected.
std::vector<bool> sides_of(const Cells& cells) {
  std::vector<Edge> edges;
  cells.for_each([&](Vertex row, Vertex column, std::size_t) { edges.push_back({row, column}); });
  TwoColouring found = two_colour(cells.rows, edges);
  return found.odd_cycle.empty() ? std::move(found.is_column) : std::vector<bool>();
}

struct Triple {
  Vertex row, column;
  Integer value;
};
void set_cells(Cells& cells, std::vector<Triple> given) {
  const auto place = [](const Triple& t) { return std::pair(t.row, t.column); };
  if (!std::ranges::is_sorted(given, {}, place)) std::ranges::sort(given, {}, place);
  for (Triple& triple : given) {
    while (cells.begin.size() <= triple.row) cells.begin.push_back(cells.column.size());
    cells.column.push_back(triple.column);
    cells.value.push_back(std::move(triple.value));
  }
  cells.begin.resize(cells.rows + std::size_t{1}, cells.column.size());
}

// Makes a matrix of rows and columns of a connected symmetric one without odd cycles.
Cells without_symmetry(Cells given) {
  const std::vector<bool> side = given.symmetric ? sides_of(given) : std::vector<bool>{};
  if (side.empty()) return given;
  Cells cells;
  std::vector<Vertex> place(given.rows);
  for (Vertex row = 0; row < given.rows; ++row) {
    place[row] = side[row] ? cells.columns++ : cells.rows++;
    (side[row] ? cells.of_column : cells.of_row).push_back(given.row_factor(row));
  }
  std::vector<Triple> triples;
  given.for_each([&](Vertex row, Vertex column, std::size_t cell) {
    if (side[row]) std::swap(row, column);
    triples.push_back({place[row], place[column], given.entry(cell)});
  });
  set_cells(cells, std::move(triples));
  return cells;
}

double seconds_of(const Piece::Leaf& leaf) {
  return leaf.trees.bags.empty() ? leaf.plan.seconds : seconds_by_size(leaf.trees);
}

// Takes matrices apart.
class Taking {
 public:
  Taking(const Cells& root, double useful_s, const RunContext& run)
      : useful_s_(useful_s), cells_left_(least_cells + share_of_cells * root.total()), run_(run) {}

  Piece complement(const Cells& cells, std::size_t cell, Cells rest) {
    Piece piece{.kind = Piece::Kind::complement, .symmetric = cells.symmetric, .rows = cells.rows};
    if (!cells.symmetric) piece.columns = cells.columns;
    const Rational c = ratio_of(cells, cell);
    piece.numerator = numerator(c);
    piece.denominator = denominator(c);
    piece.children.push_back(product(std::move(rest)));
    return piece;
  }

  Piece product(Cells cells) {
    Piece piece{.symmetric = cells.symmetric, .rows = cells.rows};
    if (!cells.symmetric) piece.columns = cells.columns;
    const auto components = components_of(cells);
    const Vertex first_column = cells.first_column();
    std::vector<std::size_t> component_of(std::size_t{first_column} + cells.columns);
    std::vector<Vertex> place(component_of.size());
    std::vector<Cells> parts(components.size());
    for (std::size_t i = 0; i < components.size(); ++i) {
      Cells& part = parts[i];
      part.symmetric = cells.symmetric;
      for (const Vertex line : components[i]) {
        const bool is_row = line < cells.rows;
        component_of[line] = i;
        place[line] = is_row ? part.rows++ : part.columns++;
        (is_row ? part.of_row : part.of_column)
            .push_back(is_row ? cells.row_factor(line) : cells.column_factor(line - first_column));
      }
      if (part.symmetric) part.columns = part.rows;
    }
    std::vector<std::vector<Triple>> triples(parts.size());
    cells.for_each([&](Vertex row, Vertex column, std::size_t cell) {
      triples[component_of[row]].push_back({place[row], place[first_column + column], std::move(cells.value[cell])});
    });
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (triples[i].empty()) {
        piece.factor *= parts[i].rows > 0 ? parts[i].of_row.front() : parts[i].of_column.front();
        continue;
      }
      set_cells(parts[i], std::move(triples[i]));
      piece.children.push_back(connected(without_symmetry(std::move(parts[i]))));
    }
    return piece;
  }

 private:
  Piece connected(Cells cells) {
    run_.check();
    if (cells.column.size() == 1) {
      return {.kind = Piece::Kind::pair,
              .rows = 1,
              .columns = 1,
              .factor = cells.of_row.front() * cells.of_column.front(),
              .numerator = std::move(cells.value.front())};
    }
    const double total = cells.total();
    if (4 * static_cast<double>(cells.column.size()) >= total) {
      if ((cells_left_ -= total) < 0) throw Unable("what a matrix of rank one leaves falls apart too slowly");
      const std::size_t cell = usual_cell(cells);
      Cells rest = rest_of(cells, cell, run_);
      const bool is_sparse = 2 * static_cast<double>(rest.column.size()) < total;
      if (is_sparse || components_of(rest).size() > 1) return complement(cells, cell, std::move(rest));
    }
    return leaf(std::move(cells));
  }

  // A cell with the ratio that most have, if most have one.
  static std::size_t usual_cell(const Cells& cells) {
    Integer value, factors;
    std::size_t usual = 0, votes = 0;
    cells.for_each([&](Vertex row, Vertex column, std::size_t cell) {
      Integer of_cell = cells.of_row[row] * cells.column_factor(column);
      if (votes == 0) {
        usual = cell;
        value = cells.value[cell];
        factors = std::move(of_cell);
        votes = 1;
      } else {
        cells.value[cell] * factors == value* of_cell ? ++votes : --votes;
      }
    });
    return usual;
  }

  Piece leaf(Cells cells) {
    auto leaf = std::make_shared<Piece::Leaf>();
    const Vertex first_column = cells.first_column();
    const Vertex lines = first_column + cells.columns;
    if (lines > 24 && cells.column.size() > most_edges_of_line * lines)
      throw Unable("what is left has a part of " + std::to_string(lines) + " lines and " +
                   std::to_string(cells.column.size()) + " entries");
    if (complement_costs::first_order_s * static_cast<double>(cells.column.size()) > first_order_share * useful_s_)
      throw Unable("another method takes no longer than a search for an order");
    double log2_weight = 0;
    std::vector<Edge> edges;
    cells.for_each([&](Vertex row, Vertex column, std::size_t cell) {
      edges.push_back({row, first_column + column});
      log2_weight = std::max(log2_weight, log2_abs(cells.value[cell]));
      leaf->edges.push_back({std::move(cells.value[cell]), 0});
    });
    for (std::vector<Integer>* factors : {&cells.of_row, &cells.of_column})
      for (Integer& factor : *factors) {
        log2_weight = std::max(log2_weight, 2 * log2_abs(factor));
        leaf->vertices.push_back({std::move(factor), 0});
      }
    MatchingQuestion& question = leaf->question;
    question.pattern = UndirectedGraph::from_edges(lines, std::move(edges));
    question.unmatched = {std::vector<bool>(lines, true), lines};
    question.wanted = MatchingQuestion::Wanted::by_pairs;
    question.most_pairs = maximum_matching(question.pattern, run_).size;
    // Without ranks and checkpoints: the order depends on the graph alone.
    RunOptions options = run_.options();
    options.time_limit_s = run_.seconds_left();
    leaf->plan = plan_matchings(question, log2_weight, false, 0, RunContext(options),
                                std::min(most_search_s, search_share * useful_s_));
    // Ranks, and runs that are resumed, share the frontier method's work alone.
    const bool is_alone = !run_.work() || (run_.num_ranks() == 1 && !run_.work()->keeps());
    if (is_alone && leaf->plan.seconds > complement_costs::worth_trees_s) {
      leaf->trees = find_tree_program({question.pattern, question.unmatched.may_be, false,
                                       log2_bound_of_matchings(question.pattern, leaf->edges, leaf->vertices), true},
                                      leaf->plan.seconds, options.seed, run_);
      if (seconds_of(*leaf) >= leaf->plan.seconds) leaf->trees = {};
    }
    seconds_ += seconds_of(*leaf);
    if (seconds_ > useful_s_) throw Unable("another method takes less");
    return {.kind = Piece::Kind::leaf,
            .symmetric = cells.symmetric,
            .rows = cells.rows,
            .columns = cells.symmetric ? 0 : cells.columns,
            .leaf = std::move(leaf)};
  }

  double useful_s_, cells_left_;
  const RunContext& run_;
  double seconds_ = 0;
};

Vertex most_pairs(const Piece& piece) {
  if (piece.kind == Piece::Kind::leaf) return piece.leaf->question.most_pairs;
  if (piece.kind == Piece::Kind::product) {
    Vertex sum = 0;
    for (const Piece& child : piece.children) sum += most_pairs(child);
    return sum;
  }
  return piece.symmetric ? piece.rows / 2 : std::min(piece.rows, piece.columns);
}

// Adds up pieces.
class Summing {
 public:
  explicit Summing(const RunContext& run) : run_(run) {}

  Sums of(const Piece& piece) {
    switch (piece.kind) {
      case Piece::Kind::pair:
        return {piece.factor, piece.numerator};
      case Piece::Kind::leaf:
        return of_leaf(*piece.leaf);
      case Piece::Kind::complement:
        return of_complement(piece, of(piece.children.front()));
      default:
        return of_product(piece);
    }
  }

 private:
  Sums of_leaf(const Piece::Leaf& leaf) {
    if (!leaf.trees.bags.empty()) return sums_by_size_along_tree(leaf.trees, leaf.edges, leaf.vertices, run_);
    const RunContext part = run_.in_part(run_.part() + ", sum " + std::to_string(++leaves_));
    MatchingPlan plan = leaf.plan;
    if (part.work()) {
      const std::string mine = plan.in_integers ? "integers" : "residues";
      plan.in_integers = part.work()->decide(part.part() + ", numbers", mine) == "integers";
    }
    Sums sums;
    for (GaussianInteger& sum : sum_matchings(leaf.question, plan, leaf.edges, leaf.vertices, part))
      sums.push_back(std::move(sum.re));
    return sums;
  }

  Sums of_product(const Piece& piece) {
    std::vector<Sums> factors;
    for (const Piece& child : piece.children) factors.push_back(of(child));
    if (factors.empty()) return {piece.factor};
    // Neighbours meet, so that long sums meet long ones.
    for (; factors.size() > 1; factors.resize((factors.size() + 1) / 2)) {
      for (std::size_t i = 0; i < factors.size(); i += 2)
        factors[i / 2] = i + 1 < factors.size()
                             ? product({std::move(factors[i])}, {std::move(factors[i + 1])}, run_).terms
                             : std::move(factors[i]);
    }
    if (piece.factor != 1)
      for (Integer& sum : factors.front()) sum *= piece.factor;
    return std::move(factors.front());
  }

  Sums of_complement(const Piece& piece, const Sums& rest) const {
    Sums sums(most_pairs(piece) + std::size_t{1});
    for (std::size_t j = 0; j < rest.size(); ++j) {
      run_.check();
      Integer term = rest[j];
      std::uint64_t rows = piece.rows - (piece.symmetric ? 2 * j : j),
                    columns = piece.symmetric ? 0 : piece.columns - j;
      for (std::size_t k = j; k < sums.size(); ++k) {
        sums[k] += term;
        const std::uint64_t m = k - j;
        term *= piece.symmetric ? (rows - 2 * m) * (rows - 2 * m - 1) : (rows - m) * (columns - m);
        term *= piece.numerator;
        term /= (piece.symmetric ? 2 : 1) * (m + 1);
      }
    }
    Integer power = 1;
    for (Integer& sum : sums) {
      sum /= power;
      power *= piece.denominator;
    }
    return sums;
  }

  const RunContext& run_;
  std::size_t leaves_ = 0;
};

}  // namespace

std::vector<std::vector<Vertex>> components_of(const Cells& cells) {
  const Vertex first_column = cells.first_column();
  std::vector<Vertex> parent(std::size_t{first_column} + cells.columns);
  std::iota(parent.begin(), parent.end(), Vertex{0});
  const auto root_of = [&](Vertex line) {
    while (parent[line] != line) line = parent[line] = parent[parent[line]];
    return line;
  };
  cells.for_each([&](Vertex row, Vertex column, std::size_t) {
    const Vertex a = root_of(row), b = root_of(first_column + column);
    parent[std::max(a, b)] = std::min(a, b);
  });
  std::vector<std::vector<Vertex>> all(parent.size()), components;
  for (Vertex line = 0; line < parent.size(); ++line) all[root_of(line)].push_back(line);
  for (auto& lines : all)
    if (!lines.empty()) components.push_back(std::move(lines));
  return components;
}

Rational ratio_of(const Cells& cells, std::size_t cell) {
  const auto row = static_cast<Vertex>(std::ranges::upper_bound(cells.begin, cell) - cells.begin.begin() - 1);
  return {cells.entry(cell), cells.row_factor(row) * cells.column_factor(cells.column[cell])};
}

Cells rest_of(const Cells& cells, std::size_t cell, const RunContext& run) {
  const Rational c = ratio_of(cells, cell);
  const bool has_factors = !cells.of_row.empty();
  Cells rest{.symmetric = cells.symmetric,
             .rows = cells.rows,
             .columns = cells.columns,
             .of_row = cells.of_row,
             .of_column = cells.of_column};
  Integer value, taken = numerator(c);
  for (Vertex row = 0; row < cells.rows; ++row) {
    if (row % 64 == 0) run.check();
    rest.begin.push_back(rest.column.size());
    std::size_t at = cells.begin[row];
    const std::size_t end = cells.begin[row + std::size_t{1}];
    const Integer of_row = numerator(c) * cells.row_factor(row);
    for (Vertex column = cells.symmetric ? row + 1 : 0; column < cells.columns; ++column) {
      const bool is_there = at < end && cells.column[at] == column;
      if (has_factors) taken = of_row * cells.column_factor(column);
      if (!is_there) {
        value = -taken;
      } else if (cells.value.empty() && !has_factors) {
        ++at;  // one less one
        continue;
      } else {
        value = denominator(c) * cells.entry(at++) - taken;
      }
      if (value.sign() == 0) continue;
      rest.column.push_back(column);
      rest.value.push_back(value);
    }
  }
  rest.begin.push_back(rest.column.size());
  return rest;
}

Piece take_apart(Cells cells, std::size_t cell, double useful_s, const RunContext& run) {
  Taking taking(cells, useful_s, run);
  Cells rest = rest_of(cells, cell, run);
  if (2 * static_cast<double>(rest.column.size()) >= cells.total() && components_of(rest).size() == 1)
    throw Unable("neither sparse nor in parts is what a matrix of rank one leaves of it");
  return taking.complement(cells, cell, std::move(rest));
}

static PieceCost leaf_cost(const Piece::Leaf& leaf) {
  if (leaf.trees.bags.empty()) return {leaf.plan.seconds, leaf.plan.memory_bytes, 1, leaf.plan.steps.max_width};
  return {seconds_by_size(leaf.trees), leaf.trees.by_size_bytes, 1, leaf.trees.width};
}

PieceCost cost_of(const Piece& piece) {
  if (piece.kind == Piece::Kind::leaf) return leaf_cost(*piece.leaf);
  PieceCost cost;
  const double pairs = most_pairs(piece);
  double alone = 0, left = 0;
  for (const Piece& child : piece.children) {
    const PieceCost more = cost_of(child);
    cost.seconds += more.seconds;
    cost.memory_bytes = std::max(cost.memory_bytes, more.memory_bytes);
    cost.sums += more.sums;
    cost.most_width = std::max(cost.most_width, more.most_width);
    left += most_pairs(child);
    alone += std::pow(most_pairs(child), 2);
  }
  const bool is_product = piece.kind == Piece::Kind::product;
  cost.seconds += complement_costs::integer_s * (is_product ? (left * left - alone) / 2 : 3 * pairs * left);
  cost.memory_bytes += pairs * (sizeof(Integer) + pairs);
  return cost;
}

std::vector<Integer> sums_by_pairs(Cells rest, const RunContext& run) {
  return Summing(run).of(Taking(rest, std::numeric_limits<double>::infinity(), run).product(std::move(rest)));
}

Integer sum_perfect(const Piece& root, const RunContext& run) {
  const Sums rest = Summing(run).of(root.children.front());
  const std::uint64_t pairs = most_pairs(root);
  Integer sum, power = 1;
  for (std::uint64_t j = 0; j <= pairs; ++j) {
    if (j > 0) {
      sum *= root.numerator * (root.symmetric ? 2 * (pairs - j) + 1 : pairs - j + 1);
      power *= root.denominator;
    }
    if (j < rest.size()) sum += rest[j];
  }
  return sum / power;
}

}  // namespace matchcount
