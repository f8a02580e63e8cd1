#pragma once
// Writes a known graph in the text formats that hold graphs alone: TGF, LGF, Pajek's, JSON, DOT.

#include <optional>
#include <string>

#include "graph/spellings.hpp"

namespace matchcount::test::misreading {

// TGF: vertices with labels, a line '#', edges.
inline std::optional<Spelling> tgf(const Truth& truth, Dice& dice) {
  if (!truth.one_set() || truth.has_complex) return std::nullopt;
  const int labels = dice.below(3), first = dice.below(2);
  Spelling file{"", "TGF", dice.coin() ? "file.tgf" : "file.txt"};
  const auto name = [&](int u) { return std::to_string(u + first); };
  for (int u = 0; u < truth.rows; ++u)
    file.text += name(u) +
                 (labels == 0   ? ""
                  : labels == 1 ? " " + std::string(1, static_cast<char>('a' + u))
                                : " node " + name(u)) +
                 "\n";
  file.text += "#\n";
  for (const Entry& entry : truth.entries)
    file.text += name(entry.u) + " " + name(entry.v) + (truth.has_values ? " " + entry.text : "") + "\n";
  return file;
}

// LGF of LEMON.
inline std::optional<Spelling> lgf(const Truth& truth, Dice& dice) {
  if (!truth.one_set() || truth.has_complex) return std::nullopt;
  Spelling file{"@nodes\nlabel" + std::string(dice.coin() ? "\tname" : "") + "\n", "LGF",
                dice.coin() ? "file.lgf" : "file.txt"};
  const bool has_names = file.text.find("name") != file.text.npos;
  for (int u = 0; u < truth.rows; ++u)
    file.text += std::to_string(u) + (has_names ? "\t\"n" + std::to_string(u) + "\"" : "") + "\n";
  file.text += truth.kind == InputKind::directed ? "@arcs\n" : "@edges\n";
  file.text += truth.has_values ? "\t\tweight\n" : "\t\t-\n";
  for (const Entry& entry : truth.entries)
    file.text +=
        std::to_string(entry.u) + "\t" + std::to_string(entry.v) + (truth.has_values ? "\t" + entry.text : "") + "\n";
  return file;
}

inline std::optional<Spelling> pajek(const Truth& truth, Dice& dice) {
  if (!truth.one_set() || truth.has_complex) return std::nullopt;
  const bool is_directed = truth.kind == InputKind::directed, is_list = !truth.has_values && dice.coin();
  Spelling file{"*Vertices " + std::to_string(truth.rows) + "\n", "Pajek", dice.coin() ? "file.net" : "file.txt"};
  if (dice.coin()) {
    for (int u = 0; u < truth.rows; ++u)
      file.text += std::to_string(u + 1) + " \"v " + std::to_string(truth.rows - u) + "\" 0.1 0.2\n";
  }
  file.text += std::string(is_directed ? "*Arcs" : "*Edges") + (is_list ? "list\n" : "\n");
  for (const Entry& entry : truth.entries)
    file.text += std::to_string(entry.u + 1) + " " + std::to_string(entry.v + 1) +
                 (truth.has_values ? " " + entry.text : "") + "\n";
  return file;
}

// Writes as networkx and D3 do.
inline std::optional<Spelling> json(const Truth& truth, Dice& dice) {
  if (!truth.one_set() || truth.has_complex || !built_with_json()) return std::nullopt;
  for (const Entry& entry : truth.entries) {
    if (entry.text.find('/') != entry.text.npos) return std::nullopt;
  }
  const bool is_networkx = truth.kind == InputKind::directed || dice.coin();
  const int ids = is_networkx ? dice.between(1, 3) : dice.below(4);  // none, from 0 on, from the end, strings
  const auto id = [&](int u) {
    return ids == 1   ? std::to_string(u)
           : ids == 2 ? std::to_string(truth.rows - u)
                      : with_quotes(std::to_string((7 * u + 1) % 31));
  };
  const bool by_place = !is_networkx && dice.coin();
  Spelling file{"{", "JSON", dice.coin() ? "file.json" : "file.txt"};
  if (is_networkx)
    file.text += std::string("\"directed\": ") + (truth.kind == InputKind::directed ? "true" : "false") + ", ";
  file.text += "\"nodes\": [";
  for (int u = 0; u < truth.rows; ++u)
    file.text += std::string(u == 0 ? "" : ",\n") + (ids == 0 ? "{}" : "{\"id\": " + id(u) + "}");
  file.text += dice.coin() ? "], \"links\": [" : "], \"edges\": [";
  bool is_first = true;
  for (const Entry& entry : truth.entries) {
    const auto end = [&](int u) { return ids == 0 || by_place ? std::to_string(u) : id(u); };
    file.text += std::string(is_first ? "" : ", ") + "{\"source\": " + end(entry.u) + ", \"target\": " + end(entry.v) +
                 (truth.has_values ? ", \"weight\": " + entry.text : "") + "}";
    is_first = false;
  }
  file.text += "]}\n";
  return file;
}

// DOT of Graphviz: edges one by one or as chains, weights at each edge or as defaults of a subgraph, comments.
inline std::optional<Spelling> dot(const Truth& truth, Dice& dice) {
  if (!truth.one_set() || truth.has_complex) return std::nullopt;
  const int names = dice.below(3);
  const auto name = [&](int u) {
    return names == 0   ? std::to_string(u)
           : names == 1 ? with_quotes("v \\\"" + std::to_string(u))
                        : "n_" + std::to_string(truth.rows - u);
  };
  const bool is_directed = truth.kind == InputKind::directed;
  Spelling file{std::string(dice.coin() ? "strict " : "") + (is_directed ? "digraph" : "graph") +
                    (dice.coin() ? " G {\n" : "\n{ node [shape=box]; // a comment\n"),
                "DOT", dice.coin() ? "file.dot" : "file.txt"};
  for (int u = 0; u < truth.rows; ++u) file.text += name(u) + (dice.coin() ? ";" : " [color=red]\n");
  for (const Entry& entry : truth.entries) {
    const std::string edge = name(entry.u) + (is_directed ? " -> " : dice.coin() ? "--" : " -- ") + name(entry.v);
    const std::string weight = "[weight=" + with_quotes(entry.text) + "]";
    if (!truth.has_values)
      file.text += edge + (dice.coin() ? "\n" : "; ");
    else if (dice.coin())
      file.text += edge + " " + weight + ";\n";
    else
      file.text += "subgraph { edge " + weight + " " + edge + " } /* {} */\n";
  }
  file.text += "}\n";
  return file;
}

}  // namespace matchcount::test::misreading
