#include <array>
#include <cmath>
#include <type_traits>

#include "binding.hpp"

// One table for each struct of options says which keyword sets which member; precision, threads and the like are
// those of every struct that has a RunOptions within.

namespace matchcount::python {

void refuse_value(const char* name, nb::handle value, const char* expected) {
  throw InputError(std::string(name) + "=" + nb::cast<std::string>(nb::repr(value)), expected);
}

MatchingKind kind_of_matchings(const std::string& name) {
  return name == "lightest"   ? MatchingKind::lightest
         : name == "heaviest" ? MatchingKind::heaviest
                              : from_string<MatchingKind>(name);
}

namespace {

template <class Options>
struct Keyword {
  const char* name;
  void (*set)(Options& options, const char* name, nb::handle value);
};

// Converts an option's value. Throws InputError for a value of another type, or another name of an enumeration.
template <class T>
T converted(const char* name, nb::handle value) {
  if constexpr (std::is_same_v<T, MatchingKind>) {
    return kind_of_matchings(converted<std::string>(name, value));
  } else if constexpr (requires { Names<T>::all; }) {
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

template <class>
struct MemberOf;
template <class Class, class Type>
struct MemberOf<Type Class::*> {
  using Options = Class;
  using Value = Type;
};
template <class T>
struct Held {
  using Value = T;
};
template <class T>
struct Held<std::optional<T>> {
  using Value = T;
};

template <auto member>
void assign(typename MemberOf<decltype(member)>::Options& options, const char* name, nb::handle value) {
  options.*member = converted<typename Held<typename MemberOf<decltype(member)>::Value>::Value>(name, value);
}

template <class Options>
void set_effort(Options& options, const char* name, nb::handle value) {
  options.effort_s = converted<double>(name, value);
  if (!(options.effort_s >= 0 && std::isfinite(options.effort_s)))
    throw InputError("an effort of " + std::to_string(options.effort_s), "seconds from 0 on");
}

template <class Options>
void set_activity(Options& options, const char* name, nb::handle value) {
  if (PyBool_Check(value.ptr()) || !nb::hasattr(value, "numerator") || !nb::hasattr(value, "denominator"))
    refuse_value(name, value, "an int or a Fraction");
  options.activity = rational_from(value);
}

template <class Options>
constexpr std::array<Keyword<Options>, 0> keywords{};

template <>
constexpr auto keywords<RunOptions> = std::to_array<Keyword<RunOptions>>({
    {"device",
     [](RunOptions& run, const char* name, nb::handle value) {
       run.device = parse_device_choice(converted<std::string>(name, value));
     }},
    {"precision", assign<&RunOptions::precision>},
    {"threads",
     [](RunOptions& run, const char* name, nb::handle value) {
       run.num_threads = converted<int>(name, value);
       if (run.num_threads < 0) refuse_value(name, value, "a whole number from 0 on");
     }},
    {"seed", assign<&RunOptions::seed>},
    {"time_limit",
     [](RunOptions& run, const char* name, nb::handle value) {
       run.time_limit_s = converted<double>(name, value);
       if (!(run.time_limit_s > 0))
         throw InputError("a time limit of " + std::to_string(run.time_limit_s), "seconds above 0");
     }},
    {"memory_limit",
     [](RunOptions& run, const char* name, nb::handle value) {
       const auto bytes = converted<double>(name, value);
       // No interpreter is smaller: less is a number of megabytes or gigabytes.
       constexpr double least_bytes = 1 << 20;
       if (bytes != 0 && !(bytes >= least_bytes && bytes < 0x1p63))
         throw InputError("memory_limit=" + std::to_string(bytes), "bytes, from 2^20 to 2^63");
       run.memory_limit_bytes = static_cast<std::uint64_t>(bytes);
     }},
});

template <>
constexpr auto keywords<CountOptions> = std::to_array<Keyword<CountOptions>>({
    {"method", assign<&CountOptions::method>},
    {"order", assign<&CountOptions::frontier_strategy>},
    {"engine", assign<&CountOptions::frontier_engine>},
    {"effort", set_effort<CountOptions>},
    {"expand_degree", assign<&CountOptions::expand_degree>},
    {"expand_rows", assign<&CountOptions::expand_rows>},
    {"prune", assign<&CountOptions::prune>},
    {"reduce", assign<&CountOptions::reduce>},
    {"verify", assign<&CountOptions::verify>},
});

template <>
constexpr auto keywords<DistributionOptions> = std::to_array<Keyword<DistributionOptions>>({
    {"matchings", assign<&DistributionOptions::matchings>},
    {"activity", set_activity<DistributionOptions>},
    {"exact", assign<&DistributionOptions::exact>},
    {"method", assign<&DistributionOptions::method>},
    {"order", assign<&DistributionOptions::frontier_strategy>},
    {"engine", assign<&DistributionOptions::frontier_engine>},
    {"effort", set_effort<DistributionOptions>},
});

template <>
constexpr auto keywords<MatchingOptions> = std::to_array<Keyword<MatchingOptions>>({{"activity",
                                                                                     set_activity<MatchingOptions>}});

template <>
constexpr auto keywords<DistributionEstimateOptions> = std::to_array<Keyword<DistributionEstimateOptions>>({
    {"matchings", assign<&DistributionEstimateOptions::matchings>},
    {"samples", assign<&DistributionEstimateOptions::samples>},
    {"absolute_error", assign<&DistributionEstimateOptions::absolute_error>},
    {"confidence", assign<&DistributionEstimateOptions::confidence>},
    {"population", assign<&DistributionEstimateOptions::population>},
    {"exact_rows", assign<&DistributionEstimateOptions::exact_rows>},
});

template <>
constexpr auto keywords<EstimateOptions> = std::to_array<Keyword<EstimateOptions>>({
    {"method", assign<&EstimateOptions::method>},
    {"samples", assign<&EstimateOptions::samples>},
    {"relative_error", assign<&EstimateOptions::relative_error>},
    {"confidence", assign<&EstimateOptions::confidence>},
    {"population", assign<&EstimateOptions::population>},
    {"scaling_interval", assign<&EstimateOptions::scaling_interval>},
    {"scaling_rounds", assign<&EstimateOptions::scaling_rounds>},
    {"exact_rows", assign<&EstimateOptions::exact_rows>},
    {"verify", assign<&EstimateOptions::verify>},
});

template <>
constexpr auto keywords<DeterminantOptions> =
    std::to_array<Keyword<DeterminantOptions>>({{"method", assign<&DeterminantOptions::method>}});

template <>
constexpr auto keywords<InputOptions> = std::to_array<Keyword<InputOptions>>({
    {"kind", assign<&InputOptions::kind>},
    {"format", assign<&InputOptions::format>},
    {"duplicates", assign<&InputOptions::duplicates>},
    {"keep_zeros", assign<&InputOptions::keep_zeros>},
    {"delimiter", assign<&InputOptions::delimiter>},
    {"columns", assign<&InputOptions::columns>},
    {"member", assign<&InputOptions::member>},
    {"header", assign<&InputOptions::header>},
    {"weight_key", assign<&InputOptions::weight_key>},
    {"loops",
     [](InputOptions& options, const char* name, nb::handle value) {
       options.loops = PyBool_Check(value.ptr()) ? (value.is(Py_True) ? Loops::keep : Loops::refuse)
                                                 : converted<Loops>(name, value);
     }},
    {"skeleton", assign<&InputOptions::skeleton>},
    {"base",
     [](InputOptions& options, const char* name, nb::handle value) {
       options.base = converted<Vertex>(name, value);
       if (*options.base > 1) refuse_value(name, value, "0 or 1");
     }},
    {"no_edge",
     [](InputOptions& options, const char* name, nb::handle value) {
       options.no_edge = nb::cast<std::string>(nb::str(value));
       const std::string_view size = std::string_view(options.no_edge).substr(options.no_edge.starts_with('-') ? 1 : 0);
       if (!read_number(options.no_edge) && size != "inf" && size != "nan")
         refuse_value(name, value, "a number, 'inf' or 'nan'");
     }},
});

template <>
constexpr auto keywords<CheckpointOptions> = std::to_array<Keyword<CheckpointOptions>>({
    {"checkpoint",
     [](CheckpointOptions& options, const char* name, nb::handle value) {
       const nb::object path = nb::steal(PyOS_FSPath(value.ptr()));
       if (!path.is_valid()) {
         PyErr_Clear();
         refuse_value(name, value, "a path");
       }
       options.file = converted<std::string>(name, nb::module_::import_("os").attr("fsdecode")(path));
     }},
    {"resume", assign<&CheckpointOptions::resume>},
    {"checkpoint_interval",
     [](CheckpointOptions& options, const char* name, nb::handle value) {
       options.interval_s = converted<double>(name, value);
       if (!(options.interval_s > 0))
         throw InputError("a checkpoint_interval of " + std::to_string(options.interval_s), "seconds above 0");
     }},
});

// Returns the keywords as strings of Python's, once for all: looking one up makes no string.
template <class Options>
const std::vector<PyObject*>& interned() {
  static const std::vector<PyObject*> names = [] {
    std::vector<PyObject*> made;
    for (const auto& keyword : keywords<Options>) made.push_back(PyUnicode_InternFromString(keyword.name));
    return made;
  }();
  return names;
}

}  // namespace

template <class Options>
Options options_from(const Keywords& asked) {
  Options options;
  if constexpr (requires { options.run; }) options.run = options_from<RunOptions>(asked);
  const std::vector<PyObject*>& names = interned<Options>();
  for (std::size_t i = 0; i < names.size(); ++i) {
    PyObject* value = PyDict_GetItemWithError(asked.ptr(), names[i]);
    if (value != nullptr && value != Py_None) keywords<Options>[i].set(options, keywords<Options>[i].name, value);
  }
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

double number_from(const Keywords& asked, const char* name) {
  const nb::object value = asked.attr("get")(name);
  return value.is_none() ? 0 : converted<double>(name, value);
}

void check_options(const Keywords& asked) {
  if (asked.contains("verify"))
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
