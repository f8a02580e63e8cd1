// With m_i for how often row i is taken and n_j for column j, the permanent is the product of all m_i! times the
// coefficient of the product of x_i^m_i in F(x) = product over j of (sum over i of a_ij x_i)^n_j. That is the mean of
// F(x) / product of x_i^m_i over all x_i that are (m_i + 1)-th roots of unity, x_i = 1 in the row that is taken least
// often: what else a mean leaves has exponents of at least m_i in the other rows, if any is more then by m_i + 1, and
// as all add up to the same, less than 0 in that row. For m_i = 1 points are signs, and this is Glynn's formula (2010,
// doi:10.1016/j.ejc.2010.01.010); roots of unity are Aaronson and Hance's (2014, arXiv:1212.0025). Of a unitary matrix
// the forms are about 1 at all points, and little cancels: sums of binomials with signs do not have that.
//
// The error: of a form, with R the sum of its entries' magnitudes, it is at most e R, e a few roundings; so of a
// product of N forms s it is at most N (e / t) (1 + e / t)^N times the product of max(|s|, t R), for every t > 0,
// because where |s| < t R the other factors take e R for e / t times t R. The kernel sums that product as well; of
// complex numbers its square, whose mean is at least the square of the mean. A product's own roundings are at most 4 u
// each.

#include "permanent/dense/point_sum.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/parallel.hpp"
#include "permanent/dense/cpu/point_kernel.hpp"

namespace matchcount::dense {
namespace {

using point_kernel::num_lanes;
using Complex = std::complex<double>;

constexpr double unit_roundoff = 0x1p-53;
constexpr std::uint64_t most_inner = 256, enough_inner = 32;
constexpr std::uint64_t blocks_of_part = 128, parts_at_once = 1 << 12;
// Below so many vectors of forms, some tenths of a millisecond, one thread is faster.
constexpr double forms_worth_threads = 1 << 17;

template <class Number>
constexpr std::size_t components = std::is_same_v<Number, Complex> ? 2 : 1;

// All powers of the first (m + 1)-th root of 1; those on the axes are exact.
std::vector<Complex> roots_of_one(std::uint32_t m) {
  std::vector<Complex> roots;
  for (std::uint32_t power = 0; power <= m; ++power) {
    const std::uint32_t quarter = 4 * power / (m + 1), rest = 4 * power % (m + 1);
    const double angle = std::numbers::pi / 2 * rest / (m + 1);
    const double c = std::cos(angle), s = std::sin(angle);
    constexpr double turn_c[] = {1, 0, -1, 0}, turn_s[] = {0, 1, 0, -1};
    roots.emplace_back(c * turn_c[quarter] - s * turn_s[quarter], s * turn_c[quarter] + c * turn_s[quarter]);
  }
  return roots;
}

double num_points(std::span<const std::uint32_t> times) {
  double product = 1 / (std::ranges::min(times) + 1.0);
  for (const std::uint32_t taken : times) product *= taken + 1.0;
  return product;
}

template <class Number>
Number turned(Number entry, Complex root) {
  if constexpr (components<Number> == 2) return entry * root;
  if constexpr (components<Number> == 1) return entry * root.real();
}

// What to multiply lines by, as powers of 2, so that each counts as often as it is taken: it then has line_times of the
// squares of magnitudes, where a form has form_times of them (Sinkhorn's iteration).
template <class Number>
std::vector<int> balancing_powers(const std::vector<Number>& matrix, std::span<const std::uint32_t> line_times,
                                  std::span<const std::uint32_t> form_times) {
  constexpr int rounds = 8;
  const std::size_t lines = line_times.size(), width = form_times.size();
  std::vector<double> square(matrix.size()), by_line(lines, 1.0), by_form(width);
  std::ranges::transform(matrix, square.begin(), [](const Number& entry) { return std::norm(entry); });
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t j = 0; j < width; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < lines; ++i) sum += square[i * width + j] * by_line[i];
      by_form[j] = form_times[j] / sum;
    }
    for (std::size_t i = 0; i < lines; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < width; ++j) sum += square[i * width + j] * by_form[j];
      by_line[i] = line_times[i] / sum;
    }
  }
  std::vector<int> powers;
  for (const double factor : by_line)
    powers.push_back(std::isnormal(factor) ? static_cast<int>(std::lround(std::log2(factor) / 2)) : 0);
  return powers;
}

// Multiplies what begin + i * step has by 2^power.
template <class Number>
void scale(Number* begin, std::size_t count, std::size_t step, int power) {
  const double half = std::ldexp(1.0, power / 2), other_half = std::ldexp(1.0, power - power / 2);
  for (std::size_t i = 0; i < count; ++i) begin[i * step] = begin[i * step] * half * other_half;
}

