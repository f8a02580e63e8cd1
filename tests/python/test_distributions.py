"""Marginals, samples, optimal matchings, plans and parities: exact ones by oracles, estimates by their own intervals."""

import collections
import math
import pickle
import random
import warnings
from fractions import Fraction

import numpy as np
import oracles
import pytest

import matchcount as mc


def weighted_edges(rng, n, law):
    return [(f"r{u}", f"c{v}", law(rng)) for u in range(n) for v in range(n) if u == v or rng.random() < 0.5]


def weight_of(edges, matching):
    return math.prod((edges[i][2] for i in matching), start=Fraction(1))


LAWS = {
    "ints": lambda rng: rng.randrange(1, 9),
    "fractions": lambda rng: Fraction(rng.randrange(1, 9), rng.randrange(1, 7)),
    "ints beyond 64 bits with a common divisor": lambda rng: rng.randrange(1, 9) << 70,
}


def test_weights_that_stay_beyond_64_bits_over_a_common_denominator_are_refused():
    with pytest.raises(mc.InputError, match="64 bits"):
        mc.marginals([("a", 1, 2**64 + 1), ("a", 2, 3), ("b", 1, 1), ("b", 2, 1)], weight="weight")


def test_marginals_of_negative_weights_are_sums_alone():
    matrix = np.array([[2, -1], [1, 1]])
    found = mc.marginals(matrix, weighted=True, exact=True)
    assert found.total == 1 and found.sums == {(0, 0): 2, (0, 1): -1, (1, 0): -1, (1, 1): 2}
    assert not found.are_probabilities and (0, 0) in found
    with pytest.raises(mc.InputError, match="sums"):
        found[0, 0]
    with pytest.raises(mc.InputError, match="exact=True"):
        mc.marginals(matrix, weighted=True)


def test_without_a_perfect_matching_there_are_sums_of_0_and_a_reason_but_no_shares():
    found = mc.marginals([("a", 1), ("b", 1)])
    assert set(found) == {("a", 1), ("b", 1)} and set(found.sums.values()) == {0} and found.total == 0
    assert found.certificate["neighbours"] == [1]
    with pytest.raises(mc.Unable, match="no perfect matching"):
        found["a", 1]


def test_estimated_marginals_hold_the_truth_as_often_as_they_say():
    graph = mc.generate("random", 15, 15, 0.5, seed=3)
    truth = mc.marginals(graph)
    found = mc.marginals(graph, estimate=True, absolute_error=0.02, exact_rows=2, seed=5)
    assert found.samples > 0 and found.confidence == 0.95 and not found.warning and not found.out_of_time
    held = sum(found[edge].low <= truth[edge] <= found[edge].high for edge in truth)
    # Intervals of an edge each, 95 % of them: below 85 % of some 110 dependent ones is far out.
    assert held >= 0.85 * len(truth)
    assert all(share.low <= share <= share.high <= share.low + 0.04 + 1e-9 for share in found.values())
    assert found == mc.marginals(graph, estimate=True, absolute_error=0.02, exact_rows=2, seed=5, threads=1)
    assert "0.95" in repr(found) and set(found) == set(truth)
    exact = mc.marginals(np.ones((3, 3)), estimate=True)
    assert exact.samples == 0 and abs(exact[0, 0] - 1 / 3) < 1e-12
    with pytest.raises(mc.Unable):
        mc.marginals(np.zeros((2, 2)), estimate=True)


def test_approximate_samples_are_matchings_and_say_how_fair_they_are():
    graph = mc.generate("grid", 6, 6)
    found = mc.sample_matchings(graph, 200, seed=4, approximate=True, population=512, exact_rows=2, full_output=True)
    assert len(found.matchings) == 200 and found.population == 512 and 0 < found.effective <= 512
    assert 1 <= found.distinct <= 200 and 0 < found.largest_share < 1 and found.seed == 4
    edges = set(graph.edges(sides=False))
    for matching in found.matchings:
        assert len(matching) == 18 and set(matching) <= edges
        assert len({u for u, _ in matching}) == len({v for _, v in matching}) == 18
    assert mc.sample_matchings(graph, 50, seed=4, first=150, approximate=True, population=512, exact_rows=2,
                               threads=1) == found.matchings[150:]
    exact = mc.sample_matchings(graph, 3, full_output=True)
    assert exact.population is None and len(exact.matchings) == 3 and "exact" in repr(exact)


