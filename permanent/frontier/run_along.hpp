#pragma once
// Prepares a run along an order: what ranks and checkpoints agree on, the steps, and where they are carried out.
// Private to this room.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/spread.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {

// Returns the order that a run which goes on, and other ranks, have taken: the search depends on limits too.
FrontierOrder agreed_order(const FrontierOrder& mine, const RunContext& run);

// Returns the first rank's choice on all ranks.
SpreadCost agreed_spread(const FrontierSteps& steps, FrontierEngine engine, double bytes_of_state,
                         std::size_t num_primes, const RunContext& run);

// Runs on one process and, where there are several, on the first, or on all of them. What it returns there is kept once
// it is done.
Bytes run_here(const RunContext& run, FrontierSpread spread, const std::string& name, const std::string& description,
               const std::function<Bytes()>& compute);

// Returns m! for every class of m twins, as its factors: the i-th of a class has i.
std::vector<std::uint32_t> twin_factors(const FrontierOrder& order);

template <class Entry>
FrontierSteps steps_along(const Block<Entry>& block, const FrontierOrder& order) {
  if (!order.twin_before.empty()) {
    // find_twins links the nearest in a class, so that all the twins of an order are among those it finds.
    std::vector<Vertex> found = find_twins(block);
    found.resize(order.twin_before.size(), unmatched);
    for (std::size_t v = 0; v < found.size(); ++v) {
      if (order.twin_before[v] != unmatched && order.twin_before[v] != found[v]) {
        throw InputError("twins that differ", "vertices with the same neighbours and equal entries");
      }
    }
  }
  return frontier_steps(block.pattern, order.sequence, order.twin_before);
}
template <class Entry>
FrontierSteps steps_along(const GraphBlock<Entry>& block, const FrontierOrder& order) {
  if (!order.twin_before.empty()) throw InputError("an order with twins", "an order of a graph that is not bipartite");
  return frontier_steps(block.pattern, order.sequence);
}

// Runs along the steps, on this process or over ranks; returns the planes of the one state that is left, or nothing.
std::vector<Word> run_steps(const FrontierSteps& steps, Words& number, FrontierEngine engine, FrontierSpread spread,
                            const RunContext& run, const std::string& name, const std::string& description);
std::vector<double> run_steps(const FrontierSteps& steps, Floats& number, FrontierEngine engine, FrontierSpread spread,
                              const RunContext& run, const std::string& name, const std::string& description);

// Entries in a term of the sum.
template <class Entry>
double term_size(const Block<Entry>& block) {
  return block.pattern.num_rows();
}
template <class Entry>
double term_size(const GraphBlock<Entry>& block) {
  return block.pattern.num_vertices() / 2.0;
}
// Says whether no entry is negative or hides a cancellation, so that a value is its own magnitude to a factor of
// (1 + 2^-30) an entry and rounding.
template <class Entry>
bool are_positive(const std::vector<Entry>& entries) {
  return std::ranges::all_of(entries, [](const Entry& entry) {
    if constexpr (requires { entry.value.re; }) {
      return false;
    } else {
      return entry.value.hi >= 0 && entry.magnitude <= entry.value.hi * (1 + 0x1p-30);
    }
  });
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
constexpr double no_terms = -std::numeric_limits<double>::infinity();  // log2 of an empty sum

}  // namespace matchcount
