"""Paths and strong components of digraphs."""

from __future__ import annotations

from . import _core
from ._counts import digraph_of
from ._inputs import checked, require_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from ._core import Graph
    from ._options import Paths, ReachablePairs
    from ._types import Duplicates


def _arcs(asked: dict[str, Any]) -> Graph:
    graph = digraph_of(asked)
    require_kind(graph, ("directed",), "decompose")
    return graph


def count_reachable_pairs(digraph: Any, *, duplicates: Duplicates = "one", **options: Unpack[ReachablePairs]) -> int:
    """Counts the pairs (u, v) with a path of at least one arc from u to v; (v, v) is one where v is on a cycle.

    Examples
    --------
    >>> matchcount.count_reachable_pairs([("a", "b"), ("b", "c"), ("c", "b")])
    6
    """
    asked = checked(locals(), count_reachable_pairs)
    return _core.reachable_pairs(_arcs(asked), asked)


def strong_components(digraph: Any, *, duplicates: Duplicates = "one", **options: Unpack[Paths]) -> list[list[Any]]:
    """Finds the strong components, so that every arc between two leads to the one that is listed first.

    References
    ----------
    R. Tarjan, "Depth-first search and linear graph algorithms", 1972, doi:10.1137/0201010.

    Examples
    --------
    >>> matchcount.strong_components([("a", "b"), ("b", "c"), ("c", "b")])
    [['b', 'c'], ['a']]
    """
    asked = checked(locals(), strong_components)
    return _core.strong_components(_arcs(asked), asked)


def reachable_from(digraph: Any, source: Any, *, duplicates: Duplicates = "one", **options: Unpack[Paths]) -> list[Any]:
    """Finds the vertices with a path of at least one arc from a vertex.

    Parameters
    ----------
    source : name
        A vertex of the digraph.

    Examples
    --------
    >>> matchcount.reachable_from([("a", "b"), ("b", "c"), ("c", "b")], "a")
    ['b', 'c']
    """
    asked = checked(locals(), reachable_from)
    return _core.reachable(_arcs(asked), source, asked)
