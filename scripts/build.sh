#!/bin/sh
# Builds the command line as build/default/matchcount, with what it needs.
set -eu
cd "$(dirname "$0")/.."
scripts/install-dependencies.sh
cmake --preset default
cmake --build --preset default --target matchcount_app
