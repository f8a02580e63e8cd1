#include "apps/bench/published/page.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "apps/bench/chart.hpp"
#include "apps/bench/published/session.hpp"

namespace matchcount::bench {
namespace {

std::string number_text(double value) { return formatted(value < 1e-3 || value >= 1e5 ? "%.2e" : "%.3g", value); }

// One cell of a page may hold no bar.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

std::string short_value(const std::string& value) {
  constexpr std::size_t most = 34;
  return value.size() <= most ? value
                              : value.substr(0, most - 10) + "..., " + std::to_string(value.size()) + " characters";
}

std::string standing_mark(const Comparison& comparison) {
  return comparison.standing == Standing::predicted ? " (predicted)" : "";
}

std::string ours_text(const Comparison& comparison) {
  if (comparison.standing == Standing::unavailable) return "-";
  if (!comparison.ours) return short_value(comparison.value);
  return number_text(*comparison.ours) + standing_mark(comparison);
}

std::string ratio_text(const Comparison& comparison) {
  const std::optional<double> ratio = speedup(comparison);
  if (ratio) return formatted(*ratio < 100 ? "%.2g" : "%.3g", *ratio);
  if (comparison.agrees) return *comparison.agrees ? "agrees" : "**wrong**";
  return "";
}

std::string remark_text(const Comparison& comparison) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  if (comparison.ours && !comparison.value.empty()) add(short_value(comparison.value));
  if (comparison.right && !*comparison.right) add("**OURS FAILED ITS CHECK**");
  add(comparison.remark);
  return text;
}

const char* machine_name(const PublishedRun& run) { return run.on_gpu ? "GPU" : "CPU"; }

std::string rows_of(const PublishedRun& run, const TableReport& report) {
  std::string text;
  for (const Comparison& c : report.comparisons) {
    text += "| " + escaped(c.row) + " | " + escaped(c.printed_by) + " | " + escaped(c.printed) + " | " +
            machine_name(run) + " | " + escaped(c.method) + " | " + escaped(ours_text(c)) + " | " + ratio_text(c) +
            " | " + escaped(c.quantity) + " | " + escaped(remark_text(c)) + " |\n";
  }
  return text;
}

struct Tally {
  int faster = 0, slower = 0, predicted_slower = 0, wrong_in_print = 0, agrees = 0, failed = 0, unavailable = 0;
};
Tally tally_of(const TableReport& report) {
  Tally tally;
  for (const Comparison& c : report.comparisons) {
    const std::optional<double> ratio = speedup(c);
    if (ratio)
      ++(*ratio >= 1 ? tally.faster : c.standing == Standing::predicted ? tally.predicted_slower : tally.slower);
    if (c.agrees) ++(*c.agrees ? tally.agrees : tally.wrong_in_print);
    if (c.right && !*c.right) ++tally.failed;
    if (c.standing == Standing::unavailable) ++tally.unavailable;
  }
  return tally;
}

std::string head(const std::vector<PublishedRun>& runs) {
  std::string text =
      "# Published tables\nThe tables of five documents, measured anew. `datasets/published` has them as they are "
      "printed, "
      "with citations; this page\nis written by `matchcount-bench published --page docs/published.md --records "
      "FILE,..` from the records of runs:\n\n";
  for (const PublishedRun& run : runs) {
    double seconds = 0;
    for (const TableReport& report : run.tables) seconds += report.seconds;
    text += "- **" + std::string(machine_name(run)) + "**: " + run.machine + ", " + run.date + ", commit " +
            run.commit + ", " + formatted("%.0f", seconds) + " s in all, load when it began " +
            formatted("%.1f", run.load) + ": `" + run.command + "`\n";
  }
  return text +
         "\n*ratio*: the printed seconds over ours, above 1 where ours are fewer. *predicted*: what `plan` forecasts, "
         "since "
         "it would\ntake longer than a row may; of kernels and samples, from a part of the work. Two lines of one cell "
         "are "
         "the published\nmethod under its name, and what matchcount takes by itself. *quantity* is of ours: papers "
         "print "
         "whole processes or kernels,\nand rarely say which. Below about a second theirs is start-up. "
         "Random matrices are of the same law as theirs and not the\nsame matrices: no paper gives a seed. Where ours "
         "is "
         "slower, the remark has the machine beside it.\n\n";
}

std::string summary(const std::vector<PublishedRun>& runs) {
  std::string text =
      "| table | on | faster | slower | slower, predicted | printed values that agree | that are wrong | not to be had "
      "|\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < runs.front().tables.size(); ++i) {
    for (const PublishedRun& run : runs) {
      if (i >= run.tables.size() || run.tables[i].comparisons.empty()) continue;
      const TableReport& report = run.tables[i];
      const Tally t = tally_of(report);
      const auto cell = [](int count) { return " " + std::to_string(count) + " |"; };
      text += "| " + report.paper + " " + report.number + " | " + machine_name(run) + " |" + cell(t.faster) +
              cell(t.slower) + cell(t.predicted_slower) + cell(t.agrees) + cell(t.wrong_in_print) +
              cell(t.unavailable) + "\n";
    }
  }
  return text + "\n";
}

// ---- The gallery.

// A number that stands in a row's text behind a word: 40 of "n = 40, density 0.1".
std::optional<double> number_behind(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  if (at == text.npos) return std::nullopt;
  return std::strtod(text.c_str() + at + word.size(), nullptr);
}

const TableReport* report_of(const PublishedRun& run, const std::string& paper, const std::string& number) {
  for (const TableReport& report : run.tables) {
    if (report.paper == paper && report.number == number) return &report;
  }
  return nullptr;
}

