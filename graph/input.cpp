// Reading has two steps: a reader of the format turns text into edges (graph/readers), and they become rows and columns
// (readers/assemble.hpp), in the same way for every format. The first pass keeps no line numbers; when the edges turn
// out to be wrong together (one given twice, a loop, an edge in one direction only) the text is read again with them.

#include "graph/input.hpp"

#include <algorithm>
#include <cctype>
#include <new>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "graph/readers/assemble.hpp"
#include "graph/readers/formats.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/plain.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/readings.hpp"
#include "graph/readers/tokens.hpp"
#include "graph/weights.hpp"

namespace matchcount {
namespace {

using namespace readers;

// Refuses the second of two equal edges, if there is one.
void refuse_repeated_edge(const Text& text, const Parsed& parsed, InputKind kind) {
  using enum Parsed::Shape;
  const bool is_either_way = parsed.shape == undirected || (parsed.shape == directed && kind == InputKind::undirected);
  std::unordered_map<std::uint64_t, std::uint64_t> line_of;
  for (std::size_t i = 0; i < parsed.edges.size(); ++i) {
    auto [row, column] = parsed.edges[i];
    if (is_either_way && row > column) std::swap(row, column);
    const auto [first, is_new] = line_of.try_emplace(std::uint64_t{row} << 32 | column, parsed.lines[i]);
    if (is_new) continue;
    refuse(text, parsed.lines[i],
           name_of(parsed.row_labels, row) + " " +
               name_of(parsed.shape == two_sided ? parsed.column_labels : parsed.row_labels, column) +
               " again, after line " + std::to_string(first->second),
           "every edge once; --duplicates one where each is told twice or in both directions, --duplicates sum to add "
           "weights");
  }
}

// Refuses the first name that stands in both columns, row and column names apart.
[[noreturn]] void refuse_common_name(const Text& text, const InputOptions& options, const Parsed& parsed) {
  std::unordered_map<std::string, std::uint64_t> first_in[2];
  const std::vector<std::string>* const labels[2] = {&parsed.row_labels, &parsed.column_labels};
  for (std::size_t i = 0;; ++i) {
    const Vertex ends[2] = {parsed.edges[i].row, parsed.edges[i].column};
    for (int side = 0; side < 2; ++side)
      first_in[side].try_emplace(name_of(*labels[side], ends[side]), parsed.lines[i]);
    for (int side = 0; side < 2; ++side) {
      const std::string name = name_of(*labels[side], ends[side]);
      if (!first_in[1 - side].contains(name)) continue;
      refuse(text, parsed.lines[i],
             in_quotes(name) + " in both columns, in the first on line " + std::to_string(first_in[0][name]) +
                 " and in the second on line " + std::to_string(first_in[1][name]),
             kind_of(options) == InputKind::matrix
                 ? "--kind directed where both columns name the same things, the rows and columns of a square matrix, "
                   "or --kind matrix where they name separate things"
                 : "--kind undirected where both columns name the same vertices, or --kind bipartite where they name "
                   "two separate sides");
    }
  }
}

// Says whether the matrix is that of an undirected graph: symmetric, the diagonal empty.
bool is_adjacency_matrix(const BipartiteGraph& graph) {
  if (graph.num_rows() != graph.num_columns() || graph.num_edges() == 0) return false;
  for (Vertex v = 0; v < graph.num_rows(); ++v) {
    if (std::ranges::binary_search(graph.row(v), v)) return false;
  }
  return !asymmetric_edge(graph);
}

// One graph of a file on its way to an Input.
class Reading {
 public:
  // `given` is the kind that the caller gave; options.kind may be what the file states.
  Reading(const Source& source, std::optional<InputKind> given, const std::optional<StatedKind>& stated)
      : source_(source), text_(source.text), options_(source.options), given_(given), stated_(stated) {}

