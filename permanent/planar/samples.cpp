// A vertex is in the subtree of one node at a time, and below that in one of a child's, until an edge is drawn for it.
// What is given to a subtree is matched in it: the vertices that no later node has edges of (own ones and those that
// its children could not eliminate), and those of later nodes that were given to it. Of a graph in a surface, which is
// cut, the last node has the copies of the vertices of the cut; which of these there are is drawn first.

#include "permanent/planar/samples.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/planar/costs.hpp"
#include "permanent/planar/cpu/cut_draw.hpp"
#include "permanent/planar/cpu/node_draw.hpp"
#include "permanent/planar/pfaffian.hpp"
#include "permanent/planar/surface_cut.hpp"

namespace matchcount {
namespace {

// The probability of a sample may be off by this much in all.
constexpr double most_relative_error = 0x1p-20;

// Numbers that are long enough for any planar graph but those whose inverses have entries of 10^150 and more.
using Wide = WideReal<4>;
using Widest = WideReal<10>;

template <class Number>
double bytes_of(const KasteleynPlan& plan) {
  return static_cast<double>(sizeof(Number) + sizeof(double)) * plan.structure.entries;
}

class PlanarSampler : public PartSampler {
 public:
  PlanarSampler(GraphBlock<RealEntry> given, KasteleynPlan found, const RunContext& context)
      : block(std::move(given)), plan(std::move(found)), run(context) {
    check_fits(block.pattern, block.entries.size(), plan);
    for (const RealEntry& entry : block.entries)
      if (!(entry.value.hi > 0)) throw InputError("a weight that is not above 0", "weights above 0, to draw samples");
    scale_entries(block.pattern, block.entries, run);
    if (plan.surface) {
      cut_open();
    } else {
      const double sweep_s = planar_costs::balance_vertex_s * std::max<Vertex>(1, block.pattern.num_vertices());
      balance_entries(block.pattern, block.entries, samples_kasteleyn_cost(block.pattern, plan).elimination_s / sweep_s,
                      run);
    }
    add<DoubleDouble>(0);
    for (const RealFront<DoubleDouble>& front : elimination<DoubleDouble>().fronts)
      sizes += static_cast<double>(front.rows.size() + front.columns.size());
    node_of = plan.dissection.node_of_vertices();
  }

  std::size_t matching_size() const override { return (surface ? surface->block : block).pattern.num_vertices() / 2; }
  std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::size_t count) override {
    const std::size_t size = matching_size();
    std::vector<EdgeId> edges(size * count);
    std::vector<std::size_t> missing(count);
    std::iota(missing.begin(), missing.end(), std::size_t{0});
    while (!missing.empty()) {
      std::vector<char> drawn(missing.size(), 0);
      parallel_for_chunks(run.num_threads(), missing.size(), [&](std::uint64_t i, int) {
        const std::size_t sample = missing[i];
        drawn[i] = Sample(*this, SampleNumbers(seed, stream, first + sample), edges.data() + sample * size).draw();
      });
      std::vector<std::size_t> left;
      for (std::size_t i = 0; i < missing.size(); ++i)
        if (drawn[i] == 0) left.push_back(missing[i]);
      missing = std::move(left);
      if (!missing.empty()) add_longer_numbers();
    }
    return edges;
  }

 private:
  void cut_open() {
    SurfaceCut cut = cut_surface(block.pattern, plan, run.options().seed, run);
    GraphBlock<RealEntry> rest{cut.graph, {}};
    for (const EdgeId id : cut.edges) rest.entries.push_back(block.entries[id]);
    KasteleynPlan plan_of_rest = cut.plan;
    surface = {std::exchange(block, std::move(rest)), std::exchange(plan, std::move(plan_of_rest)), std::move(cut)};
  }

  // Adds an elimination in such numbers, beside the memory that is taken already.
  template <class Number>
  void add(double bytes_before) {
    double bytes = bytes_before + bytes_of<Number>(plan);
    if (surface) {
      bytes += cut_drawer_bytes(static_cast<double>(surface->cut.cut.size()), *surface->plan.surface, sizeof(Number),
                                run.num_threads());
    }
    if (!run.has_memory_for(bytes)) {
      throw OverLimit("what is left over of all fronts needs " + memory_amount(bytes) + "; the memory limit is " +
                      memory_amount(static_cast<double>(run.memory_limit_bytes())));
    }
    std::get<std::optional<RealElimination<Number>>>(eliminations) =
        eliminate_reals<Number>(block, plan, KeptOfFronts::left, run);
    if (!surface) return;
    std::get<std::unique_ptr<CutDrawer<Number>>>(drawers) =
        cut_drawer(surface->block, surface->plan, surface->cut, elimination<Number>(), run);
  }
  void add_longer_numbers() {
    if (!has<Wide>()) return add<Wide>(bytes_of<DoubleDouble>(plan));
    if (!has<Widest>()) return add<Widest>(bytes_of<DoubleDouble>(plan) + bytes_of<Wide>(plan));
    throw Unable("planar samples: numbers of 640 bits do not bound the error of a probability");
  }
  template <class Number>
  const RealElimination<Number>& elimination() const {
    return *std::get<std::optional<RealElimination<Number>>>(eliminations);
  }
  template <class Number>
  bool has() const {
    return std::get<std::optional<RealElimination<Number>>>(eliminations).has_value();
  }

