#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>

#include "core/numbers/residue.hpp"
#include "graph/vertices.hpp"
#include "permanent/as_held.hpp"
#include "permanent/inverse.hpp"
#include "permanent/low_rank/costs.hpp"
#include "permanent/low_rank/rank_sum.hpp"
#include "permanent/residue_sum.hpp"
#include "permanent/rooms.hpp"

namespace matchcount {

namespace {

// A = C B^-1 R, C being the pivots' columns, R their rows and B the minor where these cross. It is so if B's
// determinant times the difference is 0, whose entries are minors of one row and column more: modulo primes of a
// product beyond Hadamard's bound on those.
//
// Monomials without the first variable, ordered by degree, have the same numbers for all n: times the first variable a
// monomial of a higher degree keeps its number, and next(m, i) is that of m times another variable.

using Residues = std::vector<std::uint32_t>;

std::uint32_t inverse_of(const MontgomeryModulus& modulus, std::uint32_t value) {
  return modulus.form(static_cast<std::int64_t>(inverse_mod(modulus.reduced(value), modulus.prime)));
}

// Subtracts `factor` times one line from another.
void subtract(const MontgomeryModulus& modulus, std::uint32_t factor, std::span<const std::uint32_t> from,
              std::span<std::uint32_t> line) {
  const std::uint32_t minus = factor == 0 ? 0 : modulus.prime - factor;
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = modulus.plus(line[i], modulus.times(minus, from[i]));
}

// Computes in a matrix that is inverted (permanent/inverse.hpp).
struct MontgomeryField {
  const MontgomeryModulus& modulus;
  std::uint32_t one() const { return modulus.form(1); }
  static double size(std::uint32_t value) { return value == 0 ? 0 : 1; }
  std::uint32_t inverse(std::uint32_t value) const { return inverse_of(modulus, value); }
  std::uint32_t product(std::uint32_t a, std::uint32_t b) const { return modulus.times(a, b); }
  std::uint32_t minus_product(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return modulus.plus(a, modulus.times(modulus.prime - b, c));
  }
};

class Monomials {
 public:
  Monomials(std::size_t degree, std::size_t num_variables) : others_(num_variables - 1) {
    exponents_.assign(others_, 0);
    degree_.push_back(0);
    for (std::size_t first = 0, d = 0; d <= degree; ++d) {
      const std::size_t end = degree_.size();
      ends_.push_back(end);
      if (d == degree) break;
      // Each of the next degree once: by its last variable.
      for (std::size_t m = first; m < end; ++m) {
        for (std::size_t i = last_variable(m); i < others_; ++i) {
          for (std::size_t j = 0; j < others_; ++j) exponents_.push_back(exponents_[m * others_ + j] + (i == j));
          degree_.push_back(static_cast<std::uint32_t>(d + 1));
        }
      }
      first = end;
    }
    link();
  }

  std::size_t up_to(std::size_t degree) const { return ends_[degree]; }
  std::uint32_t next(std::size_t m, std::size_t variable) const { return next_[m * others_ + variable]; }
  std::uint32_t degree(std::size_t m) const { return degree_[m]; }
  std::span<const std::uint32_t> exponents(std::size_t m) const {
    return std::span(exponents_).subspan(m * others_, others_);
  }

 private:
  std::size_t last_variable(std::size_t m) const {
    std::size_t last = others_ == 0 ? 0 : others_ - 1;
    while (last > 0 && exponents_[m * others_ + last] == 0) --last;
    return last;
  }
  // Monomials of a degree stand in descending order of their exponents.
  void link() {
    next_.resize(ends_.size() < 2 ? 0 : ends_[ends_.size() - 2] * others_);
    std::vector<std::uint32_t> wanted(others_);
    for (std::size_t m = 0; m * others_ < next_.size(); ++m) {
      for (std::size_t i = 0; i < others_; ++i) {
        std::ranges::copy(exponents(m), wanted.begin());
        ++wanted[i];
        std::size_t low = ends_[degree_[m]], high = ends_[degree_[m] + std::size_t{1}];
        while (high - low > 1) {
          const std::size_t middle = (low + high) / 2;
          (std::ranges::lexicographical_compare(exponents(middle), wanted) ? high : low) = middle;
        }
        next_[m * others_ + i] = static_cast<std::uint32_t>(low);
      }
    }
  }

