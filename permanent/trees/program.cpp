// A vertex is forgotten as soon as no subtree that has it is left to be joined; the subtree that is joined first is the
// one with the most states. How many states there are is predicted from the vertices of a bag that were touched: as
// many are matched as were forgotten at the most, by parity or, in a bipartite graph, as its sides ask.

#include "permanent/trees/program.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/numbers/polynomial.hpp"
#include "core/step_check.hpp"
#include "permanent/method.hpp"
#include "permanent/trees/costs.hpp"

namespace matchcount {
namespace {

namespace costs = trees_costs;

constexpr std::size_t widest = 200;  // that are told

double binomial(std::uint32_t n, std::uint32_t k) {
  double result = 1;
  for (std::uint32_t i = 1; i <= k; ++i) result *= static_cast<double>(n - k + i) / i;
  return result;
}

class Builder {
 public:
  Builder(const TreeQuestion& question, const TreeDecomposition& tree)
      : question_(question),
        graph_(question.graph),
        by_parity_(std::ranges::find(question.may_be_unmatched, true) == question.may_be_unmatched.end()),
        tree_(tree),
        words_of_vertex_(question.log2_bound / 64 / std::max<double>(1, graph_.num_vertices())),
        is_forgotten_(graph_.num_vertices(), false),
        waiting_(tree.bags.size()) {}

  TreeProgram run() {
    program_.num_vertices = graph_.num_vertices();
    program_.width = static_cast<std::uint32_t>(tree_.width());
    if (tree_.bags.empty()) return std::move(program_);
    const RootedBags bags = rooted(tree_, 0);
    for (const std::uint32_t bag : bags.sequence) {
      add_bag(bag, bag == bags.sequence.back() ? nullptr : &tree_.bags[bags.parent[bag]]);
      waiting_[bags.parent[bag]].push_back(static_cast<std::uint32_t>(program_.bags.size() - 1));
    }
    return std::move(program_);
  }

 private:
  // Carried holds what a bag of the program hands on.
  struct Carried {
    std::vector<Vertex> vertices;
    double forgotten = 0, states = 1;
  };

  double words(double forgotten) const { return 1 + words_of_vertex_ * forgotten; }
  // Sums by size: the values of a bag, with as many terms as there are pairs of forgotten vertices.
  FactorShape shape_of(const Carried& carried) const {
    return {carried.states, 1 + carried.forgotten / 2, 1 + 64 * words_of_vertex_ * carried.forgotten};
  }
  double bytes_by_size(const Carried& carried) const {
    const FactorShape shape = shape_of(carried);
    return shape.count * shape.terms * (sizeof(Integer) + shape.bits / 8);
  }

  double states() const {
    const auto touched = static_cast<std::uint32_t>(std::popcount(touched_));
    double result = 0;
    for (std::uint32_t matched = 0; matched <= touched && matched <= here_.forgotten; ++matched) {
      if (!by_parity_ || std::fmod(here_.forgotten - matched, 2) == 0) result += binomial(touched, matched);
    }
    if (by_parity_ && question_.is_bipartite) result = std::min(result, binomial(touched, touched / 2));
    return std::max(1.0, result);
  }

  void add_bag(std::uint32_t bag, const std::vector<Vertex>* parent) {
    const std::vector<Vertex>& vertices = tree_.bags[bag];
    std::vector<std::uint32_t>& below = waiting_[bag];
    std::ranges::stable_sort(below, std::ranges::greater{}, [&](std::uint32_t b) { return carried_[b].states; });
    std::vector<std::uint32_t> last_join(vertices.size(), 0);  // the number of the last that has the vertex, from 1
    for (std::uint32_t i = 0; i < below.size(); ++i)
      for (const Vertex v : carried_[below[i]].vertices) last_join[bit_of(vertices, v)] = i + 1;
    here_ = {};
    touched_ = 0;
    TreeProgram::Bag result;
    for (std::uint32_t joined = 0;; ++joined) {
      for (std::size_t bit = 0; bit < vertices.size(); ++bit) {
        const bool is_kept = parent && std::ranges::binary_search(*parent, vertices[bit]);
        if (!is_kept && !is_forgotten_[vertices[bit]] && last_join[bit] <= joined && (joined > 0 || below.empty()))
          result.steps.push_back(forget(vertices, static_cast<std::uint8_t>(bit)));
      }
      if (joined == below.size()) break;
      result.steps.push_back(join(vertices, below[joined]));
    }
    for (std::size_t bit = 0; bit < vertices.size(); ++bit) {
      if (is_forgotten_[vertices[bit]]) continue;
      here_.vertices.push_back(vertices[bit]);
      result.kept.push_back(static_cast<std::uint8_t>(bit));
    }
    held_ += here_.states;
    program_.work.held_states = std::max(program_.work.held_states, held_);
    held_bytes_ += bytes_by_size(here_);
    program_.by_size_bytes = std::max(program_.by_size_bytes, held_bytes_);
    carried_.push_back(std::move(here_));
    program_.bags.push_back(std::move(result));
  }

