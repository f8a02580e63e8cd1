#include "matchcount.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "../options.hpp"

using namespace matchcount;

// Holds a graph as files are read. A digraph is the bipartite graph of its arcs.
struct matchcount_graph {
  Input input;
};

struct matchcount_options {
  MatchingOptions question;
  std::stop_source stop;
};

struct matchcount_answer {
  struct Number {
    std::string text;
    double relative_error;
  };
  std::vector<Number> values;
  std::string method;
};

namespace {

thread_local std::string last_error;

// Calls the function. Returns its status, and keeps the message of what it throws.
template <class Function>
int status_of(const Function& function) noexcept {
  const auto failed = [](int status, const char* message) {
    last_error = message;
    return status;
  };
  try {
    last_error.clear();
    function();
    return MATCHCOUNT_OK;
  } catch (const InputError& error) {
    return failed(MATCHCOUNT_BAD_INPUT, error.what());
  } catch (const Unable& error) {
    return failed(MATCHCOUNT_UNABLE, error.what());
  } catch (const std::bad_alloc&) {
    return failed(MATCHCOUNT_UNABLE, "out of memory");
  } catch (const std::exception& error) {
    return failed(MATCHCOUNT_FAILED, error.what());
  }
}

InputOptions reading_as(const char* kind) {
  InputOptions options;
  if (kind != nullptr) options.kind = from_string<InputKind>(kind);
  options.fractions = options.odd_cycles = true;
  return options;
}

// Returns a value as a text says it, of the types that options have.
template <class T>
auto read(const std::string& name, const std::string& text) {
  const auto refuse = [&](const char* expected) -> InputError { return {name + " \"" + text + "\"", expected}; };
  if constexpr (requires { Names<T>::all; }) {
    return from_string<T>(text);
  } else if constexpr (std::is_same_v<T, DeviceChoice>) {
    return parse_device_choice(text);
  } else if constexpr (std::is_same_v<T, Rational>) {
    const auto number = read_number(text);
    return number ? *number : throw refuse("an integer, a decimal or a fraction such as 1/2");
  } else if constexpr (std::is_same_v<T, bool>) {
    return text == "yes" || text == "no" ? text == "yes" : throw refuse("yes or no");
  } else {
    std::conditional_t<std::is_same_v<T, bindings::ByteCount>, std::uint64_t, T> number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !(number >= 0)) throw refuse("a number from 0 on");
    return number;
  }
}

// Sets the option, whose name has dashes, if the struct has one of that name; else adds the names that it has.
template <class Options>
bool set(Options& options, std::string_view name, const std::string& text, std::vector<std::string_view>& names) {
  const auto take = [&]<class Option>(const Option& option) {
    names.push_back(option.name);
    if (!std::ranges::equal(name, names.back(), {}, {}, [](char c) { return c == '_' ? '-' : c; })) return false;
    const std::remove_reference_t<decltype(options.*option.member)> value =
        read<typename Option::Value>(std::string(name), text);
    if (option.is_right && !option.is_right(value))
      throw InputError(std::string(name) + " \"" + text + "\"", option.expected);
    options.*option.member = value;
    return true;
  };
  return std::apply([&](const auto&... option) { return (take(option) || ...); }, bindings::options_of<Options>);
}

// Returns the question about a graph that the options, which may be null, ask.
MatchingOptions question_of(const Input& input, const matchcount_options* options) {
  MatchingOptions question;
  if (options != nullptr) {
    question = options->question;
    question.count.run.stop = options->stop.get_token();
  }
  if (question.weighted) question.fractions = input.fractions;
  return question;
}

std::vector<Edge> edges_of(const Input& input) {
  return input.is_bipartite() ? input.graph.edges() : input.undirected.edges();
}

// Calls use(distribution) with the distribution that the options, which may be null, ask for.
template <class Use>
void with_distribution(const Input& input, const matchcount_options* options, const Use& use) {
  const MatchingOptions question = question_of(input, options);
  DistributionOptions asked;
  asked.matchings = question.kind;
  asked.fractions = question.fractions;
  asked.activity = question.activity;
  asked.method = question.count.method;
  asked.frontier_strategy = question.count.frontier_strategy;
  asked.frontier_engine = question.count.frontier_engine;
  asked.effort_s = question.count.effort_s;
  asked.run = question.count.run;
  const auto ask = [&](GraphView graph) {
    MatchingDistribution distribution(graph, asked);
    use(distribution);
  };
  if (question.weighted) return ask(input.view());
  return input.is_bipartite() ? ask(input.graph.pattern()) : ask(input.undirected.pattern());
}

matchcount_answer::Number number_of(const Value& value, const std::optional<Rational>& fraction) {
  if (fraction) return {to_decimal(*fraction), 0};
  return {to_string(value), relative_error(value)};
}

}  // namespace

int matchcount_abi(void) { return MATCHCOUNT_ABI; }
const char* matchcount_version(void) { return MATCHCOUNT_VERSION; }
const char* matchcount_error(void) { return last_error.c_str(); }

