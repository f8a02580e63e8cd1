"""Counts perfect matchings, permanents and hafnians, exactly or with a bound on the error.

    >>> import matchcount
    >>> matchcount.count_perfect_matchings(matchcount.generate("grid", 8, 8))
    12988816

Options are keywords. Of what counts, computes or estimates:

    threads       0 (all cores) or a number
    device        "auto", "cpu", "cuda" or "cuda:0,1"
    precision     of floats: "auto", "double", "compensated", "double-double" or "exact"
    seed          a number; the same seed gives the same answer, on any number of threads
    time_limit    seconds, and memory_limit, bytes: what would pass them raises OverLimit
    progress      True: a bar on stderr (by tqdm where it is there); or a callable of phase, done, total
    full_output   True: a Result instead of a number

of counts, permanents and hafnians:

    method        "auto", "frontier", "planar", "ryser", "sparyser", "skipper", "staged", "forbert-marx", "expansion"
    verify        True: a second, independent method must agree
    order, engine, effort          of the frontier method: "auto", "mixed", "rows" or "columns"; "auto", "sparse",
                                   "dense", "twins" or "lean"; seconds of search for an order
    expand_degree, expand_rows     of forbert-marx
    prune, reduce                  False: keep edges in no perfect matching, vertices of degree 1 and 2

of these and of estimates, to be ended and resumed, by Python or the command line:

    checkpoint            a file that keeps what is done; resume: True goes on from it where it is there
    checkpoint_interval   seconds between two writes, 60

Functions that take fewer of them say so, and what a function does not take is a TypeError.

Functions share no state: any threads may call them, and the interpreter's lock is released. Ctrl-C ends them.
"""

import os as _os
import time as _time

from . import _core
from ._arrays import as_array, is_array, is_sparse
from ._distributions import marginals, plan_marginals, plan_samples, sample_matchings
from ._errors import Cancelled, DeviceError, InputError, MatchcountError, NotCompiled, OverLimit, Unable, input_error
from ._files import generate, read, read_all
from ._inputs import Graph, _ints, as_graph, counts_ones, is_nested, refuse_symmetric_pairs, require_kind, whole
from ._progress import shown
from ._results import (Complex, Decomposition, Estimate, EstimatedMarginals, EstimatedProbability, Marginals, Plan, Real,
                       Result, Samples, plan_of)

__version__ = _core.version
__all__ = [
    "Cancelled", "Complex", "Decomposition", "DeviceError", "Estimate", "EstimatedMarginals", "EstimatedProbability",
    "Graph", "InputError", "Marginals", "MatchcountError", "NotCompiled", "OverLimit", "Plan", "Real", "Result", "Samples",
    "Unable", "count_cycle_covers", "count_matchings", "count_optimal_matchings", "count_perfect_matchings",
    "count_reachable_pairs", "decompose", "determinant", "devices", "estimate", "generate", "hafnian", "list_matchings",
    "marginals", "matching_polynomial", "matchings_by_size", "parity", "permanent", "plan", "plan_marginals",
    "plan_samples", "reachable_from", "read", "read_all", "sample_matchings", "strong_components",
]

_core.set_types(Real, Complex)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(before=_core.before_fork)

# Of these sizes arrays are expanded at once (matchcount/batches.hpp); beyond, the engine plans.
_SMALL_PERMANENT, _SMALL_HAFNIAN = 16, 32
# What the expansion can't be asked for.
_ENGINE_OPTIONS = ("method", "verify", "order", "engine", "effort", "expand_degree", "expand_rows", "prune", "reduce",
                   "checkpoint", "checkpoint_interval", "resume")
_SIZES = ("all", "maximum", "saturating", "perfect")


def _answer(graph, raw, full_output):
    result = Result(**{**raw, "_value": raw["value"], "certificate": graph._named_certificate(raw["certificate"])})
    return result if full_output else result.value


def _count(graph, what, weighted, full_output, progress, options, activity=None):
    with shown(progress) as report:
        raw = _core.count(graph._core, what, weighted, activity, options, report)
    return raw if full_output is None else _answer(graph, raw, full_output)


