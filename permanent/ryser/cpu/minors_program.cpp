#include "permanent/ryser/cpu/minors_program.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

#include "permanent/ryser/subsets.hpp"

namespace matchcount::minors_kernel {
namespace {

// Vector operations of a chunk: a few milliseconds, so that limits and threads are served.
constexpr double log2_chunk_operations = 22;
constexpr int log2_lanes = 3;
static_assert(1 << log2_lanes == num_lanes);

int walk_bits_of(int rows, int components, int least_chunk_bits) {
  const int free_bits = rows - 1 - log2_lanes;
  const double log2_operations = std::log2(12.0 * rows * components * components);
  const int walk_bits = static_cast<int>(log2_chunk_operations - log2_operations);
  return std::clamp(std::min(walk_bits, free_bits - least_chunk_bits), least_walk_bits, free_bits);
}

double reduced(double value, double modulus) {
  return modulus > 0 ? value - modulus * std::nearbyint(value / modulus) : value;
}

// Returns number k of a kernel's, in a lane.
template <class Number>
Number number_at(const double (*value)[num_lanes], int lane, int components) {
  const auto part = [&](int c) { return value[c][lane]; };
  if constexpr (std::is_same_v<Number, std::int64_t>) {
    return static_cast<std::int64_t>(part(0));
  } else if constexpr (std::is_same_v<Number, DoubleDouble>) {
    return components == 1 ? DoubleDouble(part(0)) : two_sum(part(0), part(1));
  } else {
    return components == 2 ? ComplexDoubleDouble(part(0), part(1))
                           : ComplexDoubleDouble(two_sum(part(0), part(1)), two_sum(part(2), part(3)));
  }
}
// Reads totals, which real and complex kernels give in two doubles a part.
template <class Number>
Number total_at(const ChunkSums& sums, int lane) {
  constexpr int components = std::is_same_v<Number, ComplexDoubleDouble> ? 4 : 2;
  return number_at<Number>(sums.total, lane, components);
}

}  // namespace

void enlarge(Matrix& matrix) {
  if (matrix.rows >= least_rows) return;
  const int old = matrix.rows, width = matrix.components;
  std::vector<double> value(static_cast<std::size_t>(least_rows * least_rows * width), 0.0);
  for (int row = 0; row < least_rows; ++row) {
    for (int column = 0; column < least_rows; ++column) {
      for (int c = 0; c < width; ++c) {
        double& to = value[static_cast<std::size_t>((row * least_rows + column) * width + c)];
        if (row < old && column < old) to = matrix.value[static_cast<std::size_t>((row * old + column) * width + c)];
        if (row >= old && row == column && c == 0) to = 1;
      }
    }
    if (row < old) continue;
    if (matrix.prime > 0) {
      matrix.group_end.push_back(row + 1);
    } else {
      matrix.floor.push_back(1);
    }
  }
  matrix.value = std::move(value);
  matrix.rows = least_rows;
}

RyserPlan plain_plan(Vertex n) {
  RyserPlan plan;
  plan.variant = Method::ryser;
  plan.fixed_column = n > 0 ? n - 1 : 0;
  for (Vertex column = 0; column + 1 < n; ++column) plan.bit_column.push_back(column);
  return plan;
}

template <class Entry>
ScaledMatrix scaled_matrix(const Block<Entry>& block, bool double_double) {
  const Vertex n = block.pattern.num_rows();
  const subsets::ScaledEntries entries = subsets::scale_entries(block, plain_plan(n), double_double, 0);
  ScaledMatrix result;
  const auto width = static_cast<std::size_t>(entries.components);
  result.matrix.rows = static_cast<int>(n);
  result.matrix.components = entries.components;
  result.matrix.value.assign(n * n * width, 0);
  const std::vector<Edge> edges = block.pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id) {
    const std::size_t place = edges[id].row * std::size_t{n} + edges[id].column;
    std::copy_n(entries.value.data() + id * width, width, result.matrix.value.data() + place * width);
  }
  double log_perturbation = 0;
  for (Vertex row = 0; row < n; ++row) {
    const double floor = entries.row_rms[row] > 0 ? entries.row_rms[row] / 4 : 0x1p-6;
    result.matrix.floor.push_back(floor);
    log_perturbation += std::log1p(entries.row_error[row] / floor);
  }
  result.perturbation = std::expm1(log_perturbation);
  result.row_shift = entries.row_shift;
  result.exponent = entries.exponent;
  enlarge(result.matrix);
  return result;
}

template ScaledMatrix scaled_matrix(const Block<RealEntry>&, bool);
template ScaledMatrix scaled_matrix(const Block<ComplexEntry>&, bool);

BuiltProgram::BuiltProgram(Matrix matrix, int first_row, int least_chunk_bits)
    : matrix_(std::move(matrix)), num_bits_(matrix_.rows - 1) {
  const int rows = matrix_.rows, width = matrix_.components;
  const double modulus = matrix_.is_reduced ? matrix_.prime : 0;
  flip_.resize(static_cast<std::size_t>(num_bits_ * rows * width));
  base_.resize(static_cast<std::size_t>(rows * width));
  for (int row = 0; row < rows; ++row) {
    for (int c = 0; c < width; ++c) {
      const auto entry = [&](int column) {
        return matrix_.value[static_cast<std::size_t>((row * rows + column) * width + c)];
      };
      double base = entry(num_bits_);
      for (int bit = 0; bit < num_bits_; ++bit) {
        flip_[static_cast<std::size_t>((bit * rows + row) * width + c)] = reduced(2 * entry(bit), modulus);
        base = reduced(base - entry(bit), modulus);
      }
      base_[static_cast<std::size_t>(row * width + c)] = base;
    }
  }
  program_.rows = rows;
  program_.first_row = first_row;
  program_.walk_bits = walk_bits_of(rows, width, least_chunk_bits);
  program_.flip = flip_.data();
  program_.floor = matrix_.floor.data();
  program_.group_end = matrix_.group_end.data();
  program_.num_groups = static_cast<int>(matrix_.group_end.size());
  program_.prime = matrix_.prime;
  program_.inverse = matrix_.prime > 0 ? 1 / matrix_.prime : 0;
}

