# Boost. Its headers are needed; its one compiled library of ours, that of Boost.Graph, reads GraphML and is left out
# where it is not found.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW) # Boost's own package, as newer versions of CMake do by themselves
endif()
find_package(Boost 1.74 REQUIRED OPTIONAL_COMPONENTS graph)
if(TARGET Boost::graph)
  set(boost_graph_found ON)
else()
  set(boost_graph_found OFF)
endif()
option(MATCHCOUNT_WITH_GRAPHML "Read GraphML (needs the compiled library of Boost.Graph)" ${boost_graph_found})
if(MATCHCOUNT_WITH_GRAPHML AND NOT boost_graph_found)
  message(FATAL_ERROR "MATCHCOUNT_WITH_GRAPHML is ON, but the library of Boost.Graph is not found. Install it "
                      "(libboost-graph-dev), or build without: -DMATCHCOUNT_WITH_GRAPHML=OFF")
endif()
if(NOT MATCHCOUNT_WITH_GRAPHML)
  message(STATUS "GraphML will not be read: that needs the library of Boost.Graph (libboost-graph-dev) and "
                 "-DMATCHCOUNT_WITH_GRAPHML=ON")
endif()
