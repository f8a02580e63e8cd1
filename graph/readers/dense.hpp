#pragma once
// Tells dense text, a matrix line by line, from edge lists, whose lines are numbers too. Private to graph/.

#include "graph/input_types.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// Tells whether a text that no format is known of is dense: at least 4 numbers on every line, as many on each; or,
// where the kind is matrix, a single number. options.kind is what the file says where nobody else does. Refuses lines
// of 2 or 3 numbers that are as well the edges of a list; lines of four numbers that may be edges with weights and
// times; numbers in order above or beside a matrix; a square on one line; and lines of integers that are as well lists
// of neighbours.
bool is_dense(const Text& text, const InputOptions& options);

}  // namespace matchcount::readers
