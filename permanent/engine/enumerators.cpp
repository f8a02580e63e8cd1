// If each edge has its label's number for a weight, the sum over matchings is a polynomial in these numbers, and its
// coefficients are the counts. They are found from its values at integers.
//
// In one of these numbers, x, values at coprime x1, x2, ... are enough whose product is larger than all counts: a value
// modulo xi is the first coefficient modulo xi, these together are the coefficient, and what is left is divided by xi.
// All values together have about as many bits as the answer. The numbers of other labels are 1, 2, ..., and
// coefficients come by interpolation (Newton). Where all matchings have as many edges, that of one label tells nothing.
//
// Sums over matchings that need not be perfect take large weights without a loss, in one run: there x is one power of
// two, and all labels have powers of it. So is x where the weights of edges are exponents too large for 64 bits.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/work.hpp"
#include "graph/vertices.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "permanent/engine/answer.hpp"
#include "permanent/engine/big_entries.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/gaussian_integer.hpp"

namespace matchcount {
namespace {

constexpr std::uint32_t no_label = 0xffffffff;
constexpr int bits_of_weight = 62;
constexpr double most_bits = 0x1p31;  // of a value

// Appends the digits of a number, of so many bits each, half by half: one by one would shift all of it for each.
void append_digits(const Integer& value, std::size_t bits, std::size_t count, std::vector<Integer>& digits,
                   const RunContext& run) {
  run.check();
  if (count == 1 || value.sign() == 0) {
    digits.push_back(value);
    digits.resize(digits.size() + count - 1);
    return;
  }
  const std::size_t below = count / 2;
  append_digits(value & ((Integer(1) << (bits * below)) - Integer(1)), bits, below, digits, run);
  append_digits(value >> (bits * below), bits, count - below, digits, run);
}

// Returns the coefficients of a polynomial that has none below 0 and these values: at a power of two alone, or at
// primes.
std::vector<Integer> coefficients_of(std::vector<Integer> values, const std::vector<Integer>& bases,
                                     const RunContext& run) {
  std::vector<Integer> result;
  if (bases.size() == 1 && (bases.front() & (bases.front() - Integer(1))).sign() == 0) {
    if (values.front().sign() == 0) return result;
    const auto bits = static_cast<std::size_t>(log2_abs(bases.front()) + 0.5);
    append_digits(values.front(), bits, static_cast<std::size_t>(log2_abs(values.front())) / bits + 2, result, run);
    while (result.back().sign() == 0) result.pop_back();
    return result;
  }
  std::vector<GaussianModulus> moduli;
  for (const Integer& base : bases) moduli.push_back({static_cast<std::uint64_t>(base), 0});
  const GaussianRemainder remainder(moduli);
  std::vector<std::uint64_t> residues(moduli.size());
  while (std::ranges::any_of(values, [](const Integer& value) { return value.sign() != 0; })) {
    run.check();
    for (std::size_t i = 0; i < moduli.size(); ++i) residues[i] = residue(values[i], moduli[i].prime);
    result.push_back(remainder.value(residues).re);
    for (std::size_t i = 0; i < bases.size(); ++i) values[i] = (values[i] - result.back()) / bases[i];
  }
  return result;
}

// Turns values at 1, 2, ... into coefficients.
void interpolate(const std::vector<Integer*>& values) {
  const std::size_t n = values.size();
  for (std::size_t k = 1; k < n; ++k)
    for (std::size_t i = n - 1; i >= k; --i) *values[i] = (*values[i] - *values[i - 1]) / Integer(k);
  for (std::size_t k = n - 1; k-- > 0;)
    for (std::size_t i = k; i + 1 < n; ++i) *values[i] -= Integer(k + 1) * *values[i + 1];
}

template <class Graph>
class Enumerator {
 public:
  Enumerator(const Graph& graph, const Question& question, Until until)
      : pattern_(graph.pattern()),
        question_(question),
        until_(until),
        run_(context_of(question.options.run, nullptr, until)),
        pairs_(maximum_matching(pattern_, run_).size),
        is_of_one_size_(!policy_of(question.matchings).of_every_size),
        is_perfect_(is_of_one_size_ && 2 * std::size_t{pairs_} == num_vertices(pattern_)) {
    question_.by_weight ? take_weights(graph) : take_labels();
  }

