#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "binding.hpp"

namespace matchcount::python {
namespace {

template <class T>
using Dense = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

// A call of fewer products holds the lock: to give it back and take it would cost more.
constexpr double products_worth_releasing = 1e5;
// More products than this are worth a look at signals.
constexpr double products_worth_watching = 1e8;

template <class Body>
auto run_dense(double products, RunOptions& run, const Keywords& asked, Body&& body) {
  const nb::object progress = asked["progress"];
  if (products >= products_worth_watching || !(progress.is(Py_False) || progress.is_none())) {
    Interruptible interruptible(run, progress);
    return interruptible(body);
  }
  if (products < products_worth_releasing) return body();
  const nb::gil_scoped_release release;
  return body();
}

double permanent_products(std::size_t n) { return static_cast<double>(n) * std::exp2(static_cast<double>(n)) / 2; }
double hafnian_products(std::size_t n) { return static_cast<double>(n) * std::pow(1.618, static_cast<double>(n)); }

// Calls body with the array as one of the three types that there are; nothing for another type.
template <class Body>
nb::object by_type(nb::handle array, Body&& body) {
  if (Dense<double> reals; nb::try_cast(array, reals, false)) return body(reals);
  if (Dense<std::int64_t> integers; nb::try_cast(array, integers, false)) return body(integers);
  if (Dense<std::complex<double>> complexes; nb::try_cast(array, complexes, false)) return body(complexes);
  return nb::none();
}

// Computes the permanent, hafnian or loop hafnian of a square array of float64, int64 or complex128 that is small; None
// for anything else.
std::optional<Number> small(nb::handle array, bool hafnian, bool loops) {
  const nb::object value = by_type(array, [&](const auto& entries) -> nb::object {
    constexpr std::size_t most = 12;
    if (entries.ndim() != 2 || entries.shape(0) != entries.shape(1) || entries.shape(0) > most || entries.size() == 0)
      return nb::none();
    const auto span = std::span(entries.data(), entries.size());
    const std::size_t n = entries.shape(0);
    return to_python((hafnian ? hafnians(span, n, loops) : permanents(span, n)).front());
  });
  return value.is_none() ? std::nullopt : std::optional(nb::borrow<Number>(value));
}

// Returns the permanent, hafnian or loop hafnian of each matrix of an array of (B, n, n).
nb::typed<nb::list, Number> batch(nb::handle array, const std::string& what, const Keywords& asked) {
  auto run = options_from<RunOptions>(asked);
  nb::list list;
  by_type(array, [&](const auto& entries) -> nb::object {
    const std::size_t n = entries.shape(1);
    const auto span = std::span(entries.data(), entries.size());
    const bool permanent = what == "permanent";
    const double products =
        (permanent ? permanent_products(n) : hafnian_products(n)) * static_cast<double>(entries.shape(0));
    const auto values = run_dense(products, run, asked, [&] {
      return permanent ? permanents(span, n, run) : hafnians(span, n, what == "loop hafnian", run);
    });
    for (const auto& value : values) list.append(to_python(value));
    return nb::none();
  });
  return list;
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
  return nb::borrow<Number>(by_type(array, [&](const auto& entries) -> nb::object {
    const auto span = std::span(entries.data(), entries.size());
    return to_python(run_dense(std::min(states(row_times), states(column_times)), run, asked, [&] {
      return what == "permanent" ? repeated_permanent(span, row_times, column_times, run)
                                 : repeated_hafnian(span, row_times, what == "loop hafnian", run);
    }));
  }));
}

// Computes the torontonian of a square array, or the loop torontonian; both of float64 or both of complex128. None for
// anything else.
nb::object torontonian_within(nb::handle array, nb::handle loop, TorontonianOptions& options, const Keywords* asked) {
  return by_type(array, [&]<class Array>(const Array& entries) -> nb::object {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(entries.data())>>;
    if constexpr (!std::is_same_v<T, std::int64_t>) {
      if (entries.ndim() != 2 || entries.shape(0) != entries.shape(1) || entries.size() == 0) return nb::none();
      std::span<const T> loops;
      if (Dense<T> given; !loop.is_none() && nb::try_cast(loop, given, false)) loops = {given.data(), given.size()};
      const std::size_t rows = entries.shape(0);
      const auto value = [&] { return torontonian(std::span(entries.data(), entries.size()), rows, loops, options); };
      const double products = 32 * std::exp2(static_cast<double>(rows) / 2);
      return to_python((asked ? run_dense(products, options.run, *asked, value) : value()).value);
    }
    return nb::none();
  });
}
Number torontonian_of(nb::handle array, nb::handle loop, const Keywords& asked) {
  auto options = options_from<TorontonianOptions>(asked);
  return nb::borrow<Number>(torontonian_within(array, loop, options, &asked));
}
// Computes that of a small array without options.
std::optional<Number> small_torontonian(nb::handle array) {
  TorontonianOptions options;
  constexpr Py_ssize_t most = 20;
  const nb::object value =
      PyObject_Size(array.ptr()) <= most ? torontonian_within(array, nb::none(), options, nullptr) : nb::none();
  return value.is_none() ? std::nullopt : std::optional(nb::borrow<Number>(value));
}

}  // namespace

void add_dense(nb::module_& module) {
  module.def("small", &small);
  module.def("batch", &batch);
  module.def("repeated", &repeated);
  module.def("small_torontonian", &small_torontonian);
  module.def("torontonian", &torontonian_of, nb::arg(), nb::arg().none(), nb::arg());
}

}  // namespace matchcount::python
