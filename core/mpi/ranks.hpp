#pragma once
// Joins the ranks of an mpirun, and their work on the same sums (core/work.hpp). A star: every message has the first
// rank at one of its ends, which hands out pieces to whoever asks, gathers sums, decides and keeps the checkpoint, and
// computes as well. Answers do not depend on the number of ranks, nor on their speed.

#include <exception>
#include <memory>

#include "core/bytes.hpp"
#include "core/work.hpp"

namespace matchcount {

// Another rank failed, which has said why; this one ends quietly.
class EndedByOther : public Error {
 public:
  using Error::Error;
};

// Says how this process was started, as the launcher's environment has it, before MPI is touched: one rank if no
// launcher is known.
struct Launch {
  int rank = 0;
  int size = 1;
};
Launch find_launch();

bool built_with_mpi();

// Ranks lasts from MPI_Init to MPI_Finalize. One a process, made on the main thread; its functions are called there
// alone, by every rank in the same order. All throw DeviceError if MPI fails and EndedByOther if another rank failed.
class Ranks {
 public:
  // Throws NotCompiled in a build without MPI.
  static std::unique_ptr<Ranks> join();
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The rank among those of this host, and their number.
  virtual int local_rank() const = 0;
  virtual int local_size() const = 0;

  // Returns the first rank's bytes, on every rank.
  virtual Bytes broadcast(Bytes bytes) = 0;
  virtual int least(int value) = 0;
  // `checkpoint` is null but on the first rank.
  virtual std::unique_ptr<Work> work(Checkpoint* checkpoint) = 0;

  // Ends the run in order on every rank after an exception on this one; the first rank has it then, or knows it.
  virtual void fail(const std::exception& error) = 0;
};

}  // namespace matchcount
