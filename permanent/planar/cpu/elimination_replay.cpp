#include "permanent/planar/cpu/elimination_replay.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>

#include "core/amounts.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "permanent/planar/cpu/product_kernel.hpp"

namespace matchcount {

namespace {

// Returns -1/odd modulo 2^32.
std::uint32_t minus_inverse_mod_2_32(std::uint32_t odd) {
  std::uint32_t inverse = odd;  // right to 3 bits, and to twice as many after each step
  for (int i = 0; i < 4; ++i) inverse *= 2 - odd * inverse;
  return 0 - inverse;
}

// Lists the values of the program: each as it is, or its real and its imaginary part if the table is complex.
std::vector<EliminationPart> parts_of_values(const EliminationProgram& program, const EntryTable& table) {
  const std::size_t each = table.is_complex() ? 2 : 1;
  std::vector<EliminationPart> parts;
  parts.reserve(each * program.values.size());
  for (const EliminationValue& value : program.values) {
    for (std::size_t i = 0; i < each; ++i) {
      parts.push_back(table.parts()[each * value.place + i]);
      if (value.negated) parts.back().negative ^= 1;
    }
  }
  return parts;
}

// A thread looks at its limits after about so many multiplications, and after so many fronts.
constexpr double work_between_checks = 2e6;
constexpr std::size_t fronts_between_checks = 512;

struct Free {
  void operator()(void* pointer) const { std::free(pointer); }
};
using Array = std::unique_ptr<std::uint32_t[], Free>;
Array aligned_array(std::size_t entries, std::size_t lanes) {
  const std::size_t bytes = (std::max<std::size_t>(entries * lanes, 1) * sizeof(std::uint32_t) + 63) / 64 * 64;
  auto* const pointer = static_cast<std::uint32_t*>(std::aligned_alloc(64, bytes));
  if (!pointer) throw Unable("no memory for " + memory_amount(static_cast<double>(bytes)) + " of residues");
  return Array(pointer);
}

// One thread's memory for one batch after the other.
class Batch {
 public:
  // Takes those of the numbers where no values are written.
  Batch(const EliminationProgram& program, const EliminationNumbers& numbers, const WriteValues* write,
        const EliminationKernel& kernel)
      : program_(program),
        numbers_(numbers),
        write_(write),
        kernel_(kernel),
        constants_(aligned_array(5, kernel.lanes)),
        powers_(aligned_array(numbers.most_words, kernel.lanes)),
        values_(aligned_array(program.values.size(), kernel.lanes)),
        arena_(aligned_array(program.peak_entries, kernel.lanes)) {
    for (const EliminationFront& front : program.fronts) {
      left_over_.resize(left_over_.size() - front.num_children);
      left_over_.push_back({front.rows - front.pivots, front.columns - front.pivots});
    }
  }

  // See replay_elimination.
  template <class Check>
  void run(const ReplayModulus* moduli, std::size_t first_modulus, std::uint64_t* results, Check&& check) {
    const std::size_t lanes = kernel_.lanes;
    moduli += first_modulus;
    results += first_modulus;
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::uint64_t prime = moduli[l].prime, one = (std::uint64_t{1} << 32) % prime;
      constants_[l] = static_cast<std::uint32_t>(prime);
      constants_[lanes + l] = minus_inverse_mod_2_32(constants_[l]);
      constants_[2 * lanes + l] = constants_[3 * lanes + l] = static_cast<std::uint32_t>(one);
      constants_[4 * lanes + l] = static_cast<std::uint32_t>(multiply_mod(moduli[l].root, one, prime));
    }
    EliminationReplay replay{};
    replay.fronts = program_.fronts.data();
    replay.children = program_.children.data();
    replay.maps = program_.maps.data();
    replay.entries = program_.entries.data();
    replay.skew = program_.skew;
    replay.primes = constants_.get();
    replay.minus_inverses = constants_.get() + lanes;
    replay.ones = constants_.get() + 2 * lanes;
    replay.product = constants_.get() + 3 * lanes;
    replay.values = values_.get();
    replay.arena = arena_.get();
    if (write_)
      (*write_)(first_modulus, lanes, values_.get());
    else
      kernel_.reduce(numbers_, replay, constants_.get() + 4 * lanes, powers_.get(), values_.get());
    for (std::size_t first = 0; first < program_.fronts.size();) {
      double work = 0;
      std::size_t count = 0;
      for (; first + count < program_.fronts.size() && work < work_between_checks && count < fronts_between_checks;
           ++count) {
        const EliminationFront& front = program_.fronts[first + count];
        work += static_cast<double>(front.rows) * front.columns * (front.pivots + 1);
      }
      kernel_.run(replay, count);
      first += count;
      check();
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::uint64_t prime = moduli[l].prime, one = (std::uint64_t{1} << 32) % prime;
      results[l] = leaves_only_zeros(l) ? multiply_mod(replay.product[l], inverse_mod(one, prime), prime) : 0;
    }
  }

 private:
  // Says whether what the roots' fronts left over, one behind the other, is 0 in this lane.
  bool leaves_only_zeros(std::size_t lane) const {
    const std::uint32_t* entry = arena_.get() + lane;
    for (const EliminationChild& left : left_over_) {
      for (std::uint32_t row = 0; row < left.rows; ++row) {
        for (std::uint32_t column = 0; column < left.columns; ++column, entry += kernel_.lanes)
          if (*entry != 0 && (!program_.skew || column < row)) return false;
      }
    }
    return true;
  }

