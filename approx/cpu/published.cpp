#include "approx/cpu/published.hpp"

#include <algorithm>

namespace matchcount {

bool has_unit_weights(const Problem& problem) {
  return std::all_of(problem.weight.begin(), problem.weight.end(), [](double weight) { return weight == 1; });
}

PublishedSampler::Thread::Thread(const Problem& problem, std::uint64_t& work)
    : size_(problem.size),
      work_(work),
      factors_(problem.num_vertices()),
      list_(problem.num_vertices()),
      start_rows_(problem.size, std::max(problem.largest_degree(), 1u)),
      start_columns_(start_rows_) {
  factor = factors_.data();
  list = list_.data();
  for (std::uint32_t v = 0; v < problem.num_vertices(); ++v) {
    start_degree_.push_back(problem.degree(v));
    (v < size_ ? start_rows_ : start_columns_).insert(local(v), problem.degree(v));
    starts_dead_ = starts_dead_ || problem.degree(v) == 0;
  }
}

void PublishedSampler::Thread::start() {
  std::fill(factors_.begin(), factors_.end(), 1.0);
  degree_ = start_degree_;
  rows_ = start_rows_;
  columns_ = start_columns_;
  dead_ = starts_dead_;
  work(size_);
}

std::uint32_t PublishedSampler::Thread::forced() const {
  if (rows_.any(1)) return rows_.first(1);
  return columns_.any(1) ? size_ + columns_.first(1) : no_vertex;
}

std::uint32_t PublishedSampler::Thread::list_left(std::uint32_t first) {
  std::uint32_t length = first;
  for (std::uint32_t v = first; v < first + size_; ++v) {
    list_[length] = v;
    length += factors_[v] != 0;
  }
  return length - first;
}

void PublishedSampler::Thread::lower(std::uint32_t vertex) {
  const std::uint32_t degree = degree_[vertex]--;
  DegreeBuckets& buckets = side(vertex);
  buckets.erase(local(vertex), degree);
  buckets.insert(local(vertex), degree - 1);
  dead_ = dead_ || degree == 1;
}

void PublishedSampler::Thread::remove(std::uint32_t vertex) {
  factors_[vertex] = 0;
  side(vertex).erase(local(vertex), degree_[vertex]);
  work(degree_[vertex]);
}

PublishedSampler::PublishedSampler(const Problem& problem, const SampleOptions& options)
    : options_(published_options(options)) {
  const bool unit = has_unit_weights(problem);
  if (unit && problem.size <= 64 && !options_.scaled) {
    bits_ = std::make_unique<BitmaskBlock<1, 7>>(bitmask_block<1, 7>(problem));
    return;
  }
  view_ = {problem.size, problem.offset.data(), problem.target.data(), unit ? nullptr : problem.weight.data()};
  thread_ = std::make_unique<Thread>(problem, work_);
}

Sample PublishedSampler::sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) {
  if (bits_) {
    // A row or a column takes as long as an edge or two elsewhere.
    work_ += 4 * static_cast<std::uint64_t>(bits_->size);
    return options_.fewest ? bitmask_sample<true>(*bits_, seed, i) : bitmask_sample<false>(*bits_, seed, i);
  }
  thread_->poll = &poll;
  return PublishedWalk<Thread>(view_, options_, *thread_).sample(seed, i);
}

}  // namespace matchcount
