"""Counts perfect matchings, permanents and hafnians, exactly or with a bound on the error.

    >>> import matchcount
    >>> matchcount.count_perfect_matchings(matchcount.generate("grid", 8, 8))
    12988816

``dir(matchcount)`` lists what there is, and each function's help its parameters; those that are None are as if they were
not given. Functions share no state: any threads may call them, and the interpreter's lock is released. Ctrl-C ends them.
"""

import os as _os

from . import _core, _options
from ._core import Decomposition, Estimate, Graph, Plan, Result, Samples, SizeEstimate
from ._counts import (count_cycle_covers, count_matchings, count_optimal_matchings, count_perfect_matchings, decompose,
                      devices, estimate, matching_polynomial, matchings_by_label, matchings_by_size, parity, plan)
from ._dense import determinant, hafnian, permanent
from ._digraphs import count_reachable_pairs, reachable_from, strong_components
from ._distributions import list_matchings, marginals, plan_marginals, plan_samples, sample_matchings
from ._errors import Cancelled, DeviceError, InputError, MatchcountError, NotCompiled, OverLimit, Unable
from ._errors import not_built as _not_built
from ._files import generate, read, read_all
from ._numbers import Complex, EstimatedMarginals, EstimatedProbability, Marginals, PairProbability, Real
from ._outputs import to_igraph, to_networkx, to_rustworkx, to_scipy
from ._pictures import Picture, picture

__version__ = _core.version
__all__ = [
    "Cancelled", "Complex", "Decomposition", "DeviceError", "Estimate", "EstimatedMarginals", "EstimatedProbability",
    "Graph", "InputError", "Marginals", "MatchcountError", "NotCompiled", "OverLimit", "PairProbability", "Picture",
    "Plan", "Real", "Result", "Samples", "SizeEstimate", "Unable", "count_cycle_covers", "count_matchings",
    "count_optimal_matchings", "count_perfect_matchings", "count_reachable_pairs", "decompose", "determinant",
    "devices", "estimate", "generate", "hafnian", "list_matchings", "marginals", "matching_polynomial",
    "matchings_by_label", "matchings_by_size", "parity", "permanent", "picture", "plan", "plan_marginals",
    "plan_samples", "reachable_from", "read", "read_all", "sample_matchings", "strong_components", "to_igraph",
    "to_networkx", "to_rustworkx", "to_scipy",
]
if _core.photonics:
    from . import gbs as gbs, gradients as gradients
    from ._patterns import amplitudes, loop_hafnians, permanents
    from ._torontonian import torontonian

    __all__ += ["amplitudes", "loop_hafnians", "permanents", "torontonian"]

for _name in __all__:
    if _name[0].islower():
        _options.complete(globals()[_name])
_core.set_number_types(Real, Complex)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(before=_core.before_fork)


def __getattr__(name: str) -> object:
    """matchcount.torch, .jax and .molecules, imported when they are first asked for."""
    if not _core.photonics and name in ("amplitudes", "gbs", "gradients", "jax", "loop_hafnians", "permanents", "torch", "torontonian"):
        raise _not_built(name)
    if name not in ("torch", "jax", "molecules"):
        raise AttributeError(f"module 'matchcount' has no attribute '{name}'")
    from importlib import import_module

    return import_module("." + name, __name__)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
