#pragma once
// Runs one block by its method, and by a second one; multiplies the values of blocks, with the bounds on their errors.

#include <cstdint>
#include <utility>
#include <vector>

#include "core/numbers/value.hpp"
#include "permanent/engine/planner.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/method.hpp"

namespace matchcount {

// Prepares a block as plan_block does, for the numbers that the block is counted in, and by every method if a second
// one is to verify. If the options leave the precision of reals and complex numbers open, these are double-doubles if
// what would be followed is predicted to take little time with them, else doubles. `all`: forecasts for every method.
PreparedBlock prepare_block(const AnyBlock& block, const CountOptions& options, bool all, double seconds_left,
                            const RunContext& run);

struct BlockOutcome {
  Value value;
  Precision precision = Precision::automatic;  // of reals and complex numbers
};

// Throws as the method does. The precision is a choice of run.part() (permanent/engine/resume.hpp).
BlockOutcome run_block(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& chosen,
                       const CountOptions& options, const RunContext& run);

// Chooses how a block is counted a second time: by another method, sharing no code with the one that ran; where that is
// expensive, by the same along another order, if the plan has one. Throws Unable where none is affordable in ten
// minutes or in twice the seconds that are left.
Forecast second_method(const Forecast& first, const BlockPlan& plan, const CountOptions& options, double seconds_left);

// Returns the block's value by such a forecast. Where nothing may be rounded (Precision::exact) the second method gets
// entries scaled as it wants them, and what scaling lost is counted.
Value run_second(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& second, Precision precision,
                 const RunContext& run);

// Verified tells how parts were counted a second time.
struct Verified {
  bool agreed = true;
  std::string by;  // "by planar, frontier"; empty: nothing was

  void note(const std::string& how);
};

// Makes the value of the whole from the values of its blocks: first of structure.reduced.blocks, then of
// structure.rest.blocks.
template <class Entry>
Value product_of_blocks(const Structure<Entry>& structure, std::vector<Value> values);

// Multiplies in a balanced tree, so that long factors meet long factors; `one` if there are none.
template <class Factor, class Times>
Factor product_of(std::vector<Factor> factors, Factor one, Times&& times) {
  if (factors.empty()) return one;
  while (factors.size() > 1) {
    std::size_t half = 0;
    for (std::size_t i = 0; i + 1 < factors.size(); i += 2) factors[half++] = times(factors[i], factors[i + 1]);
    if (factors.size() % 2) factors[half++] = std::move(factors.back());
    factors.resize(half);
  }
  return std::move(factors.front());
}

// Makes a sum of an entry, which is taken to be exact.
Integer number_of(std::int64_t entry);
RealValue number_of(const RealEntry& entry);
ComplexValue number_of(const ComplexEntry& entry);

// Multiplies by 2^exponent; integers stay as they are.
void shift(Integer& value, std::int64_t exponent);
void shift(RealValue& value, std::int64_t exponent);
void shift(ComplexValue& value, std::int64_t exponent);

// Makes a product with its bound.
Integer times(const Integer& a, const Integer& b);
RealValue times(const RealValue& a, const RealValue& b);
ComplexValue times(const ComplexValue& a, const ComplexValue& b);

// Turns the value of a scaled block into that of the block as it was: what scaling lost counts as an error.
void undo_scaling(Value& value, const EntryScaling& scaling);

// Lowers value.log2_magnitudes to the product of row sums of the block's magnitudes (of any graph: to the root of that
// of all vertices' sums, since haf^2 <= per) where a method gave no better bound. Integers have none.
void bound_magnitudes(Value& value, const AnyBlock& block);

// Says whether two values of one block are equal within their bounds.
bool agree(const Value& a, const Value& b);

}  // namespace matchcount
