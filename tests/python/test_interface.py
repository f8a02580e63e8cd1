"""The package's interface: every function, every kind of input, and what is refused."""

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import matchcount as mc


def error_of_permanent(value, matrix):
    """Returns |value - permanent| of floats or complex numbers, without a rounding but the last."""
    re = im = Fraction(0)
    for permutation in itertools.permutations(range(len(matrix))):
        a, b = Fraction(1), Fraction(0)
        for row, column in enumerate(permutation):
            x, y = Fraction(float(matrix[row, column].real)), Fraction(float(matrix[row, column].imag))
            a, b = a * x - b * y, a * y + b * x
        re, im = re + a, im + b
    return math.hypot(Fraction(complex(value).real) - re, Fraction(complex(value).imag) - im)


def random_matrix(n, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype is complex:
        return rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))
    if dtype is object:
        return np.array([[Fraction(int(a), 7) for a in row] for row in rng.integers(-9, 9, (n, n))], dtype=object)
    return rng.normal(size=(n, n)) if dtype is float else rng.integers(0, 2 if dtype is bool else 9, (n, n)).astype(dtype)


SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0)]


def undirected_square():
    return np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])


# ---- Inputs.


def test_batches_are_lists_of_what_single_ones_are():
    for dtype in (int, float, complex, object):
        stack = np.stack([random_matrix(5, dtype, seed) for seed in range(7)])
        symmetric = stack + stack.transpose(0, 2, 1)
        symmetric = symmetric[:, :4, :4]
        singly = [mc.permanent(one) for one in stack]
        if dtype in (float, complex):  # summed side by side, in another order
            for found, one, matrix in zip(mc.permanent(stack), singly, stack):
                assert all(error_of_permanent(value, matrix) <= value.error <= 1e-9 for value in (found, one))
        else:
            assert mc.permanent(stack) == singly
        assert mc.hafnian(symmetric) == [mc.hafnian(one) for one in symmetric]
        assert mc.hafnian(symmetric, loop=True) == [mc.hafnian(one, loop=True) for one in symmetric]
        assert [float(abs(a - b)) for a, b in zip(mc.determinant(stack), [mc.determinant(one) for one in stack])] == [0] * 7
        assert mc.permanent(stack, method="ryser") == [mc.permanent(one, method="ryser") for one in stack]
        assert mc.hafnian(symmetric, verify=True) == [mc.hafnian(one, verify=True) for one in symmetric]
    assert mc.permanent(np.zeros((3, 0, 0))) == [1, 1, 1]
    with pytest.raises(mc.InputError):
        mc.permanent(np.zeros((3, 2, 4)))


def test_objects_that_give_an_array_are_taken():
    class Holder:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            return self.array if dtype is None else self.array.astype(dtype)

    matrix = random_matrix(5, float)
    assert mc.permanent(Holder(matrix)) == mc.permanent(matrix)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("n", [0, 1, 2, 4, 6])
def test_hafnians_of_what_is_nearly_symmetric(n, dtype):
    matrix = random_matrix(n, dtype)
    near = matrix + matrix.T
    noise = 1e-9 * random_matrix(n, dtype, seed=1)
    for loop in (False, True):
        for given in (near + noise, near):
            value = mc.hafnian(given, loop, rtol=1e-7, atol=1e-8)
            # Either triangle is a matrix between the two.
            for triangle in (np.tril(given), np.triu(given)):
                inside = triangle + triangle.T - np.diag(np.diag(given))
                truth = mc.hafnian(inside, loop)
                assert abs(value - truth) <= value.error + truth.error
            assert value.error <= 1e-6
    if n > 1:
        with pytest.raises(mc.InputError, match=r"that differ by .*e-.*\(A \+ A.T\) / 2"):
            mc.hafnian(near + noise)
        with pytest.raises(mc.InputError, match=r"that differ by .*e-.*\(A \+ A.T\) / 2"):
            mc.hafnian(near + noise, rtol=1e-12)
        with pytest.raises(mc.InputError, match=r"not symmetric, by .*e-.*\(A \+ A.T\) / 2"):
            mc.hafnian(near + noise, full_output=True)
        assert mc.hafnian(np.array([near, near + noise]), atol=1e-8)[1] == mc.hafnian(near + noise, atol=1e-8)
        assert mc.hafnian(near + noise, rows=[0, 0, 1, 1], atol=1e-8).error < 1e-6
    for wrong in ({"rtol": -1}, {"atol": float("nan")}):
        with pytest.raises(mc.InputError):
            mc.hafnian(near, **wrong)


