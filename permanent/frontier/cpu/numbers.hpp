#pragma once
// Defines the number types of the frontier method: words that grow, residues, doubles and objects (integers of any
// size, minimum-weight matchings), and sums by size of any of them.
//
// A number type says how many planes a value has, each of one slot, and holds the weights of a step's moves, numbered
// as in FrontierStep. It is prepared before each step, and is given a function that turns the largest of something in
// this part of a layer into the largest in all parts. It adds a value times a weight to another.
//
// Words wrap modulo 2^(64 planes). The planes grow only as the largest value of the layers so far demands, so most of
// the work on a count of 80 bits is done in 64. They never grow beyond the bound on the permanent: sums in the ring are
// right modulo its order, whatever wraps on the way. Residues modulo primes take less memory, and are the quicker if
// layers are large and answers short.
//
// Doubles stand one to four a value: entries are scaled to magnitudes of at most about 2, and layers are rescaled by
// powers of two when they drift. On its way from a matching to the result a term meets, in a step with c weights, at
// most one product and c sums. With unit roundoff u the error is thus at most (sum over steps of (c + 1)) u times the
// sum over the magnitudes. That sum is the value itself if nothing is negative, and is computed by a second run in
// doubles otherwise. The loss by underflow is added.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/bytes.hpp"
#include "core/numbers/integer.hpp"
#include "core/numbers/residue.hpp"
#include "core/numbers/value.hpp"
#include "matching/reduce.hpp"
#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/layer.hpp"
#include "permanent/frontier/cpu/states.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/cpu/sums.hpp"

namespace matchcount {

class Words {
 public:
  using Slot = Word;

  Words(const std::vector<std::int64_t>& entries, double log2_bound) : entries_(entries) {
    // Sign and one bit to spare.
    max_planes_ = std::max(1, static_cast<int>(std::floor((std::max(log2_bound, 0.0) + 2) / 64)) + 1);
  }

  static constexpr Slot one(int plane) { return plane == 0; }
  int source_planes() const { return planes_; }
  int target_planes() const { return target_planes_; }

  template <class Largest>
  void prepare(const FrontierStep& step, Layer<Slot>& layer, const Largest& largest) {
    planes_ = layer.planes;
    const double growth = std::log2(take_weights(step)) + 1e-9;
    const auto fits = [](double log2_value, int planes) { return log2_value < 64.0 * planes - 1.001; };
    if (!fits(log2_largest_ + growth, planes_)) log2_largest_ = largest(measure(layer));
    log2_largest_ += growth;
    target_planes_ = planes_;
    while (target_planes_ < max_planes_ && !fits(log2_largest_, target_planes_)) ++target_planes_;
  }

  auto fields() { return std::tie(planes_, target_planes_, log2_largest_); }

  void combine(const FrontierKernels& kernels, const FrontierBatch& batch, Slot* target, const Slot* source) const {
    kernels.words(batch, target, target_planes_, source, planes_, weights_.data());
  }
  void add(Slot* target, const Slot* source, std::size_t choice) const {
    add_words_any<false>(target, 1, target_planes_, source, 1, planes_, weights_[choice], InParallel{1});
  }

  // Returns the sum of their magnitudes.
  double take_weights(const FrontierStep& step) {
    weights_.assign(1, 1);
    double sum = step.was_on_frontier ? 1 : 0;
    for (const auto& choice : step.choices) {
      weights_.push_back(entries_[choice.edge]);
      sum += std::fabs(static_cast<double>(entries_[choice.edge]));
    }
    return sum;
  }

 private:
  // Returns an upper bound on log2 of the largest absolute value in the layer, from its topmost words.
  static double measure(Layer<Slot>& layer) {
    const Slot* top = layer.values() + static_cast<std::size_t>(layer.planes - 1) * layer.plane_stride();
    Word bits = 0;
    for (std::size_t i = 0; i < layer.count; ++i) {
      const Word word = top[i * layer.element_stride()];
      bits |= word ^ static_cast<Word>(static_cast<std::int64_t>(word) >> 63);
    }
    if (layer.planes > 1) return 64.0 * (layer.planes - 1) + static_cast<double>(std::bit_width(bits));
    Word largest = 0;
    for (std::size_t i = 0; i < layer.count; ++i) {
      const Word word = top[i * layer.element_stride()];
      largest = std::max(largest, static_cast<std::int64_t>(word) < 0 ? Word{0} - word : word);
    }
    return std::log2(static_cast<double>(largest) + 1) + 1e-9;
  }

