// list: perfect matchings one after another, each once, in lexicographic order.

#include <string>

#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/matching_writer.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "matching/graph_matching.hpp"
#include "matching/matching_list.hpp"

namespace matchcount::app {
namespace {

MatchingList list_of(const Options& options, const Loaded& loaded, const RunContext& run) {
  if (loaded.input.is_bipartite()) return MatchingList(loaded.input.graph, options.saturating, run);
  if (options.saturating)
    throw InputError(loaded.file, 0, "a graph with odd cycles", "a bipartite graph, of which one side is saturated");
  return MatchingList(loaded.input.undirected, run);
}

std::string why_there_is_none(const Options& options, const Input& input, const RunContext& run) {
  if (!input.is_bipartite())
    return tutte_sentence(input, tutte_set(input.undirected, maximum_matching(input.undirected, run)));
  const Matching matching = maximum_matching(input.graph, run);
  const bool columns_lead = options.saturating && input.graph.num_columns() < input.graph.num_rows();
  return hall_sentence(input,
                       hall_violator(input.graph, matching, !columns_lead && matching.size < input.graph.num_rows()));
}

}  // namespace

int run_list(const Options& options, Interrupt& interrupt) {
  return answer_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    const RunContext run(count.run);
    MatchingList list = list_of(options, loaded, run);
    MatchingWriter writer(options, loaded, MatchingWriter::Layout::one_line, "place");
    bar.clear();
    std::uint64_t listed = 0;
    try {
      while ((options.first == 0 || listed < options.first) && list.next()) writer.put(++listed, list.edges());
    } catch (const Unable&) {
      writer.flush();
      throw;
    }
    writer.flush();
    if (listed == 0)
      note(options, loaded.prefix +
                        (options.saturating ? "no matching saturates the smaller side: " : "no perfect matching: ") +
                        why_there_is_none(options, loaded.input, run));
  });
}

}  // namespace matchcount::app
