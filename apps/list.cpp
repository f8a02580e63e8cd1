// list: matchings one after another, each once, in lexicographic order; and sample.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/json.hpp"
#include "apps/matchings.hpp"
#include "apps/options.hpp"
#include "apps/placement.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "graph/picture.hpp"
#include "graph/weights.hpp"
#include "matchcount/marginals.hpp"
#include "matching/graph_matching.hpp"
#include "matching/matching_list.hpp"

namespace matchcount::app {

namespace {

// Writes matchings one by one: lines of text, or JSON Lines.
class MatchingWriter {
 public:
  // Says how a matching is written without --json: an edge a line behind a comment, or all on one line.
  enum class Layout { edge_list, one_line };
  // `number_name` is the key of a matching's number in JSON.
  MatchingWriter(const Options& options, const Loaded& loaded, Layout layout, std::string number_name)
      : options_(options),
        loaded_(loaded),
        layout_(layout),
        number_name_(std::move(number_name)),
        names_(loaded.input, !options.json) {}

  void put(std::uint64_t number, std::span<const EdgeId> edges) {
    constexpr std::size_t piece = 1 << 16;
    if (options_.json) {
      Json object;
      object["command"] = options_.command->name;
      object["file"] = loaded_.file;
      if (loaded_.one_of_several) object["position"] = loaded_.position;
      object[number_name_] = number;
      Json list = Json::array();
      for (const EdgeId edge : edges) list.push_back(Json::array({names_.first(edge), names_.second(edge)}));
      object["edges"] = std::move(list);
      for (const auto& [key, value] : more_) object[key] = value;
      text_ += line(object);
    } else if (layout_ == Layout::edge_list) {
      text_ += "# " + loaded_.prefix + number_name_ + " " + std::to_string(number) + "\n";
      for (const EdgeId edge : edges)
        text_.append(names_.first(edge)).append(1, ' ').append(names_.second(edge)).append(1, '\n');
    } else {
      put_line(edges);
    }
    if (text_.size() >= piece) flush();
  }

  // A member of every object in JSON; nothing in text.
  void add(std::string key, Json value) { more_.emplace_back(std::move(key), std::move(value)); }

  // Writes to stdout what was put. Throws as write_answer does.
  void flush() {
    if (!text_.empty()) write_answer(text_);
    text_.clear();
  }

 private:
  // Matchings of a list share most of their edges with the one before, from the first on.
  void put_line(std::span<const EdgeId> edges) {
    const auto same = static_cast<std::size_t>(std::ranges::mismatch(edges, last_).in1 - edges.begin());
    last_.assign(edges.begin(), edges.end());
    ends_.resize(same);
    line_.resize(same == 0 ? 0 : ends_.back());
    for (const EdgeId edge : edges.subspan(same)) {
      if (edge >= pairs_.size()) pairs_.resize(edge + std::size_t{1});
      std::string& pair = pairs_[edge];
      if (pair.empty()) pair.append(", ").append(names_.first(edge)).append(1, ' ').append(names_.second(edge));
      line_.append(pair, line_.empty() ? 2 : 0);
      ends_.push_back(line_.size());
    }
    text_.append(line_).append(1, '\n');
  }

  const Options& options_;
  const Loaded& loaded_;
  Layout layout_;
  std::string number_name_;
  EdgeNames names_;
  std::vector<std::pair<std::string, Json>> more_;
  std::string text_;
  // The last matching on one line, and where its edges end there.
  std::string line_;
  std::vector<EdgeId> last_;
  std::vector<std::size_t> ends_;
  std::vector<std::string> pairs_;  // ", a b" of the edges that a line had
};

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

constexpr std::uint64_t most_drawn = 400;

bool is_saturating(const Options& options) { return options.matchings == MatchingKind::saturating; }

// The list of an input's matchings, whose edges have numbers of the input's graph.
class InputList {
 public:
  InputList(const Options& options, const Input& input, const CountOptions& count, const RunContext& run)
      : list_(list_of(input, matching_options(options, input, count, false), run, number_)) {}

  bool next() { return list_.next(); }
  std::span<const EdgeId> edges() {
    if (number_.empty()) return list_.edges();
    edges_.clear();
    for (const EdgeId edge : list_.edges()) edges_.push_back(static_cast<EdgeId>(number_[edge]));
    return edges_;
  }

