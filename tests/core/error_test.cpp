#include "core/error.hpp"

#include <string>

#include "support/catch.hpp"

using namespace matchcount;

TEST_CASE("an input error says file, line, what was found and what was expected") {
  const InputError error("graph.txt", 7, "'x'", "an integer");
  CHECK(std::string(error.what()) == "graph.txt:7: found 'x', expected an integer");
  CHECK(error.file() == "graph.txt");
  CHECK(error.line() == 7);
  CHECK(error.found() == "'x'");
  CHECK(error.expected() == "an integer");
}

TEST_CASE("an input error leaves out the line and the file that it does not have") {
  CHECK(std::string(InputError("graph.txt", 0, "nothing", "a graph").what()) ==
        "graph.txt: found nothing, expected a graph");
  CHECK(std::string(InputError("-1 threads", "1 or more").what()) == "found -1 threads, expected 1 or more");
}

TEST_CASE("every kind of failure is an Error, and unable is not bad input") {
  CHECK_THROWS_AS(throw InputError("a", "b"), Error);
  CHECK_THROWS_AS(throw Cancelled("stopped"), Unable);
  CHECK_THROWS_AS(throw NotCompiled("cuda"), Unable);
  CHECK_THROWS_AS(throw DeviceError("lost"), Error);
  bool unable_is_input_error = true;
  try {
    throw Unable("too large");
  } catch (const InputError&) {
  } catch (const Error&) {
    unable_is_input_error = false;
  }
  CHECK_FALSE(unable_is_input_error);
}

TEST_CASE("control characters of a file's name are escaped in messages, and other languages are not") {
  CHECK(printable("gr\xC3\xA4ph.txt") == "gr\xC3\xA4ph.txt");
  CHECK(printable("a\x1B[2Jb\n\x7F\xC2\x9B!") == "a\\x1b[2Jb\\x0a\\x7f\\xc2\\x9b!");
  CHECK(printable("\xC2\xA0") == "\xC2\xA0");
  const InputError error("\x1B]0;x\x07", 3, "'x'", "an integer");
  CHECK(std::string(error.what()) == "\\x1b]0;x\\x07:3: found 'x', expected an integer");
  CHECK(error.file() == "\x1B]0;x\x07");
}
