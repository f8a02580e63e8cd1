// Exact permanents: the tables of codegen, of the thesis those of dense and sparse matrices of 40 rows, and of SUperman
// what precision costs, what structure saves, and the record.

#include <cmath>

#include "bench/published/session.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

constexpr Vertex thesis_rows = 40;

std::string random_name(Vertex n, double density, const char* values) {
  return "random " + std::to_string(n) + " " + formatted("%g", density) + " " + values;
}

void redo_shapes(Session& session) {
  for (const Row& row : session.rows) {
    const std::optional<Matrix> matrix = session.public_matrix(row["matrix"]);
    for (const std::string column : {"n", "nnz", "density_percent"}) {
      Comparison cell{.row = row["matrix"], .printed_by = column, .printed = row[column], .unit = column};
      cell.quantity = "file";
      if (!matrix) {
        cell.give_up("no file: see datasets/public_matrices.sh");
      } else {
        const double n = matrix->num_rows(), edges = static_cast<double>(matrix->num_edges());
        cell.ours = column == "n" ? n : column == "nnz" ? edges : 100 * edges / (n * n);
        cell.agrees = std::fabs(*cell.ours - row.number(column)) <= 0.05 + 1e-9;
      }
      session.add(cell);
    }
  }
}

void redo_random_sparse(Session& session) {
  for (const Row& row : session.rows) {
    const auto n = static_cast<Vertex>(row.number("n"));
    const double density = row.number("density");
    session.add_time(random_name(n, density, "reals"), session.random_matrix(Family::sparse, n, density),
                     session.options(Method::automatic, Precision::float64),
                     {.row = "n = " + std::to_string(n) + ", density " + formatted("%g", density),
                      .printed_by = row["implementation"] + ", " + row["machine"],
                      .printed = row["time_seconds"]});
  }
}

void redo_real_matrices(Session& session) {
  for (const Row& row : session.rows)
    session.add_time(row["matrix"], session.public_matrix(row["matrix"]), session.options(),
                     {.row = row["matrix"],
                      .printed_by = row["implementation"] + ", " + row["machine"],
                      .printed = row["time_seconds_or_status"]});
}

// Times under the published name, and by what matchcount takes by itself, beside every column of a row. Integers are
// from 1 to 5, where the thesis has rand() in [0, 5] and does not say whether a chosen entry may be 0.
void redo_thesis_exact(Session& session) {
  for (const Row& row : session.rows) {
    const double density = row.number("density");
    const bool reals = row.has("data_type") && row["data_type"] != "integer";
    const bool generic = !row.has("values") || row["values"] == "generic";
    const char* values = reals ? "reals" : generic ? "integers 1 to 5" : "ones";
    const std::string text = "density " + formatted("%g", density);
    Comparison cell{.row = row.has("data_type") ? row["data_type"] + ", " + text : text + ", " + values};
    if (row.has("ordering")) cell.row += row["ordering"] == "none" ? ", columns not sorted" : ", columns sorted";
    Matrix matrix = session.random_matrix(reals ? Family::sparse : Family::zero_one, thesis_rows, density);
    if (!reals && generic) matrix = with_random_weights(matrix, {RandomWeights::Law::integers, 1, 5}, session.run.seed);
    const Precision precision = reals ? Precision::float64 : Precision::automatic;
    for (const app::Json& column : session.entry["columns"]) {
      cell.printed_by = column[0].get<std::string>() + ", " + column[2].get<std::string>();
      cell.printed = row[column[0]];
      for (const CountOptions& options : {session.named(from_string<Method>(column[1].get<std::string>()), precision),
                                          session.options(Method::automatic, precision)})
        session.add_time(random_name(thesis_rows, density, values), matrix, options, cell);
    }
  }
}

// ---- SUperman.

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

// Adds the time and the error of a variant: its first letter is the precision of products, its second that of a
// thread's sums.
void add_precision(Session& session, Vertex n, const std::string& variant, const std::string& by,
                   const std::string& printed_s, const std::string& printed_error) {
  const EqualEntries equal = equal_entries(n);
  const Precision precision = variant == "DD"   ? Precision::float64
                              : variant == "QQ" ? Precision::double_double
                                                : Precision::compensated;
  Comparison cell =
      session.timed("equal " + std::to_string(n), equal.matrix, session.options(Method::staged, precision),
                    {.row = "n = " + std::to_string(n), .printed_by = by, .printed = printed_s});
  cell.method += ", " + std::string(to_string(precision));
  session.add(cell);
  cell.printed = printed_error;
  cell.unit = "relative error";
  cell.quantity = "error";
  cell.ours.reset();
  if (!cell.result) {
    cell.give_up("not run: predicted to take too long here");
  } else {
    const auto& value = std::get<RealValue>(cell.result->value);
    const ScaledReal off = value.value + -equal.permanent;
    const double log2_off = off.is_zero() ? -INFINITY : off.log2_abs();
    cell.ours = std::exp2(log2_off - equal.permanent.log2_abs());
    cell.right = log2_off <= log2_sum(value.log2_error, equal.permanent.log2_abs() - 90);
    cell.remark = "proven bound " + formatted("%.1e", relative_error(cell.result->value));
  }
  session.add(cell);
}

void redo_precisions(Session& session) {
  // Sizes that no table has, so that errors can be seen on any machine.
  for (const Vertex n : {24u, 28u}) {
    for (const char* variant : {"DD", "DD with Kahan summation", "QQ"}) add_precision(session, n, variant, "", "", "");
  }
  for (const Row& row : session.rows) {
    const std::string& variant = row["precision_variant"];
    add_precision(session, static_cast<Vertex>(row.number("n")), variant, variant + ", GV100", row["time_seconds"],
                  row["relative_error"]);
  }
}

void redo_structure(Session& session) {
  for (const Row& row : session.rows) {
    const std::string &name = row["matrix"], &step = row["preprocessing"];
    const std::optional<Matrix> matrix = session.public_matrix(name);
    const bool expands = step == "Forbert-Marx" || step == "Both";
    CountOptions named = session.options(expands ? Method::forbert_marx : Method::staged, Precision::float64);
    named.prune = step == "Dulmage-Mendelsohn" || step == "Both";
    named.reduce = false;
    if (expands) named.run.device = {};  // it runs on CPUs alone
    for (const CountOptions& options : {named, session.options()}) {
      Comparison cell = session.timed(
          name, matrix, options,
          {.row = name + ", " + step, .printed_by = "one H200 or more", .printed = row["time_seconds_or_status"]});
      if (matrix && options.method == Method::forbert_marx && cell.standing != Standing::unavailable)
        cell.add_remark(
            "largest block: " + (cell.result ? cell.result->plan.blocks.at(0).forecasts.at(0).reason : cell.forecast) +
            "; printed: " + row["num_submatrices"] + " matrices, mean n " + row["n_mean_over_submatrices"]);
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
  for (const Row& row : session.rows) {
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

}  // namespace

const std::vector<Redo> exact_redos = {{"shapes", redo_shapes},
                                       {"random_sparse", redo_random_sparse},
                                       {"real_matrices", redo_real_matrices},
                                       {"thesis_exact", redo_thesis_exact},
                                       {"precisions", redo_precisions},
                                       {"structure", redo_structure},
                                       {"record", redo_record}};

}  // namespace matchcount::bench
