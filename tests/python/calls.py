"""Calls of every sort, for tests that ask what they leave behind."""

import itertools
import os
from fractions import Fraction

import numpy as np

import matchcount as mc

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
