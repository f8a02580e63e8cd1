#pragma once
// Runs the dense engine over ranks, each of which has a range of leading bits (partition.hpp): memory and work are
// divided by about the number of ranks. The values, and the order in which they are summed, are those of one process.
//
// States move between ranks before a step that involves a leading vertex. Masks keep their order when some of their
// bits are taken out. So each rank splits its states, in one pass, into runs, one for each new leading mask and each
// value of the bits that lead no more. These bits then stand on top of the bits below, so that the runs from all ranks
// for one leading mask, one after the other, are the new array. Nothing is sorted or merged, and a move takes no more
// memory than a step.

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/work.hpp"
#include "permanent/frontier/cpu/partition.hpp"
#include "permanent/frontier/cpu/run.hpp"

namespace matchcount {

template <class Number>
class PartitionedRun : public RankedDrive<Number> {
  using Base = RankedDrive<Number>;

 public:
  using typename Drive<Number>::Slot;

  // Runs alike on every rank of run.work(). The first rank returns the planes of the one state that is left, others
  // nothing. Throws Unable on all ranks if the memory limit of any rank is passed. Saves what FrontierRun saves, and
  // either goes on from the other's. Requires steps without twins and of a width of at most max_dense_width.
  PartitionedRun(const FrontierSteps& steps, Number& number, const RunContext& run, std::string name,
                 const std::string& description, double min_states = min_partitioned_states)
      : Base(steps, number, run, std::move(name), description),
        work_(*run.work()),
        partition_(steps, touches_, indices_, work_.num_ranks(), min_states) {}

 private:
  using Base::file_, Base::indices_, Base::kernels_, Base::layer_, Base::next_, Base::num_threads_, Base::number_,
      Base::ones_before, Base::run_, Base::steps_, Base::touches_;

  static constexpr std::size_t piece_bytes = std::size_t{1} << 22;

  void arrange(std::size_t t, bool /*prepared*/) override { arrange_for(t, partition_.at(t)); }
  void prepare(std::size_t t) override {
    number_.prepare(steps_.steps[t], layer_, [&](double mine) { return largest_of_all(mine); });
  }
  void take_step(std::size_t t, double done) override {
    std::exception_ptr thrown;
    try {
      this->report(done);
      dense_step(t);
    } catch (...) {
      thrown = std::current_exception();
    }
    agree(t, thrown);
    std::swap(layer_, next_);
    part_ = next_part_;
  }
  bool is_over() const override { return false; }
  std::vector<Slot> last() override { return layer_.count == 1 ? Base::last() : std::vector<Slot>(); }

  // Takes up the one state before the first step, on the first rank, or the layer that was kept.
  std::size_t begin(bool& prepared) override {
    std::size_t first = 0;
    prepared = file_.is_named() && load(first);
    if (prepared) return first;
    leading_ = partition_.of_layout({}, 0);
    part_ = part_of(indices_, own_first(leading_), own_end(leading_), 0, 0);
    hold(layer_, part_, number_.source_planes());
    for (int k = 0; layer_.count == 1 && k < layer_.planes; ++k) layer_.dense.data()[k] = number_.one(k);
    return 0;
  }

  Word own_first(const LeadingBits& leading) const { return leading.first[static_cast<std::size_t>(work_.rank())]; }
  Word own_end(const LeadingBits& leading) const { return leading.first[static_cast<std::size_t>(work_.rank()) + 1]; }

  void hold(Layer<Slot>& layer, const DensePart& part, int planes) {
    layer.hold(part.count(), planes, static_cast<std::size_t>(partition_.largest_part()));
  }

