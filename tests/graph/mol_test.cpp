// Molecules drawn by hand.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "graph/column_sets.hpp"
#include "graph/formats.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

const InputOptions mol = as(InputFormat::mol);

struct Bond {
  int first;
  int second;
  int type;
};

struct Molecule {
  std::vector<std::string> atoms;
  std::vector<Bond> bonds;
};

std::string formatted(const char* format, int a, int b, int c) {
  char line[64];
  std::snprintf(line, sizeof line, format, a, b, c);
  return line;
}

std::string v2000(const Molecule& molecule, const std::string& properties = "") {
  std::string text = "name\n  program\ncomment\n";
  text += formatted("%3d%3d%3d", static_cast<int>(molecule.atoms.size()), static_cast<int>(molecule.bonds.size()), 0) +
          "  0  0  0  0  0  0999 V2000\n";
  for (const std::string& atom : molecule.atoms) {
    text += "    1.2124    0.7000    0.0000 " + atom + std::string(3 - atom.size(), ' ') + " 0  0  0  0\n";
  }
  for (const Bond& bond : molecule.bonds) text += formatted("%3d%3d%3d", bond.first, bond.second, bond.type) + "  0\n";
  return text + properties + "M  END\n";
}

std::string v3000(const Molecule& molecule, const std::string& behind_bonds = "") {
  std::string text = "\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n";
  text += "M  V30 COUNTS " + std::to_string(molecule.atoms.size()) + " " + std::to_string(molecule.bonds.size()) +
          " 0 0 0\nM  V30 BEGIN ATOM\n";
  for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
    text += "M  V30 " + std::to_string(i + 1) + " " + molecule.atoms[i] + " 1.5 -0.5 0 0 CHG=0\n";
  }
  text += "M  V30 END ATOM\n";
  if (!molecule.bonds.empty()) {
    text += "M  V30 BEGIN BOND\n";
    int number = 0;
    for (const Bond& bond : molecule.bonds) {
      text += "M  V30 " + std::to_string(++number) + formatted(" %d %d %d", bond.type, bond.first, bond.second) + "\n";
    }
    text += "M  V30 END BOND\n";
  }
  return text + behind_bonds + "M  V30 END CTAB\nM  END\n";
}

// Makes a ring of carbons, double bonds on every second side.
Molecule ring(int size) {
  Molecule molecule;
  for (int i = 1; i <= size; ++i) {
    molecule.atoms.push_back("C");
    molecule.bonds.push_back({i, i % size + 1, 1 + i % 2});
  }
  return molecule;
}

Molecule naphthalene() {
  Molecule molecule = ring(10);
  molecule.bonds.push_back({1, 6, 1});
  return molecule;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != text.npos);
  return text.replace(text.find(from), from.size(), to);
}

Input read_mol(const std::string& text, InputOptions options = mol) { return read_input_text(text, "test", options); }

}  // namespace

TEST_CASE("molecules: benzene has 2 Kekule structures and naphthalene 3, hydrogen drawn or not, in both versions") {
  Molecule with_hydrogen = ring(6);
  for (int i = 1; i <= 6; ++i) {
    with_hydrogen.atoms.push_back(i == 1 ? "D" : i == 2 ? "T" : "H");
    with_hydrogen.bonds.push_back({i, 6 + i, 1});
  }
  Molecule aromatic = ring(6);
  for (Bond& bond : aromatic.bonds) bond.type = 4;
  for (const Molecule& benzene : {ring(6), with_hydrogen, aromatic}) {
    for (const std::string& text : {v2000(benzene), v3000(benzene)}) {
      CAPTURE(text);
      const Input input = read_input_text(text, "drawn");
      CHECK(input.format == InputFormat::mol);
      CHECK(input.kind == InputKind::undirected);
      CHECK(input.graph.num_edges() == 6);
      CHECK(input.graph.weight_kind() == WeightKind::none);
      CHECK(count_by_column_sets(input.graph) == 2);
      CHECK(row_names(input) == NameList{"C1", "C3", "C5"});
    }
  }
  CHECK(count_by_column_sets(read_mol(v2000(naphthalene())).graph) == 3);
  CHECK(count_by_column_sets(read_mol(v3000(naphthalene())).graph) == 3);
  // Hydrogen before the others does not move their numbers; an element is one in any case of its letters.
  InputOptions skeleton = mol;
  skeleton.skeleton = true;
  const Input moved = read_mol(v2000({{"H", "CL", "N", "C"}, {{1, 3, 1}, {2, 3, 1}, {3, 4, 3}}}), skeleton);
  CHECK(named_edges(moved) == NamedEdges{{"Cl2", "N3"}, {"C4", "N3"}});
}

