#pragma once
// Gives tests the texts of results and refusals.

#include <set>
#include <string>

#include "core/error.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"

namespace matchcount::test {

// Returns the message of the Unable that `body` throws, which must not be a Cancelled.
template <class Body>
std::string unable_message(Body&& body) {
  try {
    body();
  } catch (const Cancelled& cancelled) {
    FAIL("cancelled: " << cancelled.what());
  } catch (const Unable& unable) {
    return unable.what();
  }
  FAIL("an answer, where a refusal was expected");
  return {};
}

// Returns the names of the checks, all of which passed.
inline std::set<std::string> check_names(const Result& result) {
  std::set<std::string> names;
  for (const Check& check : result.checks) {
    INFO(to_string(check.kind) << ": " << check.detail);
    CHECK(check.passed);
    CHECK_FALSE(check.detail.empty());
    CHECK(names.emplace(to_string(check.kind)).second);
  }
  return names;
}

}  // namespace matchcount::test
