// The order is greedy: the vertex comes next after which the fewest states can be. Classes are told apart by sums of
// random numbers over the neighbours ahead, times weights: with two such sums proportional lists have equal quotients.
// Two vertices join one class only after a comparison neighbour by neighbour, so that equal sums by chance do no harm.
//
// In a bipartite graph as many rows are free, less free columns, as rows were processed, less columns: one class is
// determined by the others.

#include "permanent/classes/class_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "core/numbers/residue.hpp"
#include "core/random.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t prime = mersenne_61;
// Comparisons for the choice of one vertex, beyond which not all of those that are left are looked at.
constexpr std::size_t most_comparisons = 200'000;
// A state has a digit for each class.
constexpr double log2_most_numbers = 62;

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return multiply_mod_mersenne_61(a, b); }

// The neighbours ahead of a vertex, as far as they tell it from others.
struct Ahead {
  std::uint32_t degree = 0;
  std::uint64_t first = 0, second = 0;  // sums
  void lose(std::uint64_t by_first, std::uint64_t by_second, std::int64_t weight) {
    const std::uint64_t w = residue_of(weight, prime);
    first = (first + prime - times(by_first, w)) % prime;
    second = (second + prime - times(by_second, w)) % prime;
    --degree;
  }
  bool is_like(const Ahead& other) const {
    return degree == other.degree && times(first, other.second) == times(second, other.first);
  }
};

class Search {
 public:
  Search(const ClassGraph& graph, double most_transitions, const RunContext& run)
      : graph_(graph),
        run_(run),
        most_transitions_(most_transitions),
        ahead_(graph.edges.size()),
        done_(ahead_.size()) {
    Random random(1, 0x636c);
    for (std::size_t v = 0; v < ahead_.size(); ++v) {
      first_.push_back(random.below(prime));
      second_.push_back(random.below(prime));
    }
    for (std::size_t v = 0; v < ahead_.size(); ++v) {
      for (const ClassGraph::Edge& edge : graph.edges[v]) {
        const std::uint64_t w = residue_of(edge.weight, prime);
        ahead_[v].first = (ahead_[v].first + times(first_[edge.to], w)) % prime;
        ahead_[v].second = (ahead_[v].second + times(second_[edge.to], w)) % prime;
      }
      ahead_[v].degree = static_cast<std::uint32_t>(graph.edges[v].size());
    }
  }

  std::optional<ClassSteps> take() {
    ClassSteps result;
    for (std::size_t t = 0; t < ahead_.size(); ++t) {
      run_.check();
      const auto vertex = next();
      if (!vertex) return std::nullopt;
      result.steps.push_back(process(*vertex));
      result.most_classes = std::max(result.most_classes, classes_.size());
    }
    if (!size_up(result)) return std::nullopt;
    return result;
  }

 private:
  struct Members {
    Vertex like = 0;  // with whose weights theirs are in proportion
    std::uint32_t size = 1;
    std::vector<std::int64_t> weight;  // by vertex; those ahead have no common factor, the first is above 0
  };

  static double most_free(std::uint32_t members, std::uint32_t degree) { return std::min(members, degree); }

  // log2 of about the number of states after a vertex.
  double log2_states_after(Vertex v) {
    groups_.clear();
    const auto add = [&](const Ahead& ahead, std::uint32_t members) {
      if (ahead.degree == 0) return;
      for (auto& [of, size] : groups_) {
        if (!of.is_like(ahead)) continue;
        size += members;
        return;
      }
      groups_.push_back({ahead, members});
    };
    for (const Members& members : classes_) {
      Ahead ahead = ahead_[members.like];
      if (const std::int64_t weight = members.weight[v]) ahead.lose(first_[v], second_[v], weight);
      add(ahead, members.size);
    }
    add(ahead_[v], 1);
    double product = 0, most = 0;
    for (const auto& [of, size] : groups_) {
      const double digits = std::log2(1 + most_free(size, of.degree));
      product += digits;
      most = std::max(most, digits);
    }
    if (product > log2_most_numbers) return std::numeric_limits<double>::infinity();
    return graph_.bipartite ? product - most : product;
  }

