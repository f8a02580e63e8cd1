"""The package and the command line give the same answers, on 500 seeded instances.

MATCHCOUNT names the program; without it, these tests are skipped.
"""

import json
import math
import os
import random
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import matchcount as mc

PROGRAM = os.environ.get("MATCHCOUNT")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="MATCHCOUNT does not name the program")


def answers(command, files, *options):
    """One JSON object for each file."""
    done = subprocess.run([PROGRAM, command, *map(str, files), "--json", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(files)
    return lines


def write_edges(file, edges, weights=None):
    lines = [f"{u} {v}" if weights is None else f"{u} {v} {weight}" for (u, v), weight in
             zip(edges, weights or [1] * len(edges))]
    file.write_text("\n".join(["# format: edgelist", "# header: no", *lines, ""]))
    return file


def digits(value):
    """All of a float's, since a file's decimals are held to more digits than a float has."""
    return str(Decimal(value)) if isinstance(value, float) else str(value)


def bipartite(rng, n):
    return [(f"r{i}", f"c{j}") for i in range(n) for j in range(n) if i == j or rng.random() < 0.4]


def undirected(rng, n):
    edges = [(f"v{u:02}", f"v{v:02}") for u in range(n) for v in range(u + 1, n) if v == u + 1 or rng.random() < 0.3]
    return edges


def test_perfect_matchings_of_bipartite_graphs(tmp_path):
    rng = random.Random(1)
    graphs = [bipartite(rng, rng.randrange(1, 15)) for _ in range(100)]
    files = [write_edges(tmp_path / f"{i}.txt", edges) for i, edges in enumerate(graphs)]
    for edges, answer in zip(graphs, answers("count", files)):
        assert mc.count_perfect_matchings(edges) == int(answer["result"]["value"])


def test_perfect_matchings_and_matchings_of_undirected_graphs(tmp_path):
    rng = random.Random(2)
    graphs = [undirected(rng, rng.randrange(2, 15)) for _ in range(100)]
    files = [write_edges(tmp_path / f"{i}.txt", edges) for i, edges in enumerate(graphs)]
    perfect = answers("count", files, "--kind", "undirected")
    by_size = answers("count", files, "--kind", "undirected", "--matchings", "by-size")
    for edges, one, many in zip(graphs, perfect, by_size):
        assert mc.count_perfect_matchings(edges, kind="undirected") == int(one["result"]["value"])
        assert mc.matchings_by_size(edges, kind="undirected") == [int(value) for value in many["result"]["values"]]


def test_cycle_covers(tmp_path):
    rng = random.Random(3)
    graphs = [[(f"v{u}", f"v{v}") for u in range(n) for v in range(n) if v == (u + 1) % n or rng.random() < 0.3]
              for n in (rng.randrange(1, 13) for _ in range(50))]
    files = [write_edges(tmp_path / f"{i}.txt", edges) for i, edges in enumerate(graphs)]
    for edges, answer in zip(graphs, answers("cycles", files)):
        assert mc.count_cycle_covers(edges) == int(answer["result"]["value"])


@pytest.mark.parametrize("entries", ["int", "float", "fraction"])
def test_permanents_hafnians_and_determinants(tmp_path, entries):
    rng = random.Random(4)
    draw = {"int": lambda: rng.randrange(-9, 10), "float": lambda: rng.gauss(0, 1),
            "fraction": lambda: Fraction(rng.randrange(-9, 10), rng.randrange(1, 9))}[entries]
    matrices = []
    for _ in range(60):
        n = 2 * rng.randrange(2, 6)
        matrix = [[draw() for _ in range(n)] for _ in range(n)]
        for u in range(n):
            matrix[u][u] = 0 * matrix[u][u]
            for v in range(u):
                matrix[u][v] = matrix[v][u]
        matrices.append(matrix)
    files = []
    for i, matrix in enumerate(matrices):
        edges = [(u + 1, v + 1) for u in range(len(matrix)) for v in range(len(matrix)) if matrix[u][v] != 0]
        files.append(write_edges(tmp_path / f"{i}.txt", edges, [digits(matrix[u - 1][v - 1]) for u, v in edges]))
    for command, function in (("permanent", mc.permanent), ("determinant", mc.determinant), ("hafnian", mc.hafnian)):
        given = files
        if command == "hafnian":
            given = []
            for i, matrix in enumerate(matrices):
                edges = [(u, v) for u in range(len(matrix)) for v in range(u) if matrix[u][v] != 0]
                given.append(write_edges(tmp_path / f"h{i}.txt", edges, [digits(matrix[u][v]) for u, v in edges]))
        for matrix, answer in zip(matrices, answers(command, given)):
            array = np.array(matrix, dtype=object if entries == "fraction" else None)
            if command != "hafnian" and len(array) != answer["input"]["rows"]:
                continue  # a last row of zeros, which edges do not tell
            value, result = function(array), answer["result"]
            if entries == "float":
                # Digits of the command line are right to one unit of the last that it prints.
                told = float(result["value"]) if "[" not in result["value"] else 0.0
                slack = result["relative_error"] or 0.0
                assert abs(value - told) <= value.error + abs(told) * (slack + 10.0 ** (1 - result["digits"]) + 2**-52)
            else:
                assert value == Fraction(result["value"])


def test_marginals_and_samples(tmp_path):
    rng = random.Random(5)
    graphs = [bipartite(rng, rng.randrange(2, 9)) for _ in range(20)]
    files = [write_edges(tmp_path / f"{i}.txt", edges) for i, edges in enumerate(graphs)]
    for edges, answer in zip(graphs, answers("marginals", files, "--exact")):
        shares = mc.marginals(edges, exact=True)
        assert shares.total == int(answer["result"]["total"]["value"])
        assert shares.sums == {(edge["u"], edge["v"]): int(edge["count"]) for edge in answer["result"]["edges"]}
    for edges, answer in zip(graphs, answers("sample", files, "--seed", "9")):
        assert mc.sample_matchings(edges, 1, seed=9) == [[tuple(edge) for edge in answer["edges"]]]


@pytest.mark.parametrize("matchings", ["perfect", "all", "maximum", "by-size"])
def test_estimates_of_a_seed(tmp_path, matchings):
    rng = random.Random(8)
    graphs = [undirected(rng, 14) for _ in range(8)]
    files = [write_edges(tmp_path / f"{i}.txt", edges) for i, edges in enumerate(graphs)]
    how = ("--kind", "undirected", "--matchings", matchings, "--samples", "40", "--seed", "5")
    for edges, answer in zip(graphs, answers("estimate", files, *how)):
        found = mc.estimate(edges, kind="undirected", matchings=matchings, samples=40, seed=5)
        told = answer["result"].get("values", [answer["result"]])
        for one, other in zip(found if matchings == "by-size" else [found], told, strict=True):
            assert one.log10 == pytest.approx(-math.inf if other["log10"] is None else other["log10"], abs=1e-12)


def test_the_module_is_the_program():
    done = subprocess.run([sys.executable, "-m", "matchcount", "generate", "grid", "2", "3"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    same = subprocess.run([PROGRAM, "generate", "grid", "2", "3"], capture_output=True, text=True)
    assert done.stdout == same.stdout
    assert subprocess.run([sys.executable, "-m", "matchcount", "count", "no-such-file"], capture_output=True).returncode == 2
