"""Makes graphs and matrices of what people have: arrays, sparse matrices, graphs of other packages, pairs of names.

Other packages are looked at only if they are imported already: an object of theirs can't be here otherwise.
"""

import sys

from . import _core
from ._errors import input_error

_KINDS = ("bipartite", "undirected", "directed", "matrix")


class Graph:
    """A graph or matrix, ready to be counted, with the names of its vertices.

    kind            "bipartite" (two sides), "undirected", "directed" or "matrix"
    row_labels, column_labels   names of the vertices; one list for both where there are no sides
    """

    __slots__ = ("_core", "row_labels", "column_labels")

    def __init__(self, core, row_labels=None, column_labels=None):
        self._core = core
        self.row_labels = row_labels
        self.column_labels = row_labels if core.kind == "undirected" else column_labels

    @property
    def kind(self):
        return self._core.kind

    @property
    def num_edges(self):
        return self._core.num_edges

    def edges(self):
        """The edges as (u, v), with labels."""
        return self._named(self._core.edges())

    def weights(self):
        """The weights by edge, or None where there are none."""
        return self._core.weights()

    def __repr__(self):
        weighted = "" if self.weights() is None else ", weighted"
        if self.kind == "undirected":
            core = self._core
            size = f"{core.num_rows + core.num_columns} vertices"
        else:
            size = f"{self._core.num_rows} x {self._core.num_columns}"
        return f"Graph({self.kind}, {size}, {self.num_edges} edges{weighted})"

    def _row(self, number):
        return number if self.row_labels is None else self.row_labels[number]

    def _column(self, number):
        return number if self.column_labels is None else self.column_labels[number]

    def _named(self, pairs):
        if self.row_labels is None and self.column_labels is None:
            return pairs
        return [(self._row(u), self._column(v)) for u, v in pairs]

    def _named_certificate(self, certificate):
        if not certificate:
            return None
        if certificate["kind"] == "tutte_set":
            return {**certificate, "removed": [self._row(v) for v in certificate["removed"]]}
        of, other = (self._row, self._column) if certificate["of_rows"] else (self._column, self._row)
        return {
            "kind": certificate["kind"],
            "side": "rows" if certificate["of_rows"] else "columns",
            "members": [of(v) for v in certificate["members"]],
            "neighbours": [other(v) for v in certificate["neighbours"]],
        }


def _class(module, name):
    """The class of another package, or an empty tuple where that is not imported."""
    return getattr(sys.modules.get(module), name, ())


def is_array(given):
    return hasattr(given, "__array__") or hasattr(given, "__dlpack__")


def as_array(given, what):
    """An array of int64, float64, complex128 or objects, C-contiguous."""
    import numpy as np

    if isinstance(given, (list, tuple)):
        given = np.array(given, dtype=object if _has_exact(given) else None)
    elif not hasattr(given, "__array__") and hasattr(given, "__dlpack__"):
        given = np.from_dlpack(given)
    array = np.asarray(given)
    if array.dtype == object or array.size == 0:
        return array
    kind = array.dtype.kind
    if kind == "b" or kind == "i" or (kind == "u" and array.dtype.itemsize < 8):
        return np.ascontiguousarray(array, dtype=np.int64)
    if kind == "u":
        return array.astype(object)
    if kind in "fc" and array.dtype.itemsize <= (8 if kind == "f" else 16):
        return np.ascontiguousarray(array, dtype=np.float64 if kind == "f" else np.complex128)
    raise input_error(f"{what} of {array.dtype}", "integers, floats or complex numbers of at most 64 bits each, or objects")


def _has_exact(rows):
    """Whether nested lists have fractions or integers beyond 64 bits, which numpy would make floats of."""
    return any(
        not isinstance(entry, (float, complex)) and (hasattr(entry, "denominator") and abs(entry.numerator) >= 1 << 63
                                                      or getattr(entry, "denominator", 1) != 1)
        for row in rows if isinstance(row, (list, tuple)) for entry in row)


def _ints(values):
    import numpy as np

    return np.ascontiguousarray(values, dtype=np.int64)


def _make(kind, num_rows, num_columns, rows, columns, weights, duplicates="refuse", loops=None):
    if weights is not None and len(weights) == 0:
        weights = None
    if isinstance(weights, list) and duplicates == "sum":
        ends = {}
        for u, v, weight in zip(rows, columns, weights):
            key = (min(u, v), max(u, v)) if kind == "undirected" else (u, v)
            ends[key] = ends.get(key, 0) + weight
        rows, columns = zip(*ends)
        weights = list(ends.values())
    return _core.make(kind, num_rows, num_columns, _ints(rows), _ints(columns), weights, duplicates, loops)


def _nonzero_weights(array, *index):
    values = array[index]
    return list(values) if array.dtype == object else values


