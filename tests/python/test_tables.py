"""Tables of Arrow and frames of polars are what frames of pandas are: matrices with names of columns, without rounding."""

import random

import numpy as np
import oracles
import pytest

import matchcount as mc

BEYOND = 2**53 + 1
NUMBERS = {"int64": lambda rng: rng.randrange(-3, 4), "uint8": lambda rng: rng.randrange(256), "bool": lambda rng: rng.random() < 0.5,
           "float64": lambda rng: rng.randrange(-8, 8) / 4, "float32": lambda rng: rng.randrange(-8, 8) / 4,
           "uint64": lambda rng: rng.choice([0, 1, 2**63, 2**64 - 1])}


def table(columns):
    return pytest.importorskip("pyarrow").table(columns)


def batch(columns):
    return pytest.importorskip("pyarrow").RecordBatch.from_pydict({name: values for name, values in columns.items()})


def chunked(columns):
    arrow = pytest.importorskip("pyarrow")
    halves = [{name: values[part] for name, values in columns.items()} for part in (slice(1), slice(1, None))]
    return arrow.concat_tables([arrow.table(half, schema=arrow.table(columns).schema) for half in halves])


def polars_frame(columns):
    return pytest.importorskip("polars").DataFrame(columns)


MAKERS = [table, batch, chunked, polars_frame]


@pytest.mark.parametrize("make", MAKERS)
def test_random_tables_have_the_exact_permanent_of_their_rows_or_are_refused(make):
    exact = 0
    for seed in range(200):
        rng = random.Random(seed)
        size = rng.choice([1, 2, 3, 4])
        types = [rng.choice(list(NUMBERS))] * size if rng.random() < 0.5 else [rng.choice(list(NUMBERS)) for _ in range(size)]
        columns = [[NUMBERS[kind](rng) for _ in range(size)] for kind in types]
        given = make({f"c{i}": np.array(column, dtype=kind) for i, (kind, column) in enumerate(zip(types, columns))})
        rows = [[int(entry) if isinstance(entry, bool) else entry for entry in row] for row in zip(*columns)]
        floats = any(kind.startswith("float") for kind in types)
        wide = any(isinstance(entry, int) and (entry >= 2**63 or int(float(entry)) != entry) for row in rows for entry in row)
        if floats and wide:
            with pytest.raises(mc.InputError, match="beside floats|of type float"):
                mc.permanent(given)
            continue
        truth = oracles.permanent(rows)
        value = mc.permanent(given)
        assert isinstance(value, int) != floats, seed
        assert abs(value - truth) <= value.error if floats else value == truth, (seed, rows)
        exact += not floats
    assert exact > 40


@pytest.mark.parametrize("make", MAKERS)
def test_no_number_of_a_table_is_rounded_and_none_is_left_out(make):
    with pytest.raises(mc.InputError, match=f"{BEYOND} beside floats"):
        mc.permanent(make({"a": [BEYOND, 1], "b": [1.0, 1.0]}))
    assert mc.permanent(make({"a": [BEYOND, 1], "b": [True, True]})) == BEYOND + 1
    for missing in ([2, None], [2.5, None], [None, None]):
        for other in ([1, 1], [1.0, 1.0]):
            for call in (mc.permanent, mc.count_perfect_matchings):
                with pytest.raises(mc.InputError):
                    call(make({"a": missing, "b": other}))
    for words in (["x", "y"], ["1", "2"]):
        with pytest.raises(mc.InputError):
            mc.permanent(make({"a": words, "b": [1, 1]}))


@pytest.mark.parametrize("make", MAKERS)
def test_tables_of_edges_are_refused_with_what_to_give(make):
    for columns in ({"source": [0, 1, 2], "target": [3, 4, 5], "weight": [1, 1, 1]}, {"user": ["a", "b"], "item": ["x", "y"]},
                    {"userId": [1, 2], "movieId": [2, 1]}, {"a": [1, 2, 3], "b": [2, 3, 1]}):
        for call in (mc.count_perfect_matchings, mc.decompose, mc.list_matchings):
            with pytest.raises(mc.InputError, match="table of edges or a matrix.*for edges.*kind='bipartite'"):
                call(make(columns))
    given = make({"user": ["a", "b"], "item": ["x", "y"]})
    edges = given.select(["user", "item"]).rows() if make is polars_frame else list(
        zip(given["user"].to_pylist(), given["item"].to_pylist()))
    assert mc.count_perfect_matchings(edges) == 1


@pytest.mark.parametrize("make", MAKERS)
def test_names_of_columns_come_back(make):
    jobs = make({"paint": [1, 0], "drill": [1, 1]})
    assert mc.count_perfect_matchings(jobs) == 1
    assert next(iter(mc.list_matchings(jobs))) == [(0, "paint"), (1, "drill")]
    path = make({"x": [0, 1, 0, 0], "y": [1, 0, 1, 0], "z": [0, 1, 0, 1], "w": [0, 0, 1, 0]})
    assert [set(map(frozenset, m)) for m in mc.list_matchings(path, kind="undirected")] == [{frozenset("xy"), frozenset("zw")}]
    with pytest.raises(mc.InputError, match="differ"):
        mc.count_perfect_matchings(pytest.importorskip("pyarrow").Table.from_arrays([[1, 0], [1, 1]], names=["a", "a"]))
