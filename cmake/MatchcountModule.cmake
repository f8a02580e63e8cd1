# matchcount_module(NAME SOURCES ... [FOLDER folder] [LIGHT folder...] [PUBLIC_HEADERS ...] [DEPENDS ...]
# [PRIVATE_DEPENDS ...]): the static library target matchcount_NAME, of the folder NAME unless FOLDER gives another, with the
# alias matchcount::NAME, for programs and tests of this tree; cmake/MatchcountLibrary.cmake makes the one library for others
# from all of them. Sources in the folders LIGHT read or plan, and are compiled by -O1, in less time. PUBLIC_HEADERS are those
# that others may include. DEPENDS are our modules or imported targets that its headers need.
# Rooms that MATCHCOUNT_SANITIZE_ROOMS leaves out are those of build/default, which scripts/sanitize.sh builds first.
function(matchcount_module name)
  cmake_parse_arguments(arg "" "FOLDER" "SOURCES;LIGHT;PUBLIC_HEADERS;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  if(MATCHCOUNT_SANITIZE_ROOMS AND NOT name IN_LIST MATCHCOUNT_SANITIZE_ROOMS)
    add_library(matchcount_${name} STATIC IMPORTED GLOBAL)
    file(RELATIVE_PATH built ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR})
    set_target_properties(matchcount_${name} PROPERTIES
      IMPORTED_LOCATION ${PROJECT_SOURCE_DIR}/build/default/${built}/libmatchcount_${name}.a)
    target_link_libraries(matchcount_${name} INTERFACE ${arg_DEPENDS} ${arg_PRIVATE_DEPENDS})
    add_library(matchcount::${name} ALIAS matchcount_${name})
    return()
  endif()
  add_library(matchcount_${name} STATIC ${arg_SOURCES})
  add_library(matchcount::${name} ALIAS matchcount_${name})
  set_target_properties(matchcount_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(matchcount_${name} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS} matchcount_options)
  matchcount_precompile(matchcount_${name} matchcount_core)
  # Kernels alone, which are compiled once per instruction set, gain by -O3; here it costs a tenth of the time.
  target_compile_options(matchcount_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  # The sources of a folder may be compiled as one.
  set_target_properties(matchcount_${name} PROPERTIES UNITY_BUILD ${MATCHCOUNT_UNITY_BUILD} UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS arg_SOURCES)
    if(NOT IS_ABSOLUTE ${source}) # which is generated
      get_filename_component(folder ${source} DIRECTORY)
      string(MAKE_C_IDENTIFIER "${name}/${folder}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
      if(MATCHCOUNT_UNITY_BUILD)
        set(source ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/matchcount_${name}.dir/Unity/unity_${group}_cxx.cxx)
      endif()
      if(folder IN_LIST arg_LIGHT)
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
      endif()
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY MATCHCOUNT_MODULES matchcount_${name})
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${name})
  endif()
  list(TRANSFORM arg_PUBLIC_HEADERS PREPEND ${arg_FOLDER}/)
  set_property(GLOBAL APPEND PROPERTY MATCHCOUNT_PUBLIC_HEADERS ${arg_PUBLIC_HEADERS})
endfunction()

# matchcount_precompile(TARGET [FROM]): sources of TARGET find the standard headers precompiled, which saves about 0.5 s of
# each; in the file of FROM, a target of the same options, where one is given. A source includes all the same what it needs:
# -DMATCHCOUNT_PRECOMPILE_HEADERS=OFF shows it.
function(matchcount_precompile target)
  if(NOT MATCHCOUNT_PRECOMPILE_HEADERS)
    return()
  endif()
  # GCC 12 suspects std::string, of which it forgets here that it is the system's. The preset `dev` does without, and
  # has these warnings.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")
  if(ARGN AND NOT target STREQUAL ARGN)
    target_precompile_headers(${target} REUSE_FROM ${ARGN})
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <functional> <limits> <map> <memory> <mutex> <numeric>
    <optional> <span> <sstream> <stdexcept> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>)
endfunction()

option(MATCHCOUNT_VECTOR_KERNELS "Compile inner loops for AVX2 and AVX-512 as well, on x86-64" ON)
if(MATCHCOUNT_VECTOR_KERNELS AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(vector_kernels ON)
  target_compile_definitions(matchcount_options INTERFACE MATCHCOUNT_ISA_X86)
endif()

# matchcount_isa_sources(TARGET FILE...): compiles each FILE once per instruction set (baseline, and avx2 and avx512 on
# x86-64) with MATCHCOUNT_ISA set to its name, by which the file names its table of kernels; core/cpu/dispatch.hpp picks
# one at run time. Of an inline function that several files share the linker keeps one copy, and where that is the one
# for AVX-512 a machine without it dies. So such a file calls nothing inline but what is local to the file, or forced
# inline (core/cpu/forced_inline.hpp), and nothing of the standard library: unoptimised, even std::min is such a
# function. The test isa_symbols looks at the objects, optimised and not; the global property MATCHCOUNT_ISA_OBJECTS
# lists their targets.
function(matchcount_isa_sources target)
  get_target_property(imported ${target} IMPORTED)
  if(imported)
    return()
  endif()
  set(variants baseline)
  if(vector_kernels)
    list(APPEND variants avx2 avx512)
  endif()
  set(flags_baseline "")
  set(flags_avx2 -march=x86-64-v3)
  set(flags_avx512 -march=x86-64-v4)
  foreach(file IN LISTS ARGN)
    get_filename_component(stem ${file} NAME_WE)
    foreach(variant IN LISTS variants)
      set(object ${target}_${stem}_${variant})
      add_library(${object} OBJECT ${file})
      target_compile_definitions(${object} PRIVATE MATCHCOUNT_ISA=${variant})
      target_compile_options(${object} PRIVATE ${flags_${variant}})
      set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_include_directories(${object} PRIVATE ${PROJECT_SOURCE_DIR})
      target_link_libraries(${object} PRIVATE matchcount_options)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
      set_property(GLOBAL APPEND PROPERTY MATCHCOUNT_OBJECTS $<TARGET_OBJECTS:${object}>)
      if(NOT variant STREQUAL baseline)
        set_property(GLOBAL APPEND PROPERTY MATCHCOUNT_ISA_OBJECTS ${object})
      endif()
    endforeach()
  endforeach()
endfunction()
