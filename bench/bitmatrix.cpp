// bitmatrix: products of random bit matrices, beside M4RI's on a CPU and the published ones of Karppa and Kaski.

#include <cstdlib>

#include "apps/text.hpp"
#include "bench/runner.hpp"
#include "bench/workload.hpp"
#include "graph/generate.hpp"
#include "linear/bits/cuda/product_gpu.hpp"
#include "linear/bits/cuda/streamed_gpu.hpp"
#include "linear/bits/cuda/winograd.hpp"
#include "linear/bits/elimination.hpp"
#include "linear/reachability.hpp"

namespace matchcount::bench {
namespace {

std::string_view name_of(gpu::BitRoute route) {
  constexpr std::string_view names[] = {"words", "mma", "wgmma"};
  return names[static_cast<int>(route)];
}
std::string name_of(BitSum sum) { return sum == BitSum::boolean ? "Boolean" : "binary"; }

// Lists the seconds that Karppa and Kaski (ALENEX 2019, arXiv:1909.01554, tables 9 to 11) published for Tesla V100s:
// one up to 65536 rows, and for the Boolean product of 131072, beyond that eight.
constexpr struct {
  std::size_t rows;
  double boolean_s, binary_s;  // the fastest of their algorithms
} published[] = {{1024, 9.84e-5, 1.07e-4}, {2048, 1.93e-4, 2.15e-4},  {4096, 1.30e-3, 9.97e-4},
                 {8192, 7.86e-3, 5.55e-3}, {16384, 5.94e-2, 3.76e-2}, {32768, 4.69e-1, 2.66e-1},
                 {65536, 3.73, 1.87},      {131072, 29.8, 3.33},      {262144, 75.1, 18.3},
                 {524288, 271, 119},       {1048576, 2110, 821}};

std::optional<double> published_seconds(std::size_t rows, BitSum sum) {
  for (const auto& entry : published) {
    if (entry.rows == rows) return sum == BitSum::boolean ? entry.boolean_s : entry.binary_s;
  }
  return std::nullopt;
}

// Returns the operations a second of one H200's instructions alone, as measured, or of words as its multiprocessors
// have lanes (64, each 64 a clock, at 1.755 GHz); of other devices nothing is known.
std::optional<double> ceiling(const DeviceInfo& device, gpu::BitRoute route) {
  if (device.name.find("H200") == std::string::npos) return std::nullopt;
  constexpr double ceilings[] = {9.49e14, 1.02e16, 1.49e16};
  return ceilings[static_cast<int>(route)];
}

// Returns the joules of one run of many, by NVML's counter of the board, which moves every 20 to 100 ms; nothing where
// there is none, or where CUDA_VISIBLE_DEVICES may have given the devices other numbers than NVML's.
std::optional<double> energy_of(const DeviceInfo& device, const std::function<void()>& run) {
  const Library library({"libnvidia-ml.so.1"});
  auto* const start = library.symbol<int()>("nvmlInit_v2");
  auto* const find = library.symbol<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
  auto* const consumption = library.symbol<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
  void* board = nullptr;
  unsigned long long before = 0, after = 0;
  if (std::getenv("CUDA_VISIBLE_DEVICES") != nullptr || !start || !find || !consumption || start() != 0 ||
      find(static_cast<unsigned>(device.index), &board) != 0 || consumption(board, &before) != 0)
    return std::nullopt;
  constexpr double long_enough_s = 1;
  int runs = 0;
  double elapsed_s = 0;
  for (Stopwatch watch; elapsed_s < long_enough_s; elapsed_s += watch.lap(), ++runs) run();
  if (consumption(board, &after) != 0) return std::nullopt;
  return static_cast<double>(after - before) / 1000 / runs;
}

// Returns the seconds of M4RI's product of random matrices of its own; nothing where there is no library.
std::function<double()> m4ri_product(const Library& library, std::size_t n) {
  auto* const init = library.symbol<void*(int, int)>("mzd_init");
  auto* const randomize = library.symbol<void(void*)>("mzd_randomize");
  auto* const multiply = library.symbol<void*(void*, const void*, const void*, int)>("mzd_mul");
  auto* const release = library.symbol<void(void*)>("mzd_free");
  if (!init || !randomize || !multiply || !release || n > 65536) return nullptr;
  return [=, order = static_cast<int>(n)] {
    void *const a = init(order, order), *const b = init(order, order), *const c = init(order, order);
    randomize(a);
    randomize(b);
    const double seconds = seconds_of([&] { multiply(c, a, b, 0); });
    for (void* const matrix : {a, b, c}) release(matrix);
    return seconds;
  };
}

// Makes vertices that are their own components, each with every 64th arc to those below, at random.
Condensation random_condensation(std::size_t n, std::uint64_t seed) {
  const auto size = static_cast<Vertex>(n);
  std::vector<Edge> arcs = random_graph(size, size, 1.0 / 64, seed).edges();
  std::erase_if(arcs, [](const Edge& arc) { return arc.column >= arc.row; });
  return condensation(Digraph::from_arcs(size, std::move(arcs)), RunContext());
}

// Matrices of one size, and what is done with them.
class Size {
 public:
  Size(Bench& bench, const std::vector<DeviceInfo>& devices, std::uint64_t seed, std::size_t n)
      : bench_(bench), devices_(devices), seed_(seed), n_(n), a_(random_bits(n, seed, 0)), b_(random_bits(n, seed, 1)) {
    on_gpu_.device = {DeviceChoice::Kind::cuda, {devices.empty() ? 0 : devices[0].index}};
    cpu_.device.kind = DeviceChoice::Kind::cpu;
  }

