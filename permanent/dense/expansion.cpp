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

constexpr std::uint64_t chunk_blocks = 1 << 10;
// Products that a factor gains are added up over so many blocks one by one, then such sums.
constexpr std::uint64_t blocks_of_sum = 1 << 7;

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

// The sums for the first eight sets, lane by lane.
template <class T, class Weights>
void sum_first_sets(const Weights& weights, T* value) {
  value[0] = T(1);
  for (unsigned set = 1; set < num_lanes; ++set) {
    const int top = std::bit_width(set) - 1;
    const unsigned below = set ^ (1u << top);
    value[set] = weights.staying(top, std::popcount(below)) * value[below];
    for (int j = 0; j < top; ++j) {
      if (below >> j & 1) value[set] += weights.between(top, j) * value[below ^ (1u << j)];
    }
  }
}

// Adds the derivatives by weights among the last three vertices, from those by the sums for sets of them.
template <class T, class Weights>
void derive_first_sets(const Weights& weights, const T* value, T* by_value, T* derivatives) {
  for (unsigned set = num_lanes - 1; set > 0; --set) {
    const int top = std::bit_width(set) - 1, members = std::popcount(set) - 1;
    const unsigned below = set ^ (1u << top);
    if (weights.may_stay(members)) derivatives[weights.place_of_staying(top)] += by_value[set] * value[below];
    by_value[below] += weights.staying(top, members) * by_value[set];
    for (int j = 0; j < top; ++j) {
      if ((below >> j & 1) == 0) continue;
      derivatives[weights.place_of(top, j)] += by_value[set] * value[below ^ (1u << j)];
      by_value[below ^ (1u << j)] += weights.between(top, j) * by_value[set];
    }
  }
}

// On the way back lanes come from those with one bit more.
template <class T, class Weights>
void fill_vertex_tables(const Weights& weights, int top, bool back, Scratch& scratch) {
  constexpr std::size_t components = Layout<T>::components;
  double* const step = scratch.step.zeros(static_cast<std::size_t>(top) * components);
  double* to = scratch.close.zeros(2 * 4 * block_doubles<T>);
  for (int bit = 3; bit < top; ++bit)
    Layout<T>::put(step + static_cast<std::size_t>(bit - 3) * components, weights.between(top, bit), 1);
  for (int parity = 0; parity < 2; ++parity) {
    for (int lane = 0; lane < num_lanes; ++lane)
      Layout<T>::put(to + lane, weights.staying(top, top + parity + std::popcount(static_cast<unsigned>(lane))),
                     num_lanes);
    for (int j = 0; j < 3; ++j) {
      to += block_doubles<T>;
      for (int lane = 0; lane < num_lanes; ++lane)
        if (((lane >> j & 1) != 0) != back) Layout<T>::put(to + lane, weights.between(top, j), num_lanes);
    }
    to += block_doubles<T>;
  }
}

// One more vertex is matched, so that so many places are left for the members of a block.
template <class T>
expansion_kernel::Vertex vertex_of(std::size_t places, std::size_t members, const Scratch& scratch) {
  return {static_cast<int>(places), static_cast<int>(members), scratch.step.data(),
          scratch.close.data() + members % 2 * 4 * block_doubles<T>, binomials().data()};
}

