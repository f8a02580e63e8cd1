#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "permanent/as_held.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/complement/cells.hpp"
#include "permanent/complement/costs.hpp"
#include "permanent/complement/pieces.hpp"
#include "permanent/rooms.hpp"

namespace matchcount {

namespace {

using Sums = std::vector<Integer>;  // by the number of pairs

namespace costs = complement_costs;

const Integer& factor_of(const Cells& cells, Vertex line) {
  return cells.symmetric || line < cells.rows ? cells.row_factor(line) : cells.column_factor(line - cells.rows);
}

// The cells of some lines, which ascend.
Cells part_of(const Cells& cells, const std::vector<Vertex>& lines) {
  constexpr Vertex gone = ~Vertex{0};
  Cells part{.symmetric = cells.symmetric};
  std::vector<Vertex> place(std::size_t{cells.first_column()} + cells.columns, gone);
  for (const Vertex line : lines) {
    const bool is_row = line < cells.rows;
    place[line] = is_row ? part.rows++ : part.columns++;
    (is_row ? part.of_row : part.of_column).push_back(factor_of(cells, line));
  }
  if (part.symmetric) part.columns = part.rows;
  for (Vertex row = 0; row < cells.rows; ++row) {
    if (place[row] == gone) continue;
    part.begin.push_back(part.column.size());
    for (std::size_t cell = cells.begin[row]; cell < cells.begin[row + std::size_t{1}]; ++cell) {
      const Vertex column = place[cells.first_column() + cells.column[cell]];
      if (column == gone) continue;
      part.column.push_back(column);
      part.value.push_back(cells.value[cell]);
    }
  }
  part.begin.push_back(part.column.size());
  return part;
}
std::vector<Vertex> all_but(std::vector<Vertex> lines, Vertex a, Vertex b) {
  std::erase_if(lines, [&](Vertex line) { return line == a || line == b; });
  return lines;
}

// Numbers sums, equal ones alike.
class Kinds {
 public:
  std::size_t operator()(Sums sums) {
    const auto [at, is_new] = numbers_.try_emplace(std::move(sums), numbers_.size());
    if (is_new) all_.push_back(&at->first);
    return at->second;
  }
  const Sums& operator[](std::size_t kind) const { return *all_[kind]; }

 private:
  std::map<Sums, std::size_t> numbers_;
  std::vector<const Sums*> all_;
};

Sums product(const Sums& a, const Sums& b) {
  Sums result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  return result;
}
// Solves sums(x) = sum over m of p(m) result(x + m).
Sums without(Sums sums, const Sums& p) {
  for (std::size_t x = sums.size(); x-- > 0;) {
    for (std::size_t m = 1; m < p.size() && x + m < sums.size(); ++m) sums[x] -= p[m] * sums[x + m];
    sums[x] /= p.front();
  }
  return sums;
}

class Marginal {
 public:
  Marginal(const NearRankOne& found, const RunContext& run)
      : found_(found),
        cells_(found.cells),
        run_(run),
        rest_(rest_of(cells_, found.cell, run)),
        components_(components_of(rest_)),
        component_of_(std::size_t{cells_.first_column()} + cells_.columns),
        kind_of_(component_of_.size()) {
    for (std::size_t i = 0; i < components_.size(); ++i)
      for (const Vertex line : components_[i]) component_of_[line] = i;
  }

