// How matrices become real and what each may differ by is torontonian_problem.cpp's; the kernel eliminates without
// pivots, as Cholesky.

#include "photonics/torontonian.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>

#include "core/amounts.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/work.hpp"
#include "photonics/torontonian/cpu/torontonian_bound.hpp"
#include "photonics/torontonian/cuda/torontonian_gpu.hpp"
#include "photonics/torontonian/torontonian_sum.hpp"

namespace matchcount::torontonian_sum {

using torontonian_bound::find_bounds;
using torontonian_bound::Roundings;
using torontonian_bound::unit_of;

// Doubles that are right to this are not computed again.
constexpr double log2_good_relative_error = -29.897;  // of 1e-9

double forecast_s(const Problem& problem, bool is_double) {
  const double subset_s = (is_double ? 3e-9 : 1.6e-8) * (problem.rows == 4 ? 8 : 1) * (problem.loops.empty() ? 1 : 2);
  return std::ldexp(subset_s, static_cast<int>(problem.num_modes));
}

// From an H200's: in doubles 6 % of its FP64, for threads wait for matrices in their own memory.
double gpu_forecast_s(const Problem& problem, bool is_double, const std::vector<DeviceInfo>& gpus) {
  constexpr double measured_rate = 1.67e13;
  const double subset_s = (is_double ? 1e-10 : 3.6e-10) * (problem.loops.empty() ? 1 : 1.6);
  return std::ldexp(subset_s * measured_rate / operations_per_second(gpus), static_cast<int>(problem.num_modes));
}

template <class T>
RealValue value_of(const Problem& problem, const Partial& total) {
  if (!isfinite(total.sum) || !std::isfinite(total.magnitude))
    throw Unable("the terms of this torontonian leave the range of doubles");
  const Roundings roundings(problem, unit_of<T>);
  const double of_exponent =
      problem.loops.empty() ? 0
                            : problem.factor * roundings.of_squares(problem.least, problem.exponent / problem.factor,
                                                                    problem.loops_error) +
                                  4 * roundings.size * unit_of<T> * problem.exponent;
  const double of_terms =
      std::expm1(roundings.of_determinants(problem) / static_cast<double>(problem.rows) + of_exponent);
  const double of_factors = problem.loops.empty() ? 20 : 20 + 16 * std::ldexp(1.0, squarings_of(problem));
  const double of_sums = (of_factors * static_cast<double>(problem.num_modes) + 64) * unit_of<T>;
  const double error = (of_terms + of_sums) * total.magnitude * (1 + 0x1p-20) + 0x1p-900;
  return {ScaledReal(total.sum), std::log2(error) + 1e-9, infinity};
}
template RealValue value_of<double>(const Problem&, const Partial&);
template RealValue value_of<DoubleDouble>(const Problem&, const Partial&);

// To ask that of a few modes takes longer than doubles do.
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

bool is_good(const RealValue& value) { return value.log2_error <= value.value.log2_abs() + log2_good_relative_error; }

void require_options(std::size_t num_modes, const TorontonianOptions& options) {
  const Precision precision = options.run.precision;
  if (precision == Precision::compensated || precision == Precision::exact)
    throw InputError("the precision '" + std::string(to_string(precision)) + "'",
                     "double or double-double for a torontonian");
  if (!(options.rtol >= 0 && options.atol >= 0)) throw InputError("a tolerance below 0", "rtol and atol from 0 on");
  if (num_modes > torontonian_kernel::max_modes)
    throw Unable("a torontonian of " + std::to_string(num_modes) + " modes: 60 at most, of 2^60 terms");
}

void refuse_on_gpus() {
  throw Unable(
      "GPUs take torontonians of real matrices, or as physical states have them: conj(O_ij) = "
      "O_(i+n, j+n); the device auto or cpu finds this one");
}

bool bound_in_doubles(Problem& problem, const RunContext& run) {
  const bool with_doubles = find_bounds<double>(problem, run);
  if (!with_doubles && !find_bounds<DoubleDouble>(problem, run))
    throw InputError("I - O that is not positive definite, or too near to a matrix that is not",
                     "eigenvalues of O below 1");
  if (run.options().precision == Precision::float64 && !with_doubles)
    throw Unable("I - O is too near to a matrix that is not positive definite for doubles: --precision double-double");
  return with_doubles;
}

}  // namespace matchcount::torontonian_sum

