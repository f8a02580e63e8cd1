// Elimination programs: replayed against dense elimination of the same matrix.

#include "permanent/planar/cpu/elimination_program.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/numbers/residue.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "graph/two_colouring.hpp"
#include "permanent/planar/cpu/elimination_replay.hpp"
#include "permanent/planar/dissection.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/planar_graphs.hpp"
namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261121;

// A skew-symmetric matrix on a graph, which need not be planar.
struct Instance {
  UndirectedGraph graph;
  EntryTable table;
  std::vector<std::int8_t> orientation;
  std::vector<bool> is_column;
};

// Entries of a size from 1 to 2^bits.
enum class Kind { real, complex };
Instance instance_of(const UndirectedGraph& graph, int bits, bool by_pairs, std::uint64_t stream,
                     Kind kind = Kind::real) {
  Random random(seed, stream);
  const auto number = [&] {
    Integer value = 1;
    for (int bit = 0; bit < bits; ++bit) value += Integer(random.below(2)) << bit;
    return random.below(2) == 0 ? value : Integer(-value);
  };
  std::vector<GaussianInteger> entries;
  std::vector<std::int8_t> orientation;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    entries.push_back({number(), kind == Kind::complex ? number() : Integer(0)});
    orientation.push_back(random.below(2) == 0 ? 1 : -1);
  }
  TwoColouring colouring = two_colour(graph.num_vertices(), graph.edges());
  const bool bipartite = !by_pairs && colouring.odd_cycle.empty();
  return {graph, EntryTable(entries), orientation, bipartite ? colouring.is_column : std::vector<bool>()};
}

// Primes, or both roots of -1 modulo half as many.
std::vector<ReplayModulus> moduli_below(std::uint64_t limit, std::size_t count, const EntryTable& table) {
  std::vector<ReplayModulus> moduli;
  while (moduli.size() < count) {
    limit = primes_below(limit, 1).front();
    if (!table.is_complex()) {
      moduli.push_back({limit, 0});
    } else if (limit % 4 == 1) {
      const std::uint64_t root = root_of_minus_one(limit);
      moduli.push_back({limit, root});
      moduli.push_back({limit, limit - root});
    }
  }
  moduli.resize(count);
  return moduli;
}

EliminationProgram program_of(const Instance& instance) {
  const RunContext context;
  const Dissection dissection = nested_dissection(instance.graph, seed, context);
  const EliminationStructure structure = analyse_elimination(instance.graph, instance.is_column, dissection);
  const ReplayModulus modulus = moduli_below(elimination_prime_limit, 1, instance.table).front();
  const std::vector<std::uint32_t> residues = instance.table.residues(modulus.prime, modulus.root);
  return eliminate({instance.graph, instance.table.places(), residues, instance.orientation, instance.is_column},
                   dissection, structure, modulus.prime, context);
}

// Finds the Pfaffian by one modulus, dense, by pairs of rows.
std::uint64_t pfaffian_modulo(const Instance& instance, const ReplayModulus& modulus) {
  const auto [p, root] = modulus;
  const std::size_t n = instance.graph.num_vertices();
  std::vector<std::vector<std::uint64_t>> a(n, std::vector<std::uint64_t>(n, 0));
  for (EdgeId id = 0; id < instance.graph.num_edges(); ++id) {
    const Edge edge = instance.graph.edges()[id];
    const GaussianInteger& entry = instance.table.value(instance.table.places()[id]);
    const Integer remainder = (entry.re + entry.im * root) * instance.orientation[id] % p;
    const auto value = static_cast<std::uint64_t>(remainder < 0 ? Integer(remainder + p) : remainder);
    a[edge.row][edge.column] = value;
    a[edge.column][edge.row] = (p - value) % p;
  }
  std::uint64_t product = 1 % p;
  for (std::size_t k = 0; k + 1 < n; k += 2) {
    std::size_t j = k + 1;
    while (j < n && a[k][j] == 0) ++j;
    if (j == n) return 0;
    if (j != k + 1) {
      std::swap(a[k + 1], a[j]);
      for (auto& row : a) std::swap(row[k + 1], row[j]);
      product = (p - product) % p;
    }
    product = multiply_mod(product, a[k][k + 1], p);
    const std::uint64_t inverse = inverse_mod(a[k][k + 1], p);
    for (std::size_t i = k + 2; i < n; ++i) {
      for (std::size_t c = k + 2; c < n; ++c) {
        const std::uint64_t forth = multiply_mod(multiply_mod(a[i][k], inverse, p), a[k + 1][c], p);
        const std::uint64_t back = multiply_mod(multiply_mod(a[i][k + 1], inverse, p), a[k][c], p);
        a[i][c] = (a[i][c] + forth + p - back) % p;
      }
    }
  }
  return n % 2 == 0 ? product : 0;
}

