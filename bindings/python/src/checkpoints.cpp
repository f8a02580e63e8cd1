#include <nanobind/stl/string.h>

#include "binding.hpp"

// Files are those of the command line: what one began the other resumes. A file that can't be written is a warning of
// Python's, from the thread that counts.

namespace matchcount::python {

Saving::Saving(nb::dict& options) {
  CheckpointOptions kept;
  if (options.contains("checkpoint") && !options["checkpoint"].is_none())
    options["checkpoint"] = nb::module_::import_("os").attr("fsdecode")(options["checkpoint"]);
  kept.file = take<std::string>(options, "checkpoint", "");
  kept.resume = take(options, "resume", false);
  kept.interval_s = take(options, "checkpoint_interval", kept.interval_s);
  if (!(kept.interval_s > 0))
    throw InputError("a checkpoint_interval of " + std::to_string(kept.interval_s), "seconds above 0");
  if (kept.file.empty()) {
    if (kept.resume) throw InputError("resume=True without a file", "checkpoint=, the file to go on from");
    return;
  }
  kept.program = "matchcount " MATCHCOUNT_VERSION;
  kept.on_warning = [](const std::string& text) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) PyErr_WriteUnraisable(nullptr);
  };
  checkpoint_.emplace(std::move(kept));
  work_.emplace(&*checkpoint_);
}

}  // namespace matchcount::python
