// Boards, circulants, complete graphs, subsets, tori of three dimensions and fullerenes. Edges ascend but in circulants
// and fullerenes, where building the graph sorts them.

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "graph/generators/families.hpp"
#include "graph/generators/lattice.hpp"

namespace matchcount::generators {
namespace {

constexpr Vertex most_elements = 62;

// Counts subsets: of n elements, k at a time.
using Binomials = std::array<std::array<std::uint64_t, most_elements + 2>, most_elements + 1>;
constexpr Binomials binomials = [] {
  Binomials table{};
  for (std::size_t n = 0; n <= most_elements; ++n) {
    table[n][0] = 1;
    for (std::size_t k = 1; k <= n; ++k) table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
  }
  return table;
}();

// Calls visit(set) for the subsets of so many elements, ascending.
template <class Visit>
void for_each_subset(Vertex elements, Vertex chosen, const Visit& visit) {
  if (chosen == 0) return visit(std::uint64_t{0});
  for (std::uint64_t set = (std::uint64_t{1} << chosen) - 1; set >> elements == 0;) {
    visit(set);
    const std::uint64_t lowest = set & -set, carried = set + lowest;
    set = carried | (((set ^ carried) / lowest) >> 2);
  }
}

// Returns the elements of `of` at the places of a set, the least first.
std::uint64_t elements_at(std::uint64_t set, std::uint64_t of) {
  std::uint64_t result = 0;
  for (; set != 0; set >>= 1, of &= of - 1) result |= set & 1 ? of & -of : 0;
  return result;
}

// Returns how many subsets of as many elements are less.
Vertex rank(std::uint64_t set) {
  std::uint64_t before = 0;
  for (std::size_t k = 1; set != 0; set &= set - 1, ++k)
    before += binomials[static_cast<std::size_t>(std::countr_zero(set))][k];
  return static_cast<Vertex>(before);
}

}  // namespace

UndirectedGraph board_graph(Vertex height, Vertex width, bool straight, bool diagonal) {
  const double squares = 1.0 * height * width, reach = std::min(height, width);
  check_size("a board of " + times({height, width}), 0, squares,
             squares * ((straight ? 0.5 * height + 0.5 * width : 0) + (diagonal ? reach : 0)));
  std::vector<Edge> edges;
  for (Vertex line = 0; line < height; ++line) {
    for (Vertex place = 0; place < width; ++place) {
      const Vertex square = line * width + place;
      for (Vertex right = place + 1; straight && right < width; ++right)
        edges.push_back({square, line * width + right});
      for (Vertex down = 1; line + down < height; ++down) {
        const Vertex below = square + down * width;
        if (diagonal && down <= place) edges.push_back({square, below - down});
        if (straight) edges.push_back({square, below});
        if (diagonal && down < width - place) edges.push_back({square, below + down});
      }
    }
  }
  return UndirectedGraph::from_edges(height * width, std::move(edges));
}

UndirectedGraph circulant_graph(std::span<const Vertex> numbers) {
  const Vertex size = numbers[0];
  check_size("a circulant graph of size " + std::to_string(size), 0, size,
             1.0 * size * static_cast<double>(numbers.size()));
  std::vector<Edge> edges;
  std::vector<Vertex> seen;
  for (const Vertex jump : numbers.subspan(1)) {
    if (jump == 0 || jump >= size)
      throw InputError("the jump " + std::to_string(jump), "jumps above 0 and below " + std::to_string(size));
    seen.push_back(std::min(jump, size - jump));
    if (std::ranges::count(seen, seen.back()) > 1)
      throw InputError("the jump " + std::to_string(jump) + ", which joins what another one joins", "each jump once");
    for (Vertex v = 0; v < (2 * seen.back() == size ? size / 2 : size); ++v)
      edges.push_back({v, static_cast<Vertex>((std::uint64_t{v} + jump) % size)});
  }
  return UndirectedGraph::from_edges(size, std::move(edges));
}

AnyGraph multipartite_graph(std::span<const Vertex> parts) {
  if (parts.size() == 2) return complete_graph(parts[0], parts[1]);
  double total = 0;
  for (const Vertex part : parts) total += part;
  check_size("a complete graph of " + std::to_string(parts.size()) + " parts", 0, total, total * total / 2);
  std::vector<Edge> edges;
  Vertex v = 0, end = 0;
  for (const Vertex part : parts) {
    for (end += part; v < end; ++v) {
      for (auto other = parts.size() == 1 ? v + 1 : end; other < static_cast<Vertex>(total); ++other)
        edges.push_back({v, other});
    }
  }
  return UndirectedGraph::from_edges(end, std::move(edges));
}

UndirectedGraph subset_graph(Vertex elements, Vertex chosen, Vertex shared) {
  if (elements > most_elements)
    throw InputError(std::to_string(elements) + " elements", "at most " + std::to_string(most_elements));
  if (chosen > elements) return {};
  const bool has_edges = shared < chosen && chosen - shared <= elements - chosen;
  const auto count = [](Vertex n, Vertex k) { return static_cast<double>(binomials[n][k]); };
  const double vertices = count(elements, chosen);
  check_size("subsets of " + std::to_string(chosen) + " of " + std::to_string(elements) + " elements", 0, vertices,
             has_edges ? vertices * count(chosen, shared) * count(elements - chosen, chosen - shared) / 2 : 0);
  if (!has_edges) return UndirectedGraph::from_edges(static_cast<Vertex>(vertices), {});
  std::vector<Edge> edges;
  const std::uint64_t all = (std::uint64_t{1} << elements) - 1;
  Vertex v = 0;
  for_each_subset(elements, chosen, [&](std::uint64_t set) {
    const auto first = static_cast<std::ptrdiff_t>(edges.size());
    for_each_subset(chosen, shared, [&](std::uint64_t kept) {
      for_each_subset(elements - chosen, chosen - shared, [&](std::uint64_t added) {
        const Vertex other = rank(elements_at(kept, set) | elements_at(added, all & ~set));
        if (other > v) edges.push_back({v, other});
      });
    });
    std::sort(edges.begin() + first, edges.end());
    ++v;
  });
  return UndirectedGraph::from_edges(v, std::move(edges));
}

AnyGraph torus3d_graph(Vertex a, Vertex b, Vertex c) {
  const double points = 1.0 * a * b * c;
  check_size("a torus of " + times({a, b, c}), 0, points, 3 * points);
  for (const Vertex length : {a, b, c}) {
    if (points > 0 && length <= 2)
      throw InputError("a torus of " + times({a, b, c}),
                       "lengths above 2: here a vertex would be joined to another twice, or to itself");
  }
  return joined(box_region(a, b, c), beside, {a, b, c});
}

// The faces come one after another, each beside the one before it and the first of the rim: the faces that still have
// open sides, in the order round the patch. Where it meets two neighbours of the rim a vertex is closed, and an edge
// where a second vertex has the same two faces.
UndirectedGraph fullerene_graph(std::span<const Vertex> numbers) {
  const Vertex size = numbers[0], num_faces = size / 2 + 2;
  const std::string what = "a fullerene of " + std::to_string(size) + " vertices";
  if (size < 20 || size % 2 != 0) throw InputError(what, "an even number from 20 on");
  if (numbers.size() != 13)
    throw InputError(what + " with " + std::to_string(numbers.size() - 1) + " pentagons", "the places of 12");
  check_size(what, 0, size, 3.0 * size);
  std::vector<int> open(num_faces, 6);  // sides
  for (const Vertex place : numbers.subspan(1)) {
    if (place < 1 || place > num_faces || open[place - 1] == 5)
      throw InputError("a pentagon at " + std::to_string(place),
                       "12 different places from 1 to " + std::to_string(num_faces));
    open[place - 1] = 5;
  }
  std::vector<Edge> edges;
  std::map<std::pair<Vertex, Vertex>, Vertex> first_of_side;
  Vertex corners = 0;
  const auto close = [&](Vertex face, Vertex one, Vertex other) {
    for (const auto& side : {std::minmax(face, one), std::minmax(face, other), std::minmax(one, other)}) {
      const auto [found, is_new] = first_of_side.try_emplace(side, corners);
      if (!is_new) edges.push_back({found->second, corners});
    }
    ++corners;
  };
  std::deque<Vertex> rim{0, 1};
  --open[0], --open[1];
  bool fits = true;
  for (Vertex face = 2; fits && face + 1 < num_faces; ++face) {
    close(face, rim.front(), rim.back());
    --open[rim.front()], --open[rim.back()], open[face] -= 2;
    const auto go_on = [&](const auto& end, const auto& pop) {
      while (fits && open[end()] == 0) {
        const Vertex done = end();
        pop();
        fits = rim.size() > 1;
        close(face, done, end());
        --open[end()], --open[face];
      }
    };
    go_on([&] { return rim.front(); }, [&] { rim.pop_front(); });
    go_on([&] { return rim.back(); }, [&] { rim.pop_back(); });
    fits = fits && open[face] > 0;
    rim.push_back(face);
  }
  fits = fits && static_cast<int>(rim.size()) == open[num_faces - 1] &&
         std::ranges::all_of(rim, [&](Vertex face) { return open[face] == 1; });
  if (!fits) throw InputError(what + " with pentagons at these places", "a spiral of faces that closes");
  for (std::size_t i = 0; i < rim.size(); ++i) close(num_faces - 1, rim[i], rim[(i + 1) % rim.size()]);
  return UndirectedGraph::from_edges(corners, std::move(edges));
}

}  // namespace matchcount::generators
