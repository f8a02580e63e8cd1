#pragma once
// Names what the sources of the extension module share: numbers of Python's, graphs as Python hands them in, and runs
// that Ctrl-C ends.

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <exception>
#include <initializer_list>
#include <matchcount/matchcount.hpp>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <variant>
#include <vector>

namespace matchcount::python {

namespace nb = nanobind;

// ---- Numbers (numbers.cpp).

Integer integer_from(nb::handle number);
Rational rational_from(nb::handle number);  // an int, or what has a numerator and a denominator
nb::object to_python(const Integer& value);
nb::object to_python(const Rational& value);  // a Fraction
// A Real or Complex of matchcount/_results.py. Throws Unable where a float can't hold it.
nb::object to_python(const RealValue& value);
nb::object to_python(const ComplexValue& value);
nb::object to_python(const Value& value);
// What a Result has of a value: "value" (None where no float holds it), "text", "log10", "relative_error".
void describe(nb::dict& result, const Value& value, const std::optional<Rational>& fraction);

// ---- Options and runs (runs.cpp).

// Takes the options that everything has out of `options`; what is left is refused by refuse_rest.
RunOptions take_run(nb::dict& options);
CountOptions take_count(nb::dict& options);
double take_effort(nb::dict& options);
void refuse_rest(const nb::dict& options);
// Options that would do nothing here.
void refuse_options(const nb::dict& options, std::initializer_list<const char*> names);
[[noreturn]] void refuse_value(const char* name, nb::handle value, const char* expected);
// An option's value; `otherwise` where it is not given or None. Throws InputError for a value of another type.
template <class T>
T take(nb::dict& options, const char* name, T otherwise) {
  if (!options.contains(name)) return otherwise;
  nb::object value = options[name];
  nb::del(options[name]);
  if (value.is_none()) return otherwise;
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

// Saves what is done of a run in the file that the options `checkpoint`, `resume` and `checkpoint_interval` name
// (checkpoints.cpp).
class Saving {
 public:
  explicit Saving(nb::dict& options);
  Work* work() { return work_ ? &*work_ : nullptr; }  // null: nothing is saved
  // What body(work()) returns, and the last write.
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

// Runs, one after another, that another thread carries out while this one looks for signals and shows progress.
class Interruptible {
 public:
  // `progress` is None or called with phase, done, total.
  Interruptible(RunOptions& run, nb::object progress);

  // What `work()` returns, without the interpreter's lock. Throws what it throws, or KeyboardInterrupt.
  template <class Work>
  auto operator()(Work&& work) {
    using Result = decltype(work());
    std::optional<Result> result;
    std::exception_ptr error;
    watch([&] {
      try {
        result.emplace(work());
      } catch (...) {
        error = std::current_exception();
      }
    });
    if (error) std::rethrow_exception(error);
    return std::move(*result);
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
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false, has_news_ = false;
  std::string phase_;
  double amount_ = 0, total_ = 0;
};

// ---- Graphs (graph.cpp).

// A graph as Python gave it, or as a file had it. Vertices have the caller's numbers; of an undirected graph without
// odd cycles they are rows and columns within.
struct Graph {
  InputKind kind = InputKind::bipartite;
  bool is_bipartite = true;  // then `bipartite` has it, else `undirected`
  BipartiteGraph bipartite;
  UndirectedGraph undirected;
  std::vector<Vertex> row_vertex, column_vertex;  // of an undirected graph that is bipartite
  std::vector<Rational> fractions;
  std::optional<Weights> loops;
  bool weights_are_multiplicities = false;

  const Weights& weights() const { return is_bipartite ? bipartite.weights() : undirected.weights(); }
  Vertex num_vertices() const {
    return is_bipartite ? bipartite.num_rows() + bipartite.num_columns() : undirected.num_vertices();
  }
  EdgeId num_edges() const { return is_bipartite ? bipartite.num_edges() : undirected.num_edges(); }
  bool one_side() const { return kind == InputKind::undirected; }  // rows and columns have one set of numbers
  Vertex row_number(Vertex row) const { return row_vertex.empty() ? row : row_vertex[row]; }
  Vertex column_number(Vertex column) const { return column_vertex.empty() ? column : column_vertex[column]; }
  Edge edge(EdgeId id) const;           // in the caller's numbers; of one side, the lesser first
  std::vector<Edge> all_edges() const;  // by EdgeId
  // Calls body with the graph within, without weights unless they are asked for.
  template <class Body>
  auto visit(bool weighted, Body&& body) const {
    const bool as_is = weighted || weights().index() == 0;
    if (is_bipartite) return as_is ? body(bipartite) : body(bipartite.pattern());
    return as_is ? body(undirected) : body(undirected.pattern());
  }
};

nb::dict certificate_of(const Graph& graph, const std::optional<HallViolator>& hall,
                        const std::optional<TutteSet>& tutte);
nb::list pairs(const std::vector<Edge>& edges);
// What Result and Plan of matchcount/_results.py have (counts.cpp).
nb::dict dictionary(const Result& run, const Graph& graph, const std::optional<Rational>& fraction = {});
nb::dict dictionary(const Plan& plan, const Graph& graph);

void add_numbers(nb::module_& module);
void add_graph(nb::module_& module);
void add_counts(nb::module_& module);
void add_matchings(nb::module_& module);
void add_distributions(nb::module_& module);
void add_linear(nb::module_& module);
void add_pickling(nb::class_<Graph>& graph);
void add_dense(nb::module_& module);

}  // namespace matchcount::python
