"""Graphs of files and of known families."""

from __future__ import annotations

from . import _core
from ._core import Graph
from ._errors import InputError, input_error
from ._inputs import checked, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Unpack

    from ._options import Files
    from ._types import Family, Path


def read(file: Path, **options: Unpack[Files]) -> Graph:
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
    asked = checked(locals(), read)
    return _core.read(_path(file), asked)


def read_all(file: Path, **options: Unpack[Files]) -> Iterator[Graph | InputError]:
    """Reads the graphs that a file holds, one after another: lines of graph6, an SDF, a three-dimensional .npy.

    Returns
    -------
    iterator of Graph, or of InputError in the place of one that is bad
        A Graph has the ``title`` that a molecule has in its file, an error that and its
        ``position`` in the file, from 1.

    Examples
    --------
    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "two.g6")
    >>> with open(file, "w") as out:
    ...     _ = out.write("A_\\nCl\\n")
    >>> [matchcount.count_perfect_matchings(graph) for graph in matchcount.read_all(file)]
    [1, 2]
    """
    asked = checked(locals(), read_all)
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
        "grid", "torus", "knight", "king", "rook", "bishop", "queen", "triangular", "honeycomb", "kagome", "square-octagon",
        "lieb" (height, width), "grid3d", "torus3d", "hexagon" (three lengths), "path", "cycle", "ladder", "prism" (length),
        "aztec" (order), "hypercube" (dimension), "complete" (vertices, or rows and columns, or several parts), "band" (size,
        half of the bandwidth), "circulant" (size, jumps), "kneser", "johnson" (elements, how many of them), "fullerene"
        (vertices, the twelve places of pentagons in its spiral), "regular" (size, degree), "tree" (size), "random" (rows,
        columns, density), "gnp" or "planar" (size, density).
    *sizes : int
        Lengths and numbers of vertices, 0 to 2^31 - 1.
    density : float, optional
        Of "random", "gnp" and "planar", where it does not stand last: the probability of an edge, from 0 to 1.
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
    has_density = "P" in families[kind]
    if density is not None and not has_density:
        raise input_error(f"a density for {kind}", "none")
    name = "size or density" if has_density else "size"
    numbers = [number if has_density and isinstance(number, float) else float(whole(number, name))
               for number in (*sizes, *([] if density is None else [density]))]
    seed = whole(seed, "seed")
    graph = _core.generate(kind, numbers, seed)
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
