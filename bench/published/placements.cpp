// The study of placements: where row sums and matrix live, how chunks follow the Gray code, how large blocks are. On a
// GPU every variant runs as in bench/published/placement.cuh, and the engine's generated kernel is the last row; on a
// CPU the published methods and the engine's stand beside the printed times.

#include <cmath>
#include <cstdio>

#include "apps/text.hpp"
#include "bench/published/placement.hpp"
#include "bench/published/session.hpp"
#include "bench/workload.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

constexpr double limit_of_run_s = 0.4;
constexpr Vertex small_rows = 12;

Matrix matrix_with(const Session& session, Vertex n, double density) {
  return session.random_matrix(density == 1 ? Family::dense : Family::sparse, n, density);
}

std::vector<double> dense_entries(const Matrix& matrix) {
  const std::size_t n = matrix.num_rows();
  std::vector<double> entries(n * n, 0);
  const auto* reals = std::get_if<std::vector<DoubleDouble>>(&matrix.weights());
  const auto* integers = std::get_if<std::vector<std::int64_t>>(&matrix.weights());
  const std::vector<Edge> edges = matrix.edges();
  for (EdgeId id = 0; id < edges.size(); ++id)
    entries[edges[id].row * n + edges[id].column] = reals      ? (*reals)[id].hi
                                                    : integers ? static_cast<double>((*integers)[id])
                                                               : 1;
  return entries;
}

// Returns whether a small integer matrix, all of whose sums are exact in doubles, gives the engine's number.
bool is_exact_on_a_small_matrix(const Session& session, const Placement& placement) {
  const Matrix pattern = random_graph(small_rows, small_rows, 0.7, session.run.seed);
  const Matrix matrix = with_random_weights(pattern, {RandomWeights::Law::signs, 0, 0}, 1);
  CountOptions options;
  options.run.device.kind = DeviceChoice::Kind::cpu;
  const Integer truth = std::get<Integer>(permanent(matrix, options).value);
  const PlacementRun run = run_placement(placement, dense_entries(matrix), small_rows, session.devices, HUGE_VAL);
  return run.whole && Integer(static_cast<std::int64_t>(run.permanent)) == truth &&
         run.permanent == std::floor(run.permanent);
}

// Says what the kernel moves and does, and how much of the device it keeps busy: why it takes as long as it does.
std::string reasons(const Placement& placement, const PlacementRun& run, std::size_t n, double density,
                    double most_operations_per_s) {
  const double terms = std::exp2(static_cast<double>(n) - 1), rows = static_cast<double>(n);
  const double added = rows * density, operations = (rows + added) * terms;
  std::string text = std::to_string(run.kernel.registers) + " registers, " + formatted("%.0f", 100 * run.occupancy) +
                     " % of the threads, " + formatted("%.0f", 100 * operations / run.seconds / most_operations_per_s) +
                     " % of the adds and multiplications that the device does";
  const auto traffic = [&](const char* what, double numbers) {
    text += ", " + std::string(what) + " " + formatted("%.3g", 8 * numbers * terms / run.seconds * 1e-12) + " TB/s";
  };
  // A row sum is read and written where it changes, and read for the product.
  if (placement.sums == Memory::global) traffic("x in global memory", 2 * added + rows);
  if (placement.sums == Memory::shared) traffic("x in shared memory", 2 * added + rows);
  if (run.kernel.local_bytes > 0) text += ", " + std::to_string(run.kernel.local_bytes) + " bytes spilled a thread";
  if (placement.sparse && placement.sums == Memory::registers) return text;  // the matrix is in the program
  if (placement.matrix == Memory::global) traffic("A in global memory or its cache", added);
  if (placement.matrix == Memory::shared) traffic("A in shared memory", added);
  if (placement.matrix == Memory::constant) traffic("A in constant memory", added);
  return text;
}

class Study {
 public:
  explicit Study(Session& session) : session_(session) {
    if (session.on_gpu()) ceiling_ = measured_fma_per_s(session.devices[0]);
  }

  // Adds a variant beside a printed cell, which may be empty.
  void add(const Placement& placement, const Matrix& matrix, double density, const std::string& row,
           const std::string& printed_by, const std::string& printed) {
    Comparison cell{.row = row,
                    .printed_by = printed_by,
                    .printed = printed,
                    .method = to_string(placement) + ", " + std::to_string(placement.threads) + " a block",
                    .quantity = "kernel"};
    const std::size_t n = matrix.num_rows();
    try {
      const std::string key = row + cell.method;
      if (!runs_.contains(key)) {
        runs_[key] = run_placement(placement, dense_entries(matrix), n, session_.devices, limit_of_run_s);
        right_[key] = is_exact_on_a_small_matrix(session_, placement);
        std::fprintf(stderr, "%s: %s\n", key.c_str(), app::format_seconds(runs_[key].seconds).c_str());
      }
      const PlacementRun& run = runs_[key];
      cell.ours = run.seconds;
      cell.standing = run.whole ? Standing::measured : Standing::predicted;
      cell.remark = reasons(placement, run, n, density, ceiling_);
      if (!run.whole) cell.remark += "; from a part of the terms";
      cell.right = right_[key];
      if (run.whole) cell.value = formatted("%.6g", run.permanent);
    } catch (const Unable& error) {
      cell.give_up(error.what());
    }
    session_.add(cell);
  }

