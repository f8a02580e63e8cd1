"""The same random matrix or graph in every container and type has the same exact answer, holds it in its bound, or is refused.

MATCHCOUNT_CONTAINER_RUNS says how many instances; each is a seed of its own, which a failure names.
"""

import itertools
import math
import os
import pickle
import random
import warnings
from fractions import Fraction

import numpy as np
import oracles
import pytest
from oracles import Gaussian, exactly

import matchcount as mc

networkx = pytest.importorskip("networkx")
pandas = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")
rustworkx = pytest.importorskip("rustworkx")
igraph = pytest.importorskip("igraph")

RUNS = int(os.environ.get("MATCHCOUNT_CONTAINER_RUNS", "400"))

# Random numbers by law, and the types that arrays of them may have if they fit.
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4", ">i8", "object")
FLOATS = ("float64", ">f8", "float32", "float16")
COMPLEX = ("complex128", "complex64", ">c16")
LAWS = {
    "bits": (lambda rng: rng.randrange(2), ("bool", *INTEGERS, *FLOATS, *COMPLEX)),
    "small": (lambda rng: rng.randrange(-3, 4), (*INTEGERS, *FLOATS, *COMPLEX)),
    "bytes": (lambda rng: rng.randrange(256), (*INTEGERS, *FLOATS)),
    "wide": (lambda rng: rng.choice([-1, 1]) * (2**53 + rng.randrange(-2, 9)), ("int64", "object")),
    "edge": (lambda rng: rng.choice([-2**63, 2**63 - 1, 1, -1, 2**62, 2**32]), ("int64", "object")),
    "unsigned": (lambda rng: rng.choice([2**64 - 1, 2**63, 2**63 - 1, 1, 2]), ("uint64", "object")),
    "huge": (lambda rng: rng.choice([-1, 1]) * rng.randrange(10**40), ("object",)),
    "fractions": (lambda rng: Fraction(rng.randrange(-5, 6), rng.randrange(1, 6)), ("object",)),
    "eighths": (lambda rng: rng.randrange(-40, 40) / 8, (*FLOATS, *COMPLEX)),
    "reals": (lambda rng: rng.gauss(0, 1), ("float64", ">f8")),
    "scales": (lambda rng: rng.gauss(0, 1) * 10.0 ** rng.randrange(-60, 60), ("float64",)),
    "complex": (lambda rng: complex(rng.gauss(0, 1), rng.gauss(0, 1)), ("complex128", ">c16")),
    "quarters": (lambda rng: complex(rng.randrange(-8, 8), rng.randrange(-8, 8)) / 4, COMPLEX),
    "mixed": (lambda rng: rng.choice([rng.randrange(-3, 4), rng.randrange(-8, 8) / 4, 2**53 - 1, True]), ()),
    "beyond": (lambda rng: rng.choice([2**53 + 1, 0.5, 1, 2.0, -(2**60) - 1]), ()),
}


def entries_of(law, rng, count):
    """Numbers, a third of them 0."""
    return [LAWS[law][0](rng) if rng.random() < 0.7 else 0 for _ in range(count)]


def kind_of(numbers):
    """Names the kind: "exact", "real", "complex", or None: integers that no float holds beside floats, to be refused."""
    if all(isinstance(number, (int, Fraction)) for number in numbers):
        return "exact"
    if any(isinstance(number, int) and float(number) != number for number in numbers):
        return None
    return "complex" if any(isinstance(number, complex) for number in numbers) else "real"


def wrapped(rng, number):
    """The number as numpy's or Python's, of a type that holds it."""
    if isinstance(number, bool):
        return rng.choice([number, np.bool_(number), np.array(number), int(number)])
    if isinstance(number, int):
        fit = [t for t in (np.int8, np.uint8, np.int32, np.int64, np.uint64) if np.iinfo(t).min <= number <= np.iinfo(t).max]
        return rng.choice([number, Fraction(number), *(t(number) for t in fit)])
    if isinstance(number, float):
        with np.errstate(all="ignore"):
            fits = float(np.float32(number)) == number
        return rng.choice([number, np.float64(number), np.array(number), mc.Real(number), np.float32(number) if fits else number])
    if isinstance(number, complex):
        return rng.choice([number, np.complex128(number), mc.Complex(number.real, number.imag)])
    return number


