# The project's options, and the compile options that every target of ours shares.

# A shared library of ours exports what core/api.hpp marks.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

include(CMakeDependentOption)
if(PROJECT_IS_TOP_LEVEL)
  option(BUILD_SHARED_LIBS "Make libmatchcount, the library that is installed, a shared one" OFF)
endif()
option(MATCHCOUNT_BUILD_APPS "Build the command line" ${PROJECT_IS_TOP_LEVEL})
cmake_dependent_option(MATCHCOUNT_BUILD_BENCH "Build the benchmarks" OFF MATCHCOUNT_BUILD_APPS OFF)
option(MATCHCOUNT_BUILD_C "Build the library for C" ${PROJECT_IS_TOP_LEVEL})
option(MATCHCOUNT_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(MATCHCOUNT_INSTALL "Install matchcount" ${PROJECT_IS_TOP_LEVEL})
option(MATCHCOUNT_WITH_PHOTONICS "Build the wing photonics/: torontonians, photon counters, patterns, derivatives" OFF)
option(MATCHCOUNT_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
set(MATCHCOUNT_SANITIZE OFF CACHE STRING "Sanitizers to build with: OFF, ON (address and undefined behaviour), thread")
set_property(CACHE MATCHCOUNT_SANITIZE PROPERTY STRINGS OFF ON thread)
set(MATCHCOUNT_SANITIZE_ROOMS "" CACHE STRING "Modules that are compiled with the sanitizers, the others being those of build/default; none: all")
option(MATCHCOUNT_PRECOMPILE_HEADERS "Precompile the standard headers that most sources include" ON)
option(MATCHCOUNT_UNITY_BUILD "Compile the sources of a folder as one, in less than half of the time" OFF)
option(MATCHCOUNT_BUILD_FUZZERS "Build the reader fuzzers (clang's libFuzzer)" OFF)

add_library(matchcount_options INTERFACE)
target_compile_features(matchcount_options INTERFACE cxx_std_20)
# Includes within the tree are by module path; who uses the library from elsewhere never sees this folder.
target_include_directories(matchcount_options INTERFACE ${PROJECT_SOURCE_DIR})
# No contraction: products and sums round as written, so that every instruction set gives the same digits. Where sources
# are compiled as one, what is local to one of them may look to the compiler as if another shared it.
target_compile_options(matchcount_options INTERFACE -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -Wall -Wextra
                                                    $<IF:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>,-Wshadow>
                                                    -Wconversion -Wno-sign-conversion
                                                    $<$<BOOL:${MATCHCOUNT_WARNINGS_AS_ERRORS}>:-Werror>)
if(MATCHCOUNT_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread)
elseif(MATCHCOUNT_SANITIZE)
  set(sanitizers -fsanitize=address,undefined)
endif()
if(sanitizers)
  target_compile_options(matchcount_options INTERFACE ${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(matchcount_options INTERFACE ${sanitizers})
endif()
