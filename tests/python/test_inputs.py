"""Input that is wrong, or has two readings, is an InputError that names what was expected; all else is taken."""

import math
import pathlib
import pickle
import random
from fractions import Fraction

import numpy as np
import oracles
import pytest

import matchcount as mc


def frame(*arguments, **named):
    return pytest.importorskip("pandas").DataFrame(*arguments, **named)


def networkx_graph(*edges):
    graph = pytest.importorskip("networkx").Graph()
    for u, v, data in edges:
        graph.add_edge(u, v, **data)
    return graph


REFUSED = {
    "no matrix at all": (lambda: mc.permanent(None), "array"),
    "a generator of rows": (lambda: mc.permanent(row for row in [[1]]), "array"),
    "rows of different length": (lambda: mc.permanent([[1, 2], [3]]), "one length"),
    "masked entries": (lambda: mc.permanent(np.ma.array([[1, 2], [3, 4]], mask=[[1, 0], [0, 0]])), "filled"),
    "missing values": (lambda: mc.permanent(frame({"a": [1, None], "b": [1, 1]}, dtype="Int64")), "Fraction"),
    "floats among objects": (lambda: mc.permanent(np.array([[0.5, 1], [1, 1]], dtype=object)), "Fraction"),
    "fractions beside floats": (lambda: mc.determinant([[Fraction(1, 3), 0.5], [1, 1]]), "Fraction"),
    "an int that no float holds beside floats": (lambda: mc.permanent([[2**60 + 1, 0.5], [1, 1]]), "Fractions"),
    "the same of edges": (lambda: mc.hafnian([(0, 1, 2**60 + 1), (2, 3, 0.5)]), "Fractions"),
    "a permanent that is not square": (lambda: mc.permanent(np.ones((2, 3))), "saturating"),
    "a sparse one": (lambda: mc.permanent(pytest.importorskip("scipy.sparse").csr_array(np.ones((2, 3)))), "saturating"),
    "a sparse vector": (lambda: mc.permanent(pytest.importorskip("scipy.sparse").coo_array(np.ones(3))), "two"),
    "rows of what is not square": (lambda: mc.hafnian(np.ones((2, 3)), rows=[0, 1]), "square"),
    "rows of a batch": (lambda: mc.hafnian(np.ones((2, 4, 4)), rows=[0, 1]), "square"),
    "ends of edges as an array": (lambda: mc.count_perfect_matchings(np.array([[0, 1], [2, 3], [4, 5]])), "kind='bipartite'.*edges"),
    "a matrix or edges as lists": (lambda: mc.count_perfect_matchings([[1, 2, 3], [3, 4, 1]]), "matrix.*edges"),
    "edges or rows of a symmetric matrix": (lambda: mc.hafnian(((0, 1), (1, 2))), "matrix.*edges"),
    "edges as a frame": (lambda: mc.count_perfect_matchings(frame({"source": ["a"], "target": ["x"]})), "columns=.'source', 'target'"),
    "a dict of weights": (lambda: mc.hafnian({(0, 1): 3, (2, 3): 4}), r"\(u, v, weight\)"),
    "a dict of neighbours": (lambda: mc.count_perfect_matchings({"a": [1, 2], "b": [1, 2]}), "edges"),
    "a name that is no key": (lambda: mc.count_perfect_matchings([(["a"], 1)]), "keys"),
    "a name that is not itself": (lambda: mc.count_perfect_matchings([(float("nan"), 1)]), "equal"),
    "a loop of a matching": (lambda: mc.count_perfect_matchings([(0, 0), (0, 1)], kind="undirected"), "loop=True"),
    "weights under another name": (lambda: mc.hafnian(networkx_graph(("a", "b", {"cost": 7}))), "weight='cost'.*weight=None"),
    "a name of weights that is not there": (
        lambda: mc.hafnian(networkx_graph(("a", "b", {"cost": 7})), weight="price"), "'cost'"),
    "weights of some edges": (
        lambda: mc.hafnian(networkx_graph(("a", "b", {"weight": 7}), ("c", "d", {}))), "each edge"),
    "a frame that is no adjacency matrix": (
        lambda: mc.count_perfect_matchings(frame(np.eye(2)[::-1], index=["a", "b"], columns=["a", "c"]), kind="undirected"), "same names"),
    "a frame with a name twice": (lambda: mc.count_perfect_matchings(frame(np.eye(2), index=["a", "a"])), "differ"),
    "duplicates of an array": (lambda: mc.count_perfect_matchings(np.eye(2), duplicates="many"), "'sum'"),
    "threads": (lambda: mc.permanent(np.eye(2), threads="two"), "whole number"),
    "many threads": (lambda: mc.permanent(np.eye(2), threads=10**12), "whole number"),
    "a seed": (lambda: mc.estimate(np.eye(2), seed=-1), "from 0"),
    "a seed of two words": (lambda: mc.estimate(np.eye(2), seed=2**64), "from 0"),
    "a time limit": (lambda: mc.permanent(np.eye(2), time_limit="a"), "number"),
    "a memory limit": (lambda: mc.count_perfect_matchings(np.eye(2), memory_limit="2G"), "number"),
    "a device": (lambda: mc.permanent(np.eye(2), device=3), "string"),
    "a truth": (lambda: mc.permanent(np.eye(2), verify="yes"), "verify='yes'.*True or False"),
    "a word for a truth": (lambda: mc.count_matchings(np.eye(2), weighted="False"), "weighted='False'"),
    "a number for a truth": (lambda: mc.permanent(np.eye(2), full_output=0), "full_output=0"),
    "a loop that is no truth": (lambda: mc.hafnian(np.eye(2), loop="no"), "loop='no'"),
    "text of a matrix": (lambda: mc.permanent("1 2\n3 4"), "matchcount.read"),
    "the name of a file": (lambda: mc.count_perfect_matchings("graph.txt"), "matchcount.read"),
    "a path": (lambda: mc.determinant(pathlib.Path("graph.txt")), "matchcount.read"),
    "bytes of a matrix": (lambda: mc.gradients.permanent(b"1 2"), "matchcount.read"),
    "a name of an array's weights": (lambda: mc.hafnian(np.ones((2, 2)), weight="cost"), "weight='cost'"),
    "a name of a list's weights": (lambda: mc.hafnian([[0, 1], [1, 0]], weight="cost"), "weight='cost'"),
    "a name of tuples' weights": (lambda: mc.hafnian([(0, 1, 2)], weight="cost"), "weight='cost'"),
    "a name of a Graph's weights": (lambda: mc.hafnian(mc.generate("king", 2, 2), weight="cost"), "weight='cost'"),
    "masked indices": (lambda: mc.permanent(np.eye(2), rows=np.ma.array([0, 1], mask=[0, 1]), cols=[0, 1]), "rows with masked"),
    "masked patterns": (lambda: mc.permanents(np.eye(2), rows=[[0]], cols=np.ma.array([[0]], mask=True)), "cols with masked"),
    "masked entries of a graph": (lambda: mc.count_perfect_matchings(np.ma.array(np.eye(2), mask=np.eye(2))), "no_edge='masked'"),
    "an interval of nothing": (lambda: mc.permanent(np.eye(2), checkpoint_interval=5), "checkpoint="),
    "a checkpoint": (lambda: mc.permanent(np.eye(2), checkpoint=5), "checkpoint=5"),
    "threads of no matrix": (lambda: mc.permanent(np.zeros((0, 3, 3)), threads=-1), "threads=-1"),
    "a method of no matrix": (lambda: mc.hafnian(np.zeros((0, 2, 2)), method="magic"), "magic"),
    "a method of no determinant": (lambda: mc.determinant(np.zeros((0, 2, 2)), method="ryser"), "elimination"),
    "a limit of no torontonian": (lambda: mc.torontonian(np.zeros((0, 2, 2)), time_limit=-1), "time limit"),
    "a frame in another order": (lambda: mc.determinant(frame(np.eye(2), ["a", "b"], ["b", "a"])), "to_numpy"),
    "columns of an array": (lambda: mc.count_perfect_matchings(np.eye(2), columns=("u", "v")), "columns="),
    "columns that are not there": (lambda: mc.hafnian(frame({"u": [0], "v": [1]}), columns=("u", "w")), "columns=.*u, v"),
    "missing names": (lambda: mc.count_perfect_matchings(frame({"u": ["a", None], "v": [1, 2]}), columns=("u", "v")), "missing"),
    "weights of a frame under another name": (
        lambda: mc.hafnian(frame({"u": [0], "v": [1], "cost": [2]}), columns=("u", "v")), "weight='cost'"),
    "no_edge of edges": (lambda: mc.count_perfect_matchings([("a", 1)], no_edge=0), "no_edge=0"),
    "no_edge of a word": (lambda: mc.count_perfect_matchings(np.eye(2), no_edge="none"), "no_edge='none'"),
    "an activity": (lambda: mc.count_matchings(np.eye(2), activity="2"), "activity='2'"),
    "conditions": (lambda: mc.count_matchings(np.eye(2), given=5), "given=5"),
    "both ways of weights": (lambda: mc.marginals(np.eye(2), weighted=True, weight=None), "weight=None"),
    "an effort": (lambda: mc.count_perfect_matchings(np.eye(2), effort=-1), "from 0"),
    "an effort that is no number": (lambda: mc.count_perfect_matchings(np.eye(2), effort=float("nan")), "from 0"),
    "progress": (lambda: mc.count_perfect_matchings(np.eye(2), progress=5), "callable"),
    "a size between": (lambda: mc.count_matchings(np.eye(2), 1.5), "whole number"),
    "a size that is no number": (lambda: mc.count_matchings(np.eye(2), None), "whole number"),
    "a truth as a size": (lambda: mc.count_matchings(np.eye(2), True), "whole number"),
    "sizes as a size": (lambda: mc.count_matchings(np.eye(2), "by-size"), "matchings_by_size"),
    "an activity of one size": (lambda: mc.count_matchings(np.eye(2), 1, activity=2), "'all'"),
    "an activity of perfect matchings": (lambda: mc.count_matchings(np.eye(2), "perfect", activity=2), "'all'"),
    "an optimum as a size": (lambda: mc.count_matchings(np.eye(2), "lightest"), "count_optimal_matchings"),
    "another optimum": (lambda: mc.count_optimal_matchings(np.eye(2), "best"), "'heaviest'"),
    "a number of samples": (lambda: mc.sample_matchings(np.eye(2), -1), "from 0"),
    "a first sample": (lambda: mc.sample_matchings(np.eye(2), first=1.5), "from 0"),
    "exact estimates": (lambda: mc.marginals(np.eye(2), exact=True, estimate=True), "one of them"),
    "a file": (lambda: mc.read(None), "path"),
    "a header": (lambda: mc.read(__file__, header="yes"), "True or False"),
    "a delimiter": (lambda: mc.read(__file__, delimiter="ab"), "marks such as"),
    "a size of a family": (lambda: mc.generate("grid", "a", 2), "whole number"),
    "a negative one": (lambda: mc.generate("grid", -1, 2), "whole number"),
    "a seed of a family": (lambda: mc.generate("random", 3, 3, 0.5, seed=-1), "whole number"),
    "a density": (lambda: mc.generate("random", 3, 3, "a"), "density"),
    "weights of a family": (lambda: mc.generate("grid", 3, 3, weights=(5,)), "low, high"),
    "resuming from nothing": (lambda: mc.count_perfect_matchings(np.eye(2), resume=True), "checkpoint="),
    "a parity of fractions": (lambda: mc.parity(np.array([[Fraction(1, 2)]], dtype=object)), "integers"),
    "a source that is no vertex": (lambda: mc.reachable_from([("a", "b")], "c"), "a vertex"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_input_that_is_wrong_or_in_doubt_is_refused(case):
    call, expected = REFUSED[case]
    with pytest.raises(mc.InputError, match=f"(?s){expected}"):
        call()


@pytest.mark.parametrize("call", [
    lambda: mc.list_matchings(np.eye(2), device="cpu"), lambda: mc.decompose(np.eye(2), seed=1),
    lambda: mc.marginals(np.eye(2), device="cpu"), lambda: mc.marginals(np.eye(2), estimate=True, population=9),
    lambda: mc.sample_matchings(np.eye(2), exact=True), lambda: mc.parity(np.eye(2), seed=1),
    lambda: mc.matching_polynomial(np.eye(2), full_output=True), lambda: mc.determinant(np.eye(2), verify=True),
])
def test_options_that_would_do_nothing_are_type_errors(call):
    with pytest.raises(TypeError, match="unexpected keyword"):
        call()


def test_arrays_of_other_packages_that_numpy_cannot_take_are_refused_with_the_reason():
    class OnGpu:
        def __dlpack__(self, **options):
            raise BufferError("it is on a GPU")

        def __dlpack_device__(self):
            return 2, 0

    class NeedsGradient:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("call detach() first")

    for given, reason in ((OnGpu(), "GPU|device"), (NeedsGradient(), "detach")):
        for call in (mc.permanent, mc.hafnian, mc.determinant, mc.count_perfect_matchings):
            with pytest.raises(mc.InputError, match=f"(?i){reason}"):
                call(given)


def test_flags_are_truths_of_python_or_numpy():
    for wrong in ("False", 0, 1, 1.0, [], np.array(True)):
        for call in (lambda: mc.count_perfect_matchings(np.eye(2), verify=wrong), lambda: mc.marginals(np.eye(2), exact=wrong),
                     lambda: mc.hafnian(np.eye(2), wrong), lambda: mc.permanent(np.eye(2), full_output=wrong)):
            with pytest.raises(TypeError, match="verify=|exact=|loop=|full_output="):
                call()
    assert mc.count_matchings(np.array([[2]]), "perfect", weighted=np.True_) == 2 == mc.hafnian(np.eye(2), np.False_) + 2
    assert mc.count_perfect_matchings(np.eye(2), verify=np.True_, full_output=np.True_).checks


def test_edges_may_be_any_iterable_of_pairs():
    pairs = [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    for given in (tuple(pairs), set(pairs), iter(pairs), (pair for pair in pairs), [list(pair) for pair in pairs]):
        assert mc.count_perfect_matchings(given) == 2
    assert mc.count_perfect_matchings([]) == mc.hafnian([]) == 1
    assert mc.hafnian([(0, 1, Fraction(4, 2)), (2, 3, Fraction(3))]) == 6
    assert mc.hafnian(((0, 1), (2, 3))) == 1


def test_empty_matrices_and_single_entries():
    for dtype in (int, float, complex, object, np.int8):
        empty, one = np.zeros((0, 0), dtype), np.full((1, 1), 3, dtype)
        assert mc.permanent(empty) == mc.determinant(empty) == mc.hafnian(empty) == mc.hafnian(empty, loop=True) == 1
        assert mc.permanent(one) == mc.determinant(one) == mc.hafnian(one, loop=True) == 3
        assert mc.hafnian(one) == 0 and mc.permanent(empty, rows=[], cols=[]) == 1
    assert mc.count_perfect_matchings(np.zeros((1, 1))) == 0 and mc.count_matchings(np.zeros((0, 5))) == 1


def test_integers_of_nested_lists_stay_exact_in_batches():
    assert mc.permanent([[[2**63, 1], [1, -1]]]) == [1 - 2**63]
    assert mc.permanent([[[Fraction(1, 3), 1], [1, 1]]]) == [Fraction(4, 3)]


def test_loops_of_graphs_are_weights_of_vertices_that_stay_single():
    networkx = pytest.importorskip("networkx")
    rng = random.Random(6)
    for law in (lambda: rng.randrange(1, 9), lambda: Fraction(rng.randrange(1, 9), 7), lambda: float(rng.randrange(1, 9))):
        for n in range(1, 6):
            matrix = [[0] * n for _ in range(n)]
            graph = networkx.Graph()
            graph.add_nodes_from(range(n))
            for u in range(n):
                for v in range(u + 1):
                    if rng.random() < 0.7:
                        matrix[u][v] = matrix[v][u] = law()
                        graph.add_edge(u, v, weight=matrix[u][v])
            assert mc.hafnian(graph, loop=True) == oracles.hafnian(matrix, loop=True)
    assert mc.hafnian([(0, 0), (0, 1), (1, 1)], loop=True) == 2
    assert mc.hafnian([(0, 0, 3), (0, 0, 4)], loop=True, duplicates="sum") == 7
    assert mc.hafnian([(0, 0, 3), (0, 0, 4)], loop=True, duplicates="one") == 3
    with pytest.raises(mc.InputError, match="twice"):
        mc.hafnian([(0, 0, 3), (0, 0, 4)], loop=True)
    assert mc.hafnian([(0, 0, 2**62 - 1)] * 5, loop=True, duplicates="sum") == 5 * (2**62 - 1)


def test_loops_of_files_are_refused_by_what_does_not_count_them(tmp_path):
    file = tmp_path / "loops.txt"
    file.write_text("a a 3\na b 2\nb b 5\n")
    graph = mc.read(file, loops=True)
    assert mc.hafnian(graph, loop=True) == 2 + 3 * 5 and mc.plan(graph, "hafnian").seconds >= 0
    for ask in (mc.hafnian, mc.count_perfect_matchings, mc.count_matchings, mc.matchings_by_size, mc.count_optimal_matchings,
                mc.matching_polynomial, mc.list_matchings, mc.decompose, mc.marginals, mc.sample_matchings,
                lambda g: mc.estimate(g, "hafnian"), lambda g: mc.parity(g, "hafnian"), lambda g: mc.plan(g, "matchings")):
        with pytest.raises(mc.InputError, match="loop=True"):
            ask(graph)


def test_names_of_frames_come_back():
    table = frame([[1, 1], [0, 1]], index=["Ann", "Bob"], columns=["paint", "drill"])
    assert list(mc.list_matchings(table)) == [[("Ann", "paint"), ("Bob", "drill")]]
    networkx = pytest.importorskip("networkx")
    graph = networkx.relabel_nodes(networkx.cycle_graph(4), dict(enumerate("abcd")))
    adjacency = networkx.to_pandas_adjacency(graph)
    assert ("a", "b") in mc.marginals(adjacency, kind="undirected")
    assert mc.permanent(table) == 1 and next(mc.list_matchings(frame(np.eye(2)))) == [(0, 0), (1, 1)]


def test_stored_zeros_and_duplicates_of_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    twice = sparse.coo_array(([1, 2, 3], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    assert mc.permanent(twice) == 9 and mc.count_perfect_matchings(twice) == 1
    stored = sparse.csr_array(([1, 0, 3], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    assert stored.nnz == 3 and mc.matchings_by_size(stored) == [1, 2, 1]
    cancelled = sparse.coo_array(([1, -1, 3], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    assert mc.permanent(cancelled) == mc.count_perfect_matchings(cancelled) == 0


def test_gml_of_networkx_is_read_alike_by_both(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = networkx.relabel_nodes(networkx.petersen_graph(), {v: f"vertex {v}" for v in range(10)})
    networkx.write_gml(graph, tmp_path / "petersen.gml")
    ours, theirs = mc.read(tmp_path / "petersen.gml"), networkx.read_gml(tmp_path / "petersen.gml")
    assert mc.count_perfect_matchings(ours) == mc.count_perfect_matchings(theirs) == 6
    assert set(ours.row_labels) == set(theirs.nodes)


def test_frames_are_edges_by_columns_and_matrices_by_names():
    edges = frame({"user": ["a", "a", "b", "b"], "item": [1, 2, 1, 2], "stars": [2, 3, 5, 7], "note": list("wxyz")})
    ends = {"columns": ("user", "item")}
    assert mc.count_perfect_matchings(edges, **ends) == 2 and mc.marginals(edges, weight="stars", **ends).total == 2 * 7 + 3 * 5
    assert ("a", 2) in mc.marginals(edges, weighted=False, weight=None, **ends)
    polars = pytest.importorskip("polars").DataFrame(edges.to_dict("list"))
    assert mc.count_matchings(polars, "perfect", weighted=True, weight="stars", **ends) == 29
    matrix = np.array([[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0]])
    named = frame(matrix, list("abcd"), list("abcd"))
    turned = named[list("acdb")]
    for of in (mc.hafnian, lambda m: mc.hafnian(m, full_output=True).value, lambda m: mc.hafnian(m * 1.0, rtol=0.0),
               lambda m: mc.gradients.hafnian(m * 1.0)[0], lambda m: mc.count_matchings(m, "perfect", weighted=True, kind="undirected")):
        assert of(turned) == of(named) == 28
    assert mc.permanent(turned) == mc.permanent(matrix) and mc.count_cycle_covers(turned) == mc.count_cycle_covers(matrix)
    with pytest.raises(mc.InputError, match="same names"):
        mc.hafnian(frame(matrix, list("abcd"), list("abce")))


def test_entries_that_are_no_edges_are_named():
    costs = np.array([[0, 2, np.inf], [1, np.inf, 4], [2, 2, 2]])
    assert mc.count_optimal_matchings(costs, no_edge=np.inf, keep_zeros=True) == (5, 1)
    assert mc.count_perfect_matchings(costs, no_edge=np.inf) == mc.count_perfect_matchings(
        np.where(costs == np.inf, np.nan, costs), no_edge=np.nan) == mc.count_perfect_matchings(
            np.ma.masked_invalid(costs), no_edge="masked") == 2
    assert mc.count_perfect_matchings(np.array([[2, 2], [1, 3]]), no_edge=2) == 0
    for how in ({}, {"no_edge": np.inf}):
        with pytest.raises(mc.InputError, match="keep_zeros|finite|zeros"):
            mc.count_optimal_matchings(costs, **how)
    ones = np.ma.array(np.ones((4, 4)), mask=np.eye(4))
    assert mc.count_perfect_matchings(ones, kind="undirected", no_edge="masked") == mc.hafnian(ones, no_edge="masked") == 3


def test_weights_that_are_not_looked_at_count_one(tmp_path):
    file = tmp_path / "square.txt"
    file.write_text("a b 2\nb c 3\nc d 2\nd a 3\n")
    graph = mc.read(file, kind="undirected")
    matrix = mc.to_scipy(graph)
    loops = np.array([[2, 3], [3, 5]])
    for given in (graph, matrix, matrix.toarray(), matrix.toarray().tolist(), mc.to_networkx(graph), graph.edges()):
        assert mc.hafnian(given, weight=None) == 2 and type(mc.hafnian(given, weight=None)) is int
        if not isinstance(given, list):
            assert mc.count_matchings(given, weighted=True, weight=None, kind="undirected") == 7
            assert mc.marginals(given, weight=None, kind="undirected").total == 2
            assert mc.marginals(given, weight="weight", kind="undirected").total == 13
            assert mc.plan(given, weight=None, kind="undirected").blocks is not None
    assert mc.hafnian(loops, True, weight=None) == 2 and mc.hafnian(loops, True) == 13 and mc.hafnian(loops, weight=None) == 1
    assert mc.hafnian(np.stack([loops, loops]), weight=None) == [1, 1] and mc.hafnian(loops, rows=[0, 0, 1, 1], weight=None) == 3
    (tmp_path / "loops.txt").write_text("a a 3\na b 2\nb b 5\n")
    assert mc.hafnian(mc.read(tmp_path / "loops.txt", loops=True), loop=True, weight=None) == 2


MOL = """{}
  by hand

  2  1  0  0  0  0            999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.3000    0.0000    0.0000 C   0  0
  1  {}  {}  0
M  END
"""


def test_a_bad_graph_among_others_is_given_as_an_error_in_its_place(tmp_path):
    file = tmp_path / "molecules.sdf"
    file.write_text("".join(MOL.format(*record) + "$$$$\n" for record in (("ethene", 2, 2), ("broken", 9, 2), ("ethane", 2, 1))))
    first, bad, last = mc.read_all(file, skeleton=True)
    assert (first.title, last.title) == ("ethene", "ethane") and mc.count_perfect_matchings(last) == 1
    assert isinstance(bad, mc.InputError) and (bad.position, bad.title) == (2, "broken") and bad.line > 0 and "atom 9" in str(bad)
    assert isinstance(list(mc.read_all(file))[2], mc.InputError) and pickle.loads(pickle.dumps(first)).title == "ethene"
    (tmp_path / "one.mol").write_text(MOL.format("ethane", 2, 1))
    with pytest.raises(mc.InputError, match="skeleton=True"):
        mc.read(tmp_path / "one.mol")
    with pytest.raises(mc.InputError):
        list(mc.read_all(tmp_path / "nothing.sdf"))


def test_messages_name_keywords_and_no_option_of_the_command_line(tmp_path):
    file = tmp_path / "file.txt"
    for text, words in (("a b\nb c\n", "kind='undirected'.*kind='bipartite'"), ("1 2 3\n4 5 6\n7 8 9\n", "format='dense'"),
                        ("Ann paint\nBob drill\n", "header=True.*header=False")):
        file.write_text(text)
        with pytest.raises(mc.InputError, match=words) as error:
            mc.read(file)
        assert "--" not in f"{error.value}{error.value.expected}{error.value.found}"
    spelled = mc._errors.spelled
    assert spelled("--weight-key '' or --loops drop") == "weight_key='' or loops='drop'"
    assert spelled("no --kind, --columns 1,3; --member with") == "no kind=, columns='1,3'; member= with"
    assert spelled("--base 0, --no-edge for --delimiter tab") == r"base=0, no_edge= for delimiter='\t'"
    chem = pytest.importorskip("rdkit.Chem")
    with pytest.raises(mc.InputError, match=r"read\(..., skeleton=True\)") as error:
        mc.count_perfect_matchings(chem.MolFromSmiles("CC"))
    assert "/" not in str(error.value)


@pytest.mark.parametrize("name, value", [
    ("delimiter", ","), ("header", True), ("columns", "1,2"), ("base", 0), ("no_edge", "inf"), ("weight_key", "cost"), ("skeleton", True)])
def test_options_that_a_format_lacks_are_refused_by_the_name_of_their_keyword(tmp_path, name, value):
    file = tmp_path / "square.graph"
    file.write_text("4 4\n2 4\n1 3\n2 4\n1 3\n")
    assert mc.count_perfect_matchings(mc.read(file)) == 2
    with pytest.raises(mc.InputError, match=f"{name}=.* for the format metis"):
        mc.read(file, **{name: value})


def test_a_first_line_of_two_words_may_be_a_header(tmp_path):
    file = tmp_path / "tasks.txt"
    file.write_text("worker task\nAnn paint\nBob drill\n")
    for read in (mc.read, lambda file: list(mc.read_all(file))):
        with pytest.raises(mc.InputError, match="header=True.*header=False"):
            read(file)
    assert (mc.read(file, header=True).num_edges, mc.read(file, header=False).num_edges) == (2, 3)


def test_loops_of_files_are_kept_left_out_or_refused(tmp_path):
    file = tmp_path / "loops.txt"
    file.write_text("a a 3\na b 2\nb b 5\n")
    for keep in (True, np.True_, "keep"):
        assert mc.hafnian(mc.read(file, loops=keep), loop=True) == 2 + 3 * 5
    assert mc.hafnian(mc.read(file, kind="undirected", loops="drop")) == 2
    for refuse in (False, "refuse", None):
        with pytest.raises(mc.InputError, match="loops='drop'.*loops=True"):
            mc.read(file, kind="undirected", loops=refuse)
    for wrong in ("maybe", 1, "True"):
        with pytest.raises(mc.InputError, match=f"loops={wrong!r}.*'drop'"):
            mc.read(file, loops=wrong)
    for word in ("keep", "drop"):
        with pytest.raises(mc.InputError, match="kind='undirected'"):
            mc.read(file, kind="bipartite", loops=word)


def test_notes_say_how_a_file_was_read(tmp_path):
    file = tmp_path / "zeros.txt"
    file.write_text("a x 0\na y 2\nb x 3\n")
    (note,) = mc.read(file).notes
    assert "1 edge of weight 0 left out; keep_zeros=True keeps" in note
    assert [graph.notes for graph in mc.read_all(file, keep_zeros=True)] == [[]]
    assert mc.read(file) == pickle.loads(pickle.dumps(mc.read(file))) and mc.generate("grid", 2, 2).notes == []


def test_indices_from_0_and_entries_that_are_no_edges(tmp_path):
    triples, costs = tmp_path / "triples.txt", tmp_path / "costs.txt"
    triples.write_text("0 0 2\n0 1 3\n1 0 5\n1 1 7\n")
    assert mc.permanent(mc.read(triples, kind="matrix", base=0)) == 2 * 7 + 3 * 5
    with pytest.raises(mc.InputError, match="base=0"):
        mc.read(triples, kind="matrix", format="edgelist")
    for wrong in (2, -1, True, "1"):
        with pytest.raises(mc.InputError, match=f"base={wrong!r}"):
            mc.read(triples, kind="matrix", base=wrong)
    costs.write_text("4 inf\n1/2 3\n")
    matrix = {"kind": "matrix", "format": "dense"}
    for infinite in ("inf", math.inf, np.inf):
        assert mc.permanent(mc.read(costs, no_edge=infinite, **matrix)) == 12
    costs.write_text("4 9\n0.5 3\n")
    for half in (0.5, "1/2", Fraction(1, 2), np.float32(0.5)):
        assert mc.permanent(mc.read(costs, no_edge=half, **matrix)) == 12
    np.save(tmp_path / "costs.npy", [[4, np.inf], [0.5, 3]])
    assert mc.permanent(mc.read(tmp_path / "costs.npy", kind="matrix", no_edge="inf")) == 12
    for wrong in ("masked", True, 1j, ""):
        with pytest.raises(mc.InputError, match="no_edge="):
            mc.read(costs, no_edge=wrong, **matrix)


def test_files_of_several_graphs_are_read_one_by_one(tmp_path):
    networkx = pytest.importorskip("networkx")
    file = tmp_path / "cycles.g6"
    file.write_bytes(b"".join(networkx.to_graph6_bytes(networkx.cycle_graph(n), header=False) for n in (4, 5, 6)))
    assert [mc.count_perfect_matchings(graph) for graph in mc.read_all(file)] == [2, 0, 2]
    with pytest.raises(mc.InputError):
        mc.read(file)
    assert mc.count_perfect_matchings(next(mc.read_all(str(file).encode()))) == 2


def test_graphs_are_pickled_to_the_last_bit(tmp_path):
    networkx = pytest.importorskip("networkx")
    file = tmp_path / "decimals.txt"
    file.write_text("a b 0.1\nb c 0.2\nc a 0.3\nc d 0.7\n")
    fractions = networkx.Graph()
    fractions.add_weighted_edges_from([("a", "b", Fraction(1, 3)), ("b", "c", 10**40), ("c", "d", 2)])
    for graph, value in (
            (mc.read(file, kind="undirected"), lambda g: mc.hafnian(g, full_output=True, precision="double-double").text),
            (mc.generate("grid", 4, 4, weights="complex"), lambda g: mc.permanent(g)),
            (mc.generate("king", 4, 4), mc.count_perfect_matchings)):
        again = pickle.loads(pickle.dumps(graph))
        assert again == graph and again.weights() == graph.weights()
        assert value(again) == value(graph) and repr(again) == repr(graph)
    assert mc.hafnian(fractions) == Fraction(2, 3)


def test_pickles_that_were_cut_are_refused():
    for answer in (mc.generate("grid", 4, 4, weights=(1, 9)), mc.count_perfect_matchings([(0, 0)], kind="bipartite", full_output=True)):
        numbers, objects = answer.__getstate__()
        for size in range(len(numbers)):
            with pytest.raises((mc.InputError, IndexError)):
                type(answer).__new__(type(answer)).__setstate__((numbers[:size], objects))
