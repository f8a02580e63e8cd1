// A file is: magic with the format's number, length and checksum of what follows, and then program, fields and entries,
// each with its length.

#include "core/checkpoint.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>

#include "core/error.hpp"
#include "core/posix_file.hpp"

namespace matchcount {
namespace {

constexpr std::string_view magic = "matchcount checkpoint 1\n";
constexpr std::size_t length_of_name = 22;  // of the magic, without the format's number

struct Header {
  char magic[24];
  std::uint64_t size;
  Hash::Value checksum;
};
static_assert(sizeof(Header::magic) == magic.size());

// Bytes in pieces of any size as one stream of blocks, so that the checksum does not depend on the pieces.
class Blocks {
 public:
  explicit Blocks(std::function<void(std::span<const std::byte>)> sink) : sink_(std::move(sink)) {
    block_.reserve(size);
  }
  void add(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t taken = std::min(bytes.size(), size - block_.size());
      block_.insert(block_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
      bytes = bytes.subspan(taken);
      if (block_.size() == size) pass();
    }
  }
  Hash::Value finish() {
    if (!block_.empty()) pass();
    return hash_.value();
  }

 private:
  static constexpr std::size_t size = std::size_t{1} << 20;
  void pass() {
    hash_.add_bytes(block_);
    sink_(block_);
    block_.clear();
  }
  std::function<void(std::span<const std::byte>)> sink_;
  Hash hash_;
  Bytes block_;
};

Hash::Value checksum(std::span<const std::byte> bytes) {
  Blocks blocks([](std::span<const std::byte>) {});
  blocks.add(bytes);
  return blocks.finish();
}

bool is_named(int file, const std::string& name) {
  struct stat held = {}, named = {};
  return ::fstat(file, &held) == 0 && ::stat(name.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

// Takes a file's lock; false: another run holds it. A file system without locks has none to take.
bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

// Opens the file in which a checkpoint is written before it is renamed, empty and locked until it is closed; what a
// killed run left is overwritten. -1 with errno EEXIST for a file that no checkpoint began, so that nobody's data is
// lost for its name, and EBUSY while another run writes there.
int open_partial(const std::string& name) {
  for (;;) {
    const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0) return -1;
    const auto give_up = [&](int problem) {
      ::close(file);
      errno = problem;
      return -1;
    };
    if (!lock(file)) return give_up(EBUSY);
    struct stat held = {};
    if (::fstat(file, &held) != 0) return give_up(errno);
    if (!is_named(file, name)) {
      ::close(file);  // another run has renamed it since
      continue;
    }
    char start[magic.size()] = {};
    const bool has_start = held.st_size >= static_cast<off_t>(sizeof(Header));
    if (has_start && !read_all(file, std::as_writable_bytes(std::span(start)))) return give_up(errno);
    const std::string_view found(start, length_of_name);
    const bool begun = found == magic.substr(0, length_of_name) || found == std::string(length_of_name, '\0');
    if (!S_ISREG(held.st_mode) || (held.st_size != 0 && !has_start) || !begun) return give_up(EEXIST);
    if (::lseek(file, 0, SEEK_SET) != 0 || ::ftruncate(file, 0) != 0) return give_up(errno);
    return file;
  }
}

// Says why a name can't be used, for people; null where it is free or a file.
const char* unusable_kind(const std::string& name) {
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0) {
    return ::lstat(name.c_str(), &status) == 0 && S_ISLNK(status.st_mode) ? "a symbolic link to nothing" : nullptr;
  }
  if (S_ISREG(status.st_mode)) return nullptr;
  return S_ISDIR(status.st_mode)    ? "a folder"
         : S_ISFIFO(status.st_mode) ? "a FIFO"
         : S_ISSOCK(status.st_mode) ? "a socket"
                                    : "a device";
}

[[noreturn]] void refuse_busy(const std::string& name) {
  throw Unable("the checkpoint " + printable(name) + " is being written by another run");
}

}  // namespace

MappedFile::MappedFile(int file, std::size_t size) {
  void* memory = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (memory != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(memory), size};
}
MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}
MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

Checkpoint::Checkpoint(CheckpointOptions options)
    : options_(std::move(options)), last_write_(std::chrono::steady_clock::now()) {
  if (const char* kind = unusable_kind(options_.file)) refuse(kind, "a checkpoint, or the name of a new file");
  struct stat status {};
  const bool there = ::stat(options_.file.c_str(), &status) == 0;
  if (there && !options_.resume) {
    refuse("a file that is there already", "--resume, to go on from it, or the name of a new file");
  }
  if (there) read();
  claim();
}

Checkpoint::~Checkpoint() {
  if (has_begun_ && held_ && is_named(held_->number(), partial_name())) ::unlink(partial_name().c_str());
}

