#pragma once
// Computes one permanent, whose rows and columns may be repeated, or one hafnian, whose vertices may be, as a sum over
// roots of unity.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/numbers/pair.hpp"
#include "core/parallel.hpp"
#include "core/run.hpp"
#include "permanent/dense/one_matrix.hpp"
#include "photonics/cuda/dense_gpu.hpp"

namespace matchcount::dense {

// 2^exponent times a number, the number with an error of at most `error`.
struct Mean {
  std::complex<double> value;
  double error = std::numeric_limits<double>::infinity();
  double exponent = 0;
};

// One coordinate for each line, which is taken `times` times: the (times + 1)-th roots of 1. That of the fixed line,
// which is taken least often, is 1. The product of all x_i^times_i divided by all other products of as high a degree in
// all, over all points, has a mean of 0: these have in other lines exponents of at least times_i, if any is more then
// by times_i + 1, and so in the fixed line less than 0. So the mean of F(x) / product of x_i^times_i, of a homogeneous
// polynomial F of that degree, is the coefficient of that product in F.
struct Points {
  struct Coordinate {
    std::size_t line;
    std::vector<std::complex<double>> root;  // by power
    std::size_t first_step;                  // of its powers among those of all coordinates
  };

  explicit Points(std::span<const std::uint32_t> times);  // at least 1 each

  double number() const { return static_cast<double>(num_blocks) * static_cast<double>(num_inner); }
  std::size_t num_lines() const { return times.size(); }
  // Returns the number of vectors of a block's points.
  int num_vectors() const { return static_cast<int>(weights(1).size() / num_lanes); }
  // Returns 1 / product of x_i^times_i of the coordinates of a block, [vector][component][lane]; 0 where there is no
  // point.
  const std::vector<double>& weights(std::size_t components) const {
    return components == 2 ? complex_weight : real_weight;
  }
  // Sums step(coordinate, power) over the coordinates, for each point of a block: [vector][lane].
  template <class Step>
  void add_up(double* lanes, const Step& step) const;

  static constexpr std::size_t num_lanes = 8, most_inner = 256;

  std::vector<std::uint32_t> times;
  std::size_t size = 0;  // of all times
  std::size_t fixed_line = 0;
  std::vector<Coordinate> inner, outer;  // of points within a block, and of blocks
  std::uint64_t num_inner = 1, num_blocks = 1;
  bool signs_alone = true;      // all roots are 1 and -1
  DoubleDouble factorials = 1;  // the product of times_i!

 private:
  void choose_coordinates();
  void fill_weights();