def count_perfect_matchings(graph, *, kind=None, weight="weight", duplicates="refuse", full_output=False, progress=False,
                            **options):
    """The number of perfect matchings of a graph, as an int; of weights only zeros matter, which are no edges.

    graph: an array or sparse matrix of rows and columns (kind="bipartite") or the adjacency matrix of a graph
    (kind="undirected"), a graph of networkx, rustworkx or igraph, edges as (u, v), or a Graph.
    weight: the attribute that weights stand in; None: they are not looked at, every edge is one
    duplicates: of edges that are given twice: "refuse", "sum" (their weights are added; edges without weights count as
    often as they are given) or "one"
    """
    graph = as_graph(graph, kind, weight, duplicates, counts=False)
    require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    return _count(graph, "perfect", False, full_output, progress, options)


def count_matchings(graph, size="all", *, weighted=False, activity=None, kind=None, weight="weight", duplicates="refuse",
                    full_output=False, progress=False, **options):
    """The number of matchings of a size: an int, or "all", "maximum", "saturating" (the smaller side) or "perfect".

    weighted: a matching counts as the product of its edges' weights; activity, of "all": the weight of every vertex
    that is left out, an int or a Fraction.
    """
    if isinstance(size, str):
        if size not in _SIZES:
            other = {"lightest": "count_optimal_matchings", "heaviest": "count_optimal_matchings",
                     "by-size": "matchings_by_size"}.get(size)
            raise input_error(f"size={size!r}", f"a number or one of {', '.join(_SIZES)}" + (f"; see {other}" if other else ""))
    else:
        size = whole(size, "size")
    graph = as_graph(graph, kind, weight, duplicates, counts=weighted)
    require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    if size == "saturating" and graph.kind == "undirected":
        raise input_error("size='saturating' of an undirected graph", "a bipartite one, which has two sides, or 'maximum'")
    if isinstance(size, str):
        return _count(graph, size, weighted, full_output, progress, options, activity)
    if activity is not None or full_output:
        raise input_error(f"activity or full_output of size={size}", "size='all', or matchings_by_size(..., full_output=True)")
    by_size = _count(graph, "by-size", weighted, None, progress, options)["by_size"]
    return by_size[size] if size < len(by_size) else type(by_size[0])(0)


def count_optimal_matchings(graph, optimum="lightest", *, kind=None, weight="weight", duplicates="refuse",
                            keep_zeros=None, full_output=False, progress=False, **options):
    """The lightest or "heaviest" perfect matchings: (the sum of each one's weights, how many there are).

    Sums are exact ints or Fractions, of floats too, None where there is no perfect matching; edges without weights weigh
    1. keep_zeros: whether an edge with names and weight 0 is an edge, which has to be said where there is one; zeros of
    an array are no edges. full_output: a Result, with .weight.
    """
    graph = _with_zeros(graph, kind, weight, duplicates, keep_zeros)
    require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    _refuse_multiplicities(graph)
    with shown(progress) as report:
        raw = _core.count_optimal(graph._core, optimum, options, report)
    return _answer(graph, raw, True) if full_output else (raw["weight"], raw["value"])


def _refuse_multiplicities(graph):
    if graph._core.weights_are_multiplicities:
        raise input_error("duplicates='sum' of edges without weights", "duplicates='one'")


def _with_zeros(given, kind, weight, duplicates, keep_zeros):
    graph = as_graph(given, kind, weight, duplicates, keep_zeros=keep_zeros is not False)
    if keep_zeros is None and graph is not given and any(value == 0 for value in graph.weights() or ()):
        raise input_error("an edge of weight 0", "keep_zeros=True, where it is an edge, or keep_zeros=False, where it is none")
    return graph


def matchings_by_size(graph, *, weighted=False, kind=None, weight="weight", duplicates="refuse", full_output=False,
                      progress=False, **options):
    """The numbers of matchings of 0, 1, 2, ... edges, as a list."""
    graph = as_graph(graph, kind, weight, duplicates, counts=weighted)
    require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    raw = _count(graph, "by-size", weighted, None, progress, options)
    return _answer(graph, raw, True) if full_output else raw["by_size"]


