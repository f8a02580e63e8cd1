#include "linear/bits/fit.hpp"

#include <limits>

#include "core/amounts.hpp"
#include "core/error.hpp"

namespace matchcount {

void require_memory(const std::string& what, std::size_t n, const std::function<double(std::size_t)>& bytes,
                    const RunContext& run) {
  const double needed = bytes(n);
  if (run.has_memory_for(needed)) return;
  const double limit = static_cast<double>(run.memory_limit_bytes());
  std::size_t fits = 0, too_many = n;
  while (too_many - fits > 1) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    (bytes(middle) <= limit ? fits : too_many) = middle;
  }
  throw OverLimit(what + " of " + std::to_string(n) + " rows takes " + memory_amount(needed) +
                      ", and the memory limit is " + memory_amount(limit) + ": " + std::to_string(fits) +
                      " rows would fit",
                  std::numeric_limits<double>::quiet_NaN(), needed);
}

}  // namespace matchcount