class Exported:
    """An array that only DLPack shows."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def array_of(rng, matrix, shape, law):
    flat = [number for row in matrix for number in row]
    kind = kind_of(flat)
    types = [t for t in LAWS[law][1] if not (kind == "exact" and t in (*FLOATS, *COMPLEX))]
    if kind == "exact" and law in ("eighths", "reals", "scales", "complex", "quarters"):  # zeros alone
        types = LAWS[law][1]
    fit = []
    for dtype in types:
        if dtype == "object":
            fit.append(np.array(flat + [None], dtype=object)[:-1].reshape(shape))
            continue
        with np.errstate(all="ignore"):
            try:
                array = np.array(flat).reshape(shape).astype(dtype) if flat else np.zeros(shape, dtype)
            except OverflowError:
                continue
        if array.tolist() == [list(row) for row in matrix]:
            fit.append(array)
    return rng.choice(fit) if fit else None


def sparse_of(rng, array):
    """A sparse matrix, at times with entries in two parts and with zeros that are stored. And whether sums may be refused."""
    if array.dtype.byteorder == ">" or array.dtype.kind not in "iufcb" or array.dtype == np.float16 or 0 in array.shape:
        return None, False
    form = rng.choice(["csr_array", "csc_matrix", "coo_array", "coo_matrix", "dia_array", "lil_array", "dok_array", "bsr_array",
                       "parts", "csr of parts"])
    if "parts" not in form:
        return getattr(sparse, form)(array), False
    rows, columns, values = [], [], []
    for (i, j), value in np.ndenumerate(array):
        pieces = [value]
        if rng.random() < 0.5 and array.dtype.kind in "iu":
            low, high = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
            piece = max(low, min(high, int(value) + rng.choice([-1, 1]) * rng.choice([1, 100, high // 2])))
            rest = int(value) - piece
            pieces = [piece, rest] if low <= rest <= high else pieces
        elif rng.random() < 0.5 and array.dtype.kind in "fc":
            pieces = rng.choice([[value, 2.0**60, -(2.0**60)], [value / 2, value / 2], [value, 0]])
            pieces = pieces if sum(map(Fraction, np.real(pieces).tolist())) == Fraction(float(np.real(value))) else [value]
            pieces = pieces if sum(map(Fraction, np.imag(pieces).tolist())) == Fraction(float(np.imag(value))) else [value]
        for piece in pieces:
            rows.append(i), columns.append(j), values.append(piece)
    order = rng.sample(range(len(rows)), len(rows))
    part = sparse.coo_array((np.array([values[k] for k in order], dtype=array.dtype),
                             ([rows[k] for k in order], [columns[k] for k in order])), shape=array.shape)
    if form == "parts":
        return part, False
    # Lists the entries one row after the other, with duplicates as they are.
    order = sorted(range(len(rows)), key=lambda k: rows[k])
    starts = np.searchsorted([rows[k] for k in order], range(array.shape[0] + 1))
    return sparse.csr_array((np.array([values[k] for k in order], dtype=array.dtype), [columns[k] for k in order], starts),
                            shape=array.shape), False


def matrix_container(rng, matrix, shape, law):
    """The matrix as people have it, and what answers are: as kind_of says."""
    kind = kind_of([number for row in matrix for number in row])
    form = rng.choice(["lists", "tuples", "wrapped", "rows", "frame", "columns", "array", "array", "fortran", "strided", "readonly",
                       "masked", "matrix", "dlpack", "sparse", "sparse"])
    lists = [list(row) for row in matrix]
    if form in ("lists", "tuples", "wrapped", "columns") and 0 not in shape:
        if form == "lists":
            return lists, kind
        if form == "tuples":
            return tuple(map(tuple, lists)), kind
        if form == "wrapped":
            return [[wrapped(rng, number) for number in row] for row in lists], kind
        columns = [pandas.Series(list(column), dtype=object if kind_of(column) == "exact" and any(
            isinstance(number, Fraction) or abs(number) >= 2**63 for number in column) else None) for column in zip(*lists)]
        # pandas makes floats of ints beside floats in one column.
        if all(kind_of(column) and (kind_of(column) == "exact" or series.dtype != object)
               for column, series in zip(zip(*lists), columns)):
            columns = [series.astype("Int64") if series.dtype == np.int64 and rng.random() < 0.3 else series for series in columns]
            return pandas.DataFrame(dict(enumerate(columns))), kind
    array = array_of(rng, matrix, shape, law)
    if array is None:
        return (lists, kind) if 0 not in shape else (np.zeros(shape, np.int64), "exact")
    kind = "exact" if array.dtype.kind in "biuO" else "complex" if array.dtype.kind == "c" else "real"
    if form == "rows" and len(array):
        return [row if rng.random() < 0.5 else row.tolist() for row in array], kind if array.dtype.kind != "O" and (
            kind_of([number for row in matrix for number in row]) == kind) else "any"
    if form == "frame":
        return pandas.DataFrame(array), kind if array.size else "any"
    if form == "fortran":
        return np.asfortranarray(array), kind
    if form == "strided":
        wide = np.zeros((2 * shape[0], 3 * shape[1]), dtype=array.dtype)
        wide[::2, ::3] = array
        return wide[::2, ::3], kind
    if form == "readonly":
        array.flags.writeable = False
        return array, kind
    if form == "masked" and array.dtype != object:
        return np.ma.array(array), kind
    if form == "matrix" and array.dtype != object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.matrix(array), kind
    if form == "dlpack" and array.dtype.kind in "iufc" and array.dtype.isnative:
        return Exported(array), kind
    if form == "sparse":
        made, _ = sparse_of(rng, array)
        if made is not None:
            return made, kind
    return array, kind


def check(value, truth, kind):
    """Checks an answer against the truth, a Gaussian: exact or within its bound, of the type that its input asks for."""
    type_of = {"exact": (int, Fraction), "real": mc.Real, "complex": mc.Complex}
    if kind == "exact" or not isinstance(value, (mc.Real, mc.Complex)):
        assert kind in ("exact", "any"), f"{value!r} of {kind} numbers"
        assert (value, 0) == truth, (value, truth)
        return
    assert kind == "any" or isinstance(value, type_of[kind]), (value, kind)
    re, im = exactly(complex(value) if isinstance(value, complex) else float(value))
    assert value.error < math.inf and (re - truth.re) ** 2 + (im - truth.im) ** 2 <= Fraction(value.error) ** 2, (
        value, value.error, truth)


def asked(call, truth, kind):
    """The answer is right; or it is refused, as it has to be where kind is None, and beyond the floats."""
    try:
        value = call()
    except mc.InputError:
        assert kind is None, "refused"
        return
    except mc.Unable as error:
        assert kind not in (None, "exact") and max(abs(truth.re), abs(truth.im)) > 2**1023, error
        return
    assert kind is not None, f"{value!r}, where it has to be refused"
    check(value, truth, kind)


def rectangular(truth, size):
    """The sum over matchings of so many edges."""
    rows, columns = len(truth), len(truth[0]) if truth else 0
    total = Gaussian(Fraction(0), Fraction(0))
    for chosen in itertools.combinations(range(rows), size):
        for places in itertools.permutations(range(columns), size):
            total = total + math.prod((truth[i][j] for i, j in zip(chosen, places)), start=Gaussian(Fraction(1), Fraction(0)))
    return total


def of(truth):
    return truth if isinstance(truth, Gaussian) else Gaussian(Fraction(truth), Fraction(0))


def matrices(rng):
    law = rng.choice(list(LAWS))
    rows, columns = rng.choice([(n, n) for n in (0, 1, 2, 2, 3, 3, 4)] + [(2, 3), (3, 2), (1, 3)])
    symmetric = rows == columns and rng.random() < 0.4
    entries = entries_of(law, rng, rows * columns)
    matrix = [[entries[i * columns + j] for j in range(columns)] for i in range(rows)]
    if symmetric:
        matrix = [[matrix[max(i, j)][min(i, j)] for j in range(columns)] for i in range(rows)]
    truth = [[Gaussian(*exactly(number)) for number in row] for row in matrix]
    given, kind = matrix_container(rng, matrix, (rows, columns), law)
    pattern = [[int(number != 0) for number in row] for row in matrix]
    integers = kind == "exact" and all(isinstance(number, int) for row in matrix for number in row)
    ask = lambda call, value: asked(lambda: call(given), of(value), kind)
    if rows == columns:
        engine = rng.choice([{}, {}, {}, {"method": "auto"}, {"threads": 1}, {"precision": "double-double"}, {"verify": True}])
        ask(lambda m: mc.permanent(m, **engine), oracles.permanent(truth))
        ask(mc.determinant, oracles.determinant(truth))
        may_be_edges = isinstance(given, (list, tuple)) and not all(isinstance(row, list) for row in given)
        if symmetric and not may_be_edges:
            ask(lambda m: mc.hafnian(m, loop=True), oracles.hafnian(truth, True))
            if not any(matrix[v][v] for v in range(rows)):
                ask(mc.hafnian, oracles.hafnian(truth))
        elif (isinstance(given, np.ndarray) and rows) or isinstance(given, (list, tuple)):
            chosen, others = ([rng.randrange(rows) for _ in range(3)] for _ in range(2)) if rows else ([], [])
            ask(lambda m: mc.permanent(m, rows=chosen, cols=others),
                oracles.permanent([[truth[i][j] for j in others] for i in chosen]))
        if isinstance(given, np.ndarray) and type(given) is np.ndarray and rows:
            for value in mc.permanent(np.stack([given, given])):
                check(value, of(oracles.permanent(truth)), kind)
    size = rng.randrange(min(rows, columns) + 1)
    if isinstance(given, (list, tuple)):
        return
    ask(lambda m: mc.count_matchings(m, size, weighted=True, kind="bipartite"), rectangular(truth, size))
    ask(lambda m: mc.count_matchings(m, "saturating", weighted=True, kind="bipartite"), rectangular(truth, min(rows, columns)))
    if kind is None:
        return
    count = sum(math.prod(pattern[i][p[i]] for i in range(rows)) for p in itertools.permutations(range(columns), rows))
    count = count if rows == columns else 0
    assert mc.count_perfect_matchings(given, kind="bipartite") == count
    assert mc.parity(given, "matchings", kind="bipartite") == count % 2
    if integers and rows == columns:
        assert mc.parity(given, "permanent") == oracles.permanent(matrix) % 2
    if kind == "exact" and rows == columns:
        try:
            found = mc.marginals(given, weighted=True, exact=True, kind="bipartite")
        except mc.InputError as error:
            assert "64 bits" in str(error)
        else:
            for (i, j), value in found.sums.items():
                rest = [[row[k] for k in range(columns) if k != j] for place, row in enumerate(matrix) if place != i]
                assert value == matrix[i][j] * oracles.permanent(rest)


NAMES = [0, 1, 2, "a", "b", ("x", 1), frozenset([3]), 2.5, "ä", -7]


def settled(edges, weights, duplicates, undirected):
    """The rule of all doors: the edges without parallel ones, and their weights, of which none is 0; None: refused."""
    key = (lambda u, v: frozenset((u, v))) if undirected else (lambda u, v: (u, v))
    merged = {}
    for (u, v), weight in zip(edges, weights):
        weight = Gaussian(*exactly(1 if weight is None else weight))
        if key(u, v) not in merged:
            merged[key(u, v)] = ((u, v), weight)
        elif duplicates == "refuse":
            return None
        elif duplicates == "sum":
            merged[key(u, v)] = ((u, v), merged[key(u, v)][1] + weight)
    return [(ends, weight) for ends, weight in merged.values() if weight != (0, 0)]


def edge_container(rng, edges, weights, nodes, left, directed, tmp_path):
    """Edges as people have them, with the options that they take."""
    weighted = weights[:1] not in ([], [None])
    touched = {name for ends in edges for name in ends}
    forms = ["pairs"] if left is not None else ["networkx", "rustworkx", "rustworkx dicts", "igraph", "pairs"]
    forms += ["file"] if edges and all(isinstance(weight, (int, Fraction, type(None))) for weight in weights) else []
    form = rng.choice(forms)
    if form in ("pairs", "file") and left is None and touched != set(nodes):
        form = "networkx"
    options = {}
    if form == "file":
        label = {name: f"n{place}" for place, name in enumerate(nodes if left is None else left[0])}
        other = label if left is None else {name: f"n{place}" for place, name in enumerate(left[1])}
        text = "".join(f"{label[u]} {other[v]}{'' if weight is None else f' {weight}'}\n" for (u, v), weight in zip(edges, weights))
        (tmp_path / "edges.txt").write_text(text)
        return tmp_path / "edges.txt", {"kind": "bipartite" if left is not None else "undirected", "header": False}
    if form == "pairs":
        pairs = [ends if weight is None else (*ends, wrapped(rng, weight)) for ends, weight in zip(edges, weights)]
        as_given = rng.choice([list, tuple, iter, lambda p: (pair for pair in p)])
        return as_given(pairs), {"kind": "bipartite" if left is not None else "undirected"}
    name = rng.choice(["weight", "weight", "cost"]) if weighted else "weight"
    if name != "weight":
        options["weight"] = name
    if form == "networkx":
        graph = (networkx.MultiGraph if len(set(map(frozenset, edges))) < len(edges) or rng.random() < 0.3 else networkx.Graph)()
        graph.add_nodes_from(nodes)
        for (u, v), weight in zip(edges, weights):
            graph.add_edge(u, v, **({} if weight is None else {name: wrapped(rng, weight)}))
        return graph, options
    place = {node: i for i, node in enumerate(nodes)}
    ends = [(place[u], place[v]) for u, v in edges]
    if form == "igraph":
        graph = igraph.Graph(n=len(nodes), edges=ends)
        graph.vs["name"] = nodes
        if weighted:
            graph.es[name] = weights
        return graph, options
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(nodes)
    in_dict = form == "rustworkx dicts"
    graph.add_edges_from([(u, v, {name: weight} if in_dict and weight is not None else weight) for (u, v), weight in zip(ends, weights)])
    return graph, options if in_dict else {}


def graphs(rng, tmp_path):
    two_sided = rng.random() < 0.4
    nodes, left = rng.sample(NAMES, rng.randrange(0, 6)), None
    if two_sided:
        left = [rng.sample(NAMES, rng.randrange(1, 4)) for _ in range(2)]
        edges = [(u, v) for u in left[0] for v in left[1] if rng.random() < 0.7]
        left = [list(dict.fromkeys(ends[side] for ends in edges)) for side in range(2)]  # lists of edges have no others
    else:
        edges = [(u, v) for i, u in enumerate(nodes) for v in nodes[:i] if rng.random() < 0.6]
    while edges and rng.random() < 0.35:
        again = rng.choice(edges)
        edges.append(again if two_sided or rng.random() < 0.5 else again[::-1])
    law = rng.choice([None, None, "small", "small", "bits", "wide", "edge", "huge", "fractions", "eighths", "quarters", "beyond"])
    weights = [None] * len(edges) if law is None else [LAWS[law][0](rng) if rng.random() < 0.8 else 0 for _ in edges]
    duplicates = rng.choice(["refuse", "sum", "one"])
    truth = settled(edges, weights, duplicates, not two_sided)
    given, options = edge_container(rng, edges, weights, nodes, left, False, tmp_path)
    kind = kind_of([weight for weight in weights if weight is not None])
    if not isinstance(given, (networkx.Graph, rustworkx.PyGraph, igraph.Graph, os.PathLike)):
        given = list(given)
    try:
        if isinstance(given, os.PathLike):
            given, options = mc.read(given, duplicates=duplicates, **options), {}
        else:
            options = {**options, "duplicates": duplicates}
        graph = mc._inputs.as_graph(given, **options)
    except mc.InputError as error:
        sums = any(word in str(error) for word in ("cancel", "64 bits", "62 bits", "no float holds", "sum"))
        assert truth is None or kind is None or sums, "refused"
        return
    assert truth is not None, "to be refused"
    pairs = [ends for ends, _ in truth] if not two_sided else [(("row", u), ("column", v)) for (u, v), _ in truth]
    found = list(oracles.matchings(pairs))
    vertices = len(nodes) if not two_sided else len(left[0]) + len(left[1])
    perfect = [m for m in found if 2 * len(m) == vertices]
    one = Gaussian(Fraction(1), Fraction(0))
    weight_of = lambda m: math.prod((truth[i][1] for i in m), start=one)
    sum_of = lambda matchings: sum(map(weight_of, matchings), start=Gaussian(Fraction(0), Fraction(0)))
    is_counted = law is None  # then parallel edges count as often as they are given
    expected = lambda matchings: sum_of(matchings).re if is_counted else len(matchings)
    again = pickle.loads(pickle.dumps(graph))
    assert again == graph
    for one_of in rng.sample([(given, options), (graph, {}), (again, {})], 2):
        asks, how = one_of[0], dict(one_of[1])
        assert mc.count_perfect_matchings(asks, **how) == expected(perfect)
        sizes = [expected([m for m in found if len(m) == size]) for size in range(max(map(len, found)) + 1)]
        assert mc.matchings_by_size(asks, **how) == sizes
        assert mc.parity(asks, "matchings", **how) == expected(perfect) % 2
        shown = mc.decompose(asks, **how)
        largest = max(map(len, found))
        useful = {i for m in found if len(m) == largest for i in m}
        assert (len(shown.matching), shown.is_perfect) == (largest, bool(perfect))
        assert len(truth) < len(edges) or len(shown.useless_edges) == len(truth) - len(useful)
        if kind is not None:
            asked(lambda: mc.count_matchings(asks, "all", weighted=True, **how), sum_of(found), kind)
            asked(lambda: mc.count_matchings(asks, "perfect", weighted=True, **how), sum_of(perfect), kind)
        if kind is not None and not two_sided:
            how.pop("kind", None)
            if not (isinstance(asks, list) and len(asks) in (2, 3)):
                asked(lambda: mc.hafnian(asks, **how), sum_of(perfect), kind)
    if not graph.weights_are_multiplicities:
        assert len(list(mc.list_matchings(graph))) == len(perfect)
    if kind == "exact" and law is not None:
        total = lambda m: sum(truth[i][1].re for i in m)
        best = min(map(total, perfect), default=None)
        try:
            assert mc.count_optimal_matchings(graph) == (best, sum(total(m) == best for m in perfect))
        except mc.Unable as error:
            assert "62 bits" in str(error)
    if kind == "exact":
        try:
            shares = mc.marginals(graph, weighted=law is not None, exact=True)
        except mc.InputError as error:
            assert "64 bits" in str(error)
            return
        assert shares.total == sum_of(perfect).re
        assert sorted(map(repr, shares.sums.values())) == sorted(
            repr(value if graph.has_fractions and law is not None else int(value))
            for value in (sum_of([m for m in perfect if i in m]).re for i in range(len(truth))))


def test_every_container_has_the_same_exact_answer(tmp_path):
    families = {"matrices": matrices, "graphs": lambda rng: graphs(rng, tmp_path)}
    for seed in range(RUNS):
        family = ("matrices", "graphs")[seed % 2]
        try:
            families[family](random.Random(f"{family} {seed}"))
        except Exception as error:
            raise AssertionError(f"{family}, seed {seed}") from error