void Checkpoint::claim() {
  std::unique_ptr<Descriptor> temporary = open_temporary();
  if (!temporary->valid()) {
    if (errno == EBUSY) refuse_busy(options_.file);
    const std::string problem = std::strerror(errno);
    refuse("a checkpoint that can't be written (opening " + printable(partial_name()) + ": " + problem + ")",
           "a folder that takes files, and no other file of that name");
  }
  if (held_) return drop(std::move(temporary));
  held_ = std::move(temporary);
  has_begun_ = true;
}

std::unique_ptr<Descriptor> Checkpoint::open_temporary() {
  if (has_begun_ && held_ && is_named(held_->number(), partial_name())) return std::move(held_);
  return std::make_unique<Descriptor>(open_partial(partial_name()));
}

void Checkpoint::drop(std::unique_ptr<Descriptor> temporary) {
  if (!temporary->valid()) return;
  if (has_begun_ && ::ftruncate(temporary->number(), 0) == 0 && ::lseek(temporary->number(), 0, SEEK_SET) == 0) {
    held_ = std::move(temporary);
  } else {
    ::unlink(partial_name().c_str());
  }
}

void Checkpoint::refuse(const std::string& found, const std::string& expected) const {
  throw InputError(options_.file, 0, found, expected);
}

void Checkpoint::read() {
  const std::string whole = "a checkpoint that is whole";
  const auto open = [&] { return std::make_unique<Descriptor>(::open(options_.file.c_str(), O_RDONLY | O_CLOEXEC)); };
  held_ = open();
  // A run that was killed may hold its lock for a moment longer.
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  bool is_locked = false;
  while (held_->valid()) {
    is_locked = lock(held_->number());
    if (is_named(held_->number(), options_.file)) {
      if (is_locked || std::chrono::steady_clock::now() > until) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    held_ = open();  // another run may have renamed a newer one since
  }
  const Descriptor& file = *held_;
  struct stat status {};
  if (!file.valid() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    refuse("a file that can't be read", "a checkpoint");
  }
  Header header{};
  if (!read_all(file.number(), std::as_writable_bytes(std::span(&header, 1))) ||
      std::string_view(header.magic, length_of_name) != magic.substr(0, length_of_name)) {
    refuse("a file that is no checkpoint", "a checkpoint");
  }
  const std::string_view format(header.magic, magic.size());
  if (format != magic) {
    const std::string_view number = format.substr(length_of_name, 1);
    refuse("a checkpoint of format " + std::string(number), "format 1");
  }
  const auto size = static_cast<std::uint64_t>(status.st_size) - sizeof header;
  if (header.size != size) {
    refuse("a checkpoint of " + std::to_string(size) + " bytes that says " + std::to_string(header.size), whole);
  }
  mapped_ = MappedFile(file.number(), static_cast<std::size_t>(status.st_size));
  if (mapped_.bytes().empty()) refuse("a file that can't be read to its end", whole);
  const std::span<const std::byte> body = mapped_.bytes().subspan(sizeof header);
  if (!(checksum(body) == header.checksum)) refuse("a checkpoint that was damaged or edited", whole);
  try {
    ByteReader in(body);
    const auto program = in.get<std::string>();
    if (program != options_.program) refuse("a checkpoint of " + program, "one of " + options_.program);
    for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
      auto& [name, value] = fields_.emplace_back();
      in.get(name, value);
    }
    for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
      Entry& entry = entries_[in.get<std::string>()];
      entry.description = in.get<std::string>();
      entry.bytes = in.get_bytes();
    }
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    refuse(error.what(), whole);
  }
  if (!is_locked) refuse_busy(options_.file);
  resumed_ = true;
}

void Checkpoint::identify(const std::vector<std::pair<std::string, std::string>>& fields) {
  if (!resumed_) {
    fields_ = fields;
    return;
  }
  for (const auto& [name, value] : fields) {
    const auto stored =
        std::find_if(fields_.begin(), fields_.end(), [&name = name](const auto& field) { return field.first == name; });
    if (stored == fields_.end()) refuse("a checkpoint without " + name, name + " " + value);
    if (stored->second != value) {
      refuse("a checkpoint with another " + name + ": " + stored->second, "this run's " + name + ", " + value);
    }
  }
}

std::optional<std::span<const std::byte>> Checkpoint::find(const std::string& name,
                                                           const std::string& description) const {
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) return std::nullopt;
  if (entry->second.description != description) {
    refuse("partial sums of " + name + " by " + entry->second.description,
           "partial sums that this run can go on with: " + description);
  }
  return entry->second.bytes;
}

void Checkpoint::put(const std::string& name, const std::string& description, Bytes bytes) {
  Entry& entry = entries_[name];
  entry.description = description;
  entry.own = std::move(bytes);
  entry.bytes = entry.own;
}

