#include "linear/determinant/modular.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>

#include "core/amounts.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "core/run.hpp"
#include "linear/cpu/dense_modular.hpp"
#include "linear/cuda/determinant_gpu.hpp"

namespace matchcount::dense {

namespace {

constexpr std::uint64_t prime_limit = std::uint64_t{1} << 30;  // see linear/cpu/dense_isa.cpp

// Integers to be reduced modulo one prime after the other.
class Small {
 public:
  explicit Small(std::span<const std::int64_t> entries) : entries_(entries) {}

  void residues(const DenseModulus& modulus, std::uint32_t* out) const {
    for (const std::int64_t entry : entries_) *out++ = static_cast<std::uint32_t>(residue_of(entry, modulus.prime));
  }
  double square(std::size_t i) const { return static_cast<double>(entries_[i]) * static_cast<double>(entries_[i]); }
  gpu::DeviceIntegers device_integers() const {
    const std::size_t size = entries_.size();
    gpu::DeviceIntegers result{2, std::vector<std::uint32_t>(2 * size), {}};
    for (std::size_t i = 0; i < size; ++i) {
      const auto value = static_cast<std::uint64_t>(entries_[i]), magnitude = entries_[i] < 0 ? 0 - value : value;
      result.magnitudes[i] = static_cast<std::uint32_t>(magnitude);
      result.magnitudes[size + i] = static_cast<std::uint32_t>(magnitude >> 32);
      result.negative.push_back(entries_[i] < 0);
    }
    return result;
  }
  // Squares times 2^this.
  static constexpr double log2_scale() { return 0; }
  std::size_t bytes() const { return 0; }

 private:
  std::span<const std::int64_t> entries_;
};

// Holds entries of any size, as words of 32 bits.
class Large {
 public:
  explicit Large(std::span<const Integer> entries) {
    std::size_t longest = 0;
    for (const Integer& entry : entries) {
      const std::size_t before = words_.size();
      if (entry != 0) {
        const std::vector<std::uint32_t> words = magnitude_words(entry);
        words_.insert(words_.end(), words.begin(), words.end());
      }
      begin_.push_back(before);
      negative_.push_back(entry < 0);
      longest = std::max(longest, words_.size() - before);
    }
    begin_.push_back(words_.size());
    top_ = 32 * static_cast<double>(longest);
    longest_ = longest;
  }

  void residues(const DenseModulus& modulus, std::uint32_t* out) const {
    const std::uint64_t prime = modulus.prime;
    std::vector<std::uint32_t> power(longest_);  // of 2^32
    std::uint64_t next = 1;
    for (std::uint32_t& value : power) {
      value = static_cast<std::uint32_t>(next);
      next = (next << 32) % prime;
    }
    for (std::size_t i = 0; i < negative_.size(); ++i) {
      const std::uint32_t* words = words_.data() + begin_[i];
      const std::size_t count = begin_[i + 1] - begin_[i];
      std::uint64_t low = 0, high = 0;  // of products, each a sum of at most 2^32 halves
      for (std::size_t w = 0; w < count; ++w) {
        const std::uint64_t product = std::uint64_t{words[w]} * power[w];
        low += product & 0xFFFFFFFF;
        high += product >> 32;
      }
      const std::uint64_t rest = (((high % prime) << 32) + low % prime) % prime;
      *out++ = static_cast<std::uint32_t>(negative_[i] && rest != 0 ? prime - rest : rest);
    }
  }
  double square(std::size_t i) const {
    const std::size_t count = begin_[i + 1] - begin_[i];
    if (count == 0) return 0;
    // The top three words, rounded up.
    double value = 0;
    for (std::size_t w = 0; w < std::min<std::size_t>(count, 3); ++w)
      value += std::ldexp(static_cast<double>(words_[begin_[i + 1] - 1 - w]), -32 * static_cast<int>(w));
    if (count > 3) value += 0x1p-63;
    // Against the longest; what vanishes beside it is not allowed to become 0.
    const double shift = 32 * static_cast<double>(count) - top_;
    return std::max(value * value * std::exp2(std::max(2 * (shift - 32), -1000.0)), 0x1p-1000);
  }
  double log2_scale() const { return 2 * top_; }
  gpu::DeviceIntegers device_integers() const {
    const std::size_t size = negative_.size();
    gpu::DeviceIntegers result{static_cast<int>(longest_), std::vector<std::uint32_t>(longest_ * size), {}};
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t w = begin_[i]; w < begin_[i + 1]; ++w) result.magnitudes[(w - begin_[i]) * size + i] = words_[w];
      result.negative.push_back(negative_[i]);
    }
    return result;
  }
  std::size_t bytes() const { return 4 * words_.capacity() + 9 * begin_.capacity(); }

