#pragma once
// Saves the finished parts of a run in a checkpoint, where the command line asks for one; runs the program as one rank
// of several: the input from the first rank, a share of the host, one voice.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "apps/answer.hpp"
#include "apps/inputs.hpp"
#include "apps/interrupt.hpp"
#include "apps/options.hpp"
#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/mpi/ranks.hpp"
#include "core/work.hpp"

namespace matchcount::app {

// Says whether the command spreads over ranks; others are run by the first rank alone.
bool spreads(const Options& options);
// Throws InputError for a command that takes long and whose work ranks do not share.
void refuse_idle_ranks(const Options& options);

// Calls run with options for this rank, and ends all ranks in order; the first tells of a failure. Returns the exit
// status: that of the first rank says how the run went, the others have 0.
int run_as_rank(const Options& options, const std::function<int(const Options&)>& run,
                const std::function<void(const Failure&)>& tell);

// Returns all of an input but names of vertices and what only pictures and notes take.
Bytes serialize(const Input& input);

// Gives the first rank's input on every rank, without names of vertices but there.
Input broadcast(Ranks& ranks, const std::function<Input()>& read);

// Takes this rank's share of the cores and GPUs of its host.
void take_share(Ranks& ranks, CountOptions& count);

// KeptAnswer is what was written of an input: on stdout, and as notes.
struct KeptAnswer {
  std::string text, notes;  // a note a line
  auto fields() { return std::tie(text, notes); }
};

class CheckpointedRun {
 public:
  CheckpointedRun(const CheckpointedRun&) = delete;
  CheckpointedRun& operator=(const CheckpointedRun&) = delete;
  // Reads the checkpoint where the run is to resume from one. Throws as Checkpoint does. Saves nothing of an input of a
  // batch, whose answer is kept as a whole.
  CheckpointedRun(const Options& options, ProgressBar& bar, Interrupt& interrupt, const Loaded& loaded)
      : CheckpointedRun(options, bar, interrupt, loaded.batch != nullptr) {}
  // Begins the checkpoint of a batch. Throws InputError too where it is one of another command or other options.
  CheckpointedRun(const Options& options, ProgressBar& bar, Interrupt& interrupt, const char* batch);

  // Returns the answer that a batch has kept of an input; nothing: `keep` takes the one that is found, and writes the
  // file if that is due. Throws InputError where the input is not the one that was there before.
  std::optional<KeptAnswer> answer_of(const Loaded& loaded);
  void keep(const KeptAnswer& answer);

  // Calls body with the work that the run shares or saves, null where it does neither, and writes the last checkpoint.
  // The exception of a run that is interrupted or that a limit ends says how to resume it.
  template <class Body>
  auto operator()(const Body& body) {
    try {
      auto result = body(work_.get());
      if (checkpoint_) checkpoint_->write();
      return result;
    } catch (const Unable& error) {
      if (is_batch_) checkpoint_->write();
      throw_with_advice(error);
    }
  }

 private:
  CheckpointedRun(const Options& options, ProgressBar& bar, Interrupt& interrupt, bool saves_nothing);
  void read_checkpoint(const Options& options, ProgressBar& bar, Interrupt& interrupt);
  bool has_file() const;  // to go on from
  void advise(Interrupt& interrupt) const;
  [[noreturn]] void throw_with_advice(const Unable& error) const;

  bool is_batch_ = false;
  std::string place_, identity_;  // of the input at hand, of a batch
  std::optional<Checkpoint> checkpoint_;
  std::unique_ptr<Work> work_;  // null: nothing is saved and this process is alone
};

}  // namespace matchcount::app
