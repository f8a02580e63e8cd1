// With m_i for how often line i is taken and n_j for form j, the permanent is the product of all m_i! times the
// coefficient of the product of x_i^m_i in F(x) = product over j of (sum over i of a_ij x_i)^n_j, which is a sum
// over roots of unity. For m_i = 1 these are signs, and this is Glynn's formula (2010,
// doi:10.1016/j.ejc.2010.01.010); roots of unity are Aaronson and Hance's (2014, arXiv:1212.0025). Of a unitary matrix
// the forms are about 1 at all points, and little cancels: sums of binomials with signs do not have that.
//
// The error: of a form, with R the sum of its entries' magnitudes, it is at most e R, e a few roundings; so of a
// product of N forms s it is at most N (e / t) (1 + e / t)^N times the product of max(|s|, t R), for every t > 0,
// because where |s| < t R the other factors take e R for e / t times t R. The kernel sums that product as well; of
// complex numbers its square, whose mean is at least the square of the mean. A product's own roundings are at most 4 u
// each.

#include "photonics/means/permanent_mean.hpp"

#include <functional>
#include <numbers>
#include <numeric>

#include "core/cpu/dispatch.hpp"
#include "photonics/means/cpu/point_kernel.hpp"

namespace matchcount::dense {

namespace {

using Complex = std::complex<double>;

constexpr std::uint64_t enough_inner = 32;
constexpr double unit_roundoff = 0x1p-53;

// Returns all powers of the first (m + 1)-th root of 1; those on the axes are exact.
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

// With m_i for how often vertex i is taken, N in all, the hafnian is the product of all m_i! times the coefficient of
// the product of x_i^m_i in q^(N/2) / (N/2)!, q = 1/2 sum a_ij x_i x_j over all i and j; with loops, in the sum over k
// of q^k l^(N - 2k) / (k! (N - 2k)!), l = sum a_ii x_i. That coefficient is a sum over roots of unity.
// For m_i = 1 this is Kan's formula (2008, doi:10.1016/j.jmva.2007.01.013).
//
// The error is that of a permanent, with 1/2 sum |a_ij| and sum |a_ii| for R.

constexpr std::size_t first_line = 2;  // of the numbers of a level: q, l, and by line the derivative of q

double larger_part(double entry) { return std::fabs(entry); }
double larger_part(Complex entry) { return std::max(std::fabs(entry.real()), std::fabs(entry.imag())); }

// Puts a value into [vector][number][component][lane].
void put(std::vector<double>& lanes, std::uint64_t point, std::size_t numbers, std::size_t number, Complex value) {
  double* const to =
      lanes.data() + (point / Points::num_lanes * numbers + number) * 2 * Points::num_lanes + point % Points::num_lanes;
  to[0] = value.real();
  to[Points::num_lanes] = value.imag();
}

double num_points(std::span<const std::uint32_t> times) {
  double product = 1 / (std::ranges::min(times) + 1.0);
  for (const std::uint32_t taken : times) product *= taken + 1.0;
  return product;
}

// Returns factors for lines, as powers of 2, so that each line counts as often as it is taken: it then has line_times
// of the squares of magnitudes, where a form has form_times of them (Sinkhorn's iteration).
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
  for (const double factor : by_line) {
    const double power = std::isnormal(factor) ? std::round(std::log2(factor) / 2) : 0;
    powers.push_back(std::clamp(static_cast<int>(power), -largest_balance, largest_balance));
  }
  return powers;
}

// Scales so that the largest part of a number is in [1/2, 1); returns the power of 2 that it took, nothing where all
// are 0.
template <class Number>
std::optional<int> scale_to_one(Number* begin, std::size_t count, std::size_t step) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, larger_part(begin[i * step]));
  if (largest == 0) return std::nullopt;
  const int power = std::ilogb(largest) + 1;
  if (power != 0) scale(begin, count, step, -power);
  return power;
}

// Returns the relative error of the mean of sizes, whose sums have so many additions one after another; see the head of
// this file. A form has an addition for each line, of numbers that are rounded themselves where roots are.
double error_of_mean(std::size_t num_lines, std::size_t num_forms, double additions) {
  const auto lines = static_cast<double>(num_lines), size = static_cast<double>(num_forms);
  const double of_form = (lines + 8) * unit_roundoff * 3 * std::sqrt(lines);
  return 1.01 * size * of_form + (4 * size + 12 * lines + additions + 64) * unit_roundoff;
}

}  // namespace

