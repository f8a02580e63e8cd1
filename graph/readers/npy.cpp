// NumPy's .npy files (numpy.lib.format, versions 1 to 3): a magic string, a Python dictionary that says type, order and
// shape, then the entries as bytes. Two dimensions are a matrix, three a sequence of matrices along the first. Entries
// are read where they stand, one matrix at a time. A real matrix stays one of reals, whatever its values, as a `real`
// Matrix Market file with a decimal point does; booleans are a pattern without weights. Objects would have to be
// unpickled, which can run any program: they are refused.

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/run.hpp"
#include "graph/readers/binary.hpp"
#include "graph/readers/plain.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/tokens.hpp"

namespace matchcount::readers {
namespace {

constexpr std::size_t magic_bytes = 6;
constexpr Vertex rows_between_checks = 64;  // of the time limit

struct Header {
  NumberType type = {};
  bool is_swapped = false;
  bool column_major = false;         // "fortran_order"
  std::vector<std::uint64_t> shape;  // of two or three dimensions
  const char* entries = nullptr;     // the first

  bool is_sequence() const { return shape.size() == 3; }
  std::uint64_t num_matrices() const { return is_sequence() ? shape[0] : 1; }
  std::uint64_t num_rows() const { return shape[shape.size() - 2]; }
  std::uint64_t num_columns() const { return shape[shape.size() - 1]; }
};

// Returns a string without its quotes; nothing for another value.
std::optional<std::string_view> unquoted(std::string_view value) {
  const bool is_string = value.size() > 1 && (value[0] == '\'' || value[0] == '"');
  return is_string ? std::optional(value.substr(1, value.size() - 2)) : std::nullopt;
}

bool read_type(const Text& text, std::string_view value, Header& header) {
  constexpr const char* expected =
      "entries of bool, int8 to int64, uint8 to uint64, float16 to float64, complex64 or complex128";
  if (value.starts_with('[')) refuse(text, 0, "an array of records", expected);
  const std::optional<std::string_view> type = unquoted(value);
  if (!type) return false;
  if (type->find('O') != type->npos)
    refuse(text, 0, "an array of Python objects, which only unpickling would read", expected);
  const char order = type->empty() ? '\0' : type->front();
  const auto* const known = std::ranges::find(number_types, type->substr(type->empty() ? 0 : 1), &NumberType::numpy);
  if (known != std::end(number_types) &&
      (order == '<' || order == '>' || order == '=' || (order == '|' && known->bytes == 1))) {
    header.type = *known;
    header.is_swapped = order == (std::endian::native == std::endian::little ? '>' : '<');
    return true;
  }
  refuse(text, 0, "the type " + in_quotes(*type), expected);
}

// Reads (3, 4), or (3L, 4L) as Python 2 writes it.
bool read_shape(std::string_view value, Header& header) {
  if (!value.starts_with('(')) return false;
  for (value = value.substr(1, value.size() - 2); !trimmed(value).empty();) {
    std::string_view length = trimmed(value.substr(0, value.find(',')));
    value.remove_prefix(std::min(value.find(','), value.size() - 1) + 1);
    if (length.ends_with('L')) length.remove_suffix(1);
    const auto number = parse_natural(length);
    if (!number) return false;
    header.shape.push_back(std::min(*number, max_vertices + 1));
  }
  return true;
}

// Reads {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, whose keys come in any order.
void read_description(const Text& text, std::string_view bytes, Header& header) {
  const auto fail = [&](std::string_view rest) {
    refuse(text, 0, "a .npy header that goes on " + in_quotes(rest),
           "a header such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }");
  };
  std::vector<DictionaryItem> items;
  Tokens tokens(text, bytes, 0, python);
  try {
    PythonDictionary dictionary(tokens);
    for (DictionaryItem item; dictionary.next(item);) items.push_back(item);
    if (tokens.next().kind != Token::Kind::end) fail(tokens.from_last());
  } catch (const InputError&) {
    fail(tokens.from_last());
  }
  std::map<std::string_view, std::string_view> values{{"descr", {}}, {"fortran_order", {}}, {"shape", {}}};
  for (const auto& [has_name, name, key, value] : items) {
    const auto place = values.find(name);
    if (!has_name || place == values.end() || !place->second.empty())
      refuse(text, 0, "the key " + in_quotes(name), "'descr', 'fortran_order' and 'shape', once each");
    place->second = value;
  }
  header.column_major = values["fortran_order"] == "True";
  if (!read_type(text, values["descr"], header)) fail(values["descr"]);
  if (!header.column_major && values["fortran_order"] != "False") fail(values["fortran_order"]);
  if (!read_shape(values["shape"], header)) fail(values["shape"]);
}

void check_shape(const Text& text, const Header& header) {
  std::string shape;
  for (const std::uint64_t length : header.shape) shape += (shape.empty() ? "" : " x ") + std::to_string(length);
  if (header.shape.size() < 2 || header.shape.size() > 3) {
    refuse(
        text, 0,
        header.shape.empty() ? "a single number" : "an array of " + std::to_string(header.shape.size()) + " dimensions",
        "two dimensions, a matrix, or three, a sequence of matrices");
  }
  unsigned __int128 bytes = header.type.bytes;
  for (const std::uint64_t length : header.shape) {
    if (length > max_vertices)
      refuse(text, 0, "a dimension beyond " + std::to_string(max_vertices), "at most that many rows and columns");
    bytes *= length;
  }
  if (const auto there = static_cast<std::uint64_t>(text.end() - header.entries); bytes != there)  // below 2^4 * 2^93
    refuse(text, 0, std::to_string(there) + " bytes of entries",
           shape + " entries of " + counted(header.type.bytes, "byte"));
  if (header.is_sequence() && bytes == 0)
    refuse(text, 0, "a sequence of matrices without an entry: " + shape, "at least one entry");
  check_vertex_counts(text, 0, header.num_rows(), header.num_columns());
}

// is_list: of an array of one dimension, as a matrix of one row.
Header read_header(const Text& text, bool is_list = false) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text.begin()[i]); };
  if (!is_npy(text, InputFormat::npy)) refuse(text, 0, "no .npy file", "the bytes \\x93NUMPY at its start");
  const bool is_version_1 = text.size() > magic_bytes && byte(magic_bytes) == 1;
  const std::size_t fixed = magic_bytes + 2 + (is_version_1 ? 2 : 4);
  if (text.size() < fixed) refuse(text, 0, "the end of the file within the .npy header", "a whole .npy file");
  if (byte(magic_bytes) < 1 || byte(magic_bytes) > 3 || byte(magic_bytes + 1) != 0) {
    refuse(text, 0,
           "version " + std::to_string(byte(magic_bytes)) + "." + std::to_string(byte(magic_bytes + 1)) + " of .npy",
           "version 1.0, 2.0 or 3.0");
  }
  std::size_t length = 0;
  for (std::size_t i = fixed; i-- > magic_bytes + 2;) length = 256 * length + byte(i);
  if (length > text.size() - fixed)
    refuse(text, 0, "the end of the file within the .npy header", "a header of " + std::to_string(length) + " bytes");
  Header header;
  header.entries = text.begin() + fixed + length;
  read_description(text, {text.begin() + fixed, length}, header);
  if (is_list && header.shape.size() == 1) header.shape.insert(header.shape.begin(), 1);
  check_shape(text, header);
  return header;
}

