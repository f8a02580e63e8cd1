#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/readers/edge_line.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/readings.hpp"
#include "graph/readers/tokens.hpp"

namespace matchcount::readers {

namespace {

// A table that was written with the names of its rows has an empty field, or none, above them. No edge list has empty
// fields. With two or three columns its rows may be edges all the same, behind the numbers that pandas and R give to
// rows; and a row's name and two numbers look like an edge with its weight once the header is set aside.

constexpr std::size_t most_of_edge = 3;  // u v weight

// No more of a line than can be kept in a few hundred megabytes: no table has so many columns.
constexpr std::size_t most_fields = std::size_t{1} << 20;

void check_name(const Text& text, std::uint64_t line, std::string_view name, const char* whose) {
  if (name.empty()) refuse(text, line, std::string("a ") + whose + " without a name", "a name for each, or for none");
  check_name_text(text, line, name, SeenCharacters::all, "");
  if (std::ranges::any_of(name, is_control))
    refuse(text, line, "the name " + in_quotes(name), "text in ASCII or UTF-8");
}

// Words, the first of which heads the names of rows, above a name and numbers. Fewer than four of these may be edges.
bool is_named_corner(const std::vector<Field>& header, const std::vector<Field>& first, char separator,
                     const InputOptions& options) {
  const auto is_word = [](const Field& field) { return !field.text.empty() && !begins_number(field.text); };
  return separator != ' ' && (options.format == InputFormat::dense || header.size() > most_of_edge + 1) &&
         std::ranges::all_of(header, is_word) && is_word(first.front()) &&
         std::none_of(first.begin() + 1, first.end(), is_word);
}

// Which columns of a table are those of an edge.
struct Columns {
  std::size_t source = 0, target = 0;
  std::optional<std::size_t> weight;
  std::vector<std::string> others;  // their names in quotes, but for that of the numbers of rows, which is empty
  bool has_header = true;           // the columns have names
};

std::optional<Columns> columns_of(std::span<const std::string_view> names, std::string_view weight_key) {
  Columns columns;
  int pairs = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      if (!are_header_words(names[i], names[j])) continue;
      ++pairs;
      columns.source = i;
      columns.target = j;
    }
  }
  if (pairs != 1) return std::nullopt;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == columns.source || i == columns.target) continue;
    if (!columns.weight && !weight_key.empty() && equal_ignoring_case(names[i], weight_key))
      columns.weight = i;
    else if (!names[i].empty())
      columns.others.push_back(in_quotes(names[i]));
  }
  return columns;
}

// Finds the columns that were asked for, by their names in the first line or by numbers.
Columns asked_columns(const Text& text, std::uint64_t line, std::span<const std::string_view> names,
                      const InputOptions& options) {
  std::vector<std::size_t> places;
  bool has_header = options.header.value_or(false);
  for (std::string_view rest = options.columns; !rest.empty();) {
    const std::string_view column = trimmed(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
    const auto number = parse_natural(column);
    has_header = has_header || !number;
    const auto found =
        number ? names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(*number - 1, names.size()))
               : std::ranges::find(names, column);
    const bool is_one = found != names.end() && (number || std::count(found, names.end(), column) == 1);
    if (!is_one || std::ranges::find(places, found - names.begin()) != places.end()) {
      refuse(text, line,
             std::string(number ? "no column of its own with the number " : "no column of its own called ") +
                 in_quotes(column),
             "two or three of the " + counted(names.size(), "column"));
    }
    places.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  if (places.size() < 2 || places.size() > 3)
    throw InputError("the columns " + in_quotes(options.columns), "two ends of an edge and perhaps its weight: 1,2,3");
  if (has_header && !options.header.value_or(true))
    throw InputError("names of columns of a text without a header", "numbers of columns");
  Columns columns{places[0], places[1], std::nullopt, {}, has_header};
  if (places.size() == 3) columns.weight = places[2];
  for (std::size_t i = 0; has_header && i < names.size(); ++i)
    if (std::ranges::find(places, i) == places.end() && !names[i].empty())
      columns.others.push_back(in_quotes(names[i]));
  return columns;
}

// Appends it as a field of an edge list, where a name that begins like a comment stands in quotes.
void put_name(std::string& edges, const Field& field) {
  if (!field.is_quoted && !field.text.starts_with('#') && !field.text.starts_with('%')) {
    edges += field.text;
    return;
  }
  edges += '"';
  for (const char c : field.text) edges.append(c == '"' ? 2 : 1, c);
  edges += '"';
}

// Names the columns of the ends and of the label.
void pick_ends(std::span<const std::string_view> names, InputOptions& options) {
  if (options.columns.empty()) {
    const auto found = options.header.value_or(true) ? columns_of(names, "") : std::nullopt;
    if (found) options.header = true;
    options.columns = found ? std::to_string(found->source + 1) + "," + std::to_string(found->target + 1) : "1,2";
  } else if (std::ranges::count(options.columns, ',') != 1) {
    throw InputError("the columns " + in_quotes(options.columns) + " and a column of labels", "two ends of an edge");
  }
  options.columns += "," + options.label;
}

void check_weight(const Text& text, std::uint64_t line, const Columns& columns, const InputOptions& options) {
  if (columns.weight || columns.others.empty() || (options.weight_key && options.weight_key->empty())) return;
  if (!options.weight_key && !asks_for_weights(options)) return;
  refuse(text, line,
         options.weight_key ? "no column " + in_quotes(*options.weight_key) : std::string("no column 'weight'"),
         "--weight-key with the name of the weights' column: " +
             listed({columns.others.begin(), columns.others.end()}) + "; with '' all weights are 1");
}

}  // namespace

