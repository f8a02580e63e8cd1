"""Inputs that once gave another question's number, or a wrong bound, are right, or refused with both readings."""

import copy
import itertools
import math
import pickle
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import matchcount as mc

networkx = pytest.importorskip("networkx")
pandas = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")

BEYOND = 2**60 + 1  # no float holds it
HEAVY = [("a", "x", 9999), ("b", "y", 1), ("a", "y", 1), ("b", "x", 1)]


def graph_of(triples, kind=networkx.Graph):
    graph = kind()
    graph.add_weighted_edges_from(triples)
    return graph


# ---- Weights, parallel edges and zeros: one rule, that of the command line.


@pytest.mark.parametrize("container", [list, graph_of])
def test_weights_of_graphs_and_triples_count_in_marginals_and_samples_or_have_to_be_spoken_of(container):
    given = container(HEAVY)
    found = mc.marginals(given, weighted=True)
    assert abs(found["a", "x"] - 0.9999) <= found["a", "x"].error + 1e-16 and found.total == 10000
    assert sum(("a", "x") in drawn for drawn in mc.sample_matchings(given, 100, weighted=True)) > 90
    assert mc.marginals(given, weighted=False)["a", "x"] == 0.5
    for call in (mc.marginals, mc.sample_matchings, mc.plan_marginals, mc.plan_samples):
        with pytest.raises(mc.InputError, match="weighted=True.*weighted=False"):
            call(given)


@pytest.mark.parametrize("call", [mc.estimate, mc.plan, mc.parity])
def test_a_question_that_may_be_of_weights_or_without_is_refused(call):
    for given in (HEAVY, graph_of(HEAVY)):
        with pytest.raises(mc.InputError, match="ignored.*count"):
            call(given)
        call(given, "matchings")


@pytest.mark.parametrize("kind", ["bipartite", "undirected"])
def test_edges_that_are_given_twice_and_zeros_are_as_on_the_command_line(kind):
    triples = lambda *weights: [("a", "x", weight) for weight in weights]
    count = lambda given, **how: mc.count_perfect_matchings(given, kind=kind, **how)
    assert count(triples(1, 1), duplicates="sum") == count(triples(1, 1), duplicates="one") == 1
    assert count(triples(1, -1), duplicates="sum") == 0 and count(triples(1, -1), duplicates="one") == 1
    assert count(triples(0)) == 0 and count(triples(0), weight=None) == 1
    assert count([("a", "x"), ("a", "x")], duplicates="sum") == 2
    assert count(triples(2**62, 2**62, 2**62), duplicates="sum") == 1
    with pytest.raises(mc.InputError):
        count(triples(1, 1))


def test_zeros_of_graphs_are_no_edges_to_any_question():
    triples = [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 0)]
    for given in (graph_of(triples), graph_of(triples, networkx.MultiGraph)):
        assert mc.count_perfect_matchings(given) == mc.count_matchings(given, "maximum") == mc.hafnian(given) == 1
        assert mc.matchings_by_size(given) == [1, 3, 1] and mc.matching_polynomial(given) == [1, 0, -3, 0, 1]
        assert mc.parity(given, "matchings") == 1 and len(list(mc.list_matchings(given))) == 1
        assert len(mc.marginals(given)) == 3 and mc.estimate(given).value == 1
        assert mc.decompose(given).useless_edges == [(1, 2)]
        assert mc.count_perfect_matchings(given, weight=None) == mc.parity(given, weight=None) + 2 == 2
    arcs = graph_of([(0, 1, 1), (1, 0, 1), (0, 0, 0), (1, 1, 1)], networkx.DiGraph)
    assert mc.count_cycle_covers(arcs) == 1 and mc.count_reachable_pairs(graph_of([(0, 1, 0)], networkx.DiGraph)) == 0


def test_edges_that_cost_nothing_are_edges_or_none_as_is_said():
    triples = [("a", "x", 0), ("b", "y", 3), ("a", "y", 2), ("b", "x", 2)]
    with pytest.raises(mc.InputError, match="keep_zeros=True.*keep_zeros=False"):
        mc.count_optimal_matchings(triples)
    assert mc.count_optimal_matchings(triples, keep_zeros=True) == (3, 1)
    assert mc.count_optimal_matchings(triples, keep_zeros=False) == (4, 1)
    costs = np.array([[0, 2, 3], [1, 0, 4], [2, 2, 2]])
    for asked in (None, True):
        with pytest.raises(mc.InputError, match="array"):
            mc.count_optimal_matchings(costs, keep_zeros=asked)
    assert mc.count_optimal_matchings(costs, keep_zeros=False) == (5, 1)


