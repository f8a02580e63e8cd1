// An expansion cancels only what the entries' signs cancel. Traces of powers for hafnians (Bjorklund, Gupt and Quesada
// 2019, doi:10.1145/3325111), in O(n^3 2^(n/2)), take less time in doubles, but what they add and subtract is larger
// than the hafnian of the magnitudes: of random matrices of 30 rows their proven error is 10^9 times as large.

#include "permanent/dense/expansion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/parallel.hpp"
#include "graph/large_pages.hpp"
#include "permanent/dense/levels.hpp"

namespace matchcount::dense {
namespace {

constexpr std::uint64_t blocks_between_checks = 60 * 272;  // whole groups of 2 x 2, 3, 4 and 5

// Chooses the columns that tell lanes apart: those whose multiplicities fill the eight best.
std::vector<std::size_t> choose_lane_columns(std::span<const std::uint32_t> multiplicity) {
  static const std::vector<std::vector<std::uint32_t>> radices = {{2, 2, 2}, {4, 2}, {8}, {7}, {3, 2}, {6},
                                                                  {5},       {2, 2}, {4}, {3}, {2}};
  for (const auto& wanted : radices) {
    std::vector<std::size_t> columns;
    for (const std::uint32_t radix : wanted) {
      for (std::size_t column = multiplicity.size(); column-- > 0;) {
        if (multiplicity[column] + 1 != radix || std::ranges::count(columns, column) > 0) continue;
        columns.push_back(column);
        break;
      }
    }
    if (columns.size() == wanted.size()) return columns;
  }
  return {};
}

}  // namespace

double* Lanes::resize(std::size_t doubles) {
  if (size_ < doubles + 16) memory_ = make_on_large_pages<double>(size_ = doubles + 16);
  void* begin = memory_.get() + 8;
  std::size_t room = (size_ - 8) * sizeof(double);
  begin_ = static_cast<double*>(std::align(64, doubles * sizeof(double), begin, room));
  std::fill(begin_ - 8, begin_, 0.0);
  return begin_;
}

double* Lanes::zeros(std::size_t doubles) {
  double* const begin = resize(doubles);
  std::fill(begin, begin + doubles, 0.0);
  return begin;
}

// ---- Columns.

double ColumnShape::states(std::span<const std::uint32_t> multiplicity) {
  return std::accumulate(multiplicity.begin(), multiplicity.end(), 1.0,
                         [](double product, std::uint32_t times) { return product * (times + 1.0); });
}

ColumnShape::ColumnShape(std::span<const std::uint32_t> multiplicity)
    : size_(std::accumulate(multiplicity.begin(), multiplicity.end(), std::size_t{0})),
      num_columns_(multiplicity.size()),
      lane_column_(choose_lane_columns(multiplicity)) {
  for (std::size_t column = 0; column < multiplicity.size(); ++column) {
    if (std::ranges::count(lane_column_, column) > 0) continue;
    digit_column_.push_back(column);
    radix_.push_back(multiplicity[column] + 1);
    stride_.push_back(num_blocks_);
    num_blocks_ *= multiplicity[column] + 1;
    largest_sum_ += multiplicity[column];
  }
  std::uint32_t num_lanes_used = 1;
  for (const std::size_t column : lane_column_) num_lanes_used *= multiplicity[column] + 1;
  for (std::uint32_t lane = 0; lane < num_lanes_used; ++lane) {
    Lane made;
    std::uint32_t stride = 1;
    for (const std::size_t column : lane_column_) {
      const std::uint32_t digit = lane / stride % (multiplicity[column] + 1);
      made.sum += digit;
      made.before.push_back(digit == 0 ? -1 : static_cast<std::int32_t>(lane - stride));
      stride *= multiplicity[column] + 1;
    }
    lanes_.push_back(std::move(made));
  }
  // Tiles: blocks with the same highest digits, a few hundred of them at least.
  tile_blocks_ = num_blocks_;
  for (std::size_t digit = radix_.size(); digit-- > 0 && num_blocks_ / tile_blocks_ < 256;)
    tile_blocks_ = stride_[digit];
}

// A product and a sum round once each; digits come in one by one, lanes in another sum, and what goes on between lanes
// has sums of three products at most seven times on the whole way.
double ColumnShape::roundings() const {
  double sums = 0;
  for (std::size_t sum = 0; sum <= largest_sum_; ++sum)
    sums += static_cast<double>(std::min(sum, radix_.size()) + lanes_.size());
  return 2 * sums + 30;
}

template <class T>
void ColumnShape::fill_tables(const T* entries, Scratch& scratch) const {
  constexpr std::size_t doubles = block_doubles<T>;
  const std::size_t num_digits = digit_column_.size();
  double* const steps = scratch.step.zeros((largest_sum_ + 1) * num_digits * doubles);
  double* const closes = scratch.close.zeros((largest_sum_ + 1) * lanes_.size() * doubles);
  T way[num_lanes];
  for (std::size_t sum = 0; sum <= largest_sum_; ++sum) {
    double* step = steps + sum * num_digits * doubles;
    for (std::size_t lane = 0; sum > 0 && lane < lanes_.size(); ++lane) {
      const T* row = entries + (sum + lanes_[lane].sum - 1) * num_columns_;
      for (std::size_t digit = 0; digit < num_digits; ++digit)
        Layout<T>::put(step + digit * doubles + lane, row[digit_column_[digit]], num_lanes);
    }
    for (std::size_t from = 0; from < lanes_.size(); ++from) {
      double* close = closes + (sum * lanes_.size() + from) * doubles;
      for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        way[lane] = lane == from ? T(1) : T(0);
        for (std::size_t j = 0; lane > from && j < lane_column_.size(); ++j) {
          const std::int32_t before = lanes_[lane].before[j];
          if (before < static_cast<std::int32_t>(from)) continue;
          const T& entry = entries[(sum + lanes_[lane].sum - 1) * num_columns_ + lane_column_[j]];
          way[lane] = way[lane] + way[before] * entry;
        }
        Layout<T>::put(close + lane, way[lane], num_lanes);
      }
    }
  }
}

