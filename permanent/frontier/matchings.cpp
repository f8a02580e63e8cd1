// Sums. A value is bounded by the product over the steps of max(1, the sum of the magnitudes of the step's weights): a
// state goes on in one way if its vertex was matched before, else in the ways that have these weights. If this bound
// asks for many primes, the magnitudes are first summed up in doubles, which tells how many primes it really takes.

#include "permanent/frontier/matchings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "core/amounts.hpp"
#include "core/bytes.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "core/work.hpp"
#include "permanent/frontier/costs.hpp"
#include "permanent/frontier/cpu/cube.hpp"
#include "permanent/frontier/cpu/matching_run.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/cuda/cube_gpu.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/order/split_graph.hpp"
#include "permanent/frontier/run_along.hpp"
#include "permanent/method.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {
namespace {

namespace costs = frontier_costs;

constexpr double bits_of_prime = 30.9;
// The same of primes below 2^15. The 211 largest of them are as large, which is more than half as many again as a plan
// may ask for.
constexpr double bits_of_small_prime = 14.9;
constexpr std::size_t most_small_primes = 130;
double bits_of(int bytes_of_residue) { return bytes_of_residue == 2 ? bits_of_small_prime : bits_of_prime; }
// More primes than this are worth a pass in doubles, which may show that fewer do.
constexpr std::size_t many_primes = 6;
// Passes are worked on side by side, a thread each, up to so much memory. Where there are too few of them, or too
// large ones, all threads share each layer that is worth it.
constexpr double bytes_side_by_side = 0x1p30;
constexpr std::uint32_t slots_of_a_team = 17;

double log2_of(const GaussianInteger& value) {
  const Integer sum = abs(value.re) + abs(value.im);
  return sum.sign() == 0 ? -std::numeric_limits<double>::infinity() : log2_abs(sum) + 1e-9;
}

// Returns log2 of the bound on top, weights being 2^log2_edge(e) and 2^log2_vertex(v).
template <class EdgeLog, class VertexLog>
double log2_bound(const FrontierSteps& steps, const EdgeLog& log2_edge, const VertexLog& log2_vertex) {
  double bound = 0;
  for (const FrontierStep& step : steps.steps) {
    double sum = log2_vertex(step.vertex);
    for (const auto& choice : step.choices) sum = log2_sum(sum, log2_edge(choice.edge)) + 1e-12;
    bound += std::max(0.0, sum);
  }
  return bound;
}

std::size_t primes_for(double log2_bound, int bytes_of_residue) {
  return static_cast<std::size_t>(std::ceil((log2_bound + 2) / bits_of(bytes_of_residue))) + 1;
}

// Says whether primes below 2^15 suffice; those of complex numbers are 1 modulo 4.
bool may_be_small(double log2_bound, bool is_complex) {
  return primes_for(log2_bound, 2) * (is_complex ? 2 : 1) <= most_small_primes;
}

std::vector<std::uint32_t> residues(const std::vector<GaussianInteger>& values, GaussianModulus modulus) {
  std::vector<std::uint32_t> result;
  result.reserve(values.size());
  for (const GaussianInteger& value : values) result.push_back(static_cast<std::uint32_t>(residue(value, modulus)));
  return result;
}

// Values of so many numbers.
double bytes_of_pass(const MatchingPlan& plan, double numbers, int bytes_of_number) {
  const double dense =
      plan.layout.first_dense < plan.steps.steps.size() ? std::exp2(plan.layout.slots) * numbers * bytes_of_number : 0;
  return std::max(dense, plan.layout.sparse_states * (numbers * std::max(bytes_of_number, 4) + 24));
}

// Work of the sparse engine alone.
struct SparseWork {
  double states = 1, transitions = 0;
};
SparseWork sparse_work(const FrontierSteps& steps) {
  SparseWork work;
  double states = 1;
  for (const FrontierStep& step : steps.steps) {
    work.transitions += states * static_cast<double>(2 + step.choices.size());
    states = step.states;
    work.states = std::max(work.states, states);
  }
  return work;
}

// Says whether dense layers are carried out as a program (cpu/cube.hpp).
bool is_cube(const MatchingPlan& plan) {
  return plan.lanes == 1 && !plan.in_integers && plan.layout.first_dense < plan.steps.steps.size();
}

CubeProgram program_of(const MatchingQuestion& question, const MatchingPlan& plan) {
  const CubeShape shape = plan.gpus.empty() ? cube_shape_of_cpu(plan.bytes_of_residue)
                                            : gpu::cube_shape_of_gpu(plan.bytes_of_residue, plan.log2_team);
  return cube_program(plan.steps, plan.layout, plan.reflection ? &*plan.reflection : nullptr, question.unmatched,
                      question.pattern.num_edges(), shape);
}
// Returns the seconds of a pass on one thread.
double cpu_seconds(const CubeProgram& program, int bytes_of_residue) {
  return bytes_of_residue * (2 * costs::byte_s * program.places_moved + costs::transition_byte_s * program.transitions);
}

// Takes the steps of one half of the graph instead, if it has a reflection along which they take less.
void take_half(const MatchingQuestion& question, MatchingPlan& plan, const RunContext& run) {
  constexpr double worth_a_look = 0x1p22;  // transitions
  const UnmatchedVertices& left_out = question.unmatched;
  const auto may_be = static_cast<std::uint32_t>(std::ranges::count(left_out.may_be, true));
  if (!question.is_uniform || !is_cube(plan) || left_out.maximal || left_out.most < may_be ||
      plan.layout.dense_transitions < worth_a_look)
    return;
  MatchingPlan half = plan;
  half.reflection = find_reflection(question.pattern, left_out.may_be, run);
  if (!half.reflection) return;
  half.steps = matching_steps(question.pattern, half.reflection->sequence, left_out, true);
  half.layout = matching_layout(half.steps);
  half.layout.slots = std::max(half.layout.slots, static_cast<std::uint32_t>(half.reflection->middle.size()));
  if (!is_cube(half)) return;
  if (cpu_seconds(program_of(question, half), 4) < cpu_seconds(program_of(question, plan), 4)) plan = std::move(half);
}

// Divides the work: so many passes side by side, each by so many threads.
struct Teams {
  int passes = 1, threads = 1;
};
Teams teams_of(const MatchingPlan& plan, std::size_t passes, const RunContext& run) {
  if (plan.seconds > 0 && plan.seconds < costs::worth_teams_s) return {};
  const int threads = run.num_threads();
  const auto side_by_side = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), passes));
  const double bytes = bytes_of_pass(plan, static_cast<double>(plan.lanes), plan.bytes_of_residue) * side_by_side;
  const bool fits = bytes < bytes_side_by_side && run.has_memory_for(bytes);
  if (plan.layout.slots >= slots_of_a_team && (side_by_side < threads || !fits)) return {1, threads};
  return {fits ? side_by_side : 1, 1};
}

