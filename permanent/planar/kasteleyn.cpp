// Numbers. With K the signed matrix, the square of the sum over perfect matchings is det(K) <= the product of its rows'
// norms (Hadamard), which on grids is less than what permanents are bounded by.

#include "permanent/planar/kasteleyn.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "graph/two_colouring.hpp"
#include "matching/graph_matching.hpp"
#include "permanent/fixed_point.hpp"
#include "permanent/planar/costs.hpp"
#include "permanent/planar/cpu/elimination_replay.hpp"
#include "permanent/planar/cpu/product_kernel.hpp"
#include "permanent/planar/pfaffian.hpp"
#include "permanent/planar/symmetric_pfaffian.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {

namespace {

// An orientation of this kind counts. In a connected plane graph whose inner faces each have an odd number of edges
// along their clockwise walk (an edge with the same face on both sides is once along it), summing over the faces within
// a cycle and Euler's formula give: a cycle with i vertices inside has an odd number of edges along it just when i is
// even. The union of two perfect matchings consists of cycles with an even number of vertices inside, so that the two
// have terms of the same sign in the Pfaffian. A spanning tree is directed anyhow; the edges beside it form a
// spanning tree of the faces, in which each face, leaves first, directs the one edge that it has left.
//
// The sign that all terms have is that of any perfect matching's term, so that signed entries keep theirs.

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

// ---- Any graph and any numbers.

GaussianInteger hafnian_on_surface(const PfaffianProblem& problem, const KasteleynPlan& plan, const RunContext& run) {
  const SurfacePfaffians& surface = *plan.surface;
  const auto& [graph, table, log2_bound, report, known] = problem;
  const EntryTable turned(turned_entries(table, surface));
  const bool is_half = !surface.twisted.empty() && !table.is_complex();
  const std::optional<CyclicSymmetry> symmetry = symmetry_of(graph, turned, plan, log2_bound, run);
  GaussianInteger sum;
  for (const SurfacePfaffians::Term& term : surface.terms) {
    if (is_half && !term.first_half) continue;
    const PfaffianProblem by_term = {graph, turned, log2_bound, report, symmetry ? &*symmetry : nullptr};
    const GaussianInteger value = times(pfaffian(by_term, term.orientation, plan, run), term.re, term.im);
    sum = {sum.re + value.re, sum.im + value.im};
  }
  if (is_half) sum = {2 * sum.re, 0};
  const Integer divisor = std::int64_t{1} << surface.log2_divisor;
  if (sum.re % divisor != 0 || sum.im % divisor != 0)
    throw Error("Pfaffians of a surface that do not add up; please report this graph");
  return {sum.re / divisor, sum.im / divisor};
}

// Requires a perfect matching.
GaussianInteger hafnian(const PfaffianProblem& problem, const GraphMatching& matching, const KasteleynPlan& plan,
                        const RunContext& run) {
  if (plan.surface) return hafnian_on_surface(problem, plan, run);
  const GaussianInteger value = pfaffian(problem, plan.orientation, plan, run);
  return term_is_negative(problem.graph, plan.orientation, matching.partner) ? -value : value;
}

// ---- Reals and complex numbers.

// Double-doubles get so many bits, beside the error of 2^-100 that entries have.
constexpr int bits_of_double_doubles = 104;
// No double-double has so many bits.
constexpr int bits_of_all = 1 << 16;
// The value gets so many bits where nothing cancels: what 17 digits ask for, and some.
constexpr int bits_of_doubles = 62;
// The bound gets so many bits: it is too large by a factor of at most e^(1/8).
constexpr int bits_of_magnitudes = 4;

int log2_of_terms(const UndirectedGraph& graph) {
  return static_cast<int>(std::bit_width(std::uint64_t{graph.num_vertices()} / 2));
}
int bits_of_entries(const UndirectedGraph& graph, Precision precision) {
  if (precision == Precision::exact) return bits_of_all;
  const bool full = precision == Precision::double_double || precision == Precision::automatic;
  return full ? bits_of_double_doubles : std::min(bits_of_double_doubles, bits_of_doubles + log2_of_terms(graph));
}

// Returns the size of the value itself, which is what counts, and may be far less than the magnitudes that cancel in
// it.
double size_of(const RealEntry& entry) { return std::fabs(entry.value.hi); }
double size_of(const ComplexEntry& entry) { return std::hypot(entry.value.re.hi, entry.value.im.hi); }

// Bounds the integers that stand for numbers of these magnitudes, each larger by a factor of at most 1 + 2^-7.
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
  const std::vector<double> bounds = magnitudes_of(block.entries);
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
                           const RunContext& run, KasteleynReport* report) {
  const UndirectedGraph& graph = block.pattern;
  check_fits(graph, block.entries.size(), plan);
  Outcome outcome;
  const GraphMatching matching = maximum_matching(graph, run);
  if (!matching.is_perfect()) return outcome;
  KasteleynReport unread;
  const auto exactly = [&](const Sized& sized) {
    const EntryTable table(sized.numbers.entries);
    return hafnian({graph, table, sized.log2_bound, report == nullptr ? unread : *report}, matching, plan, run);
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

void add_elimination(KasteleynPlan& plan, const UndirectedGraph& graph, std::uint64_t seed, const RunContext& run) {
  run.check();
  TwoColouring colouring = two_colour(graph.num_vertices(), graph.edges());
  if (colouring.odd_cycle.empty()) plan.is_column = std::move(colouring.is_column);
  plan.dissection = nested_dissection(graph, seed, run);
  plan.structure = analyse_elimination(graph, plan.is_column, plan.dissection);
}

}  // namespace

std::vector<std::int8_t> kasteleyn_orientation(const UndirectedGraph& graph, const PlanarEmbedding& embedding) {
  const std::vector<Edge>& edges = graph.edges();
  const Faces faces = faces_of(graph, embedding);
  std::vector<std::int8_t> orientation(edges.size(), 0);
  for_each_tree_edge(graph, 0, [&](Vertex, Vertex, EdgeId id) { orientation[id] = 1; });
  // Keeps for each face whether an odd number of its edges is along its walk so far, and its edges that are not
  // directed yet, as the sum of their ids, which names the last.
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
  for (std::uint32_t face = 0; face < faces.count; ++face)
    if (open[face] == 1) leaves.push_back(face);
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
  if (std::find(orientation.begin(), orientation.end(), 0) != orientation.end())
    throw InputError("an embedding whose faces are not a sphere's", "a planar embedding of the graph");
  return orientation;
}

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

std::optional<KasteleynPlan> plan_kasteleyn(const UndirectedGraph& graph, std::uint64_t seed, const RunContext& run,
                                            const RotationSystem* rotation) {
  if (const std::optional<PlanarEmbedding> embedding = planar_embedding(graph, run))
    return plan_kasteleyn(graph, *embedding, seed, run);
  if (rotation) {
    const SurfaceEmbedding given = embedding_of(graph, *rotation);
    if (euler_genus(graph, faces_of(graph, given)) <= most_euler_genus) return plan_kasteleyn(graph, given, seed, run);
  }
  const std::optional<SurfaceEmbedding> embedding = surface_embedding(graph, most_euler_genus, run);
  return embedding ? plan_kasteleyn(graph, *embedding, seed, run) : std::nullopt;
}

std::optional<KasteleynPlan> plan_kasteleyn(const UndirectedGraph& graph, const SurfaceEmbedding& embedding,
                                            std::uint64_t seed, const RunContext& run) {
  KasteleynPlan plan;
  plan.surface = surface_pfaffians(graph, embedding, run);
  if (!plan.surface) return std::nullopt;
  plan.orientation = plan.surface->terms.front().orientation;
  add_elimination(plan, graph, seed, run);
  return plan;
}

KasteleynPlan plan_kasteleyn(const UndirectedGraph& graph, const PlanarEmbedding& embedding, std::uint64_t seed,
                             const RunContext& run) {
  KasteleynPlan plan;
  plan.orientation = kasteleyn_orientation(graph, embedding);
  add_elimination(plan, graph, seed, run);
  return plan;
}

Integer hafnian_kasteleyn(const GraphBlock<std::int64_t>& block, const KasteleynPlan& plan, const RunContext& run,
                          KasteleynReport* report) {
  check_fits(block.pattern, block.entries.size(), plan);
  if (block.pattern.num_vertices() == 0) return 1;
  const GraphMatching matching = maximum_matching(block.pattern, run);
  if (!matching.is_perfect()) return 0;
  KasteleynReport unread;
  const EntryTable table(block.entries);
  return hafnian({block.pattern, table, log2_kasteleyn_bound(block, plan), report == nullptr ? unread : *report},
                 matching, plan, run)
      .re;
}

RealValue hafnian_kasteleyn(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan, Precision precision,
                            const RunContext& run, KasteleynReport* report) {
  const Outcome outcome = hafnian_of_numbers(block, plan, precision, run, report);
  return {outcome.value.re, outcome.log2_error, outcome.log2_magnitudes};
}

ComplexValue hafnian_kasteleyn(const GraphBlock<ComplexEntry>& block, const KasteleynPlan& plan, Precision precision,
                               const RunContext& run, KasteleynReport* report) {
  const Outcome outcome = hafnian_of_numbers(block, plan, precision, run, report);
  return {outcome.value, outcome.log2_error, outcome.log2_magnitudes};
}

KasteleynSizes kasteleyn_sizes(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan, Precision precision) {
  return sizes_of(block, plan, precision);
}

KasteleynSizes kasteleyn_sizes(const GraphBlock<ComplexEntry>& block, const KasteleynPlan& plan, Precision precision) {
  return sizes_of(block, plan, precision);
}

KasteleynCost kasteleyn_cost(const KasteleynPlan& plan, const KasteleynSizes& sizes, Isa isa, int num_threads,
                             int num_ranks, const EliminationStructure* parts) {
  namespace costs = planar_costs;
  const double slowness = isa == Isa::baseline ? costs::slowness : 1;
  const auto lanes = static_cast<double>(kernels_for<EliminationKernel>(isa).lanes);
  const EliminationStructure& structure = parts ? *parts : plan.structure;
  const double batch = (costs::multiplication_ns * structure.multiplications + costs::entry_ns * structure.entries +
                        costs::pivot_ns * structure.pivots) *
                       slowness * lanes / 16;
  const double found =
      costs::found_multiplication_ns * structure.multiplications + costs::found_entry_ns * structure.entries;
  const double pfaffians = plan.surface ? static_cast<double>(plan.surface->terms.size()) : 1;
  double most_threads = 1;
  KasteleynCost cost;
  const auto add = [&](double log2_bound, bool complex) {
    const double primes = primes_for(log2_bound), moduli = (complex ? 2 : 1) * primes;
    const double batches = std::ceil(moduli / num_ranks / lanes), threads = std::min<double>(num_threads, batches);
    most_threads = std::max(most_threads, threads);
    cost.num_primes += primes;
    cost.seconds += 1e-9 * pfaffians *
                    (batch * batches / (1 + 0.9 * (threads - 1)) + costs::pair_of_primes_ns * moduli * primes + found);
  };
  add(sizes.log2_value, sizes.complex);
  if (sizes.log2_magnitudes > minus_infinity) add(sizes.log2_magnitudes, false);
  // The program has some numbers for each row and column of a front, and each vertex is in some tens of fronts.
  cost.memory_bytes = 2000.0 * static_cast<double>(plan.dissection.vertices.size()) +
                      replay_bytes(structure.peak_entries, isa, static_cast<int>(most_threads));
  return cost;
}

double log2_kasteleyn_bound(const UndirectedGraph& graph, const std::vector<double>& magnitudes,
                            const KasteleynPlan& plan) {
  const double by_degrees = log2_sum_bound(graph, magnitudes, plan.is_column);
  if (plan.is_column.empty()) return std::min(by_degrees, log2_norms(graph, magnitudes, plan.is_column, false) / 2);
  return std::min({by_degrees, log2_norms(graph, magnitudes, plan.is_column, false),
                   log2_norms(graph, magnitudes, plan.is_column, true)});
}

double log2_kasteleyn_bound(const GraphBlock<std::int64_t>& block, const KasteleynPlan& plan) {
  return log2_kasteleyn_bound(block.pattern, magnitudes_of(block.entries), plan);
}

}  // namespace matchcount
