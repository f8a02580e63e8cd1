"""Has the keywords that functions share, by groups: what they are for checkers, and what help says of them.

A function takes those of a group as ``**options: Unpack[GROUP]``; ``complete`` gives it the signature and the docstring that
people see. What the library calls an option is a row of options.hpp, which makes groups here and, for checkers, _groups.pyi.
"""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType


def _entries(section: str) -> dict[str, str]:
    """The entries of a section, by the names that they describe."""
    entries: dict[str, str] = {}
    names = ""
    if section.startswith("\n    "):  # before Python 3.13, which takes the indentation away itself
        section = section.replace("\n    ", "\n")
    for line in section.strip("\n").splitlines():
        names = names if line.startswith(" ") else line.partition(" :")[0].strip()
        entries[names] = entries.get(names, "") + line + "\n"
    return {name: entry for names, entry in entries.items() for name in names.split(", ")}


_SHARED = _entries("""
graph : array, sparse matrix, graph or iterable of tuples
    An n x m array or sparse matrix of rows and columns (``kind="bipartite"``), or the n x n adjacency matrix of a graph
    (``kind="undirected"``); a graph of networkx, rustworkx or igraph; a molecule of RDKit; edges as (u, v) or
    (u, v, weight); a Graph.
digraph : array, sparse matrix, graph or iterable of tuples
    An n x n adjacency matrix; a digraph of networkx, rustworkx or igraph; arcs as (u, v); a Graph.
what : {"matchings", "permanent", "hafnian", "cycle_covers"}, optional
    The question; without it the permanent of an array, cycle covers of a digraph, else perfect matchings.
file : path
    "-" is standard input.
full_output : bool
    Whether to return a Result, which says how the answer was found.
""")
# Has the library's options by group and name: their values, and what they do.
GROUPS: dict[str, dict[str, tuple[str, str]]] = _core.option_groups()
_DEFAULTS = {"weight": "weight", "duplicates": "refuse", "matchings": "perfect", "loop": False, "progress": False}

if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any, TypedDict

    from ._groups import (Arithmetic, Elimination, EstimatedShares, Estimates, ExactParts, Limits, Population, Reading, Saving, Search,
                          Tuning, Work)
    from ._types import Columns, Duplicates, Edges, Flag, Kind, Name, NoEdge, Progress, Seconds, Single, Whole
else:
    class TypedDict:
        """A group: its keywords with their types, those of its bases first, and their entries in docstrings."""

        types, entries = {}, {}

        def __init_subclass__(cls, total):
            for base in cls.__bases__:
                cls.types, cls.entries = {**cls.types, **base.types}, {**cls.entries, **base.entries}
            cls.types, own = {**cls.types, **cls.__annotations__}, _entries(cls.__doc__ or "")
            cls.entries = {**cls.entries, **own}
            _SHARED.update({name: entry for name, entry in own.items() if name not in _SHARED})

    for _name, _options in GROUPS.items():
        globals()[_name] = type(_name, (TypedDict,), {
            "__doc__": "".join(f"{name} : {values}\n" + "".join(f"    {line}\n" for line in text.splitlines())
                               for name, (values, text) in _options.items()),
            "__annotations__": {name: "str | None" if values.startswith('{"') else values.replace(" or ", " | ") + " | None"
                                for name, (values, _) in _options.items()}}, total=False)


class Arcs(TypedDict, total=False):
    """
    weight : str, optional
        The attribute of edges, or column of ``columns``, that weights stand in; None: weights are not looked at, and every
        edge weighs 1.
    columns : pair of names, optional
        Of a DataFrame or Table of edges: the columns of their ends; ``weight`` names that of their weights.
    no_edge : float or "masked", optional
        The entry of an array, such as inf or nan, that is no edge; "masked": masked entries are none. Zeros are none
        either.
    """

    weight: Name
    columns: Columns
    no_edge: NoEdge


class Digraphs(Arcs, total=False):
    duplicates: Duplicates


class Graphs(Digraphs, total=False):
    kind: Kind


class Files(Reading, total=False):
    time_limit: Seconds


class Shown(TypedDict, total=False):
    """
    progress : bool or callable
        True: a bar on stderr, by tqdm where it is there; a callable is called with phase, done and total.
    """

    progress: Progress


