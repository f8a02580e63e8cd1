#pragma once
// Has every command and option with its type and text: the one source of parsing, ranges, --help, the manual page and
// shell completion.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcount::app {

class Interrupt;
struct Options;

// Says what a value may be, and where it goes.
struct ValueType {
  std::string_view choices = {};  // separated by '|'; empty: anything
  bool is_file = false;           // for completion
  // Takes the value of the option `name`. Throws InputError where it can't have that.
  std::function<void(Options& options, std::string_view name, const std::string& text)> read = {};
};

// Gives an option another type and default for some commands.
struct Variant {
  std::vector<std::string_view> commands;
  ValueType type;
  std::string_view fallback;  // what holds where the option is not given
};

// Says what some of the choices are, separated by '|'.
struct Explained {
  std::string_view choices;
  std::string_view text;
};

struct OptionSpec {
  std::string_view name;      // without dashes
  std::string_view argument;  // its name in the help; empty: a flag
  ValueType type;
  std::string_view fallback;  // what holds where the option is not given; empty: nothing to say
  std::string_view help;
  std::vector<Explained> explained = {};
  std::vector<Variant> variants = {};
  std::string_view group = {};  // of the table; empty: commands name it themselves

  // Returns the option's type and fallback for a command.
  const ValueType& type_of(std::string_view command) const;
  std::string_view fallback_of(std::string_view command) const;
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
  int (*run)(const Options& options, Interrupt& interrupt) = nullptr;  // of a wing's command

  bool has(std::string_view option) const;
};

std::span<const OptionSpec> option_table();
std::span<const CommandSpec> command_table();

// Null where there is no such thing.
const OptionSpec* find_option(std::string_view name);
const CommandSpec* find_command(std::string_view name);

// "a|b|c" as its parts.
std::vector<std::string_view> split_choices(std::string_view choices);

// ---- Commands of wings, which are not known here.

// Adds to a command's own options those that say how to read, where to run, within which limits, and what to print.
CommandOptions with_common_options(const std::vector<std::string_view>& own);

struct WingCommand {
  CommandSpec spec;
  std::vector<OptionSpec> options;                             // rows that no other command has
  std::vector<std::pair<std::string_view, Variant>> variants;  // options of others that are different here
};
// Returns what makes them. A wing's source that is linked into the program adds its own before main begins, as
// photonics/command.cpp does.
std::vector<WingCommand (*)()>& wing_commands();

struct ExitStatus {
  int code;
  std::string_view meaning;
};
std::span<const ExitStatus> exit_status_table();

}  // namespace matchcount::app
