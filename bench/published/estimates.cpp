// The thesis's tables of estimators: time at a million samples, and how far off they are on grids.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "approx/estimate.hpp"
#include "apps/text.hpp"
#include "bench/published/session.hpp"
#include "bench/workload.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

constexpr Vertex thesis_rows = 40;

struct Sampled {
  Estimate estimate;
  double seconds = 0;
  std::string unable;
};

struct Sampler {
  Estimator estimator = Estimator::rasmussen;
  int interval = 1;  // of the scaling ones

  std::string name() const {
    const bool scales = estimator == Estimator::scaling || estimator == Estimator::scaling_plus;
    return std::string(to_string(estimator)) + (scales ? " every " + std::to_string(interval) : "");
  }
};

Sampled draw(const Session& session, const BipartiteGraph& graph, const Sampler& sampler, std::uint64_t samples) {
  EstimateOptions options;
  options.method = sampler.estimator;
  options.scaling_interval = sampler.interval;
  options.scaling_rounds = 5;
  options.exact_rows = 0;
  options.samples = samples;
  options.run = session.run;
  options.run.device = session.device;
  options.run.time_limit_s = session.sample_limit_s;
  Sampled sampled;
  sampled.seconds = seconds_of([&] {
    try {
      sampled.estimate = estimate_perfect_matchings(graph, options);
    } catch (const Unable& error) {
      sampled.unable = error.what();
    }
  });
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

// Returns whether the interval holds the exact number, or a warning says that it may not.
bool is_honest(const Estimate& estimate, double log2_exact) {
  if (!estimate.warning.empty() || estimate.unknown) return true;
  const double middle = estimate.log_value / std::log(2.0);
  const double arm = std::max(estimate.high.log2_abs() - middle, middle - estimate.low.log2_abs());
  return std::fabs(middle - log2_exact) <= 3 * arm + 1e-9;
}

const char* warning_text(const Estimate& estimate) { return estimate.warning.empty() ? "" : ", warns"; }

// Puts the seconds of so many samples into a cell.
void fill(Session& session, Comparison& cell, const Sampled& sampled, double wanted, const BipartiteGraph& graph,
          const std::string& name) {
  const Estimate& estimate = sampled.estimate;
  if (!sampled.unable.empty() || estimate.samples == 0) {
    cell.standing = Standing::unavailable;
    cell.remark = sampled.unable;
    return;
  }
  const double done = static_cast<double>(estimate.samples);
  cell.ours = estimate.time_s.sample * wanted / done;
  cell.value = to_scientific(estimate.value, 4) + " [" + to_scientific(estimate.low, 4) + ", " +
               to_scientific(estimate.high, 4) + "]" + warning_text(estimate);
  const Timed& exact = session.time(name, graph, session.options());
  if (exact.result) cell.right = is_honest(estimate, log10_abs(exact.result->value) / std::log10(2.0));
  if (done < wanted) {
    cell.standing = Standing::predicted;
    cell.remark = "from " + formatted("%.3g", done) + " samples";
  }
}

}  // namespace

void redo_thesis_estimates(Session& session) {
  // One storage, and the same matrix, for dense and sparse rows.
  static std::map<std::string, Sampled> drawn;
  const char* samples_column = session.number() == "6.11" ? "samples_about" : "samples";
  for (const Row& row : session.table.rows) {
    const double density = row.number("density");
    const double wanted = row.has(samples_column) ? row.number(samples_column) : 1e6;
    const BipartiteGraph graph = matrix_of({"", Family::zero_one, thesis_rows, density}, session.run.seed).matrix;
    std::string text = "density " + formatted("%g", density);
    for (const char* part : {"storage", "devices"}) text += row.has(part) ? ", " + row[part] : "";
    for (const std::string& column : session.table.columns) {
      const std::optional<Sampler> sampler = sampler_of(column, row);
      if (!sampler) continue;
      const std::string key = formatted("%g", density) + " " + sampler->name() + formatted(" %g", wanted);
      if (!drawn.contains(key)) drawn[key] = draw(session, graph, *sampler, static_cast<std::uint64_t>(wanted));
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
    const auto row = std::ranges::find_if(session.table.rows,
                                          [&](const Row& printed) { return printed.number("grid_side") == side; });
    const double log_exact = log_grid_matchings(static_cast<int>(side));
    for (const app::Json& column : session.entry["columns"]) {
      const Sampler sampler{from_string<Estimator>(column[1].get<std::string>()), column[2]};
      const Sampled sampled = draw(session, grid_graph(side, side), sampler, 1'000'000);
      Comparison cell{.row = std::to_string(side) + " x " + std::to_string(side),
                      .unit = "estimate / exact",
                      .method = sampler.name(),
                      .quantity = "one run"};
      if (row != session.table.rows.end() && column[0] != "") {
        cell.printed_by = column[0];
        cell.printed = (*row)[cell.printed_by];
        // One draw against a distribution: what an unbiased estimator may print is any number.
      }
      const Estimate& estimate = sampled.estimate;
      if (!sampled.unable.empty() || estimate.unknown) {
        cell.standing = Standing::unavailable;
        cell.remark = sampled.unable.empty() ? "every sample ran into a dead end" : sampled.unable;
      } else {
        const auto over_exact = [&](const ScaledReal& bound) {
          return formatted("%.3g", std::exp(bound.log2_abs() * std::log(2.0) - log_exact));
        };
        cell.ours = std::exp(estimate.log_value - log_exact);
        cell.right = is_honest(estimate, log_exact / std::log(2.0));
        cell.value = "[" + over_exact(estimate.low) + ", " + over_exact(estimate.high) + "]" + warning_text(estimate);
        cell.remark = formatted("%.3g samples", static_cast<double>(estimate.samples)) +
                      formatted(" in %.3g s", estimate.time_s.sample);
      }
      session.add(cell);
    }
  }
}

}  // namespace matchcount::bench
