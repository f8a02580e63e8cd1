// published: the tables of papers, measured anew beside what is printed.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#define CXXOPTS_NO_REGEX

#include "apps/answer.hpp"
#include "bench/commands.hpp"
#include "bench/options.hpp"
#include "bench/published/page.hpp"
#include "bench/published/session.hpp"
#include "bench/record.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::bench {
namespace {

using app::Json;

struct TableEntry {
  const char *paper, *number, *title;
  Redo redo;  // null: not redone, and the note says why
  const char* note;
};

constexpr const char* clustered = "Of several GPUs of one host, which no run here had.";

const TableEntry entries[] = {
    {"superman", "3", "time and error of precisions, all entries equal", redo_precisions,
     "The entries are the double nearest to the root that makes the permanent 1. DQ and Kahan's sums stand beside our "
     "compensated sums, QQ beside double-doubles. Bounds on our errors are proven."},
    {"superman", "4", "dense kernels by place of row sums and matrix", redo_dense_placements,
     "Which of blocks 3 and 4 has the matrix in global memory is not printed: we take 3. All our kernels are written "
     "for "
     "n. A GPU's remarks say what bounds each variant; the last two lines are the engine's methods."},
    {"superman", "5", "what structure saves on public matrices", redo_structure,
     "Under the name of the step: no reductions but those named, and then inclusion-exclusion (`staged`) or the "
     "expansion "
     "down to 30 rows (`forbert-marx`); then what matchcount takes by itself. How many matrices an expansion leaves "
     "depends "
     "on which row is expanded first, which is not printed."},
    {"superman", "text", "the record", redo_record,
     "The other numbers of the text are means and ratios of the tables."},
    {"codegen", "1", "row sums in shared and in global memory", redo_sparse_placements,
     "The density is not printed; ours is 0.3."},
    {"codegen", "2", "shapes of public matrices", redo_shapes, ""},
    {"codegen", "3", "random sparse matrices", redo_random_sparse,
     "In doubles, by what matchcount takes by itself. Theirs leaves out the generation and compilation of kernels, "
     "ours "
     "has them."},
    {"codegen", "4", "public matrices", redo_real_matrices,
     "By what matchcount takes by itself, with its proven bound."},
    {"codegen", "text", "means of the tables", nullptr, "Means and ratios of table 3 and 4."},
    {"thesis", "6.1", "places of row sums and matrix, 40 rows", redo_thesis_placements,
     "In doubles, where theirs are floats."},
    {"thesis", "6.2", "several GPUs", redo_thesis_exact, "On as many GPUs as this run had."},
    {"thesis", "6.3", "SpaRyser", redo_thesis_exact,
     "Integers exactly, where theirs are floats; one matrix, where theirs "
     "is a mean of five."},
    {"thesis", "6.4", "SkipPer", redo_thesis_exact, "The same."},
    {"thesis", "6.5", "generic and 0/1 matrices on a CPU", redo_thesis_exact, "The same."},
    {"thesis", "6.6", "on a GPU", redo_thesis_exact, "The same."},
    {"thesis", "6.7", "on four GPUs", redo_thesis_exact, "The same."},
    {"thesis", "6.8", "integers, floats, doubles", redo_thesis_types, "Floats stand beside our doubles."},
    {"thesis", "6.10", "Scaling, density 0.8", redo_thesis_estimates,
     "Seconds of sampling, at the printed number of samples; matrices of 40 rows of the same law."},
    {"thesis", "6.11", "ten million samples", redo_thesis_estimates, "The same."},
    {"thesis", "6.12", "Rasmussen, dense and sparse rows", redo_thesis_estimates, "The same; one storage here."},
    {"thesis", "6.13", "Scaling every 5 rows", redo_thesis_estimates, "The same."},
    {"thesis", "6.14", "Scaling every row", redo_thesis_estimates, "The same."},
    {"thesis", "6.15", "four GPUs", redo_thesis_estimates, "The same."},
    {"thesis", "6.16", "estimate over exact on grids", redo_thesis_grids,
     "Each is one run of a heavy-tailed estimator, theirs and ours: no printed ratio can be called wrong. An interval "
     "of 95 % and "
     "whether it warns stand beside ours; grids to 32 x 32, and the estimators that the table leaves out, have no "
     "printed "
     "cell."},
    {"thesis", "text", "numbers in the text", nullptr, "Read off figures, or repeated from tables."},
    {"bitmatrix", "6", "transposes on the host", redo_bit_transposes, ""},
    {"bitmatrix", "8", "binary products", redo_bit_products,
     "One GPU. Ours on a GPU is the kernel with both matrices there."},
    {"bitmatrix", "9", "Boolean products", redo_bit_products, "The same."},
    {"bitmatrix", "10", "Strassen and Winograd", redo_bit_products, "The same, ours by levels of Winograd's form."},
    {"bitmatrix", "11", "alternative basis, self-inverse", redo_bit_products, "The same."},
    {"bitmatrix", "12", "alternative basis, chaining", redo_bit_products, "The same."},
    {"bitmatrix", "13", "best times of eight GPUs", nullptr, clustered},
    {"bitmatrix", "1 to 5, 7, text", "machines, and changes of basis", nullptr,
     "Specifications of their machines; matchcount has no change of basis."},
    {"condensation", "26", "values of Hilbert matrices' determinants", redo_hilbert_values,
     "Exact values are of the fractions, and agree with Hilbert's closed form; a printed one agrees where it is within "
     "0.02 %. A program in doubles is given other "
     "matrices: the entries are rounded before anything is computed, which the condition of the matrix makes a large "
     "error "
     "from order 10 on; the remark has the exact determinant of the rounded matrix."},
    {"condensation", "27", "times of these", redo_hilbert_times, "MATLAB's are not printed."},
    {"condensation", "figures", "figures", nullptr, "Their curves were lost."},
};

constexpr const char* help_text = R"(Usage: matchcount-bench published [options]

Measures the tables of datasets/published anew and writes ours beside what is printed. What would take longer than a row
may is predicted and marked so. Two cores take five minutes with rows of 12 s.

