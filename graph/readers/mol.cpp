// Molecules after "CTfile Formats" (BIOVIA, 2020): MOL files V2000 and V3000, and SDF, in which "$$$$" ends every
// molecule. A vertex is an atom with a double, triple or aromatic bond, and an edge a bond between two of them, be it
// single, double, triple or aromatic: so the perfect matchings are the ways to lay the double bonds anew, such that
// every atom that has one keeps one. That is the number of Kekule structures of toluene, phenol or pyrrole as of
// benzene; charges stay where they are drawn. Of a triple bond one part of two is laid anew. An atom with two double
// bonds, as in allenes and sulfones, keeps them, and what they lead to is no vertex either. Aromatic bonds say of
// carbon alone that it has a double bond: for others it depends on hydrogen and charges, and they are refused, unless
// a type of MOL2 settles it. So is a
// molecule without such bonds, whose drawing may leave them out. By InputOptions::skeleton all atoms but hydrogen are
// vertices and all bonds between them edges. x and y of the atoms are kept for pictures where all have them, and the
// first line is the molecule's title. Charges, isotopes, stereochemistry and groups have no meaning here. Vertices are
// named by element and number in the file: C1, C2, N3.
//
// Bonds that are no bonds between two atoms, or may be none, are refused: queries (5 to 8), coordination (9), hydrogen
// bonds (10). Whether such a pair may hold a double bond is for the file's owner to say.
//
// MOL2 files (Tripos, "Mol2 File Format", 2007) are read likewise; amide bonds are single. Where bonds are aromatic,
// the types N.pl3, N.am, N.3, O.3 and S.3 say that the atom has no double bond, and so do O.2 and S.2 in a ring of
// five, as of furan. N.ar and N.2 of two neighbours have one, if the file has hydrogen, which would tell that of
// pyrrole. XYZ files, of one or several molecules, have atoms in space alone: the number of atoms, a comment, a line
// with symbol and places in angstrom for each. Two atoms are bonded where they are at most 0.3 angstrom farther apart
// than their covalent radii make (Cordero and others 2008, doi:10.1039/b801115j), and refused up to 0.6. No bond is
// known to be double, but carbon atoms of three neighbours have one; without InputOptions::skeleton other atoms than
// carbon and hydrogen are refused.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "graph/readers/readers.hpp"
#include "graph/readers/readings.hpp"

namespace matchcount::readers {
namespace {

constexpr std::string_view record_end = "$$$$", tripos_head = "@<TRIPOS>MOLECULE";
constexpr Vertex left_out = std::numeric_limits<Vertex>::max();
constexpr std::uint64_t single_bond = 1, double_bond = 2, triple_bond = 3, aromatic_bond = 4;

struct Atom {
  std::string name;
  std::optional<Point> place;
  double depth = 0, radius = 0;  // of XYZ
  bool is_hydrogen = false, is_carbon = false;
  std::string type;       // of MOL2
  int num_hydrogens = 0;  // bonded to it
  std::uint64_t bonds_of_type[aromatic_bond + 1] = {};
  bool keeps_its_bonds = false;  // two double bonds, or one to such an atom
  Vertex vertex = left_out;
  bool is_conjugated() const {
    return !keeps_its_bonds &&
           bonds_of_type[double_bond] + bonds_of_type[triple_bond] + bonds_of_type[aromatic_bond] > 0;
  }
};

struct Bond {
  std::size_t first, second;  // places of atoms
  std::uint64_t type, line;
};

// Gives the covalent radius of an element in angstrom, 0 where distances do not tell its bonds.
double covalent_radius(std::string_view element) {
  constexpr std::pair<std::string_view, double> radii[] = {
      {"H", 0.31}, {"D", 0.31}, {"T", 0.31},  {"B", 0.84},  {"C", 0.76},  {"N", 0.71},  {"O", 0.66}, {"F", 0.57},
      {"P", 1.07}, {"S", 1.05}, {"Cl", 1.02}, {"Si", 1.11}, {"Se", 1.20}, {"Br", 1.20}, {"I", 1.39}};
  const auto* const found = std::ranges::find(radii, element, &std::pair<std::string_view, double>::first);
  return found == std::end(radii) ? 0 : found->second;
}

// Reads a coordinate; nothing if it is no finite number: no answer depends on it.
std::optional<double> coordinate(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  return is_whole ? std::optional(value) : std::nullopt;
}

// Returns a title as messages have it: bytes that are no UTF-8 as \xe9.
std::string title_of(std::string_view line) {
  if (is_utf8(line)) return printable(std::string(line));
  std::string title;
  for (const char& c : line) title += (c & 0x80) == 0 ? std::string(1, c) : in_quotes({&c, 1}).substr(1, 4);
  return printable(title);
}

// The lines of one molecule.
class MolReader {
 public:
  explicit MolReader(const Source& source)
      : source_(source),
        text_(source.text),
        p_(source.part.begin),
        next_line_(source.part.line),
        is_skeleton_(source.options.skeleton),
        parsed_(source) {}
  Parsed read() {
    parsed_.shape = Parsed::Shape::undirected;
    source_.format == InputFormat::xyz ? read_xyz() : source_.format == InputFormat::mol2 ? read_mol2() : read_ctfile();
    make_graph();
    return std::move(parsed_);
  }

