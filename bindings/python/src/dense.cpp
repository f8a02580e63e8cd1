#include <atomic>
#include <complex>
#include <optional>
#include <string_view>
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

// Does what batch does, of matrices of float64 or complex128 at an address, of (B, n, n) or (n, n).
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
  module.attr("built_with_cuda") = built_with_cuda();
  nb::class_<GpuArray>(module, "GpuArray")
      .def(nb::init<nb::handle>())
      .def_prop_ro("__cuda_array_interface__", &GpuArray::interface);
  module.def("copy_from_gpu", &copy_from_gpu);
  module.def("batch_on_gpu", &batch_on_gpu);
  module.def("repeated", &repeated);
}

}  // namespace matchcount::python
