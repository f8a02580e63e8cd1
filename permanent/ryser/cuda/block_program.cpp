// Tables save work: in a matrix of density d a row is touched by few of the block's b bits, so that of its 2^b leaves
// only 2^(d b) differ for it. Products of rows with the same bits are built row after row for four settings at a time:
// the chains are independent, and the compiler needs few registers for them.

#include "permanent/ryser/cuda/block_program.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "core/error.hpp"

namespace matchcount::gpu {
namespace {

// Products of integers stay within 31 bits and a sign as long as they can.
constexpr double narrow_bits = 30.999;
constexpr double wide_bits = 62.999;

int words_of(double bits) { return static_cast<int>((bits + 1.001) / 32) + 1; }

int registers_of(const Factor& factor, const Numbers& numbers) {
  const int value = (numbers.exact() ? std::min(words_of(factor.bits), numbers.words) : 2 * numbers.components()) *
                    (factor.pair ? 2 : 1);
  return value + (factor.size >= 0 ? 2 : 0);
}

double log2_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return a + std::log2(1 + std::exp2(b - a));
}

int append(std::vector<Operation>& operations, const Operation& operation) {
  operations.push_back(operation);
  return static_cast<int>(operations.size()) - 1;
}

// Prices a product of integers: multiplications of words, with what carries cost.
double multiply_cost(double a, double b) {
  if (a + b < narrow_bits) return 1;
  if (a < narrow_bits && b < narrow_bits) return 2;
  if (a + b < wide_bits) return 4;
  const double words = words_of(a) * words_of(b);
  return 3 * words + 2 * (words_of(a) + words_of(b));
}

struct FieldCosts {
  double flip, multiply, add;
};
FieldCosts field_costs(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::double_double:
      return {8, 9, 20};
    case Arithmetic::complex:
      return {2, 4, 2};
    case Arithmetic::complex_double:
      return {16, 76, 40};
    default:
      return {1, 1, 1};
  }
}

}  // namespace

double operation_cost(const Operation& operation, const Numbers& numbers) {
  using Kind = Operation::Kind;
  if (numbers.exact()) {
    // Products are counted where the widths of their factors are known, in Builder::build.
    const bool adds = operation.kind == Kind::flipped || operation.kind == Kind::subtract;
    return adds ? 0.75 * words_of(operation.bits) * (operation.pair ? 2 : 1) : 0;
  }
  const FieldCosts costs = field_costs(numbers.arithmetic);
  // One multiplication and addition is one instruction where a number is one double.
  const bool fused = numbers.components() == 1;
  switch (operation.kind) {
    case Kind::flipped:
      return costs.flip;
    case Kind::row_sum:
      return numbers.components() > 1 ? costs.flip / 2 : 0;
    case Kind::multiply:
      return costs.multiply;
    case Kind::subtract:
      return costs.add * (operation.pair ? 2 : 1);
    case Kind::pair_start:
      return numbers.ends ? 2 : 0;
    case Kind::pair_row:
      if (numbers.unit_special) return fused ? 2 : 2 * (costs.multiply + costs.add);
      return fused ? 4 : 2 * (2 * costs.multiply + costs.add);
    case Kind::pair_scale:
      return 2 * costs.multiply;
    case Kind::pair_multiply:
      return numbers.ends ? 2 : fused ? 4 : 4 * costs.multiply + 2 * costs.add;
    case Kind::size:
      return operation.pair ? 1 : 0.3;
    default:
      return operation.pair ? 1 : 0.2;
  }
}

int append_size(std::vector<Operation>& operations, Factor& factor) {
  if (factor.size >= 0) return factor.size;
  const std::uint64_t rows = factor.pair ? 0 : factor.rows;
  factor.scaled |= rows;
  factor.rows = 0;
  return factor.size =
             append(operations, {.kind = Operation::Kind::size, .a = factor.value, .pair = factor.pair, .rows = rows});
}

Factor append_product(std::vector<Operation>& operations, Factor a, Factor b, const Numbers& numbers) {
  if (b.pair && !a.pair) std::swap(a, b);
  Factor result{.pair = a.pair, .bits = a.bits + b.bits};
  if (!numbers.exact()) {
    // Without floors the magnitude of a product is its absolute value, and so it is of pairs of special rows; what
    // needs a floor gets it before it is multiplied.
    const bool unsized =
        a.size < 0 && b.size < 0 &&
        (!numbers.floors || (a.pair && b.pair) || (!a.pair && std::popcount(a.rows | b.rows) <= numbers.floor_rows));
    if (!unsized) {
      const int of_a = append_size(operations, a), of_b = append_size(operations, b);
      result.size = append(operations, {.kind = Operation::Kind::size_multiply, .a = of_a, .b = of_b, .pair = a.pair});
    }
    result.rows = a.rows | b.rows;
    result.scaled = a.scaled | b.scaled;
  }
  const auto kind = b.pair   ? Operation::Kind::pair_multiply
                    : a.pair ? Operation::Kind::pair_scale
                             : Operation::Kind::multiply;
  result.value = append(operations, {.kind = kind, .a = a.value, .b = b.value, .pair = a.pair, .bits = result.bits});
  return result;
}

