#include "bench/published/page.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/chart.hpp"
#include "bench/published/session.hpp"

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

// A row's text, "n = 40, density 0.1", as the number behind a word, here 0.1 behind "density ", and what is left of it.
struct RowText {
  double x = 0;
  std::string rest;
};
std::optional<RowText> split_row(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  if (at == text.npos) return std::nullopt;
  const char* begin = text.c_str() + at + word.size();
  char* end = nullptr;
  RowText split{std::strtod(begin, &end), text.substr(0, at) + end};
  while (split.rest.starts_with(", ")) split.rest.erase(0, 2);
  while (split.rest.ends_with(", ")) split.rest.erase(split.rest.size() - 2);
  return split;
}

const TableReport* report_of(const PublishedRun& run, const std::string& paper, const std::string& number) {
  for (const TableReport& report : run.tables) {
    if (report.paper == paper && report.number == number) return &report;
  }
  return nullptr;
}

// Points of one name by rising x; of several at one x the least.
class Lines {
 public:
  void add(const std::string& name, double x, double y) {
    const auto [place, is_new] = points_[name].emplace(x, y);
    if (!is_new) place->second = std::min(place->second, y);
  }
  std::vector<Line> lines() const {
    std::vector<Line> result;
    for (const auto& [name, points] : points_) {
      Line line{name, {}};
      for (const auto& [x, y] : points) line.points.push_back({x, y});
      result.push_back(std::move(line));
    }
    return result;
  }

 private:
  std::map<std::string, std::map<double, double>> points_;
};

struct Plotted {
  const char *paper, *number;
  const char* x;     // what stands before it in a row's text
  const char* only;  // what stands in the names of the lines, or behind "!" what does not; or nothing
  bool ours_alone;   // a line for each of our methods; else the printed ones and our fastest
  const char *name, *title, *x_label, *text;
};
const Plotted plotted[] = {
    {"codegen", "3", "density ", nullptr, false, "published-codegen-3", "Sparse random matrices", "density",
     "Seconds against density: the paper's programs and matchcount, what it would take longer for predicted."},
    {"superman", "4", "n = ", "!with CEG", false, "published-superman-4", "Dense matrices", "n",
     "The printed kernels, in chunks of any size, and the fastest here."},
    {"superman", "4", "n = ", "2^k", true, "placements", "Placements on one GPU", "n",
     "The same kernels here: what the place of row sums and matrix costs."},
    {"superman", "3", "n = ", nullptr, false, "published-superman-3", "Precisions", "n", "What wider sums cost."},
    {"thesis", "6.6", "density ", nullptr, false, "published-thesis-6.6", "Matrices of 40 rows", "density",
     "Ryser, SpaRyser and SkipPer as printed for a TITAN X, integers and ones."},
    {"thesis", "6.14", "density ", nullptr, false, "published-thesis-6.14", "Samples, scaled every row", "density",
     "What a million samples cost by Scaling and Scaling+."},
    {"bitmatrix", "9", "n = ", nullptr, false, "published-bitmatrix-9", "Boolean products", "rows",
     "Products of bit matrices on one GPU."},
    {"condensation", "27", "order ", nullptr, false, "published-condensation-27", "Determinants of Hilbert matrices",
     "order", "Seconds of exact values and of doubles."},
};

std::string short_name(const std::string& text) {
  constexpr std::size_t most = 19;
  std::string plain = text.substr(0, text.find("_seconds"));
  if (const auto at = plain.find(", Arch-"); at != plain.npos) plain.replace(at, 7, " A");
  return plain.size() <= most ? plain : plain.substr(0, most);
}

void add_points(const Plotted& plot, const PublishedRun& run, const Comparison& c,
                std::map<std::string, Lines>& panels) {
  const std::optional<RowText> row = split_row(c.row, plot.x);
  if (!row || c.unit != "s") return;
  const auto is_wanted = [&](const std::string& name) {
    if (plot.only == nullptr) return true;
    const bool without = *plot.only == '!';
    return (name.find(plot.only + (without ? 1 : 0)) == name.npos) == without;
  };
  Lines& lines = panels[row->rest];
  if (plot.ours_alone) {
    if (run.on_gpu && c.ours && is_wanted(c.method))
      lines.add(c.method.substr(0, c.method.find(", chunks")), row->x, *c.ours);
    return;
  }
  const std::optional<double> printed = cell_number(c.printed);
  if (printed && is_wanted(c.printed_by)) lines.add(short_name(c.printed_by), row->x, *printed);
  if (c.ours) lines.add(std::string("matchcount, ") + machine_name(run), row->x, *c.ours);
}

std::optional<Picture> picture_of(const Plotted& plot, const std::vector<PublishedRun>& runs) {
  std::map<std::string, Lines> panels;
  for (const PublishedRun& run : runs) {
    const TableReport* report = report_of(run, plot.paper, plot.number);
    if (report == nullptr) continue;
    for (const Comparison& comparison : report->comparisons) add_points(plot, run, comparison, panels);
  }
  Chart chart{plot.title, plot.x_label, "seconds", {}};
  for (const auto& [panel, lines] : panels) {
    // Rows that no paper has are not compared.
    const std::vector<Line> drawn = lines.lines();
    const bool has_printed =
        std::any_of(drawn.begin(), drawn.end(), [](const Line& line) { return !line.name.starts_with("matchcount"); });
    if (has_printed) chart.panels.push_back({panel, drawn});
  }
  if (chart.panels.empty()) return std::nullopt;
  return Picture{plot.name, plot.title, plot.text, std::string("--paper ") + plot.paper + " --table " + plot.number,
                 svg(chart)};
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
      "## Estimates of grids\n`matchcount-bench grid --output bench/results`\n\n"
      "![Error against samples](../bench/results/grids-error.svg)\n\n"
      "![Time against size](../bench/results/grids-time.svg)\n";
  for (const Picture& picture : pictures) {
    text += "\n## " + picture.title + "\n" + picture.text + "\n`matchcount-bench published " + picture.options +
            " --gallery gallery.md`\n\n![" + picture.title + "](../bench/results/" + picture.name + ".svg)\n";
  }
  return text;
}

}  // namespace matchcount::bench
