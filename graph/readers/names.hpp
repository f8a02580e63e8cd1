#pragma once
// Checks the names of vertices and makes them numbers; takes numbers of a file as weights: 64-bit integers while every
// text is an integer, double-doubles otherwise; or fractions. Private to graph/.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/numbers/integer.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/large_pages.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// Exact for every 64-bit integer.
DoubleDouble to_double_double(std::int64_t value);

// [+-]digits within 64 bits; `wide` tells an integer beyond them from a text that is no integer.
bool parse_integer(std::string_view text, std::int64_t& value, bool& wide);

// A finite real number, else InputError.
DoubleDouble read_real(const Text& text, std::uint64_t line, std::string_view field);

// Says whether a text is a number: an integer of any size, a real within the range of doubles or a fraction.
bool is_number(std::string_view text);

// Says whether a field begins as a number does; the rest of it its reader sees.
bool begins_number(std::string_view text);

// [+-]digits/digits, or a decimal number with an exponent within 400; exactly. At most 10,000 bytes.
bool parse_fraction(std::string_view text, Rational& value);

// A value turned out to be a fraction, or an integer beyond 64 bits among integers: the text is to be read again for
// fractions.
struct FractionFound {};

class Values {
 public:
  // may_be_fractions: as by_text, but FractionFound is thrown where fractions are to be read; unheld_are: at a decimal
  // that no double-double is, too; decimals_are: at all.
  enum class Rule { by_text, may_be_fractions, unheld_are, decimals_are, fractions };
  explicit Values(const Source& source);

  // Refuses what is no integer from now on.
  void only_integers() { integers_asked_ = true; }
  void reserve(std::size_t count) { reserve_on_large_pages(integers_, count); }
  // Appends the number in `field`; with sign = -1 its negative.
  void add(const Text& text, std::uint64_t line, std::string_view field, int sign = 1);
  // Says that all values are complex, and added as such.
  void only_complex() { are_complex_ = true; }
  void add(const ComplexDoubleDouble& value) { complex_.push_back(value); }
  // Moves the values into a reader's result, to be called once. Refuses an integer beyond 64 bits among texts that are
  // all integers.
  void give(const Text& text, Parsed& parsed);

 private:
  void add_fraction(const Text& text, std::uint64_t line, std::string_view field, int sign);
  void make_real();

  Rule rule_;
  bool integers_asked_ = false;
  bool are_complex_ = false;     // all values stand in complex_
  bool are_real_ = false;        // the values so far stand in reals_
  bool only_integers_ = true;    // every text so far was an integer
  std::uint64_t wide_line_ = 0;  // of the first integer beyond 64 bits
  std::string wide_text_;
  std::vector<std::int64_t> integers_;
  std::vector<DoubleDouble> reals_;
  std::vector<ComplexDoubleDouble> complex_;
  std::vector<Rational> fractions_{0};
  std::unordered_map<std::string, std::int64_t> place_of_fraction_;  // by its text in lowest terms
};

// Reads the value of a name that is an integer as one writes it (no plus, no leading zero, within 64 bits).
bool canonical_integer(std::string_view name, std::int64_t& value);

// Names the characters of a name that are left alone: those that everybody sees, blanks within it beside them, or all.
enum class SeenCharacters { visible, blanks_within, all };

// Refuses a name of more than 4096 bytes or that is not UTF-8, and characters that print as nothing, or as a blank
// without being one. `remedy` is what was expected then.
void check_name_text(const Text& text, std::uint64_t line, std::string_view name, SeenCharacters seen,
                     const char* remedy);

// Refuses a piece of a dictionary of Python's, the data of an edge.
void refuse_edge_data(const Text& text, std::uint64_t line, std::string_view name);

// Numbers names by first appearance. The names themselves stay where they are: they must outlive the table.
class NameTable {
 public:
  // A name, ready to be looked up.
  struct Key {
    std::string_view name;
    std::uint64_t words[2];  // its first 16 bytes, zeros behind a shorter one
    std::uint32_t hash;
  };

  NameTable() { grow(); }

  Vertex id(std::string_view name) { return id(key(name)); }
  // The same in two steps: with a few other names between them, the memory that the second needs is there by then.
  Key key(std::string_view name) const;
  Vertex id(const Key& key);
  Vertex size() const { return static_cast<Vertex>(names_.size()); }
  bool contains(const Key& key) const { return slot_of(key.hash, key.words, key.name).next_id != 0; }
  // Says whether a name stands in both. About 2 ns a name, since both tables are gone through in order.
  bool intersects(const NameTable& other) const;
  // Returns the place of every id in the natural order: ascending where all names are integers, else first appearance.
  // Reorders the names, so to be called once, after the last id().
  std::vector<Vertex> natural_order();
  // Returns the names by id or, after natural_order(), by place; empty if they are 1..n in this order.
  std::vector<std::string> labels() const;

 private:
  // Holds what tells a name below 16 bytes apart from every other (none contains a NUL), so that looking it up touches
  // one place in memory.
  struct Slot {
    std::uint64_t words[2];
    std::uint32_t hash;
    Vertex next_id;  // the name's id + 1; 0 where the slot is free
  };

  // Returns the slot of the name, or the free one that ends the search for it.
  const Slot& slot_of(std::uint32_t hash, const std::uint64_t (&words)[2], std::string_view name) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    for (; slots_[place].next_id != 0; place = (place + 1) & mask) {
      const Slot& slot = slots_[place];
      if (slot.hash == hash && slot.words[0] == words[0] && slot.words[1] == words[1] &&
          (name.size() < sizeof words || names_[slot.next_id - 1] == name)) {
        break;
      }
    }
    return slots_[place];
  }
  void grow();

  std::vector<std::string_view> names_;
  std::vector<Slot> slots_;  // open addressing, at most half full
};

// The rows, the columns, or both, of edges and `others` as a set of numbers, and each one's rank in it.
class NumberRanks {
 public:
  NumberRanks(std::span<const Edge> edges, bool rows, bool columns, std::span<const std::uint32_t> others = {});
  Vertex size() const { return static_cast<Vertex>(numbers_.size()); }
  bool contains(std::uint32_t number) const { return std::ranges::binary_search(numbers_, number); }
  bool intersects(const NumberRanks& other) const;
  // Requires a number of the set.
  Vertex rank(std::uint32_t number) const {
    if (bits_.empty()) return static_cast<Vertex>(std::ranges::lower_bound(numbers_, number) - numbers_.begin());
    const std::uint64_t below = bits_[number / 64] & ((std::uint64_t{1} << (number % 64)) - 1);
    return before_[number / 64] + count_ones(below);
  }
  // Ascending, as text; empty where they are 1..n.
  std::vector<std::string> labels() const;

 private:
  // std::popcount is a call where the instruction is not known to exist.
  static Vertex count_ones(std::uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555;
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return static_cast<Vertex>((x * 0x0101010101010101) >> 56);
  }

  std::vector<std::uint32_t> numbers_;  // ascending
  std::vector<std::uint64_t> bits_;     // by number, where the numbers are dense enough; else empty
  std::vector<Vertex> before_;          // how many are set in the words before
};

}  // namespace matchcount::readers