// -- Exactly.

class ExactSum {
 public:
  ExactSum(const MatchingQuestion& question, const MatchingPlan& plan, const std::vector<GaussianInteger>& edges,
           const std::vector<GaussianInteger>& vertices, const RunContext& run)
      : question_(question), plan_(plan), edges_(edges), vertices_(vertices), run_(run) {
    const auto has_imaginary = [](const GaussianInteger& value) { return value.im.sign() != 0; };
    complex_ = std::ranges::any_of(edges, has_imaginary) || std::ranges::any_of(vertices, has_imaginary);
    if (plan.in_integers) return;
    double bound = log2_bound(
        plan.reflection ? matching_steps(question.pattern, plan.sequence, question.unmatched) : plan.steps,
        [&](EdgeId e) { return log2_of(edges[e]); }, [&](Vertex v) { return log2_of(vertices[v]); });
    if (primes_for(bound, 4) > many_primes) bound = std::clamp(measured_bound(), 0.0, bound);
    std::uint64_t limit = limit_of_primes();
    const std::size_t needed = moduli_for(bound, limit, bits_of(plan.bytes_of_residue), complex_).size();
    moduli_ = next_moduli(limit, agreed(std::max<std::size_t>(complex_ ? 2 : 1, needed), "primes", run), complex_);
  }

