#include "permanent/ryser/cpu/ryser_program.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"

namespace matchcount::ryser_kernel {
namespace {

// Vector operations of a chunk: a few milliseconds, so that the time limit and the progress bar are served.
constexpr double log2_chunk_operations = 23;
constexpr double largest_exact = 0x1p50;  // see ryser_numbers.hpp

// The largest value that a product of rows can take, kept below largest_exact.
struct ExactBound {
  double common = 1, f0 = 1, f1 = 0;

  // Rounding can't hide an excess: products up to 2^53 are exact, and the check is monotone.
  bool add(double row_bound, double special_bound, bool special) {
    ExactBound next = *this;
    const double row = std::max(1.0, row_bound);
    if (special) {
      next.f1 = f1 * row + f0 * special_bound;
      next.f0 = f0 * row;
    } else {
      next.common = common * row;
    }
    if (next.common * std::max(next.f0, next.f1) > largest_exact) return false;
    *this = next;
    return true;
  }
};

// Roles of columns that are no bits.
constexpr std::uint32_t fixed = 1000, special = 1001;

// Lists by column the bit that it is, or its other role.
std::vector<std::uint32_t> roles_of(const RyserPlan& plan, Vertex n) {
  std::vector<std::uint32_t> role(n, fixed);
  for (std::uint32_t bit = 0; bit < plan.bit_column.size(); ++bit) role[plan.bit_column[bit]] = bit;
  if (plan.special_column != unmatched) role[plan.special_column] = special;
  role[plan.fixed_column] = fixed;
  return role;
}

// Chooses how many bits a chunk walks: enough work to be worth a task, and at least 32 tasks if there is work for them.
int walk_bits_of(const RyserPlan& plan, int components, int block_bits, int most_walk_bits) {
  const int free_bits = static_cast<int>(plan.bit_column.size()) - 3;
  const double log2_operations = std::log2(std::max(1.0, plan.operations_per_leaf) * components * components);
  const int walk_bits = std::clamp(static_cast<int>(log2_chunk_operations - log2_operations), block_bits, free_bits);
  return std::min(std::max(std::min(walk_bits, free_bits - 5), std::min(free_bits, 10)), most_walk_bits);
}

// Twice an entry: what its row's sum changes by when its bit is switched.
double twice(double value, double modulus) {
  const double result = 2 * value;
  return modulus > 0 && std::fabs(result) > modulus / 2 ? result - std::copysign(modulus, result) : result;
}

}  // namespace

// SlotRow is a row in a slot.
struct SlotRow {
  struct Entry {
    std::uint32_t role;
    EdgeId edge;
  };
  std::uint32_t index;
  std::uint32_t stage;  // the lowest bit that touches it; the number of bits where none does
  std::uint32_t mask;   // low bits that touch it
  bool special;         // has an entry in the special column
  std::uint32_t level;  // of its node; 0 in the block
  std::vector<Entry> entries;
};

// Splits products of rows so that they stay exact, where they have to be.
class ExactProducts {
 public:
  ExactProducts(const Coefficients& coefficients, bool has_special_column)
      : coefficients_(coefficients), bound_(has_special_column ? ExactBound{} : ExactBound{1, 0, 1}) {}

  // Takes a row into the product; where that might pass the bound, a new product begins with it and this is false.
  bool take(const SlotRow& row) { return take(row, bound_); }
  // The product so far goes into the residues.
  void close(Step& step) {
    step.close = closed_ ? Close::again : Close::first;
    closed_ = true;
    bound_ = {};
  }
  bool has_closed() const { return closed_; }
  // Says whether the rows from there on take fewer products if the one at hand is closed before them. That is more
  // expensive by one product of residues a leaf, unless it saves a segment.
  bool pays_to_close(const std::vector<SlotRow>& rows, std::size_t begin) const {
    return coefficients_.exact && count(rows, begin, {}) < count(rows, begin, bound_) - (closed_ ? 0 : 1);
  }

 private:
  bool take(const SlotRow& row, ExactBound& bound) const {
    if (!coefficients_.exact) return true;
    const double of_row = coefficients_.row_bound[row.index];
    const double of_special = row.special ? coefficients_.special_bound[row.index] : 0;
    if (bound.add(of_row, of_special, row.special)) return true;
    bound = {};
    bound.add(of_row, of_special, row.special);
    return false;
  }
  int count(const std::vector<SlotRow>& rows, std::size_t begin, ExactBound bound) const {
    int result = 1;
    for (std::size_t slot = begin; slot < rows.size(); ++slot) {
      if (!take(rows[slot], bound)) ++result;
    }
    return result;
  }

