"""Questions about single matchings: how likely each edge is, random ones, and all of them."""

from __future__ import annotations

from . import _core
from ._arrays import is_array
from ._core import Graph, Plan, Samples
from ._counts import edge_places, meet_conditions, refuse_multiplicities, refuse_what_does_not_fit
from ._errors import input_error
from ._inputs import asked_graph, checked, counts_ones, ints, require_kind, whole
from ._numbers import EstimatedMarginals, Marginals
from ._options import GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from fractions import Fraction
    from typing import Any, Literal, Unpack, overload

    from ._options import Draws, Drawn, EdgeShares, Parts
    from ._types import Edges, Pair, Single, Whole

_KINDS = ("perfect", "maximum", "saturating", "all", "lightest", "heaviest")
_OF_EXACT = tuple(GROUPS["Search"])
_OF_ESTIMATES = (*GROUPS["EstimatedShares"], *GROUPS["ExactParts"], *GROUPS["Saving"])


def _refuse(asked: dict[str, Any], names: Sequence[str], when: str) -> None:
    """Refuses keywords that would do nothing."""
    for name in names:
        if asked.get(name) is not None:
            raise TypeError(f"unexpected keyword argument {name!r}: it would do nothing {when}")


def _weighted(asked: dict[str, Any]) -> tuple[Graph, Fraction | int, bool]:
    """The graph, what 1 of its integers stands for where they are in proportion to fractions, and whether weights count."""
    weighted, matchings, loop = asked.get("weighted"), asked.get("matchings", "perfect"), asked.get("loop", False)
    if matchings not in _KINDS:
        raise input_error(f"matchings={matchings!r}", f"one of {', '.join(_KINDS)}")
    if matchings in ("lightest", "heaviest"):
        if weighted:
            raise input_error(f"weighted=True with {matchings!r}", "one of the two: each of these is as likely as the others")
        return _of_optimum(asked), 1, True
    if weighted and asked.get("weight", "") is None:
        raise input_error("weighted=True with weight=None", "one of them")
    weighted = True if weighted is None and (asked.get("weight") is not None or loop) else weighted
    graph = asked_graph(asked, otherwise="undirected" if loop else "bipartite", loops=bool(loop), counts=bool(weighted))
    require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    if weighted is None and not counts_ones(graph):
        raise input_error("weights", "weighted=True (matchings count by the products of them) or weighted=False")
    refuse_what_does_not_fit(graph, matchings, asked.get("activity"))
    if loop and (matchings not in ("perfect", "all") or not weighted or graph.kind != "undirected"):
        raise input_error("loop=True", "an undirected graph, whose weights count, without another kind of matchings")
    graph = meet_conditions(graph, matchings, asked)
    in_integers = weighted and graph.has_fractions and matchings == "perfect" and not loop
    return *(_in_integers(graph) if in_integers else (graph, 1)), bool(weighted)


def _of_optimum(asked: dict[str, Any]) -> Graph:
    """The graph whose weights add up; of weights of 0 it is to be said whether they are edges."""
    given = asked["graph"]
    graph = asked_graph(asked, keep_zeros=True)
    require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    refuse_what_does_not_fit(graph, asked["matchings"], asked.get("activity"))
    refuse_multiplicities(graph)
    meet_conditions(graph, asked["matchings"], asked)
    if asked.get("loop", False):
        raise input_error(f"loop=True with {asked['matchings']!r}", "perfect or all matchings")
    if graph is not given and (any(value == 0 for value in graph.weights() or ()) or (
            not asked.keys() & {"columns", "no_edge"} and is_array(given) and graph.num_edges < graph.num_rows * graph.num_columns)):
        raise input_error("a weight of 0", "edges with weights that are not, or a file read with keep_zeros")
    return graph


def _require_perfect(asked: dict[str, Any], where: str) -> None:
    if asked.get("matchings", "perfect") not in ("perfect", "saturating") or asked.get("loop", False):
        raise input_error(f"other matchings than perfect and saturating ones with {where}", "one of the two")