  const std::vector<std::int64_t>& entries_;
  int max_planes_;
  int planes_ = 1;
  int target_planes_ = 1;
  double log2_largest_ = 0;
  std::vector<std::int64_t> weights_;
};

// A run of values: plane k of element i stands at data[k * stride + i].
template <class Slot>
struct SlotRun {
  Slot* data;
  std::size_t stride;
};

// All primes of a run are below this limit, so that the sum of two residues fits into 32 bits.
constexpr std::uint64_t residue_limit = std::uint64_t{1} << 31;
constexpr std::uint64_t small_residue_limit = std::uint64_t{1} << 15;

// Integers modulo primes below residue_limit, a plane each, in 4 bytes; or below small_residue_limit in 2.
template <class AnySlot>
class ResiduesOf {
 public:
  using Slot = AnySlot;

  ResiduesOf(const std::vector<std::int64_t>& entries, std::span<const std::uint64_t> primes)
      : primes_(primes.begin(), primes.end()) {
    for (const std::uint32_t prime : primes_) {
      for (const std::int64_t entry : entries) edges_.push_back(static_cast<std::uint32_t>(residue_of(entry, prime)));
    }
    num_edges_ = entries.size();
  }
  // Counts modulo one prime. Weights of edges, and of vertices that stay unmatched, are below it.
  ResiduesOf(std::vector<std::uint32_t> edges, std::vector<std::uint32_t> vertices, std::uint32_t prime)
      : primes_{prime}, edges_(std::move(edges)), vertices_(std::move(vertices)), num_edges_(edges_.size()) {}

  static constexpr Slot one(int /*plane*/) { return 1; }
  int source_planes() const { return static_cast<int>(primes_.size()); }
  int target_planes() const { return source_planes(); }

  template <class... Args>
  void prepare(const FrontierStep& step, const Args&...) {
    take_weights(step);
  }
  void take_weights(const FrontierStep& step);
  // Returns what it was prepared with: for each prime, the weights of the moves.
  const std::vector<ResidueWeight>& weights() const { return weights_; }
  std::size_t num_weights() const { return num_weights_; }
  const std::vector<std::uint32_t>& primes() const { return primes_; }
  bool keeps(std::size_t weight) const { return weights_[weight].factor == 1; }

  auto fields() { return std::tie(); }

  void combine(const FrontierKernels& kernels, const FrontierBatch& batch, Slot* target, const Slot* source) const {
    for (std::size_t k = 0; k < primes_.size(); ++k) {
      kernels.residues(batch, target + k * batch.target_stride, source + k * batch.source_stride,
                       weights_.data() + k * num_weights_, primes_[k]);
    }
  }
  template <class Index>
  void add_all(SlotRun<Slot> to, SlotRun<const Slot> from, std::size_t weight, Index index) const {
    for (std::size_t k = 0; k < primes_.size(); ++k) {
      add_residues<false>(to.data + k * to.stride, from.data + k * from.stride, weights_[k * num_weights_ + weight],
                          primes_[k], index);
    }
  }
  // Planes side by side.
  void add(Slot* target, const Slot* source, std::size_t weight) const {
    add_all({target, 1}, {source, 1}, weight, InParallel{1});
  }
  // Adds several values side by side, modulo one prime.
  void add_run(Slot* target, const Slot* source, std::size_t weight, std::size_t length) const {
    add_all({target, 0}, {source, 0}, weight, InParallel{length});
  }

 private:
  static ResidueWeight weight(std::uint32_t factor, std::uint32_t prime) {
    return {factor, static_cast<std::uint32_t>((std::uint64_t{factor} << 32) / prime)};
  }

