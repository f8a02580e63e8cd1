// A build without the library of Boost.Graph: GraphML is recognised, and refused with what is missing.

#include "core/error.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {

Parsed read_graphml(const Text& text, bool) {
  throw NotCompiled(text.name() +
                    ": this build does not read GraphML: it was made without the library of Boost.Graph, which comes "
                    "with the package libboost-graph-dev");
}

}  // namespace matchcount::readers

bool matchcount::built_with_graphml() { return false; }
