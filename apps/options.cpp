#include "apps/options.hpp"

#define CXXOPTS_NO_REGEX
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cxxopts.hpp>
#include <limits>
#include <optional>

#include "core/error.hpp"

namespace matchcount::app {
namespace {

constexpr int most_threads = 1024;

// The whole of text as a number, or nothing.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(std::string_view option, const std::string& value, const std::string& expected) {
  throw InputError("--" + std::string(option) + " '" + value + "'", expected);
}

std::string join(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

// A choice's place in its option's list, which is in the order of the enum that it stands for.
template <class Enum, std::size_t n>
Enum choose(const cxxopts::ParseResult& parsed, const char* name, const Enum (&values)[n],
            std::string_view command = {}) {
  const OptionSpec* option = find_option(name, command);
  const std::vector<std::string_view> choices = split_choices(option->choices);
  const std::string value = parsed.count(name) != 0 ? parsed[name].as<std::string>() : std::string(option->fallback);
  for (std::size_t i = 0; i < n; ++i) {
    if (value == choices[i]) return values[i];
  }
  refuse(name, value, join(choices));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::string unknown_command(const std::string& name) {
  std::string message = "there is no command '" + name.substr(0, 60) + "'";
  for (const CommandSpec& command : command_table()) {
    if (edit_distance(name, command.name) <= 2) {
      return message + "; did you mean '" + std::string(command.name) + "'?";
    }
  }
  return message;
}

void read_estimate_values(const cxxopts::ParseResult& parsed, EstimateOptions& estimate) {
  const auto has = [&](const char* name) { return parsed.count(name) != 0; };
  const auto text = [&](const char* name) { return parsed[name].as<std::string>(); };
  estimate.method =
      choose<Estimator>(parsed, "method",
                        {Estimator::automatic, Estimator::rasmussen, Estimator::rasmussen_plus, Estimator::scaling,
                         Estimator::scaling_plus, Estimator::guided, Estimator::population},
                        "estimate");
  if (has("samples") && has("relative-error")) {
    throw InputError("--samples and --relative-error", "one of them: both say when to stop");
  }
  if (has("samples")) {
    const auto samples = parse_number<std::uint64_t>(text("samples"));
    if (!samples || *samples < 2) refuse("samples", text("samples"), "a whole number above 1");
    estimate.samples = *samples;
  }
  const auto share = [&](const char* name, double& value, double most, const char* expected) {
    if (!has(name)) return;
    const auto number = parse_number<double>(text(name));
    if (!number || !(*number > 0) || !(*number < most)) refuse(name, text(name), expected);
    value = *number;
  };
  share("relative-error", estimate.relative_error, std::numeric_limits<double>::infinity(),
        "a number above 0, such as 0.01");
  share("confidence", estimate.confidence, 1, "a number between 0 and 1, such as 0.95");
  const auto whole = [&](const char* name, int& value, int least) {
    if (!has(name)) return;
    const auto number = parse_number<int>(text(name));
    if (!number || *number < least) refuse(name, text(name), "a whole number from " + std::to_string(least));
    value = *number;
  };
  whole("scaling-interval", estimate.scaling_interval, 1);
  whole("scaling-rounds", estimate.scaling_rounds, 0);
  whole("population", estimate.population, 2);
}

void read_values(const cxxopts::ParseResult& parsed, Options& options) {
  const auto has = [&](std::string_view name) {
    const auto& names = options.command->options;
    return std::find(names.begin(), names.end(), name) != names.end() && parsed.count(std::string(name)) != 0;
  };
  const auto flag = [&](const char* name) { return has(name) && parsed[name].as<bool>(); };
  const auto text = [&](const char* name) { return parsed[name].as<std::string>(); };

  if (has("kind")) {
    options.input.kind = choose<InputKind>(
        parsed, "kind", {InputKind::bipartite, InputKind::undirected, InputKind::directed, InputKind::matrix});
  } else {
    options.input.kind = options.command->default_kind == "directed" ? InputKind::directed
                         : options.command->default_kind == "matrix" ? InputKind::matrix
                                                                     : InputKind::bipartite;
  }
  if (has("format")) {
    options.input.format =
        choose<InputFormat>(parsed, "format",
                            {InputFormat::automatic, InputFormat::edge_list, InputFormat::matrix_market,
                             InputFormat::dimacs, InputFormat::metis, InputFormat::graphml});
  }
  if (has("duplicates")) {
    options.input.duplicates =
        choose<Duplicates>(parsed, "duplicates", {Duplicates::refuse, Duplicates::sum, Duplicates::one});
  }
  options.input.keep_zeros = flag("keep-zeros");

  CountOptions& count = options.count;
  const bool estimates = options.command->name == "estimate";
  if (estimates) read_estimate_values(parsed, options.estimate);
  const bool determinant = options.command->name == "determinant";
  if (determinant) {
    options.input.fractions = true;
    options.determinant.method = choose<DeterminantMethod>(
        parsed, "method",
        {DeterminantMethod::automatic, DeterminantMethod::elimination, DeterminantMethod::condensation}, "determinant");
    options.determinant.precision = choose<Precision>(
        parsed, "precision", {Precision::automatic, Precision::float64, Precision::double_double}, "determinant");
  }
  if (has("method") && !estimates && !determinant) {
    count.method = choose<Method>(parsed, "method",
                                  {Method::automatic, Method::frontier, Method::planar, Method::ryser, Method::sparyser,
                                   Method::skipper, Method::staged, Method::expansion});
  }
  if (has("precision") && !determinant) {
    count.precision = choose<Precision>(
        parsed, "precision",
        {Precision::automatic, Precision::float64, Precision::compensated, Precision::double_double, Precision::exact});
  }
  if (has("order")) {
    count.frontier_strategy = choose<FrontierStrategy>(
        parsed, "order",
        {FrontierStrategy::automatic, FrontierStrategy::mixed, FrontierStrategy::rows, FrontierStrategy::columns});
  }
  if (has("engine")) {
    // The names that they had before are still taken.
    const std::string engine = text("engine");
    if (engine == "merge") {
      count.frontier_engine = FrontierEngine::sparse;
    } else if (engine == "ranked") {
      count.frontier_engine = FrontierEngine::dense;
    } else {
      count.frontier_engine = choose<FrontierEngine>(
          parsed, "engine",
          {FrontierEngine::automatic, FrontierEngine::sparse, FrontierEngine::dense, FrontierEngine::twins});
    }
  }
  count.prune = !flag("no-prune");
  count.reduce = !flag("no-reduce");
  count.verify = flag("verify");

  if (has("device")) {
    const std::string device = text("device");
    if (options.command->name == "plan" && (device == "h200" || device == "h100" || device == "a100")) {
      count.device.kind = DeviceChoice::Kind::cuda;
      count.device.assumed = {known_device(device)};
    } else {
      count.device = options.estimate.device = parse_device_choice(device);
    }
  }
  if (has("ranks")) {
    const auto ranks = parse_number<int>(text("ranks"));
    if (!ranks || *ranks < 1) refuse("ranks", text("ranks"), "a whole number from 1");
    options.planned_ranks = *ranks;
  }
  if (has("threads")) {
    const auto threads = parse_number<int>(text("threads"));
    if (!threads || *threads < 1 || *threads > most_threads) {
      refuse("threads", text("threads"), "a whole number from 1 to " + std::to_string(most_threads));
    }
    count.run.num_threads = *threads;
  }
  if (has("seed")) {
    const auto seed = parse_number<std::uint64_t>(text("seed"));
    if (!seed) refuse("seed", text("seed"), "a whole number from 0 to 2^64 - 1");
    count.run.seed = *seed;
  }
  if (has("time-limit")) {
    const auto seconds = parse_number<double>(text("time-limit"));
    if (!seconds || !(*seconds > 0) || std::isnan(*seconds)) {
      refuse("time-limit", text("time-limit"), "a number of seconds above 0");
    }
    count.run.time_limit_s = *seconds;
  } else if (estimates && options.estimate.samples == 0) {
    constexpr double patience_s = 60;
    count.run.time_limit_s = patience_s;
  }
  if (has("memory-limit")) count.run.memory_limit_bytes = parse_size(text("memory-limit"));
  if (has("checkpoint")) {
    options.checkpoint.file = text("checkpoint");
    if (options.checkpoint.file.empty()) refuse("checkpoint", "", "a file name");
  }
  options.checkpoint.resume = flag("resume");
  if (has("checkpoint-interval")) {
    const auto seconds = parse_number<double>(text("checkpoint-interval"));
    if (!seconds || !(*seconds >= 0)) {
      refuse("checkpoint-interval", text("checkpoint-interval"), "a number of seconds from 0");
    }
    options.checkpoint.interval_s = *seconds;
  }
  for (const char* name : {"resume", "checkpoint-interval"}) {
    if (has(name) && options.checkpoint.file.empty()) {
      throw InputError("--" + std::string(name) + " alone", "--checkpoint FILE with it");
    }
  }

  options.json = flag("json");
  options.quiet = flag("quiet");
  if (has("progress")) {
    options.progress =
        choose<ProgressMode>(parsed, "progress", {ProgressMode::automatic, ProgressMode::on, ProgressMode::off});
  }
  options.kuratowski = flag("kuratowski");
  if (has("write")) options.output = text("write");
  if (has("output")) options.output = text("output");
  if (has("weights")) {
    options.weights = text("weights");
    if (options.weights.empty()) refuse("weights", "", std::string(find_option("weights")->choices));
  }
  if ((has("write") || has("output")) && options.output.empty()) {
    refuse(has("write") ? "write" : "output", "", "a file name");
  }
  options.manual = flag("man");
  if (has("completion")) {
    const std::string shell = text("completion");
    const auto shells = split_choices(find_option("completion")->choices);
    if (std::find(shells.begin(), shells.end(), shell) == shells.end()) refuse("completion", shell, join(shells));
    options.completion = shell;
  }
}

}  // namespace

std::uint64_t parse_size(const std::string& text) {
  const std::string expected = "a size above 0 such as 4096, 512M or 1.5G";
  std::string_view number = text;
  if (number.ends_with("iB"))
    number.remove_suffix(2);
  else if (number.ends_with('B'))
    number.remove_suffix(1);
  int shift = 0;
  const std::string_view units = "KMGTP";
  if (!number.empty()) {
    const char unit = number.back() == 'k' ? 'K' : number.back();
    if (const std::size_t place = units.find(unit); place != std::string_view::npos) {
      shift = 10 * (static_cast<int>(place) + 1);
      number.remove_suffix(1);
    }
  }
  const auto value = parse_number<double>(number);
  if (!value || !std::isfinite(*value)) refuse("memory-limit", text, expected);
  const double bytes = std::ldexp(*value, shift);
  if (!(bytes >= 1) || bytes > 0x1p62) refuse("memory-limit", text, expected);
  return static_cast<std::uint64_t>(bytes);
}

Options parse_command_line(int argc, const char* const* argv) {
  Options options;
  if (argc < 2) throw UsageError("", "no command given");
  const std::string name = argv[1];
  if (name == "--version" || name == "-V") {
    options.version = true;
    return options;
  }
  if (name == "--help" || name == "-h") {
    options.help = true;
    return options;
  }
  options.command = find_command(name);
  if (options.command == nullptr) throw UsageError("", unknown_command(name));

  cxxopts::Options parser("matchcount " + name);
  for (const std::string_view option_name : options.command->options) {
    const OptionSpec* option = find_option(option_name);
    const std::string names = option_name == "help" ? "h,help" : std::string(option_name);
    if (option->argument.empty()) {
      parser.add_options()(names, "", cxxopts::value<bool>());
    } else {
      parser.add_options()(names, "", cxxopts::value<std::string>());
    }
  }
  parser.add_options()("arguments", "", cxxopts::value<std::vector<std::string>>());
  parser.parse_positional("arguments");
  try {
    const cxxopts::ParseResult parsed = parser.parse(argc - 1, argv + 1);
    options.help = parsed.count("help") != 0;
    if (options.help) return options;
    read_values(parsed, options);
    // cxxopts splits a value of a vector at commas, so the words are taken one by one.
    for (const cxxopts::KeyValue& item : parsed.arguments()) {
      if (item.key() == "arguments") options.arguments.push_back(item.value());
    }
  } catch (const cxxopts::exceptions::exception& error) {
    throw UsageError(name, error.what());
  }
  return options;
}

}  // namespace matchcount::app
