"""The backend of networkx against networkx and scipy; networkx's own tests are run by scripts/notebooks.sh."""

import random

import pytest

nx = pytest.importorskip("networkx")
sparse = pytest.importorskip("scipy.sparse")

from scipy.sparse import csgraph  # noqa: E402

import matchcount as mc  # noqa: E402


@pytest.mark.parametrize("function", ["hopcroft_karp_matching", "eppstein_matching", "maximum_matching"])
def test_bipartite_matchings_are_as_large_as_those_of_networkx_and_scipy(function):
    for seed in range(60):
        rows, columns = random.Random(seed).choices([1, 2, 3, 7, 31, 33], k=2)
        graph = nx.bipartite.random_graph(rows, columns, 1.5 / max(rows, columns), seed=seed)
        found = getattr(nx.bipartite, function)(graph, range(rows), backend="matchcount")
        assert all(found[v] == u and graph.has_edge(u, v) for u, v in found.items())
        biadjacency = nx.bipartite.biadjacency_matrix(graph, range(rows), range(rows, rows + columns), format="csr")
        assert len(found) == len(nx.bipartite.hopcroft_karp_matching(graph, range(rows), backend="networkx"))
        assert len(found) == 2 * (csgraph.maximum_bipartite_matching(biadjacency) >= 0).sum()


def test_matchings_of_any_graph_are_as_large_as_those_of_networkx():
    for seed in range(60):
        graph = nx.gnm_random_graph(random.Random(seed).choice([0, 1, 2, 3, 9, 32]), 3 * seed // 4, seed=seed)
        graph.add_edges_from([(v, v) for v in list(graph)[:1]])
        found = nx.max_weight_matching(graph, backend="matchcount")
        assert nx.is_matching(nx.Graph(edge for edge in graph.edges), found) or not found
        assert len(found) == len(nx.max_weight_matching(graph, backend="networkx"))
        assert len(found) == len(nx.min_weight_matching(graph, backend="matchcount"))


def test_weights_that_differ_are_left_to_networkx():
    path = nx.path_graph(4)
    nx.set_edge_attributes(path, {(0, 1): 1, (1, 2): 5, (2, 3): 1}, "weight")
    with pytest.raises((NotImplementedError, TypeError)):
        nx.max_weight_matching(path, backend="matchcount")
    assert len(nx.max_weight_matching(path, weight="none", backend="matchcount")) == 2
    nx.set_edge_attributes(path, -1, "weight")
    assert len(nx.max_weight_matching(path, maxcardinality=True, backend="matchcount")) == 2
    with pytest.raises((NotImplementedError, TypeError)):
        nx.max_weight_matching(path, backend="matchcount")


def test_the_lightest_matchings_weigh_what_scipy_finds():
    for seed in range(30):
        size = random.Random(seed).choice([1, 2, 3, 8, 31])
        graph = mc.generate("random", size, size, 1.0, seed=seed, weights=(1, 20))
        weights = mc.to_scipy(graph)
        for optimum, heaviest in (("lightest", False), ("heaviest", True)):
            rows, columns = csgraph.min_weight_full_bipartite_matching(weights, maximize=heaviest)
            assert mc.count_optimal_matchings(graph, optimum)[0] == weights.toarray()[rows, columns].sum()
            first = next(mc.list_matchings(graph, optimum))
            assert sum(weights.toarray()[u, v] for u, v in first) == weights.toarray()[rows, columns].sum()
