# The one library that programs of others use, matchcount::matchcount: the modules' objects in one file, and the public
# headers in one folder, to be included as <matchcount/count.hpp> or <matchcount/graph/input.hpp>. Static, or with BUILD_SHARED_LIBS shared.

get_property(modules GLOBAL PROPERTY MATCHCOUNT_MODULES)
get_property(objects GLOBAL PROPERTY MATCHCOUNT_OBJECTS)
get_property(public_headers GLOBAL PROPERTY MATCHCOUNT_PUBLIC_HEADERS)
# Headers by the paths that they had before; these include them where they are now.
set(former_headers permanent/dense.hpp=batches.hpp permanent/marginals.hpp=marginals.hpp permanent/matchings.hpp=matchings.hpp
                   permanent/optimal_matchings.hpp=optimal_matchings.hpp permanent/permanent.hpp=count.hpp)
if(MATCHCOUNT_WITH_PHOTONICS)
  list(APPEND former_headers core/numbers/gradients.hpp=gradients.hpp linear/torontonian.hpp=torontonian.hpp)
endif()

# Written when a program or the library is built; a change of a header makes them again.
set(public_folder ${PROJECT_BINARY_DIR}/include)
list(TRANSFORM public_headers PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources_of_headers)
# The headers of matchcount/ stand on top, and those of a wing.
list(TRANSFORM public_headers REPLACE "^(matchcount|photonics)/" "" OUTPUT_VARIABLE installed_headers)
list(TRANSFORM former_headers REPLACE "=.*" "" OUTPUT_VARIABLE former_paths)
list(APPEND installed_headers ${former_paths})
list(TRANSFORM installed_headers PREPEND ${public_folder}/matchcount/ OUTPUT_VARIABLE copies_of_headers)
list(JOIN public_headers "," joined_headers)
list(JOIN former_headers "," joined_former)
set(stamp ${PROJECT_BINARY_DIR}/public_headers.stamp)
add_custom_command(
  OUTPUT ${stamp}
  BYPRODUCTS ${copies_of_headers}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DTARGET=${public_folder}/matchcount
          -DHEADERS=${joined_headers} -DFORMER=${joined_former} -P ${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
  DEPENDS ${sources_of_headers} ${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake
  COMMENT "Copying the public headers"
  VERBATIM)

add_custom_target(matchcount_headers ALL DEPENDS ${stamp})

foreach(module IN LISTS modules)
  list(APPEND objects $<TARGET_OBJECTS:${module}>)
endforeach()
set(kind STATIC)
if(BUILD_SHARED_LIBS)
  set(kind SHARED)
endif()
# The name of the file is the program's as well, which a target called matchcount would be in the way of.
add_library(matchcount_library ${kind} ${objects} ${stamp})
add_library(matchcount::matchcount ALIAS matchcount_library)
add_dependencies(matchcount_library matchcount_headers)
set_target_properties(matchcount_library PROPERTIES
  OUTPUT_NAME matchcount EXPORT_NAME matchcount LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_include_directories(matchcount_library INTERFACE $<BUILD_INTERFACE:${public_folder}>
                                                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(matchcount_library INTERFACE cxx_std_20)
# Nothing of what the modules use shows in a public header, but for graph/boost_adapter.hpp, whose users have Boost.
target_link_libraries(matchcount_library PRIVATE OpenMP::OpenMP_CXX ZLIB::ZLIB GMP::GMP ${CMAKE_DL_LIBS}
                                                 $<BUILD_INTERFACE:matchcount_options>)
if(MATCHCOUNT_WITH_GRAPHML)
  target_link_libraries(matchcount_library PRIVATE EXPAT::EXPAT)
endif()
if(BUILD_SHARED_LIBS AND UNIX AND NOT APPLE)
  # The version script hides instances of the standard library's templates, which would be exported otherwise.
  set(exports ${CMAKE_CURRENT_LIST_DIR}/exports.map)
  target_link_options(matchcount_library PRIVATE -Wl,--version-script=${exports} -Wl,--no-undefined)
  set_target_properties(matchcount_library PROPERTIES LINK_DEPENDS ${exports})
endif()