Factor append_product(std::vector<Operation>& operations, std::vector<Factor> factors, const Numbers& numbers) {
  // Integers: the two narrowest first. Others: in the order given, pairs last.
  const auto narrower = [&](const Factor& a, const Factor& b) {
    if (a.pair != b.pair) return b.pair;
    return numbers.exact() && a.bits < b.bits;
  };
  std::stable_sort(factors.begin(), factors.end(), narrower);
  while (factors.size() > 1) {
    // A scalar and a pair wait until each is the last of its kind.
    const auto first = factors.begin() + (factors[0].pair != factors[1].pair && factors.size() > 2 ? 1 : 0);
    const Factor product = append_product(operations, first[0], first[1], numbers);
    factors.erase(first, first + 2);
    const auto place = numbers.exact() ? std::upper_bound(factors.begin(), factors.end(), product, narrower)
                                       : std::find_if(factors.begin(), factors.end(), [&](const Factor& f) {
                                           return f.pair == product.pair || f.pair;
                                         });
    factors.insert(place, product);
  }
  return factors.front();
}

class Builder {
 public:
  Builder(const std::vector<WalkRow>& rows, int inner_bits, const Numbers& numbers)
      : rows_(rows), inner_bits_(inner_bits), numbers_(numbers) {}

  BlockProgram build() {
    std::vector<std::vector<Table>> waiting(static_cast<std::size_t>(inner_bits_));
    BlockProgram program;
    for (int bit = 0; bit < inner_bits_; ++bit) {
      for (const Table& table : waiting[bit]) pending_registers_ -= registers_of_tables({table});
      const bool touched =
          std::any_of(rows_.begin(), rows_.end(), [&](const WalkRow& row) { return row.stage == bit; });
      if (!touched && waiting[bit].empty()) {
        throw InputError("a column without entries", "a matrix with entries in every row and column");
      }
      Table result = eliminate(bit, std::move(waiting[bit]));
      if (result.scope == 0) {
        program.results_.push_back(result.entries[0]);
      } else {
        pending_registers_ += registers_of_tables({result});
        waiting[static_cast<std::size_t>(std::countr_zero(result.scope))].push_back(std::move(result));
      }
    }
    const auto pairs = std::stable_partition(program.results_.begin(), program.results_.end(),
                                             [](const Factor& factor) { return !factor.pair; });
    if (program.results_.end() - pairs > 1) {
      Factor product = append_product(operations_, {pairs, program.results_.end()}, numbers_);
      program.results_.erase(pairs, program.results_.end());
      program.results_.push_back(std::move(product));
    }
    program.operations_ = std::move(operations_);
    for (const Operation& operation : program.operations_) program.cost_ += operation_cost(operation, numbers_);
    if (numbers_.exact()) {
      for (const Operation& operation : program.operations_) {
        const auto bits = [&](int i) { return program.operations_[static_cast<std::size_t>(i)].bits; };
        using Kind = Operation::Kind;
        const double row = operation.kind == Kind::pair_row ? bits(operation.b) : 0;
        if (operation.kind == Kind::multiply) program.cost_ += multiply_cost(bits(operation.a), bits(operation.b));
        if (operation.kind == Kind::pair_row) program.cost_ += 2 * multiply_cost(bits(operation.a), row);
        if (operation.kind == Kind::pair_scale)
          program.cost_ += 2 * multiply_cost(bits(operation.a), bits(operation.b));
        if (operation.kind == Kind::pair_multiply)
          program.cost_ += 3 * multiply_cost(bits(operation.a), bits(operation.b));
      }
    }
    program.live_registers_ = live_registers_;
    return program;
  }

