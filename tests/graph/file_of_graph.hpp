#pragma once
// Reads texts as files that go with a graph: rotations around its vertices, or orders of them.

#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/run.hpp"
#include "graph/vertex_order.hpp"
#include "support/folder.hpp"

namespace matchcount::test {

template <auto read>
class FileOfGraph {
 public:
  FileOfGraph(UndirectedGraph graph, VertexNames vertices) : graph_(std::move(graph)), vertices_(std::move(vertices)) {}

  auto found(const std::string& text) const {
    return read(folder_.file("text", text), graph_, vertices_, RunContext());
  }
  // Returns a sentence where the text is refused.
  std::string refusal(const std::string& text) const {
    try {
      found(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

 private:
  UndirectedGraph graph_;
  VertexNames vertices_;
  Folder folder_;
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace matchcount::test