  BlockMarginals<Integer> take() {
    sum_up_components();
    const std::size_t pairs = cells_.symmetric ? cells_.rows / 2 : cells_.rows;
    const Rational c = ratio_of(cells_, found_.cell);
    Sums behind(pairs);
    Integer divisor = found_.divisor, weight = 1;
    for (std::size_t k = pairs; k-- > 0;) {
      for (std::size_t x = 0; x <= k; ++x)
        if (k - x < all_.size()) behind[x] += weight * all_[k - x];
      const std::size_t left = pairs - k;
      weight *= numerator(c) * (cells_.symmetric ? 2 * left - 1 : left);
      if (k > 0) divisor *= denominator(c);
    }
    std::vector<Sums> behind_one;
    for (std::size_t kind = 0; kind < num_components_; ++kind) behind_one.push_back(without(behind, kinds_[kind]));

    BlockMarginals<Integer> result{0, Sums(cells_.column.size())};
    std::vector<std::pair<Edge, std::size_t>> inside;
    cells_.for_each([&](Vertex row, Vertex column, std::size_t cell) {
      const Vertex other = cells_.first_column() + column;
      if (component_of_[row] == component_of_[other]) {
        inside.push_back({{row, other}, cell});
      } else {
        result.of_edge[cell] = between(row, other, behind_one);
      }
    });
    parallel_for_chunks(run_.num_threads(), inside.size(), [&](std::uint64_t i, int) {
      run_.check();
      const auto& [edge, cell] = inside[i];
      const Sums sums =
          sums_by_pairs(part_of(rest_, all_but(components_[component_of_[edge.row]], edge.row, edge.column)), run_);
      const Sums& others = behind_one[kind_of_component_[component_of_[edge.row]]];
      for (std::size_t m = 0; m < std::min(sums.size(), others.size()); ++m)
        result.of_edge[cell] += sums[m] * others[m];
    });
    cells_.for_each([&](Vertex row, Vertex column, std::size_t cell) {
      Integer& sum = result.of_edge[cell];
      sum *= cells_.entry(cell);
      if (divisor != 1) sum /= divisor;
      if (row == 0 || (cells_.symmetric && column == 0)) result.total += sum;
    });
    return result;
  }

 private:
  // Finds the sums of all components, and of all without one of their lines.
  void sum_up_components() {
    std::vector<Sums> whole(components_.size()), without_line(component_of_.size());
    parallel_for_chunks(run_.num_threads(), components_.size(), [&](std::uint64_t i, int) {
      run_.check();
      const std::vector<Vertex>& lines = components_[i];
      if (lines.size() == 1) {
        whole[i] = {factor_of(cells_, lines.front())};
        without_line[lines.front()] = {1};
        return;
      }
      whole[i] = sums_by_pairs(part_of(rest_, lines), run_);
      for (const Vertex line : lines)
        without_line[line] = sums_by_pairs(part_of(rest_, all_but(lines, line, line)), run_);
    });
    all_ = {1};
    for (Sums& sums : whole) {
      run_.check();
      while (sums.size() > 1 && sums.back().sign() == 0) sums.pop_back();
      all_ = product(all_, sums);
      kind_of_component_.push_back(kinds_(std::move(sums)));
    }
    num_components_ = 1 + *std::ranges::max_element(kind_of_component_);
    for (Vertex line = 0; line < without_line.size(); ++line) kind_of_[line] = kinds_(std::move(without_line[line]));
  }

  // The sum over the matchings of all but two lines of different components.
  const Integer& between(Vertex a, Vertex b, const std::vector<Sums>& behind_one) {
    const std::size_t of_a = kind_of_component_[component_of_[a]], of_b = kind_of_component_[component_of_[b]];
    const auto [at, is_new] = between_.try_emplace({of_a, of_b, kind_of_[a], kind_of_[b]});
    if (is_new) {
      run_.check();
      const auto [two, are_new] = behind_two_.try_emplace({of_a, of_b});
      if (are_new) two->second = without(behind_one[of_a], kinds_[of_b]);
      const Sums sums = product(kinds_[kind_of_[a]], kinds_[kind_of_[b]]);
      for (std::size_t m = 0; m < std::min(sums.size(), two->second.size()); ++m)
        at->second += sums[m] * two->second[m];
    }
    return at->second;
  }

