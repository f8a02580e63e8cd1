"""Permanents, hafnians and determinants of arrays, one or many."""

from __future__ import annotations

import time

from . import _core, _np as np
from ._arrays import as_array, indices, is_array, is_extended, of_one_set, on_gpu, stands_otherwise
from ._counts import counted, require_square
from ._errors import OverLimit, input_error
from ._inputs import as_graph, asked_graph, checked, is_nested, refuse_symmetric_pairs, require_kind
from ._numbers import Complex, Real
from ._options import GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Unpack

    from ._arrays import Array
    from ._options import Determinants, DigraphCounts, MatrixCounts
    from ._types import Number, Tolerance

# Arrays of these sizes are expanded at once (matchcount/batches.hpp); for others the engine plans.
_MOST_ROWS = {"permanent": 16, "hafnian": 32, "loop hafnian": 32}
# Options that the expansion does not take.
_ENGINE_KEYWORDS = (*GROUPS["Search"], *GROUPS["Tuning"], *GROUPS["Saving"])


def _each(function: Callable[..., Any], arrays: Array, asked: dict[str, Any]) -> list[Any]:
    """function(matrix, ...) of each matrix, all of them within the time limit."""
    keywords = {name: value for name, value in asked.items() if value is not None and name not in ("matrix", "rows", "cols")}
    limit = asked.get("time_limit")
    if not len(arrays):
        _core.check_options(asked, function is not determinant)
    if not isinstance(limit, (int, float)) or not limit > 0:
        return [function(one, **keywords) for one in arrays]
    values: list[Any] = []
    end = time.monotonic() + limit
    for one in arrays:
        left = end - time.monotonic()
        if left <= 0:
            raise OverLimit(f"the time limit of {limit} s was over after {len(values)} of {len(arrays)} matrices")
        values.append(function(one, **{**keywords, "time_limit": left}))
    return values


def _one(array: Array) -> Number:
    """1, as answers of such entries are."""
    types: dict[str, type[Number]] = {"f": Real, "c": Complex}
    return types.get(array.dtype.kind, int)(1)


def _batch(array: Array, what: str, asked: dict[str, Any]) -> list[Number]:
    if array.shape[1] != array.shape[2]:
        raise input_error(f"matrices of {array.shape[1]} x {array.shape[2]}", "square ones")
    if array.size:
        return _core.batch(array, what, asked)
    _core.check_options(asked)
    return [_one(array)] * len(array)


def _times(given: Any, count: int, which: str) -> tuple[Array, list[int]]:
    """Indices as an array, and how often each is there."""
    array = indices(given, which)
    if array.ndim != 1:
        raise input_error(f"{which}={given!r}", "a sequence of indices")
    if array.size and not (0 <= array.min() and array.max() < count):
        raise input_error(f"{which} from {array.min()} to {array.max()}", f"indices from 0 to {count - 1}")
    array = array.astype(np.int64)
    return array, np.bincount(array, minlength=count).tolist() if array.size else [0] * count


def _repeated(function: Callable[..., Any], array: Array, what: str, asked: dict[str, Any]) -> Any:
    """Answers for rows and columns by index, each as often as it stands there; a hafnian's columns are its rows."""
    is_permanent = what == "permanent"
    if array.ndim != 2 or not (is_permanent or array.shape[0] == array.shape[1]):
        raise input_error(f"rows or cols of an array of shape {array.shape}", "a matrix" if is_permanent else "a square matrix")
    rows, cols = asked["rows"], asked["cols" if is_permanent else "rows"]
    rows, row_times = _times(range(array.shape[0]) if rows is None else rows, array.shape[0], "rows")
    cols, column_times = _times(range(array.shape[1]) if cols is None else cols, array.shape[1], "cols")
    if len(rows) != len(cols):
        raise input_error(f"{len(rows)} rows and {len(cols)} columns", "as many of both: a square matrix has a permanent")
    if not _is_plain(array) or _asks_engine(asked):
        return _each(function, array[np.ix_(rows, cols)][None], asked)[0]
    if array.size:
        return _core.repeated(array, what, row_times, column_times, asked)
    _core.check_options(asked)
    return _one(array)