def from_dense(array, kind, loops=False):
    """A matrix, a digraph or a graph of two sides; undirected: the adjacency matrix, symmetric."""
    import numpy as np

    if array.ndim != 2:
        raise input_error(f"an array of {array.ndim} dimensions", "a matrix, of two")
    if kind == "undirected":
        _require_symmetric(array)
        diagonal = np.diagonal(array)
        if not loops and np.any(diagonal != 0):
            raise input_error("an entry on the diagonal, which would be an edge from a vertex to itself", "zeros there")
        rows, columns = np.nonzero(np.triu(array != 0, 1))
        stays = None
        if loops:
            stays = list(diagonal) if array.dtype == object else np.ascontiguousarray(diagonal)
        weights = _nonzero_weights(array, rows, columns)
        if loops and len(rows) == 0:
            # Weights of the type of the loops, of no edge.
            return Graph(_core.make(kind, len(array), len(array), _ints([]), _ints([]), None, "refuse", stays))
        return Graph(_make(kind, len(array), len(array), rows, columns, weights, loops=stays))
    if kind == "directed" and array.shape[0] != array.shape[1]:
        raise input_error(f"an array of {array.shape[0]} x {array.shape[1]}", "the square adjacency matrix of a digraph")
    rows, columns = np.nonzero(array != 0)
    return Graph(_make(kind, *array.shape, rows, columns, _nonzero_weights(array, rows, columns)))


def _require_symmetric(array):
    if array.shape[0] != array.shape[1]:
        raise input_error(f"an array of {array.shape[0]} x {array.shape[1]}", "a square one: an adjacency matrix")
    if not (array == array.T).all():
        raise input_error("an array that is not symmetric", "a symmetric one: an adjacency matrix")


def _sparse_parts(matrix, what):
    import numpy as np

    given = matrix.tocoo()
    given.sum_duplicates()
    values = as_array(given.data, what)
    keep = np.flatnonzero(values != 0)
    return _ints(given.row)[keep], _ints(given.col)[keep], values[keep], given.shape


def from_sparse(matrix, kind, loops=False):
    import numpy as np

    rows, columns, values, shape = _sparse_parts(matrix, "a sparse matrix")
    if kind == "undirected":
        if shape[0] != shape[1] or (matrix != matrix.T).nnz != 0:
            raise input_error("a sparse matrix that is not symmetric", "a symmetric one: an adjacency matrix")
        if loops:
            return from_dense(as_array(matrix.toarray(), "a matrix"), kind, loops)
        if np.any(rows == columns):
            raise input_error("an entry on the diagonal, which would be an edge from a vertex to itself", "zeros there")
        upper = rows < columns
        rows, columns, values = rows[upper], columns[upper], values[upper]
    return Graph(_make(kind, *shape, rows, columns, list(values) if values.dtype == object else values))


def _is_ambiguous(array):
    """Whether an array may be an adjacency matrix as well as a matrix of rows and columns."""
    import numpy as np

    return (len(array) == array.shape[1] >= 2 and not np.any(np.diagonal(array) != 0) and np.any(array != 0)
            and bool((array == array.T).all()))


def _weights_of(values, name):
    """An array, or a list of exact numbers, of the weights of edges; None where no edge has one."""
    import numpy as np

    present = [value is not None for value in values]
    if not any(present):
        return None
    if not all(present):
        raise input_error(f"edges with and without '{name}'", "a weight on each edge, or on none")
    if all(not isinstance(value, (float, complex)) and hasattr(value, "denominator") for value in values):
        if any(value.denominator != 1 or abs(value) >= 1 << 62 for value in values):
            return list(values)
    return as_array(np.array(values), "weights")


def _from_names(pairs, kind, nodes, weights, duplicates, node_sides=None):
    """From pairs of names; `nodes` are the vertices in order, or None: as they come."""
    if kind in ("undirected", "directed"):
        order = {} if nodes is None else {name: place for place, name in enumerate(nodes)}
        for ends in pairs:
            for name in ends:
                order.setdefault(name, len(order))
        labels = list(order)
        rows, columns = [order[u] for u, _ in pairs], [order[v] for _, v in pairs]
        for u, v in pairs:
            if kind == "undirected" and u == v:
                raise input_error(f"an edge from {u!r} to itself", "two ends: no matching has a loop")
        core = _make(kind, len(order), len(order), rows, columns, weights, duplicates)
        return Graph(core, labels, labels)
    left, right = {}, {}
    for u, v in pairs:
        left.setdefault(u, len(left))
        right.setdefault(v, len(right))
    core = _make(kind, len(left), len(right), [left[u] for u, _ in pairs], [right[v] for _, v in pairs], weights, duplicates)
    return Graph(core, list(left), list(right))


def _from_networkx(graph, kind, weight, duplicates):
    kind = kind or ("directed" if graph.is_directed() else "undirected")
    _require_direction(graph.is_directed(), kind, "networkx")
    edges = list(graph.edges(data=True))
    values = [data.get(weight) for _, _, data in edges] if weight else []
    return _from_names([(u, v) for u, v, _ in edges], kind, list(graph.nodes), _weights_of(values, weight), duplicates)


