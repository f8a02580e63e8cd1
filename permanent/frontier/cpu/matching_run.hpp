#pragma once
// Sums over matchings that need not be perfect, for every number type. States are sorted (drive.hpp) until the layers
// that follow are filled; then they stand in an array with a place for every set of matched frontier vertices.
//
// A step changes the array where it is. Let f0 and f1 be its halves in which the step's vertex is unmatched and
// matched: f1 becomes f1 + s f0 + sum over partners u of w_u f0 without u, which reads f0 alone. The first vertex that
// enters takes the place of the step's vertex, the other way round: it is matched where that was not. Its half is f0
// times a weight.
//
// A value is graded or not. A graded value is a polynomial whose coefficients are lanes. Either a vertex that stays
// unmatched or a pair that is matched raises the degree; terms beyond the last lane are dropped.

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "permanent/frontier/cpu/cube.hpp"
#include "permanent/frontier/cpu/drive.hpp"
#include "permanent/frontier/cpu/numbers.hpp"

namespace matchcount {

// Number is one of numbers.hpp.
template <class Number>
class MatchingRun : public Drive<Graded<Number>> {
  using Base = Drive<Graded<Number>>;

 public:
  using typename Base::Slot;

  // Carries out the dense steps elsewhere, from states on whose bits are those of this frontier, to a value; calls
  // `done` with the share that is done.
  struct Elsewhere {
    std::vector<Vertex> frontier;
    double bytes = 0;  // of this machine's memory
    std::function<Slot(const CubeStart&, const std::function<void(double)>& done)> run;
  };

  // Takes what Drive takes, and the layout of the steps. With `elsewhere` values are of one slot.
  MatchingRun(const FrontierSteps& steps, const MatchingLayout& layout, Graded<Number>& number, int num_threads,
              const RunContext& run, ShareOfRuns share = {}, Elsewhere elsewhere = {})
      : Base(steps, number, run, "", "", share),
        layout_(layout),
        lanes_(number.lanes()),
        size_(static_cast<std::size_t>(number.source_planes())),
        planes_(size_ / lanes_),
        elsewhere_(std::move(elsewhere)),
        slot_of_(steps.num_vertices, no_slot) {
    num_threads_ = num_threads;
  }

  // Returns the coefficients, or planes, of the sum.
  std::vector<Slot> run() {
    std::vector<Slot> result = Base::run();
    if (result.empty()) result.assign(size_, Slot{0});
    return result;
  }

 private:
  using Base::kernels_, Base::layer_, Base::num_threads_, Base::number_, Base::run_, Base::states_, Base::steps_;

  static constexpr std::uint32_t no_slot = 64;
  static constexpr bool only_sparse = requires { Number::only_sparse; };

  void arrange(std::size_t t, bool /*prepared*/) override {
    if constexpr (!only_sparse) {
      if (t == layout_.first_dense) elsewhere_.run ? take_elsewhere() : make_dense();
    }
  }
  void prepare(std::size_t t) override {
    if constexpr (std::is_same_v<Slot, double>) {
      if (layer_.is_dense) {
        const auto largest = [&] {
          double result = 0;
          for_each_span([&](std::span<Slot> values) { result = std::max(result, Number::largest(values)); });
          return result;
        };
        const auto scale = [&](double a, double b) {
          for_each_span([&](std::span<Slot> values) { Number::scale(values, a, b); });
        };
        return number_.prepare_values(steps_.steps[t], largest, scale);
      }
    }
    Base::prepare(t);
  }
  void dense_step(std::size_t t) override {
    if constexpr (!only_sparse) {
      if (!elsewhere_.run) step_in_place(steps_.steps[t]);
    }
  }
  // States without a value come to nothing.
  void merged_step(const FrontierStep& step) override {
    Base::merged_step(step);
    std::vector<Slot>& values = layer_.sparse;
    states_.keep_if([&](std::size_t from, std::size_t to) {
      Slot* const value = values.data() + from * size_;
      if (std::all_of(value, value + size_, [](const Slot& slot) { return slot == 0; })) return false;
      if (to != from) std::move(value, value + size_, values.data() + to * size_);
      return true;
    });
    layer_.count = states_.count();
    values.resize(layer_.count * size_);
    if (static_cast<double>(layer_.count) > step.states * (1 + 1e-9))
      throw Error("a layer of more states than there can be; please report this graph");
  }
  std::vector<Slot> last() override {
    if (!layer_.is_dense) return Base::last();
    if (elsewhere_.run) return {value_};
    std::vector<Slot> result;
    for (std::size_t k = 0; k < size_; ++k) result.push_back(layer_.dense.data()[index(flipped_, k)]);
    return result;
  }

