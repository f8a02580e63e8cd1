#pragma once
// Json is a value that is put together member by member, which keep their order, and then written as text.

#include <nlohmann/json.hpp>
#include <string>

// Is compiled once, in json_value.cpp.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace matchcount::app {

using Json = nlohmann::ordered_json;

// Writes it on one line, with a blank behind every comma and colon. Bytes that are not UTF-8 become U+FFFD, and numbers
// that JSON does not have null.
std::string one_line(const Json& value);

}  // namespace matchcount::app
