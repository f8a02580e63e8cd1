#include "bench/workload.hpp"

#include <optional>

#include "apps/text.hpp"
#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount::bench {
namespace {

constexpr Vertex largest_size = 62;
// A density at which so many seeds give no perfect matching is too small for the size.
constexpr std::uint64_t most_seeds = 10'000;

constexpr FamilySpec families[] = {
    {Family::dense, "dense", false, "double", "real, uniform in [0, 1)"},
    {Family::ones, "ones", false, "double", "all ones, in doubles; the answer is a factorial"},
    {Family::sparse, "sparse", true, "double", "random pattern, values uniform in [0, 1)"},
    {Family::zero_one, "zero-one", true, "exact double", "random pattern of ones, exactly and in doubles"},
    {Family::methods, "methods", true, "double exact",
     "every method, sparse values in doubles and the pattern's ones exactly"},
    {Family::precisions, "precisions", false, "double-double compensated double", "dense values in every arithmetic"},
    {Family::complex, "complex", false, "double-double double", "dense complex normal values"},
    {Family::scaling, "scaling", false, "double", "dense values on 1, 2, 4, 8 devices (threads of a CPU)"},
};

bool has_perfect_matching(const Matrix& matrix) { return maximum_matching(matrix).size == matrix.num_rows(); }

}  // namespace

std::span<const FamilySpec> family_table() { return families; }

Workload workload_from_name(const std::string& name) {
  std::string names;
  for (const FamilySpec& spec : families) {
    names += (names.empty() ? "" : ", ") + std::string(spec.name) + (spec.has_density ? "-N-DENSITY" : "-N");
    if (name.rfind(std::string(spec.name) + "-", 0) != 0) continue;
    std::string_view rest = std::string_view(name).substr(spec.name.size() + 1);
    const std::size_t dash = spec.has_density ? rest.find('-') : rest.npos;
    const auto size = app::parse_number<Vertex>(rest.substr(0, dash));
    std::optional<double> density = 1;
    if (spec.has_density) density = dash == rest.npos ? std::nullopt : app::parse_number<double>(rest.substr(dash + 1));
    if (!size || *size < 1 || *size > largest_size || !density || !(*density > 0 && *density <= 1)) continue;
    return {name, spec.family, *size, *density};
  }
  throw InputError("the workload '" + name + "'", "one of " + names + " with N from 1 to 62 and DENSITY above 0, to 1");
}

SeededMatrix matrix_of(const Workload& workload, std::uint64_t seed) {
  const Vertex n = workload.size;
  SeededMatrix seeded{complete_graph(n, n), seed};
  if (workload.density < 1) {
    const std::uint64_t first = seed;
    for (seeded.matrix = random_graph(n, n, workload.density, seed); !has_perfect_matching(seeded.matrix);
         seeded.matrix = random_graph(n, n, workload.density, seeded.seed)) {
      if (++seeded.seed - first == most_seeds) {
        throw InputError("the workload '" + workload.name + "', none of whose patterns has a perfect matching",
                         "more entries");
      }
    }
  }
  RandomWeights weights;
  if (workload.family == Family::ones || workload.family == Family::zero_one) return seeded;
  if (workload.family == Family::complex) weights.law = RandomWeights::Law::complex;
  seeded.matrix = with_random_weights(seeded.matrix, weights, seeded.seed);
  return seeded;
}

}  // namespace matchcount::bench
