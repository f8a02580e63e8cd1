#include "permanent/planar/pfaffian.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "permanent/planar/symmetric_pfaffian.hpp"

namespace matchcount {
namespace {

// Residues modulo primes that divide no pivot.
struct Residues {
  std::vector<ReplayModulus> moduli;
  std::vector<std::uint64_t> values;

  void add(const std::vector<ReplayModulus>& of, const std::vector<std::uint64_t>& found) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      const std::size_t other = of[i].root == 0 ? i : i ^ 1;
      if (found[i] == 0 || found[other] == 0) continue;
      moduli.push_back(of[i]);
      values.push_back(found[i]);
    }
  }
  GaussianInteger value() const { return GaussianRemainder(moduli).value(values); }
};

// Threads and ranks take so many moduli at once: two batches of the widest vectors.
constexpr std::size_t moduli_of_piece = 32;
// Multiplications modulo a prime that a thread does in about five seconds, after which what was done is handed in.
constexpr double turn_of_thread = 5e10;

std::uint64_t pieces_of_turn(double multiplications, std::uint64_t num_pieces, const RunContext& run) {
  if (!run.work()) return num_pieces;
  const double turn = turn_of_thread * run.num_threads();
  const double fair = static_cast<double>(num_pieces) / (2.0 * run.work()->num_ranks());
  const double pieces = turn / (static_cast<double>(moduli_of_piece) * std::max(multiplications, 1.0));
  return static_cast<std::uint64_t>(std::ceil(std::min(pieces, fair)));
}

// Replays on all ranks, with what a checkpoint has of it.
std::vector<std::uint64_t> replay_shared(KasteleynReport& report, const PfaffianResidues& residues,
                                         const std::vector<ReplayModulus>& moduli, const RunContext& run) {
  const std::uint64_t num_pieces = (moduli.size() + moduli_of_piece - 1) / moduli_of_piece;
  const Job job{run.part() + ", residues " + std::to_string(++report.num_replays),
                "a Pfaffian modulo " + std::to_string(moduli.size()) + " from " + std::to_string(moduli.front().prime) +
                    " on, " + residues.name,
                num_pieces, joined};
  const std::uint64_t turn = pieces_of_turn(residues.multiplications, num_pieces, run);
  const double piece_share = 1 / static_cast<double>(num_pieces);
  const double total = std::max(1.0, residues.multiplications * static_cast<double>(moduli.size()));
  return unpacked<std::uint64_t>(total_of(run_job(job, run, [&](Pieces& pieces) {
    while (const auto span = pieces.take_some(turn)) {
      const std::size_t first = span->first * moduli_of_piece;
      const std::size_t count = std::min<std::size_t>(span->end * moduli_of_piece, moduli.size()) - first;
      const double done = pieces.share_done();
      Stopwatch stopwatch;
      const std::vector<std::uint64_t> values =
          residues.at(std::span(moduli).subspan(first, count), run,
                      {done, std::min(1.0, done + static_cast<double>(span->end - span->first) * piece_share), total});
      report.num_moduli += count;
      report.multiplications += residues.multiplications * static_cast<double>(count);
      report.replay_s += stopwatch.lap();
      for (std::uint64_t piece = span->first; piece < span->end; ++piece) {
        const std::size_t begin = (piece - span->first) * moduli_of_piece;
        pieces.give(piece, packed(std::span(values).subspan(begin, std::min(moduli_of_piece, count - begin))));
      }
    }
  })));
}

}  // namespace

// Primes of 30 bits have more than this; so many beyond 2^25 primes they would not. Smaller ones are not taken.
constexpr double bits_of_replay_prime = 29.9;
constexpr std::uint64_t least_replay_prime = 1'002'000'000;
double primes_for(double log2_bound) { return std::ceil((std::max(log2_bound, 0.0) + 2) / bits_of_replay_prime); }

PfaffianResidues residues_by(const EliminationProgram& program, const EntryTable& table) {
  const auto at = [&](std::span<const ReplayModulus> moduli, const RunContext& run, Stretch stretch) {
    return replay_elimination(program, table, moduli, run, stretch);
  };
  return {at, program.multiplications, "by a program that gives " + std::to_string(program.residue),
          table.is_complex()};
}

