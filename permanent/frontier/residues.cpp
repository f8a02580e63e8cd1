#include "permanent/frontier/residues.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/contexts.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "core/work.hpp"
#include "permanent/frontier/cpu/joint_steps.hpp"
#include "permanent/frontier/cpu/lean_cpu.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/run.hpp"
#include "permanent/frontier/cpu/spread.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/cuda/sorted_gpu.hpp"

namespace matchcount {
namespace {

constexpr double bytes_of_residue = sizeof(std::uint32_t);

// One pass, of neighbouring primes: where it stands among all, and as what its layer is saved.
struct Pass {
  std::span<const std::uint64_t> primes;
  ShareOfRuns share;
  std::string name, description;
};

// Passes over the primes until all are done.
class Passes {
 public:
  // A layer is saved by the one who has the file, and only where nobody else may do these primes when it goes on.
  Passes(double log2_bound, std::size_t at_once, bool saves_layers, const RunContext& run, int bytes = 4)
      : primes_(primes_for(log2_bound, bytes == 2 ? small_residue_limit : residue_limit)),
        at_once_(at_once),
        saves_layers_(saves_layers && run.num_ranks() == 1),
        run_(run),
        job_{run.part() + ", residues",
             "frontier method modulo " + std::to_string(primes_.size()) + " primes below 2^" +
                 (bytes == 2 ? "15, " : "31, ") + std::to_string(at_once) + " at once",
             primes_.size(), joined} {}

  // `take_part` calls do_next until it returns false, on any number of threads.
  Integer run(const std::function<void(Pieces&)>& take_part) {
    const auto residues = unpacked<std::uint32_t>(total_of(run_job(job_, run_, take_part)));
    return chinese_remainder(std::vector<std::uint64_t>(residues.begin(), residues.end()), primes_);
  }

  // compute(pass) gives the residues, or nothing where no state is left.
  template <class Compute>
  bool do_next(Pieces& pieces, const Compute& compute) const {
    const auto span = pieces.take_some(at_once_);
    if (!span) return false;
    Pass pass;
    pass.primes = std::span(primes_).subspan(span->first, span->end - span->first);
    pass.share = {pieces.share_done(), static_cast<double>(pass.primes.size()) / static_cast<double>(primes_.size())};
    if (saves_layers_) pass.name = run_.part() + ", residues from " + std::to_string(span->first) + " so far";
    pass.description = job_.description;
    const std::vector<std::uint32_t> residues = compute(pass);
    for (std::size_t i = 0; i < pass.primes.size(); ++i)
      pieces.give(span->first + i, to_bytes(residues.empty() ? std::uint32_t{0} : residues[i]));
    pieces.keep();
    return true;
  }

