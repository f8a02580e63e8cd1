// Let L be the order, m the number of orbits and g a root of order 2 L modulo a prime; the w are its even powers or,
// where `wrap` is -1, its odd ones. With K(w) the matrix of the orbits, the determinant of the block of rows and
// columns is the product of those of all K(w). Without colours V^T K V, V the products of Fourier's matrix F and the
// unit matrix, pairs w with 1 / w: the Pfaffian is det(F)^-m, times the Pfaffians of K(1) and K(-1), which are skew,
// times (-1)^(m (m - 1) / 2) det K(1 / w) for each pair. With h pairs det(F)^2 = (-1)^h, which does for even m. For odd
// m and wrap 1 K(1) or K(-1) has odd size and the Pfaffian is 0; for odd m and wrap -1 w goes through g, 1 / g, g^3, 1
// / g^3, .., whose h (h - 1) inversions make det(F) = i^(3 h), i = g^h.
//
// An entry may vanish for some w, such as 1 + w for w = -1, and with it the pivots of a program for others. Programs
// are found for each order that w has: w of one order are conjugate, and what vanishes for one does for all.

#include "permanent/planar/symmetric_pfaffian.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/stopwatch.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

namespace {

// A symmetry that keeps the rotation is known from the image of one dart, an edge seen from one of its ends. With the
// moves that lead from the dart to its image, made again and again, the dart goes through its images under the powers,
// so that the order is known before the symmetry is. On a torus translations have the largest orders. Whether it turns
// cycles of the surface into others does not matter: what is checked is that the matrix is the same up to signs t of
// vertices. The product of t along an orbit, `wrap`, is the same for all of them, as the graph is connected. With signs
// s(x) of the vertices x = g^k u, the product of t from u on, the matrix depends on k' - k alone, for u and u' and k
// and k', but for `wrap` when k passes the order: Fourier's transform takes it to one matrix for each w.

constexpr std::size_t least_order = 8;
constexpr EdgeId unknown = ~EdgeId{0};

// A dart is 2 * id from edges()[id].row, 2 * id + 1 from its column.
class Darts {
 public:
  Darts(const UndirectedGraph& graph, const PlanarEmbedding& embedding)
      : graph_(graph), next_(2 * graph.num_edges()), image_(2 * graph.num_edges()) {
    const auto& [rotation, begin] = embedding;
    const auto dart_at = [&](std::size_t i, Vertex v) {
      return 2 * rotation[i] + (graph.edges()[rotation[i]].row == v ? 0 : 1);
    };
    for (Vertex v = 0; v < graph.num_vertices(); ++v) {
      const std::size_t first = begin[v], end = begin[v + std::size_t{1}];
      for (std::size_t i = first; i < end; ++i) next_[dart_at(i, v)] = dart_at(i + 1 == end ? first : i + 1, v);
    }
  }

  struct Candidate {
    EdgeId image;  // of the first dart
    std::size_t order;
  };
  // Returns those near by, the largest orders first.
  std::vector<Candidate> candidates() const {
    constexpr std::size_t most_near = 256;
    struct Near {
      EdgeId dart;
      std::size_t before;
      bool crosses;
    };
    std::vector<Near> near{{0, 0, false}};
    std::vector<bool> seen(next_.size(), false);
    seen[0] = true;
    std::vector<Candidate> result;
    double steps = 0;
    for (std::size_t at = 0; at < near.size() && near.size() < most_near; ++at) {
      for (const bool crosses : {true, false}) {
        const EdgeId dart = crosses ? near[at].dart ^ 1 : next_[near[at].dart];
        if (seen[dart]) continue;
        seen[dart] = true;
        near.push_back({dart, at, crosses});
      }
    }
    const double most_steps = 64 * static_cast<double>(next_.size());
    for (std::size_t at = 1; at < near.size() && steps < most_steps; ++at) {
      std::vector<bool> moves;
      for (std::size_t i = at; i != 0; i = near[i].before) moves.insert(moves.begin(), near[i].crosses);
      std::size_t order = 1;
      for (EdgeId dart = near[at].dart; dart != 0 && order <= next_.size(); ++order)
        for (const bool crosses : moves) dart = crosses ? dart ^ 1 : next_[dart];
      steps += static_cast<double>(order * moves.size());
      if (order >= least_order && order <= next_.size()) result.push_back({near[at].dart, order});
    }
    std::ranges::stable_sort(result, std::ranges::greater(), &Candidate::order);
    return result;
  }

