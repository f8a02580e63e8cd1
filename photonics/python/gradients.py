"""Values with their derivatives by every entry of a matrix, first and second; matchcount.torch and matchcount.jax have them
for automatic differentiation.

``derivatives[..., i, j]`` is that by ``matrix[..., i, j]``. ``along=direction`` asks how both change along it: the sum of the
derivatives times the direction's entries, and the second derivatives times these.
"""

from __future__ import annotations

from math import prod

from . import _core, _np as np
from ._arrays import laid_out, of_one_set, values
from ._dense import _floats, _times
from ._dense import hafnian as _hafnian
from ._dense import permanent as _permanent
from ._errors import Unable, input_error
from ._torontonian import torontonian as _torontonian

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from ._arrays import Array
    from ._types import Bytes, Device, Precision, Progress, Seconds, Whole
    from ._values import Values

__all__ = ["hafnian", "loop_hafnian", "permanent", "torontonian"]

# More rows than this, and rows that are repeated: the derivatives are found one by one, of repeated rows.
_MOST_WRITTEN_OUT = 24


def permanent(
    matrix: Any, *, rows: Sequence[int] | None = None, cols: Sequence[int] | None = None, along: Any = None,
    threads: Whole = None, device: Device = None, time_limit: Seconds = None, memory_limit: Bytes = None,
    progress: Progress = False,
) -> tuple[Values, Values]:
    """Computes permanents and their derivatives, the permanents of all minors.

    Parameters
    ----------
    matrix : array or nested lists
        Shape (..., n, n), of floats or complex numbers; (..., n, m) with ``rows`` or ``cols``.
    rows, cols : sequence of int, optional
        Indices, each as often as it is to stand there: of the permanent of ``matrix[..., rows, :][..., cols]``.
    along : array, optional
        A direction, of the matrix's shape.
    device : str
        "cuda": the first GPU takes 12 to 32 rows, and none others; else the CPU takes all.

    Returns
    -------
    values, derivatives : Values
        With bounds on the errors, ``.error``.

    References
    ----------
    D. G. Glynn, "The permanent of a square matrix", 2010, doi:10.1016/j.ejc.2010.01.010.

    Examples
    --------
    >>> value, derivatives = matchcount.gradients.permanent([[1.0, 2.0], [3.0, 4.0]])
    >>> float(value), derivatives.tolist()
    (10.0, [[4.0, 3.0], [2.0, 1.0]])
    """
    return _Question("permanent", rows, cols, locals()).answer(_floats(matrix, "a matrix"), along)


def hafnian(
    matrix: Any, *, rows: Sequence[int] | None = None, along: Any = None, threads: Whole = None, precision: Precision = None,
    time_limit: Seconds = None, memory_limit: Bytes = None, progress: Progress = False,
) -> tuple[Values, Values]:
    """Computes hafnians and their derivatives.

    Those of symmetric matrices: f(A + D) - f(A) is near the sum of ``derivatives * D``, so that one beside the diagonal is
    half of the hafnian without its two vertices.

    Parameters
    ----------
    matrix : array or nested lists
        Symmetric, shape (..., n, n), of floats or complex numbers.
    rows : sequence of int, optional
        Indices, each as often as it is to stand there: of the hafnian of ``matrix[..., rows, :][..., rows]``.
    along : array, optional
        A direction, of the matrix's shape; its symmetric part counts.
    precision : {"auto", "double", "double-double"}
        "auto" takes doubles, for up to 32 rows at two to three times the time of the hafnian; and double-doubles where the
        bounds leave less than nine digits and less than the hafnian has, as they mostly do beyond. "double" takes what is
        quicker by far from some 22 rows on, where it was seen right to nine digits up to 36, but few are proven.

    Returns
    -------
    values, derivatives : Values
        With bounds on the errors, ``.error``.

    References
    ----------
    A. Bjorklund, "Counting perfect matchings as fast as Ryser", 2012, doi:10.1137/1.9781611973099.73.

    Examples
    --------
    >>> value, derivatives = matchcount.gradients.hafnian([[0.0, 2.0], [2.0, 0.0]])
    >>> float(value), derivatives.tolist()
    (2.0, [[0.0, 0.5], [0.5, 0.0]])
    """
    return _Symmetric("hafnian", rows, asked=locals()).answer(_floats(of_one_set(matrix), "a matrix"), along)


