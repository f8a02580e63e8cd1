// Determinants of Hilbert matrices, H_ij = 1 / (i + j - 1): of the fractions, and of the doubles nearest to them, which
// is what programs in doubles were given.

#include <cmath>

#include "bench/published/session.hpp"
#include "core/stopwatch.hpp"
#include "linear/determinant.hpp"

namespace matchcount::bench {
namespace {

Integer power_of_two(int exponent) { return Integer(1) << static_cast<std::size_t>(exponent); }

std::vector<Rational> hilbert(std::size_t n) {
  std::vector<Rational> entries;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) entries.emplace_back(Integer(1), Integer(static_cast<std::int64_t>(i + j + 1)));
  }
  return entries;
}
std::vector<double> rounded_hilbert(std::size_t n) {
  std::vector<double> entries;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) entries.push_back(1 / static_cast<double>(i + j + 1));
  }
  return entries;
}

// The double as a fraction.
Rational exactly(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  const Integer top(static_cast<std::int64_t>(std::ldexp(mantissa, 53)));
  return exponent >= 53 ? Rational(top * power_of_two(exponent - 53)) : Rational(top, power_of_two(53 - exponent));
}

// log10 of 1 / det of Hilbert's matrix, which is prod over k < n of (2k + 1) binomial(2k, k)^2 (Hilbert 1894).
double log10_of_inverse(std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double twice = 2 * static_cast<double>(k);
    sum += std::log(twice + 1) + 2 * (std::lgamma(twice + 1) - 2 * std::lgamma(twice / 2 + 1));
  }
  return sum / std::log(10.0);
}

double log10_of(const ScaledReal& value) { return value.log2_abs() * std::log10(2.0); }

DeterminantOptions determinant_options(const Session& session) {
  DeterminantOptions options;
  options.run = session.settings().run;
  options.run.device.kind = DeviceChoice::Kind::cpu;
  return options;
}

// The decimal number of a cell such as -0.1635472167e-1423, whose exponent may be that of no double, as its sign and
// log10 of its absolute value.
struct Decimal {
  bool negative = false;
  double log10 = 0;
};
std::optional<Decimal> decimal(const std::string& cell) {
  const std::size_t e = cell.find('e');
  const std::optional<double> mantissa = cell_number(cell.substr(0, e));
  const std::optional<double> exponent = e == cell.npos ? std::optional(0.0) : cell_number(cell.substr(e + 1));
  if (!mantissa || !exponent || *mantissa == 0) return std::nullopt;
  return Decimal{*mantissa < 0, std::log10(std::fabs(*mantissa)) + *exponent};
}

struct Truth {
  ScaledReal exact;    // of the fractions
  ScaledReal rounded;  // of the doubles nearest to them
  bool closed_form = false;
};

}  // namespace

void redo_hilbert_values(Session& session, TableReport& report) {
  const PublishedTable table = session.table("condensation", report.number);
  const DeterminantOptions options = determinant_options(session);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const auto n = static_cast<std::size_t>(table.number(row, "hilbert_order"));
    const std::vector<double> doubles = rounded_hilbert(n);
    std::vector<Rational> exact_doubles;
    for (const double entry : doubles) exact_doubles.push_back(exactly(entry));
    Truth truth{nearest_real(determinant(hilbert(n), n, options)), nearest_real(determinant(exact_doubles, n, options)),
                false};
    truth.closed_form = std::fabs(log10_of(truth.exact) + log10_of_inverse(n)) < 1e-6 * static_cast<double>(n * n);
    for (const char* column :
         {"maple_software_floats", "matlab_double_floats", "condensation_gpu_double_floats_plus_lists"}) {
      const std::optional<Decimal> printed = decimal(table.at(row, column));
      if (!printed) continue;
      Comparison comparison;
      comparison.row = "order " + std::to_string(n);
      comparison.printed_by = column;
      comparison.printed = table.at(row, column);
      comparison.unit = "determinant";
      comparison.method = "elimination, exactly";
      comparison.quantity = "value";
      comparison.value = to_scientific(truth.exact, 7);
      comparison.right = truth.closed_form;
      const bool same_sign = table.at(row, "condensation_sign") == "lost" || !printed->negative;
      const double apart = std::fabs(printed->log10 - log10_of(truth.exact));
      comparison.agrees = same_sign && apart < 1e-4;
      if (!*comparison.agrees) {
        comparison.remark = "wrong by 10^" + formatted("%.2g", apart) + (same_sign ? "" : " and in sign") +
                            "; of the doubles nearest to the entries it is " + to_scientific(truth.rounded, 5);
      }
      report.comparisons.push_back(comparison);
    }
  }
}

void redo_hilbert_times(Session& session, TableReport& report) {
  const PublishedTable table = session.table("condensation", report.number);
  DeterminantOptions options = determinant_options(session);
  constexpr int repeats = 3;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const auto n = static_cast<std::size_t>(table.number(row, "hilbert_order"));
    const std::vector<double> doubles = rounded_hilbert(n);
    const std::vector<Rational> fractions = hilbert(n);
    options.run.precision = Precision::float64;
    double plain = HUGE_VAL, exact = HUGE_VAL;
    for (int i = 0; i < repeats; ++i) {
      Stopwatch watch;
      options.bound = false;
      determinant(doubles, n, options);
      plain = std::min(plain, watch.lap());
      if (i > 0 && exact > 1) continue;
      determinant(fractions, n, options);
      exact = std::min(exact, watch.lap());
    }
    const auto add = [&](const char* column, const char* method, double seconds) {
      if (!cell_number(table.at(row, column))) return;
      Comparison comparison;
      comparison.row = "order " + std::to_string(n);
      comparison.printed_by = column;
      comparison.printed = table.at(row, column);
      comparison.unit = "s";
      comparison.method = method;
      comparison.ours = seconds;
      comparison.quantity = "whole call";
      session.explain(comparison);
      report.comparisons.push_back(comparison);
    };
    add("maple_seconds", "elimination, exactly", exact);
    add("condensation_gpu_seconds", "elimination, doubles", plain);
  }
}

}  // namespace matchcount::bench
