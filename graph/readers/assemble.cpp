#include "graph/readers/assemble.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "graph/two_colouring.hpp"
#include "graph/weights.hpp"

namespace matchcount::readers {
namespace {

bool is_weighted(const Weights& weights) { return weights.index() != 0; }

std::string describe_cycle(const std::vector<Vertex>& cycle, const std::vector<std::string>& labels) {
  constexpr std::size_t longest = 200;  // a longer one is cut in the middle
  std::string text = "an odd cycle of " + std::to_string(cycle.size()) + " vertices: ";
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (cycle.size() > longest && i == longest / 2) {
      text += "... - ";
      i = cycle.size() - longest / 2;
    }
    text += name_of(labels, cycle[i]) + " - ";
  }
  return text + name_of(labels, cycle[0]);
}

class Assembler {
 public:
  Assembler(Parsed parsed, const InputOptions& options, InputKind kind, LeftOut& left_out)
      : parsed_(std::move(parsed)), options_(options), left_out_(left_out) {
    was_weighted_ = is_weighted(parsed_.weights);
    input_.fractions = std::move(parsed_.fractions);
    input_.coordinates = std::move(parsed_.coordinates);
    input_.kind = kind;
  }

  Input assemble() {
    if (parsed_.shape == Parsed::Shape::two_sided) {
      take_sides();
    } else if (input_.kind == InputKind::undirected) {
      if (parsed_.shape == Parsed::Shape::mirrored) keep_one_direction();
      colour();
    } else {
      take_adjacency_matrix();
    }
    input_.weights_are_multiplicities = !was_weighted_ && input_.weight_kind() != WeightKind::none;
    return std::move(input_);
  }

 private:
  // The graph of parsed_'s rows, columns and edges, which are used up; without zeros unless they are kept.
  BipartiteGraph build() {
    if (!input_.fractions.empty() && options_.duplicates == Duplicates::sum) add_fractions();
    BipartiteGraph graph = BipartiteGraph::from_edges(parsed_.num_rows, parsed_.num_columns, std::move(parsed_.edges),
                                                      std::move(parsed_.weights), options_.duplicates);
    if (options_.keep_zeros || !has_zero(graph.weights())) return graph;
    const EdgeId before = graph.num_edges();
    graph = graph.drop_zeros();
    left_out_.zeros += before - graph.num_edges();
    return graph;
  }

  // Gives every edge once, with the sum of its fractions in a new table.
  void add_fractions() {
    std::map<Edge, Rational> sums;
    const auto& places = std::get<std::vector<std::int64_t>>(parsed_.weights);
    for (std::size_t i = 0; i < places.size(); ++i)
      sums[parsed_.edges[i]] += input_.fractions[static_cast<std::size_t>(places[i])];
    std::map<Rational, std::int64_t> place_of{{Rational(0), 0}};
    std::vector<std::int64_t> of_edge;
    parsed_.edges.clear();
    input_.fractions.assign(1, 0);
    for (const auto& [edge, sum] : sums) {
      const auto [place, is_new] = place_of.try_emplace(sum, static_cast<std::int64_t>(place_of.size()));
      if (is_new) input_.fractions.push_back(sum);
      parsed_.edges.push_back(edge);
      of_edge.push_back(place->second);
    }
    parsed_.weights = std::move(of_edge);
  }

  void take_edges_of(const BipartiteGraph& graph) {
    parsed_.edges = graph.edges();
    parsed_.weights = graph.weights();
  }

  // Rows and columns are the same vertices.
  void take_adjacency_matrix() {
    // A loop stands once on the diagonal.
    if (parsed_.shape == Parsed::Shape::undirected) append_mirrored(parsed_.edges, parsed_.weights);
    input_.graph = build();
    if (parsed_.shape == Parsed::Shape::mirrored) check_mirrored(input_.graph);
    input_.column_labels = parsed_.row_labels;
    input_.row_labels = std::move(parsed_.row_labels);
  }

  void check_mirrored(const BipartiteGraph& graph) const {
    const std::optional<Edge> edge = asymmetric_edge(graph);
    if (!edge) return;
    throw EdgeFault{*edge,
                    "an edge from " + name_of(parsed_.row_labels, edge->row) + " to " +
                        name_of(parsed_.row_labels, edge->column) + " that differs from the one back, or has none",
                    "the same edge in both directions"};
  }

  void keep_one_direction() {
    const BipartiteGraph both = build();
    left_out_.zeros /= 2;
    check_mirrored(both);
    std::vector<bool> keep(both.num_edges());
    for (Vertex v = 0; v < both.num_rows(); ++v) {
      const std::span<const Vertex> row = both.row(v);
      for (std::size_t i = 0; i < row.size(); ++i) keep[both.row_begin(v) + i] = v <= row[i];
    }
    take_edges_of(both.filtered(keep));
  }

  // A matching has no loop.
  void drop_loops() {
    std::vector<EdgeId> kept;
    for (EdgeId id = 0; id < parsed_.edges.size(); ++id)
      if (parsed_.edges[id].row != parsed_.edges[id].column) kept.push_back(id);
    left_out_.loops = parsed_.edges.size() - kept.size();
    if (left_out_.loops == 0) return;
    parsed_.weights = gather(parsed_.weights, kept);
    std::erase_if(parsed_.edges, [](const Edge& edge) { return edge.row == edge.column; });
  }