def test_a_doubtful_population_is_a_warning():
    with pytest.warns(RuntimeWarning, match="uneven"):
        mc.sample_matchings(mc.generate("random", 30, 30, 0.2, seed=9), 5, approximate=True, population=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mc.sample_matchings(mc.generate("grid", 4, 4), 5, approximate=True)


@pytest.mark.parametrize("kind", ["bipartite", "undirected"])
def test_optimal_matchings_are_those_by_enumeration(kind):
    rng = random.Random(kind)
    for law in (LAWS["ints"], LAWS["fractions"], lambda rng: rng.randrange(-3, 4), lambda rng: rng.randrange(-9, 9) / 4):
        for _ in range(5):
            n = rng.randrange(1, 4)
            edges = weighted_edges(rng, n, law)
            if kind == "undirected":
                edges = [(u[1:], v[1:] + "'" if rng.random() < 0.5 else v, weight) for u, v, weight in edges]
                edges = list({frozenset(edge[:2]): edge for edge in edges}.values())
            perfect = oracles.perfect_matchings(edges, len({end for edge in edges for end in edge[:2]}))
            sums = [sum(Fraction(edges[i][2]) for i in m) for m in perfect]
            for optimum, best in (("lightest", min), ("heaviest", max)):
                weight, number = mc.count_optimal_matchings(edges, optimum, kind=kind, keep_zeros=True)
                assert (weight, number) == (best(sums, default=None), sums.count(best(sums, default=None)))
                result = mc.count_optimal_matchings(edges, optimum, kind=kind, keep_zeros=True, full_output=True)
                assert (result.weight, result.value) == (weight, number)
    assert mc.count_optimal_matchings(np.ones((3, 3))) == (3, 6)
    with pytest.raises(mc.InputError, match="'one'"):
        mc.count_optimal_matchings([("a", 1), ("a", 1)], duplicates="sum")


def test_plans_say_what_their_questions_would_take():
    graph = mc.generate("grid", 8, 8)
    for planned in (mc.plan_marginals(graph), mc.plan_samples(graph), mc.plan(graph, matchings="heaviest")):
        assert planned.blocks[0]["forecasts"] and planned.seconds > 0 and planned.has_perfect_matching
    assert mc.plan_marginals(graph).refusal == ""
    wide = mc.generate("grid3d", 8, 8, 8)
    assert "memory limit" in mc.plan_marginals(wide, memory_limit=1e9).refusal
    fractions = [("a", 1, Fraction(1, 2)), ("a", 2, 1), ("b", 1, 1), ("b", 2, 1)]
    assert mc.plan_samples(fractions, weight="weight").seconds >= 0


def test_parities_are_those_of_counts():
    rng = random.Random(8)
    for _ in range(20):
        n = rng.randrange(1, 7)
        matrix = np.array([[rng.randrange(-2, 3) for _ in range(n)] for _ in range(n)])
        assert mc.parity(matrix) == oracles.permanent(matrix.tolist()) % 2
        pattern = [[int(value != 0) for value in row] for row in matrix.tolist()]
        assert mc.parity(matrix, "matchings", kind="bipartite") == oracles.permanent(pattern) % 2
        assert mc.parity(matrix, "cycle_covers") == oracles.permanent(pattern) % 2
        symmetric = np.triu(matrix, 1) + np.triu(matrix, 1).T
        assert mc.parity(symmetric, "hafnian") == oracles.hafnian(symmetric.tolist()) % 2
    assert mc.parity([("a", 1), ("b", 1)]) == 0 and mc.parity(np.array([[3 * 2**70 + 1]], dtype=object)) == 1
    assert mc.parity(mc.generate("grid", 24, 24)) == 0


def test_reachability_is_that_of_arcs_followed_one_by_one():
    arcs = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "d")]
    assert mc.count_reachable_pairs(arcs) == len(oracles.reachable_pairs(arcs)) == 7
    assert mc.reachable_from(arcs, "a") == ["b", "c"] and mc.reachable_from(arcs, "d") == ["d"]
    components = mc.strong_components(arcs)
    assert sorted(map(sorted, components)) == [["a"], ["b", "c"], ["d"]]
    assert [sorted(c) for c in components].index(["b", "c"]) < components.index(["a"])
    with pytest.raises(mc.InputError, match="directed"):
        mc.count_reachable_pairs(mc.generate("grid", 2, 2))


