#include "permanent/engine/given_order.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/error.hpp"

namespace matchcount {

void require_order_of(const CountOptions& options, std::size_t num_vertices) {
  const bool has_orders =
      options.method == Method::automatic || options.method == Method::frontier || options.method == Method::trees;
  if ((options.order || options.wants_order) && !has_orders)
    throw InputError("an order of vertices for the method " + std::string(to_string(options.method)),
                     "frontier or trees, which have one");
  if (!options.order) return;
  std::vector<bool> is_there(num_vertices, false);
  bool fits = options.order->size() == num_vertices;
  for (const Vertex v : *options.order) {
    fits = fits && v < num_vertices && !is_there[v];
    if (fits) is_there[v] = true;
  }
  if (!fits)
    throw InputError("an order of other vertices", "each of " + std::to_string(num_vertices) + " vertices once");
}

std::vector<Vertex> places_in(const std::vector<Vertex>& order) {
  std::vector<Vertex> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<Vertex>(i);
  return places;
}

std::shared_ptr<const std::vector<Vertex>> order_among(const std::vector<Vertex>& places,
                                                       const std::vector<Vertex>& names) {
  std::vector<Vertex> order(names.size());
  std::iota(order.begin(), order.end(), Vertex{0});
  std::ranges::sort(order, {}, [&](Vertex v) { return places[names[v]]; });
  return std::make_shared<const std::vector<Vertex>>(std::move(order));
}

void put_others_first(std::vector<Vertex>& order, std::size_t num_vertices) {
  std::vector<bool> is_there(num_vertices, false);
  for (const Vertex v : order) is_there[v] = true;
  std::vector<Vertex> all;
  for (std::size_t v = 0; v < num_vertices; ++v)
    if (!is_there[v]) all.push_back(static_cast<Vertex>(v));
  all.insert(all.end(), order.begin(), order.end());
  order = std::move(all);
}

}  // namespace matchcount
