#include "apps/kept_run.hpp"

#include "apps/commands.hpp"

namespace matchcount::app {

KeptRun::KeptRun(const Options& options, ProgressBar& bar, Interrupt& interrupt) {
  if (options.checkpoint.file.empty()) return;
  CheckpointOptions kept = options.checkpoint;
  kept.program = "matchcount " MATCHCOUNT_VERSION;
  kept.on_warning = [&options, &bar](const std::string& text) {
    bar.clear();
    note(options, "warning: " + text);
  };
  checkpoint_.emplace(kept);
  if (kept.resume && !checkpoint_->resumed()) note(options, "there is no " + kept.file + " yet: starting anew");
  work_.emplace(&*checkpoint_);
  interrupt.allow_writing();
}

void KeptRun::throw_with_advice(const Unable& error) const {
  const bool there = checkpoint_ && (checkpoint_->num_writes() > 0 || checkpoint_->resumed());
  if (!there) throw;
  const bool interrupted = dynamic_cast<const Cancelled*>(&error) != nullptr;
  throw Unable((interrupted ? "interrupted" : std::string(error.what())) +
               "; the same command with --resume goes on from " + checkpoint_->file());
}

}  // namespace matchcount::app
