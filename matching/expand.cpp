#include "matching/expand.hpp"

// A tree is walked depth first, whose nodes are small dense matrices: what is left of a few dozen rows after some
// merges is no longer sparse enough for lists to pay. A child is a copy with a row and a column less.

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "core/random.hpp"
#include "matching/reduction/degree_reducer.hpp"

namespace matchcount {
namespace {

using reduction::combine;
using reduction::is_zero;
using reduction::scale;

// An entry of which nothing is known but that it is there.
struct Mark {};
std::optional<Mark> scale(Mark, Mark) { return Mark{}; }
std::optional<Mark> combine(Mark, Mark, Mark, Mark) { return Mark{}; }
bool is_zero(Mark) { return false; }

template <class Entry>
struct Node {
  std::size_t size = 0;
  std::vector<std::optional<Entry>> cells;  // row-major
  std::vector<Entry> factors;
  Vertex merges = 0;

  const std::optional<Entry>& at(std::size_t row, std::size_t column) const { return cells[row * size + column]; }
};

template <class Entry>
Node<Entry> root_of(const BipartiteGraph& pattern, const std::vector<Entry>& entries) {
  Node<Entry> node;
  node.size = pattern.num_rows();
  node.cells.resize(node.size * node.size);
  for_each_edge(pattern, [&](Vertex row, Vertex v, EdgeId edge) {
    node.cells[row * node.size + v - pattern.num_rows()] = entries[edge];
  });
  return node;
}

template <class Entry>
Node<Entry> transposed(const Node<Entry>& node) {
  Node<Entry> turned = node;
  for (std::size_t i = 0; i < node.size; ++i) {
    for (std::size_t j = 0; j < node.size; ++j) turned.cells[j * node.size + i] = node.at(i, j);
  }
  return turned;
}

// The row or column of fewest entries.
struct Line {
  std::size_t index = 0, degree = 0;
  bool is_column = false;
};
template <class Entry>
Line least_line(const Node<Entry>& node) {
  std::vector<std::size_t> of_row(node.size, 0), of_column(node.size, 0);
  for (std::size_t i = 0; i < node.size; ++i) {
    for (std::size_t j = 0; j < node.size; ++j) {
      of_row[i] += node.at(i, j).has_value();
      of_column[j] += node.at(i, j).has_value();
    }
  }
  const auto row = std::min_element(of_row.begin(), of_row.end());
  const auto column = std::min_element(of_column.begin(), of_column.end());
  if (*column < *row) return {static_cast<std::size_t>(column - of_column.begin()), *column, true};
  return {static_cast<std::size_t>(row - of_row.begin()), *row, false};
}

constexpr std::size_t nowhere = ~std::size_t{0};
// Columns that are merged; the second may be nowhere.
using Pair = std::array<std::size_t, 2>;

// Pairs at most four columns so that pairs share as many rows as possible.
template <class Entry>
std::vector<Pair> paired(const Node<Entry>& node, std::vector<std::size_t> columns) {
  if (columns.size() % 2 != 0) columns.push_back(nowhere);
  if (columns.size() == 2) return {{columns[0], columns[1]}};
  const auto shared = [&](std::size_t a, std::size_t b) {
    std::size_t count = 0;
    if (a == nowhere || b == nowhere) return count;
    for (std::size_t row = 0; row < node.size; ++row) count += node.at(row, a) && node.at(row, b);
    return count;
  };
  std::vector<Pair> best;
  std::size_t most = 0;
  for (std::size_t partner = 1; partner < 4; ++partner) {
    const std::size_t others[2] = {partner == 1 ? 2u : 1u, partner == 3 ? 2u : 3u};
    const std::size_t count = shared(columns[0], columns[partner]) + shared(columns[others[0]], columns[others[1]]);
    if (!best.empty() && count <= most) continue;
    most = count;
    best = {{columns[0], columns[partner]}, {columns[others[0]], columns[others[1]]}};
  }
  return best;
}

// Makes the node without the row and the pair's columns but for one, which they are merged into. Nothing where an entry
// would not fit.
template <class Entry>
std::optional<Node<Entry>> merged(const Node<Entry>& node, std::size_t row, Pair pair) {
  if (pair[0] == nowhere) std::swap(pair[0], pair[1]);
  const bool alone = pair[1] == nowhere;
  const std::size_t gone = alone ? pair[0] : pair[1];
  Node<Entry> child;
  child.size = node.size - 1;
  child.factors = node.factors;
  child.merges = node.merges + 1;
  child.cells.reserve(child.size * child.size);
  if (alone) child.factors.push_back(*node.at(row, gone));
  for (std::size_t i = 0; i < node.size; ++i) {
    if (i == row) continue;
    for (std::size_t j = 0; j < node.size; ++j) {
      if (j == gone) continue;
      if (alone || j != pair[0]) {
        child.cells.push_back(node.at(i, j));
        continue;
      }
      const Entry w = *node.at(row, gone), v = *node.at(row, pair[0]);
      const std::optional<Entry>&x = node.at(i, pair[0]), &y = node.at(i, gone);
      std::optional<Entry> sum;
      if (x && y) {
        sum = combine(w, *x, v, *y);
      } else if (x || y) {
        sum = x ? scale(w, *x) : scale(v, *y);
      }
      if ((x || y) && !sum) return std::nullopt;
      if (sum && is_zero(*sum)) sum.reset();
      child.cells.push_back(sum);
    }
  }
  return child;
}

// Expands a node: itself if it is a term, none if it is 0.
template <class Entry>
std::optional<std::vector<Node<Entry>>> children(const Node<Entry>& given, const ExpandOptions& options) {
  const Line line = least_line(given);
  if (line.degree == 0) return std::vector<Node<Entry>>{};
  if (given.size <= options.least_rows || line.degree > options.most_degree) return std::nullopt;
  const Node<Entry> node = line.is_column ? transposed(given) : given;
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < node.size; ++j) {
    if (node.at(line.index, j)) columns.push_back(j);
  }
  std::vector<Node<Entry>> result;
  for (const Pair& pair : paired(node, columns)) {
    std::optional<Node<Entry>> child = merged(node, line.index, pair);
    if (!child) return std::nullopt;
    result.push_back(std::move(*child));
  }
  return result;
}

template <class Entry>
void walk(const Node<Entry>& node, const ExpandOptions& options, const RunContext& run,
          const std::function<bool(const Node<Entry>&)>& use, bool& goes_on) {
  run.check();
  const auto below = children(node, options);
  if (!below) {
    goes_on = use(node);
    return;
  }
  for (const Node<Entry>& child : *below) {
    if (goes_on) walk(child, options, run, use, goes_on);
  }
}

void require(const ExpandOptions& options) {
  if (options.most_degree < 1 || options.most_degree > 4)
    throw InputError("expansion up to degree " + std::to_string(options.most_degree), "1 to 4");
  if (options.least_rows < 1) throw InputError("expansion down to 0 rows", "1 or more");
}

template <class Entry>
BipartiteGraph pattern_of(const Node<Entry>& node) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < node.size; ++i) {
    for (std::size_t j = 0; j < node.size; ++j) {
      if (node.at(i, j)) edges.push_back({static_cast<Vertex>(i), static_cast<Vertex>(j)});
    }
  }
  const auto n = static_cast<Vertex>(node.size);
  return BipartiteGraph::from_edges(n, n, std::move(edges));
}

