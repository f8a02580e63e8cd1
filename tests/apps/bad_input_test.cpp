#include <filesystem>

#include "apps/program.hpp"
#include "graph/input.hpp"

using namespace matchcount::test;

namespace {

struct BadText {
  const char* what;
  const char* options;
  std::string text;
  const char* expected;  // in the message
};

const std::string coordinate = "%%MatrixMarket matrix coordinate ";

}  // namespace

TEST_CASE("bad input ends with status 2, a line on stderr that says where and why, and no answer") {
  const std::string nul("a b\nc\0d e\n", 10);
  const BadText cases[] = {
      {"empty file", "", "", "empty"},
      {"only comments", "", "# nothing\n% here\n", ""},
      {"one word in a line that hides an edge", "", "a b\nc;d\n", ":2"},
      {"four words in a line", "", "a b\nc d 1 2\n", ":2"},
      {"a word where a weight belongs", "", "a b one\n", ":1"},
      {"nan", "--kind matrix", "a b nan\n", ":1"},
      {"inf", "--kind matrix", "a b inf\n", ":1"},
      {"a number beyond a double", "--kind matrix", "a b 1e999\n", ":1"},
      {"NUL bytes", "", nul, ":2"},
      {"garbage", "",
       std::string("\x7f"
                   "ELF\x02\x01\x01\0\0\0",
                   10),
       ""},
      {"a bad banner", "--format mtx", "%%MatrixMarket tensor coordinate real general\n1 1 1\n1 1 1\n", ":1"},
      {"no banner", "--format mtx", "1 1 1\n1 1 1\n", ":1"},
      {"truncated", "", coordinate + "real general\n2 2 4\n1 1 1\n1 2", ""},
      {"too few entries", "", coordinate + "real general\n2 2 3\n1 1 1\n2 2 1\n", "3"},
      {"too many entries", "", coordinate + "real general\n2 2 1\n1 1 1\n2 2 1\n", ":4"},
      {"index 0", "", coordinate + "real general\n2 2 1\n0 1 1\n", ":3"},
      {"a negative index", "", coordinate + "real general\n2 2 1\n-1 1 1\n", ":3"},
      {"an index out of range", "", coordinate + "real general\n2 2 1\n3 1 1\n", ":3"},
      {"an index past 2^31", "", coordinate + "real general\n2 2 1\n2147483649 1 1\n", ":3"},
      {"a size past 2^31", "", coordinate + "real general\n2147483649 2 1\n1 1 1\n", ":2"},
      {"a pattern file with values", "", coordinate + "pattern general\n2 2 1\n1 1 5\n", ":3"},
      {"a real file without values", "", coordinate + "real general\n2 2 1\n1 1\n", ":3"},
      {"a symmetric file with an entry on either side of the diagonal", "",
       coordinate + "real symmetric\n2 2 2\n2 1 1\n1 2 1\n", ":4"},
      {"an integer file with fractions", "--kind matrix", coordinate + "integer general\n1 1 1\n1 1 1.5\n", ":3"},
      {"an array that is too short", "", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", ""},
      {"an array that is too long", "", "%%MatrixMarket matrix array real general\n1 1\n1\n2\n", ":4"},
      {"duplicates", "", coordinate + "real general\n2 2 2\n1 1 1\n1 1 1\n", ":4"},
      {"a broken gzip stream", "", std::string("\x1f\x8b\x08\0\0\0\0\0\0\3\x4b\x54", 12), ""},
      {"broken GraphML", "--format graphml", "<graphml><graph edgedefault=\"undirected\"><node id=\"a\"", ""},
      {"a METIS header that lies", "--format metis", "3 1\n2\n1 3\n2\n", ""},
      {"a DIMACS edge out of range", "--format dimacs", "p tw 2 1\n1 3\n", ":2"},
  };
  for (const BadText& item : cases) {
    CAPTURE(item.what);
    if (std::string(item.what) == "broken GraphML" && !matchcount::built_with_graphml()) continue;
    for (const char* command : {"count", "permanent"}) {
      const Outcome outcome = run_line(std::string(command) + " - " + item.options, item.text);
      CAPTURE(command, outcome.out, outcome.err);
      CHECK(outcome.status == 2);
      CHECK(outcome.out.empty());
      CHECK_THAT(outcome.err, ContainsSubstring("found") && ContainsSubstring("expected"));
      if (command == std::string("count") || outcome.err.find("in column") == std::string::npos)
        CHECK_THAT(outcome.err, ContainsSubstring(item.expected));
    }
  }
}

TEST_CASE("a file that cannot be read is refused by name") {
  const Folder folder;
  for (const std::string& file :
       {folder.path("missing.txt"), folder.path("."), folder.path("no/such/folder"), std::string("")}) {
    for (const char* command : {"count", "cycles", "permanent", "decompose", "plan"}) {
      const Outcome outcome = run_program({command, file});
      CAPTURE(command, file, outcome.err);
      CHECK(outcome.status == 2);
      CHECK(outcome.out.empty());
      if (!file.empty()) CHECK_THAT(outcome.err, ContainsSubstring(file));
    }
  }
}

TEST_CASE("a line of ten million characters is refused without an echo of it") {
  const Outcome outcome = run_line("count -", "a " + std::string(10'000'000, 'x') + " y z\n");
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.size() < 1000);
}

TEST_CASE("line ends of any system and blanks of any kind are read") {
  for (const char* text : {"a x\r\nb y\r\n", "a\tx\nb\ty\n", "  a   x  \n\n\nb y", "# c\na x\n% d\nb y\n"}) {
    CAPTURE(text);
    CHECK(run_line("count -", text).out == "1\n");
  }
}

TEST_CASE("a file that cannot be written ends with a message and leaves nothing behind") {
  const Folder folder;
  const Outcome outcome = run_line("generate grid 2 2 --output " + folder.path("no/folder/g.txt"));
  CHECK(outcome.status == 3);
  CHECK_FALSE(outcome.err.empty());
  CHECK(std::filesystem::is_empty(folder.path(".")));
}
