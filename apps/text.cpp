#include "apps/text.hpp"

#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "core/run.hpp"

namespace matchcount::app {

namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

// Names the members of a side, and those of the other that are joined to them.
std::string side_name(InputKind kind, bool rows, bool plural) {
  if (kind == InputKind::matrix) return std::string(rows ? "row" : "column") + (plural ? "s" : "");
  const std::string name = plural ? "vertices" : "vertex";
  return kind == InputKind::bipartite ? name + (rows ? " on the left" : " on the right") : name;
}

std::string neighbour_name(InputKind kind, bool rows, bool plural) {
  const std::string name = kind == InputKind::matrix     ? (rows ? "column" : "row")
                           : kind == InputKind::directed ? (rows ? "successor" : "predecessor")
                                                         : "neighbour";
  return plural ? name + "s" : name;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::string hall_sentence(const Input& input, const HallViolator& violator) {
  const bool rows = violator.of_rows;
  const auto members = side_labels(input, violator.members, rows);
  const auto neighbours = side_labels(input, violator.neighbours, !rows);
  const bool many = members.size() != 1;
  std::string text = many ? "the " + std::to_string(members.size()) + " " : "the ";
  text += side_name(input.kind, rows, many) + " {" + some_labels(members) + "} " + (many ? "have " : "has ");
  if (neighbours.empty()) return text + "no " + neighbour_name(input.kind, rows, false);
  text += many ? "between them only " : "only ";
  text += std::to_string(neighbours.size()) + " " + neighbour_name(input.kind, rows, neighbours.size() != 1);
  return text + " {" + some_labels(neighbours) + "}";
}

std::string tutte_sentence(const Input& input, const TutteSet& set) {
  const std::string components =
      format_count(set.odd_components, "component", "components") + " with an odd number of vertices";
  if (set.removed.empty()) return "the graph has " + components;
  const std::string vertices = set.removed.size() == 1 ? "vertex" : std::to_string(set.removed.size()) + " vertices";
  return "without the " + vertices + " {" + some_labels(side_labels(input, set.removed)) + "} it has " + components;
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.cpu_model = cpu_model();
  utsname names{};
  machine.architecture = uname(&names) == 0 ? names.machine : "unknown";
  machine.usable_cores = resolve_num_threads(RunOptions{});
  machine.instruction_set = to_string(detected_isa());
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && page_size > 0) {
    machine.memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
  }
  machine.available_memory_bytes = available_memory_bytes();
  return machine;
}

std::string sizes_text(const Sizes& sizes, const std::function<std::string(Vertex)>& name) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [size, count] : sizes) {
    if (++shown > 8) return text + ", and smaller ones";
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " of " + name(size);
  }
  return text;
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t width, std::string head) {
  std::string out = std::move(head);
  std::size_t column = out.size();
  bool is_first = column != 0;  // word, behind the head
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n' || text[at] == ' ') {
      if (text[at++] == '\n') out += '\n', column = 0;
      continue;
    }
    const std::string_view word = text.substr(at, std::min(text.find_first_of(" \n", at), text.size()) - at);
    if (column != 0 && column + !is_first + word.size() > width) {
      out.erase(out.find_last_not_of(' ') + 1) += '\n';
      column = 0;
    }
    const std::size_t gap = column == 0 ? indent : !is_first;
    is_first = false;
    out.append(gap, ' ').append(word);
    column += gap + word.size();
    at += word.size();
  }
  return out + '\n';
}

std::optional<std::size_t> columns_of(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) return size.ws_col;
  const char* const variable = std::getenv("COLUMNS");
  const auto columns = variable == nullptr ? std::nullopt : parse_number<std::size_t>(variable);
  return columns.value_or(0) < 20 ? std::nullopt : columns;
}

std::string fitted(std::string_view text, std::optional<std::size_t> width) {
  std::string out;
  while (width && !text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const bool is_whole = line.size() < text.size();
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size()), gap = line.rfind("  ");
    const std::size_t column = gap == std::string_view::npos ? 0 : gap + 2;  // where the last column begins, if any
    const std::size_t head = std::max(column, blanks);
    const std::size_t below = 3 * head <= 2 * *width ? head : blanks + 2;
    out += line.size() <= *width ? std::string(line) + "\n"
                                 : wrap(line.substr(head), below, *width, std::string(line.substr(0, head)));
    if (!is_whole) out.pop_back();
    text.remove_prefix(line.size() + is_whole);
  }
  return out.append(text);
}

std::string some_labels(const std::vector<std::string>& labels, std::size_t most) {
  std::string out;
  const std::size_t shown = labels.size() <= most + 1 ? labels.size() : most;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) out += ", ";
    // A label is a word of the file, of any length.
    out += labels[i].size() <= 40 ? labels[i] : labels[i].substr(0, 37) + "...";
  }
  if (shown < labels.size()) out += " and " + std::to_string(labels.size() - shown) + " more";
  return out;
}

std::string name_of(const Input& input, Vertex v) {
  const bool is_column = input.is_bipartite() && v >= input.graph.num_rows();
  return is_column ? input.column_label(v - input.graph.num_rows()) : input.row_label(v);
}

std::vector<std::string> side_labels(const Input& input, const std::vector<Vertex>& vertices, bool of_rows) {
  std::vector<std::string> labels;
  labels.reserve(vertices.size());
  for (const Vertex v : vertices) labels.push_back(of_rows ? input.row_label(v) : input.column_label(v));
  return labels;
}

std::string suggestion(std::string_view name, const std::vector<std::string_view>& names, std::string_view dashes) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(1, std::min<std::size_t>(2, name.size() / 2)) + 1;
  for (const std::string_view candidate : names) {
    const bool begins = name.size() >= 3 && candidate.starts_with(name);
    const std::size_t distance = begins ? 0 : edit_distance(name, candidate);
    if (distance < least) nearest = candidate, least = distance;
  }
  return nearest.empty() ? std::string() : "; did you mean '" + std::string(dashes) + std::string(nearest) + "'?";
}

std::string quoted_name(const std::string& name) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c >= 0x80; };
  if (std::all_of(name.begin(), name.end(), is_plain)) return name;
  return "\"" + replaced(name, {{'"', "\"\""}}) + "\"";
}

bool has_own_weights(const Input& input) {
  return input.weight_kind() != WeightKind::none && !input.weights_are_multiplicities;
}

bool is_exact(const Value& value) { return relative_error(value) == 0; }

std::string fraction_note(const Rational& value) {
  return "(exactly; about " + to_scientific(nearest_real(value), 17) + ")";
}

std::string error_note(const Value& value) {
  if (std::holds_alternative<Integer>(value)) return {};
  const double error = relative_error(value);
  if (error == 0) return "(exact)";
  if (std::isfinite(error)) return "(relative error <= " + rounded_up(error, 2) + ")";
  const double log2_error = std::holds_alternative<RealValue>(value) ? std::get<RealValue>(value).log2_error
                                                                     : std::get<ComplexValue>(value).log2_error;
  return formatted("(absolute error <= 2^%.1f: it may be 0)", std::ceil(10 * log2_error) / 10);
}

std::string sentence(const Input& input, const Certificate& certificate) {
  if (certificate.hall_violator) return hall_sentence(input, *certificate.hall_violator);
  if (certificate.tutte_set) return tutte_sentence(input, *certificate.tutte_set);
  return {};
}

}  // namespace matchcount::app