 private:
  void read_ctfile() {
    for (int i = 0; i < 3; ++i) next("three lines of header and the counts line");  // title, program, comment
    constexpr const char* counts_line = "a counts line with 'V2000' or 'V3000' at its end, the fourth of the molecule";
    const std::string_view counts = trimmed(next(counts_line));
    const char* const begin = counts.data();
    const std::string_view version = counts.substr(counts.size() - std::min<std::size_t>(5, counts.size()));
    if (version == "V2000") {
      // Leading blanks are part of the columns.
      const char* start = begin;
      while (start != text_.begin() && start[-1] != '\n') --start;
      read_v2000({start, static_cast<std::size_t>(begin + counts.size() - start)});
    } else if (version == "V3000") {
      read_v3000();
    } else {
      fail(in_quotes(counts), counts_line);
    }
    read_end();
  }

  void read_xyz() {
    constexpr const char* expected = "the number of atoms, a comment and a line for every atom";
    const std::string_view count = trimmed(next(expected));
    const auto num_atoms = parse_natural(count);
    if (!num_atoms) fail(in_quotes(count), expected);
    next(expected);  // the title
    for (std::uint64_t atom = 1; atom <= *num_atoms; ++atom) {
      std::string_view rest = next(expected);
      const std::string_view symbol = take_word(rest), x = take_word(rest), y = take_word(rest), z = take_word(rest);
      add_atom(atom, symbol, x, y);
      if (!atoms_.back().place || !coordinate(z)) fail("an atom without a place", "a symbol and three coordinates");
      atoms_.back().depth = *coordinate(z);
    }
    find_bonds();
    parsed_.notes.push_back(
        "its bonds are found by distance: up to 0.3 angstrom more than the covalent radii of two atoms" +
        std::string(is_skeleton_ ? "" : "; carbon atoms of three neighbours are taken to have double bonds"));
  }
  void find_bonds() {
    constexpr double sure = 0.3, doubtful = 0.6, most_radii = 2.8;
    std::vector<std::size_t> order, num_neighbours(atoms_.size(), 0);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      order.push_back(i);
      atoms_[i].radius = covalent_radius(atoms_[i].name.substr(0, atoms_[i].name.find_first_of("0123456789")));
      if (atoms_[i].radius == 0) fail(atoms_[i].name + ", whose bonds no distance tells", "a MOL file of the molecule");
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return atoms_[i].place->x; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Atom& one = atoms_[order[i]];
      text_.check();
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        const Atom& other = atoms_[order[j]];
        if (other.place->x - one.place->x > most_radii + doubtful) break;
        const double distance =
            std::hypot(other.place->x - one.place->x, other.place->y - one.place->y, other.depth - one.depth);
        const double excess = distance - one.radius - other.radius;
        if (excess > doubtful) continue;
        if (excess > sure || distance < 0.5)
          fail(one.name + " and " + other.name + " " + std::to_string(distance) + " angstrom apart",
               "a distance that says whether there is a bond, or a MOL file of the molecule");
        pairs.push_back(std::minmax(order[i], order[j]));
        for (const std::size_t end : {order[i], order[j]}) ++num_neighbours[end];
      }
    }
    for (std::size_t i = 0; i < atoms_.size() && !is_skeleton_; ++i) {
      if (atoms_[i].is_hydrogen || (atoms_[i].is_carbon && (num_neighbours[i] == 3 || num_neighbours[i] == 4)))
        continue;
      fail(atoms_[i].name + " with " + counted(num_neighbours[i], "neighbour") +
               ", which may have a double bond or none",
           "carbon atoms of 3 or 4 neighbours, hydrogen among them, or --skeleton, by which all atoms and bonds count");
    }
    std::ranges::sort(pairs);
    for (const auto& [i, j] : pairs) {
      const bool is_double =
          atoms_[i].is_carbon && atoms_[j].is_carbon && num_neighbours[i] == 3 && num_neighbours[j] == 3;
      add_bond(is_double ? aromatic_bond : 1, i + 1, j + 1);
    }
  }

