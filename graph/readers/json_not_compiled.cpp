// A build without nlohmann's JSON: graphs in JSON are recognised, and refused with what is missing.

#include "core/error.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {

Parsed read_json(const Source& source) {
  throw NotCompiled(source.text.name() +
                    ": this build does not read JSON: it was made without the package nlohmann-json3-dev");
}

bool reads_json() { return false; }

}  // namespace matchcount::readers
