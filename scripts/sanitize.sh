#!/bin/sh
# Builds the program and some tests with address and undefined-behaviour sanitizers in build/sanitize, and runs those that
# reach every method, reader and command.
set -eu
cd "$(dirname "$0")/.."
scripts/install-dependencies.sh python3-jsonschema
cmake --preset sanitize
cmake --build --preset sanitize
ctest --preset sanitize
