#include "permanent/engine/methods.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "permanent/rooms.hpp"

namespace matchcount {
namespace {

// Published forms of inclusion-exclusion never beat the staged one.
MethodEntry subset_method(Method method, bool competes) {
  MethodVerbs verbs = ryser_method();
  if (method != Method::ryser) verbs.way = nullptr;
  return {.method = method,
          .room = "ryser",
          .verbs = verbs,
          .scale = &Throughput::ryser_scale,
          .takes_odd_cycles = false,
          .has_kernels_for_gpus = true,
          .competes = competes,
          .integers_on_any_device = true};
}

}  // namespace

std::span<const MethodEntry> methods() {
  static const MethodEntry table[] = {
      {.method = Method::planar,
       .room = "planar",
       .verbs = planar_method(),
       .scale = &Throughput::ryser_scale,
       .scales = true},
      {.method = Method::complement,
       .room = "complement",
       .verbs = complement_method(),
       .scale = &Throughput::frontier_scale,
       .scales = true},
      {.method = Method::classes,
       .room = "classes",
       .verbs = classes_method(),
       .scale = &Throughput::frontier_scale,
       .scales = true},
      {.method = Method::low_rank,
       .room = "low_rank",
       .verbs = low_rank_method(),
       .scale = &Throughput::frontier_scale,
       .takes_odd_cycles = false},
      {.method = Method::trees, .room = "trees", .verbs = trees_method(), .scale = &Throughput::frontier_scale},
      {.method = Method::cuts, .room = "cuts", .verbs = cuts_method()},
      {.method = Method::power_traces,
       .room = "power_traces",
       .verbs = power_traces_method(),
       .scale = &Throughput::ryser_scale,
       .has_kernels_for_gpus = true,
       .integers_on_any_device = true,
       .reals_on_any_device = true},
      {.method = Method::frontier,
       .room = "frontier",
       .verbs = frontier_method(),
       .scale = &Throughput::frontier_scale,
       .has_kernels_for_gpus = true,
       .integers_on_any_device = true},
      subset_method(Method::staged, true),
      subset_method(Method::skipper, false),
      subset_method(Method::sparyser, false),
      subset_method(Method::ryser, false),
      {.method = Method::forbert_marx,
       .room = "ryser",  // whose sums its terms are
       .verbs = forbert_marx_method(),
       .scale = &Throughput::ryser_scale,
       .takes_odd_cycles = false,
       .competes = false,
       .listed = false},
      {.method = Method::expansion, .room = "reference", .verbs = expansion_method(), .competes = false},
  };
  return table;
}

const MethodEntry& entry_of(Method method) {
  const auto table = methods();
  const auto found = std::ranges::find(table, method, &MethodEntry::method);
  if (found == table.end()) throw Error("no method " + std::string(to_string(method)));
  return *found;
}

}  // namespace matchcount
