#pragma once
// Counts on a grid on a torus, by four Pfaffians (Kasteleyn 1961, doi:10.1016/0031-8914(61)90063-5).

#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "graph/torus.hpp"
#include "graph/undirected_graph.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "permanent/planar/pfaffian.hpp"

namespace matchcount {

// Orients as kasteleyn_orientation, odd at every face. Requires an even width.
std::vector<std::int8_t> torus_orientation(const UndirectedGraph& graph, const TorusGrid& torus);

// The hafnian of a plan that has a torus, both lengths even, 6 or more. Throws as hafnian_kasteleyn does.
GaussianInteger hafnian_on_torus(const PfaffianProblem& problem, const KasteleynPlan& plan, const RunContext& run);

}  // namespace matchcount
