"""Makes arrays of what people have, without rounding: nested lists, numbers of numpy, frames, sparse matrices."""

from __future__ import annotations

import sys

from . import _core, _np as np
from ._errors import input_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from ._values import Values

    Array = NDArray[Any]


def values(array: Array, error: Array | None, reasons: dict[int, str] | None = None) -> Values:
    """The array, with bounds on its errors."""
    from ._values import Values

    view = array.view(Values)
    view.error, view.reasons = error, reasons or {}
    return view


def class_of(module: str, name: str) -> Any:
    """The class of another package, or an empty tuple where that is not imported."""
    return getattr(sys.modules.get(module), name, ())


def is_array(given: Any) -> bool:
    return isinstance(given, memoryview) or any(hasattr(given, name) for name in ("__array__", "__dlpack__", "__cuda_array_interface__"))


def on_gpu(given: Any, what: str) -> Any:
    """Says where an array is on a GPU; None where it is somewhere else, or this build has no wing that reads it there."""
    if not _core.photonics:
        return None
    from ._gpu import on_gpu

    return on_gpu(given, what)


def is_sparse(given: Any) -> bool:
    return "scipy.sparse" in sys.modules and bool(sys.modules["scipy.sparse"].issparse(given))


def is_masked(given: Any) -> bool:
    """Says whether entries of an array of numpy's are masked."""
    return hasattr(given, "_mask") and bool(np.ma.is_masked(given))


def laid_out(given: Any, dtype: Any) -> Array:
    """An array of a type that the library reads: in the order of C, aligned, in this machine's order of bytes."""
    array = np.asarray(given, dtype=dtype, order="C")
    return array if array.flags.aligned else array.copy()


def indices(given: Any, which: str) -> Array:
    """Whole numbers of any size, which nothing masks."""
    array = np.asarray(given)
    if is_masked(given):
        raise input_error(f"{which} with masked entries", "indices alone")
    if array.size and array.dtype.kind not in "iu":
        raise input_error(f"{which}={given!r}", "a sequence of indices")
    return array if array.size else array.astype(np.int64)


def is_exact(entry: Any) -> bool:
    return hasattr(entry, "denominator") and hasattr(entry, "numerator")


def is_number(entry: Any) -> bool:
    """Says whether this is a number of any type, numpy's and arrays of no dimension included."""
    if isinstance(entry, (int, float, complex)) or is_exact(entry) or isinstance(entry, class_of("numbers", "Number")):
        return True
    return getattr(entry, "ndim", None) == 0 and getattr(getattr(entry, "dtype", None), "kind", "O") in "biufc"


def are_numbers(nested: Any) -> bool:
    return all(are_numbers(entry) if isinstance(entry, (list, tuple)) else is_number(entry) for entry in nested)


def columns_of(given: Any) -> list[tuple[Any, Any]] | None:
    """Names and values of the columns of a frame of pandas or polars or of a table of Arrow; None where this is none."""
    if isinstance(given, class_of("pandas", "DataFrame")):
        return list(given.items())
    if isinstance(given, class_of("polars", "DataFrame")):
        return list(zip(given.columns, given.get_columns()))
    if isinstance(given, (class_of("pyarrow", "Table"), class_of("pyarrow", "RecordBatch"))):
        return list(zip(given.schema.names, given.columns))
    return None


def stands_otherwise(given: Any) -> bool:
    """Says whether this is a frame of pandas whose columns have the names of its rows in another order."""
    if not isinstance(given, class_of("pandas", "DataFrame")):
        return False
    rows, columns = list(given.index), list(given.columns)
    return rows != columns and len(rows) == len(columns) and len(set(rows)) == len(rows) and set(rows) == set(columns)


def of_one_set(given: Any) -> Any:
    """A frame whose rows and columns are the same things, with its columns in the order of its rows; all else as it is."""
    if stands_otherwise(given):
        return given.loc[:, list(given.index)]
    if isinstance(given, class_of("pandas", "DataFrame")):
        rows, columns = list(given.index), list(given.columns)
        if rows != columns and rows != list(range(len(rows))) and columns != list(range(len(columns))):
            raise input_error("a DataFrame whose index and columns differ",
                              "the same names in both: an adjacency matrix; or .to_numpy()")
    return given


