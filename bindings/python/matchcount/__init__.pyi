from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import Any, Literal, TypedDict, overload

from ._errors import Cancelled as Cancelled
from ._errors import DeviceError as DeviceError
from ._errors import InputError as InputError
from ._errors import MatchcountError as MatchcountError
from ._errors import NotCompiled as NotCompiled
from ._errors import OverLimit as OverLimit
from ._errors import Unable as Unable

__version__: str

Kind = Literal["bipartite", "undirected", "directed", "matrix"]
Duplicates = Literal["refuse", "sum", "one"]
What = Literal["matchings", "permanent", "hafnian", "cycle_covers"]
Progress = bool | Callable[[str, float, float], object]
Pair = tuple[Any, Any]

class Real(float):
    error: float
    def __new__(cls, value: float, error: float = ...) -> Real: ...
    @property
    def relative_error(self) -> float: ...

class Complex(complex):
    error: float
    def __new__(cls, re: float, im: float = ..., error: float = ...) -> Complex: ...
    @property
    def relative_error(self) -> float: ...

class EstimatedProbability(float):
    low: float
    high: float
    def __new__(cls, value: float, low: float, high: float) -> EstimatedProbability: ...

Number = int | Fraction | Real | Complex

class Graph:
    row_labels: Sequence[Any] | None
    column_labels: Sequence[Any] | None
    @property
    def kind(self) -> Kind: ...
    @property
    def num_edges(self) -> int: ...
    def edges(self, *, sides: bool | None = ...) -> list[Pair]: ...
    def weights(self) -> list[Any] | None: ...

class Check(TypedDict):
    name: str
    passed: bool
    detail: str

class Result:
    text: str
    log10: float
    relative_error: float
    method: str
    checks: list[Check]
    seconds: dict[str, float]
    certificate: dict[str, Any] | None
    by_size: list[Number] | None
    size: int | None
    weight: int | Fraction | None
    gpus: list[str]
    seed: int
    @property
    def value(self) -> Number: ...
    @property
    def error(self) -> float: ...

class Estimate:
    value: float
    log10: float
    low: float
    high: float
    log10_low: float
    log10_high: float
    relative_error: float
    standard_error: float
    log10_bracket: tuple[float, float]
    confidence: float
    samples: int
    effective_samples: float
    zero_fraction: float
    exact: bool
    unknown: bool
    out_of_time: bool
    warning: str
    method: str
    seed: int
    seconds: float
    certificate: dict[str, Any] | None
    def __float__(self) -> float: ...

class Marginals(Mapping[Pair, Real]):
    sums: dict[Pair, Number]
    total: Number
    method: str
    certificate: dict[str, Any] | None
    are_probabilities: bool
    def __getitem__(self, edge: Pair) -> Real: ...
    def __iter__(self) -> Iterator[Pair]: ...
    def __len__(self) -> int: ...

class EstimatedMarginals(Mapping[Pair, EstimatedProbability]):
    confidence: float
    samples: int
    effective_samples: float
    warning: str
    out_of_time: bool
    method: str
    seed: int
    def __getitem__(self, edge: Pair) -> EstimatedProbability: ...
    def __iter__(self) -> Iterator[Pair]: ...
    def __len__(self) -> int: ...

class Samples:
    matchings: list[list[Pair]]
    population: int | None
    effective: float | None
    largest_share: float | None
    distinct: int | None
    warning: str | None
    seed: int

class Decomposition:
    matching: list[Pair]
    is_perfect: bool
    certificate: dict[str, Any] | None
    useless_edges: list[Pair]
    row_parts: dict[Any, str] | None
    column_parts: dict[Any, str] | None
    blocks: list[tuple[list[Any], list[Any]]] | None
    parts: dict[Any, str] | None

class Plan:
    seconds: float
    memory_bytes: float
    maximum_matching: int
    has_perfect_matching: bool
    certificate: dict[str, Any] | None
    blocks: list[dict[str, Any]]
    refusal: str | None

# Which options there are, `help(matchcount)` says and each function's docstring.
@overload
def count_perfect_matchings(graph: Any, *, kind: Kind | None = ..., weight: str | None = ..., duplicates: Duplicates = ...,
                            full_output: Literal[False] = ..., progress: Progress = ..., **options: Any) -> int: ...
@overload
def count_perfect_matchings(graph: Any, *, kind: Kind | None = ..., weight: str | None = ..., duplicates: Duplicates = ...,
                            full_output: Literal[True], progress: Progress = ..., **options: Any) -> Result: ...
def count_matchings(graph: Any, size: int | str = ..., *, weighted: bool = ..., activity: int | Fraction | None = ...,
                    kind: Kind | None = ..., weight: str | None = ..., duplicates: Duplicates = ...,
                    full_output: bool = ..., progress: Progress = ..., **options: Any) -> Any: ...
@overload
def count_optimal_matchings(graph: Any, optimum: Literal["lightest", "heaviest"] = ..., *, kind: Kind | None = ...,
                            weight: str | None = ..., keep_zeros: bool | None = ..., duplicates: Duplicates = ..., full_output: Literal[False] = ...,
                            progress: Progress = ..., **options: Any) -> tuple[int | Fraction | None, int]: ...