def loop_hafnian(
    matrix: Any, *, rows: Sequence[int] | None = None, along: Any = None, threads: Whole = None, precision: Precision = None,
    time_limit: Seconds = None, memory_limit: Bytes = None, progress: Progress = False,
) -> tuple[Values, Values]:
    """Computes loop hafnians and their derivatives, on the diagonal the loop hafnian without its vertex.

    Parameters and the rest are those of hafnian.

    Examples
    --------
    >>> value, derivatives = matchcount.gradients.loop_hafnian([[3.0, 2.0], [2.0, 5.0]])
    >>> float(value), derivatives.tolist()
    (17.0, [[5.0, 0.5], [0.5, 3.0]])
    """
    return _Symmetric("loop hafnian", rows, asked=locals()).answer(_floats(of_one_set(matrix), "a matrix"), along)


def torontonian(
    matrix: Any, loop: Any = None, *, along: Any = None, loop_along: Any = None, threads: Whole = None,
    time_limit: Seconds = None, memory_limit: Bytes = None, progress: Progress = False,
) -> tuple[Values, ...]:
    """Computes torontonians and their derivatives, with ``loop`` loop torontonians and those by the loop as well.

    Those of Hermitian matrices: f(O + H, g + h) - f(O, g) is near the real part of the sum of ``derivatives * H`` and of
    ``loop_derivatives * h``.

    Parameters
    ----------
    matrix : array
        Hermitian, shape (..., 2n, 2n), of floats or complex numbers, as matchcount.torontonian takes it.
    loop : array, optional
        Shape (..., 2n).
    along, loop_along : array, optional
        Directions, of the shapes of both; of the matrix the Hermitian part counts.

    Returns
    -------
    values, derivatives, and loop_derivatives where there is a loop : Values
        Without bounds on the errors.

    References
    ----------
    J. F. F. Bulmer, S. Paesani, R. S. Chadwick, N. Quesada, "Threshold detection statistics of bosonic states", 2022,
    arXiv:2202.04600.

    Examples
    --------
    >>> value, derivatives = matchcount.gradients.torontonian([[0.5, 0.0], [0.0, 0.5]])
    >>> float(value), derivatives.tolist()
    (1.0, [[2.0, -0.0], [-0.0, 2.0]])
    """
    given = [_floats(of_one_set(matrix), "a matrix"), *([] if loop is None else [_floats(loop, "a loop")])]
    question = _Torontonian("torontonian", asked=locals())
    if along is None and loop_along is None:
        return question.gradient(*given)
    if loop is None and loop_along is not None:
        raise input_error("a direction of no loop", "a loop as well")
    directions = [like * 0 if one is None else _floats(one, "a direction") for like, one in zip(given, (along, loop_along))]
    if any(direction.shape != one.shape for direction, one in zip(directions, given)):
        raise input_error(f"directions of shapes {[one.shape for one in directions]}", f"{[one.shape for one in given]}")
    return question.along(*given, *directions)


