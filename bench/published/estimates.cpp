// The thesis's tables of estimators: time at a million samples, and how far off they are on grids.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

#include "apps/text.hpp"
#include "bench/published/session.hpp"
#include "bench/workload.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

constexpr Vertex thesis_rows = 40;

Sampled drawn_by(const Session& session, const BipartiteGraph& graph, const Sampler& sampler, std::uint64_t samples) {
  EstimateOptions options;
  options.scaling_rounds = 5;
  options.run = session.run;
  options.run.device = session.device;
  options.run.time_limit_s = session.sample_limit_s;
  Sampled sampled = draw(graph, sampler, samples, options);
  std::fprintf(stderr, "%u rows, %s: %s\n", graph.num_rows(), sampler.name().c_str(),
               app::format_seconds(sampled.seconds).c_str());
  return sampled;
}

// Returns the estimator that the name of a column says, scaled or not; nothing for other columns.
std::optional<Sampler> sampler_of(const std::string& column, const Row& row) {
  const auto has = [&](const char* part) { return column.find(part) != column.npos; };
  if (!has("seconds")) return std::nullopt;
  int interval = has("SInterval5") ? 5 : 1;
  if (row.has("SInterval")) interval = static_cast<int>(row.number("SInterval"));
  if (has("Rasmussen+")) return Sampler{Estimator::rasmussen_plus, 1};
  if (has("Rasmussen")) return Sampler{Estimator::rasmussen, 1};
  if (has("Scaling+")) return Sampler{Estimator::scaling_plus, interval};
  if (has("Scaling")) return Sampler{Estimator::scaling, interval};
  return std::nullopt;
}

const char* warning_text(const Estimate& estimate) { return estimate.warning.empty() ? "" : ", warns"; }

// Puts the seconds of so many samples into a cell.
void fill(Session& session, Comparison& cell, const Sampled& sampled, double wanted, const BipartiteGraph& graph,
          const std::string& name) {
  const Estimate& estimate = sampled.estimate;
  if (!sampled.unable.empty() || estimate.samples == 0) return cell.give_up(sampled.unable);
  const double done = static_cast<double>(estimate.samples);
  cell.ours = estimate.time_s.sample * wanted / done;
  cell.value = to_scientific(estimate.value, 4) + " [" + to_scientific(estimate.low, 4) + ", " +
               to_scientific(estimate.high, 4) + "]" + warning_text(estimate);
  const Comparison exact = session.timed(name, graph, session.options(), {});
  if (exact.result) cell.right = sampled.is_honest(log10_abs(exact.result->value) * std::numbers::ln10);
  if (done < wanted) {
    cell.standing = Standing::predicted;
    cell.remark = "from " + formatted("%.3g", done) + " samples";
  }
}

void redo_thesis_estimates(Session& session) {
  // One storage, and the same matrix, for dense and sparse rows.
  static std::map<std::string, Sampled> drawn;
  const char* samples_column = session.number() == "6.11" ? "samples_about" : "samples";
  for (const Row& row : session.rows) {
    const double density = row.number("density");
    const double wanted = row.has(samples_column) ? row.number(samples_column) : 1e6;
    const BipartiteGraph graph = session.random_matrix(Family::zero_one, thesis_rows, density);
    std::string text = "density " + formatted("%g", density);
    for (const char* part : {"storage", "devices"}) text += row.has(part) ? ", " + row[part] : "";
    for (const std::string& column : session.columns) {
      const std::optional<Sampler> sampler = sampler_of(column, row);
      if (!sampler) continue;
      const std::string key = formatted("%g", density) + " " + sampler->name() + formatted(" %g", wanted);
      if (!drawn.contains(key)) drawn[key] = drawn_by(session, graph, *sampler, static_cast<std::uint64_t>(wanted));
      Comparison cell{.row = text + formatted(", %g samples", wanted),
                      .printed_by = column,
                      .printed = row[column],
                      .method = sampler->name(),
                      .quantity = "samples"};
      fill(session, cell, drawn[key], wanted, graph, "zero-one 40 " + formatted("%g", density));
      session.add(cell);
    }
  }
}

void redo_thesis_grids(Session& session) {
  for (Vertex side = 6; side <= 32; side += 2) {
    const auto row =
        std::ranges::find_if(session.rows, [&](const Row& printed) { return printed.number("grid_side") == side; });
    const double log_exact = log_grid_matchings(static_cast<int>(side));
    for (const app::Json& column : session.entry["columns"]) {
      const Sampler sampler{from_string<Estimator>(column[1].get<std::string>()), column[2]};
      const Sampled sampled = drawn_by(session, grid_graph(side, side), sampler, 1'000'000);
      Comparison cell{.row = std::to_string(side) + " x " + std::to_string(side),
                      .unit = "estimate / exact",
                      .method = sampler.name(),
                      .quantity = "one run"};
      if (row != session.rows.end() && column[0] != "") {
        cell.printed_by = column[0];
        cell.printed = (*row)[cell.printed_by];
        // One draw against a distribution: what an unbiased estimator may print is any number.
      }
      const Estimate& estimate = sampled.estimate;
      if (!sampled.unable.empty() || estimate.unknown) {
        cell.give_up(sampled.unable.empty() ? "every sample ran into a dead end" : sampled.unable);
      } else {
        cell.ours = std::exp(sampled.log_ratio(log_exact));
        cell.right = sampled.is_honest(log_exact);
        cell.value = "[" + formatted("%.3g", std::exp(sampled.log_low(log_exact))) + ", " +
                     formatted("%.3g", std::exp(sampled.log_high(log_exact))) + "]" + warning_text(estimate);
        cell.remark = formatted("%.3g samples", static_cast<double>(estimate.samples)) +
                      formatted(" in %.3g s", estimate.time_s.sample);
      }
      session.add(cell);
    }
  }
}

}  // namespace

const std::vector<Redo> estimate_redos = {{"thesis_estimates", redo_thesis_estimates},
                                          {"thesis_grids", redo_thesis_grids}};

}  // namespace matchcount::bench
