#pragma once
// Reads files into graphs. Every reader refuses what it does not understand with InputError: file, line, what stood
// there and what was expected; it never guesses a number.

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/api.hpp"
#include "core/integer.hpp"
#include "core/names.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

enum class InputFormat {
  // By the first bytes and lines, then by the file's extension: .mtx; .gr, .col, .dimacs; .graph, .metis; .graphml;
  // .g6, .graph6; .s6, .sparse6; .d6, .digraph6; .npy; .gml; .adjlist; .mol, .sdf.
  automatic,
  edge_list,      // lines `u v` or `u v weight`, all alike: fields apart by blanks, tabs or one comma; # and % comments
  dense,          // a matrix line by line, as numpy.savetxt and spreadsheets write it
  matrix_market,  // its banner honoured in full
  dimacs,         // `p edge`, `p col` (lines `e u v`), `p tw` (PACE, lines `u v`), `p sp` (arcs `a u v weight`)
  metis,          // a line of neighbours for every vertex
  graphml,        // an edge attribute called weight_key is its weight; read where built_with_graphml()
  graph6,         // a line a graph, as nauty writes them; vertices are named from 0
  sparse6,        // likewise, with parallel edges; incremental lines are refused
  digraph6,       // likewise, directed
  npy,            // a NumPy array: a matrix, or with three dimensions a sequence of them; of bool without weights
  gml,            // vertices by `label`, `name` or `id`; an edge's weight by weight_key, or else `value`
  adjacency_list,  // a line `u v1 v2 ...` for every vertex: every edge once, or every edge from both ends
  mol              // MOL and SDF: atoms but hydrogen, every bond between them an edge (see readers/mol.cpp)
};

// How the vertices that a file names become rows and columns. Files of graphs (all but edge lists, dense text, Matrix
// Market and .npy) name one set of vertices: as `bipartite` they are read as `undirected` (and Input::kind says so), or
// refused where the file is directed.
enum class InputKind {
  // Two separate sides, the default. In an edge list the first column names the rows and the second the columns, so
  // that "1 1" joins two vertices. A side's names that are all integers stand in ascending order, others as they
  // appear.
  bipartite,
  // One set of names, ordered in the same way, coloured in two: the first vertex of every component is a row. An odd
  // cycle (unless InputOptions::odd_cycles), a loop and, in a Matrix Market file, an entry without its mirror image are
  // refused.
  undirected,
  // u -> v: row u, column v, over the union of both columns' names. Undirected edges go both ways.
  directed,
  // Rows and columns with values. In an edge list, names that are integers are then indices from 1, so that a row that
  // none names is a row of zeros; where other names occur they are treated as in `bipartite`.
  matrix
};

template <>
struct Names<InputFormat> {
  static constexpr std::string_view what = "format";
  static constexpr Named<InputFormat> all[] = {{InputFormat::automatic, "auto"},
                                               {InputFormat::edge_list, "edgelist"},
                                               {InputFormat::dense, "dense"},
                                               {InputFormat::matrix_market, "mtx"},
                                               {InputFormat::dimacs, "dimacs"},
                                               {InputFormat::metis, "metis"},
                                               {InputFormat::graphml, "graphml"},
                                               {InputFormat::graph6, "graph6"},
                                               {InputFormat::sparse6, "sparse6"},
                                               {InputFormat::digraph6, "digraph6"},
                                               {InputFormat::npy, "npy"},
                                               {InputFormat::gml, "gml"},
                                               {InputFormat::adjacency_list, "adjlist"},
                                               {InputFormat::mol, "mol"},
                                               {InputFormat::mol, "sdf"}};
};
template <>
struct Names<InputKind> {
  static constexpr std::string_view what = "kind";
  static constexpr Named<InputKind> all[] = {{InputKind::bipartite, "bipartite"},
                                             {InputKind::undirected, "undirected"},
                                             {InputKind::directed, "directed"},
                                             {InputKind::matrix, "matrix"}};
};

struct InputOptions {
  // What the file describes. Nothing: what the file says, by its format (METIS, DIMACS, GraphML: undirected or
  // directed) or by a comment "# kind: NAME" before its data ("% kind: NAME" in Matrix Market), which write_graph
  // writes; else usual_kind.
  std::optional<InputKind> kind;
  // What the caller's question is about. Where the file says another kind, so that its answer would be another, it is
  // refused with both kinds named.
  InputKind usual_kind = InputKind::bipartite;
  InputFormat format = InputFormat::automatic;
  Duplicates duplicates = Duplicates::refuse;
  bool keep_zeros = false;  // edges of weight 0, and stored zeros of a matrix file, are edges
  // Values of edge lists and Matrix Market files may be fractions such as -1/3 (where the file does not say integer)
  // and, where all are integers, of any size: see Input::fractions. Otherwise such a text is refused.
  bool fractions = false;
  bool odd_cycles = false;            // undirected graphs that are not bipartite are read, into Input::undirected
  char delimiter = 0;                 // of edge lists; 0: blanks, tabs or one comma, as found
  std::optional<bool> header;         // whether the first line of an edge list is a header
  std::string weight_key = "weight";  // of data dictionaries in edge lists ({'weight': 2.5}) and of GraphML
};

