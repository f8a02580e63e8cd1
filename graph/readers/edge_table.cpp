#include "graph/readers/edge_table.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/readers/edge_line.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/table_names.hpp"
#include "graph/readers/values.hpp"

namespace matchcount::readers {
namespace {

// The fields of a line as they stand there, quotes included; of more than `most` one more. None where a quote has no
// end.
std::vector<std::string_view> fields_of(const char* p, char separator, std::size_t most) {
  std::vector<std::string_view> fields;
  for (;; ++p) {
    const char* const start = p;
    bool quoted = false;
    for (; *p != '\n' && (quoted || *p != separator); ++p) quoted = quoted != (*p == '"');
    if (quoted) return {};
    fields.emplace_back(start, p);
    if (*p == '\n' || fields.size() > most) return fields;
  }
}

std::string_view without_quotes(std::string_view field) {
  field = trimmed(field);
  return field.size() >= 2 && field.front() == '"' && field.back() == '"' ? field.substr(1, field.size() - 2) : field;
}

// Which columns of a table are those of an edge.
struct Columns {
  std::size_t source = 0, target = 0;
  std::optional<std::size_t> weight;
  std::vector<std::string> others;  // their names in quotes, but for that of the numbers of rows, which is empty
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
    if (!columns.weight && !weight_key.empty() && equal_ignoring_case(names[i], weight_key)) {
      columns.weight = i;
    } else if (!names[i].empty()) {
      columns.others.push_back(in_quotes(names[i]));
    }
  }
  return columns;
}

// As a field of an edge list, where a name that begins like a comment stands in quotes.
void put_name(std::string& edges, std::string_view field) {
  const bool is_like_comment = field.starts_with('#') || field.starts_with('%');
  if (is_like_comment) edges += '"';
  edges += field;
  if (is_like_comment) edges += '"';
}

// The lines below the header, whose fields are as many. Blank lines and comments have none.
struct TableLines {
  TableLines(const Text& whole, const Cursor& header, char between, std::size_t wanted)
      : text(whole), cursor(header), separator(between), num_fields(wanted), header_line(header.line()) {}

  // False at the end.
  bool next() {
    cursor.next_line();
    if (cursor.at_end()) return false;
    fields.clear();
    const char* const line = cursor.position();
    if (cursor.at_line_end()) return true;
    const bool is_comment = *cursor.position() == '#' || *cursor.position() == '%';
    fields = fields_of(line, separator, num_fields);
    if (is_comment && fields.size() == num_fields) {
      refuse(text, cursor.line(), "a comment mark before " + std::to_string(num_fields) + " fields",
             "a name that begins with it in quotes, or a comment without separators");
    }
    if (is_comment) return fields.clear(), true;
    if (fields.empty())
      refuse(text, cursor.line(), "a quote without an end", "a field in quotes that ends on its line");
    if (fields.size() != num_fields) {
      const std::string count = fields.size() > num_fields
                                    ? "more fields"
                                    : std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields");
      refuse(text, cursor.line(), count, std::to_string(num_fields) + " as on line " + std::to_string(header_line));
    }
    has_data = true;
    for (std::string_view& field : fields) {
      field = trimmed(field);
      are_numbers = are_numbers && ((&field == fields.data() && has_row_names) || begins_number(field));
    }
    return true;
  }

  const Text& text;
  Cursor cursor;
  char separator;
  std::size_t num_fields;
  std::uint64_t header_line;
  std::vector<std::string_view> fields;
  bool has_row_names = false;
  bool are_numbers = true;  // all of them but those names
  bool has_data = false;
};

void check_weight(const Text& text, std::uint64_t line, const Columns& columns, const InputOptions& options) {
  if (columns.weight || columns.others.empty() || (options.weight_key && options.weight_key->empty())) return;
  if (!options.weight_key && !asks_for_weights(options)) return;
  refuse(text, line,
         options.weight_key ? "no column " + in_quotes(*options.weight_key) : std::string("no column 'weight'"),
         "--weight-key with the name of the weights' column: " +
             listed({columns.others.begin(), columns.others.end()}) + "; with '' all weights are 1");
}

}  // namespace

std::optional<EdgeTable> edge_table(const Text& text, const InputOptions& options) {
  constexpr std::size_t most_columns = 1000;
  const bool is_format = options.format == InputFormat::automatic || options.format == InputFormat::edge_list;
  Cursor cursor(text);
  if (!is_format || !options.header.value_or(true) || !cursor.skip_to_data("#%")) return std::nullopt;
  const char* start = cursor.position();
  if (is_digit(*start) || *start == '<') return std::nullopt;
  if (start != text.begin() && start[-1] == '\t') --start;  // behind an empty name
  const char separator = options.delimiter != 0 ? options.delimiter : separator_of(start);
  const std::vector<std::string_view> header = fields_of(start, separator, most_columns);
  if (separator == ' ' || header.size() < 3 || header.size() > most_columns) return std::nullopt;
  std::vector<std::string_view> names;
  for (const std::string_view field : header) names.push_back(without_quotes(field));
  const auto columns = columns_of(names, options.weight_key.value_or("weight"));
  if (!columns || (header.size() == 3 && columns->target == 1)) return std::nullopt;
  check_weight(text, cursor.line(), *columns, options);

  TableLines lines(text, cursor, separator, header.size());
  lines.has_row_names = names[0].empty();
  std::string edges;
  edges.reserve(text.size() / 2);
  for (std::uint64_t line = 1; line <= cursor.line(); ++line) edges += "#\n";
  while (lines.next()) {
    if (!lines.fields.empty()) {
      put_name(edges, lines.fields[columns->source]);
      put_name(edges += separator, lines.fields[columns->target]);
      if (columns->weight) put_name(edges += separator, lines.fields[*columns->weight]);
    }
    edges += '\n';
  }
  // Names above and beside numbers are those of a matrix, or refused there.
  const bool may_be_matrix = lines.has_data && lines.are_numbers && options.format == InputFormat::automatic;
  if (may_be_matrix && lines.has_row_names) return std::nullopt;
  if (may_be_matrix) {
    refuse(text, cursor.line(),
           "numbers alone below " + in_quotes(names[columns->source]) + " and " + in_quotes(names[columns->target]) +
               ", which may be edges or a matrix",
           "--format edgelist where those two columns are the ends of edges, or --format dense where all are a matrix");
  }
  text.check(edges.size());
  EdgeTable table{Text::from_memory(edges, text.name(), text.run()), separator, {}};
  for (const std::string& name : columns->others) table.note += (table.note.empty() ? "passed over: " : ", ") + name;
  return table;
}

}  // namespace matchcount::readers
