// A term's matrix M on the vertices of the cut has their own edges and, summed over their copies, what is left over of
// the rest, which all terms share but for powers of i. With X its inverse and W its part of the sum over all matchings,
// a choice q for a vertex u in the place of u's row and column makes W q X e_u of it; the parts of all terms together
// are the probability. X becomes that of the new matrix as in permanent/planar/cpu/node_draw.cpp.
//
// A term may be 0, before choices or after some of them, and be none again later. So all matrices get a little noise,
// of about the cube root of the rounding: an inverse is no larger then than the noise's reciprocal, and what rounding
// loses by that is as small as what the noise does.
//
// Errors. The choices' probabilities multiply to that of the draw, which is to be w |Pf L| / N: w the product of the
// drawn edges' weights, L what is left over on the drawn copies, all of whose terms have one sign, and N the sum of the
// terms. That is computed at the end, and what the two differ by is an error, with those of L's entries, each as much
// as the inverse of L says, and those of N.

#include "permanent/planar/cpu/cut_draw.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/numbers/real.hpp"

namespace matchcount {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A complex number of such parts.
template <class Number>
struct Turned {
  Number re = 0.0, im = 0.0;
  Turned() = default;
  Turned(const Number& real, const Number& imaginary = 0.0) : re(real), im(imaginary) {}  // NOLINT: a real is one
  Turned(double real) : re(real) {}                                                       // NOLINT: likewise
  friend Turned operator-(const Turned& a) { return {-a.re, -a.im}; }
  friend Turned operator+(const Turned& a, const Turned& b) { return {a.re + b.re, a.im + b.im}; }
  friend Turned operator-(const Turned& a, const Turned& b) { return {a.re - b.re, a.im - b.im}; }
  friend Turned operator*(const Turned& a, const Turned& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Turned operator/(const Turned& a, const Turned& b) {
    const Number size = b.re * b.re + b.im * b.im;
    const Turned product = a * Turned(b.re, -b.im);
    return {product.re / size, product.im / size};
  }
  friend double size_of(const Turned& a) { return std::max(matchcount::size_of(a.re), matchcount::size_of(a.im)); }
};

// Multiply by a power of i, which is even for reals.
template <class Number>
Number turned(const Number& value, unsigned power) {
  return power & 2 ? -value : value;
}
template <class Number>
Turned<Number> turned(const Turned<Number>& value, unsigned power) {
  const Turned<Number> half = power & 1 ? Turned<Number>(-value.im, value.re) : value;
  return power & 2 ? -half : half;
}
template <class Number>
const Number& real_part(const Number& value) {
  return value;
}
template <class Number>
const Number& real_part(const Turned<Number>& value) {
  return value.re;
}

// value 2^exponent
template <class Scalar>
struct Scaled {
  Scalar value = 1.0;
  std::int64_t exponent = 0;
  void multiply(const Scalar& factor) {
    value = value * factor;
    const double size = size_of(value);
    if (!(size > 0)) return;
    const int shift = std::ilogb(size);
    value = value * Scalar(std::ldexp(1.0, -shift));
    exponent += shift;
  }
};

// The Pfaffian of a skew matrix of this size, by pairs of pivots.
template <class Scalar>
Scaled<Scalar> pfaffian_of(std::vector<Scalar> matrix, std::size_t size) {
  Scaled<Scalar> result;
  if (size % 2 != 0) result.value = 0.0;
  const auto row = [&](std::size_t i) { return matrix.data() + i * size; };
  for (std::size_t k = 0; k + 1 < size; k += 2) {
    std::size_t best = k + 1;
    for (std::size_t j = k + 2; j < size; ++j)
      if (size_of(row(k)[j]) > size_of(row(k)[best])) best = j;
    const Scalar pivot = row(k)[best];
    if (!(size_of(pivot) > 0)) return {0.0, 0};
    result.multiply(best == k + 1 ? pivot : -pivot);
    if (best != k + 1) {
      std::swap_ranges(row(k + 1), row(k + 1) + size, row(best));
      for (std::size_t i = k; i < size; ++i) std::swap(row(i)[k + 1], row(i)[best]);
    }
    for (std::size_t i = k + 2; i < size; ++i) {
      if (size_of(row(i)[k]) == 0 && size_of(row(i)[k + 1]) == 0) continue;
      const Scalar by_q = row(i)[k] / pivot, by_p = row(i)[k + 1] / pivot;
      for (std::size_t j = k + 2; j < size; ++j) row(i)[j] = row(i)[j] + by_q * row(k + 1)[j] - by_p * row(k)[j];
    }
  }
  return result;
}

template <class Number, class Scalar>
class Drawer : public CutDrawer<Number> {
 public:
  Drawer(const GraphBlock<RealEntry>& given, const KasteleynPlan& plan, const SurfaceCut& cut,
         const RealElimination<Number>& elimination, const RunContext& run)
      : first_copy_(static_cast<Vertex>(given.pattern.num_vertices() - cut.cut.size())) {
    const SurfacePfaffians& surface = *plan.surface;
    const bool is_half = !surface.twisted.empty();
    multiple_ = std::ldexp(1.0, surface.log2_divisor - (is_half ? 1 : 0));
    add_lines(cut, elimination);
    add_edges(given, cut);
    add_noise(plan.is_column);
    std::vector<bool> is_line(cut.graph.num_vertices(), false);
    for (const Vertex v : lines_) is_line[v] = true;
    for (std::size_t s = 0; s < surface.terms.size(); ++s) {
      if (is_half && !surface.terms[s].first_half) continue;
      run.check();
      unsigned power = 0;
      for (Vertex v = 0; v < first_copy_; ++v) power += is_line[v] ? 0 : cut.powers[s][v];
      add_term(surface, surface.terms[s], cut.powers[s], power);
    }
    settle();
  }