@overload
def count_optimal_matchings(graph: Any, optimum: Literal["lightest", "heaviest"] = ..., *, kind: Kind | None = ...,
                            weight: str | None = ..., keep_zeros: bool | None = ..., duplicates: Duplicates = ..., full_output: Literal[True],
                            progress: Progress = ..., **options: Any) -> Result: ...
def matchings_by_size(graph: Any, *, weighted: bool = ..., kind: Kind | None = ..., weight: str | None = ...,
                      duplicates: Duplicates = ..., full_output: bool = ..., progress: Progress = ...,
                      **options: Any) -> Any: ...
def matching_polynomial(graph: Any, *, kind: Kind | None = ..., weight: str | None = ..., duplicates: Duplicates = ..., progress: Progress = ...,
                        **options: Any) -> list[int]: ...
@overload
def count_cycle_covers(digraph: Any, *, weight: str | None = ..., duplicates: Duplicates = ..., full_output: Literal[False] = ...,
                       progress: Progress = ..., **options: Any) -> int: ...
@overload
def count_cycle_covers(digraph: Any, *, weight: str | None = ..., duplicates: Duplicates = ..., full_output: Literal[True],
                       progress: Progress = ..., **options: Any) -> Result: ...
def permanent(matrix: Any, *, rows: Sequence[int] | None = ..., cols: Sequence[int] | None = ...,
              full_output: bool = ..., progress: Progress = ..., **options: Any) -> Any: ...
def hafnian(matrix: Any, loop: bool = ..., *, rows: Sequence[int] | None = ..., weight: str | None = ...,
            duplicates: Duplicates = ..., full_output: bool = ..., progress: Progress = ..., **options: Any) -> Any: ...
def determinant(matrix: Any, *, full_output: bool = ..., progress: Progress = ..., **options: Any) -> Any: ...
def estimate(graph: Any, what: What | None = ..., *, kind: Kind | None = ..., weight: str | None = ...,
             duplicates: Duplicates = ..., progress: Progress = ..., **options: Any) -> Estimate: ...
def plan(graph: Any, what: What | None = ..., *, matchings: str = ..., kind: Kind | None = ..., weight: str | None = ...,
         duplicates: Duplicates = ..., **options: Any) -> Plan: ...
@overload
def marginals(graph: Any, *, weighted: bool | None = ..., exact: bool = ..., estimate: Literal[False] = ...,
              kind: Kind | None = ..., weight: str | None = ..., duplicates: Duplicates = ..., progress: Progress = ...,
              **options: Any) -> Marginals: ...
@overload
def marginals(graph: Any, *, weighted: bool | None = ..., exact: bool = ..., estimate: Literal[True],
              kind: Kind | None = ..., weight: str | None = ..., duplicates: Duplicates = ..., progress: Progress = ...,
              **options: Any) -> EstimatedMarginals: ...
@overload
def sample_matchings(graph: Any, k: int = ..., seed: int = ..., *, first: int = ..., approximate: bool = ...,
                     weighted: bool | None = ..., kind: Kind | None = ..., weight: str | None = ...,
                     duplicates: Duplicates = ..., full_output: Literal[False] = ..., progress: Progress = ...,
                     **options: Any) -> list[list[Pair]]: ...
@overload
def sample_matchings(graph: Any, k: int = ..., seed: int = ..., *, first: int = ..., approximate: bool = ...,
                     weighted: bool | None = ..., kind: Kind | None = ..., weight: str | None = ...,
                     duplicates: Duplicates = ..., full_output: Literal[True], progress: Progress = ...,
                     **options: Any) -> Samples: ...
def plan_marginals(graph: Any, *, weighted: bool | None = ..., kind: Kind | None = ..., weight: str | None = ...,
                   duplicates: Duplicates = ..., **options: Any) -> Plan: ...
def plan_samples(graph: Any, *, weighted: bool | None = ..., kind: Kind | None = ..., weight: str | None = ...,
                 duplicates: Duplicates = ..., **options: Any) -> Plan: ...
def parity(graph: Any, what: What | None = ..., *, kind: Kind | None = ..., weight: str | None = ..., duplicates: Duplicates = ...,
           **options: Any) -> int: ...
def count_reachable_pairs(digraph: Any, *, weight: str | None = ..., duplicates: Duplicates = ..., **options: Any) -> int: ...
def strong_components(digraph: Any, *, weight: str | None = ..., duplicates: Duplicates = ..., **options: Any) -> list[list[Any]]: ...
def reachable_from(digraph: Any, source: Any, *, weight: str | None = ..., duplicates: Duplicates = ..., **options: Any) -> list[Any]: ...
def devices() -> list[dict[str, Any]]: ...
def list_matchings(graph: Any, *, saturating: bool = ..., kind: Kind | None = ..., weight: str | None = ..., duplicates: Duplicates = ...,
                   **options: Any) -> Iterator[list[Pair]]: ...
def decompose(graph: Any, *, kind: Kind | None = ..., weight: str | None = ..., duplicates: Duplicates = ..., **options: Any) -> Decomposition: ...
def read(file: str | PathLike[str], *, kind: Kind | None = ..., **options: Any) -> Graph: ...
def read_all(file: str | PathLike[str], *, kind: Kind | None = ..., **options: Any) -> Iterator[Graph]: ...
def generate(kind: str, *sizes: int | float, density: float | None = ..., weights: str | tuple[int, int] | None = ...,
             seed: int = ...) -> Graph: ...
