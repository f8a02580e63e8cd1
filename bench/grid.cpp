// grid: the field's experiment. Every estimator on square grids, whose counts are known from Kasteleyn's product, with
// growing numbers of samples: how far off it is, whether its interval holds the truth, whether it warns. A cell is one
// grid, one estimator, one number of samples.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#define CXXOPTS_NO_REGEX

#include "approx/estimate.hpp"
#include "apps/answer.hpp"
#include "bench/chart.hpp"
#include "bench/commands.hpp"
#include "bench/options.hpp"
#include "bench/record.hpp"
#include "bench/workload.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "graph/generate.hpp"

namespace matchcount::bench {
namespace {

using app::Json;
using app::json_number;

constexpr int least_size = 4, most_size = 256, most_threads = 1024;
constexpr std::uint64_t least_samples = 100;
// Fewer samples are drawn first, so that the error can be drawn against their number.
constexpr std::uint64_t first_samples = 1000, growth = 10;
constexpr int panels_of_error = 6;
// A population's size where samples are counted by particles.
constexpr int particles = 64;

struct Variant {
  Estimator estimator = Estimator::guided;
  int interval = 1;
  bool has_interval() const { return estimator == Estimator::scaling || estimator == Estimator::scaling_plus; }
  std::string name() const {
    return std::string(to_string(estimator)) + (has_interval() ? "/" + std::to_string(interval) : "");
  }
};

struct Settings {
  std::vector<int> sizes;
  std::vector<Variant> variants;
  std::uint64_t samples = 0;
  int rounds = 0;
  DeviceChoice device;
  std::vector<DeviceInfo> devices;  // that the choice means; none: the CPU
  double cell_limit_s = 0;
  RunOptions run;
  std::string folder;
};

struct Cell {
  int size = 0;
  Variant variant;
  std::uint64_t asked = 0;
  double log_exact = 0;
  double seconds = 0, cpu_s = 0;
  std::string unable;  // why there is no estimate; else empty
  Estimate estimate;