  // The layer after step t into next_.
  void dense_step(std::size_t t) override {
    const DenseStep step(
        steps_, touches_, indices_, t, layer_.layout,
        indices_.count(static_cast<std::uint32_t>(layer_.layout.size() + leading_.vertices.size()), ones_before(t)));
    next_part_ = step.target_of(part_);
    const int planes = number_.target_planes();
    const double bytes = static_cast<double>(layer_.bytes()) +
                         std::max(static_cast<double>(sizeof(Slot)) * planes * static_cast<double>(next_part_.count()),
                                  static_cast<double>(next_.dense.bytes()));
    const auto limit = static_cast<double>(run_.memory_limit_bytes());
    if (bytes > limit) {
      throw Unable("step " + std::to_string(t + 1) + " of the frontier needs " + memory_amount(bytes) + " on one of " +
                   std::to_string(work_.num_ranks()) + " ranks, the memory limit is " + memory_amount(limit));
    }
    hold(next_, next_part_, planes);
    next_.layout = step.layout();
    step.run(number_, kernels_, num_threads_, run_, part_, layer_.dense.data(), next_part_, next_.dense.data());
  }

  double largest_of_all(double mine) {
    for (const Bytes& one : work_.tell_all(to_bytes(mine), run_)) mine = std::max(mine, from_bytes<double>(one));
    return mine;
  }

  // Agrees after step t, whose states are in next_: keeps the layer before it if that is due or the run ends, which it
  // does on all ranks if it can't go on on any.
  void agree(std::size_t t, const std::exception_ptr& thrown) {
    std::string problem;
    if (thrown) {
      try {
        std::rethrow_exception(thrown);
      } catch (const std::exception& error) {
        problem = error.what();
      }
    }
    const std::vector<Bytes> told = work_.tell_all(to_bytes(problem, file_.due()), run_);
    bool due = false;
    std::string of_another;
    for (std::size_t rank = 0; rank < told.size(); ++rank) {
      ByteReader in(told[rank]);
      const auto text = in.get<std::string>();
      if (!text.empty()) of_another = "rank " + std::to_string(rank) + ": " + text;
      due = in.get<bool>() || due;
    }
    if (due || (!of_another.empty() && file_.is_named() && work_.keeps())) save(t);
    if (thrown) std::rethrow_exception(thrown);
    if (!of_another.empty()) throw Unable(of_another);
  }

  // -- Checkpoints. Leading vertices stand on top, so that the parts of all ranks, one after the other, are the whole
  // layer as one process has it.

  // Saves the layer through the first rank, which writes what it receives piece by piece.
  void save(std::size_t t) {
    std::vector<std::uint64_t> counts;
    for (const Bytes& one : work_.tell_all(to_bytes(layer_.count), run_))
      counts.push_back(from_bytes<std::uint64_t>(one));
    const auto give = [&](const Checkpoint::Sink& sink) {
      Bytes buffer;
      for (int k = 0; k < layer_.planes; ++k) {
        for (int rank = 0; rank < work_.num_ranks(); ++rank) {
          const std::size_t bytes = sizeof(Slot) * counts[static_cast<std::size_t>(rank)];
          const auto own = std::as_bytes(std::span(layer_.dense.data() + k * layer_.count, layer_.count));
          for (std::size_t at = 0; at < bytes; at += piece_bytes) {
            const std::size_t length = std::min(piece_bytes, bytes - at);
            if (rank == 0) {
              if (work_.is_first()) sink(own.subspan(at, length));
            } else if (work_.is_first()) {
              buffer.resize(length);
              const Incoming piece{rank, buffer};
              work_.exchange({}, {&piece, 1}, run_);
              sink(buffer);
            } else if (work_.rank() == rank) {
              const Outgoing piece{0, own.subspan(at, length)};
              work_.exchange({&piece, 1}, {}, run_);
            }
          }
        }
      }
    };
    if (!work_.is_first()) return give({});
    LayerHead head = this->head_of(t);
    head.count = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    head.layout.insert(head.layout.end(), leading_.vertices.begin(), leading_.vertices.end());
    const Bytes bytes = to_bytes(head);
    file_.write({bytes}, head.count * static_cast<std::uint64_t>(head.planes) * sizeof(Slot), give);
  }