TEST_CASE("molecules: atoms without double bonds are no vertices, or by --skeleton are") {
  Molecule toluene = ring(6), phenol = ring(6);
  toluene.atoms.push_back("C");
  toluene.bonds.push_back({1, 7, 1});
  phenol.atoms.push_back("O");
  phenol.bonds.push_back({1, 7, 1});
  const Molecule pyrrole{{"N", "C", "C", "C", "C"}, {{1, 2, 1}, {2, 3, 2}, {3, 4, 1}, {4, 5, 2}, {5, 1, 1}}};
  // N1 to C3 in the ring of six, C8 behind, the oxygens 11 and 12, the methyl groups 13 to 15.
  const Molecule caffeine{{"N", "C", "N", "C", "C", "C", "N", "C", "N", "O", "O", "C", "C", "C"},
                          {{1, 2, 1},
                           {2, 3, 1},
                           {3, 4, 1},
                           {4, 5, 2},
                           {5, 6, 1},
                           {6, 1, 1},
                           {5, 7, 1},
                           {7, 8, 1},
                           {8, 9, 2},
                           {9, 4, 1},
                           {2, 10, 2},
                           {6, 11, 2},
                           {1, 12, 1},
                           {3, 13, 1},
                           {7, 14, 1}}};
  InputOptions skeleton = mol;
  skeleton.skeleton = true;
  skeleton.odd_cycles = true;
  for (const auto& [molecule, atoms, structures] :
       {std::tuple(toluene, 6, 2), {phenol, 6, 2}, {pyrrole, 4, 1}, {caffeine, 8, 1}}) {
    for (const std::string& text : {v2000(molecule), v3000(molecule)}) {
      const Input input = read_mol(text);
      CAPTURE(text);
      CHECK(static_cast<int>(input.graph.num_rows() + input.graph.num_columns()) == atoms);
      CHECK(count_by_column_sets(input.graph) == structures);
      const Input whole = read_mol(text, skeleton);
      CHECK(whole.num_edges() == molecule.bonds.size());
    }
  }
  CHECK(count_by_column_sets(read_mol(v2000(toluene), skeleton).graph) == 0);
}

TEST_CASE("molecules: two double bonds at an atom stay, a triple bond is laid anew in part") {
  const Molecule allene{{"C", "C", "C", "C", "C"}, {{1, 2, 2}, {2, 3, 1}, {3, 4, 2}, {4, 5, 2}}};
  CHECK(named_edges(read_mol(v2000(allene))) == NamedEdges{{"C1", "C2"}});
  Molecule sulfone = ring(6);
  sulfone.atoms.insert(sulfone.atoms.end(), {"S", "O", "O", "C"});
  sulfone.bonds.insert(sulfone.bonds.end(), {{1, 7, 1}, {7, 8, 2}, {7, 9, 2}, {7, 10, 1}});
  CHECK(count_by_column_sets(read_mol(v2000(sulfone)).graph) == 2);
  Molecule nitrile = ring(6);
  nitrile.atoms.insert(nitrile.atoms.end(), {"C", "N"});
  nitrile.bonds.insert(nitrile.bonds.end(), {{1, 7, 1}, {7, 8, 3}});
  CHECK(count_by_column_sets(read_mol(v2000(nitrile)).graph) == 2);
  Molecule aryne = ring(6);
  aryne.bonds[0].type = 3;
  aryne.bonds[1].type = 1;
  aryne.bonds[5].type = 1;
  CHECK(count_by_column_sets(read_mol(v2000(aryne)).graph) == 2);
  // Carbon dioxide has one structure.
  CHECK(read_mol(v2000({{"O", "C", "O"}, {{1, 2, 2}, {2, 3, 2}}})).graph.num_rows() == 0);
}

