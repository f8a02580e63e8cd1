#pragma once
// Makes blocks of instances.

#include <cstdint>
#include <variant>
#include <vector>

#include "matching/reduce.hpp"
#include "support/instances.hpp"

namespace matchcount::test {

inline Block<std::int64_t> block_of(const Instance<std::int64_t>& instance) {
  const BipartiteGraph graph = instance.graph();
  std::vector<std::int64_t> entries;
  if (graph.num_edges() > 0) entries = std::get<std::vector<std::int64_t>>(graph.weights());
  return {graph.pattern(), entries};
}
inline Block<RealEntry> block_of(const Instance<DoubleDouble>& instance) {
  const BipartiteGraph graph = instance.graph();
  std::vector<RealEntry> entries;
  if (graph.num_edges() > 0) {
    for (const DoubleDouble& value : std::get<std::vector<DoubleDouble>>(graph.weights()))
      entries.push_back({value, magnitude(value)});
  }
  return {graph.pattern(), entries};
}
inline Block<ComplexEntry> block_of(const Instance<ComplexDoubleDouble>& instance) {
  const BipartiteGraph graph = instance.graph();
  std::vector<ComplexEntry> entries;
  if (graph.num_edges() > 0) {
    for (const ComplexDoubleDouble& value : std::get<std::vector<ComplexDoubleDouble>>(graph.weights()))
      entries.push_back({value, magnitude(value)});
  }
  return {graph.pattern(), entries};
}

}  // namespace matchcount::test