  std::vector<GaussianInteger> run() {
    if (plan_.in_integers) return in_integers();
    const std::size_t passes = moduli_.size();
    const Job job{run_.part() + ", matchings",
                  "sum over matchings, " + std::to_string(plan_.lanes) + " coefficients modulo " +
                      std::to_string(passes / (complex_ ? 2 : 1)) +
                      (plan_.bytes_of_residue == 2 ? " primes below 2^15" : " primes below 2^31"),
                  passes, joined};
    Teams teams = teams_of(plan_, passes, run_);
    if (!plan_.gpus.empty()) teams = {static_cast<int>(std::min(passes, plan_.gpus.size() >> plan_.log2_team)), 1};
    if (is_cube(plan_)) program_ = program_of(question_, plan_);
    const Bytes all = sum_on_threads(teams.passes, job, run_, [&](std::uint64_t piece, double share_done) {
      return packed(pass(piece, teams.threads, {share_done, 1.0 / static_cast<double>(passes)}));
    });
    return combined(unpacked<std::uint32_t>(all));
  }

 private:
  Grade grade() const {
    switch (question_.wanted) {
      case MatchingQuestion::Wanted::by_pairs:
        return Grade::pairs;
      case MatchingQuestion::Wanted::most_unmatched:
        return Grade::left_out;
      default:
        return Grade::none;
    }
  }
  std::uint64_t limit_of_primes() const { return plan_.bytes_of_residue == 2 ? std::uint64_t{1} << 15 : residue_limit; }
  std::size_t num_values() const { return grade() == Grade::pairs ? plan_.lanes : 1; }

  std::vector<GaussianInteger> in_integers() const {
    const std::string description = "sum over matchings, " + std::to_string(plan_.lanes) + " coefficients in integers";
    const Bytes all = run_here(run_, FrontierSpread::first_rank, run_.part() + ", matchings", description, [&] {
      const auto reals = [](const std::vector<GaussianInteger>& given) {
        std::vector<Integer> result;
        for (const GaussianInteger& value : given) result.push_back(value.re);
        return result;
      };
      Graded<Objects<Integer>> numbers({reals(edges_), reals(vertices_)}, grade(), plan_.lanes);
      ByteWriter out;
      for (const Integer& value : MatchingRun(plan_.steps, plan_.layout, numbers, 1, run_).run())
        out.put(to_decimal(value));
      return out.take();
    });
    std::vector<GaussianInteger> sums;
    for (ByteReader in(all); !in.at_end();) sums.push_back({Integer(in.get<std::string>()), 0});
    if (grade() == Grade::left_out) sums = {sums.back()};
    return sums;
  }

  std::vector<std::uint32_t> pass(std::uint64_t piece, int threads, ShareOfRuns share) const {
    const GaussianModulus& modulus = moduli_[piece];
    Graded<Residues> numbers(
        {residues(edges_, modulus), residues(vertices_, modulus), static_cast<std::uint32_t>(modulus.prime)}, grade(),
        plan_.lanes);
    MatchingRun<Residues>::Elsewhere elsewhere;
    if (is_cube(plan_)) {
      elsewhere.frontier = program_.frontier;
      if (plan_.gpus.empty()) elsewhere.bytes = static_cast<double>(plan_.bytes_of_residue) * std::exp2(program_.slots);
      elsewhere.run = [&](const CubeStart& start, const std::function<void(double)>& done) {
        const auto prime = static_cast<std::uint32_t>(modulus.prime);
        std::unique_ptr<CubeMachine> machine = taken_machine(threads);
        const std::uint32_t value = machine->run(
            start, cube_weights(residues(edges_, modulus), residues(vertices_, modulus), prime), prime, done);
        const std::lock_guard lock(machines_mutex_);
        machines_.push_back(std::move(machine));
        return value;
      };
    }
    std::vector<std::uint32_t> values =
        MatchingRun(plan_.steps, plan_.layout, numbers, threads, run_, share, std::move(elsewhere)).run();
    if (grade() == Grade::left_out) values = {values.back()};
    return values;
  }

