// Residues of shares are not those of integers; times the Pfaffian they are, and that is counted first, which also says
// how few primes are enough. In a surface the sum has a part of several Pfaffians, whose matrices have all but the cut
// in common (permanent/planar/surface_cut.hpp): the mean of their inverses is found from that on the cut alone.

#include "permanent/planar/marginals.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "matching/graph_matching.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/fixed_point.hpp"
#include "permanent/inverse.hpp"
#include "permanent/planar/costs.hpp"
#include "permanent/planar/cpu/elimination_program.hpp"
#include "permanent/planar/cpu/elimination_replay.hpp"
#include "permanent/planar/cpu/real_elimination.hpp"
#include "permanent/planar/cpu/selected_inverse.hpp"
#include "permanent/planar/pfaffian.hpp"
#include "permanent/planar/surface_cut.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {

namespace {

// One of the matrices of the given graph.
struct CutTerm {
  const std::vector<std::int8_t>& orientation;  // by EdgeId
  const EntryTable& table;                      // those of twisted edges times i
  const std::vector<std::uint8_t>& powers;      // SurfaceCut's
};

std::size_t rank_of(std::vector<double> matrix, std::size_t size, const BalancedResidues& modulus) {
  std::size_t rank = 0;
  const auto row = [&](std::size_t i) { return matrix.data() + i * size; };
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t from = rank;
    while (from < size && row(from)[k] == 0) ++from;
    if (from == size) continue;
    if (from != rank) std::swap_ranges(row(rank), row(rank) + size, row(from));
    const double* pivot = row(rank++);
    const double inverse = modulus.inverse(pivot[k]);
    for (std::size_t i = rank; i < size; ++i) {
      const double multiple = modulus.product(row(i)[k], inverse);
      for (std::size_t j = k; multiple != 0 && j < size; ++j)
        row(i)[j] = modulus.minus_product(row(i)[j], multiple, pivot[j]);
    }
  }
  return rank;
}

// The entry of an edge of the cut in a term's matrix, from its row to its column.
double entry_of(const CutTerm& term, const std::vector<std::uint32_t>& residues, EdgeId id,
                const BalancedResidues& modulus) {
  return term.orientation[id] * modulus.number(residues[term.table.places()[id]]);
}
// Powers of i, modulo 4.
std::array<double, 4> powers_of(std::uint64_t root, const BalancedResidues& modulus) {
  return {1, modulus.number(root), -1, -modulus.number(root)};
}

// The program eliminates the cut's graph but for its last node; all arguments outlive this.
class CutInverse {
 public:
  CutInverse(const SurfaceCut& cut, const EliminationProgram& program)
      : cut_(cut),
        skew_(program.skew),
        rows_(program.rows_left),
        columns_(program.skew ? program.rows_left : program.columns_left),
        front_(cut, program.rows_left, program.columns_left),
        size_(front_.vertices.size()) {
    if (skew_) front_.of_column = front_.of_row;
  }