TEST_CASE("molecules: what may have double bonds that are not drawn is refused, with the option that takes it") {
  Molecule cyclohexane = ring(6), pyridine = ring(6);
  for (Bond& bond : cyclohexane.bonds) bond.type = 1;
  for (Bond& bond : pyridine.bonds) bond.type = 4;
  pyridine.atoms[2] = "N";
  InputOptions skeleton = mol;
  skeleton.skeleton = true;
  for (const Molecule& molecule : {cyclohexane, pyridine, Molecule{{"C"}, {}}}) {
    for (const std::string& text : {v2000(molecule), v3000(molecule)}) {
      CHECK_THROWS_WITH(read_mol(text), ContainsSubstring("--skeleton"));
      CHECK(read_mol(text, skeleton).num_edges() == molecule.bonds.size());
    }
  }
}

TEST_CASE("molecules: the first line is the title") {
  CHECK(read_mol(v2000(ring(6))).title == "name");
  CHECK(read_mol(v3000(ring(6))).title.empty());
}

TEST_CASE("molecules: more than 99 atoms fill their columns") {
  const Input input = read_mol(v2000(ring(130)));
  CHECK(input.graph.num_edges() == 130);
  CHECK(named_edges(input).contains({"C1", "C130"}));
}

TEST_CASE("molecules: properties, charges and groups are of no meaning, a line may go on in the next") {
  CHECK(read_mol(v2000(ring(6), "M  CHG  1   1   1\nM  ISO  1   2  13\nA    1\nx\nV    1 y\nS  SKP  2\n1\n2\n\n"))
            .graph.num_edges() == 6);
  const std::string groups =
      "M  V30 BEGIN SGROUP\nM  V30 1 SUP 1 ATOMS=(2 1 2) LABEL=\"x\"\nM  V30 END SGROUP\nM  V30 BEGIN COLLECTION\n"
      "M  V30 END COLLECTION\n";
  CHECK(read_mol(v3000(ring(6), groups)).graph.num_edges() == 6);
  const std::string folded = replaced(v3000(ring(6)), "M  V30 2 C 1.5 ", "M  V30 2 -\nM  V30 C 1.5-\nM  V30  ");
  CHECK(read_mol(folded).graph.num_edges() == 6);
  // Atoms may have any numbers.
  std::string numbered = replaced(v3000({{"C", "C"}, {{1, 2, 2}}}), "M  V30 2 C", "M  V30 17 C");
  numbered = replaced(numbered, "M  V30 1 2 1 2", "M  V30 1 2 1 17");
  CHECK(named_edges(read_mol(numbered)) == NamedEdges{{"C1", "C17"}});
  InputOptions skeleton = mol;
  skeleton.skeleton = true;
  CHECK(read_mol(v3000({{"C"}, {}}), skeleton).graph.num_rows() == 1);
}

TEST_CASE("an SDF holds molecules one after another, and a bad one does not hide those behind it") {
  const std::string text = v2000(ring(6)) + "> <NAME>\nM  END\n\n$$$$\n" +
                           replaced(v2000(ring(4)), "  1  2  2", "  1  2  9") + "$$$$\r\n" + v3000(naphthalene()) +
                           "\n";
  InputSequence sequence = InputSequence::from_text(text, "test");
  CHECK(sequence.has_several());
  CHECK(sequence.next()->graph.num_edges() == 6);
  try {
    sequence.next();
    FAIL("it was accepted");
  } catch (const InputError& error) {
    CHECK(sequence.position() == 2);
    // 17 lines and 4 of the first molecule, then 3 of header, the counts, 4 atoms.
    CHECK(error.line() == 4 + 6 + 6 + 1 + 4 + 4 + 4 + 1);
    CHECK_THAT(error.found(), ContainsSubstring("a bond of type 9 in graph 2 (name)"));
    CHECK(sequence.title() == "name");
  }
  CHECK(sequence.next()->graph.num_edges() == 11);
  CHECK_FALSE(sequence.next());
  check_refused(text, mol, 0, "a file of 3 graphs", "one graph");
  CHECK(read_all(v2000(ring(6)) + "$$$$\n\n\n", mol).size() == 1);
  CHECK(read_input_text(v2000(ring(6)), "a.sdf").format == InputFormat::mol);
  CHECK(from_string<InputFormat>("sdf") == InputFormat::mol);
  CHECK(read_input_text("a x\nb y\na z\nd V2000\n", "a.txt").format == InputFormat::edge_list);
}