  void read_mol2() {
    constexpr std::string_view mark = "@<TRIPOS>";
    std::string section;
    std::uint64_t num_atoms = 0, num_bonds = 0, seen_bonds = 0;
    while (!at_end()) {
      std::string_view rest = trimmed(next(""));
      if (rest.ends_with('\\')) fail("a line that goes on in the next", "whole lines");
      if (rest.starts_with(mark)) {
        section = rest.substr(mark.size());
        if (section != "MOLECULE") continue;
        constexpr const char* counts = "the molecule's name, then the numbers of its atoms and bonds";
        next(counts);
        rest = next(counts);
        num_atoms = v30_number(rest, counts);
        num_bonds = v30_number(rest, counts);
      } else if (section == "ATOM" && !rest.empty() && !rest.starts_with('#')) {
        const std::uint64_t number = v30_number(rest, "the number of an atom");
        take_word(rest);  // its name
        const std::string_view x = take_word(rest), y = take_word(rest);
        take_word(rest);
        const std::string_view type = v30_field(rest, "an atom: number, name, three coordinates, type");
        add_atom(number, type.substr(0, type.find('.')), x, y);
        atoms_.back().type = type;
      } else if (section == "BOND" && !rest.empty() && !rest.starts_with('#')) {
        v30_number(rest, "the number of a bond");
        const std::uint64_t first = v30_number(rest, "an atom"), second = v30_number(rest, "an atom");
        const std::string_view type = v30_field(rest, "a bond's type");
        const std::string_view types[] = {"", "1", "2", "3", "ar", "am"};
        const auto* const known = std::ranges::find(types, type);
        if (known == std::end(types)) fail("a bond of type " + in_quotes(type), "1, 2, 3, ar or am");
        add_bond(type == "am" ? 1 : static_cast<std::uint64_t>(known - types), first, second);
        ++seen_bonds;
      }
    }
    if (atoms_.size() != num_atoms || seen_bonds != num_bonds)
      fail(counted(atoms_.size(), "atom") + " and " + counted(seen_bonds, "bond"),
           std::to_string(num_atoms) + " and " + std::to_string(num_bonds) + ", as the molecule's head says");
  }

