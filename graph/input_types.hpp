#pragma once
// Names what a file may describe, how it is to be read, and what was read from it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/api.hpp"
#include "core/names.hpp"
#include "core/numbers/integer.hpp"
#include "graph/graph_view.hpp"
#include "graph/layout.hpp"

namespace MATCHCOUNT_API matchcount {

enum class InputFormat {
  // Finds the format before the text is read: by the bytes or words that it alone begins with, by a comment
  // "# format: edgelist" (dense, metis, adjlist), by the file's extension where that is one format's own, or by the
  // first line of KONECT's and SNAP's edge lists. Other text is plain: a matrix where the question is about one, else
  // edges, but for lines of four or more numbers. Plain text that may be either is refused.
  automatic,
  // Lines `u v`, `u v weight` or, by networkx, `u v {'weight': 2.5}`, all alike; a name alone is a vertex without
  // edges. Fields stand apart by blanks, tabs or one comma, in double quotes where they hold those; # and % comments.
  // A table, whose first line names a source, a target and further columns: those two, and that of weight_key.
  // By KONECT, whose first line is `% sym`, `% asym` or `% bip`, `u v weight time`, and that line is the kind.
  edge_list,
  // A matrix line by line, as numpy.savetxt and spreadsheets write it: integers, reals, 1+2j; blanks, tabs, commas or
  // semicolons; # and % comments. With names above and beside it, which are kept, or without. Zeros and ones alone are
  // a matrix without weights.
  dense,
  matrix_market,   // its banner honoured in full
  dimacs,          // `p edge`, `p col` (lines `e u v`), `p tw`, `p cep` and others of PACE (lines `u v`), `p sp`,
                   // `p max` (arcs `a u v weight`), `p asn` and `p ocr` (of two sides)
  metis,           // a line of neighbours for every vertex
  graphml,         // an edge attribute called weight_key is its weight; read where built_with_graphml()
  graph6,          // a line a graph, as nauty writes them; vertices are named from 0
  sparse6,         // likewise, with parallel edges; incremental lines are refused
  digraph6,        // likewise, directed
  npy,             // a NumPy array: a matrix, or with three dimensions a sequence of them; of bool without weights
  gml,             // vertices by `label`, `name` or `id`; an edge's weight by weight_key, or else `value`
  adjacency_list,  // a line `u v1 v2 ...` for every vertex: every edge once, or every edge from both ends
  mol,             // MOL and SDF: atoms with double bonds, and all bonds between these (see readers/mol.cpp)
  gexf,            // as GraphML; vertices by `label` where that tells all of them apart
  tgf,             // Trivial Graph Format: vertices, a line `#`, edges; of arcs or edges as InputKind says
  lgf,             // LEMON's sections of nodes, also of two sides, and arcs or edges; weights in the column weight_key
  pajek,           // `*Vertices`, `*Arcs`, `*Edges` or `*Matrix`, perhaps of two sides; a network of a project
  json,            // networkx (node-link) and D3: `nodes` and `links` or `edges`; an edge's weight by weight_key
  planar_code,     // plantri's binary graphs
  dot,             // Graphviz; vertices by `label` where that tells all apart; an edge's weight by weight_key
  npz,             // a sparse matrix of SciPy; of other arrays member picks one
  xyz,             // atoms in space, whose bonds are found by their distances (see readers/mol.cpp)
  mol2,            // molecules of Tripos, as MOL
  mat,             // a matrix of MATLAB, full or sparse; of several member picks one
  blossom,         // Blossom V's: a line `n m`, then m lines `u v weight`, vertices named from 0
  cells            // a region of squares, drawn by `#` and `.` or 1 and 0: its squares joined to those beside them
};

// InputKind says how the vertices that a file names become rows and columns. Files of graphs (all but edge lists, dense
// text, Matrix Market and .npy) name one set of vertices: as `bipartite` they are read as `undirected` (and Input::kind
// says so), or refused if the file is directed.
enum class InputKind {
  // Two separate sides. In an edge list the first column names the rows and the second the columns, so
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
                                               {InputFormat::mol, "sdf"},
                                               {InputFormat::gexf, "gexf"},
                                               {InputFormat::tgf, "tgf"},
                                               {InputFormat::lgf, "lgf"},
                                               {InputFormat::pajek, "pajek"},
                                               {InputFormat::json, "json"},
                                               {InputFormat::planar_code, "planar_code"},
                                               {InputFormat::dot, "dot"},
                                               {InputFormat::npz, "npz"},
                                               {InputFormat::xyz, "xyz"},
                                               {InputFormat::mol2, "mol2"},
                                               {InputFormat::mat, "mat"},
                                               {InputFormat::blossom, "blossom"},
                                               {InputFormat::cells, "cells"}};
};
template <>
struct Names<InputKind> {
  static constexpr std::string_view what = "kind";
  static constexpr Named<InputKind> all[] = {{InputKind::bipartite, "bipartite"},
                                             {InputKind::undirected, "undirected"},
                                             {InputKind::directed, "directed"},
                                             {InputKind::matrix, "matrix"}};
};