// Groups tiles by the sum of their highest digits: tiles of the same sum do not read each other.
std::vector<std::vector<std::uint64_t>> ColumnShape::independent_tiles() const {
  std::vector<std::vector<std::uint64_t>> tiles;
  for (std::uint64_t first = 0; first < num_blocks_; first += tile_blocks_) {
    std::size_t sum = 0;
    for (std::size_t digit = 0; digit < radix_.size(); ++digit) {
      if (stride_[digit] >= tile_blocks_) sum += first / stride_[digit] % radix_[digit];
    }
    if (tiles.size() <= sum) tiles.resize(sum + 1);
    tiles[sum].push_back(first);
  }
  return tiles;
}

template <class T>
T ColumnShape::expand(const T* entries, Scratch& scratch, const RunContext& run, int num_threads) const {
  fill_tables(entries, scratch);
  double* const states = scratch.states.resize(num_blocks_ * block_doubles<T>);
  const expansion_kernel::Arithmetic& kernel = arithmetic_for<T>(run);
  const expansion_kernel::Columns columns{static_cast<int>(lanes_.size()),
                                          static_cast<int>(radix_.size()),
                                          radix_.data(),
                                          stride_.data(),
                                          scratch.step.data(),
                                          scratch.close.data()};
  if (num_blocks_ <= blocks_worth_threads) {
    kernel.expand(columns, states, 0, num_blocks_);
  } else {
    double done = 0;
    for (const std::vector<std::uint64_t>& tiles : independent_tiles()) {
      parallel_for_chunks(num_threads, tiles.size(), [&](std::uint64_t tile, int) {
        for (std::uint64_t begin = 0; begin < tile_blocks_; begin += blocks_between_checks) {
          run.check();
          kernel.expand(columns, states, tiles[tile] + begin, std::min(blocks_between_checks, tile_blocks_ - begin));
        }
      });
      done += static_cast<double>(tiles.size() * tile_blocks_);
      run.report("expansion", done, static_cast<double>(num_blocks_));
    }
  }
  return Layout<T>::get(states + (num_blocks_ - 1) * block_doubles<T> + lanes_.size() - 1, num_lanes);
}

template double ColumnShape::expand(const double*, Scratch&, const RunContext&, int) const;
template std::complex<double> ColumnShape::expand(const std::complex<double>*, Scratch&, const RunContext&, int) const;
template ComplexDoubleDouble ColumnShape::expand(const ComplexDoubleDouble*, Scratch&, const RunContext&, int) const;
template std::uint64_t ColumnShape::expand(const std::uint64_t*, Scratch&, const RunContext&, int) const;

// ---- Vertices.

const Binomials& binomials() {
  static const auto table = [] {
    Binomials made{};
    for (std::size_t n = 0; n <= max_digits; ++n) {
      for (std::size_t k = 0; k <= n; ++k) made[n][k] = k == 0 || k == n ? 1 : made[n - 1][k - 1] + made[n - 1][k];
    }
    return made;
  }();
  return table;
}

VertexShape::VertexShape(std::size_t n, bool loops)
    : n_(n), loops_(loops), bits_(static_cast<int>(n) - (loops ? 0 : 1)) {
  for (std::size_t level = 0, places = static_cast<std::size_t>(bits_ - 3);; ++level, --places) {
    std::vector<std::uint64_t>& first = first_.emplace_back(1, 0);
    for (std::size_t members = 0; members <= std::min(level, places); ++members)
      first.push_back(first.back() + binomials()[places][members]);
    if (places == 0) break;
  }
}

