#pragma once
// Writes the option table as text: help, manual page, shell completion.

#include <string>

#include "apps/option_table.hpp"

namespace matchcount::app {

std::string overview();
std::string command_help(const CommandSpec& command);
std::string manual_page();
std::string bash_completion();
std::string zsh_completion();

}  // namespace matchcount::app
