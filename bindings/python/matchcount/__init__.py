"""Counts perfect matchings, permanents and hafnians, exactly or with a bound on the error.

    >>> import matchcount
    >>> matchcount.count_perfect_matchings(matchcount.generate("grid", 8, 8))
    12988816

Every function takes these options:

    threads       0 (all cores) or a number
    device        "auto", "cpu", "cuda" or "cuda:0,1"
    precision     of floats: "auto", "double", "compensated", "double-double" or "exact"
    seed          a number; the same seed gives the same answer, on any number of threads
    time_limit    seconds, and memory_limit, bytes: what would pass them raises OverLimit
    progress      True: a bar on stderr (by tqdm where it is there); or a callable of phase, done, total

and counts take method ("auto", "frontier", "planar", "ryser", ...), verify (True: a second method must agree), effort
(seconds of search for an order) and full_output (True: a Result instead of a number).

Functions share no state: any threads may call them, and the interpreter's lock is released. Ctrl-C ends them.
"""

from . import _core
from ._errors import Cancelled, DeviceError, InputError, MatchcountError, NotCompiled, OverLimit, Unable, input_error
from ._inputs import Graph, as_array, as_graph, is_array, is_nested
from ._progress import shown
from ._results import Complex, Decomposition, Estimate, Marginals, Plan, Real, Result

__version__ = _core.version
__all__ = [
    "Cancelled", "Complex", "Decomposition", "DeviceError", "Estimate", "Graph", "InputError", "Marginals",
    "MatchcountError", "NotCompiled", "OverLimit", "Plan", "Real", "Result", "Unable", "count_cycle_covers",
    "count_matchings", "count_perfect_matchings", "decompose", "determinant", "estimate", "generate", "hafnian",
    "list_matchings", "marginals", "matching_polynomial", "matchings_by_size", "permanent", "plan", "read",
    "sample_matchings",
]

_core.set_types(Real, Complex)

# Of these sizes arrays are expanded at once (permanent/dense.hpp); beyond, the engine plans.
_SMALL_PERMANENT, _SMALL_HAFNIAN = 16, 32
# What the expansion can't be asked for.
_ENGINE_OPTIONS = ("method", "verify", "effort")


def _answer(graph, raw, full_output):
    result = Result(**{**raw, "_value": raw["value"], "certificate": graph._named_certificate(raw["certificate"])})
    return result if full_output else result.value


def _count(graph, what, weighted, full_output, progress, options, activity=None):
    with shown(progress) as report:
        raw = _core.count(graph._core, what, weighted, activity, options, report)
    return raw if full_output is None else _answer(graph, raw, full_output)


def count_perfect_matchings(graph, *, kind=None, duplicates="refuse", full_output=False, progress=False, **options):
    """The number of perfect matchings of a graph, as an int; weights are ignored.

    graph: an array or sparse matrix of rows and columns (kind="bipartite") or the adjacency matrix of a graph
    (kind="undirected"), a graph of networkx, rustworkx or igraph, edges as (u, v), or a Graph.
    """
    graph = as_graph(graph, kind, None, duplicates)
    _require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    return _count(graph, "perfect", False, full_output, progress, options)


def _require_kind(graph, kinds, other):
    if graph.kind not in kinds:
        raise input_error(f"a graph that is {graph.kind}", f"{' or '.join(kinds)}; {other}(...) takes others")


def count_matchings(graph, size="all", *, weighted=False, activity=None, kind=None, weight="weight", duplicates="refuse",
                    full_output=False, progress=False, **options):
    """The number of matchings of a size: an int, or "all", "maximum", "saturating" (the smaller side) or "perfect".

    weighted: a matching counts as the product of its edges' weights; activity, of "all": the weight of every vertex
    that is left out.
    """
    graph = as_graph(graph, kind, weight if weighted else None, duplicates)
    _require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    if size == "saturating" and graph.kind == "undirected":
        raise input_error("size='saturating' of an undirected graph", "a bipartite one, which has two sides, or 'maximum'")
    if isinstance(size, str):
        return _count(graph, size, weighted, full_output, progress, options, activity)
    if size < 0 or activity is not None or full_output:
        raise input_error(f"size={size!r} with these options", "a size of at least 0, without activity and full_output")
    by_size = _count(graph, "by-size", weighted, None, progress, options)["by_size"]
    return by_size[size] if size < len(by_size) else 0


