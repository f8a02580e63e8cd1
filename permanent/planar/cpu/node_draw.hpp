#pragma once
// Draws what a node of a dissection does with its vertices. Private to permanent/.

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "permanent/planar/cpu/real_elimination.hpp"

namespace matchcount {

// The numbers of one sample, one after the other: uniform in [0, 1).
class SampleNumbers {
 public:
  SampleNumbers(std::uint64_t seed, std::uint32_t stream, std::uint64_t sample)
      : seed_(seed), sample_(sample), stream_(stream) {}
  double next() {
    const auto bits =
        philox4x32({next_++, stream_, static_cast<std::uint32_t>(sample_), static_cast<std::uint32_t>(sample_ >> 32)},
                   {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    return static_cast<double>(((std::uint64_t{bits[1]} << 32) | bits[0]) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t seed_, sample_;
  std::uint32_t stream_, next_ = 0;
};

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
