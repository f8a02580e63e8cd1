#pragma once
// Gives the values of an enumeration their names, in one table for all who print or read them.
//
//   template <>
//   struct Names<Colour> {
//     static constexpr std::string_view what = "colour";
//     static constexpr Named<Colour> all[] = {{Colour::red, "red"}, {Colour::red, "crimson"}, {Colour::blue, "blue"}};
//   };
//
// The first name of a value is the one that is printed; all of them are read.

#include <string>
#include <string_view>
#include <vector>

#include "core/api.hpp"
#include "core/error.hpp"

namespace MATCHCOUNT_API matchcount {

template <class Enum>
struct Named {
  Enum value;
  std::string_view name;
  bool can_be_asked_for = true;  // else it is a result alone, and not read
};

template <class Enum>
struct Names;

// Returns a name of `value`, as printed.
template <class Enum>
constexpr auto to_string(Enum value) -> decltype(Names<Enum>::what) {
  for (const auto& named : Names<Enum>::all) {
    if (named.value == value) return named.name;
  }
  return "";
}

// Returns the names that can be asked for, aliases left out.
template <class Enum>
std::vector<std::string_view> names_to_ask_for() {
  std::vector<std::string_view> names;
  for (const auto& named : Names<Enum>::all) {
    if (named.can_be_asked_for && to_string(named.value) == named.name) names.push_back(named.name);
  }
  return names;
}

// Writes "auto, frontier or ryser"
std::string listed(const std::vector<std::string_view>& names);

// Returns the value of that name. Throws InputError, naming those that there are.
template <class Enum>
Enum from_string(std::string_view name) {
  for (const auto& named : Names<Enum>::all) {
    if (named.name == name && named.can_be_asked_for) return named.value;
  }
  throw InputError(std::string(Names<Enum>::what) + " \"" + std::string(name) + "\"", listed(names_to_ask_for<Enum>()));
}

}  // namespace matchcount
