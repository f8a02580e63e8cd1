#include "graph/readers/two_readings.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readers/readers.hpp"

namespace matchcount::readers {
namespace {

// What stands on a line of numbers.
struct NumberLine {
  static constexpr int most_kept = 3;
  int count = 0;
  bool are_numbers = true;  // every field begins as one
  int naturals = 0;         // so many of those kept, from the first on, are digits without leading zeros
  std::uint64_t values[most_kept] = {0, 0, 0};

  bool are_naturals() const { return naturals == std::min(count, most_kept); }
};

bool begins_number(const char* p) {
  if (*p == '(') ++p;
  if (*p == '+' || *p == '-') ++p;
  if (*p == '.') ++p;
  return is_digit(*p);
}

NumberLine scan(const char* p, char delimiter) {
  NumberLine line;
  const auto separates = [delimiter](char c) {
    return is_blank(c) || (delimiter == 0 ? c == ',' || c == ';' : c == delimiter);
  };
  for (;; ++line.count) {
    while (separates(*p)) ++p;
    if (*p == '\n' || *p == '#' || *p == '%') break;
    line.are_numbers = line.are_numbers && begins_number(p);
    if (line.count < NumberLine::most_kept) {
      const char* const start = p;
      const bool is_natural = scan_digits(p, line.values[line.count]) && (*start != '0' || p == start + 1);
      if (is_natural && line.naturals == line.count && (separates(*p) || *p == '\n')) ++line.naturals;
    }
    while (!separates(*p) && *p != '\n') ++p;
  }
  return line;
}

std::string line_in_quotes(const char* start) {
  const char* end = start;
  while (*end != '\n') ++end;
  while (end != start && is_blank(end[-1])) --end;
  return in_quotes({start, end});
}

// Whether that many lines follow, and nothing but blank ones and comments behind them.
bool has_lines(Cursor cursor, std::uint64_t wanted) {
  for (; wanted > 0; --wanted, cursor.next_line()) {
    while (!cursor.at_line_end() && *cursor.position() == '%') cursor.next_line();
    if (cursor.at_end()) return false;
  }
  return !cursor.skip_to_data("%");
}

void refuse_metis(const Text& text) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("%")) return;
  const std::uint64_t header = cursor.line();
  const NumberLine sizes = scan(cursor.position(), ' ');
  if (sizes.count < 2 || sizes.count > 4 || sizes.naturals < 2) return;
  const std::uint64_t num_vertices = sizes.values[0];
  const std::uint64_t num_edges = sizes.values[1];
  // Two neighbours an edge, of two bytes or more each.
  if (num_vertices == 0 || num_edges > text.size() / 4) return;
  cursor.next_line();
  if (!has_lines(cursor, num_vertices)) return;
  try {
    read_metis(text, {}, false, false);
  } catch (const InputError&) {
    return;
  }
  refuse(text, header,
         "lines that fit METIS, " + std::to_string(num_vertices) + " vertices and " + std::to_string(num_edges) +
             " edges, as well as an edge list",
         "--format metis where every line has the neighbours of a vertex, or --format edgelist");
}

// What a first line of one to three numbers may say of those behind it.
class SizeLine {
 public:
  explicit SizeLine(const NumberLine& first)
      : first_(first),
        may_head_matrix_((first.count == 1 && first.values[0] > 1) ||
                         (first.count == 2 && first.values[0] == first.values[1])),
        may_count_edges_(true),
        may_count_vertices_(first.count == 1) {
    if (may_count_vertices_) is_named_.resize(first.values[0] + 1);
  }

  // False: it says nothing.
  bool add(const NumberLine& line) {
    if (num_lines_++ == 0) fields_ = line.count;
    if (!line.are_numbers || line.count != fields_) return false;
    const std::uint64_t size = first_.values[0];
    const bool are_edges = (line.count == 2 || line.count == 3) && line.naturals >= 2;
    may_head_matrix_ = may_head_matrix_ && static_cast<std::uint64_t>(line.count) == size && num_lines_ <= size;
    may_count_edges_ = may_count_edges_ && are_edges && num_lines_ <= count_of_edges() &&
                       (first_.count == 1 || (line.values[0] <= size && line.values[1] <= second_size()));
    may_count_vertices_ = may_count_vertices_ && are_edges && line.values[0] <= size && line.values[1] <= size;
    if (may_count_vertices_) is_named_[line.values[0]] = is_named_[line.values[1]] = true;
    return may_head_matrix_ || may_count_edges_ || may_count_vertices_;
  }

