"""Counts of matchings and cycle covers, what they would take, and estimates of them."""

from __future__ import annotations

from . import _core
from ._arrays import is_array, is_sparse
from ._core import Estimate, Graph, Plan, Result, SizeEstimate
from ._errors import InputError, input_error
from ._inputs import asked_graph, checked, counts_ones, ints, require_kind, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction
    from typing import Any, Literal, Unpack, overload

    from ._options import ByLabel, DigraphCounts, GraphCounts, GraphEstimates, Parities, Parts, Plans
    from ._types import Edges, Flag, Labels, Matchings, Optimum, Single, Size, What, Whole

_SIZES = ("all", "maximal", "maximum", "saturating", "perfect")


def _sided(asked: dict[str, Any], counts: bool, keep_zeros: bool = False) -> Graph:
    """The graph asked about, which is bipartite or undirected. counts: whether the answer depends on weights."""
    graph = asked_graph(asked, counts=counts, keep_zeros=keep_zeros)
    require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    return graph


def counted(graph: Graph, what: str, weighted: bool, asked: dict[str, Any]) -> Any:
    """A number, or a Result by full_output."""
    found = _core.count(graph, what, bool(weighted), asked)
    return found if asked["full_output"] else found.value


if TYPE_CHECKING:
    @overload
    def count_perfect_matchings(graph: Any, *, full_output: Literal[False] = ..., **options: Unpack[GraphCounts]) -> int: ...
    @overload
    def count_perfect_matchings(graph: Any, *, full_output: bool, **options: Unpack[GraphCounts]) -> Result: ...


def count_perfect_matchings(graph: Any, *, full_output: bool = False, **options: Unpack[GraphCounts]) -> int | Result:
    """Counts the perfect matchings of a graph; of weights only zeros matter, which are no edges.

    References
    ----------
    The headers of permanent/ name the sources of each method; for planar graphs P. W. Kasteleyn, "The statistics of dimers
    on a lattice", 1961, doi:10.1016/0031-8914(61)90063-5.

    Examples
    --------
    >>> matchcount.count_perfect_matchings(matchcount.generate("grid", 8, 8))
    12988816
    >>> matchcount.count_perfect_matchings([("a", 1), ("a", 2), ("b", 1), ("b", 2)])
    2
    """
    asked = checked(locals(), count_perfect_matchings)
    return counted(_sided(asked, counts=False), "perfect", False, asked)  # type: ignore[no-any-return]


def count_matchings(
    graph: Any, size: int | Size = "all", *, weighted: bool = False, activity: int | Fraction | None = None, given: Edges = None,
    without: Edges = None, full_output: bool = False, **options: Unpack[GraphCounts],
) -> Any:
    """Counts the matchings of a size.

    Parameters
    ----------
    size : int or {"all", "maximal", "maximum", "saturating", "perfect"}
        A number of edges; "saturating": every vertex of the smaller side; "maximal": no edge can be added.
    activity : int or Fraction, optional
        Of "all" and "maximal": the weight of every vertex that a matching leaves out.

    Returns
    -------
    int, Fraction, Real or Complex, or Result by ``full_output=True``

    References
    ----------
    O. J. Heilmann, E. H. Lieb, "Theory of monomer-dimer systems", 1972, doi:10.1007/BF01877590.

    Examples
    --------
    >>> square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    >>> matchcount.count_matchings(square, kind="undirected"), matchcount.count_matchings(square, 1, kind="undirected")
    (7, 4)
    """
    asked = checked(locals(), count_matchings)
    if not isinstance(size, str):
        size = whole(size, "size")
    elif size not in _SIZES:
        other = {"lightest": "count_optimal_matchings", "heaviest": "count_optimal_matchings",
                 "by-size": "matchings_by_size"}.get(size)
        raise input_error(f"size={size!r}", f"a number or one of {', '.join(_SIZES)}" + (f"; see {other}" if other else ""))
    within = _sided(asked, counts=bool(weighted))
    refuse_what_does_not_fit(within, size, activity)
    within = meet_conditions(within, size, asked)
    if isinstance(size, str):
        return counted(within, size, weighted, asked)
    if full_output:
        raise input_error(f"full_output of size={size}", "size='all', or matchings_by_size(..., full_output=True)")
    by_size = _core.count(within, "by-size", bool(weighted), asked).by_size
    return by_size[size] if size < len(by_size) else type(by_size[0])(0)


