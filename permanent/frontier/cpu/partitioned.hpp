#pragma once
// Runs the dense engine over ranks, each of which has a part of every layer (placement.hpp): memory and work are
// divided by about the number of ranks. The values, and the order in which they are summed, are those of one process.

#include <algorithm>
#include <cstring>
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
#include "permanent/frontier/cpu/placement.hpp"
#include "permanent/frontier/cpu/run.hpp"

namespace matchcount {

template <class Number>
class PartitionedRun : public FrontierRun<Number> {
  using Base = FrontierRun<Number>;

 public:
  using typename Drive<Number>::Slot;

  // Runs alike on every rank of run.work(). The first rank returns the planes of the one state that is left, others
  // nothing. Throws Unable on all ranks if the memory limit of any rank is passed. Saves what FrontierRun saves, and
  // either goes on from the other's. Requires steps without twins and of a width of at most max_dense_width.
  PartitionedRun(const FrontierSteps& steps, Number& number, const RunContext& run, std::string name,
                 const std::string& description, double min_states = min_shared_states)
      : Base(steps, number, FrontierEngine::dense, run, std::move(name), description),
        work_(*run.work()),
        placement_(steps, touches_, indices_, work_.num_ranks(), min_states) {
    this->largest_dense_ = static_cast<std::size_t>(placement_.largest_part());
  }

 private:
  using Base::file_, Base::indices_, Base::layer_, Base::next_, Base::num_threads_, Base::number_, Base::ones_before,
      Base::plane, Base::run_, Base::steps_, Base::touches_;

  static constexpr std::size_t piece_bytes = std::size_t{1} << 22;

  void arrange(std::size_t t, bool /*prepared*/) override {
    const LeadingBits& wanted = placement_.at(t);
    for (const Placement::Swap& swap : Placement::swaps(leading_, wanted)) exchange(swap, ones_before(t));
    Placement::swap(leading_, wanted, layer_.layout);
    if (wanted.first != leading_.first) share(wanted, ones_before(t));
    leading_ = wanted;
  }
  void prepare(std::size_t t) override {
    number_.prepare(steps_.steps[t], layer_, [&](double mine) { return largest_of_all(mine); });
  }
  void take_step(std::size_t t, double done) override {
    std::exception_ptr thrown;
    LayerPart next_part;
    try {
      this->report(done);
      next_part = this->make_next(t, part_, placement_.top(t));
    } catch (...) {
      thrown = std::current_exception();
    }
    agree(t, thrown);
    std::swap(layer_, next_);
    part_ = next_part;
  }
  bool is_over() const override { return false; }
  std::vector<Slot> last() override { return layer_.count == 1 ? Base::last() : std::vector<Slot>(); }

  // Takes up the one state before the first step, on the first rank, or the layer that was kept.
  std::size_t begin(bool& prepared) override {
    std::size_t first = 0;
    prepared = file_.is_named() && load(first);
    if (prepared) return first;
    leading_ = placement_.at(0);
    part_ = part_of_rank(work_.rank(), 0);
    hold(layer_, part_, number_.source_planes());
    for (int k = 0; layer_.count == 1 && k < layer_.planes; ++k) layer_.dense.data()[k] = number_.one(k);
    return 0;
  }

