// determinant: dense determinants of random matrices, beside LAPACK and cuSOLVER where their libraries are found.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>

#define CXXOPTS_NO_REGEX

#include "apps/answer.hpp"
#include "bench/commands.hpp"
#include "bench/options.hpp"
#include "bench/record.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "core/stopwatch.hpp"
#include "linear/determinant.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

constexpr const char* help_text = R"(Usage: matchcount-bench determinant [options]

Times dense determinants of random matrices: modulo a prime of 30 and of 31 bits, in doubles with and without a bound,
by elimination and (on a CPU up to 2000 rows) by condensation, and the LU factorisation of LAPACK (LIBRARY, else OpenBLAS, else the reference) or, with a GPU, of cuSOLVER.

  --device WHERE    auto, cpu or cuda (default: auto, a GPU if there is one)
  --rows N,..       sizes (default: 1000,4000)
  --repeat N        each so many times, of which the best counts (default: 3)
  --seed N          of the entries (default: 1)
  --threads N       of the CPU (default: every core)
  --lapack LIBRARY  a shared library with dgetrf_; it chooses its own threads
  --json FILE       also writes everything to FILE
  -h, --help        this text
)";

struct Settings {
  std::vector<std::size_t> rows;
  std::vector<DeviceInfo> devices;
  int repeat = 3;
  std::string lapack, json_file;
  RunOptions run;
};

