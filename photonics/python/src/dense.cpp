#include <matchcount/photonics.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>

#include "arrays.hpp"

namespace matchcount::python {
namespace {

template <class T>
using Dense = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

// ---- Arrays in a GPU's memory.

// Holds what a capsule of DLPack has, and says it as arrays of CUDA do.
class GpuArray {
 public:
  explicit GpuArray(nb::handle capsule) : array_(nb::cast<nb::ndarray<nb::ro>>(capsule)) {
    constexpr std::string_view kinds = "iuf  cb";  // by code
    const auto type = array_.dtype();
    if (type.code >= kinds.size() || kinds[type.code] == ' ' || type.lanes != 1 || type.bits % 8 != 0)
      throw InputError(
          "an array of DLPack's type " + std::to_string(type.code) + " of " + std::to_string(type.bits) + " bits",
          "integers, floats or complex numbers");
    type_ = std::string("<") + kinds[type.code] + std::to_string(type.bits / 8);
  }
  Keywords interface() const {
    nb::dict said;
    nb::list shape, strides;
    for (std::size_t i = 0; i < array_.ndim(); ++i) {
      shape.append(array_.shape(i));
      strides.append(array_.stride(i) * static_cast<std::int64_t>(array_.itemsize()));
    }
    said["shape"] = nb::tuple(shape);
    said["strides"] = nb::tuple(strides);
    said["typestr"] = type_;
    said["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(array_.data()), true);
    said["version"] = 3;
    return nb::borrow<Keywords>(said);
  }

 private:
  nb::ndarray<nb::ro> array_;
  std::string type_;
};

void copy_from_gpu(std::uint64_t address, nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> to) {
  const nb::gil_scoped_release release;
  copy_from_device(address, std::as_writable_bytes(std::span(to.data(), to.size())));
}

// Returns the permanent, hafnian or loop hafnian of each of matrices of float64 or complex128 at an address, of (B, n,
// n) or (n, n).
nb::typed<nb::list, Number> batch_on_gpu(std::uint64_t address, const std::vector<std::size_t>& shape, bool is_complex,
                                         const std::string& what, const Keywords& asked) {
  auto run = options_from<RunOptions>(asked);
  nb::list list;
  const auto find = [&]<class T>(T) {
    OnDevice<T> entries{address, 1};
    for (const std::size_t size : shape) entries.size *= size;
    for (const auto& value : run_dense(products_worth_watching, run, asked, [&] {
           return what == "permanent" ? permanents(entries, shape.back(), run)
                                      : hafnians(entries, shape.back(), what == "loop hafnian", run);
         }))
      list.append(to_python(value));
  };
  if (is_complex)
    find(std::complex<double>());
  else
    find(double());
  return list;
}

// Finds permanents and derivatives of so many n x n matrices. Addresses: of the matrices and, to be written, of values,
// errors, derivatives and their errors. Returns whether a GPU did it.
bool gradients_on_gpu(const std::vector<std::uint64_t>& addresses, std::size_t count, std::size_t n, bool is_complex,
                      const Keywords& asked) {
  auto run = options_from<RunOptions>(asked);
  const auto find = [&]<class T>(T) {
    return run_dense(products_worth_watching, run, asked, [&] {
      return permanent_gradients(OnDevice<T>{addresses.at(0), count * n * n}, n,
                                 {addresses.at(1), addresses.at(2), addresses.at(3), addresses.at(4)}, run);
    });
  };
  return is_complex ? find(std::complex<double>()) : find(double());
}

TorontonianOptions torontonian_options(const Keywords& asked) {
  TorontonianOptions options;
  options.run = options_from<RunOptions>(asked);
  options.rtol = number_from(asked, "rtol");
  options.atol = number_from(asked, "atol");
  return options;
}

// Computes the torontonian of a square array, or the loop torontonian; both of float64 or both of complex128. Nothing
// for anything else if nothing is asked about it.
std::optional<Number> torontonian_within(nb::handle array, nb::handle loop, TorontonianOptions& options,
                                         const Keywords* asked) {
  std::optional<Number> answer;
  const bool is_known = view_as<double, std::complex<double>>(array, [&]<class T>(const View<T>& entries) {
    constexpr std::size_t most_at_once = 20;  // rows of a matrix about which nothing is asked
    if (asked == nullptr && (entries.ndim() != 2 || entries.shape(0) != entries.shape(1) || entries.size() == 0 ||
                             entries.shape(0) > most_at_once))
      return;
    std::span<const T> loops;
    std::optional<View<T>> given;
    if (!loop.is_none()) {
      given.emplace(loop);
      if (!*given || given->ndim() != 1) return asked ? refuse_array(loop) : void();
      loops = {given->data(), given->size()};
    }
    const std::size_t rows = entries.shape(0);
    const auto value = [&] { return torontonian(entries.span(), rows, loops, options); };
    const double products = 32 * std::exp2(static_cast<double>(rows) / 2);
    answer = to_python((asked ? run_dense(products, options.run, *asked, value) : value()).value);
  });
  if (!is_known && asked) refuse_array(array);
  return answer;
}
Number torontonian_of(nb::handle array, nb::handle loop, const Keywords& asked) {
  auto options = torontonian_options(asked);
  return *torontonian_within(array, loop, options, &asked);
}
// Computes those of an array of (B, 2n, 2n), with loops of (B, 2n) of the same type loop torontonians.
nb::typed<nb::list, Number> torontonian_batch(nb::handle array, nb::handle loops, const Keywords& asked) {
  auto options = torontonian_options(asked);
  nb::list list;
  by_float_type(array, [&]<class T>(const View<T>& entries) {
    const std::size_t rows = entries.shape(1);
    const double products = 32 * std::exp2(static_cast<double>(rows) / 2) * static_cast<double>(entries.shape(0));
    Dense<T> given;
    if (!loops.is_none()) given = nb::cast<Dense<T>>(loops);
    for (const auto& result : run_dense(products, options.run, asked, [&] {
           return torontonians(entries.span(), rows, {given.data(), given.size()}, options);
         }))
      list.append(to_python(result.value));
  });
  return list;
}
// Computes that of a small array without options but doubles.
std::optional<Number> small_torontonian(nb::handle array, nb::handle loop, bool in_doubles) {
  if (!is_plain_array(array)) return std::nullopt;
  TorontonianOptions options;
  if (in_doubles) options.run.precision = Precision::float64;
  return torontonian_within(array, loop, options, nullptr);
}

// ---- Patterns of one matrix, written into arrays of Python's.

template <class T>
using Written = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const std::uint32_t, nb::c_contig, nb::device::cpu>;

using Reasons = nb::typed<nb::dict, int, nb::str>;

// Writes values and what they are off by; returns the reasons of those that are nan, by their numbers.
template <class T, class Answer>
Reasons write(const std::vector<PatternValue<Answer>>& found, nb::handle values, Written<double>& errors) {
  auto out = nb::cast<Written<T>>(values);
  Reasons reasons;
  for (std::size_t p = 0; p < found.size(); ++p) {
    std::string reason = found[p].reason;
    T value = std::numeric_limits<double>::quiet_NaN();
    double error = std::numeric_limits<double>::quiet_NaN();
    if (found[p].value) try {
        std::tie(value, error) = nearest_double(*found[p].value);
      } catch (const Unable& beyond) {
        reason = beyond.what();
      }
    out.data()[p] = value;
    errors.data()[p] = error;
    if (!reason.empty()) reasons[nb::int_(p)] = nb::str(reason.c_str());
  }
  return reasons;
}

Reasons patterns(nb::handle array, const Indices& rows, const Indices& columns, const std::vector<std::size_t>& ends,
                 nb::handle values, Written<double> errors, const Keywords& asked) {
  auto run = options_from<RunOptions>(asked);
  Reasons reasons;
  by_float_type(array, [&]<class T>(const View<T>& entries) {
    const double products = permanent_products(8) * static_cast<double>(ends.size());
    const auto found = run_dense(products, run, asked, [&] {
      return pattern_permanents(entries.span(), entries.shape(1), {rows.data(), rows.size()},
                                {columns.data(), columns.size()}, ends, run);
    });
    reasons = write<T>(found, values, errors);
  });
  return reasons;
}

// Writes the loop hafnians of one matrix for many vectors of loops, of the same type.
Reasons loop_hafnians_of(nb::handle array, nb::handle loops, nb::handle values, Written<double> errors,
                         const Keywords& asked) {
  auto run = options_from<RunOptions>(asked);
  Reasons reasons;
  by_float_type(array, [&]<class T>(const View<T>& entries) {
    const auto given = nb::cast<Dense<T>>(loops);
    const std::size_t n = entries.shape(0);
    auto found = run_dense(hafnian_products(n) * static_cast<double>(errors.size()), run, asked, [&] {
      return loop_hafnians(entries.span(), n, {given.data(), given.size()}, run);
    });
    std::vector<PatternValue<typename decltype(found)::value_type>> answers;
    for (auto& value : found) answers.push_back({std::move(value), {}});
    reasons = write<T>(answers, values, errors);
  });
  return reasons;
}

// Writes a function of each matrix of an array of (B, n, n), and its derivatives by their entries.
void gradients(nb::handle array, const std::string& what, nb::handle values, Written<double> errors,
               nb::handle derivatives, Written<double> derivative_errors, const Keywords& asked) {
  auto run = options_from<RunOptions>(asked);
  by_float_type(array, [&]<class T>(const View<T>& entries) {
    const std::size_t n = entries.shape(1);
    const bool is_permanent = what == "permanent";
    const double products = (is_permanent ? permanent_products(n) : hafnian_products(n)) * 3;
    const Gradients<T> found = run_dense(products * static_cast<double>(entries.shape(0)), run, asked, [&] {
      return is_permanent ? permanent_gradients(entries.span(), n, run)
                          : hafnian_gradients(entries.span(), n, what == "loop hafnian", run);
    });
    std::ranges::copy(found.values, nb::cast<Written<T>>(values).data());
    std::ranges::copy(found.errors, errors.data());
    std::ranges::copy(found.derivatives, nb::cast<Written<T>>(derivatives).data());
    std::ranges::copy(found.derivative_errors, derivative_errors.data());
  });
}

// Writes torontonians of an array of (B, n, n) and their derivatives; arrays that are not given are empty.
void torontonian_gradients_of(nb::handle array, nb::handle loops, nb::handle along, nb::handle loops_along,
                              Written<double> values, nb::handle derivatives, nb::handle loop_derivatives,
                              const Keywords& asked) {
  auto run = options_from<RunOptions>(asked);
  by_float_type(array, [&]<class T>(const View<T>& entries) {
    const auto span = [](nb::handle given) {
      const auto array = nb::cast<Dense<T>>(given);
      return std::span<const T>(array.data(), array.size());
    };
    const std::size_t rows = entries.shape(1);
    const double products = 200 * std::exp2(static_cast<double>(rows) / 2) * static_cast<double>(entries.shape(0));
    const std::span<const T> of_loops = span(loops), direction = span(along), of_loops_along = span(loops_along);
    const TorontonianGradients<T> found = run_dense(products, run, asked, [&] {
      return torontonian_gradients(entries.span(), rows, of_loops, direction, of_loops_along, run);
    });
    std::ranges::copy(found.values, values.data());
    std::ranges::copy(found.derivatives, nb::cast<Written<T>>(derivatives).data());
    std::ranges::copy(found.loop_derivatives, nb::cast<Written<T>>(loop_derivatives).data());
  });
}

Amplitudes stream(const Dense<std::complex<double>>& entries, const std::vector<std::uint32_t>& times) {
  return Amplitudes({entries.data(), entries.size()}, times, entries.shape(1));
}
// Writes the next amplitudes, as many as there is room for, and returns how many there were.
std::size_t take(Amplitudes& amplitudes, nb::ndarray<std::uint32_t, nb::c_contig, nb::device::cpu> columns,
                 Written<std::complex<double>> values, Written<double> errors) {
  constexpr std::size_t between_looks = 64;
  const nb::gil_scoped_release release;
  std::size_t count = 0;
  for (std::uint32_t* to = columns.data(); count < values.size() && amplitudes.next(); ++count) {
    to = std::ranges::copy(amplitudes.columns(), to).out;
    values.data()[count] = amplitudes.value();
    errors.data()[count] = amplitudes.error();
    if (count % between_looks != between_looks - 1) continue;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  return count;
}

void add_dense_of_wing(nb::module_& module) {
  module.attr("built_with_cuda") = built_with_cuda();
  nb::class_<GpuArray>(module, "GpuArray")
      .def(nb::init<nb::handle>())
      .def_prop_ro("__cuda_array_interface__", &GpuArray::interface);
  module.def("copy_from_gpu", &copy_from_gpu);
  module.def("batch_on_gpu", &batch_on_gpu);
  module.def("gradients_on_gpu", &gradients_on_gpu);
  module.def("small_torontonian", &small_torontonian, nb::arg().none(), nb::arg().none(), nb::arg());
  module.def("torontonian_batch", &torontonian_batch, nb::arg(), nb::arg().none(), nb::arg());
  module.def("patterns", &patterns);
  module.def("loop_hafnians", &loop_hafnians_of);
  module.def("gradients", &gradients);
  module.def("torontonian_gradients", &torontonian_gradients_of);
  nb::class_<Amplitudes>(module, "Amplitudes").def("take", &take);
  module.def("stream", &stream);
  module.def("torontonian", &torontonian_of, nb::arg(), nb::arg().none(), nb::arg());
}

const bool has_dense = (wings().push_back(&add_dense_of_wing), true);

}  // namespace
}  // namespace matchcount::python
