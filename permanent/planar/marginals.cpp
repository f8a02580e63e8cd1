// Residues of shares are not those of integers; times the total they are, and the total is counted first, which also
// says how few primes are enough.

#include "permanent/planar/marginals.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "matching/graph_matching.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/planar/cpu/real_shares.hpp"
#include "permanent/planar/cpu/selected_inverse.hpp"
#include "permanent/planar/fixed_point.hpp"
#include "permanent/planar/orientation.hpp"
#include "permanent/planar/pfaffian.hpp"

namespace matchcount {
namespace {

__extension__ using Uint128 = unsigned __int128;

// A little more than the primes have that are taken.
constexpr double bits_of_prime = 25;
std::size_t primes_for_bits(double bits) {
  return static_cast<std::size_t>(std::ceil(std::max(bits, 1.0) / bits_of_prime));
}

void check_fits_plane(const UndirectedGraph& graph, std::size_t num_entries, const KasteleynPlan& plan) {
  if (plan.surface) throw InputError("the plan of a graph in a surface", "the plan of a planar graph");
  if (num_entries != graph.num_edges() || plan.orientation.size() != graph.num_edges() ||
      plan.dissection.vertices.size() != graph.num_vertices()) {
    throw InputError("entries or a plan of another graph",
                     "one for each of the " + std::to_string(graph.num_edges()) + " edges");
  }
}

// Holds the shares of all edges modulo several primes.
struct Shares {
  std::vector<std::uint64_t> primes;
  std::vector<std::vector<std::uint32_t>> residues;  // by prime, by edge
};

class ShareFinder {
 public:
  ShareFinder(const UndirectedGraph& graph, const EntryTable& table, const KasteleynPlan& plan, const RunContext& run)
      : graph_(graph), table_(table), plan_(plan), run_(run) {}

  // Finds the shares by a matrix that is not singular.
  Shares find(double bits) {
    EliminationProgram program;
    std::uint64_t limit = elimination_prime_limit;
    do {
      limit = primes_below(limit, 1).front();
      program = eliminate({graph_, table_.places(), table_.residues(limit, 0), plan_.orientation, plan_.is_column},
                          plan_.dissection, plan_.structure, limit, run_);
    } while (!program.complete);
    const Isa isa = std::min(run_.options().max_isa, detected_isa());
    const SelectedInverse inverse(program, graph_, table_, plan_.dissection, isa);
    const std::size_t wanted = primes_for_bits(bits);
    const double bytes = 4.0 * static_cast<double>(graph_.num_edges()) * static_cast<double>(wanted) +
                         run_.num_threads() * inverse.bytes();
    if (bytes > static_cast<double>(run_.memory_limit_bytes())) {
      throw OverLimit("the residues of all edges modulo " + std::to_string(wanted) + " primes need " +
                      memory_amount(bytes) + "; the memory limit is " +
                      memory_amount(static_cast<double>(run_.memory_limit_bytes())));
    }
    Shares shares;
    ++limit;  // the program's own prime is as good as others
    double missing = bits;
    // No more than that: what the product of primes passes the total by is lost of a sum's digits.
    while (missing > 0 || shares.primes.empty()) {
      const std::size_t before = shares.primes.size();
      add(inverse, primes_below(limit, primes_for_bits(missing)), limit, shares);
      for (std::size_t i = before; i < shares.primes.size(); ++i)
        missing -= std::log2(static_cast<double>(shares.primes[i])) * (1 - 0x1p-40);
    }
    return shares;
  }

