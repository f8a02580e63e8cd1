#pragma once
// Reads the published tables of datasets/published.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcount::bench {

// PublishedTable is a table as printed: a name for every column, and the cells of its rows, as text.
class PublishedTable {
 public:
  PublishedTable(std::string name, std::vector<std::string> columns, std::vector<std::vector<std::string>> rows)
      : name_(std::move(name)), columns_(std::move(columns)), rows_(std::move(rows)) {}

  std::size_t num_rows() const { return rows_.size(); }
  const std::vector<std::string>& columns() const { return columns_; }
  bool has(std::string_view column) const;
  // Throw InputError where there is no such column, or the cell is no number.
  const std::string& at(std::size_t row, std::string_view column) const;
  double number(std::size_t row, std::string_view column) const;

 private:
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Returns the whole of a cell as a number; nothing for other text.
std::optional<double> cell_number(const std::string& cell);

// Reads FOLDER/PAPER-table-NUMBER.tsv. Throws InputError where it can't or a row has not a cell for every column.
PublishedTable read_published_table(const std::string& folder, std::string_view paper, std::string_view number);

}  // namespace matchcount::bench