  CutDraw draw(SampleNumbers& numbers, const RunContext& run) const override { return Walk(*this, numbers).draw(run); }

 private:
  static constexpr std::uint32_t open = ~std::uint32_t{0}, matched = open - 1;
  struct CutEdge {
    std::uint32_t other;
    EdgeId id;
    bool forward;  // from edges()[id].row
  };
  struct Term {
    std::vector<unsigned> powers;       // by line
    std::vector<unsigned> edge_powers;  // by number of the cut edge, from row to column
    std::vector<Scalar> inverse;        // size x size
    Scaled<Scalar> pfaffian;
    Scalar part = 0.0;  // of the sum of all terms, once it is settled
  };

  // The front of the last node, as a skew matrix of its lines: of rows, and behind them of columns.
  void add_lines(const SurfaceCut& cut, const RealElimination<Number>& elimination) {
    const RealFront<Number>& front = elimination.fronts.back();
    lines_ = front.rows;
    if (!elimination.skew) lines_.insert(lines_.end(), front.columns.begin(), front.columns.end());
    const std::size_t count = lines_.size();
    left_.assign(count * count, Number(0.0));
    error_.assign(count * count, 0.0);
    std::vector<std::uint32_t> place(cut.graph.num_vertices());
    for (std::uint32_t i = 0; i < count; ++i) place[lines_[i]] = i;
    for (const std::uint32_t node : elimination.children.back()) {
      const RealFront<Number>& child = elimination.fronts[node];
      for (std::size_t r = 0; r < child.left.rows; ++r) {
        for (std::size_t c = 0; c < child.left.columns; ++c) {
          const std::size_t from = child.left.at(r, c);
          const std::uint32_t i = place[child.rows[child.pivots + r]], j = place[child.columns[child.pivots + c]];
          left_[i * count + j] = child.left.value(from);
          error_[i * count + j] = child.left.error[from];
          if (elimination.skew) continue;
          left_[j * count + i] = -child.left.value(from);
          error_[j * count + i] = child.left.error[from];
        }
      }
    }
    CutFront all(cut, front.rows, elimination.skew ? std::vector<Vertex>() : front.columns);
    vertices_ = std::move(all.vertices);
    owner_ = std::move(all.of_row);
    owner_.insert(owner_.end(), all.of_column.begin(), all.of_column.end());
    size_ = vertices_.size();
    lines_of_.resize(size_);
    for (std::uint32_t i = 0; i < count; ++i) lines_of_[owner_[i]].push_back(i);
  }
  void add_edges(const GraphBlock<RealEntry>& given, const SurfaceCut& cut) {
    edges_of_.resize(size_);
    for (const auto& [id, row, column] : cut.cut_edges) {
      edges_of_[row].push_back({column, names_.size(), true});
      edges_of_[column].push_back({row, names_.size(), false});
      weights_.push_back(given.entries[id].value);
      names_.push_back(id);
    }
  }
  // A skew matrix, with entries where those of a bipartite graph are.
  void add_noise(const std::vector<bool>& is_column) {
    const double size = std::cbrt(unit_roundoff<Number>());
    noise_.assign(size_ * size_, 0.0);
    for (std::uint32_t i = 0; i < size_; ++i) {
      for (std::uint32_t j = 0; j < i; ++j) {
        if (!is_column.empty() && is_column[vertices_[i]] == is_column[vertices_[j]]) continue;
        noise_[i * size_ + j] = size * (1 + uniform_of_sample(0, 0, i, j));
        noise_[j * size_ + i] = -noise_[i * size_ + j];
      }
    }
  }

