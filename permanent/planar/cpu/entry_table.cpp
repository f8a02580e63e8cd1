#include "permanent/planar/cpu/entry_table.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/numbers/residue.hpp"

namespace matchcount {

EntryTable::EntryTable(const std::vector<std::int64_t>& entries) : values_(1) {
  std::unordered_map<std::int64_t, std::uint32_t> place_of{{0, 0}};
  places_.reserve(entries.size());
  for (const std::int64_t entry : entries) {
    const auto [found, fresh] = place_of.try_emplace(entry, static_cast<std::uint32_t>(values_.size()));
    if (fresh) values_.push_back({entry, 0});
    places_.push_back(found->second);
  }
  add_words();
}

EntryTable::EntryTable(const std::vector<GaussianInteger>& entries) : places_(entries.size()), values_(1) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int by_re = entries[a].re.compare(entries[b].re);
    return by_re != 0 ? by_re < 0 : entries[a].im.compare(entries[b].im) < 0;
  });
  for (const std::size_t i : order) {
    if (entries[i] == GaussianInteger{}) continue;
    if (values_.size() == 1 || !(entries[i] == values_.back())) values_.push_back(entries[i]);
    places_[i] = static_cast<std::uint32_t>(values_.size() - 1);
    complex_ = complex_ || entries[i].im != 0;
  }
  add_words();
}

void EntryTable::add_words() {
  const auto add = [&](const Integer& part) {
    const std::size_t begin = words_.size();
    if (part != 0) {
      const std::vector<std::uint32_t> words = magnitude_words(part);
      words_.insert(words_.end(), words.begin(), words.end());
    }
    parts_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(words_.size()), part < 0});
    most_words_ = std::max(most_words_, words_.size() - begin);
  };
  for (const GaussianInteger& value : values_) {
    add(value.re);
    if (complex_) add(value.im);
  }
}

std::vector<std::uint32_t> EntryTable::residues(std::uint64_t prime, std::uint64_t root) const {
  const auto of = [&](const EliminationPart& part) {
    std::uint64_t rest = 0;
    for (std::uint32_t w = part.end; w > part.begin; --w) rest = (rest << 32 | words_[w - 1]) % prime;
    return part.negative && rest != 0 ? prime - rest : rest;
  };
  std::vector<std::uint32_t> result;
  result.reserve(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::uint64_t value =
        complex_ ? (of(parts_[2 * i]) + multiply_mod(of(parts_[2 * i + 1]), root, prime)) % prime : of(parts_[i]);
    result.push_back(static_cast<std::uint32_t>(value));
  }
  return result;
}

}  // namespace matchcount
