#include "permanent/residue_sum.hpp"

#include <cmath>
#include <limits>

#include "core/bytes.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "core/work.hpp"

namespace matchcount {

namespace {

// Figures of one row or column that the bounds take. Sums of doubles with all terms >= 0: a relative error below 2^-50
// a term.
struct Line {
  std::size_t count = 0;
  double sum = 0;  // times 2^-64, lest it overflow; what that takes from the least doubles is put back
  double largest = 0;

  void add(double size) {
    ++count;
    sum += size < 0x1p-900 ? size : size * 0x1p-64;
    largest = std::max(largest, size);
  }
};

// Returns log2 of the lesser of the two bounds over these lines, with room for every rounding: a sum of k terms errs by
// at most (k + 1) 2^-53 relatively, log2 by a unit in the last place of a number below 2^11, log2(d!) by d of those.
double bound_over(const std::vector<Line>& lines) {
  std::size_t longest = 0;
  for (const Line& line : lines) longest = std::max(longest, line.count);
  std::vector<double> log2_factorial(longest + 1, 0.0);
  for (std::size_t d = 2; d <= longest; ++d) {
    log2_factorial[d] = log2_factorial[d - 1] + std::log2(static_cast<double>(d));
  }
  double by_sums = 0, by_bregman = 0, slack = 0, sizes = 0;
  for (const Line& line : lines) {
    if (line.largest == 0) return -std::numeric_limits<double>::infinity();
    const auto count = static_cast<double>(line.count);
    const double log2_sum = std::log2(line.sum) + 64, log2_largest = std::log2(line.largest);
    by_sums += log2_sum;
    by_bregman += log2_largest + log2_factorial[line.count] / count;
    slack += (count + 4096) * 0x1p-52;
    sizes += std::fabs(log2_sum) + std::fabs(log2_largest) + log2_factorial[line.count] / count;
  }
  const double least = std::min(by_sums, by_bregman);
  return sizes == 0 ? 0 : least + slack + sizes * static_cast<double>(lines.size() + 2) * 0x1p-52;
}

}  // namespace

double log2_sum_bound(const BipartiteGraph& pattern, const std::vector<double>& magnitudes) {
  std::vector<Line> rows(pattern.num_rows()), columns(pattern.num_columns());
  for (Vertex row = 0; row < pattern.num_rows(); ++row) {
    EdgeId edge = pattern.row_begin(row);
    for (const Vertex column : pattern.row(row)) {
      rows[row].add(magnitudes[edge]);
      columns[column].add(magnitudes[edge]);
      ++edge;
    }
  }
  return std::min(bound_over(rows), bound_over(columns));
}

double log2_sum_bound(const UndirectedGraph& pattern, const std::vector<double>& magnitudes,
                      const std::vector<bool>& is_column) {
  std::vector<Line> sides[2];
  for (Vertex v = 0; v < pattern.num_vertices(); ++v) {
    Line& line = sides[!is_column.empty() && is_column[v]].emplace_back();
    for (const EdgeId edge : pattern.incident_edges(v)) line.add(magnitudes[edge]);
  }
  if (is_column.empty()) return bound_over(sides[0]) / 2;
  if (sides[0].size() != sides[1].size()) return -std::numeric_limits<double>::infinity();
  return std::min(bound_over(sides[0]), bound_over(sides[1]));
}

std::vector<double> magnitudes_of(const std::vector<std::int64_t>& entries) {
  std::vector<double> magnitudes;
  magnitudes.reserve(entries.size());
  for (const std::int64_t entry : entries) magnitudes.push_back(std::fabs(static_cast<double>(entry)));
  return magnitudes;
}

MontgomeryModulus::MontgomeryModulus(std::uint64_t of) : prime(static_cast<std::uint32_t>(of)) {
  for (int i = 0; i < 5; ++i) inverse *= 2 - prime * inverse;
}
std::uint32_t MontgomeryModulus::form(std::int64_t value) const {
  return static_cast<std::uint32_t>((residue_of(value, prime) << 32) % prime);
}

std::size_t num_sum_primes(double log2_bound) {
  constexpr double bits_of_prime = 30.99;
  return static_cast<std::size_t>(std::ceil((log2_bound + 2) / bits_of_prime));
}

std::size_t primes_of_group(std::size_t primes, std::size_t most, int num_threads) {
  const std::size_t threads = static_cast<std::size_t>(std::max(1, num_threads));
  const std::size_t groups = std::max(threads, (primes + most - 1) / most);
  return std::max<std::size_t>(1, (primes + groups - 1) / groups);
}

Integer sum_of_residues(const std::string& method, const std::string& what, std::span<const std::uint64_t> primes,
                        std::size_t most_of_group, const ResiduesOfGroup& residues_of, const RunContext& run) {
  const std::size_t lanes =
      agreed(primes_of_group(primes.size(), most_of_group, run.num_threads() * run.num_ranks()), "lanes", run);
  const std::size_t groups = (primes.size() + lanes - 1) / lanes;
  const Job job{
      run.part() + ", " + method,
      what + " modulo " + std::to_string(primes.size()) + " primes below 2^31, " + std::to_string(lanes) + " at a time",
      groups, joined};
  const Bytes all = sum_on_threads(run.num_threads(), job, run, [&](std::uint64_t piece, double share_done) {
    run.report(method, share_done, 1);
    const std::size_t first = piece * lanes;
    return packed(residues_of(first, primes.subspan(first, std::min(lanes, primes.size() - first))));
  });
  return chinese_remainder(unpacked<std::uint64_t>(all), primes);
}

}  // namespace matchcount
