#include "apps/checkpointed_run.hpp"

#include <unistd.h>
#include <algorithm>
#include <exception>

#include "apps/commands.hpp"
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

std::string advice_of(const std::string& file) {
  return "; the same command with --resume goes on from " + printable(file);
}

// Names are part of answers, and so of what an input is.
std::string identity_of(const Input& input) {
  Hash hash;
  hash.add_bytes(serialize(input));
  for (const auto* labels : {&input.row_labels, &input.column_labels}) {
    for (const std::string& label : *labels) hash.add_text(label);
  }
  return hash.hex();
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

CheckpointedRun::CheckpointedRun(const Options& options, ProgressBar& bar, Interrupt& interrupt, bool saves_nothing) {
  if (!options.checkpoint.file.empty() && options.is_first() && !saves_nothing)
    read_checkpoint(options, bar, interrupt);
  Checkpoint* const checkpoint = checkpoint_ ? &*checkpoint_ : nullptr;
  if (options.ranks) {
    work_ = options.ranks->work(checkpoint);
  } else if (checkpoint) {
    work_ = std::make_unique<Work>(checkpoint);
  }
  if (work_) interrupt.allow_writing();
}

CheckpointedRun::CheckpointedRun(const Options& options, ProgressBar& bar, Interrupt& interrupt, const char* batch)
    : CheckpointedRun(options, bar, interrupt, false) {
  is_batch_ = true;
  checkpoint_->identify({{batch, std::string(options.command->name) + options.asked}});
}

std::optional<KeptAnswer> CheckpointedRun::answer_of(const Loaded& loaded) {
  place_ = loaded.file + ", graph " + std::to_string(loaded.position);
  identity_ = identity_of(loaded.input);
  const auto bytes = checkpoint_->find(place_, "");
  if (!bytes) return std::nullopt;
  ByteReader in(*bytes);
  if (in.get<std::string>() != identity_)
    throw InputError(checkpoint_->file() + ": a checkpoint of another " + place_, "the input that was there before");
  return in.get<KeptAnswer>();
}

void CheckpointedRun::keep(const KeptAnswer& answer) {
  checkpoint_->put(place_, "", to_bytes(identity_, answer));
  if (checkpoint_->due()) checkpoint_->write();
}

void CheckpointedRun::read_checkpoint(const Options& options, ProgressBar& bar, Interrupt& interrupt) {
  CheckpointOptions kept = options.checkpoint;
  kept.program = "matchcount " MATCHCOUNT_VERSION;
  kept.on_warning = [&options, &bar](const std::string& text) {
    bar.clear();
    note(options, "warning: " + text);
  };
  // A limit waits for the file, and then says how to go on.
  kept.on_write = [this, &interrupt]() -> std::shared_ptr<void> {
    struct Writes {
      const CheckpointedRun& run;
      Interrupt& interrupt;
      Writing writing;
      ~Writes() { run.advise(interrupt); }
    };
    return std::shared_ptr<Writes>(new Writes{*this, interrupt, {}});
  };
  checkpoint_.emplace(kept);
  advise(interrupt);
  if (kept.resume && !checkpoint_->resumed()) {
    note(options, "there is no " + printable(kept.file) + " yet: starting anew");
  }
}

bool CheckpointedRun::has_file() const {
  return checkpoint_ && (checkpoint_->num_writes() > 0 || checkpoint_->resumed());
}

void CheckpointedRun::advise(Interrupt& interrupt) const {
  if (has_file()) interrupt.advise(advice_of(checkpoint_->file()));
}

void CheckpointedRun::throw_with_advice(const Unable& error) const {
  if (!has_file()) throw;
  const std::string advice = advice_of(checkpoint_->file());
  if (dynamic_cast<const Cancelled*>(&error) != nullptr) throw Cancelled("interrupted" + advice);
  if (dynamic_cast<const OverLimit*>(&error) != nullptr) throw OverLimit(error.what() + advice);
  throw Unable(error.what() + advice);
}

}  // namespace matchcount::app
