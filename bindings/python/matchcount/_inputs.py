"""Makes graphs and matrices of what people have: arrays, sparse matrices, graphs of other packages, pairs of names.

Other packages are looked at only if they are imported already: an object of theirs can't be here otherwise.
"""

from __future__ import annotations

from . import _core, _np as np
from ._arrays import (are_numbers, as_array, class_of, columns_of, exact_sum, halves, is_array, is_exact, is_extended, is_number,
                      is_sparse, laid_out, of_one_set, refuse_text, sparse_parts)
from ._core import Graph
from ._errors import InputError, WrongType, input_error
from ._options import GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Weights = Array | list[Any] | None
    Entries = Weights | tuple[Array, Array]  # of which two are added up

_KINDS = ("bipartite", "undirected", "directed", "matrix")
_FLAGS = frozenset((name for options in GROUPS.values() for name, (values, _) in options.items() if values.startswith("bool"))).union(
    ("approximate", "estimate", "exact", "full_output", "loop", "threshold", "weighted"))


def checked(given: dict[str, Any], function: Any = None) -> dict[str, Any]:
    """The parameters of a function, and of the options that it has those that it was given: other keywords are refused, and so
    are flags that are not True or False, as Python has these; None is no option but for the name of weights."""
    asked = dict(given)  # of its own: a debugger writes into locals()
    for name, value in asked.pop("options", {}).items():
        if name not in function.__wrapped__.__kwdefaults__:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
        if value is not None or name == "weight":
            asked[name] = value
    for name in _FLAGS.intersection(asked):
        value = asked[name]
        if isinstance(value, class_of("numpy", "bool_")):
            asked[name] = bool(value)
        elif value is not None and type(value) is not bool and not (name == "loops" and value in ("drop", "refuse", "keep")):
            words = ", or 'drop', 'refuse' or 'keep'" if name == "loops" else ""
            raise input_error(f"{name}={value!r}", "True or False" + words, WrongType)
    return asked


def refuse_symmetric_pairs(given: Any) -> None:
    """Refuses two or three edges as tuples, which may be the rows of a symmetric matrix as well."""
    if (isinstance(given, (list, tuple)) and len(given) in (2, 3) and all(isinstance(row, tuple) for row in given)
            and are_numbers(given) and list(given) == list(zip(*given))):
        raise input_error("edges that may be the rows of a symmetric matrix",
                          "numpy.array(...) for a matrix, or a graph of networkx and the like for edges")


def ints(values: Any) -> Array:
    """The values as int64, one behind the other."""
    return laid_out(values, np.int64)


def _make(kind: str, num_rows: int, num_columns: int, rows: Any, columns: Any, weights: Entries, duplicates: str = "refuse",
          loops: Entries = None, keep_zeros: bool = False, row_labels: list[Any] | None = None,
          column_labels: list[Any] | None = None) -> Graph:
    if isinstance(weights, list) and not weights:
        weights = None
    elif duplicates == "sum" and weights is not None and not isinstance(weights, (list, tuple)) and weights.dtype.kind == "i":
        if sum(map(abs, weights.tolist())) >= 1 << 63:
            weights = weights.tolist()
    if isinstance(weights, list) and duplicates == "sum":
        ends: dict[tuple[int, int], Any] = {}
        for u, v, weight in zip(rows, columns, weights):
            key = (min(u, v), max(u, v)) if kind == "undirected" else (u, v)
            ends[key] = ends.get(key, 0) + weight
        rows, columns = zip(*ends)
        weights = list(ends.values())
    return _core.make(kind, num_rows, num_columns, ints(rows), ints(columns), weights, duplicates, loops, keep_zeros,
                      row_labels, column_labels)


def _listed(values: Array, what: str) -> Entries:
    if is_extended(values):
        return halves(values, what)
    return list(values) if values.dtype == object else values


def _is_symmetric(rows: Array, columns: Array, values: Array, shape: tuple[int, int]) -> bool:
    """Says whether a sparse matrix is symmetric."""
    if (np.bincount(rows, minlength=shape[0]) != np.bincount(columns, minlength=shape[0])).any():
        return False
    order = np.lexsort((rows, columns))
    return bool((rows == columns[order]).all() and (columns == rows[order]).all() and (values == values[order]).all())


