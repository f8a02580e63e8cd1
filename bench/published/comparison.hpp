#pragma once
// Comparison holds a cell of a published table beside ours.

#include <optional>
#include <string>
#include <vector>

namespace matchcount::bench {

enum class Standing {
  measured,
  predicted,   // by `plan`: it would take longer than a row may
  unavailable  // not to be had here: no matrix, no such method
};

struct Comparison {
  std::string row;         // "n = 40, density 0.1"
  std::string printed_by;  // method and machine of the table
  std::string printed;     // as printed
  std::string unit;        // of both: "s", "error", ...
  std::string method;      // ours
  Standing standing = Standing::measured;
  std::optional<double> ours;
  std::string quantity;        // what ours is of: "whole call", "kernel", "samples"
  std::string value;           // what came out, where it is a value
  std::string remark;          // why the two differ, or are not the same quantity
  std::optional<bool> right;   // whether our value passed its checks; nothing: it has none
  std::optional<bool> agrees;  // whether the printed value is right; nothing: it is none
};

// Printed over ours, of times; nothing where either is no number.
std::optional<double> speedup(const Comparison& comparison);

struct TableReport {
  std::string paper, number, title;
  std::string note;                     // what is the same and what is not; why there are no rows
  std::vector<Comparison> comparisons;  // in the table's order
  double seconds = 0;                   // that it took to redo
};

// What one run of the benchmark found, on one machine.
struct PublishedRun {
  std::string machine, commit, date, command;
  bool on_gpu = false;
  double load = 0;  // processes that were running or waiting when it began, of a minute's mean
  std::vector<TableReport> tables;
};

}  // namespace matchcount::bench
