"""Questions about single perfect matchings: how likely each edge is, and random ones."""

from . import _core
from ._errors import input_error
from ._inputs import _ints, as_graph, counts_ones, require_kind, whole
from ._progress import shown
from ._results import EstimatedMarginals, Marginals, Samples, plan_of


def _with_weights(given, weighted, kind, weight, duplicates):
    weighted = True if weighted is None and weight is not None else weighted
    graph = as_graph(given, kind, "weight" if weight is None else weight, duplicates, counts=bool(weighted))
    require_kind(graph, ("bipartite", "undirected", "matrix"), "count_cycle_covers")
    if weighted is None:
        if not counts_ones(graph):
            raise input_error("weights", "weighted=True (matchings count by the products of them) or weighted=False")
        weighted = False
    return graph, weighted


def _in_integers(core):
    """The graph with integers in proportion to its fractions, and what a unit of these stands for."""
    import math
    from fractions import Fraction

    if not core.has_fractions:
        return core, None
    weights = core.weights()
    below = math.lcm(*(value.denominator for value in weights))
    whole = [int(value * below) for value in weights]
    divisor = math.gcd(*whole) or 1
    if any(abs(value) // divisor >= 1 << 63 for value in whole):
        raise input_error("weights that become integers beyond 64 bits over a common denominator, common divisors left out",
                          "ratios of smaller integers, or floats")
    return _core.with_integers(core, _ints([value // divisor for value in whole])), Fraction(divisor, below)


def marginals(graph, *, weighted=None, exact=False, estimate=False, kind=None, weight=None, duplicates="refuse",
              progress=False, **options):
    """Marginals: for each edge the share of the perfect matchings that contain it.

    exact: the sums are exact integers or, of fractions, Fractions in any case
    weighted: whether weights count, which has to be said where there are other ones than 1; weight: under which name they
    stand, "weight"; one that is given counts
    estimate: EstimatedMarginals, by samples, where exact ones are out of reach, with absolute_error (0.01) or samples,
    confidence (0.95), exact_rows (12: parts of so many are done exactly), checkpoint
    options: method ("auto", "frontier", "planar", "ryser"), order, engine, effort, threads, seed, time_limit, memory_limit
    """
    if exact and estimate:
        raise input_error("exact=True with estimate=True", "one of them")
    graph, weighted = _with_weights(graph, weighted, kind, weight, duplicates)
    core, unit = _in_integers(graph._core) if weighted else (graph._core, None)
    with shown(progress) as report:
        if estimate:
            raw = _core.estimated_marginals(core, weighted, options, report)
            return EstimatedMarginals(**{**raw, "edges": graph._named(raw["edges"])})
        raw = _core.marginals(core, weighted, {**options, "exact": exact or unit is not None}, report)
    certificate = graph._named_certificate(raw["certificate"])
    if not raw["are_probabilities"] and not certificate and not exact:
        raise input_error("weights that are negative or complex",
                          "weights of which shares are probabilities, or exact=True for the sums")
    sums, total = raw["sums"], raw["total"]
    if unit is not None:
        each = unit ** ((core.num_rows + core.num_columns) // 2)
        sums, total = [each * value for value in sums], each * total
    return Marginals(graph._named(raw["edges"]), raw["probabilities"], raw["errors"], sums, total, raw["method"],
                     certificate, raw["are_probabilities"])


def sample_matchings(graph, k=1, seed=1, *, first=0, approximate=False, weighted=None, kind=None, weight=None,
                     duplicates="refuse", full_output=False, progress=False, **options):
    """k independent random perfect matchings, uniform or by weights: lists of edges as (u, v).

    They are those from number `first` on of an endless sequence that the graph and the seed determine.
    approximate: from a population (4096) of weighted matchings, for graphs that can't be counted, as fair as these are
    even: full_output=True gives Samples, which say so; a doubtful population is a RuntimeWarning
    options: as for marginals; of approximate ones population, exact_rows, threads, time_limit, memory_limit
    """
    k, first = whole(k, "k"), whole(first, "first")
    graph, weighted = _with_weights(graph, weighted, kind, weight, duplicates)
    core = _in_integers(graph._core)[0] if weighted else graph._core
    draw = _core.approximate_samples if approximate else _core.samples
    with shown(progress) as report:
        raw = draw(core, first, k, weighted, {**options, "seed": seed}, report)
    found = Samples(**raw) if approximate else Samples(matchings=raw, seed=seed)
    found.matchings = [graph._named(matching) for matching in found.matchings]
    if full_output:
        return found
    if found.warning:
        import warnings

        warnings.warn(found.warning, RuntimeWarning, stacklevel=2)
    return found.matchings


def plan_marginals(graph, *, weighted=None, kind=None, weight=None, duplicates="refuse", **options):
    """What marginals(...) would take, within its limits: a Plan, whose `refusal` says why it would be refused."""
    graph, weighted = _with_weights(graph, weighted, kind, weight, duplicates)
    core = _in_integers(graph._core)[0] if weighted else graph._core
    return plan_of(graph, _core.plan_distribution(core, "marginals", weighted, options))


def plan_samples(graph, *, weighted=None, kind=None, weight=None, duplicates="refuse", **options):
    """What sample_matchings(...) would take until the first one is drawn: a Plan with `refusal`, as plan_marginals."""
    graph, weighted = _with_weights(graph, weighted, kind, weight, duplicates)
    core = _in_integers(graph._core)[0] if weighted else graph._core
    return plan_of(graph, _core.plan_distribution(core, "samples", weighted, options))
