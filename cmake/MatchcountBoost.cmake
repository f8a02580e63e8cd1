# Boost, of which the headers are needed.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW) # Boost's own package, as newer versions of CMake do by themselves
endif()
find_package(Boost 1.74 REQUIRED)
