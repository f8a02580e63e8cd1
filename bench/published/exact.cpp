// Exact permanents: the tables of codegen, and of the thesis those of dense and sparse matrices of 40 rows.

#include <cmath>

#include "bench/published/session.hpp"
#include "bench/workload.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

constexpr Vertex thesis_rows = 40;

// The first pattern from the session's seed on that has a perfect matching, with values in [0, 1) or ones.
Matrix random_matrix(const Session& session, Family family, Vertex n, double density) {
  return matrix_of({"", family, n, density}, session.settings().run.seed).matrix;
}

std::string random_name(Vertex n, double density, const char* values) {
  return "random " + std::to_string(n) + " " + formatted("%g", density) + " " + values;
}

// Integers from 1 to 5, where the thesis has rand() in [0, 5] and does not say whether a chosen entry may be 0.
Matrix thesis_matrix(const Session& session, double density, bool generic) {
  const Matrix pattern = random_matrix(session, Family::zero_one, thesis_rows, density);
  const RandomWeights law{RandomWeights::Law::integers, 1, 5};
  return generic ? with_random_weights(pattern, law, session.settings().run.seed) : pattern;
}

struct Column {
  const char* name;  // of the table
  Method method;     // under its published name
  const char* machine;
};

// Times of the named method and of the one that matchcount takes by itself, beside every column of a row.
void compare_row(Session& session, TableReport& report, const PublishedTable& table, std::size_t row,
                 const std::string& text, const Matrix& matrix, const std::string& name,
                 std::span<const Column> columns) {
  for (const Column& column : columns) {
    const std::string printed_by = std::string(column.name) + ", " + column.machine;
    for (const CountOptions& options : {session.named(column.method), session.options()}) {
      report.comparisons.push_back(
          session.compare(session.time(name, matrix, options), text, printed_by, table.at(row, column.name)));
    }
  }
}

constexpr const char *titan = "TITAN X", *four = "two TITAN X and two GTX 980", *xeon = "16 threads";

void redo_named(Session& session, TableReport& report, std::span<const Column> columns, bool by_ordering, bool binary) {
  const PublishedTable table = session.table("thesis", report.number);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const double density = table.number(row, "density");
    const bool generic = !binary || table.at(row, "values") == "generic";
    const char* values = generic ? "integers 1 to 5" : "ones";
    std::string text = "density " + formatted("%g", density) + ", " + values;
    if (by_ordering) text += table.at(row, "ordering") == "none" ? ", columns not sorted" : ", columns sorted";
    compare_row(session, report, table, row, text, thesis_matrix(session, density, generic),
                random_name(thesis_rows, density, values), columns);
  }
}

}  // namespace

void redo_shapes(Session& session, TableReport& report) {
  const PublishedTable table = session.table("codegen", report.number);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string& name = table.at(row, "matrix");
    const std::optional<Matrix> matrix = session.public_matrix(name);
    for (const char* column : {"n", "nnz", "density_percent"}) {
      Comparison comparison;
      comparison.row = name;
      comparison.printed_by = column;
      comparison.printed = table.at(row, column);
      comparison.unit = column;
      comparison.quantity = "file";
      if (!matrix) {
        comparison.standing = Standing::unavailable;
        comparison.remark = "no file: see datasets/public_matrices.sh";
      } else {
        const double n = matrix->num_rows(), edges = static_cast<double>(matrix->num_edges());
        const std::string what = column;
        comparison.ours = what == "n" ? n : what == "nnz" ? edges : 100 * edges / (n * n);
        comparison.agrees = std::fabs(*comparison.ours - table.number(row, column)) <= 0.05 + 1e-9;
      }
      report.comparisons.push_back(comparison);
    }
  }
}

void redo_random_sparse(Session& session, TableReport& report) {
  const PublishedTable table = session.table("codegen", report.number);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const auto n = static_cast<Vertex>(table.number(row, "n"));
    const double density = table.number(row, "density");
    const Timed& timed =
        session.time(random_name(n, density, "reals"), random_matrix(session, Family::sparse, n, density),
                     session.options(Method::automatic, Precision::float64));
    report.comparisons.push_back(session.compare(
        timed, "n = " + std::to_string(n) + ", density " + formatted("%g", density),
        table.at(row, "implementation") + ", " + table.at(row, "machine"), table.at(row, "time_seconds")));
  }
}

