// bitmatrix: products of random bit matrices, beside M4RI's on a CPU and the published ones of Karppa and Kaski.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>

#define CXXOPTS_NO_REGEX

#include "apps/answer.hpp"
#include "bench/commands.hpp"
#include "bench/energy.hpp"
#include "bench/options.hpp"
#include "bench/record.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/stopwatch.hpp"
#include "linear/bits/cuda/product_gpu.hpp"
#include "linear/bits/cuda/streamed_gpu.hpp"
#include "linear/bits/cuda/winograd.hpp"
#include "linear/bits/elimination.hpp"
#include "linear/bits/product.hpp"
#include "linear/reachability.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

constexpr const char* help_text = R"(Usage: matchcount-bench bitmatrix [options]

Times Boolean and binary products of random n x n bit matrices, determinants of them, and the closure of an acyclic
digraph with every 64th arc: on a CPU beside M4RI where its library is found; on GPUs with the matrices on one device
(transposing included) and streamed from host memory over all of them. Operations are 2 n^3 - n^2, of determinants and
closures a third. Rows of the product are checked by sums of rows, closures up to 16384 vertices by the CPU.

  --routes R,..     of products on a GPU: wgmma, mma, words (AND and XOR of words, as published; default: all but those)
  --device WHERE    auto, cpu or cuda, cuda:0,1 (default: auto, GPUs if there are any)
  --parts P,..      product, determinant, closure, streamed (default: all)
  --rows N,..       sizes (default: 1024 to 16384, with GPUs to 65536, doubling)
  --threads N,..    of the CPU (default: 1 and every core)
  --repeat N        each so many times, of which the best counts (default: 3)
  --energy          also what products on one device consume, by running each for a second (NVML tells it)
  --seed N          of the entries (default: 1)
  --m4ri LIBRARY    a shared library with mzd_mul
  --json FILE       also writes everything to FILE
  -h, --help        this text
)";

std::string_view name_of(gpu::BitRoute route) {
  constexpr std::string_view names[] = {"words", "mma", "wgmma"};
  return names[static_cast<int>(route)];
}

struct Settings {
  std::vector<std::size_t> rows;
  std::vector<DeviceInfo> devices;
  std::vector<gpu::BitRoute> routes;
  std::vector<std::string> parts{"product", "determinant", "closure", "streamed"};
  std::vector<int> threads;
  int repeat = 3;
  bool energy = false;
  std::uint64_t seed = 1;
  std::string m4ri, json_file;

  bool has(std::string_view part) const { return std::find(parts.begin(), parts.end(), part) != parts.end(); }
};

std::optional<Settings> settings_from(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench bitmatrix");
  auto add = parser.add_options();
  add("routes", "", cxxopts::value<std::vector<std::string>>());
  add("device", "", cxxopts::value<std::string>()->default_value("auto"));
  add("parts", "", cxxopts::value<std::vector<std::string>>());
  add("rows", "", cxxopts::value<std::vector<std::size_t>>());
  add("threads", "", cxxopts::value<std::vector<int>>());
  add("repeat", "", cxxopts::value<int>()->default_value("3"));
  add("energy", "");
  add("seed", "", cxxopts::value<std::uint64_t>()->default_value("1"));
  add("m4ri", "", cxxopts::value<std::string>());
  add("json", "", cxxopts::value<std::string>());
  return read_options(
      line, "bitmatrix", help_text, parser, [](const cxxopts::ParseResult& parsed) -> std::optional<Settings> {
        Settings settings;
        settings.devices = choose_devices(parse_device_choice(parsed["device"].as<std::string>()));
        std::erase_if(settings.devices, [](const DeviceInfo& device) { return gpu::bit_routes(device).empty(); });
        if (!settings.devices.empty()) settings.routes = gpu::bit_routes(settings.devices[0]);
        if (parsed.count("routes") == 0) {
          std::erase(settings.routes, gpu::BitRoute::words);
        } else {
          const auto names = parsed["routes"].as<std::vector<std::string>>();
          for (const std::string& name : names) {
            const auto is_it = [&](gpu::BitRoute route) { return name_of(route) == name; };
            if (std::none_of(settings.routes.begin(), settings.routes.end(), is_it))
              throw InputError("--routes " + name, "routes that the GPU has, of wgmma, mma and words");
          }
          std::erase_if(settings.routes, [&](gpu::BitRoute route) {
            return std::find(names.begin(), names.end(), name_of(route)) == names.end();
          });
        }
        if (parsed.count("parts") != 0) {
          const auto given = parsed["parts"].as<std::vector<std::string>>();
          for (const std::string& part : given) {
            if (!settings.has(part)) throw InputError("--parts " + part, "product, determinant, closure or streamed");
          }
          settings.parts = given;
        }
        if (parsed.count("rows") != 0) {
          settings.rows = parsed["rows"].as<std::vector<std::size_t>>();
        } else {
          const std::size_t last = settings.devices.empty() ? 16384 : 65536;
          for (std::size_t n = 1024; n <= last; n *= 2) settings.rows.push_back(n);
        }
        for (const std::size_t n : settings.rows) within("rows", n, std::size_t{1} << 20);
        if (parsed.count("threads") != 0) {
          settings.threads = parsed["threads"].as<std::vector<int>>();
        } else {
          settings.threads = {1};
          if (const int all = resolve_num_threads({}); all > 1) settings.threads.push_back(all);
        }
        for (const int threads : settings.threads) within("threads", threads, 1024);
        settings.repeat = within("repeat", parsed["repeat"].as<int>(), 1000);
        settings.energy = parsed.count("energy") != 0;
        settings.seed = parsed["seed"].as<std::uint64_t>();
        if (parsed.count("m4ri") != 0) settings.m4ri = parsed["m4ri"].as<std::string>();
        if (parsed.count("json") != 0) settings.json_file = parsed["json"].as<std::string>();
        return settings;
      });
}

