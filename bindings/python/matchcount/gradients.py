"""Values with their derivatives by every entry of a matrix, first and second; matchcount.torch and matchcount.jax have them
for automatic differentiation.

``derivatives[..., i, j]`` is that by ``matrix[..., i, j]``. ``along=direction`` asks how both change along it: the sum of the
derivatives times the direction's entries, and the second derivatives times these.
"""

from __future__ import annotations

from math import prod

from . import _core
from ._dense import _floats, _times
from ._dense import permanent as _permanent
from ._errors import input_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._arrays import Array
    from ._types import Bytes, Progress, Seconds, Whole
    from ._values import Values

__all__ = ["permanent"]

# More rows than this, and rows that are repeated: the derivatives are one by one permanents of repeated rows.
_MOST_WRITTEN_OUT = 24


def permanent(
    matrix: Any, *, rows: Sequence[int] | None = None, cols: Sequence[int] | None = None, along: Any = None,
    threads: Whole = None, time_limit: Seconds = None, memory_limit: Bytes = None, progress: Progress = False,
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

    Returns
    -------
    values, derivatives : Values
        With bounds on the errors, ``.error``, unless ``along`` is given.

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


class _Question:
    """A function of matrices: what it is, and of which rows and columns."""

    def __init__(self, what: str, rows: Any = None, cols: Any = None, asked: dict[str, Any] | None = None) -> None:
        self.what, self.rows, self.cols = what, rows, cols
        self.function: Any = _permanent
        self.asked: Any = {name: (asked or {}).get(name) for name in ("threads", "time_limit", "memory_limit", "progress")}

    def answer(self, matrix: Array, along: Any) -> tuple[Values, Values]:
        if along is None:
            return self.gradient(matrix)
        direction = _floats(along, "a direction")
        if direction.shape != matrix.shape:
            raise input_error(f"a direction of shape {direction.shape}", f"one of shape {matrix.shape}")
        return self.along(matrix, direction)

    def type_of_value(self, kind: Any) -> Any:
        """The type of answers about entries of a type."""
        return kind

    def value(self, matrix: Array) -> Array:
        """Values alone."""
        import numpy as np

        flat = matrix.reshape((-1, *matrix.shape[-2:]))
        found = [self.function(one, rows=self.rows, cols=self.cols, **self.asked) for one in flat] if (
            self.rows is not None or self.cols is not None) else self.function(flat, **self.asked) if len(flat) else []
        return np.array(found, matrix.dtype).reshape(matrix.shape[:-2])

    def gradient(self, matrix: Array) -> tuple[Values, Values]:
        """Values and derivatives, with bounds on their errors."""
        import numpy as np

        from ._values import values

        rows, cols = self._indices(matrix)
        if self._is_long(rows, cols):
            found = [self._by_minors(one, rows, cols) for one in matrix.reshape((-1, *matrix.shape[-2:]))]
            return self._joined(found, matrix)
        places: Any = (Ellipsis, rows[:, None], cols)
        value, error, written_out, their_errors = self._written_out(matrix[places])
        if self.rows is None and self.cols is None:
            return values(value, error), values(written_out, their_errors)
        derivatives, errors = np.zeros(matrix.shape, matrix.dtype), np.zeros(matrix.shape)
        np.add.at(derivatives, places, written_out)
        np.add.at(errors, places, their_errors + np.abs(written_out) * (len(rows) * len(cols) * 2.0**-52))
        return values(value, error), values(derivatives, errors)

    def along(self, matrix: Array, direction: Array) -> tuple[Values, Values]:
        """The sum of the derivatives times the direction's entries, and the derivatives of this sum."""
        import numpy as np

        from ._values import values

        rows, cols = self._indices(matrix)
        kind = np.result_type(matrix, direction)
        if self._is_long(rows, cols):
            pairs = zip(matrix.reshape((-1, *matrix.shape[-2:])), direction.reshape((-1, *matrix.shape[-2:])))
            return self._joined([self._along_by_minors(*pair, rows, cols, kind) for pair in pairs], matrix)
        # Every product has one entry of each row: what it changes by is the sum over the rows of the products in which
        # the direction's row stands in its place, and the derivatives by other rows' entries are those of such matrices.
        places: Any = (Ellipsis, rows[:, None], cols)
        size = len(rows)
        changed = np.repeat(matrix[places].astype(kind)[..., None, :, :], size, axis=-3)
        each = np.arange(size)
        changed[..., each, each, :] = direction[places]
        value, _, derivatives, _ = self._written_out(changed)
        derivatives[..., each, each, :] = 0
        total = np.zeros(matrix.shape, kind)
        np.add.at(total, places, derivatives.sum(axis=-3))
        return values(np.asarray(value.sum(axis=-1)), None), values(total, None)

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
        import numpy as np

        stack = np.ascontiguousarray(stack)
        shape = stack.shape[:-2]
        value, error = np.ones(prod(shape), stack.dtype), np.zeros(prod(shape))
        derivatives, errors = np.zeros(stack.size, stack.dtype), np.zeros(stack.size)
        if stack.size:
            _core.gradients(stack.reshape((-1, *stack.shape[-2:])), self.what, value, error, derivatives, errors, self.asked)
        return value.reshape(shape), error.reshape(shape), derivatives.reshape(stack.shape), errors.reshape(stack.shape)

    # ---- Of many rows that are repeated: by entries, one after the other.

    def _is_long(self, rows: Array, cols: Array) -> bool:
        return len(rows) > _MOST_WRITTEN_OUT and min(len(set(rows.tolist())), len(set(cols.tolist()))) < len(rows)

    def _minors(self, rows: Array, cols: Array) -> list[tuple[int, int, int, Array, Array]]:
        """Entries (i, j), how many of them there are, and the rows and columns that are left without one of them."""
        import numpy as np

        (row, first, times), (col, first_col, col_times) = (np.unique(indices, return_index=True, return_counts=True)
                                                            for indices in (rows, cols))
        return [(int(row[a]), int(col[b]), int(times[a] * col_times[b]), np.delete(rows, first[a]), np.delete(cols, first_col[b]))
                for a in range(len(row)) for b in range(len(col))]

    def _by_minors(self, matrix: Array, rows: Array, cols: Array) -> tuple[Values, Values]:
        import numpy as np

        from ._values import values

        derivatives, errors = np.zeros(matrix.shape, matrix.dtype), np.zeros(matrix.shape)
        for i, j, times, other_rows, other_cols in self._minors(rows, cols):
            minor = self.function(matrix, rows=other_rows, cols=other_cols, **self.asked)
            derivatives[i, j], errors[i, j] = times * minor, times * minor.error * (1 + 2.0**-50) + abs(times * minor) * 2.0**-52
        value = self.function(matrix, rows=rows, cols=cols, **self.asked)
        return values(np.array(value, matrix.dtype), np.array(value.error)), values(derivatives, errors)

    def _along_by_minors(self, matrix: Array, direction: Array, rows: Array, cols: Array, kind: Any) -> tuple[Array, Array]:
        import numpy as np

        value, total = np.zeros((), kind), np.zeros(matrix.shape, kind)
        for i, j, times, other_rows, other_cols in self._minors(rows, cols):
            if direction[i, j] != 0:
                minor, derivatives = _Question(self.what, other_rows, other_cols, self.asked).gradient(matrix)
                value += times * direction[i, j] * minor
                total += times * direction[i, j] * derivatives
        return value, total

    def _joined(self, found: Sequence[tuple[Any, Any]], matrix: Array) -> tuple[Values, Values]:
        """One array of the answers of several matrices."""
        import numpy as np

        from ._values import values

        def join(parts: Sequence[Any], shape: tuple[int, ...]) -> Values:
            errors = [getattr(part, "error", None) for part in parts]
            known = not any(error is None for error in errors)
            return values(np.array([np.asarray(part) for part in parts]).reshape(shape),
                          np.array(errors).reshape(shape) if known else None)

        return join([value for value, _ in found], matrix.shape[:-2]), join([part for _, part in found], matrix.shape)