def matching_polynomial(graph, *, kind=None, weight="weight", duplicates="refuse", progress=False, **options):
    """The coefficients of sum over k of (-1)^k m_k x^(n - 2k), of x^n first: n + 1 of them, as numpy.roots has them."""
    graph = as_graph(graph, kind, weight, duplicates, counts=False)
    if "full_output" in options:
        raise TypeError("unexpected keyword argument 'full_output'")
    by_size = matchings_by_size(graph, progress=progress, **options)
    vertices = graph._core.num_rows + graph._core.num_columns
    coefficients = [0] * (vertices + 1)
    for size, number in enumerate(by_size):
        coefficients[2 * size] = -number if size % 2 else number
    return coefficients


def count_cycle_covers(digraph, *, weight="weight", duplicates="refuse", full_output=False, progress=False, **options):
    """The number of ways to cover a digraph's vertices by disjoint cycles; a self-loop is a cycle of length one."""
    graph = _digraph(digraph, weight, duplicates)
    require_kind(graph, ("directed", "matrix"), "count_perfect_matchings")
    if graph._core.num_rows != graph._core.num_columns:
        raise input_error(f"a matrix of {graph._core.num_rows} x {graph._core.num_columns}", "the square one of a digraph")
    return _count(graph, "perfect", False, full_output, progress, options)


def _asks_engine(options):
    return any(name in options for name in _ENGINE_OPTIONS)


def _expands(array, limit, full_output, options):
    return (array.dtype != object and 1 <= array.shape[-1] <= limit and not full_output
            and not _asks_engine(options))


def _each(function, array, options):
    """function(matrix, **options) of each matrix, all of them within the time limit."""
    limit = options.get("time_limit")
    if not isinstance(limit, (int, float)) or not limit > 0:
        return [function(one, **options) for one in array]
    values, end = [], _time.monotonic() + limit
    for one in array:
        left = end - _time.monotonic()
        if left <= 0:
            raise OverLimit(f"the time limit of {limit} s was over after {len(values)} of {len(array)} matrices")
        values.append(function(one, **{**options, "time_limit": left}))
    return values


def _typed(value, array):
    """The number as answers of such entries are."""
    return {"f": Real, "c": Complex}.get(array.dtype.kind, int)(value)


def _batch(array, what, progress, options):
    if array.shape[1] != array.shape[2]:
        raise input_error(f"matrices of {array.shape[1]} x {array.shape[2]}", "square ones")
    if 0 in array.shape:
        return [_typed(1, array)] * len(array)
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
    """The permanent of a square matrix: an int or Fraction of exact entries, else a Real or Complex, with its error.

    matrix: an array (int, float, complex, bool, or objects: ints of any size and Fractions), n x n, or (B, n, n) for a
    list of B; nested lists, a sparse matrix, a Graph.
    rows, cols: indices, each as often as it is to stand there: the permanent of matrix[numpy.ix_(rows, cols)], where
    what is repeated takes no time of its own. Amplitudes of bosons are such permanents.
    """
    # By its name, for numpy need not be there; a masked array is of another type.
    if type(matrix).__name__ == "ndarray" and rows is None and cols is None and not (options or full_output or progress):
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
            if array.dtype != object and not _asks_engine(options):
                return _batch(array, "permanent", progress, options)
            return _each(permanent, array, {**options, "progress": progress})
        if array.ndim == 2 and array.shape[0] == array.shape[1] and _expands(array, _SMALL_PERMANENT, full_output, options):
            return _batch(array[None], "permanent", progress, options)[0]
        matrix = array
    elif rows is not None or cols is not None:
        raise input_error("rows or cols of what is no array", "an array")
    graph = as_graph(matrix, otherwise="matrix")
    require_kind(graph, ("matrix", "bipartite", "directed"), "hafnian")
    _require_square(graph._core.num_rows, graph._core.num_columns)
    return _count(graph, "perfect", True, full_output, progress, options)


def _require_square(rows, columns):
    if rows != columns:
        raise input_error(f"a matrix of {rows} x {columns}",
                          "a square one; count_matchings(..., 'saturating', weighted=True) has the rectangular permanent")


