"""Rows and columns by index, each as often as it is to stand there, against the array written out."""

import itertools
import math

import matchcount as mc
import numpy as np
import pytest


def permanent_by_definition(array):
    return sum(math.prod(array[i, p] for i, p in enumerate(order)) for order in itertools.permutations(range(len(array))))


def hafnian_by_definition(array, loop, vertices):
    if not vertices:
        return 1
    first, *rest = vertices
    total = array[first, first] * hafnian_by_definition(array, loop, rest) if loop else 0
    for place, other in enumerate(rest):
        total += array[first, other] * hafnian_by_definition(array, loop, rest[:place] + rest[place + 1:])
    return total


@pytest.mark.parametrize("kind", [int, float, complex, object])
def test_repeated_rows_are_written_out(kind):
    rng = np.random.default_rng(5)
    for _ in range(60):
        array = rng.integers(-3, 4, size=(3, 4)).astype(kind)
        if kind is complex:
            array = array + 1j * rng.integers(-3, 4, size=(3, 4))
        count = int(rng.integers(0, 7))
        rows, columns = rng.integers(0, 3, size=count).tolist(), rng.integers(0, 4, size=count).tolist()
        truth = permanent_by_definition(array[np.ix_(rows, columns)])
        value = mc.permanent(array, rows=rows, cols=columns)
        assert abs(value - truth) <= getattr(value, "error", 0) + 1e-12 * abs(truth), (array, rows, columns)


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("kind", [int, float, complex, object])
def test_repeated_vertices_are_written_out(kind, loop):
    rng = np.random.default_rng(6)
    for _ in range(60):
        array = rng.integers(-3, 4, size=(4, 4)).astype(kind)
        if kind is complex:
            array = array + 1j * rng.integers(-3, 4, size=(4, 4))
        array = np.triu(array) + np.triu(array, 1).T
        rows = rng.integers(0, 4, size=int(rng.integers(0, 8))).tolist()
        truth = hafnian_by_definition(array[np.ix_(rows, rows)], loop, list(range(len(rows))))
        value = mc.hafnian(array, loop, rows=rows)
        assert abs(value - truth) <= getattr(value, "error", 0) + 1e-12 * abs(truth), (array, rows)


def test_forty_photons_have_digits():
    unitary = np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)) + 1j)[0]
    photons = np.repeat(np.arange(8), 5)
    amplitude = mc.permanent(unitary, rows=photons, cols=photons)
    assert 0 < amplitude.error < 1e-7 * abs(amplitude)
    squeezed = mc.hafnian(unitary @ unitary.T, rows=photons)
    assert 0 < squeezed.error < 1e-6 * abs(squeezed)


def test_what_is_no_index_is_refused():
    square = np.ones((3, 3))
    for rows in ([3], [-1], [0.5], [[0, 1]]):
        with pytest.raises(mc.InputError):
            mc.hafnian(square, rows=rows)
        with pytest.raises(mc.InputError):
            mc.permanent(square, rows=rows, cols=[0])
    with pytest.raises(mc.InputError):
        mc.hafnian(np.ones((2, 3)), rows=[0, 1])
    with pytest.raises(mc.InputError):
        mc.hafnian(np.array([[0.0, 1.0], [2.0, 0.0]]), rows=[0, 0, 1, 1])
