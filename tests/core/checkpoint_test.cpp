#include "core/checkpoint.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using test::Folder;

namespace {

CheckpointOptions options(const std::string& file, bool resume) {
  return {.file = file, .resume = resume, .program = "tests 1"};
}

Bytes bytes(const std::string& text) {
  const auto data = std::as_bytes(std::span(text));
  return {data.begin(), data.end()};
}

std::string text_of(std::span<const std::byte> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

// Returns the complaint about the file, or nothing.
std::string complaint(const std::string& file) {
  try {
    Checkpoint checkpoint(options(file, true));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

void write_two_entries(const std::string& file) {
  Checkpoint checkpoint(options(file, false));
  checkpoint.identify({{"input", "abc"}, {"seed", "1"}});
  checkpoint.put("first", "by hand", bytes("one"));
  checkpoint.put("second", "by hand", bytes(std::string(3'000'000, 'x')));
  REQUIRE(checkpoint.write());
}

}  // namespace

TEST_CASE("a checkpoint gives back what was put into it, with entries that were not kept in memory") {
  const Folder folder;
  const std::string file = folder.path("c");
  {
    Checkpoint checkpoint(options(file, false));
    CHECK_FALSE(checkpoint.resumed());
    checkpoint.identify({{"input", "abc"}});
    checkpoint.put("small", "by hand", bytes("one"));
    checkpoint.put("gone", "by hand", bytes("two"));
    checkpoint.put("empty", "", {});
    checkpoint.remove("gone");
    const Bytes head = bytes("he"), tail = bytes("ad");
    const Checkpoint::Extra extra{"large", "in parts", {head, {}, tail}};
    REQUIRE(checkpoint.write(&extra));
    CHECK(checkpoint.num_writes() == 1);
  }
  Checkpoint checkpoint(options(file, true));
  CHECK(checkpoint.resumed());
  checkpoint.identify({{"input", "abc"}});
  CHECK(text_of(checkpoint.find("small", "by hand").value()) == "one");
  CHECK(text_of(checkpoint.find("large", "in parts").value()) == "head");
  CHECK(checkpoint.find("empty", "").value().empty());
  CHECK_FALSE(checkpoint.find("gone", "by hand").has_value());
  CHECK_FALSE(std::filesystem::exists(file + ".partial"));
}

TEST_CASE("a checkpoint of another input, description or program is refused with what differs") {
  const Folder folder;
  const std::string file = folder.path("c");
  write_two_entries(file);
  Checkpoint checkpoint(options(file, true));
  CHECK_THROWS_WITH(checkpoint.identify({{"input", "abc"}, {"seed", "2"}}), ContainsSubstring("another seed"));
  CHECK_THROWS_WITH(checkpoint.identify({{"input", "xyz"}, {"seed", "1"}}), ContainsSubstring("another input"));
  CHECK_THROWS_WITH(checkpoint.find("first", "by foot"), ContainsSubstring("by hand") && ContainsSubstring("by foot"));
  CheckpointOptions other = options(file, true);
  other.program = "tests 2";
  CHECK_THROWS_WITH(Checkpoint(other), ContainsSubstring("tests 1") && ContainsSubstring("tests 2"));
}

TEST_CASE("a file that is there is not overwritten without resume, and with resume none need be there") {
  const Folder folder;
  const std::string file = folder.path("c");
  CHECK_FALSE(Checkpoint(options(file, true)).resumed());
  write_two_entries(file);
  CHECK_THROWS_WITH(Checkpoint(options(file, false)), ContainsSubstring("--resume"));
}

TEST_CASE("a checkpoint that was cut short, lengthened or changed in any byte is refused") {
  const Folder folder;
  const std::string file = folder.path("c"), changed = folder.path("d");
  {
    Checkpoint checkpoint(options(file, false));
    checkpoint.identify({{"input", "abc"}});
    checkpoint.put("first", "by hand", bytes("one"));
    REQUIRE(checkpoint.write());
  }
  const std::string whole = test::read_file(file);
  CHECK(complaint(file).empty());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    test::write_file(changed, whole.substr(0, size));
    CAPTURE(size);
    REQUIRE_FALSE(complaint(changed).empty());
  }
  test::write_file(changed, whole + "x");
  CHECK_FALSE(complaint(changed).empty());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string text = whole;
      text[at] = static_cast<char>(text[at] ^ (1 << bit));
      test::write_file(changed, text);
      CAPTURE(at, bit);
      REQUIRE_FALSE(complaint(changed).empty());
    }
  }
  std::string next_format = whole;
  next_format[22] = '2';
  test::write_file(changed, next_format);
  CHECK_THAT(complaint(changed), ContainsSubstring("format 2"));
}

