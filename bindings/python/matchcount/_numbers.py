"""Numbers that know their error, and mappings from edges to them."""

from __future__ import annotations

from . import _core
from ._errors import Unable, input_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from ._types import Number, Pair

    _Mapping = Mapping[Pair, Any]
    _Dict = dict[Any, Any]
else:
    _Dict = dict
    # This module is there already; to import collections.abc would take a third of this package's time.
    from _collections_abc import Mapping as _Mapping


def _relative(error: float, size: float) -> float:
    return error / size if size else (0.0 if error == 0 else float("inf"))


class Real(float):
    """A float within ``error`` of the truth."""

    __slots__ = ("error",)
    error: float

    def __new__(cls, value: float, error: float = 0.0) -> Real:
        self = float.__new__(cls, value)
        self.error = error
        return self

    @property
    def relative_error(self) -> float:
        """The error over the value."""
        return _relative(self.error, abs(self))

    def __reduce__(self) -> tuple[type[Real], tuple[float, float]]:
        return Real, (float(self), self.error)


class Complex(complex):
    """A complex number within ``error`` of the truth, in absolute value."""

    error: float

    def __new__(cls, re: float, im: float = 0.0, error: float = 0.0) -> Complex:
        self = complex.__new__(cls, re, im)
        self.error = error
        return self

    @property
    def relative_error(self) -> float:
        """The error over the absolute value."""
        return _relative(self.error, abs(self))

    def __reduce__(self) -> tuple[type[Complex], tuple[float, float, float]]:
        return Complex, (self.real, self.imag, self.error)


class EstimatedProbability(float):
    """A probability that lies in [low, high], as confidently as its EstimatedMarginals say."""

    __slots__ = ("high", "low")
    low: float
    high: float

    def __new__(cls, value: float, low: float, high: float) -> EstimatedProbability:
        self = float.__new__(cls, value)
        self.low, self.high = low, high
        return self

    def __reduce__(self) -> tuple[type[EstimatedProbability], tuple[float, float, float]]:
        return EstimatedProbability, (float(self), self.low, self.high)


_BEYOND = "{} beyond the range of a float; the shares are known, and weights divided by one number keep them"


def _times(unit: Any, value: Any) -> Any:
    """The product; a Real or Complex times 1 keeps its error."""
    # A product with a Fraction of 1 is a Fraction; one with the integer 1 would lose the error of a Real.
    return value if value is None or (isinstance(unit, int) and unit == 1) else unit * value


def _held(sums: dict[Any, Any]) -> dict[Any, Any]:
    if None in sums.values():
        raise Unable(_BEYOND.format("sums"))
    return sums


class PairProbability(float):
    """The probability that a matching has two edges, within ``error``.

    Attributes
    ----------
    connected : Real
        What it is beyond the product of both edges' probabilities.
    correlation : Real
        That over the deviations of both edges; NaN where one of them is in all matchings or in none.
    """

    __slots__ = ("connected", "correlation", "error")
    error: float
    connected: Real
    correlation: Real

    def __new__(cls, value: float, error: float, connected: Real, correlation: Real) -> PairProbability:
        self = float.__new__(cls, value)
        self.error, self.connected, self.correlation = error, connected, correlation
        return self

    def __reduce__(self) -> tuple[type[PairProbability], tuple[float, float, Real, Real]]:
        return PairProbability, (float(self), self.error, self.connected, self.correlation)


class _ByEdge(_Dict):
    """A dict by edges that also knows those of an undirected graph with their ends the other way about."""

    turns = False

    def _ways(self, key: Any) -> list[Any]:
        return [key[::-1]] if self.turns and isinstance(key, tuple) and len(key) == 2 else []

    def _known(self, key: Any) -> Any:
        """The key as it stands here, or the same."""
        if dict.__contains__(self, key):
            return key
        return next((way for way in self._ways(key) if dict.__contains__(self, way)), key)

    def __missing__(self, key: Any) -> Any:
        known = self._known(key)
        if not dict.__contains__(self, known):
            raise KeyError(key)
        return self[known]

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self, self._known(key))

    def get(self, key: Any, default: Any = None) -> Any:
        return dict.get(self, self._known(key), default)


