#pragma once
// Runs on the ranks that have a part in it, and bounds sums of doubles. Private to this room.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/bytes.hpp"
#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "graph/vertices.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/spread.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {

// Runs on one process and, where there are several, on the first, or on all of them. What it returns there is kept once
// it is done.
inline Bytes run_here(const RunContext& run, FrontierSpread spread, const std::string& name,
                      const std::string& description, const std::function<Bytes()>& compute) {
  const Job job{name, description, 1, {}};
  Bytes record;
  const bool together = spread == FrontierSpread::partitioned && !run.work()->is_done(job, run);
  if (together) record = compute();
  return total_of(run_job(job, run, [&](Pieces& pieces) {
    if (run.work() && !run.work()->is_first()) return;
    const auto piece = pieces.take();
    if (piece) pieces.give(*piece, together ? record : compute());
  }));
}

// Entries in a term of the sum.
template <class AnyBlock>
double term_size(const AnyBlock& block) {
  return static_cast<double>(num_vertices(block.pattern)) / 2;
}
// Makes a value with log2 of its error and of the sum over the magnitudes.
template <class V>
V bounded(const ScaledComplex& value, double log2_error, double log2_magnitudes) {
  if constexpr (std::is_same_v<V, RealValue>) {
    return {value.re, log2_error, log2_magnitudes};
  } else {
    return {value, log2_error, log2_magnitudes};
  }
}
// Names the doubles that a sum of such numbers takes in a precision.
inline FloatKind float_kind(bool is_real, Precision precision) {
  if (precision == Precision::float64) return is_real ? FloatKind::real : FloatKind::complex;
  return is_real ? FloatKind::double_double : FloatKind::complex_double_double;
}
// Unit has the relative errors of an operation of the layers, and of an entry: 2^-53 where it was rounded to a double,
// 2^-100 for what its double-double lacks.
struct Unit {
  double roundoff, entry_error;
};
inline Unit unit_of(FloatKind kind) {
  const bool is_complex = kind == FloatKind::complex || kind == FloatKind::complex_double_double;
  const bool as_double = kind == FloatKind::real || kind == FloatKind::complex;
  return {(is_complex ? complex_factor : 1) * (as_double ? double_roundoff : DoubleDouble::unit_roundoff),
          (is_complex ? 2 : 1) * (as_double ? double_roundoff + entry_roundoff : entry_roundoff)};
}
// Bounds log2 of a sum over magnitudes, which was found in doubles, from above.
inline double log2_of_magnitudes(const FloatOutcome& sum) {
  return log2_sum(sum.value(FloatKind::real).re.log2_abs() + 4 * sum.roundings * double_roundoff, sum.log2_underflow);
}
// Makes a value of a sum in doubles, by the bound of the comment on numbers.hpp, with one rounding an entry for its own
// error.
template <class V>
V bounded(FloatKind kind, const FloatOutcome& sum, double log2_magnitudes, double entries_in_term) {
  const Unit unit = unit_of(kind);
  const double gamma = 1.01 * (sum.roundings * unit.roundoff + entries_in_term * unit.entry_error);
  return bounded<V>(sum.value(kind), log2_sum(std::log2(gamma) + log2_magnitudes, sum.log2_underflow) + 1e-9,
                    log2_magnitudes);
}
constexpr double no_terms = -std::numeric_limits<double>::infinity();  // log2 of an empty sum

}  // namespace matchcount