double BuiltProgram::relative_error(double perturbation, bool double_double, bool is_complex) const {
  const double unit_roundoff = (double_double ? 0x1p-102 : 0x1p-53) * (is_complex ? 4 : 1);
  // Beyond a chunk, by double-doubles in any case: eight lanes, and a tree over the chunks or one after another.
  const double beyond = 0x1p-102 * (8.0 * static_cast<double>(std::min<std::uint64_t>(num_chunks(), 1 << 20)) + 100);
  const double depth = program_.rows + program_.walk_bits + 2;
  const double products = std::expm1(depth * std::log1p(unit_roundoff)) + beyond;
  return (perturbation + (1 + perturbation) * products) * (1 + 0x1p-20);
}

std::size_t BuiltProgram::num_minors() const {
  return static_cast<std::size_t>((program_.rows - program_.first_row) * program_.rows);
}

std::vector<double> BuiltProgram::start(std::uint64_t chunk) const {
  const std::size_t numbers = base_.size();
  const double modulus = matrix_.is_reduced ? matrix_.prime : 0;
  std::vector<double> row_sums(numbers * num_lanes);
  for (std::size_t i = 0; i < numbers; ++i)
    std::fill_n(row_sums.begin() + static_cast<std::ptrdiff_t>(i * num_lanes), num_lanes, base_[i]);
  for (int bit = program_.walk_bits; bit < num_bits_; ++bit) {
    const double* flip = flip_.data() + static_cast<std::size_t>(bit) * numbers;
    for (std::size_t lane = 0; lane < num_lanes; ++lane) {
      if (!is_on(bit, chunk, lane)) continue;
      for (std::size_t i = 0; i < numbers; ++i) {
        double& x = row_sums[i * num_lanes + lane];
        x = reduced(x + flip[i], modulus);
      }
    }
  }
  return row_sums;
}

bool BuiltProgram::is_on(int bit, std::uint64_t chunk, std::size_t lane) const {
  const int lane_bit = num_bits_ - log2_lanes;
  return bit < lane_bit ? (chunk >> (bit - program_.walk_bits) & 1) != 0 : (lane >> (bit - lane_bit) & 1) != 0;
}

template <class Number>
SignSums<Number> BuiltProgram::sum_chunk(ChunkKernel kernel, std::uint64_t chunk) const {
  const int width = matrix_.components, rows = program_.rows, walk_bits = program_.walk_bits;
  const std::vector<double> row_sums = start(chunk);
  const std::size_t num_out = num_sums(program_, width);
  // Aligned for vectors.
  std::vector<double> memory(num_out + scratch_size(program_, width));
  ChunkSums out;
  out.sums = memory.data();
  void* scratch = memory.data() + num_out;
  std::size_t room = (memory.size() - num_out) * sizeof(double);
  std::align(num_lanes * sizeof(double), 0, scratch, room);
  kernel(program_, row_sums.data(), static_cast<double*>(scratch), out);

  SignSums<Number> result;
  result.minor.resize(num_minors());
  const auto* sums = reinterpret_cast<const double(*)[num_lanes]>(out.sums);
  for (int lane = 0; lane < num_lanes; ++lane) {
    // Every fixed sign that is -1 stands for a factor -1.
    const int off = std::popcount(chunk) + std::popcount(static_cast<unsigned>(lane)) + num_bits_ - walk_bits;
    const auto signed_by = [](Number value, bool negative) { return negative ? -value : value; };
    const bool negative = off % 2 != 0;
    result.total += signed_by(total_at<Number>(out, lane), negative);
    result.magnitude += out.magnitude[lane];
    result.largest_minor += out.largest_minor[lane];
    const int wanted = rows - program_.first_row;
    for (int row = 0; row < wanted; ++row) {
      Number* minor = result.minor.data() + row * rows;
      const auto sum = [&](int k) {
        return signed_by(number_at<Number>(sums + (k * wanted + row) * width, lane, width), negative);
      };
      const Number plain = sum(0);
      for (int bit = 0; bit < walk_bits; ++bit) minor[bit] += sum(bit + 1);
      for (int bit = walk_bits; bit < num_bits_; ++bit) {
        minor[bit] += signed_by(plain, !is_on(bit, chunk, static_cast<std::size_t>(lane)));
      }
      minor[num_bits_] += plain;
    }
  }
  return result;
}

template SignSums<DoubleDouble> BuiltProgram::sum_chunk(ChunkKernel, std::uint64_t) const;
template SignSums<ComplexDoubleDouble> BuiltProgram::sum_chunk(ChunkKernel, std::uint64_t) const;
template SignSums<std::int64_t> BuiltProgram::sum_chunk(ChunkKernel, std::uint64_t) const;

}  // namespace matchcount::minors_kernel