  std::vector<double> real_weight, complex_weight;
};

template <class Number>
constexpr std::size_t components = std::is_same_v<Number, std::complex<double>> ? 2 : 1;

template <class Number>
Number turned(Number entry, std::complex<double> root) {
  if constexpr (components<Number> == 2) return entry * root;
  if constexpr (components<Number> == 1) return entry * root.real();
}

// A sum over roots of unity is for numbers of which scaling by powers of 2 loses nothing: lines, forms and balance
// together.
constexpr double least_part = 0x1p-300, largest_part = 0x1p300;
constexpr int largest_balance = 100;  // the power of 2
inline bool is_moderate(double part) {
  const double size = std::fabs(part);
  return size == 0 || (size >= least_part && size <= largest_part);
}
inline bool is_moderate(std::complex<double> entry) { return is_moderate(entry.real()) && is_moderate(entry.imag()); }

inline double modulus(double entry) { return std::fabs(entry); }
inline double modulus(std::complex<double> entry) { return std::sqrt(std::norm(entry)); }  // of entries of about 1

// Multiplies what begin + i * step has by 2^power.
template <class Number>
void scale(Number* begin, std::size_t count, std::size_t step, int power) {
  const double half = std::ldexp(1.0, power / 2), other_half = std::ldexp(1.0, power - power / 2);
  for (std::size_t i = 0; i < count; ++i) begin[i * step] = begin[i * step] * half * other_half;
}

// A sum, and another that bounds its error.
template <class Number>
struct Part {
  Number value{};
  double size = 0;
};

constexpr std::uint64_t blocks_of_part = 128, parts_at_once = 1 << 12;
// Vectors of eight points, times what is computed for each: below some tenths of a millisecond one thread is faster.
constexpr double work_worth_threads = 1 << 17;

// Sums over all points. What coordinates make of a block is `start.size()` numbers, `start` if it is the fixed line
// alone; step(coordinate, power, from, to) adds a coordinate; of_block(numbers) is a Part. Parts are added in their
// order, whatever the threads.
template <class Number, class Step, class OfBlock>
Part<Number> sum_over_blocks(const Points& points, const std::vector<Number>& start, const Step& step,
                             const OfBlock& of_block, double work_of_vector, const RunContext& run, int num_threads) {
  const std::size_t width = start.size(), levels = points.outer.size();
  const auto part = [&](std::uint64_t first, std::uint64_t count) {
    std::vector<std::size_t> digit(levels);
    for (std::size_t level = 0; level < levels; ++level) {
      digit[level] = first % points.outer[level].root.size();
      first /= points.outer[level].root.size();
    }
    // `base` has, by level, what the coordinates from there on make of it.
    std::vector<Number> base((levels + 1) * width), weight(levels + 1, Number(1));
    std::ranges::copy(start, base.begin() + static_cast<std::ptrdiff_t>(levels * width));
    const auto fill = [&](std::size_t level) {
      const Points::Coordinate& coordinate = points.outer[level];
      step(coordinate, digit[level], base.data() + (level + 1) * width, base.data() + level * width);
      weight[level] = turned(weight[level + 1], coordinate.root[digit[level]]);
    };
    for (std::size_t level = levels; level-- > 0;) fill(level);
    Part<Number> total;
    for (std::uint64_t done = 0; done < count; ++done) {
      const Part<Number> block = of_block(base.data());
      total.value += weight[0] * block.value;
      total.size += block.size;
      std::size_t level = 0;
      while (level < levels && ++digit[level] == points.outer[level].root.size()) digit[level++] = 0;
      if (level == levels) break;
      for (++level; level-- > 0;) fill(level);
    }
    return total;
  };
  if (points.num_blocks <= blocks_of_part) return part(0, points.num_blocks);

  if (static_cast<double>(points.num_blocks) * points.num_vectors() * work_of_vector < work_worth_threads)
    num_threads = 1;
  const std::uint64_t num_parts = (points.num_blocks + blocks_of_part - 1) / blocks_of_part;
  DoubleDouble re, im, size;
  std::vector<Part<Number>> parts(std::min(num_parts, parts_at_once));
  for (std::uint64_t begin = 0; begin < num_parts; begin += parts_at_once) {
    const std::uint64_t count = std::min(parts_at_once, num_parts - begin);
    std::atomic<std::uint64_t> done{begin};
    parallel_for_chunks(num_threads, count, [&](std::uint64_t i, int) {
      run.report("points", static_cast<double>(done++), static_cast<double>(num_parts));
      const std::uint64_t first = (begin + i) * blocks_of_part;
      parts[i] = part(first, std::min(blocks_of_part, points.num_blocks - first));
    });
    for (std::uint64_t i = 0; i < count; ++i) {
      re += DoubleDouble(std::real(parts[i].value));
      im += DoubleDouble(std::imag(parts[i].value));
      size += DoubleDouble(parts[i].size);
    }
  }
  if constexpr (components<Number> == 2) return {{re.hi, im.hi}, size.hi};
  if constexpr (components<Number> == 1) return {re.hi, size.hi};
}

template <class Step>
void Points::add_up(double* lanes, const Step& step) const {
  std::size_t points = 1;
  for (const Coordinate& coordinate : inner) {
    for (std::size_t power = coordinate.root.size(); power-- > 0;) {
      const double added = step(coordinate, power);
      for (std::size_t i = 0; i < points; ++i) lanes[power * points + i] = lanes[i] + added;
    }
    points *= coordinate.root.size();
  }
}

// HafnianMean is for symmetric matrices whose rows and columns are taken `times` times each, all at least once, and in
// all at most 64 times; an even number of times unless there are loops.
class HafnianMean {
 public:
  HafnianMean(std::span<const std::uint32_t> times, bool loops);