def test_keys_of_parallel_edges_are_no_weights():
    graph = networkx.MultiGraph([("a", "b"), ("a", "b")])
    with pytest.raises(mc.InputError, match="keys"):
        mc.count_perfect_matchings(graph.edges, kind="undirected", duplicates="sum")
    assert mc.count_perfect_matchings(graph, duplicates="sum") == 2


# ---- Numbers that no float holds.


@pytest.mark.parametrize("given", [
    [[np.int64(BEYOND), 0.5], [1.0, 1.0]], [[np.int64(BEYOND), np.float32(0.5)], [1, 1]], [[np.uint64(BEYOND), 1j], [1, 1]],
    [np.array([BEYOND, 1]), np.array([0.5, 1.0])], [np.array([BEYOND, 1]), [0.5, 1.0]],
    pandas.DataFrame({"a": np.array([BEYOND, 1]), "b": [0.5, 1.0]}),
    pandas.DataFrame({"a": np.array([BEYOND, 1], dtype=np.uint64), "b": [0.5j, 1.0]}),
])
def test_integers_that_no_float_holds_beside_floats_are_refused(given):
    for call in (mc.permanent, mc.determinant):
        with pytest.raises(mc.InputError, match=f"{BEYOND} beside floats"):
            call(given)


def test_the_same_of_weights():
    for wide in (BEYOND, np.int64(BEYOND), np.uint64(BEYOND)):
        triples = [(0, 1, wide), (2, 3, 0.5)]
        for given in (triples, graph_of(triples)):
            with pytest.raises(mc.InputError, match=f"{BEYOND} beside floats"):
                mc.hafnian(given)


def test_integers_of_any_type_beside_each_other_are_exact():
    for other in (np.uint64(1), np.int8(1), np.bool_(True), 1, Fraction(1)):
        assert mc.permanent([[np.int64(BEYOND), other], [other, other]]) == BEYOND + 1
        assert mc.hafnian([(0, 1, np.int64(BEYOND)), (2, 3, other)]) == BEYOND
    assert mc.permanent(pandas.DataFrame({"a": np.array([BEYOND, 1]), "b": np.array([1, 1], np.uint64)})) == BEYOND + 1
    assert mc.permanent(pandas.DataFrame({"a": np.array([BEYOND, 1]), "b": [True, True]})) == BEYOND + 1
    assert mc.permanent([[np.float32(0.5), 2], [1, np.float16(0.25)]]) == 2.125


@pytest.mark.parametrize("values, truth", [
    ([2**62] * 3, 3 * 2**62), (np.array([200, 100], np.uint8), 300), (np.array([-100, -100], np.int8), -200),
    (np.array([0.5, 2.0**51], np.float64), 2.0**51 + 0.5), (np.array([2**63, 2**63], np.uint64), 2**64),
    ([1e16, 1, -1e16], 1), ([1e16 + 1j, 1, -1e16], 1 + 1j),
])
def test_what_a_sparse_matrix_has_twice_is_added_exactly(values, truth):
    zeros = [0] * len(values)
    given = sparse.coo_array((values, (zeros, zeros)), shape=(1, 1))
    assert mc.permanent(given) == mc.determinant(given) == mc.hafnian(given, loop=True) == truth
    row = sparse.csr_array((np.asarray(values), zeros, [0, len(values)]), shape=(1, 1))
    assert mc.permanent(row) == truth and mc.count_perfect_matchings(row) == 1


@pytest.mark.parametrize("values, expected", [
    (np.array([True, True]), "True or 2"), ([1e16, 1.0], "no float holds"), ([1e308, 1e308], "no float holds"),
])
def test_a_sum_that_no_number_of_its_type_is_is_refused(values, expected):
    given = sparse.coo_array((values, ([0, 0], [0, 0])), shape=(1, 1))
    for call in (mc.permanent, mc.count_perfect_matchings):
        with pytest.raises(mc.InputError, match=expected):
            call(given)


def test_loops_that_are_given_twice_are_added_exactly():
    assert mc.hafnian([(0, 0, 1e16), (0, 0, 1.0), (0, 0, -1e16)], loop=True, duplicates="sum") == 1
    with pytest.raises(mc.InputError, match="no float holds"):
        mc.hafnian([(0, 0, 1e16), (0, 0, 1.0)], loop=True, duplicates="sum")


# ---- Matrices or edges.


