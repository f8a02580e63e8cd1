#include "apps/json_value.hpp"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace matchcount::app {
namespace {

std::string scalar_text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

void append(std::string& text, const Json& value) {
  if (!value.is_structured()) {
    text += scalar_text(value);
    return;
  }
  const char* separator = "";
  text += value.is_object() ? '{' : '[';
  for (auto member = value.begin(); member != value.end(); ++member) {
    text += separator;
    if (value.is_object()) text += scalar_text(member.key()) + ": ";
    append(text, *member);
    separator = ", ";
  }
  text += value.is_object() ? '}' : ']';
}

}  // namespace

std::string one_line(const Json& value) {
  std::string text;
  append(text, value);
  return text;
}

}  // namespace matchcount::app