def _without(given: Any, no_edge: Any) -> tuple[Any, Array]:
    """An array of what is given, with 0 where there is no edge, and whether there is none."""
    if isinstance(no_edge, str) and no_edge == "masked":
        if not hasattr(given, "_mask"):
            raise input_error(f"no_edge='masked' of an object of type {type(given).__name__}", "a masked array of numpy's")
        absent = np.ma.getmaskarray(given)
        return np.where(absent, np.zeros((), given.dtype), given.data), absent
    if not is_number(no_edge) or isinstance(no_edge, bool):
        raise input_error(f"no_edge={no_edge!r}", "a number such as inf or nan, or 'masked'")
    array = as_array(given, "an array", extended=True)
    absent = np.asarray(array == no_edge if no_edge == no_edge else array != array, dtype=bool)
    return np.where(absent, np.zeros((), array.dtype), array), absent


def _from_matrix(given: Any, kind: str | None, weight: str | None, otherwise: str, loops: bool, keep_zeros: bool, counts: bool,
                 no_edge: Any) -> Graph:
    """A matrix, a digraph or a graph of two sides, of an array, nested lists, a frame or a sparse matrix; undirected: the
    adjacency matrix, symmetric."""
    if (kind or otherwise) in ("undirected", "directed"):
        given = of_one_set(given)
    named = columns_of(given)
    if named is not None and kind is None and otherwise == "bipartite":
        _refuse_table(given, named)
    array: Array | None = None
    what = "a sparse matrix" if is_sparse(given) else "an array"
    if weight not in ("weight", None):
        raise input_error(f"weight={weight!r} of {what}", "weight='weight' or None: its entries are the weights; or columns=, "
                          "those of a DataFrame that are the ends of edges")
    if is_sparse(given):
        rows, columns, values, shape = sparse_parts(given, what)
        if no_edge is not None:
            raise input_error(f"no_edge={no_edge!r} of a sparse matrix", "an array; what it does not store is no edge")
    else:
        absent: Array | None = None
        entries = given
        if no_edge is not None:
            entries, absent = _without(given, no_edge)
        entries = array = as_array(entries, what, extended=True)
        if array.ndim != 2:
            raise input_error(f"an array of {array.ndim} dimensions", "a matrix, of two")
        rows, columns = np.nonzero(~absent if absent is not None and keep_zeros else array != 0)
        values, shape = array[rows, columns], array.shape
    if weight is None:
        values = np.ones(len(values), np.int64)
        array = None if array is None else (array != 0).astype(np.int64)

    def is_symmetric() -> bool:
        return shape[0] == shape[1] and (_is_symmetric(rows, columns, values, shape) if array is None or no_edge is not None
                                         else bool((array == array.T).all()))

    on_diagonal = rows == columns
    if kind is None and otherwise == "bipartite":
        if shape[0] >= 2 and len(rows) > 0 and not on_diagonal.any() and is_symmetric():
            raise input_error(
                "a symmetric matrix with a zero diagonal",
                "kind='undirected' (an adjacency matrix) or kind='bipartite' (rows and columns are two sides)")
        if not counts and array is not None:
            _refuse_edges(entries)
    kind = kind or otherwise
    if kind in ("undirected", "directed") and shape[0] != shape[1]:
        raise input_error(f"{what} of {shape[0]} x {shape[1]}", "a square one: an adjacency matrix")
    labels = _labels_of(given, named, kind) if named is not None else (None, None)
    stays: Entries = None
    if kind == "undirected":
        if not is_symmetric():
            by = "" if array is None or array.dtype.kind not in "fc" else f", by {np.abs(array - array.T).max():.3g}"
            raise input_error(f"{what} that is not symmetric{by}", "a symmetric one: an adjacency matrix, (A + A.T) / 2")
        if loops:
            diagonal = np.zeros(shape[0], dtype=values.dtype)
            diagonal[rows[on_diagonal]] = values[on_diagonal]
            stays = _listed(diagonal, what)
        elif on_diagonal.any():
            raise input_error("an entry on the diagonal, which would be an edge from a vertex to itself", "zeros there")
        upper = rows < columns
        rows, columns, values = rows[upper], columns[upper], values[upper]
    return _make(kind, *shape, rows, columns, _listed(values, what), "refuse", stays, keep_zeros and no_edge is not None, *labels)


