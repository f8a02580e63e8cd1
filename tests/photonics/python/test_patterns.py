"""Permanents of patterns, and streams of amplitudes, beside single permanents."""

import itertools
import math
import pickle

import numpy as np
import pytest

import matchcount as mc


def unitary(modes, seed=3):
    rng = np.random.default_rng(seed)
    return np.linalg.qr(rng.normal(size=(modes, modes)) + 1j * rng.normal(size=(modes, modes)))[0]


def written_out(matrix, rows, cols):
    return sum(math.prod(matrix[i, j] for i, j in zip(rows, order)) for order in itertools.permutations(cols))


@pytest.mark.parametrize("kind", ["complex", "real", "integers"])
def test_patterns_are_permanents_of_what_they_pick(kind):
    rng = np.random.default_rng(4)
    matrix = {"complex": unitary(5), "real": unitary(5).real, "integers": rng.integers(-9, 9, (5, 5))}[kind]
    rows, cols = rng.integers(0, 5, (2, 3, 7, 4))
    found = mc.permanents(matrix, rows=rows, cols=cols)
    assert found.shape == found.error.shape == (3, 7) and not found.reasons
    for place in np.ndindex(3, 7):
        truth = written_out(matrix, rows[place], cols[place])
        assert abs(found[place] - truth) <= found.error[place] + 1e-15 * abs(truth)
        assert found.error[place] < (1e-6 if kind == "integers" else 1e-11)


def test_patterns_may_differ_in_size_and_be_large():
    matrix = unitary(4)
    rows, cols = [[], [2], [0] * 20 + [1] * 20, [0, 1] * 40], [[], [3], [2] * 20 + [3] * 20, [2] * 80]
    found = mc.permanents(matrix, rows=rows, cols=cols)
    assert found[0] == 1 and found.error[0] == 0 and abs(found[1] - matrix[2, 3]) <= 1e-15
    for p in (1, 2):
        single = mc.permanent(matrix, rows=rows[p], cols=cols[p])
        assert abs(single - found[p]) <= single.error + found.error[p]
    truth = math.factorial(80) * (matrix[0, 2] * matrix[1, 2]) ** 40
    assert abs(found[3] - truth) <= found.error[3] + 1e-12 * abs(truth) or 3 in found.reasons


def test_what_has_no_answer_is_nan_with_a_reason():
    found = mc.permanents([[1.0, 2], [3, 4]], rows=[[0, 1], [0], [0, 2], [-1], [1]], cols=[[0, 1], [0, 1], [0, 1], [0], [0]])
    assert found[[0, 4]].tolist() == [10, 3] and np.isnan(found[1:4]).all() and np.isnan(found.error[1:4]).all()
    assert found.reasons == {1: "1 rows and 2 columns", 2: "an index that the matrix does not have",
                             3: "an index that the matrix does not have"}
    huge = mc.permanents([[1e300]], rows=[[0], [0, 0]], cols=[[0], [0, 0]])
    assert huge[0] == 1e300 and np.isnan(huge[1]) and "range of a float" in huge.reasons[1]


def test_values_keep_their_errors():
    found = mc.permanents(unitary(3), rows=[[0, 1], [1, 2]], cols=[[0, 1], [0, 2]])
    assert found[1:].error.tolist() == found.error[1:].tolist()
    assert (found * 2).error is None
    again = pickle.loads(pickle.dumps(found))
    assert again.tolist() == found.tolist() and again.error.tolist() == found.error.tolist()
    assert mc.permanents(np.eye(2), rows=[], cols=[]).shape == (0,)


def test_faulty_patterns_are_refused():
    for rows, cols in [([[0]], [[0], [1]]), ([[0.5]], [[0]]), (3, 3)]:
        with pytest.raises(mc.InputError):
            mc.permanents(np.eye(2), rows=rows, cols=cols)
    with pytest.raises(mc.InputError):
        mc.permanents(np.full((2, 2), np.inf), rows=[[0]], cols=[[0]])


