// small: permanents and counts of a few rows, where all that surrounds the sum counts.

#include "bench/suites.hpp"
#include "bench/workload.hpp"
#include "permanent/permanent.hpp"

namespace matchcount::bench {
namespace {

// Compares with a method that shares no plan with the one that is measured: equal, or within both bounds.
bool is_right(const Matrix& matrix, const Value& value) {
  CountOptions options;
  options.method = Method::ryser;
  const Value other = permanent(matrix, options).value;
  if (const auto* integer = std::get_if<Integer>(&value)) return *integer == std::get<Integer>(other);
  const auto &a = std::get<RealValue>(value), &b = std::get<RealValue>(other);
  return (a.value + -b.value).log2_abs() <= log2_sum(a.log2_error, b.log2_error) + 1e-6;
}

void time_matrices(Bench& bench, const std::string& name, const std::vector<Matrix>& matrices, int most_repeats) {
  Result result;
  Case what{"", name, nullptr, nullptr, nullptr, 0, most_repeats};
  what.run = [&] {
    const double seconds = seconds_of([&] {
      for (const Matrix& matrix : matrices) result = permanent(matrix);
    });
    return Outcome{seconds,
                   {{"microseconds", 1e6 * seconds, "microseconds", "%.1f"},
                    {"structure_s", 1e6 * result.time_s.structure, "of it structure", "%.1f"},
                    {"method", std::string(to_string(result.method)), "method"},
                    {"value", to_string(result.value)}}};
  };
  what.check = [&] { return Checks{{"", is_right(matrices.back(), result.value)}}; };
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
      {repeat_option("200")},
      run};
}

}  // namespace matchcount::bench