  MatchingResult answer() {
    MatchingResult result = matchcount::answer(asked(pattern_, question_.options, false), nullptr, until_);
    const bool is_planned = until_ != Until::value;
    const bool is_none = is_planned
                             ? !result.run.plan.has_perfect_matching() &&
                                   (question_.matchings == MatchingKind::perfect || result.run.plan.hall_violator)
                             : std::get<Integer>(result.run.value).sign() == 0;
    if (is_none) return result;
    choose_numbers(is_planned ? log2_bound() : log2_abs(std::get<Integer>(result.run.value)) + 1e-6);
    if (is_planned) {
      result.run.plan = value_at(most_, bases_.front(), 0).run.plan;
      repeat(result.run.plan, num_runs_);
      return result;
    }
    collect(result.by_label);
    Integer sum = 0;
    bool is_right = true;
    for (const CountOfLabels& one : result.by_label) {
      sum += one.count;
      is_right = is_right && one.count.sign() > 0;
    }
    if (!is_right || sum != std::get<Integer>(result.run.value))
      throw Error("counts by labels that do not add up; please report this graph");
    result.run.time_s.count = run_.elapsed_s() - result.run.time_s.structure - result.run.time_s.order;
    result.run.time_s.total = run_.elapsed_s();
    return result;
  }

 private:
  Question asked(const Graph& graph, const CountOptions& options, bool weighted) const {
    Question result{&graph, options, question_.matchings, weighted};
    result.always_matched = question_.always_matched;
    return result;
  }

  // Takes the numbers of edges of each label as exponents of x, one of them, or all like the digits of a number.
  void take_labels() {
    const std::vector<std::uint32_t>& labels = *question_.labels;
    if (labels.size() != pattern_.num_edges()) throw InputError("another number of labels", "one for each edge");
    for (const std::uint32_t label : labels) {
      if (label > labels.size()) throw InputError("a label " + std::to_string(label), "none above the edges' number");
      if (label >= most_.size()) most_.resize(label + std::size_t{1}, 0);
    }
    std::vector<std::uint32_t> order(most_.size());
    for (std::uint32_t label = 0; label < most_.size(); ++label) {
      std::vector<bool> keep;
      for (const std::uint32_t other : labels) keep.push_back(other == label);
      if (std::ranges::count(keep, true) > 0) most_[label] = maximum_matching(pattern_.filtered(keep), run_).size;
    }
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t label) { return most_[label]; });
    while (!order.empty() && most_[order.back()] == 0) order.pop_back();
    is_in_grid_.assign(most_.size(), false);
    std::vector<std::int64_t> exponents(most_.size(), 0);
    for (const std::uint32_t label : order) {
      if (is_of_one_size_ && implied_ == no_label) {
        implied_ = label;
      } else if (is_perfect_ && !in_x_.empty()) {
        grid_.push_back(label);
        is_in_grid_[label] = true;
      } else {
        in_x_.push_back(label);
        exponents[label] = static_cast<std::int64_t>(std::min(degree_ + 1, most_bits));  // more is refused
        degree_ = (degree_ + 1) * (most_[label] + 1.0) - 1;
      }
    }
    for (const std::uint32_t label : labels) exponents_.push_back(exponents[label]);
  }

  // Takes weights as exponents of x: those above the least where as many edges are in all matchings. Else, where some
  // are negative, vertices that are left alone have exponents as well.
  void take_weights(const Graph& graph) {
    const auto* integers = std::get_if<std::vector<std::int64_t>>(&graph.weights());
    if (!integers && graph.weight_kind() != WeightKind::none)
      throw InputError("weights that are not integers, to count by", "integers");
    constexpr std::int64_t most = std::int64_t{1} << 40;
    exponents_ = integers ? *integers : std::vector<std::int64_t>(graph.num_edges(), 1);
    if (exponents_.empty()) return;
    const auto [low, high] = std::ranges::minmax(exponents_);
    if (low < -most || high > most) throw InputError("a weight beyond 2^40, to count by", "smaller integers");
    least_ = is_of_one_size_ ? low : std::min<std::int64_t>(low, 0);
    unit_ = 0;
    for (const std::int64_t weight : exponents_) unit_ = std::gcd(unit_, weight - (is_of_one_size_ ? least_ : 0));
    unit_ = std::max<std::int64_t>(unit_, 1);
    for (std::int64_t& weight : exponents_) weight = (weight - (is_of_one_size_ ? 1 : 2) * least_) / unit_;
    degree_ = static_cast<double>(std::ranges::max(exponents_)) * pairs_;
    if (!is_of_one_size_) degree_ += static_cast<double>(-least_ / unit_) * static_cast<double>(num_vertices(pattern_));
  }