def test_graphs_of_networkx_give_their_names_back():
    networkx = pytest.importorskip("networkx")
    graph = networkx.grid_2d_graph(2, 3)
    assert mc.count_perfect_matchings(graph) == 3
    shares = mc.marginals(graph)
    assert set(shares) == {tuple(sorted(edge)) for edge in graph.edges}
    for matching in mc.list_matchings(graph):
        assert networkx.is_perfect_matching(graph, set(matching))
    assert mc.count_perfect_matchings(networkx.petersen_graph()) == 6
    star = mc.count_perfect_matchings(networkx.star_graph(["hub", "a", "b", "c"]), full_output=True)
    assert star.value == 0 and star.certificate["neighbours"] == ["hub"]
    triangle = networkx.Graph([("a", "b"), ("b", "c"), ("c", "a")])
    assert mc.count_perfect_matchings(triangle, full_output=True).certificate == {
        "kind": "tutte_set", "removed": [], "odd_components": 1}
    weighted = networkx.Graph()
    weighted.add_weighted_edges_from([("a", "b", 2), ("b", "c", 3), ("c", "d", 5), ("d", "a", 7)])
    assert mc.hafnian(weighted) == 2 * 5 + 3 * 7
    assert mc.count_perfect_matchings(weighted) == 2
    assert mc.marginals(weighted, weight="weight")["a", "b"] == pytest.approx(10 / 31)
    assert mc.marginals(weighted, weighted=False)["a", "b"] == pytest.approx(1 / 2)
    digraph = networkx.DiGraph([("x", "y"), ("y", "x"), ("x", "x"), ("y", "y")])
    assert mc.count_cycle_covers(digraph) == 2
    with pytest.raises(mc.InputError, match="directed"):
        mc.count_perfect_matchings(digraph)
    with pytest.raises(mc.InputError, match="undirected"):
        mc.count_cycle_covers(graph)
    double = networkx.MultiGraph([(0, 1), (0, 1)])
    with pytest.raises(mc.InputError):
        mc.count_perfect_matchings(double)
    assert mc.count_perfect_matchings(double, duplicates="sum") == 2
    assert mc.count_perfect_matchings(double, duplicates="one") == 1


def test_graphs_of_rustworkx_and_igraph():
    rustworkx = pytest.importorskip("rustworkx")
    igraph = pytest.importorskip("igraph")
    graph = rustworkx.PyGraph()
    graph.add_nodes_from("abcd")
    graph.add_edges_from([(u, v, 1.5) for u, v in SQUARE])
    assert mc.count_perfect_matchings(graph) == 2
    assert mc.hafnian(graph) == 4.5
    assert ("a", "b") in mc.marginals(graph, weighted=False)
    named = igraph.Graph(edges=SQUARE)
    named.vs["name"] = list("abcd")
    assert mc.count_perfect_matchings(named) == 2
    assert ("a", "b") in mc.marginals(named)
    digraph = rustworkx.PyDiGraph()
    digraph.add_nodes_from(range(2))
    digraph.add_edges_from([(0, 1, None), (1, 0, None)])
    assert mc.count_cycle_covers(digraph) == 1
    assert mc.count_cycle_covers(igraph.Graph(edges=[(0, 1), (1, 0)], directed=True)) == 1


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="long doubles are doubles here")
@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble])
@pytest.mark.parametrize("n", [0, 1, 3, 18])
def test_long_doubles_are_not_rounded(dtype, n):
    x = np.ldexp(np.longdouble(1), -60)  # a bit of 1 + x that no double has
    tiny = np.array([[1 + x, 1], [-1, 1]], dtype)
    assert abs(mc.permanent(tiny) - float(x)) <= mc.permanent(tiny).error < 1e-25
    assert mc.permanent(np.array([tiny, tiny]))[1] == mc.permanent(tiny)
    block = np.block([[tiny, np.zeros((2, n))], [np.zeros((n, 2)), np.eye(n)]]).astype(dtype)
    block[2:, :2] = 1
    assert abs(mc.permanent(block) - float(x)) <= mc.permanent(block).error < 1e-25
    assert abs(mc.determinant(np.array([[1 + x, 1], [1, 1]], dtype)) - float(x)) < 1e-25
    pair = np.array([[0, 1 + x, 0, 1], [1 + x, 0, -1, 0], [0, -1, 0, 1], [1, 0, 1, 0]], dtype)
    assert abs(mc.hafnian(pair) - float(x)) <= mc.hafnian(pair).error < 1e-25


