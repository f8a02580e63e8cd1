# Installs the libraries, the headers and the CMake package `matchcount` (find_package(matchcount) gives matchcount::permanent and
# the modules below it).
