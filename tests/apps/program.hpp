#pragma once
// Runs the programs as a user would.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace matchcount::test {

struct Outcome {
  int status = -1;  // exit status; 128 + N where signal N ended it
  std::string out;
  std::string err;
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;  // of its memory

  // Says whether it took less by the clock, or where others keep the processors busy, by its own work and not far more.
  bool ended_within(double s) const { return std::min(seconds, cpu_seconds) < s && seconds < s + 10; }
};

struct Setting {
  std::string program = MATCHCOUNT_PROGRAM;
  std::string input;          // on standard input
  bool open_input = false;    // standard input never ends
  std::string out_file;       // standard output goes there instead
  bool closed_output = false;         // standard output is a pipe that nobody reads
  std::uint64_t most_file_bytes = 0;  // no file grows beyond; 0: any size
  int most_processes = 0;             // of another user, who runs the program where this one is root; 0: any number
  int signal = 0;             // is sent...
  double signal_after_s = 0;  // ...after so long
};

// Words as they stand, without a shell.
Outcome run_program(const std::vector<std::string>& words, const Setting& setting = {});
// Words separated by blanks; `input` on standard input.
Outcome run_line(const std::string& line, const std::string& input = {});

// A folder of its own, removed in the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace matchcount::test