  // Adds the engine's method in doubles.
  void add_engine(Method method, const Matrix& matrix, const std::string& name, const std::string& row,
                  const std::string& printed_by, const std::string& printed) {
    Comparison cell = session_.timed(name, matrix, session_.named(method, Precision::float64),
                                     {.row = row, .printed_by = printed_by, .printed = printed});
    if (cell.result && session_.on_gpu() && method == Method::staged) {
      cell.ours = cell.result->time_s.count;
      cell.quantity = "kernel and its compilation";
    }
    session_.add(cell);
  }

 private:
  Session& session_;
  double ceiling_ = 0;
  std::map<std::string, PlacementRun> runs_;
  std::map<std::string, bool> right_;
};

// Reads a placement of tables.json, whose members are those of the struct.
Placement placement_from(const app::Json& row) {
  const auto memory = [&](const char* key, Memory usual) {
    return row.contains(key) ? from_string<Memory>(row[key].get<std::string>()) : usual;
  };
  const Placement usual;
  return {memory("sums", usual.sums),
          memory("matrix", usual.matrix),
          row.value("coalesced", usual.coalesced),
          usual.sparse,
          row.value("aligned", usual.aligned),
          row.value("threads", usual.threads)};
}

std::string row_of(Vertex n) { return "n = " + std::to_string(n); }
std::string row_of(Vertex n, double density) { return row_of(n) + ", density " + formatted("%g", density); }

void redo_dense_placements(Session& session) {
  Study study(session);
  Vertex largest_measured = 0;
  for (const Row& row : session.rows) {
    const auto n = static_cast<Vertex>(row.number("n"));
    const std::string& name = row["kernel_block_in_print_order"];
    const Matrix matrix = matrix_with(session, n, 1);
    if (name == "cpu_baseline" || !session.on_gpu()) {
      study.add_engine(Method::staged, matrix, "dense " + std::to_string(n), row_of(n),
                       name + (name == "cpu_baseline" ? ", 44 cores" : ", GV100"), row["time_seconds"]);
      continue;
    }
    // The blocks of SUperman's table, as far as it says what they are.
    for (const bool aligned : {false, true}) {
      Placement placement = placement_from(session.entry["blocks"][name]);
      placement.aligned = aligned;
      study.add(placement, matrix, 1, row_of(n), name + (aligned ? " with CEG" : "") + ", GV100",
                row[aligned ? "time_with_CEG_seconds" : "time_seconds"]);
    }
    if (n <= 40) largest_measured = std::max(largest_measured, n);
  }
  if (session.on_gpu()) {
    const Matrix matrix = matrix_with(session, largest_measured, 1);
    // Placements that no table has: constant memory, sums in global memory, and other sizes of blocks.
    for (const app::Json& further : session.entry["further"])
      study.add(placement_from(further), matrix, 1, row_of(largest_measured), "", "");
    for (const Method method : {Method::ryser, Method::staged})
      study.add_engine(method, matrix, "dense " + std::to_string(largest_measured), row_of(largest_measured), "", "");
    return;
  }
  // The published methods of a CPU on matrices that are done in a moment, so that their order can be seen anywhere.
  constexpr Vertex rows = 26;
  for (const double density : {1.0, 0.3}) {
    for (const Method method : {Method::ryser, Method::sparyser, Method::skipper, Method::staged})
      study.add_engine(method, matrix_with(session, rows, density), "variants " + row_of(rows, density),
                       row_of(rows, density), "", "");
  }
}

void redo_sparse_placements(Session& session) {
  constexpr Vertex rows = 45;
  constexpr double density = 0.3;
  Study study(session);
  const Matrix matrix = matrix_with(session, rows, density);
  const std::string row = row_of(rows, density);
  for (const std::string column : {"x_global", "x_shared"}) {
    if (session.on_gpu()) {
      const Placement placement{.sums = column == "x_global" ? Memory::global : Memory::shared, .sparse = true};
      study.add(placement, matrix, density, row, column + ", GV100", session.rows.at(0)[column]);
    } else {
      study.add_engine(Method::staged, matrix, "placed sparse", row, column + ", GV100", session.rows.at(0)[column]);
    }
  }
  if (!session.on_gpu()) return;
  for (const bool aligned : {false, true})
    study.add({.sparse = true, .aligned = aligned}, matrix, density, row, "", "");
  study.add_engine(Method::staged, matrix, "placed sparse", row, "", "");
}

void redo_thesis_placements(Session& session) {
  constexpr Vertex rows = 40;
  Study study(session);
  for (const Row& row : session.rows) {
    const double density = row.number("density");
    const Matrix matrix = session.random_matrix(Family::sparse, rows, density);
    const std::string text = row_of(rows, density), key = "random 40 " + formatted("%g", density) + " reals";
    study.add_engine(Method::ryser, matrix, key, text, "ParRyser, 16 threads", row["ParRyser_16threads_seconds"]);
    for (const auto& [column, placement] : session.entry["columns"].items()) {
      const std::string by = column + ", TITAN X";
      if (session.on_gpu()) {
        study.add(placement_from(placement), matrix, 1, text, by, row[column]);
      } else {
        study.add_engine(Method::staged, matrix, key, text, by, row[column]);
      }
    }
    study.add_engine(Method::staged, matrix, key, text, "", "");
  }
}

}  // namespace

const std::vector<Redo> placement_redos = {{"dense_placements", redo_dense_placements},
                                           {"sparse_placements", redo_sparse_placements},
                                           {"thesis_placements", redo_thesis_placements}};

}  // namespace matchcount::bench
