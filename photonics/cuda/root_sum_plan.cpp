// A point's column sum s* differs from the truth s by at most d (the grids of its two halves, and the root's error),
// and as it is multiplied, s', from s* by a rounding. With u = 2^-53 and a margin c for each factor (of columns, or of
// four columns together, t = s1 s2 s3 s4, which the grids change by at most D = 4 d (S + d)^3, S the most a sum can
// be):
//   |prod t - prod t*| <= sum_g D_g prod_{h != g} (|t*_h| + D_h) <= (sum_g D_g / c_g) prod_h (|t*_h| + c_h),  D <= c.
// Roundings of s', of the products (a complex one sqrt 5 u, Brent, Percival and Zimmermann 2007), of the weights and of
// the sum over points are relative to prod |t*|. So the error is at most the sum over points of prod (|t'| + c), times
// sum D / c + (number of roundings) u. Of complex numbers (|t| + c)^2 <= (1 + e) (|t|^2 + c^2 / e) spares the roots:
// one is taken for each chunk, sum of sqrt(x_k) over L points <= sqrt(L sum of x_k). Hafnians: |q*^h - q^h| <= h d
// (|q*| + d)^(h-1), which is at most (h d / c) |q*|^h and little more where |q*| >= c, at most h d (2 c)^(h-1)
// elsewhere; loop hafnians, by Euler's theorem: f(x + d) - f(x) <= (n d / c) f(x + c) of a polynomial of degree n
// without negative coefficients. What underflows is below 2^-1074 times later factors, 2^320 at most.

#include "photonics/cuda/root_sum_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/numbers/pair.hpp"