def _is_plain(array: Array) -> bool:
    """Says whether the expansion takes such entries: words, doubles and complex numbers of these."""
    return array.dtype != object and not is_extended(array)


def _asks_engine(asked: dict[str, Any]) -> bool:
    return asked["full_output"] or any(name in asked for name in _ENGINE_KEYWORDS)


def _of_array(function: Callable[..., Any], array: Array, what: str, asked: dict[str, Any]) -> Any:
    """The answer of a batch, of rows by index, and of a small array that the engine is not asked about; else None."""
    if asked["rows"] is not None or asked.get("cols") is not None:
        return _repeated(function, array, what, asked)
    if array.ndim == 3:
        if asked["full_output"]:
            raise input_error("full_output of a batch", "one matrix")
        by_engine = not _is_plain(array) or _asks_engine(asked)
        return _each(function, array, asked) if by_engine else _batch(array, what, asked)
    if array.ndim == 2 and array.shape[0] == array.shape[1] and _is_plain(array) and (
            1 <= array.shape[0] <= _MOST_ROWS[what] and not _asks_engine(asked)):
        return _batch(array[None], what, asked)[0]
    return None


def _array_or_answer(function: Callable[..., Any], given: Any, what: str, asked: dict[str, Any]) -> tuple[Array | None, Any]:
    """The array and what _of_array answers; no array where a GPU holds it and its kernels are asked."""
    held = on_gpu(given, "a matrix")
    if held is not None and held.is_plain and 0 not in held.shape and len(held.shape) in (2, 3) and (
            held.shape[-1] == held.shape[-2]) and (len(held.shape) == 3 or held.shape[0] <= _MOST_ROWS[what]) and not (
            _asks_engine(asked) or asked["rows"] is not None or asked.get("cols") is not None):
        found = _core.batch_on_gpu(held.address, held.shape, held.dtype.kind == "c", what, asked)
        return None, found if len(held.shape) == 3 else found[0]
    array = as_array(given if held is None else held.on_host(), "a matrix", extended=True)
    return array, _of_array(function, array, what, asked)


def permanent(
    matrix: Any, *, rows: Sequence[int] | None = None, cols: Sequence[int] | None = None, full_output: bool = False,
    **options: Unpack[MatrixCounts],
) -> Any:
    """Computes the permanent of a square matrix.

    Parameters
    ----------
    matrix : array, nested lists, sparse matrix or Graph
        Shape n x n, or B x n x n for a list of B answers; of ints, floats, complex numbers, truths, or objects: ints of any
        size and Fractions. Long doubles are taken as they are; float64 and complex128 on a GPU are read there where that
        takes less time.
    rows, cols : sequence of int, optional
        Indices, each as often as it is to stand there: the permanent of ``matrix[numpy.ix_(rows, cols)]``, where what
        is repeated takes no time of its own. Amplitudes of bosons are such permanents.

    Returns
    -------
    int or Fraction of exact entries, else Real or Complex, with its error; or Result by ``full_output=True``

    References
    ----------
    H. J. Ryser, "Combinatorial mathematics", 1963; D. G. Glynn, "The permanent of a square matrix", 2010,
    doi:10.1016/j.ejc.2010.01.010.

    Examples
    --------
    >>> matchcount.permanent([[1, 2], [3, 4]])
    10
    """
    if not options and rows is None and cols is None and full_output is False:
        value = _core.small(matrix, False, False)  # of a small array about which nothing else is given
        if value is not None:
            return value
    asked = checked(locals(), permanent)
    if isinstance(matrix, (list, tuple)) or is_array(matrix):
        matrix, found = _array_or_answer(permanent, matrix, "permanent", asked)
        if found is not None:
            return found
    elif rows is not None or cols is not None:
        raise input_error("rows or cols of what is no array", "an array")
    graph = as_graph(matrix, otherwise="matrix")
    require_kind(graph, ("matrix", "bipartite", "directed"), "hafnian")
    require_square(graph.num_rows, graph.num_columns)
    return counted(graph, "perfect", True, asked)


