// Determinants of Hilbert matrices, H_ij = 1 / (i + j - 1): of the fractions, and of the doubles nearest to them, which
// is what programs in doubles were given.

#include <cmath>

#include "apps/text.hpp"
#include "bench/published/session.hpp"
#include "graph/weights.hpp"
#include "linear/determinant.hpp"

namespace matchcount::bench {
namespace {

// Returns the entries of Hilbert's matrix, each made from its denominator.
template <class Entry, class Make>
std::vector<Entry> hilbert(std::size_t n, const Make& make) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < n * n; ++i) entries.push_back(make(i / n + i % n + 1));
  return entries;
}
std::vector<Rational> fractions(std::size_t n) {
  return hilbert<Rational>(n,
                           [](std::size_t d) { return Rational(Integer(1), Integer(static_cast<std::int64_t>(d))); });
}
std::vector<double> doubles(std::size_t n) {
  return hilbert<double>(n, [](std::size_t d) { return 1 / static_cast<double>(d); });
}

// Returns log10 of 1 / det of Hilbert's matrix, which is prod over k < n of (2k + 1) binomial(2k, k)^2 (Hilbert 1894).
double log10_of_inverse(std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double twice = 2 * static_cast<double>(k);
    sum += std::log(twice + 1) + 2 * (std::lgamma(twice + 1) - 2 * std::lgamma(twice / 2 + 1));
  }
  return sum / std::log(10.0);
}

DeterminantOptions determinant_options(const Session& session) {
  DeterminantOptions options;
  options.run = session.run;
  options.run.device.kind = DeviceChoice::Kind::cpu;
  return options;
}

// Decimal is the number of a cell such as -0.1635472167e-1423, whose exponent may be that of no double.
struct Decimal {
  bool negative = false;
  double log10 = 0;  // of its absolute value
};
std::optional<Decimal> decimal(const std::string& cell) {
  const std::size_t e = cell.find('e');
  const std::optional<double> mantissa = app::parse_number<double>(cell.substr(0, e));
  const std::optional<double> exponent =
      e == cell.npos ? std::optional(0.0) : app::parse_number<double>(cell.substr(e + 1));
  if (!mantissa || !exponent || *mantissa == 0) return std::nullopt;
  return Decimal{*mantissa < 0, std::log10(std::fabs(*mantissa)) + *exponent};
}

void redo_hilbert_values(Session& session) {
  const DeterminantOptions options = determinant_options(session);
  for (const Row& row : session.rows) {
    const auto n = static_cast<std::size_t>(row.number("hilbert_order"));
    std::vector<Rational> rounded;
    for (const double entry : doubles(n)) rounded.push_back(exactly(entry));
    const ScaledReal exact = nearest_real(determinant(fractions(n), n, options)),
                     of_rounded = nearest_real(determinant(rounded, n, options));
    const double log10_exact = exact.log2_abs() * std::log10(2.0);
    for (const char* column :
         {"maple_software_floats", "matlab_double_floats", "condensation_gpu_double_floats_plus_lists"}) {
      const std::optional<Decimal> printed = decimal(row[column]);
      if (!printed) continue;
      const bool same_sign = row["condensation_sign"] == "lost" || !printed->negative;
      const double apart = std::fabs(printed->log10 - log10_exact);
      Comparison cell{.row = "order " + std::to_string(n),
                      .printed_by = column,
                      .printed = row[column],
                      .unit = "determinant",
                      .method = "elimination, exactly",
                      .quantity = "value",
                      .value = to_scientific(exact, 7),
                      .right = std::fabs(log10_exact + log10_of_inverse(n)) < 1e-6 * static_cast<double>(n * n),
                      .agrees = same_sign && apart < 1e-4};
      if (!*cell.agrees)
        cell.remark = "wrong by 10^" + formatted("%.2g", apart) + (same_sign ? "" : " and in sign") +
                      "; of the doubles nearest to the entries it is " + to_scientific(of_rounded, 5);
      session.add(cell);
    }
  }
}

void redo_hilbert_times(Session& session) {
  DeterminantOptions options = determinant_options(session);
  constexpr int repeats = 3;
  for (const Row& row : session.rows) {
    const auto n = static_cast<std::size_t>(row.number("hilbert_order"));
    const std::vector<double> reals = doubles(n);
    const std::vector<Rational> rationals = fractions(n);
    options.run.precision = Precision::float64;
    options.bound = false;
    double plain = HUGE_VAL, exact = HUGE_VAL;
    for (int i = 0; i < repeats; ++i) {
      plain = std::min(plain, seconds_of([&] { determinant(reals, n, options); }));
      if (i == 0 || exact <= 1) exact = std::min(exact, seconds_of([&] { determinant(rationals, n, options); }));
    }
    const auto add = [&](const char* column, const char* method, double seconds) {
      if (!app::parse_number<double>(row[column])) return;
      session.add({.row = "order " + std::to_string(n),
                   .printed_by = column,
                   .printed = row[column],
                   .method = method,
                   .ours = seconds});
    };
    add("maple_seconds", "elimination, exactly", exact);
    add("condensation_gpu_seconds", "elimination, doubles", plain);
  }
}

}  // namespace

const std::vector<Redo> hilbert_redos = {{"hilbert_values", redo_hilbert_values},
                                         {"hilbert_times", redo_hilbert_times}};

}  // namespace matchcount::bench
