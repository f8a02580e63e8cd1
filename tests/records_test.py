"""Runs scripts/records.py on a table of small sequences: kills it, lets it go on, and gives it contradictions.

usage: records_test.py MATCHCOUNT
"""

import itertools
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MACHINE = pathlib.Path(__file__).resolve().parent.parent / "scripts/records.py"
PROGRAM = sys.argv.pop(1)
TABLE = f"""
import sys
sys.path.insert(0, {str(MACHINE.parent)!r})
from sequences import *
SEQUENCES = [
    Sequence("A000001", HAFNIANS, "hafnian of |i - j|", symmetric(lambda i, j, m: abs(i - j)), 0, "1 1 8", 2, 5),
    Sequence("A000002", PERMANENTS, "permanent of i + 2 j", square(lambda i, j, n: i + 2 * j), 1, "3 38", 2, 6),
    Sequence("A000003", MATCHINGS, "grid of 2 x n", lambda n: f"grid 2 {{n}}", 0, "1 2", 1, 4),
    Sequence("fans", MAXIMUM, "triangular grid of side n", triangle, 1, "", 0, 4),
]
"""
# Counts as often as there are files in the folder TURNS, of which it takes one, and then no more, so that there is a
# middle to stop in; with seed 2 falsely where LIE is set.
SLOW = f"""#!/bin/sh
while [ -n "$TURNS" ] && [ "$1" != generate ]; do
  turn=$(ls "$TURNS" | head -n 1)
  [ -n "$turn" ] && rm "$TURNS/$turn" && break
  [ -d "$TURNS" ] || exit 1
  sleep 0.01
done 2>/dev/null
case "$LIE $* " in
  yes*'--seed 2 '*) {PROGRAM} "$@" | sed 's/"value": "/&1/';;
  *) exec {PROGRAM} "$@";;
esac
"""


def hafnian(rows):
    if not rows:
        return 1
    rest = range(1, len(rows))
    return sum(rows[0][j] * hafnian([[rows[a][b] for b in rest if b != j] for a in rest if a != j]) for j in rest)


def permanent(rows):
    return sum(math.prod(row[j] for row, j in zip(rows, p)) for p in itertools.permutations(range(len(rows))))


def largest_matchings(edges):
    for size in range(len(edges), -1, -1):
        found = sum(len({v for e in some for v in e}) == 2 * size for some in itertools.combinations(edges, size))
        if found:
            return found


