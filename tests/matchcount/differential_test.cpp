// Random runs of everything that can be asked for: GPUs against CPUs, which agreement_test.cpp has against the oracles.

#include <cstdint>
#include <string>
#include <variant>

#include "core/device.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "matchcount/agreement.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/instances.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using namespace matchcount::test::agreement;
using test::Family;

namespace {

constexpr std::uint64_t differential_seed = 20261121;

struct Question {
  CountOptions options;
  Family family = Family::complete;
  int entries = 0;  // 0/1, integers, reals, complex numbers
  std::size_t weights = 0;
  std::size_t n = 0;
};

template <class T, std::size_t size>
T one_of(const std::array<T, size>& list, Random& random) {
  return list[static_cast<std::size_t>(random.below(size))];
}

Question draw(std::size_t most_rows, Random& random) {
  constexpr std::array methods{Method::automatic, Method::staged, Method::skipper, Method::ryser, Method::frontier};
  constexpr std::array precisions{Precision::automatic, Precision::float64, Precision::compensated,
                                  Precision::double_double};
  Question question;
  // Small sizes are drawn as often as all others: it is there that a block has fewer bits than a kernel.
  question.n = static_cast<std::size_t>(random.below(2) ? random.below(6) : random.below(most_rows + 1));
  question.family = one_of(test::all_families, random);
  question.entries = static_cast<int>(random.below(4));
  question.weights = static_cast<std::size_t>(random.below(30));
  question.options.method = one_of(methods, random);
  question.options.run.precision = one_of(precisions, random);
  question.options.prune = random.below(2) == 0;
  question.options.reduce = random.below(2) == 0;
  question.options.run.num_threads = 1 + static_cast<int>(random.below(3));
  question.options.run.seed = random();
  question.options.throughput = Throughput{};
  return question;
}

std::string text(const Question& question) {
  const CountOptions& options = question.options;
  return std::string(to_string(options.method)) + ", " + std::string(to_string(options.run.precision)) +
         (options.prune ? "" : ", no prune") + (options.reduce ? "" : ", no reduce") + ", seed " +
         std::to_string(options.run.seed);
}

// Calls visit(instance) with that of the question.
template <class Visit>
void with_instance(const Question& question, const Visit& visit) {
  const auto reals = test::all_real_weights[question.weights % 6];
  switch (question.entries) {
    case 0:
      return visit(test::integer_instance(question.family, test::IntegerWeights::ones, question.n, differential_seed));
    case 1:
      return visit(test::integer_instance(question.family, test::all_integer_weights[question.weights % 5], question.n,
                                          differential_seed));
    case 2:
      return visit(test::real_instance(question.family, reals, question.n, differential_seed));
    default:
      return visit(test::complex_instance(question.family, reals, question.n, differential_seed));
  }
}

double log2_distance(const Integer& a, const Integer& b) { return log2_abs(Integer(a - b)); }
double log2_distance(const RealValue& a, const RealValue& b) { return (a.value + -b.value).log2_abs(); }
double log2_distance(const ComplexValue& a, const ComplexValue& b) {
  return log2_abs(ScaledComplex{a.value.re + -b.value.re, a.value.im + -b.value.im});
}
double log2_error(const Integer&) { return -std::numeric_limits<double>::infinity(); }
double log2_error(const RealValue& value) { return value.log2_error; }
double log2_error(const ComplexValue& value) { return value.log2_error; }

void check_equal(const Result& gpu, const Result& cpu) {
  CAPTURE(to_string(gpu.value), to_string(cpu.value));
  std::visit(
      [&](const auto& a) {
        using T = std::decay_t<decltype(a)>;
        REQUIRE(std::holds_alternative<T>(cpu.value));
        const T& b = std::get<T>(cpu.value);
        const double error = log2_sum(log2_error(a), log2_error(b));
        REQUIRE_FALSE(std::isnan(error));
        REQUIRE(log2_distance(a, b) <= error + log2_slack);
      },
      gpu.value);
}

}  // namespace

TEST_CASE("random runs on a GPU agree with the CPU, n up to 26", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext kept(found.devices[0]);
  constexpr std::array methods{Method::automatic, Method::staged,   Method::skipper,
                               Method::ryser,     Method::sparyser, Method::planar};
  Random random(differential_seed, 1);
  int on_gpu = 0;
  for (int run = 0; run < 1500; ++run) {
    Question question = draw(26, random);
    // Questions that the CPU would take long for are drawn smaller.
    if (question.n > 20 && question.entries >= 2) question.n -= 6;
    question.options.method = one_of(methods, random);
    with_instance(question, [&](const auto& instance) {
      INFO(text(question));
      INFO(to_string(instance));
      const Matrix matrix = instance.graph();
      CountOptions here = question.options, there = question.options;
      here.run.device.kind = DeviceChoice::Kind::cpu;
      here.method = Method::automatic;
      there.run.device.kind = DeviceChoice::Kind::cuda;
      try {
        const Result gpu = permanent(matrix, there);
        on_gpu += !gpu.gpus.empty();
        check_equal(gpu, permanent(matrix, here));
      } catch (const Unable& unable) {
        // Only the planar method may not apply; all others take what is drawn.
        REQUIRE(question.options.method == Method::planar);
        REQUIRE_THAT(std::string(unable.what()), ContainsSubstring("planar"));
      }
      plan_permanent(matrix, there);
    });
  }
  REQUIRE(on_gpu > 100);
}
