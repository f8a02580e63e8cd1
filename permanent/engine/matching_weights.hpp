#pragma once
// Turns the weights of edges and vertices into numbers that sums over matchings take: Gaussian integers, by a common
// multiple, or double-doubles.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/reduce.hpp"
#include "permanent/engine/question.hpp"
#include "permanent/gaussian_integer.hpp"

namespace matchcount {

struct GaussianRational {
  Rational re, im;
  friend bool operator==(const GaussianRational&, const GaussianRational&) = default;
};

struct MatchingWeights {
  std::vector<GaussianRational> edges;     // by EdgeId
  std::vector<GaussianRational> vertices;  // that stay unmatched; 0: it must not

  // Returns the least common multiple of all denominators.
  Integer common_denominator() const;
  // Returns the weights with |re| + |im| in place of each.
  MatchingWeights magnitudes() const;
};

// Weights of any kind as they are held; none: as many ones. Throws InputError for a place that the table has not.
std::vector<GaussianRational> exact_weights(const Weights& weights, std::size_t count,
                                            std::span<const Rational> fractions);

// Returns multiple * value, which is an integer.
std::vector<GaussianInteger> times_multiple(const std::vector<GaussianRational>& values, const Integer& multiple);
// Returns the nearest double-doubles, with magnitudes not below their own.
std::vector<ComplexEntry> as_entries(const std::vector<GaussianRational>& values);

// value / divisor as an answer to a question with such weights: an integer or fraction, or a real or complex number
// with that error, as log2. The kind is none or integer where weights are exact.
MatchingSum exact_answer(const GaussianInteger& value, const Integer& divisor, WeightKind kind, double log2_error);

}  // namespace matchcount
