#pragma once
// Keeps a file from which a run is resumed after it was ended: what it was a run of, and named entries of bytes. Knows
// nothing of what they mean.
//
// The file appears whole by renaming a temporary file of the same folder that was written and synchronised before, so
// that a process which is killed at any moment leaves the last file or the one before. A checksum over all of it finds
// what is torn or edited, and such a file is refused. The file, or the temporary one before the first write, is locked
// as long as the run lives (flock), so that no other run takes it for its own meanwhile.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/api.hpp"
#include "core/bytes.hpp"

namespace MATCHCOUNT_API matchcount {

class Descriptor;

struct CheckpointOptions {
  std::string file = {};
  double interval_s = 60;                                   // between two writes
  bool resume = false;                                      // go on from the file, where it is there
  std::string program = {};                                 // name and version: files of another are refused
  std::function<void(const std::string&)> on_warning = {};  // a file can't be written; the run continues
  std::function<std::shared_ptr<void>()> on_write = {};     // what it returns is kept while the file is written
};

// A file's bytes as the system pages them in: what is larger than memory may be read from front to back.
class MappedFile {
 public:
  MappedFile() = default;
  // Empty where it can't be mapped.
  MappedFile(int file, std::size_t size);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

class Checkpoint {
 public:
  // Reads the file where options.resume says so. Throws InputError for a file that is damaged, of another format or
  // program, or can't be read; for one that is there although resume is not set, so that hours of work are not
  // overwritten; for a name that is a folder, a FIFO, a device, a socket or a link to nothing; and where its folder
  // takes no file. Throws Unable where another run has it.
  explicit Checkpoint(CheckpointOptions options);
  // Gives the file free, and removes the temporary one where nothing was written.
  ~Checkpoint();

  const std::string& file() const { return options_.file; }
  // Says whether there was a file to go on from.
  bool resumed() const { return resumed_; }

  // Says what this is a run of, as named values, or, where the file says it, compares. Throws InputError naming the
  // first difference.
  void identify(const std::vector<std::pair<std::string, std::string>>& fields);

  // Returns the entry of that name; nothing where there is none. Throws InputError where its description is another:
  // the bytes would not mean the same here.
  std::optional<std::span<const std::byte>> find(const std::string& name, const std::string& description) const;
  // Puts an entry into the next file. Replaces what was there.
  void put(const std::string& name, const std::string& description, Bytes bytes);
  // Removes an entry; the results of earlier finds are valid no more.
  void remove(const std::string& name);

  // Says whether the interval is over since the last write, or since the beginning.
  bool due() const;
  // Writes the file, with one more entry where `extra` is given, whose bytes are not kept. A file that can't be written
  // is a warning, not an error; returns whether it was.
  using Sink = std::function<void(std::span<const std::byte>)>;
  struct Extra {
    std::string name, description;
    std::vector<std::span<const std::byte>> parts;
    // The tail follows the parts and is never in memory at once: `tail` gives tail_size bytes to the sink, piece by
    // piece. It is called once, and its bytes are dropped where the file can't be written.
    std::uint64_t tail_size = 0;
    std::function<void(const Sink&)> tail = {};
  };
  bool write(const Extra* extra = nullptr);
  // Says how many files were written.
  std::uint64_t num_writes() const { return num_writes_; }

 private:
  struct Entry {
    std::string description;
    Bytes own;                         // of `bytes`, where they are not in the file
    std::span<const std::byte> bytes;  // in mapped_ or own
  };
  // The bytes of a file behind its header, but for an extra entry's tail. Small values and the lengths in between are
  // kept here; large ones stay where they are.
  struct Content {
    std::vector<Bytes> owned;
    std::vector<std::span<const std::byte>> parts;
  };
  Content content(const Extra* extra) const;
  // Returns 0, or the first problem's errno. Throws what the tail throws.
  int write_file(const Descriptor& file, const Content& content, const Extra* extra) const;
  std::string partial_name() const { return options_.file + ".partial"; }
  // Locks what the run begins, or shows that a file can be written in the folder.
  void claim();
  // Opens the temporary file, empty and locked; invalid, with errno, where there can be none.
  std::unique_ptr<Descriptor> open_temporary();
  // Gives up a temporary file that was not written.
  void drop(std::unique_ptr<Descriptor> temporary);
  void warn(const std::string& doing, int problem);
  void read();
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

  CheckpointOptions options_;
  bool resumed_ = false;
  // Holds the lock: the file, or the temporary one until there is a file (then it has_begun_).
  std::unique_ptr<Descriptor> held_;
  bool has_begun_ = false;
  std::vector<std::pair<std::string, std::string>> fields_;
  MappedFile mapped_;
  std::map<std::string, Entry> entries_;
  std::chrono::steady_clock::time_point last_write_;
  std::uint64_t num_writes_ = 0;
  std::string last_warning_;
};

}  // namespace matchcount
