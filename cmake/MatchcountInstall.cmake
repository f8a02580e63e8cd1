# Installs the library with its headers, the CMake package `matchcount` (find_package(matchcount) gives
# matchcount::matchcount) and matchcount.pc for pkg-config, and the programs with their manual and completions.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/matchcount)

install(TARGETS matchcount_library EXPORT matchcountTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(MATCHCOUNT_BUILD_C)
  install(TARGETS matchcount_c EXPORT matchcountTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/bindings/c/matchcount.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
foreach(header IN LISTS installed_headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${public_folder}/matchcount/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/matchcount/${folder})
endforeach()
install(EXPORT matchcountTargets NAMESPACE matchcount:: DESTINATION ${package_folder})

# A static library needs at link time what it is made from; a shared one knows.
set(link_dependencies "")
if(NOT BUILD_SHARED_LIBS)
  set(link_dependencies "find_dependency(OpenMP COMPONENTS CXX)
find_dependency(ZLIB)
list(PREPEND CMAKE_MODULE_PATH \${CMAKE_CURRENT_LIST_DIR}) # FindGMP.cmake
find_dependency(GMP)
list(POP_FRONT CMAKE_MODULE_PATH)")
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindGMP.cmake DESTINATION ${package_folder})
  if(MATCHCOUNT_WITH_GRAPHML)
    string(APPEND link_dependencies "\nfind_dependency(EXPAT)")
  endif()
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/matchcountConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/matchcountConfig.cmake INSTALL_DESTINATION ${package_folder}
                              PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/matchcountConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/matchcountConfig.cmake ${PROJECT_BINARY_DIR}/matchcountConfigVersion.cmake
        DESTINATION ${package_folder})

set(pc_requires "")
set(pc_libs "")
if(NOT BUILD_SHARED_LIBS)
  set(pc_libs " -lgmp")
  set(pc_requires zlib)
  if(MATCHCOUNT_WITH_GRAPHML)
    string(APPEND pc_requires " expat")
  endif()
  foreach(library IN LISTS OpenMP_CXX_LIB_NAMES CMAKE_DL_LIBS)
    string(APPEND pc_libs " -l${library}")
  endforeach()
  string(APPEND pc_libs " -lstdc++ -lm")
endif()
# Found from where the file lies, so that an installed tree may be moved.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/matchcount.pc.in ${PROJECT_BINARY_DIR}/matchcount.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/matchcount.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The component `program` is what needs no library: the command line, and what is read about it.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
foreach(file LICENSE licences/README.md licences/LGPL-3.txt licences/GPL-3.txt README.md CHANGELOG.md docs/input.md docs/python.md docs/schema.json)
  get_filename_component(folder ${file} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()

if(MATCHCOUNT_BUILD_APPS)
  install(TARGETS matchcount_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(share ${PROJECT_BINARY_DIR}/share)
  install(FILES ${share}/man/man1/matchcount.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${share}/bash-completion/completions/matchcount
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${share}/zsh/site-functions/_matchcount DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${share}/fish/vendor_completions.d/matchcount.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
if(MATCHCOUNT_BUILD_BENCH)
  install(TARGETS matchcount_bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/datasets/published/ DESTINATION ${CMAKE_INSTALL_DATADIR}/matchcount/published
          FILES_MATCHING PATTERN "*.tsv")
endif()
