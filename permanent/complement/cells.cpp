// The ratio of two rows of u v^T + S is that of u in most columns where S is sparse, so that a majority vote (Boyer and
// Moore 1981) over the columns tells it. Votes compare residues modulo a prime, or doubles: a wrong vote costs sparsity
// and nothing else, since S is what is left of the exact entries.

#include "permanent/complement/cells.hpp"

#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "core/numbers/residue.hpp"
#include "permanent/as_held.hpp"

namespace matchcount {
namespace {

constexpr int base_rows = 3;

struct ResidueField {
  std::uint64_t operator()(std::int64_t value) const { return residue_of(value, mersenne_61); }
  static std::uint64_t times(std::uint64_t a, std::uint64_t b) { return multiply_mod_mersenne_61(a, b); }
  static std::uint64_t inverse(std::uint64_t a) { return a == 0 ? 0 : inverse_mod(a, mersenne_61); }
  static bool equal(std::uint64_t a, std::uint64_t b) { return a == b; }
};
struct DoubleField {
  double operator()(const RealEntry& entry) const { return entry.value.hi; }
  static double times(double a, double b) { return a * b; }
  static double inverse(double a) { return a == 0 ? 0 : 1 / a; }
  static bool equal(double a, double b) { return std::fabs(a - b) <= 1e-12 * std::fabs(a); }
};

template <class Field, class Number>
struct Vote {
  Number value{};
  std::size_t cell = 0;
  Vertex other = 0;  // line of the cell
  std::size_t count = 0;
  void add(Number number, std::size_t of_cell, Vertex line) {
    if (number == Number{}) return;
    if (count == 0) *this = {number, of_cell, line, 0};
    Field::equal(value, number) ? ++count : --count;
  }
};

// Ratios tell where the factors of lines are read off, and how many cells they explain.
struct Ratios {
  bool are_one = true;
  std::vector<std::optional<std::pair<std::size_t, std::size_t>>> of_row;  // cells: row's over base row's
  std::vector<std::optional<std::pair<std::size_t, Vertex>>> of_column;    // a cell and its row
  std::size_t cell = 0;
  double agreeing = 0;
};

template <class Field, class Entry>
class Finder {
  using Number = std::decay_t<std::invoke_result_t<Field, Entry>>;
  using VoteOf = Vote<Field, Number>;

 public:
  Finder(const Cells& cells, const std::vector<Entry>& entries) : cells_(cells) {
    numbers_.reserve(entries.size());
    for (const Entry& entry : entries) numbers_.push_back(Field{}(entry));
  }

  std::optional<Ratios> find() {
    const double total = cells_.total();
    Ratios constant;
    settle(constant, {}, {});
    if (2 * constant.agreeing > total) return constant;
    if (2 * static_cast<double>(numbers_.size()) > total) {
      for (int i = 0; i < base_rows; ++i) {
        Ratios found =
            ratios_to(static_cast<Vertex>(std::size_t{cells_.rows} * static_cast<std::size_t>(i) / base_rows));
        if (2 * found.agreeing > total) return found;
      }
    }
    if (4 * constant.agreeing >= total) return constant;
    return std::nullopt;
  }

 private:
  Ratios ratios_to(Vertex base) {
    std::vector<std::optional<std::size_t>> base_cell(cells_.columns);
    std::vector<Number> base_inverse(cells_.columns);
    cells_.for_each([&](Vertex row, Vertex column, std::size_t cell) {
      const bool is_turned = cells_.symmetric && column == base;
      if (row != base && !is_turned) return;
      base_cell[is_turned ? row : column] = cell;
      base_inverse[is_turned ? row : column] = Field::inverse(numbers_[cell]);
    });
    std::vector<VoteOf> rows(cells_.rows);
    const auto vote = [&](Vertex row, Vertex column, std::size_t cell) {
      if (base_cell[column] && base_inverse[column] != Number{})
        rows[row].add(Field::times(numbers_[cell], base_inverse[column]), cell, column);
    };
    cells_.for_each([&](Vertex row, Vertex column, std::size_t cell) {
      vote(row, column, cell);
      if (cells_.symmetric) vote(column, row, cell);
    });
    Ratios result;
    result.are_one = false;
    result.of_row.resize(cells_.rows);
    std::vector<Number> row_inverse(cells_.rows, Number(1)), column_inverse;
    for (Vertex row = 0; row < cells_.rows; ++row) {
      if (row == base || rows[row].count == 0) continue;
      result.of_row[row] = {rows[row].cell, *base_cell[rows[row].other]};
      row_inverse[row] = Field::inverse(rows[row].value);
    }
    if (!cells_.symmetric) {
      std::vector<VoteOf> columns(cells_.columns);
      cells_.for_each([&](Vertex row, Vertex column, std::size_t cell) {
        columns[column].add(Field::times(numbers_[cell], row_inverse[row]), cell, row);
      });
      for (const VoteOf& found : columns) {
        result.of_column.emplace_back();
        column_inverse.push_back(Number(1));
        if (found.count == 0) continue;
        result.of_column.back() = {found.cell, found.other};
        column_inverse.back() = Field::inverse(found.value);
      }
    }
    settle(result, row_inverse, column_inverse);
    return result;
  }

