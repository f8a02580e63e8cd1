#pragma once
// Draws what a node of a dissection does with its vertices. Private to permanent/.

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
