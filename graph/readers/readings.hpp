#pragma once
// Refuses what other programs write and nothing here reads. Private to graph/.

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

}  // namespace matchcount::readers
