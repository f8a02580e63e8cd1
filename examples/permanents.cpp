// Computes permanents of dense matrices: of integers exactly, of reals with a proven bound, and of many at once.

#include <iostream>
#include <matchcount/matchcount.hpp>
#include <vector>

int main() {
  const std::vector<std::int64_t> integers{1, 2, 3,  //
                                           4, 5, 6,  //
                                           7, 8, 9};
  std::cout << to_string(matchcount::permanent(integers, 3).value) << "\n";

  const std::vector<double> reals{0.1, 0.2,  //
                                  0.3, 0.4};
  const matchcount::Result result = matchcount::permanent(reals, 2);
  std::cout << to_string(result.value) << ", relative error at most " << matchcount::relative_error(result.value)
            << "\n";

  // Three matrices of 2 x 2, one behind the other.
  const std::vector<std::int64_t> batch{1, 1, 1, 1,  //
                                        1, 2, 3, 4,  //
                                        0, 1, 1, 0};
  for (const matchcount::Integer& value : matchcount::permanents(batch, 2)) std::cout << value << "\n";
}