def _symmetric_mean(array: Array, rtol: Tolerance, atol: Tolerance) -> tuple[Array, Array, Array]:
    """The mean of a matrix and its transpose, its magnitudes or more, and how far these and any between the two differ."""
    rtol, atol = rtol or 0.0, atol or 0.0
    if not (rtol >= 0 and atol >= 0):
        raise input_error(f"rtol={rtol}, atol={atol}", "tolerances from 0 on")
    differences = np.abs(array - array.T)
    allowed = atol + rtol * np.maximum(np.abs(array), np.abs(array.T))
    if not np.all(differences <= allowed):
        i, j = np.unravel_index(np.argmax(np.where(differences <= allowed, 0, differences)), array.shape)
        raise input_error(f"entries ({i}, {j}) and ({j}, {i}) that differ by {differences[i, j]:.3g}",
                          "a symmetric matrix within the tolerance: (A + A.T) / 2")
    mean = (array + array.T) / 2
    sizes = np.abs(mean) * (1 + 2.0**-50)
    return mean, sizes, np.where(differences > 0, differences * (0.5 + 2.0**-50) + sizes * 2.0**-51 + 5e-324, 0)


def _nearly_symmetric(matrix: Any, asked: dict[str, Any]) -> Any:
    """The hafnian of the mean of a matrix and its transpose, its error that of any matrix between the two.

    With D half of what they differ by, that is off by the hafnian of |A| + D less that of |A| at most.
    """
    given = {name: value for name, value in asked.items() if name not in ("matrix", "rtol", "atol")}
    array = as_array(matrix, "a matrix", extended=True) if is_nested(matrix) or is_array(matrix) else None
    if array is None or array.dtype.kind not in "fc" or array.ndim not in (2, 3) or array.shape[-1] != array.shape[-2]:
        raise input_error("rtol or atol of what is no square array of floats or complex numbers", "one")
    if array.ndim == 3:
        return _each(hafnian, array, asked)
    if given["full_output"]:
        raise input_error("full_output beside rtol or atol", "one of them")
    mean, sizes, spread = _symmetric_mean(array, asked["rtol"], asked["atol"])
    start = time.monotonic()
    value = hafnian(mean, **given)
    if not spread.any():
        return value
    keep: dict[str, Any] = {name: given.get(name) for name in ("loop", "rows", "threads", "memory_limit")}
    ends = []
    for one in (sizes + spread, sizes):
        if "time_limit" in given:
            keep["time_limit"] = max(1e-9, given["time_limit"] - (time.monotonic() - start))
        ends.append(hafnian(one, **keep))
    more, less = ends
    error = (value.error + (float(more) - float(less)) + (more.error + less.error)) * (1 + 2.0**-50)
    return Real(value, error) if isinstance(value, float) else Complex(value.real, value.imag, error)


