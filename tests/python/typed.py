"""Uses of the package as a checker sees them: mypy --strict accepts this file, and finds the errors that are marked."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, assert_type

import matchcount as mc

graph = mc.generate("grid", 4, 4)
assert_type(graph, mc.Graph)
assert_type(mc.count_perfect_matchings(graph), int)
assert_type(mc.count_perfect_matchings(graph, full_output=True), mc.Result)
assert_type(mc.count_optimal_matchings(graph), tuple[int | Fraction | None, int])
assert_type(mc.matching_polynomial(graph), list[int])
assert_type(mc.count_cycle_covers([(0, 0)], full_output=True), mc.Result)
assert_type(mc.marginals(graph), mc.Marginals)
assert_type(mc.marginals(graph)[0, 0], mc.Real)
assert_type(mc.marginals(graph, estimate=True), mc.EstimatedMarginals)
assert_type(mc.sample_matchings(graph, 2), list[list[tuple[Any, Any]]])
assert_type(mc.sample_matchings(graph, 2, full_output=True).population, int | None)
assert_type(mc.list_matchings(graph), Iterator[list[tuple[Any, Any]]])
assert_type(mc.estimate(graph, samples=10).low, float)
assert_type(mc.estimate(graph, matchings="all", samples=10), mc.Estimate)
assert_type(mc.estimate(graph, matchings="by-size", samples=10)[1].log10, float)
assert_type(mc.plan(graph).blocks[0].forecasts[0].seconds, float)
assert_type(mc.decompose(graph).is_perfect, bool)
assert_type(mc.parity(graph), int)
assert_type(mc.read("loops.txt", loops="drop", base=0, no_edge="inf"), mc.Graph)

mc.read("loops.txt", loops="some")  # type: ignore[arg-type]
mc.count_perfect_matchings(graph, colour="red")  # type: ignore[call-overload]
mc.permanent([[1]], method="magic")  # type: ignore[arg-type]
mc.plan(graph, effort="long")  # type: ignore[arg-type]
mc.decompose(graph, seed=1)  # type: ignore[call-arg]
