#include "bench/published/placement.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/error.hpp"

namespace matchcount::bench {

extern const char* const placement_text;  // placement.cuh

namespace {

constexpr double threads_of_multiprocessor = 2048;
constexpr const char* kernel_name = "sum_terms";

// Adds a column's entries, s times each, to sums in registers: what no loop over a list can do.
std::string switch_over_columns(std::span<const double> entries, std::size_t n) {
  std::string text = "#define UPDATE(column) switch (column) {";
  for (std::size_t column = 0; column < n; ++column) {
    text += " case " + std::to_string(column) + ":";
    for (std::size_t row = 0; row < n; ++row) {
      const double entry = entries[row * n + column];
      if (entry == 0) continue;
      char value[40];
      std::snprintf(value, sizeof value, "%a", entry);
      text += " x[" + std::to_string(row) + "] += s * (" + value + ");";
    }
    text += " break;";
  }
  return text + " }\n";
}

constexpr const char* device_frame = R"(
#define KERNEL(name) extern "C" __global__ void name
#define SHARED_MEMORY extern __shared__ double shared_doubles[]; NUMBER* const shared_memory = shared_doubles; (void)shared_memory
#define UNROLL_ROWS _Pragma("unroll")
#define LOWEST_BIT(mask) (__ffsll(static_cast<long long>(mask)) - 1)
)";

// Bytes of a block's dynamic shared memory.
unsigned shared_bytes(const Placement& placement, std::size_t n, std::size_t matrix_bytes) {
  std::size_t bytes = 0;
  if (placement.sums == Memory::shared) bytes += placement.threads * n * sizeof(double);
  if (placement.matrix == Memory::shared) bytes += matrix_bytes;
  return static_cast<unsigned>(bytes);
}

// The part of a device: its context, kernel and buffers.
class Part {
 public:
  Part(const Placement& placement, std::span<const double> entries, std::size_t n, const DeviceInfo& device)
      : placement_(placement),
        matrix_(placement_matrix(placement, entries, n)),
        context_(device),
        stream_(context_),
        module_(context_, compile_kernel(placement_source(placement, entries, n), device.major, device.minor,
                                         default_kernel_cache())
                              .image),
        shared_(shared_bytes(placement, n, matrix_.size())),
        info_(module_.info(kernel_name, placement.threads, shared_)),
        device_matrix_(context_, placement.matrix == Memory::constant ? 0 : matrix_.size()),
        sums_(context_, 0),
        out_(context_, 0),
        rows_(n) {
    if (info_.blocks_per_multiprocessor < 1)
      throw Unable("a block of " + std::to_string(placement.threads) + " threads with " + std::to_string(shared_) +
                   " bytes of shared memory");
    if (placement.matrix != Memory::constant) device_matrix_.upload(matrix_);
    busy_blocks_ = static_cast<unsigned>(info_.blocks_per_multiprocessor * device.multiprocessors);
  }

  const KernelInfo& info() const { return info_; }
  unsigned shared() const { return shared_; }
  unsigned blocks() const { return blocks_; }

  // Starts terms [first, last).
  void start(std::uint64_t first, std::uint64_t last, DeviceEvent& begin, DeviceEvent& end) {
    const std::uint64_t terms = last - first, busy = std::uint64_t{busy_blocks_} * placement_.threads;
    std::uint64_t chunk = std::max<std::uint64_t>((terms + busy - 1) / busy, 1);
    if (placement_.aligned) {
      while ((chunk & (chunk - 1)) != 0) chunk &= chunk - 1;
    } else {
      chunk |= 1;
    }
    const std::uint64_t threads = (terms + chunk - 1) / chunk;
    blocks_ = static_cast<unsigned>((threads + placement_.threads - 1) / placement_.threads);
    const std::size_t places = std::size_t{blocks_} * placement_.threads;
    if (out_.size_bytes() < places * sizeof(double)) out_ = DeviceBuffer(context_, places * sizeof(double));
    if (placement_.sums == Memory::global && sums_.size_bytes() < places * rows_ * sizeof(double))
      sums_ = DeviceBuffer(context_, places * rows_ * sizeof(double));
    const KernelArgument matrix =
        placement_.matrix == Memory::constant ? KernelArgument{matrix_} : argument(device_matrix_);
    stream_.record(begin);
    module_.launch(kernel_name, {blocks_, placement_.threads, shared_}, stream_,
                   {matrix, argument(sums_), argument(out_), argument(static_cast<unsigned long long>(first)),
                    argument(static_cast<unsigned long long>(last)), argument(static_cast<unsigned long long>(chunk))});
    stream_.record(end);
  }
  const DeviceContext& context() const { return context_; }

  // Waits for it.
  long double sum() {
    stream_.synchronize();
    std::vector<double> sums(std::size_t{blocks_} * placement_.threads);
    out_.download(std::as_writable_bytes(std::span(sums)));
    long double total = 0;
    for (const double part : sums) total += part;
    return total;
  }