  // One sample, into matching_size() places.
  class Sample {
   public:
    Sample(const PlanarSampler& state, SampleNumbers numbers, EdgeId* out)
        : state_(state),
          numbers_(numbers),
          out_(out),
          subtree_(state.block.pattern.num_vertices(), Dissection::no_parent),
          place_(2 * std::size_t{state.block.pattern.num_vertices()}, none) {}

    // False where longer numbers are needed than there are.
    bool draw() {
      std::uint32_t node = state_.plan.dissection.num_nodes();
      if (state_.surface) {
        --node;
        if (!draw_cut<DoubleDouble>() && !draw_cut<Wide>() && !draw_cut<Widest>()) return false;
      }
      while (node-- > 0) {
        const bool drawn = draw_in<double, DoubleDouble>(node) || draw_in<DoubleDouble, DoubleDouble>(node) ||
                           draw_in<Wide, Wide>(node) || draw_in<Widest, Widest>(node);
        if (!drawn) return false;
      }
      return true;
    }

   private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    bool is_inside(Vertex v, std::uint32_t node) const { return state_.node_of[v] <= node || subtree_[v] == node; }
    std::vector<Vertex> inside(const std::vector<Vertex>& vertices, std::uint32_t node) const {
      std::vector<Vertex> result;
      std::ranges::copy_if(vertices, std::back_inserter(result), [&](Vertex v) { return is_inside(v, node); });
      return result;
    }

    // The same for the vertices of a cut, whose copies go to the last node's child.
    template <class Number>
    bool draw_cut() {
      const auto& drawer = std::get<std::unique_ptr<CutDrawer<Number>>>(state_.drawers);
      if (!drawer) return false;
      const SampleNumbers before = numbers_;
      const CutDraw drawn = drawer->draw(numbers_, state_.run);
      if (!(drawn.relative_error <= most_relative_error / 2)) {
        numbers_ = before;
        return false;
      }
      relative_error_ = drawn.relative_error;
      out_ = std::ranges::copy(drawn.edges, out_).out;
      for (const Vertex copy : drawn.copies) subtree_[copy] = state_.plan.dissection.num_nodes() - 2;
      return true;
    }

    // False where the error is too large, or there is no such elimination.
    template <class Number, class Given>
    bool draw_in(std::uint32_t node) {
      if (!state_.has<Given>()) return false;
      const RealElimination<Given>& elimination = state_.elimination<Given>();
      const std::vector<Vertex> rows = inside(elimination.fronts[node].rows, node);
      const std::vector<Vertex> columns = elimination.skew ? rows : inside(elimination.fronts[node].columns, node);
      if (columns.size() != rows.size()) throw Error("a planar sample gave rows and columns to different subtrees");
      const SampleNumbers before = numbers_;
      // The node's share of the error, by vertices.
      const double share = most_relative_error / (state_.surface ? 2 : 1) *
                           static_cast<double>(rows.size() + columns.size()) / state_.sizes;
      const double limit = std::min(share, most_relative_error - relative_error_);
      const NodeDraw drawn =
          draw_node<Number>(matrix_of(elimination, node, rows, columns), limit, numbers_, state_.run);
      if (!(drawn.relative_error <= limit)) {
        numbers_ = before;
        return false;
      }
      relative_error_ += drawn.relative_error;
      for (const EdgeId edge : drawn.edges) *out_++ = state_.surface ? state_.surface->cut.edges[edge] : edge;
      const auto give = [&](const std::vector<Vertex>& vertices, const std::vector<std::uint32_t>& child) {
        for (std::size_t i = 0; i < vertices.size(); ++i)
          if (child[i] != NodeDraw::matched) subtree_[vertices[i]] = elimination.children[node][child[i]];
      };
      give(rows, drawn.child_of_row);
      if (!elimination.skew) give(columns, drawn.child_of_column);
      return true;
    }

