// plan: what would run, and what every method would cost.

#include <unistd.h>

#include <cmath>
#include <string>

#include "apps/commands.hpp"
#include "apps/matchings.hpp"
#include "apps/placement.hpp"
#include "apps/report.hpp"
#include "core/amounts.hpp"
#include "core/work.hpp"
#include "permanent/explanation.hpp"

namespace matchcount::app {
namespace {

// Stands for as many ranks as are planned for, of which none is there.
class PlannedRanks : public Work {
 public:
  explicit PlannedRanks(int num_ranks) : num_ranks_(num_ranks) {}
  int num_ranks() const override { return num_ranks_; }

 private:
  int num_ranks_;
};

// Says why a count would be refused.
std::string limit_sentence(const Options& options, const Plan& plan) {
  const RunOptions& run = options.count.run;
  if (plan.seconds > run.time_limit_s) return "over --time-limit " + format_seconds(run.time_limit_s);
  if (plan.memory_bytes > static_cast<double>(resolve_memory_limit(run))) {
    return "over the memory limit of " + memory_amount(static_cast<double>(resolve_memory_limit(run)));
  }
  return {};
}

// `refusal`: why it would be refused, or nothing.
std::string plan_text(const Options& options, const Input& input, const Plan& plan, const std::string& refusal) {
  const std::string size = input.is_bipartite() ? std::to_string(plan.rows) + " x " + std::to_string(plan.columns)
                                                : std::to_string(plan.vertices) + " vertices, an odd cycle of " +
                                                      std::to_string(input.odd_cycle.size());
  std::string text = size + ", " + format_count(plan.edges, "edge", "edges") + ", maximum matching " +
                     std::to_string(plan.maximum_matching) + "\n";
  const std::string there_is_none = options.planned ? "no perfect matching: " : "the answer is 0: ";
  if (const Certificate why = certificate_of(plan)) return text + there_is_none + sentence(input, why) + "\n";
  text += blocks_text(plan);
  text += std::isinf(plan.seconds)
              ? "\nno method applies to every block"
              : "\nin all " + format_seconds(plan.seconds) + " and " + memory_amount(plan.memory_bytes);
  if (!refusal.empty()) text += "; it would be refused: " + refusal;
  return text + "\n";
}

Json plan_json(const Options& options, const Plan& plan, const std::string& refusal) {
  Json object = {{"of", options.planned ? options.planned->name : "count"},
                 {"maximum_matching", plan.maximum_matching},
                 {"reductions", json_reductions(plan.reductions, plan.blocks.size())},
                 {"blocks", Json::array()}};
  for (const BlockPlan& block : plan.blocks) {
    Json entry = json_block(block);
    entry["methods"] = json_forecasts(block);
    object["blocks"].push_back(std::move(entry));
  }
  object["seconds"] = plan.seconds;
  object["memory_bytes"] = plan.memory_bytes;
  object["within_limits"] = refusal.empty();
  if (!refusal.empty()) object["refusal"] = refusal;
  return object;
}

Report report_of(const Options& options, const Loaded& loaded, const Plan& plan, const std::string& refusal) {
  Report report;
  if (options.planned)
    (uses_weights(options, loaded.input) ? report.about_weights : report.weights_ignored) =
        weights_note(options, loaded.input);
  if (options.json)
    report.members = plan_json(options, plan, refusal);
  else
    report.text = fitted(plan_text(options, loaded.input, plan, refusal), columns_of(STDOUT_FILENO));
  report.certificate = certificate_of(plan);
  report.none.clear();
  report.seed = options.count.run.seed;
  return report;
}

// Plans marginals and sample.
Report plan_distribution(const Options& options, Loaded& loaded, const CountOptions& count) {
  bring_to_integers(options, loaded);
  const bool of_marginals = options.planned->name == "marginals";
  const DistributionOptions how = distribution_options(options, loaded.input, count);
  const DistributionPlan planned = with_graph(options, loaded.input, [&](const auto& graph) {
    return of_marginals ? plan_marginals(graph, how) : plan_samples(graph, how);
  });
  if (of_marginals && !options.exact && planned.plan.has_perfect_matching() && !planned.are_probabilities)
    refuse_signs(loaded);
  return report_of(options, loaded, planned.plan, planned.refusal);
}

}  // namespace

// A limit is that of the run that is planned, too: the plan says whether it would hold, and takes no longer than that
// and a second and a half itself.
int run_plan(const Options& options, Interrupt& interrupt) {
  return report_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar&) {
    if (options.planned) return plan_distribution(options, loaded, count);
    take_order(options, loaded.input, count);
    PlannedRanks ranks(options.planned_ranks);
    const Input& input = loaded.input;
    const bool weighted = input.kind == InputKind::matrix || input.weights_are_multiplicities;
    const Plan plan = plan_matchings(
        input.view(), matching_options(options, input, count, weighted || options.input.loops == Loops::keep), &ranks);
    write_order(options, input, plan, count.run);
    return report_of(options, loaded, plan, limit_sentence(options, plan));
  });
}

}  // namespace matchcount::app
