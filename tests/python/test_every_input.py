"""Every public function takes every type of entries in every container with every keyword: its answer is that of a slow
oracle, or what is wrong is refused by name.

MATCHCOUNT_INPUT_RUNS says how many combinations are tried, 0 all of them, an hour; MATCHCOUNT_SEED which.
"""

import datetime
import inspect
import itertools
import os
import pathlib
import random
import tempfile
from decimal import Decimal
from fractions import Fraction

import numpy as np
import oracles
import pytest
from oracles import Gaussian, exactly

import matchcount as mc

networkx, igraph, rustworkx, pandas, sparse = map(pytest.importorskip, ("networkx", "igraph", "rustworkx", "pandas", "scipy.sparse"))

SEED = int(os.environ.get("MATCHCOUNT_SEED", "1"))
RUNS = int(os.environ.get("MATCHCOUNT_INPUT_RUNS", "3000"))
N, TURNED = 4, [2, 0, 3, 1]
SQUARE = {(0, 1): 0, (0, 2): 1, (1, 2): 2, (1, 3): 3, (2, 3): 4}  # the edges of every graph here, with places of weights

# ---- Types: the k-th number, and the type of an array of them; None: lists alone make one. The third: whether all take it.
FEW, EXACT, ALL = "few", "exact", "all"
ELEMENTS = {
    "bool": (lambda k: True, bool, ALL), "int8": (lambda k: [-128, 127, 3, -1, 5][k % 5], np.int8, ALL),
    "int16": (lambda k: k - 3 or 9, np.int16, ALL), "int32": (lambda k: 7 * k - 3, np.int32, ALL),
    "int64": (lambda k: (-1) ** k * (2**62 - k), np.int64, EXACT), "uint8": (lambda k: 255 - k, np.uint8, ALL),
    "uint16": (lambda k: k + 1, np.uint16, ALL), "uint32": (lambda k: 2**32 - 1 - k, np.uint32, ALL),
    "uint64": (lambda k: 2**64 - 1 - k, np.uint64, EXACT), "float16": (lambda k: k / 8 - 0.25 or 3.0, np.float16, ALL),
    "float32": (lambda k: k / 8 + 2.0**-20, np.float32, ALL), "float64": (lambda k: k / 8 + 2.0**-45, np.float64, ALL),
    "longdouble": (lambda k: k / 4 + 0.5, np.longdouble, EXACT), "complex64": (lambda k: (k + 1) / 8 + 0.25j, np.complex64, ALL),
    "complex128": (lambda k: 0.125 * (k + 1) * 1j + 2.0**-40, np.complex128, ALL),
    "clongdouble": (lambda k: complex(k + 1, 0.5), np.clongdouble, EXACT), "ints": (lambda k: 10**30 - k, object, EXACT),
    "fractions": (lambda k: Fraction(k + 1, 3), object, EXACT), "mixed": (lambda k: [2, Fraction(1, 2), True][k % 3], object, EXACT),
    "decimals": (lambda k: Decimal(k) / 8, object, None), "floats as objects": (lambda k: k + 0.5, object, None),
    "complex as objects": (lambda k: k + 1j, object, None), "strings": (lambda k: str(k), str, None),
    "times": (lambda k: datetime.datetime(2020, 1, 1 + k), "datetime64[s]", None), "none": (lambda k: None, object, None),
}


def rows_of(element, what):
    """A symmetric matrix: of a graph with 0 on the diagonal, small for torontonians, else full."""
    number = ELEMENTS[element][0]
    zero = "" if element == "strings" else datetime.datetime(1970, 1, 1) if element == "times" else 0
    if what == "small":
        scale = 2.0**-9 if ELEMENTS[element][1] in (np.float16, np.float32, np.float64, np.complex64, np.complex128) else 0
        matrix = [[number(i + j) * scale if scale else zero for j in range(N)] for i in range(N)]
        return [[abs(entry) if isinstance(entry, complex) else entry for entry in row] for row in matrix]
    place = lambda i, j: SQUARE.get((min(i, j), max(i, j)))
    return [[number(i + j) if what == "full" else zero if place(i, j) is None else number(place(i, j) + 1) for j in range(N)]
            for i in range(N)]


