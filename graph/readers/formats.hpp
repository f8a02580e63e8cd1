#pragma once
// Lists every format that is read in one table, finds out which of them a file has, and settles what the names of a
// file stand for: one set of vertices, or rows and columns. Private to graph/.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/input_types.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// The kind that a file states in a comment before its data, "# kind: undirected", in the formats whose own text does
// not say it. Refuses two that differ and, but in Matrix Market files, an unknown one.
struct StatedKind {
  InputKind kind;
  std::uint64_t line;
};
std::optional<StatedKind> stated_kind(const Text& text, InputFormat format);

// Returns what the first comment "# layout: ..." before the data says, as Input::layout; empty: none does.
std::string stated_layout(const Text& text, InputFormat format);

// Finds the kind by a first line "% sym unweighted" (or asym, bip) of the KONECT collection (J. Kunegis, "KONECT: the
// Koblenz network collection", 2013), whose files are edge lists with up to four columns: two vertices, a weight, a
// time. Refuses, if asked to, such a line with another word for the weights.
std::optional<StatedKind> konect_kind(const Text& text, bool refuses = false);

// Settles Input::kind of what was read from a file of this format, where `given` is what the caller asked for. Refuses
// a file that is about another kind than the question is: its answer would be the one to another question.
InputKind settled_kind(const Text& text, InputFormat format, Parsed::Shape shape, std::optional<InputKind> given,
                       const std::optional<StatedKind>& stated, InputKind usual);

// Names options of reading that not every format can honour, as bits of a set.
enum ReadingOption : unsigned {
  weight_key = 1,  // the name of a key or column; an empty one is honoured by all
  lines = 2,       // delimiter and header
  columns = 4,     // columns and label
  base = 8,
  skeleton = 16,
  no_edge = 32
};

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
  unsigned honours = 0;                                            // a set of ReadingOption
};

// Refuses an option of `given` that a reading of this format leaves aside, with the formats that have it.
void check_reading_options(const Text& text, InputFormat format, const InputOptions& given);

// Returns the row of a format, of InputFormat::automatic that of edge lists.
const Format& format_entry(InputFormat format);

// Finds the format that a text has of its own: the one that its first bytes or words are those of and of no other, that
// stated_format() gives, that its name has, or KONECT's and SNAP's edge lists. Nothing: it is plain text. Refuses a
// text that begins as two formats do.
std::optional<InputFormat> own_format(const Text& text);

// Returns what the comment "# format: edgelist" before the data says (or dense, metis, adjlist): these look alike.
std::optional<InputFormat> stated_format(const Text& text);
// Returns what the comment "# header: no" (or yes) before the data says, as InputOptions::header.
std::optional<bool> stated_header(const Text& text);

// Goes by the extension alone, ".gz" behind it set aside; nothing where it is that of no format.
std::optional<InputFormat> format_of_name(std::string_view name);

}  // namespace matchcount::readers