  // Adds `weight` times a term's inverse on what the program left over to `inverse`, and to `sums`, by EdgeId of the
  // given graph, weight K_uv (K^-1)_vu for edges of the cut. `root` is that of -1. False where the prime, below 2^25,
  // divides the term's Pfaffian. O(size^3).
  bool add(const CutTerm& term, std::uint64_t weight, std::uint64_t prime, std::uint64_t root,
           const std::vector<double>& left, std::vector<double>& inverse, std::vector<std::uint32_t>& sums) const {
    const BalancedResidues modulus(prime);
    const std::array<double, 4> powers = powers_of(root, modulus);
    std::vector<double> matrix = matrix_of(term, prime, root, left);
    if (!invert(matrix.data(), size_, size_, modulus)) return false;
    const double factor = modulus.number(weight);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const double power = powers[(term.powers[rows_[r]] + term.powers[columns_[c]]) & 3];
        const double entry = modulus.product(matrix[front_.of_column[c] * size_ + front_.of_row[r]], power);
        double& to = inverse[c * rows_.size() + r];
        to = modulus.reduce(to + modulus.product(entry, factor));
      }
    }
    const std::vector<std::uint32_t> residues = term.table.residues(prime, root);
    for (const auto& [id, u, v] : cut_.cut_edges) {
      const double share = modulus.product(entry_of(term, residues, id, modulus), matrix[v * size_ + u]);
      sums[id] = static_cast<std::uint32_t>((sums[id] + modulus.residue(modulus.product(share, factor))) % prime);
    }
    return true;
  }

  // Says whether the term has no part, modulo the prime, in the sum of any edge: its matrix lacks four ranks or more.
  bool vanishes(const CutTerm& term, std::uint64_t prime, std::uint64_t root, const std::vector<double>& left) const {
    return rank_of(matrix_of(term, prime, root, left), size_, BalancedResidues(prime)) + 4 <= size_;
  }

  double bytes() const { return 8.0 * static_cast<double>(size_ * size_); }

 private:
  std::vector<double> matrix_of(const CutTerm& term, std::uint64_t prime, std::uint64_t root,
                                const std::vector<double>& left) const {
    const BalancedResidues modulus(prime);
    const std::array<double, 4> powers = powers_of(root, modulus);
    std::vector<double> matrix(size_ * size_, 0.0);
    const auto add_entry = [&](std::size_t i, std::size_t j, double entry) {
      double& to = matrix[i * size_ + j];
      to = modulus.reduce(to + entry);
    };
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const double power = powers[(term.powers[rows_[r]] + term.powers[columns_[c]]) & 3];
        const double entry = modulus.product(left[r * columns_.size() + c], power);
        add_entry(front_.of_row[r], front_.of_column[c], entry);
        if (!skew_) add_entry(front_.of_column[c], front_.of_row[r], -entry);
      }
    }
    const std::vector<std::uint32_t> residues = term.table.residues(prime, root);
    for (const auto& [id, u, v] : cut_.cut_edges) {
      add_entry(u, v, entry_of(term, residues, id, modulus));
      add_entry(v, u, -entry_of(term, residues, id, modulus));
    }
    return matrix;
  }

  const SurfaceCut& cut_;
  bool skew_;
  std::vector<Vertex> rows_, columns_;  // left over; skew: the same
  CutFront front_;
  std::size_t size_;
};

__extension__ using Uint128 = unsigned __int128;

// A little more than the primes have that are taken.
constexpr double bits_of_prime = 25;
std::size_t primes_for_bits(double bits) {
  return static_cast<std::size_t>(std::ceil(std::max(bits, 1.0) / bits_of_prime));
}

// Holds the sums of all edges modulo several primes.
struct EdgeSums {
  std::vector<std::uint64_t> primes;
  std::vector<std::vector<std::uint32_t>> residues;  // by prime, by edge
};

// Finds the sums over the matchings with an edge: the edge's share, times the sum over all.
class EdgeSumFinder {
 public:
  // Requires a perfect matching.
  EdgeSumFinder(const UndirectedGraph& graph, const EntryTable& table, double log2_bound, const KasteleynPlan& plan,
                const GraphMatching& matching, const RunContext& run)
      : graph_(graph),
        log2_bound_(log2_bound),
        plan_(plan),
        run_(run),
        table_(std::make_shared<const EntryTable>(table)),
        halves_(plan.surface && !plan.surface->twisted.empty()) {
    if (plan.surface) {
      const auto turned = std::make_shared<const EntryTable>(turned_entries(table, *plan.surface));
      for (std::size_t i = 0; i < plan.surface->terms.size(); ++i)
        if (!halves_ || plan.surface->terms[i].first_half) terms_.push_back(term_of(i, 1, turned, 0));
      for (const Term& term : terms_) total_ += (halves_ ? 2 : 1) * term.value.re;
      total_ /= divisor();
    } else {
      const Integer value = pfaffian_of(plan.orientation, table, 0).re;
      total_ = term_is_negative(graph, plan.orientation, matching.partner) ? -value : value;
    }
  }

  // Returns the sum over all perfect matchings.
  const Integer& total() const { return total_; }

