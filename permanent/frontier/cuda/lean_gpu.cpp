// A layer stands at one end of the array, and the next is written to the other, from its far end on. Where the two fit
// side by side a step is one launch. Elsewhere it is in place, by pieces of the same highest bits (cpu/in_place.cpp):
// as many as may be made at once are one launch, and launches follow each other. Whoever stands at the front is read
// downwards, whoever stands at the end upwards; so the next layer again has an end to itself.
//
// Devices that share the array take equal parts of each launch, and wait for each other before the next. Parts of the
// array lie on them in turn, so that whatever a launch works on, all their memories serve it.

#include "permanent/frontier/cuda/lean_gpu.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/error.hpp"
#include "permanent/frontier/cuda/lean_gpu_run.hpp"
#include "permanent/frontier/cuda/step_tables.hpp"

namespace matchcount::gpu {
namespace {

constexpr double share_of_free_memory = 0.98, bytes_of_tables = 1 << 24;
// A piece is many blocks of threads; as for so many threads of a CPU, a few of which a launch makes at once.
constexpr int threads_of_walk = 32;
// Low bits that are touched cost less than short blocks (6 x 6 x 6: twice as many transitions a second).
constexpr std::uint32_t least_low = max_low_positions;
// Blocks of threads that a launch should have for each multiprocessor.
constexpr std::uint64_t blocks_wanted = 8;
constexpr std::uint64_t least_highs = 8;

}  // namespace

std::optional<InPlaceStep> fitting_step(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices,
                                        std::size_t t, const std::vector<Vertex>& layout, std::size_t span,
                                        bool at_front, std::uint32_t max_bits) {
  InPlaceStep step =
      step_in_place(steps, touches, indices, t, layout, span, at_front, max_bits, threads_of_walk, true, least_low);
  if (step.walk.span > span) return std::nullopt;
  const auto room = static_cast<std::ptrdiff_t>(span);
  step.walk.span = span;
  step.walk.shift = at_front ? room - static_cast<std::ptrdiff_t>(step.new_states)
                             : static_cast<std::ptrdiff_t>(step.old_states) - room;
  if (step.old_states + step.new_states <= span) step.walk.num_bits = 0;  // one launch
  return step;
}

double transitions_of(const DenseStep& step, const StateIndices& indices) {
  const DenseStep::Shape target = step.target_shape();
  double transitions = 0;
  for (const DenseStep::Choice& choice : step.choices()) {
    const std::uint32_t tested = count_ones(choice.low.test) + count_ones(choice.high.test);
    const std::uint32_t rest = indices.rest(target.of_class, choice.low.expect | choice.high.expect << target.low);
    if (tested <= target.width) transitions += static_cast<double>(indices.count(target.width - tested, rest));
  }
  return transitions;
}

LaunchShape launch_shape(std::uint64_t num_highs, unsigned num_numbers, const DeviceInfo& device) {
  const std::uint64_t wanted = blocks_wanted * static_cast<std::uint64_t>(device.multiprocessors);
  LaunchShape shape;
  shape.highs = static_cast<unsigned>(std::clamp<std::uint64_t>(num_highs / wanted, least_highs, frontier_highs));
  const std::uint64_t groups = (num_highs + shape.highs - 1) / shape.highs;
  shape.splits = static_cast<unsigned>(std::clamp<std::uint64_t>(wanted / groups, 1, num_numbers));
  shape.blocks = groups * shape.splits;
  return shape;
}

StepNumbers numbers_of(const Residues& number) {
  StepNumbers numbers;
  numbers.primes = number.primes();
  numbers.count = static_cast<unsigned>(numbers.primes.size());
  bool weighted = false;
  for (const ResidueWeight weight : number.weights()) {
    numbers.weights.push_back(std::uint64_t{weight.quotient} << 32 | weight.factor);
    weighted = weighted || weight.factor != 1;
  }
  numbers.kernel = weighted ? "frontier_weigh" : "frontier_add";
  return numbers;
}

StepNumbers numbers_of(const Floats& number) {
  StepNumbers numbers;
  numbers.words_of_weight = static_cast<unsigned>(number.source_planes());
  for (const double weight : number.weights()) numbers.weights.push_back(std::bit_cast<std::uint64_t>(weight));
  constexpr const char* kernels[] = {"frontier_real", "frontier_double_double", "frontier_complex",
                                     "frontier_complex_double_double"};
  numbers.kernel = kernels[static_cast<int>(number.kind())];
  return numbers;
}

FrontierDevice::FrontierDevice(const std::vector<DeviceContext>& contexts, int planes, std::size_t span,
                               std::size_t bytes_of_slot)
    : state_(std::make_unique<State>(contexts, planes, span, bytes_of_slot)) {}
FrontierDevice::~FrontierDevice() = default;

bool frontier_runs_on(const std::vector<DeviceInfo>& gpus) {
  return std::ranges::all_of(gpus, [](const DeviceInfo& gpu) { return frontier_image().runs_on(gpu); });
}

double bytes_for_layers(double free_bytes) { return share_of_free_memory * free_bytes - bytes_of_tables; }

std::size_t side_by_side_states(const FrontierSteps& steps) {
  const StateIndices indices(steps.by_parity, max_dense_width + 1);
  std::size_t most = 1, before = 1;
  for (const FrontierStep& step : steps.steps) {
    const std::size_t states = indices.count(step.width, step.ones);
    most = std::max(most, before + states);
    before = states;
  }
  return most;
}

std::size_t in_place_states(const FrontierSteps& steps) {
  return in_place_needs(steps, 1, max_forecast_bits, threads_of_walk).span;
}

std::vector<std::uint32_t> run_on_gpu(const FrontierSteps& steps, Residues& number, FrontierDevice& device,
                                      const RunContext& run, std::string name, const std::string& description,
                                      ShareOfRuns share, std::vector<StepTime>* times) {
  if (number.source_planes() > device.state().planes) throw Error("more primes than a device has planes for");
  LeanGpuRun<Residues> pass(steps, number, device.state(), run, std::move(name), description, share, times != nullptr);
  std::vector<std::uint32_t> residues = pass.run();
  if (times) std::ranges::copy(pass.times(), std::back_inserter(*times));
  return residues;
}

std::vector<double> run_on_gpu(const FrontierSteps& steps, Floats& number, FrontierDevice& device,
                               const RunContext& run, std::string name, const std::string& description) {
  return LeanGpuRun<Floats>(steps, number, device.state(), run, std::move(name), description, {}, false).run();
}

}  // namespace matchcount::gpu
