#pragma once
// Lists the methods: what the engine knows of them is what they say of themselves (MethodVerbs).

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "permanent/method.hpp"

namespace matchcount {

struct MethodEntry : MethodVerbs {
  Method method;
  std::string_view room;  // methods of one room share code, and do not verify each other
};

// Lists the methods in the order in which they are planned: each tells the next what is of no use. Expansion is last.
std::span<const MethodEntry> methods();
// Throws InputError for what is no method, but a result's or none by name.
const MethodEntry& entry_of(Method method);

// Returns the one method of which a fact holds, `&MethodEntry::takes_every_block`.
template <class Fact>
const MethodEntry& entry_with(Fact fact) {
  return *std::ranges::find_if(methods(), fact);
}

// Returns the method that sums up matchings so.
Method method_of(MatchingsBy by);

// Returns the names of all methods of which a fact holds, as people see them.
template <class Fact>
std::vector<std::string_view> names_with(Fact fact) {
  std::vector<std::string_view> names;
  for (const auto& [method, name, can_be_asked_for] : Names<Method>::all)
    if (can_be_asked_for && method != Method::automatic && std::invoke(fact, entry_of(method))) names.push_back(name);
  return names;
}

}  // namespace matchcount
