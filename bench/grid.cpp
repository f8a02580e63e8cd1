// grid: the field's experiment. Every estimator on square grids, whose counts are known from Kasteleyn's product, with
// growing numbers of samples: how far off it is, whether its interval holds the truth, whether it warns. A case is one
// grid, one estimator, one number of samples.

#include <cmath>
#include <ctime>
#include <filesystem>

#include "bench/runner.hpp"
#include "bench/workload.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

// Numbers of samples begin small, so that the error can be drawn against their number.
constexpr std::uint64_t first_samples = 1000, growth = 10;
// A population's size where samples are counted by particles.
constexpr int particles = 64;

struct Cell {
  int size = 0;
  Sampler sampler;
  std::uint64_t asked = 0;
  double log_exact = 0;
  Sampled sampled = {};
};

// Returns the estimate at a million samples over the exact count that was published for Scaling+ with 5 rounds
// (Dufosse, Kaya, Panagiotas and Ucar 2018, doi:10.1137/1.9781611975215.6, and 2022).
std::string published(const Cell& cell) {
  if (cell.sampler.estimator != Estimator::scaling_plus || cell.asked != 1000000) return "";
  const bool known = cell.size == 20 || cell.size == 22 || cell.size == 24;
  if (!known || cell.sampler.interval == 1) return known ? "0.99 to 1.01" : "";
  if (cell.sampler.interval != 5) return "";
  return cell.size == 20 ? "1.72" : cell.size == 22 ? "0.65" : "0.14";
}

Json fields_of(const Cell& cell, double cpu_s) {
  Json fields{{"size", cell.size},
              {"estimator", cell.sampler.name()},
              {"samples_asked", cell.asked},
              {"log_exact", cell.log_exact},
              {"cpu_s", cpu_s}};
  if (!cell.sampled.unable.empty()) {
    fields["unable"] = fields["says"] = cell.sampled.unable;
    return fields;
  }
  const Estimate& estimate = cell.sampled.estimate;
  std::string says = estimate.warning.empty() ? "" : "warns";
  if (estimate.out_of_time) says += says.empty() ? "time over" : ", time over";
  const double low = cell.sampled.log_low(cell.log_exact), high = cell.sampled.log_high(cell.log_exact);
  const bool is_population = cell.sampler.estimator == Estimator::population;
  fields.update(Json{{"samples", estimate.samples * (is_population ? particles : 1)},
                     {"device", estimate.gpus.empty() ? "cpu" : "cuda"},
                     {"sample_s", estimate.time_s.sample},
                     {"log_value", estimate.log_value},
                     {"estimate_over_exact", std::exp(cell.sampled.log_ratio(cell.log_exact))},
                     {"low_over_exact", std::exp(low)},
                     {"high_over_exact", std::exp(high)},
                     {"covered", low <= 0 && high >= 0},
                     {"relative_error", estimate.relative_error},
                     {"confidence", estimate.confidence},
                     {"effective_samples", estimate.effective_samples},
                     {"zero_fraction", estimate.zero_fraction},
                     {"out_of_time", estimate.out_of_time},
                     {"says", says},
                     {"warning", estimate.warning},
                     {"published", published(cell)}});
  return fields;
}

Sampler sampler_from(const std::string& name) {
  const auto slash = name.find('/');
  Sampler sampler{from_string<Estimator>(name.substr(0, slash))};
  const auto interval = slash == name.npos ? 1 : app::parse_number<int>(name.substr(slash + 1));
  if (!interval || *interval < 1 || *interval > 100000 || sampler.scales() != (slash != name.npos) ||
      sampler.estimator == Estimator::automatic)
    throw InputError("--estimators " + name, "rasmussen, rasmussen+, scaling/N, scaling+/N, guided or population");
  sampler.interval = *interval;
  return sampler;
}

