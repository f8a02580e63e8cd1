# Finds GMP, the GNU multiple precision arithmetic library, as the target GMP::GMP. Installed with the library, for those who
# link it when it is static.
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY gmp)
mark_as_advanced(GMP_INCLUDE_DIR GMP_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GMP REQUIRED_VARS GMP_LIBRARY GMP_INCLUDE_DIR REASON_FAILURE_MESSAGE
  "Integers of any size are calculated by it. Install it (libgmp-dev), or say where it is: -DCMAKE_PREFIX_PATH=FOLDER, of include/gmp.h and lib/libgmp.a")
if(GMP_FOUND AND NOT TARGET GMP::GMP)
  add_library(GMP::GMP UNKNOWN IMPORTED)
  set_target_properties(GMP::GMP PROPERTIES IMPORTED_LOCATION "${GMP_LIBRARY}"
                                            INTERFACE_INCLUDE_DIRECTORIES "${GMP_INCLUDE_DIR}")
endif()