  // Bounds log2 of the number of matchings: of v's partners or none, for every v, each matching is told twice.
  double log2_bound() const {
    std::vector<double> choices(num_vertices(pattern_), 1);
    for_each_edge(pattern_, [&](Vertex u, Vertex v, EdgeId) {
      ++choices[u];
      ++choices[v];
    });
    double sum = 0;
    for (const double number : choices) sum += std::log2(number) / 2;
    return sum;
  }

  // Chooses the numbers for x, and counts the runs. Where numbers of other labels are not 1, coefficients are larger.
  void choose_numbers(double log2_count) {
    log2_count_ = log2_count;
    double places = 1;
    for (const std::uint32_t label : grid_) places *= most_[label] + 1.0;
    const std::int64_t highest = exponents_.empty() ? 0 : std::ranges::max(exponents_);
    const int bits = static_cast<int>(log2_largest(most_)) + 2;
    if (degree_ * bits > most_bits)
      throw Unable("sums of weights that differ too much, or too many labels: numbers of " +
                   std::to_string(degree_ * bits) + " bits");
    require_memory("the counts by all labels", places * (degree_ + 1) * (sizeof(Integer) + bits / 8.0), run_);
    const auto of_prime = static_cast<int>(bits_of_weight / std::max<std::int64_t>(highest, 1));
    const bool are_enough = of_prime >= 24 || (of_prime >= 12 && bits < 1000);
    if (bits > of_prime && are_enough && is_perfect_)
      for (const GaussianModulus modulus : moduli_for(bits, std::uint64_t{1} << of_prime, of_prime - 1, false))
        bases_.emplace_back(modulus.prime);
    else
      bases_.push_back(Integer(1) << static_cast<std::size_t>(bits));
    std::vector<std::uint32_t> place(most_.size(), 0);
    do {
      run_.check();
      num_runs_ += bases_at(place).size();
    } while (next(place));
  }