TEST_CASE("a checkpoint that can't be written is one warning, and the file before stays") {
  const Folder folder;
  const std::filesystem::path missing = folder.path("folder");
  std::filesystem::create_directory(missing);
  std::vector<std::string> warnings;
  CheckpointOptions into_nothing = options(missing / "c", false);
  into_nothing.on_warning = [&](const std::string& text) { warnings.push_back(text); };
  Checkpoint nowhere(into_nothing);
  std::filesystem::remove_all(missing);
  CHECK_FALSE(nowhere.write());
  CHECK_FALSE(nowhere.write());
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("the run goes on") && ContainsSubstring("No such file"));

  // A limit on the size of files stands for a full disk; in a process of its own, since it is one way.
  const std::string file = folder.path("c");
  write_two_entries(file);
  const std::string before = test::read_file(file);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    int failures = 0;
    try {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{1'000'000, 1'000'000};
      setrlimit(RLIMIT_FSIZE, &limit);
      std::string warning;
      CheckpointOptions full = options(file, true);
      full.on_warning = [&](const std::string& text) { warning = text; };
      Checkpoint checkpoint(full);
      failures += checkpoint.write();
      failures += warning.find("File too large") == std::string::npos;
    } catch (...) {
      failures = 100;
    }
    _exit(failures);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(test::read_file(file) == before);
  CHECK_FALSE(std::filesystem::exists(file + ".partial"));
}

TEST_CASE("a process that is killed while it writes leaves a whole file") {
  const Folder folder;
  const std::string file = folder.path("c");
  write_two_entries(file);
  for (int kills = 0; kills < 8; ++kills) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      Checkpoint checkpoint(options(file, true));
      for (;;) checkpoint.write();
    }
    usleep(static_cast<useconds_t>(3000 + 1500 * kills));
    REQUIRE(kill(child, SIGKILL) == 0);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CAPTURE(kills);
    REQUIRE(complaint(file).empty());
  }
}

TEST_CASE("a file that no checkpoint began is not overwritten for its name") {
  const Folder folder;
  const std::string file = folder.path("c"), other = file + ".partial";
  for (const std::string& text : {std::string("a b\n"), std::string(1000, 'x')}) {
    std::ofstream(other) << text;
    CHECK_THROWS_WITH(Checkpoint(options(file, false)), ContainsSubstring("opening " + other + ": File exists"));
    CHECK(test::read_file(other) == text);
    CHECK_FALSE(std::filesystem::exists(file));
  }
  // A killed run leaves this: zeros in the place of the header.
  std::ofstream(other) << std::string(1000, '\0');
  write_two_entries(file);
  CHECK(complaint(file).empty());
}

TEST_CASE("a checkpoint is one run's at a time, before its first write and after") {
  const Folder folder;
  const std::string file = folder.path("c"), partial = file + ".partial";
  const auto busy = ContainsSubstring("another run");
  {
    Checkpoint first(options(file, false));
    CHECK_THROWS_AS(Checkpoint(options(file, false)), Unable);
    CHECK_THROWS_WITH(Checkpoint(options(file, true)), busy);
    for (int writes = 1; writes < 3; ++writes) {
      REQUIRE(first.write());
      CHECK_THROWS_WITH(Checkpoint(options(file, false)), ContainsSubstring("there already"));
      CHECK_THROWS_WITH(Checkpoint(options(file, true)), busy);
      CHECK_FALSE(std::filesystem::exists(partial));
    }
  }
  {
    Checkpoint next(options(file, true));
    CHECK(next.resumed());
    CHECK_THROWS_WITH(Checkpoint(options(file, true)), busy);
  }
  CHECK(complaint(file).empty());
}

TEST_CASE("a run that writes nothing leaves no file") {
  const Folder folder;
  { const Checkpoint checkpoint(options(folder.path("c"), false)); }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("runs that fight for one checkpoint leave a whole file") {
  const Folder folder;
  const std::string file = folder.path("c");
  write_two_entries(file);
  const auto write_often = [&] {
    int written = 0;
    for (int i = 0; i < 100 || (written == 0 && i < 10'000); ++i) {
      try {
        Checkpoint checkpoint(options(file, true));
        written += checkpoint.write();
      } catch (const Unable&) {  // the other has it
      }
    }
    return written;
  };
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(write_often() > 0 ? 0 : 1);
  CHECK(write_often() > 0);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(complaint(file).empty());
}

TEST_CASE("a name that can hold no checkpoint is refused before any work, with what it is") {
  const Folder folder;
  const auto refusal = [](const std::string& file) {
    for (const bool resume : {false, true}) CHECK_THROWS_AS(Checkpoint(options(file, resume)), InputError);
    return complaint(file);
  };
  const std::string fifo = folder.path("fifo"), link = folder.path("link");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  REQUIRE(symlink("nothing", link.c_str()) == 0);
  CHECK_THAT(refusal(fifo), ContainsSubstring("a FIFO"));
  CHECK_THAT(refusal(link), ContainsSubstring("a symbolic link to nothing"));
  CHECK_THAT(refusal(folder.path()), ContainsSubstring("a folder"));
  CHECK_THAT(refusal("/dev/null"), ContainsSubstring("a device"));
  CHECK_THAT(refusal(folder.path("none/c")), ContainsSubstring("No such file"));
  CHECK_THAT(refusal(folder.path("fifo/c")), ContainsSubstring("Not a directory"));
  if (geteuid() == 0) MATCHCOUNT_SKIP("root writes everywhere");
  REQUIRE(chmod(folder.path().c_str(), 0500) == 0);
  CHECK_THAT(refusal(folder.path("c")), ContainsSubstring("Permission denied"));
}
