// Tables of edges: a header tells which columns are the ends of edges and their weights. What is read is written anew
// as an edge list without a header, line by line.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/readers/edge_line.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/plain.hpp"
#include "graph/readers/tokens.hpp"

namespace matchcount::readers {

namespace {

constexpr std::size_t most_columns = 1000;
constexpr const char* header_options = "--header yes where it is one, or --header no where it is an edge";

struct Columns {
  std::size_t source = 0, target = 1;
  std::optional<std::size_t> weight = {};
  std::vector<std::string> others = {};  // their names in quotes, but for that of the numbers of rows, which is empty
  bool has_header = true;                // the columns have names
  bool is_pair = false;                  // these name ends and nothing else, unlike R's V1 and V2
};

// Returns the letters and digits of a column's name in lower case, without the words that say that it names vertices:
// From_Node-ID is `from`.
std::string word_of(std::string_view name) {
  std::string word;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) == 0 && std::string_view("_-. ").find(c) == std::string_view::npos)
      return std::string(name);
    if (std::isalnum(letter) != 0) word += static_cast<char>(std::tolower(letter));
  }
  for (const std::string_view end : {"ids", "id", "node", "vertex", "name"})
    if (word.size() > end.size() && word.ends_with(end)) word.resize(word.size() - end.size());
  return word;
}

// Says whether these head the columns of an edge's ends, in this order.
bool are_ends(std::string_view first, std::string_view second) {
  constexpr std::string_view pairs[] = {"source target",   "from to",         "u v",
                                        "row col",         "row column",      "src dst",
                                        "src dest",        "left right",      "tail head",
                                        "start end",       "parent child",    "origin destination",
                                        "user item",       "author paper",    "sender receiver",
                                        "node1 node2",     "vertex1 vertex2", "v1 v2",
                                        "x1 x2",           "id1 id2",         "var1 var2",
                                        "column1 column2", "n1 n2",           "source sink"};
  return std::ranges::any_of(
      pairs, [&](std::string_view rest) { return take_word(rest) == first && rest.substr(1) == second; });
}

// Finds the one pair of ends among the columns, and the weight.
std::optional<Columns> columns_of(std::span<const std::string_view> names) {
  Columns columns;
  int pairs = 0;
  std::vector<std::string> words;
  for (const std::string_view name : names) words.push_back(word_of(name));
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (!are_ends(words[i], words[j])) continue;
      // R numbers the columns of any table so.
      const bool is_numbered = words[i] == "v1" || words[i] == "x1" || words[i] == "var1" || words[i] == "column1";
      if (is_numbered && names.size() > 2) continue;
      ++pairs;
      columns.source = i;
      columns.target = j;
      columns.is_pair = !is_numbered;
    }
  }
  return pairs == 1 ? std::optional(columns) : std::nullopt;
}

class TableReader {
 public:
  TableReader(const Text& text, const InputOptions& options) : text_(text), options_(options), cursor_(text) {}

  std::optional<EdgeTable> read() {
    if (!begin() || !find_columns()) return std::nullopt;
    std::string edges = read_lines();
    text_.check(edges.size());
    EdgeTable table{Text::from_memory(edges, text_.name(), text_.run()),
                    separator_,
                    columns_.has_header,
                    {},
                    {},
                    kind_,
                    columns_.is_pair || is_asked()};
    if (has_labels()) table.labels = std::move(labels_);
    for (const std::string& name : columns_.others) table.note += (table.note.empty() ? "passed over: " : ", ") + name;
    return table;
  }

 private:
  bool has_labels() const { return !options_.label.empty(); }
  bool is_asked() const { return !options_.columns.empty() || has_labels(); }
  bool is_about_matrix() const {
    return options_.format == InputFormat::automatic && kind_of(options_) == InputKind::matrix;
  }

