// Builds that do not read GraphML; what those that do make of it is in input_test.cpp and bad_input_test.cpp.

#include "core/error.hpp"
#include "graph/input.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;

TEST_CASE("GraphML that this build does not read is unable, with the package that would help") {
  if (built_with_graphml()) MATCHCOUNT_SKIP("this build reads GraphML");
  InputOptions options;
  for (const InputFormat format : {InputFormat::automatic, InputFormat::graphml}) {
    options.format = format;
    CHECK_THROWS_AS(read_input_text("<graphml/>", "a.graphml", options), NotCompiled);
    CHECK_THROWS_WITH(read_input_text("<graphml/>", "a.graphml", options),
                      ContainsSubstring("a.graphml") && ContainsSubstring("libboost-graph-dev"));
  }
}
