#include "core/error.hpp"
#include "core/mpi/ranks.hpp"

namespace matchcount {

bool built_with_mpi() { return false; }

std::unique_ptr<Ranks> Ranks::join() {
  throw NotCompiled("started as one of several ranks, but this build has no MPI (-DMATCHCOUNT_WITH_MPI=ON)");
}

}  // namespace matchcount
