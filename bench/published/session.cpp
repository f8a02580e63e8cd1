#include "bench/published/session.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ranges>

#include "apps/answer.hpp"
#include "apps/options.hpp"
#include "apps/text.hpp"
#include "graph/input.hpp"

namespace matchcount::bench {

namespace {

// published: the tables of papers, measured anew beside what is printed.

// A run that takes so much longer than a row may is given up.
constexpr double most_over_prediction = 4;
constexpr const char* standings[] = {"measured", "predicted", "unavailable"};

std::string key_of(const std::string& name, const CountOptions& options) {
  return name + "/" + std::string(to_string(options.method)) + "/" +
         std::to_string(static_cast<int>(options.run.precision)) + (options.prune ? "p" : "") +
         (options.reduce ? "r" : "");
}

// Returns the printed seconds over ours; nothing where either is no number.
std::optional<double> speedup(const Comparison& comparison) {
  const std::optional<double> printed = app::parse_number<double>(comparison.printed);
  if (comparison.unit != "s" || !printed || !comparison.ours || !(*comparison.ours > 0)) return std::nullopt;
  return *printed / *comparison.ours;
}

// Returns the folder in a clone, where the program runs in one, else that beside the installed program.
std::string usual_tables() {
  const std::string of_clone = "datasets/published";
  std::error_code error;
  if (std::filesystem::is_directory(of_clone, error)) return of_clone;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path() /
         "share/matchcount/published";
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  const std::string_view text(line.data(), line.find_last_not_of('\r') + 1);
  for (const auto cell : std::views::split(text, '\t')) cells.emplace_back(cell.begin(), cell.end());
  return cells;
}

}  // namespace

extern const char* const tables_text;  // tables.json

namespace {

void redo(Session& session) {
  for (const auto* redos : {&exact_redos, &placement_redos, &estimate_redos, &bit_redos, &hilbert_redos}) {
    for (const Redo& one : *redos) {
      if (session.entry.value("redo", "") == one.name) one.redo(session);
    }
  }
}

void list(const Json& entries) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& entry : entries)
    rows.push_back({entry["paper"], entry["table"], entry["title"], entry.contains("redo") ? "" : "not redone"});
  app::write_answer(table(rows, ""));
}

void run(Bench& bench) {
  const Arguments& given = bench.given();
  const Json entries = Json::parse(tables_text);
  if (given.has("list")) return list(entries);
  const std::string paper = given.text("paper"), number = given.text("table");
  if (!number.empty() && paper.empty()) throw app::UsageError("published", "--table is of a paper: --paper is missing");
  std::vector<Json> asked;
  std::ranges::copy_if(entries, std::back_inserter(asked), [&](const Json& entry) {
    return (paper.empty() || paper == entry["paper"].get<std::string>()) &&
           (number.empty() || number == entry["table"].get<std::string>());
  });
  if (asked.empty())
    throw InputError("--paper " + paper + (number.empty() ? "" : " --table " + number), "a table that --list names");
  Session session(bench);
  double load = 0;  // processes that were running or waiting when it began, of a minute's mean
  if (getloadavg(&load, 1) != 1) load = 0;
  bench.begin(
      "Published tables, measured anew.", session.devices, resolve_num_threads(session.run),
      {{"on_gpu", session.on_gpu()}, {"load", load}, {"seed", session.run.seed}, {"row_limit_s", session.row_limit_s}});
  for (const Json& entry : asked) {
    session.begin(entry);
    const double seconds = seconds_of([&] { redo(session); });
    std::fprintf(stderr, "-- %s: %s\n", session.name().c_str(), app::format_seconds(seconds).c_str());
    bench.append("tables", {{"paper", entry["paper"]},
                            {"table", entry["table"]},
                            {"title", entry["title"]},
                            {"note", entry["note"]},
                            {"seconds", seconds}});
    bench.save();
  }
}

}  // namespace

Suite published_suite() {
  return {
      "published",
      "the tables of papers, measured anew beside what is printed",
      "Measures the tables of datasets/published anew and writes ours beside what is printed. What would take longer "
      "than a row may is predicted and marked so. Two cores take five minutes with rows of 12 s. bench/pages.py makes "
      "pages and pictures from the JSON.",
      "ours unit printed_over_ours printed_by printed method standing",
      {{"paper", "NAME", "superman, thesis, codegen, bitmatrix or condensation (default: all)"},
       {"table", "N", "of that paper, as 3 or 6.12 (default: all)"},
       {"list", "", "the tables"},
       device_option,
       {"matrices", "FOLDER", "public matrices, as datasets/public_matrices.sh FOLDER fetches them (default: none)"},
       {"tables", "FOLDER", "the printed tables (default: those of the clone or the installed program)"},
       {"row-limit", "S", "runs what is predicted to take at most S seconds", "30"},
       {"sample-limit", "S", "of one cell of the estimators' tables", "2"},
       threads_option,
       seed_option},
      run};
}

const std::string& Row::operator[](const std::string& column) const {
  const auto found = cells_.find(column);
  if (found == cells_.end()) throw InputError(table_ + " has no column '" + column + "'", "one");
  return found->second;
}

double Row::number(const std::string& column) const {
  const std::string& cell = (*this)[column];
  const std::optional<double> value = app::parse_number<double>(cell);
  if (!value) throw InputError(table_ + ", " + column + ": '" + cell + "'", "a number");
  return *value;
}