// Seconds that Karppa and Kaski (ALENEX 2019, arXiv:1909.01554, tables 9 to 11) published for Tesla V100s: one up to
// 65536 rows, and for the Boolean product of 131072, beyond that eight.
struct Published {
  std::size_t rows;
  double boolean_s, binary_s;  // the fastest of their algorithms
};
constexpr Published published[] = {{1024, 9.84e-5, 1.07e-4}, {2048, 1.93e-4, 2.15e-4},  {4096, 1.30e-3, 9.97e-4},
                                   {8192, 7.86e-3, 5.55e-3}, {16384, 5.94e-2, 3.76e-2}, {32768, 4.69e-1, 2.66e-1},
                                   {65536, 3.73, 1.87},      {131072, 29.8, 3.33},      {262144, 75.1, 18.3},
                                   {524288, 271, 119},       {1048576, 2110, 821}};

std::optional<double> published_seconds(std::size_t rows, BitSum sum) {
  for (const Published& entry : published) {
    if (entry.rows == rows) return sum == BitSum::boolean ? entry.boolean_s : entry.binary_s;
  }
  return std::nullopt;
}

// Operations a second of one H200's instructions alone, as measured, or of words as its multiprocessors have lanes (64,
// each 64 a clock, at 1.755 GHz); of other devices nothing is known.
std::optional<double> ceiling(const DeviceInfo& device, gpu::BitRoute route) {
  if (device.name.find("H200") == std::string::npos) return std::nullopt;
  constexpr double ceilings[] = {9.49e14, 1.02e16, 1.49e16};
  return ceilings[static_cast<int>(route)];
}

std::string_view name_of(BitSum sum) { return sum == BitSum::boolean ? "Boolean" : "binary"; }

BitMatrix random_matrix(std::size_t n, std::uint64_t seed, std::uint64_t matrix) {
  BitMatrix result(n, n);
  parallel_for_chunks(resolve_num_threads({}), n, [&](std::uint64_t row, int) {
    Random random(seed, 2 * row + matrix);
    std::uint64_t* const words = result.row(row);
    for (std::size_t w = 0; w < (n + 63) / 64; ++w) words[w] = random();
    if (n % 64 != 0) words[n / 64] &= (std::uint64_t{1} << n % 64) - 1;
  });
  return result;
}

// Of some rows, that each is the sum of the rows of b that its row of a selects.
bool is_right(BitSum sum, const BitMatrix& a, const BitMatrix& b, const BitMatrix& c) {
  const std::size_t n = a.num_rows(), words = (n + 63) / 64;
  constexpr std::size_t samples = 8;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t row = (n - 1) * i / (samples - 1);
    std::vector<std::uint64_t> expected(words, 0);
    for (std::size_t k = 0; k < n; ++k) {
      if (!a.get(row, k)) continue;
      for (std::size_t w = 0; w < words; ++w)
        expected[w] = sum == BitSum::boolean ? expected[w] | b.row(k)[w] : expected[w] ^ b.row(k)[w];
    }
    if (!std::equal(expected.begin(), expected.end(), c.row(row))) return false;
  }
  return true;
}

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

