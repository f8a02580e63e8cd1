"""Counts that take microseconds, and the graphs of names that they are asked of."""

import subprocess
import sys

import pytest

import matchcount as mc

networkx = pytest.importorskip("networkx")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_small_count_starts_no_thread():
    code = """
import resource
import numpy
import matchcount as mc
rungs = [((i, 0), (i, 1)) for i in range(20)]
sides = [((i, j), (i + 1, j)) for i in range(19) for j in range(2)]
with open("/proc/self/statm") as file:
    size = int(file.read().split()[0]) * resource.getpagesize()
too_little_for_a_stack = 4 << 20
resource.setrlimit(resource.RLIMIT_AS, (size + too_little_for_a_stack,) * 2)
assert mc.count_perfect_matchings(rungs + sides, kind="undirected") == 10946
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_process_that_is_forked_after_a_small_count_counts_with_threads():
    code = """
import os
import matchcount as mc
assert mc.count_perfect_matchings(mc.generate("grid", 8, 8)) == 12988816
child = os.fork()
if child == 0:
    found = mc.count_perfect_matchings(mc.generate("grid", 16, 16), method="frontier", threads=2)
    os._exit(found != 2444888770250892795802079170816)
assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_vertices_keep_their_order_and_those_without_edges_are_there():
    graph = networkx.Graph()
    graph.add_nodes_from("dcba")
    graph.add_edge("a", "d")
    result = mc.count_perfect_matchings(graph, full_output=True)
    assert result.value == 0 and set("bc") & {*result.certificate["members"], *result.certificate["neighbours"]}
    assert mc.decompose(graph).matching in ([("d", "a")], [("a", "d")])


def test_loops_of_networkx_are_refused_and_directed_edges_have_a_direction():
    with pytest.raises(mc.InputError, match="'x' to itself"):
        mc.count_perfect_matchings(networkx.Graph([("x", "x"), ("x", "y")]))
    cycle = networkx.DiGraph([(0, 1), (1, 2), (2, 0), (1, 0)])
    assert mc.count_cycle_covers(cycle) == 1