int matchcount_graph_read(const char* file, const char* kind, matchcount_graph** graph) {
  return status_of([&] { *graph = new matchcount_graph{read_input(std::string(file), reading_as(kind))}; });
}

int matchcount_graph_parse(const char* text, size_t bytes, const char* kind, matchcount_graph** graph) {
  return status_of([&] {
    *graph = new matchcount_graph{read_input_text({text, bytes}, "the text", reading_as(kind))};
  });
}

int matchcount_graph_new(const char* kind, uint32_t rows, uint32_t columns, size_t num_edges, const uint32_t* u,
                         const uint32_t* v, const double* weights, matchcount_graph** graph) {
  return status_of([&] {
    Input input;
    input.kind = from_string<InputKind>(kind);
    std::vector<Edge> edges(num_edges);
    for (size_t i = 0; i < num_edges; ++i) edges[i] = {u[i], v[i]};
    Weights held;
    if (weights != nullptr) {
      std::vector<DoubleDouble> reals(weights, weights + num_edges);
      held = std::move(reals);
    }
    const bool is_undirected = input.kind == InputKind::undirected;
    if (rows != columns && (is_undirected || input.kind == InputKind::directed))
      throw InputError(std::to_string(rows) + " and " + std::to_string(columns) + " vertices", "the same number twice");
    if (!is_undirected) {
      input.graph = BipartiteGraph::from_edges(rows, columns, std::move(edges), std::move(held));
    } else {
      input.undirected = UndirectedGraph::from_edges(rows, std::move(edges), std::move(held));
      input.odd_cycle = {0};  // it has no sides, whether it could have some or not
    }
    *graph = new matchcount_graph{std::move(input)};
  });
}

size_t matchcount_graph_num_edges(const matchcount_graph* graph) { return graph->input.num_edges(); }

void matchcount_graph_edges(const matchcount_graph* graph, uint32_t* u, uint32_t* v) {
  for (const Edge& edge : edges_of(graph->input)) {
    *u++ = edge.row;
    *v++ = edge.column;
  }
}

void matchcount_graph_free(matchcount_graph* graph) { delete graph; }

int matchcount_options_new(matchcount_options** options) {
  return status_of([&] { *options = new matchcount_options; });
}

int matchcount_options_set(matchcount_options* options, const char* name, const char* value) {
  return status_of([&] {
    MatchingOptions& question = options->question;
    std::vector<std::string_view> names;
    if (set(question, name, value, names) || set(question.count, name, value, names) ||
        set(question.count.run, name, value, names))
      return;
    std::string known = listed(names);
    std::ranges::replace(known, '_', '-');
    throw InputError("option \"" + std::string(name) + "\"", known);
  });
}

void matchcount_options_stop(matchcount_options* options) { options->stop.request_stop(); }
void matchcount_options_free(matchcount_options* options) { delete options; }

int matchcount_count(const matchcount_graph* graph, const matchcount_options* options, matchcount_answer** answer) {
  return status_of([&] {
    const MatchingResult found = count_matchings(graph->input.view(), question_of(graph->input, options));
    matchcount_answer made;
    for (const MatchingSum& sum : found.by_size) made.values.push_back(number_of(sum.value, sum.fraction));
    if (found.by_size.empty()) made.values.push_back(number_of(found.run.value, found.fraction));
    made.method = to_string(found.run.method);
    *answer = new matchcount_answer(std::move(made));
  });
}

size_t matchcount_num_values(const matchcount_answer* answer) { return answer->values.size(); }
const char* matchcount_value(const matchcount_answer* answer, size_t i) { return answer->values[i].text.c_str(); }
double matchcount_relative_error(const matchcount_answer* answer, size_t i) { return answer->values[i].relative_error; }
const char* matchcount_method(const matchcount_answer* answer) { return answer->method.c_str(); }
void matchcount_answer_free(matchcount_answer* answer) { delete answer; }

int matchcount_marginals(const matchcount_graph* graph, const matchcount_options* options, double* shares,
                         double* errors) {
  return status_of([&] {
    with_distribution(graph->input, options, [&](MatchingDistribution& distribution) {
      const Marginals found = distribution.marginals();
      if (!found.are_probabilities) throw Unable("there is no such matching, or a weight is negative or complex");
      for (std::size_t i = 0; i < found.edges.size(); ++i) {
        shares[i] = found.edges[i].probability;
        if (errors != nullptr) errors[i] = found.edges[i].error;
      }
    });
  });
}

int matchcount_samples(const matchcount_graph* graph, const matchcount_options* options, uint64_t first, size_t count,
                       int64_t* places, size_t* matching_size) {
  return status_of([&] {
    with_distribution(graph->input, options, [&](MatchingDistribution& distribution) {
      if (places != nullptr) {
        const std::vector<EdgeId> drawn = distribution.samples(first, count);
        std::ranges::transform(drawn, places,
                               [](EdgeId edge) { return edge == no_edge ? -1 : static_cast<std::int64_t>(edge); });
      }
      *matching_size = distribution.matching_size();
    });
  });
}
