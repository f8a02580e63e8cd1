#!/bin/bash
# Runs the notebooks of examples/notebooks, the tests of pictures with RDKit, and networkx's own tests of the functions that
# the backend has, in a fresh environment with the wheel that scripts/python.sh made.
set -euo pipefail
cd "$(dirname "$0")/.."
work=build/notebooks
wheel=$(ls build/python/3*/matchcount-*.whl | tail -n 1)
rm -rf $work
"$(dirname "$wheel")"/environment/bin/python -m venv $work/environment
$work/environment/bin/pip --disable-pip-version-check --quiet install "$wheel" ipykernel matplotlib nbmake networkx pandas rdkit \
  scipy
cp examples/notebooks/*.ipynb tests/python/test_pictures.py $work
cd $work
environment/bin/python -m pytest --quiet --rootdir . -p no:cacheprovider --nbmake --nbmake-timeout=60 ./*.ipynb test_pictures.py
NETWORKX_TEST_BACKEND=matchcount NETWORKX_FALLBACK_TO_NX=True environment/bin/python -m pytest --quiet --rootdir . \
  -p no:cacheprovider --pyargs networkx.algorithms.tests.test_matching networkx.algorithms.bipartite.tests.test_matching