def matchings_by_size(graph, *, weighted=False, kind=None, weight="weight", duplicates="refuse", full_output=False,
                      progress=False, **options):
    """The numbers of matchings of 0, 1, 2, ... edges, as a list."""
    graph = as_graph(graph, kind, weight if weighted else None, duplicates)
    _require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    raw = _count(graph, "by-size", weighted, None, progress, options)
    return _answer(graph, raw, True) if full_output else raw["by_size"]


def matching_polynomial(graph, *, kind=None, duplicates="refuse", progress=False, **options):
    """The coefficients of sum over k of (-1)^k m_k x^(n - 2k), of x^n first: n + 1 of them, as numpy.roots has them."""
    graph = as_graph(graph, kind, None, duplicates)
    by_size = matchings_by_size(graph, progress=progress, **options)
    vertices = graph._core.num_rows + graph._core.num_columns
    coefficients = [0] * (vertices + 1)
    for size, number in enumerate(by_size):
        coefficients[2 * size] = -number if size % 2 else number
    return coefficients


def count_cycle_covers(digraph, *, duplicates="refuse", full_output=False, progress=False, **options):
    """The number of ways to cover a digraph's vertices by disjoint cycles; a self-loop is a cycle of length one."""
    graph = as_graph(digraph, None if isinstance(digraph, Graph) else "directed", None, duplicates, "directed")
    _require_kind(graph, ("directed", "matrix"), "count_perfect_matchings")
    if graph._core.num_rows != graph._core.num_columns:
        raise input_error(f"a matrix of {graph._core.num_rows} x {graph._core.num_columns}", "the square one of a digraph")
    return _count(graph, "perfect", False, full_output, progress, options)


def _expands(array, limit, full_output, options):
    return (array.dtype != object and 1 <= array.shape[-1] <= limit and not full_output
            and not any(name in options for name in _ENGINE_OPTIONS))


def _batch(array, what, progress, options):
    if array.shape[1] != array.shape[2]:
        raise input_error(f"matrices of {array.shape[1]} x {array.shape[2]}", "square ones")
    if 0 in array.shape:
        return [1] * len(array)
    with shown(progress) as report:
        return _core.batch(array, what, options, report)


def _times(indices, count, which):
    import numpy as np

    array = np.asarray(indices)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise input_error(f"{which}={indices!r}", "a sequence of indices")
    if array.size and not (0 <= array.min() and array.max() < count):
        raise input_error(f"{which} from {array.min()} to {array.max()}", f"indices from 0 to {count - 1}")
    return np.bincount(array.astype(np.int64), minlength=count).tolist() if array.size else [0] * count


def permanent(matrix, *, rows=None, cols=None, full_output=False, progress=False, **options):
    """The permanent: an int or Fraction of exact entries, else a Real or Complex, a float with its error.

    matrix: an array (int, float, complex, bool, or objects: ints of any size and Fractions), n x n, or (B, n, n) for a
    list of B; nested lists, a sparse matrix, a Graph.
    rows, cols: indices, each as often as it is to stand there: the permanent of matrix[numpy.ix_(rows, cols)], where
    what is repeated takes no time of its own. Amplitudes of bosons are such permanents.
    """
    if rows is None and cols is None and not options and not full_output and not progress:
        value = _core.small_permanent(matrix)
        if value is not None:
            return value
    if isinstance(matrix, (list, tuple)) or is_array(matrix):
        array = as_array(matrix, "a matrix")
        if rows is not None or cols is not None:
            return _repeated(array, rows, cols, full_output, progress, options)
        if array.ndim == 3:
            if full_output:
                raise input_error("full_output of a batch", "one matrix")
            if array.dtype != object:
                return _batch(array, "permanent", progress, options)
            return [permanent(one, progress=progress, **options) for one in array]
        if array.ndim == 2 and array.shape[0] == array.shape[1] and _expands(array, _SMALL_PERMANENT, full_output, options):
            return _batch(array[None], "permanent", progress, options)[0]
        matrix = array
    elif rows is not None or cols is not None:
        raise input_error("rows or cols of what is no array", "an array")
    graph = as_graph(matrix, None, None, "refuse", "matrix")
    _require_kind(graph, ("matrix", "bipartite", "directed"), "hafnian")
    return _count(graph, "perfect", True, full_output, progress, options)


