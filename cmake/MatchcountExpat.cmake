# libexpat reads the XML of GraphML, which is left out where it is not found.
find_package(EXPAT)
option(MATCHCOUNT_WITH_GRAPHML "Read GraphML (needs libexpat)" ${EXPAT_FOUND})
if(MATCHCOUNT_WITH_GRAPHML AND NOT EXPAT_FOUND)
  message(FATAL_ERROR "MATCHCOUNT_WITH_GRAPHML is ON, but libexpat is not found. Install it (libexpat1-dev), or build "
                      "without: -DMATCHCOUNT_WITH_GRAPHML=OFF")
endif()
if(NOT MATCHCOUNT_WITH_GRAPHML)
  message(STATUS "GraphML will not be read: that needs libexpat (libexpat1-dev) and -DMATCHCOUNT_WITH_GRAPHML=ON")
endif()
