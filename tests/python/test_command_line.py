"""The package and the command line give the same answers, to the same seeds too.

MATCHCOUNT names the program; without it, these tests are skipped.
"""

import json
import math
import os
import random
import subprocess
import sys

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


def write_edges(file, edges):
    file.write_text("\n".join(["# format: edgelist", "# header: no", *(f"{u} {v}" for u, v in edges), ""]))
    return file


def bipartite(rng, n):
    return [(f"r{i}", f"c{j}") for i in range(n) for j in range(n) if i == j or rng.random() < 0.4]


def undirected(rng, n):
    return [(f"v{u:02}", f"v{v:02}") for u in range(n) for v in range(u + 1, n) if v == u + 1 or rng.random() < 0.3]


def test_perfect_matchings_of_bipartite_graphs(tmp_path):
    rng = random.Random(1)
    graphs = [bipartite(rng, rng.randrange(1, 15)) for _ in range(100)]
    files = [write_edges(tmp_path / f"{i}.txt", edges) for i, edges in enumerate(graphs)]
    for edges, answer in zip(graphs, answers("count", files)):
        assert mc.count_perfect_matchings(edges) == int(answer["result"]["value"])


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