def _repeated(array, rows, cols, full_output, progress, options):
    import numpy as np

    if array.ndim != 2:
        raise input_error(f"rows or cols of an array of {array.ndim} dimensions", "a matrix")
    rows = range(array.shape[0]) if rows is None else rows
    cols = range(array.shape[1]) if cols is None else cols
    row_times, column_times = _times(rows, array.shape[0], "rows"), _times(cols, array.shape[1], "cols")
    if array.dtype == object or full_output or any(name in options for name in _ENGINE_OPTIONS):
        return permanent(array[np.ix_(np.asarray(rows, int), np.asarray(cols, int))], full_output=full_output,
                         progress=progress, **options)
    if array.size == 0:
        return 1
    with shown(progress) as report:
        return _core.repeated_permanent(array, row_times, column_times, options, report)


def hafnian(matrix, loop=False, *, rows=None, weight="weight", duplicates="refuse", full_output=False, progress=False,
            **options):
    """The hafnian: the sum over perfect matchings of the product of their weights, of a symmetric matrix or a graph.

    loop: the loop hafnian, in which a vertex may stay unmatched for what stands on the diagonal; else that is not read
    rows: indices, each as often as it is to stand there: the hafnian of matrix[numpy.ix_(rows, rows)], where what is
    repeated takes little time. Amplitudes of photons from squeezed light are such hafnians.
    matrix: as for permanent, (B, n, n) included; a graph, whose edges' `weight` counts, 1 where they have none
    """
    if is_nested(matrix) or is_array(matrix):
        array = as_array(matrix, "a matrix")
        what = "loop hafnian" if loop else "hafnian"
        if rows is not None:
            return _repeated_hafnian(array, loop, rows, full_output, progress, options)
        if array.ndim == 3:
            if full_output:
                raise input_error("full_output of a batch", "one matrix")
            if array.dtype != object:
                return _batch(array, what, progress, options)
            return [hafnian(one, loop, progress=progress, **options) for one in array]
        if array.ndim == 2 and array.shape[0] == array.shape[1] and _expands(array, _SMALL_HAFNIAN, full_output, options):
            return _batch(array[None], what, progress, options)[0]
        if array.ndim == 2 and array.shape[0] == array.shape[1] and not loop:
            import numpy as np

            array = array.copy()
            np.fill_diagonal(array, 0)
        matrix = array
    elif rows is not None:
        raise input_error("rows of what is no array", "an array")
    graph = as_graph(matrix, None, weight, duplicates, "undirected", loop)
    _require_kind(graph, ("undirected",), "permanent")
    if graph._core.has_loops and not loop:
        raise input_error("a graph with loops", "loop=True")
    return _count(graph, "perfect", True, full_output, progress, options)


def _repeated_hafnian(array, loop, rows, full_output, progress, options):
    import numpy as np

    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise input_error(f"rows of an array of shape {array.shape}", "a square matrix")
    times = _times(rows, len(array), "rows")
    if array.dtype == object or full_output or any(name in options for name in _ENGINE_OPTIONS):
        rows = np.asarray(rows, int)
        return hafnian(array[np.ix_(rows, rows)], loop, full_output=full_output, progress=progress, **options)
    if array.size == 0:
        return 1
    with shown(progress) as report:
        return _core.repeated_hafnian(array, times, loop, options, report)


def determinant(matrix, *, full_output=False, progress=False, **options):
    """The determinant: an int or Fraction of exact entries, else a Real or Complex; of (B, n, n) a list."""
    if isinstance(matrix, (list, tuple)) or is_array(matrix):
        matrix = as_array(matrix, "a matrix")
        if matrix.ndim == 3:
            return [determinant(one, full_output=full_output, progress=progress, **options) for one in matrix]
    graph = as_graph(matrix, None, None, "refuse", "matrix")
    _require_kind(graph, ("matrix", "bipartite", "directed"), "hafnian")
    with shown(progress) as report:
        raw = _core.determinant(graph._core, options, report)
    return _answer(graph, raw, full_output)


