#include "graph/readers/edge_table.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "graph/readers/edge_line.hpp"
#include "graph/readers/fields.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/table_names.hpp"
#include "graph/readers/values.hpp"

namespace matchcount::readers {
namespace {

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
  if (separator == ' ') return std::nullopt;
  std::vector<Field> fields;
  Fields header = Fields::of_names(start, separator);
  header.take(fields, most_columns + 1);
  const std::size_t num_fields = fields.size();
  if (header.is_broken() || num_fields < 3 || num_fields > most_columns) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Field& field : fields) names.push_back(field.text);
  const auto columns = columns_of(names, options.weight_key.value_or("weight"));
  if (!columns || (num_fields == 3 && columns->target == 1)) return std::nullopt;
  const std::uint64_t header_line = cursor.line();
  check_weight(text, header_line, *columns, options);

  const bool has_row_names = names[0].empty();
  bool has_data = false, are_numbers = true;  // all fields but those names
  std::string edges;
  edges.reserve(text.size() / 2);
  for (std::uint64_t line = 1; line <= header_line; ++line) edges += "#\n";
  for (cursor.next_line(); !cursor.at_end(); cursor.next_line(), edges += '\n') {
    Fields line = Fields::of_names(cursor.position(), separator);
    if (cursor.at_line_end()) continue;
    line.take(fields, num_fields + 1);
    const bool is_whole = !line.is_broken();
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
    if (fields.size() != num_fields) {
      const std::string count = fields.size() > num_fields ? "more fields" : counted(fields.size(), "field");
      refuse(text, cursor.line(), count, std::to_string(num_fields) + " as on line " + std::to_string(header_line));
    }
    has_data = true;
    for (std::size_t i = has_row_names ? 1 : 0; i < num_fields; ++i)
      are_numbers = are_numbers && !fields[i].is_quoted && begins_number(fields[i].text);
    put_name(edges, fields[columns->source]);
    put_name(edges += separator, fields[columns->target]);
    if (columns->weight) put_name(edges += separator, fields[*columns->weight]);
  }
  // Names above and beside numbers are those of a matrix, or refused there.
  const bool may_be_matrix = has_data && are_numbers && options.format == InputFormat::automatic;
  if (may_be_matrix && has_row_names) return std::nullopt;
  if (may_be_matrix) {
    refuse(text, header_line,
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
