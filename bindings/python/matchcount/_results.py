"""What answers look like: numbers that know their error, and Results that say how they were found."""

from ._errors import Unable


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
    gpus         names of the GPUs that it ran on; empty: the CPU
    """

    _fields = ("_value", "text", "log10", "relative_error", "method", "checks", "seconds", "certificate", "by_size",
               "size", "gpus", "seed")

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

    Values beyond the floats are inf; ``log10``, ``log10_low`` and ``log10_high`` always hold.
    """

    _fields = ("value", "log10", "low", "high", "log10_low", "log10_high", "relative_error", "confidence", "samples",
               "effective_samples", "exact", "unknown", "warning", "method", "seed", "seconds", "certificate")

    def __float__(self):
        return self.value

    def __repr__(self):
        if self.unknown:
            return f"Estimate(unknown, {self.samples} samples in a dead end)"
        digits = f"10^{self.log10:.6g}" if self.value in (0.0, float("inf")) and self.log10 > 0 else f"{self.value:.6g}"
        warning = f", warning={self.warning!r}" if self.warning else ""
        return (f"Estimate({digits}, [{self.low:.6g}, {self.high:.6g}] with confidence {self.confidence}, "
                f"{self.samples} samples by {self.method}{warning})")


class Marginals:
    """The share of each edge in the perfect matchings: a mapping from edges, as (u, v), to Reals.

    sums     by edge, the number of perfect matchings with it, or the sum of their weights
    total    the number of all, or the sum of all weights
    """

    def __init__(self, edges, probabilities, errors, sums, total, method, certificate):
        self._shares = {edge: Real(share, error) for edge, share, error in zip(edges, probabilities, errors)}
        self.sums = dict(zip(edges, sums))
        self.total = total
        self.method = method
        self.certificate = certificate

    def __getitem__(self, edge):
        return self._shares[edge]

    def __iter__(self):
        return iter(self._shares)

    def __len__(self):
        return len(self._shares)

    def __contains__(self, edge):
        return edge in self._shares

    def keys(self):
        return self._shares.keys()

    def values(self):
        return self._shares.values()

    def items(self):
        return self._shares.items()

    def __repr__(self):
        return f"Marginals({len(self)} edges, total={self.total}, method={self.method!r})"


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
    """What a count would take: predicted ``seconds`` and ``memory_bytes``, and for each block every method's forecast."""

    _fields = ("seconds", "memory_bytes", "maximum_matching", "has_perfect_matching", "certificate", "blocks")

    def __repr__(self):
        lines = [f"Plan({self.seconds:.3g} s, {self.memory_bytes:.3g} bytes, {len(self.blocks)} blocks)"]
        for block in self.blocks[:10]:
            lines.append(f"  block of {block['size']}, {block['edges']} edges")
            for way in block["forecasts"]:
                cost = f"{way['seconds']:.3g} s, {way['memory_bytes']:.3g} bytes" if way["applies"] else "does not apply"
                lines.append(f"    {way['method']} on {way['device']}: {cost} ({way['reason']})")
        return "\n".join(lines)
