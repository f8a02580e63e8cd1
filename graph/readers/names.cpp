#include "graph/readers/names.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "graph/large_pages.hpp"

namespace matchcount::readers {
namespace {

// Returns at most 8 bytes as a number, zeros behind fewer.
std::uint64_t word(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  if (count == 8) {
    std::memcpy(&value, bytes, 8);
  } else {
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

}  // namespace

bool canonical_integer(std::string_view name, std::int64_t& value) {
  const std::string_view digits = name.substr(name.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.size() > 18 || !is_digit(digits[0]) || (digits[0] == '0' && name.size() > 1))
    return false;
  return std::from_chars(name.data(), name.data() + name.size(), value).ptr == name.data() + name.size();
}

namespace {

// Says whether a character prints as a blank and is none in ASCII.
bool is_wide_blank(std::uint32_t c) {
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

// Says whether a character prints as nothing.
bool is_invisible(std::uint32_t c) {
  return (c >= 0x80 && c <= 0x9F) || c == 0xAD || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF;
}

// Joins letters, or keeps them from joining, within words of Persian or Hindi.
bool is_joiner(std::uint32_t c) { return c == 0x200C || c == 0x200D; }

}  // namespace

void check_name_text(const Text& text, std::uint64_t line, std::string_view name, SeenCharacters seen,
                     const char* remedy) {
  constexpr std::size_t longest_name = 4096;
  if (name.size() > longest_name) {
    refuse(text, line, "a name of " + std::to_string(name.size()) + " bytes",
           "at most " + std::to_string(longest_name) + " bytes");
  }
  if (!is_utf8(name)) refuse(text, line, "the name " + in_quotes(name), "text in ASCII or UTF-8");
  if (seen == SeenCharacters::all || std::ranges::none_of(name, [](char c) { return (c & 0x80) != 0; })) return;
  for (std::string_view rest = name; !rest.empty();) {
    const bool is_first = rest.size() == name.size();
    std::uint32_t c = 0;
    rest.remove_prefix(utf8_length(rest, c));
    const bool is_within = !is_first && !rest.empty();
    const bool is_blank = is_wide_blank(c) && !(seen == SeenCharacters::blanks_within && is_within);
    if (!is_blank && (!is_invisible(c) || is_wide_blank(c) || (is_joiner(c) && is_within))) continue;
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string code;
    for (int shift = 12; shift >= 0; shift -= 4) code += digits[(c >> shift) & 15];
    refuse(text, line,
           "the name " + in_quotes(name) + " with U+" + code +
               (is_blank ? ", a blank that is none in ASCII" : ", which can't be seen"),
           remedy);
  }
}

void refuse_edge_data(const Text& text, std::uint64_t line, std::string_view name) {
  if (name != "{}" && !(name.starts_with('{') && name.ends_with(':'))) return;
  refuse(text, line, in_quotes(name) + " in the place of a name, as networkx writes data in multi-line lists",
         "a file that networkx's write_edgelist or write_adjlist makes");
}

NameTable::Key NameTable::key(std::string_view name) const {
  const std::size_t first = std::min<std::size_t>(name.size(), 8);
  const std::size_t second = std::min<std::size_t>(name.size() - first, 8);
  Key key{name, {word(name.data(), first), word(name.data() + first, second)}, 0};
  // Multiplicative hashing; the odd constants are arbitrary.
  std::uint64_t mixed = key.words[0] * 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 32) ^ key.words[1]) * 0xD6E8FEB86659FD93;
  if (name.size() > sizeof key.words) {
    mixed = (mixed ^ (mixed >> 32) ^ std::hash<std::string_view>()(name)) * 0xD6E8FEB86659FD93;
  }
  key.hash = static_cast<std::uint32_t>(mixed >> 32);
  __builtin_prefetch(&slots_[key.hash & (slots_.size() - 1)]);
  return key;
}

Vertex NameTable::id(const Key& key) {
  const Slot& found = slot_of(key.hash, key.words, key.name);
  if (found.next_id != 0) return found.next_id - 1;
  names_.push_back(key.name);
  slots_[static_cast<std::size_t>(&found - slots_.data())] = {{key.words[0], key.words[1]}, key.hash, size()};
  if (2 * names_.size() > slots_.size()) grow();
  return size() - 1;
}

bool NameTable::intersects(const NameTable& other) const {
  return std::ranges::any_of(slots_, [&](const Slot& slot) {
    return slot.next_id != 0 && other.slot_of(slot.hash, slot.words, names_[slot.next_id - 1]).next_id != 0;
  });
}

void NameTable::grow() {
  const std::size_t size = std::max<std::size_t>(64, 2 * slots_.size());
  std::vector<Slot> grown;
  reserve_on_large_pages(grown, size);
  grown.resize(size);
  const std::size_t mask = size - 1;
  for (const Slot& slot : slots_) {
    if (slot.next_id == 0) continue;
    std::size_t place = slot.hash & mask;
    while (grown[place].next_id != 0) place = (place + 1) & mask;
    grown[place] = slot;
  }
  slots_ = std::move(grown);
}

std::vector<Vertex> NameTable::natural_order() {
  std::vector<Vertex> place(names_.size());
  std::iota(place.begin(), place.end(), Vertex{0});
  std::vector<std::int64_t> numbers(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!canonical_integer(names_[i], numbers[i])) return place;
  }
  std::vector<Vertex> order = place;
  std::sort(order.begin(), order.end(), [&](Vertex a, Vertex b) { return numbers[a] < numbers[b]; });
  std::vector<std::string_view> names(names_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<Vertex>(i);
    names[i] = names_[order[i]];
  }
  names_ = std::move(names);
  return place;
}

std::vector<std::string> NameTable::labels() const {
  bool counting = true;
  for (std::size_t i = 0; i < names_.size() && counting; ++i) {
    std::int64_t number = 0;
    counting = canonical_integer(names_[i], number) && number == static_cast<std::int64_t>(i) + 1;
  }
  if (counting) return {};
  return {names_.begin(), names_.end()};
}

NumberRanks::NumberRanks(std::span<const Edge> edges, bool rows, bool columns, std::span<const std::uint32_t> others) {
  const auto for_each = [&](const auto& visit) {
    for (const std::uint32_t number : others) visit(number);
    for (const Edge& edge : edges) {
      if (rows) visit(edge.row);
      if (columns) visit(edge.column);
    }
  };
  std::uint32_t largest = 0;
  for_each([&](std::uint32_t number) { largest = std::max(largest, number); });
  const std::size_t words = std::size_t{largest} / 64 + 1;
  if (12 * words > 4096 + 16 * edges.size() + 8 * others.size()) {
    numbers_.reserve(((rows ? 1 : 0) + (columns ? 1 : 0)) * edges.size() + others.size());
    for_each([&](std::uint32_t number) { numbers_.push_back(number); });
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    return;
  }
  bits_.resize(words);
  for_each([&](std::uint32_t number) { bits_[number / 64] |= std::uint64_t{1} << (number % 64); });
  for (std::size_t i = 0; i < words; ++i) {
    before_.push_back(size());
    for (std::uint64_t word = bits_[i]; word != 0; word &= word - 1)
      numbers_.push_back(static_cast<std::uint32_t>(64 * i + static_cast<std::size_t>(std::countr_zero(word))));
  }
}

bool NumberRanks::intersects(const NumberRanks& other) const {
  auto one = numbers_.begin(), two = other.numbers_.begin();
  while (one != numbers_.end() && two != other.numbers_.end() && *one != *two) ++(*one < *two ? one : two);
  return one != numbers_.end() && two != other.numbers_.end();
}

std::vector<std::string> NumberRanks::labels() const {
  std::vector<std::string> labels;
  // n numbers of which the largest is n and none is 0: the numbers 1..n.
  if (numbers_.empty() || (numbers_.front() > 0 && numbers_.back() == numbers_.size())) return labels;
  labels.reserve(numbers_.size());
  for (const std::uint32_t number : numbers_) labels.push_back(std::to_string(number));
  return labels;
}

}  // namespace matchcount::readers
