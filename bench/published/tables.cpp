#include "bench/published/tables.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "core/error.hpp"

namespace matchcount::bench {
namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> result(1);
  for (const char c : line) {
    if (c == '\t') {
      result.emplace_back();
    } else if (c != '\r') {
      result.back() += c;
    }
  }
  return result;
}

}  // namespace

bool PublishedTable::has(std::string_view column) const {
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

const std::string& PublishedTable::at(std::size_t row, std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) throw InputError(name_ + " has no column '" + std::string(column) + "'", "one");
  return rows_.at(row)[static_cast<std::size_t>(found - columns_.begin())];
}

double PublishedTable::number(std::size_t row, std::string_view column) const {
  const std::string& cell = at(row, column);
  const std::optional<double> value = cell_number(cell);
  if (!value) throw InputError(name_ + ", " + std::string(column) + ": '" + cell + "'", "a number");
  return *value;
}

std::optional<double> cell_number(const std::string& cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (cell.empty() || error != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

PublishedTable read_published_table(const std::string& folder, std::string_view paper, std::string_view number) {
  const std::string name = std::string(paper) + "-table-" + std::string(number) + ".tsv";
  std::ifstream file(folder + "/" + name);
  std::string line;
  if (!std::getline(file, line)) throw InputError("--tables " + folder, "a folder with " + name);
  const std::vector<std::string> columns = fields(line);
  std::vector<std::vector<std::string>> rows;
  while (std::getline(file, line)) {
    rows.push_back(fields(line));
    if (rows.back().size() != columns.size())
      throw InputError(
          name + ", line " + std::to_string(rows.size() + 1) + ": " + std::to_string(rows.back().size()) + " cells",
          std::to_string(columns.size()));
  }
  return {name, columns, std::move(rows)};
}

}  // namespace matchcount::bench
