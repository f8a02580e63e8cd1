// The matrix is made real first. Where conj(O_ij) = O_(i+n, j+n) and conj(O_(i, j+n)) = O_(i+n, j), a unitary 2 x 2
// matrix on each mode (ladder operators to quadratures) does that, and leaves the determinants alone; else a complex
// entry becomes a 2 x 2 block of reals, whose determinants are squares, and a mode has four rows. The kernel eliminates
// without pivots, as Cholesky.

#include "linear/torontonian.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/amounts.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/work.hpp"
#include "linear/cpu/torontonian_bound.hpp"
#include "linear/cpu/torontonian_kernel.hpp"
#include "linear/cuda/torontonian_gpu.hpp"

namespace matchcount {
namespace {

namespace kernel = torontonian_kernel;
using torontonian_bound::find_bounds;
using torontonian_bound::Problem;
using torontonian_bound::Room;
using torontonian_bound::Roundings;
using torontonian_bound::unit_of;

// A piece has 2^14 subsets in each of 8 lanes, some milliseconds.
constexpr int piece_bits = 14;
// Diagonals of I - O between 2^-60 and 2^60 keep all numbers on the way within doubles.
constexpr double most_diagonal = 0x1p60;
// Doubles that are right to this are not computed again.
constexpr double log2_good_relative_error = -29.897;  // of 1e-9

// Holds entries of O, and what each may differ by.
struct Entries {
  std::size_t n = 0;  // modes
  std::vector<ComplexDoubleDouble> values, loops;
  std::vector<double> errors, loop_errors;
  std::size_t at(std::size_t i, std::size_t j) const { return i * 2 * n + j; }
};

// Returns |z| or up to half as much more.
double size_of(const ComplexDoubleDouble& z) { return (std::fabs(z.re.hi) + std::fabs(z.im.hi)) * (1 + 0x1p-40); }
// Returns what a number of this size may differ by that is right to entry_error.
double error_of(double size, double entry_error) { return (entry_error + 0x1p-100) * size + 0x1p-1000; }
ComplexDoubleDouble conj(const ComplexDoubleDouble& z) { return {z.re, -z.im}; }
ComplexDoubleDouble mean(const ComplexDoubleDouble& a, const ComplexDoubleDouble& b) {
  if (a == b) return a;
  const ComplexDoubleDouble sum = a + b;
  return {{sum.re.hi / 2, sum.re.lo / 2}, {sum.im.hi / 2, sum.im.lo / 2}};
}

// Finds the largest excess of |a - b| over a tolerance, and where.
struct Difference {
  double size = 0;
  std::size_t i = 0, j = 0;
  bool within = true;
  void look(const ComplexDoubleDouble& a, const ComplexDoubleDouble& b, const TorontonianOptions& options,
            std::size_t row, std::size_t column) {
    if (a == b) return;
    const double difference = magnitude(a - b);
    within = within && difference <= options.atol + options.rtol * std::max(magnitude(a), magnitude(b));
    if (!(difference > size)) return;
    size = difference;
    i = row;
    j = column;
  }
};

// Makes `values` Hermitian, which they are within the tolerance.
void make_hermitian(Entries& o, const TorontonianOptions& options) {
  Difference difference;
  for (std::size_t i = 0; i < 2 * o.n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      ComplexDoubleDouble &a = o.values[o.at(i, j)], &b = o.values[o.at(j, i)];
      difference.look(a, conj(b), options, i, j);
      if (a == conj(b)) continue;
      const double half = size_of(a - conj(b)) / 2;
      a = mean(a, conj(b));
      b = conj(a);
      o.errors[o.at(i, j)] += half;
      o.errors[o.at(j, i)] = std::max(o.errors[o.at(i, j)], o.errors[o.at(j, i)] + half);
    }
  }
  if (difference.within) return;
  throw InputError("a matrix whose entries (" + std::to_string(difference.i + 1) + ", " +
                       std::to_string(difference.j + 1) + ") and (" + std::to_string(difference.j + 1) + ", " +
                       std::to_string(difference.i + 1) + "), counted from 1, are not conjugate, by " +
                       rounded_up(difference.size, 3),
                   "a Hermitian one: (O + O.conj().T) / 2, or a tolerance rtol or atol");
}

// Says whether ladder operators become quadratures.
bool is_physical(const Entries& o, const TorontonianOptions& options) {
  Difference difference;
  for (std::size_t i = 0; i < o.n; ++i) {
    if (!o.loops.empty()) difference.look(o.loops[i], conj(o.loops[i + o.n]), options, i, i);
    for (std::size_t j = 0; j < o.n; ++j) {
      difference.look(o.values[o.at(i, j)], conj(o.values[o.at(i + o.n, j + o.n)]), options, i, j);
      difference.look(o.values[o.at(i, j + o.n)], conj(o.values[o.at(i + o.n, j)]), options, i, j);
    }
  }
  return difference.within;
}

bool is_real(const Entries& o) {
  const auto real = [](const ComplexDoubleDouble& z) { return z.im.hi == 0; };
  return std::ranges::all_of(o.values, real) && std::ranges::all_of(o.loops, real);
}

// Requires that this may stand on the diagonal of a row of I - O.
void require_diagonal(double diagonal, std::size_t row) {
  if (!(diagonal > 0))
    throw InputError("I - O that is not positive definite: row " + std::to_string(row + 1) + " of it as reals has " +
                         std::to_string(diagonal) + " on the diagonal",
                     "eigenvalues of O below 1");
  if (!(diagonal >= 1 / most_diagonal && diagonal <= most_diagonal))
    throw Unable("a diagonal entry of I - O of " + rounded_up(diagonal, 3) + ": torontonians take 2^-60 to 2^60");
}

// Fills a problem from the entry of I - O at rows i >= j of the real matrix, and from that of its loops; both with what
// they may differ by.
template <class Entry, class Loop>
void fill(Problem& problem, bool has_loops, const Entry& entry, const Loop& loop) {
  const std::size_t size = problem.size();
  std::vector<double> inverse_roots(size), errors;
  errors.reserve(size * (size + 1) / 2);
  problem.entries.reserve(size * (size + 1) / 2);
  double squares = 0, loop_squares = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      auto [value, error] = entry(i, j);
      if (i == j) value = DoubleDouble(1) + value;
      problem.entries.push_back(value);
      errors.push_back(error + (i == j ? 0x1p-100 : 0));
    }
    const double diagonal = problem.entries.back().hi;
    require_diagonal(diagonal, i);
    inverse_roots[i] = 1 / std::sqrt(diagonal);
    for (std::size_t j = 0; j <= i; ++j) {
      const double scaled = errors[i * (i + 1) / 2 + j] * (inverse_roots[i] * inverse_roots[j]);
      squares += (i == j ? 1 : 2) * scaled * scaled;
    }
    if (!has_loops) continue;
    const auto [value, error] = loop(i);
    problem.loops.push_back(value);
    loop_squares += error * error / diagonal;
  }
  problem.entries_error = std::sqrt(squares) * (1 + 0x1p-30);
  problem.loops_error = std::sqrt(loop_squares) * (1 + 0x1p-30);
}