def _from_rustworkx(graph, kind, weight, duplicates):
    directed = isinstance(graph, _class("rustworkx", "PyDiGraph"))
    kind = kind or ("directed" if directed else "undirected")
    _require_direction(directed, kind, "rustworkx")
    edges = graph.weighted_edge_list()
    values = [data.get(weight) if isinstance(data, dict) else data for _, _, data in edges] if weight else []
    made = _from_names([(u, v) for u, v, _ in edges], kind, list(graph.node_indices()), _weights_of(values, weight), duplicates)
    payloads = [graph[index] for index in made.row_labels]
    if all(name is not None for name in payloads) and _are_distinct(payloads):
        made.row_labels = made.column_labels = payloads
    return made


def _are_distinct(names):
    try:
        return len(set(names)) == len(names)
    except TypeError:
        return False


def _from_igraph(graph, kind, weight, duplicates):
    kind = kind or ("directed" if graph.is_directed() else "undirected")
    _require_direction(graph.is_directed(), kind, "igraph")
    values = graph.es[weight] if weight and weight in graph.es.attributes() else []
    pairs = [edge.tuple for edge in graph.es]
    made = _from_names(pairs, kind, range(graph.vcount()), _weights_of(values, weight), duplicates)
    if "name" in graph.vs.attributes() and _are_distinct(graph.vs["name"]):
        made.row_labels = made.column_labels = list(graph.vs["name"])
    return made


def _require_direction(directed, kind, package):
    if kind not in ("undirected", "directed") or directed != (kind == "directed"):
        found = "directed" if directed else "undirected"
        raise input_error(f"a graph of {package} that is {found}, with kind={kind!r}", f"kind={found!r}, or no kind")


def _from_pairs(given, kind, weight, duplicates):
    items = list(given)
    if items and all(isinstance(item, list) for item in items) and any(len(item) == len(items) for item in items):
        raise input_error("a list of lists, which may be a matrix or edges", "numpy.array(...) for a matrix, or tuples for edges")
    if any(not isinstance(item, (tuple, list)) or len(item) not in (2, 3) for item in items):
        raise input_error("an object that is no graph", "an array, a sparse matrix, a graph, or edges as (u, v) or (u, v, weight)")
    pairs = [(item[0], item[1]) for item in items]
    values = [item[2] if len(item) == 3 else None for item in items] if weight else []
    if kind is None:
        left, right = {u for u, _ in pairs}, {v for _, v in pairs}
        if left & right:
            raise input_error(
                f"{next(iter(left & right))!r} in the first place of one edge and in the second of another",
                "kind='undirected' (one set of names) or kind='bipartite' (two sides with names of their own)")
        kind = "bipartite"
    return _from_names(pairs, kind, None, _weights_of(values, "weight"), duplicates)


def as_graph(given, kind=None, weight=None, duplicates="refuse", otherwise="bipartite", loops=False):
    """The Graph that `given` is.

    kind: what it describes; None: what it says of itself, and `otherwise` for arrays, where that is not in doubt
    weight: the attribute that weights of graphs stand in; None: they are not looked at
    """
    if kind is not None and kind not in _KINDS:
        raise input_error(f"kind={kind!r}", "one of " + ", ".join(_KINDS))
    if isinstance(given, Graph):
        if kind is not None and kind != given.kind:
            raise input_error(f"a graph that is {given.kind}, with kind={kind!r}", f"kind={given.kind!r}, or no kind")
        return given
    networkx, igraph = _class("networkx", "Graph"), _class("igraph", "Graph")
    rustworkx = tuple(found for found in (_class("rustworkx", "PyGraph"), _class("rustworkx", "PyDiGraph")) if found)
    if isinstance(given, networkx):
        return _from_networkx(given, kind, weight, duplicates)
    if isinstance(given, rustworkx):
        return _from_rustworkx(given, kind, weight, duplicates)
    if isinstance(given, igraph):
        return _from_igraph(given, kind, weight, duplicates)
    if "scipy.sparse" in sys.modules and sys.modules["scipy.sparse"].issparse(given):
        if kind is None and otherwise == "bipartite" and given.shape[0] == given.shape[1]:
            _refuse_ambiguous(given.shape[0] >= 2 and given.nnz > 0 and not given.diagonal().any() and (given != given.T).nnz == 0)
        return from_sparse(given, kind or otherwise, loops)
    if is_array(given) or otherwise == "matrix" or (otherwise == "undirected" and is_nested(given)):
        array = as_array(given, "an array")
        if kind is None and otherwise == "bipartite" and array.ndim == 2:
            _refuse_ambiguous(_is_ambiguous(array))
        return from_dense(array, kind or otherwise, loops)
    try:
        iter(given)
    except TypeError:
        raise input_error(f"an object of type {type(given).__name__}",
                          "an array, a sparse matrix, a graph, or edges as (u, v)") from None
    return _from_pairs(given, kind or (None if otherwise == "bipartite" else otherwise), weight, duplicates)


def is_nested(given):
    """Whether this is a matrix as a list of lists, where edges are tuples."""
    return isinstance(given, list) and bool(given) and all(isinstance(row, list) for row in given)


def _refuse_ambiguous(is_ambiguous):
    if is_ambiguous:
        raise input_error(
            "a symmetric matrix with a zero diagonal",
            "kind='undirected' (an adjacency matrix) or kind='bipartite' (rows and columns are two sides)")
