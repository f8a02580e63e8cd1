"""Pictures, what notebooks show, explanations, and graphs for other packages."""

import pickle
import xml.etree.ElementTree as ElementTree

import pytest

import matchcount as mc

nx = pytest.importorskip("networkx")


def elements(svg, tag):
    return list(ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}" + tag))


def test_graphs_are_drawn_where_they_are_known_to_stand():
    grid = mc.generate("grid", 4, 4)
    assert len(elements(grid._repr_svg_(), "path")) == 2  # edges and vertices
    tiling = mc.sample_matchings(grid, seed=3)
    dominoes = mc.picture(grid, tiling)
    assert sum(path.get("d").count("M") for path in elements(dominoes.svg, "path")) == 8
    assert dominoes.svg == mc.picture(grid, tiling[0]).svg
    by_names = mc.picture([((2 * x, 3 * y), (2 * x, 3 * y + 3)) for x in range(4) for y in range(3)], kind="undirected")
    circles = {(float(c.get("cx")), float(c.get("cy"))) for c in elements(by_names.svg, "circle")}
    assert len({x for x, _ in circles}) == len({y for _, y in circles}) == 4
    moved = mc.picture([("a", "x")], pos={"a": (0, 0), "x": (0, 5)})
    (a, x) = elements(moved.svg, "circle")
    assert a.get("cx") == x.get("cx") and float(a.get("cy")) > float(x.get("cy"))
    with pytest.raises(mc.InputError, match="pos without"):
        mc.picture([("a", "x")], pos={"a": (0, 0)})
    with pytest.raises(mc.InputError, match="not finite"):
        str(mc.picture([("a", "x")], pos={"a": (0, 0), "x": (0, float("nan"))}).svg)


def test_a_file_says_where_its_lattice_stands(tmp_path):
    file = tmp_path / "grid.txt"
    file.write_text("# layout: grid 2 2\n1 1\n1 2\n2 1\n2 2\n")
    found = mc.read(file, kind="bipartite")
    assert mc.picture(found, [(1, 1), (2, 2)]).svg == mc.picture(mc.generate("grid", 2, 2), [(0, 0), (1, 1)]).svg
    assert pickle.loads(pickle.dumps(found))._repr_svg_() == found._repr_svg_()
    assert mc.Graph(found, ["a", "b"], ["c", "d"])._repr_svg_().count("<text") == 4


def test_matchings_of_different_sizes_stand_side_by_side():
    path = [(0, 1), (1, 2), (2, 3)]
    svg = mc.picture(path, [[], [(0, 1)], [(0, 1), (2, 3)]], kind="undirected").svg
    assert svg.count("translate(") == 2
    assert mc.picture(path, kind="undirected").svg == mc.picture(path, [], kind="undirected").svg
    with pytest.raises(mc.InputError):
        mc.picture(path, [(0, 3)], kind="undirected")


def test_notebooks_show_answers_and_nothing_of_what_is_too_large():
    grid = mc.generate("grid", 4, 4)
    for answer in (mc.marginals(grid), mc.sample_matchings(grid, 2, full_output=True), mc.decompose(grid),
                   mc.marginals(grid, estimate=True)):
        assert elements(answer._repr_svg_(), "path")
        assert mc.picture(answer).svg if not isinstance(answer, mc.Decomposition) else answer.graph == grid
    assert mc.marginals([("a", 1), ("b", 1)], exact=True)._repr_svg_() is None
    assert mc.generate("grid", 60, 60)._repr_svg_() is None
    assert mc.generate("random", 0, 0, 0.5)._repr_svg_() is None