  // Goes on to the next numbers of the grid's labels, by label and less 1; false behind the last.
  bool next(std::vector<std::uint32_t>& place) const {
    for (const std::uint32_t label : grid_) {
      if (place[label]++ < most_[label]) return true;
      place[label] = 0;
    }
    return false;
  }
  // Bounds log2 of the coefficients of x there.
  double log2_largest(const std::vector<std::uint32_t>& place) const {
    double result = log2_count_;
    for (const std::uint32_t label : grid_) result += most_[label] * std::log2(place[label] + 1.0);
    return result;
  }
  std::vector<Integer> bases_at(const std::vector<std::uint32_t>& place) const {
    double bits = log2_largest(place) + 1.01;
    std::size_t count = 0;
    for (; count < bases_.size() && bits >= 0; ++count) bits -= log2_abs(bases_[count]);
    return {bases_.begin(), bases_.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  // Returns the sum, or its plan, where the numbers of the labels of the grid are one more than `place` says.
  MatchingResult value_at(const std::vector<std::uint32_t>& place, const Integer& base, std::size_t run) const {
    std::map<std::int64_t, Integer> powers;
    std::map<Integer, std::int64_t> places;
    std::vector<Rational> table;
    std::vector<std::int64_t> words, in_table;
    for (EdgeId id = 0; id < exponents_.size(); ++id) {
      Integer& power = powers[exponents_[id]];
      if (power.sign() == 0) power = pow(base, static_cast<unsigned>(exponents_[id]));
      Integer weight = power;
      if (!grid_.empty() && is_in_grid_[(*question_.labels)[id]]) weight = place[(*question_.labels)[id]] + 1;
      const auto [at, is_new] = places.try_emplace(weight, static_cast<std::int64_t>(table.size()));
      if (is_new) table.push_back(weight);
      in_table.push_back(at->second);
    }
    const bool are_words = places.empty() || places.rbegin()->first < Integer(1) << std::size_t{63};
    for (const std::int64_t at : in_table)
      if (are_words) words.push_back(static_cast<std::int64_t>(numerator(table[static_cast<std::size_t>(at)])));
    if (are_words) table.clear();
    const Graph graph = pattern_.with_weights(are_words ? std::move(words) : std::move(in_table));
    CountOptions options = options_of_run(question_.options, run, num_runs_, run_);
    options.value_only = until_ == Until::value;
    options.wants_order = false;
    const Rational activity = is_of_one_size_ ? Integer(1) : pow(base, static_cast<unsigned>(-least_ / unit_));
    Question question = asked(graph, options, true);
    question.fractions = table;
    question.activity = &activity;
    return matchcount::answer(question, nullptr, until_);
  }

  void collect(std::vector<CountOfLabels>& result) const {
    std::vector<std::vector<Integer>> found;
    std::vector<std::uint32_t> place(most_.size(), 0);
    std::size_t run = 0, terms = 0;
    do {
      const std::vector<Integer> bases = bases_at(place);
      std::vector<Integer> values;
      for (const Integer& base : bases) {
        run_.check();
        values.push_back(std::get<Integer>(value_at(place, base, run++).run.value));
      }
      found.push_back(coefficients_of(std::move(values), bases, run_));
      terms = std::max(terms, found.back().size());
    } while (next(place));
    for (auto& of_place : found) of_place.resize(terms);
    std::size_t stride = 1;
    for (const std::uint32_t label : grid_) {
      const std::size_t length = most_[label] + std::size_t{1};
      for (std::size_t first = 0; first < found.size(); ++first) {
        if (first / stride % length != 0) continue;
        run_.check();
        for (std::size_t k = 0; k < terms; ++k) {
          std::vector<Integer*> values;
          for (std::size_t i = 0; i < length; ++i) values.push_back(&found[first + i * stride][k]);
          interpolate(values);
        }
      }
      stride *= length;
    }
    std::size_t at = 0;
    do {
      for (std::size_t k = 0; k < terms; ++k)
        if (found[at][k].sign() != 0) result.push_back({numbers_of(place, k), std::move(found[at][k])});
      ++at;
    } while (next(place));
    std::ranges::sort(result, {}, &CountOfLabels::numbers);
  }

  std::vector<std::int64_t> numbers_of(const std::vector<std::uint32_t>& place, std::size_t exponent) const {
    auto power = static_cast<std::int64_t>(exponent);
    if (question_.by_weight)
      return {power * unit_ + least_ * static_cast<std::int64_t>(is_of_one_size_ ? pairs_ : num_vertices(pattern_))};
    std::vector<std::int64_t> numbers(most_.size(), 0);
    for (const std::uint32_t label : grid_) numbers[label] = place[label];
    for (const std::uint32_t label : in_x_) {
      numbers[label] = power % (most_[label] + std::int64_t{1});
      power /= most_[label] + std::int64_t{1};
    }
    if (implied_ != no_label)
      numbers[implied_] = static_cast<std::int64_t>(pairs_) - std::reduce(numbers.begin(), numbers.end());
    return numbers;
  }

  const Graph pattern_;
  const Question& question_;
  Until until_;
  RunContext run_;
  Vertex pairs_;                            // in a largest matching
  bool is_of_one_size_;                     // all matchings are
  bool is_perfect_;                         // all matchings are
  std::vector<std::int64_t> exponents_;     // of x, by EdgeId
  double degree_ = 0;                       // in x
  std::int64_t least_ = 0, unit_ = 1;       // of weights: an edge has least + unit * exponent
  std::vector<std::uint32_t> most_;         // by label: edges of it that a matching may have
  std::uint32_t implied_ = no_label;        // a label
  std::vector<std::uint32_t> in_x_, grid_;  // the other labels
  std::vector<bool> is_in_grid_;            // by label
  double log2_count_ = 0;                   // of all matchings
  std::vector<Integer> bases_;              // for x
  std::size_t num_runs_ = 0;
};

}  // namespace

MatchingResult enumerate(const Question& question, Work* work, Until until) {
  if (question.labels && question.by_weight) throw InputError("labels and weights", "one of them to count by");
  const Policy& policy = policy_of(question.matchings);
  if (question.matchings == MatchingKind::by_size || policy.parts == Policy::Parts::tight)
    throw InputError("labels or weights to count by, of " + std::string(to_string(question.matchings)) + " matchings",
                     "perfect, maximum, saturating, all or maximal matchings");
  if (question.weighted || !question.fractions.empty())
    throw InputError("sums of weights by labels", "counts: weights are not multiplied there");
  if (question.loops || (question.activity && *question.activity != 1))
    throw InputError("weights of unmatched vertices with labels or weights to count by", "counts without them");
  if (work && until == Until::value && (work->num_ranks() > 1 || work->keeps()))
    throw Unable("counts by labels are neither shared by ranks nor kept in a checkpoint");
  return std::visit([&](const auto* graph) { return Enumerator(*graph, question, until).answer(); }, question.graph);
}

}  // namespace matchcount