def _labels_of(frame: Any, named: list[tuple[Any, Any]], kind: str) -> tuple[list[Any] | None, list[Any] | None]:
    """The names of a frame's rows and columns where it has some; one list of both where these are the same things."""
    columns = [name for name, _ in named]
    is_one_set = kind in ("undirected", "directed")
    rows = list(getattr(frame, "index", columns if is_one_set else range(frame.shape[0])))
    if is_one_set and rows != columns:  # then one of them has numbers
        rows = columns = columns if rows == list(range(len(rows))) else rows
    if (rows, columns) == (list(range(len(rows))), list(range(len(columns)))):
        return None, None
    if len(_numbered(rows)) < len(rows) or len(_numbered(columns)) < len(columns):
        raise input_error("a DataFrame in which a name stands twice", "names that differ, or .to_numpy()")
    return rows, columns


def _weights_of(values: Sequence[Any], name: str | None, duplicates: str, counts: bool) -> Weights:
    """An array, or a list of exact numbers, of the weights of edges; None where no edge has one."""
    present = [value is not None for value in values]
    if not any(present):
        return None
    if not all(present):
        if counts or duplicates == "sum":
            raise input_error(f"edges with and without '{name}'", "a weight on each edge, or on none")
        values = [1 if value is None else value for value in values]
    if not counts and not are_numbers(values):
        raise input_error(f"a {name!r} that is no number", "numbers, or weight=None, where they are not looked at")
    if all(map(is_exact, values)):
        values = [int(value) if value.denominator == 1 else value for value in values]
        if not all(type(value) is int and -1 << 62 < value < 1 << 62 for value in values):
            return values
    return as_array(list(values), "weights")


def _numbered(names: Iterable[Any], nodes: Iterable[Any] = ()) -> dict[Any, int]:
    """Names and their numbers: `nodes` first, others as they come."""
    try:
        order = {name: place for place, name in enumerate(nodes)}
        for name in names:
            order.setdefault(name, len(order))
    except TypeError as error:
        raise input_error(f"a name that is {error}", "names that can be keys of a dict") from None
    for name in order:
        if name != name:
            raise input_error(f"the name {name!r}, which does not equal itself", "names that do")
    return order


def _split_loops(rows: list[int], columns: list[int], weights: Weights, count: int, duplicates: str
                 ) -> tuple[list[int], list[int], Weights, Weights]:
    """Edges without loops, their weights, and the loops' weights by vertex."""
    if weights is None:
        weights = np.ones(len(rows), dtype=np.int64)
    values = weights if isinstance(weights, list) else weights.tolist()
    kept: list[int] = []
    loops: dict[int, list[Any]] = {}
    for place, (u, v) in enumerate(zip(rows, columns)):
        if u != v:
            kept.append(place)
        elif u not in loops or duplicates == "sum":
            loops.setdefault(u, []).append(values[place])
        elif duplicates == "refuse":
            raise input_error("a loop that is given twice", "each edge once, or duplicates='sum' or 'one'")
    stays: list[Any] = [exact_sum(loops[v], "a loop") if v in loops else 0 for v in range(count)]
    others: list[Any] = [values[place] for place in kept]
    ends = [rows[place] for place in kept], [columns[place] for place in kept]
    if not isinstance(weights, list) and (weights.dtype.kind != "i" or max(map(abs, stays), default=0) < 1 << 63):
        return *ends, np.array(others, dtype=weights.dtype), np.array(stays, dtype=weights.dtype)
    return *ends, others, stays