Points::Points(std::span<const std::uint32_t> line_times) : times(line_times.begin(), line_times.end()) {
  size = std::accumulate(times.begin(), times.end(), std::size_t{0});
  for (const std::uint32_t taken : times) {
    for (std::uint32_t i = 2; i <= taken; ++i) factorials *= DoubleDouble(i);
  }
  choose_coordinates();
  fill_weights();
}

// A block has the coordinates of the fewest roots: as many of them as leave the fewest lanes of vectors empty.
void Points::choose_coordinates() {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t line) { return times[line]; });
  fixed_line = order.front();
  std::size_t num_within = 0;
  double best = 0;
  std::uint64_t points = 1;
  for (std::size_t i = 1; i < order.size() && (points *= times[order[i]] + 1) <= most_inner; ++i) {
    const double filled =
        static_cast<double>(points) / static_cast<double>((points + num_lanes - 1) / num_lanes * num_lanes);
    if (num_inner >= enough_inner && filled < 1.05 * best) continue;
    best = filled;
    num_within = i;
    num_inner = points;
    if (points >= 2 * enough_inner && filled == 1) break;
  }
  std::size_t num_steps = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::uint32_t taken = times[order[i]];
    (i <= num_within ? inner : outer).push_back({order[i], roots_of_one(taken), num_steps});
    num_steps += taken + 1;
    if (i > num_within) num_blocks *= taken + 1;
    signs_alone = signs_alone && taken == 1;
  }
}

// x^-m is x, of an (m + 1)-th root.
void Points::fill_weights() {
  std::vector<Complex> weight{1};
  for (const Coordinate& coordinate : inner) {
    const std::size_t before = weight.size();
    for (std::size_t power = 1; power < coordinate.root.size(); ++power) {
      for (std::size_t point = 0; point < before; ++point) weight.push_back(weight[point] * coordinate.root[power]);
    }
  }
  weight.resize((weight.size() + num_lanes - 1) / num_lanes * num_lanes);
  for (std::size_t first = 0; first < weight.size(); first += num_lanes) {
    for (std::size_t i = first; i < first + num_lanes; ++i) real_weight.push_back(weight[i].real());
    for (std::size_t i = first; i < first + num_lanes; ++i) complex_weight.push_back(weight[i].real());
    for (std::size_t i = first; i < first + num_lanes; ++i) complex_weight.push_back(weight[i].imag());
  }
}

HafnianMean::HafnianMean(std::span<const std::uint32_t> times, bool loops)
    : points_(times), loops_(loops), half_(points_.size / 2), place_(times.size()) {
  std::size_t place = first_line;
  for (const auto* coordinates : {&points_.inner, &points_.outer}) {
    for (const Points::Coordinate& coordinate : *coordinates) place_[coordinate.line] = place++;
  }
  place_[points_.fixed_line] = place;
  // half_! / (k! (N - 2k)!).
  coefficient_.assign(half_ + 1, 1);
  for (std::size_t k = half_; k-- > 0;) {
    const auto left = static_cast<double>(points_.size - 2 * k);
    coefficient_[k] = coefficient_[k + 1] * static_cast<double>(k + 1) / (left * (left - 1));
  }
  // The coordinates of a block's points, one after the other.
  const std::size_t num_inner = points_.inner.size();
  coordinate_.resize(static_cast<std::size_t>(points_.num_vectors()) * num_inner * 2 * Points::num_lanes);
  std::uint64_t stride = 1;
  for (std::size_t i = 0; i < num_inner; ++i) {
    const std::vector<Complex>& root = points_.inner[i].root;
    for (std::uint64_t point = 0; point < points_.num_inner; ++point)
      put(coordinate_, point, num_inner, i, root[point / stride % root.size()]);
    stride *= root.size();
  }
}