_QUESTIONS = {
    "matchings": ("bipartite", False),
    "permanent": ("matrix", True),
    "hafnian": ("undirected", True),
    "cycle_covers": ("directed", False),
}


def _question(given, what, kind, weight, duplicates):
    """The graph of a question, and whether its weights count."""
    if what is None:
        graph = as_graph(given, kind, None, duplicates, "matrix" if is_array(given) or hasattr(given, "tocoo") else "bipartite")
        what = {"matrix": "permanent", "directed": "cycle_covers"}.get(graph.kind, "matchings")
        if what == "matchings" and not _counts_ones(graph):
            raise input_error("a graph with weights", "what='matchings' (ignored) or what='hafnian' (they count)")
    elif what not in _QUESTIONS:
        raise input_error(f"what={what!r}", "one of " + ", ".join(_QUESTIONS))
    else:
        otherwise, weighted = _QUESTIONS[what]
        graph = as_graph(given, kind, weight if weighted else None, duplicates, otherwise)
    return graph, _QUESTIONS[what][1]


def _counts_ones(graph):
    weights = graph.weights()
    return weights is None or all(value == 1 for value in weights)


def estimate(graph, what=None, *, kind=None, weight="weight", duplicates="refuse", progress=False, **options):
    """An Estimate by samples, with an interval, where an exact count is too expensive.

    what: "matchings", "permanent", "hafnian" or "cycle_covers"; None: the permanent of an array, else matchings, or
    cycle covers of a digraph
    options: relative_error (0.01) or samples, confidence (0.95), method, population
    """
    graph, weighted = _question(graph, what, kind, weight, duplicates)
    with shown(progress) as report:
        raw = _core.estimate(graph._core, weighted, options, report)
    return Estimate(**{**raw, "certificate": graph._named_certificate(raw["certificate"])})


def plan(graph, what=None, *, matchings="perfect", kind=None, weight="weight", duplicates="refuse", **options):
    """What a count would take: a Plan. `what` as for estimate; matchings: "perfect", "all", "by-size", "maximum"."""
    graph, weighted = _question(graph, what, kind, weight, duplicates)
    raw = _core.plan(graph._core, matchings, weighted, options)
    return Plan(**{**raw, "certificate": graph._named_certificate(raw["certificate"])})


def _with_weights(given, weighted, kind, weight, duplicates):
    graph = as_graph(given, kind, weight, duplicates)
    _require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    if weighted is None:
        if weight is None and not _counts_ones(graph):
            raise input_error("weights", "weighted=True (matchings count by the products of them) or weighted=False")
        weighted = weight is not None
    return graph, weighted


def marginals(graph, *, weighted=None, exact=False, kind=None, weight=None, duplicates="refuse", progress=False, **options):
    """Marginals: for each edge the share of the perfect matchings that contain it.

    exact: the sums are exact integers; weight: the attribute of a graph's edges that counts; weighted: whether the
    entries of an array, or a Graph's weights, count
    """
    graph, weighted = _with_weights(graph, weighted, kind, weight, duplicates)
    with shown(progress) as report:
        raw = _core.marginals(graph._core, weighted, {**options, "exact": exact}, report)
    shares = raw["probabilities"]
    if not raw["are_probabilities"] and not raw["certificate"]:
        raise input_error("weights that are negative or complex", "weights of which shares are probabilities")
    return Marginals(graph._named(raw["edges"]), shares, raw["errors"], raw["sums"], raw["total"], raw["method"],
                     graph._named_certificate(raw["certificate"]))


def sample_matchings(graph, k=1, seed=1, *, first=0, weighted=None, kind=None, weight=None, duplicates="refuse",
                     progress=False, **options):
    """k independent random perfect matchings, uniform or by weights: lists of edges as (u, v).

    They are those from number `first` on of an endless sequence that the graph and the seed determine.
    """
    graph, weighted = _with_weights(graph, weighted, kind, weight, duplicates)
    with shown(progress) as report:
        found = _core.samples(graph._core, first, k, weighted, {**options, "seed": seed}, report)
    return [graph._named(matching) for matching in found]