  // Nothing where a Pfaffian is 0, as it is if the entry of an edge of the cut changes, but not with every two vertices
  // less.
  std::optional<EdgeSums> find(double bits) {
    if (plan_.surface) cut_open();
    for (std::size_t i = 0; i < terms_.size(); ++i)
      if (terms_[i].value == GaussianInteger{}) replace(i);
    const UndirectedGraph& graph = cut_ ? cut_->graph : graph_;
    const KasteleynPlan& plan = cut_ ? cut_->plan : plan_;
    for (std::uint64_t limit = elimination_prime_limit; !program_.complete;) {
      const std::uint64_t prime = next_primes(limit, 1).front();
      const std::vector<std::uint32_t> residues = table_->residues(prime, 0);
      program_ = eliminate({graph, table_->places(), residues, plan.orientation, plan.is_column}, plan.dissection,
                           plan.structure, prime, run_, cut_.has_value());
      if (cut_) break;
    }
    inverse_.emplace(program_, graph, *table_, plan.dissection, std::min(run_.options().max_isa, detected_isa()));
    double bytes_of_thread = inverse_->bytes();
    if (cut_) {
      cut_inverse_.emplace(*cut_, program_);
      bytes_of_thread += cut_inverse_->bytes();
    }
    const std::size_t wanted = primes_for_bits(bits);
    const double bytes = 4.0 * static_cast<double>(graph_.num_edges()) * static_cast<double>(wanted) +
                         run_.num_threads() * bytes_of_thread;
    if (bytes > static_cast<double>(run_.memory_limit_bytes())) {
      throw OverLimit("the residues of all edges modulo " + std::to_string(wanted) + " primes need " +
                      memory_amount(bytes) + "; the memory limit is " +
                      memory_amount(static_cast<double>(run_.memory_limit_bytes())));
    }
    EdgeSums sums;
    std::uint64_t limit = elimination_prime_limit;
    // No more than that: what the product of primes passes the total by is lost of a sum's digits.
    for (double missing = bits; missing > 0 || sums.primes.empty();) {
      const std::size_t before = sums.primes.size();
      add_sums(next_primes(limit, primes_for_bits(missing)), sums);
      if (is_lost_) return std::nullopt;
      for (std::size_t i = before; i < sums.primes.size(); ++i)
        missing -= std::log2(static_cast<double>(sums.primes[i])) * (1 - 0x1p-40);
    }
    return sums;
  }

 private:
  struct Term {
    std::size_t number;  // of the surface's
    int coefficient;     // times that
    std::shared_ptr<const EntryTable> table;
    GaussianInteger value;  // the Pfaffian times both
  };

  Integer divisor() const { return Integer(std::int64_t{1} << (plan_.surface ? plan_.surface->log2_divisor : 0)); }

  GaussianInteger pfaffian_of(const std::vector<std::int8_t>& orientation, const EntryTable& table,
                              double log2_more) const {
    KasteleynReport unread;
    return pfaffian({graph_, table, log2_bound_ + log2_more, unread}, orientation, plan_, run_);
  }
  Term term_of(std::size_t number, int coefficient, const std::shared_ptr<const EntryTable>& table,
               double log2_more) const {
    const SurfacePfaffians::Term& term = plan_.surface->terms[number];
    return {number, coefficient, table,
            times(pfaffian_of(term.orientation, *table, log2_more), coefficient * term.re, coefficient * term.im)};
  }

  void cut_open() {
    cut_ = cut_surface(graph_, plan_, run_.options().seed, run_);
    std::vector<GaussianInteger> entries;
    for (const EdgeId id : cut_->edges) entries.push_back(table_->value(table_->places()[id]));
    table_ = std::make_shared<const EntryTable>(entries);
  }

  // Puts the terms of two other entries of an edge of the cut in the place of one that is 0 and has no inverse:
  // Pfaffian and sums are linear functions of the entry, twice those of its double less those of its triple.
  void replace(std::size_t place) {
    constexpr std::size_t most_tries = 3;
    const Term given = terms_[place];
    const std::size_t tries = std::min(most_tries, cut_->cut_edges.size());
    for (std::size_t i = 0; i < tries; ++i) {
      const EdgeId edge = cut_->cut_edges[i * cut_->cut_edges.size() / tries].id;
      const auto with_multiple = [&](int coefficient, int factor) {
        std::vector<GaussianInteger> entries;
        for (const std::uint32_t at : given.table->places()) entries.push_back(given.table->value(at));
        entries[edge] = times(entries[edge], factor, 0);
        return term_of(given.number, coefficient, std::make_shared<const EntryTable>(entries), factor);
      };
      Term doubled = with_multiple(2, 2);
      if (doubled.value == GaussianInteger{}) continue;
      terms_[place] = std::move(doubled);
      terms_.push_back(with_multiple(-1, 3));
      return;
    }
  }

