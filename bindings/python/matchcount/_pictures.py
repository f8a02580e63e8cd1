"""Pictures of graphs, of matchings and of the probabilities of edges: SVG as the command line draws it, and matplotlib."""

from __future__ import annotations

from importlib import import_module

from . import _core
from ._core import Graph, Samples
from ._counts import edge_places
from ._errors import input_error
from ._inputs import as_graph
from ._numbers import EstimatedMarginals, Marginals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ._types import Kind

_MOST_SHOWN = 5000  # edges of a picture that a notebook shows unasked
_MOST_SIDE_BY_SIDE = 25
_WIDEST = 800  # pixels


class Picture:
    """A picture of a graph: a notebook shows it, ``svg`` is its text, and ``draw`` draws it by matplotlib.

    Attributes
    ----------
    svg : str
        SVG 1.1, the same for the same graph and places.
    """

    def __init__(self, graph: Graph, matchings: list[list[int]], shares: list[float] | None, points: Any) -> None:
        self._graph, self._matchings, self._shares, self._points = graph, matchings, shares, points

    @property
    def svg(self) -> str:
        """The picture's text."""
        if self._shares is None:
            return _core.matchings_svg(self._graph, self._matchings, self._points)
        return _core.probabilities_svg(self._graph, self._shares, [f"{share:.6g}" for share in self._shares], self._points)

    def _repr_svg_(self) -> str:
        """The picture, no wider than a page."""
        import re

        svg = self.svg
        size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
        width, height = map(float, size.groups()) if size else (0.0, 0.0)
        if size is None or width <= _WIDEST:
            return svg
        return svg.replace(size[0], f'width="{_WIDEST}" height="{height * _WIDEST / width:.0f}"', 1)

    def save(self, file: Any) -> None:
        """Writes the SVG to a file."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.svg)

    def draw(self, ax: Any = None) -> Any:
        """Draws it into axes of matplotlib, new ones if none are given, and returns these; of several matchings the first."""
        pyplot: Any = import_module("matplotlib.pyplot")
        LineCollection = import_module("matplotlib.collections").LineCollection

        ax = pyplot.gca() if ax is None else ax
        points, steps = _core.places(self._graph, self._points)
        ends = _ends(self._graph)
        lines = [(points[u], (points[u][0] + x, points[u][1] + y)) for (u, _), (x, y) in zip(ends, steps)]
        if self._shares is None:
            ax.add_collection(LineCollection(lines, colors="lightgrey", zorder=1))
            chosen = [lines[edge] for edge in self._matchings[0]] if self._matchings else []
            ax.add_collection(LineCollection(chosen, colors="C0", linewidths=4, capstyle="round", zorder=2))
        else:
            drawn = LineCollection(lines, linewidths=[1 + 4 * share for share in self._shares], capstyle="round", zorder=1)
            drawn.set_array(self._shares)
            ax.add_collection(drawn)
            ax.figure.colorbar(drawn, ax=ax, label="probability")
        ax.plot(*zip(*points), "o", markersize=3, color="0.2", zorder=3)
        ax.set_aspect("equal")
        ax.axis("off")
        return ax


def _ends(graph: Graph) -> list[tuple[int, int]]:
    """The edges as pairs of places of vertices: rows, then columns."""
    columns = 0 if graph.kind == "undirected" else graph.num_rows
    return [(u, v + columns) for u, v in Graph(graph).edges(sides=False)]


def _labels(graph: Graph) -> list[Any]:
    """The names of the vertices: rows, then columns."""
    if graph.kind == "undirected":
        return graph.row_labels or list(range(graph.num_rows + graph.num_columns))
    return [*(graph.row_labels or range(graph.num_rows)), *(graph.column_labels or range(graph.num_columns))]


def _points_of(graph: Graph, pos: Mapping[Any, Any] | None) -> Any:
    """Places by vertex: `pos`, or what the names say if all are pairs of numbers."""
    labels = _labels(graph)
    if pos is None:
        are_pairs = labels and graph.kind != "directed" and all(isinstance(name, tuple) and len(name) == 2 and
                                   all(isinstance(part, (int, float)) for part in name) for name in labels)
        return [(float(x), float(y)) for x, y in labels] if are_pairs else None
    missing = [name for name in labels if name not in pos]
    if missing:
        raise input_error(f"pos without {missing[0]!r}", "a place (x, y) for each vertex")
    return [(float(pos[name][0]), float(pos[name][1])) for name in labels]


def picture(graph: Any, matchings: Iterable[Any] | None = None, *, pos: Mapping[Any, Any] | None = None, kind: Kind = None,
            ) -> Picture:
    """Draws a graph, matchings side by side, or edges coloured by their probabilities.

    Parameters
    ----------
    graph : Graph, Marginals, Samples or what else is a graph
        Samples are drawn side by side, the first 25.
    matchings : iterable, optional
        One matching, as edges (u, v), or several.
    pos : mapping, optional
        Places (x, y) by vertex; without it those of a lattice that ``generate`` made or a file describes, or the names
        if these are pairs of numbers; else planar graphs are drawn without crossings, others in two columns or on a
        circle.

    Returns
    -------
    Picture
        Notebooks show it; it has ``.svg``, ``.save(file)`` and ``.draw(ax)`` for matplotlib.

    Examples
    --------
    >>> tiling = matchcount.picture(matchcount.generate("grid", 2, 2), [(0, 0), (1, 1)])
    >>> tiling.svg.startswith("<svg")
    True
    """
    shares: list[float] | None = None
    if isinstance(graph, (Marginals, EstimatedMarginals)):
        graph, shares = graph.graph, [float(share) for share in graph.values()]
    elif isinstance(graph, Samples):
        graph, matchings = graph.graph, graph.matchings[:_MOST_SIDE_BY_SIDE]
    within = as_graph(graph, kind, None)
    given = [] if matchings is None else list(matchings)
    place_of = edge_places(within)
    if given and (_is_edge(given[0], place_of) or not all(_is_edge(edge, place_of) for edge in given[0])):
        given = [given]
    return Picture(within, [[place_of(edge) for edge in matching] for matching in given], shares, _points_of(within, pos))


def _is_edge(entry: Any, place_of: Any) -> bool:
    try:
        place_of(entry)
    except (TypeError, ValueError):
        return False
    return True


def shown(graph: Graph, matchings: Sequence[Any] | None = None, shares: Any = None) -> str | None:
    """The picture that a notebook shows of an answer; None where the graph is too large or has no edge or no shares."""
    if not 0 < graph.num_edges <= _MOST_SHOWN or not getattr(shares, "are_probabilities", True):
        return None
    if shares is not None:
        return picture(shares)._repr_svg_()
    given = None if matchings is None else list(matchings)[:_MOST_SIDE_BY_SIDE]
    return picture(graph, given)._repr_svg_()
