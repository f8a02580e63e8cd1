#include "permanent/planar/shared_replay.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "permanent/planar/cuda/elimination_gpu.hpp"

namespace matchcount {
namespace {

// Residues modulo primes that divide no pivot.
struct Residues {
  std::vector<ReplayModulus> moduli;
  std::vector<std::uint64_t> values;

  void add(const std::vector<ReplayModulus>& of, const std::vector<std::uint64_t>& found) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      const std::size_t other = of[i].root == 0 ? i : i ^ 1;
      if (found[i] == 0 || found[other] == 0) continue;
      moduli.push_back(of[i]);
      values.push_back(found[i]);
    }
  }
  GaussianInteger value() const { return GaussianRemainder(moduli).value(values); }
};

std::vector<std::uint64_t> replay_at(const ReplayPlace& place, const EliminationProgram& program,
                                     const EntryTable& table, std::span<const ReplayModulus> moduli,
                                     const RunContext& run, Stretch stretch) {
  std::vector<std::uint64_t> values;
  if (place.gpus.empty()) {
    values = replay_elimination(program, table, moduli, run, stretch);
  } else {
    gpu::ReplayReport report;
    values = gpu::replay_elimination(program, table, moduli, place.gpus, run, stretch, &report);
    place.report.device_s += report.kernel_s;
  }
  return values;
}

// Threads, GPUs and ranks take so many moduli at once: two batches of the widest vectors, one of a GPU.
constexpr std::size_t moduli_of_piece = 32;
// Multiplications modulo a prime that a thread and a GPU do in about five seconds, after which what was done is handed
// in.
constexpr double turn_of_thread = 5e10, turn_of_gpu = 1e13;

std::uint64_t pieces_of_turn(const ReplayPlace& place, double multiplications, std::uint64_t num_pieces,
                             const RunContext& run) {
  if (!run.work()) return num_pieces;
  const double turn =
      place.gpus.empty() ? turn_of_thread * run.num_threads() : turn_of_gpu * static_cast<double>(place.gpus.size());
  const double fair = static_cast<double>(num_pieces) / (2.0 * run.work()->num_ranks());
  const double pieces = turn / (static_cast<double>(moduli_of_piece) * std::max(multiplications, 1.0));
  return static_cast<std::uint64_t>(std::ceil(std::min(pieces, fair)));
}

// Replays on all ranks, with what a checkpoint has of it.
std::vector<std::uint64_t> replay_shared(const ReplayPlace& place, const PfaffianResidues& residues,
                                         const std::vector<ReplayModulus>& moduli, const RunContext& run) {
  const std::uint64_t num_pieces = (moduli.size() + moduli_of_piece - 1) / moduli_of_piece;
  const Job job{run.part() + ", residues " + std::to_string(++place.report.num_replays),
                "a Pfaffian modulo " + std::to_string(moduli.size()) + " from " + std::to_string(moduli.front().prime) +
                    " on, " + residues.name,
                num_pieces, joined};
  const std::uint64_t turn = pieces_of_turn(place, residues.multiplications, num_pieces, run);
  const double piece_share = 1 / static_cast<double>(num_pieces);
  const double total = std::max(1.0, residues.multiplications * static_cast<double>(moduli.size()));
  return unpacked<std::uint64_t>(total_of(run_job(job, run, [&](Pieces& pieces) {
    while (const auto span = pieces.take_some(turn)) {
      const std::size_t first = span->first * moduli_of_piece;
      const std::size_t count = std::min(span->end * moduli_of_piece, moduli.size()) - first;
      const double done = pieces.share_done();
      Stopwatch stopwatch;
      const std::vector<std::uint64_t> values =
          residues.at(std::span(moduli).subspan(first, count), run,
                      {done, std::min(1.0, done + static_cast<double>(span->end - span->first) * piece_share), total});
      place.report.num_moduli += count;
      place.report.multiplications += residues.multiplications * static_cast<double>(count);
      place.report.replay_s += stopwatch.lap();
      for (std::uint64_t piece = span->first; piece < span->end; ++piece) {
        const std::size_t begin = (piece - span->first) * moduli_of_piece;
        pieces.give(piece, packed(std::span(values).subspan(begin, std::min(moduli_of_piece, count - begin))));
      }
    }
  })));
}

}  // namespace

// Primes of 30 bits have more than this; so many beyond 2^25 primes they would not. Smaller ones are not taken.
constexpr double bits_of_replay_prime = 29.9;
constexpr std::uint64_t least_replay_prime = 1'002'000'000;
double primes_for(double log2_bound) { return std::ceil((std::max(log2_bound, 0.0) + 2) / bits_of_replay_prime); }

PfaffianResidues residues_by(const ReplayPlace& place, const EliminationProgram& program, const EntryTable& table) {
  const auto at = [&](std::span<const ReplayModulus> moduli, const RunContext& run, Stretch stretch) {
    return replay_at(place, program, table, moduli, run, stretch);
  };
  return {at, program.multiplications, "by a program that gives " + std::to_string(program.residue),
          table.is_complex()};
}

GaussianInteger replay(const ReplayPlace& place, const PfaffianResidues& residues, double log2_bound,
                       const RunContext& run) {
  const std::size_t moduli_of_prime = residues.complex ? 2 : 1;
  Residues good;
  std::uint64_t limit = replay_prime_limit;
  // The few primes that are of no use are replaced in the next round.
  for (double missing = primes_for(log2_bound); missing > 0;) {
    const std::vector<ReplayModulus> moduli =
        next_moduli(limit, static_cast<std::size_t>(missing) * moduli_of_prime, residues.complex, residues.step);
    if (limit < least_replay_prime) throw Error("too few primes for a Pfaffian; please report this graph");
    good.add(moduli, replay_shared(place, residues, moduli, run));
    missing = primes_for(log2_bound) - static_cast<double>(good.moduli.size() / moduli_of_prime);
  }
  return good.value();
}

}  // namespace matchcount
