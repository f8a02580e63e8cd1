#pragma once
// Runs the program as one rank of several: the input from the first rank, a share of the host, one voice.

#include <functional>

#include "apps/answer.hpp"
#include "apps/options.hpp"
#include "core/bytes.hpp"
#include "core/mpi/ranks.hpp"

namespace matchcount::app {

// Says whether the command spreads over ranks; others are run by the first rank alone.
bool spreads(const Options& options);
// Throws InputError for a command that takes long and whose work ranks do not share.
void refuse_idle_ranks(const Options& options);

// Calls run with options for this rank, and ends all ranks in order; the first tells of a failure. Returns the exit
// status: that of the first rank says how the run went, the others have 0.
int run_as_rank(const Options& options, const std::function<int(const Options&)>& run,
                const std::function<void(const Failure&)>& tell);

// Returns all of an input but names of vertices and what only pictures and notes take.
Bytes serialize(const Input& input);

// Gives the first rank's input on every rank, without names of vertices but there.
Input broadcast(Ranks& ranks, const std::function<Input()>& read);

// Takes this rank's share of the cores and GPUs of its host.
void take_share(Ranks& ranks, CountOptions& count);

}  // namespace matchcount::app
