#include "graph/readers/readings.hpp"

#include <algorithm>
#include <array>
#include <optional>
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
  constexpr std::string_view bonds = "-=#:/\\", no_bond = ".$";
  // An atom alone, or in brackets with isotope, element, chirality, hydrogens, charge and class; the number of a ring.
  static const std::regex atom_text(
      R"((Cl|Br|[BCNOPSFIbcnops])|\[(\d*)([A-Za-z][a-z]?)(@*(H\d*)?((\++|-+)\d*)?)(:\d*)?\])");
  static const std::regex ring_text(R"(%(\d\d)|(\d))");
  if (word.size() > longest) return false;
  int depth = 0, atoms = 0, rings = 0, branches = 0, multiple_bonds = 0;
  bool after_atom = false, is_special = false;      // an atom has an isotope, hydrogens or a charge
  std::array<std::optional<int>, 100> opened_at{};  // by a ring's number: the atoms before it
  for (const char *p = word.data(), *const end = p + word.size(); p != end;) {
    const char c = *p, before = p == word.data() ? '\0' : p[-1];
    std::cmatch found;
    const auto takes = [&](const std::regex& text) {
      return std::regex_search(p, end, found, text, std::regex_constants::match_continuous);
    };
    if (c == '(' || c == ')') {
      if (!after_atom || (c == ')' && depth == 0)) return false;
      depth += c == '(' ? 1 : -1;
      branches += c == ')';
      after_atom = c == ')';
      ++p;
    } else if (bonds.find(c) != bonds.npos || no_bond.find(c) != no_bond.npos) {
      if (!after_atom && c != '/' && c != '\\' && (depth == 0 || before != '(')) return false;
      multiple_bonds += c == '=' || c == '#';
      after_atom = false;
      ++p;
    } else if (takes(ring_text)) {
      // A bond may stand between an atom and the number of its ring, which no two atoms make.
      if (!after_atom && (p == word.data() || bonds.find(before) == bonds.npos)) return false;
      std::optional<int>& opened = opened_at[std::stoul(found.str(found[1].matched ? 1 : 2))];
      if (opened && atoms < *opened + 2) return false;
      rings += opened.has_value();
      opened = opened ? std::nullopt : std::optional(atoms);
      after_atom = true;
      p = found[0].second;
    } else {
      if (!takes(atom_text) || (!found[1].matched && !is_element(found.str(3)))) return false;
      is_special = is_special || found.length(2) + found.length(4) > 0;
      ++atoms;
      after_atom = true;
      p = found[0].second;
    }
  }
  if (depth > 0 || !after_atom || std::ranges::any_of(opened_at, [](const auto& at) { return at.has_value(); }))
    return false;
  return (rings > 0 && atoms >= 3) || (branches > 0 && atoms >= 4) || (multiple_bonds > 0 && atoms >= 2) || is_special;
}

}  // namespace matchcount::readers