@pytest.mark.parametrize("bad", [
    lambda: mc.permanent(np.array([[np.nan]])),
    lambda: mc.permanent(np.array([["a"]])),
    lambda: mc.permanent(np.array([[1.5, None]], dtype=object)),
    lambda: mc.torontonian(np.zeros((2, 2), np.longdouble)),
    lambda: mc.permanent(np.full((2, 2), np.nan, np.longdouble)),
    lambda: mc.permanent(np.full((2, 2), np.inf, np.clongdouble)),
    lambda: mc.permanent(np.ones(3)),
    lambda: mc.permanent(np.ones((4, 4)), rows=[4], cols=[0]),
    lambda: mc.permanent(np.ones((4, 4)), rows=[-1], cols=[0]),
    lambda: mc.hafnian(np.array([[0.0, 1.0], [2.0, 0.0]])),
    lambda: mc.hafnian(np.ones((2, 3))),
    lambda: mc.determinant(np.ones((2, 3))),
    lambda: mc.count_perfect_matchings(5),
    lambda: mc.count_perfect_matchings([(1, 2, 3, 4)]),
    lambda: mc.count_perfect_matchings([(1, 1)], kind="undirected"),
    lambda: mc.count_perfect_matchings(np.eye(2), kind="round"),
    lambda: mc.count_perfect_matchings(np.eye(2), method="magic"),
    lambda: mc.count_perfect_matchings(np.eye(2), device="cuda:x"),
    lambda: mc.count_perfect_matchings(np.eye(2), time_limit=-1),
    lambda: mc.permanent(np.ones((2, 2)), threads=-1),
    lambda: mc.generate("grid", 3),
    lambda: mc.generate("cube", 3),
    lambda: mc.generate("random", 3, 3, 2.0),
    lambda: mc.read("/nonexistent"),
])
def test_bad_input_is_an_input_error_and_a_value_error(bad):
    with pytest.raises(mc.InputError) as error:
        bad()
    assert isinstance(error.value, ValueError) and isinstance(error.value, mc.MatchcountError)
    assert error.value.expected or error.value.file


# ---- Answers.


def test_counts_of_matchings():
    square, undirected = undirected_square(), {"kind": "undirected"}
    assert mc.count_matchings(square, **undirected) == 7
    assert [mc.count_matchings(square, size, **undirected) for size in range(4)] == [1, 4, 2, 0]
    assert mc.count_matchings(square, "maximum", **undirected) == mc.count_matchings(square, "perfect", **undirected) == 2
    assert mc.count_matchings(square, activity=2, **undirected) == 16 + 4 * 4 + 2
    assert mc.count_matchings(square, "maximal", **undirected) == 2
    assert mc.count_matchings([(0, 1), (1, 2)], "maximal", activity=3, **undirected) == 6
    assert mc.count_matchings(np.ones((2, 3), int), "saturating") == 6
    assert mc.matchings_by_size(square, **undirected) == [1, 4, 2]
    assert mc.matching_polynomial(square, **undirected) == [1, 0, -4, 0, 2]
    assert mc.count_matchings(np.array([[2, 0], [0, 3]]), weighted=True) == 12
    result = mc.matchings_by_size(square, full_output=True, **undirected)
    assert result.by_size == [1, 4, 2] and result.value == 7


