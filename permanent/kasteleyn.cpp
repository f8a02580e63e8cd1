// Why an orientation of this kind counts. In a connected plane graph whose inner faces each have an odd number of edges
// along their clockwise walk (an edge with the same face on both sides is once along it), summing over the faces within
// a cycle and Euler's formula give: a cycle with i vertices inside has an odd number of edges along it just when i is
// even. The union of two perfect matchings consists of cycles with an even number of vertices inside, so that the two
// have terms of the same sign in the Pfaffian. A spanning tree is directed anyhow; the edges beside it form a
// spanning tree of the faces, in which each face, leaves first, directs the one edge that it has left.
//
// The sign that all terms have is that of any perfect matching's term, so that signed entries keep theirs.
//
// On a torus with every face odd the sign of a matching's term depends on how often, modulo 2, it crosses the two
// seams, (h, v): s(h, v) is a quadratic form, s(1, 1) = -s(0, 0) s(1, 0) s(0, 1) (Tesler 2000,
// doi:10.1006/jctb.1999.1941). Negating the edges across one seam, the other, or both gives the four Pfaffians P(a, b)
// = sum over the classes of s(h, v) (-1)^(ah + bv) N(h, v), from which N = N(0, 0) + N(1, 0) + N(0, 1) + N(1, 1)
// follows.
//
// Numbers. With K the signed matrix, the square of the sum over perfect matchings is det(K) <= the product of its rows'
// norms (Hadamard), which on grids is less than what permanents are bounded by.

#include "permanent/kasteleyn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "core/modular.hpp"
#include "graph/two_colouring.hpp"
#include "matching/graph_matching.hpp"
#include "permanent/bound.hpp"
#include "permanent/cpu/elimination_kernel.hpp"
#include "permanent/cpu/elimination_replay.hpp"