def unaligned(array):
    return np.frombuffer(b"\0" + array.tobytes(), array.dtype, offset=1).reshape(array.shape)


def memmap(array):
    if array.dtype.hasobject:
        raise TypeError("no numbers")
    file = pathlib.Path(tempfile.mkdtemp()) / "numbers"
    file.write_bytes(b"abc" + array.tobytes())
    return np.memmap(file, array.dtype, "r", 3, array.shape)


def read_only(array):
    array.flags.writeable = False
    return array


class Exported:
    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


def turned_frame(array):
    return pandas.DataFrame(array, list("abcd"), list("abcd")).iloc[:, TURNED]


def graph_of(rows, kind):
    edges = [(i, j, rows[i][j]) for i, j in SQUARE]
    if kind == "triples":
        return edges
    if kind == "generator":
        return iter(edges)
    if kind == "igraph":
        graph = igraph.Graph(N, [edge[:2] for edge in edges])
        graph.es["weight"] = [edge[2] for edge in edges]
        return graph
    if kind == "rustworkx":
        graph = rustworkx.PyGraph()
        graph.add_nodes_from(range(N))
        graph.add_edges_from(edges)
        return graph
    graph = networkx.Graph()
    graph.add_nodes_from(range(N))
    graph.add_weighted_edges_from(edges)
    return graph


# ---- Containers, of an array; those of a graph, of rows; and what is no matrix. True: they take what functions take.
ARRAYS = {
    "C": np.array, "Fortran": np.asfortranarray, "strided": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
    "negative strides": lambda a: a[::-1, ::-1].copy()[::-1, ::-1], "transposed": lambda a: np.array(a.T).T, "unaligned": unaligned,
    "byte-swapped": lambda a: a.astype(a.dtype.newbyteorder()), "read-only": read_only, "memmap": memmap,
    "no mask": lambda a: np.ma.array(a), "matrix": lambda a: a.view(np.matrix), "lists": lambda a: a.tolist(),
    "list of arrays": lambda a: list(a), "tuple of lists": lambda a: tuple(a.tolist()), "frame": pandas.DataFrame,
}
OTHERS = {
    "masked": lambda a: np.ma.array(a, mask=np.eye(N, dtype=bool)), "0-d": lambda a: a[0, 0:1].reshape(()), "line": lambda a: a[0],
    "DLPack": Exported, "tuples": lambda a: list(map(tuple, a.tolist())), "generator of rows": lambda a: (row for row in a),
    "turned frame": turned_frame, "polars": lambda a: pytest.importorskip("polars").DataFrame(a, list("abcd")),
    "pyarrow": lambda a: pytest.importorskip("pyarrow").table(list(a.T), list("abcd")), "memoryview": memoryview,
    "text": lambda a: "\n".join(" ".join(map(str, row)) for row in a.tolist()), "bytes": lambda a: a.tobytes(),
    "dict": lambda a: dict(np.ndenumerate(a)), "nothing": lambda a: None, "path": lambda a: pathlib.Path("matrix.txt"),
    "number": lambda a: 5, **{form: getattr(sparse, form) for form in (
        "csr_array", "csc_matrix", "coo_array", "dia_array", "lil_array", "dok_array", "bsr_array")},
}
NOTHING = ("text", "bytes", "dict", "nothing", "path", "number", "0-d", "line")
GRAPHS = ("triples", "generator", "networkx", "igraph", "rustworkx")


# ---- Truths.


def truth_of(rows):
    return [[Gaussian(*exactly(entry)) for entry in row] for row in rows]


def minor(matrix, gone_rows, gone_columns):
    return [[entry for j, entry in enumerate(row) if j not in gone_columns] for i, row in enumerate(matrix) if i not in gone_rows]


def torontonian(matrix):
    array = np.array([[complex(float(entry.re), float(entry.im)) for entry in row] for row in matrix])
    total, n = 0, N // 2
    for size in range(n + 1):
        for chosen in itertools.combinations(range(n), size):
            places = [*chosen, *(i + n for i in chosen)]
            total += (-1) ** (n - size) / np.sqrt(np.linalg.det(np.eye(2 * size) - array[np.ix_(places, places)]).real)
    return total


