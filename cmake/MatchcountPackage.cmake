# A Debian package of all that is installed: `cpack -G DEB` in the build folder makes matchcount_VERSION_ARCHITECTURE.deb.
set(CPACK_PACKAGE_NAME matchcount)
set(CPACK_PACKAGE_CONTACT "The matchcount authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "count perfect matchings and compute permanents")
set(CPACK_PACKAGE_DESCRIPTION
    "Counts the perfect matchings of graphs and the cycle covers of directed graphs, computes permanents, hafnians and
determinants, exactly or with a proven bound on the error, and estimates with an interval what is too large. Runs on
CPUs and NVIDIA GPUs.
.
With the program come the libraries for C++ and C, their headers, a CMake package and a file for pkg-config.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_SYSTEM_NAME ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The libraries that the program was linked to, in the versions of this machine.
find_program(MATCHCOUNT_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(MATCHCOUNT_SHLIBDEPS)
if(MATCHCOUNT_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
# Programs of others are built with these.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake | pkg-config, libboost-dev")
if(BUILD_SHARED_LIBS OR MATCHCOUNT_BUILD_C)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
endif()
if(NOT BUILD_SHARED_LIBS)
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", zlib1g-dev, libgmp-dev")
  if(MATCHCOUNT_WITH_GRAPHML)
    string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libexpat1-dev")
  endif()
endif()
include(CPack)
