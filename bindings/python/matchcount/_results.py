"""What answers look like: numbers that know their error, and Results that say how they were found."""

from collections.abc import Mapping

from ._errors import Unable, input_error


class Real(float):
    """A float within ``error`` of the truth."""

    __slots__ = ("error",)

    def __new__(cls, value, error=0.0):
        self = float.__new__(cls, value)
        self.error = error
        return self

    @property
    def relative_error(self):
        return self.error / abs(self) if self else (0.0 if self.error == 0 else float("inf"))

    def __reduce__(self):
        return Real, (float(self), self.error)


class Complex(complex):
    """A complex number within ``error`` of the truth, in absolute value."""

    def __new__(cls, re, im=0.0, error=0.0):
        self = complex.__new__(cls, re, im)
        self.error = error
        return self

    @property
    def relative_error(self):
        return self.error / abs(self) if self else (0.0 if self.error == 0 else float("inf"))

    def __reduce__(self):
        return Complex, (self.real, self.imag, self.error)


class _Record:
    """A few attributes, which are compared, printed and pickled."""

    _fields = ()

    def __init__(self, **values):
        for name in self._fields:
            setattr(self, name, values.get(name))

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None


class Result(_Record):
    """An answer and how it was found, by ``full_output=True``.

    value        int, Fraction, Real or Complex; raises Unable where no float can hold it, as `text` and `log10` do not
    text         the digits that the bound on the error supports
    log10        of the absolute value
    error        bound on the absolute error of ``value``; 0 for exact values
    relative_error  the same over the value, of the digits in ``text``
    method       "frontier", "planar", ...: of the most expensive part
    checks       list of {"name", "passed", "detail"}
    seconds      {"structure", "order", "count", "total"}
    certificate  why there is no perfect matching, with labels, or None
    by_size      of matchings by size: list of values; size: edges of each maximum or saturating matching
    weight       of count_optimal_matchings: the sum of each one's weights; None: there is no perfect matching
    gpus         names of the GPUs that it ran on; empty: the CPU
    """

    _fields = ("_value", "text", "log10", "relative_error", "method", "checks", "seconds", "certificate", "by_size",
               "size", "weight", "gpus", "seed")

    @property
    def value(self):
        if self._value is None:
            raise Unable(f"the value {self.text} is beyond the range of a float; .text and .log10 have it")
        return self._value

    @property
    def error(self):
        return getattr(self.value, "error", 0)

    def __repr__(self):
        parts = [self.text, f"method={self.method!r}"]
        if self.relative_error:
            parts.append(f"relative_error={self.relative_error:.2g}")
        parts += [f"verified={check['detail']!r}" for check in self.checks if check["name"] == "verify"]
        if self.certificate:
            parts.append(f"certificate={self.certificate['kind']!r}")
        if "total" in (self.seconds or {}):
            parts.append(f"seconds={self.seconds['total']:.3g}")
        return f"Result({', '.join(parts)})"


class Estimate(_Record):
    """An estimate with its interval: the truth lies in [low, high] with probability ``confidence``.

    Values beyond the floats are inf or 0, between whose neighbours low and high are; ``log10``, ``log10_low`` and
    ``log10_high`` always hold.

    relative_error   the larger arm of the interval over the value; standard_error: relative, of the samples' mean
    log10_bracket    Bethe's bounds, which hold for certain: (lower, upper)
    samples, effective_samples, zero_fraction   drawn; what they are worth; the share that ran into dead ends
    exact            nothing was sampled; unknown: every sample ran into a dead end, low and high are the bracket
    warning          why the interval is not to be believed, or ""; out_of_time: it is wider than was asked for
    seconds          of the run
    """

    _fields = ("value", "log10", "low", "high", "log10_low", "log10_high", "relative_error", "standard_error",
               "log10_bracket", "confidence", "samples", "effective_samples", "zero_fraction", "exact", "unknown",
               "out_of_time", "warning", "method", "seed", "seconds", "certificate")

    def __float__(self):
        return self.value

    def __repr__(self):
        if self.unknown:
            return f"Estimate(unknown, {self.samples} samples in a dead end)"
        beyond = self.value in (0.0, float("inf")) and self.log10 != -float("inf")
        digits = f"10^{self.log10:.6g}" if beyond else f"{self.value:.6g}"
        warning = f", warning={self.warning!r}" if self.warning else ""
        return (f"Estimate({digits}, [{self.low:.6g}, {self.high:.6g}] with confidence {self.confidence}, "
                f"{self.samples} samples by {self.method}{warning})")


class _Shares(Mapping):
    """A mapping from edges, as (u, v), to their shares, with attributes that are compared, printed and pickled."""

    def __getitem__(self, edge):
        return self._shares[edge]

    def __iter__(self):
        return iter(self._shares)

    def __len__(self):
        return len(self._shares)

    def __contains__(self, edge):
        return edge in self._shares

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None


