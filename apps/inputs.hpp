#pragma once
// Answers a command for each of its inputs: the graphs that its files hold, one after another.

#include <cstdint>
#include <functional>
#include <string>

#include "apps/interrupt.hpp"
#include "apps/options.hpp"
#include "graph/input.hpp"

namespace matchcount::app {

// A plan says whether a limit would hold, even where reading alone has passed it: it has so much more time.
constexpr double to_plan_s = 0.5;

class CheckpointedRun;

// One graph of a file.
struct Loaded {
  std::string file;
  Input input;
  double read_s = 0;
  bool one_of_several = false;  // the file holds more
  std::uint64_t position = 1;   // among them, from 1
  std::string lead;             // of an answer of one line: the title of a molecule among others, and a tab
  std::string prefix;           // of sentences about it where there are other inputs: "FILE: " or "FILE, graph 3: "
  CheckpointedRun* batch = nullptr;  // keeps the answers of several inputs where --checkpoint is given

  // Names the file as readers do in errors.
  std::string name() const { return file == "-" ? "standard input" : file; }
  // Throws InputError where there are not as many columns as rows; `expected` is a square matrix.
  void require_square(const char* expected) const;
};

// Calls `answer` for every graph of every FILE, with the options of its run: what is left of the time limit, progress
// and cancellation. odd_cycles: undirected graphs need not be bipartite. Returns the exit status.
//
// A single input that fails throws. Of several, one that fails is told of in its place (a JSON object, or the line
// "error" and a sentence on stderr), the others are answered, and the status is the largest. Cancelled ends them all; a
// limit that does is told of in the place of every FILE that is not answered. An answer of several lines (of plan,
// decompose, reach --from) has the input's name above. Throws UsageError without a FILE, InputError where several
// inputs meet --write, --svg or an mpirun, and where a file that is written is an input. With --checkpoint the answers
// of several inputs are kept, and a run that goes on gives these again and finds the others.
int answer_each(const Options& options, Interrupt& interrupt, bool odd_cycles,
                const std::function<void(Loaded&, CountOptions&, ProgressBar&)>& answer);

}  // namespace matchcount::app
