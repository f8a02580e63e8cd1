#include "permanent/frontier/frontier.hpp"

#include <string>

#include "core/work.hpp"
#include "permanent/bound.hpp"
#include "permanent/frontier/cpu/dense.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/residues.hpp"
#include "permanent/frontier/run_along.hpp"

namespace matchcount {
namespace {

double log2_bound(const Block<std::int64_t>& block) { return log2_permanent_bound(block); }
double log2_bound(const GraphBlock<std::int64_t>& block) { return log2_hafnian_bound(block); }

void multiply(Integer& value, const std::vector<std::uint32_t>& factors) {
  for (const std::uint32_t factor : factors) value *= factor;
}
// agreed_spread for an exact count. A run that was begun in other numbers goes on in them.
SpreadCost agreed_spread(const FrontierSteps& steps, FrontierEngine engine, double log2_bound, const RunContext& run) {
  const auto mine = [&](std::size_t num_primes) {
    return agreed_spread(steps, engine, 8 * words_of_state(log2_bound), num_primes, run);
  };
  if (!run.work()) return mine(residues_needed(log2_bound));
  const std::string numbers = run.part() + ", numbers";
  const auto begun = run.work()->decided(numbers);
  SpreadCost spread;
  if (begun && *begun != "words") {
    spread.spread = FrontierSpread::residues;
    spread.primes_at_once = std::stoul(*begun);
    return spread;
  }
  spread = mine(begun ? 0 : residues_needed(log2_bound));
  const bool residues = spread.spread == FrontierSpread::residues;
  run.work()->decide(numbers, residues ? std::to_string(spread.primes_at_once) : "words");
  return spread;
}

template <class AnyBlock>
Integer exact_frontier(const AnyBlock& block, const FrontierOrder& given, FrontierEngine engine, const RunContext& run,
                       const std::vector<DeviceInfo>& gpus) {
  const FrontierOrder order = agreed_order(given, run);
  const FrontierSteps steps = steps_along(block, order);
  if (steps.impossible) return 0;
  if (engine == FrontierEngine::lean) require_dense_width(steps);
  const bool begun_in_words = run.work() && run.work()->decided(run.part() + ", numbers") == "words";
  if (!gpus.empty() && gpus_take(steps, engine) && !begun_in_words) {
    return count_on_gpus(steps, block.entries, log2_bound(block), gpus, run);
  }
  const SpreadCost choice = agreed_spread(steps, engine, log2_bound(block), run);
  const FrontierSpread spread = choice.spread;
  if (spread == FrontierSpread::residues) {
    Integer result = count_by_residues(steps, engine, block.entries, log2_bound(block), choice.primes_at_once, run);
    multiply(result, twin_factors(order));
    return result;
  }
  const std::string description = "frontier method in integers of 64-bit words";
  const Bytes record = run_here(run, spread, run.part(), description, [&] {
    Words arithmetic(block.entries, log2_bound(block));
    return to_bytes(run_steps(steps, arithmetic, engine, spread, run, run.part() + ", so far", description));
  });
  const auto words = from_bytes<std::vector<Word>>(record);
  if (words.empty()) return 0;
  Integer result = from_magnitude(words);
  if (words.back() >> 63) result -= Integer(1) << (64 * static_cast<unsigned>(words.size()));
  multiply(result, twin_factors(order));
  return result;
}

}  // namespace

Integer permanent_frontier(const Block<std::int64_t>& block, const FrontierOrder& order, FrontierEngine engine,
                           const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return exact_frontier(block, order, engine, run, gpus);
}
Integer hafnian_frontier(const GraphBlock<std::int64_t>& block, const FrontierOrder& order, FrontierEngine engine,
                         const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return exact_frontier(block, order, engine, run, gpus);
}

}  // namespace matchcount
