// dense: batches of small dense permanents and hafnians, and amplitudes of many photons, on GPUs or a CPU. Needs the
// wing photonics for GPUs, and for amplitudes at their speed.

#include <algorithm>
#include <cmath>
#include <complex>

#include "bench/runner.hpp"
#include "bench/workload.hpp"
#include "core/random.hpp"
#include "matchcount/batches.hpp"
#include "permanent/dense/one_matrix.hpp"

namespace matchcount::bench {
namespace {

using Complex = std::complex<double>;

struct Batch {
  const char* name;
  DenseShape shape;
  std::size_t count;

  std::size_t columns() const { return shape.hafnian ? shape.row_times.size() : shape.column_times.size(); }
  std::size_t doubles() const { return shape.row_times.size() * columns() * (shape.complex ? 2 : 1); }
};

std::vector<Batch> batches() {
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

// Appends the rows of a random unitary matrix: normal ones, made orthogonal one after the other, twice.
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

std::vector<double> entries_of(const Batch& batch, std::uint64_t seed) {
  Random random(seed, batch.doubles());
  std::vector<double> entries;
  if (batch.shape.row_times.front() > 1) {
    for (std::size_t i = 0; i < batch.count; ++i) append_unitary(entries, batch.columns(), random);
    return entries;
  }
  entries.resize(batch.count * batch.doubles());
  for (double& entry : entries) entry = 2 * random.uniform() - 1;
  const std::size_t n = batch.columns(), parts = batch.shape.complex ? 2 : 1;
  for (std::size_t i = 0; batch.shape.hafnian && i < entries.size(); ++i) {
    const std::size_t place = i % batch.doubles() / parts;
    entries[i] = entries[i / batch.doubles() * batch.doubles() + (place % n * n + place / n) * parts + i % parts];
  }
  return entries;
}

template <class T>
std::vector<Value> values_of(const DenseShape& shape, std::span<const T> entries, const RunOptions& run) {
  if (shape.row_times.front() == 1) {
    const std::size_t n = shape.row_times.size();
    const auto values = shape.hafnian ? hafnians(entries, n, shape.loops, run) : permanents(entries, n, run);
    return {values.begin(), values.end()};
  }
  std::vector<Value> values;
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
std::vector<Value> values_of(const DenseShape& shape, std::span<const double> entries, const RunOptions& run) {
  if (!shape.complex) return values_of<double>(shape, entries, run);
  std::vector<Complex> numbers;
  for (std::size_t i = 0; i < entries.size(); i += 2) numbers.emplace_back(entries[i], entries[i + 1]);
  return values_of<Complex>(shape, numbers, run);
}

// Returns whether the first and the last value of a GPU agree with the CPU's, or with those of kernels for complex
// numbers.
bool is_right(const Batch& batch, std::span<const double> entries, const std::vector<Value>& values,
              const RunOptions& on_cpu, const RunOptions& on_gpus) {
  for (const std::size_t i : {std::size_t{0}, batch.count - 1}) {
    const std::span<const double> own = entries.subspan(i * batch.doubles(), batch.doubles());
    if (batch.shape.hafnian || batch.columns() <= 20) {
      if (!agree(values[i], values_of(batch.shape, own, on_cpu)[0])) return false;
      continue;
    }
    DenseShape complex = batch.shape;
    complex.complex = true;
    std::vector<double> parts;
    for (const double entry : own) parts.insert(parts.end(), {entry, 0});
    if (!agree(values[i], values_of(complex, parts, on_gpus)[0])) return false;
  }
  return true;
}

void run(Bench& bench) {
  const std::vector<DeviceInfo> devices = bench.given().devices();
  RunOptions on_cpu = bench.given().run_on_cpu();
  on_cpu.time_limit_s = bench.given().seconds("time-limit");
  RunOptions run = on_cpu;
  if (!devices.empty()) {
    run.device.kind = DeviceChoice::Kind::cuda;
    for (const DeviceInfo& device : devices) run.device.indices.push_back(device.index);
  }
  // Contexts are held throughout, so that no call pays for their making.
  const std::vector<DeviceContext> contexts(devices.begin(), devices.end());
  bench.begin("Batches of small dense matrices.", devices, resolve_num_threads(run), Json::object());
  for (const Batch& batch : batches()) {
    std::vector<double> entries;
    std::vector<Value> values;
    Case what{batch.name, std::to_string(batch.count) + (batch.count == 1 ? " matrix" : " matrices")};
    what.prepare = [&] { entries = entries_of(batch, run.seed); };
    what.run = [&] {
      const double seconds = seconds_of([&] { values = values_of(batch.shape, entries, run); });
      return Outcome{seconds, Json{{"microseconds_a_matrix", 1e6 * seconds / static_cast<double>(batch.count)},
                                   {"relative_error", relative_error(values.front())}}};
    };
    if (!devices.empty()) what.check = [&] { return Checks{{"", is_right(batch, entries, values, on_cpu, run)}}; };
    try {
      bench.run(what);
    } catch (const Unable& error) {
      if (!devices.empty()) throw;
      bench.add(what.group, what.name, {{"unable", error.what()}});
    }
  }
  bench.save();
}

}  // namespace

Suite dense_suite() {
  return {
      "dense",
      "batches of small permanents and hafnians, and amplitudes of photons, on GPUs or a CPU",
      "Times permanents and hafnians of batches of random matrices, entries in (-1, 1), and permanents with rows and "
      "columns repeated of random unitary matrices: amplitudes of 40 photons. On GPUs whole calls, whose contexts "
      "are there before. Values of the first and the last matrix "
      "are checked against the CPU's, 30 x 30 on GPUs against kernels for complex numbers.",
      "microseconds_a_matrix relative_error unable",
      {device_option,
       repeat_option("5"),
       seed_option,
       threads_option,
       {"time-limit", "S", "seconds of a call on the CPU; what takes longer is left out", "60"}},
      run};
}

}  // namespace matchcount::bench