std::optional<Settings> settings_from(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench determinant");
  auto add = parser.add_options();
  add("device", "", cxxopts::value<std::string>()->default_value("auto"));
  add("rows", "", cxxopts::value<std::vector<std::size_t>>()->default_value("1000,4000"));
  add("repeat", "", cxxopts::value<int>()->default_value("3"));
  add("seed", "", cxxopts::value<std::uint64_t>()->default_value("1"));
  add("threads", "", cxxopts::value<int>());
  add("lapack", "", cxxopts::value<std::string>());
  add("json", "", cxxopts::value<std::string>());
  return read_options(line, "determinant", help_text, parser,
                      [](const cxxopts::ParseResult& parsed) -> std::optional<Settings> {
                        Settings settings;
                        settings.rows = parsed["rows"].as<std::vector<std::size_t>>();
                        for (const std::size_t n : settings.rows) within("rows", n, std::size_t{50'000});
                        settings.repeat = within("repeat", parsed["repeat"].as<int>(), 1000);
                        settings.run.seed = parsed["seed"].as<std::uint64_t>();
                        if (parsed.count("threads") != 0)
                          settings.run.num_threads = within("threads", parsed["threads"].as<int>(), 1024);
                        if (parsed.count("lapack") != 0) settings.lapack = parsed["lapack"].as<std::string>();
                        if (parsed.count("json") != 0) settings.json_file = parsed["json"].as<std::string>();
                        settings.devices = choose_devices(parse_device_choice(parsed["device"].as<std::string>()));
                        if (settings.devices.size() > 1) settings.devices.resize(1);
                        return settings;
                      });
}

// The first of these libraries that there is; they are never closed.
void* open_library(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (void* library = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_NOW)) return library;
  }
  return nullptr;
}
template <class Function>
Function* symbol(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

double log2_of_diagonal(const std::vector<double>& factors, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::log2(std::fabs(factors[i * n + i]));
  return sum;
}

// Factors the matrix and gives log2 |det|; nothing where there is no such library.
struct Peer {
  std::string name;
  std::function<std::optional<double>(const std::vector<double>&, std::size_t n, double& seconds)> run;
};

Peer lapack(const std::string& library_name) {
  void* library = open_library({library_name, "libopenblas.so.0", "liblapack.so.3"});
  auto* factor = symbol<void(const int*, const int*, double*, const int*, int*, int*)>(library, "dgetrf_");
  return {"LAPACK dgetrf", [factor](const std::vector<double>& entries, std::size_t n, double& seconds) {
            if (factor == nullptr) return std::optional<double>();
            std::vector<double> factors = entries;
            std::vector<int> pivots(n);
            const int order = static_cast<int>(n);
            int info = 0;
            Stopwatch run;
            factor(&order, &order, factors.data(), &order, pivots.data(), &info);
            seconds = run.lap();
            return std::optional<double>(log2_of_diagonal(factors, n));
          }};
}

Peer cusolver(const DeviceContext& context) {
  void* library = open_library(
      {"libcusolver.so", "libcusolver.so.12", "libcusolver.so.11", "/usr/local/cuda/lib64/libcusolver.so"});
  auto* create = symbol<int(void**)>(library, "cusolverDnCreate");
  auto* destroy = symbol<int(void*)>(library, "cusolverDnDestroy");
  auto* space = symbol<int(void*, int, int, void*, int, int*)>(library, "cusolverDnDgetrf_bufferSize");
  auto* factor = symbol<int(void*, int, int, void*, int, void*, void*, void*)>(library, "cusolverDnDgetrf");
  return {"cuSOLVER Dgetrf", [=, &context](const std::vector<double>& entries, std::size_t n, double& seconds) {
            void* handle = nullptr;
            if (!create || !destroy || !space || !factor || create(&handle) != 0) return std::optional<double>();
            const auto pointer = [](const DeviceBuffer& buffer) { return reinterpret_cast<void*>(buffer.address()); };
            const int order = static_cast<int>(n);
            int doubles = 0;
            DeviceBuffer matrix(context, entries.size() * sizeof(double)), pivots(context, (n + 1) * sizeof(int));
            matrix.upload(std::as_bytes(std::span(entries)));
            bool done = space(handle, order, order, pointer(matrix), order, &doubles) == 0;
            DeviceBuffer work(context, static_cast<std::size_t>(doubles) * sizeof(double));
            DeviceBuffer info(context, sizeof(int));
            context.synchronize();
            Stopwatch run;
            done = done && factor(handle, order, order, pointer(matrix), order, pointer(work), pointer(pivots),
                                  pointer(info)) == 0;
            context.synchronize();
            seconds = run.lap();
            destroy(handle);
            if (!done) return std::optional<double>();
            std::vector<double> factors(entries.size());
            matrix.download(std::as_writable_bytes(std::span(factors)));
            return std::optional<double>(log2_of_diagonal(factors, n));
          }};
}

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

class Report {
 public:
  explicit Report(Json& runs) : runs_(runs) {}

  // `check` is empty where nothing could be compared.
  void add(const std::string& what, std::size_t n, std::optional<double> seconds, const std::string& value,
           std::optional<bool> check) {
    const double products = std::pow(static_cast<double>(n), 3) / 3;
    rows_.push_back({what, std::to_string(n), seconds ? format("%.4f", *seconds) : "not found",
                     seconds ? format("%.1f", products / *seconds * 1e-9) : "-", value,
                     check ? (*check ? "right" : "WRONG") : "-"});
    all_right_ = all_right_ && check.value_or(true);
    Json run;
    run["what"] = what;
    run["rows"] = n;
    run["seconds"] = seconds ? Json(*seconds) : Json();
    run["value"] = value;
    run["right"] = check ? Json(*check) : Json();
    runs_.push_back(run);
    std::fprintf(stderr, "%s, n = %zu: %s\n", what.c_str(), n, seconds ? app::format_seconds(*seconds).c_str() : "-");
  }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  bool all_right() const { return all_right_; }

 private:
  Json& runs_;
  std::vector<std::vector<std::string>> rows_{{"what", "rows", "seconds", "1e9 products/s of n^3/3", "value", "check"}};
  bool all_right_ = true;
};

void write_results(const Settings& settings, const Json& record, const Report& report) {
  if (!settings.json_file.empty()) write_record(settings.json_file, record);
  app::write_answer("Dense determinants, " + std::string(!settings.devices.empty() ? "kernels alone" : "whole calls") +
                    ", the best of " + std::to_string(settings.repeat) + ".\n" +
                    machine_line(settings.devices, resolve_num_threads(settings.run)) + "\n\n" +
                    app::table(report.rows(), ""));
}

}  // namespace

