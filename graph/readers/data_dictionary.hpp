#pragma once
// Reads the data dictionaries that networkx writes behind the edges of an edge list. Private to graph/.

#include <optional>
#include <string_view>

#include "graph/readers/text.hpp"

namespace matchcount::readers {

// The cursor stands at the '{' of a dictionary as Python prints it, {'weight': 2.5, 'colour': 'red'}, and moves behind
// its '}', on the same line. Returns the text of the value that `key` has, where it has one: a number as a rule, which
// is not checked here; of np.float64(2.5) the 2.5. Other keys are passed over. Refuses what is no dictionary, and a key
// that stands there twice.
std::optional<std::string_view> read_data_dictionary(const Text& text, Cursor& cursor, std::string_view key);

}  // namespace matchcount::readers
