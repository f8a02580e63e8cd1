// Edmonds (1965, doi:10.4153/CJM-1965-045-4): where two even vertices of one tree are adjacent, the way up from both to
// where they meet is a blossom, an odd cycle all of whose vertices are ends of even paths. It is contracted to its
// uppermost vertex, its base, which is even and matched to what it was matched to. Where two even vertices of different
// trees are adjacent, the matching can be augmented. The two climb in turns, so that a blossom costs what it contracts.
// Ways back go through blossoms by the edges that closed them (Gabow 1976, doi:10.1145/321941.321942).

#include "matching/alternating_forest.hpp"

namespace matchcount {

AlternatingForest::AlternatingForest(const UndirectedGraph& graph, const std::vector<Vertex>& partner,
                                     const std::vector<char>* gone)
    : graph_(graph),
      partner_(partner),
      gone_(gone),
      state_(partner.size(), ForestState::unreached),
      parent_(partner.size()),
      blossom_(partner.size()),
      climb_(partner.size(), 0),
      bridge_(partner.size(), {unmatched, unmatched}) {
  for (Vertex v = 0; v < partner.size(); ++v) {
    blossom_[v] = v;
    if (partner[v] == unmatched) left_out_.push_back(v);
  }
}

bool AlternatingForest::grow(Vertex without) {
  without_ = without;
  if (without == unmatched) return grow_from(left_out_);
  std::vector<Vertex> roots = left_out_;
  roots.push_back(partner_[without]);
  return grow_from(roots);
}

bool AlternatingForest::grow_from(std::span<const Vertex> roots) {
  forget();
  for (const Vertex v : roots) {
    reached_.push_back(v);
    make_even(v);
  }
  for (std::size_t i = 0; i < even_.size(); ++i) {
    const Vertex v = even_[i];
    for (const Vertex w : graph_.neighbours(v)) {
      if (w == without_ || state_[w] == ForestState::odd || (gone_ && (*gone_)[w])) continue;
      if (state_[w] == ForestState::unreached) {
        state_[w] = ForestState::odd;
        parent_[w] = v;
        reached_.insert(reached_.end(), {w, partner_[w]});
        make_even(partner_[w]);
      } else if (base_of(v) != base_of(w)) {
        const Vertex base = common_base(v, w);
        meeting_ = {v, w};
        if (base == unmatched) return false;
        contract_path(v, base, w);
        contract_path(w, base, v);
      }
    }
  }
  return true;
}

void AlternatingForest::forget() {
  for (const Vertex v : reached_) {
    state_[v] = ForestState::unreached;
    blossom_[v] = v;
    climb_[v] = 0;
    bridge_[v] = {unmatched, unmatched};
  }
  reached_.clear();
  even_.clear();
  climbs_ = 0;
}

void AlternatingForest::make_even(Vertex v) {
  state_[v] = ForestState::even;
  even_.push_back(v);
}

Vertex AlternatingForest::base_of(Vertex v) {
  while (blossom_[v] != v) v = blossom_[v] = blossom_[blossom_[v]];
  return v;
}

// Returns the base of the blossom above; unmatched: none.
Vertex AlternatingForest::base_above(Vertex base) {
  return is_root(base) ? unmatched : base_of(parent_[partner_[base]]);
}

// Returns the vertex where the ways up meet; unmatched where they don't.
Vertex AlternatingForest::common_base(Vertex v, Vertex w) {
  ++climbs_;
  Vertex here = base_of(v), there = base_of(w);
  while (here != unmatched || there != unmatched) {
    if (here != unmatched) {
      if (climb_[here] == climbs_) return here;
      climb_[here] = climbs_;
      here = base_above(here);
    }
    std::swap(here, there);
  }
  return unmatched;
}

// The edge from `from` to `beyond` closes the blossom.
void AlternatingForest::contract_path(Vertex from, Vertex base, Vertex beyond) {
  for (Vertex at = base_of(from); at != base;) {
    const Vertex odd = partner_[at];
    make_even(odd);
    bridge_[odd] = {from, beyond};
    const Vertex above = base_of(parent_[odd]);
    blossom_[at] = blossom_[odd] = base;
    at = above;
  }
}

void AlternatingForest::augment(std::vector<Vertex>& partner) const {
  // Vertices that get new partners, the last first; each way ends where the one before came by.
  std::vector<std::pair<Vertex, Vertex>> pairs{{meeting_.second, meeting_.first}, meeting_};
  while (!pairs.empty()) {
    const auto [v, to] = pairs.back();
    pairs.pop_back();
    const Vertex before = partner[v];
    partner[v] = to;
    if (before == unmatched || partner[before] != v) continue;
    if (bridge_[v].first == unmatched) {
      partner[before] = parent_[before];
      pairs.push_back({parent_[before], before});
    } else {
      pairs.push_back({bridge_[v].second, bridge_[v].first});
      pairs.push_back(bridge_[v]);
    }
  }
}

}  // namespace matchcount
