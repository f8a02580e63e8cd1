#include "bench/published/tables.hpp"

#include <fstream>
#include <ranges>

#include "apps/text.hpp"
#include "core/error.hpp"

namespace matchcount::bench {
namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> cells;
  const std::string_view text(line.data(), line.find_last_not_of('\r') + 1);
  for (const auto cell : std::views::split(text, '\t')) cells.emplace_back(cell.begin(), cell.end());
  return cells;
}

}  // namespace

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

PublishedTable read_published_table(const std::string& folder, const std::string& paper, const std::string& number) {
  const std::string name = paper + "-table-" + number + ".tsv";
  std::ifstream file(folder + "/" + name);
  std::string line;
  if (!std::getline(file, line)) throw InputError("--tables " + folder, "a folder with " + name);
  PublishedTable table{fields(line), {}};
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = fields(line);
    if (cells.size() != table.columns.size())
      throw InputError(
          name + ", line " + std::to_string(table.rows.size() + 2) + ": " + std::to_string(cells.size()) + " cells",
          std::to_string(table.columns.size()));
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[table.columns[i]] = cells[i];
    table.rows.emplace_back(name, std::move(row));
  }
  return table;
}

}  // namespace matchcount::bench