  // Returns a machine that is idle, or another.
  std::unique_ptr<CubeMachine> taken_machine(int threads) const {
    std::size_t number;
    {
      const std::lock_guard lock(machines_mutex_);
      if (!machines_.empty()) {
        std::unique_ptr<CubeMachine> machine = std::move(machines_.back());
        machines_.pop_back();
        return machine;
      }
      number = num_machines_++;
    }
    if (const std::size_t members = std::size_t{1} << plan_.log2_team; !plan_.gpus.empty()) {
      const std::size_t team = number % (plan_.gpus.size() / members);
      return gpu::cube_on_gpus(program_, plan_.bytes_of_residue,
                               std::span(plan_.gpus).subspan(team * members, members));
    }
    return cube_on_cpu(program_, plan_.bytes_of_residue, threads, std::min(run_.options().max_isa, detected_isa()));
  }

  std::vector<GaussianInteger> combined(const std::vector<std::uint32_t>& values) const {
    std::vector<GaussianInteger> result;
    std::vector<std::uint64_t> of_value(moduli_.size());
    const GaussianRemainder remainder(moduli_);
    for (std::size_t k = 0; k < num_values(); ++k) {
      for (std::size_t i = 0; i < of_value.size(); ++i) of_value[i] = values[i * num_values() + k];
      result.push_back(remainder.value(of_value));
    }
    return result;
  }

  // Returns log2 of a sum that is not below that of the magnitudes, over the matchings of a graph of less width, in
  // doubles: vertices that would make the frontier too wide are split in two, each with some of the edges, so that they
  // may be matched twice.
  double measured_bound() const {
    double scale = 0;
    for (const GaussianInteger& value : edges_) scale = std::max(scale, log2_of(value) / 2);
    for (const GaussianInteger& value : vertices_) scale = std::max(scale, log2_of(value));
    scale = std::ceil(scale);
    const auto scaled = [](const GaussianInteger& value, double log2_scale) {
      ScaledReal size = nearest_real(abs(value.re) + abs(value.im));
      if (!size.is_zero()) size.exponent -= static_cast<std::int64_t>(log2_scale);
      // Rounds up, and to no less than a double holds.
      return size.is_zero() ? 0 : std::max(0x1p-900, size.to_double() * (1 + 0x1p-50));
    };
    // Maximal matchings of a graph with more vertices may be fewer.
    const UnmatchedVertices& left_out = question_.unmatched;
    const SplitGraph split = split_graph(question_.pattern, plan_.sequence,
                                         left_out.maximal ? question_.pattern.num_vertices() : width_of_bound());
    std::vector<double> edges, vertices;
    for (const EdgeId edge : split.edge_of) edges.push_back(scaled(edges_[edge], 2 * scale));
    for (std::size_t v = 0; v < split.vertex_of.size(); ++v) {
      // One that is matched leaves the other part of its vertex unmatched, for the weight 1.
      const double one = split.is_part[v] ? std::exp2(-scale) : 0;
      vertices.push_back(std::max(one, scaled(vertices_[split.vertex_of[v]], scale)));
    }
    std::vector<bool> may_be;
    for (std::size_t v = 0; v < split.vertex_of.size(); ++v)
      may_be.push_back(split.is_part[v] || left_out.may_be[split.vertex_of[v]]);
    const Vertex most = left_out.maximal ? left_out.most : split.graph.num_vertices();
    const FrontierSteps steps = matching_steps(split.graph, split.sequence, {may_be, most, left_out.maximal});
    const MatchingLayout layout = matching_layout(steps);
    Graded<Floats> numbers({FloatKind::real, steps, std::move(edges), std::move(vertices)}, Grade::none, 1);
    const std::vector<double> value = MatchingRun(steps, layout, numbers, run_.num_threads(), run_, {0, 0}).run();
    const double log2_value = value[0] > 0 ? std::log2(value[0]) + static_cast<double>(numbers.exponent())
                                           : -std::numeric_limits<double>::infinity();
    return log2_sum(log2_value + 4 * numbers.roundings() * double_roundoff, numbers.log2_underflow()) +
           scale * static_cast<double>(split.graph.num_vertices()) + 1e-6;
  }
  // A narrower graph takes less time and has a larger bound.
  std::uint32_t width_of_bound() const {
    constexpr std::uint32_t narrower = 8, least = 16;
    return std::max(least, std::max(plan_.layout.slots, narrower) - narrower);
  }