 private:
  std::vector<std::uint32_t> words_;
  std::vector<std::size_t> begin_;
  std::vector<bool> negative_;
  std::size_t longest_ = 0;
  double top_ = 0;
};

// Hadamard: the product of the rows' lengths, or of the columns', as a logarithm that is not too small.
template <class Source>
double log2_hadamard(const Source& source, std::size_t n) {
  std::vector<double> row(n, 0), column(n, 0);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      const double square = source.square(r * n + c);
      row[r] += square;
      column[c] += square;
    }
  }
  const auto total = [&](const std::vector<double>& squares) {
    double sum = 0;
    for (const double square : squares) sum += 0.5 * (std::log2(square) + source.log2_scale());
    return sum;
  };
  const double bound = std::min(total(row), total(column));
  // n roundings of a sum of squares, and of the sum of n logarithms.
  const double size = static_cast<double>(n);
  return std::isinf(bound) ? bound : bound + size * (size + 8) * 0x1p-51 + std::fabs(bound) * size * 0x1p-51;
}

class Modular {
 public:
  Modular(std::size_t n, const DeterminantOptions& options, DeterminantReport* report = nullptr)
      : n_(n),
        options_(options),
        report_(report),
        run_(options.run),
        kernels_(kernels_of(options.run)),
        num_threads_(resolve_num_threads(options.run)) {}

  template <class Source>
  std::vector<std::uint64_t> determinants(const Source& source, std::span<const std::uint64_t> primes) {
    if (gpus_ = choose_gpus(primes.size()); !gpus_.empty()) {
      return gpu::determinants_modulo(source.device_integers(), n_, primes,
                                      options_.method == DeterminantMethod::condensation, gpus_[0], run_,
                                      report_ ? &report_->device_s : nullptr);
    }
    std::vector<std::uint64_t> values(primes.size());
    // A prime a thread, unless that leaves threads idle for long or memory is short.
    const std::size_t wanted = n_ * n_ * sizeof(std::uint32_t);
    const std::uint64_t limit = resolve_memory_limit(options_.run);
    const std::uint64_t used = source.bytes() + (std::uint64_t{1} << 20);
    check_memory(n_, used + 2 * wanted, limit);
    int teams = static_cast<int>(std::min<std::uint64_t>(
        static_cast<std::uint64_t>(num_threads_), std::max<std::uint64_t>(1, (limit - used) / (2 * wanted + 1))));
    if (primes.size() < static_cast<std::size_t>(4 * teams) && n_ > 500) teams = 1;
    const int threads = teams == 1 ? num_threads_ : 1;
    std::vector<std::unique_ptr<std::uint32_t[]>> matrices(static_cast<std::size_t>(teams));
    const double all = static_cast<double>(n_) * static_cast<double>(primes.size());
    std::atomic<std::size_t> done{0};
    parallel_for_chunks(teams, primes.size(), [&](std::uint64_t i, int team) {
      run_.check();
      auto& matrix = matrices[static_cast<std::size_t>(team)];
      if (!matrix) matrix = uninitialised<std::uint32_t>(n_ * n_);
      const DenseModulus modulus(static_cast<std::uint32_t>(primes[i]));
      source.residues(modulus, matrix.get());
      Execution execution{kernels_, threads, run_, {}};
      if (teams == 1) {
        execution.on_rows = [&](std::size_t rows) {
          const double left = 1 - static_cast<double>(rows) / static_cast<double>(n_);
          run_.report("determinant", static_cast<double>(i * n_) + static_cast<double>(n_) * (1 - left * left * left),
                      all);
        };
      }
      const ResidueView view{matrix.get(), n_};
      values[i] = options_.method == DeterminantMethod::condensation ? condense(modulus, view, n_, execution)
                                                                     : eliminate(modulus, view, n_, execution);
      run_.report("determinant", static_cast<double>(n_ * ++done), std::max(all, 1.0));
    });
    return values;
  }