@pytest.mark.parametrize("number", [np.float32, np.bool_, np.complex64, np.int8, Decimal, Fraction, np.array])
def test_rows_of_numbers_of_any_type_may_be_a_matrix(number):
    rows = [[number(a), number(b)] for a, b in ((1, 2), (3, 4), (1, 5))]
    with pytest.raises(mc.InputError, match="matrix.*edges"):
        mc.count_perfect_matchings(rows)


@pytest.mark.parametrize("columns, values", [
    (("userId", "movieId", "rating", "timestamp"), [[1, 31, 4, 1260759144], [1, 1029, 3, 1260759179], [2, 31, 5, 835355493]]),
    (("userId", "movieId", "rating"), [[1, 31, 2.5], [1, 1029, 3.0]]),
    (("source", "target"), [[0, 1], [1, 1]]), (("a", "b"), [[1, 2], [2, 3], [3, 1]]), (("left", "right", "cost"), [[0, 0, 1]]),
])
def test_frames_that_may_be_tables_of_edges_are_refused(columns, values):
    frame = pandas.DataFrame(values, columns=columns)
    for call in (mc.count_perfect_matchings, mc.matchings_by_size, mc.marginals, mc.decompose, mc.list_matchings):
        with pytest.raises(mc.InputError, match="(?s)edges.*kind='bipartite'"):
            call(frame)
    mc.count_perfect_matchings(frame, kind="bipartite")
    edges = list(frame[list(columns[:2])].itertuples(index=False, name=None))
    assert mc.matchings_by_size(edges, kind="bipartite")[1] == len(values)


def test_frames_that_are_matrices_are_counted():
    assert mc.count_perfect_matchings(pandas.DataFrame([[1, 1], [1, 1]], columns=["paint", "drill"])) == 2
    assert mc.count_perfect_matchings(pandas.DataFrame([[3, 2], [2, 2]], index=["Ann", "Bob"], columns=["paint", "drill"])) == 2
    assert mc.permanent(pandas.DataFrame([[3, 2], [2, 2]], columns=["u", "v"])) == 10


def test_edges_of_two_sides_that_share_names_are_told_apart():
    graph = mc.generate("grid", 3, 4)
    with pytest.raises(mc.InputError, match="sides=True.*sides=False"):
        graph.edges()
    assert mc.count_perfect_matchings(graph.edges(sides=True)) == mc.count_perfect_matchings(graph) == 11
    assert mc.count_perfect_matchings(networkx.Graph(graph.edges(sides=True))) == 11
    assert set(graph.edges(sides=False)) == set(mc.marginals(graph))
    assert mc.Graph(graph, list("abcdef"), list("uvwxyz")).edges()[0] == ("a", "u")
    assert mc.generate("king", 2, 2).edges() and len(mc._inputs.as_graph([(0, 1)], "directed").edges()) == 1
    with pytest.raises(mc.InputError):
        mc.generate("king", 2, 2).edges(sides=True)


def test_as_many_rows_as_columns_have_a_permanent():
    for matrix in (np.eye(3), np.eye(3, dtype=int), np.eye(3, dtype=int).astype(object)):
        for how in ({}, {"full_output": True}, {"method": "ryser"}):
            with pytest.raises(mc.InputError, match="2 rows and 1 columns"):
                mc.permanent(matrix, rows=[0, 1], cols=[2], **how)
    with pytest.raises(mc.InputError, match="0 rows and 3 columns"):
        mc.permanent(np.zeros((0, 3)), rows=[])


# ---- Types and bounds of answers.


@pytest.mark.parametrize("dtype, answer", [(float, mc.Real), (np.float32, mc.Real), (complex, mc.Complex), (int, int)])
@pytest.mark.parametrize("n", [0, 1, 2, 18, 34])
def test_answers_have_the_type_of_the_entries_where_none_is_nonzero(dtype, answer, n):
    zeros = np.zeros((n, n), dtype)
    calls = [mc.permanent, mc.determinant, mc.hafnian, lambda m: mc.hafnian(m, loop=True),
             lambda m: mc.permanent(m, verify=True), lambda m: mc.count_matchings(m, weighted=True, kind="bipartite"),
             lambda m: mc.permanent(m[None])[0], lambda m: mc.hafnian(m[None])[0]]
    if n:
        calls += [lambda m: mc.permanent(m, rows=[], cols=[]), lambda m: mc.hafnian(m, rows=[]),
                  lambda m: mc.permanent(sparse.csr_array(m))]
    for call in calls:
        assert type(call(zeros)) is answer