namespace matchcount {
namespace {

// ---- Bounds.

// log2 of the product of the norms of all vertices' entries, or of those of one side. Each sum of k squares errs by at
// most (k + 2) 2^-53 relatively, each log2 by a unit in the last place of a number below 2^8.
double log2_norms(const GraphBlock<std::int64_t>& block, const std::vector<bool>& is_column, bool of_columns) {
  double sum = 0, slack = 0;
  for (Vertex v = 0; v < block.pattern.num_vertices(); ++v) {
    if (!is_column.empty() && is_column[v] != of_columns) continue;
    double squares = 0;
    for (const EdgeId id : block.pattern.incident_edges(v)) {
      const auto entry = static_cast<double>(block.entries[id]);
      squares += entry * entry;
    }
    if (squares == 0) return -std::numeric_limits<double>::infinity();
    sum += std::log2(squares) / 2;
    slack += (static_cast<double>(block.pattern.neighbours(v).size()) + 512) * 0x1p-52;
  }
  return sum + slack + std::fabs(sum) * (block.pattern.num_vertices() + 2.0) * 0x1p-52;
}

// The bound that holds for planar graphs as for all.
double log2_bound_by_degrees(const GraphBlock<std::int64_t>& block, const std::vector<bool>& is_column) {
  if (is_column.empty()) return log2_hafnian_bound(block);
  const Vertex n = block.pattern.num_vertices();
  std::vector<Vertex> place(n);
  Vertex rows = 0, columns = 0;
  for (Vertex v = 0; v < n; ++v) place[v] = is_column[v] ? columns++ : rows++;
  if (rows != columns) return -std::numeric_limits<double>::infinity();
  std::vector<Edge> edges;
  for (const Edge& edge : block.pattern.edges()) {
    edges.push_back(is_column[edge.row] ? Edge{place[edge.column], place[edge.row]}
                                        : Edge{place[edge.row], place[edge.column]});
  }
  const BipartiteGraph matrix = BipartiteGraph::from_edges(rows, columns, std::move(edges), block.entries);
  return log2_permanent_bound({matrix.pattern(), std::get<std::vector<std::int64_t>>(matrix.weights()), {}, {}});
}

// ---- Signs.

// Whether v_0, v_1, ... is an odd permutation of 0, 1, ...
bool is_odd_permutation(const std::vector<Vertex>& sequence) {
  std::vector<bool> seen(sequence.size(), false);
  bool odd = false;
  for (std::size_t start = 0; start < sequence.size(); ++start) {
    if (seen[start]) continue;
    for (std::size_t at = start;;) {
      seen[at] = true;
      at = sequence[at];
      if (at == start) break;
      odd = !odd;
    }
  }
  return odd;
}

// Of the term of a perfect matching in the Pfaffian, entries' own signs left out: true where negative.
bool term_is_negative(const UndirectedGraph& graph, const std::vector<std::int8_t>& orientation,
                      const std::vector<Vertex>& partner) {
  std::vector<Vertex> sequence;
  bool negative = false;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    const Edge& edge = graph.edges()[id];
    if (partner[edge.row] != edge.column) continue;
    sequence.insert(sequence.end(), {edge.row, edge.column});
    if (orientation[id] < 0) negative = !negative;
  }
  return negative != is_odd_permutation(sequence);
}

// Whether all rows of the matrix sum to 0, which makes it singular: so it is with one of the four on a torus of ones.
bool annihilates_ones(const GraphBlock<std::int64_t>& block, const std::vector<std::int8_t>& orientation) {
  std::vector<Integer> sums(block.pattern.num_vertices(), 0);
  for (EdgeId id = 0; id < orientation.size(); ++id) {
    const Integer entry = Integer(block.entries[id]) * orientation[id];
    sums[block.pattern.edges()[id].row] += entry;
    sums[block.pattern.edges()[id].column] -= entry;
  }
  return std::all_of(sums.begin(), sums.end(), [](const Integer& sum) { return sum == 0; });
}

// ---- Replay.

struct Residues {
  std::vector<std::uint64_t> primes, values;
};

// Residues modulo primes whose product passes 2^(log2_bound + 1).
Residues replay(const EliminationProgram& program, double log2_bound, const RunOptions& run, Watch& watch) {
  Residues good;
  std::uint64_t limit = replay_prime_limit;
  for (double missing = log2_bound + 2; missing > 0;) {
    // Primes of 30 bits have more than 29.9; the few that are of no use are replaced in the next round.
    const std::vector<std::uint64_t> primes = primes_below(limit, static_cast<std::size_t>(std::ceil(missing / 29.9)));
    limit = primes.back();
    const std::vector<std::uint64_t> values = replay_elimination(program, primes, run, watch);
    for (std::size_t i = 0; i < primes.size(); ++i) {
      if (values[i] == 0) continue;
      good.primes.push_back(primes[i]);
      good.values.push_back(values[i]);
    }
    missing = log2_bound + 2 - 29.9 * static_cast<double>(good.primes.size());
  }
  return good;
}

// The Pfaffian of the matrix of entries so directed, vertices in their own order.
Integer pfaffian(const GraphBlock<std::int64_t>& block, const std::vector<std::int8_t>& orientation,
                 const KasteleynPlan& plan, const RunOptions& run, Watch& watch) {
  const UndirectedGraph& graph = block.pattern;
  const double log2_bound = log2_kasteleyn_bound(block, plan);
  // The first prime that does not divide the answer. None up to the bound: the answer is 0.
  EliminationProgram program;
  double log2_divisor = 0;
  std::uint64_t prime = elimination_prime_limit;
  for (;;) {
    prime = primes_below(prime, 1).front();
    program =
        eliminate({graph, block.entries, orientation, plan.is_column}, plan.dissection, plan.structure, prime, watch);
    if (program.complete) break;
    log2_divisor += std::log2(static_cast<double>(prime)) * (1 - 0x1p-40);
    if (log2_divisor > log2_bound || annihilates_ones(block, orientation)) return 0;
  }
  const Residues residues = replay(program, log2_bound, run, watch);
  Integer value = chinese_remainder(residues.values, residues.primes);
  if ((value - program.residue) % prime != 0) throw Error("two eliminations disagree; please report this graph");
  if (log2_abs(value) > log2_bound + 1e-6) throw Error("a Pfaffian beyond its bound; please report this graph");
  return is_odd_permutation(program.order) ? Integer(-value) : value;
}

// ---- The torus.

EdgeId edge_between(const UndirectedGraph& graph, Vertex u, Vertex v) {
  const auto around = graph.neighbours(u);
  const auto place = std::lower_bound(around.begin(), around.end(), v) - around.begin();
  return graph.incident_edges(u)[static_cast<std::size_t>(place)];
}

// Lines to the right, columns down and up in turn: of the four edges of any square an odd number run clockwise, across
// the seams too since the width is even.
std::vector<std::int8_t> torus_orientation(const UndirectedGraph& graph, const TorusGrid& torus) {
  std::vector<std::int8_t> orientation(graph.num_edges());
  const auto direct = [&](Vertex from, Vertex to) { orientation[edge_between(graph, from, to)] = from < to ? 1 : -1; };
  for (Vertex i = 0; i < torus.height; ++i) {
    for (Vertex j = 0; j < torus.width; ++j) {
      direct(torus.at(i, j), torus.at(i, j + 1));
      const Vertex here = torus.at(i, j), below = torus.at(i + 1, j);
      direct(j % 2 == 0 ? here : below, j % 2 == 0 ? below : here);
    }
  }
  return orientation;
}

// All dominoes along lines, or along columns, the first line or column moved by one so that it crosses a seam.
std::vector<Vertex> torus_matching(const TorusGrid& torus, bool along_lines, bool move_first) {
  std::vector<Vertex> partner(torus.vertices.size());
  const Vertex length = along_lines ? torus.width : torus.height, count = along_lines ? torus.height : torus.width;
  for (Vertex line = 0; line < count; ++line) {
    for (Vertex k = 0; k < length; k += 2) {
      const Vertex start = k + (move_first && line == 0 ? 1 : 0);
      const Vertex a = along_lines ? torus.at(line, start) : torus.at(start, line);
      const Vertex b = along_lines ? torus.at(line, start + 1) : torus.at(start + 1, line);
      partner[a] = b;
      partner[b] = a;
    }
  }
  return partner;
}

Integer hafnian_on_torus(const GraphBlock<std::int64_t>& block, const KasteleynPlan& plan, const RunOptions& run,
                         Watch& watch) {
  const UndirectedGraph& graph = block.pattern;
  const TorusGrid& torus = *plan.torus;
  const auto sign = [&](bool along_lines, bool move_first) {
    return term_is_negative(graph, plan.orientation, torus_matching(torus, along_lines, move_first)) ? -1 : 1;
  };
  const int s00 = sign(true, false), s10 = sign(true, true), s01 = sign(false, true), s11 = -s00 * s10 * s01;
  Integer four_times = 0;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      std::vector<std::int8_t> orientation = plan.orientation;
      const auto negate = [&](Vertex u, Vertex v) {
        std::int8_t& direction = orientation[edge_between(graph, u, v)];
        direction = static_cast<std::int8_t>(-direction);
      };
      for (Vertex i = 0; a && i < torus.height; ++i) negate(torus.at(i, torus.width - 1), torus.at(i, 0));
      for (Vertex j = 0; b && j < torus.width; ++j) negate(torus.at(torus.height - 1, j), torus.at(0, j));
      const int coefficient = s00 + (a ? -s10 : s10) + (b ? -s01 : s01) + (a != b ? -s11 : s11);
      four_times += coefficient * pfaffian(block, orientation, plan, run, watch);
    }
  }
  if (four_times % 4 != 0) throw Error("four Pfaffians that do not add up; please report this graph");
  return four_times / 4;
}

}  // namespace

