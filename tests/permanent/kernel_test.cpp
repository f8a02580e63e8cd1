// The kernels' source, without a GPU: the same text compiled as C++ and run, and compiled for GPUs by NVRTC.

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"
#include "permanent/cuda/kernel_sum.hpp"
#include "support/catch.hpp"
#include "support/instances.hpp"
#include "support/skip.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using test::Family;
using test::Instance;
using test::IntegerWeights;
using test::RealWeights;

namespace {

constexpr std::uint64_t seed = 31415;
const RunOptions run{.num_threads = 2, .seed = seed};
constexpr std::array all_variants{RyserVariant::staged, RyserVariant::skipper, RyserVariant::sparyser,
                                  RyserVariant::ryser};

// A folder that goes away.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "matchcount-kernels-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Runs kernels as host code. Compiling takes longest, so kernels are collected in a first pass over all instances (where
// every sum is 0), compiled together, and run in a second one.
class HostKernels {
 public:
  gpu::TaskRunner runner() {
    return [this](const gpu::KernelSource& source, std::uint64_t num_chunks, GpuReport&, const gpu::Combine& combine) {
      if (!library_) {
        numbers_.emplace(source.text, numbers_.size());
        return;
      }
      const std::string name = "sum_" + std::to_string(numbers_.at(source.text));
      using Sum = void (*)(const void*, const void*, unsigned long long, void*);
      const auto sum = reinterpret_cast<Sum>(dlsym(library_, name.c_str()));
      REQUIRE(sum != nullptr);
      std::vector<std::byte> sums(num_chunks * source.out_bytes);
      sum(source.base.data(), source.columns.data(), num_chunks, sums.data());
      combine(sums);
    };
  }

  void compile() {
    const std::string text = (folder_.path() / "kernels.cpp").string(), object = (folder_.path() / "kernels.so").string();
    std::ofstream file(text);
    file << "#include <cmath>\n";
    for (const auto& [source, number] : numbers_) {
      file << "namespace k" << number << " {\nusing std::fma; using std::fabs; using std::fmaf;\n"
           << source << "\nextern \"C\" void sum_" << number
           << "(const void* base, const void* columns, u64 num_chunks, void* out) {\n"
              "  const RowSum* c = (const RowSum*)columns;\n"
              "  for (u64 chunk = 0; chunk < num_chunks; ++chunk) {\n"
              "    Walk walk; Sum sum;\n"
              "    sum_chunk(walk, chunk, (const RowSum*)base, c, c + TOP_LEVEL * ROWS, sum);\n"
              "    sum.write((Sum::Out*)out + chunk * Sum::out_words);\n  }\n}\n}\n";
    }
    file.close();
    const std::string command = std::string(MATCHCOUNT_CXX) + " -std=c++17 -O0 -w -shared -fPIC -o " + object + " " + text;
    REQUIRE(std::system(command.c_str()) == 0);
    library_ = dlopen(object.c_str(), RTLD_NOW);
    REQUIRE(library_ != nullptr);
  }
  ~HostKernels() {
    if (library_) dlclose(library_);
  }

 private:
  TemporaryFolder folder_;
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

Block<std::int64_t> block_of(const Instance<std::int64_t>& instance) {
  BipartiteGraph graph = instance.graph();
  std::vector<std::int64_t> entries;
  if (graph.num_edges() > 0) entries = std::get<std::vector<std::int64_t>>(graph.weights());
  return {graph.pattern(), entries, {}, {}};
}
Block<RealEntry> block_of(const Instance<DoubleDouble>& instance) {
  BipartiteGraph graph = instance.graph();
  std::vector<RealEntry> entries;
  if (graph.num_edges() > 0) {
    for (const DoubleDouble& value : std::get<std::vector<DoubleDouble>>(graph.weights()))
      entries.push_back({value, magnitude(value)});
  }
  return {graph.pattern(), entries, {}, {}};
}
Block<ComplexEntry> block_of(const Instance<ComplexDoubleDouble>& instance) {
  BipartiteGraph graph = instance.graph();
  std::vector<ComplexEntry> entries;
  if (graph.num_edges() > 0) {
    for (const ComplexDoubleDouble& value : std::get<std::vector<ComplexDoubleDouble>>(graph.weights()))
      entries.push_back({value, magnitude(value)});
  }
  return {graph.pattern(), entries, {}, {}};
}

}  // namespace

TEST_CASE("kernels are exact on integers of every kind and variant") {
  HostKernels kernels;
  in_two_passes(kernels, [&](bool check) {
    int turn = 0;
    for (std::size_t n = 9; n <= 15; ++n) {
      for (const Family family : test::all_families) {
        const auto weights = test::all_integer_weights[static_cast<std::size_t>(turn) % test::all_integer_weights.size()];
        const RyserVariant variant = all_variants[static_cast<std::size_t>(turn / 2) % all_variants.size()];
        ++turn;
        const auto instance = test::integer_instance(family, weights, n, seed);
        const auto block = block_of(instance);
        GpuReport report;
        const Integer value =
            gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), run, kernels.runner(), report);
        if (!check) continue;
        INFO(to_string(instance));
        CAPTURE(static_cast<int>(variant), report.inner_bits);
        REQUIRE(value == test::exact_permanent(instance));
      }
    }
  });
}

TEST_CASE("kernels keep within the bound on reals of every kind, variant and precision") {
  HostKernels kernels;
  in_two_passes(kernels, [&](bool check) {
    int turn = 0;
    for (std::size_t n = 9; n <= 14; ++n) {
      for (const Family family : test::all_families) {
        const auto weights = test::all_real_weights[static_cast<std::size_t>(turn) % test::all_real_weights.size()];
        const RyserVariant variant = all_variants[static_cast<std::size_t>(turn / 3) % all_variants.size()];
        constexpr std::array precisions{Precision::float64, Precision::compensated, Precision::double_double};
        const Precision precision = precisions[static_cast<std::size_t>(turn / 2) % 3];
        ++turn;
        const auto instance = test::real_instance(family, weights, n, seed);
        const auto block = block_of(instance);
        GpuReport report;
        const RealValue result =
            gpu::kernel_sum(block, plan_ryser(block.pattern, variant, seed), precision, run, kernels.runner(), report);
        if (!check) continue;
        INFO(to_string(instance));
        const auto truth = test::exact_permanent(instance);
        const double log2_difference = test::log2_abs(test::dyadic(result.value) - truth);
        CAPTURE(static_cast<int>(variant), static_cast<int>(precision), log2_difference, result.log2_error);
        REQUIRE(log2_difference <= result.log2_error + 1e-9);
      }
    }
  });
}
