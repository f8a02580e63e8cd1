#include "graph/readers/readers.hpp"

namespace matchcount::readers {

bool next_part(const Text& text, InputFormat, Part& part) {
  if (part.number != 0) return false;
  part = {1, text.begin(), text.end(), 0};
  return true;
}

}  // namespace matchcount::readers