def refuse_what_does_not_fit(graph: Graph, matchings: int | str, activity: int | Fraction | None) -> None:
    """Refuses what a kind of matchings does not have."""
    if activity is not None and matchings not in ("all", "maximal"):
        raise input_error(f"an activity with {matchings!r}", "'all' or 'maximal', in which vertices are left out")
    if matchings == "saturating" and graph.kind == "undirected":
        raise input_error("'saturating' of an undirected graph", "a bipartite one, which has two sides, or 'maximum'")


def edge_places(graph: Graph) -> Callable[[Any], int]:
    """A function from edges to their numbers."""
    places: dict[Any, int] = {}
    for place, (u, v) in enumerate(graph.edges(sides=False)):
        places[u, v] = place
        if graph.kind == "undirected":
            places[v, u] = place

    def place_of(edge: Any) -> int:
        try:
            return places[tuple(edge)]
        except (KeyError, TypeError):
            raise input_error(f"{edge!r}, which is no edge", "edges of the graph, as (u, v)") from None

    return place_of


def meet_conditions(graph: Graph, matchings: int | str, asked: dict[str, Any]) -> Graph:
    """The graph whose matchings are those that have the edges ``given`` and lack those ``without``."""
    if asked.get("given") is None and asked.get("without") is None:
        return graph
    if matchings in ("maximum", "maximal", "lightest", "heaviest"):
        raise input_error(f"conditions with {matchings!r}", "others: by conditions these may be of another size or weight, "
                          "or no longer maximal")
    place_of = edge_places(graph)
    try:
        places = [[place_of(edge) for edge in asked.get(name) or ()] for name in ("given", "without")]
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise input_error(f"given={asked.get('given')!r}, without={asked.get('without')!r}", "sequences of edges (u, v)") from None
    return _core.given(graph, *places)


if TYPE_CHECKING:
    @overload
    def count_optimal_matchings(
        graph: Any, optimum: Optimum = ..., *, keep_zeros: Flag = ..., full_output: Literal[False] = ...,
        **options: Unpack[GraphCounts]) -> tuple[int | Fraction | None, int]: ...
    @overload
    def count_optimal_matchings(
        graph: Any, optimum: Optimum = ..., *, keep_zeros: Flag = ..., full_output: bool, **options: Unpack[GraphCounts]) -> Result: ...


def count_optimal_matchings(
    graph: Any, optimum: Optimum = "lightest", *, keep_zeros: Flag = None, full_output: bool = False, **options: Unpack[GraphCounts],
) -> tuple[int | Fraction | None, int] | Result:
    """Finds the minimum- or maximum-weight perfect matchings: what each weighs, and how many there are.

    Parameters
    ----------
    optimum : {"lightest", "heaviest"}
        Whether the least or the greatest sum of weights is asked for. Edges without weights weigh 1.
    keep_zeros : bool, optional
        Whether an edge with names and weight 0 is an edge, which has to be said where there is one; zeros of an array
        are no edges, which has to be said too.

    Returns
    -------
    (weight, number), or Result by ``full_output=True``, with ``.weight``
        An int or Fraction, of floats too, None where there is no perfect matching; an int.

    References
    ----------
    H. W. Kuhn, "The Hungarian method for the assignment problem", 1955, doi:10.1002/nav.3800020109: edges that are
    tight in its dual are those of all such matchings.

    Examples
    --------
    >>> matchcount.count_optimal_matchings([("a", 1, 3), ("a", 2, 1), ("b", 1, 1), ("b", 2, 3)])
    (2, 1)
    """
    asked = checked(locals(), count_optimal_matchings)
    if optimum not in ("lightest", "heaviest"):
        raise input_error(f"optimum={optimum!r}", "'lightest' or 'heaviest'")
    keep_zeros = asked["keep_zeros"]
    given = _sided(asked, counts=True, keep_zeros=keep_zeros is not False)
    no_edge = asked.get("no_edge")
    is_matrix = "columns" not in asked and (is_array(graph) or is_sparse(graph))
    if is_matrix and keep_zeros and no_edge is None:
        raise input_error("keep_zeros=True of an array", "no_edge=inf or another entry for no edge, or edges as (u, v, weight)")
    if is_matrix and is_array(graph) and no_edge is None and keep_zeros is None and (
            given.num_edges < given.num_rows * given.num_columns):
        raise input_error("zeros in an array", "keep_zeros=False, where they are no edges, no_edge=inf for those that are none, or "
                          "edges as (u, v, weight)")
    if keep_zeros is None and given is not graph and any(value == 0 for value in given.weights() or ()):
        raise input_error("an edge of weight 0", "keep_zeros=True, where it is an edge, or keep_zeros=False, where it is none")
    refuse_multiplicities(given)
    found = _core.count(given, optimum, True, asked)
    return found if full_output else (found.weight, found.value)  # type: ignore[return-value]


