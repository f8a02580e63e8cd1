// Walks of particles by several lanes, as those of a GPU's warp, against those of one thread.

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <vector>

#include "approx/bethe.hpp"
#include "approx/blocks.hpp"
#include "approx/cpu/population_start.hpp"
#include "approx/population_walk.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint32_t num_lanes = 3;

// Runs lanes one at a time, each up to the next place where all wait for all, in another order every time: what one of
// them reads that another has written, or is yet to write, without a sync between shows. They are contexts of one
// thread: threads would wait for the machine's other work at every sync.
class Turns {
 public:
  static inline std::uint32_t lane = 0;

  static void run(const std::function<void()>& body) {
    body_ = &body;
    for (std::uint32_t i = 0; i < num_lanes; ++i) {
      stacks_[i].resize(1 << 20);
      getcontext(&lanes_[i]);
      lanes_[i].uc_stack.ss_sp = stacks_[i].data();
      lanes_[i].uc_stack.ss_size = stacks_[i].size();
      lanes_[i].uc_link = &caller_;
      makecontext(&lanes_[i], &Turns::start, 0);
    }
    lane = order_[turn_];
    swapcontext(&caller_, &lanes_[lane]);
  }
  static void wait_for_all() {
    const std::uint32_t mine = lane;
    next();
    if (lane != mine) swapcontext(&lanes_[mine], &lanes_[lane]);
  }

 private:
  static void start() {
    (*body_)();
    // All lanes end in one round, whose last goes back to the caller.
    next();
    if (turn_ != 0) setcontext(&lanes_[lane]);
  }
  static void next() {
    if (++turn_ == num_lanes) {
      turn_ = 0;
      std::shuffle(order_.begin(), order_.end(), random_);
    }
    lane = order_[turn_];
  }

  static inline const std::function<void()>* body_ = nullptr;
  static inline std::array<ucontext_t, num_lanes> lanes_;
  static inline std::array<std::vector<char>, num_lanes> stacks_;
  static inline ucontext_t caller_;
  static inline std::array<std::uint32_t, num_lanes> order_{0, 1, 2};
  static inline std::uint32_t turn_ = 0;
  static inline std::mt19937 random_{1};
};

struct SeveralLanes {
  static std::uint32_t lane() { return Turns::lane; }
  static std::uint32_t width() { return num_lanes; }
  static void sync() { Turns::wait_for_all(); }
  static std::uint32_t ballot(bool mine) {
    const auto all = exchanged(mine);
    return std::uint32_t{all[0]} | std::uint32_t{all[1]} << 1 | std::uint32_t{all[2]} << 2;
  }
  static std::uint32_t place(std::uint32_t lanes) { return count(lanes & ((1u << lane()) - 1)); }
  static std::uint32_t count(std::uint32_t lanes) { return static_cast<std::uint32_t>(count_bits(lanes)); }
  static std::uint32_t last(std::uint32_t lanes) { return 31 - static_cast<std::uint32_t>(__builtin_clz(lanes)); }
  template <class T>
  static T from_lane(std::uint32_t from, T mine) {
    return exchanged(mine)[from];
  }

 private:
  template <class T>
  static std::array<T, num_lanes> exchanged(T mine) {
    static std::array<T, num_lanes> all;
    all[lane()] = mine;
    Turns::wait_for_all();
    const std::array<T, num_lanes> result = all;
    Turns::wait_for_all();
    return result;
  }
};

// Walks one particle both ways, and compares all that it is.
void check_lanes(const Problem& problem, Guide guide) {
  const PopulationStart start(problem, guide);
  with_tuning(guide, [&](auto tuning) {
    using Tuning = decltype(tuning);
    struct Walked {
      std::vector<std::uint64_t> particle;
      Product value, left;
      Uniforms uniforms = PopulationStart::uniforms(3, 0, 0);
      bool alive = true;
    };
    Walked one{start.particle, {}, start.left};
    std::vector<std::uint64_t> scratch(start.scratch_length), scratch_of_lanes = scratch, particle = start.particle;
    ParticleWalk<Tuning> walk(start.view, scratch.data());
    typename ParticleWalk<Tuning, SeveralLanes>::Searches searches;
    std::array<Walked, num_lanes> lanes;
    lanes.fill(one);
    constexpr std::uint32_t steps_a_stage = 16;
    for (std::uint32_t first = 0; first < start.steps && one.alive; first += steps_a_stage) {
      const std::uint32_t steps = std::min(steps_a_stage, start.steps - first);
      walk.attach(one.particle.data(), start.state_length);
      one.alive = walk.advance(first, steps, one.uniforms, one.value, one.left, [] {});
      const auto before = searches;
      Turns::run([&] {
        Walked& mine = lanes[Turns::lane];
        ParticleWalk<Tuning, SeveralLanes> together(start.view, scratch_of_lanes.data());
        together.go_on(before);
        together.attach(particle.data(), start.state_length);
        mine.alive = together.advance(first, steps, mine.uniforms, mine.value, mine.left, [] {});
        if (Turns::lane == 0) searches = together.searches();
      });
      CAPTURE(problem.size, static_cast<int>(guide), first);
      REQUIRE(particle == one.particle);
      for (const Walked& lane : lanes) {
        REQUIRE(lane.alive == one.alive);
        REQUIRE(lane.left.sample().mantissa == one.left.sample().mantissa);
        REQUIRE(lane.value.sample().mantissa == one.value.sample().mantissa);
        REQUIRE(lane.value.sample().exponent == one.value.sample().exponent);
      }
    }
  });
}

Problem propagated(Problem problem) {
  propagate(problem, 100, RunContext(RunOptions()));
  return problem;
}

}  // namespace

TEST_CASE("several lanes walk a particle as one thread does, to the last bit") {
  for (const Guide guide : {Guide::near, Guide::far}) {
    for (const std::size_t n : {1u, 2u, 7u}) {
      for (const bool weighted : {false, true})
        check_lanes(propagated(problem_of(small_matrix(Family::planted, n, weighted, n).graph())), guide);
    }
    check_lanes(propagated(problem_of(grid_graph(4, 6))), guide);
    check_lanes(propagated(problem_of(random_regular_graph(16, 3, 1))), guide);
  }
  // Odd cycles, with blossoms, and vertices left alone.
  Random random(31, 1);
  for (const Vertex n : {4u, 12u}) {
    const UndirectedGraph graph = random_graph(n, n < 10 ? 0.9 : 0.4, random);
    const std::vector<double> weights(graph.num_edges(), 1.5);
    check_lanes(propagated(make_problem_of_all(graph, weights)), Guide::alone);
    const GraphMatching perfect = maximum_matching(graph, RunContext());
    REQUIRE(perfect.is_perfect());
    for (const Guide guide : {Guide::odd_near, Guide::odd_far})
      check_lanes(propagated(make_problem(graph, weights, perfect)), guide);
  }
}
