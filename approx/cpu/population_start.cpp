#include "approx/cpu/population_start.hpp"

#include <bit>

#include "approx/cpu/sampler.hpp"

namespace matchcount {
namespace {

// Searches for a vertex at the rim.
constexpr int searches = 4;

// Returns numbers of rows and columns as they come in this order; with odd cycles of vertices.
std::vector<std::uint32_t> names_of(const Problem& problem, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> name(order.size());
  std::uint32_t row = 0, column = problem.size;
  for (const std::uint32_t v : order) name[v] = v < problem.size || !problem.bipartite ? row++ : column++;
  return name;
}

// Returns the place in the order by name.
std::vector<std::uint32_t> positions_of(const std::vector<std::uint32_t>& order,
                                        const std::vector<std::uint32_t>& name) {
  std::vector<std::uint32_t> position(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[name[order[i]]] = i;
  return position;
}

}  // namespace

std::vector<std::uint32_t> breadth_first_order(const Problem& problem) {
  const std::uint32_t n = problem.num_vertices();
  std::vector<std::uint32_t> order;
  for (int search = 0; search < searches && n > 0; ++search) {
    const std::uint32_t from = order.empty() ? 0 : order.back();
    std::vector<bool> met(n, false);
    order.clear();
    for (std::uint32_t i = 0; i <= n; ++i) {
      const std::uint32_t root = i == 0 ? from : i - 1;  // of the first component, then of the others
      if (met[root]) continue;
      met[root] = true;
      order.push_back(root);
      for (std::size_t head = order.size() - 1; head < order.size(); ++head) {
        const std::uint32_t v = order[head];
        for (std::uint32_t s = problem.offset[v]; s < problem.offset[v + 1]; ++s) {
          if (met[problem.target[s]]) continue;
          met[problem.target[s]] = true;
          order.push_back(problem.target[s]);
        }
      }
    }
  }
  return order;
}

Problem renamed(const Problem& problem, const std::vector<std::uint32_t>& name) {
  const std::uint32_t n = problem.num_vertices();
  std::vector<std::uint32_t> vertex(n);  // by name
  for (std::uint32_t v = 0; v < n; ++v) vertex[name[v]] = v;
  Problem result;
  result.size = problem.size;
  result.bipartite = problem.bipartite;
  result.alone = problem.alone;
  result.offset.push_back(0);
  std::vector<std::uint32_t> slot(problem.target.size());  // new, by old
  for (std::uint32_t v = 0; v < n; ++v) {
    for (std::uint32_t s = problem.offset[vertex[v]]; s < problem.offset[vertex[v] + 1]; ++s) {
      slot[s] = static_cast<std::uint32_t>(result.target.size());
      result.target.push_back(name[problem.target[s]]);
      result.weight.push_back(problem.weight[s]);
      result.message.push_back(problem.message[s]);
    }
    result.offset.push_back(static_cast<std::uint32_t>(result.target.size()));
    result.mate.push_back(name[problem.mate[vertex[v]]]);
  }
  result.reverse.resize(slot.size());
  for (std::size_t s = 0; s < slot.size(); ++s) result.reverse[slot[s]] = slot[problem.reverse[s]];
  return result;
}

Guide guide_of(const Problem& problem, bool far_messages) {
  if (problem.alone != 0) return Guide::alone;
  if (problem.bipartite) return far_messages ? Guide::far : Guide::near;
  return far_messages ? Guide::odd_far : Guide::odd_near;
}

PopulationStart::PopulationStart(const Problem& given, Guide how) : guide(how) {
  const std::vector<std::uint32_t> order = breadth_first_order(given);
  name = names_of(given, order);
  position = positions_of(order, name);
  problem = renamed(given, name);
  view = guided_view(problem);
  view.position = position.data();
  particle = guided_start(problem, view);
  with_tuning(guide, [&](auto tuning) {
    using Tuning = decltype(tuning);
    using Walk = ParticleWalk<Tuning>;
    for (std::uint32_t v = 0; v < problem.num_vertices() && !Tuning::sends_all; ++v) {
      double sum = problem.alone;
      for (std::uint32_t s = problem.offset[v]; s < problem.offset[v + 1]; ++s) sum += problem.message[s];
      particle.push_back(std::bit_cast<std::uint64_t>(sum));
    }
    steps = Tuning::leaves_alone ? problem.num_vertices() : problem.size;
    state_length = particle.size();
    scratch_length = Walk::scratch_length(view);
    particle.resize(Walk::length(view));
    std::vector<std::uint64_t> scratch(scratch_length);
    Walk walk(view, scratch.data());
    walk.attach(particle.data(), state_length);
    walk.start(left);
  });
}

double PopulationStart::particle_length(const Problem& problem) {
  return static_cast<double>(guided_view(problem).state_length() + 2 * problem.num_vertices() + window_words);
}

}  // namespace matchcount
