// determinant: dense determinants of random matrices, beside LAPACK and cuSOLVER where their libraries are found.

#include "linear/determinant.hpp"

#include <cmath>

#include "bench/runner.hpp"
#include "bench/workload.hpp"
#include "core/random.hpp"

namespace matchcount::bench {
namespace {

double log2_of_diagonal(const std::vector<double>& factors, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::log2(std::fabs(factors[i * n + i]));
  return sum;
}

// Peer factors the matrix and tells the seconds and log2 |det|; nothing where there is no such library.
struct Factored {
  double seconds, log2_abs;
};
struct Peer {
  std::string name;
  std::function<std::optional<Factored>(const std::vector<double>&, std::size_t n)> run;
};

Peer lapack(const std::string& name) {
  const Library library({name, "libopenblas.so.0", "liblapack.so.3"});
  auto* factor = library.symbol<void(const int*, const int*, double*, const int*, int*, int*)>("dgetrf_");
  return {"LAPACK dgetrf", [factor](std::vector<double> factors, std::size_t n) -> std::optional<Factored> {
            if (factor == nullptr) return std::nullopt;
            std::vector<int> pivots(n);
            const int order = static_cast<int>(n);
            int info = 0;
            const double seconds =
                seconds_of([&] { factor(&order, &order, factors.data(), &order, pivots.data(), &info); });
            return Factored{seconds, log2_of_diagonal(factors, n)};
          }};
}

Peer cusolver(const DeviceContext& context) {
  const Library library(
      {"libcusolver.so", "libcusolver.so.12", "libcusolver.so.11", "/usr/local/cuda/lib64/libcusolver.so"});
  auto* create = library.symbol<int(void**)>("cusolverDnCreate");
  auto* destroy = library.symbol<int(void*)>("cusolverDnDestroy");
  auto* space = library.symbol<int(void*, int, int, void*, int, int*)>("cusolverDnDgetrf_bufferSize");
  auto* factor = library.symbol<int(void*, int, int, void*, int, void*, void*, void*)>("cusolverDnDgetrf");
  return {"cuSOLVER Dgetrf",
          [=, &context](const std::vector<double>& entries, std::size_t n) -> std::optional<Factored> {
            void* handle = nullptr;
            if (!create || !destroy || !space || !factor || create(&handle) != 0) return std::nullopt;
            const auto pointer = [](const DeviceBuffer& buffer) { return reinterpret_cast<void*>(buffer.address()); };
            const int order = static_cast<int>(n);
            int doubles = 0;
            DeviceBuffer matrix(context, entries.size() * sizeof(double)), pivots(context, (n + 1) * sizeof(int));
            matrix.upload(std::as_bytes(std::span(entries)));
            bool done = space(handle, order, order, pointer(matrix), order, &doubles) == 0;
            DeviceBuffer work(context, static_cast<std::size_t>(doubles) * sizeof(double));
            DeviceBuffer info(context, sizeof(int));
            context.synchronize();
            const double seconds = seconds_of([&] {
              done = done && factor(handle, order, order, pointer(matrix), order, pointer(work), pointer(pivots),
                                    pointer(info)) == 0;
              context.synchronize();
            });
            destroy(handle);
            if (!done) return std::nullopt;
            std::vector<double> factors(entries.size());
            matrix.download(std::as_writable_bytes(std::span(factors)));
            return Factored{seconds, log2_of_diagonal(factors, n)};
          }};
}

// Times the determinants of one size. On a GPU kernels alone count, as for the peer: entries come from the host and are
// prepared there.
void run_size(Bench& bench, std::size_t n, const DeterminantOptions& here, const DeterminantOptions& anywhere,
              const Peer& peer) {
  const bool on_gpu = anywhere.run.device.kind == DeviceChoice::Kind::cuda;
  // Condensation goes at the speed of memory, which on a CPU takes long.
  const bool condense = on_gpu || n <= 2000;
  DeterminantOptions condensing = anywhere;
  condensing.method = DeterminantMethod::condensation;
  DeterminantReport report;
  const auto outcome_of = [&](double seconds, const std::string& value) {
    const double products = std::pow(static_cast<double>(n), 3) / 3;
    return Outcome{seconds, {{"rows", n}, {"products_per_s", products / seconds}, {"value", value}}};
  };
  const auto time = [&](const std::string& name, const auto& call, const auto& text, std::function<Checks()> check) {
    bench.run({std::to_string(n), name, nullptr,
               [&] {
                 const double whole = seconds_of(call);
                 return outcome_of(on_gpu ? report.device_s : whole, text());
               },
               std::move(check)});
  };

  Random random(here.run.seed, n);
  std::vector<std::int64_t> integers(n * n);
  for (auto& entry : integers) entry = static_cast<std::int64_t>(random.below(1u << 31));
  for (const std::uint32_t prime : {1073741789u, 2147483647u}) {
    std::uint32_t value = 0, other = 0;
    const auto modulo = [&](const DeterminantOptions& options) {
      return determinants_modulo(integers, n, {{prime}}, options, &report)[0];
    };
    const std::string name = "modulo " + std::to_string(prime);
    time(
        name, [&] { value = modulo(anywhere); }, [&] { return std::to_string(value); },
        [&] {
          return on_gpu ? Checks{{"CPU", modulo(here) == value}} : Checks();
        });
    if (!condense) continue;
    time(
        name + ", condensation", [&] { other = modulo(condensing); }, [&] { return std::to_string(other); },
        [&] {
          return Checks{{"elimination", other == value}};
        });
  }

  std::vector<double> reals(n * n);
  for (double& entry : reals) entry = random.uniform() - 0.5;
  RealValue bounded, value;
  const auto close = [&](double log2_abs) { return std::fabs(log2_abs - bounded.value.log2_abs()) < 1e-6; };
  const auto compute = [&](DeterminantOptions options, bool bound) {
    options.run.precision = Precision::float64;
    options.bound = bound;
    return determinant(reals, n, options, &report);
  };
  time(
      "doubles, with a bound", [&] { bounded = compute(anywhere, true); }, [&] { return to_string(bounded); }, nullptr);
  for (const bool condensed : {false, true}) {
    if (condensed && !condense) continue;
    time(
        condensed ? "doubles, condensation" : "doubles",
        [&] { value = compute(condensed ? condensing : anywhere, false); },
        [&] { return to_scientific(value.value, 6); },
        [&] {
          return Checks{{"with a bound", close(value.value.log2_abs())}};
        });
  }
  std::optional<Factored> factored = peer.run(reals, n);
  if (!factored) return bench.add(std::to_string(n), peer.name, {{"value", "not found"}});
  bench.run({std::to_string(n), peer.name, nullptr,
             [&] {
               factored = peer.run(reals, n);
               return outcome_of(factored->seconds, "2^" + formatted("%.6f", factored->log2_abs));
             },
             [&] {
               return Checks{{"ours", close(factored->log2_abs)}};
             }});
}

void run(Bench& bench) {
  const Arguments& given = bench.given();
  std::vector<DeviceInfo> devices = given.devices();
  if (devices.size() > 1) devices.resize(1);
  DeterminantOptions here;
  here.run = given.run_on_cpu();
  DeterminantOptions anywhere = here;
  if (!devices.empty()) anywhere.run.device = {DeviceChoice::Kind::cuda, {devices[0].index}};
  const auto rows = given.numbers<std::size_t>("rows", 1, 50'000);
  // Held throughout, so that no call pays for their making.
  std::optional<DeviceContext> context;
  if (!devices.empty()) context.emplace(devices[0]);
  const Peer peer = context ? cusolver(*context) : lapack(given.text("lapack"));
  bench.begin(std::string("Dense determinants, ") + (context ? "kernels alone." : "whole calls."), devices,
              resolve_num_threads(here.run), {{"seed", here.run.seed}});
  for (const std::size_t n : rows) run_size(bench, n, here, anywhere, peer);
  bench.save();
}

}  // namespace

Suite determinant_suite() {
  return {
      "determinant",
      "dense determinants modulo primes and in doubles, beside LAPACK or cuSOLVER",
      "Times dense determinants of random matrices: modulo a prime of 30 and of 31 bits, in doubles with and without "
      "a bound, by elimination and (on a CPU up to 2000 rows) by condensation, and the LU factorisation of LAPACK "
      "(LIBRARY, else OpenBLAS, else the reference) or, with a GPU, of cuSOLVER.",
      "products_per_s value",
      {device_option,
       {"rows", "N,..", "sizes", "1000,4000"},
       repeat_option("3"),
       seed_option,
       threads_option,
       {"lapack", "LIBRARY", "a shared library with dgetrf_; it chooses its own threads"}},
      run};
}

}  // namespace matchcount::bench
