#include "permanent/ryser/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "permanent/ryser/cpu/minors_program.hpp"
#include "permanent/ryser/subsets.hpp"

namespace matchcount {
namespace {

// A row's probabilities may be off by this much of their sum: doubles, else double-doubles.
constexpr double most_error = 0x1p-30;
// States that are fewer for each thread are taken one after another, by all threads, and so are small ones by one.
constexpr std::size_t states_of_a_thread = 4;
constexpr double operations_of_a_team = 1e7;
constexpr std::size_t chunks_of_a_team = 8;

// The minors of the last of `rows` rows, and the sum that their errors are relative to.
struct LastRow {
  std::vector<DoubleDouble> minor;
  double largest_minor = 0;
};
LastRow last_row(const minors_kernel::BuiltProgram& built, bool double_double, std::size_t rows, int num_threads,
                 const RunContext& run) {
  constexpr std::uint64_t chunks_at_once = 256;
  const minors_kernel::Kernels& kernels = kernels_for<minors_kernel::Kernels>(run.options().max_isa);
  const minors_kernel::ChunkKernel chunk_kernel = double_double ? kernels.double_double : kernels.real;
  LastRow result{std::vector<DoubleDouble>(rows), 0};
  std::vector<minors_kernel::SignSums<DoubleDouble>> of_chunk;
  for (std::uint64_t first = 0; first < built.num_chunks(); first += chunks_at_once) {
    of_chunk.resize(std::min(chunks_at_once, built.num_chunks() - first));
    parallel_for_chunks(of_chunk.size() < chunks_of_a_team ? 1 : num_threads, of_chunk.size(),
                        [&](std::uint64_t i, int) {
                          run.check();
                          of_chunk[i] = built.sum_chunk<DoubleDouble>(chunk_kernel, first + i);
                        });
    for (const auto& sums : of_chunk) {
      for (std::size_t j = 0; j < rows; ++j) result.minor[j] += sums.minor[j];
      result.largest_minor += sums.largest_minor;
    }
  }
  return result;
}

}  // namespace

RyserSampler::RyserSampler(const Block<RealEntry>& block, const RunContext& run)
    : num_rows_(block.pattern.num_rows()), block_(block), run_(run) {
  subsets::require_square(block.pattern, block.entries.size());
  for (const RealEntry& entry : block.entries) {
    if (!(entry.value.hi > 0)) throw InputError("a weight that is not above 0", "weights above 0, to draw samples");
  }
}

// Returns the block behind the columns `used`: the row at hand as the last one, without which the others are
// multiplied.
Block<RealEntry> RyserSampler::left(std::uint64_t used) const {
  const auto row = static_cast<Vertex>(std::popcount(used));
  const Vertex size = num_rows_ - row;
  std::vector<Edge> edges;
  std::vector<RealEntry> entries;
  for (Vertex i = 0; i < size; ++i) {
    const Vertex from = i + 1 < size ? row + i + 1 : row;
    for (EdgeId id = block_.pattern.row_begin(from);
         id < block_.pattern.row_begin(from) + block_.pattern.row(from).size(); ++id) {
      const Vertex column = column_of(from, id);
      if ((used >> column & 1) != 0) continue;
      const std::uint64_t before = used & ((std::uint64_t{1} << column) - 1);
      edges.push_back({i, column - static_cast<Vertex>(std::popcount(before))});
      entries.push_back(block_.entries[id]);
    }
  }
  return {BipartiteGraph::from_edges(size, size, std::move(edges)), std::move(entries)};
}

RyserSampler::Choices RyserSampler::choices(std::uint64_t used, int num_threads) const {
  const auto row = static_cast<Vertex>(std::popcount(used));
  const Block<RealEntry> block = left(used);
  const Vertex size = block.pattern.num_rows(), own = size - 1;
  for (const bool double_double : {false, true}) {
    const minors_kernel::ScaledMatrix scaled = minors_kernel::scaled_matrix(block, double_double);
    const minors_kernel::BuiltProgram built(scaled.matrix, static_cast<int>(own));
    const LastRow last = last_row(built, double_double, size, num_threads, run_);
    Choices result;
    double sum = 0, weights = 0;
    EdgeId id = block_.pattern.row_begin(row);
    for (std::size_t i = 0; i < block.pattern.row(own).size(); ++i, ++id) {
      while ((used >> column_of(row, id) & 1) != 0) ++id;
      const double weight = block.entries[block.pattern.row_begin(own) + i].value.hi;
      weights += weight;
      sum += std::max(0.0, weight * last.minor[block.pattern.row(own)[i]].hi);
      result.edges.push_back(id);
      result.sums.push_back(sum);
    }
    const double error = weights * last.largest_minor * built.relative_error(scaled.perturbation, double_double, false);
    if (sum > 0 && error <= most_error * sum) return result;
  }
  throw Unable("probabilities by inclusion-exclusion cancel too far; the frontier method's do not");
}

std::vector<EdgeId> RyserSampler::draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                                       std::size_t count) {
  std::vector<EdgeId> edges(count * num_rows_);
  std::vector<std::uint64_t> used(count, 0);
  for (Vertex row = 0; row < num_rows_; ++row) {
    std::vector<std::uint64_t> states = used;
    std::ranges::sort(states);
    states.erase(std::unique(states.begin(), states.end()), states.end());
    run_.report("samples", row, num_rows_);
    std::vector<Choices> of_state(states.size());
    const int num_threads = run_.num_threads();
    const double left = num_rows_ - row;
    const bool side_by_side = states.size() >= states_of_a_thread * static_cast<std::size_t>(num_threads) &&
                              static_cast<double>(states.size()) * left * std::exp2(left) > operations_of_a_team;
    parallel_for_chunks(side_by_side ? num_threads : 1, states.size(), [&](std::uint64_t i, int) {
      of_state[i] = choices(states[i], side_by_side ? 1 : num_threads);
    });
    for (std::size_t i = 0; i < count; ++i) {
      const auto state = static_cast<std::size_t>(std::ranges::lower_bound(states, used[i]) - states.begin());
      const Choices& from = of_state[state];
      const double mark = uniform_of_sample(seed, stream, first + i, row) * from.sums.back();
      const auto place = static_cast<std::size_t>(std::ranges::upper_bound(from.sums, mark) - from.sums.begin());
      const EdgeId edge = from.edges[std::min(place, from.edges.size() - 1)];
      edges[i * num_rows_ + row] = edge;
      used[i] |= std::uint64_t{1} << column_of(row, edge);
    }
  }
  return edges;
}

double sample_ryser_seconds(Vertex n, Isa isa, int num_threads) {
  // Nanoseconds a row and sign vector of one thread in doubles and, where these do not do, double-doubles: n = 28.
  constexpr double cost[3] = {4, 1.5, 0.6};
  if (n > subsets::largest_size) return std::numeric_limits<double>::infinity();
  // Each row takes half of the one before.
  return 1e-9 * cost[static_cast<std::size_t>(isa)] * n * std::exp2(n) / (0.95 * num_threads + 0.05) + 5e-5 * n;
}

}  // namespace matchcount
