#include "graph/readers/readers.hpp"

namespace matchcount::readers {

bool next_part(const Text& text, InputFormat format, Part& part) {
  switch (format) {
    case InputFormat::graph6:
    case InputFormat::sparse6:
    case InputFormat::digraph6:
      return next_graph6(text, format, part);
    case InputFormat::npy:
      return next_npy(text, part);
    case InputFormat::mol:
      return next_mol(text, part);
    default:
      break;
  }
  if (part.number != 0) return false;
  part = {1, text.begin(), text.end(), 0};
  return true;
}

}  // namespace matchcount::readers
