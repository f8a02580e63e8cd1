// The values f(S) of a piece may be divided by a common factor, which is one of the whole: integers by what divides
// them all, reals by a power of two, so that weights keep near 1.
//
// Errors of reals. A weight that takes the place of a piece has its own bound. Where every weight of a part with n
// vertices is off by at most a share r of its magnitude, the sum is off by n r times that over the magnitudes: a
// matching has n / 2 of them, and (1 + r)^(n/2) - 1 < n r as long as n r < 1.

#include "permanent/engine/cut_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "matching/graph_matching.hpp"
#include "permanent/engine/big_entries.hpp"
#include "permanent/engine/engine.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/product.hpp"

namespace matchcount {

namespace {

constexpr int most_roots = 8;

// Carries out one cut after the other on a graph that changes.
class Cutter {
 public:
  Cutter(const UndirectedGraph& graph, bool other_root, const RunContext& run) : search_(graph), run_(run) {
    const std::vector<Vertex> others = other_root ? search_.farthest_first() : std::vector<Vertex>();
    if (!others.empty()) search_.start_from(others.front());
    plan_.edges = graph.edges();
    is_there_.assign(plan_.edges.size(), true);
    incident_.resize(graph.num_vertices());
    for (EdgeId id = 0; id < plan_.edges.size(); ++id) {
      incident_[plan_.edges[id].row].push_back(id);
      incident_[plan_.edges[id].column].push_back(id);
    }
  }

  void cut(std::size_t most_boundary) {
    for (int tries = 0; tries < most_roots && !cut_around(search_.farthest_first(), most_boundary); ++tries) {
    }
    // A piece with the root in its boundary is found from elsewhere.
    const std::vector<Vertex> beside = search_.neighbours(search_.root());
    start_far_away(most_boundary);
    cut_around(beside, most_boundary);
  }

  CutPlan take() {
    for (Vertex v = 0; v < incident_.size(); ++v)
      if (search_.is_there(v)) plan_.vertices.push_back(v);
    for (EdgeId id = 0; id < plan_.edges.size(); ++id)
      if (is_there_[id]) plan_.rest.push_back(id);
    return std::move(plan_);
  }

 private:
  // False where it was the root that is behind few vertices, and another one has taken its place.
  bool cut_around(const std::vector<Vertex>& vertices, std::size_t most_boundary) {
    for (const Vertex v : vertices) {
      if (!search_.is_there(v)) continue;
      run_.check();
      const auto piece = search_.around(v, most_boundary, search_.num_vertices() / 2,
                                        [&](const HangingPiece& found) { return is_worth_it(found); });
      if (piece) replace(*piece);
      if (!search_.is_root_cut_off()) continue;
      start_far_away(most_boundary);
      return false;
    }
    return true;
  }

  // Takes a root far from the last one, if possible one that its own neighbours do not cut off.
  void start_far_away(std::size_t most_boundary) {
    const std::vector<Vertex> far = search_.farthest_first();
    if (far.empty()) return;
    const auto root = std::ranges::find_if(far, [&](Vertex v) { return search_.neighbours(v).size() > most_boundary; });
    search_.start_from(root == far.end() ? far.front() : *root);
  }

  // Says whether fewer vertices take the place of the piece.
  bool is_worth_it(const HangingPiece& piece) {
    const std::size_t inside = piece.inside.size();
    const bool is_even = inside % 2 == 0;
    if (piece.boundary.size() == 1 || (piece.boundary.size() == 2 && !is_even)) return inside > (is_even ? 0 : 1);
    // Edges of the boundary that weigh 0 would be taken for possible ones behind the next cut.
    if (piece.boundary.size() == 2) return is_possible(piece, 0);
    // If the first subset is not possible, others are.
    const bool has_first = is_possible(piece, is_even ? 0 : 7);
    return inside > (is_even == has_first ? (is_even ? 2 : 1) : (is_even ? 4 : 3));
  }

  std::vector<EdgeId> edges_of(const HangingPiece& piece) const {
    std::vector<EdgeId> edges;
    for (const Vertex v : piece.inside) edges.insert(edges.end(), incident_[v].begin(), incident_[v].end());
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
  }

