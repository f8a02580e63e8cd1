// Exact permanents: the tables of codegen, and of the thesis those of dense and sparse matrices of 40 rows.

#include <algorithm>
#include <cmath>

#include "bench/published/session.hpp"
#include "bench/workload.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

constexpr Vertex thesis_rows = 40;

// Returns the first pattern from the session's seed on that has a perfect matching, with values in [0, 1) or ones.
Matrix random_matrix(const Session& session, Family family, Vertex n, double density) {
  return matrix_of({"", family, n, density}, session.run.seed).matrix;
}

std::string random_name(Vertex n, double density, const char* values) {
  return "random " + std::to_string(n) + " " + formatted("%g", density) + " " + values;
}

// Returns integers from 1 to 5, where the thesis has rand() in [0, 5] and does not say whether a chosen entry may be 0.
Matrix thesis_matrix(const Session& session, double density, bool generic) {
  const Matrix pattern = random_matrix(session, Family::zero_one, thesis_rows, density);
  const RandomWeights law{RandomWeights::Law::integers, 1, 5};
  return generic ? with_random_weights(pattern, law, session.run.seed) : pattern;
}

constexpr const char *titan = "TITAN X", *two = "two TITAN X", *four = "two TITAN X and two GTX 980",
                     *xeon = "16 threads";
using enum Method;

struct ThesisTable {
  std::string_view number;
  bool by_ordering, binary;
  struct Column {
    const char* name;  // of the table
    Method method;     // under its published name
    const char* machine;
  } columns[3];
};
constexpr ThesisTable thesis_tables[] = {
    {"6.2",
     false,
     false,
     {{"Ryser-SxC-Sm_1GPU_seconds", ryser, titan},
      {"Ryser-SxC-Sm-MG_2TITAN_seconds", ryser, two},
      {"Ryser-SxC-Sm-MG+_2TITAN+2Gtx_seconds", ryser, four}}},
    {"6.3",
     true,
     false,
     {{"ParSpaRyser_16threads_seconds", sparyser, xeon},
      {"SpaRyser-SxC-Sm_1GPU_seconds", sparyser, titan},
      {"SpaRyser-SxC-Sm-MG+_2TITAN+2Gtx_seconds", sparyser, four}}},
    {"6.4",
     true,
     false,
     {{"ParSkipPer_16threads_seconds", skipper, xeon},
      {"SkipPer-SxC-Sm_1GPU_seconds", skipper, titan},
      {"SkipPer-SxC-Sm-MG+_2TITAN+2Gtx_seconds", skipper, four}}},
    {"6.5",
     false,
     true,
     {{"ParRyser_16threads_seconds", ryser, xeon},
      {"ParSpaRyser_SortOrder_16threads_seconds", sparyser, xeon},
      {"ParSkipPer_SkipOrder_16threads_seconds", skipper, xeon}}},
    {"6.6",
     false,
     true,
     {{"Ryser-SxC-Sm_1GPU_seconds", ryser, titan},
      {"SpaRyser-SxC-Sm_SortOrder_1GPU_seconds", sparyser, titan},
      {"SkipPer-SxC-Sm_SkipOrder_1GPU_seconds", skipper, titan}}},
    {"6.7",
     false,
     true,
     {{"Ryser-SxC-Sm-MG+_2TITAN+2Gtx_seconds", ryser, four},
      {"SpaRyser-SxC-Sm-MG+_SortOrder_2TITAN+2Gtx_seconds", sparyser, four},
      {"SkipPer-SxC-Sm-MG+_SkipOrder_2TITAN+2Gtx_seconds", skipper, four}}},
    {"6.8",
     false,
     false,
     {{"ParRyser_16threads_seconds", ryser, xeon},
      {"Ryser-SxC-Sm_1GPU_seconds", ryser, titan},
      {"Ryser-SxC-Sm-MG+_2TITAN+2Gtx_seconds", ryser, four}}},
};

