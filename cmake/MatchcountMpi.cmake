# MPI: whether the program runs over the ranks of an mpirun. Found, it is built in; asked for, it must be found.
if(NOT DEFINED MATCHCOUNT_WITH_MPI OR MATCHCOUNT_WITH_MPI)
  set(MPI_CXX_SKIP_MPICXX TRUE)  # the C interface is enough
  find_package(MPI QUIET COMPONENTS CXX)
endif()
set(mpi_found OFF)
if(MPI_CXX_FOUND)
  set(mpi_found ON)
endif()
option(MATCHCOUNT_WITH_MPI "Build for runs over the ranks of an mpirun (needs MPI 3)" ${mpi_found})
if(MATCHCOUNT_WITH_MPI AND NOT mpi_found)
  message(FATAL_ERROR "MATCHCOUNT_WITH_MPI is ON, but no MPI was found. On Debian and Ubuntu: apt-get install "
                      "libopenmpi-dev openmpi-bin; elsewhere put its mpicxx on the PATH or set MPI_HOME. Or build "
                      "without: -DMATCHCOUNT_WITH_MPI=OFF")
endif()