def _from_names(pairs: Sequence[tuple[Any, Any]], kind: str, nodes: Iterable[Any], weights: Weights, duplicates: str,
                loops: bool = False, keep_zeros: bool = False,
                rename: Callable[[list[Any]], list[Any]] = lambda labels: labels) -> Graph:
    """Makes a graph of pairs of names; `nodes` are the vertices in order, and others as they come."""
    if kind in ("undirected", "directed"):
        order = _numbered((name for ends in pairs for name in ends), nodes)
        labels = list(order)
        stays: Weights = None
        rows, columns = [order[u] for u, _ in pairs], [order[v] for _, v in pairs]
        if kind == "undirected" and loops:
            rows, columns, weights, stays = _split_loops(rows, columns, weights, len(order), duplicates)
        elif kind == "undirected":
            for u, v in zip(rows, columns):
                if u == v:
                    raise input_error(f"an edge from {labels[u]!r} to itself",
                                      "two ends, for no matching has a loop; hafnian(..., loop=True) takes loops")
        return _make(kind, len(order), len(order), rows, columns, weights, duplicates, stays, keep_zeros, rename(labels))
    left, right = _numbered(u for u, _ in pairs), _numbered(v for _, v in pairs)
    return _make(kind, len(left), len(right), [left[u] for u, _ in pairs], [right[v] for _, v in pairs], weights, duplicates,
                 None, keep_zeros, list(left), list(right))


def _require_weights(values: Sequence[Any], weight: str | None, attributes: Sequence[dict[Any, Any]], counts: bool) -> None:
    """Refuses to take 1 for the weight that no edge has if the edges have other numbers."""
    if not values or any(value is not None for value in values) or (weight == "weight" and not counts):
        return
    others = sorted({str(key) for data in attributes for key, value in data.items() if is_number(value)})
    if weight != "weight":
        raise input_error(f"no edge with {weight!r}", " or ".join(map(repr, others)) or "an attribute that edges have")
    if others:
        raise input_error(f"edges without 'weight' that have {' and '.join(map(repr, others))}",
                          f"weight={others[0]!r}, or weight=None: every edge counts 1")


def _from_package(package: str, is_directed: bool, kind: str | None, nodes: Iterable[Any], edges: Sequence[Any],
                  weight: str | None, duplicates: str, counts: bool, **how: Any) -> Graph:
    """Makes a graph of edges as (u, v, attributes or a number). Refuses to be asked for another kind than the graph's."""
    found = "directed" if is_directed else "undirected"
    if kind not in (None, found):
        raise input_error(f"a graph of {package} that is {found}, with kind={kind!r}", f"kind={found!r}, or no kind")
    if weight not in ("weight", None) and any(is_number(data) for _, _, data in edges):
        raise input_error(f"weight={weight!r} of a graph of {package} whose edges have numbers", "weight='weight' or None")
    values = [data.get(weight) if isinstance(data, dict) else data if counts or is_number(data) else None
              for _, _, data in edges] if weight is not None else []
    _require_weights(values, weight, [data for _, _, data in edges if isinstance(data, dict)], counts)
    return _from_names([(u, v) for u, v, _ in edges], found, nodes, _weights_of(values, weight, duplicates, counts), duplicates,
                       **how)


def _from_networkx(graph: Any, kind: str | None, weight: str | None, duplicates: str, counts: bool, **how: Any) -> Graph:
    found = "directed" if graph.is_directed() else "undirected"
    if kind in (None, found) and (weight is None or not counts) and not how["loops"] and not graph.is_multigraph():
        made = _core.from_neighbours(found, dict(graph.adjacency()), weight)
        if made is not None:
            return made
    return _from_package("networkx", graph.is_directed(), kind, list(graph.nodes), list(graph.edges(data=True)), weight,
                         duplicates, counts, **how)


def _from_rustworkx(graph: Any, kind: str | None, weight: str | None, duplicates: str, counts: bool, **how: Any) -> Graph:
    def payloads(labels: list[Any]) -> list[Any]:
        names = [graph[index] for index in labels]
        return names if all(name is not None for name in names) and _are_distinct(names) else labels

    return _from_package("rustworkx", isinstance(graph, class_of("rustworkx", "PyDiGraph")), kind, list(graph.node_indices()),
                         graph.weighted_edge_list(), weight, duplicates, counts, rename=payloads, **how)


