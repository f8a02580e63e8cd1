#include "core/file_cache.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/folder.hpp"

using namespace matchcount;
namespace fs = std::filesystem;

namespace {

using Blob = std::vector<std::byte>;

Blob blob(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

unsigned mode(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

}  // namespace

TEST_CASE("what is stored is found under its key alone, whatever its size") {
  const test::Folder folder;
  const FileCache cache(folder.path());
  for (const std::size_t size : {0, 1, 31, 32, 33, 100000}) {
    const std::string key = "key of " + std::to_string(size);
    const Blob value(size, std::byte{7});
    CHECK_FALSE(cache.find(key));
    CHECK(cache.store(key, value));
    CHECK(cache.find(key) == value);
    CHECK(FileCache(folder.path()).find(key) == value);
    CHECK_FALSE(cache.find(key + " "));
  }
  CHECK(cache.store("", blob("of the empty key")));
  CHECK(cache.find("") == blob("of the empty key"));
  CHECK(cache.store("key of 1", blob("replaced")));
  CHECK(cache.find("key of 1") == blob("replaced"));
}

TEST_CASE("folders and files are their owner's alone") {
  const test::Folder folder;
  const fs::path deep = folder.path() / "a" / "b";
  CHECK(FileCache(deep).store("key", blob("value")));
  CHECK(mode(folder.path() / "a") == 0700);
  CHECK(mode(deep) == 0700);
  REQUIRE(files_in(deep).size() == 1);
  CHECK(mode(files_in(deep)[0]) == 0600);
}

TEST_CASE("a file with any byte changed, cut off anywhere or longer than it was is not there, and is stored anew") {
  const test::Folder folder;
  const FileCache cache(folder.path());
  REQUIRE(cache.store("some key", blob("some value")));
  REQUIRE(files_in(folder.path()).size() == 1);
  const fs::path file = files_in(folder.path())[0];
  const std::string whole = test::read_file(file);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CAPTURE(i);
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string edited = whole;
      edited[i] = static_cast<char>(edited[i] ^ change);
      test::write_file(file, edited);
      CHECK_FALSE(cache.find("some key"));
    }
    test::write_file(file, whole.substr(0, i));
    CHECK_FALSE(cache.find("some key"));
  }
  test::write_file(file, whole + "x");
  CHECK_FALSE(cache.find("some key"));
  CHECK(cache.store("some key", blob("some value")));
  CHECK(cache.find("some key") == blob("some value"));
  CHECK(test::read_file(file) == whole);
}

TEST_CASE("an entry that is a folder, a link or a pipe is not there") {
  const test::Folder folder;
  const FileCache cache(folder.path());
  REQUIRE(cache.store("key", blob("value")));
  const fs::path file = files_in(folder.path())[0];
  fs::rename(file, folder.path() / "elsewhere");
  fs::create_symlink(folder.path() / "elsewhere", file);
  CHECK_FALSE(cache.find("key"));
  fs::remove(file);
  fs::create_directory(file);
  CHECK_FALSE(cache.find("key"));
  CHECK_FALSE(cache.store("key", blob("value")));
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK_FALSE(cache.find("key"));
}

TEST_CASE("a folder that can't be made, or none, is a cache without hits") {
  const test::Folder folder;
  test::write_file(folder.path() / "file", "");
  for (const std::string& place :
       {std::string(), (folder.path() / "file" / "below").string(), std::string("/proc/no/such/folder")}) {
    CAPTURE(place);
    const FileCache cache(place);
    CHECK_FALSE(cache.store("key", blob("value")));
    CHECK_FALSE(cache.find("key"));
  }
}

TEST_CASE("past the size allowed the least recently used go, and nothing that is not of the cache") {
  const test::Folder folder;
  test::write_file(folder.path() / "notes.txt", std::string(100000, 'x'));
  const FileCache cache(folder.path(), 5000);
  const Blob value(1000, std::byte{1});
  const auto hours_ago = [&](const std::string& key, int hours) {
    CAPTURE(key);
    for (const fs::path& file : files_in(folder.path())) {
      if (test::read_file(file).find(key) == std::string::npos) continue;
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
    }
  };
  for (int i = 0; i < 4; ++i) {
    const std::string key = "key number " + std::to_string(i);
    REQUIRE(cache.store(key, value));
    hours_ago(key, 10 - i);
  }
  CHECK(files_in(folder.path()).size() == 5);
  CHECK(cache.find("key number 0"));  // which makes 1 the oldest
  CHECK(cache.store("key number 4", value));
  CHECK(cache.find("key number 0"));
  CHECK_FALSE(cache.find("key number 1"));
  for (const int i : {2, 3, 4}) CHECK(cache.find("key number " + std::to_string(i)));
  CHECK_FALSE(cache.store("too large", Blob(5000)));
  CHECK(fs::file_size(folder.path() / "notes.txt") == 100000);
}

TEST_CASE("a temporary file that was left behind is removed once it is old") {
  const test::Folder folder;
  const FileCache cache(folder.path());
  const fs::path old_file = folder.path() / "0123456789abcdef.blob.AbCdEf";
  const fs::path new_file = folder.path() / "0123456789abcdef.blob.GhIjKl";
  test::write_file(old_file, "torn");
  test::write_file(new_file, "being written");
  fs::last_write_time(old_file, fs::file_time_type::clock::now() - std::chrono::hours(2));
  REQUIRE(cache.store("key", blob("value")));
  CHECK_FALSE(fs::exists(old_file));
  CHECK(fs::exists(new_file));
}

TEST_CASE("processes and threads that share a folder find what belongs to the key or nothing") {
  const test::Folder folder;
  // Room for about half of the keys, so that files vanish all the time.
  const FileCache cache(folder.path(), 40000);
  const auto work = [&cache](unsigned seed) {
    unsigned hits = 0;
    for (unsigned i = 0; i < 300; ++i) {
      const unsigned which = (seed + 7 * i) % 8;
      const std::string key = "key " + std::to_string(which);
      const Blob value(8000 + which, static_cast<std::byte>(which));
      if (const auto found = cache.find(key)) {
        if (*found != value) return 0u;
        ++hits;
      } else {
        cache.store(key, value);
        // Asked again at once: usually there.
        const auto again = cache.find(key);
        if (again && *again != value) return 0u;
        hits += again ? 1 : 0;
      }
    }
    return hits;
  };
  std::vector<pid_t> children;
  for (unsigned child = 0; child < 3; ++child) {
    const pid_t id = ::fork();
    REQUIRE(id >= 0);
    if (id == 0) ::_exit(work(child) > 0 ? 0 : 1);
    children.push_back(id);
  }
  unsigned hits[2] = {0, 0};
  {
    const std::jthread first([&] { hits[0] = work(3); });
    const std::jthread second([&] { hits[1] = work(4); });
  }
  CHECK(hits[0] > 0);
  CHECK(hits[1] > 0);
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  // The last one to store removed what was too much.
  CHECK(cache.store("last", {}));
  std::uintmax_t total = 0;
  for (const fs::path& file : files_in(folder.path())) total += fs::file_size(file);
  CHECK(total <= 40000);
}
