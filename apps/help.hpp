#pragma once
// Writes the option table as text: help, manual page, shell completion.

#include <string>

#include "apps/option_table.hpp"

namespace matchcount::app {

// Explains the program, in lines of at most so many columns, as all help is.
std::string overview(std::size_t width);
// Explains a command on one screen, or with every option and example in full.
std::string command_help(const CommandSpec& command, bool in_full, std::size_t width);
// Explains a command, an option, formats or status. Throws UsageError where there is no such topic.
std::string topic_help(const std::string& topic, std::size_t width);
std::string manual_page();
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace matchcount::app
