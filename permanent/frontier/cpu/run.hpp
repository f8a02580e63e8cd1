#pragma once
// Runs two engines over the same steps.
//
// sparse: states are sorted bit masks, a slot a frontier vertex. A step maps the states that pass a test of some bits
// by setting and clearing those same bits, which keeps them sorted; so the new layer is a k-way merge of as many
// filtered passes over the old one as the vertex has choices. No hashing, no sorting, masks of any width.
//
// Twins (vertices with the same neighbours and equal entries) may be matched in turn, each only after the one before
// it: of the orders in which a matching reaches a class of m, one is left of m!, and of its 2^m states m + 1. That is
// one more bit to test for the sparse engine; the dense one knows all C(w, k) states or none.
//
// dense: an array over all C(w, k) states (dense.hpp).

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "permanent/frontier/cpu/dense.hpp"
#include "permanent/frontier/cpu/kernels.hpp"
#include "permanent/frontier/cpu/layer.hpp"
#include "permanent/frontier/cpu/states.hpp"
#include "permanent/frontier/cpu/steps.hpp"

namespace matchcount {

template <class Arithmetic>
class FrontierRun {
 public:
  using Slot = typename Arithmetic::Slot;

  // `name` and `description` are what the layer is saved as, where run.work() has a checkpoint; no name: it is not.
  FrontierRun(const FrontierSteps& steps, Arithmetic& arithmetic, FrontierEngine engine, const RunContext& run,
              std::string name, std::string description)
      : steps_(steps),
        arithmetic_(arithmetic),
        engine_(steps.with_twins || engine == FrontierEngine::twins ? FrontierEngine::sparse : engine),
        run_(run),
        num_threads_(run.num_threads()),
        kernels_(frontier_kernels(std::min(run.options().max_isa, detected_isa()))),
        indices_(steps.by_parity, std::min(steps.max_width, max_dense_width) + 1),
        touches_(steps),
        slot_of_(steps.num_vertices, no_slot),
        checkpoint_(run.work() && !name.empty() ? run.work()->checkpoint() : nullptr),
        name_(std::move(name)),
        description_(std::move(description)) {
    if (engine_ == FrontierEngine::dense) require_dense_width(steps);
    for (const FrontierStep& step : steps.steps) {
      total_work_ += work_of(step);
      if (step.width > max_dense_width) continue;
      const double states = dense_states(step);
      if (has_memory_for(2 * sizeof(Slot) * states)) {
        largest_dense_ = std::max(largest_dense_, static_cast<std::size_t>(states));
      }
    }
  }

  // The planes of the one state that is left, or nothing when no state is.
  std::vector<Slot> run() {
    std::size_t first = 0;
    bool prepared = begin(first, [&](std::span<const std::byte> saved) { return load(saved); });
    double done = 0;
    for (std::size_t t = 0; t < first; ++t) done += work_of(steps_.steps[t]);
    for (std::size_t t = first; t < steps_.steps.size(); ++t) {
      const FrontierStep& step = steps_.steps[t];
      if (!prepared) {
        if (layer_.is_dense && leave_dense(step)) to_sparse();
        arithmetic_.prepare(step, layer_, [](double largest) { return largest; });
      }
      prepared = false;
      save_when_interrupted(t, [&] { run_.report("frontier", done, total_work_); });
      if (checkpoint_ && checkpoint_->due()) save(t, slots());
      bool replaced = false;  // the layer, by the next one
      const auto take_step = [&] {
        if (layer_.is_dense) {
          ranked_step(t);
        } else {
          merged_step(step);
          replaced = true;
          if (enter_dense(step)) to_dense(t);
        }
      };
      if (checkpoint_ && layer_.count >= worth_keeping) {
        const Bytes before = slots();
        try {
          take_step();
        } catch (const Unable&) {
          if (!replaced) save(t, before);
          throw;
        }
      } else {
        take_step();
      }
      if (layer_.count == 0) return {};
      layer_.planes = arithmetic_.target_planes();
      done += work_of(step);
    }
    std::vector<Slot> result(static_cast<std::size_t>(layer_.planes));
    for (int k = 0; k < layer_.planes; ++k)
      result[static_cast<std::size_t>(k)] = layer_.values()[k * layer_.plane_stride()];
    return result;
  }