GaussianInteger replay(KasteleynReport& report, const PfaffianResidues& residues, double log2_bound,
                       const RunContext& run) {
  const std::size_t moduli_of_prime = residues.complex ? 2 : 1;
  Residues good;
  std::uint64_t limit = replay_prime_limit;
  // The few primes that are of no use are replaced in the next round.
  for (double missing = primes_for(log2_bound); missing > 0;) {
    const std::vector<ReplayModulus> moduli =
        next_moduli(limit, static_cast<std::size_t>(missing) * moduli_of_prime, residues.complex, residues.step);
    if (limit < least_replay_prime) throw Error("too few primes for a Pfaffian; please report this graph");
    good.add(moduli, replay_shared(report, residues, moduli, run));
    missing = primes_for(log2_bound) - static_cast<double>(good.moduli.size() / moduli_of_prime);
  }
  return good.value();
}

// ---- Pfaffians.
namespace {

// Says whether the matrix is seen to be singular: signs of vertices by which opposite edges of every vertex cancel make
// its rows sum to 0. So it is with one of the four of a lattice on a torus. Signs follow from one another along pairs
// of vertices that a third lies between.
bool is_seen_singular(const UndirectedGraph& graph, const EntryTable& table,
                      const std::vector<std::int8_t>& orientation, const PlanarEmbedding& embedding) {
  const auto& [rotation, begin] = embedding;
  const auto sign_at = [&](EdgeId id, Vertex v) {
    return graph.edges()[id].row == v ? orientation[id] : -orientation[id];
  };
  std::vector<std::vector<std::pair<Vertex, int>>> related(graph.num_vertices());
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    const std::size_t degree = begin[v + std::size_t{1}] - begin[v];
    if (degree % 2 != 0) return false;
    for (std::size_t i = 0; i < degree / 2; ++i) {
      const EdgeId one = rotation[begin[v] + i], other = rotation[begin[v] + i + degree / 2];
      const Vertex a = other_end(graph.edges()[one], v), b = other_end(graph.edges()[other], v);
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

// Says whether a Pfaffian of at most 2^log2_bound is seen to be 0 by a program that left something over: modulo enough
// primes that is 0.
bool leaves_nothing(const EliminationProgram& program, const EntryTable& table, double log2_bound,
                    const RunContext& run) {
  constexpr double spare = 4;  // in place of those that divide a pivot
  KasteleynReport of_proof;    // no part of the sum
  const PfaffianResidues residues = residues_by(program, table);
  const double primes = primes_for(log2_bound), each = residues.complex ? 2 : 1;
  std::uint64_t limit = replay_prime_limit;
  const auto moduli = next_moduli(limit, static_cast<std::size_t>((primes + spare) * each), residues.complex);
  Residues good;
  good.add(moduli, replay_shared(of_proof, residues, moduli, run));
  return limit >= least_replay_prime && static_cast<double>(good.moduli.size()) >= primes * each;
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
  const auto& [graph, table, log2_bound, report, symmetry] = problem;
  // The first prime that does not divide the answer.
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
    // A prime p that is no Gaussian one divides re^2 + im^2, not re and im.
    log2_divisor += std::log2(static_cast<double>(first.prime)) * (table.is_complex() ? 0.5 : 1 - 0x1p-40);
    if (log2_divisor > log2_bound + 1) return {};
    if (leaves_nothing(program, table, log2_bound, run)) return {};
  }
  report.eliminate_s += stopwatch.lap();
  const GaussianInteger value = replay(report, residues_by(program, table), log2_bound, run);
  if ((value.re + value.im * first.root - program.residue) % first.prime != 0)
    throw Error("two eliminations disagree; please report this graph");
  if (std::max(log2_abs(value.re), log2_abs(value.im)) > log2_bound + 1e-6)
    throw Error("a Pfaffian beyond its bound; please report this graph");
  return is_odd_permutation(program.order) ? -value : value;
}

}  // namespace matchcount
