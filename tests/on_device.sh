#!/bin/sh
# Builds with CUDA in the system's temporary folder, where the next run finds it again, and runs the tests that need a GPU.
# Fetches nothing. Arguments go to CMake. A machine that has Boost's headers but not libboost_graph.a can be given it in a
# folder: tests/on_device.sh -DBoost_NO_BOOST_CMAKE=ON -DBOOST_LIBRARYDIR=FOLDER
set -eu
cd "$(dirname "$0")/.."
build=${TMPDIR:-/tmp}/matchcount-device
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DMATCHCOUNT_WITH_CUDA=ON "$@"
cmake --build "$build" --parallel "$(nproc)"
ctest --test-dir "$build" --label-regex cuda --output-on-failure --no-tests=error
