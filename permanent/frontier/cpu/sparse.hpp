#pragma once
// Holds the states of a layer that has few of them as sorted masks, of any width, and carries out steps on them.
//
// A frontier vertex has a slot, a bit of the masks. Each move of a step maps the states that pass a test of some bits
// by setting and clearing those same bits, which keeps them sorted; so the new layer is merged from as many filtered
// passes over the old one as there are moves. Nothing is hashed or sorted. Then each pass finds its targets in order,
// and the caller of for_each_transition adds the values to them, for every number type.
//
// Twins (vertices with the same neighbours and equal entries) may be matched in turn, each only after the one before
// it. Of the m! orders in which a matching reaches a class of m twins one is left, and of its 2^m states m + 1. This
// takes one more bit to test. The dense engine, whose arrays have a place for every state, does not match twins in
// turn.

#include <cstdint>
#include <utility>
#include <vector>

#include "core/bytes.hpp"
#include "core/run.hpp"
#include "permanent/frontier/cpu/states.hpp"
#include "permanent/frontier/cpu/steps.hpp"

namespace matchcount {

class SparseStates {
 public:
  // The one state before the first step. `steps` outlive this.
  explicit SparseStates(const FrontierSteps& steps);

  std::size_t count() const { return keys_.size() / key_words_; }
  std::size_t bytes() const { return keys_.capacity() * sizeof(Word); }
  std::size_t key_words() const { return key_words_; }
  const std::vector<Word>& keys() const { return keys_; }  // key_words() a state, the most significant first
  std::vector<Word>& keys() { return keys_; }

  static constexpr std::uint32_t no_slot = 0xffffffff;
  struct Slots {
    std::uint32_t count = 0;
    std::vector<std::uint32_t> free;
    std::vector<std::uint32_t> of;  // by vertex; no_slot: not on the frontier

    auto fields() { return std::tie(count, free, of); }

    void take(Vertex v);
    void give_back(Vertex v);
  };
  // A move of a step, in terms of slots.
  struct Stream {
    std::uint32_t weight = 0;
    std::vector<Word> test, expect, keep, set;
  };
  // A step from these states, before they are replaced. Parts are shared out among threads: part p adds to the new
  // states [targets[p], targets[p + 1]), from the old ones [sources[p][s], sources[p + 1][s]) of stream s.
  struct Step {
    std::vector<Stream> streams;
    std::vector<std::vector<std::size_t>> sources;
    std::vector<std::size_t> targets;
    Slots slots;             // of the new layer
    std::vector<Word> keys;  // of its states
    bool is_whole = true;    // no target was left out as hopeless

    std::size_t num_parts() const { return targets.size() - 1; }
    std::size_t count() const { return targets.back(); }
  };
  // Returns the moves of a step, and the slots after it, of a step that another carries out.
  Step moves_of(const FrontierStep& step) const;
  // Throws as run.check() does.
  Step begin(const FrontierStep& step, int num_threads, const RunContext& run) const;
  // Calls emit(source, target, weight) for each transition of a part, those to the same target in the order of moves.
  template <class Emit>
  void for_each_transition(const Step& step, std::size_t part, const RunContext& run, const Emit& emit) const {
    key_words_ == 1 ? each_transition<true>(step, part, run, emit) : each_transition<false>(step, part, run, emit);
  }
  // Goes over to the new states.
  void finish(Step& step) {
    keys_.swap(step.keys);
    std::swap(slots_, step.slots);
  }

  // Calls emit(source, target, weight) for each transition of a step into a layer that is there: a dense one with this
  // layout, of which index(mask) finds the states, or else sorted keys.
  template <class Index, class Emit>
  void for_each_transition(const FrontierStep& step, const std::vector<Vertex>* layout,
                           const std::vector<Word>& target_keys, const RunContext& run, const Index& index,
                           const Emit& emit) const {
    Slots slots = slots_;
    take_slots(step, slots);
    const auto all = [&]<bool single>() {
      for (const Stream& stream : streams_of(step, slots)) {
        std::size_t target = 0;
        map_each<single>(stream, 0, count(), run, [&](std::size_t source, const Word* key) {
          if (layout) {
            target = index(mask_of(key, *layout, slots));
          } else {
            while (compare<single>(&target_keys[target * key_words_], key, key_words_) < 0) ++target;
          }
          emit(source, target, stream.weight);
        });
      }
    };
    key_words_ == 1 ? all.template operator()<true>() : all.template operator()<false>();
  }

