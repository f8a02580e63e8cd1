// dense: batches of small dense permanents and hafnians, and amplitudes of many photons, on GPUs or a CPU.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <optional>

#define CXXOPTS_NO_REGEX

#include "apps/answer.hpp"
#include "bench/ceiling.hpp"
#include "bench/commands.hpp"
#include "bench/options.hpp"
#include "bench/record.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "core/stopwatch.hpp"
#include "permanent/dense.hpp"
#include "permanent/dense/dense_gpu.hpp"

namespace matchcount::bench {
namespace {

using app::Json;
using Complex = std::complex<double>;

constexpr const char* help_text = R"(Usage: matchcount-bench dense [options]

Times permanents and hafnians of batches of random matrices, entries in (-1, 1), and permanents with rows and columns
repeated of random unitary matrices: amplitudes of 40 photons. On GPUs kernels and whole calls of sums over signs and
roots of unity, whose contexts are there before. Values of the first and the last matrix are checked against the CPU's,
30 x 30 on GPUs against kernels for complex numbers.

  --device WHERE    auto, cpu, cuda or cuda:0,1 (default: auto, GPUs if there are some)
  --repeat N        each so many times, of which the best counts (default: 5)
  --seed N          of the entries (default: 1)
  --threads N       of the CPU (default: every core)
  --time-limit S    seconds of a call on the CPU; what takes longer is left out (default: 60)
  --json FILE       also writes everything to FILE
  -h, --help        this text
)";

struct Settings {
  std::vector<DeviceInfo> devices;
  int repeat = 5;
  std::string json_file;
  RunOptions run;  // on the CPU
};

std::optional<Settings> settings_from(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench dense");
  auto add = parser.add_options();
  add("device", "", cxxopts::value<std::string>()->default_value("auto"));
  add("repeat", "", cxxopts::value<int>()->default_value("5"));
  add("seed", "", cxxopts::value<std::uint64_t>()->default_value("1"));
  add("threads", "", cxxopts::value<int>());
  add("time-limit", "", cxxopts::value<double>()->default_value("60"));
  add("json", "", cxxopts::value<std::string>());
  return read_options(line, "dense", help_text, parser,
                      [](const cxxopts::ParseResult& parsed) -> std::optional<Settings> {
                        Settings settings;
                        settings.repeat = within("repeat", parsed["repeat"].as<int>(), 1000);
                        settings.run.device.kind = DeviceChoice::Kind::cpu;
                        settings.run.seed = parsed["seed"].as<std::uint64_t>();
                        settings.run.time_limit_s = parsed["time-limit"].as<double>();
                        if (parsed.count("threads") != 0)
                          settings.run.num_threads = within("threads", parsed["threads"].as<int>(), 1024);
                        if (parsed.count("json") != 0) settings.json_file = parsed["json"].as<std::string>();
                        settings.devices = choose_devices(parse_device_choice(parsed["device"].as<std::string>()));
                        return settings;
                      });
}

struct Workload {
  const char* name;
  DenseShape shape;
  std::size_t count;

