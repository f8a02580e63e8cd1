// Vertices keep their numbers, since the ends of an edge that is taken merely have no other edge, so that one
// dissection serves all terms: one end moves to the node of the other. Faces change, since edges go, and every term is
// directed anew. Colours stay too, but for the ends of an edge that joins two vertices of one colour.

#include "permanent/planar/nearly_planar.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "matching/graph_matching.hpp"
#include "permanent/planar/samples.hpp"

namespace matchcount {
namespace {

// Smaller graphs are counted by other methods before the extra edges are found.
constexpr Vertex least_vertices = 256;

// Returns so few that to find them takes seconds (10 us a vertex and test of planarity), or one.
std::size_t affordable_extra(Vertex num_vertices) {
  constexpr Vertex vertices_of_all_edges = 400'000;
  return std::clamp<std::size_t>(vertices_of_all_edges / std::max<Vertex>(num_vertices, 1), 1, most_extra_edges);
}

constexpr EdgeId not_kept = ~EdgeId{0};

// Edges that have no vertex in common, of all sets of them those that leave as many rows as columns.
class Choices {
 public:
  Choices(const UndirectedGraph& graph, const std::vector<EdgeId>& extra, const std::vector<bool>& is_column)
      : graph_(graph), extra_(extra), is_column_(is_column), is_taken_(graph.num_vertices(), false) {
    if (is_column.empty()) return;
    for (const bool column : is_column) surplus_ += column ? -1 : 1;
  }
  std::vector<std::vector<EdgeId>> all() {
    choose(0);
    return std::move(all_);
  }

 private:
  void choose(std::size_t next) {
    if (next == extra_.size()) {
      if (surplus_ == 0) all_.push_back(taken_);
      return;
    }
    choose(next + 1);
    const auto& [u, v] = graph_.edges()[extra_[next]];
    if (is_taken_[u] || is_taken_[v]) return;
    // A row of the two becomes a column, or the other way round.
    const int change = is_column_.empty() || is_column_[u] != is_column_[v] ? 0 : is_column_[u] ? 2 : -2;
    is_taken_[u] = is_taken_[v] = true;
    surplus_ += change;
    taken_.push_back(extra_[next]);
    choose(next + 1);
    taken_.pop_back();
    surplus_ -= change;
    is_taken_[u] = is_taken_[v] = false;
  }

