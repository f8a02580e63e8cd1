#pragma once
// Writes amounts of memory for messages: three digits and a unit that keeps them short.

#include <cstddef>
#include <iterator>
#include <sstream>
#include <string>

namespace matchcount {

// "12 B", "1.5 GiB"; units are powers of 1024.
inline std::string memory_amount(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  std::ostringstream text;
  text.precision(3);
  text << bytes << ' ' << units[unit];
  return text.str();
}

}  // namespace matchcount