def matchings(rows):
    """All matchings of the graph, the perfect ones, and the sum of a matching's weights' product."""
    edges = [(i, j) for i in range(N) for j in range(i) if rows[i][j] != 0]
    every = [[edges[place] for place in matching] for matching in oracles.matchings(edges)]
    return edges, every, [matching for matching in every if 2 * len(matching) == N]


def covers(rows, permanent):
    return permanent([[int(entry != 0) for entry in row] for row in rows])


def near(value, error, truth):
    re, im = exactly(complex(value) if isinstance(value, complex) else float(value))
    truth = truth if isinstance(truth, Gaussian) else Gaussian(Fraction(truth), 0)
    assert (re - truth.re) ** 2 + (im - truth.im) ** 2 <= Fraction(error) ** 2, (value, error, truth)


def right(found, truth):
    """One number, or an array of numbers, is right: exactly, or within its error."""
    if isinstance(found, np.ndarray):
        for place, entry in np.ndenumerate(np.asarray(found)):
            part = truth
            for index in place:
                part = part[index]
            near(entry.item(), found.error[place], part)
    elif isinstance(found, (mc.Real, mc.Complex)):
        near(found, found.error, truth)
    else:
        assert (found, 0) == truth or found == truth, (found, truth)


def half(value):
    return value * Gaussian(Fraction(1, 2), 0)


def gradient(value, minor_of):
    return lambda rows: (value(rows), [[minor_of(rows, i, j) for j in range(N)] for i in range(N)])


def both(found, truth):
    right(found[0], truth[0])
    right(found[1], truth[1])


hafnian, loop_hafnian = oracles.hafnian, lambda rows: oracles.hafnian(rows, True)
WHOLE = {"rows": [0, 0, 1, 2], "cols": [0, 1, 2, 2]}
chosen = lambda rows, r, c: [[rows[i][j] for j in c] for i in r]

# Functions of a matrix: the call, the truth, how they are compared, the matrix, and which types of numbers they take.
DENSE = {
    "permanent": (mc.permanent, oracles.permanent, right, "full", EXACT),
    "permanent of rows": (lambda m, /, **how: mc.permanent(m, **WHOLE, **how),
                          lambda rows: oracles.permanent(chosen(rows, *WHOLE.values())), right, "full", EXACT),
    "determinant": (mc.determinant, oracles.determinant, right, "full", EXACT),
    "hafnian": (mc.hafnian, hafnian, right, "graph", EXACT),
    "loop hafnian": (lambda m, /, **how: mc.hafnian(m, loop=True, **how), loop_hafnian, right, "full", EXACT),
    "hafnian of rows": (lambda m, /, **how: mc.hafnian(m, rows=[0, 1, 1, 2], **how),
                        lambda rows: hafnian(chosen(rows, [0, 1, 1, 2], [0, 1, 1, 2])), right, "full", EXACT),
    "torontonian": (mc.torontonian, torontonian, lambda found, truth: near(found, found.error + 1e-12, Fraction(truth)), "small", ALL),
    "permanents": (lambda m, /, **how: mc.permanents(m, rows=[WHOLE["rows"]], cols=[WHOLE["cols"]], **how),
                   lambda rows: [oracles.permanent(chosen(rows, *WHOLE.values()))], right, "full", ALL),
    "loop hafnians": (lambda m, /, **how: mc.loop_hafnians(m, np.ones((1, N)), **how),
                      lambda rows: [loop_hafnian([[Gaussian(1, 0) if i == j else rows[i][j] for j in range(N)] for i in range(N)])],
                      right, "full", ALL),
    "amplitudes": (lambda m, /, **how: next(mc.amplitudes(m, rows=[0, 1], **how))[1][1:2],
                   lambda rows: [oracles.permanent(chosen(rows, [0, 1], [0, 1]))], right, "full", ALL),
    "gradients.permanent": (mc.gradients.permanent, gradient(
        oracles.permanent, lambda rows, i, j: oracles.permanent(minor(rows, [i], [j]))), both, "full", ALL),
    "gradients.hafnian": (mc.gradients.hafnian, gradient(
        hafnian, lambda rows, i, j: 0 if i == j else half(hafnian(minor(rows, [i, j], [i, j])))), both, "full", ALL),
    "gradients.loop_hafnian": (mc.gradients.loop_hafnian, gradient(
        loop_hafnian, lambda rows, i, j: loop_hafnian(minor(rows, [i], [i])) if i == j else half(
            loop_hafnian(minor(rows, [i, j], [i, j])))), both, "full", ALL),
    "gradients.torontonian": (mc.gradients.torontonian, torontonian, lambda found, truth: near(
        float(found[0]), 1e-12, Fraction(truth)), "small", ALL),
}


