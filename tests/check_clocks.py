"""Checks that no quick test compares what a clock says with a constant, or waits for so long: on a machine that has much
else to do it would fail. Tests that are [slow] may, and then compare with a piece of work that is timed beside it.
tests/support/clock.hpp has a clock that tests advance, tests/apps/program.hpp what may happen to a program on its way."""
import re
import sys
from pathlib import Path

SECONDS = r"(?:seconds_since\([^;]*\)|\blap\(\)|\bnow\(\)[^;]*\)|\bcpu_seconds|\boutcome\.seconds|\btime_s\.\w+)"
CPP = {
    rf"{SECONDS} *[<>](?!<)": "compares seconds that a clock tells",
    r"\b(?:steady|system|high_resolution)_clock\b": "looks at a clock",
    r"\bsleep_(?:for|until)\b|\bwait_(?:for|until)\(": "waits for some time",
    r"\bstd::thread\b(?!::)": "has a thread that nobody joins if something fails: std::jthread has",
}
PYTHON = {
    r"\btime\.(?:monotonic|time|perf_counter|process_time)\(\)[^\n]*[<>]": "compares seconds that a clock tells",
    r"\btimeout *=|\.wait\([0-9]": "waits for so long and no longer",
}
# Threads by which a test pretends that ranks are of unequal speed.
ALLOWED = {("tests/apps/ranks_program.cpp", "waits for some time")}


def without_slow(text):
    """Returns the text without slow cases, and those of a GPU, which has one test at a time."""
    case = r'^TEST_CASE\("[^"]*",\s*"[^"]*\[(?:slow|cuda)\][^"]*"\).*?^}$'
    return re.sub(case, lambda found: "\n" * found.group().count("\n"), text, flags=re.DOTALL | re.MULTILINE)


def main(root):
    faults = []
    for file in sorted((root / "tests").rglob("*")):
        name = str(file.relative_to(root))
        rules = CPP if file.suffix in {".cpp", ".hpp"} else PYTHON if file.suffix == ".py" else {}
        if name == "tests/check_clocks.py":
            continue
        for number, line in enumerate(without_slow(file.read_text()).split("\n") if rules else [], 1):
            line = line.split("//")[0] if rules is CPP else line
            faults += [f"{name}:{number} {fault}: {line.strip()}" for pattern, fault in rules.items()
                       if re.search(pattern, line) and (name, fault) not in ALLOWED]
    if faults:
        sys.exit("these depend on how busy the machine is:\n  " + "\n  ".join(faults))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
