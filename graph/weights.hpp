#pragma once
// Handles weights of whatever kind: visits, picks and mirrors them.

#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/numbers/integer.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount {

// Calls visit(values) where there are weights.
template <class AnyWeights, class Visit>
void visit_values(AnyWeights& weights, Visit&& visit) {
  std::visit(
      [&](auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) visit(values);
      },
      weights);
}

inline bool is_zero(std::int64_t value) { return value == 0; }
inline bool is_zero(DoubleDouble value) { return value.hi == 0 && value.lo == 0; }
inline bool is_zero(const ComplexDoubleDouble& value) { return is_zero(value.re) && is_zero(value.im); }

bool has_zero(const Weights& weights);
// Says by edge which weights are not 0; empty where there are no weights.
std::vector<bool> nonzeros(const Weights& weights);

// Returns a finite double as a fraction.
Rational exactly(double value);

// Returns the weights of these edges, in this order.
Weights gather(const Weights& weights, std::span<const EdgeId> ids);

// Drops the edges that are not to be kept, and returns the weights of the others. Throws InputError unless there is a
// choice for each.
Weights choose(const std::vector<bool>& keep, std::vector<Edge>& edges, const Weights& weights);

// Appends every edge the other way round with its weight, but for loops.
void append_mirrored(std::vector<Edge>& edges, Weights& weights);

// Returns an edge of a square matrix that differs from the one back, or has none; nothing where it is symmetric.
std::optional<Edge> asymmetric_edge(const BipartiteGraph& graph);

}  // namespace matchcount
