#include "permanent/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace matchcount {
namespace {

// What the bounds need of one row or column. Sums of doubles with all terms >= 0: a relative error below 2^-50 a term.
struct Line {
  std::size_t count = 0;
  double sum = 0;
  double largest = 0;

  void add(std::int64_t entry) {
    const double size = std::fabs(static_cast<double>(entry));
    ++count;
    sum += size;
    largest = std::max(largest, size);
  }
};

// log2 of the lesser of the two bounds over these lines, with room for every rounding: a sum of k terms errs by at most
// (k + 1) 2^-53 relatively, log2 by a unit in the last place of a number below 2^7, log2(d!) by d of those.
double bound_over(const std::vector<Line>& lines) {
  std::size_t longest = 0;
  for (const Line& line : lines) longest = std::max(longest, line.count);
  std::vector<double> log2_factorial(longest + 1, 0.0);
  for (std::size_t d = 2; d <= longest; ++d) {
    log2_factorial[d] = log2_factorial[d - 1] + std::log2(static_cast<double>(d));
  }
  double by_sums = 0, by_bregman = 0, slack = 0;
  for (const Line& line : lines) {
    if (line.largest == 0) return -std::numeric_limits<double>::infinity();
    const auto count = static_cast<double>(line.count);
    by_sums += std::log2(line.sum);
    by_bregman += std::log2(line.largest) + log2_factorial[line.count] / count;
    slack += (count + 256) * 0x1p-52;
  }
  const double least = std::min(by_sums, by_bregman);
  return least == 0 ? 0 : least + slack + least * static_cast<double>(lines.size() + 2) * 0x1p-52;
}

}  // namespace

double log2_permanent_bound(const Block<std::int64_t>& block) {
  const BipartiteGraph& pattern = block.pattern;
  std::vector<Line> rows(pattern.num_rows()), columns(pattern.num_columns());
  for (Vertex row = 0; row < pattern.num_rows(); ++row) {
    EdgeId edge = pattern.row_begin(row);
    for (const Vertex column : pattern.row(row)) {
      rows[row].add(block.entries[edge]);
      columns[column].add(block.entries[edge]);
      ++edge;
    }
  }
  return std::min(bound_over(rows), bound_over(columns));
}

double log2_hafnian_bound(const GraphBlock<std::int64_t>& block) {
  std::vector<Line> lines(block.pattern.num_vertices());
  for (Vertex v = 0; v < block.pattern.num_vertices(); ++v) {
    for (const EdgeId edge : block.pattern.incident_edges(v)) lines[v].add(block.entries[edge]);
  }
  return bound_over(lines) / 2;
}

}  // namespace matchcount