def test_counts_by_label_and_by_weight():
    square, undirected = undirected_square(), {"kind": "undirected"}
    sides = {(u, v): abs(u - v) % 2 for u, v in itertools.combinations(range(4), 2)}
    assert mc.matchings_by_label(square, lambda u, v: "edge", **undirected) == [({"edge": 2}, 2)]
    by_size = mc.matchings_by_label(square, lambda u, v: "edge", "all", **undirected)
    assert [(numbers["edge"], count) for numbers, count in by_size] == [(0, 1), (1, 4), (2, 2)]
    complete = list(sides)
    assert mc.matchings_by_label(complete, sides, **undirected) == [({1: 0, 0: 2}, 1), ({1: 2, 0: 0}, 2)]
    assert mc.matchings_by_label(complete, {(v, u): way for (u, v), way in sides.items()}, **undirected) == [
        ({1: 0, 0: 2}, 1), ({1: 2, 0: 0}, 2)]
    grid = mc.generate("grid", 8, 8)
    assert sum(count for _, count in mc.matchings_by_label(grid, lambda u, v: u % 3)) == 12988816
    assert mc.matchings_by_label(np.array([[3, 1], [0, -4]]), size="all") == [(-4, 1), (-1, 1), (0, 1), (1, 1), (3, 1)]
    for refused in (lambda: mc.matchings_by_label(complete, {}, **undirected), lambda: mc.matchings_by_label([(0, "x", 0.5)]),
                    lambda: mc.matchings_by_label(complete, sides, "by-size", **undirected)):
        with pytest.raises(mc.InputError):
            refused()


def test_a_result_tells_how_it_was_found():
    result = mc.count_perfect_matchings(mc.generate("grid", 6, 6), verify=True, full_output=True, threads=1)
    assert result.value == 6728 and result.error == 0
    assert any(check["name"] == "verify" and check["passed"] for check in result.checks)
    assert result.seconds["total"] > 0 and result.certificate is None
    assert "6728" in repr(result) and "verified" in repr(result)
    check = result.checks[0]
    assert dict(check) == {"name": check.name, "passed": check["passed"], "detail": check.detail} and "colour" not in check.keys()
    with pytest.raises(KeyError):
        check["colour"]
    assert pickle.loads(pickle.dumps(result)) == result
    value = mc.permanent(random_matrix(4, float))
    again = pickle.loads(pickle.dumps(value))
    assert (again, again.error) == (value, value.error) and value.relative_error < 1e-10
    value = mc.permanent(random_matrix(4, complex))
    assert pickle.loads(pickle.dumps(value)) == value


def test_no_float_stands_for_what_is_beyond_floats():
    matrix = np.full((3, 3), 1e200)
    with pytest.raises(mc.Unable, match="e600"):
        mc.permanent(matrix)
    result = mc.permanent(matrix, full_output=True)
    assert result.log10 == pytest.approx(600.778151) and result.text.startswith("5.99")
    with pytest.raises(mc.Unable):
        _ = result.value
    assert mc.permanent(np.full((3, 3), 1e-200)).error > 0


def test_decompositions():
    found = mc.decompose(np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]]))
    assert found.is_perfect and sorted(found.useless_edges) == [(0, 1), (1, 2)] and len(found.blocks) == 3
    found = mc.decompose([("a", "x"), ("b", "x")])
    assert not found.is_perfect and found.row_parts == {"a": "vertical", "b": "vertical"}
    assert found.certificate["neighbours"] == ["x"]
    found = mc.decompose([(0, 1), (1, 2), (2, 0)], kind="undirected")
    assert found.parts == {0: "D", 1: "D", 2: "D"} and len(found.matching) == 1
    assert "maximum matching of 1" in repr(found)


@pytest.mark.parametrize("matchings", ["all", "maximum", "saturating", "lightest", "heaviest"])
def test_estimates_of_other_matchings_hold_their_counts(matchings):
    columns = 6 if matchings in ("lightest", "heaviest") else 8
    edges = [(f"r{i}", f"c{j}") for i in range(6) for j in range(columns) if (2 * i + j) % 4]
    if columns == 6:
        edges = [(u, v, 1 + i % 3) for i, (u, v) in enumerate(edges)]
        truth = mc.count_optimal_matchings(edges, matchings)[1]
    else:
        truth = mc.count_matchings(edges, matchings)
    guess = mc.estimate(edges, matchings=matchings, exact_rows=0, samples=4000, confidence=0.99999)
    assert guess.low * (1 - 1e-9) <= truth <= guess.high * (1 + 1e-9)


