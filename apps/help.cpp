#include "apps/help.hpp"

#include <algorithm>

#include "apps/options.hpp"
#include "apps/text.hpp"
#include "graph/generate.hpp"
#include "graph/input.hpp"

namespace matchcount::app {
namespace {

constexpr std::string_view headline =
    "counts perfect matchings of graphs and cycle covers of digraphs, exactly or by samples";

std::string input_text() {
  return "FILE may be - for standard input; gzip, ZIP, tar, xz, zstd and bzip2 are recognised. Formats: " +
         listed(names_to_ask_for<InputFormat>()) +
         ". An edge list has u v [weight] a line, any labels, # and % comments. Several FILEs, and files of several "
         "graphs, give a line each. Bad input is refused with file and line. Only the answer goes to stdout.";
}

std::string usage(const CommandSpec& command) {
  return "matchcount " + std::string(command.name) + " " + std::string(command.arguments);
}

std::string option_synopsis(const OptionSpec& option) {
  std::string text = option.name == "help" ? "-h, --help" : "--" + std::string(option.name);
  if (!option.argument.empty()) text += " " + std::string(option.argument);
  return text;
}

std::string first_sentence(std::string_view text) {
  const std::size_t end = text.find(". ");
  return std::string(text.substr(0, end == std::string_view::npos ? end : end + 1));
}

// Joins the names of the rows of a table, or words.
template <class Rows>
std::string joined(const Rows& rows, std::string_view by = " ") {
  std::string text;
  for (const auto& row : rows) {
    text += text.empty() ? std::string_view() : by;
    if constexpr (requires { row.name; })
      text += row.name;
    else
      text += row;
  }
  return text;
}

std::string sentence_of(std::string_view choices) {
  return choices.empty() ? "" : joined(split_choices(choices), ", ") + ". ";
}

std::string default_of(std::string_view fallback) {
  return fallback.empty() ? "" : " Default: " + std::string(fallback) + ".";
}

// Returns those of the choices that need words, and are offered; all of them where none is named.
std::vector<std::string_view> offered_of(const Explained& explained, std::string_view choices) {
  const auto offered = split_choices(choices);
  auto names = split_choices(explained.choices);
  if (!choices.empty())
    std::erase_if(names, [&](std::string_view name) { return std::ranges::count(offered, name) == 0; });
  return names;
}

// Writes a name and, beside or below it, its meaning, which begins at a column.
std::string entry(const std::string& name, const std::string& meaning, std::size_t indent, std::size_t column,
                  std::size_t width) {
  std::string head = std::string(indent, ' ') + name;
  if (head.size() + 2 > column) return wrap(name, indent, width) + wrap(meaning, column, width);
  head.resize(column, ' ');
  return wrap(meaning, column, width, head);
}

// Writes choices beside their meanings, a line each; of those that are offered, where some are.
std::string meanings(const OptionSpec& option, std::string_view offered, std::size_t indent, std::size_t width) {
  constexpr std::size_t names_column = 16;
  std::string text;
  for (const Explained& explained : option.explained) {
    if (const std::string names = joined(offered_of(explained, offered), ", "); !names.empty())
      text += entry(names, std::string(explained.text), indent, indent + names_column, width);
  }
  return text;
}

// Writes the name and text of an option of a command, in two columns.
std::string option_entry(const OptionSpec& option, bool in_full, const CommandSpec& command, std::size_t width) {
  constexpr std::size_t column = 24, shortest_list = 50;
  const std::string_view choices = option.type_of(command.name).choices;
  const std::string_view fallback = option.name == "kind" ? command.default_kind : option.fallback_of(command.name);
  const std::string name = option_synopsis(option);
  if (!in_full)
    return entry(name,
                 first_sentence(option.help) +
                     (choices.empty() || choices.size() > shortest_list ? "" : " " + sentence_of(choices)),
                 2, column, width);
  return entry(name, sentence_of(choices) + std::string(option.help) + default_of(fallback), 2, column, width) +
         meanings(option, choices, column, width);
}

// Says which formats have an option of reading, if not all do.
std::string formats_text(const OptionSpec& option) {
  const std::vector<std::string_view> formats =
      option.name == "by" ? std::vector<std::string_view>() : formats_with(option.name);
  return formats.empty() ? "" : " Formats that have it: " + listed(formats) + ".";
}

// Says what the choices and the default are of commands that have others.
std::string variants_text(const OptionSpec& option) {
  std::string text;
  for (const Variant& variant : option.variants) {
    if (variant.type.choices == option.type.choices && variant.fallback == option.fallback) continue;
    text += " For " + joined(variant.commands, ", ") + ": " + sentence_of(variant.type.choices) + "default " +
            std::string(variant.fallback) + ".";
  }
  return text;
}

// Writes the same for all commands, for the manual.
std::string option_text(const OptionSpec& option) {
  std::string text = sentence_of(option.type.choices) + std::string(option.help) + formats_text(option);
  for (const Explained& explained : option.explained)
    text += " " + joined(split_choices(explained.choices), ", ") + ": " + std::string(explained.text) + ".";
  return text + default_of(option.fallback) + variants_text(option);
}

// Breaks a command at blanks that stand in no quotes, behind a pipe where what follows has no room, so that a shell
// takes the lines as one.
std::string command_lines(std::string_view command, std::size_t width) {
  std::string text = "  $", word;
  std::size_t column = text.size();
  bool is_quoted = false;
  for (std::size_t at = 0; at <= command.size(); ++at) {
    const bool ends = at == command.size() || (command[at] == ' ' && !is_quoted);
    if (!ends) {
      is_quoted ^= command[at] == '\'';
      word += command[at];
    } else {
      const std::string_view rest = command.substr(at - word.size());
      const bool is_piped = text.ends_with(" |");
      const std::size_t needed = is_piped ? rest.substr(0, rest.find(" | ")).size() : word.size();
      const std::size_t backslash = at < command.size() ? 2 : 0;
      if (column + 1 + needed + backslash > width) {
        text += is_piped ? "\n     " : " \\\n     ";
        column = 5;
      }
      text += " " + word;
      column += 1 + word.size();
      word.clear();
    }
  }
  return text + "\n";
}

std::string examples_text(const CommandSpec& command, std::size_t width, std::size_t most = std::string::npos) {
  std::string text;
  for (const Example& example : command.examples) {
    if (most-- == 0) break;
    if (!example.remark.empty()) text += wrap(example.remark, 4, width, "  # ");
    text += command_lines(example.command, width);
    if (!example.output.empty()) text += "  " + std::string(example.output) + "\n";
  }
  return text;
}

std::string exit_status_text() {
  std::vector<std::vector<std::string>> rows;
  for (const ExitStatus& status : exit_status_table()) {
    rows.push_back({std::to_string(status.code), std::string(status.meaning)});
  }
  return table(rows, "  ");
}

std::string generators_text() {
  std::vector<std::vector<std::string>> rows;
  for (const GraphFamily& generator : graph_families()) {
    rows.push_back(
        {std::string(generator.name) + " " + std::string(generator.arguments), std::string(generator.summary)});
  }
  return table(rows, "  ");
}

// Escapes a text for roff: a backslash is an escape, a dot or quote at the start of a line a request, a plain hyphen no
// minus sign.
std::string roff(std::string_view text) {
  const std::string escaped = replaced(text, {{'\\', "\\e"}, {'-', "\\-"}});
  std::string out;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    const bool is_request = escaped[i] == '.' || escaped[i] == '\'';
    out += is_request && (i == 0 || escaped[i - 1] == '\n') ? "\\&" : "";
    out += escaped[i];
  }
  return out;
}

// Inside a zsh _arguments specification in single quotes, brackets and colons have a meaning of their own.
std::string zsh_quoted(std::string_view text) {
  return replaced(text, {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}, {'\\', "\\\\"}});
}

}  // namespace