// Scales so that each vertex counts as often as it is taken: of the sums of magnitudes |a_ij| r_i r_j, and |a_ii| r_i
// of loops, line i then has about m_i (Sinkhorn's iteration). Scales are powers of 2.
std::optional<HafnianMean::Matrix> HafnianMean::scaled(std::span<const Complex> entries) const {
  constexpr int rounds = 8;
  const std::size_t n = points_.num_lines();
  Matrix matrix{{entries.begin(), entries.end()}, std::vector<Complex>(n), 0};
  double between = 0, loop = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (loops_) matrix.loops[i] = entries[i * n + i];
    loop = std::max(loop, larger_part(matrix.loops[i]));
    for (std::size_t j = 0; j < n; ++j) between = std::max(between, larger_part(entries[i * n + j]));
  }
  if (between == 0 && loop == 0) return std::nullopt;
  int first = std::numeric_limits<int>::min();
  if (between != 0) first = static_cast<int>(std::floor((std::ilogb(between) + 2) / 2.0));
  if (loop != 0) first = std::max(first, std::ilogb(loop) + 1);
  const auto multiply = [&](std::size_t i, int power) {
    scale(matrix.pairs.data() + i * n, n, 1, power);
    scale(matrix.pairs.data() + i, n, n, power);
    scale(matrix.loops.data() + i, 1, 1, power);
    matrix.exponent -= static_cast<double>(power) * points_.times[i];
  };
  for (std::size_t i = 0; i < n; ++i) multiply(i, -first);
  std::vector<double> by_line(n, 1.0);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = modulus(matrix.loops[i]);
      for (std::size_t j = 0; j < n; ++j) sum += modulus(matrix.pairs[i * n + j]) * by_line[j];
      if (sum == 0) return std::nullopt;
      by_line[i] = std::sqrt(by_line[i] * points_.times[i] / sum);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double power = std::isnormal(by_line[i]) ? std::round(std::log2(by_line[i])) : 0;
    multiply(i, std::clamp(static_cast<int>(power), -largest_balance, largest_balance));
  }
  return matrix;
}

// Returns the share of a block's own coordinates in q and l.
std::vector<double> HafnianMean::inner_forms(const Matrix& matrix) const {
  const std::size_t n = points_.num_lines();
  std::vector<double> lanes(static_cast<std::size_t>(points_.num_vectors()) * 2 * 2 * Points::num_lanes);
  std::vector<Complex> x(points_.inner.size());
  for (std::uint64_t point = 0; point < points_.num_inner; ++point) {
    Complex q = 0, l = 0;
    std::uint64_t rest = point;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Points::Coordinate& coordinate = points_.inner[i];
      x[i] = coordinate.root[rest % coordinate.root.size()];
      rest /= coordinate.root.size();
      Complex derivative = 0.5 * matrix.pairs[coordinate.line * (n + 1)] * x[i];
      for (std::size_t j = 0; j < i; ++j)
        derivative += matrix.pairs[coordinate.line * n + points_.inner[j].line] * x[j];
      q += derivative * x[i];
      l += matrix.loops[coordinate.line] * x[i];
    }
    put(lanes, point, 2, 0, q);
    put(lanes, point, 2, 1, l);
  }
  return lanes;
}

// Returns the relative error of the mean of sizes. q has a product and a sum for each line, and as many derivatives
// themselves.
double HafnianMean::relative_error() const {
  const auto lines = static_cast<double>(points_.num_lines()), size = static_cast<double>(points_.size);
  const double of_pairs = (2 * lines + 20) / pair_share(), of_loops = loops_ ? (lines + 8) / loop_share() : 0;
  const double of_sum = static_cast<double>(points_.num_vectors()) + static_cast<double>(blocks_of_part) + 64;
  return (1.01 * (static_cast<double>(half_) * of_pairs + size * of_loops) + 12 * (size + lines) + of_sum) *
         unit_roundoff;
}