  void run_on_cpu(const std::vector<int>& threads, const Library& m4ri,
                  const std::function<bool(const char*)>& wanted) {
    for (const int number : threads) {
      RunOptions options = cpu_;
      options.num_threads = number;
      const std::string where = format_count(number, "thread", "threads");
      for (const BitSum sum : {BitSum::boolean, BitSum::binary}) {
        if (!wanted("product")) break;
        add_product(where, sum, [&](BitMatrix& c) { c = product_on_cpu(sum, a_, b_, options); });
      }
      if (wanted("determinant")) add_determinant(where, options);
      if (wanted("closure")) add_closure(where, options);
    }
    if (!wanted("product")) return;
    const auto product = m4ri_product(m4ri, n_);
    if (!product) return bench_.add("binary", "M4RI", {{"rows", n_}, {"remark", "not found"}});
    bench_.run(
        {"binary", "M4RI", nullptr, [&] { return product_outcome(product(), BitSum::binary, std::nullopt, {}); }});
  }

  void run_on_gpus(const std::vector<gpu::BitRoute>& routes, bool with_energy,
                   const std::function<bool(const char*)>& wanted) {
    for (const gpu::BitRoute route : routes) {
      if (wanted("product")) add_products_on_device(route, with_energy);
    }
    // Larger ones would take the memory that the products' matrices have.
    constexpr std::size_t most_rows = 131072;
    if (wanted("determinant") && n_ <= most_rows) add_determinant("GPU", on_gpu_);
    if (wanted("closure") && n_ <= most_rows) add_closure("GPU", on_gpu_);
    if (!wanted("streamed")) return;
    const auto one = ceiling(devices_[0], gpu::bit_routes(devices_[0]).front());
    for (const BitSum sum : {BitSum::boolean, BitSum::binary}) {
      add_product(
          "streamed", sum,
          [&](BitMatrix& c) {
            if (c.num_rows() == 0) c = BitMatrix(n_, n_);
            gpu::multiply_streamed(sum, a_, b_, c.view(), devices_, RunContext());
          },
          one ? std::optional(*one * static_cast<double>(devices_.size())) : std::nullopt);
    }
  }

 private:
  Json fields_of(double operations, double seconds) const {
    return {{"rows", n_}, {"operations_per_s", operations / seconds}};
  }
  Outcome product_outcome(double seconds, BitSum sum, std::optional<double> most_a_second,
                          std::optional<double> joules) const {
    const double size = static_cast<double>(n_), operations = 2 * size * size * size - size * size;
    Json fields = fields_of(operations, seconds);
    if (most_a_second) fields["share_of_ceiling_percent"] = 100 * operations / seconds / *most_a_second;
    fields["published_v100_s"] = or_null(published_seconds(n_, sum));
    if (joules) {
      fields["energy_j"] = *joules;
      fields["picojoules_per_operation"] = 1e12 * *joules / operations;
    }
    return {seconds, std::move(fields)};
  }

