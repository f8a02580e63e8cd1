#!/bin/sh
# Builds as tests/on_device.sh does, in the same folder, and runs the benchmark with an empty kernel cache. Writes
# bench-ryser.json into $OUT, or here. Arguments go to matchcount-bench, after ryser.
set -eu
cd "$(dirname "$0")/.."
build=${TMPDIR:-/tmp}/matchcount-device
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DMATCHCOUNT_WITH_CUDA=ON -DMATCHCOUNT_BUILD_BENCH=ON \
  -DCMAKE_PREFIX_PATH="$PWD/build/carry"
cmake --build "$build" --parallel "$(nproc)" --target matchcount_bench
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
MATCHCOUNT_CACHE_DIR=$cache "$build/matchcount-bench" ryser --json "${OUT:-.}/bench-ryser.json" "$@"
