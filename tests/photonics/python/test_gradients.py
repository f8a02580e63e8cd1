"""First and second derivatives against differences and minors; by torch and jax where these are installed."""

from fractions import Fraction

import matchcount as mc
import numpy as np
import oracles
import pytest

FUNCTIONS = {name: getattr(mc.gradients, name) for name in ("permanent", "hafnian", "loop_hafnian")}
SHAPES = [0, 1, 2, 3, 5, 6]


def entries(rng, shape, is_complex, what="permanent"):
    made = rng.normal(size=shape) + (1j * rng.normal(size=shape) if is_complex else 0)
    return made if what == "permanent" else made + np.swapaxes(made, -1, -2)


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("what", FUNCTIONS)
def test_derivatives_are_those_of_differences(what, is_complex):
    rng = np.random.default_rng(1)
    function = FUNCTIONS[what]
    for n, keywords in [(1, {}), (2, {}), (3, {}), (5, {}), (6, {}), (3, {"rows": [0, 2, 2, 1]})]:
        if what == "permanent" and keywords:
            keywords = {**keywords, "cols": [1, 1, 1, 0]}
        matrix, direction, other = (entries(rng, (n, n), is_complex, what) for _ in range(3))
        value, derivatives = function(matrix, **keywords)
        assert derivatives.error.shape == (n, n) and value.error <= 1e-9 * max(1, abs(value))
        step = 1e-4
        ahead, behind = (function(matrix + sign * step * direction, **keywords) for sign in (1, -1))
        slope, second = function(matrix, along=direction, **keywords)
        scale = 1 + np.abs(second).max() + abs(value) + np.abs(derivatives).max()
        assert abs(slope - (derivatives * direction).sum()) < 1e-10 * scale
        assert abs(slope - (ahead[0] - behind[0]) / (2 * step)) < 1e-5 * scale
        assert np.allclose(second, (ahead[1] - behind[1]) / (2 * step), rtol=0, atol=1e-5 * scale)
        assert abs((second * other).sum() - (function(matrix, along=other, **keywords)[1] * direction).sum()) < 1e-9 * scale


def test_derivatives_of_a_permanent_are_its_minors_and_batches_keep_their_shape():
    rng = np.random.default_rng(2)
    stack = entries(rng, (2, 3, 5, 5), True)
    values, derivatives = mc.gradients.permanent(stack)
    assert values.shape == values.error.shape == (2, 3) and derivatives.shape == derivatives.error.shape == stack.shape
    for i in range(5):
        for j in range(5):
            minor = mc.permanent(np.delete(np.delete(stack[1, 2], i, 0), j, 1))
            assert abs(derivatives[1, 2, i, j] - minor) <= derivatives.error[1, 2, i, j] + minor.error
    assert mc.gradients.permanent(np.ones((4, 0, 0)))[0].tolist() == [1] * 4
    assert mc.gradients.permanent(np.ones((0, 3, 3)))[1].shape == (0, 3, 3)