  template <class Source>
  ExactDeterminant exact(const Source& source) {
    const double bound = n_ == 0 ? 0 : log2_hadamard(source, n_);
    if (std::isinf(bound)) return {};  // a row or a column of zeros
    const std::vector<std::uint64_t> primes = primes_for(bound, prime_limit);
    const Integer value = chinese_remainder(determinants(source, primes), primes);
    return {value, primes.size(), gpus_};
  }

 private:
  std::vector<DeviceInfo> choose_gpus(std::size_t primes) const {
    const double n = static_cast<double>(n_);
    return choose_gpu(n * n * n / 3 * static_cast<double>(primes), n_, sizeof(std::uint32_t), options_);
  }

  std::size_t n_;
  const DeterminantOptions& options_;
  DeterminantReport* report_;
  RunContext run_;
  const DenseKernels& kernels_;
  int num_threads_;
  std::vector<DeviceInfo> gpus_;
};

}  // namespace

void check_memory(std::size_t n, std::uint64_t needed, std::uint64_t limit) {
  if (needed > limit) {
    throw OverLimit("a determinant of " + std::to_string(n) + " rows needs " +
                    memory_amount(static_cast<double>(needed)) + "; the memory limit is " +
                    memory_amount(static_cast<double>(limit)));
  }
}

const DenseKernels& kernels_of(const RunOptions& run) { return kernels_for<DenseKernels>(run.max_isa); }

std::vector<DeviceInfo> choose_gpu(double work, std::size_t n, std::size_t value_bytes,
                                   const DeterminantOptions& options) {
  // A core's multiplications a second, and the seconds from which on a GPU is worth its start.
  constexpr double rate = 1e10, patience_s = 2;
  const bool automatic = options.run.device.kind == DeviceChoice::Kind::automatic;
  if (automatic && work < patience_s * rate * resolve_num_threads(options.run)) return {};
  std::vector<DeviceInfo> devices = choose_devices(options.run.device);
  if (devices.size() > 1) devices.resize(1);
  if (automatic && !devices.empty()) {
    // The bound takes six matrices; others use the device too.
    constexpr double matrices = 6, share = 0.8;
    const double rows = static_cast<double>(n), needed = matrices * rows * rows * static_cast<double>(value_bytes);
    const bool fits = gpu::elimination_fits(n, value_bytes, devices[0]) &&
                      needed <= share * static_cast<double>(devices[0].memory_bytes);
    if (!fits) return {};
  }
  return devices;
}

ExactDeterminant exact_determinant(std::span<const std::int64_t> entries, std::size_t n,
                                   const DeterminantOptions& options) {
  return Modular(n, options).exact(Small(entries));
}

ExactDeterminant exact_determinant(std::span<const Integer> entries, std::size_t n, const DeterminantOptions& options) {
  return Modular(n, options).exact(Large(entries));
}

std::vector<std::uint64_t> residues_of_determinant(std::span<const std::int64_t> entries, std::size_t n,
                                                   std::span<const std::uint64_t> primes,
                                                   const DeterminantOptions& options, DeterminantReport* report) {
  return Modular(n, options, report).determinants(Small(entries), primes);
}

}  // namespace matchcount::dense
