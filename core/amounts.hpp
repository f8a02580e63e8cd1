#pragma once
// Writes amounts of memory and time for messages: three digits and a unit that keeps them short.

#include <sstream>
#include <string>

namespace matchcount {

// "0.977 KiB" to "977 GiB"; powers of 1024.
inline std::string memory_amount(double bytes) {
  std::ostringstream text;
  text.precision(3);
  if (bytes < 1048576) {
    text << bytes / 1024 << " KiB";
  } else if (bytes < 1e9) {
    text << bytes / 1048576 << " MiB";
  } else {
    text << bytes / 1073741824 << " GiB";
  }
  return text.str();
}

}  // namespace matchcount
