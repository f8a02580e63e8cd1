#pragma once
// Sums by the frontier method, of the type that a block's entries say.

#include "permanent/frontier/frontier.hpp"

namespace matchcount {

template <class GivenBlock>
auto frontier_value(const GivenBlock& block, const FrontierOrder& order, FrontierEngine engine, Precision precision,
                    const RunContext& run, const std::vector<DeviceInfo>& gpus = {}) {
  using Entry = typename decltype(block.entries)::value_type;
  return std::get<BlockValue<Entry>>(sum_frontier(&block, order, engine, precision, run, gpus));
}
template <class GivenBlock>
Integer frontier_value(const GivenBlock& block, const FrontierOrder& order, FrontierEngine engine,
                       const RunContext& run, const std::vector<DeviceInfo>& gpus = {}) {
  return frontier_value(block, order, engine, Precision::automatic, run, gpus);
}
inline Integer frontier_value(const Block<std::int64_t>& block, const FrontierOrder& order, FrontierEngine engine,
                              const RunContext& run, const std::vector<DeviceInfo>& gpus = {}) {
  return frontier_value(block, order, engine, Precision::automatic, run, gpus);
}

}  // namespace matchcount