@pytest.mark.parametrize("chunk", [1, 7, 4096])
def test_a_stream_has_all_amplitudes_in_order(chunk):
    matrix, rows = unitary(4), [0, 1, 1, 3]
    parts = list(mc.amplitudes(matrix, rows=rows, chunk=chunk))
    columns = np.concatenate([part for part, _ in parts])
    assert columns.tolist() == [list(c) for c in itertools.combinations_with_replacement(range(4), 4)]
    for part, found in parts:
        for cols, value, error in zip(part, found, found.error):
            times = math.prod(math.factorial(n) for n in np.bincount(cols)) * 2
            assert abs(value - written_out(matrix, rows, cols) / math.sqrt(times)) <= error + 1e-15
            assert error < 1e-13
    assert abs(sum(float((abs(found) ** 2).sum()) for _, found in parts) - 1) < 1e-13


def test_streams_refuse_what_they_cannot_do():
    with pytest.raises(mc.Unable):
        mc.amplitudes(np.eye(2), rows=[0] * 65)
    for keywords in ({"rows": [2]}, {"rows": [0], "chunk": 0}):
        with pytest.raises(mc.InputError):
            mc.amplitudes(np.eye(2), **keywords)


def loop_hafnian_by_definition(matrix, loops, vertices):
    if not vertices:
        return 1
    first, *rest = vertices
    return loops[first] * loop_hafnian_by_definition(matrix, loops, rest) + sum(
        matrix[first, other] * loop_hafnian_by_definition(matrix, loops, rest[:place] + rest[place + 1:])
        for place, other in enumerate(rest))


@pytest.mark.parametrize("kinds", ["real real", "complex complex", "complex real", "real complex", "integers integers"])
def test_loop_hafnians_are_those_of_each_diagonal(kinds):
    rng = np.random.default_rng(8)
    makers = {"real": rng.normal, "complex": lambda size: rng.normal(size=size) + 1j * rng.normal(size=size),
              "integers": lambda size: rng.integers(-5, 6, size)}
    of_matrix, of_loops = (makers[kind] for kind in kinds.split())
    for n in (1, 2, 3, 6, 7):
        matrix = of_matrix(size=(n, n))
        matrix, loops = matrix + matrix.T, of_loops(size=(3, 20, n))
        found = mc.loop_hafnians(matrix, loops)
        assert found.shape == found.error.shape == (3, 20) and not found.reasons
        assert np.iscomplexobj(found) == ("complex" in kinds)
        for place in np.ndindex(3, 20):
            truth = loop_hafnian_by_definition(matrix, loops[place], list(range(n)))
            assert abs(found[place] - truth) <= found.error[place] + 1e-13 * abs(truth)
            assert found.error[place] < 1e-8


def test_loop_hafnians_take_what_is_symmetric_within_a_tolerance():
    rng = np.random.default_rng(9)
    matrix, loops = rng.normal(size=(6, 6)), rng.normal(size=(30, 6))
    matrix += matrix.T
    off = matrix + np.triu(rng.uniform(-1e-9, 1e-9, (6, 6)), 1)
    with pytest.raises(mc.InputError, match="differ by .*A.T"):
        mc.loop_hafnians(off, loops, rtol=1e-12)
    found, exact = mc.loop_hafnians(off, loops, atol=2e-9), mc.loop_hafnians(matrix, loops)
    assert (abs(found - exact) <= found.error + exact.error).all() and (found.error > exact.error).all()
    assert (found.error < 1e-5).all()
    assert mc.loop_hafnians(matrix, loops, rtol=0).error.tolist() == exact.error.tolist()


def test_loop_hafnians_of_no_and_of_faulty_diagonals():
    matrix = np.ones((4, 4))
    assert mc.loop_hafnians(matrix, np.zeros((0, 4))).shape == (0,)
    assert mc.loop_hafnians(matrix, np.ones(4)).shape == () and mc.loop_hafnians(matrix, np.ones(4))[()] == 10
    huge = mc.loop_hafnians(np.zeros((2, 2)), [[1e200, 1e200], [1.0, 2.0]])
    assert np.isnan(huge[0]) and "range of a float" in huge.reasons[0] and huge[1] == 2
    for faulty, loops in [(matrix, np.ones((2, 3))), (np.ones((2, 3)), np.ones((1, 2))), (np.ones((0, 0)), np.ones((1, 0))),
                          (np.triu(matrix), np.ones((1, 4))), (matrix, [[1, 2, 3, np.inf]])]:
        with pytest.raises(mc.InputError):
            mc.loop_hafnians(faulty, loops)