  // Finds the images of all vertices; false where there is no such symmetry.
  bool extend(EdgeId to, const std::vector<std::uint32_t>& places, std::vector<Vertex>& image) {
    std::ranges::fill(image_, unknown);
    image.resize(graph_.num_vertices());
    image_[0] = to;
    std::vector<EdgeId> queue{0};
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const EdgeId dart = queue[at], there = image_[dart];
      if (places[dart / 2] != places[there / 2]) return false;
      image[start(dart)] = start(there);
      for (const auto& [from, onto] : {std::pair{next_[dart], next_[there]}, {dart ^ 1, there ^ 1}}) {
        if (image_[from] == unknown) {
          image_[from] = onto;
          queue.push_back(from);
        } else if (image_[from] != onto) {
          return false;
        }
      }
    }
    return queue.size() == next_.size();
  }

 private:
  Vertex start(EdgeId dart) const { return dart & 1 ? graph_.edges()[dart / 2].column : graph_.edges()[dart / 2].row; }

  const UndirectedGraph& graph_;
  std::vector<EdgeId> next_;   // at the same vertex
  std::vector<EdgeId> image_;  // of the symmetry that is tried
};

// Returns the length of all orbits, or 0 where they differ.
std::size_t order_of(const std::vector<Vertex>& image) {
  std::vector<bool> seen(image.size(), false);
  std::size_t order = 0;
  for (Vertex v = 0; v < image.size(); ++v) {
    if (seen[v]) continue;
    std::size_t length = 0;
    for (Vertex x = v; !seen[x]; x = image[x], ++length) seen[x] = true;
    if (order != 0 && length != order) return 0;
    order = length;
  }
  return order;
}

std::vector<Vertex> power(const std::vector<Vertex>& image, std::size_t exponent) {
  std::vector<Vertex> result(image.size());
  for (Vertex v = 0; v < image.size(); ++v) {
    result[v] = v;
    for (std::size_t i = 0; i < exponent; ++i) result[v] = image[result[v]];
  }
  return result;
}

std::size_t least_factor(std::size_t number) {
  for (std::size_t factor = 2; factor * factor <= number; ++factor)
    if (number % factor == 0) return factor;
  return number;
}

// Determinants or Pfaffians for the powers of g that have one order.
struct OrderClass {
  const OrbitMatrices::Graph* matrix;
  const Dissection* dissection;
  const EliminationStructure* structure;
  std::vector<std::size_t> powers;
  EliminationProgram program;
};

// Powers of a root of order 2 L modulo a prime, in Montgomery's form, and the residues of a table.
struct Powers {
  Powers(std::uint64_t prime, std::size_t of_order, std::uint64_t one, const EntryTable& table)
      : values(of_order), residues(table.residues(prime, 0)) {
    const std::uint64_t root = root_of_order(prime, of_order);
    values[0] = static_cast<std::uint32_t>(one % prime);
    for (std::size_t i = 1; i < of_order; ++i) values[i] = static_cast<std::uint32_t>(values[i - 1] * root % prime);
  }
  static std::uint64_t root_of_order(std::uint64_t prime, std::uint64_t order) {
    std::vector<std::uint64_t> factors;
    std::uint64_t rest = order;
    for (std::uint64_t factor = 2; rest > 1; ++factor) {
      if (factor * factor > rest) factor = rest;
      if (rest % factor != 0) continue;
      factors.push_back(factor);
      while (rest % factor == 0) rest /= factor;
    }
    for (std::uint64_t base = 2;; ++base) {
      const std::uint64_t root = power_mod(base, (prime - 1) / order, prime);
      if (std::ranges::all_of(factors, [&](std::uint64_t f) { return power_mod(root, order / f, prime) != 1; }))
        return root;
    }
  }
  std::uint32_t value(const OrbitMatrices::Polynomial& polynomial, std::size_t power, std::uint64_t prime) const {
    std::uint64_t sum = 0;
    for (const auto& [exponent, place, factor] : polynomial) {
      const std::uint64_t term = std::uint64_t{residues[place]} * values[power * exponent % values.size()] % prime;
      sum += term * residue_of(factor, prime) % prime;
    }
    return static_cast<std::uint32_t>(sum % prime);
  }

