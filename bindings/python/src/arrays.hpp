#pragma once
// Takes arrays as functions of dense matrices read them, and runs these: without a thread and without looks for signals
// where they are short.

#include <nanobind/ndarray.h>

#include <cmath>
#include <complex>
#include <string_view>
#include <type_traits>

#include "binding.hpp"

namespace matchcount::python {

// Holds the numbers of an array in the order of C, if they are of type T: in less time than nanobind's arrays take.
template <class T>
class View {
 public:
  explicit View(nb::handle array) : is_held_(PyObject_GetBuffer(array.ptr(), &buffer_, asked) == 0) {
    if (!is_held_) PyErr_Clear();
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() {
    if (is_held_) PyBuffer_Release(&buffer_);
  }
  explicit operator bool() const {
    if (!is_held_ || buffer_.itemsize != sizeof(T) || reinterpret_cast<std::uintptr_t>(buffer_.buf) % alignof(T) != 0)
      return false;
    const std::string_view format = buffer_.format;
    if constexpr (std::is_same_v<T, std::int64_t>) return format == "l" || format == "q";
    return format == (std::is_same_v<T, double> ? "d" : "Zd");
  }
  std::span<const T> span() const { return {data(), size()}; }
  const T* data() const { return static_cast<const T*>(buffer_.buf); }
  std::size_t ndim() const { return static_cast<std::size_t>(buffer_.ndim); }
  std::size_t shape(std::size_t i) const { return static_cast<std::size_t>(buffer_.shape[i]); }
  std::size_t size() const { return static_cast<std::size_t>(buffer_.len) / sizeof(T); }

 private:
  static constexpr int asked = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
  Py_buffer buffer_{};
  bool is_held_;
};

// A call of fewer products holds the lock: to give it back and take it would cost more.
constexpr double products_worth_releasing = 1e5;
// More products than this are worth a look at signals.
constexpr double products_worth_watching = 1e8;

template <class Body>
auto run_dense(double products, RunOptions& run, const Keywords& asked, Body&& body) {
  const nb::object progress = asked.attr("get")("progress");
  if (products >= products_worth_watching || !(progress.is(Py_False) || progress.is_none())) {
    Interruptible interruptible(run, progress);
    return interruptible(body);
  }
  if (products < products_worth_releasing) return body();
  const nb::gil_scoped_release release;
  return body();
}

inline double permanent_products(std::size_t n) {
  return static_cast<double>(n) * std::exp2(static_cast<double>(n)) / 2;
}
inline double hafnian_products(std::size_t n) {
  return static_cast<double>(n) * std::pow(1.618, static_cast<double>(n));
}

[[noreturn]] inline void refuse_array(nb::handle array) {
  throw InputError("an array of type " + nb::cast<std::string>(nb::str(nb::getattr(array, "dtype", array.type()))),
                   "int64, float64 or complex128 in this machine's order of bytes, aligned, in the order of C");
}

// Calls body with the array as the first of these types that it has. Returns whether it has one.
template <class T, class... Others, class Body>
bool view_as(nb::handle array, const Body& body) {
  if (const View<T> entries(array); entries) {
    body(entries);
    return true;
  }
  if constexpr (sizeof...(Others) > 0) return view_as<Others...>(array, body);
  return false;
}
// The same of the types that there are; InputError for another.
template <class Body>
void by_type(nb::handle array, const Body& body) {
  if (!view_as<double, std::int64_t, std::complex<double>>(array, body)) refuse_array(array);
}
template <class Body>
void by_float_type(nb::handle array, const Body& body) {
  if (!view_as<double, std::complex<double>>(array, body)) refuse_array(array);
}

// Says whether this is an array of numpy's; a masked array is of another type. That is known by its name, for numpy
// need not be there, and kept: to ask again takes a tenth of the least torontonian's time.
bool is_plain_array(nb::handle array);

}  // namespace matchcount::python
