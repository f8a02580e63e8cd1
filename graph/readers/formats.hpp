#pragma once
// Lists every format that is read in one table, and finds out which of them a file has. Private to graph/.

#include <optional>
#include <string_view>

#include "graph/input_types.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

struct Format {
  enum class Holds { matrix, graph, either };

  InputFormat format;
  Holds holds;                  // rows and columns, one set of vertices, or what the file or the caller says
  std::string_view extensions;  // of its files, apart by blanks
  const char* comment_marks;    // of the comments that may state a kind or a layout
  Parsed (*read)(const Source& source);
  // Says whether a text is of this format and of no other; null where its lines may be those of another.
  bool (*is_certain)(const Text& text, InputFormat format);
  bool (*next)(const Text& text, InputFormat format, Part& part);  // moves to the next graph; false behind the last
};

// Returns the row of a format, of InputFormat::automatic that of edge lists.
const Format& format_entry(InputFormat format);

// Finds the format that a text certainly is of, that stated_format() gives, or that of its name, if there is one.
std::optional<InputFormat> known_format(const Text& text);
// Finds the format of a text: its known format, or KONECT's. Refuses a text that is certainly of two, and what other
// programs write. Lines that are left over may be read in two ways, and are refused then (readings.hpp); else they are
// dense text or an edge list.
InputFormat sniff(const Text& text, const InputOptions& options);

// Returns what the comment "# format: edgelist" before the data says (or dense, metis, adjlist): these look alike.
std::optional<InputFormat> stated_format(const Text& text);
// Returns what the comment "# header: no" (or yes) before the data says, as InputOptions::header.
std::optional<bool> stated_header(const Text& text);

// Goes by the extension alone, ".gz" behind it set aside; nothing where it is that of no format.
std::optional<InputFormat> format_of_name(std::string_view name);

}  // namespace matchcount::readers
