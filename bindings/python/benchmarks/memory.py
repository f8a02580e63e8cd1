"""Checks whether memory grows over a million calls of every sort: python memory.py [results.json]

Prints, and writes, the resident memory after each tenth of the calls, as the system sees it.
"""

import itertools
import json
import os
import platform
import sys
import time
from fractions import Fraction

import numpy as np

import matchcount as mc

CALLS = 1_000_000

integers = np.arange(9).reshape(3, 3)
floats = integers + 0.5
symmetric = floats + floats.T
stack = np.stack([floats] * 4)
pairs = [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
fractions = [[Fraction(1, i + j + 1) for j in range(3)] for i in range(3)]
graph = mc.generate("grid", 3, 4)


def refused():
    try:
        mc.permanent(np.ones(3))
    except mc.InputError:
        pass


def interrupted():
    def stop(phase, done, total):
        raise ZeroDivisionError

    try:
        mc.count_perfect_matchings(mc.generate("random", 50, 50, 0.5), method="ryser", progress=stop)
    except ZeroDivisionError:
        pass


OFTEN = [
    lambda: mc.permanent(integers), lambda: mc.permanent(floats), lambda: mc.permanent(floats * 1j),
    lambda: mc.hafnian(symmetric[:2, :2]), lambda: mc.permanent(stack), lambda: mc.permanent(fractions),
    lambda: mc.determinant(floats), lambda: mc.count_perfect_matchings(pairs), lambda: mc.matchings_by_size(pairs),
    lambda: mc.marginals(pairs), lambda: mc.sample_matchings(pairs), lambda: list(itertools.islice(mc.list_matchings(graph), 2)),
    lambda: mc.decompose(pairs), lambda: mc.permanent(floats, rows=[0, 0, 1], cols=[1, 2, 2]), refused,
    lambda: mc.count_perfect_matchings(graph, progress=lambda *_: None, full_output=True),
]
SELDOM = [interrupted, lambda: mc.estimate(graph, samples=2), lambda: mc.plan(graph),
          lambda: mc.marginals(graph, estimate=True, samples=2), lambda: mc.permanent(np.full((3, 3), 1e200), full_output=True)]


def rounds(calls):
    """About so many calls, of each sort in turn; a thousandth of them are those that take milliseconds."""
    for number in range(calls):
        OFTEN[number % len(OFTEN)]()
        if number % 1000 == 0:
            SELDOM[number // 1000 % len(SELDOM)]()


def resident_kilobytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def main():
    resident, start = [], time.monotonic()
    for tenth in range(1, 11):
        rounds(CALLS // 10)
        resident.append(resident_kilobytes())
        print(f"{tenth * CALLS // 10} calls: {resident[-1]} kB", flush=True)
    result = {"version": mc.__version__, "python": platform.python_version(), "machine": platform.machine(),
              "calls": CALLS, "seconds": round(time.monotonic() - start, 1), "resident_kilobytes": resident}
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w") as file:
            json.dump(result, file)
            file.write("\n")


if __name__ == "__main__":
    main()
