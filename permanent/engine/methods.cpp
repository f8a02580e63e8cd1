#include "permanent/engine/methods.hpp"

#include <string>

#include "core/error.hpp"
#include "permanent/rooms.hpp"

namespace matchcount {

std::span<const MethodEntry> methods() {
  static const MethodEntry table[] = {
      {planar_method(), Method::planar, "planar"},
      {complement_method(), Method::complement, "complement"},
      {classes_method(), Method::classes, "classes"},
      {low_rank_method(), Method::low_rank, "low_rank"},
      {trees_method(), Method::trees, "trees"},
      {cuts_method(), Method::cuts, "cuts"},
      {power_traces_method(), Method::power_traces, "power_traces"},
      {frontier_method(), Method::frontier, "frontier"},
      {ryser_method(Method::staged), Method::staged, "ryser"},
      {ryser_method(Method::skipper), Method::skipper, "ryser"},
      {ryser_method(Method::sparyser), Method::sparyser, "ryser"},
      {ryser_method(Method::ryser), Method::ryser, "ryser"},
      {forbert_marx_method(), Method::forbert_marx, "ryser"},  // whose sums its terms are
      {expansion_method(), Method::expansion, "reference"}};
  return table;
}

const MethodEntry& entry_of(Method method) {
  const auto table = methods();
  const auto found = std::ranges::find(table, method, &MethodEntry::method);
  if (found == table.end())
    throw InputError("the method " + std::string(to_string(method)), listed(names_to_ask_for<Method>()));
  return *found;
}

Method method_of(MatchingsBy by) {
  return entry_with([by](const MethodEntry& entry) { return entry.matchings == by; }).method;
}

}  // namespace matchcount
