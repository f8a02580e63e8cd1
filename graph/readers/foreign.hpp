#pragma once
// Recognises what other programs write and nothing here reads. Private to graph/.

#include <string_view>

#include "graph/readers/text.hpp"

namespace matchcount::readers {

// Says what a file that is no text is by its first bytes, and what to give instead.
struct ForeignBytes {
  std::string_view found = "a NUL byte";
  std::string_view expected = "text in ASCII or UTF-8";
};
ForeignBytes foreign_bytes(std::string_view bytes);

// Refuses a text that begins as Pajek's, Graphviz's, LEDA's, LEMON's or JSON's do, and names the formats that are read.
void refuse_foreign_text(const Text& text);

}  // namespace matchcount::readers