def _are_distinct(names: list[Any]) -> bool:
    try:
        return len(set(names)) == len(names)
    except TypeError:
        return False


def _from_igraph(graph: Any, kind: str | None, weight: str | None, duplicates: str, counts: bool, **how: Any) -> Graph:
    names = list(graph.vs["name"]) if "name" in graph.vs.attributes() and _are_distinct(graph.vs["name"]) else None
    edges = [(*edge.tuple, edge.attributes() if weight is not None else {}) for edge in graph.es]
    return _from_package("igraph", graph.is_directed(), kind, range(graph.vcount()), edges, weight, duplicates, counts,
                         rename=lambda labels: names or labels, **how)


def _from_rdkit(molecule: Any, kind: str | None, weight: str | None) -> Graph:
    """The graph that the reader of MOL files makes of a molecule, whose atoms have RDKit's numbers."""
    from importlib import import_module

    Chem: Any = import_module("rdkit.Chem")
    if kind not in (None, "undirected") or weight not in ("weight", None):
        raise input_error(f"a molecule with kind={kind!r}, weight={weight!r}", "kind='undirected' or no kind, and no weight")
    copy = Chem.Mol(molecule)
    if not copy.GetNumConformers():
        import_module("rdkit.Chem.rdDepictor").Compute2DCoords(copy)
    try:
        graph = _core.read_text(Chem.MolToV3KMolBlock(copy, kekulize=True), "the molecule", {"format": "mol"})
    except InputError as error:
        raise input_error(error.found, error.expected.replace(
            "skeleton=True", "matchcount.read(..., skeleton=True) of its MOL file")) from None
    return Graph(graph, [int(name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) - 1
                         for name in graph.row_labels or ()])


def _from_pairs(given: Iterable[Any], kind: str | None, weight: str | None, duplicates: str, counts: bool, **how: Any) -> Graph:
    if isinstance(given, class_of("networkx.classes.reportviews", "OutMultiEdgeView")):
        raise input_error("edges of a multigraph with their keys, which may be weights", "the graph itself")
    items = list(given)
    if items and all(isinstance(item, list) for item in items) and (
            any(len(item) == len(items) for item in items) or are_numbers(items)):
        raise input_error("a list of lists, which may be a matrix or edges",
                          "numpy.array(...) for a matrix, or tuples for edges")
    if any(not isinstance(item, (tuple, list)) or len(item) not in (2, 3) for item in items):
        raise input_error("an object that is no graph",
                          "an array, a sparse matrix, a graph, or edges as (u, v) or (u, v, weight)")
    if weight not in ("weight", None) and not all(len(item) == 3 and isinstance(item[2], dict) for item in items):
        raise input_error(f"weight={weight!r} of tuples", "(u, v, weight), or (u, v, {name: weight, ...})")
    return _from_ends([(item[0], item[1]) for item in items], [item[2] if len(item) == 3 else None for item in items], kind, weight,
                      duplicates, counts, **how)


def _from_ends(pairs: list[tuple[Any, Any]], data: list[Any], kind: str | None, weight: str | None, duplicates: str, counts: bool,
               **how: Any) -> Graph:
    """Makes a graph of pairs of names, which may stand for one set of vertices or two sides; their data are weights, or
    dicts that have them."""
    values = [entry.get(weight) if isinstance(entry, dict) else entry for entry in data] if weight is not None else []
    _require_weights(values, weight, [entry for entry in data if isinstance(entry, dict)], counts)
    if kind is None:
        left, right = _numbered(u for u, _ in pairs).keys(), _numbered(v for _, v in pairs).keys()
        if left & right:
            raise input_error(
                f"{next(iter(left & right))!r} in the first place of one edge and in the second of another",
                "kind='undirected' (one set of names) or kind='bipartite' (two sides with names of their own)")
        kind = "bipartite"
    return _from_names(pairs, kind, (), _weights_of(values, weight, duplicates, counts), duplicates, **how)


