#include "graph/writers/pending_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "core/error.hpp"

namespace matchcount::writers {
namespace {

[[noreturn]] void fail(const std::string& file, int error) {
  throw Error("can't write " + file + ": " + std::generic_category().message(error));
}

}  // namespace

PendingFile::PendingFile(const std::string& file) : file_(file), target_(file) {
  struct stat status {};
  const bool exists = ::stat(file.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(file_, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(file_, errno);
    return;
  }
  if (exists) {
    // A rename would replace what the caller has no right to write.
    if (::access(file.c_str(), W_OK) != 0) fail(file_, errno);
    // Behind symbolic links stands the file that is to be replaced.
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(file.c_str(), nullptr), &std::free);
    if (real == nullptr) fail(file_, errno);
    target_ = real.get();
  }
  static std::atomic<unsigned> counter{0};
  do {
    temporary_ = target_ + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    descriptor_ =
        ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? status.st_mode & 0777 : 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    const int error = errno;
    temporary_.clear();
    fail(file_, error);
  }
}

PendingFile::~PendingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void PendingFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(file_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PendingFile::finish() {
  // A device or pipe has nothing to synchronise, and some file systems can't (EINVAL).
  if (!temporary_.empty() && ::fsync(descriptor_) != 0 && errno != EINVAL) fail(file_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(file_, errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(file_, errno);
  temporary_.clear();
}

Compressor::Compressor(PendingFile& file) : file_(file) {
  constexpr int with_gzip_header = 16;
  if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + with_gzip_header, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
}

void Compressor::run(std::string_view bytes, int flush) {
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    deflate(&stream_, flush);
    file_.write({buffer_.data(), buffer_.size() - stream_.avail_out});
  } while (stream_.avail_out == 0);
}

}  // namespace matchcount::writers
