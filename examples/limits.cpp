// Keeps a count within limits: what would pass them is refused beforehand, and says what it would need.

#include <iostream>
#include <matchcount/matchcount.hpp>
#include <stop_token>

int main() {
  const matchcount::BipartiteGraph graph = matchcount::random_graph(60, 60, 0.3, 1);
  matchcount::CountOptions options;
  options.run.time_limit_s = 60;
  try {
    matchcount::count_perfect_matchings(graph, options);
  } catch (const matchcount::OverLimit& error) {
    std::cout << "it would take " << (error.seconds() > 1e6 ? "weeks" : "less") << "\n";
  }

  // Another thread may end a count, and a callback may watch it.
  std::stop_source stop;
  options.run.stop = stop.get_token();
  options.run.on_progress = [&](const matchcount::Progress&) { stop.request_stop(); };
  stop.request_stop();
  try {
    matchcount::count_perfect_matchings(matchcount::grid_graph(30, 30), options);
  } catch (const matchcount::Cancelled& error) {
    std::cout << error.what() << "\n";
  }
}
