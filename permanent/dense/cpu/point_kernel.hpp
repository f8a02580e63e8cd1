#pragma once
// Sums products of powers of linear forms over points, eight side by side: the inner loops.

namespace matchcount {
enum class Isa;
}

namespace matchcount::point_kernel {

constexpr int num_lanes = 8;

// Points that differ in a few coordinates alone, those of a block. A form's value at a point is what the other
// coordinates make of it, `base`, plus what those of the block do, `inner`.
struct Block {
  int vectors = 0;                     // of eight points
  int num_powers = 0;                  // groups of forms that are taken equally often
  const int* end = nullptr;            // by group: one behind its last form
  const unsigned* exponent = nullptr;  // by group, at least 1
  const double* inner = nullptr;       // [vector][form][component][lane]
  const double* weight = nullptr;      // [vector][component][lane]; 0 where there is no point
  const double* floor = nullptr;       // by form: its size where that is less; of complex numbers the squares of both
};

// base: [form][component]. Writes the sum of weight * product of form^exponent, by component, and behind it that of the
// product of size^exponent over points whose weight is not 0, |weight| = 1 there.
using Sum = void (*)(const Block& block, const double* base, double* out);

struct Kernels {
  Sum real, complex;
};
const Kernels& kernels(Isa isa);

}  // namespace matchcount::point_kernel
