#pragma once
// Includes all that a program needs to count, estimate and decompose: graphs and matrices, their readers, writers and
// generators, exact counts, single matchings and their edges, estimates, determinants, and maximum matchings with their
// certificates. Graphs of Boost.Graph are taken by boost.hpp, which is not among them, since it needs Boost's headers.

#include "matchcount/version.hpp"  // first: it says what the compiler has to know

#include "approx/estimate.hpp"
#include "approx/estimated_distribution.hpp"
#include "core/error.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/condensation.hpp"
#include "graph/digraph.hpp"
#include "graph/generate.hpp"
#include "graph/input.hpp"
#include "graph/layout.hpp"
#include "graph/output.hpp"
#include "graph/planar.hpp"
#include "graph/two_colouring.hpp"
#include "graph/undirected_graph.hpp"
#include "linear/bits/elimination.hpp"
#include "linear/bits/product.hpp"
#include "linear/determinant.hpp"
#include "linear/parity.hpp"
#include "linear/reachability.hpp"
#include "linear/torontonian.hpp"
#include "matchcount/batches.hpp"
#include "matchcount/count.hpp"
#include "matchcount/marginals.hpp"
#include "matchcount/matchings.hpp"
#include "matchcount/optimal_matchings.hpp"
#include "matching/dulmage_mendelsohn.hpp"
#include "matching/gallai_edmonds.hpp"
#include "matching/graph_matching.hpp"
#include "matching/matching_list.hpp"
#include "matching/maximum_matching.hpp"
