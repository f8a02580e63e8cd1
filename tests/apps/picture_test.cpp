// Pictures as a user asks for them.

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "apps/program.hpp"

using namespace matchcount::test;

namespace {

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

// Returns the values of an attribute, in order.
std::vector<std::string> values_of(const std::string& svg, const std::string& name) {
  std::vector<std::string> values;
  const std::regex pattern("[ <]" + name + "=\"([^\"]*)\"");
  for (auto match = std::sregex_iterator(svg.begin(), svg.end(), pattern); match != std::sregex_iterator(); ++match)
    values.push_back((*match)[1]);
  return values;
}

// Every tag that is opened is closed, in order, and no & stands alone.
bool is_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at)) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = svg.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find(' ') - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    if (tag.find('<') != std::string::npos) return false;
    at = end;
  }
  const std::regex entity("&(?!(amp|lt|gt|quot);)");
  return open.empty() && svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") &&
         !std::regex_search(svg, entity);
}

struct Drawn {
  std::string svg;
  std::string out;
};

class Pictures {
 public:
  Drawn draw(const std::string& line, const std::string& input) const {
    const std::string file = folder_.path("picture.svg");
    const Outcome outcome = run_line(line + " --svg " + file, input);
    CAPTURE(line, outcome.err);
    REQUIRE(outcome.status == 0);
    Drawn drawn{read_file(file), outcome.out};
    REQUIRE(is_well_formed(drawn.svg));
    if (drawn.svg.find("clip-path") == std::string::npos) check_box(drawn.svg);
    return drawn;
  }
  const Folder& folder() const { return folder_; }

 private:
  // Checks that paths begin, and circles and texts stand, within the picture.
  static void check_box(const std::string& svg) {
    const double width = std::stod(values_of(svg, "width")[0]), height = std::stod(values_of(svg, "height")[0]);
    const auto check = [&](double x, double y) {
      CAPTURE(x, y, width, height);
      REQUIRE(x >= 0);
      REQUIRE(x <= width);
      REQUIRE(y >= 0);
      REQUIRE(y <= height);
    };
    const std::regex start("[ML]([-0-9.e]+) ([-0-9.e]+)");
    for (auto match = std::sregex_iterator(svg.begin(), svg.end(), start); match != std::sregex_iterator(); ++match)
      check(std::stod((*match)[1]), std::stod((*match)[2]));
    const std::vector<std::string> x = values_of(svg, "cx"), y = values_of(svg, "cy");
    for (std::size_t i = 0; i < x.size(); ++i) check(std::stod(x[i]), std::stod(y[i]));
  }

  Folder folder_;
};

const std::string square = "a x\na y\nb x\nb y\n";
std::string generated(const std::string& words) { return run_line("generate " + words).out; }

}  // namespace

TEST_CASE("a sample's picture has a domino for every edge, in the colours of four directions") {
  const Pictures pictures;
  const Drawn aztec = pictures.draw("sample - --seed 3", generated("aztec 8"));
  REQUIRE(count_of(aztec.svg, "z") == 72);
  REQUIRE(values_of(aztec.svg, "fill").size() == 5);  // and white behind them
  const Drawn again = pictures.draw("sample - --seed 3 --json", generated("aztec 8"));
  REQUIRE(again.svg == aztec.svg);
  REQUIRE(pictures.draw("sample - --seed 4", generated("aztec 8")).svg != aztec.svg);
  // The same graph by other names.
  REQUIRE(pictures.draw("sample - --seed 3", generated("aztec 8 --format mtx")).svg == aztec.svg);
}

TEST_CASE("dominoes lie where the squares of their edges are") {
  const Pictures pictures;
  // Two squares beside each other, 40 pixels each, a margin of 4 and a gap of 2.4.
  const Drawn one = pictures.draw("sample -", generated("grid 1 2"));
  REQUIRE_THAT(one.svg, ContainsSubstring("width=\"88\" height=\"48\""));
  REQUIRE_THAT(one.svg, ContainsSubstring("d=\"M5.2 5.2h77.6v37.6h-77.6z\""));
  const Drawn two = pictures.draw("sample -", generated("grid 2 1"));
  REQUIRE_THAT(two.svg, ContainsSubstring("d=\"M5.2 5.2h37.6v77.6h-37.6z\""));
  REQUIRE(values_of(one.svg, "fill")[1] != values_of(two.svg, "fill")[1]);
}

