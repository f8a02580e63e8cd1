// The tables of SUperman: what precision costs, what structure saves, and the record.

#include <cmath>

#include "bench/published/session.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

// EqualEntries has every entry the same and the permanent, n! a^n, near 1.
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

// Returns ours beside a variant: its first letter is the precision of products, its second that of a thread's sums.
Precision precision_for(const std::string& variant) {
  if (variant == "DD") return Precision::float64;
  return variant == "QQ" ? Precision::double_double : Precision::compensated;
}

// Adds the time and the error of a variant.
void add_precision(Session& session, Vertex n, const std::string& variant, const std::string& by,
                   const std::string& printed_s, const std::string& printed_error) {
  const EqualEntries equal = equal_entries(n);
  const Timed& timed =
      session.time("equal " + std::to_string(n), equal.matrix, session.options(Method::staged, precision_for(variant)));
  Comparison cell = session.compare(timed, {.row = "n = " + std::to_string(n), .printed_by = by, .printed = printed_s});
  cell.method += ", " + std::string(to_string(precision_for(variant)));
  session.add(cell);
  cell.printed = printed_error;
  cell.unit = "relative error";
  cell.quantity = "error";
  cell.ours.reset();
  if (!timed.result) {
    cell.standing = Standing::unavailable;
    cell.remark = "not run: predicted to take too long here";
  } else {
    const auto& value = std::get<RealValue>(timed.result->value);
    const ScaledReal off = value.value + -equal.permanent;
    const double log2_off = off.is_zero() ? -INFINITY : off.log2_abs();
    cell.ours = std::exp2(log2_off - equal.permanent.log2_abs());
    cell.right = log2_off <= log2_sum(value.log2_error, equal.permanent.log2_abs() - 90);
    cell.remark = "proven bound " + formatted("%.1e", relative_error(timed.result->value));
  }
  session.add(cell);
}

}  // namespace

void redo_precisions(Session& session) {
  // Sizes that no table has, so that errors can be seen on any machine.
  for (const Vertex n : {24u, 28u}) {
    for (const char* variant : {"DD", "DD with Kahan summation", "QQ"}) add_precision(session, n, variant, "", "", "");
  }
  for (const Row& row : session.table.rows) {
    const std::string& variant = row["precision_variant"];
    add_precision(session, static_cast<Vertex>(row.number("n")), variant, variant + ", GV100", row["time_seconds"],
                  row["relative_error"]);
  }
}

void redo_structure(Session& session) {
  for (const Row& row : session.table.rows) {
    const std::string &name = row["matrix"], &step = row["preprocessing"];
    const std::optional<Matrix> matrix = session.public_matrix(name);
    const bool expands = step == "Forbert-Marx" || step == "Both";
    CountOptions named = session.options(expands ? Method::forbert_marx : Method::staged, Precision::float64);
    named.prune = step == "Dulmage-Mendelsohn" || step == "Both";
    named.reduce = false;
    if (expands) named.run.device = {};  // it runs on CPUs alone
    for (const CountOptions& options : {named, session.options()}) {
      Comparison cell = session.compare_public(
          name, matrix, options,
          {.row = name + ", " + step, .printed_by = "one H200 or more", .printed = row["time_seconds_or_status"]});
      if (matrix && expands && options.method == Method::forbert_marx && cell.standing != Standing::unavailable) {
        const Timed& timed = session.time(name, *matrix, options);
        const std::string ours = timed.result ? timed.result->plan.blocks.at(0).forecasts.at(0).reason : timed.remark;
        cell.add_remark("largest block: " + ours + "; printed: " + row["num_submatrices"] + " matrices, mean n " +
                        row["n_mean_over_submatrices"]);
      }
      session.add(cell);
      if (!matrix) break;
    }
  }
}

void redo_record(Session& session) {
  constexpr double gpus = 192;
  CountOptions options = session.options(Method::staged, Precision::compensated);
  options.run.device.kind = DeviceChoice::Kind::cuda;
  options.run.device.assumed = {known_device("h200")};
  const Plan plan = plan_permanent(equal_entries(62).matrix, options);
  for (const Row& row : session.table.rows) {
    if (row["item"] != "record run, time" || row["unit"] != "seconds") continue;
    session.add({.row = "62 x 62",
                 .printed_by = "192 H200",
                 .printed = row["value"],
                 .method = "staged, compensated",
                 .standing = Standing::predicted,
                 .ours = plan.seconds / gpus,
                 .remark = "by `plan` for one H200, " + formatted("%.3g", plan.seconds) + " s, divided by 192"});
  }
}

}  // namespace matchcount::bench
