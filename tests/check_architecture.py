"""Checks that docs/architecture.md is true: the files that it names exist, and have the names that it gives them."""
import re
import sys
from pathlib import Path

FOLDERS = ("core", "graph", "linear", "matching", "permanent", "approx", "matchcount", "apps", "bench", "bindings",
           "cmake", "tests")
SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu", ".cmake", ".py", ".txt"}
# A claim is `name` (`file`), `name` (..., `file`) or `name`, `file`; the name's template arguments and calls go.
CLAIM = re.compile(r"`([A-Za-z_][^`\s]*)`(?:\s+\((?:[^()`]*\s)?|,\s+)`([\w/]+\.(?:cpp|hpp|cuh|cu|cmake))`[,)]")
FILE = re.compile(r"`((?:\w+/)*\w+\.(?:cpp|hpp|cuh|cu|cmake|md))`")
NAME = re.compile(r"`([A-Za-z_][\w:<>.()]*)`")


def words_of(text):
    return re.findall(r"[A-Za-z_]\w*", text)


def main(root):
    sources = [file for folder in FOLDERS for file in (root / folder).rglob("*") if file.suffix in SUFFIXES]
    text = {"/" + str(file.relative_to(root)): file.read_text() for file in sources}
    page = re.sub(r"```.*?```", "", (root / "docs/architecture.md").read_text(), flags=re.DOTALL)

    def found(name):
        return [file for file in text if file.endswith("/" + name)]

    files = sorted(set(FILE.findall(page)))
    faults = [f"no file {name}" for name in files if not found(name) and not (root / name).exists()]
    claims = CLAIM.findall(page)
    for name, file in claims:
        word = words_of(re.sub(r"<.*?>", "", name))[-1]
        if name not in files and not any(re.search(rf"\b{word}\b", text[place]) for place in found(file)):
            faults.append(f"{file} has no {word}")
    known = set(words_of("\n".join(text.values())))
    for name in sorted(set(NAME.findall(page))):
        if not FILE.fullmatch(f"`{name}`"):
            faults += [f"no source has the name {word} of `{name}`" for word in words_of(name) if word not in known]
    if len(claims) < 10:
        faults.append(f"only {len(claims)} claims were found, `name` (`file`)")
    if faults:
        sys.exit("docs/architecture.md is not true:\n  " + "\n  ".join(faults))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
