// Let L be the order, m the number of orbits and g a root of order 2 L modulo a prime; the w are its even powers or,
// where `wrap` is -1, its odd ones. With K(w) the matrix of the orbits, the determinant of the block of rows and
// columns is the product of those of all K(w). Without colours V^T K V, V the products of Fourier's matrix F and the
// unit matrix, pairs w with 1 / w: the Pfaffian is det(F)^-m, times the Pfaffians of K(1) and K(-1), which are skew,
// times (-1)^(m (m - 1) / 2) det K(1 / w) for each pair. With h pairs det(F)^2 = (-1)^h, which does for even m. For odd
// m and wrap 1 K(1) or K(-1) has odd size and the Pfaffian is 0; for odd m and wrap -1 w goes through g, 1 / g, g^3, 1
// / g^3, .., whose h (h - 1) inversions make det(F) = i^(3 h), i = g^h.
//
// An entry may vanish for some w, such as 1 + w for w = -1, and with it the pivots of a program for others. Programs
// are found for each order that w has: w of one order are conjugate, and what vanishes for one does for all.

#include "permanent/planar/symmetric_pfaffian.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/stopwatch.hpp"
#include "permanent/planar/orientation.hpp"

namespace matchcount {
namespace {

// Determinants or Pfaffians for the powers of g that have one order.
struct OrderClass {
  const OrbitMatrices::Graph* matrix;
  const Dissection* dissection;
  const EliminationStructure* structure;
  std::vector<std::size_t> powers;
  EliminationProgram program;
};

// Powers of a root of order 2 L modulo a prime, in Montgomery's form, and the residues of a table.
struct Powers {
  Powers(std::uint64_t prime, std::size_t of_order, std::uint64_t one, const EntryTable& table)
      : values(of_order), residues(table.residues(prime, 0)) {
    const std::uint64_t root = root_of_order(prime, of_order);
    values[0] = static_cast<std::uint32_t>(one % prime);
    for (std::size_t i = 1; i < of_order; ++i) values[i] = static_cast<std::uint32_t>(values[i - 1] * root % prime);
  }
  static std::uint64_t root_of_order(std::uint64_t prime, std::uint64_t order) {
    std::vector<std::uint64_t> factors;
    std::uint64_t rest = order;
    for (std::uint64_t factor = 2; rest > 1; ++factor) {
      if (factor * factor > rest) factor = rest;
      if (rest % factor != 0) continue;
      factors.push_back(factor);
      while (rest % factor == 0) rest /= factor;
    }
    for (std::uint64_t base = 2;; ++base) {
      const std::uint64_t root = power_mod(base, (prime - 1) / order, prime);
      if (std::ranges::all_of(factors, [&](std::uint64_t f) { return power_mod(root, order / f, prime) != 1; }))
        return root;
    }
  }
  std::uint32_t value(const OrbitMatrices::Polynomial& polynomial, std::size_t power, std::uint64_t prime) const {
    std::uint64_t sum = 0;
    for (const auto& [exponent, place, factor] : polynomial) {
      const std::uint64_t term = std::uint64_t{residues[place]} * values[power * exponent % values.size()] % prime;
      sum += term * residue_of(factor, prime) % prime;
    }
    return static_cast<std::uint32_t>(sum % prime);
  }

  std::vector<std::uint32_t> values, residues;
};

class Symmetric {
 public:
  Symmetric(const OrbitMatrices& orbits, const EntryTable& table, const RunContext& run)
      : orbits_(orbits), table_(table) {
    constexpr std::uint64_t seed = 1;  // of an order of elimination, which answers do not depend on
    const auto prepare = [&](const OrbitMatrices::Graph& matrix, Dissection& dissection,
                             EliminationStructure& structure) {
      dissection = nested_dissection(matrix.graph, seed, run);
      structure = analyse_elimination(matrix.graph, matrix.is_column, dissection);
    };
    prepare(orbits.blocks, dissection_, structure_);
    const std::size_t order = orbits.order, roots = 2 * order;
    const bool coloured = orbits.skew.is_column.empty() && orbits.skew.graph.num_vertices() == 0;
    if (!coloured) prepare(orbits.skew, skew_dissection_, skew_structure_);
    for (std::size_t power = orbits.wrap > 0 ? 0 : 1; power < roots; power += 2) {
      const bool own_inverse = power % order == 0;
      if (coloured) {
        add(orbits.blocks, dissection_, structure_, power);
      } else if (own_inverse) {
        add(orbits.skew, skew_dissection_, skew_structure_, power);
      } else if (power < order) {
        add(orbits.blocks, dissection_, structure_, roots - power);
        ++pairs_;
      }
    }
    is_odd_skew_ = orbits.size % 2 == 1 && !coloured && orbits.wrap > 0;
    negated_ = orbits.negated;
    if (coloured) return;
    if (orbits.size * (orbits.size - 1) / 2 % 2 == 1 && pairs_ % 2 == 1) negated_ = !negated_;
    if (orbits.size % 2 == 0) {
      if (orbits.size / 2 % 2 == 1 && pairs_ % 2 == 1) negated_ = !negated_;
    } else {
      quarter_turns_ = pairs_ * orbits.size % 4;
    }
  }