class _ByPair(_ByEdge):
    """A dict by pairs of edges, which may stand in either order."""

    def _ways(self, key: Any) -> list[Any]:
        if not isinstance(key, tuple) or len(key) != 2:
            return []
        one, other = ([edge, *super(_ByPair, self)._ways(edge)] for edge in key)
        return [pair for first in one for second in other for pair in ((first, second), (second, first))]


class _Shares(_Mapping):
    """A mapping from edges to shares; compared and pickled as its attributes are."""

    _shares: _ByEdge
    graph: _core.Graph

    def _repr_svg_(self) -> str | None:
        from ._pictures import shown

        return shown(self.graph, shares=self)

    def __getitem__(self, edge: Pair) -> Any:
        return self._shares[edge]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._shares)

    def __len__(self) -> int:
        return len(self._shares)

    def __contains__(self, edge: object) -> bool:
        return edge in self._shares

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)


class Marginals(_Shares):
    """The share of each edge in the matchings asked about: a mapping from edges, as (u, v), to Reals.

    Of an undirected graph (v, u) will do as well, and of pairs of edges any order.

    Attributes
    ----------
    unmatched : dict
        By vertex, the share of the matchings that leave it alone; of a graph with two sides by (u, None) and (None, v).
    sums, unmatched_sums : dict
        By edge, the number of matchings with it, or the sum of their weights; by vertex, of those that leave it alone.
    total : int, Fraction, Real or Complex
        The number of all, or the sum of all weights. Sums and a total that no float can hold raise Unable, where shares
        do not.
    pairs : dict
        By pair of edges that was asked for, ((u, v), (w, x)), the PairProbability of both; ``pair_sums``: their sums.
    entropy, entropy_per_vertex : Real
        -sum p log p of all matchings, in nats, and over the number of vertices.
    certificate : dict or None
        Why there is no such matching, as in a Result.
    are_probabilities : bool
        False where there is no such matching, or a weight is negative or complex: then there are sums alone, and a
        share raises Unable or InputError.
    method : str
    graph : Graph
    """

    def __init__(self, graph: _core.Graph, found: _core.Marginals, unit: Number = 1) -> None:
        self.graph = graph
        edges = graph.edges(sides=False)
        self._shares, self._sums, self._pairs, self._pair_sums = _ByEdge(), _ByEdge(), _ByPair(), _ByPair()
        for known in (self._shares, self._sums, self._pairs, self._pair_sums):
            known.turns = graph.kind == "undirected"
        unit = found.unit if found.unit != 1 else unit
        self._shares.update((edge, Real(share.probability, share.error)) for edge, share in zip(edges, found.edges))
        self._unmatched = {v: Real(share.probability, share.error) for v, share in zip(found.names, found.vertices)}
        self._sums.update((edge, _times(unit, share.sum)) for edge, share in zip(edges, found.edges))
        self._unmatched_sums = {v: _times(unit, share.sum) for v, share in zip(found.names, found.vertices)}
        for (first, second), pair in zip(found.pairs, found.of_pairs):
            key, both = (edges[first], edges[second]), pair.both
            self._pairs[key] = PairProbability(both.probability, both.error, Real(pair.connected, pair.connected_error),
                                               Real(pair.correlation, pair.correlation_error))
            factor = pair.unit if pair.unit != 1 else unit
            self._pair_sums[key] = _times(factor, both.sum)
        self._entropy = found.entropy
        self._num_vertices = graph.num_rows + graph.num_columns
        self._total = _times(unit, found.total)
        self.method = found.method
        self.certificate = found.certificate
        self.are_probabilities = found.are_probabilities

    @property
    def sums(self) -> dict[Pair, Any]:
        """The sums by edge."""
        return _held(self._sums)

    @property
    def unmatched_sums(self) -> dict[Any, Any]:
        """The sums by vertex that is left alone."""
        return _held(self._unmatched_sums)

    @property
    def total(self) -> Any:
        """The sum of all."""
        if self._total is None:
            raise Unable(_BEYOND.format("a total"))
        return self._total

    @property
    def unmatched(self) -> dict[Any, Real]:
        """The shares of the matchings that leave a vertex alone, by vertex."""
        self._require_shares()
        return self._unmatched

    @property
    def pairs(self) -> dict[tuple[Pair, Pair], PairProbability]:
        """The probabilities of two edges at once."""
        self._require_shares()
        return self._pairs

    @property
    def pair_sums(self) -> dict[tuple[Pair, Pair], Any]:
        """The sums over the matchings with both edges."""
        return _held(self._pair_sums)

    @property
    def entropy(self) -> Real:
        """The entropy of the distribution, in nats."""
        self._require_shares()
        value, error = self._entropy or (0.0, 0.0)
        return Real(value, error)

    @property
    def entropy_per_vertex(self) -> Real:
        """The entropy over the number of vertices, of which there are some."""
        entropy = self.entropy
        value = entropy / self._num_vertices
        return Real(value, entropy.error / self._num_vertices + abs(value) * 2**-52)

    def reweighted(self, edge: Pair, factor: Any) -> Any:
        """The total if matchings with that edge counted ``factor`` times as much, without another count."""
        total: Any = self.total
        part: Any = self._sums[edge]
        if part is None:
            raise Unable(_BEYOND.format("sums"))
        change = (factor - 1) * part
        value = total + change
        if not isinstance(total, (Real, Complex)):
            return value
        error = total.error + abs(factor - 1) * part.error + (abs(total) + 4 * abs(change)) * 2**-51
        return Real(value, error) if isinstance(total, Real) else Complex(value.real, value.imag, error)

    def without(self, edge: Pair) -> Any:
        """The total of the matchings without that edge."""
        return self.reweighted(edge, 0)

    def _require_shares(self) -> None:
        if self.certificate:
            raise Unable("there is no perfect matching, or none of the kind, and no share of any; .sums are 0")
        if not self.are_probabilities:
            raise input_error("weights that are negative or complex, or add up to 0",
                              ".sums to be looked at: they have no shares")

    def __getitem__(self, edge: Pair) -> Real:
        share: Real = self._shares[edge]
        self._require_shares()
        return share

    def __repr__(self) -> str:
        return f"Marginals({len(self)} edges, total={self._total}, method={self.method!r})"