  void add_product(const std::string& where, BitSum sum, const std::function<void(BitMatrix&)>& multiply,
                   std::optional<double> most_a_second = {}) {
    BitMatrix c;
    bench_.run({name_of(sum), where, nullptr,
                [&] {
                  const double seconds = seconds_of([&] { multiply(c); });
                  return product_outcome(seconds, sum, most_a_second, {});
                },
                [&] {
                  return Checks{{"", is_product(sum, a_, b_, c)}};
                }});
  }

  // Multiplies matrices that lie on the first device, by its own clock, transposing included.
  void add_products_on_device(gpu::BitRoute route, bool with_energy) {
    gpu::BitDevice device(devices_[0], route);
    const auto has_room = [&](double bytes) {
      return bytes < 0.9 * static_cast<double>(device.context().free_bytes());
    };
    if (!has_room(4 * BitMatrix::bytes(n_, n_))) return;
    gpu::DeviceBits left(device.context(), n_, n_), right(device.context(), n_, n_), turned(device.context(), n_, n_),
        product(device.context(), n_, n_);
    left.upload(a_);
    right.upload(b_);
    const auto add = [&](const std::string& form, BitSum sum, const std::function<void()>& multiply) {
      const auto once = [&] {
        DeviceEvent begin(device.context()), end(device.context());
        device.stream().record(begin);
        device.transpose(right, turned);
        multiply();
        device.stream().record(end);
        device.stream().synchronize();
        return end.seconds_since(begin);
      };
      const auto joules = with_energy ? energy_of(devices_[0], once) : std::nullopt;
      bench_.run({name_of(sum), std::string(name_of(route)) + form, nullptr,
                  [&] { return product_outcome(once(), sum, ceiling(devices_[0], route), joules); },
                  [&] {
                    BitMatrix c(n_, n_);
                    product.download(c.view());
                    return Checks{{"", is_product(sum, a_, b_, c)}};
                  },
                  1});
    };
    for (const BitSum sum : {BitSum::boolean, BitSum::binary})
      add("", sum, [&] { device.multiply(sum, left, turned, product); });
    if (route == gpu::BitRoute::words) return;
    for (const std::size_t least : {gpu::winograd_least / 2, gpu::winograd_least}) {
      if (gpu::quarter_sizes(n_, n_, n_).least() < least || !has_room(gpu::WinogradSpace::bytes(n_, n_, n_, least)))
        continue;
      const gpu::WinogradSpace space(device.context(), n_, n_, n_, least);
      add(", Winograd " + std::to_string(space.levels().size()), BitSum::binary,
          [&] { gpu::multiply_winograd(device, space.levels(), left, turned, product); });
    }
  }

  // Counts a third of a product's operations for what is left.
  Outcome third_outcome(double seconds, const std::string& value) const {
    const double size = static_cast<double>(n_);
    Json fields = fields_of(2 * size * size * size / 3, seconds);
    fields["value"] = value;
    return {seconds, std::move(fields)};
  }

  // Starts from the host's memory. An odd determinant takes all of the elimination; an even one may end early.
  void add_determinant(const std::string& where, const RunOptions& options) {
    bench_.run({"determinant", where, nullptr, [&] {
                  BitMatrix copy(a_);
                  bool odd = false;
                  const double seconds =
                      seconds_of([&] { odd = binary_determinant(std::move(copy), RunContext(options)); });
                  return third_outcome(seconds, odd ? "1" : "0");
                }});
  }

  void add_closure(const std::string& where, const RunOptions& options) {
    Condensation components;
    std::uint64_t pairs = 0;
    const auto count = [&](const RunOptions& how) { return count_reachable_pairs(components, RunContext(how)); };
    constexpr std::size_t most_checked = 16384;
    bench_.run({"closure", where, [&] { components = random_condensation(n_, seed_); },
                [&] {
                  const double seconds = seconds_of([&] { pairs = count(options); });
                  return third_outcome(seconds, std::to_string(pairs));
                },
                [&] {
                  const bool other = options.device.kind == DeviceChoice::Kind::cuda && n_ <= most_checked;
                  return other ? Checks{{"CPU", pairs == count(cpu_)}} : Checks();
                }});
  }

