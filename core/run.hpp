#pragma once
// Says how a computation is run: device, precision, threads, seed, limits, progress, cancellation. There are no
// globals.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/api.hpp"
#include "core/device_choice.hpp"
#include "core/precision.hpp"

namespace MATCHCOUNT_API matchcount {

class Work;

// Widest vector instructions that a kernel may use. On processors other than x86-64 only `baseline` exists.
enum class Isa { baseline, avx2, avx512 };
// Returns the widest that this processor and operating system run.
Isa detected_isa();
std::string_view to_string(Isa isa);

struct Progress {
  std::string_view phase;  // e.g. "frontier", valid during the call only
  double done = 0;         // in the units of total
  double total = 0;        // > 0
};

struct RunOptions {
  DeviceChoice device = {};  // automatic: GPUs where a run is predicted to take seconds without
  Precision precision = Precision::automatic;
  int num_threads = 0;  // 0: every core that this process may use
  std::uint64_t seed = 1;
  double time_limit_s = std::numeric_limits<double>::infinity();
  std::uint64_t memory_limit_bytes = 0;  // 0: nine tenths of what is available now
  Isa max_isa = Isa::avx512;             // the widest to use where the processor has it
  // Called from any one thread at a time, at most ten times a second.
  std::function<void(const Progress&)> on_progress = {};
  std::stop_token stop = {};  // raised by the caller: the work ends with Cancelled
  // Tells the seconds that limits and the pace of on_progress go by, since any moment; empty: the system's steady clock.
  // Called from any number of threads at once.
  std::function<double()> clock_s = {};
};

// Returns the number of threads: at least 1; fewer than asked for if the system lets no more be started.
int resolve_num_threads(const RunOptions& options);
std::uint64_t resolve_memory_limit(const RunOptions& options);
// The same options with threads and memory limit resolved, once for all that a run asks: looking takes 0.1 ms.
RunOptions resolved(RunOptions options);
std::uint64_t available_memory_bytes();
std::uint64_t peak_memory_bytes();  // of this process so far

// One run: its options, its clock, and the work that it may share or keep. Every function that takes time gets one, by
// reference and named `run`; copies are cheap and share the clock. Any number of threads.
class RunContext {
 public:
  // Has no limits.
  RunContext() : RunContext(RunOptions{}) {}
  // Starts the clock. `work` (core/work.hpp: checkpoints and ranks) outlives this; null: here, saved nowhere. Throws
  // InputError for a negative number of threads and a time limit that is no number.
  explicit RunContext(RunOptions options, Work* work = nullptr);

  const RunOptions& options() const;
  // Threads and memory limit, resolved when they are first asked for, and kept: looking takes 0.1 ms, as long as a
  // small count.
  int num_threads() const;
  std::uint64_t memory_limit_bytes() const;
  // Says whether so much memory is within the limit; without looking where no limit was given and it is next to
  // nothing.
  bool has_memory_for(double bytes) const;

  Work* work() const { return work_; }
  int num_ranks() const;  // that share it
  // Returns the part of the work that this is about, where it has several: names what is saved.
  const std::string& part() const { return part_; }
  RunContext in_part(std::string name) const;

  // Throws Cancelled when the stop token is raised, Unable when the time is over. About 30 ns; call it between chunks.
  // Looks at the clock where there is a time limit, once.
  void check() const;
  // The same, and reports progress where it is due.
  void report(std::string_view phase, double done, double total) const;
  double elapsed_s() const;
  double seconds_left() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  Work* work_ = nullptr;
  std::string part_;
};

}  // namespace matchcount