  bool is_odd_skew() const { return is_odd_skew_; }
  // Counts what it takes to write values down as entries of fronts, of which that many take the same time.
  EliminationStructure structure() const {
    constexpr double entries_of_power = 50, entries_of_term = 25;
    EliminationStructure sum;
    sum.entries = entries_of_power * 2 * static_cast<double>(orbits_.order);
    double terms = 0;
    for (const auto& polynomial : orbits_.polynomials) terms += static_cast<double>(polynomial.size());
    for (const OrderClass& one : classes_) {
      const auto count = static_cast<double>(one.powers.size());
      sum.multiplications += count * one.structure->multiplications;
      sum.entries += count * (one.structure->entries + entries_of_term * terms);
      sum.pivots += count * one.structure->pivots;
      sum.peak_entries = std::max(sum.peak_entries, one.structure->peak_entries);
    }
    return sum;
  }

  // Finds programs, modulo a prime that is 1 modulo 2 L; false where it divides a determinant.
  bool find_programs(std::uint64_t prime, const RunContext& run) {
    const Powers powers(prime, 2 * orbits_.order, 1, table_);
    multiplications_ = 0;
    for (OrderClass& one : classes_) {
      std::vector<std::uint32_t> residues;
      for (const auto& polynomial : orbits_.polynomials)
        residues.push_back(powers.value(polynomial, one.powers.front(), prime));
      const OrbitMatrices::Graph& matrix = *one.matrix;
      one.program = eliminate({matrix.graph, matrix.places, residues, matrix.signs, matrix.is_column}, *one.dissection,
                              *one.structure, prime, run);
      if (!one.program.complete) return false;
      multiplications_ += one.program.multiplications * static_cast<double>(one.powers.size());
    }
    return true;
  }
  double multiplications() const { return multiplications_; }

  // Returns the Pfaffian modulo each prime; 0 where a pivot vanishes.
  std::vector<std::uint64_t> residues(std::span<const ReplayModulus> moduli, const RunContext& run,
                                      Stretch stretch) const {
    constexpr std::size_t most_at_once = 256;
    std::vector<std::uint64_t> result;
    for (std::size_t first = 0; first < moduli.size(); first += most_at_once) {
      const std::size_t count = std::min(most_at_once, moduli.size() - first);
      const auto at = [&](std::size_t i) {
        return stretch.at(static_cast<double>(i) / static_cast<double>(moduli.size()));
      };
      const auto some = of_some(moduli.subspan(first, count), run, {at(first), at(first + count), stretch.total});
      result.insert(result.end(), some.begin(), some.end());
    }
    return result;
  }

 private:
  void add(const OrbitMatrices::Graph& matrix, const Dissection& dissection, const EliminationStructure& structure,
           std::size_t power) {
    const auto divisor = [&](std::size_t of) { return std::gcd(of, 2 * orbits_.order); };
    const auto found = std::ranges::find_if(classes_, [&](const OrderClass& one) {
      return one.matrix == &matrix && divisor(one.powers.front()) == divisor(power);
    });
    if (found != classes_.end()) {
      found->powers.push_back(power);
    } else {
      classes_.push_back({&matrix, &dissection, &structure, {power}, {}});
    }
  }

