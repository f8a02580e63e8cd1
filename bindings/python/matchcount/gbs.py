"""Probabilities of photon counters behind Gaussian states.

Conventions: quadratures in the order x_1 ... x_n, p_1 ... p_n (xxpp); the vacuum's covariance matrix is hbar / 2 times the
identity, so that coherent light of amplitude alpha has means sqrt(2 hbar) (re alpha, im alpha). As The Walrus has it.
"""

from __future__ import annotations

import math

from ._dense import _floats, hafnian, torontonian
from ._errors import input_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._types import Seconds, Whole

__all__ = ["probability"]


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
    import numpy as np

    if not (isinstance(hbar, (int, float)) and 0 < hbar < math.inf):
        raise input_error(f"hbar={hbar!r}", "a number above 0")
    array, n = _floats(cov, "cov"), len(pattern)
    mean = np.zeros(2 * n) if means is None else _floats(means, "means")
    if array.shape != (2 * n, 2 * n) or mean.shape != (2 * n,) or "c" in (array.dtype.kind, mean.dtype.kind):
        raise input_error(f"cov of shape {array.shape}, means of {mean.shape} and a pattern of {n} modes",
                          "2n x 2n and 2n reals for n modes")
    if not (np.isfinite(array).all() and np.isfinite(mean).all()):
        raise input_error("a mean or covariance that is not finite", "finite numbers")
    counts = np.asarray(pattern)
    if n and (counts.dtype.kind not in "iu" or counts.min() < 0 or threshold and counts.max() > 1):
        raise input_error(f"pattern={pattern!r}", "0 or 1 for each mode" if threshold else "numbers of photons")
    if n == 0:
        return 1.0
    scale = np.abs(array).max()
    if np.abs(array - array.T).max() > 1e-9 * scale:
        raise input_error("a covariance matrix that is not symmetric", "a symmetric one")
    cov = (array + array.T) / hbar  # the vacuum's is the identity
    form = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    if np.linalg.eigvalsh(cov + 1j * form).min() < -1e-9 * max(1.0, float(np.abs(cov).max())):
        raise input_error("a covariance matrix below the vacuum's noise", "that of a state, for this hbar and in xxpp")
    # From quadratures to a and its adjoint, Husimi's covariance matrix.
    turn = np.block([[np.eye(n), 1j * np.eye(n)], [np.eye(n), -1j * np.eye(n)]]) / math.sqrt(2)
    husimi = (turn @ cov @ turn.conj().T + np.eye(2 * n)) / 2
    inverse = np.linalg.inv(husimi)
    beta = turn @ mean / math.sqrt(hbar)
    vacuum = math.exp(-(beta.conj() @ inverse @ beta).real / 2 - np.linalg.slogdet(husimi)[1] / 2)
    loop = beta.conj() @ inverse
    kept = np.eye(2 * n) - inverse
    displaced = bool(beta.any())
    if threshold:
        modes = np.flatnonzero(counts)
        rows = np.concatenate([modes, modes + n])
        within = kept[np.ix_(rows, rows)]
        sum_of = torontonian((within + within.conj().T) / 2, loop[rows] if displaced else None, threads=threads,
                             time_limit=time_limit)
        return float(vacuum * sum_of)
    rows = np.repeat(np.arange(2 * n), np.concatenate([counts, counts]))
    swapped = np.roll(kept, n, axis=0)
    swapped = ((swapped + swapped.T) / 2)[np.ix_(rows, rows)]
    if displaced:
        np.fill_diagonal(swapped, loop[rows])
    found = hafnian(swapped, displaced, threads=threads, time_limit=time_limit)
    return float(vacuum * complex(found).real / math.prod(math.factorial(int(count)) for count in counts))