  bool at_end() const { return p_ == source_.part.end; }
  std::uint64_t line() const { return next_line_ - 1; }  // of the line read last
  std::string_view next(const char* expected) {
    if (at_end()) refuse(text_, next_line_, "the end of the molecule", expected);
    std::string_view line = rest_of_line(p_);
    p_ += line.size() + 1;
    ++next_line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, line(), std::move(found), std::move(expected));
  }

  // Reads a number of V2000, whose fields have fixed columns.
  std::uint64_t column_number(std::string_view line, std::size_t first, const char* what) const {
    constexpr std::size_t width = 3;
    const auto value = parse_natural(trimmed(line.substr(std::min(first, line.size()), width)));
    if (!value) {
      fail("columns " + std::to_string(first + 1) + " to " + std::to_string(first + width) + " of " + in_quotes(line),
           what);
    }
    return *value;
  }
  void read_v2000(std::string_view counts) {
    const std::uint64_t num_atoms = column_number(counts, 0, "a number of atoms there");
    const std::uint64_t num_bonds = column_number(counts, 3, "a number of bonds there");
    constexpr std::size_t symbol = 31;  // behind three coordinates of ten columns and a blank
    for (std::uint64_t atom = 1; atom <= num_atoms; ++atom) {
      const std::string_view line = next("a line for every atom that the counts line promises");
      if (line.size() <= symbol)
        fail(in_quotes(line), "an atom: three coordinates of ten columns, a blank, its symbol");
      constexpr std::size_t width = 10;
      add_atom(atom, trimmed(line.substr(symbol, 3)), trimmed(line.substr(0, width)),
               trimmed(line.substr(width, width)));
    }
    for (std::uint64_t bond = 0; bond < num_bonds; ++bond) {
      const std::string_view line = next("a line for every bond that the counts line promises");
      const std::uint64_t first = column_number(line, 0, "an atom there");
      const std::uint64_t second = column_number(line, 3, "an atom there");
      add_bond(column_number(line, 6, "a bond's type there"), first, second);
    }
    skip_properties();
  }
  void skip_lines(std::uint64_t count) {
    for (; count > 0; --count) next("as many lines as are promised");
  }
  // Skips to "M  END". Properties mean nothing here, but a line that is none may be a bond too many.
  void skip_properties() {
    for (;;) {
      const std::string_view line = next("'M  END'");
      if (trimmed(line) == "M  END") return;
      if (line.starts_with("A  ") || line.starts_with("G  "))
        skip_lines(1);  // its text
      else if (line.starts_with("S  SKP"))
        skip_lines(column_number(line, 6, "a number of lines to skip there"));
      else if (!line.starts_with("M  ") && !line.starts_with("V  ") && !trimmed(line).empty())
        fail(in_quotes(line) + " behind the bonds that the counts line promises", "a property or 'M  END'");
    }
  }
  // Returns the next line behind its "M  V30 ", whose fields are apart by blanks; a '-' at the end joins it with the
  // one that follows.
  std::string_view next_v30() {
    constexpr std::string_view mark = "M  V30 ";
    const auto piece = [&] {
      const std::string_view line = next("a line 'M  V30 ...'");
      if (!line.starts_with(mark)) fail(in_quotes(line), "a line 'M  V30 ...'");
      return line.substr(mark.size());
    };
    std::string_view line = piece();
    if (!line.ends_with('-')) return trimmed(line);
    joined_.clear();
    while (line.ends_with('-')) {
      joined_ += line.substr(0, line.size() - 1);
      line = piece();
    }
    joined_ += line;
    return trimmed(joined_);
  }
  std::string_view v30_field(std::string_view& rest, const char* expected) const {
    const std::string_view field = take_word(rest);
    if (field.empty()) fail("the end of the line", expected);
    return field;
  }
  std::uint64_t v30_number(std::string_view& rest, const char* expected) const {
    const std::string_view field = v30_field(rest, expected);
    constexpr std::size_t most_digits = 9;
    const auto value = parse_natural(field);
    if (field.size() > most_digits || !value) fail(in_quotes(field), expected);
    return *value;
  }
  void require_v30(std::string_view line, const std::string& words) const {
    if (line != words && !line.starts_with(words + " ")) fail(in_quotes(line), "'M  V30 " + words + "'");
  }
  void read_v3000() {
    require_v30(next_v30(), "BEGIN CTAB");
    std::string_view counts = next_v30();
    if (v30_field(counts, "COUNTS") != "COUNTS") fail(in_quotes(counts), "'M  V30 COUNTS atoms bonds ...'");
    const std::uint64_t num_atoms = v30_number(counts, "a number of atoms");
    const std::uint64_t num_bonds = v30_number(counts, "a number of bonds");
    read_v3000_table("ATOM", num_atoms, next_v30(), [&](std::string_view rest) {
      const std::uint64_t number = v30_number(rest, "the number of an atom, for every atom that COUNTS promises");
      if (number == 0) fail("the atom 0", "atoms numbered from 1");
      const std::string_view symbol = v30_field(rest, "the symbol of an element"), x = take_word(rest);
      add_atom(number, symbol, x, take_word(rest));
    });
    std::string_view line = next_v30();
    if (num_bonds > 0 || line == "BEGIN BOND") {
      read_v3000_table("BOND", num_bonds, line, [&](std::string_view rest) {
        v30_number(rest, "the number of a bond, for every bond that COUNTS promises");
        const std::uint64_t type = v30_number(rest, "a bond's type"), first = v30_number(rest, "an atom");
        add_bond(type, first, v30_number(rest, "an atom"));
        if (rest.find("ENDPTS=") != rest.npos) fail("a bond with several ends, 'ENDPTS='", "a bond between two atoms");
      });
      line = next_v30();
    }
    // Groups and collections, of no meaning here.
    for (; line != "END CTAB"; line = next_v30())
      if (line.starts_with("BEGIN ATOM") || line.starts_with("BEGIN BOND") || line.starts_with("BEGIN CTAB"))
        fail(in_quotes(line) + " again", "one table of atoms and bonds");
    const std::string_view end = next("'M  END'");
    if (trimmed(end) != "M  END") fail(in_quotes(end), "'M  END', a molecule without templates and R groups");
  }
  // Reads a table of so many lines that begins with this one.
  template <class OnLine>
  void read_v3000_table(const std::string& name, std::uint64_t count, std::string_view begin, const OnLine& on_line) {
    require_v30(begin, "BEGIN " + name);
    for (; count > 0; --count) on_line(next_v30());
    require_v30(next_v30(), "END " + name);
  }
  // Reads the end of a molecule, which nothing but data items, "> <NAME>", may follow.
  void read_end() {
    while (!at_end()) {
      const std::string_view line = trimmed(next(""));
      if (line.starts_with('>') || line == record_end) return;
      if (!line.empty())
        fail(in_quotes(line) + " behind 'M  END'", "'$$$$' before another molecule, or data '> <NAME>'");
    }
  }

  // Gives the atom a place if x and y are both texts of numbers.
  void add_atom(std::uint64_t number, std::string_view symbol, std::string_view x, std::string_view y) {
    const auto* const element = std::find_if(std::begin(elements), std::end(elements),
                                             [&](std::string_view e) { return equal_ignoring_case(e, symbol); });
    if (element == std::end(elements))
      fail("the atom " + in_quotes(symbol), "the symbol of an element, not a query, a group or a dummy");
    if (!place_of_.try_emplace(number, atoms_.size()).second)
      fail("the atom " + std::to_string(number) + " again", "every atom once");
    Atom& atom = atoms_.emplace_back();
    atom.name = std::string(*element) + std::to_string(number);
    atom.is_hydrogen = element < std::begin(elements) + num_hydrogens;
    atom.is_carbon = *element == "C";
    const std::optional<double> right = coordinate(x), up = coordinate(y);
    if (right && up) atom.place = Point{*right, *up};
  }
  void add_bond(std::uint64_t type, std::uint64_t first, std::uint64_t second) {
    if (type < 1 || type > aromatic_bond) {
      fail("a bond of type " + std::to_string(type),
           "1 (single), 2 (double), 3 (triple) or 4 (aromatic), since others may be no bond between two atoms");
    }
    std::size_t ends[2];
    for (const auto& [number, end] : {std::pair(first, &ends[0]), std::pair(second, &ends[1])}) {
      const auto found = place_of_.find(number);
      if (found == place_of_.end()) fail("a bond at atom " + std::to_string(number), "the number of an atom");
      *end = found->second;
    }
    if (first == second) fail("a bond from atom " + std::to_string(first) + " to itself", "a bond between two atoms");
    for (const int end : {0, 1}) atoms_[ends[end]].num_hydrogens += atoms_[ends[1 - end]].is_hydrogen;
    if (atoms_[ends[0]].is_hydrogen || atoms_[ends[1]].is_hydrogen) return;
    bonds_.push_back({ends[0], ends[1], type, line()});
  }
  // Finds the atoms that lay double bonds anew.
  void find_conjugated() {
    for (const Bond& bond : bonds_)
      for (const std::size_t end : {bond.first, bond.second}) ++atoms_[end].bonds_of_type[bond.type];
    for (const Bond& bond : bonds_) {
      const auto has_two = [](const Atom& atom) {
        return atom.bonds_of_type[double_bond] + atom.bonds_of_type[triple_bond] > 1;
      };
      Atom &first = atoms_[bond.first], &second = atoms_[bond.second];
      if (bond.type != double_bond && bond.type != triple_bond) continue;
      if (has_two(first) || has_two(second)) first.keeps_its_bonds = second.keeps_its_bonds = true;
    }
    const bool has_hydrogen = std::ranges::any_of(atoms_, &Atom::is_hydrogen);
    const auto is_unclear = [&](Atom& atom) {
      if (atom.is_carbon || atom.bonds_of_type[aromatic_bond] == 0 || atom.bonds_of_type[double_bond] > 0) return false;
      const auto is_of = [&](std::string_view types) { return types.find(" " + atom.type + " ") != types.npos; };
      const std::size_t ring = is_of(" N.ar N.2 O.2 S.2 ") ? ring_size(atom) : 0;
      atom.keeps_its_bonds = is_of(" N.pl3 N.am N.3 O.3 S.3 ") || (ring == 5 && is_of(" O.2 S.2 "));
      const bool is_pyridine = ring == 6 && is_of(" N.ar N.2 ") && has_hydrogen && atom.num_hydrogens == 0;
      return !atom.keeps_its_bonds && !is_pyridine;
    };
    const std::string skeleton = ", or --skeleton, by which all atoms and bonds count";
    if (const auto atom = std::ranges::find_if(atoms_, is_unclear); atom != atoms_.end())
      fail("aromatic bonds at " + atom->name + ", which may have a double bond or none",
           "single and double bonds" + skeleton);
    const bool has_any = std::ranges::any_of(bonds_, [](const Bond& bond) { return bond.type >= double_bond; });
    if (!has_any) fail("a molecule without double bonds, which may have been left out", "some" + skeleton);
  }
  // Returns the size of the smallest ring, up to six, through an atom that has two bonds, both aromatic; 0: none.
  std::size_t ring_size(const Atom& atom) const {
    constexpr std::size_t largest = 6;
    const auto place = static_cast<std::size_t>(&atom - atoms_.data());
    if (atom.bonds_of_type[aromatic_bond] != 2 || atom.bonds_of_type[single_bond] + atom.num_hydrogens > 0) return 0;
    std::vector<std::size_t> step(atoms_.size(), 0), ends;  // steps from one end of the ring, from 1; 0: not reached
    for (const Bond& bond : bonds_)
      if (bond.first == place || bond.second == place) ends.push_back(bond.first + bond.second - place);
    step[place] = largest;
    step[ends[0]] = 1;
    for (std::size_t now = 1; now < largest - 1; ++now) {
      for (const Bond& bond : bonds_) {
        for (const auto& [from, to] : {std::pair(bond.first, bond.second), std::pair(bond.second, bond.first)})
          if (bond.type == aromatic_bond && step[from] == now && step[to] == 0) step[to] = now + 1;
      }
    }
    return step[ends[1]] == 0 ? 0 : step[ends[1]] + 1;
  }
  void make_graph() {
    if (std::ranges::all_of(atoms_, &Atom::is_hydrogen))
      refuse(text_, line(), "a molecule without an atom, or of hydrogen alone", "an atom other than hydrogen");
    if (!is_skeleton_) find_conjugated();
    std::uint64_t num_left_out = 0;
    for (Atom& atom : atoms_) {
      if (atom.is_hydrogen) continue;
      if (!is_skeleton_ && !atom.is_conjugated()) {
        ++num_left_out;
        continue;
      }
      atom.vertex = parsed_.num_rows++;
      if (atom.place) parsed_.coordinates.push_back(*atom.place);
      parsed_.row_labels.push_back(atom.name);
    }
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> lines;  // of bonds that are no edges
    for (const Bond& bond : bonds_) {
      const Atom &first = atoms_[bond.first], &second = atoms_[bond.second];
      if (first.vertex != left_out && second.vertex != left_out) {
        parsed_.add_edge(first.vertex, second.vertex, bond.line);
      } else if (const auto [at, is_new] = lines.try_emplace(std::minmax(bond.first, bond.second), bond.line);
                 !is_new) {
        const std::string names = atoms_[at->first.first].name + " " + atoms_[at->first.second].name;
        refuse(text_, bond.line, names + " again, after line " + std::to_string(at->second), "every edge once");
      }
    }
    parsed_.num_columns = parsed_.num_rows;
    if (num_left_out > 0)
      parsed_.notes.push_back(counted(num_left_out, "atom") +
                              " beside hydrogen left out, whose bonds stay as they are");
    if (parsed_.coordinates.size() != parsed_.num_rows) parsed_.coordinates.clear();
  }

  const Source& source_;
  const Text& text_;
  const char* p_;
  std::uint64_t next_line_;
  std::string joined_;  // a V3000 line that goes on in the next
  bool is_skeleton_;
  std::unordered_map<std::uint64_t, std::size_t> place_of_;  // of an atom, by its number
  std::vector<Atom> atoms_;
  std::vector<Bond> bonds_;  // but those of hydrogen
  Parsed parsed_;
};

}  // namespace

