#pragma once
// Names the entrance of every method's room, by which the engine knows it (engine/methods.cpp). Private to permanent/.

#include <memory>

#include "permanent/method.hpp"

namespace matchcount {

// Takes blocks of integers of up to 63 bits, and of reals that are such times powers of two: sums by classes of
// vertices that nothing to come tells apart.
MethodVerbs classes_method();

// Takes blocks of integers and reals: sums by complements, for dense blocks that are nearly of rank one.
MethodVerbs complement_method();

// Takes blocks on which pieces hang (permanent/engine/cut_sums.hpp), each of which is summed up by any method: behind
// three vertices only where no entry is negative or complex, so that no sum of a piece cancels.
MethodVerbs cuts_method();

// Sums over all permutations, or all perfect matchings of a graph with odd cycles, in integers or double-doubles. Takes
// up to 12 rows or 20 vertices; about 20 ns a factor.
MethodVerbs expansion_method();

// Takes bipartite blocks of which Forbert and Marx's expansion has no term of more than 62 rows; terms are found by
// inclusion-exclusion on the CPU. options.expand_degree and options.expand_rows say how far it goes.
MethodVerbs forbert_marx_method();

// Takes every block; what it costs is said by the best order that a search finds (permanent/frontier/frontier.hpp). A
// graph with odd cycles can be verified along a second order. Single matchings are found along one order without twins,
// the search for which keeps to a share of options.run.time_limit_s.
MethodVerbs frontier_method();

// Takes blocks with sides, of integers of up to 63 bits, and of reals that are such times a power of two, of low rank.
MethodVerbs low_rank_method();

// Takes blocks that are planar or lattices on other surfaces, bipartite or not (permanent/planar/kasteleyn.hpp), and
// blocks that a few edges keep from being planar (permanent/planar/nearly_planar.hpp). Single matchings' entries are
// taken as they are held.
MethodVerbs planar_method();
// Makes what the method keeps of graphs while an answer is found (CountOptions::known_planar).
std::shared_ptr<KnownPlanarGraphs> no_known_planar_graphs();
// Says whether a block has no more edges than planar graphs and those that are planar but for a few edges.
bool may_be_planar(const AnyBlock& block);

// Takes blocks with odd cycles of up to 80 vertices: inclusion and exclusion over pairs of vertices, in little memory.
MethodVerbs power_traces_method();

// Inclusion-exclusion by the methods staged, skipper, ryser or sparyser. Takes bipartite blocks of up to 62 rows.
MethodVerbs ryser_method(Method variant);

// Takes blocks, bipartite or not, for which a tree decomposition of bags of at most 24 vertices is found.
MethodVerbs trees_method();

}  // namespace matchcount
