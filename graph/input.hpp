#pragma once
// Files into graphs. Every reader refuses what it does not understand with InputError: file, line, what stood there and
// what was expected; it never guesses a number.

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "graph/bipartite_graph.hpp"

namespace matchcount {

enum class InputFormat { automatic, edge_list, matrix_market, dimacs, metis, graphml };

// How the vertices that a file names become rows and columns.
enum class InputKind {
  bipartite,   // two separate sides (the default)
  undirected,  // one set of names, coloured in two; an odd cycle is the reason for a refusal
  directed,    // u -> v: row u, column v
  matrix       // rows and columns with values
};

struct InputOptions {
  InputKind kind = InputKind::bipartite;
  InputFormat format = InputFormat::automatic;  // automatic: by the first line, then by the file's extension
  Duplicates duplicates = Duplicates::refuse;
  bool keep_zeros = false;  // stored zeros of a matrix file are edges
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

  std::string row_label(Vertex row) const;
  std::string column_label(Vertex column) const;
};

// Reads FILE; "-" is standard input; gzip is recognised by its first bytes. Throws InputError, also for a file that is
// missing, a directory, empty, or ends in the middle of a gzip stream.
Input read_input(const std::string& file, const InputOptions& options = {});

// The same from memory or a stream; `name` stands for the file in messages.
Input read_input(std::istream& stream, const std::string& name, const InputOptions& options = {});
Input read_input_text(std::string_view text, const std::string& name, const InputOptions& options = {});

std::string_view to_string(InputFormat format);  // "edgelist", "mtx", "dimacs", "metis", "graphml", "auto"
std::string_view to_string(InputKind kind);      // "bipartite", "undirected", "directed", "matrix"

}  // namespace matchcount
