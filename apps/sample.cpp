// sample: random perfect matchings, each as likely as the others or in proportion to its weights.

#include <algorithm>
#include <span>

#include "apps/commands.hpp"
#include "apps/distribution.hpp"
#include "apps/inputs.hpp"
#include "apps/matching_writer.hpp"
#include "core/error.hpp"

namespace matchcount::app {

int run_sample(const Options& options, Interrupt& interrupt) {
  return answer_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    MatchingDistribution distribution = distribution_of(options, loaded, count);
    if (!distribution.has_perfect_matching())
      throw Unable("there is no perfect matching to be drawn: " + why_there_is_none(loaded.input, distribution));
    MatchingWriter writer(options, loaded, MatchingWriter::Layout::edge_list, "sample");
    if (const std::string text = weights_note(options, loaded.input); !text.empty())
      note(options, loaded.prefix + text);
    const std::size_t size = distribution.matching_size();
    // Passes over the layers draw many at a time; so many edges are held.
    constexpr std::size_t most_edges = 1 << 22;
    const std::uint64_t batch = std::max<std::uint64_t>(1, most_edges / std::max<std::size_t>(size, 1));
    for (std::uint64_t first = 0; first < options.samples; first += batch) {
      const auto some = static_cast<std::size_t>(std::min(batch, options.samples - first));
      const std::vector<EdgeId> edges = distribution.samples(first, some);
      bar.clear();
      for (std::size_t i = 0; i < some; ++i) writer.put(first + i, std::span(edges).subspan(i * size, size));
      writer.flush();
    }
  });
}

}  // namespace matchcount::app