// Draws so many samples.
Cell run_cell(Bench& bench, int size, const Sampler& sampler, std::uint64_t samples, EstimateOptions options) {
  Cell cell{size, sampler, samples, log_grid_matchings(size)};
  if (sampler.estimator == Estimator::population) {
    options.run.device.kind = DeviceChoice::Kind::cpu;
    options.population = particles;
    samples = std::max<std::uint64_t>(samples / particles, 2);
  }
  const BipartiteGraph graph = grid_graph(static_cast<Vertex>(size), static_cast<Vertex>(size));
  const std::string side = std::to_string(size);
  bench.run({side + " x " + side, sampler.name(), nullptr,
             [&] {
               const std::clock_t start = std::clock();
               cell.sampled = draw(graph, sampler, samples, options);
               const double cpu_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
               return Outcome{cell.sampled.seconds, fields_of(cell, cpu_s)};
             },
             [&] {
               return Checks{{"", cell.sampled.is_honest(cell.log_exact)}};
             }});
  return cell;
}

void run(Bench& bench) {
  const Arguments& given = bench.given();
  const std::vector<int> sizes = given.numbers("sizes", 4, 256);
  for (const int size : sizes) {
    if (size % 2 != 0) throw InputError("--sizes " + std::to_string(size), "even numbers");
  }
  std::vector<Sampler> samplers;
  for (const std::string& name : given.list("estimators")) samplers.push_back(sampler_from(name));
  const auto most = given.number<std::uint64_t>("samples", 100, ~std::uint64_t{0});
  EstimateOptions options;
  options.scaling_rounds = given.number("rounds", 0, std::numeric_limits<int>::max());
  options.run = given.run_on_cpu();
  options.run.device = parse_device_choice(given.text("device"));
  options.run.time_limit_s = given.seconds("time-limit");
  if (given.has("output")) {
    if (!std::filesystem::is_directory(given.text("output")))
      throw InputError("--output " + given.text("output"), "a folder");
    bench.keep_in((std::filesystem::path(given.text("output")) / "grids.json").string());
  }
  bench.begin(
      "Perfect matchings of square grids: estimates beside Kasteleyn's product.", given.devices(),
      resolve_num_threads(options.run),
      {{"seed", options.run.seed}, {"rounds", options.scaling_rounds}, {"cell_limit_s", options.run.time_limit_s}});
  for (const int size : sizes) {
    for (const Sampler& sampler : samplers) {
      for (std::uint64_t samples = std::min(first_samples, most);; samples = std::min(samples * growth, most)) {
        const Cell cell = run_cell(bench, size, sampler, samples, options);
        if (samples == most || cell.sampled.estimate.out_of_time || !cell.sampled.unable.empty()) break;
      }
    }
  }
}

}  // namespace

Suite grid_suite() {
  return {"grid",
          "every estimator on square grids, beside the exact counts",
          "Estimates the perfect matchings of square grids by every estimator, beside the exact counts (Kasteleyn's "
          "product). Populations are drawn on the CPU. bench/pages.py makes a page with pictures from the JSON.",
          "samples estimate_over_exact low_over_exact high_over_exact covered cpu_s says published",
          {{"sizes", "N,..", "even sides of the grids", "6,8,10,12,14,16,18,20,22,24,32,48,64"},
           {"estimators", "NAME,..",
            "rasmussen, rasmussen+, scaling/N and scaling+/N (scaled every N rows), guided, population",
            "rasmussen,rasmussen+,scaling/1,scaling/5,scaling+/1,scaling+/5,guided,population"},
           {"samples", "N", "the most samples of a cell; 1000, 10^4, .. are drawn before", "1000000"},
           {"rounds", "N", "of scaling", "5"},
           {"time-limit", "S", "of a cell; one that runs out of time says how many samples it had", "60"},
           device_option,
           seed_option,
           threads_option,
           {"output", "FOLDER", "also writes everything to FOLDER/grids.json"}},
          run};
}

}  // namespace matchcount::bench