def _from_table(frame: Any, columns: Any, kind: str | None, weight: str | None, *how: Any, **more: Any) -> Graph:
    """Makes a graph of two columns of a frame, which are the ends of edges, and perhaps that of their weights."""
    table = columns_of(frame)
    if table is None:
        raise input_error(f"columns={columns!r} of an object of type {type(frame).__name__}",
                          "a DataFrame, whose columns have names")
    found = dict(table)
    if not isinstance(columns, (list, tuple)) or len(columns) != 2 or len(found) < len(table) or not all(
            name in found for name in columns):
        raise input_error(f"columns={columns!r} of a {type(frame).__name__} with {', '.join(str(name) for name, _ in table[:9])}",
                          "the two of them that are the ends of edges; weight= names that of the weights")
    missing = class_of("pandas", "NA")
    lists = {name: list(getattr(values, "to_pylist" if hasattr(values, "to_pylist") else "to_list")()) for name, values in table
             if weight is not None or name in columns}
    for name in (*columns, *([weight] if weight in lists else [])):
        if any(entry is None or entry is missing or entry != entry for entry in lists[name]):
            raise input_error(f"a column {name!r} in which entries are missing", "rows that are whole")
    data: list[Any] = lists.get(weight, [None] * len(frame))
    if weight not in lists and data:  # which others there are
        data[0] = {name: entries[0] for name, entries in lists.items() if name not in columns}
    return _from_ends(list(zip(*(lists[name] for name in columns))), data, kind, weight, *how, **more)


def asked_graph(asked: dict[str, Any], given: str = "graph", **how: Any) -> Graph:
    """The Graph that a function's keywords describe."""
    return as_graph(asked[given], **{name: asked[name] for name in ("kind", "weight", "duplicates", "columns", "no_edge") if name in asked},
                    **how)


def as_graph(given: Any, kind: str | None = None, weight: str | None = "weight", duplicates: str = "refuse",
             otherwise: str = "bipartite", loops: bool = False, keep_zeros: bool = False, counts: bool = True, columns: Any = None,
             no_edge: Any = None) -> Graph:
    """The Graph that `given` is.

    kind: what it describes; None: what it says of itself, and `otherwise` for arrays, where that is not in doubt
    weight: the attribute that weights of graphs stand in; None: they are not looked at, not even for zeros
    counts: whether the answer depends on weights, beyond those of 0
    loops: of undirected graphs they are weights of vertices; keep_zeros: named edges of weight 0 are edges
    columns: those of a frame that are the ends of edges; no_edge: the entries of an array that are no edges
    """
    refuse_text(given)
    if kind is not None and kind not in _KINDS:
        raise input_error(f"kind={kind!r}", "one of " + ", ".join(_KINDS))
    if duplicates not in ("refuse", "sum", "one"):
        raise input_error(f"duplicates={duplicates!r}", "'refuse', 'sum' or 'one'")
    how = {"loops": loops, "keep_zeros": keep_zeros, "counts": counts}
    asks = kind or (None if otherwise == "bipartite" else otherwise)
    if columns is not None:
        if no_edge is not None:
            raise input_error("columns= with no_edge=", "one of them: edges, or entries of a matrix")
        return _from_table(given, columns, asks, weight, duplicates, **how)
    if is_sparse(given) or is_array(given) or (otherwise == "undirected" and is_nested(given)) or (
            otherwise == "matrix" and isinstance(given, (list, tuple))):
        return _from_matrix(given, kind, weight, otherwise, no_edge=no_edge, **how)
    if no_edge is not None:
        raise input_error(f"no_edge={no_edge!r} of an object of type {type(given).__name__}", "an array")
    if isinstance(given, Graph):
        if weight not in ("weight", None):
            raise input_error(f"weight={weight!r} of a Graph", "weight='weight' or None; read(..., weight_key=) picks weights of files")
        if kind is not None and kind != given.kind:
            raise input_error(f"a graph that is {given.kind}, with kind={kind!r}", f"kind={given.kind!r}, or no kind")
        if given.has_loops and not loops:
            raise input_error("a graph with loops", "one without them; hafnian(..., loop=True) takes loops")
        return given if weight is not None else _core.without_weights(given)
    networkx, igraph = class_of("networkx", "Graph"), class_of("igraph", "Graph")
    rustworkx = tuple(found for found in (class_of("rustworkx", "PyGraph"), class_of("rustworkx", "PyDiGraph")) if found)
    if isinstance(given, class_of("rdkit.Chem.rdchem", "Mol")):
        return _from_rdkit(given, kind, weight)
    if isinstance(given, networkx):
        return _from_networkx(given, kind, weight, duplicates, **how)
    if isinstance(given, rustworkx):
        return _from_rustworkx(given, kind, weight, duplicates, **how)
    if isinstance(given, igraph):
        return _from_igraph(given, kind, weight, duplicates, **how)
    if otherwise == "matrix":
        return _from_matrix(given, kind, weight, otherwise, no_edge=no_edge, **how)
    if isinstance(given, dict):
        raise input_error("a dict, of neighbours or of weights by edge",
                          "edges as (u, v) or (u, v, weight); list(...) of it for its keys")
    try:
        iter(given)
    except TypeError:
        raise input_error(f"an object of type {type(given).__name__}",
                          "an array, a sparse matrix, a graph, or edges as (u, v)") from None
    return _from_pairs(given, asks, weight, duplicates, **how)


