"""Graphs of files and of known families."""

from __future__ import annotations

from . import _core
from ._core import Graph
from ._errors import input_error
from ._inputs import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._types import Duplicates, Family, Flag, Format, Kind, Name, Path, Seconds


def read(
    file: Path, *, kind: Kind = None, format: Format = None, duplicates: Duplicates = "refuse", keep_zeros: Flag = None,
    header: Flag = None, delimiter: Name = None, columns: Name = None, weight_key: Name = None, loops: Flag = None,
    time_limit: Seconds = None,
) -> Graph:
    """Reads the graph that a file describes; formats are those of the command line.

    Examples
    --------
    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "square.txt")
    >>> with open(file, "w") as out:
    ...     _ = out.write("a b 2\\nb c 3\\nc d 2\\nd a 3\\n")
    >>> matchcount.read(file, kind="undirected")
    Graph(undirected, 4 vertices, 4 edges, weighted)
    """
    asked = locals()
    return _core.read(_path(file), asked)


def read_all(
    file: Path, *, kind: Kind = None, format: Format = None, duplicates: Duplicates = "refuse", keep_zeros: Flag = None,
    header: Flag = None, delimiter: Name = None, columns: Name = None, weight_key: Name = None, loops: Flag = None,
    time_limit: Seconds = None,
) -> Iterator[Graph]:
    """Reads the graphs that a file holds, one after another: lines of graph6, an SDF, a three-dimensional .npy.

    Examples
    --------
    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "two.g6")
    >>> with open(file, "w") as out:
    ...     _ = out.write("A_\\nCl\\n")
    >>> [matchcount.count_perfect_matchings(graph) for graph in matchcount.read_all(file)]
    [1, 2]
    """
    asked = locals()
    return _core.read_all(_path(file), asked)


def _path(file: Any) -> str:
    import os

    try:
        return os.fsdecode(file)
    except TypeError:
        raise input_error(f"a file of type {type(file).__name__}", "a path") from None


def generate(
    kind: Family, *sizes: float, density: float | None = None, weights: str | tuple[int, int] | None = None, seed: int = 1,
) -> Graph:
    """Makes a graph of a known family.

    Parameters
    ----------
    kind : str
        "grid", "torus", "knight", "king", "triangular", "honeycomb", "kagome", "square-octagon", "lieb" (height,
        width), "grid3d", "hexagon" (three lengths), "aztec" (order),
        "hypercube" (dimension), "complete" (rows, columns), "band" (size, half of the bandwidth), "regular" (size,
        degree), "random" (rows, columns, density) or "planar" (size, density).
    *sizes : int
        Lengths and numbers of vertices, 0 to 2^31 - 1.
    density : float, optional
        Of "random" and "planar": the probability of an edge, from 0 to 1.
    weights : str or (int, int), optional
        Random weights: "uniform", "normal", "complex", "signs", or (low, high) for integers.

    References
    ----------
    N. Elkies, G. Kuperberg, M. Larsen, J. Propp, "Alternating-sign matrices and domino tilings", 1992,
    doi:10.1023/A:1022420103267, for Aztec diamonds.

    Examples
    --------
    >>> matchcount.generate("grid", 8, 8)
    Graph(bipartite, 32 x 32, 112 edges)
    """
    families = _core.families()
    if kind not in families:
        raise input_error(f"the kind {kind!r}", "one of " + ", ".join(families))
    number = families[kind]
    if kind in ("random", "planar"):
        if len(sizes) == number + 1 and density is None:
            *sizes, density = sizes  # type: ignore[assignment]
        density = 0.7 if density is None and kind == "planar" else density
        if not isinstance(density, (int, float)) or not 0 <= density <= 1:
            raise input_error(f"density={density!r}", "a density from 0 to 1")
    elif density is not None:
        raise input_error(f"a density for {kind}", "none")
    if len(sizes) != number:
        raise input_error(f"sizes {tuple(sizes)!r}", f"{number} of them for {kind}")
    lengths = [whole(size, "size") for size in sizes]
    if max(lengths) >= 1 << 31:
        raise input_error(f"a size of {max(lengths)}", "sizes below 2^31")
    seed = whole(seed, "seed")
    graph = _core.generate(kind, lengths, float(density or 0), seed)
    if weights is None:
        return graph
    if isinstance(weights, str):
        return _core.with_weights(graph, weights, (0, 0), seed)
    return _core.with_weights(graph, "integers", _range(weights), seed)


def _range(weights: Any) -> tuple[int, int]:
    try:
        low, high = (bound.__index__() for bound in weights)
    except (TypeError, ValueError, AttributeError):
        raise input_error(f"weights={weights!r}", "'uniform', 'normal', 'complex', 'signs' or (low, high)") from None
    if not -1 << 63 <= low <= high < 1 << 63:
        raise input_error(f"weights={weights!r}", "two integers of 64 bits, the lesser first")
    return low, high
