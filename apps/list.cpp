// list: matchings one after another, each once, in lexicographic order.

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/edge_names.hpp"
#include "apps/inputs.hpp"
#include "apps/json.hpp"
#include "apps/matching_writer.hpp"
#include "apps/matchings.hpp"
#include "apps/picture.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "graph/weights.hpp"
#include "matchcount/marginals.hpp"
#include "matching/graph_matching.hpp"
#include "matching/matching_list.hpp"

namespace matchcount::app {
namespace {

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
        const std::uint64_t count = listed - skipped;
        write_picture(options.output, matching_picture(placed_graph(options, loaded.input, run), drawn, count));
        const std::size_t size = drawn.size() / count;
        for (std::uint64_t i = 0; i < count; ++i) writer.put(skipped + i + 1, std::span(drawn).subspan(i * size, size));
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
