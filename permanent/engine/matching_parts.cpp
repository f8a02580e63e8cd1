// Connected components are independent. A maximum matching of a bipartite graph has none of the edges that the
// decomposition of Dulmage and Mendelsohn rules out, and where those are gone, vertices of one side alone stay
// unmatched in a component, as many as it has more of: that leaves little to choose. In other graphs the polynomial of
// a state counts the unmatched.

#include "permanent/engine/matching_parts.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "graph/two_colouring.hpp"
#include "graph/weights.hpp"
#include "matching/dulmage_mendelsohn.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount {
namespace {

Rational exact(DoubleDouble value) { return exactly(value.hi) + exactly(value.lo); }

DoubleDouble nearest(const Rational& value) {
  const ScaledReal scaled = nearest_real(value);
  const auto exponent = static_cast<int>(std::clamp<std::int64_t>(scaled.exponent, -5000, 5000));
  return ldexp(scaled.mantissa, exponent);
}

using Wanted = MatchingQuestion::Wanted;

Rational activity_of(const Question& question) { return question.activity ? *question.activity : Rational(1); }

void require_vertices(std::span<const Vertex> vertices, std::size_t size) {
  for (const Vertex v : vertices)
    if (v >= size) throw InputError("the vertex " + std::to_string(v), "one of " + std::to_string(size));
}

// A graph with all that is known of its vertices.
struct Whole {
  UndirectedGraph graph;
  std::vector<bool> is_column;  // empty: no sides
  std::vector<bool> may_be_unmatched;
  std::vector<GaussianRational> vertices;
  std::vector<Vertex> partner;  // in a maximum matching
};

// Returns the graph on the vertices of some edges, which have these places.
UndirectedGraph component_of(const UndirectedGraph& graph, const std::vector<EdgeId>& ids,
                             const std::vector<Vertex>& place, Vertex size) {
  std::vector<Edge> edges;
  for (const EdgeId id : ids) edges.push_back({place[graph.edges()[id].row], place[graph.edges()[id].column]});
  return UndirectedGraph::from_edges(size, std::move(edges), gather(graph.weights(), ids));
}

void split(const Whole& whole, const Question& question, MatchingParts& result) {
  const ColouredComponents components = coloured_components(whole.graph);
  std::vector<std::vector<Vertex>> members(components.count());
  std::vector<std::vector<EdgeId>> edges(components.count());
  std::vector<Vertex> place(whole.graph.num_vertices());
  for (Vertex v = 0; v < whole.graph.num_vertices(); ++v) {
    place[v] = static_cast<Vertex>(members[components.component[v]].size());
    members[components.component[v]].push_back(v);
  }
  for (EdgeId id = 0; id < whole.graph.num_edges(); ++id)
    edges[components.component[whole.graph.edges()[id].row]].push_back(id);
  const bool of_all = policy_of(question.matchings).of_every_size;
  for (Vertex component = 0; component < components.count(); ++component) {
    const std::vector<Vertex>& vertices = members[component];
    if (vertices.size() == 1) {
      const GaussianRational& weight = whole.vertices[vertices.front()];
      GaussianRational& all = result.isolated;
      all = {all.re * weight.re - all.im * weight.im, all.re * weight.im + all.im * weight.re};
      continue;
    }
    MatchingPart part;
    part.graph = component_of(whole.graph, edges[component], place, static_cast<Vertex>(vertices.size()));
    part.question.pattern = part.graph.pattern();
    part.weights.edges = exact_weights(part.graph.weights(), part.graph.num_edges(), question.fractions);
    std::uint32_t most = 0, left_out = 0;
    for (const Vertex v : vertices) {
      part.question.unmatched.may_be.push_back(whole.may_be_unmatched[v]);
      part.weights.vertices.push_back(whole.vertices[v]);
      if (!whole.is_column.empty()) part.is_column.push_back(whole.is_column[v]);
      most += whole.may_be_unmatched[v];
      left_out += whole.partner[v] == unmatched;
    }
    part.question.unmatched.most = of_all ? most : left_out;
    part.question.unmatched.maximal = question.matchings == MatchingKind::maximal;
    part.pairs = static_cast<Vertex>((vertices.size() - left_out) / 2);
    if (!of_all && left_out == 0) {
      part.question.unmatched.may_be.assign(vertices.size(), false);
      part.weights.vertices.assign(vertices.size(), {});
    }
    if (question.matchings == MatchingKind::by_size) {
      part.question.wanted = Wanted::by_pairs;
      part.question.most_pairs = part.pairs;
    }
    if (!of_all && left_out > 0 && whole.is_column.empty()) part.question.wanted = Wanted::most_unmatched;
    part.names = vertices;
    result.parts.push_back(std::move(part));
  }
  std::ranges::stable_sort(result.parts, std::ranges::greater{},
                           [](const MatchingPart& part) { return part.graph.num_edges(); });
}

void note_weights(const UndirectedGraph& graph, const Question& question, MatchingParts& result) {
  const auto take = [&](WeightKind kind) {
    result.is_complex |= kind == WeightKind::complex;
    result.is_inexact |= kind == WeightKind::complex || kind == WeightKind::real;
  };
  take(graph.weight_kind());
  if (question.loops) take(static_cast<WeightKind>(question.loops->index()));
}

}  // namespace