bool next_mol(const Text& text, InputFormat format, Part& part) {
  const char* p = part.number == 0 ? text.begin() : part.end;
  std::uint64_t line = part.number == 0 ? 1 : part.line;
  if (part.number != 0) line += static_cast<std::uint64_t>(std::count(part.begin, part.end, '\n'));
  const char* const begin = p;
  std::string title;
  bool is_blank_so_far = true, has_head = false, is_title = format == InputFormat::mol;
  const char* const second_line = p == text.end() ? p : rest_of_line(p).end() + 1;
  std::uint64_t lines_left = std::numeric_limits<std::uint64_t>::max();
  if (const auto atoms = parse_natural(trimmed(rest_of_line(p == text.end() ? text.end() - 1 : p)));
      format == InputFormat::xyz && atoms && *atoms < text.size())
    lines_left = *atoms + 2;
  for (; p != text.end() && lines_left > 0; --lines_left) {
    const std::string_view whole_line = rest_of_line(p), content = trimmed(whole_line);
    if (format == InputFormat::mol2 && content == tripos_head && std::exchange(has_head, true)) break;
    p += whole_line.size() + 1;
    is_blank_so_far = is_blank_so_far && content.empty();
    if (is_title) title = title_of(content);
    is_title = format == InputFormat::mol2 ? content == tripos_head : format == InputFormat::xyz && p == second_line;
    if (format == InputFormat::mol && content == record_end) break;
  }
  // Blank lines behind the last molecule are no molecule.
  if (is_blank_so_far && (part.number != 0 || begin == text.end())) return false;
  part = {part.number + 1, begin, p, line, title};
  return true;
}