  // Splits the first line; false where no header is looked for.
  bool begin() {
    const bool is_format = options_.format == InputFormat::automatic || options_.format == InputFormat::edge_list;
    if (is_asked() && !is_format) throw InputError("columns of a table, and another format", "--format edgelist");
    if (!is_format || !(is_asked() || options_.header.value_or(true)) || !cursor_.skip_to_data("#%")) return false;
    const char* start = cursor_.position();
    if (!is_asked() && *start == '<') return false;
    if (start != text_.begin() && start[-1] == '\t') --start;  // behind an empty name
    separator_ = separator_in(options_, start);
    header_.emplace(Fields::of_names(start, separator_));
    header_->take(first_, most_columns + 1);
    if (header_->is_broken() || first_.size() > most_columns) return false;
    drop_empty_end(first_, 2);
    for (const Field& field : first_) names_.push_back(field.text);
    header_line_ = cursor_.line();
    return names_.size() > 1 || is_asked();
  }

  // Drops empty cells at the end of a line, down to so many.
  static void drop_empty_end(std::vector<Field>& fields, std::size_t least) {
    while (fields.size() > least && fields.back().text.empty() && !fields.back().is_quoted) fields.pop_back();
  }

  bool find_columns() {
    if (has_labels()) pick_ends();
    if (is_asked()) {
      columns_ = asked_columns();
      return true;
    }
    // Words alone, below which something stands; the numbers of rows have no name.
    for (std::size_t i = 0; i < names_.size(); ++i)
      if ((names_[i].empty() && i > 0) || is_finite_number(names_[i]) || (i > 1 && names_[i].starts_with('{')))
        return false;
    const auto found = columns_of(names_);
    if (!found && (names_[0].empty() || names_.size() > 3)) return false;
    const Below below = look_below(found.value_or(Columns()));
    if (names_.size() < 4 && below.rows > 0 && below.width != names_.size()) {
      if (found && !options_.header && !table_names(text_, options_)) refuse_header(header_options);
      return false;
    }
    if (names_.size() == 2 && are_sizes(names_[0], names_[1])) return false;
    if (!is_header(found, below)) return false;
    columns_ = found.value_or(Columns());
    name_others();
    check_weight();
    return true;
  }

  // Describes the lines below the first.
  struct Below {
    std::size_t rows = 0;
    std::size_t width = 0;                     // of the first line of more fields than one
    bool are_numbers = true;                   // all fields but the names of rows
    bool has_numbers[3] = {true, true, true};  // alone, by column
    bool recurs = false;                       // a name of the first line as an end
  };

  // Says whether three or more columns of numbers, which may be edges, are a matrix with names above and beside.
  // Refuses what has names above alone, but for a column `weight`.
  bool is_matrix(const Columns& found, const Below& below) const {
    const bool has_weight = std::ranges::any_of(names_, [](auto name) { return word_of(name) == "weight"; });
    const bool may_be = below.rows > 0 && below.are_numbers && options_.format == InputFormat::automatic &&
                        (!has_weight || (is_about_matrix() && below.rows == names_.size()));
    if (!may_be || names_[0].empty()) return may_be;
    refuse_as_both(found);
  }

  [[noreturn]] void refuse_as_both(const Columns& found) const {
    refuse(text_, header_line_,
           "numbers alone below " + in_quotes(names_[found.source]) + " and " + in_quotes(names_[found.target]) +
               ", which may be edges or a matrix",
           "--format edgelist where those two columns are the ends of edges, or --format dense where all are a matrix");
  }

  // Says whether the first line is a header of edges. Refuses what may be one, where nobody says so. Two words head the
  // ends where somebody does.
  bool is_header(const std::optional<Columns>& found, const Below& below) const {
    const std::size_t width = names_.size();
    if (is_about_matrix() && !(found && found->is_pair)) return false;
    if (found && width > 2) return !is_matrix(*found, below);
    const bool are_numbers = below.rows > 0 && below.are_numbers;
    if (are_numbers && is_about_matrix()) refuse_as_both(*found);
    if (options_.header) {
      if (found || width == 2 || equal_ignoring_case(names_[2], options_.weight_key.value_or("weight"))) return true;
      refuse_header(
          "--columns with those of the ends, or a header whose words tell them, such as source,target,weight");
    }
    if (are_numbers && width == 2) return true;
    if (width == 3 && (below.rows == 0 || !below.has_numbers[2])) return false;  // the third word is no weight
    if (width == 3)
      refuse_header("--columns with the two columns of the ends, or three with the weight, where it is a header");
    if (found && below.rows > 0 && !below.recurs) return true;
    // An edge by itself, of which every perfect matching has it and no other.
    const bool is_lone = options_.of_perfect_matchings && kind_of(options_) != InputKind::directed;
    const bool has_numbers = below.has_numbers[0] || below.has_numbers[1];
    if (!found && (below.rows == 0 || ((below.recurs || is_lone) && !has_numbers))) return false;
    refuse_header(header_options);
  }