  // The next primes, which have a root of -1 where entries may be complex.
  std::vector<std::uint64_t> next_primes(std::uint64_t& limit, std::size_t count) const {
    std::vector<std::uint64_t> primes;
    for (const auto& modulus : next_moduli(limit, count, false, halves_ ? 4 : 1)) primes.push_back(modulus.prime);
    return primes;
  }

  void add_sums(const std::vector<std::uint64_t>& primes, EdgeSums& sums) const {
    std::vector<std::optional<std::vector<std::uint32_t>>> found(primes.size());
    std::atomic<std::size_t> done{0};
    parallel_for_chunks(run_.num_threads(), primes.size(), [&](std::uint64_t i, int) {
      run_.report("planar", static_cast<double>(done.load()), static_cast<double>(primes.size()));
      found[i] = sums_modulo(primes[i]);
      ++done;
    });
    for (std::size_t i = 0; i < primes.size(); ++i) {
      if (!found[i]) continue;
      sums.primes.push_back(primes[i]);
      sums.residues.push_back(*std::move(found[i]));
    }
  }

  // Nothing if the prime divides a pivot, or the total. Of two conjugate terms, one modulo either root of -1.
  std::optional<std::vector<std::uint32_t>> sums_modulo(std::uint64_t prime) const {
    const std::uint64_t total = residue(total_, prime), root = halves_ ? root_of_minus_one(prime) : 0;
    std::vector<std::uint32_t> sums(graph_.num_edges(), 0);
    InverseOfLeft last;
    if (cut_) {
      if (total == 0) return std::nullopt;
      const std::uint64_t inverse = inverse_mod(total * residue(divisor(), prime) % prime, prime);
      last = [&, inverse](const std::vector<double>& left, std::vector<double>& mean) {
        for (const Term& term : terms_) {
          const CutTerm of_cut{plan_.surface->terms[term.number].orientation, *term.table, cut_->powers[term.number]};
          for (const std::uint64_t i : {root, prime - root}) {
            if (i == prime) break;
            if (term.value == GaussianInteger{}) {
              if (cut_inverse_->vanishes(of_cut, prime, i, left)) continue;
              is_lost_ = true;
              return false;
            }
            const std::uint64_t value = residue(term.value, {prime, i});
            if (!cut_inverse_->add(of_cut, value * inverse % prime, prime, i, left, mean, sums)) return false;
          }
        }
        return true;
      };
    }
    const auto shares = inverse_->shares(prime, 0, last);
    if (!shares) return std::nullopt;
    for (EdgeId edge = 0; edge < shares->size(); ++edge) sums[cut_ ? cut_->edges[edge] : edge] = (*shares)[edge];
    for (std::uint32_t& sum : sums) sum = static_cast<std::uint32_t>(total * sum % prime);
    return sums;
  }

  const UndirectedGraph& graph_;
  double log2_bound_;
  const KasteleynPlan& plan_;
  const RunContext& run_;
  std::shared_ptr<const EntryTable> table_;  // of the graph, or of what the cut leaves of it
  bool halves_;                              // of the terms; the others are conjugate
  std::vector<Term> terms_;                  // in a surface
  Integer total_;
  std::optional<SurfaceCut> cut_;
  EliminationProgram program_;
  std::optional<SelectedInverse> inverse_;
  std::optional<CutInverse> cut_inverse_;
  mutable std::atomic<bool> is_lost_{false};  // a term that is 0 has a part in sums of edges
};

// Recovers the sums s from residues, 0 <= s < P or, as integers, -P/2 < s <= P/2, P being the product of the
// primes p: with c = s (P/p)^-1 modulo p, s/P is the fraction of the sum of all c/p.
class Recovery {
 public:
  explicit Recovery(const EdgeSums& sums) : sums_(sums) {
    for (const std::uint64_t prime : sums.primes) product_ *= prime;
    for (const std::uint64_t prime : sums.primes) {
      cofactors_.push_back(product_ / prime);
      factors_.push_back(inverse_mod(static_cast<std::uint64_t>(cofactors_.back() % prime), prime));
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
    return sums_.residues[i][edge] * factors_[i] % sums_.primes[i];
  }

  const EdgeSums& sums_;
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
  for (const RealEntry& entry : scaled.entries)
    if (!(entry.value.hi >= least)) return std::nullopt;
  std::optional<std::vector<RealShare>> shares = real_shares(scaled, plan, run);
  if (!shares) return std::nullopt;
  for (const RealShare& share : *shares)
    if (!(share.error <= std::min(most_error, most_relative_error * share.value.hi))) return std::nullopt;
  return shares;
}

}  // namespace

