#include "apps/batch.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "apps/answer.hpp"
#include "apps/json.hpp"
#include "core/error.hpp"

namespace matchcount::app {
namespace {

// Says whether a line of the answer does not tell which input it is about.
bool has_heads(const Options& options) {
  constexpr std::string_view with_several_lines[] = {"plan", "decompose", "marginals", "sample", "list"};
  const bool has_lines = std::ranges::count(with_several_lines, options.command->name) != 0 || options.sextets ||
                         options.matchings == MatchingKind::by_size || !options.by.empty();
  return !options.json && (has_lines || !options.from.empty());
}

std::string head_of(const std::string& name) { return printable(name) + ":\n"; }

}  // namespace

void Batch::begin(std::size_t place, std::string name, std::uint64_t position) {
  const std::lock_guard lock(mutex_);
  place_ = {place, std::move(name), position};
  has_head_ = !has_heads(options_);
  answers_before_ = answers_written();
}

void Batch::add_title(const std::string& title) {
  const std::lock_guard lock(mutex_);
  place_.name += " (" + title + ")";
}

void Batch::head() {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_head_, true)) text = head_of(place_.name);
  }
  if (!text.empty()) write_heading(text);
}

bool Batch::is_answered() const {
  const std::lock_guard lock(mutex_);
  return answers_written() != answers_before_;
}

Batch::Place Batch::place() const {
  const std::lock_guard lock(mutex_);
  return place_;
}

void Batch::write_error(const std::string& file, std::uint64_t position, const Failure& failure) const {
  write_failure(options_.json ? line(json_failure(options_, file, position, failure)) : "error\n");
}

void Batch::say_error(const Failure& failure) {
  head();
  const auto [at, name, position] = place();
  write_error(options_.arguments[at], position, failure);
  Failure told = failure;
  if (told.file.empty() && !told.message.starts_with(name)) told.message = name + ": " + told.message;
  complain("matchcount", told);
}

void Batch::say_end(const Failure& failure) {
  const auto [begun, name, position] = place();
  if (failure.kind == "interrupted") {
    if (options_.json) write_error(options_.arguments[begun], position, failure);
    return complain("matchcount", failure);
  }
  if (!is_answered()) say_error(failure);
  Failure rest = failure;
  rest.message = "not begun: " + failure.message;
  std::size_t count = 0;
  for (std::size_t next = begun + 1; next < options_.arguments.size(); ++next, ++count) {
    const std::string& file = options_.arguments[next];
    if (has_heads(options_)) write_heading(head_of(file));
    write_error(file, 0, rest);
  }
  if (count > 0) {
    rest.message = std::to_string(count) + (count == 1 ? " FILE was " : " FILEs were ") + rest.message;
    complain("matchcount", rest);
  }
}

}  // namespace matchcount::app