def test_options_of_methods_and_estimators_reach_them():
    graph = mc.generate("grid", 6, 6)
    for options in ({"order": "rows"}, {"engine": "sparse"}, {"prune": False}, {"reduce": False}, {"effort": 0.01}):
        assert mc.count_perfect_matchings(graph, method="frontier", **options) == 6728
    assert mc.count_perfect_matchings(mc.generate("band", 12, 3), method="forbert-marx", expand_degree=3, expand_rows=2) > 0
    with pytest.raises(mc.InputError, match="columns"):
        mc.count_perfect_matchings(graph, order="spiral")
    for method in ("scaling", "godsil-gutman", "karmarkar", "population"):
        # One interval of each, of confidence 0.9999, at a fixed seed.
        guess = mc.estimate(graph, method=method, samples=4000, exact_rows=0, confidence=0.9999, seed=3)
        assert guess.method == method and guess.low <= 6728 <= guess.high and guess.standard_error > 0
        assert guess.log10_bracket[0] <= math.log10(6728) <= guess.log10_bracket[1]
    one, other = (mc.estimate(np.triu(np.ones((14, 14)), -2) + np.eye(14), method="scaling", samples=100, scaling_rounds=r,
                              exact_rows=0, seed=3).value for r in (0, 5))
    assert one != other


def test_checkpoints_are_resumed_and_refused_as_by_the_command_line(tmp_path):
    graph = mc.generate("random", 20, 20, 0.5, seed=1)
    file = tmp_path / "count.part"
    truth = mc.count_perfect_matchings(graph, method="ryser")
    assert mc.count_perfect_matchings(graph, method="ryser", checkpoint=file) == truth and file.exists()
    assert mc.count_perfect_matchings(graph, method="ryser", checkpoint=file, resume=True) == truth
    with pytest.raises(mc.InputError, match="count.part"):
        mc.count_perfect_matchings(graph, method="ryser", checkpoint=file)
    with pytest.raises(mc.InputError, match="input"):
        mc.count_perfect_matchings(mc.generate("random", 20, 20, 0.5, seed=2), method="ryser", checkpoint=str(file), resume=True)
    with pytest.raises(mc.InputError):
        mc.estimate(np.ones((20, 20)), checkpoint=tmp_path / "none" / "x")
    assert mc.estimate(np.ones((20, 20)), samples=100, checkpoint=tmp_path / "e").value == mc.estimate(
        np.ones((20, 20)), samples=100).value


def test_a_count_that_was_ended_goes_on_where_it_was(tmp_path):
    graph = mc.generate("random", 28, 28, 0.6, seed=1)
    options = {"method": "ryser", "checkpoint": tmp_path / "count.part", "resume": True}
    shares = []

    def end(phase, done, total):
        shares.append(done / total)
        if done > 0.1 * total:
            raise ZeroDivisionError

    try:
        mc.count_perfect_matchings(graph, progress=end, **options)
    except ZeroDivisionError:
        assert (tmp_path / "count.part").exists()
        ended, shares[:] = max(shares), []
        count = mc.count_perfect_matchings(graph, progress=lambda phase, done, total: shares.append(done / total), **options)
        # Progress goes on from what was done, within the pieces that were under way.
        assert count == mc.count_perfect_matchings(graph) and min(shares, default=1) > ended / 2


