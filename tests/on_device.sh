#!/bin/sh
# Builds with CUDA in the system's temporary folder, where the next run finds it again, and runs the tests that need a
# GPU. Fetches nothing. Arguments go to CMake.
#   tests/on_device.sh carry
# lays GMP in build/carry, where it is installed, for a machine with a GPU and without it: that folder travels with the tree.
set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" = carry ]; then
  mkdir -p build/carry/include build/carry/lib
  echo '#include <gmp.h>' | g++ -x c++ -M - | tr ' ' '\n' | grep '/gmp\.h$' | xargs -I{} cp {} build/carry/include
  cp "$(g++ -print-file-name=libgmp.a)" build/carry/lib
  exit
fi
build=${TMPDIR:-/tmp}/matchcount-device
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DMATCHCOUNT_WITH_CUDA=ON -DMATCHCOUNT_WITH_PHOTONICS=ON \
  -DCMAKE_PREFIX_PATH="$PWD/build/carry" "$@"
cmake --build "$build" --parallel "$(nproc)" --target matchcount_cuda_tests
ctest --test-dir "$build" --label-regex cuda --output-on-failure --no-tests=error
