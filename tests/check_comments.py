"""Checks that comments begin with a verb or the name that they explain, not with a word that needs the code below."""
import re
import sys
from pathlib import Path

FOLDERS = ("core", "graph", "linear", "matching", "permanent", "approx", "matchcount", "apps", "bench", "bindings",
           "cmake", "photonics", "scripts", "tests")
SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu", ".py", ".cmake", ".sh", ".txt"}
WORDS = r"(?:Of|What|That|Those|Where|As|In|Whether|There,|So many|Once it|Up to)"
COMMENT = re.compile(r"\s*(?://|#)(?:\s|$)")
# A comment on lines of its own, one behind code, or a docstring.
FORBIDDEN = re.compile(rf'\s*(?://|#|""")\s*{WORDS}\s')
BEHIND_CODE = re.compile(rf"\S.*\s(?://|#)\s{WORDS}\s")


def faults(file):
    before = ""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        begins = FORBIDDEN.match(line) and not COMMENT.match(before)
        if begins or (BEHIND_CODE.match(line.strip()) and not COMMENT.match(line) and '"' not in line):
            yield f"{file}:{number}: {line.strip()}"
        before = line


def main(root):
    files = sorted(file for folder in FOLDERS for file in (root / folder).rglob("*") if file.suffix in SUFFIXES)
    found = [fault for file in files for fault in faults(file)]
    if not files or found:
        sys.exit("\n".join(found) + f"\n{len(found)} comments in {len(files)} files begin with a word that needs the code "
                 "below: begin with a verb (Returns, Says, Finds), or the name that is explained")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
