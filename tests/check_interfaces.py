"""Checks that interfaces are what is promised: check_interfaces.py SOURCE NM LIBRARY.

The library for C exports the functions of bindings/c/exports.map, which are those of matchcount.h, and nothing else; and
every file that names the version names the one of matchcount/version.hpp.
"""

import pathlib
import re
import subprocess
import sys

source, nm, library = pathlib.Path(sys.argv[1]), *sys.argv[2:]


def names(file, pattern):
    found = re.findall(pattern, (source / file).read_text(encoding="utf-8"), re.MULTILINE)
    return sorted(found) or sys.exit(f"{file} has nothing like {pattern}")


listed = names("bindings/c/exports.map", r"^    (\w+);")
table = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
exported = sorted(line.split()[-1] for line in table.splitlines())
declared = names("bindings/c/matchcount.h", r"^(?:int|void|size_t|double|const char\*) (\w+)\(")
for what, others in (("the library exports", exported), ("matchcount.h declares", declared)):
    if others != listed:
        sys.exit(f"{what} {sorted(set(others) ^ set(listed))} otherwise than bindings/c/exports.map")
soname = names("bindings/c/CMakeLists.txt", r"SOVERSION (\d+)")
if names("bindings/c/matchcount.h", r"^#define MATCHCOUNT_ABI (\d+)") != soname:
    sys.exit("the library for C has another number than MATCHCOUNT_ABI")

(version,) = names("matchcount/version.hpp", r'define MATCHCOUNT_VERSION "(.*)"')
major, minor, patch = map(int, version.split("."))
for file, pattern, expected in (
        ("matchcount/version.hpp", r"VERSION_NUMBER (\d+)", str(10000 * major + 100 * minor + patch)),
        ("CITATION.cff", r"^version: (.*)", version),
        ("CHANGELOG.md", r"\A(?:.*\n)*?## (\d\S*)", version),
        ("README.md", r"find_package\(matchcount (\S+)", f"{major}.{minor}"),
        ("docs/compatibility.md", r"find_package\(matchcount ([\d.]+)\)", f"{major}.{minor}")):
    if names(file, pattern) != [expected]:
        sys.exit(f"{file} has {names(file, pattern)} where {expected} is expected")
