#pragma once
// Prepares a run along an order: what ranks and checkpoints agree on, the steps, and where they are carried out.
// Private to this room.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/run.hpp"
#include "permanent/frontier/cpu/partitioned.hpp"
#include "permanent/frontier/cpu/run.hpp"
#include "permanent/frontier/cpu/spread.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {

// The order that a run which goes on, and other ranks, have taken: the search depends on limits too.
FrontierOrder agreed_order(const FrontierOrder& mine, const RunContext& run);

// What all ranks do: the choice of the first.
SpreadCost agreed_spread(const FrontierSteps& steps, FrontierEngine engine, double bytes_of_state,
                         std::size_t num_primes, const RunContext& run);

// Runs on one process and, where there are several, on the first, or on all of them. What it returns there is kept once
// it is done.
Bytes run_here(const RunContext& run, FrontierSpread spread, const std::string& name, const std::string& description,
               const std::function<Bytes()>& compute);

// m! for every class of m twins, as its factors: the i-th of a class has i.
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

template <class Arithmetic>
auto run_steps(const FrontierSteps& steps, Arithmetic& arithmetic, FrontierEngine engine, FrontierSpread spread,
               const RunContext& run, const std::string& name, const std::string& description) {
  if (spread == FrontierSpread::partitioned) {
    return PartitionedRun<Arithmetic>(steps, arithmetic, run, name, description).run();
  }
  return FrontierRun<Arithmetic>(steps, arithmetic, engine, run, name, description).run();
}

}  // namespace matchcount