  std::vector<std::uint32_t> primes_, edges_, vertices_;
  std::size_t num_edges_ = 0, num_weights_ = 1;
  std::vector<ResidueWeight> weights_;
};
using Residues = ResiduesOf<std::uint32_t>;
using SmallResidues = ResiduesOf<std::uint16_t>;

enum class FloatKind { real, double_double, complex, complex_double_double };

constexpr double double_roundoff = 0x1p-53;
// A complex product or sum errs by less than 4 real units (Brent, Percival and Zimmermann 2007: sqrt(5)).
constexpr double complex_factor = 4;

constexpr int doubles_of(FloatKind kind) {
  return kind == FloatKind::real ? 1 : kind == FloatKind::complex_double_double ? 4 : 2;
}
// Calls body.operator()<Sum>() with the sum of sums.hpp of this kind.
template <class Body>
decltype(auto) with_sum(FloatKind kind, const Body& body) {
  switch (kind) {
    case FloatKind::real:
      return body.template operator()<RealSum>();
    case FloatKind::double_double:
      return body.template operator()<DoubleDoubleSum>();
    case FloatKind::complex:
      return body.template operator()<ComplexSum>();
    default:
      return body.template operator()<ComplexDoubleDoubleSum>();
  }
}
// Doubles as this kind has them, times 2^exponent.
ScaledComplex float_value(FloatKind kind, const double* doubles, std::int64_t exponent);
// Returns the entries' doubles, one entry after the other.
template <class Entry>
std::vector<double> float_weights(FloatKind kind, const std::vector<Entry>& entries);

// A layer is measured if its values may be above 2^log2_most, or after so many steps; it is rescaled if its values are
// further than 2^shift from 1.
struct FloatDrift {
  double log2_most = 900;
  int steps = 32, shift = 100;
};

// FloatOutcome is a sum in doubles, with what its error bound is made of.
struct FloatOutcome {
  std::vector<double> last;  // of the state that is left; empty: none is
  double roundings = 0;
  double log2_underflow = -std::numeric_limits<double>::infinity();
  std::int64_t exponent = 0;

  auto fields() { return std::tie(last, roundings, log2_underflow, exponent); }
  // im is 0 for reals.
  ScaledComplex value(FloatKind kind) const {
    return last.empty() ? ScaledComplex{} : float_value(kind, last.data(), exponent);
  }
};
// Reals and complex numbers, in doubles or pairs of them.
class Floats {
 public:
  using Slot = double;

  // Weights of edges and of vertices that stay unmatched, as many doubles each as the kind has. `steps` are those that
  // it is used for.
  Floats(FloatKind kind, const FrontierSteps& steps, std::vector<double> edges, std::vector<double> vertices = {},
         FloatDrift drift = {});

  static constexpr Slot one(int plane) { return plane == 0; }
  int source_planes() const { return doubles_of(kind_); }
  int target_planes() const { return doubles_of(kind_); }
  FloatKind kind() const { return kind_; }

  template <class Largest>
  void prepare(const FrontierStep& step, Layer<Slot>& layer, const Largest& largest_of_all) {
    const std::span<double> values(layer.values(), layer.count * static_cast<std::size_t>(source_planes()));
    prepare_values(
        step, [&] { return static_cast<double>(largest_of_all(largest(values))); },
        [&](double a, double b) { scale(values, a, b); });
  }
  // The same of a layer that is elsewhere: largest() is the largest absolute value in it, scale(a, b) multiplies all by
  // a, and by b.
  template <class Largest, class Scale>
  void prepare_values(const FrontierStep& step, const Largest& largest, const Scale& scale) {
    if (is_drifting(step)) {
      const int shift = take_largest(largest());
      // Scales in two steps: 2^-shift itself may be out of range.
      if (shift != 0) scale(std::ldexp(1.0, -(shift / 2)), std::ldexp(1.0, -(shift - shift / 2)));
    }
    account(step);
  }
  static double largest(std::span<const double> values) {
    double result = 0;
    for (const double value : values) result = std::max(result, std::fabs(value));
    return result;
  }
  static void scale(std::span<double> values, double a, double b) {
    for (double& value : values) value = value * a * b;
  }

