#!/bin/sh
# Builds everything in build/default, with what it needs, and runs the tests.
set -eu
cd "$(dirname "$0")/.."
# MPI is built too, whose packages bring a Fortran compiler, the wing photonics, and what validates JSON: a build of the
# program alone does without.
scripts/install-dependencies.sh libopenmpi-dev openmpi-bin python3-jsonschema
cmake --preset default -UMATCHCOUNT_WITH_MPI -DMATCHCOUNT_WITH_PHOTONICS=ON
cmake --build --preset default
ctest --preset default