def refuse_multiplicities(graph: Graph) -> None:
    if graph.weights_are_multiplicities:
        raise input_error("duplicates='sum' of edges without weights", "duplicates='one'")


def matchings_by_size(graph: Any, *, weighted: bool = False, full_output: bool = False, **options: Unpack[GraphCounts]) -> Any:
    """Counts the matchings of 0, 1, 2, ... edges.

    Returns
    -------
    list of int, Fraction, Real or Complex, or Result by ``full_output=True``, with ``.by_size``
        Up to the size of a maximum matching.

    References
    ----------
    C. D. Godsil, I. Gutman, "On the theory of the matching polynomial", 1981, doi:10.1002/jgt.3190050203.

    Examples
    --------
    >>> matchcount.matchings_by_size([(0, 1), (1, 2), (2, 3), (3, 0)], kind="undirected")
    [1, 4, 2]
    """
    asked = checked(locals(), matchings_by_size)
    found = _core.count(_sided(asked, counts=bool(weighted)), "by-size", bool(weighted), asked)
    return found if full_output else found.by_size


def matchings_by_label(
    graph: Any, label: Labels = None, size: Size = "perfect", *, seed: Whole = None, **options: Unpack[ByLabel],
) -> list[tuple[Any, int]]:
    """Counts the matchings by how many edges of each label they have, or by the sum of their weights.

    Parameters
    ----------
    label : mapping or callable, optional
        The label of the edge (u, v): label[u, v], or label(u, v); of undirected graphs label[v, u] will do. None: sums of
        weights, which are integers.
    size : {"perfect", "all", "maximal", "maximum", "saturating"}
        Which matchings are counted.

    Returns
    -------
    list of tuple
        The numbers, a dict by label or a sum, and how many matchings have them, for all that there are.

    Examples
    --------
    >>> ways = {("a", 1): "far", ("a", 2): "near", ("b", 1): "near", ("b", 2): "near"}
    >>> matchcount.matchings_by_label(list(ways), ways)
    [({'far': 0, 'near': 2}, 1), ({'far': 1, 'near': 1}, 1)]
    >>> matchcount.matchings_by_label([("a", 1, 5), ("a", 2, -1), ("b", 1, 2), ("b", 2, 2)])
    [(1, 1), (7, 1)]
    """
    asked = checked(locals(), matchings_by_label)
    if size not in _SIZES:
        raise input_error(f"size={size!r}", f"one of {', '.join(_SIZES)}")
    by_weight = label is None
    given = _sided(asked, counts=by_weight, keep_zeros=by_weight)
    refuse_multiplicities(given)
    if size == "saturating" and given.kind == "undirected":
        raise input_error("size='saturating' of an undirected graph", "a bipartite one, which has two sides, or 'maximum'")
    if by_weight:
        if given.has_fractions:
            raise input_error("weights that are not integers", "integers, whose sums are told apart")
        return [(numbers[0], count) for numbers, count in
                _core.count(given, size, True, {**asked, "by_weight": True}).by_label]
    places: dict[Any, int] = {}
    labels = [places.setdefault(_label_of(label, *edge, given.kind), len(places)) for edge in given.edges(sides=False)]
    return [(dict(zip(places, numbers)), count) for numbers, count in
            _core.count(given, size, False, {**asked, "labels": labels}).by_label]


def _label_of(label: Any, u: Any, v: Any, kind: str) -> Any:
    if callable(label):
        return label(u, v)
    for edge in [(u, v), (v, u)] if kind == "undirected" else [(u, v)]:
        if edge in label:
            return label[edge]
    raise input_error(f"no label of the edge {(u, v)!r}", "one for each edge")