 protected:
  static constexpr double bytes_of_slot = sizeof(Slot);
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

  // Takes up the one state before the first step, or by load(bytes) a layer that was saved. Returns whether it did,
  // and then the step to go on with, for which the layer is prepared.
  template <class Load>
  bool begin(std::size_t& first, const Load& load) {
    std::size_t most_slots = 1;  // a step takes slots before it gives some back
    std::size_t width = 0;
    for (const FrontierStep& step : steps_.steps) {
      most_slots = std::max(most_slots, width + step.entering.size());
      width = step.width;
    }
    key_words_ = (most_slots + 63) / 64;
    layer_.count = 1;
    layer_.planes = arithmetic_.source_planes();
    layer_.keys.assign(key_words_, 0);
    for (int k = 0; k < layer_.planes; ++k) layer_.sparse.push_back(Arithmetic::one(k));
    if (!checkpoint_) return false;
    const auto saved = checkpoint_->find(name_, description_);
    if (!saved) return false;
    first = load(*saved);
    checkpoint_->remove(name_);  // it is here now; the file has it until the next is written
    return true;
  }

  static double work_of(const FrontierStep& step) {
    return step.states * (1.0 + 0.5 * static_cast<double>(step.choices.size()));
  }

  // Whether so much is within the part of the memory limit that layers may take.
  bool has_memory_for(double bytes) const { return run_.has_memory_for(bytes / share_of_memory_); }

  void check_memory(double more_bytes) const {
    const double total = static_cast<double>(layer_.bytes()) + more_bytes;
    if (!has_memory_for(total)) {
      throw Unable("the next layer of the frontier needs " + memory_amount(total) + " in all, the memory limit is " +
                   memory_amount(share_of_memory_ * static_cast<double>(run_.memory_limit_bytes())));
    }
  }

  // -- Checkpoints: a layer before a step, with what the step was prepared with.

  // Smaller layers are over before they are worth the copy of the slots.
  static constexpr std::size_t worth_keeping = 4096;

  template <class Body>
  void save_when_interrupted(std::size_t t, const Body& body) {
    try {
      body();
    } catch (const Unable&) {
      if (checkpoint_) save(t, slots());
      throw;
    }
  }

  // What a sparse step changes before it is over.
  Bytes slots() const {
    ByteWriter out;
    out.put(num_slots_);
    out.put_vector(free_slots_);
    out.put_vector(slot_of_);
    return out.take();
  }

  void save(std::size_t t, const Bytes& before) {
    const std::span<const Word> keys(layer_.keys);
    const std::span<const Slot> values(layer_.values(), layer_.count * static_cast<std::size_t>(layer_.planes));
    const KeptLayer kept{
        t,          before, steps_since_counted_, ones_, layer_.is_dense, layer_.count, layer_.planes, layer_.layout,
        keys.size()};
    const Bytes head = kept.head(arithmetic_);
    const Checkpoint::Extra extra{name_, description_, {head, std::as_bytes(keys), std::as_bytes(values)}};
    checkpoint_->write(&extra);
  }

  // Returns the step to go on with.
  std::size_t load(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    const KeptLayer kept = KeptLayer::from(in, arithmetic_, steps_.steps);
    ByteReader before(kept.slots);
    num_slots_ = before.get<std::uint32_t>();
    free_slots_ = before.get_vector<std::uint32_t>();
    slot_of_ = before.get_vector<std::uint32_t>();
    steps_since_counted_ = kept.steps_since_counted;
    ones_ = kept.ones;
    layer_.is_dense = kept.is_dense;
    layer_.count = kept.count;
    layer_.planes = kept.planes;
    layer_.layout = kept.layout;
    const auto planes = static_cast<std::size_t>(layer_.planes);
    check_memory(8.0 * static_cast<double>(kept.num_keys) +
                 bytes_of_slot * static_cast<double>(planes) * static_cast<double>(kept.count));
    layer_.keys.resize(kept.num_keys);
    in.get_raw(std::as_writable_bytes(std::span(layer_.keys)));
    if (layer_.is_dense) {
      layer_.dense.resize(layer_.count * planes, largest_dense_ * planes);
    } else {
      layer_.sparse.resize(layer_.count * planes);
    }
    in.get_raw(std::as_writable_bytes(std::span(layer_.values(), layer_.count * planes)));
    if (!in.at_end() || slot_of_.size() != steps_.num_vertices) throw Error("a layer of another graph");
    return kept.step;
  }