  double num_points() const { return points_.number(); }
  std::size_t size() const { return points_.size; }

  // Entries row-major; of those that are not moderate nothing is said. The diagonal is what matches two copies of a
  // vertex, and with loops, one with itself.
  Mean of(std::span<const std::complex<double>> entries, const RunContext& run, int num_threads) const;

 private:
  struct Matrix {  // 2^exponent times this
    std::vector<std::complex<double>> pairs, loops;
    double exponent = 0;
  };
  std::optional<Matrix> scaled(std::span<const std::complex<double>> entries) const;  // nothing: a vertex has no edge
  std::vector<double> inner_forms(const Matrix& matrix) const;
  // Return the t of the error bound (permanent_mean.cpp): t times a sum of magnitudes is about what the forms are, or
  // less.
  double pair_share() const { return 1 / (3 * static_cast<double>(points_.num_lines())); }
  double loop_share() const { return 1 / (3 * std::sqrt(static_cast<double>(points_.num_lines()))); }
  double relative_error() const;

  Points points_;
  bool loops_;
  std::size_t half_;
  std::vector<std::size_t> place_;                // by line: coordinates of a block stand first
  std::vector<double> coefficient_, coordinate_;  // as point_kernel::Pairs has them
};

// PermanentMean is for matrices whose rows are taken row_times times each and whose columns column_times times, all at
// least once, and in all at most 64 times.
class PermanentMean {
 public:
  PermanentMean(std::span<const std::uint32_t> row_times, std::span<const std::uint32_t> column_times);

  double num_points() const { return points_.number(); }
  std::size_t size() const { return points_.size; }

  // Entries row-major; of those that are not moderate nothing is said. T: double or std::complex<double>.
  template <class T>
  Mean of(const T* entries, const RunContext& run, int num_threads) const;

 private:
  template <class T>
  std::vector<T> lines_of(const T* entries) const;
  template <class Number>
  std::vector<Number> steps_of(const std::vector<Number>& matrix) const;
  template <class Number>
  std::vector<double> lanes_of(const std::vector<Number>& steps) const;
  template <class Number>
  Mean mean_of(const std::vector<Number>& matrix, const RunContext& run, int num_threads) const;
  double relative_error() const;

  bool transposed_;  // a line is a column and a form a row, else a line is a row
  Points points_;
  std::vector<std::uint32_t> form_times_;  // forms that are taken equally often stand together
  std::vector<std::size_t> form_;          // of the caller's, by place
  std::vector<int> group_end_;
  std::vector<unsigned> group_exponent_;
};

// Finds the means of `count` n x n matrices, 1 to 8 of them one behind the other, side by side, 2 <= n <=
// most_rows_of_eight. The error is infinite where another way is better: all entries are positive, or far from 1.
// T: double or std::complex<double>.
constexpr std::size_t most_rows_of_eight = 12;
template <class T>
std::array<Mean, 8> means_of_eight(const T* entries, std::size_t n, std::size_t count, Isa max_isa);

// Returns the value that is the mean over so many points, of so many rows or vertices; nothing where it has no digit.
template <class T>
std::optional<AnswerOf<T>> value_of(const Mean& mean, std::size_t rows, double num_points);

// Returns the value that GPUs summed; nothing where it has too few digits.
template <class T>
std::optional<AnswerOf<T>> value_of(const DenseSum& sum);

// Predicts the seconds that one thread takes for a matrix of this shape.
double cpu_seconds(const DenseShape& shape);

}  // namespace matchcount::dense