  std::vector<std::uint32_t> values, residues;
};

class Symmetric {
 public:
  Symmetric(const OrbitMatrices& orbits, const EntryTable& table, const RunContext& run)
      : orbits_(orbits), table_(table) {
    constexpr std::uint64_t seed = 1;  // of an order of elimination, which answers do not depend on
    const auto prepare = [&](const OrbitMatrices::Graph& matrix, Dissection& dissection,
                             EliminationStructure& structure) {
      dissection = nested_dissection(matrix.graph, seed, run);
      structure = analyse_elimination(matrix.graph, matrix.is_column, dissection);
    };
    prepare(orbits.blocks, dissection_, structure_);
    const std::size_t order = orbits.order, roots = 2 * order;
    const bool coloured = orbits.skew.is_column.empty() && orbits.skew.graph.num_vertices() == 0;
    if (!coloured) prepare(orbits.skew, skew_dissection_, skew_structure_);
    for (std::size_t power = orbits.wrap > 0 ? 0 : 1; power < roots; power += 2) {
      const bool own_inverse = power % order == 0;
      if (coloured) {
        add(orbits.blocks, dissection_, structure_, power);
      } else if (own_inverse) {
        add(orbits.skew, skew_dissection_, skew_structure_, power);
      } else if (power < order) {
        add(orbits.blocks, dissection_, structure_, roots - power);
        ++pairs_;
      }
    }
    is_odd_skew_ = orbits.size % 2 == 1 && !coloured && orbits.wrap > 0;
    negated_ = orbits.negated;
    if (coloured) return;
    if (orbits.size * (orbits.size - 1) / 2 % 2 == 1 && pairs_ % 2 == 1) negated_ = !negated_;
    if (orbits.size % 2 == 0) {
      if (orbits.size / 2 % 2 == 1 && pairs_ % 2 == 1) negated_ = !negated_;
    } else {
      quarter_turns_ = pairs_ * orbits.size % 4;
    }
  }

  bool is_odd_skew() const { return is_odd_skew_; }
  // Counts what it takes to write values down as entries of fronts, of which that many take the same time.
  EliminationStructure structure() const {
    constexpr double entries_of_power = 50, entries_of_term = 25;
    EliminationStructure sum;
    sum.entries = entries_of_power * 2 * static_cast<double>(orbits_.order);
    double terms = 0;
    for (const auto& polynomial : orbits_.polynomials) terms += static_cast<double>(polynomial.size());
    for (const OrderClass& one : classes_) {
      const auto count = static_cast<double>(one.powers.size());
      sum.multiplications += count * one.structure->multiplications;
      sum.entries += count * (one.structure->entries + entries_of_term * terms);
      sum.pivots += count * one.structure->pivots;
      sum.peak_entries = std::max(sum.peak_entries, one.structure->peak_entries);
    }
    return sum;
  }

