#pragma once
// A run whose finished parts are kept in a checkpoint, where the command line asks for one.

#include <memory>
#include <optional>
#include <string>

#include "apps/interrupt.hpp"
#include "apps/options.hpp"
#include "core/error.hpp"
#include "core/work.hpp"

namespace matchcount::app {

class KeptRun {
 public:
  // Reads the checkpoint where the run is to go on from one. Throws as Checkpoint does.
  KeptRun(const Options& options, ProgressBar& bar, Interrupt& interrupt);

  // Calls body with the options to run by, and writes the last checkpoint. Where the run is interrupted or a limit ends
  // it, the exception says how to go on.
  template <class Body>
  auto operator()(RunOptions run, const Body& body) {
    run.work = work_.get();
    try {
      auto result = body(run);
      if (checkpoint_) checkpoint_->write();
      return result;
    } catch (const Unable& error) {
      throw_with_advice(error);
    }
  }

 private:
  void read_checkpoint(const Options& options, ProgressBar& bar);
  [[noreturn]] void throw_with_advice(const Unable& error) const;

  std::optional<Checkpoint> checkpoint_;
  std::unique_ptr<Work> work_;  // null: nothing is kept and this process is alone
};

}  // namespace matchcount::app
