#pragma once
// Holds what methods say of a block's edges. Private to permanent/.

#include <vector>

namespace matchcount {

// Of a block: its permanent or hafnian, and by EdgeId of its pattern the part of it that matchings with this edge make
// up.
template <class V>
struct BlockMarginals {
  V total;
  std::vector<V> of_edge;
};

}  // namespace matchcount