  --paper NAME         superman, thesis, codegen, bitmatrix or condensation (default: all)
  --table N            of that paper, as 3 or 6.12 (default: all)
  --list               the tables
  --device WHERE       auto, cpu, cuda or cuda:0,1 (default: auto, GPUs if there are any)
  --matrices FOLDER    public matrices, as datasets/public_matrices.sh FOLDER fetches them (default: none)
  --tables FOLDER      the printed tables (default: datasets/published)
  --row-limit S        runs what is predicted to take at most S seconds (default: 30)
  --sample-limit S     of one cell of the estimators' tables (default: 2)
  --threads N          of the CPU (default: every core)
  --seed N             of matrices and samples (default: 1)
  --json FILE          also writes everything to FILE, anew after every table
  --records FILE,..    measures nothing, but takes these files
  --page FILE          writes the page of the tables (docs/published.md)
  --gallery FILE       writes the page of pictures (docs/gallery.md), and the pictures to --pictures
  --pictures FOLDER    (default: bench/results)
  -h, --help           this text
)";

struct Asked {
  PublishedSettings settings;
  std::string paper, number, json_file, page, gallery, pictures;
  std::vector<std::string> records;
};

bool is_asked(const TableEntry& entry, const Asked& asked) {
  return (asked.paper.empty() || asked.paper == entry.paper) && (asked.number.empty() || asked.number == entry.number);
}

void list() {
  std::vector<std::vector<std::string>> rows;
  for (const TableEntry& entry : entries)
    rows.push_back({entry.paper, entry.number, entry.title, entry.redo == nullptr ? "not redone" : ""});
  app::write_answer(app::table(rows, ""));
}

double positive(const cxxopts::ParseResult& parsed, const char* name) {
  const double value = parsed[name].as<double>();
  if (!(value > 0)) throw InputError("--" + std::string(name) + " " + formatted("%g", value), "seconds above 0");
  return value;
}

