#pragma once
// Runs the frontier method on a GPU, modulo primes or in doubles: the kernels of step_kernels.cuh, layer after layer in
// one array, on the device or on several that reach each other.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "permanent/frontier/cpu/lean.hpp"
#include "permanent/frontier/cpu/numbers.hpp"

namespace matchcount::gpu {

KernelImage frontier_image();
// Says whether the kernels run on all of these.
bool frontier_runs_on(const std::vector<DeviceInfo>& gpus);

// Returns the states of the largest layer and the one after it, which stand side by side if there is room for both.
std::size_t side_by_side_states(const FrontierSteps& steps);
// Returns the states of an array in which each step is made in place. That is slower: milliseconds for a step.
std::size_t in_place_states(const FrontierSteps& steps);

// A device with its kernels and an array for layers, kept from pass to pass. Or several, which share the array and make
// each layer together.
class FrontierDevice {
 public:
  // Throws Unable where there is no memory for `span` states of each of `planes`, of so many bytes each.
  FrontierDevice(const std::vector<DeviceContext>& contexts, int planes, std::size_t span, std::size_t bytes_of_slot);
  ~FrontierDevice();

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};
// Returns how many of so many free bytes of devices the array may take.
double bytes_for_layers(double free_bytes);

// Describes a step that was made, and the time it took.
struct StepTime {
  std::uint32_t width = 0;             // of the new layer
  unsigned choices = 0;                // that lead to its states
  bool gathered = false;               // low bits were touched
  bool in_place = false;               // else the two layers stood side by side
  double states = 0, transitions = 0;  // of the new layer, and into it
  double seconds = 0;                  // by the device's clock
};

// Returns the residues of the one state that is left, modulo the primes of `number`, at most as many as the device has
// planes; as Drive::run. Adds to `times` the steps that were made on the device.
std::vector<std::uint32_t> run_on_gpu(const FrontierSteps& steps, Residues& number, FrontierDevice& device,
                                      const RunContext& run, std::string name, const std::string& description,
                                      ShareOfRuns share, std::vector<StepTime>* times = nullptr);

// Returns the doubles of that state.
std::vector<double> run_on_gpu(const FrontierSteps& steps, Floats& number, FrontierDevice& device,
                               const RunContext& run, std::string name, const std::string& description);

}  // namespace matchcount::gpu