  // Finds programs, modulo a prime that is 1 modulo 2 L; false where it divides a determinant.
  bool find_programs(std::uint64_t prime, const RunContext& run) {
    const Powers powers(prime, 2 * orbits_.order, 1, table_);
    multiplications_ = 0;
    for (OrderClass& one : classes_) {
      std::vector<std::uint32_t> residues;
      for (const auto& polynomial : orbits_.polynomials)
        residues.push_back(powers.value(polynomial, one.powers.front(), prime));
      const OrbitMatrices::Graph& matrix = *one.matrix;
      one.program = eliminate({matrix.graph, matrix.places, residues, matrix.signs, matrix.is_column}, *one.dissection,
                              *one.structure, prime, run);
      if (!one.program.complete) return false;
      multiplications_ += one.program.multiplications * static_cast<double>(one.powers.size());
    }
    return true;
  }
  double multiplications() const { return multiplications_; }

  // Returns the Pfaffian modulo each prime; 0 where a pivot vanishes.
  std::vector<std::uint64_t> residues(std::span<const ReplayModulus> moduli, const RunContext& run,
                                      Stretch stretch) const {
    constexpr std::size_t most_at_once = 256;
    std::vector<std::uint64_t> result;
    for (std::size_t first = 0; first < moduli.size(); first += most_at_once) {
      const std::size_t count = std::min(most_at_once, moduli.size() - first);
      const auto at = [&](std::size_t i) {
        return stretch.at(static_cast<double>(i) / static_cast<double>(moduli.size()));
      };
      const auto some = of_some(moduli.subspan(first, count), run, {at(first), at(first + count), stretch.total});
      result.insert(result.end(), some.begin(), some.end());
    }
    return result;
  }

 private:
  void add(const OrbitMatrices::Graph& matrix, const Dissection& dissection, const EliminationStructure& structure,
           std::size_t power) {
    const auto divisor = [&](std::size_t of) { return std::gcd(of, 2 * orbits_.order); };
    const auto found = std::ranges::find_if(classes_, [&](const OrderClass& one) {
      return one.matrix == &matrix && divisor(one.powers.front()) == divisor(power);
    });
    if (found != classes_.end())
      found->powers.push_back(power);
    else
      classes_.push_back({&matrix, &dissection, &structure, {power}, {}});
  }

  std::vector<std::uint64_t> of_some(std::span<const ReplayModulus> moduli, const RunContext& run,
                                     Stretch stretch) const {
    std::vector<Powers> powers;
    std::vector<std::uint64_t> result;
    for (const auto& [prime, root] : moduli) {
      powers.emplace_back(prime, 2 * orbits_.order, std::uint64_t{1} << 32, table_);
      const std::uint64_t quarter =
          power_mod(Powers::root_of_order(prime, 2 * orbits_.order), orbits_.order / 2 * quarter_turns_, prime);
      result.push_back(negated_ ? prime - quarter : quarter);
    }
    double done = 0;
    for (const OrderClass& one : classes_) {
      const std::size_t each = one.powers.size(), all = each * moduli.size();
      std::vector<ReplayModulus> lanes_of;
      for (const ReplayModulus& modulus : moduli) lanes_of.insert(lanes_of.end(), each, modulus);
      const WriteValues write = [&](std::size_t first, std::size_t lanes, std::uint32_t* values) {
        for (std::size_t l = 0; l < lanes; ++l) {
          const std::size_t lane = std::min(first + l, all - 1);
          const std::uint64_t prime = moduli[lane / each].prime;
          for (std::size_t i = 0; i < one.program.values.size(); ++i) {
            const auto& [place, negated] = one.program.values[i];
            const std::uint32_t value =
                powers[lane / each].value(orbits_.polynomials[place], one.powers[lane % each], prime);
            values[i * lanes + l] = negated && value != 0 ? static_cast<std::uint32_t>(prime) - value : value;
          }
        }
      };
      const double before = done;
      done += one.program.multiplications * static_cast<double>(each) / std::max(multiplications_, 1.0);
      const auto found =
          replay_elimination(one.program, write, lanes_of, run, {stretch.at(before), stretch.at(done), stretch.total});
      const bool odd = each % 2 == 1 && is_odd_permutation(one.program.order);
      for (std::size_t lane = 0; lane < all; ++lane) {
        std::uint64_t& product = result[lane / each];
        const std::uint64_t prime = moduli[lane / each].prime;
        product = product * found[lane] % prime;
        if (odd && lane % each == 0 && product != 0) product = prime - product;
      }
    }
    return result;
  }

