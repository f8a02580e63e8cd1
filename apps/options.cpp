#include "apps/options.hpp"

#define CXXOPTS_NO_REGEX
#include <cmath>
#include <cxxopts.hpp>
#include <filesystem>
#include <limits>

#include "apps/option_types.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"

namespace matchcount::app {
namespace {

std::string unknown_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CommandSpec& command : command_table()) names.push_back(command.name);
  const std::string text = "there is no command '" + name.substr(0, 60) + "'";
  std::error_code error;
  if (std::filesystem::is_regular_file(name, error)) return text + "; did you mean 'matchcount count " + name + "'?";
  return text + suggestion(name, names);
}

// Returns an option that the command does not have, although others may. `word` is it with its dashes.
std::string unknown_option(const std::string& word, const CommandSpec& command) {
  std::string text = std::string(command.name) + " has no option " + word.substr(0, 60);
  const std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  std::string others;
  for (const CommandSpec& other : command_table()) {
    if (other.has(name)) others += (others.empty() ? "" : ", ") + std::string(other.name);
  }
  const bool is_own = command.has(name);  // it lacks a dash
  return text +
         (others.empty() || is_own ? suggestion(name, command.options.all, "--") : ", which belongs to " + others);
}

// Returns the first word that names an option which the command lacks, without its value.
std::string first_unknown(int argc, const char* const* argv, const CommandSpec& command) {
  for (int i = 2; i < argc; ++i) {
    std::string_view word = argv[i];
    if (!word.starts_with("-") || word == "-" || word == "-h") continue;
    word = word.substr(0, word.find('='));
    if (!word.starts_with("--") || !command.has(word.substr(2))) return std::string(word);
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

// ---- Options that do not go together.

[[noreturn]] void refuse_pair(std::string_view option, const std::string& other, const std::string& expected) {
  throw InputError("--" + std::string(option) + " " + other, expected);
}

// A plan has the options of what it plans, and no others.
void check_planned(const Options& options) {
  if (options.command->name != "plan") return;
  for (const std::string_view name : options.given) {
    if (name == "of") continue;
    if (options.planned == nullptr && (name == "exact" || name == "weighted"))
      refuse_pair(
          name, "alone",
          "--of marginals" + std::string(name == "exact" ? "" : " or sample") + " with it: counts have no such option");
    if (options.planned != nullptr && !options.planned->has(name)) {
      const std::string planned(options.planned->name);
      refuse_pair(name, "with --of " + planned, "an option that " + planned + " has as well");
    }
  }
}

void check_method(const Options& options) {
  for (const auto& [name, value] :
       {std::pair{"expand-degree", options.count.expand_degree}, {"expand-rows", options.count.expand_rows}}) {
    if (options.has(name) && options.count.method != Method::forbert_marx)
      refuse(name, std::to_string(value), "--method forbert-marx beside it");
  }
  if (options.has("samples") && options.has("relative-error"))
    throw InputError("--samples and --relative-error", "one of them: both say when to stop");
  if (options.first_sample > std::numeric_limits<std::uint64_t>::max() - options.samples)
    refuse("first-sample", std::to_string(options.first_sample),
           "a number with " + std::to_string(options.samples) + " behind it");
}

void check_matchings(const Options& options) {
  if (options.optimum && options.weighted)
    refuse_pair("weighted", "with --matchings minimum-weight or maximum-weight",
                "one of the two: each of these is as likely as the others");
  if (options.has("given")) {
    if (options.optimum || options.matchings == MatchingKind::maximum || options.matchings == MatchingKind::maximal)
      refuse_pair("given", "with --matchings maximum, maximal, minimum-weight or maximum-weight",
                  "others: by conditions these may be of another size or weight, or no longer maximal");
    if (options.has("by")) refuse_pair("given", "with --by", "one of the two");
    if (options.has("rotation")) refuse_pair("given", "with --rotation", "one of the two");
  }
  for (const char* name : {"matchings", "activity", "by", "given", "verify", "order", "write-order", "rotation",
                           "checkpoint", "explain"}) {
    if (options.sextets && options.has(name)) refuse_pair("sextets", "with --" + std::string(name), "one of the two");
  }
  if (options.command->name == "estimate" && options.has("svg") && options.matchings != MatchingKind::by_size)
    refuse_pair("svg", "alone", "--matchings by-size with it, whose entropy it draws");
  if (options.command->name == "list") {
    if (options.matchings == MatchingKind::all && options.has("svg"))
      refuse_pair("svg", "with --matchings all", "matchings of as many edges each, such as maximum ones");
    return;
  }
  const bool loops = options.input.loops == Loops::keep;
  if (options.activity && options.matchings != MatchingKind::all && options.matchings != MatchingKind::maximal)
    refuse_pair("activity", "alone", "--matchings all or maximal with it: only there vertices are left out at will");
  if (loops && options.matchings != MatchingKind::perfect)
    refuse_pair("loops", "with --matchings " + std::string(to_string(options.matchings)),
                "--loops alone: a loop says what leaving its vertex out counts");
  if (options.matchings == MatchingKind::perfect && !loops) return;
  for (const char* name : {"order", "engine", "no-prune", "no-reduce"}) {
    const bool is_given = options.has(name) && !(options.order_file.size() > 0 && name == std::string_view("order"));
    if (is_given)
      refuse_pair(name, loops ? "with --loops" : "with --matchings",
                  "--" + std::string(name) + " for perfect matchings alone");
  }
}

// Refuses what goes with an estimate alone, and what does not go with one.
void check_distribution(const Options& options) {
  const bool of_marginals = options.command->name == "marginals";
  if (!of_marginals && options.command->name != "sample") return;
  const auto refuse_all = [&](std::initializer_list<const char*> names, const char* expected) {
    for (const char* name : names) {
      if (options.has(name))
        refuse_pair(
            name,
            std::string(options.by_estimate ? "with" : "without") + (of_marginals ? " --estimate" : " --approximate"),
            expected);
    }
  };
  if (options.has("pairs") && options.has("rotation")) refuse_pair("pairs", "with --rotation", "one of the two");
  if (options.by_estimate) {
    refuse_all({"exact", "pairs", "method", "order", "rotation", "effort", "engine", "digits"},
               "one of them: samples are not summed up along an order, nor are they exact");
    if (options.matchings != MatchingKind::saturating)
      refuse_all({"matchings"}, "one of them: perfect and saturating matchings alone are estimated so");
    refuse_all({"activity"}, "one of them: perfect and saturating matchings alone are estimated so");
    if (options.input.loops == Loops::keep)
      refuse_all({"loops"}, "one of them: perfect and saturating matchings alone are estimated so");
  } else if (of_marginals) {
    refuse_all({"samples", "confidence"}, "both: exact probabilities have no samples");
    refuse_all({"checkpoint"}, "both: what exact marginals keep is in memory alone; draws of an estimate are saved");
  } else {
    refuse_all({"population"}, "both: exact samples need none");
  }
}

// An order that is given is not searched for, and has no twins.
void check_order(const Options& options) {
  if (options.order_file.empty() && !options.has("write-order")) return;
  if (options.optimum) refuse_pair("matchings", "of least or most weight with an order of vertices", "another kind");
  if (options.order_file.empty()) return;
  for (const char* name : {"effort", "engine"}) {
    const bool is_for_it = name == std::string_view("engine") && options.count.frontier_engine != FrontierEngine::twins;
    if (options.has(name) && !is_for_it) refuse_pair(name, "with --order FILE", "one of them: the order is as given");
  }
}

void check_files(const Options& options) {
  if (options.explain && options.has("by"))
    refuse_pair("explain", "with --by", "one of the two: that asks many counts");
  if (options.explain && options.has("quiet") && !options.json)
    refuse_pair("explain", "with --quiet", "one of the two, or --json with them");
  const bool estimates = options.command->name == "estimate";
  if (estimates && options.explain && (options.json || options.matchings == MatchingKind::by_size))
    refuse_pair("explain", "with --json or --matchings by-size", "one of them: these tell all as they are");
  if (options.has("svg") && !options.explain && !estimates && options.command->has("explain"))
    refuse_pair("svg", "alone", "--explain with it, whose times it draws");
  for (const char* name : {"resume", "checkpoint-interval"}) {
    if (options.has(name) && options.checkpoint.file.empty()) refuse_pair(name, "alone", "--checkpoint FILE with it");
  }
  if (options.has("periods") && options.rotation_file.empty())
    refuse_pair("periods", "alone", "--rotation FILE with it, whose vertices they place");
  if (options.has("coordinates") && options.output.empty())
    refuse_pair("coordinates", "alone", "--svg FILE with it, whose vertices they place");
}

// Values that follow from the command and from others.
void complete(Options& options) {
  const std::string_view name = options.command->name;
  InputOptions& input = options.input;
  const std::string_view usual_kind = options.command->default_kind;
  if (!usual_kind.empty()) input.usual_kind = from_string<InputKind>(usual_kind);
  input.fractions = true;
  input.of_perfect_matchings = (name == "count" || name == "hafnian" || name == "estimate" || name == "parity") &&
                               options.matchings == MatchingKind::perfect && !options.optimum && options.by.empty();
  const bool by_weight = options.by == "weight";
  if (options.optimum || by_weight) input.keep_zeros = true;  // else matching_options refuses them
  if (!by_weight && !is_by_loops(options)) input.label = options.by;
  input.exact_decimals = options.optimum || options.count.run.precision == Precision::exact;
  constexpr double patience_s = 60;
  const bool is_estimate = name == "estimate" || (name == "marginals" && options.by_estimate);
  if (is_estimate && !options.has("samples") && !options.has("time-limit")) options.count.run.time_limit_s = patience_s;
}

// No answer depends on these.
constexpr std::string_view without_effect[] = {
    "checkpoint", "checkpoint-interval", "resume", "time-limit", "memory-limit", "threads", "device", "progress",
    "quiet"};

void read_values(const cxxopts::ParseResult& parsed, Options& options) {
  const CommandSpec& command = *options.command;
  const auto read = [&](std::string_view name) {
    const OptionSpec& option = *find_option(name);
    const std::string text = option.argument.empty() ? std::string() : parsed[std::string(name)].as<std::string>();
    if (std::ranges::count(without_effect, name) == 0) options.asked += " --" + std::string(name) + " " + text;
    option.type_of(options.planned ? options.planned->name : command.name).read(options, name, text);
  };
  for (const std::string_view name : command.options.all) {
    const std::string key(name);
    const bool is_flag = find_option(name)->argument.empty();
    if (!is_flag && parsed.count(key) > 1) refuse_pair(name, "twice", "it once: of two values one would be left aside");
    if (parsed.count(key) != 0 && !(is_flag && !parsed[key].as<bool>())) options.given.push_back(name);
  }
  // The planned command says what the others may be.
  if (options.has("of")) read("of");
  check_planned(options);
  for (const std::string_view name : options.given) {
    if (name != "of") read(name);
  }
  check_method(options);
  check_matchings(options);
  check_distribution(options);
  check_order(options);
  check_files(options);
  complete(options);
}

// Makes one word of `all-near K` behind --pairs, and --loops=keep of --loops without one of its words.
std::vector<std::string> join_words(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const std::vector<std::string_view> of_loops = names_to_ask_for<Loops>();
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] == "--loops" && (i + 1 == words.size() || std::ranges::count(of_loops, words[i + 1]) == 0))
      words[i] += "=keep";
  for (std::size_t i = 1; i + 2 < words.size(); ++i) {
    if (words[i] != "--pairs" || words[i + 1] != "all-near") continue;
    words[i + 1] += " " + words[i + 2];
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
  }
  return words;
}

}  // namespace