// Says whether an entry, in its shortest text, is what stands for no edge.
bool is_absent(const NumberType& type, DoubleDouble re, DoubleDouble im, const InputOptions& options) {
  if (options.no_edge.empty() || im != 0) return false;
  const char kind = type.numpy[0];
  if (kind != 'f' && kind != 'c')
    return is_no_edge(std::to_string(static_cast<std::int64_t>(whole_number(re))), options);
  const double value = std::isnan(re.hi) ? std::abs(re.hi) : re.hi;
  char text[32];
  const auto end = type.bytes >= (kind == 'c' ? 16 : 8)
                       ? std::to_chars(text, std::end(text), value)
                       : std::to_chars(text, std::end(text), static_cast<float>(value));
  return is_no_edge({text, end.ptr}, options);
}

// Reads one matrix's entries into the edges and weights of a matrix whose size is set.
void read_entries(const Source& source, const Header& header, Parsed& parsed) {
  const NumberType& type = header.type;
  const char kind = type.numpy[0];
  const std::uint64_t rows = header.num_rows(), columns = header.num_columns(), matrices = header.num_matrices();
  const std::uint64_t place = source.part.number - 1, item = type.bytes;
  // The first index, which of a sequence is the matrix, moves fastest in column-major order.
  const std::uint64_t row_step = item * (header.column_major ? matrices : columns);
  const std::uint64_t column_step = item * (header.column_major ? matrices * rows : 1);
  const char* const first = header.entries + item * place * (header.column_major ? 1 : rows * columns);
  if (kind == 'i' || kind == 'u') parsed.weights = std::vector<std::int64_t>();
  if (kind == 'f') parsed.weights = std::vector<DoubleDouble>();
  if (kind == 'c') parsed.weights = std::vector<ComplexDoubleDouble>();
  for (Vertex row = 0; row < rows; ++row) {
    if (row % rows_between_checks == 0) source.run.check();
    const char* bytes = first + row_step * row;
    for (Vertex column = 0; column < columns; ++column, bytes += column_step) {
      const auto fail = [&](const std::string& found, const std::string& expected) {
        refuse(source.text, 0,
               found + " at index [" + (header.is_sequence() ? std::to_string(place) + ", " : "") +
                   std::to_string(row) + ", " + std::to_string(column) + "] (from 0)",
               expected);
      };
      const DoubleDouble re = type.read(bytes, header.is_swapped);
      const DoubleDouble im = kind == 'c' ? type.read(bytes + item / 2, header.is_swapped) : DoubleDouble();
      if (kind == 'b' && re.hi > 1) fail("the byte " + in_quotes({bytes, 1}), "0 or 1 for a bool");
      if (kind == 'u' && whole_number(re) > std::numeric_limits<std::int64_t>::max())
        fail(std::to_string(static_cast<std::uint64_t>(whole_number(re))), "integers up to 9223372036854775807");
      if (is_absent(type, re, im, source.options)) continue;
      for (const double part : {re.hi, im.hi})
        if (!std::isfinite(part)) fail(std::isnan(part) ? "NaN" : part > 0 ? "inf" : "-inf", "finite numbers");
      add_entry(parsed, {row, column}, re, im, source.options.keep_zeros);
    }
  }
}