  // Returns the product of rows for each of the settings, as factors that are to be multiplied; row after row, so that
  // the settings' chains run side by side.
  std::vector<std::vector<Factor>> chains(const std::vector<int>& rows, const std::vector<std::uint32_t>& settings) {
    std::vector<std::vector<Factor>> factors(settings.size());
    for (const int row : rows) {
      const WalkRow& r = rows_[row];
      const bool pair = r.special && numbers_.has_pairs();
      const double bits = pair ? log2_add(r.bits, r.special_bits) : r.bits;
      Known known;
      for (std::size_t i = 0; i < settings.size(); ++i) {
        const int x = row_value(row, settings[i], known);
        auto& list = factors[i];
        const bool extends =
            !list.empty() && list.back().pair == pair &&
            (numbers_.exact() ? list.back().bits + bits < narrow_bits
                              : pair || !numbers_.floors || std::popcount(list.back().rows) < numbers_.floor_rows);
        if (!extends) {
          list.push_back({.value = x, .pair = pair, .bits = bits});
          if (pair) {
            list.back().value = append(
                operations_, {.kind = Operation::Kind::pair_start, .a = x, .row = row, .pair = true, .bits = bits});
          } else if (!numbers_.exact()) {
            list.back().rows = std::uint64_t{1} << row;
          }
          continue;
        }
        Factor& factor = list.back();
        factor.bits += bits;
        factor.value = append(operations_, {.kind = pair ? Operation::Kind::pair_row : Operation::Kind::multiply,
                                            .a = factor.value,
                                            .b = x,
                                            .row = row,
                                            .pair = pair,
                                            .bits = factor.bits});
        if (!pair && !numbers_.exact()) factor.rows |= std::uint64_t{1} << row;
      }
    }
    return factors;
  }

  std::vector<Operation>& operations() { return operations_; }

 private:
  // Values over the settings of the bits in `scope`, packed in their order.
  struct Table {
    std::uint32_t scope = 0;
    std::vector<Factor> entries;
  };

  static std::uint32_t packed(std::uint32_t setting, std::uint32_t scope) {
    std::uint32_t result = 0;
    for (int out = 0; scope != 0; scope &= scope - 1, ++out) {
      if (setting & scope & -scope) result |= 1u << out;
    }
    return result;
  }
  static std::uint32_t unpacked(std::uint32_t index, std::uint32_t scope) {
    std::uint32_t result = 0;
    for (; scope != 0; scope &= scope - 1, index >>= 1) {
      if (index & 1) result |= scope & -scope;
    }
    return result;
  }
  const Factor& at(const Table& table, std::uint32_t setting) const {
    return table.entries[packed(setting, table.scope)];
  }
  static std::uint32_t low_two(std::uint32_t mask) {
    const std::uint32_t rest = mask & (mask - 1);
    return mask & ~(rest & (rest - 1));
  }

  // Values of one row, by the bits that are on.
  struct Known {
    std::uint32_t subset[4];
    int value[4];
    int size = 0;
    int find(std::uint32_t wanted) const {
      for (int i = 0; i < size; ++i) {
        if (subset[i] == wanted) return value[i];
      }
      return -1;
    }
  };

  // Row sums in two doubles are kept unnormalised, so that values of theirs start from the sum itself.
  int row_value(int row, std::uint32_t setting, Known& known) {
    const std::uint32_t subset = setting & rows_[row].mask;
    if (const int found = known.find(subset); found >= 0) return found;
    Operation operation{.row = row, .subset = subset, .bits = rows_[row].bits};
    if (subset != 0) {
      operation.kind = Operation::Kind::flipped;
      const std::uint32_t low = subset & -subset;
      const int nearest = known.find(subset & ~low);
      if (nearest >= 0 && subset != low && numbers_.arithmetic != Arithmetic::double_double &&
          numbers_.arithmetic != Arithmetic::complex_double) {
        operation.a = nearest;
        operation.subset = low;
      }
    }
    const int value = append(operations_, operation);
    known.subset[known.size] = subset;
    known.value[known.size++] = value;
    return value;
  }

  Table group_table(const std::vector<int>& rows, std::uint32_t scope) {
    Table table{scope, std::vector<Factor>(std::size_t{1} << std::popcount(scope))};
    const std::uint32_t low = low_two(scope), high = scope & ~low;
    for (std::uint32_t h = 0; h < 1u << std::popcount(high); ++h) {
      std::vector<std::uint32_t> settings;
      for (std::uint32_t l = 0; l < 1u << std::popcount(low); ++l)
        settings.push_back(unpacked(h, high) | unpacked(l, low));
      const auto products = chains(rows, settings);
      for (std::size_t i = 0; i < settings.size(); ++i)
        table.entries[packed(settings[i], scope)] = append_product(operations_, products[i], numbers_);
    }
    return table;
  }

  Table merged(const Table& a, const Table& b) {
    Table table{a.scope | b.scope, {}};
    for (std::uint32_t i = 0; i < 1u << std::popcount(table.scope); ++i) {
      const std::uint32_t setting = unpacked(i, table.scope);
      table.entries.push_back(append_product(operations_, at(a, setting), at(b, setting), numbers_));
    }
    return table;
  }

