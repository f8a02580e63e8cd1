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
constexpr double largest_exact = 0x1p50;  // see ryser_kernel.cpp

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

struct Row {
  std::uint32_t index;
  std::uint32_t stage;  // the lowest bit that touches it; the number of bits where none does
  std::uint32_t mask;   // low bits that touch it
  bool special;
};

}  // namespace

const Kernels& kernels_for(Isa max_isa) {
#ifdef MATCHCOUNT_ISA_X86
  const Isa isa = std::min(max_isa, detected_isa());
  if (isa == Isa::avx512) return avx512::kernels;
  if (isa == Isa::avx2) return avx2::kernels;
#else
  (void)max_isa;
#endif
  return baseline::kernels;
}

BuiltProgram::BuiltProgram(const BipartiteGraph& pattern, const RyserPlan& plan, const Coefficients& coefficients,
                           int block_bits, int most_walk_bits)
    : num_bits_(static_cast<int>(plan.bit_column.size())),
      modulus_(coefficients.modulus),
      components_(coefficients.components) {
  const auto n = pattern.num_rows();
  const auto width = static_cast<std::size_t>(components_);
  constexpr std::uint32_t fixed = 1000, special = 1001;  // roles of columns that are no bits
  std::vector<std::uint32_t> role(n, fixed);
  for (std::uint32_t bit = 0; bit < plan.bit_column.size(); ++bit) role[plan.bit_column[bit]] = bit;
  if (plan.special_column != unmatched) role[plan.special_column] = special;
  role[plan.fixed_column] = fixed;

  // How many bits a chunk walks: enough work to be worth a task, and at least 32 tasks where there is work for them.
  const int free_bits = num_bits_ - 3;
  const double log2_operations = std::log2(std::max(1.0, plan.operations_per_leaf) * components_ * components_);
  int walk_bits = std::clamp(static_cast<int>(log2_chunk_operations - log2_operations), block_bits, free_bits);
  walk_bits = std::min(std::max(std::min(walk_bits, free_bits - 5), std::min(free_bits, 10)), most_walk_bits);
  if (free_bits < block_bits || n > max_rows)
    throw InputError("a plan of " + std::to_string(num_bits_) + " bits", "6 to 60 bits");

  // Rows and their entries by role.
  const bool unstaged = plan.variant == RyserVariant::ryser;
  std::vector<Row> rows(n);
  struct Entry {
    std::uint32_t role;
    EdgeId edge;
  };
  std::vector<std::vector<Entry>> entries(n);
  for (Vertex row = 0; row < n; ++row) {
    Row& r = rows[row];
    r = {row, static_cast<std::uint32_t>(num_bits_), 0, false};
    const auto neighbours = plan.transposed ? pattern.column(row) : pattern.row(row);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const EdgeId edge = plan.transposed ? pattern.column_edges(row)[i] : pattern.row_begin(row) + i;
      const std::uint32_t what = role[neighbours[i]];
      entries[row].push_back({what, edge});
      if (what == special) r.special = true;
      if (what < special && what != fixed) {
        r.stage = std::min(r.stage, what);
        if (what < static_cast<std::uint32_t>(block_bits)) r.mask |= 1u << what;
      }
    }
    if (unstaged) {
      r.stage = 0;
      r.mask = (1u << block_bits) - 1;
    }
  }
  // Nodes by falling level (all stages from walk_bits up are final for the whole chunk), then the block: common rows
  // before special ones, wide cases first.
  auto level_of = [&](const Row& r) {
    return std::min(static_cast<std::uint32_t>(walk_bits),
                    r.stage < static_cast<std::uint32_t>(block_bits) ? 0 : r.stage);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    if (level_of(a) != level_of(b)) return level_of(a) > level_of(b);
    if (a.special != b.special) return b.special;
    if (level_of(a) > 0) return false;
    if (a.stage != b.stage) return a.stage > b.stage;
    return a.mask > b.mask;
  });
  const std::size_t in_block = static_cast<std::size_t>(
      std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return level_of(r) == 0; }) - rows.begin());

  // Slots.
  std::vector<std::vector<std::pair<std::uint32_t, EdgeId>>> by_bit(static_cast<std::size_t>(num_bits_));
  base_.assign(n * width, 0);
  low_value_.assign(n * static_cast<std::size_t>(block_bits) * width, 0);
  special_.assign(n * width, 0);
  for (std::uint32_t slot = 0; slot < n; ++slot) {
    for (const Entry& entry : entries[rows[slot].index]) {
      for (std::size_t c = 0; c < width; ++c) {
        const double value = coefficients.value[entry.edge * width + c];
        double twice = 2 * value;
        if (modulus_ > 0 && std::fabs(twice) > modulus_ / 2) twice -= std::copysign(modulus_, twice);
        double& base = base_[slot * width + c];
        if (entry.role == special)
          special_[slot * width + c] = value;
        else if (entry.role == fixed)
          base += value;
        else
          base -= value;
        if (modulus_ > 0) base -= modulus_ * std::nearbyint(base / modulus_);
        if (entry.role < static_cast<std::uint32_t>(block_bits)) {
          low_value_[(slot * static_cast<std::size_t>(block_bits) + entry.role) * width + c] = twice;
        }
      }
      if (entry.role < fixed) by_bit[entry.role].push_back({slot, entry.edge});
    }
  }
  for (const auto& list : by_bit) {
    flip_begin_.push_back(static_cast<std::uint32_t>(flip_slot_.size()));
    for (const auto& [slot, edge] : list) {
      flip_slot_.push_back(slot);
      for (std::size_t c = 0; c < width; ++c) {
        double twice = 2 * coefficients.value[edge * width + c];
        if (modulus_ > 0 && std::fabs(twice) > modulus_ / 2) twice -= std::copysign(modulus_, twice);
        flip_value_.push_back(twice);
      }
    }
  }
  flip_begin_.push_back(static_cast<std::uint32_t>(flip_slot_.size()));
  if (!coefficients.floor.empty()) {
    for (const Row& r : rows) floor_.push_back(coefficients.floor[r.index]);
  }

  // Nodes and their steps.
  ExactBound bound;
  if (plan.special_column == unmatched) bound = {1, 0, 1};
  bool closed = false;
  auto fits = [&](ExactBound& b, const Row& r) {
    return !coefficients.exact ||
           b.add(coefficients.row_bound[r.index], r.special ? coefficients.special_bound[r.index] : 0, r.special);
  };
  auto close_step = [&](Step& step) {
    step.close = closed ? Close::again : Close::first;
    closed = true;
    bound = {};
  };
  std::uint32_t slot = 0;
  auto add_node = [&](std::uint32_t level, std::uint32_t end) {
    Node node{level, static_cast<std::uint32_t>(steps_.size()), 0, 0};
    Step step{slot, slot, slot, Close::no};
    for (; slot < end; ++slot) {
      const Row& r = rows[slot];
      if (!fits(bound, r)) {
        close_step(step);
        steps_.push_back(step);
        step = {slot, slot, slot, Close::no};
        fits(bound, r);
      }
      step.end = slot + 1;
      if (!r.special) step.special_begin = slot + 1;
    }
    if (step.end > step.common_begin) steps_.push_back(step);
    node.step_end = static_cast<std::uint32_t>(steps_.size());
    nodes_.push_back(node);
  };
  auto level_end = [&](std::uint32_t level) {
    std::uint32_t end = slot;
    while (end < in_block && level_of(rows[end]) == level) ++end;
    return end;
  };
  add_node(static_cast<std::uint32_t>(walk_bits), level_end(static_cast<std::uint32_t>(walk_bits)));
  while (slot < in_block) {
    const std::uint32_t level = level_of(rows[slot]);
    add_node(level, level_end(level));
  }

  // Segments of the block. Closing above the block is dearer by one product of residues a leaf, unless it saves a
  // segment.
  auto count_segments = [&](ExactBound b) {
    int count = 1;
    for (std::size_t s = in_block; s < n; ++s) {
      if (!fits(b, rows[s])) {
        ++count;
        b = {};
        fits(b, rows[s]);
      }
    }
    return count;
  };
  if (coefficients.exact && count_segments({}) < count_segments(bound) - (closed ? 0 : 1)) {
    if (nodes_.back().step_end == nodes_.back().step_begin || steps_.back().close != Close::no) {
      steps_.push_back({slot, slot, slot, Close::no});
      nodes_.back().step_end = static_cast<std::uint32_t>(steps_.size());
    }
    close_step(steps_.back());
  }
  program_.closed_above = closed;
  Segment segment{0, 0, 0};
  auto end_segment = [&] {
    segment.group_end = static_cast<std::uint32_t>(groups_.size());
    segment.special_begin = segment.group_end;
    while (segment.special_begin > segment.group_begin && groups_[segment.special_begin - 1].special)
      --segment.special_begin;
    segments_.push_back(segment);
    segment.group_begin = segment.group_end;
  };
  for (; slot < n; ++slot) {
    const Row& r = rows[slot];
    if (!fits(bound, r)) {
      end_segment();
      bound = {};
      fits(bound, r);
    }
    const bool extends =
        groups_.size() > segment.group_begin && groups_.back().mask == r.mask && groups_.back().special == r.special;
    if (extends)
      groups_.back().end = slot + 1;
    else
      groups_.push_back({slot, slot + 1, r.mask, r.special});
  }
  end_segment();
  num_segments_ = static_cast<std::uint32_t>(segments_.size());

  if (!coefficients.floor.empty()) {
    for (Node& node : nodes_) {
      node.tail = std::ldexp(1, static_cast<int>(node.level));
      for (std::uint32_t s = node.step_end == 0 ? 0 : steps_[node.step_end - 1].end; s < n; ++s) {
        node.tail *= std::max(coefficients.row_bound[rows[s].index], floor_[s]) * (1 + 0x1p-40);
      }
    }
  }
  // Each row is multiplied in at a cost of at most three roundings, each run's product merged at three, and three
  // additions in the block's tree follow a last product.
  depth_ = 3 * static_cast<int>(n + groups_.size()) + 6;

  program_.rows = static_cast<int>(n);
  program_.walk_bits = walk_bits;
  program_.has_special_column = plan.special_column != unmatched;
  program_.unit_special = coefficients.unit_special;
  program_.skip_zeros = coefficients.skip_zeros && plan.variant != RyserVariant::ryser;
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

Bytes sum_pieces(const Job& job, const RunContext& run, const std::function<Bytes(std::uint64_t piece)>& sum_piece) {
  const auto num_threads = static_cast<int>(std::min(static_cast<std::uint64_t>(run.num_threads()), job.num_pieces));
  Work here;
  const CompletedRanges ledger = (run.work() ? run.work() : &here)->run(job, [&](Pieces& pieces) {
    parallel_until(num_threads, [&](int) {
      const auto piece = pieces.take();
      if (!piece) return false;
      pieces.give(*piece, sum_piece(*piece));
      run.report("ryser", pieces.share_done(), 1);
      return true;
    });
  });
  return total_of(ledger);
}

}  // namespace matchcount::ryser_kernel
