#pragma once
// Closes file descriptors by themselves, and reads and writes whole.

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>

namespace matchcount {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool valid() const { return number_ >= 0; }
  int number() const { return number_; }
  bool close() {
    const bool closed = number_ >= 0 && ::close(number_) == 0;
    number_ = -1;
    return closed;
  }

 private:
  int number_;
};

// Reads all; false if the file ends too early or can't be read; errno is 0 for the former.
inline bool read_all(int file, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    errno = 0;
    const ssize_t count = ::read(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

// Writes all; false if not all can be written; errno says why.
inline bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace matchcount
