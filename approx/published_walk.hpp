#pragma once
// Draws a sample of Rasmussen's and of the scaling estimators, for a team of lanes: a thread of a CPU is a team of one,
// a warp of a GPU one of 32. Rows and columns that are taken away get the factor 0, which leaves the slots of a vertex
// where they are: sums run over all of them in order, on every machine in the same.

#include "approx/estimator.hpp"
#include "approx/walk.hpp"

namespace matchcount {

// A Problem (approx/problem.hpp) as pointers that hold where the walk runs.
struct ProblemView {
  std::uint32_t size = 0;
  const std::uint32_t* offset = nullptr;
  const std::uint32_t* target = nullptr;
  const double* weight = nullptr;  // null: all 1

  // Returns the place of a vertex among those of its side.
  MATCHCOUNT_ANYWHERE std::uint32_t local(std::uint32_t vertex) const { return vertex < size ? vertex : vertex - size; }
};

struct PublishedOptions {
  bool fewest = false;  // the row of fewest choices, else the first
  bool scaled = false;
  std::uint32_t scaling_interval = 1, scaling_rounds = 5;
};
inline PublishedOptions published_options(const SampleOptions& options) {
  return {options.estimator == Estimator::rasmussen_plus || options.estimator == Estimator::scaling_plus,
          options.estimator == Estimator::scaling || options.estimator == Estimator::scaling_plus,
          static_cast<std::uint32_t>(options.scaling_interval), static_cast<std::uint32_t>(options.scaling_rounds)};
}

constexpr std::uint32_t no_vertex = ~std::uint32_t{0};

// Team has
//   lane(), width()         of the lanes
//   sync()                  what is written before it is seen by all lanes behind it
//   double* factor          by vertex: of its edges' weights; 0 where it is gone
//   std::uint32_t* list     room for all vertices
//   start()                 all vertices are left, with factors 1
//   forced()                the first row with one choice, else the first such column, else no_vertex
//   fewest_row()            the first row of least degree of those that are left
//   list_left(first)        puts the vertices that are left of the side from `first` on into list, from list[first] on,
//                           for all lanes to see; returns their number
//   lower(vertex)           by one lane: an edge of the vertex is gone
//   remove(vertex)          by all lanes
//   dead()                  whether a vertex is left without an edge
//   work(edges)             so many were looked at
// Lanes all get the same answers.
template <class Team>
class PublishedWalk {
 public:
  MATCHCOUNT_ANYWHERE PublishedWalk(const ProblemView& problem, const PublishedOptions& options, Team& team)
      : problem_(problem), options_(options), team_(team) {}

  // A team calls it once a walk.
  MATCHCOUNT_ANYWHERE Sample sample(std::uint64_t seed, std::uint64_t i) {
    Uniforms uniforms(seed, i);
    Product value;
    team_.start();
    std::uint32_t until_scaling = 0;
    for (std::uint32_t left = problem_.size; left > 0; --left) {
      if (team_.dead()) return {};
      const std::uint32_t forced = team_.forced();
      if (forced != no_vertex) {
        std::uint32_t slot = problem_.offset[forced];
        while (team_.factor[problem_.target[slot]] == 0) ++slot;
        value.multiply(weight(slot));
        take(forced, problem_.target[slot]);
        continue;
      }
      if (options_.scaled && until_scaling-- == 0) {
        scale();
        until_scaling = options_.scaling_interval - 1;
      }
      const std::uint32_t row = options_.fewest ? team_.fewest_row() : next_row();
      const double sum = sum_at(row);
      double at = uniforms.next() * sum;
      std::uint32_t chosen = no_vertex;
      for (std::uint32_t slot = problem_.offset[row]; slot < problem_.offset[row + 1]; ++slot) {
        const std::uint32_t column = problem_.target[slot];
        if (team_.factor[column] == 0) continue;
        chosen = column;
        const double share = weight(slot) * team_.factor[column];
        if (at < share) break;
        at -= share;
      }
      value.multiply(sum / team_.factor[chosen]);
      take(row, chosen);
    }
    return value.sample();
  }

 private:
  // All shares are above 0 for factors within these.
  static constexpr double smallest_factor = 0x1p-120, largest_factor = 0x1p120;

  MATCHCOUNT_ANYWHERE double weight(std::uint32_t slot) const { return problem_.weight ? problem_.weight[slot] : 1; }

  MATCHCOUNT_ANYWHERE double sum_at(std::uint32_t vertex) const {
    const std::uint32_t begin = problem_.offset[vertex], end = problem_.offset[vertex + 1];
    team_.work(end - begin);
    double sum = 0;
    if (problem_.weight) {
      for (std::uint32_t slot = begin; slot < end; ++slot)
        sum += problem_.weight[slot] * team_.factor[problem_.target[slot]];
    } else {
      for (std::uint32_t slot = begin; slot < end; ++slot) sum += team_.factor[problem_.target[slot]];
    }
    return sum;
  }

  MATCHCOUNT_ANYWHERE std::uint32_t next_row() {
    while (team_.factor[next_row_] == 0) ++next_row_;
    return next_row_;
  }

  // Makes Sinkhorn's rounds over what is left, from 1: columns, then rows. Only the columns' factors matter for
  // choices.
  MATCHCOUNT_ANYWHERE void scale() {
    const std::uint32_t rows = team_.list_left(0), columns = team_.list_left(problem_.size);
    set_to_1(team_.list, rows);
    if (options_.scaling_rounds == 0) set_to_1(team_.list + problem_.size, columns);
    team_.sync();
    for (std::uint32_t round = 0; round < options_.scaling_rounds; ++round) {
      if (round > 0) scale_list(team_.list, rows);
      scale_list(team_.list + problem_.size, columns);
    }
  }
  MATCHCOUNT_ANYWHERE void set_to_1(const std::uint32_t* list, std::uint32_t length) {
    for (std::uint32_t k = team_.lane(); k < length; k += team_.width()) team_.factor[list[k]] = 1;
  }
  MATCHCOUNT_ANYWHERE void scale_list(const std::uint32_t* list, std::uint32_t length) {
    for (std::uint32_t k = team_.lane(); k < length; k += team_.width()) {
      const double factor = 1 / sum_at(list[k]);
      team_.factor[list[k]] = factor < smallest_factor  ? smallest_factor
                              : factor > largest_factor ? largest_factor
                                                        : factor;
    }
    team_.sync();
  }

  MATCHCOUNT_ANYWHERE void take(std::uint32_t a, std::uint32_t b) {
    team_.sync();
    team_.remove(a);
    team_.remove(b);
    team_.sync();
    lower_around(a);
    lower_around(b);
    team_.sync();
  }
  MATCHCOUNT_ANYWHERE void lower_around(std::uint32_t vertex) {
    for (std::uint32_t slot = problem_.offset[vertex] + team_.lane(); slot < problem_.offset[vertex + 1];
         slot += team_.width()) {
      if (team_.factor[problem_.target[slot]] != 0) team_.lower(problem_.target[slot]);
    }
  }

  const ProblemView& problem_;
  const PublishedOptions& options_;
  Team& team_;
  std::uint32_t next_row_ = 0;
};

}  // namespace matchcount
