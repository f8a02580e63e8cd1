// Names above and beside the numbers of a matrix.

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "graph/readers/names.hpp"
#include "graph/readers/plain.hpp"

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
  const auto is_word = [](const Field& field) {
    return !field.text.empty() && !begins_number(field.text) && !is_numeric(field.text);
  };
  return separator != ' ' && (options.format == InputFormat::dense || header.size() > most_of_edge + 1) &&
         std::ranges::all_of(header, is_word) && is_word(first.front()) &&
         std::none_of(first.begin() + 1, first.end(), is_word);
}

// Words above numbers, where a matrix is read or somebody says that there is a header.
bool is_above_numbers(const std::vector<Field>& header, const std::vector<Field>& first, const InputOptions& options) {
  const bool may_be = options.format == InputFormat::dense || options.header || kind_of(options) == InputKind::matrix;
  return may_be && std::ranges::none_of(header, [](const Field& field) { return is_entry(field.text); }) &&
         std::ranges::all_of(first, [](const Field& field) { return is_entry(field.text); });
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
  names.separator = separator_in(options, start);
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
  names.has_rows = has_corner || begins_quoted;
  if (!names.has_rows && !(are_alike && is_above_numbers(header, first, options))) return std::nullopt;
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
  if (is_wide || (rows.size() > 1 && rows == names.columns && rows.front() != "0")) return true;
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
         "row.names=FALSE in R); --format dense where this is a matrix");
}

}  // namespace matchcount::readers
