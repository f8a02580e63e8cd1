#pragma once
// A file from which a run goes on after it was ended: what it was a run of, and named entries of bytes. Knows nothing
// of what they mean.
//
// The file appears whole by renaming a temporary file of the same folder that was written and synchronised before, so
// that a process which is killed at any moment leaves the last file or the one before. A checksum over all of it finds
// what is torn or edited, and such a file is refused.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes.hpp"

namespace matchcount {

struct CheckpointOptions {
  std::string file;
  double interval_s = 60;                              // between two writes
  bool resume = false;                                 // go on from the file, where it is there
  std::string program;                                 // name and version: files of another are refused
  std::function<void(const std::string&)> on_warning;  // a file can't be written; the run goes on
};

class Checkpoint {
 public:
  // Reads the file where options.resume says so. Throws InputError for a file that is damaged, of another format or
  // program, or can't be read; and for one that is there although resume is not set, so that hours of work are not
  // overwritten.
  explicit Checkpoint(CheckpointOptions options);

  const std::string& file() const { return options_.file; }
  // Whether there was a file to go on from.
  bool resumed() const { return resumed_; }

  // Says what this is a run of, as named values, or, where the file says it, compares. Throws InputError naming the
  // first difference.
  void identify(const std::vector<std::pair<std::string, std::string>>& fields);

  // The entry of that name; nothing where there is none. Throws InputError where its description is another: the bytes
  // would not mean the same here.
  std::optional<std::span<const std::byte>> find(const std::string& name, const std::string& description) const;
  // To be in the next file. Replaces what was there.
  void put(const std::string& name, const std::string& description, Bytes bytes);
  void remove(const std::string& name);

  // Whether the interval is over since the last write, or since the beginning.
  bool due() const;
  // Writes the file, with one more entry where `extra` is given, whose bytes are not kept. A file that can't be written
  // is a warning, not an error; returns whether it was.
  struct Extra {
    std::string name, description;
    std::vector<std::span<const std::byte>> parts;
  };
  bool write(const Extra* extra = nullptr);
  // How often it was, and when last.
  std::uint64_t num_writes() const { return num_writes_; }

 private:
  struct Entry {
    std::string description;
    Bytes bytes;
  };
  void read();
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

  CheckpointOptions options_;
  bool resumed_ = false;
  std::vector<std::pair<std::string, std::string>> fields_;
  std::map<std::string, Entry> entries_;
  std::chrono::steady_clock::time_point last_write_;
  std::uint64_t num_writes_ = 0;
  std::string last_warning_;
};

}  // namespace matchcount