  Below look_below(const Columns& columns) const {
    Below below;
    std::vector<Field> fields;
    Cursor cursor = cursor_;
    const bool is_pair = columns_of(names_).has_value();
    for (cursor.next_line(); cursor.skip_to_data("#%"); cursor.next_line(), ++below.rows) {
      Fields line = Fields::of_names(cursor.position(), separator_);
      line.take(fields, names_.size() + 1);
      drop_empty_end(fields, 1);
      below.width = below.width == 0 && fields.size() > 1 ? fields.size() : below.width;
      const std::size_t least = std::max<std::size_t>(fields.size() == 1 ? 1 : names_.size(), 1);
      for (std::size_t i = names_[0].empty() ? 1 : 0; i < least; ++i) {
        const bool is_number = i < fields.size() && !fields[i].is_quoted &&
                               (is_finite_number(fields[i].text) || (i > 1 && is_numeric(fields[i].text)));
        below.are_numbers = below.are_numbers && is_number;
        if (i < 3) below.has_numbers[i] = below.has_numbers[i] && is_number;
      }
      for (const std::size_t end : {columns.source, columns.target}) {
        if (end >= fields.size()) continue;
        const std::string_view name = fields[end].text;
        for (const std::size_t word : {columns.source, columns.target})
          below.recurs = below.recurs || (is_pair ? equal_ignoring_case(name, names_[word]) : name == names_[word]);
      }
      const bool may_have_numbers = std::ranges::any_of(below.has_numbers, std::identity());
      if (below.recurs && !below.are_numbers && !may_have_numbers) break;
    }
    return below;
  }

  [[noreturn]] void refuse_header(const char* expected) const {
    refuse(text_, header_line_, in_quotes(trimmed(rest_of_line(cursor_.position()))) + ", which looks like a header",
           expected);
  }

  // Finds the columns that were asked for, by their names in the first line or by numbers.
  Columns asked_columns() const {
    std::vector<std::size_t> places;
    bool has_header = options_.header.value_or(false);
    for (std::string_view rest = options_.columns; !rest.empty();) {
      const std::string_view column = trimmed(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
      const auto number = parse_natural(column);
      has_header = has_header || !number;
      const auto found =
          number ? names_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(*number - 1, names_.size()))
                 : std::ranges::find(names_, column);
      const bool is_one = found != names_.end() && (number || std::count(found, names_.end(), column) == 1);
      if (!is_one || std::ranges::find(places, found - names_.begin()) != places.end()) {
        refuse(text_, header_line_,
               std::string(number ? "no column of its own with the number " : "no column of its own called ") +
                   in_quotes(column),
               "two or three of the " + counted(names_.size(), "column"));
      }
      places.push_back(static_cast<std::size_t>(found - names_.begin()));
    }
    if (places.size() < 2 || places.size() > 3)
      throw InputError("the columns " + in_quotes(options_.columns),
                       "two ends of an edge and perhaps its weight: 1,2,3");
    if (has_header && !options_.header.value_or(true))
      throw InputError("names of columns of a text without a header", "numbers of columns");
    Columns columns{places[0], places[1], std::nullopt, {}, has_header};
    if (places.size() == 3) columns.weight = places[2];
    for (std::size_t i = 0; has_header && i < names_.size(); ++i)
      if (std::ranges::find(places, i) == places.end() && !names_[i].empty())
        columns.others.push_back(in_quotes(names_[i]));
    return columns;
  }

