// compare, fit and small: what counts take by every method, and were predicted to, on one's own files and on graphs
// that are made here.

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <variant>

#include "apps/options.hpp"
#include "bench/runner.hpp"
#include "bench/workload.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "graph/input.hpp"
#include "matchcount/count.hpp"
#include "matchcount/marginals.hpp"
#include "matchcount/matchings.hpp"
#include "permanent/classes/costs.hpp"
#include "permanent/complement/costs.hpp"
#include "permanent/engine/throughput.hpp"
#include "permanent/frontier/costs.hpp"
#include "permanent/low_rank/costs.hpp"
#include "permanent/planar/costs.hpp"
#include "permanent/power_traces/costs.hpp"
#include "permanent/ryser/costs.hpp"
#include "permanent/trees/costs.hpp"

namespace matchcount::bench {
namespace {

using AnyGraph = std::variant<BipartiteGraph, UndirectedGraph>;

Plan plan_of(const AnyGraph& graph, const CountOptions& options) {
  const auto* matrix = std::get_if<Matrix>(&graph);
  return matrix ? plan_permanent(*matrix, options) : plan_hafnian(std::get<UndirectedGraph>(graph), options);
}
Result count_of(const AnyGraph& graph, const CountOptions& options) {
  const auto* matrix = std::get_if<Matrix>(&graph);
  return matrix ? permanent(*matrix, options) : hafnian(std::get<UndirectedGraph>(graph), options);
}

// Makes a graph as `matchcount generate` does of these words.
AnyGraph generated(const std::string& words, std::uint64_t seed) {
  std::istringstream stream(words);
  std::string name;
  stream >> name;
  std::vector<double> numbers;
  for (double number = 0; stream >> number;) numbers.push_back(number);
  return family_graph(name, numbers, seed);
}

// ---- compare.

// One input, without weights but of a matrix, and the first value that was found of it.
struct Compared {
  std::string file;
  AnyGraph graph;
  std::optional<Value> first = {};
};

void run_method(Bench& bench, Compared& compared, const CountOptions& options) {
  const std::string device = options.run.device.kind == DeviceChoice::Kind::cuda ? "cuda" : "cpu";
  const std::string name = std::string(to_string(options.method)) + " " + device;
  const auto leave_out = [&](const std::string& why, std::optional<double> predicted = {}) {
    bench.add(compared.file, name, {{"predicted_s", or_null(predicted)}, {"value", "-"}, {"note", why}});
  };
  try {
    const Plan plan = plan_of(compared.graph, options);
    if (!std::isfinite(plan.seconds)) return leave_out(plan.blocks.at(0).forecasts.at(0).reason);
    if (plan.seconds > options.run.time_limit_s) return leave_out("beyond --time-limit", plan.seconds);
    Value value;
    bench.run({compared.file, name, nullptr,
               [&] {
                 value = count_of(compared.graph, options).value;
                 return Outcome{{}, {{"predicted_s", plan.seconds}, {"value", to_string(value)}}};
               },
               [&] {
                 if (!compared.first) compared.first = value;
                 return Checks{{"equals the first", agree(value, *compared.first)}};
               }});
  } catch (const Unable& error) {
    leave_out(error.what());
  }
}

void compare(Bench& bench) {
  const Arguments& given = bench.given();
  if (given.files().empty()) throw app::UsageError("compare", "no FILE given");
  InputOptions input_options;
  if (given.has("kind")) input_options.kind = from_string<InputKind>(given.text("kind"));
  input_options.odd_cycles = true;
  CountOptions options;
  options.run = given.run_on_cpu();
  options.run.time_limit_s = given.seconds("time-limit");
  const std::vector<DeviceInfo> devices = given.devices();
  bench.begin("Every method on one's own files.", devices, resolve_num_threads(options.run));
  for (const std::string& file : given.files()) {
    const Input input = read_input(file, input_options);
    const bool weighted = input.kind == InputKind::matrix;
    Compared compared{file, input.is_bipartite() ? AnyGraph(weighted ? input.graph : input.graph.pattern())
                            : weighted           ? input.undirected
                                                 : input.undirected.pattern()};
    for (const std::string_view method : names_to_ask_for<Method>()) {
      options.method = from_string<Method>(method);
      options.run.device.kind = DeviceChoice::Kind::cpu;
      run_method(bench, compared, options);
      if (devices.empty()) continue;
      options.run.device = parse_device_choice(given.text("device"));
      options.run.device.kind = DeviceChoice::Kind::cuda;
      run_method(bench, compared, options);
    }
    bench.save();
  }
}

// ---- fit.

// Names numbers: reals and complex ones in (-1, 1), in doubles or double-doubles; [i + j], of rank two; ones, or with a
// diagonal of twos, which is all that a matrix of rank one leaves of them.
enum class Kind { ones, real, real_pair, complex, complex_pair, rank_two, twos };
constexpr const char* kind_words[] = {
    "ones",     "real, double",        "real, double-double", "complex, double", "complex, double-double",
    "rank two", "twos on the diagonal"};

// Returns the same edges with such numbers.
template <class Graph>
Graph with_numbers(const Graph& graph, Kind kind) {
  Random random(7);
  const auto draw = [&] { return DoubleDouble(2 * random.uniform() - 1); };
  std::vector<std::int64_t> integers;
  std::vector<DoubleDouble> reals;
  std::vector<ComplexDoubleDouble> complex;
  for (const Edge& edge : graph.edges()) {
    if (kind == Kind::real || kind == Kind::real_pair) reals.push_back(draw());
    if (kind == Kind::complex || kind == Kind::complex_pair) complex.emplace_back(draw(), draw());
    if (kind == Kind::rank_two) integers.push_back(std::int64_t{edge.row} + edge.column + 1);
    if (kind == Kind::twos) integers.push_back(edge.row == edge.column ? 2 : 1);
  }
  if (!reals.empty()) return graph.with_weights(std::move(reals));
  if (!complex.empty()) return graph.with_weights(std::move(complex));
  return integers.empty() ? graph.pattern() : graph.with_weights(std::move(integers));
}

enum class Asked { value, marginals, sample, all, by_size, order };
constexpr const char* asked_words[] = {"", ", marginals", ", a sample", ", all matchings", ", by size", ", an order"};

// Fitting is a constant of a room's costs.hpp and the question whose predicted time is nearly all in it. Rows without a
// question follow one that has it: their constants make a group, which is scaled as a whole.
struct Fitting {
  std::string room, name;  // a member stands behind a point
  double present = 0;
  std::string words = {};  // of the graph, N being its size
  int size = 0;
  Method method = Method::automatic;
  Kind kind = Kind::ones;
  Asked asked = Asked::value;
};

std::vector<Fitting> fittings() {
  using enum Method;
  using enum Kind;
  using enum Asked;
  const auto isa = static_cast<std::size_t>(detected_isa());
  return {
      {"frontier", "word_s", frontier_costs::word_s, "grid N N", 20, frontier},
      {"frontier", "sorting_s", frontier_costs::sorting_s, "complete N", 28, frontier},
      {"frontier", "real_s", frontier_costs::real_s, "regular N 5", 34, frontier, real},
      {"frontier", "magnitude_s", frontier_costs::magnitude_s},
      {"frontier", "real_pair_s", frontier_costs::real_pair_s, "regular N 5", 34, frontier, real_pair},
      {"frontier", "complex_s", frontier_costs::complex_s, "regular N 5", 34, frontier, complex},
      {"frontier", "complex_pair_s", frontier_costs::complex_pair_s, "regular N 5", 34, frontier, complex_pair},
      {"frontier", "kept_transition_s", frontier_costs::kept_transition_s, "grid N N", 18, frontier, ones, marginals},
      {"frontier", "byte_s", frontier_costs::byte_s, "grid N N", 16, frontier, ones, all},
      {"frontier", "transition_byte_s", frontier_costs::transition_byte_s},
      {"frontier", "sparse_s", frontier_costs::sparse_s, "grid N N", 10, frontier, ones, by_size},
      {"frontier", "integer_s", frontier_costs::integer_s},
      {"frontier", "evaluation_s", frontier_costs::evaluation_s, "regular N 8", 40, frontier, ones, order},
      {"ryser", "exact.operation", ryser_costs::exact[isa].operation, "complete N N", 24, staged},
      {"ryser", "exact.leaf", ryser_costs::exact[isa].leaf},
      {"ryser", "residue", ryser_costs::residue[isa]},
      {"ryser", "real.operation", ryser_costs::real[isa].operation, "complete N N", 24, staged, real},
      {"ryser", "real.leaf", ryser_costs::real[isa].leaf},
      {"ryser", "double_double.operation", ryser_costs::double_double[isa].operation, "complete N N", 22, staged,
       real_pair},
      {"ryser", "double_double.leaf", ryser_costs::double_double[isa].leaf},
      {"ryser", "complex.operation", ryser_costs::complex[isa].operation, "complete N N", 22, staged, complex},
      {"ryser", "complex.leaf", ryser_costs::complex[isa].leaf},
      {"ryser", "complex_double.operation", ryser_costs::complex_double[isa].operation, "complete N N", 20, staged,
       complex_pair},
      {"ryser", "complex_double.leaf", ryser_costs::complex_double[isa].leaf},
      {"ryser", "real_minor", ryser_costs::real_minor[isa], "complete N N", 22, ryser, real, marginals},
      {"ryser", "double_double_minor", ryser_costs::double_double_minor[isa], "complete N N", 20, ryser, real_pair,
       marginals},
      {"ryser", "complex_minor", ryser_costs::complex_minor[isa], "complete N N", 20, ryser, complex, marginals},
      {"ryser", "complex_double_minor", ryser_costs::complex_double_minor[isa], "complete N N", 18, ryser, complex_pair,
       marginals},
      {"ryser", "sample", ryser_costs::sample[isa], "complete N N", 22, ryser, ones, sample},
      {"planar", "multiplication_ns", planar_costs::multiplication_ns, "grid N N", 128, planar},
      {"planar", "entry_ns", planar_costs::entry_ns},
      {"planar", "pivot_ns", planar_costs::pivot_ns},
      {"planar", "found_multiplication_ns", planar_costs::found_multiplication_ns},
      {"planar", "found_entry_ns", planar_costs::found_entry_ns},
      {"planar", "marginal_multiplication_s", planar_costs::marginal_multiplication_s, "grid N N", 64, planar, ones,
       marginals},
      {"planar", "marginal_entry_s", planar_costs::marginal_entry_s},
      {"planar", "marginal_edge_s", planar_costs::marginal_edge_s},
      {"planar", "sampler_multiplication_s", planar_costs::sampler_multiplication_s, "grid N N", 64, planar, ones,
       sample},
      {"planar", "sample_multiplication_s", planar_costs::sample_multiplication_s},
      {"planar", "sample_entry_s", planar_costs::sample_entry_s},
      {"planar", "cut_entry_s", planar_costs::cut_entry_s, "torus N N", 32, planar, ones, sample},
      {"trees", "move_s", trees_costs::move_s, "grid 6 N", 100, trees},
      {"trees", "product_s", trees_costs::product_s},
      {"trees", "word_s", trees_costs::word_s},
      {"trees", "real_s", trees_costs::real_s, "grid 6 N", 100, trees, real_pair},
      {"trees", "complex_s", trees_costs::complex_s, "grid 6 N", 100, trees, complex_pair},
      {"trees", "term_s", trees_costs::term_s, "grid 4 N", 60, trees, ones, by_size},
      {"trees", "term_word_s", trees_costs::term_word_s},
      {"complement", "integer_s", complement_costs::integer_s, "complete N N", 500, complement, twos},
      {"complement", "sum_s", complement_costs::sum_s, "complete N", 60, complement, ones, marginals},
      {"complement", "edge_s", complement_costs::edge_s},
      {"complement", "pair_s", complement_costs::pair_s},
      {"classes", "transition_s", classes_costs::transition_s, "complete N N N N", 20, classes},
      {"classes", "lane_s", classes_costs::lane_s},
      {"classes", "number_s", classes_costs::number_s, "complete N N N N", 12, classes, ones, marginals},
      {"classes", "word_s", classes_costs::word_s},
      {"low_rank", "multiplication_s", low_rank_costs::multiplication_s, "complete N N", 150, low_rank, rank_two},
      {"power_traces", "multiplication_s", power_traces_costs::multiplication_s[isa], "complete N", 32, power_traces},
      {"power_traces", "double_double", power_traces_costs::double_double, "complete N", 28, power_traces, real_pair},
  };
}

// Returns the bytes behind a key of /proc/self/status.
double status_bytes(const std::string& key) {
  std::ifstream stream("/proc/self/status");
  for (std::string word; stream >> word;) {
    double kilobytes = 0;
    if (word == key && stream >> kilobytes) return 1024 * kilobytes;
  }
  return 0;
}

// Prepared is a question: what is predicted of it, and what answers it and returns the seconds taken.
struct Prepared {
  double predicted_s = 0, predicted_bytes = 0;
  std::function<double()> take;
};

Prepared prepared(Asked asked, const AnyGraph& graph, CountOptions options) {
  const GraphView view = std::visit([](const auto& given) { return GraphView(given); }, graph);
  const auto of_plan = [](const Plan& plan, std::function<double()> take) {
    return Prepared{plan.seconds, plan.memory_bytes, std::move(take)};
  };
  switch (asked) {
    case Asked::value:
      return of_plan(plan_of(graph, options), [&graph, options] {
        double seconds = 0;
        for (const BlockRun& block : count_of(graph, options).blocks) seconds += block.seconds;
        return seconds;
      });
    case Asked::order:
      options.effort_s = 0.5;
      return {options.effort_s, 0, [&graph, options] { return seconds_of([&] { plan_of(graph, options); }); }};
    case Asked::all:
    case Asked::by_size: {
      MatchingOptions matchings;
      matchings.kind = asked == Asked::all ? MatchingKind::all : MatchingKind::by_size;
      matchings.count = options;
      return of_plan(plan_matchings(view, matchings),
                     [view, matchings] { return count_matchings(view, matchings).run.time_s.count; });
    }
    default:
      break;
  }
  DistributionOptions single;
  single.method = options.method;
  single.run = options.run;
  if (asked == Asked::marginals)
    return of_plan(plan_marginals(view, single).plan, [view, single] {
      MatchingDistribution distribution(view, single);
      return seconds_of([&] { distribution.marginals(); });
    });
  return of_plan(plan_samples(view, single).plan, [view, single] {
    MatchingDistribution distribution(view, single);
    return seconds_of([&] { distribution.samples(0, 1); });
  });
}

// Asks the question of the first of a group and scales all by the time taken.
void run_group(Bench& bench, std::span<const Fitting> group, CountOptions options) {
  const Fitting& first = group.front();
  const std::string size = bench.given().has("size") ? bench.given().text("size") : std::to_string(first.size);
  const std::string words = std::regex_replace(first.words, std::regex("N"), size);
  const AnyGraph graph =
      std::visit([&](const auto& made) -> AnyGraph { return with_numbers(made, first.kind); }, generated(words, 3));
  options.method = first.method;
  if (first.kind == Kind::real || first.kind == Kind::complex) options.run.precision = Precision::float64;
  if (first.kind == Kind::real_pair || first.kind == Kind::complex_pair)
    options.run.precision = Precision::double_double;
  const Prepared question = prepared(first.asked, graph, options);
  double least = std::numeric_limits<double>::infinity(), most_bytes = 0;
  const auto fields = [&](const Fitting& one) {
    return Json{{"seconds", least},
                {"present", one.present},
                {"fitted", one.present * least / question.predicted_s},
                {"fitted_over_present", least / question.predicted_s},
                {"alone", group.size() == 1},
                {"predicted_s", question.predicted_s},
                {"predicted_bytes", question.predicted_bytes},
                {"memory_bytes", most_bytes},
                {"question", std::string(to_string(first.method)) + " of " + words + ", " +
                                 kind_words[static_cast<std::size_t>(first.kind)] +
                                 asked_words[static_cast<std::size_t>(first.asked)]}};
  };
  bench.run({first.room, first.name, nullptr, [&] {
               malloc_trim(0);
               std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
               const double before = status_bytes("VmRSS:"), seconds = question.take();
               most_bytes = std::max(most_bytes, status_bytes("VmHWM:") - before);
               least = std::min(least, seconds);
               return Outcome{seconds, fields(first)};
             }});
  for (const Fitting& one : group.subspan(1)) bench.add(one.room, one.name, fields(one));
}

void fit(Bench& bench) {
  std::vector<Fitting> asked = fittings();
  for (const std::string& room : bench.given().files()) {
    if (std::ranges::find(asked, room, &Fitting::room) == asked.end())
      throw InputError("the room '" + room + "'", "one of permanent/ with constants that are fitted");
  }
  std::erase_if(asked, [&](const Fitting& one) {
    return !bench.given().files().empty() && std::ranges::count(bench.given().files(), one.room) == 0;
  });
  CountOptions options;
  options.run = bench.given().run_on_cpu();
  options.run.num_threads = 1;
  options.throughput = Throughput{};
  options.reduce = false;
  const Throughput machine = measure_throughput();
  bench.begin("Constants of the cost models, as they are and as this machine has them.", {}, 1);
  bench.note("frontier_scale", machine.frontier_scale,
             "Seconds over those of the machine of the cost models, frontier");
  bench.note("ryser_scale", machine.ryser_scale, "ryser");
  for (auto first = asked.begin(); first != asked.end();) {
    const auto last = std::find_if(first + 1, asked.end(), [](const Fitting& one) { return !one.words.empty(); });
    run_group(bench, {first, last}, options);
    first = last;
  }
  bench.save();
}

// ---- small.

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
  // A method that shares no plan with the one that is measured.
  what.check = [&] {
    CountOptions options;
    options.method = Method::ryser;
    return Checks{{"", agree(result.value, permanent(matrices.back(), options).value)}};
  };
  bench.run(what);
}

void small(Bench& bench) {
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

Suite compare_suite() {
  return {
      "compare",
      "every method and device on one's own files",
      "Counts the perfect matchings of each FILE, or of a matrix computes the permanent, by every method, on the CPU "
      "and where there are GPUs on these; says what was predicted and what it took, compares the values, and says "
      "why a method does not apply. What is predicted to take longer than the limit is left out.",
      "",
      {device_option,
       {"kind", "KIND", "bipartite, undirected or matrix (default: as the file says, else bipartite)"},
       {"time-limit", "S", "seconds for each method", "60"},
       repeat_option("1"),
       seed_option,
       threads_option},
      compare,
      "FILE..."};
}

Suite fit_suite() {
  return {"fit",
          "the constants of the cost models anew, room by room",
          "Asks questions whose time is predicted from few constants of permanent/ROOM/costs.hpp, on one thread, and "
          "scales these by what it took. frontier_scale and ryser_scale in the JSON are what this machine takes over "
          "that of the cost models: constants in their seconds are the fitted ones over these. Memory is the growth of "
          "the process.",
          "present fitted fitted_over_present alone predicted_s question",
          {repeat_option("3"), {"size", "N", "of all graphs, in place of their own"}},
          fit,
          "[ROOM]..."};
}

Suite small_suite() {
  return {
      "small",
      "permanents and counts of a few rows, in microseconds",
      "Calls the library on matrices of 4 to 20 rows as a program would, options as they are by default, and on a "
      "thousand of 12 x 12 one after another. Every value is checked against the published form of Ryser's formula.",
      "microseconds structure_microseconds method",
      {repeat_option("200")},
      small};
}

}  // namespace matchcount::bench
