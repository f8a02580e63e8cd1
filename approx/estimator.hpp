#pragma once
// Names the estimators, and says what they can be told.

#include <string_view>
#include <vector>

#include "core/api.hpp"
#include "core/names.hpp"

namespace MATCHCOUNT_API matchcount {

// Most draw a random perfect matching edge by edge, with known probabilities; the product of weight / probability over
// its edges has the permanent as its mean, and 0 stands for a dead end. All follow forced edges: a row or a column with
// one choice left takes it.
enum class Estimator {
  automatic,       // what a pilot run finds best: the least variance times time
  rasmussen,       // rows in order, a choice with probability proportional to its weight (Rasmussen 1994,
                   // doi:10.1002/rsa.3240050208)
  rasmussen_plus,  // the same, the row of fewest choices first
  scaling,  // the same as rasmussen, weights scaled by Sinkhorn's rounds every scaling_interval rows (Dufosse, Kaya,
            // Panagiotas and Ucar 2018, doi:10.1137/1.9781611975215.6)
  scaling_plus,  // the same, the row of fewest choices first
  // Ours. The row or column of fewest choices first; only edges that lie in some perfect matching of what is left, so
  // that there are no dead ends; probabilities by belief propagation, whose messages are kept up to date around what
  // was taken away. In graphs with odd cycles any vertex is a row or a column.
  guided,
  // A population of guided samples drawn side by side; those that fall behind are replaced by copies of those ahead
  // (sequential Monte Carlo, Del Moral, Doucet and Jasra 2006, doi:10.1111/j.1467-9868.2006.00553.x), judged by value
  // so far times the Bethe approximation of what is left. Of the vertices of fewest choices the first in breadth-first
  // order is matched, and messages are kept up to date farther around, or, where a pilot run finds that this pays, as
  // far as they change. The population's mean is one sample.
  population,
  // A population of matchings of growing size, from none with an edge: edges are added, taken out and slid (Jerrum and
  // Sinclair 1989, doi:10.1137/0218077) while their activity grows, those that fall behind are replaced, and the share
  // of perfect ones at the end is told. It shares no step with guided samples: the two confirm each other.
  annealing,
  // Squares of determinants of matrices with random signs, and with random cube roots of 1, whose means are permanents
  // and hafnians (approx/cpu/determinants.hpp): no matchings are drawn. For comparison; their variance doubles with
  // every vertex or two.
  godsil_gutman,
  karmarkar,
  // Results alone: a block that was counted exactly; nothing left by matching and reductions.
  exact,
  structure
};
template <>
struct Names<Estimator> {
  static constexpr std::string_view what = "estimator";
  static constexpr Named<Estimator> all[] = {{Estimator::automatic, "auto"},
                                             {Estimator::rasmussen, "rasmussen"},
                                             {Estimator::rasmussen_plus, "rasmussen+"},
                                             {Estimator::scaling, "scaling"},
                                             {Estimator::scaling_plus, "scaling+"},
                                             {Estimator::guided, "guided"},
                                             {Estimator::population, "population"},
                                             {Estimator::annealing, "annealing"},
                                             {Estimator::godsil_gutman, "godsil-gutman"},
                                             {Estimator::karmarkar, "karmarkar"},
                                             {Estimator::exact, "exact", false},
                                             {Estimator::structure, "structure", false}};
};

// Says whether samples are determinants rather than matchings.
constexpr bool is_by_determinants(Estimator estimator) {
  return estimator == Estimator::godsil_gutman || estimator == Estimator::karmarkar;
}

// A stage of annealing: an activity of edges, and how long the chain runs at it.
struct AnnealingStage {
  double log_activity = 0, time = 0;
  double edges = 0;  // that matchings have there, in the mean
};

// Says whether samples are means of populations, whose logarithms tell more than they do where they vary much.
constexpr bool is_by_populations(Estimator estimator) {
  return estimator == Estimator::population || estimator == Estimator::annealing;
}

struct SampleOptions {
  Estimator estimator = Estimator::guided;
  int scaling_interval = 1;   // rows between two scalings; >= 1
  int scaling_rounds = 5;     // of all columns, then all rows; >= 0
  int population = 64;        // of Estimator::population and annealing; >= 2
  bool far_messages = false;  // of Estimator::population: messages travel until they change little
  bool doubles = false;  // of Estimator::population: it begins with half of its particles (approx/population_mean.hpp)
  std::vector<AnnealingStage> stages;  // of Estimator::annealing
};

}  // namespace matchcount
