// published: the tables of papers, measured anew beside what is printed.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "apps/answer.hpp"
#include "apps/options.hpp"
#include "apps/text.hpp"
#include "bench/published/session.hpp"
#include "bench/runner.hpp"

namespace matchcount::bench {

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
  app::write_answer(app::table(rows, ""));
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

}  // namespace matchcount::bench
