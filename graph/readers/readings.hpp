#pragma once
// Tells texts apart that several formats would read, finds the names and edges of tables, and refuses what other
// programs write and nothing here reads. Private to graph/.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/input_types.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

inline constexpr std::string_view elements[] = {
    "H",  "D",  "T",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",
    "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se",
    "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te",
    "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb",
    "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn", "Fr", "Ra",
    "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr", "Rf", "Db", "Sg",
    "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};
inline constexpr std::size_t num_hydrogens = 3;  // the first of them

// ---- Files of other programs.

// Says what a file that is no text is by its first bytes, and what to give instead.
struct ForeignBytes {
  std::string_view found = "a NUL byte";
  std::string_view expected = "text in ASCII or UTF-8";
};
ForeignBytes foreign_bytes(std::string_view bytes);

// Refuses a text that is certainly of a format which nothing here reads, and says what is read instead.
void refuse_foreign_format(const Text& text);

// Refuses a text that begins as a list of Python's or of JSON does, and names the formats that are read.
void refuse_foreign_text(const Text& text);

// Says whether `word` is a molecule in the SMILES notation (Weininger, doi:10.1021/ci00057a005) and hardly anything
// else: every character has a meaning there, rings and branches are closed, and there is a ring, a branch, a double or
// triple bond or a charged or isotopic atom. False for C1, CO, Co60, n=3, E1, a(b) and other words of letters and
// digits.
bool looks_like_smiles(std::string_view word);

// ---- Lines of numbers.

// Takes a text of which nothing says the format. Refuses one that fits METIS's header, number of lines and number of
// neighbours, or TGF; one whose first line may be the size of the matrix or the number of the edges behind it, or
// number their columns (unless options.header tells); and lines of integers that may be vertices with two neighbours or
// none, or edges with weights.
void refuse_two_readings(const Text& text, const InputOptions& options);

// Tells whether a text that no format is known of is dense: at least 4 numbers on every line, as many on each; or,
// where the kind is matrix, a single number. options.kind is what the file says where nobody else does. Refuses lines
// of 2 or 3 numbers that are as well the edges of a list; lines of four numbers that may be edges with weights and
// times; numbers in order above or beside a matrix; a square on one line; and lines of integers that are as well lists
// of neighbours.
bool is_dense(const Text& text, const InputOptions& options);

// ---- Tables.

// A first line with the names of columns above lines that begin with the name of a row: its first field is empty
// (pandas, R, spreadsheets) or a word like the others, above a word and at least four numbers (any number where dense
// text is asked for), or it has one field less than the others, all of them in quotes (write.table of R).
struct TableNames {
  char separator = ',';  // a blank: any number of blanks and tabs
  std::vector<std::string> columns;
  bool has_word_in_corner = false;
};

// Nothing where the first line is no such header, or options.header says that it is none. A delimiter that is given is
// the only one. Refuses a column without a name. Requires text that is not binary.
std::optional<TableNames> table_names(const Text& text, const InputOptions& options);

// Moves behind the name that the line begins with and what separates it from the rest. Refuses a line without.
std::string row_name(const Text& text, Cursor& cursor, char separator);

// Says whether a text of which nothing says the format, and which has such names, is a matrix: of 4 columns or more, or
// with the same names on both sides. Refuses what may as well be edges beside their numbers, and what is: a column has
// words alone.
bool is_named_matrix(const Text& text, const TableNames& names);
// The refusal of such a text as an edge list.
[[noreturn]] void refuse_row_numbers(const Text& text, const TableNames& names);

struct EdgeTable {
  Text edges;            // an edge list: the columns of the ends and, where there is one, of the weight, line by line
  char separator = ',';  // of its fields
  bool has_header = true;
  std::string note;                 // which columns are passed over
  std::vector<std::string> labels;  // as Input::edge_labels has them
};

// For a first line that names, among others, two columns as "source" and "target" are (edge_line.hpp), as tables of
// edges have it that pandas, R and spreadsheets write with attributes or with numbers of rows. The weight's column has
// the name options.weight_key, else "weight". Nothing where an edge list has no more columns itself, options.header
// says that the first line is none, or another format is asked for. options.columns, where it is given, picks the
// columns instead. Where options.label is given, places of labels stand for weights. Refuses lines of another length; a
// weight's column that is asked for and not there, and none where the question is about weights and others may be
// meant; and, unless edge lists are asked for, numbers alone, which may be a matrix. Requires text that is not binary.
std::optional<EdgeTable> edge_table(const Text& text, const InputOptions& options);

}  // namespace matchcount::readers