constexpr std::size_t most_samples = 16;

// A term that stands for `weight` of them.
void count(const Node<Mark>& node, double weight, ExpansionSize& size) {
  size.terms += weight;
  size.mean_rows += weight * static_cast<double>(node.size);
  size.mean_edges += weight * static_cast<double>(std::count_if(node.cells.begin(), node.cells.end(),
                                                                [](const auto& cell) { return cell.has_value(); }));
  size.most_rows = std::max(size.most_rows, static_cast<Vertex>(node.size));
  if (size.samples.size() < most_samples) size.samples.push_back(pattern_of(node));
}

ExpansionSize means(ExpansionSize size) {
  if (size.terms > 0) {
    size.mean_rows /= size.terms;
    size.mean_edges /= size.terms;
  }
  return size;
}

}  // namespace

template <class Entry>
void expand(const Block<Entry>& block, const ExpandOptions& options,
            const std::function<void(ExpandedTerm<Entry>&&)>& use, const RunContext& run) {
  require(options);
  bool goes_on = true;
  walk<Entry>(
      root_of(block.pattern, block.entries), options, run,
      [&](const Node<Entry>& node) {
        std::vector<Entry> entries;
        for (const auto& cell : node.cells) {
          if (cell) entries.push_back(*cell);
        }
        use({node.factors, {pattern_of(node), std::move(entries)}, node.merges});
        return true;
      },
      goes_on);
}

ExpansionSize expansion_size(const BipartiteGraph& pattern, const ExpandOptions& options, std::uint64_t seed,
                             const RunContext& run) {
  require(options);
  constexpr double most_terms = 2000;
  constexpr int probes = 1000;
  const Node<Mark> root = root_of(pattern, std::vector<Mark>(pattern.num_edges()));
  ExpansionSize size;
  bool all = true;
  walk<Mark>(
      root, options, run,
      [&](const Node<Mark>& node) {
        count(node, 1, size);
        return size.terms < most_terms;
      },
      all);
  if (all) return means(std::move(size));
  size = {};
  size.estimated = true;
  Random random(seed);
  for (int probe = 0; probe < probes; ++probe) {
    run.check();
    Node<Mark> node = root;
    double weight = 1.0 / probes;
    while (true) {
      auto below = children(node, options);
      if (!below) {
        count(node, weight, size);
        break;
      }
      if (below->empty()) break;
      weight *= static_cast<double>(below->size());
      node = std::move((*below)[random.below(below->size())]);
    }
  }
  return means(std::move(size));
}

template void expand(const Block<std::int64_t>&, const ExpandOptions&,
                     const std::function<void(ExpandedTerm<std::int64_t>&&)>&, const RunContext&);
template void expand(const Block<RealEntry>&, const ExpandOptions&,
                     const std::function<void(ExpandedTerm<RealEntry>&&)>&, const RunContext&);
template void expand(const Block<ComplexEntry>&, const ExpandOptions&,
                     const std::function<void(ExpandedTerm<ComplexEntry>&&)>&, const RunContext&);

}  // namespace matchcount
