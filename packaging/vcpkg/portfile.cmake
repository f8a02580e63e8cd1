# The library, from this clone: vcpkg install matchcount --overlay-ports=packaging/vcpkg
set(SOURCE_PATH ${CURRENT_PORT_DIR}/../..)
vcpkg_cmake_configure(SOURCE_PATH ${SOURCE_PATH}
  OPTIONS -DMATCHCOUNT_BUILD_APPS=OFF -DMATCHCOUNT_BUILD_C=OFF -DMATCHCOUNT_BUILD_TESTS=OFF -DMATCHCOUNT_UNITY_BUILD=ON
          -DMATCHCOUNT_WITH_CUDA=OFF -DMATCHCOUNT_WITH_MPI=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/matchcount)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
