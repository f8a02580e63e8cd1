#pragma once
// Draws what a node of a dissection does with its vertices. Private to permanent/.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "permanent/block_marginals.hpp"
#include "permanent/planar/cpu/real_elimination.hpp"

namespace matchcount {

// The numbers of one sample, one after the other: uniform in [0, 1).
class SampleNumbers {
 public:
  SampleNumbers(std::uint64_t seed, std::uint32_t stream, std::uint64_t sample)
      : seed_(seed), sample_(sample), stream_(stream) {}
  double next() { return uniform_of_sample(seed_, stream_, sample_, next_++); }

 private:
  std::uint64_t seed_, sample_;
  std::uint32_t stream_, next_ = 0;
};

// Draws one of some options in proportion to their shares, of this total; one without a share if none has any.
template <class Option>
Option drawn_from(const std::vector<Option>& options, double total, SampleNumbers& numbers) {
  double left = numbers.next() * total;
  Option last{};
  for (const Option& option : options) {
    if (!(option.share > 0)) continue;
    last = option;
    left -= option.share;
    if (left < 0) break;
  }
  return last;
}

// Multiplies a row by a square matrix.
template <class Number>
void multiply_row(const std::vector<Number>& row, const std::vector<Number>& matrix, std::vector<Number>& product) {
  const std::size_t size = row.size();
  std::ranges::fill(product, Number(0.0));
  for (std::size_t i = 0; i < size; ++i) {
    if (size_of(row[i]) == 0) continue;
    const Number factor = row[i];
    const Number* from = matrix.data() + i * size;
    for (std::size_t j = 0; j < size; ++j) product[j] = product[j] + factor * from[j];
  }
}
// Makes an inverse X that of the matrix whose row r is q instead, with w = q X and x = X e_r: X - x (w - e_r) / w_r.
// Skew: that of the matrix whose row and column r are q and -q, X - (x (w - e_r) - (w - e_r) x) / w_r.
template <class Number>
void replace_row(std::size_t r, const std::vector<Number>& w, const std::vector<Number>& x, bool skew,
                 std::vector<Number>& inverse) {
  const std::size_t size = w.size();
  const Number reciprocal = Number(1.0) / w[r];
  for (std::size_t i = 0; i < size; ++i) {
    Number* to = inverse.data() + i * size;
    if (size_of(x[i]) != 0) {
      const Number factor = x[i] * reciprocal;
      for (std::size_t j = 0; j < size; ++j) to[j] = to[j] - factor * w[j];
    }
    if (skew && size_of(w[i]) != 0) {
      const Number factor = w[i] * reciprocal;
      for (std::size_t j = 0; j < size; ++j) to[j] = to[j] + factor * x[j];
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    inverse[i * size + r] = x[i] * reciprocal;
    if (skew) inverse[r * size + i] = -inverse[i * size + r];
  }
}

// Kasteleyn's matrix of a node's subtree without its inner vertices, on those vertices that are matched in the subtree:
// the node's own edges, and what is left over of each child.
template <class Number>
struct NodeMatrix {
  struct Entry {
    std::uint32_t row, column;
    EdgeId edge;
    DoubleDouble value;
  };
  struct Child {
    std::vector<bool> has_row, has_column;
    BoundedMatrix<Number> part;  // size x size, 0 where the child has no such row or column
  };
  bool skew = false;  // rows and columns are the same vertices, and entries have row < column
  std::size_t size = 0;
  std::vector<Entry> edges;
  std::vector<Child> children;
};

struct NodeDraw {
  std::vector<EdgeId> edges;
  std::vector<std::uint32_t> child_of_row, child_of_column;  // `matched` where an edge was drawn; skew: rows alone
  static constexpr std::uint32_t matched = ~std::uint32_t{0};
  // The draw's probability is within this of the truth, relatively and to first order; infinity where no inverse was
  // found.
  double relative_error = 0;
};

// Draws in numbers of this kind, from a matrix of these or of double-doubles. If the error passes the limit nothing but
// the error is nothing but that. O(size^3); throws as run.check() does.
template <class Number, class Given>
NodeDraw draw_node(const NodeMatrix<Given>& matrix, double limit, SampleNumbers& numbers, const RunContext& run);

}  // namespace matchcount
