#pragma once
// Tells dense text, a matrix line by line, from edge lists, whose lines are numbers too. Private to graph/.

#include "graph/input_types.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// Whether a text that no format is known of is dense: at least 4 numbers on every line, as many on each; or, where
// `kind` is matrix, a single number. Refuses n lines of n numbers with n = 2 or 3, which are as well the edges of a
// list, but for undirected graphs, whose matrix would be symmetric, unless all of them are 0 or 1; lines of four numbers
// that may be edges with weights and times; numbers in order above or beside a square; a square on one line; and lines
// of integers that are as well lists of neighbours.
bool is_dense(const Text& text, const InputOptions& options, InputKind kind);

}  // namespace matchcount::readers