// Says what becomes of an edge of an undirected graph from a vertex to itself.
enum class Loops {
  refuse,
  drop,  // left out, with a note
  keep   // with odd_cycles: goes to Input::loops, for questions that have loops
};
template <>
struct Names<Loops> {
  static constexpr std::string_view what = "choice";
  static constexpr Named<Loops> all[] = {{Loops::refuse, "refuse"}, {Loops::drop, "drop"}, {Loops::keep, "keep"}};
};

struct InputOptions {
  // Says what the file describes. Nothing: what the file says, by its format (METIS, DIMACS, GraphML: undirected or
  // directed) or by a comment "# kind: NAME" before its data, which write_graph writes ("% kind: NAME" in Matrix
  // Market); else usual_kind. An edge list in which a name stands in both columns is refused, with both kinds named,
  // where that is bipartite, and where it is matrix and the names are no indices.
  std::optional<InputKind> kind = {};
  // Says what the caller's question is about. A file that says another kind, whose answer would be that to another
  // question, is refused with both kinds named: undirected or directed for matrix, bipartite for directed, matrix for
  // undirected, directed for bipartite and undirected.
  InputKind usual_kind = InputKind::bipartite;
  InputFormat format = InputFormat::automatic;
  Duplicates duplicates = Duplicates::refuse;
  bool keep_zeros = false;  // edges of weight 0, and stored zeros of a matrix file, are edges
  // Values of text may be fractions such as -1/3 (where the file does not say integer) and, where all are integers, of
  // any size: see Input::fractions. Otherwise such a text is refused.
  bool fractions = false;
  // Decimals are exact, with fractions: if a value is a decimal that is not held exactly, or decimals are summed, all
  // are fractions.
  bool exact_decimals = false;
  // Says that the question is about perfect matchings, to whose number an edge by itself makes no difference: a first
  // line of two words may then be read as one, though it may be a header.
  bool of_perfect_matchings = false;
  bool odd_cycles = false;      // undirected graphs that are not bipartite are read, into Input::undirected
  Loops loops = Loops::refuse;  // of undirected graphs; of others drop and keep are refused
  bool skeleton = false;  // of a molecule all atoms but hydrogen and all bonds between them, not only conjugated ones
  // The first index of rows and columns, 0 or 1, in an edge list that is a matrix, `row column value`. Nothing: 1;
  // where it is given plain text is such a list.
  std::optional<Vertex> base = {};
  // A number, or inf, that stands for no edge among the entries of dense text and of .npy files; empty: none does.
  std::string no_edge = {};
  // Stands between the fields of edge lists and dense text: a tab, a blank (any number of them), a mark or several;
  // empty: as found.
  std::string delimiter = {};
  // The file of a ZIP or tar archive, the array of a .npz file, the variable or field of a .mat file or the network of
  // Pajek's project that is read, where these hold several; empty: there is one, perhaps beside others that are none.
  std::string member = {};
  // Picks the ends of edges and perhaps their weight among the columns of a table, by names of its first line or by
  // numbers from 1: "user,item,rating". Empty: edge lists, and tables whose header tells.
  std::string columns = {};
  // The column of a table or edge list, by its name in the first line or its number from 1, whose texts are labels of
  // the edges: see Input::edge_labels. Then the ends stand in two columns that are picked, or that the header tells, or
  // in the first two, and there are no weights. Empty: no labels.
  std::string label = {};
  // Says whether the first line of an edge list or of dense text is a header; nothing: as a comment "# header: no"
  // (yes) before it says, and else words above numbers are one, and words above words are refused unless they are a
  // pair that tables use. Numbers are the size of what follows, which is checked, or number its columns.
  std::optional<bool> header = {};
  // The key of an edge's weight in GraphML, GML and the data dictionaries of edge lists; empty: there are no weights.
  // Nothing: `weight`, and in GML else `value`. In any format an empty one leaves all weights aside. A key that is
  // given and that no edge has is refused, with the keys that there are. So is, where the question is about weights
  // (usual_kind matrix or undirected, or kind matrix), a file whose edges have numbers under other keys alone.
  std::optional<std::string> weight_key = {};
};