  const NearRankOne& found_;
  const Cells& cells_;
  const RunContext& run_;
  Cells rest_;
  std::vector<std::vector<Vertex>> components_;
  std::vector<std::size_t> component_of_, kind_of_;  // by line: the latter of the sums without it
  std::vector<std::size_t> kind_of_component_;
  std::size_t num_components_ = 0;  // kinds of them, which are the first kinds
  Kinds kinds_;
  Sums all_;
  std::map<std::pair<std::size_t, std::size_t>, Sums> behind_two_;
  std::map<std::array<std::size_t, 4>, Integer> between_;
};

// Takes for every component of what a matrix of rank one leaves the sums over its matchings, without each line of it
// and without each two lines; what these sums are together is found once for lines that are alike. Throws Unable where
// too much is left, and as run.check() does.
BlockMarginals<Integer> marginals_by_complement(const NearRankOne& found, const RunContext& run) {
  return Marginal(found, run).take();
}

// Predicts the seconds of that.
double marginals_seconds(const Piece& root, std::size_t num_edges) {
  double seconds = costs::edge_s * static_cast<double>(num_edges);
  for (const Piece& part : root.children.front().children) {
    const double lines = part.rows + part.columns;
    const double inside = part.columns == 0 ? lines * (lines - 1) / 2 : 1.0 * part.rows * part.columns;
    seconds += (1 + lines + inside) * (cost_of(part).seconds + (lines > 2 ? costs::sum_s : costs::pair_s));
    seconds += costs::pair_s * std::pow(root.rows, 2);
  }
  return seconds;
}

// Draws matchings of the complete graph and accepts some of them. Requires entries above 0.
class ComplementSampler : public PartSampler {
 public:
  // `run` outlives this.
  ComplementSampler(const NearRankOne& found, const RunContext& run) : cells_(found.cells), run_(run) {
    acceptance_.assign(cells_.column.size(), 1);
    std::vector<double> largest(cells_.rows, 0), sum(cells_.rows, 0);
    if (!cells_.value.empty() || !cells_.of_row.empty()) {
      const Rational c = ratio_of(cells_, found.cell);
      cells_.for_each([&](Vertex row, Vertex column, std::size_t cell) {
        const Integer factors = cells_.row_factor(row) * cells_.column_factor(column);
        const Integer entry = cells_.entry(cell) * denominator(c), usual = numerator(c) * factors;
        if (entry != usual) acceptance_[cell] = nearest_real(Rational(entry, usual)).to_double();
      });
    }
    const auto for_each_line = [&](const auto& visit) {
      cells_.for_each([&](Vertex row, Vertex column, std::size_t cell) {
        visit(row, cell);
        if (cells_.symmetric) visit(column, cell);
      });
    };
    for_each_line([&](Vertex row, std::size_t cell) {
      largest[row] = std::max(largest[row], acceptance_[cell]);
      sum[row] += acceptance_[cell];
    });
    cells_.for_each([&](Vertex row, Vertex column, std::size_t cell) {
      acceptance_[cell] /= cells_.symmetric ? std::sqrt(largest[row]) * std::sqrt(largest[column]) : largest[row];
    });
    for (Vertex row = 0; row < cells_.rows; ++row)
      log_acceptance_ += std::log(sum[row] / (largest[row] * (cells_.columns - (cells_.symmetric ? 1 : 0)))) *
                         (cells_.symmetric ? 0.5 : 1);
  }

  // Predicts the seconds of a sample where rows accept their cells independently of each other.
  double seconds() const {
    const auto pairs = static_cast<double>(matching_size());
    return costs::cell_s *
           (pairs + std::exp(-log_acceptance_) * std::min(pairs, 1 + pairs / std::max(1e-9, -log_acceptance_)));
  }

  // Draws a sample to see whether that is true: heavy cells of several rows may stand in one column, which accepts one.
  bool draws_within(double most_s) const {
    std::vector<EdgeId> edges;
    std::vector<Vertex> left = all_columns();
    std::uint32_t step = 0;
    while (step < most_s / costs::cell_s)
      if (attempt(1, 0, 0, step, left, edges)) return true;
    return false;
  }