class Report {
 public:
  Report(Json& runs, bool energy) : runs_(runs), energy_(energy) {
    rows_.push_back({"what", "rows", "seconds", "1e12 operations/s", "% of ceiling", "V100, published", "check"});
    if (energy_) rows_.back().push_back("pJ/operation");
  }

  // Of a product, whose `sum` is told; else of a determinant or a closure.
  void add(const std::string& what, std::optional<BitSum> sum, std::size_t n, std::optional<double> seconds,
           std::optional<double> most_a_second, std::optional<bool> right,
           std::optional<double> joules = std::nullopt) {
    const double size = static_cast<double>(n);
    const double operations = sum ? 2 * size * size * size - size * size : 2 * size * size * size / 3;
    const std::optional<double> paper = sum ? published_seconds(n, *sum) : std::nullopt;
    const auto cell = [](const char* pattern, std::optional<double> value) {
      return value ? format(pattern, *value) : std::string("-");
    };
    const auto rate = seconds ? std::optional(operations / *seconds) : std::nullopt;
    const auto share = rate && most_a_second ? std::optional(100 * *rate / *most_a_second) : std::nullopt;
    rows_.push_back({what, std::to_string(n), seconds ? format("%.3e", *seconds) : "not found",
                     cell("%.3g", rate ? std::optional(*rate * 1e-12) : std::nullopt), cell("%.0f", share),
                     cell("%.2e", paper), right ? (*right ? "right" : "WRONG") : "-"});
    if (energy_)
      rows_.back().push_back(cell("%.3g", joules ? std::optional(1e12 * *joules / operations) : std::nullopt));
    all_right_ = all_right_ && right.value_or(true);
    const auto json = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
    Json run;
    run["what"] = what;
    run["sum"] = sum ? Json(name_of(*sum)) : Json();
    run["rows"] = n;
    run["seconds"] = json(seconds);
    run["operations_per_s"] = json(rate);
    run["share_of_ceiling_percent"] = json(share);
    run["energy_j"] = json(joules);
    run["published_v100_s"] = json(paper);
    run["right"] = right ? Json(*right) : Json();
    runs_.push_back(run);
    std::fprintf(stderr, "%s, n = %zu: %s\n", what.c_str(), n, seconds ? app::format_seconds(*seconds).c_str() : "-");
  }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  bool all_right() const { return all_right_; }

 private:
  Json& runs_;
  bool energy_;
  std::vector<std::vector<std::string>> rows_;
  bool all_right_ = true;
};

// The least seconds of so many runs.
double best(int repeat, const std::function<double()>& run) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeat; ++i) least = std::min(least, run());
  return least;
}
double best_of_calls(int repeat, const std::function<void()>& call) {
  return best(repeat, [&] {
    Stopwatch watch;
    call();
    return watch.lap();
  });
}

// M4RI's product of random matrices of its own; nothing where there is no library.
class M4ri {
 public:
  explicit M4ri(const std::string& name) {
    for (const std::string& file : {name, std::string("libm4ri.so"), std::string("libm4ri-0.0.20200125.so"),
                                    std::string("libm4ri-0.0.20240729.so")}) {
      if (library_ == nullptr && !file.empty()) library_ = dlopen(file.c_str(), RTLD_NOW);
    }
  }
  std::optional<double> product_seconds(std::size_t n, int repeat) const {
    auto* const init = symbol<void*(int, int)>("mzd_init");
    auto* const randomize = symbol<void(void*)>("mzd_randomize");
    auto* const multiply = symbol<void*(void*, const void*, const void*, int)>("mzd_mul");
    auto* const release = symbol<void(void*)>("mzd_free");
    if (!init || !randomize || !multiply || !release || n > 65536) return std::nullopt;
    const int order = static_cast<int>(n);
    void *const a = init(order, order), *const b = init(order, order), *const c = init(order, order);
    randomize(a);
    randomize(b);
    const double seconds = best_of_calls(repeat, [&] { multiply(c, a, b, 0); });
    for (void* const matrix : {a, b, c}) release(matrix);
    return seconds;
  }

 private:
  template <class Function>
  Function* symbol(const char* name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library_, name));
  }
  void* library_ = nullptr;  // never closed
};

