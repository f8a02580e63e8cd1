#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <vector>

#include "core/parallel.hpp"
#include "permanent/dense/levels.hpp"
#include "permanent/dense/one_matrix.hpp"
#include "photonics/derivatives/cpu/expansion_back_kernel.hpp"
#include "photonics/derivatives/derivatives.hpp"

namespace matchcount::dense {
namespace {

// Products that a factor gains are added up over so many blocks one by one, then such sums.
constexpr std::uint64_t blocks_of_sum = 1 << 7;

template <class T>
expansion_back_kernel::GiveBack kernel_for(const RunContext& run) {
  const auto& kernels = kernels_for<expansion_back_kernel::Kernels>(run.options().max_isa);
  return std::is_same_v<T, double> ? kernels.real : kernels.complex;
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

}  // namespace

double VertexGradient::bytes(int components) const { return 8.0 * components * num_lanes * blocks_of_all(); }

double VertexGradient::blocks_of_all() const {
  double blocks = 0;
  for (const auto& first : first_) blocks += static_cast<double>(first.back() + 1);
  return blocks;
}

// The derivative by a_vj is the sum over sets x of g(x) h(x), g from the levels before v is matched and h, on the way
// back, from those after it: vertices before v in their order give g its terms, those after it h. So for every vertex
// but v a term meets one product and, a level's sums being over at most `bit` + 2 things (places, three of the lanes,
// what stays, and what is matched already), at most `bit` + 3 roundings. At v there are a product, as many sums as are
// added up one by one, that of the two halves, those of a chunk, those of lanes, and the rounding of what two doubles
// hold of all chunks; these are `of_chunk`, and `bit` + 3 of v itself has room for the errors of those two doubles. The
// last three vertices have at most three things in a sum, forwards and backwards.
double VertexGradient::derivative_roundings() const {
  double sums = 0;
  for (int bit = 0; bit < bits_; ++bit) sums += bit + 3;
  constexpr double of_chunk = chunk_blocks / blocks_of_sum + 2 + num_lanes + 2;
  return sums + static_cast<double>(std::min(blocks_of_sum, num_blocks())) + of_chunk;
}

template <class T>
T VertexGradient::derive(const T* entries, T* derivatives, Scratch& scratch, const RunContext& run,
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

  const expansion_back_kernel::GiveBack give_back = kernel_for<T>(run);
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
            give_back({vertex_of<T>(places, members, scratch), same,
                       rest + here[std::min(members + 1, places)] * doubles, to + before[members] * doubles, gains},
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

template <class T>
double VertexGradient::find(const T* entries, const RunContext& run, int num_threads, Scratch& scratch,
                            const GradientView<T>& out) const {
  const std::size_t n = n_;
  const bool loops = loops_;
  // The diagonal counts in no bound, nor is it scaled, where it is not read.
  std::vector<T> scaled(entries, entries + n * n), derivatives(n * n);
  for (std::size_t v = 0; v < n && !loops; ++v) scaled[v * (n + 1)] = T(0);
  const int half = scale_symmetric(scaled, n, loops);
  const std::int64_t exponent = std::int64_t{half} * static_cast<std::int64_t>(n);
  const T value = derive(scaled.data(), derivatives.data(), scratch, run, num_threads);
  // If no entry is negative they are the same sums over magnitudes.
  std::vector<double> sums = magnitudes(std::span<const T>(derivatives));
  double sum = magnitude(value);
  if (!std::ranges::all_of(scaled, [](const T& entry) { return is_positive(entry); }))
    sum = derive(magnitudes(std::span<const T>(scaled)).data(), sums.data(), scratch, run, num_threads);
  const double lost = std::exp2(log2_underflow(n, static_cast<double>(n) + 2));
  out.put(value, rounding_error<T>(roundings(), sum) + lost, exponent, *out.value, *out.error);
  double largest = 0, largest_error = 0;
  bool all_zero = true;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      const std::size_t at = i * n + j, mirrored = j * n + i;
      if (i == j && !loops) continue;
      out.put(derivatives[at], rounding_error<T>(derivative_roundings(), sums[at]) + lost,
              exponent - (i == j ? half : 2 * half + 1), out.derivatives[at], out.derivative_errors[at]);
      out.derivatives[mirrored] = out.derivatives[at];
      out.derivative_errors[mirrored] = out.derivative_errors[at];
      largest = std::max(largest, magnitude(out.derivatives[at]));
      largest_error = std::max(largest_error, out.derivative_errors[at]);
      all_zero = all_zero && sums[at] == 0;
    }
  }
  return all_zero ? 0 : largest_error / largest;
}

template double VertexGradient::find(const double*, const RunContext&, int, Scratch&,
                                     const GradientView<double>&) const;
template double VertexGradient::find(const std::complex<double>*, const RunContext&, int, Scratch&,
                                     const GradientView<std::complex<double>>&) const;

}  // namespace matchcount::dense
