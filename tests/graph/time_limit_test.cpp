// Readers that take long look at the time limit while they read.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/run.hpp"
#include "graph/input.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/text.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using readers::Parsed;
using readers::Part;
using readers::Text;

namespace {

// A file of some megabytes, whose reading takes many times the limit.
struct LongFile {
  std::string bytes;
  std::function<Parsed(const Text&, const RunContext&)> read;
};

std::string repeated(int count, const std::function<std::string(int)>& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line(i);
  return text;
}

std::vector<std::pair<std::string, LongFile>> long_files() {
  const auto whole = [](const Text& text) { return Part{1, text.begin(), text.end(), 1}; };
  std::vector<std::pair<std::string, LongFile>> files;
  files.push_back(
      {"gml",
       {"graph [\n" + repeated(200'000, [](int i) { return "node [ id " + std::to_string(i) + " ]\n"; }) + "]\n",
        [](const Text& text, const RunContext& run) {
          return readers::read_gml({text, {}, run});
        }}});
  files.push_back({"adjlist",
                   {repeated(200'000, [](int i) { return std::to_string(i) + " a" + std::to_string(i) + "\n"; }),
                    [](const Text& text, const RunContext& run) {
                      return readers::read_adjacency_list({text, {.format = InputFormat::adjacency_list}, run});
                    }}});
  constexpr int side = 6000;
  // N(6000) in three bytes, then no edge.
  const std::string count = {'~', static_cast<char>(63 + (side >> 12)), static_cast<char>(63 + ((side >> 6) & 63)),
                             static_cast<char>(63 + (side & 63))};
  files.push_back({"graph6",
                   {count + std::string((std::size_t{side} * (side - 1) / 2 + 5) / 6, '?'),
                    [whole](const Text& text, const RunContext& run) {
                      Part part = whole(text);
                      --part.end;  // the newline
                      return readers::read_graph6({text, {}, run, InputFormat::graph6, part});
                    }}});
  const std::string header = "{'descr': '|b1', 'fortran_order': False, 'shape': (6000, 6000), }\n";
  files.push_back({"npy",
                   {std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
                        std::string(std::size_t{side} * side, '\0'),
                    [whole](const Text& text, const RunContext& run) {
                      return readers::read_npy({text, {}, run, InputFormat::npy, whole(text)});
                    }}});
  if (built_with_graphml()) {
    files.push_back({"graphml",
                     {"<graphml><graph edgedefault='undirected'>\n" +
                          repeated(200'000, [](int i) { return "<node id='n" + std::to_string(i) + "'/>\n"; }) +
                          "</graph></graphml>\n",
                      [](const Text& text, const RunContext& run) {
                        return readers::read_xml({text, {}, run, InputFormat::graphml});
                      }}});
  }
  return files;
}

}  // namespace

TEST_CASE("a long file of any new format is read whole without a limit, and left where the time is over") {
  for (const auto& [name, file] : long_files()) {
    CAPTURE(name);
    const Text text = Text::from_memory(file.bytes, "long");
    CHECK(file.read(text, RunContext()).num_rows >= 6000);
    CHECK_THROWS_AS(file.read(text, RunContext({.time_limit_s = 0.001})), Unable);
  }
}