bool run_determinant(const CommandLine& line) {
  const std::optional<Settings> given = settings_from(line);
  if (!given) return true;
  const Settings& settings = *given;
  const bool on_gpu = !settings.devices.empty();
  // Held throughout, so that no call pays for its making.
  std::optional<DeviceContext> context;
  DeterminantReport report_of_call;
  if (on_gpu) context.emplace(settings.devices[0]);
  const Peer peer = on_gpu ? cusolver(*context) : lapack(settings.lapack);
  DeterminantOptions here;
  here.run = settings.run;
  here.run.device.kind = DeviceChoice::Kind::cpu;
  DeterminantOptions anywhere = here;
  if (on_gpu) anywhere.run.device = {DeviceChoice::Kind::cuda, {settings.devices[0].index}};

  Json record = record_header(line, settings.devices);
  record["seed"] = settings.run.seed;
  record["runs"] = Json::array();
  Report report(record["runs"]);
  const auto best = [&](auto&& body) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < settings.repeat; ++i) {
      Stopwatch run;
      body();
      // On a GPU its kernels alone, as for the peer: entries come from the host and are prepared there.
      const double whole = run.lap();
      least = std::min(least, on_gpu ? report_of_call.device_s : whole);
    }
    return least;
  };
  for (const std::size_t n : settings.rows) {
    Random random(settings.run.seed, n);
    std::vector<std::int64_t> integers(n * n);
    for (auto& entry : integers) entry = static_cast<std::int64_t>(random.below(1u << 31));
    DeterminantOptions there = anywhere, condensing = there;
    condensing.method = DeterminantMethod::condensation;
    // It goes at the speed of memory, which on a CPU takes long.
    const bool condense = on_gpu || n <= 2000;
    for (const std::uint32_t prime : {1073741789u, 2147483647u}) {
      std::uint32_t value = 0, condensed = 0;
      const std::string what = "modulo " + std::to_string(prime);
      const double seconds =
          best([&] { value = determinants_modulo(integers, n, {{prime}}, there, &report_of_call)[0]; });
      std::optional<bool> right;
      if (condense) {
        const double took =
            best([&] { condensed = determinants_modulo(integers, n, {{prime}}, condensing, &report_of_call)[0]; });
        right = condensed == value;
        report.add(what + ", condensation", n, took, std::to_string(condensed), right);
      }
      if (on_gpu) right = right.value_or(true) && determinants_modulo(integers, n, {{prime}}, here)[0] == value;
      report.add(what, n, seconds, std::to_string(value), right);
    }
    std::vector<double> reals(n * n);
    for (double& entry : reals) entry = random.uniform() - 0.5;
    DeterminantOptions bounding = there;
    there.run.precision = condensing.run.precision = bounding.run.precision = Precision::float64;
    there.bound = condensing.bound = false;
    RealValue bounded, plain;
    const double bounded_seconds = best([&] { bounded = determinant(reals, n, bounding, &report_of_call); });
    const double seconds = best([&] { plain = determinant(reals, n, there, &report_of_call); });
    std::optional<double> log2_peer;
    double peer_seconds = std::numeric_limits<double>::infinity();
    for (int i = 0; i < settings.repeat; ++i) {
      double once = 0;
      log2_peer = peer.run(reals, n, once);
      peer_seconds = std::min(peer_seconds, once);
    }
    const auto agrees = [&](const RealValue& value) {
      return std::fabs(value.value.log2_abs() - bounded.value.log2_abs()) < 1e-6;
    };
    report.add("doubles, with a bound", n, bounded_seconds, to_string(bounded),
               log2_peer ? std::optional(std::fabs(*log2_peer - bounded.value.log2_abs()) < 1e-6) : std::nullopt);
    report.add("doubles", n, seconds, to_scientific(plain.value, 6), agrees(plain));
    if (condense) {
      RealValue condensed;
      const double took = best([&] { condensed = determinant(reals, n, condensing, &report_of_call); });
      report.add("doubles, condensation", n, took, to_scientific(condensed.value, 6), agrees(condensed));
    }
    report.add(peer.name, n, log2_peer ? std::optional(peer_seconds) : std::nullopt, "-", std::nullopt);
  }
  write_results(settings, record, report);
  return report.all_right();
}

}  // namespace matchcount::bench
