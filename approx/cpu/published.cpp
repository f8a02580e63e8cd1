#include "approx/cpu/published.hpp"

#include <algorithm>

namespace matchcount {

bool has_unit_weights(const Problem& problem) {
  return std::all_of(problem.weight.begin(), problem.weight.end(), [](double weight) { return weight == 1; });
}

bool takes_bitmasks(const Problem& problem, const SampleOptions& options) {
  return problem.size <= 64 && !published_options(options).scaled && has_unit_weights(problem);
}

ProblemView problem_view(const Problem& problem) {
  return {problem.size, problem.offset.data(), problem.target.data(),
          has_unit_weights(problem) ? nullptr : problem.weight.data()};
}

PublishedSampler::Thread::Thread(const Problem& problem, std::uint64_t& work)
    : size_(problem.size),
      work_(work),
      factors_(problem.num_vertices()),
      list_(problem.num_vertices()),
      degree_(problem.num_vertices()),
      sets_(DegreeSetsSize::of(problem.size, problem.largest_degree())),
      set_words_(2 * sets_.length()),
      rows_(sets_, set_words_.data()),
      columns_(sets_, set_words_.data() + sets_.length()) {
  factor = factors_.data();
  list = list_.data();
  for (std::uint32_t v = 0; v < problem.num_vertices(); ++v) {
    start_degree_.push_back(problem.degree(v));
    side(v).insert(local(v), problem.degree(v));
    starts_dead_ = starts_dead_ || problem.degree(v) == 0;
  }
  start_set_words_ = set_words_;
}

void PublishedSampler::Thread::start() {
  std::fill(factors_.begin(), factors_.end(), 1.0);
  std::copy(start_degree_.begin(), start_degree_.end(), degree_.begin());
  std::copy(start_set_words_.begin(), start_set_words_.end(), set_words_.begin());
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
  side(vertex).lower(local(vertex), degree);
  dead_ = dead_ || degree == 1;
}

void PublishedSampler::Thread::remove(std::uint32_t vertex) {
  factors_[vertex] = 0;
  side(vertex).erase(local(vertex), degree_[vertex]);
  work(degree_[vertex]);
}

PublishedSampler::PublishedSampler(const Problem& problem, const SampleOptions& options)
    : options_(published_options(options)) {
  if (takes_bitmasks(problem, options)) {
    bits_ = std::make_unique<BitmaskBlock<1, 7>>(bitmask_block<1, 7>(problem));
    return;
  }
  view_ = problem_view(problem);
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
