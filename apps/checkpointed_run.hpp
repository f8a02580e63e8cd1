#pragma once
// Saves the finished parts of a run in a checkpoint, where the command line asks for one.

#include <memory>
#include <optional>
#include <string>

#include "apps/interrupt.hpp"
#include "apps/options.hpp"
#include "core/error.hpp"
#include "core/work.hpp"

namespace matchcount::app {

class CheckpointedRun {
 public:
  CheckpointedRun(const CheckpointedRun&) = delete;
  CheckpointedRun& operator=(const CheckpointedRun&) = delete;
  // Reads the checkpoint where the run is to resume from one. Throws as Checkpoint does.
  CheckpointedRun(const Options& options, ProgressBar& bar, Interrupt& interrupt);

  // Calls body with the work that the run shares or saves, null where it does neither, and writes the last checkpoint.
  // The exception of a run that is interrupted or that a limit ends says how to resume it.
  template <class Body>
  auto operator()(const Body& body) {
    try {
      auto result = body(work_.get());
      if (checkpoint_) checkpoint_->write();
      return result;
    } catch (const Unable& error) {
      throw_with_advice(error);
    }
  }

 private:
  void read_checkpoint(const Options& options, ProgressBar& bar, Interrupt& interrupt);
  bool has_file() const;  // to go on from
  void advise(Interrupt& interrupt) const;
  [[noreturn]] void throw_with_advice(const Unable& error) const;

  std::optional<Checkpoint> checkpoint_;
  std::unique_ptr<Work> work_;  // null: nothing is saved and this process is alone
};

}  // namespace matchcount::app
