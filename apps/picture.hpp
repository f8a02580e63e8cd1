#pragma once
// Draws matchings, the probabilities of edges, and curves, as SVG.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/placement.hpp"

namespace matchcount::app {

// SVG 1.1, the same bytes for the same graph and places.

// Draws `count` matchings of as many edges, which stand one behind the other, side by side: their edges, coloured by
// their direction: from row to column, so that dominoes on a chessboard have four colours, or, where there are odd
// cycles, either way. Where vertices are squares or triangles edges are tiles of two.
std::string matching_picture(const PlacedGraph& graph, std::span<const EdgeId> edges, std::size_t count = 1);

// Draws every edge by its probability, which a scale beside it explains; `texts` has the probabilities in words, which
// programs show where one points at an edge.
std::string probability_picture(const PlacedGraph& graph, const std::vector<double>& probabilities,
                                const std::vector<std::string>& texts);

// Draws a line through points that come from left to right, between axes from 0 with these names.
std::string curve_picture(std::span<const Point> points, const std::string& across, const std::string& up);

// Writes the picture that --svg asks for, whole or not at all: before the answer, so that an input has that or a
// failure. Throws as write_file does.
void write_picture(const std::string& file, const std::string& svg);

}  // namespace matchcount::app
