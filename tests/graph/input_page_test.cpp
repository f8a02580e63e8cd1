// The page on input says which format has which option of reading, as the readers do.

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "core/names.hpp"
#include "graph/input.hpp"
#include "support/catch.hpp"

using namespace matchcount;

TEST_CASE("docs/input.md lists every format with the options that it alone or with some others has") {
  std::ifstream file(MATCHCOUNT_SOURCE_DIR "/docs/input.md");
  REQUIRE(file.good());
  std::map<std::string, std::set<std::string>> told;
  const std::regex row(R"(^\| ((`\w+`(, )?)+) \|.*\| ([^|]*) \|$)"), word(R"(`(--)?([a-z0-9_-]+)`)");
  for (std::string line; std::getline(file, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, row)) continue;
    const std::string names = parts[1], options = parts[4];
    std::set<std::string> words;
    for (std::sregex_iterator at(options.begin(), options.end(), word), end; at != end; ++at) words.insert((*at)[2]);
    for (std::sregex_iterator at(names.begin(), names.end(), word), end; at != end; ++at) told[(*at)[2]] = words;
  }
  std::map<std::string, std::set<std::string>> right;
  for (const auto& named : Names<InputFormat>::all) {
    if (named.value == InputFormat::automatic) continue;
    std::set<std::string>& options = right[std::string(named.name)];
    for (const char* option : {"weight-key", "delimiter", "header", "columns", "by", "base", "skeleton", "no-edge"})
      for (const std::string_view format : formats_with(option))
        if (format == to_string(named.value)) options.insert(option);
  }
  CHECK(told == right);
}
