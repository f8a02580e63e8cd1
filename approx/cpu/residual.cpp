#include "approx/cpu/residual.hpp"

#include <algorithm>

namespace matchcount {
namespace {

// Degrees are told apart as long as their sets take no more than this.
constexpr std::size_t most_bucket_bytes = std::size_t{64} << 20;

}  // namespace

DegreeBuckets::DegreeBuckets(std::uint32_t num_vertices, std::uint32_t largest_degree)
    : num_words_((num_vertices + 63) / 64), num_summaries_((num_words_ + 63) / 64) {
  const std::size_t affordable = most_bucket_bytes / (8 * std::size_t{std::max(num_words_, 1u)});
  num_degrees_ = std::min(largest_degree + 1, static_cast<std::uint32_t>(std::max<std::size_t>(affordable, 3)));
  words_.assign(std::size_t{num_degrees_} * num_words_, 0);
  summary_.assign(std::size_t{num_degrees_} * num_summaries_, 0);
  lowest_ = num_degrees_ - 1;
}

Residual::Residual(const Problem& problem)
    : size_(problem.size),
      num_left_(problem.size),
      offset_(problem.offset.data()),
      degree_(problem.num_vertices()),
      gone_(problem.num_vertices(), 0),
      row_buckets_(problem.size, std::max(problem.largest_degree(), 1u)),
      column_buckets_(row_buckets_) {
  slots_.reserve(problem.target.size());
  for (std::size_t i = 0; i < problem.target.size(); ++i)
    slots_.push_back({problem.target[i], problem.reverse[i], problem.weight[i], problem.message[i]});
  for (std::uint32_t v = 0; v < problem.num_vertices(); ++v) {
    degree_[v] = problem.degree(v);
    buckets(v).insert(local(v), degree_[v]);
    dead_ = dead_ || degree_[v] == 0;
  }
}

}  // namespace matchcount
