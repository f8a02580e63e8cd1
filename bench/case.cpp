#include "bench/case.hpp"

#include <cstdio>

namespace matchcount::bench {

std::string formatted(const char* pattern, std::optional<double> value) {
  if (!value) return "-";
  char text[64];
  std::snprintf(text, sizeof text, pattern, *value);
  return text;
}

Field::Field(std::string its_key, std::optional<double> number, std::string its_title, const char* pattern)
    : key(std::move(its_key)),
      value(number ? app::Json(*number) : app::Json()),
      title(std::move(its_title)),
      text(formatted(pattern, number)) {}

Field::Field(std::string its_key, std::string words, std::string its_title)
    : key(std::move(its_key)), value(words), title(std::move(its_title)), text(std::move(words)) {}

}  // namespace matchcount::bench
