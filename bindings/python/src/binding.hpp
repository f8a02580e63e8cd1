#pragma once
// Names what the sources of the extension module share: numbers of Python's, keyword options, graphs as Python hands
// them in, answers that it gets back, and runs that Ctrl-C ends.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <condition_variable>
#include <functional>
#include <future>
#include <matchcount/matchcount.hpp>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace nanobind::detail {

// An enumeration with a table of names (core/names.hpp) is a string in Python.
template <class Enum>
requires requires { matchcount::Names<Enum>::all; }
struct type_caster<Enum, enable_if_t<std::is_enum_v<Enum>>> {
  NB_TYPE_CASTER(Enum, const_name("str"))
  bool from_python(handle, uint32_t, cleanup_list*) noexcept { return false; }  // options are read by options.cpp
  static handle from_cpp(Enum value, rv_policy, cleanup_list*) noexcept {
    const std::string_view name = matchcount::to_string(value);
    return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
  }
};

}  // namespace nanobind::detail

namespace matchcount::python {

namespace nb = nanobind;

// ---- Types that Python has and C++ has not.

class Number : public nb::object {
 public:
  using nb::object::object;
  static constexpr auto Name =
      nb::detail::const_name("int | fractions.Fraction | matchcount._numbers.Real | matchcount._numbers.Complex");
};
using Keywords = nb::typed<nb::dict, nb::str, nb::any>;
using Pairs = nb::typed<nb::list, nb::typed<nb::tuple, nb::any, nb::any>>;
using Labels = std::optional<nb::typed<nb::list, nb::any>>;
using Parts = nb::typed<nb::dict, nb::any, nb::str>;
using Certificate = std::optional<Keywords>;

// ---- Attributes.

// Returns the name of a member, as compilers tell of a function "[with auto place = &matchcount::Times::total; ...]".
template <auto place>
std::string name_of() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t end = text.find_first_of(";]", text.find("place = ")), begin = text.rfind("::", end) + 2;
  return std::string(text.substr(begin, end - begin));
}
template <>
inline std::string name_of<&Check::kind>() {
  return "name";
}
template <>
inline std::string name_of<&MatchingResult::edges_of_each>() {
  return "size";
}

// Makes members attributes of their names.
template <auto... places, class T>
nb::class_<T> show(nb::class_<T> type) {
  (type.def_ro(name_of<places>().c_str(), places), ...);
  return type;
}

// ---- Numbers (numbers.cpp).

Integer integer_from(nb::handle number);
Rational rational_from(nb::handle number);  // an int, or what has a numerator and a denominator
Number to_python(const Integer& value);
Number to_python(const Rational& value);  // a Fraction
// Returns a Real or Complex of matchcount/_numbers.py. Throws Unable where a float can't hold it.
Number to_python(const RealValue& value);
Number to_python(const ComplexValue& value);
Number to_python(const Value& value);
// Returns the same two as doubles: the nearest, and a bound on its error.
std::pair<double, double> nearest_double(const RealValue& value);
std::pair<std::complex<double>, double> nearest_double(const ComplexValue& value);

// ---- Options and runs (options.cpp, runs.cpp). Keywords are those of a public function; what is None was not given.

template <class Options>
Options options_from(const Keywords& asked);
// Returns the groups of options that functions have: by name what the values of each are, and what it does.
nb::typed<nb::dict, nb::str, nb::any> option_groups();
// Returns the number that a keyword has, 0 where it was not given.
double number_from(const Keywords& asked, const char* name);
// Reads the options of a count, or of a determinant, and where it is saved, and throws what these throw.
void check_options(const Keywords& asked, bool of_count);
// Leaves out to look how many threads and how much memory there are, for work that needs little of both.
void spare_looks(RunOptions& run);
MatchingKind kind_of_matchings(const std::string& name);
[[noreturn]] void refuse_value(const char* name, nb::handle value, const char* expected);

// Saves what is done of a run in the file that the keywords `checkpoint`, `resume` and `checkpoint_interval` name.
// Files are those of the command line: what one began the other resumes. A file that can't be written is a warning of
// Python's, from the thread that counts.
class Saving {
 public:
  explicit Saving(const Keywords& asked);
  Work* work() { return work_ ? &*work_ : nullptr; }  // null: nothing is saved
  // Returns body(work()), after the last write.
  template <class Body>
  auto operator()(Body&& body) {
    auto result = body(work());
    if (checkpoint_) checkpoint_->write();
    return result;
  }

 private:
  std::optional<Checkpoint> checkpoint_;
  std::optional<Work> work_;
};

// Lets another thread carry out runs, one after another, while this one looks for signals and shows progress.
class Interruptible {
 public:
  // The keyword `progress` is True (a bar), False, None, or called with phase, done, total.
  explicit Interruptible(RunOptions& run, nb::handle progress = {});
  Interruptible(RunOptions& run, const Keywords& asked)
      : Interruptible(run, nb::handle(PyDict_GetItemString(asked.ptr(), "progress"))) {}
  ~Interruptible();

  // Returns work(), without the interpreter's lock. Throws what it throws, or KeyboardInterrupt.
  template <class Work>
  auto operator()(Work&& work) {
    std::packaged_task<decltype(work())()> task(std::forward<Work>(work));
    watch([&] { task(); });
    return task.get_future().get();
  }

  // The same on this thread, for work that is over before the first look: another thread takes as long to start.
  template <class Work>
  auto at_once(Work&& work) {
    const nb::gil_scoped_release release;
    return work();
  }

 private:
  void watch(const std::function<void()>& work);