  static std::uint8_t bit_of(const std::vector<Vertex>& vertices, Vertex v) {
    return static_cast<std::uint8_t>(std::ranges::lower_bound(vertices, v) - vertices.begin());
  }

  TreeProgram::Step forget(const std::vector<Vertex>& vertices, std::uint8_t bit) {
    TreeProgram::Step step;
    step.vertex = vertices[bit];
    step.bit = bit;
    step.may_stay_unmatched = !by_parity_ && question_.may_be_unmatched[step.vertex];
    is_forgotten_[step.vertex] = true;
    const auto neighbours = graph_.neighbours(step.vertex);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (is_forgotten_[neighbours[i]]) continue;
      step.partners.push_back({bit_of(vertices, neighbours[i]), graph_.incident_edges(step.vertex)[i]});
    }
    const double ways = 1 + 0.5 * static_cast<double>(step.partners.size() + step.may_stay_unmatched);
    program_.work.moves += here_.states * ways;
    program_.work.words_of_moves += here_.states * ways * words(here_.forgotten);
    const FactorShape shape = shape_of(here_);
    program_.by_size_s +=
        here_.states * ways * (costs::move_s + shape.terms * (costs::term_s + shape.bits / 64 * costs::term_word_s));
    for (const TreeProgram::Partner& partner : step.partners) touched_ |= std::uint32_t{1} << partner.bit;
    touched_ &= ~(std::uint32_t{1} << bit);
    here_.forgotten += 1;
    here_.states = states();
    program_.work.peak_states = std::max(program_.work.peak_states, here_.states);
    return step;
  }

  TreeProgram::Step join(const std::vector<Vertex>& vertices, std::uint32_t below) {
    TreeProgram::Step step;
    step.joins = true;
    step.bag = below;
    const Carried& other = carried_[below];
    std::uint32_t bits = 0;
    for (const Vertex v : other.vertices) {
      program_.bags[below].becomes.push_back(bit_of(vertices, v));
      bits |= std::uint32_t{1} << program_.bags[below].becomes.back();
    }
    TreeProgram::Work& work = program_.work;
    if (here_.forgotten > 0) {
      const int common = std::popcount(touched_ & bits), own = std::popcount(touched_) - common;
      const double pairs = here_.states * other.states * std::pow(0.75, common);
      work.pairs += pairs;
      work.words_of_pairs += pairs * words(here_.forgotten) * words(other.forgotten);
      if (question_.by_size) {
        Carried both{{}, here_.forgotten + other.forgotten, 1};
        both.states = std::min(here_.states * other.states, std::exp2(std::popcount(touched_ | bits)));
        const ProductCost cost = cost_of_products(shape_of(here_), shape_of(other), pairs, both.states);
        program_.by_size_s += cost.seconds + pairs * costs::try_s;
        program_.by_size_bytes =
            std::max(program_.by_size_bytes, held_bytes_ + bytes_by_size(both) + cost.memory_bytes);
      }
      work.tries += std::min(here_.states * other.states, other.states * std::exp2(own) * std::pow(1.5, common));
    }
    touched_ |= bits;
    here_.forgotten += other.forgotten;
    here_.states = states();
    work.peak_states = std::max(work.peak_states, here_.states);
    held_ -= other.states;
    held_bytes_ -= bytes_by_size(other);
    return step;
  }

  const TreeQuestion& question_;
  const UndirectedGraph& graph_;
  bool by_parity_;
  const TreeDecomposition& tree_;
  double words_of_vertex_;
  std::vector<bool> is_forgotten_;
  std::vector<std::vector<std::uint32_t>> waiting_;  // by bag of the tree, bags of the program to be joined there
  std::vector<Carried> carried_;                     // by bag of the program
  Carried here_;
  std::uint32_t touched_ = 0;
  double held_ = 0, held_bytes_ = 0;
  TreeProgram program_;
};

double seconds_of(const TreeProgram& program, bool by_size) {
  return by_size ? costs::older_machine * program.by_size_s + costs::bag_s * static_cast<double>(program.bags.size())
                 : seconds_in_integers(program);
}

// Takes the balanced decomposition where that is quicker.
TreeProgram quickest_program(const TreeQuestion& question, const TreeDecomposition& tree, StepCheck& steps) {
  TreeProgram program = tree_program(question, tree);
  if (!question.by_size) return program;
  const TreeDecomposition other = balanced(tree, steps);
  if (other.width() + 1 > max_bag) return program;
  TreeProgram by_other = tree_program(question, other);
  return seconds_of(by_other, true) < seconds_of(program, true) ? by_other : program;
}

}  // namespace

