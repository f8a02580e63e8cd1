"""Many answers about one matrix: permanents of selections of rows and columns, and loop hafnians for many loops."""

from __future__ import annotations

import time
from itertools import accumulate, chain

from . import _core, _np as np
from ._arrays import indices, laid_out, of_one_set, values
from ._dense import _floats, _symmetric_mean, _times
from ._errors import input_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ._arrays import Array
    from ._types import Bytes, Device, Precision, Progress, Seconds, Tolerance, Whole
    from ._values import Values


def _indices(given: Any, which: str) -> tuple[Array, list[int], tuple[int, ...]]:
    """Indices of patterns one behind the other, as uint32, how many each has, and the shape that answers have."""
    try:
        array = np.asarray(given)
        if array.ndim < 2:
            raise ValueError
        sizes, shape = [array.shape[-1]] * (array.size // max(array.shape[-1], 1)), array.shape[:-1]
        if not array.size:
            sizes = [0] * int(np.prod(shape))
    except ValueError:  # of several lengths
        try:
            patterns = [list(pattern) for pattern in given]
        except TypeError:
            raise input_error(f"{which} of type {type(given).__name__}", "a sequence of sequences of indices") from None
        sizes, shape = [len(pattern) for pattern in patterns], (len(patterns),)
        array = np.array(list(chain.from_iterable(patterns)))
    array = indices(array if not hasattr(given, "_mask") else given, which)
    # Negative numbers and those above 2^32 become one that no matrix has as an index.
    inside = (array >= 0) & (array < (1 << 32) - 1)
    return np.where(inside, array, (1 << 32) - 1).astype(np.uint32).ravel(), sizes, shape


def permanents(
    matrix: Any, *, rows: Sequence[Sequence[int]], cols: Sequence[Sequence[int]], threads: Whole = None, device: Device = None,
    precision: Precision = None, time_limit: Seconds = None, memory_limit: Bytes = None, progress: Progress = False,
) -> Values:
    """Computes permanents of many selections of rows and columns of one matrix.

    Parameters
    ----------
    matrix : array or nested lists
        Shape n x m, of floats or complex numbers: of photons the unitary of their modes.
    rows, cols : sequence of sequences of int, or array
        Patterns: B of each, or arrays of shape (..., k). Pattern p is the permanent of
        ``matrix[numpy.ix_(rows[p], cols[p])]``, each index as often as it stands there. Divided by the roots of the
        factorials of how often each does, it is the amplitude of photons that go from modes cols[p] to modes rows[p].

    Returns
    -------
    Values, an array of the patterns' shape, with ``.error``; nan where there is no answer, and why in ``.reasons``

    References
    ----------
    S. Scheel, "Permanents in linear optical networks", 2004, arXiv:quant-ph/0406127.

    Examples
    --------
    >>> matchcount.permanents([[1.0, 2.0], [3.0, 4.0]], rows=[[0, 1], [0, 0]], cols=[[0, 1], [1, 1]]).tolist()
    [10.0, 8.0]
    """
    asked = locals()
    matrix = _floats(matrix, "a matrix")
    if matrix.ndim != 2:
        raise input_error(f"patterns of an array of shape {matrix.shape}", "a matrix")
    row_indices, row_sizes, shape = _indices(rows, "rows")
    column_indices, column_sizes, column_shape = _indices(cols, "cols")
    if shape != column_shape:
        raise input_error(f"rows for answers of shape {shape} and cols for {column_shape}", "as many of both")
    uneven = {p: f"{size} rows and {other} columns" for p, (size, other) in enumerate(zip(row_sizes, column_sizes))
              if size != other}
    if uneven:  # these are left out
        even = np.array(row_sizes) == column_sizes
        row_indices, column_indices = (indices[np.repeat(even, sizes)] for indices, sizes in (
            (row_indices, row_sizes), (column_indices, column_sizes)))
        row_sizes = (even * row_sizes).tolist()
    found, error = np.empty(len(row_sizes), matrix.dtype), np.empty(len(row_sizes))
    reasons = _core.patterns(matrix, row_indices, column_indices, list(accumulate(row_sizes)), found, error, asked)
    found[list(uneven)] = error[list(uneven)] = np.nan
    return values(found.reshape(shape), error.reshape(shape), {**reasons, **uneven})


def loop_hafnians(
    matrix: Any, diagonals: Any, *, rtol: Tolerance = None, atol: Tolerance = None, threads: Whole = None, device: Device = None,
    precision: Precision = None, time_limit: Seconds = None, memory_limit: Bytes = None, progress: Progress = False,
) -> Values:
    """Computes the loop hafnians of one matrix with many diagonals.

    From 6 to 22 vertices the diagonals share most of the work, where there are twice as many of them.

    Parameters
    ----------
    matrix : array or nested lists
        Symmetric, n x n, of floats or complex numbers; what stands on the diagonal is not read.
    diagonals : array or nested lists
        Shape (..., n): what a vertex weighs if it stays unmatched.
    rtol, atol : float
        Floats A_ij and A_ji may differ by atol + rtol times the larger, 0 by default: then their mean is taken, and what
        that is off goes into the error.

    Returns
    -------
    Values, an array of shape ``diagonals.shape[:-1]``, with ``.error``; nan beyond the range of floats, see ``.reasons``

    References
    ----------
    A. Bjorklund, B. Gupt, N. Quesada, "A faster hafnian formula for complex matrices and its benchmarking on a
    supercomputer", 2019, doi:10.1145/3325111.

    Examples
    --------
    >>> matchcount.loop_hafnians([[0.0, 5.0], [5.0, 0.0]], [[0.0, 0.0], [2.0, 3.0]]).tolist()
    [5.0, 11.0]
    """
    asked = locals()
    matrix, loops = _floats(of_one_set(matrix), "a matrix"), _floats(diagonals, "diagonals")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise input_error(f"a matrix of shape {matrix.shape}", "a square one")
    if not loops.ndim or loops.shape[-1] != len(matrix):
        raise input_error(f"diagonals of shape {loops.shape}", f"{len(matrix)} numbers in each")
    kind = np.result_type(matrix, loops)
    matrix, loops = (laid_out(array, kind) for array in (matrix, loops))
    shape = loops.shape[:-1]
    found, error = np.empty(shape, kind), np.empty(shape)
    start, spread = time.monotonic(), None
    if rtol is not None or atol is not None:
        matrix, sizes, spread = _symmetric_mean(matrix, rtol, atol)
    reasons = _core.loop_hafnians(matrix, loops, found.reshape(-1), error.reshape(-1), asked)
    if spread is not None and spread.any():  # as for a hafnian
        loops = np.abs(loops) * (1 + 2.0**-50)
        for sign, one in ((1, sizes + spread), (-1, sizes)):
            left = None if time_limit is None else max(1e-9, time_limit - (time.monotonic() - start))
            end = loop_hafnians(one, loops, threads=threads, time_limit=left, memory_limit=memory_limit)
            error += (sign * np.asarray(end) + np.asarray(end.error)) * (1 + sign * 2.0**-50)
        error *= 1 + 2.0**-48
    return values(found, error, reasons)


def amplitudes(matrix: Any, *, rows: Sequence[int], chunk: int = 4096) -> Iterator[tuple[Array, Values]]:
    """Streams all amplitudes of one choice of rows, those of every choice of as many columns, in little memory.

    The amplitude of a choice is the permanent of ``matrix[numpy.ix_(rows, cols)]`` over the root of the product of the
    factorials of how often each row and each column is there: of photons that go from modes cols to modes rows. Those of
    one input to all outputs are the transposed matrix's.

    Parameters
    ----------
    matrix : array or nested lists
        Shape n x m, of floats or complex numbers.
    rows : sequence of int
        Up to 64 indices, each as often as it is to stand there.
    chunk : int
        How many amplitudes come at once.

    Returns
    -------
    iterator of tuple
        Columns of shape (chunk, len(rows)), ascending, in lexicographic order; their Values, complex, with ``.error``.

    References
    ----------
    N. Heurtel, S. Mansfield, J. Senellart, B. Valiron, "Strong simulation of linear optical processes", 2023,
    doi:10.1016/j.cpc.2023.108848. E. Carlen, E. H. Lieb, M. Loss, "An inequality of Hadamard type for permanents", 2006,
    arXiv:math/0508096.

    Examples
    --------
    >>> for columns, values in matchcount.amplitudes([[0.6, 0.8], [0.8, -0.6]], rows=[0, 1]):
    ...     print(columns.tolist(), values.real.round(3).tolist())
    [[0, 0], [0, 1], [1, 1]] [0.679, 0.28, -0.679]
    """
    array = _floats(matrix, "a matrix").astype(np.complex128)
    if array.ndim != 2:
        raise input_error(f"amplitudes of an array of shape {array.shape}", "a matrix")
    if not isinstance(chunk, int) or chunk < 1:
        raise input_error(f"chunk={chunk!r}", "a whole number from 1 on")
    return _chunks(_core.stream(array, _times(rows, len(array), "rows")[1]), len(rows), chunk)


def _chunks(stream: _core.Amplitudes, photons: int, chunk: int) -> Iterator[tuple[Array, Values]]:
    count = chunk
    while count == chunk:
        columns = np.empty((chunk, photons), np.uint32)
        found, error = np.empty(chunk, np.complex128), np.empty(chunk)
        count = stream.take(columns, found, error)
        if count:
            yield columns[:count], values(found[:count], error[:count])
