#pragma once
// Carries orders of vertices over from a graph to its parts, and back (CountOptions::order, wants_order).

#include <cstddef>
#include <memory>
#include <vector>

#include "permanent/plan.hpp"

namespace matchcount {

// Throws InputError where the options give an order that has not each of so many vertices once, or give or want one of
// a method that has none.
void require_order_of(const CountOptions& options, std::size_t num_vertices);

// Returns the place of every vertex in an order.
std::vector<Vertex> places_in(const std::vector<Vertex>& order);
// Orders the vertices of a part, which have these names, by the places of the names.
std::shared_ptr<const std::vector<Vertex>> order_among(const std::vector<Vertex>& places,
                                                       const std::vector<Vertex>& names);

// Puts those of so many vertices that are not in the order before it, ascending.
void put_others_first(std::vector<Vertex>& order, std::size_t num_vertices);

}  // namespace matchcount