  const MatchingQuestion& question_;
  const MatchingPlan& plan_;
  const std::vector<GaussianInteger>& edges_;
  const std::vector<GaussianInteger>& vertices_;
  const RunContext& run_;
  bool complex_ = false;
  std::vector<GaussianModulus> moduli_;
  CubeProgram program_;
  mutable std::mutex machines_mutex_;
  mutable std::vector<std::unique_ptr<CubeMachine>> machines_;  // idle
  mutable std::size_t num_machines_ = 0;
};

// -- In floating point.

// Scaled by 2^scale for a vertex and twice that for an edge.
int scale_of(const std::vector<ComplexEntry>& edges, const std::vector<ComplexEntry>& vertices) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const ComplexEntry& entry : edges) largest = std::max(largest, std::log2(entry.magnitude) / 2);
  for (const ComplexEntry& entry : vertices) largest = std::max(largest, std::log2(entry.magnitude));
  return std::isinf(largest) ? 0 : static_cast<int>(std::ceil(largest));
}

// weights(entries) has their doubles.
template <class Weights>
FloatOutcome float_sum(const MatchingPlan& plan, FloatKind kind, const std::vector<ComplexEntry>& edges,
                       const std::vector<ComplexEntry>& vertices, const std::string& what, const RunContext& run,
                       const Weights& weights) {
  const int scale = scale_of(edges, vertices);
  const std::string description = "sum over matchings in numbers of " + std::to_string(doubles_of(kind)) + " doubles";
  const std::string name = run.part() + ", matchings, " + what;
  const Bytes record = run_here(run, FrontierSpread::first_rank, name, description, [&] {
    const auto scaled = [&](const std::vector<ComplexEntry>& entries, int by) {
      std::vector<double> result = weights(entries);
      for (double& value : result) value = std::ldexp(value, -by);
      return result;
    };
    Graded<Floats> numbers({kind, plan.steps, scaled(edges, 2 * scale), scaled(vertices, scale)}, Grade::none, 1);
    const int threads = teams_of(plan, 1, run).threads;
    return to_bytes(numbers.outcome(MatchingRun(plan.steps, plan.layout, numbers, threads, run).run()));
  });
  auto sum = from_bytes<FloatOutcome>(record);
  const std::int64_t of_scale = std::int64_t{scale} * static_cast<std::int64_t>(vertices.size());
  sum.log2_underflow += static_cast<double>(of_scale);
  sum.exponent += of_scale;
  return sum;
}

