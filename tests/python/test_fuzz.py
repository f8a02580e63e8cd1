"""Random small graphs and matrices in every container, by every function, against oracles.

MATCHCOUNT_FUZZ_RUNS says how many; each run is a seed of its own, which a failure names.
"""

import collections
import math
import os
import random
from fractions import Fraction

import numpy as np
import oracles
import pytest

import matchcount as mc

RUNS = int(os.environ.get("MATCHCOUNT_FUZZ_RUNS", "600"))


def entry(rng, law):
    if law == "int":
        return rng.randrange(-3, 4)
    if law == "big":
        return rng.choice([-1, 1]) * rng.randrange(1 << 70)
    if law == "fraction":
        return Fraction(rng.randrange(-5, 6), rng.randrange(1, 6))
    if law == "eighths":
        return rng.randrange(-40, 40) / 8
    if law == "complex":
        return complex(rng.gauss(0, 1), rng.gauss(0, 1))
    return rng.choice([0.0, rng.gauss(0, 1), rng.gauss(0, 1) * 10.0 ** rng.randrange(-12, 12)])


def contained(rng, matrix, law):
    """The matrix as people have it."""
    array = np.array(matrix, dtype=object if law in ("big", "fraction") else None).reshape((len(matrix),) * 2)
    forms = ["array", "lists", "fortran", "strided", "frame"]
    if law in ("int", "float", "complex"):
        forms += ["csr_array", "coo_array", "csc_matrix", "dia_array", "lil_array", "small"]
    form = rng.choice(forms)
    if form == "lists" and len(matrix):
        return [list(row) for row in matrix]
    if form == "fortran":
        return np.asfortranarray(array)
    if form == "strided":
        wide = np.zeros((2 * len(array), 3 * len(array)), dtype=array.dtype)
        wide[::2, ::3] = array
        return wide[::2, ::3]
    if form == "frame":
        return pytest.importorskip("pandas").DataFrame(array)
    if form == "small":
        return array.astype({"int": np.int8, "float": np.float64, "complex": np.complex128}[law])
    if form in ("array", "lists"):
        return array
    return getattr(pytest.importorskip("scipy.sparse"), form)(array)


def exactly(value):
    """A number without rounding, as two fractions."""
    return (Fraction(value.real), Fraction(value.imag)) if isinstance(value, complex) else (Fraction(value), Fraction(0))


def agree(value, truth):
    """Exact ones are equal; others as near as their error says, to the last bit: the truth is exact too."""
    if isinstance(value, (int, Fraction)) and not isinstance(value, (mc.Real, mc.Complex)):
        return truth == (value, 0)
    re, im = exactly(complex(value) if isinstance(value, complex) else float(value))
    return (re - truth[0]) ** 2 + (im - truth[1]) ** 2 <= Fraction(value.error) ** 2