def test_every_answer_is_pickled_and_tells_what_it_is():
    graph = mc.generate("grid", 4, 4)
    found = [mc.count_perfect_matchings(graph, full_output=True), mc.estimate(graph), mc.marginals(graph), mc.plan(graph),
             mc.marginals(graph, estimate=True), mc.decompose(graph), mc.sample_matchings(graph, 2, full_output=True),
             mc.plan_marginals(graph), mc.count_optimal_matchings(graph, full_output=True), mc.marginals(np.zeros((2, 2))),
             mc.permanent(np.full((3, 3), 1e200), full_output=True), mc.permanent(np.eye(2) * 1j)]
    for answer in found:
        again = pickle.loads(pickle.dumps(answer))
        assert again == answer and type(again) is type(answer) and repr(again) == repr(answer)
        assert isinstance(answer, complex) or repr(answer).startswith(type(answer).__name__ + "(")
    share = pickle.loads(pickle.dumps(mc.marginals(graph, estimate=True)[0, 0]))
    assert share.low <= share <= share.high
    assert isinstance(mc.marginals(graph), collections.abc.Mapping)
    for error in (mc.InputError, mc.OverLimit):
        with pytest.raises(error) as raised:
            mc.permanent(np.ones(3)) if error is mc.InputError else mc.permanent(np.ones((40, 40)), method="ryser", time_limit=1)
        again = pickle.loads(pickle.dumps(raised.value))
        assert (type(again), again.args, vars(again)) == (error, raised.value.args, vars(raised.value))


def matchings_of_kind(edges, vertices, rows, kind):
    found = list(oracles.matchings(edges))
    if kind == "all":
        return found
    ends = [{end for i in m for end in edges[i][:2]} for m in found]
    if kind == "saturating":
        columns = set(vertices) - set(rows)
        smaller = set(rows) if len(rows) <= len(columns) else columns
        return [m for m, covered in zip(found, ends) if smaller <= covered]
    size = max(len(m) for m in found)
    if kind == "maximum":
        return [m for m in found if len(m) == size]
    perfect = [m for m in found if 2 * len(m) == len(vertices)]
    if kind == "perfect":
        return perfect
    sums = [sum(edges[i][2] for i in m) for m in perfect]
    best = (min if kind == "lightest" else max)(sums, default=0)
    return [m for m, s in zip(perfect, sums) if s == best]