  // Tables that fit into a smaller one than the bit's own are multiplied there: 2^|union| products instead of
  // 2^|scope|. A pair and a scalar count as two products either way.
  void merge_tables(std::vector<Table>& tables, std::uint32_t scope) {
    for (;;) {
      std::size_t best_a = 0, best_b = 0;
      int best = std::popcount(scope);
      for (std::size_t a = 0; a < tables.size(); ++a) {
        for (std::size_t b = a + 1; b < tables.size(); ++b) {
          if (tables[a].entries[0].pair != tables[b].entries[0].pair) continue;
          const int size = std::popcount(tables[a].scope | tables[b].scope);
          if (size < best) {
            best = size;
            best_a = a;
            best_b = b;
          }
        }
      }
      if (best == std::popcount(scope)) return;
      Table product = merged(tables[best_a], tables[best_b]);
      tables.erase(tables.begin() + static_cast<std::ptrdiff_t>(best_b));
      tables[best_a] = std::move(product);
    }
  }

  Table eliminate(int bit, std::vector<Table> tables) {
    const std::uint32_t own = 1u << bit;
    std::uint32_t scope = own;
    std::map<std::uint32_t, std::vector<int>> groups[2];
    for (int row = 0; row < static_cast<int>(rows_.size()); ++row) {
      if (rows_[row].stage != bit) continue;
      scope |= rows_[row].mask;
      groups[rows_[row].special && numbers_.has_pairs() ? 1 : 0][rows_[row].mask].push_back(row);
    }
    for (const Table& table : tables) scope |= table.scope;
    std::vector<int> direct;
    for (auto& kind : groups) {
      for (const auto& [mask, rows] : kind) {
        if (mask == scope)
          direct.insert(direct.end(), rows.begin(), rows.end());
        else
          tables.push_back(group_table(rows, mask));
      }
    }
    merge_tables(tables, scope);

    Table result{scope & ~own, std::vector<Factor>(std::size_t{1} << (std::popcount(scope) - 1))};
    const std::uint32_t low = low_two(scope), high = scope & ~low;
    for (std::uint32_t h = 0; h < 1u << std::popcount(high); ++h) {
      std::vector<std::uint32_t> settings;
      for (std::uint32_t l = 0; l < 1u << std::popcount(low); ++l)
        settings.push_back(unpacked(h, high) | unpacked(l, low));
      auto factors = chains(direct, settings);
      std::vector<Factor> terms(settings.size());
      for (std::size_t i = 0; i < settings.size(); ++i) {
        for (const Table& table : tables) factors[i].push_back(at(table, settings[i]));
        terms[i] = append_product(operations_, std::move(factors[i]), numbers_);
      }
      // The bit is the lowest of the scope: settings come in pairs, off before on; on counts with +.
      for (std::size_t i = 0; i < settings.size(); i += 2) {
        Factor sum{.pair = terms[i].pair, .bits = log2_add(terms[i].bits, terms[i + 1].bits)};
        sum.value = append(operations_, {.kind = Operation::Kind::subtract,
                                         .a = terms[i + 1].value,
                                         .b = terms[i].value,
                                         .pair = sum.pair,
                                         .bits = sum.bits});
        if (!numbers_.exact()) {
          const int off = append_size(operations_, terms[i]), on = append_size(operations_, terms[i + 1]);
          sum.scaled = terms[i].scaled;
          sum.size = append(operations_, {.kind = Operation::Kind::size_add, .a = off, .b = on, .pair = sum.pair});
        }
        result.entries[packed(settings[i], result.scope)] = std::move(sum);
      }
    }
    live_registers_ =
        std::max(live_registers_, pending_registers_ + registers_of_tables(tables) + registers_of_tables({result}) +
                                      4 * registers_of(result.entries[0], numbers_));
    return result;
  }

  int registers_of_tables(const std::vector<Table>& tables) const {
    int registers = 0;
    for (const Table& table : tables) {
      for (const Factor& entry : table.entries) registers += registers_of(entry, numbers_);
    }
    return registers;
  }

  const std::vector<WalkRow>& rows_;
  const int inner_bits_;
  const Numbers numbers_;
  std::vector<Operation> operations_;
  int pending_registers_ = 0;  // of tables that wait for their bit
  int live_registers_ = 0;
};

BlockProgram::BlockProgram(const std::vector<WalkRow>& rows, int inner_bits, const Numbers& numbers) {
  *this = Builder(rows, inner_bits, numbers).build();
}

std::vector<Factor> BlockProgram::append_products(std::vector<Operation>& operations, const std::vector<WalkRow>& all,
                                                  const std::vector<int>& rows, const Numbers& numbers) {
  Builder builder(all, 0, numbers);
  std::swap(builder.operations(), operations);
  auto factors = builder.chains(rows, {0});
  std::swap(builder.operations(), operations);
  return factors.front();
}

}  // namespace matchcount::gpu
