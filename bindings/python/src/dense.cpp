#include <atomic>
#include <complex>
#include <optional>
#include <type_traits>

#include "arrays.hpp"

namespace matchcount::python {

bool is_plain_array(nb::handle array) {
  static std::atomic<PyObject*> known = nullptr;
  const nb::handle type = array.type();
  if (type.ptr() == known.load(std::memory_order_relaxed)) return true;
  if (nb::cast<std::string>(type.attr("__name__")) != "ndarray") return false;
  known = type.inc_ref().ptr();  // which lives on
  return true;
}

namespace {

// Computes the permanent, hafnian or loop hafnian of a square array of float64, int64 or complex128 that is small; None
// for anything else.
std::optional<Number> small(nb::handle array, bool hafnian, bool loops) {
  if (!is_plain_array(array)) return std::nullopt;
  std::optional<Number> value;
  view_as<double, std::int64_t, std::complex<double>>(array, [&](const auto& entries) {
    constexpr std::size_t most = 12;
    if (entries.ndim() != 2 || entries.shape(0) != entries.shape(1) || entries.shape(0) > most || entries.size() == 0)
      return;
    const std::size_t n = entries.shape(0);
    value = to_python((hafnian ? hafnians(entries.span(), n, loops) : permanents(entries.span(), n)).front());
  });
  return value;
}

// Returns the permanent, hafnian or loop hafnian of each matrix of an array of (B, n, n).
nb::typed<nb::list, Number> batch(nb::handle array, const std::string& what, const Keywords& asked) {
  auto run = options_from<RunOptions>(asked);
  nb::list list;
  by_type(array, [&](const auto& entries) {
    const std::size_t n = entries.shape(1);
    const bool permanent = what == "permanent";
    const double products =
        (permanent ? permanent_products(n) : hafnian_products(n)) * static_cast<double>(entries.shape(0));
    const auto values = run_dense(products, run, asked, [&] {
      return permanent ? permanents(entries.span(), n, run) : hafnians(entries.span(), n, what == "loop hafnian", run);
    });
    for (const auto& value : values) list.append(to_python(value));
  });
  return list;
}

// Returns the determinant of a square array, whose entries are taken as they are.
Number determinant_within(nb::handle array, const Keywords& asked) {
  auto options = options_from<DeterminantOptions>(asked);
  Number value;
  by_type(array, [&]<class T>(const View<T>& entries) {
    constexpr std::size_t least_watched = 64;  // rows
    const std::size_t n = entries.shape(0);
    if (n < least_watched) spare_looks(options.run);
    const double products = 40 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    if constexpr (std::is_same_v<T, std::complex<double>>) {
      std::vector<ComplexDoubleDouble> numbers;
      for (const T entry : entries.span()) numbers.emplace_back(entry.real(), entry.imag());
      value = to_python(run_dense(products, options.run, asked, [&] { return determinant(numbers, n, options); }));
    } else {
      value =
          to_python(run_dense(products, options.run, asked, [&] { return determinant(entries.span(), n, options); }));
    }
  });
  return value;
}

double states(const std::vector<std::uint32_t>& times) {
  double product = 1;
  for (const std::uint32_t taken : times) product *= taken + 1.0;
  return product * static_cast<double>(times.size());
}

// Returns the same of one matrix in which rows and columns stand several times; of a hafnian they are the same.
Number repeated(nb::handle array, const std::string& what, const std::vector<std::uint32_t>& row_times,
                const std::vector<std::uint32_t>& column_times, const Keywords& asked) {
  auto run = options_from<RunOptions>(asked);
  Number value;
  by_type(array, [&](const auto& entries) {
    value = to_python(run_dense(std::min(states(row_times), states(column_times)), run, asked, [&] {
      return what == "permanent" ? repeated_permanent(entries.span(), row_times, column_times, run)
                                 : repeated_hafnian(entries.span(), row_times, what == "loop hafnian", run);
    }));
  });
  return value;
}

}  // namespace

void add_dense(nb::module_& module) {
  module.def("small", &small, nb::arg().none(), nb::arg(), nb::arg());
  module.def("batch", &batch);
  module.def("array_determinant", &determinant_within);
  module.def("repeated", &repeated);
}

}  // namespace matchcount::python
