#pragma once
// Includes all that a program needs to count, estimate and decompose: graphs and matrices, their readers, writers and
// generators, exact counts, single matchings and their edges, estimates, determinants, and maximum matchings with their
// certificates. Boost graphs are adapted by graph/boost_adapter.hpp, which is not among them, since it needs Boost's
// headers.

#include "approx/estimate.hpp"
#include "core/error.hpp"
#include "core/run.hpp"
#include "core/value.hpp"
#include "core/work.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/condensation.hpp"
#include "graph/digraph.hpp"
#include "graph/generate.hpp"
#include "graph/input.hpp"
#include "graph/output.hpp"
#include "graph/planar.hpp"
#include "graph/two_colouring.hpp"
#include "graph/undirected_graph.hpp"
#include "linear/bits/elimination.hpp"
#include "linear/bits/product.hpp"
#include "linear/determinant.hpp"
#include "linear/parity.hpp"
#include "linear/reachability.hpp"
#include "matching/dulmage_mendelsohn.hpp"
#include "matching/gallai_edmonds.hpp"
#include "matching/graph_matching.hpp"
#include "matching/matching_list.hpp"
#include "matching/maximum_matching.hpp"
#include "permanent/dense/dense.hpp"
#include "permanent/marginals.hpp"
#include "permanent/matchings.hpp"
#include "permanent/permanent.hpp"
