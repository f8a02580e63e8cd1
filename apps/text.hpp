#pragma once
// Makes text for people, and describes this machine.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/amounts.hpp"
#include "core/numbers/value.hpp"
#include "core/text.hpp"
#include "graph/input.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount::app {

struct Machine {
  std::string cpu_model;  // "unknown" where the system does not say
  std::string architecture;
  int usable_cores = 0;  // by this process
  std::string instruction_set;
  std::uint64_t memory_bytes = 0;
  std::uint64_t available_memory_bytes = 0;
};
Machine this_machine();

inline std::string format_seconds(double seconds) { return time_amount(seconds); }

// Reads the whole of a text as a number, or nothing.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Breaks text at blanks into lines of at most `width` columns, each indented but the first, which begins with `head`; a
// newline stays a newline.
std::string wrap(std::string_view text, std::size_t indent, std::size_t width, std::string head = {});

// Returns how many columns the terminal at a descriptor has, or else $COLUMNS says; nothing where neither does.
std::optional<std::size_t> columns_of(int descriptor);
// Breaks lines that are wider, and goes on below their last column; those of no terminal stay as they are.
std::string fitted(std::string_view text, std::optional<std::size_t> width);

// Writes "a, b, c and 17 more": at most `most` labels.
std::string some_labels(const std::vector<std::string>& labels, std::size_t most = 8);
// Returns the name of a row or, behind these, a column; of a vertex.
std::string name_of(const Input& input, Vertex v);
// Returns the names of rows, or of columns; of vertices.
std::vector<std::string> side_labels(const Input& input, const std::vector<Vertex>& vertices, bool of_rows = true);

// Counts of things by size, the largest first, and what is written of them: "1 of 40 x 40, 12 of 1 x 1", where `name`
// makes "40 x 40" of 40; of the first eight sizes.
using Sizes = std::map<Vertex, std::uint64_t, std::greater<>>;
std::string sizes_text(const Sizes& sizes, const std::function<std::string(Vertex)>& name);

// "; did you mean 'NAME'?", where a name is near, else nothing. `dashes` stand before it.
std::string suggestion(std::string_view name, const std::vector<std::string_view>& names, std::string_view dashes = {});

// Writes a name so that a reader of edge lists takes it for one: in quotes where need be.
std::string quoted_name(const std::string& name);

// Says whether the file has weights, rather than parallel edges that were counted.
bool has_own_weights(const Input& input);
// Says whether nothing of it is rounded.
bool is_exact(const Value& value);
// Writes "(exactly; about 8.3333333333333333e-2)".
std::string fraction_note(const Rational& value);
// "(relative error <= 1.7e-22)", "(exact)" of a real, what is known where it may be 0; nothing of an integer.
std::string error_note(const Value& value);

// Proves that a graph has no perfect matching; neither: it has one.
struct Certificate {
  std::optional<HallViolator> hall_violator = {};
  std::optional<TutteSet> tutte_set = {};  // of a graph with odd cycles
  explicit operator bool() const { return hall_violator || tutte_set; }
};
// Takes that of a plan, an estimate or a distribution.
template <class Source>
Certificate certificate_of(const Source& source) {
  if constexpr (requires { source.hall_violator(); })
    return {source.hall_violator(), source.tutte_set()};
  else
    return {source.hall_violator, source.tutte_set};
}
// Says it with the file's own names, shortened.
std::string sentence(const Input& input, const Certificate& certificate);

}  // namespace matchcount::app
