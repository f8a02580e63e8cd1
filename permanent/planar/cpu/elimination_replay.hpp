#pragma once
// Replays an elimination program modulo many primes.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "permanent/planar/cpu/elimination_program.hpp"
#include "permanent/planar/cpu/entry_table.hpp"

namespace matchcount {

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

// Lists the values of the program: each as it is, or its real and its imaginary part if the table is complex.
std::vector<EliminationPart> parts_of_values(const EliminationProgram& program, const EntryTable& table);

// Returns the bytes that it holds beside the program, on so many threads.
double replay_bytes(double peak_entries, Isa isa, int num_threads);

// Returns -1/odd modulo 2^32.
std::uint32_t minus_inverse_mod_2_32(std::uint32_t odd);

}  // namespace matchcount