def _repeated(array, rows, cols, full_output, progress, options):
    import numpy as np

    if array.ndim != 2:
        raise input_error(f"rows or cols of an array of {array.ndim} dimensions", "a matrix")
    rows = range(array.shape[0]) if rows is None else rows
    cols = range(array.shape[1]) if cols is None else cols
    row_times, column_times = _times(rows, array.shape[0], "rows"), _times(cols, array.shape[1], "cols")
    if len(rows) != len(cols):
        raise input_error(f"{len(rows)} rows and {len(cols)} columns", "as many of both: a square matrix has a permanent")
    if array.dtype == object or full_output or _asks_engine(options):
        return permanent(array[np.ix_(np.asarray(rows, int), np.asarray(cols, int))], full_output=full_output,
                         progress=progress, **options)
    if array.size == 0:
        return _typed(1, array)
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
            if array.dtype != object and not _asks_engine(options):
                return _batch(array, what, progress, options)
            return _each(hafnian, array, {**options, "loop": loop, "progress": progress})
        if array.ndim == 2 and array.shape[0] == array.shape[1] and _expands(array, _SMALL_HAFNIAN, full_output, options):
            return _batch(array[None], what, progress, options)[0]
        if array.ndim == 2 and array.shape[0] == array.shape[1] and not loop:
            import numpy as np

            array = array.copy()
            np.fill_diagonal(array, 0)
        matrix = array
    elif rows is not None:
        raise input_error("rows of what is no array", "an array")
    else:
        refuse_symmetric_pairs(matrix)
    graph = as_graph(matrix, None, weight, duplicates, "undirected", loop)
    require_kind(graph, ("undirected",), "permanent")
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
        return _typed(1, array)
    with shown(progress) as report:
        return _core.repeated_hafnian(array, times, loop, options, report)


def determinant(matrix, *, full_output=False, progress=False, **options):
    """The determinant: an int or Fraction of exact entries, else a Real or Complex; of (B, n, n) a list."""
    if isinstance(matrix, (list, tuple)) or is_array(matrix):
        matrix = as_array(matrix, "a matrix")
        if matrix.ndim == 3:
            return _each(determinant, matrix, {**options, "full_output": full_output, "progress": progress})
    graph = as_graph(matrix, otherwise="matrix")
    require_kind(graph, ("matrix", "bipartite", "directed"), "hafnian")
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
        graph = as_graph(given, kind, weight, duplicates, "matrix" if is_array(given) or is_sparse(given) else "bipartite",
                         counts=False)
        what = {"matrix": "permanent", "directed": "cycle_covers"}.get(graph.kind, "matchings")
        if what == "matchings" and not counts_ones(graph):
            raise input_error("a graph with weights", "what='matchings' (ignored) or what='hafnian' (they count)"
                              if graph.kind == "undirected" else "what='matchings' (ignored) or what='permanent' (they count)")
    elif what not in _QUESTIONS:
        raise input_error(f"what={what!r}", "one of " + ", ".join(_QUESTIONS))
    else:
        otherwise, weighted = _QUESTIONS[what]
        graph = as_graph(given, kind, weight, duplicates, otherwise, counts=weighted)
    return graph, _QUESTIONS[what][1]


def estimate(graph, what=None, *, kind=None, weight="weight", duplicates="refuse", progress=False, **options):
    """An Estimate by samples, with an interval, where an exact count is too expensive.

    what: "matchings", "permanent", "hafnian" or "cycle_covers"; None: the permanent of an array, else matchings, or
    cycle covers of a digraph
    options: relative_error (0.01) or samples, confidence (0.95), exact_rows (12: blocks of so many are counted);
    method: "auto", "guided", "population", "rasmussen", "rasmussen+", "scaling", "scaling+", "godsil-gutman" or
    "karmarkar", with population, scaling_interval and scaling_rounds
    """
    graph, weighted = _question(graph, what, kind, weight, duplicates)
    with shown(progress) as report:
        raw = _core.estimate(graph._core, weighted, options, report)
    return Estimate(**{**raw, "certificate": graph._named_certificate(raw["certificate"])})