@pytest.mark.parametrize("options, error", [
    ({"threads": -1}, "threads=-1"), ({"memory_limit": 1}, "memory_limit"), ({"memory_limit": 2**20 - 1}, "bytes"),
])
def test_options_that_no_run_can_keep_are_refused(options, error):
    for call in (mc.permanent, mc.hafnian, mc.determinant, mc.estimate, mc.marginals, mc.decompose, mc.parity):
        if call is mc.decompose and "threads" in options:
            continue
        with pytest.raises(mc.InputError, match=error):
            call(np.ones((2, 2)), **options)
    with pytest.raises(mc.InputError, match=error):
        mc.count_perfect_matchings(networkx.path_graph(4), **options)


@pytest.mark.parametrize("entries", [
    np.full((2, 2), 1e-200), np.full((2, 2), 1e308), np.full((1, 1), 0.1), np.full((3, 3), 0.1),
    np.random.default_rng(5).random((6, 6)), np.full((3, 3), 10**6 + 1), np.full((3, 3), 1e6 + 1),
])
def test_estimates_that_sample_nothing_hold_the_truth(entries):
    exact = [[Fraction(entry) for entry in row] for row in entries.tolist()]
    truth = sum(math.prod(exact[i][p[i]] for i in range(len(p))) for p in itertools.permutations(range(len(exact))))
    found = mc.estimate(entries)
    assert found.exact and found.low <= truth <= found.high
    assert found.low > 0 or found.high < 1e-323
    assert found.high < math.inf or found.low > 1.79e308
    assert "10^" in repr(found) or found.low * (1 - 1e-14) <= found.value <= found.high * (1 + 1e-14)


def test_marginals_of_weights_whose_products_no_float_holds():
    found = mc.marginals(np.full((2, 2), 1e308), weighted=True)
    assert found[0, 0] == 0.5 and found[0, 0].error < 1e-14 and repr(found)
    for ask in (lambda: found.sums, lambda: found.total):
        with pytest.raises(mc.Unable, match="divided"):
            ask()
    again = mc.marginals(np.full((2, 2), 1e308) / 1e308, weighted=True)
    assert again.total == 2 and again[0, 0] == 0.5


@pytest.mark.parametrize("times", [60, 64, 65, 120, 150, 169, 170])
def test_rows_that_are_repeated_often_have_a_bound_of_use(times):
    for entry in (1.0, 0.75, 0.75 + 0.5j):
        found = mc.permanent(np.array([[entry]]), rows=[0] * times, cols=[0] * times)
        exact = complex(entry)
        re, im = Fraction(1), Fraction(0)
        for _ in range(times):
            re, im = re * Fraction(exact.real) - im * Fraction(exact.imag), re * Fraction(exact.imag) + im * Fraction(exact.real)
        re, im = re * math.factorial(times), im * math.factorial(times)
        off = (Fraction(found.real) - re) ** 2 + (Fraction(found.imag) - im) ** 2
        assert off <= Fraction(found.error) ** 2 and found.error <= 1e-10 * abs(found)


def test_numbers_of_samples_do_not_wrap():
    graph = mc.generate("grid", 4, 4)
    last = 2**64 - 1
    for approximate in (False, True):
        assert len(mc.sample_matchings(graph, 1, first=last, approximate=approximate)) == 1
        with pytest.raises(mc.InputError, match="2.64"):
            mc.sample_matchings(graph, 2, first=last, approximate=approximate)
    with pytest.raises(mc.InputError, match="2.64"):
        mc.sample_matchings(mc.generate("random", 14, 14, 0.5), 2, first=last, approximate=True, exact_rows=2)


# ---- Limits.


@pytest.mark.parametrize("call", [
    lambda stack, limit: mc.determinant(stack, time_limit=limit / 10),
    lambda stack, limit: mc.permanent(stack, time_limit=limit),
    lambda stack, limit: mc.permanent(stack, time_limit=limit, method="ryser"),
    lambda stack, limit: mc.permanent((stack * 100).astype(int), time_limit=limit),
    lambda stack, limit: mc.hafnian(stack + stack.transpose(0, 2, 1), time_limit=limit, method="auto"),
])
def test_a_time_limit_holds_for_the_whole_batch(call):
    stack = np.random.default_rng(1).random((5000, 24, 24))
    with pytest.raises(mc.OverLimit):
        call(stack, 0.2)


def test_the_first_parity_keeps_its_limit():
    graph = mc.generate("random", 12000, 12000, 0.05)
    start = time.process_time()
    assert mc.parity(graph) in (0, 1)
    whole = time.process_time() - start
    start = time.process_time()
    with pytest.raises(mc.OverLimit):
        mc.parity(graph, time_limit=0.01)
    limited = time.process_time() - start
    assert limited < whole / 2