  std::optional<Vertex> next() {
    const std::size_t n = done_.size();
    const std::size_t cost = (classes_.size() + 1) * (classes_.size() + 1);
    const std::size_t looks = std::max<std::size_t>(64, most_comparisons / cost);
    double least = std::numeric_limits<double>::infinity();
    std::optional<Vertex> best;
    std::size_t looked = 0;
    for (std::size_t i = 0; i < n && looked < looks; ++i) {
      // Rows and columns in turn.
      const auto v = static_cast<Vertex>(graph_.bipartite ? i / 2 + (i % 2) * (n / 2) : i);
      if (done_[v]) continue;
      ++looked;
      const double states = log2_states_after(v);
      if (states > least || (states == least && best && ahead_[v].degree <= ahead_[*best].degree)) continue;
      least = states;
      best = v;
    }
    if (std::exp2(least) > most_transitions_) return std::nullopt;
    return best;
  }

  // Divides the weights ahead by their common factor, and returns it.
  std::int64_t take_factor(std::vector<std::int64_t>& weight) const {
    std::int64_t factor = 0;
    bool is_turned = false;
    for (std::size_t u = 0; u < done_.size(); ++u) {
      if (done_[u] || weight[u] == 0) continue;
      if (factor == 0) is_turned = weight[u] < 0;
      factor = std::gcd(factor, weight[u]);
      if (factor == 1) break;
    }
    if (is_turned) factor = -factor;
    if (factor != 1)
      for (std::size_t u = 0; u < done_.size(); ++u)
        if (!done_[u]) weight[u] /= factor;
    return factor;
  }
  bool are_equal(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) const {
    for (std::size_t u = 0; u < done_.size(); ++u)
      if (!done_[u] && a[u] != b[u]) return false;
    return true;
  }

  ClassStep process(Vertex v) {
    ClassStep step;
    step.processed = v;
    done_[v] = true;
    Members own{v, 1, std::vector<std::int64_t>(done_.size())};
    for (const ClassGraph::Edge& edge : graph_.edges[v]) {
      own.weight[edge.to] = edge.weight;
      ahead_[edge.to].lose(first_[v], second_[v], edge.weight);
    }
    std::vector<Members> after;
    const auto join = [&](Members members, std::int64_t weight) {
      ClassStep::Class of{.weight = weight};
      if (ahead_[members.like].degree == 0) return of;
      of.ratio = take_factor(members.weight);
      for (std::uint32_t j = 0; j < after.size(); ++j) {
        if (!ahead_[members.like].is_like(ahead_[after[j].like])) continue;
        if (!are_equal(members.weight, after[j].weight)) continue;
        after[j].size += members.size;
        of.to = j;
        return of;
      }
      of.to = static_cast<std::uint32_t>(after.size());
      after.push_back(std::move(members));
      return of;
    };
    for (std::size_t j = 0; j < classes_.size(); ++j) {
      const std::int64_t weight = classes_[j].weight[v];
      const std::uint32_t most = most_[j];
      step.classes.push_back(join(std::move(classes_[j]), weight));
      step.classes.back().most = most;
    }
    step.vertex = join(std::move(own), 0);
    classes_ = std::move(after);
    most_.clear();
    for (const Members& members : classes_) most_.push_back(std::min(members.size, ahead_[members.like].degree));
    return step;
  }

  // Counts what the steps take; false where that is too much.
  bool size_up(ClassSteps& steps) const {
    std::unordered_set<std::uint64_t> layer{0}, after;
    for (std::size_t t = 0; t < steps.steps.size(); ++t) {
      if (t % 16 == 0) run_.check();
      Successors successors(steps.steps[t], t + 1 < steps.steps.size() ? &steps.steps[t + 1] : nullptr);
      after.clear();
      for (const std::uint64_t state : layer) {
        successors(state, [&](std::uint64_t next, std::size_t, const auto&) {
          after.insert(next);
          ++steps.transitions;
        });
        if (steps.transitions > most_transitions_) return false;
      }
      std::swap(layer, after);
      steps.most_states = std::max(steps.most_states, static_cast<double>(layer.size()));
    }
    return true;
  }

  const ClassGraph& graph_;
  const RunContext& run_;
  double most_transitions_;
  std::vector<Ahead> ahead_;
  std::vector<char> done_;
  std::vector<std::uint64_t> first_, second_;
  std::vector<Members> classes_;
  std::vector<std::uint32_t> most_;  // of each that can be free
  std::vector<std::pair<Ahead, std::uint32_t>> groups_;
};

}  // namespace

Successors::Successors(const ClassStep& step, const ClassStep* next) : step_(step), free_(step.classes.size()) {
  if (next)
    for (const ClassStep::Class& of : next->classes) most_.push_back(of.most);
  after_.resize(most_.size());
}

std::optional<ClassSteps> class_steps(const ClassGraph& graph, double most_transitions, const RunContext& run) {
  return Search(graph, most_transitions, run).take();
}

}  // namespace matchcount
