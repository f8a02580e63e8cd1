// torontonian: one real number, of a Hermitian matrix.

#include "linear/torontonian.hpp"
#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::app {

int run_torontonian(const Options& options, Interrupt& interrupt) {
  return report_each(options, interrupt, false, [&](Loaded& loaded, CountOptions& count, ProgressBar&) {
    Stopwatch run;
    const Input& input = loaded.input;
    const bool has_names = !(input.row_labels.empty() && input.column_labels.empty());
    if (has_names && input.format != InputFormat::dense)
      throw InputError(loaded.name(), 0, "rows and columns by name, whose order would decide which two are a mode",
                       "indices from 1");
    TorontonianOptions how = options.torontonian;
    how.run = count.run;
    const TorontonianResult result = torontonian(input.graph, options.has_loop_column, how, input.fractions);
    Report report;
    report.result = json_value(result.value, options.digits);
    report.notes = {error_note(result.value)};
    report.method = {"cholesky",
                     result.gpus,
                     how.run.num_threads,
                     {{"arithmetic", to_string(result.arithmetic)}, {"instruction_set", to_string(detected_isa())}}};
    report.times_s = {{"compute", run.lap()}};
    return report;
  });
}

}  // namespace matchcount::app