 private:
  static MatchingList list_of(const Input& input, const MatchingOptions& question, const RunContext& run,
                              std::vector<std::int64_t>& number) {
    if (input.kind != InputKind::undirected)
      return list_matchings(input.graph, question.kind, question.fractions, run, question.always_matched);
    if (!input.is_bipartite())
      return list_matchings(input.undirected, question.kind, question.fractions, run, question.always_matched);
    // Its vertices come in the order of the file, not the rows first.
    number.resize(input.num_edges());
    std::iota(number.begin(), number.end(), 0);
    UndirectedGraph graph =
        UndirectedGraph::from_edges(static_cast<Vertex>(input.is_column.size()), edges_in_file_order(input), number);
    if (const auto* ids = std::get_if<std::vector<std::int64_t>>(&graph.weights())) number = *ids;
    const std::vector<EdgeId> ids(number.begin(), number.end());
    graph = graph.with_weights(gather(input.graph.weights(), ids));
    const std::vector<Vertex> vertices = vertices_in_file_order(input);
    std::vector<Vertex> always_matched;
    for (const Vertex v : question.always_matched)
      always_matched.push_back(static_cast<Vertex>(std::ranges::find(vertices, v) - vertices.begin()));
    return list_matchings(graph, question.kind, question.fractions, run, always_matched);
  }

  std::vector<std::int64_t> number_;  // by the list's EdgeId; empty: the same
  MatchingList list_;
  std::vector<EdgeId> edges_;  // of the last, by these numbers
};

// Proves that there is nothing to list.
Certificate certificate_of_none(const Options& options, const Input& input, const RunContext& run) {
  if (!input.is_bipartite()) return {{}, tutte_set(input.undirected, maximum_matching(input.undirected, run))};
  const Matching matching = maximum_matching(input.graph, run);
  const bool columns_lead = is_saturating(options) && input.graph.num_columns() < input.graph.num_rows();
  return {hall_violator(input.graph, matching, !columns_lead && matching.size < input.graph.num_rows())};
}

Json json_of_none(const Loaded& loaded, const Certificate& certificate) {
  Json object = {{"command", "list"}, {"file", loaded.file}};
  if (loaded.one_of_several) object["position"] = loaded.position;
  object["matchings"] = 0;
  object.update(json_certificate(loaded.input, certificate));
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

int run_list(const Options& options, Interrupt& interrupt) {
  return answer_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    refuse_multiplicities(loaded.input, "list");
    const RunContext run(count.run);
    InputList list(options, loaded.input, count, run);
    MatchingWriter writer(options, loaded, MatchingWriter::Layout::one_line, "place");
    bar.clear();
    std::uint64_t listed = 0, skipped = 0;
    std::vector<EdgeId> drawn;  // before any is written: a page has so many
    const bool draws = !options.output.empty();
    bool is_there = true;
    try {
      while (skipped < options.skip && (is_there = list.next())) ++skipped;
      listed = skipped;
      while (is_there && (options.first == 0 || listed - skipped < options.first) && (is_there = list.next())) {
        const std::span<const EdgeId> edges = list.edges();
        ++listed;
        if (!draws) {
          writer.put(listed, edges);
          continue;
        }
        if (listed - skipped > most_drawn)
          throw InputError("--svg of more than " + std::to_string(most_drawn) + " matchings",
                           "--first " + std::to_string(most_drawn) + ", or fewer, with it");
        drawn.insert(drawn.end(), edges.begin(), edges.end());
      }
      if (draws && listed > skipped) {
        const std::uint64_t shown = listed - skipped;
        write_picture(options.output, matching_picture(placed_graph(options, loaded.input, run), drawn, shown));
        const std::size_t size = drawn.size() / shown;
        for (std::uint64_t i = 0; i < shown; ++i) writer.put(skipped + i + 1, std::span(drawn).subspan(i * size, size));
      }
    } catch (const Unable&) {
      writer.flush();
      throw;
    }
    writer.flush();
    if (skipped < options.skip && listed > 0)
      note(options, loaded.prefix + "there are only " + std::to_string(listed) + " matchings");
    if (listed > 0) return;
    const Certificate certificate = certificate_of_none(options, loaded.input, run);
    if (options.json) write_answer(line(json_of_none(loaded, certificate)));
    note(options, loaded.prefix +
                      (is_saturating(options) ? "no matching saturates the smaller side: " : "no perfect matching: ") +
                      sentence(loaded.input, certificate));
  });
}

}  // namespace matchcount::app
