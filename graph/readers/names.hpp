#pragma once
// Vertex names into numbers. Private to graph/.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/bipartite_graph.hpp"

namespace matchcount::readers {

// The value of a name that is an integer as one writes it (no plus, no leading zero, within 64 bits).
bool canonical_integer(std::string_view name, std::int64_t& value);

// Numbers names by first appearance. The names themselves stay where they are: they must outlive the table.
class NameTable {
 public:
  Vertex id(std::string_view name);
  Vertex size() const { return static_cast<Vertex>(names_.size()); }
  // The place of every id in the natural order: ascending where all names are integers, else first appearance. Reorders
  // the names, so to be called once, after the last id().
  std::vector<Vertex> natural_order();
  // By id or, after natural_order(), by place; empty where they are 1..n in this order.
  std::vector<std::string> labels() const;

 private:
  void grow();

  std::vector<std::string_view> names_;
  std::vector<std::uint32_t> hashes_;  // of names_
  std::vector<std::uint32_t> slots_;   // id + 1, or 0: open addressing, at most half full
};

// The rows, the columns, or both, of edges as a set of numbers, and each one's rank in it.
class NumberRanks {
 public:
  NumberRanks(std::span<const Edge> edges, bool rows, bool columns);
  Vertex size() const { return size_; }
  // Requires a number of the set.
  Vertex rank(std::uint32_t number) const;
  // Ascending, as text; empty where they are 1..n.
  std::vector<std::string> labels() const;

 private:
  std::vector<std::uint64_t> bits_;    // by number, where the numbers are dense enough
  std::vector<std::uint32_t> before_;  // how many are set in the words before
  std::vector<std::uint32_t> sorted_;  // else the set itself
  Vertex size_ = 0;
};

}  // namespace matchcount::readers