Problem problem_of(Entries o, const TorontonianOptions& options) {
  make_hermitian(o, options);
  struct Uncertain {
    DoubleDouble value;
    double error;
  };
  const std::size_t n = o.n;
  Problem problem;
  problem.num_modes = n;
  const bool has_loops = !o.loops.empty();
  // The loops are v = conj(g), since g^T (I - O)^-1 conj(g) is v^H A^-1 v.
  const bool real = is_real(o);
  if (!real && is_physical(o, options)) {
    problem.factor = 1;
    fill(
        problem, has_loops,
        [&](std::size_t i, std::size_t j) {
          const std::size_t k = i / 2, l = j / 2;
          const std::size_t at_p = o.at(k, l), at_r = o.at(k + n, l + n), at_q = o.at(k, l + n), at_s = o.at(k + n, l);
          const ComplexDoubleDouble p = mean(o.values[at_p], conj(o.values[at_r]));
          const ComplexDoubleDouble q = mean(o.values[at_q], conj(o.values[at_s]));
          const DoubleDouble value =
              i % 2 == 0 ? (j % 2 == 0 ? p.re + q.re : q.im - p.im) : (j % 2 == 0 ? p.im + q.im : p.re - q.re);
          return Uncertain{-value, std::max(o.errors[at_p], o.errors[at_r]) + std::max(o.errors[at_q], o.errors[at_s]) +
                                       size_of(o.values[at_p] - p) + size_of(o.values[at_q] - q)};
        },
        [&](std::size_t i) {
          const ComplexDoubleDouble v = mean(o.loops[i / 2], conj(o.loops[i / 2 + n]));
          return Uncertain{i % 2 == 0 ? v.re : -v.im,
                           std::max(o.loop_errors[i / 2], o.loop_errors[i / 2 + n]) + size_of(o.loops[i / 2] - v)};
        });
    return problem;
  }
  // Entries of complex matrices become [[re, -im], [im, re]].
  problem.rows = real ? 2 : 4;
  const auto is_lower = [&](std::size_t i) { return !real && i % 4 >= 2; };
  std::vector<std::size_t> row;  // those of mode after mode
  for (std::size_t i = 0; i < problem.size(); ++i) row.push_back(i / problem.rows + i % 2 * n);
  fill(
      problem, has_loops,
      [&](std::size_t i, std::size_t j) {
        const std::size_t at = o.at(row[i], row[j]);
        const ComplexDoubleDouble& z = o.values[at];
        return Uncertain{-(is_lower(i) == is_lower(j) ? z.re : is_lower(i) ? z.im : -z.im), o.errors[at]};
      },
      [&](std::size_t i) {
        const ComplexDoubleDouble& z = o.loops[row[i]];
        return Uncertain{is_lower(i) ? -z.im : z.re, o.loop_errors[row[i]]};
      });
  return problem;
}