@pytest.mark.parametrize("kind", ["perfect", "maximum", "saturating", "all", "lightest", "heaviest"])
@pytest.mark.parametrize("sides", ["bipartite", "undirected"])
def test_marginals_samples_and_lists_of_every_kind_are_those_by_enumeration(kind, sides):
    if kind == "saturating" and sides == "undirected":
        with pytest.raises(mc.InputError, match="two sides"):
            mc.marginals([("a", "b")], matchings=kind, kind=sides)
        return
    rng = random.Random(f"{kind} {sides}")
    optimum = kind in ("lightest", "heaviest")
    for trial in range(12):
        rows = [f"r{u}" for u in range(rng.randrange(1, 5))]
        columns = [f"c{u}" for u in range(len(rows) if optimum or kind == "perfect" else rng.randrange(1, 5))]
        pairs = [(u, v) for u in rows for v in columns]
        if sides == "undirected":
            pairs += [(columns[i], columns[i + 1]) for i in range(len(columns) - 1) if not optimum]
        law = LAWS[list(LAWS)[trial % (3 if kind == "perfect" else 2)]]
        edges = [(u, v, law(rng)) for u, v in pairs if rng.random() < 0.7]
        vertices = sorted({end for edge in edges for end in edge[:2]})
        given = matchings_of_kind(edges, vertices, [v for v in vertices if v[0] == "r"], kind)
        if not edges or not given:
            continue
        activity = Fraction(2, 3) if kind == "all" and trial % 3 else None
        options = {"matchings": kind, "activity": activity, "kind": sides, "weighted": None if optimum else True}

        def weigh(m):
            product = Fraction(1) if optimum else weight_of(edges, m)
            return product * (activity if activity is not None else 1) ** (len(vertices) - 2 * len(m))

        total = sum(map(weigh, given))
        found = mc.marginals(edges, exact=True, **options)
        assert found.total == total, (edges, found)
        for place, (u, v, _) in enumerate(edges):
            truth = sum(weigh(m) for m in given if place in m)
            key = (u, v) if (u, v) in found else (v, u)
            assert found.sums[key] == truth, (edges, key)
            assert abs(Fraction(found[key]) - truth / total) <= Fraction(found[key].error)
        covered = [{end for i in m for end in edges[i][:2]} for m in given]
        for name, share in found.unmatched.items():
            vertex = name if sides == "undirected" else name[0] or name[1]
            truth = sum(weigh(m) for m, ends in zip(given, covered) if vertex not in ends)
            assert found.unmatched_sums[name] == truth and abs(Fraction(share) - truth / total) <= Fraction(share.error)
        assert len(found.unmatched) == (0 if optimum or kind == "perfect" else len(vertices)), edges

        def edge_sets(matchings):
            return [frozenset(map(frozenset, m)) for m in matchings]

        truth = {frozenset(frozenset(edges[i][:2]) for i in m): weigh(m) / total for m in given}
        listed = edge_sets(mc.list_matchings(edges, kind, kind=sides))
        assert len(listed) == len(truth) and set(listed) == set(truth)
        drawn = collections.Counter(edge_sets(mc.sample_matchings(edges, 2000, seed=trial + 1, **options)))
        assert set(drawn) <= set(truth)
        chi_square = sum((drawn[m] - 2000 * float(p)) ** 2 / (2000 * float(p)) for m, p in truth.items())
        # A chi-square of k degrees of freedom has the mean k and the deviation sqrt(2 k): 8 of these beyond are rare.
        assert chi_square < len(truth) - 1 + 8 * math.sqrt(2 * len(truth)) + 10, (edges, drawn)


def test_a_loop_is_the_weight_of_a_vertex_that_is_left_out():
    matrix = np.array([[2, 1, 4], [1, 3, 5], [4, 5, 7]])
    found = mc.marginals(matrix, loop=True, exact=True)
    assert found.total == mc.hafnian(matrix, loop=True) == 2 * 3 * 7 + 7 + 4 * 3 + 5 * 2
    assert found.sums == {(0, 1): 7, (0, 2): 12, (1, 2): 10} and found.unmatched_sums == {0: 52, 1: 54, 2: 49}
    assert all(len(m) <= 1 for m in mc.sample_matchings(matrix, 20, loop=True))
    with pytest.raises(mc.InputError, match="loop=True"):
        mc.marginals(matrix, loop=True, matchings="maximum")


def test_options_that_other_matchings_do_not_have_are_refused():
    edges = [("a", 1, 2), ("a", 2, 3), ("b", 1, 5), ("b", 2, 0)]
    for refused in (lambda: mc.marginals(edges, matchings="largest"), lambda: mc.marginals(edges, matchings="by-size"),
                    lambda: mc.marginals(edges, matchings="maximum", activity=2, weighted=False),
                    lambda: mc.marginals(edges, matchings="lightest", weighted=True),
                    lambda: mc.marginals(edges, matchings="lightest"),
                    lambda: mc.marginals(np.eye(2), matchings="heaviest"),
                    lambda: mc.marginals(edges, matchings="all", estimate=True, weighted=False),
                    lambda: mc.sample_matchings(edges, matchings="all", approximate=True, weighted=False)):
        with pytest.raises(mc.InputError):
            refused()
    assert mc.plan_marginals(mc.generate("grid", 5, 5), matchings="all").refusal == ""
    assert mc.plan_samples(mc.generate("grid", 5, 5), matchings="maximum").blocks