@pytest.mark.parametrize("ratio", [1, 1e-8, 1e-16, 1e100, 0])
@pytest.mark.parametrize("what", FUNCTIONS)
def test_derivatives_along_a_direction_of_another_size_keep_their_digits_within_their_bounds(what, ratio):
    rng = np.random.default_rng(4)
    n = 4
    exact = lambda array: [[Fraction(entry) for entry in row] for row in array.tolist()]
    value_of = {"permanent": oracles.permanent, "hafnian": oracles.hafnian, "loop_hafnian": lambda m: oracles.hafnian(m, True)}[what]
    # One entry of each row is large: to scale columns by it would take digits of the others.
    direction = np.diag(rng.random(n))[::-1] + 1e-3 * rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.5)
    matrix = entries(rng, (n, n), False, what) * ratio
    symmetric = direction if what == "permanent" else (direction + direction.T) / 2
    slope, second = FUNCTIONS[what](matrix, along=direction)
    # The slope at 0 of a polynomial of degree 4 in t, by its values at five places, is exact.
    given, along = exact(matrix), exact(symmetric)
    at = lambda t, base=given: value_of([[a + t * b for a, b in zip(row, other)] for row, other in zip(base, along)])
    def slope_of(base):
        places = range(-2, 3)
        weights = [Fraction(1, 12), Fraction(-2, 3), 0, Fraction(2, 3), Fraction(-1, 12)]
        return sum(weight * at(t, base) for t, weight in zip(places, weights))
    truth = slope_of(given)
    assert abs(Fraction(float(slope)) - truth) <= slope.error <= (1e-10 * abs(truth) if ratio else 1e-9)
    for i in range(n):
        for j in range(n if what == "permanent" else i + 1):
            if i == j and what == "hafnian":
                continue
            moved = [slope_of([[entry + step * ((a, b) == (i, j) or what != "permanent" and (a, b) == (j, i))
                                for b, entry in enumerate(row)] for a, row in enumerate(given)]) for step in (0, 1, -1)]
            change = (moved[1] - moved[2]) / 2 / (1 if i == j or what == "permanent" else 2)  # of degree 1 or 2 in it
            assert abs(Fraction(float(second[i, j])) - change) <= second.error[i, j]
            assert second.error[i, j] <= (1e-9 * np.abs(second).max() if ratio else 1e-9)


@pytest.mark.parametrize("what", FUNCTIONS)
def test_many_repeated_rows_have_derivatives(what):
    rng = np.random.default_rng(3)
    matrix, direction = entries(rng, (3, 3), False, what), entries(rng, (3, 3), False, what)
    rows = [0] * 14 + [1] * 12
    keywords = {"rows": rows, "cols": [0] * 9 + [1] * 9 + [2] * 8} if what == "permanent" else {"rows": rows}
    value, derivatives = FUNCTIONS[what](matrix, **keywords)
    truth = mc.permanent(matrix, **keywords) if what == "permanent" else mc.hafnian(matrix, loop=what != "hafnian", **keywords)
    assert abs(value - truth) <= value.error + truth.error
    slope, second = FUNCTIONS[what](matrix, along=direction, **keywords)
    assert abs(slope - (derivatives * direction).sum()) < 1e-9 * np.abs(derivatives * direction).sum()
    assert 0 < slope.error < 1e-6 * np.abs(derivatives * direction).sum() and second.error.max() < 1e-6 * np.abs(second).max()
    step = 1e-5
    ahead, behind = (FUNCTIONS[what](matrix + sign * step * direction, **keywords) for sign in (1, -1))
    scale = np.abs(second).max() + np.abs(derivatives).max() + abs(value)
    assert abs((ahead[0] - behind[0]) / (2 * step) - slope) < 1e-5 * scale
    assert np.allclose((ahead[1] - behind[1]) / (2 * step), second, rtol=0, atol=1e-5 * scale)


def test_derivatives_of_large_hafnians_are_proven():
    matrix = entries(np.random.default_rng(6), (20, 20), True, "hafnian")
    value, derivatives = mc.gradients.hafnian(matrix)
    rest = [0, *range(2, 7), *range(8, 20)]
    truth = mc.hafnian(matrix[np.ix_(rest, rest)])
    assert derivatives.error.max() < 1e-9 * np.abs(derivatives).max()
    assert abs(derivatives[1, 7] - truth / 2) <= derivatives.error[1, 7] + truth.error
    plain = mc.gradients.hafnian(matrix, precision="double")[1]
    assert np.allclose(plain, derivatives, rtol=0, atol=1e-11 * np.abs(derivatives).max())


def test_what_gradients_refuse():
    with pytest.raises(mc.InputError):
        mc.gradients.permanent(np.ones((3, 2)))
    with pytest.raises(mc.InputError):
        mc.gradients.permanent(np.ones((2, 2)), along=np.ones(2))
    with pytest.raises(mc.InputError):
        mc.gradients.permanent([[np.nan]])
    with pytest.raises(mc.InputError, match="symmetric"):
        mc.gradients.hafnian([[0.0, 1.0], [2.0, 0.0]])
    with pytest.raises(mc.Unable):
        mc.gradients.permanent(np.ones((3, 3)), device="cuda")
    with pytest.raises(mc.OverLimit):
        mc.gradients.permanent(np.ones((40, 40)), time_limit=1)


