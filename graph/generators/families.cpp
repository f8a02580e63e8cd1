// The families by name. Programs offer what stands here, in this order.

#include "graph/generate.hpp"

namespace matchcount {
namespace {

using Sizes = std::span<const Vertex>;
using Seed = std::uint64_t;
using AnyGraph = std::variant<BipartiteGraph, UndirectedGraph>;

template <const char* name>
AnyGraph lattice(Sizes n, double, Seed) {
  return lattice_graph(name, n[0], n[1]);
}

constexpr char king[] = "king", knight[] = "knight", triangular[] = "triangular", honeycomb[] = "honeycomb",
               kagome[] = "kagome", square_octagon[] = "square-octagon", lieb[] = "lieb";

const GraphFamily families[] = {
    {"grid", "H W", "square lattice, H x W vertices, neighbours joined: domino tilings",
     [](Sizes n, double, Seed) -> AnyGraph { return grid_graph(n[0], n[1]); }},
    {"torus", "H W", "the same, periodic both ways; both even and above 2",
     [](Sizes n, double, Seed) -> AnyGraph { return torus_graph(n[0], n[1]); }},
    {"grid3d", "A B C", "A x B x C vertices, neighbours joined",
     [](Sizes n, double, Seed) -> AnyGraph { return grid3d_graph(n[0], n[1], n[2]); }},
    {knight, "H W", "H x W squares of a chessboard, joined by knights' moves", lattice<knight>},
    {king, "H W", "the same by kings' moves; it has odd cycles", lattice<king>},
    {triangular, "H W", "triangular lattice, H lines of W vertices", lattice<triangular>},
    {honeycomb, "H W", "honeycomb, H lines of W cells of two vertices", lattice<honeycomb>},
    {kagome, "H W", "kagome lattice, of corner-sharing triangles; cells of three vertices", lattice<kagome>},
    {square_octagon, "H W", "squares and octagons (4.8.8); cells of four vertices", lattice<square_octagon>},
    {lieb, "H W", "square lattice with a vertex on every edge; cells of three vertices", lattice<lieb>},
    {"hexagon", "A B C", "honeycomb region: lozenge tilings, plane partitions in a box",
     [](Sizes n, double, Seed) -> AnyGraph { return hexagon_graph(n[0], n[1], n[2]); }},
    {"aztec", "N", "Aztec diamond of order N: 2^(N(N+1)/2) perfect matchings",
     [](Sizes n, double, Seed) -> AnyGraph { return aztec_graph(n[0]); }},
    {"hypercube", "D", "2^D vertices", [](Sizes n, double, Seed) -> AnyGraph { return hypercube_graph(n[0]); }},
    {"regular", "N D", "random, simple, N vertices a side, all of degree D",
     [](Sizes n, double, Seed seed) -> AnyGraph { return random_regular_graph(n[0], n[1], seed); }},
    {"random", "R C P", "every one of R x C edges with probability P",
     [](Sizes n, double p, Seed seed) -> AnyGraph { return random_graph(n[0], n[1], p, seed); }},
    {"band", "N W", "row i joined to the columns j with |i - j| <= W",
     [](Sizes n, double, Seed) -> AnyGraph { return band_graph(n[0], n[1]); }},
    {"complete", "R C", "every row joined to every column",
     [](Sizes n, double, Seed) -> AnyGraph { return complete_graph(n[0], n[1]); }},
    {"planar", "N [P]",
     "random and planar with a perfect matching, N vertices a side; the share P of the edges that can go is kept, 0.7",
     [](Sizes n, double p, Seed seed) -> AnyGraph { return random_planar_graph(n[0], p, seed); }},
};

}  // namespace

std::span<const GraphFamily> graph_families() { return families; }

}  // namespace matchcount