  static std::vector<Vertex> taken(const HangingPiece& piece, std::size_t mask) {
    std::vector<Vertex> result;
    for (std::size_t i = 0; i < piece.boundary.size(); ++i)
      if (mask >> i & 1) result.push_back(piece.boundary[i]);
    return result;
  }
  bool is_possible(const HangingPiece& piece, std::size_t mask) const {
    Cut cut;
    cut.piece = piece;
    cut.edges = edges_of(piece);
    return is_possible(cut, {taken(piece, mask)});
  }
  bool is_possible(const Cut& cut, const Cut::Subset& subset) const {
    return maximum_matching(piece_with(plan_, cut, subset).pattern, run_).is_perfect();
  }

  void replace(const HangingPiece& piece) {
    Cut cut;
    cut.piece = piece;
    cut.edges = edges_of(piece);
    const std::size_t size = piece.boundary.size();
    // Go by number of members, then in order: none, two of them; or one, all three.
    for (const std::size_t members : {0, 1, 2, 3}) {
      if (members % 2 != piece.inside.size() % 2) continue;
      for (std::size_t mask = 0; mask < std::size_t{1} << size; ++mask) {
        Cut::Subset subset{taken(piece, mask)};
        if (subset.taken.size() != members) continue;
        subset.is_possible = is_possible(cut, subset);
        cut.subsets.push_back(std::move(subset));
      }
    }
    for (const EdgeId edge : cut.edges) {
      is_there_[edge] = false;
      for (const Vertex v : {plan_.edges[edge].row, plan_.edges[edge].column}) std::erase(incident_[v], edge);
    }
    search_.remove(piece);
    if (size == 3)
      piece.inside.size() % 2 == 0 ? even_behind_three(cut) : odd_behind_three(cut);
    else
      piece.inside.size() % 2 == 0 ? even(cut) : odd(cut);
    plan_.cuts.push_back(std::move(cut));
  }

  // Subsets: none; then pairs.
  void even(Cut& cut) {
    cut.otherwise = 0;
    if (cut.subsets.size() == 1 || !cut.subsets[1].is_possible) {
      cut.factor = 0;
      return;
    }
    cut.scaled = incident_[cut.piece.boundary[0]];
    add(cut, cut.piece.boundary[0], cut.piece.boundary[1], 1, Cut::nothing, 1);
  }
  // Subsets: single vertices.
  void odd(Cut& cut) { star(cut); }
  void star(Cut& cut) {
    const Vertex middle = new_vertex(cut.piece.boundary.front());
    for (int s = 0; s < static_cast<int>(cut.piece.boundary.size()); ++s)
      if (cut.subsets[s].is_possible) add(cut, middle, cut.piece.boundary[s], s, Cut::nothing, s);
  }

  // Subsets: none, 01, 02, 12, of boundary vertices.
  void even_behind_three(Cut& cut) {
    const std::vector<Vertex>& at = cut.piece.boundary;
    if (!cut.subsets[0].is_possible) {
      const std::array<Vertex, 3> ends = pendants(cut, {Cut::nothing, Cut::nothing, Cut::nothing});
      const Vertex middle = new_vertex(at[0]);
      for (const auto& [end, subset] : {std::pair(0, 3), std::pair(1, 2), std::pair(2, 1)})
        if (cut.subsets[subset].is_possible) add(cut, middle, ends[end], subset, Cut::nothing, subset);
      return;
    }
    cut.otherwise = 0;
    if (std::ranges::count(cut.subsets, true, &Cut::Subset::is_possible) == 1) {
      cut.factor = 0;
      return;
    }
    // Edges of the first two vertices have a factor f(none) each, so that one is too many.
    cut.divisor = 0;
    for (const int v : {0, 1})
      for (const EdgeId edge : incident_[at[v]]) cut.scaled.push_back(edge);
    if (cut.subsets[1].is_possible) add(cut, at[0], at[1], 0, 1, 1);
    if (cut.subsets[2].is_possible) add(cut, at[0], at[2], 2, Cut::nothing, 2);
    if (cut.subsets[3].is_possible) add(cut, at[1], at[2], 3, Cut::nothing, 3);
  }