  const UndirectedGraph& graph_;
  const std::vector<EdgeId>& extra_;
  const std::vector<bool>& is_column_;
  std::vector<bool> is_taken_;
  std::int64_t surplus_ = 0;  // of rows
  std::vector<EdgeId> taken_;
  std::vector<std::vector<EdgeId>> all_;
};

Dissection with_pairs(const Dissection& dissection, const UndirectedGraph& graph, const std::vector<EdgeId>& pairs) {
  std::vector<Vertex> follower(graph.num_vertices(), graph.num_vertices());
  std::vector<bool> follows(graph.num_vertices(), false);
  for (const EdgeId id : pairs) {
    follower[graph.edges()[id].row] = graph.edges()[id].column;
    follows[graph.edges()[id].column] = true;
  }
  Dissection result;
  result.parent = dissection.parent;
  result.begin.push_back(0);
  for (std::uint32_t node = 0; node < dissection.num_nodes(); ++node) {
    for (std::size_t i = dissection.begin[node]; i < dissection.begin[node + 1]; ++i) {
      const Vertex v = dissection.vertices[i];
      if (follows[v]) continue;
      result.vertices.push_back(v);
      if (follower[v] != graph.num_vertices()) result.vertices.push_back(follower[v]);
    }
    result.begin.push_back(result.vertices.size());
  }
  return result;
}

}  // namespace

PlanarTerms::PlanarTerms(const UndirectedGraph& graph, KasteleynPlan plan)
    : graph_(graph.pattern()), taken_(1), plan_(std::move(plan)) {}

PlanarTerms::PlanarTerms(const UndirectedGraph& graph, const std::vector<EdgeId>& extra, std::uint64_t seed,
                         const RunContext& run)
    : graph_(graph.pattern()), num_extra_(extra.size()) {
  std::vector<bool> keep(graph.num_edges(), true);
  for (const EdgeId id : extra) keep[id] = false;
  for (EdgeId id = 0; id < keep.size(); ++id)
    if (keep[id]) rest_edges_.push_back(id);
  const UndirectedGraph rest = graph_.filtered(keep);
  std::optional<PlanarEmbedding> embedding = planar_embedding(rest, run);
  if (!embedding) throw InputError("a graph that is not planar without these edges", "edges to be left out");
  embedding_ = *std::move(embedding);
  plan_ = plan_kasteleyn(rest, embedding_, seed, run);
  taken_ = Choices(graph_, extra, plan_.is_column).all();
  std::size_t empty = 0;
  while (empty < taken_.size() && !maximum_matching(term(empty).graph, run).is_perfect()) ++empty;
  taken_.erase(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(empty));
}

PlanarTerm PlanarTerms::term(std::size_t number) const {
  PlanarTerm term;
  if (num_extra_ == 0) {
    term.edges.resize(graph_.num_edges());
    for (EdgeId id = 0; id < term.edges.size(); ++id) term.edges[id] = id;
    term.graph = graph_;
    term.plan = plan_;
    return term;
  }
  const std::vector<EdgeId>& taken = taken_[number];
  std::vector<bool> is_taken(graph_.num_vertices(), false), keep(graph_.num_edges());
  for (const EdgeId id : taken) is_taken[graph_.edges()[id].row] = is_taken[graph_.edges()[id].column] = true;
  for (const EdgeId id : rest_edges_)
    keep[id] = !is_taken[graph_.edges()[id].row] && !is_taken[graph_.edges()[id].column];
  for (const EdgeId id : taken) keep[id] = true;
  std::vector<EdgeId> new_id(keep.size(), not_kept);
  for (EdgeId id = 0; id < keep.size(); ++id) {
    if (!keep[id]) continue;
    new_id[id] = term.edges.size();
    term.edges.push_back(id);
  }
  term.graph = graph_.filtered(keep);
  PlanarEmbedding embedding;
  embedding.rotation_begin.push_back(0);
  for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
    if (is_taken[v]) embedding.rotation.push_back(term.graph.incident_edges(v)[0]);
    for (std::size_t i = embedding_.rotation_begin[v]; i < embedding_.rotation_begin[v + 1]; ++i) {
      const EdgeId id = new_id[rest_edges_[embedding_.rotation[i]]];
      if (id != not_kept) embedding.rotation.push_back(id);
    }
    embedding.rotation_begin.push_back(embedding.rotation.size());
  }
  term.plan.orientation = kasteleyn_orientation(term.graph, embedding);
  term.plan.is_column = plan_.is_column;
  for (const EdgeId id : taken) {
    const auto& [u, v] = graph_.edges()[id];
    if (!plan_.is_column.empty()) term.plan.is_column[v] = !plan_.is_column[u];
  }
  term.plan.dissection = with_pairs(plan_.dissection, graph_, taken);
  term.plan.structure = analyse_elimination(term.graph, term.plan.is_column, term.plan.dissection);
  return term;
}

KnownPlanarGraphs::Graph& KnownPlanarGraphs::of(const UndirectedGraph& graph, const RotationSystem* rotation) {
  constexpr std::size_t most_graphs = 16;
  const auto found = std::ranges::find_if(graphs_, [&](const Graph& one) {
    return one.num_vertices == graph.num_vertices() && one.rotation == rotation && one.edges == graph.edges();
  });
  if (found != graphs_.end()) return *found;
  if (graphs_.size() == most_graphs) graphs_.pop_back();
  Graph& added = graphs_.emplace_front();
  added.num_vertices = graph.num_vertices();
  added.edges = graph.edges();
  added.rotation = rotation;
  return added;
}

