// Files that are damaged: whatever stands in them, they are read or refused, and quickly. The seeds are those of the
// fuzzer, tests/fuzz/seeds, a file or two of every format.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/run.hpp"
#include "graph/input.hpp"
#include "graph/readers/formats.hpp"
#include "graph/readers/text.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"

using namespace matchcount;

namespace {

struct Seed {
  std::string name;
  std::string bytes;
};

std::vector<Seed> read_seeds() {
  std::vector<Seed> seeds;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(MATCHCOUNT_SOURCE_DIR) + "/tests/fuzz/seeds")) {
    std::ifstream stream(entry.path(), std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    seeds.push_back({entry.path().filename().string(), content.str()});
  }
  std::ranges::sort(seeds, {}, &Seed::name);
  return seeds;
}

constexpr std::string_view words[] = {"0",     "1",    "-1",   "7",  "4294967295", "9223372036854775808",
                                      "1e308", "nan",  "\n",   " ",  "\"",         "[",
                                      "]",     "<",    ">",    "&",  "~~",         "$$$$",
                                      "#",     "\xFF", "\x7F", "{}", ",",          "(1, 1)"};

// Makes one to four changes: a byte, a piece left out, doubled, put elsewhere or taken from another seed, a word put
// in.
std::string mutated(std::string bytes, const std::string& other, std::mt19937_64& random) {
  const auto below = [&](std::size_t bound) { return bound == 0 ? 0 : random() % bound; };
  for (std::uint64_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t place = below(bytes.size());
    const std::size_t length = 1 + below(8);
    switch (below(6)) {
      case 0:
        if (!bytes.empty()) bytes[place] = static_cast<char>(below(256));
        break;
      case 1:
        bytes.erase(place, length);
        break;
      case 2:
        bytes.insert(below(bytes.size() + 1), bytes.substr(place, length));
        break;
      case 3:
        bytes.insert(place, other.substr(below(other.size()), 4 * length));
        break;
      case 4:
        bytes.insert(place, words[below(std::size(words))]);
        break;
      default:
        if (!bytes.empty()) bytes[place] = static_cast<char>(bytes[place] ^ (1 << below(8)));
        break;
    }
  }
  return bytes;
}

// Reads all graphs of a text, each of which may be refused. Returns how many were read.
int read_or_refuse(const std::string& bytes, const InputOptions& options, const RunContext& run) {
  const auto check = [](const InputError& error) {
    if (error.file() != "mutant" || error.found().empty() || error.expected().empty() ||
        !readers::is_utf8(error.what())) {
      FAIL("a refusal that does not say enough: " << error.what());
    }
  };
  int count = 0;
  try {
    InputSequence sequence = InputSequence::from_text(bytes, "mutant", options, run);
    for (;;) {
      try {
        if (!sequence.next()) return count;
        ++count;
      } catch (const InputError& error) {
        check(error);
      }
    }
  } catch (const InputError& error) {
    check(error);
  } catch (const Unable&) {
    // This build lacks libexpat, or memory is short.
  }
  return count;
}

}  // namespace

TEST_CASE("damaged files of every format are read or refused, within few polls and two gigabytes") {
  const std::vector<Seed> seeds = read_seeds();
  REQUIRE(seeds.size() >= 54);
  constexpr int mutants = 2400;  // of every seed
  constexpr std::uint64_t most_polls = 1000;
  test::StepClock clock;
  RunOptions polled;
  clock.drive(polled);
  polled.time_limit_s = 1e9;
  const RunContext run(polled);
  constexpr std::uint64_t largest_bytes = std::uint64_t{2} << 30;
  for (const Seed& seed : seeds) {
    CAPTURE(seed.name);
    std::mt19937_64 random(20260718);
    InputOptions options{.odd_cycles = true};
    // The kind is told in turn, so that the readers of graphs and of matrices all have their share.
    int num_read = read_or_refuse(seed.bytes, options, {});
    for (int i = 0; i < mutants; ++i) {
      const std::string bytes = mutated(seed.bytes, seeds[random() % seeds.size()].bytes, random);
      CAPTURE(i, bytes);
      const InputKind kind = static_cast<InputKind>(i % 4);
      options.kind = i % 8 < 4 ? std::optional(kind) : std::nullopt;
      options.usual_kind = kind;
      options.format =
          i % 3 == 0 ? InputFormat::automatic : readers::format_of_name(seed.name).value_or(InputFormat::automatic);
      options.duplicates = static_cast<Duplicates>(i % 3);
      options.fractions = i % 5 == 0;
      options.keep_zeros = i % 7 == 0;
      const std::uint64_t before = clock.looks();
      num_read += read_or_refuse(bytes, options, run);
      if (clock.looks() - before > most_polls) FAIL("it polled " << clock.looks() - before << " times");
      if (peak_memory_bytes() > largest_bytes) FAIL("memory came to " << peak_memory_bytes() << " bytes");
    }
    // Some are whole still: else nothing but the first check of a reader would have been tried.
    CHECK((num_read > 0 || (!readers::unpacks() && readers::is_packed(seed.bytes))));
  }
}
