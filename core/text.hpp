#pragma once
// Writes numbers, counts of things and tables as text.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcount {

std::string format_count(std::uint64_t count, std::string_view singular,
                         std::string_view plural);  // "1 edge", "12 edges"
// Writes a number as printf does: "%.3g".
std::string formatted(const char* pattern, double value);
// Writes seconds as time_amount does, below a tenth of a millisecond in microseconds.
std::string short_time(double seconds);
// Writes other texts in place of some characters.
std::string replaced(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> by);
// Rows of cells as columns that line up, two blanks apart; the last column is not padded.
std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view indent);

}  // namespace matchcount