void redo_real_matrices(Session& session, TableReport& report) {
  const PublishedTable table = session.table("codegen", report.number);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string& name = table.at(row, "matrix");
    const std::string by = table.at(row, "implementation") + ", " + table.at(row, "machine");
    const std::string& printed = table.at(row, "time_seconds_or_status");
    if (const std::optional<Matrix> matrix = session.public_matrix(name)) {
      const Timed& timed = session.time(name, *matrix, session.options());
      report.comparisons.push_back(session.compare(timed, name, by, printed));
    } else {
      const Timed missing{Standing::unavailable, {}, "", "no file: see datasets/public_matrices.sh", {}};
      report.comparisons.push_back(session.compare(missing, name, by, printed));
    }
  }
}

void redo_thesis_exact(Session& session, TableReport& report) {
  const std::string& number = report.number;
  if (number == "6.2") {
    constexpr Column columns[] = {{"Ryser-SxC-Sm_1GPU_seconds", Method::ryser, titan},
                                  {"Ryser-SxC-Sm-MG_2TITAN_seconds", Method::ryser, "two TITAN X"},
                                  {"Ryser-SxC-Sm-MG+_2TITAN+2Gtx_seconds", Method::ryser, four}};
    redo_named(session, report, columns, false, false);
  } else if (number == "6.3") {
    constexpr Column columns[] = {{"ParSpaRyser_16threads_seconds", Method::sparyser, xeon},
                                  {"SpaRyser-SxC-Sm_1GPU_seconds", Method::sparyser, titan},
                                  {"SpaRyser-SxC-Sm-MG+_2TITAN+2Gtx_seconds", Method::sparyser, four}};
    redo_named(session, report, columns, true, false);
  } else if (number == "6.4") {
    constexpr Column columns[] = {{"ParSkipPer_16threads_seconds", Method::skipper, xeon},
                                  {"SkipPer-SxC-Sm_1GPU_seconds", Method::skipper, titan},
                                  {"SkipPer-SxC-Sm-MG+_2TITAN+2Gtx_seconds", Method::skipper, four}};
    redo_named(session, report, columns, true, false);
  } else if (number == "6.5") {
    constexpr Column columns[] = {{"ParRyser_16threads_seconds", Method::ryser, xeon},
                                  {"ParSpaRyser_SortOrder_16threads_seconds", Method::sparyser, xeon},
                                  {"ParSkipPer_SkipOrder_16threads_seconds", Method::skipper, xeon}};
    redo_named(session, report, columns, false, true);
  } else if (number == "6.6") {
    constexpr Column columns[] = {{"Ryser-SxC-Sm_1GPU_seconds", Method::ryser, titan},
                                  {"SpaRyser-SxC-Sm_SortOrder_1GPU_seconds", Method::sparyser, titan},
                                  {"SkipPer-SxC-Sm_SkipOrder_1GPU_seconds", Method::skipper, titan}};
    redo_named(session, report, columns, false, true);
  } else {
    constexpr Column columns[] = {{"Ryser-SxC-Sm-MG+_2TITAN+2Gtx_seconds", Method::ryser, four},
                                  {"SpaRyser-SxC-Sm-MG+_SortOrder_2TITAN+2Gtx_seconds", Method::sparyser, four},
                                  {"SkipPer-SxC-Sm-MG+_SkipOrder_2TITAN+2Gtx_seconds", Method::skipper, four}};
    redo_named(session, report, columns, false, true);
  }
}

void redo_thesis_types(Session& session, TableReport& report) {
  constexpr Column columns[] = {{"ParRyser_16threads_seconds", Method::ryser, xeon},
                                {"Ryser-SxC-Sm_1GPU_seconds", Method::ryser, titan},
                                {"Ryser-SxC-Sm-MG+_2TITAN+2Gtx_seconds", Method::ryser, four}};
  const PublishedTable table = session.table("thesis", report.number);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string& type = table.at(row, "data_type");
    const double density = table.number(row, "density");
    const bool integers = type == "integer";
    const Matrix matrix =
        integers ? thesis_matrix(session, density, true) : random_matrix(session, Family::sparse, thesis_rows, density);
    const char* values = integers ? "integers 1 to 5" : "reals";
    for (const Column& column : columns) {
      const Precision precision = integers ? Precision::automatic : Precision::float64;
      for (const CountOptions& options :
           {session.named(column.method, precision), session.options(Method::automatic, precision)}) {
        report.comparisons.push_back(
            session.compare(session.time(random_name(thesis_rows, density, values), matrix, options),
                            type + ", density " + formatted("%g", density),
                            std::string(column.name) + ", " + column.machine, table.at(row, column.name)));
      }
    }
  }
}

}  // namespace matchcount::bench
