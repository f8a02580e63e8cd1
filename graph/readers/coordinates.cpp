// Coordinates of vertices, for pictures.

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/layout.hpp"
#include "graph/readers/fields.hpp"
#include "graph/readers/text.hpp"
#include "graph/readers/values.hpp"

namespace matchcount {
namespace {

using namespace readers;

constexpr const char* wanted = "a line `name x y`, or `x y` for each vertex in order";

class CoordinateReader {
 public:
  CoordinateReader(const Text& text, const std::vector<std::string>& names)
      : text_(text), cursor_(text), names_(names), points_(names.size()), line_of_(names.size(), 0) {}

  std::vector<Point> read() {
    for (std::size_t number = 0; cursor_.skip_to_data("#%"); ++number, cursor_.next_line()) {
      split();
      if (number == 0) num_fields_ = fields_.size();
      if (fields_.size() != num_fields_ || num_fields_ < 2 || num_fields_ > 3)
        fail(std::to_string(fields_.size()) + " fields", number == 0 ? wanted : "lines of as many fields each");
      const std::size_t vertex = num_fields_ == 2 ? number : vertex_named(fields_[0]);
      if (vertex >= names_.size())
        fail("a line more", "a line for each of " + std::to_string(names_.size()) + " vertices");
      if (line_of_[vertex] != 0)
        fail(in_quotes(names_[vertex]) + " again, after line " + std::to_string(line_of_[vertex]), "every vertex once");
      line_of_[vertex] = cursor_.line();
      points_[vertex] = {coordinate(fields_[num_fields_ - 2]), coordinate(fields_[num_fields_ - 1])};
    }
    for (std::size_t vertex = 0; vertex < names_.size(); ++vertex) {
      if (line_of_[vertex] == 0)
        refuse(text_, 0, "no place for the vertex " + in_quotes(names_[vertex]), "a line for every vertex");
    }
    return std::move(points_);
  }

 private:
  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, cursor_.line(), std::move(found), std::move(expected));
  }

  double coordinate(std::string_view field) const { return read_real(text_, cursor_.line(), field).hi; }

  void split() {
    fields_.clear();
    unquoted_.clear();
    const char* p = cursor_.position();
    const auto skip_blanks = [&] {
      while (is_blank(*p)) ++p;
    };
    for (skip_blanks(); *p != '\n'; skip_blanks()) {
      if (!fields_.empty() && *p == ',') {
        ++p;
        skip_blanks();
      }
      std::string_view field;
      if (*p == '"') {
        if (!read_quoted(p, field, unquoted_)) fail("a quote that does not end on its line", wanted);
      } else {
        const char* const start = p;
        while (!is_blank(*p) && *p != ',' && *p != '\n') ++p;
        field = {start, p};
        if (field.empty()) fail("an empty field", wanted);
      }
      fields_.push_back(field);
    }
  }

  std::size_t vertex_named(std::string_view name) {
    if (vertex_of_.empty()) {
      for (std::size_t vertex = 0; vertex < names_.size(); ++vertex) {
        if (!vertex_of_.try_emplace(names_[vertex], vertex).second)
          fail("names, of which " + in_quotes(names_[vertex]) + " is that of a row and of a column",
               "lines `x y` without names, for the rows and then the columns");
      }
    }
    const auto found = vertex_of_.find(name);
    if (found == vertex_of_.end()) fail("the name " + in_quotes(name), "the name of a vertex");
    return found->second;
  }

  const Text& text_;
  Cursor cursor_;
  const std::vector<std::string>& names_;
  std::vector<Point> points_;
  std::vector<std::uint64_t> line_of_;  // 0: none yet
  std::unordered_map<std::string_view, std::size_t> vertex_of_;
  std::size_t num_fields_ = 0;
  std::vector<std::string_view> fields_;
  std::list<std::string> unquoted_;
};

}  // namespace

std::vector<Point> read_coordinates(const std::string& file, const std::vector<std::string>& names,
                                    const RunContext& run) {
  const Text text = Text::from_file(file, run, "the coordinates of vertices");
  if (text.is_binary()) refuse(text, 0, "a binary file", wanted);
  return CoordinateReader(text, names).read();
}

}  // namespace matchcount