  const Coefficients& coefficients_;
  ExactBound bound_;
  bool closed_ = false;
};

namespace {

// Rows in the order of their slots. Nodes by falling level (all stages from walk_bits up are final for the whole
// chunk), then the block: common rows before special ones, wide cases first.
std::vector<SlotRow> rows_in_order(const BipartiteGraph& pattern, const RyserPlan& plan, int block_bits,
                                   int walk_bits) {
  const Vertex n = pattern.num_rows();
  const std::vector<std::uint32_t> role = roles_of(plan, n);
  const auto num_low = static_cast<std::uint32_t>(block_bits);
  std::vector<SlotRow> rows(n);
  for (Vertex row = 0; row < n; ++row) {
    SlotRow& r = rows[row];
    r = {row, static_cast<std::uint32_t>(plan.bit_column.size()), 0, false, 0, {}};
    const auto neighbours = plan.transposed ? pattern.column(row) : pattern.row(row);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const EdgeId edge = plan.transposed ? pattern.column_edges(row)[i] : pattern.row_begin(row) + i;
      const std::uint32_t what = role[neighbours[i]];
      r.entries.push_back({what, edge});
      if (what == special) r.special = true;
      if (what < special && what != fixed) {
        r.stage = std::min(r.stage, what);
        if (what < num_low) r.mask |= 1u << what;
      }
    }
    if (plan.variant == Method::ryser) {
      r.stage = 0;
      r.mask = (1u << block_bits) - 1;
    }
    // All that no low bit touches is multiplied anew at every block.
    if (plan.variant == Method::sparyser) r.stage = std::min(r.stage, num_low);
    r.level = std::min(static_cast<std::uint32_t>(walk_bits), r.stage < num_low ? 0 : r.stage);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const SlotRow& a, const SlotRow& b) {
    if (a.level != b.level) return a.level > b.level;
    if (a.special != b.special) return b.special;
    if (a.level > 0) return false;
    if (a.stage != b.stage) return a.stage > b.stage;
    return a.mask > b.mask;
  });
  return rows;
}

}  // namespace

BuiltProgram::BuiltProgram(const BipartiteGraph& pattern, const RyserPlan& plan, const Coefficients& coefficients,
                           int block_bits, int most_walk_bits)
    : num_bits_(static_cast<int>(plan.bit_column.size())),
      modulus_(coefficients.modulus),
      components_(coefficients.components) {
  if (num_bits_ - 3 < block_bits || pattern.num_rows() > max_rows)
    throw InputError("a plan of " + std::to_string(num_bits_) + " bits", "6 to 60 bits");
  const int walk_bits = walk_bits_of(plan, components_, block_bits, most_walk_bits);
  const std::vector<SlotRow> rows = rows_in_order(pattern, plan, block_bits, walk_bits);
  place_entries(rows, coefficients, block_bits);
  place_flips(rows, coefficients);

  ExactProducts products(coefficients, plan.special_column != unmatched);
  const std::uint32_t in_block = add_nodes(rows, static_cast<std::uint32_t>(walk_bits), products);
  if (products.pays_to_close(rows, in_block)) close_above_block(in_block, products);
  program_.closed_above = products.has_closed();
  add_segments(rows, in_block, products);
  if (!coefficients.floor.empty()) bound_tails(rows, coefficients);
  // Each row is multiplied in at a cost of at most three roundings, each group's product merged at three, and three
  // additions in the block's tree follow a last product.
  depth_ = 3 * static_cast<int>(rows.size() + groups_.size()) + 6;

  program_.rows = static_cast<int>(rows.size());
  program_.walk_bits = walk_bits;
  program_.has_special_column = plan.special_column != unmatched;
  program_.unit_special = coefficients.unit_special;
  program_.skip_zeros = coefficients.skip_zeros && plan.variant != Method::ryser;
  point_to_arrays();
}