// Plans to carry dense steps out on GPUs, if there are any and the choice is theirs or they are quicker. Throws Unable
// where they are asked for and their memory is too small.
void take_gpus(const MatchingQuestion& question, double log2_bound, bool is_complex, MatchingPlan& plan,
               const RunContext& run) {
  constexpr double host_bytes = 1 << 29;
  const DeviceChoice& choice = run.options().device;
  const bool is_asked = choice.kind == DeviceChoice::Kind::cuda;
  if (!is_cube(plan) || choice.kind == DeviceChoice::Kind::cpu || (!is_asked && plan.seconds < costs::worth_a_gpu_s))
    return;
  MatchingPlan there = plan;
  there.gpus = choose_devices(choice);
  if (!gpu::frontier_runs_on(there.gpus)) return;
  if (there.gpus.empty()) return;
  double room = std::numeric_limits<double>::infinity();
  for (const DeviceInfo& gpu : there.gpus) room = std::min(room, gpu::cube_bytes(gpu));
  const double states = std::exp2(plan.layout.slots);
  there.bytes_of_residue = 4 * states > room && may_be_small(log2_bound, is_complex) ? 2 : 4;
  const double bytes = there.bytes_of_residue * states;
  const auto team = [&] { return std::size_t{1} << there.log2_team; };
  if (bytes > room && reach_each_other(there.gpus))
    while (2 * team() <= there.gpus.size() && bytes > room * static_cast<double>(team())) ++there.log2_team;
  if (bytes > room * static_cast<double>(team())) {
    if (!is_asked) return;
    throw Unable("the states take " + memory_amount(bytes) + ", " +
                 (team() == 1 ? "a GPU has " : std::to_string(team()) + " GPUs together have ") +
                 memory_amount(room * static_cast<double>(team())) + " for them");
  }
  there.passes = primes_for(log2_bound, there.bytes_of_residue) * (is_complex ? 2 : 1);
  const std::size_t num_teams = there.gpus.size() / team();
  const std::size_t turns = (there.passes + num_teams - 1) / num_teams;
  there.seconds = gpu::cube_seconds(program_of(question, there), there.bytes_of_residue) * static_cast<double>(turns) /
                  run.num_ranks();
  there.memory_bytes = host_bytes;
  if (is_asked || there.seconds < plan.seconds) plan = std::move(there);
}

}  // namespace