 private:
  void add(const SelectedInverse& inverse, const std::vector<std::uint64_t>& primes, std::uint64_t& limit,
           Shares& shares) {
    limit = primes.back();
    std::vector<std::optional<std::vector<std::uint32_t>>> found(primes.size());
    std::atomic<std::size_t> done{0};
    parallel_for_chunks(run_.num_threads(), primes.size(), [&](std::uint64_t i, int) {
      run_.report("planar", static_cast<double>(done.load()), static_cast<double>(primes.size()));
      found[i] = inverse.shares(primes[i]);
      ++done;
    });
    for (std::size_t i = 0; i < primes.size(); ++i) {
      if (!found[i]) continue;
      shares.primes.push_back(primes[i]);
      shares.residues.push_back(*std::move(found[i]));
    }
  }

  const UndirectedGraph& graph_;
  const EntryTable& table_;
  const KasteleynPlan& plan_;
  const RunContext& run_;
};

// Recovers the sums s from residues of shares, 0 <= s < P or, as integers, -P/2 < s <= P/2, P being the product of the
// primes p: with c = s (P/p)^-1 modulo p, s/P is the fraction of the sum of all c/p.
class Recovery {
 public:
  Recovery(const Shares& shares, const Integer& total) : shares_(shares) {
    for (const std::uint64_t prime : shares.primes) product_ *= prime;
    for (const std::uint64_t prime : shares.primes) {
      cofactors_.push_back(product_ / prime);
      Integer rest = total % prime;
      if (rest.sign() < 0) rest += prime;
      const auto cofactor = static_cast<std::uint64_t>(cofactors_.back() % prime);
      factors_.push_back(static_cast<std::uint64_t>(rest) * inverse_mod(cofactor, prime) % prime);
      reciprocals_.push_back(~Uint128{0} / prime);
    }
  }
  const Integer& product() const { return product_; }

  // s/P in units of 2^-128, less by at most fraction_error(). Nothing where that is more than 2^-45 of it: the sum of a
  // rare edge may even be below 0 then, and wrap. Requires 0 <= s < P/2.
  std::optional<Uint128> fraction(EdgeId edge) const {
    constexpr int bits = 45;
    Uint128 sum = 0;
    for (std::size_t i = 0; i < factors_.size(); ++i) sum += reciprocals_[i] * multiple(i, edge);
    if (sum >> 127 != 0 || sum >> bits < fraction_error()) return std::nullopt;
    return sum;
  }
  // The sum of the primes, 2^25 for each.
  Uint128 fraction_error() const { return static_cast<Uint128>(factors_.size()) << 25; }
  Integer value(EdgeId edge) const {
    Integer sum = 0;
    for (std::size_t i = 0; i < factors_.size(); ++i) sum += cofactors_[i] * multiple(i, edge);
    sum %= product_;
    if (sum + sum > product_) sum -= product_;
    return sum;
  }

 private:
  std::uint64_t multiple(std::size_t i, EdgeId edge) const {
    return shares_.residues[i][edge] * factors_[i] % shares_.primes[i];
  }