  void add_term(const SurfacePfaffians& surface, const SurfacePfaffians::Term& given_term,
                const std::vector<std::uint8_t>& powers, unsigned power) {
    Term term;
    for (const Vertex line : lines_) term.powers.push_back(powers[line]);
    for (const EdgeId id : names_) term.edge_powers.push_back(power_of_edge(surface, given_term, id));
    std::vector<Scalar> matrix(size_ * size_, Scalar(0.0));
    std::vector<double> error(size_ * size_);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t at = i * size_; at < (i + 1) * size_; ++at) {
        matrix[at] = noise_[at];
        error[at] = std::fabs(noise_[at]);
      }
      for (const CutEdge& edge : edges_of_[i])
        matrix[i * size_ + edge.other] = matrix[i * size_ + edge.other] + entry_of(term, edge);
    }
    const std::size_t count = lines_.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        if (owner_[i] == owner_[j]) continue;
        const std::size_t to = owner_[i] * size_ + owner_[j];
        matrix[to] = matrix[to] + turned(Scalar(left_[i * count + j]), term.powers[i] + term.powers[j]);
        error[to] += error_[i * count + j];
      }
    }
    term.pfaffian = pfaffian_of(matrix, size_);
    term.pfaffian.value = term.pfaffian.value * coefficient<Scalar>(given_term);
    term.pfaffian.value = turned(term.pfaffian.value, power);
    term.inverse = std::move(matrix);
    if (!invert(term.inverse, size_)) term.pfaffian.value = 0.0;
    double uncertain = 0;
    for (std::size_t i = 0; i < error.size(); ++i) uncertain += error[i] * size_of(term.inverse[i]);
    uncertain_.push_back(uncertain);
    terms_.push_back(std::move(term));
  }
  template <class Kind>
  static Kind coefficient(const SurfacePfaffians::Term& term) {
    if constexpr (std::is_same_v<Kind, Number>)
      return static_cast<double>(term.re);
    else
      return {static_cast<double>(term.re), static_cast<double>(term.im)};
  }
  Scalar entry_of(const Term& term, const CutEdge& edge) const {
    return turned(Scalar(Number(weights_[edge.id])), term.edge_powers[edge.id] + (edge.forward ? 0 : 2));
  }

  // Finds the terms' parts of their sum, and the error of that.
  void settle() {
    std::int64_t exponent = std::numeric_limits<std::int64_t>::min();
    for (const Term& term : terms_)
      if (size_of(term.pfaffian.value) > 0) exponent = std::max(exponent, term.pfaffian.exponent);
    Number sum = 0.0;
    for (Term& term : terms_) {
      const auto shift = static_cast<int>(std::max<std::int64_t>(term.pfaffian.exponent - exponent, -1000));
      term.part = term.pfaffian.value * Scalar(std::ldexp(1.0, shift));
      sum = sum + real_part(term.part);
    }
    error_of_sum_ = size_of(sum) > 0 ? 0 : infinity;
    sum_ = ScaledReal(DoubleDouble(static_cast<double>(sum)), exponent);
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      terms_[i].part = terms_[i].part / Scalar(sum);
      // A skew matrix, whose Pfaffian has the square root of the error.
      error_of_sum_ += size_of(terms_[i].part) * uncertain_[i];
    }
  }

  // One draw.
  class Walk {
   public:
    Walk(const Drawer& drawer, SampleNumbers& numbers)
        : d_(drawer), size_(drawer.size_), numbers_(numbers), terms_(drawer.terms_), state_(size_, open) {}

    CutDraw draw(const RunContext& run) {
      result_.relative_error = d_.error_of_sum_;
      for (std::uint32_t u = 0; u < size_ && result_.relative_error < 1; ++u) {
        run.check();
        if (state_[u] == open) decide(u);
      }
      if (result_.relative_error < 1) add_error();
      return std::move(result_);
    }

   private:
    struct Option {
      double share = 0;
      const CutEdge* edge = nullptr;  // null: the line
      std::uint32_t line = 0;
    };

    bool allows(std::uint32_t line) const {
      const std::uint32_t state = state_[d_.owner_[line]];
      return state == open || state == line;
    }

    void decide(std::uint32_t u) {
      const bool has_edges =
          std::ranges::any_of(d_.edges_of_[u], [&](const CutEdge& edge) { return state_[edge.other] == open; });
      if (!has_edges && d_.lines_of_[u].size() == 1) return give(u, d_.lines_of_[u].front());
      const std::size_t count = d_.lines_.size();
      std::vector<std::vector<Scalar>> columns(terms_.size(), std::vector<Scalar>(size_)), turned_columns = columns;
      for (std::size_t t = 0; t < terms_.size(); ++t) {
        for (std::size_t i = 0; i < size_; ++i) columns[t][i] = terms_[t].inverse[i * size_ + u];
        turned_columns[t].resize(count);
        for (std::size_t line = 0; line < count; ++line)
          turned_columns[t][line] = turned(columns[t][d_.owner_[line]], terms_[t].powers[line]);
      }
      std::vector<Option> options;
      double total = 0;
      const auto add = [&](const Number& share, const CutEdge* edge, std::uint32_t line) {
        options.push_back({std::max(0.0, static_cast<double>(share)), edge, line});
        total += options.back().share;
      };
      for (const CutEdge& edge : d_.edges_of_[u]) {
        if (state_[edge.other] != open) continue;
        Number share = 0.0;
        for (std::size_t t = 0; t < terms_.size(); ++t)
          share = share + real_part(terms_[t].part * d_.entry_of(terms_[t], edge) * columns[t][edge.other]);
        add(share, &edge, 0);
      }
      for (const std::uint32_t line : d_.lines_of_[u]) {
        Number share = 0.0;
        for (std::size_t t = 0; t < terms_.size(); ++t) {
          Scalar sum = 0.0;
          for (std::uint32_t other = 0; other < count; ++other) {
            const Number& entry = d_.left_[line * count + other];
            if (size_of(entry) > 0 && d_.owner_[other] != u && allows(other))
              sum = sum + Scalar(entry) * turned_columns[t][other];
          }
          share = share + real_part(terms_[t].part * turned(sum, terms_[t].powers[line]));
        }
        add(share, nullptr, line);
      }
      if (!(total > 0)) {
        result_.relative_error = infinity;
        return;
      }
      const Option chosen = drawn_from(options, total, numbers_);
      probability_ = probability_ * ScaledReal(DoubleDouble(chosen.share / total));
      for (std::size_t t = 0; t < terms_.size(); ++t) replace(terms_[t], u, columns[t], chosen, chosen.share);
      if (chosen.edge)
        match(u, *chosen.edge);
      else
        give(u, chosen.line);
    }

    void replace(Term& term, std::uint32_t u, const std::vector<Scalar>& column, const Option& chosen, double share) {
      const std::size_t count = d_.lines_.size();
      std::vector<Scalar> part(size_, Scalar(0.0)), product(size_);
      if (chosen.edge) {
        part[chosen.edge->other] = d_.entry_of(term, *chosen.edge);
      } else {
        for (std::uint32_t other = 0; other < count; ++other) {
          if (!allows(other) || d_.owner_[other] == u) continue;
          Scalar& to = part[d_.owner_[other]];
          to =
              to + turned(Scalar(d_.left_[chosen.line * count + other]), term.powers[chosen.line] + term.powers[other]);
        }
        for (std::size_t i = 0; i < size_; ++i)
          if (state_[i] != matched) part[i] = part[i] + Scalar(d_.noise_[u * size_ + i]);
      }
      multiply_row(part, term.inverse, product);
      const Scalar mine = product[u];
      if (!(size_of(mine) > 0)) {
        term.part = 0.0;
        return;
      }
      term.part = term.part * mine / Scalar(share);
      replace_row(u, product, column, true, term.inverse);
    }

    void give(std::uint32_t u, std::uint32_t line) {
      state_[u] = line;
      given_.push_back(line);
    }
    void match(std::uint32_t u, const CutEdge& edge) {
      result_.edges.push_back(d_.names_[edge.id]);
      weight_ = weight_ * ScaledReal(d_.weights_[edge.id]);
      state_[u] = state_[edge.other] = matched;
      for (Term& term : terms_) {
        for (const std::size_t k : {std::size_t{u}, std::size_t{edge.other}})
          for (std::size_t i = 0; i < size_; ++i) term.inverse[i * size_ + k] = term.inverse[k * size_ + i] = 0.0;
      }
    }

    void add_error() {
      const std::size_t count = d_.lines_.size(), size = given_.size();
      std::vector<Number> matrix;
      std::vector<double> error;
      for (const std::uint32_t i : given_) {
        for (const std::uint32_t j : given_) {
          matrix.push_back(d_.left_[i * count + j]);
          error.push_back(d_.error_[i * count + j]);
        }
        if (d_.lines_[i] >= d_.first_copy_) result_.copies.push_back(d_.lines_[i]);
      }
      const Scaled<Number> pfaffian = pfaffian_of(matrix, size);
      if (!(size_of(pfaffian.value) > 0) || !invert(matrix, size)) {
        result_.relative_error = infinity;
        return;
      }
      const ScaledReal truth = weight_ * ScaledReal(DoubleDouble(size_of(pfaffian.value)), pfaffian.exponent);
      const ScaledReal drawn = probability_ * d_.sum_;
      const double ratio =
          std::fabs(ScaledReal(drawn.mantissa.hi / truth.mantissa.hi, drawn.exponent - truth.exponent).to_double());
      // The terms are the sum times a power of 2.
      result_.relative_error += std::fabs(ratio / d_.multiple_ - 1);
      for (std::size_t i = 0; i < error.size(); ++i) result_.relative_error += error[i] * size_of(matrix[i]) / 2;
    }

    const Drawer& d_;
    std::size_t size_;
    SampleNumbers& numbers_;
    std::vector<Term> terms_;
    std::vector<std::uint32_t> state_;  // by vertex of the cut: open, matched, or the line that it was given to
    std::vector<std::uint32_t> given_;
    ScaledReal probability_ = ScaledReal(1.0), weight_ = ScaledReal(1.0);
    CutDraw result_;
  };
  friend class Walk;

  Vertex first_copy_;
  double multiple_ = 0;                               // the sum of the terms is that of the matchings times this
  std::vector<Vertex> lines_;                         // vertices of the cut's graph
  std::vector<Number> left_;                          // lines x lines
  std::vector<double> error_;                         // of it
  std::vector<Vertex> vertices_;                      // of the given graph: the cut, and those that were left over
  std::size_t size_ = 0;                              // their number
  std::vector<std::uint32_t> owner_;                  // by line: the vertex that it is a copy of
  std::vector<std::vector<std::uint32_t>> lines_of_;  // by such a vertex
  std::vector<std::vector<CutEdge>> edges_of_;
  std::vector<DoubleDouble> weights_;  // of the cut's edges
  std::vector<EdgeId> names_;
  std::vector<double> noise_;  // size x size
  std::vector<Term> terms_;
  std::vector<double> uncertain_;  // by term
  ScaledReal sum_;                 // of the terms
  double error_of_sum_ = 0;
};

}  // namespace