double magnitude(double entry) { return std::fabs(entry); }
double magnitude(Complex entry) { return std::sqrt(std::norm(entry)); }  // of entries of about 1
double largest_part(double entry) { return std::fabs(entry); }
double largest_part(Complex entry) { return std::max(std::fabs(entry.real()), std::fabs(entry.imag())); }

// Scales so that the largest part of a number is in [1/2, 1); returns the power of 2 that it took, nothing where all
// are 0.
template <class Number>
std::optional<int> scale_to_one(Number* begin, std::size_t count, std::size_t step) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, largest_part(begin[i * step]));
  if (largest == 0) return std::nullopt;
  const int power = std::ilogb(largest) + 1;
  if (power != 0) scale(begin, count, step, -power);
  return power;
}

}  // namespace

PointShape::PointShape(std::span<const std::uint32_t> row_times, std::span<const std::uint32_t> column_times)
    : transposed_(dense::num_points(column_times) < dense::num_points(row_times)) {
  const auto lines = transposed_ ? column_times : row_times;
  line_times_.assign(lines.begin(), lines.end());
  size_ = std::accumulate(line_times_.begin(), line_times_.end(), std::size_t{0});
  for (const std::uint32_t taken : line_times_) {
    for (std::uint32_t i = 2; i <= taken; ++i) factorials_ *= DoubleDouble(i);
  }
  group_forms(transposed_ ? row_times : column_times);
  choose_coordinates();
  fill_weights();
}

void PointShape::group_forms(std::span<const std::uint32_t> times) {
  form_.resize(times.size());
  std::iota(form_.begin(), form_.end(), std::size_t{0});
  std::ranges::stable_sort(form_, std::greater(), [&](std::size_t form) { return times[form]; });
  for (const std::size_t form : form_) {
    if (form_times_.empty() || form_times_.back() != times[form]) {
      group_end_.push_back(0);
      group_exponent_.push_back(times[form]);
    }
    form_times_.push_back(times[form]);
    group_end_.back() = static_cast<int>(form_times_.size());
  }
}

// A block has the coordinates of the fewest roots: as many of them as leave the fewest lanes of vectors empty.
void PointShape::choose_coordinates() {
  std::vector<std::size_t> order(line_times_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t line) { return line_times_[line]; });
  fixed_line_ = order.front();
  std::size_t num_within = 0;
  double best = 0;
  std::uint64_t points = 1;
  for (std::size_t i = 1; i < order.size() && (points *= line_times_[order[i]] + 1) <= most_inner; ++i) {
    const double filled =
        static_cast<double>(points) / static_cast<double>((points + num_lanes - 1) / num_lanes * num_lanes);
    if (num_inner_ >= enough_inner && filled < 1.05 * best) continue;
    best = filled;
    num_within = i;
    num_inner_ = points;
    if (points >= 2 * enough_inner && filled == 1) break;
  }
  std::size_t num_steps = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::uint32_t taken = line_times_[order[i]];
    (i <= num_within ? inner_ : outer_).push_back({order[i], roots_of_one(taken), num_steps});
    num_steps += taken + 1;
    if (i > num_within) num_blocks_ *= taken + 1;
    signs_alone_ = signs_alone_ && taken == 1;
  }
}

// x^-m is x, of an (m + 1)-th root.
void PointShape::fill_weights() {
  std::vector<Complex> weight{1};
  for (const Coordinate& coordinate : inner_) {
    const std::size_t before = weight.size();
    for (std::size_t power = 1; power < coordinate.root.size(); ++power) {
      for (std::size_t point = 0; point < before; ++point) weight.push_back(weight[point] * coordinate.root[power]);
    }
  }
  weight.resize((weight.size() + num_lanes - 1) / num_lanes * num_lanes);
  for (std::size_t first = 0; first < weight.size(); first += num_lanes) {
    for (const bool complex : {false, true}) {
      std::vector<double>& lanes = complex ? complex_weight_ : real_weight_;
      for (std::size_t i = first; i < first + num_lanes; ++i) lanes.push_back(weight[i].real());
      for (std::size_t i = first; i < first + num_lanes && complex; ++i) lanes.push_back(weight[i].imag());
    }
  }
}

// Lines row-major, their forms by place.
template <class T>
std::vector<T> PointShape::lines_of(const T* entries) const {
  const std::size_t lines = line_times_.size(), width = form_.size();
  const std::size_t step = transposed_ ? lines : 1, line_step = transposed_ ? 1 : width;
  std::vector<T> matrix(lines * width);
  for (std::size_t i = 0; i < lines; ++i) {
    for (std::size_t place = 0; place < width; ++place)
      matrix[i * width + place] = entries[i * line_step + form_[place] * step];
  }
  return matrix;
}