  // Takes up a layer that was kept, by any number of ranks or by one process, and the step to go on with, if there is
  // one.
  bool load(std::size_t& first) {
    const auto saved = file_.find();
    LayerHead kept;
    std::span<const std::byte> values;
    if (saved) {
      ByteReader in(*saved);
      kept = this->head_in(in);
      values = in.rest();
      const bool whole = !kept.is_dense || kept.count == indices_.count(static_cast<std::uint32_t>(kept.layout.size()),
                                                                        ones_before(kept.step));
      const std::uint64_t bytes =
          8 * kept.num_keys + sizeof(Slot) * kept.count * static_cast<std::uint64_t>(kept.planes);
      if (!whole || values.size() != bytes) throw Error("a layer of another graph");
    }
    const Bytes told = work_.tell_all(to_bytes(saved.has_value(), kept), run_).front();
    ByteReader in(told);
    if (!in.get<bool>()) return false;
    kept = this->head_in(in);
    if (kept.is_dense) {
      share_dense(kept, values);
    } else {
      share_merged(kept, values);
    }
    file_.forget();
    first = kept.step;
    return true;
  }

  // Takes up the part of a layout's last vertices.
  void hold_part_of(const LayerHead& kept, std::vector<Vertex> layout) {
    leading_ = partition_.of_layout(layout, ones_before(kept.step));
    layout.resize(layout.size() - leading_.vertices.size());
    part_ = part_of(indices_, own_first(leading_), own_end(leading_), static_cast<std::uint32_t>(layout.size()),
                    ones_before(kept.step));
    hold(layer_, part_, kept.planes);
    layer_.layout = std::move(layout);
  }

  void share_dense(const LayerHead& kept, std::span<const std::byte> values) {
    hold_part_of(kept, kept.layout);
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    const auto width = static_cast<std::uint32_t>(layer_.layout.size());
    for (int k = 0; k < kept.planes; ++k) {
      for (int rank = 0; rank < work_.num_ranks(); ++rank) {
        const auto r = static_cast<std::size_t>(rank);
        const std::size_t bytes =
            sizeof(Slot) *
            part_of(indices_, leading_.first[r], leading_.first[r + 1], width, ones_before(kept.step)).count();
        if (work_.is_first()) {
          outgoing.push_back({rank, values.first(bytes)});
          values = values.subspan(bytes);
        }
        if (work_.rank() == rank) {
          incoming.push_back(
              {0, std::as_writable_bytes(std::span(layer_.dense.data() + k * layer_.count, layer_.count))});
        }
      }
    }
    work_.exchange(outgoing, incoming, run_);
  }

  // Sorted states go to all ranks, piece by piece, and each takes its own.
  void share_merged(const LayerHead& kept, std::span<const std::byte> keys_and_values) {
    SparseStates states(steps_);
    states.set_slots(kept.slots);
    std::vector<Vertex> layout = states.frontier();
    touches_.sort(layout.begin(), layout.end(), kept.step - 1);
    hold_part_of(kept, layout);
    const auto planes = static_cast<std::size_t>(kept.planes);
    std::fill_n(layer_.dense.data(), layer_.count * planes, Slot{0});

    const std::size_t key_words = kept.num_keys / std::max<std::size_t>(kept.count, 1);
    const auto width = static_cast<std::uint32_t>(layer_.layout.size());
    const std::size_t most = piece_bytes / (8 * key_words + sizeof(Slot) * planes) + 1;
    std::vector<Word>& keys = states.keys();
    std::vector<Slot> values;
    for (std::size_t at = 0; at < kept.count; at += most) {
      const std::size_t count = std::min<std::size_t>(most, kept.count - at);
      keys.resize(count * key_words);
      values.resize(count * planes);
      const auto key_bytes = std::as_writable_bytes(std::span(keys));
      const auto value_bytes = std::as_writable_bytes(std::span(values));
      if (work_.is_first()) {
        const auto all_values = keys_and_values.subspan(8 * kept.num_keys);
        std::ranges::copy(keys_and_values.subspan(8 * at * key_words, key_bytes.size()), key_bytes.begin());
        std::ranges::copy(all_values.subspan(sizeof(Slot) * at * planes, value_bytes.size()), value_bytes.begin());
        std::vector<Outgoing> outgoing;
        for (int rank = 1; rank < work_.num_ranks(); ++rank) {
          outgoing.push_back({rank, key_bytes});
          outgoing.push_back({rank, value_bytes});
        }
        work_.exchange(outgoing, {}, run_);
      } else {
        const std::array<Incoming, 2> incoming{{{0, key_bytes}, {0, value_bytes}}};
        work_.exchange({}, incoming, run_);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const Word mask = states.mask_of(i, layout);
        const Word leading = mask >> width;
        if (leading < part_.first || leading >= part_.end()) continue;
        const std::size_t place = part_.offset[leading - part_.first] + indices_.index(mask & ((Word{1} << width) - 1));
        for (std::size_t k = 0; k < planes; ++k) layer_.dense.data()[k * layer_.count + place] = values[i * planes + k];
      }
    }
  }

