#pragma once
// What every reader gives: edges as they stand in the file, not yet a graph. assemble.hpp makes it one.
// Private to graph/.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/input_types.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

struct Parsed {
  enum class Shape {
    two_sided,   // rows and columns
    directed,    // one set of vertices, Edge{u, v} is u -> v
    undirected,  // one set of vertices, every edge once
    mirrored     // one set of vertices, every edge in both directions, which is still to be checked
  };
  Shape shape = Shape::two_sided;
  Vertex num_rows = 0;
  Vertex num_columns = 0;  // equal to num_rows where there is one set of vertices
  std::vector<Edge> edges;
  Weights weights;
  std::vector<Rational> fractions;  // not empty: the weights are places here
  // Empty where the names are 1..n. One set of vertices: in row_labels.
  std::vector<std::string> row_labels;
  std::vector<std::string> column_labels;
  // The line of every edge, where they were asked for.
  std::vector<std::uint64_t> lines;
  // Of the vertices, as Input has them.
  std::vector<Point> coordinates;
  // What was passed over, for Input::notes, without the file's name.
  std::vector<std::string> notes;
};

// What columns and vertices are taken for: what was given or the file says (options.kind), else what is usual.
inline InputKind kind_of(const InputOptions& options) { return options.kind.value_or(options.usual_kind); }

// A question about matrices or, for hafnians, undirected graphs is about weights in any case.
inline bool asks_for_weights(const InputOptions& options) {
  return options.usual_kind == InputKind::matrix || options.usual_kind == InputKind::undirected ||
         options.kind == InputKind::matrix;
}

// One graph's place in a file that may hold several.
struct Part {
  std::uint64_t number = 0;  // from 1; 0 before the first
  const char* begin = nullptr;
  const char* end = nullptr;
  std::uint64_t line = 0;  // of `begin`
};

// Moves to the file's next graph; false behind the last. Most formats have one, which is the whole text.
bool next_part(const Text& text, InputFormat format, Part& part);

// Each throws InputError for what it does not understand. `with_lines` asks for Parsed::lines. With options.fractions
// those that have `as_fractions` throw FractionFound where a value is a fraction, unless they are called with it.
Parsed read_edge_list(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions);
Parsed read_dense(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions);
Parsed read_matrix_market(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions);
Parsed read_dimacs(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions);
Parsed read_metis(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions);
Parsed read_graphml(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions,
                    const RunContext& run);
bool reads_graphml();  // whether this build has libexpat

// graph6, sparse6 and digraph6: a line of the text.
Parsed read_graph6(const Text& text, const Part& part, InputFormat format, bool with_lines, const RunContext& run);
bool next_graph6(const Text& text, InputFormat format, Part& part);
// Which of the three a text is by its header, or by a whole first line that begins as those of sparse6 or digraph6 do.
std::optional<InputFormat> detect_graph6(const Text& text);

// A matrix of a .npy file, whose text is binary; it has no lines.
Parsed read_npy(const Text& text, const Part& part, const InputOptions& options, bool with_lines,
                const RunContext& run);
bool next_npy(const Text& text, Part& part);

Parsed read_gml(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions,
                const RunContext& run);
// Begins with "graph [", perhaps after the keys that programs put before it.
bool looks_like_gml(const Text& text);

Parsed read_adjacency_list(const Text& text, const InputOptions& options, bool with_lines, const RunContext& run);

// A molecule of a MOL file or an SDF.
Parsed read_mol(const Text& text, const Part& part, bool with_lines);
bool next_mol(const Text& text, Part& part);
// The fourth line begins with two numbers of three columns and ends in V2000 or V3000.
bool looks_like_mol(const Text& text);

}  // namespace matchcount::readers