  const Shares& shares_;
  Integer product_ = 1;
  std::vector<Integer> cofactors_;
  std::vector<std::uint64_t> factors_;
  std::vector<Uint128> reciprocals_;
};

// Returns a number given in units of 2^-128.
ScaledReal of_fraction(Uint128 fraction) {
  ScaledReal value;
  for (const int bits_behind : {32, 64, 96, 128}) {
    const auto word = static_cast<std::uint32_t>(fraction >> (128 - bits_behind));
    value = value + ScaledReal(DoubleDouble(static_cast<double>(word)), -bits_behind);
  }
  return value;
}

// The sum over all perfect matchings. Requires that there is one.
Integer total_of(const UndirectedGraph& graph, const EntryTable& table, double log2_bound, const KasteleynPlan& plan,
                 const GraphMatching& matching, const RunContext& run) {
  KasteleynReport unread;
  const ReplayPlace place{{}, unread};
  const Integer value = pfaffian({graph, table, log2_bound, place}, plan.orientation, plan, run).re;
  return term_is_negative(graph, plan.orientation, matching.partner) ? -value : value;
}

template <class Body>
void for_each_edge(const UndirectedGraph& graph, const RunContext& run, const Body& body) {
  constexpr EdgeId edges_at_once = 64;
  parallel_for_chunks(run.num_threads(), (graph.num_edges() + edges_at_once - 1) / edges_at_once,
                      [&](std::uint64_t chunk, int) {
                        run.check();
                        const EdgeId end = std::min(graph.num_edges(), (chunk + 1) * edges_at_once);
                        for (EdgeId edge = chunk * edges_at_once; edge < end; ++edge) body(edge);
                      });
}

// Shares modulo fewer primes are found in less time than in double-doubles (grids and honeycombs).
constexpr std::size_t few_primes = 40;
// real_shares holds so many bytes by entry of a front.
constexpr double bytes_of_real_entry = 100;

// Returns shares in double-doubles, where their bounds are as good as promised: not where an edge is rare.
std::optional<std::vector<RealShare>> good_shares(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan,
                                                  const RunContext& run) {
  constexpr double least = 0x1p-200, most_error = 0x1p-50, most_relative_error = 0x1p-44;
  if (!run.has_memory_for(bytes_of_real_entry * plan.structure.entries)) return std::nullopt;
  GraphBlock<RealEntry> scaled = block;
  scale_entries(scaled.pattern, scaled.entries, run);
  for (const RealEntry& entry : scaled.entries) {
    if (!(entry.value.hi >= least)) return std::nullopt;
  }
  std::optional<std::vector<RealShare>> shares = real_shares(scaled, plan, run);
  if (!shares) return std::nullopt;
  for (const RealShare& share : *shares) {
    if (!(share.error <= std::min(most_error, most_relative_error * share.value.hi))) return std::nullopt;
  }
  return shares;
}

}  // namespace

std::optional<BlockMarginals<Integer>> marginals_kasteleyn(const GraphBlock<std::int64_t>& block,
                                                           const KasteleynPlan& plan, const RunContext& run) {
  const UndirectedGraph& graph = block.pattern;
  check_fits_plane(graph, block.entries.size(), plan);
  BlockMarginals<Integer> result{0, std::vector<Integer>(graph.num_edges())};
  const GraphMatching matching = maximum_matching(graph, run);
  if (!matching.is_perfect()) return result;
  const EntryTable table(block.entries);
  const double bound = log2_kasteleyn_bound(block, plan);
  result.total = total_of(graph, table, bound, plan, matching, run);
  if (result.total == 0) return std::nullopt;
  const bool positive = std::ranges::all_of(block.entries, [](std::int64_t entry) { return entry >= 0; });
  const Shares shares = ShareFinder(graph, table, plan, run).find((positive ? log2_abs(result.total) : bound) + 2);
  const Recovery recovery(shares, result.total);
  for_each_edge(graph, run, [&](EdgeId edge) { result.of_edge[edge] = recovery.value(edge); });
  return result;
}

std::optional<BlockMarginals<RealValue>> marginals_kasteleyn(const GraphBlock<RealEntry>& block,
                                                             const KasteleynPlan& plan, const RunContext& run) {
  const UndirectedGraph& graph = block.pattern;
  check_fits_plane(graph, block.entries.size(), plan);
  const RealValue zero{{}, minus_infinity, minus_infinity};
  BlockMarginals<RealValue> result{zero, std::vector<RealValue>(graph.num_edges(), zero)};
  const GraphMatching matching = maximum_matching(graph, run);
  if (!matching.is_perfect()) return result;
  std::vector<double> magnitudes;
  for (const RealEntry& entry : block.entries) {
    if (entry.value.hi < 0) throw InputError("a negative weight", "weights that are not negative");
    magnitudes.push_back(entry.magnitude);
  }
  constexpr int bits = 104;
  const FixedPoint numbers = fixed_point(graph, block.entries, bits);
  const EntryTable table(numbers.entries);
  const double matching_size = graph.num_vertices() / 2.0;
  const double bound = static_cast<double>(numbers.exponent) + log2_kasteleyn_bound(graph, magnitudes, plan) +
                       matching_size * 0x1p-48 + 1e-6;
  const Integer total = total_of(graph, table, bound, plan, matching, run);
  if (total == 0) return std::nullopt;
  const auto scaled = [&](ScaledReal value) {
    if (!value.is_zero()) value.exponent -= numbers.exponent;
    return value;
  };
  const double log2_total = log2_abs(total) - static_cast<double>(numbers.exponent);
  const double log2_magnitude = log2_total + matching_size * 0x1p-29 + 1e-9;
  // The entries' relative error: 2^-100 of their own, and twice the rounding. No sum has terms of two signs.
  const double of_entries = std::log2(1.01 * matching_size * (0x1p-100 + (numbers.exact ? 0 : std::ldexp(2, -bits))));
  result.total = {scaled(nearest_real(total)), log2_sum(of_entries + log2_magnitude, log2_total - 100), log2_magnitude};
  if (primes_for_bits(log2_abs(total) + 2) > few_primes) {
    if (const auto shares = good_shares(block, plan, run)) {
      for (EdgeId edge = 0; edge < graph.num_edges(); ++edge) {
        const ScaledReal value = (*shares)[edge].value * result.total.value;
        const double of_share = std::log2((*shares)[edge].error) + log2_total + 1e-9;
        const double most = log2_sum(value.log2_abs(), of_share) + matching_size * 0x1p-29 + 1e-9;
        result.of_edge[edge] = {value, log2_sum(log2_sum(of_entries + most, of_share), value.log2_abs() - 98), most};
      }
      return result;
    }
  }
  const Shares shares = ShareFinder(graph, table, plan, run).find(log2_abs(total) + 2);
  const Recovery recovery(shares, total);
  const ScaledReal product = nearest_real(recovery.product());
  const double lost = std::log2(static_cast<double>(recovery.fraction_error())) - 128 + log2_abs(recovery.product()) -
                      static_cast<double>(numbers.exponent);
  for_each_edge(graph, run, [&](EdgeId edge) {
    const std::optional<Uint128> fraction = recovery.fraction(edge);
    const ScaledReal value = scaled(fraction ? of_fraction(*fraction) * product : nearest_real(recovery.value(edge)));
    const double of_recovery = log2_sum(fraction ? lost : minus_infinity, value.log2_abs() - 90);
    const double most = log2_sum(value.log2_abs(), of_recovery) + matching_size * 0x1p-29 + 1e-9;
    result.of_edge[edge] = {value, log2_sum(of_entries + most, of_recovery), most};
  });
  return result;
}

PlanarMarginalsCost marginals_kasteleyn_cost(const KasteleynPlan& plan, double num_edges, double log2_bound, bool exact,
                                             int num_threads) {
  // Seconds of a multiplication, an entry of a front and an edge, modulo one prime (grids of 64 and 256 a side).
  constexpr double per_multiplication = 1e-9, per_entry = 1e-8, per_edge = 2e-8;
  const double primes = static_cast<double>(primes_for_bits(log2_bound));
  if (!exact && primes > static_cast<double>(few_primes)) {
    // The total, of which a prime takes so much less, and one elimination in double-doubles.
    constexpr double share_of_total = 0.15, per_real_multiplication = 1.5e-8;
    return {(share_of_total * primes *
                 (plan.structure.multiplications * per_multiplication + plan.structure.entries * per_entry) +
             plan.structure.multiplications * per_real_multiplication) /
                num_threads,
            bytes_of_real_entry * plan.structure.entries};
  }
  return {primes *
              (plan.structure.multiplications * per_multiplication + plan.structure.entries * per_entry +
               num_edges * per_edge) /
              num_threads,
          4 * num_edges * primes + 24 * plan.structure.entries * num_threads};
}

}  // namespace matchcount
