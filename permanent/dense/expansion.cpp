// An expansion cancels only what the entries' signs cancel. Traces of powers for hafnians (Bjorklund, Gupt and Quesada
// 2019, doi:10.1145/3325111), in O(n^3 2^(n/2)), take less time in doubles, but what they add and subtract is larger
// than the hafnian of the magnitudes: of random matrices of 30 rows their proven error is 10^9 times as large.

#include "permanent/dense/expansion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/numbers/pair.hpp"
#include "core/parallel.hpp"
#include "graph/large_pages.hpp"

namespace matchcount::dense {
namespace {

using expansion_kernel::max_digits;
using expansion_kernel::num_lanes;

// A walk has some dozens of places where threads wait for each other, and where others use the machine too a wait is as
// long as a turn of theirs: below some milliseconds of work one thread is faster.
constexpr std::uint64_t blocks_worth_threads = 1 << 17;
constexpr std::uint64_t blocks_between_checks = 60 * 272;  // whole groups of 2 x 2, 3, 4 and 5

template <class T>
struct Layout {
  static constexpr std::size_t components = 1;
  static void put(double* to, T value, std::size_t) { *to = std::bit_cast<double>(value); }
  static T get(const double* from, std::size_t) { return std::bit_cast<T>(*from); }
  static const expansion_kernel::Arithmetic& arithmetic(const expansion_kernel::Kernels& kernels) {
    if constexpr (std::is_same_v<T, double>) {
      return kernels.real;
    } else {
      return kernels.word;
    }
  }
};
template <>
struct Layout<std::complex<double>> {
  static constexpr std::size_t components = 2;
  static void put(double* to, std::complex<double> value, std::size_t stride) {
    to[0] = value.real();
    to[stride] = value.imag();
  }
  static std::complex<double> get(const double* from, std::size_t stride) { return {from[0], from[stride]}; }
  static const expansion_kernel::Arithmetic& arithmetic(const expansion_kernel::Kernels& kernels) {
    return kernels.complex;
  }
};
template <>
struct Layout<ComplexDoubleDouble> {
  static constexpr std::size_t components = 4;
  static void put(double* to, ComplexDoubleDouble value, std::size_t stride) {
    to[0] = value.re.hi;
    to[stride] = value.re.lo;
    to[2 * stride] = value.im.hi;
    to[3 * stride] = value.im.lo;
  }
  static ComplexDoubleDouble get(const double* from, std::size_t stride) {
    return {DoubleDouble(from[0], from[stride]), DoubleDouble(from[2 * stride], from[3 * stride])};
  }
  static const expansion_kernel::Arithmetic& arithmetic(const expansion_kernel::Kernels& kernels) {
    return kernels.extended;
  }
};
template <class T>
constexpr std::size_t block_doubles = Layout<T>::components* num_lanes;

template <class T>
const expansion_kernel::Arithmetic& arithmetic_for(const RunContext& run) {
  return Layout<T>::arithmetic(kernels_for<expansion_kernel::Kernels>(run.options().max_isa));
}

// Sums many numbers of any sign without losing what two doubles hold.
template <class T>
struct Total {
  T sum{};
  void add(T value) { sum += value; }
  T result() const { return sum; }
};
template <>
struct Total<double> {
  DoubleDouble sum;
  void add(double value) { sum = sum + DoubleDouble(value); }
  double result() const { return sum.hi; }
};
template <>
struct Total<std::complex<double>> {
  Total<double> re, im;
  void add(std::complex<double> value) {
    re.add(value.real());
    im.add(value.imag());
  }
  std::complex<double> result() const { return {re.result(), im.result()}; }
};

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

namespace {

constexpr std::uint64_t chunk_blocks = 1 << 10, sets_worth_threads = 1 << 14;

const std::array<std::uint64_t[max_digits + 1], max_digits + 1>& binomials() {
  static const auto table = [] {
    std::array<std::uint64_t[max_digits + 1], max_digits + 1> made{};
    for (std::size_t n = 0; n <= max_digits; ++n) {
      for (std::size_t k = 0; k <= n; ++k) made[n][k] = k == 0 || k == n ? 1 : made[n - 1][k - 1] + made[n - 1][k];
    }
    return made;
  }();
  return table;
}

// Blocks of sets, without their three lowest bits, once so many of the vertices have been matched.
double blocks_after(int bits, int vertices) {
  const int places = bits - vertices - 3;
  double blocks = 0;
  for (int members = 0; members <= std::min(vertices, places); ++members)
    blocks += static_cast<double>(binomials()[static_cast<std::size_t>(places)][static_cast<std::size_t>(members)]);
  return blocks;
}

// Measured: a block of eight sets takes as long as so many products, at two of which the sum at last counts.
double work(int bits, int array_bits) {
  double work = 0;
  for (int i = 1; i <= bits - array_bits; ++i) work += blocks_after(bits, i) * (6 + std::min(i, (bits - i) / 2));
  return work + std::ldexp(12 + 0.5 * array_bits, array_bits - 3);
}

constexpr int largest_array_bits = 25;

}  // namespace

VertexShape::VertexShape(std::size_t n, bool loops)
    : n_(n), loops_(loops), bits_(static_cast<int>(n) - (loops ? 0 : 1)), array_bits_(std::min(bits_, 3)) {
  for (int candidate = array_bits_; candidate <= std::min(bits_, largest_array_bits); ++candidate) {
    if (work(bits_, candidate) < work(bits_, array_bits_)) array_bits_ = candidate;
  }
}

std::size_t VertexShape::most_left() const {
  double blocks = 0;
  for (int i = 0; i <= bits_ - array_bits_; ++i) blocks = std::max(blocks, blocks_after(bits_, i));
  return static_cast<std::size_t>(blocks);
}

double VertexShape::memory_bytes(int components) const {
  return 8.0 * components * num_lanes * static_cast<double>(num_blocks() + 2 * most_left());
}

// A block's sum is over its bits, its lanes' three and what stays, or is matched already; that of all sets at last has
// eight products each.
double VertexShape::roundings() const {
  double sums = 12;
  for (int bit = 0; bit < bits_; ++bit) sums += std::min(bit, bit < array_bits_ ? bit : bits_ - bit) + 5;
  return 2 * sums;
}

// Weights by bit of a set's number. The last vertex has none if there are no loops: it is in a set of an odd number of
// others if vertices are to be matched among themselves. The highest bit is the first vertex.
template <class T>
struct VertexShape::Weights {
  const T* entries;
  std::size_t n;
  int bits;
  bool loops;

