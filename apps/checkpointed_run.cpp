#include "apps/checkpointed_run.hpp"

#include "apps/commands.hpp"

namespace matchcount::app {

CheckpointedRun::CheckpointedRun(const Options& options, ProgressBar& bar, Interrupt& interrupt) {
  if (!options.checkpoint.file.empty() && options.is_first()) read_checkpoint(options, bar);
  Checkpoint* const checkpoint = checkpoint_ ? &*checkpoint_ : nullptr;
  if (options.ranks) {
    work_ = options.ranks->work(checkpoint);
  } else if (checkpoint) {
    work_ = std::make_unique<Work>(checkpoint);
  }
  if (work_) interrupt.allow_writing();
}

void CheckpointedRun::read_checkpoint(const Options& options, ProgressBar& bar) {
  CheckpointOptions kept = options.checkpoint;
  kept.program = "matchcount " MATCHCOUNT_VERSION;
  kept.on_warning = [&options, &bar](const std::string& text) {
    bar.clear();
    note(options, "warning: " + text);
  };
  checkpoint_.emplace(kept);
  if (kept.resume && !checkpoint_->resumed()) note(options, "there is no " + kept.file + " yet: starting anew");
}

void CheckpointedRun::throw_with_advice(const Unable& error) const {
  const bool there = checkpoint_ && (checkpoint_->num_writes() > 0 || checkpoint_->resumed());
  if (!there) throw;
  const bool interrupted = dynamic_cast<const Cancelled*>(&error) != nullptr;
  throw Unable((interrupted ? "interrupted" : std::string(error.what())) +
               "; the same command with --resume goes on from " + checkpoint_->file());
}

}  // namespace matchcount::app