  // Subsets: 0, 1, 2, all of them.
  void odd_behind_three(Cut& cut) {
    if (!cut.subsets[3].is_possible) return star(cut);
    cut.otherwise = cut.divisor = 3;
    const std::array<Vertex, 3> ends = pendants(cut, {3, 3, Cut::nothing});
    if (cut.subsets[0].is_possible) add(cut, ends[1], ends[2], 0, Cut::nothing, 0);
    if (cut.subsets[1].is_possible) add(cut, ends[0], ends[2], 1, Cut::nothing, 1);
    if (cut.subsets[2].is_possible) add(cut, ends[0], ends[1], 2, 3, 2);
  }

  // A new vertex at each of the boundary, by an edge of that value.
  std::array<Vertex, 3> pendants(Cut& cut, const std::array<int, 3>& values) {
    std::array<Vertex, 3> ends{};
    for (std::size_t i = 0; i < 3; ++i) {
      ends[i] = new_vertex(cut.piece.boundary[i]);
      add(cut, cut.piece.boundary[i], ends[i], values[i], Cut::nothing, Cut::nothing);
    }
    return ends;
  }

  Vertex new_vertex(Vertex beside) {
    incident_.emplace_back();
    return search_.add_vertex(beside);
  }
  void add(Cut& cut, Vertex u, Vertex v, int first, int second, int tells) {
    const EdgeId edge = plan_.edges.size();
    plan_.edges.push_back({std::min(u, v), std::max(u, v)});
    is_there_.push_back(true);
    incident_[u].push_back(edge);
    incident_[v].push_back(edge);
    cut.added.push_back({edge, first, second, tells});
    search_.add_edge(u, v);
  }