  std::uint64_t done() const { return estimate.samples * (variant.estimator == Estimator::population ? particles : 1); }
  double ratio() const { return unable.empty() ? std::exp(estimate.log_value - log_exact) : 0; }
  double log_low() const { return estimate.low.log2_abs() * std::log(2.0) - log_exact; }
  double log_high() const { return estimate.high.log2_abs() * std::log(2.0) - log_exact; }
  bool covered() const { return log_low() <= 0 && log_high() >= 0; }
  // Nobody is told so: no warning, and three times as far off as the interval allows, which honest intervals are in one
  // of 10^8 cells.
  bool wrong() const {
    if (!unable.empty() || !estimate.warning.empty()) return false;
    const double off = -std::log(ratio());
    const double reach = off > 0 ? log_high() - std::log(ratio()) : log_low() - std::log(ratio());
    return std::fabs(off) > 3 * std::fabs(reach) + 1e-9;
  }
};

// Estimates at a million samples over the exact count, as published for Scaling+ with 5 rounds every 5 rows (Dufosse,
// Kaya, Panagiotas and Ucar 2018, doi:10.1137/1.9781611975215.6, and 2022). Every row was within 1 %.
const std::map<int, double> published_scaling_plus_5 = {{20, 1.72}, {22, 0.65}, {24, 0.14}};

// ---- Running.

Cell run_cell(const Settings& settings, int size, const Variant& variant, std::uint64_t samples) {
  Cell cell{size, variant, samples, log_grid_matchings(size), 0, 0, "", {}};
  EstimateOptions options;
  options.method = variant.estimator;
  options.scaling_interval = variant.interval;
  options.scaling_rounds = settings.rounds;
  options.exact_rows = 0;
  options.run = settings.run;
  options.run.time_limit_s = settings.cell_limit_s;
  options.run.device = settings.device;
  options.samples = samples;
  if (variant.estimator == Estimator::population) {
    // Of the CPU alone.
    options.run.device.kind = DeviceChoice::Kind::cpu;
    options.population = particles;
    options.samples = std::max<std::uint64_t>(samples / particles, 2);
  }
  const BipartiteGraph graph = grid_graph(static_cast<Vertex>(size), static_cast<Vertex>(size));
  const std::clock_t cpu = std::clock();
  const auto start = std::chrono::steady_clock::now();
  try {
    cell.estimate = estimate_perfect_matchings(graph, options);
  } catch (const Unable& error) {
    cell.unable = error.what();
  }
  cell.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  cell.cpu_s = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  return cell;
}

// ---- Output.

std::string format(const char* pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, pattern, value);
  return buffer;
}

std::string grid_name(int size) { return std::to_string(size) + " x " + std::to_string(size); }

std::string published(const Cell& cell) {
  if (cell.variant.estimator != Estimator::scaling_plus || cell.asked != 1000000) return "";
  const auto found = published_scaling_plus_5.find(cell.size);
  if (found == published_scaling_plus_5.end()) return "";
  if (cell.variant.interval == 5) return format("%.2f", found->second);
  return cell.variant.interval == 1 ? "0.99 to 1.01" : "";
}

std::vector<std::string> heading() {
  return {"grid",          "estimator", "samples", "s",        "CPU s", "estimate / exact",
          "95 % interval", "holds",     "says",    "published"};
}

std::vector<std::string> table_row(const Cell& cell) {
  std::vector<std::string> row{grid_name(cell.size), cell.variant.name()};
  if (!cell.unable.empty()) {
    row.insert(row.end(),
               {"0", format("%.3g", cell.seconds), format("%.3g", cell.cpu_s), "-", "-", "-", cell.unable, ""});
    return row;
  }
  std::string says = cell.estimate.warning.empty() ? "" : "warns";
  if (cell.estimate.out_of_time) says += says.empty() ? "time over" : ", time over";
  row.insert(row.end(),
             {std::to_string(cell.done()), format("%.3g", cell.seconds), format("%.3g", cell.cpu_s),
              format("%.4g", cell.ratio()),
              "[" + format("%.4g", std::exp(cell.log_low())) + ", " + format("%.4g", std::exp(cell.log_high())) + "]",
              cell.covered() ? "yes" : "no", says, published(cell)});
  return row;
}

Json json_cell(const Cell& cell) {
  Json object;
  object["size"] = cell.size;
  object["estimator"] = cell.variant.name();
  object["samples_asked"] = cell.asked;
  object["log_exact"] = cell.log_exact;
  object["seconds"] = cell.seconds;
  object["cpu_s"] = cell.cpu_s;
  if (!cell.unable.empty()) {
    object["unable"] = cell.unable;
    return object;
  }
  const Estimate& estimate = cell.estimate;
  object["samples"] = cell.done();
  object["device"] = estimate.gpus.empty() ? "cpu" : "cuda";
  object["sample_s"] = estimate.time_s.sample;
  object["log_value"] = json_number(estimate.log_value);
  object["estimate_over_exact"] = json_number(cell.ratio());
  object["interval_over_exact"] = {json_number(std::exp(cell.log_low())), json_number(std::exp(cell.log_high()))};
  object["relative_error"] = json_number(estimate.relative_error);
  object["confidence"] = estimate.confidence;
  object["covered"] = cell.covered();
  object["effective_samples"] = json_number(estimate.effective_samples);
  object["zero_fraction"] = estimate.zero_fraction;
  object["out_of_time"] = estimate.out_of_time;
  object["warning"] = estimate.warning;
  return object;
}

std::string csv(const std::vector<Cell>& cells) {
  std::string text =
      "size,estimator,samples_asked,samples,seconds,cpu_s,log_exact,log_value,estimate_over_exact,interval_low_over_"
      "exact,"
      "interval_high_over_exact,covered,effective_samples,zero_fraction,out_of_time,warns\n";
  for (const Cell& cell : cells) {
    text += std::to_string(cell.size) + "," + cell.variant.name() + "," + std::to_string(cell.asked) + "," +
            std::to_string(cell.done()) + "," + format("%.4g", cell.seconds) + "," + format("%.4g", cell.cpu_s) + "," +
            format("%.12g", cell.log_exact);
    if (cell.unable.empty()) {
      const Estimate& estimate = cell.estimate;
      text += "," + format("%.12g", estimate.log_value) + "," + format("%.6g", cell.ratio()) + "," +
              format("%.6g", std::exp(cell.log_low())) + "," + format("%.6g", std::exp(cell.log_high())) + "," +
              std::to_string(cell.covered()) + "," + format("%.4g", estimate.effective_samples) + "," +
              format("%.4g", estimate.zero_fraction) + "," + std::to_string(estimate.out_of_time) + "," +
              std::to_string(!estimate.warning.empty());
    } else {
      text += ",,,,,,,,1,";
    }
    text += "\n";
  }
  return text;
}

// The lines of one variant each, a point of each cell.
template <class Cells, class ToPoint>
std::vector<Line> lines_of(const Settings& settings, const Cells& cells, ToPoint&& to_point) {
  std::vector<Line> lines;
  for (const Variant& variant : settings.variants) {
    Line line{variant.name(), {}};
    for (const Cell& cell : cells) {
      if (cell.unable.empty() && cell.variant.name() == line.name) line.points.push_back(to_point(cell));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// The last cell of every grid and estimator.
std::vector<Cell> largest_cells(const std::vector<Cell>& cells) {
  std::vector<Cell> largest;
  for (const Cell& cell : cells) {
    if (!largest.empty() && largest.back().size == cell.size && largest.back().variant.name() == cell.variant.name())
      largest.pop_back();
    largest.push_back(cell);
  }
  return largest;
}

Chart error_chart(const Settings& settings, const std::vector<Cell>& cells) {
  Chart chart{"Error against samples", "samples", "|estimate / exact - 1|", {}};
  const auto count = std::min<std::size_t>(panels_of_error, settings.sizes.size());
  for (std::size_t i = 0; i < count; ++i) {
    const int size = settings.sizes[count == 1 ? 0 : i * (settings.sizes.size() - 1) / (count - 1)];
    std::vector<Cell> of_size;
    for (const Cell& cell : cells) {
      if (cell.size == size) of_size.push_back(cell);
    }
    // What is below one in 10^5 is drawn there, what is above 10 there.
    chart.panels.push_back({grid_name(size), lines_of(settings, of_size, [](const Cell& cell) {
                              const double off = std::fabs(cell.ratio() - 1);
                              return Point{static_cast<double>(cell.done()), std::clamp(off, 1e-5, 10.0)};
                            })});
  }
  return chart;
}

Chart time_chart(const Settings& settings, const std::vector<Cell>& cells) {
  return {"Time against size",
          "side of the grid",
          "seconds for 1000 samples",
          {{"", lines_of(settings, largest_cells(cells), [](const Cell& cell) {
              return Point{static_cast<double>(cell.size),
                           1000 * cell.estimate.time_s.sample / static_cast<double>(cell.done())};
            })}}};
}

std::string markdown(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += "|";
    for (const std::string& cell : rows[i]) text += " " + cell + " |";
    text += "\n";
    if (i > 0) continue;
    text += "|";
    for (std::size_t column = 0; column < rows[i].size(); ++column) text += "---|";
    text += "\n";
  }
  return text;
}

std::string command_text(const CommandLine& line) {
  std::string text = "matchcount-bench";
  for (std::size_t i = 1; i < line.words.size(); ++i) text += " " + line.words[i];
  return text;
}

std::string page(const CommandLine& line, const Settings& settings, const Json& record,
                 const std::vector<Cell>& cells) {
  std::string text =
      "# Grids\nWritten by `" + command_text(line) + "` on " +
      machine_line(settings.devices, resolve_num_threads(settings.run)) + ", " + record.text_of("date") + ", commit " +
      record.text_of("commit") +
      ".\n\nPerfect matchings of square grids: estimates over the exact count, which is Kasteleyn's "
      "product. `scaling/5` scales every 5\nrows, with " +
      std::to_string(settings.rounds) +
      " rounds. *holds*: whether the interval has the exact count within it; where the tool warns it "
      "says that it may not. *time over*:\nthe cell's limit of " +
      format("%g", settings.cell_limit_s) + " s came before its samples. A population is of " +
      std::to_string(particles) +
      " particles, which are counted as samples, and drawn on the CPU.\n*published*: what Dufosse, Kaya, "
      "Panagiotas and Ucar report at a million samples.\n\n![Error against samples](grids-error.svg)\n\n"
      "![Time against size](grids-time.svg)\n\n";
  std::vector<std::vector<std::string>> rows{heading()};
  for (const Cell& cell : largest_cells(cells)) rows.push_back(table_row(cell));
  return text + markdown(rows) + "\nAll numbers of samples: `grids.csv` and `grids.json`.\n";
}

void write_file(const std::string& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  if (!stream.flush()) throw InputError("--output " + file, "a folder that can be written");
}

void write_all(const CommandLine& line, const Settings& settings, const Json& record, const std::vector<Cell>& cells) {
  if (settings.folder.empty()) return;
  const auto file = [&](const char* name) { return (std::filesystem::path(settings.folder) / name).string(); };
  write_record(file("grids.json"), record);
  write_file(file("grids.csv"), csv(cells));
  write_file(file("grids-error.svg"), svg(error_chart(settings, cells)));
  write_file(file("grids-time.svg"), svg(time_chart(settings, cells)));
  write_file(file("grids.md"), page(line, settings, record, cells));
}

// ---- Options.

constexpr const char* help_text = R"(Usage: matchcount-bench grid [options]

Estimates the perfect matchings of square grids by every estimator, beside the exact counts (Kasteleyn's product).

  --sizes N,..         even sides of the grids (default: 6,8,..,24,32,48,64)
  --estimators NAME,.. rasmussen, rasmussen+, scaling/N and scaling+/N (scaled every N rows), guided, population
                       (default: all, scaling ones at 1 and 5)
  --samples N          the most samples of a cell; 1000, 10^4, .. are drawn before (default: 1000000)
  --rounds N           of scaling (default: 5)
  --time-limit S       of a cell; one that runs out of time says how many samples it had (default: 60)
  --device WHERE       auto, cpu, cuda or cuda:0,1 (default: auto); populations are drawn on the CPU
  --seed N             (default: 1)
  --threads N          of the CPU (default: every core)
  --output FOLDER      writes there grids.md, a page with grids-error.svg and grids-time.svg, grids.csv and grids.json
  -h, --help           this text
)";

Variant variant_from(const std::string& name) {
  const auto slash = name.find('/');
  Variant variant;
  variant.estimator = from_string<Estimator>(name.substr(0, slash));
  char* end = nullptr;
  const long interval = slash == name.npos ? 1 : std::strtol(name.c_str() + slash + 1, &end, 10);
  const bool numbered = slash == name.npos || (*end == '\0' && end != name.c_str() + slash + 1);
  if (!numbered || interval < 1 || interval > 100000 || variant.has_interval() != (slash != name.npos) ||
      variant.estimator == Estimator::automatic) {
    throw InputError("--estimators " + name, "rasmussen, rasmussen+, scaling/N, scaling+/N, guided or population");
  }
  variant.interval = static_cast<int>(interval);
  return variant;
}

// Nothing where only help was asked for, which is then written.
std::optional<Settings> settings_from(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench grid");
  auto add = parser.add_options();
  add("sizes", "", cxxopts::value<std::vector<int>>()->default_value("6,8,10,12,14,16,18,20,22,24,32,48,64"));
  add("estimators", "",
      cxxopts::value<std::vector<std::string>>()->default_value(
          "rasmussen,rasmussen+,scaling/1,scaling/5,scaling+/1,scaling+/5,guided,population"));
  add("samples", "", cxxopts::value<std::uint64_t>()->default_value("1000000"));
  add("rounds", "", cxxopts::value<int>()->default_value("5"));
  add("time-limit", "", cxxopts::value<double>()->default_value("60"));
  add("device", "", cxxopts::value<std::string>()->default_value("auto"));
  add("seed", "", cxxopts::value<std::uint64_t>()->default_value("1"));
  add("threads", "", cxxopts::value<int>());
  add("output", "", cxxopts::value<std::string>());
  return read_options(
      line, "grid", help_text, parser, [](const cxxopts::ParseResult& parsed) -> std::optional<Settings> {
        Settings settings;
        settings.sizes = parsed["sizes"].as<std::vector<int>>();
        for (const int size : settings.sizes) {
          if (size < least_size || size > most_size || size % 2 != 0)
            throw InputError("--sizes " + std::to_string(size),
                             "even numbers from " + std::to_string(least_size) + " to " + std::to_string(most_size));
        }
        for (const std::string& name : parsed["estimators"].as<std::vector<std::string>>())
          settings.variants.push_back(variant_from(name));
        settings.samples = parsed["samples"].as<std::uint64_t>();
        if (settings.samples < least_samples)
          throw InputError("--samples " + std::to_string(settings.samples), std::to_string(least_samples) + " or more");
        settings.rounds = parsed["rounds"].as<int>();
        if (settings.rounds < 0) throw InputError("--rounds " + std::to_string(settings.rounds), "0 or more");
        settings.cell_limit_s = parsed["time-limit"].as<double>();
        if (!(settings.cell_limit_s > 0))
          throw InputError("--time-limit " + format("%g", settings.cell_limit_s), "seconds above 0");
        settings.device = parse_device_choice(parsed["device"].as<std::string>());
        settings.devices = choose_devices(settings.device);
        settings.run.seed = parsed["seed"].as<std::uint64_t>();
        if (parsed.count("threads") != 0)
          settings.run.num_threads = within("threads", parsed["threads"].as<int>(), most_threads);
        if (parsed.count("output") != 0) {
          settings.folder = parsed["output"].as<std::string>();
          if (!std::filesystem::is_directory(settings.folder))
            throw InputError("--output " + settings.folder, "a folder");
        }
        return settings;
      });
}

}  // namespace

bool run_grid(const CommandLine& line) {
  const std::optional<Settings> given = settings_from(line);
  if (!given) return true;
  const Settings& settings = *given;

  Json record = record_header(line, settings.devices);
  record["seed"] = settings.run.seed;
  record["rounds"] = settings.rounds;
  record["cell_limit_s"] = settings.cell_limit_s;
  record["threads"] = resolve_num_threads(settings.run);
  record["cells"] = Json::array();
  std::vector<Cell> cells;
  std::vector<std::vector<std::string>> rows{heading()};
  bool all_right = true;
  write_all(line, settings, record, cells);
  for (const int size : settings.sizes) {
    for (const Variant& variant : settings.variants) {
      for (std::uint64_t samples = std::min(first_samples, settings.samples);;
           samples = std::min(samples * growth, settings.samples)) {
        Cell cell = run_cell(settings, size, variant, samples);
        std::fprintf(stderr, "%s, %s, %llu samples: %s\n", grid_name(size).c_str(), variant.name().c_str(),
                     static_cast<unsigned long long>(cell.done()), app::format_seconds(cell.seconds).c_str());
        all_right = all_right && !cell.wrong();
        record["cells"].push_back(json_cell(cell));
        rows.push_back(table_row(cell));
        cells.push_back(std::move(cell));
        if (samples == settings.samples || cells.back().estimate.out_of_time || !cells.back().unable.empty()) break;
      }
    }
    write_all(line, settings, record, cells);
  }
  app::write_answer("Perfect matchings of square grids. Seed " + std::to_string(settings.run.seed) + ".\n" +
                    machine_line(settings.devices, resolve_num_threads(settings.run)) + "\n\n" + app::table(rows, ""));
  return all_right;
}

}  // namespace matchcount::bench