void BuiltProgram::place_entries(const std::vector<SlotRow>& rows, const Coefficients& coefficients, int block_bits) {
  const std::size_t n = rows.size(), width = static_cast<std::size_t>(components_);
  const auto num_low = static_cast<std::size_t>(block_bits);
  base_.assign(n * width, 0);
  low_value_.assign(n * num_low * width, 0);
  special_.assign(n * width, 0);
  for (std::size_t slot = 0; slot < n; ++slot) {
    for (const SlotRow::Entry& entry : rows[slot].entries) {
      for (std::size_t c = 0; c < width; ++c) {
        const double value = coefficients.value[entry.edge * width + c];
        double& base = base_[slot * width + c];
        if (entry.role == special)
          special_[slot * width + c] = value;
        else if (entry.role == fixed)
          base += value;
        else
          base -= value;
        if (modulus_ > 0) base -= modulus_ * std::nearbyint(base / modulus_);
        if (entry.role < num_low) low_value_[(slot * num_low + entry.role) * width + c] = twice(value, modulus_);
      }
    }
    if (!coefficients.floor.empty()) floor_.push_back(coefficients.floor[rows[slot].index]);
  }
}

void BuiltProgram::place_flips(const std::vector<SlotRow>& rows, const Coefficients& coefficients) {
  const auto width = static_cast<std::size_t>(components_);
  std::vector<std::vector<std::pair<std::uint32_t, EdgeId>>> by_bit(static_cast<std::size_t>(num_bits_));
  for (std::uint32_t slot = 0; slot < rows.size(); ++slot) {
    for (const SlotRow::Entry& entry : rows[slot].entries) {
      if (entry.role < fixed) by_bit[entry.role].push_back({slot, entry.edge});
    }
  }
  for (const auto& list : by_bit) {
    flip_begin_.push_back(static_cast<std::uint32_t>(flip_slot_.size()));
    for (const auto& [slot, edge] : list) {
      flip_slot_.push_back(slot);
      for (std::size_t c = 0; c < width; ++c) {
        flip_value_.push_back(twice(coefficients.value[edge * width + c], modulus_));
      }
    }
  }
  flip_begin_.push_back(static_cast<std::uint32_t>(flip_slot_.size()));
}

std::uint32_t BuiltProgram::add_nodes(const std::vector<SlotRow>& rows, std::uint32_t walk_bits,
                                      ExactProducts& products) {
  std::uint32_t slot = 0, level = walk_bits;
  do {
    Node node{level, static_cast<std::uint32_t>(steps_.size()), 0, 0};
    Step step{slot, slot, slot, Close::no};
    for (; slot < rows.size() && rows[slot].level == level; ++slot) {
      if (!products.take(rows[slot])) {
        products.close(step);
        products.take(rows[slot]);
        steps_.push_back(step);
        step = {slot, slot, slot, Close::no};
      }
      step.end = slot + 1;
      if (!rows[slot].special) step.special_begin = slot + 1;
    }
    if (step.end > step.common_begin) steps_.push_back(step);
    node.step_end = static_cast<std::uint32_t>(steps_.size());
    nodes_.push_back(node);
    if (slot < rows.size()) level = rows[slot].level;
  } while (slot < rows.size() && level > 0);
  return slot;
}

void BuiltProgram::close_above_block(std::uint32_t in_block, ExactProducts& products) {
  if (nodes_.back().step_end == nodes_.back().step_begin || steps_.back().close != Close::no) {
    steps_.push_back({in_block, in_block, in_block, Close::no});
    nodes_.back().step_end = static_cast<std::uint32_t>(steps_.size());
  }
  products.close(steps_.back());
}

void BuiltProgram::add_segments(const std::vector<SlotRow>& rows, std::uint32_t in_block, ExactProducts& products) {
  Segment segment{0, 0, 0};
  const auto end_segment = [&] {
    segment.group_end = static_cast<std::uint32_t>(groups_.size());
    segment.special_begin = segment.group_end;
    while (segment.special_begin > segment.group_begin && groups_[segment.special_begin - 1].special)
      --segment.special_begin;
    segments_.push_back(segment);
    segment.group_begin = segment.group_end;
  };
  for (std::uint32_t slot = in_block; slot < rows.size(); ++slot) {
    const SlotRow& row = rows[slot];
    if (!products.take(row)) end_segment();
    const bool extends = groups_.size() > segment.group_begin && groups_.back().mask == row.mask &&
                         groups_.back().special == row.special;
    if (extends)
      groups_.back().end = slot + 1;
    else
      groups_.push_back({slot, slot + 1, row.mask, row.special});
  }
  end_segment();
  num_segments_ = static_cast<std::uint32_t>(segments_.size());
}