  const OrbitMatrices& orbits_;
  const EntryTable& table_;
  Dissection dissection_, skew_dissection_;
  EliminationStructure structure_, skew_structure_;
  std::vector<OrderClass> classes_;
  std::size_t pairs_ = 0, quarter_turns_ = 0;
  bool is_odd_skew_ = false, negated_ = false;
  double multiplications_ = 0;
};

}  // namespace

std::optional<CyclicSymmetry> cyclic_symmetry(const UndirectedGraph& graph, const PlanarEmbedding& rotation,
                                              const std::vector<std::uint32_t>& places,
                                              const std::vector<bool>& is_column, std::size_t most_order,
                                              const RunContext& run) {
  constexpr int most_tried = 12;
  if (graph.num_edges() == 0) return std::nullopt;
  Darts darts(graph, rotation);
  CyclicSymmetry best;
  int tried = 0;
  for (const Darts::Candidate& candidate : darts.candidates()) {
    if (candidate.order <= best.order || ++tried > most_tried) break;
    run.check();
    CyclicSymmetry found;
    if (!darts.extend(candidate.image, places, found.image)) continue;
    if (!is_column.empty() && is_column[found.image[0]] != is_column[0]) found.image = power(found.image, 2);
    for (found.order = order_of(found.image); found.order > most_order; found.order = order_of(found.image))
      found.image = power(found.image, least_factor(found.order));
    if (found.order > best.order) best = std::move(found);
  }
  return best.order >= least_order ? std::optional(std::move(best)) : std::nullopt;
}

namespace {

int sign_from(const UndirectedGraph& graph, const std::vector<std::int8_t>& orientation, EdgeId id, Vertex v) {
  return graph.edges()[id].row == v ? orientation[id] : -orientation[id];
}

// Finds the signs t, along the edges of a search, and checks all edges; nothing where the matrix is another one.
std::optional<std::vector<int>> signs_of_turns(const UndirectedGraph& graph, const std::vector<Vertex>& image,
                                               const std::vector<std::uint32_t>& places,
                                               const std::vector<std::int8_t>& orientation) {
  std::vector<int> turn(graph.num_vertices(), 0);
  std::vector<Vertex> queue{0};
  turn[0] = 1;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const Vertex u = queue[at];
    for (std::size_t i = 0; i < graph.neighbours(u).size(); ++i) {
      const Vertex v = graph.neighbours(u)[i];
      const EdgeId id = graph.incident_edges(u)[i];
      const auto there = graph.neighbours(image[u]);
      const auto found = std::ranges::lower_bound(there, image[v]);
      if (found == there.end() || *found != image[v]) return std::nullopt;
      const EdgeId onto = graph.incident_edges(image[u])[static_cast<std::size_t>(found - there.begin())];
      const int relation = sign_from(graph, orientation, id, u) * sign_from(graph, orientation, onto, image[u]);
      if (places[onto] != places[id] || (turn[v] != 0 && turn[v] != turn[u] * relation)) return std::nullopt;
      if (turn[v] == 0) {
        turn[v] = turn[u] * relation;
        queue.push_back(v);
      }
    }
  }
  return queue.size() == graph.num_vertices() ? std::optional(std::move(turn)) : std::nullopt;
}

// Returns the order of vertices in which the Pfaffian is that of the matrices: pairs of a row and a column, or steps.
// Takes the first vertices of the orbits of each colour; of the second there are none without colours.
std::vector<Vertex> sequence_of_orbits(const std::vector<std::vector<Vertex>>& of_colour,
                                       const std::vector<Vertex>& image, std::size_t order) {
  std::vector<std::vector<Vertex>> here = of_colour;
  std::vector<Vertex> sequence;
  for (std::size_t k = 0; k < order; ++k) {
    for (std::size_t a = 0; a < here[0].size(); ++a) {
      sequence.push_back(here[0][a]);
      if (!here[1].empty()) sequence.push_back(here[1][a]);
    }
    for (auto& firsts : here)
      for (Vertex& v : firsts) v = image[v];
  }
  return sequence;
}