  // Calls body(values) for spans of values that are all of the array's.
  template <class Body>
  void for_each_span(const Body& body) {
    const int low = low_of(used_);
    const Word high = used_ & ~((Word{1} << low) - 1), holes = flipped_ & ~used_;
    Word place = 0;
    do {
      for (std::size_t k = 0; k < planes_; ++k)
        body(std::span(layer_.dense.data() + index(holes | place, k), lanes_ << low));
      place = ((place | ~high) + 1) & high;
    } while (place != 0);
  }

  // -- The dense engine. A slot is a bit of a place in the array that stands for a frontier vertex.

  void take_slot(Vertex v) {
    const auto slot = static_cast<std::uint32_t>(std::countr_one(used_));
    used_ |= Word{1} << slot;
    slot_of_[v] = slot;
  }
  void give_slot(Vertex v, Vertex to) { slot_of_[to] = std::exchange(slot_of_[v], no_slot); }
  void free_slot(Vertex v) {
    used_ &= ~bit(v);
    slot_of_[v] = no_slot;
  }
  Word bit(Vertex v) const { return Word{1} << slot_of_[v]; }

  std::size_t stride() const { return std::size_t{1} << layout_.slots; }
  // Lanes of a value stand side by side, planes apart; only one of them are several.
  std::size_t index(Word place, std::size_t k) const { return lanes_ > 1 ? place * lanes_ + k : k * stride() + place; }

  void take_elsewhere() {
    CubeStart start;
    for (std::size_t i = 0; i < states_.count(); ++i)
      start.emplace_back(states_.mask_of(i, elsewhere_.frontier), layer_.sparse[i]);
    states_.clear();
    layer_.release_sparse();
    layer_.is_dense = true;
    this->check_memory(elsewhere_.bytes);
    double before = 0;
    for (std::size_t t = 0; t < layout_.first_dense; ++t) before += Base::work_of(steps_.steps[t]);
    value_ = elsewhere_.run(start, [&](double share) { this->report(before + share * (this->total_work_ - before)); });
  }

  void make_dense() {
    const std::size_t size = size_ * stride();
    this->check_memory(static_cast<double>(size * sizeof(Slot)));
    layer_.dense.resize(size, size);
    // Memory that is touched for the first time takes a while.
    for (std::size_t begin = 0; begin < size; begin += touched_at_once) {
      run_.check();
      std::fill_n(layer_.dense.data() + begin, std::min(touched_at_once, size - begin), Slot{0});
    }
    const std::vector<Vertex> frontier = states_.frontier();
    for (const Vertex v : frontier) take_slot(v);
    for (std::size_t i = 0; i < states_.count(); ++i) {
      const Word place = states_.mask_of(i, frontier);
      for (std::size_t k = 0; k < size_; ++k) layer_.dense.data()[index(place, k)] = layer_.sparse[i * size_ + k];
    }
    states_.clear();
    layer_.release_sparse();
    layer_.is_dense = true;
  }

  // Calls add(thread, a run's first place) for all places with the bits of `base` outside `free`; a run has 2^low
  // places. begin(thread) and end(thread) stand around those of a chunk.
  struct Nothing {
    void operator()(int) const {}
  };
  template <class Add, class Begin = Nothing, class End = Nothing>
  void for_each_run(Word free, Word base, int low, const Add& add, const Begin& begin = {}, const End& end = {}) const {
    const Word high = free & ~((Word{1} << low) - 1);
    const int bits = std::popcount(high);
    const int log2_value = static_cast<int>(std::bit_width(lanes_)) - 1;
    const int of_chunk = std::min(bits, std::max(0, log2_chunk - low - log2_value));
    const int threads = bits + low >= log2_worth_threads ? num_threads_ : 1;
    parallel_for_chunks(threads, std::uint64_t{1} << (bits - of_chunk), [&](std::uint64_t chunk, int thread) {
      run_.check();
      Word place = deposit(chunk << of_chunk, high);
      begin(thread);
      for (std::uint64_t i = 0; i < std::uint64_t{1} << of_chunk; ++i) {
        add(thread, base | place);
        place = ((place | ~high) + 1) & high;
      }
      end(thread);
    });
  }
  // Returns the lowest bits of x at the ones of mask.
  static Word deposit(Word x, Word mask) {
    Word result = 0;
    for (; mask != 0 && x != 0; x >>= 1, mask &= mask - 1) {
      if (x & 1) result |= mask & (0 - mask);
    }
    return result;
  }
  // Positions from the lowest on that are free, as many as make a run.
  static int low_of(Word free) { return std::min(std::countr_one(free), max_log2_run); }