void refuse(std::string_view option, const std::string& value, const std::string& expected) {
  throw InputError("--" + std::string(option) + " '" + value + "'", expected);
}

void refuse_choice(std::string_view option, const std::string& value, std::string_view choices) {
  const auto names = split_choices(choices);
  refuse(option, value, listed(names) + suggestion(value, names));
}

std::optional<double> parse_duration(std::string_view text) {
  if (const std::size_t first = text.find(':'), last = text.rfind(':'); first != last) {
    const auto hours = parse_number<std::uint32_t>(text.substr(0, first));
    const auto minutes = parse_number<std::uint32_t>(text.substr(first + 1, last - first - 1));
    const auto seconds = parse_number<std::uint32_t>(text.substr(last + 1));
    if (!hours || !minutes || !seconds || *minutes >= 60 || *seconds >= 60) return std::nullopt;
    return 3600.0 * *hours + 60.0 * *minutes + *seconds;
  }
  for (const auto& [unit, of_seconds] :
       {std::pair<std::string_view, double>{"min", 60}, {"s", 1}, {"h", 3600}, {"d", 86400}}) {
    if (!text.ends_with(unit)) continue;
    const auto number = parse_number<double>(text.substr(0, text.size() - unit.size()));
    return number ? std::optional(*number * of_seconds) : std::nullopt;
  }
  return parse_number<double>(text);
}

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

