#include "permanent/frontier/cpu/sparse.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "permanent/frontier/cpu/dense.hpp"

namespace matchcount {
namespace {

// The union of two sorted lists of keys.
void unite(const std::vector<Word>& a, const std::vector<Word>& b, std::size_t words, std::vector<Word>& result) {
  result.resize(a.size() + b.size());
  const Word *x = a.data(), *y = b.data();
  const Word *const x_end = x + a.size(), *const y_end = y + b.size();
  Word* to = result.data();
  if (words == 1) {
    while (x != x_end && y != y_end) {
      const Word u = *x, v = *y;
      *to++ = u < v ? u : v;
      x += u <= v;
      y += v <= u;
    }
  } else {
    while (x != x_end && y != y_end) {
      const auto [at_x, at_y] = std::mismatch(x, x + words, y);
      const bool takes_x = at_x == x + words || *at_x < *at_y, takes_y = at_x == x + words || *at_y < *at_x;
      to = std::copy_n(takes_x ? x : y, words, to);
      x += takes_x ? words : 0;
      y += takes_y ? words : 0;
    }
  }
  to = std::copy(x, x_end, to);
  to = std::copy(y, y_end, to);
  result.resize(static_cast<std::size_t>(to - result.data()));
}

}  // namespace

SparseStates::SparseStates(const FrontierSteps& steps) : steps_(steps) {
  slots_.of.assign(steps.num_bits(), no_slot);
  std::size_t most_slots = 1;  // a step takes slots before it gives some back
  std::size_t width = 0;
  for (const FrontierStep& step : steps.steps) {
    most_slots = std::max(most_slots, width + step.entering.size());
    width = step.width;
  }
  if (steps.maximal) most_slots *= 2;
  key_words_ = (most_slots + 63) / 64;
  keys_.assign(key_words_, 0);
}

void SparseStates::Slots::take(Vertex v) {
  of[v] = free.empty() ? count++ : free.back();
  if (!free.empty()) free.pop_back();
}
void SparseStates::Slots::give_back(Vertex v) { free.push_back(std::exchange(of[v], no_slot)); }

void SparseStates::take_slots(const FrontierStep& step, Slots& slots) const {
  for (const Vertex v : step.entering) {
    slots.take(v);
    if (steps_.maximal) slots.take(steps_.left(v));
  }
}

std::vector<SparseStates::Stream> SparseStates::streams_of(const FrontierStep& step, const Slots& slots) const {
  std::vector<Stream> streams;
  for (const FrontierStep::Move& move : step.moves) {
    Stream stream{move.weight, std::vector<Word>(key_words_, 0), std::vector<Word>(key_words_, 0),
                  std::vector<Word>(key_words_, ~Word{0}), std::vector<Word>(key_words_, 0)};
    const auto expect = [&](Vertex v, bool matched) {
      const std::uint32_t slot = slots.of[v];
      stream.test[word_of(slot)] |= bit_of(slot);
      if (steps_.bit(v, matched)) stream.expect[word_of(slot)] |= bit_of(slot);
    };
    const auto drop = [&](Vertex v) {
      const std::uint32_t slot = slots.of[v];
      stream.keep[word_of(slot)] &= ~bit_of(slot);
      stream.set[word_of(slot)] &= ~bit_of(slot);
    };
    const auto put = [&](Vertex v, bool matched) {
      drop(v);
      if (steps_.bit(v, matched)) stream.set[word_of(slots.of[v])] |= bit_of(slots.of[v]);
    };
    if (step.was_on_frontier) {
      const bool is_left = steps_.maximal && move.weight == step.weight_unmatched();
      expect(step.vertex, move.weight == 0 || is_left);
      drop(step.vertex);
      if (steps_.maximal) {
        expect(steps_.left(step.vertex), is_left);
        drop(steps_.left(step.vertex));
      }
    }
    for (const Vertex v : move.not_left) expect(steps_.left(v), false);
    if (move.partner != unmatched && !move.enters) {
      expect(move.partner, false);
      put(move.partner, true);
    }
    if (move.after != unmatched) expect(move.after, true);
    for (const Vertex v : step.closing) {
      if (v != move.partner) expect(v, true);
      drop(v);
    }
    for (const Vertex v : step.entering) {
      const bool is_left = std::ranges::find(move.left, v) != move.left.end();
      put(v, v == move.partner || is_left);
      if (steps_.maximal) put(steps_.left(v), is_left);
    }
    streams.push_back(std::move(stream));
  }
  return streams;
}

// Returns the first index whose state passes and maps to a key >= bound.
std::size_t SparseStates::first_from(const Stream& stream, const std::vector<Word>& bound) const {
  std::vector<Word> mapped(key_words_);
  const auto first_passing = [&](std::size_t index) {
    while (index < count() && !passes(stream, &keys_[index * key_words_])) ++index;
    return index;
  };
  std::size_t low = 0, high = count();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::size_t index = first_passing(middle);
    if (index == count()) {
      high = middle;
      continue;
    }
    map(stream, &keys_[index * key_words_], mapped.data());
    if (mapped >= bound) {
      high = middle;
    } else {
      low = index + 1;
    }
  }
  return first_passing(low);
}