  std::size_t matching_size() const override { return cells_.symmetric ? cells_.rows / 2 : cells_.rows; }

  std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::size_t count) override {
    std::vector<EdgeId> edges;
    std::vector<Vertex> left = all_columns();
    for (std::uint64_t i = first; i < first + count; ++i) {
      std::ranges::sort(left);
      std::uint32_t step = 0;
      const std::size_t begin = edges.size();
      while (!attempt(seed, stream, i, step, left, edges)) edges.resize(begin);
    }
    return edges;
  }

 private:
  std::vector<Vertex> all_columns() const {
    std::vector<Vertex> columns(cells_.columns);
    std::iota(columns.begin(), columns.end(), Vertex{0});
    return columns;
  }

  // Draws line by line; false: a cell was not accepted, and edges hold those before it.
  bool attempt(std::uint64_t seed, std::uint32_t stream, std::uint64_t sample, std::uint32_t& step,
               std::vector<Vertex>& left, std::vector<EdgeId>& edges) const {
    // The last column that is left; of a symmetric matrix the last row with any other.
    const auto choose = [&](std::size_t among) {
      const double u = uniform_of_sample(seed, stream, sample, step++);
      std::swap(left[static_cast<std::size_t>(u * static_cast<double>(among))], left[among - 1]);
      return left[among - 1];
    };
    for (std::size_t size = left.size(); size > 0;) {
      if (step % 64 == 0) run_.check();
      Vertex row = cells_.symmetric ? left[--size] : static_cast<Vertex>(size - 1);
      Vertex column = choose(size--);
      if (cells_.symmetric && row > column) std::swap(row, column);
      const auto from = cells_.column.begin() + static_cast<std::ptrdiff_t>(cells_.begin[row]),
                 to = cells_.column.begin() + static_cast<std::ptrdiff_t>(cells_.begin[row + std::size_t{1}]);
      const auto at = std::lower_bound(from, to, column);
      if (at == to || *at != column) return false;
      const auto cell = static_cast<std::size_t>(at - cells_.column.begin());
      if (acceptance_[cell] < 1 && uniform_of_sample(seed, stream, sample, step++) >= acceptance_[cell]) return false;
      edges.push_back(cell);
    }
    return true;
  }

