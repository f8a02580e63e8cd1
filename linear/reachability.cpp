// Rows of bits for components, from the sinks on: row c has the components below c that c reaches. A panel is a range
// of columns, [begin, end), of all rows behind `begin`; panels know nothing of each other, and threads take one each.
//
// Row c is the union, over its successors s, of row s and of s itself. Successors come in descending order, and one
// whose bit is set already is passed over with all that it reaches: of a dense acyclic digraph few are left. In a block
// of 512 rows those that lead before the block are joined either so, or all at once by the product of 512 rows of the
// adjacency matrix and the rows before; how many arcs are passed over is known from the blocks that went the first way.

#include "linear/reachability.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/step_check.hpp"
#include "linear/bits/cpu/lookups.hpp"
#include "linear/bits/fit.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount {
namespace {

constexpr std::size_t block_rows = strip_columns;
// Seconds of one core for a word that is joined, and for a word of 512 rows and its tables in a product (2 cores,
// AVX-512); what matters is their proportion.
constexpr double seconds_a_word = 0.15e-9, seconds_a_lookup = 2.6e-6;
// Every so many blocks arcs are followed whatever was seen before.
constexpr std::size_t look_again = 16;

struct Shared {
  Shared(const Condensation& given, const RunContext& given_run, const OnReached& given_on_reached)
      : components(given),
        run(given_run),
        on_reached(given_on_reached),
        is_large((std::size_t{given.num_components()} + 63) / 64, 0) {}

  const Condensation& components;
  const RunContext& run;
  const OnReached& on_reached;
  std::vector<std::uint64_t> is_large;  // bits: components of more than one vertex
  std::atomic<std::uint64_t> blocks_done{0}, searched{0}, multiplied{0};
  std::uint64_t num_blocks = 0;
};

class Panel {
 public:
  Panel(Shared& shared, Vertex begin, Vertex end, int threads)
      : shared_(shared),
        components_(shared.components),
        run_(shared.run),
        kernels_(kernels_for(shared.run)),
        begin_(begin),
        end_(end),
        threads_(threads),
        strips_at_once_(std::max<std::size_t>(8, (end - begin) / strip_columns / 16)),
        rows_(components_.num_components() - begin, end - begin) {}

  // Pairs of a component and another in the panel, counted by their vertices.
  std::uint64_t count() {
    std::uint64_t pairs = 0;
    const Vertex count = components_.num_components();
    for (std::size_t first = begin_; first < count; first += block_rows) {
      const Vertex last = static_cast<Vertex>(std::min<std::size_t>(count, first + block_rows));
      fill(static_cast<Vertex>(first), last);
      for (Vertex c = static_cast<Vertex>(first); c < last; ++c) pairs += count_row(c);
      run_.report("closure", static_cast<double>(++shared_.blocks_done), static_cast<double>(shared_.num_blocks));
    }
    return pairs;
  }

 private:
  std::uint64_t* row(Vertex component) { return rows_.row(component - begin_); }

  // Rows [first, last), the panel's columns before them being done.
  void fill(Vertex first, Vertex last) {
    std::uint64_t arcs = 0;
    for (Vertex c = first; c < last; ++c) {
      for (const Vertex to : components_.successors(c)) arcs += to >= begin_ && to < first ? 1 : 0;
    }
    if (arcs != 0 && multiply_pays(first, arcs)) {
      multiply(first, last);
      join(first, last, first);
      ++shared_.multiplied;
      return;
    }
    const std::uint64_t joined = join(first, last, begin_);
    if (arcs != 0) share_joined_ = static_cast<double>(joined) / static_cast<double>(arcs);
    ++shared_.searched;
  }

  bool multiply_pays(Vertex first, std::uint64_t arcs) {
    if (!share_joined_ || ++since_look_ >= look_again) {
      since_look_ = 0;
      return false;
    }
    const double before = (first - begin_) / 64.0, words = (std::min(first, end_) - begin_) / 64.0;
    const double to_join = static_cast<double>(arcs) * *share_joined_ * words / 2 * seconds_a_word;
    const double to_multiply =
        before * (words / strip_words + static_cast<double>(strips_at_once_)) / 2 * seconds_a_lookup / threads_;
    return to_multiply < to_join;
  }

  // Joins, to each of these rows, those of its successors from `least` on. Returns how many that took from before the
  // block.
  std::uint64_t join(Vertex first, Vertex last, Vertex least) {
    auto* const combine = kernels_.of(BitSum::boolean).combine;
    std::uint64_t joined = 0;
    for (Vertex c = first; c < last; ++c) {
      run_.check();
      std::uint64_t* const to = row(c);
      for (const Vertex s : components_.successors(c)) {
        if (s < least) break;
        if (s < end_) {
          std::uint64_t& word = to[(s - begin_) / 64];
          const std::uint64_t bit = std::uint64_t{1} << (s - begin_) % 64;
          if (word & bit) continue;
          word |= bit;
        }
        // Row s has nothing from column s on.
        const std::size_t columns = std::min(s, end_) - begin_;
        combine(to, row(s), to, (columns + strip_columns - 1) / strip_columns * strip_words);
        joined += s < first ? 1 : 0;
      }
    }
    return joined;
  }