def expected():
    fans = {}
    for n in range(1, 5):
        vertices = [(i, j) for i in range(n) for j in range(i + 1)]
        edges = [(a, b) for a in vertices for b in vertices if (b[0] - a[0], b[1] - a[1]) in ((0, 1), (1, 0), (1, 1))]
        fans[n] = largest_matchings(edges)
    distances = {n: [[abs(i - j) for j in range(2 * n)] for i in range(2 * n)] for n in range(3, 6)}
    sums = {n: [[i + 2 * j for j in range(1, n + 1)] for i in range(1, n + 1)] for n in range(3, 7)}
    return {**{("A000001", n): hafnian(rows) for n, rows in distances.items()},
            **{("A000002", n): permanent(rows) for n, rows in sums.items()},
            **{("A000003", 2): 7, ("A000003", 3): 22, ("A000003", 4): 71},
            **{("fans", n): value for n, value in fans.items()}}


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.table, self.results, self.slow = (self.folder / name for name in ("table.py", "results.json", "slow.py"))
        self.table.write_text(TABLE)
        self.slow.write_text(SLOW)
        self.slow.chmod(0o755)

    def command(self, what, *arguments):
        return [sys.executable, MACHINE, what, *arguments, "--table", self.table, "--results", self.results, "--commit",
                "abc", "--machine", "a machine", "--docs", self.folder, "--device", "cpu"]

    def machine(self, what, *arguments, status=0, program=PROGRAM, **environment):
        done = subprocess.run([*self.command(what, *arguments), "--program", program], capture_output=True, text=True,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def stored(self):
        return json.loads(self.results.read_text())

    def counts(self):
        stored = self.stored() if self.results.exists() else {"agree": {}, "terms": []}
        return sum(map(len, stored["agree"].values())) + sum(len(term["ways"]) for term in stored["terms"])

    def values(self):
        terms = self.stored()["terms"]
        return {(term["of"], term["n"]): int(term["value"]) for term in terms if len(term["ways"]) == 2}

    def test_terms_are_right_whether_or_not_counts_run_side_by_side(self):
        for jobs in "1", "3":
            self.results.unlink(missing_ok=True)
            self.machine("run", "--jobs", jobs)
            self.assertEqual(self.values(), expected())
            self.assertEqual(self.stored()["agree"], {"A000001": [1, 2], "A000002": [1, 2], "A000003": [1]})
        self.machine("verify")
        lines = self.machine("terms", "A000001").stdout.split("\n")
        self.assertEqual(lines, ["0 1", "1 1", "2 8", "3 174", "4 7360", "5 512720", ""])

    def test_what_is_done_when_it_is_killed_stays_and_the_next_run_goes_on(self):
        before, counts = [], 0
        turns = self.folder / "turns"
        for kill in signal.SIGKILL, signal.SIGTERM, signal.SIGINT:
            turns.mkdir()
            for turn in range(8):
                (turns / str(turn)).touch()
            process = subprocess.Popen([*self.command("run"), "--program", self.slow], stderr=subprocess.DEVNULL,
                                       env={**os.environ, "TURNS": str(turns)})
            while process.poll() is None and self.counts() < counts + 2:  # of 8, if each of 4 sequences waits for its second way
                time.sleep(0.01)
            process.send_signal(kill)
            status = process.wait()
            shutil.rmtree(turns)
            self.assertIn(status, {signal.SIGKILL: [-9], signal.SIGTERM: [143], signal.SIGINT: [130]}[kill])
            terms = self.stored()["terms"]
            self.assertLess(len(self.values()), len(expected()))
            for term in before:  # those with both ways
                self.assertIn(term, terms)
            before, counts = [term for term in terms if len(term["ways"]) == 2], self.counts()
        self.machine("run")
        self.assertEqual(self.values(), expected())
        for term in before:
            self.assertIn(term, self.stored()["terms"])

    def test_a_published_term_that_is_contradicted_ends_the_run_before_new_terms(self):
        self.table.write_text(TABLE.replace('"1 1 8"', '"1 1 9"'))
        done = self.machine("run", "A000001", status=1)
        self.assertIn("A000001(2): counted 8, but published is 9", done.stderr)
        self.assertEqual(self.stored()["agree"], {"A000001": [1]})
        self.assertEqual(self.values(), {})

    def test_two_ways_that_differ_make_no_term(self):
        done = self.machine("run", "A000003", status=1, program=self.slow, LIE="yes")
        self.assertIn("A000003(1): counted 12, but published is 2", done.stderr)
        self.table.write_text(TABLE.replace('"1 2", 1,', '"1", 0,'))
        done = self.machine("run", "A000003", status=1, program=self.slow, LIE="yes")
        self.assertIn("A000003(1): frontier/2 says 12, but frontier said 2", done.stderr)
        self.assertEqual(self.values(), {})
        self.machine("run", "A000003")
        self.assertEqual(self.values(), {("A000003", n): value for n, value in ((1, 2), (2, 7), (3, 22), (4, 71))})

    def test_stored_terms_that_are_changed_are_refused(self):
        self.machine("run", "A000002")
        self.machine("write")
        self.machine("write", "--check")
        text = self.results.read_text()
        changed = text.replace(f'"value": "{expected()["A000002", 4]}"', '"value": "5"')
        self.assertNotEqual(text, changed)
        other = self.folder / "other.json"
        other.write_text(changed)
        self.assertIn("A000002(4)", self.machine("merge", other, status=1).stderr)
        self.assertEqual(self.results.read_text(), text)
        self.results.write_text(changed)
        self.assertIn("A000002(4)", self.machine("verify", status=1).stderr)
        self.machine("write", "--check", status=1)
        self.table.write_text(TABLE.replace('"3 38", 2', '"3 38 1 2", 4'))
        self.assertIn("A000002(3)", self.machine("write", status=1).stderr)

    def test_what_two_machines_counted_comes_together(self):
        self.machine("run", "A000001")
        first = self.folder / "first.json"
        self.results.rename(first)
        self.machine("run", "A000002", "A000003", "fans")
        self.machine("merge", first)
        self.assertEqual(self.values(), expected())
        page = self.machine("write") and (self.folder / "records.md").read_text()
        self.assertIn("**10 new terms of 3 sequences**", page)

    def test_terms_behind_a_gap_are_not_counted_as_in_a_row(self):
        self.machine("run")
        stored = self.stored()
        stored["terms"] = [term for term in stored["terms"] if (term["of"], term["n"]) != ("A000002", 4)]
        self.results.write_text(json.dumps(stored))
        self.machine("write")
        self.assertIn("**7 new terms of 3 sequences**", (self.folder / "records.md").read_text())


unittest.main()
