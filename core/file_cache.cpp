// A file is: magic and format, length of the key, length of the value, checksum, key, value. Its name is a hash of the
// key, short because the key in the file decides; a collision costs a miss. Files appear whole by renaming, so no lock
// is held and a killed process leaves at most a temporary file, which is removed once it is old. The checksum is there
// for what renaming can't promise: a machine that lost power, a full disk, an edited file.

#include "core/file_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/bytes.hpp"
#include "core/posix_file.hpp"

namespace matchcount {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t entry_magic = 0x32656863'6163636d;  // "mccache2"
constexpr std::string_view suffix = ".blob";
constexpr std::size_t digits_of_name = 16;
constexpr std::size_t random_of_temporary = 7;  // ".XXXXXX"
constexpr std::chrono::hours age_of_abandoned{1};

struct EntryHead {
  std::uint64_t magic;
  std::uint64_t key_bytes;
  std::uint64_t value_bytes;
  Hash::Value checksum;
};

Hash::Value checksum(std::string_view key, std::span<const std::byte> value) {
  Hash hash;
  hash.add_text(key);
  hash.add_bytes(value);
  return hash.value();
}

// Makes a folder, with the folders above it, all for the owner alone.
bool make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return true;
  const fs::path parent = folder.parent_path();
  if (!parent.empty() && parent != folder && !make_folder(parent)) return false;
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

enum class FileKind { entry, temporary, strange };

// Somebody may name a folder that holds other things; only what has a name of ours is ever removed.
FileKind kind_of(std::string_view name) {
  const std::size_t plain = digits_of_name + suffix.size();
  if (name.size() != plain && name.size() != plain + random_of_temporary) return FileKind::strange;
  if (name.substr(0, digits_of_name).find_first_not_of("0123456789abcdef") != std::string_view::npos ||
      name.substr(digits_of_name, suffix.size()) != suffix) {
    return FileKind::strange;
  }
  if (name.size() == plain) return FileKind::entry;
  return name[plain] == '.' ? FileKind::temporary : FileKind::strange;
}

}  // namespace

FileCache::FileCache(std::string folder, std::uint64_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {}

std::string FileCache::path_of(std::string_view key) const {
  Hash hash;
  hash.add_text(key);
  return folder_ + "/" + hash.hex().substr(0, digits_of_name) + std::string(suffix);
}

std::optional<std::vector<std::byte>> FileCache::find(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  const Descriptor file(::open(path_of(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file.valid() || ::fstat(file.number(), &status) != 0) return std::nullopt;
  // Another user's bytes would run as ours.
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return std::nullopt;

  EntryHead header{};
  if (!read_all(file.number(), std::as_writable_bytes(std::span(&header, 1)))) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  // Lengths that the file can't hold are never allocated.
  if (header.magic != entry_magic || header.key_bytes != key.size() || size < sizeof header + key.size() ||
      header.value_bytes != size - sizeof header - key.size()) {
    return std::nullopt;
  }
  std::string stored_key(key.size(), '\0');
  std::vector<std::byte> value(static_cast<std::size_t>(header.value_bytes));
  if (!read_all(file.number(), std::as_writable_bytes(std::span(stored_key))) || !read_all(file.number(), value)) {
    return std::nullopt;
  }
  if (stored_key != key || !(checksum(key, value) == header.checksum)) return std::nullopt;
  ::futimens(file.number(), nullptr);  // used now; where that fails the file is only removed earlier
  return value;
}

bool FileCache::store(std::string_view key, std::span<const std::byte> value) const {
  const EntryHead header{entry_magic, key.size(), value.size(), checksum(key, value)};
  if (folder_.empty() || sizeof header + key.size() + value.size() > max_bytes_ || !make_folder(folder_)) return false;
  const std::string path = path_of(key);
  std::string temporary = path + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
  if (!file.valid()) return false;
  const bool stored = write_all(file.number(), std::as_bytes(std::span(&header, 1))) &&
                      write_all(file.number(), std::as_bytes(std::span(key))) && write_all(file.number(), value) &&
                      file.close() && ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!stored) ::unlink(temporary.c_str());
  remove_oldest();
  return stored;
}

void FileCache::remove_oldest() const {
  struct Entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const FileKind kind = kind_of(at->path().filename().native());
    if (kind == FileKind::strange) continue;
    // A file that another process removes meanwhile is not there to be counted.
    std::error_code gone;
    const fs::file_time_type used = at->last_write_time(gone);
    const std::uint64_t bytes = gone ? 0 : at->file_size(gone);
    if (gone) continue;
    if (kind == FileKind::temporary) {
      if (now - used > age_of_abandoned) fs::remove(at->path(), gone);
      continue;
    }
    entries.push_back({used, bytes, at->path()});
    total += bytes;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_) break;
    if (fs::remove(entry.path, error)) total -= entry.bytes;
  }
}

}  // namespace matchcount