  // Returns the states of a rank, of the layer held.
  LayerPart part_of_rank(int rank, std::uint32_t ones) const {
    return placement_.part(rank, leading_, static_cast<std::uint32_t>(layer_.layout.size()), ones);
  }
  void hold(Layer<Slot>& layer, const LayerPart& part, int planes) {
    layer.hold(part.count(), planes, this->largest_dense_);
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

  // -- Checkpoints. The parts of all ranks, one after the other, are the whole layer as one process has it.

  // Sends a piece from one rank to another.
  void pass_on(int from, int to, std::span<const std::byte> given, std::span<std::byte> taken) {
    const Outgoing out{to, given};
    const Incoming in{from, taken};
    work_.exchange({&out, std::size_t{work_.rank() == from}}, {&in, std::size_t{work_.rank() == to}}, run_);
  }

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
          const auto own = std::as_bytes(std::span(plane(k), layer_.count));
          const bool is_mine = rank == work_.rank();
          for (std::size_t at = 0; at < bytes; at += piece_bytes) {
            buffer.resize(std::min(piece_bytes, bytes - at));
            pass_on(rank, 0, own.subspan(is_mine ? at : 0, is_mine ? buffer.size() : 0), buffer);
            if (work_.is_first()) sink(buffer);
          }
        }
      }
    };
    if (!work_.is_first()) return give({});
    LayerHead head = this->head_of(t);
    head.count = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    const Bytes bytes = to_bytes(head, SavedPlaces{0, 0, static_cast<std::ptrdiff_t>(head.count), {}, {}});
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
      if (kept.is_dense && in.get<SavedPlaces>().pieces_done > 0) throw Error("a layer of another method");
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
    first = kept.step;
    if (kept.is_dense) {
      share_dense(kept, values);
    } else {
      share_merged(kept, values);
    }
    file_.forget();
    return true;
  }

  // Takes up the own part of a layer of these vertices, which stand in the order that is set for the step.
  void hold_part_of(const LayerHead& kept, std::vector<Vertex> layout) {
    leading_ = placement_.at(kept.step);
    layer_.layout = placement_.arranged(std::move(layout), kept.step);
    part_ = part_of_rank(work_.rank(), ones_before(kept.step));
    hold(layer_, part_, kept.planes);
  }

  // The first rank finds the states of each, whose bits stand in another order in the file, and sends them piece by
  // piece.
  void share_dense(const LayerHead& kept, std::span<const std::byte> values) {
    hold_part_of(kept, kept.layout);
    const std::uint32_t ones = ones_before(kept.step);
    std::vector<Slot> piece;
    for (int rank = 0; rank < work_.num_ranks(); ++rank) {
      const LayerPart part = part_of_rank(rank, ones);
      const bool is_mine = rank == work_.rank();
      for (int k = 0; k < kept.planes; ++k) {
        Slot* to = layer_.dense.data() + static_cast<std::size_t>(k) * layer_.count;
        Word left = part.count();
        const auto send = [&](std::size_t count) {
          pass_on(0, rank, std::as_bytes(std::span(piece)), std::as_writable_bytes(std::span(to, is_mine ? count : 0)));
          if (is_mine) to += count;
          left -= count;
          piece.clear();
        };
        constexpr std::size_t most = piece_bytes / sizeof(Slot);
        if (!work_.is_first()) {
          while (left > 0) send(std::min<std::size_t>(left, most));
          continue;
        }
        for_each_place(
            kept.layout, layer_.layout, indices_, ones,
            [&](Word place) {
              Slot& value = piece.emplace_back();
              std::memcpy(&value, values.data() + sizeof(Slot) * (static_cast<Word>(k) * kept.count + place),
                          sizeof(Slot));
              if (piece.size() == std::min<std::size_t>(left, most)) send(piece.size());
            },
            part);
      }
    }
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
      }
      for (int rank = 1; rank < work_.num_ranks(); ++rank) {
        pass_on(0, rank, key_bytes, key_bytes);
        pass_on(0, rank, value_bytes, value_bytes);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const Word place = indices_.index(states.mask_of(i, layer_.layout)) - part_.states.first;
        if (place >= layer_.count) continue;
        for (std::size_t k = 0; k < planes; ++k) layer_.dense.data()[k * layer_.count + place] = values[i * planes + k];
      }
    }
  }

  // -- Moving states.

  // Gives ranks other ranges.
  void share(const LeadingBits& wanted, std::uint32_t ones) {
    const auto parts = [&] {
      std::vector<IndexRange> result;
      for (int rank = 0; rank < work_.num_ranks(); ++rank) result.push_back(part_of_rank(rank, ones).states);
      return result;
    };
    const std::vector<IndexRange> before = parts();
    const LayerPart old = part_;
    leading_ = wanted;
    part_ = part_of_rank(work_.rank(), ones);
    hold(next_, part_, layer_.planes);
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    const std::vector<IndexRange> after = parts();
    const auto common = [](const IndexRange& a, const IndexRange& b) {
      const Word first = std::max(a.first, b.first);
      return IndexRange{first, std::max(first, std::min(a.end, b.end))};
    };
    for (int k = 0; k < layer_.planes; ++k) {
      Slot* const to = next_.dense.data() + static_cast<std::size_t>(k) * next_.count;
      for (int rank = 0; rank < work_.num_ranks(); ++rank) {
        const IndexRange out = common(old.states, after[static_cast<std::size_t>(rank)]);
        const IndexRange in = common(part_.states, before[static_cast<std::size_t>(rank)]);
        if (!out.is_empty())
          outgoing.push_back(
              {rank, std::as_bytes(std::span(plane(k) + (out.first - old.states.first), out.end - out.first))});
        if (!in.is_empty())
          incoming.push_back(
              {rank, std::as_writable_bytes(std::span(to + (in.first - part_.states.first), in.end - in.first))});
      }
    }
    work_.exchange(outgoing, incoming, run_);
    next_.layout = layer_.layout;
    std::swap(layer_, next_);
  }

  // Exchanges the states in which a leading bit and the one of another vertex differ. What comes goes through next_.
  void exchange(const Placement::Swap& swap, std::uint32_t ones) {
    const auto width = static_cast<std::uint32_t>(layer_.layout.size());
    const auto position =
        static_cast<std::uint32_t>(std::ranges::find(layer_.layout, swap.entering) - layer_.layout.begin());
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    struct Arrival {
      const Slot* from;
      Slot* to;
      std::size_t count;
    };
    std::vector<Arrival> arrivals;
    hold(next_, part_, layer_.planes);
    Slot* free = next_.dense.data();
    placement_.for_each_run(leading_, swap.slot, position, width, ones, [&](const Placement::Runs& runs) {
      const int here = work_.rank();
      const bool is_mine[2] = {runs.members[0] == here, runs.members[1] == here};
      for (int k = 0; k < layer_.planes; ++k) {
        if (is_mine[0] && is_mine[1]) {
          Slot* const one = plane(k) + (runs.first[0] - part_.states.first);
          std::swap_ranges(one, one + runs.count, plane(k) + (runs.first[1] - part_.states.first));
        } else if (is_mine[0] || is_mine[1]) {
          Slot* const own = plane(k) + (runs.first[is_mine[1]] - part_.states.first);
          outgoing.push_back({runs.members[is_mine[0]], std::as_bytes(std::span(own, runs.count))});
          incoming.push_back({runs.members[is_mine[0]], std::as_writable_bytes(std::span(free, runs.count))});
          arrivals.push_back({free, own, runs.count});
          free += runs.count;
        }
      }
    });
    work_.exchange(outgoing, incoming, run_);
    parallel_for_chunks(num_threads_, arrivals.size(), [&](std::uint64_t i, int) {
      std::copy_n(arrivals[i].from, arrivals[i].count, arrivals[i].to);
    });
  }

  Work& work_;
  Placement placement_;
  LeadingBits leading_;
  LayerPart part_;
};

}  // namespace matchcount