# ---- Arrays that lie in memory as few do.


@pytest.mark.parametrize("laid", [
    lambda a: np.frombuffer(b"\0" + a.tobytes(), a.dtype, offset=1).reshape(a.shape), lambda a: a.astype(a.dtype.newbyteorder()),
    lambda a: a[::-1].copy()[::-1], np.asfortranarray, lambda a: np.repeat(a, 2, -1)[..., ::2],
], ids=["unaligned", "byte-swapped", "negative", "Fortran", "strided"])
@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.complex128])
def test_arrays_of_any_layout_are_what_their_copies_are(laid, dtype):
    matrix = np.arange(1, 10).reshape(3, 3).astype(dtype)
    symmetric = np.array([[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0]]).astype(dtype)
    assert mc.permanent(laid(matrix), rows=[0, 0, 1], cols=[0, 1, 2]) == 102 and mc.permanent(laid(matrix)) == 450
    assert mc.hafnian(laid(symmetric), rows=[0, 1, 1, 2]) == mc.hafnian(symmetric, rows=[0, 1, 1, 2]) and mc.hafnian(laid(symmetric)) == 28
    assert mc.permanent(laid(np.stack([matrix, matrix]))) == [450, 450] and mc.determinant(laid(matrix)) == 0
    assert mc.permanents(laid(matrix * 1.0), rows=laid(np.array([[0, 1]])), cols=laid(np.array([[1, 2]])))[0] == 2 * 6 + 3 * 5
    assert mc.loop_hafnians(laid(symmetric * 1.0), laid(np.ones((2, 4)))).tolist() == [28 + 21 + 1] * 2
    if dtype is not np.int64:
        small = np.eye(4).astype(dtype) / 2
        assert mc.torontonian(laid(small)) == mc.torontonian(small) == 1 == mc.torontonian(laid(np.stack([small])))[0]
        assert mc.torontonian(laid(small), laid(np.ones(4, dtype))) == mc.torontonian(small, np.ones(4, dtype))
        for value in (mc.gradients.permanent(laid(matrix))[1], mc.gradients.permanent(matrix, along=laid(matrix))[1]):
            assert value[0, 0] in (5 * 9 + 6 * 8, 2 * (5 * 9 + 6 * 8))
        assert mc.gradients.torontonian(laid(small))[1].any()


def test_lists_of_arrays_are_matrices_and_batches():
    matrix = np.array([[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0]])
    assert mc.hafnian(list(matrix)) == mc.hafnian(tuple(map(list, matrix))) == 28
    assert mc.hafnian([matrix, matrix]) == mc.hafnian((matrix, matrix), loop=True) == [28, 28]


@pytest.mark.parametrize("matrix", [
    [[1, 2], [2, 4.0]], [[1, 2j], [2, 4j]], np.arange(16.0).reshape(4, 4), np.full((3, 3), 0.1), np.ones((5, 5)) * (1 + 0.3j),
])
def test_singular_determinants_are_0_and_others_have_digits(matrix):
    for how in ({}, {"precision": "double"}, {"precision": "double-double"}, {"method": "condensation"}):
        found = mc.determinant(matrix, **how)
        assert found == 0 and found.error < 1e-20
        assert mc.determinant(np.array([matrix, matrix]), **how) == [0, 0]
    assert mc.determinant(matrix, full_output=True).error < 1e-20
    near = np.array([[1, 1], [1, np.nextafter(1, 2)]])
    assert mc.determinant(near) == 2.0**-52 and mc.determinant(near).error < 1e-28


# ---- Copies.


@pytest.mark.parametrize("graph", [
    mc.generate("grid", 3, 4), mc.generate("king", 3, 3), mc.generate("random", 5, 5, 0.6, weights="complex"),
    mc._inputs.as_graph([("a", "b", Fraction(1, 3)), ("b", "c", 10**40)], "undirected"),
    mc._inputs.as_graph([(0, 1, 0.1), (1, 2, 0.2), (2, 0, 0.7)], "undirected"), mc._inputs.as_graph([(0, 1), (1, 0)], "directed"),
    mc._inputs.as_graph(np.array([[0.5, 1], [1, 2]]), "undirected", loops=True),
], ids=repr)
def test_copies_and_pickles_of_a_graph_equal_it(graph):
    for again in (copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert again == graph and hash(again) == hash(graph) and not again != graph
        assert again.weights() == graph.weights() and repr(again) == repr(graph)
    assert graph != mc.generate("grid", 2, 2) and graph != 5