std::string overview(std::size_t width) {
  std::string text = wrap(headline, 2, width, "matchcount " MATCHCOUNT_VERSION ": ") + "\n";
  text += "Usage: matchcount COMMAND FILE [options]\n\nCommands\n";
  std::vector<std::vector<std::string>> rows;
  for (const CommandSpec& command : command_table()) {
    rows.push_back({std::string(command.name), std::string(command.summary)});
  }
  text += fitted(table(rows, "  "), width) + "\nExamples\n";
  for (const std::string_view name : {"count", "permanent", "plan"}) {
    const CommandSpec* command = find_command(name);
    const Example& example = command->examples.front();
    text += command_lines(example.command, width);
    if (!example.output.empty()) text += "  " + std::string(example.output) + "\n";
  }
  const std::string_view more =
      "matchcount COMMAND --help explains a command, matchcount help OPTION an option, matchcount help status the exit "
      "status.";
  return text + "\n" + wrap(input_text(), 0, width) + "\n" + wrap(more, 0, width);
}

std::string command_help(const CommandSpec& command, bool in_full, std::size_t width) {
  constexpr std::size_t few = 2;
  std::string text = "Usage: " + usage(command) + "\n\n" + wrap(command.description, 0, width);
  text += "\nExamples\n" + examples_text(command, width, in_full ? std::string::npos : few);
  if (command.name == "generate")
    text += "\nKinds\n" + (in_full ? fitted(generators_text(), width) : wrap(joined(graph_families(), ", "), 2, width));
  const auto& [own, all] = command.options;
  text += "\nOptions\n";
  for (const std::string_view name : in_full ? all : own)
    text += option_entry(*find_option(name), in_full, command, width);
  if (!in_full) {
    const std::vector<std::string_view> common(all.begin() + static_cast<std::ptrdiff_t>(own.size()), all.end());
    text += wrap("--" + joined(common, ", --"), 2, width);
    text += "\n" + wrap("In full: matchcount " + std::string(command.name) +
                            " --help-all; one of them: matchcount help OPTION",
                        0, width);
  } else if (command.arguments.starts_with("FILE")) {
    text += "\n" + wrap(input_text(), 0, width);
  }
  return text;
}

