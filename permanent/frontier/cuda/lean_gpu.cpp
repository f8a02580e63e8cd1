// A layer stands at one end of the array, and the next is written to the other, from its far end on. Where the two fit
// side by side a step is one launch. Elsewhere it is in place, by pieces of the same highest bits (cpu/in_place.cpp):
// as many as may be made at once are one launch, and launches follow each other. Whoever stands at the front is read
// downwards, whoever stands at the end upwards; so the next layer again has an end to itself.
//
// Devices that hold a layer together step their parts alone, in an array each, until a leading bit is involved. Then
// they exchange states, pairs of runs each in the other's place: a piece is sent, by the copy engines, to where others
// arrive, and is copied from there to its place when the piece that stood there was sent. Two H200 whose memory was one
// array, small parts on each in turn, made a third of the transitions a second of one: half of what they read came over
// their links.

#include "permanent/frontier/cuda/lean_gpu.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "permanent/frontier/cuda/lean_gpu_run.hpp"
#include "permanent/frontier/cuda/step_tables.hpp"

namespace matchcount::gpu {
namespace {

constexpr double share_of_free_memory = 0.98, bytes_of_tables = 1 << 24;
// Smaller layers are left to the first device.
constexpr double min_states_of_team = 1 << 20;
// A piece is many blocks of threads; as for so many threads of a CPU, a few of which a launch makes at once.
constexpr int threads_of_walk = 32;
// Low bits that are touched cost less than shorter blocks (6 x 6 x 8: 7, 8, 9, 10, 12 take 0.71, 0.60, 0.55, 0.56, 0.57
// s).
constexpr std::uint32_t least_low = 9;
// Blocks of threads that a launch should have for each multiprocessor.
constexpr std::uint64_t blocks_wanted = 8;
constexpr std::uint64_t least_highs = 8;

}  // namespace

std::optional<InPlaceStep> fitting_step(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices,
                                        std::size_t t, const std::vector<Vertex>& layout, std::size_t span,
                                        bool at_front, std::uint32_t max_bits, const TeamLayer& team) {
  InPlaceStep step = step_in_place(steps, touches, indices, t, layout, span, at_front, max_bits, threads_of_walk, true,
                                   least_low, team);
  const auto room = static_cast<std::ptrdiff_t>(span);
  for (std::size_t i = 0; i < step.walks.size(); ++i) {
    InPlaceWalk& walk = step.walks[i];
    if (walk.span > span) return std::nullopt;
    const std::size_t old_states = team.parts.empty() ? step.old_states : team.parts[i].count();
    const std::size_t new_states = team.parts.empty() ? step.new_states : step.step->target_of(team.parts[i]).count();
    walk.span = span;
    walk.shift =
        at_front ? room - static_cast<std::ptrdiff_t>(new_states) : static_cast<std::ptrdiff_t>(old_states) - room;
    // One launch.
    if (old_states + new_states <= span) walk.in_flight = std::numeric_limits<std::uint64_t>::max();
  }
  step.walk = step.walks.front();
  return step;
}

Placement placement_on_gpus(const FrontierSteps& steps, const Touches& touches, const StateIndices& indices,
                            std::size_t members, std::size_t span) {
  return {steps, touches, indices, static_cast<int>(members), min_states_of_team, static_cast<double>(span)};
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

template <class Slot>
StepNumbers numbers_of(const ResiduesOf<Slot>& number) {
  StepNumbers numbers;
  numbers.primes = number.primes();
  numbers.count = static_cast<unsigned>(numbers.primes.size());
  bool weighted = false;
  for (const ResidueWeight weight : number.weights()) {
    numbers.weights.push_back(std::uint64_t{weight.quotient} << 32 | weight.factor);
    weighted = weighted || weight.factor != 1;
  }
  numbers.kernel = std::string(weighted ? "frontier_weigh" : "frontier_add") + (sizeof(Slot) == 2 ? "_2" : "");
  return numbers;
}
template StepNumbers numbers_of(const ResiduesOf<std::uint32_t>& number);
template StepNumbers numbers_of(const ResiduesOf<std::uint16_t>& number);

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
  return !built_with_cuda() ||
         std::ranges::all_of(gpus, [](const DeviceInfo& gpu) { return frontier_image().runs_on(gpu); });
}

double bytes_for_layers(double free_bytes, std::size_t members) {
  return share_of_free_memory * free_bytes - bytes_of_tables - (members > 1 ? 4.0 * bytes_on_the_way : 0);
}

namespace {

// The layers of a run in members' arrays of so many states.
struct TeamLayers {
  TeamLayers(const FrontierSteps& given, std::size_t num_members, std::size_t span)
      : steps(given),
        indices(steps.by_parity, max_dense_width + 1),
        touches(steps),
        members(num_members),
        placement(placement_on_gpus(steps, touches, indices, members, span)) {}