  // -- Choosing an engine.

  // After a step of at most max_dense_width.
  double dense_states(const FrontierStep& step) const {
    return static_cast<double>(indices_.count(step.width, step.ones));
  }
  bool fits_dense(const FrontierStep& step) const {
    return step.width <= max_dense_width &&
           has_memory_for(bytes_of_slot * arithmetic_.target_planes() * dense_states(step) +
                          static_cast<double>(layer_.bytes()));
  }
  bool enter_dense(const FrontierStep& step) const {
    if (engine_ == FrontierEngine::sparse) return false;
    if (engine_ == FrontierEngine::dense) return true;
    return step.width <= max_dense_width && static_cast<double>(layer_.count) >= dense_fill * dense_states(step) &&
           fits_dense(step);
  }
  bool leave_dense(const FrontierStep& step) {
    if (engine_ == FrontierEngine::dense) return false;
    if (!fits_dense(step)) return true;
    constexpr std::size_t worth_measuring = 1 << 16;
    if (layer_.count < worth_measuring || ++steps_since_counted_ < 8) return false;
    steps_since_counted_ = 0;
    std::size_t filled = 0;
    const Slot* values = layer_.dense.data();
    for (std::size_t i = 0; i < layer_.count; ++i) {
      for (int k = 0; k < layer_.planes; ++k) {
        if (values[k * layer_.count + i] != 0) {
          ++filled;
          break;
        }
      }
    }
    return static_cast<double>(filled) < merge_fill * static_cast<double>(layer_.count);
  }

  // -- The sparse engine.

  Word slot_bit(std::uint32_t slot) const { return Word{1} << (slot & 63); }
  std::size_t slot_word(std::uint32_t slot) const { return key_words_ - 1 - slot / 64; }

  std::uint32_t take_slot() {
    if (free_slots_.empty()) return num_slots_++;
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  // What a choice asks of a state and does to it. Rows of the table: test, expect, keep, set.
  struct Stream {
    std::vector<Word> test, expect, keep, set;
    std::size_t choice = 0;
  };

  // One pass over the old layer from `from`, filtered and mapped.
  struct Cursor {
    const Stream* stream;
    std::size_t index;
    std::vector<Word> key;  // the mapped key at index
  };

  bool passes(const Stream& stream, const Word* key) const {
    Word differs = 0;
    for (std::size_t w = 0; w < key_words_; ++w) differs |= (key[w] & stream.test[w]) ^ stream.expect[w];
    return differs == 0;
  }
  void map(const Stream& stream, const Word* key, Word* mapped) const {
    for (std::size_t w = 0; w < key_words_; ++w) mapped[w] = (key[w] & stream.keep[w]) | stream.set[w];
  }
  std::size_t first_passing(const Stream& stream, std::size_t index) const {
    while (index < layer_.count && !passes(stream, &layer_.keys[index * key_words_])) ++index;
    return index;
  }
  int compare(const Word* a, const Word* b) const {
    for (std::size_t w = 0; w < key_words_; ++w) {
      if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
    }
    return 0;
  }
  // The first index whose state passes and maps to a key >= bound.
  std::size_t lower_bound(const Stream& stream, const Word* bound) const {
    std::vector<Word> mapped(key_words_);
    std::size_t low = 0, high = layer_.count;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const std::size_t index = first_passing(stream, middle);
      if (index == layer_.count) {
        high = middle;
        continue;
      }
      map(stream, &layer_.keys[index * key_words_], mapped.data());
      if (compare(mapped.data(), bound) >= 0) {
        high = middle;
      } else {
        low = index + 1;
      }
    }
    return first_passing(stream, low);
  }

