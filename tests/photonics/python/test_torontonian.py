"""Torontonians and loop torontonians beside their definition."""

import itertools
import pathlib
import re

import numpy as np
import pytest

import matchcount as mc


def by_definition(matrix, loop=None):
    n = len(matrix) // 2
    total = 0
    for size in range(n + 1):
        for modes in itertools.combinations(range(n), size):
            rows = [*modes, *(mode + n for mode in modes)]
            inner = np.eye(2 * size) - matrix[np.ix_(rows, rows)]
            term = np.linalg.det(inner).real ** -0.5
            if loop is not None:
                g = loop[rows]
                term *= np.exp(g @ np.linalg.solve(inner, g.conj()) / 2).real
            total += (-1) ** (n - size) * term
    return total


def hermitian(n, kind, seed=5):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n)) * (kind != "real")
    other = rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n)) * (kind != "real")
    square = rng.normal(size=(2 * n, 2 * n)) + 1j * rng.normal(size=(2 * n, 2 * n)) * (kind == "complex")
    if kind == "physical":
        square = np.block([[half, other], [other.conj(), half.conj()]])
    product = square @ square.conj().T
    matrix = 0.9 * product / np.linalg.norm(product, 2)
    loop = rng.normal(size=2 * n) + 1j * rng.normal(size=2 * n) * (kind != "real")
    loop[n:] = loop[:n].conj() if kind == "physical" else loop[n:]
    both = (matrix + matrix.conj().T) / 2
    return (both.real, loop.real) if kind == "real" else (both, loop)


@pytest.mark.parametrize("kind", ["real", "physical", "complex"])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_torontonians_agree_with_their_definition(kind, n):
    matrix, loop = hermitian(n, kind)
    for precision in ("auto", "double", "double-double"):
        for given in (None, loop):
            value = mc.torontonian(matrix, given, precision=precision)
            truth = by_definition(matrix, given)
            assert isinstance(value, mc.Real)
            assert abs(value - truth) <= value.error + 1e-10 * (1 + abs(truth))
            assert value.error <= 1e-6 * (1 + abs(truth))


def test_batches_lists_and_integers_are_taken():
    stack = np.array([hermitian(2, "complex", seed)[0] for seed in range(3)])
    assert mc.torontonian(stack) == [mc.torontonian(one) for one in stack]
    many = np.array([np.diag([0.1 * (seed % 7), 0.1 * (seed % 7)] * 3) for seed in range(3000)])
    assert mc.torontonian(many) == [mc.torontonian(one) for one in many[:7]] * 428 + mc.torontonian(many[:4])
    loop = np.full(4, 0.5)
    assert mc.torontonian(stack.real.copy(), loop) == [mc.torontonian(one.real.copy(), loop.tolist()) for one in stack]
    loops = np.arange(1, 1 + len(stack))[:, None] * loop * (0.1 + 0.1j)
    assert mc.torontonian(stack.real, loops) == [mc.torontonian(*pair) for pair in zip(stack.real.astype(complex), loops)]
    for shape in ((len(stack), 1), (1, *loop.shape), (*stack.shape[:2], 1)):
        with pytest.raises(mc.InputError):
            mc.torontonian(stack.real.copy(), np.ones(shape))
    assert mc.torontonian(np.zeros((3, 0, 0)), np.zeros((3, 0))) == [1, 1, 1] and mc.torontonian(np.zeros((0, 2, 2))) == []
    for faulty in (np.full((2, 2), 0.5), np.full(3, 0.5)):
        with pytest.raises(mc.InputError):
            mc.torontonian(stack[0].real.copy(), faulty)
    assert float(mc.torontonian([[0.75, 0.0], [0.0, 0.75]])) == 3
    assert float(mc.torontonian(np.zeros((4, 4), int))) == 0
    assert mc.torontonian(np.zeros((0, 0))) == 1
    assert abs(mc.torontonian([[0, 0], [0, 0]], loop=[1j, 1j]) - (np.e - 1)) < 1e-12


def test_what_is_nearly_hermitian_is_taken_within_a_tolerance():
    matrix, _ = hermitian(4, "physical")
    near = matrix + 1e-15 * np.random.default_rng(1).normal(size=(8, 8))
    with pytest.raises(mc.InputError, match=r"not conjugate, by [0-9.e-]*, expected .*\(O \+ O.conj\(\).T\) / 2"):
        mc.torontonian(near)
    value = mc.torontonian(near, rtol=1e-12, atol=1e-13)
    assert abs(value - mc.torontonian(matrix)) < 1e-10
    with pytest.raises(mc.InputError):
        mc.torontonian(near, rtol=-1)


@pytest.mark.parametrize("ask", [
    lambda: mc.torontonian(np.ones((2, 4))), lambda: mc.torontonian(np.zeros((3, 3))), lambda: mc.torontonian(np.eye(2)),
    lambda: mc.torontonian(np.zeros((2, 2)), loop=[1]), lambda: mc.torontonian([[float("nan"), 0], [0, 0]]),
    lambda: mc.torontonian([[0, 1j], [1j, 0]]), lambda: mc.torontonian([["a", 0], [0, 0]]),
    lambda: mc.torontonian([[2**60 + 1, 0], [0, 0]]), lambda: mc.torontonian(np.zeros((2, 2)), precision="exact"),
])
def test_what_has_no_torontonian_is_refused(ask):
    with pytest.raises(mc.InputError):
        ask()


def test_limits_hold():
    large = np.eye(80) / 2
    with pytest.raises(mc.OverLimit, match="40 modes takes about"):
        mc.torontonian(large, time_limit=0.1)
    with pytest.raises(mc.OverLimit):
        mc.torontonian(large, memory_limit=1 << 20)


@pytest.mark.parametrize("precision", [None, "double"])
def test_arrays_that_are_not_plain_are_looked_at_whatever_is_asked(precision):
    matrix = np.diag([0.5, 0.75, 0.5, 0.75])
    assert mc.torontonian(matrix, precision=precision) == 3
    assert mc.torontonian(matrix.astype(np.float32)[::-1, ::-1], precision=precision) == 3
    for faulty in (np.ma.array(matrix, mask=matrix > 0.6), None):
        with pytest.raises(mc.InputError):
            mc.torontonian(faulty, precision=precision)


@pytest.mark.parametrize("name", ["torontonian", "permanents", "amplitudes", "loop_hafnians", "gbs", "gradients", "torch", "jax"])
def test_a_package_without_the_wing_says_what_to_configure(monkeypatch, name):
    monkeypatch.setattr(mc._core, "photonics", False)
    with pytest.raises(mc.NotCompiled, match=f"{name}.*MATCHCOUNT_WITH_PHOTONICS=ON"):
        mc.__getattr__(name)


def test_modules_of_the_wing_say_so_where_they_are_missing():
    root = pathlib.Path(__file__).parents[3]
    names = re.search(r"foreach\(module ([\w ]+)\)", (root / "bindings/python/CMakeLists.txt").read_text())[1].split()
    assert names == sorted(file.stem for file in (root / "photonics/python").glob("[!_]*.py"))
    for name in names:
        assert "MATCHCOUNT_WITH_PHOTONICS=ON" in str(mc._errors.not_built(name))