Integer MatchingWeights::common_denominator() const {
  Integer multiple = 1;
  for (const auto* values : {&edges, &vertices}) {
    for (const GaussianRational& value : *values) {
      for (const Rational* part : {&value.re, &value.im})
        if (denominator(*part) != 1) multiple = lcm(multiple, denominator(*part));
    }
  }
  return multiple;
}

MatchingWeights MatchingWeights::magnitudes() const {
  MatchingWeights result = *this;
  for (auto* values : {&result.edges, &result.vertices})
    for (GaussianRational& value : *values) value = {abs(value.re) + abs(value.im), 0};
  return result;
}

std::vector<GaussianRational> exact_weights(const Weights& weights, std::size_t count,
                                            std::span<const Rational> fractions) {
  std::vector<GaussianRational> result;
  result.reserve(count);
  std::visit(
      [&](const auto& values) {
        using Values = std::decay_t<decltype(values)>;
        if constexpr (std::is_same_v<Values, std::monostate>) {
          result.assign(count, {1, 0});
        } else {
          if (values.size() != count)
            throw InputError(std::to_string(values.size()) + " weights", std::to_string(count) + " of them");
          for (const auto& value : values) {
            if constexpr (std::is_same_v<Values, std::vector<ComplexDoubleDouble>>) {
              result.push_back({exact(value.re), exact(value.im)});
            } else if constexpr (std::is_same_v<Values, std::vector<DoubleDouble>>) {
              result.push_back({exact(value), 0});
            } else if (fractions.empty()) {
              result.push_back({value, 0});
            } else {
              if (value < 0 || static_cast<std::size_t>(value) >= fractions.size())
                throw InputError("the place " + std::to_string(value) + " as a weight",
                                 "a place in a table of " + std::to_string(fractions.size()) + " fractions");
              result.push_back({fractions[static_cast<std::size_t>(value)], 0});
            }
          }
        }
      },
      weights);
  return result;
}

std::vector<GaussianInteger> times_multiple(const std::vector<GaussianRational>& values, const Integer& multiple) {
  std::vector<GaussianInteger> result;
  result.reserve(values.size());
  const auto times = [&](const Rational& value) { return numerator(value) * (multiple / denominator(value)); };
  for (const GaussianRational& value : values) result.push_back({times(value.re), times(value.im)});
  return result;
}

std::vector<ComplexEntry> as_entries(const std::vector<GaussianRational>& values) {
  std::vector<ComplexEntry> result;
  result.reserve(values.size());
  for (const GaussianRational& value : values) {
    ComplexEntry entry{{nearest(value.re), nearest(value.im)}, 0};
    entry.magnitude = std::hypot(entry.value.re.hi, entry.value.im.hi) * (1 + 0x1p-50);
    result.push_back(entry);
  }
  return result;
}

MatchingSum exact_answer(const GaussianInteger& value, const Integer& divisor, WeightKind kind, double log2_error) {
  const Rational re(value.re, divisor);
  if (kind != WeightKind::real && kind != WeightKind::complex) {
    if (denominator(re) == 1) return {numerator(re), {}};
    const ScaledReal rounded = nearest_real(re);
    return {RealValue{rounded, rounded.log2_abs() - 100}, re};
  }
  constexpr double rounding = 100;
  if (kind == WeightKind::real) {
    const ScaledReal rounded = nearest_real(re);
    return {RealValue{rounded, log2_sum(log2_error, rounded.log2_abs() - rounding)}, {}};
  }
  ComplexValue result;
  result.value = {nearest_real(re), nearest_real(Rational(value.im, divisor))};
  result.log2_error = log2_sum(log2_error, log2_abs(result.value) - rounding);
  return {result, {}};
}

