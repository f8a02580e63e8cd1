#include "apps/matching_writer.hpp"

#include <utility>

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
    for (const EdgeId edge : edges) text_ += names_.first(edge) + " " + names_.second(edge) + "\n";
  } else {
    bool first = true;
    for (const EdgeId edge : edges) {
      text_ += (first ? "" : ", ") + names_.first(edge) + " " + names_.second(edge);
      first = false;
    }
    text_ += "\n";
  }
  if (text_.size() >= piece) flush();
}

void MatchingWriter::flush() {
  if (!text_.empty()) write_answer(text_);
  text_.clear();
}

}  // namespace matchcount::app
