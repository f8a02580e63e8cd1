#pragma once
// Json is a value that is put together member by member and then written as text.
//
// Only json_value.cpp includes the library that knows how numbers and strings are written: its one header takes seconds
// in every source.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace matchcount::app {

class Json {
 public:
  Json();  // null
  Json(std::nullptr_t) : Json() {}
  Json(bool value);
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value)
      : Json(std::conditional_t<std::is_signed_v<T>, Signed, Unsigned>{value}) {}
  Json(double value);
  Json(std::string value);
  Json(std::string_view value) : Json(std::string(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  Json(const std::vector<std::string>& values);
  // An object where every part is a key with a value, else an array.
  Json(std::initializer_list<Json> parts);
  static Json array(std::initializer_list<Json> elements = {});

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  // Returns the member of that name, which is put behind the others where it is new. null becomes an object. Valid
  // until the next.
  Json& operator[](std::string_view key);
  // Puts the members of an object, or of null none, behind these.
  void add(Json members);
  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  // Appends an element to an array. null becomes one.
  void push_back(Json element);
  // Gives the string that a member is; requires that it is one.
  const std::string& text_of(std::string_view key) const;

  // Writes it as text: on one line, or a line for every member and element, by two blanks further to the right a level.
  // Bytes that are not UTF-8 become U+FFFD, and numbers that JSON does not have null.
  enum class Layout { line, indented };
  std::string dump(Layout layout = Layout::indented) const;

 private:
  struct Signed {
    std::int64_t value;
  };
  struct Unsigned {
    std::uint64_t value;
  };
  struct Object {
    std::vector<std::string> keys;
    std::vector<Json> values;
  };
  using Array = std::vector<Json>;
  explicit Json(Signed value);
  explicit Json(Unsigned value);
  void append_to(std::string& text, Layout layout, std::size_t indent) const;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

}  // namespace matchcount::app
