#pragma once
// Shares sums over numbered pieces among threads, GPUs and ranks; what is done may be saved in a checkpoint, and the
// rest resumed. Who sums a piece knows how; what is left to do, and what was done, is known here.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/api.hpp"
#include "core/checkpoint.hpp"
#include "core/completed_ranges.hpp"
#include "core/run.hpp"

namespace MATCHCOUNT_API matchcount {

// Bytes from one rank to another, at both ends.
struct Outgoing {
  int to = 0;
  std::span<const std::byte> bytes;
};
struct Incoming {
  int from = 0;
  std::span<std::byte> bytes;
};
// Copies what a rank sends itself, in order. Throws Error where the sizes differ.
void copy_own(int rank, std::span<const Outgoing> outgoing, std::span<const Incoming> incoming);

struct Job {
  std::string name;         // unique within a run, e.g. "block 2, residues 0 to 3"
  std::string description;  // all that a piece's record depends on but for the input, for people; equal or refused
  std::uint64_t num_pieces = 1;
  CompletedRanges::Merge merge;
};

// Pieces gives work to those who sum and takes their records. Any number of threads.
class Pieces {
 public:
  virtual ~Pieces() = default;
  // Takes at most so many neighbouring pieces that nobody else does, in rising order; nothing if none is left to take.
  // May wait for other ranks.
  virtual std::optional<CompletedRanges::Span> take_some(std::uint64_t most) = 0;
  virtual void give(CompletedRanges::Range range) = 0;
  // One at a time.
  std::optional<std::uint64_t> take() {
    const auto span = take_some(1);
    return span ? std::optional(span->first) : std::nullopt;
  }
  void give(std::uint64_t piece, Bytes record) { give({piece, 1, std::move(record)}); }
  // Lets the next file that a method writes, with what it has of a piece, have the pieces that are done.
  virtual void keep() {}
  // Returns the share of all pieces that all ranks have done, in [0, 1].
  virtual double share_done() = 0;
};

// One process, with or without a checkpoint. core/mpi/ has one for many.
class Work {
 public:
  // `checkpoint` may be null; it outlives this.
  explicit Work(Checkpoint* checkpoint = nullptr) : checkpoint_(checkpoint) {}
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // Says what this is a run of; see Checkpoint::identify. Once a run.
  virtual void identify(const std::vector<std::pair<std::string, std::string>>& fields);

  // Makes a choice that a run that resumes, and other ranks, must make alike: what the checkpoint or the first rank
  // says, else `mine`.
  virtual std::string decide(const std::string& name, const std::string& mine);

  // Returns an earlier decision, if there was one.
  virtual std::optional<std::string> decided(const std::string& name);

  // Calls execute, which takes and gives pieces until there are none or it has reason to end, and returns all that is
  // done, by whomever and whenever. What an exception interrupts is saved first.
  virtual CompletedRanges run(const Job& job, const std::function<void(Pieces&)>& execute);

  virtual int num_ranks() const { return 1; }
  // Says whether this is the rank that has the checkpoint and the answer.
  virtual bool is_first() const { return true; }
  // Says whether a job was finished before, in the checkpoint. Asked by all ranks.
  bool is_done(const Job& job, const RunContext& run);

  // Ranks speak to each other by these where work is no sum of pieces, each on the thread that made this, outside of
  // run. All of them call the first alike. Both throw as `run` does if others do not come within a moment after.
  virtual int rank() const { return 0; }
  // Returns the message of every rank, by rank.
  virtual std::vector<Bytes> tell_all(Bytes mine, const RunContext& run);
  // Exchanges bytes: those that a rank sends to another come there in the same order, in pieces of the same sizes.
  // Returns when all of this rank's is sent and received.
  virtual void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming, const RunContext& run);

  // Null on ranks but the first.
  Checkpoint* checkpoint() const { return checkpoint_; }
  // Says whether finished work is kept, so that a run which does not end in its time is not in vain.
  virtual bool keeps() const { return checkpoint_ != nullptr; }

 protected:
  // Returns the saved records of a job.
  CompletedRanges restored(const Job& job) const;
  void save(const Job& job, const CompletedRanges& completed);

 private:
  Checkpoint* checkpoint_;
};

// Runs a job by run.work() or, if there is none, here.
CompletedRanges run_job(const Job& job, const RunContext& run, const std::function<void(Pieces&)>& execute);
// Returns the record of a job's pieces, all of them. Throws Error where some are missing.
Bytes total_of(const CompletedRanges& completed);
// Does both with threads that take a piece at a time and make its record, told what share of all is done.
Bytes sum_on_threads(int num_threads, const Job& job, const RunContext& run,
                     const std::function<Bytes(std::uint64_t piece, double share_done)>& record_of);

// Makes a choice as Work::decide does, of the name "part, name", for any value that has bytes.
template <class T>
T agreed(const T& mine, const std::string& name, const RunContext& run) {
  if (!run.work()) return mine;
  const Bytes bytes = to_bytes(mine);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return ByteReader(run.work()->decide(run.part() + ", " + name, text)).get<T>();
}

}  // namespace matchcount
