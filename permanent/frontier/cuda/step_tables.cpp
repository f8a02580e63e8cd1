#include "permanent/frontier/cuda/step_tables.hpp"

#include <algorithm>
#include <cstring>

namespace matchcount::gpu {
namespace {

template <class T>
void append(std::vector<std::uint64_t>& words, const std::vector<T>& values) {
  static_assert(sizeof(T) % sizeof(std::uint64_t) == 0);
  const std::size_t at = words.size();
  words.resize(at + values.size() * sizeof(T) / sizeof(std::uint64_t));
  if (!values.empty()) std::memcpy(words.data() + at, values.data(), values.size() * sizeof(T));
}

void append_binomials(StepTables& tables) {
  FrontierGpuStep& step = tables.step;
  for (std::uint32_t n = 0; n < step.num_rows; ++n) {
    for (std::uint32_t k = 0; k < step.binomial_columns; ++k) tables.words.push_back(binomial(n, k));
  }
  for (std::uint32_t n = 0; n <= step.high_width; ++n) {
    std::uint64_t sum = 0;
    for (std::uint32_t j = 0; j <= step.high_width + 1; ++j) {
      tables.words.push_back(sum);
      sum += binomial(n, j);
    }
  }
}

// Tables the sources of low masks for each low part, class after class of the new low masks.
std::vector<std::uint16_t> gather_table(const DenseStep& step, const StateIndices& indices) {
  const DenseStep::Shape target = step.target_shape();
  std::vector<std::uint16_t> table;
  for (const DenseStep::LowPart& part : step.low_parts()) {
    for (std::uint32_t of_class = 0; of_class < indices.num_classes(target.low); ++of_class) {
      const std::size_t at = table.size();
      table.resize(at + indices.count(target.low, of_class), frontier_no_source);
      const auto& pairs = part.pairs[of_class];
      for (std::size_t i = 0; i < pairs.size(); i += 2) table[at + pairs[i]] = pairs[i + 1];
    }
  }
  return table;
}

// Bounds the choices that lead to one high mask.
unsigned most_sources(const std::vector<DenseStep::Choice>& choices) {
  constexpr std::uint32_t most_bits = 12;
  Word tested = 0;
  for (const DenseStep::Choice& c : choices) tested |= c.high.test;
  if (count_ones(tested) > most_bits) return static_cast<unsigned>(choices.size());
  std::ptrdiff_t most = 0;
  for (Word high = tested;; high = (high - 1) & tested) {
    most = std::max(most, std::ranges::count_if(choices, [&](const auto& c) { return c.high.passes(high); }));
    if (high == 0) return static_cast<unsigned>(most);
  }
}

}  // namespace

std::uint64_t StepTables::highs_below(Word high) const {
  const std::uint32_t width = step.high_width;
  if (high >> width != 0) return num_highs;
  if (step.by_parity) {
    if (step.target_low > 0) return high;
    return high / 2 + ((high & 1) != 0 && (count_ones(high - 1) & 1) == step.target_class);
  }
  auto low = static_cast<int>(step.target_class) - static_cast<int>(step.target_low);
  auto most = static_cast<int>(step.target_class);
  std::uint64_t below = 0;
  for (std::uint32_t n = width; n-- > 0;) {
    if ((high >> n & 1) == 0) continue;
    for (int ones = std::max(low, 0); ones <= most; ++ones) below += binomial(n, static_cast<std::uint32_t>(ones));
    --low;
    --most;
  }
  return below;
}

StepTables step_tables(const DenseStep& dense, bool by_parity, const StepNumbers& numbers) {
  const DenseStep::Shape source = dense.source_shape(), target = dense.target_shape();
  StepTables tables;
  FrontierGpuStep& step = tables.step;
  step = {};
  step.by_parity = by_parity;
  step.high_width = dense.high_width();
  step.source_low = source.low;
  step.source_class = source.of_class;
  step.target_low = target.low;
  step.target_class = target.of_class;
  step.num_choices = static_cast<unsigned>(dense.choices().size());
  step.most_sources = most_sources(dense.choices());
  step.num_primes = static_cast<unsigned>(numbers.primes.size());
  step.num_numbers = numbers.count;
  step.words_of_weight = numbers.words_of_weight;
  if (!by_parity) {
    step.num_rows = std::max(source.width, target.width) + 1;
    step.binomial_columns = std::max(source.of_class, target.of_class) + 2;
    step.num_sums = (step.high_width + 1) * (step.high_width + 2);
    append_binomials(tables);
  }
  for (std::uint32_t q = 0; q < step.high_width; ++q) tables.words.push_back(dense.source_high(Word{1} << q));
  std::vector<FrontierChoice> choices;
  for (const DenseStep::Choice& c : dense.choices()) {
    choices.push_back({c.high.test, c.high.expect, c.high.fixed, c.high.value, c.low_part});
  }
  append(tables.words, choices);
  tables.words.insert(tables.words.end(), numbers.primes.begin(), numbers.primes.end());
  const std::size_t stride = numbers.weights.size() / numbers.count;
  for (std::size_t number = 0; number < numbers.count; ++number) {
    for (const DenseStep::Choice& c : dense.choices()) {
      const auto* const weight = &numbers.weights[number * stride + c.index * numbers.words_of_weight];
      tables.words.insert(tables.words.end(), weight, weight + numbers.words_of_weight);
    }
  }
  const StateIndices indices(by_parity, target.low + 1);
  tables.kernel = numbers.kernel;
  if (dense.low_touched()) {
    tables.gather = gather_table(dense, indices);
    tables.kernel += "_gathered";
  }
  if (by_parity) {
    tables.num_highs = target.low > 0 ? Word{1} << step.high_width : indices.count(step.high_width, target.of_class);
  } else {
    const std::uint32_t least = target.of_class > target.low ? target.of_class - target.low : 0;
    for (std::uint32_t ones = least; ones <= std::min(target.of_class, step.high_width); ++ones) {
      tables.num_highs += binomial(step.high_width, ones);
    }
  }
  return tables;
}

}  // namespace matchcount::gpu