class Drawn(Graphs, Search, Limits, total=False):
    """
    matchings : {"perfect", "maximum", "saturating", "all", "lightest", "heaviest"}
        Which matchings; "saturating": every vertex of the smaller side; each of the "lightest" and "heaviest" perfect ones
        is as likely as the others.
    activity : int or Fraction, optional
        Of "all": the weight of every vertex that a matching leaves out.
    loop : bool
        Whether a vertex may be left out for what its loop, or an adjacency matrix's diagonal, weighs, and weights count.
    given, without : iterable of tuple, optional
        Edges (u, v) that every matching has, and edges that none has; edges that no such matching can have are left out
        of answers.
    weighted : bool, optional
        Whether a matching counts as the product of its edges' weights; marginals, samples and their plans want it said
        where there are weights but 1.
    weight : str, optional
        The attribute of edges, or column of ``columns``, that weights stand in, which count where it is given; None: every
        edge weighs 1.
    method : {"auto", "frontier", "trees", "planar", "complement", "classes", "cuts", "ryser"}
        Of exact answers, as ``order``, ``engine`` and ``effort`` are.
    """

    matchings: Single
    activity: int | Fraction | None
    loop: bool
    given: Edges
    without: Edges
    weighted: Flag
    threads: Whole


class MatrixCounts(Search, Tuning, Work, Arithmetic, Limits, Saving, Shown, total=False): ...
class DigraphCounts(Digraphs, MatrixCounts, total=False): ...
class GraphCounts(Graphs, MatrixCounts, total=False): ...
class Plans(Graphs, Search, Tuning, Work, Arithmetic, Limits, total=False): ...
class ByLabel(Graphs, Search, Tuning, Work, Limits, Shown, total=False): ...
class GraphEstimates(Graphs, Estimates, Work, Arithmetic, Limits, Saving, Shown, total=False): ...
class Parities(Graphs, Work, Limits, total=False): ...
class Parts(Graphs, Limits, total=False): ...
class Paths(Arcs, Limits, total=False): ...
class ReachablePairs(Arcs, Work, Limits, total=False): ...
class Determinants(Elimination, Work, Arithmetic, Limits, Shown, total=False): ...
class EdgeShares(Drawn, EstimatedShares, ExactParts, Saving, Shown, total=False): ...
class Draws(Drawn, Population, ExactParts, Shown, total=False): ...


_RAISES = """\
Raises
------
InputError
    The data or an option is wrong, or can be read in two ways.
OverLimit, Unable
    A limit would be passed, or was; no method applies.

"""


def _shown(function: Any, types: dict[str, str]) -> Any:
    """A function that is never called, but has these keywords beside those of the function's own, and its place: it is seen."""
    code, own = function.__code__, function.__code__.co_kwonlyargcount
    names = code.co_varnames[:code.co_argcount + own]
    made = type(function)((lambda: None).__code__.replace(
        co_argcount=code.co_argcount, co_kwonlyargcount=own + len(types), co_nlocals=len(names) + len(types),
        co_varnames=(*names, *types), co_name=code.co_name, co_filename=code.co_filename, co_firstlineno=code.co_firstlineno),
        function.__globals__, code.co_name, function.__defaults__)
    made.__kwdefaults__ = {**(function.__kwdefaults__ or {}), **{name: _DEFAULTS.get(name) for name in types}}
    made.__annotations__ = {**function.__annotations__, **types}
    made.__qualname__ = code.co_name
    return made


def complete(function: FunctionType) -> None:
    """Shows the keywords of a function's group, adds to its docstring what that does not say of parameters, the exceptions, and
    the type of what is returned."""
    text = function.__doc__ or ""
    if text.endswith("    "):  # before Python 3.13, which takes the indentation away itself
        text = text.replace("\n    ", "\n")
    if "Returns\n-------\n" not in text:
        answer = f"Returns\n-------\n{function.__annotations__['return'].replace('_core.', '')}\n\n"
        section = "References\n" if "References\n" in text else "Examples\n"
        text = text.replace(section, answer + section)
    head, returns, rest = text.partition("Returns\n-------\n")
    summary, _, own = head.partition("Parameters\n----------\n")
    code = function.__code__
    end = code.co_argcount + code.co_kwonlyargcount
    names, entries = list(code.co_varnames[:end]), _entries(own)
    if "options" in function.__annotations__:
        group: Any = globals()[function.__annotations__.pop("options")[len("Unpack["):-1]]
        function.__wrapped__ = _shown(function, group.types)  # type: ignore[attr-defined]
        names, entries = [*names, *group.types], {**group.entries, **entries}
    elif code.co_flags & 4:
        names.insert(code.co_argcount, "*" + code.co_varnames[end])
    if names:
        entries = {**_SHARED, **entries}
        summary += "Parameters\n----------\n" + "".join(dict.fromkeys(entries[name] for name in names)) + "\n"
        answer, examples, rest = rest.partition("Examples\n--------\n")
        before, references, after = answer.partition("References\n----------\n")
        rest = before + _RAISES + references + after + examples + rest
    for seen in {function, getattr(function, "__wrapped__", function)}:
        seen.__doc__ = summary + returns + rest