bool is_odd(const std::vector<Vertex>& permutation) {
  std::size_t inversions = 0;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) inversions += permutation[j] > permutation[i];
  }
  return inversions % 2 != 0;
}

std::uint64_t expected_product(const Instance& instance, const EliminationProgram& program,
                               const ReplayModulus& modulus) {
  const std::uint64_t pfaffian = pfaffian_modulo(instance, modulus);
  return is_odd(program.order) && pfaffian != 0 ? modulus.prime - pfaffian : pfaffian;
}

std::vector<std::uint64_t> on_cpu(const EliminationProgram& program, const EntryTable& table,
                                  const std::vector<ReplayModulus>& moduli, Isa isa = Isa::avx512,
                                  int num_threads = 0) {
  const RunContext context({.num_threads = num_threads, .max_isa = isa});
  return replay_elimination(program, table, moduli, context);
}

UndirectedGraph complete_bipartite(Vertex n) {
  std::vector<Edge> edges;
  for (Vertex r = 0; r < n; ++r) {
    for (Vertex c = 0; c < n; ++c) edges.push_back({r, n + c});
  }
  return UndirectedGraph::from_edges(2 * n, std::move(edges));
}
UndirectedGraph grid(Vertex height, Vertex width) { return UndirectedGraph::from_bipartite(grid_graph(height, width)); }
// Makes two grids side by side, and an edge.
UndirectedGraph three_components() {
  std::vector<Edge> edges = {{50, 51}};
  for (const Vertex start : {Vertex{0}, Vertex{25}}) {
    const Vertex width = start == 0 ? 4 : 2, height = 6;
    for (Vertex i = 0; i < height; ++i) {
      for (Vertex j = 0; j < width; ++j) {
        const Vertex v = start + i * width + j;
        if (j + 1 < width) edges.push_back({v, v + 1});
        if (i + 1 < height) edges.push_back({v, v + width});
      }
    }
  }
  edges.push_back({24, 37});
  return UndirectedGraph::from_edges(52, std::move(edges));
}