std::optional<TableNames> table_names(const Text& text, const InputOptions& options) {
  Cursor cursor(text);
  if (!options.header.value_or(true) || !cursor.skip_to_data("#%")) return std::nullopt;
  // skip_to_data has passed over a tab that stands for an empty field.
  const char* start = cursor.position();
  const bool begins_with_tab = start != text.begin() && start[-1] == '\t';
  if (begins_with_tab) --start;
  if (is_digit(*start)) return std::nullopt;  // most texts, without a look at what may be a long line
  TableNames names;
  names.separator = options.delimiter.empty() ? separator_of(start) : delimiter_of(options);
  std::vector<Field> header, first;
  Fields line = Fields::of_names(start, names.separator);
  line.take(header, most_fields);
  const std::uint64_t number = cursor.line();
  cursor.next_line();
  if (header.empty() || header.size() == most_fields || !cursor.skip_to_data("")) return std::nullopt;
  Fields next = Fields::of_names(cursor.position(), names.separator);
  next.take(first, most_fields);
  const bool are_alike = header.size() > 1 && first.size() == header.size();
  names.has_word_in_corner = are_alike && is_named_corner(header, first, names.separator, options);
  const bool has_corner = are_alike && (header.front().text.empty() || names.has_word_in_corner);
  const bool begins_quoted = *cursor.position() == '"' && first.size() == header.size() + 1 &&
                             std::ranges::all_of(header, [](const Field& field) { return field.is_quoted; }) &&
                             (header.size() > 1 || begins_number(first.back().text));
  if (!has_corner && !begins_quoted) return std::nullopt;
  for (std::size_t i = has_corner ? 1 : 0; i < header.size(); ++i) {
    check_name(text, number, header[i].text, "column");
    names.columns.emplace_back(header[i].text);
  }
  return names;
}

std::string row_name(const Text& text, Cursor& cursor, char separator) {
  Fields fields = Fields::of_names(cursor.position(), separator);
  std::string_view field;
  if (!fields.next(field)) cursor.refuse_here("the name of a row, as on the other lines");
  std::string name(field);
  check_name(text, cursor.line(), name, "row");
  cursor.set_position(fields.position());
  return name;
}

bool is_named_matrix(const Text& text, const TableNames& names) {
  Cursor cursor(text);
  cursor.skip_to_data("#%");
  const std::uint64_t header = cursor.line();
  std::vector<std::string> rows;
  std::vector<Field> fields;
  std::vector<bool> has_number(names.columns.size(), false);
  const bool is_wide = names.columns.size() > most_of_edge;
  const auto all_have_numbers = [&] { return std::ranges::find(has_number, false) == has_number.end(); };
  for (cursor.next_line(); cursor.skip_to_data("") && !(is_wide && all_have_numbers()); cursor.next_line()) {
    text.check();
    Fields line = Fields::of_names(cursor.position(), names.separator);
    line.take(fields, most_fields);
    if (!fields.empty()) rows.emplace_back(fields.front().text);
    for (std::size_t i = 1; i < std::min(fields.size(), has_number.size() + 1); ++i)
      has_number[i - 1] = has_number[i - 1] || begins_number(fields[i].text);
  }
  if (!all_have_numbers()) refuse_row_numbers(text, names);
  // pandas numbers from 0 the columns of edges and their lines as well as those of a matrix.
  if (is_wide || (rows == names.columns && rows.front() != "0")) return true;
  refuse(text, header,
         "names above and beside " + std::to_string(rows.size()) + " rows of " + std::to_string(names.columns.size()) +
             " numbers, which may be a matrix or edges",
         "--format dense where they are the rows of a matrix; --columns with those of the edges where they are "
         "edges (or index=False in pandas, row.names=FALSE in R)");
}

void refuse_row_numbers(const Text& text, const TableNames& names) {
  Cursor cursor(text);
  cursor.skip_to_data("#%");
  refuse(text, cursor.line(),
         "a first column with names of rows beside " + std::to_string(names.columns.size()) +
             " others, as pandas and R write them",
         "--columns with the two columns of the edges, or three with their weights (or index=False in pandas, "
         "row.names=FALSE in "
         "R); --format dense where this is a matrix");
}

