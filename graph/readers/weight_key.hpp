#pragma once
// Watches over what edges have under other keys than that of their weight, so that no weight is lost. Private to
// graph/.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "graph/input_types.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// The key of a weight among the data of an edge, InputOptions::weight_key.
class WeightKey {
 public:
  explicit WeightKey(const InputOptions& options);

  // Returns the name of the key; empty if no key is that of a weight.
  const std::string& name() const { return name_; }
  // Says whether somebody asked for it.
  bool is_given() const { return is_given_; }
  // Says whether other keys matter: it was asked for, or the question is about weights.
  bool is_watchful() const { return is_watchful_; }
  // Notes what an edge has under another key, a string with or without its quotes. Text that is no number is passed
  // over, and so are identifiers.
  void note(std::string_view key, std::string_view value);
  // Refuses edges of which none has a weight, the first of them on this line, where the key was asked for, or the
  // question is about weights and numbers were noted.
  void check(const Text& text, std::uint64_t line) const;

 private:
  std::string name_;
  bool is_given_;
  bool is_watchful_;
  std::set<std::string, std::less<>> others_;  // keys of numbers
};

// Returns the 2.5 of np.float64(2.5), as numpy's numbers print themselves; of another value the whole.
std::string_view without_type(std::string_view value);

}  // namespace matchcount::readers
