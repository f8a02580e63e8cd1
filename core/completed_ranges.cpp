#include "core/completed_ranges.hpp"

#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace matchcount {

CompletedRanges::CompletedRanges(std::uint64_t num_pieces, Merge merge)
    : num_pieces_(num_pieces), merge_(std::move(merge)) {}

void CompletedRanges::add(Range range) {
  const auto name = [&] {
    return "pieces " + std::to_string(range.first) + " to " + std::to_string(range.first + range.size - 1);
  };
  if (!std::has_single_bit(range.size) || range.first % range.size != 0 || range.first >= num_pieces_ ||
      range.size > num_pieces_ - range.first) {
    throw Error(name() + " are no range of " + std::to_string(num_pieces_) + " pieces");
  }
  auto at = nodes_.lower_bound(range.first);
  const bool before = at != nodes_.begin() && std::prev(at)->first + std::prev(at)->second.size > range.first;
  if (before || (at != nodes_.end() && at->first < range.first + range.size)) throw Error(name() + " came in twice");
  num_done_ += range.size;
  at = nodes_.emplace_hint(at, range.first, Node{range.size, std::move(range.record)});
  for (;;) {
    const std::uint64_t size = at->second.size;
    const bool is_later = (at->first / size) % 2 == 1;
    if (is_later ? at == nodes_.begin() : std::next(at) == nodes_.end()) return;
    const auto earlier = is_later ? std::prev(at) : at;
    const auto later = std::next(earlier);
    if (earlier->second.size != size || later->second.size != size || later->first != earlier->first + size) return;
    earlier->second = {2 * size, merge_(earlier->second.record, later->second.record)};
    nodes_.erase(later);
    at = earlier;
  }
}

std::vector<CompletedRanges::Span> CompletedRanges::missing() const {
  std::vector<Span> result;
  std::uint64_t next = 0;
  for (const auto& [first, node] : nodes_) {
    if (first > next) result.push_back({next, first});
    next = first + node.size;
  }
  if (next < num_pieces_) result.push_back({next, num_pieces_});
  return result;
}

CompletedRanges::Prefix CompletedRanges::prefix() const {
  Prefix result;
  auto end = nodes_.begin();
  while (end != nodes_.end() && end->first == result.num_pieces) {
    result.num_pieces += end->second.size;
    ++end;
  }
  // The last first, as a carry in a sum: ranges fall in size.
  std::optional<Bytes> sum;
  for (auto at = end; at != nodes_.begin();) {
    --at;
    sum = sum ? merge_(at->second.record, *sum) : at->second.record;
  }
  if (sum) result.record = std::move(*sum);
  return result;
}

Bytes CompletedRanges::serialize() const {
  ByteWriter out;
  out.put(num_pieces_, static_cast<std::uint64_t>(nodes_.size()));
  for (const auto& [first, node] : nodes_) out.put(first, node.size, node.record);
  return out.take();
}

void CompletedRanges::add_serialized(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  if (in.get<std::uint64_t>() != num_pieces_) throw Error("finished ranges of another sum");
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    Range range;
    in.get(range.first, range.size, range.record);
    add(std::move(range));
  }
  if (!in.at_end()) throw Error("finished ranges with something behind them");
}

void CompletedRanges::clear() {
  nodes_.clear();
  num_done_ = 0;
}

}  // namespace matchcount
