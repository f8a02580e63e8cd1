#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "binding.hpp"

namespace matchcount::python {
namespace {

template <class T>
using Dense = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

// Below so many products a call holds the lock: to give it back and take it would cost more.
constexpr double products_worth_releasing = 1e5;
// Above so many it is worth a look at signals.
constexpr double products_worth_watching = 1e8;

template <class Body>
auto run_dense(double products, RunOptions& run, const nb::object& progress, Body&& body) {
  if (products >= products_worth_watching || !progress.is_none()) {
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

// The permanent of a square array of float64, int64 or complex128 that is small; None for anything else.
nb::object small_permanent(nb::handle array) {
  return by_type(array, [](const auto& entries) -> nb::object {
    constexpr std::size_t most = 12;
    if (entries.ndim() != 2 || entries.shape(0) != entries.shape(1) || entries.shape(0) > most || entries.size() == 0)
      return nb::none();
    return to_python(permanents(std::span(entries.data(), entries.size()), entries.shape(0)).front());
  });
}

// Of an array of (B, n, n): a list.
nb::object batch(nb::handle array, const std::string& what, nb::dict given, nb::object progress) {
  RunOptions run = take_run(given);
  refuse_rest(given);
  return by_type(array, [&](const auto& entries) -> nb::object {
    const std::size_t n = entries.shape(1);
    const auto span = std::span(entries.data(), entries.size());
    const bool permanent = what == "permanent";
    const double products =
        (permanent ? permanent_products(n) : hafnian_products(n)) * static_cast<double>(entries.shape(0));
    const auto values = run_dense(products, run, progress, [&] {
      return permanent ? permanents(span, n, run) : hafnians(span, n, what == "loop hafnian", run);
    });
    nb::list list;
    for (const auto& value : values) list.append(to_python(value));
    return list;
  });
}

double states(const std::vector<std::uint32_t>& times) {
  double product = 1;
  for (const std::uint32_t taken : times) product *= taken + 1.0;
  return product * static_cast<double>(times.size());
}

nb::object repeated_permanent_of(nb::handle array, const std::vector<std::uint32_t>& row_times,
                                 const std::vector<std::uint32_t>& column_times, nb::dict given, nb::object progress) {
  RunOptions run = take_run(given);
  refuse_rest(given);
  return by_type(array, [&](const auto& entries) -> nb::object {
    const auto span = std::span(entries.data(), entries.size());
    const double products = std::min(states(row_times), states(column_times));
    return to_python(
        run_dense(products, run, progress, [&] { return repeated_permanent(span, row_times, column_times, run); }));
  });
}

nb::object repeated_hafnian_of(nb::handle array, const std::vector<std::uint32_t>& times, bool loops, nb::dict given,
                               nb::object progress) {
  RunOptions run = take_run(given);
  refuse_rest(given);
  return by_type(array, [&](const auto& entries) -> nb::object {
    const auto span = std::span(entries.data(), entries.size());
    return to_python(
        run_dense(states(times), run, progress, [&] { return repeated_hafnian(span, times, loops, run); }));
  });
}

}  // namespace

void add_dense(nb::module_& module) {
  module.def("small_permanent", &small_permanent);
  module.def("batch", &batch, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  module.def("repeated_permanent", &repeated_permanent_of, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg().none());
  module.def("repeated_hafnian", &repeated_hafnian_of, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace matchcount::python
