#pragma once
// Checks the names of vertices and makes them numbers. Private to graph/.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/bipartite_graph.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

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
