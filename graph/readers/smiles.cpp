#include "graph/readers/readings.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <string>

namespace matchcount::readers {
namespace {

// Says whether it is an element, or one of a ring of alternating bonds.
bool is_element(std::string_view symbol) {
  constexpr std::string_view in_rings[] = {"b", "c", "n", "o", "p", "s", "se", "as"};
  return std::ranges::find(elements, symbol) != std::end(elements) ||
         std::ranges::find(in_rings, symbol) != std::end(in_rings);
}

}  // namespace

bool looks_like_smiles(std::string_view word) {
  constexpr std::size_t longest = 1000;
  // An atom alone, or in brackets with isotope, element, chirality, hydrogens, charge and class; then numbers of rings.
  static const std::string atom =
      R"((?:Cl|Br|[BCNOPSFIbcnops]|\[\d*[A-Za-z][a-z]?@*(?:H\d*)?(?:(?:\++|-+)\d*)?(?::\d*)?\]))"
      R"((?:[-=#:/\\]?(?:%\d\d|\d))*)";
  static const std::regex whole(R"([/\\]?)" + atom + R"((?:\)*\(?[-=#:/\\.$]?)" + atom + R"()*\)*)");
  static const std::regex piece(R"(%(\d\d)|(\d)|\[(\d*)([A-Za-z][a-z]?)([^:\]]*)[^\]]*\]|Cl|Br|.)");
  const char *const begin = word.data(), *const end = begin + word.size();
  if (word.size() > longest || !std::regex_match(begin, end, whole)) return false;
  int depth = 0, atoms = 0, rings = 0, branches = 0, multiple_bonds = 0;
  bool is_special = false;                  // an atom has an isotope, hydrogens or a charge
  std::map<std::string, int> atoms_before;  // where a ring was opened, by its number
  for (std::cregex_iterator at(begin, end, piece), none; at != none; ++at) {
    const std::string text = at->str();
    if ((*at)[1].matched || (*at)[2].matched) {
      const auto [opened, is_new] = atoms_before.try_emplace((*at)[1].matched ? text.substr(1) : "0" + text, atoms);
      if (is_new) continue;
      if (atoms < opened->second + 2) return false;  // no two atoms make a ring
      ++rings;
      atoms_before.erase(opened);
    } else if (text == "(" || text == ")") {
      depth += text == "(" ? 1 : -1;
      branches += text == ")";
      if (depth < 0) return false;
    } else if (text[0] == '[' || std::isalpha(static_cast<unsigned char>(text[0]))) {
      if (text[0] == '[' && !is_element(at->str(4))) return false;
      is_special = is_special || at->length(3) + at->length(5) > 0;
      ++atoms;
    } else {
      multiple_bonds += text == "=" || text == "#";
    }
  }
  if (depth > 0 || !atoms_before.empty()) return false;
  return (rings > 0 && atoms >= 3) || (branches > 0 && atoms >= 4) || (multiple_bonds > 0 && atoms >= 2) || is_special;
}

}  // namespace matchcount::readers
