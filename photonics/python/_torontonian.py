"""Torontonians of arrays, one or many."""

from __future__ import annotations

from . import _core, _np as np
from ._arrays import laid_out, of_one_set
from ._dense import _floats
from ._errors import input_error
from ._numbers import Real

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._types import Bytes, Device, Precision, Progress, Seconds, Tolerance, Whole


def torontonian(
    matrix: Any, loop: Any = None, *, rtol: Tolerance = None, atol: Tolerance = None, threads: Whole = None,
    device: Device = None, precision: Precision = None, time_limit: Seconds = None, memory_limit: Bytes = None, progress: Progress = False,
) -> Any:
    """Computes the torontonian, or the loop torontonian: the sum over sets of modes that threshold detectors ask for.

    That is the sum over all sets S of n modes of (-1)^(n - |S|) / sqrt(det(I - O_S)); with a loop g each term times
    exp(g_S^T (I - O_S)^-1 conj(g_S) / 2). Mode i is rows i and i + n of O: the conventions of The Walrus.

    Parameters
    ----------
    matrix : array or nested lists
        Hermitian O of shape 2n x 2n, or B x 2n x 2n for a list of B answers, such that I - O is positive definite.
    loop : sequence of numbers, optional
        The loop g, one number for each row; of B matrices one for all of them, or B x 2n.
    rtol, atol : float
        Entries that should be conjugate may differ by atol + rtol times the larger, 0 by default: then their mean is
        taken, and what they differ by goes into the error.
    precision : {"auto", "double", "double-double"}
        Arithmetic; "auto": doubles, and double-doubles where these leave less than nine digits.

    Returns
    -------
    Real, with its error

    References
    ----------
    N. Quesada, J. M. Arrazola, N. Killoran, "Gaussian boson sampling using threshold detectors", 2018,
    doi:10.1103/PhysRevA.98.062322. J. F. F. Bulmer, S. Paesani, R. S. Chadwick, N. Quesada, "Threshold detection
    statistics of bosonic states", 2022, arXiv:2202.04600.

    Examples
    --------
    >>> float(matchcount.torontonian([[0.75, 0.0], [0.0, 0.75]]))
    3.0
    """
    if (rtol is None and atol is None and threads is None and device is None and (precision is None or precision == "double")
            and time_limit is None and memory_limit is None and progress is False):
        value = _core.small_torontonian(matrix, loop, precision is not None)
        if value is not None:
            return value
    asked = locals()
    matrix = _floats(of_one_set(matrix), "a matrix")
    if matrix.ndim not in (2, 3) or matrix.shape[-1] != matrix.shape[-2]:
        raise input_error(f"a matrix of shape {matrix.shape}", "a square one, or several")
    if loop is not None:
        loop = _floats(loop, "a loop")
        if loop.shape not in (matrix.shape[:-1], matrix.shape[-1:]):
            raise input_error(f"a loop of shape {loop.shape}", f"one number for each of {matrix.shape[-1]} rows")
        kind = np.result_type(matrix, loop)
        matrix = matrix.astype(kind, copy=False)
        loop = laid_out(np.broadcast_to(loop, matrix.shape[:-1]), kind)
    if matrix.ndim == 3:
        if matrix.size:
            return _core.torontonian_batch(matrix, loop, asked)
        _core.check_options(asked)
        return [Real(1)] * len(matrix)
    if matrix.size:
        return _core.torontonian(matrix, loop, asked)
    _core.check_options(asked)
    return Real(1)