def refuse_text(given: Any) -> None:
    """Refuses a string, which may be the name of a file or what one holds, but is never a matrix."""
    if isinstance(given, (str, bytes, bytearray)) or hasattr(given, "__fspath__"):
        raise input_error(f"an object of type {type(given).__name__}",
                          "matchcount.read(...) of a file, or an array, a sparse matrix, a graph, or edges as (u, v)")


def is_extended(array: Array) -> bool:
    """Says whether its entries are long doubles, or complex numbers of these."""
    return array.dtype.kind in "fc" and bool(array.dtype.itemsize > (8 if array.dtype.kind == "f" else 16))


def halves(array: Array, what: str) -> tuple[Array, Array]:
    """Two arrays of float64 or complex128 whose sum is an array of long doubles. Refuses one that is not such a sum."""
    with np.errstate(over="ignore", invalid="ignore"):
        high = array.astype(np.float64 if array.dtype.kind == "f" else np.complex128)
        low = (array - high).astype(high.dtype)
        if not np.all(high + low.astype(array.dtype) == array):
            raise input_error(f"{what} of {array.dtype} with an entry that is no sum of two finite doubles", "such sums")
    return high, low


def as_array(given: Any, what: str, extended: bool = False) -> Array:
    """An array of int64, float64, complex128 or objects, as laid_out has it; long doubles where they are taken, too.

    What is on a GPU is copied to the host.
    """
    refuse_text(given)
    columns = columns_of(given)
    if columns and len(columns[0][1]) and _are_mixed([values for _, values in columns]):
        given = _from_nested(list(zip(*(_column(values, what) for _, values in columns))), what)
    elif isinstance(given, (list, tuple)):
        given = _from_nested(given, what)
    elif is_masked(given):
        raise input_error(f"{what} with masked entries",
                          ".filled(0), or another value for them; no_edge='masked' where they are no edges of a graph")
    if not isinstance(given, np.ndarray) and (held := on_gpu(given, what)) is not None:
        given = held.on_host()
    try:
        has_only_dlpack = hasattr(given, "__dlpack__") and not hasattr(given, "__array__")
        array = np.from_dlpack(given) if has_only_dlpack else np.asarray(given)
    except (BufferError, RuntimeError, TypeError) as error:
        raise input_error(f"{what} of type {type(given).__name__} that numpy can't take ({error})",
                          "one in the memory of the CPU") from None
    if array.dtype == object:
        if array.ndim == 0:
            raise input_error(f"an object of type {type(given).__name__}", "an array or nested lists of numbers")
        for entry in array.flat:
            if not is_exact(entry):
                raise input_error(f"an entry of type {type(entry).__name__}", "an int or a Fraction in an array of objects")
        return array
    kind = array.dtype.kind
    if kind == "u" and array.dtype.itemsize == 8:
        return array.astype(object) if array.size else array.astype(np.int64)
    if kind in "biu":
        return laid_out(array, np.int64)
    if kind in "fc" and array.dtype.itemsize <= (8 if kind == "f" else 16):
        return laid_out(array, np.float64 if kind == "f" else np.complex128)
    if extended and is_extended(array):
        return np.ascontiguousarray(array)
    raise input_error(f"{what} of {array.dtype}", "integers, floats or complex numbers of at most 64 bits each, or objects")


def _are_mixed(columns: list[Any]) -> bool:
    """Says whether numpy would find a type for these columns, and may round to it."""
    types = [values.dtype if hasattr(values, "dtype") else values.type for values in columns]
    return any(kind != types[0] for kind in types) or (hasattr(columns[0], "hasnans") and not hasattr(types[0], "byteorder"))


def _column(values: Any, what: str) -> list[Any]:
    for name in ("to_pylist", "to_list"):  # of Arrow and polars
        if hasattr(values, name) and not hasattr(values, "hasnans"):
            return list(_plain(getattr(values, name)(), what))
    return list(as_array(values.astype(object) if values.hasnans else values, what).tolist())


