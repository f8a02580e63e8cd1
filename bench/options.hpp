#pragma once
// What the command lines of all benchmarks have in common.

#include <cxxopts.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "apps/answer.hpp"
#include "bench/commands.hpp"
#include "apps/options.hpp"
#include "core/error.hpp"

namespace matchcount::bench {

// The value of an option, which is 1 to `most`.
template <class Number>
Number within(const char* name, Number value, std::type_identity_t<Number> most) {
  if (value < 1 || value > most)
    throw InputError("--" + std::string(name) + " " + std::to_string(value), "1 to " + std::to_string(most));
  return value;
}

// What `read` makes of the options of a parser: std::optional<Settings> of a cxxopts::ParseResult. Nothing where help
// was asked for, which is then written. Throws UsageError for a line that makes no sense, and as `read` does.
template <class Read>
auto read_options(const CommandLine& line, const char* benchmark, std::string_view help_text, cxxopts::Options& parser,
                  const Read& read) -> decltype(read(cxxopts::ParseResult())) {
  parser.add_options()("h,help", "", cxxopts::value<bool>());
  std::vector<const char*> words;
  for (std::size_t i = 1; i < line.words.size(); ++i) words.push_back(line.words[i].c_str());
  try {
    const cxxopts::ParseResult parsed = parser.parse(static_cast<int>(words.size()), words.data());
    if (!parsed.unmatched().empty()) throw app::UsageError(benchmark, "'" + parsed.unmatched()[0] + "' is no option");
    if (parsed.count("help") == 0) return read(parsed);
    app::write_answer(std::string(help_text));
    return std::nullopt;
  } catch (const cxxopts::exceptions::exception& error) {
    throw app::UsageError(benchmark, error.what());
  }
}

}  // namespace matchcount::bench
