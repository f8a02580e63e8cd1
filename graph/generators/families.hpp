#pragma once
// Makes the families that graph/generate.hpp has by name alone, vertices numbered from 0 in the order told, and refuses
// graphs that are too large to be numbered or held before anything is generated. Private to graph/.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <variant>

#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount::generators {

// Writes "3 x 4".
std::string times(std::initializer_list<Vertex> lengths);

// Throws InputError unless each side can be numbered, and Unable unless the graph fits into the memory there is. `what`
// names it.
void check_size(const std::string& what, double num_rows, double num_columns, double num_edges);

using AnyGraph = std::variant<BipartiteGraph, UndirectedGraph>;

// Joins the squares of a board, line by line, that a piece moves between: along lines and columns, diagonals or both.
UndirectedGraph board_graph(Vertex height, Vertex width, bool straight, bool diagonal);
// Joins i to i + j and i - j modulo N for every jump j; `numbers` are N and the jumps, each above 0 and below N, none
// equal to another or, of j and N - j, twice the same.
UndirectedGraph circulant_graph(std::span<const Vertex> numbers);
// Joins vertices of different parts, which stand one behind the other; of one part every two. Two parts are sides.
AnyGraph multipartite_graph(std::span<const Vertex> parts);
// Makes the subsets of `chosen` of at most 62 elements, as binary numbers ascending, joined where they share so many
// elements: 0 for Kneser's graphs, chosen - 1 for Johnson's.
UndirectedGraph subset_graph(Vertex elements, Vertex chosen, Vertex shared);
// Makes a x b x c points with all three directions periodic, none of them 1 or 2 long. Bipartite if all are even.
AnyGraph torus3d_graph(Vertex a, Vertex b, Vertex c);
// Makes a cubic graph on a sphere whose faces are pentagons and hexagons, from its face spiral (P. W. Fowler, D. E.
// Manolopoulos, "An Atlas of Fullerenes", 1995): `numbers` are its vertices and the places of the 12 pentagons, from 1
// on. A vertex comes when the third of its faces does.
UndirectedGraph fullerene_graph(std::span<const Vertex> numbers);
// Draws one of the size^(size - 2) trees on numbered vertices, all alike, by its code (H. Pruefer 1918).
UndirectedGraph random_tree(Vertex size, std::uint64_t seed);
// Draws each pair of vertices as an edge with probability density, as random_graph does those of rows and columns.
UndirectedGraph random_pairs(Vertex size, double density, std::uint64_t seed);

}  // namespace matchcount::generators
