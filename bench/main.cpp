// matchcount-bench: what the methods take on this machine, with answers that check themselves.

#include "apps/answer.hpp"
#include "apps/options.hpp"
#include "apps/text.hpp"
#include "bench/runner.hpp"

namespace matchcount::bench {
namespace {

constexpr Suite (*suites[])() = {bitmatrix_suite, compare_suite, dense_suite,  determinant_suite,
                                 fit_suite,       grid_suite,    layers_suite, planar_suite,
                                 published_suite, ryser_suite,   small_suite};

std::string overview() {
  std::vector<std::vector<std::string>> rows;
  for (const auto suite : suites) rows.push_back({std::string(suite().name), std::string(suite().summary)});
  return "Usage: matchcount-bench COMMAND [options]\n\n" + table(rows, "  ") +
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
  for (const auto make : suites) {
    Suite suite = make();
    if (name != suite.name) continue;
    suite.options.push_back({"json", "FILE", "also writes everything to FILE, anew after every case"});
    const Arguments given(line, suite.options, !suite.files.empty());
    if (given.has("help")) {
      app::write_answer("Usage: matchcount-bench " + name + " [options] " + std::string(suite.files) + "\n\n" +
                        app::wrap(suite.about, 0, 100) + "\n" + help_of(suite.options));
      return true;
    }
    Bench bench(line, suite, given);
    suite.run(bench);
    return bench.finish();
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
