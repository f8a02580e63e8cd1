"""Describes the parameters that functions share, once, and completes the functions' docstrings with them.

Each function describes what is its own; parameters that it does not describe, and the exceptions, are added here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType

_PARAMETERS = """\
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
format : str
    Name of the format; "auto": as the file's first lines or its name say.
keep_zeros : bool
    Whether edges of weight 0 are edges.
header : bool, optional
    Whether the first line of an edge list or of dense text is one; without it a line that may be an edge is refused.
delimiter : str
    One mark or several between fields; "": as found.
member : str
    The file of an archive, array of a .npz file or variable of a .mat file that is read, of several.
weight_key : str, optional
    The attribute that weights stand in; "": there are none.
skeleton : bool, optional
    Of molecules: whether all atoms but hydrogen count, and all bonds between them, not only conjugated ones.
loops : bool or {"drop", "refuse", "keep"}
    An undirected graph's loops: True, or "keep": they are weights of its vertices, for loop hafnians; "drop": left out.
base : {0, 1}
    The first index in lines "row column value" of a matrix; 1. Given, plain text has such lines.
kind : {"bipartite", "undirected", "directed", "matrix"}, optional
    What the input describes, where that is in doubt.
weight : str, optional
    The attribute of edges, or column of ``columns``, that weights stand in; None: weights are not looked at, and every edge
    weighs 1.
duplicates : {"refuse", "sum", "one"}
    Edges that are given twice: "sum" adds weights, and counts edges without weights as often as they are given; "one"
    takes the first.
columns : pair of names, optional
    Of a DataFrame or Table of edges: the columns of their ends; ``weight`` names that of their weights.
no_edge : float or "masked", optional
    The entry of an array, such as inf or nan, that is no edge; "masked": masked entries are none. Zeros are none either.
weighted : bool, optional
    Whether a matching counts as the product of its edges' weights; marginals, samples and their plans want it said where
    there are weights but 1.
matchings : {"perfect", "maximum", "saturating", "all", "lightest", "heaviest"}
    Which matchings; "saturating": every vertex of the smaller side; each of the "lightest" and "heaviest" perfect ones
    is as likely as the others.
activity : int or Fraction, optional
    Of "all": the weight of every vertex that a matching leaves out.
given, without : iterable of tuple, optional
    Edges (u, v) that every matching has, and edges that none has; edges that no such matching can have are left out of
    answers.
loop : bool
    Whether a vertex may be left out for what its loop, or an adjacency matrix's diagonal, weighs, and weights count.
method : str
    The method of the count; "auto": the cheapest of "frontier", "trees", "planar", "complement", "classes", "low-rank",
    "power-traces", "cuts", "ryser", "sparyser", "skipper", "staged", "forbert-marx", "expansion".
verify : bool
    Whether a second, independent method must agree.
order : {"auto", "mixed", "rows", "columns"}
    The frontier method's order of vertices.
engine : {"auto", "sparse", "dense", "twins", "lean"}
    How the frontier method keeps its states.
effort : float
    Seconds of one core for the frontier method's search for an order; 0: while it saves more than it costs.
expand_degree, expand_rows : int
    Of forbert-marx: lines of at most so many entries (4) are expanded, down to so many rows (30).
prune, reduce : bool
    Whether edges in no perfect matching, and vertices of degree 1 and 2, are taken away first; True.
threads : int
    Number of threads; 0: all cores. The answer does not depend on it.
device : str
    "auto", "cpu", "cuda" or "cuda:0,1".
precision : {"auto", "double", "compensated", "double-double", "exact"}
    Arithmetic of floats and complex numbers; ints and Fractions are always exact.
seed : int
    From 0 to 2^64 - 1, by default 1; the same seed gives the same answer, on any number of threads.
time_limit : float
    Seconds; a run that would take longer is refused, or ended.
memory_limit : float
    Bytes, from 2^20 on; by default nine tenths of what is available.
checkpoint : path
    A file that keeps what is done, so that the run can be ended and resumed, here or on the command line.
resume : bool
    Whether to go on from ``checkpoint`` where it is there.
checkpoint_interval : float
    Seconds between two writes; 60.
full_output : bool
    Whether to return a Result, which says how the answer was found.
progress : bool or callable
    True: a bar on stderr, by tqdm where it is there; a callable is called with phase, done and total.
"""

_RAISES = """\
Raises
------
InputError
    The data or an option is wrong, or can be read in two ways.
OverLimit, Unable
    A limit would be passed, or was; no method applies.

"""


def _entries(section: str) -> dict[str, str]:
    """The entries of a section, by the names that they describe."""
    entries: dict[str, str] = {}
    names = ""
    for line in section.splitlines(keepends=True):
        names = names if line.startswith(" ") else line.partition(" :")[0].strip()
        entries[names] = entries.get(names, "") + line
    return {name: entry for names, entry in entries.items() for name in names.split(", ")}


_SHARED = _entries(_PARAMETERS)


def complete(function: FunctionType) -> None:
    """Adds the parameters that the docstring does not describe, the exceptions, and the type of what is returned."""
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
    sequence = ["*" + code.co_varnames[end]] if code.co_flags & 4 else []
    names = [*code.co_varnames[:code.co_argcount], *sequence, *code.co_varnames[code.co_argcount:end]]
    if names:
        described = _entries(own.strip("\n") + "\n") if own else {}
        parameters = dict.fromkeys(described[name] if name in described else _SHARED[name] for name in names)
        summary += "Parameters\n----------\n" + "".join(parameters) + "\n"
        answer, examples, rest = rest.partition("Examples\n--------\n")
        before, references, after = answer.partition("References\n----------\n")
        rest = before + _RAISES + references + after + examples + rest
    function.__doc__ = summary + returns + rest