  // Fills in the cell that most others agree with.
  void settle(Ratios& ratios, std::span<const Number> row_inverse, std::span<const Number> column_inverse) {
    const std::span<const Number> columns = cells_.symmetric ? row_inverse : column_inverse;
    const auto scaled = [&](Vertex row, Vertex column, std::size_t cell) {
      if (ratios.are_one) return numbers_[cell];
      return Field::times(Field::times(numbers_[cell], row_inverse[row]), columns[column]);
    };
    VoteOf all;
    cells_.for_each(
        [&](Vertex row, Vertex column, std::size_t cell) { all.add(scaled(row, column, cell), cell, row); });
    ratios.cell = all.cell;
    std::size_t agreeing = 0;
    if (all.count == 0) return;
    cells_.for_each([&](Vertex row, Vertex column, std::size_t cell) {
      agreeing += Field::equal(all.value, scaled(row, column, cell));
    });
    ratios.agreeing = static_cast<double>(agreeing);
  }

  const Cells& cells_;
  std::vector<Number> numbers_;
};

Cells cells_of(const BipartiteGraph& pattern) {
  Cells cells{.rows = pattern.num_rows(), .columns = pattern.num_columns()};
  cells.column.reserve(pattern.num_edges());
  for (Vertex row = 0; row < cells.rows; ++row) {
    cells.begin.push_back(pattern.row_begin(row));
    cells.column.insert(cells.column.end(), pattern.row(row).begin(), pattern.row(row).end());
  }
  cells.begin.push_back(pattern.num_edges());
  return cells;
}
Cells cells_of(const UndirectedGraph& pattern) {
  Cells cells{.symmetric = true, .rows = pattern.num_vertices(), .columns = pattern.num_vertices()};
  cells.column.reserve(pattern.num_edges());
  for (const Edge& edge : pattern.edges()) {
    while (cells.begin.size() <= edge.row) cells.begin.push_back(cells.column.size());
    cells.column.push_back(edge.column);
  }
  cells.begin.resize(cells.rows + std::size_t{1}, cells.column.size());
  return cells;
}

// Multiplies lines until their factors are integers.
void scale_lines(const Ratios& ratios, NearRankOne& result) {
  Cells& cells = result.cells;
  const std::vector<Integer>& value = cells.value;
  std::vector<Rational> rows(cells.rows, Rational(1)), columns;
  for (Vertex row = 0; row < cells.rows; ++row)
    if (const auto& found = ratios.of_row[row]) rows[row] = Rational(value[found->first], value[found->second]);
  for (const auto& found : ratios.of_column)
    columns.push_back(found ? Rational(value[found->first]) / rows[found->second] : Rational(1));
  const std::vector<Rational>& of_column = cells.symmetric ? rows : columns;
  cells.for_each([&](Vertex row, Vertex column, std::size_t cell) {
    cells.value[cell] *= denominator(rows[row]) * denominator(of_column[column]);
  });
  for (const std::vector<Rational>* lines : {&rows, &columns})
    for (const Rational& line : *lines) result.divisor *= denominator(line);
  for (const Rational& line : rows) cells.of_row.push_back(numerator(line));
  for (const Rational& line : columns) cells.of_column.push_back(numerator(line));
}

}  // namespace

std::optional<NearRankOne> near_rank_one(const AnyBlock& block, const RunContext& run) {
  NearRankOne result;
  const auto ratios = std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) -> std::optional<Ratios> {
        if constexpr (std::is_same_v<Entry, ComplexEntry>) {
          return std::nullopt;
        } else {
          result.cells = cells_of(given->pattern);
          using Field = std::conditional_t<std::is_same_v<Entry, RealEntry>, DoubleField, ResidueField>;
          return Finder<Field, Entry>(result.cells, given->entries).find();
        }
      },
      block);
  run.check();
  if (!ratios) return std::nullopt;
  EntriesAsHeld held = *entries_as_held(block);
  result.cell = ratios->cell;
  result.exponent = held.exponent;
  const bool are_ones = std::ranges::all_of(held.entries, [](const Integer& entry) { return entry == 1; });
  if (are_ones) return result;  // reals that are powers of two of their lines too
  result.cells.value = std::move(held.entries);
  if (!ratios->are_one) scale_lines(*ratios, result);
  return result;
}

}  // namespace matchcount
