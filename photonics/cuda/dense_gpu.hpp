#pragma once
// Sums permanents and hafnians of many small dense matrices over roots of unity on GPUs, each value with a proven bound
// on its error, absolute.
//
//   DenseShape shape;
//   shape.row_times = shape.column_times = std::vector<std::uint32_t>(12, 1);
//   if (gpu_sums(shape)) sums = dense_gpu_sums(shape, entries, devices, run);
//
// Permanents by Glynn's formula (2010, doi:10.1016/j.ejc.2010.01.010), with roots of unity of rows and columns that are
// repeated (Aaronson and Hance 2014, arXiv:1212.0025); hafnians by Kan's (2008, doi:10.1016/j.jmva.2007.01.013),
// loop hafnians likewise: the terms of degree n of exp(x A x / 2 + sum of a_ii x_i), x of signs.
// Doubles that are not held exactly by sums of doubles are kept in two, so that the bound is a few hundred roundings of
// what the terms' magnitudes add up to. How many digits that leaves is the caller's to see.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/run.hpp"
#include "permanent/dense/one_matrix.hpp"

namespace matchcount {

// |(re + i im) 2^exponent - value| <= error 2^exponent.
struct DenseSum {
  double re = 0, im = 0, error = 0;
  std::int64_t exponent = 0;
};

// Says whether there are kernels for it: 1 to 32 rows, as many columns, all together taken at most 64 times, the
// product of all times + 1 but the least at most 2^33; hafnians of 4 to 32 vertices, an even number, loop hafnians of 3
// to 32. Throws nothing.
bool gpu_sums(const DenseShape& shape);

// Seconds that dense_gpu_sums is predicted to take for so many matrices; infinity where the build has no kernels for
// one of the devices. The first call of a process starts the devices' contexts, which then last.
double dense_gpu_seconds(const DenseShape& shape, std::uint64_t count, const std::vector<DeviceInfo>& devices);

// Sums as many matrices as there are entries for, row-major, one behind the other; of complex ones real and imaginary
// parts in turn. Any finite entries: they are scaled here. Devices, at least one, share the batch; the answers do not
// depend on them. Requires gpu_sums(shape). Throws Unable, Cancelled as run says, also where a device or the memory
// limit has no room for two matrices; DeviceError; NotCompiled in a build without CUDA. Takes 64 MB at most, and 48
// bytes for each matrix. Of each device kernels stay for the process's life, and buffers of 13 MB at most, here and
// there, for each of up to four calls side by side.
std::vector<DenseSum> dense_gpu_sums(const DenseShape& shape, std::span<const double> entries,
                                     const std::vector<DeviceInfo>& devices, const RunContext& run);

// The same of so many matrices at an address of the device's memory, where they are read. Nothing if an entry is not 0
// and has a part whose magnitude is not from `least` to `most`, or a hafnian's matrix is not symmetric.
std::optional<std::vector<DenseSum>> dense_gpu_sums(const DenseShape& shape, std::uint64_t entries, std::size_t count,
                                                    double least, double most, const DeviceInfo& device,
                                                    const RunContext& run);

}  // namespace matchcount
