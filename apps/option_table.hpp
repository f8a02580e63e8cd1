#pragma once
// Every command and option with its text: the one source of parsing, --help, the manual page and shell completion.

#include <span>
#include <string_view>
#include <vector>

namespace matchcount::app {

struct OptionSpec {
  std::string_view name;      // without dashes
  std::string_view argument;  // its name in the help; empty: a flag
  std::string_view choices;   // separated by '|'; empty: anything
  std::string_view fallback;  // what holds where the option is not given; empty: nothing to say
  std::string_view help;
  bool takes_file = false;        // for completion
  std::string_view command = {};  // of that command alone, where it differs from another entry of the same name
};

struct Example {
  std::string_view command;
  std::string_view output;  // what it prints, or empty
  std::string_view remark;
};

struct CommandOptions {
  std::vector<std::string_view> own;  // what the command is about: its help shows these first, and in full
  std::vector<std::string_view> all;  // these and what it has in common with others
};

struct CommandSpec {
  std::string_view name;
  std::string_view arguments;  // what follows the name in the usage line
  std::string_view summary;    // one line
  std::string_view description;
  std::string_view default_kind;
  CommandOptions options;
  std::vector<Example> examples;
};

std::span<const OptionSpec> option_table();
std::span<const CommandSpec> command_table();

// Null where there is no such thing. An entry of the command's own comes before the one for all.
const OptionSpec* find_option(std::string_view name, std::string_view command = {});
const CommandSpec* find_command(std::string_view name);

// "a|b|c" as its parts.
std::vector<std::string_view> split_choices(std::string_view choices);

struct ExitStatus {
  int code;
  std::string_view meaning;
};
std::span<const ExitStatus> exit_status_table();

struct GeneratorSpec {
  std::string_view name;
  std::string_view arguments;
  std::string_view summary;
};
std::span<const GeneratorSpec> generator_table();

}  // namespace matchcount::app
