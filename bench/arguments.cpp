#include "bench/arguments.hpp"

#define CXXOPTS_NO_REGEX
#include <algorithm>
#include <cxxopts.hpp>
#include <sstream>

#include "apps/options.hpp"

namespace matchcount::bench {

const Option device_option{"device", "WHERE", "auto (GPUs if there are any), cpu, cuda or cuda:0,1", "auto"};
const Option seed_option{"seed", "N", "of what is drawn at random", "1"};
const Option threads_option{"threads", "N", "of the CPU (default: every core)"};
Option repeat_option(const char* usual) {
  return {"repeat", "N", "each so many times, of which the best counts", usual};
}

Arguments::Arguments(const CommandLine& line, const std::vector<Option>& options, bool takes_files)
    : options_(options) {
  const std::string& benchmark = line.words.at(1);
  cxxopts::Options parser("matchcount-bench " + benchmark);
  for (const Option& option : options) {
    if (option.value.empty()) {
      parser.add_options()(option.name, "", cxxopts::value<bool>());
    } else {
      parser.add_options()(option.name, "", cxxopts::value<std::string>());
    }
  }
  parser.add_options()("h,help", "", cxxopts::value<bool>());
  std::vector<const char*> words;
  for (std::size_t i = 1; i < line.words.size(); ++i) words.push_back(line.words[i].c_str());
  try {
    const cxxopts::ParseResult parsed = parser.parse(static_cast<int>(words.size()), words.data());
    files_ = parsed.unmatched();
    if (!takes_files && !files_.empty()) throw app::UsageError(benchmark, "'" + files_[0] + "' is no option");
    for (const cxxopts::KeyValue& given : parsed.arguments()) given_[given.key()] = given.value();
  } catch (const cxxopts::exceptions::exception& error) {
    throw app::UsageError(benchmark, error.what());
  }
}

std::string Arguments::text(const std::string& name) const {
  if (const auto found = given_.find(name); found != given_.end()) return found->second;
  const auto is_it = [&](const Option& option) { return option.name == name; };
  const auto option = std::find_if(options_.begin(), options_.end(), is_it);
  return option == options_.end() ? std::string() : option->usual;
}

std::vector<std::string> Arguments::list(const std::string& name) const {
  std::vector<std::string> words;
  std::istringstream stream(text(name));
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

double Arguments::seconds(const std::string& name) const {
  return number(name, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max());
}

RunOptions Arguments::run_on_cpu() const {
  RunOptions run;
  run.device.kind = DeviceChoice::Kind::cpu;
  if (!text("seed").empty()) run.seed = number<std::uint64_t>("seed", 0, ~std::uint64_t{0});
  if (has("threads")) run.num_threads = number("threads", 1, 1024);
  return run;
}

std::string help_of(const std::vector<Option>& options) {
  std::vector<std::vector<std::string>> rows;
  for (const Option& option : options) {
    rows.push_back({"--" + option.name + (option.value.empty() ? "" : " " + option.value),
                    option.text + (option.usual.empty() ? "" : " (default: " + option.usual + ")")});
  }
  rows.push_back({"-h, --help", "this text"});
  return app::table(rows, "  ");
}

}  // namespace matchcount::bench