  Input read(bool as_fractions = false) {
    EdgeFault fault;
    InputKind kind = InputKind::bipartite;
    bool has_exact_sums = false;  // as fractions, where they are not known well enough as they are
    try {
      Parsed parsed = parse(false, as_fractions);
      source_.run.check();
      if (parsed.has_common_name) refuse_common_name(text_, options_, parse(true, as_fractions));
      const bool are_real = parsed.weights.index() == static_cast<std::size_t>(WeightKind::integer) ||
                            parsed.weights.index() == static_cast<std::size_t>(WeightKind::real);
      has_exact_sums = are_real && options_.fractions && !as_fractions && options_.duplicates == Duplicates::sum;
      kind = settled_kind(text_, source_.format, parsed.shape, given_, stated_, options_.usual_kind);
      const std::vector<std::string> notes = std::move(parsed.notes);
      if (options_.loops != Loops::refuse && kind != InputKind::undirected)
        throw InputError(
            "--loops " + std::string(to_string(options_.loops)) + ", and " + std::string(to_string(kind)) + " edges",
            "--kind undirected: elsewhere an edge from a name to itself is one like others");
      if (options_.base && kind != InputKind::matrix)
        throw InputError("--base for edges whose ends are names", "--kind matrix, whose rows and columns are counted");
      LeftOut left_out;
      Input input = assemble(std::move(parsed), options_, kind, left_out);
      input.format = source_.format;
      input.title = source_.part.title;
      for (const std::string& note : notes) input.notes.push_back(text_.name() + ": " + note);
      add_notes(input, left_out);
      return input;
    } catch (const FractionFound&) {
      return read(true);
    } catch (EdgeFault& caught) {
      fault = std::move(caught);
    } catch (const InputError& error) {
      if (!error.file().empty()) throw;
      if (has_exact_sums) return read(true);
      if (options_.duplicates == Duplicates::refuse) refuse_repeated_edge(text_, parse(true, as_fractions), kind);
      refuse(text_, source_.part.line, error.found(), error.expected());
    }
    refuse_edge(std::move(fault), parse(true, as_fractions));
  }

 private:
  Parsed parse(bool with_lines, bool as_fractions) const {
    Source source = source_;
    source.with_lines = with_lines;
    source.as_fractions = as_fractions;
    Parsed parsed = format_entry(source.format).read(source);
    if (parsed.lines.empty()) parsed.lines.resize(with_lines ? parsed.edges.size() : 0);
    if (options_.weight_key && options_.weight_key->empty()) drop_weights(parsed);
    return parsed;
  }
  // Leaves weights aside. Zeros of a matrix are no edges all the same.
  void drop_weights(Parsed& parsed) const {
    if (format_entry(source_.format).holds == Format::Holds::matrix && !options_.keep_zeros) {
      std::vector<bool> is_zero(parsed.edges.size(), false);
      visit_values(parsed.weights, [&](const auto& values) {
        for (std::size_t i = 0; i < values.size(); ++i) is_zero[i] = values[i] == std::decay_t<decltype(values[i])>(0);
      });
      const auto drop = [&](auto& all) {
        std::size_t i = 0;
        if (!all.empty()) std::erase_if(all, [&](const auto&) { return is_zero[i++]; });
      };
      drop(parsed.edges);
      drop(parsed.lines);
    }
    parsed.weights = Weights();
    parsed.fractions.clear();
  }
  // Returns the kind that the file states beside one that was given, which also answers what would be refused there.
  std::optional<StatedKind> said_by_file() const {
    if (!given_ || text_.is_binary()) return std::nullopt;
    try {
      return stated_kind(text_, source_.format);
    } catch (const InputError&) {
      return std::nullopt;
    }
  }
  void add_notes(Input& input, const LeftOut& left_out) const {
    const auto add = [&](const std::string& sentence) { input.notes.push_back(text_.name() + ": " + sentence); };
    if (left_out.loops > 0) add(counted(left_out.loops, "loop") + " left out: a matching has none");
    const bool is_matrix =
        options_.usual_kind == InputKind::matrix || format_entry(source_.format).holds == Format::Holds::matrix;
    if (left_out.zeros > 0 && !is_matrix)
      add(counted(left_out.zeros, "edge") + " of weight 0 left out; --keep-zeros keeps such edges");
    const auto has_rows = [](InputKind kind) { return kind == InputKind::bipartite || kind == InputKind::matrix; };
    const auto said = said_by_file();
    if (said && said->kind != *given_ && !(has_rows(said->kind) && has_rows(*given_))) {
      input.notes.push_back(text_.name() + ": read as " + std::string(to_string(*given_)) + " by --kind, but line " +
                            std::to_string(said->line) + " says that it is " + std::string(to_string(said->kind)));
    }
    if (given_ || stated_ || options_.usual_kind != InputKind::bipartite ||
        format_entry(source_.format).holds != Format::Holds::matrix)
      return;
    if (!is_adjacency_matrix(input.graph)) return;
    input.notes.push_back(
        text_.name() +
        ": a symmetric matrix, read as rows and columns; --kind undirected reads it as the graph whose "
        "adjacency matrix it is");
  }
  [[noreturn]] void refuse_edge(EdgeFault fault, const Parsed& with_lines) const {
    std::uint64_t line = 0;
    for (std::size_t i = 0; i < with_lines.edges.size() && line == 0; ++i) {
      const Edge edge = with_lines.edges[i];
      if (edge == fault.edge || edge == Edge{fault.edge.column, fault.edge.row}) line = with_lines.lines[i];
    }
    const auto said = said_by_file();
    if (said && said->kind != *given_)
      fault.expected += "; or no --kind, for the file says that it is " + std::string(to_string(said->kind));
    refuse(text_, line, std::move(fault.found), std::move(fault.expected));
  }