  const EliminationProgram& program_;
  const EliminationNumbers& numbers_;
  const WriteValues* write_;
  const EliminationKernel& kernel_;
  Array constants_, powers_, values_, arena_;
  std::vector<EliminationChild> left_over_;  // by the fronts that have no parent
};

std::vector<std::uint64_t> replay_numbers(const EliminationProgram& program, const EliminationNumbers& numbers,
                                          const WriteValues* write, std::span<const ReplayModulus> moduli,
                                          const RunContext& run, Stretch stretch) {
  const Isa isa = std::min(run.options().max_isa, detected_isa());
  const EliminationKernel& kernel = kernels_for<EliminationKernel>(isa);
  const std::uint64_t num_batches = (moduli.size() + kernel.lanes - 1) / kernel.lanes;
  // Lanes that are left over do the last modulus again.
  std::vector<ReplayModulus> padded(moduli.begin(), moduli.end());
  if (!moduli.empty()) padded.resize(num_batches * kernel.lanes, moduli.back());
  std::vector<std::uint64_t> values(padded.size());
  const int threads = static_cast<int>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(run.num_threads()), std::max<std::uint64_t>(num_batches, 1)));
  const double bytes = replay_bytes(static_cast<double>(program.peak_entries + program.values.size()), isa, threads);
  if (!run.has_memory_for(bytes))
    throw Unable("eliminating on " + std::to_string(threads) + " threads needs " + memory_amount(bytes));
  std::vector<std::unique_ptr<Batch>> batches(static_cast<std::size_t>(threads));
  std::atomic<std::uint64_t> done{0};
  parallel_for_chunks(threads, num_batches, [&](std::uint64_t batch, int thread) {
    auto& memory = batches[static_cast<std::size_t>(thread)];
    if (!memory) memory = std::make_unique<Batch>(program, numbers, write, kernel);
    memory->run(padded.data(), batch * kernel.lanes, values.data(), [&] { run.check(); });
    const double share = stretch.at(static_cast<double>(++done) / static_cast<double>(num_batches));
    run.report("planar", share * stretch.total, stretch.total);
  });
  values.resize(moduli.size());
  return values;
}

}  // namespace

EntryTable::EntryTable(const std::vector<std::int64_t>& entries) : values_(1) {
  std::unordered_map<std::int64_t, std::uint32_t> place_of{{0, 0}};
  places_.reserve(entries.size());
  for (const std::int64_t entry : entries) {
    const auto [found, fresh] = place_of.try_emplace(entry, static_cast<std::uint32_t>(values_.size()));
    if (fresh) values_.push_back({entry, 0});
    places_.push_back(found->second);
  }
  add_words();
}

EntryTable::EntryTable(const std::vector<GaussianInteger>& entries) : places_(entries.size()), values_(1) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int by_re = entries[a].re.compare(entries[b].re);
    return by_re != 0 ? by_re < 0 : entries[a].im.compare(entries[b].im) < 0;
  });
  for (const std::size_t i : order) {
    if (entries[i] == GaussianInteger{}) continue;
    if (values_.size() == 1 || !(entries[i] == values_.back())) values_.push_back(entries[i]);
    places_[i] = static_cast<std::uint32_t>(values_.size() - 1);
    complex_ = complex_ || entries[i].im != 0;
  }
  add_words();
}

void EntryTable::add_words() {
  const auto add = [&](const Integer& part) {
    const std::size_t begin = words_.size();
    if (part != 0) {
      const std::vector<std::uint32_t> words = magnitude_words(part);
      words_.insert(words_.end(), words.begin(), words.end());
    }
    parts_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(words_.size()), part < 0});
    most_words_ = std::max(most_words_, words_.size() - begin);
  };
  for (const GaussianInteger& value : values_) {
    add(value.re);
    if (complex_) add(value.im);
  }
}

std::vector<std::uint32_t> EntryTable::residues(std::uint64_t prime, std::uint64_t root) const {
  const auto of = [&](const EliminationPart& part) {
    std::uint64_t rest = 0;
    for (std::uint32_t w = part.end; w > part.begin; --w) rest = (rest << 32 | words_[w - 1]) % prime;
    return part.negative && rest != 0 ? prime - rest : rest;
  };
  std::vector<std::uint32_t> result;
  result.reserve(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::uint64_t value =
        complex_ ? (of(parts_[2 * i]) + multiply_mod(of(parts_[2 * i + 1]), root, prime)) % prime : of(parts_[i]);
    result.push_back(static_cast<std::uint32_t>(value));
  }
  return result;
}

std::vector<std::uint64_t> replay_elimination(const EliminationProgram& program, const EntryTable& table,
                                              std::span<const ReplayModulus> moduli, const RunContext& run,
                                              Stretch stretch) {
  const std::vector<EliminationPart> parts = parts_of_values(program, table);
  const EliminationNumbers numbers = {parts.data(), program.values.size(), table.words().data(), table.most_words(),
                                      table.is_complex()};
  return replay_numbers(program, numbers, nullptr, moduli, run, stretch);
}

std::vector<std::uint64_t> replay_elimination(const EliminationProgram& program, const WriteValues& write,
                                              std::span<const ReplayModulus> moduli, const RunContext& run,
                                              Stretch stretch) {
  return replay_numbers(program, {}, &write, moduli, run, stretch);
}

double replay_bytes(double peak_entries, Isa isa, int num_threads) {
  return num_threads * peak_entries * static_cast<double>(kernels_for<EliminationKernel>(isa).lanes) *
         sizeof(std::uint32_t);
}

}  // namespace matchcount