Mean HafnianMean::of(std::span<const Complex> entries, const RunContext& run, int num_threads) const {
  if (!std::ranges::all_of(entries, [](Complex entry) { return is_moderate(entry); })) return {};
  const std::optional<Matrix> found = scaled(entries);
  if (!found) return {0, 0, 0};
  const Matrix& matrix = *found;
  const std::size_t n = points_.num_lines();
  double pairs_size = 0, loops_size = 0;
  for (const Complex entry : matrix.pairs) pairs_size += std::abs(entry) / 2;
  for (const Complex entry : matrix.loops) loops_size += std::abs(entry);
  // Squares of smaller forms would be lost, and the bound with them.
  if (!is_moderate(pairs_size) || !is_moderate(loops_size)) return {};
  const std::vector<double> inner = inner_forms(matrix);
  const point_kernel::Pairs pairs{points_.num_vectors(),     static_cast<int>(points_.inner.size()),
                                  coordinate_.data(),        inner.data(),
                                  points_.weights(2).data(), static_cast<unsigned>(half_),
                                  points_.size % 2 != 0,     loops_ ? coefficient_.data() : nullptr,
                                  pairs_size * pair_share(), loops_size * loop_share()};
  const auto step = [&](const Points::Coordinate& coordinate, std::size_t power, const Complex* from, Complex* to) {
    const Complex x = coordinate.root[power];
    const Complex* const line = matrix.pairs.data() + coordinate.line * n;
    to[0] = from[0] + (from[place_[coordinate.line]] + 0.5 * line[coordinate.line] * x) * x;
    to[1] = from[1] + matrix.loops[coordinate.line] * x;
    for (std::size_t i = 0; i < n; ++i) to[place_[i]] = from[place_[i]] + line[i] * x;
  };
  std::vector<Complex> start(first_line + n);
  const Complex* const fixed = matrix.pairs.data() + points_.fixed_line * n;
  start[0] = 0.5 * fixed[points_.fixed_line];
  start[1] = matrix.loops[points_.fixed_line];
  for (std::size_t i = 0; i < n; ++i) start[place_[i]] = fixed[i];
  const point_kernel::SumPairs sum_pairs = kernels_for<point_kernel::Kernels>(run.options().max_isa).pairs;
  const auto of_block = [&](const Complex* base) {
    double out[3];
    sum_pairs(pairs, reinterpret_cast<const double*>(base), out);
    return Part<Complex>{{out[0], out[1]}, out[2]};
  };
  const double work = static_cast<double>(points_.inner.size() + 4 + (loops_ ? 3 * half_ : 0));
  const Part<Complex> sum = sum_over_blocks(points_, start, step, of_block, work, run, num_threads);
  DoubleDouble factor = points_.factorials / DoubleDouble(num_points());
  for (std::size_t i = 2; i <= half_; ++i) factor /= DoubleDouble(static_cast<double>(i));
  return {sum.value * factor.hi, relative_error() * factor.hi * sum.size, matrix.exponent};
}

