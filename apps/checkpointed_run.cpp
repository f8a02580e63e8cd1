#include "apps/checkpointed_run.hpp"

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/ranks_run.hpp"
#include "core/bytes.hpp"

namespace matchcount::app {
namespace {

std::string advice_of(const std::string& file) {
  return "; the same command with --resume goes on from " + printable(file);
}

// Names are part of answers, and so of what an input is.
std::string identity_of(const Input& input) {
  Hash hash;
  hash.add_bytes(serialize(input));
  for (const auto* labels : {&input.row_labels, &input.column_labels}) {
    for (const std::string& label : *labels) hash.add_text(label);
  }
  return hash.hex();
}

}  // namespace

CheckpointedRun::CheckpointedRun(const Options& options, ProgressBar& bar, Interrupt& interrupt, bool saves_nothing) {
  if (!options.checkpoint.file.empty() && options.is_first() && !saves_nothing)
    read_checkpoint(options, bar, interrupt);
  Checkpoint* const checkpoint = checkpoint_ ? &*checkpoint_ : nullptr;
  if (options.ranks) {
    work_ = options.ranks->work(checkpoint);
  } else if (checkpoint) {
    work_ = std::make_unique<Work>(checkpoint);
  }
  if (work_) interrupt.allow_writing();
}

CheckpointedRun::CheckpointedRun(const Options& options, ProgressBar& bar, Interrupt& interrupt, const char* batch)
    : CheckpointedRun(options, bar, interrupt, false) {
  is_batch_ = true;
  checkpoint_->identify({{batch, std::string(options.command->name) + options.asked}});
}

std::optional<KeptAnswer> CheckpointedRun::answer_of(const Loaded& loaded) {
  place_ = loaded.file + ", graph " + std::to_string(loaded.position);
  identity_ = identity_of(loaded.input);
  const auto bytes = checkpoint_->find(place_, "");
  if (!bytes) return std::nullopt;
  ByteReader in(*bytes);
  if (in.get<std::string>() != identity_)
    throw InputError(checkpoint_->file() + ": a checkpoint of another " + place_, "the input that was there before");
  return in.get<KeptAnswer>();
}

void CheckpointedRun::keep(const KeptAnswer& answer) {
  checkpoint_->put(place_, "", to_bytes(identity_, answer));
  if (checkpoint_->due()) checkpoint_->write();
}

void CheckpointedRun::read_checkpoint(const Options& options, ProgressBar& bar, Interrupt& interrupt) {
  CheckpointOptions kept = options.checkpoint;
  kept.program = "matchcount " MATCHCOUNT_VERSION;
  kept.on_warning = [&options, &bar](const std::string& text) {
    bar.clear();
    note(options, "warning: " + text);
  };
  // A limit waits for the file, and then says how to go on.
  kept.on_write = [this, &interrupt]() -> std::shared_ptr<void> {
    struct Writes {
      const CheckpointedRun& run;
      Interrupt& interrupt;
      Writing writing;
      ~Writes() { run.advise(interrupt); }
    };
    return std::shared_ptr<Writes>(new Writes{*this, interrupt, {}});
  };
  checkpoint_.emplace(kept);
  advise(interrupt);
  if (kept.resume && !checkpoint_->resumed()) {
    note(options, "there is no " + printable(kept.file) + " yet: starting anew");
  }
}

bool CheckpointedRun::has_file() const {
  return checkpoint_ && (checkpoint_->num_writes() > 0 || checkpoint_->resumed());
}

void CheckpointedRun::advise(Interrupt& interrupt) const {
  if (has_file()) interrupt.advise(advice_of(checkpoint_->file()));
}

void CheckpointedRun::throw_with_advice(const Unable& error) const {
  if (!has_file()) throw;
  const std::string advice = advice_of(checkpoint_->file());
  if (dynamic_cast<const Cancelled*>(&error) != nullptr) throw Cancelled("interrupted" + advice);
  if (dynamic_cast<const OverLimit*>(&error) != nullptr) throw OverLimit(error.what() + advice);
  throw Unable(error.what() + advice);
}

}  // namespace matchcount::app