  // Sets these rows to their arcs before the block and what those lead to.
  void multiply(Vertex first, Vertex last) {
    const std::size_t height = last - first, depth = first - begin_;
    BitMatrix arcs(height, depth);
    for (Vertex c = first; c < last; ++c) {
      for (const Vertex s : components_.successors(c)) {
        if (s >= first) continue;
        if (s < begin_) break;
        arcs.set(c - first, s - begin_, true);
        if (s < end_) row(c)[(s - begin_) / 64] |= std::uint64_t{1} << (s - begin_) % 64;
      }
    }
    const std::size_t columns = std::min(first, end_) - begin_, step = strips_at_once_ * strip_columns;
    const BitView to = rows_.view().block(first - begin_, height, 0, end_ - begin_);
    const std::size_t width = end_ - begin_;
    for (std::size_t column = 0; column < columns; column += step) {
      // Rows up to this column have nothing from it on.
      std::vector<const std::uint64_t*> rows(depth - column);
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = rows_.row(column + i) + column / 64;
      add_product(BitSum::boolean, to.block(0, height, column, std::min(width, column + step) - column),
                  ConstBitView(arcs).block(0, height, column, depth - column), rows, run_, threads_);
    }
  }

  std::uint64_t count_row(Vertex c) {
    std::uint64_t vertices = 0;
    const std::uint64_t* const bits = row(c);
    const std::size_t words = (std::min(c, end_) - begin_ + 63) / 64, first_word = begin_ / 64;
    for (std::size_t w = 0; w < words; ++w) {
      vertices += static_cast<std::uint64_t>(__builtin_popcountll(bits[w]));
      for (std::uint64_t large = bits[w] & shared_.is_large[first_word + w]; large != 0; large &= large - 1)
        vertices += components_.size(component_at(w, large)) - 1;
    }
    if (vertices != 0 && shared_.on_reached) tell(c, words);
    return vertices * components_.size(c);
  }

  Vertex component_at(std::size_t word, std::uint64_t bits) const {
    return begin_ + static_cast<Vertex>(64 * word + static_cast<unsigned>(__builtin_ctzll(bits)));
  }

  void tell(Vertex c, std::size_t words) {
    std::vector<Vertex> targets;
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t bits = row(c)[w]; bits != 0; bits &= bits - 1) {
        const auto members = components_.members(component_at(w, bits));
        targets.insert(targets.end(), members.begin(), members.end());
      }
    }
    shared_.on_reached(components_.members(c), targets);
  }

  Shared& shared_;
  const Condensation& components_;
  const RunContext& run_;
  const BitKernels& kernels_;
  Vertex begin_, end_;
  int threads_;                 // of products
  std::size_t strips_at_once_;  // that products leave out at once: a row has nothing from its own column on
  BitMatrix rows_;
  std::optional<double> share_joined_;  // of arcs before a block, in the last that was joined
  std::size_t since_look_ = 0;
};

// Panels, and how many of them are worked on side by side.
struct Panels {
  Vertex columns;
  int side_by_side;
};

// The block's adjacency matrix twice, and pointers, beside the rows.
double panel_bytes(std::size_t count, std::size_t columns) {
  return BitMatrix::bytes(count, columns) + 2 * BitMatrix::bytes(block_rows, count) + 16.0 * static_cast<double>(count);
}

// in_order: one after another.
Panels choose_panels(Vertex count, bool in_order, const RunContext& run) {
  require_memory(
      "the closure of a digraph whose condensation", count,
      [](std::size_t rows) { return panel_bytes(rows, strip_columns); }, run);
  const std::size_t strips = (std::size_t{count} + strip_columns - 1) / strip_columns;
  // Few, since a successor behind a panel is passed over by none of it.
  int threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(run.num_threads()), strips));
  std::size_t width = strips;
  constexpr std::size_t small = 16;
  if (in_order || strips <= small) threads = 1;
  if (threads > 1)
    width = (strips + 2 * static_cast<std::size_t>(threads) - 1) / (2 * static_cast<std::size_t>(threads));
  while (!run.has_memory_for(threads * panel_bytes(count, width * strip_columns))) {
    if (width > 1) {
      width = (width + 1) / 2;
    } else {
      --threads;
    }
  }
  return {static_cast<Vertex>(std::min<std::size_t>(count, width * strip_columns)), threads};
}

}  // namespace

std::uint64_t count_reachable_pairs(const Condensation& components, const RunContext& run, const OnReached& on_reached,
                                    ClosureReport* report) {
  const Vertex count = components.num_components();
  std::uint64_t pairs = 0;
  Shared shared(components, run, on_reached);
  for (Vertex c = 0; c < count; ++c) {
    const std::uint64_t size = components.size(c);
    if (size > 1) shared.is_large[c / 64] |= std::uint64_t{1} << c % 64;
    if (!components.has_cycle[c]) continue;
    pairs += size * size;
    if (on_reached) on_reached(components.members(c), components.members(c));
  }
  if (!components.arc_targets.empty()) {
    const Panels panels = choose_panels(count, static_cast<bool>(on_reached), run);
    const std::uint64_t num_panels = (std::uint64_t{count} + panels.columns - 1) / panels.columns;
    for (std::uint64_t p = 0; p < num_panels; ++p)
      shared.num_blocks += (count - p * panels.columns + block_rows - 1) / block_rows;
    std::atomic<std::uint64_t> between{0};
    parallel_for_chunks(panels.side_by_side, num_panels, [&](std::uint64_t panel, int) {
      const auto begin = static_cast<Vertex>(panel * panels.columns);
      const Vertex end = std::min(count - begin, panels.columns) + begin;
      between += Panel(shared, begin, end, panels.side_by_side > 1 ? 1 : run.num_threads()).count();
    });
    pairs += between;
  }
  if (report != nullptr) *report = {shared.searched, shared.multiplied};
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
