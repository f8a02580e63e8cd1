#pragma once
// Computes permanents and hafnians of matrices in a GPU's memory.

#include <complex>
#include <cstddef>
#include <vector>

#include "core/api.hpp"
#include "core/device_memory.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"

namespace MATCHCOUNT_API matchcount {

// Does what the functions of matchcount/batches.hpp do. If run's choice of devices has that one, and it is asked for or
// predicted to take less time than the CPU, it reads the entries there; but of 33 rows and more, and where an entry is
// not 0 and has a part below 1e-300 or above 1e300 or a hafnian's matrix is not symmetric, they are copied to the host,
// as those are that keep too few digits. Throws as copy_from_device does, too.
std::vector<RealValue> permanents(const OnDevice<double>& entries, std::size_t n, const RunOptions& run = {});
std::vector<ComplexValue> permanents(const OnDevice<std::complex<double>>& entries, std::size_t n,
                                     const RunOptions& run = {});
std::vector<RealValue> hafnians(const OnDevice<double>& entries, std::size_t n, bool loops = false,
                                const RunOptions& run = {});
std::vector<ComplexValue> hafnians(const OnDevice<std::complex<double>>& entries, std::size_t n, bool loops = false,
                                   const RunOptions& run = {});

}  // namespace matchcount