std::vector<std::int8_t> kasteleyn_orientation(const UndirectedGraph& graph, const PlanarEmbedding& embedding) {
  const std::vector<Edge>& edges = graph.edges();
  const Faces faces = faces_of(graph, embedding);
  std::vector<std::int8_t> orientation(edges.size(), 0);
  // A spanning forest, by breadth-first search.
  std::vector<bool> reached(graph.num_vertices(), false);
  std::vector<Vertex> queue;
  for (Vertex start = 0; start < graph.num_vertices(); ++start) {
    if (reached[start]) continue;
    reached[start] = true;
    queue.assign(1, start);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const Vertex v = queue[at];
      const auto neighbours = graph.neighbours(v);
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        if (reached[neighbours[i]]) continue;
        reached[neighbours[i]] = true;
        orientation[graph.incident_edges(v)[i]] = 1;
        queue.push_back(neighbours[i]);
      }
    }
  }
  // Of each face, whether an odd number of its edges is along its walk so far, and its edges that are not directed
  // yet, as the sum of their ids, which names the last.
  std::vector<bool> is_odd(faces.count, false);
  std::vector<std::uint32_t> open(faces.count, 0);
  std::vector<EdgeId> open_sum(faces.count, 0);
  for (EdgeId id = 0; id < edges.size(); ++id) {
    if (orientation[id] != 0) {
      const std::uint32_t face = faces.of_side[2 * id];
      is_odd[face] = !is_odd[face];
      continue;
    }
    for (const EdgeId side : {2 * id, 2 * id + 1}) {
      ++open[faces.of_side[side]];
      open_sum[faces.of_side[side]] += id;
    }
  }
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t face = 0; face < faces.count; ++face) {
    if (open[face] == 1) leaves.push_back(face);
  }
  while (!leaves.empty()) {
    const std::uint32_t face = leaves.back();
    leaves.pop_back();
    if (open[face] != 1) continue;  // the other end of the last edge has settled it: the exempt face
    const EdgeId id = open_sum[face];
    const bool forward_is_ours = faces.of_side[2 * id] == face;
    orientation[id] = is_odd[face] != forward_is_ours ? 1 : -1;
    const EdgeId along = 2 * id + (orientation[id] > 0 ? 0 : 1);
    is_odd[faces.of_side[along]] = !is_odd[faces.of_side[along]];
    for (const EdgeId side : {2 * id, 2 * id + 1}) {
      const std::uint32_t f = faces.of_side[side];
      open_sum[f] -= id;
      if (--open[f] == 1) leaves.push_back(f);
    }
  }
  if (std::find(orientation.begin(), orientation.end(), 0) != orientation.end()) {
    throw InputError("an embedding whose faces are not a sphere's", "a planar embedding of the graph");
  }
  return orientation;
}

