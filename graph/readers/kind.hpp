#pragma once
// Settles what the names of a file stand for: one set of vertices, or rows and columns. Private to graph/.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "graph/input_types.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// Returns what stands behind "key:" in the comment whose mark is at p; nothing in another comment.
std::optional<std::string_view> stated_in_comment(const char* p, std::string_view key);

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
// time.
std::optional<StatedKind> konect_kind(const Text& text);

// Says whether a comment before the data heads columns as the SNAP collection does (J. Leskovec and A. Krevl, "SNAP
// datasets", 2014): "# FromNodeId ToNodeId". Another comment there says whether the graph is directed.
bool is_snap(const Text& text);

// Settles Input::kind of what was read from a file of this format, where `given` is what the caller asked for. Refuses
// a file that is about another kind than the question is: its answer would be the one to another question.
InputKind settled_kind(const Text& text, InputFormat format, Parsed::Shape shape, std::optional<InputKind> given,
                       const std::optional<StatedKind>& stated, InputKind usual);

}  // namespace matchcount::readers
