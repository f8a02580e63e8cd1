// Takes a graph of Boost.Graph as it is, and gives answers by its own edge descriptors.

#include <boost/graph/adjacency_list.hpp>
#include <iostream>
#include <map>
#include <matchcount/boost.hpp>

int main() {
  // Naphthalene: two rings of six carbon atoms that share a bond.
  using Molecule = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  Molecule naphthalene(10);
  for (unsigned atom = 0; atom < 10; ++atom) add_edge(atom, (atom + 1) % 10, naphthalene);
  add_edge(0u, 5u, naphthalene);

  std::cout << to_string(matchcount::count_perfect_matchings(naphthalene).value) << " Kekule structures\n";

  std::map<Molecule::edge_descriptor, double> order;
  matchcount::marginals(naphthalene, boost::make_assoc_property_map(order));
  for (const auto& [bond, share] : order)
    std::cout << source(bond, naphthalene) << "-" << target(bond, naphthalene) << " " << share << "\n";

  for (const auto& structure : matchcount::sample_matchings(naphthalene, 0, 3)) {
    std::cout << "one of them:";
    for (const auto bond : structure) std::cout << " " << source(bond, naphthalene) << "=" << target(bond, naphthalene);
    std::cout << "\n";
  }
}
