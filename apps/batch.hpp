#pragma once
// Keeps the place of a run among its inputs, so that each has its line on stdout however the run ends.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "apps/exit_status.hpp"
#include "apps/options.hpp"

namespace matchcount::app {

// The options outlive it. A limit that ends the process asks for the rest on a thread of its own.
class Batch {
 public:
  explicit Batch(const Options& options) : options_(options) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // The next answer is of this input: `name` is its file's, at this place among the arguments, or "FILE, graph 3", at
  // this position in a file of several.
  void begin(std::size_t place, std::string name, std::uint64_t position = 0);
  // The input has this title beside its name.
  void add_title(const std::string& title);
  // Writes the input's name above an answer of several lines, once.
  void head();
  // Writes the failure in the place of the answer.
  void say_error(const Failure& failure);
  // The run ends here: tells of the input that was begun, unless it has its answer, and of all behind it. Where a
  // person or program interrupts it, of no more than that.
  void say_end(const Failure& failure);

 private:
  struct Place {
    std::size_t argument = 0;
    std::string name;
    std::uint64_t position = 0;
  };
  Place place() const;
  bool is_answered() const;
  void write_error(const std::string& file, std::uint64_t position, const Failure& failure) const;

  const Options& options_;
  mutable std::mutex mutex_;  // of what follows; nothing is written under it
  Place place_;
  bool has_head_ = false;
  std::uint64_t answers_before_ = 0;
};

}  // namespace matchcount::app
