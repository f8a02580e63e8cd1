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

// "; did you mean 'NAME'?", of a name that is near, or nothing. `dashes` stand before it.
std::string suggestion(std::string_view name, const std::vector<std::string_view>& names,
                       std::string_view dashes = {}) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(1, std::min<std::size_t>(2, name.size() / 2)) + 1;
  for (const std::string_view candidate : names) {
    const bool begins = name.size() >= 3 && candidate.starts_with(name);
    const std::size_t distance = begins ? 0 : edit_distance(name, candidate);
    if (distance < least) nearest = candidate, least = distance;
  }
  return nearest.empty() ? std::string() : "; did you mean '" + std::string(dashes) + std::string(nearest) + "'?";
}

[[noreturn]] void refuse(std::string_view option, const std::string& value, const std::string& expected) {
  throw InputError("--" + std::string(option) + " '" + value + "'", expected);
}

// One of these is expected; the nearest is named.
[[noreturn]] void refuse(std::string_view option, const std::string& value,
                         const std::vector<std::string_view>& expected) {
  refuse(option, value, listed(expected) + suggestion(value, expected));
}

// A choice by its name, or an alias of it; of those that the option lists.
template <class Enum>
Enum choose(const cxxopts::ParseResult& parsed, const char* name, std::string_view command = {}) {
  const OptionSpec* option = find_option(name, command);
  const std::vector<std::string_view> choices = split_choices(option->choices);
  const std::string value = parsed.count(name) != 0 ? parsed[name].as<std::string>() : std::string(option->fallback);
  for (const auto& named : Names<Enum>::all) {
    if (named.name == value && std::find(choices.begin(), choices.end(), to_string(named.value)) != choices.end())
      return named.value;
  }
  refuse(name, value, choices);
}

std::string unknown_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CommandSpec& command : command_table()) names.push_back(command.name);
  return "there is no command '" + name.substr(0, 60) + "'" + suggestion(name, names);
}

// An option that the command does not have, although others may. `word` is it with its dashes.
std::string unknown_option(const std::string& word, const CommandSpec& command) {
  std::string text = std::string(command.name) + " has no option " + word.substr(0, 60);
  const std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  std::string others;
  for (const CommandSpec& other : command_table()) {
    const auto& names = other.options.all;
    if (std::find(names.begin(), names.end(), name) != names.end())
      others += (others.empty() ? "" : ", ") + std::string(other.name);
  }
  const auto& own = command.options.all;
  const bool lacks_dash = std::find(own.begin(), own.end(), name) != own.end();
  return text +
         (others.empty() || lacks_dash ? suggestion(name, command.options.all, "--") : ", which belongs to " + others);
}