Session::Session(Bench& bench) : bench_(bench) {
  const Arguments& given = bench.given();
  tables_folder_ = given.has("tables") ? given.text("tables") : usual_tables();
  matrices_folder_ = given.text("matrices");
  if (!matrices_folder_.empty() && !std::filesystem::is_directory(matrices_folder_))
    throw InputError("--matrices " + matrices_folder_, "a folder");
  row_limit_s = given.seconds("row-limit");
  sample_limit_s = given.seconds("sample-limit");
  device = parse_device_choice(given.text("device"));
  devices = given.devices();
  run = given.run_on_cpu();
  run.device = {};
}

void Session::begin(const app::Json& its_entry) {
  entry = its_entry;
  rows.clear();
  if (!entry.contains("redo")) return;
  const std::string file = entry["paper"].get<std::string>() + "-table-" + number() + ".tsv";
  std::ifstream stream(tables_folder_ + "/" + file);
  std::string line;
  if (!std::getline(stream, line)) throw InputError("--tables " + tables_folder_, "a folder with " + file);
  columns = cells_of(line);
  while (std::getline(stream, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != columns.size())
      throw InputError(
          file + ", line " + std::to_string(rows.size() + 2) + ": " + std::to_string(cells.size()) + " cells",
          std::to_string(columns.size()));
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[columns[i]] = cells[i];
    rows.emplace_back(file, std::move(row));
  }
}

CountOptions Session::options(Method method, Precision precision) const {
  CountOptions options;
  options.method = method;
  options.run = run;
  options.run.precision = precision;
  // The figures of matchcount itself may be a CPU's, on any machine.
  if (method != Method::automatic || !on_gpu()) options.run.device = device;
  return options;
}

CountOptions Session::named(Method method, Precision precision) const {
  CountOptions named = options(method, precision);
  named.prune = named.reduce = false;
  return named;
}

Comparison Session::time(const std::string& key, const Matrix& matrix, const CountOptions& options) const {
  Comparison timed;
  std::optional<double> predicted;
  try {
    Stopwatch watch;
    const Plan plan = plan_permanent(matrix, options);
    if (!plan.blocks.empty()) {
      timed.method = to_string(plan.blocks[0].forecasts.at(0).method);
      timed.forecast = plan.blocks[0].forecasts.at(0).reason;
    }
    if (!timed.method.empty() && !std::isfinite(plan.seconds)) throw Unable(timed.forecast);
    predicted = plan.seconds;
    if (plan.seconds > row_limit_s) {
      timed.standing = Standing::predicted;
      timed.ours = plan.seconds;
    } else {
      CountOptions limited = options;
      limited.run.time_limit_s = most_over_prediction * row_limit_s;
      watch.lap();
      timed.result = permanent(matrix, limited);
      timed.ours = watch.lap();
      timed.method = to_string(timed.result->method);
      timed.value = to_string(timed.result->value);
      for (const auto& check : timed.result->checks) timed.right = timed.right.value_or(true) && check.passed;
    }
  } catch (const Unable& error) {
    timed.give_up((predicted ? "predicted to take " + app::format_seconds(*predicted) + "; " : "") + error.what());
    if (!predicted) timed.method.clear();
  }
  std::fprintf(stderr, "%s: %s%s\n", key.c_str(), timed.ours ? app::format_seconds(*timed.ours).c_str() : "-",
               timed.standing == Standing::predicted ? ", predicted" : "");
  return timed;
}

Comparison Session::timed(const std::string& name, const std::optional<Matrix>& matrix, const CountOptions& options,
                          const Comparison& cell) {
  Comparison filled;
  if (matrix) {
    const std::string key = key_of(name, options);
    auto found = timed_.find(key);
    if (found == timed_.end()) found = timed_.emplace(key, time(key, *matrix, options)).first;
    filled = found->second;
  } else {
    filled.give_up("no file: see datasets/public_matrices.sh");
  }
  filled.row = cell.row;
  filled.printed_by = cell.printed_by;
  filled.printed = cell.printed;
  return filled;
}

std::optional<Matrix> Session::public_matrix(const std::string& name) const {
  if (matrices_folder_.empty()) return std::nullopt;
  const std::string file = matrices_folder_ + "/" + name + ".mtx";
  if (!std::filesystem::exists(file)) return std::nullopt;
  InputOptions options;
  options.usual_kind = InputKind::matrix;
  return read_input(file, options).graph;
}

void Session::add(Comparison c) {
  const std::optional<double> ratio = speedup(c);
  if (ratio && *ratio < 1) {
    constexpr double start_s = 2;
    std::string why =
        "slower, on " + (on_gpu() ? format_count(devices.size(), "GPU (", "GPUs (") + devices[0].name + ")"
                                  : format_count(resolve_num_threads(run), "thread", "threads"));
    if (on_gpu() && c.quantity == "whole call" && *c.ours < start_s)
      why += ", most of it for starting the GPU and compiling a kernel";
    c.add_remark(why);
  }
  Json fields{{"ours", or_null(c.ours)}, {"unit", c.unit}};
  if (ratio) fields["printed_over_ours"] = *ratio;
  if (c.agrees) fields["printed_value_agrees"] = *c.agrees;
  for (const auto& [key, words] :
       {std::pair("printed_by", c.printed_by), std::pair("printed", c.printed), std::pair("method", c.method),
        std::pair("quantity", c.quantity), std::pair("value", c.value), std::pair("remark", c.remark)}) {
    if (!words.empty()) fields[key] = words;
  }
  fields["standing"] = standings[static_cast<int>(c.standing)];
  bench_.add(name(), c.row, fields, c.right ? Checks{{"", *c.right}} : Checks());
}

}  // namespace matchcount::bench
