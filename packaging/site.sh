#!/bin/bash
# Makes the site, build/site/html/index.html, which is read and searched without a server as well: the repository's pages,
# references for Python and C++, and the page that counts, which packaging/web.sh makes. A link that leads nowhere is an
# error.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-dependencies.sh python3-venv doxygen
pages=$PWD/build/site/pages tools=$PWD/build/site/tools
[ -d "$tools" ] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet mkdocs-material 'mkdocstrings[python]' ruff numpy
"$tools/bin/pip" install --quiet --no-index --find-links build/wheels/dist matchcount 2>/dev/null || "$tools/bin/pip" install --quiet .
scripts/reference.sh >/dev/null
rm -rf "$pages"
mkdir -p "$pages/reference"
# A tree that came in an archive has no list of its files.
{ git ls-files -z 2>/dev/null || find . \( -name .git -o -path ./build \) -prune -o -type f -print0; } | xargs -0 cp --parents -t "$pages"
cp -r build/reference/html "$pages/reference/cpp"
[ -e build/web/matchcount.html ] || packaging/web.sh
cp build/web/matchcount.html "$pages/count-here.html"
NO_MKDOCS_2_WARNING=1 "$tools/bin/mkdocs" build --strict --config-file packaging/site/mkdocs.yml
ls -d build/site/html/index.html