  auto fields() {
    return std::tie(log2_left_, log2_largest_, steps_since_measured_, exponent_, roundings_, log2_underflow_);
  }

  // Returns what it was prepared with: the doubles of the weights of the moves.
  const std::vector<double>& weights() const { return weights_; }
  std::size_t num_weights() const { return weights_.size() / static_cast<std::size_t>(source_planes()); }
  bool keeps(std::size_t weight) const;
  // Returns log2 of the sum of the magnitudes of the weights, from above: of what a value grows by at the most.
  double take_weights(const FrontierStep& step);

  void combine(const FrontierKernels& kernels, const FrontierBatch& batch, Slot* target, const Slot* source) const {
    (kernels.*kernel_)(batch, target, source, weights_.data());
  }
  template <class Index>
  void add_all(SlotRun<Slot> to, SlotRun<const Slot> from, std::size_t weight, Index index) const {
    with_sum(kind_, [&]<class Sum>() {
      Sum::template add<false>(to.data, to.stride, from.data, from.stride, weights_.data() + weight * Sum::planes,
                               index);
    });
  }
  // One value: with strides that the compiler knows, so that it is inlined.
  void add(Slot* target, const Slot* source, std::size_t weight) const {
    with_sum(kind_, [&]<class Sum>() {
      Sum::template add<false>(target, 1, source, 1, weights_.data() + weight * Sum::planes, InParallel{1});
    });
  }
  void add_run(Slot* target, const Slot* source, std::size_t weight, std::size_t /*length*/) const {
    add(target, source, weight);
  }

  std::int64_t exponent() const { return exponent_; }  // the layer's values are to be multiplied by 2^exponent
  // Returns log2 of the largest value after the step that was prepared for, from above.
  double log2_largest() const { return log2_largest_; }
  double roundings() const { return roundings_; }
  FloatOutcome outcome(std::vector<double> last) const {
    return {std::move(last), roundings_, log2_underflow_, exponent_};
  }
  double log2_underflow() const { return log2_underflow_; }

 private:
  bool is_drifting(const FrontierStep& step);
  int take_largest(double largest);
  void account(const FrontierStep& step);

  FloatKind kind_;
  FrontierKernels::Float FrontierKernels::*kernel_;
  FloatDrift drift_;
  std::vector<double> edges_, vertices_;
  std::vector<double> weights_;
  double log2_growth_ = 0, log2_left_ = 0;  // of this step; of those that follow
  double log2_largest_ = 0;
  int steps_since_measured_ = 0;
  std::int64_t exponent_ = 0;
  double roundings_ = 0;
  double log2_underflow_ = -std::numeric_limits<double>::infinity();
};

// Minimum-weight matchings: the least weight and how many have it, or none. A sum keeps the lesser weight, and adds the
// numbers where they are equal.
template <class Weight>
struct Lightest {
  Weight weight = 0;
  Integer number = 0;

  Lightest() = default;
  explicit Lightest(int count) : number(count) {}
  Lightest(Weight of_edge, int count) : weight(std::move(of_edge)), number(count) {}
  friend bool operator==(const Lightest& value, int count) { return value.number == count; }
};

inline void add_product(Integer& sum, const Integer& value, const Integer& weight) {
  if (value.sign() == 0) return;
  if (weight == 1) {
    sum += value;
  } else {
    sum += value * weight;
  }
}
template <class Weight>
void add_product(Lightest<Weight>& sum, const Lightest<Weight>& value, const Lightest<Weight>& edge) {
  const Weight weight = value.weight + edge.weight;
  if (sum.number.sign() != 0 && sum.weight < weight) return;
  if (sum.number.sign() != 0 && sum.weight == weight) {
    sum.number += value.number;
    return;
  }
  sum.weight = weight;
  sum.number = value.number;
}

// Values that know how to add themselves, for narrow layers: by sorted states alone.
template <class T>
class Objects {
 public:
  using Slot = T;

