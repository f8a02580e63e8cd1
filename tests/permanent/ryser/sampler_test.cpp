#include "permanent/ryser/minors.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace matchcount;

namespace {

Block<RealEntry> block_of(Vertex n, const std::vector<double>& entries) {
  Block<RealEntry> block{BipartiteGraph::from_dense(n, n, entries).pattern(), {}};
  for (const double entry : entries) block.entries.push_back({entry, entry});
  return block;
}

}  // namespace

TEST_CASE("draws are permutations, and of a matrix of one permutation that one") {
  const Vertex n = 12;
  std::vector<double> entries(n * n, 1e-250);
  for (Vertex i = 0; i < n; ++i) entries[i * n + (5 * i + 3) % n] = 1;
  const RunContext run;
  const std::vector<EdgeId> drawn = RyserSampler(block_of(n, entries), run).draw(1, 0, 0, 100);
  for (std::size_t i = 0; i < drawn.size(); ++i) REQUIRE(drawn[i] == i % n * n + (5 * (i % n) + 3) % n);
  std::vector<EdgeId> any = RyserSampler(block_of(n, std::vector<double>(n * n, 1.0)), run).draw(1, 0, 7, 1);
  for (EdgeId& edge : any) edge %= n;
  std::ranges::sort(any);
  for (EdgeId i = 0; i < n; ++i) REQUIRE(any[i] == i);
}

TEST_CASE("entries that are not above 0 and probabilities that cancel too far are refused") {
  const RunContext run;
  REQUIRE_THROWS_AS(RyserSampler(block_of(2, {1, 2, -1, 1}), run), InputError);
  // Entries below the diagonal are large, so that the signed sums are, and those above it next to nothing: the
  // permanent is 1.
  const Vertex n = 16;
  std::vector<double> entries(n * n, 1e-30);
  for (Vertex i = 0; i < n; ++i) {
    for (Vertex j = 0; j <= i; ++j) entries[i * n + j] = j < i ? 100 : 1;
  }
  REQUIRE_THROWS_AS(RyserSampler(block_of(n, entries), run).draw(1, 0, 0, 1), Unable);
}
