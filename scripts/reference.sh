#!/bin/sh
# Writes the reference of the public headers, build/reference/html/index.html, by Doxygen; a warning is an error.
set -eu
cd "$(dirname "$0")/.."
cmake --preset default -DMATCHCOUNT_WITH_PHOTONICS=ON
cmake --build --preset default --target matchcount_headers
mkdir -p build/reference
MATCHCOUNT_HEADERS=build/default/include MATCHCOUNT_REFERENCE=build/reference doxygen scripts/Doxyfile
