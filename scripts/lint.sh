#!/bin/bash
# Checks Python by ruff, and the public functions of C++ and the library for C by clang-tidy: what they find is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-dependencies.sh clang-tidy python3-venv
[ -x build/lint/bin/ruff ] || { python3 -m venv build/lint && build/lint/bin/pip install --quiet ruff cffconvert; }
build/lint/bin/ruff check .
build/lint/bin/cffconvert --validate
cmake --preset default -DMATCHCOUNT_WITH_PHOTONICS=ON >/dev/null
cmake --build --preset default --target matchcount_headers
# The functions as one source, whose headers are read once.
printf '#include "%s"\n' matchcount/*.cpp photonics/{photons,patterns}.cpp >build/lint/all.cpp
clang-tidy --quiet build/lint/all.cpp -- -std=c++20 -fopenmp -I.
clang-tidy --quiet bindings/c/matchcount.cpp -- -std=c++20 -Ibuild/default/include