std::optional<Asked> asked_for(const CommandLine& line) {
  cxxopts::Options parser("matchcount-bench published");
  auto add = parser.add_options();
  for (const char* name : {"paper", "table", "matrices", "json", "page", "gallery"})
    add(name, "", cxxopts::value<std::string>()->default_value(""));
  add("list", "", cxxopts::value<bool>());
  add("device", "", cxxopts::value<std::string>()->default_value("auto"));
  add("tables", "", cxxopts::value<std::string>()->default_value("datasets/published"));
  add("row-limit", "", cxxopts::value<double>()->default_value("30"));
  add("sample-limit", "", cxxopts::value<double>()->default_value("2"));
  add("threads", "", cxxopts::value<int>());
  add("seed", "", cxxopts::value<std::uint64_t>()->default_value("1"));
  add("records", "", cxxopts::value<std::vector<std::string>>());
  add("pictures", "", cxxopts::value<std::string>()->default_value("bench/results"));
  return read_options(
      line, "published", help_text, parser, [](const cxxopts::ParseResult& parsed) -> std::optional<Asked> {
        if (parsed.count("list") != 0) {
          list();
          return std::nullopt;
        }
        Asked asked;
        const auto text = [&](const char* name) { return parsed[name].as<std::string>(); };
        asked.paper = text("paper");
        asked.number = text("table");
        asked.json_file = text("json");
        asked.page = text("page");
        asked.gallery = text("gallery");
        asked.pictures = text("pictures");
        if (parsed.count("records") != 0) asked.records = parsed["records"].as<std::vector<std::string>>();
        if (!asked.number.empty() && asked.paper.empty())
          throw app::UsageError("published", "--table is of a paper: --paper is missing");
        if (std::none_of(std::begin(entries), std::end(entries),
                         [&](const TableEntry& entry) { return is_asked(entry, asked); }))
          throw InputError("--paper " + asked.paper + (asked.number.empty() ? "" : " --table " + asked.number),
                           "a table that --list names");
        PublishedSettings& settings = asked.settings;
        settings.tables_folder = text("tables");
        settings.matrices_folder = text("matrices");
        if (!settings.matrices_folder.empty() && !std::filesystem::is_directory(settings.matrices_folder))
          throw InputError("--matrices " + settings.matrices_folder, "a folder");
        settings.row_limit_s = positive(parsed, "row-limit");
        settings.sample_limit_s = positive(parsed, "sample-limit");
        settings.device = parse_device_choice(text("device"));
        settings.devices = choose_devices(settings.device);
        settings.run.seed = parsed["seed"].as<std::uint64_t>();
        if (parsed.count("threads") != 0)
          settings.run.num_threads = within("threads", parsed["threads"].as<int>(), 1024);
        return asked;
      });
}

void write_text(const std::string& option, const std::string& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  if (!stream.flush()) throw InputError(option + " " + file, "a file that can be written");
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

PublishedRun measure(const CommandLine& line, const Asked& asked) {
  Session session(asked.settings);
  PublishedRun run;
  Json record = record_header(line, asked.settings.devices);
  run.machine = machine_line(asked.settings.devices, resolve_num_threads(asked.settings.run));
  run.commit = record.text_of("commit");
  run.date = record.text_of("date");
  run.on_gpu = asked.settings.on_gpu();
  run.load = load_average();
  for (std::size_t i = 0; i < line.words.size(); ++i)
    run.command += (i == 0 ? "matchcount-bench" : " " + line.words[i]);
  record["ran_on"] = run.machine;
  record["on_gpu"] = run.on_gpu;
  record["load"] = run.load;
  record["seed"] = asked.settings.run.seed;
  record["row_limit_s"] = asked.settings.row_limit_s;
  for (const TableEntry& entry : entries) {
    if (!is_asked(entry, asked)) continue;
    TableReport report{entry.paper, entry.number, entry.title, entry.note, {}, 0};
    Stopwatch watch;
    if (entry.redo != nullptr) entry.redo(session, report);
    report.seconds = watch.lap();
    std::fprintf(stderr, "-- %s %s: %s\n", entry.paper, entry.number, app::format_seconds(report.seconds).c_str());
    run.tables.push_back(std::move(report));
    record["tables"] = json_tables(run);
    if (!asked.json_file.empty()) write_record(asked.json_file, record);
  }
  return run;
}

bool all_right(const PublishedRun& run) {
  for (const TableReport& report : run.tables) {
    for (const Comparison& comparison : report.comparisons) {
      if (comparison.right && !*comparison.right) return false;
    }
  }
  return true;
}

}  // namespace

bool run_published(const CommandLine& line) {
  const std::optional<Asked> asked = asked_for(line);
  if (!asked) return true;
  std::vector<PublishedRun> runs;
  for (const std::string& file : asked->records) runs.push_back(read_run(file));
  if (runs.empty()) runs.push_back(measure(line, *asked));
  const std::string page = published_page(runs);
  if (!asked->page.empty()) write_text("--page", asked->page, page);
  if (!asked->gallery.empty()) {
    const std::vector<Picture> pictures = gallery_pictures(runs);
    for (const Picture& picture : pictures)
      write_text("--pictures", asked->pictures + "/" + picture.name + ".svg", picture.svg);
    write_text("--gallery", asked->gallery, gallery_page(pictures));
  }
  if (asked->page.empty() && asked->gallery.empty()) app::write_answer(page);
  return std::all_of(runs.begin(), runs.end(), all_right);
}

}  // namespace matchcount::bench
