#pragma once
// Gives methods that count in integers a block's entries as such, and its value back. Private to permanent/.

#include <optional>
#include <vector>

#include "permanent/method.hpp"

namespace matchcount {

// Integers by EdgeId: their permanent or hafnian is 2^exponent times that of the block.
struct EntriesAsHeld {
  std::vector<Integer> entries;
  std::int64_t exponent = 0;
};
// Nothing for complex numbers. The block has a perfect matching.
std::optional<EntriesAsHeld> entries_as_held(const AnyBlock& block);

// The same as words, with log2 of a bound on their permanent or hafnian. Nothing where one takes more than 63 bits.
struct WordsAsHeld {
  std::vector<std::int64_t> entries;
  std::int64_t exponent = 0;
  double log2_bound = 0;
};
std::optional<WordsAsHeld> words_as_held(const AnyBlock& block);

// The value of the block from that of the integers: a real may be off by what the reading of its entries rounded.
Value value_as_held(const Integer& value, std::int64_t exponent, const AnyBlock& block);
// The same of the sums over the matchings with each edge.
AnyMarginals marginals_as_held(BlockMarginals<Integer> sums, std::int64_t exponent, const AnyBlock& block);

}  // namespace matchcount
