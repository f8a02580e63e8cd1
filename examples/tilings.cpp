// Counts the perfect matchings of a graph: the tilings of a chessboard by dominoes.

#include <iostream>
#include <matchcount/matchcount.hpp>

int main() {
  const matchcount::BipartiteGraph board = matchcount::grid_graph(8, 8);

  matchcount::CountOptions options;
  options.verify = true;          // a second, independent method must agree
  options.run.time_limit_s = 60;  // else Unable is thrown
  options.run.memory_limit_bytes = std::uint64_t{1} << 30;

  const matchcount::Result result = matchcount::count_perfect_matchings(board, options);
  std::cout << to_string(result.value) << " tilings\n";
  for (const matchcount::Check& check : result.checks)
    std::cout << to_string(check.kind) << ": " << (check.passed ? "passed" : "failed") << "\n";
  std::cout << "matchcount " << matchcount::version() << "\n";
}
