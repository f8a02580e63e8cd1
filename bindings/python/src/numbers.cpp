#include <cmath>
#include <limits>

#include "binding.hpp"

namespace matchcount::python {
namespace {

// The types of matchcount/_numbers.py, which hands them in when it is imported.
PyObject* real_type = nullptr;
PyObject* complex_type = nullptr;

struct Nearest {
  double value, error;
};

// Returns the nearest double, and a bound on its distance from the truth, given one on that of `value`.
Nearest nearest(const ScaledReal& value, double log2_error) {
  const double near = value.to_double();
  if (!std::isfinite(near)) {
    throw Unable("the value " + to_string(value, log2_error) +
                 " is beyond the range of a float; a Result, by full_output=True, has its .text and .log10");
  }
  // The high part, unless that is subnormal.
  constexpr std::int64_t least_exponent = std::numeric_limits<double>::min_exponent;
  const ScaledReal rest = value.exponent >= least_exponent ? ScaledReal(value.mantissa.lo, value.exponent)
                                                           : value + -ScaledReal(DoubleDouble(near));
  const double error = std::exp2(log2_error) + std::fabs(rest.to_double());
  return {near, error == 0 && rest.is_zero() && std::isinf(log2_error)
                    ? 0
                    : std::nextafter(error * (1 + 0x1p-50), std::numeric_limits<double>::infinity())};
}

}  // namespace

Integer integer_from(nb::handle number) {
  const nb::object value = nb::steal(PyNumber_Index(number.ptr()));
  if (!value.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow == 0) {
    if (small == -1 && PyErr_Occurred()) throw nb::python_error();
    return Integer(static_cast<std::int64_t>(small));
  }
  const nb::object magnitude = nb::steal(PyNumber_Absolute(value.ptr()));
  const auto bits = nb::cast<std::size_t>(magnitude.attr("bit_length")());
  const auto bytes = nb::cast<nb::bytes>(magnitude.attr("to_bytes")((bits + 7) / 8, "little"));
  const auto* data = static_cast<const std::uint8_t*>(bytes.data());
  Integer result = from_magnitude(std::span<const std::uint8_t>(data, bytes.size()));
  return overflow < 0 ? -std::move(result) : result;
}

Rational rational_from(nb::handle number) {
  if (PyLong_Check(number.ptr())) return Rational(integer_from(number));
  if (!nb::hasattr(number, "numerator") || !nb::hasattr(number, "denominator")) {
    throw InputError("an entry of type " + nb::cast<std::string>(number.type().attr("__name__")),
                     "an int or a Fraction in an array of objects");
  }
  return Rational(integer_from(number.attr("numerator")), integer_from(number.attr("denominator")));
}

Number to_python(const Integer& value) {
  if (value.compare(std::numeric_limits<std::int64_t>::max()) <= 0 &&
      value.compare(std::numeric_limits<std::int64_t>::min()) >= 0)
    return nb::steal<Number>(PyLong_FromLongLong(static_cast<std::int64_t>(value)));
  const std::vector<std::uint8_t> bytes = magnitude_bytes(value);
  const nb::object type = nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type));
  const nb::object magnitude = type.attr("from_bytes")(nb::bytes(bytes.data(), bytes.size()), "little");
  return value.sign() < 0 ? nb::steal<Number>(PyNumber_Negative(magnitude.ptr())) : nb::borrow<Number>(magnitude);
}

Number to_python(const Rational& value) {
  const nb::object fraction = nb::module_::import_("fractions").attr("Fraction");
  return nb::borrow<Number>(fraction(to_python(numerator(value)), to_python(denominator(value))));
}

std::pair<double, double> nearest_double(const RealValue& value) {
  const Nearest real = nearest(value.value, value.log2_error);
  return {real.value, real.error};
}

std::pair<std::complex<double>, double> nearest_double(const ComplexValue& value) {
  const Nearest re = nearest(value.value.re, value.log2_error), im = nearest(value.value.im, value.log2_error);
  // The bound of the absolute value holds for both parts together; their own roundings come to it.
  return {{re.value, im.value}, std::hypot(re.error, im.error)};
}

Number to_python(const RealValue& value) {
  const auto [real, error] = nearest_double(value);
  // Makes it as its __new__ does, without a frame of Python's.
  static PyObject* const name = PyUnicode_InternFromString("error");
  auto* const type = reinterpret_cast<PyTypeObject*>(real_type);
#ifdef Py_LIMITED_API
  static const auto make = reinterpret_cast<newfunc>(PyType_GetSlot(&PyFloat_Type, Py_tp_new));
  const nb::object made = nb::steal(make(type, nb::make_tuple(real).ptr(), nullptr));
#else
  const nb::object made = nb::steal(type->tp_alloc(type, 0));
  if (made.is_valid()) reinterpret_cast<PyFloatObject*>(made.ptr())->ob_fval = real;
#endif
  if (!made.is_valid() || PyObject_SetAttr(made.ptr(), name, nb::float_(error).ptr()) != 0) throw nb::python_error();
  return nb::borrow<Number>(made);
}

Number to_python(const ComplexValue& value) {
  const auto [complex, error] = nearest_double(value);
  return nb::borrow<Number>(nb::borrow(complex_type)(complex.real(), complex.imag(), error));
}

Number to_python(const Value& value) {
  return std::visit([](const auto& held) { return to_python(held); }, value);
}

void set_number_types(nb::handle real, nb::handle complex) {
  Py_XINCREF(real.ptr());
  Py_XINCREF(complex.ptr());
  real_type = real.ptr();
  complex_type = complex.ptr();
}

}  // namespace matchcount::python