  Source source_;
  const Text& text_;
  const InputOptions& options_;
  std::optional<InputKind> given_;
  const std::optional<StatedKind>& stated_;
};

void check_delimiter(const std::string& delimiter) {
  const auto is_mark = [](char c) {
    return c == '\t' || (c >= ' ' && c <= '~' && std::isalnum(static_cast<unsigned char>(c)) == 0 &&
                         std::string_view("\"'#%").find(c) == std::string_view::npos);
  };
  const bool is_blank = delimiter.size() > 1 && trimmed(delimiter).empty();
  if (std::ranges::all_of(delimiter, is_mark) && !is_blank) return;
  throw InputError("the delimiter " + in_quotes(delimiter), "a tab, a blank or marks such as , ; :: or |");
}

// `load` gives the Text.
template <class State, class Load>
std::unique_ptr<State> open(const std::string& name, const InputOptions& options, const RunContext& run, Load&& load) {
  try {
    return std::make_unique<State>(load(), options, run);
  } catch (const std::bad_alloc&) {
    throw Unable(name + ": not enough memory to read it");
  }
}

}  // namespace

struct InputSequence::State {
  State(Text source, const InputOptions& wanted, const RunContext& context)
      : text(taken_member(std::move(source), wanted.member, member_note)),
        options(wanted),
        run(context),
        format(options.format) {
    run.check();
    take_separator();
    check_delimiter(options.delimiter);
    if (options.delimiter.size() > 1 && !text.is_binary()) {
      text = with_tabs(text, options.delimiter);
      options.delimiter = '\t';
    }
    if (!options.header && !text.is_binary()) options.header = stated_header(text);
    decide_format(wanted);
    if (!options.kind && !stated) stated = stated_kind(text, format);
    if (!text.is_binary()) layout = stated_layout(text, format);
    Part second;
    several = next_graph(second) && next_graph(second);
  }

  // Decides the format before the text is read, and what of it a header or other options pick.
  void decide_format(const InputOptions& wanted) {
    std::optional<InputFormat> own;
    if (format == InputFormat::automatic) refuse_foreign_format(text);
    if (format == InputFormat::automatic || text.is_binary())
      own = own_format(text);
    else if (is_matrix_market(text, format))
      own = InputFormat::matrix_market;
    if (format != InputFormat::automatic && own != format && (text.is_binary() || own == InputFormat::matrix_market)) {
      refuse(text, text.is_binary() ? 0 : 1,
             own == InputFormat::npy             ? "a NumPy array"
             : own == InputFormat::planar_code   ? "graphs in planar_code"
             : own == InputFormat::matrix_market ? "a Matrix Market banner"
                                                 : "a file in the format " + std::string(to_string(*own)),
             "the format " + std::string(to_string(format)));
    }
    const bool has_columns = !options.columns.empty() || !options.label.empty() || options.base;
    const bool is_plain = format == InputFormat::automatic && !own;
    if (format == InputFormat::automatic && own) format = *own;
    // Then nobody has to guess what its lines are.
    if (own == format && !text.is_binary() && stated_format(text) == own) options.format = format;
    if (is_plain && !has_columns) refuse_foreign_text(text);
    if (is_plain && has_columns) format = InputFormat::edge_list;
    if (format != InputFormat::automatic) check_reading_options(text, format, wanted);
    if (wanted.format == InputFormat::dense) refuse_size_line(text, said());
    const bool is_table = is_plain || (format == InputFormat::edge_list && (has_columns || !konect_kind(text)));
    if (is_table) take_edges_of_table(is_plain);
    if (format == InputFormat::automatic) format = plain_format(text, said());
    if (is_plain) check_reading_options(text, format, wanted);
  }

  // Returns the options with the kind that the file states, where none was given.
  InputOptions said() {
    InputOptions said = options;
    if (!said.kind && !stated)
      stated = stated_kind(text, format == InputFormat::automatic ? InputFormat::edge_list : format);
    if (!said.kind && stated) said.kind = stated->kind;
    return said;
  }

  // Takes the separator that spreadsheets tell on a first line, sep=; which is a comment then.
  void take_separator() {
    if (text.is_binary() || text.size() < 5) return;
    const std::string_view line = rest_of_line(text.begin());
    if (line.size() < 5 || !equal_ignoring_case(line.substr(0, 4), "sep=") || !trimmed(line.substr(5)).empty()) return;
    if (!options.delimiter.empty() && options.delimiter != line.substr(4, 1))
      refuse(text, 1, in_quotes(trimmed(line)) + " beside the delimiter " + in_quotes(options.delimiter),
             "one of them");
    options.delimiter = line[4];
    std::string lines(whole(text));
    lines[0] = '#';
    text.check(lines.size());
    text = Text::from_memory(lines, text.name(), run);
  }

