"""Probabilities and samples of photon counters behind Gaussian states and interferometers.

Conventions: quadratures in the order x_1 ... x_n, p_1 ... p_n (xxpp); the vacuum's covariance matrix is hbar / 2 times the
identity, so that coherent light of amplitude alpha has means sqrt(2 hbar) (re alpha, im alpha). As The Walrus has it.
"""

from __future__ import annotations

import math

from . import _core, _np as np
from ._arrays import indices, laid_out
from ._dense import _floats
from ._errors import input_error
from ._inputs import checked, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._arrays import Array
    from ._types import Bytes, Seconds, Whole

__all__ = ["probability", "sample", "sample_photons"]


def probability(
    cov: Any, means: Any = None, pattern: Sequence[int] = (), *, threshold: bool = False, hbar: float = 2.0,
    threads: Whole = None, time_limit: Seconds = None,
) -> float:
    """Computes the probability that detectors see a pattern behind a Gaussian state.

    Parameters
    ----------
    cov : array
        Covariance matrix, shape 2n x 2n, xxpp, where the vacuum's is hbar / 2 times the identity.
    means : array, optional
        Means of the quadratures, 2n of them in the same order; zeros by default.
    pattern : sequence of int
        How many photons each of the n modes has; with ``threshold`` whether its detector clicks, 0 or 1.
    threshold : bool
        Whether detectors tell no photon from some alone.
    hbar : float
        The convention's constant, above 0.

    Returns
    -------
    float
        Its error is not bounded, for that of the covariance matrix's inverse is not.

    Raises
    ------
    InputError
        Shapes that do not fit, a covariance matrix that is not symmetric or not above the vacuum's noise.

    References
    ----------
    C. S. Hamilton, R. Kruse, L. Sansoni, S. Barkhofen, C. Silberhorn, I. Jex, "Gaussian boson sampling", 2017,
    doi:10.1103/PhysRevLett.119.170501. J. F. F. Bulmer, S. Paesani, R. S. Chadwick, N. Quesada, "Threshold detection
    statistics of bosonic states", 2022, arXiv:2202.04600.

    Examples
    --------
    >>> import numpy
    >>> from matchcount import gbs
    >>> round(gbs.probability(numpy.diag([3.0, 3.0]), None, [1]), 12)  # thermal light of a mean of one photon
    0.25
    """
    asked = checked(locals())
    n = len(pattern)
    counts = _counts(pattern, "pattern")
    if threshold and n and counts.max() > 1:
        raise input_error(f"pattern={pattern!r}", "0 or 1 for each mode")
    return _core.gaussian_probability(*_state(cov, means, hbar, n), counts.tolist(), bool(threshold), asked)


def sample(
    cov: Any, means: Any = None, shots: int = 1, *, cutoff: int | None = None, threshold: bool = False, hbar: float = 2.0,
    seed: Whole = None, threads: Whole = None, time_limit: Seconds = None, memory_limit: Bytes = None,
) -> Array:
    """Draws what detectors see behind a Gaussian state.

    Mode by mode, each from its probabilities given those before it; shots that begin alike share these.

    Parameters
    ----------
    cov : array
        Covariance matrix, shape 2n x 2n, xxpp, where the vacuum's is hbar / 2 times the identity.
    means : array, optional
        Means of the quadratures, 2n of them in the same order; zeros by default.
    shots : int
        How many to draw.
    cutoff : int, optional
        The most photons that a mode may have: patterns of more are drawn again, and so are those that remain as likely
        beside each other as they were. None: there is no such bound.
    threshold : bool
        Whether detectors tell no photon from some alone.
    hbar : float
        The convention's constant, above 0.

    Returns
    -------
    array of int, shots x n
        How many photons each mode has; with ``threshold`` whether its detector clicks, 0 or 1.

    Raises
    ------
    InputError
        Shapes that do not fit, a covariance matrix that is not symmetric or not above the vacuum's noise.
    Unable
        A cutoff that leaves out nearly all patterns; more photons than a hafnian can be computed of within the limits.

    References
    ----------
    N. Quesada, J. M. Arrazola, "Exact simulation of Gaussian boson sampling in polynomial space and exponential time",
    2020, doi:10.1103/PhysRevResearch.2.023005.

    Examples
    --------
    >>> import numpy
    >>> from matchcount import gbs
    >>> gbs.sample(numpy.diag([3.0, 3.0]), shots=5, seed=2).shape  # thermal light
    (5, 1)
    """
    asked = checked(locals())
    array = _floats(cov, "cov")
    n = len(array) // 2 if array.ndim else 0
    drawn = np.empty((whole(shots, "shots"), n), np.uint32)
    limit = None if cutoff is None else whole(cutoff, "cutoff")
    _core.gaussian_samples(*_state(array, means, hbar, n), bool(threshold), limit, drawn, asked)
    return drawn.astype(np.int64)


def sample_photons(
    matrix: Any, counts: Sequence[int], shots: int = 1, *, seed: Whole = None, threads: Whole = None,
    time_limit: Seconds = None, memory_limit: Bytes = None,
) -> Array:
    """Draws how many photons leave an interferometer by each of its modes: boson sampling.

    Parameters
    ----------
    matrix : array
        The unitary of the modes; entry (i, j) is the amplitude of a photon from mode j to mode i, as for permanents.
    counts : sequence of int
        How many photons enter by each mode, a number for each column.
    shots : int
        How many to draw.

    Returns
    -------
    array of int, shots x modes
        How many photons leave by each mode.

    Raises
    ------
    InputError
        Columns with photons that are not orthonormal, or counts that are not as many as columns.

    References
    ----------
    P. Clifford, R. Clifford, "The classical complexity of boson sampling", 2018, arXiv:1706.01260.

    Examples
    --------
    >>> from matchcount import gbs
    >>> gbs.sample_photons([[0.6, 0.8], [0.8, -0.6]], [1, 1], 4).sum(axis=1).tolist()
    [2, 2, 2, 2]
    """
    asked = checked(locals())
    array = _floats(matrix, "a matrix").astype(np.complex128)
    times = _counts(counts, "counts")
    if array.ndim != 2 or array.shape[1] != len(times):
        raise input_error(f"a matrix of shape {array.shape} and {len(times)} counts", "a count for each column")
    drawn = np.empty((whole(shots, "shots"), len(array)), np.uint32)
    _core.photon_samples(array, times.tolist(), drawn, asked)
    return drawn.astype(np.int64)


def _counts(given: Sequence[int], what: str) -> Array:
    counts = indices(given, what)
    if counts.ndim != 1 or counts.size and (counts.min() < 0 or counts.max() >= 1 << 32):
        raise input_error(f"{what}={given!r}", "numbers of photons")
    return counts.astype(np.int64)


def _state(cov: Any, means: Any, hbar: float, n: int) -> tuple[Array, Array, float]:
    """Returns what the state of n modes is made of, in the shapes and types that it has to have."""
    array = _floats(cov, "cov")
    mean = np.zeros(2 * n) if means is None else _floats(means, "means")
    if not (isinstance(hbar, (int, float)) and 0 < hbar < math.inf):
        raise input_error(f"hbar={hbar!r}", "a number above 0")
    if array.shape != (2 * n, 2 * n) or mean.shape != (2 * n,) or "c" in (array.dtype.kind, mean.dtype.kind):
        raise input_error(f"cov of shape {array.shape} and means of {mean.shape} for {n} modes",
                          "2n x 2n and 2n reals for n modes")
    return laid_out(array, np.float64), laid_out(mean, np.float64), float(hbar)
