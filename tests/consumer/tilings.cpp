// The least program: how a chessboard can be tiled by dominoes.

#include <iostream>
#include <matchcount/matchcount.hpp>

int main() {
  const auto result = matchcount::count_perfect_matchings(matchcount::grid_graph(8, 8));
  std::cout << to_string(result.value) << "\n";
}