MatchingPlan plan_matchings(const MatchingQuestion& question, double log2_weight, bool is_complex, double effort_s,
                            const RunContext& run, double most_search_s, double useful_s,
                            const std::vector<Vertex>* given) {
  using Wanted = MatchingQuestion::Wanted;
  MatchingPlan plan;
  OrderEffort effort;
  effort.seconds = effort_s;
  effort.most_seconds = most_search_s;
  effort.useful_log2_transitions = std::log2(useful_s / costs::dense_s);
  plan.sequence = given ? *given : find_matching_order(question.pattern, effort, run);
  // The search depends on limits; a run that goes on, and other ranks, take the same order.
  plan.sequence = agreed(plan.sequence, "order", run);
  plan.steps = matching_steps(question.pattern, plan.sequence, question.unmatched);
  plan.layout = matching_layout(plan.steps);
  if (question.wanted == Wanted::by_pairs) plan.lanes = question.most_pairs + std::size_t{1};
  if (question.wanted == Wanted::most_unmatched) plan.lanes = question.unmatched.most + std::size_t{1};
  const double bound = log2_bound(
      plan.steps, [&](EdgeId) { return log2_weight; },
      [&](Vertex v) {
        return question.unmatched.may_be[v] ? log2_weight / 2 : -std::numeric_limits<double>::infinity();
      });
  // The bound is about half as much again as what is measured.
  const double likely = primes_for(bound, 4) > many_primes ? bound / 1.5 : bound;
  if (!given && !is_complex) take_half(question, plan, run);
  const auto states = [&] { return std::exp2(plan.layout.slots); };
  if (is_cube(plan) && !run.has_memory_for(4 * states()) && may_be_small(likely, is_complex)) plan.bytes_of_residue = 2;
  plan.passes = primes_for(likely, plan.bytes_of_residue) * (is_complex ? 2 : 1);
  const Teams teams = teams_of(plan, plan.passes, run);
  const double lanes = static_cast<double>(plan.lanes) * (question.wanted == Wanted::by_pairs ? 0.5 : 1);
  const double dense = is_cube(plan) ? cpu_seconds(program_of(question, plan), plan.bytes_of_residue)
                                     : plan.layout.dense_transitions * (costs::dense_s + costs::lane_s * (lanes - 1));
  const double sparse_of_pass = plan.layout.sparse_transitions * (costs::sparse_s + costs::lane_s * lanes) +
                                costs::matching_step_s * static_cast<double>(plan.steps.steps.size());
  const double threads = teams.passes * (1 + 0.8 * (teams.threads - 1));
  plan.seconds = (dense + sparse_of_pass) * static_cast<double>(plan.passes) / (threads * run.num_ranks());
  plan.memory_bytes = bytes_of_pass(plan, static_cast<double>(plan.lanes), plan.bytes_of_residue) * teams.passes;
  take_gpus(question, likely, is_complex, plan, run);
  plan.bytes_of_residue = agreed(plan.bytes_of_residue, "bytes of a residue", run);
  // On the way to the answer values have half of its bits, graded ones fewer. Half of the weights may be as long as the
  // longest.
  const double bytes = bound / 16;
  const SparseWork sparse = sparse_work(plan.steps);
  const double in_integers =
      sparse.transitions *
          (costs::sparse_s + lanes * (costs::integer_s + costs::integer_word_s * bytes / 8 * (1 + log2_weight / 128))) +
      costs::matching_step_s * static_cast<double>(plan.steps.steps.size());
  plan.in_integers =
      agreed(!is_complex && !plan.reflection && plan.gpus.empty() && sparse.states < 1e6 && in_integers < plan.seconds,
             "numbers", run);
  if (plan.in_integers) {
    plan.seconds = in_integers;
    plan.passes = 1;
    plan.memory_bytes = 2 * sparse.states * (24 + static_cast<double>(plan.lanes) * (sizeof(Integer) + bytes));
  }
  plan.description = "width " + std::to_string(plan.steps.max_width) + ", at most " +
                     two_to(std::max<double>(plan.layout.slots, std::log2(plan.layout.sparse_states + 1))) + " states" +
                     (plan.lanes > 1 ? " of " + std::to_string(plan.lanes) + " coefficients" : "") +
                     (plan.in_integers ? ", in integers that grow"
                                       : ", modulo " + std::to_string(plan.passes / (is_complex ? 2 : 1)) + " primes") +
                     (plan.bytes_of_residue == 2 ? " of 15 bits" : "") +
                     (plan.reflection ? ", of half of the graph" : "") +
                     (plan.log2_team > 0 ? ", on " + std::to_string(1 << plan.log2_team) + " GPUs together" : "");
  return plan;
}

MatchingPlan plan_for_floats(MatchingPlan plan, int doubles, const RunContext& run) {
  const Teams teams = teams_of(plan, 1, run);
  const double number_s = costs::dense_in_doubles_s[doubles];
  const double seconds = plan.layout.dense_transitions * number_s +
                         plan.layout.sparse_transitions * (costs::sparse_s + number_s) +
                         costs::matching_step_s * static_cast<double>(plan.steps.steps.size());
  plan.passes = 1;
  plan.in_integers = false;
  plan.bytes_of_residue = 4;
  plan.gpus.clear();
  plan.log2_team = 0;
  plan.seconds = 2 * seconds / (1 + 0.8 * (teams.threads - 1));
  plan.memory_bytes = bytes_of_pass(plan, doubles, 8);
  plan.description = plan.description.substr(0, plan.description.find(" states") + 7) + ", in numbers of " +
                     std::to_string(doubles) + (doubles == 1 ? " double" : " doubles");
  return plan;
}