  // -- Moving states.

  // A mask of new leading bits and one of those that lead no more make up the old leading mask, but for the bits that
  // stood below.
  struct Move {
    std::vector<Vertex> gone;      // leading ones that lead no more
    std::vector<Word> of_new;      // for each new leading bit: the old one, or 0
    std::vector<Word> of_gone;     // for each that is gone: the old leading bit
    std::uint32_t rest_width = 0;  // bits that lead neither before nor after

    Word old_leading(Word now, Word gone_mask) const {
      Word old = 0;
      for (std::size_t i = 0; i < of_new.size(); ++i) old |= (now >> i & 1) != 0 ? of_new[i] : 0;
      for (std::size_t i = 0; i < of_gone.size(); ++i) old |= (gone_mask >> i & 1) != 0 ? of_gone[i] : 0;
      return old;
    }
  };

  // Moves states between ranks, before step t, if other bits are to lead.
  void arrange_for(std::size_t t, const LeadingBits& wanted) {
    if (wanted == leading_) return;
    const std::uint32_t ones = ones_before(t);
    const std::vector<Vertex>& below = layer_.layout;
    Move move;
    std::vector<Word> bit(below.size(), 0);  // the new leading bit at each position below
    std::vector<Vertex> layout;
    for (std::size_t i = 0; i < wanted.vertices.size(); ++i) {
      const auto led = std::find(leading_.vertices.begin(), leading_.vertices.end(), wanted.vertices[i]);
      move.of_new.push_back(led == leading_.vertices.end() ? 0 : Word{1} << (led - leading_.vertices.begin()));
    }
    for (std::size_t position = 0; position < below.size(); ++position) {
      const auto leads = std::find(wanted.vertices.begin(), wanted.vertices.end(), below[position]);
      if (leads == wanted.vertices.end()) {
        layout.push_back(below[position]);
      } else {
        bit[position] = Word{1} << (leads - wanted.vertices.begin());
      }
    }
    move.rest_width = static_cast<std::uint32_t>(layout.size());
    for (std::size_t i = 0; i < leading_.vertices.size(); ++i) {
      const Vertex v = leading_.vertices[i];
      if (std::find(wanted.vertices.begin(), wanted.vertices.end(), v) != wanted.vertices.end()) continue;
      move.gone.push_back(v);
      move.of_gone.push_back(Word{1} << i);
      layout.push_back(v);
    }

    const DensePart target =
        part_of(indices_, own_first(wanted), own_end(wanted), static_cast<std::uint32_t>(layout.size()), ones);
    split(wanted, move, bit, ones);
    // The states are in next_ now.
    const std::size_t source_count = layer_.count;
    hold(layer_, target, layer_.planes);
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    for (int k = 0; k < layer_.planes; ++k) {
      const Slot* from = next_.dense.data() + static_cast<std::size_t>(k) * source_count;
      Slot* to = layer_.dense.data() + static_cast<std::size_t>(k) * layer_.count;
      for_each_run(wanted, move, ones, [&](int sender, int receiver, std::size_t count) {
        if (sender == work_.rank()) {
          outgoing.push_back({receiver, std::as_bytes(std::span(from, count))});
          from += count;
        }
        if (receiver == work_.rank()) {
          incoming.push_back({sender, std::as_writable_bytes(std::span(to, count))});
          to += count;
        }
      });
    }
    work_.exchange(outgoing, incoming, run_);
    layer_.layout = std::move(layout);
    leading_ = wanted;
    part_ = target;
  }