TEST_CASE("molecules: what is no atom, no bond, or no whole molecule is refused with its line") {
  const std::string benzene = v2000(ring(6));
  const auto check = [](const std::string& text, std::uint64_t line, const std::string& found,
                        const std::string& expected) { check_refused(text, mol, line, found, expected); };
  for (const std::string symbol : {"A", "Q", "*", "R#", "L", "LP", "Xx", "Du"}) {
    check(replaced(benzene, " C  ", " " + symbol + std::string(3 - symbol.size(), ' ')), 5, "the atom '" + symbol + "'",
          "an element");
  }
  for (const std::string type : {"  0", "  5", "  8", "  9", " 10"}) {
    check(replaced(benzene, "  1  2  2", "  1  2" + type), 11, "a bond of type", "4 (aromatic)");
  }
  check(replaced(benzene, "  1  2  2", "  1  7  2"), 11, "a bond at atom 7", "the number of an atom");
  check(replaced(benzene, "  1  2  2", "  1  0  2"), 11, "a bond at atom 0", "the number of an atom");
  check(replaced(benzene, "  1  2  2", "  1  1  2"), 11, "a bond from atom 1 to itself", "two atoms");
  check(replaced(benzene, "  1  2  2", "  3  2  2"), 12, "C2 C3 again, after line 11", "every edge once");
  check(replaced(benzene, "  1  2  2", "1 2 2"), 11, "columns 1 to 3", "an atom there");
  check(replaced(benzene, "  6  6  0", "  7  6  0"), 11, "'  1  2  2  0'", "an atom");
  check(replaced(benzene, "  6  6  0", "  6  5  0"), 16, "behind the bonds", "a property or 'M  END'");
  check(replaced(benzene, "  6  6  0", "     6  0"), 4, "columns 1 to 3", "a number of atoms");
  check(replaced(benzene, "V2000", "V1000"), 4, "V1000", "'V2000' or 'V3000'");
  check(replaced(benzene, "M  END\n", ""), 17, "the end of the molecule", "'M  END'");
  check(benzene + benzene, 18, "'name' behind 'M  END'", "'$$$$'");
  check("a\nb\n", 3, "the end of the molecule", "three lines of header");
  check("a\nb\n\n", 4, "the end of the molecule", "a counts line");
  check("a\nb\n\n\n", 4, "''", "a counts line");
  check(v2000({{"H", "H"}, {{1, 2, 1}}}), 8, "hydrogen alone", "an atom other");
  check(v2000({{}, {}}), 5, "without an atom", "an atom other");
}

TEST_CASE("molecules: V3000 that is not whole is refused with its line") {
  const std::string benzene = v3000(ring(6));
  const auto check = [&](const std::string& from, const std::string& to, std::uint64_t line, const std::string& found,
                         const std::string& expected) {
    check_refused(replaced(benzene, from, to), mol, line, found, expected);
  };
  check("BEGIN CTAB", "BEGIN X", 5, "'BEGIN X'", "BEGIN CTAB");
  check("COUNTS 6 6 0 0 0", "COUNTS 6", 6, "the end of the line", "a number of bonds");
  check("COUNTS 6 6", "COUNTS six 6", 6, "'six'", "a number of atoms");
  check("COUNTS 6 6", "COUNTS 7 6", 14, "'END'", "the number of an atom");
  check("COUNTS 6 6", "COUNTS 5 6", 13, "'6 C", "END ATOM");
  check("COUNTS 6 6", "COUNTS 6 0", 16, "'1 2 1 2'", "END BOND");
  check("2 C 1.5", "1 C 1.5", 9, "the atom 1 again", "once");
  check("2 C 1.5", "0 C 1.5", 9, "the atom 0", "from 1");
  check("2 C 1.5", "2 [C,N] 1.5", 9, "the atom '[C,N]'", "an element");
  check("M  V30 2 C 1.5", "M V30 2 C 1.5", 9, "'M V30", "'M  V30 ...'");
  check(" 1 2 1 2", " 1 9 1 2", 16, "a bond of type 9", "4 (aromatic)");
  check(" 1 2 1 2", " 1 2 1 8", 16, "a bond at atom 8", "an atom");
  check(" 1 2 1 2", " 1 2 1 2 ENDPTS=(2 1 2)", 16, "several ends", "two atoms");
  check(" 1 2 1 2", " 1 2 1", 16, "the end of the line", "an atom");
  check("M  END", "M  V30 BEGIN TEMPLATE", 24, "BEGIN TEMPLATE", "'M  END'");
  check("M  V30 END CTAB\nM  END\n", "", 23, "the end of the molecule", "'M  V30 ...'");
  check("M  V30 END CTAB", "M  V30 BEGIN ATOM", 23, "again", "one table");
}

