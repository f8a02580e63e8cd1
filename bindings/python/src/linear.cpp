#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "binding.hpp"

namespace matchcount::python {
namespace {

bool is_odd(const Graph& graph, bool weighted, nb::dict given) {
  refuse_options(given, {"precision", "seed"});
  RunOptions options = take_run(given);
  refuse_rest(given);
  Interruptible interruptible(options, nb::none());
  const RunContext run(options);
  return interruptible([&] {
    return graph.visit(weighted || graph.weights_are_multiplicities, [&](const auto& within) {
      if constexpr (std::is_same_v<std::decay_t<decltype(within)>, BipartiteGraph>)
        return permanent_is_odd(within, run);
      else
        return hafnian_is_odd(within, run);
    });
  });
}

Digraph digraph_of(const Graph& graph) {
  return Digraph::from_arcs(graph.bipartite.num_rows(), graph.bipartite.edges());
}

std::uint64_t reachable_pairs(const Graph& graph, nb::dict given) {
  refuse_options(given, {"precision", "seed"});
  RunOptions options = take_run(given);
  refuse_rest(given);
  Interruptible interruptible(options, nb::none());
  const RunContext run(options);
  return interruptible([&] { return count_reachable_pairs(condensation(digraph_of(graph), run), run); });
}

std::vector<std::vector<Vertex>> strong_components(const Graph& graph, nb::dict given) {
  refuse_options(given, {"precision", "seed", "device", "threads"});
  RunOptions options = take_run(given);
  refuse_rest(given);
  Interruptible interruptible(options, nb::none());
  const RunContext run(options);
  return interruptible([&] {
    const Condensation components = condensation(digraph_of(graph), run);
    std::vector<std::vector<Vertex>> members;
    for (Vertex c = 0; c < components.num_components(); ++c)
      members.emplace_back(components.members(c).begin(), components.members(c).end());
    return members;
  });
}

std::vector<Vertex> reachable(const Graph& graph, Vertex source, nb::dict given) {
  refuse_options(given, {"precision", "seed", "device", "threads"});
  RunOptions options = take_run(given);
  refuse_rest(given);
  Interruptible interruptible(options, nb::none());
  const RunContext run(options);
  return interruptible([&] { return reachable_from(digraph_of(graph), source, run); });
}

nb::list devices() {
  const FoundDevices found = [] {
    const nb::gil_scoped_release release;
    return find_devices();
  }();
  nb::list result;
  for (const DeviceInfo& device : found.devices) {
    nb::dict entry;
    entry["index"] = device.index;
    entry["name"] = device.name;
    entry["compute_capability"] = nb::make_tuple(device.major, device.minor);
    entry["multiprocessors"] = device.multiprocessors;
    entry["memory_bytes"] = device.memory_bytes;
    result.append(entry);
  }
  return result;
}

}  // namespace

void add_linear(nb::module_& module) {
  module.def("is_odd", &is_odd);
  module.def("reachable_pairs", &reachable_pairs);
  module.def("strong_components", &strong_components);
  module.def("reachable", &reachable);
  module.def("devices", &devices);
}

}  // namespace matchcount::python