def list_matchings(graph, *, saturating=False, kind=None, duplicates="refuse", **options):
    """An iterator over the perfect matchings, each a list of edges as (u, v), in lexicographic order.

    saturating: over those that cover the smaller side
    """
    graph = as_graph(graph, kind, None, duplicates)
    _require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    if saturating and graph.kind == "undirected":
        raise input_error("saturating=True of an undirected graph", "a bipartite one, which has two sides")
    return map(graph._named, _core.listing(graph._core, saturating, options))


def decompose(graph, *, kind=None, duplicates="refuse", **options):
    """A Decomposition: a maximum matching, and what every maximum matching has in common."""
    graph = as_graph(graph, kind, None, duplicates)
    raw = _core.decompose(graph._core, options)
    made = {
        "matching": graph._named(raw["matching"]),
        "is_perfect": raw["is_perfect"],
        "useless_edges": graph._named(raw["useless_edges"]),
        "certificate": graph._named_certificate(raw["certificate"]),
    }
    if "blocks" in raw:
        made["row_parts"] = {graph._row(v): part for v, part in zip(raw["rows"], raw["row_parts"])}
        made["column_parts"] = {graph._column(v): part for v, part in zip(raw["columns"], raw["column_parts"])}
        made["blocks"] = [([graph._row(v) for v in rows], [graph._column(v) for v in columns])
                          for rows, columns in raw["blocks"]]
    else:
        made["parts"] = {graph._row(v): part for v, part in enumerate(raw["parts"])}
    return Decomposition(**made)


def read(file, *, kind=None, **options):
    """The Graph that a file describes: see the command line for formats.

    options: format, duplicates, keep_zeros, header, weight_key, loops, time_limit
    """
    core, rows, columns = _core.read(str(file), {"kind": kind or "", **options})
    return Graph(core, _as_numbers(rows), None if columns is None else _as_numbers(columns))


def _as_numbers(labels):
    """Labels as ints where all of them are."""
    if all(name.isascii() and name.isdigit() and (name == "0" or name[0] != "0") for name in labels):
        return [int(name) for name in labels]
    return labels


_GENERATORS = {"grid": 2, "torus": 2, "grid3d": 3, "knight": 2, "king": 2, "hexagon": 3, "aztec": 1, "hypercube": 1,
               "complete": 2, "band": 2, "regular": 2, "random": 2, "planar": 1}


def generate(kind, *sizes, density=None, weights=None, seed=1):
    """A Graph of a known family: generate("grid", 8, 8), ("random", 30, 30, 0.3), ("regular", 20, 3), ("aztec", 10).

    kinds: grid, torus, grid3d, knight, king, hexagon, aztec, hypercube, complete, band, regular, random, planar
    weights: random ones: "uniform", "normal", "complex", "signs", or (low, high) for integers
    """
    if kind not in _GENERATORS:
        raise input_error(f"the kind {kind!r}", "one of " + ", ".join(_GENERATORS))
    number = _GENERATORS[kind]
    if kind in ("random", "planar"):
        if len(sizes) == number + 1 and density is None:
            *sizes, density = sizes
        density = 0.7 if density is None and kind == "planar" else density
        if density is None or not 0 <= density <= 1:
            raise input_error(f"density={density!r}", "a density from 0 to 1")
    elif density is not None:
        raise input_error(f"a density for {kind}", "none")
    if len(sizes) != number or any(size != int(size) or not 0 <= size < 1 << 31 for size in sizes):
        raise input_error(f"sizes {tuple(sizes)!r}", f"{number} whole numbers from 0 to 2^31 - 1 for {kind}")
    core = _core.generate(kind, [int(size) for size in sizes], float(density or 0), seed)
    if weights is not None:
        law, low, high = (weights, 0, 0) if isinstance(weights, str) else ("integers", *weights)
        core = _core.with_weights(core, law, low, high, seed)
    return Graph(core)
