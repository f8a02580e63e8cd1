#pragma once
// Session is one run of `published`: its options, the table at hand, and how a matrix's permanent is timed or
// predicted.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/runner.hpp"
#include "bench/workload.hpp"
#include "matchcount/count.hpp"

namespace matchcount::bench {

// Row is a row of a table as printed: text for every column.
class Row {
 public:
  Row(std::string table, std::map<std::string, std::string> cells)
      : table_(std::move(table)), cells_(std::move(cells)) {}

  bool has(const std::string& column) const { return cells_.contains(column); }
  // Throw InputError where there is no such column, or the cell is no number.
  const std::string& operator[](const std::string& column) const;
  double number(const std::string& column) const;

 private:
  std::string table_;
  std::map<std::string, std::string> cells_;
};

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
  std::optional<Result> result = {};    // of a permanent that was run
  std::string forecast = {};            // what a plan said of the first block

  void add_remark(const std::string& text) { remark += (remark.empty() ? "" : "; ") + text; }
  void give_up(const std::string& why) { standing = Standing::unavailable, remark = why; }
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
  // Goes on to a table, of which this stands in tables.json. Throws InputError where its file can't be read or a row
  // has not a cell for every column.
  void begin(const app::Json& its_entry);
  app::Json entry;
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::string number() const { return entry["table"]; }
  std::string name() const { return entry["paper"].get<std::string>() + " " + number(); }

  // Returns the cell with the time of a matrix's permanent by the options' method, where the plan keeps within the
  // limit of a row: the whole call, planning included. `name` tells matrices apart: one that was timed before with the
  // same options is not run again. No matrix: that is said.
  Comparison timed(const std::string& name, const std::optional<Matrix>& matrix, const CountOptions& options,
                   const Comparison& cell);
  // Records that.
  void add_time(const std::string& name, const std::optional<Matrix>& matrix, const CountOptions& options,
                const Comparison& cell) {
    add(timed(name, matrix, options, cell));
  }
  // Records a comparison, with why ours is slower where it is.
  void add(Comparison comparison);

  // Returns what matchcount takes by itself where no method is named, which on a machine with GPUs may be a CPU's.
  CountOptions options(Method method = Method::automatic, Precision precision = Precision::automatic) const;
  // Returns a published method under its name, on the matrix as it is.
  CountOptions named(Method method, Precision precision = Precision::automatic) const;

  // Returns NAME.mtx of the folder of matrices; nothing where it is not there.
  std::optional<Matrix> public_matrix(const std::string& name) const;
  // Returns the first pattern from the seed on that has a perfect matching, with the family's values.
  Matrix random_matrix(Family family, Vertex n, double density) const {
    return matrix_of({"", family, n, density}, run.seed).matrix;
  }

 private:
  Comparison time(const std::string& key, const Matrix& matrix, const CountOptions& options) const;

  Bench& bench_;
  std::string tables_folder_, matrices_folder_;
  std::map<std::string, Comparison> timed_;
};

// Redo makes the rows of the tables that name it in tables.json.
struct Redo {
  std::string_view name;
  void (*redo)(Session& session);
};
extern const std::vector<Redo> exact_redos, placement_redos, estimate_redos, bit_redos, hilbert_redos;

}  // namespace matchcount::bench
