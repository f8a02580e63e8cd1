#include "apps/json_value.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace matchcount::app {
namespace {

template <class T>
std::string scalar_text(const T& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Json::Json() = default;
Json::Json(bool value) : value_(value) {}
Json::Json(Signed value) : value_(value.value) {}
Json::Json(Unsigned value) : value_(value.value) {}
Json::Json(double value) : value_(value) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(const std::vector<std::string>& values) : value_(Array(values.begin(), values.end())) {}

Json::Json(std::initializer_list<Json> parts) {
  const bool is_object = std::all_of(parts.begin(), parts.end(), [](const Json& part) {
    const auto* const pair = std::get_if<Array>(&part.value_);
    return pair != nullptr && pair->size() == 2 && std::holds_alternative<std::string>(pair->front().value_);
  });
  if (!is_object) {
    value_ = Array(parts);
    return;
  }
  value_ = Object{};
  for (const Json& part : parts) {
    const auto& pair = std::get<Array>(part.value_);
    (*this)[std::get<std::string>(pair.front().value_)] = pair.back();
  }
}

Json Json::array(std::initializer_list<Json> elements) {
  Json result;
  result.value_ = Array(elements);
  return result;
}

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object{};
  auto& [keys, values] = std::get<Object>(value_);
  const auto place = std::find(keys.begin(), keys.end(), key) - keys.begin();
  if (static_cast<std::size_t>(place) < keys.size()) return values[static_cast<std::size_t>(place)];
  keys.emplace_back(key);
  return values.emplace_back();
}

void Json::add(Json members) {
  if (members.is_null()) return;
  auto& [keys, values] = std::get<Object>(members.value_);
  for (std::size_t i = 0; i < keys.size(); ++i) (*this)[keys[i]] = std::move(values[i]);
}

void Json::push_back(Json element) {
  if (is_null()) value_ = Array{};
  std::get<Array>(value_).push_back(std::move(element));
}

const std::string& Json::text_of(std::string_view key) const {
  const auto& [keys, values] = std::get<Object>(value_);
  const auto place = std::find(keys.begin(), keys.end(), key) - keys.begin();
  return std::get<std::string>(values.at(static_cast<std::size_t>(place)).value_);
}

std::string Json::dump(Layout layout) const {
  std::string text;
  append_to(text, layout, 0);
  return text;
}

void Json::append_to(std::string& text, Layout layout, std::size_t indent) const {
  const auto new_line = [&](std::size_t blanks) {
    if (layout == Layout::indented) text.append("\n").append(blanks, ' ');
  };
  const auto append_all = [&](char begin, char end, const std::vector<std::string>* keys, const Array& values) {
    text += begin;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) text += layout == Layout::indented ? "," : ", ";
      new_line(indent + 2);
      if (keys != nullptr) text += scalar_text((*keys)[i]) + ": ";
      values[i].append_to(text, layout, indent + 2);
    }
    if (!values.empty()) new_line(indent);
    text += end;
  };
  if (const auto* const elements = std::get_if<Array>(&value_)) {
    append_all('[', ']', nullptr, *elements);
  } else if (const auto* const object = std::get_if<Object>(&value_)) {
    append_all('{', '}', &object->keys, object->values);
  } else if (const auto* const string = std::get_if<std::string>(&value_)) {
    text += scalar_text(*string);
  } else if (const auto* const real = std::get_if<double>(&value_)) {
    text += scalar_text(*real);
  } else if (const auto* const integer = std::get_if<std::int64_t>(&value_)) {
    text += scalar_text(*integer);
  } else if (const auto* const natural = std::get_if<std::uint64_t>(&value_)) {
    text += scalar_text(*natural);
  } else if (const auto* const truth = std::get_if<bool>(&value_)) {
    text += scalar_text(*truth);
  } else {
    text += "null";
  }
}

}  // namespace matchcount::app