  Objects(std::vector<T> edges, std::vector<T> vertices) : edges_(std::move(edges)), vertices_(std::move(vertices)) {}

  static T one(int /*plane*/) { return T(1); }
  int source_planes() const { return 1; }
  int target_planes() const { return 1; }

  static constexpr bool only_sparse = true;
  template <class... Args>
  void prepare(const FrontierStep& step, const Args&...) {
    weights_ = {&unit_};
    for (const auto& choice : step.choices) weights_.push_back(&edges_[choice.edge]);
    if (!vertices_.empty()) weights_.push_back(&vertices_[step.vertex]);
  }
  std::size_t num_weights() const { return weights_.size(); }
  void add_run(Slot* target, const Slot* source, std::size_t weight, std::size_t length) const {
    for (std::size_t i = 0; i < length; ++i) add_product(target[i], source[i], *weights_[weight]);
  }

 private:
  std::vector<T> edges_, vertices_;
  T unit_{1};
  std::vector<const T*> weights_;
};

// Says what raises the degree of a value.
enum class Grade { none, pairs, left_out };

// Sums by size: a value is a polynomial of N with `lanes` coefficients side by side, and a matched pair or a vertex
// that stays unmatched raises its degree. What passes the last lane is dropped. N has one plane where lanes are
// several.
template <class N>
class Graded : public N {
 public:
  using Slot = typename N::Slot;

  Graded(N number, Grade grade, std::size_t lanes) : N(std::move(number)), grade_(grade), lanes_(lanes) {}

  std::size_t lanes() const { return lanes_; }
  Slot one(int slot) const { return lanes_ == 1 || slot == 0 ? N::one(slot) : Slot(0); }
  int source_planes() const { return N::source_planes() * static_cast<int>(lanes_); }
  int target_planes() const { return source_planes(); }

  // Counts the lanes that may not be 0 and, raised, are not dropped.
  std::size_t used_lanes(bool raises) const { return std::min(used_, lanes_ - raises); }
  bool raised_by_unmatched() const { return grade_ == Grade::left_out; }
  bool raised_by_pair() const { return grade_ == Grade::pairs; }
  // Says whether a value times the weight of a choice is the value.
  bool keeps(std::size_t weight) const { return !raised_by_pair() && N::keeps(weight); }

  template <class... Args>
  void prepare(const FrontierStep& step, Args&&... args) {
    grow();
    N::prepare(step, std::forward<Args>(args)...);
  }
  template <class... Args>
  void prepare_values(const FrontierStep& step, Args&&... args) {
    grow();
    N::prepare_values(step, std::forward<Args>(args)...);
  }

  void add(Slot* target, const Slot* source, std::size_t weight) const {
    const bool raises = weight != 0 && (weight + 1 == N::num_weights() ? raised_by_unmatched() : raised_by_pair());
    N::add_run(target + raises, source, weight, used_lanes(raises));
  }
  // A value times a weight, one degree higher, where it is.
  void raise(Slot* value, std::size_t weight) const {
    const std::size_t lanes = used_lanes(true);
    if (N::keeps(weight)) {
      std::copy_backward(value, value + lanes, value + lanes + 1);
    } else {
      std::array<Slot, 64> before;
      for (std::size_t end = lanes; end > 0;) {
        const std::size_t length = std::min(before.size(), end);
        end -= length;
        std::copy_n(value + end, length, before.data());
        std::fill_n(value + end + 1, length, Slot(0));
        N::add_run(value + end + 1, before.data(), weight, length);
      }
    }
    value[0] = Slot(0);
  }

  auto fields() requires requires(N& n) { n.fields(); }
  { return std::tuple_cat(std::tie(used_, next_used_), N::fields()); }

 private:
  void grow() {
    used_ = next_used_;
    next_used_ = std::min(lanes_, used_ + 1);
  }

  Grade grade_;
  std::size_t lanes_;
  std::size_t used_ = 1, next_used_ = 1;  // lanes that may not be 0
};

}  // namespace matchcount
