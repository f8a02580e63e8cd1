#pragma once
// Recognises molecules in the SMILES notation, so that they are not taken for names. Private to graph/.

#include <string_view>

namespace matchcount::readers {

// Says whether `word` is a molecule in the SMILES notation (Weininger, doi:10.1021/ci00057a005) and hardly anything else:
// every character has a meaning there, rings and branches are closed, and there is a ring, a branch, a double or triple
// bond or a charged or isotopic atom. False for C1, CO, Co60, n=3, E1, a(b) and other words of letters and digits.
bool looks_like_smiles(std::string_view word);

}  // namespace matchcount::readers