void refuse_missing(std::string_view name) {
  // Commands of wings, and the option of CMake that builds each.
  constexpr std::pair<std::string_view, const char*> of_wings[] = {{"torontonian", "MATCHCOUNT_WITH_PHOTONICS"}};
  for (const auto& [command, option] : of_wings)
    if (name == command)
      throw InputError("the command " + std::string(name) + ", which this program was built without",
                       "a program configured with -D" + std::string(option) + "=ON");
}

Options parse_command_line(int argc, const char* const* argv) {
  Options options;
  if (argc < 2) throw UsageError("", "no command given");
  const std::string name = argv[1];
  if (name == "--version" || name == "-V" || name == "-v") {
    options.version = true;
    return options;
  }
  if (name == "--help" || name == "-h") {
    options.help = true;
    return options;
  }
  options.command = find_command(name);
  if (options.command == nullptr) {
    refuse_missing(name);
    throw UsageError("", unknown_command(name));
  }

  cxxopts::Options parser("matchcount " + name);
  for (const std::string_view option_name : options.command->options.all) {
    const std::string names = option_name == "help" ? "h,help" : std::string(option_name);
    if (find_option(option_name)->argument.empty())
      parser.add_options()(names, "", cxxopts::value<bool>());
    else
      parser.add_options()(names, "", cxxopts::value<std::string>());
  }
  parser.add_options()("arguments", "", cxxopts::value<std::vector<std::string>>());
  parser.parse_positional("arguments");
  refuse_negative_numbers(argc, argv, *options.command);
  try {
    std::vector<std::string> words = join_words(argc, argv);
    const auto is_topic = [&](const std::string& word) {
      return name == "help" && word.starts_with("--") && !options.command->has(word.substr(2)) &&
             find_option(word.substr(2)) != nullptr;
    };
    for (std::string& word : words)
      if (is_topic(word)) word.erase(0, 2);
    std::vector<const char*> begins;
    for (const std::string& word : words) begins.push_back(word.c_str());
    const cxxopts::ParseResult parsed = parser.parse(static_cast<int>(begins.size()), begins.data());
    options.help_all = parsed.count("help-all") != 0;
    options.help = options.help_all || parsed.count("help") != 0;
    if (options.help) return options;
    read_values(parsed, options);
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
