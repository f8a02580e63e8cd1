#include "../../options.hpp"

#include <array>
#include <cmath>
#include <type_traits>

#include "binding.hpp"

// Takes the keywords that the options of options.hpp are, and tells what these are for Python's signatures.

namespace matchcount::python {

using namespace bindings;

void refuse_value(const char* name, nb::handle value, const char* expected) {
  throw InputError(std::string(name) + "=" + nb::cast<std::string>(nb::repr(value)), expected);
}

MatchingKind kind_of_matchings(const std::string& name) {
  return name == "lightest"   ? MatchingKind::lightest
         : name == "heaviest" ? MatchingKind::heaviest
                              : from_string<MatchingKind>(name);
}

namespace {

template <class T>
constexpr bool is_named = requires {
  Names<T>::all;
};

// Converts an option's value. Throws InputError for a value of another type, or another name of an enumeration.
template <class T>
auto converted(const char* name, nb::handle value) {
  if constexpr (std::is_same_v<T, ByteCount>) {
    const auto bytes = converted<double>(name, value);
    // No interpreter is smaller: less is a number of megabytes or gigabytes.
    constexpr double least_bytes = 1 << 20;
    if (bytes != 0 && !(bytes >= least_bytes && bytes < 0x1p63)) refuse_value(name, value, "bytes, from 2^20 to 2^63");
    return static_cast<std::uint64_t>(bytes);
  } else if constexpr (std::is_same_v<T, FileName>) {
    const nb::object path = nb::steal(PyOS_FSPath(value.ptr()));
    if (!path.is_valid()) {
      PyErr_Clear();
      refuse_value(name, value, "a path");
    }
    return converted<std::string>(name, nb::module_::import_("os").attr("fsdecode")(path));
  } else if constexpr (std::is_same_v<T, Entry>) {
    const auto text = nb::cast<std::string>(nb::str(value));
    const std::string_view size = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
    if (!read_number(text) && size != "inf" && size != "nan") refuse_value(name, value, "a number, 'inf' or 'nan'");
    return text;
  } else if constexpr (std::is_same_v<T, Base>) {
    return converted<Vertex>(name, value);
  } else if constexpr (std::is_same_v<T, Rational>) {
    if (PyBool_Check(value.ptr()) || !nb::hasattr(value, "numerator") || !nb::hasattr(value, "denominator"))
      refuse_value(name, value, "an int or a Fraction");
    return rational_from(value);
  } else if constexpr (std::is_same_v<T, DeviceChoice>) {
    return parse_device_choice(converted<std::string>(name, value));
  } else if constexpr (std::is_same_v<T, MatchingKind>) {
    return kind_of_matchings(converted<std::string>(name, value));
  } else if constexpr (is_named<T>) {
    if (std::is_same_v<T, Loops> && PyBool_Check(value.ptr()))
      return from_string<T>(value.is(Py_True) ? "keep" : "refuse");
    return from_string<T>(converted<std::string>(name, value));
  } else {
    constexpr bool truth = std::is_same_v<T, bool>;
    T taken;
    if ((!truth && PyBool_Check(value.ptr())) || !nb::try_cast(value, taken)) {
      refuse_value(name, value,
                   truth                         ? "True or False"
                   : std::is_unsigned_v<T>       ? "a whole number from 0 on"
                   : std::is_integral_v<T>       ? "a whole number"
                   : std::is_floating_point_v<T> ? "a number"
                                                 : "a string");
    }
    return taken;
  }
}

// Returns what Python's descriptions say of an option's values.
template <class T>
std::string values_of() {
  if constexpr (is_named<T>) {
    std::string names;
    for (const auto& named : Names<T>::all)
      if (named.can_be_asked_for) names += (names.empty() ? "\"" : ", \"") + std::string(named.name) + "\"";
    return (std::is_same_v<T, Loops> ? "bool or {" : "{") + names + "}";
  }
  return std::is_same_v<T, bool>                                       ? "bool"
         : std::is_same_v<T, FileName>                                 ? "path"
         : std::is_same_v<T, Entry>                                    ? "float or Fraction or str"
         : std::is_same_v<T, Base>                                     ? "{0, 1}"
         : std::is_same_v<T, ByteCount> || std::is_floating_point_v<T> ? "float"
         : std::is_integral_v<T>                                       ? "int"
                                                                       : "str";
}

}  // namespace

template <class Options>
Options options_from(const Keywords& asked) {
  Options options;
  if constexpr (requires { options.run; }) options.run = options_from<RunOptions>(asked);
  // Strings of Python's, once for all: looking one up makes no string.
  static const auto names =
      std::apply([](const auto&... option) { return std::array{PyUnicode_InternFromString(option.name)...}; },
                 options_of<Options>);
  auto name = names.begin();
  const auto take = [&]<class Option>(const Option& option) {
    PyObject* const value = PyDict_GetItemWithError(asked.ptr(), *name++);
    if (value == nullptr || value == Py_None) return;
    options.*option.member = converted<typename Option::Value>(option.name, value);
    if (option.is_right && !option.is_right(options.*option.member)) refuse_value(option.name, value, option.expected);
  };
  std::apply([&](const auto&... option) { (take(option), ...); }, options_of<Options>);
  return options;
}

template RunOptions options_from(const Keywords&);
template CountOptions options_from(const Keywords&);
template DistributionOptions options_from(const Keywords&);
template DistributionEstimateOptions options_from(const Keywords&);
template EstimateOptions options_from(const Keywords&);
template DeterminantOptions options_from(const Keywords&);
template InputOptions options_from(const Keywords&);
template MatchingOptions options_from(const Keywords&);

nb::typed<nb::dict, nb::str, nb::any> option_groups() {
  nb::dict groups;
  const auto add = [&](const char* name, const auto& options) {
    nb::dict group;
    const auto put = [&]<class Option>(const Option& option) {
      group[option.name] = nb::make_tuple(values_of<typename Option::Value>(), option.text);
    };
    std::apply([&](const auto&... option) { (put(option), ...); }, options);
    groups[name] = group;
  };
  add("Limits", limits);
  add("Work", work);
  add("Arithmetic", arithmetic);
  add("Saving", saving);
  add("Search", search<CountOptions>);
  add("Tuning", tuning);
  add("Estimates", estimates);
  add("EstimatedShares", estimated_shares);
  add("Population", population);
  add("ExactParts", exact_parts);
  add("Elimination", elimination);
  add("Reading", reading);
  return groups;
}

double number_from(const Keywords& asked, const char* name) {
  const nb::object value = asked.attr("get")(name);
  return value.is_none() ? 0 : converted<double>(name, value);
}

void check_options(const Keywords& asked, bool of_count) {
  if (of_count)
    options_from<CountOptions>(asked);
  else
    options_from<DeterminantOptions>(asked);
  Saving saving(asked);
}

void spare_looks(RunOptions& run) {
  constexpr std::uint64_t enough_bytes = std::uint64_t{1} << 30;
  // A team of threads that this thread started would be missing in a process that is forked off.
  run.num_threads = 1;
  if (run.memory_limit_bytes == 0) run.memory_limit_bytes = enough_bytes;
}

Saving::Saving(const Keywords& asked) {
  auto options = options_from<CheckpointOptions>(asked);
  if (options.file.empty()) {
    if (options.resume) throw InputError("resume=True without a file", "checkpoint=, the file to go on from");
    const nb::handle interval = PyDict_GetItemString(asked.ptr(), "checkpoint_interval");
    if (interval.is_valid() && !interval.is_none())
      throw InputError("a checkpoint_interval without a file", "checkpoint=, the file to write");
    return;
  }
  options.program = "matchcount " MATCHCOUNT_VERSION;
  options.on_warning = [](const std::string& text) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) PyErr_WriteUnraisable(nullptr);
  };
  checkpoint_.emplace(std::move(options));
  work_.emplace(&*checkpoint_);
}

}  // namespace matchcount::python
