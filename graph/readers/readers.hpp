#pragma once
// Declares the readers, one a format, what they take and what they give: edges as they stand in the file, not yet a
// graph. formats.hpp has them in one table, assemble.hpp makes the graph. Private to graph/.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/input_types.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// One graph's place in a file that may hold several.
struct Part {
  std::uint64_t number = 0;  // from 1; 0 before the first
  const char* begin = nullptr;
  const char* end = nullptr;
  std::uint64_t line = 0;  // of `begin`
  std::string title = {};  // of a molecule, printable
};

// Says what is to be read, and how.
struct Source {
  const Text& text;
  const InputOptions& options;  // options.kind: what was given, else what the file says
  const RunContext& run;
  InputFormat format = InputFormat::automatic;
  Part part = {};
  bool with_lines = false;    // asks for Parsed::lines
  bool as_fractions = false;  // values are fractions; else FractionFound may be thrown (names.hpp)
};

struct Parsed {
  enum class Shape {
    two_sided,   // rows and columns
    directed,    // one set of vertices, Edge{u, v} is u -> v
    undirected,  // one set of vertices, every edge once
    mirrored     // one set of vertices, every edge in both directions, which is still to be checked
  };

  Parsed() = default;
  explicit Parsed(const Source& source) : with_lines(source.with_lines) {}

  void set_vertices(std::uint64_t count) { num_rows = num_columns = static_cast<Vertex>(count); }
  void add_edge(Vertex row, Vertex column, std::uint64_t line) {
    edges.push_back({row, column});
    if (with_lines) lines.push_back(line);
  }

  bool with_lines = false;
  bool has_common_name = false;  // one stands in both columns, and nobody said what that means
  Shape shape = Shape::two_sided;
  Vertex num_rows = 0;
  Vertex num_columns = 0;  // equal to num_rows where there is one set of vertices
  std::vector<Edge> edges;
  Weights weights;
  std::vector<Rational> fractions;  // not empty: the weights are places here
  // Empty where the names are 1..n. One set of vertices: in row_labels.
  std::vector<std::string> row_labels;
  std::vector<std::string> column_labels;
  std::vector<std::uint64_t> lines;  // by edge, with_lines
  std::vector<Point> coordinates;    // by vertex, as Input has them
  std::vector<std::string> notes;    // on what was passed over, for Input::notes, without the file's name
};

// Returns what columns and vertices are taken for: what was given or the file says (options.kind), else what is usual.
inline InputKind kind_of(const InputOptions& options) { return options.kind.value_or(options.usual_kind); }

// Returns the character between fields; 0: as found. A longer delimiter was replaced before a reader saw it.
inline char delimiter_of(const InputOptions& options) {
  return options.delimiter.empty() ? '\0' : options.delimiter[0];
}

// A question about matrices or, for hafnians, undirected graphs is about weights in any case.
inline bool asks_for_weights(const InputOptions& options) {
  return options.usual_kind == InputKind::matrix || options.usual_kind == InputKind::undirected ||
         options.kind == InputKind::matrix;
}

// Returns the shape of a whole matrix.
inline Parsed::Shape shape_of_matrix(const Source& source) {
  const InputKind kind = kind_of(source.options);
  return kind == InputKind::undirected ? Parsed::Shape::mirrored
         : kind == InputKind::directed ? Parsed::Shape::directed
                                       : Parsed::Shape::two_sided;
}

// Begins a matrix of this size of a binary text, which it checks.
Parsed begun_matrix(const Source& source, std::uint64_t rows, std::uint64_t columns);

// Refuses a matrix that is not square where rows and columns are to be the same vertices.
void check_square(const Source& source, std::uint64_t line, std::uint64_t rows, std::uint64_t columns);

// Each throws InputError for what it does not understand.
Parsed read_edge_list(const Source& source);
Parsed read_dense(const Source& source);
Parsed read_matrix_market(const Source& source);
Parsed read_dimacs(const Source& source);  // and Blossom V's
Parsed read_metis(const Source& source);
Parsed read_xml(const Source& source);     // GraphML and GEXF
Parsed read_graph6(const Source& source);  // graph6, sparse6 and digraph6: a line of the text
Parsed read_npy(const Source& source);     // a matrix of a binary text, which has no lines
Parsed read_npz(const Source& source);     // a sparse matrix of an archive
Parsed read_mat(const Source& source);     // a matrix of a binary text
Parsed read_gml(const Source& source);
Parsed read_dot(const Source& source);
Parsed read_adjacency_list(const Source& source);
Parsed read_mol(const Source& source);  // MOL, SDF, MOL2 and XYZ
Parsed read_planar_code(const Source& source);
Parsed read_json(const Source& source);
Parsed read_tgf(const Source& source);
Parsed read_lgf(const Source& source);
Parsed read_pajek(const Source& source);
Parsed read_cells(const Source& source);

bool reads_graphml();  // says whether this build has libexpat
bool reads_json();     // and nlohmann's JSON

// Each moves to the next graph of a file; false behind the last.
bool next_graph6(const Text& text, InputFormat format, Part& part);
bool next_npy(const Text& text, InputFormat format, Part& part);
bool next_mol(const Text& text, InputFormat format, Part& part);
bool next_planar_code(const Text& text, InputFormat format, Part& part);

// Each says whether a text is certainly of the format.
bool is_matrix_market(const Text& text,
                      InputFormat format);             // a banner, also one misspelt that would pass for a comment
bool is_dimacs(const Text& text, InputFormat format);  // a problem line "p WORD NUMBER NUMBER"
// Looks for a header, or a whole first line that begins as those of sparse6 or digraph6 do.
bool is_graph6(const Text& text, InputFormat format);
bool is_gml(const Text& text, InputFormat format);  // "graph [", perhaps after the keys that programs put before it
bool is_dot(const Text& text, InputFormat format);  // "graph", a name and a brace
bool is_npy(const Text& text, InputFormat format);
bool is_npz(const Text& text, InputFormat format);
bool is_mat(const Text& text, InputFormat format);
bool is_planar_code(const Text& text, InputFormat format);
bool is_section(const Text& text, InputFormat format);  // a first line "@nodes" (LGF) or "*Vertices 4" (Pajek)
bool is_mol2(const Text& text, InputFormat format);
bool is_xyz(const Text& text, InputFormat format);  // a number of atoms, a comment, an element and three decimals
bool is_mol(const Text& text, InputFormat format);  // two numbers and V2000 or V3000 on the fourth line

}  // namespace matchcount::readers