class Gaussian(collections.namedtuple("Gaussian", "re im")):
    """A complex number of fractions."""

    def __add__(self, other):
        other = other if isinstance(other, Gaussian) else Gaussian(other, 0)
        return Gaussian(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        other = other if isinstance(other, Gaussian) else Gaussian(other, 0)
        return Gaussian(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    __radd__, __rmul__ = __add__, __mul__


def matrices(rng):
    law = rng.choice(["int", "big", "fraction", "float", "complex"])
    n = rng.randrange(0, 6)
    matrix = [[entry(rng, law) if rng.random() < 0.8 else 0 for _ in range(n)] for _ in range(n)]
    function = rng.choice(["permanent", "determinant", "hafnian", "loop hafnian", "repeated", "batch"])
    if "hafnian" in function:
        matrix = [[matrix[max(u, v)][min(u, v)] for v in range(n)] for u in range(n)]
        if function == "hafnian" and rng.random() < 0.5:
            matrix = [[0 if u == v else matrix[u][v] for v in range(n)] for u in range(n)]
    truth = [[Gaussian(*exactly(value)) for value in row] for row in matrix]
    given = contained(rng, matrix, law)
    is_dense = isinstance(given, (list, np.ndarray))
    options = rng.choice([{}, {}, {"threads": 1}, {"method": "auto"}] if function != "batch" else [{}])
    if function == "permanent":
        return mc.permanent(given, **options), oracles.permanent(truth)
    if function == "determinant":
        return mc.determinant(given), oracles.determinant(truth)
    if function in ("hafnian", "loop hafnian"):
        loop = function == "loop hafnian"
        if not is_dense and not loop and any(matrix[v][v] for v in range(n)):
            given = np.array(matrix, dtype=object if law in ("big", "fraction") else None)
        return mc.hafnian(given, loop, **options), oracles.hafnian(truth, loop)
    if n == 0 or not is_dense:
        return mc.permanent(given), oracles.permanent(truth)
    if function == "repeated":
        rows, cols = ([rng.randrange(n) for _ in range(rng.randrange(5))] for _ in range(2))
        cols = [rng.randrange(n) for _ in rows]
        return (mc.permanent(given, rows=rows, cols=cols, **options),
                oracles.permanent([[truth[u][v] for v in cols] for u in rows]))
    return mc.permanent([given] * 2 if isinstance(given, list) else np.stack([given] * 2))[1], oracles.permanent(truth)


NAMES = [0, 1, 2, "a", "b", ("x", 1), frozenset([3]), 2.5, "ä", -7]


def container_of(rng, edges, weights, nodes, directed):
    """A graph of another package, or pairs; and the options that it takes."""
    options = {"duplicates": "sum"} if len({frozenset(edge) if not directed else edge for edge in edges}) < len(edges) else {}
    form = rng.choice(["networkx", "rustworkx", "igraph", "pairs"])
    if form == "networkx":
        networkx = pytest.importorskip("networkx")
        graph = networkx.MultiDiGraph() if directed else networkx.MultiGraph()
        graph.add_nodes_from(nodes)
        for (u, v), weight in zip(edges, weights):
            graph.add_edge(u, v, **({} if weight is None else {"weight": weight}))
        return graph, options
    if form in ("rustworkx", "igraph"):
        place = {name: i for i, name in enumerate(nodes)}
        ends = [(place[u], place[v]) for u, v in edges]
        if form == "igraph":
            graph = pytest.importorskip("igraph").Graph(n=len(nodes), edges=ends, directed=directed)
            graph.vs["name"] = nodes
            if weights and weights[0] is not None:
                graph.es["weight"] = weights
            return graph, options
        rustworkx = pytest.importorskip("rustworkx")
        graph = rustworkx.PyDiGraph() if directed else rustworkx.PyGraph()
        graph.add_nodes_from(nodes)
        graph.add_edges_from([(u, v, weight) for (u, v), weight in zip(ends, weights)])
        return graph, options
    touched = {name for edge in edges for name in edge}
    if touched != set(nodes):  # pairs have no place for others
        return container_of(rng, edges, weights, nodes, directed)
    return ([(u, v) if weight is None else (u, v, weight) for (u, v), weight in zip(edges, weights)],
            options if directed else {**options, "kind": "undirected"})


def undirected(rng):
    nodes = rng.sample(NAMES, rng.randrange(0, 7))
    edges = [(u, v) for i, u in enumerate(nodes) for v in nodes[:i] if rng.random() < 0.6]
    if edges and rng.random() < 0.2:
        edges.append(rng.choice(edges)[::-1])
    parallel = len(set(map(frozenset, edges))) < len(edges)
    law = rng.choice([None, "int", "fraction", "int" if parallel else "eighths"])
    weights = [None if law is None else entry(rng, law) or 1 for _ in edges]
    graph, options = container_of(rng, edges, weights, nodes, False)
    found = list(oracles.matchings(edges))
    perfect = [m for m in found if 2 * len(m) == len(nodes)]
    product = lambda m: math.prod((Fraction(weights[i]) for i in m), start=Fraction(1))
    function = rng.choice(["count", "size", "by size", "hafnian", "list", "marginals", "optimal", "decompose", "parity"])
    if parallel and law is not None and function != "hafnian":  # one edge, of the weights' sum: test_containers.py
        return 0, (0, 0)
    if function == "count":
        return mc.count_perfect_matchings(graph, **options), (len(perfect), 0)
    if function == "size":
        size = rng.randrange(5)
        return mc.count_matchings(graph, size, **options), (sum(len(m) == size for m in found), 0)
    if function == "by size":
        sizes = collections.Counter(map(len, found))
        assert mc.matchings_by_size(graph, **options) == [sizes[size] for size in range(len(sizes))]
    elif function == "hafnian" and (edges or "kind" not in options):
        options.pop("kind", None)
        if law is None:
            return mc.hafnian(graph, **options), (len(perfect), 0)
        return mc.hafnian(graph, **options), (sum(map(product, perfect)), 0)
    elif parallel:
        pass
    elif function == "list":
        listed = [frozenset(map(frozenset, m)) for m in mc.list_matchings(graph, **options)]
        assert len(set(listed)) == len(listed)
        assert set(listed) == {frozenset(frozenset(edges[i]) for i in m) for m in perfect}
    elif function == "marginals":
        shares = mc.marginals(graph, exact=True, weighted=False, **options)
        assert shares.total == len(perfect)
        assert {frozenset(edge): value for edge, value in shares.sums.items()} == {
            frozenset(edge): sum(i in m for m in perfect) for i, edge in enumerate(edges)}
    elif function == "optimal":
        total = lambda m: sum(Fraction(1 if law is None else weights[i]) for i in m)
        best, choose = rng.choice([("lightest", min), ("heaviest", max)])
        weight = choose(map(total, perfect), default=None)
        assert mc.count_optimal_matchings(graph, best, **options) == (weight, sum(total(m) == weight for m in perfect))
    elif function == "decompose":
        largest = max(map(len, found))
        shown = mc.decompose(graph, **options)
        assert len(shown.matching) == largest and shown.is_perfect == bool(perfect)
        useful = {i for m in found if len(m) == largest for i in m}
        assert {frozenset(edge) for edge in shown.useless_edges} == {
            frozenset(edge) for i, edge in enumerate(edges) if i not in useful}
    elif function == "parity":
        return mc.parity(graph, "matchings", **options), (len(perfect) % 2, 0)
    return 0, (0, 0)


def bipartite(rng):
    rows, columns = rng.randrange(0, 5), rng.randrange(0, 5)
    matrix = [[int(rng.random() < 0.6) for _ in range(columns)] for _ in range(rows)]
    edges = [(("row", u), ("column", v)) for u in range(rows) for v in range(columns) if matrix[u][v]]
    found = list(oracles.matchings(edges))
    perfect = [m for m in found if rows == columns == len(m)]
    array = np.array(matrix, dtype=rng.choice([int, bool, np.uint8, float])).reshape(rows, columns)
    if rng.random() < 0.3:
        array = pytest.importorskip("scipy.sparse").csr_array(array)
    function = rng.choice(["count", "saturating", "maximum", "maximal", "label", "list", "samples"])
    if function == "count":
        return mc.count_perfect_matchings(array, kind="bipartite"), (len(perfect), 0)
    if function in ("saturating", "maximum"):
        size = min(rows, columns) if function == "saturating" else max(map(len, found))
        return mc.count_matchings(array, function, kind="bipartite"), (sum(len(m) == size for m in found), 0)
    if function == "maximal":
        ends = [{end for i in m for end in edges[i]} for m in found]
        return mc.count_matchings(array, function, kind="bipartite"), (
            sum(all(covered & set(edge) for edge in edges) for covered in ends), 0)
    if function == "label":
        ways = [(u + 2 * v) % 3 for (_, u), (_, v) in edges]
        truth = collections.Counter(frozenset(collections.Counter(ways[i] for i in m).items()) for m in perfect)
        told = mc.matchings_by_label(array, lambda u, v: (u + 2 * v) % 3, kind="bipartite")
        assert {frozenset((way, n) for way, n in numbers.items() if n): count for numbers, count in told} == truth
        return 0, (0, 0)
    listed = [frozenset((("row", u), ("column", v)) for u, v in m) for m in mc.list_matchings(array, kind="bipartite")]
    truth = [frozenset(edges[i] for i in m) for m in perfect]
    assert len(listed) == len(set(listed)) and set(listed) == set(truth)
    if function == "samples" and perfect:
        approximate = rng.random() < 0.5
        for m in mc.sample_matchings(array, 3, rng.randrange(99), approximate=approximate, kind="bipartite"):
            assert frozenset((("row", u), ("column", v)) for u, v in m) in truth
    return 0, (0, 0)


def directed(rng):
    nodes = rng.sample(NAMES, rng.randrange(1, 6))
    arcs = [(u, v) for u in nodes for v in nodes if rng.random() < 0.5]
    graph, options = container_of(rng, arcs, [None] * len(arcs), nodes, True)
    reached = oracles.reachable_pairs(arcs)
    function = rng.choice(["covers", "pairs", "from", "components"])
    if function == "covers":
        matrix = [[(u, v) in arcs for v in nodes] for u in nodes]
        return mc.count_cycle_covers(graph, **options), (oracles.permanent(matrix), 0)
    if function == "pairs":
        return mc.count_reachable_pairs(graph), (len(reached), 0)
    if function == "from":
        source = rng.choice(nodes)
        assert set(mc.reachable_from(graph, source)) == {v for u, v in reached if u == source}
    else:
        components = mc.strong_components(graph)
        assert sorted(map(repr, (v for c in components for v in c))) == sorted(map(repr, nodes))
        for c in components:
            assert set(c) == {c[0]} | {v for v in nodes if (c[0], v) in reached and (v, c[0]) in reached}
    return 0, (0, 0)


@pytest.mark.parametrize("family", [matrices, undirected, bipartite, directed])
def test_small_instances_in_any_container_agree_with_oracles(family):
    for seed in range(RUNS // 4):
        rng = random.Random(f"{family.__name__} {seed}")
        try:
            value, truth = family(rng)
            assert agree(value, truth if isinstance(truth, tuple) else (truth, 0)), (value, truth)
        except Exception as error:
            raise AssertionError(f"{family.__name__}, seed {seed}") from error
