// The tables of SUperman: what precision costs, what structure saves, and the record.

#include <cmath>

#include "bench/published/session.hpp"
#include "core/error.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

constexpr const char* gv100 = "GV100";

// Every entry the same and the permanent, n! a^n, near 1.
struct EqualEntries {
  Matrix matrix;
  ScaledReal permanent;
};
EqualEntries equal_entries(Vertex n) {
  const double a = std::exp(-std::lgamma(n + 1.0) / n);
  ScaledReal truth(DoubleDouble(1));
  for (Vertex k = 1; k <= n; ++k)
    truth = truth * ScaledReal(DoubleDouble(static_cast<double>(k))) * ScaledReal(DoubleDouble(a));
  const Matrix pattern = complete_graph(n, n);
  return {pattern.with_weights(std::vector<DoubleDouble>(pattern.num_edges(), DoubleDouble(a))), truth};
}

// Ours beside a variant: its first letter is the precision of products, its second that of a thread's sums.
Precision precision_for(const std::string& variant) {
  if (variant == "DD") return Precision::float64;
  return variant == "QQ" ? Precision::double_double : Precision::compensated;
}

}  // namespace

void redo_precisions(Session& session, TableReport& report) {
  const auto add = [&](Vertex n, const std::string& variant, const std::string& by, const std::string& printed_s,
                       const std::string& printed_error) {
    const EqualEntries equal = equal_entries(n);
    const Timed& timed = session.time("equal " + std::to_string(n), equal.matrix,
                                      session.options(Method::staged, precision_for(variant)));
    Comparison time = session.compare(timed, "n = " + std::to_string(n), by, printed_s);
    time.method += ", " + std::string(to_string(precision_for(variant)));
    Comparison error = time;
    report.comparisons.push_back(time);
    error.printed = printed_error;
    error.unit = "relative error";
    error.quantity = "error";
    error.ours.reset();
    if (!timed.result) {
      error.standing = Standing::unavailable;
      error.remark = "not run: predicted to take too long here";
    } else {
      const auto& value = std::get<RealValue>(timed.result->value);
      const ScaledReal off = value.value + -equal.permanent;
      const double log2_off = off.is_zero() ? -INFINITY : off.log2_abs();
      error.ours = std::exp2(log2_off - equal.permanent.log2_abs());
      error.right = log2_off <= log2_sum(value.log2_error, equal.permanent.log2_abs() - 90);
      error.remark = "proven bound " + formatted("%.1e", relative_error(timed.result->value));
    }
    report.comparisons.push_back(error);
  };
  // Sizes that no table has, so that errors can be seen on any machine.
  for (const Vertex n : {24u, 28u}) {
    for (const char* variant : {"DD", "DD with Kahan summation", "QQ"}) add(n, variant, "", "", "");
  }
  const PublishedTable table = session.table("superman", report.number);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string& variant = table.at(row, "precision_variant");
    add(static_cast<Vertex>(table.number(row, "n")), variant, variant + ", " + gv100, table.at(row, "time_seconds"),
        table.at(row, "relative_error"));
  }
}

void redo_structure(Session& session, TableReport& report) {
  const PublishedTable table = session.table("superman", report.number);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string& name = table.at(row, "matrix");
    const std::string& step = table.at(row, "preprocessing");
    const std::string& printed = table.at(row, "time_seconds_or_status");
    const std::string text = name + ", " + step;
    const std::optional<Matrix> matrix = session.public_matrix(name);
    if (!matrix) {
      const Timed missing{Standing::unavailable, {}, "", "no file: see datasets/public_matrices.sh", {}};
      report.comparisons.push_back(session.compare(missing, text, "one H200 or more", printed));
      continue;
    }
    const bool expands = step == "Forbert-Marx" || step == "Both";
    CountOptions named = session.options(expands ? Method::forbert_marx : Method::staged, Precision::float64);
    named.prune = step == "Dulmage-Mendelsohn" || step == "Both";
    named.reduce = false;
    if (expands) named.run.device = {};  // it runs on CPUs alone
    for (const CountOptions& options : {named, session.options()}) {
      const Timed& timed = session.time(name, *matrix, options);
      Comparison comparison = session.compare(timed, text, "one H200 or more", printed);
      if (expands && options.method == Method::forbert_marx && timed.standing != Standing::unavailable) {
        const std::string ours = timed.result ? timed.result->plan.blocks.at(0).forecasts.at(0).reason : timed.remark;
        comparison.remark += (comparison.remark.empty() ? "" : "; ") + ("largest block: " + ours) +
                             "; printed: " + table.at(row, "num_submatrices") + " matrices, mean n " +
                             table.at(row, "n_mean_over_submatrices");
      }
      report.comparisons.push_back(comparison);
    }
  }
}

void redo_record(Session& session, TableReport& report) {
  constexpr Vertex rows = 62;
  constexpr double gpus = 192;
  CountOptions options = session.options(Method::staged, Precision::compensated);
  options.run.device.kind = DeviceChoice::Kind::cuda;
  options.run.device.assumed = {known_device("h200")};
  const Plan plan = plan_permanent(equal_entries(rows).matrix, options);
  const PublishedTable table = session.table("superman", report.number);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    if (table.at(row, "item") != "record run, time" || table.at(row, "unit") != "seconds") continue;
    Comparison comparison;
    comparison.row = "62 x 62";
    comparison.printed_by = "192 H200";
    comparison.printed = table.at(row, "value");
    comparison.unit = "s";
    comparison.method = "staged, compensated";
    comparison.standing = Standing::predicted;
    comparison.ours = plan.seconds / gpus;
    comparison.quantity = "whole call";
    comparison.remark = "by `plan` for one H200, " + formatted("%.3g", plan.seconds) + " s, divided by 192";
    report.comparisons.push_back(comparison);
  }
}

}  // namespace matchcount::bench