// Makes the problem of doubles that are symmetric and finite; nothing of others. They are exact, and so is 1 less them.
std::optional<Problem> problem_of(std::span<const double> o, std::size_t size, std::span<const double> loop) {
  // Sums up differences: a number that is not finite differs from itself. Rows do not wait for each other.
  double differences = 0;
  for (const double value : loop) differences += value - value;
  for (std::size_t i = 0; i < size; ++i) {
    double of_row = 0;
    for (std::size_t j = 0; j <= i; ++j) of_row += std::fabs(o[i * size + j] - o[j * size + i]);
    differences += of_row;
  }
  if (differences != 0) return std::nullopt;
  Problem problem;
  const std::size_t n = problem.num_modes = size / 2;
  problem.entries.resize(size * (size + 1) / 2);
  DoubleDouble* to = problem.entries.data();
  for (std::size_t i = 0; i < size; ++i) {
    const double* const row = o.data() + (i / 2 + i % 2 * n) * size;
    for (std::size_t l = 0; l < i / 2; ++l) {
      (to++)->hi = -row[l];
      (to++)->hi = -row[l + n];
    }
    if (i % 2 == 1) (to++)->hi = -row[i / 2];
    *to = two_sum(1, -row[i / 2 + i % 2 * n]);
    require_diagonal((to++)->hi, i);
  }
  problem.loops.resize(loop.size());
  for (std::size_t i = 0; i < loop.size(); ++i) problem.loops[i].hi = loop[i / 2 + i % 2 * n];
  return problem;
}

struct Partial {
  DoubleDouble sum;
  double magnitude = 0;
  void add(const Partial& other) {
    sum += other.sum;
    magnitude += other.magnitude;
  }
};

// Returns the seconds of one core.
double forecast_s(const Problem& problem, bool is_double) {
  const double subset_s = (is_double ? 3e-9 : 1.6e-8) * (problem.rows == 4 ? 8 : 1) * (problem.loops.empty() ? 1 : 2);
  return std::ldexp(subset_s, static_cast<int>(problem.num_modes));
}

// The same of the GPUs together, from an H200's: in doubles 6 % of its FP64, for threads wait for matrices in their own
// memory.
double gpu_forecast_s(const Problem& problem, bool is_double, const std::vector<DeviceInfo>& gpus) {
  constexpr double start_s = 0.25, measured_rate = 1.67e13;
  const double subset_s = (is_double ? 1e-10 : 3.6e-10) * (problem.loops.empty() ? 1 : 1.6);
  return start_s +
         std::ldexp(subset_s * measured_rate / operations_per_second(gpus), static_cast<int>(problem.num_modes));
}

// Returns the GPUs that take this torontonian; none for the CPU, which needs so long. Throws Unable where a GPU is
// asked for and can't.
std::vector<DeviceInfo> choose_gpus(const Problem& problem, bool is_double, double cpu_s, const RunContext& run) {
  constexpr double patience_s = 0.5;
  const DeviceChoice& choice = run.options().device;
  if (choice.kind == DeviceChoice::Kind::cuda) {
    if (problem.rows != 2)
      throw Unable(
          "GPUs take torontonians of real matrices, or as physical states have them: conj(O_ij) = "
          "O_(i+n, j+n); the device auto or cpu finds this one");
    if (problem.num_modes < gpu::fewest_torontonian_modes)
      throw Unable("GPUs take torontonians of " + std::to_string(gpu::fewest_torontonian_modes) +
                   " modes or more; the device auto or cpu finds this one");
    return choose_devices(choice);
  }
  if (choice.kind == DeviceChoice::Kind::cpu || problem.rows != 2 ||
      problem.num_modes < gpu::fewest_torontonian_modes || cpu_s < patience_s)
    return {};
  std::vector<DeviceInfo> gpus = choose_devices(choice);
  if (!gpus.empty() && !(gpu_forecast_s(problem, is_double, gpus) < cpu_s)) gpus.clear();
  return gpus;
}

