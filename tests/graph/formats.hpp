#pragma once
// What the tests of single formats share: files of other programs, refusals, sequences.

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "graph/input.hpp"
#include "graph/reading.hpp"
#include "support/catch.hpp"

namespace matchcount::test::formats {

// The bytes of a file that networkx or numpy wrote, tests/graph/files.
inline std::string file(const std::string& name) {
  std::ifstream stream(std::string(MATCHCOUNT_SOURCE_DIR) + "/tests/graph/files/" + name, std::ios::binary);
  REQUIRE(stream);
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

inline InputOptions as(InputFormat format, InputKind usual = InputKind::bipartite) {
  InputOptions options;
  options.format = format;
  options.usual_kind = usual;
  return options;
}

// The same with a kind that is given.
inline InputOptions given(InputFormat format, InputKind kind) {
  InputOptions options = as(format);
  options.kind = kind;
  return options;
}

inline std::vector<Input> read_all(const std::string& bytes, const InputOptions& options) {
  InputSequence sequence = InputSequence::from_text(bytes, "test", options);
  std::vector<Input> all;
  while (std::optional<Input> input = sequence.next()) all.push_back(std::move(*input));
  return all;
}

// Requires a refusal at this line with these pieces of text in the two halves of the message.
inline void check_refused(const std::string& bytes, const InputOptions& options, std::uint64_t line,
                          const std::string& found, const std::string& expected) {
  INFO("the bytes: " << bytes.substr(0, 300));
  try {
    read_input_text(bytes, "bad", options);
    FAIL("it was accepted");
  } catch (const InputError& error) {
    INFO("the message: " << error.what());
    CHECK(error.file() == "bad");
    CHECK(error.line() == line);
    CHECK_THAT(error.found(), ContainsSubstring(found));
    CHECK_THAT(error.expected(), ContainsSubstring(expected));
  }
}

}  // namespace matchcount::test::formats