// Points of one name, by rising x; of several at one x the last.
class Lines {
 public:
  void add(const std::string& name, double x, double y) { points_[name][x] = y; }
  std::vector<Line> lines() const {
    std::vector<Line> result;
    for (const auto& [name, points] : points_) {
      Line line{name, {}};
      for (const auto& [x, y] : points) line.points.push_back({x, y});
      result.push_back(std::move(line));
    }
    return result;
  }
  bool empty() const { return points_.empty(); }

 private:
  std::map<std::string, std::map<double, double>> points_;
};

struct Plotted {
  const char *paper, *number;
  const char* x;      // what stands before it in a row's text
  const char* panel;  // the same of what makes panels, or nothing
  const char *title, *x_label, *y_label, *text;
};
const Plotted plotted[] = {
    {"codegen", "3", "density ", "n = ", "Sparse random matrices", "density", "seconds",
     "Seconds against density: the papers' CPU and GPU programs and matchcount."},
    {"superman", "4", "n = ", nullptr, "Dense matrices", "n", "seconds",
     "What placement costs: the printed kernels, and ours in the same order with the generated one."},
    {"superman", "3", "n = ", nullptr, "Precision", "n", "seconds", "What wider sums cost."},
    {"thesis", "6.6", "density ", nullptr, "Generic and 0/1 matrices of 40 rows", "density", "seconds",
     "Ryser, SpaRyser and SkipPer under their names."},
    {"thesis", "6.14", "density ", nullptr, "A million samples, scaled every row", "density", "seconds",
     "What samples cost by Scaling and Scaling+."},
    {"bitmatrix", "9", "n = ", nullptr, "Boolean products", "rows", "seconds", "One GPU's products of bit matrices."},
    {"condensation", "27", "order ", nullptr, "Determinants of Hilbert matrices", "order", "seconds",
     "Exact and in doubles."},
};

std::string short_name(const std::string& text) {
  constexpr std::size_t most = 22;
  return text.size() <= most ? text : text.substr(0, most);
}

std::optional<Picture> picture_of(const Plotted& plot, const std::vector<PublishedRun>& runs) {
  std::map<double, Lines> panels;
  for (const PublishedRun& run : runs) {
    const TableReport* report = report_of(run, plot.paper, plot.number);
    if (report == nullptr) continue;
    for (const Comparison& c : report->comparisons) {
      const auto x = number_behind(c.row, plot.x);
      const double panel = plot.panel == nullptr ? 0 : number_behind(c.row, plot.panel).value_or(0);
      if (!x || c.unit != "s") continue;
      if (const auto printed = cell_number(c.printed)) panels[panel].add(short_name(c.printed_by), *x, *printed);
      if (c.ours) panels[panel].add(short_name(std::string(machine_name(run)) + ": " + c.method), *x, *c.ours);
    }
  }
  if (panels.empty()) return std::nullopt;
  Chart chart{plot.title, plot.x_label, plot.y_label, {}};
  for (const auto& [panel, lines] : panels)
    chart.panels.push_back({plot.panel == nullptr ? "" : plot.panel + formatted("%g", panel), lines.lines()});
  const std::string name = std::string("published-") + plot.paper + "-" + plot.number;
  return Picture{name, plot.title, plot.text, svg(chart)};
}

}  // namespace

std::string published_page(const std::vector<PublishedRun>& runs) {
  std::string text = head(runs) + summary(runs);
  const std::vector<TableReport>& tables = runs.front().tables;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    text += "## " + tables[i].paper + ", table " + tables[i].number + ": " + tables[i].title + "\n";
    if (!tables[i].note.empty()) text += tables[i].note + "\n";
    text += "\n";
    std::string rows;
    for (const PublishedRun& run : runs) {
      if (i < run.tables.size()) rows += rows_of(run, run.tables[i]);
    }
    if (!rows.empty())
      text +=
          "| row | printed for | printed | on | method | ours | ratio | quantity | "
          "|\n|---|---|---|---|---|---|---|---|---|\n" +
          rows + "\n";
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::vector<Picture> gallery_pictures(const std::vector<PublishedRun>& runs) {
  std::vector<Picture> pictures;
  for (const Plotted& plot : plotted) {
    if (auto picture = picture_of(plot, runs)) pictures.push_back(std::move(*picture));
  }
  return pictures;
}

std::string gallery_page(const std::vector<Picture>& pictures) {
  std::string text =
      "# Gallery\nPictures of what matchcount takes, drawn by its own benchmarks as SVG, with the command of each. "
      "[Published tables](published.md)\nhas the numbers and the machines, "
      "[datasets/published](../datasets/published/README.md) the citations.\n\n"
      "## Estimates of grids\n`matchcount-bench grid --output apps/bench/results`\n\n"
      "![Error against samples](../apps/bench/results/grids-error.svg)\n\n"
      "![Time against size](../apps/bench/results/grids-time.svg)\n";
  for (const Picture& picture : pictures) {
    const auto dash = picture.name.find_last_of('-');
    const std::string prefix = "published-";
    text += "\n## " + picture.title + "\n" + picture.text + "\n`matchcount-bench published --paper " +
            picture.name.substr(prefix.size(), dash - prefix.size()) + " --table " + picture.name.substr(dash + 1) +
            "`\n\n![" + picture.title + "](../apps/bench/results/" + picture.name + ".svg)\n";
  }
  return text;
}

}  // namespace matchcount::bench