// ---- The walk over blocks.

// What the powers of all coordinates add to the forms: [first_step + power][place].
template <class Number>
std::vector<Number> PointShape::steps_of(const std::vector<Number>& matrix) const {
  const std::size_t width = form_.size();
  std::vector<Number> steps;
  steps.reserve((size_ + line_times_.size()) * width);
  for (const auto* coordinates : {&inner_, &outer_}) {
    for (const Coordinate& coordinate : *coordinates) {
      const Number* const line = matrix.data() + coordinate.line * width;
      for (const Complex root : coordinate.root) {
        for (std::size_t place = 0; place < width; ++place) steps.push_back(turned(line[place], root));
      }
    }
  }
  return steps;
}

// Of the points of a block, as point_kernel::Block has it.
template <class Number>
std::vector<double> PointShape::lanes_of(const std::vector<Number>& steps) const {
  constexpr std::size_t parts = components<Number>;
  const std::size_t width = form_.size(), vectors = (num_inner_ + num_lanes - 1) / num_lanes;
  std::vector<double> lanes(vectors * width * parts * num_lanes);
  for (std::size_t number = 0; number < width * parts; ++number) {
    // By point, one coordinate after the other.
    double value[most_inner + num_lanes] = {};
    std::size_t points = 1;
    for (const Coordinate& coordinate : inner_) {
      const auto* const step = reinterpret_cast<const double*>(steps.data() + coordinate.first_step * width) + number;
      for (std::size_t power = coordinate.root.size(); power-- > 0;) {
        for (std::size_t i = 0; i < points; ++i) value[power * points + i] = value[i] + step[power * width * parts];
      }
      points *= coordinate.root.size();
    }
    for (std::size_t vector = 0; vector < vectors; ++vector)
      std::copy_n(value + vector * num_lanes, num_lanes, lanes.data() + (vector * width * parts + number) * num_lanes);
  }
  return lanes;
}

template <class Number>
struct PointShape::Part {
  Number value{};
  double size = 0;
};

template <class Number>
struct PointShape::Walk {
  const PointShape& shape;
  point_kernel::Sum sum;
  point_kernel::Block block;
  const Number* fixed;  // by place, of the fixed line
  const Number* steps;

  // Blocks [first, first + count).
  Part<Number> part(std::uint64_t first, std::uint64_t count) const {
    const std::size_t width = shape.form_.size(), levels = shape.outer_.size();
    std::vector<std::size_t> digit(levels);
    for (std::size_t level = 0; level < levels; ++level) {
      digit[level] = first % shape.outer_[level].root.size();
      first /= shape.outer_[level].root.size();
    }
    // By level what the coordinates from there on make of the forms and the weight.
    std::vector<Number> base((levels + 1) * width), weight(levels + 1, Number(1));
    std::copy(fixed, fixed + width, base.data() + levels * width);
    const auto fill = [&](std::size_t level) {
      const Coordinate& coordinate = shape.outer_[level];
      const Number* const from = base.data() + (level + 1) * width;
      const Number* const step = steps + (coordinate.first_step + digit[level]) * width;
      Number* const to = base.data() + level * width;
      for (std::size_t place = 0; place < width; ++place) to[place] = from[place] + step[place];
      weight[level] = turned(weight[level + 1], coordinate.root[digit[level]]);
    };
    for (std::size_t level = levels; level-- > 0;) fill(level);
    Part<Number> total;
    double out[3];
    for (std::uint64_t done = 0; done < count; ++done) {
      sum(block, reinterpret_cast<const double*>(base.data()), out);
      if constexpr (components<Number> == 2) total.value += weight[0] * Complex(out[0], out[1]);
      if constexpr (components<Number> == 1) total.value += weight[0] * out[0];
      total.size += out[components<Number>];
      std::size_t level = 0;
      while (level < levels && ++digit[level] == shape.outer_[level].root.size()) digit[level++] = 0;
      if (level == levels) break;
      for (++level; level-- > 0;) fill(level);
    }
    return total;
  }
};

