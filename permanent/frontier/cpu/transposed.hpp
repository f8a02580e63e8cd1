#pragma once
// Takes the steps of the frontier method backwards. B(s) is the sum over the matchings of what is left at state s; a
// step leads from B after it to B before it, B(s) = sum over the transitions s -> s' of w B(s'). On the way it finds,
// for every choice of the step, the sum of F(s) B(s') over its transitions, which times w is the sum over the matchings
// that contain the choice's edge.
//
// A number type says here how B is summed and how F and B are multiplied, for all planes of a run of states. Everything
// that sums.hpp brings is local to the file that includes this.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/numbers/pair.hpp"
#include "core/numbers/value.hpp"
#include "core/parallel.hpp"
#include "permanent/frontier/cpu/layer_store.hpp"
#include "permanent/frontier/cpu/numbers.hpp"

namespace matchcount {
namespace {

// The same pairs of elements the other way round.
template <class Index>
struct Swapped {
  Index index;
  std::size_t size() const { return index.size(); }
  std::size_t target(std::size_t i) const { return index.source(i); }
  std::size_t source(std::size_t i) const { return index.target(i); }
};

// Integers modulo primes below 2^31, a plane each.
class TransposedResidues : public Residues {
 public:
  // Product sums those of a plane in two halves of 32 bits, which 2^32 products do not fill.
  struct Product {
    std::uint64_t low = 0, high = 0;
  };

  explicit TransposedResidues(Residues number) : Residues(std::move(number)) {}

  static constexpr bool has_kernel() { return false; }
  static constexpr double log2_largest() { return 0; }
  static constexpr std::int64_t exponent() { return 0; }
  void prepare(const FrontierStep& step, std::vector<Slot>&) { take_weights(step); }
  template <class Index>
  void multiply(SlotRun<const Slot> forward, SlotRun<const Slot> backward, Index index, Product* sums) const {
    for (std::size_t k = 0; k < primes().size(); ++k) {
      const Slot* f = forward.data + k * forward.stride;
      const Slot* b = backward.data + k * backward.stride;
      std::uint64_t low = 0, high = 0;
      for (std::size_t i = 0; i < index.size(); ++i) {
        const std::uint64_t product = std::uint64_t{f[index.source(i)]} * b[index.target(i)];
        low += product & 0xffffffff;
        high += product >> 32;
      }
      sums[k].low += low;
      sums[k].high += high;
    }
  }
  static void add(Product& sum, const Product& other) {
    sum.low += other.low;
    sum.high += other.high;
  }
  // Multiplies a sum by a weight.
  std::uint64_t residue(const Product& sum, std::size_t plane, std::size_t weight) const {
    const std::uint64_t rest = static_cast<std::uint64_t>(((Uint128{sum.high} << 32) + sum.low) % primes()[plane]);
    return rest * weights()[plane * num_weights() + weight].factor % primes()[plane];
  }
};

// Doubles. B is brought to [1, 2) where it may be far from that.
class TransposedFloats : public Floats {
 public:
  using Product = DoubleDouble;

  TransposedFloats(FloatKind kind, const FrontierSteps& steps, std::vector<double> weights)
      : Floats(kind, steps, std::move(weights), {}, {60, 16, 0}) {}

  bool has_kernel() const { return kind() == FloatKind::real; }  // FrontierKernels::backward
  void prepare(const FrontierStep& step, std::vector<Slot>& values) {
    prepare_values(
        step, [&] { return largest(values); }, [&](double a, double b) { scale(values, a, b); });
  }
  // Adds to sums[0], and of complex numbers the imaginary part to sums[1]. Doubles are summed as such within the run
  // alone.
  template <class Index>
  void multiply(SlotRun<const Slot> f, SlotRun<const Slot> b, Index index, Product* sums) const {
    if (kind() == FloatKind::real) {
      double sum = 0;
      for (std::size_t i = 0; i < index.size(); ++i) sum += f.data[index.source(i)] * b.data[index.target(i)];
      sums[0] += sum;
      return;
    }
    const auto part = [](SlotRun<const Slot> run, std::size_t plane, std::size_t i) {
      return DoubleDouble(run.data[plane * run.stride + i], run.data[(plane + 1) * run.stride + i]);
    };
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::size_t from = index.source(i), to = index.target(i);
      const DoubleDouble re = part(f, 0, from), other_re = part(b, 0, to);
      if (kind() == FloatKind::double_double) {
        sums[0] += re * other_re;
      } else {
        const DoubleDouble im = part(f, 2, from), other_im = part(b, 2, to);
        sums[0] += re * other_re - im * other_im;
        sums[1] += re * other_im + im * other_re;
      }
    }
  }
  static void add(Product& sum, const Product& other) { sum += other; }
};

// B beside the layers of a store, from the last to the first.
template <class Number, class Transposed>
class BackwardRun {
 public:
  using Slot = typename Number::Slot;
  using Product = typename Transposed::Product;
  using Stored = StoredLayer<Slot>;