TEST_CASE("MOL2: the bonds that may lay double bonds anew, by their types, several molecules a file") {
  const auto molecule = [](const std::string& atoms, const std::string& bonds, const std::string& counts) {
    return "@<TRIPOS>MOLECULE\nname\n" + counts + "\nSMALL\n\n@<TRIPOS>ATOM\n" + atoms + "@<TRIPOS>BOND\n" + bonds;
  };
  const std::string four = "1 a 0 0 0 C.2\n2 b 1 0 0 C.2 1 X 0.1\n3 c 2 0 0 C.2\n4 d 3 0 0 C.2\n";
  const std::string butadiene = molecule(four, "1 1 2 2\n2 2 3 1\n3 3 4 2\n", "4 3 0 0 0");
  const Input input = read_input_text(butadiene, "test", usual(undirected));
  CHECK((input.format == InputFormat::mol2 && input.title == "name"));
  CHECK(named_edges(input) == NamedEdges{{"C1", "C2"}, {"C3", "C2"}, {"C3", "C4"}});
  CHECK(read_all("# made\n" + butadiene + butadiene, usual(undirected)).size() == 2);
  const auto refused = [&](const std::string& text, std::uint64_t line, const std::string& found) {
    check_refused(text, usual(undirected), line, found, "");
  };
  refused(molecule(four, "1 1 2 2\n", "4 3"), 12, "4 atoms and 1 bond");
  refused(molecule(four, "1 1 2 du\n", "4 1"), 12, "a bond of type 'du'");
  refused(molecule(four, "1 1 5 2\n", "4 1"), 12, "a bond at atom 5");
  refused(molecule("1 a 0 0 0 Du\n", "", "1 0"), 7, "the atom 'Du'");
  refused(molecule("1 a 0 0 0\n", "", "1 0"), 7, "the end of the line");
}

TEST_CASE("MOL2: types of atoms settle whether nitrogen, oxygen and sulphur in aromatic bonds have a double bond") {
  // A ring of aromatic bonds, with hydrogen at the atoms named.
  const auto ring_of = [](const std::vector<std::string>& types, const std::vector<int>& with_hydrogen) {
    std::string atoms, bonds;
    const int size = static_cast<int>(types.size());
    int num_atoms = size, num_bonds = 0;
    for (int i = 1; i <= size; ++i)
      atoms += std::to_string(i) + " x 0 0 0 " + types[static_cast<std::size_t>(i - 1)] + "\n";
    for (int i = 1; i <= size; ++i) bonds += std::to_string(++num_bonds) + formatted(" %d %d ar\n", i, i % size + 1, 0);
    for (const int at : with_hydrogen) {
      atoms += std::to_string(++num_atoms) + " h 0 0 0 H\n";
      bonds += std::to_string(++num_bonds) + formatted(" %d %d 1\n", at, num_atoms, 0);
    }
    return "@<TRIPOS>MOLECULE\nring\n" + std::to_string(num_atoms) + " " + std::to_string(num_bonds) +
           "\n@<TRIPOS>ATOM\n" + atoms + "@<TRIPOS>BOND\n" + bonds;
  };
  const std::string c = "C.ar";
  const auto structures = [](const std::string& text) {
    return count_by_column_sets(read_input_text(text, "test", usual(undirected)).graph);
  };
  CHECK(structures(ring_of({"N.ar", c, c, c, c, c}, {2, 3, 4, 5, 6})) == 2);   // pyridine
  CHECK(structures(ring_of({"N.ar", c, "N.2", c, c, c}, {2, 4, 5, 6})) == 2);  // pyrimidine
  CHECK(structures(ring_of({"N.pl3", c, c, c, c}, {1, 2, 3, 4, 5})) == 1);     // pyrrole
  CHECK(structures(ring_of({"O.2", "C.2", c, c, "C.2"}, {2, 3, 4, 5})) == 1);  // furan
  CHECK(structures(ring_of({"S.3", c, c, c, c}, {})) == 1);                    // thiophene
  const Input pyrrole = read_input_text(ring_of({"N.pl3", c, c, c, c}, {1}), "test", usual(undirected));
  REQUIRE(pyrrole.notes.size() == 1);
  CHECK_THAT(pyrrole.notes[0], ContainsSubstring("1 atom beside hydrogen left out"));
  for (const std::string& text :
       {ring_of({"N.ar", c, c, c, c, c}, {}), ring_of({"N.ar", c, c, c, c}, {1, 2}), ring_of({"N.ar", c, c, c, c}, {2}),
        ring_of({"O.2", c, c, c, c, c}, {2}), ring_of({"N.4", c, c, c, c, c}, {2})})
    check_refused(text, usual(undirected), 0 + static_cast<std::uint64_t>(std::ranges::count(text, '\n')),
                  "aromatic bonds at", "--skeleton");
}

