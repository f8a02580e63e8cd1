#pragma once
// Runs the frontier method on a GPU, modulo primes or in doubles: the kernels of step_kernels.cuh, layer after layer in
// one array; or on several GPUs that reach each other, each of which holds a part of every layer (cpu/placement.hpp).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/run.hpp"

namespace matchcount::gpu {

KernelImage frontier_image();
// Says whether the kernels run on all of these; in a build without CUDA, where plans alone have any, that they would.
bool frontier_runs_on(const std::vector<DeviceInfo>& gpus);

// Returns the states of the largest layer and the one after it, which stand side by side if there is room for both; of
// several members, the most that one has of them.
std::size_t side_by_side_states(const FrontierSteps& steps, std::size_t members = 1);
// Says whether arrays of so many states, one for each member, suffice for every step, each made in place. That is
// slower: milliseconds for a step.
bool fits_in_place(const FrontierSteps& steps, std::size_t members, std::size_t states);
// Predicts what members do together: transitions of the busiest, and the states that it gives and gets, all told.
struct TeamWork {
  double transitions = 0, moved = 0;
  std::size_t exchanges = 0;
};
TeamWork team_work(const FrontierSteps& steps, std::size_t members);

// A device with its kernels and an array for layers, kept from pass to pass. Or several that make each layer together.
class FrontierDevice {
 public:
  // Throws Unable where there is no memory for `span` states of each of `planes`, of so many bytes each, on each
  // device.
  FrontierDevice(const std::vector<DeviceContext>& contexts, int planes, std::size_t span, std::size_t bytes_of_slot);
  ~FrontierDevice();

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};
// Returns how many of so many free bytes of a device, one of several, its array may take.
double bytes_for_layers(double free_bytes, std::size_t members);

// Describes a step that was made, or an exchange between two, and the time it took.
struct StepTime {
  std::uint32_t width = 0;             // of the new layer
  unsigned choices = 0;                // that lead to its states; 0: this is an exchange
  bool gathered = false;               // low bits were touched
  bool in_place = false;               // else the two layers stood side by side
  double states = 0, transitions = 0;  // of the new layer, and of the single steps that are joined in it
  double exchanged_bytes = 0;          // each way between two devices, of all pairs
  double seconds = 0;                  // by the first device's clock
};

// Returns the residues of the one state that is left, modulo the primes of `number`, at most as many as the device has
// planes; as Drive::run. Adds to `times` the steps that were made on the device. Slot: std::uint32_t or std::uint16_t.
template <class Slot>
std::vector<std::uint32_t> run_on_gpu(const FrontierSteps& steps, ResiduesOf<Slot>& number, FrontierDevice& device,
                                      const RunContext& run, std::string name, const std::string& description,
                                      ShareOfRuns share, std::vector<StepTime>* times = nullptr);

// Returns the doubles of that state.
std::vector<double> run_on_gpu(const FrontierSteps& steps, Floats& number, FrontierDevice& device,
                               const RunContext& run, std::string name, const std::string& description);

}  // namespace matchcount::gpu