class EstimatedMarginals(_Shares):
    """Marginals by samples: a mapping from edges, as (u, v), to EstimatedProbabilities.

    Attributes
    ----------
    confidence : float
        Of each interval by itself.
    samples : int
    effective_samples : float
        How many fair samples those drawn are worth; 0: all is exact.
    warning : str
        Why the intervals are not to be believed, or "".
    out_of_time : bool
        They are wider than was asked for.
    method : str
    seed : int
    graph : Graph
    """

    def __init__(self, graph: _core.Graph, found: _core.EstimatedMarginals) -> None:
        self.graph = graph
        self._shares = _ByEdge((edge, EstimatedProbability(share.probability, share.low, share.high))
                               for edge, share in zip(graph.edges(sides=False), found.edges))
        self._shares.turns = graph.kind == "undirected"
        self.confidence, self.samples, self.effective_samples = found.confidence, found.samples, found.effective_samples
        self.warning, self.out_of_time, self.method, self.seed = found.warning, found.out_of_time, found.method, found.seed

    def __getitem__(self, edge: Pair) -> EstimatedProbability:
        share: EstimatedProbability = self._shares[edge]
        return share

    def __repr__(self) -> str:
        warning = f", warning={self.warning!r}" if self.warning else ""
        return (f"EstimatedMarginals({len(self)} edges with confidence {self.confidence}, {self.samples} samples by "
                f"{self.method}{warning})")