  std::vector<Stream> make_streams(const FrontierStep& step) {
    std::vector<Stream> streams;
    const auto make = [&](std::size_t choice) {
      Stream stream;
      stream.test.assign(key_words_, 0);
      stream.expect.assign(key_words_, 0);
      stream.keep.assign(key_words_, ~Word{0});
      stream.set.assign(key_words_, 0);
      stream.choice = choice;
      return stream;
    };
    const auto expect = [&](Stream& stream, Vertex v, bool matched) {
      const std::uint32_t slot = slot_of_[v];
      stream.test[slot_word(slot)] |= slot_bit(slot);
      if (steps_.bit(v, matched)) stream.expect[slot_word(slot)] |= slot_bit(slot);
    };
    const auto put = [&](Stream& stream, Vertex v, bool matched) {
      const std::uint32_t slot = slot_of_[v];
      stream.keep[slot_word(slot)] &= ~slot_bit(slot);
      if (steps_.bit(v, matched)) stream.set[slot_word(slot)] |= slot_bit(slot);
    };
    const auto drop = [&](Stream& stream, Vertex v) {
      const std::uint32_t slot = slot_of_[v];
      stream.keep[slot_word(slot)] &= ~slot_bit(slot);
    };
    // partner == unmatched stands for "matched already".
    const auto finish = [&](Stream stream, Vertex partner, bool partner_enters, Vertex after) {
      if (step.was_on_frontier) {
        expect(stream, step.vertex, partner == unmatched);
        drop(stream, step.vertex);
      }
      if (partner != unmatched && !partner_enters) {
        expect(stream, partner, false);
        put(stream, partner, true);
      }
      if (after != unmatched) expect(stream, after, true);
      for (const Vertex v : step.closing) {
        if (v != partner) expect(stream, v, true);
        drop(stream, v);
        if (v == partner) stream.set[slot_word(slot_of_[v])] &= ~slot_bit(slot_of_[v]);
      }
      for (const Vertex v : step.entering) put(stream, v, v == partner);
      streams.push_back(std::move(stream));
    };
    if (step.was_on_frontier && step.closing_entered.empty()) finish(make(0), unmatched, false, unmatched);
    for (std::size_t i = 0; i < step.choices.size(); ++i) {
      const auto& choice = step.choices[i];
      if (!step.closing_entered.empty() && step.closing_entered.front() != choice.partner) continue;
      finish(make(i + 1), choice.partner, choice.enters, choice.after);
    }
    return streams;
  }

  // Merges the mapped keys in [from, to) of all streams. emit(key, first) is called for every contribution in ascending
  // order of keys, first saying whether the key is new; sum order follows the streams.
  template <class Emit>
  void merge(const std::vector<Stream>& streams, const Word* from, const Word* to, Emit&& emit) const {
    std::vector<Cursor> cursors;
    for (const Stream& stream : streams) {
      Cursor cursor{&stream, from ? lower_bound(stream, from) : first_passing(stream, 0),
                    std::vector<Word>(key_words_)};
      if (cursor.index == layer_.count) continue;
      map(stream, &layer_.keys[cursor.index * key_words_], cursor.key.data());
      if (to && compare(cursor.key.data(), to) >= 0) continue;
      cursors.push_back(std::move(cursor));
    }
    std::vector<Word> least(key_words_);
    while (!cursors.empty()) {
      least = cursors.front().key;
      for (std::size_t c = 1; c < cursors.size(); ++c) {
        if (compare(cursors[c].key.data(), least.data()) < 0) least = cursors[c].key;
      }
      bool first = true;
      for (std::size_t c = 0; c < cursors.size();) {
        Cursor& cursor = cursors[c];
        if (compare(cursor.key.data(), least.data()) != 0) {
          ++c;
          continue;
        }
        emit(least.data(), first, cursor.index, cursor.stream->choice);
        first = false;
        cursor.index = first_passing(*cursor.stream, cursor.index + 1);
        bool over = cursor.index == layer_.count;
        if (!over) {
          map(*cursor.stream, &layer_.keys[cursor.index * key_words_], cursor.key.data());
          over = to && compare(cursor.key.data(), to) >= 0;
        }
        if (over) {
          cursors.erase(cursors.begin() + static_cast<std::ptrdiff_t>(c));
        } else {
          ++c;
        }
      }
    }
  }

