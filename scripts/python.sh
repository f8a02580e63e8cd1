#!/bin/bash
# Builds the package for Python against the library of build/default, as wheels for the distribution's Python and the newest
# that is at hand; installs each into a fresh environment, checks its types there, and runs its tests and the examples of
# docs/python.md and of the docstrings.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-dependencies.sh python3-venv python3-dev
cmake --preset default -DMATCHCOUNT_WITH_PHOTONICS=ON
cmake --build --preset default
work=build/python
rm -rf $work
cmake --install build/default --prefix $work/prefix >/dev/null

pythons=/usr/bin/python3
newest=$(ls -d /usr/bin/python3.?? /usr/local/bin/python3.?? "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3.?? 2>/dev/null |
         awk -F/ '{print $NF, $0}' | sort -V | tail -n 1 | cut -d' ' -f2 || true)
if [ -n "$newest" ] && [ "$("$newest" -c 'import sys; print(sys.version_info[:2])')" != \
                         "$($pythons -c 'import sys; print(sys.version_info[:2])')" ]; then
  pythons="$pythons $newest"
fi
build_and_test() {
  local python=$1 folder=$2
  "$python" -m venv "$folder/environment"
  local pip="$folder/environment/bin/pip --disable-pip-version-check --quiet"
  CMAKE_PREFIX_PATH=$PWD/$work/prefix $pip wheel --no-deps --wheel-dir "$folder" .
  ls "$folder"/*.whl
  $pip install "$folder"/*.whl pytest networkx scipy rustworkx igraph pandas mypy
  if [ "$python" = "${pythons##* }" ]; then  # large ones, for one of them
    $pip install --only-binary :all: pyarrow polars || echo "tests of their tables are skipped"
  fi
  (cd "$folder"
   environment/bin/python -m mypy --strict --package matchcount
   environment/bin/python -m mypy --strict "$OLDPWD/tests/python/typed.py"
   environment/bin/python -m mypy.stubtest matchcount._core --allowlist "$OLDPWD/tests/python/stubtest_allowlist.txt" \
     --ignore-unused-allowlist
   MATCHCOUNT=$OLDPWD/$work/prefix/bin/matchcount PYTHONPATH=$OLDPWD/tests/python \
     environment/bin/python -m pytest --quiet --rootdir . -p no:cacheprovider "$OLDPWD"/tests/{python,photonics/python})
}

# Side by side: most of it is one process after another.
processes=()
for python in $pythons; do
  folder=$work/$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  mkdir -p "$folder"
  (set -e; build_and_test "$python" "$folder") >"$folder/log" 2>&1 &
  processes+=($!)
done
status=0
for process in "${processes[@]}"; do wait "$process" || status=1; done
cat $work/*/log
exit $status