class _Question:
    """A function of matrices: what it is, and of which rows and columns."""

    def __init__(self, what: str, rows: Any = None, cols: Any = None, asked: dict[str, Any] | None = None) -> None:
        self.what, self.rows, self.cols = what, rows, cols
        names = ("threads", "device", "precision", "time_limit", "memory_limit", "progress")
        self.asked: Any = {name: (asked or {"precision": "double"}).get(name) for name in names}

    def answer(self, matrix: Array, along: Any) -> tuple[Values, Values]:
        if along is None:
            value, derivatives = self.gradient(matrix)
            return value, derivatives
        direction = _floats(along, "a direction")
        if direction.shape != matrix.shape:
            raise input_error(f"a direction of shape {direction.shape}", f"one of shape {matrix.shape}")
        slope, second = self.along(matrix, direction)
        return slope, second

    def type_of_value(self, kind: Any) -> Any:
        """The type of answers about entries of a type."""
        return kind

    def value(self, *given: Array) -> Array:
        """Values alone."""
        (matrix,) = given

        flat = matrix.reshape((-1, *matrix.shape[-2:]))
        if self.rows is None and self.cols is None:
            found = self._ask(flat, None, None) if len(flat) else []
        else:
            found = [self._ask(one, self.rows, self.cols) for one in flat]
        return np.array(found, matrix.dtype).reshape(matrix.shape[:-2])

    def gradient(self, *given: Array) -> tuple[Values, ...]:
        """Values and derivatives, with bounds on their errors."""
        (matrix,) = given
        rows, cols = self._indices(matrix)
        if self._is_long(rows, cols):
            found = [self._by_minors(one, rows, cols) for one in matrix.reshape((-1, *matrix.shape[-2:]))]
            return self._joined(found, matrix)
        places: Any = (Ellipsis, rows[:, None], cols)
        value, error, written_out, their_errors = self._written_out(matrix[places])
        if self.rows is None and self.cols is None:
            return values(value, error), values(written_out, their_errors)
        return values(value, error), _by_entry(matrix, places, written_out, their_errors)

    def along(self, *given: Array) -> tuple[Values, ...]:
        """The sum of the derivatives times the direction's entries, and the derivatives of this sum."""
        matrix, direction = map(np.asarray, given)
        rows, cols = self._indices(matrix)
        kind = np.result_type(matrix, direction)
        if self._is_long(rows, cols):
            pairs = zip(matrix.reshape((-1, *matrix.shape[-2:])), direction.reshape((-1, *matrix.shape[-2:])))
            return self._joined([self._along_by_minors(*pair, rows, cols, kind) for pair in pairs], matrix)
        places: Any = (Ellipsis, rows[:, None], cols)
        value, error, written_out, their_errors = self._along_written_out(matrix[places].astype(kind), direction[places])
        return values(np.asarray(value), np.asarray(error)), _by_entry(matrix, places, written_out, their_errors)

    def _along_written_out(self, stack: Array, direction: Array) -> tuple[Array, Array, Array, Array]:
        # Every product has one entry of each row: what it changes by is the sum over the rows of the products in which
        # the direction's row stands in its place, and the derivatives by other rows' entries are those of such matrices.
        # Rows of one size keep their digits: powers of 2 are taken out, of the matrix and of each of the direction's rows.
        n = stack.shape[-1]
        rest, own = _exponent(stack, (-2, -1)), _exponent(direction, -1)
        changed = np.repeat(_scaled(stack, -rest[..., None, None])[..., None, :, :], n, axis=-3)
        self._put(changed, _scaled(direction, -own[..., None]))
        value, error, derivatives, errors = self._written_out(changed)
        for part in (derivatives, errors):
            self._put(part, 0)
        total = rest[..., None] * (n - 1) + own
        return *_added(value, error, total, -1), *_added(derivatives, errors, (total - rest[..., None])[..., None, None], -3)

    def _put(self, changed: Array, rows: Any) -> None:
        """Puts a row into each matrix of a stack, the first into the first's first row."""
        each = np.arange(changed.shape[-1])
        changed[..., each, each, :] = rows

    def _ask(self, matrix: Array, rows: Any, cols: Any) -> Any:
        return _permanent(matrix, rows=rows, cols=cols, **self.asked)

    def _indices(self, matrix: Array) -> tuple[Array, Array]:
        if matrix.ndim < 2:
            raise input_error(f"an array of shape {matrix.shape}", "a matrix, or several")
        rows, cols = (_times(range(matrix.shape[axis]) if given is None else given, matrix.shape[axis], which)[0]
                      for given, axis, which in ((self.rows, -2, "rows"), (self.cols, -1, "cols")))
        if len(rows) != len(cols):
            raise input_error(f"{len(rows)} rows and {len(cols)} columns", "as many of both")
        return rows, cols

    def _written_out(self, stack: Array) -> tuple[Array, Array, Array, Array]:
        """Values, errors, derivatives and their errors of matrices without repetitions."""
        stack = laid_out(stack, stack.dtype)
        shape = stack.shape[:-2]
        value, error = np.ones(prod(shape), stack.dtype), np.zeros(prod(shape))
        derivatives, errors = np.zeros(stack.size, stack.dtype), np.zeros(stack.size)
        if stack.size:
            _core.gradients(stack.reshape((-1, *stack.shape[-2:])), self.what, value, error, derivatives, errors, self.asked)
        return value.reshape(shape), error.reshape(shape), derivatives.reshape(stack.shape), errors.reshape(stack.shape)

    # ---- Of many rows that are repeated: by entries, one after the other.

    def _is_long(self, rows: Array, cols: Array) -> bool:
        return len(rows) > _MOST_WRITTEN_OUT and min(len(set(rows.tolist())), len(set(cols.tolist()))) < len(rows)

    def _minors(self, rows: Array, cols: Array) -> Iterator[tuple[list[tuple[int, int]], float, Array, Array]]:
        """Entries with one derivative, how many times it counts, and the rows and columns that are left without one."""
        for i in set(rows.tolist()):
            for j in set(cols.tolist()):
                times = float(np.count_nonzero(rows == i) * np.count_nonzero(cols == j))
                yield [(i, j)], times, _without(rows, i), _without(cols, j)

    def _by_minors(self, matrix: Array, rows: Array, cols: Array) -> tuple[Values, Values]:
        derivatives, errors = np.zeros(matrix.shape, matrix.dtype), np.zeros(matrix.shape)
        for entries, times, other_rows, other_cols in self._minors(rows, cols):
            minor = self._ask(matrix, other_rows, other_cols)
            for entry in entries:
                derivatives[entry] += times * minor
                errors[entry] += (times * minor.error + abs(derivatives[entry]) * 2.0**-51) * (1 + 2.0**-50)
        value = self._ask(matrix, rows, cols)
        return values(np.array(value, matrix.dtype), np.array(value.error)), values(derivatives, errors)

    def _along_by_minors(self, matrix: Array, direction: Array, rows: Array, cols: Array, kind: Any) -> tuple[Values, Values]:
        # By entry its weight, what that is off by, and the values and derivatives that it is a factor of.
        parts: list[tuple[Any, float, Values, Values]] = []
        for entries, times, other_rows, other_cols in self._minors(rows, cols):
            off = times * sum(abs(direction[entry]) for entry in entries) * 2.0**-51
            if off != 0:
                minor, derivatives = type(self)(self.what, other_rows, other_cols, self.asked).gradient(matrix)
                parts.append((times * sum(direction[entry] for entry in entries), off, minor, derivatives))

        def total(found: list[Any], shape: tuple[int, ...]) -> Values:
            value, error = np.zeros(shape, kind), np.zeros(shape)
            for (weight, off, *_), part in zip(parts, found):
                value = value + weight * np.asarray(part)
                error = error + (abs(weight) + off) * part.error + (
                    off + abs(weight) * (len(parts) + 2) * 2.0**-52) * np.abs(np.asarray(part)) + 5e-324
            return values(np.asarray(value), np.asarray(error) * (1 + 2.0**-48))

        return total([minor for _, _, minor, _ in parts], ()), total([found for *_, found in parts], matrix.shape)

    def _joined(self, found: Sequence[tuple[Any, Any]], matrix: Array) -> tuple[Values, Values]:
        """One array of the answers of several matrices."""
        def join(parts: Sequence[Any], shape: tuple[int, ...]) -> Values:
            errors = [getattr(part, "error", None) for part in parts]
            known = not any(error is None for error in errors)
            return values(np.array([np.asarray(part) for part in parts]).reshape(shape),
                          np.array(errors).reshape(shape) if known else None)

        return join([value for value, _ in found], matrix.shape[:-2]), join([part for _, part in found], matrix.shape)


