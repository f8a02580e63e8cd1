// sample: random matchings, each as likely as the others or in proportion to its weights.

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "apps/commands.hpp"
#include "apps/distribution.hpp"
#include "apps/inputs.hpp"
#include "apps/json.hpp"
#include "apps/matching_writer.hpp"
#include "apps/picture.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::app {
namespace {

// Chooses how many samples are drawn at a time. A pass over the layers takes its time however few it draws, so that
// batches grow. A limit or Ctrl-C loses the batch that it meets: they grow beyond a moment only while four times as
// many take less than 2.5 times as long.
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

// A distribution of either kind draws, batch after batch.
template <class Distribution>
void write_samples(Distribution& distribution, const Options& options, const CountOptions& count,
                   MatchingWriter& writer, const PlacedGraph* placed, ProgressBar& bar) {
  const std::size_t size = distribution.matching_size();
  Batches batches(distribution.bytes_of_sample(), count.run.memory_limit_bytes);
  const std::uint64_t end = options.first_sample + options.samples;
  for (std::uint64_t first = options.first_sample; first < end;) {
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(batches.size(), end - first));
    const std::vector<EdgeId> edges = distribution.samples(first, some);
    const auto sample = [&](std::size_t i) {
      const auto places = std::span(edges).subspan(i * size, size);
      return places.first(static_cast<std::size_t>(std::ranges::find(places, no_edge) - places.begin()));
    };
    bar.clear();
    if (placed != nullptr) write_picture(options.output, matching_picture(*placed, sample(0)));
    for (std::size_t i = 0; i < some; ++i) writer.put(first + i, sample(i));
    writer.flush();
    batches.done();
    first += some;
  }
}

template <class Distribution>
void require_matching(const Options& options, const Loaded& loaded, const Distribution& distribution) {
  if constexpr (requires { distribution.has_matching(); }) {
    if (!distribution.has_matching())
      throw Unable((certificate_of(distribution) && options.matchings != MatchingKind::saturating
                        ? "there is no perfect matching to be drawn: "
                        : "there is nothing to be drawn: ") +
                   why_none(options, loaded.input, distribution));
  } else if (!distribution.has_perfect_matching()) {
    throw Unable("there is no perfect matching to be drawn: " + sentence(loaded.input, certificate_of(distribution)));
  }
}

// Says how far approximate samples are from fair ones.
std::string diagnostics(const PopulationReport& report) {
  if (report.population == 0) return "exact samples after all: every part of the graph is small";
  std::string text = "approximate: taken from " + std::to_string(report.population) +
                     " weighted matchings, which are worth " + formatted("%.3g", report.effective) +
                     " of equal weight; the heaviest is " + formatted("%.3g %%", 100 * report.largest_share) +
                     " of the samples; " + std::to_string(report.distinct) + " of " + std::to_string(report.drawn) +
                     " samples are different ones";
  if (!report.warning.empty()) text += "\nwarning: " + report.warning;
  return text;
}

Json json_of(const PopulationReport& report) {
  Json object = {
      {"population", report.population}, {"effective", report.effective}, {"largest_share", report.largest_share}};
  if (!report.warning.empty()) object["warning"] = report.warning;
  return object;
}

}  // namespace

int run_sample(const Options& options, Interrupt& interrupt) {
  if (!options.output.empty() && options.samples > 1)
    throw InputError("--svg with --samples " + std::to_string(options.samples), "one sample, which the picture shows");
  return answer_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    bring_to_integers(options, loaded);
    const auto draw = [&](auto&& distribution) {
      require_matching(options, loaded, distribution);
      std::optional<PlacedGraph> placed;
      if (!options.output.empty()) placed = placed_graph(options, loaded.input, RunContext(count.run));
      MatchingWriter writer(options, loaded, MatchingWriter::Layout::edge_list, "sample");
      if (const std::string text = weights_note(options, loaded.input); !text.empty())
        note(options, loaded.prefix + text);
      if constexpr (requires { distribution.population(); })
        writer.add("approximate", json_of(distribution.population()));
      write_samples(distribution, options, count, writer, placed ? &*placed : nullptr, bar);
      if constexpr (requires { distribution.population(); })
        note(options, loaded.prefix + diagnostics(distribution.population()));
    };
    options.by_estimate ? draw(estimated_distribution_of(options, loaded, count, nullptr))
                        : draw(distribution_of(options, loaded, count));
  });
}

}  // namespace matchcount::app
