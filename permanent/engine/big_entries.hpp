#pragma once
// Counts exactly where entries are no 64-bit integers: integers of any size, fractions, and reals and complex numbers
// as they are held, which are integers times powers of two.

#include <vector>

#include "core/numbers/integer.hpp"
#include "permanent/engine/engine.hpp"
#include "permanent/fixed_point.hpp"

namespace matchcount {

// The permanent of a pattern with these entries, or the hafnian of a graph; entries by EdgeId, none of them 0, all of
// them integers with an imaginary part or without. Entries of 64 bits are one run; others take as many runs of
// 62-bit residues as a proven bound asks for (twice as many where imaginary parts occur), each of which is exact by
// itself: n times the work that residues alone would be, for n rows. Ranks share every run, and a checkpoint has the
// runs that are done and what is done of the next. `result.value` is to be filled in by the caller. A plan is that of
// the first run, with the seconds of all. Throws as matchcount/count.hpp says.
struct BigCount {
  GaussianInteger value;
  Result result;
};
BigCount compute_big(GraphView pattern, const std::vector<GaussianInteger>& entries, const CountOptions& options,
                     Work* work, Until until = Until::value);

// Returns the options of one of several runs: what is left of the time, progress and the forecast of them all.
CountOptions options_of_run(const CountOptions& options, std::size_t run, std::size_t runs, const RunContext& context);
// Makes the plan of one run that of all.
void repeat(Plan& plan, std::size_t runs);

// Computes reals and complex numbers as they are held, by any method: only the answer is rounded, to a relative 2^-94,
// and a 0 is proven.
Result compute_as_held(GraphView graph, const CountOptions& options, Work* work, Until until);

// Fractions on the edges of a pattern as integers: rows, or the vertices of a graph, are multiplied by factors whose
// product is `multiple`.
struct WithoutDenominators {
  std::vector<GaussianInteger> entries;
  Integer multiple = 1;
};
WithoutDenominators without_denominators(GraphView pattern, const std::vector<Rational>& entries);

}  // namespace matchcount
