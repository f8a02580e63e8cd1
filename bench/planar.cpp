// planar: counts of large planar graphs, step by step.

#include "permanent/planar/kasteleyn.hpp"

#include <cmath>
#include <numbers>

#include "bench/runner.hpp"
#include "bench/workload.hpp"
#include "core/numbers/integer.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

void count(Bench& bench, Vertex n, bool diagonals, const RunOptions& options) {
  const RunContext context(options);
  GraphBlock<std::int64_t> block;
  std::optional<KasteleynPlan> plan;
  double plan_s = 0;
  std::optional<Integer> value;
  bool same = true;
  Case what{diagonals ? "with diagonals" : "grid", std::to_string(n) + " x " + std::to_string(n)};
  what.prepare = [&] {
    block.pattern = diagonals ? std::get<UndirectedGraph>(lattice_graph("triangular", n, n))
                              : UndirectedGraph::from_bipartite(grid_graph(n, n));
    block.entries.assign(block.pattern.num_edges(), 1);
    plan_s = seconds_of([&] { plan = plan_kasteleyn(block.pattern, options.seed, context); });
    if (!plan) throw Error("a grid that is not planar; please report this");
  };
  what.run = [&] {
    KasteleynReport report;
    Integer again;
    const double seconds = seconds_of([&] { again = hafnian_kasteleyn(block, *plan, context, &report); });
    same = same && (!value || *value == again);
    value = std::move(again);
    return Outcome{seconds,
                   {{"digits", to_string(*value).size()},
                    {"moduli", report.num_moduli},
                    {"products", report.multiplications},
                    {"plan_s", plan_s},
                    {"eliminate_s", report.eliminate_s},
                    {"replay_s", report.replay_s},
                    {"rest_s", seconds - report.eliminate_s - report.replay_s},
                    {"products_per_s", report.multiplications / report.replay_s}}};
  };
  what.check = [&] {
    Checks checks{{"repetitions", same}};
    if (!diagonals) {
      const double off = log2_abs(*value) * std::numbers::ln2 - log_grid_matchings(static_cast<int>(n));
      checks.push_back({"closed form", *value > 0 && std::fabs(off) < 1e-4});
    }
    return checks;
  };
  bench.run(what);
}

void run(Bench& bench) {
  const Arguments& given = bench.given();
  const RunOptions options = given.run_on_cpu();
  std::vector<std::pair<Vertex, bool>> graphs;
  for (const char* name : {"grids", "diagonals"}) {
    for (const Vertex size : given.numbers<Vertex>(name, 2, 4096)) {
      if (size % 2 != 0) throw InputError("--" + std::string(name) + " " + std::to_string(size), "even sizes");
      graphs.emplace_back(size, name == std::string("diagonals"));
    }
  }
  bench.begin("Perfect matchings of planar graphs.", {}, resolve_num_threads(options));
  for (const auto& [size, diagonals] : graphs) count(bench, size, diagonals, options);
}

}  // namespace

Suite planar_suite() {
  return {"planar",
          "counts of large planar graphs, step by step",
          "Counts the perfect matchings of N x N grids, and of such with a diagonal in each square, which are not "
          "bipartite, by Kasteleyn's determinants and Pfaffians: the plan (embedding and dissection), the elimination "
          "that finds a program, its replay modulo many primes, and the rest (the Chinese "
          "remainder theorem).",
          "digits moduli plan_s eliminate_s replay_s rest_s products_per_s",
          {{"grids", "N,..", "even sizes", "64,128,256"},
           {"diagonals", "N,..", "even sizes of those with diagonals", "64,128"},
           repeat_option("3"),
           threads_option},
          run};
}

}  // namespace matchcount::bench