def hermitian(rng, modes, is_complex, is_physical=False):
    """A small matrix O, and one for which a torontonian has quadratures."""
    made = rng.normal(size=(2 * modes, 2 * modes)) + (1j * rng.normal(size=(2 * modes, 2 * modes)) if is_complex else 0)
    made = 0.3 / max(modes, 1) * (made + made.conj().T) / 2
    swapped = np.roll(made, (modes, modes), (0, 1)).conj()
    return (made + swapped) / 2 if is_physical else made


@pytest.mark.parametrize("kind", ["real", "complex", "physical"])
def test_derivatives_of_torontonians_are_those_of_differences(kind):
    rng = np.random.default_rng(7)
    for modes in [1, 2, 3, 5]:
        is_complex, is_physical = kind != "real", kind == "physical"
        matrix, direction, other = (hermitian(rng, modes, is_complex, is_physical) for _ in range(3))
        odd = hermitian(rng, modes, is_complex)
        loop, loop_direction = rng.normal(size=(2, 2 * modes)) + (1j * rng.normal(size=(2, 2 * modes)) if is_complex else 0)
        if is_physical:
            loop, loop_direction = ((one + np.roll(one, modes).conj()) / 2 for one in (loop, loop_direction))
        for loops, loops_along in [((), ()), ((loop,), (loop_direction,))]:
            def moved(step, matrix_along=direction):
                there = [one + step * along for one, along in zip(loops, loops_along)]
                return mc.gradients.torontonian(matrix + step * matrix_along, *there)

            value, *derivatives = moved(0)
            assert abs(value - mc.torontonian(matrix, *loops)) < 1e-12 * (1 + abs(value))
            slope = sum((one * along).sum().real for one, along in zip(derivatives, (direction, *loops_along)))
            found = mc.gradients.torontonian(matrix, *loops, along=direction, loop_along=loops_along[0] if loops else None)
            step = 1e-4
            ahead, behind = moved(step), moved(-step)
            scale = 1 + max(np.abs(one).max() for one in found)
            assert abs(found[0] - slope) < 1e-10 * scale
            assert abs((ahead[0] - behind[0]) / (2 * step) - slope) < 1e-5 * scale
            for one, there, back in zip(found[1:], ahead[1:], behind[1:]):
                assert np.allclose(one, (there - back) / (2 * step), rtol=0, atol=1e-5 * scale)
            # Directions that have not the matrix's symmetry change it in another shape.
            ahead, behind = ([mc.torontonian(matrix + sign * step * odd, *loops)] for sign in (1, -1))
            assert abs((ahead[0] - behind[0]) / (2 * step) - (derivatives[0] * odd).sum().real) < 1e-5 * scale
            second = mc.gradients.torontonian(matrix, *loops, along=odd)[1]
            turned = mc.gradients.torontonian(matrix, *loops, along=other)[1]
            assert abs((second * other).sum().real - (turned * odd).sum().real) < 1e-10 * scale


def test_torontonians_of_many_modes_and_what_they_refuse():
    matrix = hermitian(np.random.default_rng(8), 13, True, True)
    value, derivatives = mc.gradients.torontonian(matrix)
    assert abs(value - mc.torontonian(matrix)) < 1e-11
    step = 1e-5
    slope = (mc.torontonian(matrix + step * matrix) - mc.torontonian(matrix - step * matrix)) / (2 * step)
    assert abs(slope - (derivatives * matrix).sum().real) < 1e-7
    stack = np.stack([hermitian(np.random.default_rng(9), 2, False)] * 3)
    assert mc.gradients.torontonian(stack, np.ones((3, 4)))[2].shape == (3, 4)
    assert mc.gradients.torontonian(np.ones((2, 0, 0)))[0].tolist() == [1, 1]
    for wrong in [np.eye(2), -2 * np.eye(2) + 4, [[0.0, 0.1], [0.2, 0.0]], np.eye(3) / 2]:
        with pytest.raises(mc.InputError):
            mc.gradients.torontonian(wrong)