def hafnian(
    matrix: Any, loop: bool = False, *, rows: Sequence[int] | None = None, full_output: bool = False, rtol: Tolerance = None,
    atol: Tolerance = None, **options: Unpack[DigraphCounts],
) -> Any:
    """Computes the hafnian: the sum over perfect matchings of the product of their edges' weights.

    Parameters
    ----------
    matrix : array, nested lists, sparse matrix, graph or Graph
        Symmetric, n x n, or B x n x n for a list of B answers, of entries as for permanent; or a graph, whose edges'
        ``weight`` counts, 1 where they have none.
    loop : bool
        Whether a vertex may stay unmatched for what stands on the diagonal: the loop hafnian. Else that is not read.
    rows : sequence of int, optional
        Indices, each as often as it is to stand there: the hafnian of ``matrix[numpy.ix_(rows, rows)]``, where what is
        repeated takes little time. Amplitudes of photons from squeezed light are such hafnians.
    rtol, atol : float
        Floats A_ij and A_ji may differ by atol + rtol times the larger, 0 by default: then their mean is taken, and what
        that is off goes into the error.

    Returns
    -------
    int or Fraction of exact entries, else Real or Complex, with its error; or Result by ``full_output=True``

    References
    ----------
    A. Bjorklund, B. Gupt, N. Quesada, "A faster hafnian formula for complex matrices and its benchmarking on a
    supercomputer", 2019, doi:10.1145/3325111.

    Examples
    --------
    >>> matchcount.hafnian([[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0]])
    28
    """
    if rtol is not None or atol is not None:
        return _nearly_symmetric(of_one_set(matrix), checked(locals(), hafnian))
    if not options and rows is None and full_output is False and (loop is False or loop is True):
        value = _core.small(matrix, True, loop)
        if value is not None:
            return value
    asked = checked(locals(), hafnian)
    is_matrix = not asked.keys() & {"columns", "no_edge"} and (is_nested(matrix) or is_array(matrix))
    if is_matrix and asked.get("weight") in ("weight", None) and asked.get("duplicates", "refuse") in ("refuse", "sum", "one"):
        matrix = of_one_set(matrix)
        if asked.get("weight", "weight") is None:
            matrix, asked["weight"] = (as_array(matrix, "a matrix", extended=True) != 0).astype(np.int64), "weight"
        matrix, found = _array_or_answer(hafnian, matrix, "loop hafnian" if loop else "hafnian", asked)
        if found is not None:
            return found
        if matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and not loop:
            matrix = matrix.copy()
            np.fill_diagonal(matrix, 0)
    elif not is_matrix:
        if rows is not None:
            raise input_error("rows of what is no array, or with columns= or no_edge=", "an array alone")
        refuse_symmetric_pairs(matrix)
    graph = asked_graph({**asked, "matrix": matrix}, "matrix", otherwise="undirected", loops=bool(loop))
    require_kind(graph, ("undirected",), "permanent")
    return counted(graph, "perfect", True, asked)


def determinant(matrix: Any, *, full_output: bool = False, **options: Unpack[Determinants]) -> Any:
    """Computes the determinant of a square matrix.

    Parameters
    ----------
    matrix : array, nested lists, sparse matrix or Graph
        Shape n x n, or B x n x n for a list of B answers; entries as for permanent.

    Returns
    -------
    int or Fraction of exact entries, else Real or Complex, with its error; or Result by ``full_output=True``

    Examples
    --------
    >>> matchcount.determinant([[1, 2], [3, 4]])
    -2
    """
    asked = checked(locals(), determinant)
    if stands_otherwise(matrix):
        raise input_error("a DataFrame whose index and columns have the same names in another order",
                          "frame[list(frame.index)], by names, or .to_numpy(), by places")
    if isinstance(matrix, (list, tuple)) or is_array(matrix):
        matrix = as_array(matrix, "a matrix", extended=True)
        if matrix.ndim == 3:
            return _each(determinant, matrix, asked)
        if matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and _is_plain(matrix) and not full_output:
            return _core.array_determinant(matrix, asked)
    graph = as_graph(matrix, otherwise="matrix")
    require_kind(graph, ("matrix", "bipartite", "directed"), "hafnian")
    found = _core.determinant(graph, asked)
    return found if full_output else found.value


def _floats(given: Any, what: str) -> Array:
    """An array of float64 or complex128, without rounding."""
    array = as_array(given, what)
    if array.dtype == object or array.dtype.kind == "i" and array.size and not np.all(np.abs(array) <= 1 << 53):
        raise input_error(f"{what} of exact numbers", "floats or complex numbers")
    return array.astype(np.float64) if array.dtype.kind == "i" else array