  int fields() const { return fields_; }
  std::uint64_t num_lines() const { return num_lines_; }
  bool heads_matrix() const { return may_head_matrix_ && num_lines_ > 0 && num_lines_ == first_.values[0]; }
  bool counts_edges() const {
    return may_count_edges_ && num_lines_ == count_of_edges() && (num_lines_ > 0 || first_.count == 2);
  }
  // Vertices from 0 on, of which the number itself is none; or vertices from 1 on, the last among them, of which an
  // edge list would lack some.
  bool counts_vertices() const {
    if (!may_count_vertices_ || num_lines_ == 0) return false;
    return is_named_.front()
               ? !is_named_.back()
               : is_named_.back() && std::find(is_named_.begin() + 1, is_named_.end(), false) != is_named_.end();
  }

 private:
  std::uint64_t count_of_edges() const { return first_.values[first_.count - 1]; }
  // Of the columns, where the rows have one of their own.
  std::uint64_t second_size() const { return first_.values[first_.count == 3 ? 1 : 0]; }

  NumberLine first_;
  bool may_head_matrix_;
  bool may_count_edges_;
  bool may_count_vertices_;
  std::vector<bool> is_named_;  // by edges, up to the size, where that may be a number of vertices
  int fields_ = 0;
  std::uint64_t num_lines_ = 0;
};

// A second size on a line of its own, as if both stood on one.
bool take_second_size(Cursor& cursor, char delimiter, NumberLine& first) {
  if (!cursor.skip_to_data("#%")) return false;
  const NumberLine second = scan(cursor.position(), delimiter);
  if (second.count != 1 || second.naturals != 1) return false;
  first.values[1] = second.values[0];
  first.count = first.naturals = 2;
  cursor.next_line();
  return true;
}

void refuse_size_line(const Text& text, const InputOptions& options) {
  Cursor cursor(text);
  if (options.header || !cursor.skip_to_data("#%")) return;
  const std::uint64_t number = cursor.line();
  const char* const start = cursor.position();
  NumberLine first = scan(start, options.delimiter);
  if (first.count == 0 || first.count > 3 || !first.are_naturals() || first.values[0] == 0 ||
      first.values[0] > text.vertex_limit()) {
    return;
  }
  cursor.next_line();
  const bool on_two_lines = first.count == 1 && take_second_size(cursor, options.delimiter, first);
  SizeLine size(first);
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    if (!size.add(scan(cursor.position(), options.delimiter))) return;
  }
  if (!size.heads_matrix() && !size.counts_edges() && !size.counts_vertices()) return;
  std::string found = line_in_quotes(start);
  if (size.num_lines() > 0) {
    found += " before " + std::to_string(size.num_lines()) + " lines of " + std::to_string(size.fields()) + " numbers";
  }
  found += ", which may be ";
  if (on_two_lines) {
    refuse(text, number, found + "the first of two lines that tell a size",
           "the lines behind them alone, or --format edgelist where both are vertices");
  }
  const std::string as_edge = first.count == 1 ? "--header no where it is a vertex" : "--header no where it is an edge";
  if (size.heads_matrix()) {
    refuse(text, number, found + "the size of a matrix",
           "--format dense and --header yes where it is that, or " + as_edge + " among others");
  }
  refuse(text, number, found + (size.counts_edges() ? "the number of edges" : "the number of vertices"),
         "--header yes where it is that, and then a line with its name for every vertex without edges; or " + as_edge);
}

// Whether lines of one or three integers could be a vertex and its neighbours each, every vertex heading a line.
bool could_be_neighbours(Cursor cursor, char delimiter) {
  constexpr std::size_t probe = 64;
  std::vector<std::uint64_t> heads, neighbours;
  const auto has_duplicate = [&heads] {
    std::ranges::sort(heads);
    return std::ranges::adjacent_find(heads) != heads.end();
  };
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    const NumberLine line = scan(cursor.position(), delimiter);
    const auto [u, v, w] = line.values;
    if (!line.are_naturals() || (line.count != 1 && line.count != 3)) return false;
    heads.push_back(u);
    // Of most lists of edges this is an end.
    if (heads.size() == probe && has_duplicate()) return false;
    if (line.count == 1) continue;
    if (v == w) return false;
    neighbours.insert(neighbours.end(), {v, w});
  }
  return !neighbours.empty() && !has_duplicate() &&
         std::ranges::all_of(neighbours, [&](std::uint64_t name) { return std::ranges::binary_search(heads, name); });
}

void refuse_neighbours(const Text& text, const InputOptions& options) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("#%") || !could_be_neighbours(cursor, options.delimiter)) return;
  refuse(text, cursor.line(), "lines of 3 integers, where each could be a vertex and two neighbours",
         "--format adjlist where they are that, --format edgelist where the third is the weight of an edge, or "
         "--format dense where they are the rows of a matrix");
}

}  // namespace

void refuse_two_readings(const Text& text, const InputOptions& options) {
  refuse_metis(text);
  refuse_size_line(text, options);
  refuse_neighbours(text, options);
}

}  // namespace matchcount::readers