TEST_CASE("a domino that leaves a torus comes in on the other side") {
  const Pictures pictures;
  const std::string torus = generated("torus 4 4");
  std::size_t most = 0;
  for (int seed = 1; seed <= 5; ++seed) {
    const Drawn drawn = pictures.draw("sample - --seed " + std::to_string(seed), torus);
    REQUIRE_THAT(drawn.svg, ContainsSubstring("clip-path=\"url(#board)\""));
    most = std::max(most, count_of(drawn.svg, "z"));
  }
  REQUIRE(most > 8);
}

TEST_CASE("lozenges of a hexagon have three colours") {
  const Pictures pictures;
  const Drawn drawn = pictures.draw("sample -", generated("hexagon 3 3 3"));
  REQUIRE(count_of(drawn.svg, "z") == 27);
  REQUIRE(values_of(drawn.svg, "fill").size() == 4);
}

TEST_CASE("a picture of marginals has a line for every edge, and a scale") {
  const Pictures pictures;
  const Drawn drawn = pictures.draw("marginals - --weighted", "a x 2\na y 1\nb x 1\nb y 3\n");
  REQUIRE_THAT(drawn.svg, ContainsSubstring("<title>a x 0.857142857") && ContainsSubstring("probability") &&
                              ContainsSubstring(">1</text>"));
  REQUIRE(count_of(drawn.svg, "</title></path>") == 4);
  // The likely edges are darker, thicker and above the others.
  const std::vector<std::string> strokes = values_of(drawn.svg, "stroke"),
                                 widths = values_of(drawn.svg, "stroke-width");
  REQUIRE(strokes[0] == strokes[1]);
  REQUIRE(strokes[2] == strokes[3]);
  REQUIRE(strokes[0] != strokes[2]);
  REQUIRE(std::stod(widths[0]) < std::stod(widths[3]));
  REQUIRE(pictures.draw("marginals - --exact", square).out == run_line("marginals - --exact", square).out);
}

TEST_CASE("the entropy of matchings by size is a curve from nothing to its end, on scales that hold it") {
  const Pictures pictures;
  // 1 and 2 matchings: log 2 / 3 of 0.25 where 2 / 3 of the vertices are matched.
  CHECK_THAT(pictures.draw("estimate - --matchings by-size", "a x\na y\n").svg,
             ContainsSubstring("d=\"M56 354L376 58.26\""));
  // The complete graph of 40 vertices has an entropy above 1 a vertex: the scale ends at 2.
  CHECK_THAT(
      pictures.draw("estimate - --matchings by-size --samples 2 --kind undirected", generated("complete 40")).svg,
      ContainsSubstring(">2</text>"));
  const std::string file = pictures.folder().path("none.svg");
  CHECK_THAT(run_line("estimate - --matchings by-size --kind matrix --svg " + file, "# format: dense\n2 1\n1 1\n").err,
             ContainsSubstring("sums of weights"));
  CHECK_THAT(run_line("estimate - --svg " + file, square).err, ContainsSubstring("by-size"));
  CHECK(!std::filesystem::exists(file));
}

TEST_CASE("names are escaped in pictures, and long ones shortened") {
  const Pictures pictures;
  const std::string name(60, 'n');
  const Drawn drawn = pictures.draw("marginals - --header no", "\"<&>\" \"say \"\"x\"\"\"\n" + name + " y\n");
  REQUIRE_THAT(drawn.svg, ContainsSubstring("&lt;&amp;&gt;") && ContainsSubstring("say &quot;x&quot;"));
  REQUIRE_THAT(drawn.svg, ContainsSubstring(">" + std::string(23, 'n') + "\xE2\x80\xA6</text>"));
}