  // Returns the parts of the layer before step t, placed as for step `when`.
  std::vector<LayerPart> parts(std::size_t t, std::size_t when) const {
    const FrontierStep* const last = t == 0 ? nullptr : &steps.steps[t - 1];
    std::vector<LayerPart> result;
    for (std::size_t i = 0; i < members; ++i) {
      result.push_back(
          placement.part(static_cast<int>(i), placement.at(when), last ? last->width : 0, last ? last->ones : 0));
    }
    return result;
  }
  // Returns the most states that a member has of two placements side by side.
  static std::size_t side_by_side(const std::vector<LayerPart>& one, const std::vector<LayerPart>& other) {
    std::size_t most = 0;
    for (std::size_t i = 0; i < one.size(); ++i) most = std::max<std::size_t>(most, one[i].count() + other[i].count());
    return most;
  }
  bool gets_other_parts(std::size_t t) const { return t > 0 && placement.at(t).first != placement.at(t - 1).first; }

  const FrontierSteps& steps;
  StateIndices indices;
  Touches touches;
  std::size_t members;
  Placement placement;
};

}  // namespace

std::size_t side_by_side_states(const FrontierSteps& steps, std::size_t members) {
  const TeamLayers layers(steps, members, std::numeric_limits<std::size_t>::max());
  std::size_t most = 2;
  for (std::size_t t = 0; t < steps.steps.size(); ++t) {
    most = std::max(most, layers.side_by_side(layers.parts(t, t), layers.parts(t + 1, t)));
    if (layers.gets_other_parts(t))
      most = std::max(most, layers.side_by_side(layers.parts(t, t - 1), layers.parts(t, t)));
  }
  // So much more lets members get other parts of any layer.
  return members == 1 ? most : static_cast<std::size_t>(Placement::slack * static_cast<double>(most));
}

bool fits_in_place(const FrontierSteps& steps, std::size_t members, std::size_t states) {
  const TeamLayers layers(steps, members, states);
  bool at_front = true;
  std::vector<Vertex> layout;
  for (std::size_t t = 0; t < steps.steps.size(); ++t) {
    const std::vector<LayerPart> parts = layers.parts(t, t);
    if (layers.gets_other_parts(t)) {
      if (layers.side_by_side(layers.parts(t, t - 1), parts) > states) return false;
      at_front = !at_front;
    }
    if (t > 0) Placement::swap(layers.placement.at(t - 1), layers.placement.at(t), layout);
    const auto step = fitting_step(steps, layers.touches, layers.indices, t, layout, states, at_front,
                                   max_forecast_bits, {parts, layers.placement.top(t)});
    if (!step) return false;
    layout = step->step->layout();
    at_front = !at_front;
  }
  return true;
}

TeamWork team_work(const FrontierSteps& steps, std::size_t members) {
  const TeamLayers layers(steps, members, std::numeric_limits<std::size_t>::max());
  return {layers.placement.work(), layers.placement.moved(), layers.placement.num_exchanges()};
}

template <class Slot>
std::vector<std::uint32_t> run_on_gpu(const FrontierSteps& steps, ResiduesOf<Slot>& number, FrontierDevice& device,
                                      const RunContext& run, std::string name, const std::string& description,
                                      ShareOfRuns share, std::vector<StepTime>* times) {
  if (number.source_planes() > device.state().planes) throw Error("more primes than a device has planes for");
  LeanGpuRun<ResiduesOf<Slot>> pass(steps, number, device.state(), run, std::move(name), description, share,
                                    times != nullptr);
  const std::vector<Slot> residues = pass.run();
  if (times) std::ranges::copy(pass.times(), std::back_inserter(*times));
  return {residues.begin(), residues.end()};
}
template std::vector<std::uint32_t> run_on_gpu(const FrontierSteps&, Residues&, FrontierDevice&, const RunContext&,
                                               std::string, const std::string&, ShareOfRuns, std::vector<StepTime>*);
template std::vector<std::uint32_t> run_on_gpu(const FrontierSteps&, SmallResidues&, FrontierDevice&, const RunContext&,
                                               std::string, const std::string&, ShareOfRuns, std::vector<StepTime>*);

std::vector<double> run_on_gpu(const FrontierSteps& steps, Floats& number, FrontierDevice& device,
                               const RunContext& run, std::string name, const std::string& description) {
  return LeanGpuRun<Floats>(steps, number, device.state(), run, std::move(name), description, {}, false).run();
}

}  // namespace matchcount::gpu