// Adds times of the named method and of the one that matchcount takes by itself, beside every column of a row.
void compare_row(Session& session, const PublishedTable& table, std::size_t row, const std::string& text,
                 const Matrix& matrix, const std::string& name, Precision precision = Precision::automatic) {
  const auto own = std::ranges::find(thesis_tables, session.number(), &ThesisTable::number);
  for (const auto& column : own->columns) {
    for (const CountOptions& options :
         {session.named(column.method, precision), session.options(automatic, precision)}) {
      session.add(session.compare(session.time(name, matrix, options),
                                  {.row = text,
                                   .printed_by = std::string(column.name) + ", " + column.machine,
                                   .printed = table.at(row, column.name)}));
    }
  }
}

}  // namespace

void redo_shapes(Session& session) {
  const PublishedTable table = session.table();
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string& name = table.at(row, "matrix");
    const std::optional<Matrix> matrix = session.public_matrix(name);
    for (const std::string column : {"n", "nnz", "density_percent"}) {
      Comparison cell{
          .row = name, .printed_by = column, .printed = table.at(row, column), .unit = column, .quantity = "file"};
      if (!matrix) {
        cell.standing = Standing::unavailable;
        cell.remark = "no file: see datasets/public_matrices.sh";
      } else {
        const double n = matrix->num_rows(), edges = static_cast<double>(matrix->num_edges());
        cell.ours = column == "n" ? n : column == "nnz" ? edges : 100 * edges / (n * n);
        cell.agrees = std::fabs(*cell.ours - table.number(row, column)) <= 0.05 + 1e-9;
      }
      session.add(cell);
    }
  }
}

void redo_random_sparse(Session& session) {
  const PublishedTable table = session.table();
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const auto n = static_cast<Vertex>(table.number(row, "n"));
    const double density = table.number(row, "density");
    const Timed& timed =
        session.time(random_name(n, density, "reals"), random_matrix(session, Family::sparse, n, density),
                     session.options(automatic, Precision::float64));
    session.add(session.compare(timed, {.row = "n = " + std::to_string(n) + ", density " + formatted("%g", density),
                                        .printed_by = table.at(row, "implementation") + ", " + table.at(row, "machine"),
                                        .printed = table.at(row, "time_seconds")}));
  }
}

void redo_real_matrices(Session& session) {
  const PublishedTable table = session.table();
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string& name = table.at(row, "matrix");
    session.add(session.compare_public(name, session.public_matrix(name), session.options(),
                                       {.row = name,
                                        .printed_by = table.at(row, "implementation") + ", " + table.at(row, "machine"),
                                        .printed = table.at(row, "time_seconds_or_status")}));
  }
}

void redo_thesis_exact(Session& session) {
  const auto own = std::ranges::find(thesis_tables, session.number(), &ThesisTable::number);
  const PublishedTable table = session.table();
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const double density = table.number(row, "density");
    const bool generic = !own->binary || table.at(row, "values") == "generic";
    const char* values = generic ? "integers 1 to 5" : "ones";
    std::string text = "density " + formatted("%g", density) + ", " + values;
    if (own->by_ordering) text += table.at(row, "ordering") == "none" ? ", columns not sorted" : ", columns sorted";
    compare_row(session, table, row, text, thesis_matrix(session, density, generic),
                random_name(thesis_rows, density, values));
  }
}

void redo_thesis_types(Session& session) {
  const PublishedTable table = session.table();
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string& type = table.at(row, "data_type");
    const double density = table.number(row, "density");
    const bool integers = type == "integer";
    const Matrix matrix =
        integers ? thesis_matrix(session, density, true) : random_matrix(session, Family::sparse, thesis_rows, density);
    compare_row(session, table, row, type + ", density " + formatted("%g", density), matrix,
                random_name(thesis_rows, density, integers ? "integers 1 to 5" : "reals"),
                integers ? Precision::automatic : Precision::float64);
  }
}

}  // namespace matchcount::bench