TEST_CASE("XYZ: bonds are found by distance, and doubtful ones refused") {
  // Benzene.
  std::string benzene = "12\nbenzene\n";
  for (const auto& [symbol, radius] : {std::pair("C", 1.396), std::pair("H", 2.479)}) {
    for (int i = 0; i < 6; ++i) {
      const double angle = 3.14159265358979 * i / 3;
      benzene += std::string(symbol) + " " + std::to_string(radius * std::cos(angle)) + " " +
                 std::to_string(radius * std::sin(angle)) + " 0.0\n";
    }
  }
  const Input input = read_input_text(benzene, "test", usual(undirected));
  CHECK((input.format == InputFormat::xyz && input.title == "benzene" && input.num_edges() == 6));
  REQUIRE(input.notes.size() == 1);
  CHECK_THAT(input.notes[0], ContainsSubstring("found by distance"));
  CHECK(read_all(benzene + benzene, usual(undirected)).size() == 2);
  InputOptions skeleton = usual(undirected);
  skeleton.skeleton = true;
  CHECK(read_input_text("3\nwater\nO 0.0 0.0 0.1\nH 0.0 0.76 -0.5\nH 0.0 -0.76 -0.5\n", "test", skeleton).num_edges() ==
        0);
  CHECK(read_input_text("2\n\nC 0.0 0.0 0.0\nO 1.2 0.0 0.0\n", "test", skeleton).num_edges() == 1);
  const auto refused = [](const std::string& text, std::uint64_t line, const std::string& found,
                          bool is_skeleton = true) {
    InputOptions options = usual(undirected);
    options.skeleton = is_skeleton;
    options.format = InputFormat::xyz;
    check_refused(text, options, line, found, "");
  };
  refused("2\n\nC 0.0 0.0 0.0\nC 1.95 0.0 0.0\n", 4, "C1 and C2 1.950000 angstrom apart");
  refused("2\n\nC 0.0 0.0 0.0\nC 0.1 0.0 0.0\n", 4, "C1 and C2 0.100000 angstrom apart");
  refused("2\n\nC 0.0 0.0 0.0\nFe 1.9 0.0 0.0\n", 4, "Fe2, whose bonds no distance tells");
  refused("2\n\nC 0.0 0.0 0.0\nO 1.2 0.0 0.0\n", 4, "C1 with 1 neighbour", false);
  refused("2\n\nC 0.0 0.0 0.0\n", 4, "the end of the molecule");
  refused("1\n\nC 0.0 x 0.0\n", 3, "an atom without a place");
  refused("1\n\nXx 0.0 0.0 0.0\n", 3, "the atom 'Xx'");
  refused("x\n\nC 0.0 0.0 0.0\n", 1, "'x'");
}
