#pragma once
// Runs GPU kernels on the host, one thread at a time: the text of generated ones compiled as C++, and that of the
// precompiled ones, which is in this program.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/work.hpp"
#include "permanent/ryser/cuda/kernel_sum.hpp"
#include "permanent/ryser/cuda/walk_frame.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
namespace host_kernels {
using std::fabs, std::fma, std::rint;
inline float fmaf(float a, float b, float c) { return std::fma(a, b, c); }
#include "permanent/ryser/cuda/kernel_library.cuh"
//
#include "permanent/ryser/cuda/precompiled_walk.cuh"
}  // namespace host_kernels
#pragma GCC diagnostic pop

namespace matchcount::test {

// The sums of so many tasks.
using SumsOfTasks = std::function<std::vector<std::byte>(const gpu::Kernel&, GpuReport&, std::uint64_t first_task,
                                                         std::uint64_t num_tasks)>;

// Returns the sums of neighbouring pieces as TaskSums::record takes them.
inline std::vector<std::byte> sums_of_pieces(const gpu::Kernel& kernel, GpuReport& report, const gpu::TaskSums& sums,
                                             const CompletedRanges::Span& pieces, const SumsOfTasks& sums_of_tasks) {
  std::vector<std::byte> result;
  for (std::uint64_t pass = 0; pass < kernel.passes; ++pass) {
    const auto of_pass =
        sums_of_tasks(kernel, report, pass * kernel.tasks_of_pass() + pieces.first * sums.tasks_of_piece,
                      (pieces.end - pieces.first) * sums.tasks_of_piece);
    result.insert(result.end(), of_pass.begin(), of_pass.end());
  }
  return result;
}

// Does what run_tasks does, a few pieces at a time.
inline gpu::TaskRunner runner_of(SumsOfTasks sums_of_tasks, Work* work = nullptr) {
  return [=](const gpu::Kernel& kernel, GpuReport& report, const gpu::TaskSums& sums) {
    REQUIRE(sums.job.num_pieces * sums.tasks_of_piece == kernel.tasks_of_pass());
    Work here;
    const CompletedRanges ledger = (work ? work : &here)->run(sums.job, [&](Pieces& pieces) {
      while (auto span = pieces.take_some(3)) {
        while (span->first < span->end) {
          const CompletedRanges::Span range = span->cut_range();
          pieces.give({range.first, range.end - range.first,
                       sums.record(sums_of_pieces(kernel, report, sums, range, sums_of_tasks))});
        }
      }
    });
    return total_of(ledger);
  };
}

// Generated kernels. Compiling takes longest, so kernels are collected in a first pass over all instances (where every
// sum is 0), compiled together, and run in a second one.
class HostKernels {
 public:
  gpu::TaskRunner runner(Work* work = nullptr) {
    if (!library_) {
      return [this](const gpu::Kernel& kernel, GpuReport&, const gpu::TaskSums& sums) {
        numbers_.emplace(kernel.source, numbers_.size());
        return sums.record({});
      };
    }
    return runner_of(
        [this](const gpu::Kernel& kernel, GpuReport&, std::uint64_t first_task, std::uint64_t num_tasks) {
          const std::string name = "sum_" + std::to_string(numbers_.at(kernel.source));
          using Sum = void (*)(const void*, const void*, unsigned long long, unsigned long long, void*);
          const auto sum = reinterpret_cast<Sum>(dlsym(library_, name.c_str()));
          REQUIRE(sum != nullptr);
          // Chunk by chunk, not added up to tasks.
          const std::uint64_t first = first_task * kernel.threads,
                              end = std::min(first + num_tasks * kernel.threads, kernel.num_chunks);
          std::vector<std::byte> sums((end - first) * kernel.out_bytes);
          sum(kernel.data[0].data(), kernel.data[1].data(), first, end, sums.data());
          return sums;
        },
        work);
  }