  void merged_step(const FrontierStep& step) {
    for (const Vertex v : step.entering) slot_of_[v] = take_slot();
    const std::vector<Stream> streams = make_streams(step);
    const auto give_back = [&](Vertex v) {
      free_slots_.push_back(slot_of_[v]);
      slot_of_[v] = no_slot;
    };
    if (step.was_on_frontier) give_back(step.vertex);
    for (const Vertex v : step.closing) give_back(v);

    const int source_planes = arithmetic_.source_planes();
    const int target_planes = arithmetic_.target_planes();
    // Splitters: mapped keys at quantiles of the first stream that has any.
    std::vector<std::vector<Word>> splitters;
    if (num_threads_ > 1 && static_cast<double>(layer_.count) > min_parallel_states && !streams.empty()) {
      const auto parts = static_cast<std::size_t>(num_threads_) * 4;
      for (std::size_t part = 1; part < parts; ++part) {
        const std::size_t index = first_passing(streams.front(), layer_.count / parts * part);
        if (index == layer_.count) break;
        std::vector<Word> key(key_words_);
        map(streams.front(), &layer_.keys[index * key_words_], key.data());
        if (splitters.empty() || compare(splitters.back().data(), key.data()) < 0) splitters.push_back(std::move(key));
      }
    }
    const std::size_t parts = splitters.size() + 1;
    const auto bounds = [&](std::size_t part) {
      return std::pair<const Word*, const Word*>{part == 0 ? nullptr : splitters[part - 1].data(),
                                                 part + 1 == parts ? nullptr : splitters[part].data()};
    };
    std::vector<std::size_t> offsets(parts + 1, 0);
    parallel_for_chunks(num_threads_, parts, [&](std::uint64_t part, int) {
      run_.check();
      const auto [from, to] = bounds(part);
      std::size_t count = 0;
      merge(streams, from, to, [&](const Word*, bool first, std::size_t, std::size_t) { count += first; });
      offsets[part + 1] = count;
    });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    next_.is_dense = false;
    next_.count = offsets.back();
    check_memory(static_cast<double>(next_.count) *
                 static_cast<double>(8 * key_words_ + sizeof(Slot) * static_cast<std::size_t>(target_planes)));
    next_.keys.resize(next_.count * key_words_);
    next_.sparse.resize(next_.count * static_cast<std::size_t>(target_planes));
    parallel_for_chunks(num_threads_, parts, [&](std::uint64_t part, int) {
      run_.check();
      const auto [from, to] = bounds(part);
      std::size_t at = offsets[part] - 1;
      merge(streams, from, to, [&](const Word* key, bool first, std::size_t index, std::size_t choice) {
        const Slot* source = &layer_.sparse[index * static_cast<std::size_t>(source_planes)];
        if (first) {
          ++at;
          std::copy(key, key + key_words_, &next_.keys[at * key_words_]);
          arithmetic_.template add<true>(&next_.sparse[at * static_cast<std::size_t>(target_planes)], source, choice);
        } else {
          arithmetic_.template add<false>(&next_.sparse[at * static_cast<std::size_t>(target_planes)], source, choice);
        }
      });
    });
    std::swap(layer_, next_);
  }

  // -- The dense engine.

  // After sparse step t: the vertices of the frontier, as they are to stand in the masks.
  std::vector<Vertex> sorted_layout(std::size_t t) const {
    std::vector<Vertex> layout;
    for (Vertex v = 0; v < steps_.num_vertices; ++v) {
      if (slot_of_[v] != no_slot) layout.push_back(v);
    }
    touches_.sort(layout.begin(), layout.end(), t);
    return layout;
  }
  // Of state i of a sparse layer.
  Word mask_of(std::size_t i, const std::vector<Vertex>& layout) const {
    const Word* key = &layer_.keys[i * key_words_];
    Word mask = 0;
    for (std::size_t position = 0; position < layout.size(); ++position) {
      const std::uint32_t slot = slot_of_[layout[position]];
      mask |= (key[slot_word(slot)] >> (slot & 63) & 1) << position;
    }
    return mask;
  }
  void forget_slots() {
    std::ranges::fill(slot_of_, no_slot);
    free_slots_.clear();
    num_slots_ = 0;
  }

