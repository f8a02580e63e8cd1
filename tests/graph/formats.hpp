#pragma once
// Holds what the tests of single formats share: files of other programs, refusals, sequences.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "graph/input.hpp"
#include "graph/reading.hpp"
#include "support/catch.hpp"

namespace matchcount::test::formats {

// Returns the bytes of a file that networkx or numpy wrote, tests/graph/files.
inline std::string file(const std::string& name) {
  std::ifstream stream(std::string(MATCHCOUNT_SOURCE_DIR) + "/tests/graph/files/" + name, std::ios::binary);
  REQUIRE(stream);
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

inline InputOptions as(InputFormat format, InputKind usual = InputKind::bipartite) {
  return {.usual_kind = usual, .format = format};
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

}  // namespace matchcount::test::formats
