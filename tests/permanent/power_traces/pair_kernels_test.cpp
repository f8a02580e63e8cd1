// The text of the kernels of sums over pairs, on the host, and the kernels on GPUs: against the CPU, which is tested
// against the definition.

#include "core/bytes.hpp"
#include "core/numbers/residue.hpp"
#include "core/random.hpp"
#include "matchcount/count.hpp"
#include "permanent/power_traces/cuda/pair_gpu.hpp"
#include "permanent/power_traces/pair_sum.hpp"
#include "permanent/ryser/short_work.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/graphs.hpp"
#include "support/skip.hpp"
//
#include "support/host_gpu.hpp"

namespace host_gpu {

#define MC_DEVICE inline
#define MC_TABLE constexpr
#define MC_UNROLL
#define MC_ROLLED

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "permanent/power_traces/cuda/pair_kernels.cuh"
#pragma GCC diagnostic pop

}  // namespace host_gpu

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261126;

GraphBlock<std::int64_t> random_block(Vertex vertices, Random& random) {
  const UndirectedGraph graph =
      with_integers(random_graph(vertices, 0.4 + 0.6 * random.uniform(), random), -2, 5, random);
  return {graph.pattern(), std::get<std::vector<std::int64_t>>(graph.weights())};
}

// Sums up all pieces, the tasks of each as one block after the other.
std::vector<std::uint64_t> residues_on_host(const gpu::PairKernel& kernel) {
  const gpu::PairFrame& frame = kernel.frame;
  const auto as_doubles = [](const std::vector<std::byte>& bytes) { return unpacked<double>(bytes); };
  const std::vector<double> matrices = as_doubles(kernel.kernel.data[0]);
  const auto moduli = unpacked<gpu::PairModulus>(kernel.kernel.data[1]);
  std::vector<double> scratch(kernel.kernel.scratch_bytes / sizeof(double));
  std::vector<std::uint32_t> sums((kernel.tasks_of_piece()) << frame.path_bits);
  REQUIRE(sums.size() == kernel.kernel.tasks_of_pass());
  for (std::size_t task = 0; task < sums.size(); ++task) {
    host_gpu::Launch(1, kernel.kernel.threads, kernel.kernel.shared_bytes, [&] {
      const auto sum = kernel.kernel.name == "sum_pairs_7" ? host_gpu::sum_pairs<7> : host_gpu::sum_pairs<8>;
      sum(frame, matrices.data(), moduli.data(), task, scratch.data(), &sums[task]);
    }).run();
  }
  return unpacked<std::uint64_t>(kernel.record(std::as_bytes(std::span(sums))));
}

}  // namespace

TEST_CASE("the kernels' text gives the residues of hafnians, of 14 to 24 vertices and paths of any length") {
  Random random(seed, 1);
  int runs_of_7 = 0;
  for (int instance = 0; instance < 12; ++instance) {
    const int num_pairs = 7 + instance % 6;
    const auto block = random_block(static_cast<Vertex>(2 * num_pairs), random);
    const Integer truth = hafnian_by_pairs(block, RunContext(RunOptions()));
    const std::vector<std::uint64_t> primes = primes_for(70, 1 << 24);
    std::vector<std::vector<double>> entries;
    for (const std::uint64_t prime : primes) {
      std::vector<double> matrix(static_cast<std::size_t>(num_pairs * (2 * num_pairs - 1)));
      for (EdgeId e = 0; e < block.pattern.num_edges(); ++e) {
        const auto& edge = block.pattern.edges()[e];
        const auto residue = static_cast<double>(residue_of(block.entries[e], prime));
        const double balanced =
            2 * residue > static_cast<double>(prime) ? residue - static_cast<double>(prime) : residue;
        matrix[edge.column * (edge.column - 1) / 2 + edge.row] = balanced;
      }
      entries.push_back(std::move(matrix));
    }
    const int path_bits = static_cast<int>(random.below(static_cast<std::uint64_t>(num_pairs - 6)));
    const gpu::PairKernel kernel = gpu::make_pair_kernel(num_pairs, path_bits, entries, primes);
    CAPTURE(seed, instance, num_pairs, path_bits, kernel.frame.lane_bits);
    runs_of_7 += kernel.kernel.name == "sum_pairs_7";
    REQUIRE(chinese_remainder(residues_on_host(kernel), primes) == truth);
  }
  CHECK(runs_of_7 > 0);
}

TEST_CASE("a GPU sums over pairs as a CPU does, and either goes on with what the other has done", "[cuda]") {
  const FoundDevices found = find_devices();
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason);
  const DeviceContext kept(found.devices.front());
  Random random(seed, 2);
  for (Vertex vertices = 14; vertices <= 44; vertices += 2) {
    const auto block = random_block(vertices, random);
    RunOptions options;
    options.num_threads = 8;
    const Integer truth = hafnian_by_pairs(block, RunContext(options));
    CAPTURE(seed, vertices);
    REQUIRE(hafnian_by_pairs(block, RunContext(options), {found.devices.front()}) == truth);
    if (vertices < 40) continue;
    const Folder folder;
    CheckpointOptions file;
    file.file = folder.path() / "c";
    file.resume = true;
    file.program = "tests";
    std::optional<Integer> sum;
    int runs = 0;
    for (; !sum && runs < 100; ++runs) {
      Checkpoint checkpoint(file);
      ShortWork work(&checkpoint, runs == 0 ? 2 : 1 << runs);
      const RunContext run = RunContext(options, &work).in_part("block 1");
      try {
        sum = hafnian_by_pairs(block, run, runs % 2 == 0 ? std::vector<DeviceInfo>() : found.devices);
      } catch (const Cancelled&) {
        checkpoint.write();
      }
    }
    REQUIRE(sum == truth);
    CHECK(runs > 1);
  }
}