  // Replaces a text that is a table of edges by an edge list without a header.
  void take_edges_of_table(bool is_plain) {
    std::optional<EdgeTable> table = edge_table(text, said());
    if (!table && !options.columns.empty()) refuse(text, 0, "no table of edges", "lines of up to 1000 columns");
    if (!table) return;
    edge_labels = std::move(table->labels);
    note = table->note.empty() ? "" : text.name() + ": " + table->note;
    if (!stated && table->kind) stated = StatedKind{*table->kind, 0};
    text = std::move(table->edges);
    format = InputFormat::edge_list;
    if (table->is_certain) options.delimiter = table->separator;
    if (table->has_header) options.header = false;
    options.weight_key.reset();
    if (!is_plain || table->is_certain) return;
    InputOptions below = said();
    below.header.reset();
    plain_format(text, below);
  }

  std::optional<Input> next() {
    run.check();
    if (!next_graph(part)) return std::nullopt;
    try {
      const InputOptions how = said();
      Input input = Reading({text, how, run, format, part}, options.kind, stated).read();
      for (const std::string& sentence : {member_note, note})
        if (!sentence.empty()) input.notes.push_back(sentence);
      input.layout = layout;
      input.edge_labels = edge_labels;
      return input;
    } catch (const InputError& error) {
      if (!several) throw;
      const std::string title = part.title.empty() ? "" : " (" + part.title + ")";
      refuse(text, error.line(), error.found() + " in graph " + std::to_string(part.number) + title, error.expected());
    } catch (const std::bad_alloc&) {
      throw Unable(text.name() + ": not enough memory to read it");
    }
  }

  bool next_graph(Part& place) const { return format_entry(format).next(text, format, place); }

  // Reads the file's only graph.
  Input only() {
    if (several) {
      Part last;
      while (next_graph(last)) run.check();
      refuse(text, 0, "a file of " + std::to_string(last.number) + " graphs", "one graph");
    }
    std::optional<Input> input = next();
    if (!input) refuse(text, 0, "no graph", "a graph");
    return std::move(*input);
  }

  std::string member_note;  // on the file of an archive that is read
  Text text;
  InputOptions options;
  RunContext run;
  InputFormat format;
  std::optional<StatedKind> stated;
  std::string note;                      // on the table that the edges are from
  std::vector<std::string> edge_labels;  // in it
  std::string layout;                    // as Input has it
  Part part;
  bool several = false;
};

bool built_with_graphml() { return readers::reads_graphml(); }
bool built_with_json() { return readers::reads_json(); }

std::string Input::row_label(Vertex row) const { return name_of(row_labels, row); }
std::string Input::column_label(Vertex column) const { return name_of(column_labels, column); }

InputSequence::InputSequence(std::unique_ptr<State> state) : state_(std::move(state)) {}
InputSequence::InputSequence(const std::string& file, const InputOptions& options, const RunContext& run)
    : InputSequence(open<State>(file, options, run, [&] { return Text::from_file(file, run); })) {}
InputSequence::InputSequence(InputSequence&&) noexcept = default;
InputSequence& InputSequence::operator=(InputSequence&&) noexcept = default;
InputSequence::~InputSequence() = default;

InputSequence InputSequence::from_text(std::string_view text, const std::string& name, const InputOptions& options,
                                       const RunContext& run) {
  return InputSequence(open<State>(name, options, run, [&] { return Text::from_memory(text, name, run); }));
}

InputSequence InputSequence::from_stream(std::istream& stream, const std::string& name, const InputOptions& options,
                                         const RunContext& run) {
  return InputSequence(open<State>(name, options, run, [&] { return Text::from_stream(stream, name, run); }));
}

std::optional<Input> InputSequence::next() { return state_->next(); }
Input InputSequence::only() { return state_->only(); }
std::uint64_t InputSequence::position() const { return state_->part.number; }
const std::string& InputSequence::title() const { return state_->part.title; }
bool InputSequence::has_several() const { return state_->several; }

Input read_input(const std::string& file, const InputOptions& options, const RunContext& run) {
  return InputSequence(file, options, run).only();
}

Input read_input(std::istream& stream, const std::string& name, const InputOptions& options, const RunContext& run) {
  return InputSequence::from_stream(stream, name, options, run).only();
}

Input read_input_text(std::string_view text, const std::string& name, const InputOptions& options,
                      const RunContext& run) {
  return InputSequence::from_text(text, name, options, run).only();
}

std::optional<Rational> read_number(std::string_view text) {
  Rational value;
  return readers::parse_fraction(text, value) ? std::optional(value) : std::nullopt;
}

}  // namespace matchcount