// Vertices that are their own components, each with every 64th arc to those below, at random.
Condensation random_condensation(std::size_t n, std::uint64_t seed) {
  std::vector<std::vector<Vertex>> successors(n);
  parallel_for_chunks(resolve_num_threads({}), n, [&](std::uint64_t vertex, int) {
    Random random(seed, 2 * (n + vertex));
    for (std::size_t word = vertex / 64 + 1; word-- > 0;) {
      std::uint64_t bits = ~std::uint64_t{0};
      for (int halvings = 0; halvings < 6; ++halvings) bits &= random();
      if (word == vertex / 64) bits &= (std::uint64_t{1} << vertex % 64) - 1;
      for (; bits != 0; bits &= ~(std::uint64_t{1} << (63 - __builtin_clzll(bits))))
        successors[vertex].push_back(
            static_cast<Vertex>(64 * word + 63 - static_cast<unsigned>(__builtin_clzll(bits))));
    }
  });
  Condensation components;
  components.has_cycle.assign(n, false);
  components.member_offsets = {0};
  components.arc_offsets = {0};
  for (Vertex v = 0; v < n; ++v) {
    components.component.push_back(v);
    components.member_vertices.push_back(v);
    components.member_offsets.push_back(v + 1);
    components.arc_targets.insert(components.arc_targets.end(), successors[v].begin(), successors[v].end());
    components.arc_offsets.push_back(components.arc_targets.size());
  }
  return components;
}

void time_closure(const Settings& settings, std::size_t n, const RunOptions& options, const std::string& where,
                  Report& report) {
  const Condensation components = random_condensation(n, settings.seed);
  std::uint64_t pairs = 0;
  const double seconds =
      best_of_calls(settings.repeat, [&] { pairs = count_reachable_pairs(components, RunContext(options)); });
  std::optional<bool> right;
  constexpr std::size_t most_checked = 16384;
  if (options.device.kind == DeviceChoice::Kind::cuda && n <= most_checked) {
    RunOptions cpu;
    cpu.device.kind = DeviceChoice::Kind::cpu;
    right = pairs == count_reachable_pairs(components, RunContext(cpu));
  }
  report.add("closure" + where, std::nullopt, n, seconds, std::nullopt, right);
}

// From the host's memory on. An odd determinant takes all of the elimination; an even one may end early.
void time_determinant(const Settings& settings, const BitMatrix& a, const RunOptions& options, const std::string& where,
                      Report& report) {
  bool odd = false;
  const double seconds = best(settings.repeat, [&] {
    BitMatrix copy(a);
    Stopwatch watch;
    odd = binary_determinant(std::move(copy), RunContext(options));
    return watch.lap();
  });
  report.add("determinant" + where + (odd ? " (1)" : " (0)"), std::nullopt, a.num_rows(), seconds, std::nullopt,
             std::nullopt);
}

void time_on_cpu(const Settings& settings, const M4ri& peer, const BitMatrix& a, const BitMatrix& b, Report& report) {
  const std::size_t n = a.num_rows();
  for (const int threads : settings.threads) {
    RunOptions options;
    options.num_threads = threads;
    options.device.kind = DeviceChoice::Kind::cpu;
    const std::string where = ", " + app::format_count(threads, "thread", "threads");
    for (const BitSum sum : {BitSum::boolean, BitSum::binary}) {
      if (!settings.has("product")) break;
      BitMatrix c;
      const double seconds = best_of_calls(settings.repeat, [&] {
        c = sum == BitSum::boolean ? boolean_product(a, b, RunContext(options))
                                   : binary_product(a, b, RunContext(options));
      });
      report.add(std::string(name_of(sum)) + where, sum, n, seconds, std::nullopt, is_right(sum, a, b, c));
    }
    if (settings.has("determinant")) time_determinant(settings, a, options, where, report);
    if (settings.has("closure")) time_closure(settings, n, options, where, report);
  }
  if (!settings.has("product")) return;
  report.add("binary, M4RI", BitSum::binary, n, peer.product_seconds(n, settings.repeat), std::nullopt, std::nullopt);
}

// Joules of one run of many; nothing where they can't be told.
std::optional<double> energy_of(const DeviceInfo& device, const std::function<void()>& run) {
  const EnergyCounter counter(device);
  const std::optional<double> before = counter.joules();
  if (!before) return std::nullopt;
  constexpr double long_enough_s = 1;
  int runs = 0;
  double elapsed_s = 0;
  for (Stopwatch watch; elapsed_s < long_enough_s; elapsed_s += watch.lap(), ++runs) run();
  const std::optional<double> after = counter.joules();
  return after ? std::optional((*after - *before) / runs) : std::nullopt;
}

