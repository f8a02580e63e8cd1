// Rows of bits for components, from the sinks on: row c has the components below c that c reaches. A panel is a range
// of columns, [begin, end), of all rows behind `begin`, and all panels use the same memory.
//
// Row c is the union, over its successors s, of row s and of s itself. Successors come in descending order, and one
// whose bit is set already is passed over with all that it reaches: of a dense acyclic digraph few are left. Panels
// come in descending order too, so that what is passed over is known from the panel that has the successor's column. In
// a block of 512 rows the successors before the block are joined either so, or all at once by the product of 512 rows
// of the adjacency matrix and the rows before; what joining takes is known from the blocks that went that way.

#include "linear/reachability.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/step_check.hpp"
#include "linear/bits/cpu/lookups.hpp"
#include "linear/bits/cuda/closure_gpu.hpp"
#include "linear/bits/fit.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount {
namespace {

constexpr std::size_t block_rows = strip_columns;
// Seconds of one core for a strip that is joined, and for a word of 512 rows and its tables in a product (AVX-512);
// what matters is their proportion.
constexpr double seconds_a_strip = 4e-9, seconds_a_lookup = 2.6e-6;
// Bounds the bytes of a panel: 200,000 components with 12 others behind each took 10 s in one panel of 5 GB, most for
// pages that few bits were set in.
constexpr double most_panel_bytes = 6e8;
// Every so many blocks arcs are followed whatever was seen before.
constexpr std::size_t look_again = 16;

// Known holds what all panels share.
struct Known {
  const Condensation& components;
  std::vector<std::uint64_t> is_large;  // bits: components of more than one vertex
  std::vector<bool> is_passed_over;     // arcs that a longer path replaces, as far as it was seen
};

class Panel {
 public:
  // `rows` are zeros, as many as there are components, and are zeros again when this has counted.
  Panel(Known& known, Vertex begin, Vertex end, BitMatrix& rows, const RunContext& run, const OnReached& on_reached,
        ClosureReport& report)
      : known_(known),
        components_(known.components),
        run_(run),
        on_reached_(on_reached),
        report_(report),
        kernels_(kernels_for<BitKernels>(run.options().max_isa)),
        begin_(begin),
        end_(end),
        strips_at_once_(std::max<std::size_t>(8, (end - begin) / strip_columns / 16)),
        rows_(rows),
        extents_(components_.num_components() - begin) {}

  // Pairs of a component and another in the panel, counted by their vertices.
  std::uint64_t count() {
    std::uint64_t pairs = 0;
    const Vertex count = components_.num_components();
    for (std::size_t first = begin_; first < count; first += block_rows) {
      const Vertex last = static_cast<Vertex>(std::min<std::size_t>(count, first + block_rows));
      fill(static_cast<Vertex>(first), last);
      for (Vertex c = static_cast<Vertex>(first); c < last; ++c) pairs += count_row(c);
      run_.report("closure", static_cast<double>(last), static_cast<double>(count));
    }
    for (std::size_t r = 0; r < extents_.size(); ++r)
      std::fill(rows_.row(r) + extents_[r].first * strip_words, rows_.row(r) + extents_[r].last * strip_words, 0);
    return pairs;
  }

 private:
  // The strips of a row outside of which it is 0.
  struct Extent {
    std::size_t first = 0, last = 0;
    bool is_empty() const { return first == last; }
    void include(const Extent& other) {
      if (other.is_empty()) return;
      *this = is_empty() ? other : Extent{std::min(first, other.first), std::max(last, other.last)};
    }
  };

  std::uint64_t* row(Vertex component) { return rows_.row(component - begin_); }
  Extent& extent(Vertex component) { return extents_[component - begin_]; }

  // Rows [first, last), the panel's columns before them being done.
  void fill(Vertex first, Vertex last) {
    std::uint64_t arcs = 0;
    for (Vertex c = first; c < last; ++c) {
      for (const Vertex to : components_.successors(c)) arcs += to >= begin_ && to < first ? 1 : 0;
    }
    if (arcs != 0 && multiply_pays(first, arcs)) {
      multiply(first, last);
      join(first, last, first);
      ++report_.multiplied_blocks;
      return;
    }
    const std::uint64_t strips = join(first, last, begin_);
    if (arcs != 0) strips_an_arc_ = static_cast<double>(strips) / static_cast<double>(arcs);
    ++report_.searched_blocks;
  }

  bool multiply_pays(Vertex first, std::uint64_t arcs) {
    if (!strips_an_arc_ || ++since_look_ >= look_again) {
      since_look_ = 0;
      return false;
    }
    const double words = (first - begin_) / 64.0;
    const double strips = static_cast<double>(strips_for(std::min(first, end_) - begin_) + strips_at_once_) / 2;
    return words * strips * seconds_a_lookup / run_.num_threads() <
           static_cast<double>(arcs) * *strips_an_arc_ * seconds_a_strip;
  }

