#include "bench/case.hpp"

#include "apps/text.hpp"

namespace matchcount::bench {

std::string formatted(const char* pattern, std::optional<double> value) {
  return value ? app::formatted(pattern, *value) : "-";
}

Field::Field(std::string its_key, std::optional<double> number, std::string its_title, const char* pattern)
    : key(std::move(its_key)),
      value(number ? app::Json(*number) : app::Json()),
      title(std::move(its_title)),
      text(formatted(pattern, number)) {}

Field::Field(std::string its_key, std::string words, std::string its_title)
    : key(std::move(its_key)), value(words), title(std::move(its_title)), text(std::move(words)) {}

}  // namespace matchcount::bench
