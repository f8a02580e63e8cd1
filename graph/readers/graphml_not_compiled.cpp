// A build without libexpat: GraphML and GEXF are recognised, and refused with what is missing.

#include "core/error.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {

Parsed read_xml(const Source& source) {
  throw NotCompiled(
      source.text.name() +
      ": this build does not read GraphML and GEXF: it was made without libexpat, which comes with the package "
      "libexpat1-dev");
}

bool reads_graphml() { return false; }

}  // namespace matchcount::readers
