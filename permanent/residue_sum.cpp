#include "permanent/residue_sum.hpp"

#include <algorithm>
#include <cmath>

#include "core/bytes.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "core/work.hpp"

namespace matchcount {

MontgomeryModulus::MontgomeryModulus(std::uint64_t of) : prime(static_cast<std::uint32_t>(of)) {
  for (int i = 0; i < 5; ++i) inverse *= 2 - prime * inverse;
}
std::uint32_t MontgomeryModulus::form(std::int64_t value) const {
  return static_cast<std::uint32_t>((residue_of(value, prime) << 32) % prime);
}

std::size_t num_sum_primes(double log2_bound) {
  constexpr double bits_of_prime = 30.99;
  return static_cast<std::size_t>(std::ceil((log2_bound + 2) / bits_of_prime));
}

std::size_t primes_of_group(std::size_t primes, std::size_t most, int num_threads) {
  const std::size_t threads = static_cast<std::size_t>(std::max(1, num_threads));
  const std::size_t groups = std::max(threads, (primes + most - 1) / most);
  return std::max<std::size_t>(1, (primes + groups - 1) / groups);
}

Integer sum_of_residues(const std::string& method, const std::string& what, std::span<const std::uint64_t> primes,
                        std::size_t most_of_group, const ResiduesOfGroup& residues_of, const RunContext& run) {
  const std::size_t lanes =
      agreed(primes_of_group(primes.size(), most_of_group, run.num_threads() * run.num_ranks()), "lanes", run);
  const std::size_t groups = (primes.size() + lanes - 1) / lanes;
  const Job job{
      run.part() + ", " + method,
      what + " modulo " + std::to_string(primes.size()) + " primes below 2^31, " + std::to_string(lanes) + " at a time",
      groups, joined};
  const Bytes all = sum_on_threads(run.num_threads(), job, run, [&](std::uint64_t piece, double share_done) {
    run.report(method, share_done, 1);
    const std::size_t first = piece * lanes;
    return packed(residues_of(first, primes.subspan(first, std::min(lanes, primes.size() - first))));
  });
  return chinese_remainder(unpacked<std::uint64_t>(all), primes);
}

}  // namespace matchcount
