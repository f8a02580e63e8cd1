#pragma once
// Writes matchings one by one: lines of text, or JSON Lines.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/edge_names.hpp"
#include "apps/inputs.hpp"
#include "apps/json_value.hpp"
#include "apps/options.hpp"

namespace matchcount::app {

class MatchingWriter {
 public:
  // Says how a matching is written without --json: an edge a line behind a comment, or all on one line.
  enum class Layout { edge_list, one_line };
  // `number_name` is the key of a matching's number in JSON.
  MatchingWriter(const Options& options, const Loaded& loaded, Layout layout, std::string number_name);

  // A member of every object in JSON; nothing in text.
  void add(std::string key, Json value) { more_.emplace_back(std::move(key), std::move(value)); }

  void put(std::uint64_t number, std::span<const EdgeId> edges);
  // Writes to stdout what was put. Throws as write_answer does.
  void flush();

 private:
  void put_line(std::span<const EdgeId> edges);

  const Options& options_;
  const Loaded& loaded_;
  Layout layout_;
  std::string number_name_;
  EdgeNames names_;
  std::vector<std::pair<std::string, Json>> more_;
  std::string text_;
  // The last matching on one line, and where its edges end there.
  std::string line_;
  std::vector<EdgeId> last_;
  std::vector<std::size_t> ends_;
  std::vector<std::string> pairs_;  // ", a b" of the edges that a line had
};

}  // namespace matchcount::app
