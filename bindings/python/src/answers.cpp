#include <cmath>
#include <cstdio>
#include <limits>

#include "records.hpp"

namespace matchcount::python {

template <>
inline constexpr auto members<HallViolator> =
    hidden<&HallViolator::of_rows, &HallViolator::members, &HallViolator::neighbours>;
template <>
inline constexpr auto members<TutteSet> = hidden<&TutteSet::removed, &TutteSet::odd_components>;
template <>
inline constexpr auto members<DeviceInfo> =
    attributes<&DeviceInfo::index, &DeviceInfo::name, &DeviceInfo::major, &DeviceInfo::minor,
               &DeviceInfo::multiprocessors, &DeviceInfo::clock_khz, &DeviceInfo::memory_bytes,
               &DeviceInfo::driver_version>;
template <>
inline constexpr auto members<Forecast> =
    attributes<&Forecast::method, &Forecast::on_gpu, &Forecast::other_order, &Forecast::applies, &Forecast::reason,
               &Forecast::seconds, &Forecast::memory_bytes>;
template <>
inline constexpr auto members<BlockPlan> = attributes<&BlockPlan::size, &BlockPlan::bipartite, &BlockPlan::edges,
                                                      &BlockPlan::precision, &BlockPlan::forecasts>;
template <>
inline constexpr auto members<ReductionCounts> =
    attributes<&ReductionCounts::useless_edges, &ReductionCounts::fine_blocks, &ReductionCounts::degree1,
               &ReductionCounts::degree2, &ReductionCounts::refused_merges>;
template <>
inline constexpr auto members<Plan> = std::tuple_cat(
    hidden<&Plan::rows, &Plan::columns, &Plan::vertices, &Plan::edges, &Plan::hall_violator, &Plan::tutte_set>,
    attributes<&Plan::maximum_matching, &Plan::reductions, &Plan::blocks, &Plan::seconds, &Plan::memory_bytes>);
template <>
inline constexpr auto members<PlanAnswer> = std::tuple_cat(members<Plan>,
                                                           attributes<&PlanAnswer::certificate, &PlanAnswer::refusal>);
template <>
inline constexpr auto members<BlockRun> = attributes<&BlockRun::method, &BlockRun::precision, &BlockRun::seconds>;
template <>
inline constexpr auto members<Check> = attributes<&Check::kind, &Check::passed, &Check::detail>;
template <>
inline constexpr auto members<Times> = attributes<&Times::structure, &Times::order, &Times::count, &Times::total>;
template <>
inline constexpr auto members<Result> = hidden<&Result::value, &Result::gpus, &Result::checks, &Result::time_s,
                                               &Result::seed, &Result::plan, &Result::blocks>;
template <>
inline constexpr auto members<MatchingSum> = hidden<&MatchingSum::value, &MatchingSum::fraction>;
template <>
inline constexpr auto members<CountAnswer> =
    std::tuple_cat(attributes<&CountAnswer::edges_of_each, &CountAnswer::method, &CountAnswer::certificate>,
                   hidden<&CountAnswer::run, &CountAnswer::fraction, &CountAnswer::by_size, &CountAnswer::by_label,
                          &CountAnswer::weight>);
template <>
inline constexpr auto members<EstimateAnswer> = std::tuple_cat(
    attributes<&Estimate::unknown, &Estimate::exact, &Estimate::standard_error, &Estimate::relative_error,
               &Estimate::confidence, &Estimate::samples, &Estimate::effective_samples, &Estimate::zero_fraction,
               &Estimate::warning, &Estimate::out_of_time, &Estimate::method, &Estimate::seed, &Estimate::checks,
               &EstimateAnswer::certificate>,
    hidden<&Estimate::value, &Estimate::log_value, &Estimate::low, &Estimate::high, &Estimate::bracket,
           &Estimate::time_s>);
template <>
inline constexpr auto members<SizeEstimate> = std::tuple_cat(
    hidden<&SizeEstimate::value, &SizeEstimate::low, &SizeEstimate::high>,
    attributes<&SizeEstimate::exact, &SizeEstimate::unknown, &SizeEstimate::relative_error, &SizeEstimate::samples>);
template <>
inline constexpr auto members<CountOfLabels> = hidden<&CountOfLabels::numbers, &CountOfLabels::count>;

namespace {

constexpr double log10_2 = 0.30102999566398119521, log10_e = 0.43429448190325182765;

std::string shown(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}
std::string quoted(const std::string& text) { return nb::cast<std::string>(nb::repr(nb::str(text.c_str()))); }

Number number_of(const Value& value, const std::optional<Rational>& fraction) {
  return fraction ? to_python(*fraction) : to_python(value);
}
double relative_error_of(const CountAnswer& self) { return self.fraction ? 0.0 : relative_error(self.run.value); }
std::string text_of(const CountAnswer& self) {
  return self.fraction ? to_decimal(*self.fraction) : to_string(self.run.value);
}

std::string verified_by(const std::vector<Check>& checks) {
  const auto found = std::ranges::find(checks, Check::Kind::verify, &Check::kind);
  return found == checks.end() ? "" : ", verified=" + quoted(found->detail);
}

std::string repr(const CountAnswer& self) {
  std::string text = "Result(" + text_of(self) + ", method=" + quoted(self.method);
  if (const double error = relative_error_of(self); error != 0) text += ", relative_error=" + shown("%.2g", error);
  text += verified_by(self.run.checks);
  if (self.certificate) text += ", certificate=" + nb::cast<std::string>(nb::repr((*self.certificate)["kind"]));
  return text + ", seconds=" + shown("%.3g", self.run.time_s.total) + ")";
}

// Returns the greatest double that is not above the value, or the least that is not below it.
double outward(const ScaledReal& value, bool up) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double near = value.to_double(), end = up ? infinity : -infinity;
  if (std::isinf(near)) return near == end ? near : std::nextafter(near, 0.0);
  const ScaledReal rest = value + -ScaledReal(DoubleDouble(near));
  return rest.is_zero() || (rest.mantissa.hi > 0) != up ? near : std::nextafter(near, end);
}

// Writes a value and its interval; what no double holds as a power of ten.
template <class T>
std::string interval_text(const T& found, double log10) {
  const double value = found.value.to_double();
  const bool beyond = (value == 0 || std::isinf(value)) && !std::isinf(log10);
  return (beyond ? "10^" + shown("%.6g", log10) : shown("%.6g", value)) + ", [" +
         shown("%.6g", outward(found.low, false)) + ", " + shown("%.6g", outward(found.high, true)) + "]";
}

std::string repr(const EstimateAnswer& found) {
  if (found.unknown) return "Estimate(unknown, " + std::to_string(found.samples) + " samples in a dead end)";
  std::string text = "Estimate(" + interval_text(found, found.log_value * log10_e) + " with confidence " +
                     shown("%g", found.confidence) + ", " + std::to_string(found.samples) + " samples by " +
                     std::string(to_string(found.method));
  text += verified_by(found.checks);
  if (!found.warning.empty()) text += ", warning=" + quoted(found.warning);
  return text + ")";
}

std::string repr(const SizeEstimate& found) {
  return "SizeEstimate(" + (found.unknown ? "unknown" : interval_text(found, found.value.log2_abs() * log10_2)) + ")";
}

std::string repr(const PlanAnswer& self) {
  const auto cost = [](double seconds, double bytes) {
    return shown("%.3g s, ", seconds) + shown("%.3g bytes", bytes);
  };
  constexpr std::size_t most_blocks = 10;
  const std::vector<BlockPlan>& blocks = self.blocks;
  std::string text =
      "Plan(" + cost(self.seconds, self.memory_bytes) + ", " + std::to_string(blocks.size()) + " blocks)";
  for (std::size_t i = 0; i < std::min(blocks.size(), most_blocks); ++i) {
    text += "\n  block of " + std::to_string(blocks[i].size) + ", " + std::to_string(blocks[i].edges) + " edges";
    for (const Forecast& way : blocks[i].forecasts)
      text += "\n    " + std::string(to_string(way.method)) + " on " + (way.on_gpu ? "cuda" : "cpu") + ": " +
              (way.applies ? cost(way.seconds, way.memory_bytes) : "does not apply") + " (" + way.reason + ")";
  }
  return text;
}

// Shows a text, and a picture below it.
std::string page(const std::string& text, const std::string& svg) {
  return "<pre style=\"font:small/1.4 monospace;white-space:pre\">" +
         nb::cast<std::string>(nb::module_::import_("html").attr("escape")(text)) + "</pre>" + svg;
}

void add_plans(nb::module_& module) {
  entries<DeviceInfo>(module, "Device", "A GPU of this machine, as its driver tells it.")
      .def_prop_ro(
          "compute_capability", [](const DeviceInfo& self) { return nb::make_tuple(self.major, self.minor); },
          nb::sig("def compute_capability(self, /) -> tuple[int, int]"));
  entries<Forecast>(module, "Forecast", "Cost of one method on one block: seconds, and bytes of memory.")
      .def_prop_ro("device", [](const Forecast& self) { return std::string(self.on_gpu ? "cuda" : "cpu"); });
  entries<BlockPlan>(module, "BlockPlan", "Forecasts for a block of a graph, the one to be followed first.");
  entries<ReductionCounts>(module, "ReductionCounts", "Vertices and edges that reductions took away.");
  record<PlanAnswer>(module, "Plan", R"(Cost of a count, and what every method would take on each block.

Attributes
----------
seconds, memory_bytes : float
    Predicted time, and memory of the block that needs most.
blocks : list of BlockPlan
    ``size`` (vertices, of one side where there are two), ``bipartite``, ``edges`` and ``forecasts``: of each the
    ``method``, ``device``, ``seconds``, ``memory_bytes``, whether it ``applies``, and the ``reason``.
maximum_matching : int
    Edges of a maximum matching.
has_perfect_matching : bool
certificate : dict or None
    Why there is no perfect matching, as in a Result.
reductions : ReductionCounts
refusal : str or None
    Of marginals and samples: why they would be refused within the limits; "": they would not.)")
      .def_prop_ro("has_perfect_matching", [](const PlanAnswer& self) { return self.has_perfect_matching(); })
      .def("__repr__", [](const PlanAnswer& self) { return repr(self); })
      .def("_repr_html_", [](const PlanAnswer& self) { return page(blocks_text(self), plan_picture(self)); });
}

void add_result(nb::module_& module) {
  using Self = const CountAnswer&;
  entries<Check>(module, "Check", "A check of an answer: its name, whether it passed, and how.");
  entries<BlockRun>(module, "BlockRun", "How a block was counted, and the seconds that it took.");
  entries<Times>(module, "Times", "Seconds of a count: of the graph's structure, of orders, of counting, and of all.");
  record<CountAnswer>(module, "Result", R"(An answer and how it was found, by ``full_output=True``.

Attributes
----------
value : int, Fraction, Real or Complex
    Raises Unable where no float can hold it; ``text`` and ``log10`` do not.
text : str
    The digits that the bound on the error supports.
log10 : float
    Logarithm of the absolute value.
error, relative_error : float
    Bound on the absolute error of ``value``, 0 for exact values; the same over the value, of the digits in ``text``.
method : str
    "frontier", "planar", ...: of the most expensive part; "structure": nothing was left to count.
checks : list of Check
    ``name``, ``passed`` and ``detail`` of each.
seconds : Times
    ``structure``, ``order``, ``count`` and ``total``.
certificate : dict or None
    Why there is no perfect matching, by names: of ``kind`` "hall_violator", ``members`` of a ``side`` with too few
    ``neighbours``; of ``kind`` "tutte_set", ``removed`` vertices that leave too many ``odd_components``.
by_size : list
    Of matchings by size: their numbers, or sums of weights, of 0, 1, ... edges.
by_label : list of tuple
    Of matchings_by_label: the numbers of edges by label, or the sum of weights alone, and how many have them.
size : int or None
    Edges of each maximum or saturating matching.
weight : int, Fraction or None
    Of count_optimal_matchings: the sum of each one's weights; None: there is no perfect matching.
plan : Plan
    What was found of the structure, and for each block the methods that were weighed.
blocks : list of BlockRun
    ``method``, ``precision`` and ``seconds`` of each block, in the order of ``plan.blocks``.
gpus : list of str
    Names of the GPUs that it ran on; empty: the CPU.
seed : int)")
      .def_prop_ro("value", [](Self self) { return number_of(self.run.value, self.fraction); })
      .def_prop_ro("text", &text_of)
      .def_prop_ro("log10", [](Self self) { return log10_abs(self.run.value); })
      .def_prop_ro(
          "error",
          [](Self self) {
            return nb::cast<double>(nb::getattr(number_of(self.run.value, self.fraction), "error", nb::float_(0.0)));
          })
      .def_prop_ro("relative_error", &relative_error_of)
      .def_prop_ro("checks", [](Self self) { return self.run.checks; })
      .def_prop_ro("seconds", [](Self self) { return self.run.time_s; })
      .def_prop_ro("by_size",
                   [](Self self) {
                     nb::list numbers;
                     for (const MatchingSum& sum : self.by_size) numbers.append(number_of(sum.value, sum.fraction));
                     return nb::typed<nb::list, Number>(std::move(numbers));
                   })
      .def_prop_ro(
          "by_label",
          [](Self self) {
            nb::list list;
            for (const CountOfLabels& one : self.by_label) {
              nb::list numbers;
              for (const std::int64_t number : one.numbers) numbers.append(number);
              list.append(nb::make_tuple(numbers, to_python(one.count)));
            }
            return list;
          },
          nb::sig("def by_label(self, /) -> list[tuple[list[int], int]]"))
      .def_prop_ro(
          "weight",
          [](Self self) -> nb::object {
            const std::optional<Rational>& weight = self.weight;
            if (!weight) return nb::none();
            return denominator(*weight) == 1 ? to_python(numerator(*weight)) : to_python(*weight);
          },
          nb::sig("def weight(self, /) -> int | fractions.Fraction | None"))
      .def_prop_ro("gpus",
                   [](Self self) {
                     std::vector<std::string> names;
                     for (const DeviceInfo& gpu : self.run.gpus) names.push_back(gpu.name);
                     return names;
                   })
      .def_prop_ro("seed", [](Self self) { return self.run.seed; })
      .def_prop_ro("plan",
                   [](Self self) {
                     return PlanAnswer{self.run.plan, self.certificate, {}};
                   })
      .def_prop_ro("blocks", [](Self self) { return self.run.blocks; })
      .def(
          "explain", [](Self self) { return explanation(self.run); },
          "Says what was found of the structure, which methods were weighed, and predicted and taken times.")
      .def("__repr__", [](Self self) { return repr(self); })
      .def("_repr_html_",
           [](Self self) { return page(repr(self) + "\n\n" + explanation(self.run), explanation_picture(self.run)); });
}

// Adds value and interval, and returns the class.
template <class T>
nb::class_<T> with_interval(nb::class_<T> type) {
  type.def_prop_ro("value", [](const T& self) { return self.value.to_double(); })
      .def("__float__", [](const T& self) { return self.value.to_double(); })
      .def_prop_ro("low", [](const T& self) { return outward(self.low, false); })
      .def_prop_ro("high", [](const T& self) { return outward(self.high, true); })
      .def_prop_ro("log10_low", [](const T& self) { return self.low.log2_abs() * log10_2; })
      .def_prop_ro("log10_high", [](const T& self) { return self.high.log2_abs() * log10_2; })
      .def("__repr__", [](const T& self) { return repr(self); });
  return type;
}

void add_estimate(nb::module_& module) {
  using Self = const EstimateAnswer&;
  with_interval(record<EstimateAnswer>(
                    module, "Estimate",
                    R"(An estimate with its interval: the truth lies in [low, high] with probability ``confidence``.

Attributes
----------
value, low, high : float
    Values beyond the floats are inf or 0, between whose neighbours low and high are.
log10, log10_low, log10_high : float
    Their logarithms, which always hold.
relative_error, standard_error : float
    The larger arm of the interval over the value; relative, of the samples' mean.
log10_bracket : tuple of float
    Bethe's bounds, which hold for certain: (lower, upper).
samples : int
effective_samples, zero_fraction : float
    What the samples are worth; the share that ran into dead ends.
exact, unknown : bool
    Nothing was sampled; every sample ran into a dead end, and low and high are the bracket.
warning : str
    Why the interval is not to be believed, or "".
out_of_time : bool
    The interval is wider than was asked for.
method : str
seed : int
checks : list of Check
    By ``verify=True``: ``name``, ``passed`` and ``detail``.
confidence, seconds : float
certificate : dict or None
    Why there is no perfect matching, as in a Result.)"))
      .def_prop_ro("log10", [](Self self) { return self.log_value * log10_e; })
      .def_prop_ro(
          "log10_bracket",
          [](Self self) { return nb::make_tuple(self.bracket.log_lower * log10_e, self.bracket.log_upper * log10_e); },
          nb::sig("def log10_bracket(self, /) -> tuple[float, float]"))
      .def_prop_ro("seconds", [](Self self) { return self.time_s.total; });
  with_interval(record<SizeEstimate>(module, "SizeEstimate",
                                     R"(An estimate of the matchings of one size, by estimate(matchings="by-size").

Attributes
----------
value, low, high, log10, log10_low, log10_high, relative_error, samples, exact
    As of an Estimate.
unknown : bool
    No sample had a matching of this size.)"))
      .def_prop_ro("log10", [](const SizeEstimate& self) { return self.value.log2_abs() * log10_2; });
}

}  // namespace

void add_answers(nb::module_& module) {
  add_plans(module);
  add_result(module);
  add_estimate(module);
}

}  // namespace matchcount::python