def _plain(nested: Any, what: str) -> Any:
    """The same with numbers of Python's in place of numpy's and of arrays."""
    if isinstance(nested, (list, tuple)):
        return [entry if type(entry) in (int, float, complex) else _plain(entry, what) for entry in nested]
    if is_array(nested):
        return as_array(nested, what).tolist()
    return int(nested) if is_exact(nested) and nested.denominator == 1 else nested


def _numbers_in(nested: list[Any]) -> Iterator[Any]:
    for entry in nested:
        if isinstance(entry, list):
            yield from _numbers_in(entry)
        else:
            yield entry


def _from_nested(rows: Any, what: str) -> Array:
    """An array of nested lists; of objects where numpy would make floats of fractions or integers beyond 64 bits."""
    rows = _plain(rows, what)
    wide, floats, has_exact = None, False, False
    for entry in _numbers_in(rows):
        if not is_exact(entry):
            floats = True
        elif entry.denominator != 1 or not -1 << 63 <= entry.numerator < 1 << 63:
            has_exact = True
        elif wide is None and float(entry) != entry:
            wide = entry
    if floats and wide is not None:
        raise input_error(f"{wide} beside floats, of which none holds it", "ints and Fractions alone, or float(...) of it")
    try:
        array = np.array(rows, dtype=object if has_exact else None)
        return array if array.size else array.astype(np.int64)
    except ValueError:
        raise input_error(f"{what} whose rows differ in length", "rows of one length") from None


def exact_sum(values: Sequence[Any], where: str) -> Any:
    """The sum without rounding, as a number of the same type. Refuses a sum that no float holds."""
    if all(map(is_exact, values)):
        return sum(values)
    from fractions import Fraction

    parts: list[Fraction] = []
    rounded: list[float] = []
    try:
        parts = [sum(map(Fraction, part), Fraction()) for part in zip(*((value.real, value.imag) for value in values))]
        rounded = [float(part) for part in parts]
    except (OverflowError, ValueError):  # of what is not finite
        pass
    if not rounded or any(part != near for part, near in zip(parts, rounded)):
        raise input_error(f"{where} twice, with a sum that no float holds", "the sum, as it is to be rounded, or Fractions")
    return complex(rounded[0], rounded[1]) if any(isinstance(value, complex) for value in values) else rounded[0]


def sparse_parts(matrix: Any, what: str) -> tuple[Array, Array, Array, tuple[int, int]]:
    """Rows, columns and values of a sparse matrix, by row and then column, none twice and none 0, and its shape."""
    if len(matrix.shape) != 2:
        raise input_error(f"a sparse array of {len(matrix.shape)} dimensions", "a matrix, of two")
    given = matrix.tocoo()
    rows, columns, values = np.asarray(given.row, np.int64), np.asarray(given.col, np.int64), given.data
    if not ((rows[1:] > rows[:-1]) | ((rows[1:] == rows[:-1]) & (columns[1:] > columns[:-1]))).all():
        order = np.lexsort((columns, rows))
        rows, columns, values = rows[order], columns[order], values[order]
    values = as_array(values, what)
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    if not is_first.all():
        if given.data.dtype.kind == "b":
            raise input_error("a sparse matrix of truths with an entry twice, which may be True or 2",
                              "each entry once, or .astype(int) of it, where they are added")
        first = np.flatnonzero(is_first)
        sums, ends = values[first].tolist(), [*first[1:].tolist(), len(rows)]
        for place in np.flatnonzero(np.diff([*first, len(rows)]) > 1):
            i = first[place]
            sums[place] = exact_sum(values[i:ends[place]].tolist(), f"entry ({rows[i]}, {columns[i]}) of a sparse matrix")
        rows, columns = rows[first], columns[first]
        values = np.array(sums, dtype=values.dtype) if values.dtype.kind in "fc" else as_array(sums, what)
    keep = np.flatnonzero(values != 0)
    return rows[keep], columns[keep], values[keep], matrix.shape
