#pragma once
// Finds out a file's format by its first lines, then by its name. Private to graph/.

#include <optional>
#include <string_view>

#include "graph/input_types.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// A first line like "%%MatrixMarket ...", also one that is misspelt enough that it would pass for a comment.
bool has_matrix_market_banner(const Text& text);

// What the comment "# format: edgelist" before the data says (or dense, metis, adjlist), of those that look alike.
std::optional<InputFormat> stated_format(const Text& text);
// What the comment "# header: no" (or yes) before the data says, as InputOptions::header.
std::optional<bool> stated_header(const Text& text);

// The format of a text: by its first bytes, the comment that stated_format() finds, its name or one of KONECT. Else
// what has two readings is refused (two_readings.hpp); the rest is dense where is_dense() says so (dense.hpp, which
// refuses what it can't tell), and an edge list where not.
InputFormat detect_format(const Text& text, const InputOptions& options);

// By the extension alone, ".gz" behind it set aside; nothing where it is that of no format.
std::optional<InputFormat> format_of_name(std::string_view name);

}  // namespace matchcount::readers
