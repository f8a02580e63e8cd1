#pragma once
// Lists the methods: everything that the engine knows of one, apart from what the method itself says.

#include <span>
#include <string_view>

#include "permanent/method.hpp"

namespace matchcount {

struct MethodEntry {
  Method method;
  std::string_view room;  // methods of one room share code, and do not verify each other
  MethodVerbs verbs;
  // The factor that turns its seconds on a CPU into this machine's; null: they are taken as they are.
  double Throughput::*scale = nullptr;
  bool takes_odd_cycles = true;
  bool scales = false;  // entries, where single matchings are asked for, itself
  bool has_kernels_for_gpus = false;
  // Says whether a count compares it with others by itself; else it runs if it is named.
  bool competes = true;
  bool listed = true;  // in plans that are for no method by name
  // Say whether CPUs and GPUs resume each other's partial results: of integers, of reals and complex numbers.
  bool integers_on_any_device = false, reals_on_any_device = false;
};

// Lists the methods in the order in which they are planned: each tells the next what is of no use. Expansion is last.
std::span<const MethodEntry> methods();
const MethodEntry& entry_of(Method method);

}  // namespace matchcount