  // Source says what one pass adds to its targets: target ^ flip of every source, from those whose bits `test` are
  // `expect`.
  struct Source {
    Word flip, test, expect;
    std::uint32_t choice;
  };
  // Collects the blocks of a chunk and gives them to the kernel. A block has 2^low places. Where bits of those are
  // tested or flipped, or not free, the elements that a source is added to are listed.
  struct Pass {
    MatchingRun& self;
    const std::vector<Source>& sources;
    int low;
    bool adds;
    bool raises;                                     // the degree
    std::vector<std::vector<std::uint16_t>> pairs;   // by source; empty: all elements, in parallel
    std::vector<std::vector<FrontierBlock>> blocks;  // by thread
    std::vector<std::vector<FrontierSource>> listed;

    Word of_block() const { return (Word{1} << low) - 1; }

    void list_elements(Word free, Word base) {
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const Word fixed = of_block() & ~free;
        const Word test = (sources[i].test & of_block()) | fixed, flip = sources[i].flip & of_block();
        const Word expect = (sources[i].expect & of_block()) | (base & fixed);
        if (test == 0 && flip == 0) continue;
        for (Word element = 0; element <= of_block(); ++element) {
          if ((element & test) != expect) continue;
          pairs[i].push_back(static_cast<std::uint16_t>(element));
          pairs[i].push_back(static_cast<std::uint16_t>(element ^ flip));
        }
      }
    }

