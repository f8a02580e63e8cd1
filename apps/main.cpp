// matchcount: perfect matchings, cycle covers and permanents from the command line.

#include <chrono>
#include <cstdio>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/help.hpp"
#include "apps/ranks_run.hpp"
#include "core/error.hpp"
#include "permanent/engine/throughput.hpp"

namespace matchcount::app {

const std::string& file_argument(const Options& options) {
  const std::string command(options.command->name);
  if (options.arguments.empty()) throw UsageError(command, command + " needs a FILE (- is standard input)");
  if (options.arguments.size() > 1) {
    throw UsageError(command, command + " takes one FILE, and '" + options.arguments[1] + "' is one too many");
  }
  return options.arguments[0];
}

Loaded load(const Options& options, bool odd_cycles) {
  const auto start = std::chrono::steady_clock::now();
  Loaded loaded;
  InputOptions input = options.input;
  input.odd_cycles = odd_cycles;
  const auto read = [&] { return read_input(file_argument(options), input); };
  loaded.input = options.ranks ? broadcast(*options.ranks, read) : read();
  loaded.read_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return loaded;
}

CountOptions counting_options(const Options& options, const Loaded& loaded, ProgressBar& bar, Interrupt& interrupt) {
  CountOptions count = options.count;
  if (loaded.read_s >= count.run.time_limit_s) {
    throw Unable("the time limit was over when the file had been read");
  }
  count.run.time_limit_s -= loaded.read_s;
  count.run.on_progress = [&bar](const Progress& progress) { bar.update(progress); };
  count.run.stop = interrupt.watch();
  count.throughput = cached_throughput(default_throughput_file());
  if (options.ranks) take_share(*options.ranks, count);
  return count;
}

void note(const Options& options, const std::string& text) {
  if (!options.quiet && !text.empty()) std::fprintf(stderr, "%s\n", text.c_str());
}

void run_help(const Options& options) {
  if (options.manual) return write_answer(manual_page());
  if (!options.completion.empty()) {
    return write_answer(options.completion == "bash" ? bash_completion() : zsh_completion());
  }
  if (options.arguments.empty()) return write_answer(overview());
  for (const std::string& name : options.arguments) {
    const CommandSpec* command = find_command(name);
    if (command == nullptr) throw UsageError("", "there is no command '" + name + "'");
    write_answer(command_help(*command));
  }
}

namespace {

void run(const Options& options, Interrupt& interrupt) {
  if (options.version) return write_answer("matchcount " MATCHCOUNT_VERSION "\n");
  if (options.help) return write_answer(options.command == nullptr ? overview() : command_help(*options.command));
  const std::string_view name = options.command->name;
  if (name == "count" || name == "cycles" || name == "permanent") return run_count(options, interrupt);
  if (name == "determinant") return run_determinant(options, interrupt);
  if (name == "estimate") return run_estimate(options, interrupt);
  if (name == "decompose") return run_decompose(options);
  if (name == "plan") return run_plan(options, interrupt);
  if (name == "generate") return run_generate(options);
  if (name == "devices") return run_devices(options);
  run_help(options);
}

// Whether ranks but the first have something to do: what they can't parse the first rank complains of.
bool is_run_by_all(int argc, const char* const* argv) {
  try {
    return spreads(parse_command_line(argc, argv));
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace
}  // namespace matchcount::app

int main(int argc, char* argv[]) {
  using namespace matchcount::app;
  return exit_status("matchcount", [&] {
    Interrupt interrupt;
    const matchcount::Launch launch = matchcount::find_launch();
    if (launch.rank != 0 && !is_run_by_all(argc, argv)) return 0;
    const Options options = parse_command_line(argc, argv);
    if (launch.size > 1 && spreads(options)) {
      // A rank that leaves while MPI starts may keep mpirun waiting for ever: it ends in order from the beginning.
      interrupt.watch();
      return run_as_rank(options, [&](const Options& mine) { run(mine, interrupt); });
    }
    run(options, interrupt);
    return 0;
  });
}