std::vector<GaussianInteger> sum_matchings(const MatchingQuestion& question, const MatchingPlan& plan,
                                           const std::vector<GaussianInteger>& edges,
                                           const std::vector<GaussianInteger>& vertices, const RunContext& run) {
  return ExactSum(question, plan, edges, vertices, run).run();
}

bool are_uniform(const std::vector<GaussianInteger>& edges, const std::vector<GaussianInteger>& vertices) {
  const auto is_one_or_zero = [](const GaussianInteger& vertex) {
    return vertex == GaussianInteger{} || vertex == GaussianInteger{1, 0};
  };
  return std::ranges::all_of(edges, [&](const GaussianInteger& edge) { return edge == edges.front(); }) &&
         std::ranges::all_of(vertices, is_one_or_zero);
}

bool floats_hold(const std::vector<ComplexEntry>& edges, const std::vector<ComplexEntry>& vertices) {
  const int scale = scale_of(edges, vertices);
  const auto holds = [](const std::vector<ComplexEntry>& entries, int by) {
    return std::ranges::all_of(entries, [&](const ComplexEntry& entry) {
      return entry.magnitude == 0 || std::log2(entry.magnitude) - by > -900;
    });
  };
  return holds(edges, 2 * scale) && holds(vertices, scale);
}

ComplexValue sum_matchings(const MatchingQuestion& question, const MatchingPlan& plan,
                           const std::vector<ComplexEntry>& edges, const std::vector<ComplexEntry>& vertices,
                           bool is_real, Precision precision, const RunContext& run) {
  const FloatKind kind = float_kind(is_real, precision);
  const FloatOutcome value = float_sum(plan, kind, edges, vertices, "values", run,
                                       [&](const auto& entries) { return float_weights(kind, entries); });
  const FloatOutcome magnitudes = float_sum(plan, FloatKind::real, edges, vertices, "magnitudes", run,
                                            [](const auto& entries) { return magnitudes_of(entries); });
  return bounded<ComplexValue>(kind, value, log2_of_magnitudes(magnitudes), question.pattern.num_vertices());
}

// -- Minimum-weight matchings.

MatchingPlan plan_lightest(const UndirectedGraph& pattern, double effort_s, const RunContext& run) {
  OrderEffort effort;
  effort.seconds = effort_s;
  MatchingPlan plan;
  plan.sequence = find_matching_order(pattern, effort, run);
  plan.steps = matching_steps(pattern, plan.sequence, {std::vector<bool>(pattern.num_vertices(), false), 0});
  plan.layout.first_dense = plan.steps.steps.size();
  // About a tenth of the possible states occur.
  double states = 1, most = 1;
  for (const FrontierStep& step : plan.steps.steps) {
    plan.seconds +=
        costs::lightest_transition_s * states * static_cast<double>(1 + step.choices.size()) + costs::matching_step_s;
    most = std::max(most, states + step.states);
    states = step.states;
  }
  plan.memory_bytes = most * (sizeof(Lightest<Integer>) + 24);
  plan.description = "width " + std::to_string(plan.steps.max_width) + ", weights and numbers of matchings";
  return plan;
}

LightestMatchings lightest_matchings(const MatchingPlan& plan, const std::vector<Integer>& weights,
                                     const RunContext& run) {
  const auto lightest = [&]<class Weight>(Weight) -> LightestMatchings {
    std::vector<Lightest<Weight>> of_edges;
    for (const Integer& weight : weights) of_edges.emplace_back(static_cast<Weight>(weight), 1);
    Graded<Objects<Lightest<Weight>>> numbers({std::move(of_edges), {}}, Grade::none, 1);
    auto value = MatchingRun(plan.steps, plan.layout, numbers, 1, run).run();
    return {std::move(value[0].weight), std::move(value[0].number)};
  };
  Integer sum = 0;
  for (const Integer& weight : weights) sum += abs(weight);
  return sum > Integer(std::numeric_limits<std::int64_t>::max()) ? lightest(Integer()) : lightest(std::int64_t{0});
}

}  // namespace matchcount
