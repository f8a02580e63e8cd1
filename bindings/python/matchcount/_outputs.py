"""Graphs and matrices for other packages."""

from __future__ import annotations

from importlib import import_module

from . import _np as np
from ._core import Graph
from ._errors import input_error
from ._inputs import as_graph
from ._pictures import _ends, _labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._types import Kind


def _named(graph: Graph) -> tuple[list[Any], list[tuple[int, int]], list[Any] | None]:
    """The vertices' names, ("row", u) and ("column", v) where the sides share some, edges by place, and their weights."""
    labels, ends = _labels(graph), _ends(graph)
    if graph.kind == "directed":
        return labels[:graph.num_rows], [(u, v - graph.num_rows) for u, v in ends], graph.weights()
    if graph.kind != "undirected" and len(set(labels)) < len(labels):
        labels = [("row" if place < graph.num_rows else "column", name) for place, name in enumerate(labels)]
    return labels, ends, graph.weights()


def to_networkx(graph: Any, *, kind: Kind = None) -> Any:
    """Makes a graph of networkx, a DiGraph of a directed one; vertices of two sides have the attribute ``bipartite``.

    Returns
    -------
    networkx.Graph or networkx.DiGraph

    Examples
    --------
    >>> matchcount.to_networkx([("a", 1), ("b", 1)]).nodes["b"]
    {'bipartite': 0}
    """
    networkx: Any = import_module("networkx")

    given = as_graph(graph, kind)
    labels, ends, weights = _named(given)
    made = networkx.DiGraph() if given.kind == "directed" else networkx.Graph()
    has_sides = given.kind in ("bipartite", "matrix")
    made.add_nodes_from((name, {"bipartite": int(place >= given.num_rows)} if has_sides else {})
                        for place, name in enumerate(labels))
    made.add_edges_from((labels[u], labels[v], {} if weights is None else {"weight": weights[place]})
                        for place, (u, v) in enumerate(ends))
    return made


def to_rustworkx(graph: Any, *, kind: Kind = None) -> Any:
    """Makes a graph of rustworkx, whose payloads are names and weights, None where there are none.

    Returns
    -------
    rustworkx.PyGraph or rustworkx.PyDiGraph

    Examples
    --------
    >>> matchcount.to_rustworkx([("a", 1), ("b", 1)]).nodes()
    ['a', 'b', 1]
    """
    rustworkx: Any = import_module("rustworkx")

    given = as_graph(graph, kind)
    labels, ends, weights = _named(given)
    made = rustworkx.PyDiGraph() if given.kind == "directed" else rustworkx.PyGraph()
    made.add_nodes_from(labels)
    made.add_edges_from([(u, v, None if weights is None else weights[place]) for place, (u, v) in enumerate(ends)])
    return made


def to_igraph(graph: Any, *, kind: Kind = None) -> Any:
    """Makes a graph of igraph, with the vertices' ``name`` and, of two sides, ``type``, and the edges' ``weight``.

    Returns
    -------
    igraph.Graph

    Examples
    --------
    >>> matchcount.to_igraph([("a", 1), ("b", 1)]).vs["name"]
    ['a', 'b', 1]
    """
    igraph: Any = import_module("igraph")

    given = as_graph(graph, kind)
    labels, ends, weights = _named(given)
    made = igraph.Graph(len(labels), ends, directed=given.kind == "directed")
    made.vs["name"] = labels
    if given.kind in ("bipartite", "matrix"):
        made.vs["type"] = [place >= given.num_rows for place in range(len(labels))]
    if weights is not None:
        made.es["weight"] = weights
    return made


def to_scipy(graph: Any, *, kind: Kind = None) -> Any:
    """Makes a sparse array: of two sides that of rows and columns, else the adjacency matrix, symmetric if undirected.

    Returns
    -------
    scipy.sparse.csr_array
        Edges without weights are ones.

    Examples
    --------
    >>> matchcount.to_scipy([("a", 1), ("b", 1)]).toarray().tolist()
    [[1], [1]]
    """
    sparse: Any = import_module("scipy.sparse")

    given = as_graph(graph, kind)
    if given.has_fractions:
        raise input_error("exact weights that no array holds", "to_networkx(...), or floats")
    ends = Graph(given).edges(sides=False)
    rows, columns = [u for u, _ in ends], [v for _, v in ends]
    weights = given.weights()
    values = np.ones(len(ends), dtype=np.int64) if weights is None else np.asarray(weights)
    shape = (given.num_rows, given.num_columns)
    if given.kind == "undirected":
        shape = (given.num_rows + given.num_columns,) * 2
        rows, columns = rows + columns, columns + rows
        values = np.concatenate([values, values])
    return sparse.csr_array((values, (rows, columns)), shape=shape)