    void begin(int thread) {
      blocks[static_cast<std::size_t>(thread)].clear();
      listed[static_cast<std::size_t>(thread)].clear();
    }
    void add(int thread, Word place) {
      if (self.lanes_ == 1) return add_block(thread, place, std::uint32_t{1} << low, of_block());
      const auto length = static_cast<std::uint32_t>(self.number_.used_lanes(raises));
      for (Word end = place + (Word{1} << low); place < end; ++place) add_block(thread, place, length, 0);
    }
    // Bits of `inside` are those of elements.
    void add_block(int thread, Word place, std::uint32_t length, Word inside) {
      auto& mine = listed[static_cast<std::size_t>(thread)];
      const std::size_t before = mine.size(), lanes = self.lanes_;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const Source& source = sources[i];
        if ((place & source.test & ~inside) != (source.expect & ~inside)) continue;
        mine.push_back({(place ^ (source.flip & ~inside)) * lanes, source.choice,
                        static_cast<std::uint32_t>(pairs[i].size() / 2), pairs[i].empty() ? nullptr : pairs[i].data()});
      }
      if (mine.size() != before)
        blocks[static_cast<std::size_t>(thread)].push_back(
            {place * lanes + raises, length, static_cast<std::uint32_t>(mine.size() - before)});
    }
    void end(int thread) const {
      const auto& b = blocks[static_cast<std::size_t>(thread)];
      const auto& s = listed[static_cast<std::size_t>(thread)];
      const FrontierBatch batch{b.data(), b.size(), s.data(), s.size(), self.stride(), self.stride(), adds};
      if (!b.empty()) self.number_.combine(self.kernels_, batch, self.layer_.dense.data(), self.layer_.dense.data());
    }
  };
  void pass(Word free, Word base, Word touched, bool adds, bool raises, const std::vector<Source>& sources) {
    if (sources.empty()) return;
    const int in_parallel = low_of(free & ~touched);
    const bool lists = lanes_ == 1 && adds && in_parallel < log2_listed;
    const int low = lists ? std::min(log2_listed, static_cast<int>(layout_.slots)) : in_parallel;
    const auto threads = static_cast<std::size_t>(num_threads_);
    Pass body{*this, sources, low, adds, raises, std::vector<std::vector<std::uint16_t>>(sources.size()), {}, {}};
    body.blocks.resize(threads);
    body.listed.resize(threads);
    if (lists) body.list_elements(free, base);
    const Word inside = body.of_block();
    for_each_run(
        free & ~inside, base & ~inside, low, [&](int thread, Word place) { body.add(thread, place); },
        [&](int thread) { body.begin(thread); }, [&](int thread) { body.end(thread); });
  }

  // Multiplies a run's values by a weight where they are: from a copy, since the kernels' sources are not their
  // targets.
  void weigh(Word place, int low, std::uint32_t choice) {
    constexpr std::size_t at_once = 512, most_planes = 4;
    std::array<Slot, at_once * most_planes> copy;
    const std::size_t length = lanes_ << low;
    for (std::size_t done = 0; done < length; done += at_once) {
      const std::size_t count = std::min(at_once, length - done);
      for (std::size_t k = 0; k < planes_; ++k) {
        std::copy_n(layer_.dense.data() + index(place, k) + done, count, copy.data() + k * at_once);
      }
      const FrontierBlock block{index(place, 0) + done, static_cast<std::uint32_t>(count), 1};
      const FrontierSource source{0, choice, 0, nullptr};
      number_.combine(kernels_, {&block, 1, &source, 1, stride(), at_once}, layer_.dense.data(), copy.data());
    }
  }

  // A vertex in a slot of its own, unmatched in all states.
  void enter(Vertex v) {
    const Word others = used_;
    take_slot(v);
    const int low = low_of(others);
    for_each_run(others, (flipped_ & ~others) ^ bit(v), low, [&](int, Word place) {
      for (std::size_t k = 0; k < planes_; ++k)
        std::fill_n(layer_.dense.data() + index(place, k), lanes_ << low, Slot{0});
    });
  }

  // flipped_ has the bits that say unmatched by 1: a place of the array is a mask of matched vertices ^ flipped_. The
  // bit of a slot that is not in use keeps what it had, and that is where the values are.
  void step_in_place(const FrontierStep& step) {
    if (!step.was_on_frontier) enter(step.vertex);
    const Word own = bit(step.vertex);
    const Word others = used_ & ~own;
    const auto holes = [&] { return flipped_ & ~used_; };
    const Word matched = own & ~flipped_;  // where the vertex is matched
    std::vector<Source> sources;
    if (step.may_stay_unmatched()) sources.push_back({own, 0, 0, step.weight_unmatched()});
    pass(others, holes() | matched, 0, true, number_.raised_by_unmatched(), sources);
    sources.clear();
    Word touched = 0;
    std::uint32_t choice = 1;
    for (const auto& partner : step.choices) {
      if (partner.enters) break;
      const Word other = bit(partner.partner);
      touched |= other;
      sources.push_back({own | other, other, other & ~flipped_, choice++});
    }
    pass(others, holes() | matched, touched, true, number_.raised_by_pair(), sources);
    // All but the first that enters: matched with the step's vertex, or unmatched.
    Word entered = 0;
    for (std::size_t i = 1; i < step.entering.size(); ++i) {
      const Vertex u = step.entering[i];
      enter(u);
      pass(others, holes() | matched | (flipped_ & entered) | (bit(u) & ~flipped_), 0, false, number_.raised_by_pair(),
           {{own | bit(u), 0, 0, choice + static_cast<std::uint32_t>(i)}});
      entered |= bit(u);
    }
    // Multiplies f0 by the weight of the first vertex that enters. Only places in which no other entering vertex is
    // matched are concerned: elsewhere f0 is 0 by now.
    const Word unmatched_place = holes() | (flipped_ & (entered | own));
    if (!step.entering.empty() && !number_.keeps(choice)) {
      const int low = low_of(others);
      for_each_run(others, unmatched_place, low, [&](int, Word place) {
        if (!number_.raised_by_pair()) return weigh(place, low, choice);
        for (Word end = place + (Word{1} << low); place < end; ++place)
          number_.raise(layer_.dense.data() + index(place, 0), choice);
      });
    }
    flipped_ ^= own;
    if (step.entering.empty()) {
      free_slot(step.vertex);
    } else {
      give_slot(step.vertex, step.entering.front());
    }
  }

  // Sizes, as log2: the fewest places that are worth the threads' start; coefficients of a chunk, of which a thread
  // makes a batch; the most places of a run; places of a block whose elements are listed.
  static constexpr int log2_worth_threads = 19;
  static constexpr int log2_chunk = 14, max_log2_run = 12, log2_listed = 6;
  static constexpr std::size_t touched_at_once = 1 << 20;

  const MatchingLayout& layout_;
  std::size_t lanes_, size_, planes_;  // of a value: coefficients, slots in all and of a coefficient

  Elsewhere elsewhere_;
  Slot value_{};                        // from there
  std::vector<std::uint32_t> slot_of_;  // in the array
  Word used_ = 0;
  Word flipped_ = 0;
};

}  // namespace matchcount