// ---- Parts.

MatchingParts matching_parts(const UndirectedGraph& given, const Question& question, const RunContext& run) {
  if (question.matchings == MatchingKind::saturating)
    throw InputError("saturating matchings of a graph without sides", "a bipartite graph, or maximum matchings");
  MatchingParts result;
  Whole whole;
  whole.graph = question.weighted ? given : given.pattern();
  note_weights(whole.graph, question, result);
  const Vertex size = whole.graph.num_vertices();
  const GraphMatching maximum = maximum_matching(whole.graph, run);
  result.maximum_matching = maximum.size;
  result.is_perfect = question.matchings == MatchingKind::maximum && maximum.is_perfect();
  if (result.is_perfect) return result;
  whole.partner = maximum.partner;
  whole.vertices = question.loops ? exact_weights(*question.loops, size, question.fractions)
                                  : std::vector<GaussianRational>(size, {activity_of(question), 0});
  require_vertices(question.always_matched, size);
  for (const Vertex v : question.always_matched) whole.vertices[v] = {};
  for (const GaussianRational& weight : whole.vertices) whole.may_be_unmatched.push_back(weight != GaussianRational{});
  split(whole, question, result);
  return result;
}

MatchingParts matching_parts(const BipartiteGraph& given, const Question& question, const RunContext& run) {
  if (question.loops) throw InputError("loops of a bipartite graph", "a graph without sides");
  MatchingParts result;
  const Vertex rows = given.num_rows(), columns = given.num_columns();
  UndirectedGraph whole_graph = UndirectedGraph::from_bipartite(question.weighted ? given : given.pattern());
  note_weights(whole_graph, question, result);
  const BipartiteGraph graph = given.pattern();
  const Matching maximum = maximum_matching(graph, run);
  result.maximum_matching = maximum.size;
  result.is_perfect = (question.matchings == MatchingKind::maximum && maximum.is_perfect()) ||
                      (question.matchings == MatchingKind::saturating && rows == columns);
  if (result.is_perfect) return result;
  if (question.matchings == MatchingKind::saturating && maximum.size < std::min(rows, columns)) {
    result.hall_violator = hall_violator(graph, maximum, rows < columns);
    return result;
  }
  Whole whole;
  const std::size_t size = std::size_t{rows} + columns;
  whole.is_column.assign(size, false);
  std::fill(whole.is_column.begin() + rows, whole.is_column.end(), true);
  whole.may_be_unmatched.assign(size, true);
  require_vertices(question.always_matched, size);
  for (const Vertex v : question.always_matched) whole.may_be_unmatched[v] = false;
  if (!policy_of(question.matchings).of_every_size) {
    const CoarseDecomposition coarse = coarse_decomposition(graph, maximum);
    const FineDecomposition fine = fine_decomposition(graph, maximum, coarse);
    whole_graph = whole_graph.filtered(edges_in_maximum_matchings(graph, maximum, coarse, fine));
    for (Vertex r = 0; r < rows; ++r) whole.may_be_unmatched[r] = coarse.part_of_row[r] == CoarsePart::vertical;
    for (Vertex c = 0; c < columns; ++c)
      whole.may_be_unmatched[rows + c] = coarse.part_of_column[c] == CoarsePart::horizontal;
  }
  whole.graph = std::move(whole_graph);
  const Rational activity = activity_of(question);
  for (std::size_t v = 0; v < size; ++v) {
    whole.vertices.push_back({whole.may_be_unmatched[v] ? activity : Rational(0), 0});
    const Vertex other = v < rows ? maximum.column_of_row[v] : maximum.row_of_column[v - rows];
    whole.partner.push_back(other);
  }
  split(whole, question, result);
  return result;
}

std::string identity(const MatchingParts& parts, const Question& question) {
  Hash hash;
  const auto add_number = [&](const GaussianRational& value) {
    hash.add_text(to_decimal(value.re));
    hash.add_text(to_decimal(value.im));
  };
  hash.add_text(to_string(question.matchings));
  add_number(parts.isolated);
  for (const MatchingPart& part : parts.parts) {
    hash.add(part.graph.num_vertices());
    hash.add(part.question.unmatched.most);
    hash.add_all(part.graph.edges());
    for (const GaussianRational& weight : part.weights.edges) add_number(weight);
    for (const GaussianRational& weight : part.weights.vertices) add_number(weight);
  }
  return hash.hex();
}

}  // namespace matchcount
