#include "permanent/planar/pfaffian.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "permanent/planar/orientation.hpp"
#include "permanent/planar/symmetric_pfaffian.hpp"

namespace matchcount {
namespace {

// Says whether the matrix is seen to be singular: signs of vertices by which opposite edges of every vertex cancel make
// its rows sum to 0. So it is with one of the four of a lattice on a torus. Signs follow from one another along pairs
// of vertices that a third lies between.
bool is_seen_singular(const UndirectedGraph& graph, const EntryTable& table,
                      const std::vector<std::int8_t>& orientation, const PlanarEmbedding& embedding) {
  const auto& [rotation, begin] = embedding;
  const auto other_end = [&](EdgeId id, Vertex v) {
    const Edge& edge = graph.edges()[id];
    return edge.row == v ? edge.column : edge.row;
  };
  const auto sign_at = [&](EdgeId id, Vertex v) {
    return graph.edges()[id].row == v ? orientation[id] : -orientation[id];
  };
  std::vector<std::vector<std::pair<Vertex, int>>> related(graph.num_vertices());
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    const std::size_t degree = begin[v + std::size_t{1}] - begin[v];
    if (degree % 2 != 0) return false;
    for (std::size_t i = 0; i < degree / 2; ++i) {
      const EdgeId one = rotation[begin[v] + i], other = rotation[begin[v] + i + degree / 2];
      const Vertex a = other_end(one, v), b = other_end(other, v);
      const int relation = -sign_at(one, v) * sign_at(other, v);
      related[a].emplace_back(b, relation);
      related[b].emplace_back(a, relation);
    }
  }
  std::vector<int> sign(graph.num_vertices(), 0);
  std::vector<Vertex> queue;
  for (Vertex start = 0; start < graph.num_vertices(); ++start) {
    if (sign[start] != 0) continue;
    sign[start] = 1;
    queue.assign(1, start);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (const auto& [next, relation] : related[queue[at]]) {
        if (sign[next] != 0) continue;
        sign[next] = sign[queue[at]] * relation;
        queue.push_back(next);
      }
    }
  }
  std::vector<GaussianInteger> sums(graph.num_vertices());
  for (EdgeId id = 0; id < orientation.size(); ++id) {
    const Edge& edge = graph.edges()[id];
    const GaussianInteger& entry = table.value(table.places()[id]);
    add_multiple(orientation[id] * sign[edge.column], entry, sums[edge.row]);
    add_multiple(-orientation[id] * sign[edge.row], entry, sums[edge.column]);
  }
  return std::ranges::all_of(sums, [](const GaussianInteger& sum) { return sum == GaussianInteger{}; });
}

}  // namespace

void check_fits(const UndirectedGraph& graph, std::size_t num_entries, const KasteleynPlan& plan) {
  if (num_entries != graph.num_edges() || plan.orientation.size() != graph.num_edges() ||
      plan.dissection.vertices.size() != graph.num_vertices()) {
    throw InputError("entries or a plan of another graph",
                     "one for each of the " + std::to_string(graph.num_edges()) + " edges");
  }
}

std::vector<GaussianInteger> turned_entries(const EntryTable& table, const SurfacePfaffians& surface) {
  std::vector<GaussianInteger> entries;
  for (EdgeId id = 0; id < table.places().size(); ++id) {
    const GaussianInteger& entry = table.value(table.places()[id]);
    entries.push_back(!surface.twisted.empty() && surface.twisted[id] ? times(entry, 0, 1) : entry);
  }
  return entries;
}

GaussianInteger pfaffian(const PfaffianProblem& problem, const std::vector<std::int8_t>& orientation,
                         const KasteleynPlan& plan, const RunContext& run) {
  const auto& [graph, table, log2_bound, place, symmetry] = problem;
  // The first prime that does not divide the answer. None up to the bound: the answer is 0.
  EliminationProgram program;
  double log2_divisor = 0;
  ReplayModulus first{elimination_prime_limit, 0};
  Stopwatch stopwatch;
  if (plan.surface && is_seen_singular(graph, table, orientation, plan.surface->embedding.rotation)) return {};
  if (symmetry) {
    if (auto value = symmetric_pfaffian(problem, *symmetry, orientation, plan, run)) return *std::move(value);
  }
  for (;;) {
    first = next_moduli(first.prime, table.is_complex() ? 2 : 1, table.is_complex()).front();
    const std::vector<std::uint32_t> residues = table.residues(first.prime, first.root);
    program = eliminate({graph, table.places(), residues, orientation, plan.is_column}, plan.dissection, plan.structure,
                        first.prime, run);
    if (program.complete) break;
    log2_divisor += std::log2(static_cast<double>(first.prime)) * (1 - 0x1p-40);
    if (log2_divisor > log2_bound) return {};
  }
  place.report.eliminate_s += stopwatch.lap();
  const GaussianInteger value = replay(place, residues_by(place, program, table), log2_bound, run);
  if ((value.re + value.im * first.root - program.residue) % first.prime != 0) {
    throw Error("two eliminations disagree; please report this graph");
  }
  if (std::max(log2_abs(value.re), log2_abs(value.im)) > log2_bound + 1e-6) {
    throw Error("a Pfaffian beyond its bound; please report this graph");
  }
  return is_odd_permutation(program.order) ? -value : value;
}

}  // namespace matchcount