std::uint64_t VertexShape::num_blocks() const {
  std::uint64_t most = 0;
  for (const auto& first : first_) most = std::max(most, first.back());
  return most;
}

bool VertexShape::is_worth_threads(std::size_t matrices) const {
  constexpr std::uint64_t blocks_of_many = 1 << 12;
  return matrices == 1 ? num_blocks() > blocks_worth_threads : num_blocks() * matrices >= blocks_of_many;
}

double VertexShape::memory_bytes(int components) const {
  return 8.0 * components * num_lanes * 2 * static_cast<double>(num_blocks());
}

// A block's sum is over its bits, its lanes' three and what stays, or is matched already; that of all sets at last has
// eight products each.
double VertexShape::roundings() const {
  double sums = 12;
  for (int bit = 0; bit < bits_; ++bit) sums += std::min(bit, bit < 3 ? bit : bits_ - bit) + 5;
  return 2 * sums;
}

std::vector<VertexShape::Chunk> VertexShape::chunks_of(std::size_t level) const {
  std::vector<Chunk> chunks;
  const std::vector<std::uint64_t>& first = first_[level];
  for (std::size_t members = 0; members + 1 < first.size(); ++members) {
    const std::uint64_t blocks = first[members + 1] - first[members];
    for (std::uint64_t begin = 0; begin < blocks; begin += chunk_blocks)
      chunks.push_back({members, begin, std::min(chunk_blocks, blocks - begin)});
  }
  return chunks;
}

// Vertices that are matched already, by how many of those that tell blocks apart are among them.
template <class T>
void VertexShape::expand_levels(const Weights<T>& weights, const std::vector<double*>& levels, Scratch& scratch,
                                const RunContext& run, int num_threads) const {
  constexpr std::size_t doubles = block_doubles<T>;
  const expansion_kernel::Arithmetic& kernel = arithmetic_for<T>(run);
  std::fill_n(levels[0], doubles, 0.0);
  Layout<T>::put(levels[0], T(1), num_lanes);
  for (std::size_t level = 1; level < levels.size(); ++level) {
    run.check();
    const int top = bits_ - static_cast<int>(level);
    const auto places = static_cast<std::size_t>(top - 3);
    fill_vertex_tables<T>(weights, top, false, scratch);
    const std::vector<std::uint64_t>& before = first_[level - 1];
    const auto blocks_of = [&](std::size_t members, std::uint64_t skipped) {
      return members + 1 < before.size() ? levels[level - 1] + (before[members] + skipped) * doubles : nullptr;
    };
    const std::vector<Chunk> chunks = chunks_of(level);
    parallel_for_chunks(first_[level].back() <= blocks_worth_threads ? 1 : num_threads, chunks.size(),
                        [&](std::uint64_t index, int) {
                          const auto [members, begin, count] = chunks[index];
                          run.check();
                          kernel.leave({vertex_of<T>(places, members, scratch), blocks_of(members, 0),
                                        members > 0 ? blocks_of(members - 1, 0) : nullptr,
                                        blocks_of(members + 1, binomials()[places][members + 1])},
                                       levels[level] + first_[level][members] * doubles, begin, count);
                        });
  }
}

template <class T>
T VertexShape::expand(const T* entries, Scratch& scratch, const RunContext& run, int num_threads) const {
  const Weights<T> weights{entries, n_, bits_, loops_};
  std::vector<double*> levels(first_.size());
  for (Lanes& lanes : scratch.levels) lanes.resize(num_blocks() * block_doubles<T>);
  for (std::size_t level = 0; level < levels.size(); ++level) levels[level] = scratch.levels[level % 2].data();
  expand_levels<T>(weights, levels, scratch, run, num_threads);
  T first_sets[num_lanes];
  sum_first_sets<T>(weights, first_sets);
  return sum_of_last<T>(levels.back(), first_sets);
}

template double VertexShape::expand(const double*, Scratch&, const RunContext&, int) const;
template std::complex<double> VertexShape::expand(const std::complex<double>*, Scratch&, const RunContext&, int) const;
template std::uint64_t VertexShape::expand(const std::uint64_t*, Scratch&, const RunContext&, int) const;
template void VertexShape::expand_levels(const Weights<double>&, const std::vector<double*>&, Scratch&,
                                         const RunContext&, int) const;
template void VertexShape::expand_levels(const Weights<std::complex<double>>&, const std::vector<double*>&, Scratch&,
                                         const RunContext&, int) const;

}  // namespace matchcount::dense
