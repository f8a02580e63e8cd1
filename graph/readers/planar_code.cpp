// planar_code, the binary graphs of plantri (G. Brinkmann and B. McKay, "Fast generation of planar graphs", 2007) and
// fullgen: a head `>>planar_code<<`, then for every graph its number of vertices and, for every vertex, its neighbours
// from 1 in clockwise order and a 0. Numbers are bytes; of a graph that begins with a byte 0 they are pairs of bytes,
// in the order that the head says: `>>planar_code le<<` or `>>planar_code be<<`. Embeddings have no meaning here.

#include <string>
#include <string_view>

#include "graph/readers/readers.hpp"

namespace matchcount::readers {
namespace {

constexpr std::string_view planar_code_head = ">>planar_code";

// Reads the graph at p, and returns the place behind it.
const char* read_embedding(const Text& text, const char* p, Parsed& parsed) {
  constexpr Vertex vertices_between_checks = 4096;
  const std::string_view order = whole(text).substr(planar_code_head.size(), 5);
  const bool is_wide = *p == 0, is_big_endian = order == " be<<";
  if (is_wide && !is_big_endian && order != " le<<") {
    refuse(text, 0, "a graph in pairs of bytes whose order nobody says", "the head >>planar_code le<< or be<<");
  }
  if (is_wide) ++p;
  const auto next = [&] {
    if (text.end() - p < (is_wide ? 2 : 1)) {
      refuse(text, 0, "the end of the file within a graph", "a 0 behind the neighbours of every vertex");
    }
    const auto first = static_cast<unsigned char>(*p++);
    if (!is_wide) return std::uint64_t{first};
    const auto second = static_cast<unsigned char>(*p++);
    return std::uint64_t{is_big_endian ? 256u * first + second : first + 256u * second};
  };
  parsed.shape = Parsed::Shape::mirrored;
  parsed.set_vertices(next());
  for (Vertex u = 0; u < parsed.num_rows; ++u) {
    if (u % vertices_between_checks == 0) text.check();
    for (std::uint64_t v = next(); v != 0; v = next()) {
      if (v > parsed.num_rows) {
        refuse(text, 0, "the neighbour " + std::to_string(v) + " of vertex " + std::to_string(u + 1),
               "at most " + std::to_string(parsed.num_rows));
      }
      parsed.add_edge(u, static_cast<Vertex>(v - 1), 0);
    }
  }
  return p;
}

}  // namespace

bool is_planar_code(const Text& text, InputFormat) {
  return text.is_binary() && whole(text).starts_with(planar_code_head);
}

bool next_planar_code(const Text& text, InputFormat format, Part& part) {
  const std::size_t head = whole(text).find("<<");
  if (!is_planar_code(text, format) || head > planar_code_head.size() + 3) {
    refuse(text, 0, "no planar_code", "the head >>planar_code<<");
  }
  const char* const begin = part.number == 0 ? text.begin() + head + 2 : part.end;
  if (begin == text.end()) return false;
  const char* end = text.end();  // of what its reader refuses
  try {
    Parsed parsed;
    end = read_embedding(text, begin, parsed);
  } catch (const InputError&) {
  }
  part = {part.number + 1, begin, end, 0};
  return true;
}

Parsed read_planar_code(const Source& source) {
  Parsed parsed(source);
  read_embedding(source.text, source.part.begin, parsed);
  return parsed;
}

}  // namespace matchcount::readers