 private:
  std::vector<std::uint64_t> primes_;
  std::size_t at_once_;
  bool saves_layers_;
  const RunContext& run_;
  Job job_;
};

}  // namespace

Integer count_by_residues(const FrontierSteps& given, FrontierEngine engine, const std::vector<std::int64_t>& entries,
                          double log2_bound, std::size_t at_once, const RunContext& run) {
  const bool lean = is_lean(given, engine);
  const FrontierSteps steps = lean ? joined_steps(given) : given;
  const double room = static_cast<double>(run.memory_limit_bytes()) / (bytes_of_residue * static_cast<double>(at_once));
  const InPlaceNeeds needs = lean ? in_place_needs_within(steps, room, run.num_threads()) : InPlaceNeeds{};
  Buffer<std::uint32_t> array;
  Passes passes(log2_bound, at_once, true, run);
  const auto compute = [&](const Pass& pass) {
    Residues number(entries, pass.primes);
    return lean ? LeanCpuRun(steps, number, array, needs, run, pass.name, pass.description, pass.share).run()
                : FrontierRun<Residues>(steps, number, engine, run, pass.name, pass.description, pass.share).run();
  };
  return passes.run([&](Pieces& pieces) {
    while (passes.do_next(pieces, compute)) {
    }
  });
}

GpuLayers gpu_layers(const FrontierSteps& steps, FrontierEngine engine) {
  if (is_lean(steps, engine)) return GpuLayers::dense;
  const bool may_sort = engine != FrontierEngine::dense && engine != FrontierEngine::lean;
  return may_sort && gpu::sorts(steps) ? GpuLayers::sorted : GpuLayers::none;
}

namespace {

constexpr std::size_t most_at_once = 16;  // more save next to nothing
// There are 211 primes between 2^14.9 and 2^15.
constexpr double most_bits_of_small_primes = 3000;

// Divides primes evenly: so many each of several teams does side by side, where at most `fit` have room.
std::size_t even_share(std::size_t num_primes, std::size_t num_teams, std::size_t fit) {
  return divided_evenly(divided_up(num_primes, num_teams), std::min(fit, most_at_once)).second;
}
// Returns how many primes each of several teams does side by side, if the teams share them.
std::size_t primes_at_once(const FrontierSteps& steps, std::size_t num_primes, std::size_t num_teams,
                           std::size_t members, double free_bytes, int bytes) {
  const double states = std::max(0.0, gpu::bytes_for_layers(free_bytes, members) / bytes);
  const auto fit = static_cast<std::size_t>(states / static_cast<double>(gpu::side_by_side_states(steps, members)));
  if (fit == 0) return gpu::fits_in_place(steps, members, static_cast<std::size_t>(states)) ? 1 : 0;
  return even_share(num_primes, num_teams, fit);
}
// The same of sorted layers.
std::size_t sorted_at_once(const FrontierSteps& steps, std::size_t num_primes, std::size_t num_gpus,
                           double free_bytes) {
  std::size_t fit = most_at_once;
  while (fit > 0 && gpu::sorted_work(steps, fit).bytes > gpu::bytes_for_layers(free_bytes, 1)) --fit;
  return fit == 0 ? 0 : even_share(num_primes, num_gpus, fit);
}

}  // namespace

GpuTeams gpu_teams(const FrontierSteps& given, FrontierEngine engine, double log2_bound,
                   const std::vector<DeviceInfo>& gpus, int num_ranks, double free_bytes) {
  const auto ranks = static_cast<std::size_t>(num_ranks);
  const std::size_t num_primes = residues_needed(log2_bound);
  if (gpu_layers(given, engine) == GpuLayers::sorted)
    return {1, sorted_at_once(given, num_primes, gpus.size() * ranks, free_bytes), 4, num_primes};
  const FrontierSteps steps = joined_steps(given);
  const bool may_share = gpus.size() > 1 && reach_each_other(gpus),
             may_be_small = log2_bound < most_bits_of_small_primes;
  GpuTeams teams;
  for (const int bytes : {4, 2}) {
    if (bytes == 2 && !may_be_small) break;
    teams.bytes = bytes;
    teams.all_primes = bytes == 4 ? num_primes : primes_for(log2_bound, small_residue_limit).size();
    for (const bool shared : {false, true}) {
      if (shared && !may_share) break;
      teams.gpus = shared ? gpus.size() : 1;
      teams.primes =
          primes_at_once(steps, teams.all_primes, ranks * gpus.size() / teams.gpus, teams.gpus, free_bytes, bytes);
      if (teams.primes > 0) return teams;
    }
  }
  return teams;
}

std::size_t gpus_of_reals(const FrontierSteps& steps, int doubles, const std::vector<DeviceInfo>& gpus,
                          double free_bytes) {
  const std::size_t most = gpus.size() > 1 && reach_each_other(gpus) ? gpus.size() : 1;
  for (const std::size_t count : {std::size_t{1}, most}) {
    const double needed =
        static_cast<double>(sizeof(double)) * doubles * static_cast<double>(gpu::side_by_side_states(steps, count));
    if (needed <= gpu::bytes_for_layers(free_bytes, count)) return count;
  }
  return 0;
}

Integer count_on_gpus(const FrontierSteps& given, FrontierEngine engine, const std::vector<std::int64_t>& entries,
                      double log2_bound, const std::vector<DeviceInfo>& gpus, const RunContext& run) {
  const StartingContexts contexts = start_contexts(gpus);
  double free_bytes = static_cast<double>(contexts.front().get().free_bytes());
  for (const auto& context : contexts) {
    free_bytes = std::min(free_bytes, static_cast<double>(context.get().free_bytes()));
  }
  const GpuTeams teams = gpu_teams(given, engine, log2_bound, gpus, run.num_ranks(), free_bytes);
  // Says it in words, as agreed_spread does for CPUs, which go on with this.
  std::size_t at_once = std::max<std::size_t>(teams.primes, 1);
  int bytes = teams.bytes;
  if (run.work()) {
    const std::string agreed =
        run.work()->decide(run.part() + ", numbers", std::to_string(at_once) + (bytes == 2 ? in_2_bytes : ""));
    at_once = std::stoul(agreed);
    bytes = agreed.ends_with(in_2_bytes) ? 2 : 4;
  }
  const bool is_sorted = gpu_layers(given, engine) == GpuLayers::sorted;
  const FrontierSteps steps = is_sorted ? given : joined_steps(given);
  const double states = gpu::bytes_for_layers(free_bytes, teams.gpus) / (bytes * static_cast<double>(at_once));
  const std::size_t span = is_sorted ? 0
                                     : std::min(static_cast<std::size_t>(std::max(states, 0.0)),
                                                gpu::side_by_side_states(steps, teams.gpus));

  std::vector<std::unique_ptr<gpu::FrontierDevice>> devices(gpus.size() / teams.gpus);
  Passes passes(log2_bound, at_once, devices.size() == 1, run, bytes);
  return passes.run([&](Pieces& pieces) {
    parallel_until(static_cast<int>(devices.size()), [&](int which) {
      const auto at = static_cast<std::size_t>(which);
      return passes.do_next(pieces, [&](const Pass& pass) {
        if (is_sorted) {
          Residues number(entries, pass.primes);
          return gpu::run_sorted_on_gpu(steps, number, contexts[at].get(), run, pass.name, pass.description,
                                        pass.share);
        }
        auto& device = devices[at];
        if (!device) {
          std::vector<DeviceContext> team;
          for (std::size_t i = 0; i < teams.gpus; ++i) team.push_back(contexts[at * teams.gpus + i].get());
          device = std::make_unique<gpu::FrontierDevice>(team, static_cast<int>(at_once), span,
                                                         static_cast<std::size_t>(bytes));
        }
        const auto along = [&](auto number) {
          return gpu::run_on_gpu(steps, number, *device, run, pass.name, pass.description, pass.share);
        };
        return bytes == 2 ? along(SmallResidues(entries, pass.primes)) : along(Residues(entries, pass.primes));
      });
    });
  });
}

}  // namespace matchcount
