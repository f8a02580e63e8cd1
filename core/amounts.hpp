#pragma once
// Writes amounts of memory and time for messages: a unit that people read, and few digits.

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>

namespace matchcount {

// Writes "12 B", "1.5 GiB"; units are powers of 1024.
inline std::string memory_amount(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  std::ostringstream text;
  text.precision(3);
  text << bytes << ' ' << units[unit];
  return text.str();
}

// Writes "0.8 ms", "12 s", "3.4 h", "2e+09 years".
inline std::string time_amount(double seconds) {
  if (std::isnan(seconds)) return "?";
  const auto amount = [](double value, const char* unit) {
    char text[64];
    std::snprintf(text, sizeof text, value < 9.95 ? "%.1f %s" : value < 1e6 ? "%.0f %s" : "%.0e %s", value, unit);
    return std::string(text);
  };
  constexpr double hour = 3600, day = 24 * hour;
  if (seconds < 0.9995) return amount(seconds * 1e3, "ms");
  if (seconds < 120) return amount(seconds, "s");
  if (seconds < 2 * hour) return amount(seconds / 60, "min");
  if (seconds < 2 * day) return amount(seconds / hour, "h");
  if (seconds < 730 * day) return amount(seconds / day, "days");
  return amount(seconds / (365.25 * day), "years");
}

}  // namespace matchcount
