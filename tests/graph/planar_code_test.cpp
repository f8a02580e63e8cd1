// plantri's planar_code.

#include <string>

#include "graph/formats.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

const std::string square = std::string("\x04\x02\x04\0\x01\x03\0\x02\x04\0\x03\x01\0", 13);

}  // namespace

TEST_CASE("planar_code: graphs in bytes and in pairs of bytes, several a file") {
  const std::string head = ">>planar_code<<";
  const std::vector<Input> all = read_all(head + square + square, usual());
  REQUIRE(all.size() == 2);
  CHECK(all[1].format == InputFormat::planar_code);
  CHECK(named_edges(all[1]) == NamedEdges{{"1", "2"}, {"1", "4"}, {"3", "2"}, {"3", "4"}});
  std::string big(1, '\0'), little(1, '\0');
  for (const char byte : square) {
    big += {'\0', byte};
    little += {byte, '\0'};
  }
  CHECK(read_usual(">>planar_code be<<" + big).graph.num_edges() == 4);
  CHECK(read_usual(">>planar_code le<<" + little).graph.num_edges() == 4);
  CHECK(read_usual(">>planar_code le<<" + square).graph.num_edges() == 4);
  check_refused(head + big, usual(), 0, "in pairs of bytes whose order nobody says", "le<<");
  check_refused(head + square.substr(0, 12), usual(), 0, "the end of the file within a graph", "a 0");
  check_refused(head + with(square, "\x02\x04", "\x02\x05"), usual(), 0, "the neighbour 5 of vertex 1", "at most 4");
  check_refused(head + with(square, "\x02\x04", "\x02\x03"), usual(), 0, "differs from the one back",
                "both directions");
  check_refused(">>planar_code", usual(), 0, "no planar_code", "the head");
  check_refused(head, usual(), 0, "no graph", "a graph");
  check_refused(head + square, as(InputFormat::npy), 0, "graphs in planar_code", "the format npy");
}