  void compile() {
    const std::string text = (folder_.path() / "kernels.cpp").string(),
                      object = (folder_.path() / "kernels.so").string();
    std::ofstream file(text);
    file << "#include <cmath>\n";
    for (const auto& [source, number] : numbers_) {
      file << "namespace k" << number << " {\nusing std::fma; using std::fabs; using std::fmaf;\n"
           << source << "\nextern \"C\" void sum_" << number
           << "(const void* base, const void* columns, u64 first_chunk, u64 end_chunk, void* out) {\n"
              "  const RowSum* c = (const RowSum*)columns;\n"
              "  RowSum loops[NUM_LOOPS * LOOP_SIGNS * ROWS + 1];\n"
              "  fill_loops(c, loops, 0, 1);\n"
              "  for (u64 chunk = first_chunk; chunk < end_chunk; ++chunk) {\n"
              "    Walk walk; Sum sum;\n"
              "    sum_chunk(walk, chunk, (const RowSum*)base, c, loops, sum);\n"
              "    sum.write((Sum::Out*)out + (chunk - first_chunk) * Sum::out_words);\n  }\n}\n}\n";
    }
    file.close();
    const std::string command =
        std::string(MATCHCOUNT_CXX) + " -std=c++17 -O0 -w -shared -fPIC -o " + object + " " + text;
    REQUIRE(std::system(command.c_str()) == 0);
    library_ = dlopen(object.c_str(), RTLD_NOW);
    REQUIRE(library_ != nullptr);
  }
  ~HostKernels() {
    if (library_) dlclose(library_);
  }

 private:
  Folder folder_;
  std::map<std::string, std::size_t> numbers_;
  void* library_ = nullptr;
};

// Calls `pass` twice: to collect, and to check.
template <class Pass>
void in_two_passes(HostKernels& kernels, const Pass& pass) {
  pass(false);
  kernels.compile();
  pass(true);
}

template <class Block>
std::vector<std::byte> run_precompiled_block(const gpu::Kernel& kernel, std::uint64_t first_task,
                                             std::uint64_t num_tasks) {
  using namespace host_kernels;
  using Row = typename Block::Row;
  using Sum = typename Block::Sum;
  gpu::WalkFrame frame;
  REQUIRE(kernel.parameter.size() == sizeof frame);
  std::memcpy(&frame, kernel.parameter.data(), sizeof frame);
  REQUIRE(kernel.shared_bytes >=
          (kernel.threads + Block::low_bits + 1) * static_cast<unsigned>(frame.rows) * sizeof(Row));
  REQUIRE(kernel.out_bytes == Sum::out_words * sizeof(typename Sum::Out));
  std::vector<Row> memory(static_cast<std::size_t>(frame.rows * (1 + Block::low_bits + 1)));
  const auto data = [&](std::size_t i) { return static_cast<const void*>(kernel.data[i].data()); };
  PrecompiledWork<Block> work{frame,
                              static_cast<const Row*>(data(0)),
                              static_cast<const Row*>(data(1)),
                              static_cast<const Row*>(data(2)),
                              static_cast<const double*>(data(3)),
                              static_cast<const unsigned char*>(data(4)),
                              memory.data(),
                              {},
                              0};
  std::vector<std::byte> sums(num_tasks * kernel.out_bytes);
  for (std::uint64_t task = 0; task < num_tasks; ++task) {
    const std::uint64_t first = (first_task + task) * kernel.threads;
    Sum total;
    total.clear();
    for (std::uint64_t chunk = first; chunk < std::min(first + kernel.threads, kernel.num_chunks); ++chunk) {
      Sum sum;
      work.prepare(chunk);
      work(chunk, sum);
      total.join(sum);
    }
    total.write(reinterpret_cast<typename Sum::Out*>(sums.data() + task * kernel.out_bytes));
  }
  return sums;
}

// Precompiled kernels; counts what ran, by name.
inline std::map<std::string, int> precompiled_runs;
inline std::vector<std::byte> precompiled_sums(const gpu::Kernel& kernel, GpuReport& report, std::uint64_t first_task,
                                               std::uint64_t num_tasks) {
  using namespace host_kernels;
  REQUIRE(kernel.source.empty());
  REQUIRE(report.precompiled);
  ++precompiled_runs[kernel.name];
  const std::map<std::string, std::vector<std::byte> (*)(const gpu::Kernel&, std::uint64_t, std::uint64_t)> kernels{
      {"sum_real", run_precompiled_block<FieldBlock<double, false>>},
      {"sum_compensated", run_precompiled_block<FieldBlock<double, true>>},
      {"sum_double_double", run_precompiled_block<FieldBlock<DD, false>>},
      {"sum_complex", run_precompiled_block<FieldBlock<Complex<double>, false>>},
      {"sum_complex_double", run_precompiled_block<FieldBlock<Complex<DD>, false>>},
      {"sum_exact_1", run_precompiled_block<ExactBlock<1, false>>},
      {"sum_exact_2", run_precompiled_block<ExactBlock<2, false>>},
      {"sum_exact_3", run_precompiled_block<ExactBlock<3, false>>},
      {"sum_exact_4", run_precompiled_block<ExactBlock<4, false>>},
      {"sum_residues", run_precompiled_block<ExactBlock<1, true>>}};
  return kernels.at(kernel.name)(kernel, first_task, num_tasks);
}

}  // namespace matchcount::test
