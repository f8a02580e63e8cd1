"""Checks that no file has more than 600 lines and no function of C++ or CUDA more than 80: check_lengths.py SOURCE."""
import re
import sys
from pathlib import Path

FOLDERS = ("core", "graph", "linear", "matching", "permanent", "approx", "matchcount", "apps", "bench", "bindings",
           "cmake", "examples", "packaging", "photonics", "scripts", "tests")
CXX = {".hpp", ".cpp", ".cuh", ".cu", ".c", ".h"}
MOST_OF_FILE, MOST_OF_FUNCTION = 600, 80
# Longer functions, and why they are let pass. One that is split goes from here.
LONGER = {
    "add_result": "a list of what Python sees of a result",
    "find_minors": "a kernel whose steps share their registers",
    "hafnian_gradient_by_pairs": "a walk and its derivatives, in one text",
    "sum_reals": "one sum with its bound",
    "sum_up": "a walk in one text for all numbers",
    "torontonian_gradient": "a walk and its derivatives, in one text",
}
# Comments, and what stands between quotes; a quote behind a digit parts digits.
NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|" r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|' r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|"
                     r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
SCOPE = re.compile(r"^(?:inline\s+)?namespace\b|\bextern\b|\b(?:class|struct|enum|union)\b[^()]*$")


def functions(source):
    """Yields the name, the first line and the number of lines of each function that stands in no other."""
    code = NO_CODE.sub(lambda found: "\n" * found.group().count("\n"), source)
    begin, blocks = 0, []  # what is open: for each its first line and name, or none for a scope
    for place in re.finditer(r"[{};]", code):
        head, end = code[begin:place.start()], place.start()
        begin = place.end()
        if place.group() == "{":
            is_scope = all(block is None for block in blocks) and (SCOPE.search(head.strip()) or "(" not in head)
            first = code.count("\n", 0, end - len(head.lstrip())) + 1
            name = re.search(r"(\w+)\s*\(", head)
            blocks.append(None if is_scope else (first, name.group(1) if name else ""))
        elif place.group() == "}":
            block = blocks.pop()
            if block and all(outer is None for outer in blocks):
                yield block[1], block[0], code.count("\n", 0, end) + 2 - block[0]


def main(root):
    faults, longer, count = [], set(), 0
    for file in sorted(file for folder in FOLDERS for file in (root / folder).rglob("*")):
        if file.suffix not in CXX | {".py", ".cmake", ".sh"}:
            continue
        source = file.read_text()
        if source.count("\n") > MOST_OF_FILE:
            faults.append(f"{file}: {source.count(chr(10))} lines")
        for name, line, length in functions(source) if file.suffix in CXX else ():
            count += 1
            if length > MOST_OF_FUNCTION and name in LONGER:
                longer.add(name)
            elif length > MOST_OF_FUNCTION:
                faults.append(f"{file}:{line}: {name} has {length} lines")
    faults += [f"{name} is not longer, and need not be named here" for name in sorted(LONGER.keys() - longer)]
    if count < 1000:
        faults.append(f"only {count} functions were found")
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