  // Moves loops to input_.loops, if there are any.
  void take_loops() {
    const auto is_loop = [](const Edge& edge) { return edge.row == edge.column; };
    const auto first = std::find_if(parsed_.edges.begin(), parsed_.edges.end(), is_loop);
    if (first == parsed_.edges.end()) return;
    first_loop_ = first->row;
    std::vector<Edge> loops, edges;
    std::vector<EdgeId> of_loops, of_edges;
    for (EdgeId id = 0; id < parsed_.edges.size(); ++id) {
      const Edge edge = parsed_.edges[id];
      (is_loop(edge) ? loops : edges).push_back(edge);
      (is_loop(edge) ? of_loops : of_edges).push_back(id);
    }
    const BipartiteGraph diagonal = BipartiteGraph::from_edges(parsed_.num_rows, parsed_.num_rows, std::move(loops),
                                                               gather(parsed_.weights, of_loops), options_.duplicates);
    parsed_.edges = std::move(edges);
    parsed_.weights = gather(parsed_.weights, of_edges);
    const std::vector<Edge> places = diagonal.edges();
    std::vector<std::int64_t> ones(parsed_.num_rows, 0);
    for (const Edge& place : places) ones[place.row] = 1;
    input_.loops = std::move(ones);
    visit_values(diagonal.weights(), [&](const auto& values) {
      std::decay_t<decltype(values)> by_vertex(parsed_.num_rows, 0);
      for (std::size_t i = 0; i < places.size(); ++i) by_vertex[places[i].row] = values[i];
      input_.loops = std::move(by_vertex);
    });
  }

  // One set of vertices into rows and columns.
  void colour() {
    if (options_.duplicates == Duplicates::sum || (!options_.keep_zeros && has_zero(parsed_.weights))) {
      // An edge of weight 0, or whose weights sum up to 0, is none, so it can't close an odd cycle either.
      for (Edge& edge : parsed_.edges)
        if (edge.row > edge.column) std::swap(edge.row, edge.column);
      take_edges_of(build());
    }
    if (options_.loops == Loops::drop) drop_loops();
    if (options_.loops == Loops::keep && options_.odd_cycles) take_loops();
    for (const Edge& edge : parsed_.edges) {
      if (edge.row == edge.column) {
        throw EdgeFault{
            edge, "a loop at " + name_of(parsed_.row_labels, edge.row),
            "edges between two vertices in an undirected graph; --loops drop leaves loops out, and hafnian --loops "
            "takes them"};
      }
    }
    TwoColouring colouring = two_colour(parsed_.num_rows, parsed_.edges);
    if (input_.loops && colouring.odd_cycle.empty()) colouring.odd_cycle = {first_loop_};
    if (!colouring.odd_cycle.empty() && options_.odd_cycles) {
      input_.odd_cycle = std::move(colouring.odd_cycle);
      input_.undirected = UndirectedGraph::from_edges(parsed_.num_rows, std::move(parsed_.edges),
                                                      std::move(parsed_.weights), options_.duplicates);
      input_.row_labels = std::move(parsed_.row_labels);
      return;
    }
    if (!colouring.odd_cycle.empty()) {
      throw InputError(describe_cycle(colouring.odd_cycle, parsed_.row_labels),
                       "a bipartite graph, which has no odd cycle");
    }
    part_sides(parsed_, colouring.is_column);
    input_.is_column = std::move(colouring.is_column);
    take_sides();
  }

  void take_sides() {
    input_.graph = build();
    input_.row_labels = std::move(parsed_.row_labels);
    input_.column_labels = std::move(parsed_.column_labels);
  }

  Parsed parsed_;
  const InputOptions& options_;
  LeftOut& left_out_;
  Input input_;
  bool was_weighted_ = false;
  Vertex first_loop_ = 0;
};

}  // namespace

std::string name_of(const std::vector<std::string>& labels, Vertex vertex) {
  return labels.empty() ? std::to_string(vertex + 1) : labels[vertex];
}

void part_sides(Parsed& parsed, const std::vector<bool>& is_column) {
  std::vector<Vertex> place(parsed.num_rows);
  std::vector<std::string> labels[2];
  for (Vertex v = 0; v < parsed.num_rows; ++v) {
    std::vector<std::string>& side = labels[is_column[v]];
    place[v] = static_cast<Vertex>(side.size());
    side.push_back(parsed.row_labels.empty() ? std::to_string(v + 1) : std::move(parsed.row_labels[v]));
  }
  for (Edge& edge : parsed.edges) {
    if (is_column[edge.row]) std::swap(edge.row, edge.column);
    edge = {place[edge.row], place[edge.column]};
  }
  parsed.shape = Parsed::Shape::two_sided;
  parsed.num_rows = static_cast<Vertex>(labels[0].size());
  parsed.num_columns = static_cast<Vertex>(labels[1].size());
  parsed.row_labels = std::move(labels[0]);
  parsed.column_labels = std::move(labels[1]);
}

Parsed with_sides(const Source& source, Parsed parsed, const std::vector<bool>& is_column) {
  const InputKind kind = kind_of(source.options);
  if (kind == InputKind::directed) {
    refuse(source.text, 0, "a graph of two sides, which is undirected",
           "--kind bipartite or --kind matrix, where the sides are rows and columns, or --kind undirected");
  }
  if (kind != InputKind::undirected) part_sides(parsed, is_column);
  return parsed;
}

Input assemble(Parsed parsed, const InputOptions& options, InputKind kind, LeftOut& left_out) {
  return Assembler(std::move(parsed), options, kind, left_out).assemble();
}

}  // namespace matchcount::readers
