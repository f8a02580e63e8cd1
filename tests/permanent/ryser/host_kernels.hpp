#pragma once
// Runs GPU kernels on the host, one thread at a time: their text, compiled as C++.

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/work.hpp"
#include "permanent/ryser/cuda/kernel_sum.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"

namespace matchcount::test {

// The sums of so many tasks.
using SumsOfTasks =
    std::function<std::vector<std::byte>(const gpu::Kernel&, std::uint64_t first_task, std::uint64_t num_tasks)>;

// Does what run_tasks does, a few pieces at a time.
inline gpu::TaskRunner runner_of(SumsOfTasks sums_of_tasks, Work* work) {
  return [=](const gpu::Kernel& kernel, GpuReport&, const gpu::TaskSums& sums) {
    REQUIRE(sums.job.num_pieces * sums.tasks_of_piece == kernel.num_tasks);
    const RunContext run(RunOptions(), work);
    return total_of(run_job(sums.job, run, [&](Pieces& pieces) {
      const gpu::TaskDeal deal = gpu::deal_of(kernel, sums, run, pieces);
      while (const auto span = pieces.take_some(3)) {
        const gpu::TaskSpan tasks{span->first * sums.tasks_of_piece, span->end * sums.tasks_of_piece};
        deal.give(tasks, sums_of_tasks(kernel, tasks.first, gpu::size_of(tasks)));
      }
    }));
  };
}

// Compiling takes longest, so kernels are collected in a first pass over all instances (where every sum is 0), compiled
// together, and run in a second one.
class HostKernels {
 public:
  gpu::TaskRunner runner(Work* work = nullptr) {
    if (library_) return runner_of(sums_of_tasks(), work);
    return [this](const gpu::Kernel& kernel, GpuReport&, const gpu::TaskSums& sums) {
      numbers_.emplace(kernel.source, numbers_.size());
      return sums.record({});
    };
  }

  SumsOfTasks sums_of_tasks() {
    return [this](const gpu::Kernel& kernel, std::uint64_t first_task, std::uint64_t num_tasks) {
      const std::string name = "sum_" + std::to_string(numbers_.at(kernel.source));
      using Sum = void (*)(const void*, const void*, unsigned long long, unsigned long long, void*);
      const auto sum = reinterpret_cast<Sum>(dlsym(library_, name.c_str()));
      REQUIRE(sum != nullptr);
      std::vector<std::byte> sums(num_tasks * kernel.out_bytes);
      sum(kernel.data[0].data(), kernel.data[1].data(), first_task, first_task + num_tasks, sums.data());
      return sums;
    };
  }

  void compile() {
    const std::string text = (folder_.path() / "kernels.cpp").string(),
                      object = (folder_.path() / "kernels.so").string();
    std::ofstream file(text);
    file << "#include <cmath>\n";
    for (const auto& [source, number] : numbers_) {
      file << "namespace k" << number << " {\nusing std::fma; using std::fabs; using std::fmaf;\n"
           << source << "\nextern \"C\" void sum_" << number
           << "(const void* base, const void* columns, u64 first_task, u64 end_task, void* out) {\n"
              "  const RowSum* c = (const RowSum*)columns;\n"
              "  RowSum loops[NUM_LOOPS * LOOP_SIGNS * ROWS + 1];\n"
              "  fill_loops(c, loops, 0, 1);\n"
              "  for (u64 task = first_task; task < end_task; ++task) {\n"
              "    Sum total;\n"
              "    total.clear();\n"
              "    for (u64 chunk = task * THREADS; chunk < (task + 1) * THREADS && chunk >> (BITS - WALK_BITS) == 0; "
              "++chunk) {\n"
              "      Walk walk; Sum sum;\n"
              "      sum_chunk(walk, chunk, (const RowSum*)base, c, loops, sum);\n"
              "      total.join(sum);\n    }\n"
              "    total.write((Sum::Out*)out + (task - first_task) * Sum::out_words);\n  }\n}\n}\n";
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

}  // namespace matchcount::test