// In parts whose sums are added in their order, whatever the threads.
template <class Number>
PointShape::Part<Number> PointShape::sum_of(const Walk<Number>& walk, const RunContext& run, int num_threads) const {
  if (num_blocks_ <= blocks_of_part) return walk.part(0, num_blocks_);
  const double forms = static_cast<double>(num_blocks_) * walk.block.vectors * static_cast<double>(form_.size());
  if (forms < forms_worth_threads) num_threads = 1;
  const std::uint64_t num_parts = (num_blocks_ + blocks_of_part - 1) / blocks_of_part;
  DoubleDouble re, im, size;
  std::vector<Part<Number>> parts(std::min(num_parts, parts_at_once));
  for (std::uint64_t begin = 0; begin < num_parts; begin += parts_at_once) {
    const std::uint64_t count = std::min(parts_at_once, num_parts - begin);
    std::atomic<std::uint64_t> done{begin};
    parallel_for_chunks(num_threads, count, [&](std::uint64_t i, int) {
      run.report("points", static_cast<double>(done++), static_cast<double>(num_parts));
      const std::uint64_t first = (begin + i) * blocks_of_part;
      parts[i] = walk.part(first, std::min(blocks_of_part, num_blocks_ - first));
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

// Of the mean of sizes; see the head of this file. A form has an addition for each line, of numbers that are rounded
// themselves where roots are.
double PointShape::relative_error() const {
  const auto lines = static_cast<double>(line_times_.size()), size = static_cast<double>(size_);
  const double of_form = (lines + 8) * unit_roundoff * 3 * std::sqrt(lines);
  const double of_sum = static_cast<double>(num_inner_) / num_lanes + static_cast<double>(blocks_of_part) + 64;
  return 1.01 * size * of_form + (4 * size + 12 * lines + of_sum) * unit_roundoff;
}

template <class Number>
PointMean PointShape::mean_of(const std::vector<Number>& matrix, const RunContext& run, int num_threads) const {
  constexpr std::size_t parts = components<Number>;
  const std::size_t width = form_.size();
  std::vector<double> floor(width);
  for (std::size_t place = 0; place < width; ++place) {
    for (std::size_t i = 0; i < line_times_.size(); ++i) floor[place] += magnitude(matrix[i * width + place]);
    floor[place] /= 3 * std::sqrt(static_cast<double>(line_times_.size()));
    if (parts == 2) floor[place] *= floor[place];
  }
  const std::vector<Number> steps = steps_of(matrix);
  const std::vector<double> lanes = lanes_of(steps);
  const point_kernel::Kernels& kernels = point_kernel::kernels(std::min(run.options().max_isa, detected_isa()));
  const Walk<Number> walk{*this,
                          parts == 2 ? kernels.complex : kernels.real,
                          {static_cast<int>((num_inner_ + num_lanes - 1) / num_lanes),
                           static_cast<int>(group_end_.size()), group_end_.data(), group_exponent_.data(), lanes.data(),
                           (parts == 2 ? complex_weight_ : real_weight_).data(), floor.data()},
                          matrix.data() + fixed_line_ * width,
                          steps.data()};
  const Part<Number> sum = sum_of(walk, run, num_threads);
  const double size = sum.size / num_points(), factor = (factorials_ / DoubleDouble(num_points())).hi;
  return {sum.value * factor, relative_error() * factorials_.hi * (parts == 2 ? std::sqrt(size) : size), 0};
}

template <class T>
PointMean PointShape::mean(const T* entries, const RunContext& run, int num_threads) const {
  const std::size_t lines = line_times_.size(), width = form_.size();
  std::vector<T> matrix = lines_of(entries);
  double exponent = 0;
  const auto scale_forms = [&] {
    for (std::size_t place = 0; place < width; ++place) {
      const std::optional<int> power = scale_to_one(matrix.data() + place, lines, width);
      if (!power) return false;
      exponent += static_cast<double>(*power) * form_times_[place];
    }
    return true;
  };
  for (std::size_t i = 0; i < lines; ++i) {
    const std::optional<int> power = scale_to_one(matrix.data() + i * width, width, 1);
    if (!power) return {0, 0, 0};
    exponent += static_cast<double>(*power) * line_times_[i];
  }
  if (!scale_forms()) return {0, 0, 0};
  if (!signs_alone_) {
    const std::vector<int> powers = balancing_powers(matrix, line_times_, form_times_);
    for (std::size_t i = 0; i < lines; ++i) {
      scale(matrix.data() + i * width, width, 1, powers[i]);
      exponent -= static_cast<double>(powers[i]) * line_times_[i];
    }
    scale_forms();
  }
  PointMean result;
  if constexpr (std::is_same_v<T, double>) {
    result = signs_alone_ ? mean_of(matrix, run, num_threads)
                          : mean_of(std::vector<Complex>(matrix.begin(), matrix.end()), run, num_threads);
  } else {
    result = mean_of(matrix, run, num_threads);
  }
  result.exponent = exponent;
  return result;
}

template PointMean PointShape::mean(const double*, const RunContext&, int) const;
template PointMean PointShape::mean(const Complex*, const RunContext&, int) const;

}  // namespace matchcount::dense
