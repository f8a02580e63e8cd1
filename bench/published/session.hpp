#pragma once
// Session is one run of `published`: its options, its tables, and how a matrix's permanent is timed or predicted.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/published/comparison.hpp"
#include "bench/published/tables.hpp"
#include "core/device_choice.hpp"
#include "permanent/permanent.hpp"

namespace matchcount::bench {

struct PublishedSettings {
  std::string tables_folder = "datasets/published";
  std::string matrices_folder;  // empty: none
  std::vector<DeviceInfo> devices;
  DeviceChoice device;
  double row_limit_s = 30;    // what is predicted to take longer is not run
  double sample_limit_s = 2;  // of one cell of the estimators' tables
  int placement_rows = 0;     // n of the study of placements; 0: by device
  RunOptions run;

  bool on_gpu() const { return !devices.empty(); }
};

// A permanent's time, or why there is none.
struct Timed {
  Standing standing = Standing::measured;
  std::optional<double> seconds;
  std::string method;            // that was followed
  std::string remark;            // why it is unavailable, or what the plan said
  std::optional<Result> result;  // of a run
};

class Session {
 public:
  explicit Session(PublishedSettings settings) : settings_(std::move(settings)) {}

  const PublishedSettings& settings() const { return settings_; }
  bool on_gpu() const { return settings_.on_gpu(); }
  PublishedTable table(std::string_view paper, std::string_view number) const {
    return read_published_table(settings_.tables_folder, paper, number);
  }
  // "2 threads" or "1 GPU".
  std::string here() const;

  // The permanent of a matrix by the options' method, where the plan keeps within the limit of a row: the whole call,
  // planning included. `name` tells matrices apart: one that was timed before with the same options is not run again.
  const Timed& time(const std::string& name, const Matrix& matrix, const CountOptions& options);
  // What matchcount takes by itself where no method is named, which on a machine with GPUs may be a CPU's.
  CountOptions options(Method method = Method::automatic, Precision precision = Precision::automatic) const;
  // A published method under its name, on the matrix as it is.
  CountOptions named(Method method, Precision precision = Precision::automatic) const;

  // NAME.mtx of the folder of matrices; nothing where it is not there.
  std::optional<Matrix> public_matrix(const std::string& name) const;

  // A comparison of times, remarked on where ours is not below the printed one.
  Comparison compare(const Timed& timed, std::string row, std::string printed_by, std::string printed) const;
  // Adds why ours is slower to a comparison of seconds, where it is.
  void explain(Comparison& comparison) const;

 private:
  PublishedSettings settings_;
  std::map<std::string, Timed> timed_;
};

// Makes the rows of one table.
using Redo = void (*)(Session& session, TableReport& report);

void redo_precisions(Session& session, TableReport& report);         // superman 3
void redo_dense_placements(Session& session, TableReport& report);   // superman 4
void redo_structure(Session& session, TableReport& report);          // superman 5
void redo_record(Session& session, TableReport& report);             // superman, numbers in the text
void redo_sparse_placements(Session& session, TableReport& report);  // codegen 1
void redo_shapes(Session& session, TableReport& report);             // codegen 2
void redo_random_sparse(Session& session, TableReport& report);      // codegen 3
void redo_real_matrices(Session& session, TableReport& report);      // codegen 4
void redo_thesis_placements(Session& session, TableReport& report);  // thesis 6.1
void redo_thesis_exact(Session& session, TableReport& report);       // thesis 6.2 to 6.8
void redo_thesis_types(Session& session, TableReport& report);       // thesis 6.8
void redo_thesis_estimates(Session& session, TableReport& report);   // thesis 6.10 to 6.15
void redo_thesis_grids(Session& session, TableReport& report);       // thesis 6.16
void redo_bit_products(Session& session, TableReport& report);       // bitmatrix 8 to 12
void redo_bit_transposes(Session& session, TableReport& report);     // bitmatrix 6
void redo_hilbert_values(Session& session, TableReport& report);     // condensation 26
void redo_hilbert_times(Session& session, TableReport& report);      // condensation 27

std::string formatted(const char* pattern, double value);

}  // namespace matchcount::bench