Parsed read_mol(const Source& source) { return MolReader(source).read(); }

bool is_mol(const Text& text, InputFormat) {
  Cursor cursor(text);
  for (int i = 0; i < 3; ++i) cursor.next_line();
  if (cursor.at_end()) return false;
  const std::string_view counts = rest_of_line(cursor.position());
  const auto has_number = [&](std::size_t first) {
    return parse_natural(trimmed(counts.substr(std::min(first, counts.size()), 3))).has_value();
  };
  const std::string_view end = trimmed(counts);
  return has_number(0) && has_number(3) && (end.ends_with(" V2000") || end.ends_with(" V3000"));
}

bool is_mol2(const Text& text, InputFormat) {
  Cursor cursor(text);
  return cursor.skip_to_data("#") && rest_of_line(cursor.position()).starts_with("@<TRIPOS>");
}

bool is_xyz(const Text& text, InputFormat) {
  Cursor cursor(text);
  const auto num_atoms = parse_natural(trimmed(rest_of_line(cursor.position())));
  if (!num_atoms || *num_atoms == 0) return false;
  cursor.next_line();
  cursor.next_line();
  if (cursor.at_end()) return false;
  std::string_view line = rest_of_line(cursor.position());
  const std::string_view symbol = take_word(line);
  for (int i = 0; i < 3; ++i) {
    const std::string_view number = take_word(line);
    if (!coordinate(number) || number.find('.') == number.npos) return false;
  }
  return std::ranges::find(elements, symbol) != std::end(elements);
}

}  // namespace matchcount::readers
