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

}  // namespace

void redo_shapes(Session& session) {
  for (const Row& row : session.table.rows) {
    const std::string& name = row["matrix"];
    const std::optional<Matrix> matrix = session.public_matrix(name);
    for (const std::string column : {"n", "nnz", "density_percent"}) {
      Comparison cell{.row = name, .printed_by = column, .printed = row[column], .unit = column, .quantity = "file"};
      if (!matrix) {
        cell.standing = Standing::unavailable;
        cell.remark = "no file: see datasets/public_matrices.sh";
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
  for (const Row& row : session.table.rows) {
    const auto n = static_cast<Vertex>(row.number("n"));
    const double density = row.number("density");
    session.add_time(random_name(n, density, "reals"), random_matrix(session, Family::sparse, n, density),
                     session.options(Method::automatic, Precision::float64),
                     {.row = "n = " + std::to_string(n) + ", density " + formatted("%g", density),
                      .printed_by = row["implementation"] + ", " + row["machine"],
                      .printed = row["time_seconds"]});
  }
}

void redo_real_matrices(Session& session) {
  for (const Row& row : session.table.rows) {
    const std::string& name = row["matrix"];
    session.add(session.compare_public(name, session.public_matrix(name), session.options(),
                                       {.row = name,
                                        .printed_by = row["implementation"] + ", " + row["machine"],
                                        .printed = row["time_seconds_or_status"]}));
  }
}

// Times under the published name, and by what matchcount takes by itself, beside every column of a row.
void redo_thesis_exact(Session& session) {
  for (const Row& row : session.table.rows) {
    const double density = row.number("density");
    const bool reals = row.has("data_type") && row["data_type"] != "integer";
    const bool generic = !row.has("values") || row["values"] == "generic";
    const char* values = reals ? "reals" : generic ? "integers 1 to 5" : "ones";
    const std::string text = "density " + formatted("%g", density);
    Comparison cell{.row = row.has("data_type") ? row["data_type"] + ", " + text : text + ", " + values};
    if (row.has("ordering")) cell.row += row["ordering"] == "none" ? ", columns not sorted" : ", columns sorted";
    const Matrix matrix =
        reals ? random_matrix(session, Family::sparse, thesis_rows, density) : thesis_matrix(session, density, generic);
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

}  // namespace matchcount::bench