std::shared_ptr<const PlanarTerms> plan_planar_terms(const UndirectedGraph& graph, ExtraEdges searched,
                                                     std::uint64_t seed, const RunContext& run, std::string* why_not,
                                                     const RotationSystem* rotation, KnownPlanarGraphs* known) {
  const bool is_large = graph.num_vertices() >= least_vertices;
  KnownPlanarGraphs nothing;
  KnownPlanarGraphs::Graph& found = (known && is_large ? *known : nothing).of(graph, rotation);
  if (!found.was_planned) {
    if (auto plan = plan_kasteleyn(graph, seed, run, rotation))
      found.whole = std::make_shared<const PlanarTerms>(graph, *std::move(plan));
    found.was_planned = true;
  }
  // The torus and surfaces that are simpler have no more Pfaffians than a graph without two edges has terms.
  const bool on_surface = found.whole && found.whole->plan().surface;
  const int log2_divisor = on_surface ? found.whole->plan().surface->log2_divisor : 0;
  const bool is_simple = found.whole && log2_divisor <= 2;
  if (is_simple ||
      (!found.whole && (searched == ExtraEdges::of_none || (searched == ExtraEdges::of_large_graphs && !is_large))))
    return found.whole;
  std::size_t most = affordable_extra(graph.num_vertices());
  if (on_surface) most = std::min(most, log2_divisor - std::size_t{1});
  if (!found.was_searched) {
    found.extra = edges_off_the_plane(graph, most, seed, run);
    if (found.extra && found.extra->size() <= most)
      found.terms = std::make_shared<const PlanarTerms>(graph, *found.extra, seed, run);
    found.was_searched = true;
  }
  if (found.terms) return found.terms;
  if (found.extra && why_not)
    *why_not = "planar but for at most " + std::to_string(found.extra->size()) + " edges, " + std::to_string(most) +
               " would do";
  return found.whole;
}

// ---- Samples.

TermSampler::TermSampler(GraphBlock<RealEntry> block, std::shared_ptr<const PlanarTerms> terms, const RunContext& run)
    : block_(std::move(block)), terms_(std::move(terms)), run_(run) {
  ScaledReal sum;
  std::vector<ScaledReal> sums;
  for (std::size_t i = 0; i < terms_->size(); ++i) {
    const PlanarTerm term = terms_->term(i);
    sum = sum + hafnian_kasteleyn(term.block(block_.entries), term.plan, Precision::float64, run).value;
    sums.push_back(sum);
  }
  for (const ScaledReal& up_to : sums)
    up_to_.push_back(ScaledReal(up_to.mantissa.hi / sum.mantissa.hi, up_to.exponent - sum.exponent).to_double());
}

std::vector<EdgeId> TermSampler::draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                                      std::size_t count) {
  constexpr std::uint32_t step = ~std::uint32_t{0};  // beyond those of a term
  std::map<std::size_t, std::vector<std::size_t>> of_term;
  for (std::size_t i = 0; i < count; ++i) {
    const double point = uniform_of_sample(seed, stream, first + i, step);
    const auto term = std::min(std::upper_bound(up_to_.begin(), up_to_.end(), point), up_to_.end() - 1);
    of_term[static_cast<std::size_t>(term - up_to_.begin())].push_back(i);
  }
  const std::size_t size = matching_size();
  std::vector<EdgeId> edges(size * count);
  for (const auto& [number, samples] : of_term) {
    PlanarTerm term = terms_->term(number);
    const auto sampler = planar_sampler(term.block(block_.entries), std::move(term.plan), run_);
    for (const std::size_t i : samples) {
      const std::vector<EdgeId> drawn = sampler->draw(seed, stream, first + i, 1);
      for (std::size_t e = 0; e < size; ++e) edges[i * size + e] = term.edges[drawn[e]];
    }
  }
  return edges;
}

}  // namespace matchcount