// Maps two orbits, then exponents of w and places in the table, to factors.
using OrbitEntries = std::map<std::pair<Vertex, Vertex>, std::map<std::pair<std::uint32_t, std::uint32_t>, int>>;

// Adds the graphs, and the polynomials that their edges have.
void add_graphs(const OrbitEntries& entries, bool with_skew, OrbitMatrices& result) {
  std::map<OrbitMatrices::Polynomial, std::uint32_t> numbers;
  result.polynomials.emplace_back();
  const auto number_of = [&](const auto& terms) {
    OrbitMatrices::Polynomial polynomial;
    for (const auto& [key, factor] : terms)
      if (factor != 0 && key.second != 0) polynomial.emplace_back(key.first, key.second, factor);
    if (polynomial.empty()) return std::uint32_t{0};
    const auto [found, is_new] = numbers.try_emplace(polynomial, static_cast<std::uint32_t>(result.polynomials.size()));
    if (is_new) result.polynomials.push_back(polynomial);
    return found->second;
  };
  const auto graph_of = [&](bool skew) {
    std::map<std::pair<Vertex, Vertex>, std::pair<std::uint32_t, std::int8_t>> sorted;
    for (const auto& [at, terms] : entries) {
      const auto& [a, b] = at;
      if (skew && a >= b) continue;
      const Vertex row = skew ? a : 2 * a, column = skew ? b : 2 * b + 1;
      const std::uint32_t number = number_of(terms);
      if (number != 0) sorted[std::minmax(row, column)] = {number, std::int8_t(row < column ? 1 : -1)};
    }
    OrbitMatrices::Graph made;
    std::vector<Edge> edges;
    for (const auto& [ends, value] : sorted) {
      edges.push_back({ends.first, ends.second});
      made.places.push_back(value.first);
      made.signs.push_back(value.second);
    }
    const auto size = static_cast<Vertex>(result.size);
    made.graph = UndirectedGraph::from_edges(skew ? size : 2 * size, std::move(edges));
    for (Vertex v = 0; !skew && v < 2 * size; ++v) made.is_column.push_back(v % 2 == 1);
    return made;
  };
  result.blocks = graph_of(false);
  if (with_skew) result.skew = graph_of(true);
}

}  // namespace

std::optional<OrbitMatrices> orbit_matrices(const UndirectedGraph& graph, const CyclicSymmetry& symmetry,
                                            const std::vector<std::uint32_t>& places,
                                            const std::vector<std::int8_t>& orientation,
                                            const std::vector<bool>& is_column) {
  const Vertex num_vertices = graph.num_vertices();
  const auto& [image, order] = symmetry;
  const auto turn = signs_of_turns(graph, image, places, orientation);
  if (!turn) return std::nullopt;
  OrbitMatrices result;
  result.order = order;
  // Orbits in the order of a search from their first vertices, so that exponents are small. Numbers are by colour.
  std::vector<Vertex> orbit(num_vertices), firsts;
  std::vector<std::uint32_t> step(num_vertices);
  std::vector<int> sign(num_vertices, 0);
  std::vector<std::vector<Vertex>> of_colour(2);
  const auto colour = [&](Vertex v) { return !is_column.empty() && is_column[v] ? 1 : 0; };
  const auto add_orbit = [&](Vertex first) {
    auto& others = of_colour[static_cast<std::size_t>(colour(first))];
    int so_far = 1;
    Vertex x = first;
    for (std::uint32_t k = 0; k < order; ++k) {
      orbit[x] = static_cast<Vertex>(others.size());
      step[x] = k;
      sign[x] = so_far;
      result.negated = result.negated != (so_far < 0);
      so_far *= (*turn)[x];
      x = image[x];
    }
    others.push_back(first);
    firsts.push_back(first);
    if (firsts.size() == 1) result.wrap = so_far;
    return so_far == result.wrap;
  };
  add_orbit(0);
  OrbitEntries entries;
  for (std::size_t at = 0; at < firsts.size(); ++at) {
    const Vertex u = firsts[at];
    for (std::size_t i = 0; i < graph.neighbours(u).size(); ++i) {
      const Vertex v = graph.neighbours(u)[i];
      const EdgeId id = graph.incident_edges(u)[i];
      if (sign[v] == 0 && !add_orbit(v)) return std::nullopt;
      if (!is_column.empty() && is_column[u]) continue;
      entries[{orbit[u], orbit[v]}][{step[v], places[id]}] += sign[v] * sign_from(graph, orientation, id, u);
    }
  }
  result.size = of_colour[0].size();
  if (!is_column.empty() && of_colour[1].size() != result.size) return std::nullopt;

  result.negated = result.negated != is_odd_permutation(sequence_of_orbits(of_colour, image, order));
  add_graphs(entries, is_column.empty(), result);
  return result;
}