  // Calls visit(sender, receiver, states) for what goes from rank to rank, in the order in which it stands at both.
  template <class Visit>
  void for_each_run(const LeadingBits& wanted, const Move& move, std::uint32_t ones, const Visit& visit) const {
    for (Word now = 0; now < wanted.count(); ++now) {
      const int receiver = wanted.rank_of(now);
      int sender = -1;
      std::size_t count = 0;
      for (Word gone = 0; gone < Word{1} << move.gone.size(); ++gone) {
        const int from = leading_.rank_of(move.old_leading(now, gone));
        if (from != sender && count > 0) visit(sender, receiver, std::exchange(count, 0));
        sender = from;
        count += run_length(move, ones, now, gone);
      }
      if (count > 0) visit(sender, receiver, count);
    }
  }

  std::size_t run_length(const Move& move, std::uint32_t ones, Word now, Word gone) const {
    return indices_.count(move.rest_width, indices_.rest(indices_.rest(ones, now), gone));
  }

  // The own states, in the order of the new leading bits, those that are gone, and what is left.
  void split(const LeadingBits& wanted, const Move& move, const std::vector<Word>& bit, std::uint32_t ones) {
    const Word num_own = part_.end() - part_.first;
    const Word num_now = wanted.count();
    std::vector<std::size_t> place(num_own * num_now, 0);
    std::size_t at = 0;
    for (Word now = 0; now < num_now; ++now) {
      for (Word gone = 0; gone < Word{1} << move.gone.size(); ++gone) {
        const Word old = move.old_leading(now, gone);
        if (old < part_.first || old >= part_.end()) continue;
        place[(old - part_.first) * num_now + now] = at;
        at += run_length(move, ones, now, gone);
      }
    }
    hold(next_, part_, layer_.planes);

    // Maps old leading bits that still lead, and the bits below them in two parts.
    const auto low_width = std::min<std::uint32_t>(max_low_positions, static_cast<std::uint32_t>(bit.size()));
    const auto high_width = static_cast<std::uint32_t>(bit.size()) - low_width;
    std::vector<Word> bits_of_old(leading_.vertices.size(), 0);
    for (std::size_t i = 0; i < move.of_new.size(); ++i) {
      if (move.of_new[i] != 0) bits_of_old[static_cast<std::size_t>(std::countr_zero(move.of_new[i]))] = Word{1} << i;
    }
    const auto middle = bit.begin() + static_cast<std::ptrdiff_t>(low_width);
    const BitMap old_map(bits_of_old), high_map({middle, bit.end()}), low_map({bit.begin(), middle});
    std::vector<std::vector<Word>> low_of_class(indices_.num_classes(low_width));
    for (Word low = 0; low < Word{1} << low_width; ++low) {
      low_of_class[indices_.class_of(low)].push_back(low_map(low));
    }
    const auto planes = static_cast<std::size_t>(layer_.planes);
    const std::size_t stride = layer_.count;
    parallel_for_chunks(num_threads_, num_own, [&](std::uint64_t index, int) {
      std::size_t* const places = place.data() + index * num_now;
      const Word fixed = old_map(part_.first + index);
      const std::uint32_t own_ones = indices_.rest(ones, part_.first + index);
      const Slot* source = layer_.dense.data() + part_.offset[index];
      if (part_.offset[index] == part_.offset[index + 1]) return;
      const auto next_high = [&](Word x) { return indices_.next_high(x, own_ones, low_width, high_width); };
      for (Word high = next_high(0); high < Word{1} << high_width; high = next_high(high + 1)) {
        const Word now_high = fixed | high_map(high);
        for (const Word now_low : low_of_class[indices_.rest(own_ones, high)]) {
          const std::size_t to = places[now_high | now_low]++;
          for (std::size_t k = 0; k < planes; ++k) next_.dense.data()[k * stride + to] = source[k * stride];
          ++source;
        }
      }
    });
  }

  Work& work_;
  FrontierPartition partition_;

  // Layers have the states of the own leading bits, and layouts of the bits below.
  LeadingBits leading_;
  DensePart part_, next_part_;
};

}  // namespace matchcount