  std::vector<std::uint64_t> of_some(std::span<const ReplayModulus> moduli, const RunContext& run,
                                     Stretch stretch) const {
    std::vector<Powers> powers;
    std::vector<std::uint64_t> result;
    for (const auto& [prime, root] : moduli) {
      powers.emplace_back(prime, 2 * orbits_.order, std::uint64_t{1} << 32, table_);
      const std::uint64_t quarter =
          power_mod(Powers::root_of_order(prime, 2 * orbits_.order), orbits_.order / 2 * quarter_turns_, prime);
      result.push_back(negated_ ? prime - quarter : quarter);
    }
    double done = 0;
    for (const OrderClass& one : classes_) {
      const std::size_t each = one.powers.size(), all = each * moduli.size();
      std::vector<ReplayModulus> lanes_of;
      for (const ReplayModulus& modulus : moduli) lanes_of.insert(lanes_of.end(), each, modulus);
      const WriteValues write = [&](std::size_t first, std::size_t lanes, std::uint32_t* values) {
        for (std::size_t l = 0; l < lanes; ++l) {
          const std::size_t lane = std::min(first + l, all - 1);
          const std::uint64_t prime = moduli[lane / each].prime;
          for (std::size_t i = 0; i < one.program.values.size(); ++i) {
            const auto& [place, negated] = one.program.values[i];
            const std::uint32_t value =
                powers[lane / each].value(orbits_.polynomials[place], one.powers[lane % each], prime);
            values[i * lanes + l] = negated && value != 0 ? static_cast<std::uint32_t>(prime) - value : value;
          }
        }
      };
      const double before = done;
      done += one.program.multiplications * static_cast<double>(each) / std::max(multiplications_, 1.0);
      const auto found =
          replay_elimination(one.program, write, lanes_of, run, {stretch.at(before), stretch.at(done), stretch.total});
      const bool odd = each % 2 == 1 && is_odd_permutation(one.program.order);
      for (std::size_t lane = 0; lane < all; ++lane) {
        std::uint64_t& product = result[lane / each];
        const std::uint64_t prime = moduli[lane / each].prime;
        product = product * found[lane] % prime;
        if (odd && lane % each == 0 && product != 0) product = prime - product;
      }
    }
    return result;
  }

  const OrbitMatrices& orbits_;
  const EntryTable& table_;
  Dissection dissection_, skew_dissection_;
  EliminationStructure structure_, skew_structure_;
  std::vector<OrderClass> classes_;
  std::size_t pairs_ = 0, quarter_turns_ = 0;
  bool is_odd_skew_ = false, negated_ = false;
  double multiplications_ = 0;
};

}  // namespace

std::optional<CyclicSymmetry> symmetry_of(const UndirectedGraph& graph, const EntryTable& table,
                                          const KasteleynPlan& plan, double log2_bound, const RunContext& run) {
  // One in about 20 numbers of this size is a prime, of those that are 1 modulo an even number more; primes come from
  // above 2^29.9 (permanent/planar/pfaffian.hpp).
  constexpr double candidates_of_prime = 20, largest = 4096, spare = 16;
  if (!plan.surface || !plan.surface->twisted.empty() || table.is_complex()) return std::nullopt;
  const double most = 0x1p25 / (candidates_of_prime * (primes_for(log2_bound) + spare));
  return cyclic_symmetry(graph, plan.surface->embedding.rotation, table.places(), plan.is_column,
                         static_cast<std::size_t>(std::min(largest, most)), run);
}

std::optional<EliminationStructure> symmetric_structure(const UndirectedGraph& graph, const EntryTable& table,
                                                        const KasteleynPlan& plan, double log2_bound,
                                                        const RunContext& run) {
  const auto symmetry = symmetry_of(graph, table, plan, log2_bound, run);
  if (!symmetry) return std::nullopt;
  const auto orbits = orbit_matrices(graph, *symmetry, table.places(), plan.orientation, plan.is_column);
  if (!orbits) return std::nullopt;
  return Symmetric(*orbits, table, run).structure();
}

std::optional<GaussianInteger> symmetric_pfaffian(const PfaffianProblem& problem, const CyclicSymmetry& symmetry,
                                                  const std::vector<std::int8_t>& orientation,
                                                  const KasteleynPlan& plan, const RunContext& run) {
  const auto& [graph, table, log2_bound, place, known] = problem;
  const auto orbits = orbit_matrices(graph, symmetry, table.places(), orientation, plan.is_column);
  if (!orbits) return std::nullopt;
  Symmetric symmetric(*orbits, table, run);
  if (symmetric.is_odd_skew()) return GaussianInteger{};
  constexpr std::uint64_t least_prime = 1 << 16;
  const std::uint64_t step = 2 * orbits->order;
  double log2_divisor = 0;
  Stopwatch stopwatch;
  for (std::uint64_t prime = elimination_prime_limit;;) {
    next_moduli(prime, 1, false, step);
    if (prime < least_prime) return std::nullopt;
    if (symmetric.find_programs(prime, run)) break;
    log2_divisor += std::log2(static_cast<double>(prime)) * (1 - 0x1p-40);
    if (log2_divisor > log2_bound) return GaussianInteger{};
  }
  place.report.eliminate_s += stopwatch.lap();
  const auto at = [&](std::span<const ReplayModulus> moduli, const RunContext& inner, Stretch stretch) {
    return symmetric.residues(moduli, inner, stretch);
  };
  return replay(place, {at, symmetric.multiplications(), "in parts by symmetry", false, step}, log2_bound, run);
}

}  // namespace matchcount
