// The thesis's tables of estimators: time at a million samples, and how far off they are on grids.

#include <algorithm>
#include <cmath>
#include <map>

#include "approx/estimate.hpp"
#include "bench/published/session.hpp"
#include "bench/workload.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

constexpr Vertex thesis_rows = 40;
constexpr int scaling_rounds = 5;

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
  options.scaling_rounds = scaling_rounds;
  options.exact_rows = 0;
  options.samples = samples;
  options.run = session.settings().run;
  options.run.device = session.settings().device;
  options.run.time_limit_s = session.settings().sample_limit_s;
  Sampled sampled;
  Stopwatch watch;
  try {
    sampled.estimate = estimate_perfect_matchings(graph, options);
  } catch (const Unable& error) {
    sampled.unable = error.what();
  }
  sampled.seconds = watch.lap();
  return sampled;
}

// Columns of the tables whose names say an estimator, scaled or not.
std::optional<Sampler> sampler_of(const std::string& column, const PublishedTable& table, std::size_t row) {
  const auto has = [&](const char* part) { return column.find(part) != column.npos; };
  if (!has("seconds")) return std::nullopt;
  int interval = has("SInterval5") ? 5 : 1;
  const auto& columns = table.columns();
  if (std::find(columns.begin(), columns.end(), "SInterval") != columns.end())
    interval = static_cast<int>(table.number(row, "SInterval"));
  if (has("Rasmussen+")) return Sampler{Estimator::rasmussen_plus, 1};
  if (has("Rasmussen")) return Sampler{Estimator::rasmussen, 1};
  if (has("Scaling+")) return Sampler{Estimator::scaling_plus, interval};
  if (has("Scaling")) return Sampler{Estimator::scaling, interval};
  return std::nullopt;
}

double cell_of(const PublishedTable& table, std::size_t row, const char* column, double otherwise) {
  const auto& columns = table.columns();
  return std::find(columns.begin(), columns.end(), column) == columns.end() ? otherwise : table.number(row, column);
}

std::string interval_text(const Estimate& estimate) {
  return to_scientific(estimate.value, 4) + " [" + to_scientific(estimate.low, 4) + ", " +
         to_scientific(estimate.high, 4) + "]" + (estimate.warning.empty() ? "" : ", warns");
}

// Whether the interval holds the exact number, or a warning says that it may not.
bool is_honest(const Estimate& estimate, double log2_exact) {
  if (!estimate.warning.empty() || estimate.unknown) return true;
  const double middle = estimate.log_value / std::log(2.0);
  const double arm = std::max(estimate.high.log2_abs() - middle, middle - estimate.low.log2_abs());
  return std::fabs(middle - log2_exact) <= 3 * arm + 1e-9;
}

}  // namespace

void redo_thesis_estimates(Session& session, TableReport& report) {
  const PublishedTable table = session.table("thesis", report.number);
  // One storage, and the same matrix, for dense and sparse rows.
  static std::map<std::string, Sampled> drawn;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const double density = table.number(row, "density");
    const double wanted = cell_of(table, row, report.number == "6.11" ? "samples_about" : "samples", 1e6);
    const BipartiteGraph graph =
        matrix_of({"", Family::zero_one, thesis_rows, density}, session.settings().run.seed).matrix;
    std::string text = "density " + formatted("%g", density);
    for (const char* part : {"storage", "devices"}) {
      for (const std::string& column : table.columns()) {
        if (column == part) text += ", " + table.at(row, part);
      }
    }
    for (const std::string& column : table.columns()) {
      const std::optional<Sampler> sampler = sampler_of(column, table, row);
      if (!sampler) continue;
      const std::string key = formatted("%g", density) + " " + sampler->name() + formatted(" %g", wanted);
      auto found = drawn.find(key);
      if (found == drawn.end()) {
        found = drawn.emplace(key, draw(session, graph, *sampler, static_cast<std::uint64_t>(wanted))).first;
        std::fprintf(stderr, "%s: %s\n", key.c_str(), app::format_seconds(found->second.seconds).c_str());
      }
      const Sampled& sampled = found->second;
      Comparison comparison;
      comparison.row = text + formatted(", %g samples", wanted);
      comparison.printed_by = column;
      comparison.printed = table.at(row, column);
      comparison.unit = "s";
      comparison.method = sampler->name();
      comparison.quantity = "samples";
      if (!sampled.unable.empty() || sampled.estimate.samples == 0) {
        comparison.standing = Standing::unavailable;
        comparison.remark = sampled.unable;
      } else {
        const double done = static_cast<double>(sampled.estimate.samples);
        comparison.ours = sampled.estimate.time_s.sample * wanted / done;
        comparison.value = interval_text(sampled.estimate);
        comparison.right = true;
        const Timed& exact = session.time("zero-one 40 " + formatted("%g", density), graph, session.options());
        if (exact.result)
          comparison.right = is_honest(sampled.estimate, log10_abs(exact.result->value) / std::log10(2.0));
        else
          comparison.right.reset();
        if (done < wanted) {
          comparison.standing = Standing::predicted;
          comparison.remark = "from " + formatted("%.3g", done) + " samples";
        }
      }
      session.explain(comparison);
      report.comparisons.push_back(comparison);
    }
  }
}

