#include "permanent/ryser/exact_cells.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "permanent/ryser/subsets.hpp"

namespace matchcount::subsets {
namespace {

bool is_power_of_two(const Integer& value) { return value > 0 && (value & (value - 1)) == 0; }

Integer remainder(const Integer& value, const Integer& modulus) {
  Integer result = value % modulus;
  if (result < 0) result += modulus;
  return result;
}

Integer integer_of(const Bytes& record) {
  return from_magnitude(std::span(reinterpret_cast<const std::uint8_t*>(record.data()), record.size()));
}

std::string to_text(const Cells& cells) {
  std::ostringstream text;
  text << (cells.transposed ? "rows" : "columns") << " special "
       << (cells.special_column == unmatched ? "none" : std::to_string(cells.special_column)) << " fixed "
       << cells.fixed_column << " within";
  for (const Vertex column : cells.within) text << ' ' << column;
  text << " across";
  for (const Vertex column : cells.across) text << ' ' << column;
  text << " modulo " << to_decimal(cells.modulus);
  return text.str();
}

// Reads cells; nothing if the text has none.
std::optional<Cells> from_text(const std::string& text) {
  std::istringstream in(text);
  // The columns behind this word; nothing where another stands there.
  const auto columns = [&](const char* name) {
    std::optional<std::vector<Vertex>> found;
    if (std::string word; in >> word && word == name) found.emplace();
    for (Vertex column = 0; found && in >> column;) found->push_back(column);
    if (found) in.clear();
    return found;
  };
  std::string side, word, modulus;
  in >> side;
  const auto special = columns("special");
  if (!special || special->size() > 1 || (special->empty() && !(in >> word && word == "none"))) return std::nullopt;
  const auto fixed = columns("fixed"), within = columns("within"), across = columns("across");
  if ((side != "rows" && side != "columns") || !fixed || fixed->size() != 1 || !within || !across ||
      !(in >> word >> modulus) || word != "modulo" || modulus.find_first_not_of("0123456789") != modulus.npos ||
      in >> word)
    return std::nullopt;
  return Cells{side == "rows",  special->empty() ? unmatched : special->front(), fixed->front(), *within, *across,
               Integer(modulus)};
}

// Says whether an integer of at most 2^log2_bound is known from 2^num_bits times it modulo this.
bool determines(const Integer& modulus, int num_bits, double log2_bound) {
  if (is_power_of_two(modulus)) return log2_abs(modulus) > log2_bound + num_bits + 1;
  return modulus.is_odd() && log2_abs(modulus) > log2_bound + 1;
}

}  // namespace

Cells cells_of(const RyserPlan& plan, int cell_bits, const Integer& modulus) {
  const auto border = plan.bit_column.begin() + cell_bits;
  return {plan.transposed,
          plan.special_column,
          plan.fixed_column,
          {plan.bit_column.begin(), border},
          {border, plan.bit_column.end()},
          modulus};
}

Cells agreed_cells(const BipartiteGraph& pattern, double log2_bound, const RunContext& run,
                   const std::function<Cells()>& propose) {
  if (!run.work()) return propose();
  const std::string name = run.part() + ", cells";
  auto text = run.work()->decided(name);
  if (!text) text = run.work()->decide(name, to_text(propose()));
  const std::optional<Cells> cells = from_text(*text);
  const auto refuse = [&] {
    throw InputError("subsets cut as " + *text, "what inclusion-exclusion on " + run.part() + " can go on with");
  };
  if (!cells) refuse();
  RyserPlan plan;
  plan.special_column = cells->special_column;
  plan.fixed_column = cells->fixed_column;
  plan.bit_column = cells->within;
  plan.bit_column.insert(plan.bit_column.end(), cells->across.begin(), cells->across.end());
  require_plan(pattern, plan);
  if (cells->cell_bits() < std::min(smallest_cell, cells->num_bits()) ||
      !determines(cells->modulus, cells->num_bits(), log2_bound))
    refuse();
  return *cells;
}

RyserPlan arranged(const RyserPlan& mine, const Cells& cells) {
  RyserPlan plan = mine;
  plan.transposed = cells.transposed;
  plan.special_column = cells.special_column;
  plan.fixed_column = cells.fixed_column;
  plan.bit_column = cells.within;
  if (mine.transposed == cells.transposed) {
    const auto place = [&](Vertex column) {
      return std::find(mine.bit_column.begin(), mine.bit_column.end(), column) - mine.bit_column.begin();
    };
    std::stable_sort(plan.bit_column.begin(), plan.bit_column.end(),
                     [&](Vertex a, Vertex b) { return place(a) < place(b); });
  }
  plan.bit_column.insert(plan.bit_column.end(), cells.across.begin(), cells.across.end());
  return plan;
}

double log2_cell_bound(const Block<std::int64_t>& block, const Cells& cells) {
  std::vector<double> sum(block.pattern.num_rows(), 0);
  const std::vector<Edge> edges = block.pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id)
    sum[cells.transposed ? edges[id].column : edges[id].row] += std::fabs(static_cast<double>(block.entries[id]));
  double log2_bound = cells.cell_bits();
  for (const double row : sum) log2_bound += std::log2(std::max(row, 1.0)) + 1e-9;
  return log2_bound;
}

Job cells_job(const Cells& cells, const RunContext& run) {
  Hash hash;
  hash.add_text(to_text(cells));
  Job job;
  job.name = run.part();
  job.description =
      "exact sums over cells of 2^" + std::to_string(cells.cell_bits()) + " subsets, " + hash.hex().substr(0, 16);
  job.num_pieces = cells.num_cells();
  job.merge = [modulus = cells.modulus](const Bytes& earlier, const Bytes& later) {
    return cell_record(integer_of(earlier) + integer_of(later), modulus);
  };
  return job;
}

Bytes cell_record(const Integer& sum, const Integer& modulus) {
  const std::vector<std::uint8_t> bytes = magnitude_bytes(remainder(sum, modulus));
  const auto record = std::as_bytes(std::span(bytes));
  return {record.begin(), record.end()};
}

Integer permanent_of(const Bytes& total, const Cells& cells, double log2_bound) {
  const Integer& modulus = cells.modulus;
  const auto bits = static_cast<unsigned>(cells.num_bits());
  const auto balanced = [&](Integer value) { return 2 * value > modulus ? Integer(value - modulus) : value; };
  Integer result = integer_of(total);
  if (is_power_of_two(modulus)) {
    result = balanced(result);
    const Integer quotient = result >> bits;
    if (Integer(quotient << bits) != result)
      throw DeviceError("a sum over " + std::to_string(bits) + " bits came back that 2^" + std::to_string(bits) +
                        " does not divide: a device computes wrongly");
    result = quotient;
  } else {
    const Integer half = powm(Integer((modulus + 1) / 2), bits, modulus);
    result = balanced(remainder(result * half, modulus));
  }
  if (result != 0 && log2_abs(result) > log2_bound + 1e-6)
    throw DeviceError("sums came back of an integer above 2^" + std::to_string(log2_bound) +
                      ", which bounds the permanent: a device computes wrongly");
  return result;
}

}  // namespace matchcount::subsets
