#include "graph/readers/smiles.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "graph/readers/elements.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {
namespace {

// Says whether it is an element, or one of a ring of alternating bonds.
bool is_element(std::string_view symbol) {
  constexpr std::string_view in_rings[] = {"b", "c", "n", "o", "p", "s", "se", "as"};
  return std::ranges::find(elements, symbol) != std::end(elements) ||
         std::ranges::find(in_rings, symbol) != std::end(in_rings);
}

class Smiles {
 public:
  explicit Smiles(std::string_view word) : word_(word) {}

  bool is_likely() {
    while (at_ < word_.size()) {
      if (!token()) return false;
    }
    const bool complete = depth_ == 0 && after_atom_ && std::ranges::none_of(open_, [](bool open) { return open; });
    if (!complete) return false;
    return (rings_ > 0 && atoms_ >= 3) || (branches_ > 0 && atoms_ >= 4) || (bonds_ > 0 && atoms_ >= 2) || special_ > 0;
  }

 private:
  char next() const { return at_ < word_.size() ? word_[at_] : '\0'; }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  void skip_digits() {
    while (is_digit(next())) ++at_;
  }

  bool token() {
    const char c = next();
    if (c == '[') return bracket_atom();
    if (c == '(') {
      ++at_;
      ++depth_;
      if (!after_atom_) return false;
      after_atom_ = false;
      return true;
    }
    if (c == ')') {
      ++at_;
      ++branches_;
      return after_atom_ && depth_-- > 0;
    }
    if (is_digit(c) || c == '%') return ring_bond();
    if (std::string_view("-=#:/\\$.").find(c) != std::string_view::npos) {
      ++at_;
      bonds_ += c == '=' || c == '#';
      const bool allowed = after_atom_ || c == '/' || c == '\\' || (depth_ > 0 && word_[at_ - 2] == '(');
      after_atom_ = false;
      return allowed && at_ < word_.size();
    }
    return atom();
  }

  bool atom() {
    if (word_.substr(at_).starts_with("Cl") || word_.substr(at_).starts_with("Br")) {
      at_ += 2;
    } else if (std::string_view("BCNOPSFIbcnops").find(next()) != std::string_view::npos) {
      ++at_;
    } else {
      return false;
    }
    ++atoms_;
    after_atom_ = true;
    return true;
  }

  // Isotope, element, chirality, hydrogens, charge, class.
  bool bracket_atom() {
    ++at_;
    const std::size_t start = at_;
    skip_digits();
    bool is_special = at_ != start;
    std::size_t length = 2;
    while (length > 0 && !is_element(word_.substr(at_, length))) --length;
    if (length == 0) return false;
    at_ += length;
    const std::size_t behind = at_;
    while (take('@')) {
    }
    if (take('H')) skip_digits();
    if (next() == '+' || next() == '-') {
      const char sign = next();
      while (take(sign)) {
      }
      skip_digits();
    }
    is_special = is_special || at_ != behind;
    if (take(':')) skip_digits();
    if (!take(']')) return false;
    special_ += is_special;
    ++atoms_;
    after_atom_ = true;
    return true;
  }

  bool ring_bond() {
    std::size_t number = 0;
    if (!after_atom_) {
      // A bond may stand between an atom and the number of its ring.
      if (at_ == 0 || std::string_view("-=#:/\\").find(word_[at_ - 1]) == std::string_view::npos) return false;
      after_atom_ = true;
    }
    if (take('%')) {
      if (at_ + 2 > word_.size() || !is_digit(word_[at_]) || !is_digit(word_[at_ + 1])) return false;
      number = static_cast<std::size_t>(10 * (word_[at_] - '0') + (word_[at_ + 1] - '0'));
      at_ += 2;
    } else {
      number = static_cast<std::size_t>(word_[at_++] - '0');
    }
    open_[number] = !open_[number];
    if (open_[number]) {
      opened_at_[number] = atoms_;
    } else {
      if (atoms_ < opened_at_[number] + 2) return false;  // no ring has two atoms
      ++rings_;
    }
    return true;
  }

  std::string_view word_;
  std::size_t at_ = 0;
  bool after_atom_ = false;
  int depth_ = 0;
  int atoms_ = 0;
  int rings_ = 0;
  int branches_ = 0;
  int bonds_ = 0;    // double and triple
  int special_ = 0;  // atoms with an isotope, hydrogens or a charge
  std::array<bool, 100> open_{};
  std::array<int, 100> opened_at_{};
};

}  // namespace

bool looks_like_smiles(std::string_view word) {
  constexpr std::size_t longest = 1000;
  return word.size() <= longest && Smiles(word).is_likely();
}

}  // namespace matchcount::readers