  T between(int a, int b) const { return entries[vertex(a) * n + vertex(b)]; }
  // Returns the factor if vertex a leaves the set below as it is: a loop, or the last vertex.
  T staying(int a, int members) const {
    if (loops) return entries[vertex(a) * n + vertex(a)];
    return members % 2 == 0 ? entries[vertex(a) * n + n - 1] : T(0);
  }

 private:
  std::size_t vertex(int bit) const { return static_cast<std::size_t>(bits - 1 - bit); }
};

namespace {

// f(x) of the first eight sets, lane by lane.
template <class T, class Weights>
void first_block(const Weights& weights, double* states) {
  T value[num_lanes];
  value[0] = T(1);
  for (unsigned set = 1; set < num_lanes; ++set) {
    const int top = std::bit_width(set) - 1;
    const unsigned below = set ^ (1u << top);
    value[set] = weights.staying(top, std::popcount(below)) * value[below];
    for (int j = 0; j < top; ++j) {
      if (below >> j & 1) value[set] += weights.between(top, j) * value[below ^ (1u << j)];
    }
  }
  for (unsigned set = 0; set < num_lanes; ++set) Layout<T>::put(states + set, value[set], num_lanes);
}

// `members` has the parity of the members of the sets below `top` in lane 0 of block 0.
template <class T, class Weights>
void fill_vertex_tables(const Weights& weights, int top, int members, Scratch& scratch) {
  constexpr std::size_t components = Layout<T>::components;
  double* const step = scratch.step.zeros(static_cast<std::size_t>(top) * components);
  double* to = scratch.close.zeros(2 * 4 * block_doubles<T>);
  for (int bit = 3; bit < top; ++bit)
    Layout<T>::put(step + static_cast<std::size_t>(bit - 3) * components, weights.between(top, bit), 1);
  for (int parity = 0; parity < 2; ++parity) {
    for (int lane = 0; lane < num_lanes; ++lane)
      Layout<T>::put(to + lane, weights.staying(top, members + parity + std::popcount(static_cast<unsigned>(lane))),
                     num_lanes);
    for (int j = 0; j < 3; ++j) {
      to += block_doubles<T>;
      for (int lane = 0; lane < num_lanes; ++lane)
        if ((lane >> j & 1) != 0) Layout<T>::put(to + lane, weights.between(top, j), num_lanes);
    }
    to += block_doubles<T>;
  }
}

}  // namespace

template <class T>
T VertexShape::expand(const T* entries, Scratch& scratch, const RunContext& run, int num_threads) const {
  constexpr std::size_t doubles = block_doubles<T>;
  const Weights<T> weights{entries, n_, bits_, loops_};
  double* const states = scratch.states.resize(num_blocks() * doubles);
  const expansion_kernel::Arithmetic& kernel = arithmetic_for<T>(run);
  first_block<T>(weights, states);
  for (int top = 3; top < array_bits_; ++top) {
    fill_vertex_tables<T>(weights, top, 0, scratch);
    const expansion_kernel::Vertices vertices{top - 3, scratch.step.data(), scratch.close.data()};
    const std::uint64_t blocks = std::uint64_t{1} << (top - 3);
    if (blocks <= sets_worth_threads) {
      kernel.extend(vertices, states, 0, blocks);
      continue;
    }
    parallel_for_chunks(num_threads, blocks / chunk_blocks, [&](std::uint64_t index, int) {
      run.check();
      kernel.extend(vertices, states, index * chunk_blocks, chunk_blocks);
    });
    run.report("expansion", static_cast<double>(blocks), static_cast<double>(num_blocks()));
  }
  // Vertices that are matched already, by how many of those that tell blocks apart are among them.
  const auto& choose = binomials();
  std::vector<std::uint64_t> first{0, 1};
  for (Lanes& lanes : scratch.left) lanes.resize(most_left() * doubles);
  double* left = scratch.left[0].zeros(doubles);
  Layout<T>::put(left, T(1), num_lanes);
  for (int top = bits_ - 1; top >= array_bits_; --top) {
    run.check();
    fill_vertex_tables<T>(weights, top, top, scratch);
    const auto places = static_cast<std::size_t>(top - 3), before = first.size() - 1;
    std::vector<std::uint64_t> next{0};
    for (std::size_t members = 0; members <= std::min(before, places); ++members)
      next.push_back(next.back() + choose[places][members]);
    double* const to = scratch.left[(bits_ - top) % 2].resize(next.back() * doubles);
    std::vector<std::pair<std::size_t, std::uint64_t>> chunks;
    for (std::size_t members = 0; members + 1 < next.size(); ++members) {
      for (std::uint64_t begin = 0; begin < choose[places][members]; begin += chunk_blocks)
        chunks.emplace_back(members, begin);
    }
    const auto blocks_of = [&](std::size_t members, std::uint64_t skipped) {
      return members < before ? left + (first[members] + skipped) * doubles : nullptr;
    };
    parallel_for_chunks(next.back() <= sets_worth_threads ? 1 : num_threads, chunks.size(), [&](std::uint64_t i, int) {
      const auto [members, begin] = chunks[i];
      run.check();
      kernel.leave({{top - 3, scratch.step.data(), scratch.close.data()},
                    static_cast<int>(members),
                    blocks_of(members, 0),
                    members > 0 ? blocks_of(members - 1, 0) : nullptr,
                    blocks_of(members + 1, choose[places][members + 1]),
                    choose.data()},
                   to + next[members] * doubles, begin, std::min(chunk_blocks, choose[places][members] - begin));
    });
    first = std::move(next);
    left = to;
  }
  Total<T> total;
  const std::uint64_t all = num_blocks() - 1;
  for (std::size_t members = 0; members + 1 < first.size(); ++members) {
    std::uint64_t set = (std::uint64_t{1} << members) - 1;
    for (std::uint64_t block = first[members]; block < first[members + 1]; ++block) {
      const double *here = left + block * doubles, *rest = states + (all ^ set) * doubles + num_lanes - 1;
      T sum = 0;
      for (int lane = 0; lane < num_lanes; ++lane)
        sum += Layout<T>::get(here + lane, num_lanes) * Layout<T>::get(rest - lane, num_lanes);
      total.add(sum);
      const std::uint64_t lowest = set & -set, ripple = set + lowest;
      if (set != 0) set = ripple | ((set ^ ripple) >> (2 + std::countr_zero(lowest)));
    }
  }
  return total.result();
}

template double VertexShape::expand(const double*, Scratch&, const RunContext&, int) const;
template std::complex<double> VertexShape::expand(const std::complex<double>*, Scratch&, const RunContext&, int) const;
template std::uint64_t VertexShape::expand(const std::uint64_t*, Scratch&, const RunContext&, int) const;

}  // namespace matchcount::dense
