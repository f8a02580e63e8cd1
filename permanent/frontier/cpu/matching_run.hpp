#pragma once
// Sums over matchings that need not be perfect, for every number type. States are sorted (drive.hpp) until the layers
// that follow are filled; then they stand in an array with a place for every set of matched frontier vertices.
//
// A step changes the array where it is, by the operations that cube.hpp spells out: tile after tile, as they are. Sums
// modulo one prime that are not graded go elsewhere, to those who do many steps at once.
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
        elsewhere_(std::move(elsewhere)) {
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
          for_each_span(t, [&](std::span<Slot> values) { result = std::max(result, Number::largest(values)); });
          return result;
        };
        const auto scale = [&](double a, double b) {
          for_each_span(t, [&](std::span<Slot> values) { Number::scale(values, a, b); });
        };
        return number_.prepare_values(steps_.steps[t], largest, scale);
      }
    }
    Base::prepare(t);
  }
  void dense_step(std::size_t t) override {
    if constexpr (!only_sparse) {
      for (; !elsewhere_.run && next_ != program_.groups.end() && next_->step == t; ++next_) make(*next_, t);
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
    for (std::size_t k = 0; k < size_; ++k) result.push_back(layer_.dense.data()[index(program_.last, k)]);
    return result;
  }

  // Calls body(values) for spans of values that are all that the array has before step t.
  template <class Body>
  void for_each_span(std::size_t t, const Body& body) {
    const auto [used, holes] = program_.in_use[t - layout_.first_dense];
    for_each_run(used, [&](Word place, std::size_t length) {
      for (std::size_t k = 0; k < planes_; ++k)
        body(std::span(layer_.dense.data() + index(holes | place, k), lanes_ * length));
    });
  }

  // -- The dense engine.

  std::size_t stride() const { return std::size_t{1} << program_.slots; }
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
    program_ = cube_program(steps_, layout_, nullptr, {}, 0, shape());
    next_ = program_.groups.begin();
    const std::size_t size = size_ * stride();
    this->check_memory(static_cast<double>(size * sizeof(Slot)));
    layer_.dense.resize(size, size);
    for (std::size_t k = 0; k < planes_; ++k)
      std::fill_n(layer_.dense.data() + k * stride(), lanes_ << program_.frontier.size(), Slot{0});
    for (std::size_t i = 0; i < states_.count(); ++i) {
      const Word place = states_.mask_of(i, program_.frontier);
      for (std::size_t k = 0; k < size_; ++k) layer_.dense.data()[index(place, k)] = layer_.sparse[i * size_ + k];
    }
    states_.clear();
    layer_.release_sparse();
    layer_.is_dense = true;
  }
  // Tiles of half a megabyte at the most, of runs of 64 values that are no polynomials.
  CubeShape shape() const {
    constexpr int log2_tile = 19, log2_run = 6, least_tile = 4;
    const auto bits = std::max(log2_tile - static_cast<int>(std::bit_width(size_ * sizeof(Slot) - 1)), least_tile);
    const std::uint32_t run_bits = lanes_ > 1 ? 0 : std::min<std::uint32_t>(log2_run, layout_.slots);
    return {static_cast<std::uint32_t>(bits), run_bits, 0, true};
  }

  // Calls body(place, length) for runs of the places whose bits are free.
  template <class Body>
  static void for_each_run(Word free, const Body& body) {
    const int low = std::min(std::countr_one(free), max_log2_run);
    const Word high = free & ~((Word{1} << low) - 1);
    Word place = 0;
    do {
      body(place, std::size_t{1} << low);
      place = ((place | ~high) + 1) & high;
    } while (place != 0);
  }

  // An operation in a tile: blocks of the kernels or, where these are of no use, the runs that it changes.
  struct TileStep {
    const CubeOperation* operation = nullptr;
    bool raises = false;
    std::vector<std::pair<Word, std::size_t>> runs;
    std::vector<FrontierBlock> blocks;
    std::vector<FrontierSource> sources;
    std::vector<std::uint16_t> pairs;
  };
  void set(TileStep& result, const CubeOperation& operation, Word local, const FrontierStep& step) const {
    result.operation = &operation;
    result.runs.clear();
    result.blocks.clear();
    result.sources.clear();
    const bool has_weight = operation.weight != CubeProgram::zero && operation.kind != TileOperation::swap;
    result.raises = has_weight && (operation.move == step.weight_unmatched() ? number_.raised_by_unmatched()
                                                                             : number_.raised_by_pair());
    const Word test = operation.test & local, expect = operation.expect & local;
    if (operation.kind == TileOperation::add && lanes_ == 1 && std::countr_one(local & ~test) < log2_listed) {
      return list_elements(result, test, expect, local);
    }
    const auto length = static_cast<std::uint32_t>(number_.used_lanes(result.raises));
    for_each_run(local & ~test, [&](Word run, std::size_t places) {
      const Word first = run | expect;
      if (!has_weight || operation.flip == 0) {
        result.runs.emplace_back(first, places);
        return;
      }
      for (std::size_t i = 0; i < (lanes_ == 1 ? 1 : places); ++i) {
        result.blocks.push_back(
            {(first + i) * lanes_ + result.raises, lanes_ == 1 ? static_cast<std::uint32_t>(places) : length, 1});
        result.sources.push_back({((first + i) ^ operation.flip) * lanes_, operation.move, 0, nullptr});
      }
    });
  }
  // Adds within blocks of the lowest places, whose elements are listed: runs would be short.
  void list_elements(TileStep& result, Word test, Word expect, Word local) const {
    const Word block = (Word{1} << std::min(log2_listed, std::countr_one(local))) - 1, flip = result.operation->flip;
    result.pairs.clear();
    for (Word element = 0; element <= block; ++element) {
      if ((element & test & block) != (expect & block)) continue;
      result.pairs.push_back(static_cast<std::uint16_t>(element));
      result.pairs.push_back(static_cast<std::uint16_t>(element ^ (flip & block)));
    }
    for_each_run(local & ~test & ~block, [&](Word run, std::size_t) {
      const Word first = run | (expect & ~block);
      result.blocks.push_back({first, static_cast<std::uint32_t>(block + 1), 1});
      result.sources.push_back({first ^ (flip & ~block), result.operation->move,
                                static_cast<std::uint32_t>(result.pairs.size() / 2), result.pairs.data()});
    });
  }

  void make(const CubeProgram::Group& group, std::size_t t) {
    // Calls of the kernels are worth some coefficients.
    const int least_bits = log2_least_tile - static_cast<int>(std::bit_width(lanes_ - 1));
    Word local = group.local, others = group.outer;
    for (; std::popcount(local) < least_bits && others != 0; others &= others - 1) local |= others & (0 - others);
    const std::size_t count = group.end - group.first;
    tile_steps_.resize(std::max(tile_steps_.size(), count));
    for (std::size_t i = 0; i < count; ++i)
      set(tile_steps_[i], program_.operations[group.first + i], local, steps_.steps[t]);
    const int bits = std::popcount(local), bits_of_tiles = std::popcount(others);
    const int threads = bits + bits_of_tiles >= log2_worth_threads ? num_threads_ : 1;
    const int of_chunk = std::min(bits_of_tiles, std::max(0, log2_chunk - bits));
    parallel_for_chunks(threads, std::uint64_t{1} << (bits_of_tiles - of_chunk), [&](std::uint64_t chunk, int) {
      run_.check();
      Word outer = deposit_bits(chunk << of_chunk, others);
      for (std::uint64_t i = 0; i < std::uint64_t{1} << of_chunk; ++i) {
        const Word tile = outer | group.fixed;
        for (const TileStep& step : std::span(tile_steps_).first(count)) {
          const CubeOperation& operation = *step.operation;
          if ((tile & operation.test & ~local) == (operation.expect & ~local)) act(step, tile);
        }
        outer = ((outer | ~others) + 1) & others;
      }
    });
  }
  void act(const TileStep& step, Word tile) {
    Slot* const values = layer_.dense.data() + tile * lanes_;
    const CubeOperation& operation = *step.operation;
    if (!step.blocks.empty()) {
      const FrontierBatch batch{step.blocks.data(),
                                step.blocks.size(),
                                step.sources.data(),
                                step.sources.size(),
                                stride(),
                                stride(),
                                operation.kind == TileOperation::add};
      return number_.combine(kernels_, batch, values, values);
    }
    for (const auto& [first, places] : step.runs) {
      const std::size_t length = places * lanes_;
      for (std::size_t k = 0; k < planes_; ++k) {
        Slot* const run = values + k * stride() + first * lanes_;
        if (operation.kind == TileOperation::swap) {
          std::swap_ranges(run, run + length, values + k * stride() + (first ^ operation.flip) * lanes_);
        } else if (operation.weight == CubeProgram::zero) {
          std::fill_n(run, length, Slot{0});
        }
      }
      if (operation.kind == TileOperation::swap || operation.weight == CubeProgram::zero) continue;
      if (!step.raises) weigh(values + first * lanes_, length, operation.move);
      for (std::size_t i = 0; step.raises && i < places; ++i)
        number_.raise(values + (first + i) * lanes_, operation.move);
    }
  }

  // Multiplies a run's values by a weight where they are: from a copy, since the kernels' sources are not their
  // targets.
  void weigh(Slot* values, std::size_t length, std::uint32_t choice) const {
    constexpr std::size_t at_once = 512, most_planes = 4;
    if (number_.keeps(choice)) return;
    std::array<Slot, at_once * most_planes> copy;
    for (std::size_t done = 0; done < length; done += at_once) {
      const std::size_t count = std::min(at_once, length - done);
      for (std::size_t k = 0; k < planes_; ++k)
        std::copy_n(values + k * stride() + done, count, copy.data() + k * at_once);
      const FrontierBlock block{done, static_cast<std::uint32_t>(count), 1};
      const FrontierSource source{0, choice, 0, nullptr};
      number_.combine(kernels_, {&block, 1, &source, 1, stride(), at_once}, values, copy.data());
    }
  }

  // Sizes, as log2: the fewest places that are worth the threads' start; places of a chunk; the fewest places of a
  // tile, if there are so many; the most places of a run; places of a block whose elements are listed.
  static constexpr int log2_worth_threads = 19, log2_chunk = 14, log2_least_tile = 12, max_log2_run = 12,
                       log2_listed = 6;

  const MatchingLayout& layout_;
  std::size_t lanes_, size_, planes_;  // of a value: coefficients, slots in all and of a coefficient

  Elsewhere elsewhere_;
  Slot value_{};  // from there
  CubeProgram program_;
  std::vector<CubeProgram::Group>::const_iterator next_;  // group
  std::vector<TileStep> tile_steps_;                      // of the group, and more
};

}  // namespace matchcount
