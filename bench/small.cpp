// small: permanents and counts of a few rows, where all that surrounds the sum counts.

#include "bench/agreement.hpp"
#include "bench/runner.hpp"
#include "bench/workload.hpp"
#include "matchcount/count.hpp"

namespace matchcount::bench {
namespace {

// Counts by a method that shares no plan with the one that is measured.
Value by_ryser(const Matrix& matrix) {
  CountOptions options;
  options.method = Method::ryser;
  return permanent(matrix, options).value;
}

void time_matrices(Bench& bench, const std::string& name, const std::vector<Matrix>& matrices, int most_repeats) {
  Result result;
  Case what{"", name, nullptr, nullptr, nullptr, 0, most_repeats};
  what.run = [&] {
    const double seconds = seconds_of([&] {
      for (const Matrix& matrix : matrices) result = permanent(matrix);
    });
    return Outcome{seconds,
                   {{"microseconds", 1e6 * seconds},
                    {"structure_microseconds", 1e6 * result.time_s.structure},
                    {"method", to_string(result.method)},
                    {"value", to_string(result.value)}}};
  };
  what.check = [&] { return Checks{{"", agree(result.value, by_ryser(matrices.back()))}}; };
  bench.run(what);
}

void run(Bench& bench) {
  bench.begin("Calls of the library, options as they are by default.", {}, 1);
  for (const std::string family : {"dense-", "ones-", "zero-one-"}) {
    for (const std::string size : {"4", "8", "12", "16", "20"}) {
      const std::string name = family + size + (family == "zero-one-" ? "-0.5" : "");
      time_matrices(bench, name, {matrix_of(workload_from_name(name), 1).matrix}, 1'000'000);
    }
  }
  std::vector<Matrix> matrices;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed)
    matrices.push_back(matrix_of(workload_from_name("dense-12"), seed).matrix);
  time_matrices(bench, "1000 of dense-12", matrices, 5);
}

}  // namespace

Suite small_suite() {
  return {
      "small",
      "permanents and counts of a few rows, in microseconds",
      "Calls the library on matrices of 4 to 20 rows as a program would, options as they are by default, and on a "
      "thousand of 12 x 12 one after another. Every value is checked against the published form of Ryser's formula.",
      "microseconds structure_microseconds method",
      {repeat_option("200")},
      run};
}

}  // namespace matchcount::bench