def matching_polynomial(graph: Any, **options: Unpack[GraphCounts]) -> list[int]:
    """Finds the coefficients of sum over k of (-1)^k m_k x^(n - 2k), of n vertices and m_k matchings of k edges.

    Returns
    -------
    list of int
        All n + 1 of them, that of x^n first, as numpy.roots has them.

    References
    ----------
    C. D. Godsil, I. Gutman, "On the theory of the matching polynomial", 1981, doi:10.1002/jgt.3190050203.

    Examples
    --------
    >>> matchcount.matching_polynomial([(0, 1), (1, 2), (2, 3), (3, 0)], kind="undirected")
    [1, 0, -4, 0, 2]
    """
    asked = checked(locals(), matching_polynomial)
    given = _sided(asked, counts=False)
    coefficients = [0] * (given.num_rows + given.num_columns + 1)
    for size, number in enumerate(_core.count(given, "by-size", False, asked).by_size):
        coefficients[2 * size] = -number if size % 2 else number  # type: ignore[assignment]
    return coefficients


if TYPE_CHECKING:
    @overload
    def count_cycle_covers(digraph: Any, *, full_output: Literal[False] = ..., **options: Unpack[DigraphCounts]) -> int: ...
    @overload
    def count_cycle_covers(digraph: Any, *, full_output: bool, **options: Unpack[DigraphCounts]) -> Result: ...


def count_cycle_covers(digraph: Any, *, full_output: bool = False, **options: Unpack[DigraphCounts]) -> int | Result:
    """Counts the ways to cover a digraph's vertices by disjoint cycles; a self-loop is a cycle of length one.

    Examples
    --------
    >>> matchcount.count_cycle_covers([("x", "y"), ("y", "x"), ("x", "x"), ("y", "y")])
    2
    """
    asked = checked(locals(), count_cycle_covers)
    graph = digraph_of(asked)
    require_kind(graph, ("directed", "matrix"), "count_perfect_matchings")
    if graph.num_rows != graph.num_columns:
        raise input_error(f"a matrix of {graph.num_rows} x {graph.num_columns}", "the square one of a digraph")
    return counted(graph, "perfect", False, asked)  # type: ignore[no-any-return]


def digraph_of(asked: dict[str, Any]) -> Graph:
    """The digraph asked about."""
    given = asked["digraph"]
    kind = None if isinstance(given, Graph) else "directed"
    return asked_graph({**asked, "kind": kind}, "digraph", otherwise="directed", counts=False)


# ---- Questions that are counted in several ways.

_QUESTIONS = {
    "matchings": ("bipartite", False),
    "permanent": ("matrix", True),
    "hafnian": ("undirected", True),
    "cycle_covers": ("directed", False),
}


def _question(asked: dict[str, Any], loops: bool = False) -> tuple[Graph, bool]:
    """The graph of a question, and whether its weights count."""
    given, what = asked["graph"], asked["what"]
    if what is None:
        is_matrix = "columns" not in asked and (is_array(given) or is_sparse(given))
        graph = asked_graph(asked, otherwise="matrix" if is_matrix else "bipartite", counts=False)
        what = {"matrix": "permanent", "directed": "cycle_covers"}.get(graph.kind, "matchings")
        if what == "matchings" and not counts_ones(graph):
            other = "hafnian" if graph.kind == "undirected" else "permanent"
            raise input_error("a graph with weights", f"what='matchings' (ignored) or what='{other}' (they count)")
    elif what not in tuple(_QUESTIONS):
        raise input_error(f"what={what!r}", "one of " + ", ".join(_QUESTIONS))
    else:
        graph = asked_graph(asked, otherwise=_QUESTIONS[what][0], loops=loops, counts=_QUESTIONS[what][1])
    return graph, _QUESTIONS[what][1]


if TYPE_CHECKING:
    @overload
    def estimate(graph: Any, what: What = ..., *, matchings: Single = ..., **options: Unpack[GraphEstimates]) -> Estimate: ...
    @overload
    def estimate(graph: Any, what: What = ..., *, matchings: Literal["by-size"],
                 **options: Unpack[GraphEstimates]) -> list[SizeEstimate]: ...