  nb::object progress_;
  bool is_bar_ = false;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false, has_news_ = false;
  std::string phase_;
  double amount_ = 0, total_ = 0;
};

// Returns body(run), which signals end, of a run that has no other options.
template <class Body>
auto run_alone(const Keywords& asked, const Body& body) {
  auto options = options_from<RunOptions>(asked);
  Interruptible interruptible(options);
  return interruptible([&] { return body(RunContext(options)); });
}

// ---- Graphs (graph.cpp).

// A graph as Python gave it, or as a file had it. Vertices have the caller's numbers, and names where it gave some; of
// an undirected graph without odd cycles they are rows and columns within.
struct Graph {
  InputKind kind = InputKind::bipartite;
  bool is_bipartite = true;  // then `bipartite` has it, else `undirected`
  BipartiteGraph bipartite;
  UndirectedGraph undirected;
  std::vector<Vertex> row_vertex, column_vertex;  // of an undirected graph that is bipartite
  std::vector<Rational> fractions;
  std::optional<Weights> loops;
  std::vector<Vertex> always_matched;  // where others may be left out
  std::string title;                   // of a molecule
  std::vector<std::string> notes;      // on how a file was read; no part of what is compared
  bool weights_are_multiplicities = false;
  struct Places {                     // for pictures
    std::string lattice;              // as KnownPlaces has it; empty: unknown
    bool is_lattice_by_name = false;  // else by number
    std::vector<Point> points;        // by the caller's number, or none
  } places;
  nb::object row_labels, column_labels;  // lists, or nothing; one for both where there are no sides

  const Weights& weights() const { return is_bipartite ? bipartite.weights() : undirected.weights(); }
  Vertex num_rows() const { return is_bipartite ? bipartite.num_rows() : undirected.num_vertices(); }
  Vertex num_columns() const { return is_bipartite ? bipartite.num_columns() : 0; }
  Vertex num_vertices() const { return num_rows() + num_columns(); }
  EdgeId num_edges() const { return is_bipartite ? bipartite.num_edges() : undirected.num_edges(); }
  bool one_side() const { return kind == InputKind::undirected; }  // rows and columns have one set of numbers
  Vertex row_number(Vertex row) const { return row_vertex.empty() ? row : row_vertex[row]; }
  Vertex column_number(Vertex column) const { return column_vertex.empty() ? column : column_vertex[column]; }
  nb::object row_name(Vertex number) const;
  nb::object column_name(Vertex number) const;
  std::vector<Edge> all_edges() const;  // by EdgeId, in the caller's numbers; of one side, the lesser first
  Pairs named(const std::vector<Edge>& edges) const;  // edges in the caller's numbers
  Certificate certificate(const std::optional<HallViolator>& hall, const std::optional<TutteSet>& tutte) const;
  // Changes the graph within by body.
  template <class Body>
  void change(const Body& body) {
    is_bipartite ? body(bipartite) : body(undirected);
  }
  // Calls body with the graph within, without weights unless they are asked for or count parallel edges.
  template <class Body>
  auto visit(bool weighted, Body&& body) const {
    const bool as_is = weighted || weights_are_multiplicities || weights().index() == 0;
    if (is_bipartite) return as_is ? body(bipartite) : body(bipartite.pattern());
    return as_is ? body(undirected) : body(undirected.pattern());
  }
};

// Draws matchings of an answer's graph as a notebook shows them, or nothing where they are too large for that.
inline std::optional<std::string> picture_of(nb::handle answer, nb::handle matchings) {
  return nb::cast<std::optional<std::string>>(
      nb::module_::import_("matchcount._pictures").attr("shown")(answer.attr("graph"), matchings));
}

// Says whether the frontier method, by whatever order is found, passes through so few states of the whole graph
// (counts.cpp).
bool has_few_states(const Graph& graph, double most_states);

// Returns body(graph within, work) of a run that keywords may have saved, shown and ended; of one that is over before a
// first look for signals on this thread.
template <class Body>
auto carry_out(const Graph& graph, bool weighted, RunOptions& run, const Keywords& asked, const Body& body,
               bool at_once = false) {
  Saving saving(asked);
  Interruptible interruptible(run, asked);
  const auto work = [&] {
    return saving(
        [&](Work* work) { return graph.visit(weighted, [&](const auto& within) { return body(within, work); }); });
  };
  if (!at_once || saving.work()) return interruptible(work);
  spare_looks(run);
  return interruptible.at_once(work);
}

// Returns the exception of matchcount/_errors.py that an error is; a text whose options are called as keywords are
// (module.cpp).
nb::object exception_of(const Error& error);
std::string spelled(const std::string& text);

// ---- Answers (answers.cpp): what the library answers, and the certificate by names.

struct CountAnswer : MatchingResult {
  std::string method;
  Certificate certificate;
};
struct EstimateAnswer : Estimate {
  Certificate certificate;
};
struct PlanAnswer : Plan {
  Certificate certificate;
  std::optional<std::string> refusal;  // of marginals and samples
};

void add_graph(nb::module_& module);
void add_files(nb::module_& module);
void add_answers(nb::module_& module);
void add_counts(nb::module_& module);
void add_matchings(nb::module_& module);
void add_distributions(nb::module_& module);
void add_dense(nb::module_& module);
void add_pictures(nb::module_& module);
// Has what adds the functions of wings, each put there by a source of the wing before the module begins.
std::vector<void (*)(nb::module_&)>& wings();
void set_number_types(nb::handle real, nb::handle complex);

}  // namespace matchcount::python