def test_estimates_by_size_hold_their_counts_with_any_number_of_threads():
    graph = mc.generate("grid", 4, 6)
    how = {"matchings": "by-size", "samples": 100, "confidence": 0.99999, "seed": 3}
    found = mc.estimate(graph, threads=1, **how)
    truth = mc.matchings_by_size(graph)
    assert len(found) == len(truth) and found[1].exact and found[1].value == 38 and found[2].samples == 100
    for size, (guess, count) in enumerate(zip(found, truth)):
        assert guess.low <= count <= guess.high and guess.exact == (size < 2)
        assert abs(guess.log10 - math.log10(guess.value)) < 1e-12 and not guess.unknown
    assert found == mc.estimate(graph, threads=2, **how) == pickle.loads(pickle.dumps(found))
    assert repr(found[1]) == "SizeEstimate(38, [38, 38])"
    weighted = mc.estimate(np.array([[3, 2]]), "permanent", matchings="by-size")
    assert [float(guess) for guess in weighted] == [1, 5]
    for refused in ({"verify": True}, {"method": "guided"}, {"confidence": 2}, {"activity": 2}):
        with pytest.raises(mc.InputError):
            mc.estimate(graph, matchings="by-size", **refused)


def test_estimates_hold_the_truth_and_plans_say_what_counts_cost():
    graph = mc.generate("grid", 8, 8)
    guess = mc.estimate(graph, relative_error=0.05, seed=2, confidence=0.9999)
    assert guess.low <= 12988816 <= guess.high and 0 < guess.relative_error <= 0.06 and float(guess) == guess.value
    assert guess == mc.estimate(graph, relative_error=0.05, seed=2, confidence=0.9999, threads=1) or guess.seconds
    assert mc.estimate(np.eye(3)).exact
    assert mc.estimate(np.zeros((2, 2))).value == 0
    verified = mc.estimate(graph, relative_error=0.1, seed=3, confidence=0.9999, verify=True)
    assert [check.name for check in verified.checks] == ["verify"] and verified.checks[0].passed
    assert "verified=" in repr(verified) and verified.low <= 12988816 <= verified.high and not guess.checks
    planned = mc.plan(graph)
    assert planned.seconds > 0 and planned.blocks[0]["forecasts"][0]["applies"] and "planar" in repr(planned)
    assert mc.plan(mc.generate("grid", 4, 4), matchings="all").blocks


def test_files_and_generators(tmp_path):
    file = tmp_path / "square.txt"
    file.write_text("a b 1/2\nb c 1\nc d 2\nd a 1\n")
    graph = mc.read(file, kind="undirected")
    assert graph.kind == "undirected" and sorted(graph.row_labels) == list("abcd") and graph.num_edges == 4
    assert mc.count_perfect_matchings(graph) == 2 and mc.hafnian(graph) == 2
    assert ("a", "b") in mc.marginals(graph, weighted=False)
    with pytest.raises(mc.InputError) as error:
        file.write_text("a b\nc\nd e f g h\n")
        mc.read(file)
    assert error.value.line > 0 and error.value.file == str(file)
    for arguments, count in ((("aztec", 4), 1024), (("king", 4, 4), 280), (("hexagon", 2, 2, 2), 20),
                             (("complete", 5, 5), 120), (("hypercube", 4), 272), (("grid3d", 2, 2, 3), 32)):
        assert mc.count_perfect_matchings(mc.generate(*arguments)) == count
    weighted = mc.generate("grid", 4, 4, weights=(1, 3), seed=5)
    assert set(weighted.weights()) <= {1, 2, 3}
    assert mc.permanent(weighted) == mc.permanent(mc.generate("grid", 4, 4, weights=(1, 3), seed=5))
    assert len(mc.generate("random", 10, 10, 0.5).edges(sides=True)) == mc.generate("random", 10, 10, density=0.5).num_edges


# ---- Manners.


def test_a_limit_raises_over_limit_and_says_what_it_would_take():
    with pytest.raises(mc.OverLimit) as error:
        mc.count_perfect_matchings(mc.generate("random", 45, 45, 0.5), time_limit=1e-4, verify=True)
    assert isinstance(error.value, mc.Unable)


def test_progress_is_reported_and_its_errors_end_the_run():
    graph = mc.generate("random", 36, 36, 0.6, seed=2)
    seen = []

    def enough(phase, done, total):
        seen.append((phase, done, total))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        mc.count_perfect_matchings(mc.generate("random", 60, 60, 0.5, seed=2), method="ryser", progress=enough)
    assert seen and 0 <= seen[0][1] <= seen[0][2]
    assert mc.count_perfect_matchings(mc.generate("grid", 6, 6), progress=True) == 6728
    assert graph.num_edges > 0