// The last level is one block, of the sets of the last three vertices that are matched already.
template <class T>
T sum_of_last(const double* last, const T* first_sets) {
  Total<T> total;
  for (int lane = 0; lane < num_lanes; ++lane)
    total.add(Layout<T>::get(last + lane, num_lanes) * first_sets[num_lanes - 1 - lane]);
  return total.result();
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

double VertexShape::blocks_of_all() const {
  double blocks = 0;
  for (const auto& first : first_) blocks += static_cast<double>(first.back() + 1);
  return blocks;
}

double VertexShape::memory_bytes(int components) const {
  return 8.0 * components * num_lanes * 2 * static_cast<double>(num_blocks());
}

double VertexShape::derive_bytes(int components) const { return 8.0 * components * num_lanes * blocks_of_all(); }

// A block's sum is over its bits, its lanes' three and what stays, or is matched already; that of all sets at last has
// eight products each.
double VertexShape::roundings() const {
  double sums = 12;
  for (int bit = 0; bit < bits_; ++bit) sums += std::min(bit, bit < 3 ? bit : bits_ - bit) + 5;
  return 2 * sums;
}

// The derivative by a_vj is the sum over sets x of g(x) h(x), g from the levels before v is matched and h, on the way
// back, from those after it: vertices before v in their order give g its terms, those after it h. So for every vertex
// but v a term meets one product and, a level's sums being over at most `bit` + 2 things (places, three of the lanes,
// what stays, and what is matched already), at most `bit` + 3 roundings. At v there are a product, as many sums as are
// added up one by one, that of the two halves, those of a chunk, those of lanes, and the rounding of what two doubles
// hold of all chunks; these are `of_chunk`, and `bit` + 3 of v itself has room for the errors of those two doubles. The
// last three vertices have at most three things in a sum, forwards and backwards.
double VertexShape::derivative_roundings() const {
  double sums = 0;
  for (int bit = 0; bit < bits_; ++bit) sums += bit + 3;
  constexpr double of_chunk = chunk_blocks / blocks_of_sum + 2 + num_lanes + 2;
  return sums + static_cast<double>(std::min(blocks_of_sum, num_blocks())) + of_chunk;
}

// Weights by bit of a set's number. The last vertex has none if there are no loops: it is in a set of an odd number of
// others if vertices are to be matched among themselves. The highest bit is the first vertex.
template <class T>
struct VertexShape::Weights {
  const T* entries;
  std::size_t n;
  int bits;
  bool loops;

  std::size_t place_of(int a, int b) const { return vertex(a) * n + vertex(b); }
  std::size_t place_of_staying(int a) const { return vertex(a) * n + (loops ? vertex(a) : n - 1); }
  bool may_stay(int members) const { return loops || members % 2 == 0; }
  T between(int a, int b) const { return entries[place_of(a, b)]; }
  // Returns the factor if vertex a leaves the set below as it is: a loop, or the last vertex.
  T staying(int a, int members) const { return may_stay(members) ? entries[place_of_staying(a)] : T(0); }

 private:
  std::size_t vertex(int bit) const { return static_cast<std::size_t>(bits - 1 - bit); }
};

// Blocks of a level which a thread makes at once.
struct VertexShape::Chunk {
  std::size_t members;
  std::uint64_t begin, count;
};

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

template <class T>
T VertexShape::derive(const T* entries, T* derivatives, Scratch& scratch, const RunContext& run,
                      int num_threads) const {
  constexpr std::size_t doubles = block_doubles<T>;
  const Weights<T> weights{entries, n_, bits_, loops_};
  std::fill_n(derivatives, n_ * n_, T(0));
  std::vector<double*> levels{scratch.states.resize(static_cast<std::size_t>(blocks_of_all()) * doubles)};
  for (const std::vector<std::uint64_t>& first : first_) {
    double* const end = levels.back() + first.back() * doubles;  // a block of zeros
    std::fill_n(end, doubles, 0.0);
    levels.push_back(end + doubles);
  }
  levels.pop_back();
  expand_levels<T>(weights, levels, scratch, run, num_threads);
  T first_sets[num_lanes], by_first_sets[num_lanes];
  sum_first_sets<T>(weights, first_sets);
  const T value = sum_of_last<T>(levels.back(), first_sets);
  // A level's h takes the place of its g, block by block.
  for (int lane = 0; lane < num_lanes; ++lane) {
    by_first_sets[num_lanes - 1 - lane] = Layout<T>::get(levels.back() + lane, num_lanes);
    Layout<T>::put(levels.back() + lane, first_sets[num_lanes - 1 - lane], num_lanes);
  }
  derive_first_sets<T>(weights, first_sets, by_first_sets, derivatives);

  const expansion_kernel::Arithmetic& kernel = arithmetic_for<T>(run);
  for (std::size_t level = levels.size() - 1; level > 0; --level) {
    run.check();
    const int top = bits_ - static_cast<int>(level);
    const auto places = static_cast<std::size_t>(top - 3), ways = static_cast<std::size_t>(top + 1);
    fill_vertex_tables<T>(weights, top, true, scratch);
    const std::vector<std::uint64_t>&before = first_[level - 1], &here = first_[level];
    const double* const rest = levels[level];
    double* const to = levels[level - 1];
    const std::vector<Chunk> chunks = chunks_of(level);
    std::vector<T> gained(chunks.size() * ways);  // by chunk: by what stays, and by bit
    parallel_for_chunks(
        here.back() <= blocks_worth_threads ? 1 : num_threads, chunks.size(), [&](std::uint64_t index, int) {
          const auto [members, begin, count] = chunks[index];
          run.check();
          const double* const same = rest + here[members] * doubles;
          const std::size_t with_it = members + 1;
          if (with_it + 1 < before.size())
            std::copy_n(same + begin * doubles, count * doubles,
                        to + (before[with_it] + binomials()[places][with_it] + begin) * doubles);
          if (members + 1 >= before.size()) return;
          alignas(64) double gains[(max_digits + 4) * doubles];
          std::fill_n(gains, ways * doubles, 0.0);
          for (std::uint64_t done = 0; done < count; done += blocks_of_sum)
            kernel.give_back(
                {vertex_of<T>(places, members, scratch), same, rest + here[std::min(members + 1, places)] * doubles,
                 to + before[members] * doubles, gains},
                to + before[members] * doubles, begin + done, std::min(blocks_of_sum, count - done));
          for (std::size_t way = 0; way < ways; ++way) {
            T& sum = gained[index * ways + way];
            for (int lane = 0; lane < num_lanes; ++lane) {
              const int matched = static_cast<int>(members) + std::popcount(static_cast<unsigned>(lane));
              if (way == 0 ? !weights.may_stay(top + matched) : way <= 3 && (lane >> (way - 1) & 1) != 0) continue;
              sum += Layout<T>::get(gains + way * doubles + lane, num_lanes);
            }
          }
        });
    for (std::size_t way = 0; way < ways; ++way) {
      Total<T> total;
      for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) total.add(gained[chunk * ways + way]);
      derivatives[way == 0 ? weights.place_of_staying(top) : weights.place_of(top, static_cast<int>(way) - 1)] =
          total.result();
    }
  }
  return value;
}

template double VertexShape::expand(const double*, Scratch&, const RunContext&, int) const;
template std::complex<double> VertexShape::expand(const std::complex<double>*, Scratch&, const RunContext&, int) const;
template std::uint64_t VertexShape::expand(const std::uint64_t*, Scratch&, const RunContext&, int) const;
template double VertexShape::derive(const double*, double*, Scratch&, const RunContext&, int) const;
template std::complex<double> VertexShape::derive(const std::complex<double>*, std::complex<double>*, Scratch&,
                                                  const RunContext&, int) const;

}  // namespace matchcount::dense
