#pragma once
// Replays an elimination program modulo many primes, for the distinct entries of a matrix of integers or Gaussian
// integers of any size.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/run.hpp"
#include "permanent/gaussian_integer.hpp"
#include "permanent/planar/cpu/elimination_front.hpp"
#include "permanent/planar/cpu/elimination_program.hpp"

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

// The primes of a replay are odd and between 2^29 and this.
inline constexpr std::uint64_t replay_prime_limit = std::uint64_t{1} << 30;

// A prime, and the root of -1 that i is there; 0 where no entry is complex.
using ReplayModulus = GaussianModulus;

// Stretch is the share of a replay in a longer run, whose progress it reports: of [0, 1].
struct Stretch {
  double begin = 0, end = 1;
  double total = 1;  // multiplications of all of it, which progress is told in
  double at(double share) const { return begin + (end - begin) * share; }
};

// Returns the product of a program's pivots, which is the Pfaffian up to the sign of the program's order, by each
// modulus; 0 where the prime divides a pivot, which says nothing of the Pfaffian: another prime is to be taken. Of a
// program that is not complete it is 0 also where not all that is left over is: elsewhere the prime divides the
// Pfaffian. The table is that which the program's values are places in. On the CPU, as many moduli at a time as a
// vector has lanes. Throws Unable beyond run.options().memory_limit_bytes, and as run.check() does. About
// 1.3 ns for each multiplication of the program and 16 primes, on one thread with AVX-512.
std::vector<std::uint64_t> replay_elimination(const EliminationProgram& program, const EntryTable& table,
                                              std::span<const ReplayModulus> moduli, const RunContext& run,
                                              Stretch stretch = {});

// The same with other values: those of the moduli from number `first` on, as many as there are lanes, the last one
// again where they end, in Montgomery's form, r 2^32 for r: of value i in lane l at [i * lanes + l]. Called on any
// thread.
using WriteValues = std::function<void(std::size_t first, std::size_t lanes, std::uint32_t* values)>;
std::vector<std::uint64_t> replay_elimination(const EliminationProgram& program, const WriteValues& write,
                                              std::span<const ReplayModulus> moduli, const RunContext& run,
                                              Stretch stretch = {});

// Returns the bytes that it holds beside the program, on so many threads.
double replay_bytes(double peak_entries, Isa isa, int num_threads);

}  // namespace matchcount