namespace matchcount::gpu {
namespace {

constexpr double unit = 0x1p-53, lost_underflow = 0x1p-600;
constexpr double root_error = 0x1p-95;      // of a root but 1 and -1, and of its product with an entry
constexpr double complex_roundings = 3.3;   // of a sum of two halves and a product: 1 + sqrt 5
constexpr double size_roundings = 0x1p-30;  // of sums of sizes, relative; factors 1 + number of roundings u
// Points of a chunk; threads that a batch should keep busy.
constexpr double most_steps = 256, least_steps = 8, wanted_lanes = 1 << 18;
// A block of fewer threads than root_threads has so many points a thread at least: what its threads do one after the
// other, before they sum, then overlaps with what more other blocks do.
constexpr double steps_of_small_block = 64, wanted_threads = 1 << 17;
constexpr unsigned least_threads = 32, points_side_by_side = 2;
constexpr std::uint64_t wanted_blocks = 4096, points_of_thread = 16384;
constexpr std::uint64_t most_times = 64;
constexpr double most_points = 0x1p33;

std::uint64_t sum_of(const std::vector<std::uint32_t>& times) {
  return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
}
bool all_once(const std::vector<std::uint32_t>& times) {
  return std::ranges::all_of(times, [](std::uint32_t number) { return number == 1; });
}
int ceil_log2(int number) { return static_cast<int>(std::bit_width(static_cast<unsigned>(number - 1))); }

// Counts the multiplications of a power by repeated squaring, the first by 1 included.
int multiplications(unsigned power) { return std::popcount(power) + static_cast<int>(std::bit_width(power)) - 1; }

// Returns exp(2 pi i k / n) by Taylor's series of an angle of at most an eighth of a turn.
Root root_of_unity(unsigned k, unsigned n) {
  const unsigned quarters = 4 * k / n, rest = 4 * k % n;
  const bool swapped = 2 * rest > n;
  const DoubleDouble half_pi(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
  const DoubleDouble angle = half_pi * DoubleDouble(swapped ? n - rest : rest) / DoubleDouble(n);
  DoubleDouble parts[2], term = 1;
  for (int i = 0; i < 32 && std::fabs(term.hi) > 0x1p-112; ++i) {
    parts[i % 2] += i / 2 % 2 == 0 ? term : -term;
    term = term * angle / DoubleDouble(i + 1);
  }
  if (swapped) std::swap(parts[0], parts[1]);
  for (unsigned turn = 0; turn < quarters; ++turn) {
    std::swap(parts[0], parts[1]);
    parts[0] = -parts[0];
  }
  return {parts[0].hi, parts[1].hi, parts[0].lo, parts[1].lo};
}

// Blocks and threads for chunks that `lanes` threads of a block work on.
void share_chunks(RootFrame& frame, std::uint64_t count, std::uint64_t lanes) {
  const std::uint64_t blocks = (frame.chunks + lanes - 1) / lanes;  // of a matrix, if each thread took a chunk
  const std::uint64_t most =
      std::clamp<std::uint64_t>(points_of_thread / static_cast<unsigned>(frame.steps), 1, blocks);
  const std::uint64_t of_thread = std::clamp<std::uint64_t>(count * blocks / wanted_blocks, 1, most);
  frame.chunks_of_thread = static_cast<unsigned>(of_thread);
  frame.parts = static_cast<unsigned>((blocks + of_thread - 1) / of_thread);
}
double steps_wanted(double points, std::uint64_t count) {
  return std::clamp(points * static_cast<double>(count) / wanted_lanes, least_steps, most_steps);
}
// Counts the roundings of the sum over points, in whatever order the parts come.
double sum_roundings(const RootFrame& frame) {
  return 16.0 + frame.steps + points_side_by_side * frame.chunks_of_thread + frame.parts;
}

// Makes the reflected Gray code over the low rows: from point to point one digit moves by one.
std::vector<RootStep> gray_steps(const RootFrame& frame, const std::vector<Root>& roots) {
  const auto low_rows = static_cast<std::size_t>(frame.low_rows);
  std::vector<int> digit(low_rows), way(low_rows, 1);
  std::vector<ComplexDoubleDouble> weight(low_rows + 1, ComplexDoubleDouble(1.0));  // of this row and later ones
  std::vector<RootStep> steps;
  for (int point = 0; point < frame.steps; ++point) {
    RootStep step{weight[0].re.hi, weight[0].im.hi, 0, 0, 0};
    std::size_t row = 0;
    const auto ends = [&] { return digit[row] + way[row] < 0 || digit[row] + way[row] > frame.row_times[row]; };
    for (; row < digit.size() && ends(); ++row) way[row] = -way[row];
    if (row < digit.size()) {
      step.sign = way[row];
      step.table_row = frame.first_table_row[row] + std::max(digit[row], digit[row] + way[row]);
      digit[row] += way[row];
      for (std::size_t i = row + 1; i-- > 0;) {
        const Root& root = roots[static_cast<std::size_t>(frame.first_table_row[i] + digit[i])];
        weight[i] =
            weight[i + 1] * ComplexDoubleDouble(DoubleDouble(root.re, root.re_low), DoubleDouble(root.im, root.im_low));
      }
    }
    steps.push_back(step);
  }
  return steps;
}

unsigned shared_bytes_of(std::size_t pairs) {
  constexpr std::size_t scales = 272, join = 3 * root_threads * sizeof(double);
  return static_cast<unsigned>(scales + std::max(pairs * 2 * sizeof(double), join));
}

// Rows in the kernel's order: the last is one that is taken least often, the low ones come first.
double order_rows(RootSumPlan& plan, const std::vector<std::uint32_t>& times, std::uint64_t count) {
  RootFrame& frame = plan.frame;
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  double points = 1;
  for (std::size_t row = 0; row + 1 < order.size(); ++row) points *= times[order[row]] + 1.0;
  while (plan.threads > least_threads && points / plan.threads < steps_of_small_block &&
         static_cast<double>(count) * plan.threads >= 2 * wanted_threads)
    plan.threads /= 2;
  const double wanted = std::min(steps_wanted(points, count), points / plan.threads);
  frame.steps = 1;
  std::vector<std::size_t> low, high;
  for (std::size_t row = 0; row + 1 < order.size(); ++row) {
    const int values = static_cast<int>(times[order[row]]) + 1;
    const bool is_low = frame.steps * values <= wanted;
    (is_low ? low : high).push_back(order[row]);
    if (is_low) frame.steps *= values;
  }
  frame.low_rows = static_cast<int>(low.size());
  low.insert(low.end(), high.begin(), high.end());
  low.push_back(order.back());
  for (std::size_t row = 0; row < low.size(); ++row) {
    frame.order[row] = static_cast<unsigned char>(low[row]);
    frame.row_times[row] = static_cast<unsigned char>(times[low[row]]);
    frame.first_table_row[row] = frame.table_rows;
    frame.table_rows += row + 1 < low.size() ? static_cast<int>(times[low[row]]) + 1 : 1;
  }
  return points;
}

RootSumPlan plan_permanents(const DenseShape& shape, std::uint64_t count) {
  RootSumPlan plan;
  RootFrame& frame = plan.frame;
  frame.rows = static_cast<int>(shape.row_times.size());
  frame.columns = static_cast<int>(shape.column_times.size());
  std::ranges::copy(shape.column_times, frame.column_times);
  std::fill(frame.column_times + frame.columns, std::end(frame.column_times), static_cast<unsigned char>(1));
  const double points = order_rows(plan, shape.row_times, count);
  const bool powers = !all_once(shape.row_times) || !all_once(shape.column_times);
  plan.widen = powers && !shape.complex;
  plan.components = powers || shape.complex ? 2 : 1;
  int width = (frame.columns + 3) / 4 * 4;
  if (plan.components == 2 && width > 16) width = width <= 24 ? 24 : 32;
  plan.kernel = (powers          ? "permanent_powers_"
                 : shape.complex ? "permanent_complex_"
                                 : "permanent_real_") +
                std::to_string(width);
  // Threads share columns as in root_sums.cu.
  const int split = plan.components == 2 && width > 16 ? 4 : width * plan.components > 4 ? 2 : 1;
  for (int row = 0; row + 1 < frame.rows; ++row) {
    const unsigned values = frame.row_times[row] + 1u;
    const bool again = row > 0 && frame.row_times[row - 1] + 1u == values;  // as before
    for (unsigned k = 0; k < values; ++k)
      plan.roots.push_back(again ? plan.roots[plan.roots.size() - values] : root_of_unity(k, values));
  }
  plan.roots.push_back(root_of_unity(0, 1));
  plan.steps = gray_steps(frame, plan.roots);
  frame.chunks = static_cast<unsigned>(points / frame.steps);
  share_chunks(frame, count, plan.threads / static_cast<unsigned>(split) * points_side_by_side);
  const int bits = ceil_log2(frame.rows);
  frame.grid_bits = 53 - bits;
  plan.shared_bytes = shared_bytes_of(static_cast<std::size_t>(frame.table_rows + 1) *
                                          static_cast<std::size_t>(width * plan.components + (split > 1 ? split : 0)) +
                                      (plan.doubles_of_matrix() + 1) / 2);

  const double total = static_cast<double>(sum_of(shape.row_times)), rows = frame.rows;
  const double taken = powers ? total + width - frame.columns : width;  // factors of a point
  const double grid =
      rows * std::numbers::sqrt2 * (std::ldexp(1, -2 * frame.grid_bits - 2) + (powers ? root_error : 0));
  const double largest = std::ldexp(std::numbers::sqrt2, bits) + grid;
  if (powers) {
    plan.relative = taken * grid / power_margin;
  } else {
    const double margin = plan.components == 1 ? real_margin : complex_margin;
    plan.relative = width * grid * largest * largest * largest / margin;
  }
  const double roundings = plan.components == 1 ? 2 * taken : complex_roundings * (taken + rows + 2);
  plan.relative += unit * (roundings + rows + sum_roundings(frame));
  plan.relative *= 1 + size_roundings;
  if (powers) plan.relative *= std::pow(1 + power_stretch, taken / 2);
  if (!powers && plan.components == 2) {
    const int groups = split * ((width / split + 3) / 4);
    plan.relative *= std::pow(1 + complex_stretch, groups / 2.0);
  }
  plan.factor = 1 / points;
  for (const std::uint32_t times : shape.row_times) plan.factor *= std::tgamma(times + 1.0);
  plan.underflow = lost_underflow * plan.factor * points;

  double of_point = plan.components == 1 ? 4.5 * width + 4 : 11.0 * width + 10;
  if (powers) {
    of_point = 10;
    for (int column = 0; column < width; ++column) {
      const unsigned times = frame.column_times[column];
      of_point += 8 + 5 * multiplications(times);
    }
  }
  const double of_chunk = 2.0 * plan.components * width * (frame.rows - frame.low_rows);
  plan.operations = points * (of_point + of_chunk / frame.steps);
  return plan;
}

RootSumPlan plan_hafnians(const DenseShape& shape, std::uint64_t count) {
  RootSumPlan plan;
  RootFrame& frame = plan.frame;
  const int n = static_cast<int>(shape.row_times.size()), bits = n - 1;
  frame.rows = frame.columns = n;
  plan.components = shape.complex ? 2 : 1;
  plan.kernel = std::string(shape.loops ? "loop_" : "") + (shape.complex ? "hafnian_complex" : "hafnian_real");
  const double points = std::ldexp(1, bits);
  const int full_block = std::countr_zero(root_threads);
  // A kernel takes four points at a time.
  frame.low_rows = std::clamp(bits - full_block, 2, static_cast<int>(std::log2(steps_wanted(points, count))));
  frame.steps = 1 << frame.low_rows;
  frame.chunks = 1u << (bits - frame.low_rows);
  share_chunks(frame, count, root_threads);
  const int edges = n * (n - 1) / 2;
  frame.grid_bits = 53 - ceil_log2(edges);
  plan.shared_bytes = shared_bytes_of(static_cast<std::size_t>(n * n + frame.steps * (shape.loops ? 2 : 1) +
                                                               frame.low_rows * static_cast<int>(root_threads)) *
                                      static_cast<std::size_t>(plan.components));

  const int half = n / 2;
  const double grid = edges * std::numbers::sqrt2 * std::ldexp(1, -2 * frame.grid_bits - 2);
  plan.factor = 1 / points;
  plan.underflow = lost_underflow;
  double roundings = 0, changed = 0;
  if (shape.loops) {
    for (int i = 0; i <= half; ++i)
      plan.roots.push_back({1 / (std::tgamma(i + 1) * std::tgamma(n - 2 * i + 1)), 0, 0, 0});
    roundings = plan.components == 1 ? 3 * n + 4 : 8 * n + 8;
    changed = n * grid / form_margin;
  } else {
    roundings = plan.components == 1 ? 2 * half : complex_roundings * half;
    changed = half * grid / form_margin;
    plan.factor /= std::tgamma(half + 1);
    plan.underflow += half * grid * std::pow(2 * form_margin, half - 1) / std::tgamma(half + 1);
  }
  plan.relative = (changed + unit * (roundings + sum_roundings(frame))) * (1 + size_roundings);

  const int high = n - frame.low_rows;
  const int products = multiplications(static_cast<unsigned>(half));
  double of_point = plan.components == 1 ? 7 + products : 17 + 4 * products;
  if (shape.loops) of_point = plan.components == 1 ? 14 + 7 * half : 70 + 14 * half;
  const double of_chunk = static_cast<double>(plan.components * high * (n + frame.low_rows));
  plan.operations = points * (of_point + of_chunk / frame.steps);
  return plan;
}

}  // namespace

RootSumPlan plan_root_sums(const DenseShape& shape, std::uint64_t count) {
  return shape.hafnian ? plan_hafnians(shape, count) : plan_permanents(shape, count);
}

DenseSum RootSumPlan::finish(std::span<const RootSum> parts) const {
  if (parts.front().exponent == zero_exponent) return {};
  DenseSum result;
  double size = 0;
  for (const RootSum& part : parts) {
    result.re += part.re;
    result.im += part.im;
    size += part.size;
  }
  result.re *= factor;
  result.im = widen ? 0 : result.im * factor;
  result.error = relative * (size * factor) + underflow;
  result.exponent = static_cast<std::int64_t>(parts.front().exponent);
  return result;
}

}  // namespace matchcount::gpu

namespace matchcount {

bool gpu_sums(const DenseShape& shape) {
  const auto fits = [](const std::vector<std::uint32_t>& times) {
    const bool taken = std::ranges::all_of(times, [](std::uint32_t number) { return number > 0; });
    return taken && !times.empty() && times.size() <= gpu::most_root_rows && gpu::sum_of(times) <= gpu::most_times;
  };
  if (!fits(shape.row_times)) return false;
  const std::size_t n = shape.row_times.size();
  if (shape.hafnian) return gpu::all_once(shape.row_times) && (shape.loops ? n >= 3 : n >= 4 && n % 2 == 0);
  double points = 1;
  for (const std::uint32_t times : shape.row_times) points *= times + 1.0;
  points /= *std::ranges::min_element(shape.row_times) + 1.0;
  return fits(shape.column_times) && gpu::sum_of(shape.row_times) == gpu::sum_of(shape.column_times) &&
         points <= gpu::most_points;
}

}  // namespace matchcount
