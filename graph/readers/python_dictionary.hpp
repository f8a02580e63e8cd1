#pragma once
// Reads dictionaries as Python prints them: the data of an edge by networkx, the header of a .npy file. Private to
// graph/.

#include <functional>
#include <string>
#include <string_view>

#include "graph/readers/tokens.hpp"

namespace matchcount::readers {

extern const Language python;

struct DictionaryItem {
  bool has_name = false;   // the key is a string
  std::string name;        // that it stands for
  std::string_view key;    // as it stands there
  std::string_view value;  // likewise
};

// Takes a dictionary such as {'weight': 2.5, 'colour': 'red'}, from '{' to '}', and calls on_item for each of its
// items. Refuses what is none.
void read_dictionary(Tokens& tokens, const std::function<void(const DictionaryItem&)>& on_item);

}  // namespace matchcount::readers