  Bench& bench_;
  const std::vector<DeviceInfo>& devices_;
  std::uint64_t seed_;
  std::size_t n_;
  BitMatrix a_, b_;
  RunOptions on_gpu_, cpu_;
};

// Returns those of --routes, or all but words.
std::vector<gpu::BitRoute> routes_of(const Arguments& given, const std::vector<DeviceInfo>& devices) {
  std::vector<gpu::BitRoute> routes;
  if (!devices.empty()) routes = gpu::bit_routes(devices[0]);
  if (!given.has("routes")) {
    std::erase(routes, gpu::BitRoute::words);
    return routes;
  }
  std::vector<gpu::BitRoute> chosen;
  for (const std::string& name : given.list("routes")) {
    const auto route =
        std::find_if(routes.begin(), routes.end(), [&](gpu::BitRoute one) { return name_of(one) == name; });
    if (route == routes.end()) throw InputError("--routes " + name, "routes that the GPU has, of wgmma, mma and words");
    chosen.push_back(*route);
  }
  return chosen;
}

void run(Bench& bench) {
  const Arguments& given = bench.given();
  std::vector<DeviceInfo> devices = given.devices();
  std::erase_if(devices, [](const DeviceInfo& device) { return gpu::bit_routes(device).empty(); });
  const std::vector<gpu::BitRoute> routes = routes_of(given, devices);
  const std::vector<std::string> parts = given.list("parts");
  const auto is_in = [](const std::vector<std::string>& list, const std::string& part) {
    return std::find(list.begin(), list.end(), part) != list.end();
  };
  for (const std::string& part : parts) {
    if (!is_in({"product", "determinant", "closure", "streamed"}, part))
      throw InputError("--parts " + part, "product, determinant, closure or streamed");
  }
  std::vector<std::size_t> rows = given.numbers<std::size_t>("rows", 1, std::size_t{1} << 20);
  for (std::size_t n = 1024; !given.has("rows") && n <= (devices.empty() ? 16384u : 65536u); n *= 2) rows.push_back(n);
  std::vector<int> threads = given.numbers<int>("threads", 1, 1024);
  const int all = resolve_num_threads({});
  if (threads.empty()) threads = all > 1 ? std::vector{1, all} : std::vector{1};
  const auto seed = given.number<std::uint64_t>("seed", 0, ~std::uint64_t{0});
  const Library m4ri({given.text("m4ri"), "libm4ri.so", "libm4ri-0.0.20200125.so", "libm4ri-0.0.20240729.so"});
  // Held throughout, so that no call pays for their making.
  const std::vector<DeviceContext> contexts(devices.begin(), devices.end());
  bench.begin("Products of bit matrices.", devices, threads.back(), {{"seed", seed}});
  const auto wanted = [&](const char* part) { return is_in(parts, part); };
  for (const std::size_t n : rows) {
    Size size(bench, devices, seed, n);
    if (devices.empty()) {
      size.run_on_cpu(threads, m4ri, wanted);
    } else {
      size.run_on_gpus(routes, given.has("energy"), wanted);
    }
  }
  bench.save();
}

}  // namespace

Suite bitmatrix_suite() {
  return {
      "bitmatrix",
      "products of bit matrices, on GPUs or a CPU, beside M4RI and what was published",
      "Times Boolean and binary products of random n x n bit matrices, determinants of them, and the closure of an "
      "acyclic digraph with every 64th arc: on a CPU beside M4RI where its library is found; on GPUs with the matrices "
      "on one device (transposing included) and streamed from host memory over all of them. Operations are 2 n^3 - "
      "n^2, of determinants and closures a third. Rows of the product are checked by sums of rows, closures up to "
      "16384 vertices by the CPU.",
      "",
      {{"routes", "R,..",
        "of products on a GPU: wgmma, mma, words (AND and XOR of words, as published; default: all but those)"},
       device_option,
       {"parts", "P,..", "what to time", "product,determinant,closure,streamed"},
       {"rows", "N,..", "sizes (default: 1024 to 16384, with GPUs to 65536, doubling)"},
       {"threads", "N,..", "of the CPU (default: 1 and every core)"},
       repeat_option("3"),
       {"energy", "", "also what products on one device consume, by running each for a second (NVML tells it)"},
       seed_option,
       {"m4ri", "LIBRARY", "a shared library with mzd_mul"}},
      run};
}

}  // namespace matchcount::bench
