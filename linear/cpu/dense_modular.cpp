#include "linear/cpu/dense_modular.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"

namespace matchcount {

DenseModulus::DenseModulus(std::uint32_t odd_prime) : prime(odd_prime) {
  if (prime % 2 == 0 || prime < 3 || prime >> 31 != 0) {
    throw InputError("the modulus " + std::to_string(prime), "an odd prime below 2^31");
  }
  std::uint32_t inverse = prime;  // right to 3 bits; every step doubles them
  for (int step = 0; step < 4; ++step) inverse *= 2 - prime * inverse;
  negated_inverse = 0 - inverse;
  const std::uint64_t power = (std::uint64_t{1} << 32) % prime;
  to_montgomery = static_cast<std::uint32_t>(power * power % prime);
}

namespace dense {
namespace {

class ResidueField {
 public:
  using View = ResidueView;
  using Packed = std::uint64_t;
  struct Matrix {
    explicit Matrix(std::size_t n) : size(n), entries(n * n, 0) {}
    ResidueView view() { return {entries.data(), size}; }
    std::size_t size;
    std::vector<std::uint32_t> entries;
  };

  ResidueField(const DenseModulus& modulus, const Execution& execution)
      : modulus_(modulus), kernel_(execution.kernels.modular) {}

  static constexpr std::size_t planes() { return 1; }
  std::size_t strip() const { return kernel_.strip; }
  void pack(ResidueView b, std::size_t k, std::size_t n, std::uint64_t* packed) const { kernel_.pack(b, k, n, packed); }
  void multiply(bool subtract, ResidueView a, std::size_t m, std::size_t k, const std::uint64_t* packed, std::size_t n,
                ResidueView c, std::uint64_t* space) const {
    kernel_.multiply(modulus_, subtract, a, m, k, packed, n, c, space);
  }
  void combine(ResidueView y, ResidueView factor, ResidueView x, std::size_t n) const {
    kernel_.combine(modulus_, 1, y.data, *factor.data, x.data, n);
  }
  static void exchange(ResidueView row, std::size_t a, std::size_t b) { std::swap(row.data[a], row.data[b]); }
  static void set_one(ResidueView at) { *at.data = 1; }

  static std::size_t find_pivot(ResidueView row, std::size_t n) {
    return static_cast<std::size_t>(std::find_if(row.data, row.data + n, [](std::uint32_t x) { return x != 0; }) -
                                    row.data);
  }
  void take_pivot(ResidueView at, std::size_t behind) {
    count(*at.data);
    kernel_.scale(modulus_, static_cast<std::uint32_t>(inverse_mod(*at.data, modulus_.prime)), at.data + 1, behind);
  }

  std::uint32_t take_condensing_pivot(ResidueView at, std::size_t rows) {
    count(*at.data);
    // To the power of the rows left, less the one by which it counts.
    powers_ = multiply_mod(powers_, power_mod(*at.data, rows, modulus_.prime), modulus_.prime);
    return *at.data;
  }
  void condense_row(std::uint32_t pivot, ResidueView y, ResidueView factor, ResidueView x, std::size_t n) const {
    kernel_.combine(modulus_, pivot, y.data, *factor.data, x.data, n);
  }

  std::uint32_t determinant(std::size_t n, std::size_t exchanges) const {
    if (pivots_ < n) return 0;
    std::uint64_t value = multiply_mod(product_, inverse_mod(powers_, modulus_.prime), modulus_.prime);
    if (exchanges % 2 != 0) value = modulus_.prime - value;
    return static_cast<std::uint32_t>(value);
  }

 private:
  void count(std::uint32_t pivot) {
    ++pivots_;
    product_ = multiply_mod(product_, pivot, modulus_.prime);
  }

  const DenseModulus& modulus_;
  const ModularKernel& kernel_;
  std::size_t pivots_ = 0;
  std::uint64_t product_ = 1, powers_ = 1;
};

}  // namespace

void subtract_product(const DenseModulus& modulus, ResidueView c, ResidueView a, ResidueView b, std::size_t m,
                      std::size_t n, std::size_t k, const Execution& execution) {
  subtract_product(ResidueField(modulus, execution), c, a, b, m, n, k, execution);
}

std::uint32_t eliminate(const DenseModulus& modulus, ResidueView matrix, std::size_t n, const Execution& execution) {
  ResidueField field(modulus, execution);
  const std::size_t exchanges = Elimination(field, matrix, n, execution).run().size();
  return field.determinant(n, exchanges);
}

std::uint32_t condense(const DenseModulus& modulus, ResidueView matrix, std::size_t n, const Execution& execution) {
  ResidueField field(modulus, execution);
  const std::size_t exchanges = condense(field, matrix, n, execution);
  return field.determinant(n, exchanges);
}

}  // namespace dense
}  // namespace matchcount