void redo_thesis_grids(Session& session, TableReport& report) {
  struct Column {
    const char* name;
    Sampler sampler;
  };
  const Column columns[] = {
      {"Rasmussen+GpuS_estimate_over_exact", {Estimator::rasmussen_plus, 1}},
      {"Scaling+GpuS_SInterval1_estimate_over_exact", {Estimator::scaling_plus, 1}},
      {"Scaling+GpuS_SInterval5_estimate_over_exact", {Estimator::scaling_plus, 5}},
      {"", {Estimator::rasmussen, 1}},
      {"", {Estimator::scaling, 1}},
      {"", {Estimator::scaling, 5}},
  };
  const PublishedTable table = session.table("thesis", report.number);
  constexpr Vertex last_side = 32;
  constexpr std::uint64_t samples = 1'000'000;
  std::size_t row = 0;
  for (Vertex side = 6; side <= last_side; side += 2) {
    while (row < table.num_rows() && table.number(row, "grid_side") < side) ++row;
    const bool printed = row < table.num_rows() && table.number(row, "grid_side") == side;
    const double log_exact = log_grid_matchings(static_cast<int>(side));
    for (const Column& column : columns) {
      const Sampled sampled = draw(session, grid_graph(side, side), column.sampler, samples);
      std::fprintf(stderr, "grid %u, %s: %s\n", side, column.sampler.name().c_str(),
                   app::format_seconds(sampled.seconds).c_str());
      Comparison comparison;
      comparison.row = std::to_string(side) + " x " + std::to_string(side);
      comparison.unit = "estimate / exact";
      comparison.method = column.sampler.name();
      comparison.quantity = "one run";
      if (printed && *column.name != '\0') {
        comparison.printed_by = column.name;
        comparison.printed = table.at(row, column.name);
        // One draw against a distribution: what an unbiased estimator may print is any number.
      }
      const Estimate& estimate = sampled.estimate;
      if (!sampled.unable.empty() || estimate.unknown) {
        comparison.standing = Standing::unavailable;
        comparison.remark = sampled.unable.empty() ? "every sample ran into a dead end" : sampled.unable;
      } else {
        comparison.ours = std::exp(estimate.log_value - log_exact);
        comparison.right = is_honest(estimate, log_exact / std::log(2.0));
        comparison.value = "[" + formatted("%.3g", std::exp(estimate.low.log2_abs() * std::log(2.0) - log_exact)) +
                           ", " + formatted("%.3g", std::exp(estimate.high.log2_abs() * std::log(2.0) - log_exact)) +
                           "]" + (estimate.warning.empty() ? "" : ", warns");
        comparison.remark = formatted("%.3g samples", static_cast<double>(estimate.samples)) +
                            formatted(" in %.3g s", estimate.time_s.sample);
      }
      report.comparisons.push_back(comparison);
    }
  }
}

}  // namespace matchcount::bench