  // Keeps the states of which keep(from, to) is true; it may move what belongs to the state from one place to another.
  template <class Keep>
  void keep_if(const Keep& keep) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count(); ++i) {
      if (!keep(i, kept)) continue;
      for (std::size_t w = 0; w < key_words_; ++w) keys_[kept * key_words_ + w] = keys_[i * key_words_ + w];
      ++kept;
    }
    keys_.resize(kept * key_words_);
  }

  // Returns the vertices of the frontier, in ascending order.
  std::vector<Vertex> frontier() const;
  // Returns a state as a mask of the frontier in this layout, lowest bit first; of at most 64 vertices.
  Word mask_of(std::size_t i, const std::vector<Vertex>& layout) const {
    return mask_of(&keys_[i * key_words_], layout, slots_);
  }
  // Takes up states that were masks in a layout: position p in slot p.
  void begin_layout(const std::vector<Vertex>& layout);
  void push_mask(Word mask) {
    keys_.insert(keys_.end(), key_words_ - 1, 0);
    keys_.push_back(mask);
  }
  // Forgets states and slots.
  void clear();

  const Slots& slots() const { return slots_; }
  // Throws Error for those of another graph.
  void set_slots(Slots slots);

 private:
  static constexpr std::size_t states_a_check = 1 << 12;

  static Word bit_of(std::uint32_t slot) { return Word{1} << (slot & 63); }
  std::size_t word_of(std::uint32_t slot) const { return key_words_ - 1 - slot / 64; }
  Word mask_of(const Word* key, const std::vector<Vertex>& layout, const Slots& slots) const {
    Word mask = 0;
    for (std::size_t position = 0; position < layout.size(); ++position) {
      const std::uint32_t slot = slots.of[layout[position]];
      mask |= (key[word_of(slot)] >> (slot & 63) & 1) << position;
    }
    return mask;
  }

  // Gives slots to what enters.
  void take_slots(const FrontierStep& step, Slots& slots) const;
  // Returns the step's moves; what enters has slots.
  std::vector<Stream> streams_of(const FrontierStep& step, const Slots& slots) const;
  void divide(Step& step, int num_threads) const;
  std::vector<Word> merged(const Step& step, std::size_t part, const FrontierStep& of, const RunContext& run) const;
  std::size_t first_from(const Stream& stream, const std::vector<Word>& bound) const;

  bool passes(const Stream& stream, const Word* key) const {
    Word differs = 0;
    for (std::size_t w = 0; w < key_words_; ++w) differs |= (key[w] & stream.test[w]) ^ stream.expect[w];
    return differs == 0;
  }
  void map(const Stream& stream, const Word* key, Word* mapped) const {
    for (std::size_t w = 0; w < key_words_; ++w) mapped[w] = (key[w] & stream.keep[w]) | stream.set[w];
  }
  template <bool single>
  static int compare(const Word* a, const Word* b, std::size_t words) {
    if (single) return *a == *b ? 0 : *a < *b ? -1 : 1;
    for (std::size_t w = 0; w < words; ++w) {
      if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
    }
    return 0;
  }

  // Calls visit(i, mapped key) for the states of [first, end) that pass.
  template <bool single, class Visit>
  void map_each(const Stream& stream, std::size_t first, std::size_t end, const RunContext& run,
                const Visit& visit) const {
    std::vector<Word> mapped(key_words_);
    for (std::size_t begin = first; begin < end; begin += states_a_check) {
      run.check();
      const std::size_t stop = std::min(end, begin + states_a_check);
      if (single) {
        const Word test = stream.test[0], expect = stream.expect[0], keep = stream.keep[0], set = stream.set[0];
        for (std::size_t i = begin; i < stop; ++i) {
          if ((keys_[i] & test) != expect) continue;
          const Word key = (keys_[i] & keep) | set;
          visit(i, &key);
        }
      } else {
        for (std::size_t i = begin; i < stop; ++i) {
          const Word* const key = &keys_[i * key_words_];
          if (!passes(stream, key)) continue;
          map(stream, key, mapped.data());
          visit(i, mapped.data());
        }
      }
    }
  }
  template <bool single, class Emit>
  void each_transition(const Step& step, std::size_t part, const RunContext& run, const Emit& emit) const {
    const Word* const end = step.keys.data() + step.targets[part + 1] * key_words_;
    for (std::size_t s = 0; s < step.streams.size(); ++s) {
      const std::uint32_t weight = step.streams[s].weight;
      const std::size_t first = step.sources[part][s], last = step.sources[part + 1][s];
      const Word* target = step.keys.data() + step.targets[part] * key_words_;
      const auto place = [&] { return static_cast<std::size_t>(target - step.keys.data()) / key_words_; };
      if (step.is_whole) {
        map_each<single>(step.streams[s], first, last, run, [&](std::size_t source, const Word* key) {
          while (compare<single>(target, key, key_words_) != 0) target += single ? 1 : key_words_;
          emit(source, single ? static_cast<std::size_t>(target - step.keys.data()) : place(), weight);
        });
      } else {
        map_each<single>(step.streams[s], first, last, run, [&](std::size_t source, const Word* key) {
          while (target < end && compare<single>(target, key, key_words_) < 0) target += key_words_;
          if (target < end && compare<single>(target, key, key_words_) == 0) emit(source, place(), weight);
        });
      }
    }
  }

  const FrontierSteps& steps_;
  std::size_t key_words_ = 1;
  std::vector<Word> keys_;
  Slots slots_;
};

}  // namespace matchcount
