#include "graph/readers/weight_key.hpp"

#include "graph/readers/readers.hpp"
#include "graph/readers/values.hpp"

namespace matchcount::readers {
namespace {

constexpr std::size_t most_named = 5;

bool is_number_or_text_of_one(std::string_view text) {
  text = without_type(text);
  if (text.size() > 1 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front()) {
    text = text.substr(1, text.size() - 2);
  }
  return is_number(text);
}

// Programs number parallel edges, or all of them.
bool is_identifier(std::string_view key) {
  return equal_ignoring_case(key, "id") || equal_ignoring_case(key, "key") || key == "id of the element edge";
}

}  // namespace

WeightKey::WeightKey(const InputOptions& options)
    : name_(options.weight_key.value_or("weight")),
      is_given_(options.weight_key.has_value()),
      is_watchful_(!name_.empty() && (is_given_ || asks_for_weights(options))) {}

void WeightKey::note(std::string_view key, std::string_view value) {
  if (!is_watchful_ || others_.contains(key) || is_identifier(key) || !is_utf8(key) || !is_number_or_text_of_one(value))
    return;
  others_.emplace(key);
}

void WeightKey::check(const Text& text, std::uint64_t line) const {
  if (!is_watchful_ || (others_.empty() && !is_given_)) return;
  std::string keys;
  std::size_t named = 0;
  for (const std::string& key : others_) {
    if (named++ == most_named) break;
    keys += (keys.empty() ? "" : ", ") + in_quotes(key);
  }
  if (others_.size() > most_named) keys += " and others";
  refuse(text, line, "no edge with " + in_quotes(name_) + (keys.empty() ? "" : ", and numbers under " + keys),
         keys.empty() ? "no --weight-key: edges have no numbers under any key"
                      : "--weight-key with the key of the weights, or --weight-key '' where all weights are 1");
}

std::string_view without_type(std::string_view value) {
  if (!value.starts_with("np.") && !value.starts_with("numpy.")) return value;
  const std::size_t bracket = value.find('(');
  if (bracket == value.npos || value.back() != ')') return value;
  return value.substr(bracket + 1, value.size() - bracket - 2);
}

}  // namespace matchcount::readers
