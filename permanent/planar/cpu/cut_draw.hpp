#pragma once
// Draws what the vertices do along which a graph in a surface is cut. Private to permanent/.

#include <memory>
#include <vector>

#include "core/run.hpp"
#include "permanent/planar/cpu/node_draw.hpp"
#include "permanent/planar/cpu/real_elimination.hpp"
#include "permanent/planar/surface_cut.hpp"

namespace matchcount {

struct CutDraw {
  std::vector<EdgeId> edges;   // of the given graph, between vertices of the cut
  std::vector<Vertex> copies;  // by which the other vertices of the cut are matched
  // The draw's probability is within this of the truth, relatively and to first order.
  double relative_error = 0;
};

// CutDrawer draws in numbers of this kind.
template <class Number>
class CutDrawer {
 public:
  virtual ~CutDrawer() = default;
  // O(terms size^3), of the cut's size; throws as run.check() does. Any number of threads may call it at once.
  virtual CutDraw draw(SampleNumbers& numbers, const RunContext& run) const = 0;
};

// Takes what the elimination of the cut's graph left over for its last node, and the plan of the given graph.
template <class Number>
std::unique_ptr<CutDrawer<Number>> cut_drawer(const GraphBlock<RealEntry>& given, const KasteleynPlan& plan,
                                              const SurfaceCut& cut, const RealElimination<Number>& elimination,
                                              const RunContext& run);

// Returns the bytes of the drawer of a cut of so many vertices, draws by so many threads included.
double cut_drawer_bytes(double size, const SurfacePfaffians& surface, std::size_t bytes_of_number, int num_threads);

}  // namespace matchcount
