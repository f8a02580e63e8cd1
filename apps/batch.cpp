#include "apps/batch.hpp"

#include <string_view>
#include <utility>

#include "apps/answer.hpp"
#include "apps/json.hpp"
#include "core/error.hpp"

namespace matchcount::app {
namespace {

// Of these a line does not tell which input it is of.
bool has_heads(const Options& options) {
  const std::string_view command = options.command->name;
  return !options.json && (command == "plan" || command == "decompose" || !options.from.empty());
}

std::string head_of(const std::string& name) { return printable(name) + ":\n"; }

}  // namespace

void Batch::begin(std::size_t place, std::string name) {
  const std::lock_guard lock(mutex_);
  place_ = place;
  name_ = std::move(name);
  has_head_ = !has_heads(options_);
  answers_before_ = answers_written();
}

void Batch::head() {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_head_, true)) text = head_of(name_);
  }
  if (!text.empty()) write_heading(text);
}

bool Batch::is_answered() const {
  const std::lock_guard lock(mutex_);
  return answers_written() != answers_before_;
}

void Batch::write_error(const std::string& file, const Failure& failure) const {
  write_failure(options_.json ? line(json_failure(options_, file, failure)) : "error\n");
}

void Batch::say_error(const Failure& failure) {
  head();
  write_error(options_.arguments[place_], failure);
  Failure told = failure;
  if (told.file.empty() && !told.message.starts_with(name_)) told.message = name_ + ": " + told.message;
  complain("matchcount", told);
}

void Batch::say_end(const Failure& failure) {
  if (failure.kind == "interrupted") {
    if (options_.json) write_error(options_.arguments[place_], failure);
    return complain("matchcount", failure);
  }
  if (!is_answered()) say_error(failure);
  Failure rest = failure;
  rest.message = "not begun: " + failure.message;
  std::size_t place = place_ + 1;
  for (; place < options_.arguments.size(); ++place) {
    const std::string& file = options_.arguments[place];
    if (has_heads(options_)) write_heading(head_of(file));
    write_error(file, rest);
  }
  if (const std::size_t count = place - place_ - 1; count > 0) {
    rest.message = std::to_string(count) + (count == 1 ? " FILE was " : " FILEs were ") + rest.message;
    complain("matchcount", rest);
  }
}

}  // namespace matchcount::app
