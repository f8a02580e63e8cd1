#pragma once
// Refuses texts of numbers that two formats would read, each to another graph. Private to graph/.

#include "graph/input_types.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// Takes a text of which nothing says the format. Refuses one that fits METIS's header, number of lines and number of
// neighbours, or TGF; one whose first line may be the size of the matrix or the number of the edges behind it, or
// number their columns (unless options.header tells); and lines of integers that may be vertices with two neighbours or
// none, or edges with weights.
void refuse_two_readings(const Text& text, const InputOptions& options);

}  // namespace matchcount::readers