def _in_integers(graph: Graph) -> tuple[Graph, Fraction | int]:
    import math
    from fractions import Fraction

    weights: Sequence[Any] = graph.weights() or ()
    below = math.lcm(*(value.denominator for value in weights))
    whole = [int(value * below) for value in weights]
    divisor = math.gcd(*whole) or 1
    if any(abs(value) // divisor >= 1 << 63 for value in whole):
        raise input_error("weights that become integers beyond 64 bits over a common denominator, common divisors left out",
                          "ratios of smaller integers, or floats")
    return _core.with_integers(graph, ints([value // divisor for value in whole])), Fraction(divisor, below)


def _numbered(graph: Graph, pairs: Iterable[tuple[Pair, Pair]] | Whole) -> int | list[tuple[int, int]]:
    """Pairs of edges by their numbers."""
    if pairs is None:
        return []
    if hasattr(pairs, "__index__"):
        return min(whole(pairs, "pairs"), (1 << 32) - 1)
    return [(place(first), place(second)) for place in [edge_places(graph)] for first, second in pairs]


if TYPE_CHECKING:
    @overload
    def marginals(
        graph: Any, *, exact: bool = ..., estimate: Literal[False] = ..., seed: Whole = ...,
        pairs: Iterable[tuple[Pair, Pair]] | Whole = ..., **options: Unpack[EdgeShares]) -> Marginals: ...
    @overload
    def marginals(
        graph: Any, *, exact: bool = ..., estimate: bool, seed: Whole = ..., pairs: Iterable[tuple[Pair, Pair]] | Whole = ...,
        **options: Unpack[EdgeShares]) -> EstimatedMarginals: ...


def marginals(
    graph: Any, *, exact: bool = False, estimate: bool = False, seed: Whole = None,
    pairs: Iterable[tuple[Pair, Pair]] | Whole = None, **options: Unpack[EdgeShares],
) -> Marginals | EstimatedMarginals:
    """Finds for each edge the share of the perfect matchings, or of others, that contain it.

    Parameters
    ----------
    exact : bool
        Whether sums are exact integers or, of fractions, Fractions in any case.
    estimate : bool
        Whether to draw samples, where exact marginals are out of reach.
    pairs : iterable of pairs of edges, or int
        Of exact marginals: edges ((u, v), (w, x)) to be taken together, for ``.pairs``; k: all pairs of disjoint edges with
        a path of at most k edges between. For each of some of the edges that takes as long as the marginals.

    Returns
    -------
    Marginals, or EstimatedMarginals by ``estimate=True``
        Mappings from edges, as (u, v), to probabilities.

    Examples
    --------
    >>> shares = matchcount.marginals(matchcount.generate("grid", 2, 3), exact=True)
    >>> shares.total, shares.sums[0, 1]
    (3, 2)
    >>> float(matchcount.marginals([(0, 1), (1, 2), (2, 3), (3, 0)], kind="undirected", pairs=1).pairs[(0, 1), (2, 3)])
    0.5
    """
    asked = checked(locals(), marginals)
    if exact and estimate:
        raise input_error("exact=True with estimate=True", "one of them")
    if estimate:
        _require_perfect(asked, "estimate=True")
    _refuse(asked, (*_OF_EXACT, "pairs") if estimate else _OF_ESTIMATES, "with estimate=True" if estimate else "without estimate=True")
    within, unit, weighted = _weighted(asked)
    if estimate:
        return EstimatedMarginals(within, _core.estimated_marginals(within, weighted, asked))
    asked["exact"] = bool(exact or unit != 1 or within.has_fractions)
    found = _core.marginals(within, weighted, _numbered(within, pairs), asked)
    if not found.are_probabilities and not found.certificate and found.total != 0 and not exact:
        raise input_error("weights that are negative or complex",
                          "weights of which shares are probabilities, or exact=True for the sums")
    return Marginals(within, found, unit ** ((within.num_rows + within.num_columns) // 2))


if TYPE_CHECKING:
    @overload
    def sample_matchings(
        graph: Any, k: int = ..., seed: int = ..., *, first: int = ..., approximate: bool = ...,
        full_output: Literal[False] = ..., **options: Unpack[Draws]) -> list[list[Pair]]: ...
    @overload
    def sample_matchings(
        graph: Any, k: int = ..., seed: int = ..., *, first: int = ..., approximate: bool = ..., full_output: bool,
        **options: Unpack[Draws]) -> Samples: ...


def sample_matchings(
    graph: Any, k: int = 1, seed: int = 1, *, first: int = 0, approximate: bool = False, full_output: bool = False,
    **options: Unpack[Draws],
) -> list[list[Pair]] | Samples:
    """Draws independent random perfect matchings, or others, uniform or by weights.

    Parameters
    ----------
    k : int
        How many to draw.
    first : int
        Number of the first, from 0, in an endless sequence that the graph and the seed determine.
    approximate : bool
        Whether to draw from a population of weighted matchings, for graphs that can't be counted: as fair as these are
        even, which ``full_output=True`` says; a doubtful population is a RuntimeWarning.
    full_output : bool
        Whether to return Samples.

    Returns
    -------
    list of list of tuple, or Samples by ``full_output=True``
        The edges of each matching, as (u, v).

    Examples
    --------
    >>> (matching,) = matchcount.sample_matchings(matchcount.generate("grid", 4, 4), seed=3)
    >>> len(matching)
    8
    """
    asked = checked(locals(), sample_matchings)
    k, first = whole(k, "k"), whole(first, "first")
    if approximate:
        _require_perfect(asked, "approximate=True")
    _refuse(asked, _OF_EXACT if approximate else (*GROUPS["Population"], *GROUPS["ExactParts"]),
            "with approximate=True" if approximate else "without approximate=True")
    within, _, weighted = _weighted(asked)
    found = (_core.approximate_samples if approximate else _core.samples)(within, first, k, weighted, asked)
    if full_output:
        return found
    if found.warning:
        import warnings

        warnings.warn(found.warning, RuntimeWarning, stacklevel=2)
    return found.matchings


def _planned(of_samples: bool, asked: dict[str, Any]) -> Plan:
    graph, _, weighted = _weighted(asked)
    return _core.plan_distribution(graph, of_samples, weighted, asked)


def plan_marginals(graph: Any, *, exact: bool = False, seed: Whole = None, **options: Unpack[Drawn]) -> Plan:
    """Predicts what ``marginals`` would take, within its limits.

    Parameters
    ----------
    exact : bool
        Whether sums would be exact.

    Returns
    -------
    Plan
        Its ``refusal`` says why it would be refused.

    Examples
    --------
    >>> matchcount.plan_marginals(matchcount.generate("grid", 8, 8)).refusal
    ''
    """
    asked = checked(locals(), plan_marginals)
    return _planned(False, asked)


def plan_samples(graph: Any, *, seed: Whole = None, **options: Unpack[Drawn]) -> Plan:
    """Predicts what ``sample_matchings`` would take until the first one is drawn, within its limits.

    Returns
    -------
    Plan
        Its ``refusal`` says why it would be refused.

    Examples
    --------
    >>> matchcount.plan_samples(matchcount.generate("grid", 8, 8)).refusal
    ''
    """
    asked = checked(locals(), plan_samples)
    return _planned(True, asked)


def list_matchings(
    graph: Any, matchings: Single = "perfect", *, given: Edges = None, without: Edges = None, **options: Unpack[Parts],
) -> Iterator[list[Pair]]:
    """Lists the perfect matchings, or others, in lexicographic order, one after another, as lists of edges (u, v).

    A vertex that may be left alone is so after it has had its partners; vertices of the first side come first.

    Examples
    --------
    >>> list(matchcount.list_matchings([("a", 1), ("a", 2), ("b", 1), ("b", 2)]))
    [[('a', 1), ('b', 2)], [('a', 2), ('b', 1)]]
    >>> len(list(matchcount.list_matchings([("a", 1), ("a", 2), ("b", 1), ("b", 2)], "all")))
    7
    """
    asked = checked(locals(), list_matchings)
    within, _, weighted = _weighted({**asked, "weighted": False})
    refuse_multiplicities(within)
    return _core.listing(within, matchings, weighted, asked)
