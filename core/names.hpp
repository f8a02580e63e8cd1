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

// A name of `value`, as printed.
template <class Enum>
constexpr auto to_string(Enum value) -> decltype(Names<Enum>::what) {
  for (const auto& named : Names<Enum>::all) {
    if (named.value == value) return named.name;
  }
  return "";
}

// "auto, frontier or ryser": what can be asked for.
template <class Enum>
std::string list_of_names() {
  std::string list, last;
  const Enum* before = nullptr;
  for (const auto& named : Names<Enum>::all) {
    const bool alias = before && *before == named.value;
    before = &named.value;
    if (alias || !named.can_be_asked_for) continue;
    if (!last.empty()) list += (list.empty() ? "" : ", ") + last;
    last = named.name;
  }
  return list.empty() ? last : list + " or " + last;
}

// The value of that name. Throws InputError, naming those that there are.
template <class Enum>
Enum from_string(std::string_view name) {
  for (const auto& named : Names<Enum>::all) {
    if (named.name == name && named.can_be_asked_for) return named.value;
  }
  throw InputError(std::string(Names<Enum>::what) + " \"" + std::string(name) + "\"", list_of_names<Enum>());
}

}  // namespace matchcount
