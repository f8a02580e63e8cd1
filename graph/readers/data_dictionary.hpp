#pragma once
// Reads the data dictionaries that networkx writes behind the edges of an edge list. Private to graph/.

#include <optional>
#include <string_view>

#include "graph/readers/text.hpp"
#include "graph/readers/weight_key.hpp"

namespace matchcount::readers {

// The cursor stands at the '{' of a dictionary as Python prints it, {'weight': 2.5, 'colour': 'red'}, and moves behind
// its '}', on the same line. Returns the text of the value that the key of the weight has, where it has one: a number
// as a rule, which is not checked here; of np.float64(2.5) the 2.5. Other keys are noted there. Refuses what is no
// dictionary, and the key of the weight where it stands there twice.
std::optional<std::string_view> read_data_dictionary(const Text& text, Cursor& cursor, WeightKey& weight_key);

}  // namespace matchcount::readers