def _by_entry(matrix: Array, places: Any, written_out: Array, errors: Array) -> Values:
    """Derivatives by a matrix's entries: sums of those by the entries that these are written out as."""
    total, error = np.zeros(matrix.shape, written_out.dtype), np.zeros(matrix.shape)
    np.add.at(total, places, written_out)
    np.add.at(error, places, errors + np.abs(written_out) * (prod(written_out.shape[-2:]) * 2.0**-52))
    return values(total, error)


def _scaled(array: Array, exponents: Array) -> Array:
    """The numbers times powers of 2."""
    if array.dtype.kind != "c":
        return np.ldexp(array, exponents)
    scaled = np.empty(np.broadcast_shapes(array.shape, exponents.shape), array.dtype)
    scaled.real, scaled.imag = np.ldexp(array.real, exponents), np.ldexp(array.imag, exponents)
    return scaled


def _exponent(array: Array, axis: Any) -> Array:
    """The exponent of the largest number; 0 where to divide by its power of 2 would take bits of others."""
    found = np.frexp(np.abs(array).max(axis=axis, initial=0))[1].astype(np.int64)
    whole = np.expand_dims(found, axis)
    return np.where((_scaled(_scaled(array, -whole), whole) == array).all(axis=axis), found, 0)


def _added(parts: Array, errors: Array, exponents: Array, axis: int) -> tuple[Array, Array]:
    """The sum of parts times powers of 2, and what it is off by."""
    with np.errstate(over="ignore", invalid="ignore"):
        parts, errors = _scaled(parts, exponents), _scaled(errors, exponents)
        roundings = (parts.shape[axis] + 1) * (np.abs(parts) * 2.0**-52 + 5e-324)
        total, error = parts.sum(axis=axis), (errors + roundings).sum(axis=axis) * (1 + 2.0**-48)
    if not np.isfinite(error).all():
        raise Unable("a derivative that is beyond the range of doubles")
    return total, error