  std::size_t columns() const { return shape.hafnian ? shape.row_times.size() : shape.column_times.size(); }
  std::size_t doubles() const { return shape.row_times.size() * columns() * (shape.complex ? 2 : 1); }
};

std::vector<Workload> workloads() {
  const auto times = [](std::size_t size, std::uint32_t number) { return std::vector(size, number); };
  const auto square = [&](std::size_t n, bool complex) { return DenseShape{false, complex, times(n, 1), times(n, 1)}; };
  const auto vertices = [&](std::size_t n, bool complex) { return DenseShape{true, complex, times(n, 1), {}}; };
  const auto with_loops = [&](std::size_t n) { return DenseShape{true, false, times(n, 1), {}, true}; };
  const auto photons = [&](std::size_t modes) {
    const auto of_mode = static_cast<std::uint32_t>(40 / modes);
    return DenseShape{false, true, times(modes, of_mode), times(modes, of_mode)};
  };
  return {{"permanents 12 x 12", square(12, false), 1000},
          {"permanents 12 x 12", square(12, false), 100'000},
          {"permanents 12 x 12, complex", square(12, true), 100'000},
          {"permanents 20 x 20", square(20, false), 1000},
          {"permanents 20 x 20, complex", square(20, true), 1000},
          {"permanents 30 x 30", square(30, false), 4},
          {"hafnians 20 x 20", vertices(20, false), 1000},
          {"hafnians 20 x 20, complex", vertices(20, true), 1000},
          {"hafnians 30 x 30", vertices(30, false), 4},
          {"loop hafnians 20 x 20", with_loops(20), 1000},
          {"40 photons, 8 in each of 5 modes", photons(5), 1},
          {"40 photons, 5 in each of 8 modes", photons(8), 1},
          {"40 photons, 5 in each of 8 modes", photons(8), 100}};
}

// The rows of a random unitary matrix: normal ones, made orthogonal one after the other, twice.
void append_unitary(std::vector<double>& entries, std::size_t n, Random& random) {
  std::vector<std::vector<Complex>> rows;
  while (rows.size() < n) {
    std::vector<Complex> row(n);
    for (Complex& entry : row)
      entry = std::polar(std::sqrt(-std::log(1 - random.uniform())), 2 * 3.141592653589793 * random.uniform());
    for (int turn = 0; turn < 2; ++turn) {
      for (const auto& other : rows) {
        Complex product = 0;
        for (std::size_t i = 0; i < n; ++i) product += std::conj(other[i]) * row[i];
        for (std::size_t i = 0; i < n; ++i) row[i] -= product * other[i];
      }
    }
    double norm = 0;
    for (const Complex& entry : row) norm += std::norm(entry);
    for (Complex& entry : row) entry /= std::sqrt(norm);
    rows.push_back(row);
  }
  for (const auto& row : rows) {
    for (const Complex& entry : row) entries.insert(entries.end(), {entry.real(), entry.imag()});
  }
}

std::vector<double> entries_of(const Workload& work, std::uint64_t seed) {
  Random random(seed, work.doubles());
  std::vector<double> entries;
  if (work.shape.row_times.front() > 1) {
    for (std::size_t i = 0; i < work.count; ++i) append_unitary(entries, work.columns(), random);
    return entries;
  }
  entries.resize(work.count * work.doubles());
  for (double& entry : entries) entry = 2 * random.uniform() - 1;
  const std::size_t n = work.columns(), parts = work.shape.complex ? 2 : 1;
  for (std::size_t i = 0; work.shape.hafnian && i < entries.size(); ++i) {
    const std::size_t place = i % work.doubles() / parts;
    entries[i] = entries[i / work.doubles() * work.doubles() + (place % n * n + place / n) * parts + i % parts];
  }
  return entries;
}

// A value of either kind, and log2 of its error.
struct Found {
  ScaledReal re, im;
  double log2_error;

  Found(const RealValue& value) : re(value.value), log2_error(value.log2_error) {}  // NOLINT: one value
  Found(const ComplexValue& value)                                                  // NOLINT
      : re(value.value.re), im(value.value.im), log2_error(value.log2_error) {}
  Found(const DenseSum& sum)  // NOLINT
      : re(sum.re, sum.exponent),
        im(sum.im, sum.exponent),
        log2_error(std::log2(sum.error) + static_cast<double>(sum.exponent)) {}

  bool agrees(const Found& other) const {
    const double most = log2_sum(log2_error, other.log2_error) + 1e-6;
    return (re + -other.re).log2_abs() <= most && (im + -other.im).log2_abs() <= most;
  }
  double relative_error() const { return std::exp2(log2_error - std::max(re.log2_abs(), im.log2_abs())); }
};

template <class T>
std::vector<Found> found_on_cpu(const DenseShape& shape, std::span<const T> entries, const RunOptions& run) {
  if (shape.row_times.front() == 1) {
    const std::size_t n = shape.row_times.size();
    const auto values = shape.hafnian ? hafnians(entries, n, shape.loops, run) : permanents(entries, n, run);
    return {values.begin(), values.end()};
  }
  std::vector<Found> values;
  const RunContext clock(run);
  RunOptions what_is_left = run;
  const std::size_t size = shape.row_times.size() * shape.column_times.size();
  for (std::size_t i = 0; i < entries.size(); i += size) {
    what_is_left.time_limit_s = clock.seconds_left();
    values.emplace_back(
        repeated_permanent(entries.subspan(i, size), shape.row_times, shape.column_times, what_is_left));
  }
  return values;
}
std::vector<Found> on_cpu(const DenseShape& shape, std::span<const double> entries, const RunOptions& run) {
  if (!shape.complex) return found_on_cpu(shape, entries, run);
  std::vector<Complex> numbers;
  for (std::size_t i = 0; i < entries.size(); i += 2) numbers.emplace_back(entries[i], entries[i + 1]);
  return found_on_cpu(shape, std::span<const Complex>(numbers), run);
}

struct Run {
  double seconds = std::numeric_limits<double>::infinity();  // of a call
  DenseGpuReport report;
  std::vector<Found> values;
};

Run best_run(const Workload& work, std::span<const double> entries, const Settings& settings) {
  Run best;
  for (int turn = 0; turn < settings.repeat; ++turn) {
    Run run;
    Stopwatch stopwatch;
    if (settings.devices.empty()) {
      run.values = on_cpu(work.shape, entries, settings.run);
      run.seconds = stopwatch.lap();
    } else {
      const auto sums = dense_gpu_sums(work.shape, entries, settings.devices, RunContext(), &run.report);
      run.seconds = stopwatch.lap();
      run.values.assign(sums.begin(), sums.end());
    }
    if (run.seconds < best.seconds) best = std::move(run);
  }
  return best;
}

// The first and the last value of a GPU.
bool is_right(const Workload& work, std::span<const double> entries, const Run& run, const Settings& settings) {
  for (const std::size_t i : {std::size_t{0}, work.count - 1}) {
    const std::span<const double> own = entries.subspan(i * work.doubles(), work.doubles());
    if (work.shape.hafnian || work.columns() <= 20) {
      if (!run.values[i].agrees(on_cpu(work.shape, own, settings.run)[0])) return false;
      continue;
    }
    DenseShape complex = work.shape;
    complex.complex = true;
    std::vector<double> parts;
    for (const double entry : own) parts.insert(parts.end(), {entry, 0});
    if (!run.values[i].agrees(dense_gpu_sums(complex, parts, settings.devices, RunContext())[0])) return false;
  }
  return true;
}

std::string format(const char* pattern, double value) {
  char text[32];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

}  // namespace

bool run_dense(const CommandLine& line) {
  const std::optional<Settings> given = settings_from(line);
  if (!given) return true;
  const Settings& settings = *given;
  const bool on_gpu = !settings.devices.empty();
  std::vector<DeviceContext> contexts;  // held throughout, so that no call pays for their making
  for (const DeviceInfo& device : settings.devices) contexts.emplace_back(device);
  const double rate =
      on_gpu ? measured_fma_per_s(settings.devices.front()) * static_cast<double>(settings.devices.size()) : 0;

  Json record = record_header(line, settings.devices);
  record["seed"] = settings.run.seed;
  record["fma_per_s"] = on_gpu ? Json(rate) : Json();
  record["runs"] = Json::array();
  std::vector<std::vector<std::string>> rows{
      {"what", "matrices", "ms a call", "us a matrix", "ms of kernels", "of ceiling", "rel. error", "check"}};
  bool all_right = true;
  for (const Workload& work : workloads()) {
    const std::vector<double> entries = entries_of(work, settings.run.seed);
    std::fprintf(stderr, "%s, %zu times\n", work.name, work.count);
    Run run;
    try {
      run = best_run(work, entries, settings);
    } catch (const Unable& error) {
      if (on_gpu) throw;
      rows.push_back({work.name, std::to_string(work.count), error.what(), "-", "-", "-", "-", "-"});
      record["runs"].push_back({{"what", work.name}, {"matrices", work.count}, {"failed", error.what()}});
      if (!settings.json_file.empty()) write_record(settings.json_file, record);
      continue;
    }
    const bool right = !on_gpu || is_right(work, entries, run, settings);
    all_right = all_right && right;
    const double share = on_gpu ? run.report.operations / run.report.kernel_s / rate : 0;
    const double error = run.values.front().relative_error();
    rows.push_back({work.name, std::to_string(work.count), format("%.3f", 1e3 * run.seconds),
                    format("%.3f", 1e6 * run.seconds / static_cast<double>(work.count)),
                    on_gpu ? format("%.3f", 1e3 * run.report.kernel_s) : "-", on_gpu ? format("%.2f", share) : "-",
                    format("%.1e", error), on_gpu ? (right ? "right" : "WRONG") : "-"});
    record["runs"].push_back({{"what", work.name},
                              {"matrices", work.count},
                              {"seconds", run.seconds},
                              {"start_s", on_gpu ? Json(run.report.start_s) : Json()},
                              {"kernel_s", on_gpu ? Json(run.report.kernel_s) : Json()},
                              {"operations", on_gpu ? Json(run.report.operations) : Json()},
                              {"of_ceiling", on_gpu ? Json(share) : Json()},
                              {"relative_error", error},
                              {"right", on_gpu ? Json(right) : Json()}});
    if (!settings.json_file.empty()) write_record(settings.json_file, record);
  }
  app::write_answer("The best of " + std::to_string(settings.repeat) + " calls.\n" +
                    machine_line(settings.devices, resolve_num_threads(settings.run)) + "\n\n" + app::table(rows, ""));
  return all_right;
}

}  // namespace matchcount::bench
