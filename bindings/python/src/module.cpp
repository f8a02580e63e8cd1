#include <omp.h>

#include "binding.hpp"

namespace nb = nanobind;
using namespace matchcount;

namespace matchcount::python {

std::string spelled(const std::string& text) {
  return nb::cast<std::string>(nb::module_::import_("matchcount._errors").attr("spelled")(text));
}

nb::object exception_of(const Error& error) {
  const auto* input = dynamic_cast<const InputError*>(&error);
  const auto* limit = dynamic_cast<const OverLimit*>(&error);
  const char* const name = input                                      ? "InputError"
                           : limit                                    ? "OverLimit"
                           : dynamic_cast<const Cancelled*>(&error)   ? "Cancelled"
                           : dynamic_cast<const NotCompiled*>(&error) ? "NotCompiled"
                           : dynamic_cast<const Unable*>(&error)      ? "Unable"
                           : dynamic_cast<const DeviceError*>(&error) ? "DeviceError"
                                                                      : "MatchcountError";
  nb::object raised = nb::module_::import_("matchcount._errors").attr(name)(spelled(error.what()));
  if (input) {
    raised.attr("file") = input->file();
    raised.attr("line") = input->line();
    raised.attr("found") = spelled(input->found());
    raised.attr("expected") = spelled(input->expected());
  } else if (limit && limit->is_forecast()) {
    raised.attr("seconds") = limit->seconds();
    raised.attr("memory_bytes") = limit->memory_bytes();
  }
  return raised;
}

std::vector<void (*)(nb::module_&)>& wings() {
  static std::vector<void (*)(nb::module_&)> added;
  return added;
}

}  // namespace matchcount::python

namespace {

// Raises exceptions of core/error.hpp as those of matchcount/_errors.py.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object raised = python::exception_of(error);
    PyErr_SetObject(raised.type().ptr(), raised.ptr());
  }
}

// OpenMP keeps a thread's helpers for the next time. A forked process has none of them, but would wait for them: so the
// thread that forks ends its own first.
void before_fork() { omp_pause_resource_all(omp_pause_hard); }

}  // namespace

NB_MODULE(_core, module) {
  nb::register_exception_translator(translate);
  module.def("before_fork", &before_fork);
  module.def("set_number_types", &python::set_number_types);
  module.def("check_options", &python::check_options, nb::arg(), nb::arg("of_count") = false);
  module.def("option_groups", &python::option_groups);
  module.attr("version") = MATCHCOUNT_VERSION;
  python::add_graph(module);
  python::add_files(module);
  python::add_answers(module);
  python::add_counts(module);
  python::add_matchings(module);
  python::add_distributions(module);
  python::add_dense(module);
  python::add_pictures(module);
  for (const auto add : python::wings()) add(module);
  module.attr("photonics") = !python::wings().empty();  // the only wing
}