template <class Number>
std::unique_ptr<CutDrawer<Number>> cut_drawer(const GraphBlock<RealEntry>& given, const KasteleynPlan& plan,
                                              const SurfaceCut& cut, const RealElimination<Number>& elimination,
                                              const RunContext& run) {
  if (plan.surface->twisted.empty())
    return std::make_unique<Drawer<Number, Number>>(given, plan, cut, elimination, run);
  return std::make_unique<Drawer<Number, Turned<Number>>>(given, plan, cut, elimination, run);
}

double cut_drawer_bytes(double size, const SurfacePfaffians& surface, std::size_t bytes_of_number, int num_threads) {
  // Terms' inverses, and what is left over of two copies of each vertex.
  const double numbers = static_cast<double>(surface.terms.size()) * (1 + num_threads) + 6;
  return size * size * static_cast<double>(bytes_of_number) * numbers;
}

template std::unique_ptr<CutDrawer<DoubleDouble>> cut_drawer(const GraphBlock<RealEntry>&, const KasteleynPlan&,
                                                             const SurfaceCut&, const RealElimination<DoubleDouble>&,
                                                             const RunContext&);
template std::unique_ptr<CutDrawer<WideReal<4>>> cut_drawer(const GraphBlock<RealEntry>&, const KasteleynPlan&,
                                                            const SurfaceCut&, const RealElimination<WideReal<4>>&,
                                                            const RunContext&);
template std::unique_ptr<CutDrawer<WideReal<10>>> cut_drawer(const GraphBlock<RealEntry>&, const KasteleynPlan&,
                                                             const SurfaceCut&, const RealElimination<WideReal<10>>&,
                                                             const RunContext&);

}  // namespace matchcount
