// A front's children are one level below it, so that while a level is eliminated it and the one below are all that is
// held: levels take turns with two parts of the arena.

#include <algorithm>
#include <array>
#include <numeric>

#include "permanent/planar/cuda/elimination_gpu.hpp"

namespace matchcount::gpu {
namespace {

// Tiles of a front up to which a block has so many warps.
struct Team {
  std::uint64_t most_tiles;
  unsigned warps;
};
constexpr std::array<Team, 3> teams = {{{16, 1}, {100, 4}, {~std::uint64_t{0}, 8}}};

unsigned warps_for(const EliminationFront& front) {
  const std::uint64_t tiles = ((std::uint64_t{front.rows} + 3) / 4) * ((std::uint64_t{front.columns} + 3) / 4);
  return std::find_if(teams.begin(), teams.end(), [&](const Team& team) { return tiles <= team.most_tiles; })->warps;
}

double multiplications_of(const EliminationFront& front, bool skew) {
  // The sum of (rows - k) (columns - k) over pivots k; skew: half of the matrix.
  const double r = front.rows, c = front.columns, p = front.pivots;
  return (p * r * c - (r + c) * p * (p + 1) / 2 + p * (p + 1) * (2 * p + 1) / 6) / (skew ? 2 : 1);
}

struct Tree {
  std::vector<std::vector<std::uint32_t>> children;
  std::vector<std::uint32_t> depth;
  std::vector<std::size_t> first_child, first_map, first_entry;  // in the program
};

Tree tree_of(const EliminationProgram& program) {
  const std::size_t num_fronts = program.fronts.size();
  Tree tree{std::vector<std::vector<std::uint32_t>>(num_fronts), std::vector<std::uint32_t>(num_fronts, 0), {}, {}, {}};
  std::vector<std::uint32_t> waiting;  // for a parent
  std::size_t child = 0, map = 0, entry = 0;
  for (std::size_t f = 0; f < num_fronts; ++f) {
    const EliminationFront& front = program.fronts[f];
    tree.first_child.push_back(child);
    tree.first_map.push_back(map);
    tree.first_entry.push_back(entry);
    tree.children[f].assign(waiting.end() - front.num_children, waiting.end());
    waiting.resize(waiting.size() - front.num_children);
    waiting.push_back(static_cast<std::uint32_t>(f));
    for (std::size_t c = 0; c < front.num_children; ++c, ++child)
      map += program.children[child].rows + (program.skew ? 0 : program.children[child].columns);
    entry += front.num_entries;
  }
  for (std::size_t f = num_fronts; f-- > 0;)
    for (const std::uint32_t c : tree.children[f]) tree.depth[c] = tree.depth[f] + 1;
  return tree;
}

std::uint64_t entries_of(const EliminationFront& front) {
  return std::uint64_t{front.rows} * front.columns + 1;  // and the product of its pivots
}

}  // namespace

EliminationLayout layout_of(const EliminationProgram& program) {
  EliminationLayout layout;
  const Tree tree = tree_of(program);
  const std::uint32_t deepest = *std::max_element(tree.depth.begin(), tree.depth.end());
  std::array<std::uint64_t, 2> part_entries = {0, 0};
  std::vector<std::uint64_t> level_entries(deepest + 1, 0);
  for (std::size_t f = 0; f < program.fronts.size(); ++f) level_entries[tree.depth[f]] += entries_of(program.fronts[f]);
  for (std::uint32_t d = 0; d <= deepest; ++d) part_entries[d % 2] = std::max(part_entries[d % 2], level_entries[d]);
  layout.arena_entries = part_entries[0] + part_entries[1];

  std::vector<std::uint32_t> order(program.fronts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (tree.depth[a] != tree.depth[b]) return tree.depth[a] > tree.depth[b];
    const unsigned warps_a = warps_for(program.fronts[a]), warps_b = warps_for(program.fronts[b]);
    if (warps_a != warps_b) return warps_a > warps_b;
    return multiplications_of(program.fronts[a], false) > multiplications_of(program.fronts[b], false);
  });
  std::vector<std::uint64_t> place(program.fronts.size());
  std::uint32_t depth = deepest + 1;
  std::uint64_t end = 0;
  for (const std::uint32_t f : order) {
    const EliminationFront& front = program.fronts[f];
    const unsigned warps = warps_for(front);
    const bool next_level = tree.depth[f] != depth;
    if (next_level) {
      depth = tree.depth[f];
      end = depth % 2 == 0 ? 0 : part_entries[0];
    }
    if (next_level || layout.launches.back().warps != warps)
      layout.launches.push_back({static_cast<unsigned>(layout.fronts.size()), 0, warps, 0});
    ++layout.launches.back().count;
    layout.launches.back().multiplications += multiplications_of(front, program.skew);
    place[f] = end;
    end += entries_of(front);
    if (depth == 0) ++layout.num_roots;
    // A tile at an edge reads rows and columns beyond the front.
    layout.slack_entries = std::max(layout.slack_entries, std::uint64_t{elimination_tile - 1} * (front.columns + 1));

    GpuFront record{};
    record.place = place[f];
    record.rows = front.rows;
    record.columns = front.columns;
    record.pivots = front.pivots;
    record.first_child = static_cast<unsigned>(layout.children.size());
    record.num_children = front.num_children;
    record.first_entry = static_cast<unsigned>(layout.entries.size());
    record.num_entries = front.num_entries;
    const auto first_entry = program.entries.begin() + static_cast<std::ptrdiff_t>(tree.first_entry[f]);
    layout.entries.insert(layout.entries.end(), first_entry, first_entry + front.num_entries);
    std::size_t map = tree.first_map[f];
    for (std::size_t c = 0; c < front.num_children; ++c) {
      const EliminationChild& left = program.children[tree.first_child[f] + c];
      const EliminationFront& child = program.fronts[tree.children[f][c]];
      const std::uint64_t child_place = place[tree.children[f][c]];
      layout.children.push_back({child_place + std::uint64_t{child.pivots} * child.columns + child.pivots,
                                 child_place + std::uint64_t{child.rows} * child.columns, child.columns,
                                 static_cast<unsigned>(layout.maps.size())});
      const auto add_map = [&](std::uint32_t size, std::uint32_t size_left) {
        const std::size_t first = layout.maps.size();
        layout.maps.resize(first + size, elimination_nowhere);
        for (std::uint32_t i = 0; i < size_left; ++i) layout.maps[first + program.maps[map++]] = i;
      };
      add_map(front.rows, left.rows);
      if (!program.skew) add_map(front.columns, left.columns);
    }
    layout.fronts.push_back(record);
  }
  return layout;
}

}  // namespace matchcount::gpu
