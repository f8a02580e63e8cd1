"""Checks that docs/architecture.md and CONTRIBUTING.md are true: the files that they name exist, and have the names that
they give them; the rooms of permanent/ include only those that the former's table allows; no file includes what is
private to others; and the engine names no method but in its table."""
import re
import sys
from pathlib import Path

FOLDERS = ("core", "graph", "linear", "matching", "permanent", "approx", "matchcount", "apps", "bench", "bindings",
           "cmake", "photonics", "tests")
PAGES = ("docs/architecture.md", "CONTRIBUTING.md")
SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu", ".cmake", ".py", ".txt"}
# A claim is `name` (`file`), `name` (..., `file`) or `name`, `file`; the name's template arguments and calls go.
CLAIM = re.compile(r"`([A-Za-z_][^`\s]*)`(?:\s+\((?:[^()`]*\s)?|,\s+)`([\w/]+\.(?:cpp|hpp|cuh|cu|cmake))`[,)]")
FILE = re.compile(r"`((?:\w+/)*\w+\.(?:cpp|hpp|cuh|cu|cmake|md))`")
NAME = re.compile(r"`([A-Za-z_][\w:<>.()]*)`")
# A row of the table of rooms: | `room/`, `room/` | `room/`, `room/` |, or words for none or all.
ROOMS = re.compile(r"^\| ((?:`\w+/`(?:, )?)+) \| (.*) \|$", re.MULTILINE)
INCLUDE = re.compile(r'^#include "(\w+/[^"]*)"', re.MULTILINE)
FLOORS = ("core", "graph", "linear", "matching", "permanent", "approx", "matchcount", "apps")
METHODS = "permanent/engine/methods.cpp"
METHOD = re.compile(r"\bMethod::(?!(?:automatic|structure)\b)(\w+)")
# Folders within a module that are for others; all others are private to the module or the room.
SHARED = ("core/cpu", "core/mpi", "core/numbers", "linear/bits")


def room_of(file):
    """Returns the module of a file or, in permanent/, the room."""
    parts = file.split("/")[:-1]
    return "/".join(parts[:2 if parts[0] == "permanent" else 1])


def wrong_includes(page, text):
    allowed = {f"permanent/{room}": words_of(may) for rooms, may in ROOMS.findall(page) for room in words_of(rooms)}
    for file, source in sorted(text.items()):
        here = room_of(file)
        if file.split("/")[0] not in FLOORS:
            continue
        if here.startswith("permanent/") and here not in allowed:
            yield f"no row in the table of rooms has {here}"
        for include in INCLUDE.findall(source):
            there = room_of(include)
            if here != there and include.rpartition("/")[0] not in (there, *SHARED):
                yield f"{file} includes {include}, which is private to {there}"
            if there != here and there.startswith("permanent/") and here.startswith("permanent"):
                if {there.removeprefix("permanent/"), "all"}.isdisjoint(allowed.get(here, [])):
                    yield f"{file} includes {include}, which the table of rooms does not allow"


def methods_named(text):
    """Finds enumerators of Method in the engine, but for its table and the two that are no methods."""
    for file, source in sorted(text.items()):
        if room_of(file) == "permanent/engine" and file != METHODS:
            for name in sorted(set(METHOD.findall(source))):
                yield f"{file} names Method::{name}; {METHODS} alone may, and others ask for what permanent/method.hpp says"


def words_of(text):
    return re.findall(r"[A-Za-z_]\w*", text)


def main(root):
    sources = [file for folder in FOLDERS for file in (root / folder).rglob("*") if file.suffix in SUFFIXES]
    text = {"/" + str(file.relative_to(root)): file.read_text() for file in sources}
    # NAME stands for what someone may add.
    page = re.sub(r"```.*?```|`[^`]*NAME[^`]*`", "", "\n".join((root / name).read_text() for name in PAGES), flags=re.DOTALL)

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
    text = {name.removeprefix("/"): source for name, source in text.items()}
    faults += [*wrong_includes(page, text), *methods_named(text)]
    if len(claims) < 10:
        faults.append(f"only {len(claims)} claims were found, `name` (`file`)")
    if faults:
        sys.exit(f"{' or '.join(PAGES)} is not true:\n  " + "\n  ".join(faults))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