def plan(graph, what=None, *, matchings="perfect", kind=None, weight="weight", duplicates="refuse", **options):
    """What a count would take: a Plan.

    what: as for estimate; matchings: "perfect", "all", "by-size", "maximum", "saturating", "lightest" or "heaviest"
    """
    if matchings in ("lightest", "heaviest"):
        graph = as_graph(graph, kind, weight, duplicates, keep_zeros=True)
        raw = _core.plan_optimal(graph._core, matchings, options)
    else:
        graph, weighted = _question(graph, what, kind, weight, duplicates)
        raw = _core.plan(graph._core, matchings, weighted, options)
    return plan_of(graph, raw)


def parity(graph, what=None, *, kind=None, weight="weight", duplicates="refuse", **options):
    """Whether a count is odd: 1 or 0, of graphs of tens of thousands of vertices a side.

    what: as for estimate, of integer weights; options: device, threads, time_limit, memory_limit
    """
    graph, weighted = _question(graph, what, kind, weight, duplicates)
    core = graph._core
    if graph.kind in ("matrix", "directed"):
        _require_square(core.num_rows, core.num_columns)
    elif core.is_bipartite and core.num_rows != core.num_columns:
        return 0
    if weighted and core.has_fractions:
        weights = core.weights()
        if any(value.denominator != 1 for value in weights):
            raise input_error("fractions", "integers, of which a sum is odd or even")
        core = _core.with_integers(core, _ints([value.numerator % 2 for value in weights]))
    return int(_core.is_odd(core, weighted, options))


def _digraph(given, weight, duplicates):
    return as_graph(given, None if isinstance(given, Graph) else "directed", weight, duplicates, "directed", counts=False)


def _arcs(given, weight, duplicates):
    graph = _digraph(given, weight, duplicates)
    require_kind(graph, ("directed",), "decompose")
    return graph


def count_reachable_pairs(digraph, *, weight="weight", duplicates="one", **options):
    """The number of pairs (u, v) with a path of at least one arc from u to v; (v, v) is one where v is on a cycle.

    options: device, threads, time_limit, memory_limit
    """
    return _core.reachable_pairs(_arcs(digraph, weight, duplicates)._core, options)


def strong_components(digraph, *, weight="weight", duplicates="one", **options):
    """The strong components, lists of vertices, so that every arc between two leads to the one that is listed first."""
    graph = _arcs(digraph, weight, duplicates)
    return [[graph._row(v) for v in component] for component in _core.strong_components(graph._core, options)]


def reachable_from(digraph, source, *, weight="weight", duplicates="one", **options):
    """The vertices with a path of at least one arc from `source`, as a list. options: time_limit, memory_limit"""
    graph = _arcs(digraph, weight, duplicates)
    labels = range(graph._core.num_rows) if graph.row_labels is None else graph.row_labels
    if source not in labels:
        raise input_error(f"source={source!r}", "a vertex of the graph")
    return [labels[v] for v in _core.reachable(graph._core, labels.index(source), options)]


def devices():
    """The GPUs of this machine, a dict each; [] where there is none, or this build has no CUDA."""
    return _core.devices()


def list_matchings(graph, *, saturating=False, kind=None, weight="weight", duplicates="refuse", **options):
    """An iterator over the perfect matchings, each a list of edges as (u, v), in lexicographic order.

    saturating: over those that cover the smaller side; options: time_limit, memory_limit
    """
    graph = as_graph(graph, kind, weight, duplicates, counts=False)
    require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    if saturating and graph.kind == "undirected":
        raise input_error("saturating=True of an undirected graph", "a bipartite one, which has two sides")
    _refuse_multiplicities(graph)
    return map(graph._named, _core.listing(graph._core, saturating, options))


def decompose(graph, *, kind=None, weight="weight", duplicates="refuse", **options):
    """A Decomposition: a maximum matching, and what every maximum matching has in common.

    options: time_limit, memory_limit
    """
    graph = as_graph(graph, kind, weight, duplicates, counts=False)
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
