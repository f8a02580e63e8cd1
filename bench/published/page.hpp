#pragma once
// Writes what `published` found: a record for programs, which it reads again, and pages for people.

#include <string>
#include <vector>

#include "bench/published/comparison.hpp"
#include "apps/json_value.hpp"

namespace matchcount::bench {

app::Json json_tables(const PublishedRun& run);
// Throws InputError for a file that is no such record.
PublishedRun read_run(const std::string& file);

// docs/published.md: every table, each printed cell in a line beside what the runs found.
std::string published_page(const std::vector<PublishedRun>& runs);

struct Picture {
  std::string name;  // of the file, without .svg
  std::string title, text;
  std::string options;  // that make it
  std::string svg;
};
std::vector<Picture> gallery_pictures(const std::vector<PublishedRun>& runs);
// docs/gallery.md, which shows them and the pictures of other benchmarks, with the command of each.
std::string gallery_page(const std::vector<Picture>& pictures);

}  // namespace matchcount::bench
