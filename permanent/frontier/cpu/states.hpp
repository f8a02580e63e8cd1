#pragma once
// Counts the bit masks with a fixed number of ones, or of a fixed parity, and says which comes next and which index
// each has among them.

#include <cstdint>
#include <map>
#include <vector>

namespace matchcount {

using Word = std::uint64_t;

constexpr std::uint32_t max_dense_width = 62;
// A layer that fills this share of its C(w, k) states is cheaper dense: a sparse state costs about 10 ns, a dense
// one 1.5. One that is dense stays so until it fills less than the second share.
constexpr double dense_fill = 1.0 / 6;
constexpr double merge_fill = 1.0 / 40;

// Returns C(n, k) for n <= 64, saturating at 2^64 - 1; 0 for k > n.
Word binomial(std::uint32_t n, std::uint32_t k);
// The same for any n, to a few units in the last place; infinity beyond the range of doubles.
double binomial_as_double(std::uint32_t n, std::uint32_t k);

// Bounds the states of a layer of a graph with odd cycles: of `width` vertices on the frontier at most `matched` are
// matched, the number of vertices that were processed and have not matched one that left it; the parity of their number
// is that of `matched`. The sum over j <= matched of that parity of C(width, j); 2^(width - 1) or less, and 0 for
// matched < 0. Kept by width, since searches ask again and again; infinity beyond the range of doubles.
class StatesOfParity {
 public:
  double operator()(std::int64_t width, std::int64_t matched);

 private:
  std::vector<std::vector<double>> sums_;  // by width, by matched up to width
};

// Counts how many states a layer can have where twins are matched in turn, so that of each class only the number of
// matched ones matters.
class TwinStates {
 public:
  // Returns the coefficient of x^k in the product over all classes of 1 + x + .. + x^size, at most 1e300;
  // classes_of_size[s]: how many have s members. O(classes * k) where the same sizes were not met before, else a
  // look-up.
  double operator()(const std::vector<std::uint32_t>& classes_of_size, std::size_t k);

 private:
  std::map<std::vector<std::uint32_t>, std::vector<double>> coefficients_;
  std::size_t num_kept_ = 0;  // doubles in all of them
};

// Ones of a word, without the instruction that not every x86-64 has.
inline std::uint32_t count_ones(Word x) {
  x -= (x >> 1) & 0x5555555555555555;
  x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333);
  return static_cast<std::uint32_t>((((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101) >> 56);
}

// Returns the least mask >= x with between low and high ones; all ones where there is none.
Word next_mask(Word x, std::uint32_t low, std::uint32_t high);

// The index of a mask among those with as many ones, in ascending order: the sum over its ones, the i-th from below at
// position q, of C(q, i). Looked up a byte at a time.
class IndexTables {
 public:
  // Makes tables for masks below 2^max_width, max_width <= 64.
  explicit IndexTables(std::uint32_t max_width);

  // Returns the part of the index that the ones of `mask` make up when `below` more ones stand under its lowest.
  Word operator()(Word mask, std::uint32_t below) const {
    Word index = 0;
    for (std::uint32_t byte = 0; mask != 0; ++byte, mask >>= 8) {
      const auto value = static_cast<std::uint32_t>(mask & 255);
      index += table_[(byte * (max_ones_ + 1) + below) * 256 + value];
      below += ones_of_byte_[value];
    }
    return index;
  }

 private:
  std::size_t num_bytes_;
  std::size_t max_ones_;
  std::vector<Word> table_;
  unsigned char ones_of_byte_[256];
};

// The indices of the masks from one to another: [first, end).
struct IndexRange {
  Word first = 0, end = 0;

  bool is_empty() const { return first == end; }
};

// The masks that the states of a layer can be. A class is a number of ones (of a bipartite graph: it is the same for
// all states of a layer) or a parity (of any other graph). Masks of a class stand in ascending order, so that those
// that agree above the lowest positions are neighbours.
class StateIndices {
 public:
  // Masks up to this width.
  StateIndices(bool by_parity, std::uint32_t max_width) : by_parity_(by_parity), tables_(by_parity ? 1 : max_width) {}

  // Requires width <= max_dense_width.
  Word count(std::uint32_t width, std::uint32_t of_class) const {
    if (!by_parity_) return binomial(width, of_class);
    return width == 0 ? 1 - of_class : Word{1} << (width - 1);
  }
  std::uint32_t class_of(Word mask) const { return by_parity_ ? count_ones(mask) & 1 : count_ones(mask); }
  // Returns how many masks of this width and class have these highest bits, and how many have lesser ones, which stand
  // before them.
  Word count_with(Word top, std::uint32_t num_top, std::uint32_t width, std::uint32_t of_class) const {
    return count(width - num_top, rest(of_class, top));
  }
  Word count_below(Word top, std::uint32_t num_top, std::uint32_t width, std::uint32_t of_class) const {
    const Word next = top >> num_top != 0 ? top : next_high(top, of_class, width - num_top, num_top);
    return next >> num_top != 0 ? count(width, of_class) : first_index(next, width - num_top, rest(of_class, next));
  }
  // Returns how many classes masks of this width have.
  std::uint32_t num_classes(std::uint32_t width) const { return by_parity_ ? 2 : width + 1; }
  // Returns the class of the other bits of a mask of this class, `part` being one part of its bits.
  std::uint32_t rest(std::uint32_t of_class, Word part) const {
    return by_parity_ ? (of_class ^ count_ones(part)) & 1 : of_class - count_ones(part);
  }
  // Returns the index of a mask in its class. The last bit follows from a parity and the others.
  Word index(Word mask) const { return by_parity_ ? mask >> 1 : tables_(mask, 0); }
  // Returns the index of the first mask with these high bits, `rest` being left for the low ones.
  Word first_index(Word high, std::uint32_t low_width, std::uint32_t rest) const {
    return by_parity_ ? high << low_width >> 1 : tables_(high << low_width, rest);
  }
  // Returns the least mask >= x that can stand above low_width other bits in a mask of this class, or some mask wider
  // than high_width.
  Word next_high(Word x, std::uint32_t of_class, std::uint32_t low_width, std::uint32_t high_width) const {
    if (!by_parity_) {
      return next_mask(x, of_class > low_width ? of_class - low_width : 0,
                       of_class < high_width ? of_class : high_width);
    }
    return low_width == 0 ? next_of_parity(x, of_class) : x;
  }
  // Returns the range from the least to the greatest mask of this width and class that has, of the bits in `known`,
  // those of `value`.
  IndexRange range(Word known, Word value, std::uint32_t width, std::uint32_t of_class) const;
  // Returns the least mask >= x of this class.
  Word next(Word x, std::uint32_t of_class) const {
    return by_parity_ ? next_of_parity(x, of_class) : next_mask(x, of_class, of_class);
  }

 private:
  static Word next_of_parity(Word x, std::uint32_t parity) {
    while ((count_ones(x) & 1) != parity) ++x;
    return x;
  }

  bool by_parity_;
  IndexTables tables_;
};

}  // namespace matchcount
