// matchcount-bench: what the methods take on this machine, with answers that check themselves.

#include <chrono>
#include <string_view>

#include "apps/answer.hpp"
#include "bench/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/options.hpp"
#include "apps/text.hpp"

namespace matchcount::bench {
namespace {

struct Command {
  std::string_view name;
  std::string_view summary;
  bool (*run)(const CommandLine& line);
};
constexpr Command commands[] = {
    {"bitmatrix", "products of bit matrices, on GPUs or a CPU, beside M4RI and what was published", run_bitmatrix},
    {"dense", "batches of small permanents and hafnians, and amplitudes of photons, on GPUs or a CPU", run_dense},
    {"determinant", "dense determinants modulo primes and in doubles, beside LAPACK or cuSOLVER", run_determinant},
    {"forecasts", "what every method was predicted to take, beside what it took", run_forecasts},
    {"grid", "every estimator on square grids, beside the exact counts: a page with pictures", run_grid},
    {"layers", "steps of the frontier method on a GPU or a CPU, along two orders", run_layers},
    {"orders", "orders of the frontier method, and the search for them", run_orders},
    {"planar", "counts of large planar graphs, step by step, on GPUs or a CPU", run_planar},
    {"published", "the tables of papers, measured anew beside what is printed: a page and pictures", run_published},
    {"ryser", "inclusion-exclusion, on GPUs or a CPU, on matrices taken as they are", run_ryser},
    {"small", "permanents and counts of a few rows, in microseconds", run_small},
};

std::string overview() {
  std::vector<std::vector<std::string>> rows;
  for (const Command& command : commands) rows.push_back({std::string(command.name), std::string(command.summary)});
  return "Usage: matchcount-bench COMMAND [options]\n\n" + app::table(rows, "  ") +
         "\nmatchcount-bench COMMAND --help says more. Exit status: 0 all is well, 1 a value is wrong, 2 bad usage,\n"
         "3 unable here, 4 a device failed.\n";
}

bool run(const CommandLine& line) {
  if (line.words.size() < 2) throw app::UsageError("", "no command given");
  const std::string& name = line.words[1];
  if (name == "--help" || name == "-h") {
    app::write_answer(overview());
    return true;
  }
  if (name == "--version" || name == "-V") {
    app::write_answer("matchcount-bench " MATCHCOUNT_VERSION "\n");
    return true;
  }
  for (const Command& command : commands) {
    if (name == command.name) return command.run(line);
  }
  throw app::UsageError("", "there is no command '" + name + "'");
}

}  // namespace
}  // namespace matchcount::bench

int main(int argc, char* argv[]) {
  using namespace matchcount;
  constexpr int wrong = 1;
  const bench::CommandLine line{{argv, argv + argc}, std::chrono::steady_clock::now()};
  return app::exit_status(
      "matchcount-bench", [&] { return bench::run(line) ? 0 : wrong; },
      [](const app::Failure& failure) { app::complain("matchcount-bench", failure); });
}