  // Number is that of which Transposed is made. Complex numbers of one double a part are not taken.
  BackwardRun(LayerStore<Number>& store, Transposed& transposed)
      : store_(store), transposed_(transposed), planes_(static_cast<std::size_t>(transposed.source_planes())) {}

  // Calls give(t, choice i, the sums of F B over its transitions, a Product a plane, and their exponent) for every
  // choice of every step.
  template <class Give>
  void run(const Give& give) {
    // Set aside at once, so that no page is cleared twice.
    for (auto* of_layer : {&values_, &before_}) of_layer->reserve(store_.largest_count() * planes_);
    values_.clear();
    for (std::size_t k = 0; k < planes_; ++k) values_.push_back(transposed_.one(static_cast<int>(k)));
    store_.backward([&](std::size_t t, Stored& before, const Stored& after) {
      const FrontierStep& step = store_.steps_.steps[t];
      transposed_.prepare(step, values_);
      set_zero(before_, before.count * planes_);
      sums_.assign(step.choices.size() * planes_, {});
      if (before.is_dense) {
        dense_step(t, before, after);
      } else {
        sparse_step(t, before, after);
      }
      for (std::size_t i = 0; i < step.choices.size(); ++i) {
        give(t, i, sums_.data() + i * planes_, before.exponent + transposed_.exponent());
      }
      num_products_ = std::max(num_products_, static_cast<double>(before.count));
      // Every operation may lose 2^-1074 of the unit of F or B, a few times in an error-free transformation; what it is
      // multiplied by is at most the largest of the other, after the step and before it.
      const double operations = 16.0 * static_cast<double>((step.choices.size() + 1) * (before.count + after.count));
      const double largest = std::max({0.0, before.log2_largest, transposed_.log2_largest()});
      log2_lost_ = log2_sum(log2_lost_, std::log2(operations) + 2 + largest - 1074 +
                                            static_cast<double>(before.exponent + transposed_.exponent()));
      std::swap(values_, before_);
    });
  }
  // Count, for doubles, the products of a sum at the most, and bound what underflow may have taken from each sum.
  double num_products() const { return num_products_; }
  double log2_lost() const { return log2_lost_; }