// A sparse matrix as scipy.sparse.save_npz writes it: arrays `format`, `shape` and `data`, with `indices` and `indptr`
// of rows (csr) or columns (csc), or `row` and `col` of every entry (coo).
class SparseReader {
 public:
  explicit SparseReader(const Source& source) : source_(source), text_(source.text) {}

  Parsed read() {
    std::string format(whole(member("format")));
    format.erase(0, format.rfind('\n') + 1);
    std::erase(format, '\0');  // of UCS-4
    const bool is_by_columns = format == "csc", is_pairs = format == "coo";
    if (!is_pairs && !is_by_columns && format != "csr")
      fail("a sparse matrix in " + in_quotes(format), "csr, csc or coo");
    const std::vector<std::int64_t> shape = integers("shape");
    if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) fail("another shape than that of a matrix", "two lengths");
    const auto rows = static_cast<std::uint64_t>(shape[0]), columns = static_cast<std::uint64_t>(shape[1]);
    Parsed matrix = begun_matrix(source_, rows, columns), parsed = array("data");
    const std::vector<std::int64_t> minor = integers(is_pairs ? "col" : "indices");
    const std::vector<std::int64_t> major =
        is_pairs ? integers("row") : expanded(integers("indptr"), is_by_columns ? columns : rows, minor.size());
    if (major.size() != parsed.num_columns || minor.size() != major.size())
      fail(std::to_string(parsed.num_columns) + " values at " + std::to_string(major.size()) + " and " +
               std::to_string(minor.size()) + " indices",
           "as many of each");
    for (Edge& edge : parsed.edges) {
      const std::int64_t one = major[edge.column], other = minor[edge.column];
      const std::int64_t row = is_by_columns ? other : one, column = is_by_columns ? one : other;
      if (row < 0 || row >= shape[0] || column < 0 || column >= shape[1])
        fail("an entry in row " + std::to_string(row) + ", column " + std::to_string(column) + " (from 0)",
             "one within " + std::to_string(rows) + " x " + std::to_string(columns));
      edge = {static_cast<Vertex>(row), static_cast<Vertex>(column)};
    }
    matrix.edges = std::move(parsed.edges);
    matrix.weights = std::move(parsed.weights);
    return matrix;
  }

 private:
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    refuse(text_, 0, found, expected);
  }
  Text member(const std::string& name) const {
    const std::vector<std::string> names = text_.members();
    if (std::ranges::count(names, name + ".npy") != 1)
      fail("a sparse matrix without one array " + in_quotes(name), "it");
    return text_.member(name + ".npy", text_.name());
  }
  // Reads an array as a matrix of one row, with its zeros.
  Parsed array(const std::string& name) const {
    const Text text = member(name);
    const Header header = read_header(text, true);
    if (header.is_sequence() || header.num_rows() != 1) fail("the array " + in_quotes(name), "one dimension");
    InputOptions options = source_.options;
    options.keep_zeros = true;
    Parsed parsed;
    parsed.num_columns = static_cast<Vertex>(header.num_columns());
    read_entries({text, options, source_.run, InputFormat::npy, {1, text.begin(), text.end(), 0}}, header, parsed);
    return parsed;
  }
  std::vector<std::int64_t> integers(const std::string& name) const {
    const Parsed parsed = array(name);
    const auto* const values = std::get_if<std::vector<std::int64_t>>(&parsed.weights);
    if (values == nullptr) fail("the array " + in_quotes(name), "integers");
    return *values;
  }
  std::vector<std::int64_t> expanded(const std::vector<std::int64_t>& starts, std::uint64_t num_lines,
                                     std::size_t count) const {
    auto lines = lines_of(text_, starts, num_lines, count);
    if (!lines || lines->size() != count)
      fail("the array 'indptr'", "where each line begins, from 0 on, ascending, and the number of entries");
    return *std::move(lines);
  }

  const Source& source_;
  const Text& text_;
};

}  // namespace

bool is_npz(const Text& text, InputFormat) {
  const std::vector<std::string> names = text.members();
  return std::ranges::count(names, "format.npy") == 1 && std::ranges::count(names, "shape.npy") == 1;
}

Parsed read_npz(const Source& source) { return SparseReader(source).read(); }

bool is_npy(const Text& text, InputFormat) { return text.is_binary() && *text.begin() == '\x93'; }

bool next_npy(const Text& text, InputFormat, Part& part) {
  if (part.number == read_header(text).num_matrices()) return false;
  part = {part.number + 1, text.begin(), text.end(), 0};
  return true;
}

Parsed read_npy(const Source& source) {
  const Header header = read_header(source.text);
  Parsed parsed = begun_matrix(source, header.num_rows(), header.num_columns());
  parsed.edges.reserve(header.num_rows() * header.num_columns());
  read_entries(source, header, parsed);
  return parsed;
}

}  // namespace matchcount::readers