// Returns instances whose Pfaffian is not 0.
std::vector<std::pair<Instance, EliminationProgram>> instances() {
  std::vector<UndirectedGraph> graphs = {test::cycle(4), test::complete(2), three_components()};
  for (const Vertex n : {Vertex{1}, Vertex{3}, Vertex{8}, Vertex{9}, Vertex{16}, Vertex{33}, Vertex{41}})
    graphs.push_back(complete_bipartite(n));
  for (const Vertex n : {Vertex{4}, Vertex{6}, Vertex{10}, Vertex{18}, Vertex{34}, Vertex{66}})
    graphs.push_back(test::complete(n));
  for (const auto& [height, width] : {std::pair{2, 16}, {7, 8}, {12, 12}, {5, 20}}) {
    graphs.push_back(test::triangular_grid(static_cast<Vertex>(height), static_cast<Vertex>(width)));
    graphs.push_back(grid(static_cast<Vertex>(height), static_cast<Vertex>(width)));
  }
  Random random(seed, 1);
  for (const Vertex n : {Vertex{32}, Vertex{64}, Vertex{120}}) {
    for (const double density : {0.6, 0.95}) graphs.push_back(test::random_planar(n, density, random));
  }
  std::vector<std::pair<Instance, EliminationProgram>> all;
  std::uint64_t stream = 2;
  for (const UndirectedGraph& graph : graphs) {
    for (const bool by_pairs : {false, true}) {
      for (const int bits : {0, 63, 130}) {
        Instance instance = instance_of(graph, bits, by_pairs, ++stream, bits > 100 ? Kind::complex : Kind::real);
        EliminationProgram program = program_of(instance);
        if (program.complete) all.emplace_back(std::move(instance), std::move(program));
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a replay gives the Pfaffian by each modulus") {
  const auto all = instances();
  REQUIRE(all.size() > 90);
  for (const auto& [instance, program] : all) {
    INFO(test::to_string(instance.graph) << " by pairs: " << program.skew);
    std::vector<ReplayModulus> moduli = moduli_below(replay_prime_limit, 2, instance.table);
    moduli.push_back(moduli_below((1 << 29) + 200, 1, instance.table).front());
    std::vector<std::uint64_t> expected;
    for (const ReplayModulus& modulus : moduli) expected.push_back(expected_product(instance, program, modulus));
    CHECK(on_cpu(program, instance.table, moduli) == expected);
  }
}

TEST_CASE("a replay takes any number of moduli, in any number of threads and lanes") {
  const Instance instance = instance_of(test::triangular_grid(9, 8), 10, false, 3, Kind::complex);
  const EliminationProgram program = program_of(instance);
  REQUIRE(program.complete);
  const std::vector<ReplayModulus> moduli = moduli_below(replay_prime_limit, 65, instance.table);
  std::vector<std::uint64_t> expected;
  for (const ReplayModulus& modulus : moduli) expected.push_back(expected_product(instance, program, modulus));
  const auto first = [](const auto& list, std::size_t count) {
    return std::remove_cvref_t<decltype(list)>(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
  };
  for (const std::size_t count : {0, 1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 65}) {
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      for (const int threads : {1, 2, 5})
        CHECK(on_cpu(program, instance.table, first(moduli, count), isa, threads) == first(expected, count));
    }
  }
}

TEST_CASE("a prime that divides a pivot gives 0") {
  const std::vector<std::uint64_t> primes = primes_below(replay_prime_limit, 3);
  const std::vector<ReplayModulus> moduli = {{primes[0], 0}, {primes[1], 0}, {primes[2], 0}};
  for (const bool by_pairs : {false, true}) {
    // A path, whose one matching has three entries of that size.
    Instance instance =
        instance_of(UndirectedGraph::from_edges(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}), 0, by_pairs, 7);
    instance.table = EntryTable(std::vector<std::int64_t>(5, static_cast<std::int64_t>(primes[1])));
    const EliminationProgram program = program_of(instance);
    REQUIRE(program.complete);
    const std::vector<std::uint64_t> values = on_cpu(program, instance.table, moduli);
    CHECK(values[0] != 0);
    CHECK(values[1] == 0);
    CHECK(values[2] != 0);
  }
}

TEST_CASE("a program that leaves something over gives 0 where that is not 0, and a Pfaffian is 0 where it gives more") {
  Random random(seed, 8);
  int singular = 0, of_parts = 0;
  for (std::uint64_t round = 0; round < 400; ++round) {
    UndirectedGraph graph = three_components();
    if (round % 8 != 0) graph = test::random_planar(static_cast<Vertex>(3 + random.below(30)), 0.7, random);
    if (round % 4 == 1)
      graph = grid(static_cast<Vertex>(2 + random.below(5)), static_cast<Vertex>(2 + random.below(5)));
    const Instance instance =
        instance_of(graph, 0, round % 2 == 0, 1000 + round, round % 3 == 0 ? Kind::complex : Kind::real);
    const EliminationProgram program = program_of(instance);
    if (program.complete) continue;
    INFO(round << ": " << test::to_string(graph));
    std::vector<ReplayModulus> moduli = moduli_below(replay_prime_limit, 17, instance.table);
    for (const ReplayModulus& modulus : moduli) REQUIRE(pfaffian_modulo(instance, modulus) == 0);
    for (const Isa isa : {Isa::baseline, Isa::avx512}) {
      const std::vector<std::uint64_t> values = on_cpu(program, instance.table, moduli, isa);
      REQUIRE(std::ranges::count(values, 0u) == 0);
    }
    ++singular;
    of_parts += round % 8 == 0;
  }
  CHECK(singular > 100);
  CHECK(of_parts > 5);
  // Entries that the program's own prime divides.
  const std::uint64_t prime = primes_below(elimination_prime_limit, 1).front();
  for (const bool by_pairs : {false, true}) {
    Instance instance = instance_of(grid(4, 4), 0, by_pairs, 9);
    std::vector<std::int64_t> entries(instance.graph.num_edges(), 1);
    for (const EdgeId id : instance.graph.incident_edges(5)) entries[id] = static_cast<std::int64_t>(prime);
    instance.table = EntryTable(entries);
    instance.orientation = kasteleyn_orientation(instance.graph, *planar_embedding(instance.graph, RunContext()));
    const EliminationProgram program = program_of(instance);
    REQUIRE_FALSE(program.complete);
    const std::vector<ReplayModulus> moduli = moduli_below(replay_prime_limit, 5, instance.table);
    CHECK(on_cpu(program, instance.table, moduli) == std::vector<std::uint64_t>(5, 0));
  }
}

}  // namespace matchcount