PermanentMean::PermanentMean(std::span<const std::uint32_t> row_times, std::span<const std::uint32_t> column_times)
    : transposed_(dense::num_points(column_times) < dense::num_points(row_times)),
      points_(transposed_ ? column_times : row_times) {
  const auto times = transposed_ ? row_times : column_times;
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

// Lines row-major, their forms by place.
template <class T>
std::vector<T> PermanentMean::lines_of(const T* entries) const {
  const std::size_t lines = points_.num_lines(), width = form_.size();
  const std::size_t step = transposed_ ? lines : 1, line_step = transposed_ ? 1 : width;
  std::vector<T> matrix(lines * width);
  for (std::size_t i = 0; i < lines; ++i) {
    for (std::size_t place = 0; place < width; ++place)
      matrix[i * width + place] = entries[i * line_step + form_[place] * step];
  }
  return matrix;
}

// Returns the shares of the powers of all coordinates in the forms: [first_step + power][place].
template <class Number>
std::vector<Number> PermanentMean::steps_of(const std::vector<Number>& matrix) const {
  const std::size_t width = form_.size();
  std::vector<Number> steps;
  steps.reserve((points_.size + points_.num_lines()) * width);
  for (const auto* coordinates : {&points_.inner, &points_.outer}) {
    for (const Points::Coordinate& coordinate : *coordinates) {
      const Number* const line = matrix.data() + coordinate.line * width;
      for (const Complex root : coordinate.root) {
        for (std::size_t place = 0; place < width; ++place) steps.push_back(turned(line[place], root));
      }
    }
  }
  return steps;
}

// Lays out the points of a block as point_kernel::Forms has them.
template <class Number>
std::vector<double> PermanentMean::lanes_of(const std::vector<Number>& steps) const {
  constexpr std::size_t lanes = Points::num_lanes;
  const std::size_t numbers = form_.size() * components<Number>,
                    vectors = static_cast<std::size_t>(points_.num_vectors());
  std::vector<double> result(vectors * numbers * lanes);
  for (std::size_t number = 0; number < numbers; ++number) {
    double value[Points::most_inner + lanes] = {};
    points_.add_up(value, [&](const Points::Coordinate& coordinate, std::size_t power) {
      return reinterpret_cast<const double*>(steps.data())[(coordinate.first_step + power) * numbers + number];
    });
    for (std::size_t vector = 0; vector < vectors; ++vector)
      std::copy_n(value + vector * lanes, lanes, result.data() + (vector * numbers + number) * lanes);
  }
  return result;
}

double PermanentMean::relative_error() const {
  return error_of_mean(points_.num_lines(), points_.size,
                       static_cast<double>(points_.num_vectors()) + static_cast<double>(blocks_of_part));
}

template <class Number>
Mean PermanentMean::mean_of(const std::vector<Number>& matrix, const RunContext& run, int num_threads) const {
  constexpr std::size_t parts = components<Number>;
  const std::size_t width = form_.size();
  std::vector<double> floor(width);
  for (std::size_t place = 0; place < width; ++place) {
    for (std::size_t i = 0; i < points_.num_lines(); ++i) floor[place] += modulus(matrix[i * width + place]);
    floor[place] /= 3 * std::sqrt(static_cast<double>(points_.num_lines()));
    if (parts == 2) floor[place] *= floor[place];
  }
  const std::vector<Number> steps = steps_of(matrix);
  const std::vector<double> lanes = lanes_of(steps);
  const auto& kernels = kernels_for<point_kernel::Kernels>(run.options().max_isa);
  const point_kernel::Forms forms{
      points_.num_vectors(), static_cast<int>(group_end_.size()), group_end_.data(), group_exponent_.data(),
      lanes.data(),          points_.weights(parts).data(),       floor.data()};
  const auto step = [&](const Points::Coordinate& coordinate, std::size_t power, const Number* from, Number* to) {
    const Number* const added = steps.data() + (coordinate.first_step + power) * width;
    for (std::size_t place = 0; place < width; ++place) to[place] = from[place] + added[place];
  };
  const auto of_block = [&](const Number* base) {
    double out[3];
    (parts == 2 ? kernels.complex_forms : kernels.real_forms)(forms, reinterpret_cast<const double*>(base), out);
    if constexpr (parts == 2) return Part<Number>{{out[0], out[1]}, out[2]};
    if constexpr (parts == 1) return Part<Number>{out[0], out[1]};
  };
  const Number* const fixed = matrix.data() + points_.fixed_line * width;
  const Part<Number> sum = sum_over_blocks(points_, std::vector<Number>(fixed, fixed + width), step, of_block,
                                           static_cast<double>(width), run, num_threads);
  const double size = sum.size / num_points(), factor = (points_.factorials / DoubleDouble(num_points())).hi;
  return {sum.value * factor, relative_error() * points_.factorials.hi * (parts == 2 ? std::sqrt(size) : size), 0};
}

template <class T>
Mean PermanentMean::of(const T* entries, const RunContext& run, int num_threads) const {
  const std::size_t lines = points_.num_lines(), width = form_.size();
  std::vector<T> matrix = lines_of(entries);
  if (!std::ranges::all_of(matrix, [](const T& entry) { return is_moderate(entry); })) return {};
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
    exponent += static_cast<double>(*power) * points_.times[i];
  }
  if (!scale_forms()) return {0, 0, 0};
  if (!points_.signs_alone) {
    const std::vector<int> powers = balancing_powers(matrix, points_.times, form_times_);
    for (std::size_t i = 0; i < lines; ++i) {
      scale(matrix.data() + i * width, width, 1, powers[i]);
      exponent -= static_cast<double>(powers[i]) * points_.times[i];
    }
    scale_forms();
  }
  Mean result;
  if constexpr (std::is_same_v<T, double>) {
    result = points_.signs_alone ? mean_of(matrix, run, num_threads)
                                 : mean_of(std::vector<Complex>(matrix.begin(), matrix.end()), run, num_threads);
  } else {
    result = mean_of(matrix, run, num_threads);
  }
  result.exponent = exponent;
  return result;
}

