#include "apps/ranks_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>

#include "core/error.hpp"
#include "graph/weights.hpp"

namespace matchcount::app {
namespace {

void put(ByteWriter& out, const Weights& weights) {
  out.put(static_cast<std::uint64_t>(weights.index()));
  visit_values(weights, [&](const auto& values) { out.put(values); });
}

Weights get_weights(ByteReader& in) {
  switch (in.get<std::uint64_t>()) {
    case 1:
      return in.get<std::vector<std::int64_t>>();
    case 2:
      return in.get<std::vector<DoubleDouble>>();
    case 3:
      return in.get<std::vector<ComplexDoubleDouble>>();
    default:
      return {};
  }
}

Input deserialize(const Bytes& bytes) {
  ByteReader in(bytes);
  Input input;
  in.get(input.kind, input.format, input.weights_are_multiplicities, input.odd_cycle);
  input.fractions.resize(in.get<std::uint64_t>());
  for (Rational& fraction : input.fractions) {
    const Integer above(in.get<std::string>());
    fraction = Rational(above, Integer(in.get<std::string>()));
  }
  if (input.is_bipartite()) {
    const auto rows = in.get<Vertex>(), columns = in.get<Vertex>();
    auto edges = in.get<std::vector<Edge>>();
    input.graph = BipartiteGraph::from_edges(rows, columns, std::move(edges), get_weights(in));
  } else {
    const auto vertices = in.get<Vertex>();
    auto edges = in.get<std::vector<Edge>>();
    input.undirected = UndirectedGraph::from_edges(vertices, std::move(edges), get_weights(in));
    if (in.get<bool>()) input.loops = get_weights(in);
  }
  return input;
}

}  // namespace

Bytes serialize(const Input& input) {
  ByteWriter out;
  out.put(input.kind, input.format, input.weights_are_multiplicities, input.odd_cycle);
  out.put(static_cast<std::uint64_t>(input.fractions.size()));
  for (const Rational& fraction : input.fractions)
    out.put(to_decimal(numerator(fraction)), to_decimal(denominator(fraction)));
  if (input.is_bipartite()) {
    out.put(input.graph.num_rows(), input.graph.num_columns(), input.graph.edges());
    put(out, input.graph.weights());
  } else {
    out.put(input.undirected.num_vertices(), input.undirected.edges());
    put(out, input.undirected.weights());
    out.put(input.loops.has_value());
    if (input.loops) put(out, *input.loops);
  }
  return out.take();
}

bool spreads(const Options& options) {
  if (options.help || options.version || options.command == nullptr) return false;
  const std::string_view name = options.command->name;
  return name == "count" || name == "cycles" || name == "permanent" || name == "hafnian" || name == "estimate";
}

void refuse_idle_ranks(const Options& options) {
  if (options.help || options.command == nullptr) return;
  const std::string name(options.command->name);
  if (name == "marginals" || name == "sample")
    throw InputError(name + " over several ranks",
                     "one process, as ranks share count, cycles, permanent, hafnian and estimate alone" +
                         std::string(name == "sample" ? "; several draw parts of the samples by --first-sample" : ""));
}

int run_as_rank(const Options& options, const std::function<int(const Options&)>& run,
                const std::function<void(const Failure&)>& tell) {
  const std::unique_ptr<Ranks> ranks = Ranks::join();
  Options mine = options;
  mine.ranks = ranks.get();
  const bool first = ranks->rank() == 0;
  if (!first) {
    mine.quiet = true;
    mine.progress = ProgressMode::off;
  }
  try {
    const int status = run(mine);
    return first ? status : 0;
  } catch (const std::exception& error) {
    // The first rank speaks before it waits for the others: it may not be given the time.
    const int status = first ? exit_status(
                                   "matchcount", []() -> int { throw; }, tell)
                             : 0;
    ranks->fail(error);
    return status;
  }
}

Input broadcast(Ranks& ranks, const std::function<Input()>& read) {
  if (ranks.rank() != 0) return deserialize(ranks.broadcast({}));
  Input input = read();
  ranks.broadcast(serialize(input));
  return input;
}

void take_share(Ranks& ranks, CountOptions& count) {
  if (count.run.num_threads == 0) {
    // A launcher that binds ranks to cores has shared them out already.
    const int cores = resolve_num_threads(count.run);
    const bool bound = cores < sysconf(_SC_NPROCESSORS_ONLN);
    count.run.num_threads = bound ? cores : std::max(1, cores / ranks.local_size());
  }
  count.run.device.share = ranks.local_rank();
  count.run.device.shares = ranks.local_size();
  if (count.run.memory_limit_bytes == 0) {
    count.run.memory_limit_bytes = resolve_memory_limit(count.run) / static_cast<std::uint64_t>(ranks.local_size());
  }
  // The widest vectors that all have: sums of reals must not depend on who does them.
  count.run.max_isa = static_cast<Isa>(ranks.least(static_cast<int>(std::min(count.run.max_isa, detected_isa()))));
}

}  // namespace matchcount::app