def _without(indices: Array, *gone: int) -> Array:
    """The indices without one of each that is named."""
    for index in gone:
        indices = np.delete(indices, np.flatnonzero(indices == index)[0])
    return indices


class _Symmetric(_Question):
    """A hafnian or loop hafnian, whose columns are its rows."""

    def _indices(self, matrix: Array) -> tuple[Array, Array]:
        if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
            raise input_error(f"an array of shape {matrix.shape}", "a square matrix, or several")
        rows = _times(range(matrix.shape[-1]) if self.rows is None else self.rows, matrix.shape[-1], "rows")[0]
        return rows, rows

    def _ask(self, matrix: Array, rows: Any, cols: Any) -> Any:
        return _hafnian(matrix, loop=self.what == "loop hafnian", rows=rows, **self.asked)

    def _along_written_out(self, stack: Array, direction: Array) -> tuple[Array, Array, Array, Array]:
        # Permanents go the same way, but an edge is in the rows of both of its ends; a loop is made to be as well.
        other = np.swapaxes(direction, -1, -2)
        total = direction + other
        turned = total - direction
        rest = (direction - (total - turned)) + (other - turned)  # what rounding took from the sum
        each = np.arange(stack.shape[-1])
        halves = []
        for part in (total, rest) if rest.any() else (total,):
            part = part / 2
            part[..., each, each] *= 2
            halves.append(self._along_symmetric(stack, part))
        value, error, derivatives, errors = (sum(parts[1:], parts[0]) / 2 for parts in zip(*halves))
        return value, error + np.abs(value) * 2.0**-52, derivatives, errors + np.abs(derivatives) * 2.0**-52

    def _along_symmetric(self, stack: Array, direction: Array) -> tuple[Array, Array, Array, Array]:
        # A vertex of size 2^k has edges that are by as much larger, and its loop.
        n = stack.shape[-1]
        loops = np.eye(n, dtype=np.int64)
        rest = _exponent(stack, (-2, -1)) // 2
        own = _exponent(direction, -1) - rest[..., None]
        sizes = rest[..., None, None] * (2 - loops)
        changed = np.repeat(_scaled(stack, -sizes)[..., None, :, :], n, axis=-3)
        self._put(changed, _scaled(direction, -own[..., None] - rest[..., None, None] * (1 - loops)))
        value, error, derivatives, errors = self._written_out(changed)
        for part in (derivatives, errors):
            self._put(part, 0)
        total = rest[..., None] * (n - 1) + own
        return *_added(value, error, total, -1), *_added(derivatives, errors, total[..., None, None] - sizes[..., None, :, :], -3)

    def _put(self, changed: Array, rows: Any) -> None:
        super()._put(changed, rows)
        super()._put(np.swapaxes(changed, -1, -2), rows)

    def _minors(self, rows: Array, cols: Array) -> Iterator[tuple[list[tuple[int, int]], float, Array, Array]]:
        distinct, times = np.unique(rows, return_counts=True)
        for a, (i, count) in enumerate(zip(distinct.tolist(), times.tolist())):
            if self.what == "loop hafnian":
                yield [(i, i)], count, (rest := _without(rows, i)), rest
            if count > 1:
                yield [(i, i)], count * (count - 1) / 2, (rest := _without(rows, i, i)), rest
            for j, other in zip(distinct[:a].tolist(), times[:a].tolist()):
                yield [(i, j), (j, i)], count * other / 2, (rest := _without(rows, i, j)), rest


