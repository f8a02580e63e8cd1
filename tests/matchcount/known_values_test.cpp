// Published and independently computed values of real matrices and of the graphs that the field counts. The matrices
// stand beside the project and are not part of it: where they are missing the test is skipped.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "graph/input.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/skip.hpp"

using namespace matchcount;

namespace {

std::filesystem::path data_folder() {
  if (const char* given = std::getenv("MATCHCOUNT_DATA_DIR")) return given;
  return std::filesystem::path(MATCHCOUNT_SOURCE_DIR) / ".." / "shared" / "data";
}

struct Known {
  std::string name;
  std::string kind;  // "pattern" or "real"
  Vertex rows = 0;
  EdgeId edges = 0;
  std::string value;
};

std::vector<Known> read_known(const std::filesystem::path& folder) {
  std::ifstream stream(folder / "known.tsv");
  std::vector<Known> table;
  std::string line;
  std::getline(stream, line);
  REQUIRE(line.substr(0, 26) == "name\tkind\trows\tedges\tvalue");
  while (std::getline(stream, line)) {
    std::istringstream columns(line);
    Known known;
    columns >> known.name >> known.kind >> known.rows >> known.edges >> known.value;
    INFO(line);
    REQUIRE_FALSE(columns.fail());
    REQUIRE((known.kind == "pattern" || known.kind == "real"));
    table.push_back(known);
  }
  return table;
}

// Returns the numbers in "hex_4_4_4" or "grid3_4x4x4" behind the prefix.
std::vector<Vertex> numbers_behind(const std::string& name, const std::string& prefix) {
  std::vector<Vertex> numbers;
  std::string rest = name.substr(prefix.size());
  for (char& c : rest) {
    if (c == 'x' || c == '_') c = ' ';
  }
  std::istringstream stream(rest);
  for (Vertex number = 0; stream >> number;) numbers.push_back(number);
  return numbers;
}

// Makes a graph of all ones but `gaps` diagonals from the main one on, cyclically.
BipartiteGraph cyclic_complement(Vertex size, Vertex gaps) {
  std::vector<Edge> edges;
  for (Vertex row = 0; row < size; ++row) {
    for (Vertex step = gaps; step < size; ++step) edges.push_back({row, (row + step) % size});
  }
  return BipartiteGraph::from_edges(size, size, edges);
}

BipartiteGraph graph_of(const Known& known, const std::filesystem::path& folder) {
  const auto begins = [&](const std::string& prefix) { return known.name.rfind(prefix, 0) == 0; };
  const auto numbers = [&](const std::string& prefix, std::size_t count) {
    const auto list = numbers_behind(known.name, prefix);
    REQUIRE(list.size() == count);
    return list;
  };
  if (begins("grid3_")) {
    const auto size = numbers("grid3_", 3);
    return grid3d_graph(size[0], size[1], size[2]);
  }
  if (begins("grid_")) {
    const auto size = numbers("grid_", 2);
    return grid_graph(size[0], size[1]);
  }
  if (begins("torus_")) {
    const auto size = numbers("torus_", 2);
    return torus_graph(size[0], size[1]);
  }
  if (begins("hex_")) {
    const auto size = numbers("hex_", 3);
    return hexagon_graph(size[0], size[1], size[2]);
  }
  if (begins("aztec_")) return aztec_graph(numbers("aztec_", 1)[0]);
  if (begins("derange_")) return cyclic_complement(numbers("derange_", 1)[0], 1);
  if (begins("menage_")) return cyclic_complement(numbers("menage_", 1)[0], 2);
  if (known.name == "Q5") return hypercube_graph(5);

  std::string file = known.name;
  InputOptions options{.kind = InputKind::matrix};
  if (const auto stored = file.rfind("_stored"); stored != std::string::npos) {
    file.erase(stored);
    options.keep_zeros = true;
  }
  return read_input((folder / "matrices" / (file + ".mtx")).string(), options).graph;
}

// "-1.2006727087512453E+23" as to_scientific writes it: "-1.2006727087512453e23".
std::string plain_exponent(const std::string& text) {
  const auto e = text.find_first_of("eE");
  REQUIRE(e != std::string::npos);
  return text.substr(0, e) + "e" + std::to_string(std::stol(text.substr(e + 1)));
}

void check_known(const Known& known, const Result& result) {
  CAPTURE(result.method, result.time_s.total);
  if (known.kind == "pattern") {
    REQUIRE(std::holds_alternative<Integer>(result.value));
    CHECK(to_string(result.value) == known.value);
  } else {
    REQUIRE(std::holds_alternative<RealValue>(result.value));
    CHECK(to_string(result.value) == plain_exponent(known.value));
    CHECK(relative_error(result.value) < 1e-17);
  }
  for (const Check& check : result.checks) {
    INFO("check " << to_string(check.kind) << ": " << check.detail);
    CHECK(check.passed);
  }
}

Result compute(const Known& known, const BipartiteGraph& graph, const CountOptions& options) {
  return known.kind == "pattern" ? count_perfect_matchings(graph, options) : permanent(graph, options);
}

// Says whether a count takes more than a second or so.
bool is_slow(const std::string& name) { return name == "grid_24x24" || name == "bcsstk01"; }

void check_all(bool slow) {
  const auto folder = data_folder();
  if (!std::filesystem::exists(folder / "known.tsv")) {
    MATCHCOUNT_SKIP("no " + (folder / "known.tsv").string() + "; MATCHCOUNT_DATA_DIR may name its folder");
  }
  int values = 0, second_methods = 0;
  for (const Known& known : read_known(folder)) {
    if (is_slow(known.name) != slow) continue;
    INFO(known.name << " " << known.kind);
    const BipartiteGraph graph = graph_of(known, folder);
    CHECK(graph.num_rows() == known.rows);
    CHECK(graph.num_edges() == known.edges);
    const Result automatic = compute(known, graph, {});
    check_known(known, automatic);
    ++values;
    // Every other method and order that is predicted to keep within a second, of half a minute where it may take long.
    const auto try_also = [&](Method method, FrontierStrategy strategy) {
      CountOptions options{.method = method, .frontier_strategy = strategy, .throughput = Throughput{}};
      test::StepClock clock;
      clock.drive(options.run);
      options.run.time_limit_s = slow ? 30 : 1;
      INFO(to_string(method) << " strategy " << static_cast<int>(strategy));
      try {
        check_known(known, compute(known, graph, options));
        ++second_methods;
      } catch (const Unable&) {  // too expensive by this method, as it says itself
      }
    };
    try_also(Method::staged, FrontierStrategy::automatic);
    try_also(Method::skipper, FrontierStrategy::automatic);
    for (const FrontierStrategy strategy :
         {FrontierStrategy::mixed, FrontierStrategy::rows, FrontierStrategy::columns}) {
      try_also(Method::frontier, strategy);
    }
  }
  CHECK(values > 0);
  CHECK(second_methods >= values);
}

}  // namespace

TEST_CASE("known values come out, by every method and order that is quick enough") { check_all(false); }

TEST_CASE("known values of the dearer graphs come out", "[slow]") { check_all(true); }
