#include "matching/identity.hpp"

#include "core/bytes.hpp"

namespace matchcount {
namespace {

void add(Hash& hash, std::int64_t entry) { hash.add(entry); }
void add(Hash& hash, DoubleDouble value) {
  hash.add(value.hi);
  hash.add(value.lo);
}
void add(Hash& hash, const RealEntry& entry) { add(hash, entry.value); }
void add(Hash& hash, const ComplexEntry& entry) {
  add(hash, entry.value.re);
  add(hash, entry.value.im);
}

template <class Entry>
void add_all(Hash& hash, const std::vector<Entry>& entries) {
  hash.add(static_cast<std::uint64_t>(entries.size()));
  for (const Entry& entry : entries) add(hash, entry);
}

void add_all(Hash& hash, const std::vector<Edge>& edges) {
  for (const Edge& edge : edges) {
    hash.add(edge.row);
    hash.add(edge.column);
  }
}

template <class Entry>
void add(Hash& hash, const Reduced<Entry>& reduced) {
  add_all(hash, reduced.factors);
  for (const Block<Entry>& block : reduced.blocks) {
    hash.add(block.pattern.num_rows());
    hash.add(block.pattern.num_columns());
    add_all(hash, block.pattern.edges());
    add_all(hash, block.entries);
  }
}

}  // namespace

template <class Entry>
std::string identity(const Reduced<Entry>& reduced, const std::vector<Entry>& factors,
                     const std::vector<GraphBlock<Entry>>& blocks) {
  Hash hash;
  add(hash, reduced);
  add_all(hash, factors);
  for (const GraphBlock<Entry>& block : blocks) {
    hash.add(block.pattern.num_vertices());
    add_all(hash, block.pattern.edges());
    add_all(hash, block.entries);
  }
  return hash.hex();
}

template std::string identity(const Reduced<std::int64_t>&, const std::vector<std::int64_t>&,
                              const std::vector<GraphBlock<std::int64_t>>&);
template std::string identity(const Reduced<RealEntry>&, const std::vector<RealEntry>&,
                              const std::vector<GraphBlock<RealEntry>>&);
template std::string identity(const Reduced<ComplexEntry>&, const std::vector<ComplexEntry>&,
                              const std::vector<GraphBlock<ComplexEntry>>&);

}  // namespace matchcount
