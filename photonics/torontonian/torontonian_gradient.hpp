#pragma once
// Finds torontonians with their derivatives by every entry, or what both change by along a direction.

#include <cstddef>

#include "core/run.hpp"

namespace matchcount {

// Names what a torontonian is asked of, T double or std::complex<double>: a Hermitian matrix of so many rows, twice as
// many as modes, row-major, and its loop; a Hermitian direction of both. Null: there is none.
template <class T>
struct TorontonianQuestion {
  std::size_t rows = 0;
  const T *entries = nullptr, *loop = nullptr;
  const T *along = nullptr, *loop_along = nullptr;
};

// Writes the torontonian and D, d such that it changes by re(sum of D_ij H_ij + sum of d_i h_i) along every Hermitian H
// and every h; with a direction in place of each what it changes by along that. In doubles, errors are not bounded.
// Requires rows > 0. Throws as torontonian does (photonics/torontonian.hpp).
template <class T>
void torontonian_gradient(const TorontonianQuestion<T>& question, const RunContext& run, int num_threads, double& value,
                          T* derivatives, T* loop_derivatives);

}  // namespace matchcount
