#!/bin/sh
# Builds everything in build/default, with what it needs, and runs the tests.
set -eu
cd "$(dirname "$0")/.."
scripts/install-dependencies.sh
cmake --preset default
cmake --build --preset default
ctest --preset default