@pytest.mark.parametrize("kind", ["perfect", "saturating", "all"])
def test_matchings_with_and_without_edges_are_those_by_enumeration(kind):
    rng = random.Random(kind)
    for _ in range(15):
        rows, columns = ([f"{side}{i}" for i in range(rng.randrange(2, 5))] for side in "rc")
        edges = [(u, v, rng.randrange(1, 5)) for u in rows for v in columns if rng.random() < 0.7]
        if not edges:
            continue
        vertices = sorted({end for edge in edges for end in edge[:2]})
        found = matchings_of_kind(edges, vertices, [v for v in vertices if v[0] == "r"], kind)
        i, j = rng.randrange(len(edges)), rng.randrange(len(edges))
        truth = [m for m in found if i in m and j not in m]
        conditions = {"given": [edges[i][:2]], "without": [edges[j][:2]]}
        total = sum(weight_of(edges, m) for m in truth)
        assert mc.count_matchings(edges, kind, weighted=True, **conditions) == total
        shares = mc.marginals(edges, matchings=kind, weighted=True, exact=True, **conditions)
        assert shares.total == total
        for edge, number in shares.sums.items():
            assert number == sum(weight_of(edges, m) for m in truth if any(edges[k][:2] == edge for k in m))
        listed = [frozenset(m) for m in mc.list_matchings(edges, kind, **conditions)]
        assert sorted(map(sorted, listed)) == sorted(sorted(edges[k][:2] for k in m) for m in truth)
        if truth:
            drawn = mc.sample_matchings(edges, 20, matchings=kind, weighted=False, **conditions)
            assert {frozenset(m) for m in drawn} <= set(listed)
    with pytest.raises(mc.InputError, match="no edge"):
        mc.count_matchings([("a", 1)], given=[("a", 2)])
    with pytest.raises(mc.InputError, match="conditions"):
        mc.marginals([("a", 1)], matchings="maximum", given=[("a", 1)])
    assert mc.count_matchings([(0, 1), (1, 2)], 1, kind="undirected", given=[(1, 0)]) == 1


def listed(edges, num_vertices, is_full):
    """Matchings as sets of places of edges, perfect ones or all."""
    found = [frozenset()]
    for place, (u, v) in enumerate(edges):
        found += [m | {place} for m in found if not any({u, v} & set(edges[i]) for i in m)]
    return [m for m in found if not is_full or 2 * len(m) == num_vertices]


@pytest.mark.parametrize("matchings", ["perfect", "all"])
def test_pairs_of_edges_and_entropies_are_those_by_enumeration(matchings):
    rng = random.Random(27)
    for _ in range(30):
        edges = [(u, v) for u in range(6) for v in range(u) if rng.random() < 0.6]
        size = len({end for edge in edges for end in edge})
        lists = listed(edges, size, matchings == "perfect")
        if not edges or not lists:
            continue
        pairs = [(e, f) for e in edges for f in edges]
        edge = rng.choice(edges)
        shares = mc.marginals(edges, kind="undirected", matchings=matchings, exact=True)
        key = next(key for key in shares if set(key) == set(edge))
        assert shares.without(key) == sum(edges.index(edge) not in m for m in lists)
        weights = [(u, v, 2.5 if (u, v) == edge else 1.0) for u, v in edges]
        changed = mc.marginals(weights, kind="undirected", matchings=matchings, weight="weight").total
        assert abs(shares.reweighted(key, 2.5) - changed) <= changed.error + 1e-9
        more = mc.marginals([(u, v, 1.0) for u, v in edges], kind="undirected", matchings=matchings, weight="weight")
        assert abs(more.reweighted(key, 2.5) - changed) <= more.reweighted(key, 2.5).error + changed.error
        found = mc.marginals(edges, kind="undirected", matchings=matchings, exact=True, pairs=pairs)
        assert [(set(e), set(f)) for e, f in found.pairs] == [(set(e), set(f)) for e, f in pairs]
        assert abs(found.entropy - math.log(len(lists))) <= found.entropy.error + 1e-15
        assert abs(found.entropy_per_vertex - math.log(len(lists)) / size) <= found.entropy_per_vertex.error + 1e-15
        for (i, j), (key, both) in zip([(i, j) for i in range(len(edges)) for j in range(len(edges))], found.pairs.items()):
            e, f, p = (Fraction(sum(places <= m for m in lists), len(lists)) for places in ({i}, {j}, {i, j}))
            assert found.pair_sums[key] == p * len(lists)
            assert abs(Fraction(both) - p) <= Fraction(both.error)
            assert abs(Fraction(both.connected) - (p - e * f)) <= Fraction(both.connected.error)
            deviations = math.sqrt(e * (1 - e) * f * (1 - f))
            assert math.isnan(both.correlation) if deviations == 0 else (
                abs(both.correlation - (p - e * f) / deviations) <= both.correlation.error + 1e-14)
        assert pickle.loads(pickle.dumps(found)) == found or any(math.isnan(both.correlation) for both in found.pairs.values())
    square = mc.marginals([(0, 1), (1, 2), (2, 3), (3, 0)], kind="undirected", pairs=1)
    assert list(square.pairs.values()) == [0.5, 0.5]