struct Input {
  BipartiteGraph graph;
  InputKind kind = InputKind::bipartite;
  InputFormat format = InputFormat::edge_list;
  // The names as the file has them; empty where they are the numbers 1..n of a format that counts from 1.
  std::vector<std::string> row_labels;
  std::vector<std::string> column_labels;
  // Integer weights that count parallel edges of an unweighted file (Duplicates::sum); they are part of a count of
  // matchings, whereas weights that the file itself gives are not.
  bool weights_are_multiplicities = false;
  // Where a value of the file is a fraction or an integer beyond 64 bits, the graph's weights are places in this table,
  // whose first is 0. Every value is then exact, 0.1 being 1/10.
  std::vector<Rational> fractions;
  // An undirected graph with an odd cycle, where InputOptions::odd_cycles let it in: the vertices of one such cycle in
  // order. Then the graph is `undirected`, whose vertices row_labels name, and `graph` is empty.
  std::vector<Vertex> odd_cycle;
  UndirectedGraph undirected;
  // Sentences on how the file was read that its owner should see.
  std::vector<std::string> notes;

  bool is_bipartite() const { return odd_cycle.empty(); }
  EdgeId num_edges() const { return is_bipartite() ? graph.num_edges() : undirected.num_edges(); }
  WeightKind weight_kind() const { return is_bipartite() ? graph.weight_kind() : undirected.weight_kind(); }

  std::string row_label(Vertex row) const;
  std::string column_label(Vertex column) const;
};

// Whether this build has libexpat, which reads GraphML. Without it reading that throws NotCompiled.
bool built_with_graphml();

// Reads FILE; "-" is standard input; gzip is recognised by its first bytes.
//
// Weights are 64-bit integers where the text of every one is an integer, double-doubles otherwise; edges of weight 0
// are dropped (and their vertices kept) unless keep_zeros. Vertices without edges can't be expressed in an edge list.
//
// Throws InputError for anything that is not what the format asks: also for a file that is missing, a directory, empty,
// cut in the middle of a gzip stream, not text (NUL or control characters, names that are not UTF-8), for an integer
// beyond 64 bits, an index beyond 2^31 - 1, for more vertices than the text has bytes (beyond 2^24), since a line of a
// few bytes must not ask for gigabytes, and for a file that holds several graphs (InputSequence reads those). Throws
// Unable where memory is short or the time of `run` is over.
//
// One thread. Time linear in the text plus that of BipartiteGraph::from_edges; memory the text, 8 bytes an edge and the
// weights beside the graph.
Input read_input(const std::string& file, const InputOptions& options = {}, const RunContext& run = {});

// The same from memory or a stream; `name` stands for the file in messages.
Input read_input(std::istream& stream, const std::string& name, const InputOptions& options = {},
                 const RunContext& run = {});
Input read_input_text(std::string_view text, const std::string& name, const InputOptions& options = {},
                      const RunContext& run = {});

// Reads the graphs that a file holds, one after another: one for every format of today.
//
//   InputSequence sequence(file, options);
//   while (std::optional<Input> input = sequence.next()) count(*input);
class InputSequence {
 public:
  // "-" is standard input. Throws as read_input does where the file can't be read or its format is not known.
  explicit InputSequence(const std::string& file, const InputOptions& options = {}, const RunContext& run = {});
  // From memory or a stream; `name` stands for the file in messages.
  static InputSequence from_text(std::string_view text, const std::string& name, const InputOptions& options = {},
                                 const RunContext& run = {});
  static InputSequence from_stream(std::istream& stream, const std::string& name, const InputOptions& options = {},
                                   const RunContext& run = {});
  InputSequence(InputSequence&&) noexcept;
  InputSequence& operator=(InputSequence&&) noexcept;
  ~InputSequence();

  // The next graph; nothing behind the last. Throws InputError for a bad one, and the next call goes on behind it.
  std::optional<Input> next();
  // The file's only graph, to be called first. Throws InputError where it holds several or none.
  Input only();
  // The place of the graph that was given or refused last, from 1; 0 before the first.
  std::uint64_t position() const;
  // The file holds more than one.
  bool has_several() const;

 private:
  struct State;
  explicit InputSequence(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace matchcount