namespace matchcount {
namespace {

namespace kernel = torontonian_kernel;
using namespace torontonian_sum;
using torontonian_bound::Room;

// A piece has 2^14 subsets in each of 8 lanes, some milliseconds.
constexpr int piece_bits = 14;

// Returns the GPUs that take this torontonian; none for the CPU, which needs so long. Throws Unable where a GPU is
// asked for and can't.
std::vector<DeviceInfo> choose_gpus(const Problem& problem, bool is_double, double cpu_s, const RunContext& run) {
  const DeviceChoice& choice = run.options().device;
  if (choice.kind == DeviceChoice::Kind::cuda) {
    if (problem.rows != 2) refuse_on_gpus();
    if (problem.num_modes < gpu::fewest_torontonian_modes)
      throw Unable("GPUs take torontonians of " + std::to_string(gpu::fewest_torontonian_modes) +
                   " modes or more, or batches of fewer; the device auto or cpu finds this one");
    return choose_devices(choice);
  }
  if (choice.kind == DeviceChoice::Kind::cpu || problem.rows != 2 ||
      problem.num_modes < gpu::fewest_torontonian_modes || cpu_s < worth_a_gpu_s)
    return {};
  std::vector<DeviceInfo> gpus = choose_devices(choice);
  if (!gpus.empty() && !(gpu_start_s + gpu_forecast_s(problem, is_double, gpus) < cpu_s)) gpus.clear();
  return gpus;
}

template <class T>
void sum_up(const Problem& problem, const RunContext& run, TorontonianResult& result) {
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr std::size_t parts = is_double ? 1 : 2;
  const std::size_t num_entries = problem.entries.size(), num_loops = problem.loops.size();
  const std::size_t num_values = parts * (num_entries + num_loops + 2);
  Room<1 << 10> room(num_values);
  write_values<T>(problem, room.data());
  kernel::Problem asked{static_cast<int>(problem.num_modes),
                        static_cast<int>(problem.rows),
                        room.data(),
                        num_loops == 0 ? nullptr : room.data() + parts * num_entries,
                        problem.factor,
                        squarings_of(problem)};

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
      gpus.empty() ? forecast_s(problem, is_double) / threads : gpu_start_s + gpu_forecast_s(problem, is_double, gpus);
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
      const gpu::TorontonianFrame frame{modes, num_loops != 0, piece.path_bits, modes - gpu::block_modes,
                                        gpu::block_modes - gpu::thread_modes};
      const auto record = [](std::span<const gpu::TorontonianSum> tasks) {
        Partial sum;
        for (const gpu::TorontonianSum& task : tasks) sum.add({{task.high, task.low}, task.magnitude});
        return to_bytes(sum);
      };
      total = from_bytes<Partial>(
          gpu::torontonian_on_gpus(frame, {room.data(), num_values}, is_double, job, gpus, run, record));
    }
  }
  result.value = value_of<T>(problem, total);
}

// Sums up the problem that make_problem() returns, of so many modes.
template <class MakeProblem>
TorontonianResult summed(std::size_t num_modes, const TorontonianOptions& options, const MakeProblem& make_problem) {
  require_options(num_modes, options);
  const Precision precision = options.run.precision;
  const RunContext run(options.run);
  TorontonianResult result;
  result.num_modes = num_modes;
  if (num_modes == 0) {
    result.value = {ScaledReal(1), -infinity, infinity};
    return result;
  }
  Problem problem = make_problem();
  const bool with_doubles = bound_in_doubles(problem, run);
  const auto takes_too_long = [&] {
    return std::isfinite(run.seconds_left()) && forecast_s(problem, false) > run.seconds_left() * run.num_threads();
  };
  if (precision != Precision::double_double && with_doubles &&
      (precision == Precision::float64 || takes_too_long() || !is_in_vain_in_doubles(problem))) {
    sum_up<double>(problem, run, result);
    if (precision == Precision::float64 || takes_too_long() || is_good(result.value)) return result;
  }
  sum_up<DoubleDouble>(problem, run, result);
  result.arithmetic = Arithmetic::double_double;
  return result;
}

template <class T>
TorontonianResult exactly(std::span<const T> entries, std::size_t rows, std::span<const T> loop,
                          const TorontonianOptions& options) {
  require_shape(rows, entries.size(), loop.size());
  return summed(rows / 2, options, [&] { return problem_of(entries, rows, loop, options); });
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
  return summed(rows / 2, options, [&] { return problem_of(matrix, has_loop, fractions, options); });
}

}  // namespace matchcount