std::optional<EdgeTable> edge_table(const Text& text, const InputOptions& given) {
  constexpr std::size_t most_columns = 1000;
  InputOptions options = given;
  const bool is_format = options.format == InputFormat::automatic || options.format == InputFormat::edge_list;
  const bool has_labels = !options.label.empty();
  const bool is_asked = !options.columns.empty() || has_labels;
  if (is_asked && !is_format) throw InputError("columns of a table, and another format", "--format edgelist");
  Cursor cursor(text);
  if (!is_format || !(is_asked || options.header.value_or(true)) || !cursor.skip_to_data("#%")) return std::nullopt;
  const char* start = cursor.position();
  if (!is_asked && (is_digit(*start) || *start == '<')) return std::nullopt;
  if (start != text.begin() && start[-1] == '\t') --start;  // behind an empty name
  const char separator = options.delimiter.empty() ? separator_of(start) : delimiter_of(options);
  std::vector<Field> fields;
  Fields header = Fields::of_names(start, separator);
  header.take(fields, most_columns + 1);
  const std::size_t num_fields = fields.size();
  if (header.is_broken() || num_fields > most_columns || (num_fields < 3 && !is_asked)) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Field& field : fields) names.push_back(field.text);
  const std::uint64_t header_line = cursor.line();
  if (has_labels) pick_ends(names, options);
  const auto columns = is_asked ? asked_columns(text, header_line, names, options)
                                : columns_of(names, options.weight_key.value_or("weight"));
  // No edge has such a word for its weight.
  const bool has_weights = columns && columns->weight && equal_ignoring_case(names[*columns->weight], "weight");
  if (!columns || (!is_asked && !has_weights && (separator == ' ' || (num_fields == 3 && columns->target == 1))))
    return std::nullopt;
  if (!is_asked) check_weight(text, header_line, *columns, options);

  const bool has_row_names = names[0].empty();
  ForeignComments comments(text);
  bool has_data = false, are_numbers = true;  // all fields but those names
  std::string edges;
  std::vector<std::string> labels(1);
  std::unordered_map<std::string, std::size_t> places;
  edges.reserve(text.size() / 2);
  for (std::uint64_t line = columns->has_header ? 0 : 1; line < header_line; ++line) edges += "#\n";
  if (columns->has_header) cursor.next_line();
  for (; !cursor.at_end(); cursor.next_line(), edges += '\n') {
    Fields line = Fields::of_names(cursor.position(), separator);
    if (cursor.at_line_end()) continue;
    line.take(fields, num_fields + 1);
    const bool is_whole = !line.is_broken();
    if (options.format == InputFormat::automatic && !fields.empty()) {
      const auto name = [&](std::size_t i) { return i == 0 || i >= fields.size() ? "" : fields[i].text; };
      comments.see(cursor.line(), fields[0].text, fields[0].is_quoted, {name(columns->source), name(columns->target)});
    }
    if (*cursor.position() == '#' || *cursor.position() == '%') {
      if (!is_whole || fields.size() != num_fields) continue;
      refuse(text, cursor.line(), "a comment mark before " + std::to_string(num_fields) + " fields",
             "a name that begins with it in quotes, or a comment without separators");
    }
    const auto has_quote = [](const Field& field) {
      return !field.is_quoted && field.text.find('"') != field.text.npos;
    };
    if (!is_whole || std::ranges::any_of(fields, has_quote))
      refuse(text, cursor.line(), "a quote without an end", "a field in quotes that ends on its line");
    if (has_labels && !columns->has_header && fields.size() == 1) {  // a vertex without edges
      put_name(edges, fields[0]);
      continue;
    }
    if (fields.size() != num_fields) {
      const std::string count = fields.size() > num_fields ? "more fields" : counted(fields.size(), "field");
      refuse(text, cursor.line(), count, std::to_string(num_fields) + " as on line " + std::to_string(header_line));
    }
    has_data = true;
    for (std::size_t i = has_row_names ? 1 : 0; i < num_fields; ++i)
      are_numbers = are_numbers && !fields[i].is_quoted && begins_number(fields[i].text);
    put_name(edges, fields[columns->source]);
    put_name(edges += separator, fields[columns->target]);
    if (!columns->weight) continue;
    if (!has_labels) {
      put_name(edges += separator, fields[*columns->weight]);
      continue;
    }
    const std::string label(fields[*columns->weight].text);
    if (label.empty()) refuse(text, cursor.line(), "an edge without a label", "one in each line");
    const auto place = places.try_emplace(label, labels.size()).first->second;
    if (place == labels.size()) labels.push_back(label);
    (edges += separator) += std::to_string(place);
  }
  comments.end();
  // Names above and beside numbers are those of a matrix, or refused there.
  const bool may_be_matrix =
      !is_asked && !has_weights && has_data && are_numbers && options.format == InputFormat::automatic;
  if (may_be_matrix && has_row_names) return std::nullopt;
  if (may_be_matrix) {
    refuse(text, header_line,
           "numbers alone below " + in_quotes(names[columns->source]) + " and " + in_quotes(names[columns->target]) +
               ", which may be edges or a matrix",
           "--format edgelist where those two columns are the ends of edges, or --format dense where all are a matrix");
  }
  text.check(edges.size());
  EdgeTable table{Text::from_memory(edges, text.name(), text.run()), separator, columns->has_header, {}, {}};
  if (has_labels) table.labels = std::move(labels);
  for (const std::string& name : columns->others) table.note += (table.note.empty() ? "passed over: " : ", ") + name;
  return table;
}

}  // namespace matchcount::readers