  Cells cells_;
  std::vector<double> acceptance_;  // of a cell that is drawn
  double log_acceptance_ = 0;       // of a matching, about
  const RunContext& run_;
};

// A plan holds the cells, of which half may be left, in so many bytes each.
constexpr double bytes_of_cell = 80;

struct Complement {
  Piece root;
  Integer divisor;
  std::int64_t exponent = 0;
};
struct ComplementPlan : MethodPlan {
  AnyBlock block;
  Complement found;
  PieceCost cost;
};

// Sparse blocks leave too much whatever their entries are.
bool may_be_dense(const AnyBlock& block) {
  const BlockPattern pattern = pattern_of(block);
  const double size = size_of(block);
  return pattern.bipartite ? 4.0 * static_cast<double>(pattern.bipartite->num_edges()) >= size * size
                           : 8.0 * static_cast<double>(pattern.general->num_edges()) >= size * (size - 1);
}

// Throws Unable, with the reason, where that is none.
Complement complement_of(const AnyBlock& block, double useful_s, const RunContext& run) {
  auto found = near_rank_one(block, run);
  if (!found) throw Unable("no matrix of rank one, scaled or not, has most of the entries");
  return {take_apart(std::move(found->cells), found->cell, useful_s, run), std::move(found->divisor), found->exponent};
}

Planned plan(const PlanRequest& request, const RunContext& run) {
  if (!may_be_dense(request.block)) return {nullptr, "fewer than a quarter of all edges are there"};
  const double size = size_of(request.block), bytes = bytes_of_cell * size * size;
  if (!run.has_memory_for(bytes)) return {nullptr, "to see what is left would take " + memory_amount(bytes)};
  auto result = std::make_shared<ComplementPlan>();
  result->block = request.block;
  try {
    result->found = complement_of(request.block, request.useful_s, run);
  } catch (const OverLimit&) {
    throw;
  } catch (const Cancelled&) {
    throw;
  } catch (const Unable& reason) {
    return {nullptr, reason.what()};
  }
  result->cost = cost_of(result->found.root.children.front());
  return {std::move(result), {}};
}

std::optional<Cost> cost(const AnyBlock& block, const MethodPlan& given, const NumberType&, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  const PieceCost& found = static_cast<const ComplementPlan&>(given).cost;
  Cost result;
  result.seconds = found.seconds + costs::count_s + costs::line_s * size_of(block);
  result.log2_operations = std::log2(result.seconds * 1e9);
  result.memory_bytes = found.memory_bytes + 2 * sizeof(Integer) * size_of(block);
  result.description = "a matrix of rank one and a rest";
  if (found.sums > 0) {
    result.description += " with " + std::to_string(found.sums) + (found.sums == 1 ? " sum" : " sums") +
                          " over its matchings by size, of width " + std::to_string(found.most_width);
  } else {
    result.description += " that falls apart";
  }
  return result;
}

Value run_complement(const RunRequest& request, const RunContext& run) {
  const auto& plan = static_cast<const ComplementPlan&>(request.plan);
  // A check may ask for the same block with other numbers.
  const Complement other = request.block == plan.block
                               ? Complement{}
                               : complement_of(request.block, std::numeric_limits<double>::infinity(), run);
  const Complement& found = request.block == plan.block ? plan.found : other;
  return value_as_held(sum_perfect(found.root, run) / found.divisor, found.exponent, request.block);
}

Way marginals_way(const PlanRequest& request, const RunContext& run) {
  const Planned planned = plan(request, run);
  if (!planned.plan) return {.why_not = "is no complement (" + planned.reason + ")"};
  Way way;
  way.cost = *cost(request.block, *planned.plan, request.number, {});
  way.cost.seconds = marginals_seconds(static_cast<const ComplementPlan&>(*planned.plan).found.root,
                                       pattern_of(request.block).num_edges());
  way.marginals = [](const AnyBlock& block, const RunContext& inner) {
    const auto found = near_rank_one(block, inner);
    return marginals_as_held(marginals_by_complement(*found, inner), found->exponent, block);
  };
  return way;
}

// Needs most entries to be in proportion, but nothing of what is left.
Way sampler_way(const PlanRequest& request, const RunContext& run) {
  Way way;
  way.why_not = "is far from a matrix of rank one";
  if (!may_be_dense(request.block)) return way;
  const auto found = near_rank_one(request.block, run);
  if (!found) return way;
  const ComplementSampler sampler(*found, run);
  const double seconds = sampler.seconds();
  if (!(seconds < costs::most_sample_s) || !sampler.draws_within(5 * costs::most_sample_s)) return way;
  way.why_not.clear();
  way.cost.memory_bytes = bytes_of_cell * static_cast<double>(pattern_of(request.block).num_edges());
  way.cost.seconds = seconds;
  way.cost.description = "matchings of a matrix of rank one, accepted or not, " + per_sample(seconds);
  way.sampler = [](const AnyBlock& block, const RunContext& inner) {
    return std::make_unique<ComplementSampler>(*near_rank_one(block, inner), inner);
  };
  return way;
}

Way way_of(const PlanRequest& request, Asked asked, const RunContext& run) {
  return asked == Asked::marginals ? marginals_way(request, run) : sampler_way(request, run);
}

}  // namespace

MethodVerbs complement_method() {
  return {.plan = plan,
          .cost = cost,
          .run = run_complement,
          .way = way_of,
          .scale = &Throughput::frontier_scale,
          .scales = true,
          .searches = true};
}

}  // namespace matchcount
