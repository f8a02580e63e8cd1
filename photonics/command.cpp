// The command torontonian, which the program has where it is built with the wing.

#include <limits>

#include "apps/commands.hpp"
#include "apps/option_types.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "photonics/torontonian.hpp"

namespace matchcount::app {
namespace {

int run_torontonian(const Options& options, Interrupt& interrupt) {
  return report_each(options, interrupt, false, [&](Loaded& loaded, CountOptions& count, ProgressBar&) {
    Stopwatch run;
    const Input& input = loaded.input;
    const bool has_names = !(input.row_labels.empty() && input.column_labels.empty());
    if (has_names && input.format != InputFormat::dense)
      throw InputError(loaded.name(), 0, "rows and columns by name, whose order would decide which two are a mode",
                       "indices from 1");
    const TorontonianOptions how{.rtol = options.rtol, .atol = options.atol, .run = count.run};
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

// The matrix of `--loops` has a column more, and is no graph with loops.
ValueType loop_column() {
  return chosen("keep", [](Options& options, std::string_view) {
    options.input.loops = Loops::refuse;
    options.has_loop_column = true;
  });
}

WingCommand torontonian_command() {
  return {
      {"torontonian",
       "FILE... [options]",
       "torontonian of a Hermitian matrix, with an error bound",
       "Computes the torontonian of the Hermitian matrix O in FILE, of 2n rows, rows i and i + n being mode i: the sum "
       "over all sets S of modes of (-1)^(n - |S|) / sqrt(det(I - O_S)), where I - O has to be positive definite; with "
       "--loops each term times exp(g_S^T (I - O_S)^-1 conj(g_S) / 2), g the column behind those of O. Threshold "
       "detectors behind Gaussian states have such probabilities; The Walrus has these conventions. It takes 2^n "
       "steps.",
       "matrix",
       with_common_options({"rtol", "atol", "precision", "digits"}),
       {{"printf '0.5 0\\n0 0.5\\n' | matchcount torontonian - --format dense", "1.000000000000e0", "a thermal mode"},
        {"matchcount torontonian o.npy --rtol 1e-12", "", "as numpy computed it, Hermitian but for roundings"}},
       &run_torontonian},
      {{"rtol", "T", real(into(&Options::rtol), "a number above 0", 0, std::numeric_limits<double>::infinity()), "0",
        "Two entries that should be conjugate may differ by atol + rtol times the larger. Their mean is taken, and the "
        "bound on the error has what they differ by."},
       {"atol", "T", real(into(&Options::atol), "a number above 0", 0, std::numeric_limits<double>::infinity()), "0",
        "The same, whatever the entries' magnitudes."}},
      {{"loops", {{"torontonian"}, loop_column(), ""}},
       {"precision", {{"torontonian"}, one_of(into(&RunOptions::precision), "auto|double|double-double"), "auto"}}}};
}

const bool is_added = (wing_commands().push_back(&torontonian_command), true);

}  // namespace
}  // namespace matchcount::app