std::string topic_help(const std::string& topic, std::size_t width) {
  if (const CommandSpec* const command = find_command(topic)) return command_help(*command, false, width);
  if (topic == "formats") return wrap(input_text(), 0, width);
  if (topic == "status") return fitted(exit_status_text(), width);
  if (find_option(topic) == nullptr) refuse_missing(topic);
  std::vector<std::string_view> topics{"formats", "status"};
  for (const CommandSpec& command : command_table()) topics.push_back(command.name);
  for (const OptionSpec& option : option_table()) topics.push_back(option.name);
  const OptionSpec* const option = find_option(topic);
  if (option == nullptr)
    throw UsageError("", "there is no topic '" + printable(topic) + "'" + suggestion(topic, topics));
  std::vector<std::string_view> commands;
  for (const CommandSpec& command : command_table()) {
    if (command.has(topic)) commands.push_back(command.name);
  }
  // Choices that have meanings stand beside them.
  const std::string choices = option->explained.empty() ? sentence_of(option->type.choices) : "";
  return option_synopsis(*option) + "\n" +
         wrap(choices + std::string(option->help) + formats_text(*option) + default_of(option->fallback) +
                  variants_text(*option),
              2, width) +
         meanings(*option, "", 4, width) + wrap("Of " + joined(commands, ", ") + ".", 2, width);
}

std::string manual_page() {
  std::string text = ".TH MATCHCOUNT 1 \"\" \"matchcount " MATCHCOUNT_VERSION "\" \"User Commands\"\n";
  text += ".SH NAME\nmatchcount \\- " + roff(headline) + "\n.SH SYNOPSIS\n";
  for (const CommandSpec& command : command_table()) {
    text += ".B matchcount " + std::string(command.name) + "\n.RI \"" + roff(command.arguments) + "\"\n.br\n";
  }
  text += ".SH DESCRIPTION\n" + roff(input_text()) + "\n.SH COMMANDS\n";
  for (const CommandSpec& command : command_table()) {
    text +=
        ".SS " + std::string(command.name) + " \\- " + roff(command.summary) + "\n" + roff(command.description) + "\n";
    if (command.name == "generate") {
      for (const GraphFamily& generator : graph_families()) {
        text += ".TP\n.B " + std::string(generator.name) + " " + std::string(generator.arguments) + "\n" +
                roff(generator.summary) + "\n";
      }
    }
    text += ".PP\nOptions:\n";
    for (const std::string_view name : command.options.all) text += "\\fB" + roff("--" + std::string(name)) + "\\fR\n";
    if (!command.default_kind.empty()) text += ".br\nDefault kind: " + std::string(command.default_kind) + ".\n";
    text += ".PP\n.nf\n" + roff(examples_text(command, std::string::npos / 2)) + ".fi\n";
  }
  text += ".SH OPTIONS\n";
  for (const OptionSpec& option : option_table()) {
    text += ".TP\n.B " + roff(option_synopsis(option)) + "\n" + roff(option_text(option)) + "\n";
  }
  text += ".SH EXIT STATUS\n";
  for (const ExitStatus& status : exit_status_table()) {
    text += ".TP\n.B " + std::to_string(status.code) + "\n" + roff(status.meaning) + "\n";
  }
  return text;
}