  // After sparse step t: the same layer as a dense array.
  void to_dense(std::size_t t) {
    const FrontierStep& step = steps_.steps[t];
    const int planes = arithmetic_.target_planes();
    next_.layout = sorted_layout(t);
    const std::size_t count = indices_.count(step.width, step.ones);
    check_memory(bytes_of_slot * planes * static_cast<double>(count));
    next_.is_dense = true;
    next_.count = count;
    next_.release_sparse();
    next_.dense.resize(count * static_cast<std::size_t>(planes), largest_dense_ * static_cast<std::size_t>(planes));
    std::fill_n(next_.dense.data(), count * static_cast<std::size_t>(planes), Slot{0});
    for (std::size_t i = 0; i < layer_.count; ++i) {
      const Word place = indices_.index(mask_of(i, next_.layout));
      for (int k = 0; k < planes; ++k) {
        next_.dense.data()[k * count + place] =
            layer_.sparse[i * static_cast<std::size_t>(planes) + static_cast<std::size_t>(k)];
      }
    }
    forget_slots();
    ones_ = step.ones;
    std::swap(layer_, next_);
    next_.release_sparse();
    next_.count = 0;
  }

  // Before a step: the states of a dense layer that are not zero, sorted, position p in slot p.
  void to_sparse() {
    const std::size_t planes = static_cast<std::size_t>(layer_.planes);
    const std::uint32_t width = static_cast<std::uint32_t>(layer_.layout.size());
    next_.is_dense = false;
    next_.keys.clear();
    next_.sparse.clear();
    next_.count = 0;
    Word mask = indices_.next(0, ones_);
    for (std::size_t i = 0; i < layer_.count; ++i, mask = indices_.next(mask + 1, ones_)) {
      bool zero = true;
      for (std::size_t k = 0; k < planes; ++k) zero = zero && layer_.dense.data()[k * layer_.count + i] == 0;
      if (zero) continue;
      for (std::size_t w = 0; w + 1 < key_words_; ++w) next_.keys.push_back(0);
      next_.keys.push_back(mask);
      for (std::size_t k = 0; k < planes; ++k) next_.sparse.push_back(layer_.dense.data()[k * layer_.count + i]);
      ++next_.count;
    }
    for (std::uint32_t position = 0; position < width; ++position) slot_of_[layer_.layout[position]] = position;
    free_slots_.clear();
    num_slots_ = width;
    next_.planes = layer_.planes;
    std::swap(layer_, next_);
    next_.dense.release();
  }

  void ranked_step(std::size_t t) {
    const DenseStep step(steps_, touches_, indices_, t, layer_.layout, layer_.count);
    const DensePart source{0, {0, layer_.count}};
    const DensePart target = step.target_of(source);
    const auto planes = static_cast<std::size_t>(arithmetic_.target_planes());
    check_memory(std::max(bytes_of_slot * static_cast<double>(planes * target.count()),
                          static_cast<double>(next_.dense.bytes())));
    next_.dense.resize(target.count() * planes, largest_dense_ * planes);
    next_.is_dense = true;
    next_.count = target.count();
    next_.layout = step.layout();
    step.run(arithmetic_, kernels_, num_threads_, run_, source, layer_.dense.data(), target, next_.dense.data());
    ones_ = steps_.steps[t].ones;
    std::swap(layer_, next_);
  }

  const FrontierSteps& steps_;
  Arithmetic& arithmetic_;
  FrontierEngine engine_;
  const RunContext& run_;
  int num_threads_;
  double share_of_memory_ = 1;
  const FrontierKernels& kernels_;
  StateIndices indices_;
  Touches touches_;
  double total_work_ = 0;
  std::size_t largest_dense_ = 0;  // states of the largest layer that two of fit into the memory limit

  Layer<Slot> layer_, next_;
  std::uint32_t ones_ = 0;  // of every state of a dense layer, or its parity
  int steps_since_counted_ = 0;
  std::size_t key_words_ = 1;
  std::uint32_t num_slots_ = 0;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> slot_of_;

  Checkpoint* checkpoint_;
  std::string name_, description_;
};

}  // namespace matchcount
