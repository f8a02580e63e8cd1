#pragma once
// Reads the published tables of datasets/published.

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace matchcount::bench {

// Row is a row of a table as printed: text for every column.
class Row {
 public:
  Row(std::string table, std::map<std::string, std::string> cells)
      : table_(std::move(table)), cells_(std::move(cells)) {}

  bool has(const std::string& column) const { return cells_.contains(column); }
  // Throw InputError where there is no such column, or the cell is no number.
  const std::string& operator[](const std::string& column) const;
  double number(const std::string& column) const;

 private:
  std::string table_;
  std::map<std::string, std::string> cells_;
};

struct PublishedTable {
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

// Reads FOLDER/PAPER-table-NUMBER.tsv. Throws InputError where it can't or a row has not a cell for every column.
PublishedTable read_published_table(const std::string& folder, const std::string& paper, const std::string& number);

}  // namespace matchcount::bench
