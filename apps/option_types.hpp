#pragma once
// Makes the types of options: what a value may be, and into which member of Options it goes.
//
//   {"threads", "N", whole(into(&RunOptions::num_threads), 1, 1024), "all cores", "Number of threads."}

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "apps/options.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/names.hpp"

namespace matchcount::app {

// Throws InputError: `option` can't have that value.
[[noreturn]] void refuse(std::string_view option, const std::string& value, const std::string& expected);
// The same where one of some names is expected, of which the nearest is suggested.
[[noreturn]] void refuse_choice(std::string_view option, const std::string& value, std::string_view choices);

// Gives the part of the options that has such members.
template <class Part>
Part& part_of(Options& options) {
  return std::get<Part&>(std::tie(options, options.input, options.count, options.count.run, options.determinant,
                                  options.estimate, options.distribution_estimate, options.checkpoint));
}

// Leads from the options to a member of them or of a part of them.
template <class Part, class T>
auto into(T Part::*member) {
  return [=](Options& options) -> T& { return part_of<Part>(options).*member; };
}

// Gives the type of what `into` leads to; of an optional, that of its value.
template <class T>
struct ValueIn {
  using Type = T;
};
template <class T>
struct ValueIn<std::optional<T>> {
  using Type = T;
};
template <class Into>
using Target = typename ValueIn<std::remove_cvref_t<std::invoke_result_t<Into, Options&>>>::Type;

// Sets a truth where the flag is given.
template <class Into>
ValueType flag(Into into, bool value = true) {
  return {.read = [=](Options& options, std::string_view, const std::string&) { into(options) = value; }};
}

template <class Into>
ValueType whole(Into into, Target<Into> least, Target<Into> most = std::numeric_limits<Target<Into>>::max()) {
  return {.read = [=](Options& options, std::string_view name, const std::string& text) {
    const auto number = parse_number<Target<Into>>(text);
    if (!number || *number < least || *number > most)
      refuse(name, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    into(options) = *number;
  }};
}

// Takes a number beyond `least` and below `most`; infinity is below infinity where `most` is left out.
template <class Into>
ValueType real(Into into, const char* expected, double least, std::optional<double> most = {}) {
  return {.read = [=](Options& options, std::string_view name, const std::string& text) {
    const auto number = parse_number<double>(text);
    if (!number || !(*number > least) || (most && !(*number < *most))) refuse(name, text, expected);
    into(options) = *number;
  }};
}

// Any text but none.
template <class Into>
ValueType word(Into into, const char* expected, bool is_file = false) {
  return {.is_file = is_file, .read = [=](Options& options, std::string_view name, const std::string& text) {
            if (text.empty()) refuse(name, text, expected);
            into(options) = text;
          }};
}

// Returns the names that can be asked for, separated by '|'.
template <class Enum>
std::string_view names_of() {
  static const std::string text = [] {
    std::string joined;
    for (const std::string_view name : names_to_ask_for<Enum>())
      joined += (joined.empty() ? "" : "|") + std::string(name);
    return joined;
  }();
  return text;
}

// One of the values of an enumeration by its name, or an alias of it.
template <class Into, class Enum = Target<Into>>
ValueType one_of(Into into, std::string_view choices = names_of<Enum>()) {
  return {.choices = choices, .read = [=](Options& options, std::string_view name, const std::string& text) {
            const auto listed = split_choices(choices);
            for (const auto& named : Names<Enum>::all) {
              if (named.name != text || std::ranges::count(listed, to_string(named.value)) == 0) continue;
              into(options) = named.value;
              return;
            }
            refuse_choice(name, text, choices);
          }};
}

// One of some words, which `take` takes into the options.
template <class Take>
ValueType chosen(std::string_view choices, Take take) {
  return {.choices = choices, .read = [=](Options& options, std::string_view name, const std::string& text) {
            const auto listed = split_choices(choices);
            if (std::ranges::count(listed, text) == 0) refuse_choice(name, text, choices);
            take(options, text);
          }};
}

}  // namespace matchcount::app