std::string bash_completion() {
  std::string text =
      "# bash completion for matchcount\n_matchcount() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} names=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      joined(command_table()) +
      " --help --version' -- \"$word\"))\n    return\n  fi\n"
      "  case ${COMP_WORDS[1]}:$before in\n";
  const auto add = [&](std::string_view command, const OptionSpec& option, const ValueType& type) {
    if (option.argument.empty()) return;
    text += "    " + std::string(command) + ":--" + std::string(option.name) + ") ";
    if (type.is_file) text += "COMPREPLY=($(compgen -f -- \"$word\")); ";
    if (!type.choices.empty())
      text += "COMPREPLY=($(compgen -W '" + joined(split_choices(type.choices)) + "' -- \"$word\")); ";
    text += "return ;;\n";
  };
  for (const OptionSpec& option : option_table()) {
    for (const Variant& variant : option.variants) {
      for (const std::string_view command : variant.commands) add(command, option, variant.type);
    }
    add("*", option, option.type);
  }
  text += "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const CommandSpec& command : command_table()) {
    text += "    " + std::string(command.name) + ") names='--" + joined(command.options.all, " --") + "' ;;\n";
  }
  text +=
      "  esac\n"
      "  if [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W \"$names\" -- \"$word\"))\n"
      "  elif [ \"${COMP_WORDS[1]}\" = generate ]; then\n"
      "    [ \"$COMP_CWORD\" -eq 2 ] && COMPREPLY=($(compgen -W '" +
      joined(graph_families()) +
      "' -- \"$word\"))\n"
      "  elif [ \"${COMP_WORDS[1]}\" = help ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      joined(command_table()) +
      "' -- \"$word\"))\n"
      "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n"
      "complete -o filenames -F _matchcount matchcount\n";
  return text;
}

std::string zsh_completion() {
  std::string text = "#compdef matchcount\n_matchcount() {\n  local -a commands\n  commands=(\n";
  for (const CommandSpec& command : command_table()) {
    text += "    '" + std::string(command.name) + ":" + zsh_quoted(command.summary) + "'\n";
  }
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandSpec& command : command_table()) {
    text += "    " + std::string(command.name) + ")\n      _arguments \\\n";
    for (const std::string_view name : command.options.all) {
      const OptionSpec& option = *find_option(name);
      const ValueType& type = option.type_of(command.name);
      text += "        '--" + std::string(name) + "[" + zsh_quoted(first_sentence(option.help)) + "]";
      if (!option.argument.empty()) {
        text += ":" + std::string(option.argument) + ":";
        if (type.is_file) text += "_files";
        if (!type.choices.empty()) text += "(" + joined(split_choices(type.choices)) + ")";
      }
      text += "' \\\n";
    }
    if (command.name == "generate") {
      text += "        '1:kind:(" + joined(graph_families()) + ")' '*:number:' ;;\n";
    } else if (command.name == "help") {
      text += "        '1:command:(" + joined(command_table()) + ")' ;;\n";
    } else if (command.name == "devices") {
      text += "        ;;\n";
    } else {
      text += "        '1:file:_files' ;;\n";
    }
  }
  text += "  esac\n}\n_matchcount \"$@\"\n";
  return text;
}

std::string fish_completion() {
  const auto quoted = [](std::string_view text) {
    std::string written = "'";
    for (const char c : text) written += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return written + "'";
  };
  const std::string program = "complete -c matchcount ";
  std::string text;
  for (const CommandSpec& command : command_table()) {
    const std::string name(command.name), within = program + "-n '__fish_seen_subcommand_from " + name + "' ";
    text += program + "-n __fish_use_subcommand -f -a " + name + " -d " + quoted(command.summary) + "\n";
    if (name == "generate") text += within + "-f -a '" + joined(graph_families()) + "'\n";
    if (name == "help") text += within + "-f -a '" + joined(command_table()) + "'\n";
    for (const std::string_view option_name : command.options.all) {
      const OptionSpec& option = *find_option(option_name);
      const ValueType& type = option.type_of(command.name);
      text += within + "-l " + std::string(option_name);
      if (!option.argument.empty()) text += type.is_file ? " -r -F" : " -x";
      if (!type.choices.empty()) text += " -a '" + joined(split_choices(type.choices)) + "'";
      text += " -d " + quoted(first_sentence(option.help)) + "\n";
    }
  }
  return text;
}

}  // namespace matchcount::app