  // Names the columns of the ends and of the label.
  void pick_ends() {
    if (options_.columns.empty()) {
      const auto found = options_.header.value_or(true) ? columns_of(names_) : std::nullopt;
      if (found) options_.header = true;
      options_.columns = found ? std::to_string(found->source + 1) + "," + std::to_string(found->target + 1) : "1,2";
    } else if (std::ranges::count(options_.columns, ',') != 1) {
      throw InputError("the columns " + in_quotes(options_.columns) + " and a column of labels", "two ends of an edge");
    }
    options_.columns += "," + options_.label;
  }

  // Says whether a column is called the weight, or so that only those who ask for weights need mean it.
  bool is_called_weight(std::string_view name) const {
    constexpr std::string_view words[] = {"weight", "weights", "edgeweight", "w", "value"};
    const std::string word = word_of(name);
    return word == "weight" || (asks_for_weights(options_) && std::ranges::find(words, word) != std::end(words));
  }

  // Finds the weight, and what is passed over.
  void name_others() {
    const std::string_view key = options_.weight_key ? std::string_view(*options_.weight_key) : "weight";
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (i == columns_.source || i == columns_.target) continue;
      if (!columns_.weight && !key.empty() && equal_ignoring_case(names_[i], key))
        columns_.weight = i;
      else if (key.empty() && is_called_weight(names_[i]))
        columns_.others.push_back(in_quotes(names_[unread_weight_.emplace(i)]));
      else if (!options_.weight_key && word_of(names_[i]) == "type")
        type_ = i;
      else if (!names_[i].empty())
        columns_.others.push_back(in_quotes(names_[i]));
    }
  }

  void check_weight() const {
    const bool is_without = options_.weight_key && options_.weight_key->empty();
    if (columns_.weight || is_without || (columns_.others.empty() && !options_.weight_key)) return;
    if (!options_.weight_key && !asks_for_weights(options_)) return;
    refuse(text_, header_line_,
           options_.weight_key ? "no column " + in_quotes(*options_.weight_key) : std::string("no column 'weight'"),
           columns_.others.empty()
               ? std::string("no --weight-key: no column is left for it")
               : "--weight-key with the name of the weights' column: " +
                     listed({columns_.others.begin(), columns_.others.end()}) + "; with '' all weights are 1");
  }

  // Takes a line's word for the kind of the graph, in a column `Type` as Gephi writes it. Other words say nothing.
  void see_type(std::string_view type) {
    const std::optional<InputKind> kind = equal_ignoring_case(type, "directed") ? std::optional(InputKind::directed)
                                          : equal_ignoring_case(type, "undirected")
                                              ? std::optional(InputKind::undirected)
                                              : std::nullopt;
    if (kind == kind_ || (!kind && !kind_)) return;
    if (has_data_)
      refuse(text_, cursor_.line(), "the type " + in_quotes(type) + " among others",
             "edges of one type, all Directed or all Undirected");
    kind_ = kind;
  }

  std::string read_lines() {
    std::string edges;
    edges.reserve(text_.size() / 2);
    for (std::uint64_t line = columns_.has_header ? 0 : 1; line < header_line_; ++line) edges += "#\n";
    if (columns_.has_header) cursor_.next_line();
    std::vector<Field> fields;
    for (; !cursor_.at_end(); cursor_.next_line(), edges += '\n') {
      Fields line = Fields::of_names(cursor_.position(), separator_);
      if (cursor_.at_line_end()) continue;
      line.take(fields, names_.size() + 1);
      drop_empty_end(fields, names_.size());
      if (std::ranges::all_of(fields, [](const Field& field) { return field.text.empty(); }) && !line.is_broken())
        continue;
      if (is_comment(line, fields)) continue;
      put_line(edges, fields);
    }
    if (c_line_ != 0 && !has_letters_ && options_.format == InputFormat::automatic)
      refuse(text_, c_line_, "a line that begins with 'c', which looks like a comment",
             "comments behind '#' or '%', or --format edgelist where it is an edge");
    return edges;
  }

  // Checks a line. False: it has an edge or a vertex.
  bool is_comment(const Fields& line, const std::vector<Field>& fields) const {
    const std::size_t width = names_.size();
    if (*cursor_.position() == '#' || *cursor_.position() == '%') {
      if (line.is_broken() || fields.size() != width) return true;
      refuse(text_, cursor_.line(), "a comment mark before " + std::to_string(width) + " fields",
             "a name that begins with it in quotes, or a comment without separators");
    }
    const auto has_quote = [](const Field& field) {
      return !field.is_quoted && (field.text.find('"') != field.text.npos || field.text == ";" || field.text == ",");
    };
    if (line.is_broken() || std::ranges::any_of(fields, has_quote))
      refuse(text_, cursor_.line(), "a quote without an end, or another separator alone",
             "a field in quotes that ends on its line, and separators as on the first");
    const bool is_vertex = has_labels() && !columns_.has_header && fields.size() == 1;
    if (fields.size() != width && !is_vertex) {
      refuse(text_, cursor_.line(), fields.size() > width ? "more fields" : counted(fields.size(), "field"),
             std::to_string(width) + " as on line " + std::to_string(header_line_));
    }
    return false;
  }

  // Appends the line to the edge list.
  void put_line(std::string& edges, const std::vector<Field>& fields) {
    if (fields.size() == 1 && names_.size() > 1) return put_name(edges, fields[0]);
    if (type_) see_type(fields[*type_].text);
    if (unread_weight_ && !is_entry(fields[*unread_weight_].text))
      read_real(text_, cursor_.line(), fields[*unread_weight_].text);
    has_data_ = true;
    // A line that begins with `c` is a comment of DIMACS, unless other names are letters.
    for (const std::size_t end : {columns_.source, columns_.target}) {
      const std::string_view name = fields[end].text;
      const bool is_first_c = end == 0 && !fields[0].is_quoted && (name == "c" || name == "C");
      if (is_first_c && c_line_ == 0) c_line_ = cursor_.line();
      has_letters_ = has_letters_ || (!is_first_c && name.size() == 1 && !is_digit(name[0]));
    }
    put_name(edges, fields[columns_.source]);
    put_name(edges += separator_, fields[columns_.target]);
    if (!columns_.weight) return;
    if (!has_labels()) return put_name(edges += separator_, fields[*columns_.weight]);
    const std::string label(fields[*columns_.weight].text);
    if (label.empty()) refuse(text_, cursor_.line(), "an edge without a label", "one in each line");
    const auto place = places_.try_emplace(label, labels_.size()).first->second;
    if (place == labels_.size()) labels_.push_back(label);
    (edges += separator_) += std::to_string(place);
  }

  // Appends it as a field of an edge list, where a name that begins like a comment stands in quotes.
  void put_name(std::string& edges, const Field& field) const {
    if (field.text.empty() && !field.is_quoted)
      refuse(text_, cursor_.line(), "an empty cell", "a name or a weight in every cell of the edges' columns");
    const bool is_plain = !field.is_quoted && !field.text.starts_with('#') && !field.text.starts_with('%');
    if (is_plain) {
      edges += field.text;
      return;
    }
    edges += '"';
    for (const char c : field.text) edges.append(c == '"' ? 2 : 1, c);
    edges += '"';
  }

  const Text& text_;
  InputOptions options_;
  Cursor cursor_;
  char separator_ = ' ';
  std::optional<Fields> header_;         // the first line, which keeps its fields
  std::vector<Field> first_;             // these
  std::vector<std::string_view> names_;  // their texts
  std::uint64_t header_line_ = 0;
  Columns columns_;
  std::optional<std::size_t> type_;           // the column `Type`
  std::optional<std::size_t> unread_weight_;  // a column `weight` that is left aside, and has numbers all the same
  std::optional<InputKind> kind_;
  bool has_data_ = false;
  bool has_letters_ = false;  // as names, but for `c` at the beginning of a line
  std::uint64_t c_line_ = 0;  // of the first of these
  std::vector<std::string> labels_{1};
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

std::optional<EdgeTable> edge_table(const Text& text, const InputOptions& options) {
  return TableReader(text, options).read();
}

}  // namespace matchcount::readers
