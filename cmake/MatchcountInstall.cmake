# Installs the libraries, the headers and the CMake package `matchcount`: find_package(matchcount) gives
# matchcount::permanent and the modules below it. Headers are included as here: "permanent/permanent.hpp".
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/matchcount)

get_property(modules GLOBAL PROPERTY MATCHCOUNT_MODULES)
install(TARGETS ${modules} EXPORT matchcountTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(module IN LISTS modules)
  string(REPLACE matchcount_ "" folder ${module})
  # The folders below a module's own are private.
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
  list(FILTER headers EXCLUDE REGEX "/big_integer.hpp$")
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/matchcount/${folder})
endforeach()

set(boost_components "")
if(MATCHCOUNT_WITH_GRAPHML)
  set(boost_components "COMPONENTS graph")
endif()
install(EXPORT matchcountTargets NAMESPACE matchcount:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/matchcountConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/matchcountConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/matchcountConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/matchcountConfig.cmake ${PROJECT_BINARY_DIR}/matchcountConfigVersion.cmake
        DESTINATION ${package_folder})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(MATCHCOUNT_BUILD_APPS)
  install(TARGETS matchcount_app matchcount_bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(share ${PROJECT_BINARY_DIR}/share)
  install(FILES ${share}/man/man1/matchcount.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${share}/bash-completion/completions/matchcount
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${share}/zsh/site-functions/_matchcount DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