TEST_CASE("what XML has no character for is replaced in pictures") {
  const Pictures pictures;
  const Drawn drawn = pictures.draw("marginals - --header no", "a\xEF\xBF\xBE b\xEF\xBF\xBF\nc\xEF\xBF\xBC d\n");
  REQUIRE_THAT(drawn.svg, ContainsSubstring(">a\xEF\xBF\xBD</text>") && ContainsSubstring(">b\xEF\xBF\xBD</text>") &&
                              ContainsSubstring(">c\xEF\xBF\xBC</text>") && !ContainsSubstring("\xEF\xBF\xBE") &&
                              !ContainsSubstring("\xEF\xBF\xBF"));
}

TEST_CASE("coordinates at the ends of what a double holds are drawn as others of their shape") {
  const Pictures pictures;
  const auto draw = [&](const std::string& one) {
    const std::string places = "a 1 -1\nx -1 1\nb 1 1\ny 0 1\n";
    const std::string file = pictures.folder().file("places.txt", std::regex_replace(places, std::regex("1"), one));
    return pictures.draw("marginals - --coordinates " + file, square).svg;
  };
  const std::string expected = draw("1");
  for (const char* one : {"1e308", "1e200", "1e-200", "1e-307"}) REQUIRE(draw(one) == expected);
}

TEST_CASE("vertices stand where --coordinates puts them") {
  const Pictures pictures;
  const std::string by_name = pictures.folder().file("names.txt", "a 0 0\nx 1 0\nb 1 1\ny 0 1\n");
  const std::string in_order = pictures.folder().file("order.txt", "0 0\n1 1\n1 0\n0 1\n");  // a, b, x, y
  const Drawn drawn = pictures.draw("sample - --coordinates " + by_name, square);
  REQUIRE(count_of(drawn.svg, "z") == 2);  // dominoes
  REQUIRE(pictures.draw("sample - --coordinates " + in_order, square).svg == drawn.svg);
  // Not on squares.
  const std::string elsewhere = pictures.folder().file("else.txt", "a 0 0\nx 2 0.5\nb 3 3\ny 0 2\n");
  REQUIRE(count_of(pictures.draw("sample - --coordinates " + elsewhere, square).svg, "<circle") == 4);
}

TEST_CASE("graphs without places are drawn planar, in two columns or on a circle") {
  const Pictures pictures;
  REQUIRE(count_of(pictures.draw("sample -", generated("complete 4 4")).svg, "<circle") == 8);
  REQUIRE(count_of(pictures.draw("sample - --kind undirected", "1 2\n2 3\n3 1\n1 4\n4 5\n5 6\n6 4\n").svg, "<circle") ==
          6);
  std::string complete;
  for (int u = 1; u <= 6; ++u) {
    for (int v = 1; v < u; ++v) complete += std::to_string(u) + " " + std::to_string(v) + "\n";
  }
  REQUIRE(count_of(pictures.draw("marginals - --kind undirected", complete).svg, "<circle") == 6);
  const Drawn molecule =
      pictures.draw("sample -",
                    "\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n"
                    "    0.0000    1.4000    0.0000 C   0  0\n  1  2  2  0\nM  END\n");
  const std::vector<std::string> x = values_of(molecule.svg, "cx"), y = values_of(molecule.svg, "cy");
  REQUIRE(x[0] == x[1]);
  REQUIRE(std::stod(y[0]) > std::stod(y[1]));  // upwards
}

TEST_CASE("a layout that does not fit the graph's names is refused with --svg alone") {
  const Pictures pictures;
  const std::string file = " --svg " + pictures.folder().path("a.svg");
  const std::string graph = "# layout: grid 2 2\n" + square;
  REQUIRE(run_line("sample -", graph).status == 0);
  check_refused("sample -" + file, graph, {"'a'", "grid 2 2", "--coordinates"});
  REQUIRE(run_line("sample -" + file, "# layout: grid 2\n" + square).status == 2);
  REQUIRE(run_line("sample -" + file, "# layout: spring\n" + square).status == 0);  // not ours
  // Squares may be missing.
  REQUIRE(run_line("sample -" + file, "# kind: bipartite\n# layout: grid 2 2\n2 1\n").status == 0);
  REQUIRE(run_line("sample -" + file, "# kind: bipartite\n# layout: grid 2 2\n3 1\n").status == 2);
}