 private:
  Placement placement_;
  std::vector<std::byte> matrix_;
  DeviceContext context_;
  DeviceStream stream_;
  DeviceModule module_;
  unsigned shared_;
  KernelInfo info_;
  DeviceBuffer device_matrix_, sums_, out_;
  std::size_t rows_;
  unsigned busy_blocks_ = 0, blocks_ = 0;
};

// Returns the sum of terms [0, terms) over all parts, and the seconds of the slowest.
std::pair<long double, double> sum_of(std::vector<std::unique_ptr<Part>>& parts, std::uint64_t terms) {
  std::vector<DeviceEvent> begins, ends;
  for (const auto& part : parts) {
    begins.emplace_back(part->context());
    ends.emplace_back(part->context());
  }
  const std::uint64_t count = parts.size();
  for (std::uint64_t i = 0; i < count; ++i)
    parts[i]->start(terms / count * i, i + 1 == count ? terms : terms / count * (i + 1), begins[i], ends[i]);
  long double total = 0;
  double seconds = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    total += parts[i]->sum();
    seconds = std::max(seconds, ends[i].seconds_since(begins[i]));
  }
  return {total, seconds};
}

}  // namespace

std::string to_string(const Placement& placement) {
  std::string text = "x in " + std::string(matchcount::to_string(placement.sums));
  if (placement.sums != Memory::registers) text += placement.coalesced ? ", coalesced" : ", by thread";
  text += placement.sparse && placement.sums == Memory::registers
              ? ", A in the program"
              : ", A in " + std::string(matchcount::to_string(placement.matrix));
  text += placement.sparse ? ", sparse" : "";
  return text + (placement.aligned ? ", chunks of 2^k" : ", chunks of any size");
}

std::string placement_source(const Placement& placement, std::span<const double> entries, std::size_t n) {
  std::string text = device_frame;
  const auto define = [&](const char* name, std::size_t value) {
    text += "#define " + std::string(name) + " " + std::to_string(value) + "\n";
  };
  text += "#define NUMBER double\n";
  define("ROWS", n);
  define("SUMS_IN", static_cast<std::size_t>(placement.sums));
  define("MATRIX_IN", static_cast<std::size_t>(placement.matrix));
  define("COALESCED", placement.coalesced);
  define("SPARSE", placement.sparse);
  if (placement.sparse && placement.sums == Memory::registers) text += switch_over_columns(entries, n);
  if (placement.matrix == Memory::constant) {
    text += "#define MATRIX_ARGUMENT const __grid_constant__ Matrix given\n#define MATRIX given\n";
  } else {
    text += "#define MATRIX_ARGUMENT const Matrix* given\n#define MATRIX (*given)\n";
  }
  return text + placement_text;
}

std::vector<std::byte> placement_matrix(const Placement& placement, std::span<const double> entries, std::size_t n) {
  std::vector<double> numbers(n * n + n, 0);
  std::vector<unsigned> begins, rows(n * n, 0);
  unsigned packed = 0;
  for (std::size_t column = 0; column < n; ++column) {
    begins.push_back(packed);
    for (std::size_t row = 0; row < n; ++row) {
      const double entry = entries[row * n + column];
      if (!placement.sparse) numbers[column * n + row] = entry;
      if (!placement.sparse || entry == 0) continue;
      numbers[packed] = entry;
      rows[packed++] = static_cast<unsigned>(row);
    }
  }
  begins.push_back(packed);
  for (std::size_t row = 0; row < n; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < n; ++column) sum += entries[row * n + column];
    numbers[n * n + row] = entries[row * n + n - 1] - sum / 2;
  }
  std::size_t bytes = numbers.size() * sizeof(double);
  if (placement.sparse) bytes += (begins.size() + rows.size()) * sizeof(unsigned);
  std::vector<std::byte> result((bytes + 7) / 8 * 8, std::byte{0});
  std::memcpy(result.data(), numbers.data(), numbers.size() * sizeof(double));
  if (placement.sparse) {
    std::byte* to = result.data() + numbers.size() * sizeof(double);
    std::memcpy(to, begins.data(), begins.size() * sizeof(unsigned));
    std::memcpy(to + begins.size() * sizeof(unsigned), rows.data(), rows.size() * sizeof(unsigned));
  }
  return result;
}

PlacementRun run_placement(const Placement& placement, std::span<const double> entries, std::size_t n,
                           const std::vector<DeviceInfo>& devices, double limit_s) {
  std::vector<std::unique_ptr<Part>> parts;
  for (const DeviceInfo& device : devices) parts.push_back(std::make_unique<Part>(placement, entries, n, device));
  const std::uint64_t all = std::uint64_t{1} << (n - 1);
  // Begins with as many terms as fill the devices, and goes on with as many as the limit allows.
  std::uint64_t terms = std::min<std::uint64_t>(all, std::uint64_t{1} << 27);
  auto [sum, seconds] = sum_of(parts, terms);
  while (terms < all && 5 * seconds < limit_s) {
    terms = std::min(all, 4 * terms);
    std::tie(sum, seconds) = sum_of(parts, terms);
  }
  PlacementRun run;
  run.whole = terms == all;
  run.seconds = seconds * (static_cast<double>(all) / static_cast<double>(terms));
  run.permanent = static_cast<double>((n % 2 == 0 ? -2 : 2) * sum);
  run.kernel = parts[0]->info();
  run.blocks = parts[0]->blocks();
  run.shared_bytes = parts[0]->shared();
  run.occupancy = run.kernel.blocks_per_multiprocessor * placement.threads / threads_of_multiprocessor;
  return run;
}

}  // namespace matchcount::bench