class Marginals(_Shares):
    """The share of each edge in the perfect matchings: a mapping from edges, as (u, v), to Reals.

    sums     by edge, the number of perfect matchings with it, or the sum of their weights
    total    the number of all, or the sum of all weights
    certificate   why there is no perfect matching, with labels, or None
    are_probabilities   false where there is none, or a weight is negative or complex: then there are sums alone, and a
             share raises Unable or InputError
    Sums and a total that no float can hold raise Unable, where shares do not.
    """

    def __init__(self, edges, probabilities, errors, sums, total, method, certificate, are_probabilities):
        self._shares = {edge: Real(share, error) for edge, share, error in zip(edges, probabilities, errors)}
        self._sums = dict(zip(edges, sums))
        self._total = total
        self.method = method
        self.certificate = certificate
        self.are_probabilities = are_probabilities

    @property
    def sums(self):
        if None in self._sums.values():
            raise Unable("sums beyond the range of a float; the shares are known, and weights divided by one number keep them")
        return self._sums

    @property
    def total(self):
        if self._total is None:
            raise Unable("a total beyond the range of a float; the shares are known, and weights divided by one number keep them")
        return self._total

    def __getitem__(self, edge):
        share = self._shares[edge]
        if self.certificate:
            raise Unable("there is no perfect matching, and no share of any; .sums are 0")
        if not self.are_probabilities:
            raise input_error("weights that are negative or complex", ".sums to be looked at: they have no shares")
        return share

    def __repr__(self):
        return f"Marginals({len(self)} edges, total={self._total}, method={self.method!r})"


class EstimatedProbability(float):
    """A probability that lies in [low, high], as confidently as its EstimatedMarginals say."""

    __slots__ = ("low", "high")

    def __new__(cls, value, low, high):
        self = float.__new__(cls, value)
        self.low, self.high = low, high
        return self

    def __reduce__(self):
        return EstimatedProbability, (float(self), self.low, self.high)


class EstimatedMarginals(_Shares):
    """Marginals by samples: a mapping from edges, as (u, v), to EstimatedProbabilities.

    confidence   of each interval by itself
    samples, effective_samples   drawn, and how many fair ones they are worth; 0: all is exact
    warning      why the intervals are not to be believed, or ""; out_of_time: they are wider than was asked for
    """

    def __init__(self, edges, probabilities, **values):
        self._shares = {edge: EstimatedProbability(*share) for edge, share in zip(edges, probabilities)}
        for name in ("confidence", "samples", "effective_samples", "warning", "out_of_time", "method", "seed"):
            setattr(self, name, values[name])

    def __repr__(self):
        warning = f", warning={self.warning!r}" if self.warning else ""
        return (f"EstimatedMarginals({len(self)} edges with confidence {self.confidence}, {self.samples} samples by "
                f"{self.method}{warning})")


class Samples(_Record):
    """Random perfect matchings, and of approximate ones how fair they are.

    matchings       lists of edges as (u, v)
    population      weighted matchings that samples were taken from; 0: all parts are exact
    effective       how many fair matchings these are worth
    largest_share   of the heaviest: how often it is drawn
    distinct        how many different ones of the population were taken
    warning         why the samples are not to be believed, or ""
    """

    _fields = ("matchings", "population", "effective", "largest_share", "distinct", "warning", "seed")

    def __repr__(self):
        if self.population is None:
            return f"Samples({len(self.matchings)} matchings, exact)"
        warning = f", warning={self.warning!r}" if self.warning else ""
        return f"Samples({len(self.matchings)} matchings, {self.distinct} distinct of {self.population}{warning})"


class Decomposition(_Record):
    """What is known of maximum matchings, by labels.

    matching       a maximum matching, as pairs
    is_perfect     whether it is perfect; else ``certificate`` says why none is
    useless_edges  those in no maximum matching
    row_parts, column_parts, blocks   of bipartite graphs: Dulmage and Mendelsohn's coarse part of each vertex
                   ("horizontal", "square", "vertical"), and the fine blocks as pairs of lists
    parts          of others: Gallai and Edmonds's part of each vertex ("D", "A", "C")
    """

    _fields = ("matching", "is_perfect", "certificate", "useless_edges", "row_parts", "column_parts", "blocks", "parts")

    def __repr__(self):
        perfect = "perfect" if self.is_perfect else "not perfect"
        blocks = f", {len(self.blocks)} blocks" if self.blocks is not None else ""
        return (f"Decomposition(maximum matching of {len(self.matching)} edges, {perfect}, "
                f"{len(self.useless_edges)} useless edges{blocks})")


class Plan(_Record):
    """What a count would take: predicted ``seconds`` and ``memory_bytes``, and for each block every method's forecast.

    refusal   of marginals and samples: why they would be refused within the limits; "": they would not
    """

    _fields = ("seconds", "memory_bytes", "maximum_matching", "has_perfect_matching", "certificate", "blocks", "refusal")

    def __repr__(self):
        lines = [f"Plan({self.seconds:.3g} s, {self.memory_bytes:.3g} bytes, {len(self.blocks)} blocks)"]
        for block in self.blocks[:10]:
            lines.append(f"  block of {block['size']}, {block['edges']} edges")
            for way in block["forecasts"]:
                cost = f"{way['seconds']:.3g} s, {way['memory_bytes']:.3g} bytes" if way["applies"] else "does not apply"
                lines.append(f"    {way['method']} on {way['device']}: {cost} ({way['reason']})")
        return "\n".join(lines)


def plan_of(graph, raw):
    return Plan(**{**raw, "certificate": graph._named_certificate(raw["certificate"])})
