// Random matrices and graphs, written in every format and spelling that is read and some that are not: what comes of a
// file is the number of its matrix or graph, or a refusal. The number is that of a slow count (truth.hpp).
// MATCHCOUNT_FUZZ_RUNS=1000000 has the slow case try so many files, MATCHCOUNT_FUZZ_SEED others.

#include <cstdlib>
#include <map>
#include <string>

#include "core/error.hpp"
#include "graph/binary_spellings.hpp"
#include "graph/graph_spellings.hpp"
#include "graph/input.hpp"
#include "graph/spellings.hpp"
#include "graph/truth.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using namespace matchcount::test::misreading;

namespace {

std::optional<Spelling> edges(const Truth& truth, Dice& dice) { return edge_list(truth, dice); }

// Picks who writes it: one that is to write more often stands in its table as often.
std::optional<Spelling> spelled(const Truth& truth, Dice& dice) {
  constexpr std::optional<Spelling> (*of_cells[])(const Cells&, Dice&) = {
      plain_matrix, plain_matrix, plain_matrix, matrix_with_size, pandas_matrix, r_matrix, sheet_matrix};
  constexpr Spelling (*binary[])(const Truth&, Dice&) = {npy_matrix, matlab_matrix, scipy_matrix};
  constexpr std::optional<Spelling> (*of_graphs[])(const Truth&, Dice&) = {
      edges,    edges, edges, sized_edges, adjacency_list, nauty, dimacs,          metis, marked_up,
      molecule, tgf,   pajek, json,        marked_up,      dot,   commented_edges, lgf};
  const bool is_matrix = truth.kind == InputKind::matrix;
  if (!is_matrix && !dice.one_in(3)) return dice.pick(of_graphs)(truth, dice);
  const auto which = static_cast<std::size_t>(dice.below(11));
  if (which < std::size(of_cells)) return of_cells[which](truth.cells(), dice);
  if (which < 10) return binary[which - std::size(of_cells)](truth, dice);
  if (is_matrix && dice.coin()) return edge_list(truth, dice);
  return dice.coin() ? matrix_market(truth, dice) : shown_matrix(truth.cells(), dice);
}

// Lists cells that no matrix has between its numbers, in the place of one of them, or a number that is missing.
bool damage(const Truth& truth, std::optional<Spelling>& file, Dice& dice) {
  constexpr const char* others[] = {"O",  "NA", "0x10", "1e999", "five", "1O", "l",    "nan", "-",
                                    "--", "?",  "*",    "None",  "NULL", "~",  "1..5", "x1",  "N/A"};
  if (truth.rows < 2 || truth.columns < 2) return false;
  Cells cells = truth.cells();
  std::vector<std::string>& row = cells[static_cast<std::size_t>(dice.below(truth.rows))];
  if (truth.columns > 2 && dice.one_in(6)) {
    row.pop_back();
  } else {
    row[static_cast<std::size_t>(dice.below(truth.columns))] = dice.pick(others);
  }
  constexpr std::optional<Spelling> (*writers[])(const Cells&, Dice&) = {plain_matrix, plain_matrix, pandas_matrix,
                                                                         r_matrix, sheet_matrix};
  file = dice.pick(writers)(cells, dice);
  if (file) file->writer += " with a bad cell";
  return true;
}

// Line ends of Windows, a mark of the byte order, comments, blank lines, none at the end.
void decorate(Spelling& file, Dice& dice) {
  const bool is_text = file.writer != ".npy" && file.writer != "MOL" && !file.name.ends_with(".npz") &&
                       !file.name.ends_with(".mat") && file.writer != "METIS" &&
                       file.writer.find("6") == std::string::npos;
  if (!is_text) return;
  if (dice.one_in(8) && file.text.ends_with('\n')) file.text.pop_back();
  if (dice.one_in(8) && file.writer.find("matrix") != std::string::npos) file.text = "# from somewhere\n" + file.text;
  if (dice.one_in(8)) {
    std::string text;
    for (const char c : file.text) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    file.text = text;
  }
  if (dice.one_in(12)) file.text = "\xEF\xBB\xBF" + file.text;
}

// Two or three numbers on one line, or integers on other lines than that many: no matrix of a graph with two sides, but
// edges, as docs/input.md says.
bool reads_as_edges(const Truth& truth) {
  return truth.kind == InputKind::bipartite && truth.columns < 4 &&
         (truth.rows == 1 || (truth.has_values && truth.rows != truth.columns));
}

struct Tally {
  int files = 0;
  int read = 0;
};

// One file of this seed.
void try_file(std::uint64_t seed, std::map<std::string, Tally>& tallies) {
  Dice dice(seed);
  const Truth truth = random_truth(dice);
  std::optional<Spelling> file;
  const bool is_damaged = dice.one_in(6) && damage(truth, file, dice);
  if (!is_damaged) file = spelled(truth, dice);
  if (!file) return;
  decorate(*file, dice);
  InputOptions options;
  const bool counts = truth.kind == InputKind::undirected && !truth.has_loops && dice.coin();
  options.usual_kind = counts ? InputKind::bipartite : truth.kind;
  if (reads_as_edges(truth)) return;
  // A cell that is no number may name a vertex, and a column that is shown without brackets is a pair.
  const bool may_be_edges = is_damaged || (truth.columns == 1 && file->writer == "matrix as it is shown");
  if (may_be_edges && truth.kind == InputKind::bipartite && truth.columns < 4) return;
  // So is 0 1 above pairs of numbers.
  if (file->writer == "matrix by pandas" && truth.kind != InputKind::matrix && truth.columns == 2 && truth.has_values)
    return;
  if (dice.one_in(3)) options.kind = truth.kind;
  // An adjacency matrix is one of rows and columns unless somebody says otherwise.
  if (counts && file->writer.find("matrix") != std::string::npos) options.kind = truth.kind;
  if (counts && (file->writer == ".npy" || file->writer == "Matrix Market")) options.kind = truth.kind;
  options.odd_cycles = truth.kind != InputKind::directed;
  options.loops = truth.has_loops ? Loops::keep : Loops::refuse;
  const bool weighted = truth.kind == InputKind::matrix || (truth.kind == InputKind::undirected && !counts);
  options.fractions = weighted;
  const bool is_told = dice.one_in(4);
  if ((is_told || dice.one_in(4)) && (file->format == InputFormat::edge_list || file->format == InputFormat::dense))
    options.header = file->header;
  options.skeleton =
      file->writer.starts_with("MOL") || file->writer == "XYZ" || file->writer == "SDF";  // molecules of any bonds
  if (is_told) options.format = file->format;
  Tally& tally = tallies[file->writer];
  ++tally.files;
  try {
    const Input input = read_input_text(file->text, file->name, options);
    ++tally.read;
    const std::vector<Complex> right = sums_of(truth, weighted), found = sums_of(input, weighted, truth.has_loops);
    if (is_damaged || !are_equal(right, found)) {
      UNSCOPED_INFO("seed " << seed << ", " << file->writer << ", question " << to_string(options.usual_kind)
                            << ", kind " << (options.kind ? to_string(*options.kind) : "not given") << ", read as "
                            << to_string(input.format) << ", " << to_string(input.kind));
      UNSCOPED_INFO("--header " << (options.header ? (*options.header ? "yes" : "no") : "not given") << ", --format "
                                << to_string(options.format) << "\n"
                                << file->text);
      FAIL_CHECK("a misreading");
    }
  } catch (const InputError&) {
  }
}

std::uint64_t number_in_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void try_files(std::uint64_t seed, std::uint64_t count) {
  std::map<std::string, Tally> tallies;
  for (std::uint64_t i = 0; i < count; ++i) try_file(seed + i, tallies);
  int files = 0, read = 0;
  for (const auto& [writer, tally] : tallies) {
    INFO(writer << ": " << tally.read << " of " << tally.files << " files read");
    files += tally.files;
    read += tally.read;
    // Refusing all would pass otherwise.
    const bool is_foreign = writer.find("bad cell") != std::string::npos || writer == "matrix as it is shown" ||
                            writer == "multiline adjacency list" || writer == "adjacency list with colons" ||
                            writer.find("behind its size") != std::string::npos;
    CHECK((is_foreign || tally.read > tally.files / 5));
    if (count > 100'000) WARN(writer << ": " << tally.read << " of " << tally.files << " files read");
  }
  CHECK(read > files / 3);
}

}  // namespace

TEST_CASE("random files of every format and spelling give the number of their matrix or graph, or are refused") {
  try_files(20261123, 20'000);
}

TEST_CASE("a million random files give the number of their matrix or graph, or are refused", "[slow]") {
  try_files(number_in_environment("MATCHCOUNT_FUZZ_SEED", 1), number_in_environment("MATCHCOUNT_FUZZ_RUNS", 1'000'000));
}
