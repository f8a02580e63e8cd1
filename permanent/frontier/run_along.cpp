#include "permanent/frontier/run_along.hpp"

#include <span>

#include "core/work.hpp"
#include "permanent/frontier/cpu/partitioned.hpp"
#include "permanent/frontier/cpu/run.hpp"

namespace matchcount {

FrontierOrder agreed_order(const FrontierOrder& mine, const RunContext& run) {
  struct Order {
    std::vector<Vertex> sequence, twin_before;
    auto fields() { return std::tie(sequence, twin_before); }
  };
  FrontierOrder order = mine;
  std::tie(order.sequence, order.twin_before) = agreed(Order{mine.sequence, mine.twin_before}, "order", run).fields();
  return order;
}

SpreadCost agreed_spread(const FrontierSteps& steps, FrontierEngine engine, double bytes_of_state,
                         std::size_t num_primes, const RunContext& run) {
  const auto mine = [&] {
    return choose_spread(steps, engine, bytes_of_state, num_primes, run.num_ranks(), run.num_threads(),
                         static_cast<double>(run.memory_limit_bytes()));
  };
  if (!run.work() || run.num_ranks() == 1) {
    return num_primes > 0 && residues_may_pay(steps, engine) ? mine() : SpreadCost{};
  }
  return from_bytes<SpreadCost>(run.work()->tell_all(to_bytes(mine()), run).front());
}

Bytes run_here(const RunContext& run, FrontierSpread spread, const std::string& name, const std::string& description,
               const std::function<Bytes()>& compute) {
  const Job job{name, description, 1, {}};
  Bytes record;
  const bool together = spread == FrontierSpread::partitioned && !run.work()->is_done(job, run);
  if (together) record = compute();
  return total_of(run_job(job, run, [&](Pieces& pieces) {
    if (run.work() && !run.work()->is_first()) return;
    const auto piece = pieces.take();
    if (piece) pieces.give(*piece, together ? record : compute());
  }));
}

namespace {

template <class Number>
auto run_any(const FrontierSteps& steps, Number& number, FrontierEngine engine, FrontierSpread spread,
             const RunContext& run, const std::string& name, const std::string& description) {
  if (spread == FrontierSpread::partitioned) return PartitionedRun(steps, number, run, name, description).run();
  return FrontierRun(steps, number, engine, run, name, description).run();
}

}  // namespace

std::vector<Word> run_steps(const FrontierSteps& steps, Words& number, FrontierEngine engine, FrontierSpread spread,
                            const RunContext& run, const std::string& name, const std::string& description) {
  return run_any(steps, number, engine, spread, run, name, description);
}
std::vector<double> run_steps(const FrontierSteps& steps, Floats& number, FrontierEngine engine, FrontierSpread spread,
                              const RunContext& run, const std::string& name, const std::string& description) {
  return run_any(steps, number, engine, spread, run, name, description);
}

std::vector<std::uint32_t> twin_factors(const FrontierOrder& order) {
  std::vector<std::uint32_t> place(order.twin_before.size(), 1);
  std::vector<std::uint32_t> factors;
  for (std::size_t v = 0; v < place.size(); ++v) {
    if (order.twin_before[v] == unmatched) continue;
    place[v] = place[order.twin_before[v]] + 1;
    factors.push_back(place[v]);
  }
  return factors;
}

}  // namespace matchcount