def test_matchings_that_saturate_a_side_are_estimated_and_drawn():
    graph = mc.generate("random", 14, 19, 0.4, seed=3)
    found = mc.marginals(graph, matchings="saturating", estimate=True, samples=500)
    assert abs(sum(found.values()) - 14) < 1e-9
    assert all(len(m) == 14 for m in mc.sample_matchings(graph, 5, matchings="saturating", approximate=True, population=64))
    with pytest.raises(mc.InputError):
        mc.marginals(graph, matchings="all", estimate=True)


def test_pairs_of_what_is_no_edge_and_of_estimates_are_refused():
    square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    for pairs, error in (([((0, 1), (0, 2))], mc.InputError), (-1, mc.InputError), (True, mc.InputError)):
        with pytest.raises(error):
            mc.marginals(square, kind="undirected", pairs=pairs)
    with pytest.raises(TypeError, match="pairs"):
        mc.marginals(square, kind="undirected", estimate=True, pairs=1)
    with pytest.raises(mc.Unable):
        _ = mc.marginals([(0, 1), (1, 2)], kind="undirected").entropy


def test_edges_of_undirected_graphs_are_known_by_either_order_of_their_ends():
    square = networkx_cycle(4)
    found = mc.marginals(square, exact=True, pairs=[((1, 0), (3, 2)), ((1, 2), (0, 3))])
    assert found[1, 0] == found[0, 1] == 0.5 and (3, 0) in found and (0, 2) not in found and (2, 0) not in found
    assert found.sums[2, 1] == 1 and found.sums.get((2, 1)) == 1 and found.without((1, 0)) == 1
    for pair in (((1, 0), (3, 2)), ((0, 1), (2, 3)), ((3, 2), (0, 1)), ((2, 1), (3, 0))):
        assert found.pairs[pair] == 0.5 and found.pair_sums[pair] == 1
    with pytest.raises(KeyError):
        found[0, 2]
    assert mc.marginals(square, estimate=True)[1, 0] == 0.5
    assert pickle.loads(pickle.dumps(found)) == found and pickle.loads(pickle.dumps(found))[1, 0] == 0.5
    sided = mc.marginals(np.array([[1, 1], [0, 1]]), pairs=[((1, 1), (0, 0))])
    assert (0, 1) in sided and (1, 0) not in sided and sided.pairs[(1, 1), (0, 0)] == sided.pairs[(0, 0), (1, 1)] == 1
    lattice = mc.marginals(pytest.importorskip("networkx").grid_2d_graph(2, 2))
    assert ((0, 1), (0, 0)) in lattice and ((1, 0), (0, 1)) not in lattice


def networkx_cycle(n):
    return pytest.importorskip("networkx").cycle_graph(n)
