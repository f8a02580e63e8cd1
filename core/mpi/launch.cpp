#include <cstdlib>

#include "core/mpi/ranks.hpp"

namespace matchcount {
namespace {

// Returns the first of the variables that is a number.
int number(std::initializer_list<const char*> names, int fallback) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return fallback;
}

}  // namespace

// Slurm's own variables are there for every step, so they count only where srun speaks PMI to the ranks.
Launch find_launch() {
  Launch launch;
  launch.size = number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}, 1);
  if (launch.size <= 1 && std::getenv("PMIX_RANK")) launch.size = number({"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, 1);
  launch.rank =
      launch.size <= 1 ? 0 : number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK"}, 0);
  return launch;
}

}  // namespace matchcount