struct Input {
  BipartiteGraph graph;
  InputKind kind = InputKind::bipartite;
  InputFormat format = InputFormat::edge_list;
  // The names as the file has them; empty where they are the numbers 1..n of a format that counts from 1.
  std::vector<std::string> row_labels;
  std::vector<std::string> column_labels;
  // Columns of an undirected graph without an odd cycle, by vertex in the file's order. Rows and columns each
  // stand in that order.
  std::vector<bool> is_column;
  // Integer weights that count parallel edges of an unweighted file (Duplicates::sum); they are part of a count of
  // matchings, whereas weights that the file itself gives are not.
  bool weights_are_multiplicities = false;
  // Not empty if a value of the file is a fraction or an integer beyond 64 bits: the weights are places in this table,
  // whose first is 0. Every value is then exact, 0.1 being 1/10.
  std::vector<Rational> fractions;
  // The labels of edges, where InputOptions::label asked for them, as they appear: the weights are places in this
  // table, whose first is none.
  std::vector<std::string> edge_labels;
  // An undirected graph with an odd cycle, where InputOptions::odd_cycles let it in: the vertices of one such cycle in
  // order. Then the graph is `undirected`, whose vertices row_labels name, and `graph` is empty.
  std::vector<Vertex> odd_cycle;
  UndirectedGraph undirected;
  // The weights of loops, by vertex of `undirected`, 0 where there is none; empty where no vertex has one. A loop is an
  // odd cycle of one vertex. Without weights a loop counts 1.
  std::optional<Weights> loops;
  // Vertices, rows before columns, that are always matched where others may be left out: no reader fills it.
  std::vector<Vertex> always_matched;
  // Data for pictures: the words of a comment "# layout: aztec 10" before the data, as lattice_layout takes them, and
  // the places of the vertices in the file's order if the format has some (MOL). Empty: the file says nothing.
  std::string layout;
  std::vector<Point> coordinates;
  std::string title;  // of a molecule; empty: the file has none
  // Sentences on how the file was read that its owner should see.
  std::vector<std::string> notes;

  bool is_bipartite() const { return odd_cycle.empty(); }
  GraphView view() const { return is_bipartite() ? GraphView(graph) : GraphView(undirected); }
  const Weights& weights() const { return is_bipartite() ? graph.weights() : undirected.weights(); }
  EdgeId num_edges() const { return is_bipartite() ? graph.num_edges() : undirected.num_edges(); }
  WeightKind weight_kind() const { return is_bipartite() ? graph.weight_kind() : undirected.weight_kind(); }

  std::string row_label(Vertex row) const;
  std::string column_label(Vertex column) const;
};

}  // namespace matchcount
