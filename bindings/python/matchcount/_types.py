"""Types of what functions take, for checkers alone: nothing imports this module while a program runs.

None is as if a keyword were not given, but for the name of weights.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from os import PathLike
from typing import Any, Literal

from ._numbers import Complex, Real

Kind = Literal["bipartite", "undirected", "directed", "matrix"] | None
Duplicates = Literal["refuse", "sum", "one"]
What = Literal["matchings", "permanent", "hafnian", "cycle_covers"] | None
Optimum = Literal["lightest", "heaviest"]
Size = Literal["all", "maximal", "maximum", "saturating", "perfect"]
Matchings = Literal["perfect", "all", "by-size", "maximal", "maximum", "saturating", "lightest", "heaviest"]
Single = Literal["perfect", "all", "maximum", "saturating", "lightest", "heaviest"]  # with questions about single ones
Precision = Literal["auto", "double", "compensated", "double-double", "exact"] | None
Family = Literal["grid", "torus", "grid3d", "torus3d", "path", "cycle", "ladder", "prism", "knight", "king", "rook", "bishop",
                 "queen", "triangular", "honeycomb", "kagome", "square-octagon", "lieb", "hexagon", "aztec", "hypercube",
                 "complete", "circulant", "kneser", "johnson", "fullerene", "tree", "band", "regular", "random", "gnp",
                 "planar"]
Flag = bool | None
Whole = int | None
Seconds = float | None
Bytes = float | None
Tolerance = float | None  # from 0 on
Name = str | None
Columns = tuple[Any, Any] | list[Any] | None
NoEdge = float | Literal["masked"] | None
Device = str | None
Path = str | bytes | PathLike[str] | None
Progress = bool | Callable[[str, float, float], object] | None
Number = int | Fraction | Real | Complex
Pair = tuple[Any, Any]
Labels = Mapping[Any, Any] | Callable[[Any, Any], Any] | None
Edges = Iterable[Pair] | None