def questions(module):
    """Functions of one matrix, with the sizes that they take."""
    return {"permanent": (module.permanent, SHAPES),
            "permanent of rows": (lambda matrix: module.permanent(matrix, rows=[0, 0, 1], cols=[2, 0, 2]), [3]),
            "hafnian": (module.hafnian, SHAPES), "loop hafnian": (module.loop_hafnian, SHAPES),
            "hafnian of rows": (lambda matrix: module.hafnian(matrix, rows=[0, 0, 1, 2]), [3]),
            "loop hafnian of rows": (lambda matrix: module.loop_hafnian(matrix, rows=[0, 1, 1]), [3]),
            "torontonian": (lambda matrix: module.torontonian(0.05 * (matrix + matrix.mT.conj())), [0, 2, 4, 6]),
            "loop torontonian": (lambda matrix: module.torontonian(0.05 * (matrix + matrix.mT.conj()), matrix[..., 0]), [2, 4])}


@pytest.mark.parametrize("is_complex", [False, True])
def test_torch_finds_first_and_second_derivatives(is_complex):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(4)
    for name, (function, sizes) in questions(mc.torch).items():
        for n in sizes:
            matrix = torch.tensor(entries(rng, (2, n, n) if n == 3 else (n, n), is_complex), requires_grad=True)
            whole = (lambda matrix: function(matrix + matrix.mT)) if "hafnian" in name else function
            assert torch.autograd.gradcheck(whole, (matrix,), fast_mode=n > 4), (name, n)
            assert torch.autograd.gradgradcheck(whole, (matrix,), fast_mode=n > 4), (name, n)


def test_torch_keeps_types_and_refuses_third_derivatives():
    torch = pytest.importorskip("torch")
    matrix = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    value = mc.torch.permanent(matrix)
    assert value.dtype == torch.float32 and value.item() == 10
    (first,) = torch.autograd.grad(value, matrix, create_graph=True)
    assert first.dtype == torch.float32 and first.tolist() == [[4, 3], [2, 1]]
    (second,) = torch.autograd.grad(first[0, 0] ** 2, matrix, create_graph=True)
    assert second.tolist() == [[0, 0], [0, 8]]
    with pytest.raises(mc.Unable):
        torch.autograd.grad(second.sum(), matrix)
    assert mc.torch.permanent(torch.ones(3, 2, 2, dtype=torch.complex64)).dtype == torch.complex64
    with pytest.raises(mc.InputError):
        mc.torch.permanent(torch.ones(2, 2, dtype=torch.int64))


@pytest.mark.parametrize("is_complex", [False, True])
def test_jax_finds_first_and_second_derivatives(is_complex):
    jax = pytest.importorskip("jax")
    from jax.test_util import check_grads

    jax.config.update("jax_enable_x64", True)
    rng = np.random.default_rng(5)
    for name, (function, sizes) in questions(mc.jax).items():
        whole = (lambda matrix: function(matrix + matrix.mT)) if "hafnian" in name else function
        n = 3 if 3 in sizes else 4
        matrix = jax.numpy.asarray(entries(rng, (n, n), is_complex))
        check_grads(jax.jit(whole), (matrix,), order=2, modes=["rev"])
    stack = jax.numpy.asarray(entries(rng, (4, 3, 3), is_complex))
    slopes = jax.jit(jax.vmap(jax.grad(mc.jax.permanent, holomorphic=is_complex)))(stack)
    assert np.allclose(slopes, mc.gradients.permanent(np.asarray(stack))[1])
    assert np.allclose(jax.vmap(mc.jax.permanent)(stack), mc.permanent(np.asarray(stack)))
    single = stack.astype(jax.numpy.complex64 if is_complex else jax.numpy.float32)
    assert mc.jax.permanent(single).dtype == single.dtype