def graph_truth(count):
    return lambda rows: count(*matchings(rows))


def equal(found, truth):
    assert found == truth, (found, truth)


def sizes(_, every, perfect):
    return [sum(len(matching) == size for matching in every) for size in range(max(map(len, every)) + 1)]


UNDIRECTED = {"kind": "undirected"}
undirected = lambda function: lambda m, /, **how: function(m, **{**UNDIRECTED, **how})
pairs_of = lambda edges: {frozenset(map(str, edge)) for edge in edges}
FRAME = dict(zip("abcd", "0123"))
unnamed = lambda edges: {frozenset(FRAME.get(name, name) for name in edge) for edge in pairs_of(edges)}
GRAPH = {
    "count_perfect_matchings": (undirected(mc.count_perfect_matchings), graph_truth(lambda e, m, p: len(p)), equal),
    "count_matchings": (undirected(mc.count_matchings), graph_truth(lambda e, m, p: len(m)), equal),
    "matchings_by_size": (undirected(mc.matchings_by_size), graph_truth(sizes), equal),
    "matching_polynomial": (undirected(mc.matching_polynomial), graph_truth(lambda e, m, p: [
        x for size, count in enumerate([*sizes(e, m, p), 0, 0][:N // 2 + 1]) for x in ((-1) ** size * count, 0)][:N + 1]), equal),
    "matchings_by_label": (lambda m, /, **how: mc.matchings_by_label(m, lambda u, v: "x", **{**UNDIRECTED, **how}),
                           graph_truth(lambda e, m, p: [({"x": 2}, len(p))] if p else []), equal),
    "list_matchings": (lambda m, /, **how: len(list(mc.list_matchings(m, **{**UNDIRECTED, **how}))),
                       graph_truth(lambda e, m, p: len(p)), equal),
    "decompose": (undirected(mc.decompose), graph_truth(lambda e, m, p: max(map(len, m))),
                  lambda found, truth: equal(len(found.matching), truth)),
    "marginals": (lambda m, /, **how: mc.marginals(m, **{"weighted": False, "exact": True, **UNDIRECTED, **how}).sums,
                  graph_truth(lambda e, m, p: {frozenset(map(str, edge)): sum(edge in matching for matching in p) for edge in e}),
                  lambda found, truth: equal({frozenset(FRAME.get(str(v), str(v)) for v in edge): n for edge, n in found.items()}, truth)),
    "sample_matchings": (lambda m, /, **how: mc.sample_matchings(m, **{"weighted": False, **UNDIRECTED, **how}),
                         graph_truth(lambda e, m, p: list(map(pairs_of, p))),
                         lambda found, truth: [equal(unnamed(matching) in truth, True) for matching in found]),
    "estimate": (lambda m, /, **how: mc.estimate(m, "matchings", **{**UNDIRECTED, **how}).value,
                 graph_truth(lambda e, m, p: len(p)), equal),
    "parity": (lambda m, /, **how: mc.parity(m, "matchings", **{**UNDIRECTED, **how}),
               graph_truth(lambda e, m, p: len(p) % 2), equal),
    "plan": (lambda m, /, **how: mc.plan(m, "matchings", **{**UNDIRECTED, **how}).seconds >= 0, lambda rows: True, equal),
    "plan_marginals": (lambda m, /, **how: mc.plan_marginals(m, weighted=False, **{**UNDIRECTED, **how}).refusal,
                       lambda rows: "", equal),
    "plan_samples": (lambda m, /, **how: mc.plan_samples(m, weighted=False, **{**UNDIRECTED, **how}).refusal,
                     lambda rows: "", equal),
    "count_cycle_covers": (mc.count_cycle_covers, lambda rows: covers(rows, oracles.permanent), equal),
    "count_reachable_pairs": (mc.count_reachable_pairs, lambda rows: len(oracles.reachable_pairs(
        [(i, j) for i in range(N) for j in range(N) if rows[i][j] != 0])), equal),
    "to_networkx": (lambda m, /, **how: mc.to_networkx(m, **{**UNDIRECTED, **how}).edges,
                    graph_truth(lambda e, m, p: pairs_of(e)), lambda found, truth: equal(unnamed(found), truth)),
}
# Keywords that change no answer of these small ones, and some that no function takes for such input.
KEYWORDS = {
    "method": ["auto"], "verify": [True, np.True_, False], "order": ["rows"], "engine": ["auto"], "effort": [0, 0.01],
    "expand_degree": [4], "expand_rows": [30], "prune": [False, np.False_], "reduce": [False], "threads": [1, np.int8(2)],
    "device": ["cpu"], "precision": ["auto", "double-double"], "seed": [3, np.uint8(3)], "time_limit": [60, np.float64(60)],
    "memory_limit": [1e9], "progress": [False, lambda *_: None], "rtol": [1e-12], "atol": [0.0], "duplicates": ["sum", "one"],
    "confidence": [0.9], "relative_error": [0.1], "exact_rows": [12], "full_output": [False, np.False_], "chunk": [5],
    "checkpoint_interval": [5.0], "resume": [False], "weight": ["cost"], "columns": [("u", "v")], "no_edge": ["masked", 3],
    "exact": [np.True_], "estimate": [False], "approximate": [False], "weighted": [np.False_], "pairs": [0], "first": [0],
    "population": [100], "samples": [10], "absolute_error": [0.1], "matchings": ["perfect"], "keep_zeros": [False],
    "scaling_interval": [5], "scaling_rounds": [5], "activity": [1], "given": [[]], "without": [()], "loop": [False],
}
BY_PLACE = ("permanent", "permanent of rows", "permanents", "amplitudes", "gradients.permanent")  # all others go by names
def signature_of(name):
    for part in (mc, mc.gradients):
        found = getattr(part, name.split(" ")[0].split(".")[-1], None)
        if found is not None and (part is mc) == ("." not in name):
            return inspect.signature(found).parameters
    return inspect.signature({"loop": mc.hafnian}.get(name.split(" ")[0], mc.loop_hafnians)).parameters


FUNCTIONS = {**{name: (*entry, "array") for name, entry in DENSE.items()},
             **{name: (*entry, "graph", EXACT, "digraph" if "digraph" in signature_of(name) else "any")
                for name, entry in GRAPH.items()}}


def built(name, element, container):
    """The input, and the matrix of numbers that it means; or nothing where the container can't hold such entries."""
    *_, what, _, kind = FUNCTIONS[name]
    rows = rows_of(element, what)
    try:
        if container in GRAPHS:
            return (graph_of(rows, container), rows) if kind == "any" and element not in ("strings", "times") else None
        array = np.array(rows, dtype=ELEMENTS[element][1])
        return {**ARRAYS, **OTHERS}[container](array), rows if array.dtype.char in "OgG" else array.tolist()
    except (TypeError, ValueError, OverflowError, BufferError, NotImplementedError):
        return None
    except Exception as error:  # of Arrow and polars
        if type(error).__module__.split(".")[0] in ("pyarrow", "polars"):
            return None
        raise


def has_to_be_taken(name, element, container):
    takes, numbers = FUNCTIONS[name][4], ELEMENTS[element][2]
    if container not in (*ARRAYS, *(GRAPHS if FUNCTIONS[name][5] == "any" else ())) or numbers is None:
        return False
    if FUNCTIONS[name][5] != "array":  # lists may be edges as well
        return "list" not in container and (element != "longdouble" or container not in GRAPHS)
    return numbers == ALL or takes == EXACT and not ("longdouble" in element and (
        container == "frame" or "list" in container))  # nested lists are brought together in doubles


def tried(name, element, container, keywords):
    call, truth, compare, *_ = FUNCTIONS[name]
    made = built(name, element, container)
    if made is None:
        return
    given, rows = made
    try:
        found = call(given, **keywords)
    except (mc.InputError, mc.Unable, TypeError) as error:
        own = isinstance(error, mc.MatchcountError) or "unexpected keyword" in str(error)
        assert own and str(error), f"{type(error).__name__}: {error}"
        if keywords:
            assert isinstance(error, mc.Unable) or any(word in str(error) for word in (
                *keywords, *(keyword.replace("_", " ") for keyword in keywords), *map(str, keywords.values()))) or refused(
                    name, element, container), error
        else:
            assert not has_to_be_taken(name, element, container), error
        return
    assert element not in ("strings", "times") and container not in NOTHING, found
    if container == "turned frame" and name in BY_PLACE:
        rows = [[row[j] for j in TURNED] for row in rows]
    if "masked" in keywords.values() and container == "masked":
        rows = [[0 if i == j else entry for j, entry in enumerate(row)] for i, row in enumerate(rows)]
    elif "no_edge" in keywords:
        rows = [[0 if entry == keywords["no_edge"] else entry for entry in row] for row in rows]
    compare(found, truth(truth_of(rows) if name in DENSE else rows))


def refused(name, element, container):
    """Says whether this input is refused without keywords too."""
    try:
        FUNCTIONS[name][0](built(name, element, container)[0])
    except (mc.InputError, mc.Unable):
        return True
    return False


def test_every_function_takes_every_type_in_every_container_or_refuses_it():
    rng = random.Random(SEED)
    containers = [*ARRAYS, *OTHERS, *GRAPHS]
    plain = [(name, element, container, {}) for name in FUNCTIONS for element in ELEMENTS for container in containers]
    cases = []
    for name in FUNCTIONS:
        fit = [(key, value) for key, values in KEYWORDS.items() if key in signature_of(name) for value in values]
        for (key, value), element, container in itertools.product(fit, ELEMENTS, containers):
            if not (name.startswith(("list_", "loop hafnian", "plan_")) and key in ("loop", "weighted")):
                cases.append((name, element, container, {key: value}))
    chosen = rng.sample(plain, RUNS // 2) + rng.sample(cases, RUNS // 2) if RUNS else plain + cases
    for name, element, container, keywords in chosen:
        try:
            tried(name, element, container, keywords)
        except Exception as error:
            raise AssertionError(f"{name} of {element} in {container} with {keywords}: {error}") from error


PUBLIC = [(part, name) for part in (mc, mc.gradients, mc.gbs) for name in part.__all__
          if name[0].islower() and name not in ("devices", "picture")]


@pytest.mark.parametrize("part, name", PUBLIC, ids=[f"{part.__name__}.{name}" for part, name in PUBLIC])
def test_a_value_of_no_type_is_refused_by_the_name_of_its_keyword(part, name):
    function = getattr(part, name)
    keywords = inspect.signature(function).parameters
    matrix = np.array([[0, 1], [1, 0]])
    file = pathlib.Path(__file__).parents[2] / "datasets" / "kekulene.txt"
    given = {"generate": ["grid", 2, 2], "read": [file], "read_all": [file], "loop_hafnians": [matrix / 4, np.ones((1, 2))],
             "reachable_from": [matrix, 0], "probability": [np.eye(2), None, [0]], "sample": [np.eye(2)],
             "sample_photons": [np.eye(2), [1, 0]]}.get(name, [matrix if "kind" in keywords else matrix / 4])
    least = {"amplitudes": {"rows": [0]}, "permanents": {"rows": [[0]], "cols": [[0]]}}.get(name, {})
    if "kind" in keywords and name != "generate":
        least["kind"] = "undirected"
    wrong = type("Nothing", (), {"__repr__": lambda self: "Nothing()"})()
    for parameter in keywords.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            needs = {"matchings": "all"} if parameter.name == "activity" and name != "count_matchings" else (
                {"loop": np.zeros(2)} if parameter.name == "loop_along" else {})
            with pytest.raises((mc.InputError, TypeError), match=f"{parameter.name.replace('_', '.')}|Nothing"):
                list(function(*given, **{**least, **needs, parameter.name: wrong}))