  // Joins, to each of these rows, those of its successors from `least` on. Returns how many strips that took of rows
  // before the block.
  std::uint64_t join(Vertex first, Vertex last, Vertex least) {
    auto* const combine = kernels_.of(BitSum::boolean).combine;
    std::uint64_t strips = 0;
    for (Vertex c = first; c < last; ++c) {
      run_.check();
      std::uint64_t* const to = row(c);
      EdgeId arc = components_.arc_offsets[c];
      for (const Vertex s : components_.successors(c)) {
        if (s < least) break;
        if (known_.is_passed_over[arc++]) continue;
        if (s < end_) {
          std::uint64_t& word = to[(s - begin_) / 64];
          const std::uint64_t bit = std::uint64_t{1} << (s - begin_) % 64;
          if (word & bit) {
            known_.is_passed_over[arc - 1] = true;
            continue;
          }
          word |= bit;
          const std::size_t strip = (s - begin_) / strip_columns;
          extent(c).include({strip, strip + 1});
        }
        const Extent from = extent(s);
        if (from.is_empty()) continue;
        const std::size_t place = from.first * strip_words, strips_joined = from.last - from.first;
        combine(to + place, row(s) + place, to + place, strips_joined * strip_words);
        extent(c).include(from);
        strips += s < first ? strips_joined : 0;
      }
    }
    return strips;
  }

  // Sets these rows to their arcs before the block and what those lead to.
  void multiply(Vertex first, Vertex last) {
    const std::size_t height = last - first, depth = first - begin_, width = end_ - begin_;
    BitMatrix arcs(height, depth);
    for (Vertex c = first; c < last; ++c) {
      extent(c) = {0, strips_for(std::min(first, end_) - begin_)};
      for (const Vertex s : components_.successors(c)) {
        if (s >= first) continue;
        if (s < begin_) break;
        arcs.set(c - first, s - begin_, true);
        if (s < end_) row(c)[(s - begin_) / 64] |= std::uint64_t{1} << (s - begin_) % 64;
      }
    }
    const std::size_t columns = std::min(first, end_) - begin_, step = strips_at_once_ * strip_columns;
    const BitView to = rows_.view().block(depth, height, 0, width);
    for (std::size_t column = 0; column < columns; column += step) {
      // Rows up to this column have nothing from it on.
      std::vector<const std::uint64_t*> rows(depth - column, nullptr);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!extents_[column + i].is_empty()) rows[i] = rows_.row(column + i) + column / 64;
      }
      add_product(BitSum::boolean, to.block(0, height, column, std::min(width, column + step) - column),
                  ConstBitView(arcs).block(0, height, column, depth - column), rows, run_);
    }
  }

  std::uint64_t count_row(Vertex c) {
    std::uint64_t vertices = 0;
    for_words(c, [&](std::size_t word, std::uint64_t bits) {
      vertices += static_cast<std::uint64_t>(__builtin_popcountll(bits));
      for (std::uint64_t large = bits & known_.is_large[begin_ / 64 + word]; large != 0; large &= large - 1)
        vertices += components_.size(component_at(word, large)) - 1;
    });
    if (vertices != 0 && on_reached_) tell(c);
    return vertices * components_.size(c);
  }

  template <class Body>
  void for_words(Vertex c, const Body& body) {
    const std::uint64_t* const bits = row(c);
    for (std::size_t w = extent(c).first * strip_words; w < extent(c).last * strip_words; ++w) {
      if (bits[w] != 0) body(w, bits[w]);
    }
  }

  Vertex component_at(std::size_t word, std::uint64_t bits) const {
    return begin_ + static_cast<Vertex>(64 * word + static_cast<unsigned>(__builtin_ctzll(bits)));
  }

  void tell(Vertex c) {
    targets_.clear();
    for_words(c, [&](std::size_t word, std::uint64_t left) {
      for (; left != 0; left &= left - 1) {
        for (const Vertex v : components_.members(component_at(word, left))) targets_.push_back(v);
      }
    });
    on_reached_(components_.members(c), targets_);
  }

  Known& known_;
  const Condensation& components_;
  const RunContext& run_;
  const OnReached& on_reached_;
  ClosureReport& report_;
  const BitKernels& kernels_;
  Vertex begin_, end_;
  std::size_t strips_at_once_;  // that products leave out at once: a row has nothing from its own column on
  BitMatrix& rows_;
  std::vector<Extent> extents_;
  std::optional<double> strips_an_arc_;  // in the last block that was joined
  std::size_t since_look_ = 0;
  std::vector<Vertex> targets_;  // of one row, told at once
};

// Returns the memory of the block's adjacency matrix twice, pointers and extents, beside the rows.
double panel_bytes(std::size_t count, std::size_t columns) {
  return BitMatrix::bytes(count, columns) + 2 * BitMatrix::bytes(block_rows, count) + 32.0 * static_cast<double>(count);
}

