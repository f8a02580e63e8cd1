#pragma once
// PendingFile is written beside the file that it becomes when it is complete; Compressor writes into one by gzip.

#include <zlib.h>

#include <array>
#include <string>
#include <string_view>

namespace matchcount::writers {

// A file that takes its name only in finish(); else it leaves no trace. A device or pipe is written to directly. All
// throw Error with the system's reason.
class PendingFile {
 public:
  explicit PendingFile(const std::string& file);
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  void write(std::string_view bytes);
  void finish();

 private:
  std::string file_;
  std::string target_;
  std::string temporary_;  // empty: written to directly
  int descriptor_ = -1;
};

// A gzip stream without name or time, so that the same graph gives the same bytes.
class Compressor {
 public:
  explicit Compressor(PendingFile& file);  // throws std::bad_alloc
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { deflateEnd(&stream_); }

  void write(std::string_view bytes) { run(bytes, Z_NO_FLUSH); }  // fewer bytes than 2^32
  void finish() { run({}, Z_FINISH); }

 private:
  void run(std::string_view bytes, int flush);

  PendingFile& file_;
  z_stream stream_{};
  std::array<char, 1 << 16> buffer_;
};

}  // namespace matchcount::writers
