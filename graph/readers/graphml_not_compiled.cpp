// A build without libexpat: GraphML is recognised, and refused with what is missing.

#include "core/error.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {

Parsed read_graphml(const Source& source) {
  throw NotCompiled(source.text.name() +
                    ": this build does not read GraphML: it was made without libexpat, which comes with the package "
                    "libexpat1-dev");
}

bool reads_graphml() { return false; }

}  // namespace matchcount::readers
