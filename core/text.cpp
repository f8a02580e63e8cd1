#include "core/text.hpp"

#include <algorithm>
#include <cstdio>

#include "core/amounts.hpp"

namespace matchcount {

std::string format_count(std::uint64_t count, std::string_view singular, std::string_view plural) {
  return std::to_string(count) + " " + std::string(count == 1 ? singular : plural);
}

std::string formatted(const char* pattern, double value) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string short_time(double seconds) {
  return !(seconds < 9.9e-5) || seconds == 0 ? time_amount(seconds) : formatted("%.2g us", 1e6 * seconds);
}

std::string replaced(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> by) {
  std::string out;
  for (const char& c : text) {
    const auto* const found = std::ranges::find(by, c, &std::pair<char, std::string_view>::first);
    out += found == by.end() ? std::string_view(&c, 1) : found->second;
  }
  return out;
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace matchcount
