// published: the tables of papers, measured anew beside what is printed.

#include <cstdio>
#include <cstdlib>

#include "apps/answer.hpp"
#include "apps/options.hpp"
#include "apps/text.hpp"
#include "bench/published/session.hpp"
#include "bench/suites.hpp"

namespace matchcount::bench {
namespace {

struct TableEntry {
  const char *paper, *number, *title;
  void (*redo)(Session& session);  // null: not redone, and the note says why
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

void list() {
  std::vector<std::vector<std::string>> rows;
  for (const TableEntry& entry : entries)
    rows.push_back({entry.paper, entry.number, entry.title, entry.redo == nullptr ? "not redone" : ""});
  app::write_answer(app::table(rows, ""));
}

void run(Bench& bench) {
  const Arguments& given = bench.given();
  if (given.has("list")) return list();
  const std::string paper = given.text("paper"), number = given.text("table");
  if (!number.empty() && paper.empty()) throw app::UsageError("published", "--table is of a paper: --paper is missing");
  std::vector<TableEntry> asked;
  for (const TableEntry& entry : entries) {
    if ((paper.empty() || paper == entry.paper) && (number.empty() || number == entry.number)) asked.push_back(entry);
  }
  if (asked.empty())
    throw InputError("--paper " + paper + (number.empty() ? "" : " --table " + number), "a table that --list names");
  Session session(bench);
  double load = 0;  // processes that were running or waiting when it began, of a minute's mean
  if (getloadavg(&load, 1) != 1) load = 0;
  bench.begin(
      "Published tables, measured anew.", session.devices, resolve_num_threads(session.run),
      {{"on_gpu", session.on_gpu()}, {"load", load}, {"seed", session.run.seed}, {"row_limit_s", session.row_limit_s}});
  for (const TableEntry& entry : asked) {
    session.begin(entry.paper, entry.number);
    const double seconds = seconds_of([&] {
      if (entry.redo != nullptr) entry.redo(session);
    });
    std::fprintf(stderr, "-- %s %s: %s\n", entry.paper, entry.number, app::format_seconds(seconds).c_str());
    bench.append("tables", {{"paper", entry.paper},
                            {"table", entry.number},
                            {"title", entry.title},
                            {"note", entry.note},
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
      {{"paper", "NAME", "superman, thesis, codegen, bitmatrix or condensation (default: all)"},
       {"table", "N", "of that paper, as 3 or 6.12 (default: all)"},
       {"list", "", "the tables"},
       device_option,
       {"matrices", "FOLDER", "public matrices, as datasets/public_matrices.sh FOLDER fetches them (default: none)"},
       {"tables", "FOLDER", "the printed tables", "datasets/published"},
       {"row-limit", "S", "runs what is predicted to take at most S seconds", "30"},
       {"sample-limit", "S", "of one cell of the estimators' tables", "2"},
       threads_option,
       seed_option},
      run};
}

}  // namespace matchcount::bench
