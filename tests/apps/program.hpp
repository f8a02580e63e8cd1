#pragma once
// Runs the programs as a user would. What happens to one on its way happens after so much of its work, and not after so
// many seconds: a machine that has much else to do changes nothing.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/stage.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"

namespace matchcount::test {

struct Outcome {
  int status = -1;  // exit status; 128 + N where signal N ended it
  std::string out;
  std::string err;
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;  // of its memory
};

struct Setting {
  std::string program = MATCHCOUNT_PROGRAM;
  std::string input = {};             // on standard input
  bool open_input = false;            // standard input never ends
  std::string out_file = {};          // standard output goes there instead
  bool closed_output = false;         // standard output is a pipe that nobody reads
  std::uint64_t most_file_bytes = 0;  // no file grows beyond; 0: any size
  int columns = 0;                    // of what it writes for people, $COLUMNS; 0: as many as there are
  int most_processes = 0;             // of another user, who runs the program where this one is root; 0: any number

  bool still_clock = false;  // the program's clock stands, but for passing_s
  // A signal, or passing time, comes to the program where all that follows here has come about; where both do, the
  // signal comes a moment of its work later. 0: none.
  int signal = 0;
  double passing_s = 0;
  double after_cpu_s = 0;           // of its processor time
  bool once_idle = false;           // it waits for input
  std::uint64_t after_out = 0;      // bytes on standard output
  int after_writes = 0;             // of its checkpoint; it waits behind this one until the signal has come
  std::function<bool()> once = {};  // says so
};

// Words as they stand, without a shell.
Outcome run_program(const std::vector<std::string>& words, const Setting& setting = {});
// Words separated by blanks; `input` on standard input.
Outcome run_line(const std::string& line, const std::string& input = {});

// Checks that the line is refused with this status: no answer, and all of these words on stderr.
void check_refused(const std::string& line, const std::string& input, const std::vector<std::string>& words,
                   int status = 2);

std::vector<std::string> lines_of(const std::string& text);

// The environment of a program, with a cache that says how fast the machine is: as the models take it to be, whatever
// it is measured to do while other tests run.
class ProgramEnvironment {
 public:
  // `folder` has the stage's file, where there is one.
  ProgramEnvironment(const Folder& folder, bool has_stage, int columns = 0);
  ~ProgramEnvironment();
  ProgramEnvironment(const ProgramEnvironment&) = delete;
  ProgramEnvironment& operator=(const ProgramEnvironment&) = delete;

  char* const* variables() const { return pointers_.data(); }
  Stage* stage() const { return stage_; }  // null: none

 private:
  std::vector<std::string> variables_;
  std::vector<char*> pointers_;
  Stage* stage_ = nullptr;
};

// Waits until `come` says so, or the process has ended; returns whether it is still there.
bool wait_while_alive(pid_t process, const std::function<bool()>& come);
// Sends a signal that the program answers to: waits until it can, and until it has it.
void interrupt(pid_t process, int signal);

}  // namespace matchcount::test