// Entries are not scaled: products of so many columns' sums from 2^-30 to 2^30, or of their squares, are far from the
// ends of the range, and what underflows in them is far below their rounding.
template <class T>
std::array<Mean, 8> means_of_eight(const T* entries, std::size_t n, std::size_t count, Isa max_isa) {
  constexpr std::size_t parts = components<T>, lanes = point_kernel::num_lanes;
  constexpr double least = 0x1p-30, largest = 0x1p30;
  alignas(64) double beside[most_rows_of_eight * most_rows_of_eight * parts * lanes];
  const auto* const numbers = reinterpret_cast<const double*>(entries);
  const std::size_t size = n * n * parts;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const double* const from = numbers + std::min(lane, count - 1) * size;
    for (std::size_t i = 0; i < size; ++i) beside[i * lanes + lane] = from[i];
  }
  const auto& kernels = kernels_for<point_kernel::Kernels>(max_isa);
  point_kernel::Eight out{};
  (parts == 2 ? kernels.eight_complex : kernels.eight_reals)(static_cast<int>(n), beside, &out);
  const auto points = static_cast<double>(std::size_t{1} << (n - 1));
  const double relative =
      error_of_mean(n, n, (1 << point_kernel::inner_bits) + points / (1 << point_kernel::inner_bits));
  std::array<Mean, 8> means;
  for (std::size_t lane = 0; lane < count; ++lane) {
    if (!(out.least[lane] >= least && out.largest[lane] <= largest && out.not_positive[lane] > 0)) continue;
    const double mean_size = out.size[lane] / points;
    means[lane] = {{out.sum[0][lane] / points, out.sum[1][lane] / points},
                   relative * (parts == 2 ? std::sqrt(mean_size) : mean_size),
                   0};
  }
  return means;
}

template <class T>
std::optional<AnswerOf<T>> value_of(const Mean& mean, std::size_t rows, double points) {
  const double error = mean.error + std::exp2(log2_underflow(rows, std::log2(points)));
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const double im = components<T> == 2 ? mean.value.imag() : 0;
  return with_bound<T>({DoubleDouble(mean.value.real()), DoubleDouble(im)}, error, unknown, mean.exponent);
}

template <class T>
std::optional<AnswerOf<T>> value_of(const DenseSum& sum) {
  constexpr double enough = 1e-5;  // expansions of as many rows as GPUs take lose as much
  auto value = value_of<T>(Mean{{sum.re, sum.im}, sum.error, static_cast<double>(sum.exponent)}, 1, 1);
  return value && relative_error(*value) <= enough ? std::move(value) : std::nullopt;
}

double cpu_seconds(const DenseShape& shape) {
  // Measured, with AVX-512: a form at a point; and a hafnian, times 2^(3/4 n).
  constexpr double of_form = 2.5e-10, of_hafnian = 4e-9;
  if (shape.hafnian) return of_hafnian * std::exp2(0.75 * static_cast<double>(shape.row_times.size()));
  const double points = std::min(num_points(shape.row_times), num_points(shape.column_times));
  return of_form * (shape.complex ? 2 : 1) * points *
         std::accumulate(shape.row_times.begin(), shape.row_times.end(), 0.0);
}

template std::optional<RealValue> value_of<double>(const Mean&, std::size_t, double);
template std::optional<ComplexValue> value_of<Complex>(const Mean&, std::size_t, double);
template std::optional<RealValue> value_of<double>(const DenseSum&);
template std::optional<ComplexValue> value_of<Complex>(const DenseSum&);
template std::array<Mean, 8> means_of_eight(const double*, std::size_t, std::size_t, Isa);
template std::array<Mean, 8> means_of_eight(const Complex*, std::size_t, std::size_t, Isa);
template Mean PermanentMean::of(const double*, const RunContext&, int) const;
template Mean PermanentMean::of(const Complex*, const RunContext&, int) const;

}  // namespace matchcount::dense
