// matchcount: perfect matchings, cycle covers and permanents from the command line.

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "apps/answer.hpp"
#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "apps/help.hpp"
#include "apps/inputs.hpp"
#include "apps/json.hpp"
#include "apps/option_table.hpp"
#include "apps/options.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"

namespace matchcount::app {
namespace {

// Has the limits kept where nothing looks at them. A plan's are those of the run that is planned, and leave some time
// to say so.
void keep_limits(const Options& options, Interrupt& interrupt) {
  const RunOptions& run = options.count.run;
  Interrupt::Limits limits;
  if (options.has("time-limit") && options.is_first()) limits.time_s = run.time_limit_s;
  if (options.command->name == "plan") limits.grace_s += 2 * to_plan_s;
  limits.memory_bytes = run.memory_limit_bytes;
  if (!std::isinf(limits.time_s) || limits.memory_bytes != 0) interrupt.keep(limits);
}

std::size_t help_width() { return columns_of(STDOUT_FILENO).value_or(80); }

int run(const Options& options, Interrupt& interrupt) {
  if (options.version) {
    write_answer("matchcount " MATCHCOUNT_VERSION "\n");
    return 0;
  }
  if (options.help) {
    const std::size_t width = help_width();
    write_answer(options.command == nullptr ? overview(width)
                                            : command_help(*options.command, options.help_all, width));
    return 0;
  }
  keep_limits(options, interrupt);
  if (options.command->run != nullptr) return options.command->run(options, interrupt);
  const std::string_view name = options.command->name;
  if (name == "determinant") return run_determinant(options, interrupt);
  if (name == "estimate") return run_estimate(options, interrupt);
  if (name == "decompose") return run_decompose(options, interrupt);
  if (name == "list") return run_list(options, interrupt);
  if (name == "marginals") return run_marginals(options, interrupt);
  if (name == "parity") return run_parity(options, interrupt);
  if (name == "plan") return run_plan(options, interrupt);
  if (name == "reach") return run_reach(options, interrupt);
  if (name == "sample") return run_sample(options, interrupt);
  if (name == "generate") return run_generate(options);
  if (name == "devices") return run_devices(options);
  if (name == "help") return run_help(options);
  return run_count(options, interrupt);
}

// A stream that the caller closed stays closed: no file that is opened later stands in for it, to be written into with
// answers and messages.
void keep_streams_apart() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The least number that is free is taken; what the stream is for fails.
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Says whether ranks but the first have something to do: what they can't parse the first rank complains of.
bool is_run_by_all(int argc, const char* const* argv) {
  try {
    return spreads(parse_command_line(argc, argv));
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

void note(const Options& options, const std::string& text) {
  if (options.quiet || text.empty()) return;
  std::fprintf(stderr, "%s\n", fitted(text, columns_of(STDERR_FILENO)).c_str());
}

int run_help(const Options& options) {
  const std::string& shell = options.completion;
  if (options.manual) {
    write_answer(manual_page());
  } else if (!shell.empty()) {
    write_answer(shell == "bash" ? bash_completion() : shell == "zsh" ? zsh_completion() : fish_completion());
  } else if (options.arguments.empty()) {
    write_answer(overview(help_width()));
  }
  for (const std::string& topic : options.arguments) write_answer(topic_help(topic, help_width()));
  return 0;
}

}  // namespace matchcount::app

int main(int argc, char* argv[]) {
  using namespace matchcount::app;
  keep_streams_apart();
  Options options;
  // Asked for even where the rest of the command line can't be understood, and of this command.
  options.json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
  if (argc > 1) options.command = find_command(argv[1]);
  const auto tell = [&](const Failure& failure) {
    if (options.json) write_failure(line(json_failure(options, {}, 0, failure)));
    complain("matchcount", failure);
  };
  return exit_status(
      "matchcount",
      [&] {
        Interrupt interrupt;
        const matchcount::Launch launch = matchcount::find_launch();
        if (launch.rank != 0 && (!matchcount::built_with_mpi() || !is_run_by_all(argc, argv))) return 0;
        options = parse_command_line(argc, argv);
        if (options.json && launch.rank == 0) interrupt.say_with(tell);
        if (launch.size > 1 && spreads(options)) {
          // A rank that leaves while MPI starts may keep mpirun waiting for ever: it ends in order from the beginning.
          interrupt.watch();
          return run_as_rank(
              options, [&](const Options& mine) { return run(mine, interrupt); }, tell);
        }
        if (launch.size > 1) refuse_idle_ranks(options);
        return run(options, interrupt);
      },
      tell);
}