  std::size_t others_;
  std::vector<std::uint32_t> exponents_, degree_, next_;
  std::vector<std::size_t> ends_;  // of degrees
};

// Returns the coefficients of the product of these linear forms.
Residues product_of_forms(const MontgomeryModulus& modulus, const Monomials& monomials, const Residues& forms,
                          std::size_t rank, const RunContext& run) {
  const std::size_t size = forms.size() / rank;
  Residues product(monomials.up_to(size), 0);
  product[0] = modulus.form(1);
  for (std::size_t k = 0; k < size; ++k) {
    if (k % 16 == 0) run.check();
    const std::uint32_t* form = forms.data() + k * rank;
    for (std::size_t m = monomials.up_to(k); m-- > 0;) {
      const std::uint32_t value = product[m];
      product[m] = modulus.times(value, form[0]);
      for (std::size_t i = 1; i < rank; ++i) {
        std::uint32_t& to = product[monomials.next(m, i - 1)];
        to = modulus.plus(to, modulus.times(value, form[i]));
      }
    }
  }
  return product;
}

// The linear forms of rows and of columns modulo a prime, size x rank each.
struct Forms {
  Residues of_rows, of_columns;
};
std::optional<Forms> forms_of(const SquareMatrix& matrix, const Pivots& pivots, const MontgomeryModulus& modulus) {
  const std::size_t rank = pivots.rows.size();
  Residues minor;
  for (const Vertex row : pivots.rows)
    for (const Vertex column : pivots.columns) minor.push_back(modulus.form(matrix.at(row, column)));
  if (!invert(minor.data(), rank, rank, MontgomeryField{modulus})) return std::nullopt;
  Forms forms;
  for (std::size_t i = 0; i < matrix.size; ++i)
    for (const Vertex column : pivots.columns) forms.of_rows.push_back(modulus.form(matrix.at(i, column)));
  for (std::size_t j = 0; j < matrix.size; ++j) {
    for (std::size_t k = 0; k < rank; ++k) {
      std::uint32_t sum = 0;
      for (std::size_t l = 0; l < rank; ++l)
        sum = modulus.plus(sum, modulus.times(minor[k * rank + l], modulus.form(matrix.at(pivots.rows[l], j))));
      forms.of_columns.push_back(sum);
    }
  }
  return forms;
}

bool is_product(const SquareMatrix& matrix, const Forms& forms, const MontgomeryModulus& modulus,
                const RunContext& run) {
  const std::size_t rank = forms.of_rows.size() / matrix.size;
  for (std::size_t i = 0; i < matrix.size; ++i) {
    if (i % 64 == 0) run.check();
    for (std::size_t j = 0; j < matrix.size; ++j) {
      std::uint32_t sum = 0;
      for (std::size_t k = 0; k < rank; ++k)
        sum = modulus.plus(sum, modulus.times(forms.of_rows[i * rank + k], forms.of_columns[j * rank + k]));
      if (sum != modulus.form(matrix.at(i, j))) return false;
    }
  }
  return true;
}

std::uint64_t permanent_modulo(const Forms& forms, const Monomials& monomials, const MontgomeryModulus& modulus,
                               const RunContext& run, std::size_t size) {
  const std::size_t rank = forms.of_rows.size() / size;
  const Residues of_rows = product_of_forms(modulus, monomials, forms.of_rows, rank, run),
                 of_columns = product_of_forms(modulus, monomials, forms.of_columns, rank, run);
  Residues factorial{modulus.form(1)};
  for (std::size_t k = 1; k <= size; ++k)
    factorial.push_back(modulus.times(factorial.back(), modulus.form(static_cast<std::int64_t>(k))));
  std::uint32_t sum = 0;
  for (std::size_t m = 0; m < of_rows.size(); ++m) {
    std::uint32_t term = modulus.times(modulus.times(of_rows[m], of_columns[m]), factorial[size - monomials.degree(m)]);
    for (const std::uint32_t exponent : monomials.exponents(m)) term = modulus.times(term, factorial[exponent]);
    sum = modulus.plus(sum, term);
  }
  return modulus.reduced(sum);
}

namespace costs = low_rank_costs;

// Ranks are looked for up to here; sparse matrices have others.
constexpr std::size_t most_rank = 12;
constexpr double least_share_of_cells = 0.5, most_monomials = 1e8;

struct LowRankPlan : MethodPlan {
  AnyBlock block;
  SquareMatrix matrix;
  Pivots pivots;
  std::int64_t exponent = 0;
  double log2_bound = 0;
};

double seconds_of(std::size_t size, std::size_t rank, double log2_bound) {
  return costs::count_s + costs::multiplication_s * multiplications_of_low_rank(size, rank) *
                              static_cast<double>(num_sum_primes(log2_bound));
}

std::shared_ptr<LowRankPlan> low_rank_plan(const AnyBlock& block, double useful_s, const RunContext& run) {
  auto words = words_as_held(block);
  if (!words) return nullptr;
  auto plan = std::make_shared<LowRankPlan>();
  const BipartiteGraph& pattern = *pattern_of(block).bipartite;
  plan->matrix = {pattern.num_rows(),
                  std::vector<std::int64_t>(std::size_t{pattern.num_rows()} * pattern.num_rows(), 0)};
  for_each_edge(pattern, [&](Vertex row, Vertex column, EdgeId id) {
    plan->matrix.entries[row * plan->matrix.size + column - pattern.num_rows()] = words->entries[id];
  });
  plan->log2_bound = words->log2_bound;
  std::size_t most = 0;
  while (most < most_rank && monomials_of_low_rank(plan->matrix.size, most + 1) <= most_monomials &&
         seconds_of(plan->matrix.size, most + 1, plan->log2_bound) < std::min(costs::most_s, useful_s))
    ++most;
  auto pivots = pivots_of(plan->matrix, most, run);
  if (!pivots) return nullptr;
  plan->block = block;
  plan->exponent = words->exponent;
  plan->pivots = *std::move(pivots);
  return plan;
}

Planned plan(const PlanRequest& request, const RunContext& run) {
  if (!pattern_of(request.block).bipartite) return {nullptr, "the block has odd cycles; low-rank takes bipartite ones"};
  const BipartiteGraph& pattern = *pattern_of(request.block).bipartite;
  const double cells = static_cast<double>(pattern.num_rows()) * pattern.num_rows();
  if (static_cast<double>(pattern.num_edges()) < least_share_of_cells * cells)
    return {nullptr, "fewer than half of all edges are there"};
  if (!run.has_memory_for(8 * cells)) return {nullptr, "no memory to look at the rank"};
  auto found = low_rank_plan(request.block, std::max(request.useful_s, costs::a_moment_s), run);
  if (!found) return {nullptr, "the rank is too high, or entries are complex or of more than 63 bits"};
  return {std::move(found), {}};
}

std::optional<Cost> cost(const AnyBlock&, const MethodPlan& given, const NumberType&, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  const auto& plan = static_cast<const LowRankPlan&>(given);
  const std::size_t size = plan.matrix.size, rank = plan.pivots.rows.size();
  const double primes = static_cast<double>(num_sum_primes(plan.log2_bound));
  Cost result;
  result.log2_operations = std::log2(multiplications_of_low_rank(size, rank) * primes);
  result.seconds =
      seconds_of(size, rank, plan.log2_bound) / std::min<double>(primes, machine.num_threads * machine.num_ranks);
  result.memory_bytes =
      monomials_of_low_rank(size, rank) * (8.0 * static_cast<double>(rank) + 8 * machine.num_threads) +
      8.0 * static_cast<double>(size) * static_cast<double>(size);
  result.description =
      "rank " + std::to_string(rank) + ", " + std::to_string(num_sum_primes(plan.log2_bound)) + " primes";
  return result;
}

Value run_low_rank(const RunRequest& request, const RunContext& run) {
  const auto* plan = static_cast<const LowRankPlan*>(&request.plan);
  // A check may ask for the same block with other numbers.
  std::shared_ptr<LowRankPlan> other;
  if (request.block != plan->block) {
    other = low_rank_plan(request.block, costs::most_s, run);
    plan = other.get();
  }
  const auto value = plan ? permanent_of_low_rank(plan->matrix, plan->pivots, plan->log2_bound, run) : std::nullopt;
  if (!value) throw CannotGoOn("the rank is too high for the method low-rank");
  return value_as_held(*value, plan->exponent, request.block);
}

}  // namespace

std::optional<Pivots> pivots_of(const SquareMatrix& matrix, std::size_t most, const RunContext& run) {
  const MontgomeryModulus modulus(primes_below(sum_prime_limit, 1).front());
  Pivots pivots;
  std::vector<Residues> kept;  // lines with a 1 in their pivot's column and 0 in those before
  for (std::size_t i = 0; i < matrix.size; ++i) {
    run.check();
    Residues line;
    for (std::size_t j = 0; j < matrix.size; ++j) line.push_back(modulus.form(matrix.at(i, j)));
    for (std::size_t k = 0; k < kept.size(); ++k) subtract(modulus, line[pivots.columns[k]], kept[k], line);
    const auto pivot = std::ranges::find_if(line, [](std::uint32_t value) { return value != 0; });
    if (pivot == line.end()) continue;
    if (kept.size() == most) return std::nullopt;
    pivots.rows.push_back(static_cast<Vertex>(i));
    pivots.columns.push_back(static_cast<Vertex>(pivot - line.begin()));
    const std::uint32_t inverse = inverse_of(modulus, *pivot);
    for (std::uint32_t& value : line) value = modulus.times(value, inverse);
    kept.push_back(std::move(line));
  }
  if (kept.empty() && matrix.size > 0) return std::nullopt;
  return pivots;
}

std::optional<Integer> permanent_of_low_rank(const SquareMatrix& matrix, const Pivots& pivots, double log2_bound,
                                             const RunContext& run) {
  const std::size_t rank = pivots.rows.size();
  if (rank == 0) return 1;
  double largest = 1;
  for (const std::int64_t entry : matrix.entries) largest = std::max(largest, std::fabs(static_cast<double>(entry)));
  const double size_of_minor = static_cast<double>(rank + 1);
  const std::size_t proving = num_sum_primes(size_of_minor * (std::log2(largest) + std::log2(size_of_minor) / 2) + 1),
                    wanted = std::max(num_sum_primes(log2_bound), proving);
  std::vector<std::uint64_t> primes;
  for (std::uint64_t limit = sum_prime_limit; primes.size() < wanted;) {
    limit = primes_below(limit, 1).front();
    const MontgomeryModulus modulus(limit);
    const auto forms = forms_of(matrix, pivots, modulus);
    if (!forms) continue;
    if (primes.size() < proving && !is_product(matrix, *forms, modulus, run)) return std::nullopt;
    primes.push_back(limit);
  }
  const Monomials monomials(matrix.size, rank);
  return sum_of_residues(
      "low-rank", "permanent of rank " + std::to_string(rank), primes, 1,
      [&](std::size_t, std::span<const std::uint64_t> group) {
        std::vector<std::uint64_t> residues;
        for (const std::uint64_t prime : group) {
          const MontgomeryModulus modulus(prime);
          residues.push_back(
              permanent_modulo(*forms_of(matrix, pivots, modulus), monomials, modulus, run, matrix.size));
        }
        return residues;
      },
      run);
}

double monomials_of_low_rank(std::size_t size, std::size_t rank) {
  double count = 1;
  for (std::size_t i = 1; i < rank; ++i) count *= static_cast<double>(size + i) / static_cast<double>(i);
  return count;
}

double multiplications_of_low_rank(std::size_t size, std::size_t rank) {
  const auto n = static_cast<double>(size), r = static_cast<double>(rank);
  return 2 * n * monomials_of_low_rank(size, rank) + 2 * n * r * r;  // each of r in n products, of size / r on average
}

MethodVerbs low_rank_method() {
  return {.plan = plan,
          .cost = cost,
          .run = run_low_rank,
          .scale = &Throughput::frontier_scale,
          .takes_odd_cycles = false,
          .searches = true};
}

}  // namespace matchcount