void read_estimate_values(const cxxopts::ParseResult& parsed, EstimateOptions& estimate) {
  const auto has = [&](const char* name) { return parsed.count(name) != 0; };
  const auto text = [&](const char* name) { return parsed[name].as<std::string>(); };
  estimate.method = choose<Estimator>(parsed, "method", "estimate");
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

// The first word that names an option which the command lacks, without its value.
std::string first_unknown(int argc, const char* const* argv, const CommandSpec& command) {
  const auto& names = command.options.all;
  for (int i = 2; i < argc; ++i) {
    std::string_view word = argv[i];
    if (!word.starts_with("-") || word == "-" || word == "-h") continue;
    word = word.substr(0, word.find('='));
    const bool is_known =
        word.starts_with("--") && std::find(names.begin(), names.end(), word.substr(2)) != names.end();
    if (!is_known) return std::string(word);
  }
  return "";
}

// A negative number among those of generate is no option.
void refuse_negative_numbers(int argc, const char* const* argv, const CommandSpec& command) {
  for (int i = 2; command.name == "generate" && i < argc; ++i) {
    const std::string_view word = argv[i], before = argv[i - 1];
    const bool is_negative =
        word.size() > 1 && word[0] == '-' && std::string_view(".0123456789").find(word[1]) != word.npos;
    if (is_negative && !before.starts_with("--"))
      throw InputError("'" + std::string(word) + "'", "numbers from 0 in: generate KIND NUMBER...");
  }
}

// The values of a command line, group by group as the option table has them.
class Values {
 public:
  Values(const cxxopts::ParseResult& parsed, Options& options)
      : parsed_(parsed), options_(options), command_(options.command->name), asked_(command_) {}

  void read() {
    read_planned();
    read_input();
    read_method();
    read_run();
    read_checkpoint();
    read_output();
  }

 private:
  bool has(std::string_view name) const {
    const auto& names = options_.command->options.all;
    return std::find(names.begin(), names.end(), name) != names.end() && parsed_.count(std::string(name)) != 0;
  }
  bool flag(const char* name) const { return has(name) && parsed_[name].as<bool>(); }
  std::string text(const char* name) const { return parsed_[name].as<std::string>(); }
  // Of the choices that the option lists.
  std::string one_of(const char* name) const {
    const std::string value = text(name);
    const auto choices = split_choices(find_option(name, asked_)->choices);
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) refuse(name, value, choices);
    return value;
  }
  template <class Enum>
  void choose_into(Enum& value, const char* name) const {
    if (has(name)) value = choose<Enum>(parsed_, name, asked_);
  }

  // A plan has the options of what it plans, and no others.
  void read_planned() {
    if (command_ != "plan") return;
    if (has("of") && one_of("of") != "count") {
      options_.planned = find_command(text("of"));
      asked_ = options_.planned->name;
    }
    for (const std::string_view name : options_.command->options.all) {
      if (!has(name) || name == "of") continue;
      const std::string option = "--" + std::string(name);
      if (options_.planned == nullptr && (name == "exact" || name == "weighted"))
        throw InputError(option + " alone", "--of marginals" + std::string(name == "exact" ? "" : " or sample") +
                                                " with it: counts have no such option");
      if (options_.planned == nullptr) continue;
      const auto& theirs = options_.planned->options.all;
      if (std::find(theirs.begin(), theirs.end(), name) == theirs.end())
        throw InputError(option + " with --of " + std::string(asked_),
                         "an option that " + std::string(asked_) + " has as well");
    }
  }

  void read_input() {
    InputOptions& input = options_.input;
    const std::string_view usual_kind = options_.command->default_kind;
    if (!usual_kind.empty()) input.usual_kind = from_string<InputKind>(usual_kind);
    if (has("kind")) input.kind = choose<InputKind>(parsed_, "kind", command_);
    choose_into(input.format, "format");
    choose_into(input.duplicates, "duplicates");
    input.keep_zeros = flag("keep-zeros");
    input.fractions = command_ == "determinant" || command_ == "permanent" || command_ == "hafnian" ||
                      asked_ == "marginals" || asked_ == "sample" ||
                      (asked_ == "plan" && input.kind == InputKind::matrix);
    if (has("header")) input.header = one_of("header") == "yes";
    if (has("delimiter")) {
      const std::string delimiter = text("delimiter");
      if (delimiter.size() != 1 && delimiter != "tab" && delimiter != "\\t")
        refuse("delimiter", delimiter, "one character, or tab");
      input.delimiter = delimiter.size() == 1 ? delimiter[0] : '\t';
    }
    if (has("weight-key")) input.weight_key = text("weight-key");
  }

  void read_method() {
    CountOptions& count = options_.count;
    if (command_ == "estimate") {
      read_estimate_values(parsed_, options_.estimate);
    } else if (command_ == "determinant") {
      choose_into(options_.determinant.method, "method");
    } else {
      choose_into(count.method, "method");
    }
    choose_into(count.run.precision, "precision");
    choose_into(count.frontier_strategy, "order");
    choose_into(count.frontier_engine, "engine");
    if (has("effort")) {
      const auto seconds = parse_number<double>(text("effort"));
      if (!seconds || !(*seconds > 0) || !std::isfinite(*seconds)) {
        refuse("effort", text("effort"), "a number of seconds above 0");
      }
      count.effort_s = *seconds;
    }
    read_expansion();
    options_.exact = flag("exact");
    options_.weighted = flag("weighted");
    read_amounts();
    read_distribution_estimate();
    if (command_ == "list") {
      if (has("matchings")) options_.saturating = one_of("matchings") == "saturating";
    } else {
      read_matchings();
    }
    count.prune = !flag("no-prune");
    count.reduce = !flag("no-reduce");
    count.verify = flag("verify");
  }

  void read_expansion() {
    CountOptions& count = options_.count;
    const auto read = [&](const char* name, Vertex most, Vertex& into) {
      if (!has(name)) return;
      const auto number = parse_number<Vertex>(text(name));
      if (!number || *number < 1 || *number > most)
        refuse(name, text(name), most == 4 ? "1, 2, 3 or 4" : "a number of rows above 0");
      if (count.method != Method::forbert_marx) refuse(name, text(name), "--method forbert-marx beside it");
      into = *number;
    };
    read("expand-degree", 4, count.expand_degree);
    read("expand-rows", 1'000'000, count.expand_rows);
  }

  void read_matchings() {
    const bool asks_for_optimum =
        has("matchings") && (text("matchings") == "lightest" || text("matchings") == "heaviest");
    if (asks_for_optimum) {
      options_.optimum = one_of("matchings") == "lightest" ? Optimum::lightest : Optimum::heaviest;
      options_.input.fractions = true;
    } else {
      choose_into(options_.matchings, "matchings");
    }
    options_.input.loops = flag("loops");
    if (has("activity")) {
      options_.activity = read_number(text("activity"));
      if (!options_.activity) refuse("activity", text("activity"), "an integer, a decimal or a fraction such as 1/2");
      if (options_.matchings != MatchingKind::all)
        throw InputError("--activity alone", "--matchings all with it: only there vertices are left out at will");
    }
    if (options_.input.loops && options_.matchings != MatchingKind::perfect)
      throw InputError("--loops with --matchings " + std::string(to_string(options_.matchings)),
                       "--loops alone: a loop says what leaving its vertex out counts");
    if (options_.matchings == MatchingKind::perfect && !options_.input.loops) return;
    for (const char* name : {"order", "engine", "no-prune", "no-reduce"}) {
      if (has(name))
        throw InputError("--" + std::string(name) + " with " + (options_.input.loops ? "--loops" : "--matchings"),
                         "--" + std::string(name) + " for perfect matchings alone");
    }
  }

  // How many matchings, and which.
  void read_amounts() {
    const auto amount = [&](const char* name, std::uint64_t& value) {
      const auto number = parse_number<std::uint64_t>(text(name));
      if (!number || *number == 0) refuse(name, text(name), "a whole number from 1 to 18446744073709551615");
      value = *number;
    };
    if (command_ == "sample" && has("samples")) amount("samples", options_.samples);
    if (has("first")) amount("first", options_.first);
    for (const auto& [name, value] : {std::pair{"first-sample", &options_.first_sample}, {"skip", &options_.skip}}) {
      if (!has(name)) continue;
      const auto number = parse_number<std::uint64_t>(text(name));
      if (!number) refuse(name, text(name), "a whole number from 0 to 18446744073709551615");
      *value = *number;
    }
    if (options_.first_sample > std::numeric_limits<std::uint64_t>::max() - options_.samples)
      refuse("first-sample", text("first-sample"), "a number with " + std::to_string(options_.samples) + " behind it");
  }

  // What goes with an estimate alone, and what does not go with one.
  void read_distribution_estimate() {
    if (command_ != "marginals" && command_ != "sample") return;
    const char* const flag_name = command_ == "marginals" ? "estimate" : "approximate";
    const std::string with = "--" + std::string(flag_name);
    options_.by_estimate = flag(flag_name);
    const auto conflict = [&](const char* name, const std::string& expected) {
      throw InputError("--" + std::string(name) + (options_.by_estimate ? " with " : " without ") + with, expected);
    };
    DistributionEstimateOptions& estimate = options_.distribution_estimate;
    if (options_.by_estimate) {
      for (const char* name : {"exact", "method", "order", "effort", "engine", "digits"}) {
        if (has(name)) conflict(name, "one of them: samples are not summed up along an order, nor are they exact");
      }
    } else if (command_ == "marginals") {
      for (const char* name : {"samples", "confidence"}) {
        if (has(name)) conflict(name, "both: exact probabilities have no samples");
      }
      if (has("checkpoint"))
        conflict("checkpoint", "both: what exact marginals keep is in memory alone; draws of an estimate are saved");
    } else if (has("population")) {
      conflict("population", "both: exact samples need none");
    }
    const auto amount = [&](const char* name, std::uint64_t& value) {
      const auto number = parse_number<std::uint64_t>(text(name));
      if (!number || *number < 2) refuse(name, text(name), "a whole number above 1");
      value = *number;
    };
    if (command_ == "marginals" && has("samples")) amount("samples", estimate.samples);
    if (has("population")) amount("population", estimate.population);
    if (has("confidence")) {
      const auto number = parse_number<double>(text("confidence"));
      if (!number || !(*number > 0) || !(*number < 1))
        refuse("confidence", text("confidence"), "a number between 0 and 1, such as 0.95");
      estimate.confidence = *number;
    }
  }

  void read_run() {
    RunOptions& run = options_.count.run;
    if (has("device")) run.device = device(text("device"));
    if (has("ranks")) {
      const auto ranks = parse_number<int>(text("ranks"));
      if (!ranks || *ranks < 1) refuse("ranks", text("ranks"), "a whole number from 1");
      options_.planned_ranks = *ranks;
    }
    if (has("threads")) {
      const auto threads = parse_number<int>(text("threads"));
      if (!threads || *threads < 1 || *threads > most_threads) {
        refuse("threads", text("threads"), "a whole number from 1 to " + std::to_string(most_threads));
      }
      run.num_threads = *threads;
    }
    if (has("seed")) {
      const auto seed = parse_number<std::uint64_t>(text("seed"));
      if (!seed) refuse("seed", text("seed"), "a whole number from 0 to 2^64 - 1");
      run.seed = *seed;
    }
    if (has("time-limit")) {
      const auto seconds = parse_number<double>(text("time-limit"));
      if (!seconds || !(*seconds > 0) || std::isnan(*seconds)) {
        refuse("time-limit", text("time-limit"), "a number of seconds above 0");
      }
      run.time_limit_s = *seconds;
      options_.time_limit_given = true;
    } else if ((command_ == "estimate" && options_.estimate.samples == 0) ||
               (command_ == "marginals" && options_.by_estimate && options_.distribution_estimate.samples == 0)) {
      constexpr double patience_s = 60;
      run.time_limit_s = patience_s;
    }
    if (has("memory-limit")) run.memory_limit_bytes = parse_size(text("memory-limit"));
  }

  // A plan may be made for a GPU that is not here.
  DeviceChoice device(const std::string& name) const {
    const bool is_model = name == "h200" || name == "h100" || name == "a100";
    if (command_ != "plan" || !is_model) return parse_device_choice(name);
    DeviceChoice choice;
    choice.kind = DeviceChoice::Kind::cuda;
    choice.assumed = {known_device(name)};
    return choice;
  }

  void read_checkpoint() {
    CheckpointOptions& checkpoint = options_.checkpoint;
    if (has("checkpoint")) {
      checkpoint.file = text("checkpoint");
      if (checkpoint.file.empty()) refuse("checkpoint", "", "a file name");
    }
    checkpoint.resume = flag("resume");
    if (has("checkpoint-interval")) {
      const auto seconds = parse_number<double>(text("checkpoint-interval"));
      if (!seconds || !(*seconds >= 0)) {
        refuse("checkpoint-interval", text("checkpoint-interval"), "a number of seconds from 0");
      }
      checkpoint.interval_s = *seconds;
    }
    for (const char* name : {"resume", "checkpoint-interval"}) {
      if (has(name) && checkpoint.file.empty()) {
        throw InputError("--" + std::string(name) + " alone", "--checkpoint FILE with it");
      }
    }
  }

  // A command has one of them.
  void read_output_file() {
    for (const char* name : {"output", "write", "svg"}) {
      if (!has(name)) continue;
      options_.output = text(name);
      options_.output_option = "--" + std::string(name);
      if (options_.output.empty()) refuse(name, "", "a file name");
      if (options_.output == "-")
        refuse(name, "-", "a file name: standard output is the answer's, and ./- a file of that name");
    }
    if (!has("coordinates")) return;
    options_.coordinates = text("coordinates");
    if (options_.coordinates.empty()) refuse("coordinates", "", "a file name");
    if (options_.output.empty())
      throw InputError("--coordinates alone", "--svg FILE with it, whose vertices they place");
  }

  void read_output() {
    read_output_file();
    options_.json = flag("json");
    options_.quiet = flag("quiet");
    choose_into(options_.progress, "progress");
    options_.kuratowski = flag("kuratowski");
    if (has("from")) {
      options_.from = text("from");
      if (options_.from.empty()) refuse("from", "", "the name of a vertex");
    }
    if (has("weights")) {
      options_.weights = text("weights");
      if (options_.weights.empty()) refuse("weights", "", std::string(find_option("weights")->choices));
    }
    options_.manual = flag("man");
    if (has("completion")) options_.completion = one_of("completion");
    if (has("digits")) {
      const auto digits = parse_number<int>(text("digits"));
      constexpr int most = 32;  // more than a double-double holds
      if (!digits || *digits < 1 || *digits > most)
        refuse("digits", text("digits"), "a whole number from 1 to " + std::to_string(most));
      options_.digits = *digits;
    }
  }

  const cxxopts::ParseResult& parsed_;
  Options& options_;
  std::string_view command_;
  std::string_view asked_;  // the command whose options these are: another than command_ where that plans it
};

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
  for (const std::string_view option_name : options.command->options.all) {
    const OptionSpec* option = find_option(option_name, name);
    const std::string names = option_name == "help" ? "h,help" : std::string(option_name);
    if (option->argument.empty()) {
      parser.add_options()(names, "", cxxopts::value<bool>());
    } else {
      parser.add_options()(names, "", cxxopts::value<std::string>());
    }
  }
  parser.add_options()("arguments", "", cxxopts::value<std::vector<std::string>>());
  parser.parse_positional("arguments");
  refuse_negative_numbers(argc, argv, *options.command);
  try {
    const cxxopts::ParseResult parsed = parser.parse(argc - 1, argv + 1);
    options.help = parsed.count("help") != 0;
    if (options.help) return options;
    Values(parsed, options).read();
    // cxxopts splits a value of a vector at commas, so the words are taken one by one.
    for (const cxxopts::KeyValue& item : parsed.arguments()) {
      if (item.key() == "arguments") options.arguments.push_back(item.value());
    }
  } catch (const cxxopts::exceptions::no_such_option&) {
    throw UsageError(name, unknown_option(first_unknown(argc, argv, *options.command), *options.command));
  } catch (const cxxopts::exceptions::exception& error) {
    throw UsageError(name, error.what());
  }
  return options;
}

}  // namespace matchcount::app