std::optional<CyclicSymmetry> symmetry_of(const UndirectedGraph& graph, const EntryTable& table,
                                          const KasteleynPlan& plan, double log2_bound, const RunContext& run) {
  // One in about 20 numbers of this size is a prime, of those that are 1 modulo an even number more; primes come from
  // above 2^29.9 (permanent/planar/pfaffian.hpp).
  constexpr double candidates_of_prime = 20, largest = 4096, spare = 16;
  if (!plan.surface || !plan.surface->twisted.empty() || table.is_complex()) return std::nullopt;
  const double most = 0x1p25 / (candidates_of_prime * (primes_for(log2_bound) + spare));
  return cyclic_symmetry(graph, plan.surface->embedding.rotation, table.places(), plan.is_column,
                         static_cast<std::size_t>(std::min(largest, most)), run);
}

std::optional<EliminationStructure> symmetric_structure(const UndirectedGraph& graph, const EntryTable& table,
                                                        const KasteleynPlan& plan, double log2_bound,
                                                        const RunContext& run) {
  const auto symmetry = symmetry_of(graph, table, plan, log2_bound, run);
  if (!symmetry) return std::nullopt;
  const auto orbits = orbit_matrices(graph, *symmetry, table.places(), plan.orientation, plan.is_column);
  if (!orbits) return std::nullopt;
  return Symmetric(*orbits, table, run).structure();
}

std::optional<GaussianInteger> symmetric_pfaffian(const PfaffianProblem& problem, const CyclicSymmetry& symmetry,
                                                  const std::vector<std::int8_t>& orientation,
                                                  const KasteleynPlan& plan, const RunContext& run) {
  const auto& [graph, table, log2_bound, report, known] = problem;
  const auto orbits = orbit_matrices(graph, symmetry, table.places(), orientation, plan.is_column);
  if (!orbits) return std::nullopt;
  Symmetric symmetric(*orbits, table, run);
  if (symmetric.is_odd_skew()) return GaussianInteger{};
  constexpr std::uint64_t least_prime = 1 << 16;
  const std::uint64_t step = 2 * orbits->order;
  double log2_divisor = 0;
  Stopwatch stopwatch;
  for (std::uint64_t prime = elimination_prime_limit;;) {
    next_moduli(prime, 1, false, step);
    if (prime < least_prime) return std::nullopt;
    if (symmetric.find_programs(prime, run)) break;
    log2_divisor += std::log2(static_cast<double>(prime)) * (1 - 0x1p-40);
    if (log2_divisor > log2_bound) return GaussianInteger{};
  }
  report.eliminate_s += stopwatch.lap();
  const auto at = [&](std::span<const ReplayModulus> moduli, const RunContext& inner, Stretch stretch) {
    return symmetric.residues(moduli, inner, stretch);
  };
  return replay(report, {at, symmetric.multiplications(), "in parts by symmetry", false, step}, log2_bound, run);
}

}  // namespace matchcount