Vertex columns_of_panels(Vertex count, const RunContext& run) {
  require_memory(
      "the closure of a condensation", count, [](std::size_t rows) { return panel_bytes(rows, strip_columns); }, run);
  std::size_t strips = strips_for(count);
  const auto fits = [&](double bytes) { return bytes <= most_panel_bytes && run.has_memory_for(bytes); };
  while (strips > 1 && !fits(panel_bytes(count, strips * strip_columns))) strips = (strips + 1) / 2;
  return static_cast<Vertex>(std::min<std::size_t>(count, strips * strip_columns));
}

// Returns the GPU that closes them; nothing: the CPU.
std::optional<DeviceInfo> gpu_for(const Condensation& components, const RunContext& run) {
  // Pairs of bits a second of one core.
  constexpr double rate = 1e13;
  const double count = components.num_components(), arcs = static_cast<double>(components.arc_targets.size());
  const double joined = arcs * count / strip_columns / 2 * seconds_a_strip,
               multiplied = count * count * count / 6 / rate;
  double seconds = std::min(joined, multiplied);
  if (seconds > 1) seconds = std::min(joined, multiplied / run.num_threads());
  return choose_bit_gpu("the closure of a condensation", components.num_components(), seconds,
                        gpu::closure_device_bytes, run);
}

std::uint64_t count_on_gpu(const Condensation& components, const DeviceInfo& device, const RunContext& run,
                           const OnReached& on_reached) {
  const Vertex count = components.num_components();
  const gpu::ClosedRows rows(device, components.arc_offsets, components.arc_targets, run);
  std::vector<std::uint32_t> sizes;
  for (Vertex c = 0; c < count; ++c) sizes.push_back(components.size(c));
  const std::vector<std::uint64_t> totals = rows.weighed(sizes);
  std::uint64_t pairs = 0;
  for (Vertex c = 0; c < count; ++c) pairs += totals[c] * sizes[c];
  if (!on_reached) return pairs;
  std::vector<Vertex> targets;
  for (Vertex first = 0; first < count; first += block_rows) {
    run.check();
    const auto height = static_cast<Vertex>(std::min<std::size_t>(block_rows, count - first));
    BitMatrix block(height, count);
    rows.download(block.view(), first);
    for (Vertex c = first; c < first + height; ++c) {
      if (totals[c] == 0) continue;
      targets.clear();
      for (Vertex s = 0; s < c; ++s) {
        if (!block.get(c - first, s)) continue;
        for (const Vertex v : components.members(s)) targets.push_back(v);
      }
      on_reached(components.members(c), targets);
    }
  }
  return pairs;
}

}  // namespace

std::uint64_t count_reachable_pairs(const Condensation& components, const RunContext& run, const OnReached& on_reached,
                                    ClosureReport* report) {
  const Vertex count = components.num_components();
  ClosureReport found;
  std::uint64_t pairs = 0;
  Known known{components, std::vector<std::uint64_t>((std::size_t{count} + 63) / 64, 0),
              std::vector<bool>(components.arc_targets.size(), false)};
  for (Vertex c = 0; c < count; ++c) {
    const std::uint64_t size = components.size(c);
    if (size > 1) known.is_large[c / 64] |= std::uint64_t{1} << c % 64;
    if (!components.has_cycle[c]) continue;
    pairs += size * size;
    if (on_reached) on_reached(components.members(c), components.members(c));
  }
  if (components.arc_targets.empty()) {
    if (report != nullptr) *report = found;
    return pairs;
  }
  if (const auto device = gpu_for(components, run)) {
    pairs += count_on_gpu(components, *device, run, on_reached);
    found.gpus.push_back(*device);
  } else {
    const Vertex columns = columns_of_panels(count, run);
    BitMatrix rows(count, columns);
    for (std::size_t begin = (count - 1) / columns * std::size_t{columns};; begin -= columns) {
      const auto end = static_cast<Vertex>(std::min<std::size_t>(count, begin + columns));
      pairs += Panel(known, static_cast<Vertex>(begin), end, rows, run, on_reached, found).count();
      if (begin == 0) break;
    }
  }
  if (report != nullptr) *report = found;
  return pairs;
}

std::vector<Vertex> reachable_from(const Digraph& graph, Vertex source, const RunContext& run) {
  if (source >= graph.num_vertices()) {
    throw InputError("the vertex " + std::to_string(source), "one below " + std::to_string(graph.num_vertices()));
  }
  StepCheck check(run);
  std::vector<bool> reached(graph.num_vertices(), false);
  std::vector<Vertex> found, open{source};
  while (!open.empty()) {
    const Vertex v = open.back();
    open.pop_back();
    for (const Vertex to : graph.successors(v)) {
      check.step();
      if (reached[to]) continue;
      reached[to] = true;
      found.push_back(to);
      open.push_back(to);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace matchcount
