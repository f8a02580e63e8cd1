#pragma once
// Draws graphs, matchings, the probabilities of edges, curves, and times, as SVG.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/api.hpp"
#include "graph/placed_graph.hpp"

namespace MATCHCOUNT_API matchcount {

// SVG 1.1, the same bytes for the same graph and places.

// Draws the vertices and edges.
std::string graph_picture(const PlacedGraph& graph);

// Draws `count` matchings of as many edges, which stand one behind the other (a number beyond: none), side by side:
// their edges, coloured by their direction: from row to column, so that dominoes on a chessboard have four colours, or,
// where there are odd cycles, either way. Where vertices are squares or triangles edges are tiles of two.
std::string matching_picture(const PlacedGraph& graph, std::span<const EdgeId> edges, std::size_t count = 1);

// Draws every edge by its probability, which a scale beside it explains; `texts` has the probabilities in words, which
// programs show where one points at an edge.
std::string probability_picture(const PlacedGraph& graph, const std::vector<double>& probabilities,
                                const std::vector<std::string>& texts);

// Draws a line through points that come from left to right, between axes from 0 with these names.
std::string curve_picture(std::span<const Point> points, const std::string& across, const std::string& up);

// Seconds, as they were predicted and as they were taken; 0: not known.
struct PredictedTime {
  std::string name;
  double predicted_s = 0, taken_s = 0;
};
// Draws these as bars from the left, by their logarithms.
std::string times_picture(std::span<const PredictedTime> times);

}  // namespace matchcount