def estimate(
    graph: Any, what: What = None, *, matchings: Single | Literal["by-size"] = "perfect", activity: int | Fraction | None = None,
    **options: Unpack[GraphEstimates],
) -> Estimate | list[SizeEstimate]:
    """Estimates a count or a sum of weights by samples, where an exact one is too expensive.

    Parameters
    ----------
    matchings : {"perfect", "all", "by-size", "maximum", "saturating", "lightest", "heaviest"}
        Which matchings are counted, or their weights added; of the lightest and heaviest their number; by size those of
        0, 1, ... edges each, a list of SizeEstimate, by annealing.
    activity : int or Fraction
        Of "all": the weight of every vertex that a matching leaves out.

    References
    ----------
    L. E. Rasmussen, "Approximating the permanent: a simple approach", 1994, doi:10.1002/rsa.3240050208.
    F. Dufosse, K. Kaya, I. Panagiotas, B. Ucar, "Scaling matrices and counting the perfect matchings in graphs", 2018,
    doi:10.1137/1.9781611975215.6. P. Del Moral, A. Doucet, A. Jasra, "Sequential Monte Carlo samplers", 2006,
    doi:10.1111/j.1467-9868.2006.00553.x.

    Examples
    --------
    >>> guess = matchcount.estimate(matchcount.generate("grid", 8, 8), relative_error=0.05, confidence=0.9999)
    >>> guess.low <= 12988816 <= guess.high
    True
    """
    asked = checked(locals(), estimate)
    if matchings in ("lightest", "heaviest"):
        given, weighted = asked_graph(asked, keep_zeros=True), True
    else:
        given, weighted = _question(asked)
    refuse_what_does_not_fit(given, matchings, activity)
    if matchings == "by-size":
        return _core.estimate_by_size(given, weighted, asked)
    return _core.estimate(given, matchings, weighted, asked)


def plan(graph: Any, what: What = None, *, matchings: Matchings = "perfect", **options: Unpack[Plans]) -> Plan:
    """Predicts what a count would take.

    Parameters
    ----------
    matchings : {"perfect", "all", "by-size", "maximal", "maximum", "saturating", "lightest", "heaviest"}
        Which matchings are counted.

    Examples
    --------
    >>> matchcount.plan(matchcount.generate("grid", 30, 30)).blocks[0].forecasts[0].method
    'planar'
    """
    asked = checked(locals(), plan)
    if matchings in ("lightest", "heaviest"):
        return _core.plan(asked_graph(asked, keep_zeros=True), matchings, True, asked)
    has_loops = isinstance(graph, Graph) and graph.has_loops
    given, weighted = _question(asked, has_loops and what == "hafnian" and matchings == "perfect")
    return _core.plan(given, matchings, weighted, asked)


def parity(graph: Any, what: What = None, **options: Unpack[Parities]) -> int:
    """Tells whether a count, of integer weights, is odd, by 1 or 0: of graphs of tens of thousands of vertices a side.

    Examples
    --------
    >>> matchcount.parity(matchcount.generate("complete", 3, 3)), matchcount.parity(matchcount.generate("grid", 2, 4))
    (0, 1)
    """
    asked = checked(locals(), parity)
    given, weighted = _question(asked)
    if given.kind in ("matrix", "directed"):
        require_square(given.num_rows, given.num_columns)
    elif given.is_bipartite and given.num_rows != given.num_columns:
        return 0
    if weighted and given.has_fractions:
        weights: Sequence[Any] = given.weights() or ()
        if any(value.denominator != 1 for value in weights):
            raise input_error("fractions", "integers, of which a sum is odd or even")
        given = _core.with_integers(given, ints([value.numerator % 2 for value in weights]))
    return int(_core.is_odd(given, weighted, asked))


def require_square(rows: int, columns: int) -> None:
    """Refuses other matrices."""
    if rows != columns:
        raise input_error(f"a matrix of {rows} x {columns}",
                          "a square one; count_matchings(..., 'saturating', weighted=True) has the rectangular permanent")


# ---- Single matchings.


def decompose(graph: Any, **options: Unpack[Parts]) -> _core.Decomposition:
    """Finds a maximum matching, and what every maximum matching has in common.

    References
    ----------
    A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", 1958, doi:10.4153/CJM-1958-052-0; T. Gallai,
    "Kritische Graphen II", 1963, and J. Edmonds, "Paths, trees, and flowers", 1965, doi:10.4153/CJM-1965-045-4.

    Examples
    --------
    >>> found = matchcount.decompose([("a", "x"), ("b", "x"), ("b", "y")])
    >>> found.is_perfect, found.useless_edges
    (True, [('b', 'x')])
    """
    asked = checked(locals(), decompose)
    return _core.decompose(asked_graph(asked, counts=False), asked)


def devices() -> list[_core.Device]:
    """Finds the GPUs of this machine; none where this build has no CUDA.

    Returns
    -------
    list of Device
        ``index``, ``name``, ``compute_capability``, ``multiprocessors`` and ``memory_bytes`` (bytes) of each.

    Examples
    --------
    >>> all(device.memory_bytes > 0 for device in matchcount.devices())
    True
    """
    return _core.devices()