class _Torontonian(_Question):
    """A torontonian of matrices, or a loop torontonian of these and loops."""

    def type_of_value(self, kind: Any) -> Any:
        return np.empty(0, kind).real.dtype

    def value(self, *given: Array) -> Array:
        flat = [one.reshape((-1, *one.shape[given[0].ndim - 2:])) for one in given]
        keywords = {name: asked for name, asked in self.asked.items() if name != "device"}
        return np.array(_torontonian(*flat, **keywords), float).reshape(given[0].shape[:-2])

    def gradient(self, *given: Array) -> tuple[Values, ...]:
        return self._found(given, ())

    def along(self, *given: Array) -> tuple[Values, ...]:
        count = len(given) // 2
        matrix, *loops = given[count:]
        return self._found(given[:count], ((matrix + np.swapaxes(matrix, -1, -2).conj()) / 2, *loops))

    def _found(self, given: tuple[Array, ...], directions: tuple[Array, ...]) -> tuple[Values, ...]:
        matrix = given[0]
        shape = matrix.shape[:-2]
        if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2] or any(one.shape != matrix.shape[:-1] for one in given[1:]):
            raise input_error(f"arrays of shapes {[one.shape for one in given]}",
                              "square matrices, and a loop's number for each row")
        kind = np.result_type(*given, *directions)
        value = np.full(prod(shape), 0.0 if directions else 1.0)
        derivatives = [np.zeros(one.size, kind) for one in given]
        if matrix.size:
            parts = [laid_out(one, kind) for one in (*given, *directions)]
            nothing = np.empty(0, kind)
            _core.torontonian_gradients(
                parts[0].reshape((-1, *matrix.shape[-2:])), parts[1] if len(given) > 1 else nothing,
                parts[len(given)] if directions else nothing, parts[len(given) + 1] if len(directions) > 1 else nothing,
                value, derivatives[0], derivatives[1] if len(given) > 1 else nothing, self.asked)
        shaped = [one.reshape(like.shape) for one, like in zip(derivatives, given)]
        return (values(value.reshape(shape), None),
                *(values(one if like.dtype.kind == "c" else one.real, None) for one, like in zip(shaped, given)))


class _Functions:
    """The functions that packages of arrays have, by what computes a question of theirs so that it can be differentiated."""

    def __init__(self, compute: Callable[..., Any]) -> None:
        self._compute = compute

    def permanent(self, matrix: Any, *, rows: Sequence[int] | None = None, cols: Sequence[int] | None = None) -> Any:
        """Computes permanents; of repeated ``rows`` and ``cols`` as matchcount.permanent does."""
        return self._compute(_Question("permanent", rows, cols), matrix)

    def hafnian(self, matrix: Any, *, rows: Sequence[int] | None = None) -> Any:
        """Computes hafnians of symmetric matrices; gradients are symmetric as well, each edge's shared by its two entries."""
        return self._compute(_Symmetric("hafnian", rows), matrix)

    def loop_hafnian(self, matrix: Any, *, rows: Sequence[int] | None = None) -> Any:
        """Computes loop hafnians in the same way."""
        return self._compute(_Symmetric("loop hafnian", rows), matrix)

    def torontonian(self, matrix: Any, loop: Any = None) -> Any:
        """Computes torontonians of Hermitian matrices, or loop torontonians; gradients by the matrix are Hermitian as well."""
        return self._compute(_Torontonian("torontonian"), *([matrix] if loop is None else [matrix, loop]))
