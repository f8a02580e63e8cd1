#include "graph/readers/names.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

namespace matchcount::readers {

bool canonical_integer(std::string_view name, std::int64_t& value) {
  const bool negative = !name.empty() && name[0] == '-';
  const std::string_view digits = negative ? name.substr(1) : name;
  if (digits.empty() || digits.size() > 18) return false;
  if (digits[0] == '0' && (negative || digits.size() > 1)) return false;
  std::int64_t magnitude = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    magnitude = 10 * magnitude + (c - '0');
  }
  value = negative ? -magnitude : magnitude;
  return true;
}

Vertex NameTable::id(std::string_view name) {
  if (2 * (names_.size() + 1) > slots_.size()) grow();
  const std::size_t full = std::hash<std::string_view>()(name);
  const auto hash = static_cast<std::uint32_t>(full ^ (full >> 32));
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Vertex known = slots_[slot] - 1;
    if (hashes_[known] == hash && names_[known] == name) return known;
  }
  names_.push_back(name);
  hashes_.push_back(hash);
  slots_[slot] = size();
  return size() - 1;
}

void NameTable::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
  const std::size_t mask = slots_.size() - 1;
  for (Vertex id = 0; id < size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = id + 1;
  }
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

NumberRanks::NumberRanks(std::span<const Edge> edges, bool rows, bool columns) {
  std::uint32_t largest = 0;
  for (const Edge& edge : edges) {
    if (rows) largest = std::max(largest, edge.row);
    if (columns) largest = std::max(largest, edge.column);
  }
  const std::size_t words = std::size_t{largest} / 64 + 1;
  if (12 * words <= (std::size_t{1} << 26) + 16 * edges.size()) {
    bits_.resize(words);
    for (const Edge& edge : edges) {
      if (rows) bits_[edge.row / 64] |= std::uint64_t{1} << (edge.row % 64);
      if (columns) bits_[edge.column / 64] |= std::uint64_t{1} << (edge.column % 64);
    }
    before_.resize(words);
    for (std::size_t i = 0; i < words; ++i) {
      before_[i] = size_;
      size_ += static_cast<Vertex>(std::popcount(bits_[i]));
    }
  } else {
    sorted_.reserve((rows ? edges.size() : 0) + (columns ? edges.size() : 0));
    for (const Edge& edge : edges) {
      if (rows) sorted_.push_back(edge.row);
      if (columns) sorted_.push_back(edge.column);
    }
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    size_ = static_cast<Vertex>(sorted_.size());
  }
}

Vertex NumberRanks::rank(std::uint32_t number) const {
  if (bits_.empty()) {
    return static_cast<Vertex>(std::lower_bound(sorted_.begin(), sorted_.end(), number) - sorted_.begin());
  }
  const std::uint64_t below = bits_[number / 64] & ((std::uint64_t{1} << (number % 64)) - 1);
  return before_[number / 64] + static_cast<Vertex>(std::popcount(below));
}

std::vector<std::string> NumberRanks::labels() const {
  std::vector<std::string> labels;
  if (bits_.empty()) {
    labels.reserve(size_);
    for (const std::uint32_t number : sorted_) labels.push_back(std::to_string(number));
    return labels;
  }
  // n numbers of which the largest is n and none is 0: the numbers 1..n.
  const std::size_t largest = 64 * bits_.size() - 1 - static_cast<std::size_t>(std::countl_zero(bits_.back()));
  if (size_ == 0 || (largest == size_ && (bits_[0] & 1) == 0)) return labels;
  labels.reserve(size_);
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    for (std::uint64_t word = bits_[i]; word != 0; word &= word - 1) {
      labels.push_back(std::to_string(64 * i + static_cast<std::size_t>(std::countr_zero(word))));
    }
  }
  return labels;
}

}  // namespace matchcount::readers
