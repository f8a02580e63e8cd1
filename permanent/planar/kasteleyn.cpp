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

#include "permanent/planar/kasteleyn.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "core/contexts.hpp"
#include "core/error.hpp"
#include "core/modular.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "graph/two_colouring.hpp"
#include "matching/graph_matching.hpp"
#include "permanent/bound.hpp"
#include "permanent/planar/cpu/elimination_kernel.hpp"
#include "permanent/planar/cpu/elimination_replay.hpp"
#include "permanent/planar/cpu/entry_table.hpp"
#include "permanent/planar/cuda/elimination_gpu.hpp"
#include "permanent/planar/fixed_point.hpp"

namespace matchcount {
namespace {

void add(int factor, const GaussianInteger& value, GaussianInteger& sum) {
  sum.re += factor * value.re;
  sum.im += factor * value.im;
}
GaussianInteger operator-(const GaussianInteger& value) { return {-value.re, -value.im}; }

// ---- Bounds.

// log2 of the product of the norms of all vertices' entries, or of those of one side. Each sum of k squares, against
// the largest of them, errs by at most (k + 2) 2^-53 relatively, each log2 by a unit in the last place of a number
// below 2^11.
double log2_norms(const UndirectedGraph& graph, const std::vector<double>& magnitudes,
                  const std::vector<bool>& is_column, bool of_columns) {
  double sum = 0, slack = 0, sizes = 0;
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    if (!is_column.empty() && is_column[v] != of_columns) continue;
    double largest = 0, squares = 0;
    for (const EdgeId id : graph.incident_edges(v)) largest = std::max(largest, magnitudes[id]);
    if (largest == 0) return -std::numeric_limits<double>::infinity();
    for (const EdgeId id : graph.incident_edges(v)) {
      const double ratio = magnitudes[id] / largest;
      squares += ratio * ratio;
    }
    const double log2_largest = std::log2(largest), log2_ratio = std::log2(squares) / 2;
    sum += log2_largest + log2_ratio;
    sizes += std::fabs(log2_largest) + log2_ratio;
    slack += (static_cast<double>(graph.neighbours(v).size()) + 4096) * 0x1p-52;
  }
  return sum + slack + sizes * (graph.num_vertices() + 2.0) * 0x1p-52;
}

// The bound that holds for planar graphs as for all.
double log2_bound_by_degrees(const UndirectedGraph& graph, const std::vector<double>& magnitudes,
                             const std::vector<bool>& is_column) {
  if (is_column.empty()) return log2_hafnian_bound(graph, magnitudes);
  const Vertex n = graph.num_vertices();
  std::vector<Vertex> place(n);
  Vertex rows = 0, columns = 0;
  for (Vertex v = 0; v < n; ++v) place[v] = is_column[v] ? columns++ : rows++;
  if (rows != columns) return -std::numeric_limits<double>::infinity();
  std::vector<Edge> edges;
  for (const Edge& edge : graph.edges()) {
    edges.push_back(is_column[edge.row] ? Edge{place[edge.column], place[edge.row]}
                                        : Edge{place[edge.row], place[edge.column]});
  }
  const BipartiteGraph matrix = BipartiteGraph::from_edges(
      rows, columns, std::move(edges), std::vector<DoubleDouble>(magnitudes.begin(), magnitudes.end()));
  std::vector<double> ordered;
  for (const DoubleDouble& magnitude : std::get<std::vector<DoubleDouble>>(matrix.weights()))
    ordered.push_back(magnitude.hi);
  return log2_permanent_bound(matrix.pattern(), ordered);
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
bool annihilates_ones(const UndirectedGraph& graph, const EntryTable& table,
                      const std::vector<std::int8_t>& orientation) {
  std::vector<GaussianInteger> sums(graph.num_vertices());
  for (EdgeId id = 0; id < orientation.size(); ++id) {
    const Edge& edge = graph.edges()[id];
    const GaussianInteger& entry = table.value(table.places()[id]);
    add(orientation[id], entry, sums[edge.row]);
    add(-orientation[id], entry, sums[edge.column]);
  }
  return std::all_of(sums.begin(), sums.end(), [](const GaussianInteger& sum) { return sum == GaussianInteger{}; });
}

// ---- Replay.

// The next primes below `limit`, which moves on: for reals so many moduli, else as many with both roots of -1.
std::vector<ReplayModulus> next_moduli(std::uint64_t& limit, std::size_t count, bool complex) {
  std::vector<ReplayModulus> moduli;
  if (!complex) {
    for (const std::uint64_t prime : primes_below(limit, count)) moduli.push_back({prime, 0});
    limit = moduli.back().prime;
  }
  while (moduli.size() < count) {
    limit = primes_below(limit, 1).front();
    if (limit % 4 != 1) continue;
    const std::uint64_t root = root_of_minus_one(limit);
    moduli.push_back({limit, root});
    moduli.push_back({limit, limit - root});
  }
  return moduli;
}

// Remainders of real and imaginary parts.
struct Residues {
  std::vector<std::uint64_t> primes, re, im;

  void add(const std::vector<ReplayModulus>& moduli, const std::vector<std::uint64_t>& values) {
    for (std::size_t i = 0; i < moduli.size(); ++i) {
      const auto [p, root] = moduli[i];
      if (root == 0) {
        if (values[i] == 0) continue;
        re.push_back(values[i]);
      } else {
        // re + root im and re - root im.
        const std::uint64_t x = values[i], y = values[++i];
        if (x == 0 || y == 0) continue;
        re.push_back(multiply_mod(x + y, inverse_mod(2, p), p));
        im.push_back(multiply_mod(x + p - y, inverse_mod(2 * root % p, p), p));
      }
      primes.push_back(p);
    }
  }
  GaussianInteger value() const {
    return {chinese_remainder(re, primes), im.empty() ? Integer(0) : chinese_remainder(im, primes)};
  }
};

// Primes of 30 bits have more than this; so many beyond 2^25 primes they would not.
constexpr double bits_of_prime = 29.9;
double primes_for(double log2_bound) { return std::ceil((std::max(log2_bound, 0.0) + 2) / bits_of_prime); }

// Where programs are replayed, and what they took.
struct Place {
  const std::vector<DeviceInfo>& gpus;  // empty: the CPU
  KasteleynReport& report;
};

std::vector<std::uint64_t> replay_at(const Place& place, const EliminationProgram& program, const EntryTable& table,
                                     std::span<const ReplayModulus> moduli, const RunContext& run, Stretch stretch) {
  Stopwatch stopwatch;
  std::vector<std::uint64_t> values;
  if (place.gpus.empty()) {
    values = replay_elimination(program, table, moduli, run, stretch);
  } else {
    gpu::ReplayReport report;
    values = gpu::replay_elimination(program, table, moduli, place.gpus, run, stretch, &report);
    place.report.device_s += report.kernel_s;
  }
  place.report.num_moduli += moduli.size();
  place.report.multiplications += program.multiplications * static_cast<double>(moduli.size());
  place.report.replay_s += stopwatch.lap();
  return values;
}

// What threads, GPUs and ranks take: two batches of the widest vectors, one of a GPU.
constexpr std::size_t moduli_of_piece = 32;
// Multiplications modulo a prime that a thread and a GPU do in about five seconds, after which what was done is handed
// in.
constexpr double turn_of_thread = 5e10, turn_of_gpu = 1e13;

std::uint64_t pieces_of_turn(const Place& place, const EliminationProgram& program, std::uint64_t num_pieces,
                             const RunContext& run) {
  if (!run.work()) return num_pieces;
  const double turn =
      place.gpus.empty() ? turn_of_thread * run.num_threads() : turn_of_gpu * static_cast<double>(place.gpus.size());
  const double fair = static_cast<double>(num_pieces) / (2.0 * run.work()->num_ranks());
  const double pieces = turn / (static_cast<double>(moduli_of_piece) * std::max(program.multiplications, 1.0));
  return static_cast<std::uint64_t>(std::ceil(std::min(pieces, fair)));
}

// By all ranks, with what a checkpoint has of it.
std::vector<std::uint64_t> replay_shared(const Place& place, const EliminationProgram& program, const EntryTable& table,
                                         const std::vector<ReplayModulus>& moduli, const RunContext& run) {
  const std::uint64_t num_pieces = (moduli.size() + moduli_of_piece - 1) / moduli_of_piece;
  // The program's residue tells signs and matrices apart.
  const Job job{run.part() + ", residues " + std::to_string(++place.report.num_replays),
                "a Pfaffian modulo " + std::to_string(moduli.size()) + " from " + std::to_string(moduli.front().prime) +
                    " on, by a program that gives " + std::to_string(program.residue),
                num_pieces, joined};
  const std::uint64_t turn = pieces_of_turn(place, program, num_pieces, run);
  const double piece_share = 1 / static_cast<double>(num_pieces);
  Work here;
  const Bytes all = total_of((run.work() ? run.work() : &here)->run(job, [&](Pieces& pieces) {
    while (const auto span = pieces.take_some(turn)) {
      const std::size_t first = span->first * moduli_of_piece;
      const std::size_t count = std::min(span->end * moduli_of_piece, moduli.size()) - first;
      const double done = pieces.share_done();
      const std::vector<std::uint64_t> values =
          replay_at(place, program, table, std::span(moduli).subspan(first, count), run,
                    {done, done + static_cast<double>(span->end - span->first) * piece_share});
      for (std::uint64_t piece = span->first; piece < span->end; ++piece) {
        ByteWriter out;
        const std::size_t begin = (piece - span->first) * moduli_of_piece;
        for (std::size_t i = begin; i < std::min(begin + moduli_of_piece, count); ++i) out.put(values[i]);
        pieces.give(piece, out.take());
      }
    }
  }));
  std::vector<std::uint64_t> values;
  for (ByteReader in(all); !in.at_end();) values.push_back(in.get<std::uint64_t>());
  return values;
}

// Residues modulo primes whose product passes 2^(log2_bound + 1).
Residues replay(const Place& place, const EliminationProgram& program, const EntryTable& table, double log2_bound,
                const RunContext& run) {
  const std::size_t moduli_of_prime = table.is_complex() ? 2 : 1;
  Residues good;
  std::uint64_t limit = replay_prime_limit;
  // The few primes that are of no use are replaced in the next round.
  for (double missing = primes_for(log2_bound); missing > 0;) {
    const std::vector<ReplayModulus> moduli =
        next_moduli(limit, static_cast<std::size_t>(missing) * moduli_of_prime, table.is_complex());
    good.add(moduli, replay_shared(place, program, table, moduli, run));
    missing = primes_for(log2_bound) - static_cast<double>(good.primes.size());
  }
  return good;
}

// Entries, and the bound on their hafnian's parts by which residues are counted.
struct Problem {
  const UndirectedGraph& graph;
  const EntryTable& table;
  double log2_bound;
  const Place& place;
};

// The Pfaffian of the matrix of entries so directed, vertices in their own order.
GaussianInteger pfaffian(const Problem& problem, const std::vector<std::int8_t>& orientation, const KasteleynPlan& plan,
                         const RunContext& run) {
  const auto& [graph, table, log2_bound, place] = problem;
  // The first prime that does not divide the answer. None up to the bound: the answer is 0.
  EliminationProgram program;
  double log2_divisor = 0;
  ReplayModulus first{elimination_prime_limit, 0};
  Stopwatch stopwatch;
  for (;;) {
    first = next_moduli(first.prime, table.is_complex() ? 2 : 1, table.is_complex()).front();
    const std::vector<std::uint32_t> residues = table.residues(first.prime, first.root);
    program = eliminate({graph, table.places(), residues, orientation, plan.is_column}, plan.dissection, plan.structure,
                        first.prime, run);
    if (program.complete) break;
    log2_divisor += std::log2(static_cast<double>(first.prime)) * (1 - 0x1p-40);
    if (log2_divisor > log2_bound || annihilates_ones(graph, table, orientation)) return {};
  }
  place.report.eliminate_s += stopwatch.lap();
  const GaussianInteger value = replay(place, program, table, log2_bound, run).value();
  if ((value.re + value.im * first.root - program.residue) % first.prime != 0) {
    throw Error("two eliminations disagree; please report this graph");
  }
  if (std::max(log2_abs(value.re), log2_abs(value.im)) > log2_bound + 1e-6) {
    throw Error("a Pfaffian beyond its bound; please report this graph");
  }
  return is_odd_permutation(program.order) ? -value : value;
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

GaussianInteger hafnian_on_torus(const Problem& problem, const KasteleynPlan& plan, const RunContext& run) {
  const UndirectedGraph& graph = problem.graph;
  const TorusGrid& torus = *plan.torus;
  const auto sign = [&](bool along_lines, bool move_first) {
    return term_is_negative(graph, plan.orientation, torus_matching(torus, along_lines, move_first)) ? -1 : 1;
  };
  const int s00 = sign(true, false), s10 = sign(true, true), s01 = sign(false, true), s11 = -s00 * s10 * s01;
  GaussianInteger four_times;
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
      add(coefficient, pfaffian(problem, orientation, plan, run), four_times);
    }
  }
  if (four_times.re % 4 != 0 || four_times.im % 4 != 0) {
    throw Error("four Pfaffians that do not add up; please report this graph");
  }
  return {four_times.re / 4, four_times.im / 4};
}

// ---- Any graph and any numbers. Contexts of GPUs are made while the first program is found, and kept for them all.

void check_fits(const UndirectedGraph& graph, std::size_t num_entries, const KasteleynPlan& plan) {
  if (num_entries != graph.num_edges() || plan.orientation.size() != graph.num_edges() ||
      plan.dissection.vertices.size() != graph.num_vertices()) {
    throw InputError("entries or a plan of another graph",
                     "one for each of the " + std::to_string(graph.num_edges()) + " edges");
  }
}

// Requires a perfect matching.
GaussianInteger hafnian(const Problem& problem, const GraphMatching& matching, const KasteleynPlan& plan,
                        const RunContext& run) {
  if (plan.torus) return hafnian_on_torus(problem, plan, run);
  const GaussianInteger value = pfaffian(problem, plan.orientation, plan, run);
  return term_is_negative(problem.graph, plan.orientation, matching.partner) ? -value : value;
}

// ---- Reals and complex numbers.

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Beside the error of 2^-100 that entries have.
constexpr int bits_of_double_doubles = 104;
// More than two doubles can have.
constexpr int bits_of_all = 1 << 16;
// Of the value where nothing cancels: what 17 digits ask for, and some.
constexpr int bits_of_doubles = 62;
// Of the bound: it is too large by a factor of at most e^(1/8).
constexpr int bits_of_magnitudes = 4;

int log2_of_terms(const UndirectedGraph& graph) {
  return static_cast<int>(std::bit_width(std::uint64_t{graph.num_vertices()} / 2));
}
int bits_of_entries(const UndirectedGraph& graph, Precision precision) {
  if (precision == Precision::exact) return bits_of_all;
  const bool full = precision == Precision::double_double || precision == Precision::automatic;
  return full ? bits_of_double_doubles : std::min(bits_of_double_doubles, bits_of_doubles + log2_of_terms(graph));
}

// Whether the value is its own magnitude, to a factor of (1 + 2^-30)^n.
bool is_own_magnitude(const std::vector<RealEntry>& entries) {
  return std::all_of(entries.begin(), entries.end(), [](const RealEntry& entry) {
    return entry.value.hi >= 0 && entry.magnitude <= entry.value.hi * (1 + 0x1p-30);
  });
}
bool is_own_magnitude(const std::vector<ComplexEntry>&) { return false; }

template <class Entry>
std::vector<double> bounds_of(const std::vector<Entry>& entries) {
  std::vector<double> result;
  for (const Entry& entry : entries) result.push_back(entry.magnitude);
  return result;
}
// Of the values themselves, which are what counts, and may be far less than what they hide.
double size_of(const RealEntry& entry) { return std::fabs(entry.value.hi); }
double size_of(const ComplexEntry& entry) { return std::hypot(entry.value.re.hi, entry.value.im.hi); }

// Of integers that stand for numbers of these magnitudes, each larger by a factor of at most 1 + 2^-7.
double log2_bound_of(const FixedPoint& numbers, const UndirectedGraph& graph, const std::vector<double>& magnitudes,
                     double log2_factor, const KasteleynPlan& plan) {
  return static_cast<double>(numbers.exponent) + log2_kasteleyn_bound(graph, magnitudes, plan) +
         graph.num_vertices() / 2 * log2_factor + 1e-6;
}

struct Sized {
  FixedPoint numbers;
  double log2_bound = 0;
};
template <class Entry>
Sized values_of(const GraphBlock<Entry>& block, const KasteleynPlan& plan, Precision precision) {
  Sized result{fixed_point(block.pattern, block.entries, bits_of_entries(block.pattern, precision)), 0};
  std::vector<double> sizes;
  for (const Entry& entry : block.entries) sizes.push_back(size_of(entry));
  result.log2_bound = log2_bound_of(result.numbers, block.pattern, sizes, 0x1p-48, plan);
  return result;
}
template <class Entry>
Sized magnitudes_of_entries(const GraphBlock<Entry>& block, const KasteleynPlan& plan) {
  const int bits = bits_of_magnitudes + log2_of_terms(block.pattern);
  const std::vector<double> bounds = bounds_of(block.entries);
  Sized result{fixed_point_above(block.pattern, bounds, bits), 0};
  result.log2_bound =
      log2_bound_of(result.numbers, block.pattern, bounds, std::log2(1 + std::ldexp(1, 1 - bits)), plan);
  return result;
}

struct Outcome {
  ScaledComplex value;
  double log2_error = minus_infinity, log2_magnitudes = minus_infinity;
};

template <class Entry>
Outcome hafnian_of_numbers(const GraphBlock<Entry>& block, const KasteleynPlan& plan, Precision precision,
                           const RunContext& run, const std::vector<DeviceInfo>& gpus, KasteleynReport* report) {
  const UndirectedGraph& graph = block.pattern;
  check_fits(graph, block.entries.size(), plan);
  Outcome outcome;
  const GraphMatching matching = maximum_matching(graph, run);
  if (!matching.is_perfect()) return outcome;
  KasteleynReport unread;
  const Place place = {gpus, report == nullptr ? unread : *report};
  const StartingContexts contexts = start_contexts(gpus);
  const auto exactly = [&](const Sized& sized) {
    const EntryTable table(sized.numbers.entries);
    return hafnian({graph, table, sized.log2_bound, place}, matching, plan, run);
  };
  const auto real = [](const Integer& value, std::int64_t exponent) {
    ScaledReal result = nearest_real(value);
    if (!result.is_zero()) result.exponent -= exponent;
    return result;
  };
  const Sized sized = values_of(block, plan, precision);
  const GaussianInteger value = exactly(sized);
  outcome.value = {real(value.re, sized.numbers.exponent), real(value.im, sized.numbers.exponent)};
  const double log2_value = log2_abs(outcome.value);
  if (precision == Precision::exact) {
    outcome.log2_error = log2_value - 100;
    outcome.log2_magnitudes = std::numeric_limits<double>::infinity();
    return outcome;
  }
  const double terms = graph.num_vertices() / 2;
  if (is_own_magnitude(block.entries)) {
    outcome.log2_magnitudes = log2_value + terms * 0x1p-29 + 1e-9;
  } else {
    const Sized magnitudes = magnitudes_of_entries(block, plan);
    outcome.log2_magnitudes =
        log2_abs(exactly(magnitudes).re) - static_cast<double>(magnitudes.numbers.exponent) + 1e-9;
  }
  // Twice the rounding for complex numbers.
  const double rounding = sized.numbers.exact ? 0 : std::ldexp(2, -bits_of_entries(graph, precision));
  if (terms > 0) outcome.log2_error = std::log2(1.01 * terms * (rounding + 0x1p-100)) + outcome.log2_magnitudes;
  outcome.log2_error = log2_sum(outcome.log2_error, log2_value - 100);
  return outcome;
}

template <class Entry>
KasteleynSizes sizes_of(const GraphBlock<Entry>& block, const KasteleynPlan& plan, Precision precision) {
  check_fits(block.pattern, block.entries.size(), plan);
  KasteleynSizes sizes;
  sizes.log2_value = values_of(block, plan, precision).log2_bound;
  const bool magnitudes = precision != Precision::exact && !is_own_magnitude(block.entries);
  if (magnitudes) sizes.log2_magnitudes = magnitudes_of_entries(block, plan).log2_bound;
  sizes.complex = std::is_same_v<Entry, ComplexEntry>;
  return sizes;
}

// Beside the replays, whose seconds `replay_s` gives by the number of moduli.
template <class ReplaySeconds>
KasteleynCost cost_with(const KasteleynPlan& plan, const KasteleynSizes& sizes, ReplaySeconds&& replay_s) {
  // Nanoseconds of the elimination that finds the program, and of the remainder theorem, by pairs of primes.
  constexpr double per_multiplication = 2, per_entry = 4, per_pair_of_primes = 1.8;
  const EliminationStructure& structure = plan.structure;
  KasteleynCost cost;
  const auto add = [&](double log2_bound, bool complex) {
    const double primes = primes_for(log2_bound), parts = complex ? 2 : 1;
    cost.num_primes += primes;
    cost.seconds +=
        (plan.torus ? 4 : 1) * (replay_s(parts * primes) + 1e-9 * (parts * per_pair_of_primes * primes * primes +
                                                                   per_multiplication * structure.multiplications +
                                                                   per_entry * structure.entries));
  };
  add(sizes.log2_value, sizes.complex);
  if (sizes.log2_magnitudes > minus_infinity) add(sizes.log2_magnitudes, false);
  // The program has some numbers for each row and column of a front, and each vertex is in some tens of fronts.
  cost.memory_bytes = 1000.0 * static_cast<double>(plan.dissection.vertices.size());
  return cost;
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

std::optional<KasteleynPlan> plan_kasteleyn(const UndirectedGraph& graph, std::uint64_t seed, const RunContext& run) {
  KasteleynPlan plan;
  if (const std::optional<PlanarEmbedding> embedding = planar_embedding(graph, run)) {
    plan.orientation = kasteleyn_orientation(graph, *embedding);
  } else {
    plan.torus = torus_grid(graph);
    if (!plan.torus || plan.torus->height % 2 != 0 || plan.torus->width % 2 != 0) return std::nullopt;
    plan.orientation = torus_orientation(graph, *plan.torus);
  }
  run.check();
  TwoColouring colouring = two_colour(graph.num_vertices(), graph.edges());
  if (colouring.odd_cycle.empty()) plan.is_column = std::move(colouring.is_column);
  plan.dissection = nested_dissection(graph, seed, run);
  plan.structure = analyse_elimination(graph, plan.is_column, plan.dissection);
  return plan;
}

Integer hafnian_kasteleyn(const GraphBlock<std::int64_t>& block, const KasteleynPlan& plan, const RunContext& run,
                          const std::vector<DeviceInfo>& gpus, KasteleynReport* report) {
  check_fits(block.pattern, block.entries.size(), plan);
  if (block.pattern.num_vertices() == 0) return 1;
  const GraphMatching matching = maximum_matching(block.pattern, run);
  if (!matching.is_perfect()) return 0;
  KasteleynReport unread;
  const Place place = {gpus, report == nullptr ? unread : *report};
  const StartingContexts contexts = start_contexts(gpus);
  const EntryTable table(block.entries);
  return hafnian({block.pattern, table, log2_kasteleyn_bound(block, plan), place}, matching, plan, run).re;
}

RealValue hafnian_kasteleyn(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan, Precision precision,
                            const RunContext& run, const std::vector<DeviceInfo>& gpus, KasteleynReport* report) {
  const Outcome outcome = hafnian_of_numbers(block, plan, precision, run, gpus, report);
  return {outcome.value.re, outcome.log2_error, outcome.log2_magnitudes};
}

ComplexValue hafnian_kasteleyn(const GraphBlock<ComplexEntry>& block, const KasteleynPlan& plan, Precision precision,
                               const RunContext& run, const std::vector<DeviceInfo>& gpus, KasteleynReport* report) {
  const Outcome outcome = hafnian_of_numbers(block, plan, precision, run, gpus, report);
  return {outcome.value, outcome.log2_error, outcome.log2_magnitudes};
}

KasteleynSizes kasteleyn_sizes(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan, Precision precision) {
  return sizes_of(block, plan, precision);
}

KasteleynSizes kasteleyn_sizes(const GraphBlock<ComplexEntry>& block, const KasteleynPlan& plan, Precision precision) {
  return sizes_of(block, plan, precision);
}

KasteleynCost kasteleyn_cost(const KasteleynPlan& plan, const KasteleynSizes& sizes, Isa isa, int num_threads,
                             int num_ranks) {
  // Nanoseconds of one thread for a batch, per multiplication, entry of a front and pivot, on grids of 128 and 256 a
  // side.
  constexpr double per_multiplication = 1.3, per_entry = 4.5, per_pivot = 500;
  // The same of one lane of a vector, against AVX-512.
  const double slowness = isa == Isa::baseline ? 3 : 1;
  const std::size_t lanes = elimination_kernel(isa).lanes;
  const EliminationStructure& structure = plan.structure;
  const double batch =
      1e-9 *
      (per_multiplication * structure.multiplications + per_entry * structure.entries + per_pivot * structure.pivots) *
      slowness * static_cast<double>(lanes) / 16;
  double most_threads = 1;
  KasteleynCost cost = cost_with(plan, sizes, [&](double moduli) {
    const double batches = std::ceil(moduli / num_ranks / static_cast<double>(lanes));
    const double threads = std::min<double>(num_threads, batches);
    most_threads = std::max(most_threads, threads);
    return batch * batches / (1 + 0.9 * (threads - 1));
  });
  cost.memory_bytes += replay_bytes(structure.peak_entries, isa, static_cast<int>(most_threads));
  return cost;
}

KasteleynCost kasteleyn_cost(const KasteleynPlan& plan, const KasteleynSizes& sizes,
                             const std::vector<DeviceInfo>& gpus, int num_ranks) {
  // Seconds of an H200 for each modulus, on grids of 256 and 512 a side; other devices by their clocks. The start of a
  // driver and its contexts; the memory that they take here.
  constexpr double per_multiplication = 3.7e-13, per_entry = 4.2e-12, h200_units = 132 * 1.98e6;
  constexpr double start_s = 0.25, driver_bytes = 4e8;
  double units = 0;
  for (const DeviceInfo& gpu : gpus) units += double{1} * gpu.multiprocessors * gpu.clock_khz;
  const double modulus =
      (per_multiplication * plan.structure.multiplications + per_entry * plan.structure.entries) * h200_units / units;
  KasteleynCost cost = cost_with(plan, sizes, [&](double moduli) {
    constexpr double lanes = gpu::elimination_lanes;
    return modulus * std::ceil(moduli / num_ranks / lanes) * lanes;
  });
  cost.seconds += start_s;
  cost.memory_bytes += driver_bytes;
  return cost;
}

bool kasteleyn_runs_on(const std::vector<DeviceInfo>& gpus) {
  const KernelImage image = gpu::elimination_image();
  return std::all_of(gpus.begin(), gpus.end(), [&](const DeviceInfo& device) { return image.runs_on(device); });
}

double log2_kasteleyn_bound(const UndirectedGraph& graph, const std::vector<double>& magnitudes,
                            const KasteleynPlan& plan) {
  const double by_degrees = log2_bound_by_degrees(graph, magnitudes, plan.is_column);
  if (plan.is_column.empty()) return std::min(by_degrees, log2_norms(graph, magnitudes, plan.is_column, false) / 2);
  return std::min({by_degrees, log2_norms(graph, magnitudes, plan.is_column, false),
                   log2_norms(graph, magnitudes, plan.is_column, true)});
}

double log2_kasteleyn_bound(const GraphBlock<std::int64_t>& block, const KasteleynPlan& plan) {
  return log2_kasteleyn_bound(block.pattern, magnitudes_of(block.entries), plan);
}

}  // namespace matchcount
