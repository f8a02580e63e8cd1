"""Arrays of answers, with what each of them is off by at most. The one module that needs numpy when it is imported."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import values


class Values(np.ndarray[Any, Any]):
    """An array of floats or complex numbers with bounds on their errors.

    Attributes
    ----------
    error : array of float or None
        Of the same shape: bounds on the distances from the truth; None of an array that was computed from such a one.
    reasons : dict
        Why an entry is nan, by its place in the flattened array; the part of an array has none.
    """

    error: NDArray[np.float64] | None
    reasons: dict[int, str]

    def __array_finalize__(self, _: Any) -> None:
        self.error, self.reasons = None, {}

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        if isinstance(part, Values) and self.error is not None:
            part.error = self.error[index]
        return part

    def __reduce__(self) -> tuple[Any, ...]:
        return values, (np.asarray(self), self.error, self.reasons)
