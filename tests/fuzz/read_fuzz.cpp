// Any bytes are read as a graph or refused with InputError; nothing else may happen. What is read keeps its promises.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "graph/input.hpp"
#include "graph/readers/text.hpp"

namespace {

using namespace matchcount;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_labels(const std::vector<std::string>& labels, Vertex count) {
  require(labels.empty() || labels.size() == count);
  for (const std::string& label : labels) require(readers::is_utf8(label));
}

void check(const Input& input) {
  if (!input.is_bipartite()) {
    check_labels(input.row_labels, input.undirected.num_vertices());
    for (const Vertex vertex : input.odd_cycle) require(vertex < input.undirected.num_vertices());
    return;
  }
  const BipartiteGraph& graph = input.graph;
  check_labels(input.row_labels, graph.num_rows());
  check_labels(input.column_labels, graph.num_columns());
  if (input.kind == InputKind::directed) require(graph.num_rows() == graph.num_columns());
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    const auto columns = graph.row(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      require(columns[i] < graph.num_columns());
      require(i == 0 || columns[i - 1] < columns[i]);
    }
  }
}

void check(const InputError& error) {
  require(error.file() == "fuzz" && !error.found().empty() && !error.expected().empty());
  require(readers::is_utf8(error.what()));
}

// Checks the next graph of a file, which may be refused; false behind the last.
bool check_next(InputSequence& sequence) {
  try {
    const std::optional<Input> input = sequence.next();
    if (input) check(*input);
    return input.has_value();
  } catch (const InputError& error) {
    check(error);
    return true;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const InputKind kind : {InputKind::bipartite, InputKind::undirected, InputKind::directed, InputKind::matrix}) {
    // Given, or what the question is about; with the options that let most in, or none.
    for (const bool given : {false, true}) {
      InputOptions options;
      (given ? options.kind.emplace() : options.usual_kind) = kind;
      options.format = InputFormat::MATCHCOUNT_FUZZ_FORMAT;
      options.duplicates = given ? Duplicates::sum : Duplicates::refuse;
      options.keep_zeros = given;
      options.odd_cycles = options.fractions = !given;
      if (given) options.header = false;
      try {
        InputSequence sequence = InputSequence::from_text(text, "fuzz", options);
        while (check_next(sequence)) {
        }
      } catch (const InputError& error) {
        check(error);
      }
    }
  }
  return 0;
}
