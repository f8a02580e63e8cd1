#pragma once
// Reads what the program prints by --json, and generates input for it.

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/program.hpp"
#include "support/catch.hpp"

namespace matchcount::test {

using Json = nlohmann::json;

inline Json parsed(const Outcome& outcome) {
  CAPTURE(outcome.err, outcome.out);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out);
}

// Each text is generated once in a process.
inline std::string generated(const std::string& words) {
  static std::map<std::string, std::string> texts;
  const auto [text, is_new] = texts.try_emplace(words);
  if (!is_new) return text->second;
  const Outcome outcome = run_line("generate " + words);
  CAPTURE(words, outcome.err);
  REQUIRE(outcome.status == 0);
  return text->second = outcome.out;
}

}  // namespace matchcount::test