// The matrices on the first device, by its own clock, transposing included.
void time_on_device(const Settings& settings, const BitMatrix& a, const BitMatrix& b, Report& report) {
  const std::size_t n = a.num_rows();
  for (const gpu::BitRoute route : settings.routes) {
    gpu::BitDevice device(settings.devices[0], route);
    const auto has_room = [&](double bytes) {
      return bytes < 0.9 * static_cast<double>(device.context().free_bytes());
    };
    if (!has_room(4 * BitMatrix::bytes(n, n))) continue;
    gpu::DeviceBits left(device.context(), n, n), right(device.context(), n, n), turned(device.context(), n, n),
        product(device.context(), n, n);
    left.upload(a);
    right.upload(b);
    const auto time = [&](const std::string& what, BitSum sum, const std::function<void()>& multiply) {
      const auto run = [&] {
        DeviceEvent begin(device.context()), end(device.context());
        device.stream().record(begin);
        device.transpose(right, turned);
        multiply();
        device.stream().record(end);
        device.stream().synchronize();
        return end.seconds_since(begin);
      };
      run();
      const double seconds = best(settings.repeat, run);
      BitMatrix c(n, n);
      product.download(c.view());
      report.add(std::string(name_of(sum)) + ", " + std::string(name_of(route)) + what, sum, n, seconds,
                 ceiling(settings.devices[0], route), is_right(sum, a, b, c),
                 settings.energy ? energy_of(settings.devices[0], run) : std::nullopt);
    };
    for (const BitSum sum : {BitSum::boolean, BitSum::binary})
      time("", sum, [&] { device.multiply(sum, left, turned, product); });
    if (route == gpu::BitRoute::words) continue;
    for (const std::size_t least : {gpu::winograd_least / 2, gpu::winograd_least}) {
      if (gpu::quarter_sizes(n, n, n).least() < least || !has_room(gpu::WinogradSpace::bytes(n, n, n, least))) continue;
      const gpu::WinogradSpace space(device.context(), n, n, n, least);
      time(", Winograd " + std::to_string(space.levels().size()), BitSum::binary,
           [&] { gpu::multiply_winograd(device, space.levels(), left, turned, product); });
    }
  }
}

RunOptions on_first_gpu(const Settings& settings) {
  RunOptions options;
  options.device.kind = DeviceChoice::Kind::cuda;
  options.device.indices = {settings.devices[0].index};
  return options;
}

void time_streamed(const Settings& settings, const BitMatrix& a, const BitMatrix& b, Report& report) {
  const std::size_t n = a.num_rows();
  for (const BitSum sum : {BitSum::boolean, BitSum::binary}) {
    BitMatrix c(n, n);
    const double seconds = best_of_calls(
        settings.repeat, [&] { gpu::multiply_streamed(sum, a, b, c.view(), settings.devices, RunContext()); });
    const auto one = ceiling(settings.devices[0], gpu::bit_routes(settings.devices[0]).front());
    report.add(std::string(name_of(sum)) + ", streamed", sum, n, seconds,
               one ? std::optional(*one * static_cast<double>(settings.devices.size())) : std::nullopt,
               is_right(sum, a, b, c));
  }
}

}  // namespace

bool run_bitmatrix(const CommandLine& line) {
  const std::optional<Settings> given = settings_from(line);
  if (!given) return true;
  const Settings& settings = *given;
  const M4ri peer(settings.m4ri);
  // Held throughout, so that no call pays for its making.
  std::vector<DeviceContext> contexts(settings.devices.begin(), settings.devices.end());
  Json record = record_header(line, settings.devices);
  record["seed"] = settings.seed;
  record["runs"] = Json::array();
  Report report(record["runs"], settings.energy);
  for (const std::size_t n : settings.rows) {
    const BitMatrix a = random_matrix(n, settings.seed, 0), b = random_matrix(n, settings.seed, 1);
    if (settings.devices.empty()) {
      time_on_cpu(settings, peer, a, b, report);
    } else {
      if (settings.has("product")) time_on_device(settings, a, b, report);
      // Larger ones would take the memory that the products' matrices have.
      constexpr std::size_t most_rows = 131072;
      if (settings.has("determinant") && n <= most_rows)
        time_determinant(settings, a, on_first_gpu(settings), ", GPU", report);
      if (settings.has("closure") && n <= most_rows) time_closure(settings, n, on_first_gpu(settings), ", GPU", report);
      if (settings.has("streamed")) time_streamed(settings, a, b, report);
    }
  }
  if (!settings.json_file.empty()) write_record(settings.json_file, record);
  app::write_answer("Products of bit matrices, the best of " + std::to_string(settings.repeat) + ".\n" +
                    machine_line(settings.devices, settings.threads.back()) + "\n\n" + app::table(report.rows(), ""));
  return report.all_right();
}

}  // namespace matchcount::bench
