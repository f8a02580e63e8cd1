#include "apps/matching_writer.hpp"

#include <algorithm>

#include "apps/answer.hpp"
#include "apps/json.hpp"

namespace matchcount::app {

MatchingWriter::MatchingWriter(const Options& options, const Loaded& loaded, Layout layout, std::string number_name)
    : options_(options),
      loaded_(loaded),
      layout_(layout),
      number_name_(std::move(number_name)),
      names_(loaded.input, !options.json) {}

void MatchingWriter::put(std::uint64_t number, std::span<const EdgeId> edges) {
  constexpr std::size_t piece = 1 << 16;
  if (options_.json) {
    Json object;
    object["command"] = options_.command->name;
    object["file"] = loaded_.file;
    if (loaded_.one_of_several) object["position"] = loaded_.position;
    object[number_name_] = number;
    Json list = Json::array();
    for (const EdgeId edge : edges) list.push_back(Json::array({names_.first(edge), names_.second(edge)}));
    object["edges"] = std::move(list);
    for (const auto& [key, value] : more_) object[key] = value;
    text_ += line(object);
  } else if (layout_ == Layout::edge_list) {
    text_ += "# " + loaded_.prefix + number_name_ + " " + std::to_string(number) + "\n";
    for (const EdgeId edge : edges)
      text_.append(names_.first(edge)).append(1, ' ').append(names_.second(edge)).append(1, '\n');
  } else {
    put_line(edges);
  }
  if (text_.size() >= piece) flush();
}

// Matchings of a list share most of their edges with the one before, from the first on.
void MatchingWriter::put_line(std::span<const EdgeId> edges) {
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(edges, last_).in1 - edges.begin());
  last_.assign(edges.begin(), edges.end());
  ends_.resize(same);
  line_.resize(same == 0 ? 0 : ends_.back());
  for (const EdgeId edge : edges.subspan(same)) {
    if (edge >= pairs_.size()) pairs_.resize(edge + std::size_t{1});
    std::string& pair = pairs_[edge];
    if (pair.empty()) pair.append(", ").append(names_.first(edge)).append(1, ' ').append(names_.second(edge));
    line_.append(pair, line_.empty() ? 2 : 0);
    ends_.push_back(line_.size());
  }
  text_.append(line_).append(1, '\n');
}

void MatchingWriter::flush() {
  if (!text_.empty()) write_answer(text_);
  text_.clear();
}

}  // namespace matchcount::app