std::optional<BlockMarginals<Integer>> marginals_kasteleyn(const GraphBlock<std::int64_t>& block,
                                                           const KasteleynPlan& plan, const RunContext& run) {
  const UndirectedGraph& graph = block.pattern;
  check_fits(graph, block.entries.size(), plan);
  BlockMarginals<Integer> result{0, std::vector<Integer>(graph.num_edges())};
  const GraphMatching matching = maximum_matching(graph, run);
  if (!matching.is_perfect()) return result;
  const EntryTable table(block.entries);
  const double bound = log2_kasteleyn_bound(block, plan);
  EdgeSumFinder finder(graph, table, bound, plan, matching, run);
  result.total = finder.total();
  if (result.total == 0) return std::nullopt;
  const bool positive = std::ranges::all_of(block.entries, [](std::int64_t entry) { return entry >= 0; });
  const auto sums = finder.find((positive ? log2_abs(result.total) : bound) + 2);
  if (!sums) return std::nullopt;
  const Recovery recovery(*sums);
  for_each_edge(graph, run, [&](EdgeId edge) { result.of_edge[edge] = recovery.value(edge); });
  return result;
}

std::optional<BlockMarginals<RealValue>> marginals_kasteleyn(const GraphBlock<RealEntry>& block,
                                                             const KasteleynPlan& plan, const RunContext& run) {
  const UndirectedGraph& graph = block.pattern;
  check_fits(graph, block.entries.size(), plan);
  const RealValue zero{{}, minus_infinity, minus_infinity};
  BlockMarginals<RealValue> result{zero, std::vector<RealValue>(graph.num_edges(), zero)};
  const GraphMatching matching = maximum_matching(graph, run);
  if (!matching.is_perfect()) return result;
  if (std::ranges::any_of(block.entries, [](const RealEntry& entry) { return entry.value.hi < 0; }))
    throw InputError("a negative weight", "weights that are not negative");
  constexpr int bits = 104;
  const FixedPoint numbers = fixed_point(graph, block.entries, bits);
  const EntryTable table(numbers.entries);
  const double matching_size = graph.num_vertices() / 2.0;
  const double bound = static_cast<double>(numbers.exponent) +
                       log2_kasteleyn_bound(graph, magnitudes_of(block.entries), plan) + matching_size * 0x1p-48 + 1e-6;
  EdgeSumFinder finder(graph, table, bound, plan, matching, run);
  const Integer& total = finder.total();
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
  if (!plan.surface && primes_for_bits(log2_abs(total) + 2) > few_primes) {
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
  const auto sums = finder.find(log2_abs(total) + 2);
  if (!sums) return std::nullopt;
  const Recovery recovery(*sums);
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
  namespace costs = planar_costs;
  const double primes = static_cast<double>(primes_for_bits(log2_bound));
  if (!exact && !plan.surface && primes > static_cast<double>(few_primes)) {
    // The total, and one elimination in double-doubles.
    return {(costs::share_of_total * primes *
                 (plan.structure.multiplications * costs::marginal_multiplication_s +
                  plan.structure.entries * costs::marginal_entry_s) +
             plan.structure.multiplications * costs::marginal_pair_multiplication_s) /
                num_threads,
            bytes_of_real_entry * plan.structure.entries};
  }
  const double terms = plan.surface ? static_cast<double>(plan.surface->terms.size()) + 1 : 1;
  return {terms * primes *
              (plan.structure.multiplications * costs::marginal_multiplication_s +
               plan.structure.entries * costs::marginal_entry_s + num_edges * costs::marginal_edge_s) /
              num_threads,
          4 * num_edges * primes + 24 * plan.structure.entries * num_threads};
}

}  // namespace matchcount