template <class T>
void sum_up(const Problem& problem, const RunContext& run, TorontonianResult& result) {
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr std::size_t parts = is_double ? 1 : 2;
  const Roundings roundings(problem, unit_of<T>);
  // Takes both parts of pairs, or the first.
  const std::size_t num_entries = problem.entries.size(), num_loops = problem.loops.size();
  Room<1 << 10> room(parts * (num_entries + num_loops));
  double* to = room.data();
  for (const auto* values : {&problem.entries, &problem.loops}) {
    for (const DoubleDouble& value : *values) {
      *to++ = value.hi;
      if (!is_double) *to++ = value.lo;
    }
  }
  kernel::Problem asked{static_cast<int>(problem.num_modes), static_cast<int>(problem.rows), room.data(),
                        num_loops == 0 ? nullptr : room.data() + parts * num_entries, problem.factor};
  while (std::ldexp(problem.exponent, -asked.squarings) > 0.25) ++asked.squarings;

  kernel::Piece piece;
  const int modes = asked.num_modes;
  piece.lane_bits = std::min(kernel::log2_lanes, modes);
  piece.path_bits = std::max(0, modes - piece.lane_bits - piece_bits);
  const auto& kernels = kernels_for<kernel::Kernels>(run.options().max_isa);
  const kernel::Kernel sum_piece = (is_double ? kernels.real : kernels.double_double)[problem.rows / 4];
  const std::size_t scratch_size = kernel::scratch_size(problem.num_modes, problem.rows, parts);
  const int threads = piece.path_bits == 0 ? 1 : run.num_threads();
  const std::vector<DeviceInfo>& gpus = result.gpus =
      choose_gpus(problem, is_double, forecast_s(problem, is_double) / threads, run);
  const double bytes = gpus.empty() ? static_cast<double>(scratch_size * sizeof(double)) * threads : 0;
  if (!run.has_memory_for(bytes))
    throw OverLimit("a torontonian of " + std::to_string(modes) + " modes needs " + memory_amount(bytes) +
                    "; the memory limit is " + memory_amount(static_cast<double>(run.memory_limit_bytes())));
  const double seconds =
      gpus.empty() ? forecast_s(problem, is_double) / threads : gpu_forecast_s(problem, is_double, gpus);
  if (seconds > run.seconds_left())
    throw OverLimit("a torontonian of " + std::to_string(modes) + " modes takes about " + time_amount(seconds) +
                        "; the time limit leaves " + time_amount(run.seconds_left()),
                    seconds, bytes);
  const auto sum_one = [&](std::uint64_t path) {
    Room<1 << 13> scratch(scratch_size);
    double sums[kernel::max_parts][kernel::num_lanes] = {}, magnitudes[kernel::num_lanes];
    kernel::Piece one = piece;
    one.path = path;
    sum_piece(asked, one, scratch.data(), sums[0], magnitudes);
    // By halves, so that not all sums wait for each other.
    std::array<T, kernel::num_lanes> of_lanes;
    std::size_t lanes = std::size_t{1} << piece.lane_bits;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if constexpr (is_double) of_lanes[lane] = sums[0][lane];
      if constexpr (!is_double) of_lanes[lane] = fast_two_sum(sums[0][lane], sums[1][lane]);
    }
    while (lanes > 1) {
      lanes /= 2;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        of_lanes[lane] += of_lanes[lane + lanes];
        magnitudes[lane] += magnitudes[lane + lanes];
      }
    }
    return Partial{of_lanes[0], magnitudes[0]};
  };
  Partial total;
  if (piece.path_bits == 0) {
    run.check();
    total = sum_one(0);
  } else {
    Job job;
    job.name = run.part() + ", torontonian";
    job.description = is_double ? "torontonian in doubles" : "torontonian in double-doubles";
    job.num_pieces = std::uint64_t{1} << piece.path_bits;
    job.merge = added_records<Partial>;
    if (gpus.empty()) {
      total = from_bytes<Partial>(sum_on_threads(threads, job, run, [&](std::uint64_t path, double share_done) {
        run.report("torontonian", share_done, 1);
        return to_bytes(sum_one(path));
      }));
    } else {
      const gpu::TorontonianFrame frame{modes,           num_loops != 0, piece.path_bits, modes - gpu::block_modes,
                                        asked.squarings, problem.factor};
      const auto record = [](std::span<const gpu::TorontonianSum> tasks) {
        Partial sum;
        for (const gpu::TorontonianSum& task : tasks) sum.add({{task.high, task.low}, task.magnitude});
        return to_bytes(sum);
      };
      total = from_bytes<Partial>(total_of(gpu::torontonian_on_gpus(
          frame, {room.data(), parts * (num_entries + num_loops)}, is_double, job, gpus, run, record)));
    }
  }
  if (!isfinite(total.sum) || !std::isfinite(total.magnitude))
    throw Unable("the terms of this torontonian leave the range of doubles");
  const double of_exponent =
      problem.loops.empty() ? 0
                            : problem.factor * roundings.of_squares(problem.least, problem.exponent / problem.factor,
                                                                    problem.loops_error) +
                                  4 * roundings.size * unit_of<T> * problem.exponent;
  const double of_terms =
      std::expm1(roundings.of_determinants(problem) / static_cast<double>(problem.rows) + of_exponent);
  const double of_factors = problem.loops.empty() ? 20 : 20 + 16 * std::ldexp(1.0, asked.squarings);
  const double of_sums = (of_factors * modes + 64) * unit_of<T>;
  const double error = (of_terms + of_sums) * total.magnitude * (1 + 0x1p-20) + 0x1p-900;
  result.value = {ScaledReal(total.sum), std::log2(error) + 1e-9, infinity};
}