  PieceSearch search_;
  const RunContext& run_;
  CutPlan plan_;
  std::vector<bool> is_there_;
  std::vector<std::vector<EdgeId>> incident_;
};

// Takes a common factor out; 1 where all are 0.
Integer take_factor(std::vector<Integer>& values) {
  Integer common = 0;
  for (const Integer& value : values) common = gcd(common, abs(value));
  if (common.sign() == 0) return 1;
  for (Integer& value : values) value /= common;
  return common;
}
template <class Number>
Number take_factor(std::vector<Number>& values) {
  double largest = minus_infinity;
  for (const Number& value : values) largest = std::max(largest, log2_of(value));
  if (largest == minus_infinity) return one<Number>();
  const auto bits = static_cast<std::int64_t>(std::floor(largest));
  for (Number& value : values) shift(value, -bits);
  Number factor = one<Number>();
  shift(factor, bits);
  return factor;
}

void add_text(const Integer& value, std::string& key) { key += to_decimal(value) + ' '; }
void add_bits(const ScaledReal& value, std::string& key) {
  const double parts[] = {value.mantissa.hi, value.mantissa.lo, static_cast<double>(value.exponent)};
  key.append(reinterpret_cast<const char*>(parts), sizeof parts);
}
void add_text(const RealValue& value, std::string& key) { add_bits(value.value, key); }
void add_text(const ComplexValue& value, std::string& key) {
  add_bits(value.value.re, key);
  add_bits(value.value.im, key);
}

// Weights as a graph has them: times 2^-bits.
DoubleDouble as_weight(const RealValue& value, std::int64_t bits) {
  return ldexp(value.value.mantissa, static_cast<int>(std::max<std::int64_t>(value.value.exponent - bits, -5000)));
}
ComplexDoubleDouble as_weight(const ComplexValue& value, std::int64_t bits) {
  const auto part = [&](const ScaledReal& real) {
    return ldexp(real.mantissa, static_cast<int>(std::max<std::int64_t>(real.exponent - bits, -5000)));
  };
  return {part(value.value.re), part(value.value.im)};
}

Integer count_weighted(const UndirectedGraph& pattern, const std::vector<Integer>& weights, const CountOptions& options,
                       const RunContext& run) {
  std::vector<bool> keep;
  std::vector<GaussianInteger> entries;
  for (const Integer& weight : weights) {
    keep.push_back(weight.sign() != 0);
    if (keep.back()) entries.push_back({weight, 0});
  }
  const UndirectedGraph graph = pattern.filtered(keep);
  return compute_big(&graph, entries, options_of_pieces(options, run), nullptr).value.re;
}

template <class Number>
Number count_weighted(const UndirectedGraph& pattern, const std::vector<Number>& weights, const CountOptions& options,
                      const RunContext& run) {
  const ScaledGraph scaled = scaled_graph(pattern, weights);
  const Result result = compute(&scaled.graph, options_of_pieces(options, run), nullptr);
  if (!result.plan.has_perfect_matching()) return zero<Number>();
  Number value = std::get<Number>(result.value);
  undo(scaled, value.log2_magnitudes, value);
  return value;
}

}  // namespace

CutPlan plan_cuts(const UndirectedGraph& graph, std::size_t most_boundary, bool other_root, const RunContext& run) {
  Cutter cutter(graph, other_root, run);
  for (std::size_t boundary = 2; boundary <= most_boundary; ++boundary) cutter.cut(boundary);
  return cutter.take();
}

CutPart part_of(const CutPlan& plan, std::span<const Vertex> vertices, std::span<const EdgeId> edges) {
  std::unordered_map<Vertex, Vertex> place;
  for (const Vertex v : vertices) place.emplace(v, static_cast<Vertex>(place.size()));
  struct Local {
    Edge edge;
    EdgeId member;
  };
  std::vector<Local> all;
  for (const EdgeId id : edges) {
    const auto u = place.find(plan.edges[id].row), v = place.find(plan.edges[id].column);
    if (u == place.end() || v == place.end()) continue;
    const auto [least, most] = std::minmax(u->second, v->second);
    all.push_back({{least, most}, id});
  }
  std::ranges::stable_sort(all, {}, [](const Local& local) { return std::pair(local.edge.row, local.edge.column); });
  CutPart part;
  std::vector<Edge> ends;
  for (const Local& local : all) {
    if (ends.empty() || !(ends.back() == local.edge)) {
      ends.push_back(local.edge);
      part.members.emplace_back();
    }
    part.members.back().push_back(local.member);
  }
  part.pattern = UndirectedGraph::from_edges(static_cast<Vertex>(vertices.size()), std::move(ends));
  return part;
}

CutPart piece_with(const CutPlan& plan, const Cut& cut, const Cut::Subset& subset) {
  std::vector<Vertex> vertices = cut.piece.inside;
  vertices.insert(vertices.end(), subset.taken.begin(), subset.taken.end());
  return part_of(plan, vertices, cut.edges);
}

Integer quotient(const Integer& a, const Integer& b) {
  if ((a % b).sign() != 0) throw Error("a sum over cuts that its divisor does not divide; please report this graph");
  return a / b;
}
// Divisors are sums of positive weights.
RealValue quotient(const RealValue& a, const RealValue& b) {
  const double log2_b = b.value.log2_abs(), log2_relative = b.log2_error - log2_b;
  if (!(log2_relative < -2)) throw CannotGoOn("the sum of a piece behind a cut is not told from 0");
  RealValue result;
  result.value = {a.value.mantissa / b.value.mantissa, a.value.exponent - b.value.exponent};
  const double log2_a = a.value.log2_abs();
  result.log2_error =
      log2_sum(log2_sum(a.log2_error - log2_b, log2_a - log2_b + log2_relative) + 0.5, log2_a - log2_b - 98);
  result.log2_magnitudes = a.log2_magnitudes - log2_b + 0.5;
  return result;
}
ComplexValue quotient(const ComplexValue&, const ComplexValue&) { throw Error("a quotient of complex sums over cuts"); }

template <class Number>
ScaledGraph scaled_graph(const UndirectedGraph& pattern, const std::vector<Number>& weights) {
  constexpr double least_log2 = -900;
  double largest = minus_infinity;
  ScaledGraph result;
  for (const Number& weight : weights) {
    if (is_zero(weight)) {
      if (weight.log2_error > minus_infinity) throw CannotGoOn("a weight in the place of a piece is not told from 0");
      continue;
    }
    largest = std::max(largest, log2_of(weight));
    result.log2_share = std::max(result.log2_share, weight.log2_error - log2_of(weight));
  }
  const auto bits = largest == minus_infinity ? 0 : static_cast<std::int64_t>(std::floor(largest));
  std::vector<decltype(as_weight(weights.front(), 0))> given;
  for (const Number& weight : weights) {
    if (!is_zero(weight) && log2_of(weight) - largest < least_log2)
      throw CannotGoOn("weights in the place of pieces are too far apart for doubles");
    given.push_back(as_weight(weight, bits));
  }
  result.graph = pattern.with_weights(std::move(given));
  result.bits = bits * (pattern.num_vertices() / 2);
  result.log2_share += std::log2(pattern.num_vertices() + 1.0);
  return result;
}

template <class Number>
void undo(const ScaledGraph& scaled, double log2_magnitudes, Number& value) {
  if (scaled.log2_share > minus_infinity) {
    value.log2_error = scaled.log2_share < -1 ? log2_sum(value.log2_error, scaled.log2_share + log2_magnitudes)
                                              : std::numeric_limits<double>::infinity();
  }
  shift(value, scaled.bits);
}
template void undo(const ScaledGraph&, double, RealValue&);
template ScaledGraph scaled_graph(const UndirectedGraph&, const std::vector<RealValue>&);

CountOptions options_of_pieces(const CountOptions& options, const RunContext& run) {
  CountOptions result = what_is_left(options, run);
  result.method = Method::automatic;
  result.verify = false;
  result.order = nullptr;
  result.rotation = nullptr;
  result.wants_order = false;
  result.on_forecast = nullptr;
  result.run.on_progress = nullptr;
  return result;
}

template <class Entry>
CutSums<Entry>::CutSums(const CutPlan& plan, const std::vector<Entry>& entries, const CountOptions& options)
    : plan_(plan), options_(options) {
  for (const Entry& entry : entries) weights_.push_back(number_of(entry));
  weights_.resize(plan.edges.size());
}

template <class Entry>
auto CutSums<Entry>::weights_of(const CutPart& part) const -> std::vector<Number> {
  std::vector<Number> result;
  for (const std::vector<EdgeId>& members : part.members) {
    Number sum = weights_[members.front()];
    for (std::size_t i = 1; i < members.size(); ++i) sum = plus(sum, weights_[members[i]]);
    result.push_back(std::move(sum));
  }
  return result;
}

template <class Entry>
auto CutSums<Entry>::count(const CutPart& part, const RunContext& run) -> Number {
  const std::vector<Number> weights = weights_of(part);
  std::string key = std::to_string(part.pattern.num_vertices()) + ": ";
  for (EdgeId id = 0; id < weights.size(); ++id) {
    const Edge& edge = part.pattern.edges()[id];
    key += std::to_string(edge.row) + ' ' + std::to_string(edge.column) + ' ';
    add_text(weights[id], key);
  }
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  Number value = count_weighted(part.pattern, weights, options_, run);
  known_.emplace(std::move(key), value);
  return value;
}

template <class Entry>
void CutSums<Entry>::replace(std::size_t i, const RunContext& run) {
  const Cut& cut = plan_.cuts[i];
  std::vector<Number>& values = values_.emplace_back();
  for (const Cut::Subset& subset : cut.subsets)
    values.push_back(subset.is_possible ? count(piece_with(plan_, cut, subset), run) : zero<Number>());
  factors_.push_back(take_factor(values));
  if (cut.factor != Cut::nothing) factors_.push_back(values[static_cast<std::size_t>(cut.factor)]);
  if (cut.divisor != Cut::nothing) divisors_.push_back(values[static_cast<std::size_t>(cut.divisor)]);
  for (const EdgeId edge : cut.scaled) weights_[edge] = times(weights_[edge], values.front());
  for (const Cut::NewEdge& edge : cut.added) {
    Number& weight = weights_[edge.edge] = one<Number>();
    for (const int value : {edge.first, edge.second})
      if (value != Cut::nothing) weight = times(weight, values[static_cast<std::size_t>(value)]);
  }
}

template <class Entry>
auto CutSums<Entry>::total(const RunContext& run) -> Number {
  const auto steps = static_cast<double>(plan_.cuts.size() + 1);
  for (std::size_t i = 0; i < plan_.cuts.size(); ++i) {
    run.report("cuts", static_cast<double>(i), steps);
    replace(i, run);
  }
  known_.clear();
  const auto multiply = [](const Number& a, const Number& b) { return times(a, b); };
  Number sum = count(part_of(plan_, plan_.vertices, plan_.rest), run);
  sum = times(sum, product_of(factors_, one<Number>(), multiply));
  for (const Number& divisor : divisors_) sum = quotient(sum, divisor);
  return sum;
}

template class CutSums<std::int64_t>;
template class CutSums<RealEntry>;
template class CutSums<ComplexEntry>;

}  // namespace matchcount