def _refuse_edges(array: Array) -> None:
    """Refuses an array of ends of edges, which as a matrix would have unequal sides."""
    if (array.dtype.kind == "i" and array.shape[1] in (2, 3, 4) and len(array) != array.shape[1] and array.size
            and array.min() >= 0 and array.max() > 1):
        raise input_error(f"an array of {len(array)} x {array.shape[1]} whole numbers, which may be a matrix or edges",
                          "kind='bipartite' for a matrix of rows and columns, or list(map(tuple, array)) for edges")


_COLUMNS_OF_EDGES = {"source", "target", "src", "dst", "from", "to", "u", "v", "node1", "node2", "left", "right", "user",
                     "item", "head", "tail"}


def _refuse_table(frame: Any, columns: list[tuple[Any, Any]]) -> None:
    """Refuses a frame of numbered rows that may be edges, by its columns' names or its whole numbers."""
    names = [str(name).lower() for name, _ in columns if isinstance(name, str)]
    if (hasattr(frame, "index") and frame.index.dtype.kind not in "iu") or not names:
        return
    arrays = [np.asarray(values) for _, values in columns]
    whole = [values for values in arrays if values.dtype.kind in "iu" and len(values)]
    if (sum(name in _COLUMNS_OF_EDGES or name.endswith("id") for name in names) >= 2 or
            sum(values.min() >= 0 and values.max() > 1 for values in whole) >= 2):
        raise input_error(f"a {type(frame).__name__} with numbered rows and the columns "
                          f"{', '.join(str(name) for name, _ in columns[:4])}, which may be a table of edges or a matrix",
                          f"columns={tuple(name for name, _ in columns[:2])!r} for edges, or kind='bipartite' for a matrix")


def is_nested(given: Any) -> bool:
    """Says whether this is a matrix row by row, or several: lists or arrays, where edges are tuples."""
    return isinstance(given, (list, tuple)) and bool(given) and all(isinstance(row, list) or is_array(row) for row in given)


def require_kind(graph: Graph, kinds: Sequence[str], other: str) -> None:
    if graph.kind not in kinds:
        raise input_error(f"a graph that is {graph.kind}", f"{' or '.join(kinds)}; {other}(...) takes others")


def counts_ones(graph: Graph) -> bool:
    """Says whether no weight is other than 1."""
    weights = graph.weights()
    return weights is None or graph.weights_are_multiplicities or all(value == 1 for value in weights)


def whole(number: Any, name: str) -> int:
    """An int of 64 bits that is not negative."""
    try:
        value = -1 if isinstance(number, bool) else number.__index__()
    except (AttributeError, TypeError):
        value = -1
    if not 0 <= value < 1 << 64:
        raise input_error(f"{name}={number!r}", "a whole number from 0 to 2^64 - 1")
    return value
