// sample: random perfect matchings, each as likely as the others or in proportion to its weights.

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "apps/commands.hpp"
#include "apps/distribution.hpp"
#include "apps/inputs.hpp"
#include "apps/matching_writer.hpp"
#include "apps/picture.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::app {
namespace {

// How many samples are drawn at a time. A pass over the layers takes its time however few it draws, so that batches
// grow. A limit or Ctrl-C loses the batch that it meets: they grow beyond a moment only while four times as many
// take less than 2.5 times as long.
class Batches {
 public:
  // A memory limit of 0: none.
  Batches(double bytes_of_sample, std::uint64_t memory_limit_bytes) {
    constexpr double most_bytes = 1 << 26, share_of_limit = 0.05;
    const double limit = static_cast<double>(memory_limit_bytes);
    const double bytes = memory_limit_bytes == 0 ? most_bytes : std::min(most_bytes, share_of_limit * limit);
    most_ = static_cast<std::size_t>(std::max(1.0, bytes / bytes_of_sample));
  }
  std::size_t size() const { return size_; }
  // A batch is drawn and written.
  void done() {
    constexpr double moment_s = 0.25;
    const double seconds = clock_.lap();
    if (seconds > moment_s && seconds > 2.5 * seconds_of_smaller_) return;
    size_ = std::min(most_, 4 * size_);
    seconds_of_smaller_ = seconds;
  }

 private:
  std::size_t size_ = 1, most_ = 1;
  double seconds_of_smaller_ = std::numeric_limits<double>::infinity();  // the first batch counts as well
  Stopwatch clock_;
};

}  // namespace

int run_sample(const Options& options, Interrupt& interrupt) {
  if (!options.output.empty() && options.samples > 1)
    throw InputError("--svg with --samples " + std::to_string(options.samples), "one sample, which the picture shows");
  return answer_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    MatchingDistribution distribution = distribution_of(options, loaded, count);
    if (!distribution.has_perfect_matching())
      throw Unable("there is no perfect matching to be drawn: " + why_there_is_none(loaded.input, distribution));
    std::optional<PlacedGraph> placed;
    if (!options.output.empty()) placed = placed_graph(options, loaded.input, RunContext(count.run));
    MatchingWriter writer(options, loaded, MatchingWriter::Layout::edge_list, "sample");
    if (const std::string text = weights_note(options, loaded.input); !text.empty())
      note(options, loaded.prefix + text);
    const std::size_t size = distribution.matching_size();
    Batches batches(distribution.bytes_of_sample(), count.run.memory_limit_bytes);
    for (std::uint64_t first = 0; first < options.samples;) {
      const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(batches.size(), options.samples - first));
      const std::vector<EdgeId> edges = distribution.samples(first, some);
      bar.clear();
      for (std::size_t i = 0; i < some; ++i) writer.put(first + i, std::span(edges).subspan(i * size, size));
      writer.flush();
      if (placed) write_picture(options.output, matching_picture(*placed, edges));
      batches.done();
      first += some;
    }
  });
}

}  // namespace matchcount::app