double log2_bound_of_matchings(const UndirectedGraph& graph, const std::vector<GaussianInteger>& edges,
                               const std::vector<GaussianInteger>& vertices) {
  // Every vertex chooses one of its edges, of which each is chosen twice, or none.
  const auto log2_of = [](const GaussianInteger& weight) { return log2_abs(abs(weight.re) + abs(weight.im)); };
  double bound = 0;
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    double choices = 2 * log2_of(vertices[v]);
    for (const EdgeId e : graph.incident_edges(v)) choices = log2_sum(choices, log2_of(edges[e]));
    bound += std::max(0.0, choices) / 2;
  }
  return bound;
}

TreeProgram tree_program(const TreeQuestion& question, const TreeDecomposition& tree) {
  return Builder(question, tree).run();
}

TreeProgram find_tree_program(const TreeQuestion& question, double useful_s, std::uint64_t seed,
                              const RunContext& run) {
  const UndirectedGraph& graph = question.graph;
  constexpr double share = 0.03, longest_s = 0.5;
  constexpr int most_tries = 16;
  constexpr double far_behind = 8;  // what is useful: another try will hardly catch up
  TreeProgram best;
  // A graph of treewidth k has less than k edges a vertex.
  if (graph.num_edges() > (max_bag - 1) * graph.num_vertices()) return best;
  const Adjacency adjacency(graph);
  StepCheck steps(run);
  double best_s = std::numeric_limits<double>::infinity(), spent_s = 0;
  for (int i = 0; i < most_tries; ++i) {
    const double allowed_s = std::min(longest_s, share * std::min(best_s, useful_s)) - spent_s;
    if (allowed_s < costs::look_s * static_cast<double>(adjacency.neighbours.size())) break;
    std::uint64_t looks = 0;
    const auto tree =
        decompose_by_elimination(adjacency.view(), i % 4 == 0 ? EliminationRule::degree : EliminationRule::fill,
                                 seed + static_cast<std::uint64_t>(i), widest,
                                 static_cast<std::uint64_t>(allowed_s / costs::look_s), looks, steps);
    spent_s += costs::look_s * static_cast<double>(looks + adjacency.neighbours.size());
    if (!tree) break;
    const auto width = static_cast<std::uint32_t>(tree->width());
    if (width + 1 > max_bag) {
      if (best.bags.empty()) best.width = best.width == 0 ? width : std::min(best.width, width);
      if (best.bags.empty() && (i > 0 || width > 2 * max_bag)) break;
      continue;
    }
    if (question.by_size) spent_s += costs::build_s * static_cast<double>(tree->bags.size());
    TreeProgram program = quickest_program(question, *tree, steps);
    const double seconds = seconds_of(program, question.by_size);
    if (seconds > far_behind * useful_s) break;
    if (seconds >= best_s) continue;
    best = std::move(program);
    best.order = order_along_tree(*tree, 0);
    best_s = seconds;
  }
  return best;
}

TreeProgram tree_program_along(const TreeQuestion& question, const std::vector<Vertex>& order, const RunContext& run) {
  StepCheck steps(run);
  const auto tree = decompose_along(Adjacency(question.graph).view(), order, widest, steps);
  TreeProgram program;
  if (tree && tree->width() < max_bag) program = quickest_program(question, *tree, steps);
  // A balanced one is wider.
  if (tree && program.bags.empty()) program.width = static_cast<std::uint32_t>(tree->width());
  program.order = order;
  return program;
}

double seconds_by_size(const TreeProgram& program) { return seconds_of(program, true); }

double seconds_in_integers(const TreeProgram& program) {
  const TreeProgram::Work& work = program.work;
  const double in_cache = work.moves * costs::move_s + work.pairs * costs::product_s +
                          (work.words_of_moves + work.words_of_pairs) * costs::word_s;
  return in_cache * (work.peak_states > costs::cached_states ? costs::wait_for_memory : 1) + work.tries * costs::try_s +
         costs::bag_s * static_cast<double>(program.bags.size());
}

double seconds_in_reals(const TreeProgram& program, bool is_complex) {
  const TreeProgram::Work& work = program.work;
  return (work.moves + work.pairs) * (is_complex ? costs::complex_s : costs::real_s) + work.tries * costs::try_s +
         costs::bag_s * static_cast<double>(program.bags.size());
}

double bytes_of(const TreeProgram& program, double bytes_of_value) {
  constexpr double scratch = 2 * sizeof(std::uint32_t), key = 2 * sizeof(std::uint32_t);
  return scratch * std::exp2(program.width + 1) +
         (program.work.held_states + 3 * program.work.peak_states) * (bytes_of_value + key);
}

std::string what_was_found(const TreeProgram& program) {
  if (program.width == 0) return {};
  return "; treewidth at most " + std::to_string(program.width) + " found, " + std::to_string(max_bag - 1) +
         " would do";
}

double log2_operations_of(const TreeProgram& program) { return std::log2(program.work.moves + program.work.pairs + 1); }

std::string description_of(const TreeProgram& program) {
  return "tree decomposition of width " + std::to_string(program.width) + ", at most " +
         two_to(std::log2(program.work.peak_states)) + " states";
}

}  // namespace matchcount