void BuiltProgram::bound_tails(const std::vector<SlotRow>& rows, const Coefficients& coefficients) {
  for (Node& node : nodes_) {
    node.tail = std::ldexp(1, static_cast<int>(node.level));
    for (std::uint32_t s = node.step_end == 0 ? 0 : steps_[node.step_end - 1].end; s < rows.size(); ++s) {
      node.tail *= std::max(coefficients.row_bound[rows[s].index], floor_[s]) * (1 + 0x1p-40);
    }
  }
}

void BuiltProgram::point_to_arrays() {
  program_.flip_begin = flip_begin_.data();
  program_.flip_slot = flip_slot_.data();
  program_.flip_value = flip_value_.data();
  program_.low_value = low_value_.data();
  program_.special = special_.data();
  program_.floor = floor_.data();
  program_.nodes = nodes_.data();
  program_.num_nodes = static_cast<std::uint32_t>(nodes_.size());
  program_.steps = steps_.data();
  program_.groups = groups_.data();
  program_.segments = segments_.data();
  program_.num_segments = num_segments_;
}

void BuiltProgram::set_primes(const std::uint64_t* primes, int count) {
  program_.num_primes = count;
  for (int k = 0; k < count; ++k) {
    program_.prime[k] = static_cast<double>(primes[k]);
    program_.inverse[k] = 1 / program_.prime[k];
  }
}

void BuiltProgram::sum_chunk(ChunkKernel kernel, std::uint64_t chunk, ChunkSum& sum) const {
  const auto width = static_cast<std::size_t>(components_);
  const auto rows = static_cast<std::size_t>(program_.rows);
  alignas(64) double start[max_rows * max_components * num_lanes];
  for (std::size_t i = 0; i < rows * width; ++i) {
    for (std::size_t lane = 0; lane < num_lanes; ++lane) start[i * num_lanes + lane] = base_[i];
  }
  const int lane_bit = num_bits_ - 3;
  for (int bit = program_.walk_bits; bit < num_bits_; ++bit) {
    for (std::uint32_t i = flip_begin_[bit]; i < flip_begin_[bit + 1]; ++i) {
      for (std::size_t lane = 0; lane < num_lanes; ++lane) {
        const bool on = bit < lane_bit ? chunk >> (bit - program_.walk_bits) & 1 : lane >> (bit - lane_bit) & 1;
        if (!on) continue;
        for (std::size_t c = 0; c < width; ++c) {
          double& x = start[(flip_slot_[i] * width + c) * num_lanes + lane];
          x += flip_value_[i * width + c];
          if (modulus_ > 0) x -= modulus_ * std::nearbyint(x / modulus_);
        }
      }
    }
  }
  kernel(program_, start, sum);
  for (unsigned lane = 0; lane < num_lanes; ++lane) {
    // Every bit that is off stands for a factor -1.
    if (((std::popcount(chunk) + std::popcount(lane) + num_bits_) & 1) == 0) continue;
    for (auto& component : sum.value) component[lane] = -component[lane];
    for (auto& residue : sum.residue) residue[lane] = -residue[lane];
  }
}

std::string_view name_of(Arithmetic arithmetic) {
  constexpr std::string_view names[num_arithmetics] = {"doubles",         "compensated doubles",    "double-doubles",
                                                       "complex doubles", "complex double-doubles", "residues",
                                                       "integers"};
  return names[static_cast<int>(arithmetic)];
}

Bytes sum_pieces(const Job& job, const RyserPlan& plan, const RunContext& run,
                 const std::function<Bytes(std::uint64_t piece)>& sum_piece) {
  // Fewer pieces are done before a team has started.
  constexpr std::uint64_t pieces_for_a_team = 8;
  const int num_threads =
      job.num_pieces < pieces_for_a_team
          ? 1
          : static_cast<int>(std::min(static_cast<std::uint64_t>(run.num_threads()), job.num_pieces));
  const double subsets = std::exp2(plan.bit_column.size());
  return sum_on_threads(num_threads, job, run, [&](std::uint64_t piece, double share_done) {
    run.report(to_string(plan.variant), subsets * share_done, subsets);
    return sum_piece(piece);
  });
}

}  // namespace matchcount::ryser_kernel