// Says whether doubles leave far too few digits, if modes cancel as they would that know nothing of each other. To ask
// that of a few modes takes longer than doubles do.
bool is_in_vain_in_doubles(const Problem& problem) {
  if (problem.rows != 2 || problem.num_modes < 6) return false;
  double error = Roundings(problem, unit_of<double>).of_determinants(problem) / 2;
  for (std::size_t i = 1; i < problem.size(); i += 2) {
    const DoubleDouble* const row = problem.entries.data() + i * (i + 1) / 2;
    const double factor = 1 / std::sqrt(problem.diagonal(i - 1).hi * row[i].hi - row[i - 1].hi * row[i - 1].hi);
    error *= (factor + 1) / std::fabs(factor - 1);
  }
  return std::log2(error) > log2_good_relative_error + 3;
}

// Sums up the problem that make_problem() returns, of so many modes.
template <class MakeProblem>
TorontonianResult summed(std::size_t num_modes, const TorontonianOptions& options, const MakeProblem& make_problem) {
  const Precision precision = options.run.precision;
  if (precision == Precision::compensated || precision == Precision::exact)
    throw InputError("the precision '" + std::string(to_string(precision)) + "'",
                     "double or double-double for a torontonian");
  if (!(options.rtol >= 0 && options.atol >= 0)) throw InputError("a tolerance below 0", "rtol and atol from 0 on");
  const RunContext run(options.run);
  TorontonianResult result;
  result.num_modes = num_modes;
  if (num_modes == 0) {
    result.value = {ScaledReal(1), -infinity, infinity};
    return result;
  }
  if (num_modes > kernel::max_modes)
    throw Unable("a torontonian of " + std::to_string(num_modes) + " modes: 60 at most, of 2^60 terms");
  Problem problem = make_problem();
  const bool with_doubles = find_bounds<double>(problem, run);
  if (!with_doubles && !find_bounds<DoubleDouble>(problem, run))
    throw InputError("I - O that is not positive definite, or too near to a matrix that is not",
                     "eigenvalues of O below 1");
  if (precision == Precision::float64 && !with_doubles)
    throw Unable("I - O is too near to a matrix that is not positive definite for doubles: --precision double-double");
  const auto takes_too_long = [&] {
    return std::isfinite(run.seconds_left()) && forecast_s(problem, false) > run.seconds_left() * run.num_threads();
  };
  if (precision != Precision::double_double && with_doubles &&
      (precision == Precision::float64 || takes_too_long() || !is_in_vain_in_doubles(problem))) {
    sum_up<double>(problem, run, result);
    if (precision == Precision::float64 || takes_too_long() ||
        result.value.log2_error <= result.value.value.log2_abs() + log2_good_relative_error)
      return result;
  }
  sum_up<DoubleDouble>(problem, run, result);
  result.arithmetic = Arithmetic::double_double;
  return result;
}

