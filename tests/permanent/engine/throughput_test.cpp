#include "permanent/engine/throughput.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/environment.hpp"
#include "support/folder.hpp"

using namespace matchcount;
namespace fs = std::filesystem;

namespace {

// Between a thousand times as fast as the reference and, with sanitizers on a loaded machine, far slower.
void check_plausible(const Throughput& throughput) {
  CAPTURE(throughput.frontier_scale, throughput.ryser_scale);
  for (const double scale : {throughput.frontier_scale, throughput.ryser_scale}) {
    CHECK(std::isfinite(scale));
    CHECK(scale > 1e-3);
    CHECK(scale < 1e6);
  }
}

bool same(const Throughput& a, const Throughput& b) {
  return a.frontier_scale == b.frontier_scale && a.ryser_scale == b.ryser_scale;
}

}  // namespace

TEST_CASE("both workloads are measured in seconds of a plausible machine") { check_plausible(measure_throughput()); }

TEST_CASE("what was measured is kept and read back, folders made as needed and nothing left beside it") {
  const test::Folder folder;
  const fs::path file = folder.path() / "a" / "b" / "throughput";
  const Throughput measured = cached_throughput(file.string());
  check_plausible(measured);
  REQUIRE(fs::is_regular_file(file));
  CHECK(test::num_entries(file.parent_path()) == 1);
  const std::string kept = test::read_file(file);
  const Throughput read = cached_throughput(file.string());
  CHECK(same(cached_throughput(file.string()), read));
  CHECK(test::read_file(file) == kept);
  CHECK(std::fabs(read.frontier_scale / measured.frontier_scale - 1) < 1e-5);
  CHECK(std::fabs(read.ryser_scale / measured.ryser_scale - 1) < 1e-5);
}

TEST_CASE("the figures in the file are taken, not measured again") {
  const test::Folder folder;
  const std::string file = folder.path("throughput");
  cached_throughput(file);
  const std::string text = test::read_file(file);
  const std::string key = text.substr(0, text.find('\n') + 1);
  test::write_file(file, key + "12345.5 0.0078125\n");
  CHECK(same(cached_throughput(file), {12345.5, 0.0078125}));
}

TEST_CASE("a file of garbage, or of another machine or version, is measured anew and replaced") {
  const test::Folder folder;
  const std::string file = folder.path("throughput");
  cached_throughput(file);
  const std::string text = test::read_file(file);
  const std::string key = text.substr(0, text.find('\n') + 1);
  const std::vector<std::string> bad{"",
                                     "\n",
                                     std::string("\0\xff\x01\n", 4),
                                     std::string(100000, 'x'),
                                     key,
                                     key + "1",
                                     key + "12345.5 0",
                                     key + "-12345.5 12345.5",
                                     key + "12345.5 twelve",
                                     key + "nan 12345.5",
                                     key + "inf 12345.5",
                                     key + "1e999 12345.5",
                                     "other " + key + "12345.5 12345.5\n",
                                     "matchcount-throughput-0" + key.substr(key.find(' ')) + "12345.5 12345.5\n"};
  for (const std::string& garbage : bad) {
    CAPTURE(garbage.substr(0, 80));
    test::write_file(file, garbage);
    const Throughput throughput = cached_throughput(file);
    check_plausible(throughput);
    CHECK(throughput.frontier_scale != 12345.5);
    CHECK(throughput.ryser_scale != 12345.5);
    CHECK(test::read_file(file).substr(0, key.size()) == key);
    CHECK(test::read_file(file) != garbage);
    CHECK(test::num_entries(folder.path()) == 1);
  }
}

TEST_CASE("a place that can't be written costs the measurement and nothing else") {
  const test::Folder folder;
  // The folder is below a file, so that root can't write to it either.
  const fs::path plain = folder.path() / "plain";
  test::write_file(plain, "mine\n");
  check_plausible(cached_throughput((plain / "sub" / "throughput").string()));
  check_plausible(cached_throughput((plain / "throughput").string()));
  CHECK(test::read_file(plain) == "mine\n");
  // The name of a folder with something in it.
  fs::create_directories(folder.path() / "folder" / "inner");
  check_plausible(cached_throughput(folder.path("folder")));
  CHECK(fs::is_directory(folder.path() / "folder" / "inner"));
  CHECK(test::num_entries(folder.path()) == 2);
  // No name at all.
  check_plausible(cached_throughput(""));
}

TEST_CASE("the file is below XDG_CACHE_HOME, else below HOME, else there is none") {
  const test::Environment home("HOME", "/home/someone");
  {
    const test::Environment cache("XDG_CACHE_HOME", "/somewhere/cache");
    CHECK(default_throughput_file() == "/somewhere/cache/matchcount/throughput");
  }
  const test::Environment empty_cache("XDG_CACHE_HOME", "");  // the standard: empty is as if unset
  CHECK(default_throughput_file() == "/home/someone/.cache/matchcount/throughput");
  const test::Environment no_cache("XDG_CACHE_HOME", std::nullopt);
  CHECK(default_throughput_file() == "/home/someone/.cache/matchcount/throughput");
  const test::Environment empty_home("HOME", "");
  CHECK(default_throughput_file().empty());
  const test::Environment no_home("HOME", std::nullopt);
  CHECK(default_throughput_file().empty());
}