 private:
  // Makes it so long, and all of it 0.
  void set_zero(std::vector<Slot>& values, std::size_t size) const {
    constexpr std::size_t chunk = std::size_t{1} << 17;
    const std::size_t old = std::min(values.size(), size);
    values.resize(size);  // what is new is 0
    const int num_threads = static_cast<double>(old) > min_parallel_states ? store_.num_threads_ : 1;
    parallel_for_chunks(num_threads, (old + chunk - 1) / chunk, [&](std::uint64_t i, int) {
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(i * chunk),
                values.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(old, (i + 1) * chunk)), Slot{0});
    });
  }

  void sparse_step(std::size_t t, Stored& before, const Stored& after) {
    store_.for_each_transition(t, before, after, [&](std::size_t source, std::size_t target, std::size_t choice) {
      const SlotRun<const Slot> b{values_.data() + target * after.element_stride(), after.plane_stride()};
      transposed_.add_all({before_.data() + source * planes_, 1}, b, choice, InParallel{1});
      if (choice == 0) return;
      transposed_.multiply({before.values() + source * planes_, 1}, b, InParallel{1},
                           sums_.data() + (choice - 1) * planes_);
    });
  }

  // Batches is a number type for DenseStep that does the step backwards, for one choice or for all.
  struct Batches {
    using Slot = typename Number::Slot;
    const Transposed& transposed;
    const Slot* forward;
    Slot* before;
    const Slot* after;
    std::size_t planes;
    Product* sums;
    std::size_t only;

    void combine(const FrontierKernels& kernels, const FrontierBatch& batch, Slot*, const Slot*) const {
      if constexpr (std::is_same_v<Slot, double>) {
        if (transposed.has_kernel()) return combine_by(kernels, batch);
      }
      const FrontierSource* source = batch.sources;
      for (std::size_t b = 0; b < batch.num_blocks; ++b) {
        const FrontierBlock& block = batch.blocks[b];
        for (std::uint32_t s = 0; s < block.num_sources; ++s, ++source) {
          if (only != all && source->choice != only) continue;
          const SlotRun<const Slot> from{after + block.target, batch.target_stride};
          const SlotRun<Slot> to{before + source->offset, batch.source_stride};
          const SlotRun<const Slot> f{forward + source->offset, batch.source_stride};
          const auto add = [&](auto index) {
            transposed.add_all(to, from, source->choice, Swapped<decltype(index)>{index});
            if (source->choice > 0) transposed.multiply(f, from, index, sums + (source->choice - 1) * planes);
          };
          if (source->pairs) {
            add(Listed{source->pairs, source->num_pairs});
          } else {
            add(InParallel{block.length});
          }
        }
      }
    }
    // The same by the kernel for doubles.
    void combine_by(const FrontierKernels& kernels, const FrontierBatch& batch) const {
      std::vector<double> products(batch.num_sources, 0);
      kernels.backward(batch, static_cast<std::uint32_t>(only), forward, before, after, transposed.weights().data(),
                       products.data());
      for (std::size_t s = 0; s < batch.num_sources; ++s) {
        const std::uint32_t choice = batch.sources[s].choice;
        if (choice > 0 && (only == all || choice == only)) sums[choice - 1] += products[s];
      }
    }
  };
  static constexpr std::size_t all = FrontierKernels::all_choices;

  // Transitions of one choice have different states at both ends: threads share those of one after those of another.
  void dense_step(std::size_t t, const Stored& before, const Stored& after) {
    const DenseStep step(store_.steps_, store_.touches_, store_.indices_, t, before.layout, before.count);
    const std::size_t num_choices = store_.steps_.steps[t].choices.size();
    const Word end = Word{1} << step.high_width();
    const auto part = [&](Word first, Word last, std::size_t only, Product* sums) {
      const Batches batches{transposed_, before.values(), before_.data(), values_.data(), planes_, sums, only};
      step.run_blocks(batches, store_.kernels_, first, last, {0, before.count}, before.values(), {0, after.count},
                      values_.data(), [&] { store_.run_.check(); });
    };
    if (static_cast<double>(before.count) <= min_parallel_states) {
      part(0, end, all, sums_.data());
      return;
    }
    // The number of chunks does not depend on the number of threads, and so neither do the sums.
    const Word num_chunks = std::min<Word>(end, 64);
    const Word size = (end + num_chunks - 1) / num_chunks;
    std::vector<Product> of_chunk;
    for (std::size_t choice = 0; choice <= num_choices; ++choice) {
      of_chunk.assign(num_chunks * num_choices * planes_, {});
      parallel_for_chunks(store_.num_threads_, num_chunks, [&](std::uint64_t chunk, int) {
        part(chunk * size, std::min(end, (chunk + 1) * size), choice, of_chunk.data() + chunk * num_choices * planes_);
      });
      for (std::size_t i = 0; i < of_chunk.size(); ++i) {
        transposed_.add(sums_[i % (num_choices * planes_)], of_chunk[i]);
      }
    }
  }

  LayerStore<Number>& store_;
  Transposed& transposed_;
  std::size_t planes_;
  std::vector<Slot> values_, before_;  // B after a step and before it, in the order of the layer there
  std::vector<Product> sums_;
  double num_products_ = 0;
  double log2_lost_ = -std::numeric_limits<double>::infinity();
};

}  // namespace
}  // namespace matchcount