void Checkpoint::remove(const std::string& name) {
  entries_.erase(name);
  // Entries that go may be large, so the file that was read is kept no longer than it must be.
  for (auto& [other, entry] : entries_) {
    entry.own.assign(entry.bytes.begin(), entry.bytes.end());
    entry.bytes = entry.own;
  }
  mapped_ = MappedFile();
}

bool Checkpoint::due() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - last_write_).count() >= options_.interval_s;
}

Checkpoint::Content Checkpoint::content(const Extra* extra) const {
  Content result;
  result.owned.reserve(2 * entries_.size() + 4);
  const auto put = [&](ByteWriter& out) {
    result.owned.push_back(out.take());
    result.parts.push_back(result.owned.back());
  };
  ByteWriter out;
  out.put(options_.program, static_cast<std::uint64_t>(fields_.size()));
  for (const auto& [name, value] : fields_) out.put(name, value);
  const bool replaced = extra && entries_.contains(extra->name);
  out.put(static_cast<std::uint64_t>(entries_.size() + (extra ? 1 : 0) - (replaced ? 1 : 0)));
  const auto put_entry = [&](const std::string& name, const std::string& description,
                             const std::vector<std::span<const std::byte>>& bytes) {
    std::uint64_t size = 0;
    for (const auto& part : bytes) size += part.size();
    out.put(name, description, size + (extra && name == extra->name ? extra->tail_size : 0));
    put(out);
    result.parts.insert(result.parts.end(), bytes.begin(), bytes.end());
  };
  for (const auto& [name, entry] : entries_) {
    if (!replaced || name != extra->name) put_entry(name, entry.description, {entry.bytes});
  }
  if (extra) put_entry(extra->name, extra->description, extra->parts);
  put(out);
  return result;
}

int Checkpoint::write_file(const Descriptor& file, const Content& content, const Extra* extra) const {
  int problem = 0;  // the first
  const auto attempt = [&](bool done) {
    if (!done && problem == 0) problem = errno != 0 ? errno : EIO;
  };
  // The header is written last: its checksum is known when all else has passed by.
  Header header{};
  const auto write_header = [&] {
    if (problem == 0) attempt(write_all(file.number(), std::as_bytes(std::span(&header, 1))));
  };
  write_header();
  Blocks blocks([&](std::span<const std::byte> block) {
    if (problem == 0) attempt(write_all(file.number(), block));
  });
  const Sink add = [&](std::span<const std::byte> bytes) {
    header.size += bytes.size();
    blocks.add(bytes);
  };
  for (const auto& part : content.parts) add(part);
  if (extra && extra->tail) {
    const std::uint64_t before = header.size;
    extra->tail(add);
    if (header.size - before != extra->tail_size) throw Error("an entry of another size than it says");
  }
  std::memcpy(header.magic, magic.data(), magic.size());
  header.checksum = blocks.finish();
  if (problem == 0) attempt(::lseek(file.number(), 0, SEEK_SET) == 0);
  write_header();
  if (problem == 0) attempt(::fsync(file.number()) == 0);
  return problem;
}

void Checkpoint::warn(const std::string& doing, int problem) {
  const std::string warning = "the checkpoint " + printable(options_.file) + " was not written (" + doing + ": " +
                              std::strerror(problem) + "); the run goes on" +
                              (num_writes_ > 0 ? ", an older one is there" : "");
  if (warning != last_warning_ && options_.on_warning) options_.on_warning(warning);
  last_warning_ = warning;
}

bool Checkpoint::write(const Extra* extra) {
  const std::shared_ptr<void> guard = options_.on_write ? options_.on_write() : nullptr;
  const Content all = content(extra);
  last_write_ = std::chrono::steady_clock::now();
  std::unique_ptr<Descriptor> file = open_temporary();
  if (!file->valid()) {
    warn("opening " + printable(partial_name()), errno);
    return false;
  }
  int problem = 0;
  try {
    problem = write_file(*file, all, extra);
  } catch (...) {
    drop(std::move(file));
    throw;
  }
  if (problem == 0 && ::rename(partial_name().c_str(), options_.file.c_str()) != 0) problem = errno != 0 ? errno : EIO;
  if (problem != 0) {
    drop(std::move(file));
    warn("writing it", problem);
    return false;
  }
  held_ = std::move(file);  // and what was held before is free
  has_begun_ = false;
  // The name is safe once the folder is.
  const std::string folder = std::filesystem::path(options_.file).parent_path().string();
  const Descriptor directory(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.valid()) ::fsync(directory.number());
  ++num_writes_;
  last_write_ = std::chrono::steady_clock::now();
  last_warning_.clear();
  return true;
}

}  // namespace matchcount
