#!/bin/sh
# Builds with CUDA in the system's temporary folder, where the next run finds it again, and runs the tests that need a
# GPU. Fetches nothing. Arguments go to CMake.
set -eu
cd "$(dirname "$0")/.."
build=${TMPDIR:-/tmp}/matchcount-device
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DMATCHCOUNT_WITH_CUDA=ON -DMATCHCOUNT_WITH_PHOTONICS=ON "$@"
cmake --build "$build" --parallel "$(nproc)" --target matchcount_cuda_tests
ctest --test-dir "$build" --label-regex cuda --output-on-failure --no-tests=error
