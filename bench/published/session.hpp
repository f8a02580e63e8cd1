#pragma once
// Session is one run of `published`: its options, the table at hand, and how a matrix's permanent is timed or
// predicted.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/published/tables.hpp"
#include "bench/runner.hpp"
#include "matchcount/count.hpp"

namespace matchcount::bench {

enum class Standing {
  measured,
  predicted,   // by `plan`: it would take longer than a row may
  unavailable  // not to be had here: no matrix, no such method
};

// Comparison holds a printed cell beside ours.
struct Comparison {
  std::string row = {};         // "n = 40, density 0.1"
  std::string printed_by = {};  // method and machine of the table
  std::string printed = {};     // as printed
  std::string unit = "s";       // of both
  std::string method = {};      // ours
  Standing standing = Standing::measured;
  std::optional<double> ours = {};
  std::string quantity = "whole call";  // what ours is of: "kernel", "samples", ...
  std::string value = {};               // what came out, where it is a value
  std::string remark = {};              // why the two differ, or are not the same quantity
  std::optional<bool> right = {};       // whether our value passed its checks; nothing: it has none
  std::optional<bool> agrees = {};      // whether the printed value is right; nothing: it is none

  void add_remark(const std::string& text) { remark += (remark.empty() ? "" : "; ") + text; }
};

// A permanent's time, or why there is none.
struct Timed {
  Standing standing = Standing::measured;
  std::optional<double> seconds = {};
  std::string method = {};            // that was followed
  std::string remark = {};            // why it is unavailable, or what the plan said
  std::optional<Result> result = {};  // of a run
};

class Session {
 public:
  // Reads the options; throws InputError for those that make no sense.
  explicit Session(Bench& bench);

  DeviceChoice device;
  std::vector<DeviceInfo> devices;
  double row_limit_s = 0;     // what is predicted to take longer is not run
  double sample_limit_s = 0;  // of one cell of the estimators' tables
  RunOptions run;

  bool on_gpu() const { return !devices.empty(); }
  // Goes on to a table, of which this stands in tables.json.
  void begin(const app::Json& its_entry);
  app::Json entry;
  PublishedTable table;
  std::string number() const { return entry["table"]; }
  std::string name() const { return entry["paper"].get<std::string>() + " " + number(); }

  // Returns the permanent of a matrix by the options' method, where the plan keeps within the limit of a row: the whole
  // call, planning included. `name` tells matrices apart: one that was timed before with the same options is not run
  // again.
  const Timed& time(const std::string& name, const Matrix& matrix, const CountOptions& options);
  // Returns what matchcount takes by itself where no method is named, which on a machine with GPUs may be a CPU's.
  CountOptions options(Method method = Method::automatic, Precision precision = Precision::automatic) const;
  // Returns a published method under its name, on the matrix as it is.
  CountOptions named(Method method, Precision precision = Precision::automatic) const;

  // Returns NAME.mtx of the folder of matrices; nothing where it is not there.
  std::optional<Matrix> public_matrix(const std::string& name) const;
  // Times a public matrix, or says that there is none.
  Comparison compare_public(const std::string& name, const std::optional<Matrix>& matrix, const CountOptions& options,
                            Comparison cell);

  // Puts a time into the cell of a table.
  Comparison compare(const Timed& timed, Comparison cell) const;
  // Times a matrix, and records that in a cell.
  void add_time(const std::string& name, const Matrix& matrix, const CountOptions& options, Comparison cell) {
    add(compare(time(name, matrix, options), std::move(cell)));
  }
  // Records a comparison, with why ours is slower where it is.
  void add(Comparison comparison);

 private:
  Bench& bench_;
  std::string tables_folder_, matrices_folder_;
  std::map<std::string, Timed> timed_;
};

// Each makes the rows of a table.
void redo_precisions(Session& session);         // superman 3
void redo_dense_placements(Session& session);   // superman 4
void redo_structure(Session& session);          // superman 5
void redo_record(Session& session);             // superman, numbers in the text
void redo_sparse_placements(Session& session);  // codegen 1
void redo_shapes(Session& session);             // codegen 2
void redo_random_sparse(Session& session);      // codegen 3
void redo_real_matrices(Session& session);      // codegen 4
void redo_thesis_placements(Session& session);  // thesis 6.1
void redo_thesis_exact(Session& session);       // thesis 6.2 to 6.8
void redo_thesis_estimates(Session& session);   // thesis 6.10 to 6.15
void redo_thesis_grids(Session& session);       // thesis 6.16
void redo_bit_products(Session& session);       // bitmatrix 8 to 12
void redo_bit_transposes(Session& session);     // bitmatrix 6
void redo_hilbert_values(Session& session);     // condensation 26
void redo_hilbert_times(Session& session);      // condensation 27

}  // namespace matchcount::bench
