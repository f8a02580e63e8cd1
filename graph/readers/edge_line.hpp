#pragma once
// Splits the lines of edge lists into names and weights. Private to graph/.

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graph/input_types.hpp"
#include "graph/readers/formats.hpp"
#include "graph/readers/named_graph.hpp"
#include "graph/readers/text.hpp"
#include "graph/readers/tokens.hpp"

namespace matchcount::readers {

// Says whether two words tell the size of a graph, as "n=4 m=5" and "nodes:4 edges:5" do.
bool are_sizes(std::string_view first, std::string_view second);

// Holds what stands on a line that is neither empty nor a comment.
struct EdgeLine {
  // Form names how an edge is given. Those of a file are all alike.
  enum class Form {
    name,       // one name: a vertex
    pair,       // u v
    weighted,   // u v w
    bare_data,  // u v {...} without the weight's key
    data        // u v {'weight': w}
  };
  Form form = Form::name;
  std::string_view names[2];
  std::string_view weight;
  bool is_quoted[2] = {false, false};  // the names
  bool has_time = false;               // behind the weight
};

// Fields stand apart by InputOptions::delimiter or by what the first line has, commas, semicolons or blanks and tabs.
// Blanks and tabs around a field are not part of it. A field in double quotes (RFC 4180) may hold separators, and
// quotes doubled; it ends on its line. So may one in brackets, (0, 1), where no delimiter is asked for. # and % at the
// start of a field begin a comment. The third field is a weight or a data dictionary; the fourth, in a file that says
// it is of KONECT, a time, which is passed over.
class EdgeLineSplitter {
 public:
  EdgeLineSplitter(const Text& text, const InputOptions& options)
      : text_(text),
        options_(options),
        delimiter_(delimiter_of(options)),
        weight_key_(options),
        has_times_(konect_kind(text).has_value()) {}

  // Moves to the first line that is no comment and, where options.header says so, no header; false where there is none.
  // Refuses one that tells a size in words, entries of a matrix behind their places, and molecules in SMILES notation.
  bool start(Cursor& cursor);
  // Requires a cursor on a line that is neither empty nor a comment, and leaves it at the line's end. The names stay
  // valid as long as the text and this splitter.
  EdgeLine split(Cursor& cursor);
  // Says that this was the last line. Refuses a line that begins with `c`, as comments of DIMACS do, unless other names
  // are letters too.
  void end() const;
  // Reads the data that networkx writes behind the names of an edge, and sets its form and the text of the weight among
  // them: a number as a rule, which is not checked here.
  void read_data(Cursor& cursor, EdgeLine& line);
  // Lines are split as they are where no delimiter is asked for.
  bool is_plain() const { return delimiter_ == 0; }
  // Returns the separator of the lines; a blank: blanks and tabs.
  char separator() const { return delimiter_ != 0 ? delimiter_ : found_; }
  // Says whether the line has separators alone, as the last ones of spreadsheets.
  bool is_blank_line(const Cursor& cursor) const;
  const WeightKey& weight_key() const { return weight_key_; }
  // Says whether a header was passed over that is no size.
  bool has_words_above() const { return has_words_above_; }
  // Says whether a time was passed over.
  bool dropped_time() const { return dropped_time_.value_or(false); }

 private:
  bool is_separator(char c) const { return separator() != ' ' && c == separator(); }
  bool is_padding(char c) const { return is_blank(c) && (c != separator() || c == ' '); }
  bool split_usual(Cursor& cursor, EdgeLine& line) const;
  EdgeLine split_fields(Cursor& cursor);
  void check_cell(Cursor& cursor, const Fields& fields, std::string_view cell, const char* line) const;
  [[noreturn]] void refuse_mixture(const char* start, std::uint64_t line) const;
  void refuse_hidden_separator(const char* start, std::uint64_t line, std::string_view name) const;
  void refuse_split_numbers(std::span<const std::string_view> fields, const EdgeLine& line, std::uint64_t number) const;
  void refuse_name_alone(const EdgeLine& line, std::uint64_t number) const;
  void refuse_sizes(Cursor cursor);
  void refuse_entries(Cursor cursor);
  void refuse_molecules(Cursor cursor) const;
  [[noreturn]] void refuse_comment(std::uint64_t line, std::string_view first) const;

  const Text& text_;
  const InputOptions& options_;
  char delimiter_;    // that was asked for; 0: none
  char found_ = ' ';  // in the first line
  WeightKey weight_key_;
  bool has_times_;
  std::optional<bool> dropped_time_;
  bool has_words_above_ = false;
  bool has_letters_ = false;  // as names, but for `c` at the beginning of a line
  std::string_view c_;        // the first of these
  std::uint64_t c_line_ = 0;
  std::list<std::string> unquoted_;  // fields with a doubled quote, without it
};

}  // namespace matchcount::readers
