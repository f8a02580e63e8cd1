#!/bin/sh
# sanitize.sh [PRESET]: builds the program and some tests with address and undefined-behaviour sanitizers, and runs those
# that reach every method, reader and command; with the preset `inputs` those that read files and options.
set -eu
cd "$(dirname "$0")/.."
scripts/install-dependencies.sh python3-jsonschema
preset=${1:-sanitize}
if [ $preset = inputs ]; then # which takes the rooms that it doesn't sanitize from there
  cmake --preset default
  cmake --build --preset default --target matchcount_doors
fi
cmake --preset $preset
cmake --build --preset $preset
ctest --preset $preset
