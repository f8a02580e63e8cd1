#pragma once
// Lists the distinct entries of a matrix of integers or Gaussian integers of any size, and what they are modulo primes.
// Private to permanent/.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/numbers/integer.hpp"
#include "permanent/gaussian_integer.hpp"
#include "permanent/planar/cpu/elimination_front.hpp"

namespace matchcount {

class EntryTable {
 public:
  explicit EntryTable(const std::vector<std::int64_t>& entries);
  explicit EntryTable(const std::vector<GaussianInteger>& entries);

  // Returns the place of each entry in the table: 0 for 0.
  const std::vector<std::uint32_t>& places() const { return places_; }
  const GaussianInteger& value(std::uint32_t place) const { return values_[place]; }
  std::size_t size() const { return values_.size(); }
  // Says whether some entry is not real. Modulo p = 1 mod 4, i is then one of the two roots of -1.
  bool is_complex() const { return complex_; }

  // Returns the magnitude of each place's real part, or of its real and imaginary parts in turn, as words.
  const std::vector<EliminationPart>& parts() const { return parts_; }
  const std::vector<std::uint32_t>& words() const { return words_; }
  std::size_t most_words() const { return most_words_; }  // of a part

  // Returns the residues of all values, in order; the prime is below 2^32. `root` is read where is_complex().
  std::vector<std::uint32_t> residues(std::uint64_t prime, std::uint64_t root) const;

 private:
  void add_words();

  std::vector<std::uint32_t> places_;
  std::vector<GaussianInteger> values_;
  bool complex_ = false;
  std::vector<EliminationPart> parts_;
  std::vector<std::uint32_t> words_;
  std::size_t most_words_ = 0;
};

}  // namespace matchcount