    template <class Number>
    NodeMatrix<Number> matrix_of(const RealElimination<Number>& elimination, std::uint32_t node,
                                 const std::vector<Vertex>& rows, const std::vector<Vertex>& columns) {
      const std::size_t n = state_.block.pattern.num_vertices();
      NodeMatrix<Number> matrix{elimination.skew, rows.size(), {}, {}};
      for (std::size_t i = 0; i < rows.size(); ++i) place_[rows[i]] = static_cast<std::uint32_t>(i);
      for (std::size_t i = 0; i < columns.size(); ++i) place_[n + columns[i]] = static_cast<std::uint32_t>(i);
      for (const SignedEdge& edge : elimination.edges[node]) {
        const std::uint32_t row = place_[edge.row], column = place_[n + edge.column];
        if (row == none || column == none) continue;
        const DoubleDouble value = state_.block.entries[edge.edge].value;
        matrix.edges.push_back({row, column, edge.edge, edge.sign > 0 ? value : -value});
      }
      for (const std::uint32_t child : elimination.children[node])
        matrix.children.push_back(part_of(elimination.fronts[child], matrix.size));
      for (const Vertex v : rows) place_[v] = none;
      for (const Vertex v : columns) place_[n + v] = none;
      return matrix;
    }
    template <class Number>
    typename NodeMatrix<Number>::Child part_of(const RealFront<Number>& child, std::size_t size) const {
      const std::size_t n = state_.block.pattern.num_vertices();
      typename NodeMatrix<Number>::Child part{std::vector<bool>(size), std::vector<bool>(size),
                                              BoundedMatrix<Number>(size, size)};
      std::vector<std::uint32_t> columns;
      for (std::size_t c = child.pivots; c < child.columns.size(); ++c) {
        columns.push_back(place_[n + child.columns[c]]);
        if (columns.back() != none) part.has_column[columns.back()] = true;
      }
      for (std::size_t r = 0; r < child.left.rows; ++r) {
        const std::uint32_t row = place_[child.rows[child.pivots + r]];
        if (row == none) continue;
        part.has_row[row] = true;
        for (std::size_t c = 0; c < child.left.columns; ++c) {
          const std::size_t from = child.left.at(r, c);
          if (columns[c] != none)
            part.part.put(part.part.at(row, columns[c]), child.left.value(from), child.left.error[from]);
        }
      }
      return part;
    }

    const PlanarSampler& state_;
    SampleNumbers numbers_;
    EdgeId* out_;
    double relative_error_ = 0;
    std::vector<std::uint32_t> subtree_;  // of a vertex that is not matched yet: the node that it was given to
    std::vector<std::uint32_t> place_;    // of rows, and behind them of columns, in the matrix at hand
  };

  GraphBlock<RealEntry> block;
  KasteleynPlan plan;
  // Holds what was given, if that is in a surface; block and plan are then those of the graph that is left of it.
  struct InSurface {
    GraphBlock<RealEntry> block;
    KasteleynPlan plan;
    SurfaceCut cut;
  };
  std::optional<InSurface> surface;
  const RunContext& run;
  std::tuple<std::optional<RealElimination<DoubleDouble>>, std::optional<RealElimination<Wide>>,
             std::optional<RealElimination<Widest>>>
      eliminations;
  std::tuple<std::unique_ptr<CutDrawer<DoubleDouble>>, std::unique_ptr<CutDrawer<Wide>>,
             std::unique_ptr<CutDrawer<Widest>>>
      drawers;
  std::vector<std::uint32_t> node_of;
  double sizes = 0;  // of all fronts, together
};

}  // namespace

std::unique_ptr<PartSampler> planar_sampler(GraphBlock<RealEntry> block, KasteleynPlan plan, const RunContext& run) {
  return std::make_unique<PlanarSampler>(std::move(block), std::move(plan), run);
}

PlanarSamplesCost samples_kasteleyn_cost(const UndirectedGraph& graph, const KasteleynPlan& plan, int num_threads) {
  namespace costs = planar_costs;
  const EliminationStructure& structure = plan.structure;
  PlanarSamplesCost cost{
      structure.multiplications * costs::sampler_multiplication_s,
      structure.multiplications * costs::sample_multiplication_s + structure.entries * costs::sample_entry_s,
      bytes_of<DoubleDouble>(plan)};
  if (!plan.surface) return cost;
  const auto size = static_cast<double>(cutting_vertices(graph, plan.surface->embedding).size());
  cost.sample_s += costs::cut_entry_s * (plan.is_column.empty() ? costs::skew : 1) *
                   (plan.surface->twisted.empty() ? 1 : costs::twisted) *
                   static_cast<double>(plan.surface->terms.size()) * size * size * size;
  cost.elimination_s += costs::cut_vertex_s * graph.num_vertices();
  cost.memory_bytes += cut_drawer_bytes(size, *plan.surface, sizeof(DoubleDouble), num_threads);
  return cost;
}

}  // namespace matchcount