def test_results_and_plans_say_what_was_weighed_predicted_and_taken():
    given = [(i, j) for i in range(4) for j in range(4)] + [("p", "q"), ("p", "r"), ("s", "q"), ("s", "r")]
    found = mc.count_perfect_matchings(given, kind="bipartite", full_output=True, reduce=False)
    assert found.value == 48
    assert len(found.blocks) == len(found.plan.blocks) == 2
    assert 0 < sum(block.seconds for block in found.blocks) <= found.seconds.count <= found.seconds.total
    assert "2 blocks" in found.explain() and "block 2: " in found.explain() and "predicted" in found.explain()
    assert found._repr_html_().count("<svg") == found.plan._repr_html_().count("<svg") == 1
    assert pickle.loads(pickle.dumps(found)).explain() == found.explain()
    assert "counting" in mc.determinant([[1, 2], [3, 4]], full_output=True).explain()


@pytest.mark.parametrize("made", [
    [("a", 1, 2), ("a", 2, 3), ("b", 1, 5)], mc.generate("complete", 5), mc.generate("grid", 3, 3),
    mc.generate("hexagon", 2, 2, 2, weights="uniform"), mc.generate("random", 3, 5, 0.5, weights=(2, 9)),
])
def test_graphs_come_back_from_other_packages(made):
    pytest.importorskip("rustworkx"), pytest.importorskip("igraph"), pytest.importorskip("scipy")
    expected = mc.count_matchings(made, "all", weighted=True)
    for back in (mc.to_networkx(made), mc.to_rustworkx(made), mc.to_igraph(made)):
        found = mc.count_matchings(back, "all", weighted=True)
        assert abs(found - expected) <= 1e-12 * abs(expected)
    kind = "undirected" if isinstance(made, mc.Graph) and made.kind == "undirected" else "bipartite"
    found = mc.count_matchings(mc.to_scipy(made), "all", weighted=True, kind=kind)
    assert abs(found - expected) <= 1e-12 * abs(expected)


def test_digraphs_come_back_and_fractions_have_no_array():
    from fractions import Fraction
    arcs = nx.DiGraph([("x", "y"), ("y", "x"), ("x", "x"), ("y", "y")])
    assert set(mc.to_networkx(arcs).edges) == set(arcs.edges)
    assert mc.count_cycle_covers(mc.to_scipy(arcs)) == 2
    with pytest.raises(mc.InputError, match="exact weights"):
        mc.to_scipy([("a", 1, Fraction(1, 3))])


def test_matplotlib_draws_what_the_svg_shows():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    grid = mc.generate("grid", 4, 4)
    ax = mc.picture(grid, mc.sample_matchings(grid, seed=3)).draw()
    edges, chosen = ax.collections
    assert len(edges.get_segments()) == 24 and len(chosen.get_segments()) == 8
    torus = mc.picture(mc.marginals(mc.generate("torus", 4, 4))).draw(matplotlib.figure.Figure().gca())
    assert all(abs(x - u) + abs(y - v) == 1 for (x, y), (u, v) in torus.collections[0].get_segments())


def test_molecules_are_taken_and_their_bonds_have_orders():
    Chem = pytest.importorskip("rdkit.Chem")
    naphthalene = Chem.MolFromSmiles("c1ccc2ccccc2c1")
    assert mc.count_perfect_matchings(naphthalene) == 3
    orders = mc.molecules.bond_orders(naphthalene)
    assert sorted(round(order, 12) for order in orders) == [round(1 + k / 3, 12) for k in [1] * 7 + [2] * 4]
    shared = naphthalene.GetBondBetweenAtoms(3, 8).GetIdx()
    assert abs(orders[shared] - 4 / 3) < 1e-12
    assert mc.molecules.bond_orders(Chem.MolFromSmiles("CC(=O)C#N")) == [1, 2, 1, 3]
    furan = mc.molecules.bond_orders(Chem.MolFromSmiles("c1ccoc1"))
    assert sorted(furan) == [1, 1, 1, 2, 2]
    assert mc.molecules.svg(naphthalene).count("class='note'") >= 11
    assert len(elements(mc.picture(naphthalene).svg, "circle")) == 10
    with pytest.raises(mc.InputError):
        mc.picture(naphthalene, kind="bipartite")
