#include "core/bytes.hpp"

#include <cstdio>

namespace matchcount {

std::string Hash::hex() const {
  char text[33];
  const Value v = value();
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(v.first),
                static_cast<unsigned long long>(v.second));
  return text;
}

}  // namespace matchcount
