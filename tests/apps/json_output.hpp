#pragma once
// Reads what the program prints by --json, and generates input for it.

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

inline std::string generated(const std::string& words) {
  const Outcome outcome = run_line("generate " + words);
  CAPTURE(words, outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.out;
}

}  // namespace matchcount::test