TEST_CASE("list draws all its matchings on one page, and no more than a page has room for") {
  const Pictures pictures;
  const std::string file = pictures.folder().path("page.svg");
  const std::string grid = run_line("generate grid 2 4").out;  // 5 tilings
  const std::string listed = run_line("list -", grid).out;
  CHECK(run_line("list - --svg " + file, grid).out == listed);
  const std::string page = read_file(file);
  CHECK_THAT(page, ContainsSubstring("5 matchings of 4 edges"));
  CHECK(count_of(page, "<g transform") == 4);
  REQUIRE(run_line("list - --first 1 --svg " + file, grid).status == 0);
  const std::string one = read_file(file);
  CHECK(count_of(one, "<g transform") == 0);
  // The page is as wide as three.
  const auto width = [](const std::string& svg) { return std::stod(svg.substr(svg.find("width=\"") + 7)); };
  CHECK(width(page) == 3 * width(one));
  check_refused("list - --svg " + file, run_line("generate grid 6 6").out, {"--first 400"});
  CHECK(read_file(file) == one);
}

TEST_CASE("what a picture can't show is refused, and no file is left") {
  const Pictures pictures;
  const std::string file = pictures.folder().path("none.svg");
  const auto refuse = [&](const std::string& line, const std::string& input, int status, const std::string& found) {
    const Outcome outcome = run_line(line, input);
    CAPTURE(line, outcome.err);
    REQUIRE(outcome.status == status);
    REQUIRE_THAT(outcome.err, ContainsSubstring(found));
    REQUIRE(read_file(file).empty());
  };
  refuse("sample - --samples 2 --svg " + file, square, 2, "one sample");
  refuse("sample - --svg -", square, 2, "standard output is the answer's");
  refuse("sample - --coordinates - --svg " + file, square, 2, "standard input can be read once");
  const std::string empty = pictures.folder().file("empty.txt", "");
  refuse("sample - --coordinates " + empty + " --svg " + file, square, 2, "an empty file, expected the coordinates");
  refuse("sample - --coordinates " + file, square, 2, "--svg FILE with it");
  refuse("sample - --coordinates " + file + " --svg " + file, square, 2, "none.svg");
  refuse("marginals - --weighted --exact --svg " + file, "a x 1\na y 1\nb x 1\nb y -1\n", 2, "negative");
  refuse("marginals - --exact --svg " + file, "a x\nb x\n", 3, "no edge has a probability");
  refuse("sample - --svg " + file, "a x\nb x\n", 3, "no perfect matching");
  const std::string graph = pictures.folder().file("graph.txt", square);
  refuse("marginals " + graph + " " + graph + " --svg " + file, "", 2, "--svg with several inputs");
  refuse("marginals " + graph + " --svg " + graph, "", 2, "which is the input");
  REQUIRE(read_file(graph) == square);
  for (const std::string command : {"marginals -", "marginals - --estimate", "sample -"}) {
    const Outcome unwritable = run_line(command + " --json --svg " + pictures.folder().path("no/folder/a.svg"), square);
    CAPTURE(command, unwritable.out);
    REQUIRE(unwritable.status == 3);
    REQUIRE_THAT(unwritable.err, ContainsSubstring("can't write"));
    REQUIRE(count_of(unwritable.out, "\n") == 1);
    REQUIRE_THAT(unwritable.out, ContainsSubstring("\"error\""));
  }
  const std::string places = pictures.folder().file("places.txt", "a 0 0\nx 1 0\nb 1 1\n");
  refuse("sample - --coordinates " + places + " --svg " + file, square, 2, "no place for the vertex 'y'");
  refuse("sample - --coordinates " + places + " --svg " + places, square, 2, "which is the input");
}
