#!/bin/bash
# Makes everything that a version is given out as, in FOLDER, from the last commit alone, and tries it, as root on Debian 12:
#   packaging/release.sh FOLDER
# The source distribution is made from a clean clone, and the rest from what is in it. FOLDER/SHA256SUMS has the sums.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ -z "$(ls -A "$folder")" ] || { echo "$folder is not empty" >&2; exit 2; }
git -C "$here" rev-parse --verify --quiet HEAD >/dev/null 2>&1 || { echo "a commit is what is released: git and a clone are needed" >&2; exit 2; }
git -C "$here" diff --quiet HEAD || { echo "something is not committed" >&2; exit 2; }
git clone --quiet "$here" "$folder/clone"
python3 -m venv "$folder/tools"
"$folder/tools/bin/pip" install --quiet build
"$folder/tools/bin/python" -m build --sdist --outdir "$folder" "$folder/clone" >/dev/null
mkdir "$folder/source"
tar -xzf "$folder"/matchcount-*.tar.gz -C "$folder/source" --strip-components 1
cd "$folder/source"
packaging/wheels.sh
packaging/try.sh
packaging/aarch64.sh
cp build/wheels/dist/* "$folder"
cd "$folder"
rm -rf clone source tools
sha256sum -- matchcount* >SHA256SUMS
cat SHA256SUMS
