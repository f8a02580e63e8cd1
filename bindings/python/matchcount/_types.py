"""Types of what functions take, for checkers alone: nothing imports this module while a program runs.

None is as if a keyword were not given, but for the name of weights.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from os import PathLike
from typing import Any, Literal, TypedDict

from ._numbers import Complex, Real

Kind = Literal["bipartite", "undirected", "directed", "matrix"] | None
Duplicates = Literal["refuse", "sum", "one"]
What = Literal["matchings", "permanent", "hafnian", "cycle_covers"] | None
Optimum = Literal["lightest", "heaviest"]
Size = Literal["all", "maximal", "maximum", "saturating", "perfect"]
Matchings = Literal["perfect", "all", "by-size", "maximal", "maximum", "saturating", "lightest", "heaviest"]
Single = Literal["perfect", "all", "maximum", "saturating", "lightest", "heaviest"]  # with questions about single ones
Method = Literal["auto", "frontier", "trees", "planar", "complement", "classes", "low-rank", "power-traces",
                 "cuts", "ryser", "sparyser", "skipper", "staged", "forbert-marx", "expansion"] | None
Elimination = Literal["auto", "elimination", "condensation"] | None
Estimator = Literal["auto", "rasmussen", "rasmussen+", "scaling", "scaling+", "guided", "population", "annealing",
                    "godsil-gutman", "karmarkar"] | None
Order = Literal["auto", "mixed", "rows", "columns"] | None
Engine = Literal["auto", "sparse", "merge", "dense", "ranked", "twins", "lean"] | None
Precision = Literal["auto", "double", "compensated", "double-double", "exact"] | None
Format = Literal["auto", "edgelist", "dense", "mtx", "dimacs", "metis", "graphml", "graph6", "sparse6", "digraph6", "npy",
                 "gml", "adjlist", "mol", "sdf", "gexf", "tgf", "lgf", "pajek", "json", "planar_code", "blossom",
                 "dot", "npz", "xyz", "mol2", "mat", "cells"] | None
Family = Literal["grid", "torus", "grid3d", "torus3d", "path", "cycle", "ladder", "prism", "knight", "king", "rook", "bishop",
                 "queen", "triangular", "honeycomb", "kagome", "square-octagon", "lieb", "hexagon", "aztec", "hypercube",
                 "complete", "circulant", "kneser", "johnson", "fullerene", "tree", "band", "regular", "random", "gnp",
                 "planar"]
Flag = bool | None
Whole = int | None
Seconds = float | None
Bytes = float | None
Share = float | None  # from 0 to 1
Tolerance = float | None  # from 0 on
Name = str | None
Columns = tuple[Any, Any] | list[Any] | None
NoEdge = float | Literal["masked"] | None
Entry = float | Fraction | str | None  # of a file
Loops = bool | Literal["drop", "refuse", "keep"] | None
Base = Literal[0, 1] | None
Device = str | None
Path = str | bytes | PathLike[str] | None
Progress = bool | Callable[[str, float, float], object] | None
Number = int | Fraction | Real | Complex
Pair = tuple[Any, Any]
Labels = Mapping[Any, Any] | Callable[[Any, Any], Any] | None
Edges = Iterable[Pair] | None

# Keywords that counts take: those of a digraph, and those of a graph that may have two sides.
WeightKeywords = TypedDict("WeightKeywords", {
    "weight": Name, "duplicates": Duplicates, "columns": Columns, "no_edge": NoEdge, "method": Method,
    "verify": Flag, "order": Order, "engine": Engine,
    "effort": Seconds, "expand_degree": Whole, "expand_rows": Whole, "prune": Flag, "reduce": Flag, "threads": Whole,
    "device": Device, "precision": Precision, "seed": Whole, "time_limit": Seconds, "memory_limit": Bytes,
    "checkpoint": Path, "resume": Flag, "checkpoint_interval": Seconds, "progress": Progress}, total=False)


EstimateKeywords = TypedDict("EstimateKeywords", {
    "activity": int | Fraction | None, "kind": Kind, "weight": Name, "duplicates": Duplicates, "columns": Columns,
    "no_edge": NoEdge, "method": Estimator,
    "samples": Whole, "relative_error": Share, "confidence": Share, "exact_rows": Whole, "population": Whole,
    "scaling_interval": Whole, "scaling_rounds": Whole, "verify": Flag, "threads": Whole, "device": Device,
    "precision": Precision, "seed": Whole, "time_limit": Seconds, "memory_limit": Bytes, "checkpoint": Path,
    "resume": Flag, "checkpoint_interval": Seconds, "progress": Progress}, total=False)


class GraphKeywords(WeightKeywords, total=False):
    """Keywords of a count of a graph."""

    kind: Kind