// Parts for threads begin at mapped keys at quantiles of the first stream.
void SparseStates::divide(Step& step, int num_threads) const {
  step.sources.emplace_back(step.streams.size(), 0);
  if (num_threads > 1 && static_cast<double>(count()) > min_parallel_states && !step.streams.empty()) {
    const auto parts = static_cast<std::size_t>(num_threads) * 4;
    const Stream& first = step.streams.front();
    std::vector<Word> before, key(key_words_);
    for (std::size_t part = 1; part < parts; ++part) {
      std::size_t index = count() / parts * part;
      while (index < count() && !passes(first, &keys_[index * key_words_])) ++index;
      if (index == count()) break;
      map(first, &keys_[index * key_words_], key.data());
      if (key == before) continue;
      before = key;
      std::vector<std::size_t> sources;
      for (const Stream& stream : step.streams) sources.push_back(first_from(stream, key));
      step.sources.push_back(std::move(sources));
    }
  }
  step.sources.emplace_back(step.streams.size(), count());
  step.targets.assign(step.sources.size(), 0);
}

// Returns the keys of a part's targets, without those that leave more vertices unmatched than may be.
std::vector<Word> SparseStates::merged(const Step& step, std::size_t part, const FrontierStep& of,
                                       const RunContext& run) const {
  std::vector<Word> keys, mapped, united;
  for (std::size_t s = 0; s < step.streams.size(); ++s) {
    const Stream& stream = step.streams[s];
    const std::size_t first = step.sources[part][s], end = step.sources[part + 1][s];
    run.check();
    mapped.resize((end - first) * key_words_);
    Word* to = mapped.data();
    if (key_words_ == 1) {
      const Word test = stream.test[0], expect = stream.expect[0], keep = stream.keep[0], set = stream.set[0];
      for (std::size_t i = first; i < end; ++i) {
        *to = (keys_[i] & keep) | set;
        to += (keys_[i] & test) == expect;
      }
    } else {
      map_each<false>(stream, first, end, run,
                      [&](std::size_t, const Word* key) { to = std::copy_n(key, key_words_, to); });
    }
    mapped.resize(static_cast<std::size_t>(to - mapped.data()));
    if (keys.empty()) {
      keys.swap(mapped);
    } else if (!mapped.empty()) {
      unite(keys, mapped, key_words_, united);
      keys.swap(united);
    }
  }
  if (step.is_whole) return keys;
  std::vector<Word> columns(key_words_, 0), rows(key_words_, 0);
  for (Vertex v = 0; v < steps_.num_vertices; ++v) {
    const std::uint32_t slot = step.slots.of[v];
    if (slot != no_slot) (steps_.is_column[v] ? columns : rows)[word_of(slot)] |= bit_of(slot);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < keys.size(); i += key_words_) {
    std::int64_t excess = 0;
    for (std::size_t w = 0; w < key_words_; ++w) {
      excess += static_cast<std::int64_t>(count_ones(keys[i + w] & columns[w])) -
                static_cast<std::int64_t>(count_ones(keys[i + w] & rows[w]));
    }
    if (excess < of.least_excess || excess > of.most_excess) continue;
    std::copy_n(&keys[i], key_words_, &keys[kept]);
    kept += key_words_;
  }
  keys.resize(kept);
  return keys;
}

SparseStates::Step SparseStates::moves_of(const FrontierStep& step) const {
  Slots slots = slots_;
  take_slots(step, slots);
  Step result;
  result.streams = streams_of(step, slots);
  result.is_whole = steps_.is_column.empty();
  if (step.was_on_frontier) {
    slots.give_back(step.vertex);
    if (steps_.maximal) slots.give_back(steps_.left(step.vertex));
  }
  for (const Vertex v : step.closing) slots.give_back(v);
  result.slots = std::move(slots);
  return result;
}

SparseStates::Step SparseStates::begin(const FrontierStep& step, int num_threads, const RunContext& run) const {
  Step result = moves_of(step);
  divide(result, num_threads);
  const std::size_t parts = result.num_parts();
  std::vector<std::vector<Word>> keys(parts);
  parallel_for_chunks(num_threads, parts,
                      [&](std::uint64_t part, int) { keys[part] = merged(result, part, step, run); });
  for (std::size_t part = 0; part < parts; ++part)
    result.targets[part + 1] = result.targets[part] + keys[part].size() / key_words_;
  if (parts == 1) {
    result.keys = std::move(keys.front());
    return result;
  }
  result.keys.reserve(result.count() * key_words_);
  for (auto& of_part : keys) {
    result.keys.insert(result.keys.end(), of_part.begin(), of_part.end());
    of_part = {};
  }
  return result;
}

std::vector<Vertex> SparseStates::frontier() const {
  std::vector<Vertex> result;
  for (Vertex v = 0; v < slots_.of.size(); ++v) {
    if (slots_.of[v] != no_slot) result.push_back(v);
  }
  return result;
}

void SparseStates::begin_layout(const std::vector<Vertex>& layout) {
  clear();
  for (const Vertex v : layout) slots_.take(v);
}

void SparseStates::clear() {
  keys_ = {};
  slots_.free.clear();
  slots_.count = 0;
  std::ranges::fill(slots_.of, no_slot);
}

void SparseStates::set_slots(Slots slots) {
  if (slots.of.size() != steps_.num_bits()) throw Error("a layer of another graph");
  slots_ = std::move(slots);
}

}  // namespace matchcount