TorontonianResult summed(Entries entries, const TorontonianOptions& options) {
  return summed(entries.n, options, [&] { return problem_of(std::move(entries), options); });
}

// Makes entries that are right to entry_error of their magnitudes.
Entries entries_of(std::size_t rows, std::vector<ComplexDoubleDouble> values, std::vector<ComplexDoubleDouble> loops,
                   double entry_error) {
  if (rows % 2 != 0 || values.size() != rows * rows)
    throw InputError(std::to_string(rows) + " rows and " + std::to_string(values.size()) + " entries",
                     "a square matrix of two rows a mode");
  if (!loops.empty() && loops.size() != rows)
    throw InputError("a loop of " + std::to_string(loops.size()) + " numbers", "one for each row");
  const auto errors = [&](const std::vector<ComplexDoubleDouble>& numbers) {
    std::vector<double> result;
    result.reserve(numbers.size());
    for (const ComplexDoubleDouble& z : numbers) {
      if (!isfinite(z.re) || !isfinite(z.im)) throw InputError("an entry that is not finite", "finite numbers");
      result.push_back(error_of(size_of(z), entry_error));
    }
    return result;
  };
  Entries entries{rows / 2, std::move(values), std::move(loops), {}, {}};
  entries.errors = errors(entries.values);
  entries.loop_errors = errors(entries.loops);
  return entries;
}

ComplexDoubleDouble widened(double value) { return value; }
ComplexDoubleDouble widened(const std::complex<double>& value) { return {value.real(), value.imag()}; }

template <class T>
TorontonianResult exactly(std::span<const T> entries, std::size_t rows, std::span<const T> loop,
                          const TorontonianOptions& options) {
  const auto widen = [](std::span<const T> values) {
    std::vector<ComplexDoubleDouble> result;
    result.reserve(values.size());
    for (const T& value : values) result.push_back(widened(value));
    return result;
  };
  if constexpr (std::is_same_v<T, double>) {
    if (rows % 2 == 0 && entries.size() == rows * rows && (loop.empty() || loop.size() == rows)) {
      if (auto problem = problem_of(entries, rows, loop))
        return summed(rows / 2, options, [&] { return std::move(*problem); });
    }
  }
  return summed(entries_of(rows, widen(entries), widen(loop), 0), options);
}

}  // namespace

TorontonianResult torontonian(std::span<const double> entries, std::size_t rows, std::span<const double> loop,
                              const TorontonianOptions& options) {
  return exactly(entries, rows, loop, options);
}

TorontonianResult torontonian(std::span<const std::complex<double>> entries, std::size_t rows,
                              std::span<const std::complex<double>> loop, const TorontonianOptions& options) {
  return exactly(entries, rows, loop, options);
}

TorontonianResult torontonian(const Matrix& matrix, bool has_loop, const TorontonianOptions& options,
                              std::span<const Rational> fractions) {
  const std::size_t rows = matrix.num_rows(), columns = matrix.num_columns();
  if (columns != rows + (has_loop ? 1 : 0) || rows % 2 != 0)
    throw InputError("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns),
                     has_loop ? "two rows a mode, and one column more than rows: the loop" : "two rows a mode, square");
  if (rows > 2 * kernel::max_modes)
    throw Unable("a torontonian of " + std::to_string(rows / 2) + " modes: 60 at most, of 2^60 terms");
  std::vector<ComplexDoubleDouble> values(rows * rows), loop(has_loop ? rows : 0);
  for (Vertex r = 0; r < rows; ++r) {
    EdgeId edge = matrix.row_begin(r);
    for (const Vertex c : matrix.row(r)) {
      std::visit(
          [&](const auto& weights) {
            ComplexDoubleDouble& value = c < rows ? values[r * rows + c] : loop[r];
            if constexpr (std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
              value = 1;
            } else if constexpr (std::is_same_v<std::decay_t<decltype(weights[0])>, std::int64_t>) {
              const ScaledReal real = fractions.empty()
                                          ? nearest_real(Integer(weights[edge]))
                                          : nearest_real(fractions[static_cast<std::size_t>(weights[edge])]);
              value = ldexp(real.mantissa, static_cast<int>(std::clamp<std::int64_t>(real.exponent, -1100, 1100)));
            } else {
              value = weights[edge];
            }
          },
          matrix.weights());
      ++edge;
    }
  }
  return summed(entries_of(rows, std::move(values), std::move(loop), entry_roundoff), options);
}

}  // namespace matchcount
