#pragma once
// Makes a warp the team of a published walk (approx/published_walk.hpp).

#include "approx/cuda/warp.cuh"
#include "approx/published_walk.hpp"

namespace matchcount::gpu {

class WarpTeam : public Warp {
 public:
  // Returns the bytes of one team's memory, a multiple of 8.
  static MATCHCOUNT_ANYWHERE std::size_t bytes(std::uint32_t size) {
    return 32 * static_cast<std::size_t>(size) + 8 * static_cast<std::size_t>(words_of(size));
  }

  MATCHCOUNT_ANYWHERE WarpTeam(const ProblemView& problem, void* memory)
      : factor(static_cast<double*>(memory)),
        list(reinterpret_cast<std::uint32_t*>(factor + 2 * problem.size)),
        problem_(problem),
        degree_(list + 2 * problem.size),
        forced_(degree_ + 2 * problem.size),
        num_words_(words_of(problem.size)) {}

  double* factor;
  std::uint32_t* list;

  MATCHCOUNT_ANYWHERE void start() {
    sync();
    for (std::uint32_t w = lane(); w < 2 * num_words_; w += width()) forced_[w] = 0;
    sync();
    dead_ = false;
    for (std::uint32_t v = lane(); v < 2 * problem_.size; v += width()) {
      factor[v] = 1;
      degree_[v] = problem_.offset[v + 1] - problem_.offset[v];
      note_degree(v, degree_[v]);
    }
    sync();
  }
  MATCHCOUNT_ANYWHERE std::uint32_t forced() const {
    const std::uint32_t row = first_bit(forced_);
    if (row != no_vertex) return row;
    const std::uint32_t column = first_bit(forced_ + num_words_);
    return column == no_vertex ? no_vertex : problem_.size + column;
  }
  MATCHCOUNT_ANYWHERE std::uint32_t fewest_row() const {
    std::uint32_t least = ~std::uint32_t{0}, at = no_vertex;
    for (std::uint32_t row = lane(); row < problem_.size; row += width()) {
      if (degree_[row] < least) {
        least = degree_[row];
        at = row;
      }
    }
    return Warp::least(least == Warp::least(least) ? at : no_vertex);
  }
  MATCHCOUNT_ANYWHERE std::uint32_t list_left(std::uint32_t first) {
    std::uint32_t length = first;
    for (std::uint32_t base = 0; base < problem_.size; base += width()) {
      const std::uint32_t vertex = first + base + lane();
      const bool left = base + lane() < problem_.size && factor[vertex] != 0;
      const std::uint32_t lanes = ballot(left);
      if (left) list[length + place(lanes)] = vertex;
      length += static_cast<std::uint32_t>(count_bits(lanes));
    }
    sync();
    return length - first;
  }
  MATCHCOUNT_ANYWHERE void lower(std::uint32_t vertex) { note_degree(vertex, --degree_[vertex]); }
  MATCHCOUNT_ANYWHERE void remove(std::uint32_t vertex) {
    if (lane() != 0) return;
    factor[vertex] = 0;
    degree_[vertex] = ~std::uint32_t{0};
    word_of(vertex) &= ~bit_of(vertex);
  }
  MATCHCOUNT_ANYWHERE bool dead() const { return ballot(dead_) != 0; }
  MATCHCOUNT_ANYWHERE void work(std::uint32_t) const {}

 private:
  static MATCHCOUNT_ANYWHERE std::uint32_t words_of(std::uint32_t size) { return (size + 31) / 32; }
  MATCHCOUNT_ANYWHERE std::uint32_t& word_of(std::uint32_t vertex) const {
    return forced_[(vertex < problem_.size ? 0 : num_words_) + problem_.local(vertex) / 32];
  }
  MATCHCOUNT_ANYWHERE std::uint32_t bit_of(std::uint32_t vertex) const {
    return std::uint32_t{1} << problem_.local(vertex) % 32;
  }
  MATCHCOUNT_ANYWHERE void note_degree(std::uint32_t vertex, std::uint32_t degree) {
    if (degree > 1) return;
    dead_ = dead_ || degree == 0;
    set_bit(word_of(vertex), bit_of(vertex));
  }
  MATCHCOUNT_ANYWHERE std::uint32_t first_bit(const std::uint32_t* words) const {
    for (std::uint32_t base = 0; base < num_words_; base += width()) {
      const std::uint32_t w = base + lane();
      const bool found = w < num_words_ && words[w] != 0;
      const std::uint32_t first =
          Warp::least(found ? 32 * w + static_cast<std::uint32_t>(lowest_bit(words[w])) : no_vertex);
      if (first != no_vertex) return first;
    }
    return no_vertex;
  }

  const ProblemView& problem_;
  std::uint32_t* degree_;  // by vertex
  std::uint32_t* forced_;  // bits of the rows of degree 1, and of the columns behind them
  std::uint32_t num_words_;
  bool dead_ = false;  // as far as this lane has seen
};

}  // namespace matchcount::gpu
