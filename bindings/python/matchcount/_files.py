"""Graphs of files and of known families."""

from . import _core
from ._errors import input_error
from ._inputs import Graph, whole


def read(file, *, kind=None, **options):
    """The Graph that a file describes, a path; "-" is standard input. See the command line for formats.

    options: format, duplicates, keep_zeros, header, delimiter, weight_key, loops, time_limit
    """
    return _read_graph(_core.read(*_reading(file, kind, options)))


def read_all(file, *, kind=None, **options):
    """An iterator over the Graphs that a file holds: lines of graph6, an SDF, a three-dimensional .npy. As read."""
    return map(_read_graph, _core.read_all(*_reading(file, kind, options)))


def _reading(file, kind, options):
    import os

    try:
        file = os.fsdecode(file)
    except TypeError:
        raise input_error(f"a file of type {type(file).__name__}", "a path") from None
    return file, {"kind": kind, **{name: value for name, value in options.items() if value is not None}}


def _read_graph(read):
    core, rows, columns = read
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
        if not isinstance(density, (int, float)) or not 0 <= density <= 1:
            raise input_error(f"density={density!r}", "a density from 0 to 1")
    elif density is not None:
        raise input_error(f"a density for {kind}", "none")
    if len(sizes) != number:
        raise input_error(f"sizes {tuple(sizes)!r}", f"{number} of them for {kind}")
    sizes = [whole(size, "size") for size in sizes]
    if max(sizes) >= 1 << 31:
        raise input_error(f"a size of {max(sizes)}", "sizes below 2^31")
    seed = whole(seed, "seed")
    core = _core.generate(kind, sizes, float(density or 0), seed)
    if weights is not None:
        law, low, high = weights, 0, 0
        if not isinstance(weights, str):
            try:
                low, high = (bound.__index__() for bound in weights)
            except (TypeError, ValueError, AttributeError):
                raise input_error(f"weights={weights!r}", "'uniform', 'normal', 'complex', 'signs' or (low, high)") from None
            if not -1 << 63 <= low <= high < 1 << 63:
                raise input_error(f"weights={weights!r}", "two integers of 64 bits, the lesser first")
            law = "integers"
        core = _core.with_weights(core, law, low, high, seed)
    return Graph(core)