std::optional<KasteleynPlan> plan_kasteleyn(const UndirectedGraph& graph, std::uint64_t seed, Watch& watch) {
  KasteleynPlan plan;
  if (const std::optional<PlanarEmbedding> embedding = planar_embedding(graph)) {
    plan.orientation = kasteleyn_orientation(graph, *embedding);
  } else {
    plan.torus = torus_grid(graph);
    if (!plan.torus || plan.torus->height % 2 != 0 || plan.torus->width % 2 != 0) return std::nullopt;
    plan.orientation = torus_orientation(graph, *plan.torus);
  }
  watch.check();
  TwoColouring colouring = two_colour(graph.num_vertices(), graph.edges());
  if (colouring.odd_cycle.empty()) plan.is_column = std::move(colouring.is_column);
  plan.dissection = nested_dissection(graph, seed, watch);
  plan.structure = analyse_elimination(graph, plan.is_column, plan.dissection);
  return plan;
}

Integer hafnian_kasteleyn(const GraphBlock<std::int64_t>& block, const KasteleynPlan& plan, const RunOptions& run,
                          Watch& watch) {
  const UndirectedGraph& graph = block.pattern;
  if (block.entries.size() != graph.num_edges() || plan.orientation.size() != graph.num_edges() ||
      plan.dissection.vertices.size() != graph.num_vertices()) {
    throw InputError("entries or a plan of another graph",
                     "one for each of the " + std::to_string(graph.num_edges()) + " edges");
  }
  if (graph.num_vertices() == 0) return 1;
  if (plan.torus) return hafnian_on_torus(block, plan, run, watch);
  const GraphMatching matching = maximum_matching(graph, watch);
  if (!matching.is_perfect()) return 0;
  const Integer value = pfaffian(block, plan.orientation, plan, run, watch);
  return term_is_negative(graph, plan.orientation, matching.partner) ? Integer(-value) : value;
}

KasteleynCost kasteleyn_cost(const KasteleynPlan& plan, double log2_bound, Isa isa, int num_threads) {
  // Nanoseconds of one thread for a batch, per multiplication, entry of a front and pivot, on grids of 128 and 256 a
  // side; then of the elimination that finds the program, and of the remainder theorem, by pairs of primes.
  constexpr double per_multiplication = 1.3, per_entry = 4.5, per_pivot = 500;
  constexpr double first_per_multiplication = 2, first_per_entry = 4, per_pair_of_primes = 30;
  // The same of one lane of a vector, against AVX-512.
  const double slowness = isa == Isa::baseline ? 3 : 1;
  const std::size_t lanes = elimination_kernel(isa).lanes;
  const EliminationStructure& structure = plan.structure;
  KasteleynCost cost;
  cost.num_primes = static_cast<std::size_t>(std::ceil((std::max(log2_bound, 0.0) + 2) / 29.9));
  const double batches = std::ceil(static_cast<double>(cost.num_primes) / static_cast<double>(lanes));
  const double threads = std::min<double>(num_threads, batches);
  const double batch =
      (per_multiplication * structure.multiplications + per_entry * structure.entries + per_pivot * structure.pivots) *
      slowness * static_cast<double>(lanes) / 16;
  const double primes = static_cast<double>(cost.num_primes);
  cost.seconds = 1e-9 * (plan.torus ? 4 : 1) *
                 (batch * batches / (1 + 0.9 * (threads - 1)) + per_pair_of_primes * primes * primes +
                  first_per_multiplication * structure.multiplications + first_per_entry * structure.entries);
  // The program has some numbers for each row and column of a front, and each vertex is in some tens of fronts.
  const double program = 1000.0 * static_cast<double>(plan.dissection.vertices.size());
  cost.memory_bytes = program + replay_bytes(structure.peak_entries, isa, static_cast<int>(threads));
  return cost;
}

double log2_kasteleyn_bound(const GraphBlock<std::int64_t>& block, const KasteleynPlan& plan) {
  const double by_degrees = log2_bound_by_degrees(block, plan.is_column);
  if (plan.is_column.empty()) return std::min(by_degrees, log2_norms(block, plan.is_column, false) / 2);
  return std::min({by_degrees, log2_norms(block, plan.is_column, false), log2_norms(block, plan.is_column, true)});
}

}  // namespace matchcount
