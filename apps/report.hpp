#pragma once
// Holds what a command has to say of an input, and writes it as text or as a JSON object.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/inputs.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "permanent/plan.hpp"

namespace matchcount::app {

// Says how the answer was found.
struct MethodReport {
  std::string_view name;              // empty: nothing was to be found
  std::vector<DeviceInfo> gpus = {};  // none: the CPU
  int threads = 0;
  Json more = Json::object();  // further members
};

struct Report {
  std::string about_weights = {};              // says what becomes of the file's values, where that is worth a note
  std::string weights_ignored = {};            // says so, where there are some and the answer does not depend on them
  Json result = {};                            // null: there are `members` alone
  Json members = Json::object();               // of the command's own, behind the result
  std::optional<std::string> text = {};        // the answer without --json; nothing: the result's value
  Certificate certificate = {};                // why there is no matching
  std::string none = "no perfect matching: ";  // stands before that in a note; empty: no note
  std::vector<std::string> notes = {};         // for stderr, behind the one about weights and the certificate
  MethodReport method = {};
  std::optional<ReductionCounts> reductions = {};
  std::size_t blocks_left = 0;  // by the reductions
  std::optional<std::vector<Check>> checks = {};
  std::optional<std::uint64_t> seed = {};
  bool is_whole = true;                                           // a longer run would not answer otherwise
  std::vector<std::pair<std::string_view, double>> times_s = {};  // behind that of reading
};

// Says what ended the sampling for an estimate, of either kind, and what is to be feared of it.
template <class Estimated>
std::vector<std::string> sampling_notes(const Estimated& estimate) {
  return {estimate.out_of_time ? "the time limit ended the sampling" : "",
          estimate.interrupted ? "interrupted: this is what there was" : "",
          estimate.warning.empty() ? "" : "warning: " + estimate.warning};
}

// Calls `answer` for every input as answer_each does, and writes its report.
int report_each(const Options& options, Interrupt& interrupt, bool odd_cycles,
                const std::function<Report(Loaded&, CountOptions&, ProgressBar&)>& answer);

}  // namespace matchcount::app
