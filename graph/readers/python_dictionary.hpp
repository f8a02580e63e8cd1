#pragma once
// Reads dictionaries as Python prints them: the data of an edge by networkx, the header of a .npy file. Private to
// graph/.

#include <string_view>

#include "graph/readers/tokens.hpp"

namespace matchcount::readers {

extern const Language python;

struct DictionaryItem {
  bool has_name = false;   // the key is a string
  std::string_view name;   // that it stands for
  std::string_view key;    // as it stands there
  std::string_view value;  // likewise
};

// Takes a dictionary such as {'weight': 2.5, 'colour': 'red'}, item by item.
class PythonDictionary {
 public:
  // Takes the '{'. Refuses another token.
  explicit PythonDictionary(Tokens& tokens);
  // False behind the '}'. Refuses what is no item. The views stay valid as long as the text and the tokens.
  bool next(DictionaryItem& item);

 private:
  Tokens& tokens_;
  bool is_first_ = true;
};

}  // namespace matchcount::readers
